//! Relevance vector machines through the public API.

use std::ops::ControlFlow;

use mercer::data::{Labels, Vectors};
use mercer::kernel::{linear, rbf, spectrum};
use mercer::model::file::Saved;
use mercer::model::{Estimator, Event, How, Job, Likelihood, Model, Quality, Rvc, Rvr, WidthChoice};

/// Numbers that look random, from −1 to 1.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

fn sinc(n: usize, seed: u64) -> (Vectors, Vec<f64>) {
    let mut draw = noise(seed);
    let x: Vec<f64> = (0..n).map(|i| -10.0 + 20.0 * i as f64 / (n - 1) as f64).collect();
    let y = x.iter().map(|x| if *x == 0.0 { 1.0 } else { x.sin() / x } + 0.17 * draw()).collect();
    (Vectors::dense(1, x), y)
}

#[test]
fn tippings_sinc_has_few_vectors_and_a_small_error() {
    let (mut error, mut vectors, mut noise) = (0.0, 0, 0.0);
    let grid = Vectors::dense(1, (0..1000).map(|i| -10.0 + 20.0 * f64::from(i) / 999.0).collect());
    for seed in 0..10 {
        let (x, y) = sinc(100, seed);
        let model = Rvr::new(rbf(0.1)).fit(&x, &y).unwrap();
        assert!(model.converged && model.gradient < 1e-6, "{seed}: {}", model.gradient);
        vectors += model.support.len();
        noise += model.noise.sqrt() / 10.0;
        let (mean, _) = model.predicted(&grid).unwrap();
        let square = (0..1000).map(|i| {
            let x = -10.0 + 20.0 * i as f64 / 999.0;
            (mean.row(i)[0] - if x == 0.0 { 1.0 } else { x.sin() / x }).powi(2)
        });
        error += (square.sum::<f64>() / 1000.0).sqrt() / 10.0;
    }
    // The paper: 6.7 vectors and 0.0326 for noise of deviation 0.1, which this uniform noise has nearly.
    assert!((35..=100).contains(&vectors), "{vectors} vectors in ten models");
    assert!((0.02..0.045).contains(&error), "{error}");
    assert!((0.08..0.12).contains(&noise), "{noise}");
}

#[test]
fn deviations_are_those_of_the_covariance_written_out() {
    let (x, y) = sinc(40, 3);
    let model = Rvr::new(rbf(0.2)).fit(&x, &y).unwrap();
    let (mean, deviation) = model.predicted(&x).unwrap();
    let m = model.sizes[0];
    let roots = model.spread.coefficients().first_block();
    for i in 0..40 {
        let k = |j: usize| {
            let d = x.row(i).get(0) - model.expansion.points().row(j).get(0);
            (-0.2 * d * d).exp()
        };
        let f: f64 = (0..model.support.len())
            .map(|j| model.expansion.coefficients().first_block()[j] * k(j))
            .sum::<f64>()
            - model.expansion.offsets()[0];
        let variance: f64 = (0..m)
            .map(|o| {
                let own: f64 = (0..model.support.len()).map(|j| roots[j * m + o] * k(j)).sum();
                (own - model.spread.offsets()[o]).powi(2)
            })
            .sum();
        assert!((mean.row(i)[0] - f).abs() < 1e-9 * f.abs().max(1.0));
        assert!((deviation.row(i)[0] - (model.noise + variance).sqrt()).abs() < 1e-9);
        assert!(deviation.row(i)[0] > model.noise.sqrt());
    }
    // Far away only the noise is left, and the constant if there is one.
    let far = Vectors::dense(1, vec![1e6]);
    let constant: f64 = model.spread.offsets().iter().map(|u| u * u).sum();
    let found = model.deviations(&far).unwrap().row(0)[0];
    assert!((found - (model.noise + constant).sqrt()).abs() < 1e-12, "{found}");
}

#[test]
fn a_whole_weight_is_so_many_copies() {
    let (x, y) = sinc(30, 5);
    let weights: Vec<f64> = (0..30).map(|i| f64::from(i % 3)).collect();
    let copies: Vec<usize> = (0..30).flat_map(|i| std::iter::repeat_n(i, i % 3)).collect();
    let (cx, cy) =
        (mercer::data::Points::select(&x, &copies), copies.iter().map(|&i| y[i]).collect::<Vec<_>>());
    let weighted = Rvr::new(rbf(0.2)).tolerance(1e-6).fit_weighted(&x, &y, &weights).unwrap();
    let copied = Rvr::new(rbf(0.2)).tolerance(1e-6).fit(&cx, &cy).unwrap();
    assert!(
        (weighted.evidence[0] - copied.evidence[0]).abs() < 1e-6,
        "{:?} {:?}",
        weighted.evidence,
        copied.evidence
    );
    assert!((weighted.noise / copied.noise - 1.0).abs() < 1e-6);
    let (one, other) = (weighted.predicted(&x).unwrap(), copied.predicted(&x).unwrap());
    for i in 0..30 {
        assert!((one.0.row(i)[0] - other.0.row(i)[0]).abs() < 1e-6);
        assert!((one.1.row(i)[0] - other.1.row(i)[0]).abs() < 1e-6);
    }
    let labels = Labels::first_seen(y.iter().map(|y| if *y > 0.1 { "high" } else { "low" }));
    let weighted = Rvc::new(rbf(0.2)).fit_weighted(&x, &labels, &weights).unwrap();
    let copied = Rvc::new(rbf(0.2)).fit(&cx, &labels.select(&copies)).unwrap();
    assert!((weighted.evidence[0] - copied.evidence[0]).abs() < 1e-6);
}

#[test]
fn three_classes_have_probabilities_that_sum_to_one_and_files_keep_them() {
    let mut draw = noise(9);
    let mut x = Vec::new();
    let names: Vec<&str> = (0..90)
        .map(|i| {
            let class = i % 3;
            let centre = [[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]][class];
            x.extend([centre[0] + draw(), centre[1] + draw()]);
            ["a", "b", "c"][class]
        })
        .collect();
    let x = Vectors::dense(2, x);
    let model = Rvc::new(rbf(0.5)).fit(&x, &Labels::first_seen(names.iter().copied())).unwrap();
    let right = model.predict(&x).unwrap().iter().zip(&names).filter(|(a, b)| a == b).count();
    assert!(right >= 87, "{right} of 90");
    assert!(model.support.len() < 30, "{} vectors", model.support.len());
    let probabilities = model.probabilities(&x, How::default()).unwrap();
    for i in 0..90 {
        let row = probabilities.row(i);
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12 && row.iter().all(|p| (0.0..=1.0).contains(p)));
    }
    let saved = Saved::from(model.clone());
    let back = Saved::from_bytes(&saved.to_bytes().unwrap()).unwrap();
    assert_eq!(back.model.downcast(), Some(&model));
    assert!(matches!(model.quality(), Quality::Reached { converged: true, .. }));
}

#[test]
fn two_classes_are_one_function_with_two_signs() {
    let (x, y) = sinc(50, 2);
    let labels = Labels::first_seen(y.iter().map(|y| if *y > 0.1 { "high" } else { "low" }));
    let model = Rvc::new(rbf(0.3)).fit(&x, &labels).unwrap();
    let scores = model.scores(&x, How::default()).unwrap();
    let probabilities = model.probabilities(&x, How::default()).unwrap();
    for i in 0..50 {
        assert_eq!(scores.row(i)[0], -scores.row(i)[1]);
        let class = model.predict_index(&x).unwrap()[i];
        assert!(probabilities.row(i)[class] >= 0.5 - 1e-12);
    }
}

#[test]
fn candidates_are_drawn_by_the_seed_and_the_model_says_so() {
    let (x, y) = sinc(200, 1);
    let model = Rvr::new(rbf(0.1)).candidates(40).seed(7).fit(&x, &y).unwrap();
    assert_eq!(model.candidates, [40, 200]);
    assert!(model.words().contains("40 candidates, drawn from 200 points"), "{}", model.words());
    assert_eq!(Rvr::new(rbf(0.1)).candidates(40).seed(7).fit(&x, &y).unwrap(), model);
    assert_ne!(Rvr::new(rbf(0.1)).candidates(40).seed(8).fit(&x, &y).unwrap().support, model.support);
}

#[test]
fn odd_input_is_answered_or_refused() {
    let x = Vectors::dense(1, vec![1.0, 2.0, 3.0, 4.0]);
    // Constant targets: a constant, or nothing for zero.
    let model = Rvr::new(rbf(1.0)).fit(&x, &[5.0; 4]).unwrap();
    assert!((model.predicted(&x).unwrap().0.row(0)[0] - 5.0).abs() < 1e-3);
    let model = Rvr::new(rbf(1.0)).fit(&x, &[0.0; 4]).unwrap();
    assert_eq!((model.support.len(), model.predicted(&x).unwrap().0.row(2)[0]), (0, 0.0));
    // The same point everywhere, a kernel that is zero, one point.
    let same = Vectors::dense(1, vec![1.0; 4]);
    assert!(Rvr::new(rbf(1.0)).fit(&same, &[1.0, 2.0, 3.0, 4.0]).unwrap().noise > 0.5);
    let zero = Vectors::dense(1, vec![0.0; 4]);
    assert!(Rvr::new(linear()).offset(false).fit(&zero, &[1.0, 2.0, 3.0, 4.0]).unwrap().support.is_empty());
    assert!(Rvr::new(rbf(1.0)).fit(&Vectors::dense(1, vec![1.0]), &[2.0]).is_ok());
    for refused in [
        Rvr::new(rbf(1.0)).tolerance(0.0).fit(&x, &[1.0; 4]),
        Rvr::new(rbf(1.0)).noise(-1.0).fit(&x, &[1.0; 4]),
        Rvr::new(rbf(1.0)).candidates(0).fit(&x, &[1.0; 4]),
        Rvr::new(rbf(1.0)).fit(&x, &[1.0, f64::NAN, 0.0, 0.0]),
        Rvr::new(rbf(1.0)).fit(&x, &[1.0; 3]),
    ] {
        assert!(refused.is_err());
    }
    assert!(Rvc::new(rbf(1.0)).fit(&x, &Labels::first_seen(["a"; 4])).is_err());
}

#[test]
fn texts_have_relevance_vectors_too_and_a_watch_ends_the_climb() {
    let texts: Vec<String> = (0..24)
        .map(|i| format!("{}{}", if i % 2 == 0 { "abab" } else { "cdcd" }, "xyz".repeat(i % 4)))
        .collect();
    let labels = Labels::first_seen((0..24).map(|i| if i % 2 == 0 { "ab" } else { "cd" }));
    let model = Rvc::new(spectrum(2).normalized()).fit(&texts, &labels).unwrap();
    assert_eq!(model.predict(&texts).unwrap()[..2], ["ab", "cd"]);
    let (x, y) = sinc(60, 4);
    let mut seen = 0;
    let mut watch = |_: Event<'_>| {
        seen += 1;
        if seen > 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let model = Rvr::new(rbf(0.1)).fit_in(&x, &y, &mut Job::new().watched(&mut watch)).unwrap();
    assert!(!model.converged && model.steps <= 4);
}

#[test]
fn a_softmax_of_three_classes_is_one_evidence_and_files_keep_it() {
    let mut draw = noise(4);
    let mut x = Vec::new();
    let names: Vec<&str> = (0..120)
        .map(|i| {
            let class = i % 3;
            let centre = [[0.0, 0.0], [1.6, 0.0], [0.0, 1.6]][class];
            x.extend([centre[0] + draw(), centre[1] + draw()]);
            ["a", "b", "c"][class]
        })
        .collect();
    let (x, labels) = (Vectors::dense(2, x), Labels::first_seen(names.iter().copied()));
    let model = Rvc::new(rbf(0.5)).likelihood(Likelihood::Multinomial).fit(&x, &labels).unwrap();
    assert!(model.converged && model.gradient < 1e-7 && model.evidence.len() == 1, "{model:?}");
    let right = model.predict(&x).unwrap().iter().zip(&names).filter(|(a, b)| a == b).count();
    assert!(right >= 105, "{right} of 120");
    let probabilities = model.probabilities(&x, How::default()).unwrap();
    let index = model.predict_index(&x).unwrap();
    let mut sure = 0.0;
    for i in 0..120 {
        let row = probabilities.row(i);
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(row.iter().all(|p| row[index[i]] >= *p));
        sure += row[index[i]];
    }
    // As sure as it is right.
    assert!((sure / right as f64 - 1.0).abs() < 0.1, "{sure} {right}");
    let back = Saved::from_bytes(&Saved::from(model.clone()).to_bytes().unwrap()).unwrap();
    assert_eq!(back.model.downcast(), Some(&model));
}

#[test]
fn the_width_of_largest_evidence_is_found_from_far_away() {
    let (x, y) = sinc(80, 6);
    let evidence = |gamma: f64| Rvr::new(rbf(gamma)).fit(&x, &y).unwrap().evidence[0];
    let best = (-12..=6).map(|power| evidence(1.5_f64.powi(power))).fold(f64::NEG_INFINITY, f64::max);
    for gamma in [0.003, 0.1, 5.0] {
        let model = Rvr::new(rbf(gamma)).width(WidthChoice::Evidence).fit(&x, &y).unwrap();
        assert!(model.evidence[0] > best - 1.0, "{gamma}: {} {best}", model.evidence[0]);
        let refit = Rvr::new(model.expansion.kernel().clone()).fit(&x, &y).unwrap();
        assert_eq!(refit.evidence, model.evidence);
    }
}

#[test]
fn features_that_do_not_matter_are_left_out() {
    let mut draw = noise(11);
    let rows: Vec<[f64; 3]> = (0..120).map(|_| [draw(), draw(), draw()]).collect();
    let y: Vec<f64> = rows.iter().map(|r| (3.0 * r[1]).sin() + 0.05 * draw()).collect();
    let x = Vectors::dense(3, rows.concat());
    let plain = Rvr::new(rbf(0.5)).fit(&x, &y).unwrap();
    let model = Rvr::new(rbf(0.5)).width(WidthChoice::Features).fit(&x, &y).unwrap();
    let kernel = model.expansion.kernel().to_string();
    assert!(kernel.ends_with("@ columns(2)") && !kernel.contains('*'), "{kernel}");
    assert!(model.evidence[0] > plain.evidence[0] + 10.0, "{:?} {:?}", model.evidence, plain.evidence);
    // A kernel that is fitted to the points is so at each width.
    let centred = Rvr::new(rbf(0.5).centered()).width(WidthChoice::Evidence).fit(&x, &y).unwrap();
    assert!(centred.evidence[0] >= Rvr::new(rbf(0.5).centered()).fit(&x, &y).unwrap().evidence[0]);
    // Texts have no features, and a sum of kernels is no Gaussian.
    let texts: Vec<String> = (0..8).map(|i| "ab".repeat(i + 1)).collect();
    assert!(Rvr::new(spectrum(2)).width(WidthChoice::Features).fit(&texts, &y[..8]).is_err());
    assert!(Rvr::new(rbf(1.0) + linear()).width(WidthChoice::Features).fit(&x, &y).is_err());
}

/// Friedman's first function of ten features, of which five matter, on the unit cube.
fn friedman(n: usize, deviation: f64, draw: &mut impl FnMut() -> f64) -> (Vectors, Vec<f64>) {
    let rows: Vec<[f64; 10]> = (0..n).map(|_| std::array::from_fn(|_| 0.5 * (draw() + 1.0))).collect();
    let truth = |x: &[f64; 10]| {
        10.0 * (std::f64::consts::PI * x[0] * x[1]).sin()
            + 20.0 * (x[2] - 0.5).powi(2)
            + 10.0 * x[3]
            + 5.0 * x[4]
    };
    // The sum of twelve uniform numbers has nearly the normal distribution; of each the variance is a third.
    let mut normal = || (0..12).map(|_| draw()).sum::<f64>() / 2.0;
    let y = rows.iter().map(|x| truth(x) + deviation * normal()).collect();
    (Vectors::dense(10, rows.concat()), y)
}

#[test]
fn a_width_for_each_feature_finds_friedmans_five_with_few_vectors() {
    let mut draw = noise(3);
    let ((x, y), (test, truth)) = (friedman(240, 1.0, &mut draw), friedman(1000, 0.0, &mut draw));
    let model = Rvr::new(rbf(1.0)).width(WidthChoice::Features).fit(&x, &y).unwrap();
    let (mean, _) = model.predicted(&test).unwrap();
    let error = truth.iter().enumerate().map(|(i, t)| (mean.row(i)[0] - t).powi(2)).sum::<f64>() / 1000.0;
    // Tipping has 0.27 and 11.5 vectors on average; a kernel of one width 2.8 and 59.
    assert!(error < 0.8, "{error}");
    assert!((6..=25).contains(&model.support.len()), "{}", model.support.len());
    let kernel = model.expansion.kernel().to_string();
    assert!((1..=5).all(|j| kernel.contains(&format!("columns({j})"))), "{kernel}");
    // Most of the other five are left out.
    let others = (6..=10).filter(|j| kernel.contains(&format!("columns({j})"))).count();
    assert!(others <= 2, "{kernel}");
    assert!(model.converged);
}

/// Three heaps that do not touch, 30 points each.
fn apart() -> (Vectors, Vec<&'static str>) {
    let mut draw = noise(11);
    let mut x = Vec::new();
    let names = (0..90).map(|i| {
        let centre = [[0.0, 0.0], [4.0, 0.0], [2.0, 4.0]][i % 3];
        x.extend([centre[0] + 0.6 * draw(), centre[1] + 0.6 * draw()]);
        ["a", "b", "c"][i % 3]
    });
    let names = names.collect();
    (Vectors::dense(2, x), names)
}

#[test]
fn a_softmax_tells_classes_apart_by_kernels_of_any_width() {
    let (x, names) = apart();
    for gamma in [0.01, 0.03, 0.1, 0.3, 1.0, 3.0] {
        let fit = Rvc::new(rbf(gamma)).likelihood(Likelihood::Multinomial);
        let model = fit.fit(&x, &Labels::first_seen(names.iter().copied())).unwrap();
        let right = model.predict(&x).unwrap().iter().zip(&names).filter(|(a, b)| a == b).count();
        assert_eq!(right, 90, "gamma = {gamma}, {} vectors", model.support.len());
        assert!(model.converged, "gamma = {gamma}: {}", model.gradient);
    }
}

#[test]
fn probabilities_of_a_softmax_are_those_of_the_differences_of_its_functions() {
    let (x, names) = apart();
    let fit = Rvc::new(rbf(0.3)).likelihood(Likelihood::Multinomial);
    let model = fit.fit(&x, &Labels::first_seen(names.iter().copied())).unwrap();
    let grid = Vectors::dense(2, (0..60).map(|i| f64::from(i * 7 % 60) / 8.0 - 2.0).collect());
    let values = model.expansion.map_double(&grid, <[f64]>::to_vec).unwrap();
    let roots = model.spread.map_double(&grid, <[f64]>::to_vec).unwrap();
    let (probabilities, index) =
        (model.probabilities(&grid, How::default()).unwrap(), model.predict_index(&grid).unwrap());
    let m = model.sizes[0];
    for i in 0..30 {
        let (f, u) = (&values[i], &roots[i]);
        let a = (0..3).fold(0, |best, c| if f[c] > f[best] { c } else { best });
        assert_eq!(index[i], a);
        let odds = |c: usize| {
            let variance: f64 = (0..m).map(|o| (u[c * m + o] - u[a * m + o]).powi(2)).sum();
            ((f[c] - f[a]) / (1.0 + std::f64::consts::PI / 8.0 * variance).sqrt()).exp()
        };
        let sum: f64 = (0..3).map(odds).sum();
        for c in 0..3 {
            assert!((probabilities.row(i)[c] - odds(c) / sum).abs() < 1e-12, "{i} {c}");
            assert!(probabilities.row(i)[c] <= probabilities.row(i)[a]);
        }
    }
    // What is added to all functions says nothing of the classes.
    let mut moved = model.clone();
    let offsets = model.expansion.offsets().iter().map(|b| b - 7.0).collect();
    let (kernel, points) = (model.expansion.kernel().clone(), model.expansion.points().clone());
    let coefficients = model.expansion.coefficients().clone();
    moved.expansion = mercer::model::Expansion::new(kernel, points, coefficients, offsets);
    let same = moved.probabilities(&grid, How::default()).unwrap();
    for (one, other) in same.values().iter().zip(probabilities.values()) {
        assert!((one - other).abs() < 1e-12, "{one} {other}");
    }
}

#[test]
fn numbers_of_an_unusable_size_are_named() {
    let x = Vectors::dense(1, vec![1.0, 2.0, 3.0, 4.0]);
    for size in [1e200, 1e-200] {
        let y = [size, -size, 2.0 * size, 3.0 * size];
        let error = Rvr::new(rbf(1.0)).fit(&x, &y).unwrap_err().to_string();
        assert!(error.starts_with("targets = ") && error.contains("scale the targets"), "{error}");
        let error = Rvr::new(rbf(1.0)).fit_weighted(&x, &[1.0, 2.0, 3.0, 5.0], &y.map(f64::abs)).unwrap_err();
        assert!(error.to_string().starts_with("weights of points: "), "{error}");
    }
    let model = Rvr::new(rbf(1.0)).fit(&x, &[1e99, -1e99, 2e99, 3e99]).unwrap();
    assert!(model.noise.is_finite() && model.evidence[0].is_finite());
}

#[test]
fn rows_are_counted_with_their_copies() {
    let x = Vectors::dense(1, vec![1.0, 2.0, 3.0, 4.0, 1.0]);
    let model = Rvr::new(rbf(1.0)).fit(&x, &[1.0, 2.0, 1.0, 0.0, 1.0]).unwrap();
    assert!(model.words().contains("of 5 points"), "{}", model.words());
    let labels = Labels::first_seen(["a", "b", "b", "b", "a"]);
    let words = Rvc::new(rbf(1.0)).fit(&x, &labels).unwrap().words();
    assert!(words.contains("of 5 points") && !words.contains("noise"), "{words}");
}
