//! A kernel ridge regression from components back to points.
//!
//! x ≈ x̄ + Bᵀκ(y) with κᵢ = k_s(yᵢ, y) over the components yᵢ of the training points, and B = (K_s + λW⁻¹)⁻¹(X − x̄).

use super::inputs;
use crate::data::{Dense, Points, Vectors};
use crate::error::Result;
use crate::gram::{Lazy, matrix};
use crate::kernel::{Kernel, VectorExpr};
use crate::linalg::{Cholesky, Tall, WIDTH};
use crate::model::PcaModel;
use crate::solve::room;

/// Scores that are mapped together.
const BATCH: usize = 256;

/// The points of all scores, row after row.
pub(super) fn find(
    model: &PcaModel<Vectors, VectorExpr>,
    scores: &Dense<f64>,
    kernel: Option<&VectorExpr>,
    lambda: f64,
) -> Result<Vec<f64>> {
    let (n, d) = (model.weights.len(), model.expansion.points().width());
    let instead = "use another way back, or a model of fewer points";
    room("the regression", 8 * (n as u64) * (n as u64 + 2 * d as u64), None, instead)?;
    let kernel = kernel.unwrap_or(model.expansion.kernel());
    let own = Vectors::from(model.scores());
    let mut go_on = |_: f64| std::ops::ControlFlow::Continue(());
    let mut square = matrix::square(&Lazy::new(kernel, &own)?, &mut go_on)?;
    square.add_diagonal(|i| lambda / model.weights[i]);
    let factor = Cholesky::new(square, &mut go_on)?;

    let inputs = inputs(model.expansion.points());
    let total: f64 = model.weights.iter().sum();
    let shares: Vec<f64> = model.weights.iter().map(|w| w / total).collect();
    let mean = inputs.multiplied_by_rows(&shares).row(0, d);
    let rows: Vec<Vec<f64>> = (0..n).map(|i| inputs.row(i, d)).collect();
    let column = |k: usize| rows.iter().map(|row| row[k] - mean[k]).collect();
    let mut columns: Vec<Vec<f64>> = (0..d).map(column).collect();
    factor.solve(&mut columns);
    let back = Tall::from_fn(n, d.div_ceil(WIDTH), |i, k| columns.get(k).map_or(0.0, |column| column[i]));

    let bound = kernel.bind(&own)?;
    let given = Vectors::from(scores.clone());
    let all: Vec<usize> = (0..given.len()).collect();
    let mut found = Vec::with_capacity(given.len() * d);
    for batch in all.chunks(BATCH) {
        let mut values = vec![0.0; batch.len() * n];
        bound.rows_f64(&given, batch, &mut values.chunks_mut(n).collect::<Vec<_>>());
        let sums = back.multiplied_by_rows(&values);
        for i in 0..batch.len() {
            found.extend(sums.row(i, d).iter().zip(&mean).map(|(sum, mean)| sum + mean));
        }
    }
    Ok(found)
}
