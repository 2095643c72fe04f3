//! A function as a weighted sum of kernels at support points.

use std::ops::Range;

use rayon::prelude::*;

use crate::data::{Dense, Points};
use crate::error::{DataProblem, ErrorKind, Result};
use crate::kernel::{Kernel, Readout};

/// Points evaluated together, which bounds the memory of a prediction.
const BATCH: usize = 192;

/// Weights of an expansion with several outputs, stored as dense blocks: in one-vs-one a support point of class a
/// enters only the k − 1 outputs that involve a.
#[derive(Debug, Clone, PartialEq)]
pub struct Coefficients {
    /// Consecutive ranges of points that together cover all of them.
    pub blocks: Vec<CoefficientBlock>,
    /// Number of outputs.
    pub outputs: usize,
}

impl Coefficients {
    /// One output, which every point enters by its weight.
    #[must_use]
    pub fn single(values: Vec<f64>) -> Self {
        let block = CoefficientBlock { points: 0..values.len(), outputs: vec![0], values };
        Self { blocks: vec![block], outputs: 1 }
    }
}

/// A range of support points and the outputs they enter.
#[derive(Debug, Clone, PartialEq)]
pub struct CoefficientBlock {
    /// The points.
    pub points: Range<usize>,
    /// The outputs they enter, ascending.
    pub outputs: Vec<usize>,
    /// Weights, point after point, one per output of this block.
    pub values: Vec<f64>,
}

/// f(x) = Σ βᵢ k(xᵢ, x) − b for each output.
#[derive(Debug, Clone, PartialEq)]
pub struct Expansion<X, K> {
    /// k
    pub kernel: K,
    /// The support points.
    pub points: X,
    /// β
    pub coefficients: Coefficients,
    /// b, one per output
    pub offsets: Vec<f64>,
}

impl<X: Points, K: Kernel<X>> Expansion<X, K> {
    /// f at each of `points`, one row per point, one column per output.
    ///
    /// Cost: the kernel values of each point with the support points, tile by tile, and their product with the
    /// coefficients; no row of values is ever whole. The bits of a row do not depend on the other rows, nor on the
    /// number of threads.
    ///
    /// # Errors
    /// If the points have another width than the support points, a number or a decision is not finite, or the kernel
    /// cannot be evaluated.
    pub fn decisions(&self, points: &X) -> Result<Dense<f64>> {
        let rows = self.map(points, <[f64]>::to_vec)?;
        Ok(Dense::new(self.coefficients.outputs, rows.concat()))
    }

    /// What `each` makes of the outputs of each of `points`; no more of them is held than of a few batches.
    ///
    /// # Errors
    /// As [`Expansion::decisions`].
    pub fn map<R: Send>(&self, points: &X, each: impl Fn(&[f64]) -> R + Sync) -> Result<Vec<R>> {
        if points.width() != self.points.width() {
            let problem = DataProblem::Width { found: points.width(), expected: self.points.width() };
            return Err(ErrorKind::Data(problem).into());
        }
        points.check_finite()?;
        let offsets: Vec<f64> = self.offsets.iter().map(|b| -b).collect();
        if self.points.is_empty() {
            return Ok((0..points.len()).map(|_| each(&offsets)).collect());
        }
        let bound = self.kernel.bind(&self.points)?;
        let blocks = self.coefficients.blocks.iter();
        let blocks: Vec<Readout<'_>> =
            blocks.map(|b| Readout::new(b.points.clone(), b.outputs.len(), &b.values)).collect();
        let entered: Vec<usize> = self.coefficients.blocks.iter().flat_map(|b| b.outputs.clone()).collect();
        let batch = |(sums, values): &mut (Vec<f64>, Vec<f64>), batch: usize| {
            let rows: Vec<usize> = (batch * BATCH..points.len().min((batch + 1) * BATCH)).collect();
            sums.clear();
            sums.resize(rows.len() * entered.len(), 0.0);
            values.resize(offsets.len(), 0.0);
            bound.read(points, &rows, &blocks, sums);
            let results = rows.iter().zip(sums.chunks(entered.len().max(1))).map(|(&row, sums)| {
                values.copy_from_slice(&offsets);
                entered.iter().zip(sums).for_each(|(&o, sum)| values[o] += sum);
                if values.iter().all(|v| v.is_finite()) { Ok(each(values)) } else { Err(row) }
            });
            results.collect::<Vec<_>>()
        };
        let batches: Vec<Vec<_>> =
            (0..points.len().div_ceil(BATCH)).into_par_iter().map_init(Default::default, batch).collect();
        let not_finite = |row: usize| ErrorKind::Data(DataProblem::DecisionNotFinite { row: row + 1 }).into();
        batches.into_iter().flatten().map(|result| result.map_err(not_finite)).collect()
    }
}
