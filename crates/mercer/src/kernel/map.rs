//! Feature maps φ: from the features of a point to the features a kernel sees.
//!
//! A basis function acts on each feature alone. The images of one feature lie side by side: feature k (from 0) of the
//! point under m basis functions becomes the features k·m … k·m + m − 1. So
//! `linear @ gaussians(…)` is Σₖ Σⱼ φⱼ(xₖ) φⱼ(yₖ).

use super::Map;
use crate::data::{Dense, Points, Real, Sparse, Vectors};
use crate::error::{DataProblem, ErrorKind, Result};

impl Map {
    /// How many features φ makes of `input` features.
    ///
    /// # Errors
    /// If the map needs another number of features: more, or for a matrix exactly its rows.
    pub fn width(&self, input: usize) -> Result<usize> {
        let needs =
            |expected: usize| Err(ErrorKind::Data(DataProblem::Width { found: input, expected }).into());
        match self {
            Self::Columns(index) => match index.iter().max() {
                Some(&last) if last >= input => needs(last + 1),
                _ => Ok(index.len()),
            },
            Self::Monomials { degree } => Ok(input * (*degree as usize + 1)),
            Self::Gaussians { count, .. } | Self::Sigmoids { count, .. } => Ok(input * *count as usize),
            Self::Matrix { rows, .. } if input != *rows => needs(*rows),
            Self::Matrix { rows, values } => Ok(values.len() / rows),
        }
    }

    /// Replaces `out` by φ(row). A feature the row does not have counts as 0; one a matrix does not have is left out.
    pub fn apply(&self, row: &[f64], out: &mut Vec<f64>) {
        out.clear();
        match self {
            Self::Columns(index) => out.extend(index.iter().map(|&k| row.get(k).copied().unwrap_or(0.0))),
            Self::Monomials { degree } => {
                for &t in row {
                    out.extend((0..=*degree).map(|j| t.powi(j as i32)));
                }
            }
            Self::Gaussians { low, high, count, width } => {
                for &t in row {
                    out.extend(
                        centres(*low, *high, *count).map(|c| (-0.5 * ((t - c) / width).powi(2)).exp()),
                    );
                }
            }
            Self::Sigmoids { low, high, count, width } => {
                for &t in row {
                    out.extend(centres(*low, *high, *count).map(|c| 1.0 / (1.0 + (-(t - c) / width).exp())));
                }
            }
            Self::Matrix { rows, values } => {
                let columns = values.len() / rows;
                out.resize(columns, 0.0);
                for (t, line) in row.iter().zip(values.chunks_exact(columns.max(1))) {
                    out.iter_mut().zip(line).for_each(|(sum, l)| *sum += t * l);
                }
            }
        }
    }

    /// φ of each point. Chosen columns keep the storage of the points; the other maps give dense `f64` rows.
    ///
    /// # Errors
    /// As [`Map::width`] and [`Map::check`].
    pub fn apply_all(&self, points: &Vectors) -> Result<Vectors> {
        self.check()?;
        let columns = self.width(points.width())?;
        if let Self::Columns(index) = self {
            return Ok(match points {
                Vectors::Dense32(rows) => choose_dense(rows, index).into(),
                Vectors::Dense64(rows) => choose_dense(rows, index).into(),
                Vectors::Sparse32(rows) => choose_sparse(rows, index).into(),
                Vectors::Sparse64(rows) => choose_sparse(rows, index).into(),
            });
        }
        let (mut row, mut image) = (Vec::new(), Vec::new());
        let mut values = Vec::with_capacity(points.len() * columns);
        for i in 0..points.len() {
            row.clear();
            row.resize(points.width(), 0.0);
            points.row(i).for_each(|k, v| row[k] = v);
            self.apply(&row, &mut image);
            values.extend_from_slice(&image);
        }
        Ok(Dense::new(columns, values).into())
    }
}

/// `count` numbers evenly from `low` to `high`; `low` alone if there is one.
fn centres(low: f64, high: f64, count: u32) -> impl Iterator<Item = f64> {
    let last = count.saturating_sub(1).max(1);
    (0..count).map(move |j| low + (high - low) * (f64::from(j) / f64::from(last)))
}

fn choose_dense<T: Real>(rows: &Dense<T>, index: &[usize]) -> Dense<T> {
    let values = (0..rows.len()).flat_map(|i| index.iter().map(move |&k| rows.row(i)[k])).collect();
    Dense::new(index.len(), values)
}

fn choose_sparse<T: Real>(rows: &Sparse<T>, index: &[usize]) -> Sparse<T> {
    // (column of the points, column of the image), so that the images of a column are found by bisection; a column
    // may be chosen more than once.
    let mut places: Vec<(usize, u32)> =
        index.iter().enumerate().map(|(to, &from)| (from, to as u32)).collect();
    places.sort_unstable();
    let (mut start, mut columns, mut values, mut image) = (vec![0], Vec::new(), Vec::new(), Vec::new());
    for i in 0..rows.len() {
        let (row, entries) = rows.row(i);
        image.clear();
        for (&from, &value) in row.iter().zip(entries) {
            let first = places.partition_point(|&(k, _)| k < from as usize);
            let chosen = places[first..].iter().take_while(|&&(k, _)| k == from as usize);
            image.extend(chosen.map(|&(_, to)| (to, value)));
        }
        image.sort_unstable_by_key(|&(to, _)| to);
        columns.extend(image.iter().map(|&(to, _)| to));
        values.extend(image.iter().map(|&(_, value)| value));
        start.push(columns.len());
    }
    Sparse::new(index.len(), start, columns, values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(map: &Map, row: &[f64]) -> Vec<f64> {
        let mut out = vec![9.0];
        map.apply(row, &mut out);
        assert_eq!(out.len(), map.width(row.len()).unwrap());
        out
    }

    #[test]
    fn monomials_of_a_feature_lie_side_by_side() {
        assert_eq!(image(&Map::Monomials { degree: 2 }, &[3.0, -2.0]), [1.0, 3.0, 9.0, 1.0, -2.0, 4.0]);
    }

    #[test]
    fn gaussians_and_sigmoids_follow_their_formula() {
        let basis = image(&Map::Gaussians { low: -1.0, high: 1.0, count: 3, width: 0.5 }, &[1.0]);
        for (found, centre) in basis.iter().zip([-1.0, 0.0, 1.0_f64]) {
            assert!((found - (-(1.0 - centre).powi(2) / (2.0 * 0.25)).exp()).abs() <= 1e-15);
        }
        let basis = image(&Map::Sigmoids { low: -1.0, high: 1.0, count: 2, width: 2.0 }, &[0.5]);
        for (found, centre) in basis.iter().zip([-1.0, 1.0_f64]) {
            assert!((found - 1.0 / (1.0 + (-(0.5 - centre) / 2.0).exp())).abs() <= 1e-15);
        }
        assert_eq!(image(&Map::Sigmoids { low: 0.5, high: 3.0, count: 1, width: 1.0 }, &[0.5]), [0.5]);
    }

    #[test]
    fn matrix_multiplies_by_its_transpose() {
        let map = Map::Matrix { rows: 2, values: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0] };
        assert_eq!(image(&map, &[10.0, 1.0]), [14.0, 25.0, 36.0]);
    }

    #[test]
    fn wrong_width_is_refused() {
        assert!(Map::Columns(vec![0, 3]).width(3).is_err());
        assert_eq!(Map::Columns(vec![0, 3]).width(4).unwrap(), 2);
        let matrix = Map::Matrix { rows: 2, values: vec![1.0, 1.0] };
        assert!(matrix.width(1).is_err() && matrix.width(3).is_err());
        assert!(matrix.apply_all(&Dense::new(3, vec![0.0_f64; 3]).into()).is_err());
    }

    #[test]
    fn columns_of_sparse_rows_are_those_of_dense_rows() {
        let sparse = Sparse::new(4, vec![0, 2, 2, 4], vec![0, 2, 2, 3], vec![1.0_f32, 2.0, 3.0, 4.0]);
        let dense = Dense::new(4, vec![1.0_f32, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0, 4.0]);
        let map = Map::Columns(vec![3, 2, 2]);
        let found = map.apply_all(&sparse.into()).unwrap();
        let expected = map.apply_all(&dense.into()).unwrap();
        assert!(matches!((&found, &expected), (Vectors::Sparse32(_), Vectors::Dense32(_))));
        for i in 0..3 {
            for k in 0..3 {
                assert_eq!(found.row(i).get(k), expected.row(i).get(k), "row {i} column {k}");
            }
        }
    }

    #[test]
    fn a_sparse_zero_is_mapped_like_any_zero() {
        let sparse = Sparse::new(2, vec![0, 1], vec![1], vec![2.0_f64]);
        let found = Map::Monomials { degree: 1 }.apply_all(&sparse.into()).unwrap();
        assert_eq!(found, Dense::new(4, vec![1.0, 0.0, 1.0, 2.0]).into());
    }
}
