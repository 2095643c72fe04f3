//! An expression made ready to run on tiles.
//!
//! Binding turns each leaf into a statistic of two rows (an inner product, a sum over features, a product of factors,
//! a table entry), shared by all leaves that need the same one, and a profile applied to it. A tile of
//! statistics is computed once, then the algebra works on tiles of values.

use super::element::Element;
use super::view::{RowSet, Termwise, View, largest_square, mapped, square};
use crate::data::{Points, Vectors};
use crate::error::{DataProblem, ErrorKind, Result};
use crate::kernel::{Expr, Factor, Map, Metric, Smoothness, VectorExpr, VectorKernel, VectorLeaf};
use crate::simd::PANEL;

/// A statistic of a row and a column.
enum Statistic<T> {
    /// Inner products on the view with this number.
    Dot(usize),
    /// A sum over features on the view with this number.
    Termwise(usize, Termwise),
    /// f(x) f(y): the values of f at the columns.
    Factor { leaf: VectorLeaf, columns: Vec<T> },
    /// The row's entry at the column's serial number.
    Lookup(Vec<usize>),
}

/// A node of the expression.
enum Node {
    Constant(f64),
    Leaf { kernel: VectorKernel, statistic: usize },
    Sum(Vec<Node>),
    Product(Vec<Node>),
    Power(Box<Node>, u32),
    Exp(Box<Node>),
    Normalized { inner: Box<Node>, scale: usize },
}

/// A bound expression.
pub(super) struct Program<T> {
    views: Vec<ViewEntry<T>>,
    statistics: Vec<Statistic<T>>,
    scales: Vec<Scale<T>>,
    root: Node,
}

struct ViewEntry<T> {
    maps: Vec<Map>,
    centred: bool,
    termwise: bool,
    view: View<T>,
}

/// 1/√k(y, y) for the columns of a normalised part, and the part, for rows.
struct Scale<T> {
    part: VectorExpr,
    columns: Vec<T>,
}

/// What the rows of a block need, beside the columns.
pub(super) struct Rows<T> {
    sets: Vec<RowSet<T>>,
    factors: Vec<Vec<T>>,
    scales: Vec<Vec<T>>,
    lookups: Vec<Vec<f64>>,
    serials: usize,
}

/// Which statistic a kernel is a profile of.
enum Need {
    Dot { centred: bool },
    Termwise(Termwise),
    Factor,
    Lookup,
}

fn need(kernel: &VectorKernel) -> Need {
    match kernel {
        VectorKernel::Linear
        | VectorKernel::Polynomial { .. }
        | VectorKernel::Tanh { .. }
        | VectorKernel::Cosine
        | VectorKernel::Gaussian { metric: Metric::Angular, .. } => Need::Dot { centred: false },
        VectorKernel::Rbf { .. }
        | VectorKernel::Plummer { .. }
        | VectorKernel::Matern { .. }
        | VectorKernel::RationalQuadratic { .. } => Need::Dot { centred: true },
        VectorKernel::Laplace { .. } | VectorKernel::Gaussian { metric: Metric::L1, .. } => {
            Need::Termwise(Termwise::AbsoluteDifference)
        }
        VectorKernel::Gaussian { metric: Metric::ChiSquare, .. } => Need::Termwise(Termwise::ChiSquare),
        VectorKernel::Gaussian { metric: Metric::Canberra, .. } => Need::Termwise(Termwise::Canberra),
        VectorKernel::Gaussian { metric: Metric::Hamming, .. } => Need::Termwise(Termwise::Differs),
        VectorKernel::Intersection => Need::Termwise(Termwise::Minimum),
        VectorKernel::Factor(_) => Need::Factor,
        VectorKernel::Precomputed => Need::Lookup,
    }
}

/// Single precision keeps an inner product of m terms right to about ½√m · 2⁻²⁴ of the largest squared norm R²; times
/// the steepest slope of the profile that is the error of a kernel value. It may reach this much where everything
/// conspires; most values are ten times closer.
const SINGLE_ERROR: f64 = 4e-6;

/// How large the values of a part can be, and how far off in single precision.
#[derive(Clone, Copy)]
struct Bounds {
    value: f64,
    error: f64,
}

/// Whether kernel values are right to about 1e-6 when computed in single precision on these columns.
pub(super) fn single_is_enough(expr: &VectorExpr, columns: &Vectors) -> Result<bool> {
    Ok(bounds(expr, columns)?.error <= SINGLE_ERROR)
}

fn bounds(expr: &VectorExpr, columns: &Vectors) -> Result<Bounds> {
    let unknown = Bounds { value: f64::INFINITY, error: f64::INFINITY };
    let all =
        |parts: &[VectorExpr]| parts.iter().map(|part| bounds(part, columns)).collect::<Result<Vec<_>>>();
    Ok(match expr {
        Expr::Constant(c) => Bounds { value: c.abs(), error: 0.0 },
        Expr::Leaf(leaf) => leaf_bounds(leaf, columns)?,
        Expr::Sum(parts) => all(parts)?.iter().fold(Bounds { value: 0.0, error: 0.0 }, |a, b| Bounds {
            value: a.value + b.value,
            error: a.error + b.error,
        }),
        Expr::Product(parts) => all(parts)?.iter().fold(Bounds { value: 1.0, error: 0.0 }, |a, b| Bounds {
            value: a.value * b.value,
            error: a.error * b.value + a.value * b.error,
        }),
        Expr::Power(inner, power) => {
            let (inner, power) = (bounds(inner, columns)?, f64::from(*power));
            let slope = power * inner.value.powf((power - 1.0).max(0.0));
            Bounds { value: inner.value.powf(power), error: slope * inner.error }
        }
        Expr::Exp(inner) => {
            let inner = bounds(inner, columns)?;
            Bounds { value: inner.value.exp(), error: inner.value.exp() * inner.error }
        }
        // The diagonal it is divided by can be small.
        Expr::Normalized(_) => unknown,
    })
}

fn leaf_bounds(leaf: &VectorLeaf, columns: &Vectors) -> Result<Bounds> {
    let unit = f64::from(f32::EPSILON) / 2.0 * (0.5 * (most_terms(columns) as f64).sqrt()).max(1.0);
    let centred = matches!(need(&leaf.kernel), Need::Dot { centred: true });
    let square = || largest_square(columns, &leaf.maps, centred);
    Ok(match leaf.kernel {
        VectorKernel::Linear => {
            let square = square()?;
            Bounds { value: square, error: unit * square }
        }
        VectorKernel::Polynomial { degree, gamma, coef0 } => {
            let (square, degree) = (square()?, f64::from(degree));
            let base = gamma * square + coef0.abs();
            Bounds {
                value: base.powf(degree),
                error: unit * degree * gamma * base.powf(degree - 1.0) * square,
            }
        }
        VectorKernel::Tanh { gamma, .. } | VectorKernel::Rbf { gamma } => {
            Bounds { value: 1.0, error: unit * gamma * square()? }
        }
        // Given, not computed: rounded once.
        VectorKernel::Precomputed | VectorKernel::Factor(_) => {
            let part = Expr::Leaf(leaf.clone());
            let value = (0..columns.len()).map(|i| own(&part, columns, i).abs()).fold(0.0, f64::max);
            Bounds {
                value,
                error: if matches!(leaf.kernel, VectorKernel::Precomputed) { 0.0 } else { unit * value },
            }
        }
        _ => Bounds { value: f64::INFINITY, error: f64::INFINITY },
    })
}

/// Terms of the longest inner product with a column.
fn most_terms(columns: &Vectors) -> usize {
    (0..columns.len()).map(|i| columns.row(i).stored()).max().unwrap_or(0)
}

/// k(x, x) for point `i`.
pub(super) fn own(expr: &VectorExpr, points: &Vectors, i: usize) -> f64 {
    match expr {
        Expr::Constant(c) => *c,
        Expr::Leaf(leaf) if leaf.maps.is_empty() => own_leaf(leaf, points, i),
        Expr::Leaf(leaf) => leaf.value_in(points.width(), points.row(i), points.row(i)),
        Expr::Sum(parts) => parts.iter().map(|part| own(part, points, i)).sum(),
        Expr::Product(parts) => parts.iter().map(|part| own(part, points, i)).product(),
        Expr::Power(inner, power) => own(inner, points, i).powi(*power as i32),
        Expr::Exp(inner) => own(inner, points, i).exp(),
        Expr::Normalized(inner) => f64::from(u8::from(own(inner, points, i) > 0.0)),
    }
}

/// k(x, x) of a leaf without maps, from the entries of the row alone.
fn own_leaf(leaf: &VectorLeaf, points: &Vectors, i: usize) -> f64 {
    let square = || square(points, i, None);
    match leaf.kernel {
        VectorKernel::Rbf { .. }
        | VectorKernel::Laplace { .. }
        | VectorKernel::Matern { .. }
        | VectorKernel::RationalQuadratic { .. }
        | VectorKernel::Gaussian { .. } => 1.0,
        VectorKernel::Linear => square(),
        VectorKernel::Polynomial { degree, gamma, coef0 } => (gamma * square() + coef0).powi(degree as i32),
        VectorKernel::Tanh { gamma, coef0 } => (gamma * square() + coef0).tanh(),
        VectorKernel::Plummer { epsilon, power } => (epsilon * epsilon).powf(-power / 2.0),
        VectorKernel::Cosine => f64::from(u8::from(square() > 0.0)),
        VectorKernel::Intersection => {
            let mut sum = 0.0;
            points.row(i).for_each(|_, v| sum += v);
            sum
        }
        VectorKernel::Factor(_) => factor(leaf, points, i).powi(2),
        VectorKernel::Precomputed => points.row(i).get(points.row(i).get(0) as usize),
    }
}

impl<T: Element> Program<T> {
    pub(super) fn new(expr: &VectorExpr, columns: &Vectors) -> Result<Self> {
        let mut program =
            Self { views: Vec::new(), statistics: Vec::new(), scales: Vec::new(), root: Node::Constant(0.0) };
        program.root = program.node(expr, columns)?;
        Ok(program)
    }

    /// The most rows a block should have.
    pub(super) fn block_rows(&self) -> usize {
        if self.views.iter().any(|entry| entry.view.is_wide()) { PANEL } else { usize::MAX }
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
                let roots = (0..columns.len()).map(|i| inverse_root(inner, columns, i)).collect();
                self.scales.push(Scale { part: (**inner).clone(), columns: roots });
                Node::Normalized { inner: node, scale: self.scales.len() - 1 }
            }
            Expr::Leaf(leaf) => {
                let statistic = self.statistic(leaf, columns)?;
                Node::Leaf { kernel: leaf.kernel.clone(), statistic }
            }
        })
    }

    fn statistic(&mut self, leaf: &VectorLeaf, columns: &Vectors) -> Result<usize> {
        let statistic = match need(&leaf.kernel) {
            Need::Dot { centred } => Statistic::Dot(self.view(leaf, centred, false, columns)?),
            Need::Termwise(term) => Statistic::Termwise(self.view(leaf, false, true, columns)?, term),
            Need::Factor => {
                let values = (0..columns.len()).map(|i| T::from_f64(factor(leaf, columns, i))).collect();
                Statistic::Factor { leaf: leaf.clone(), columns: values }
            }
            Need::Lookup => Statistic::Lookup(serials(columns)?),
        };
        let same = |known: &Statistic<T>| match (known, &statistic) {
            (Statistic::Dot(a), Statistic::Dot(b)) => a == b,
            (Statistic::Termwise(a, s), Statistic::Termwise(b, t)) => a == b && s == t,
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
        let factors = |statistic: &Statistic<T>| match statistic {
            Statistic::Factor { leaf, .. } => {
                rows.iter().map(|&i| T::from_f64(factor(leaf, points, i))).collect()
            }
            _ => Vec::new(),
        };
        let scales = |scale: &Scale<T>| rows.iter().map(|&i| inverse_root(&scale.part, points, i)).collect();
        let serials = if self.statistics.iter().any(|s| matches!(s, Statistic::Lookup(_))) {
            points.width()
        } else {
            0
        };
        let lookup = |&i: &usize| (0..serials).map(|k| points.row(i).get(k)).collect();
        Rows {
            sets: self.views.iter().map(|entry| entry.view.pack(points, rows)).collect(),
            factors: self.statistics.iter().map(factors).collect(),
            scales: self.scales.iter().map(scales).collect(),
            lookups: if serials > 0 { rows.iter().map(lookup).collect() } else { Vec::new() },
            serials,
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
        if let Node::Leaf { kernel, statistic } = &self.root {
            // One leaf: its statistic becomes the tile in place.
            scratch.out.resize(size, T::default());
            self.fill(&self.statistics[*statistic], rows, first, count, p, &mut scratch.out);
            Tile { program: self, rows, first, count, p, statistics: &[] }.leaf(
                kernel,
                *statistic,
                &mut scratch.out,
            );
            return;
        }
        scratch.statistics.resize_with(self.statistics.len(), Vec::new);
        for (statistic, out) in self.statistics.iter().zip(&mut scratch.statistics) {
            out.resize(size, T::default());
            self.fill(statistic, rows, first, count, p, out);
        }
        let mut out = std::mem::take(&mut scratch.out);
        out.resize(size, T::default());
        let tile = Tile { program: self, rows, first, count, p, statistics: &scratch.statistics };
        tile.evaluate(&self.root, &mut out, &mut scratch.spare);
        scratch.out = out;
    }

    fn fill(
        &self,
        statistic: &Statistic<T>,
        rows: &Rows<T>,
        first: usize,
        count: usize,
        p: usize,
        out: &mut [T],
    ) {
        match statistic {
            Statistic::Dot(view) => self.views[*view].view.dots(&rows.sets[*view], first, count, p, out),
            Statistic::Termwise(view, term) => {
                self.views[*view].view.termwise(*term, &rows.sets[*view], first, count, p, out);
            }
            // Factors are multiplied where they are used.
            Statistic::Factor { .. } => {}
            Statistic::Lookup(serials) => {
                let serials = &serials[p * PANEL..serials.len().min((p + 1) * PANEL)];
                for r in 0..count {
                    for (c, &serial) in serials.iter().enumerate() {
                        let value = if serial < rows.serials { rows.lookups[first + r][serial] } else { 0.0 };
                        out[r * PANEL + c] = T::from_f64(value);
                    }
                }
            }
        }
    }
}

/// Buffers of one thread, reused from tile to tile.
pub(super) struct Scratch<T> {
    statistics: Vec<Vec<T>>,
    spare: Vec<Vec<T>>,
    /// The tile computed last, row after row of `PANEL` values.
    pub(super) out: Vec<T>,
}

impl<T> Default for Scratch<T> {
    fn default() -> Self {
        Self { statistics: Vec::new(), spare: Vec::new(), out: Vec::new() }
    }
}

struct Tile<'a, T> {
    program: &'a Program<T>,
    rows: &'a Rows<T>,
    first: usize,
    count: usize,
    p: usize,
    statistics: &'a [Vec<T>],
}

impl<T: Element> Tile<'_, T> {
    fn evaluate(&self, node: &Node, out: &mut [T], spare: &mut Vec<Vec<T>>) {
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
    fn leaf(&self, kernel: &VectorKernel, statistic: usize, out: &mut [T]) {
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
        self.norms(statistic, out, |dot, x, y| profile((x + y - 2.0 * dot).max(0.0)));
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

/// 1/√k(x, x) for point `i`, 0 where the value is not positive.
fn inverse_root<T: Element>(part: &VectorExpr, points: &Vectors, i: usize) -> T {
    let value = own(part, points, i);
    T::from_f64(if value > 0.0 { 1.0 / value.sqrt() } else { 0.0 })
}

/// f(x) of a factor kernel at point `i`.
fn factor(leaf: &VectorLeaf, points: &Vectors, i: usize) -> f64 {
    let point = points.select(&[i]);
    let image = mapped(&point, &leaf.maps).expect("points as wide as the columns can be mapped as they were");
    match leaf.kernel {
        VectorKernel::Factor(Factor::Norm) => square(&image, 0, None).sqrt(),
        VectorKernel::Factor(Factor::Coordinate(k)) => k.checked_sub(1).map_or(0.0, |k| image.row(0).get(k)),
        VectorKernel::Factor(Factor::Bump { gamma }) => (-gamma * square(&image, 0, None)).exp(),
        _ => unreachable!("only factor kernels have a factor"),
    }
}

/// Serial numbers of the columns of a precomputed Gram: whole numbers from 1.
fn serials(columns: &Vectors) -> Result<Vec<usize>> {
    (0..columns.len())
        .map(|i| {
            let serial = columns.row(i).get(0);
            if serial >= 1.0 && serial.fract() == 0.0 && serial <= f64::from(u32::MAX) {
                Ok(serial as usize)
            } else {
                let rule = "column 0 must hold the serial number of the point, a whole number from 1";
                Err(ErrorKind::Data(DataProblem::Precomputed { row: i + 1, rule }).into())
            }
        })
        .collect()
}
