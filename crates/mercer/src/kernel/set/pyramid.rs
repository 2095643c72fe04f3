//! The pyramid match: vectors that meet in the cells of grids, each twice as coarse as the one before.
//!
//! Grid i has cubic cells of side s·2ⁱ, i = 0 … L − 1; grid L is one cell that holds all. With hᵢ(X) the numbers of vectors of X
//! in the cells of grid i, Iᵢ = Σ min(hᵢ(X), hᵢ(Y)) vectors meet there, of which Iᵢ − Iᵢ₋₁ have not met before (I₋₁ = 0), and
//!
//! $k(X, Y) = Σ_i w_i (I_i − I_{i−1}) = w_L I_L + Σ_{i<L} (w_i − w_{i+1}) I_i$, wᵢ = 2⁻ⁱ.
//!
//! The second form is an inner product: min(a, b) is that of a and b ones. So each vector of X is one feature in each grid, its
//! cell and its turn in the cell, of value √(wᵢ − wᵢ₊₁), and the kernel is positive semi-definite. k(X, X) = w₀|X|, as all of X
//! meets itself in the finest grid.
//!
//! Vectors near the border of a cell miss their neighbours beyond it; with T > 1 the kernels of T pyramids are added up, all but the
//! first shifted by an offset for each feature, uniform between 0 and the side of the coarsest grid, from the seed.
//!
//! Cost: T(L + 1) cells for each vector. K. Grauman, T. Darrell (2007): The pyramid match kernel, JMLR 8, 725–760; they shift by
//! offsets too, and weigh by 1/(d 2ⁱ) for d features, which is the same up to a factor (`weights=dimension`).

use std::collections::HashMap;

use super::leaf::{Pyramid, Weights};
use crate::data::{Points, Row, SplitMix, Vectors};
use crate::error::{ErrorKind, Result};
use crate::kernel::features::{Dictionary, Features, Learnt, Rows, Store, sparse};

/// Most grids but the last: beyond them weights are below the rounding of 1.
pub(super) const MAX_LEVELS: u32 = 60;

/// The features of the pyramid match.
pub(super) struct Grids {
    pyramid: Pyramid,
    /// The side of the finest cells.
    finest: f64,
    /// Grids, but for the last.
    levels: u32,
}

/// The cells that occur, and the turns in them, with their numbers.
#[derive(Default)]
pub(super) struct Known {
    cells: Dictionary<Box<[i64]>>,
    turns: Dictionary<(u32, u32)>,
}

impl Grids {
    /// The grids of a pyramid whose side and levels are known.
    pub(super) fn new(pyramid: &Pyramid) -> Result<Self> {
        match (pyramid.side, pyramid.levels) {
            (Some(_), Some(_)) => Ok(Self::any(pyramid)),
            _ => Err(ErrorKind::Unsupported {
                what: format!(
                    "values of {pyramid} before side and levels are found from data; `settled` finds them"
                )
                .into(),
            }
            .into()),
        }
    }

    /// The grids of a pyramid, with any side and levels where these are open.
    pub(super) fn any(pyramid: &Pyramid) -> Self {
        Self { pyramid: *pyramid, finest: pyramid.side.unwrap_or(1.0), levels: pyramid.levels.unwrap_or(1) }
    }

    /// The offset of each feature in the pyramid of this number.
    fn offsets(&self, pyramid: u32, width: usize) -> Vec<f64> {
        if pyramid == 0 {
            return vec![0.0; width];
        }
        let side = self.side(self.levels);
        let mut random = SplitMix(u64::from(self.pyramid.seed) << 32 | u64::from(pyramid));
        (0..width).map(|_| side * random.uniform()).collect()
    }

    /// The side of the cells of grid `level`.
    fn side(&self, level: u32) -> f64 {
        self.finest * f64::from(level).exp2()
    }

    /// √(wᵢ − wᵢ₊₁), √w_L of the last grid.
    fn value(&self, level: u32, width: usize) -> f64 {
        let weight = |level: u32| f64::from(level).exp2().recip();
        let drop = if level == self.levels { weight(level) } else { weight(level) - weight(level + 1) };
        let scale = match self.pyramid.weights {
            Weights::Half => 1.0,
            Weights::Dimension => width.max(1) as f64,
        };
        (drop / scale).sqrt()
    }

    /// Calls `visit(cell, turn, value)` for each vector of a set in each grid.
    fn visit(&self, set: &Vectors, mut visit: impl FnMut(&[i64], u32, f64) -> Result<()>) -> Result<()> {
        let width = set.width();
        for pyramid in 0..self.pyramid.shifts {
            let offsets = self.offsets(pyramid, width);
            for level in 0..=self.levels {
                let value = self.value(level, width);
                let mut turns: HashMap<Box<[i64]>, u32> = HashMap::new();
                for i in 0..set.len() {
                    let cell = self.cell(set.row(i), pyramid, level, &offsets);
                    let turn = turns.entry(cell.clone()).or_default();
                    visit(&cell, *turn, value)?;
                    *turn += 1;
                }
            }
        }
        Ok(())
    }

    /// The cell of a vector: the pyramid, the grid, and the place along each feature.
    fn cell(&self, row: Row<'_>, pyramid: u32, level: u32, offsets: &[f64]) -> Box<[i64]> {
        let mut cell = vec![i64::from(pyramid), i64::from(level)];
        if level < self.levels {
            let side = self.side(level);
            // The bits of a place number it: an integer would not hold those of very small sides.
            let place = |along: f64| ((along / side).floor() + 0.0).to_bits().cast_signed();
            cell.extend(offsets.iter().map(|&offset| place(offset)));
            row.for_each(|k, value| cell[k + 2] = place(value + offsets[k]));
        }
        cell.into()
    }
}

impl Features for Grids {
    type Point = Vectors;
    type Known = Known;

    fn learn(&self, columns: &[Vectors]) -> Result<(Known, Learnt)> {
        let mut known = Known::default();
        let (mut rows, mut squares) = (Store::default(), Vec::with_capacity(columns.len()));
        crate::data::stacked(columns.iter())?;
        for set in columns {
            let (mut row, mut square) = (Vec::new(), 0.0);
            self.visit(set, |cell, turn, value| {
                let cell = known.cells.number(cell.into())?;
                row.push((known.turns.number((cell, turn))?, value));
                square += value * value;
                Ok(())
            })?;
            rows.push(&mut row);
            squares.push(square);
        }
        let width = columns.first().map_or(0, Vectors::width);
        let cells = known.cells.len() * (width + 2) * size_of::<i64>();
        let (features, known_bytes) = (known.turns.len(), cells + known.cells.bytes() + known.turns.bytes());
        Ok((known, Learnt { rows, features, squares, weights: None, known_bytes }))
    }

    fn rows(&self, known: &Known, points: &[&Vectors]) -> Rows {
        let mut squares = Vec::with_capacity(points.len());
        let row = |set: &&Vectors| {
            let (mut row, mut square) = (Vec::new(), 0.0);
            // Nothing here can fail: no number is given out.
            let _ = self.visit(set, |cell, turn, value| {
                let number = known.cells.known(cell).and_then(|cell| known.turns.known(&(cell, turn)));
                row.extend(number.map(|number| (number, value)));
                square += value * value;
                Ok(())
            });
            squares.push(square);
            row
        };
        let rows = points.iter().map(row).collect();
        Rows { known: sparse(known.turns.len(), rows), squares }
    }
}
