//! Pre-images of points whose pre-image is known, and of those that have none.

use super::*;
use crate::kernel::{Smoothness, linear, matern, polynomial, rational_quadratic, rbf};
use crate::model::Pca;

/// Points around a circle of radius 1 in the first two of four columns.
fn circle(n: usize) -> Vectors {
    let angle = |i: usize| i as f64 * 2.399_963;
    let noise = |i: usize| 0.02 * ((i * 7919 % 101) as f64 / 50.5 - 1.0);
    let row = |i: usize| [angle(i).cos() + noise(i), angle(i).sin() - noise(3 * i + 1), noise(5 * i), 0.5];
    Vectors::dense(4, (0..n).flat_map(row).collect())
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn linear_reconstruction_is_the_projection_on_the_components() {
    let x = circle(80);
    let model = Pca::new(linear()).components(2).fit(&x).unwrap();
    let noisy = Vectors::dense(4, vec![0.8, 0.3, 0.4, 0.9]);
    let found = model.denoise(&noisy, &Way::Linear).unwrap();
    // x̄ + Σ yₖ vₖ with the directions vₖ = Σ αᵢxᵢ written out.
    let y = model.transform(&noisy).unwrap();
    for k in 0..4 {
        let mean = (0..80).map(|i| x.row(i).get(k)).sum::<f64>() / 80.0;
        let direction =
            |c: usize| (0..80).map(|i| model.coefficients()[2 * i + c] * x.row(i).get(k)).sum::<f64>();
        let exact = mean + y.row(0)[0] * direction(0) + y.row(0)[1] * direction(1);
        assert!((found.points.row(0)[k] - exact).abs() < 1e-12);
    }
    // With all components nothing is lost.
    let whole = Pca::new(linear()).fit(&x).unwrap();
    let back = whole.denoise(&x, &Way::Linear).unwrap();
    for i in 0..80 {
        assert!((0..4).all(|k| (back.points.row(i)[k] - x.row(i).get(k)).abs() < 1e-11));
    }
}

#[test]
fn the_fixed_point_is_stationary_and_its_report_true() {
    let (x, gamma) = (circle(90), 0.7);
    let model = Pca::new(rbf(gamma)).components(5).fit(&x).unwrap();
    let noisy = Vectors::dense(4, vec![1.25, 0.3, 0.1, 0.4, -0.2, 0.9, -0.1, 0.6]);
    let found = model.denoise(&noisy, &Way::FixedPoint { steps: 5000, tolerance: 1e-10 }).unwrap();
    for p in 0..2 {
        let (z, how) = (found.points.row(p), found.convergence[p]);
        assert!(how.converged && how.start == Start::Point && how.steps > 1, "{how:?}");
        let weights = model.expand(model.transform(&noisy).unwrap().row(p));
        // ‖φ(z) − Σγ̃φ(xᵢ)‖², with every kernel value written out, and its slope by differences.
        let k = |a: &[f64], b: &[f64]| (-gamma * distance(a, b).powi(2)).exp();
        let row = |i: usize| (0..4).map(|c| x.row(i).get(c)).collect::<Vec<f64>>();
        let cost = |z: &[f64]| {
            let cross: f64 = (0..90).map(|i| weights[i] * k(z, &row(i))).sum();
            let pair = |at: usize| weights[at / 90] * weights[at % 90] * k(&row(at / 90), &row(at % 90));
            1.0 - 2.0 * cross + (0..90 * 90).map(pair).sum::<f64>()
        };
        assert!((cost(z) - how.square_distance).abs() < 1e-9, "{} {}", cost(z), how.square_distance);
        for c in 0..4 {
            let (mut up, mut down) = (z.to_vec(), z.to_vec());
            (up[c], down[c]) = (z[c] + 1e-4, z[c] - 1e-4);
            let slope = (cost(&up) - cost(&down)) / 2e-4;
            assert!(slope.abs() < 1e-6, "{p} {c}: {slope}");
        }
        assert!((z[0].hypot(z[1]) - 1.0).abs() < 0.06, "{z:?}");
    }
}

#[test]
fn a_start_without_neighbours_is_replaced_by_the_nearest_point() {
    // Every kernel value at this point is 0.
    let model = Pca::new(rbf(50.0)).components(4).fit(&circle(60)).unwrap();
    let far = Vectors::dense(4, vec![90.0, 90.0, 0.0, 0.0]);
    let found = model.denoise(&far, &Way::fixed_point()).unwrap();
    assert!(found.convergence[0].start != Start::Point && found.points.row(0)[0].is_finite());
    assert!(found.points.row(0)[0].abs() < 2.0);
    let few = model.denoise(&circle(3), &Way::FixedPoint { steps: 1, tolerance: 1e-15 }).unwrap();
    assert!(few.convergence.iter().all(|how| !how.converged && how.square_distance.is_finite()));
}

#[test]
fn distances_bring_training_points_back_to_themselves() {
    // All components are kept: the projection is the image of the point, and its distances are right.
    let x = circle(40);
    let kernels = [
        rbf(0.4),
        rational_quadratic(1.5, 0.8),
        matern(Smoothness::Half, 1.1),
        matern(Smoothness::ThreeHalves, 1.1),
        matern(Smoothness::FiveHalves, 1.1),
        "plummer(epsilon=0.7, power=1.5)".parse().unwrap(),
        linear(),
        polynomial(3, 0.5, 1.0),
    ];
    for kernel in kernels {
        let model = Pca::new(kernel.clone()).fit(&x).unwrap();
        let found = model.denoise(&x, &Way::Distances { neighbours: 8 }).unwrap();
        for i in 0..40 {
            let own: Vec<f64> = (0..4).map(|k| x.row(i).get(k)).collect();
            let off = distance(found.points.row(i), &own);
            assert!(off < 2e-4, "{kernel} {i}: {off}");
        }
    }
}

#[test]
fn the_regression_solves_its_equations() {
    let x = circle(50);
    let model = Pca::new(rbf(0.6)).components(4).fit(&x).unwrap();
    let way = Way::Ridge { kernel: Some(rbf(2.0)), lambda: 0.01 };
    let found = model.denoise(&x, &way).unwrap();
    // On the training points the residual X − x̄ − KB is λB; so (K + λI)(X − X̂)/λ = X − x̄.
    let scores = Vectors::from(model.scores());
    for k in 0..4 {
        let mean = (0..50).map(|i| x.row(i).get(k)).sum::<f64>() / 50.0;
        let b: Vec<f64> = (0..50).map(|i| (x.row(i).get(k) - found.points.row(i)[k]) / 0.01).collect();
        for i in 0..50 {
            let sum: f64 = (0..50).map(|j| rbf(2.0).value(scores.row(i), scores.row(j)) * b[j]).sum();
            let exact = x.row(i).get(k) - mean;
            assert!((sum + 0.01 * b[i] - exact).abs() < 1e-9, "{k} {i}: {sum} {exact}");
        }
    }
}

#[test]
fn sparse_points_are_denoised_as_dense_ones() {
    let dense = circle(40);
    let (mut start, mut index, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..40 {
        dense.row(i).for_each(|k, value| {
            index.push(k as u32);
            values.push(value);
        });
        start.push(index.len());
    }
    let sparse = Vectors::from(crate::data::Sparse::new(4, start, index, values));
    let fit = |x: &Vectors| Pca::new(rbf(0.6)).components(3).fit(x).unwrap();
    for way in [Way::fixed_point(), Way::distances(), Way::ridge()] {
        let a = fit(&dense).denoise(&dense, &way).unwrap();
        let b = fit(&sparse).denoise(&sparse, &way).unwrap();
        let off = a.points.values().iter().zip(b.points.values()).map(|(a, b)| (a - b).abs());
        assert!(off.fold(0.0, f64::max) < 1e-6);
    }
}

#[test]
fn kernels_that_have_no_such_way_are_refused() {
    let refused = |text: &str, way: &Way| {
        let kernel: VectorExpr = text.parse().unwrap();
        way.check(&kernel).unwrap_err().to_string()
    };
    assert!(refused("rbf(1) + linear", &Way::fixed_point()).contains("another kernel than rbf"));
    assert!(refused("laplace(1)", &Way::distances()).contains("neither distance nor inner product"));
    assert!(refused("poly(degree=2)", &Way::distances()).contains("neither"));
    assert!(refused("rbf(1)", &Way::Linear).contains("another kernel than linear"));
    assert!(refused("precomputed", &Way::ridge()).contains("precomputed"));
    assert!(refused("rbf(1)", &Way::Ridge { kernel: None, lambda: 0.0 }).contains("lambda = 0"));
    assert!(refused("rbf(1)", &Way::FixedPoint { steps: 0, tolerance: 0.1 }).contains("steps = 0"));
    assert!(refused("rbf(1)", &Way::FixedPoint { steps: 1, tolerance: -1.0 }).contains("tolerance"));
    assert!(refused("rbf(1)", &Way::Distances { neighbours: 1 }).contains("neighbours = 1"));
    let model = Pca::new(rbf(1.0)).components(2).fit(&circle(9)).unwrap();
    assert!(model.pre_images(&Dense::new(3, vec![0.0; 3]), &Way::ridge()).is_err());
    assert!(model.pre_images(&Dense::new(2, vec![f64::NAN; 2]), &Way::ridge()).is_err());
    assert!(model.pre_images(&Dense::new(2, vec![0.1, 0.2]), &Way::fixed_point()).is_ok());
}
