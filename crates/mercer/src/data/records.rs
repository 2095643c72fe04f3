//! Rows of a table whose columns are of different spaces: numbers, texts, graphs, sets of vectors.

use std::cmp::Ordering;
use std::hash::Hash;
use std::sync::Arc;

use super::points::{hash_number, key};
use super::{Dense, Graph, Points, Vectors};
use crate::error::{DataProblem, ErrorKind, Result};

/// The cells of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
    /// A number in each row.
    Numbers(Vec<f64>),
    /// A text in each row.
    Texts(Vec<String>),
    /// A graph in each row.
    Graphs(Vec<Graph>),
    /// A set of vectors in each row.
    Sets(Vec<Vectors>),
}

impl Cells {
    /// How many rows.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(cells) => cells.len(),
            Self::Texts(cells) => cells.len(),
            Self::Graphs(cells) => cells.len(),
            Self::Sets(cells) => cells.len(),
        }
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the cells are, in a word.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Numbers(_) => "numbers",
            Self::Texts(_) => "texts",
            Self::Graphs(_) => "graphs",
            Self::Sets(_) => "sets",
        }
    }

    fn select(&self, index: &[usize]) -> Self {
        match self {
            Self::Numbers(cells) => Self::Numbers(index.iter().map(|&i| cells[i]).collect()),
            Self::Texts(cells) => Self::Texts(cells.select(index)),
            Self::Graphs(cells) => Self::Graphs(cells.select(index)),
            Self::Sets(cells) => Self::Sets(cells.select(index)),
        }
    }

    fn compare(&self, i: usize, j: usize) -> Ordering {
        match self {
            // Numbers are finite wherever the order matters.
            Self::Numbers(cells) => cells[i].partial_cmp(&cells[j]).unwrap_or(Ordering::Equal),
            Self::Texts(cells) => Points::compare(cells, i, j),
            Self::Graphs(cells) => Points::compare(cells, i, j),
            Self::Sets(cells) => Points::compare(cells, i, j),
        }
    }
}

/// Rows of a table with named columns, each of a kind of its own. A copy shares the memory.
///
/// ```
/// use mercer::data::{Cells, Points, Records};
///
/// let names = Cells::Texts(["Ada", "Bo"].map(String::from).into());
/// let records = Records::new(vec![("name".into(), names), ("age".into(), Cells::Numbers(vec![36.0, 41.0]))])?;
/// assert_eq!((records.len(), records.names().collect::<Vec<_>>()), (2, vec!["name", "age"]));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Records {
    columns: Arc<Vec<(String, Cells)>>,
    rows: usize,
}

impl Records {
    /// A table of these columns.
    ///
    /// # Errors
    /// If two columns have one name, or another number of rows than the first.
    pub fn new(columns: Vec<(String, Cells)>) -> Result<Self> {
        let rows = columns.first().map_or(0, |(_, cells)| cells.len());
        for (k, (name, cells)) in columns.iter().enumerate() {
            if columns[..k].iter().any(|(other, _)| other == name) {
                let what = format!("two columns called '{name}'").into();
                return Err(ErrorKind::Unsupported { what }.into());
            }
            if cells.len() != rows {
                let what = format!("a column '{name}' of {} rows beside {rows}", cells.len()).into();
                return Err(ErrorKind::Unsupported { what }.into());
            }
        }
        Ok(Self { columns: Arc::new(columns), rows })
    }

    /// The names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(name, _)| name.as_str())
    }

    /// The columns with their names.
    pub fn columns(&self) -> impl Iterator<Item = (&str, &Cells)> {
        self.columns.iter().map(|(name, cells)| (name.as_str(), cells))
    }

    /// The column of a name.
    ///
    /// # Errors
    /// If there is none.
    pub fn column(&self, name: &str) -> Result<&Cells> {
        let found = self.columns.iter().find(|(other, _)| other == name).map(|(_, cells)| cells);
        found.ok_or_else(|| ErrorKind::Data(DataProblem::NoColumn(name.into())).into())
    }

    /// Columns of numbers as the features of vectors.
    ///
    /// # Errors
    /// If a column is not there or does not have numbers.
    pub fn vectors(&self, names: &[String]) -> Result<Vectors> {
        let mut values = vec![0.0; self.rows * names.len()];
        for (k, name) in names.iter().enumerate() {
            let Cells::Numbers(cells) = self.column(name)? else { return Err(self.other(name, "numbers")) };
            values
                .iter_mut()
                .skip(k)
                .step_by(names.len())
                .zip(cells)
                .for_each(|(value, cell)| *value = *cell);
        }
        Ok(Dense::new(names.len(), values).into())
    }

    /// The error of a column that has something else than is wanted.
    pub(crate) fn other(&self, name: &str, wanted: &str) -> crate::Error {
        let found = self.column(name).map_or("nothing", Cells::kind);
        let what = format!("a kernel on {wanted} of the column '{name}', which has {found}").into();
        ErrorKind::Unsupported { what }.into()
    }

    /// Whether both are copies of one table.
    pub(crate) fn is_copy(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.columns, &other.columns)
    }
}

impl Points for Records {
    fn len(&self) -> usize {
        self.rows
    }

    fn select(&self, index: &[usize]) -> Self {
        let columns = self.columns.iter().map(|(name, cells)| (name.clone(), cells.select(index))).collect();
        Self { columns: Arc::new(columns), rows: index.len() }
    }

    fn first_not_finite(&self) -> Option<(usize, usize)> {
        let of = |(k, (_, cells)): (usize, &(String, Cells))| match cells {
            Cells::Numbers(cells) => Some((cells.iter().position(|value| !value.is_finite())?, k)),
            Cells::Sets(cells) => Some((cells.first_not_finite()?.0, k)),
            Cells::Texts(_) | Cells::Graphs(_) => None,
        };
        self.columns.iter().enumerate().filter_map(of).min()
    }

    /// Column by column.
    fn compare(&self, i: usize, j: usize) -> Ordering {
        let mut each = self.columns.iter().map(|(_, cells)| cells.compare(i, j));
        each.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    fn key(&self, i: usize) -> Option<u128> {
        key(|hasher| {
            for (name, cells) in self.columns.iter() {
                name.hash(hasher);
                match cells {
                    Cells::Numbers(cells) => hash_number(cells[i], hasher),
                    Cells::Texts(cells) => cells[i].hash(hasher),
                    Cells::Graphs(cells) => cells[i].hash(hasher),
                    Cells::Sets(cells) => cells[i].hash(hasher),
                }
            }
        })
    }

    fn accepts(&self, others: &Self) -> Result<()> {
        for (name, cells) in self.columns() {
            if others.column(name)?.kind() != cells.kind() {
                return Err(others.other(name, cells.kind()));
            }
        }
        Ok(())
    }
}
