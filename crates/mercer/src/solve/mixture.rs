//! Weights of a sum of kernels, learned together with the machines on it (multiple kernel learning).
//!
//! minimise over d ≥ 0, ‖d‖_p ≤ 1 the optimum J(d) of C-SVC with the kernel Σ dₘkₘ, of several pairs of classes their sum. With Sₘ = Σ βᵀKₘβ over
//! the pairs the dual is: maximise Σ yᵀβ − ½ ‖S‖_q, 1/p + 1/q = 1 (p = 1: the largest Sₘ). So for every d and every feasible β
//!
//! > Σ yᵀβ − ½‖S‖_q ≤ J* ≤ Σ P_d(w, b),
//!
//! and the difference is the gap. For fixed β the best weights are dₘ ∝ ‖wₘ‖^{2/(p+1)} with ‖wₘ‖² = dₘ²Sₘ (Kloft, Brefeld, Sonnenburg and Zien
//! 2011): machines and weights are solved in turn, each machine from its last answer, and J falls in every round. Cost of a round: M n² for the sum and the Sₘ, and
//! the machines. Memory: 8 M n² bytes.

use std::ops::ControlFlow;

use super::path::{Path, Side, Values};

/// Rounds after which the weights are taken as they are.
const ROUNDS: usize = 1000;
/// The violation that machines are solved to, at first and at last, and by how much it falls with the gap.
const TOLERANCE: (f64, f64, f64) = (1e-3, 1e-9, 1e-2);
/// Steps of one machine.
const STEPS: u64 = 10_000_000;

/// A machine: some of the points, what they are to it, and the price of each.
pub(crate) struct Machine {
    pub(crate) index: Vec<usize>,
    pub(crate) sides: Vec<Side>,
    pub(crate) prices: Vec<f64>,
}

/// The weights found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mixed {
    pub(crate) weights: Vec<f64>,
    /// The primal objective with these weights, and how far above the best of all weights it is at most.
    pub(crate) objective: f64,
    pub(crate) gap: f64,
    /// The objective with equal weights of the same norm.
    pub(crate) uniform: f64,
    pub(crate) rounds: usize,
    pub(crate) converged: bool,
}

/// Learns the weights of matrices of n² values each, until the gap is at most a share `tolerance` of the objective. None where a machine cannot be
/// solved in this precision, or `tick`, told the gap as a share, breaks.
pub(crate) fn mix(
    matrices: &[Vec<f64>],
    n: usize,
    machines: &[Machine],
    norm: f64,
    tolerance: f64,
    tick: &mut dyn FnMut(f64) -> ControlFlow<()>,
) -> Option<Mixed> {
    let count = matrices.len();
    let mut weights = vec![(count as f64).powf(-1.0 / norm); count];
    let mut coefficients: Vec<Vec<f64>> =
        machines.iter().map(|machine| vec![0.0; machine.index.len()]).collect();
    let (mut best, mut uniform, mut least) = (None::<Mixed>, f64::NAN, f64::NEG_INFINITY);
    let mut inner = TOLERANCE.0;
    for round in 1..=ROUNDS {
        let mut sum = vec![0.0; n * n];
        for (matrix, &weight) in matrices.iter().zip(&weights).filter(|(_, weight)| **weight > 0.0) {
            sum.iter_mut().zip(matrix).for_each(|(sum, value)| *sum += weight * value);
        }
        let whole = Values::double(&(0..n).map(|i| sum[i * n + i]).collect::<Vec<_>>(), sum);
        let (mut upper, mut linear, mut squares) = (0.0, 0.0, vec![0.0; count]);
        for (machine, beta) in machines.iter().zip(&mut coefficients) {
            let part = whole.part(&machine.index);
            let mut path = Path::new(&part, &machine.sides, machine.prices.clone());
            path.go_to(1.0, beta);
            if !path.solve(1.0, inner, STEPS) {
                return None;
            }
            path.refresh();
            beta.clone_from(&path.beta);
            let (objective, own) = path.objective();
            upper += path.standing().gap - objective;
            linear += own;
            for (square, matrix) in squares.iter_mut().zip(matrices) {
                *square += quadratic(matrix, n, &machine.index, beta);
            }
        }
        if round == 1 {
            uniform = upper;
        }
        least = f64::max(least, linear - 0.5 * dual_norm(&squares, norm));
        if best.as_ref().is_none_or(|best| upper < best.objective) {
            let weights = weights.clone();
            best = Some(Mixed { weights, objective: upper, gap: 0.0, uniform, rounds: 0, converged: false });
        }
        let found = best.as_mut()?;
        (found.gap, found.rounds) = ((found.objective - least).max(0.0), round);
        let share = found.gap / found.objective.abs().max(f64::MIN_POSITIVE);
        found.converged = share <= tolerance;
        if found.converged {
            break;
        }
        if tick(share).is_break() {
            return None;
        }
        inner = inner.min(TOLERANCE.2 * share).max(TOLERANCE.1);
        let mut next: Vec<f64> = weights
            .iter()
            .zip(&squares)
            .map(|(d, s)| (d * d * s.max(0.0)).powf(1.0 / (norm + 1.0)))
            .collect();
        let size = next.iter().map(|d| d.powf(norm)).sum::<f64>().powf(1.0 / norm);
        if size.is_nan() || size <= 0.0 {
            break;
        }
        next.iter_mut().for_each(|d| *d /= size);
        weights = next;
    }
    best
}

/// βᵀKβ over the points at `index`.
fn quadratic(matrix: &[f64], n: usize, index: &[usize], beta: &[f64]) -> f64 {
    let support: Vec<(usize, f64)> =
        index.iter().copied().zip(beta.iter().copied()).filter(|(_, beta)| *beta != 0.0).collect();
    let row = |&(i, b): &(usize, f64)| {
        let row = &matrix[i * n..(i + 1) * n];
        b * support.iter().map(|&(j, beta)| beta * row[j]).sum::<f64>()
    };
    support.iter().map(row).sum()
}

/// ‖S‖_q with 1/p + 1/q = 1.
fn dual_norm(squares: &[f64], p: f64) -> f64 {
    let most = squares.iter().fold(0.0, |most: f64, s| most.max(*s));
    if p == 1.0 || most == 0.0 {
        return most;
    }
    let q = p / (p - 1.0);
    most * squares.iter().map(|s| (s.max(0.0) / most).powf(q)).sum::<f64>().powf(1.0 / q)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two classes on two features, and three kernels, by the formulas of `tests/mkl/make_answers.py`.
    fn problem(seed: f64) -> (Vec<bool>, Vec<Vec<f64>>) {
        let n = 30;
        let x: Vec<[f64; 2]> = (0..n)
            .map(|i| i as f64)
            .map(|i| [(1.7 * i + seed).sin() * 2.0, (2.3 * i * (1.0 + seed)).cos()])
            .collect();
        let positive = |i: usize| x[i][0] * x[i][1] + 0.5 * (5.0 * i as f64).sin() + 0.3 * x[i][0] > 0.0;
        let value = |kernel: usize, i: usize, j: usize| {
            let square = (x[i][0] - x[j][0]).powi(2) + (x[i][1] - x[j][1]).powi(2);
            match kernel {
                0 => (-square).exp(),
                1 => (-0.1 * square).exp(),
                _ => x[i][0] * x[j][0] + x[i][1] * x[j][1],
            }
        };
        let matrix = |kernel| (0..n * n).map(|at| value(kernel, at / n, at % n)).collect();
        ((0..n).map(positive).collect(), (0..3).map(matrix).collect())
    }

    #[test]
    fn objectives_are_those_of_another_solver() {
        let text = include_str!("../../tests/mkl/answers.json");
        let answers: serde_json::Value = serde_json::from_str(text).unwrap();
        for answer in answers.as_array().unwrap() {
            let number = |name: &str| answer[name].as_f64().unwrap();
            let (positive, matrices) = problem(number("seed"));
            let sides = positive.iter().map(|&p| if p { Side::Positive } else { Side::Negative }).collect();
            let machine = Machine { index: (0..30).collect(), sides, prices: vec![number("c"); 30] };
            let found = mix(&matrices, 30, &[machine], number("p"), 1e-6, &mut |_| ControlFlow::Continue(()));
            let (found, expected) = (found.unwrap(), number("objective"));
            assert!(found.converged, "{answer}: {found:?}");
            assert!((found.objective - expected).abs() <= 1e-5 * expected, "{answer}: {found:?}");
            assert!(found.gap >= 0.0 && found.gap <= 1e-6 * expected * 1.01, "{found:?}");
            assert!(found.uniform >= found.objective - 1e-9 * expected);
            let p = number("p");
            let size = found.weights.iter().map(|d| d.powf(p)).sum::<f64>().powf(1.0 / p);
            assert!((size - 1.0).abs() < 1e-12 && found.weights.iter().all(|d| *d >= 0.0));
        }
    }

    #[test]
    fn a_kernel_that_is_there_twice_shares_its_weight_and_one_of_zeros_gets_none() {
        let (positive, mut matrices) = problem(1.0);
        matrices[1] = matrices[0].clone();
        matrices[2] = vec![0.0; 900];
        let sides: Vec<Side> =
            positive.iter().map(|&p| if p { Side::Positive } else { Side::Negative }).collect();
        let machine = Machine { index: (0..30).collect(), sides, prices: vec![1.0; 30] };
        let found = mix(&matrices, 30, &[machine], 1.0, 1e-6, &mut |_| ControlFlow::Continue(())).unwrap();
        assert!((found.weights[0] - found.weights[1]).abs() < 1e-9 && found.weights[2] == 0.0, "{found:?}");
    }

    #[test]
    fn a_caller_can_end_it() {
        let (positive, matrices) = problem(0.0);
        let sides = positive.iter().map(|&p| if p { Side::Positive } else { Side::Negative }).collect();
        let machine = Machine { index: (0..30).collect(), sides, prices: vec![1.0; 30] };
        assert_eq!(mix(&matrices, 30, &[machine], 1.0, 1e-6, &mut |_| ControlFlow::Break(())), None);
    }
}
