//! Kernel PCA against its definition.

use std::ops::ControlFlow;

use super::{Pca, PcaModel};
use crate::data::{Points, Vectors};
use crate::error::ErrorKind;
use crate::kernel::{VectorExpr, linear, rbf};
use crate::model::{Estimator, Event, Job};

fn points(n: usize) -> Vectors {
    Vectors::dense(3, (0..3 * n).map(|i| ((i * i * 7919 + 3 * i) % 1009) as f64 / 504.5 - 1.0).collect())
}

/// K̃ by equation 27 of lecture 001, from the definition of the kernel, with every point w times.
fn centred(kernel: &VectorExpr, x: &Vectors) -> Vec<Vec<f64>> {
    let n = x.len();
    let k = |i: usize, j: usize| kernel.value(x.row(i), x.row(j));
    let mean = |i: usize| (0..n).map(|l| k(l, i)).sum::<f64>() / n as f64;
    let means: Vec<f64> = (0..n).map(mean).collect();
    let all = means.iter().sum::<f64>() / n as f64;
    (0..n).map(|i| (0..n).map(|j| k(i, j) - means[j] - means[i] + all).collect()).collect()
}

fn column(model: &PcaModel<Vectors, VectorExpr>, c: usize) -> Vec<f64> {
    model.coefficients().chunks(model.components()).map(|row| row[c]).collect()
}

#[test]
fn components_are_eigenvectors_of_the_centred_matrix_and_of_length_one() {
    for (n, count, kernel) in [(60, 12, rbf(1.5)), (60, 59, rbf(4.0)), (600, 7, rbf(6.0))] {
        let x = points(n);
        let model = Pca::new(kernel.clone()).components(count).fit(&x).unwrap();
        let matrix = centred(&kernel, &x);
        assert_eq!(model.components(), count);
        assert!(model.residual < 1e-12, "{}", model.residual);
        let trace: f64 = (0..n).map(|i| matrix[i][i]).sum();
        assert!((model.total - trace).abs() < 1e-11 * trace);
        for (c, value) in model.eigenvalues.iter().enumerate() {
            let alpha = column(&model, c);
            let square: f64 = alpha.iter().map(|a| a * a).sum();
            assert!((value * square - 1.0).abs() < 1e-10, "{n} {c}: λ α·α = {}", value * square);
            assert!(alpha.iter().sum::<f64>().abs() < 1e-12 * square.sqrt() * n as f64, "{n} {c}");
            for (i, row) in matrix.iter().enumerate() {
                let product: f64 = row.iter().zip(&alpha).map(|(k, a)| k * a).sum();
                assert!((product - value * alpha[i]).abs() < 1e-11 * model.eigenvalues[0] * square.sqrt());
            }
        }
        if count == n - 1 {
            assert!((model.explained().iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn a_new_point_is_projected_about_the_mean_of_the_old() {
    let (x, kernel) = (points(40), rbf(1.5));
    let model = Pca::new(kernel.clone()).components(5).fit(&x).unwrap();
    let new = Vectors::dense(3, vec![0.3, -0.2, 0.9, 5.0, 5.0, 5.0]);
    let found = model.transform(&new).unwrap();
    let n = x.len();
    let k = |i: usize, j: usize| kernel.value(x.row(i), x.row(j));
    let all: f64 = (0..n * n).map(|at| k(at / n, at % n)).sum::<f64>() / (n * n) as f64;
    for p in 0..2 {
        let own = |i: usize| kernel.value(x.row(i), new.row(p));
        let mean_own: f64 = (0..n).map(own).sum::<f64>() / n as f64;
        for c in 0..5 {
            let alpha = column(&model, c);
            let term = |i: usize| {
                let mean: f64 = (0..n).map(|j| k(i, j)).sum::<f64>() / n as f64;
                alpha[i] * (own(i) - mean_own - mean + all)
            };
            let exact: f64 = (0..n).map(term).sum();
            assert!((found.row(p)[c] - exact).abs() < 1e-11, "{p} {c}: {} {exact}", found.row(p)[c]);
        }
    }
    // The training points themselves need no kernel values.
    for (a, b) in model.scores().values().iter().zip(model.transform(&x).unwrap().values()) {
        assert!((a - b).abs() < 1e-11, "{a} {b}");
    }
}

#[test]
fn linear_components_are_those_of_the_covariance() {
    // Two columns: the eigenvalues of the scatter matrix (a b; b c) have a closed form.
    let x =
        Vectors::dense(2, (0..80).map(|i| f64::from(i * i % 37) / 7.0 + f64::from(i % 2) * 40.0).collect());
    let mean = |k: usize| (0..40).map(|i| x.row(i).get(k)).sum::<f64>() / 40.0;
    let means = [mean(0), mean(1)];
    let scatter = |k: usize, l: usize| {
        (0..40).map(|i| (x.row(i).get(k) - means[k]) * (x.row(i).get(l) - means[l])).sum::<f64>()
    };
    let (a, b, c) = (scatter(0, 0), scatter(0, 1), scatter(1, 1));
    let root = ((a - c).powi(2) / 4.0 + b * b).sqrt();
    let model = Pca::new(linear()).components(10).fit(&x).unwrap();
    // Ten were asked for, two are there.
    assert_eq!(model.components(), 2);
    for (found, exact) in model.eigenvalues.iter().zip([(a + c) / 2.0 + root, (a + c) / 2.0 - root]) {
        assert!((found - exact).abs() < 1e-10 * exact, "{found} {exact}");
    }
}

#[test]
fn a_weight_is_so_many_copies() {
    let x = points(600);
    let weights: Vec<f64> = (0..600).map(|i| f64::from(i % 3)).collect();
    let copies: Vec<usize> = (0..600).flat_map(|i| std::iter::repeat_n(i, i % 3)).collect();
    for count in [4, 150] {
        let pca = Pca::new(rbf(2.0)).components(count);
        let weighted = pca.fit_weighted(&x, &(), &weights).unwrap();
        let copied = pca.fit(&x.select(&copies)).unwrap();
        assert_eq!(weighted.support, (0..600).filter(|i| i % 3 > 0).collect::<Vec<_>>());
        assert!((weighted.total - copied.total).abs() < 1e-9 * copied.total);
        for c in 0..count {
            let (a, b) = (weighted.eigenvalues[c], copied.eigenvalues[c]);
            assert!((a - b).abs() < 1e-11 * copied.eigenvalues[0], "{c}: {a} {b}");
        }
        let new = points(9);
        let (a, b) = (weighted.transform(&new).unwrap(), copied.transform(&new).unwrap());
        for i in 0..9 {
            for c in 0..4 {
                let (a, b) = (a.row(i)[c], b.row(i)[c]);
                assert!((a.abs() - b.abs()).abs() < 1e-8, "{i} {c}: {a} {b}");
            }
        }
    }
}

#[test]
fn the_first_components_are_those_of_a_smaller_model() {
    let x = points(50);
    let (five, two) = (Pca::new(rbf(1.0)).components(5), Pca::new(rbf(1.0)).components(2));
    let five = five.fit(&x).unwrap();
    assert_eq!(five.first(2).unwrap(), PcaModel { residual: five.residual, ..two.fit(&x).unwrap() });
    assert!(five.first(6).is_err() && five.first(0).is_err());
}

#[test]
fn what_cannot_be_done_is_refused() {
    let message = |pca: Pca<VectorExpr>, x: &Vectors| pca.fit(x).unwrap_err().to_string();
    let pca = || Pca::new(rbf(1.0));
    assert_eq!(message(pca(), &Vectors::dense::<f64>(2, vec![])), "no rows");
    assert!(message(pca().components(0), &points(5)).starts_with("components = 0"));
    assert!(message(pca(), &Vectors::dense(1, vec![1.0, f64::NAN])).contains("row 2, column 1"));
    for same in [vec![3.0], vec![0.7; 6], vec![1e9; 4]] {
        assert!(message(pca(), &Vectors::dense(1, same.clone())).contains("no variance"), "{same:?}");
        assert!(message(Pca::new(linear()), &Vectors::dense(1, same)).contains("no variance"));
    }
    let small = pca().fit_in(&points(600), &(), &mut Job::new().memory(1 << 20)).unwrap_err();
    assert!(small.to_string().contains("the Gram matrix needs"));
    let few = pca().fit_weighted(&points(5), &(), &[1.0]).unwrap_err();
    assert!(few.to_string().contains("one for each point"));
    let overflow: VectorExpr = "poly(degree=100, gamma=100)".parse().unwrap();
    assert!(Pca::new(overflow).fit(&Vectors::dense(1, vec![1e-9, 1.0, 20.0])).is_err());
    let model = pca().fit(&points(5)).unwrap();
    assert!(model.transform(&Vectors::dense(2, vec![0.0, 1.0])).is_err());
}

#[test]
fn a_caller_sees_the_stages_and_can_stop() {
    let mut names = Vec::new();
    let mut watch = |event: Event<'_>| {
        let Event::Stage(stage) = event else { panic!("algebra has stages") };
        names.push(stage.name);
        if stage.done > 0.5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let stopped = Pca::new(rbf(1.0)).components(3);
    let stopped = stopped.fit_in(&points(700), &(), &mut Job::new().watched(&mut watch));
    assert!(matches!(stopped.unwrap_err().kind(), ErrorKind::Interrupted));
    names.dedup();
    assert_eq!(names[0], "kernel values");
}

#[test]
fn the_bits_do_not_depend_on_the_number_of_threads() {
    let x = points(900);
    let fit = |threads: usize, count: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Pca::new(rbf(3.0)).components(count).fit(&x).unwrap())
    };
    assert!(fit(1, 6) == fit(3, 6));
}
