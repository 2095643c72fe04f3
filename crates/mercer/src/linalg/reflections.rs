//! The QR factors of a small dense matrix by Householder's reflections.

use crate::simd::{add_scaled, inner_product};

/// The share of the square of a column below which what is left of it is computed anew.
const CANCELLED: f64 = 1e-4;

/// The reflections whose product Qᵀ makes a matrix upper triangular, and the triangle. A matrix is a list of its columns.
pub(crate) struct Reflections {
    /// The vector v of each reflection I − 2vvᵀ/v², with 2/v².
    mirrors: Vec<(Vec<f64>, f64)>,
    /// The columns of Qᵀ times the matrix, in the order in which they were taken; what lies below the diagonal is not to be read.
    columns: Vec<Vec<f64>>,
    /// For each of these columns its place in the matrix.
    order: Vec<usize>,
}

impl Reflections {
    /// The factors of a matrix with its columns in their order.
    pub(crate) fn new(columns: Vec<Vec<f64>>) -> Self {
        Self::taken(columns, |_, _| ())
    }

    /// The factors of a matrix with its columns in the order of what the columns before them leave of them, largest first: rows of the
    /// triangle then have their largest entry on the diagonal, and small ones keep their digits beside large ones.
    pub(crate) fn pivoted(columns: Vec<Vec<f64>>) -> Self {
        // The square of what is left of each column, and what it was when it was last computed from the column itself.
        let mut squares: Vec<(f64, f64)> = Vec::new();
        Self::taken(columns, |at, (columns, order)| {
            let square = |column: &[f64]| inner_product(column, column);
            if at == 0 {
                squares = columns.iter().map(|column| (square(column), square(column))).collect();
            }
            for (column, (left, known)) in columns.iter().zip(&mut squares).skip(at) {
                if at > 0 {
                    *left -= column[at - 1] * column[at - 1];
                }
                // Of a difference that is small beside what it was taken from few digits are left.
                if *left <= CANCELLED * *known {
                    *left = square(&column[at..]);
                    *known = *left;
                }
            }
            let most =
                (at..columns.len()).fold(at, |most, i| if squares[i].0 > squares[most].0 { i } else { most });
            columns.swap(at, most);
            order.swap(at, most);
            squares.swap(at, most);
        })
    }

    fn taken(
        mut columns: Vec<Vec<f64>>,
        mut choose: impl FnMut(usize, (&mut Vec<Vec<f64>>, &mut Vec<usize>)),
    ) -> Self {
        let rows = columns.first().map_or(0, Vec::len);
        let mut order: Vec<usize> = (0..columns.len()).collect();
        let mut mirrors = Vec::with_capacity(rows.min(columns.len()));
        for i in 0..rows.min(columns.len()) {
            choose(i, (&mut columns, &mut order));
            let length = inner_product(&columns[i][i..], &columns[i][i..]).sqrt();
            let mut mirror = vec![0.0; rows];
            mirror[i..].copy_from_slice(&columns[i][i..]);
            mirror[i] += if mirror[i] > 0.0 { length } else { -length };
            let square = inner_product(&mirror, &mirror);
            let factor = if square > 0.0 { 2.0 / square } else { 0.0 };
            columns[i..].iter_mut().for_each(|column| reflect(column, &mirror, factor, i));
            mirrors.push((mirror, factor));
        }
        Self { mirrors, columns, order }
    }

    /// Entry (i, j) of the triangle.
    pub(crate) fn entry(&self, i: usize, j: usize) -> f64 {
        if i <= j { self.columns[j][i] } else { 0.0 }
    }

    /// For each column of the triangle its place in the matrix.
    pub(crate) fn order(&self) -> &[usize] {
        &self.order
    }

    /// Replaces a vector by Qᵀ times it.
    pub(crate) fn apply(&self, vector: &mut [f64]) {
        self.mirrors.iter().enumerate().for_each(|(i, (mirror, factor))| reflect(vector, mirror, *factor, i));
    }

    /// Replaces a vector by Q times it.
    #[cfg(test)]
    fn undo(&self, vector: &mut [f64]) {
        let mirrors = self.mirrors.iter().enumerate().rev();
        mirrors.for_each(|(i, (mirror, factor))| reflect(vector, mirror, *factor, i));
    }

    /// The columns of Qᵀ, a square matrix.
    pub(crate) fn columns(&self, size: usize) -> Vec<Vec<f64>> {
        let unit = |i: usize| (0..size).map(|j| f64::from(u8::from(i == j))).collect();
        let mut columns: Vec<Vec<f64>> = (0..size).map(unit).collect();
        let mut along = vec![0.0; size];
        // Q is the product of the reflections in their order: from the last one on, each changes only a corner of it.
        for (i, (mirror, factor)) in self.mirrors.iter().enumerate().rev() {
            let along = &mut along[i..];
            along.fill(0.0);
            for (column, m) in columns.iter().zip(mirror).skip(i) {
                add_scaled(along, *m, &column[i..]);
            }
            for (column, m) in columns.iter_mut().zip(mirror).skip(i) {
                add_scaled(&mut column[i..], -factor * m, along);
            }
        }
        columns
    }

    /// The rows of Qᵀ, a square matrix.
    pub(crate) fn rows(&self, size: usize) -> Vec<Vec<f64>> {
        let columns = self.columns(size);
        (0..size).map(|i| columns.iter().map(|column| column[i]).collect()).collect()
    }

    /// The solution x of Rᵀx = b.
    pub(crate) fn forward(&self, right: &[f64]) -> Vec<f64> {
        let mut x = Vec::with_capacity(right.len());
        for (i, b) in right.iter().enumerate() {
            let column = &self.columns[i];
            let sum = inner_product(&column[..i], &x);
            x.push((b - sum) / column[i]);
        }
        x
    }

    /// The solution x of Rx = b, the first entries of `right`.
    pub(crate) fn backward(&self, right: &[f64]) -> Vec<f64> {
        let n = self.columns.len();
        let mut x = right[..n].to_vec();
        for i in (0..n).rev() {
            x[i] /= self.columns[i][i];
            let value = x[i];
            add_scaled(&mut x[..i], -value, &self.columns[i]);
        }
        x
    }
}

/// Reflects a vector; the mirror is zero before `first`.
fn reflect(vector: &mut [f64], mirror: &[f64], factor: f64, first: usize) {
    let along = factor * inner_product(&mirror[first..], &vector[first..]);
    add_scaled(&mut vector[first..], -along, &mirror[first..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_the_triangle_reflected_back() {
        let columns: Vec<Vec<f64>> = (0..4)
            .map(|j| (0..6).map(|i| ((i * i * 7 + i * j * 3 + j) as f64).sin() * 10_f64.powi(j)).collect())
            .collect();
        for factors in [Reflections::new(columns.clone()), Reflections::pivoted(columns.clone())] {
            for (j, &place) in factors.order().iter().enumerate() {
                let mut column: Vec<f64> =
                    (0..6).map(|i| if i < 4 { factors.entry(i, j) } else { 0.0 }).collect();
                factors.undo(&mut column);
                for (back, value) in column.iter().zip(&columns[place]) {
                    assert!((back - value).abs() < 1e-12 * 1e3, "{back} {value}");
                }
                factors.apply(&mut column);
                assert!((0..4).all(|i| (column[i] - factors.entry(i, j)).abs() < 1e-9));
            }
            for (i, column) in factors.columns(6).iter().enumerate() {
                let mut unit = vec![0.0; 6];
                unit[i] = 1.0;
                factors.apply(&mut unit);
                assert!(unit.iter().zip(column).all(|(a, b)| (a - b).abs() < 1e-14), "{unit:?} {column:?}");
            }
            // Rx = b.
            let x = factors.backward(&[1.0, 2.0, 3.0, 4.0]);
            for i in 0..4 {
                let sum: f64 = (0..4).map(|j| factors.entry(i, j) * x[j]).sum();
                assert!((sum - (i + 1) as f64).abs() < 1e-9, "{sum}");
            }
            // Rᵀx = b.
            let x = factors.forward(&[1.0, 2.0, 3.0, 4.0]);
            for i in 0..4 {
                let sum: f64 = (0..4).map(|j| factors.entry(j, i) * x[j]).sum();
                assert!((sum - (i + 1) as f64).abs() < 1e-9, "{sum}");
            }
        }
    }
}
