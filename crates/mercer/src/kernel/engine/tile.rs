//! The algebra on tiles: statistics to values.

use super::element::Element;
use super::program::{Node, Program, Rows, Statistic};
use super::view::{RowSet, View};
use crate::kernel::{Metric, Smoothness, VectorKernel};
use crate::simd::PANEL;

/// Buffers of one thread, reused from tile to tile.
pub(super) struct Scratch<T> {
    pub(super) statistics: Vec<Vec<T>>,
    pub(super) spare: Vec<Vec<T>>,
    /// The tile computed last, row after row of `PANEL` values.
    pub(super) out: Vec<T>,
    /// The same in single precision, where it is not already.
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
            Node::Leaf { kernel, statistic } => {
                out[..size].copy_from_slice(&self.statistics[*statistic][..size]);
                self.leaf(kernel, *statistic, out);
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
    pub(super) fn leaf(&self, kernel: &VectorKernel, statistic: usize, out: &mut [T]) {
        let size = self.count * PANEL;
        let each = |out: &mut [T], profile: &dyn Fn(f64) -> f64| {
            out[..size].iter_mut().for_each(|v| *v = T::from_f64(profile(v.to_f64())));
        };
        match *kernel {
            VectorKernel::Linear | VectorKernel::Intersection | VectorKernel::Precomputed => {}
            VectorKernel::Polynomial { degree, gamma, coef0 } => {
                each(out, &|s| (gamma * s + coef0).powi(degree as i32));
            }
            VectorKernel::Tanh { gamma, coef0 } => each(out, &|s| (gamma * s + coef0).tanh()),
            VectorKernel::Rbf { gamma } => self.gaussian(statistic, gamma, out),
            VectorKernel::Plummer { epsilon, power } => {
                self.distance(statistic, out, |d| (d + epsilon * epsilon).powf(-power / 2.0));
            }
            VectorKernel::Matern { nu, length } => {
                self.distance(statistic, out, |d| matern(nu, d.sqrt() / length))
            }
            VectorKernel::RationalQuadratic { alpha, length } => {
                self.distance(statistic, out, |d| (1.0 + d / (2.0 * alpha * length * length)).powf(-alpha));
            }
            VectorKernel::Laplace { gamma } => each(out, &|s| (-gamma * s).exp()),
            VectorKernel::Cosine => self.norms(statistic, out, cosine),
            VectorKernel::Gaussian { metric, sigma } => {
                let bell = |d: f64| (-d / (2.0 * sigma * sigma)).exp();
                match metric {
                    Metric::L1 | Metric::Canberra => each(out, &|s| bell(s * s)),
                    Metric::ChiSquare => each(out, &bell),
                    Metric::Hamming => {
                        let width = self.hamming_width(statistic);
                        each(out, &|s| bell((s / width) * (s / width)));
                    }
                    Metric::Angular => self.norms(statistic, out, |s, x, y| {
                        // A zero vector is at a right angle to all but another zero vector.
                        let angle =
                            if x == 0.0 && y == 0.0 { 0.0 } else { cosine(s, x, y).clamp(-1.0, 1.0).acos() };
                        bell(angle * angle)
                    }),
                }
            }
            VectorKernel::Factor(_) => {
                let Statistic::Factor { columns, .. } = &self.program.statistics[statistic] else {
                    unreachable!("a factor leaf has a factor statistic")
                };
                let columns = &columns[self.p * PANEL..columns.len().min((self.p + 1) * PANEL)];
                for r in 0..self.count {
                    let row = self.rows.factors[statistic][self.first + r].to_f64();
                    for (v, c) in out[r * PANEL..].iter_mut().zip(columns) {
                        *v = T::from_f64(row * c.to_f64());
                    }
                }
            }
        }
    }

    fn view(&self, statistic: usize) -> (&View<T>, &RowSet<T>) {
        match &self.program.statistics[statistic] {
            Statistic::Dot(view) | Statistic::Termwise(view, _) => {
                (&self.program.views[*view].view, &self.rows.sets[*view])
            }
            _ => unreachable!("only vectors have norms"),
        }
    }

    fn hamming_width(&self, statistic: usize) -> f64 {
        self.view(statistic).0.width().max(1) as f64
    }

    fn gaussian(&self, statistic: usize, gamma: f64, out: &mut [T]) {
        let (view, rows) = self.view(statistic);
        for (r, dots) in out[..self.count * PANEL].chunks_exact_mut(PANEL).enumerate() {
            T::gaussian(dots, view.norms(self.p), rows.norms[self.first + r], T::from_f64(gamma));
        }
    }

    /// Applies a profile of (inner product, squared norm of the row, squared norm of the column).
    fn norms(&self, statistic: usize, out: &mut [T], profile: impl Fn(f64, f64, f64) -> f64) {
        let (view, rows) = self.view(statistic);
        for (r, dots) in out[..self.count * PANEL].chunks_exact_mut(PANEL).enumerate() {
            let row = rows.norms[self.first + r].to_f64();
            for (dot, column) in dots.iter_mut().zip(view.norms(self.p)) {
                *dot = T::from_f64(profile(dot.to_f64(), row, column.to_f64()));
            }
        }
    }

    /// Applies a profile of the squared distance.
    fn distance(&self, statistic: usize, out: &mut [T], profile: impl Fn(f64) -> f64) {
        self.norms(statistic, out, |dot, x, y| {
            let square = x + y - 2.0 * dot;
            let near = square <= ROUNDING * (x + y);
            profile(if x + y > f64::MAX {
                f64::INFINITY
            } else if near {
                0.0
            } else {
                square
            })
        });
    }
}

fn cosine(dot: f64, x: f64, y: f64) -> f64 {
    if x > 0.0 && y > 0.0 { dot / (x * y).sqrt() } else { 0.0 }
}

fn matern(nu: Smoothness, r: f64) -> f64 {
    match nu {
        Smoothness::Half => (-r).exp(),
        Smoothness::ThreeHalves => (1.0 + 3f64.sqrt() * r) * (-(3f64.sqrt()) * r).exp(),
        Smoothness::FiveHalves => (1.0 + 5f64.sqrt() * r + 5.0 * r * r / 3.0) * (-(5f64.sqrt()) * r).exp(),
    }
}
