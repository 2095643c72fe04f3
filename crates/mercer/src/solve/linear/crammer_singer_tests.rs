use super::*;
use crate::data::{Sparse, Vectors};
use crate::solve::{Stop, unwatched};

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

/// The primal objective, written out.
fn objective(p: &CrammerSinger<'_>, rows: &[f64], d: usize, constant: f64, w: &[Vec<f64>]) -> f64 {
    let score = |x: &[f64], w: &[f64]| {
        x.iter().zip(w).map(|(x, w)| x * w).sum::<f64>() + w.get(d).map_or(0.0, |b| b * constant)
    };
    let square: f64 = w.iter().flatten().map(|w| w * w).sum();
    let cost = |(i, x): (usize, &[f64])| {
        let own = p.classes[i] as usize;
        let of = |(c, w): (usize, &Vec<f64>)| score(x, w) + if c == own { 0.0 } else { 1.0 };
        p.prices[i] * (w.iter().enumerate().map(of).fold(f64::MIN, f64::max) - score(x, &w[own]))
    };
    0.5 * square + rows.chunks(d).enumerate().map(cost).sum::<f64>()
}

/// The dual objective as a maximum, written out, after a look at whether the shares are allowed.
fn dual(p: &CrammerSinger<'_>, rows: &[f64], d: usize, constant: f64, shares: &[f64]) -> f64 {
    let (mut sums, mut errors) = (vec![vec![0.0; d + 1]; p.count], 0.0);
    for (i, (x, shares)) in rows.chunks(d).zip(shares.chunks(p.count)).enumerate() {
        assert!(shares.iter().all(|&s| s >= 0.0));
        assert!((shares.iter().sum::<f64>() - p.prices[i]).abs() <= 1e-12 * p.prices[i]);
        for (c, share) in shares.iter().enumerate() {
            let own = c == p.classes[i] as usize;
            let alpha = if own { p.prices[i] } else { 0.0 } - share;
            errors += if own { 0.0 } else { *share };
            x.iter().chain(&[constant]).zip(&mut sums[c]).for_each(|(x, s)| *s += alpha * x);
        }
    }
    errors - 0.5 * sums.iter().flatten().map(|s| s * s).sum::<f64>()
}

fn limits(tolerance: f64) -> Limits {
    Limits { tolerance, iterations: 100_000, time: None }
}

#[test]
fn the_gap_is_that_of_primal_and_dual_written_out() {
    for (seed, count) in [2, 3, 7].into_iter().enumerate() {
        for constant in [0.0, 1.0, 3.0] {
            let (rows, classes, prices) = drawn(seed as u64, 120, 5, count);
            let x = Vectors::dense(5, rows.clone());
            let x = Design::new(&x, constant);
            let p = CrammerSinger { x, classes: &classes, count, prices: &prices };
            // Stopped early: the gap must be true at any time.
            for tolerance in [0.3, 1e-3, 1e-9] {
                let answer = p.solve(&limits(tolerance), 0, &mut unwatched());
                assert_eq!(answer.certificate.stop, Stop::Converged, "{count} {constant} {tolerance}");
                let primal = objective(&p, &rows, 5, constant, &answer.weights);
                let gap = primal - dual(&p, &rows, 5, constant, &answer.shares);
                let told = answer.certificate.gap.unwrap();
                assert!((gap - told).abs() <= 1e-10 * primal, "{count} {constant}: {gap} and {told}");
                assert!(told <= tolerance * primal && gap >= -1e-10 * primal);
            }
        }
    }
}

#[test]
fn two_classes_are_a_hinge_of_half_the_price() {
    // With w₁ = −w₀ = w/2 the problem is ½·½‖w‖² + Σ C max(0, 1 − y⟨w, x⟩): half of ½‖w‖² + Σ 2C max(0, 1 − y⟨w, x⟩).
    let (rows, classes, prices) = drawn(4, 150, 6, 2);
    let x = Vectors::dense(6, rows);
    let x = Design::new(&x, 1.0);
    let p = CrammerSinger { x, classes: &classes, count: 2, prices: &prices };
    let both = p.solve(&limits(1e-9), 0, &mut unwatched());
    let targets: Vec<f64> = classes.iter().map(|&c| if c == 0 { 1.0 } else { -1.0 }).collect();
    let doubled: Vec<f64> = prices.iter().map(|c| 2.0 * c).collect();
    let cost = super::super::Cost::Hinge;
    let one = super::super::Problem {
        x,
        targets: &targets,
        prices: &doubled,
        cost,
        free_offset: false,
        offset_price: 0.0,
    };
    let one = super::super::newton::solve(&one, None, &limits(1e-9), &mut unwatched());
    let (a, b) = (both.certificate.objective, 0.5 * one.certificate.objective);
    assert!((a - b).abs() <= 4e-9 * a.abs(), "{a} and {b}");
}

#[test]
fn prices_are_copies() {
    let (rows, classes, _) = drawn(9, 60, 4, 4);
    let count_of = |i: usize| 1 + i % 3;
    let prices: Vec<f64> = (0..60).map(|i| 0.5 * count_of(i) as f64).collect();
    let x = Vectors::dense(4, rows.clone());
    let x = Design::new(&x, 1.0);
    let weighted = CrammerSinger { x, classes: &classes, count: 4, prices: &prices };
    let index: Vec<usize> = (0..60).flat_map(|i| vec![i; count_of(i)]).collect();
    let copies = Vectors::dense(4, index.iter().flat_map(|&i| rows[4 * i..][..4].to_vec()).collect());
    let of: Vec<u32> = index.iter().map(|&i| classes[i]).collect();
    let (x, half) = (Design::new(&copies, 1.0), vec![0.5; of.len()]);
    let copied = CrammerSinger { x, classes: &of, count: 4, prices: &half };
    let solve = |p: &CrammerSinger<'_>| p.solve(&limits(1e-9), 0, &mut unwatched()).certificate.objective;
    let (a, b) = (solve(&weighted), solve(&copied));
    assert!((a - b).abs() <= 2e-9 * a.abs(), "{a} and {b}");
}

#[test]
fn the_bits_do_not_depend_on_the_threads() {
    let (rows, classes, prices) = drawn(11, 3000, 12, 5);
    let x = Vectors::dense(12, rows);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let x = Design::new(&x, 1.0);
        let p = CrammerSinger { x, classes: &classes, count: 5, prices: &prices };
        pool.install(|| p.solve(&limits(1e-3), 0, &mut unwatched()).weights)
    };
    let one = on(1);
    assert!(on(2) == one && on(3) == one);
}

#[test]
fn points_without_a_feature_and_hard_prices_are_solved() {
    let empty: Vectors = Sparse::<f64>::new(4, vec![0; 5], Vec::new(), Vec::new()).into();
    for constant in [0.0, 1.0] {
        let x = Design::new(&empty, constant);
        let p = CrammerSinger { x, classes: &[0, 1, 2, 2], count: 3, prices: &[1.0; 4] };
        let answer = p.solve(&limits(1e-9), 0, &mut unwatched());
        assert_eq!(answer.certificate.stop, Stop::Converged, "{constant}");
    }
    // Prices and sizes of rows far from 1, on one feature and on points that can be told apart.
    for (price, size) in [(1e-12, 1.0), (1e3, 1.0), (1.0, 1e-9), (1.0, 30.0)] {
        let x = Vectors::dense(1, [-2.0, -1.0, 0.1, 3.0, 3.5].iter().map(|v| v * size).collect());
        let x = Design::new(&x, size);
        let p = CrammerSinger { x, classes: &[0, 0, 1, 2, 2], count: 3, prices: &[price; 5] };
        let answer = p.solve(&limits(1e-6), 0, &mut unwatched());
        assert_eq!(answer.certificate.stop, Stop::Converged, "{price} {size}");
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
