//! Methods that are linear algebra on a Gram matrix, in double precision: linear systems and eigenvectors.
//!
//! | module | problem |
//! |---|---|
//! | [`ridge`] | kernel ridge regression, by a factorisation |
//! | [`conjugate`] | linear systems by conjugate gradients, where the matrix does not fit into memory |
//! | [`fisher`] | Fisher's discriminant |
//! | [`cca`] | canonical correlations |
//! | [`rde`] | relevant dimensions |

pub(crate) mod cca;
pub(crate) mod conjugate;
pub(crate) mod fisher;
pub(crate) mod rde;
pub(crate) mod ridge;
