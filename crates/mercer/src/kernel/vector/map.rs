//! Feature maps φ: from the features of a point to the features a kernel sees.
//!
//! A basis function acts on each feature alone. The images of one feature lie side by side: feature k (from 0) of the
//! point under m basis functions becomes the features k·m … k·m + m − 1. So
//! `linear @ gaussians(…)` is Σₖ Σⱼ φⱼ(xₖ) φⱼ(yₖ).

use super::Map;
use crate::data::{Dense, Points, Real, Sparse, Vectors};
use crate::error::{DataProblem, ErrorKind, Result, check};
use crate::kernel::MAX_POWER;
use crate::kernel::field::MAX_INDEX;
use crate::memory::room;
use crate::simd::PANEL;

/// The most basis functions per feature, so that a short text cannot ask for more memory than there is.
const MAX_BASIS: u32 = 10_000;

fn positive(name: &'static str, value: f64) -> Result<()> {
    check(name, value, value > 0.0 && value.is_finite(), "must be positive and finite")
}

fn finite(name: &'static str, value: f64) -> Result<()> {
    check(name, value, value.is_finite(), "must be finite")
}

impl Map {
    /// Its name in the text of an expression.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Columns(_) => "columns",
            Self::Monomials { .. } => "monomials",
            Self::Gaussians { .. } => "gaussians",
            Self::Sigmoids { .. } => "sigmoids",
            Self::Matrix { .. } => "matrix",
            Self::Nystrom(_) => "nystrom",
            Self::Fourier(_) => "fourier",
        }
    }

    /// Whether its inner products come near to another kernel.
    pub(in crate::kernel) fn is_low_rank(&self) -> bool {
        matches!(self, Self::Nystrom(_) | Self::Fourier(_))
    }

    /// Checks every parameter.
    ///
    /// # Errors
    /// The first parameter outside its range.
    pub fn check(&self) -> Result<()> {
        match self {
            Self::Columns(index) => {
                check("columns", index.len() as f64, !index.is_empty(), "at least one feature is needed")?;
                let last = index.iter().max().map_or(0, |&last| last.saturating_add(1));
                check("columns", last as f64, last <= MAX_INDEX, "features count from 1 to 2147483647")
            }
            Self::Monomials { degree } => {
                check("degree", (*degree).into(), *degree <= MAX_POWER, "must be at most 100")
            }
            Self::Gaussians { low, high, count, width } | Self::Sigmoids { low, high, count, width } => {
                finite("low", *low)?;
                finite("high", *high)?;
                check("high", *high, low <= high, "must not be below low")?;
                check("count", (*count).into(), (1..=MAX_BASIS).contains(count), "must lie in 1 to 10000")?;
                positive("width", *width)
            }
            Self::Matrix { rows, values } => {
                let whole = *rows >= 1 && !values.is_empty() && values.len().is_multiple_of(*rows);
                check("rows", *rows as f64, whole, "must divide the number of values of the matrix")?;
                values.iter().try_for_each(|&value| finite("matrix", value))
            }
            Self::Nystrom(map) => map.check(),
            Self::Fourier(map) => map.check(),
        }
    }

    /// How many features φ makes of `input` features.
    ///
    /// # Errors
    /// If the map needs another number of features: more, or for a matrix exactly its rows and for landmarks theirs; if it is not
    /// fitted and depends on data.
    pub fn width(&self, input: usize) -> Result<usize> {
        let needs =
            |expected: usize| Err(ErrorKind::Data(DataProblem::Width { found: input, expected }).into());
        match self {
            Self::Columns(index) => match index.iter().max() {
                Some(&last) if last >= input => needs(last.saturating_add(1)),
                _ => Ok(index.len()),
            },
            Self::Monomials { degree } => Ok(input.saturating_mul(*degree as usize + 1)),
            Self::Gaussians { count, .. } | Self::Sigmoids { count, .. } => {
                Ok(input.saturating_mul(*count as usize))
            }
            Self::Matrix { rows, .. } if input != *rows => needs(*rows),
            Self::Matrix { rows, values } => Ok(values.len() / rows),
            Self::Nystrom(map) => map.width(input),
            Self::Fourier(map) => Ok(map.width()),
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
            Self::Nystrom(map) => map.apply(row, out),
            Self::Fourier(map) => map.apply(row, out),
        }
    }

    /// φ of each point. Chosen columns keep the storage of the points; the other maps give dense `f64` rows.
    ///
    /// # Errors
    /// As [`Map::width`] and [`Map::check`], and if there is no memory for the images.
    pub fn apply_all(&self, points: &Vectors) -> Result<Vectors> {
        self.check()?;
        room_for_images(std::slice::from_ref(self), points, 0)?;
        Ok(self.images(points))
    }

    /// φ of each point, for a map and points that [`room_for_images`] has accepted, or for some of those points.
    pub(in crate::kernel) fn images(&self, points: &Vectors) -> Vectors {
        if let Self::Columns(index) = self {
            return match points {
                Vectors::Dense32(rows) => choose_dense(rows, index).into(),
                Vectors::Dense64(rows) => choose_dense(rows, index).into(),
                Vectors::Sparse32(rows) => choose_sparse(rows, index).into(),
                Vectors::Sparse64(rows) => choose_sparse(rows, index).into(),
            };
        }
        match self {
            Self::Nystrom(map) => return Vectors::dense(map.landmarks_found(), map.images(points)),
            Self::Fourier(map) => return Vectors::dense(map.width(), map.images(points)),
            _ => {}
        }
        let columns = self.width(points.width()).expect("the map was accepted for points as wide as these");
        let (mut row, mut image) = (Vec::new(), Vec::new());
        let mut values = Vec::with_capacity(points.len() * columns);
        for i in 0..points.len() {
            row.clear();
            row.resize(points.width(), 0.0);
            points.row(i).for_each(|k, v| row[k] = v);
            self.apply(&row, &mut image);
            values.extend_from_slice(&image);
        }
        Dense::new(columns, values).into()
    }
}

/// Images that take less than this many bytes are made without asking how much memory there is.
const SMALL: u64 = 1 << 26;

/// Accepts points for some maps, one after the other: they fit, and there is memory for their images and for `panels`
/// copies of the last ones, packed in panels.
///
/// # Errors
/// As [`Map::width`], or the memory that the images need.
pub(in crate::kernel) fn room_for_images(maps: &[Map], points: &Vectors, panels: u64) -> Result<()> {
    let bytes = |rows: usize, width: usize| {
        (size_of::<f64>() as u64).saturating_mul(rows as u64).saturating_mul(width as u64)
    };
    let (mut width, mut before, mut needed, mut dense) = (points.width(), 0, 0, false);
    for map in maps {
        if let Map::Fourier(map) = map {
            needed = map.bytes(width).saturating_add(before).max(needed);
        }
        width = map.width(width)?;
        dense |= !matches!(map, Map::Columns(_));
        // Chosen columns take no more than the points. Images are made beside those they are made of.
        let images = if dense { bytes(points.len(), width) } else { 0 };
        needed = images.saturating_add(before).max(needed);
        before = images;
    }
    if dense {
        let packed = panels.saturating_mul(bytes(points.len().next_multiple_of(PANEL), width));
        needed = needed.max(before.saturating_add(packed));
    }
    if needed < SMALL {
        return Ok(());
    }
    room(
        "the images of the points under their feature maps",
        needed,
        None,
        "take fewer features or basis functions",
    )
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
    use crate::kernel::{Kernel, VectorExpr};

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

    #[test]
    fn images_that_do_not_fit_into_memory_are_refused_with_their_bytes() {
        // 3 points of 4·10⁹ features, of which one is there, times 10,000 basis functions.
        let points: Vectors = Sparse::new(4_000_000_000, vec![0, 1, 1, 1], vec![7], vec![1.0_f64]).into();
        for text in [
            "linear @ gaussians(count=10000)",
            "1 + rbf @ columns(1, 2) * normalized(linear @ monomials(degree=100))",
            "factor(norm) @ sigmoids(count=10000)",
            "linear @ sigmoids(count=10000) @ sigmoids(count=10000) @ sigmoids(count=10000)",
        ] {
            let error = text.parse::<VectorExpr>().unwrap().bind(&points).err().expect(text);
            let ErrorKind::Memory { needed, budget, .. } = *error.kind() else { panic!("{text}: {error}") };
            assert!(needed > budget && needed >= 3 * 8 * 101 * 4_000_000_000, "{text}: {needed}");
        }
        let gaussians = Map::Gaussians { low: 0.0, high: 1.0, count: 10_000, width: 1.0 };
        let error = gaussians.apply_all(&points).unwrap_err();
        assert!(matches!(*error.kind(), ErrorKind::Memory { needed: 960_000_000_000_000, .. }), "{error}");
        let expected = " MB; take fewer features or basis functions";
        assert!(error.to_string().ends_with(expected), "{error}");
        // Chosen columns are no larger than the points, in a row of which no more is looked at than is there.
        let chosen = "linear @ columns(8, 2000000000)".parse::<VectorExpr>().unwrap();
        assert_eq!(chosen.bind(&points).unwrap().diagonal(), [1.0, 0.0, 0.0]);
    }

    #[test]
    fn an_index_that_no_data_can_have_is_refused() {
        for index in [MAX_INDEX, usize::MAX] {
            assert!(Map::Columns(vec![0, index]).check().is_err());
            assert!(Map::Columns(vec![index]).width(3).is_err());
        }
        assert!(Map::Columns(vec![MAX_INDEX - 1]).check().is_ok());
    }
}
