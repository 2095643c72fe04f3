//! Probabilities of many classes from those of their pairs.
//!
//! rᵢⱼ is the probability of class i where only i and j can be. The p that agree with them best minimise
//! ½ Σᵢ Σⱼ≠ᵢ (rⱼᵢ pᵢ − rᵢⱼ pⱼ)² = pᵀQp with Σp = 1, where Qₜₜ = Σⱼ≠ₜ rⱼₜ² and Qₜⱼ = −rⱼₜ rₜⱼ (the second method of
//! Wu, Lin and Weng 2004). At the minimum all entries of Qp are equal; no p is negative there, without asking for it.
//!
//! [`couple`] solves that: (Q + eeᵀ) u = e has u proportional to p, and Q + eeᵀ is positive definite, since what Q sends to
//! nothing has one sign. Cost: k³/3 for k classes. [`couple_as_libsvm`] stops on the way there, where LIBSVM does.

use crate::model::svm::pairs;

/// Probabilities of pairs are kept this far from 0 and 1, as LIBSVM keeps them: a pair that is certain would outvote
/// all others.
pub const MARGIN: f64 = 1e-7;

/// LIBSVM's tolerance on the entries of Qp, times k.
const LIBSVM_TOLERANCE: f64 = 0.005;
/// LIBSVM's sweeps at most, but for more classes than this.
const LIBSVM_SWEEPS: usize = 100;

/// The probabilities of `classes` classes that agree best with `pairwise`: rᵢⱼ for i < j, in the order of
/// [`pairs`].
///
/// ```
/// use mercer::model::probability::couple;
///
/// // r = pᵢ/(pᵢ + pⱼ) of p = (½, ⅓, ⅙) contradict each other nowhere.
/// let p = couple(&[0.6, 0.75, 2.0 / 3.0], 3);
/// assert!(p.iter().zip([1.0 / 2.0, 1.0 / 3.0, 1.0 / 6.0]).all(|(p, exact)| (p - exact).abs() < 1e-12));
/// ```
///
/// # Panics
/// If there is not one probability a pair.
#[must_use]
pub fn couple(pairwise: &[f64], classes: usize) -> Vec<f64> {
    let r = clipped(pairwise, classes);
    if let [first] = r[..] {
        return vec![first, 1.0 - first];
    }
    let q = form(&r, classes);
    let shifted = q.iter().map(|entry| entry + 1.0).collect();
    let mut p = solved(shifted, classes);
    // Rounding alone can bring one below zero.
    p.iter_mut().for_each(|p| *p = p.max(0.0));
    let sum: f64 = p.iter().sum();
    p.iter_mut().for_each(|p| *p /= sum);
    p
}

/// Coupled probabilities as far as LIBSVM goes: from 1/k each, sweeps of pₜ ← pₜ + (pᵀQp − (Qp)ₜ)/Qₜₜ, p ← p/Σp, until all entries of Qp
/// are within 0.005/k of pᵀQp. Where a LIBSVM model's probabilities are to come out digit by digit.
///
/// # Panics
/// If there is not one probability a pair.
#[must_use]
pub fn couple_as_libsvm(pairwise: &[f64], classes: usize) -> Vec<f64> {
    let r = clipped(pairwise, classes);
    if let [first] = r[..] {
        return vec![first, 1.0 - first];
    }
    swept(&form(&r, classes), classes, LIBSVM_TOLERANCE / classes as f64, LIBSVM_SWEEPS.max(classes))
}

fn clipped(pairwise: &[f64], classes: usize) -> Vec<f64> {
    assert_eq!(pairwise.len(), classes * classes.saturating_sub(1) / 2, "every pair has a probability");
    pairwise.iter().map(|r| r.clamp(MARGIN, 1.0 - MARGIN)).collect()
}

/// Q, row after row.
fn form(r: &[f64], classes: usize) -> Vec<f64> {
    let mut q = vec![0.0; classes * classes];
    for ((i, j), &r) in pairs(classes).into_iter().zip(r) {
        let other = 1.0 - r;
        q[i * classes + i] += other * other;
        q[j * classes + j] += r * r;
        q[i * classes + j] = -r * other;
        q[j * classes + i] = -r * other;
    }
    q
}

/// The solution of M u = e for a positive definite M, by Cholesky's M = LLᵀ.
fn solved(mut m: Vec<f64>, size: usize) -> Vec<f64> {
    let dot = |m: &[f64], i: usize, j: usize, length: usize| -> f64 {
        (0..length).map(|k| m[i * size + k] * m[j * size + k]).sum()
    };
    for i in 0..size {
        for j in 0..i {
            m[i * size + j] = (m[i * size + j] - dot(&m, i, j, j)) / m[j * size + j];
        }
        m[i * size + i] = (m[i * size + i] - dot(&m, i, i, i)).sqrt();
    }
    let mut u = vec![1.0; size];
    for i in 0..size {
        let known: f64 = (0..i).map(|k| m[i * size + k] * u[k]).sum();
        u[i] = (u[i] - known) / m[i * size + i];
    }
    for i in (0..size).rev() {
        let known: f64 = (i + 1..size).map(|k| m[k * size + i] * u[k]).sum();
        u[i] = (u[i] - known) / m[i * size + i];
    }
    u
}

/// p after sweeps over its entries, each set to its best and all scaled to sum to 1.
fn swept(q: &[f64], classes: usize, tolerance: f64, sweeps: usize) -> Vec<f64> {
    let mut p = vec![1.0 / classes as f64; classes];
    for _ in 0..sweeps {
        // Anew in each sweep: the updates below gather rounding.
        let mut qp: Vec<f64> =
            q.chunks(classes.max(1)).map(|row| row.iter().zip(&p).map(|(q, p)| q * p).sum()).collect();
        let mut pqp: f64 = p.iter().zip(&qp).map(|(p, qp)| p * qp).sum();
        if qp.iter().all(|entry| (entry - pqp).abs() < tolerance) {
            break;
        }
        for t in 0..classes {
            let row = &q[t * classes..(t + 1) * classes];
            let step = (pqp - qp[t]) / row[t];
            let sum = 1.0 + step;
            p[t] += step;
            pqp = (pqp + step * (step * row[t] + 2.0 * qp[t])) / sum / sum;
            for j in 0..classes {
                qp[j] = (qp[j] + step * row[j]) / sum;
                p[j] /= sum;
            }
        }
    }
    p
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Σᵢ Σⱼ≠ᵢ (rⱼᵢ pᵢ − rᵢⱼ pⱼ)² as it reads, r as a full matrix.
    fn disagreement(r: &[Vec<f64>], p: &[f64]) -> f64 {
        let k = p.len();
        let one = |i: usize, j: usize| if i == j { 0.0 } else { (r[j][i] * p[i] - r[i][j] * p[j]).powi(2) };
        (0..k).flat_map(|i| (0..k).map(move |j| (i, j))).map(|(i, j)| one(i, j)).sum()
    }

    fn matrix(pairwise: &[f64], k: usize) -> Vec<Vec<f64>> {
        let mut r = vec![vec![0.5; k]; k];
        for ((i, j), &value) in pairs(k).into_iter().zip(pairwise) {
            (r[i][j], r[j][i]) = (value, 1.0 - value);
        }
        r
    }

    /// The minimum over the simplex by moving mass between two classes at a time to where it is best, over and over.
    fn by_exchange(r: &[Vec<f64>]) -> Vec<f64> {
        let k = r.len();
        let mut p = vec![1.0 / k as f64; k];
        for _ in 0..5_000 {
            for i in 0..k {
                for j in (0..k).filter(|&j| j != i) {
                    let at = |move_: f64, p: &[f64]| {
                        let mut p = p.to_vec();
                        p[i] += move_;
                        p[j] -= move_;
                        disagreement(r, &p)
                    };
                    // A parabola through three values has its minimum here.
                    let (low, middle, high) = (at(-0.5, &p), at(0.0, &p), at(0.5, &p));
                    let best = 0.25 * (low - high) / (low - 2.0 * middle + high);
                    let best = best.clamp(-p[i], p[j]);
                    p[i] += best;
                    p[j] -= best;
                }
            }
        }
        p
    }

    fn random_pairs(range: std::ops::Range<f64>) -> impl Strategy<Value = (usize, Vec<f64>)> {
        (3..8_usize).prop_flat_map(move |k| (Just(k), prop::collection::vec(range.clone(), k * (k - 1) / 2)))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        #[test]
        fn the_minimum_is_the_one_found_by_exchange((k, pairwise) in random_pairs(0.02..0.98)) {
            let p = couple(&pairwise, k);
            for (ours, exact) in p.iter().zip(by_exchange(&matrix(&pairwise, k))) {
                // The parabolas are exact but for the rounding of their three values.
                prop_assert!((ours - exact).abs() < 1e-8, "{ours} {exact}");
            }
        }
    }

    proptest! {
        #[test]
        fn sweeps_end_at_the_same_minimum((k, pairwise) in random_pairs(0.0..1.0)) {
            let q = form(&clipped(&pairwise, k), k);
            let exact = couple(&pairwise, k);
            for (ours, swept) in exact.iter().zip(swept(&q, k, 1e-13, 100_000)) {
                prop_assert!((ours - swept).abs() < 1e-7, "{ours} {swept}");
            }
            // LIBSVM stops where Qp is even to 0.005/k, some way off.
            for (ours, theirs) in exact.iter().zip(couple_as_libsvm(&pairwise, k)) {
                prop_assert!((ours - theirs).abs() < 0.05, "{ours} {theirs}");
            }
        }

        #[test]
        fn probabilities_that_contradict_nothing_come_back(
            weights in prop::collection::vec(0.05..1.0_f64, 3..12)
        ) {
            let sum: f64 = weights.iter().sum();
            let pairwise: Vec<f64> =
                pairs(weights.len()).iter().map(|&(i, j)| weights[i] / (weights[i] + weights[j])).collect();
            for (p, weight) in couple(&pairwise, weights.len()).iter().zip(&weights) {
                prop_assert!((p - weight / sum).abs() < 1e-12);
            }
        }

        #[test]
        fn probabilities_sum_to_one_and_none_is_negative(
            choices in prop::collection::vec(prop::sample::select(vec![0.0, 1e-9, 0.5, 1.0 - 1e-9, 1.0]), 45)
        ) {
            // Certain, contradictory and even pairs, ten classes.
            for p in [couple(&choices, 10), couple_as_libsvm(&choices, 10)] {
                prop_assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                prop_assert!(p.iter().all(|p| (0.0..=1.0).contains(p)), "{p:?}");
            }
        }
    }

    #[test]
    fn a_class_that_is_certain_in_each_pair_is_certain() {
        // Class 2 of four.
        let p = couple(&[0.5, 0.0, 0.5, 0.0, 0.5, 1.0], 4);
        assert!(p[2] > 1.0 - 1e-6, "{p:?}");
    }

    #[test]
    fn two_classes_are_their_pair_and_one_is_certain() {
        assert_eq!(couple(&[0.25], 2), [0.25, 0.75]);
        assert_eq!(couple(&[0.0], 2), [MARGIN, 1.0 - MARGIN]);
        assert_eq!(couple_as_libsvm(&[0.25], 2), [0.25, 0.75]);
        assert_eq!(couple(&[], 1), [1.0]);
        assert_eq!(couple_as_libsvm(&[], 1), [1.0]);
        assert_eq!((couple(&[], 0), couple_as_libsvm(&[], 0)), (vec![], vec![]));
    }
}
