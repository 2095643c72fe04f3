//! Exact answers, against conditions and sums written out here.

use super::super::tests::Noise;
use super::super::{CrammerSinger, Loss, MulticlassSolution, Softmax, WestonWatkins};
use super::*;
use crate::data::Vectors;
use crate::gram::Lazy;
use crate::kernel::{VectorExpr, linear, rbf};
use crate::solve::{Smo, Stop, unwatched};

const GAMMA: f64 = 0.7;

/// Points of several classes that overlap, with weights from 0 to 4.
#[derive(Clone)]
struct Data {
    x: Vec<Vec<f64>>,
    labels: Vec<u32>,
    weights: Vec<f64>,
    classes: usize,
}

impl Data {
    fn new(n: usize, classes: usize, seed: u64) -> Self {
        let mut noise = Noise(seed);
        let labels: Vec<u32> = (0..n).map(|i| (i % classes) as u32).collect();
        let mut at = |y: u32, k: usize| {
            let middle = (f64::from(y) * [2.1, 1.3, 0.4][k]).sin();
            middle + 1.8 * (noise.next() + noise.next() - 1.0)
        };
        let x = labels.iter().map(|&y| (0..3).map(|k| at(y, k)).collect()).collect();
        // Each class keeps its first point.
        let weights = (0..n).map(|i| if i < classes { 1.0 } else { (noise.next() * 5.0).floor() }).collect();
        Self { x, labels, weights, classes }
    }

    fn select(&self, index: &[usize], weights: Vec<f64>) -> Self {
        let x = index.iter().map(|&i| self.x[i].clone()).collect();
        Self { x, labels: index.iter().map(|&i| self.labels[i]).collect(), weights, ..*self }
    }

    /// Without the points of weight zero.
    fn weighted(&self) -> Self {
        let index: Vec<usize> = (0..self.x.len()).filter(|&i| self.weights[i] > 0.0).collect();
        self.select(&index, index.iter().map(|&i| self.weights[i]).collect())
    }

    /// As many copies as the weights say.
    fn repeated(&self) -> Self {
        let copies = |i: usize| std::iter::repeat_n(i, self.weights[i] as usize);
        let index: Vec<usize> = (0..self.x.len()).flat_map(copies).collect();
        self.select(&index, vec![1.0; index.len()])
    }

    fn shuffled(&self, seed: u64) -> Self {
        let (mut noise, mut index) = (Noise(seed), (0..self.x.len()).collect::<Vec<_>>());
        for last in (1..index.len()).rev() {
            index.swap(last, (noise.next() * (last + 1) as f64) as usize);
        }
        self.select(&index, index.iter().map(|&i| self.weights[i]).collect())
    }

    fn problem(&self, loss: Loss, c: f64) -> MulticlassProblem {
        let c = self.weights.iter().map(|w| w * c).collect();
        MulticlassProblem { labels: self.labels.clone(), classes: self.classes, c, loss }
    }

    fn vectors(&self) -> Vectors {
        Vectors::dense(3, self.x.concat())
    }
}

/// A kernel, and its formula.
type Case = (VectorExpr, fn(&[f64], &[f64]) -> f64);

fn kernels() -> [Case; 2] {
    let square =
        |a: &[f64], b: &[f64]| (-GAMMA * a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>()).exp();
    [(linear(), |a, b| a.iter().zip(b).map(|(a, b)| a * b).sum()), (rbf(GAMMA), square)]
}

fn fit(data: &Data, loss: Loss, c: f64, kernel: &VectorExpr) -> MulticlassSolution {
    let settings = Smo { exact: true, ..Smo::default() };
    let gram = Lazy::new(kernel, &data.vectors()).unwrap();
    data.problem(loss, c).solve(&settings, &gram, &mut unwatched()).unwrap()
}

/// F at some points.
fn scores(data: &Data, beta: &[f64], at: &[Vec<f64>], value: fn(&[f64], &[f64]) -> f64) -> Vec<f64> {
    let k = data.classes;
    let score = |x: &Vec<f64>, c: usize| -> f64 {
        data.x.iter().enumerate().map(|(i, point)| beta[i * k + c] * value(point, x)).sum()
    };
    at.iter().flat_map(|x| (0..k).map(move |c| (x, c))).map(|(x, c)| score(x, c)).collect()
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    let largest = a.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / largest
}

/// The exact answer from one of the default tolerance.
fn finished(problem: &MulticlassProblem, gram: &dyn Gram) -> Option<Exact> {
    let near = problem.solve(&Smo::default(), gram, &mut unwatched()).unwrap().coefficients;
    match problem.loss {
        Loss::CrammerSinger => solve::<CrammerSinger>(problem, gram, &near),
        Loss::WestonWatkins => solve::<WestonWatkins>(problem, gram, &near),
        Loss::Softmax => solve::<Softmax>(problem, gram, &near),
    }
}

/// Each loss, kernel and price with some data.
fn cases() -> impl Iterator<Item = (Data, Loss, Case, f64, u64)> {
    let sizes = (0..6u64).map(|seed| (15 + 9 * seed as usize, 3 + seed as usize % 3, seed));
    let data = sizes.map(|(n, classes, seed)| (Data::new(n, classes, seed), seed));
    data.flat_map(|(data, seed)| {
        let each = Loss::ALL.into_iter().flat_map(|loss| kernels().map(|case| (loss, case)));
        each.flat_map(move |(loss, case)| {
            let data = data.clone();
            [0.05, 1.0, 10.0].map(move |c| (data.clone(), loss, case.clone(), c, seed))
        })
    })
}

#[test]
fn weights_are_copies_and_the_order_is_nothing() {
    for (data, loss, (kernel, value), c, seed) in cases() {
        let new = Data::new(40, data.classes, seed + 1000).x;
        let of = |data: Data| {
            let solution = fit(&data, loss, c, &kernel);
            assert!(solution.certificate.exact, "{loss} {kernel} {c} {seed}");
            scores(&data, &solution.coefficients, &new, value)
        };
        let weighted = of(data.weighted());
        let others =
            [of(data.repeated()), of(data.repeated().shuffled(seed)), of(data.weighted().shuffled(seed))];
        for other in others {
            // Observed: about 1e-13.
            assert!(
                apart(&weighted, &other) < 1e-10,
                "{loss} {kernel} {c} {seed}: {}",
                apart(&weighted, &other)
            );
        }
    }
}

#[test]
fn the_conditions_hold_to_rounding() {
    for (data, loss, (kernel, value), c, seed) in cases() {
        let data = data.weighted();
        let solution = fit(&data, loss, c, &kernel);
        let (k, certificate, beta) = (data.classes, solution.certificate, &solution.coefficients);
        assert!(certificate.exact && certificate.violation < 1e-11, "{loss} {seed}: {certificate:?}");
        let f = scores(&data, beta, &data.x, value);
        let about = |a: f64, b: f64| (a - b).abs() < 1e-10;
        for (i, (b, f)) in beta.chunks(k).zip(f.chunks(k)).enumerate() {
            let (y, c) = (data.labels[i] as usize, c * data.weights[i]);
            assert!(b.iter().sum::<f64>().abs() < 1e-13 * c, "{loss} {seed} {i}");
            let slack = |m: usize| 1.0 - f[y] + f[m];
            let worst = (0..k).filter(|&m| m != y).map(slack).fold(0.0, f64::max);
            for m in (0..k).filter(|&m| m != y) {
                let holds = match loss {
                    // A class with weight is one of the worst; slack is paid in full.
                    Loss::CrammerSinger => {
                        b[m] <= 0.0
                            && b[y] <= c
                            && (b[m] == 0.0 || about(slack(m), worst))
                            && (b[y] == c || about(worst, 0.0))
                    }
                    Loss::WestonWatkins => {
                        -c <= b[m]
                            && b[m] <= 0.0
                            && (b[m] == 0.0 || slack(m) > -1e-10)
                            && (b[m] == -c || slack(m) < 1e-10)
                    }
                    Loss::Softmax => {
                        let sum: f64 = f.iter().map(|other| (other - f[m]).exp()).sum();
                        b[m] < 0.0 && about(-b[m] / c, 1.0 / sum)
                    }
                };
                assert!(holds, "{loss} {kernel} {c} {seed}: point {i} class {m}");
            }
        }
    }
}

/// The dual objective, from its definition.
fn dual(data: &Data, loss: Loss, c: f64, beta: &[f64], value: fn(&[f64], &[f64]) -> f64) -> f64 {
    let f = scores(data, beta, &data.x, value);
    let conjugate = |i: usize| {
        let (b, price) = (&beta[i * data.classes..(i + 1) * data.classes], c * data.weights[i]);
        let y = data.labels[i] as usize;
        if loss != Loss::Softmax {
            return -b[y];
        }
        let p = (0..b.len()).map(|c| f64::from(u8::from(c == y)) - b[c] / price);
        price * p.filter(|&p| p > 0.0).map(|p| p * p.ln()).sum::<f64>()
    };
    0.5 * dot(&f, beta) + (0..data.x.len()).map(conjugate).sum::<f64>()
}

#[test]
fn nothing_is_better() {
    for (data, loss, (kernel, value), c, seed) in cases().filter(|(.., seed)| *seed < 3) {
        let data = data.repeated();
        let gram = Lazy::new(&kernel, &data.vectors()).unwrap();
        let tight = Smo { tolerance: 1e-9, iteration_limit: Some(200_000), ..Smo::default() };
        let plain = data.problem(loss, c).solve(&tight, &gram, &mut unwatched()).unwrap();
        let exact = fit(&data, loss, c, &kernel);
        let of = |solution: &MulticlassSolution| dual(&data, loss, c, &solution.coefficients, value);
        let (ours, theirs, certificate) = (of(&exact), of(&plain), exact.certificate);
        assert!(!plain.certificate.exact && certificate.stop == Stop::Converged);
        assert!(ours <= theirs + 1e-13 * theirs.abs(), "{loss} {kernel} {c} {seed}: {ours} {theirs}");
        assert!((ours - certificate.objective).abs() < 1e-12 * ours.abs());
        assert!(certificate.gap.unwrap() < 1e-11 * ours.abs(), "{loss} {kernel} {c} {seed}: {certificate:?}");
    }
}

#[test]
fn a_few_systems_do_and_none_from_the_optimum_of_a_softmax() {
    for (data, loss, (kernel, _), c, seed) in cases() {
        let data = data.repeated();
        let (problem, gram) = (data.problem(loss, c), Lazy::new(&kernel, &data.vectors()).unwrap());
        let systems = finished(&problem, &gram).unwrap().systems;
        assert!(
            systems <= if loss == Loss::Softmax { 2 } else { 12 },
            "{loss} {kernel} {c} {seed}: {systems}"
        );
        if loss == Loss::Softmax {
            let beta = fit(&data, loss, c, &kernel).coefficients;
            assert_eq!(solve::<Softmax>(&problem, &gram, &beta).unwrap().systems, 0);
        }
    }
}

#[test]
fn a_problem_that_is_too_large_stays_as_it_was() {
    let data = Data { weights: vec![1.0; 1400], ..Data::new(1400, 4, 3) };
    let (problem, kernel) = (data.problem(Loss::Softmax, 0.1), rbf(GAMMA));
    let gram = Lazy::new(&kernel, &data.vectors()).unwrap();
    let plain = problem.solve(&Smo::default(), &gram, &mut unwatched()).unwrap();
    let exact = fit(&data, Loss::Softmax, 0.1, &kernel);
    assert_eq!(plain.coefficients, exact.coefficients);
    assert_eq!(plain.certificate, exact.certificate);
}

#[test]
fn an_answer_that_the_solver_did_not_reach_is_reached() {
    // Single precision does not get to this tolerance.
    let data = Data::new(40, 3, 5).repeated();
    let kernel = rbf(GAMMA);
    let gram = Lazy::new(&kernel, &data.vectors()).unwrap();
    let problem = data.problem(Loss::WestonWatkins, 10.0);
    let settings = Smo { tolerance: 1e-12, exact: true, ..Smo::default() };
    let certificate = problem.solve(&settings, &gram, &mut unwatched()).unwrap().certificate;
    assert!(certificate.exact && certificate.stop == Stop::Converged, "{certificate:?}");
}
