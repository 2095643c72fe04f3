//! The order of the program's modules: each may use those before it, none beside or after it.

#[path = "../../mercer/tests/layers/search.rs"]
mod search;

const LAYERS: [&[&str]; 8] = [
    &["failure"],
    &["output", "paths", "system"],
    &["args", "help", "plot", "progress"],
    &["fit", "input", "method"],
    &["models", "report"],
    &["program"],
    &["liblinear", "libsvm"],
    &["commands"],
];

#[test]
fn no_module_uses_one_beside_or_above_it() {
    let mut seen = 0;
    let layer = |module: &str| LAYERS.iter().position(|names| names.contains(&module));
    for [file, module, name] in search::uses(env!("CARGO_MANIFEST_DIR")) {
        if module == "main" {
            continue;
        }
        let own = layer(&module).unwrap_or_else(|| panic!("{module} has no place in the order"));
        let other = layer(&name).unwrap_or_else(|| panic!("{file}: {name} is no module"));
        assert!(name == module || other < own, "{file} uses {name}, which is not below {module}");
        seen += usize::from(other < own);
    }
    assert!(seen > 100, "only {seen} uses found: the search is broken");
}
