//! A Gram with the origin of feature space as one more point.

use super::Gram;

/// The points of another Gram and the origin, whose kernel with every point is 0. A variable of the origin that may take
/// any value removes the constraint on the sum of the other variables: the programme of a method without offset.
pub struct WithOrigin<'a> {
    parent: Box<dyn Gram + 'a>,
    /// The position of the origin among the points.
    at: usize,
    diagonal: Vec<f64>,
}

impl<'a> WithOrigin<'a> {
    /// The origin after the points of `parent`.
    #[must_use]
    pub fn new(parent: Box<dyn Gram + 'a>) -> Self {
        let at = parent.len();
        Self::with_origin_at(at, parent)
    }

    fn with_origin_at(at: usize, parent: Box<dyn Gram + 'a>) -> Self {
        let mut diagonal = parent.diagonal().to_vec();
        diagonal.insert(at, 0.0);
        Self { parent, at, diagonal }
    }

    /// The position in the parent of a point that is not the origin.
    fn inside(&self, i: usize) -> usize {
        i - usize::from(i > self.at)
    }

    /// Calls `fill` to write the parent's rows into the beginnings of `out`, then inserts the column of the origin.
    fn spread<T: Copy + Default>(
        &self,
        rows: &[usize],
        out: &mut [&mut [T]],
        fill: impl FnOnce(&[usize], &mut [&mut [T]]),
    ) {
        let columns = self.parent.len();
        let mut points = Vec::with_capacity(rows.len());
        let mut targets: Vec<&mut [T]> = Vec::with_capacity(rows.len());
        for (&i, row) in rows.iter().zip(out.iter_mut()).filter(|(i, _)| **i != self.at) {
            points.push(self.inside(i));
            targets.push(&mut row[..columns]);
        }
        fill(&points, &mut targets);
        for (&i, row) in rows.iter().zip(out) {
            if i == self.at {
                row.fill(T::default());
            } else {
                row.copy_within(self.at..columns, self.at + 1);
                row[self.at] = T::default();
            }
        }
    }
}

impl Gram for WithOrigin<'_> {
    fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    fn rows(&self, rows: &[usize], out: &mut [&mut [f32]]) {
        self.spread(rows, out, |points, targets| self.parent.rows(points, targets));
    }

    fn rows_f64(&self, rows: &[usize], out: &mut [&mut [f64]]) {
        self.spread(rows, out, |points, targets| self.parent.rows_f64(points, targets));
    }

    fn accumulate(&self, points: &[usize], weights: &[f64], sums: &mut [f64]) {
        let others = points.iter().zip(weights).filter(|(i, _)| **i != self.at);
        let (points, weights): (Vec<usize>, Vec<f64>) =
            others.map(|(&i, &weight)| (self.inside(i), weight)).unzip();
        if self.at == self.parent.len() {
            self.parent.accumulate(&points, &weights, &mut sums[..self.at]);
            return;
        }
        let mut inner = [&sums[..self.at], &sums[self.at + 1..]].concat();
        self.parent.accumulate(&points, &weights, &mut inner);
        sums[..self.at].copy_from_slice(&inner[..self.at]);
        sums[self.at + 1..].copy_from_slice(&inner[self.at..]);
    }

    fn cost(&self) -> f64 {
        self.parent.cost()
    }

    fn restrict<'b>(&'b self, index: &[usize]) -> Box<dyn Gram + 'b> {
        let points: Vec<usize> = index.iter().filter(|&&i| i != self.at).map(|&i| self.inside(i)).collect();
        let parent = self.parent.restrict(&points);
        match index.iter().position(|&i| i == self.at) {
            Some(at) => Box::new(WithOrigin::with_origin_at(at, parent)),
            None => parent,
        }
    }

    fn share(&self) -> Box<dyn Gram + '_> {
        Box::new(WithOrigin::with_origin_at(self.at, self.parent.share()))
    }

    fn computed(&self) -> u64 {
        self.parent.computed()
    }
}
