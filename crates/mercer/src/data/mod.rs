//! Points, labels and the files they come from.
//!
//! A data set for vector kernels is [`Vectors`]: dense or sparse rows of `f32` or `f64`, kept as they came. Its
//! labels are [`Labels`], of any text. [`read`] turns a file into both.

mod blocks;
mod column;
mod csv;
mod csv_cells;
mod dense;
mod encoding;
mod format;
mod input;
mod labels;
mod libsvm;
mod npy;
mod npy_header;
mod number;
mod points;
mod scale;
mod sparse;
mod table;
mod write;

pub use column::{LabelColumn, number_text};
pub use dense::Dense;
pub use encoding::{Column, Encoding};
pub use format::format_g;
pub use labels::Labels;
pub use points::{Points, Real, Row, Vectors};
pub use scale::Scaler;
pub use sparse::Sparse;
pub use table::{ColumnRef, Format, ReadOptions, Table, read, read_from, read_labels};
pub use write::{write_atomic, write_csv, write_libsvm};
