//! A function as a weighted sum of kernels at support points.

use std::ops::Range;

use rayon::prelude::*;

use crate::data::{Dense, Points};
use crate::error::{DataProblem, ErrorKind, Result};
use crate::kernel::{Kernel, Readout};

/// Points evaluated together, which bounds the memory of a prediction.
const BATCH: usize = 96;

/// Weights of an expansion with several outputs, stored as dense blocks: in one-vs-one a support point of class a
/// enters only the k − 1 outputs that involve a.
#[derive(Debug, Clone, PartialEq)]
pub struct Coefficients {
    /// Consecutive ranges of points that together cover all of them.
    pub blocks: Vec<CoefficientBlock>,
    /// Number of outputs.
    pub outputs: usize,
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
        if points.width() != self.points.width() {
            let problem = DataProblem::Width { found: points.width(), expected: self.points.width() };
            return Err(ErrorKind::Data(problem).into());
        }
        points.check_finite()?;
        let outputs = self.coefficients.outputs;
        let mut values = vec![0.0; points.len() * outputs];
        if self.points.is_empty() {
            values
                .chunks_mut(outputs.max(1))
                .for_each(|row| row.iter_mut().zip(&self.offsets).for_each(|(v, b)| *v = -b));
            return Ok(Dense::new(outputs, values));
        }
        let bound = self.kernel.bind(&self.points)?;
        let blocks = self.coefficients.blocks.iter();
        let blocks: Vec<Readout> =
            blocks.map(|b| Readout::new(b.points.clone(), b.outputs.len(), b.values.clone())).collect();
        let entered: Vec<usize> = self.coefficients.blocks.iter().flat_map(|b| b.outputs.clone()).collect();
        values.par_chunks_mut(BATCH * outputs.max(1)).enumerate().for_each(|(batch, values)| {
            let rows: Vec<usize> = (batch * BATCH..points.len().min((batch + 1) * BATCH)).collect();
            let mut sums = vec![0.0; rows.len() * entered.len()];
            bound.read(points, &rows, &blocks, &mut sums);
            for (sums, values) in sums.chunks(entered.len().max(1)).zip(values.chunks_mut(outputs)) {
                values.iter_mut().zip(&self.offsets).for_each(|(v, b)| *v = -b);
                entered.iter().zip(sums).for_each(|(&o, sum)| values[o] += sum);
            }
        });
        if let Some(at) = values.iter().position(|v| !v.is_finite()) {
            return Err(ErrorKind::Data(DataProblem::DecisionNotFinite { row: at / outputs + 1 }).into());
        }
        Ok(Dense::new(outputs, values))
    }
}
