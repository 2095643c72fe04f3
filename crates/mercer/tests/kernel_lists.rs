//! The book's tables and Python's functions say of each kernel what its record says.

use std::fs;
use std::path::Path;

use mercer::kernel::{Definiteness, GraphLeaf, Leaf, Listed, SetLeaf, TextLeaf, VectorLeaf};

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The rows of the table whose header begins with `header`, cell by cell.
fn table(text: &str, header: &str) -> Vec<Vec<String>> {
    let lines = text.lines().skip_while(|line| !line.starts_with(header)).skip(2);
    // An escaped bar is part of a cell.
    let cells = |line: &str| {
        let line = line.trim_matches('|').replace("\\|", "\0");
        line.split('|').map(|cell| cell.trim().replace('\0', "|")).collect()
    };
    lines.take_while(|line| line.starts_with('|')).map(cells).collect()
}

/// The first cells of a kernel's row: text and spellings, formula, parameters.
fn cells(kernel: &Listed) -> [String; 3] {
    let mut text = format!("`{}`", kernel.text);
    kernel.aliases.iter().for_each(|alias| text += &format!(", also `{alias}`"));
    for parameter in &kernel.parameters {
        if let Some((name, formula)) = parameter.alternative {
            text += &format!(", or `{name}` with {} = {formula}", parameter.name);
        }
    }
    let domains = kernel.parameters.iter().map(|p| p.domain.as_str()).filter(|domain| !domain.is_empty());
    [text, kernel.formula.to_owned(), domains.collect::<Vec<_>>().join(", ")]
}

fn sign(definiteness: Definiteness) -> &'static str {
    match definiteness {
        Definiteness::Psd => "✓",
        Definiteness::PsdOnNonNegative => "≥ 0",
        Definiteness::Unknown => "?",
    }
}

fn compare(kernels: &[Listed], page: &str, header: &str) {
    let rows = table(&read(page), header);
    for (kernel, row) in kernels.iter().zip(&rows) {
        assert_eq!(row[..3], cells(kernel), "{page}");
        assert!(row[3].starts_with(sign(kernel.definiteness)), "{}: {}", kernel.name, row[3]);
    }
    assert_eq!(kernels.len(), rows.len(), "one row for each kernel");
}

#[test]
fn the_book_has_a_row_for_each_kernel() {
    compare(&VectorLeaf::list(), "docs/kernels.md", "| text | k(x, y) |");
    compare(&TextLeaf::list(), "docs/kernels.md", "| text | k(s, t) |");
    compare(&GraphLeaf::list(), "docs/graphs.md", "| text | k(G, H) |");
    compare(&SetLeaf::list(), "docs/sets.md", "| text | k(X, Y) |");
}

#[test]
fn the_book_has_a_row_for_each_metric() {
    let rows = table(&read("docs/kernels.md"), "| metric | D |");
    let names: Vec<&str> = rows.iter().map(|row| row[0].trim_matches('`')).collect();
    let kernels = VectorLeaf::list();
    let gaussian = kernels.iter().find(|kernel| kernel.name == "gaussian").unwrap();
    let [others @ .., last] = &names[..] else { panic!("{names:?}") };
    assert_eq!(gaussian.parameters[0].domain, format!("metric is {} or {last}", others.join(", ")));
}

#[test]
fn the_doc_comment_of_each_kernel_shows_its_text() {
    for (source, kernels) in [
        ("vector/kernel.rs", VectorLeaf::list()),
        ("string/leaf.rs", TextLeaf::list()),
        ("graph/leaf.rs", GraphLeaf::list()),
        ("set/leaf.rs", SetLeaf::list()),
    ] {
        let source = read(&format!("crates/mercer/src/kernel/{source}")).replace("\n    /// ", " ");
        for kernel in kernels {
            assert!(source.contains(&format!("`{}`", kernel.text)), "{}", kernel.text);
        }
    }
}

/// A function of Python: its name, its signature, its docstring and what it returns.
struct Function<'a> {
    name: &'a str,
    signature: &'a str,
    doc: &'a str,
    body: &'a str,
}

fn functions(source: &str) -> Vec<Function<'_>> {
    let function = |part| {
        let (name, rest): (&str, &str) = str::split_once(part, '(').expect("a signature");
        let (signature, rest) = rest.split_once(") -> ").expect("a result");
        let mut parts = rest.split("\"\"\"").skip(1);
        Function { name, signature, doc: parts.next().unwrap_or(""), body: parts.next().unwrap_or("") }
    };
    source.split("\ndef ").skip(1).map(function).collect()
}

/// The default of a parameter in a signature, none where it has none.
fn default<'a>(signature: &'a str, name: &str) -> Option<&'a str> {
    let parameter = signature.split([',', '\n']).map(str::trim).find(|p| p.starts_with(&format!("{name}: ")));
    let parameter = parameter.unwrap_or_else(|| panic!("no parameter {name} in ({signature})"));
    parameter.split_once(" = ").map(|(_, value)| value.trim_end_matches(',').trim())
}

#[test]
fn python_has_a_function_for_each_kernel() {
    let (source, exports) =
        (read("python/mercer/kernels/_leaves.py"), read("python/mercer/kernels/__init__.py"));
    let functions = functions(&source);
    let kernels = VectorLeaf::list();
    for same in kernels.chunk_by(|a, b| a.name == b.name) {
        let name = same[0].name;
        let made = [format!("call(\"{name}\""), format!("Kernel(\"{name}\")")];
        let function = functions.iter().find(|f| made.iter().any(|text| f.body.contains(text)));
        let function = function.unwrap_or_else(|| panic!("no function of _leaves.py makes {name}"));
        assert!(exports.contains(&format!("\"{}\"", function.name)), "{} is exported", function.name);
        // Its docstring is then made of the record.
        let recorded = source.contains(&format!("@recorded(\"{name}\")\ndef {}(", function.name));
        for parameter in same.iter().flat_map(|kernel| &kernel.parameters) {
            let found = default(function.signature, parameter.name);
            let line = format!("\n    {} : ", parameter.name);
            assert!(recorded || function.doc.contains(&line), "{name}: {} is documented", parameter.name);
            match (&parameter.default, found) {
                (None, found) => assert_eq!(found, None, "{name}: {} must be given", parameter.name),
                // Left out of the text, where the record has the default.
                (Some(_), Some("None")) => {}
                (Some(expected), found) => {
                    let number = |text: &str| text.parse::<f64>().expect("a number");
                    assert_eq!(found.map(number), Some(number(expected)), "{name}: {}", parameter.name);
                    let line = function.doc.split_once(&line).and_then(|(_, rest)| rest.lines().next());
                    let stated = format!("default={expected}");
                    assert!(recorded || line.is_some_and(|line| line.ends_with(&stated)), "{name}: {line:?}");
                }
            }
        }
        if let [kernel] = same {
            let formula = kernel.formula.to_lowercase();
            assert!(recorded || function.doc.to_lowercase().starts_with(&formula), "{name}: {formula}");
        }
    }
}
