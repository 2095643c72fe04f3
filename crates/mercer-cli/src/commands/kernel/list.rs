//! The kernels and maps, for `mercer kernel list`.

use mercer::kernel::Listed;
use mercer::model::listed_kernels;

use crate::output::table;

/// A line of the list from the record of a kernel: an expression that parses, its formula, a remark.
fn kernel(kernel: &Listed) -> [String; 3] {
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
    [kernel.text.clone(), kernel.formula.to_owned(), remarks.join("; ")]
}

const ALGEBRA: [[&str; 3]; 7] = [
    ["rbf(0.5) + 2*linear", "k₁ + c·k₂", "sums, and factors c ≥ 0"],
    ["rbf(0.5) * poly(degree=2, coef0=1)", "k₁·k₂", "products"],
    ["(linear + 1)^3", "kᵐ", "whole powers"],
    ["exp(linear)", "exp(k)", ""],
    ["normalized(poly(degree=2))", "k(x,y)/√(k(x,x) k(y,y))", ""],
    ["centered(rbf(0.5))", "k(x,y) − m(x) − m(y) + m", "about the mean of the training points"],
    ["spectrum(p=3)@name + rbf(1)@[age, dose]", "", "on tables: each kernel with the columns it compares"],
];

const MAPS: [[&str; 3]; 7] = [
    ["rbf(0.5) @ columns(1, 3..5)", "k(φ(x), φ(y))", "chosen features, which count from 1"],
    ["linear @ monomials(degree=2)", "", "powers of each feature"],
    ["linear @ gaussians(low=0, high=1, count=5, width=0.2)", "", "bumps along each feature"],
    ["linear @ sigmoids(low=0, high=1, count=5, width=0.2)", "", "steps along each feature"],
    ["linear @ matrix(rows=2, 1, 0, 0.5, 1)", "", "xᵀLLᵀy, L row after row"],
    ["linear @ nystrom(rbf(1), 100)", "", "comes near to rbf, by 100 landmarks"],
    ["linear @ fourier(rbf(1), 100)", "", "comes near to rbf, by 100 random frequencies"],
];

/// The list.
pub(super) fn text() -> String {
    let listed = |kernels: &[Listed]| kernels.iter().map(kernel).collect::<Vec<_>>();
    let words = "with their defaults (every parameter may be left out but metric)";
    let of_space = |(i, (space, kernels)): (usize, (&str, Vec<Listed>))| {
        let title =
            if i == 0 { format!("Kernels on {space}, {words}:") } else { format!("Kernels on {space}:") };
        (title, listed(&kernels))
    };
    let mut parts: Vec<_> = listed_kernels()
        .into_iter()
        .filter(|(_, kernels)| !kernels.is_empty())
        .enumerate()
        .map(of_space)
        .collect();
    parts.push((
        "The algebra: every rule keeps a kernel a kernel.".into(),
        ALGEBRA.map(|row| row.map(str::to_owned)).into(),
    ));
    parts.push(("Feature maps of vectors:".into(), MAPS.map(|row| row.map(str::to_owned)).into()));
    let mut text = String::new();
    for (title, entries) in &parts {
        let lines = table(entries).replace('\n', "\n  ");
        text += &format!("{title}\n\n  {}\n\n", lines.trim_end());
    }
    text + "Try one:   mercer kernel show \"rbf(0.5) + 2*linear\"\n\
            On data:   mercer kernel check \"tanh(gamma=1, coef0=-1)\" DATA\n\
            Train:     mercer train --kernel \"rbf(0.5) + 2*linear\" DATA\n"
}

#[cfg(test)]
mod tests {
    use mercer::model::AnyKernel;

    use super::*;

    #[test]
    fn every_example_is_an_expression() {
        for example in ALGEBRA.iter().chain(&MAPS).map(|entry| entry[0]) {
            let kernel: AnyKernel = example.parse().unwrap_or_else(|error| panic!("{error}"));
            kernel.check().unwrap_or_else(|error| panic!("{error}"));
        }
        for (space, kernels) in listed_kernels() {
            for listed in kernels {
                let kernel: AnyKernel = listed.text.parse().unwrap_or_else(|error| panic!("{error}"));
                assert_eq!((kernel.to_string(), kernel.space()), (listed.text, space));
            }
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
