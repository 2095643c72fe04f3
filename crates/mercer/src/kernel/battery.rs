//! The laws every kernel must keep, as a test any kernel can be put through.

use std::fmt;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::check::{block, spread};
use super::{Bound, Definiteness, Kernel};
use crate::data::Points;
use crate::linalg::Eigen;

/// The most points looked at; of more, this many spread evenly over the data.
const MOST: usize = 128;

/// Two values in double precision that should be the same may differ by this, relative to their scale
/// √(k(x, x) k(y, y)): they may come from sums in another order.
const DOUBLE: f64 = 1e-9;

/// A value in single precision may be off by this, relative to its scale.
const SINGLE: f64 = 1e-5;

/// The smallest eigenvalue of a semi-definite Gram may be below 0 by this times n times the largest.
const EIGENVALUE: f64 = 1e-12;

/// A law that a kernel breaks, where, and the values that show it. Points are counted from 0.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Failure {
    /// A step that should work gave an error.
    Error {
        /// What was tried.
        step: &'static str,
        /// The message.
        message: Box<str>,
    },
    /// The bound kernel has another number of columns, or of diagonal values, than points were bound.
    Columns {
        /// What it has.
        found: usize,
        /// Points bound.
        expected: usize,
    },
    /// k(xᵢ, xⱼ) is not finite.
    NotFinite {
        /// (i, j)
        at: (usize, usize),
        /// The value.
        value: f64,
    },
    /// k(xᵢ, xⱼ) ≠ k(xⱼ, xᵢ).
    Asymmetric {
        /// (i, j)
        at: (usize, usize),
        /// k(xᵢ, xⱼ)
        value: f64,
        /// k(xⱼ, xᵢ)
        transposed: f64,
    },
    /// The diagonal differs from the entry in the row.
    Diagonal {
        /// i
        at: usize,
        /// k(xᵢ, xᵢ) by the diagonal
        diagonal: f64,
        /// k(xᵢ, xᵢ) in row i
        value: f64,
    },
    /// The row in single precision differs from the one in double precision.
    Single {
        /// (i, j)
        at: (usize, usize),
        /// In single precision.
        single: f32,
        /// In double precision.
        double: f64,
        /// The difference allowed.
        tolerance: f64,
    },
    /// A row asked for alone has other bits than the same row among others.
    Alone {
        /// (i, j)
        at: (usize, usize),
        /// The value when alone.
        alone: f64,
        /// The value among others.
        together: f64,
    },
    /// Bound to a subset of the points, the kernel has other values than those columns of the whole.
    Subset {
        /// (i, j)
        at: (usize, usize),
        /// The value bound to the subset.
        subset: f64,
        /// The value bound to all.
        whole: f64,
    },
    /// It claims to be positive semi-definite and is not.
    NotPsd {
        /// The smallest eigenvalue of the Gram.
        smallest: f64,
        /// The smallest allowed.
        tolerance: f64,
    },
    /// The bits depend on the number of threads.
    Threads {
        /// (i, j)
        at: (usize, usize),
        /// The value with one thread.
        one: f64,
        /// The value with two.
        two: f64,
    },
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error { step, message } => write!(f, "{step}: {message}"),
            Self::Columns { found, expected } => {
                write!(f, "{found} columns or diagonal values for {expected} points")
            }
            Self::NotFinite { at: (i, j), value } => write!(f, "k(x[{i}], x[{j}]) = {value} is not finite"),
            Self::Asymmetric { at: (i, j), value, transposed } => {
                write!(f, "k(x[{i}], x[{j}]) = {value} but k(x[{j}], x[{i}]) = {transposed}")
            }
            Self::Diagonal { at, diagonal, value } => {
                write!(f, "k(x[{at}], x[{at}]) is {diagonal} by the diagonal, {value} by the row")
            }
            Self::Single { at: (i, j), single, double, tolerance } => {
                let text =
                    format!("k(x[{i}], x[{j}]) is {single} in single and {double} in double precision");
                write!(f, "{text}; they may differ by {tolerance:e}")
            }
            Self::Alone { at: (i, j), alone, together } => {
                write!(
                    f,
                    "k(x[{i}], x[{j}]) is {alone} when row {i} is asked for alone, {together} among others"
                )
            }
            Self::Subset { at: (i, j), subset, whole } => {
                write!(
                    f,
                    "k(x[{i}], x[{j}]) is {subset} bound to a subset of the points, {whole} bound to all"
                )
            }
            Self::NotPsd { smallest, tolerance } => {
                write!(
                    f,
                    "claims to be positive semi-definite, but the Gram has the eigenvalue {smallest:e}; "
                )?;
                write!(f, "rounding explains {tolerance:e}")
            }
            Self::Threads { at: (i, j), one, two } => {
                write!(f, "k(x[{i}], x[{j}]) is {one} with one thread, {two} with two")
            }
        }
    }
}

/// Puts a kernel through the laws: finite; symmetric; the diagonal agrees with the rows, single precision with double;
/// a row asked for alone has the bits it has among others; bound to a subset it gives that part of the Gram; positive
/// semi-definite on the data if it claims so; the same bits with one and two threads.
///
/// Cost: about ten Gram matrices of at most 128 of the points, and one eigendecomposition.
///
/// ```
/// use mercer::data::{Dense, Vectors};
/// use mercer::kernel::{Failure, Pointwise, battery};
///
/// let points = Vectors::from(Dense::new(1, vec![1.0, 2.0, 4.0]));
/// let less = Pointwise::psd(|x: &Vectors, i: usize, y: &Vectors, j: usize| x.row(i).get(0) - y.row(j).get(0));
/// let failures = battery(&less, &points).unwrap_err();
/// assert!(matches!(failures[0], Failure::Asymmetric { at: (1, 0), .. }));
/// assert_eq!(failures[0].to_string(), "k(x[1], x[0]) = 1 but k(x[0], x[1]) = -1");
/// ```
///
/// # Errors
/// The laws broken, each by the first pair of points that shows it.
pub fn battery<X, K>(kernel: &K, points: &X) -> Result<(), Vec<Failure>>
where
    X: Points,
    K: Kernel<X> + ?Sized,
{
    let index = spread(points.len(), MOST);
    let points = points.select(&index);
    let bench = Bench::new(kernel, &points).map_err(|failure| vec![failure])?;
    let laws = [
        bench.finite(),
        bench.symmetric(),
        bench.diagonal(),
        bench.single(),
        bench.alone(),
        bench.subset(),
        bench.definite(),
        bench.threads(),
    ];
    let failures: Vec<Failure> = laws.into_iter().flatten().map(|failure| failure.moved(&index)).collect();
    if failures.is_empty() { Ok(()) } else { Err(failures) }
}

impl Failure {
    /// The failure with places in the sample replaced by places in the data.
    fn moved(mut self, index: &[usize]) -> Self {
        match &mut self {
            Self::NotFinite { at, .. }
            | Self::Asymmetric { at, .. }
            | Self::Single { at, .. }
            | Self::Alone { at, .. }
            | Self::Subset { at, .. }
            | Self::Threads { at, .. } => *at = (index[at.0], index[at.1]),
            Self::Diagonal { at, .. } => *at = index[*at],
            Self::Error { .. } | Self::Columns { .. } | Self::NotPsd { .. } => {}
        }
        self
    }
}

/// A bound kernel and its Gram in double precision.
struct Bench<'a, X: Points, K: ?Sized> {
    kernel: &'a K,
    points: &'a X,
    bound: Box<dyn Bound<X>>,
    all: Vec<usize>,
    gram: Vec<f64>,
    diagonal: Vec<f64>,
}

impl<'a, X: Points, K: Kernel<X> + ?Sized> Bench<'a, X, K> {
    fn new(kernel: &'a K, points: &'a X) -> Result<Self, Failure> {
        let bound = bind(kernel, points)?;
        let all: Vec<usize> = (0..points.len()).collect();
        let diagonal = bound.diagonal();
        for found in [bound.columns(), diagonal.len()] {
            if found != points.len() {
                return Err(Failure::Columns { found, expected: points.len() });
            }
        }
        let gram = block(&*bound, points, &all);
        Ok(Self { kernel, points, bound, all, gram, diagonal })
    }

    fn n(&self) -> usize {
        self.all.len()
    }

    fn value(&self, i: usize, j: usize) -> f64 {
        self.gram[i * self.n() + j]
    }

    fn scale(&self, i: usize, j: usize) -> f64 {
        (self.value(i, i) * self.value(j, j)).abs().sqrt().max(self.value(i, j).abs())
    }

    /// The first pair for which `broken` has something to say.
    fn first(&self, broken: impl Fn(usize, usize) -> Option<Failure>) -> Option<Failure> {
        self.all.iter().flat_map(|&i| self.all.iter().map(move |&j| (i, j))).find_map(|(i, j)| broken(i, j))
    }

    fn finite(&self) -> Option<Failure> {
        self.first(|i, j| {
            let value = self.value(i, j);
            (!value.is_finite()).then_some(Failure::NotFinite { at: (i, j), value })
        })
    }

    fn symmetric(&self) -> Option<Failure> {
        self.first(|i, j| {
            let (value, transposed) = (self.value(i, j), self.value(j, i));
            let broken =
                j < i && (value - transposed).abs() > DOUBLE * self.scale(i, j).max(transposed.abs());
            broken.then_some(Failure::Asymmetric { at: (i, j), value, transposed })
        })
    }

    fn diagonal(&self) -> Option<Failure> {
        self.all.iter().find_map(|&at| {
            let (diagonal, value) = (self.diagonal[at], self.value(at, at));
            let holds = (diagonal - value).abs() <= DOUBLE * value.abs();
            (!holds && value.is_finite()).then_some(Failure::Diagonal { at, diagonal, value })
        })
    }

    fn single(&self) -> Option<Failure> {
        let single = block_f32(&*self.bound, self.points, &self.all);
        self.first(|i, j| {
            let (single, double) = (single[i * self.n() + j], self.value(i, j));
            // Below the smallest normal number f32 has fewer digits, and then none.
            let tolerance = (SINGLE * self.scale(i, j)).max(f32::MIN_POSITIVE.into());
            let holds = (f64::from(single) - double).abs() <= tolerance;
            // A value outside the range of f32 has no answer in f32; `finite` speaks of the others.
            let representable = (double as f32).is_finite();
            (!holds && representable).then_some(Failure::Single { at: (i, j), single, double, tolerance })
        })
    }

    fn alone(&self) -> Option<Failure> {
        let single = block_f32(&*self.bound, self.points, &self.all);
        self.all.iter().find_map(|&i| {
            let row = i * self.n()..(i + 1) * self.n();
            let differ = |j: usize, alone: f64, together: f64| {
                (alone.to_bits() != together.to_bits()).then_some(Failure::Alone {
                    at: (i, j),
                    alone,
                    together,
                })
            };
            let alone = block(&*self.bound, self.points, &[i]);
            let double = alone.iter().zip(&self.gram[row.clone()]).enumerate();
            let alone32 = block_f32(&*self.bound, self.points, &[i]);
            let mut single = alone32.iter().zip(&single[row]).enumerate();
            let mut double = double.filter_map(|(j, (&a, &b))| differ(j, a, b));
            double.next().or_else(|| single.find_map(|(j, (&a, &b))| differ(j, a.into(), b.into())))
        })
    }

    fn subset(&self) -> Option<Failure> {
        // Every second point, last first.
        let chosen: Vec<usize> = self.all.iter().copied().rev().step_by(2).collect();
        let bound = match bind(self.kernel, &self.points.select(&chosen)) {
            Ok(bound) => bound,
            Err(failure) => return Some(failure),
        };
        if bound.columns() != chosen.len() {
            return Some(Failure::Columns { found: bound.columns(), expected: chosen.len() });
        }
        let rows = block(&*bound, self.points, &self.all);
        self.first(|i, j| {
            let place = chosen.iter().position(|&c| c == j)?;
            let (subset, whole) = (rows[i * chosen.len() + place], self.value(i, j));
            let broken = (subset - whole).abs() > DOUBLE * self.scale(i, j);
            broken.then_some(Failure::Subset { at: (i, j), subset, whole })
        })
    }

    fn definite(&self) -> Option<Failure> {
        if self.kernel.definiteness() != Definiteness::Psd || self.finite().is_some() || self.n() == 0 {
            return None;
        }
        let eigen = Eigen::new(self.n(), |i, j| 0.5 * self.value(i, j) + 0.5 * self.value(j, i))?;
        let smallest = eigen.values[0];
        let largest = eigen.values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
        let tolerance = -(self.n() as f64) * EIGENVALUE * largest;
        (smallest < tolerance).then_some(Failure::NotPsd { smallest, tolerance })
    }

    fn threads(&self) -> Option<Failure> {
        let gram = |threads: usize| {
            let bind = || {
                let bound = bind(self.kernel, self.points)?;
                let double = block(&*bound, self.points, &self.all);
                Ok((double, block_f32(&*bound, self.points, &self.all)))
            };
            pool(threads)?.install(bind)
        };
        let ((one, one32), (two, two32)) = match (gram(1), gram(2)) {
            (Ok(one), Ok(two)) => (one, two),
            (Err(failure), _) | (_, Err(failure)) => return Some(failure),
        };
        self.first(|i, j| {
            let at = i * self.n() + j;
            let differ = |one: f64, two: f64| {
                (one.to_bits() != two.to_bits()).then_some(Failure::Threads { at: (i, j), one, two })
            };
            differ(one[at], two[at]).or_else(|| differ(one32[at].into(), two32[at].into()))
        })
    }
}

fn bind<X: Points, K: Kernel<X> + ?Sized>(kernel: &K, points: &X) -> Result<Box<dyn Bound<X>>, Failure> {
    let failure = |error: crate::Error| Failure::Error { step: "bind", message: error.to_string().into() };
    kernel.bind(points).map_err(failure)
}

fn pool(threads: usize) -> Result<ThreadPool, Failure> {
    let failure = |error: rayon::ThreadPoolBuildError| Failure::Error {
        step: "start threads",
        message: error.to_string().into(),
    };
    ThreadPoolBuilder::new().num_threads(threads).build().map_err(failure)
}

fn block_f32<X: Points>(bound: &dyn Bound<X>, points: &X, rows: &[usize]) -> Vec<f32> {
    let columns = bound.columns();
    let mut values = vec![0.0; rows.len() * columns];
    let mut out: Vec<&mut [f32]> = values.chunks_exact_mut(columns.max(1)).collect();
    bound.rows(points, rows, &mut out);
    values
}
