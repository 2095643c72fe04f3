//! The rows of a data file, piece by piece in the order of the file, in memory for a few pieces.

use std::path::Path;

use super::block::Rows;
use crate::data::blocks::BLOCK;
use crate::data::column::ColumnBuilder;
use crate::data::input::Input;
use crate::data::table::{Format, ReadOptions, read_labels};
use crate::data::{Encoding, LabelColumn, Sparse, Vectors, csv_batches, libsvm, npy};
use crate::error::{DataProblem, ErrorKind, Result};

/// The share of values other than zero up to which the zeros of dense rows are left out.
const FEW: f64 = 0.3;

/// Rows and their labels; labels of a file that has none are missing.
#[derive(Default)]
pub(crate) struct Piece {
    pub(crate) rows: Rows,
    pub(crate) labels: ColumnBuilder,
    /// The features of dense rows.
    width: Option<usize>,
}

/// What is known of a file when all its rows have been seen.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    /// Features.
    pub(crate) width: usize,
    /// Whether rows have labels.
    pub(crate) labelled: bool,
    /// The names of the features; none where there are none.
    pub(crate) names: Vec<String>,
    /// How the columns of a CSV file became features.
    pub(crate) encoding: Option<Encoding>,
}

/// Visits the rows of a file, piece by piece.
///
/// # Errors
/// With path, line and column if the text is not in its format; if a column of a CSV file has words, or an NPY file is stored column
/// after column; if `visit` fails.
pub(crate) fn for_each_piece(
    mut input: Input,
    options: &ReadOptions,
    mut visit: impl FnMut(&Piece) -> Result<()> + Send,
) -> Result<Seen> {
    let format = Format::of_input(&mut input, options)?;
    if format != Format::Csv {
        options.features.refuse("data that are no table of columns")?;
    }
    match format {
        Format::Libsvm => {
            let form = libsvm::Form {
                targets: options.targets && options.labels_path.is_none(),
                ..libsvm::Form::default()
            };
            let (mut piece, mut width) = (Piece::default(), 0);
            libsvm::for_each_piece(input, form, BLOCK, |parsed| {
                width = width.max(parsed.copy_to(&mut piece));
                visit(&piece)
            })?;
            Ok(Seen { width, labelled: true, ..Seen::default() })
        }
        Format::Csv => csv_batches::for_each_batch(input, options, visit),
        Format::Npy => npy::for_each_batch(input, options, visit),
    }
}

impl Piece {
    /// Removes all rows and labels.
    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.labels.clear();
    }

    /// Appends dense rows of `width` values each, without their zeros where there are few others.
    pub(crate) fn push_dense(&mut self, width: usize, values: &[f64]) {
        let stored = values.iter().filter(|&&value| value != 0.0).count();
        self.width = Some(width);
        let all = stored as f64 > FEW * values.len() as f64;
        let Rows { start, index, values: kept, .. } = &mut self.rows;
        for row in values.chunks_exact(width.max(1)) {
            for (k, &value) in row.iter().enumerate().filter(|(_, value)| all || **value != 0.0) {
                index.push(k as u32);
                kept.push(value);
            }
            start.push(kept.len());
        }
    }
}

/// Visits the rows of a data file piece by piece as vectors of so many features, and gives their labels: features of sparse rows beyond are
/// left out, others are 0. Memory is taken for a few pieces and for the labels, 8 bytes a row.
///
/// # Errors
/// As [`read`](crate::data::read); if a column of a CSV file has words, an NPY file is stored column after column, rows of a table have
/// another width, or `visit` fails.
pub fn read_pieces(
    path: &Path,
    options: &ReadOptions,
    width: usize,
    mut visit: impl FnMut(&Vectors) -> Result<()> + Send,
) -> Result<Option<LabelColumn>> {
    let (mut points, mut labels) = (0, ColumnBuilder::default());
    let seen = for_each_piece(Input::open(path)?, options, |piece| {
        let Rows { start, index, values, .. } = &piece.rows;
        if let Some(found) = piece.width.filter(|&found| found != width) {
            return Err(ErrorKind::Data(DataProblem::Width { found, expected: width }).into());
        }
        points += piece.rows.len();
        labels.append(&piece.labels);
        let own = index.iter().max().map_or(0, |&last| last as usize + 1);
        let sparse = Sparse::new(own.max(width), start.clone(), index.clone(), values.clone());
        visit(&Vectors::from(sparse).with_width(width))
    })?;
    let labels = match &options.labels_path {
        Some(path) => Some(read_labels(path)?),
        None => seen.labelled.then(|| labels.finish()),
    };
    let problem = match &labels {
        _ if points == 0 => DataProblem::Empty,
        Some(labels) if labels.len() != points => DataProblem::Lengths { points, labels: labels.len() },
        _ => return Ok(labels),
    };
    Err(ErrorKind::Data(problem).into())
}
