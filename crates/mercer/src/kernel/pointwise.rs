//! Any function of two points as a kernel.

use rayon::prelude::*;

use super::{Bound, Definiteness, Kernel};
use crate::data::Points;
use crate::error::Result;

/// Entries per task: enough that handing a task out costs nothing beside even the cheapest function.
const PANEL: usize = 256;

/// A kernel given by a function of two points: `f(xs, i, ys, j)` is k of point i of xs and point j of ys.
///
/// Cost: one call per entry, rows in parallel, no blocks. Nothing is known of its definiteness unless it is
/// [declared](Pointwise::psd); put it through [`battery`](super::battery) and [`check`](super::check()).
///
/// ```
/// use mercer::data::{Dense, Vectors};
/// use mercer::kernel::{Kernel, Pointwise};
///
/// // The Brownian kernel min(s, t) on times.
/// let brownian = Pointwise::psd(|x: &Vectors, i: usize, y: &Vectors, j: usize| {
///     x.row(i).get(0).min(y.row(j).get(0))
/// });
/// let times = Vectors::from(Dense::new(1, vec![1.0, 2.0, 4.0]));
/// assert_eq!(brownian.bind(&times)?.diagonal(), [1.0, 2.0, 4.0]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Pointwise<F> {
    function: F,
    definiteness: Definiteness,
}

impl<F> Pointwise<F> {
    /// A symmetric function that need not be positive semi-definite.
    pub fn new<X>(function: F) -> Self
    where
        F: Fn(&X, usize, &X, usize) -> f64,
    {
        Self { function, definiteness: Definiteness::Unknown }
    }

    /// A function known to be positive semi-definite.
    pub fn psd<X>(function: F) -> Self
    where
        F: Fn(&X, usize, &X, usize) -> f64,
    {
        Self { function, definiteness: Definiteness::Psd }
    }
}

/// The Gaussian exp(−D²/(2σ²)) over a distance of the caller's own, `distance(xs, i, ys, j)` between
/// point i of xs and point j of ys.
///
/// It is positive semi-definite for every σ if and only if D² is conditionally negative definite, which is not
/// assumed.
pub fn gaussian_over<X, D>(
    distance: D,
    sigma: f64,
) -> Pointwise<impl Fn(&X, usize, &X, usize) -> f64 + Clone + Send + Sync + 'static>
where
    D: Fn(&X, usize, &X, usize) -> f64 + Clone + Send + Sync + 'static,
{
    let scale = -0.5 / (sigma * sigma);
    Pointwise::new(move |x: &X, i: usize, y: &X, j: usize| (scale * distance(x, i, y, j).powi(2)).exp())
}

impl<X, F> Kernel<X> for Pointwise<F>
where
    X: Points + 'static,
    F: Fn(&X, usize, &X, usize) -> f64 + Clone + Send + Sync + 'static,
{
    fn bind(&self, columns: &X) -> Result<Box<dyn Bound<X>>> {
        Ok(Box::new(BoundPointwise { function: self.function.clone(), columns: columns.clone() }))
    }

    fn definiteness(&self) -> Definiteness {
        self.definiteness
    }
}

struct BoundPointwise<X, F> {
    function: F,
    columns: X,
}

impl<X, F> BoundPointwise<X, F>
where
    X: Points,
    F: Fn(&X, usize, &X, usize) -> f64 + Send + Sync,
{
    /// Each entry depends on its two points only, so no cut into tasks can change its bits.
    fn fill<T: Send>(
        &self,
        points: &X,
        rows: &[usize],
        out: &mut [&mut [T]],
        round: impl Fn(f64) -> T + Sync,
    ) {
        out.par_iter_mut().zip(rows).for_each(|(row, &i)| {
            row.par_chunks_mut(PANEL).enumerate().for_each(|(panel, entries)| {
                for (j, entry) in (panel * PANEL..).zip(entries) {
                    *entry = round((self.function)(points, i, &self.columns, j));
                }
            });
        });
    }
}

impl<X, F> Bound<X> for BoundPointwise<X, F>
where
    X: Points,
    F: Fn(&X, usize, &X, usize) -> f64 + Send + Sync,
{
    fn columns(&self) -> usize {
        self.columns.len()
    }

    fn diagonal(&self) -> Vec<f64> {
        let value = |i| (self.function)(&self.columns, i, &self.columns, i);
        (0..self.columns.len()).into_par_iter().map(value).collect()
    }

    fn rows(&self, points: &X, rows: &[usize], out: &mut [&mut [f32]]) {
        self.fill(points, rows, out, |value| value as f32);
    }

    fn rows_f64(&self, points: &X, rows: &[usize], out: &mut [&mut [f64]]) {
        self.fill(points, rows, out, |value| value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dense, Vectors};
    use crate::kernel::rbf_sigma;

    #[test]
    fn strings_of_the_callers_own_have_a_kernel() {
        let same = Pointwise::new(
            |x: &Vec<String>, i: usize, y: &Vec<String>, j: usize| {
                if x[i] == y[j] { 1.0 } else { 0.25 }
            },
        );
        let words: Vec<String> = ["a", "b", "a"].map(String::from).into();
        let bound = same.bind(&words).unwrap();
        let mut row = [0.0; 3];
        bound.rows_f64(&words, &[0], &mut [&mut row]);
        assert_eq!(row, [1.0, 0.25, 1.0]);
        let mut rows = [[0.0_f32; 3]; 2];
        let [first, second] = &mut rows;
        bound.rows(&words, &[2, 1], &mut [first, second]);
        assert_eq!(rows, [[1.0, 0.25, 1.0], [0.25, 1.0, 0.25]]);
        assert_eq!(Kernel::<Vec<String>>::definiteness(&same), Definiteness::Unknown);
    }

    #[test]
    fn gaussian_over_the_euclidean_distance_is_rbf() {
        let distance = |x: &Vectors, i: usize, y: &Vectors, j: usize| {
            (0..2).map(|k| (x.row(i).get(k) - y.row(j).get(k)).powi(2)).sum::<f64>().sqrt()
        };
        let points: Vectors = Dense::new(2, vec![0.0, 1.0, 2.0, -1.0]).into();
        let mut row = [0.0; 2];
        gaussian_over(distance, 1.5).bind(&points).unwrap().rows_f64(&points, &[0], &mut [&mut row]);
        for (j, found) in row.into_iter().enumerate() {
            assert!((found - rbf_sigma(1.5).value(points.row(0), points.row(j))).abs() <= 1e-15);
        }
    }

    #[test]
    fn rows_longer_than_a_panel_are_filled_to_the_end() {
        let n = 2 * PANEL + 3;
        let points: Vectors = Dense::new(1, (0..n).map(|i| i as f64).collect()).into();
        let product =
            Pointwise::psd(|x: &Vectors, i: usize, y: &Vectors, j: usize| x.row(i).get(0) * y.row(j).get(0));
        let mut row = vec![0.0; n];
        product.bind(&points).unwrap().rows_f64(&points, &[2], &mut [&mut row]);
        assert!(row.iter().enumerate().all(|(j, &value)| value == 2.0 * j as f64));
    }
}
