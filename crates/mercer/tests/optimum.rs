//! The optimum is a property of the problem, not of the way to it.

use std::path::Path;

use mercer::data::{Labels, Points, ReadOptions, Vectors, read};
use mercer::gram::{Full, Gram, Lazy};
use mercer::kernel::{VectorExpr, rbf, tanh};
use mercer::model::{Estimator, Event, Job, Svc};
use mercer::solve::{Certificate, Problem, Smo, Solution, Stop, unwatched};
use proptest::prelude::*;

/// Points and labels of a file of the repository's own data folder.
fn load(file: &str) -> (Vectors, Labels) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data").join(file);
    let table = read(&path, &ReadOptions::default()).expect("the file is there and sound");
    (table.points, table.labels.expect("the file has labels").labels().libsvm_order())
}

/// A small generator of numbers in [0, 1), for data made on the spot.
struct Noise(u64);

impl Noise {
    /// The next number.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1u64 << 31) as f64
    }
}

/// Two noisy, overlapping classes in the plane.
fn clouds(n: usize, seed: u64) -> (Vectors, Vec<bool>) {
    let mut noise = Noise(seed);
    let positive: Vec<bool> = (0..n).map(|i| i % 3 == 0).collect();
    let values = positive.iter().flat_map(|&p| {
        let shift = if p { 0.6 } else { 0.0 };
        [noise.next() + shift, noise.next() + shift * noise.next()]
    });
    (Vectors::dense(2, values.collect()), positive)
}

fn solve(smo: &Smo, problem: &Problem, gram: &dyn Gram) -> Solution {
    smo.solve(problem, gram, &mut unwatched()).expect("a sound problem")
}

/// ½‖w‖² + Σ cᵢ max(0, 1 − yᵢ f(xᵢ)), coded from the primal alone, in double precision from the definition.
fn primal(kernel: &VectorExpr, x: &Vectors, positive: &[bool], c: &[f64], solution: &Solution) -> f64 {
    let n = x.len();
    let f = |i: usize| -> f64 {
        let k = |j: usize| solution.coefficients[j] * kernel.value(x.row(j), x.row(i));
        (0..n).map(k).sum()
    };
    let outputs: Vec<f64> = (0..n).map(f).collect();
    let norm: f64 = (0..n).map(|i| solution.coefficients[i] * outputs[i]).sum();
    let hinge = |i: usize| {
        let y = if positive[i] { 1.0 } else { -1.0 };
        c[i] * (1.0 - y * (outputs[i] - solution.offset)).max(0.0)
    };
    norm / 2.0 + (0..n).map(hinge).sum::<f64>()
}

#[test]
fn the_gap_is_primal_minus_dual() {
    let (x, positive) = clouds(120, 1);
    let c: Vec<f64> = positive.iter().map(|&p| if p { 5.0 } else { 2.0 }).collect();
    let problem = Problem::c_svc(&positive, &c);
    for (kernel, limit) in [(rbf(2.0), 5), (rbf(2.0), 40), (rbf(2.0), 100_000), (rbf(50.0), 30)] {
        let gram = Lazy::new(&kernel, &x).unwrap();
        let smo = Smo { iteration_limit: Some(limit), tolerance: 1e-6, ..Smo::default() };
        let solution = solve(&smo, &problem, &gram);
        let Certificate { objective, gap, stop, .. } = solution.certificate;
        let expected = primal(&kernel, &x, &positive, &c, &solution) + objective;
        let gap = gap.unwrap();
        // Kernel rows are single precision: 1e-7 of Σ|β|, about 100 here, for each of the sums.
        assert!((gap - expected).abs() < 1e-4 * (1.0 + expected), "{gap} for {expected}, {stop}");
        assert_eq!(stop == Stop::Converged, limit == 100_000);
    }
}

#[test]
fn every_way_leads_to_the_same_optimum() {
    let (x, y) = load("svmguide1.libsvm.gz");
    let x = mercer::data::Scaler::min_max(&x, -1.0, 1.0).unwrap().apply(&x);
    let positive: Vec<bool> = y.index().iter().map(|&c| c == 0).collect();
    let problem = Problem::c_svc(&positive, &vec![50.0; positive.len()]);
    let kernel = rbf(2.0);
    let gram = Lazy::new(&kernel, &x).unwrap();
    let full = Full::new(&gram);
    let fine = |smo: Smo| Smo { tolerance: 1e-5, ..smo };
    let best = solve(&fine(Smo::default()), &problem, &full).certificate.objective;
    let ways = [
        ("pairs", Smo { working_set: Some(2), ..Smo::default() }),
        ("ten", Smo { working_set: Some(10), ..Smo::default() }),
        ("half a thousand", Smo { working_set: Some(500), ..Smo::default() }),
        ("all at once", Smo { working_set: Some(usize::MAX), ..Smo::default() }),
        ("no shrinking", Smo { shrinking: false, ..Smo::default() }),
        ("no cache", Smo { cache_bytes: 0, ..Smo::default() }),
        (
            "no cache, pairs, no shrinking",
            Smo { cache_bytes: 0, working_set: Some(2), shrinking: false, ..Smo::default() },
        ),
    ];
    for (way, smo) in ways {
        let solution = solve(&fine(smo), &problem, &gram);
        let Certificate { objective, gap, violation, stop, .. } = solution.certificate;
        assert_eq!(stop, Stop::Converged, "{way}");
        assert!(violation <= 1e-5, "{way}: {violation}");
        assert!((objective - best).abs() < 1e-6 * best.abs(), "{way}: {objective} for {best}");
        assert!(gap.unwrap() < 1e-4 * best.abs(), "{way}: {gap:?}");
        let sum: f64 = solution.coefficients.iter().sum();
        assert!(sum.abs() < 1e-9, "{way}: Σβ = {sum}");
    }
}

#[test]
fn the_bits_do_not_depend_on_the_number_of_threads() {
    for file in ["svmguide1.libsvm.gz", "vowel.scale.libsvm.gz", "mushrooms.libsvm.gz"] {
        let (x, y) = load(file);
        let fit = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let model = Svc::new(rbf(0.05)).c(3.0).fit(&x, &y).unwrap();
                let decisions = model.decisions(&x).unwrap();
                (model, decisions)
            })
        };
        let (one, two, three) = (fit(1), fit(2), fit(3));
        assert!(one == two && two == three, "{file}");
    }
}

#[test]
fn set_aside_variables_do_not_hide_progress() {
    let (x, y) = load("svmguide1.libsvm.gz");
    let x = mercer::data::Scaler::min_max(&x, -1.0, 1.0).unwrap().apply(&x);
    let kernel = rbf(2.0);
    let fit = |shrinking| {
        let smo = Smo { working_set: Some(16), shrinking, ..Smo::default() };
        Svc::new(kernel.clone()).c(1000.0).solver(smo).fit(&x, &y).unwrap().certificates[0]
    };
    let (with, without) = (fit(true), fit(false));
    assert_eq!((with.stop, without.stop), (Stop::Converged, Stop::Converged));
    assert!((with.objective - without.objective).abs() < 1e-4 * without.objective.abs());
}

#[test]
fn numbers_that_are_not_finite_are_refused_by_position() {
    let labels = Labels::first_seen(["a", "b", "a"]);
    let bad = Vectors::dense(2, vec![0.0, 1.0, 2.0, f64::NAN, 4.0, 5.0]);
    let error = Svc::new(rbf(1.0)).fit(&bad, &labels).unwrap_err();
    assert_eq!(error.to_string(), "row 2, column 2: not a finite number");
    let good = Vectors::dense(2, vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    let model = Svc::new(mercer::kernel::linear()).fit(&good, &labels).unwrap();
    assert!(model.predict(&bad).is_err());
    let error = model.predict(&Vectors::dense(2, vec![1e300, -1e300])).unwrap_err();
    assert!(error.to_string().starts_with("row 1: the decision is not finite"), "{error}");
    let error = Svc::new(rbf(1.0)).class_weight("c", 2.0).fit(&good, &labels).unwrap_err();
    assert_eq!(error.to_string(), "a weight for class 'c', which does not occur");
}

#[test]
fn a_kernel_value_that_is_not_finite_is_refused_by_its_points() {
    // (xy − 10⁴)⁹ is 0 on the diagonal at x = ±100 and −10³⁹ across, more than single precision holds.
    let x = Vectors::dense(1, vec![100.0, -100.0, 100.0, -100.0]);
    let labels = Labels::first_seen(["a", "b", "a", "b"]);
    let kernel = mercer::kernel::polynomial(9, 1.0, -1e4);
    let error = Svc::new(kernel).fit(&x, &labels).unwrap_err().to_string();
    assert!(error.contains("not finite between points 1 and 2"), "{error}");
    // A kernel of the caller's own that is no number between the second and the third point.
    let own = mercer::kernel::Pointwise::psd(|x: &Vectors, i: usize, y: &Vectors, j: usize| {
        let (a, b) = (x.row(i).get(0), y.row(j).get(0));
        if a * b == 6.0 { f64::NAN } else { f64::from(u8::from(a == b)) }
    });
    let three = Labels::first_seen(["c", "b", "a", "b"]);
    // Of many classes too the points are those of the whole, not of their pair.
    for labels in [&labels, &three] {
        let fitted = Svc::new(own).fit(&Vectors::dense(1, vec![1.0, 2.0, 3.0, 5.0]), labels);
        let error = fitted.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(
            error.contains("between points 2 and 3") || error.contains("between points 3 and 2"),
            "{error}"
        );
    }
    // Norms that overflow double precision have no distance.
    let x = Vectors::dense(1, vec![1e200, 3e200, -5e200, 1.0]);
    let error = Svc::new(rbf(1.0)).fit(&x, &labels).unwrap_err().to_string();
    assert!(error.contains("not finite between points"), "{error}");
    // A row to predict may be that far away: the Gaussian of its distance is nothing.
    let x = Vectors::dense(1, vec![1.0, -1.0]);
    let model = Svc::new(rbf(1.0)).fit(&x, &Labels::first_seen(["a", "b"])).unwrap();
    let far = model.decisions(&Vectors::dense(1, vec![1e20, 1e39, 1e300])).unwrap();
    assert!(far.values().iter().all(|f| f.abs() < 1e-9), "{far:?}");
}

#[test]
fn a_warm_start_at_the_optimum_stays_there() {
    let (x, positive) = clouds(300, 3);
    let mut problem = Problem::c_svc(&positive, &vec![10.0; 300]);
    let kernel = rbf(4.0);
    let gram = Lazy::new(&kernel, &x).unwrap();
    let cold = solve(&Smo::default(), &problem, &gram);
    problem.start.clone_from(&cold.coefficients);
    let warm = solve(&Smo { tolerance: 1.1e-3, ..Smo::default() }, &problem, &gram);
    assert_eq!(warm.certificate.iterations, 0);
    assert_eq!(warm.coefficients, cold.coefficients);
    // Twice the C from the old optimum: the same answer as from nothing, in fewer steps.
    let start = std::mem::take(&mut problem.start);
    let doubled = Problem { start, ..Problem::c_svc(&positive, &vec![20.0; 300]) };
    let warm = solve(&Smo::default(), &doubled, &gram);
    let cold = solve(&Smo::default(), &Problem::c_svc(&positive, &vec![20.0; 300]), &gram);
    let (a, b) = (warm.certificate, cold.certificate);
    assert!((a.objective - b.objective).abs() < 1e-4 * b.objective.abs());
    assert!(
        a.iterations < b.iterations,
        "{} steps from the old optimum, {} from nothing",
        a.iterations,
        b.iterations
    );
}

#[test]
fn rows_are_computed_once_where_the_cache_holds_them() {
    let (x, positive) = clouds(2000, 5);
    let problem = Problem::c_svc(&positive, &vec![1.0; 2000]);
    let kernel = rbf(1.0);
    let gram = Lazy::new(&kernel, &x).unwrap();
    let smo = Smo { shrinking: false, ..Smo::default() };
    let roomy = solve(&smo, &problem, &gram);
    assert!(roomy.certificate.rows <= 2000.0, "{} rows of 2000", roomy.certificate.rows);
    let tight = solve(&Smo { cache_bytes: 0, ..smo }, &problem, &gram);
    assert!(tight.certificate.rows >= roomy.certificate.rows);
    assert_eq!(tight.coefficients, roomy.coefficients, "a cache changes the cost, never the answer");
}

#[test]
fn a_small_problem_computes_its_gram_hardly_more_than_once() {
    let (x, positive) = clouds(500, 5);
    let kernel = rbf(1.0);
    let gram = Lazy::new(&kernel, &x).unwrap();
    let found = solve(&Smo::default(), &Problem::c_svc(&positive, &vec![1.0; 500]), &gram);
    // All rows for the first working set, which is everything, and blocks of the few that are left over for the next.
    assert!((500.0..=575.0).contains(&found.certificate.rows), "{} rows of 500", found.certificate.rows);
}

#[test]
fn a_kernel_not_known_to_be_definite_has_no_gap() {
    let (x, y) = load("heart_scale.libsvm.gz");
    let model = Svc::new(tanh(0.5, -1.0)).fit(&x, &y).unwrap();
    assert_eq!(model.certificates[0].gap, None);
    assert!(Svc::new(rbf(0.5)).fit(&x, &y).unwrap().certificates[0].gap.is_some());
}

#[test]
fn limits_and_interruption_end_with_the_best_so_far() {
    use std::ops::ControlFlow;
    use std::time::Duration;
    let (x, positive) = clouds(500, 9);
    let labels = Labels::first_seen(positive.iter().map(|&p| if p { "a" } else { "b" }));
    let stop =
        |smo: Smo| Svc::new(rbf(30.0)).c(1e4).solver(smo).fit(&x, &labels).unwrap().certificates[0].stop;
    assert_eq!(stop(Smo { iteration_limit: Some(7), ..Smo::default() }), Stop::IterationLimit);
    assert_eq!(stop(Smo { time_limit: Some(Duration::ZERO), ..Smo::default() }), Stop::TimeLimit);
    let mut rounds = 0;
    let mut watch = |event: Event<'_>| {
        let Event::Round(progress) = event else { panic!("a solver has rounds") };
        rounds = progress.rounds;
        if rounds == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let model = Svc::new(rbf(30.0)).c(1e4).fit_in(&x, &labels, &mut Job::new().watched(&mut watch)).unwrap();
    assert_eq!(model.certificates[0].stop, Stop::Interrupted);
    assert!(!model.support.is_empty());
}

#[test]
fn two_points_have_the_closed_form() {
    // Distance 2 along a line, linear kernel: w = 1, b = 0, β = ±1/2, or ±C where C is smaller.
    let x = Vectors::dense(1, vec![1.0, -1.0]);
    let labels = Labels::first_seen(["+", "-"]);
    for (c, beta) in [(10.0, 0.5), (0.1, 0.1)] {
        let model = Svc::new(mercer::kernel::linear()).c(c).tolerance(1e-9).fit(&x, &labels).unwrap();
        let decisions = model.decisions(&Vectors::dense(1, vec![3.0])).unwrap();
        assert!((decisions.row(0)[0] - 6.0 * beta).abs() < 1e-6);
        assert!((model.certificates[0].objective - (2.0 * beta * beta - 2.0 * beta)).abs() < 1e-9);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Which point comes first must not matter.
    #[test]
    fn permuting_points_permutes_coefficients(seed in 0u64..1000, c in 0.1f64..50.0, gamma in 0.1f64..20.0) {
        let (x, positive) = clouds(60, seed);
        let order: Vec<usize> = (0..60).map(|i| (i * 37 + seed as usize) % 60).collect();
        let kernel = rbf(gamma);
        let smo = Smo { tolerance: 1e-9, ..Smo::default() };
        let straight = solve(&smo, &Problem::c_svc(&positive, &[c; 60]), &Lazy::new(&kernel, &x).unwrap());
        let shuffled: Vec<bool> = order.iter().map(|&i| positive[i]).collect();
        let moved = x.select(&order);
        let other = solve(&smo, &Problem::c_svc(&shuffled, &[c; 60]), &Lazy::new(&kernel, &moved).unwrap());
        for (j, &i) in order.iter().enumerate() {
            prop_assert!((other.coefficients[j] - straight.coefficients[i]).abs() < 1e-2 * c);
        }
        let (a, b) = (straight.certificate.objective, other.certificate.objective);
        prop_assert!((a - b).abs() < 1e-6 * a.abs());
    }
}
