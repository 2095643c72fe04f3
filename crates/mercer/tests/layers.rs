//! The order of the modules: each may use those before it, none after it.

#[path = "layers/search.rs"]
mod search;

/// `error` and `simd` stand side by side at the bottom, `linalg` and `data` above them.
const LAYERS: [&[&str]; 7] =
    [&["error", "simd"], &["linalg", "data"], &["kernel"], &["gram"], &["solve"], &["model"], &["select"]];

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|names| names.contains(&module))
}

#[test]
fn no_module_uses_one_above_it() {
    let mut seen = 0;
    for [file, module, name] in search::uses(env!("CARGO_MANIFEST_DIR")) {
        if module == "lib" {
            continue;
        }
        let own = layer(&module).unwrap_or_else(|| panic!("{module} has no place in the order"));
        if let Some(other) = layer(&name) {
            assert!(other <= own, "{file} uses {name}, which stands above {module}");
            seen += usize::from(other < own);
        }
    }
    assert!(seen > 30, "only {seen} uses found: the search is broken");
}
