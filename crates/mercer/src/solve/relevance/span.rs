//! The space that the columns in the model span.

use super::design::Design;
use crate::linalg::{Reflections, combined};
use crate::simd::{add_scaled, inner_product};

/// A column whose part outside of the span is a smaller share than this of its whole lies in it.
const INSIDE: f64 = 1e-13;

/// An orthonormal basis B of some candidate columns, and where all candidates and the target are in it.
#[derive(Clone)]
pub(super) struct Span<'a> {
    design: Design<'a>,
    basis: Vec<Vec<f64>>,
    /// For each basis vector its product with every column.
    coordinates: Vec<Vec<f64>>,
    /// The square of each column.
    pub(super) squares: Vec<f64>,
    /// The square of what each column has outside of the span.
    pub(super) outside: Vec<f64>,
    /// The target in the basis.
    pub(super) target: Vec<f64>,
    /// What the target has outside of the span.
    rest: Vec<f64>,
    /// The product of that with each column.
    pub(super) rest_products: Vec<f64>,
}

impl<'a> Span<'a> {
    /// The span of no column. `target` is scaled as the columns are.
    pub(super) fn new(design: Design<'a>, target: Vec<f64>) -> Self {
        let squares = design.squares();
        let rest_products = design.products(&target);
        Self {
            design,
            basis: Vec::new(),
            coordinates: Vec::new(),
            outside: squares.clone(),
            squares,
            target: Vec::new(),
            rest: target,
            rest_products,
        }
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

    /// The values of column m.
    pub(super) fn column(&self, m: usize) -> Vec<f64> {
        self.design.column(m)
    }

    /// The target, in the span and outside.
    pub(super) fn whole_target(&self) -> Vec<f64> {
        let mut whole = self.rest.clone();
        self.target.iter().zip(&self.basis).for_each(|(along, basis)| add_scaled(&mut whole, *along, basis));
        whole
    }

    /// The square of what the target has outside of the span.
    pub(super) fn rest_square(&self) -> f64 {
        inner_product(&self.rest, &self.rest)
    }

    /// Makes the span one dimension larger, so that it has column m in it; false where it has it already.
    pub(super) fn extend(&mut self, m: usize) -> bool {
        let mut vector = self.design.column(m);
        // Once is not enough for a column that is nearly in the span, twice is: first by the coordinates that are known.
        for (b, along) in self.basis.iter().zip(&self.coordinates) {
            add_scaled(&mut vector, -along[m], b);
        }
        for b in &self.basis {
            let along = inner_product(b, &vector);
            add_scaled(&mut vector, -along, b);
        }
        // By its own length: the square outside, a difference, is rounding long before.
        let length = inner_product(&vector, &vector).sqrt();
        if length <= INSIDE * self.squares[m].sqrt() {
            return false;
        }
        vector.iter_mut().for_each(|value| *value /= length);
        let along = self.design.products(&vector);
        let target = inner_product(&vector, &self.rest);
        add_scaled(&mut self.rest, -target, &vector);
        for (m, c) in along.iter().enumerate() {
            self.outside[m] = (self.outside[m] - c * c).max(0.0);
            self.rest_products[m] -= c * target;
        }
        (self.outside[m], self.rest_products[m]) = (0.0, 0.0);
        self.target.push(target);
        self.basis.push(vector);
        self.coordinates.push(along);
        true
    }

    /// Makes the span that of some columns of it. The basis is reflected so that its first vectors span them, and the others are
    /// dropped: what lies along those counts as outside from then on.
    pub(super) fn reduce(&mut self, columns: &[usize]) {
        let (k, kept) = (self.len(), self.len().min(columns.len()));
        let turned = Reflections::new(columns.iter().map(|&m| self.place(m)).collect());
        turned.apply(&mut self.target);
        let rows = turned.rows(k);
        self.basis = combined(&rows, &self.basis);
        self.coordinates = combined(&rows, &self.coordinates);
        for dropped in kept..k {
            let target = self.target[dropped];
            add_scaled(&mut self.rest, target, &self.basis[dropped]);
            for (m, c) in self.coordinates[dropped].iter().enumerate() {
                self.outside[m] += c * c;
                self.rest_products[m] += c * target;
            }
        }
        self.target.truncate(kept);
        self.basis.truncate(kept);
        self.coordinates.truncate(kept);
        columns.iter().for_each(|&m| (self.outside[m], self.rest_products[m]) = (0.0, 0.0));
    }
}
