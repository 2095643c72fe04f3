//! Fisher's discriminant in the span of a few points, chosen one after the other.
//!
//! Mika, Smola and Schölkopf (2001): the axes are found in the span of m points. In the [features](Features) of those
//! points this is a ridge regression of the class codes with m unknowns. A further point adds one feature, and its gain in
//! Σρ is computed by one pass over the present features. Each step draws 59 points at random and takes the one with the
//! largest gain, which is among the best twentieth of all points with probability 0.95. Cost: 59 kernel rows and 59·2·n·m
//! multiplications a step; memory for 2·n·m numbers.

use std::ops::ControlFlow;

use rayon::prelude::*;

use super::{Axes, Axis, Classes, Direction, combined, relative};
use crate::data::SplitMix;
use crate::linalg::{Broken, Features, Tick, centered, dot};

/// Candidates of a step: 1 − 0.95⁵⁹ > 0.95.
const CANDIDATES: usize = 59;

/// A gain in Σρ below this share of Σρ ends the search.
const NO_GAIN: f64 = 1e-7;

/// The least squared distance of a new point from the span of the present points, as a share of k(x, x): a smaller one
/// would lose half of the digits.
const NEW: f64 = 1e-10;

/// The settings of the search.
pub(crate) struct Greedy {
    /// m, the most points.
    pub(crate) points: usize,
    /// The seed of the random numbers.
    pub(crate) seed: u64,
}

/// The ridge regression on the present features: Z are the centred features, LLᵀ = ZᵀZ + nμI, E = ZL⁻ᵀ.
struct Regression<'a> {
    classes: &'a Classes<'a>,
    /// The class codes, each entry times the root of its weight.
    codes: Vec<Vec<f64>>,
    /// nμ
    price: f64,
    features: Features,
    /// The columns of E.
    whitened: Vec<Vec<f64>>,
    /// The rows of L.
    rows: Vec<Vec<f64>>,
    /// The rows of V = EᵀT; Σρ is the sum of their squares.
    fitted: Vec<Vec<f64>>,
}

/// The feature that a point would add, and its gain.
struct Candidate {
    feature: Vec<f64>,
    /// The centred feature.
    z: Vec<f64>,
    /// Eᵀz
    t: Vec<f64>,
    /// The last entry of the row of L.
    pivot: f64,
    gain: f64,
}

impl Regression<'_> {
    /// The candidate of a point, from its kernel row; `None` if the point lies in the span of the present points.
    fn candidate(&self, point: usize, row: Vec<f64>) -> Option<Candidate> {
        let diagonal = row[point];
        let residual = self.features.residual(point, diagonal);
        if residual.is_nan() || residual <= NEW * diagonal.abs() {
            return None;
        }
        let feature = self.features.orthogonal(point, row, residual);
        let z = centered(std::slice::from_ref(&feature), self.classes.weights).pop()?;
        let t: Vec<f64> = self.whitened.iter().map(|e| dot(e, &z)).collect();
        let square = dot(&z, &z) + self.price - dot(&t, &t);
        let gain = |(k, code): (usize, &Vec<f64>)| {
            let fitted: f64 = t.iter().zip(&self.fitted).map(|(t, v)| t * v[k]).sum();
            (dot(code, &z) - fitted).powi(2) / square
        };
        let gain = self.codes.iter().enumerate().map(gain).sum();
        (square > 0.0).then(|| Candidate { feature, z, t, pivot: square.sqrt(), gain })
    }

    fn push(&mut self, point: usize, candidate: Candidate) {
        let Candidate { feature, mut z, mut t, pivot, .. } = candidate;
        for (e, t) in self.whitened.iter().zip(&t) {
            z.iter_mut().zip(e).for_each(|(z, e)| *z -= t * e);
        }
        z.iter_mut().for_each(|z| *z /= pivot);
        self.fitted.push(self.codes.iter().map(|code| dot(code, &z)).collect());
        self.whitened.push(z);
        t.push(pivot);
        self.rows.push(t);
        self.features.push(point, feature);
    }

    /// Σρ
    fn ratio(&self) -> f64 {
        self.fitted.iter().flatten().map(|v| v * v).sum()
    }

    /// L⁻ᵀv, by backward substitution.
    fn backward(&self, mut v: Vec<f64>) -> Vec<f64> {
        for q in (0..v.len()).rev() {
            v[q] /= self.rows[q][q];
            let value = v[q];
            v[..q].iter_mut().zip(&self.rows[q]).for_each(|(v, l)| *v -= value * l);
        }
        v
    }

    fn axes(&self) -> Axes {
        let z = centered(&self.features.columns, self.classes.weights);
        let rest = |k: usize, l: usize| {
            let ratio: f64 = self.fitted.iter().map(|v| v[k] * v[l]).sum();
            f64::from(u8::from(k == l)) - ratio
        };
        let mut axes = Axes::none();
        for Direction { among_codes, ratio, scale } in self.classes.directions(rest) {
            let fitted = self.fitted.iter().map(|v| scale * dot(v, &among_codes)).collect();
            let weights = self.backward(fitted);
            let residual = self.residual(&z, &combined(&self.codes, &among_codes, scale), &weights);
            let mut projections = combined(&self.features.columns, &weights, 1.0);
            let mean = self.classes.mean(&projections);
            projections.iter_mut().for_each(|f| *f -= mean);
            let coefficients = self.features.expand(weights);
            axes.push(self.classes, Axis { coefficients, offset: mean, projections, ratio, residual });
        }
        axes
    }

    /// ‖Zᵀ(t − Zw) − nμw‖ / ‖Zᵀt‖
    fn residual(&self, z: &[Vec<f64>], code: &[f64], weights: &[f64]) -> f64 {
        let fit = combined(z, weights, 1.0);
        let left: Vec<f64> = code.iter().zip(&fit).map(|(t, f)| t - f).collect();
        let right: Vec<f64> = z.iter().map(|z| dot(z, code)).collect();
        relative(z.iter().zip(weights).map(|(z, w)| dot(z, &left) - self.price * w), &right)
    }
}

/// The axes in the span of at most `settings.points` points, and these points, in the order in which they were chosen.
/// `rows` computes rows of the Gram matrix.
///
/// # Errors
/// If `rows` fails, or `tick` breaks.
pub(crate) fn greedy<E: From<Broken>>(
    classes: &Classes<'_>,
    mu: f64,
    settings: &Greedy,
    tick: Tick<'_>,
    rows: impl Fn(&[usize]) -> Result<Vec<Vec<f64>>, E>,
) -> Result<(Axes, Vec<usize>), E> {
    let mut codes = classes.codes();
    for code in &mut codes {
        code.iter_mut().zip(classes.weights).for_each(|(t, weight)| *t *= weight.sqrt());
    }
    let price = classes.total() * mu;
    let (features, whitened) = (Features::default(), Vec::new());
    let mut regression =
        Regression { classes, codes, price, features, whitened, rows: Vec::new(), fitted: Vec::new() };
    let mut left: Vec<usize> = (0..classes.index.len()).collect();
    let mut random = SplitMix(settings.seed);
    while regression.rows.len() < settings.points && !left.is_empty() {
        random.shuffle(&mut left);
        let drawn = left.split_off(left.len().saturating_sub(CANDIDATES));
        let kernel_rows = rows(&drawn)?;
        let found = drawn.par_iter().zip(kernel_rows).map(|(&i, row)| (i, regression.candidate(i, row)));
        // A point in the span of the present points stays in the span, and so it is not drawn again.
        let mut found: Vec<(usize, Candidate)> =
            found.collect::<Vec<_>>().into_iter().filter_map(|(i, c)| Some((i, c?))).collect();
        let better = |best: usize, i: usize| if found[i].1.gain > found[best].1.gain { i } else { best };
        let best = (1..found.len()).fold(0, better);
        if best < found.len() {
            let (point, candidate) = found.swap_remove(best);
            left.extend(found.iter().map(|(i, _)| *i));
            let enough = candidate.gain <= NO_GAIN * regression.ratio();
            regression.push(point, candidate);
            if enough {
                break;
            }
        }
        let share = regression.rows.len() as f64 / settings.points as f64;
        if tick(share * share) == ControlFlow::Break(()) {
            return Err(Broken::Interrupted.into());
        }
    }
    Ok((regression.axes(), regression.features.pivots))
}
