use super::super::{Candidate, Search, evaluate};
use super::*;
use crate::data::{Labels, SplitMix, Vectors};
use crate::model::{AnyEstimator, AnyKernel, AnyPoints, Targets, Value};
use crate::select::{Layout, Metric, Ranking, Scheme, Split, Task, Truth};

/// Overlapping classes, drawn.
fn drawn(seed: u64, classes: usize, points: usize) -> (AnyPoints, Labels) {
    let mut random = SplitMix(seed);
    let (mut x, mut names) = (Vec::new(), Vec::new());
    for i in 0..points {
        let class = i % classes;
        for k in 0..3 {
            let noise = (0..4).map(|_| random.uniform()).sum::<f64>() - 2.0;
            x.push(if k == class % 3 { 1.2 } else { 0.0 } + 1.6 * noise);
        }
        names.push(["a", "b", "c", "d"][class]);
    }
    (Vectors::dense(3, x).into(), Labels::first_seen(names))
}

fn candidates(tolerance: f64) -> Vec<Candidate> {
    let mut all = Vec::new();
    for gamma in ["0.001", "0.05", "0.4", "8"] {
        for c in [0.03, 1.0, 30.0, 1000.0] {
            let kernel: AnyKernel = format!("rbf(gamma={gamma})").parse().unwrap();
            let mut estimator = AnyEstimator::new("svc", kernel.clone()).unwrap();
            estimator.set("c", &Value::Number(c)).unwrap();
            estimator.set("tolerance", &Value::Number(tolerance)).unwrap();
            all.push(Candidate { kernel, estimator });
        }
    }
    all
}

fn outcomes(
    data: &(AnyPoints, Labels),
    splits: &[Split],
    metric: Metric,
    tolerance: f64,
    search: Search<'_>,
) -> Vec<Option<Outcome>> {
    let (x, labels) = data;
    let (y, truth) = (Targets::Classes(labels.clone()), Truth::from(labels));
    let task = Task { x, y: &y, truth: Some(&truth), weights: &[], scale: None };
    evaluate(&candidates(tolerance), &task, splits, &[metric], search).unwrap()
}

#[test]
fn intervals_hold_the_scores_of_exact_fits_and_the_winner_is_theirs() {
    let (mut certified, mut dropped) = (0, 0);
    for seed in 0..8 {
        let classes = 2 + seed as usize % 3;
        let data = drawn(seed, classes, 72);
        let metric = if seed % 2 == 0 { Metric::Accuracy } else { Metric::BalancedAccuracy };
        let libsvm_ties = seed % 4 < 2;
        let layout = Layout { points: 72, labels: Some(&data.1), ..Layout::default() };
        let splits = Scheme::Folds(4).splits(&layout, 1, seed).unwrap();
        let exact = Search { libsvm_ties, ..Search::default() };
        let exact = outcomes(&data, &splits, metric, 1e-8, exact);
        let race = Search { race: true, libsvm_ties, ..Search::default() };
        let raced = outcomes(&data, &splits, metric, 1e-3, race);
        for (exact, raced) in exact.iter().zip(&raced) {
            let (exact, raced) = (exact.as_ref().unwrap(), raced.as_ref().unwrap());
            let (mean, proof) = (exact.mean(0).0, raced.proof.unwrap());
            assert!(proof.low <= mean && mean <= proof.high, "{seed}: {mean} in {proof:?}");
            let fitted = raced.scores[0].iter().filter(|score| score.is_finite()).count();
            assert_eq!(fitted, proof.fitted);
            assert!(proof.fitted == splits.len() || proof.dropped);
        }
        let best = Ranking::new(&raced, &[metric], 0).unwrap().best;
        let verdict = Verdict::new(&raced, best).unwrap();
        if verdict.certified {
            assert_eq!(best, Ranking::new(&exact, &[metric], 0).unwrap().best, "{seed}");
        }
        certified += usize::from(verdict.certified);
        dropped += verdict.dropped;
        assert!((0.0..1.0).contains(&verdict.saved) && (verdict.saved == 0.0 || verdict.dropped > 0));
    }
    assert!(certified >= 6 && dropped > 10, "{certified} certified, {dropped} dropped");
}

#[test]
fn a_race_is_the_same_in_little_memory() {
    let data = drawn(3, 3, 60);
    let layout = Layout { points: 60, labels: Some(&data.1), ..Layout::default() };
    let splits = Scheme::Folds(3).splits(&layout, 1, 0).unwrap();
    let run = |memory| {
        let search = Search { race: true, memory, ..Search::default() };
        outcomes(&data, &splits, Metric::Accuracy, 1e-3, search)
    };
    // Values of one kernel at a time: computed anew for each split.
    let words = |memory| format!("{:?}", run(memory));
    assert_eq!(words(None), words(Some(200_000)));
}

#[test]
fn what_cannot_be_raced_is_fitted_as_ever() {
    let data = drawn(1, 2, 40);
    let layout = Layout { points: 40, labels: Some(&data.1), ..Layout::default() };
    let splits = Scheme::Folds(2).splits(&layout, 1, 0).unwrap();
    for metric in [Metric::Matthews, Metric::Kappa] {
        let raced = outcomes(&data, &splits, metric, 1e-3, Search { race: true, ..Search::default() });
        assert!(raced.iter().flatten().all(|outcome| outcome.proof.is_none()));
        assert_eq!(Verdict::new(&raced, 0), None);
    }
}

#[test]
fn of_equal_scores_the_first_beats() {
    let proof = |low, high| Proof { low, high, fitted: 1, dropped: false };
    assert!(proof(0.5, 0.5).beats(0, &proof(0.5, 0.5), 1));
    assert!(!proof(0.5, 0.5).beats(1, &proof(0.5, 0.5), 0));
    assert!(proof(0.5, 0.6).beats(1, &proof(0.1, 0.4), 0));
    assert!(!proof(0.5, 0.6).beats(0, &proof(0.1, 0.55), 1));
}
