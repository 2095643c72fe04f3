//! The space that the columns in the model span.

use super::columns::Columns;
use crate::linalg::dot;

/// A column whose part outside of the span is a smaller share than this of its whole lies in it.
const INSIDE: f64 = 1e-13;

/// An orthonormal basis B of columns scaled by rows, and where all columns and the target are in it.
pub(super) struct Span<'a> {
    columns: &'a Columns,
    /// What the rows of the columns are multiplied by; none for 1.
    scale: Option<Vec<f64>>,
    basis: Vec<Vec<f64>>,
    /// For each basis vector its product with every column.
    coordinates: Vec<Vec<f64>>,
    /// The square of each column.
    pub(super) squares: Vec<f64>,
    /// The square of what each column has outside of the span.
    pub(super) outside: Vec<f64>,
    /// The whole target.
    whole: Vec<f64>,
    /// The target in the basis.
    pub(super) target: Vec<f64>,
    /// What the target has outside of the span.
    rest: Vec<f64>,
    /// The product of that with each column.
    pub(super) rest_products: Vec<f64>,
}

impl<'a> Span<'a> {
    /// The span of no column. `target` is scaled as the rows are.
    pub(super) fn new(columns: &'a Columns, scale: Option<Vec<f64>>, target: Vec<f64>) -> Self {
        let weights: Vec<f64> = scale
            .as_ref()
            .map_or_else(|| vec![1.0; columns.rows()], |scale| scale.iter().map(|s| s * s).collect());
        let squares = columns.squares(&weights);
        let rest_products = columns.products(&scaled(scale.as_deref(), &target));
        Self {
            columns,
            scale,
            basis: Vec::new(),
            coordinates: Vec::new(),
            outside: squares.clone(),
            squares,
            target: Vec::new(),
            whole: target.clone(),
            rest: target,
            rest_products,
        }
    }

    /// The span of no column, of the same columns and target.
    pub(super) fn emptied(&self) -> Self {
        Self::new(self.columns, self.scale.clone(), self.whole.clone())
    }

    /// Dimensions of the span.
    pub(super) fn len(&self) -> usize {
        self.basis.len()
    }

    /// How many columns there are.
    pub(super) fn columns(&self) -> usize {
        self.squares.len()
    }

    /// The coordinates of all columns along basis vector i.
    pub(super) fn along(&self, i: usize) -> &[f64] {
        &self.coordinates[i]
    }

    /// The coordinates of column m.
    pub(super) fn place(&self, m: usize) -> Vec<f64> {
        self.coordinates.iter().map(|along| along[m]).collect()
    }

    /// The square of what the target has outside of the span.
    pub(super) fn rest_square(&self) -> f64 {
        dot(&self.rest, &self.rest)
    }

    /// Makes the span one dimension larger, so that it has column m in it; false where it has it already.
    pub(super) fn extend(&mut self, m: usize) -> bool {
        let mut vector = scaled(self.scale.as_deref(), self.columns.column(m));
        // Once is not enough for a column that is nearly in the span, twice is.
        for _ in 0..2 {
            for b in &self.basis {
                let along = dot(b, &vector);
                subtract(&mut vector, along, b);
            }
        }
        // By its own length: the square outside, a difference, is rounding long before.
        let length = dot(&vector, &vector).sqrt();
        if length <= INSIDE * self.squares[m].sqrt() {
            return false;
        }
        vector.iter_mut().for_each(|value| *value /= length);
        let along = self.columns.products(&scaled(self.scale.as_deref(), &vector));
        let target = dot(&vector, &self.rest);
        subtract(&mut self.rest, target, &vector);
        for (m, c) in along.iter().enumerate() {
            self.outside[m] = (self.outside[m] - c * c).max(0.0);
            self.rest_products[m] -= c * target;
        }
        self.outside[m] = 0.0;
        self.target.push(target);
        self.basis.push(vector);
        self.coordinates.push(along);
        true
    }
}

fn scaled(scale: Option<&[f64]>, vector: &[f64]) -> Vec<f64> {
    match scale {
        Some(scale) => vector.iter().zip(scale).map(|(v, s)| v * s).collect(),
        None => vector.to_vec(),
    }
}

/// a −= f·b
fn subtract(a: &mut [f64], f: f64, b: &[f64]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a -= f * b);
}
