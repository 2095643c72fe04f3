//! The kernel perceptron against its definition, and its mistake bound.

use mercer::data::{Labels, Points, Vectors};
use mercer::kernel::{TextExpr, VectorExpr, rbf};
use mercer::model::{Estimator, Job, Perceptron, PerceptronModel, Quality, Svc};

fn data(n: usize, noise: f64) -> (Vectors, Labels) {
    let value = |i: usize, k: f64| (i as f64 * k).sin() * noise + (i % 3) as f64 * 1.5;
    let x = Vectors::dense(2, (0..n).flat_map(|i| [value(i, 0.7), value(i * i % 97, 1.9)]).collect());
    (x, Labels::first_seen((0..n).map(|i| ["a", "b", "c"][i % 3])))
}

/// β of every point and class, and the corrections, by the rule written out: the points in the order of the data, the mean
/// over every presentation where `average`.
fn by_hand(x: &Vectors, y: &Labels, gamma: f64, passes: usize, average: bool) -> (Vec<Vec<f64>>, u64) {
    let (n, classes) = (x.len(), y.classes().len());
    let kernel = rbf(gamma);
    let k = |i: usize, j: usize| kernel.value(x.row(i), x.row(j)) + 1.0;
    let (mut beta, mut sum) = (vec![vec![0.0; classes]; n], vec![vec![0.0; classes]; n]);
    let (mut presented, mut updates) = (0.0, 0);
    for _ in 0..passes {
        let before = updates;
        for i in 0..n {
            let score = |c: usize| (0..n).map(|j| beta[j][c] * k(j, i)).sum::<f64>();
            let scores: Vec<f64> = (0..classes).map(score).collect();
            let class = y.index()[i] as usize;
            let mut best = if class == 0 { 1 } else { 0 };
            for c in (0..classes).filter(|&c| c != class) {
                if scores[c] > scores[best] {
                    best = c;
                }
            }
            if scores[best] >= scores[class] {
                beta[i][class] += 1.0;
                beta[i][best] -= 1.0;
                updates += 1;
            }
            // The functions after each presentation are averaged.
            beta.iter().zip(&mut sum).for_each(|(b, s)| s.iter_mut().zip(b).for_each(|(s, b)| *s += b));
            presented += 1.0;
        }
        if updates == before {
            break;
        }
    }
    if average {
        sum.iter_mut().flatten().for_each(|s| *s /= presented);
        return (sum, updates);
    }
    (beta, updates)
}

fn coefficients(model: &PerceptronModel<Vectors, VectorExpr>, n: usize) -> Vec<Vec<f64>> {
    let classes = model.classes.len();
    let mut all = vec![vec![0.0; classes]; n];
    let rows = model.expansion.coefficients().first_block().chunks(classes);
    model.support.iter().zip(rows).for_each(|(&i, row)| all[i] = row.to_vec());
    all
}

#[test]
fn the_rule_written_out_gives_the_same_coefficients() {
    for (noise, passes) in [(0.3, 20), (2.5, 4)] {
        let (x, y) = data(60, noise);
        for average in [false, true] {
            let perceptron = Perceptron::new(rbf(0.8)).passes(passes).average(average).seed(None);
            let model = perceptron.fit(&x, &y).unwrap();
            let (expected, updates) = by_hand(&x, &y, 0.8, passes, average);
            assert_eq!(model.updates, updates);
            for (found, expected) in coefficients(&model, 60).iter().flatten().zip(expected.iter().flatten())
            {
                assert!((found - expected).abs() < 1e-9, "{found} {expected}");
            }
        }
    }
}

#[test]
fn mistakes_on_separable_data_stay_below_the_bound() {
    for seed in 0..20 {
        let value = |i: u64, k: f64| ((i + 31 * seed) as f64 * k).sin();
        let side = |i: u64| if i.is_multiple_of(2) { 1.5 } else { -1.5 };
        let x = Vectors::dense(2, (0..80).flat_map(|i| [value(i, 1.1) + side(i), value(i, 2.3)]).collect());
        let y = Labels::first_seen((0..80).map(|i: u64| if i.is_multiple_of(2) { "+" } else { "-" }));
        let kernel = rbf(0.5);
        // Without an offset the hard margin is 1/‖w‖, and ‖w‖² = βᵀKβ = −2 · objective.
        let hard =
            Svc::new(kernel.clone()).c(f64::INFINITY).offset(false).tolerance(1e-6).fit(&x, &y).unwrap();
        let square_norm = -2.0 * hard.certificates[0].objective;
        let perceptron = Perceptron::new(kernel).offset(false).average(false).passes(10_000).seed(seed);
        let model = perceptron.fit(&x, &y).unwrap();
        // k(x, x) = 1. The difference of the two functions moves by 2φ(x) at a mistake, which changes nothing in the bound.
        assert!(model.updates as f64 <= square_norm * (1.0 + 1e-3), "{} {square_norm}", model.updates);
        assert_eq!(model.mistakes.last(), Some(&0.0));
        let right = model.predict(&x).unwrap().iter().enumerate().all(|(i, class)| *class == y.name(i));
        assert!(right && model.updates > 0);
    }
}

#[test]
fn a_budget_is_kept_and_classes_are_still_told_apart() {
    let (x, y) = data(300, 0.7);
    let right = |model: &PerceptronModel<Vectors, VectorExpr>| {
        model.predict(&x).unwrap().iter().enumerate().filter(|(i, class)| **class == y.name(*i)).count()
    };
    let free = Perceptron::new(rbf(0.8)).fit(&x, &y).unwrap();
    for average in [false, true] {
        let kept = Perceptron::new(rbf(0.8)).average(average).budget(12).fit(&x, &y).unwrap();
        let (all, few) = (free.support.len(), kept.support.len());
        assert!(all > 12 && few <= 12, "{all} {few}");
        assert!(right(&kept) > 150 && right(&free) > 250, "{} and {} of 300", right(&kept), right(&free));
    }
    assert!(Perceptron::new(rbf(0.8)).budget(2).fit(&x, &y).unwrap_err().to_string().contains("budget = 2"));
}

#[test]
fn a_whole_weight_is_so_many_copies_in_a_row() {
    let (x, y) = data(60, 2.0);
    let weights: Vec<f64> = (0..60).map(|i| f64::from(i % 4)).collect();
    let copies: Vec<usize> = (0..60).flat_map(|i| std::iter::repeat_n(i, i % 4)).collect();
    for average in [false, true] {
        let perceptron = Perceptron::new(rbf(0.8)).average(average).passes(5).seed(None);
        let a = perceptron.fit_weighted(&x, &y, &weights).unwrap();
        let b = perceptron.fit(&x.select(&copies), &y.select(&copies)).unwrap();
        let (f, g) = (a.expansion.decisions(&x).unwrap(), b.expansion.decisions(&x).unwrap());
        assert!(f.values().iter().zip(g.values()).all(|(f, g)| (f - g).abs() < 1e-5 * g.abs().max(1.0)));
        assert_eq!(a.updates, b.updates);
    }
}

#[test]
fn the_bits_do_not_depend_on_the_number_of_threads_but_on_the_seed() {
    let (x, y) = data(200, 2.0);
    let fit = |threads: usize, seed: u64| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Perceptron::new(rbf(0.8)).seed(seed).fit(&x, &y).unwrap())
    };
    assert!(fit(1, 3) == fit(3, 3) && fit(1, 3) != fit(1, 4));
}

#[test]
fn texts_are_learnt_and_bad_settings_refused() {
    let x: Vec<String> = (0..40).map(|i| ["abab", "bcbc"][i % 2].repeat(1 + i % 3)).collect();
    let y = Labels::first_seen((0..40).map(|i| ["first", "second"][i % 2]));
    let kernel: TextExpr = "normalized(spectrum(p=2))".parse().unwrap();
    let model = Perceptron::new(kernel).fit(&x, &y).unwrap();
    assert_eq!(model.predict(&vec!["ababab".to_owned(), "cbcb".to_owned()]).unwrap(), ["first", "second"]);
    assert_eq!(model.mistakes.last(), Some(&0.0));

    let (x, y) = data(30, 1.0);
    let message = |p: Perceptron<VectorExpr>| p.fit(&x, &y).unwrap_err().to_string();
    assert_eq!(message(Perceptron::new(rbf(1.0)).passes(0)), "passes = 0: must be at least 1");
    assert_eq!(message(Perceptron::new(rbf(1.0)).budget(0)), "budget = 0: must be at least 1");
    let mut calls = 0;
    let mut watch = |_: mercer::model::Event<'_>| {
        calls += 1;
        std::ops::ControlFlow::Break(())
    };
    let perceptron = Perceptron::new(rbf(1.0));
    let model = perceptron.fit_in(&x, &y, &mut Job::new().watched(&mut watch)).unwrap();
    assert_eq!((model.mistakes.len(), calls), (1, 1));
    assert!(matches!(mercer::model::Model::quality(&model), Quality::Mistakes { .. }));
}
