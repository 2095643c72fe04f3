//! The candidate columns as a likelihood sees them.

use super::columns::Columns;
use super::likelihood::Rates;

/// Candidate columns whose rows a Gaussian likelihood has scaled, for one function or for one of each class: candidate
/// `function * columns + column`, of one value for each point and function, function after function.
#[derive(Clone)]
pub(super) struct Design<'a> {
    columns: &'a Columns,
    scale: Scale,
}

/// What the values at a point are multiplied by.
#[derive(Clone)]
enum Scale {
    /// 1.
    One,
    /// A number for each point.
    Points(Vec<f64>),
    /// With s = √p of the probabilities p of the classes at a point, the matrix √w·(I − ssᵀ)diag(s), whose square is the precision
    /// w·(diag(p) − ppᵀ) of a softmax; `others` is 1 − p.
    Classes { roots: Vec<Vec<f64>>, others: Vec<Vec<f64>>, weights: Vec<f64> },
}

impl<'a> Design<'a> {
    /// The columns of one function, as they are.
    pub(super) fn new(columns: &'a Columns) -> Self {
        Self { columns, scale: Scale::One }
    }

    /// The columns of one function, with a factor for each point.
    pub(super) fn scaled(columns: &'a Columns, scale: Vec<f64>) -> Self {
        Self { columns, scale: Scale::Points(scale) }
    }

    /// The columns of a function for each class, scaled by the softmax. `weights` are those of the points.
    pub(super) fn of_classes(columns: &'a Columns, rates: &Rates, weights: &[f64]) -> Self {
        let root = |values: &[f64]| values.iter().map(|value| value.sqrt()).collect();
        let roots = rates.own.iter().map(|rates| root(rates)).collect();
        Self {
            columns,
            scale: Scale::Classes { roots, others: rates.others.clone(), weights: root(weights) },
        }
    }

    /// The values of a candidate.
    pub(super) fn column(&self, candidate: usize) -> Vec<f64> {
        let values = self.columns.column(candidate % self.columns.len());
        match &self.scale {
            Scale::One => values.to_vec(),
            Scale::Points(scale) => product(values, scale),
            Scale::Classes { roots, others, weights } => {
                let own = candidate / self.columns.len();
                // √w·s·φ·(e − s·own root): the column of the matrix that belongs to the function.
                let along = product(&product(values, weights), &roots[own]);
                let shared = product(&along, &roots[own]);
                let of = |(function, root): (usize, &Vec<f64>)| {
                    if function == own {
                        return product(&along, &others[own]);
                    }
                    shared.iter().zip(root).map(|(shared, root)| -shared * root).collect()
                };
                roots.iter().enumerate().flat_map(of).collect()
            }
        }
    }

    /// The inner products of all candidates with a vector.
    pub(super) fn products(&self, vector: &[f64]) -> Vec<f64> {
        match &self.scale {
            Scale::One => self.columns.products(vector),
            Scale::Points(scale) => self.columns.products(&product(vector, scale)),
            Scale::Classes { roots, weights, .. } => {
                let n = self.columns.rows();
                let parts: Vec<&[f64]> = vector.chunks(n.max(1)).collect();
                let mut along = vec![0.0; n];
                for (part, root) in parts.iter().zip(roots) {
                    (0..n).for_each(|i| along[i] += root[i] * part[i]);
                }
                let of = |(part, root): (&&[f64], &Vec<f64>)| {
                    let back: Vec<f64> =
                        (0..n).map(|i| weights[i] * root[i] * (part[i] - root[i] * along[i])).collect();
                    self.columns.products(&back)
                };
                parts.iter().zip(roots).flat_map(of).collect()
            }
        }
    }

    /// The square of each candidate.
    pub(super) fn squares(&self) -> Vec<f64> {
        match &self.scale {
            // Of unit length, but for those of zeros.
            Scale::One => (0..self.columns.len()).map(|m| f64::from(self.columns.length(m) > 0.0)).collect(),
            Scale::Points(scale) => self.columns.squares(&product(scale, scale)),
            Scale::Classes { roots, others, weights } => {
                let of = |(root, others): (&Vec<f64>, &Vec<f64>)| {
                    let each = weights.iter().zip(root).zip(others);
                    let variances: Vec<f64> =
                        each.map(|((weight, root), others)| (weight * root).powi(2) * others).collect();
                    self.columns.squares(&variances)
                };
                roots.iter().zip(others).flat_map(of).collect()
            }
        }
    }
}

/// The products of values side by side.
fn product(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a * b).collect()
}
