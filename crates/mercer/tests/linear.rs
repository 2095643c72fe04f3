//! Linear machines against the kernel machines and closed forms that they must equal, and against their own definition.

use mercer::data::{Dense, Labels, Points, Sparse, SplitMix, Vectors};
use mercer::kernel::linear;
use mercer::model::file::Saved;
use mercer::model::{
    Algorithm, Estimator, Hinges, How, Job, LinearSolver, LinearSvc, LinearSvr, Logistic, Model, Svc, Svr,
    Zones,
};
use mercer::solve::{Smo, Stop};

fn uniform(random: &mut SplitMix) -> f64 {
    2.0 * random.uniform() - 1.0
}

/// Points of `classes` noisy classes.
fn drawn(seed: u64, n: usize, d: usize, classes: usize) -> (Vectors, Labels) {
    let mut random = SplitMix(seed);
    let centres: Vec<f64> = (0..classes * d).map(|_| uniform(&mut random)).collect();
    let mut rows = Vec::new();
    for i in 0..n {
        let centre = &centres[i % classes * d..][..d];
        rows.extend(centre.iter().map(|c| c + 1.2 * uniform(&mut random)));
    }
    (Vectors::dense(d, rows), Labels::first_seen((0..n).map(|i| ["a", "b", "c", "d"][i % classes])))
}

fn precise() -> LinearSolver {
    LinearSolver { tolerance: 1e-10, free_offset: true, ..LinearSolver::default() }
}

#[test]
fn with_a_free_offset_the_hinge_is_the_support_vector_machine() {
    for seed in 0..4 {
        let (x, y) = drawn(seed, 90, 4, 2);
        let smo = Smo { tolerance: 1e-9, exact: true, ..Smo::default() };
        let svc = Svc::new(linear()).c(0.7).solver(smo).fit(&x, &y).unwrap();
        let own = LinearSvc::new(linear()).c(0.7).loss(Hinges::Hinge).solver(precise()).fit(&x, &y).unwrap();
        let (a, b) = (svc.certificates[0].objective, own.certificates[0].objective);
        assert!((a - b).abs() < 1e-6 * a.abs(), "{a} and {b}");
        let (f, g) = (svc.decisions(&x).unwrap(), own.values(&x).unwrap());
        for (f, g) in f.values().iter().zip(g.values()) {
            assert!((f - g).abs() < 1e-3, "{f} and {g}");
        }
        assert_eq!(svc.predict(&x).unwrap(), own.predict(&x).unwrap());
    }
}

#[test]
fn with_a_free_offset_the_zone_is_that_of_support_vector_regression() {
    let (x, _) = drawn(5, 80, 3, 2);
    let y: Vec<f64> = (0..80).map(|i| (i as f64 * 0.37).sin() * 40.0 + 7.0).collect();
    let smo = Smo { tolerance: 1e-9, exact: true, ..Smo::default() };
    let svr = Svr::new(linear()).c(0.3).epsilon(0.5).solver(smo).fit(&x, &y).unwrap();
    let own = LinearSvr::new(linear()).c(0.3).epsilon(0.5).solver(precise()).fit(&x, &y).unwrap();
    let (a, b) = (svr.certificate.unwrap().objective, own.certificates[0].objective);
    assert!((a - b).abs() < 1e-6 * a.abs(), "{a} and {b}");
}

#[test]
fn squared_errors_without_a_zone_are_ridge_regression() {
    // (XᵀX + I/(2C)) w = Xᵀy in two features without an offset, by hand.
    let (x, _) = drawn(6, 50, 2, 2);
    let y: Vec<f64> = (0..50).map(|i| (i as f64 * 0.7).cos()).collect();
    let (mut a, mut b) = ([[0.25, 0.0], [0.0, 0.25]], [0.0, 0.0]);
    for i in 0..x.len() {
        let row = [x.row(i).get(0), x.row(i).get(1)];
        for j in 0..2 {
            (0..2).for_each(|k| a[j][k] += row[j] * row[k]);
            b[j] += row[j] * y[i];
        }
    }
    let determinant = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    let w =
        [(a[1][1] * b[0] - a[0][1] * b[1]) / determinant, (a[0][0] * b[1] - a[1][0] * b[0]) / determinant];
    let solver = LinearSolver { offset: false, tolerance: 1e-12, ..LinearSolver::default() };
    let svr = LinearSvr::new(linear()).c(2.0).epsilon(0.0).loss(Zones::Squared).solver(solver);
    let found = svr.fit(&x, &y).unwrap().weights(0);
    assert!((found[0] - w[0]).abs() < 1e-9 && (found[1] - w[1]).abs() < 1e-9, "{found:?} and {w:?}");
}

#[test]
fn a_weight_is_so_many_copies() {
    let (x, y) = drawn(7, 60, 3, 3);
    let weights: Vec<f64> = (0..60).map(|i| f64::from(i % 4)).collect();
    let copies: Vec<usize> = (0..60).flat_map(|i| std::iter::repeat_n(i, i % 4)).collect();
    for loss in [Hinges::Hinge, Hinges::Squared] {
        let svc = LinearSvc::new(linear()).loss(loss).tolerance(1e-6);
        let weighted = svc.fit_weighted(&x, &y, &weights).unwrap();
        let copied = svc.fit(&x.select(&copies), &y.select(&copies)).unwrap();
        for class in 0..3 {
            for (a, b) in weighted.weights(class).iter().zip(&copied.weights(class)) {
                assert!((a - b).abs() < 1e-9, "{a} and {b}");
            }
        }
    }
}

#[test]
fn probabilities_are_those_of_the_logistic_function() {
    for classes in [2, 3] {
        let (x, y) = drawn(8, 120, 3, classes);
        let model = Logistic::new(linear()).fit(&x, &y).unwrap();
        let values = model.values(&x).unwrap();
        let found = Model::<Vectors>::probabilities(&model, &x, How::default()).unwrap();
        for i in 0..x.len() {
            let own: Vec<f64> = match values.row(i) {
                [f] => vec![1.0 / (1.0 + (-f).exp()), 1.0 / (1.0 + f.exp())],
                all => {
                    let odds: Vec<f64> = all.iter().map(|f| 1.0 / (1.0 + (-f).exp())).collect();
                    let sum: f64 = odds.iter().sum();
                    odds.iter().map(|p| p / sum).collect()
                }
            };
            found.row(i).iter().zip(&own).for_each(|(a, b)| assert!((a - b).abs() < 1e-12));
        }
    }
}

/// Wide rows whose columns have very different sizes: conjugate gradients are slow there.
fn wide(seed: u64, n: usize, d: usize) -> (Vectors, Labels) {
    let mut random = SplitMix(seed);
    let (mut start, mut index, mut values, mut names) = (vec![0], Vec::new(), Vec::new(), Vec::new());
    for _ in 0..n {
        let mut columns: Vec<u32> = (0..30).map(|_| (random.uniform().powi(3) * d as f64) as u32).collect();
        columns.sort_unstable();
        columns.dedup();
        let mut score = 0.0;
        for k in columns {
            let value = (1.0 + 1000.0 / f64::from(k + 1)) * random.uniform();
            score += value * (f64::from(k)).sin();
            index.push(k);
            values.push(value);
        }
        start.push(index.len());
        names.push(if score + uniform(&mut random) > 0.0 { "up" } else { "down" });
    }
    (Sparse::new(d, start, index, values).into(), Labels::first_seen(names))
}

#[test]
fn hard_systems_are_solved_by_both_algorithms_to_the_same_objective() {
    let (x, y) = wide(1, 500, 4000);
    for loss in [Hinges::Hinge, Hinges::Squared] {
        let fit = |algorithm| {
            let solver = LinearSolver { algorithm, tolerance: 1e-5, ..LinearSolver::default() };
            LinearSvc::new(linear()).loss(loss).solver(solver).fit(&x, &y).unwrap().certificates[0]
        };
        let (auto, newton) = (fit(Algorithm::Auto), fit(Algorithm::Newton));
        assert_eq!((auto.stop, newton.stop), (Stop::Converged, Stop::Converged), "{loss:?}");
        let primal = |of: mercer::solve::Certificate| of.gap.unwrap() - of.objective;
        let (a, b) = (primal(auto), primal(newton));
        assert!((a - b).abs() <= 1e-5 * a.max(b), "{loss:?}: {a} and {b}");
    }
}

#[test]
fn models_come_back_from_their_files_to_the_bit() {
    let (x, y) = drawn(9, 70, 5, 3);
    let targets: Vec<f64> = (0..70).map(f64::from).collect();
    let models: [Saved; 3] = [
        LinearSvc::new(linear()).fit(&x, &y).unwrap().into(),
        Logistic::new(linear()).fit(&x, &y).unwrap().into(),
        LinearSvr::new(linear()).fit(&x, &targets).unwrap().into(),
    ];
    for saved in models {
        assert_eq!(Saved::from_bytes(&saved.to_bytes().unwrap()).unwrap(), saved);
    }
}

#[test]
fn what_cannot_be_fitted_is_refused_by_its_rule() {
    let (x, y) = drawn(10, 20, 2, 2);
    let refused = |result: mercer::Result<
        mercer::model::LinearModel<Vectors, mercer::kernel::VectorExpr>,
    >| { result.unwrap_err().to_string() };
    let svc = || LinearSvc::new(linear());
    assert!(refused(LinearSvc::new(mercer::kernel::rbf(1.0)).fit(&x, &y)).contains("linear"));
    assert!(refused(svc().c(-1.0).fit(&x, &y)).contains("c = -1"));
    assert!(refused(svc().tolerance(f64::NAN).fit(&x, &y)).contains("tolerance"));
    assert!(refused(svc().class_weight("z", 2.0).fit(&x, &y)).contains("'z'"));
    let dual = LinearSolver { algorithm: Algorithm::Dual, free_offset: true, ..LinearSolver::default() };
    assert!(refused(svc().solver(dual).fit(&x, &y)).contains("solver = dual: must be auto or newton"));
    let free = LinearSolver { offset: false, free_offset: true, ..LinearSolver::default() };
    assert!(refused(svc().solver(free).fit(&x, &y)).contains("free-offset = true: must be left out"));
    assert!(refused(svc().c(1e308).fit(&x, &y)).contains("beyond the largest number"));
    let infinite = Vectors::from(Dense::new(1, vec![1.0, f64::INFINITY]));
    let two = Labels::first_seen(["a", "b"]);
    assert!(refused(svc().fit(&infinite, &two)).contains("row 2"));
    let model = svc().fit(&x, &y).unwrap();
    assert!(model.values(&infinite).is_err());
}

#[test]
fn a_watch_ends_the_fit_with_a_true_certificate() {
    let (x, y) = drawn(11, 300, 6, 2);
    let mut seen = 0;
    let mut watch = |_: mercer::model::Event<'_>| {
        seen += 1;
        std::ops::ControlFlow::Break(())
    };
    let svc = LinearSvc::new(linear()).loss(Hinges::Hinge).tolerance(1e-9);
    let model = svc.fit_in(&x, &y, &mut Job::new().watched(&mut watch)).unwrap();
    assert_eq!(model.certificates[0].stop, Stop::Interrupted);
    assert!(model.certificates[0].gap.unwrap() > 0.0);
    assert_eq!(seen, 1);
}
