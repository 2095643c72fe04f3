//! Variants of the machines: squared slacks, no offset, no errors, weights, ν, the exact finish. The oracles are the
//! conditions of optimality themselves, closed forms, and copies of points.

use std::path::Path;

use mercer::data::{Labels, Points, ReadOptions, Vectors, read};
use mercer::kernel::{VectorExpr, linear, precomputed, rbf};
use mercer::model::{Estimator, NuSvc, OneClass, Slack, Svc, SvcModel, Svdd, Svr};
use mercer::solve::{Smo, Stop};

// (type)
type Model = SvcModel<Vectors, VectorExpr>;

fn load(file: &str) -> (Vectors, Labels) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data").join(file);
    let table = read(&path, &ReadOptions::default()).expect("the file is there and sound");
    (table.points, table.labels.expect("the file has labels").labels())
}

fn exact() -> Smo {
    Smo { exact: true, tolerance: 1e-5, ..Smo::default() }
}

/// y·f and α of every training point of a two-class model.
fn margins(model: &Model, x: &Vectors, y: &Labels) -> Vec<(f64, f64)> {
    let decisions = model.decisions(x).expect("decides");
    let mut alpha = vec![0.0; x.len()];
    for block in &model.expansion.coefficients().blocks {
        for (i, value) in block.points.clone().zip(&block.values) {
            alpha[model.support[i]] = value.abs();
        }
    }
    let sign = |i: usize| if y.index()[i] == 0 { 1.0 } else { -1.0 };
    (0..x.len()).map(|i| (sign(i) * decisions.row(i)[0], alpha[i])).collect()
}

#[test]
fn squared_slacks_satisfy_their_conditions() {
    let (x, y) = load("heart_scale.libsvm.gz");
    for c in [0.1, 1.0, 100.0] {
        let model = Svc::new(rbf(0.1)).c(c).slack(Slack::Squared).tolerance(1e-4).fit(&x, &y).expect("fits");
        assert_eq!(model.certificates[0].stop, Stop::Converged);
        let gap = model.certificates[0].gap.expect("a gap");
        assert!(gap >= -1e-6 && gap < 1e-3 * model.certificates[0].objective.abs(), "C = {c}: gap {gap}");
        for (margin, alpha) in margins(&model, &x, &y) {
            // α = Cξ, and ξ = max(0, 1 − yf).
            let slack = (1.0 - margin).max(0.0);
            assert!((alpha / c - slack).abs() < 2e-3, "C = {c}: α/C {} and slack {slack}", alpha / c);
        }
    }
}

#[test]
fn without_offset_there_is_none_and_the_conditions_hold() {
    let (x, y) = load("heart_scale.libsvm.gz");
    for slack in [Slack::Linear, Slack::Squared] {
        let svc = Svc::new(rbf(0.1)).c(2.0).slack(slack).offset(false).tolerance(1e-4);
        let model = svc.fit(&x, &y).expect("fits");
        assert_eq!((model.expansion.offsets()[0], model.certificates[0].stop), (0.0, Stop::Converged));
        let certificate = model.certificates[0];
        let gap = certificate.gap.expect("a gap");
        assert!(gap >= -1e-6 && gap < 1e-3 * certificate.objective.abs(), "{gap}");
        let (mut sum, mut free) = (0.0, 0);
        for (i, (margin, alpha)) in margins(&model, &x, &y).into_iter().enumerate() {
            sum += alpha * if y.index()[i] == 0 { 1.0 } else { -1.0 };
            let error = match slack {
                Slack::Squared => (alpha / 2.0 - (1.0 - margin).max(0.0)).abs(),
                Slack::Linear if alpha == 0.0 => (1.0 - margin).max(0.0),
                Slack::Linear if alpha == 2.0 => (margin - 1.0).max(0.0),
                Slack::Linear => (margin - 1.0).abs(),
            };
            free += usize::from(alpha > 0.0 && alpha < 2.0);
            assert!(error < 2e-3, "{error}");
        }
        assert!(free > 0 && sum.abs() > 1e-3, "the sum {sum} is not kept");
    }
}

#[test]
fn a_hard_margin_by_closed_form() {
    // Nearest points of the two classes at (0, 0) and (2, 0): w = (1, 0)·1, b = 1, margin 1 on each side.
    let x = Vectors::dense(2, vec![0.0, 0.0, -1.0, 3.0, 2.0, 0.0, 5.0, 1.0]);
    let y = Labels::first_seen(["a", "a", "b", "b"]);
    let model = Svc::new(linear()).c(f64::INFINITY).tolerance(1e-6).fit(&x, &y).expect("fits");
    let f = model.decisions(&Vectors::dense(2, vec![1.0, 7.0, 0.0, 0.0, 2.0, 0.0])).expect("decides");
    for (found, expected) in f.values().iter().zip([0.0, 1.0, -1.0]) {
        assert!((found - expected).abs() < 1e-5, "{found} {expected}");
    }
    let certificate = model.certificates[0];
    assert!((certificate.objective + 0.5).abs() < 1e-5 && certificate.gap.expect("a gap") < 1e-4);
}

#[test]
fn what_cannot_be_separated_is_refused_by_two_points() {
    // The same point with both labels; four points of which no line separates the two pairs.
    let x = Vectors::dense(1, vec![3.0, 1.0, 2.0, 1.0]);
    let y = Labels::first_seen(["a", "a", "b", "b"]);
    let error = Svc::new(rbf(1.0)).c(f64::INFINITY).fit(&x, &y).expect_err("refused").to_string();
    assert!(error.contains("points 2 and 4"), "{error}");
    let cross = Vectors::dense(2, vec![0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0]);
    let error = Svc::new(linear()).c(f64::INFINITY).fit(&cross, &y).expect_err("refused").to_string();
    assert!(error.starts_with("the classes cannot be separated without errors"), "{error}");
    let (x, y) = load("heart_scale.libsvm.gz");
    let error = Svc::new(linear()).c(f64::INFINITY).fit(&x, &y).expect_err("refused").to_string();
    assert!(error.starts_with("the classes cannot be separated without errors"), "{error}");
    // Separable it is with a narrow kernel.
    let model = Svc::new(rbf(1.0)).c(f64::INFINITY).fit(&x, &y).expect("fits");
    assert!(margins(&model, &x, &y).iter().all(|(margin, _)| *margin > 0.99));
}

#[test]
fn the_price_of_the_mean_error_is_shared_out() {
    let (x, y) = load("heart_scale.libsvm.gz");
    let mean = Svc::new(rbf(0.1)).c(270.0).mean(true).solver(exact()).fit(&x, &y).expect("fits");
    let each = Svc::new(rbf(0.1)).c(1.0).solver(exact()).fit(&x, &y).expect("fits");
    assert!((mean.certificates[0].objective - each.certificates[0].objective).abs() < 1e-6);
}

#[test]
fn the_exact_finish_makes_slopes_equal_to_rounding() {
    let (x, y) = load("heart_scale.libsvm.gz");
    let coarse = Smo { exact: true, ..Smo::default() };
    let rough = Svc::new(rbf(0.1)).fit(&x, &y).expect("fits");
    let model = Svc::new(rbf(0.1)).solver(coarse).fit(&x, &y).expect("fits");
    assert!(model.certificates[0].exact && !rough.certificates[0].exact);
    assert!(model.certificates[0].objective <= rough.certificates[0].objective + 1e-9);
    // Kernel sums in double precision: y·f = 1 at every free point.
    let value = |i: usize, j: usize| {
        let d: f64 = (0..x.width()).map(|k| (x.row(i).get(k) - x.row(j).get(k)).powi(2)).sum();
        (-0.1 * d).exp()
    };
    let alpha: Vec<f64> = margins(&model, &x, &y).into_iter().map(|(_, alpha)| alpha).collect();
    let sign = |i: usize| if y.index()[i] == 0 { 1.0 } else { -1.0 };
    let (mut free, mut worst) = (0, 0.0_f64);
    for i in (0..x.len()).filter(|&i| alpha[i] > 0.0 && alpha[i] < 1.0) {
        let f: f64 = (0..x.len()).map(|j| sign(j) * alpha[j] * value(i, j)).sum::<f64>();
        worst = worst.max((sign(i) * (f - model.expansion.offsets()[0]) - 1.0).abs());
        free += 1;
    }
    assert!(free > 10 && worst < 1e-11, "{free} free, off by {worst}");
}

/// Copies of points instead of weights.
fn repeated(x: &Vectors, weights: &[f64]) -> (Vectors, Vec<usize>) {
    let index: Vec<usize> = (0..x.len()).flat_map(|i| std::iter::repeat_n(i, weights[i] as usize)).collect();
    (x.select(&index), index)
}

/// Equal to what single precision leaves of a prediction.
fn close(a: &[f64], b: &[f64], what: &str) {
    let scale = a.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
    let worst = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst < 2e-6 * scale, "{what}: {worst} of {scale}");
}

#[test]
fn whole_weights_are_copies_and_zero_is_absence_in_every_machine() {
    let (x, y) = load("heart_scale.libsvm.gz");
    let weights: Vec<f64> = (0..x.len()).map(|i| f64::from((i * 7 % 4) as u8)).collect();
    let (copies, index) = repeated(&x, &weights);
    let labels = Labels::first_seen(index.iter().map(|&i| y.name(i)));
    let labels = labels.reordered(y.classes().to_vec());
    let targets: Vec<f64> = (0..x.len()).map(|i| x.row(i).get(0) + x.row(i).get(4) * 0.5).collect();
    let many: Vec<f64> = index.iter().map(|&i| targets[i]).collect();
    let kernel = || rbf(0.1);
    for slack in [Slack::Linear, Slack::Squared] {
        let svc = Svc::new(kernel()).c(0.7).slack(slack).solver(exact());
        let a = svc.fit_weighted(&x, &y, &weights).expect("fits");
        let b = svc.fit(&copies, &labels).expect("fits");
        close(a.decisions(&x).expect("decides").values(), b.decisions(&x).expect("decides").values(), "svc");
        assert!(a.support.iter().all(|&i| weights[i] > 0.0));
    }
    let nu = NuSvc::new(kernel()).nu(0.4).solver(exact());
    let a = nu.fit_weighted(&x, &y, &weights).expect("fits");
    let b = nu.fit(&copies, &labels).expect("fits");
    close(a.decisions(&x).expect("decides").values(), b.decisions(&x).expect("decides").values(), "nu-svc");
    for svr in [
        Svr::new(kernel()).c(2.0).epsilon(0.05),
        Svr::new(kernel()).c(2.0).nu(0.3),
        Svr::new(kernel()).c(2.0).epsilon(0.05).slack(Slack::Squared),
    ] {
        let svr = svr.solver(exact());
        let a = svr.fit_weighted(&x, &targets, &weights).expect("fits");
        let b = svr.clone().fit(&copies, &many).expect("fits");
        assert!(a.certificate.unwrap().exact && b.certificate.unwrap().exact, "{:?}", svr.zone);
        close(&a.values(&x).expect("decides"), &b.values(&x).expect("decides"), "svr");
    }
    let one = OneClass::new(kernel()).nu(0.3).solver(exact());
    let a = one.fit_weighted(&x, &(), &weights).expect("fits");
    let b = one.fit(&copies).expect("fits");
    close(&a.values(&x).expect("decides"), &b.values(&x).expect("decides"), "one-class");
    let sphere = Svdd::new(kernel()).c(0.02).solver(exact());
    let a = sphere.fit_weighted(&x, &(), &weights).expect("fits");
    let b = sphere.fit(&copies).expect("fits");
    close(&a.values(&x).expect("decides"), &b.values(&x).expect("decides"), "svdd");
}

#[test]
fn a_sphere_of_a_table_knows_its_own_rows_alone() {
    let value = |i: u32, k: u32| f64::from((i * 37 + k * 11) % 29) / 7.0 - 2.0;
    let x = Vectors::dense(2, (0..40).flat_map(|i| [value(i, 0), value(i, 1)]).collect());
    let new = Vectors::dense(2, (0..50).flat_map(|i| [value(i, 2), 2.0 * value(i, 5)]).collect());
    // Rows of kernel values under the numbers 1, 2, …
    let table = |rows: &Vectors, width: f64| {
        let kernel = rbf(width);
        let row = |i: usize| {
            let values = (0..x.len()).map(|j| kernel.value(rows.row(i), x.row(j))).collect::<Vec<f64>>();
            [vec![(i + 1) as f64], values].concat()
        };
        Vectors::dense(x.len() + 1, (0..rows.len()).flat_map(row).collect())
    };
    // Also where nearly all values are 0, as those of a new point far away are.
    for width in [0.3, 30.0] {
        let sphere = Svdd::new(precomputed()).nu(0.2).solver(exact()).fit(&table(&x, width)).expect("fits");
        let direct = Svdd::new(rbf(width)).nu(0.2).solver(exact()).fit(&x).expect("fits");
        let expected = direct.values(&x).expect("decides");
        let found = sphere.values(&table(&x, width)).expect("training rows");
        // Two solutions to the tolerance of the solver; k(x, x) of another row would be wrong by about 1.
        assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 5e-3), "{found:?} {expected:?}");
        let of = |rows: &[usize]| sphere.values(&table(&x, width).select(rows));
        assert!(of(&[7, 3, 30]).is_ok_and(|some| some == [found[7], found[3], found[30]]));
        let all = table(&new, width);
        for i in 0..new.len() {
            let error = sphere.values(&all.select(&[i])).expect_err("a new row");
            assert!(error.to_string().contains("row 1: it must be that of a training point"), "{error}");
        }
    }
    assert!("normalized(precomputed)".parse::<VectorExpr>().is_err());
}

#[test]
fn weights_that_cannot_be_used_are_refused() {
    let x = Vectors::dense(1, vec![-2.0, -1.0, 1.0]);
    let y = Labels::first_seen(["a", "a", "b"]);
    let fit = |weights: &[f64]| Svc::new(rbf(1.0)).fit_weighted(&x, &y, weights);
    for (weights, words) in [
        (&[1.0, -1.0, 1.0][..], "none may be negative"),
        (&[1.0, f64::NAN, 1.0], "none may be negative"),
        (&[1.0, f64::INFINITY, 1.0], "none may be negative"),
        (&[0.0, 0.0, 0.0], "not all may be 0"),
        (&[1.0, 1.0], "one for each point"),
        (&[1.0, 1.0, 0.0], "only one class, 'a'"),
    ] {
        let error = fit(weights).expect_err("refused").to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn nu_bounds_the_shares_of_errors_and_of_support_points() {
    let (x, y) = load("heart_scale.libsvm.gz");
    for nu in [0.2, 0.5, 0.8] {
        let model = NuSvc::new(rbf(0.1)).nu(nu).solver(exact()).fit(&x, &y).expect("fits");
        let margins = margins(&model, &x, &y);
        let n = margins.len() as f64;
        let errors = margins.iter().filter(|(margin, _)| *margin < 1.0 - 1e-4).count() as f64;
        let support = model.support.len() as f64;
        assert!(errors <= nu * n + 1e-9 && support >= nu * n - 1e-9, "ν = {nu}: {errors} {support}");
        // It is C-SVC with C the largest α.
        let c = margins.iter().fold(0.0_f64, |c, (_, alpha)| c.max(*alpha));
        let twin = Svc::new(rbf(0.1)).c(c).solver(exact()).fit(&x, &y).expect("fits");
        let (a, b) = (model.decisions(&x).expect("decides"), twin.decisions(&x).expect("decides"));
        let worst = a.values().iter().zip(b.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 2e-3, "ν = {nu}: {worst}");
    }
    // 120 of 270 are of the smaller class.
    let error = NuSvc::new(rbf(0.1)).nu(0.9).fit(&x, &y).expect_err("refused").to_string();
    assert!(error.contains("allow at most 0.888"), "{error}");
}

#[test]
fn squared_errors_without_zone_are_ridge_with_an_offset() {
    // [K + I/C, 1; 1ᵀ, 0] [β; −b] = [y; 0], by Gauss with pivots.
    let n = 60;
    let at = |i: usize| i as f64 / 10.0;
    let x = Vectors::dense(1, (0..n).map(at).collect());
    let y: Vec<f64> = (0..n).map(|i| at(i).sin() + 0.1 * ((i * 37 % 11) as f64 - 5.0)).collect();
    let c = 5.0;
    let mut m = vec![vec![0.0; n + 2]; n + 1];
    for i in 0..n {
        for j in 0..n {
            m[i][j] = (-0.5 * (at(i) - at(j)).powi(2)).exp() + if i == j { 1.0 / c } else { 0.0 };
        }
        (m[i][n], m[n][i], m[i][n + 1]) = (1.0, 1.0, y[i]);
    }
    for k in 0..=n {
        let pivot = (k..=n).max_by(|&a, &b| m[a][k].abs().total_cmp(&m[b][k].abs())).expect("a row");
        m.swap(k, pivot);
        let row = m[k].clone();
        for (i, other) in m.iter_mut().enumerate().filter(|(i, _)| *i != k) {
            let factor = other[k] / row[k];
            other.iter_mut().zip(&row).for_each(|(a, b)| *a -= factor * b);
            assert!(i <= n);
        }
    }
    let solution: Vec<f64> = (0..=n).map(|i| m[i][n + 1] / m[i][i]).collect();
    let machine = Svr::new(rbf(0.5)).c(c).epsilon(0.0).slack(Slack::Squared).solver(exact());
    let model = machine.fit(&x, &y).expect("fits");
    assert!(model.certificate.unwrap().exact);
    assert!((model.expansion.offsets()[0] + solution[n]).abs() < 1e-9);
    for (&i, beta) in model.support.iter().zip(model.coefficients()) {
        assert!((beta - solution[i]).abs() < 1e-9, "{beta} {}", solution[i]);
    }
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let (x, y) = load("heart_scale.libsvm.gz");
    let fit = || {
        let svc = Svc::new(rbf(0.1)).c(3.0).offset(false).slack(Slack::Squared).solver(exact());
        (svc.fit(&x, &y).expect("fits"), NuSvc::new(rbf(0.1)).solver(exact()).fit(&x, &y).expect("fits"))
    };
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread");
    assert_eq!(alone.install(fit), fit());
}
