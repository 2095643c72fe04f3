//! The solvers of networks against twins that are written out: refits, sums, Gram–Schmidt on whole columns.

use std::ops::{ControlFlow, Range};

use super::kmeans::Packed;
use super::logistic::{Classes, softmax};
use super::medoids::k_medoids;
use super::normal::Normal;
use super::ols::{Ends, choose};
use super::ridge::{Known, Spectrum};
use super::*;
use crate::data::{SplitMix, Vectors};
use crate::gram::Lazy;
use crate::kernel::rbf;

/// Units that are a matrix, row after row.
#[derive(Clone)]
struct Matrix {
    units: usize,
    values: Vec<f64>,
}

impl Matrix {
    fn random(n: usize, units: usize, seed: u64) -> Self {
        let mut random = SplitMix(seed);
        Self { units, values: (0..n * units).map(|_| random.uniform()).collect() }
    }
    fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.units..(i + 1) * self.units]
    }
    fn column(&self, j: usize) -> Vec<f64> {
        self.values.iter().skip(j).step_by(self.units).copied().collect()
    }
    /// The rows at `index`.
    fn select(&self, index: &[usize]) -> Self {
        Self { units: self.units, values: index.iter().flat_map(|&i| self.row(i).to_vec()).collect() }
    }
}

impl Units for Matrix {
    fn points(&self) -> usize {
        self.values.len() / self.units
    }
    fn units(&self) -> usize {
        self.units
    }
    fn rows(&self, rows: Range<usize>, out: &mut [f32]) {
        let values = &self.values[rows.start * self.units..rows.end * self.units];
        out.iter_mut().zip(values).for_each(|(out, &value)| *out = value as f32);
    }
    fn rows_f64(&self, rows: Range<usize>, out: &mut [f64]) {
        out.copy_from_slice(&self.values[rows.start * self.units..rows.end * self.units]);
    }
}

fn go_on(_: f64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn targets(n: usize, count: usize) -> Vec<Vec<f64>> {
    let value = |i: usize, t: usize| (0.37 * i as f64 + t as f64).sin() + 3.0 * t as f64;
    (0..count).map(|t| (0..n).map(|i| value(i, t)).collect()).collect()
}

/// The solution of a linear system by elimination with pivots.
fn eliminated(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
        a.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            (k..n).for_each(|j| a[i][j] -= factor * a[k][j]);
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        b[k] = (b[k] - (k + 1..n).map(|j| a[k][j] * b[j]).sum::<f64>()) / a[k][k];
    }
    b
}

/// v and then b of the penalised fit, by its normal equations with the constant as one more column.
fn refit(h: &Matrix, weights: &[f64], y: &[f64], lambda: f64) -> Vec<f64> {
    let m = h.units;
    let entry = |i: usize, j: usize| if j < m { h.row(i)[j] } else { 1.0 };
    let n = h.points();
    let sum = |a: usize, b: usize| (0..n).map(|i| weights[i] * entry(i, a) * entry(i, b)).sum::<f64>();
    let ridge = |a: usize, b: usize| if a == b && a < m { lambda } else { 0.0 };
    let system = (0..=m).map(|a| (0..=m).map(|b| sum(a, b) + ridge(a, b)).collect()).collect();
    eliminated(system, (0..=m).map(|a| (0..n).map(|i| weights[i] * entry(i, a) * y[i]).sum()).collect())
}

fn predicted(row: &[f64], fit: &[f64]) -> f64 {
    row.iter().zip(fit).map(|(h, v)| h * v).sum::<f64>() + fit[row.len()]
}

#[test]
fn sums_are_those_written_out_in_both_precisions() {
    for (n, m) in [(1, 1), (7, 3), (300, 70), (1100, 130)] {
        let h = Matrix::random(n, m, 5);
        let weights: Vec<f64> = (0..n).map(|i| 0.5 + (i % 3) as f64).collect();
        let y = targets(n, 2);
        let total: f64 = weights.iter().sum();
        let mean = |v: &[f64]| v.iter().zip(&weights).map(|(v, w)| w * v).sum::<f64>() / total;
        let double = Normal::new::<f64>(&h, &weights, &y, &mut go_on).unwrap();
        let single = Normal::new::<f32>(&h, &weights, &y, &mut go_on).unwrap();
        let columns: Vec<Vec<f64>> = (0..m).map(|j| h.column(j)).collect();
        let means: Vec<f64> = columns.iter().map(|c| mean(c)).collect();
        for (normal, tolerance) in [(&double, 1e-12 * n as f64), (&single, 2e-6 * n as f64)] {
            for a in (0..m).step_by(7).chain([m - 1]) {
                assert!((normal.means[a] - means[a]).abs() <= tolerance);
                for b in 0..m {
                    let term =
                        |i: usize| weights[i] * (columns[a][i] - means[a]) * (columns[b][i] - means[b]);
                    let exact: f64 = (0..n).map(term).sum();
                    assert!((normal.gram.row(a)[b] - exact).abs() <= tolerance, "{n} {m}: {a} {b}");
                }
                for (t, y) in y.iter().enumerate() {
                    let y_mean = mean(y);
                    let exact: f64 = (0..n).map(|i| weights[i] * columns[a][i] * (y[i] - y_mean)).sum();
                    assert!((normal.cross[t][a] - exact).abs() <= tolerance, "{n} {m}: {a}");
                }
            }
        }
    }
}

#[test]
fn weights_and_errors_left_out_are_those_of_refits() {
    let (n, m) = (40, 5);
    let (h, y) = (Matrix::random(n, m, 1), targets(n, 2));
    // Whole weights are copies, of which one is left out; of a weight below 1 all is.
    let weights: Vec<f64> = (0..n).map(|i| [1.0, 2.0, 0.5][i % 3]).collect();
    let normal = Normal::new::<f64>(&h, &weights, &y, &mut go_on).unwrap();
    let spectrum = Spectrum::new(&normal).unwrap();
    let known = Known { units: &h, weights: &weights, targets: &y, classes: None };
    let lambdas = [1e-6, 0.01, 1.0, 100.0];
    let double = spectrum.left_out::<f64>(&known, &normal, &lambdas, &mut go_on).unwrap();
    let single = spectrum.left_out::<f32>(&known, &normal, &lambdas, &mut go_on).unwrap();
    let total: f64 = weights.iter().sum();
    for (at, &lambda) in lambdas.iter().enumerate() {
        let solved = normal.solve(lambda, &mut go_on).unwrap();
        assert!(solved.residual < 1e-12);
        for (t, y) in y.iter().enumerate() {
            let fit = refit(&h, &weights, y, lambda);
            let own = solved.weights[t].iter().chain([&solved.offsets[t]]);
            assert!(own.zip(&fit).all(|(own, fit)| (own - fit).abs() <= 1e-8 * fit.abs().max(1.0)));
            let missed = |i: usize| {
                let mut without = weights.clone();
                without[i] = (without[i] - 1.0).max(0.0);
                y[i] - predicted(h.row(i), &refit(&h, &without, y, lambda))
            };
            let exact = (0..n).map(|i| weights[i] * missed(i).powi(2)).sum::<f64>() / total;
            assert!((double[at].errors[t] - exact).abs() <= 1e-8 * exact, "{} {exact}", double[at].errors[t]);
            assert!((single[at].errors[t] - exact).abs() <= 1e-3 * exact, "{} {exact}", single[at].errors[t]);
        }
    }
    assert!(double.windows(2).all(|pair| pair[0].degrees > pair[1].degrees));
}

#[test]
fn copies_count_as_weights() {
    let (n, m) = (30, 4);
    let (h, y) = (Matrix::random(n, m, 3), targets(n, 1));
    let weights: Vec<f64> = (0..n).map(|i| (1 + i % 3) as f64).collect();
    let copies: Vec<usize> = (0..n).flat_map(|i| std::iter::repeat_n(i, 1 + i % 3)).collect();
    let repeated = vec![copies.iter().map(|&i| y[0][i]).collect::<Vec<f64>>()];
    let (long, ones) = (h.select(&copies), vec![1.0; copies.len()]);
    let error = |h: &Matrix, weights: &[f64], y: &[Vec<f64>]| {
        let normal = Normal::new::<f64>(h, weights, y, &mut go_on).unwrap();
        let known = Known { units: h, weights, targets: y, classes: None };
        let path = Spectrum::new(&normal).unwrap().left_out::<f64>(&known, &normal, &[0.1], &mut go_on);
        path.unwrap()[0].errors[0]
    };
    let (one, other) = (error(&h, &weights, &y), error(&long, &ones, &repeated));
    assert!((one - other).abs() <= 1e-12 * one, "{one} {other}");
}

#[test]
fn classes_that_are_mistaken_without_a_point_are_counted() {
    let n = 24;
    let h = Matrix::random(n, 3, 8);
    let classes: Vec<u32> = (0..n).map(|i| u32::from(h.row(i)[0] + 0.2 * h.row(i)[1] > 0.55)).collect();
    let code = |class: u32| classes.iter().map(|&own| if own == class { 1.0 } else { -1.0 }).collect();
    let y: Vec<Vec<f64>> = vec![code(0), code(1)];
    let weights = vec![1.0; n];
    let normal = Normal::new::<f64>(&h, &weights, &y, &mut go_on).unwrap();
    let known = Known { units: &h, weights: &weights, targets: &y, classes: Some(&classes) };
    let path = Spectrum::new(&normal).unwrap().left_out::<f64>(&known, &normal, &[0.5], &mut go_on).unwrap();
    let wrong = (0..n).filter(|&i| {
        let mut without = weights.clone();
        without[i] = 0.0;
        let score = |t: usize| predicted(h.row(i), &refit(&h, &without, &y[t], 0.5));
        u32::from(score(1) > score(0)) != classes[i]
    });
    assert_eq!(path[0].mistakes, wrong.count() as f64 / n as f64);
}

#[test]
fn equal_units_without_a_penalty_share_their_weight() {
    let one = Matrix::random(20, 1, 4);
    let twice = Matrix { units: 2, values: one.values.iter().flat_map(|&h| [h, h]).collect() };
    let (y, weights) = (targets(20, 1), vec![1.0; 20]);
    let solved =
        Normal::new::<f64>(&twice, &weights, &y, &mut go_on).unwrap().solve(0.0, &mut go_on).unwrap();
    let fit = refit(&one, &weights, &y[0], 0.0);
    assert!(
        solved.weights[0].iter().all(|v| (v - fit[0] / 2.0).abs() < 1e-8),
        "{:?} {fit:?}",
        solved.weights
    );
}

#[test]
fn bits_do_not_depend_on_the_number_of_threads() {
    let h = Matrix::random(1500, 150, 2);
    let (weights, y) = (vec![1.0; 1500], targets(1500, 2));
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let normal = Normal::new::<f32>(&h, &weights, &y, &mut go_on).unwrap();
            let known = Known { units: &h, weights: &weights, targets: &y, classes: None };
            let spectrum = Spectrum::new(&normal).unwrap();
            let path = spectrum.left_out::<f32>(&known, &normal, &[1e-3, 1.0], &mut go_on).unwrap();
            let visit = |i: usize, put: &mut dyn FnMut(usize, f64)| (0..9).for_each(|k| put(k, h.row(i)[k]));
            let centers = Packed::new(9, &weights, &visit).k_means(40, 4, 1, &mut go_on).unwrap();
            (normal.gram.values().to_vec(), normal.cross, path, centers)
        })
    };
    assert!(on(1) == on(3));
}

#[test]
fn values_that_are_not_finite_are_named() {
    let mut h = Matrix::random(100, 3, 2);
    h.values[70 * 3 + 2] = f64::NAN;
    let error = Normal::new::<f64>(&h, &[1.0; 100], &targets(100, 1), &mut go_on).err().unwrap();
    assert!(
        matches!(error.kind(), ErrorKind::Data(DataProblem::KernelNotFinite { row: 71, column: 3 })),
        "{error}"
    );
    let stopped =
        Normal::new::<f64>(&Matrix::random(9, 2, 1), &[1.0; 9], &[], &mut |_| ControlFlow::Break(()));
    assert!(matches!(stopped.err().unwrap().kind(), ErrorKind::Interrupted));
}

#[test]
fn centres_are_the_means_of_what_is_nearest_to_them() {
    let (n, d) = (500, 3);
    let h = Matrix::random(n, d, 6);
    let weights: Vec<f64> = (0..n).map(|i| 1.0 + (i % 2) as f64).collect();
    let visit = |i: usize, put: &mut dyn FnMut(usize, f64)| (0..d).for_each(|k| put(k, h.row(i)[k] + 50.0));
    let packed = Packed::new(d, &weights, &visit);
    let centers = packed.k_means(20, 500, 0, &mut go_on).unwrap();
    assert_eq!(centers.len(), 20);
    let square = |i: usize, c: &[f64]| (0..d).map(|k| (h.row(i)[k] + 50.0 - c[k]).powi(2)).sum::<f64>();
    let nearest =
        |i: usize| (0..20).min_by(|&a, &b| square(i, &centers[a]).total_cmp(&square(i, &centers[b])));
    let owner: Vec<usize> = (0..n).map(|i| nearest(i).unwrap()).collect();
    for (c, center) in centers.iter().enumerate() {
        let members = || (0..n).filter(|&i| owner[i] == c);
        let total: f64 = members().map(|i| weights[i]).sum();
        for k in 0..d {
            let mean = members().map(|i| weights[i] * (h.row(i)[k] + 50.0)).sum::<f64>() / total;
            assert!((center[k] - mean).abs() < 1e-9, "{c} {k}: {} {mean}", center[k]);
        }
    }
    // Points at three places have three centres, whatever is asked for.
    let visit = |i: usize, put: &mut dyn FnMut(usize, f64)| put(0, (i % 3) as f64);
    let mut places = Packed::new(1, &[1.0; 30], &visit).k_means(8, 5, 0, &mut go_on).unwrap();
    places.sort_by(|a, b| a[0].total_cmp(&b[0]));
    assert!(places.len() == 3 && places.iter().enumerate().all(|(at, c)| (c[0] - at as f64).abs() < 1e-6));
}

#[test]
fn a_medoid_is_the_point_nearest_to_the_mean_of_its_cluster() {
    let (n, m) = (120, 6);
    let h = Matrix::random(n, 2, 9);
    let x = Vectors::dense(2, h.values.clone());
    let kernel = rbf(0.7);
    let gram = Lazy::new(&kernel, &x).unwrap();
    let weights: Vec<f64> = (0..n).map(|i| 1.0 + (i % 4) as f64).collect();
    let medoids = k_medoids(&gram, &weights, m, 200, 3, &mut go_on).unwrap();
    assert_eq!(medoids.len(), m);
    let square = |i: usize, j: usize| 2.0 - 2.0 * kernel.value(x.row(i), x.row(j));
    let nearest =
        |i: usize| *medoids.iter().min_by(|&&a, &&b| square(i, a).total_cmp(&square(i, b))).unwrap();
    let owner: Vec<usize> = (0..n).map(nearest).collect();
    for &c in &medoids {
        let members: Vec<usize> = (0..n).filter(|&i| owner[i] == c).collect();
        let cost = |i: usize| members.iter().map(|&j| weights[j] * square(i, j)).sum::<f64>();
        // Sums of single-precision values decide.
        assert!(members.iter().all(|&i| cost(c) <= cost(i) + 1e-4), "{c}");
    }
    let same = Vectors::dense(1, vec![2.0, 2.0, 2.0, 7.0]);
    let gram = Lazy::new(&kernel, &same).unwrap();
    assert_eq!(k_medoids(&gram, &[1.0; 4], 4, 3, 0, &mut go_on).unwrap().len(), 2);
}

/// The squares that a least-squares fit of some columns and a constant leaves, by Gram–Schmidt from nothing, and what each
/// fit without a point misses it by.
fn by_qr(h: &Matrix, chosen: &[usize], y: &[f64]) -> (f64, f64) {
    let n = h.points();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for column in [vec![1.0; n]].into_iter().chain(chosen.iter().map(|&j| h.column(j))) {
        let mut q = column;
        for _ in 0..2 {
            for other in &basis {
                let share: f64 = q.iter().zip(other).map(|(a, b)| a * b).sum();
                q.iter_mut().zip(other).for_each(|(q, o)| *q -= share * o);
            }
        }
        let norm = q.iter().map(|q| q * q).sum::<f64>().sqrt();
        basis.push(q.iter().map(|q| q / norm).collect());
    }
    let mut r = y.to_vec();
    for q in &basis {
        let share: f64 = r.iter().zip(q).map(|(a, b)| a * b).sum();
        r.iter_mut().zip(q).for_each(|(r, q)| *r -= share * q);
    }
    let left = |i: usize| 1.0 - basis.iter().map(|q| q[i] * q[i]).sum::<f64>();
    (r.iter().map(|r| r * r).sum(), r.iter().enumerate().map(|(i, r)| (r / left(i)).powi(2)).sum())
}

#[test]
fn orthogonal_least_squares_chooses_as_refits_of_every_candidate_do() {
    let n = 45;
    let x: Vec<f64> = (0..n).map(|i| i as f64 / 6.0).collect();
    let value = |i: usize, j: usize| (-0.8 * (x[i] - x[j]).powi(2)).exp();
    let h = Matrix { units: n, values: (0..n * n).map(|at| value(at / n, at % n)).collect() };
    let mut random = SplitMix(1);
    let y: Vec<f64> = x.iter().map(|x| x.sin() + 0.1 * random.uniform()).collect();
    let ends = Ends { units: 12, tolerance: 0.0 };
    let found = choose(&h, &vec![1.0; n], std::slice::from_ref(&y), ends, &mut go_on).unwrap();
    let (whole, _) = by_qr(&h, &[], &y);
    let (mut chosen, mut left, mut errors) = (Vec::new(), whole, Vec::new());
    for at in 0..found.errors.len() {
        let with = |j: usize| by_qr(&h, &[&chosen[..], &[j]].concat(), &y);
        let best =
            (0..n).filter(|j| !chosen.contains(j)).min_by(|&a, &b| with(a).0.total_cmp(&with(b).0)).unwrap();
        let (square, error) = with(best);
        if at < found.units.len() {
            assert_eq!(found.units[at], best, "step {at}");
            assert!((found.reductions[at] - (left - square) / whole).abs() < 1e-9);
        }
        assert!((found.errors[at] - error / whole).abs() < 1e-7 * error / whole, "step {at}");
        chosen.push(best);
        (left, errors) = (square, [errors, vec![error]].concat());
    }
    let least = (0..errors.len()).min_by(|&a, &b| errors[a].total_cmp(&errors[b])).unwrap();
    assert_eq!(found.units.len(), least + 1);
    // A tolerance ends it earlier, a weight is as many copies.
    let rough =
        choose(&h, &vec![1.0; n], std::slice::from_ref(&y), Ends { units: 12, tolerance: 0.2 }, &mut go_on)
            .unwrap();
    assert!(rough.units.len() < found.units.len() && rough.reductions.iter().sum::<f64>() >= 0.8);
    let copies: Vec<usize> = (0..n).flat_map(|i| std::iter::repeat_n(i, 1 + i % 2)).collect();
    let weights: Vec<f64> = (0..n).map(|i| (1 + i % 2) as f64).collect();
    let repeated = copies.iter().map(|&i| y[i]).collect();
    let weighted = choose(&h, &weights, &[y], ends, &mut go_on).unwrap();
    let long = choose(&h.select(&copies), &vec![1.0; copies.len()], &[repeated], ends, &mut go_on).unwrap();
    assert_eq!(weighted.units, long.units);
    assert!(weighted.errors.iter().zip(&long.errors).all(|(a, b)| (a - b).abs() < 1e-9 * a));
}

/// F of the logistic output, written out.
fn loss(
    h: &Matrix,
    weights: &[f64],
    classes: &[u32],
    count: usize,
    lambda: f64,
    v: &[Vec<f64>],
    b: &[f64],
) -> f64 {
    let penalty: f64 = v.iter().flatten().map(|v| v * v).sum::<f64>() * lambda / 2.0;
    let one = |i: usize| {
        let score = |k: usize| h.row(i).iter().zip(&v[k]).map(|(h, v)| h * v).sum::<f64>() + b[k];
        let mut scores: Vec<f64> = (0..count).map(score).collect();
        let own = scores[classes[i] as usize];
        weights[i] * (softmax(&mut scores) - own)
    };
    penalty + (0..h.points()).map(one).sum::<f64>()
}

#[test]
fn the_likelihood_is_largest_and_leaving_out_is_near_refits() {
    for count in [2, 3] {
        let n = 60;
        let h = Matrix::random(n, 4, 11);
        let noisy = |i: usize| ((h.row(i)[0] + 0.3 * h.row(i)[(i * 7) % 4]) * 0.77 * count as f64) as u32;
        let classes: Vec<u32> = (0..n).map(|i| noisy(i).min(count as u32 - 1)).collect();
        let mut weights: Vec<f64> = (0..n).map(|i| 1.0 + (i % 2) as f64).collect();
        let normal = Normal::new::<f64>(&h, &weights, &[], &mut go_on).unwrap();
        let lambda = 0.3;
        let problem = Classes { units: &h, weights: &weights, index: &classes, count };
        let fitted = problem.fit(&normal, lambda, None, &mut go_on).unwrap();
        assert!(fitted.converged, "{}", fitted.residual);
        let (v, b) = fitted.output(&normal, count);
        let best = loss(&h, &weights, &classes, count, lambda, &v, &b);
        for step in [1e-3, -1e-3] {
            for (k, j) in [(0, 0), (1, 3), (count - 1, 2)] {
                let (mut v, mut moved) = (v.clone(), b.clone());
                v[k][j] += step;
                assert!(loss(&h, &weights, &classes, count, lambda, &v, &b) > best);
                moved[k] += step;
                v[k][j] -= step;
                assert!(loss(&h, &weights, &classes, count, lambda, &v, &moved) > best);
            }
        }
        let left_out = problem.left_out(&normal, lambda, &fitted).unwrap();
        let (mut deviance, total) = (0.0, weights.iter().sum::<f64>());
        for i in 0..n {
            let own = weights[i];
            weights[i] -= 1.0;
            let normal = Normal::new::<f64>(&h, &weights, &[], &mut go_on).unwrap();
            let without = Classes { units: &h, weights: &weights, index: &classes, count };
            let (v, b) =
                without.fit(&normal, lambda, Some(&fitted), &mut go_on).unwrap().output(&normal, count);
            weights[i] = own;
            let one: Vec<f64> = (0..n).map(|j| if i == j { own } else { 0.0 }).collect();
            deviance += loss(&h, &one, &classes, count, 0.0, &v, &b) / total;
        }
        // One step of Newton's method, and of three classes the mean curvature: within 2 % of the refits.
        assert!((left_out.deviance - deviance).abs() < 0.02 * deviance, "{} {deviance}", left_out.deviance);
    }
}
