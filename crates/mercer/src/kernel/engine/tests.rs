//! Blocks against the definition, pair by pair.

use super::*;
use crate::data::{Dense, Sparse};
use crate::kernel::{Kernel, Leaf, VectorExpr, VectorLeaf};

/// Non-negative, partly zero values, so that every kernel and both storages make sense.
fn values(n: usize, d: usize) -> Vec<f64> {
    let mut state = 7u64;
    (0..n * d)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let v = (state >> 40) as f64 / 16_777_216.0;
            if v < 0.6 { 0.0 } else { v - 0.5 }
        })
        .collect()
}

fn sparse(n: usize, d: usize, spread: usize, values: &[f64]) -> Sparse<f64> {
    let (mut start, mut index, mut kept) = (vec![0], Vec::new(), Vec::new());
    for i in 0..n {
        for k in (0..d).filter(|&k| values[i * d + k] != 0.0) {
            index.push((k * spread) as u32);
            kept.push(values[i * d + k]);
        }
        start.push(index.len());
    }
    Sparse::new(d * spread, start, index, kept)
}

/// Points in every storage.
fn storages(n: usize, d: usize) -> Vec<Vectors> {
    let values = values(n, d);
    let narrow: Vec<f32> = values.iter().map(|&v| v as f32).collect();
    vec![Dense::new(d, values.clone()).into(), Dense::new(d, narrow).into(), sparse(n, d, 1, &values).into()]
}

fn rows_f32(bound: &dyn Bound<Vectors>, points: &Vectors, rows: &[usize]) -> Vec<Vec<f32>> {
    let mut out = vec![vec![f32::NAN; bound.columns()]; rows.len()];
    bound.rows(points, rows, &mut out.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
    out
}

fn rows_f64(bound: &dyn Bound<Vectors>, points: &Vectors, rows: &[usize]) -> Vec<Vec<f64>> {
    let mut out = vec![vec![f64::NAN; bound.columns()]; rows.len()];
    bound.rows_f64(points, rows, &mut out.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
    out
}

/// Expressions beside the kernels with their defaults.
const EXPRESSIONS: &[&str] = &[
    "linear",
    "poly(degree=3, gamma=0.5, coef0=1)",
    "rbf(gamma=0.7)",
    "rbf(gamma=400)",
    "tanh(gamma=0.3, coef0=-0.2)",
    "plummer(epsilon=0.5, power=3)",
    "laplace(gamma=0.4)",
    "matern(nu=0.5, length=0.8)",
    "matern(nu=1.5, length=0.8)",
    "matern(nu=2.5, length=0.8)",
    "rational(alpha=0.7, length=1.2)",
    "intersection",
    "cosine",
    "gaussian(metric=l1, sigma=2)",
    "gaussian(metric=chi2, sigma=1)",
    "gaussian(metric=canberra, sigma=3)",
    "gaussian(metric=angular, sigma=1)",
    "gaussian(metric=hamming, sigma=1)",
    "factor(norm)",
    "factor(coordinate, index=2)",
    "factor(bump, gamma=0.1)",
    "2*rbf(gamma=0.7) + 0.5*linear + 1",
    "(linear + 1)^3 * rbf(gamma=0.2)",
    "exp(0.1*linear)",
    "normalized(poly(degree=2, gamma=1, coef0=1) + laplace(gamma=1))",
    "factor(norm) * rbf(gamma=1)",
    "rbf(gamma=1) @ columns(1, 3..5) + linear @ columns(2)",
    "linear @ monomials(degree=3)",
    "linear @ gaussians(low=0, high=0.5, count=4, width=0.2)",
    "rbf(gamma=0.5) @ sigmoids(low=0, high=0.5, count=3, width=0.1)",
    "linear @ matrix(rows=7, 1, 0, 0.5, 1, 0, 2, -1, 1, 0.5, 0.5, 1, 0, 0, 3)",
];

/// Each kernel with its defaults but the one that needs data of its own, and the expressions.
fn kernels() -> Vec<String> {
    let kernels = VectorLeaf::list().into_iter().filter(|kernel| kernel.name != "precomputed");
    kernels.map(|kernel| kernel.text).chain(EXPRESSIONS.iter().map(ToString::to_string)).collect()
}

#[test]
fn blocks_equal_the_definition_in_every_storage() {
    let (n, d) = (150, 7);
    let rows: Vec<usize> = (0..n).step_by(3).chain([1, 1]).collect();
    for text in &kernels() {
        let kernel: VectorExpr = text.parse().expect(text);
        for points in storages(n, d) {
            let bound = kernel.bind(&points).expect(text);
            let (single, double) = (rows_f32(&*bound, &points, &rows), rows_f64(&*bound, &points, &rows));
            for (r, &i) in rows.iter().enumerate() {
                for j in 0..n {
                    let exact = kernel.value_in(d, points.row(i), points.row(j));
                    let scale = bound.diagonal()[i].abs().max(bound.diagonal()[j].abs()).max(1.0);
                    // The stated rule: single to about 1e-6 of the diagonal. Double: the squared distance of near
                    // points is a difference of norms, and a square root halves its digits.
                    let error = (f64::from(single[r][j]) - exact).abs() / scale;
                    assert!(error < 4e-6, "{text}: {} for {exact} at {i}, {j}", single[r][j]);
                    let error = (double[r][j] - exact).abs() / scale;
                    let tolerance =
                        if text.contains("matern") || text.contains("angular") { 1e-7 } else { 1e-13 };
                    assert!(error < tolerance, "{text}: {} for {exact} at {i}, {j}", double[r][j]);
                }
                let own = kernel.value_in(d, points.row(i), points.row(i));
                assert!((bound.diagonal()[i] - own).abs() <= 1e-13 * own.abs().max(1.0), "{text}");
            }
        }
    }
}

#[test]
fn every_kernel_passes_the_battery_in_every_storage() {
    for text in &kernels() {
        let kernel: VectorExpr = text.parse().expect(text);
        for points in storages(40, 7) {
            if let Err(failures) = crate::kernel::battery(&kernel, &points) {
                panic!("{text}: {}", failures.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "));
            }
        }
    }
}

#[test]
fn features_far_apart_are_packed_over_those_that_occur() {
    let (n, d) = (130, 8);
    let values = values(n, d);
    let (far, near) = (sparse(n, d, 200_000_000, &values), sparse(n, d, 1, &values));
    let rows: Vec<usize> = (0..n).collect();
    for text in ["rbf(gamma=0.7)", "linear", "2*rbf(gamma=0.1) + poly(degree=2)", "normalized(linear + 1)"] {
        let kernel: VectorExpr = text.parse().expect(text);
        let (far, near): (Vectors, Vectors) = (far.clone().into(), near.clone().into());
        let (a, b) = (kernel.bind(&far).expect(text), kernel.bind(&near).expect(text));
        for (a, b) in
            rows_f32(&*a, &far, &rows).iter().flatten().zip(rows_f32(&*b, &near, &rows).iter().flatten())
        {
            assert!((a - b).abs() < 1e-6, "{text}: {a} {b}");
        }
    }
    let error = "laplace(gamma=1)".parse::<VectorExpr>().expect("a kernel").bind(&far.into()).err();
    assert!(error.is_some_and(|e| e.to_string().contains("1600000000 sparse features")));
}

#[test]
fn columns_too_many_for_panels_stay_sparse_and_give_the_same_values() {
    // 192 columns over 1.5 million features that occur would be 1.2 GB of panels.
    let (n, each, stride) = (192, 8000, 7800);
    let index: Vec<u32> = (0..n).flat_map(|i| (0..each).map(move |k| (i * stride + k) as u32)).collect();
    let entries: Vec<f64> = index.iter().enumerate().map(|(e, _)| ((e % 7) as f64 - 3.0) / 100.0).collect();
    let points = Sparse::new(n * stride + each, (0..=n).map(|i| i * each).collect(), index, entries);
    let dot = |i: usize, j: usize| -> f64 {
        let ((a, x), (b, y)) = (points.row(i), points.row(j));
        let entry = |(k, v): (&u32, &f64)| b.binary_search(k).map_or(0.0, |at| v * y[at]);
        a.iter().zip(x).map(entry).sum()
    };
    let vectors: Vectors = points.clone().into();
    let bound = crate::kernel::linear().bind(&vectors).expect("binds");
    let rows: Vec<usize> = vec![0, 1, 2, 100, 190, 191];
    for (r, row) in rows.iter().zip(rows_f32(&*bound, &vectors, &rows)) {
        for j in [0, 1, 2, 63, 64, 99, 100, 101, 190, 191] {
            assert!((f64::from(row[j]) - dot(*r, j)).abs() < 1e-5, "{r}, {j}: {} {}", row[j], dot(*r, j));
        }
    }
}

#[test]
fn points_of_other_storage_than_the_columns_can_be_rows() {
    let kernel: VectorExpr = "rbf(gamma=0.7) + linear".parse().expect("a kernel");
    let all = storages(90, 7);
    for columns in &all {
        let bound = kernel.bind(columns).expect("binds");
        for points in &all {
            let row = &rows_f64(&*bound, points, &[5])[0];
            for j in 0..90 {
                let exact = kernel.value_in(7, points.row(5), columns.row(j));
                assert!((row[j] - exact).abs() < 1e-12, "{} {exact}", row[j]);
            }
        }
    }
}

#[test]
fn unscaled_features_are_computed_in_double_and_rounded() {
    // An offset of 10⁴: in single precision squared norms of 10⁹ would leave nothing of distances near 1.
    let values: Vec<f64> = (0..80).map(|i| 1e4 + f64::from(i * 37 % 80) / 40.0).collect();
    for points in [Vectors::dense(2, values.clone()), sparse(40, 2, 1, &values).into()] {
        let kernel = crate::kernel::rbf(1.0);
        let bound = kernel.bind(&points).expect("binds");
        let row = &rows_f32(&*bound, &points, &[3])[0];
        for j in 0..40 {
            let exact = kernel.value(points.row(3), points.row(j));
            assert!((f64::from(row[j]) - exact).abs() < 1e-6, "{} {exact}", row[j]);
        }
    }
}

#[test]
fn a_few_points_far_out_cost_the_others_no_precision_and_no_time() {
    // A cloud, and every 20th point far out beside its near-duplicate; the first column is far from all.
    let (n, d) = (400, 4);
    let mut values = values(n, d);
    for i in (0..n).step_by(20) {
        (0..2 * d).for_each(|k| values[i * d + k] += 3.0 + (i % 40) as f64);
        values[i * d] += 1e-3;
    }
    let columns = Vectors::dense(d, values);
    let expr = crate::kernel::rbf(0.5);
    let reach = precision::single_reach(&expr, &columns).expect("finite").expect("most are near");
    assert!(reach.is_finite());
    let bound = expr.bind(&columns).expect("binds");
    let rows: Vec<usize> = (0..n).rev().collect();
    let all = rows_f32(&*bound, &columns, &rows);
    let weights: Vec<f64> = rows.iter().map(|&i| (i as f64 * 0.7).sin()).collect();
    let (mut sums, mut read) = (vec![0.0; n], vec![0.0; n]);
    bound.accumulate(&columns, &rows, &weights, &bound.diagonal(), &mut sums);
    bound.read(&columns, &rows, &[Readout::new(0..n, 1, weights.clone())], &mut read);
    for (r, &i) in rows.iter().enumerate() {
        let exact: Vec<f64> = (0..n).map(|j| expr.value(columns.row(i), columns.row(j))).collect();
        let worst = all[r].iter().zip(&exact).map(|(k, e)| (f64::from(*k) - e).abs()).fold(0.0, f64::max);
        assert!(worst < 2e-6, "row {i}: {worst:e}");
        let sum = |weight: &dyn Fn(usize) -> f64| (0..n).map(|j| weight(j) * exact[j]).sum::<f64>();
        let added = sum(&|j| weights[n - 1 - j]);
        assert!((sums[i] - added).abs() < 1e-4, "sum {i}: {} {added}", sums[i]);
        let out = sum(&|j| weights[j]);
        assert!((read[r] - out).abs() < 1e-4, "reading {i}: {} {out}", read[r]);
        assert_eq!(rows_f32(&*bound, &columns, &[i])[0], all[r], "row {i} alone");
    }
}

#[test]
fn a_row_has_the_same_bits_in_any_block_and_with_any_threads() {
    let rows: Vec<usize> = (0..1100).collect();
    for points in storages(1100, 7) {
        for text in ["rbf(gamma=0.7)", "rbf(gamma=0.7) * (linear + 1)^2"] {
            let kernel: VectorExpr = text.parse().expect(text);
            let all = rows_f32(&*kernel.bind(&points).expect(text), &points, &rows);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
            let alone = pool.install(|| rows_f32(&*kernel.bind(&points).expect(text), &points, &[700]));
            assert_eq!(all[700], alone[0]);
            // Symmetric to the last bit: products commute and are added in the same order.
            assert_eq!(all[700][13], all[13][700]);
        }
    }
}

/// Points without a zero, points that are mostly zeros, and the same stored sparsely.
fn rows_of_every_kind(d: usize) -> Vec<[Vectors; 2]> {
    let (n, full) = (13, |i: usize| ((i * 37 % 101) as f64 - 50.5) / 40.0);
    let rare = |i: usize| if i % 5 == 1 { full(i) } else { 0.0 };
    let kinds: [&dyn Fn(usize) -> f64; 2] = [&full, &rare];
    let stored = |kind: &dyn Fn(usize) -> f64| {
        let values: Vec<f64> = (0..n * d).map(kind).collect();
        [Dense::new(d, values.clone()).into(), sparse(n, d, 1, &values).into()]
    };
    kinds.into_iter().map(stored).collect()
}

#[test]
fn few_rows_have_the_bits_of_many_dense_or_sparse() {
    let (columns, d) = (150, 17);
    let weights = |n: usize| (0..n).map(|i| (i as f64 * 0.9).sin()).collect::<Vec<f64>>();
    let blocks = [
        Readout::new(0..70, 1, weights(70)),
        Readout::new(70..101, 40, weights(31 * 40)),
        Readout::new(101..150, 3, weights(49 * 3)),
    ];
    let outputs = 44;
    let values = values(columns, d);
    let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<u64>>();
    // Single precision, double, and a sum of leaves; about the mean of dense columns, and about 0.
    for text in ["rbf(gamma=0.7)", "rbf(gamma=400)", "linear", "rbf(gamma=0.1) * (linear + 1)^2"] {
        let kernel: VectorExpr = text.parse().expect(text);
        for columns in [Vectors::from(Dense::new(d, values.clone())), sparse(columns, d, 1, &values).into()] {
            let bound = kernel.bind(&columns).expect(text);
            let read = |points: &Vectors, rows: &[usize]| {
                let mut sums = vec![0.25; rows.len() * outputs];
                bound.read(points, rows, &blocks, &mut sums);
                bits(&sums)
            };
            for [dense, sparse] in rows_of_every_kind(d) {
                let all: Vec<usize> = (0..dense.len()).collect();
                let (many, single, double) =
                    (read(&dense, &all), rows_f32(&*bound, &dense, &all), rows_f64(&*bound, &dense, &all));
                // The norm of a sparse row about a mean is added up in another order than that of a dense one.
                let same = if columns.is_sparse() { vec![&dense, &sparse] } else { vec![&dense] };
                for points in same {
                    for count in 1..=7 {
                        for rows in all.chunks(count) {
                            let (first, end) = (rows[0], rows[0] + rows.len());
                            assert_eq!(
                                read(points, rows),
                                many[first * outputs..end * outputs],
                                "{text}: {rows:?}"
                            );
                            assert_eq!(rows_f32(&*bound, points, rows), single[first..end], "{text}");
                            assert_eq!(rows_f64(&*bound, points, rows), double[first..end], "{text}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn the_double_program_is_made_once() {
    let points = &storages(90, 7)[0];
    let made = packings();
    let bound = crate::kernel::rbf(0.7).bind(points).expect("binds");
    assert_eq!(packings() - made, 1);
    let row = rows_f64(&*bound, points, &[5]);
    assert_eq!(packings() - made, 2);
    bound.pack_double();
    assert_eq!(rows_f64(&*bound, points, &[5]), row);
    assert_eq!(packings() - made, 2);
}

#[test]
fn the_diagonal_is_that_of_the_bound_kernel() {
    for text in kernels() {
        let kernel: VectorExpr = text.parse().expect("the text of a kernel");
        for points in storages(20, 7) {
            let bound = kernel.bind(&points).expect("the kernel binds");
            assert_eq!(kernel.diagonal(&points).expect("finite values"), bound.diagonal(), "{text}");
        }
    }
    let beyond = Vectors::dense(3, vec![1.0, 0.5, 0.5, 3.0, 0.5, 0.5]);
    let error = crate::kernel::precomputed().diagonal(&beyond).err().map(|e| e.to_string());
    assert!(error.is_some_and(|e| e.starts_with("precomputed kernel, row 2: the serial number is larger")));
}

#[test]
fn precomputed_values_are_looked_up_by_serial_number() {
    // Three training points, then a row of a new one (its own serial does not matter).
    let gram = [[2.0, 0.5, 0.25], [0.5, 3.0, 0.75], [0.25, 0.75, 1.0]];
    let row = |serial: f64, values: [f64; 3]| [serial, values[0], values[1], values[2]];
    let training: Vec<f64> = (0..3).flat_map(|i| row(i as f64 + 1.0, gram[i])).collect();
    let training = Vectors::dense(4, training);
    let kernel = crate::kernel::precomputed();
    let support = training.select(&[2, 0]);
    let bound = kernel.bind(&support).expect("binds");
    assert_eq!(bound.diagonal(), [1.0, 2.0]);
    let new = Vectors::dense(4, row(9.0, [0.1, 0.2, 0.3]).to_vec());
    assert_eq!(rows_f64(&*bound, &new, &[0])[0], [0.3, 0.1]);
    let error = kernel.bind(&Vectors::dense(2, vec![0.0, 1.0])).err().map(|e| e.to_string());
    assert!(error.is_some_and(|e| e.starts_with("precomputed kernel, row 1")));
    let beyond =
        kernel.bind(&Vectors::dense(3, vec![1.0, 0.5, 0.5, 3.0, 0.5, 0.5])).err().map(|e| e.to_string());
    assert!(beyond.is_some_and(|e| e.starts_with("precomputed kernel, row 2: the serial number is larger")));
}

#[test]
fn a_kernel_that_overflows_is_refused_by_point() {
    let points = Vectors::dense(1, vec![1.0, 1e30]);
    let error = "poly(degree=3)".parse::<VectorExpr>().expect("a kernel").bind(&points).err();
    let message = error.map(|e| e.to_string()).unwrap_or_default();
    assert!(message.contains("between points 2 and 2"), "{message}");
}
