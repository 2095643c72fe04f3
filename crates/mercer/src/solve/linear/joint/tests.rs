use super::cost::{JointCost, largest, threshold};
use super::*;
use crate::data::{Sparse, SplitMix, Vectors};
use crate::solve::{Stop, unwatched};

/// Every cost with every algorithm that there is for it.
const ALL: [(JointCost, Algorithm); 6] = [
    (JointCost::CrammerSinger, Algorithm::Newton),
    (JointCost::CrammerSinger, Algorithm::Dual),
    (JointCost::CrammerSinger, Algorithm::Auto),
    (JointCost::WestonWatkins, Algorithm::Newton),
    (JointCost::WestonWatkins, Algorithm::Dual),
    (JointCost::Softmax, Algorithm::Newton),
];

fn uniform(random: &mut SplitMix) -> f64 {
    2.0 * random.uniform() - 1.0
}

/// Points whose class is that of the largest of some noisy linear functions.
fn drawn(seed: u64, n: usize, d: usize, count: usize) -> (Vec<f64>, Vec<u32>, Vec<f64>) {
    let mut random = SplitMix(seed);
    let rows: Vec<f64> = (0..n * d).map(|_| uniform(&mut random)).collect();
    let w: Vec<f64> = (0..d * count).map(|_| uniform(&mut random)).collect();
    let classes = rows.chunks(d).map(|x| {
        let score = |c: usize| x.iter().zip(&w[c * d..]).map(|(x, w)| x * w).sum::<f64>();
        let noisy: Vec<f64> = (0..count).map(|c| score(c) + 0.5 * uniform(&mut random)).collect();
        noisy.iter().position(|&s| s == largest(&noisy)).unwrap() as u32
    });
    let classes = classes.collect();
    let prices = (0..n).map(|_| 0.2 + (4.0 * random.uniform()).floor() * 0.6).collect();
    (rows, classes, prices)
}

/// A problem without free offsets.
fn problem<'a>(
    x: &'a Vectors,
    constant: f64,
    classes: &'a [u32],
    prices: &'a [f64],
    cost: JointCost,
) -> Joint<'a> {
    let count = classes.iter().max().map_or(0, |c| *c as usize + 1);
    Joint { x: Design::new(x, constant), classes, count, prices, cost, free_offset: false }
}

/// The primal objective, written out; offsets cost nothing where they are free.
fn objective(p: &Joint<'_>, rows: &[f64], d: usize, constant: f64, w: &[Vec<f64>]) -> f64 {
    let score = |x: &[f64], w: &[f64]| {
        x.iter().zip(w).map(|(x, w)| x * w).sum::<f64>() + w.get(d).map_or(0.0, |b| b * constant)
    };
    let costly =
        |w: &Vec<f64>| w[..if p.free_offset { d } else { w.len() }].iter().map(|w| w * w).sum::<f64>();
    let cost = |(i, x): (usize, &[f64])| {
        let own = p.classes[i] as usize;
        let m: Vec<f64> = w.iter().map(|w| score(x, w)).collect();
        let others = || m.iter().enumerate().filter(|(c, _)| *c != own).map(|(_, m_c)| 1.0 + m_c - m[own]);
        p.prices[i]
            * match p.cost {
                JointCost::CrammerSinger => others().fold(0.0, f64::max),
                JointCost::WestonWatkins => others().map(|z| z.max(0.0)).sum(),
                JointCost::Softmax => m.iter().map(|m_c| (m_c - m[own]).exp()).sum::<f64>().ln(),
            }
    };
    0.5 * w.iter().map(costly).sum::<f64>() + rows.chunks(d).enumerate().map(cost).sum::<f64>()
}

/// The dual objective as a maximum, written out, after a look at whether the shares are allowed.
fn dual(p: &Joint<'_>, rows: &[f64], d: usize, constant: f64, shares: &[f64]) -> f64 {
    let (mut sums, mut value) = (vec![vec![0.0; d + 1]; p.count], 0.0);
    for (i, (x, shares)) in rows.chunks(d).zip(shares.chunks(p.count)).enumerate() {
        let price = p.prices[i];
        assert!((shares.iter().sum::<f64>() - price).abs() <= 1e-12 * price);
        for (c, &share) in shares.iter().enumerate() {
            let own = c == p.classes[i] as usize;
            match p.cost {
                JointCost::WestonWatkins => assert!(own || (0.0..=price).contains(&share)),
                _ => assert!(share >= 0.0),
            }
            value += match p.cost {
                JointCost::Softmax if share > 0.0 => -share * (share / price).ln(),
                JointCost::Softmax => 0.0,
                _ if own => 0.0,
                _ => share,
            };
            let alpha = if own { price } else { 0.0 } - share;
            x.iter().chain(&[constant]).zip(&mut sums[c]).for_each(|(x, s)| *s += alpha * x);
        }
    }
    let costly = |s: &Vec<f64>| s[..if p.free_offset { d } else { d + 1 }].iter().map(|s| s * s).sum::<f64>();
    if p.free_offset {
        let scale: f64 = p.prices.iter().sum();
        assert!(sums.iter().all(|s| s[d].abs() <= 1e-12 * scale), "the offsets' condition");
    }
    value - 0.5 * sums.iter().map(costly).sum::<f64>()
}

fn limits(tolerance: f64) -> Limits {
    Limits { tolerance, iterations: 100_000, time: None }
}

fn solve(p: &Joint<'_>, algorithm: Algorithm, tolerance: f64) -> Together {
    p.solve(algorithm, &limits(tolerance), 0, &mut unwatched())
}

#[test]
fn the_gap_is_that_of_primal_and_dual_written_out() {
    for (cost, algorithm) in ALL {
        for (seed, count) in [2, 3, 7].into_iter().enumerate() {
            for constant in [0.0, 1.0, 3.0] {
                let (rows, classes, prices) = drawn(seed as u64, 120, 5, count);
                let x = Vectors::dense(5, rows.clone());
                let mut p = problem(&x, constant, &classes, &prices, cost);
                let may_be_free = algorithm == Algorithm::Newton && cost != JointCost::WestonWatkins;
                p.free_offset = may_be_free && constant == 1.0;
                // Stopped early: the gap must be true at any time.
                for tolerance in [0.3, 1e-3, 1e-9] {
                    let answer = solve(&p, algorithm, tolerance);
                    assert_eq!(
                        answer.certificate.stop,
                        Stop::Converged,
                        "{cost:?} {count} {constant} {tolerance}"
                    );
                    let primal = objective(&p, &rows, 5, constant, &answer.weights);
                    let gap = primal - dual(&p, &rows, 5, constant, &answer.shares);
                    let told = answer.certificate.gap.unwrap();
                    assert!(
                        (gap - told).abs() <= 1e-10 * primal,
                        "{cost:?} {count} {constant}: {gap} and {told}"
                    );
                    assert!(told <= tolerance * primal && gap >= -1e-10 * primal);
                }
            }
        }
    }
}

#[test]
fn two_classes_are_one_function() {
    // With w₁ = −w₀ = w/2 the problem is ½·½‖w‖² + Σ C cost(y⟨w, x⟩): half of ½‖w‖² + Σ 2C cost(y⟨w, x⟩).
    use crate::solve::linear::{Cost, Problem, newton};
    let (rows, classes, prices) = drawn(4, 150, 6, 2);
    let x = Vectors::dense(6, rows);
    for (cost, algorithm) in ALL {
        let both = solve(&problem(&x, 1.0, &classes, &prices, cost), algorithm, 1e-9);
        let targets: Vec<f64> = classes.iter().map(|&c| if c == 0 { 1.0 } else { -1.0 }).collect();
        let doubled: Vec<f64> = prices.iter().map(|c| 2.0 * c).collect();
        let single = if cost == JointCost::Softmax { Cost::Logistic } else { Cost::Hinge };
        let (x, targets, prices) = (Design::new(&x, 1.0), &targets[..], &doubled[..]);
        let one = Problem { x, targets, prices, cost: single, free_offset: false, offset_price: 0.0 };
        let one = newton::solve(&one, None, &limits(1e-9), &mut unwatched());
        let (a, b) = (both.certificate.objective, 0.5 * one.certificate.objective);
        assert!((a - b).abs() <= 4e-9 * a.abs(), "{cost:?}: {a} and {b}");
    }
}

#[test]
fn prices_are_copies() {
    let (rows, classes, _) = drawn(9, 60, 4, 4);
    let count_of = |i: usize| 1 + i % 3;
    let prices: Vec<f64> = (0..60).map(|i| 0.5 * count_of(i) as f64).collect();
    let x = Vectors::dense(4, rows.clone());
    let index: Vec<usize> = (0..60).flat_map(|i| vec![i; count_of(i)]).collect();
    let copies = Vectors::dense(4, index.iter().flat_map(|&i| rows[4 * i..][..4].to_vec()).collect());
    let of: Vec<u32> = index.iter().map(|&i| classes[i]).collect();
    let half = vec![0.5; of.len()];
    for (cost, algorithm) in ALL {
        let objective = |p: &Joint<'_>| solve(p, algorithm, 1e-9).certificate.objective;
        let a = objective(&problem(&x, 1.0, &classes, &prices, cost));
        let b = objective(&problem(&copies, 1.0, &of, &half, cost));
        assert!((a - b).abs() <= 2e-9 * a.abs(), "{cost:?}: {a} and {b}");
    }
}

#[test]
fn the_bits_do_not_depend_on_the_threads() {
    // Few features, for the direct solution, and many, for conjugate gradients.
    for (n, d) in [(5000, 12), (600, 700)] {
        let (rows, classes, prices) = drawn(11, n, d, 5);
        let x = Vectors::dense(d, rows);
        for (cost, algorithm) in ALL {
            let on = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let p = problem(&x, 1.0, &classes, &prices, cost);
                pool.install(|| solve(&p, algorithm, 1e-2).weights)
            };
            let one = on(1);
            assert!(on(2) == one && on(3) == one, "{cost:?} {n}");
        }
    }
}

#[test]
fn points_without_a_feature_and_hard_prices_are_solved() {
    let empty: Vectors = Sparse::<f64>::new(4, vec![0; 5], Vec::new(), Vec::new()).into();
    for (cost, algorithm) in ALL {
        for constant in [0.0, 1.0] {
            let p = problem(&empty, constant, &[0, 1, 2, 2], &[1.0; 4], cost);
            assert_eq!(solve(&p, algorithm, 1e-9).certificate.stop, Stop::Converged, "{cost:?} {constant}");
        }
        // Prices and sizes of rows far from 1, on one feature and on points that can be told apart.
        for (price, size) in [(1e-12, 1.0), (1e3, 1.0), (1.0, 1e-9), (1.0, 30.0)] {
            let x = Vectors::dense(1, [-2.0, -1.0, 0.1, 3.0, 3.5].iter().map(|v| v * size).collect());
            let prices = [price; 5];
            let p = problem(&x, size, &[0, 0, 1, 2, 2], &prices, cost);
            let answer = solve(&p, algorithm, 1e-6);
            assert_eq!(answer.certificate.stop, Stop::Converged, "{cost:?} {price} {size}");
        }
    }
}

#[test]
fn columns_of_very_different_size_are_no_obstacle() {
    // Sizes over seven decades and prices over six: coordinate descent did not come to an end on such data.
    for cost in [JointCost::CrammerSinger, JointCost::WestonWatkins, JointCost::Softmax] {
        for seed in 0..6 {
            let (mut rows, classes, _) = drawn(20 + seed, 200, 8, 4);
            rows.chunks_mut(8).for_each(|x| {
                x.iter_mut().enumerate().for_each(|(k, v)| *v *= 10f64.powi(k as i32 - 4));
            });
            let x = Vectors::dense(8, rows);
            for price in [1e-3, 1.0, 1e3] {
                let prices = vec![price; 200];
                let answer = solve(&problem(&x, 1.0, &classes, &prices, cost), Algorithm::Auto, 1e-6);
                let certificate = &answer.certificate;
                assert_eq!(certificate.stop, Stop::Converged, "{cost:?} {seed} {price}: {certificate:?}");
                assert!(
                    certificate.iterations <= 150,
                    "{cost:?} {seed} {price}: {} steps",
                    certificate.iterations
                );
            }
        }
    }
}

#[test]
fn the_threshold_leaves_the_total_above_it() {
    let mut random = SplitMix(1);
    for _ in 0..200 {
        let values: Vec<f64> = (0..9).map(|_| uniform(&mut random)).collect();
        let total = 3.0 * random.uniform();
        let level = threshold(&values, total);
        let above: f64 = values.iter().map(|v| (v - level).max(0.0)).sum();
        assert!((above - total).abs() <= 1e-12, "{above} and {total}");
    }
}
