//! The order of the program's modules: each may use those before it, none beside or after it.

use std::fs;
use std::path::{Path, PathBuf};

const LAYERS: [&[&str]; 7] = [
    &["failure"],
    &["output", "paths", "system"],
    &["args", "help", "plot", "progress"],
    &["fit", "input", "method"],
    &["models", "report"],
    &["libsvm"],
    &["commands"],
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// Modules named after `crate::`, also inside braces, outside comments.
fn used(source: &str) -> Vec<String> {
    let code: Vec<&str> = source.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut names = Vec::new();
    for rest in code.join("\n").split("crate::").skip(1) {
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
fn no_module_uses_one_beside_or_above_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut files, mut seen) = (Vec::new(), 0);
    sources(&root, &mut files);
    let layer = |module: &str| LAYERS.iter().position(|names| names.contains(&module));
    for file in files {
        let inside = file.strip_prefix(&root).expect("a file of the folder");
        let module = inside.iter().next().expect("a name").to_string_lossy().replace(".rs", "");
        if module == "main" {
            continue;
        }
        let own = layer(&module).unwrap_or_else(|| panic!("{module} has no place in the order"));
        for name in used(&fs::read_to_string(&file).expect("a text")) {
            let other = layer(&name).unwrap_or_else(|| panic!("{}: {name} is no module", inside.display()));
            assert!(
                name == module || other < own,
                "{} uses {name}, which is not below {module}",
                inside.display()
            );
            seen += usize::from(other < own);
        }
    }
    assert!(seen > 100, "only {seen} uses found: the search is broken");
}
