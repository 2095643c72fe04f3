//! A Gram centred at the mean of its points in feature space.

use rayon::prelude::*;

use super::{Gram, Subset};

/// Rows computed at once while the means are taken.
const BATCH: usize = 256;

/// K̃ᵢⱼ = Kᵢⱼ − mᵢ − mⱼ + m with the row means mᵢ and their mean m: the inner products of φ(xᵢ) − mean φ, that is
/// K̃ = HKH with H = I − 11ᵀ/n (equations 26 to 28 of the lecture on kernel methods).
///
/// Construction computes every row of the parent once; a row then costs what it costs the parent. A restriction is a part
/// of *this* matrix: it stays centred at the mean of all points.
pub struct Centered<'a> {
    parent: Box<dyn Gram + 'a>,
    means: Vec<f64>,
    mean: f64,
    diagonal: Vec<f64>,
}

impl<'a> Centered<'a> {
    /// Computes the means of `parent`.
    #[must_use]
    pub fn new(parent: &'a dyn Gram) -> Self {
        let n = parent.len();
        let mut means = Vec::with_capacity(n);
        let mut scratch = vec![0.0; BATCH.min(n) * n];
        let index: Vec<usize> = (0..n).collect();
        for batch in index.chunks(BATCH) {
            let mut rows: Vec<&mut [f32]> = scratch.chunks_mut(n.max(1)).take(batch.len()).collect();
            parent.rows(batch, &mut rows);
            let mean = |row: &&mut [f32]| row.iter().map(|&k| f64::from(k)).sum::<f64>() / n as f64;
            means.par_extend(rows.par_iter().map(mean));
        }
        let mean = means.iter().sum::<f64>() / n.max(1) as f64;
        let diagonal = parent.diagonal().iter().zip(&means).map(|(k, m)| k - 2.0 * m + mean).collect();
        Self { parent: Box::new(parent), means, mean, diagonal }
    }

    /// mᵢ, the mean of row i of the parent, which is needed to centre the kernel values of a new point.
    #[must_use]
    pub fn means(&self) -> &[f64] {
        &self.means
    }
}

impl Gram for Centered<'_> {
    fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    fn rows(&self, rows: &[usize], out: &mut [&mut [f32]]) {
        self.parent.rows(rows, out);
        rows.par_iter().zip(out).for_each(|(&i, out)| {
            for (value, m) in out.iter_mut().zip(&self.means) {
                *value = (f64::from(*value) - self.means[i] - m + self.mean) as f32;
            }
        });
    }

    fn restrict<'b>(&'b self, index: &[usize]) -> Box<dyn Gram + 'b> {
        Box::new(Subset::new(self, index))
    }

    fn share(&self) -> Box<dyn Gram + '_> {
        let (means, diagonal) = (self.means.clone(), self.diagonal.clone());
        Box::new(Centered { parent: self.parent.share(), means, mean: self.mean, diagonal })
    }

    fn computed(&self) -> u64 {
        self.parent.computed()
    }
}
