//! Slopes and second derivatives of rounded losses against differences of them, and dual points below what any weights cost.

use super::bound::Bound;
use super::joint::{Joint, Stacked};
use super::newton::{Rounded, descend, step};
use super::{Common, Penalty, Rows};
use crate::data::Vectors;
use crate::model::{Cost, LinearScheme};

const N: usize = 12;
const COSTS: [Cost; 5] =
    [Cost::Hinge, Cost::SquaredHinge, Cost::Logistic, Cost::Insensitive(0.1), Cost::SquaredInsensitive(0.1)];
const SCHEMES: [LinearScheme; 3] =
    [LinearScheme::CrammerSinger, LinearScheme::WestonWatkins, LinearScheme::Softmax];

fn points() -> Vectors {
    Vectors::dense(2, (0..2 * N).map(|i| (1.7 * i as f64).sin()).collect())
}

/// Compares a problem's derivatives at `w` with differences of what they derive, and takes it to its optimum.
fn is_sound<P: Rounded>(name: &str, problem: &P, w: &[f64]) {
    const STEP: f64 = 1e-6;
    for mu in [0.5, 0.05] {
        let (slope, bends) = problem.shape(w, mu);
        for j in 0..w.len() {
            let at = |t: f64| {
                let mut moved = w.to_vec();
                moved[j] += t;
                moved
            };
            let difference =
                (problem.rounded(&at(STEP), mu) - problem.rounded(&at(-STEP), mu)) / (2.0 * STEP);
            assert!((slope[j] - difference).abs() < 1e-5 * (1.0 + difference.abs()), "{name} {mu} {j}");
            let (above, below) = (problem.shape(&at(STEP), mu).0, problem.shape(&at(-STEP), mu).0);
            for k in j..w.len() {
                let difference = (above[k] - below[k]) / (2.0 * STEP);
                let near = (bends[k][j] - difference).abs() < 1e-4 * (1.0 + difference.abs());
                assert!(near, "{name} {mu} {k} {j}: {} {difference}", bends[k][j]);
            }
        }
    }
    // What is proved comes to the least that any weights cost, and is never above it.
    let mut best = w.to_vec();
    for mu in [0.1, 1e-3, 1e-5, 1e-7] {
        for _ in 0..100 {
            let Some(next) = step(problem, &best, mu) else { break };
            best = next;
        }
    }
    let (least, room) = (problem.primal(&best), 1e-5 * problem.primal(&best).abs() + 1e-6);
    let proved = descend(problem, w.to_vec(), least - room).map_or(f64::NEG_INFINITY, |found| found.0);
    assert!((least - room..=least + 1e-9).contains(&proved), "{name}: {proved} of {least}");
}

#[test]
fn rounded_losses_have_the_derivatives_that_they_say() {
    let (x, prices) = (points(), vec![3.0; N]);
    let rows = Rows { x: &x, constant: 1.0 };
    for cost in COSTS {
        for free in [false, true] {
            let of_numbers = matches!(cost, Cost::Insensitive(_) | Cost::SquaredInsensitive(_));
            let sign = |i: usize| if i.is_multiple_of(3) { 1.0 } else { -1.0 };
            let y: Vec<f64> =
                (0..N).map(|i| if of_numbers { (0.9 * i as f64).cos() } else { sign(i) }).collect();
            let common = Common { x: &rows, free, penalty: Penalty::Squares, cost };
            is_sound(
                &format!("{cost:?} {free}"),
                &Bound { common, y: &y, prices: &prices },
                &[0.31, -0.27, 0.13],
            );
        }
    }
    let (y, prices) = (vec![1.0; N], vec![1.0 / (0.4 * N as f64); N]);
    let common = Common { x: &rows, free: true, penalty: Penalty::Plane, cost: Cost::Hinge };
    is_sound("plane", &Bound { common, y: &y, prices: &prices }, &[0.31, -0.27, 0.13]);
    let (class, prices) = ((0..N).map(|i| i % 3).collect::<Vec<_>>(), vec![3.0; N]);
    for scheme in SCHEMES {
        let common = Common { x: &rows, free: false, penalty: Penalty::Squares, cost: Cost::Hinge };
        let joint = Joint { common, scheme, class: &class, prices: &prices };
        let w: Vec<f64> = (0..9).map(|i| 0.4 * (2.3 * f64::from(i)).cos()).collect();
        is_sound(&format!("{scheme:?}"), &Stacked { joint: &joint, classes: 3 }, &w);
    }
}
