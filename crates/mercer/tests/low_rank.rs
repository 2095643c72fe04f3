//! Maps by landmarks and by random frequencies, against the matrices that they stand for, written out in plain loops.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::ops::ControlFlow;

use mercer::data::{Labels, Points, Sparse, SplitMix, Vectors};
use mercer::error::ErrorKind;
use mercer::gram::{cross, square};
use mercer::kernel::{
    Fourier, Kernel, LandmarkChoice, Nystrom, RecordExpr, Reference, SetExpr, VectorExpr, linear, rbf,
};
use mercer::model::file::Saved;
use mercer::model::{
    Estimator, Hinges, Job, LinearOneClass, LinearSolver, LinearSvc, LinearSvr, Logistic, Pegasos, Ridge, Svc,
};
use mercer::solve::Smo;

const CHOICES: [LandmarkChoice; 4] =
    [LandmarkChoice::Uniform, LandmarkChoice::KMeans, LandmarkChoice::Leverage, LandmarkChoice::Pivot];

fn points(n: usize, d: usize, seed: u64) -> Vectors {
    let mut random = SplitMix(seed);
    Vectors::dense(d, (0..n * d).map(|_| 2.0 * random.uniform() - 1.0).collect::<Vec<f64>>())
}

/// Rows of which two thirds of the entries are 0.
fn sparse(n: usize, d: usize, seed: u64) -> Vectors {
    let mut random = SplitMix(seed);
    let (mut start, mut index, mut values) = (vec![0], Vec::new(), Vec::<f64>::new());
    for _ in 0..n {
        for k in 0..d {
            if random.uniform() < 1.0 / 3.0 {
                index.push(k as u32);
                values.push(random.uniform());
            }
        }
        start.push(index.len());
    }
    Sparse::new(d, start, index, values).into()
}

fn kernel(text: &str) -> VectorExpr {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn fitted(kernel: &VectorExpr, x: &Vectors) -> VectorExpr {
    kernel.fitted(&Reference::new(x), &mut |_| ControlFlow::Continue(())).unwrap()
}

/// k_Z(x)ᵀ K_ZZ⁻¹ k_Z(y) of all x and y, by elimination with row exchanges.
fn projected(k: &VectorExpr, z: &Vectors, x: &Vectors) -> Vec<Vec<f64>> {
    let (m, n) = (z.len(), x.len());
    let value = |a: &Vectors, i: usize, b: &Vectors, j: usize| k.value_in(a.width(), a.row(i), b.row(j));
    let mut system: Vec<Vec<f64>> = (0..m)
        .map(|i| (0..m).map(|j| value(z, i, z, j)).chain((0..n).map(|j| value(z, i, x, j))).collect())
        .collect();
    for c in 0..m {
        let pivot = (c..m).max_by(|&a, &b| system[a][c].abs().total_cmp(&system[b][c].abs())).unwrap();
        system.swap(c, pivot);
        let row = system[c].clone();
        for (i, other) in system.iter_mut().enumerate() {
            if i != c {
                let factor = other[c] / row[c];
                other.iter_mut().zip(&row).for_each(|(value, own)| *value -= factor * own);
            }
        }
    }
    let solution = |i: usize, j: usize| system[i][m + j] / system[i][i];
    (0..n)
        .map(|a| (0..n).map(|b| (0..m).map(|i| value(z, i, x, a) * solution(i, b)).sum()).collect())
        .collect()
}

#[test]
fn values_are_projections_onto_the_span_of_the_landmarks() {
    for (case, x) in [points(70, 3, 1), sparse(60, 8, 2)].into_iter().enumerate() {
        for inner in [
            "rbf(gamma=2)",
            "laplace(gamma=0.5)",
            "poly(degree=2, coef0=1) + matern",
            "3*rbf @ columns(1, 3)",
        ] {
            for choose in CHOICES {
                let map = Nystrom::new(kernel(inner), 7).choose(choose).seed(case as u64 + 5);
                let own = fitted(&linear().on(map.into()), &x);
                let [z] = &own.landmarks()[..] else { panic!("one map") };
                assert!(z.len() <= 7 && z.len() >= 2, "{inner} {choose:?}: {}", z.len());
                let values: Vec<f64> = square(&own, &x).unwrap();
                let exact = projected(&kernel(inner), z, &x);
                let scale = exact.iter().flatten().fold(0.0, |a: f64, b| a.max(b.abs()));
                for (i, row) in exact.iter().enumerate() {
                    for (j, exact) in row.iter().enumerate() {
                        let found = values[i * x.len() + j];
                        // K_ZZ may have a condition of 1e10: landmarks are left out beyond, and elimination keeps six digits.
                        assert!((found - exact).abs() <= 1e-6 * scale, "{inner} {choose:?}: {found} {exact}");
                        let one = own.value_in(x.width(), x.row(i), x.row(j));
                        assert!((found - one).abs() <= 1e-6 * scale, "{inner} {choose:?}: {found} {one}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_residual_is_what_is_left_of_the_diagonal_and_bounds_every_value() {
    let (x, new) = (points(60, 2, 3), points(25, 2, 4));
    for choose in CHOICES {
        let map = Nystrom::new(rbf(1.5), 9).choose(choose).fitted(&x).unwrap();
        let near = linear().on(map.clone().into());
        let residual = map.residual(&new).unwrap();
        let (k, own): (Vec<f64>, Vec<f64>) = (square(&rbf(1.5), &new).unwrap(), square(&near, &new).unwrap());
        for i in 0..new.len() {
            assert!((residual[i] - (k[i * 26] - own[i * 26])).abs() < 1e-10);
            for j in 0..new.len() {
                let error = (k[i * new.len() + j] - own[i * new.len() + j]).abs();
                assert!(error <= (residual[i] * residual[j]).sqrt() + 1e-10, "{choose:?}");
            }
        }
        // Nothing is left of a landmark.
        let z = map.points().unwrap();
        assert!(map.residual(z).unwrap().iter().all(|r| *r < 1e-10), "{choose:?}");
    }
}

#[test]
fn what_is_left_falls_with_the_number_of_landmarks() {
    let x = points(300, 2, 5);
    for choose in CHOICES {
        let left = |m: usize| {
            let map = Nystrom::new(rbf(1.0), m).choose(choose).fitted(&x).unwrap();
            map.residual(&x).unwrap().iter().sum::<f64>() / 300.0
        };
        let (few, some, many) = (left(5), left(15), left(45));
        assert!(some < 0.5 * few && many < 0.2 * some, "{choose:?}: {few} {some} {many}");
    }
}

#[test]
fn with_all_points_as_landmarks_it_is_the_kernel_itself() {
    let (x, new) = (points(80, 2, 6), points(20, 2, 7));
    let inner = rbf(8.0);
    let map = linear().on(Nystrom::new(inner.clone(), 80).into());
    let own = fitted(&map, &x);
    let (near, exact): (Vec<f64>, Vec<f64>) = (square(&own, &x).unwrap(), square(&inner, &x).unwrap());
    assert!(near.iter().zip(&exact).all(|(a, b)| (a - b).abs() < 1e-9));
    let y: Vec<f64> = (0..80).map(|i| x.row(i).get(0).sin() + x.row(i).get(1)).collect();
    let ridge = |k: VectorExpr| Ridge::new(k).lambda(1e-2).fit(&x, &y).unwrap().values(&new).unwrap();
    let (near, exact) = (ridge(map.clone()), ridge(inner.clone()));
    assert!(near.values().iter().zip(exact.values()).all(|(a, b)| (a - b).abs() < 1e-8));
    let labels = Labels::first_seen(y.iter().map(|y| if *y > 0.0 { "a" } else { "b" }));
    let smo = || Smo { tolerance: 1e-9, exact: true, ..Smo::default() };
    let svc = |k: VectorExpr| Svc::new(k).c(2.0).solver(smo()).fit(&x, &labels).unwrap();
    let (near, exact) = (svc(map.clone()), svc(inner));
    // Rows of a Gram matrix are in single precision; the answer is certified in double.
    let objective = exact.certificates[0].objective;
    assert!((near.certificates[0].objective / objective - 1.0).abs() < 1e-6);
    let solver = LinearSolver { tolerance: 1e-9, free_offset: true, ..LinearSolver::default() };
    let primal = LinearSvc::new(map).c(2.0).loss(Hinges::Hinge).solver(solver).fit(&x, &labels).unwrap();
    assert!((primal.certificates[0].objective / objective - 1.0).abs() < 1e-6);
}

#[test]
fn random_frequencies_come_near_to_the_kernel_as_their_number_grows() {
    let x = points(30, 3, 8);
    for inner in [
        "rbf(gamma=0.7)",
        "laplace(gamma=0.4)",
        "matern(nu=0.5)",
        "matern(nu=1.5)",
        "matern(nu=2.5, length=0.5)",
    ] {
        let exact: Vec<f64> = square(&kernel(inner), &x).unwrap();
        for (frequencies, seed) in [(400, 1), (6400, 2)] {
            let map = linear().on(Fourier::new(kernel(inner), frequencies).seed(seed).into());
            let near: Vec<f64> = square(&map, &x).unwrap();
            let most = near.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            // The largest of 435 deviations of 1/√(2q) at most; that it is no smaller shows that it is of this size.
            let deviation = (0.5 / f64::from(frequencies as u32)).sqrt();
            assert!(most < 5.0 * deviation && most > 0.5 * deviation, "{inner}: {most} {deviation}");
            assert!((0..30).all(|i| (near[i * 31] - 1.0).abs() < 1e-12));
        }
    }
}

#[test]
fn a_frequency_of_a_feature_does_not_depend_on_what_comes_after() {
    let map = |q: usize| linear().on(Fourier::new(rbf(1.0), q).seed(9).into());
    let x = points(6, 2, 9);
    let wide = Vectors::dense(4, (0..6).flat_map(|i| [x.row(i).get(0), x.row(i).get(1), 0.0, 0.0]).collect());
    let (a, b): (Vec<f64>, Vec<f64>) = (square(&map(5), &x).unwrap(), square(&map(5), &wide).unwrap());
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-12));
    // The definition, one pair at a time.
    for i in 0..6 {
        for j in 0..6 {
            assert!((a[i * 6 + j] - map(5).value(x.row(i), x.row(j))).abs() < 1e-12);
        }
    }
}

#[test]
fn every_linear_method_is_fitted_to_the_features() {
    let x = points(90, 2, 10);
    let inside = |i: usize| x.row(i).get(0).powi(2) + x.row(i).get(1).powi(2) < 0.6;
    let y = Labels::first_seen((0..90).map(|i| if inside(i) { "in" } else { "out" }));
    let k = kernel("linear @ nystrom(rbf(gamma=2), 20, seed=3)");
    let own = fitted(&k, &x);
    let z = own.coordinates().unwrap().of(&x).unwrap().into_owned();
    assert_eq!(z.width(), 20);
    let same = |a: &mercer::model::LinearModel<Vectors, VectorExpr>,
                b: &mercer::model::LinearModel<Vectors, VectorExpr>| {
        assert_eq!(a.certificates, b.certificates);
        assert_eq!(a.values(&x).unwrap(), b.values(&z).unwrap());
    };
    same(&LinearSvc::new(k.clone()).fit(&x, &y).unwrap(), &LinearSvc::new(linear()).fit(&z, &y).unwrap());
    same(&Logistic::new(k.clone()).fit(&x, &y).unwrap(), &Logistic::new(linear()).fit(&z, &y).unwrap());
    same(&Pegasos::new(k.clone()).fit(&x, &y).unwrap(), &Pegasos::new(linear()).fit(&z, &y).unwrap());
    let numbers: Vec<f64> = (0..90).map(|i| x.row(i).get(0)).collect();
    same(
        &LinearSvr::new(k.clone()).fit(&x, &numbers).unwrap(),
        &LinearSvr::new(linear()).fit(&z, &numbers).unwrap(),
    );
    same(&LinearOneClass::new(k.clone()).fit(&x).unwrap(), &LinearOneClass::new(linear()).fit(&z).unwrap());
    let model = LinearSvc::new(k.clone()).c(10.0).fit(&x, &y).unwrap();
    let right = model
        .predict(&x)
        .unwrap()
        .iter()
        .zip(0..90)
        .filter(|(class, i)| (**class == "in") == inside(*i))
        .count();
    assert!(right >= 80, "{right} of 90");
    // Landmarks are drawn among points of positive weight.
    let weights: Vec<f64> = (0..90).map(|i| if i < 60 { 1.0 } else { 0.0 }).collect();
    let part = LinearSvc::new(k.clone()).fit_in(&x, &y, &mut Job::new().weights(&weights)).unwrap();
    let first: Vec<usize> = (0..60).collect();
    let alone = LinearSvc::new(k).fit(&x.select(&first), &y.select(&first)).unwrap();
    assert_eq!(part.values(&x).unwrap(), alone.values(&x).unwrap());
}

#[test]
fn the_bits_do_not_depend_on_the_number_of_threads() {
    let x = points(700, 4, 11);
    for map in [
        "nystrom(rbf, 90)",
        "nystrom(rbf, 40, choose=kmeans)",
        "nystrom(rbf, 40, choose=leverage)",
        "nystrom(rbf, 40, choose=pivot)",
        "fourier(laplace, 70)",
    ] {
        let k = kernel(&format!("linear @ {map}"));
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| cross::<f64, _, _>(&fitted(&k, &x), &x, &x.select(&[3, 500, 77])).unwrap())
        };
        assert!(on(1) == on(3), "{map}");
    }
}

#[test]
fn a_file_keeps_the_landmarks() {
    let x = sparse(60, 9, 12);
    let y = Labels::first_seen((0..60).map(|i| if x.row(i).get(2) > 0.3 { "a" } else { "b" }));
    for text in [
        "linear @ nystrom(rbf(gamma=1), 15)",
        "2*linear @ nystrom(rbf, 5, choose=kmeans) @ columns(1, 3)",
        "centered(rbf @ nystrom(laplace, 6)) + linear @ fourier(rbf, 3)",
    ] {
        let svc = Saved::from(Svc::new(kernel(text)).fit(&x, &y).unwrap());
        let mut all = vec![svc];
        if kernel(text).coordinates().is_some() {
            all.push(Saved::from(LinearSvc::new(kernel(text)).fit(&x, &y).unwrap()));
        }
        for saved in all {
            let again = Saved::from_bytes(&saved.to_bytes().unwrap()).unwrap();
            assert_eq!(again, saved, "{text}");
            assert_eq!(again.to_bytes().unwrap(), saved.to_bytes().unwrap());
            let values =
                |saved: &Saved| saved.model.decisions(&x.clone().into(), Default::default()).unwrap();
            assert_eq!(values(&again), values(&saved), "{text}");
        }
    }
}

#[test]
fn copies_among_the_landmarks_are_left_out() {
    let four = points(4, 2, 13);
    let x = four.select(&(0..40).map(|i| i % 4).collect::<Vec<_>>());
    let map = Nystrom::new(rbf(1.0), 30).fitted(&x).unwrap();
    assert_eq!(map.points().unwrap().len(), 4);
    assert!(map.residual(&x).unwrap().iter().all(|r| *r < 1e-9));
    // A Gram matrix of rank 3.
    let plane = Nystrom::new(kernel("linear + 1"), 30).fitted(&points(40, 2, 14)).unwrap();
    assert_eq!(plane.points().unwrap().len(), 3);
    let zero = Nystrom::new(linear(), 3).fitted(&Vectors::dense(1, vec![0.0; 5])).unwrap_err();
    assert!(zero.to_string().contains("zero on all landmarks"), "{zero}");
}

#[test]
fn what_cannot_be_is_refused_with_the_rule() {
    let refused = |text: &str| text.parse::<VectorExpr>().unwrap_err().to_string();
    for (text, rule) in [
        ("linear @ nystrom", "needs a kernel"),
        ("linear @ nystrom(10)", "needs a kernel"),
        ("linear @ nystrom(rbf, 0)", "must lie in 1 to 131072"),
        ("linear @ nystrom(rbf, 10000000)", "must lie in 1 to 131072"),
        ("linear @ nystrom(rbf, landmarks=5, choose=best)", "unknown choice of landmarks"),
        ("linear @ nystrom(rbf, 5, 6)", "given twice"),
        ("linear @ nystrom(rbg, 5)", "did you mean rbf?"),
        ("linear @ nystrom(tanh, 5)", "positive semi-definite"),
        ("linear @ nystrom(precomputed, 5)", "positive semi-definite"),
        ("linear @ nystrom(centered(rbf), 5)", "not centred"),
        ("linear @ nystrom(rbf @ nystrom(rbf, 2), 5)", "without a map of landmarks"),
        ("linear @ fourier(linear, 5)", "rbf, laplace or matern"),
        ("linear @ fourier(rbf @ columns(1), 5)", "rbf, laplace or matern"),
        ("linear @ fourier(rbf, 0)", "must lie in 1 to 1048576"),
        ("linear @ fourier(laplace(gamma=1e200), 2)", "at most 1e100"),
    ] {
        assert!(refused(text).contains(rule), "{text}: {}", refused(text));
    }
    // Nested a hundred thousand deep: an error, no overflow of the stack.
    refused(&"linear @ nystrom(".repeat(100_000));
    let x = points(20, 2, 15);
    let k = kernel("linear @ nystrom(rbf, 5)");
    let open = square::<f64, _, _>(&k, &x).unwrap_err();
    assert!(open.to_string().contains("before it is fitted"), "{open}");
    assert!(k.diagonal(&x).is_err() && k.reference().is_err() && k.value(x.row(0), x.row(1)).is_nan());
    let own = fitted(&k, &x);
    assert!(own.reference().unwrap().is_none() && own != k && own == fitted(&own, &points(9, 2, 1)));
    let wide = cross::<f64, _, _>(&own, &points(3, 3, 1), &points(3, 3, 1)).unwrap_err();
    assert!(matches!(wide.kind(), ErrorKind::Data(_)), "{wide}");
    let odd = Nystrom::new(rbf(1.0), 3).fitted(&Vectors::dense(1, vec![0.0, f64::NAN])).unwrap_err();
    assert!(matches!(odd.kind(), ErrorKind::Data(_)), "{odd}");
    assert!(Nystrom::new(rbf(1.0), 3).fitted(&points(0, 2, 1)).is_err());
    // Other parameters are another kernel, whose landmarks are not chosen.
    let other = own.with_parameter("linear.0.nystrom.rbf.gamma", 2.0).unwrap();
    assert!(other.reference().is_err() && other.to_string().contains("gamma=2"));
    assert!("set(rbf @ nystrom(rbf, 3))".parse::<SetExpr>().unwrap_err().to_string().contains("landmarks"));
    let table: RecordExpr = "linear @ nystrom(rbf(gamma=1), 3) @ [age, dose]".parse().unwrap();
    assert!(
        table
            .to_string()
            .ends_with("nystrom(rbf(gamma=1), landmarks=3, choose=uniform, seed=0) @ [age, dose]")
    );
}

#[test]
fn landmarks_of_the_callers_own_are_taken() {
    let (x, z) = (points(30, 2, 16), points(6, 2, 17));
    let map = Nystrom::new(rbf(1.0), 6).with_points(z.clone()).unwrap();
    let values: Vec<f64> = square(&linear().on(map.into()), &x).unwrap();
    let exact = projected(&rbf(1.0), &z, &x);
    assert!(exact.iter().flatten().zip(&values).all(|(a, b)| (a - b).abs() < 1e-9));
    let twice = z.select(&[0, 1, 0]);
    assert!(Nystrom::new(rbf(1.0), 6).with_points(twice).unwrap_err().to_string().contains("landmark 3"));
    assert!(Nystrom::new(rbf(1.0), 5).with_points(z).is_err());
}
