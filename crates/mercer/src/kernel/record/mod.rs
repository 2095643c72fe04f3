//! Kernels on rows of tables whose columns are of different spaces.
//!
//! A kernel of any space is seen through the columns that it compares, `spectrum(p=3) @ name` or `rbf(gamma=1) @ [age, dose]`:
//! several columns of numbers are the features of a vector, of other kinds a kernel takes one column. Sums and products over
//! columns then are as in every space. Each is a kernel where its parts are: a function of one part of a row is one of the row.
//!
//! ```
//! use mercer::data::{Cells, Records};
//! use mercer::kernel::{Kernel, RecordExpr};
//!
//! let kernel: RecordExpr = "spectrum(p=2) @ name + linear @ [age, dose]".parse()?;
//! let rows = Records::new(vec![
//!     ("name".into(), Cells::Texts(["anna", "hanna"].map(String::from).into())),
//!     ("age".into(), Cells::Numbers(vec![3.0, 4.0])),
//!     ("dose".into(), Cells::Numbers(vec![1.0, 2.0])),
//! ])?;
//! let mut row = [0.0; 2];
//! kernel.bind(&rows)?.rows_f64(&rows, &[0], &mut [&mut row]);
//! // an, nn, na are in both; 3·4 + 1·2.
//! assert_eq!(row, [3.0 + 10.0, 3.0 + 14.0]);
//! # Ok::<(), mercer::Error>(())
//! ```

mod columns;
mod leaf;
#[cfg(test)]
mod tests;

pub use leaf::{Part, RecordExpr, RecordLeaf};
