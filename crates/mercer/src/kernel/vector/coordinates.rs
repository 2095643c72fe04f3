//! Kernels that are inner products of features that can be written out.
//!
//! k(x, y) = c ⟨φ(x), φ(y)⟩ with a feature map φ is the inner product of the rows √c φ(x), so that what is linear in the features of its
//! points is also linear in these.

use std::borrow::Cow;

use super::Map;
use crate::data::{Dense, Points, Sparse, Vectors};
use crate::error::Result;
use crate::kernel::Kernel;

/// The rows √c φ(x) of a kernel c ⟨φ(x), φ(y)⟩.
///
/// ```
/// use mercer::data::Vectors;
/// use mercer::kernel::{Kernel, VectorExpr};
///
/// let kernel: VectorExpr = "4*linear @ monomials(degree=2)".parse()?;
/// let coordinates = Kernel::<Vectors>::coordinates(&kernel).unwrap();
/// let x = Vectors::dense(1, vec![3.0]);
/// assert_eq!(*coordinates.of(&x)?, Vectors::dense(3, vec![2.0, 6.0, 18.0]));
/// assert_eq!(coordinates.width(1)?, 3);
/// assert!(Kernel::<Vectors>::coordinates(&"rbf".parse::<VectorExpr>()?).is_none());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Coordinates {
    /// c > 0
    pub factor: f64,
    /// φ: maps applied to the points, first to last.
    pub maps: Vec<Map>,
}

impl Coordinates {
    /// The rows of points.
    ///
    /// # Errors
    /// If a map does not fit the points, or there is no memory for the images.
    pub fn of<'x>(&self, points: &'x Vectors) -> Result<Cow<'x, Vectors>> {
        let mut rows = Cow::Borrowed(points);
        for map in &self.maps {
            rows = Cow::Owned(map.apply_all(&rows)?);
        }
        Ok(if self.factor == 1.0 { rows } else { Cow::Owned(times(self.factor.sqrt(), &rows)) })
    }

    /// Whether the last map has landmarks.
    #[must_use]
    pub fn has_landmarks(&self) -> bool {
        matches!(self.maps.last(), Some(Map::Nystrom(_)))
    }

    /// What landmarks leave of the kernel value k(x, x) of each of some points whose rows these are, where the last map has landmarks: r ≥ 0 with
    /// |k(x, y) − c⟨φ(x), φ(y)⟩| ≤ √(r(x) r(y)); none where it has none.
    ///
    /// # Errors
    /// If a map does not fit the points.
    pub fn residual(&self, points: &Vectors, rows: &Vectors) -> Result<Option<Vec<f64>>> {
        let Some((Map::Nystrom(last), before)) = self.maps.split_last() else { return Ok(None) };
        let mut seen = Cow::Borrowed(points);
        for map in before {
            seen = Cow::Owned(map.apply_all(&seen)?);
        }
        let own = last.kernel.diagonal(&seen)?;
        let left = |(i, own): (usize, &f64)| {
            let mut square = 0.0;
            rows.row(i).for_each(|_, value| square += value * value);
            // Negative by rounding only.
            (self.factor * own - square).max(0.0)
        };
        Ok(Some(own.iter().enumerate().map(left).collect()))
    }

    /// How many features the rows of points with `input` features have.
    ///
    /// # Errors
    /// If a map does not fit such points.
    pub fn width(&self, input: usize) -> Result<usize> {
        self.maps.iter().try_fold(input, |width, map| map.width(width))
    }
}

/// Rows times a factor, in double precision.
fn times(factor: f64, rows: &Vectors) -> Vectors {
    let width = rows.width();
    if !rows.is_sparse() {
        let mut values = Vec::with_capacity(rows.len() * width);
        (0..rows.len()).for_each(|i| rows.row(i).for_each(|_, value| values.push(factor * value)));
        return Vectors::Dense64(Dense::new(width, values));
    }
    let (mut start, mut index, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..rows.len() {
        rows.row(i).for_each(|k, value| {
            index.push(k as u32);
            values.push(factor * value);
        });
        start.push(index.len());
    }
    Vectors::Sparse64(Sparse::new(width, start, index, values))
}

#[cfg(test)]
mod tests {
    use crate::data::{Points, Sparse, SplitMix, Vectors};
    use crate::kernel::{Kernel, VectorExpr};

    #[test]
    fn inner_products_of_the_rows_are_kernel_values() {
        let mut random = SplitMix(3);
        let values: Vec<f64> = (0..40).map(|_| 2.0 * random.uniform() - 1.0).collect();
        let sparse = Sparse::new(4, vec![0, 2, 2, 3], vec![0, 3, 1], vec![0.5, -0.25, 0.75_f32]);
        for points in [Vectors::dense(4, values), Vectors::Sparse32(sparse)] {
            // The definition is told of features that are 0 and not stored.
            let mut stored = vec![0.0; 4 * points.len()];
            (0..points.len()).for_each(|i| points.row(i).for_each(|k, value| stored[4 * i + k] = value));
            let whole = Vectors::dense(4, stored);
            for text in [
                "linear",
                "3*linear",
                "linear @ columns(4, 1..2)",
                "0.5*(linear @ monomials(degree=3))",
                "linear @ gaussians(low=-1, high=1, count=5, width=0.5)",
                "2*linear @ sigmoids(low=-1, high=1, count=3, width=0.3) @ columns(2, 3)",
                "linear @ matrix(rows=2, 1, 0.5, -1, 0, 2, 1) @ columns(1, 2)",
            ] {
                let kernel: VectorExpr = text.parse().unwrap();
                let coordinates = Kernel::<Vectors>::coordinates(&kernel).unwrap();
                let rows = coordinates.of(&points).unwrap();
                assert_eq!(rows.width(), coordinates.width(4).unwrap());
                for i in 0..points.len() {
                    for j in 0..points.len() {
                        let (mut own, mut product) = (vec![0.0; rows.width()], 0.0);
                        rows.row(i).for_each(|k, value| own[k] = value);
                        rows.row(j).for_each(|k, value| product += own[k] * value);
                        let value = kernel.value(whole.row(i), whole.row(j));
                        assert!((product - value).abs() <= 1e-12 * (1.0 + value.abs()), "{text} {i} {j}");
                    }
                }
            }
        }
    }

    #[test]
    fn other_kernels_have_none() {
        for text in ["rbf(1)", "linear + 1", "linear^2", "linear * linear", "cosine", "-1*linear", "0*linear"]
        {
            let Ok(kernel) = text.parse::<VectorExpr>() else { continue };
            assert!(Kernel::<Vectors>::coordinates(&kernel).is_none(), "{text}");
        }
    }
}
