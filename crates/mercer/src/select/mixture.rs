//! Multiple kernel learning: the weights of a sum of kernels, found together with the C-SVC on it.
//!
//! minimise over d ≥ 0, ‖d‖_p ≤ 1 the optimum of C-SVC with the kernel Σ dₘkₘ, summed over the pairs of classes. With p = 1 many weights become 0, with a larger p fewer
//! do. [`mixture`] alternates between the machines and the weights and proves how far from the best weights it is; derivation and cost stand in
//! `solve/mixture.rs` and in the book (`docs/search.md`). A kernel's weight depends on its scale: `normalized(…)` makes kernels alike.
//!
//! ```
//! use mercer::data::{Labels, Vectors};
//! use mercer::select::{MixtureTerms, mixture, terms, weighted};
//!
//! // Inside and outside of a ring: a line does not separate them.
//! let at = |i: usize| (i as f64 * 0.7, if i % 2 == 0 { 1.0 } else { 2.0 });
//! let x = (0..40).flat_map(|i| [at(i).1 * at(i).0.cos(), at(i).1 * at(i).0.sin()]).collect();
//! let y = Labels::first_seen((0..40).map(|i| if i % 2 == 0 { "inside" } else { "outside" }));
//! let kernels = terms("?*rbf(gamma=1) + ?*linear")?;
//! let found = mixture(&kernels, &Vectors::dense(2, x).into(), &y, MixtureTerms::default())?;
//! assert!(found.converged && found.objective < found.uniform);
//! assert!(found.weights[0] > 0.9);
//! assert!(weighted(&kernels, &found.weights)?.to_string().contains("*rbf(gamma=1)"));
//! # Ok::<(), mercer::Error>(())
//! ```

use std::ops::ControlFlow;

use crate::data::{Labels, Points};
use crate::error::{DataProblem, ErrorKind, Result, check};
use crate::gram;
use crate::kernel::{Definiteness, Kernel};
use crate::memory::room;
use crate::model::{AnyKernel, AnyPoints, pairs};
use crate::solve::mixture::{Machine, Mixed, mix};
use crate::solve::path::Side;

/// What stands before a term whose weight is to be found.
const OPEN: &str = "?*";
/// Matrices of the size of one kernel's that the sum and the machines take.
const BESIDE: usize = 3;

/// What the weights of a sum are learned under.
pub struct MixtureTerms<'a> {
    /// The price of errors.
    pub c: f64,
    /// p of ‖d‖_p ≤ 1, at least 1.
    pub norm: f64,
    /// The gap at which the weights are good enough, as a share of the objective.
    pub tolerance: f64,
    /// The bytes that matrices may take; none for what the machine has left.
    pub memory: Option<usize>,
    /// Told the gap as a share of the objective after each round; can end it.
    pub watch: Option<&'a mut dyn FnMut(f64) -> ControlFlow<()>>,
}

impl Default for MixtureTerms<'_> {
    /// C = 1, p = 1, a gap of 10⁻⁴.
    fn default() -> Self {
        Self { c: 1.0, norm: 1.0, tolerance: 1e-4, memory: None, watch: None }
    }
}

/// The weights of a sum of kernels.
#[derive(Debug, Clone, PartialEq)]
pub struct Mixture {
    /// A weight for each kernel, none below 0, with ‖d‖_p = 1.
    pub weights: Vec<f64>,
    /// The primal objective of the machines on the sum.
    pub objective: f64,
    /// The objective of the best weights is at most this far below.
    pub gap: f64,
    /// The objective with equal weights, ‖d‖_p = 1 too.
    pub uniform: f64,
    /// How often machines and weights were solved in turn.
    pub rounds: usize,
    /// Whether the gap is as small as was asked for.
    pub converged: bool,
}

/// The kernels of a text such as `?*rbf(gamma=1) + ?*linear`, in which `?` stands for the weights.
///
/// # Errors
/// If a term does not begin with `?*`, there are fewer than two, or one is no kernel.
pub fn terms(text: &str) -> Result<Vec<AnyKernel>> {
    let (mut depth, mut start, mut parts) = (0i32, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '+' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    let rule = "a sum of two kernels or more, each with ?* before it: ?*rbf(gamma=1) + ?*linear";
    let open: Option<Vec<&str>> = parts.iter().map(|part| part.trim().strip_prefix(OPEN)).collect();
    match open {
        Some(open) if open.len() > 1 => open.into_iter().map(str::parse).collect(),
        _ => Err(ErrorKind::Setting { name: "kernel", value: text.into(), rule }.into()),
    }
}

/// The sum Σ dₘkₘ; kernels of weight 0 are left out.
///
/// # Errors
/// If no weight is above 0, or the sum is no kernel of one space.
pub fn weighted(kernels: &[AnyKernel], weights: &[f64]) -> Result<AnyKernel> {
    let term = |(kernel, weight): (&AnyKernel, &f64)| format!("{weight:?}*({kernel})");
    let sum: Vec<String> =
        kernels.iter().zip(weights).filter(|(_, weight)| **weight > 0.0).map(term).collect();
    sum.join(" + ").parse()
}

/// Learns the weights of kernels for C-SVC, by pairs of classes.
///
/// # Errors
/// If there is one class, a kernel is not positive semi-definite by construction or depends on a fit, a setting or a number is out of range, the
/// matrices do not fit into memory, or the caller ends it.
pub fn mixture(
    kernels: &[AnyKernel],
    x: &AnyPoints,
    labels: &Labels,
    mut terms: MixtureTerms<'_>,
) -> Result<Mixture> {
    check("c", terms.c, terms.c > 0.0 && terms.c.is_finite(), "must be positive and finite")?;
    check("norm", terms.norm, terms.norm >= 1.0 && terms.norm.is_finite(), "must be at least 1 and finite")?;
    check("tolerance", terms.tolerance, terms.tolerance > 0.0, "must be positive")?;
    check("kernels", kernels.len() as f64, kernels.len() > 1, "must be at least 2")?;
    let (n, classes) = (x.len(), labels.classes().len());
    check("labels", labels.len() as f64, labels.len() == n, "must be one per point")?;
    check("classes", classes as f64, classes > 1, "must be at least 2")?;
    for kernel in kernels {
        if kernel.definiteness() != Definiteness::Psd || kernel.reference()?.is_some() {
            let what = format!("weights of {kernel}: it must be positive semi-definite by construction");
            return Err(ErrorKind::Unsupported { what: what.into() }.into());
        }
    }
    let bytes = (n as u64).saturating_mul(n as u64).saturating_mul(8 * (kernels.len() + BESIDE) as u64);
    room("the values of all kernels", bytes, terms.memory, "take a part of the rows")?;
    let mut matrices = Vec::new();
    for kernel in kernels {
        let values: Vec<f64> = gram::square(kernel, x)?;
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            let (row, column) = (at / n + 1, at % n + 1);
            return Err(ErrorKind::Data(DataProblem::KernelNotFinite { row, column }).into());
        }
        matrices.push(values);
    }
    let class = |i: usize| labels.index()[i] as usize;
    let machine = |(a, b): (usize, usize)| {
        let index: Vec<usize> = (0..n).filter(|&i| class(i) == a || class(i) == b).collect();
        let side = |&i: &usize| if class(i) == a { Side::Positive } else { Side::Negative };
        Machine { sides: index.iter().map(side).collect(), prices: vec![terms.c; index.len()], index }
    };
    let machines: Vec<Machine> = pairs(classes).into_iter().map(machine).collect();
    let (norm, tolerance) = (terms.norm, terms.tolerance);
    let mut broken = false;
    let mut tick = |gap: f64| {
        let answer = terms.watch.as_mut().map_or(ControlFlow::Continue(()), |watch| watch(gap));
        broken |= answer.is_break();
        answer
    };
    let found = mix(&matrices, n, &machines, norm, tolerance, &mut tick);
    let Some(Mixed { weights, objective, gap, uniform, rounds, converged }) = found else {
        if broken {
            return Err(ErrorKind::Interrupted.into());
        }
        let what = "weights of kernels where a machine cannot be solved in this precision: take a smaller C";
        return Err(ErrorKind::Unsupported { what: what.into() }.into());
    };
    // What is so small that it is but on its way to 0.
    let most = weights.iter().fold(0.0, |most: f64, d| most.max(*d));
    let weights = weights.into_iter().map(|d| if d < NOTHING * most { 0.0 } else { d }).collect();
    Ok(Mixture { weights, objective, gap, uniform, rounds, converged })
}

/// A weight below this share of the largest is 0: what it adds to the sum is less than the rounding of kernel values in single precision.
const NOTHING: f64 = 1e-8;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Vectors;

    #[test]
    fn terms_are_read_and_written() {
        let kernels = terms("?*rbf(gamma=1) + ?*(linear + 1)^2 + ?*linear @ columns(1)").unwrap();
        assert_eq!(kernels.len(), 3);
        assert_eq!(kernels[1].to_string(), "(linear + 1)^2");
        let sum = weighted(&kernels, &[0.25, 0.0, 0.5]).unwrap();
        assert_eq!(sum.to_string(), "0.25*rbf(gamma=1) + 0.5*(linear @ columns(1))");
        for refused in
            ["?*linear", "rbf(gamma=1) + ?*linear", "?*rbf(gamma=1) + linear", "?*rbg + ?*linear", ""]
        {
            assert!(terms(refused).is_err(), "{refused}");
        }
    }

    #[test]
    fn three_classes_have_one_sum_and_what_cannot_be_is_refused() {
        let x = Vectors::dense(2, (0..60).map(|i| (i as f64 * 1.3).sin() + f64::from(i % 3)).collect());
        let y = Labels::first_seen((0..30).map(|i| ["a", "b", "c"][(2 * i + 1) % 3]));
        let x: AnyPoints = x.into();
        let kernels = terms("?*rbf(gamma=0.5) + ?*rbf(gamma=5) + ?*linear").unwrap();
        for norm in [1.0, 2.0] {
            let given = MixtureTerms { norm, c: 3.0, ..MixtureTerms::default() };
            let found = mixture(&kernels, &x, &y, given).unwrap();
            assert!(
                found.converged && found.gap <= 1.01e-4 * found.objective && found.objective <= found.uniform
            );
        }
        let run = |kernels: &[AnyKernel], y: &Labels, given| mixture(kernels, &x, y, given);
        let default = MixtureTerms::default;
        assert!(run(&kernels[..1], &y, default()).is_err());
        assert!(run(&kernels, &y, MixtureTerms { norm: 0.5, ..default() }).is_err());
        assert!(run(&kernels, &y, MixtureTerms { c: f64::NAN, ..default() }).is_err());
        assert!(run(&kernels, &Labels::first_seen(vec!["a"; 30]), default()).is_err());
        assert!(run(&kernels, &y, MixtureTerms { memory: Some(1000), ..default() }).is_err());
        let open = terms("?*tanh(gamma=1) + ?*linear").unwrap();
        assert!(run(&open, &y, default()).unwrap_err().to_string().contains("positive semi-definite"));
        let ended =
            run(&kernels, &y, MixtureTerms { watch: Some(&mut |_| ControlFlow::Break(())), ..default() });
        assert!(matches!(ended.unwrap_err().kind(), ErrorKind::Interrupted));
    }
}
