//! Points and kernels of any space, made from the list of spaces.

use std::cmp::Ordering;
use std::fmt::Display;
use std::ops::ControlFlow;
use std::path::Path;
use std::str::FromStr;

use super::Space;
use crate::data::{Graph, Points, ReadOptions, Records, Table, Vectors};
use crate::error::{Error, ErrorKind, Result};
use crate::kernel::{Bound, Definiteness, Expr, Kernel, Listed, Parameter, Readout, Reference};
use crate::linalg::Tick;
use crate::model::file::{Flaw, Reader, Writer};

/// Points of any space as those of the space `X`.
pub(super) trait AsSpace<X> {
    /// The points, if they are of that space.
    fn as_space(&self) -> Option<&X>;
}

/// A kernel bound to columns of the space `X`, for rows of any space, which must be of the same.
struct OfAny<X>(Box<dyn Bound<X>>);

/// Points that the caller has found to be of the space that a kernel is bound to.
fn bound<X>(points: &AnyPoints) -> &X
where
    AnyPoints: AsSpace<X>,
{
    points.as_space().expect("points of the space of the kernel")
}

impl<X: Space> Bound<AnyPoints> for OfAny<X>
where
    AnyPoints: AsSpace<X>,
{
    fn columns(&self) -> usize {
        self.0.columns()
    }

    fn diagonal(&self) -> Vec<f64> {
        self.0.diagonal()
    }

    fn admits(&self, points: &AnyPoints) -> Result<()> {
        self.0.admits(bound(points))
    }

    fn rows(&self, points: &AnyPoints, rows: &[usize], out: &mut [&mut [f32]]) {
        self.0.rows(bound(points), rows, out);
    }

    fn rows_f64(&self, points: &AnyPoints, rows: &[usize], out: &mut [&mut [f64]]) {
        self.0.rows_f64(bound(points), rows, out);
    }

    fn pack_double(&self) {
        self.0.pack_double();
    }

    fn accumulate(
        &self,
        points: &AnyPoints,
        rows: &[usize],
        weights: &[f64],
        diagonal: &[f64],
        sums: &mut [f64],
    ) {
        self.0.accumulate(bound(points), rows, weights, diagonal, sums);
    }

    fn read(&self, points: &AnyPoints, rows: &[usize], blocks: &[Readout], sums: &mut [f64]) {
        self.0.read(bound(points), rows, blocks, sums);
    }

    fn own(&self, points: &AnyPoints, rows: &[usize]) -> Option<Vec<f64>> {
        self.0.own(bound(points), rows)
    }

    fn cost(&self) -> f64 {
        self.0.cost()
    }

    fn is_short(&self, rows: usize, double: bool) -> bool {
        self.0.is_short(rows, double)
    }
}

/// c, if the kernel is that.
fn constant<L>(kernel: &Expr<L>) -> Option<f64> {
    match kernel {
        Expr::Constant(c) => Some(*c),
        _ => None,
    }
}

/// The faults that the spaces found in a kernel's text, as one: those furthest to the right, each where it differs.
fn furthest(errors: Vec<(&'static str, Error)>) -> Error {
    let fault = |error: &Error| match error.kind() {
        ErrorKind::KernelText { text, column, expected } => Some((text.clone(), *column, expected.clone())),
        _ => None,
    };
    let faults: Vec<_> = errors.iter().map(|(space, error)| (*space, fault(error))).collect();
    let most = faults.iter().filter_map(|(_, fault)| fault.as_ref().map(|(_, column, _)| *column)).max();
    let mut told: Option<(Box<str>, usize, String)> = None;
    for (space, fault) in faults {
        match (fault.filter(|(_, column, _)| Some(*column) == most), &mut told) {
            (Some((text, column, expected)), None) => told = Some((text, column, expected.into())),
            (Some((_, _, expected)), Some((_, _, all))) if **all != *expected => {
                *all += &format!("; on {space}: {expected}");
            }
            _ => {}
        }
    }
    match told {
        Some((text, column, expected)) => {
            ErrorKind::KernelText { text, column, expected: expected.into() }.into()
        }
        None => errors.into_iter().next().expect("there is a space").1,
    }
}

/// The error of things of different spaces.
pub(super) fn mixed<T>(first: &str, second: &str) -> Result<T> {
    let what = format!("points of the space '{second}' where the kernel is of '{first}'").into();
    Err(ErrorKind::Unsupported { what }.into())
}

/// The error of kernels of different spaces in one expression.
fn mixed_kernels<T>(first: &AnyKernel, second: &AnyKernel) -> Result<T> {
    let [one, other] = [first, second].map(AnyKernel::space);
    let what = format!("one kernel of '{first}', of {one}, and '{second}', of {other}").into();
    Err(ErrorKind::Unsupported { what }.into())
}

/// Makes the types that hold a thing of any space, from the list of spaces, and what must name each of them: `each!` matches a
/// thing of any space, `wrap!` makes one of another, `both!` and `paired!` match two things that must be of one space.
macro_rules! spaces {
    ($($(#[$doc:meta])* $variant:ident($points:ty)),+ $(,)?) => {
        /// The words for the spaces.
        pub const SPACES: &[&str] = &[$(<$points as Space>::NAME),+];

        /// The named kernels, by space.
        #[must_use]
        pub fn listed_kernels() -> Vec<(&'static str, Vec<Listed>)> {
            vec![$((<$points as Space>::NAME, <$points as Space>::kernels())),+]
        }

        /// Points of any space.
        #[derive(Debug, Clone, PartialEq)]
        pub enum AnyPoints {
            $($(#[$doc])* $variant($points),)+
        }

        /// A kernel of any space.
        #[derive(Debug, Clone, PartialEq)]
        pub enum AnyKernel {
            $($(#[$doc])* $variant(<$points as Space>::Kernel),)+
        }

        $(
            impl From<$points> for AnyPoints {
                fn from(points: $points) -> Self {
                    Self::$variant(points)
                }
            }

            impl From<<$points as Space>::Kernel> for AnyKernel {
                fn from(kernel: <$points as Space>::Kernel) -> Self {
                    Self::$variant(kernel)
                }
            }

            impl AsSpace<$points> for AnyPoints {
                fn as_space(&self) -> Option<&$points> {
                    if let Self::$variant(points) = self { Some(points) } else { None }
                }
            }
        )+

        macro_rules! each {
            ($any:expr, $type:ident, $thing:pat => $result:expr) => {
                match $any { $($type::$variant($thing) => $result,)+ }
            };
            ($any:expr, $type:ident of $space:ident, $thing:pat => $result:expr) => {
                match $any { $($type::$variant($thing) => {
                    type $space = $points;
                    $result
                })+ }
            };
        }

        macro_rules! wrap {
            ($any:expr, $type:ident, $thing:pat => $new:ident($result:expr)) => {
                match $any { $($type::$variant($thing) => $new::$variant($result),)+ }
            };
        }

        macro_rules! both {
            ($any:expr, $type:ident, $thing:ident, $points_of:expr, $given:ident => $result:expr) => {
                match ($any, $points_of) {
                    $(($type::$variant($thing), AnyPoints::$variant($given)) => $result,)+
                    (first, second) => mixed(first.space(), second.space()),
                }
            };
        }

        macro_rules! paired {
            ($pair:expr, $first:ident, $second:ident => $result:expr) => {
                match $pair {
                    $((AnyKernel::$variant($first), AnyKernel::$variant($second)) => Ok(AnyKernel::$variant($result)),)+
                    (first, second) => mixed_kernels(&first, &second),
                }
            };
        }

        impl FromStr for AnyKernel {
            type Err = Error;

            /// The kernel of the first space that accepts the text; else the rule by which a space refuses it that knows all of it;
            /// else what the spaces that understood most of it expected.
            fn from_str(text: &str) -> Result<Self> {
                let mut errors = Vec::new();
                $(
                    match text.parse::<<$points as Space>::Kernel>() {
                        Ok(kernel) => return Ok(Self::$variant(kernel)),
                        Err(error) => errors.push((<$points as Space>::NAME, error)),
                    }
                )+
                let known = [$(<<$points as Space>::Kernel>::is_known(text)),+];
                match known.iter().position(|&known| known) {
                    Some(space) => Err(errors.swap_remove(space).1),
                    None => Err(furthest(errors)),
                }
            }
        }

        impl AnyPoints {
            /// The points of a model file, which names their space.
            fn read_named(prefix: &str, reader: &mut Reader<'_>) -> Result<Self, Flaw> {
                let space = reader.peek("space").unwrap_or(SPACES[0]).to_owned();
                $(
                    if space == <$points as Space>::NAME {
                        return <$points as Space>::read(prefix, reader).map(Self::$variant);
                    }
                )+
                Err(format!("space '{space}': this program reads {}", SPACES.join(", ")).into())
            }
        }
    };
}

spaces! {
    /// Rows of numbers.
    Vectors(Vectors),
    /// Texts in Unicode.
    Texts(Vec<String>),
    /// Undirected graphs with labels.
    Graphs(Vec<Graph>),
    /// Sets of vectors.
    Sets(Vec<Vectors>),
    /// Rows of a table whose columns are of several of these.
    Records(Records),
}

/// The word for the space of a thing of any space.
macro_rules! spaced {
    ($($type:ident),+) => {$(
        impl $type {
            /// The word for its space.
            #[must_use]
            pub fn space(&self) -> &'static str {
                each!(self, $type of X, _ => X::NAME)
            }
        }
    )+};
}
spaced!(AnyPoints, AnyKernel);

impl AnyPoints {
    /// How they are stored, in words.
    #[must_use]
    pub fn storage(&self) -> &'static str {
        each!(self, Self, points => points.storage())
    }

    /// Reads a data file of points of the space that the kernel is of; without one, graphs of a folder and vectors of a file.
    ///
    /// # Errors
    /// If the file cannot be read, with the place of what is wrong in it.
    pub fn read(kernel: Option<&AnyKernel>, path: &Path, options: &ReadOptions) -> Result<Table<Self>> {
        let Some(kernel) = kernel else {
            if path.is_dir() {
                return Ok(Vec::<Graph>::read_table(None, path, options)?.map(Self::from));
            }
            return Ok(Vectors::read_table(None, path, options)?.map(Self::from));
        };
        each!(kernel, AnyKernel of X, kernel => Ok(X::read_table(Some(kernel), path, options)?.map(Self::from)))
    }
}

impl Points for AnyPoints {
    fn len(&self) -> usize {
        each!(self, Self, points => Points::len(points))
    }
    fn select(&self, index: &[usize]) -> Self {
        each!(self, Self, points => points.select(index).into())
    }
    fn width(&self) -> usize {
        each!(self, Self, points => points.width())
    }
    fn first_not_finite(&self) -> Option<(usize, usize)> {
        each!(self, Self, points => points.first_not_finite())
    }
    fn compare(&self, i: usize, j: usize) -> Ordering {
        each!(self, Self, points => Points::compare(points, i, j))
    }
    fn accepts(&self, others: &Self) -> Result<()> {
        both!(self, Self, points, others, given => points.accepts(given))
    }
}

/// Points of any space as one space, so that a method need be compiled only once for all of them.
impl Space for AnyPoints {
    const NAME: &'static str = "points of any space";
    type Kernel = AnyKernel;

    fn space(&self) -> &'static str {
        self.space()
    }

    fn kernels() -> Vec<Listed> {
        listed_kernels().into_iter().flat_map(|(_, kernels)| kernels).collect()
    }

    fn parse_kernel(&self, text: &str) -> Result<AnyKernel> {
        Ok(wrap!(self, Self, points => AnyKernel(points.parse_kernel(text)?)))
    }

    fn check_kernel(kernel: &AnyKernel) -> Result<()> {
        kernel.check()
    }

    fn default_kernel(width: usize) -> AnyKernel {
        AnyKernel::Vectors(Vectors::default_kernel(width))
    }

    fn usual_kernel(&self) -> AnyKernel {
        wrap!(self, Self, points => AnyKernel(points.usual_kernel()))
    }

    fn widened(self, width: usize) -> Self {
        wrap!(self, Self, points => Self(points.widened(width)))
    }

    fn is_precomputed(kernel: &AnyKernel) -> bool {
        kernel.is_precomputed()
    }

    fn read_table(kernel: Option<&AnyKernel>, path: &Path, options: &ReadOptions) -> Result<Table<Self>> {
        Self::read(kernel, path, options)
    }

    fn write(&self, prefix: &str, writer: &mut Writer) {
        each!(self, Self, points => points.write(prefix, writer));
    }

    fn read(prefix: &str, reader: &mut Reader<'_>) -> Result<Self, Flaw> {
        Self::read_named(prefix, reader)
    }

    fn storage(&self) -> &'static str {
        self.storage()
    }
}

impl AnyKernel {
    /// What is known of its definiteness without looking at data.
    #[must_use]
    pub fn definiteness(&self) -> Definiteness {
        each!(self, Self of X, kernel => Kernel::<X>::definiteness(kernel))
    }

    /// Whether the points are its values.
    #[must_use]
    pub fn is_precomputed(&self) -> bool {
        each!(self, Self of X, kernel => X::is_precomputed(kernel))
    }

    /// Refuses parameters out of range.
    ///
    /// # Errors
    /// The first rule broken.
    pub fn check(&self) -> Result<()> {
        each!(self, Self of X, kernel => X::check_kernel(kernel))
    }

    /// The kernel c on points of the same space.
    #[must_use]
    pub fn constant(&self, c: f64) -> Self {
        wrap!(self, Self, _ => Self(Expr::Constant(c)))
    }

    /// Two kernels as operands: a constant becomes one on points of the other's space.
    fn operands(self, other: Self) -> (Self, Self) {
        let number = |kernel: &Self| each!(kernel, Self, kernel => constant(kernel));
        match (number(&self), number(&other)) {
            (_, Some(c)) => (self.clone(), self.constant(c)),
            (Some(c), None) => (other.constant(c), other),
            (None, None) => (self, other),
        }
    }

    /// k + l.
    ///
    /// # Errors
    /// If they are of different spaces.
    pub fn plus(self, other: Self) -> Result<Self> {
        paired!(self.operands(other), first, second => first + second)
    }

    /// k · l.
    ///
    /// # Errors
    /// If they are of different spaces.
    pub fn times(self, other: Self) -> Result<Self> {
        paired!(self.operands(other), first, second => first * second)
    }

    /// kᵐ.
    #[must_use]
    pub fn power(self, exponent: u32) -> Self {
        wrap!(self, Self, kernel => Self(kernel.power(exponent)))
    }

    /// exp(k).
    #[must_use]
    pub fn exp(self) -> Self {
        wrap!(self, Self, kernel => Self(kernel.exp()))
    }

    /// k(x, y)/√(k(x, x) k(y, y)).
    #[must_use]
    pub fn normalized(self) -> Self {
        wrap!(self, Self, kernel => Self(kernel.normalized()))
    }

    /// k(x, y) − mean k(·, y) − mean k(x, ·) + mean k(·, ·); see [`Expr::centered`].
    #[must_use]
    pub fn centered(self) -> Self {
        wrap!(self, Self, kernel => Self(kernel.centered()))
    }

    /// The kernel fitted to points that count once each; see [`Kernel::fitted`].
    ///
    /// # Errors
    /// If a number is not finite, or the kernel cannot be evaluated on these points.
    pub fn about(&self, points: &AnyPoints) -> Result<Self> {
        if self.reference().is_ok() {
            return Ok(self.clone());
        }
        points.check_finite()?;
        self.fitted(&Reference::new(points), &mut |_| ControlFlow::Continue(()))
    }

    /// The real parameters, in the order of the text.
    #[must_use]
    pub fn parameters(&self) -> Vec<Parameter> {
        each!(self, Self, kernel => kernel.parameters())
    }

    /// The kernel with another value of the parameter at `path`.
    ///
    /// # Errors
    /// If there is no such parameter, or the value is out of range.
    pub fn with_parameter(&self, path: &str, value: f64) -> Result<Self> {
        Ok(wrap!(self, Self, kernel => Self(kernel.with_parameter(path, value)?)))
    }
}

impl Kernel<AnyPoints> for AnyKernel {
    fn bind(&self, columns: &AnyPoints) -> Result<Box<dyn Bound<AnyPoints>>> {
        both!(self, Self, kernel, columns, given => Ok(Box::new(OfAny(kernel.bind(given)?))))
    }

    fn diagonal(&self, points: &AnyPoints) -> Result<Vec<f64>> {
        both!(self, Self, kernel, points, given => kernel.diagonal(given))
    }

    fn definiteness(&self) -> Definiteness {
        self.definiteness()
    }

    fn searched(&self) -> Vec<Parameter> {
        self.parameters()
    }

    fn with_searched(&self, vector: &[f64]) -> Result<Self> {
        Ok(wrap!(self, Self, kernel => Self(kernel.with_vector(vector)?)))
    }

    fn fitted(&self, reference: &Reference<AnyPoints>, tick: Tick<'_>) -> Result<Self> {
        let Reference { points, weights, means } = reference;
        both!(self, Self, kernel, points, points => {
            let (weights, means) = (weights.clone(), means.clone());
            kernel.fitted(&Reference { points: points.clone(), weights, means }, tick).map(Self::from)
        })
    }

    fn reference(&self) -> Result<Option<Reference<AnyPoints>>> {
        Ok(each!(self, Self, kernel => kernel.reference()?.map(|reference| {
            let Reference { points, weights, means } = reference;
            Reference { points: points.into(), weights, means }
        })))
    }

    fn landmarks(&self) -> Vec<Vectors> {
        each!(self, Self, kernel => kernel.landmarks())
    }

    fn with_landmarks(&self, landmarks: Vec<Vectors>) -> Result<Self> {
        Ok(wrap!(self, Self, kernel => Self(kernel.with_landmarks(landmarks)?)))
    }
}

impl Display for AnyKernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        each!(self, Self, kernel => Display::fmt(kernel, f))
    }
}
