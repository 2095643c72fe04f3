//! What the modules of a package use, for the tests of their order here and of the program.

use std::fs;
use std::path::{Path, PathBuf};

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

/// Every use of a module: the source file of the package at `root`, the module it belongs to, the module it names; each
/// file names its own.
pub(crate) fn uses(root: &str) -> Vec<[String; 3]> {
    let (root, mut files, mut found) = (Path::new(root).join("src"), Vec::new(), Vec::new());
    sources(&root, &mut files);
    for file in files {
        let inside = file.strip_prefix(&root).expect("a file of the folder");
        let module = inside.iter().next().expect("a name").to_string_lossy().replace(".rs", "");
        let mut names = used(&fs::read_to_string(&file).expect("a text"));
        names.push(module.clone());
        found.extend(names.into_iter().map(|name| [inside.display().to_string(), module.clone(), name]));
    }
    found
}
