//! The fast evaluation of vector kernels.
//!
//! Columns are packed once into panels of 64; a block of rows is packed per call; each tile of rows × 64 is one
//! product (dense by FMA kernels in registers, sparse rows by scaled additions of the panel's features) and an
//! epilogue while it is in the first-level cache. Cost: n·d per row dense, n·(entries of the row) sparse.
//!
//! Precision: single where an a-priori bound (see `precision`) says that kernel values come out right
//! to about 1e-6, double rounded to single where it does not, row by row where that depends on the row; double
//! throughout for [`Bound::rows_f64`].

mod diagonal;
mod element;
mod precision;
mod program;
#[cfg(test)]
mod tests;
mod tile;
mod view;

use std::ops::Range;
use std::sync::OnceLock;

use rayon::prelude::*;

use self::diagonal::Own;
use self::element::Element;
use self::program::Program;
#[cfg(test)]
pub(crate) use self::program::packings;
use self::tile::Scratch;
use super::tree::finite;
use super::{Bound, Readout, VectorExpr, VectorKernel};
use crate::data::{Points, Real, Vectors};
use crate::error::Result;
use crate::simd::{PANEL, STRIP, accumulate_tile, fence};

/// Columns computed by one task: enough work to be worth handing out, small enough to balance.
const TASK: usize = 16 * PANEL;

/// Columns computed by one task where there are few columns in all.
const SHORT_TASK: usize = 4 * PANEL;

/// Columns per task of so many.
fn task_width(columns: usize) -> usize {
    if columns <= 2 * TASK { SHORT_TASK } else { TASK }
}

/// Nanoseconds of work that are not handed out: waking another thread takes about as long as it would save.
const SHORT: f64 = 50e3;

/// Nanoseconds up to which reading rows out, which is not handed out in pieces, is called short.
const READ_SHORT: f64 = 1e6;

/// Points up to which their k(x, x) are computed by the calling thread.
const FEW_POINTS: usize = 256;

/// Rows of a tile: its statistics and values stay in the first-level cache.
const TILE: usize = 4 * STRIP;

/// Binds a checked expression to `columns`.
pub(super) fn bind(expr: &VectorExpr, columns: &Vectors) -> Result<Box<dyn Bound<Vectors>>> {
    bind_within(expr, columns, || precision::single_reach(expr, columns))
}

/// Binds a checked expression. Rows are computed in single precision up to the squared norm that `reach` gives, in double
/// precision beyond it; all in double precision where it gives none.
pub(super) fn bind_within(
    expr: &VectorExpr,
    columns: &Vectors,
    reach: impl FnOnce() -> Result<Option<f64>>,
) -> Result<Box<dyn Bound<Vectors>>> {
    let all: Vec<usize> = (0..columns.len()).collect();
    let diagonal = finite(diagonal(expr, columns, &all))?;
    let reach = reach()?;
    let single = reach.is_some();
    let bound = VectorBound {
        expr: expr.clone(),
        columns: columns.clone(),
        diagonal,
        single: if single { Some(Program::new(expr, columns)?) } else { None },
        reach: reach.unwrap_or(0.0),
        double: OnceLock::new(),
    };
    if !single {
        let program = Program::new(expr, columns)?;
        bound.double.get_or_init(|| program);
    }
    Ok(Box::new(bound))
}

/// Inner products with `columns`, in double precision throughout; only for [`Bound::rows_f64`].
///
/// # Errors
/// If the square of a column is not finite.
pub(super) fn inner_products(columns: &Vectors) -> Result<Box<dyn Bound<Vectors>>> {
    let program = Program::new(&super::linear(), columns)?;
    let (expr, columns) = (super::linear(), columns.clone());
    let double = OnceLock::from(program);
    Ok(Box::new(VectorBound { expr, columns, diagonal: Vec::new(), single: None, reach: 0.0, double }))
}

/// Points whose images under maps are made together where only k(x, x) is wanted.
const IMAGES: usize = 256;

/// k(x, x) of `points[rows]`.
pub(super) fn diagonal(expr: &VectorExpr, points: &Vectors, rows: &[usize]) -> Vec<f64> {
    if expr.leaves().iter().any(|leaf| !leaf.maps.is_empty()) {
        let of = |rows: &[usize]| {
            let points = points.select(rows);
            let own = Own::of_points(expr, &points);
            (0..rows.len()).map(|i| own.at(&points, i)).collect::<Vec<f64>>()
        };
        return rows.par_chunks(IMAGES).flat_map_iter(of).collect();
    }
    let own = Own::new(expr);
    let at = |&i: &usize| own.at(points, i);
    if rows.len() <= FEW_POINTS { rows.iter().map(at).collect() } else { rows.par_iter().map(at).collect() }
}

/// k(x, x) of each of `points` for a checked expression.
///
/// # Errors
/// If a value is too large for single precision, or a point of a precomputed kernel has no number.
pub(super) fn own_values(expr: &VectorExpr, points: &Vectors) -> Result<Vec<f64>> {
    let all: Vec<usize> = (0..points.len()).collect();
    let values = finite(diagonal(expr, points, &all))?;
    if expr.leaves().iter().any(|leaf| leaf.kernel == VectorKernel::Precomputed) {
        program::serials(points)?;
    }
    Ok(values)
}

struct VectorBound {
    expr: VectorExpr,
    columns: Vectors,
    diagonal: Vec<f64>,
    single: Option<Program<f32>>,
    /// Rows with a larger squared norm are computed in double precision.
    reach: f64,
    /// Made when first asked for.
    double: OnceLock<Program<f64>>,
}

impl VectorBound {
    fn double(&self) -> &Program<f64> {
        if let Some(program) = self.double.get() {
            return program;
        }
        // Made outside of the cell: a thread that makes it works in parallel, and while it waits for others it may begin on
        // another row that asks for it.
        let program = Program::new(&self.expr, &self.columns);
        let program = program.expect("what binds in single precision binds in double");
        self.double.get_or_init(|| program)
    }

    /// The program in single precision and the rows that it is for, in runs that alternate with runs that need double
    /// precision, none where all do. Which run a row is in depends on itself alone.
    fn runs(&self, points: &Vectors, rows: &[usize]) -> Vec<(Range<usize>, Option<&Program<f32>>)> {
        let all = 0..rows.len();
        let Some(program) = &self.single else { return vec![(all, None)] };
        if self.reach == f64::INFINITY {
            return vec![(all, Some(program))];
        }
        let near: Vec<bool> =
            program.squares(points, rows).iter().map(|&square| square <= self.reach).collect();
        let mut end = 0;
        let run = |run: &[bool]| {
            end += run.len();
            (end - run.len()..end, run[0].then_some(program))
        };
        near.chunk_by(|a, b| a == b).map(run).collect()
    }
}

impl Bound<Vectors> for VectorBound {
    fn columns(&self) -> usize {
        self.columns.len()
    }

    fn diagonal(&self) -> Vec<f64> {
        self.diagonal.clone()
    }

    fn rows(&self, points: &Vectors, rows: &[usize], out: &mut [&mut [f32]]) {
        for (run, single) in self.runs(points, rows) {
            let (rows, out) = (&rows[run.clone()], &mut out[run]);
            match single {
                Some(program) => fill(program, self.cost(), points, rows, out, f32::store),
                None => fill(self.double(), self.cost(), points, rows, out, f64::store),
            }
        }
    }

    fn accumulate(
        &self,
        points: &Vectors,
        rows: &[usize],
        weights: &[f64],
        diagonal: &[f64],
        sums: &mut [f64],
    ) {
        for (run, single) in self.runs(points, rows) {
            let (rows, weights) = (&rows[run.clone()], &weights[run]);
            match single {
                Some(program) => accumulate(program, points, rows, weights, diagonal, sums),
                None => accumulate(self.double(), points, rows, weights, diagonal, sums),
            }
        }
    }

    fn read(&self, points: &Vectors, rows: &[usize], blocks: &[Readout], sums: &mut [f64]) {
        let outputs: usize = blocks.iter().map(Readout::outputs).sum();
        for (run, single) in self.runs(points, rows) {
            let (rows, sums) = (&rows[run.clone()], &mut sums[run.start * outputs..run.end * outputs]);
            match single {
                Some(program) => read(program, points, rows, blocks, sums),
                None => read(self.double(), points, rows, blocks, sums),
            }
        }
    }

    fn cost(&self) -> f64 {
        // Measured: an exponential and a store, and a sixteenth of a nanosecond for each entry of a row.
        let entries = self.columns.stored() as f64 / self.columns.len().max(1) as f64;
        let leaves = self.expr.leaves().len() as f64;
        (1.0 + entries / 16.0) * leaves * if self.single.is_some() { 1.0 } else { 2.0 }
    }

    fn rows_f64(&self, points: &Vectors, rows: &[usize], out: &mut [&mut [f64]]) {
        let copy = |values: &[f64], target: &mut [f64]| target.copy_from_slice(values);
        fill(self.double(), self.cost(), points, rows, out, copy);
    }

    fn pack_double(&self) {
        self.double();
    }

    fn is_short(&self, rows: usize, double: bool) -> bool {
        let time = (rows * self.columns()) as f64 * self.cost();
        let packed = self.double.get().is_some();
        if double {
            packed && time <= SHORT
        } else {
            (packed || self.reach == f64::INFINITY) && time <= READ_SHORT
        }
    }
}

/// Computes a block, tile by tile, tasks of `TASK` columns in parallel where it is worth it at `cost` nanoseconds a value. Each
/// tile is one thread's, so that the bits do not depend on how many there are.
fn fill<T: Element, O: Real>(
    program: &Program<T>,
    cost: f64,
    points: &Vectors,
    rows: &[usize],
    out: &mut [&mut [O]],
    store: impl Fn(&[T], &mut [O]) + Sync,
) {
    let limit = program.block_rows().min(rows.len().max(1));
    for (rows, out) in rows.chunks(limit).zip(out.chunks_mut(limit)) {
        let packed = program.pack(points, rows);
        let columns = out.iter().map(|row| row.len()).max().unwrap_or(0);
        let task_columns = task_width(columns);
        let tasks = columns.div_ceil(task_columns);
        let mut pieces: Vec<Vec<&mut [O]>> = (0..tasks).map(|_| Vec::with_capacity(rows.len())).collect();
        for row in out.iter_mut() {
            let mut chunks = row.chunks_mut(task_columns);
            pieces.iter_mut().for_each(|piece| piece.push(chunks.next().unwrap_or_default()));
        }
        let compute = |scratch: &mut Scratch<T>, (task, mut piece): (usize, Vec<&mut [O]>)| {
            let width = piece.iter().map(|row| row.len()).max().unwrap_or(0);
            for panel in 0..width.div_ceil(PANEL) {
                let columns = panel * PANEL..(panel + 1) * PANEL;
                for first in (0..rows.len()).step_by(TILE) {
                    let count = TILE.min(rows.len() - first);
                    program.tile(&packed, first, count, task * (task_columns / PANEL) + panel, scratch);
                    for (r, values) in scratch.out.chunks_exact(PANEL).take(count).enumerate() {
                        let row = &mut piece[first + r];
                        let end = row.len().min(columns.end);
                        if let Some(row) = row.get_mut(columns.start..end) {
                            store(&values[..row.len()], row);
                        }
                    }
                }
            }
            fence();
        };
        if (rows.len() * columns) as f64 * cost <= SHORT {
            let mut scratch = Scratch::default();
            pieces.into_iter().enumerate().for_each(|piece| compute(&mut scratch, piece));
        } else {
            pieces.into_par_iter().enumerate().for_each_init(Scratch::default, compute);
        }
    }
}

/// Adds up weighted rows, each tile while it is in the first-level cache.
fn accumulate<T: Element>(
    program: &Program<T>,
    points: &Vectors,
    rows: &[usize],
    weights: &[f64],
    diagonal: &[f64],
    sums: &mut [f64],
) {
    let limit = program.block_rows().min(rows.len().max(1));
    for (rows, weights) in rows.chunks(limit).zip(weights.chunks(limit)) {
        let packed = program.pack(points, rows);
        let task_columns = task_width(sums.len());
        sums.par_chunks_mut(task_columns).enumerate().for_each_init(
            Scratch::default,
            |scratch, (task, sums)| {
                for (panel, sums) in sums.chunks_mut(PANEL).enumerate() {
                    let p = task * (task_columns / PANEL) + panel;
                    let mut padded = [0.0; PANEL];
                    padded[..sums.len()].copy_from_slice(sums);
                    for first in (0..rows.len()).step_by(TILE) {
                        let count = TILE.min(rows.len() - first);
                        program.tile(&packed, first, count, p, scratch);
                        for (&i, tile) in rows[first..first + count].iter().zip(scratch.out.chunks_mut(PANEL))
                        {
                            if i / PANEL == p {
                                tile[i % PANEL] = T::from_f64(diagonal[i]);
                            }
                        }
                        let tile = T::single(&scratch.out, &mut scratch.single);
                        accumulate_tile(&mut padded, tile, &weights[first..first + count]);
                    }
                    sums.copy_from_slice(&padded[..sums.len()]);
                }
            },
        );
    }
}

/// Reads out weighted sums over the columns, each tile while it is in the first-level cache.
fn read<T: Element>(
    program: &Program<T>,
    points: &Vectors,
    rows: &[usize],
    blocks: &[Readout],
    sums: &mut [f64],
) {
    let outputs: usize = blocks.iter().map(Readout::outputs).sum();
    let mut scratch = Scratch::default();
    let limit = program.block_rows().min(rows.len().max(1));
    for (rows, sums) in rows.chunks(limit).zip(sums.chunks_mut(limit * outputs.max(1))) {
        let packed = program.pack(points, rows);
        for p in 0..program.panels() {
            for (first, sums) in (0..rows.len()).step_by(TILE).zip(sums.chunks_mut(TILE * outputs.max(1))) {
                let count = TILE.min(rows.len() - first);
                program.tile(&packed, first, count, p, &mut scratch);
                let tile = T::single(&scratch.out, &mut scratch.single);
                let mut place = 0;
                for block in blocks {
                    block.add_tile(tile, count, p * PANEL, &mut sums[place..], outputs);
                    place += block.outputs();
                }
            }
        }
    }
}
