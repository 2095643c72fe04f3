//! The one error of the crate: what went wrong, where, and the rule that was broken.
//!
//! An [`Error`] is a box around an [`ErrorKind`] whose variants carry fields, not prose, so that the program and the Python
//! package can choose an exit code or an exception class by matching on the kind and print the message unchanged.

use std::fmt;
use std::path::{Path, PathBuf};

/// Shorthand for results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of this crate: an [`ErrorKind`], boxed so that a `Result` stays one word wide.
#[derive(Debug)]
pub struct Error(Box<ErrorKind>);

impl Error {
    /// The kind of error, for matching.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// The error in the numbering of a larger set, of which the points at `index` are a part: the points that it names get
    /// their numbers in the larger set.
    pub(crate) fn about(mut self, index: &[usize]) -> Self {
        match &mut *self.0 {
            ErrorKind::Data(
                DataProblem::KernelNotFinite { row, column }
                | DataProblem::NegativeAffinity { row, column }
                | DataProblem::NotSeparable { row, column },
            ) => {
                (*row, *column) = (index[*row - 1] + 1, index[*column - 1] + 1);
            }
            ErrorKind::Data(
                DataProblem::DecisionNotFinite { row }
                | DataProblem::Gradient { row, .. }
                | DataProblem::Alphabet { row, .. }
                | DataProblem::KernelUnderflow { row, .. }
                | DataProblem::GraphTooLarge { row, .. }
                | DataProblem::WalksDiverge { row, .. },
            ) => *row = index[*row - 1] + 1,
            _ => {}
        }
        self
    }

    /// A failed operation on a file or folder.
    pub fn io(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        ErrorKind::Io { path: path.into(), source }.into()
    }

    /// An error in a text file at a line and column, both counted from 1.
    pub fn parse(path: &Path, line: u64, column: u64, problem: ParseProblem) -> Self {
        ErrorKind::Parse { path: path.to_owned(), line, column, problem }.into()
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Error(Box::new(kind))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self.kind() {
            ErrorKind::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// The kinds of error, by what the caller can do about them.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A parameter outside its range.
    Parameter {
        /// Its name as the caller wrote it.
        name: &'static str,
        /// The value refused.
        value: f64,
        /// The rule that the value breaks.
        rule: &'static str,
    },
    /// A number of things above that of what there is.
    TooMany {
        /// The parameter as the caller wrote it.
        name: &'static str,
        /// The number refused.
        value: usize,
        /// How many there are.
        most: usize,
        /// What there is, in the plural.
        what: &'static str,
    },
    /// A parameter given as something that it cannot be.
    Setting {
        /// Its name.
        name: &'static str,
        /// What was given.
        value: Box<str>,
        /// What it can be.
        rule: &'static str,
    },
    /// A flaw in a text file, at a position.
    Parse {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: u64,
        /// Column in bytes, from 1.
        column: u64,
        /// What is wrong there.
        problem: ParseProblem,
    },
    /// An error in the text of a kernel expression.
    KernelText {
        /// The expression.
        text: Box<str>,
        /// Column in bytes, from 1.
        column: usize,
        /// What was expected there.
        expected: Box<str>,
    },
    /// An error in the text of features of texts.
    FeaturesText {
        /// The text.
        text: Box<str>,
        /// Column in bytes, from 1.
        column: usize,
        /// What was expected there.
        expected: Box<str>,
    },
    /// Reading or writing failed.
    Io {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: std::io::Error,
    },
    /// The data as a whole cannot be used.
    Data(DataProblem),
    /// A model file that is damaged, hostile or of another kind.
    ModelFile {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: Box<str>,
    },
    /// A file of blocks that is damaged, hostile or of another kind; made anew from the data if it is deleted.
    BlockFile {
        /// The file.
        path: PathBuf,
        /// The byte, from 0.
        byte: u64,
        /// What is wrong there.
        problem: Box<str>,
    },
    /// More memory is needed than is available. This is checked before any of it is taken.
    Memory {
        /// What needs the memory.
        what: &'static str,
        /// Bytes needed.
        needed: u64,
        /// Bytes available.
        budget: u64,
        /// What to do instead.
        instead: &'static str,
    },
    /// The caller's callback asked to stop before there was an answer.
    Interrupted,
    /// A combination that does not exist (yet).
    Unsupported {
        /// What was asked for, and what to use instead.
        what: Box<str>,
    },
}

/// What is wrong at a position of a text file.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ParseProblem {
    /// Not a number where one is needed.
    BadNumber(Box<str>),
    /// NaN or an infinity.
    NotFinite(Box<str>),
    /// A feature index of 0 (indices count from 1).
    IndexZero,
    /// Not an index: not a whole number, or negative.
    BadIndex(Box<str>),
    /// A feature index that does not ascend.
    IndexOrder {
        /// The index found.
        index: u64,
        /// The one before it.
        previous: u64,
    },
    /// A feature index over 2³¹ − 1.
    IndexTooLarge(Box<str>),
    /// `index:value` without its colon.
    MissingColon(Box<str>),
    /// A line without a label.
    MissingLabel,
    /// A row with another number of fields than the header or the first row.
    Ragged {
        /// Fields in this row.
        found: usize,
        /// Fields expected.
        expected: usize,
    },
    /// The compressed stream ends early or is damaged.
    Truncated,
    /// Bytes that are not UTF-8 where text is needed.
    NotText,
    /// Another problem, in words.
    Other(Box<str>),
}

/// What is wrong with a data set as a whole.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum DataProblem {
    /// No rows.
    Empty,
    /// A solver elsewhere gave a gradient that is not the one computed from the kernel.
    Gradient {
        /// The point, from 1.
        row: usize,
        /// What the other solver told.
        told: f64,
        /// What was computed.
        computed: f64,
    },
    /// Only one class where two are needed.
    OneClass(Box<str>),
    /// Points and labels differ in number.
    Lengths {
        /// Points.
        points: usize,
        /// Labels.
        labels: usize,
    },
    /// Points with another number of features than the model or the kernel needs.
    Width {
        /// Features found.
        found: usize,
        /// Features expected.
        expected: usize,
    },
    /// A row of a set of vectors with another label than the rows before it.
    SetLabel {
        /// Row, from 1.
        row: usize,
        /// What the file calls the set.
        set: Box<str>,
        /// The label of the row.
        label: Box<str>,
        /// The label of the set's first row.
        first: Box<str>,
    },
    /// A set of vectors with another number of features than others.
    SetWidth {
        /// The set, from 1.
        set: usize,
        /// Features found.
        found: usize,
        /// Features expected.
        expected: usize,
    },
    /// A value that is not finite.
    NotFinite {
        /// Row, from 1.
        row: usize,
        /// Column, from 1.
        column: usize,
    },
    /// A class without points.
    EmptyClass(Box<str>),
    /// A weight for a class that does not occur.
    NoClass(Box<str>),
    /// A label that is not one of the classes named.
    StrangeClass(Box<str>),
    /// A decision that is not finite.
    DecisionNotFinite {
        /// Row, from 1.
        row: usize,
    },
    /// A fit whose weights, or what is proved of them, are beyond the largest number.
    FitNotFinite,
    /// More classes than can be learnt from so few points.
    ManyClasses {
        /// How many points.
        points: usize,
        /// How many classes.
        classes: usize,
    },
    /// No column of that name or number.
    NoColumn(Box<str>),
    /// A column of words of which no two are the same, so that none says anything about another row.
    Identifiers {
        /// The column's name, or its position from 1.
        column: Box<str>,
        /// How many rows, and words, there are.
        rows: usize,
    },
    /// A label that is not a number where a number is needed.
    LabelNotNumber {
        /// Row, from 1.
        row: usize,
        /// The label.
        label: Box<str>,
    },
    /// The kernel gives a value that is not finite between two points.
    KernelNotFinite {
        /// First point, from 1.
        row: usize,
        /// Second point, from 1.
        column: usize,
    },
    /// The kernel gives a value that is not finite between a row and a point that it is compared with.
    ValueNotFinite {
        /// The row, from 1.
        row: usize,
        /// The other point, from 1.
        column: usize,
    },
    /// All values of the kernel are too small for single precision, though they are not zero.
    KernelUnderflow {
        /// The point, from 1, whose value with itself is the largest.
        row: usize,
        /// That value; 0 where it is too small for double precision too.
        value: f64,
    },
    /// The kernel gives a negative value between two points where values are affinities.
    NegativeAffinity {
        /// First point, from 1.
        row: usize,
        /// Second point, from 1.
        column: usize,
    },
    /// No training errors are allowed, but no function separates the classes without errors; these two points are part of
    /// the reason.
    NotSeparable {
        /// First point, from 1.
        row: usize,
        /// Second point, from 1.
        column: usize,
    },
    /// A matrix that must be positive definite is not.
    NotDefinite {
        /// The matrix of the points up to this one, from 1, is not positive definite.
        row: usize,
    },
    /// Data that a model was not fitted to.
    NotFittedTo {
        /// What does not fit together.
        why: Box<str>,
    },
    /// A spectrum without a leading part: the eigenvalues of the first half are equal to rounding, or none is positive.
    NoCut,
    /// The classes have the same mean in feature space, so that no axis separates them.
    SameMeans,
    /// Two views with different numbers of rows.
    Views {
        /// Rows of the first view.
        first: usize,
        /// Rows of the second view.
        second: usize,
    },
    /// A view whose kernel is zero on all its points.
    ConstantView,
    /// Points that the kernel cannot tell apart.
    NoVariance,
    /// A ν for which the sizes of the classes leave no solution.
    NuTooLarge {
        /// ν
        nu: f64,
        /// The largest ν that has a solution.
        largest: f64,
    },
    /// Weights of the points that cannot be used.
    Weights {
        /// The rule broken.
        rule: &'static str,
    },
    /// A precomputed Gram whose serial numbers or shape do not fit.
    Precomputed {
        /// Row, from 1.
        row: usize,
        /// The rule broken.
        rule: &'static str,
    },
    /// No column of a table is left for features, as its only one is taken as the label.
    NoFeatures {
        /// The column's name, or its position from 1.
        label: Box<str>,
    },
    /// Two columns of a table with one name, by which a column was looked for.
    TwoColumns {
        /// The name.
        name: Box<str>,
        /// The first column, from 1.
        first: usize,
        /// The second column, from 1.
        second: usize,
    },
    /// A folder with the files of two data sets.
    TwoDataSets {
        /// The name of the first.
        first: Box<str>,
        /// The name of the second.
        second: Box<str>,
    },
    /// A text that has, with those before it or those of a model, more different units than the alphabet of a kernel.
    Alphabet {
        /// The text, from 1.
        row: usize,
        /// How many different units.
        found: usize,
        /// How many the kernel says there are.
        alphabet: u32,
    },
    /// Nodes, edges, labels and attributes that make no graph.
    Graph(GraphProblem),
    /// A graph that a random walk kernel has no memory for.
    GraphTooLarge {
        /// The graph, from 1.
        row: usize,
        /// Bytes needed.
        needed: u64,
        /// Bytes available.
        budget: u64,
    },
    /// A graph whose walks grow faster than a random walk kernel discounts them, so that its series has no sum.
    WalksDiverge {
        /// The graph, from 1.
        row: usize,
        /// λ
        lambda: f64,
        /// 1/ρ², ρ the largest eigenvalue of the graph.
        limit: f64,
    },
}

/// What is wrong with the parts of a graph. Nodes count from 0, edges from 1 in the order in which they were given.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum GraphProblem {
    /// An edge to a node that the graph does not have.
    NoNode {
        /// The edge.
        edge: usize,
        /// The node.
        node: usize,
        /// How many nodes there are.
        nodes: usize,
    },
    /// An edge from a node to itself.
    SelfLoop {
        /// The edge.
        edge: usize,
        /// The node.
        node: usize,
    },
    /// An edge that was given before with another label.
    TwoLabels {
        /// The edge.
        edge: usize,
        /// Where it was given before.
        before: usize,
    },
    /// Not one label for each node.
    NodeLabels {
        /// How many labels.
        found: usize,
        /// How many nodes.
        nodes: usize,
    },
    /// Not one label for each edge.
    EdgeLabels {
        /// How many labels.
        found: usize,
        /// How many edges.
        edges: usize,
    },
    /// Not one list of attributes for each node.
    Attributes {
        /// How many lists.
        found: usize,
        /// How many nodes.
        nodes: usize,
    },
    /// An attribute that is not a finite number.
    NotFinite {
        /// The node.
        node: usize,
        /// The attribute, from 1.
        attribute: usize,
    },
    /// More nodes or edges than there are numbers for them.
    TooLarge,
}

impl GraphProblem {
    /// The edge that it is about, from 1.
    #[must_use]
    pub fn edge(&self) -> Option<usize> {
        match *self {
            Self::NoNode { edge, .. } | Self::SelfLoop { edge, .. } | Self::TwoLabels { edge, .. } => {
                Some(edge)
            }
            _ => None,
        }
    }
}

impl fmt::Display for GraphProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NoNode { edge, node, nodes } => {
                write!(f, "edge {edge}: node {node} of a graph with {nodes} nodes; nodes count from 0")
            }
            Self::SelfLoop { edge, node } => {
                write!(f, "edge {edge}: from node {node} to itself; a graph has no self-loops")
            }
            Self::TwoLabels { edge, before } => {
                write!(f, "edge {edge}: the same as edge {before} with another label; an edge has one label")
            }
            Self::NodeLabels { found, nodes } => write!(f, "{found} labels for {nodes} nodes"),
            Self::EdgeLabels { found, edges } => write!(f, "{found} labels for {edges} edges"),
            Self::Attributes { found, nodes } => write!(f, "{found} lists of attributes for {nodes} nodes"),
            Self::NotFinite { node, attribute } => {
                write!(f, "attribute {attribute} of node {node}: not a finite number")
            }
            Self::TooLarge => write!(f, "2³² nodes or entries of edges, or more"),
        }
    }
}

impl From<GraphProblem> for Error {
    fn from(problem: GraphProblem) -> Self {
        ErrorKind::Data(DataProblem::Graph(problem)).into()
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Digits that a number does not have are not written out.
            Self::Parameter { name, value, rule } if value.is_finite() && value.abs() >= 1e16 => {
                write!(f, "{name} = {value:e}: {rule}")
            }
            Self::Parameter { name, value, rule } if *value != 0.0 && value.abs() < 1e-6 => {
                write!(f, "{name} = {value:e}: {rule}")
            }
            Self::Parameter { name, value, rule } => write!(f, "{name} = {value}: {rule}"),
            Self::TooMany { name, value, most, what } => {
                write!(f, "{name} = {value}: must be no more than there are {what}, {most}")
            }
            Self::Setting { name, value, rule } => write!(f, "{name} = {value}: must be {rule}"),
            Self::Parse { path, line, column, problem } => {
                write!(f, "{}:{line}:{column}: {problem}", path.display())
            }
            Self::KernelText { text, column, expected } => {
                write!(f, "kernel \"{text}\", column {column}: {expected}")
            }
            Self::FeaturesText { text, column, expected } => {
                write!(f, "features \"{text}\", column {column}: {expected}")
            }
            Self::Io { path, source } => write!(f, "{}: {source}", path.display()),
            Self::Data(problem) => problem.fmt(f),
            Self::ModelFile { path, problem } => write!(f, "{}: {problem}", path.display()),
            Self::BlockFile { path, byte, problem } => {
                write!(f, "{}: byte {byte}: {problem}; delete it, and it is made anew", path.display())
            }
            Self::Memory { what, needed, budget, instead } => {
                let megabytes = |bytes: u64| bytes.div_ceil(1 << 20);
                let (needed, budget) = (megabytes(*needed), megabytes(*budget));
                write!(f, "{what} needs {needed} MB, and there are {budget} MB; {instead}")
            }
            Self::Interrupted => write!(f, "interrupted before there was an answer"),
            Self::Unsupported { what } => write!(f, "not supported: {what}"),
        }
    }
}

impl fmt::Display for ParseProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadNumber(text) => write!(f, "not a number: '{text}'"),
            Self::NotFinite(text) => write!(f, "not finite: '{text}'; every value must be a finite number"),
            Self::IndexZero => write!(f, "feature index 0; indices count from 1"),
            Self::BadIndex(text) => write!(f, "not a feature index: '{text}'"),
            Self::IndexOrder { index, previous } => {
                write!(f, "feature index {index} after {previous}; indices must ascend")
            }
            Self::IndexTooLarge(text) => write!(f, "feature index {text}; the largest allowed is 2147483647"),
            Self::MissingColon(text) => write!(f, "expected index:value, found '{text}'"),
            Self::MissingLabel => write!(f, "a row without a label"),
            Self::Ragged { found, expected } => write!(f, "{found} fields where {expected} are expected"),
            Self::Truncated => write!(f, "the compressed data ends early or is damaged"),
            Self::NotText => write!(f, "not UTF-8 text"),
            Self::Other(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for DataProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "no rows"),
            Self::Gradient { row, told, computed } => {
                write!(
                    f,
                    "the gradient of point {row} is {computed}, not {told}: the answer of the solver is not true"
                )
            }
            Self::OneClass(class) => write!(f, "only one class, '{class}'; at least two are needed"),
            Self::Lengths { points, labels } => write!(f, "{points} points but {labels} labels"),
            Self::Width { found, expected } => write!(f, "{found} features where {expected} are expected"),
            Self::SetLabel { row, set, label, first } => {
                write!(f, "row {row}: label '{label}' in set '{set}', whose label is '{first}'")
            }
            Self::SetWidth { set, found, expected } => {
                write!(f, "set {set}: {found} features where other sets have {expected}")
            }
            Self::NotFinite { row, column } => write!(f, "row {row}, column {column}: not a finite number"),
            Self::EmptyClass(class) => write!(f, "class '{class}' has no points"),
            Self::NoClass(class) => write!(f, "a weight for class '{class}', which does not occur"),
            Self::StrangeClass(class) => write!(f, "class '{class}' is not one of those named"),
            Self::DecisionNotFinite { row } => {
                write!(f, "row {row}: the decision is not finite; its values are too large for the kernel")
            }
            Self::FitNotFinite => write!(
                f,
                "the fit goes beyond the largest number: the price C, the weights or the values are too large or too small; scale the data, or take a C nearer to 1"
            ),
            Self::ManyClasses { points, classes } => write!(
                f,
                "{classes} classes of {points} points: fewer than two a class; if the labels are numbers to be predicted, \
                 take a regression (svr, ridge)"
            ),
            Self::NoColumn(name) => write!(f, "no column '{name}'"),
            Self::Identifiers { column, rows } => write!(
                f,
                "column '{column}' has {rows} different words in {rows} rows, which say nothing about another row; leave \
                 it out (--drop {column}) or name the columns to learn from (--columns)"
            ),
            Self::LabelNotNumber { row, label } => write!(f, "row {row}: label '{label}' is not a number"),
            Self::KernelNotFinite { row, column } => {
                write!(
                    f,
                    "the kernel is not finite between points {row} and {column}; scale the data or change its parameters"
                )
            }
            Self::ValueNotFinite { row, column } => {
                write!(f, "row {row}: the kernel is not finite with point {column} of the columns")
            }
            Self::KernelUnderflow { row, value } => write!(
                f,
                "the kernel of point {row} with itself is {value:e}, the largest of all and too small for single precision: take \
                 normalized(…), or a larger factor"
            ),
            Self::NegativeAffinity { row, column } => {
                write!(
                    f,
                    "the kernel is negative between points {row} and {column}, and an affinity cannot be: take a kernel that is \
                     not negative, or a graph of neighbors"
                )
            }
            Self::NotSeparable { row, column } => {
                write!(
                    f,
                    "the classes cannot be separated without errors: points {row} and {column}, for two; give errors a finite price C"
                )
            }
            Self::NotDefinite { row } => {
                write!(
                    f,
                    "the Gram matrix with its regulariser is not positive definite (up to point {row}): take a larger one, or a kernel that is semi-definite"
                )
            }
            Self::NotFittedTo { why } => {
                write!(f, "these are not the data that the model was fitted to: {why}")
            }
            Self::NoCut => write!(
                f,
                "the Gram matrix has no leading eigenvalues: none is positive, or those of the first half are equal; take a wider kernel, or more rows"
            ),
            Self::SameMeans => {
                write!(f, "the classes have the same mean in feature space: no axis separates them")
            }
            Self::Views { first, second } => {
                write!(f, "{first} rows in the first view but {second} in the second; they must be pairs")
            }
            Self::ConstantView => {
                write!(f, "a view whose kernel is zero everywhere: nothing can correlate with it")
            }
            Self::NoVariance => {
                write!(f, "all points are the same to the kernel: there is no variance to explain")
            }
            Self::NuTooLarge { nu, largest } => {
                write!(f, "nu = {nu}: the sizes of the classes allow at most {largest}")
            }
            Self::Weights { rule } => write!(f, "weights of points: {rule}"),
            Self::Precomputed { row, rule } => write!(f, "precomputed kernel, row {row}: {rule}"),
            Self::NoFeatures { label } => write!(
                f,
                "column '{label}' is taken as the label, and no feature is left; name another label (--label), or none"
            ),
            Self::TwoColumns { name, first, second } => {
                write!(
                    f,
                    "columns {first} and {second} are both called '{name}'; give each a name of its own"
                )
            }
            Self::TwoDataSets { first, second } => write!(
                f,
                "a folder with two data sets, '{first}' and '{second}'; name a file of one of them, such as {first}_A.txt"
            ),
            Self::Alphabet { row, found, alphabet } => write!(
                f,
                "text {row}: with it there are {found} different units; alphabet = {alphabet} must not be less"
            ),
            Self::Graph(problem) => write!(f, "a graph: {problem}"),
            Self::GraphTooLarge { row, needed, budget } => {
                let [needed, budget] = [needed, budget].map(|bytes| bytes.div_ceil(1 << 20));
                write!(
                    f,
                    "graph {row}: random walks need {needed} MB for its nodes, squared, and there are {budget} MB; take another kernel"
                )
            }
            Self::WalksDiverge { row, lambda, limit } => {
                write!(
                    f,
                    "lambda = {lambda}: must be below 1/ρ² = {limit} for the walks of graph {row} to have a sum"
                )
            }
        }
    }
}

/// Checks a parameter against a rule; NaN never passes.
pub(crate) fn check(name: &'static str, value: f64, holds: bool, rule: &'static str) -> Result<()> {
    if holds && !value.is_nan() { Ok(()) } else { Err(ErrorKind::Parameter { name, value, rule }.into()) }
}

/// Refuses the word of a setting where it does not go with the others, or is none of those allowed.
pub(crate) fn goes(allowed: bool, name: &'static str, value: &str, rule: &'static str) -> Result<()> {
    if allowed { Ok(()) } else { Err(ErrorKind::Setting { name, value: value.into(), rule }.into()) }
}
