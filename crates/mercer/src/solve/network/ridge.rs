//! Output weights by least squares with a penalty, and what leaving points out says of every penalty.
//!
//! Minimise Σ wᵢ(yᵢ − vᵀhᵢ − b)² + λ‖v‖²: (A + λI)v = c in the words of [`normal`](super::normal).
//!
//! Leaving out one copy of point i changes its prediction to one that misses by eᵢ = rᵢ/(1 − sᵢ), with rᵢ = yᵢ − f(xᵢ) and
//! sᵢ = 1/N + zᵢᵀ(A + λI)⁻¹zᵢ, zᵢ = hᵢ − μ: exactly, by the formula of Sherman and Morrison, since the fit without it
//! differs from the fit with it by a matrix of rank one. (Of a point of weight below 1 all is left out: 1 − wᵢsᵢ.) With
//! A = UΘUᵀ and Uᵀzᵢ once for each point, sᵢ and f(xᵢ) cost m multiplications for each λ.
//!
//! Cost: m³/3 for one λ; with a path about 9m³ for U, n·m² for all Uᵀz and n·m·(targets + 1) for each λ.

use std::ops::{ControlFlow, Range};

use rayon::prelude::*;

use super::normal::Normal;
use super::{Precision, Units, fill};
use crate::error::{DataProblem, ErrorKind, Result};
use crate::linalg::{Broken, Cholesky, Eigen, Lower, Tick, dot};
use crate::simd::{PANEL, STRIP};

/// Points that one thread works on at a time.
const ROWS: usize = 8 * STRIP;

/// Points whose units are held at once.
const BLOCK: usize = 1024;

/// Entries of vectors that are multiplied at once: a panel of this many stays in the second-level cache.
const DEPTH: usize = 512;

/// Eigenvalues below this part of the largest are rounding errors where there is no penalty to cover them.
const RANK: f64 = 1e-14;

/// 1 − sᵢ is at least this: less is a rounding error of a point that the network interpolates.
const LEAST_LEFT: f64 = 1e-12;

/// 1 − sᵢ has digits where it is this many times what rounding makes of it.
const RESOLVED: f64 = 10.0;

/// The weights of all outputs.
pub(crate) struct Output {
    /// v of each target.
    pub(crate) weights: Vec<Vec<f64>>,
    /// b of each target: its prediction is vᵀh + b.
    pub(crate) offsets: Vec<f64>,
    /// The largest ‖(A + λI)v − c‖/‖c‖.
    pub(crate) residual: f64,
}

impl Normal {
    /// The weights for one λ. Where λ is 0 to double precision or A + λI not positive definite, those of the
    /// smallest norm.
    ///
    /// # Errors
    /// If `tick` breaks.
    pub(crate) fn solve(&self, lambda: f64, tick: Tick<'_>) -> Result<Output> {
        let m = self.means.len();
        let mut lower = Lower::<f64>::zeros(m);
        for (i, row) in lower.rows_mut().into_iter().enumerate() {
            row.copy_from_slice(&self.gram.row(i)[..=i]);
        }
        lower.add_diagonal(|_| lambda);
        let mut weights = self.cross.clone();
        let trace: f64 = self.gram.values().iter().step_by(m + 1).sum();
        let factor = match lambda > RANK * trace {
            true => Cholesky::new(lower.scaled::<f64>(&vec![1.0; m]), tick),
            // Units that depend on each other would have pivots that are rounding errors.
            false => Err(Broken::NotDefinite(0)),
        };
        match factor {
            Ok(factor) => factor.solve(&mut weights),
            Err(Broken::NotDefinite(_)) => weights = Spectrum::new(self)?.weights(self, lambda),
            Err(broken) => return Err(broken.into()),
        }
        let mut left = weights.clone();
        lower.product(&mut left);
        let norm = |v: &mut dyn Iterator<Item = f64>| v.map(|x| x * x).sum::<f64>().sqrt();
        let residual = |(left, c): (&Vec<f64>, &Vec<f64>)| {
            let size = norm(&mut c.iter().copied());
            if size == 0.0 { 0.0 } else { norm(&mut left.iter().zip(c).map(|(l, c)| l - c)) / size }
        };
        let residual = left.iter().zip(&self.cross).map(residual).fold(0.0, f64::max);
        let offset = |(v, mean): (&Vec<f64>, &f64)| mean - dot(v, &self.means);
        let offsets = weights.iter().zip(&self.target_means).map(offset).collect();
        Ok(Output { weights, offsets, residual })
    }
}

/// A = UΘUᵀ
pub(crate) struct Spectrum {
    eigen: Eigen,
    /// Eigenvalues up to here are rounding errors.
    least: f64,
}

/// What leaving points out says of one λ.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LeftOut {
    pub(crate) lambda: f64,
    /// Σ wᵢeᵢ²/N of each target.
    pub(crate) errors: Vec<f64>,
    /// The share of points whose class is another one by the fit without them; 0 without classes.
    pub(crate) mistakes: f64,
    /// Whether 1 − sᵢ has digits at all points: where the fit all but interpolates one, what it misses without that point is rounding.
    pub(crate) resolved: bool,
    /// How many parameters the fit is worth, without the offset: the trace of A(A + λI)⁻¹.
    pub(crate) degrees: f64,
}

impl LeftOut {
    /// The mean of the errors of all targets.
    pub(crate) fn error(&self) -> f64 {
        self.errors.iter().sum::<f64>() / self.errors.len().max(1) as f64
    }
}

/// What the errors of points left out are computed from.
pub(crate) struct Known<'a> {
    pub(crate) units: &'a dyn Units,
    pub(crate) weights: &'a [f64],
    pub(crate) targets: &'a [Vec<f64>],
    /// The class of each point, where the targets stand for classes.
    pub(crate) classes: Option<&'a [u32]>,
}

impl Spectrum {
    /// Decomposes A. O(m³), on one thread.
    ///
    /// # Errors
    /// If the decomposition fails, which only values that are not finite cause.
    pub(crate) fn new(normal: &Normal) -> Result<Self> {
        let eigen = Eigen::of(&normal.gram).ok_or(ErrorKind::Data(DataProblem::NotDefinite { row: 1 }))?;
        let largest = eigen.values.last().copied().unwrap_or(0.0);
        Ok(Self { least: RANK * largest, eigen })
    }

    /// The largest eigenvalue.
    pub(crate) fn largest(&self) -> f64 {
        self.eigen.values.last().copied().unwrap_or(0.0)
    }

    /// 1/(θ + λ), and 0 where that is a rounding error.
    fn shrink(&self, at: usize, lambda: f64) -> f64 {
        let sum = self.eigen.values[at] + lambda;
        if sum > self.least { 1.0 / sum } else { 0.0 }
    }

    /// v of each target for λ.
    pub(crate) fn weights(&self, normal: &Normal, lambda: f64) -> Vec<Vec<f64>> {
        let one = |c: &Vec<f64>| {
            let mut v = vec![0.0; c.len()];
            for at in 0..c.len() {
                let u = self.eigen.column(at);
                let factor = self.shrink(at, lambda) * dot(u, c);
                v.iter_mut().zip(u).for_each(|(v, u)| *v += factor * u);
            }
            v
        };
        normal.cross.par_iter().map(one).collect()
    }

    /// The errors at points left out for each λ.
    ///
    /// # Errors
    /// If a unit is not finite, or `tick` breaks.
    pub(crate) fn left_out<T: Precision>(
        &self,
        known: &Known<'_>,
        normal: &Normal,
        lambdas: &[f64],
        tick: Tick<'_>,
    ) -> Result<Vec<LeftOut>> {
        let (n, m, t) = (known.units.points(), normal.means.len(), known.targets.len());
        let axes = panels(m, m, |k, column| T::from_f64(self.eigen.column(column)[k]));
        let projected: Vec<Vec<f64>> =
            normal.cross.iter().map(|c| (0..m).map(|at| dot(self.eigen.column(at), c)).collect()).collect();
        // For each λ the weights of all targets on the axes, and what the squares count for the leverage.
        let value = |k: usize, column: usize| self.shrink(k, lambdas[column / t]) * projected[column % t][k];
        let fits = panels::<T>(m, lambdas.len() * t, |k, column| T::from_f64(value(k, column)));
        let squares = panels::<T>(m, lambdas.len(), |k, column| T::from_f64(self.shrink(k, lambdas[column])));
        let means: Vec<T> = normal.means.iter().map(|&mean| T::from_f64(mean)).collect();
        let (mut sums, mut block) = (vec![0.0; lambdas.len() * (t + 1)], Vec::new());
        let mut least = vec![f64::INFINITY; lambdas.len()];
        for first in (0..n).step_by(BLOCK) {
            let rows = first..n.min(first + BLOCK);
            fill::<T>(known.units, rows.clone(), &mut block)?;
            let groups: Vec<(Vec<f64>, Vec<f64>)> = block
                .par_chunks_mut(ROWS * m)
                .enumerate()
                .map_init(Products::default, |products, (group, h)| {
                    h.chunks_mut(m).for_each(|h| h.iter_mut().zip(&means).for_each(|(h, mean)| *h -= *mean));
                    let Products { z, fitted, leverage } = products;
                    product(h, m, &axes, m, z);
                    product(z, m, &fits, lambdas.len() * t, fitted);
                    z.iter_mut().for_each(|z| *z = *z * *z);
                    product(z, m, &squares, lambdas.len(), leverage);
                    known.errors(first + group * ROWS, normal, lambdas.len(), fitted, leverage)
                })
                .collect();
            for (parts, left) in groups {
                sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
                least.iter_mut().zip(left).for_each(|(least, left)| *least = least.min(left));
            }
            if tick(rows.end as f64 / n as f64) == ControlFlow::Break(()) {
                return Err(ErrorKind::Interrupted.into());
            }
        }
        // Eigenvalues err by a share of the largest, sums in single precision by their own.
        let rounding = |lambda: f64| {
            let values = f64::EPSILON * m as f64 * (1.0 + self.largest() / lambda.max(self.least));
            if size_of::<T>() == size_of::<f32>() { T::EPSILON * (m as f64).sqrt() } else { values }
        };
        let one = |((&lambda, sums), left): ((&f64, &[f64]), f64)| LeftOut {
            lambda,
            resolved: left > RESOLVED * rounding(lambda),
            errors: sums[..t].iter().map(|sum| sum / normal.total).collect(),
            mistakes: sums[t] / normal.total,
            degrees: (0..m).map(|at| self.eigen.values[at].max(0.0) * self.shrink(at, lambda)).sum(),
        };
        Ok(lambdas.iter().zip(sums.chunks(t + 1)).zip(least).map(one).collect())
    }
}

impl Known<'_> {
    /// For some points and each λ, the weighted squares of what the fits without them miss of each target, and the weight of
    /// those in another class; and the least 1 − sᵢ of each λ.
    fn errors<T: Precision>(
        &self,
        first: usize,
        normal: &Normal,
        lambdas: usize,
        fitted: &[T],
        leverage: &[T],
    ) -> (Vec<f64>, Vec<f64>) {
        let t = self.targets.len();
        let (mut sums, mut least) = (vec![0.0; lambdas * (t + 1)], vec![f64::INFINITY; lambdas]);
        let mut scores = vec![0.0; t];
        let rows = fitted.chunks(lambdas * t).zip(leverage.chunks(lambdas));
        for (i, (fitted, leverage)) in (first..).zip(rows) {
            let weight = self.weights[i];
            let each = fitted.chunks(t).zip(leverage).zip(sums.chunks_mut(t + 1)).zip(&mut least);
            for (((fitted, s), sums), least) in each {
                let left = 1.0 - weight.min(1.0) * (1.0 / normal.total + s.to_f64());
                *least = least.min(left);
                for (at, f) in fitted.iter().enumerate() {
                    let y = self.targets[at][i];
                    let missed = (y - normal.target_means[at] - f.to_f64()) / left.max(LEAST_LEFT);
                    sums[at] += weight * missed * missed;
                    scores[at] = y - missed;
                }
                if let Some(classes) = self.classes {
                    let best = (1..t).fold(0, |best, at| if scores[at] > scores[best] { at } else { best });
                    sums[t] += if best == classes[i] as usize { 0.0 } else { weight };
                }
            }
        }
        (sums, least)
    }
}

/// A matrix of some rows and columns in panels of 64 columns, row after row, filled up with zeros.
fn panels<T: Precision>(
    rows: usize,
    columns: usize,
    value: impl Fn(usize, usize) -> T + Sync,
) -> Vec<Vec<T>> {
    let one = |p: usize| {
        let mut panel = vec![T::default(); rows * PANEL];
        for column in p * PANEL..columns.min((p + 1) * PANEL) {
            (0..rows).for_each(|k| panel[k * PANEL + column % PANEL] = value(k, column));
        }
        panel
    };
    (0..columns.div_ceil(PANEL)).into_par_iter().map(one).collect()
}

/// The products for some points, which those of the next points replace: fresh memory each time costs a tenth of the work.
#[derive(Default)]
struct Products<T> {
    /// Uᵀz, then its squares.
    z: Vec<T>,
    /// The fit of each target for each λ.
    fitted: Vec<T>,
    /// zᵀ(A + λI)⁻¹z for each λ.
    leverage: Vec<T>,
}

/// Fills `out` with the product of some rows of `depth` values with a matrix in panels, row after row.
fn product<T: Precision>(rows: &[T], depth: usize, panels: &[Vec<T>], columns: usize, out: &mut Vec<T>) {
    let count = rows.len() / depth;
    out.clear();
    out.resize(count * columns, T::default());
    let mut tile = [T::default(); STRIP * PANEL];
    for part in (0..depth).step_by(DEPTH).map(|first| first..depth.min(first + DEPTH)) {
        let strips: Vec<Vec<T>> =
            rows.chunks(STRIP * depth).map(|rows| strip(rows, depth, part.clone())).collect();
        for (p, panel) in panels.iter().enumerate() {
            let panel = &panel[part.start * PANEL..part.end * PANEL];
            for (s, strip) in strips.iter().enumerate() {
                T::dots(part.len(), strip, panel, &mut tile);
                for (r, tile) in tile.chunks(PANEL).enumerate().take(count - s * STRIP) {
                    let out = &mut out[(s * STRIP + r) * columns..][..columns];
                    out[p * PANEL..].iter_mut().zip(tile).for_each(|(out, &value)| *out += value);
                }
            }
        }
    }
}

/// A part of the values of up to six rows, value after value.
fn strip<T: Precision>(rows: &[T], depth: usize, part: Range<usize>) -> Vec<T> {
    let mut strip = vec![T::default(); STRIP * part.len()];
    for (r, row) in rows.chunks(depth).enumerate() {
        row[part.clone()].iter().enumerate().for_each(|(k, &value)| strip[k * STRIP + r] = value);
    }
    strip
}
