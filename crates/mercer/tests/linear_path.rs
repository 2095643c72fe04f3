//! Paths of C: where they begin, what their models are, and how much the answer of one C is worth for the next.
//!
//! Objectives and numbers of weights are those of LIBLINEAR 2.50 (`-s 5` and `-s 6` with `-B 1 -e 1e-9`) on heart_scale, at multiples of
//! what scikit-learn 1.9's `l1_min_c` says.

use std::path::Path;

use mercer::data::{Labels, Points, ReadOptions, Vectors, read};
use mercer::error::ErrorKind;
use mercer::kernel::linear;
use mercer::model::{
    CPath, Cost, Estimator, Fact, Facts, Hinges, Job, LinearModel, LinearScheme, LinearSolver, LinearSvc,
    LinearSvr, Logistic, Penalty, Zones,
};

type Fitted = LinearModel<Vectors, mercer::kernel::VectorExpr>;

/// The smallest C, and multiples of it with the weights other than 0 and the objective.
type Known = (f64, [(f64, usize, f64); 6]);

const SQUARED_HINGE: Known = (
    0.003_546_099_290_780_141_8,
    [
        (0.999, 0, 0.956_489_361_702_127_6),
        (1.05, 1, 1.004_672_300_601_460_8),
        (2.0, 3, 1.766_758_086_978_992_7),
        (5.0, 6, 3.580_352_114_042_522_5),
        (20.0, 9, 10.654_514_155_456_436),
        (100.0, 12, 44.290_655_815_631_56),
    ],
);

const LOGISTIC: Known = (
    0.014_184_397_163_120_567,
    [
        (0.999, 0, 2.651_951_617_197_646),
        (1.05, 1, 2.786_042_694_998_703),
        (2.0, 3, 5.007_882_611_002_01),
        (5.0, 6, 10.665_172_692_319_139),
        (20.0, 9, 33.195_599_894_068_444),
        (100.0, 12, 139.038_686_027_635_35),
    ],
);

fn heart() -> (Vectors, Labels) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/heart_scale.libsvm.gz");
    let table = read(&path, &ReadOptions::default()).expect("it is sound");
    (table.points, table.labels.expect("it is sound").labels())
}

fn tight() -> LinearSolver {
    LinearSolver { tolerance: 1e-8, ..LinearSolver::default() }
}

fn objective(model: &Fitted) -> f64 {
    model
        .certificates
        .iter()
        .map(|certificate| certificate.gap.expect("it is sound") - certificate.objective)
        .sum()
}

fn steps<'m>(models: impl IntoIterator<Item = &'m Fitted>) -> u64 {
    models.into_iter().flat_map(|model| &model.certificates).map(|certificate| certificate.iterations).sum()
}

fn assert_known((least, known): Known, models: &[Fitted]) {
    for (model, (factor, weights, expected)) in models.iter().zip(known) {
        let found = objective(model);
        // The gap leaves 1e-8; LIBLINEAR's own tolerance about 1e-9.
        assert!((found / expected - 1.0).abs() < 2e-8, "{least} times {factor}: {found} and {expected}");
        assert_eq!(model.features_used(), weights, "{least} times {factor}");
    }
}

#[test]
fn models_along_a_path_are_liblinears() {
    let (x, y) = heart();
    let prices = |(least, known): Known| known.map(|(factor, ..)| least * factor);
    let svc = LinearSvc::new(linear()).penalty(Penalty::L1).solver(tight());
    assert_known(SQUARED_HINGE, &svc.path(&x, &y, &prices(SQUARED_HINGE)).unwrap());
    let logistic = Logistic::new(linear()).penalty(Penalty::L1).solver(tight());
    assert_known(LOGISTIC, &logistic.path(&x, &y, &prices(LOGISTIC)).unwrap());
}

/// The number of that name at each point of the path that a fit has found.
fn told(found: &Facts, name: &str) -> Vec<f64> {
    let Some(Fact::Parts(points)) = found.get("path") else { panic!("a path") };
    points.iter().map(|point| point.number(name).expect("it is sound")).collect()
}

#[test]
fn a_path_begins_where_the_first_weight_does() {
    let (x, y) = heart();
    let solver = LinearSolver { path: CPath::Auto, ..tight() };
    let mut job = Job::new();
    let logistic = Logistic::new(linear()).penalty(Penalty::L1).solver(solver.clone());
    let model = logistic.fit_in(&x, &y, &mut job).unwrap();
    let prices = told(&job.found, "c");
    assert_eq!((prices.len(), prices[19]), (20, 1.0));
    assert!((prices[0] / LOGISTIC.0 - 1.0).abs() < 1e-12, "{}", prices[0]);
    let ratio = prices[1] / prices[0];
    assert!(prices.windows(2).all(|pair| (pair[1] / pair[0] / ratio - 1.0).abs() < 1e-9));
    let used = told(&job.found, "features_used");
    assert_eq!((used[0], used[19]), (0.0, model.features_used() as f64));
    assert!((told(&job.found, "objective")[19] / objective(&model) - 1.0).abs() < 1e-15);
    assert!(job.warm.is_none());
    // Without a path there is nothing to tell.
    let mut job = Job::new();
    Logistic::new(linear()).fit_in(&x, &y, &mut job).unwrap();
    assert!(job.found.get("path").is_none());
}

#[test]
fn of_an_offset_that_is_free_the_first_c_is_right_too() {
    let (x, y) = heart();
    let free = LinearSolver { free_offset: true, path: CPath::Auto, ..tight() };
    let svc = LinearSvc::new(linear()).penalty(Penalty::L1).solver(free.clone());
    let logistic = Logistic::new(linear()).penalty(Penalty::L1).solver(free);
    let mut job = Job::new();
    svc.fit_in(&x, &y, &mut job).unwrap();
    let first = told(&job.found, "c")[0];
    let used = |models: Vec<Fitted>| models.iter().map(Fitted::features_used).collect::<Vec<_>>();
    assert_eq!(used(svc.path(&x, &y, &[0.999 * first, 1.01 * first]).unwrap()), [0, 1]);
    let mut job = Job::new();
    logistic.fit_in(&x, &y, &mut job).unwrap();
    let first = told(&job.found, "c")[0];
    assert_eq!(used(logistic.path(&x, &y, &[0.999 * first, 1.01 * first]).unwrap()), [0, 1]);
}

/// Steps along a path, and of fits that begin with nothing.
fn both<E>(
    estimator: &E,
    (x, y): (&Vectors, &E::Target),
    path: &[Fitted],
    prices: &[f64],
    at: impl Fn(&E, f64) -> E,
) -> (u64, u64)
where
    E: Estimator<Vectors, Model = Fitted>,
{
    let cold: Vec<Fitted> = prices
        .iter()
        .map(|&c| at(estimator, c).fit_in(x, y, &mut Job::new()).expect("it is sound"))
        .collect();
    for (warm, cold) in path.iter().zip(&cold) {
        // Both gaps are at most 1e-8 of the objective.
        assert!((objective(warm) / objective(cold) - 1.0).abs() < 2e-8);
    }
    (steps(path), steps(&cold))
}

#[test]
fn the_answer_of_one_c_saves_steps_for_the_next() {
    let (x, y) = heart();
    let prices: Vec<f64> = (0..12).map(|k| 1e-3 * 2_f64.powi(k)).collect();
    let numbers: Vec<f64> = (0..x.len()).map(|i| f64::from(y.index()[i]) + (i % 7) as f64 / 7.0).collect();
    let l1 = LinearSvc::new(linear()).penalty(Penalty::L1).solver(tight());
    let path = l1.path(&x, &y, &prices).unwrap();
    let (warm, cold) = both(&l1, (&x, &y), &path, &prices, |e, c| e.clone().c(c));
    assert!(warm * 10 < cold * 9, "l1: {warm} of {cold}");
    let hinge = LinearSvc::new(linear()).loss(Hinges::Hinge).solver(tight());
    let path = hinge.path(&x, &y, &prices).unwrap();
    let (warm, cold) = both(&hinge, (&x, &y), &path, &prices, |e, c| e.clone().c(c));
    assert!(warm * 10 < cold * 9, "hinge: {warm} of {cold}");
    let logistic = Logistic::new(linear()).solver(tight());
    let path = logistic.path(&x, &y, &prices).unwrap();
    let (warm, cold) = both(&logistic, (&x, &y), &path, &prices, |e, c| e.clone().c(c));
    assert!(warm * 10 < cold * 9, "logistic: {warm} of {cold}");
    let svr = LinearSvr::new(linear()).loss(Zones::Squared).solver(tight());
    let path = svr.path(&x, &numbers, &prices).unwrap();
    let (warm, cold) = both(&svr, (&x, &numbers[..]), &path, &prices, |e, c| e.clone().c(c));
    assert!(warm * 10 < cold * 9, "svr: {warm} of {cold}");
    assert_eq!(path[0].cost, Cost::SquaredInsensitive(0.1));
}

#[test]
fn a_path_has_the_same_bits_on_any_number_of_threads() {
    let (x, y) = heart();
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let svc = LinearSvc::new(linear()).penalty(Penalty::L1).solver(tight());
        pool.install(|| svc.path(&x, &y, &[0.01, 0.1, 1.0]).unwrap())
    };
    assert_eq!(on(1), on(3));
}

#[test]
fn what_no_path_can_be_is_refused() {
    let (x, y) = heart();
    let along = |path: Vec<f64>| LinearSolver { path: CPath::Among(path), ..tight() };
    let svc = LinearSvc::new(linear());
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = svc.clone().solver(along(vec![bad])).fit(&x, &y).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Parameter { name: "path", .. }), "{error}");
        assert!(svc.path(&x, &y, &[1.0, bad]).is_err());
    }
    let together = svc.scheme(LinearScheme::CrammerSinger).solver(along(vec![0.1]));
    let error = together.fit(&x, &y).unwrap_err().to_string();
    assert!(error.contains("ovr where there is a path of C"), "{error}");
}
