//! Kernels of all spaces as leaves of an expression on tables.

use std::fmt;

use super::columns;
use crate::data::{Cells, Graph, Points, Records, Vectors};
use crate::error::{ErrorKind, Result};
use crate::kernel::{
    Bound, Call, Definiteness, Expr, GraphLeaf, Leaf, Listed, SetLeaf, Slot, TextLeaf, VectorLeaf,
};

/// A kernel expression on rows of a table: kernels of any space, each seen through the columns that it compares.
///
/// ```
/// use mercer::kernel::RecordExpr;
///
/// let kernel: RecordExpr = "0.5*(spectrum(p=3)@name) + rbf(gamma=1)@[age, \"daily dose\"]".parse()?;
/// let text = "0.5*(spectrum(p=3) @ name) + rbf(gamma=1) @ [age, \"daily dose\"]";
/// assert_eq!(kernel.to_string(), text);
/// # Ok::<(), mercer::Error>(())
/// ```
pub type RecordExpr = Expr<RecordLeaf>;

/// A kernel of one space, seen through columns of a table. Text: `spectrum(p=3) @ name`, `rbf(gamma=1) @ [age, dose]`.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordLeaf {
    /// The kernel.
    pub part: Part,
    /// The names of the columns: some of numbers for a kernel on vectors, one for others.
    pub columns: Vec<String>,
}

/// A kernel of one of the spaces that a column can have.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Part {
    /// On vectors, of columns of numbers.
    Vectors(VectorLeaf),
    /// On texts.
    Texts(TextLeaf),
    /// On graphs.
    Graphs(GraphLeaf),
    /// On sets of vectors.
    Sets(SetLeaf),
}

/// Points that columns of a table can be.
pub(super) trait Source: Points {
    /// The columns as points.
    fn of(records: &Records, names: &[String]) -> Result<Self>;
}

impl Source for Vectors {
    fn of(records: &Records, names: &[String]) -> Result<Self> {
        records.vectors(names)
    }
}

/// Points of one column.
macro_rules! source {
    ($points:ty, $variant:ident, $word:literal) => {
        impl Source for $points {
            fn of(records: &Records, names: &[String]) -> Result<Self> {
                let name = names.first().map_or("", String::as_str);
                match records.column(name)? {
                    Cells::$variant(cells) => Ok(cells.clone()),
                    _ => Err(records.other(name, $word)),
                }
            }
        }
    };
}
source!(Vec<String>, Texts, "texts");
source!(Vec<Graph>, Graphs, "graphs");
source!(Vec<Vectors>, Sets, "sets");

/// Matches a part: the kernel of its space is `$leaf`.
macro_rules! each {
    ($part:expr, $leaf:ident => $result:expr) => {
        match $part {
            Part::Vectors($leaf) => $result,
            Part::Texts($leaf) => $result,
            Part::Graphs($leaf) => $result,
            Part::Sets($leaf) => $result,
        }
    };
}

impl Part {
    /// An empty column of what the kernel compares.
    fn cells(&self) -> Cells {
        match self {
            Self::Vectors(_) => Cells::Numbers(Vec::new()),
            Self::Texts(_) => Cells::Texts(Vec::new()),
            Self::Graphs(_) => Cells::Graphs(Vec::new()),
            Self::Sets(_) => Cells::Sets(Vec::new()),
        }
    }
}

impl RecordExpr {
    /// The columns that the kernel reads, each once, as empty lists of what their cells are.
    ///
    /// # Errors
    /// If one column is wanted as two kinds.
    pub fn columns(&self) -> Result<Vec<(String, Cells)>> {
        let mut found: Vec<(String, Cells)> = Vec::new();
        for leaf in self.leaves() {
            let cells = leaf.part.cells();
            for name in &leaf.columns {
                match found.iter().find(|(other, _)| other == name) {
                    None => found.push((name.clone(), cells.clone())),
                    Some((_, other)) if *other == cells => {}
                    Some((_, other)) => {
                        let (one, two) = (other.kind(), cells.kind());
                        let what =
                            format!("a column '{name}' that is {one} to one kernel and {two} to another");
                        return Err(ErrorKind::Unsupported { what: what.into() }.into());
                    }
                }
            }
        }
        Ok(found)
    }
}

/// Whether a name can stand in a text as it is.
fn is_plain(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && letters.all(|c| c.is_alphanumeric() || c == '_')
}

/// A name in a text, in quotes where it needs them.
struct Name<'a>(&'a str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if is_plain(self.0) { f.write_str(self.0) } else { write!(f, "\"{}\"", self.0) }
    }
}

impl fmt::Display for RecordLeaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each!(&self.part, leaf => write!(f, "{leaf}"))?;
        match &self.columns[..] {
            [] => Ok(()),
            [name] => write!(f, " @ {}", Name(name)),
            names => {
                let names: Vec<String> = names.iter().map(|name| Name(name).to_string()).collect();
                write!(f, " @ [{}]", names.join(", "))
            }
        }
    }
}

impl Leaf for RecordLeaf {
    type Points = Records;

    const MAPS: &'static [&'static str] = VectorLeaf::MAPS;
    const MAPS_OVER: &'static [&'static str] = VectorLeaf::MAPS_OVER;
    const OVER: &'static [&'static str] = SetLeaf::OVER;
    const COLUMNS: bool = true;

    fn list() -> Vec<Listed> {
        let spaces = [VectorLeaf::list(), TextLeaf::list(), GraphLeaf::list(), SetLeaf::list()];
        spaces.into_iter().flatten().collect()
    }

    fn parse(call: &Call<'_>) -> Option<Result<Self>> {
        let part = VectorLeaf::parse(call)
            .map(|leaf| leaf.map(Part::Vectors))
            .or_else(|| TextLeaf::parse(call).map(|leaf| leaf.map(Part::Texts)))
            .or_else(|| GraphLeaf::parse(call).map(|leaf| leaf.map(Part::Graphs)))
            .or_else(|| SetLeaf::parse(call).map(|leaf| leaf.map(Part::Sets)))?;
        Some(part.map(|part| Self { part, columns: Vec::new() }))
    }

    fn parse_map(kernel: Expr<Self>, call: &Call<'_>) -> Option<Result<Expr<Self>>> {
        let mut outcome = Some(Ok(()));
        let mapped = kernel.map_leaves(&mut |leaf| {
            let Part::Vectors(inner) = &leaf.part else {
                let what = "feature maps are of kernels on vectors";
                outcome = Some(Err(call.fail(call.at, what)));
                return leaf;
            };
            if !leaf.columns.is_empty() {
                outcome = Some(Err(call.fail(call.at, "a feature map comes before the columns")));
                return leaf;
            }
            match VectorLeaf::parse_map(Expr::Leaf(inner.clone()), call) {
                Some(Ok(Expr::Leaf(inner))) => Self { part: Part::Vectors(inner), ..leaf },
                Some(Err(error)) => {
                    outcome = Some(Err(error));
                    leaf
                }
                _ => {
                    outcome = None;
                    leaf
                }
            }
        });
        outcome.map(|outcome| outcome.map(|()| mapped))
    }

    fn on_columns(kernel: Expr<Self>, names: &[String]) -> Result<Expr<Self>, Box<str>> {
        let mut outcome = Ok(());
        let seen = kernel.map_leaves(&mut |leaf| {
            if !leaf.columns.is_empty() {
                outcome = Err(format!("{leaf} has its columns already").into());
                return leaf;
            }
            Self { columns: names.to_vec(), ..leaf }
        });
        outcome.map(|()| seen)
    }

    fn names_columns(&self) -> bool {
        !self.columns.is_empty()
    }

    fn check(&self) -> Result<()> {
        each!(&self.part, leaf => leaf.check())?;
        let refused = |what: String| Err(ErrorKind::Unsupported { what: what.into() }.into());
        if self.columns.is_empty() {
            return refused(format!("{self} without its column in a table of several: {self} @ name"));
        }
        if self.columns.iter().any(|name| name.is_empty() || name.contains(['"', '\n'])) {
            return refused("a column whose name is empty or has a quote or a line end".into());
        }
        match self.part {
            Part::Vectors(_) => Ok(()),
            _ if self.columns.len() == 1 => Ok(()),
            _ => refused(format!("{self}: a kernel on {} takes one column", self.part.cells().kind())),
        }
    }

    fn definiteness(&self) -> Definiteness {
        each!(&self.part, leaf => leaf.definiteness())
    }

    fn is_open(&self) -> bool {
        each!(&self.part, leaf => leaf.is_open())
    }

    fn settled(self, points: &Records) -> Result<Self> {
        if !self.is_open() {
            return Ok(self);
        }
        let Self { part, columns } = self;
        let part = match part {
            Part::Vectors(leaf) => Part::Vectors(leaf.settled(&Source::of(points, &columns)?)?),
            Part::Texts(leaf) => Part::Texts(leaf.settled(&Source::of(points, &columns)?)?),
            Part::Graphs(leaf) => Part::Graphs(leaf.settled(&Source::of(points, &columns)?)?),
            Part::Sets(leaf) => Part::Sets(leaf.settled(&Source::of(points, &columns)?)?),
        };
        Ok(Self { part, columns })
    }

    fn landmarks(&self) -> Vec<Vectors> {
        each!(&self.part, leaf => leaf.landmarks())
    }

    fn with_landmarks(self, landmarks: &mut dyn Iterator<Item = Vectors>) -> Result<Self> {
        match self.part {
            Part::Vectors(leaf) => Ok(Self { part: Part::Vectors(leaf.with_landmarks(landmarks)?), ..self }),
            _ => Ok(self),
        }
    }

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Slot<'_>)) {
        each!(&mut self.part, leaf => leaf.visit_parameters(visit));
    }

    fn is_compound(&self) -> bool {
        true
    }

    fn bind(&self, columns: &Records) -> Result<Box<dyn Bound<Records>>> {
        each!(&self.part, leaf => columns::bind(leaf, &self.columns, columns))
    }

    fn diagonal(&self, points: &Records, rows: &[usize]) -> Vec<f64> {
        each!(&self.part, leaf => columns::diagonal(leaf, &self.columns, points, rows))
    }
}
