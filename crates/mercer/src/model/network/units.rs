//! The hidden units at points, computed from rows of kernel values.

use std::ops::Range;

use crate::kernel::Bound;
use crate::model::prelude::*;
use crate::simd::exp_f64;
use crate::solve::network::Units;

/// The units of a layer at some points.
pub(super) struct Hidden<'a, X> {
    bound: &'a dyn Bound<X>,
    points: &'a X,
    gaussians: Option<Gaussians>,
}

/// What Gaussians of distances need besides the kernel's values.
struct Gaussians {
    /// k(x, x) of the points.
    own: Vec<f64>,
    /// k(c, c) of the centres.
    diagonal: Vec<f64>,
    /// −1/2σ²
    factors: Vec<f64>,
}

impl<'a, X: Points> Hidden<'a, X> {
    /// The units at `points` of a kernel bound to the centres; `widths` are none where the units are the kernel, else `own` gives
    /// k(x, x) of the points.
    pub(super) fn new(
        bound: &'a dyn Bound<X>,
        points: &'a X,
        widths: &[f64],
        own: impl FnOnce(&X) -> Result<Vec<f64>>,
    ) -> Result<Self> {
        let gaussians = if widths.is_empty() {
            None
        } else {
            bound.pack_double();
            Some(Gaussians {
                own: own(points)?,
                diagonal: bound.diagonal(),
                factors: widths.iter().map(|width| -0.5 / (width * width)).collect(),
            })
        };
        Ok(Self { bound, points, gaussians })
    }
}

impl<X: Points> Units for Hidden<'_, X> {
    fn points(&self) -> usize {
        self.points.len()
    }

    fn units(&self) -> usize {
        self.bound.columns()
    }

    /// Distances are differences of kernel values that are nearly the same: those are taken in double precision.
    fn rows(&self, rows: Range<usize>, out: &mut [f32]) {
        let m = self.units();
        if self.gaussians.is_some() {
            let mut double = vec![0.0; out.len()];
            self.rows_f64(rows, &mut double);
            out.iter_mut().zip(double).for_each(|(out, value)| *out = value as f32);
            return;
        }
        let rows: Vec<usize> = rows.collect();
        self.bound.rows(self.points, &rows, &mut out.chunks_mut(m).collect::<Vec<_>>());
    }

    fn rows_f64(&self, rows: Range<usize>, out: &mut [f64]) {
        let (m, index) = (self.units(), rows.clone().collect::<Vec<usize>>());
        self.bound.rows_f64(self.points, &index, &mut out.chunks_mut(m).collect::<Vec<_>>());
        let Some(Gaussians { own, diagonal, factors }) = &self.gaussians else { return };
        for (i, row) in rows.zip(out.chunks_mut(m)) {
            for ((value, c), factor) in row.iter_mut().zip(diagonal).zip(factors) {
                *value = factor * (own[i] - 2.0 * *value + c).max(0.0);
            }
            exp_f64(row);
        }
    }
}
