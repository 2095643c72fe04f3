//! The evaluation of an expression from the values of its leaves, for every space.
//!
//! Each distinct leaf is bound once. A block of rows of each leaf is computed in double precision, then the rules of the
//! algebra are applied entry by entry. An entry depends on its two points only, so that its bits depend neither on the
//! number of threads nor on which other rows are asked for.
//!
//! Cost of a row: that of the leaves, and one operation per node and column. Memory: [`BLOCK`] rows of each leaf.

use rayon::prelude::*;

use super::{Bound, Expr, Leaf};
use crate::data::{Points, Real};
use crate::error::{DataProblem, ErrorKind, Result};

/// Rows of leaf values held at once.
const BLOCK: usize = 64;

/// Entries per task: a piece of a row whose operands stay in the first-level cache.
const PIECE: usize = 512;

/// Binds a checked expression to `columns`, leaf by leaf.
pub(super) fn bind<L: Leaf>(expr: &Expr<L>, columns: &L::Points) -> Result<Box<dyn Bound<L::Points>>> {
    let mut leaves: Vec<L> = Vec::new();
    let expr = expr.clone().map_leaves(&mut |leaf| {
        leaves.iter().position(|known| *known == leaf).unwrap_or_else(|| {
            leaves.push(leaf);
            leaves.len() - 1
        })
    });
    let mut tree = Tree {
        bound: Vec::with_capacity(leaves.len()),
        leaves,
        expr,
        columns: columns.len(),
        diagonal: Vec::new(),
        scales: Vec::new(),
    };
    for leaf in &tree.leaves {
        tree.bound.push(leaf.bind(columns)?);
    }
    let own: Vec<Vec<f64>> = tree.bound.iter().map(|bound| bound.diagonal()).collect();
    tree.diagonal = finite((0..columns.len()).map(|i| diagonal(&tree.expr, &own, i)).collect())?;
    tree.scales = tree.scales_of(&own, columns.len());
    // One leaf is its own tree.
    match (&tree.expr, tree.bound.pop()) {
        (Expr::Leaf(_), Some(bound)) => Ok(bound),
        (_, last) => {
            tree.bound.extend(last);
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

/// An expression over the positions of its leaves, bound to columns.
struct Tree<L: Leaf> {
    expr: Expr<usize>,
    leaves: Vec<L>,
    bound: Vec<Box<dyn Bound<L::Points>>>,
    columns: usize,
    diagonal: Vec<f64>,
    /// 1/√k(y, y) of the columns for each normalised part, in the order of [`normalized_parts`].
    scales: Vec<Vec<f64>>,
}

/// What a piece of a row is computed from.
struct Piece<'a> {
    /// The values of each leaf.
    leaves: Vec<&'a [f64]>,
    /// 1/√k(x, x) of the row for each normalised part.
    row_scales: &'a [f64],
    /// 1/√k(y, y) of the columns of the piece for each normalised part.
    column_scales: Vec<&'a [f64]>,
}

impl<L: Leaf> Tree<L> {
    /// k(x, x) of `points[rows]` for each leaf.
    fn own(&self, points: &L::Points, rows: &[usize]) -> Vec<Vec<f64>> {
        let of = |(leaf, bound): (&L, &dyn Bound<L::Points>)| {
            bound.own(points, rows).unwrap_or_else(|| leaf.diagonal(points, rows))
        };
        self.leaves.iter().zip(self.bound.iter().map(|bound| &**bound)).map(of).collect()
    }

    /// 1/√k(x, x) of so many points for each normalised part, given k(x, x) of the leaves.
    fn scales_of(&self, own: &[Vec<f64>], points: usize) -> Vec<Vec<f64>> {
        let mut parts = Vec::new();
        normalized_parts(&self.expr, &mut parts);
        let scale = |part: &Expr<usize>, i: usize| inverse_root(diagonal(part, own, i));
        parts.iter().map(|part| (0..points).map(|i| scale(part, i)).collect()).collect()
    }

    fn fill<T: Real>(&self, points: &L::Points, rows: &[usize], out: &mut [&mut [T]]) {
        for (rows, out) in rows.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
            let widths: Vec<usize> = out.iter().map(|row| row.len()).collect();
            let scales = if self.scales.is_empty() {
                Vec::new()
            } else {
                self.scales_of(&self.own(points, rows), rows.len())
            };
            let values: Vec<Vec<Vec<f64>>> =
                self.bound.iter().map(|bound| block(&**bound, points, rows, &widths)).collect();
            out.par_iter_mut().enumerate().for_each(|(r, row)| {
                let row_scales: Vec<f64> = scales.iter().map(|part| part[r]).collect();
                row.par_chunks_mut(PIECE).enumerate().for_each_init(Vec::new, |spare, (task, target)| {
                    let range = task * PIECE..task * PIECE + target.len();
                    let piece = Piece {
                        leaves: values.iter().map(|leaf| &leaf[r][range.clone()]).collect(),
                        row_scales: &row_scales,
                        column_scales: self.scales.iter().map(|part| &part[range.clone()]).collect(),
                    };
                    let mut entries: Vec<f64> = spare.pop().unwrap_or_default();
                    entries.resize(target.len(), 0.0);
                    piece.evaluate(&self.expr, &mut 0, &mut entries, spare);
                    target.iter_mut().zip(&entries).for_each(|(t, &v)| *t = T::from_f64(v));
                    spare.push(entries);
                });
            });
        }
    }
}

/// Rows of a bound leaf, each with its first columns.
fn block<X: Points>(bound: &dyn Bound<X>, points: &X, rows: &[usize], widths: &[usize]) -> Vec<Vec<f64>> {
    let mut values: Vec<Vec<f64>> = widths.iter().map(|&width| vec![0.0; width]).collect();
    bound.rows_f64(points, rows, &mut values.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
    values
}

/// The normalised parts of an expression, each after those inside it.
fn normalized_parts<'a>(expr: &'a Expr<usize>, found: &mut Vec<&'a Expr<usize>>) {
    match expr {
        Expr::Leaf(_) | Expr::Constant(_) => {}
        Expr::Sum(parts) | Expr::Product(parts) => {
            parts.iter().for_each(|part| normalized_parts(part, found))
        }
        Expr::Power(inner, _) | Expr::Exp(inner) => normalized_parts(inner, found),
        Expr::Normalized(inner) => {
            normalized_parts(inner, found);
            found.push(inner);
        }
    }
}

/// 1/√k(x, x), 0 where the value is not positive.
fn inverse_root(own: f64) -> f64 {
    if own > 0.0 { 1.0 / own.sqrt() } else { 0.0 }
}

/// k(x, x) of point `i`, given k(x, x) of the leaves for each point.
fn diagonal(expr: &Expr<usize>, own: &[Vec<f64>], i: usize) -> f64 {
    let each = |part: &Expr<usize>| diagonal(part, own, i);
    match expr {
        Expr::Leaf(leaf) => own[*leaf][i],
        Expr::Constant(c) => *c,
        Expr::Sum(parts) => parts.iter().map(each).sum(),
        Expr::Product(parts) => parts.iter().map(each).product(),
        Expr::Power(inner, power) => each(inner).powi(*power as i32),
        Expr::Exp(inner) => each(inner).exp(),
        Expr::Normalized(inner) => f64::from(u8::from(each(inner) > 0.0)),
    }
}

impl Piece<'_> {
    /// Replaces `out` by the values of `expr`; `part` counts the normalised parts met so far.
    fn evaluate(&self, expr: &Expr<usize>, part: &mut usize, out: &mut [f64], spare: &mut Vec<Vec<f64>>) {
        match expr {
            Expr::Leaf(leaf) => out.copy_from_slice(self.leaves[*leaf]),
            Expr::Constant(c) => out.fill(*c),
            Expr::Sum(parts) => self.join(parts, part, out, spare, |a, b| a + b),
            Expr::Product(parts) => self.join(parts, part, out, spare, |a, b| a * b),
            Expr::Power(inner, power) => {
                self.evaluate(inner, part, out, spare);
                out.iter_mut().for_each(|v| *v = v.powi(*power as i32));
            }
            Expr::Exp(inner) => {
                self.evaluate(inner, part, out, spare);
                out.iter_mut().for_each(|v| *v = v.exp());
            }
            Expr::Normalized(inner) => {
                self.evaluate(inner, part, out, spare);
                let (row, columns) = (self.row_scales[*part], self.column_scales[*part]);
                out.iter_mut().zip(columns).for_each(|(v, column)| *v *= row * column);
                *part += 1;
            }
        }
    }

    fn join(
        &self,
        parts: &[Expr<usize>],
        part: &mut usize,
        out: &mut [f64],
        spare: &mut Vec<Vec<f64>>,
        operation: impl Fn(f64, f64) -> f64,
    ) {
        let Some((first, others)) = parts.split_first() else { return out.fill(0.0) };
        self.evaluate(first, part, out, spare);
        for other in others {
            let mut values = spare.pop().unwrap_or_default();
            values.resize(out.len(), 0.0);
            self.evaluate(other, part, &mut values, spare);
            out.iter_mut().zip(&values).for_each(|(a, &b)| *a = operation(*a, b));
            spare.push(values);
        }
    }
}

impl<L: Leaf> Bound<L::Points> for Tree<L> {
    fn columns(&self) -> usize {
        self.columns
    }

    fn diagonal(&self) -> Vec<f64> {
        self.diagonal.clone()
    }

    fn rows(&self, points: &L::Points, rows: &[usize], out: &mut [&mut [f32]]) {
        self.fill(points, rows, out);
    }

    fn rows_f64(&self, points: &L::Points, rows: &[usize], out: &mut [&mut [f64]]) {
        self.fill(points, rows, out);
    }

    fn cost(&self) -> f64 {
        self.bound.iter().map(|bound| bound.cost()).sum()
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
