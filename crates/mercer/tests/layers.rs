//! The order of the modules: each may use those before it, none after it.

use std::fs;
use std::path::{Path, PathBuf};

/// `error` and `simd` stand side by side at the bottom, `linalg` and `data` above them.
const LAYERS: [&[&str]; 7] =
    [&["error", "simd"], &["linalg", "data"], &["kernel"], &["gram"], &["solve"], &["model"], &["select"]];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|names| names.contains(&module))
}

/// Modules named after `crate::`, also inside braces, outside comments.
fn used(source: &str) -> Vec<String> {
    let code: String =
        source.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut names = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(list) => {
                names.extend(list.split('}').next().unwrap_or("").split(',').map(|part| word(part.trim())))
            }
            None => names.push(word(rest)),
        }
    }
    names
}

#[test]
fn no_module_uses_one_above_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut seen = 0;
    for file in files {
        let inside = file.strip_prefix(&root).unwrap();
        let module = inside.iter().next().unwrap().to_string_lossy().replace(".rs", "");
        if module == "lib" {
            continue;
        }
        let own = layer(&module).unwrap_or_else(|| panic!("{module} has no place in the order"));
        for name in used(&fs::read_to_string(&file).unwrap()) {
            if let Some(other) = layer(&name) {
                assert!(other <= own, "{} uses {name}, which stands above {module}", inside.display());
                seen += usize::from(other < own);
            }
        }
    }
    assert!(seen > 30, "only {seen} uses found: the search is broken");
}
