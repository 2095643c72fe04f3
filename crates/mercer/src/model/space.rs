//! Spaces of inputs: what points of a space are to kernels, models and files.
//!
//! The spaces there are stand in one list, at the end of this file: [`AnyModel`], [`AnyPoints`] and [`AnyKernel`] are made
//! from it, and the doors go through them.

use std::fmt::{Debug, Display};
use std::path::Path;
use std::str::FromStr;

use super::estimator::{TargetKind, Targets};
use super::expansion::Coefficients;
use super::facts::Facts;
use super::file::{Flaw, Reader, Writer, read_model, write_model};
use super::fitted::{Calibrates, How, Model, Prediction};
use super::job::Job;
use super::method::{Card, Configured, Method};
use super::probability::{Estimate, Settings};
use super::quality::Quality;
use super::setting::Value;
use crate::data::{self, Dense, Graph, Points, ReadOptions, Records, Table, Vectors};
use crate::error::{Error, ErrorKind, Result};
use crate::kernel::{
    Bound, Definiteness, Expr, GraphExpr, GraphLeaf, Kernel, Leaf, Listed, Parameter, Readout, RecordExpr,
    SetExpr, SetLeaf, TextExpr, TextLeaf, VectorExpr, VectorKernel, VectorLeaf, rbf, set_mean, spectrum, wl,
};

/// A space of inputs that has a kernel algebra and a form in model files.
pub trait Space: Points + Debug + PartialEq + 'static {
    /// The word for it.
    const NAME: &'static str;

    /// Its kernel expressions.
    type Kernel: Kernel<Self> + Clone + PartialEq + Debug + Display + FromStr<Err = Error> + 'static;

    /// Each named kernel of the space, with the defaults of its parameters.
    fn kernels() -> Vec<Listed>;

    /// Refuses a kernel with parameters out of range.
    ///
    /// # Errors
    /// The first rule broken.
    fn check_kernel(kernel: &Self::Kernel) -> Result<()>;

    /// The kernel where none is named, for points with so many features.
    fn default_kernel(width: usize) -> Self::Kernel;

    /// Points with `width` features, the new ones zero; as they are where the space has none.
    #[must_use]
    fn widened(self, width: usize) -> Self {
        let _ = width;
        self
    }

    /// Whether the points are the values of the kernel.
    fn is_precomputed(kernel: &Self::Kernel) -> bool {
        let _ = kernel;
        false
    }

    /// Reads a data file of points for the kernel, as far as that is known.
    ///
    /// # Errors
    /// If the file cannot be read, with the place of what is wrong in it.
    fn read_table(kernel: Option<&Self::Kernel>, path: &Path, options: &ReadOptions) -> Result<Table<Self>>;

    /// Writes the points into a model file, `prefix` before each name.
    fn write(&self, prefix: &str, writer: &mut Writer);

    /// Reads points from a model file.
    ///
    /// # Errors
    /// What is wrong with them.
    fn read(prefix: &str, reader: &mut Reader<'_>) -> Result<Self, Flaw>;

    /// How points are stored, in words.
    fn storage(&self) -> &'static str;
}

impl Space for Vectors {
    const NAME: &'static str = "vectors";
    type Kernel = VectorExpr;

    fn kernels() -> Vec<Listed> {
        VectorLeaf::list()
    }

    fn check_kernel(kernel: &VectorExpr) -> Result<()> {
        kernel.check()
    }

    /// rbf with γ = 1/features, as LIBSVM has it.
    fn default_kernel(width: usize) -> VectorExpr {
        rbf(1.0 / width.max(1) as f64)
    }

    fn widened(self, width: usize) -> Self {
        self.with_width(width)
    }

    fn is_precomputed(kernel: &VectorExpr) -> bool {
        kernel.leaves().iter().any(|leaf| leaf.kernel == VectorKernel::Precomputed)
    }

    fn read_table(kernel: Option<&VectorExpr>, path: &Path, options: &ReadOptions) -> Result<Table> {
        let precomputed = kernel.is_some_and(Self::is_precomputed);
        data::read(path, &ReadOptions { precomputed, ..options.clone() })
    }

    fn write(&self, prefix: &str, writer: &mut Writer) {
        super::file::write_vectors(prefix, self, writer);
    }

    fn read(prefix: &str, reader: &mut Reader<'_>) -> Result<Self, Flaw> {
        super::file::read_vectors(prefix, reader)
    }

    fn storage(&self) -> &'static str {
        match self {
            Self::Dense32(_) => "dense, single precision",
            Self::Dense64(_) => "dense, double precision",
            Self::Sparse32(_) => "sparse, single precision",
            Self::Sparse64(_) => "sparse, double precision",
        }
    }
}

impl Space for Vec<String> {
    const NAME: &'static str = "texts";
    type Kernel = TextExpr;

    fn kernels() -> Vec<Listed> {
        TextLeaf::list()
    }

    fn check_kernel(kernel: &TextExpr) -> Result<()> {
        kernel.check()
    }

    /// The normalised 3-spectrum.
    fn default_kernel(_: usize) -> TextExpr {
        spectrum(3).normalized()
    }

    fn read_table(_: Option<&TextExpr>, path: &Path, options: &ReadOptions) -> Result<Table<Self>> {
        data::read_texts(path, options)
    }

    fn write(&self, prefix: &str, writer: &mut Writer) {
        super::file::write_texts(prefix, self, writer);
    }

    fn read(prefix: &str, reader: &mut Reader<'_>) -> Result<Self, Flaw> {
        super::file::read_texts(prefix, reader)
    }

    fn storage(&self) -> &'static str {
        "texts"
    }
}

impl Space for Vec<Vectors> {
    const NAME: &'static str = "sets";
    type Kernel = SetExpr;

    fn kernels() -> Vec<Listed> {
        SetLeaf::list()
    }

    fn check_kernel(kernel: &SetExpr) -> Result<()> {
        kernel.check()
    }

    /// The normalised mean of rbf with γ = 1/features.
    fn default_kernel(width: usize) -> SetExpr {
        set_mean(rbf(1.0 / width.max(1) as f64)).normalized()
    }

    fn widened(self, width: usize) -> Self {
        self.into_iter().map(|set| set.with_width(width)).collect()
    }

    fn read_table(_: Option<&SetExpr>, path: &Path, options: &ReadOptions) -> Result<Table<Self>> {
        data::read_sets(path, options)
    }

    fn write(&self, prefix: &str, writer: &mut Writer) {
        super::file::write_sets(prefix, self, writer);
    }

    fn read(prefix: &str, reader: &mut Reader<'_>) -> Result<Self, Flaw> {
        super::file::read_sets(prefix, reader)
    }

    fn storage(&self) -> &'static str {
        "sets of vectors"
    }
}

impl Space for Vec<Graph> {
    const NAME: &'static str = "graphs";
    type Kernel = GraphExpr;

    fn kernels() -> Vec<Listed> {
        GraphLeaf::list()
    }

    fn check_kernel(kernel: &GraphExpr) -> Result<()> {
        kernel.check()
    }

    /// Weisfeiler–Lehman subtrees of five rounds, normalised.
    fn default_kernel(_: usize) -> GraphExpr {
        wl(5).normalized()
    }

    fn read_table(_: Option<&GraphExpr>, path: &Path, options: &ReadOptions) -> Result<Table<Self>> {
        data::read_graphs(path, options)
    }

    fn write(&self, prefix: &str, writer: &mut Writer) {
        super::file::write_graphs(prefix, self, writer);
    }

    fn read(prefix: &str, reader: &mut Reader<'_>) -> Result<Self, Flaw> {
        super::file::read_graphs(prefix, reader)
    }

    fn storage(&self) -> &'static str {
        "graphs"
    }
}

impl Space for Records {
    const NAME: &'static str = "records";
    type Kernel = RecordExpr;

    /// None of its own: those of the other spaces, each with its columns.
    fn kernels() -> Vec<Listed> {
        Vec::new()
    }

    fn check_kernel(kernel: &RecordExpr) -> Result<()> {
        kernel.check()?;
        kernel.columns().map(|_| ())
    }

    fn default_kernel(_: usize) -> RecordExpr {
        Expr::Constant(1.0)
    }

    fn read_table(kernel: Option<&RecordExpr>, path: &Path, options: &ReadOptions) -> Result<Table<Self>> {
        let wanted = kernel.map_or_else(|| Ok(Vec::new()), RecordExpr::columns)?;
        data::read_records(path, wanted, options)
    }

    fn write(&self, prefix: &str, writer: &mut Writer) {
        super::file::write_records(prefix, self, writer);
    }

    fn read(prefix: &str, reader: &mut Reader<'_>) -> Result<Self, Flaw> {
        super::file::read_records(prefix, reader)
    }

    fn storage(&self) -> &'static str {
        "columns of a table"
    }
}

/// Points of any space as those of the space `X`.
trait AsSpace<X> {
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

    fn cost(&self) -> f64 {
        self.0.cost()
    }

    fn is_short(&self, rows: usize, double: bool) -> bool {
        self.0.is_short(rows, double)
    }
}

/// The kernel of the points' space where none is named.
fn default_kernel<X: Space>(points: &X) -> X::Kernel {
    X::default_kernel(points.width())
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
fn mixed<T>(first: &str, second: &str) -> Result<T> {
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

        /// A model of any space.
        #[derive(Debug, Clone, PartialEq)]
        pub enum AnyModel {
            $($(#[$doc])* $variant(Box<dyn Model<$points>>),)+
        }

        /// An estimator of any method and any space, its parameters by name.
        pub enum AnyEstimator {
            $($(#[$doc])* $variant(Box<dyn Configured<$points>>),)+
        }

        $(
            impl From<$points> for AnyPoints {
                fn from(points: $points) -> Self {
                    Self::$variant(points)
                }
            }

            impl From<Box<dyn Model<$points>>> for AnyModel {
                fn from(model: Box<dyn Model<$points>>) -> Self {
                    Self::$variant(model)
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

            /// The kernel of the first space that knows the text; else what the spaces that understood most of it expected.
            fn from_str(text: &str) -> Result<Self> {
                let mut errors = Vec::new();
                $(
                    match text.parse::<<$points as Space>::Kernel>() {
                        Ok(kernel) => return Ok(Self::$variant(kernel)),
                        Err(error) => errors.push((<$points as Space>::NAME, error)),
                    }
                )+
                Err(furthest(errors))
            }
        }

        impl AnyModel {
            /// Reads the model of a file.
            pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, Flaw> {
                let space = reader.optional("space").unwrap_or_else(|| SPACES[0].to_owned());
                $(
                    if space == <$points as Space>::NAME {
                        return read_model::<$points>(reader).map(Self::$variant);
                    }
                )+
                Err(format!("space '{space}': this program reads {}", SPACES.join(", ")).into())
            }
        }

        impl AnyEstimator {
            /// Learns what the decisions of a model that was just fitted are worth.
            ///
            /// # Errors
            /// If the method has no probabilities, or a fit to the points without a fold fails.
            pub fn learn(
                &self,
                x: &AnyPoints,
                y: &Targets<AnyPoints>,
                model: &AnyModel,
                settings: &Settings,
                job: &mut Job<'_, AnyPoints>,
            ) -> Result<Option<Estimate>> {
                match (self, x, model) {
                    $((Self::$variant(estimator), AnyPoints::$variant(x), AnyModel::$variant(model)) => {
                        let y = y.try_map(|_| mixed(self.space(), "another"))?;
                        let mut own = job.of_space();
                        let learnt = estimator.learn(x, &y, &**model, settings, &mut own);
                        job.found = own.found;
                        learnt
                    })+
                    (first, second, _) => mixed(first.space(), second.space()),
                }
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

/// What things of any space do as those of their own do. A line is a signature without `&self`, and the answer of the thing.
macro_rules! forward {
    ($type:ident, $thing:ident: $($(#[$doc:meta])+ fn $name:ident($($given:ident: $of:ty),*) -> $result:ty = $answer:expr;)+) => {
        impl $type {$(
            $(#[$doc])+
            pub fn $name(&self, $($given: $of),*) -> $result {
                each!(self, Self, $thing => $answer)
            }
        )+}
    };
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
spaced!(AnyPoints, AnyKernel, AnyModel, AnyEstimator);

impl AnyPoints {
    /// The kernel where none is named.
    #[must_use]
    pub fn default_kernel(&self) -> AnyKernel {
        wrap!(self, Self, points => AnyKernel(default_kernel(points)))
    }

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
}

impl Display for AnyKernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        each!(self, Self, kernel => Display::fmt(kernel, f))
    }
}

forward! { AnyModel, model:
    /// The word for its kind in model files.
    fn kind() -> &'static str = model.kind();
    /// Features of its points; 0 where the space has none.
    fn width() -> usize = model.expansion().points().width();
    /// The coefficients of its (first) expansion.
    fn coefficients() -> &Coefficients = model.expansion().coefficients();
    /// b of each output.
    fn offsets() -> &[f64] = model.expansion().offsets();
    /// Positions of the support points in the training data, from 0; empty when unknown.
    fn support() -> &[usize] = model.support();
    /// How many support points there are, of cells those of all.
    fn support_points() -> usize = model.support_points();
    /// The names of its classes or labels; empty where it has none.
    fn classes() -> &[String] = model.classes();
    /// How good it is.
    fn quality() -> Quality = model.quality();
    /// What it has besides, by name.
    fn facts() -> Facts = model.facts();
    /// What kind of thing it is, in a few words.
    fn words() -> String = model.words();
    /// What its outputs are, and the name of each.
    fn outputs() -> (&'static str, Vec<String>) = model.outputs();
    /// The number of the class that a row of [`AnyModel::decisions`] stands for.
    fn class_of(decisions: &[f64]) -> usize = model.class_of(decisions);
    /// What probabilities can be learnt for it.
    fn calibrates() -> Calibrates = model.calibrates();
    /// Whether a prediction of `rows` points is work for the calling thread alone; as [`Model::is_short`].
    fn is_short(rows: usize, how: How) -> bool = model.is_short(rows, how);
    /// Components of the points that the model is made of; as [`Model::own_components`].
    fn own_components() -> Option<Dense<f64>> = model.own_components();
    /// Refuses parts that do not fit together; as [`Model::check`].
    fn check() -> Result<Dense<f64>, Flaw> = model.check();
}

/// What [`Model`]s say at points, under the same names.
macro_rules! at_points {
    ($($(#[$doc:meta])+ fn $name:ident($($how:ident: $kind:ty)?) -> $result:ty;)+) => {
        impl AnyModel {$(
            $(#[$doc])+
            ///
            /// # Errors
            #[doc = concat!("As [`Model::", stringify!($name), "`]; if the points are of another space.")]
            pub fn $name(&self, points: &AnyPoints $(, $how: $kind)?) -> Result<$result> {
                both!(self, Self, model, points, given => model.$name(given $(, $how)?))
            }
        )+}
    };
}
at_points! {
    /// What it says of each of `points`.
    fn predict(how: How) -> Prediction;
    /// The outputs at each of `points`.
    fn decisions(how: How) -> Dense<f64>;
    /// A score for each class or label.
    fn scores(how: How) -> Dense<f64>;
    /// Probabilities of the classes that need no estimate.
    fn probabilities(how: How) -> Dense<f64>;
    /// Components of each of `points`.
    fn components() -> Dense<f64>;
    /// Components of points of the second of two views.
    fn second_components() -> Dense<f64>;
}

impl AnyModel {
    /// The kernel of its (first) expansion.
    #[must_use]
    pub fn kernel(&self) -> AnyKernel {
        wrap!(self, Self, model => AnyKernel(model.expansion().kernel().clone()))
    }

    /// The points of its (first) expansion.
    #[must_use]
    pub fn points(&self) -> AnyPoints {
        wrap!(self, Self, model => AnyPoints(model.expansion().points().clone()))
    }

    /// The model with other coefficients and offsets, which must be of the same number.
    #[must_use]
    pub fn with_values(mut self, coefficients: &Coefficients, offsets: &[f64]) -> Self {
        each!(&mut self, Self, model => model.expansion_mut().change(&mut |expansion| {
            expansion.with_values(coefficients.clone(), offsets.to_vec())
        }));
        self
    }

    /// Makes the points of all its expansions `width` features wide; the new features are zero.
    pub fn widen(&mut self, width: usize) {
        each!(self, Self, model => model.change(&mut |expansion| {
            let points = expansion.points().clone().widened(width);
            expansion.with_points(points)
        }));
    }

    /// What was known of each point that it was fitted to, and so what it can be compared with.
    #[must_use]
    pub fn target(&self) -> TargetKind {
        each!(self, Self of X, model => Method::<X>::target(model.kind()))
    }

    /// The model as one of type `M`, if it is one: `model.downcast::<PcaModel<Vectors, VectorExpr>>()`.
    #[must_use]
    pub fn downcast<M: 'static>(&self) -> Option<&M> {
        each!(self, Self, model => model.downcast::<M>())
    }

    /// The model as one of type `M`, to be changed, if it is one.
    pub fn downcast_mut<M: 'static>(&mut self) -> Option<&mut M> {
        each!(self, Self, model => model.downcast_mut::<M>())
    }

    /// Writes kind, kernel, points and what its kind has besides.
    pub(super) fn write(&self, writer: &mut Writer) -> Result<(), Flaw> {
        each!(self, Self, model => write_model(&**model, writer))
    }
}

forward! { AnyEstimator, estimator:
    /// The method.
    fn card() -> Card = estimator.card();
    /// A parameter by name; none where the method does not have it.
    fn get(name: &str) -> Option<Value> = estimator.get(name);
    /// Refuses parameters out of range, by the first rule broken.
    fn check() -> Result<()> = estimator.check();
}

impl AnyEstimator {
    /// An estimator of the method named, with its defaults.
    ///
    /// # Errors
    /// If there is no such method for the kernel's space, or the kernel's parameters are out of range.
    pub fn new(method: &str, kernel: AnyKernel) -> Result<Self> {
        kernel.check()?;
        Ok(wrap!(kernel, AnyKernel, kernel => Self(Method::find(method)?.make(kernel))))
    }

    /// Sets a parameter by name.
    ///
    /// # Errors
    /// If the method does not have it, or the value is of another kind.
    pub fn set(&mut self, name: &str, value: &Value) -> Result<()> {
        each!(self, Self, estimator => estimator.set(name, value))
    }

    /// Fits a model.
    ///
    /// # Errors
    /// If a parameter, the points or the targets cannot be used.
    pub fn fit(
        &self,
        x: &AnyPoints,
        y: &Targets<AnyPoints>,
        job: &mut Job<'_, AnyPoints>,
    ) -> Result<AnyModel> {
        both!(self, Self, estimator, x, x => {
            let y = y.try_map(|view| {
                view.as_space().cloned().map_or_else(|| mixed(self.space(), view.space()), Ok)
            })?;
            let mut own = job.of_space();
            let model = estimator.fit(x, &y, &mut own)?;
            (job.phases, job.found) = (own.phases, own.found);
            Ok(model.into())
        })
    }
}

impl Clone for AnyEstimator {
    fn clone(&self) -> Self {
        wrap!(self, Self, estimator => Self(estimator.copy()))
    }
}
