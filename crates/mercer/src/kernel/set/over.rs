//! Kernels on sets that are made of the values of a kernel on vectors.
//!
//! The vectors of all columns are bound as one list. The vectors of a few sets at a time are rows against it, and each set's
//! rectangle of values becomes one entry.
//!
//! Cost of an entry: |X||Y| values of the kernel. Memory: the vectors as the engine packs them, and [`VALUES`] values.

use rayon::prelude::*;

use crate::data::{Points, Vectors, stacked};
use crate::error::Result;
use crate::kernel::{Bound, Kernel, VectorExpr, tree};

/// Kernel values held at once.
const VALUES: usize = 1 << 20;

/// What the values between the vectors of two sets become.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Pairs {
    /// Their mean.
    Mean,
    /// The mean of the largest of each vector, of either set.
    Best,
}

impl Pairs {
    /// The entry of a rectangle of values: `rows` each cut to the vectors `from..to` of the other set.
    fn join(self, rows: &[Vec<f64>], from: usize, to: usize) -> f64 {
        if rows.is_empty() || from == to {
            return 0.0;
        }
        let (m, n) = (rows.len() as f64, (to - from) as f64);
        match self {
            Self::Mean => rows.iter().map(|row| row[from..to].iter().sum::<f64>()).sum::<f64>() / (m * n),
            Self::Best => {
                let largest =
                    |values: &mut dyn Iterator<Item = f64>| values.fold(f64::NEG_INFINITY, f64::max);
                let of_rows: f64 = rows.iter().map(|row| largest(&mut row[from..to].iter().copied())).sum();
                let of_columns: f64 = (from..to).map(|j| largest(&mut rows.iter().map(|row| row[j]))).sum();
                0.5 * (of_rows / m + of_columns / n)
            }
        }
    }
}

/// k(X, X) of `points[rows]`, by the definition of the kernel.
pub(super) fn own(kernel: &VectorExpr, pairs: Pairs, points: &[Vectors], rows: &[usize]) -> Vec<f64> {
    let of = |&i: &usize| {
        let set = &points[i];
        let value = |a, b| kernel.value_in(set.width(), set.row(a), set.row(b));
        let rows: Vec<Vec<f64>> =
            (0..set.len()).map(|a| (0..set.len()).map(|b| value(a, b)).collect()).collect();
        pairs.join(&rows, 0, set.len())
    };
    rows.par_iter().map(of).collect()
}

/// Binds a kernel on sets to columns.
pub(super) fn bind(
    kernel: &VectorExpr,
    pairs: Pairs,
    columns: &[Vectors],
) -> Result<Box<dyn Bound<Vec<Vectors>>>> {
    let (vectors, start) = stacked(columns.iter())?;
    let all: Vec<usize> = (0..columns.len()).collect();
    let diagonal = tree::finite(own(kernel, pairs, columns, &all))?;
    let bound = kernel.bind(&vectors)?;
    bound.pack_double();
    Ok(Box::new(Over { pairs, start, width: vectors.width(), bound, diagonal }))
}

struct Over {
    pairs: Pairs,
    /// Where the vectors of each column begin.
    start: Vec<usize>,
    /// Features of the vectors.
    width: usize,
    /// The kernel bound to the vectors of all columns.
    bound: Box<dyn Bound<Vectors>>,
    diagonal: Vec<f64>,
}

impl Over {
    fn fill<T: Send>(
        &self,
        points: &[Vectors],
        rows: &[usize],
        out: &mut [&mut [T]],
        round: impl Fn(f64) -> T + Sync,
    ) {
        for (&i, out) in rows.iter().zip(out) {
            let set = points[i].clone().with_width(self.width);
            let columns = self.start[out.len()];
            // As many vectors of the set at once as fit; a set that does not fit is one block all the same, as its rows are
            // needed together.
            let mut values = vec![vec![0.0; columns]; set.len()];
            let all: Vec<usize> = (0..set.len()).collect();
            let step = (VALUES / columns.max(1)).max(1);
            for (some, values) in all.chunks(step).zip(values.chunks_mut(step)) {
                let mut targets: Vec<&mut [f64]> = values.iter_mut().map(Vec::as_mut_slice).collect();
                self.bound.rows_f64(&set, some, &mut targets);
            }
            out.par_iter_mut().zip(self.start.par_windows(2)).for_each(|(entry, ends)| {
                *entry = round(self.pairs.join(&values, ends[0], ends[1]));
            });
        }
    }
}

impl Bound<Vec<Vectors>> for Over {
    fn columns(&self) -> usize {
        self.start.len() - 1
    }

    fn diagonal(&self) -> Vec<f64> {
        self.diagonal.clone()
    }

    fn rows(&self, points: &Vec<Vectors>, rows: &[usize], out: &mut [&mut [f32]]) {
        self.fill(points, rows, out, |value| value as f32);
    }

    fn rows_f64(&self, points: &Vec<Vectors>, rows: &[usize], out: &mut [&mut [f64]]) {
        self.fill(points, rows, out, |value| value);
    }
}
