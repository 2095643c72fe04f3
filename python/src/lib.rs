//! The native half of the Python package.

/// Kernel machines in Rust, as the package `mercer` uses them.
// An inline module, not a function: its members are then known to what writes mercer/_mercer.pyi.
#[pyo3::pymodule]
mod _mercer {
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
