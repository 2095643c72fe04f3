//! What Newton's method asks of the rows of a problem: passes over them, in which rows are multiplied with vectors and added up.

use super::design::Design;
use super::narrow::Narrow;
use crate::data::Rows;

/// Rows x, perhaps followed by a constant feature, wherever they are. Rows are named by ascending numbers.
///
/// The bits of every pass are the same on any number of threads.
pub(crate) trait Passes: Sync {
    /// The number of rows.
    fn len(&self) -> usize;
    /// The number of features, the constant one among them.
    fn width(&self) -> usize;
    /// The value of the constant feature; 0 for none.
    fn constant(&self) -> f64;
    /// Whether there is a constant feature.
    fn has_constant(&self) -> bool {
        self.constant() != 0.0
    }
    /// Entries of a row, on average.
    fn entries(&self) -> f64;
    /// ⟨w, x⟩ of each of `rows`.
    fn products(&self, rows: &[u32], vector: &[f64], out: &mut [f64]);
    /// Σ c x over `rows`.
    fn sum(&self, rows: &[u32], weights: &[f64]) -> Vec<f64>;
    /// ⟨w, x⟩ of each of `rows`, and Σ c x over them.
    fn products_and_sum(&self, rows: &[u32], vector: &[f64], out: &mut [f64], weights: &[f64]) -> Vec<f64> {
        self.products(rows, vector, out);
        self.sum(rows, weights)
    }
    /// Σ c x² over `rows`, feature by feature.
    fn squares(&self, rows: &[u32], weights: &[f64]) -> Vec<f64>;
    /// Σ h x ⟨x, v⟩ over `rows`.
    fn curvature(&self, rows: &[u32], weights: &[f64], vector: &[f64]) -> Vec<f64>;
    /// Σ h x xᵀ over `rows`, of which the entries up to the diagonal are made: a square matrix, row after row.
    fn outer(&self, rows: &[u32], weights: &[f64]) -> Vec<f64>;

    /// Σ c x over `rows`, and in the same pass a copy of as many of the rows `wanted` as there is memory for, where reading them
    /// again would be slower.
    fn sum_and_hold(&self, rows: &[u32], weights: &[f64], wanted: &[u32]) -> (Vec<f64>, Option<Held>) {
        let _ = wanted;
        (self.sum(rows, weights), None)
    }

    /// A copy of as many rows as there is memory for, where reading them again would be slower.
    fn hold(&self) -> Option<Held> {
        None
    }

    /// Some rows over the features that occur in them, where that makes passes over them cheaper.
    fn narrowed(&self, rows: &[u32]) -> Option<Narrow> {
        let _ = rows;
        None
    }

    /// The rows held, as rows of a problem.
    fn held<'h>(&self, held: &'h Held) -> super::Blocked<'h>;
}

/// Rows in memory: every `step`-th of those that were wanted.
pub(crate) struct Held {
    pub(super) pieces: Vec<Rows>,
    pub(super) step: usize,
}

impl Passes for Design<'_> {
    fn len(&self) -> usize {
        self.len()
    }
    fn width(&self) -> usize {
        self.width()
    }
    fn constant(&self) -> f64 {
        self.constant()
    }
    fn entries(&self) -> f64 {
        self.entries()
    }
    fn products(&self, rows: &[u32], vector: &[f64], out: &mut [f64]) {
        self.products(rows, vector, out);
    }
    fn sum(&self, rows: &[u32], weights: &[f64]) -> Vec<f64> {
        self.sum(rows, weights)
    }
    fn products_and_sum(&self, rows: &[u32], vector: &[f64], out: &mut [f64], weights: &[f64]) -> Vec<f64> {
        Design::products_and_sum(self, rows, vector, out, weights)
    }
    fn squares(&self, rows: &[u32], weights: &[f64]) -> Vec<f64> {
        self.squares(rows, weights)
    }
    fn curvature(&self, rows: &[u32], weights: &[f64], vector: &[f64]) -> Vec<f64> {
        self.curvature(rows, weights, vector)
    }
    fn outer(&self, rows: &[u32], weights: &[f64]) -> Vec<f64> {
        self.outer(rows, weights)
    }
    fn narrowed(&self, rows: &[u32]) -> Option<Narrow> {
        Design::narrowed(self, rows)
    }
    fn held<'h>(&self, held: &'h Held) -> super::Blocked<'h> {
        super::Blocked::held(held, self.width() - usize::from(self.has_constant()), self.constant())
    }
}
