//! A kernel bound to columns of a table.

use super::leaf::Source;
use crate::data::{Points, Records};
use crate::error::Result;
use crate::kernel::{Bound, Leaf, Readout};

/// Binds the kernel of one space to the columns that it compares.
pub(super) fn bind<L: Leaf>(leaf: &L, names: &[String], columns: &Records) -> Result<Box<dyn Bound<Records>>>
where
    L::Points: Source,
{
    let points = L::Points::of(columns, names)?;
    let bound = leaf.bind(&points)?;
    Ok(Box::new(OfColumns { names: names.to_vec(), source: columns.clone(), points, bound }))
}

/// k(x, x) of `records[rows]`; NaN where the columns are not there.
pub(super) fn diagonal<L: Leaf>(leaf: &L, names: &[String], records: &Records, rows: &[usize]) -> Vec<f64>
where
    L::Points: Source,
{
    match L::Points::of(records, names) {
        Ok(points) => leaf.diagonal(&points, rows),
        Err(_) => vec![f64::NAN; rows.len()],
    }
}

struct OfColumns<X> {
    names: Vec<String>,
    /// The table that was bound.
    source: Records,
    /// Its columns.
    points: X,
    bound: Box<dyn Bound<X>>,
}

impl<X: Source> OfColumns<X> {
    /// Hands the columns of a table to `work`, and the places of the rows in them: those at hand of the table that was bound,
    /// else the rows alone.
    fn with<T>(&self, records: &Records, rows: &[usize], work: impl FnOnce(&X, &[usize]) -> T) -> T {
        if records.is_copy(&self.source) {
            return work(&self.points, rows);
        }
        let some = X::of(&records.select(rows), &self.names);
        let points = some.expect("a table with the columns of the kernel: Points::accepts has seen it");
        work(&points, &(0..rows.len()).collect::<Vec<_>>())
    }
}

impl<X: Source> Bound<Records> for OfColumns<X> {
    fn columns(&self) -> usize {
        self.bound.columns()
    }

    fn diagonal(&self) -> Vec<f64> {
        self.bound.diagonal()
    }

    fn admits(&self, points: &Records) -> Result<()> {
        let all: Vec<usize> = (0..points.len()).collect();
        self.with(points, &all, |points, _| self.bound.admits(points))
    }

    fn own(&self, points: &Records, rows: &[usize]) -> Option<Vec<f64>> {
        self.with(points, rows, |points, rows| self.bound.own(points, rows))
    }

    fn rows(&self, points: &Records, rows: &[usize], out: &mut [&mut [f32]]) {
        self.with(points, rows, |points, rows| self.bound.rows(points, rows, out));
    }

    fn rows_f64(&self, points: &Records, rows: &[usize], out: &mut [&mut [f64]]) {
        self.with(points, rows, |points, rows| self.bound.rows_f64(points, rows, out));
    }

    fn pack_double(&self) {
        self.bound.pack_double();
    }

    fn read(&self, points: &Records, rows: &[usize], blocks: &[Readout], sums: &mut [f64]) {
        self.with(points, rows, |points, rows| self.bound.read(points, rows, blocks, sums));
    }

    fn cost(&self) -> f64 {
        self.bound.cost()
    }
}
