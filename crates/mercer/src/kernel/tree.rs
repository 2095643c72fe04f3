//! The evaluation of an expression from the values of its leaves, for every space.
//!
//! Each distinct leaf is bound once. A block of rows of each leaf is computed in double precision, then the rules of the
//! algebra are applied entry by entry. An entry depends on its two points only, so that its bits depend neither on the
//! number of threads nor on which other rows are asked for.
//!
//! Cost of a row: that of the leaves, and one operation per node and column; for each centred part, unless the row is one of
//! its reference points, the kernel values with them. Memory: [`BLOCK`] rows of each leaf.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::centered::{Mean, not_fitted};
use super::{Bound, Expr, Leaf};
use crate::data::{Points, Real};
use crate::error::{DataProblem, ErrorKind, Result};

/// Rows of leaf values held at once.
const BLOCK: usize = 64;

/// A value of centring below this share of what it is the difference of is rounding: the point is its reference points' mean.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Entries per task: a piece of a row whose operands stay in the first-level cache.
const PIECE: usize = 512;

/// Binds a checked expression to `columns`, leaf by leaf.
pub(super) fn bind<L: Leaf>(expr: &Expr<L>, columns: &L::Points) -> Result<Box<dyn Bound<L::Points>>> {
    let mut tree = Tree {
        root: Node::Constant(0.0),
        leaves: Vec::new(),
        centers: Vec::new(),
        normalized: Vec::new(),
        columns: Singles::default(),
        diagonal: Vec::new(),
    };
    tree.root = tree.node(expr, columns)?;
    let all: Vec<usize> = (0..columns.len()).collect();
    let own = tree.leaves.iter().map(|(_, bound)| bound.diagonal()).collect();
    tree.columns = tree.singles(columns, &all, own);
    tree.diagonal = finite(all.iter().map(|&i| diagonal(&tree.root, &tree.columns, i)).collect())?;
    tree.check_underflow()?;
    // One leaf is its own tree.
    match (&tree.root, tree.leaves.pop()) {
        (Node::Leaf(_), Some((_, bound))) => Ok(bound),
        (_, last) => {
            tree.leaves.extend(last);
            Ok(Box::new(tree))
        }
    }
}

/// The diagonal of a Gram whose rows are stored in single precision.
///
/// # Errors
/// The first point whose value single precision cannot hold.
pub(super) fn finite(diagonal: Vec<f64>) -> Result<Vec<f64>> {
    match diagonal.iter().position(|k| k.abs() > f64::from(f32::MAX) || k.is_nan()) {
        Some(i) => Err(ErrorKind::Data(DataProblem::KernelNotFinite { row: i + 1, column: i + 1 }).into()),
        None => Ok(diagonal),
    }
}

/// A node of an expression over numbered parts.
#[derive(Clone)]
enum Node {
    Leaf(usize),
    Constant(f64),
    Sum(Vec<Node>),
    Product(Vec<Node>),
    Power(Box<Node>, u32),
    Exp(Box<Node>),
    /// A part, and its number among the normalised ones.
    Normalized(Box<Node>, usize),
    /// A part, and its number among the centred ones.
    Centered(Box<Node>, usize),
}

/// A leaf, and itself bound to columns.
type BoundLeaf<L> = (L, Box<dyn Bound<<L as Leaf>::Points>>);

/// An expression bound to columns.
struct Tree<L: Leaf> {
    root: Node,
    leaves: Vec<BoundLeaf<L>>,
    centers: Vec<Center<L::Points>>,
    /// The parts that are normalised, each after those inside it.
    normalized: Vec<Node>,
    columns: Singles,
    diagonal: Vec<f64>,
}

/// The mean of a centred part in feature space, and the part bound to its reference points.
struct Center<X> {
    mean: Arc<Mean<X>>,
    bound: Arc<dyn Bound<X>>,
}

/// What concerns single points. Each has a list for each part and there a number for each point.
#[derive(Default)]
struct Singles {
    /// k(x, x) of the leaves.
    own: Vec<Vec<f64>>,
    /// What the centred parts subtract.
    shifts: Vec<Vec<f64>>,
    /// 1/√k(x, x) of the normalised parts.
    scales: Vec<Vec<f64>>,
}

/// What a piece of a row is computed from.
struct Piece<'a> {
    /// The values of each leaf.
    leaves: Vec<&'a [f64]>,
    /// Facts of the points of the rows, and which of them the row is.
    rows: (&'a Singles, usize),
    /// Facts of the columns, and which of them the piece has.
    columns: (&'a Singles, Range<usize>),
}

impl<L: Leaf> Tree<L> {
    /// Refuses columns on which the kernel is not zero, but all its values are below what single precision holds with all digits.
    fn check_underflow(&self) -> Result<()> {
        let size = |i: &usize| self.diagonal[*i].abs();
        // Of equals the first.
        let largest = (0..self.diagonal.len()).rev().max_by(|i, j| size(i).total_cmp(&size(j)));
        let Some(row) = largest.filter(|i| size(i) < f64::from(f32::MIN_POSITIVE)) else { return Ok(()) };
        if (0..self.diagonal.len()).all(|i| is_zero(&self.root, &self.columns, i)) {
            return Ok(());
        }
        Err(ErrorKind::Data(DataProblem::KernelUnderflow { row: row + 1, value: self.diagonal[row] }).into())
    }

    /// Numbers the parts of an expression, and binds its leaves.
    fn node(&mut self, expr: &Expr<L>, columns: &L::Points) -> Result<Node> {
        let mut list =
            |parts: &[Expr<L>]| parts.iter().map(|part| self.node(part, columns)).collect::<Result<_>>();
        Ok(match expr {
            Expr::Constant(c) => Node::Constant(*c),
            Expr::Sum(parts) => Node::Sum(list(parts)?),
            Expr::Product(parts) => Node::Product(list(parts)?),
            Expr::Power(inner, power) => Node::Power(Box::new(self.node(inner, columns)?), *power),
            Expr::Exp(inner) => Node::Exp(Box::new(self.node(inner, columns)?)),
            Expr::Leaf(leaf) => match self.leaves.iter().position(|(known, _)| known == leaf) {
                Some(known) => Node::Leaf(known),
                None => {
                    self.leaves.push((leaf.clone(), leaf.bind(columns)?));
                    Node::Leaf(self.leaves.len() - 1)
                }
            },
            Expr::Normalized(inner) => {
                let part = self.node(inner, columns)?;
                self.normalized.push(part.clone());
                Node::Normalized(Box::new(part), self.normalized.len() - 1)
            }
            Expr::Centered(inner, center) => {
                let part = self.node(inner, columns)?;
                let mean: Arc<Mean<L::Points>> = center.mean().ok_or_else(|| not_fitted(expr))?;
                self.centers.push(Center { bound: mean.bound(inner)?, mean });
                Node::Centered(Box::new(part), self.centers.len() - 1)
            }
        })
    }

    /// What concerns `points[rows]` alone, given k(x, x) of the leaves.
    fn singles(&self, points: &L::Points, rows: &[usize], own: Vec<Vec<f64>>) -> Singles {
        let shifts = |center: &Center<L::Points>| center.mean.shifts(&*center.bound, points, rows);
        let mut singles =
            Singles { own, shifts: self.centers.iter().map(shifts).collect(), ..Singles::default() };
        for part in &self.normalized {
            let scale = |i: usize| inverse_root(diagonal(part, &singles, i));
            let scales = (0..rows.len()).map(scale).collect();
            singles.scales.push(scales);
        }
        singles
    }

    /// What concerns `points[rows]` alone; k(x, x) of the leaves only where a part is normalised.
    fn singles_of(&self, points: &L::Points, rows: &[usize]) -> Singles {
        let of = |(leaf, bound): &BoundLeaf<L>| {
            bound.own(points, rows).unwrap_or_else(|| leaf.diagonal(points, rows))
        };
        let own = if self.normalized.is_empty() { Vec::new() } else { self.leaves.iter().map(of).collect() };
        self.singles(points, rows, own)
    }

    fn fill<T: Real>(&self, points: &L::Points, rows: &[usize], out: &mut [&mut [T]]) {
        let mut values = vec![Vec::new(); self.leaves.len()];
        for (rows, out) in rows.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
            let widths: Vec<usize> = out.iter().map(|row| row.len()).collect();
            let singles = self.singles_of(points, rows);
            for ((_, bound), values) in self.leaves.iter().zip(&mut values) {
                block(&**bound, points, rows, &widths, values);
            }
            out.par_iter_mut().enumerate().for_each(|(r, row)| {
                row.par_chunks_mut(PIECE).enumerate().for_each_init(Vec::new, |spare, (task, target)| {
                    let range = task * PIECE..task * PIECE + target.len();
                    let piece = Piece {
                        leaves: values.iter().map(|leaf| &leaf[r][range.clone()]).collect(),
                        rows: (&singles, r),
                        columns: (&self.columns, range),
                    };
                    let mut entries: Vec<f64> = spare.pop().unwrap_or_default();
                    entries.resize(target.len(), 0.0);
                    piece.evaluate(&self.root, &mut entries, spare);
                    target.iter_mut().zip(&entries).for_each(|(t, &v)| *t = T::from_f64(v));
                    spare.push(entries);
                });
            });
        }
    }
}

impl<L: Leaf> Tree<L> {
    /// Fills rows of an expression that is a function of one leaf, whose values are computed where they are wanted.
    fn fill_in_place(&self, leaf: usize, points: &L::Points, rows: &[usize], out: &mut [&mut [f64]]) {
        for (rows, out) in rows.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
            let singles = self.singles_of(points, rows);
            self.leaves[leaf].1.rows_f64(points, rows, out);
            out.par_iter_mut().enumerate().for_each(|(r, row)| {
                row.par_chunks_mut(PIECE).enumerate().for_each(|(task, entries)| {
                    let range = task * PIECE..task * PIECE + entries.len();
                    let piece =
                        Piece { leaves: Vec::new(), rows: (&singles, r), columns: (&self.columns, range) };
                    piece.evaluate_in_place(&self.root, entries);
                });
            });
        }
    }
}

impl Node {
    /// The leaf that the value is a function of, in steps of one operand.
    fn only_leaf(&self) -> Option<usize> {
        match self {
            Self::Leaf(leaf) => Some(*leaf),
            Self::Power(inner, _)
            | Self::Exp(inner)
            | Self::Normalized(inner, _)
            | Self::Centered(inner, _) => inner.only_leaf(),
            Self::Constant(_) | Self::Sum(_) | Self::Product(_) => None,
        }
    }
}

/// Fills `values` with rows of a bound leaf, each with its first columns.
fn block<X: Points>(
    bound: &dyn Bound<X>,
    points: &X,
    rows: &[usize],
    widths: &[usize],
    values: &mut Vec<Vec<f64>>,
) {
    values.resize(widths.len(), Vec::new());
    values.iter_mut().zip(widths).for_each(|(row, &width)| row.resize(width, 0.0));
    bound.rows_f64(points, rows, &mut values.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
}

/// 1/√k(x, x), 0 where the value is not positive.
fn inverse_root(own: f64) -> f64 {
    if own > 0.0 { 1.0 / own.sqrt() } else { 0.0 }
}

/// k(x, x) of point `i`.
fn diagonal(node: &Node, singles: &Singles, i: usize) -> f64 {
    let each = |part: &Node| diagonal(part, singles, i);
    match node {
        Node::Leaf(leaf) => singles.own[*leaf][i],
        Node::Constant(c) => *c,
        Node::Sum(parts) => parts.iter().map(each).sum(),
        Node::Product(parts) => parts.iter().map(each).product(),
        Node::Power(inner, power) => each(inner).powi(*power as i32),
        Node::Exp(inner) => each(inner).exp(),
        Node::Normalized(inner, _) => f64::from(u8::from(each(inner) > 0.0)),
        Node::Centered(inner, part) => {
            let (own, shift) = (each(inner), 2.0 * singles.shifts[*part][i]);
            let square = own - shift;
            if square.abs() <= ROUNDING * (own.abs() + shift.abs()) { 0.0 } else { square }
        }
    }
}

/// Whether k(x, x) of point `i` is zero in exact arithmetic, and not only too small a number. What is centred is zero where
/// it is not positive, as rounding decides there.
fn is_zero(node: &Node, singles: &Singles, i: usize) -> bool {
    let each = |part: &Node| is_zero(part, singles, i);
    match node {
        Node::Leaf(leaf) => singles.own[*leaf][i] == 0.0,
        Node::Constant(c) => *c == 0.0,
        Node::Sum(parts) => parts.iter().all(each),
        Node::Product(parts) => parts.iter().any(each),
        Node::Power(inner, _) | Node::Normalized(inner, _) => each(inner),
        Node::Exp(_) => false,
        Node::Centered(..) => diagonal(node, singles, i) <= 0.0,
    }
}

impl Piece<'_> {
    /// Replaces `out` by the values of `node`.
    fn evaluate(&self, node: &Node, out: &mut [f64], spare: &mut Vec<Vec<f64>>) {
        match node {
            Node::Leaf(leaf) => out.copy_from_slice(self.leaves[*leaf]),
            Node::Constant(c) => out.fill(*c),
            Node::Sum(parts) => self.join(parts, out, spare, |a, b| a + b),
            Node::Product(parts) => self.join(parts, out, spare, |a, b| a * b),
            Node::Power(inner, _)
            | Node::Exp(inner)
            | Node::Normalized(inner, _)
            | Node::Centered(inner, _) => {
                self.evaluate(inner, out, spare);
                self.step(node, out);
            }
        }
    }

    /// Replaces values of the leaf that `node` has, in `out`, by those of `node`.
    fn evaluate_in_place(&self, node: &Node, out: &mut [f64]) {
        if let Node::Power(inner, _)
        | Node::Exp(inner)
        | Node::Normalized(inner, _)
        | Node::Centered(inner, _) = node
        {
            self.evaluate_in_place(inner, out);
            self.step(node, out);
        }
    }

    /// Replaces values of the operand of `node` by its own.
    fn step(&self, node: &Node, out: &mut [f64]) {
        let (rows, r) = self.rows;
        match node {
            Node::Power(_, power) => out.iter_mut().for_each(|v| *v = v.powi(*power as i32)),
            Node::Exp(_) => out.iter_mut().for_each(|v| *v = v.exp()),
            Node::Normalized(_, part) => {
                let (row, columns) =
                    (rows.scales[*part][r], self.of_columns(|singles| &singles.scales[*part]));
                out.iter_mut().zip(columns).for_each(|(v, column)| *v *= row * column);
            }
            Node::Centered(_, part) => {
                let (row, columns) =
                    (rows.shifts[*part][r], self.of_columns(|singles| &singles.shifts[*part]));
                out.iter_mut().zip(columns).for_each(|(v, column)| *v -= row + column);
            }
            Node::Leaf(_) | Node::Constant(_) | Node::Sum(_) | Node::Product(_) => {}
        }
    }

    /// The numbers of the columns of the piece in a list of those of all columns.
    fn of_columns(&self, list: impl Fn(&Singles) -> &[f64]) -> &[f64] {
        let (columns, range) = &self.columns;
        &list(columns)[range.clone()]
    }

    fn join(
        &self,
        parts: &[Node],
        out: &mut [f64],
        spare: &mut Vec<Vec<f64>>,
        operation: impl Fn(f64, f64) -> f64,
    ) {
        let Some((first, others)) = parts.split_first() else { return out.fill(0.0) };
        self.evaluate(first, out, spare);
        for other in others {
            let mut values = spare.pop().unwrap_or_default();
            values.resize(out.len(), 0.0);
            self.evaluate(other, &mut values, spare);
            out.iter_mut().zip(&values).for_each(|(a, &b)| *a = operation(*a, b));
            spare.push(values);
        }
    }
}

impl<L: Leaf> Bound<L::Points> for Tree<L> {
    fn columns(&self) -> usize {
        self.diagonal.len()
    }

    fn diagonal(&self) -> Vec<f64> {
        self.diagonal.clone()
    }

    fn admits(&self, points: &L::Points) -> Result<()> {
        self.leaves.iter().try_for_each(|(_, bound)| bound.admits(points))?;
        self.centers.iter().try_for_each(|center| center.bound.admits(points))
    }

    fn rows(&self, points: &L::Points, rows: &[usize], out: &mut [&mut [f32]]) {
        self.fill(points, rows, out);
    }

    fn rows_f64(&self, points: &L::Points, rows: &[usize], out: &mut [&mut [f64]]) {
        match self.root.only_leaf() {
            Some(leaf) => self.fill_in_place(leaf, points, rows, out),
            None => self.fill(points, rows, out),
        }
    }

    fn cost(&self) -> f64 {
        self.leaves.iter().map(|(_, bound)| bound.cost()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Vectors;
    use crate::kernel::{Kernel, VectorExpr, VectorLeaf, battery};

    fn points() -> Vectors {
        Vectors::dense(3, (0..3 * 130).map(|k| (k as f64 * 0.7).sin()).collect::<Vec<_>>())
    }

    /// An expression on vectors evaluated as those of a space without an engine are.
    struct LeafByLeaf(VectorExpr);

    impl Kernel<Vectors> for LeafByLeaf {
        fn bind(&self, columns: &Vectors) -> Result<Box<dyn Bound<Vectors>>> {
            bind::<VectorLeaf>(&self.0, columns)
        }
        fn definiteness(&self) -> crate::kernel::Definiteness {
            self.0.definiteness()
        }
    }

    const KERNELS: &[&str] = &[
        "rbf(0.5)",
        "3",
        "normalized(3) + normalized(0)",
        "2*rbf(0.5) + linear*linear + 0.25",
        "(linear + 1)^3",
        "exp(0.5*linear) * rbf(0.5)",
        "normalized(linear + 1)*normalized(normalized(exp(linear)) + rbf(2))^2 + normalized(linear)",
        "factor(coordinate, index=1)*rbf(0.5) @ columns(2..3)",
        "normalized(linear)",
        "normalized(exp(normalized(linear)^2))^3",
    ];

    #[test]
    fn values_are_those_of_the_definition() {
        let points = points();
        let rows: Vec<usize> = (0..points.len()).rev().collect();
        for text in KERNELS {
            let kernel = LeafByLeaf(text.parse().expect(text));
            let bound = kernel.bind(&points).expect(text);
            let mut out = vec![vec![f64::NAN; points.len()]; rows.len()];
            bound.rows_f64(&points, &rows, &mut out.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
            for (&i, row) in rows.iter().zip(&out) {
                for (j, &found) in row.iter().enumerate() {
                    let exact = kernel.0.value_in(3, points.row(i), points.row(j));
                    assert!((found - exact).abs() <= 1e-12 * exact.abs().max(1.0), "{text}: {found} {exact}");
                }
                let exact = kernel.0.value_in(3, points.row(i), points.row(i));
                assert!((bound.diagonal()[i] - exact).abs() <= 1e-12 * exact.abs().max(1.0), "{text}");
            }
        }
    }

    #[test]
    fn trees_of_leaves_pass_the_battery() {
        for text in KERNELS {
            assert_eq!(battery(&LeafByLeaf(text.parse().expect(text)), &points()), Ok(()), "{text}");
        }
    }

    #[test]
    fn rows_may_ask_for_their_first_columns_only() {
        let kernel = LeafByLeaf("normalized(linear + 1)*rbf(0.5)".parse().expect("a kernel"));
        let (points, bound) = (points(), kernel.bind(&points()).expect("binds"));
        let (mut whole, mut part) = (vec![0.0; points.len()], vec![0.0; 7]);
        bound.rows_f64(&points, &[5], &mut [&mut whole]);
        bound.rows_f64(&points, &[5], &mut [&mut part]);
        assert_eq!(part, whole[..7]);
    }

    #[test]
    fn equal_leaves_are_bound_once_and_counted_once() {
        let once = LeafByLeaf("2*linear + rbf".parse().expect("a kernel")).bind(&points()).expect("binds");
        let twice = "linear^2*rbf + rbf*linear".parse().expect("a kernel");
        assert_eq!(LeafByLeaf(twice).bind(&points()).expect("binds").cost(), once.cost());
    }

    #[test]
    fn a_diagonal_that_single_precision_cannot_hold_is_refused_by_point() {
        let points = Vectors::dense(1, vec![1.0, 1e30]);
        let error = LeafByLeaf("(linear + 1)^3".parse().expect("a kernel")).bind(&points).err();
        let message = error.map(|error| error.to_string()).unwrap_or_default();
        assert!(message.contains("between points 2 and 2"), "{message}");
    }
}
