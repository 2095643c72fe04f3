use super::*;
use crate::data::Vectors;
use crate::kernel::{VectorExpr, linear, rbf};

fn points(n: usize) -> Vectors {
    let value = |i: usize, k: usize| ((i * (7 + 4 * k)) % 31) as f64 / 31.0 - 0.4 + 0.01 * (i as f64).sin();
    Vectors::dense(2, (0..n).flat_map(|i| [value(i, 0), value(i, 1)]).collect())
}

fn numbers(n: usize) -> Vec<f64> {
    (0..n).map(|i| 5.0 + ((i * 7) % 31) as f64 / 9.0 + 0.1 * ((i * 13) % 11) as f64).collect()
}

fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} where {expected} is expected");
}

#[test]
fn whole_weights_are_copies() {
    let (n, weights) = (25, |i: usize| [1, 3, 0, 2][i % 4]);
    let x = points(n);
    let copies: Vec<usize> = (0..n).flat_map(|i| vec![i; weights(i)]).collect();
    let y = numbers(n);
    let labels = Labels::first_seen((0..n).map(|i| ["a", "b", "c"][(i * i) % 7 % 3]));
    let weights: Vec<f64> = (0..n).map(|i| weights(i) as f64).collect();
    let job = || Job::new().weights(&weights);
    let copied = Rde::new(rbf(1.0));
    let copied_y: Vec<f64> = copies.iter().map(|&i| y[i]).collect();
    let same = |a: &RdeFit, b: &RdeFit| {
        // Copies agree in their target, and at n/2 of them nothing is left: cuts before that are compared.
        assert!(a.relevance.cuts.len() >= 8 && a.relevance.cuts.len() <= b.relevance.cuts.len());
        for (a, b) in a.relevance.cuts.iter().zip(&b.relevance.cuts).take(8) {
            assert_eq!(a.dimension, b.dimension);
            close(a.likelihood, b.likelihood, 1e-9);
            close(a.leave_one_out, b.leave_one_out, 1e-8);
        }
        close(a.relevance.without_cut, b.relevance.without_cut, 1e-12);
    };
    same(&copied.fit_in(&x, &y, &mut job()).unwrap(), &copied.fit(&x.select(&copies), &copied_y).unwrap());
    let of_labels = copied.fit_labels_in(&x, &labels, &mut job()).unwrap();
    let of_copies = copied.fit_labels(&x.select(&copies), &labels.select(&copies)).unwrap();
    same(&of_labels, &of_copies);
    assert_eq!(of_labels.relevance.targets.len(), 3);
}

#[test]
fn duplicate_points_in_any_order_give_the_same_answer() {
    let index: Vec<usize> = (0..60).map(|i| i % 12).collect();
    let order: Vec<usize> = (0..60).map(|i| (i * 37) % 60).collect();
    let x = points(12).select(&index);
    let labels =
        Labels::new(vec!["1".into(), "-1".into()], (0..60).map(|i| (i * i % 7 % 2) as u32).collect());
    let rde = Rde::new(rbf(2.0));
    let here = rde.fit_labels(&x, &labels).unwrap();
    let there = rde.fit_labels(&x.select(&order), &labels.select(&order)).unwrap();
    let classes = |labels: &Labels| labels.classes().to_vec();
    assert_eq!(classes(&labels), classes(&labels.select(&order)));
    assert!(here.relevance.cuts.last().unwrap().dimension <= 12);
    assert_eq!(here.relevance.dimension(), there.relevance.dimension());
    close(here.relevance.score(), there.relevance.score(), 1e-12);
    assert_eq!(here.noise, there.noise);
}

#[test]
fn shift_and_scale_of_the_targets_change_nothing_but_their_own() {
    let (x, y) = (points(40), numbers(40));
    let moved: Vec<f64> = y.iter().map(|y| 3.0 * y - 100.0).collect();
    let rde = Rde::new(rbf(1.0));
    let (here, there) = (rde.fit(&x, &y).unwrap(), rde.fit(&x, &moved).unwrap());
    assert_eq!(here.relevance.dimension(), there.relevance.dimension());
    close(there.noise.value(), 9.0 * here.noise.value(), 1e-10);
    let (Denoised::Numbers(here), Denoised::Numbers(there)) = (here.denoised, there.denoised) else {
        panic!("numbers stay numbers")
    };
    here.iter().zip(&there).for_each(|(a, b)| close(*b, 3.0 * a - 100.0, 1e-9));
}

#[test]
fn two_classes_are_one_target_of_signs() {
    let x = points(40);
    let signs: Vec<f64> =
        (0..40).map(|i| if x.row(i).get(0) * x.row(i).get(1) > 0.0 { 1.0 } else { -1.0 }).collect();
    let labels = Labels::first_seen(signs.iter().map(|y| if *y > 0.0 { "1" } else { "-1" })).libsvm_order();
    let found = Rde::among([0.1, 1.0, 10.0, 100.0].map(rbf)).fit_labels(&x, &labels).unwrap();
    assert_eq!(found.relevance.targets.len(), 1);
    let target = &found.relevance.targets[0];
    let flips = signs.iter().zip(&target.denoised).filter(|(y, value)| *y * *value < 0.0).count();
    assert_eq!(found.noise, Noise::Flips(flips as f64 / 40.0));
    let Denoised::Classes(classes) = &found.denoised else { panic!("classes stay classes") };
    for (i, value) in target.denoised.iter().enumerate() {
        assert_eq!(classes.name(i), if *value < 0.0 { "-1" } else { "1" });
    }
    // The chosen kernel has the least score.
    let scores: Vec<f64> = found.trials.iter().map(|trial| trial.unwrap().score).collect();
    assert!(scores.iter().all(|score| *score >= scores[found.chosen]));
    close(found.relevance.score(), scores[found.chosen], 0.0);
}

#[test]
fn a_kernel_among_others_is_found_as_alone() {
    let (x, y) = (points(30), numbers(30));
    let kernels = [rbf(0.1), rbf(3.0), linear(), rbf(1e9)];
    let all = Rde::among(kernels.clone()).fit(&x, &y).unwrap();
    assert_eq!(all.trials[3], None, "a Gram matrix that is the identity");
    let alone = Rde::new(kernels[all.chosen].clone()).fit(&x, &y).unwrap();
    assert_eq!(alone.relevance, all.relevance);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(one.install(|| Rde::among(kernels).fit(&x, &y)).unwrap(), all);
}

#[test]
fn what_cannot_be_used_is_refused() {
    let (x, y) = (points(20), numbers(20));
    let message = |result: Result<RdeFit>| result.unwrap_err().to_string();
    let rde = || Rde::new(rbf(1.0));
    assert_eq!(message(rde().fit(&points(0), &[])), "no rows");
    assert_eq!(message(rde().fit(&x, &y[1..])), "targets = 19: must be one per point");
    let mut bad = y.clone();
    bad[3] = f64::NAN;
    assert_eq!(message(rde().fit(&x, &bad)), "row 4, column 1: not a finite number");
    let none: [VectorExpr; 0] = [];
    assert_eq!(message(Rde::among(none).fit(&x, &y)), "kernels = 0: must be one or more");
    assert!(
        message(Rde::new(rbf(1e12)).fit(&x, &y)).starts_with("the Gram matrix has no leading eigenvalues")
    );
    assert!(
        message(Rde::new(rbf(1.0)).fit(&points(1), &y[..1])).starts_with("the Gram matrix has no leading")
    );
    assert!(
        message(rde().fit_in(&x, &y, &mut Job::new().memory(1000)))
            .starts_with("an eigendecomposition needs")
    );
    let one = Labels::first_seen(["a"; 20]);
    assert_eq!(message(rde().fit_labels(&x, &one)), "only one class, 'a'; at least two are needed");
    let huge = Vectors::dense(1, (0..20).map(|i| 1e200 * f64::from(i)).collect());
    assert!(message(Rde::new(linear()).fit(&huge, &y)).contains("not finite"));
    let refused = rde().fit_in(&x, &y, &mut Job::new().weights(&[-1.0; 20]));
    assert_eq!(message(refused), "weights of points: none may be negative or infinite, or no number");
    let mut stop = |_: crate::model::Event<'_>| std::ops::ControlFlow::Break(());
    assert!(matches!(
        rde().fit_in(&x, &y, &mut Job::new().watched(&mut stop)).unwrap_err().kind(),
        ErrorKind::Interrupted
    ));
}

#[test]
fn constant_columns_and_constant_targets_are_no_panic() {
    let x = Vectors::dense(2, (0..20).flat_map(|i| [f64::from(i), 1.0]).collect());
    let found = Rde::new(rbf(0.01)).fit(&x, &[2.0; 20]).unwrap();
    assert_eq!(found.noise.value(), 0.0);
    let Denoised::Numbers(values) = found.denoised else { panic!("numbers stay numbers") };
    values.iter().for_each(|value| close(*value, 2.0, 1e-12));
}
