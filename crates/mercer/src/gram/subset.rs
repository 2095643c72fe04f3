//! The Gram of some points of another, gathered from the rows of that other.

use super::Gram;

/// Rows of the parent that are held at once, which bounds the scratch memory.
const BATCH: usize = 64;

/// The Gram of some points of a parent, without a copy of its values or points. Each row takes a whole row of the parent:
/// it is for parents that hold their rows.
pub struct Subset<'a> {
    parent: Box<dyn Gram + 'a>,
    index: Vec<usize>,
    diagonal: Vec<f64>,
}

impl<'a> Subset<'a> {
    /// The points of `parent` at `index`, in that order.
    #[must_use]
    pub fn new(parent: &'a dyn Gram, index: &[usize]) -> Self {
        let diagonal = index.iter().map(|&i| parent.diagonal()[i]).collect();
        Self { parent: Box::new(parent), index: index.to_vec(), diagonal }
    }
}

impl Gram for Subset<'_> {
    fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    fn rows(&self, rows: &[usize], out: &mut [&mut [f32]]) {
        let n = self.parent.len();
        let mut scratch = vec![0.0; BATCH.min(rows.len()) * n];
        for (rows, out) in rows.chunks(BATCH).zip(out.chunks_mut(BATCH)) {
            let index: Vec<usize> = rows.iter().map(|&i| self.index[i]).collect();
            let mut whole: Vec<&mut [f32]> = scratch.chunks_mut(n.max(1)).take(rows.len()).collect();
            self.parent.rows(&index, &mut whole);
            for (whole, out) in whole.iter().zip(out) {
                out.iter_mut().zip(&self.index).for_each(|(o, &j)| *o = whole[j]);
            }
        }
    }

    fn rows_f64(&self, rows: &[usize], out: &mut [&mut [f64]]) {
        let mut whole = vec![0.0; self.parent.len()];
        for (&i, out) in rows.iter().zip(out) {
            self.parent.rows_f64(&[self.index[i]], &mut [&mut whole]);
            out.iter_mut().zip(&self.index).for_each(|(value, &j)| *value = whole[j]);
        }
    }

    fn restrict<'b>(&'b self, index: &[usize]) -> Box<dyn Gram + 'b> {
        let index: Vec<usize> = index.iter().map(|&i| self.index[i]).collect();
        Box::new(Subset::new(&*self.parent, &index))
    }

    fn share(&self) -> Box<dyn Gram + '_> {
        let (index, diagonal) = (self.index.clone(), self.diagonal.clone());
        Box::new(Subset { parent: self.parent.share(), index, diagonal })
    }

    fn computed(&self) -> u64 {
        self.parent.computed()
    }
}
