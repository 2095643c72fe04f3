//! The native half of the Python package `mercer`: data in, fits on threads of our own, models out. Everything that is
//! scikit-learn's way of saying things is in the Python half.

mod blocks;
mod errors;
mod facts;
mod fit;
mod kernel;
mod lend;
mod model;
mod points;
mod search;
mod stream;
mod validity;
mod work;

/// Kernel machines in Rust, as the package `mercer` uses them.
#[pyo3::pymodule]
mod _mercer {
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_export]
    const MAX_THREADS: usize = mercer::MAX_THREADS;

    #[pymodule_export]
    use crate::blocks::{Blocks, fit_blocks};
    #[pymodule_export]
    use crate::fit::{fit, fit_path, methods, relevance};
    #[pymodule_export]
    use crate::kernel::{Kernel, kernels, map_text, median};
    #[pymodule_export]
    use crate::model::{Model, counted};
    #[pymodule_export]
    use crate::points::Points;
    #[pymodule_export]
    use crate::search::search;
    #[pymodule_export]
    use crate::stream::Stream;
    #[pymodule_export]
    use crate::validity::Validity;
    #[pymodule_export]
    use crate::work::{Run, num_threads, return_freed_memory, set_num_threads};
}
