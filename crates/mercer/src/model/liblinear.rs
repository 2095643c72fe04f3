//! LIBLINEAR's model text, read and written.
//!
//! A header of `name value …` lines, the line `w`, then one line per feature with its weight in each function, and where `bias` is
//! not negative one more for the constant feature of that value, whose weight times `bias` is the offset. Two classes have one
//! function, which is positive for the class listed first; more have one each, of which the largest decides. A regression has
//! `nr_class 2` and no `label`; a one-class model besides has `rho`, which is subtracted. Its w and ρ are ours multiplied by νn, the sum
//! of its dual variables, which are at most 1 there and 1/(νn) here ([`with_total`]).
//!
//! | `solver_type` | model |
//! |---|---|
//! | `L2R_LR`, `L2R_LR_DUAL`, `L1R_LR` | [`LinearModel`] with the logistic loss and probabilities |
//! | `L2R_L2LOSS_SVC`, `L2R_L2LOSS_SVC_DUAL`, `L1R_L2LOSS_SVC` | [`LinearModel`] with the squared hinge |
//! | `L2R_L1LOSS_SVC_DUAL`, `MCSVM_CS` | [`LinearModel`] with the hinge |
//! | `L2R_L2LOSS_SVR`, `L2R_L2LOSS_SVR_DUAL`, `L2R_L1LOSS_SVR_DUAL` | [`LinearModel`] of numbers |
//! | `ONECLASS_SVM` | [`LinearModel`] of one class: the hinge without classes, whose offset is `rho` |
//!
//! What the text cannot say: C, ε (which is read as 0), which penalty a model was trained with beyond the name of the solver, and
//! certificates. A model that was read is written with the solver that its loss has by default and with `bias 1`, unless a
//! [`Form`] says otherwise; its decisions are the same. We write every number with as many digits as bring it back.
//!
//! Reading takes time and memory proportional to the file: nothing is allocated by a number that it claims.
//!
//! ```
//! let text = "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias 1\nw\n0.5 \n-0.25 \n1 \n";
//! let model = mercer::model::liblinear::parse(text.as_bytes())?;
//! assert_eq!(model.model.classes(), ["1", "-1"]);
//! assert_eq!(mercer::model::liblinear::print(&model)?, text);
//! # Ok::<(), mercer::Error>(())
//! ```

mod print;
mod read;
mod solver;
#[cfg(test)]
mod tests;
mod units;

use std::path::Path;

use crate::data::write_bytes;
use crate::error::{Error, Result};
#[cfg(doc)]
use crate::model::LinearModel;
use crate::model::file::Saved;

pub use print::{Form, check, print, print_as};
pub use solver::{Learnt, SOLVERS, Solver};
pub use units::with_total;

/// Reads a LIBLINEAR model file.
///
/// # Errors
/// If the file cannot be read; with line and column if it is not a whole and consistent model.
pub fn read(path: impl AsRef<Path>) -> Result<Saved> {
    let path = path.as_ref();
    let bytes = std::fs::read(path).map_err(|source| Error::io(path, source))?;
    read::parse(&bytes, path)
}

/// The model in the text of a LIBLINEAR model file.
///
/// # Errors
/// As [`read()`].
pub fn parse(text: &[u8]) -> Result<Saved> {
    read::parse(text, Path::new("<memory>"))
}

/// Writes a LIBLINEAR model file: under a temporary name first, then renamed.
///
/// # Errors
/// As [`print()`], or if the file cannot be written.
pub fn write(saved: &Saved, path: impl AsRef<Path>) -> Result<()> {
    write_bytes(path.as_ref(), print(saved)?.as_bytes())
}

/// Writes a LIBLINEAR model file with the solver and the bias of `form`.
///
/// # Errors
/// As [`print_as`], or if the file cannot be written.
pub fn write_as(saved: &Saved, form: &Form, path: impl AsRef<Path>) -> Result<()> {
    write_bytes(path.as_ref(), print_as(saved, form)?.as_bytes())
}
