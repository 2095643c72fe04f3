//! A function as a weighted sum of kernels at support points.

use std::fmt;
use std::ops::{ControlFlow, Range};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::weights::Weighted;
use crate::data::{Dense, Points};
use crate::error::{DataProblem, ErrorKind, Result};
use crate::kernel::{Bound, Kernel, Readout};

/// Points evaluated together, which bounds the memory of a prediction.
const BATCH: usize = 192;

/// Rows of a batch where kernel values are kept in double precision, row by row.
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

    /// One block over all of `points` support points from a list for each output, which has a weight for every point.
    pub(super) fn columns(points: usize, outputs: &[impl AsRef<[f64]>]) -> Self {
        Self::full(points, outputs.len(), interleaved(points, outputs))
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
///
/// The first prediction packs the support points and the weights for the processor; later ones use the packed copy, and a clone
/// shares it. It is no part of the value: expansions are compared by their kernel, points, weights and offsets.
#[derive(Clone)]
pub struct Expansion<X, K> {
    kernel: K,
    points: X,
    coefficients: Coefficients,
    offsets: Vec<f64>,
    /// The kernel bound to the support points.
    bound: OnceLock<Arc<dyn Bound<X>>>,
    /// The coefficients and offsets, packed.
    weights: OnceLock<Arc<Weights>>,
}

/// The coefficients and offsets of an expansion as a prediction reads them.
struct Weights {
    blocks: Vec<Readout>,
    /// The output of each sum of the blocks, block after block.
    outputs: Vec<usize>,
    /// −b
    start: Vec<f64>,
}

impl Weights {
    fn new(coefficients: &Coefficients, offsets: &[f64]) -> Self {
        let blocks = coefficients.blocks.iter();
        Self {
            blocks: blocks
                .clone()
                .map(|b| Readout::new(b.points.clone(), b.outputs.len(), b.values.clone()))
                .collect(),
            outputs: blocks.flat_map(|block| &block.outputs).copied().collect(),
            start: offsets.iter().map(|b| -b).collect(),
        }
    }
}

impl<X: fmt::Debug, K: fmt::Debug> fmt::Debug for Expansion<X, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Expansion")
            .field("kernel", &self.kernel)
            .field("points", &self.points)
            .field("coefficients", &self.coefficients)
            .field("offsets", &self.offsets)
            .finish_non_exhaustive()
    }
}

impl<X: PartialEq, K: PartialEq> PartialEq for Expansion<X, K> {
    fn eq(&self, other: &Self) -> bool {
        self.kernel == other.kernel
            && self.points == other.points
            && self.coefficients == other.coefficients
            && self.offsets == other.offsets
    }
}

impl<X, K> Expansion<X, K> {
    /// The functions of a kernel k over support points, with the weights β and one offset b per output.
    pub fn new(kernel: K, points: X, coefficients: Coefficients, offsets: Vec<f64>) -> Self {
        Self { kernel, points, coefficients, offsets, bound: OnceLock::new(), weights: OnceLock::new() }
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
        Self { points, bound: OnceLock::new(), ..self }
    }

    /// The expansion with other weights and offsets, over the same support points.
    #[must_use]
    pub fn with_values(self, coefficients: Coefficients, offsets: Vec<f64>) -> Self {
        Self { coefficients, offsets, weights: OnceLock::new(), ..self }
    }

    /// Puts `points` in the place of the support points, which are returned.
    pub fn replace_points(&mut self, points: X) -> X {
        self.bound = OnceLock::new();
        std::mem::replace(&mut self.points, points)
    }

    /// The expansion without its packed copy, which the next prediction makes anew.
    pub(crate) fn unpacked(self) -> Self {
        Self { bound: OnceLock::new(), weights: OnceLock::new(), ..self }
    }
}

#[cfg(test)]
impl<X, K> Expansion<X, K> {
    /// Changes the kernel, weights and offsets in place, so that tests can make expansions whose parts do not fit.
    pub(crate) fn edit(&mut self, change: impl FnOnce(&mut K, &mut Coefficients, &mut Vec<f64>)) {
        (self.bound, self.weights) = (OnceLock::new(), OnceLock::new());
        change(&mut self.kernel, &mut self.coefficients, &mut self.offsets);
    }
}

impl<X: Points, K> Expansion<X, K> {
    /// The expansion over those of the weighted points that have a coefficient which is not zero, of which `coefficients` has one
    /// for each output, point after point; and their positions in the data.
    pub(super) fn over_support(
        kernel: K,
        own: &Weighted<X>,
        coefficients: &[f64],
        offsets: Vec<f64>,
    ) -> (Self, Vec<usize>) {
        let outputs = offsets.len();
        let row = |i: usize| &coefficients[i * outputs..(i + 1) * outputs];
        let nonzero = |&i: &usize| row(i).iter().any(|&b| b != 0.0);
        let support: Vec<usize> = (0..own.points.len()).filter(nonzero).collect();
        let values: Vec<f64> = support.iter().flat_map(|&i| row(i)).copied().collect();
        let coefficients = Coefficients::full(support.len(), outputs, values);
        (Self::new(kernel, own.points.select(&support), coefficients, offsets), own.positions(support))
    }
}

impl<X: Points, K: Kernel<X> + Clone> Expansion<X, K> {
    /// The expansion with the points that its kernel was fitted to changed, and their means as they are.
    pub(super) fn with_reference(self, change: impl FnOnce(X) -> X) -> Self {
        let Ok(Some(mut reference)) = self.kernel.reference() else { return self };
        reference.points = change(reference.points);
        let kernel = self.kernel.fitted(&reference, &mut |_| ControlFlow::Continue(()));
        Self { kernel: kernel.expect("as many means as points"), bound: OnceLock::new(), ..self }
    }
}

impl<X: Clone, K: Clone> Expansion<X, K> {
    /// Replaces the expansion by what `change` makes of it.
    pub(super) fn change(&mut self, change: &mut dyn FnMut(Self) -> Self) {
        *self = change(self.clone());
    }
}

/// Lists of a number for each of `points` points, point after point.
pub(super) fn interleaved(points: usize, lists: &[impl AsRef<[f64]>]) -> Vec<f64> {
    (0..points).flat_map(|i| lists.iter().map(move |list| list.as_ref()[i])).collect()
}

/// The distance in feature space to the centre m of an output ⟨φ(x), m⟩ − ½‖m‖² from that output and k(x, x); 0 where the square
/// is rounding, or negative, as it can be with a kernel that is not definite.
pub(super) fn distance(own: f64, output: f64) -> f64 {
    let square = own - 2.0 * output;
    if square <= 64.0 * f64::EPSILON * (own.abs() + 2.0 * output.abs()) { 0.0 } else { square.sqrt() }
}

/// The rule that a row breaks whose k(x, x) a table of kernel values does not have.
const NOT_IN_THE_TABLE: &str = "it must be that of a training point, with its number: the model needs k(x, x), which a table has of no other";

/// Parts of k(x, x) by which the two values k(x, y) and k(y, x) of a table may differ: those of single precision do by less.
const ASYMMETRY: f64 = 1e-6;

/// The place of the largest number; of several the first.
pub(super) fn first_largest(scores: &[f64]) -> usize {
    (1..scores.len()).fold(0, |best, c| if scores[c] > scores[best] { c } else { best })
}

impl<X: Points, K: Kernel<X>> Expansion<X, K> {
    /// k(x, x) of each of `points`.
    ///
    /// A table of kernel values has k(x, x) of its own points alone. A row is that of the point whose number it has if the table is
    /// symmetric there, k(x, xᵢ) = k(xᵢ, x) for all support points; others are refused.
    ///
    /// # Errors
    /// If the kernel cannot be evaluated on these points, or a row of a table is not that of a training point.
    pub(super) fn own_values(&self, points: &X) -> Result<Vec<f64>> {
        let refused = |row: usize| DataProblem::Precomputed { row, rule: NOT_IN_THE_TABLE };
        let own = self.kernel.diagonal(points).map_err(|error| match error.kind() {
            ErrorKind::Data(DataProblem::Precomputed { row, .. }) if self.kernel.is_tabled() => {
                ErrorKind::Data(refused(*row)).into()
            }
            _ => error,
        })?;
        if !self.kernel.is_tabled() {
            return Ok(own);
        }
        let (bound, support) = (self.bound()?, self.points.len());
        let diagonal = bound.diagonal();
        for first in (0..points.len()).step_by(BATCH) {
            let rows: Vec<usize> = (first..points.len().min(first + BATCH)).collect();
            let (mut there, mut back) = (vec![0.0; rows.len() * support], vec![0.0; rows.len() * support]);
            bound.rows_f64(points, &rows, &mut there.chunks_mut(support.max(1)).collect::<Vec<_>>());
            let here = self.kernel.bind(&points.select(&rows))?;
            let all: Vec<usize> = (0..support).collect();
            here.rows_f64(&self.points, &all, &mut back.chunks_mut(rows.len()).collect::<Vec<_>>());
            let differs = |at: usize| {
                let (r, i) = (at / support, at % support);
                let size = own[first + r].abs().max(diagonal[i].abs());
                (there[at] - back[i * rows.len() + r]).abs() > ASYMMETRY * size
            };
            if let Some(at) = (0..there.len()).find(|&at| differs(at)) {
                return Err(ErrorKind::Data(refused(first + at / support + 1)).into());
            }
        }
        Ok(own)
    }

    /// f at each of `points`, one row per point, one column per output; in double precision throughout where `double`.
    pub(super) fn rows(&self, points: &X, double: bool) -> Result<Dense<f64>> {
        Ok(Dense::new(self.coefficients.outputs, self.map_as(points, double, <[f64]>::to_vec)?.concat()))
    }

    /// What `each` makes of the outputs of each of `points`, in double precision throughout where `double`.
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
    /// coefficients; no row of values is ever whole. The first call packs the support points, and the expansion holds the packed
    /// copy from then on. The bits of a row do not depend on the other rows, nor on the number of threads.
    ///
    /// # Errors
    /// If the points have another width than the support points, a number or a decision is not finite, or the kernel
    /// cannot be evaluated.
    pub fn decisions(&self, points: &X) -> Result<Dense<f64>> {
        self.rows(points, false)
    }

    /// What `each` makes of the outputs of each of `points`; no more of them is held than of a few batches. The calling thread
    /// does a batch of up to 192 points by itself.
    ///
    /// # Errors
    /// As [`Expansion::decisions`].
    pub fn map<R: Send>(&self, points: &X, each: impl Fn(&[f64]) -> R + Sync) -> Result<Vec<R>> {
        self.check(points)?;
        if self.points.is_empty() {
            let outputs: Vec<f64> = self.offsets.iter().map(|b| -b).collect();
            return Ok((0..points.len()).map(|_| each(&outputs)).collect());
        }
        let (bound, weights) = (self.bound()?, self.weights());
        bound.admits(points)?;
        let batch = |(sums, values): &mut (Vec<f64>, Vec<f64>), batch: usize| {
            let rows: Vec<usize> = (batch * BATCH..points.len().min((batch + 1) * BATCH)).collect();
            sums.clear();
            sums.resize(rows.len() * weights.outputs.len(), 0.0);
            values.resize(weights.start.len(), 0.0);
            bound.read(points, &rows, &weights.blocks, sums);
            let results = rows.iter().zip(sums.chunks(weights.outputs.len().max(1))).map(|(&row, sums)| {
                values.copy_from_slice(&weights.start);
                weights.outputs.iter().zip(sums).for_each(|(&o, sum)| values[o] += sum);
                if values.iter().all(|v| v.is_finite()) { Ok(each(values)) } else { Err(row) }
            });
            results.collect::<Vec<_>>()
        };
        if points.len() <= BATCH {
            return joined([batch(&mut Default::default(), 0)]);
        }
        let batches: Vec<Vec<_>> =
            (0..points.len().div_ceil(BATCH)).into_par_iter().map_init(Default::default, batch).collect();
        joined(batches)
    }

    /// As [`Expansion::map`], with kernel values and sums in double precision, several times slower: for digits that are
    /// compared with those of others.
    ///
    /// # Errors
    /// As [`Expansion::decisions`].
    pub fn map_double<R: Send>(&self, points: &X, each: impl Fn(&[f64]) -> R + Sync) -> Result<Vec<R>> {
        self.check(points)?;
        let columns = self.points.len();
        if columns == 0 {
            return self.map(points, each);
        }
        let bound = self.bound()?;
        bound.admits(points)?;
        bound.pack_double();
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
        if points.len() <= DOUBLE_BATCH {
            return joined([batch(0)]);
        }
        joined((0..points.len().div_ceil(DOUBLE_BATCH)).into_par_iter().map(batch).collect::<Vec<_>>())
    }

    /// Whether a prediction of `rows` points, by [`Expansion::map_double`] with `double`, is so little work that the calling
    /// thread does it by itself: a millisecond at most, and everything is packed that it needs.
    pub fn is_short(&self, rows: usize, double: bool) -> bool {
        let batch = if double { DOUBLE_BATCH } else { BATCH };
        let short = |bound: &Arc<dyn Bound<X>>| rows <= batch && bound.is_short(rows, double);
        self.points.is_empty() || self.bound.get().is_some_and(short)
    }

    /// The kernel bound to the support points, packed at the first call.
    pub(crate) fn bound(&self) -> Result<&dyn Bound<X>> {
        if let Some(bound) = self.bound.get() {
            return Ok(&**bound);
        }
        // Bound outside of the cell: a thread that binds works in parallel, and while it waits for others it may begin on
        // another prediction of this expansion.
        let bound = self.kernel.bind(&self.points)?;
        Ok(&**self.bound.get_or_init(|| bound.into()))
    }

    fn weights(&self) -> &Weights {
        self.weights.get_or_init(|| Arc::new(Weights::new(&self.coefficients, &self.offsets)))
    }

    /// The outputs of a point from its kernel values with all support points.
    fn read_out(&self, values: &[f64]) -> Vec<f64> {
        let mut outputs: Vec<f64> = self.offsets.iter().map(|b| -b).collect();
        for block in &self.coefficients.blocks {
            let mut sums: Vec<f64> = block.outputs.iter().map(|&o| outputs[o]).collect();
            let weights = block.values.chunks(sums.len().max(1));
            for (value, weights) in values[block.points.clone()].iter().zip(weights) {
                sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight * value);
            }
            block.outputs.iter().zip(sums).for_each(|(&o, sum)| outputs[o] = sum);
        }
        outputs
    }

    /// Refuses points that cannot be compared with the model's, and numbers that are not finite.
    pub(super) fn check(&self, points: &X) -> Result<()> {
        self.points.accepts(points)?;
        points.check_finite()
    }
}

/// The results of all batches; a decision that is not finite is named by its row.
fn joined<R>(batches: impl IntoIterator<Item = Vec<Result<R, usize>>>) -> Result<Vec<R>> {
    let not_finite = |row: usize| ErrorKind::Data(DataProblem::DecisionNotFinite { row: row + 1 }).into();
    batches.into_iter().flatten().map(|result| result.map_err(not_finite)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::data::{Labels, Vectors};
    use crate::kernel::{Definiteness, VectorExpr, packings, rbf};
    use crate::model::file::Saved;
    use crate::model::{Local, OneClass, Svc, SvcModel, Svdd, Svr};

    /// A Gaussian kernel that counts how often it is bound.
    #[derive(Clone)]
    struct Counting(VectorExpr, Arc<AtomicUsize>);

    impl Kernel<Vectors> for Counting {
        fn bind(&self, columns: &Vectors) -> Result<Box<dyn Bound<Vectors>>> {
            self.1.fetch_add(1, Ordering::Relaxed);
            self.0.bind(columns)
        }

        fn definiteness(&self) -> Definiteness {
            self.0.definiteness()
        }
    }

    fn points(n: usize) -> Vectors {
        Vectors::dense(2, (0..2 * n).map(|i| (i as f64 * 0.7).sin()).collect())
    }

    fn weights(n: usize, factor: f64) -> Coefficients {
        Coefficients::full(n, 3, (0..3 * n).map(|i| factor * (i as f64 * 0.3).cos()).collect())
    }

    #[test]
    fn later_predictions_bind_and_pack_nothing() {
        let binds = Arc::new(AtomicUsize::new(0));
        let bound = || binds.load(Ordering::Relaxed);
        let kernel = Counting(rbf(0.5), Arc::clone(&binds));
        let expansion = Expansion::new(kernel, points(70), weights(70, 1.0), vec![0.5, 0.0, -1.0]);
        let packed = packings();
        assert_eq!((bound(), expansion.bound.get().is_none()), (0, true));
        assert!(!expansion.is_short(1, false));
        let first = expansion.decisions(&points(200)).unwrap();
        assert_eq!((bound(), packings() - packed), (1, 1));
        let (weights, copy) = (expansion.weights() as *const Weights, expansion.clone());
        for expansion in [&expansion, &copy] {
            assert_eq!(expansion.decisions(&points(200)).unwrap(), first);
            assert_eq!(expansion.decisions(&points(1)).unwrap().row(0), first.row(0));
            assert_eq!(expansion.weights() as *const Weights, weights);
        }
        assert_eq!((bound(), packings() - packed), (1, 1));
        assert!(expansion.is_short(1, false) && !expansion.is_short(1, true));
        let double = expansion.map_double(&points(50), <[f64]>::to_vec).unwrap();
        assert_eq!((bound(), packings() - packed), (1, 2));
        assert!(expansion.is_short(1, true) && !expansion.is_short(DOUBLE_BATCH + 1, true));
        for expansion in [&expansion, &copy] {
            assert_eq!(expansion.map_double(&points(50), <[f64]>::to_vec).unwrap(), double);
            assert_eq!(expansion.map_double(&points(1), <[f64]>::to_vec).unwrap(), double[..1]);
        }
        assert_eq!((bound(), packings() - packed), (1, 2));
    }

    #[test]
    fn a_changed_expansion_predicts_as_one_made_so() {
        let offsets = || vec![0.5, 0.0, -1.0];
        let new = |n: usize, factor: f64| Expansion::new(rbf(0.5), points(n), weights(n, factor), offsets());
        let used = |expansion: &Expansion<Vectors, VectorExpr>| {
            let single = expansion.decisions(&points(9)).unwrap();
            (single, expansion.map_double(&points(9), <[f64]>::to_vec).unwrap())
        };
        let expansion = new(70, 1.0);
        let before = used(&expansion);
        let weighted = expansion.clone().with_values(weights(70, 2.0), offsets());
        assert!(weighted.bound.get().is_some() && weighted == new(70, 2.0));
        assert_eq!(used(&weighted), used(&new(70, 2.0)));
        let shifted = expansion.clone().with_values(weights(70, 1.0), vec![1.0; 3]);
        assert_ne!(used(&shifted), before);
        let scaled = Vectors::dense(2, (0..140).map(|i| 3.0 * (i as f64 * 0.7).sin()).collect());
        let made = Expansion::new(rbf(0.5), scaled.clone(), weights(70, 1.0), offsets());
        let moved = expansion.clone().with_points(scaled.clone());
        assert_eq!((used(&moved), moved == expansion), (used(&made), false));
        let mut replaced = expansion.clone();
        assert_eq!(replaced.replace_points(scaled), points(70));
        assert_eq!(used(&replaced), used(&made));
        // Equal whether packed or not, and the first is as it was.
        assert!(expansion == new(70, 1.0) && expansion.unpacked().bound.get().is_none());
        assert_eq!(used(&new(70, 1.0)), before);
    }

    #[test]
    fn fitting_saving_and_loading_pack_nothing() {
        let x = points(60);
        let y = Labels::first_seen((0..60).map(|i| ["a", "b"][(i / 7) % 2]));
        let targets: Vec<f64> = (0..60).map(|i| (f64::from(i) * 0.2).cos()).collect();
        let model = Svc::new(rbf(0.5)).c(10.0).fit(&x, &y).unwrap();
        let packed = |expansion: &Expansion<Vectors, VectorExpr>| {
            expansion.bound.get().is_some() || expansion.weights.get().is_some()
        };
        assert!(!packed(&model.expansion));
        assert!(!packed(&Svr::new(rbf(0.5)).fit(&x, &targets).unwrap().expansion));
        assert!(!packed(&OneClass::new(rbf(0.5)).fit(&x).unwrap().expansion));
        assert!(!packed(&Svdd::new(rbf(0.5)).fit(&x).unwrap().function.expansion));
        let local = Local::new(Svc::new(rbf(0.5))).cells(2).fit(&x, &y).unwrap();
        assert!(!packed(&local.gate));
        assert!(local.cells.iter().flat_map(|cell| &cell.classifier).all(|model| !packed(&model.expansion)));
        let saved = Saved::from(model);
        let loaded = Saved::from_bytes(&saved.to_bytes().unwrap()).unwrap();
        for model in [&saved.model, &loaded.model] {
            let model: Option<&SvcModel<Vectors, VectorExpr>> = model.downcast();
            assert!(model.is_some_and(|model| !packed(&model.expansion)));
        }
    }

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
