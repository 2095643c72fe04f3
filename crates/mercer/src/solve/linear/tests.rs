use super::*;
use crate::data::{Dense, Sparse, SplitMix, Vectors};
use crate::solve::{Stop, unwatched};

const COSTS: [Cost; 5] =
    [Cost::Hinge, Cost::SquaredHinge, Cost::Logistic, Cost::Insensitive(0.2), Cost::SquaredInsensitive(0.2)];

fn uniform(random: &mut SplitMix) -> f64 {
    2.0 * random.uniform() - 1.0
}

/// Points with noisy targets: signs, or numbers for costs of regression.
fn drawn(seed: u64, n: usize, d: usize, cost: Cost) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let mut random = SplitMix(seed);
    let rows: Vec<f64> = (0..n * d).map(|_| uniform(&mut random)).collect();
    let w: Vec<f64> = (0..d).map(|_| 2.0 * uniform(&mut random)).collect();
    let targets = rows.chunks(d).map(|x| {
        let t = 0.3 + x.iter().zip(&w).map(|(x, w)| x * w).sum::<f64>() + uniform(&mut random);
        if matches!(cost, Cost::Insensitive(_) | Cost::SquaredInsensitive(_)) { t } else { t.signum() }
    });
    let targets = targets.collect();
    let prices = (0..n).map(|_| 0.2 + (4.0 * random.uniform()).floor() * 0.6).collect();
    (rows, targets, prices)
}

/// The primal objective, written out.
fn objective(p: &Problem<'_>, rows: &[f64], d: usize, constant: f64, w: &[f64]) -> f64 {
    let own = if p.free_offset { &w[..d] } else { w };
    let square: f64 = own.iter().map(|w| w * w).sum();
    let output =
        |x: &[f64]| x.iter().zip(w).map(|(x, w)| x * w).sum::<f64>() + w.get(d).map_or(0.0, |b| b * constant);
    let costs = rows.chunks(d).zip(p.targets.iter().zip(p.prices));
    0.5 * square + costs.map(|(x, (&y, &c))| p.cost.value(y, c, output(x))).sum::<f64>()
}

fn limits(tolerance: f64) -> Limits {
    Limits { tolerance, iterations: 100_000, time: None }
}

#[test]
fn both_ways_find_an_objective_that_no_small_change_improves() {
    for (seed, cost) in COSTS.into_iter().enumerate() {
        for (constant, free_offset) in [(0.0, false), (1.0, false), (2.0, false), (1.0, true)] {
            let (n, d) = (83, 5);
            let (rows, targets, prices) = drawn(seed as u64, n, d, cost);
            let x = Vectors::dense(d, rows.clone());
            let p = Problem {
                x: Design::new(&x, constant),
                targets: &targets,
                prices: &prices,
                cost,
                free_offset,
                offset_price: 0.0,
            };
            let newton = solve(&p, (Algorithm::Newton, None), &limits(1e-10), 0, &mut unwatched());
            assert_eq!(newton.certificate.stop, Stop::Converged, "{cost:?} {constant} {free_offset}");
            let best = objective(&p, &rows, d, constant, &newton.weights);
            let gap = newton.certificate.gap.unwrap();
            assert!((best + newton.certificate.objective - gap).abs() <= 1e-9 * best, "{cost:?}");
            let mut random = SplitMix(7);
            for size in [1e-1, 1e-2, 1e-3] {
                for _ in 0..50 {
                    let near: Vec<f64> =
                        newton.weights.iter().map(|w| w + size * uniform(&mut random)).collect();
                    assert!(objective(&p, &rows, d, constant, &near) >= best - gap, "{cost:?}");
                }
            }
            if !free_offset {
                let dual = solve(&p, (Algorithm::Dual, None), &limits(1e-8), 0, &mut unwatched());
                assert_eq!(dual.certificate.stop, Stop::Converged, "{cost:?} {constant}");
                let other = objective(&p, &rows, d, constant, &dual.weights);
                assert!((other - best).abs() <= 2e-8 * best, "{cost:?} {constant}: {other} and {best}");
            }
        }
    }
}

#[test]
fn the_dual_point_is_allowed_and_gives_the_gap() {
    for cost in COSTS {
        let (rows, targets, prices) = drawn(3, 200, 7, cost);
        let x = Vectors::dense(7, rows.clone());
        let p = Problem {
            x: Design::new(&x, 1.0),
            targets: &targets,
            prices: &prices,
            cost,
            free_offset: false,
            offset_price: 0.0,
        };
        // Stopped early: the gap must be true at any time.
        for tolerance in [0.5, 1e-2, 1e-6] {
            let answer = solve(&p, (Algorithm::Newton, None), &limits(tolerance), 0, &mut unwatched());
            let mut sum = vec![0.0; 8];
            for (x, b) in rows.chunks(7).zip(&answer.dual) {
                x.iter().chain(&[1.0]).zip(&mut sum).for_each(|(x, s)| *s += b * x);
            }
            let duals = answer.dual.iter().zip(targets.iter().zip(&prices)).map(|(&b, (&y, &c))| {
                assert!((cost.allowed(y, c, b) - b).abs() <= 1e-12, "{cost:?}: {b}");
                cost.dual(y, c, b)
            });
            let dual = duals.sum::<f64>() - 0.5 * sum.iter().map(|s| s * s).sum::<f64>();
            let gap = objective(&p, &rows, 7, 1.0, &answer.weights) - dual;
            let told = answer.certificate.gap.unwrap();
            assert!((gap - told).abs() <= 1e-9 * dual.abs(), "{cost:?}: {gap} and {told}");
            assert!(told <= tolerance * (dual + told));
        }
    }
}

#[test]
fn sparse_and_single_rows_are_the_same_problem() {
    let (rows, targets, prices) = drawn(5, 300, 9, Cost::Hinge);
    // Every third value is 0, and all are exact in single precision.
    let rows: Vec<f64> =
        rows.iter().enumerate().map(|(k, v)| if k % 3 == 0 { 0.0 } else { f64::from(*v as f32) }).collect();
    let (mut start, mut index, mut values) = (vec![0], Vec::new(), Vec::new());
    for x in rows.chunks(9) {
        for (k, &value) in x.iter().enumerate().filter(|(_, v)| **v != 0.0) {
            index.push(k as u32);
            values.push(value);
        }
        start.push(index.len());
    }
    let single: Vec<f32> = values.iter().map(|&v| v as f32).collect();
    let forms: [Vectors; 4] = [
        Dense::new(9, rows.clone()).into(),
        Dense::new(9, rows.iter().map(|&v| v as f32).collect::<Vec<f32>>()).into(),
        Sparse::new(9, start.clone(), index.clone(), values).into(),
        Sparse::new(9, start, index, single).into(),
    ];
    let solved = forms.map(|x| {
        let x = Design::new(&x, 1.0);
        let cost = Cost::Hinge;
        let p =
            Problem { x, targets: &targets, prices: &prices, cost, free_offset: false, offset_price: 0.0 };
        solve(&p, (Algorithm::Newton, None), &limits(1e-9), 0, &mut unwatched()).weights
    });
    for other in &solved[1..] {
        for (a, b) in solved[0].iter().zip(other) {
            // A gap of 1e-9 of the objective allows a distance of √(2 gap) of the weights.
            assert!((a - b).abs() < 1e-3, "{a} and {b}");
        }
    }
}

#[test]
fn the_bits_do_not_depend_on_the_threads() {
    for (cost, n, d) in
        [(Cost::Hinge, 9000, 30), (Cost::Logistic, 20_000, 12), (Cost::SquaredHinge, 6000, 300)]
    {
        let (rows, targets, prices) = drawn(11, n, d, cost);
        let x = Vectors::dense(d, rows);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let x = Design::new(&x, 1.0);
            let p = Problem {
                x,
                targets: &targets,
                prices: &prices,
                cost,
                free_offset: false,
                offset_price: 0.0,
            };
            pool.install(|| solve(&p, (Algorithm::Newton, None), &limits(1e-5), 0, &mut unwatched()).weights)
        };
        let one = on(1);
        assert!(on(2) == one && on(3) == one, "{cost:?}");
    }
}

#[test]
fn points_without_a_feature_and_columns_without_a_value_are_solved() {
    // No row has an entry: the offset alone decides. Hinge of 3 points of one sign and 1 of the other.
    let x: Vectors = Sparse::<f64>::new(4, vec![0; 5], Vec::new(), Vec::new()).into();
    for cost in COSTS {
        let targets = [1.0, 1.0, 1.0, -1.0];
        for constant in [0.0, 1.0] {
            let x = Design::new(&x, constant);
            let p = Problem {
                x,
                targets: &targets,
                prices: &[1.0; 4],
                cost,
                free_offset: false,
                offset_price: 0.0,
            };
            let answer = solve(&p, (Algorithm::Newton, None), &limits(1e-9), 0, &mut unwatched());
            assert_eq!(answer.certificate.stop, Stop::Converged, "{cost:?} {constant}");
            assert!(answer.weights[..4].iter().all(|&w| w == 0.0), "{cost:?} {constant}");
        }
    }
}

/// ½‖w‖² − ρ + Σ u max(0, ρ − ⟨w, x⟩) at the best ρ for w: one of the outputs.
fn one_class_objective(rows: &[f64], d: usize, prices: &[f64], w: &[f64]) -> f64 {
    let output = |x: &[f64]| x.iter().zip(w).map(|(x, w)| x * w).sum::<f64>();
    let outputs: Vec<f64> = rows.chunks(d).map(output).collect();
    let at = |rho: &f64| outputs.iter().zip(prices).map(|(m, u)| u * (rho - m).max(0.0)).sum::<f64>() - rho;
    0.5 * w.iter().map(|w| w * w).sum::<f64>() + outputs.iter().map(at).fold(f64::INFINITY, f64::min)
}

#[test]
fn one_class_is_solved_to_the_gap_of_its_own_objective() {
    let (n, d) = (90, 4);
    let (rows, ..) = drawn(2, n, d, Cost::Hinge);
    for (shift, size) in [(1.0, 1.0), (0.5, 1.0), (1.0, 1e3), (1.0, 1e-3), (1.0, 1e9), (0.5, 1e-9)] {
        let rows: Vec<f64> = rows.iter().map(|v| size * (v + shift)).collect();
        let x = Vectors::dense(d, rows.clone());
        for nu in [0.05, 0.3, 0.77, 1.0] {
            let prices = vec![1.0 / (nu * n as f64); n];
            let (answer, inside) = one_class(&x, &vec![2.0; n], nu, &limits(1e-8), &mut unwatched());
            assert!(!inside, "{shift} {size} {nu}");
            let certificate = answer.certificate;
            assert_eq!(certificate.stop, Stop::Converged, "{shift} {size} {nu}");
            let (total, mut sum) = (answer.dual.iter().sum::<f64>(), vec![0.0; d]);
            assert!((total - 1.0).abs() < 1e-12, "{shift} {size} {nu}: {total}");
            for (x, (b, u)) in rows.chunks(d).zip(answer.dual.iter().zip(&prices)) {
                assert!(*b >= 0.0 && *b <= u * (1.0 + 1e-12));
                x.iter().zip(&mut sum).for_each(|(x, s)| *s += b * x);
            }
            let dual = -0.5 * sum.iter().map(|s| s * s).sum::<f64>();
            let gap = one_class_objective(&rows, d, &prices, &answer.weights[..d]) - dual;
            let told = certificate.gap.unwrap();
            assert!((dual + certificate.objective).abs() <= 1e-9 * dual.abs(), "{shift} {size} {nu}");
            assert!(gap <= told + 1e-12 * dual.abs(), "{shift} {size} {nu}: {gap} and {told}");
            assert!(gap <= 1.001e-8 * dual.abs(), "{shift} {size} {nu}: {gap} of {dual}");
        }
    }
}

#[test]
fn one_class_about_the_origin_is_said_to_be_nothing_whatever_the_units() {
    let (n, d) = (300, 5);
    let (rows, ..) = drawn(8, n, d, Cost::Hinge);
    for size in [1e-6, 1.0, 1e3, 1e8] {
        let rows: Vec<f64> = rows.iter().map(|v| size * v).collect();
        let x = Vectors::dense(d, rows.clone());
        let (answer, inside) = one_class(&x, &vec![1.0; n], 0.05, &limits(1e-4), &mut unwatched());
        assert!(inside && answer.certificate.stop == Stop::Converged, "{size}");
        assert!(answer.weights.iter().all(|w| *w == 0.0), "{size}");
        // At w = 0 the gap is the bound ½‖Σ βx‖², which the dual point must have.
        let mut sum = vec![0.0; d];
        for (x, b) in rows.chunks(d).zip(&answer.dual) {
            x.iter().zip(&mut sum).for_each(|(x, s)| *s += b * x);
        }
        let bound = 0.5 * sum.iter().map(|s| s * s).sum::<f64>();
        let told = answer.certificate.gap.unwrap();
        assert_eq!(told, answer.certificate.objective);
        // What is told is a difference of sums of 300 numbers of the size of the rows.
        assert!((bound - told).abs() <= 1e-14 * size * size && told <= 2e-12 * size * size, "{size}: {told}");
    }
}

#[test]
fn one_class_about_the_origin_is_said_to_be_nothing_whatever_the_units_of_each_feature() {
    for seed in 0..12 {
        let (n, d) = (60 + 5 * seed as usize, 2 + seed as usize % 5);
        let (rows, ..) = drawn(20 + seed, n, d, Cost::Hinge);
        // From 1e-3 to 1e3, in an order that changes from draw to draw.
        let size = |k: usize| 10_f64.powf(6.0 * ((k * 7 + seed as usize) % d) as f64 / (d - 1) as f64 - 3.0);
        let rows: Vec<f64> = rows.iter().enumerate().map(|(at, v)| size(at % d) * (v + 0.1)).collect();
        let x = Vectors::dense(d, rows.clone());
        let (answer, inside) = one_class(&x, &vec![1.0; n], 0.2, &limits(1e-4), &mut unwatched());
        assert!(inside && answer.certificate.stop == Stop::Converged, "{seed}: {:?}", answer.certificate);
        let most = 1.0 / (0.2 * n as f64);
        assert!(answer.dual.iter().all(|b| *b >= 0.0 && *b <= most * (1.0 + 1e-12)));
        assert!((answer.dual.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        for k in 0..d {
            let sum: f64 = rows.iter().skip(k).step_by(d).zip(&answer.dual).map(|(x, b)| x * b).sum();
            // The largest feature decides what 0 is.
            assert!(sum.abs() <= 1e-5 * 1e3, "{seed}: {sum} in feature {k}");
        }
    }
}

#[test]
fn numbers_beyond_the_largest_are_no_small_gap() {
    let (rows, targets, _) = drawn(4, 60, 3, Cost::Hinge);
    let x = Vectors::dense(3, rows);
    for cost in [Cost::Hinge, Cost::SquaredHinge, Cost::Logistic] {
        for algorithm in [Algorithm::Newton, Algorithm::Dual] {
            let prices = &[1e308; 60];
            let x = Design::new(&x, 1.0);
            let p = Problem { x, targets: &targets, prices, cost, free_offset: false, offset_price: 0.0 };
            let limits = Limits { iterations: 20, ..limits(1e-4) };
            let own = solve(&p, (algorithm, None), &limits, 0, &mut unwatched()).certificate;
            let primal = own.gap.unwrap() - own.objective;
            assert!(own.stop != Stop::Converged || primal.is_finite(), "{cost:?} {algorithm:?}: {own:?}");
        }
    }
}

#[test]
fn a_pass_that_multiplies_and_adds_gives_the_bits_of_both() {
    let (rows, _, _) = drawn(5, 5000, 7, Cost::Logistic);
    let x = Vectors::from(Dense::new(7, rows));
    let x = Design::new(&x, 0.5);
    let listed: Vec<u32> = (0..5000).filter(|i| i % 3 != 1).collect();
    let weights: Vec<f64> = listed.iter().map(|i| f64::from(i % 11) - 4.0).collect();
    let vector: Vec<f64> = (0..8).map(|k| 0.3 * f64::from(k) - 1.0).collect();
    let (mut outputs, mut both) = (vec![0.0; listed.len()], vec![0.0; listed.len()]);
    x.products(&listed, &vector, &mut outputs);
    let sum = x.products_and_sum(&listed, &vector, &mut both, &weights);
    assert_eq!(outputs, both);
    assert_eq!(sum, x.sum(&listed, &weights));
}

#[test]
fn passes_over_the_dual_spare_newton_steps_where_there_are_many_features() {
    let (n, d, entries) = (900, 2500, 12);
    let mut steps = [0; 2];
    for (seed, cost) in [(1, Cost::Hinge), (2, Cost::Hinge), (3, Cost::Insensitive(0.1))] {
        let mut random = SplitMix(seed);
        let w: Vec<f64> = (0..d).map(|_| uniform(&mut random)).collect();
        let (mut start, mut index, mut values, mut targets) = (vec![0], vec![], vec![], vec![]);
        for _ in 0..n {
            let mut features: Vec<u32> =
                (0..entries).map(|_| (random.uniform().powi(2) * d as f64) as u32).collect();
            features.sort_unstable();
            features.dedup();
            let output: f64 = features.iter().map(|&k| w[k as usize]).sum::<f64>() + uniform(&mut random);
            targets.push(if cost == Cost::Hinge { output.signum() } else { output });
            values.extend(features.iter().map(|_| 1.0));
            index.extend(features);
            start.push(index.len());
        }
        let (x, prices) = (Vectors::from(Sparse::new(d, start, index, values)), vec![1.0; n]);
        let x = Design::new(&x, 1.0);
        let p =
            Problem { x, targets: &targets, prices: &prices, cost, free_offset: false, offset_price: 0.0 };
        let by = |algorithm| solve(&p, (algorithm, None), &limits(1e-6), 0, &mut unwatched()).certificate;
        let (newton, auto) = (by(Algorithm::Newton), by(Algorithm::Auto));
        assert!(newton.stop == Stop::Converged && auto.stop == Stop::Converged, "{cost:?}");
        assert!((newton.objective - auto.objective).abs() <= 2e-6 * newton.objective.abs(), "{cost:?}");
        steps = [steps[0] + newton.iterations, steps[1] + auto.iterations];
    }
    // Single problems differ by a step or two, by the order of a sum.
    assert!(steps[1] < steps[0], "{steps:?}");
}
