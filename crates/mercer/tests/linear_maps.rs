//! Linear methods in the features of an explicit map: the kernel `linear @ map`.

use mercer::data::{Dense, Labels, SplitMix, Vectors};
use mercer::error::ErrorKind;
use mercer::kernel::{VectorExpr, linear};
use mercer::model::file::Saved;
use mercer::model::{
    Hinges, LinearModel, LinearOneClass, LinearScheme, LinearSolver, LinearSvc, LinearSvr, Logistic, Pegasos,
    Svc,
};
use mercer::solve::Smo;

/// Points in a square, of which those in the middle are of one class.
fn ring(n: usize) -> (Vec<[f64; 2]>, Labels) {
    let mut random = SplitMix(11);
    let mut uniform = || 2.0 * random.uniform() - 1.0;
    let points: Vec<[f64; 2]> = (0..n).map(|_| [uniform(), uniform()]).collect();
    let class = |p: &[f64; 2]| if p[0] * p[0] + p[1] * p[1] < 0.5 { "in" } else { "out" };
    let labels = Labels::first_seen(points.iter().map(class).collect::<Vec<_>>());
    (points, labels)
}

fn rows(points: &[[f64; 2]]) -> Vectors {
    Vectors::dense(2, points.concat())
}

/// 2·linear @ monomials(degree=2), by hand.
fn powers(points: &[[f64; 2]]) -> Vectors {
    let image = |t: f64| [1.0, t, t * t].map(|power| 2_f64.sqrt() * power);
    Vectors::dense(6, points.iter().flat_map(|p| [image(p[0]), image(p[1])]).flatten().collect::<Vec<f64>>())
}

fn kernel(text: &str) -> VectorExpr {
    text.parse().expect("it is sound")
}

fn tight() -> LinearSolver {
    LinearSolver { tolerance: 1e-9, ..LinearSolver::default() }
}

type Fitted = LinearModel<Vectors, VectorExpr>;

fn assert_same(mapped: &Fitted, plain: &Fitted, points: &[[f64; 2]]) {
    assert_eq!(mapped.certificates, plain.certificates);
    assert_eq!(mapped.expansion.points(), plain.expansion.points());
    assert_eq!(
        mapped.values(&rows(points)).expect("it is sound"),
        plain.values(&powers(points)).expect("it is sound")
    );
}

#[test]
fn a_map_is_applied_to_the_rows() {
    let (points, y) = ring(150);
    let (x, z, k) = (rows(&points), powers(&points), kernel("2*linear @ monomials(degree=2)"));
    let numbers: Vec<f64> = points.iter().map(|p| p[0] * p[0] - p[1]).collect();
    assert_same(
        &LinearSvc::new(k.clone()).fit(&x, &y).unwrap(),
        &LinearSvc::new(linear()).fit(&z, &y).unwrap(),
        &points,
    );
    let together = |k| LinearSvc::new(k).scheme(LinearScheme::CrammerSinger);
    assert_same(&together(k.clone()).fit(&x, &y).unwrap(), &together(linear()).fit(&z, &y).unwrap(), &points);
    assert_same(
        &Logistic::new(k.clone()).fit(&x, &y).unwrap(),
        &Logistic::new(linear()).fit(&z, &y).unwrap(),
        &points,
    );
    assert_same(
        &LinearSvr::new(k.clone()).fit(&x, &numbers).unwrap(),
        &LinearSvr::new(linear()).fit(&z, &numbers).unwrap(),
        &points,
    );
    assert_same(
        &Pegasos::new(k.clone()).fit(&x, &y).unwrap(),
        &Pegasos::new(linear()).fit(&z, &y).unwrap(),
        &points,
    );
    assert_same(
        &LinearOneClass::new(k).fit(&x).unwrap(),
        &LinearOneClass::new(linear()).fit(&z).unwrap(),
        &points,
    );
}

#[test]
fn it_is_the_machine_of_that_kernel() {
    let (points, y) = ring(120);
    let x = rows(&points);
    for text in [
        "linear @ gaussians(low=-1, high=1, count=4, width=0.5)",
        "3*linear @ monomials(degree=2) @ columns(2)",
    ] {
        let smo = Smo { tolerance: 1e-9, exact: true, ..Smo::default() };
        let svc = Svc::new(kernel(text)).c(0.7).solver(smo).fit(&x, &y).unwrap();
        let solver = LinearSolver { free_offset: true, ..tight() };
        let own = LinearSvc::new(kernel(text)).c(0.7).loss(Hinges::Hinge).solver(solver).fit(&x, &y).unwrap();
        let (a, b) = (svc.certificates[0].objective, own.certificates[0].objective);
        assert!((a / b - 1.0).abs() < 1e-6, "{text}: {a} and {b}");
        let (f, g) = (svc.decisions(&x).unwrap(), own.values(&x).unwrap());
        let far = f.values().iter().zip(g.values()).map(|(f, g)| (f - g).abs()).fold(0.0, f64::max);
        // A gap of 1e-9 leaves its root of the decisions.
        assert!(far < 2e-3, "{text}: {far}");
    }
}

#[test]
fn a_file_keeps_the_map() {
    let (points, y) = ring(80);
    let x = rows(&points);
    for text in ["linear @ columns(2)", "2*linear @ monomials(degree=2)"] {
        let model = LinearSvc::new(kernel(text)).fit(&x, &y).unwrap();
        let saved: Saved = model.clone().into();
        assert_eq!((saved.model.width(), saved.model.kernel().to_string()), (2, kernel(text).to_string()));
        let bytes = saved.to_bytes().unwrap();
        let again = Saved::from_bytes(&bytes).unwrap();
        assert_eq!(again, saved);
        let read: &Fitted = again.model.downcast().unwrap();
        assert_eq!(read.values(&x).unwrap(), model.values(&x).unwrap());
    }
}

#[test]
fn rows_of_another_width_are_refused() {
    let (points, y) = ring(60);
    let model = LinearSvc::new(kernel("linear @ columns(2)")).fit(&rows(&points), &y).unwrap();
    let error = model.values(&Vectors::from(Dense::new(1, vec![1.0]))).unwrap_err();
    assert!(error.to_string().contains('2'), "{error}");
    assert!(model.values(&Vectors::dense(2, vec![0.0, f64::NAN])).is_err());
    let wide = LinearSvc::new(kernel("linear @ columns(3)")).fit(&rows(&points), &y).unwrap_err();
    assert!(matches!(wide.kind(), ErrorKind::Data(_)), "{wide}");
}

#[test]
fn other_kernels_are_refused_with_the_rule() {
    let (points, y) = ring(40);
    for text in ["rbf(gamma=1)", "linear + 1", "linear^2", "linear * linear @ columns(1)"] {
        let error = Logistic::new(kernel(text)).fit(&rows(&points), &y).unwrap_err().to_string();
        assert!(error.contains("linear @ map or a multiple of these"), "{text}: {error}");
    }
}
