use super::*;
use crate::data::{Sparse, Vectors};
use crate::solve::linear::Design;
use crate::solve::{Stop, unwatched};

const COSTS: [Cost; 2] = [Cost::SquaredHinge, Cost::Logistic];

fn uniform(random: &mut SplitMix) -> f64 {
    2.0 * random.uniform() - 1.0
}

/// Points of which three features decide, with noise.
fn drawn(seed: u64, n: usize, d: usize) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let mut random = SplitMix(seed);
    let rows: Vec<f64> = (0..n * d).map(|_| uniform(&mut random)).collect();
    let targets =
        rows.chunks(d).map(|x| (0.2 + x.iter().take(3).sum::<f64>() + uniform(&mut random)).signum());
    let targets = targets.collect();
    let prices = (0..n).map(|_| 0.2 + (4.0 * random.uniform()).floor() * 0.6).collect();
    (rows, targets, prices)
}

/// The primal objective, written out.
fn objective(p: &L1<'_>, rows: &[f64], d: usize, constant: f64, w: &[f64]) -> f64 {
    let own = if p.free_offset { &w[..d] } else { w };
    let output =
        |x: &[f64]| x.iter().zip(w).map(|(x, w)| x * w).sum::<f64>() + w.get(d).map_or(0.0, |b| b * constant);
    let costs = rows.chunks(d).zip(p.targets.iter().zip(p.prices));
    own.iter().map(|w| w.abs()).sum::<f64>()
        + costs.map(|(x, (&y, &c))| p.cost.value(y, c, output(x))).sum::<f64>()
}

/// A minimum by proximal gradients with a fixed step, which shares nothing with the solver.
fn by_gradients(p: &L1<'_>, rows: &[f64], d: usize, constant: f64) -> f64 {
    let width = p.x.width();
    let row = |x: &[f64]| -> Vec<f64> { x.iter().copied().chain([constant]).take(width).collect() };
    let norm: f64 =
        rows.chunks(d).zip(p.prices).map(|(x, c)| 2.0 * c * row(x).iter().map(|v| v * v).sum::<f64>()).sum();
    let mut w = vec![0.0; width];
    for _ in 0..40_000 {
        let mut gradient = vec![0.0; width];
        for (x, (&y, &c)) in rows.chunks(d).zip(p.targets.iter().zip(p.prices)) {
            let x = row(x);
            let m = x.iter().zip(&w).map(|(x, w)| x * w).sum::<f64>();
            let slope = match p.cost {
                Cost::Logistic => -c * y / (1.0 + (y * m).exp()),
                _ => -2.0 * c * y * (1.0 - y * m).max(0.0),
            };
            x.iter().zip(&mut gradient).for_each(|(x, g)| *g += slope * x);
        }
        for (j, (w, g)) in w.iter_mut().zip(&gradient).enumerate() {
            let (to, free) = (*w - 4.0 * g / norm, p.free_offset && j == d);
            *w = if free { to } else { to.signum() * (to.abs() - 4.0 / norm).max(0.0) };
        }
    }
    objective(p, rows, d, constant, &w)
}

fn limits(tolerance: f64) -> Limits {
    Limits { tolerance, iterations: 10_000, time: None }
}

fn solve(p: &L1<'_>, tolerance: f64) -> Answer {
    p.solve(None, &limits(tolerance), 0, &mut unwatched())
}

#[test]
fn the_objective_is_that_of_proximal_gradients() {
    for cost in COSTS {
        for (constant, free_offset) in [(0.0, false), (1.0, false), (2.0, false), (1.0, true)] {
            let (rows, targets, prices) = drawn(3, 60, 8);
            let x = Vectors::dense(8, rows.clone());
            let x = Columns::new(&Design::new(&x, constant));
            let p = L1 { x: &x, targets: &targets, prices: &prices, cost, free_offset };
            let answer = solve(&p, 1e-10);
            assert_eq!(answer.certificate.stop, Stop::Converged, "{cost:?} {constant} {free_offset}");
            let (a, b) =
                (objective(&p, &rows, 8, constant, &answer.weights), by_gradients(&p, &rows, 8, constant));
            assert!((a - b).abs() <= 1e-8 * a, "{cost:?} {constant} {free_offset}: {a} and {b}");
            assert!(a <= b + 1e-9 * a);
        }
    }
}

#[test]
fn the_dual_point_is_allowed_and_gives_the_gap() {
    for cost in COSTS {
        for free_offset in [false, true] {
            let (rows, targets, prices) = drawn(5, 150, 12);
            let x = Vectors::dense(12, rows.clone());
            let x = Columns::new(&Design::new(&x, 1.0));
            let p = L1 { x: &x, targets: &targets, prices: &prices, cost, free_offset };
            // Stopped early: the gap must be true at any time.
            for tolerance in [0.5, 1e-2, 1e-9] {
                let answer = solve(&p, tolerance);
                let mut sum = vec![0.0; 13];
                for (x, b) in rows.chunks(12).zip(&answer.dual) {
                    x.iter().chain(&[1.0]).zip(&mut sum).for_each(|(x, s)| *s += b * x);
                }
                let last = if free_offset { 0.0 } else { 1.0 };
                assert!(sum[..12].iter().all(|s| s.abs() <= 1.0 + 1e-9), "{cost:?} {free_offset}");
                assert!(sum[12].abs() <= last + 1e-9, "{cost:?} {free_offset}: {}", sum[12]);
                let duals = answer.dual.iter().zip(targets.iter().zip(&prices)).map(|(&b, (&y, &c))| {
                    assert!(y * b >= 0.0 && (cost == Cost::SquaredHinge || y * b <= c));
                    cost.dual(y, c, b)
                });
                let gap = objective(&p, &rows, 12, 1.0, &answer.weights) - duals.sum::<f64>();
                let told = answer.certificate.gap.unwrap();
                assert!((gap - told).abs() <= 1e-9 * objective(&p, &rows, 12, 1.0, &answer.weights));
            }
        }
    }
}

#[test]
fn dear_weights_are_zero_and_columns_may_be_copies() {
    let (rows, targets, _) = drawn(7, 80, 3);
    let x = Vectors::dense(3, rows.clone());
    let x = Columns::new(&Design::new(&x, 0.0));
    for cost in COSTS {
        let cheap = L1 { x: &x, targets: &targets, prices: &[1e-4; 80], cost, free_offset: false };
        let answer = solve(&cheap, 1e-9);
        assert!(answer.weights.iter().all(|&w| w == 0.0) && answer.certificate.stop == Stop::Converged);
        // Each column twice, a column that is constant, one that is empty: the same objective as once.
        let wide = rows.chunks(3).flat_map(|x| [x[0], x[0], x[1], x[2], 0.0, x[1]]).collect();
        let wide = Vectors::dense(6, wide);
        let twice = Columns::new(&Design::new(&wide, 0.0));
        let once = L1 { x: &x, targets: &targets, prices: &[1.0; 80], cost, free_offset: false };
        let twice = L1 { x: &twice, ..once };
        let (a, b) = (solve(&once, 1e-9).certificate, solve(&twice, 1e-9).certificate);
        assert_eq!((a.stop, b.stop), (Stop::Converged, Stop::Converged), "{cost:?}");
        assert!((a.objective - b.objective).abs() <= 2e-9 * a.objective.abs(), "{cost:?}");
    }
}

#[test]
fn the_bits_do_not_depend_on_the_threads() {
    for cost in COSTS {
        let (rows, targets, prices) = drawn(11, 9000, 150);
        let x = Vectors::dense(150, rows);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let x = Columns::new(&Design::new(&x, 1.0));
            let p = L1 { x: &x, targets: &targets, prices: &prices, cost, free_offset: false };
            pool.install(|| solve(&p, 1e-3).weights)
        };
        let one = on(1);
        assert!(on(2) == one && on(3) == one, "{cost:?}");
    }
}

#[test]
fn empty_rows_separable_points_and_sizes_far_from_one_are_solved() {
    let empty: Vectors = Sparse::<f64>::new(4, vec![0; 5], Vec::new(), Vec::new()).into();
    for cost in COSTS {
        for (constant, free_offset) in [(0.0, false), (1.0, false), (1.0, true)] {
            let x = Columns::new(&Design::new(&empty, constant));
            let targets = [1.0, 1.0, 1.0, -1.0];
            let p = L1 { x: &x, targets: &targets, prices: &[1.0; 4], cost, free_offset };
            let answer = solve(&p, 1e-9);
            assert_eq!(answer.certificate.stop, Stop::Converged, "{cost:?} {constant} {free_offset}");
        }
        for (price, size) in [(1e6, 1.0), (1.0, 1e-6), (1.0, 1e6)] {
            let x = Vectors::dense(1, [-2.0, -1.0, 0.1, 3.0, 3.5].iter().map(|v| v * size).collect());
            let x = Columns::new(&Design::new(&x, size));
            let targets = [1.0, 1.0, -1.0, -1.0, -1.0];
            let p = L1 { x: &x, targets: &targets, prices: &[price; 5], cost, free_offset: false };
            let answer = solve(&p, 1e-6);
            assert_eq!(answer.certificate.stop, Stop::Converged, "{cost:?} {price} {size}");
        }
    }
}
