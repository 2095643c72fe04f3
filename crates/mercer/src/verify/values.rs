//! Kernel values, one pair of points at a time, and sums of them with what rounding may have done to them.

use rayon::prelude::*;
use std::any::Any;

use crate::data::{Points, Vectors};
use crate::error::Result;
use crate::kernel::{Bound, Kernel, VectorExpr};
use crate::model::{Coefficients, Space};

/// The relative error of a kernel value that a solver had in single precision: the engine takes that only where its bound is below this.
pub(super) const SINGLE: f64 = 4e-6;
/// Half a unit in the last place of single precision: what storing a value costs, always.
const STORED: f64 = 6e-8;
/// The relative error of a value in double precision by one formula and by another: a thousand roundings.
pub(super) const DOUBLE: f64 = 2.3e-13;

/// Terms (features of pairs of points) up to which all values are those of the definition.
const TERMS: f64 = 2e9;
/// Pairs beyond that whose value by the definition is compared with the engine's.
const SPOTS: usize = 256;
/// What the two may differ by, as a share of the root of k(x, x) k(y, y).
const SPOT: f64 = 1e-9;

/// The values of a kernel at rows against columns.
pub(super) struct Values<'a, X: Space> {
    rows: &'a X,
    columns: &'a X,
    how: How<'a, X>,
}

enum How<'a, X: Space> {
    /// Term by term, as the kernel is defined.
    Definition { kernel: &'a VectorExpr, rows: &'a Vectors, columns: &'a Vectors },
    /// By the engine, in double precision.
    Engine(Box<dyn Bound<X>>),
}

impl<'a, X: Space> Values<'a, X> {
    /// Values by the definition where that can be had in a reasonable time: of vectors, up to some thousands of rows. Beyond, and in
    /// other spaces, by the engine in double precision, of vectors after a look at some of them. Says which, where it is not the
    /// definition alone.
    pub(super) fn new(
        kernel: &'a X::Kernel,
        rows: &'a X,
        columns: &'a X,
    ) -> Result<(Self, Option<(String, bool)>)> {
        let expression = (kernel as &dyn Any).downcast_ref::<VectorExpr>();
        // The definition of a map with landmarks is a system of equations for each pair.
        let centred = kernel.reference()?.is_some() || !kernel.landmarks().is_empty();
        let engine =
            || -> Result<Self> { Ok(Self { rows, columns, how: How::Engine(kernel.bind(columns)?) }) };
        match (expression, rows.as_vectors(), columns.as_vectors()) {
            (Some(kernel), Some(own), Some(others)) if !centred => {
                let definition =
                    Self { rows, columns, how: How::Definition { kernel, rows: own, columns: others } };
                let terms = rows.len() as f64 * columns.len() as f64 * own.width().max(1) as f64;
                if terms <= TERMS {
                    return Ok((definition, None));
                }
                let engine = engine()?;
                let note = engine.compare(&definition);
                Ok((engine, Some(note)))
            }
            _ => {
                let text =
                    "kernel values by the engine in double precision, not one by one by the definition";
                Ok((engine()?, Some((text.to_owned(), true))))
            }
        }
    }

    /// Compares some values with those of the definition; also whether they are the same.
    fn compare(&self, definition: &Self) -> (String, bool) {
        let (n, m) = (self.rows.len(), self.columns.len());
        let worst = (0..SPOTS)
            .map(|spot| {
                // Rows and columns that are spread over all of them.
                let (i, j) = ((spot * 7919) % n, (spot * 104_729) % m);
                let (engine, own) = (self.row(i)[j], definition.value(i, j));
                (engine - own).abs() / own.abs().max(SPOT)
            })
            .fold(0.0, f64::max);
        let text = format!(
            "kernel values by the engine in double precision; {SPOTS} of them differ from the definition by {worst:.1e} at most"
        );
        (text, worst <= SPOT)
    }

    fn value(&self, i: usize, j: usize) -> f64 {
        match &self.how {
            How::Definition { kernel, rows, columns } => {
                kernel.value_in(rows.width().max(columns.width()), rows.row(i), columns.row(j))
            }
            How::Engine(_) => self.row(i)[j],
        }
    }

    /// k of a row with all columns.
    pub(super) fn row(&self, i: usize) -> Vec<f64> {
        match &self.how {
            How::Definition { .. } => (0..self.columns.len()).map(|j| self.value(i, j)).collect(),
            How::Engine(bound) => {
                let mut row = vec![0.0; self.columns.len()];
                bound.rows_f64(self.rows, &[i], &mut [&mut row]);
                row
            }
        }
    }

    /// All rows: n × m numbers.
    pub(super) fn all(&self) -> Vec<Vec<f64>> {
        (0..self.rows.len()).into_par_iter().map(|i| self.row(i)).collect()
    }

    /// Sums Σ βⱼ k(xᵢ, xⱼ) over the columns for each list of coefficients, each with what rounding may have made of it where the
    /// values had the relative error `rounding`: a list of rows for each.
    pub(super) fn sums(&self, lists: &[Vec<(usize, f64)>], rounding: f64) -> Vec<Vec<Sum>> {
        let rows: Vec<Vec<Sum>> = (0..self.rows.len())
            .into_par_iter()
            .map(|i| {
                let row = self.row(i);
                lists.iter().map(|list| Sum::of(list.iter().map(|&(j, b)| b * row[j]), rounding)).collect()
            })
            .collect();
        (0..lists.len()).map(|o| rows.iter().map(|row| row[o]).collect()).collect()
    }
}

/// k(x, x) of each of the points.
pub(super) fn diagonal<X: Space>(kernel: &X::Kernel, points: &X) -> Result<Vec<f64>> {
    let expression = (kernel as &dyn Any).downcast_ref::<VectorExpr>();
    match (expression, points.as_vectors()) {
        (Some(expression), Some(vectors))
            if kernel.reference()?.is_none() && kernel.landmarks().is_empty() =>
        {
            let own = |i: usize| expression.value_in(vectors.width(), vectors.row(i), vectors.row(i));
            Ok((0..vectors.len()).into_par_iter().map(own).collect())
        }
        _ => kernel.diagonal(points),
    }
}

/// A sum of terms, and by how much a sum of the same terms that were rounded may differ from it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Sum {
    pub(super) value: f64,
    /// The whole of it.
    pub(super) error: f64,
    /// The part that may be of one sign in all sums.
    pub(super) one_sided: f64,
}

impl Sum {
    /// Errors of values are as often above as below: the sum of n of them grows as √n. What storing has cost may all be of one sign.
    pub(super) fn of(terms: impl Iterator<Item = f64>, rounding: f64) -> Self {
        let (mut value, mut size, mut square) = (0.0, 0.0, 0.0);
        for term in terms {
            value += term;
            size += f64::abs(term);
            square += term * term;
        }
        let stored = if rounding > DOUBLE { STORED } else { DOUBLE };
        Self { value, error: stored * size + rounding * square.sqrt(), one_sided: stored * size }
    }

    /// The sum, where the solver has seen to it that rounding did no more than `most`; for the rest of the error it computed in double
    /// precision.
    pub(super) fn within(self, most: f64) -> Self {
        let least = |error: f64| error.min(most + error * DOUBLE / STORED);
        Self { error: least(self.error), one_sided: least(self.one_sided), ..self }
    }

    /// By how much Σ βᵢuᵢ may be off: what is of one sign adds up, the rest as the root of the squares.
    pub(super) fn together(parts: impl Iterator<Item = (f64, Self)>) -> f64 {
        let (mut one_sided, mut squares) = (0.0, 0.0);
        for (beta, sum) in parts {
            one_sided += beta.abs() * sum.one_sided;
            squares += (beta * (sum.error - sum.one_sided)).powi(2);
        }
        one_sided + 2.0 * f64::sqrt(squares)
    }
}

/// The coefficients of each output: points and weights that are not zero.
pub(super) fn lists(coefficients: &Coefficients) -> Vec<Vec<(usize, f64)>> {
    let mut lists = vec![Vec::new(); coefficients.outputs];
    for block in &coefficients.blocks {
        let width = block.outputs.len().max(1);
        for (i, weights) in block.points.clone().zip(block.values.chunks(width)) {
            for (&output, &weight) in block.outputs.iter().zip(weights) {
                if weight != 0.0 {
                    lists[output].push((i, weight));
                }
            }
        }
    }
    lists
}
