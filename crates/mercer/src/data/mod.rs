//! Points, labels and the files they come from.
//!
//! The points of a data set for vector kernels are [`Vectors`]: dense or sparse rows of `f32` or `f64`, kept in the form
//! they were read in unless [`Vectors::compact`] changes it to the faster one. Its labels are [`Labels`], of any text.
//! [`read`] reads both from a file of LIBSVM text, CSV or NPY, plain or compressed by gzip or zstd; an error names the
//! file, line and column; [`read_texts`] reads texts, [`read_graphs`] graphs. [`write_libsvm`] and [`write_csv`] write such files, [`Scaler`] brings features to a common
//! size, [`Range`] is LIBSVM's `svm-scale`, and [`Folds`] divides points for cross-validation.
//!
//! Cost: LIBSVM text is parsed in one pass on all threads, and the result does not depend on their number. Compressed
//! files are read as fast as they can be decompressed.
//!
//! ```
//! use std::io::Cursor;
//! use std::path::Path;
//! use mercer::data::{Points, ReadOptions, Scaler, read_from};
//!
//! // `read(path, &options)` reads a file.
//! let text = "cat 1:4 2:0.5\ndog 1:30\ncat 1:5 2:0.25\n";
//! let table = read_from(Path::new("pets"), Cursor::new(text), &ReadOptions::default())?;
//! assert_eq!((table.points.len(), table.points.width()), (3, 2));
//!
//! let labels = table.labels.expect("LIBSVM rows begin with a label").labels();
//! assert_eq!(labels.classes(), ["cat", "dog"]);
//! assert_eq!(labels.index(), [0, 1, 0]);
//!
//! let scaled = Scaler::min_max(&table.points, 0.0, 1.0)?.apply(&table.points);
//! assert_eq!(scaled.row(1).get(0), 1.0);
//!
//! let flawed = read_from(Path::new("pets"), Cursor::new("cat 1:4\ndog 1:x\n"), &ReadOptions::default());
//! assert_eq!(flawed.unwrap_err().to_string(), "pets:2:7: not a number: 'x'");
//! # Ok::<(), mercer::Error>(())
//! ```

mod ahead;
mod blocks;
mod column;
mod compact;
mod csv;
mod csv_batches;
mod csv_cells;
mod dense;
mod encoding;
mod fasta;
mod features;
mod folds;
mod format;
mod graph;
mod graph_json;
mod graph_table;
mod graph_tu;
mod input;
mod label_sets;
mod labels;
mod libsvm;
mod npy;
mod npy_header;
mod number;
mod partial;
mod pieces;
mod points;
mod range;
mod range_file;
mod record_table;
mod records;
mod scale;
mod sets;
mod sparse;
mod stream;
mod table;
mod text_table;
mod texts;
mod variance;
mod weights;
mod write;

pub use column::{LabelColumn, number_text};
pub use dense::Dense;
pub use encoding::{Column, Encoding};
pub use features::{RowNorm, TermUnit, TextFeatures, TextMap, Weighting};
pub use folds::{Folds, SplitMix};
pub use format::format_g;
pub(crate) use graph::LabelCodes;
pub use graph::{Graph, GraphParts};
pub use graph_table::read_graphs;
pub use label_sets::{Agreement, LabelSets};
pub use labels::Labels;
pub use partial::discard_partial_files;
pub use pieces::read_labelled_pieces;
pub use points::{Points, Real, Row, Vectors};
pub use range::{FeatureRange, Range, ScaleReport, TargetRange, read_range, write_range};
pub use record_table::read_records;
pub use records::{Cells, Records};
pub use scale::Scaler;
pub use sets::read_sets;
pub(crate) use sets::stacked;
pub use sparse::Sparse;
pub(crate) use stream::Rows;
pub use stream::{Parsed, Stream, read_pieces};
pub use table::{ColumnRef, Features, Format, ReadOptions, Table, read, read_from, read_labels};
pub use texts::{read_texts, read_texts_from};
pub use weights::read_weights;
pub(crate) use write::write_bytes;
pub use write::{write_atomic, write_csv, write_libsvm, write_npy, write_precomputed};
