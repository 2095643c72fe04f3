//! Every Gram against its values computed one by one.

use std::ops::ControlFlow;

use super::*;
use crate::data::{Points, Sparse, Vectors};
use crate::kernel::{Kernel, Reference, VectorExpr, rbf};

fn points(n: usize) -> Vectors {
    Vectors::dense(3, (0..3 * n).map(|i| ((i * i * 7919 + 3 * i) % 1009) as f64 / 1009.0).collect())
}

/// The points as sparse rows.
fn sparse(points: &Vectors) -> Vectors {
    let (mut start, mut index, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..points.len() {
        for k in (0..points.width()).filter(|&k| points.row(i).get(k) != 0.0) {
            index.push(k as u32);
            values.push(points.row(i).get(k));
        }
        start.push(index.len());
    }
    Sparse::new(points.width(), start, index, values).into()
}

/// Checks of every Gram, compared with the definition of the kernel value by value.
fn battery(name: &str, gram: &dyn Gram, kernel: &VectorExpr, points: &Vectors) {
    let n = points.len();
    let exact = |i: usize, j: usize| kernel.value(points.row(i), points.row(j));
    assert_eq!(gram.len(), n, "{name}");
    assert!((0..n).all(|i| (gram.diagonal()[i] - exact(i, i)).abs() < 1e-14), "{name}");
    // Repeated, unordered, more rows than a small cache holds.
    let rows: Vec<usize> = (0..2 * n).map(|i| i * 31 % n).collect();
    let mut out = vec![vec![f32::NAN; n]; rows.len()];
    gram.rows(&rows, &mut out.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
    for (r, &i) in rows.iter().enumerate() {
        for j in 0..n {
            assert!((f64::from(out[r][j]) - exact(i, j)).abs() < 1e-6, "{name} at {i}, {j}");
        }
    }
    let mut lower: Vec<Vec<f64>> = (1..n).map(|i| vec![f64::NAN; i + 1]).collect();
    gram.lower_rows(1, &mut lower.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
    for (i, row) in (1..).zip(&lower) {
        for (j, value) in row.iter().enumerate() {
            assert!((value - exact(i, j)).abs() < 1e-6, "{name}, lower half at {i}, {j}");
        }
    }
    let weights: Vec<f64> = (0..rows.len()).map(|r| (r as f64 * 0.7).sin()).collect();
    let mut sums: Vec<f64> = (0..n).map(|j| j as f64).collect();
    gram.accumulate(&rows, &weights, &mut sums);
    for j in 0..n {
        let sum: f64 = rows.iter().zip(&weights).map(|(&i, w)| w * exact(i, j)).sum();
        assert!((sums[j] - j as f64 - sum).abs() < 1e-5, "{name}, sum at {j}");
    }
    assert!(gram.computed() > 0, "{name} counts what it computes");
    // A share has the same bits, and both count the values that it computes.
    let (shared, mut row) = (gram.share(), vec![f32::NAN; n]);
    let before = gram.computed();
    assert_eq!(shared.computed(), 0, "{name} shared");
    shared.rows(&rows[..1], &mut [&mut row]);
    assert_eq!(row, out[0], "{name} shared");
    assert_eq!(shared.diagonal(), gram.diagonal(), "{name} shared");
    assert_eq!(shared.computed(), gram.computed() - before, "{name} shared");
    // The bits do not change when scratch memory is released.
    gram.release_scratch();
    let (before, mut row) = (out[0].clone(), vec![f32::NAN; n]);
    gram.rows(&rows[..1], &mut [&mut row]);
    assert_eq!(row, before, "{name} after its scratch memory was released");
}

/// The checks for the Gram, for one restricted from it, and for one restricted from that one.
fn with_restrictions(name: &str, gram: &dyn Gram, kernel: &VectorExpr, points: &Vectors) {
    battery(name, gram, kernel, points);
    let index: Vec<usize> = (0..points.len()).filter(|i| i % 3 != 1).rev().collect();
    let part = gram.restrict(&index);
    battery(&format!("part of {name}"), &*part, kernel, &points.select(&index));
    let smaller: Vec<usize> = (0..index.len()).step_by(2).collect();
    let again = part.restrict(&smaller);
    let twice: Vec<usize> = smaller.iter().map(|&i| index[i]).collect();
    battery(&format!("part of part of {name}"), &*again, kernel, &points.select(&twice));
}

#[test]
fn every_gram_equals_its_dense_twin() {
    let (kernel, points) = (rbf(2.0), points(70));
    let lazy = Lazy::new(&kernel, &points).expect("binds");
    with_restrictions("lazy", &lazy, &kernel, &points);
    with_restrictions("full", &Full::new(&lazy), &kernel, &points);
    for double in [false, true] {
        let held = Held::new(lazy.restrict(&(0..70).collect::<Vec<_>>()), double);
        with_restrictions("held", &held, &kernel, &points);
    }
    for rows in [1, 5, 70, 1000] {
        let mut cached = Cached::new(Box::new(&lazy), rows * 80 * 4, 2);
        (0..30).for_each(|i| drop(cached.lend(&[i, i + 17])));
        with_restrictions("cached", &cached, &kernel, &points);
    }
    let all: Vec<usize> = (0..70).collect();
    with_restrictions("subset", &Subset::new(&lazy, &all), &kernel, &points);
}

#[test]
fn values_that_are_held_have_the_bits_of_the_rows_and_half_of_them_are_computed() {
    let (kernel, n) = (rbf(2.0), 301);
    let points = points(n);
    let lazy = Lazy::new(&kernel, &points).expect("binds");
    let (mut single, mut double) = (vec![vec![0.0_f32; n]; n], vec![vec![0.0_f64; n]; n]);
    for i in 0..n {
        lazy.rows(&[i], &mut [&mut single[i]]);
        lazy.rows_f64(&[i], &mut [&mut double[i]]);
    }
    let index: Vec<usize> = (0..n).filter(|i| i % 4 != 2).rev().collect();
    let (mut part_single, mut part_double) = (vec![0.0_f32; index.len()], vec![0.0_f64; index.len()]);
    for is_double in [false, true] {
        let before = lazy.computed();
        let held = Held::new(Box::new(&lazy), is_double);
        assert_eq!(lazy.computed() - before, (n * (n + 1) / 2) as u64);
        assert_eq!(Held::bytes(n, is_double), n * n * if is_double { 12 } else { 4 });
        let part = held.restrict(&index);
        for (place, &i) in index.iter().enumerate() {
            part.rows(&[place], &mut [&mut part_single]);
            part.rows_f64(&[place], &mut [&mut part_double]);
            for (at, &j) in index.iter().enumerate() {
                // What lies above the diagonal is a copy of what lies below it.
                let (row, column) = (i.max(j), i.min(j));
                let rounded = if is_double { double[row][column] as f32 } else { single[row][column] };
                assert_eq!(part_single[at], rounded, "{i}, {j}");
                assert!((part_double[at] - double[row][column]).abs() <= 1e-15, "{i}, {j}");
            }
        }
    }
}

#[test]
fn sums_of_rows_have_the_bits_of_the_rows() {
    let values: Vec<f64> =
        (0..300 * 40).map(|i| if i * 7 % 11 == 0 { (i % 5) as f64 } else { 0.0 }).collect();
    let dense = Vectors::dense(40, values);
    let rows: Vec<usize> = (0..150).map(|i| i * 37 % 300).collect();
    let weights: Vec<f64> = (0..150).map(|r| (r as f64 * 0.7).sin()).collect();
    // The second γ needs double precision.
    for (points, gamma) in [(&dense, 0.01), (&dense, 4.0), (&sparse(&dense), 0.01)] {
        let kernel = rbf(gamma);
        let lazy = Lazy::new(&kernel, points).expect("binds");
        let mut out = vec![vec![0.0; 300]; 150];
        lazy.rows(&rows, &mut out.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
        let (mut expected, mut sums) = (vec![0.5; 300], vec![0.5; 300]);
        crate::simd::accumulate(&mut expected, &out.iter().map(Vec::as_slice).collect::<Vec<_>>(), &weights);
        lazy.accumulate(&rows, &weights, &mut sums);
        assert_eq!(sums, expected, "γ = {gamma}");
    }
}

#[test]
fn what_is_kept_and_what_is_not_add_up() {
    let (kernel, points) = (rbf(2.0), points(64));
    let lazy = Lazy::new(&kernel, &points).expect("binds");
    let row = 64 * 4;
    let mut cached = Cached::beginning_with(4 * row, Box::new(&lazy), 6 * row, 2);
    let mut held = 0;
    for round in 0..60 {
        let moved: Vec<usize> = (0..8).map(|i| (round * 5 + i * 7) % 64).collect();
        let weights: Vec<f64> = moved.iter().map(|&i| i as f64 - 20.0).collect();
        cached.keep(&moved);
        assert!(cached.bytes() <= 6 * row);
        let mut sums = vec![0.0; 64];
        let (others, their_weights) = cached.add_held(&moved, &weights, &mut sums);
        held += 8 - others.len();
        cached.gram().accumulate(&others, &their_weights, &mut sums);
        for j in 0..64 {
            let exact = |(&i, w): (&usize, &f64)| w * kernel.value(points.row(i), points.row(j));
            let sum: f64 = moved.iter().zip(&weights).map(exact).sum();
            assert!((sums[j] - sum).abs() < 1e-4, "round {round}, {j}: {} {sum}", sums[j]);
        }
    }
    assert!(held > 10 && held < 470, "some rows are held and some are not: {held}");
}

#[test]
fn the_gram_of_a_centred_kernel_is_hkh_and_so_are_its_parts() {
    let (kernel, points) = (rbf(2.0), points(40));
    let fitted =
        kernel.clone().centered().fitted(&Reference::new(&points), &mut |_| ControlFlow::Continue(()));
    let fitted = fitted.expect("a kernel on these points");
    let centered = Lazy::new(&fitted, &points).expect("binds");
    let n = 40;
    let k = |i: usize, j: usize| kernel.value(points.row(i), points.row(j));
    // HKH as two products with H, from the definition of the kernel.
    let h = |i: usize, j: usize| f64::from(u8::from(i == j)) - 1.0 / n as f64;
    let hk = |i: usize, j: usize| (0..n).map(|a| h(i, a) * k(a, j)).sum::<f64>();
    let exact = |i: usize, j: usize| (0..n).map(|a| hk(i, a) * h(a, j)).sum::<f64>();
    let index = [7, 3, 39];
    let part = centered.restrict(&index);
    let (mut whole, mut piece) = (vec![0.0f32; n], vec![0.0f32; 3]);
    for (a, &i) in index.iter().enumerate() {
        centered.rows(&[i], &mut [&mut whole]);
        part.rows(&[a], &mut [&mut piece]);
        (0..n).for_each(|j| assert!((f64::from(whole[j]) - exact(i, j)).abs() < 1e-6, "{i}, {j}"));
        (0..3).for_each(|b| assert!((f64::from(piece[b]) - exact(i, index[b])).abs() < 1e-6));
        assert!((centered.diagonal()[i] - exact(i, i)).abs() < 1e-6);
        assert!(whole.iter().map(|&v| f64::from(v)).sum::<f64>().abs() < 1e-5, "rows sum to nothing");
    }
}

#[test]
fn a_cache_computes_each_row_once_while_it_fits_and_stays_in_its_budget() {
    let (kernel, points) = (rbf(2.0), points(50));
    let lazy = Lazy::new(&kernel, &points).expect("binds");
    let mut cached = Cached::new(Box::new(&lazy), 10 * 64 * 4, 2);
    for _ in 0..3 {
        cached.lend(&[1, 2, 3, 4]);
        cached.lend(&[5, 6, 7, 8]);
    }
    assert_eq!(lazy.computed(), 8 * 50);
    cached.lend(&[10, 11, 12, 13]);
    // Rows of 50 values take whole cache lines.
    assert_eq!(cached.bytes(), 10 * 64 * 4);
    // Rows 1 and 2 were the least recently used: they were replaced, rows 3 and 4 were not.
    cached.lend(&[3, 4]);
    assert_eq!(lazy.computed(), 12 * 50);
    cached.lend(&[1]);
    assert_eq!(lazy.computed(), 13 * 50);
}

#[test]
fn a_cache_grows_only_by_rows_that_come_back() {
    let (kernel, points) = (rbf(2.0), points(64));
    let lazy = Lazy::new(&kernel, &points).expect("binds");
    let row = 64 * 4;
    let mut cached = Cached::beginning_with(10 * row, Box::new(&lazy), 64 * row, 5);
    let cycle = |cached: &mut Cached<'_>| {
        let before = lazy.computed();
        (0..20).step_by(5).for_each(|first| drop(cached.lend(&(first..first + 5).collect::<Vec<_>>())));
        (lazy.computed() - before) / 64
    };
    assert_eq!((cycle(&mut cached), cached.bytes() / row), (20, 10));
    // The least recently used row is always the next one asked for: all are computed again, until all are held.
    let costs: Vec<u64> = (0..200).map(|_| cycle(&mut cached)).collect();
    assert_eq!((costs[0], costs[199]), (20, 0));
    assert!(costs.is_sorted_by(|a, b| a >= b), "{costs:?}");
    assert_eq!(cached.bytes() / row, 20, "and no more memory than that is taken up");
}

#[test]
fn a_compacted_cache_keeps_the_rows_it_has() {
    let (kernel, points) = (rbf(2.0), points(50));
    let lazy = Lazy::new(&kernel, &points).expect("binds");
    let mut cached = Cached::new(Box::new(&lazy), 1 << 20, 2);
    cached.lend(&[0, 4, 7, 20]);
    let index: Vec<usize> = (0..50).filter(|i| i % 4 == 0).collect();
    let part = lazy.restrict(&index);
    let before = lazy.computed();
    let mut compact = cached.restricted(part, &index, 1 << 20, 2);
    let rows = compact.lend(&[0, 1, 5]);
    for (row, i) in rows.iter().zip([0usize, 4, 20]) {
        for (value, &j) in row.iter().zip(&index) {
            assert!((f64::from(*value) - kernel.value(points.row(i), points.row(j))).abs() < 1e-6);
        }
    }
    assert_eq!(lazy.computed(), before, "rows 0, 4 and 20 were there");
}

#[test]
fn a_gram_made_from_another_is_shared_with_its_values_and_counts_on_its_own() {
    let (kernel, points) = (rbf(2.0), points(30));
    let lazy = Lazy::new(&kernel, &points).expect("binds");
    let ridge: Vec<f64> = (0..30).map(|i| f64::from(i) / 8.0).collect();
    let grams: [(&str, Box<dyn Gram>); 2] = [
        ("ridged", Box::new(Ridged::new(Box::new(&lazy), ridge))),
        ("with origin", Box::new(WithOrigin::new(Box::new(&lazy)))),
    ];
    for (name, gram) in grams {
        let n = gram.len();
        let (mut row, mut shared_row) = (vec![0.0; n], vec![f32::NAN; n]);
        gram.rows(&[7], &mut [&mut row]);
        let before = gram.computed();
        let shared = gram.share();
        shared.rows(&[7], &mut [&mut shared_row]);
        assert_eq!(shared_row, row, "{name}");
        assert_eq!(shared.diagonal(), gram.diagonal(), "{name}");
        assert_eq!((shared.computed(), gram.computed() - before), (30, 30), "{name}");
    }
}
