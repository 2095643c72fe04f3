//! A function as a weighted sum of kernels at support points.

use std::ops::Range;

use rayon::prelude::*;

use crate::data::{Dense, Points};
use crate::error::{DataProblem, ErrorKind, Result};
use crate::kernel::{Kernel, Readout};

/// Points evaluated together, which bounds the memory of a prediction.
const BATCH: usize = 192;

/// The same where their kernel values are kept in double precision, row by row.
const DOUBLE_BATCH: usize = 16;

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
        Self::full(values.len(), 1, values)
    }

    /// The weights of the first block, point after point; all of them where there is one block.
    #[must_use]
    pub fn first_block(&self) -> &[f64] {
        self.blocks.first().map_or(&[], |block| &block.values)
    }

    /// One block over all of `points` support points, each of which enters every output; weights point after point.
    #[must_use]
    pub fn full(points: usize, outputs: usize, values: Vec<f64>) -> Self {
        let block = CoefficientBlock { points: 0..points, outputs: (0..outputs).collect(), values };
        Self { blocks: vec![block], outputs }
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
    kernel: K,
    points: X,
    coefficients: Coefficients,
    offsets: Vec<f64>,
}

impl<X, K> Expansion<X, K> {
    /// The functions of a kernel k over support points, with the weights β and one offset b per output.
    pub fn new(kernel: K, points: X, coefficients: Coefficients, offsets: Vec<f64>) -> Self {
        Self { kernel, points, coefficients, offsets }
    }

    /// k
    pub fn kernel(&self) -> &K {
        &self.kernel
    }

    /// The support points.
    pub fn points(&self) -> &X {
        &self.points
    }

    /// β
    pub fn coefficients(&self) -> &Coefficients {
        &self.coefficients
    }

    /// b, one per output
    pub fn offsets(&self) -> &[f64] {
        &self.offsets
    }

    /// The expansion over other support points, with the same weights.
    #[must_use]
    pub fn with_points(self, points: X) -> Self {
        Self { points, ..self }
    }

    /// The expansion with other weights and offsets, over the same support points.
    #[must_use]
    pub fn with_values(self, coefficients: Coefficients, offsets: Vec<f64>) -> Self {
        Self { coefficients, offsets, ..self }
    }

    /// Puts `points` in the place of the support points, which are returned.
    pub fn replace_points(&mut self, points: X) -> X {
        std::mem::replace(&mut self.points, points)
    }
}

#[cfg(test)]
impl<X, K> Expansion<X, K> {
    /// Changes the kernel, weights and offsets in place, so that tests can make expansions whose parts do not fit.
    pub(crate) fn edit(&mut self, change: impl FnOnce(&mut K, &mut Coefficients, &mut Vec<f64>)) {
        change(&mut self.kernel, &mut self.coefficients, &mut self.offsets);
    }
}

impl<X: Clone, K: Clone> Expansion<X, K> {
    /// Replaces the expansion by what `change` makes of it.
    pub(super) fn change(&mut self, change: &mut dyn FnMut(Self) -> Self) {
        *self = change(self.clone());
    }
}

/// The place of the largest number; of several the first.
pub(super) fn first_largest(scores: &[f64]) -> usize {
    (1..scores.len()).fold(0, |best, c| if scores[c] > scores[best] { c } else { best })
}

impl<X: Points, K: Kernel<X>> Expansion<X, K> {
    /// f at each of `points`, one row per point, one column per output; in double precision throughout where `double`.
    ///
    /// # Errors
    /// As [`Expansion::decisions`].
    pub(super) fn rows(&self, points: &X, double: bool) -> Result<Dense<f64>> {
        Ok(Dense::new(self.coefficients.outputs, self.map_as(points, double, <[f64]>::to_vec)?.concat()))
    }

    /// What `each` makes of the outputs of each of `points`, in double precision throughout where `double`.
    ///
    /// # Errors
    /// As [`Expansion::decisions`].
    pub(super) fn map_as<R: Send>(
        &self,
        points: &X,
        double: bool,
        each: impl Fn(&[f64]) -> R + Sync,
    ) -> Result<Vec<R>> {
        if double { self.map_double(points, each) } else { self.map(points, each) }
    }

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
        self.check(points)?;
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
        joined(batches)
    }

    /// The same with kernel values and sums in double precision, several times slower: for digits that are compared with
    /// those of others.
    ///
    /// # Errors
    /// As [`Expansion::decisions`].
    pub fn map_double<R: Send>(&self, points: &X, each: impl Fn(&[f64]) -> R + Sync) -> Result<Vec<R>> {
        self.check(points)?;
        let columns = self.points.len();
        if columns == 0 {
            return self.map(points, each);
        }
        let bound = self.kernel.bind(&self.points)?;
        let batch = |batch: usize| {
            let rows: Vec<usize> =
                (batch * DOUBLE_BATCH..points.len().min((batch + 1) * DOUBLE_BATCH)).collect();
            let mut values = vec![0.0; rows.len() * columns];
            bound.rows_f64(points, &rows, &mut values.chunks_mut(columns).collect::<Vec<_>>());
            let results = rows.iter().zip(values.chunks(columns)).map(|(&row, values)| {
                let outputs = self.read_out(values);
                if outputs.iter().all(|v| v.is_finite()) { Ok(each(&outputs)) } else { Err(row) }
            });
            results.collect::<Vec<_>>()
        };
        joined((0..points.len().div_ceil(DOUBLE_BATCH)).into_par_iter().map(batch).collect())
    }

    /// The outputs of a point from its kernel values with all support points.
    fn read_out(&self, values: &[f64]) -> Vec<f64> {
        let mut outputs: Vec<f64> = self.offsets.iter().map(|b| -b).collect();
        for block in &self.coefficients.blocks {
            let weights = block.values.chunks(block.outputs.len().max(1));
            for (value, weights) in values[block.points.clone()].iter().zip(weights) {
                block.outputs.iter().zip(weights).for_each(|(&o, weight)| outputs[o] += weight * value);
            }
        }
        outputs
    }

    /// Refuses points of another width and numbers that are not finite.
    fn check(&self, points: &X) -> Result<()> {
        if points.width() != self.points.width() {
            let problem = DataProblem::Width { found: points.width(), expected: self.points.width() };
            return Err(ErrorKind::Data(problem).into());
        }
        points.check_finite()
    }
}

/// The results of all batches; a decision that is not finite is named by its row.
fn joined<R>(batches: Vec<Vec<Result<R, usize>>>) -> Result<Vec<R>> {
    let not_finite = |row: usize| ErrorKind::Data(DataProblem::DecisionNotFinite { row: row + 1 }).into();
    batches.into_iter().flatten().map(|result| result.map_err(not_finite)).collect()
}

#[cfg(test)]
mod tests {
    use super::first_largest;
    use crate::data::{Labels, Vectors};
    use crate::kernel::rbf;
    use crate::model::Svc;

    #[test]
    fn a_tie_goes_to_the_lowest_number() {
        assert_eq!(first_largest(&[1.0, 2.0, 2.0]), 1);
        assert_eq!(first_largest(&[0.0, 0.0, -0.0]), 0);
        assert_eq!(first_largest(&[-3.0, -2.0, -1.0]), 2);
    }

    #[test]
    fn double_precision_is_the_sum_written_out() {
        let value = |i: i32| (f64::from(i) * 0.7).sin();
        let x = Vectors::dense(1, (0..90).map(value).collect());
        let y = Labels::first_seen((0..90).map(|i| ["a", "b", "c"][(i / 4) % 3]));
        let expansion = Svc::new(rbf(1.5)).c(20.0).fit(&x, &y).unwrap().expansion;
        let single = expansion.map(&x, <[f64]>::to_vec).unwrap();
        let double = expansion.map_double(&x, <[f64]>::to_vec).unwrap();
        for (i, (single, double)) in single.iter().zip(&double).enumerate() {
            let mut exact: Vec<f64> = expansion.offsets.iter().map(|b| -b).collect();
            for block in &expansion.coefficients.blocks {
                for (j, weights) in block.points.clone().zip(block.values.chunks(2)) {
                    let k = (-1.5 * (value(i as i32) - expansion.points.row(j).get(0)).powi(2)).exp();
                    block.outputs.iter().zip(weights).for_each(|(&o, weight)| exact[o] += weight * k);
                }
            }
            for o in 0..3 {
                assert!((double[o] - exact[o]).abs() < 1e-11, "{} {}", double[o], exact[o]);
                assert!((single[o] - exact[o]).abs() < 1e-3, "{} {}", single[o], exact[o]);
            }
        }
        let wide = Vectors::dense(2, vec![0.0, 0.0]);
        assert!(expansion.map_double(&wide, <[f64]>::to_vec).is_err());
    }
}
