//! The kernels and maps, for `mercer kernel list`.

use std::fmt::Write;

use mercer::kernel::{Leaf, Listed, TextLeaf, VectorLeaf};

/// A line of the list: an expression that parses, its formula, a remark.
struct Entry {
    example: String,
    formula: &'static str,
    remark: String,
}

fn entry(&(example, formula, remark): &(&str, &'static str, &str)) -> Entry {
    Entry { example: example.to_owned(), formula, remark: remark.to_owned() }
}

/// The line of a kernel, from its record.
fn kernel(kernel: &Listed) -> Entry {
    let mut remarks = Vec::new();
    for parameter in &kernel.parameters {
        if let Some((name, formula)) = parameter.alternative {
            remarks.push(format!("or {name}, {} = {formula}", parameter.name));
        }
        // A choice among names; that numbers are positive goes without saying.
        if parameter.domain.contains(" is ") {
            remarks.push(parameter.domain.clone());
        }
    }
    remarks.extend(kernel.aliases.iter().map(|alias| format!("also {alias}")));
    remarks.extend((!kernel.remark.is_empty()).then(|| kernel.remark.to_owned()));
    Entry { example: kernel.text.clone(), formula: kernel.formula, remark: remarks.join("; ") }
}

const ALGEBRA: &[(&str, &str, &str)] = &[
    ("rbf(0.5) + 2*linear", "k₁ + c·k₂", "sums, and factors c ≥ 0"),
    ("rbf(0.5) * poly(degree=2, coef0=1)", "k₁·k₂", "products"),
    ("(linear + 1)^3", "kᵐ", "whole powers"),
    ("exp(linear)", "exp(k)", ""),
    ("normalized(poly(degree=2))", "k(x,y)/√(k(x,x) k(y,y))", ""),
];

const MAPS: &[(&str, &str, &str)] = &[
    ("rbf(0.5) @ columns(1, 3..5)", "k(φ(x), φ(y))", "chosen features, which count from 1"),
    ("linear @ monomials(degree=2)", "", "powers of each feature"),
    ("linear @ gaussians(low=0, high=1, count=5, width=0.2)", "", "bumps along each feature"),
    ("linear @ sigmoids(low=0, high=1, count=5, width=0.2)", "", "steps along each feature"),
    ("linear @ matrix(rows=2, 1, 0, 0.5, 1)", "", "xᵀLLᵀy, L row after row"),
];

/// The list.
pub(super) fn text() -> String {
    let parts: [(&str, Vec<Entry>); 4] = [
        (
            "Kernels on vectors, with their defaults (every parameter may be left out but metric):",
            VectorLeaf::list().iter().map(kernel).collect(),
        ),
        ("Kernels on texts:", TextLeaf::list().iter().map(kernel).collect()),
        ("The algebra: every rule keeps a kernel a kernel.", ALGEBRA.iter().map(entry).collect()),
        ("Feature maps of vectors:", MAPS.iter().map(entry).collect()),
    ];
    let mut text = String::new();
    for (title, entries) in &parts {
        let _ = write!(text, "{title}\n\n");
        table(&mut text, entries);
        text.push('\n');
    }
    text.push_str(
        "Try one:   mercer kernel show \"rbf(0.5) + 2*linear\"\n\
         On data:   mercer kernel check \"tanh(gamma=1, coef0=-1)\" DATA\n\
         Train:     mercer train --kernel \"rbf(0.5) + 2*linear\" DATA\n",
    );
    text
}

fn table(text: &mut String, entries: &[Entry]) {
    let wide = |part: fn(&Entry) -> &str| entries.iter().map(|e| part(e).chars().count()).max().unwrap_or(0);
    let (first, second) = (wide(|e| &e.example), wide(|e| e.formula));
    for e in entries {
        let line = format!("  {:<first$}  {:<second$}  {}", e.example, e.formula, e.remark);
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

#[cfg(test)]
mod tests {
    use mercer::kernel::{TextExpr, VectorExpr};

    use super::*;

    #[test]
    fn every_example_is_an_expression() {
        let kernels = VectorLeaf::list();
        let examples = ALGEBRA.iter().chain(MAPS).map(|(example, _, _)| *example);
        for example in kernels.iter().map(|kernel| kernel.text.as_str()).chain(examples) {
            let kernel: VectorExpr = example.parse().unwrap_or_else(|error| panic!("{error}"));
            kernel.check().unwrap_or_else(|error| panic!("{error}"));
        }
        for kernel in TextLeaf::list() {
            assert_eq!(kernel.text.parse::<TextExpr>().unwrap().to_string(), kernel.text);
        }
    }

    #[test]
    fn a_remark_says_what_the_record_says() {
        let text = text();
        for line in [
            "rbf(gamma=1)                      exp(−γ‖x − y‖²)                        or sigma, gamma = 1/(2σ²)",
            "tanh(gamma=1, coef0=0)            tanh(γ xᵀy + c)                        also sigmoid; indefinite in general",
        ] {
            assert!(text.contains(line), "{text}");
        }
    }
}
