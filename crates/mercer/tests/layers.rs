//! The order of the modules: each may use those before it, none after it.

#[path = "layers/search.rs"]
mod search;

use std::collections::BTreeSet;

/// `error`, `memory` and `simd` stand side by side at the bottom, `linalg` and `data` above them.
const LAYERS: [&[&str]; 9] = [
    &["error", "memory", "simd"],
    &["linalg", "data"],
    &["kernel"],
    &["gram"],
    &["solve"],
    &["model"],
    &["select"],
    &["verify"],
    &["bounds"],
];

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

#[test]
fn a_verification_shares_nothing_with_what_it_verifies() {
    const OWN: [&str; 7] = ["data", "error", "kernel", "memory", "model", "solve", "verify"];
    let root = env!("CARGO_MANIFEST_DIR");
    let uses = search::uses(root).into_iter().filter(|[_, module, _]| module == "verify");
    let mut files = BTreeSet::new();
    for [file, _, name] in uses {
        assert!(OWN.contains(&name.as_str()), "{file} uses {name}");
        files.insert(file);
    }
    // Of the solvers the words of a certificate, and nothing that computes.
    for file in &files {
        let text = std::fs::read_to_string(format!("{root}/src/{file}")).expect("a text");
        for line in
            text.lines().filter(|line| line.contains("solve::") && !line.trim_start().starts_with("//"))
        {
            let words = [
                "use crate::solve::Certificate;",
                "use crate::solve::Stop;",
                "use crate::solve::{Certificate, Stop};",
            ];
            assert!(words.contains(&line), "{file}: {line}");
        }
    }
    assert!(files.len() > 10, "only {} files found: the search is broken", files.len());
}

#[test]
fn the_library_leaves_the_settings_of_the_process_alone() {
    let root = env!("CARGO_MANIFEST_DIR");
    let files: BTreeSet<String> = search::uses(root).into_iter().map(|[file, ..]| file).collect();
    let calls = |file: &String| {
        let text = std::fs::read_to_string(format!("{root}/src/{file}")).expect("a text");
        text.matches("keep_little_freed_memory()").count() + text.matches("mallopt(").count()
    };
    // The function that programs call is defined in one file, with its two settings; nothing of the library calls it.
    let named: Vec<(&String, usize)> =
        files.iter().map(|file| (file, calls(file))).filter(|(_, calls)| *calls > 0).collect();
    assert_eq!(named, [(&"simd/memory.rs".to_owned(), 3)]);
}
