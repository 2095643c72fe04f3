//! The kernels and maps, for `mercer kernel list`.

use std::fmt::Write;

/// A kernel: an expression that parses, its formula, a remark.
struct Entry {
    example: &'static str,
    formula: &'static str,
    remark: &'static str,
}

const fn entry(example: &'static str, formula: &'static str, remark: &'static str) -> Entry {
    Entry { example, formula, remark }
}

const KERNELS: &[Entry] = &[
    entry("linear", "xᵀy", ""),
    entry("poly(degree=3, gamma=1, coef0=0)", "(γ xᵀy + c)ᵈ", "a kernel where c ≥ 0"),
    entry("rbf(gamma=1)", "exp(−γ‖x − y‖²)", "also rbf(sigma=…), γ = 1/(2σ²)"),
    entry("laplace(gamma=1)", "exp(−γ‖x − y‖₁)", ""),
    entry("matern(nu=1.5, length=1)", "Matérn over ‖x − y‖/ℓ", "ν is 0.5, 1.5 or 2.5"),
    entry("rational(alpha=1, length=1)", "(1 + ‖x − y‖²/(2αℓ²))^(−α)", ""),
    entry("plummer(epsilon=1, power=1)", "(‖x − y‖² + ε²)^(−N/2)", ""),
    entry("cosine", "xᵀy/(‖x‖‖y‖)", ""),
    entry("intersection", "Σ min(xₖ, yₖ)", "a kernel where no feature is negative"),
    entry("gaussian(metric=l1, sigma=1)", "exp(−D²/(2σ²))", "l1, chi2, canberra, angular, hamming"),
    entry("tanh(gamma=1, coef0=0)", "tanh(γ xᵀy + c)", "indefinite in general"),
    entry("factor(norm)", "f(x) f(y)", "also factor(coordinate, index=1), factor(bump, gamma=1)"),
    entry("precomputed", "the data", "LIBSVM rows 0:serial 1:value …"),
];

const ALGEBRA: &[Entry] = &[
    entry("rbf(0.5) + 2*linear", "k₁ + c·k₂", "sums, and factors c ≥ 0"),
    entry("rbf(0.5) * poly(degree=2, coef0=1)", "k₁·k₂", "products"),
    entry("(linear + 1)^3", "kᵐ", "whole powers"),
    entry("exp(linear)", "exp(k)", ""),
    entry("normalized(poly(degree=2))", "k(x,y)/√(k(x,x) k(y,y))", ""),
    entry("rbf(0.5) @ columns(1, 3..5)", "k(φ(x), φ(y))", "through a map; columns count from 1"),
    entry("linear @ monomials(degree=2)", "", "powers of each feature"),
    entry("linear @ gaussians(low=0, high=1, count=5, width=0.2)", "", "bumps along each feature"),
    entry("linear @ sigmoids(low=0, high=1, count=5, width=0.2)", "", "steps along each feature"),
];

/// The list.
pub(super) fn text() -> String {
    let mut text =
        String::from("Kernels, with their defaults (every parameter may be left out but metric):\n\n");
    table(&mut text, KERNELS);
    text.push_str("\nThe algebra: every rule keeps a kernel a kernel.\n\n");
    table(&mut text, ALGEBRA);
    text.push_str(
        "\nTry one:   mercer kernel show \"rbf(0.5) + 2*linear\"\n\
         On data:   mercer kernel check \"tanh(gamma=1, coef0=-1)\" DATA\n\
         Train:     mercer train --kernel \"rbf(0.5) + 2*linear\" DATA\n",
    );
    text
}

fn table(text: &mut String, entries: &[Entry]) {
    let wide = |part: fn(&Entry) -> &str| entries.iter().map(|e| part(e).chars().count()).max().unwrap_or(0);
    let (first, second) = (wide(|e| e.example), wide(|e| e.formula));
    for e in entries {
        let line = format!("  {:<first$}  {:<second$}  {}", e.example, e.formula, e.remark);
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

#[cfg(test)]
mod tests {
    use mercer::kernel::VectorExpr;

    use super::*;

    #[test]
    fn every_example_is_an_expression() {
        for entry in KERNELS.iter().chain(ALGEBRA) {
            let kernel: VectorExpr = entry.example.parse().unwrap_or_else(|error| panic!("{error}"));
            kernel.check().unwrap_or_else(|error| panic!("{error}"));
        }
    }
}
