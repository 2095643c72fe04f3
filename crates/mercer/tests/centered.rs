//! Centred kernels against the matrices that they stand for: HKH on the training points, H = I − 1wᵀ/Σw.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::ops::ControlFlow;

use mercer::data::{Cells, Graph, GraphParts, Labels, Points, Records, Vectors};
use mercer::gram::{cross, square};
use mercer::kernel::{
    Definiteness, Kernel, Reference, SetExpr, VectorExpr, battery, linear, precomputed, rbf,
};
use mercer::model::probability::Settings;
use mercer::model::{AnyKernel, AnyPoints, Estimator, Local, Pca, Perceptron, Ridge, Svc};
use mercer::solve::Smo;

const N: usize = 40;
const NEW: usize = 7;

type Matrix = Vec<Vec<f64>>;

/// Training points and new ones of every space, with kernels on them.
fn spaces() -> Vec<(AnyPoints, AnyPoints, [&'static str; 2])> {
    let cut = |points: AnyPoints| {
        let part = |rows: std::ops::Range<usize>| points.select(&rows.collect::<Vec<_>>());
        (part(0..N), part(N..N + NEW))
    };
    let all = N + NEW;
    let number = |i: usize, k: f64| (i as f64 * k).sin() + (i % 3) as f64;
    let vectors = Vectors::dense(2, (0..all).flat_map(|i| [number(i, 0.7), number(i, 1.3)]).collect());
    let text = |i: usize| ["abcab", "bcbca", "äöäöü"][i % 3].repeat(1 + i % 4) + &"xyz"[..i % 3];
    let texts: Vec<String> = (0..all).map(text).collect();
    let set = |i: usize| {
        Vectors::dense(2, (0..2 + 2 * (i % 4)).map(|k| number(i * 7 + k, 0.9)).collect::<Vec<_>>())
    };
    let sets: Vec<Vectors> = (0..all).map(set).collect();
    let graph = |i: usize| {
        let nodes = 4 + i % 5;
        let edges = (1..nodes).map(|a| if i % 3 == 2 { (0, a) } else { (a - 1, a) }).collect();
        let labels = Some((0..nodes).map(|a| ["C", "N", "O"][a * i % 3].into()).collect());
        Graph::new(GraphParts { nodes, edges, labels, ..GraphParts::default() }).unwrap()
    };
    let graphs: Vec<Graph> = (0..all).map(graph).collect();
    let ages = Cells::Numbers((0..all).map(|i| number(i, 0.3)).collect());
    let columns = vec![("age".to_owned(), ages), ("name".to_owned(), Cells::Texts(texts.clone()))];
    let records = Records::new(columns).unwrap();
    let with = |points: AnyPoints, kernels| {
        let (x, new) = cut(points);
        (x, new, kernels)
    };
    vec![
        with(vectors.into(), ["rbf(gamma=0.5)", "linear + 3"]),
        with(texts.into(), ["spectrum(p=2)", "normalized(spectrum(p=1)) + 1"]),
        with(sets.into(), ["set(rbf(gamma=0.5))", "set(linear)"]),
        with(graphs.into(), ["wl(h=2)", "normalized(edges)"]),
        with(records.into(), ["rbf(1) @ age + normalized(spectrum(p=2)) @ name", "linear @ age"]),
    ]
}

fn rows(values: Vec<f64>, columns: usize) -> Matrix {
    values.chunks(columns).map(<[f64]>::to_vec).collect()
}

/// Values of a kernel on training points, and those of new points with them and with themselves.
struct Values {
    train: Matrix,
    new: Matrix,
    own: Vec<f64>,
}

impl Values {
    fn of(kernel: &AnyKernel, x: &AnyPoints, new: &AnyPoints) -> Self {
        let train = rows(square(kernel, x).unwrap(), x.len());
        Self { train, new: rows(cross(kernel, new, x).unwrap(), x.len()), own: kernel.diagonal(new).unwrap() }
    }

    /// About the mean of the training points of these weights.
    fn centered(&self, weights: &[f64]) -> Self {
        let total: f64 = weights.iter().sum();
        let mean = |row: &Vec<f64>| row.iter().zip(weights).map(|(k, w)| k * w).sum::<f64>() / total;
        let means: Vec<f64> = self.train.iter().map(mean).collect();
        let all = mean(&means);
        let about = |row: &Vec<f64>| -> Vec<f64> {
            let own = mean(row);
            row.iter().zip(&means).map(|(k, m)| k - own - m + all).collect()
        };
        Self {
            train: self.train.iter().map(about).collect(),
            new: self.new.iter().map(about).collect(),
            own: self.own.iter().zip(&self.new).map(|(k, row)| k - 2.0 * mean(row) + all).collect(),
        }
    }

    fn joined(&self, other: &Self, join: impl Fn(f64, f64) -> f64) -> Self {
        let lists = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(&a, &b)| join(a, b)).collect();
        let both = |a: &Matrix, b: &Matrix| a.iter().zip(b).map(|(a, b)| lists(a, b)).collect();
        Self {
            train: both(&self.train, &other.train),
            new: both(&self.new, &other.new),
            own: lists(&self.own, &other.own),
        }
    }

    fn normalized(&self) -> Self {
        let root = |i: usize| self.train[i][i].sqrt();
        let scaled =
            |row: &Vec<f64>, own: f64| row.iter().enumerate().map(|(j, k)| k / (own * root(j))).collect();
        Self {
            train: self.train.iter().enumerate().map(|(i, row)| scaled(row, root(i))).collect(),
            new: self.new.iter().zip(&self.own).map(|(row, own)| scaled(row, own.sqrt())).collect(),
            own: vec![1.0; self.own.len()],
        }
    }

    /// The same values, but for rounding of a few sums of N terms.
    fn assert_same(&self, other: &Self, what: &str) {
        let all = |values: &Self| [values.train.concat(), values.new.concat(), values.own.clone()].concat();
        let (found, expected) = (all(self), all(other));
        let scale = expected.iter().fold(1e-3_f64, |most, value| most.max(value.abs()));
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found - expected).abs() <= 1e-11 * scale, "{what}: {found} {expected}");
        }
    }
}

fn fitted<X: Points, K: Kernel<X> + Clone>(kernel: &K, reference: &Reference<X>) -> K {
    kernel.fitted(reference, &mut |_| ControlFlow::Continue(())).unwrap()
}

#[test]
fn centred_parts_are_the_matrix_between_two_projections_on_every_space() {
    let weights: Vec<f64> = (0..N).map(|i| [1.0, 2.0, 0.5][i % 3]).collect();
    for (x, new, [first, second]) in spaces() {
        let parse = |text: String| text.parse::<AnyKernel>().unwrap();
        let plain = |text: &str| Values::of(&parse(text.to_owned()), &x, &new);
        let (k, l) = (plain(first), plain(second));
        let reference = Reference::weighted(&x, &weights);
        let about = |text: String| Values::of(&fitted(&parse(text), &reference), &x, &new);
        let (kc, lc) = (k.centered(&weights), l.centered(&weights));
        about(format!("centered({first})")).assert_same(&kc, first);
        about(format!("centered({second})")).assert_same(&lc, second);
        about(format!("normalized(centered({first}))")).assert_same(&kc.normalized(), first);
        let sum = kc.joined(&l, |a, b| 0.5 * a + b);
        about(format!("0.5*centered({first}) + {second}")).assert_same(&sum, first);
        let product = kc.joined(&l, |a, b| a * b);
        about(format!("centered({first})*({second})")).assert_same(&product, first);
        about(format!("centered(centered({first})*({second}))"))
            .assert_same(&product.centered(&weights), first);
        about(format!("centered(centered({first}))")).assert_same(&kc, first);
        // Every point once is the mean of all of them.
        let once = Values::of(&parse(format!("centered({first})")).about(&x).unwrap(), &x, &new);
        once.assert_same(&k.centered(&[1.0; N]), first);
    }
}

#[test]
fn fitted_kernels_keep_every_law_and_the_same_bits_on_any_number_of_threads() {
    for (x, new, [first, _]) in spaces() {
        let kernel: AnyKernel =
            format!("normalized(centered({first})) + 0.1*centered({first})^2").parse().unwrap();
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let kernel = kernel.about(&x).unwrap();
                (cross::<f64, _, _>(&kernel, &new, &x).unwrap(), square::<f32, _, _>(&kernel, &x).unwrap())
            })
        };
        assert_eq!(on(1), on(3), "{first}");
        let kernel = kernel.about(&x).unwrap();
        assert_eq!(battery(&kernel, &x), Ok(()), "{first}");
        assert_eq!(battery(&kernel, &new), Ok(()), "{first}");
    }
}

#[test]
fn a_weight_of_three_is_the_point_three_times() {
    let (x, new, [first, _]) = spaces().swap_remove(0);
    let kernel: AnyKernel = format!("centered({first})").parse().unwrap();
    let weights: Vec<f64> = (0..N).map(|i| [1.0, 3.0][i % 2]).collect();
    let copies: Vec<usize> = (0..N).flat_map(|i| vec![i; 1 + 2 * (i % 2)]).collect();
    let weighted = fitted(&kernel, &Reference::weighted(&x, &weights));
    let copied = kernel.about(&x.select(&copies)).unwrap();
    Values::of(&weighted, &x, &new).assert_same(&Values::of(&copied, &x, &new), "copies");
}

#[test]
fn a_kernel_has_no_values_before_it_is_fitted_and_keeps_what_it_is_fitted_to() {
    let (x, y) = (Vectors::dense(1, vec![0.0, 1.0, 2.0]), Vectors::dense(1, vec![5.0, 7.0]));
    let kernel = linear().centered() + rbf(1.0);
    let message = kernel.bind(&x).err().unwrap().to_string();
    assert_eq!(message, "not supported: values of centered(linear) before it is fitted to points");
    assert!(kernel.reference().is_err() && rbf(1.0).reference().unwrap().is_none());
    assert!(kernel.value(x.row(0), x.row(1)).is_nan());
    let about_x = fitted(&kernel, &Reference::new(&x));
    assert_eq!((&about_x, about_x.to_string().parse().unwrap()), (&kernel, kernel.clone()));
    assert_eq!(about_x.reference().unwrap().unwrap().means, [[1.0 * 0.0, 1.0, 2.0]]);
    let kept = fitted(&about_x, &Reference::new(&y)).reference().unwrap().unwrap();
    assert_eq!(kept.points, x);
    // Another kernel, or parts about different points, must be fitted again.
    for changed in [
        about_x.with_parameter("1.rbf.gamma", 2.0).unwrap(),
        about_x.clone().on("columns(1)".parse().unwrap()),
    ] {
        assert!(changed.reference().is_err() && changed.bind(&x).is_err());
        assert_eq!(fitted(&changed, &Reference::new(&y)).reference().unwrap().unwrap().points, y);
    }
    let about_y = fitted(&kernel, &Reference::new(&y));
    let mixed = about_x + about_y;
    assert!(mixed.reference().is_err() && mixed.bind(&x).is_ok());
    assert_eq!(fitted(&mixed, &Reference::new(&y)).reference().unwrap().unwrap().points, y);
    assert_eq!(kernel.definiteness(), Definiteness::Psd);
    let refused = "set(centered(rbf))".parse::<SetExpr>().unwrap_err().to_string();
    assert!(refused.contains("centre the kernel on sets"), "{refused}");
}

#[test]
fn references_that_do_not_fit_are_refused() {
    let x = Vectors::dense(1, vec![0.0, 1.0, 1e200]);
    let kernel = linear().centered();
    let refused = |reference: Reference<Vectors>| {
        let fitted = kernel.fitted(&reference, &mut |_| ControlFlow::Continue(()));
        fitted.unwrap_err().to_string()
    };
    assert!(refused(Reference::new(&x)).contains("between points 3 and 3"));
    let x = x.select(&[0, 1]);
    assert!(refused(Reference::new(&x.select(&[]))).contains("no rows"));
    assert!(refused(Reference::weighted(&x, &[1.0])).contains("must be one for each point"));
    assert!(refused(Reference::weighted(&x, &[1.0, 0.0])).contains("must be positive"));
    for (means, rule) in [
        (vec![vec![0.0; 2]; 2], "one for each centred part"),
        (vec![vec![0.0]], "one for each point"),
        (vec![vec![0.0, f64::NAN]], "must be finite"),
    ] {
        assert!(refused(Reference { means, ..Reference::new(&x) }).contains(rule), "{rule}");
    }
    let stopped = kernel.fitted(&Reference::new(&x), &mut |_| ControlFlow::Break(()));
    assert!(stopped.unwrap_err().to_string().contains("interrupted"));
}

/// Three clouds, and new points among them.
fn clouds(n: usize) -> (Vectors, Labels) {
    let value = |i: usize, k: f64| (i as f64 * k).sin() + (i % 3) as f64 * 0.9;
    let x = Vectors::dense(2, (0..n).flat_map(|i| [value(i, 0.7), value(i * i % 97, 1.9)]).collect());
    (x, Labels::first_seen((0..n).map(|i| ["a", "b", "c"][i % 3])))
}

/// Points of a precomputed kernel: the explicit centred matrix, each row with its serial number.
fn explicit(kernel: &VectorExpr, x: &Vectors, new: &Vectors) -> (Vectors, Vectors) {
    let (x, new) = (x.clone().into(), new.clone().into());
    let values = Values::of(&kernel.clone().into(), &x, &new).centered(&vec![1.0; x.len()]);
    let numbered = |rows: &Matrix| {
        let row = |(i, row): (usize, &Vec<f64>)| [vec![(i + 1) as f64], row.clone()].concat();
        Vectors::dense(x.len() + 1, rows.iter().enumerate().flat_map(row).collect())
    };
    (numbered(&values.train), numbered(&values.new))
}

fn assert_close(found: &[f64], expected: &[f64], tolerance: f64) {
    let scale = expected.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= tolerance * scale, "{found} {expected}");
    }
}

#[test]
fn pairs_without_an_offset_use_one_reference_and_are_those_of_the_explicit_matrix() {
    let ((x, y), (new, _)) = (clouds(90), clouds(30));
    let kernel = rbf(0.5);
    let (gram, rows) = explicit(&kernel, &x, &new);
    let exact = Smo { exact: true, ..Smo::default() };
    let svc = |kernel: VectorExpr| Svc::new(kernel).c(2.0).offset(false).solver(exact.clone());
    let model = svc(kernel.clone().centered()).fit(&x, &y).unwrap();
    let table = svc(precomputed()).fit(&gram, &y).unwrap();
    let decided = model.expansion.map_double(&new, <[f64]>::to_vec).unwrap().concat();
    let expected = table.expansion.map_double(&rows, <[f64]>::to_vec).unwrap().concat();
    assert_close(&decided, &expected, 1e-6);
    // It is another classifier than that of the kernel itself.
    let plain =
        svc(kernel).fit(&x, &y).unwrap().expansion.map_double(&new, <[f64]>::to_vec).unwrap().concat();
    assert!(plain.iter().zip(&decided).any(|(a, b)| (a - b).abs() > 0.05));
}

#[test]
fn an_offset_makes_up_for_centring() {
    let ((x, y), (new, _)) = (clouds(90), clouds(30));
    let exact = Smo { exact: true, ..Smo::default() };
    let decisions = |kernel: VectorExpr| {
        let model = Svc::new(kernel).c(2.0).solver(exact.clone()).fit(&x, &y).unwrap();
        model.expansion.map_double(&new, <[f64]>::to_vec).unwrap().concat()
    };
    assert_close(&decisions(rbf(0.5).centered()), &decisions(rbf(0.5)), 1e-6);
    let numbers: Vec<f64> = (0..90).map(|i| (i as f64 * 0.1).sin()).collect();
    let ridge = |kernel: VectorExpr| {
        Ridge::new(kernel).lambda(0.1).offset(true).fit(&x, &numbers).unwrap().values(&new).unwrap()
    };
    assert_close(ridge(rbf(0.5).centered()).values(), ridge(rbf(0.5)).values(), 1e-9);
    // Probabilities are learnt with the kernel of the classifier, about all points.
    let settings = Settings::default();
    let svc = |kernel: VectorExpr| Svc::new(kernel).c(2.0).solver(exact.clone());
    let learnt = |kernel: VectorExpr| svc(kernel).fit_probability(&x, &y, &settings).unwrap();
    let point = [0.3, -0.2, 0.7];
    let (one, other) = (learnt(rbf(0.5).centered()), learnt(rbf(0.5)));
    assert_close(&one.pairwise(&point), &other.pairwise(&point), 1e-5);
}

#[test]
fn methods_without_an_offset_see_the_explicit_matrix() {
    let ((x, y), (new, _)) = (clouds(60), clouds(20));
    let kernel = rbf(0.5) * (linear() + 1.0);
    let (gram, rows) = explicit(&kernel, &x, &new);
    let perceptron = |kernel: VectorExpr| Perceptron::new(kernel).offset(false).passes(20);
    let model = perceptron(kernel.clone().centered()).fit(&x, &y).unwrap();
    let table = perceptron(precomputed()).fit(&gram, &y).unwrap();
    assert_eq!((model.updates, &model.mistakes), (table.updates, &table.mistakes));
    assert_close(
        model.expansion.decisions(&new).unwrap().values(),
        table.expansion.decisions(&rows).unwrap().values(),
        1e-6,
    );
    let numbers: Vec<f64> = (0..60).map(|i| (i as f64 * 0.1).sin()).collect();
    let ridge = |kernel: VectorExpr, x: &Vectors, new: &Vectors| {
        Ridge::new(kernel).lambda(0.1).offset(false).fit(x, &numbers).unwrap().values(new).unwrap()
    };
    let found = ridge(kernel.clone().centered(), &x, &new);
    assert_close(found.values(), ridge(precomputed(), &gram, &rows).values(), 1e-9);
    // A table of kernel values can be centred as well.
    let values = Values::of(&kernel.clone().into(), &x.clone().into(), &new.clone().into());
    let numbered = |rows: &Matrix| {
        let row = |(i, row): (usize, &Vec<f64>)| [vec![(i + 1) as f64], row.clone()].concat();
        Vectors::dense(61, rows.iter().enumerate().flat_map(row).collect::<Vec<_>>())
    };
    let tabled = ridge(precomputed().centered(), &numbered(&values.train), &numbered(&values.new));
    assert_close(tabled.values(), found.values(), 1e-9);
}

#[test]
fn principal_components_are_centred_once_or_twice() {
    let ((x, _), (new, _)) = (clouds(60), clouds(20));
    let components = |kernel: VectorExpr| {
        let model = Pca::new(kernel).components(3).fit(&x).unwrap();
        let signed = |values: &[f64]| values.iter().map(|value| value.abs()).collect::<Vec<_>>();
        (model.eigenvalues.clone(), signed(model.transform(&new).unwrap().values()))
    };
    let (once, twice) = (components(rbf(0.5)), components(rbf(0.5).centered()));
    assert_close(&twice.0, &once.0, 1e-10);
    assert_close(&twice.1, &once.1, 1e-8);
}

#[test]
fn cells_share_the_reference_of_all_points() {
    let (x, y) = clouds(120);
    let weights: Vec<f64> = (0..120).map(|i| [1.0, 2.0, 0.0][i % 7 % 3]).collect();
    let local = Local::new(Svc::new(rbf(0.5).centered() + linear())).cells(2);
    let model = local.fit_weighted(&x, &y, &weights).unwrap();
    let positive: Vec<usize> = (0..120).filter(|&i| weights[i] > 0.0).collect();
    let kernels = model.cells.iter().filter_map(|cell| Some(cell.classifier.as_ref()?.expansion.kernel()));
    for kernel in kernels.chain([model.gate.kernel()]) {
        let reference = kernel.reference().unwrap().unwrap();
        assert_eq!(reference.points, x.select(&positive));
        assert_eq!(reference.weights, positive.iter().map(|&i| weights[i]).collect::<Vec<_>>());
    }
}
