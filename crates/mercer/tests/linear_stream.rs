//! Linear machines fitted to rows on disk: the answer of the fit in memory, within the gaps that both prove.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use mercer::ErrorKind;
use mercer::data::{LabelColumn, Labels, ReadOptions, SplitMix, Stream, Table, Vectors, read, write_libsvm};
use mercer::kernel::{VectorExpr, linear};
use mercer::model::{
    Algorithm, Estimator, Hinges, Job, LinearModel, LinearScheme, LinearSolver, LinearSvc, LinearSvr,
    Logistic, Model, Penalty, Zones,
};
use mercer::solve::Stop;

const TOLERANCE: f64 = 1e-5;

type Fitted = LinearModel<Vectors, VectorExpr>;

/// A file of sparse rows with labels that a noisy function of the features gives.
struct Case {
    _folder: tempfile::TempDir,
    path: PathBuf,
    table: Table,
}

fn case(seed: u64, rows: usize, width: usize, entries: usize, label: impl Fn(f64) -> String) -> Case {
    let mut random = SplitMix(seed);
    let truth: Vec<f64> = (0..width).map(|_| 2.0 * random.uniform() - 1.0).collect();
    let mut text = String::new();
    for _ in 0..rows {
        let (mut row, mut sum, mut at) = (String::new(), 0.0, 0.0);
        while row.len() < 12 * entries {
            // Columns at the front are frequent, as words are.
            at += 1.0 + (random.uniform().powi(4) * width as f64 / 4.0).floor();
            if at >= width as f64 {
                break;
            }
            let value: f64 = format!("{:.4}", 2.0 * random.uniform() - 0.7).parse().expect("it is sound");
            sum += value * truth[at as usize];
            row += &format!(" {}:{value}", at as usize + 1);
        }
        text += &format!("{}{row}\n", label(sum + 0.8 * (2.0 * random.uniform() - 1.0)));
    }
    let folder = tempfile::tempdir().expect("it is sound");
    let path = folder.path().join("data.libsvm");
    std::fs::write(&path, text).expect("it is sound");
    let table = read(&path, &ReadOptions::default()).expect("it is sound");
    Case { _folder: folder, path, table }
}

fn open(path: &Path) -> Stream {
    Stream::open(path, None, &ReadOptions::default(), &mut |_| ControlFlow::Continue(()))
        .expect("it is sound")
}

fn signs(output: f64) -> String {
    if output > 0.0 { "1".into() } else { "-1".into() }
}

fn labels(table: &Table) -> Labels {
    table.labels.as_ref().expect("it is sound").labels().libsvm_order()
}

/// The objective of a function from its definition: ½‖w‖² + C Σ cost, the offset counting among the weights.
fn objective(model: &Fitted, function: usize, table: &Table, cost: impl Fn(usize, f64) -> f64) -> f64 {
    let (weights, offset) = (model.weights(function), -model.expansion.offsets()[function]);
    let square = weights.iter().map(|w| w * w).sum::<f64>() + offset * offset;
    let costs = (0..table.labels.as_ref().expect("it is sound").len()).map(|i| {
        let mut output = offset;
        table.points.row(i).for_each(|k, value| output += value * weights[k]);
        cost(i, output)
    });
    0.5 * square + costs.sum::<f64>()
}

/// Two models of one problem differ by no more than their gaps allow, and each gap is small and true.
fn same(one: &Fitted, other: &Fitted, table: &Table, c: f64, cost: &dyn Fn(usize, usize, f64) -> f64) {
    assert_eq!(one.certificates.len(), other.certificates.len());
    for function in 0..one.certificates.len() {
        let [(p, gap, w), (q, bound, v)] = [one, other].map(|model| {
            let certificate = &model.certificates[function];
            let primal = objective(model, function, table, |i, output| c * cost(function, i, output));
            let gap = certificate.gap.expect("it is sound");
            assert_eq!(certificate.stop, Stop::Converged);
            assert!(gap >= 0.0 && gap <= TOLERANCE * primal * (1.0 + 1e-9), "{gap} of {primal}");
            // The primal objective and the dual bound are apart by the gap.
            let apart = primal + certificate.objective - gap;
            assert!(apart.abs() <= 1e-9 * primal, "{apart} of {primal}");
            let mut weights = model.weights(function);
            weights.push(model.expansion.offsets()[function]);
            (primal, gap, weights)
        });
        assert!((p - q).abs() <= gap.max(bound) + 1e-9 * p, "{p} and {q}");
        // The objective is 1-strongly convex: ½‖w − best‖² is at most the gap.
        let distance = w.iter().zip(&v).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        let allowed = (2.0 * gap).sqrt() + (2.0 * bound).sqrt();
        assert!(distance <= allowed + 1e-9, "{distance} of {allowed}");
    }
}

/// The bytes that a fit needs without copies of rows, which it says where there are fewer.
fn least<E: Estimator<Vectors>>(estimator: &E, stream: &Stream, y: &E::Target) -> usize {
    let Err(error) = estimator.fit_stream(stream, y, &mut Job::new().memory(1)) else {
        panic!("a byte is enough")
    };
    match error.kind() {
        ErrorKind::Memory { needed, .. } => *needed as usize,
        _ => panic!("{error}"),
    }
}

/// Fits in memory, and from disk with room for all rows, for some, and for none.
fn compare<E>(estimator: &E, case: &Case, y: &E::Target, c: f64, cost: &dyn Fn(usize, usize, f64) -> f64)
where
    E: Estimator<Vectors, Model = Fitted>,
{
    let reference = estimator.fit_in(&case.table.points, y, &mut Job::new()).expect("it is sound");
    let stream = open(&case.path);
    let needed = least(estimator, &stream, y);
    let whole = 14 * stream.stored() + 16 * stream.len();
    let mut passes = Vec::new();
    for room in [whole, whole / 5, 0] {
        let mut job = Job::new().memory(needed + room);
        let model = estimator.fit_stream(&stream, y, &mut job).expect("it is sound");
        same(&model, &reference, &case.table, c, cost);
        passes.push(job.found.number("passes").expect("it is sound"));
        assert!(stream.buffers() <= rayon::current_num_threads());
    }
    // Room for all rows: they are read once.
    assert!((passes[0] - 1.0 * reference.certificates.len() as f64).abs() < 1e-9, "{passes:?}");
    assert!(passes[1] > passes[0] && passes[2] > passes[0], "{passes:?}");
    println!("passes {passes:?}");
}

fn tolerant() -> LinearSolver {
    LinearSolver { tolerance: TOLERANCE, ..LinearSolver::default() }
}

fn sign(labels: &Labels, function: usize, i: usize) -> f64 {
    if labels.index()[i] as usize == function { 1.0 } else { -1.0 }
}

#[test]
fn classifiers_on_disk_are_those_in_memory() {
    // More features than a direct solution has, and fewer.
    for (seed, width) in [(1, 3000), (2, 40)] {
        let case = case(seed, 9000, width, 16, signs);
        let y = labels(&case.table);
        let hinge = |f: usize, i: usize, m: f64| (1.0 - sign(&y, f, i) * m).max(0.0);
        let svc = |loss| LinearSvc::new(linear()).c(0.5).loss(loss).solver(tolerant());
        compare(&svc(Hinges::Hinge), &case, &y, 0.5, &hinge);
        compare(&svc(Hinges::Squared), &case, &y, 0.5, &|f, i, m| hinge(f, i, m).powi(2));
        let logistic = Logistic::new(linear()).c(2.0).solver(tolerant());
        compare(&logistic, &case, &y, 2.0, &|f, i, m| (-sign(&y, f, i) * m).exp().ln_1p());
    }
}

#[test]
fn regressions_on_disk_are_those_in_memory() {
    let case = case(3, 9000, 2500, 16, |output| format!("{output:.3}"));
    let y = case.table.labels.as_ref().expect("it is sound").numbers().expect("it is sound");
    let beyond = |_: usize, i: usize, m: f64| ((y[i] - m).abs() - 0.1).max(0.0);
    let svr = |loss| LinearSvr::new(linear()).c(0.3).epsilon(0.1).loss(loss).solver(tolerant());
    compare(&svr(Zones::Insensitive), &case, &y[..], 0.3, &beyond);
    compare(&svr(Zones::Squared), &case, &y[..], 0.3, &|f, i, m| beyond(f, i, m).powi(2));
}

#[test]
fn classes_with_names_are_fitted_one_after_the_other() {
    let names = |output: f64| {
        ["low", "middle", "high"][usize::from(output > -0.5) + usize::from(output > 0.5)].into()
    };
    let case = case(4, 6000, 2500, 12, names);
    let y = labels(&case.table);
    assert_eq!(open(&case.path).labels().expect("it is sound").expect("it is sound").labels(), y);
    let svc = LinearSvc::new(linear()).solver(tolerant());
    compare(&svc, &case, &y, 1.0, &|f, i, m| (1.0 - sign(&y, f, i) * m).max(0.0).powi(2));
}

#[test]
fn the_bits_do_not_depend_on_the_number_of_threads() {
    let case = case(5, 9000, 3000, 16, signs);
    let (stream, y) = (open(&case.path), labels(&case.table));
    let logistic = Logistic::new(linear()).solver(tolerant());
    let memory = least(&logistic, &stream, &y) + 500_000;
    let fits: Vec<Fitted> = [1, 2, 3]
        .into_iter()
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("it is sound");
            pool.install(|| {
                logistic.fit_stream(&stream, &y, &mut Job::new().memory(memory)).expect("it is sound")
            })
        })
        .collect();
    let bits = |model: &Fitted| model.weights(0).iter().map(|w| w.to_bits()).collect::<Vec<_>>();
    assert!(bits(&fits[0]) == bits(&fits[1]) && bits(&fits[0]) == bits(&fits[2]));
}

#[test]
fn weights_count_as_in_memory() {
    let case = case(6, 2000, 300, 10, signs);
    let (stream, y) = (open(&case.path), labels(&case.table));
    let mut weights: Vec<f64> = (0..2000).map(|i| f64::from(i % 3 + 1)).collect();
    let svc = LinearSvc::new(linear()).tolerance(1e-9);
    let one = svc.fit_in(&case.table.points, &y, &mut Job::new().weights(&weights)).expect("it is sound");
    let other = svc.fit_stream(&stream, &y, &mut Job::new().weights(&weights)).expect("it is sound");
    for (w, v) in one.weights(0).iter().zip(other.weights(0)) {
        assert!((w - v).abs() < 1e-3, "{w} and {v}");
    }
    weights[7] = 0.0;
    let error = svc.fit_stream(&stream, &y, &mut Job::new().weights(&weights)).unwrap_err().to_string();
    assert!(error.contains("above 0"), "{error}");
}

#[test]
fn damage_met_by_the_solver_is_an_error_and_not_a_model() {
    let case = case(7, 9000, 3000, 16, signs);
    let (stream, y) = (open(&case.path), labels(&case.table));
    let path = stream.path().to_owned();
    let mut bytes = std::fs::read(&path).expect("it is sound");
    let middle = bytes.len() / 3;
    bytes[middle] ^= 1;
    // In place, so that the file that is open changes.
    std::fs::write(&path, &bytes).expect("it is sound");
    let error = LinearSvc::new(linear()).fit_stream(&stream, &y, &mut Job::new()).unwrap_err().to_string();
    assert!(error.contains("data.libsvm.blocks: byte") && error.contains("checksum"), "{error}");
}

#[test]
fn what_needs_all_rows_is_refused() {
    let case = case(8, 50, 20, 5, signs);
    let (stream, y) = (open(&case.path), labels(&case.table));
    let refused = |svc: LinearSvc<VectorExpr>| {
        svc.fit_stream(&stream, &y, &mut Job::<Vectors>::new()).unwrap_err().to_string()
    };
    let svc = || LinearSvc::new(linear());
    assert!(refused(svc().penalty(Penalty::L1)).contains("l1 on a stream"));
    assert!(refused(svc().scheme(LinearScheme::CrammerSinger)).contains("crammer-singer on a stream"));
    let softmax = Logistic::new(linear()).scheme(LinearScheme::Softmax);
    let three = Labels::first_seen((0..50).map(|i| ["a", "b", "c"][i % 3]));
    let error = softmax.fit_stream(&stream, &three, &mut Job::<Vectors>::new()).unwrap_err().to_string();
    assert!(error.contains("softmax on a stream"), "{error}");
    // Of two classes it is one function, as in memory.
    let two = softmax.fit_stream(&stream, &y, &mut Job::<Vectors>::new()).unwrap();
    assert_eq!((two.scheme, two.weights(0).len()), (LinearScheme::OneVsRest, 20));
    let dual = LinearSolver { algorithm: Algorithm::Dual, ..LinearSolver::default() };
    assert!(refused(svc().solver(dual)).contains("dual on a stream"));
    let one = Labels::first_seen((0..50).map(|_| "a"));
    let error = svc().fit_stream(&stream, &one, &mut Job::<Vectors>::new()).unwrap_err().to_string();
    assert!(error.contains("only one class, 'a'"), "{error}");
    let short = Labels::first_seen(["a", "b"]);
    let error = svc().fit_stream(&stream, &short, &mut Job::<Vectors>::new()).unwrap_err().to_string();
    assert!(error.contains("50 points but 2 labels"), "{error}");
}

#[test]
fn dense_rows_are_streamed_as_well() {
    let mut random = SplitMix(9);
    let values: Vec<f64> = (0..3000 * 30).map(|_| 2.0 * random.uniform() - 1.0).collect();
    let label = |i: usize| if values[30 * i] + values[30 * i + 7] > 0.3 { 1.0 } else { -1.0 };
    let y: Vec<f64> = (0..3000).map(label).collect();
    let folder = tempfile::tempdir().expect("it is sound");
    let path = folder.path().join("dense.libsvm");
    let points = Vectors::dense(30, values.clone());
    write_libsvm(&path, &points, Some(&LabelColumn::Numbers(y))).expect("it is sound");
    let table = read(&path, &ReadOptions::default()).expect("it is sound");
    let case = Case { _folder: folder, path, table };
    let y = labels(&case.table);
    let svc = LinearSvc::new(linear()).solver(tolerant());
    compare(&svc, &case, &y, 1.0, &|f, i, m| (1.0 - sign(&y, f, i) * m).max(0.0).powi(2));
    assert_eq!(svc.fit(&points, &y).expect("it is sound").kind(), "linear-svc");
}
