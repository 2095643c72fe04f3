//! Scaling: features are brought to a common size.
//!
//! *Min-max*: $x' = l + (u - l)(x - \min)/(\max - \min)$, with the least and largest value of each column over the
//! training rows going to exactly `l` and `u`; a column with a single value becomes 0, as in LIBSVM's `svm-scale`.
//! *Standard*: $x' = (x - μ)/σ$ with the mean and the population's standard deviation; a column with a single value
//! becomes 0.
//!
//! Zeros that a sparse row does not store are scaled like any other value. The result of sparse rows is sparse and stores
//! all values that are not zero: if 0 is mapped to another number, all entries of the column. Few entries stay stored
//! with min-max, lower limit 0 and values that are not negative.
//!
//! Cost: two passes over the entries to fit, one to apply.

use serde::{Deserialize, Serialize};

use super::{Dense, Points, Real, Row, Sparse, Vectors};
use crate::error::{Result, check};

/// A map of each feature, fitted on some rows and applied to any.
///
/// ```
/// use mercer::data::{Scaler, Vectors};
/// let x = Vectors::dense(2, vec![1.0, 10.0, 3.0, 30.0]);
/// let scaler = Scaler::min_max(&x, -1.0, 1.0)?;
/// assert_eq!(scaler.apply(&x), Vectors::dense(2, vec![-1.0, -1.0, 1.0, 1.0]));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Scaler {
    /// A map of each column to a range.
    MinMax {
        /// The image of the least value.
        lower: f64,
        /// The image of the largest value.
        upper: f64,
        /// The least value of each column.
        min: Vec<f64>,
        /// The largest value of each column.
        max: Vec<f64>,
    },
    /// A map of each column to mean 0 and standard deviation 1.
    Standard {
        /// The mean of each column.
        mean: Vec<f64>,
        /// The standard deviation of each column, 1 where it is 0.
        deviation: Vec<f64>,
    },
}

/// The most columns that can be scaled: a map has two numbers for each column, also for one without entries.
const MAX_COLUMNS: usize = 1 << 26;

/// Refuses more columns than can be scaled.
pub(super) fn check_width(columns: usize) -> Result<()> {
    check("features", columns as f64, columns <= MAX_COLUMNS, "at most 67108864 features can be scaled")
}

impl Scaler {
    /// Fits a map of each column to the range from `lower` to `upper`.
    ///
    /// # Errors
    /// If `lower` is not below `upper` or one is not finite, or there are more columns than can be scaled.
    pub fn min_max(points: &Vectors, lower: f64, upper: f64) -> Result<Self> {
        check("lower", lower, lower.is_finite() && lower < upper, "must be finite and below upper")?;
        check("upper", upper, upper.is_finite(), "must be finite")?;
        let Statistics { min, max, .. } = Statistics::of(points)?;
        Ok(Self::MinMax { lower, upper, min, max })
    }

    /// Maps scaled rows back. A column with a single value becomes that value.
    ///
    /// # Panics
    /// If the rows have another width.
    #[must_use]
    pub fn undo(&self, rows: &Dense<f64>) -> Dense<f64> {
        assert_eq!(rows.columns(), self.width(), "one map for each column");
        let undo = |k: usize, value: f64| match self {
            Self::MinMax { lower, upper, min, max } => {
                min[k] + (max[k] - min[k]) * (value - lower) / (upper - lower)
            }
            Self::Standard { mean, deviation } => mean[k] + deviation[k] * value,
        };
        let values = (0..rows.len()).flat_map(|i| rows.row(i).iter().enumerate());
        Dense::new(rows.columns(), values.map(|(k, &value)| undo(k, value)).collect())
    }

    /// Fits a map of each column to mean 0 and standard deviation 1.
    ///
    /// # Errors
    /// If there are more columns than can be scaled.
    pub fn standard(points: &Vectors) -> Result<Self> {
        let rows = points.len() as f64;
        let Statistics { min, max, sum, stored } = Statistics::of(points)?;
        let mean: Vec<f64> = (0..min.len())
            // The mean of equal values is that value, which the rounded sum may miss.
            .map(|k| if min[k] == max[k] { min[k] } else { sum[k] / rows })
            .collect();
        let mut square = vec![0.0; mean.len()];
        each_entry(points, |k, value| square[k] += (value - mean[k]).powi(2));
        let deviation = (0..mean.len())
            .map(|k| {
                let absent = (rows - stored[k] as f64) * mean[k].powi(2);
                let deviation = ((square[k] + absent) / rows).sqrt();
                if min[k] == max[k] || deviation == 0.0 { 1.0 } else { deviation }
            })
            .collect();
        Ok(Self::Standard { mean, deviation })
    }

    /// The number of columns that the map was fitted on.
    #[must_use]
    pub fn width(&self) -> usize {
        match self {
            Self::MinMax { min, .. } => min.len(),
            Self::Standard { mean, .. } => mean.len(),
        }
    }

    /// The image of a value of column `k`.
    ///
    /// # Panics
    /// If there is no such column.
    #[must_use]
    pub fn value(&self, k: usize, value: f64) -> f64 {
        match self {
            Self::MinMax { lower, upper, min, max } => {
                scaled(value, [min[k], max[k]], [*lower, *upper]).unwrap_or(0.0)
            }
            Self::Standard { mean, deviation } => (value - mean[k]) / deviation[k],
        }
    }

    /// The images of rows, in their own form and precision. Columns beyond those that the map was fitted on are dropped;
    /// missing columns count as zeros.
    #[must_use]
    pub fn apply(&self, points: &Vectors) -> Vectors {
        match points {
            Vectors::Dense32(rows) => self.dense(rows).into(),
            Vectors::Dense64(rows) => self.dense(rows).into(),
            Vectors::Sparse32(rows) => self.sparse(rows).into(),
            Vectors::Sparse64(rows) => self.sparse(rows).into(),
        }
    }

    fn dense<T: Real>(&self, rows: &Dense<T>) -> Dense<T> {
        let width = self.width();
        let mut values = Vec::with_capacity(rows.len() * width);
        for i in 0..rows.len() {
            let row = rows.row(i);
            let image = |k| T::from_f64(self.value(k, row.get(k).map_or(0.0, |value| value.to_f64())));
            values.extend((0..width).map(image));
        }
        Dense::new(width, values)
    }

    fn sparse<T: Real>(&self, rows: &Sparse<T>) -> Sparse<T> {
        let width = self.width();
        // The columns in which 0, which is not stored, is mapped to another number, and that number.
        let zeros = (0..width).map(|k| (k as u32, self.value(k, 0.0)));
        let zeros: Vec<(u32, f64)> = zeros.filter(|&(_, image)| image != 0.0).collect();
        let (mut start, mut index, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..rows.len() {
            let mut absent = zeros.iter().peekable();
            let mut push = |k: u32, image: f64| {
                let image = T::from_f64(image);
                if image != T::default() {
                    index.push(k);
                    values.push(image);
                }
            };
            let (columns, entries) = rows.row(i);
            for (&k, value) in columns.iter().zip(entries).take_while(|&(&k, _)| (k as usize) < width) {
                while let Some(&(column, image)) = absent.next_if(|&&(column, _)| column < k) {
                    push(column, image);
                }
                absent.next_if(|&&(column, _)| column == k);
                push(k, self.value(k as usize, value.to_f64()));
            }
            absent.for_each(|&(column, image)| push(column, image));
            start.push(index.len());
        }
        Sparse::new(width, start, index, values)
    }
}

/// The image of a value under the linear map from one range to another; `None` for a range of a single value. The ends of
/// the range are mapped to the ends exactly.
pub(crate) fn scaled(value: f64, [min, max]: [f64; 2], [lower, upper]: [f64; 2]) -> Option<f64> {
    if min == max {
        None
    } else if value == min {
        Some(lower)
    } else if value == max {
        Some(upper)
    } else {
        Some(lower + (upper - lower) * (value - min) / (max - min))
    }
}

fn each_entry(points: &Vectors, mut visit: impl FnMut(usize, f64)) {
    for i in 0..points.len() {
        let row: Row<'_> = points.row(i);
        row.for_each(&mut visit);
    }
}

/// Statistics of the columns of some rows.
struct Statistics {
    min: Vec<f64>,
    max: Vec<f64>,
    sum: Vec<f64>,
    stored: Vec<usize>,
}

impl Statistics {
    fn of(points: &Vectors) -> Result<Self> {
        let width = points.width();
        check_width(width)?;
        let (mut min, mut max) = (vec![f64::INFINITY; width], vec![f64::NEG_INFINITY; width]);
        let (mut sum, mut stored) = (vec![0.0; width], vec![0; width]);
        each_entry(points, |k, value| {
            min[k] = min[k].min(value);
            max[k] = max[k].max(value);
            sum[k] += value;
            stored[k] += 1;
        });
        for k in 0..width {
            if stored[k] < points.len() || points.is_empty() {
                min[k] = min[k].min(0.0);
                max[k] = max[k].max(0.0);
            }
        }
        Ok(Self { min, max, sum, stored })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sparse() -> Vectors {
        // 0 2 5; 4 0 5; 0 0 5
        Sparse::new(3, vec![0, 2, 4, 5], vec![1, 2, 0, 2, 2], vec![2.0, 5.0, 4.0, 5.0, 5.0]).into()
    }

    fn densified(points: &Vectors) -> Vectors {
        let rows = (0..points.len()).flat_map(|i| (0..points.width()).map(move |k| (i, k)));
        Vectors::dense(points.width(), rows.map(|(i, k)| points.row(i).get(k)).collect::<Vec<f64>>())
    }

    #[test]
    fn what_is_undone_is_what_was_scaled() {
        let x = Dense::new(3, vec![1.0, 10.0, 7.0, 3.0, 40.0, 7.0, 2.5, 30.0, 7.0]);
        let points = Vectors::from(x.clone());
        for scaler in [Scaler::min_max(&points, -1.0, 2.0).unwrap(), Scaler::standard(&points).unwrap()] {
            let Vectors::Dense64(scaled) = scaler.apply(&points) else { panic!("dense stays dense") };
            let back = scaler.undo(&scaled);
            assert!(back.values().iter().zip(x.values()).all(|(a, b)| (a - b).abs() < 1e-14), "{back:?}");
        }
    }

    #[test]
    fn the_ends_of_a_column_go_to_the_ends_of_the_range() {
        let x = Vectors::dense(2, vec![0.1, 7.0, 0.3, 7.0, 0.7, 7.0]);
        let Vectors::Dense64(image) = Scaler::min_max(&x, -1.0, 0.7).unwrap().apply(&x) else { panic!() };
        assert_eq!((image.row(0), image.row(2)), (&[-1.0, 0.0][..], &[0.7, 0.0][..]));
        assert!((image.row(1)[0] - (-1.0 + 1.7 / 3.0)).abs() < 1e-15);
    }

    #[test]
    fn sparse_rows_scale_as_their_dense_twins() {
        let x = sparse();
        for scaler in [
            Scaler::min_max(&x, -1.0, 1.0).unwrap(),
            Scaler::min_max(&x, 0.0, 1.0).unwrap(),
            Scaler::standard(&x).unwrap(),
        ] {
            let image = scaler.apply(&x);
            assert!(image.is_sparse());
            assert_eq!(densified(&image), scaler.apply(&densified(&x)));
            assert!((0..3).all(|i| {
                let mut nonzero = true;
                image.row(i).for_each(|_, value| nonzero &= value != 0.0);
                nonzero
            }));
        }
        assert_eq!(Scaler::min_max(&x, 0.0, 1.0).unwrap().apply(&x).stored(), 2);
        assert_eq!(Scaler::standard(&x).unwrap(), Scaler::standard(&densified(&x)).unwrap());
    }

    #[test]
    fn standard_columns_have_mean_zero_and_deviation_one() {
        let x = Vectors::dense(2, vec![1.0, 0.1, 2.0, 0.1, 6.0, 0.1]);
        let Vectors::Dense64(image) = Scaler::standard(&x).unwrap().apply(&x) else { panic!() };
        let column: Vec<f64> = (0..3).map(|i| image.row(i)[0]).collect();
        assert!(column.iter().sum::<f64>().abs() < 1e-15);
        assert!((column.iter().map(|v| v * v).sum::<f64>() / 3.0 - 1.0).abs() < 1e-15);
        assert!((0..3).all(|i| image.row(i)[1] == 0.0));
    }

    #[test]
    fn rows_of_another_width_get_the_width_fitted() {
        let scaler = Scaler::min_max(&sparse(), -1.0, 1.0).unwrap();
        let wide: Vectors = Sparse::new(9, vec![0, 2], vec![1, 8], vec![2.0, 1.0]).into();
        assert_eq!(densified(&scaler.apply(&wide)), Vectors::dense(3, vec![-1.0, 1.0, 0.0]));
        let narrow = Vectors::dense(1, vec![4.0_f32]);
        assert_eq!(scaler.apply(&narrow), Vectors::dense(3, vec![1.0_f32, -1.0, 0.0]));
    }

    #[test]
    fn an_empty_range_is_refused() {
        for (lower, upper) in [(1.0, 1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY), (f64::NEG_INFINITY, 0.0)] {
            assert!(Scaler::min_max(&sparse(), lower, upper).is_err());
        }
    }

    #[test]
    fn a_scaler_comes_back_from_text() {
        let scaler = Scaler::standard(&sparse()).unwrap();
        assert_eq!(serde_json::from_str::<Scaler>(&serde_json::to_string(&scaler).unwrap()).unwrap(), scaler);
    }
}
