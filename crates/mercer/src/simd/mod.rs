//! The only unsafe code: vector instructions chosen at run time.
