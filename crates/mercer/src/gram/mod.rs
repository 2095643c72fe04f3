//! Gram matrices: K with Kᵢⱼ = k(xᵢ, xⱼ), as objects that compute or hold their rows.
//!
//! | Gram | its rows |
//! |---|---|
//! | [`Lazy`] | computed from points when they are asked for |
//! | [`Full`] | all held in memory |
//! | [`Held`] | of another Gram, all computed once, half of them by symmetry |
//! | [`Cached`] | of another Gram, kept in memory as far as a budget allows |
//! | [`Subset`] | of some points of another Gram |
//! | [`Ridged`] | of another Gram, with numbers added to the diagonal |
//! | [`WithOrigin`] | of another Gram, with the origin of feature space as one more point |
//!
//! A subset of a Gram is a Gram ([`Gram::restrict`]). [`square`] and [`cross`] compute all values of a kernel in one
//! buffer.

mod cache;
mod full;
mod held;
mod lazy;
pub(crate) mod matrix;
mod origin;
mod ridged;
mod subset;
#[cfg(test)]
mod tests;
mod whole;

pub use cache::Cached;
pub use full::Full;
pub use held::Held;
pub use lazy::Lazy;
pub use origin::WithOrigin;
pub use ridged::Ridged;
pub use subset::Subset;
pub use whole::{Value, cross, square};

use crate::kernel::in_batches;

/// A symmetric matrix of kernel values.
pub trait Gram: Sync {
    /// The number n of points.
    fn len(&self) -> usize {
        self.diagonal().len()
    }

    /// Whether there are no points.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entries Kᵢᵢ, in double precision, by the definition of the kernel.
    fn diagonal(&self) -> &[f64];

    /// Fills `out[r]` with row `rows[r]`, n values in single precision.
    fn rows(&self, rows: &[usize], out: &mut [&mut [f32]]);

    /// Fills `out[r]` with row `rows[r]` in double precision. A Gram whose values are in single precision converts them.
    fn rows_f64(&self, rows: &[usize], out: &mut [&mut [f64]]) {
        let mut row = vec![0.0; self.len()];
        for (&i, out) in rows.iter().zip(out) {
            self.rows(&[i], &mut [&mut row]);
            out.iter_mut().zip(&row).for_each(|(value, &k)| *value = f64::from(k));
            out[i] = self.diagonal()[i];
        }
    }

    /// Fills `out[r]` with row `first + r` up to the diagonal, first + r + 1 values in double precision.
    fn lower_rows(&self, first: usize, out: &mut [&mut [f64]]) {
        let mut row = vec![0.0; self.len()];
        for (i, out) in (first..).zip(out) {
            self.rows_f64(&[i], &mut [&mut row]);
            out.copy_from_slice(&row[..=i]);
        }
    }

    /// Fills `out[r]` with row `first + r` up to the diagonal, first + r + 1 values in single precision.
    fn lower_rows_single(&self, first: usize, out: &mut [&mut [f32]]) {
        let mut row = vec![0.0; self.len()];
        for (i, out) in (first..).zip(out) {
            self.rows(&[i], &mut [&mut row]);
            out.copy_from_slice(&row[..=i]);
        }
    }

    /// `sums[j] += Σ weights[w] · K[points[w]][j]`, in the order of the points. No row is stored.
    fn accumulate(&self, points: &[usize], weights: &[f64], sums: &mut [f64]) {
        in_batches(points, weights, sums, |points, rows| self.rows(points, rows));
    }

    /// The approximate cost of computing a value, in nanoseconds; infinite if it is not known or values are not computed.
    fn cost(&self) -> f64 {
        f64::INFINITY
    }

    /// The Gram of the points at `index`, in that order.
    fn restrict<'a>(&'a self, index: &[usize]) -> Box<dyn Gram + 'a>;

    /// A Gram of these points with a count of its own, for several solves at once: it counts the values that it computes,
    /// and this Gram counts them too. Both use one packed copy of the points.
    fn share(&self) -> Box<dyn Gram + '_>;

    /// Releases memory that can be filled again when it is needed: the packed copy of the points. To be called when only
    /// Grams restricted from this one will be used for a while.
    fn release_scratch(&self) {}

    /// How many kernel values this Gram and all Grams restricted from it have computed: the cost of a fit, the same in
    /// every run.
    fn computed(&self) -> u64;
}

impl<G: Gram + ?Sized> Gram for &G {
    fn len(&self) -> usize {
        (**self).len()
    }
    fn diagonal(&self) -> &[f64] {
        (**self).diagonal()
    }
    fn rows(&self, rows: &[usize], out: &mut [&mut [f32]]) {
        (**self).rows(rows, out);
    }
    fn rows_f64(&self, rows: &[usize], out: &mut [&mut [f64]]) {
        (**self).rows_f64(rows, out);
    }
    fn lower_rows(&self, first: usize, out: &mut [&mut [f64]]) {
        (**self).lower_rows(first, out);
    }
    fn lower_rows_single(&self, first: usize, out: &mut [&mut [f32]]) {
        (**self).lower_rows_single(first, out);
    }
    fn accumulate(&self, points: &[usize], weights: &[f64], sums: &mut [f64]) {
        (**self).accumulate(points, weights, sums);
    }
    fn cost(&self) -> f64 {
        (**self).cost()
    }
    fn restrict<'a>(&'a self, index: &[usize]) -> Box<dyn Gram + 'a> {
        (**self).restrict(index)
    }
    fn share(&self) -> Box<dyn Gram + '_> {
        (**self).share()
    }
    fn release_scratch(&self) {
        (**self).release_scratch();
    }
    fn computed(&self) -> u64 {
        (**self).computed()
    }
}
