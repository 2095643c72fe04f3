//! A Gram with numbers added to its diagonal.

use super::Gram;

/// K + diag(r): the Gram of points that each have one more component in feature space, orthogonal to all others, of
/// squared length rᵢ. Squared slacks are such components: minimising ½‖w‖² + Σ ξᵢ²/(2rᵢ) is a hard margin there.
pub struct Ridged<'a> {
    parent: Box<dyn Gram + 'a>,
    ridge: Vec<f64>,
    diagonal: Vec<f64>,
}

impl<'a> Ridged<'a> {
    /// Adds `ridge` to the diagonal of `parent`.
    ///
    /// # Panics
    /// If `ridge` does not have one number for each point.
    #[must_use]
    pub fn new(parent: Box<dyn Gram + 'a>, ridge: Vec<f64>) -> Self {
        assert_eq!(parent.len(), ridge.len(), "one ridge for each point");
        let diagonal = parent.diagonal().iter().zip(&ridge).map(|(k, r)| k + r).collect();
        Self { parent, ridge, diagonal }
    }
}

impl Gram for Ridged<'_> {
    fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    fn rows(&self, rows: &[usize], out: &mut [&mut [f32]]) {
        self.parent.rows(rows, out);
        rows.iter().zip(out).for_each(|(&i, row)| row[i] = self.diagonal[i] as f32);
    }

    fn rows_f64(&self, rows: &[usize], out: &mut [&mut [f64]]) {
        self.parent.rows_f64(rows, out);
        rows.iter().zip(out).for_each(|(&i, row)| row[i] = self.diagonal[i]);
    }

    fn accumulate(&self, points: &[usize], weights: &[f64], sums: &mut [f64]) {
        self.parent.accumulate(points, weights, sums);
        points.iter().zip(weights).for_each(|(&i, weight)| sums[i] += weight * self.ridge[i]);
    }

    fn cost(&self) -> f64 {
        self.parent.cost()
    }

    fn restrict<'b>(&'b self, index: &[usize]) -> Box<dyn Gram + 'b> {
        let ridge = index.iter().map(|&i| self.ridge[i]).collect();
        Box::new(Ridged::new(self.parent.restrict(index), ridge))
    }

    fn share(&self) -> Box<dyn Gram + '_> {
        Box::new(Ridged::new(self.parent.share(), self.ridge.clone()))
    }

    fn computed(&self) -> u64 {
        self.parent.computed()
    }
}
