//! RBF networks: their output weights against a fit on features that are written out, their centres and widths, their files, and
//! what they refuse.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use mercer::data::{Dense, Labels, Points, SplitMix, Vectors};
use mercer::error::ErrorKind;
use mercer::kernel::{VectorExpr, linear, precomputed, rbf, spectrum};
use mercer::model::file::Saved;
use mercer::model::{
    Centers, Estimator, Job, Lambda, Layer, Network, NetworkClassifier, OutputFit, RbfNetwork,
    RbfNetworkRegression, Svr, Width,
};

fn points(n: usize, seed: u64) -> Vectors {
    let mut random = SplitMix(seed);
    Vectors::dense(2, (0..2 * n).map(|_| 4.0 * random.uniform() - 2.0).collect::<Vec<f64>>())
}

fn target(x: &Vectors, i: usize) -> f64 {
    (1.5 * x.row(i).get(0)).sin() + 0.3 * x.row(i).get(1)
}

fn numbers(x: &Vectors) -> Vec<f64> {
    (0..x.len()).map(|i| target(x, i)).collect()
}

fn classes(x: &Vectors) -> Labels {
    Labels::first_seen((0..x.len()).map(|i| match target(x, i) {
        t if t < -0.4 => "low",
        t if t < 0.5 => "middle",
        _ => "high",
    }))
}

fn square(x: &Vectors, i: usize, c: &Vectors, j: usize) -> f64 {
    (0..2).map(|k| (x.row(i).get(k) - c.row(j).get(k)).powi(2)).sum()
}

/// The units of a network with kernel rbf(γ), or with widths over the linear kernel's distance, from their definition.
fn units_of(network: &Network<Vectors, VectorExpr>, gamma: f64, x: &Vectors) -> Vec<Vec<f64>> {
    let c = network.expansion.points();
    let unit = |i: usize, j: usize| match network.widths.get(j) {
        None => (-gamma * square(x, i, c, j)).exp(),
        Some(width) => (-square(x, i, c, j) / (2.0 * width * width)).exp(),
    };
    (0..x.len()).map(|i| (0..c.len()).map(|j| unit(i, j)).collect()).collect()
}

/// How far Σ wᵢ(f(xᵢ) − yᵢ)² + λ‖v‖² is from its minimum: the size of its gradient in v and b in parts of that at v = b = 0.
fn gradient(network: &Network<Vectors, VectorExpr>, h: &[Vec<f64>], weights: &[f64], y: &[f64]) -> f64 {
    let v = network.expansion.coefficients().first_block();
    let b = -network.expansion.offsets()[0];
    let size = |scale: f64| {
        let over = |i: usize| scale * (h[i].iter().zip(v).map(|(h, v)| h * v).sum::<f64>() + b) - y[i];
        let in_v = |j: usize| {
            let sum: f64 = (0..y.len()).map(|i| weights[i] * over(i) * h[i][j]).sum();
            (sum + scale * network.lambda * v[j]).powi(2)
        };
        let in_b = (0..y.len()).map(|i| weights[i] * over(i)).sum::<f64>().powi(2);
        ((0..v.len()).map(in_v).sum::<f64>() + in_b).sqrt()
    };
    size(1.0) / size(0.0)
}

#[test]
fn output_weights_minimise_the_penalised_squares_for_every_layer() {
    let (x, gamma) = (points(150, 1), 0.8);
    let (y, weights) = (numbers(&x), (0..150).map(|i| 1.0 + (i % 3) as f64).collect::<Vec<f64>>());
    for centers in [Centers::KMeans, Centers::KMedoids, Centers::All, Centers::Ols] {
        for width in [Width::Kernel, Width::Nearest, Width::Value(0.9)] {
            if (centers, width) == (Centers::Ols, Width::Nearest) {
                continue;
            }
            let kernel = if width == Width::Kernel { rbf(gamma) } else { linear() };
            for lambda in [Lambda::Value(0.01), Lambda::Auto] {
                let fit = RbfNetworkRegression::new(kernel.clone()).units(20).centers(centers).width(width);
                let model =
                    fit.lambda(lambda.clone()).fit_weighted(&x, std::slice::from_ref(&y), &weights).unwrap();
                let network = &model.network;
                let h = units_of(network, gamma, &x);
                let slope = gradient(network, &h, &weights, &y);
                assert!(slope < 1e-6, "{centers:?} {width:?} {lambda:?}: {slope}");
                assert_eq!(network.left_out.is_some(), lambda == Lambda::Auto);
                let many = if centers == Centers::All { 150 } else { 20 };
                assert!(network.expansion.points().len() <= many && network.lambda > 0.0);
                assert_eq!(network.support.is_empty(), centers == Centers::KMeans);
                // Predictions are the function, by either precision's path.
                let values = model.values(&x).unwrap();
                let v = network.expansion.coefficients().first_block();
                for i in (0..150).step_by(11) {
                    let exact =
                        h[i].iter().zip(v).map(|(h, v)| h * v).sum::<f64>() - network.expansion.offsets()[0];
                    let scale = v.iter().map(|v| v.abs()).sum::<f64>().max(1.0);
                    assert!((values.row(i)[0] - exact).abs() < 1e-11 * scale, "{centers:?} {width:?}");
                }
            }
        }
    }
}

#[test]
fn lambda_by_leaving_out_is_the_best_by_refits() {
    let x = points(60, 2);
    let mut random = SplitMix(3);
    let y: Vec<f64> = (0..60).map(|i| target(&x, i) + random.uniform()).collect();
    let lambdas = [1e-4, 1e-2, 1.0, 100.0];
    let fit = RbfNetworkRegression::new(rbf(1.0)).units(15).lambda(lambdas.to_vec());
    let mut job = Job::new();
    let model = fit.fit_in(&x, std::slice::from_ref(&y), &mut job).unwrap();
    let h = units_of(&model.network, 1.0, &x);
    let error =
        |lambda: f64| (0..60).map(|i| (y[i] - without(&h, &y, i, lambda)).powi(2)).sum::<f64>() / 60.0;
    let errors: Vec<f64> = lambdas.iter().map(|&lambda| error(lambda)).collect();
    let best = (0..4).min_by(|&a, &b| errors[a].total_cmp(&errors[b])).unwrap();
    assert_eq!(model.network.lambda, lambdas[best]);
    assert!((model.network.left_out.unwrap() - errors[best]).abs() < 1e-7 * errors[best]);
    assert!(job.found.get("path").is_some());
}

/// The prediction for point i of the fit without it, by conjugate gradients on the normal equations.
fn without(h: &[Vec<f64>], y: &[f64], left: usize, lambda: f64) -> f64 {
    let m = h[0].len();
    let rows: Vec<usize> = (0..y.len()).filter(|&i| i != left).collect();
    let entry = |i: usize, j: usize| if j < m { h[i][j] } else { 1.0 };
    let apply = |v: &[f64]| {
        let fitted: Vec<f64> = rows.iter().map(|&i| (0..=m).map(|j| entry(i, j) * v[j]).sum()).collect();
        let sum = |j: usize| rows.iter().zip(&fitted).map(|(&i, f)| entry(i, j) * f).sum::<f64>();
        (0..=m).map(|j| sum(j) + if j < m { lambda * v[j] } else { 0.0 }).collect::<Vec<f64>>()
    };
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut v = vec![0.0; m + 1];
    let mut r: Vec<f64> = (0..=m).map(|j| rows.iter().map(|&i| entry(i, j) * y[i]).sum()).collect();
    let mut p = r.clone();
    for _ in 0..4000 {
        let size = dot(&r, &r);
        if size < 1e-26 {
            break;
        }
        let q = apply(&p);
        let step = size / dot(&p, &q);
        (0..=m).for_each(|j| v[j] += step * p[j]);
        (0..=m).for_each(|j| r[j] -= step * q[j]);
        let next = dot(&r, &r) / size;
        (0..=m).for_each(|j| p[j] = r[j] + next * p[j]);
    }
    (0..=m).map(|j| entry(left, j) * v[j]).sum()
}

#[test]
fn a_whole_weight_is_so_many_copies() {
    let x = points(50, 4);
    let (y, labels) = (numbers(&x), classes(&x));
    // In another order: 7 and 11 have no factor in common with the number of copies.
    let copies: Vec<usize> = (0..50).flat_map(|i| std::iter::repeat_n(i, i % 3)).collect();
    let copies: Vec<usize> = (0..copies.len()).map(|at| copies[(7 + 11 * at) % copies.len()]).collect();
    let weights: Vec<f64> = (0..50).map(|i| (i % 3) as f64).collect();
    let (long, new) = (x.select(&copies), points(20, 5));
    let repeated: Vec<f64> = copies.iter().map(|&i| y[i]).collect();
    for centers in [Centers::KMeans, Centers::KMedoids, Centers::All, Centers::Ols] {
        let fit = RbfNetworkRegression::new(rbf(0.5)).centers(centers).units(12);
        let one = fit.fit_weighted(&x, std::slice::from_ref(&y), &weights).unwrap();
        let other = fit.fit(&long, &repeated).unwrap();
        let (a, b) = (one.values(&new).unwrap(), other.values(&new).unwrap());
        // Copies are joined before the fit: the problem is the same, to the bit.
        assert_eq!(a, b, "{centers:?}");
    }
    // Classes apart, for which ever smaller penalties are better, and the penalty chosen.
    let apart = Labels::first_seen((0..50).map(|i| if x.row(i).get(0) > 0.0 { "right" } else { "left" }));
    let fit = RbfNetwork::new(rbf(0.5)).units(12).output(OutputFit::Logistic);
    let one = fit.fit_weighted(&x, &apart, &weights).unwrap();
    let other = fit.fit(&long, &apart.select(&copies)).unwrap();
    assert!((one.network.lambda / other.network.lambda - 1.0).abs() < 1e-9);
    let fit = RbfNetwork::new(rbf(0.5)).units(12).output(OutputFit::Logistic).lambda(0.1);
    let one = fit.fit_weighted(&x, &labels, &weights).unwrap().probabilities(&new).unwrap();
    let other = fit.fit(&long, &labels.select(&copies)).unwrap();
    let order: Vec<usize> = ["low", "middle", "high"].iter().map(|name| place(&other, name)).collect();
    let model = fit.fit_weighted(&x, &labels, &weights).unwrap();
    let other = other.probabilities(&new).unwrap();
    for i in 0..20 {
        for (c, name) in ["low", "middle", "high"].iter().enumerate() {
            let difference = one.row(i)[place(&model, name)] - other.row(i)[order[c]];
            // Classes in another order have sums in another order.
            assert!(difference.abs() < 1e-9, "{difference}");
        }
    }
}

fn place(model: &NetworkClassifier<Vectors, VectorExpr>, name: &str) -> usize {
    model.classes.iter().position(|class| class == name).unwrap()
}

#[test]
fn classifiers_learn_and_logistic_outputs_are_probabilities() {
    let (x, new) = (points(400, 6), points(200, 7));
    let (y, expected) = (classes(&x), classes(&new));
    let names: Vec<&str> =
        (0..200).map(|i| expected.classes()[expected.index()[i] as usize].as_str()).collect();
    for output in [OutputFit::Ridge, OutputFit::Logistic] {
        for width in [Width::Kernel, Width::Nearest] {
            let kernel = if width == Width::Kernel { rbf(1.0) } else { linear() };
            let model = RbfNetwork::new(kernel).units(40).width(width).output(output).fit(&x, &y).unwrap();
            let found = model.predict(&new).unwrap();
            let right = found.iter().zip(&names).filter(|(a, b)| a == b).count();
            assert!(right >= 186, "{output:?} {width:?}: {right}");
            let probabilities = model.probabilities(&new);
            if output == OutputFit::Ridge {
                assert!(matches!(probabilities.unwrap_err().kind(), ErrorKind::Unsupported { .. }));
                continue;
            }
            let probabilities = probabilities.unwrap();
            for i in 0..200 {
                let row = probabilities.row(i);
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12 && row.iter().all(|p| *p >= 0.0));
                let best = (0..3).max_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap();
                assert_eq!(model.classes[best], found[i]);
            }
        }
    }
}

#[test]
fn many_points_in_single_precision_are_as_good_as_few_in_double() {
    // 2,400 points and 1,000 units are above the border, 200 units below it.
    let (x, new) = (points(2400, 8), points(100, 9));
    let y = numbers(&x);
    let exact = numbers(&new);
    for units in [200, 1000] {
        for lambda in [Lambda::Value(1e-3), Lambda::Auto] {
            let model = RbfNetworkRegression::new(rbf(0.5)).units(units).lambda(lambda).fit(&x, &y).unwrap();
            let values = model.values(&new).unwrap();
            let worst = (0..100).map(|i| (values.row(i)[0] - exact[i]).abs()).fold(0.0, f64::max);
            // A penalty that is given smooths; the best one leaves what the corners miss.
            let given = model.network.left_out.is_none();
            assert!(worst < if given { 0.1 } else { 5e-3 }, "{units}: {worst}");
            let slope = gradient(&model.network, &units_of(&model.network, 0.5, &x), &[1.0; 2400], &y);
            assert!(!given || slope < if units == 200 { 1e-9 } else { 1e-4 }, "{units}: {slope}");
        }
    }
}

#[test]
fn widths_are_the_mean_distance_to_the_nearest_centres() {
    let x = points(80, 10);
    let layer =
        Layer { units: Some(9), width: Width::Nearest, neighbors: 3, spread: 1.5, ..Layer::default() };
    let model = RbfNetworkRegression::new(linear()).layer(layer).fit(&x, &numbers(&x)).unwrap();
    let c = model.network.expansion.points();
    assert_eq!(model.network.widths.len(), 9);
    for j in 0..9 {
        let mut others: Vec<f64> = (0..9).filter(|&i| i != j).map(|i| square(c, i, c, j).sqrt()).collect();
        others.sort_by(f64::total_cmp);
        let expected = 1.5 * others[..3].iter().sum::<f64>() / 3.0;
        assert!((model.network.widths[j] - expected).abs() < 1e-9 * expected);
    }
}

#[test]
fn tables_of_values_and_other_spaces_have_medoids() {
    let x = points(30, 11);
    // A table has no order of its points but that of the data: here the points' own.
    let mut order: Vec<usize> = (0..30).collect();
    order.sort_by(|&i, &j| x.compare(i, j));
    let x = x.select(&order);
    let kernel = rbf(0.5);
    let row = |i: usize| {
        let values = (0..30).map(|j| kernel.value(x.row(i), x.row(j))).collect::<Vec<f64>>();
        [vec![(i + 1) as f64], values].concat()
    };
    let table = Vectors::dense(31, (0..30).flat_map(row).collect::<Vec<f64>>());
    let fit = RbfNetworkRegression::new(precomputed()).units(8).lambda(0.01);
    let tabled = fit.fit(&table, &numbers(&x)).unwrap();
    let medoids = RbfNetworkRegression::new(kernel).units(8).lambda(0.01).centers(Centers::KMedoids);
    let direct = medoids.fit(&x, &numbers(&x)).unwrap();
    assert_eq!(tabled.network.support, direct.network.support);
    let (a, b) = (tabled.values(&table).unwrap(), direct.values(&x).unwrap());
    assert!((0..30).all(|i| (a.row(i)[0] - b.row(i)[0]).abs() < 1e-6));
    let texts: Vec<String> = (0..24).map(|i| ["abab", "bcbc", "caca"][i % 3].repeat(1 + i % 4)).collect();
    let labels = Labels::first_seen((0..24).map(|i| ["a", "b", "c"][i % 3]));
    for width in [Width::Kernel, Width::Nearest, Width::Value(0.5)] {
        let model =
            RbfNetwork::new(spectrum(2).normalized()).units(6).width(width).fit(&texts, &labels).unwrap();
        let found = model.predict(&texts).unwrap();
        assert!((0..24).all(|i| found[i] == ["a", "b", "c"][i % 3]), "{width:?}");
        assert!(!model.network.support.is_empty() && model.network.support.len() <= 6);
    }
}

#[test]
fn sparse_and_single_precision_rows_have_the_same_centres() {
    let dense = points(60, 12);
    let y = numbers(&dense);
    let values: Vec<f64> = (0..60).flat_map(|i| [dense.row(i).get(0), dense.row(i).get(1)]).collect();
    let start: Vec<usize> = (0..=60).map(|i| 2 * i).collect();
    let index: Vec<u32> = (0..120).map(|i| i % 2).collect();
    let sparse: Vectors = mercer::data::Sparse::new(2, start, index, values.clone()).into();
    let single: Vectors = Dense::new(2, values.iter().map(|&v| v as f32).collect::<Vec<f32>>()).into();
    let fit = RbfNetworkRegression::new(rbf(0.7)).units(10).lambda(0.1);
    let whole = fit.fit(&dense, &y).unwrap().values(&dense).unwrap();
    for (x, tolerance) in [(sparse, 1e-9), (single, 1e-4)] {
        let model = fit.fit(&x, &y).unwrap();
        assert_eq!(model.network.expansion.points().is_sparse(), x.is_sparse());
        let found = model.values(&x).unwrap();
        assert!((0..60).all(|i| (found.row(i)[0] - whole.row(i)[0]).abs() < tolerance));
    }
}

#[test]
fn a_network_with_all_points_and_little_penalty_interpolates_as_support_vectors_do() {
    let x = points(40, 13);
    let y = numbers(&x);
    let network = RbfNetworkRegression::new(rbf(1.0)).centers(Centers::All).lambda(1e-9).fit(&x, &y).unwrap();
    let vectors = Svr::new(rbf(1.0)).c(1e4).epsilon(1e-3).fit(&x, &y).unwrap();
    let (a, b) = (network.values(&x).unwrap(), vectors.values(&x).unwrap());
    assert!((0..40).all(|i| (a.row(i)[0] - y[i]).abs() < 1e-2 && (a.row(i)[0] - b[i]).abs() < 2e-2));
}

#[test]
fn models_come_back_from_their_files_and_hostile_ones_are_refused() {
    let x = points(60, 14);
    for width in [Width::Kernel, Width::Nearest] {
        let fit = RbfNetwork::new(rbf(0.5)).units(9).width(width).output(OutputFit::Logistic);
        let model = fit.fit(&x, &classes(&x)).unwrap();
        let bytes = Saved::from(model.clone()).to_bytes().unwrap();
        let back = Saved::from_bytes(&bytes).unwrap();
        assert_eq!(back.model.downcast::<NetworkClassifier<Vectors, VectorExpr>>(), Some(&model));
        let refused = |change: fn(&mut NetworkClassifier<Vectors, VectorExpr>), part: &str| {
            let mut hostile = model.clone();
            change(&mut hostile);
            let error = Saved::from(hostile).to_bytes().unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        };
        refused(|model| model.network.widths = vec![0.0; 9], "width");
        refused(|model| model.network.widths = vec![f64::NAN; 9], "width");
        refused(|model| model.network.widths = vec![1.0; 5], "widths");
        refused(|model| model.network.lambda = -1.0, "lambda");
        refused(|model| model.network.left_out = Some(f64::INFINITY), "left out");
        refused(|model| model.classes.truncate(2), "2 are expected");
    }
}

#[test]
fn what_cannot_be_fitted_is_refused_in_words() {
    let x = points(12, 15);
    let (y, labels) = (numbers(&x), classes(&x));
    let fit = || RbfNetworkRegression::new(rbf(0.5));
    let message = |error: mercer::Error| error.to_string();
    assert!(message(fit().units(0).fit(&x, &y).unwrap_err()).contains("units"));
    assert!(message(fit().width(-1.0).fit(&x, &y).unwrap_err()).contains("width"));
    assert!(message(fit().lambda(-1.0).fit(&x, &y).unwrap_err()).contains("lambda"));
    assert!(message(fit().lambda(f64::NAN).fit(&x, &y).unwrap_err()).contains("lambda"));
    assert!(message(fit().lambda(Vec::new()).fit(&x, &y).unwrap_err()).contains("lambdas"));
    let mixed = fit().centers(Centers::Ols).width(Width::Nearest).fit(&x, &y);
    assert!(message(mixed.unwrap_err()).contains("neighbours"));
    let logistic = RbfNetwork::new(rbf(0.5)).output(OutputFit::Logistic).lambda(0.0);
    assert!(message(logistic.fit(&x, &labels).unwrap_err()).contains("positive"));
    assert!(fit().fit(&points(0, 1), &[]).is_err());
    assert!(fit().fit_weighted(&x, std::slice::from_ref(&y), &[0.0; 12]).is_err());
    let broken = Vectors::dense(2, [vec![f64::NAN], vec![0.0; 23]].concat());
    assert!(fit().fit(&broken, &y).is_err());
    assert!(fit().fit_in(&x, &[], &mut Job::new()).is_err());
    // More units than points are as many as there are points; points that are all the same have one, and its constant.
    assert!(fit().units(1000).fit(&x, &y).unwrap().network.expansion.points().len() <= 12);
    let same = Vectors::dense(1, vec![3.0; 6]);
    let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    for centers in [Centers::KMeans, Centers::KMedoids, Centers::All, Centers::Ols] {
        for width in [Width::Kernel, Width::Value(1.0)] {
            let model = fit().centers(centers).width(width).fit(&same, &values).unwrap();
            assert_eq!(model.network.expansion.points().len(), 1);
            assert!((model.values(&same).unwrap().row(0)[0] - 3.5).abs() < 1e-9);
        }
    }
    let single = RbfNetworkRegression::new(linear()).width(Width::Nearest).fit(&same, &values).unwrap();
    assert_eq!(single.network.widths, [1.0]);
}

#[test]
fn units_that_are_the_same_at_all_points_leave_the_constant() {
    let one_row = (Vectors::dense(2, vec![1.0, 2.0]), vec![3.0]);
    let constant = (Vectors::dense(1, vec![1.5; 6]), vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let kernels = [rbf(0.7), linear()];
    for (x, y) in [one_row, constant] {
        let mean = y.iter().sum::<f64>() / y.len() as f64;
        for (centers, kernel) in [Centers::KMeans, Centers::All, Centers::Ols]
            .into_iter()
            .flat_map(|c| kernels.iter().map(move |k| (c, k)))
        {
            let fit = RbfNetworkRegression::new(kernel.clone()).centers(centers);
            let model = fit.fit(&x, &y).unwrap();
            let network = &model.network;
            assert!(network.lambda > 1e-13 && network.lambda <= 1.0, "{centers:?}: {}", network.lambda);
            assert!((model.values(&x).unwrap().row(0)[0] - mean).abs() < 1e-12, "{centers:?}");
            assert!(Saved::from(model).to_bytes().is_ok(), "{centers:?}");
        }
    }
    let x = Vectors::dense(1, vec![1.5; 6]);
    let labels = Labels::first_seen(["a", "b", "a", "b", "a", "a"]);
    for output in [OutputFit::Ridge, OutputFit::Logistic] {
        let model = RbfNetwork::new(rbf(1.0)).output(output).fit(&x, &labels).unwrap();
        assert_eq!(model.predict(&x).unwrap()[0], "a");
        assert!((1e-13..=100.0).contains(&model.network.lambda), "{}", model.network.lambda);
        assert!(Saved::from(model).to_bytes().is_ok());
    }
}

#[test]
fn no_penalty_is_chosen_by_errors_that_are_rounding() {
    // Each of two points is predicted by the target of the other, whatever the penalty.
    let x = Vectors::dense(1, vec![1.0, 2.0]);
    for centers in [Centers::KMeans, Centers::All, Centers::Ols] {
        let fit = RbfNetworkRegression::new(rbf(1.0)).centers(centers);
        let model = fit.fit(&x, &[1.0, -1.0]).unwrap();
        let left_out = model.network.left_out.unwrap();
        assert!((left_out - 4.0).abs() < 1e-6, "{centers:?}: {left_out}");
    }
    // Points that are all but interpolated by the smaller penalties: what is told is what refits miss.
    let x = points(12, 5);
    let y = numbers(&x);
    let model = RbfNetworkRegression::new(rbf(0.5)).centers(Centers::All).fit(&x, &y).unwrap();
    let h = units_of(&model.network, 0.5, &x);
    let missed = |i: usize| without(&h, &y, i, model.network.lambda) - y[i];
    let exact = (0..12).map(|i| missed(i).powi(2)).sum::<f64>() / 12.0;
    let told = model.network.left_out.unwrap();
    assert!((told - exact).abs() < 1e-2 * exact, "{told} {exact}");
}

#[test]
fn targets_of_an_unusable_size_are_named() {
    let x = points(5, 1);
    for size in [1e200, 1e-200] {
        let y: Vec<f64> = numbers(&x).iter().map(|y| size * y).collect();
        let error = RbfNetworkRegression::new(rbf(1.0)).fit(&x, &y).unwrap_err().to_string();
        assert!(error.starts_with("targets = ") && error.contains("scale the targets"), "{error}");
    }
}
