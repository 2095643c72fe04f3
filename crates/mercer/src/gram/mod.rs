//! Gram matrices: K with Kᵢⱼ = k(xᵢ, xⱼ), as objects that give rows on demand.
//!
//! [`Lazy`] computes rows from points, [`Cached`] remembers them, [`Full`] holds them all, [`Subset`] shows some
//! points of another, [`Centered`] shows another about its mean, [`Ridged`] has more on the diagonal, [`WithOrigin`] has
//! the origin as one more point. A subset of a Gram is a Gram ([`Gram::restrict`]). [`square`] and [`cross`] are all the
//! values at once, in one buffer.

mod cache;
mod center;
mod full;
mod lazy;
pub(crate) mod matrix;
mod origin;
mod ridged;
mod subset;
#[cfg(test)]
mod tests;
mod whole;

pub use cache::Cached;
pub use center::Centered;
pub use full::Full;
pub use lazy::Lazy;
pub use origin::WithOrigin;
pub use ridged::Ridged;
pub use subset::Subset;
pub use whole::{Value, cross, square};

use crate::kernel::in_batches;

/// A symmetric matrix of kernel values.
pub trait Gram: Sync {
    /// How many points.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Kᵢᵢ, exactly as the kernel defines it.
    fn diagonal(&self) -> &[f64];

    /// Fills `out[r]` with row `rows[r]`, all columns.
    fn rows(&self, rows: &[usize], out: &mut [&mut [f32]]);

    /// The same in double precision; a Gram that has no more than single precision gives that.
    fn rows_f64(&self, rows: &[usize], out: &mut [&mut [f64]]) {
        let mut row = vec![0.0; self.len()];
        for (&i, out) in rows.iter().zip(out) {
            self.rows(&[i], &mut [&mut row]);
            out.iter_mut().zip(&row).for_each(|(value, &k)| *value = f64::from(k));
            out[i] = self.diagonal()[i];
        }
    }

    /// Fills `out[r]` with row `first + r` up to its diagonal, in double precision: first + r + 1 values.
    fn lower_rows(&self, first: usize, out: &mut [&mut [f64]]) {
        let mut row = vec![0.0; self.len()];
        for (i, out) in (first..).zip(out) {
            self.rows_f64(&[i], &mut [&mut row]);
            out.copy_from_slice(&row[..=i]);
        }
    }

    /// `sums[j] += Σ weights[w] · K[points[w]][j]`, in the order of the points. No row need be left anywhere.
    fn accumulate(&self, points: &[usize], weights: &[f64], sums: &mut [f64]) {
        in_batches(points, weights, sums, |points, rows| self.rows(points, rows));
    }

    /// A rough cost of computing a value in nanoseconds; infinite where values are held or it is not known.
    fn cost(&self) -> f64 {
        f64::INFINITY
    }

    /// The Gram of the points at `index`, in that order.
    fn restrict<'a>(&'a self, index: &[usize]) -> Box<dyn Gram + 'a>;

    /// A Gram of the same points that keeps a count of its own, for several solves side by side: the values computed by
    /// the shared Gram are counted there, and by this one too. What the points cost to prepare is not paid again.
    fn share(&self) -> Box<dyn Gram + '_>;

    /// Lets go of what can be made again, as the packed copy of points: whoever next needs it makes it again. For while
    /// only Grams restricted from this one are at work.
    fn rest(&self) {}

    /// Kernel values computed so far, by this Gram and all restricted from it: the deterministic cost of a fit.
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
    fn rest(&self) {
        (**self).rest();
    }
    fn computed(&self) -> u64 {
        (**self).computed()
    }
}
