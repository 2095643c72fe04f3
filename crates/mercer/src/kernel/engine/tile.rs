//! The algebra on tiles: statistics to values.

use super::element::Element;
use super::program::{BoundStatistic, Node, Program, Rows};
use super::view::{RowSet, View};
use crate::kernel::vector::profile::Profile;
use crate::simd::PANEL;

/// Buffers of one thread, reused from tile to tile.
pub(super) struct Scratch<T> {
    pub(super) statistics: Vec<Vec<T>>,
    pub(super) spare: Vec<Vec<T>>,
    /// The tile computed last, row after row of `PANEL` values.
    pub(super) out: Vec<T>,
    /// The tile computed last in single precision, where it was computed in double.
    pub(super) single: Vec<f32>,
}

impl<T> Default for Scratch<T> {
    fn default() -> Self {
        Self { statistics: Vec::new(), spare: Vec::new(), out: Vec::new(), single: Vec::new() }
    }
}

/// A squared distance below this share of the squared norms is rounding: the points are the same. A square root would
/// make 1e-8 of it.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// A tile under way: `count` rows from `first` against panel `p`.
pub(super) struct Tile<'a, T> {
    pub(super) program: &'a Program<T>,
    pub(super) rows: &'a Rows<T>,
    pub(super) first: usize,
    pub(super) count: usize,
    pub(super) p: usize,
    pub(super) statistics: &'a [Vec<T>],
}

impl<T: Element> Tile<'_, T> {
    /// Computes the values of a node.
    pub(super) fn evaluate(&self, node: &Node, out: &mut [T], spare: &mut Vec<Vec<T>>) {
        let size = self.count * PANEL;
        match node {
            Node::Constant(value) => out[..size].fill(T::from_f64(*value)),
            Node::Leaf { profile, statistic } => {
                out[..size].copy_from_slice(&self.statistics[*statistic][..size]);
                self.leaf(profile, *statistic, out);
            }
            Node::Sum(parts) => self.fold(parts, out, spare, |a, b| a + b),
            Node::Product(parts) => self.fold(parts, out, spare, |a, b| a * b),
            Node::Power(inner, power) => {
                self.evaluate(inner, out, spare);
                out[..size].iter_mut().for_each(|v| *v = T::from_f64(v.to_f64().powi(*power as i32)));
            }
            Node::Exp(inner) => {
                self.evaluate(inner, out, spare);
                T::exp(&mut out[..size]);
            }
            Node::Normalized { inner, scale } => {
                self.evaluate(inner, out, spare);
                let columns = &self.program.scales[*scale].columns;
                let columns = &columns[self.p * PANEL..columns.len().min((self.p + 1) * PANEL)];
                for r in 0..self.count {
                    let row = self.rows.scales[*scale][self.first + r].to_f64();
                    for (v, c) in out[r * PANEL..].iter_mut().zip(columns) {
                        *v = T::from_f64(v.to_f64() * row * c.to_f64());
                    }
                }
            }
        }
    }

    fn fold(&self, parts: &[Node], out: &mut [T], spare: &mut Vec<Vec<T>>, join: impl Fn(f64, f64) -> f64) {
        let Some((first, rest)) = parts.split_first() else { return out.fill(T::default()) };
        self.evaluate(first, out, spare);
        for part in rest {
            let mut other = spare.pop().unwrap_or_default();
            other.resize(out.len(), T::default());
            self.evaluate(part, &mut other, spare);
            for (a, b) in out[..self.count * PANEL].iter_mut().zip(&other) {
                *a = T::from_f64(join(a.to_f64(), b.to_f64()));
            }
            spare.push(other);
        }
    }

    /// Applies the profile of a leaf to its statistic, which `out` holds.
    pub(super) fn leaf(&self, profile: &Profile, statistic: usize, out: &mut [T]) {
        match profile {
            Profile::Identity => {}
            Profile::Of(f) => self.each_row(out, |_, values| f(values)),
            Profile::OfShare(f) => {
                let width = self.view(statistic).0.width().max(1) as f64;
                self.each_row(out, |_, values| {
                    values.iter_mut().for_each(|value| *value /= width);
                    f(values);
                });
            }
            Profile::Gaussian { gamma } => self.gaussian(statistic, *gamma, out),
            Profile::OfSquare(f) => self.each_product(statistic, out, |dots, row, columns| {
                dots.iter_mut().zip(columns).for_each(|(dot, &column)| *dot = square(*dot, row, column));
                f(dots);
            }),
            Profile::OfNorms(f) => self.each_product(statistic, out, f),
        }
    }

    fn view(&self, statistic: usize) -> (&View<T>, &RowSet<T>) {
        match &self.program.statistics[statistic] {
            BoundStatistic::Dot(view) | BoundStatistic::Termwise(view, _) => {
                (&self.program.views[*view].view, &self.rows.sets[*view])
            }
            _ => unreachable!("only vectors have norms"),
        }
    }

    fn gaussian(&self, statistic: usize, gamma: f64, out: &mut [T]) {
        let (view, rows) = self.view(statistic);
        for (r, dots) in out[..self.count * PANEL].chunks_exact_mut(PANEL).enumerate() {
            T::gaussian(dots, view.norms(self.p), rows.norms[self.first + r], T::from_f64(gamma));
        }
    }

    /// Replaces the values of each row of the tile, in double precision.
    fn each_row(&self, out: &mut [T], change: impl Fn(usize, &mut [f64])) {
        let mut values = [0.0; PANEL];
        for (r, row) in out[..self.count * PANEL].chunks_exact_mut(PANEL).enumerate() {
            values.iter_mut().zip(&*row).for_each(|(value, v)| *value = v.to_f64());
            change(r, &mut values);
            row.iter_mut().zip(values).for_each(|(v, value)| *v = T::from_f64(value));
        }
    }

    /// Replaces the inner products of each row of the tile, given the squared norms of the row and of the columns.
    fn each_product(&self, statistic: usize, out: &mut [T], change: impl Fn(&mut [f64], f64, &[f64])) {
        let (view, rows) = self.view(statistic);
        let mut columns = [0.0; PANEL];
        columns.iter_mut().zip(view.norms(self.p)).for_each(|(column, norm)| *column = norm.to_f64());
        self.each_row(out, |r, dots| change(dots, rows.norms[self.first + r].to_f64(), &columns));
    }
}

/// ‖x − y‖² from the inner product and the squared norms.
fn square(dot: f64, x: f64, y: f64) -> f64 {
    let square = x + y - 2.0 * dot;
    let near = square <= ROUNDING * (x + y);
    if x + y > f64::MAX {
        f64::INFINITY
    } else if near {
        0.0
    } else {
        square
    }
}
