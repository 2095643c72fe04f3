//! An expression made ready to run on tiles.
//!
//! Binding turns each leaf into a statistic of two rows (an inner product, a sum over features, a product of factors,
//! a table entry), shared by all leaves that need the same one, and a profile applied to it. A tile of
//! statistics is computed once, then the algebra works on tiles of values.

use super::diagonal::{Own, factor};
use super::element::Element;
use super::tile::{Scratch, Tile};
use super::view::{RowSet, View};
use crate::data::{Points, Vectors};
use crate::error::{DataProblem, ErrorKind, Result};
use crate::kernel::vector::profile::{Feature, Profile, Statistic, Termwise};
use crate::kernel::vector::record::Record;
use crate::kernel::{Expr, Map, VectorExpr, VectorLeaf};
use crate::simd::PANEL;

/// Bytes that the images of a block of rows under feature maps may take, beyond those of one row: a block of the solver,
/// 2048 rows, of up to 8192 features.
const IMAGE_BYTES: usize = 1 << 27;

/// A statistic of a row and a column, ready to be computed.
pub(super) enum BoundStatistic<T> {
    /// Inner products on the view with this number.
    Dot(usize),
    /// A sum over features on the view with this number.
    Termwise(usize, Termwise),
    /// f(x) f(y) seen through maps: the values of f at the columns.
    Factor { feature: Feature, maps: Vec<Map>, columns: Vec<T> },
    /// The row's entry at the column's serial number.
    Lookup(Vec<usize>),
}

/// A node of the expression.
pub(super) enum Node {
    Constant(f64),
    Leaf { profile: Profile, statistic: usize },
    Sum(Vec<Node>),
    Product(Vec<Node>),
    Power(Box<Node>, u32),
    Exp(Box<Node>),
    Normalized { inner: Box<Node>, scale: usize },
}

/// A bound expression.
pub(super) struct Program<T> {
    pub(super) views: Vec<ViewEntry<T>>,
    pub(super) statistics: Vec<BoundStatistic<T>>,
    pub(super) scales: Vec<Scale<T>>,
    columns: usize,
    root: Node,
}

/// A view and what it was made for.
pub(super) struct ViewEntry<T> {
    maps: Vec<Map>,
    centred: bool,
    termwise: bool,
    pub(super) view: View<T>,
}

/// 1/√k(y, y) for the columns of a normalised part, and the part, for rows.
pub(super) struct Scale<T> {
    part: Own,
    pub(super) columns: Vec<T>,
}

/// What the rows of a block need, beside the columns.
pub(super) struct Rows<T> {
    pub(super) sets: Vec<RowSet<T>>,
    pub(super) factors: Vec<Vec<T>>,
    pub(super) scales: Vec<Vec<T>>,
    /// For each statistic that is a table entry: of each row, the entries at the columns' serial numbers.
    lookups: Vec<Vec<Vec<f64>>>,
}

#[cfg(test)]
thread_local! {
    static PACKINGS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// How many programs this thread has made, each of which packs its columns.
#[cfg(test)]
pub(crate) fn packings() -> usize {
    PACKINGS.get()
}

impl<T: Element> Program<T> {
    pub(super) fn new(expr: &VectorExpr, columns: &Vectors) -> Result<Self> {
        #[cfg(test)]
        PACKINGS.set(PACKINGS.get() + 1);
        let mut program = Self {
            views: Vec::new(),
            statistics: Vec::new(),
            scales: Vec::new(),
            columns: columns.len(),
            root: Node::Constant(0.0),
        };
        program.root = program.node(expr, columns)?;
        Ok(program)
    }

    /// The most rows a block should have.
    pub(super) fn block_rows(&self) -> usize {
        let most = |entry: &ViewEntry<T>| match (entry.view.is_wide(), &entry.maps[..]) {
            (true, _) => PANEL,
            (false, []) => usize::MAX,
            // The images of a block are made before they are packed.
            (false, _) => (IMAGE_BYTES / (size_of::<f64>() * entry.view.width().max(1))).max(1),
        };
        self.views.iter().map(most).min().unwrap_or(usize::MAX)
    }

    /// Squared norms of rows in the first view, about the centre of its columns.
    pub(super) fn squares(&self, points: &Vectors, rows: &[usize]) -> Vec<f64> {
        self.views.first().map_or_else(|| vec![0.0; rows.len()], |entry| entry.view.squares(points, rows))
    }

    /// Panels of columns.
    pub(super) fn panels(&self) -> usize {
        self.columns.div_ceil(PANEL)
    }

    fn node(&mut self, expr: &VectorExpr, columns: &Vectors) -> Result<Node> {
        let mut list =
            |parts: &[VectorExpr]| parts.iter().map(|part| self.node(part, columns)).collect::<Result<_>>();
        Ok(match expr {
            Expr::Constant(value) => Node::Constant(*value),
            Expr::Sum(parts) => Node::Sum(list(parts)?),
            Expr::Product(parts) => Node::Product(list(parts)?),
            Expr::Power(inner, power) => Node::Power(Box::new(self.node(inner, columns)?), *power),
            Expr::Exp(inner) => Node::Exp(Box::new(self.node(inner, columns)?)),
            Expr::Normalized(inner) => {
                let node = Box::new(self.node(inner, columns)?);
                let part = Own::new(inner);
                let roots = (0..columns.len()).map(|i| part.inverse_root(columns, i)).collect();
                self.scales.push(Scale { part, columns: roots });
                Node::Normalized { inner: node, scale: self.scales.len() - 1 }
            }
            Expr::Centered(..) => unreachable!("expressions with centred parts are evaluated leaf by leaf"),
            Expr::Leaf(leaf) => {
                let mut kernel = leaf.kernel.clone();
                let Record { statistic, profile, .. } = kernel.record();
                Node::Leaf { profile, statistic: self.statistic(statistic, leaf, columns)? }
            }
        })
    }

    /// The position of a statistic of the points as `leaf` sees them, shared with leaves that need the same one.
    fn statistic(&mut self, statistic: Statistic, leaf: &VectorLeaf, columns: &Vectors) -> Result<usize> {
        let statistic = match statistic {
            Statistic::Dot { centred } => BoundStatistic::Dot(self.view(leaf, centred, false, columns)?),
            Statistic::Termwise(term) => {
                BoundStatistic::Termwise(self.view(leaf, false, true, columns)?, term)
            }
            Statistic::Factor(feature) => {
                let value = |i| T::from_f64(factor(feature, &leaf.maps, columns, i));
                let columns = (0..columns.len()).map(value).collect();
                BoundStatistic::Factor { feature, maps: leaf.maps.clone(), columns }
            }
            Statistic::Lookup => BoundStatistic::Lookup(serials(columns)?),
        };
        let same = |known: &BoundStatistic<T>| match (known, &statistic) {
            (BoundStatistic::Dot(a), BoundStatistic::Dot(b)) => a == b,
            (BoundStatistic::Termwise(a, s), BoundStatistic::Termwise(b, t)) => a == b && s == t,
            _ => false,
        };
        if let Some(known) = self.statistics.iter().position(same) {
            return Ok(known);
        }
        self.statistics.push(statistic);
        Ok(self.statistics.len() - 1)
    }

    fn view(&mut self, leaf: &VectorLeaf, centred: bool, termwise: bool, columns: &Vectors) -> Result<usize> {
        let same = |entry: &ViewEntry<T>| {
            entry.maps == leaf.maps && entry.centred == centred && entry.termwise == termwise
        };
        if let Some(known) = self.views.iter().position(same) {
            return Ok(known);
        }
        let view = View::new(columns, &leaf.maps, centred, termwise)?;
        self.views.push(ViewEntry { maps: leaf.maps.clone(), centred, termwise, view });
        Ok(self.views.len() - 1)
    }

    /// Packs the rows of a block.
    pub(super) fn pack(&self, points: &Vectors, rows: &[usize]) -> Rows<T> {
        let factors = |statistic: &BoundStatistic<T>| match statistic {
            BoundStatistic::Factor { feature, maps, .. } => {
                rows.iter().map(|&i| T::from_f64(factor(*feature, maps, points, i))).collect()
            }
            _ => Vec::new(),
        };
        let scales = |scale: &Scale<T>| rows.iter().map(|&i| scale.part.inverse_root(points, i)).collect();
        let lookups = |statistic: &BoundStatistic<T>| match statistic {
            BoundStatistic::Lookup(serials) => {
                let entries = |&i: &usize| serials.iter().map(|&serial| points.row(i).get(serial)).collect();
                rows.iter().map(entries).collect()
            }
            _ => Vec::new(),
        };
        Rows {
            sets: self.views.iter().map(|entry| entry.view.pack(points, rows)).collect(),
            factors: self.statistics.iter().map(factors).collect(),
            scales: self.scales.iter().map(scales).collect(),
            lookups: self.statistics.iter().map(lookups).collect(),
        }
    }

    /// Computes the tile of `count` rows from `first` against panel `p`.
    pub(super) fn tile(
        &self,
        rows: &Rows<T>,
        first: usize,
        count: usize,
        p: usize,
        scratch: &mut Scratch<T>,
    ) {
        let size = count.next_multiple_of(crate::simd::STRIP) * PANEL;
        if let Node::Leaf { profile, statistic } = &self.root {
            // One leaf: its statistic becomes the tile in place.
            scratch.out.resize(size, T::default());
            self.fill(*statistic, rows, first, count, p, &mut scratch.out);
            Tile { program: self, rows, first, count, p, statistics: &[] }.leaf(
                profile,
                *statistic,
                &mut scratch.out,
            );
            return;
        }
        scratch.statistics.resize_with(self.statistics.len(), Vec::new);
        for (statistic, out) in scratch.statistics.iter_mut().enumerate() {
            out.resize(size, T::default());
            self.fill(statistic, rows, first, count, p, out);
        }
        let mut out = std::mem::take(&mut scratch.out);
        out.resize(size, T::default());
        let tile = Tile { program: self, rows, first, count, p, statistics: &scratch.statistics };
        tile.evaluate(&self.root, &mut out, &mut scratch.spare);
        scratch.out = out;
    }

    /// Computes the tile of a statistic.
    fn fill(&self, statistic: usize, rows: &Rows<T>, first: usize, count: usize, p: usize, out: &mut [T]) {
        match &self.statistics[statistic] {
            BoundStatistic::Dot(view) => self.views[*view].view.dots(&rows.sets[*view], first, count, p, out),
            BoundStatistic::Termwise(view, term) => {
                self.views[*view].view.termwise(*term, &rows.sets[*view], first, count, p, out);
            }
            BoundStatistic::Factor { columns, .. } => {
                let columns = &columns[p * PANEL..columns.len().min((p + 1) * PANEL)];
                for (r, row) in rows.factors[statistic][first..first + count].iter().enumerate() {
                    for (v, c) in out[r * PANEL..].iter_mut().zip(columns) {
                        *v = T::from_f64(row.to_f64() * c.to_f64());
                    }
                }
            }
            BoundStatistic::Lookup(_) => {
                for (r, entries) in rows.lookups[statistic][first..first + count].iter().enumerate() {
                    for (v, &entry) in out[r * PANEL..(r + 1) * PANEL].iter_mut().zip(&entries[p * PANEL..]) {
                        *v = T::from_f64(entry);
                    }
                }
            }
        }
    }
}

/// Serial numbers of the columns of a precomputed Gram: whole numbers from 1, of columns that are there.
pub(super) fn serials(columns: &Vectors) -> Result<Vec<usize>> {
    let refuse =
        |row: usize, rule| Err(ErrorKind::Data(DataProblem::Precomputed { row: row + 1, rule }).into());
    (0..columns.len())
        .map(|i| {
            let serial = columns.row(i).get(0);
            if serial < 1.0 || serial.fract() != 0.0 {
                refuse(i, "column 0 must hold the serial number of the point, a whole number from 1")
            } else if serial >= columns.width() as f64 {
                refuse(i, "the serial number is larger than the number of kernel values in a row")
            } else {
                Ok(serial as usize)
            }
        })
        .collect()
}
