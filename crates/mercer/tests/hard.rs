//! Problems that solvers choke on: each ends in bounded time with an answer that is what it says it is. C-SVC here, every
//! machine in `every_machine.rs`.

use std::time::{Duration, Instant};

use mercer::data::{Points, ReadOptions, Vectors, read};
use mercer::gram::Lazy;
use mercer::kernel::{VectorExpr, rbf};
use mercer::solve::{Problem, Smo, Solution, Stop, unwatched};

/// Long enough for any of them, on any machine that runs tests.
const PATIENCE: Duration = Duration::from_secs(60);
/// That of the solver.
const TOLERANCE: f64 = 1e-3;

struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

fn solve(x: &Vectors, positive: &[bool], c: f64, kernel: &VectorExpr) -> Solution {
    let gram = Lazy::new(kernel, x).expect("binds");
    let problem = Problem::c_svc(positive, &vec![c; x.len()]);
    let smo = Smo { time_limit: Some(PATIENCE), ..Smo::default() };
    smo.solve(&problem, &gram, &mut unwatched()).expect("solves")
}

/// Checks the answer from the definition, in double precision: feasible, as far from optimal as it says, and optimal to the tolerance if
/// it says that it converged. Returns why it stopped.
fn check(name: &str, x: &Vectors, positive: &[bool], c: f64, kernel: &VectorExpr) -> Stop {
    let started = Instant::now();
    let solution = solve(x, positive, c, kernel);
    assert!(started.elapsed() < PATIENCE + Duration::from_secs(5), "{name}: {:?}", started.elapsed());
    let beta = &solution.coefficients;
    let total: f64 = beta.iter().map(|b| b.abs()).sum();
    assert!(beta.iter().sum::<f64>().abs() <= 1e-9 * (1.0 + total), "{name}: the sum is kept");
    let (mut rise, mut fall) = (f64::INFINITY, f64::NEG_INFINITY);
    for i in 0..x.len() {
        let (lower, upper) = if positive[i] { (0.0, c) } else { (-c, 0.0) };
        assert!(beta[i] >= lower && beta[i] <= upper, "{name}: {} in the box", beta[i]);
        let sum: f64 = (0..x.len())
            .filter(|&j| beta[j] != 0.0)
            .map(|j| beta[j] * kernel.value(x.row(i), x.row(j)))
            .sum();
        let gradient = sum - if positive[i] { 1.0 } else { -1.0 };
        if beta[i] < upper {
            rise = rise.min(gradient);
        }
        if beta[i] > lower {
            fall = fall.max(gradient);
        }
    }
    let (violation, claimed) = ((fall - rise).max(0.0), solution.certificate.violation);
    // Two slopes, each to a quarter of the tolerance, and the rounding of double precision, which C = 10⁶ makes visible.
    let allowed = 0.5 * TOLERANCE + 1e-13 * total;
    assert!((violation - claimed).abs() <= allowed, "{name}: violation {violation}, {claimed} claimed");
    if solution.certificate.stop == Stop::Converged {
        assert!(claimed <= TOLERANCE, "{name}");
    }
    solution.certificate.stop
}

fn cloud(n: usize, width: usize, noise: &mut Noise) -> Vectors {
    Vectors::dense(width, (0..n * width).map(|_| noise.next()).collect())
}

#[test]
fn any_c_and_any_gamma_on_overlapping_classes() {
    let mut noise = Noise(1);
    let x = cloud(400, 3, &mut noise);
    let positive: Vec<bool> = (0..400).map(|i| x.row(i).get(0) + 0.4 * noise.next() > 0.7).collect();
    for c in [1e-6, 1e-2, 1.0, 1e3, 1e6] {
        for gamma in [1e-6, 1e-2, 1.0, 1e3] {
            let stop = check(&format!("C = {c}, γ = {gamma}"), &x, &positive, c, &rbf(gamma));
            // With C up to a thousand there is no excuse.
            assert!(c > 1e3 || stop == Stop::Converged, "C = {c}, γ = {gamma}: {stop}");
        }
    }
}

#[test]
fn duplicates_with_opposite_labels() {
    let mut noise = Noise(2);
    let half = cloud(150, 2, &mut noise);
    let twice: Vec<usize> = (0..300).map(|i| i / 2).collect();
    let (x, positive): (_, Vec<bool>) = (half.select(&twice), (0..300).map(|i| i % 2 == 0).collect());
    for c in [1.0, 100.0, 1e6] {
        assert_eq!(check(&format!("C = {c}"), &x, &positive, c, &rbf(3.0)), Stop::Converged);
    }
}

#[test]
fn near_duplicates_with_random_labels() {
    let mut noise = Noise(3);
    let values: Vec<f64> = (0..300).flat_map(|i| [f64::from(i / 10) + 1e-7 * noise.next(), 0.5]).collect();
    let x = Vectors::dense(2, values);
    let positive: Vec<bool> = (0..300).map(|_| noise.next() > 0.5).collect();
    for c in [1.0, 1e4] {
        assert_eq!(check(&format!("C = {c}"), &x, &positive, c, &rbf(0.01)), Stop::Converged);
    }
}

#[test]
fn few_against_many() {
    let mut noise = Noise(4);
    let x = cloud(3000, 2, &mut noise);
    let positive: Vec<bool> = (0..3000).map(|i| i == 17 || i == 1900).collect();
    for c in [1.0, 1e4] {
        assert_eq!(check(&format!("C = {c}"), &x, &positive, c, &rbf(1.0)), Stop::Converged);
    }
}

#[test]
fn unscaled_features() {
    let mut noise = Noise(5);
    let values: Vec<f64> =
        (0..500).flat_map(|_| [noise.next() * 1e5, noise.next() * 1e-3, 7.0, noise.next() * 30.0]).collect();
    let x = Vectors::dense(4, values);
    let positive: Vec<bool> = (0..500).map(|i| x.row(i).get(3) > 15.0).collect();
    for gamma in [1e-9, 0.25] {
        assert_eq!(check(&format!("γ = {gamma}"), &x, &positive, 10.0, &rbf(gamma)), Stop::Converged);
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/svmguide1.libsvm.gz");
    let table = read(std::path::Path::new(file), &ReadOptions::default()).expect("reads");
    let labels = table.labels.expect("has labels").labels().libsvm_order();
    let positive: Vec<bool> = labels.index().iter().map(|&class| class == 0).collect();
    assert_eq!(check("svmguide1 as it comes", &table.points, &positive, 1.0, &rbf(0.25)), Stop::Converged);
}

#[test]
fn points_that_are_all_the_same() {
    let x = Vectors::dense(2, vec![1.0; 40]);
    let positive: Vec<bool> = (0..20).map(|i| i % 3 == 0).collect();
    assert_eq!(check("the same", &x, &positive, 1.0, &rbf(1.0)), Stop::Converged);
}
