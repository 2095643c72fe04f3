//! The usual first guess of a width.

use crate::data::{Points, Vectors};
use crate::kernel::check::spread;

/// Points whose distances are looked at: 500 have 124,750 pairs, more than a median needs.
const SAMPLE: usize = 500;

/// γ = 1/median ‖x − y‖² over pairs of different points: the width at which half of all pairs have k(x, y) ≥ 1/e. Of many points
/// some are looked at, spread evenly. None where all points are the same.
///
/// ```
/// use mercer::data::Vectors;
/// use mercer::kernel::median_gamma;
///
/// // Distances 1, 1, 2.
/// assert_eq!(median_gamma(&Vectors::dense(1, vec![0.0, 1.0, 2.0])), Some(1.0));
/// ```
#[must_use]
pub fn median_gamma(points: &Vectors) -> Option<f64> {
    let sample = points.select(&spread(points.len(), SAMPLE));
    let rows: Vec<Vec<(usize, f64)>> = (0..sample.len()).map(|i| entries(&sample, i)).collect();
    let pairs = (0..rows.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    let mut squares: Vec<f64> =
        pairs.map(|(i, j)| square(&rows[i], &rows[j])).filter(|square| *square > 0.0).collect();
    if squares.is_empty() {
        return None;
    }
    let middle = squares.len() / 2;
    let (_, median, _) = squares.select_nth_unstable_by(middle, f64::total_cmp);
    Some(1.0 / *median).filter(|gamma| gamma.is_finite() && *gamma > 0.0)
}

/// The entries of a row, by ascending features.
pub(crate) fn entries(points: &Vectors, i: usize) -> Vec<(usize, f64)> {
    let mut entries = Vec::new();
    points.row(i).for_each(|k, value| entries.push((k, value)));
    entries
}

/// ‖x − y‖²
fn square(x: &[(usize, f64)], y: &[(usize, f64)]) -> f64 {
    let mut sum = 0.0;
    differences(x, y, |difference| sum += difference * difference);
    sum
}

/// Calls `visit(xₖ − yₖ)` for each feature that one of two rows has.
pub(crate) fn differences(x: &[(usize, f64)], y: &[(usize, f64)], mut visit: impl FnMut(f64)) {
    let (mut i, mut j) = (0, 0);
    while i < x.len() || j < y.len() {
        let (at_x, at_y) = (x.get(i).map_or(usize::MAX, |e| e.0), y.get(j).map_or(usize::MAX, |e| e.0));
        let mut difference = 0.0;
        if at_x <= at_y {
            difference += x[i].1;
            i += 1;
        }
        if at_y <= at_x {
            difference -= y[j].1;
            j += 1;
        }
        visit(difference);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Sparse;

    #[test]
    fn scaling_the_points_scales_the_width() {
        let values: Vec<f64> = (0..60).map(|i| ((i * 37) % 61) as f64).collect();
        let gamma = median_gamma(&Vectors::dense(2, values.clone())).unwrap();
        let scaled = median_gamma(&Vectors::dense(2, values.iter().map(|v| 4.0 * v).collect())).unwrap();
        assert_eq!(scaled, gamma / 16.0);
        let mut squares: Vec<f64> = Vec::new();
        for i in 0..30 {
            for j in 0..i {
                let difference = |k: usize| values[2 * i + k] - values[2 * j + k];
                squares.push(difference(0).powi(2) + difference(1).powi(2));
            }
        }
        squares.sort_by(f64::total_cmp);
        assert_eq!(gamma, 1.0 / squares[squares.len() / 2]);
    }

    #[test]
    fn points_that_are_all_the_same_have_no_width() {
        assert_eq!(median_gamma(&Vectors::dense(1, vec![3.0; 5])), None);
        assert_eq!(median_gamma(&Vectors::dense::<f64>(1, vec![])), None);
        assert_eq!(median_gamma(&Vectors::dense(1, vec![0.0, 1e200])), None);
    }

    #[test]
    fn sparse_rows_have_the_width_of_dense_ones() {
        let dense = Vectors::dense(2, vec![0.0, 1.0, 2.0, 0.0, 0.0, 3.0]);
        let sparse = Sparse::new(2, vec![0, 1, 2, 3], vec![1, 0, 1], vec![1.0, 2.0, 3.0]);
        assert_eq!(median_gamma(&sparse.into()), median_gamma(&dense));
    }
}
