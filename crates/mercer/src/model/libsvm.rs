//! LIBSVM's model text, read and written.
//!
//! A header of `name value …` lines, the line `SV`, then one line per support vector: its k − 1 coefficients and its
//! features as `index:value`, from 1. The conventions are those of [`SvcModel`]: support vectors are grouped by class
//! in the order of `label`, the output of a pair is positive for the class listed first, `rho` is the offset b of
//! Σ βᵢ k(xᵢ, x) − b, and the coefficient against class b stands in column b where b comes before the vector's own
//! class, else in column b − 1. A [`Function`] (`one_class`, `epsilon_svr`, `nu_svr`) has one coefficient per support
//! vector, `nr_class 2` and neither `label` nor `nr_sv`.
//!
//! | `kernel_type` | expression |
//! |---|---|
//! | `linear` | `linear` |
//! | `polynomial`, with `degree`, `gamma`, `coef0` | `poly(degree=…, gamma=…, coef0=…)` |
//! | `rbf`, with `gamma` | `rbf(gamma=…)` |
//! | `sigmoid`, with `gamma`, `coef0` | `tanh(gamma=…, coef0=…)` |
//! | `precomputed` | `precomputed`; a vector is `0:serial` |
//!
//! What the text cannot say: LIBSVM writes features with 8 digits, so that its own reloaded models are not bit-equal;
//! we write every number with as many digits as bring it back. The width is the largest index of a support vector.
//! Positions in the training data and certificates are not in the text, and a model read from it has neither.
//! A `nu_svc` model decides like a `c_svc` one, a `nu_svr` like an `epsilon_svr`; which of the two is written depends on
//! whether [`Training`](super::file::Training) has a ν. Spheres, machines with a function for each class or label, sums in
//! place of votes and isotonic functions have no place in the text.
//!
//! Probabilities are lines of the header: `probA` and `probB` hold a and b of Platt's sigmoid for each pair of classes,
//! `probA` alone is σ of the noise about a regression, `prob_density_marks` are the ten marks of a one-class machine.
//!
//! ```
//! let text = "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho 0.25\n\
//!             label 1 -1\nnr_sv 1 1\nSV\n1 1:0.5 3:1 \n-1 2:2 \n";
//! let model = mercer::model::libsvm::parse(text.as_bytes())?;
//! assert_eq!(model.model.classes(), ["1", "-1"]);
//! assert_eq!(mercer::model::libsvm::print(&model)?, text);
//! # Ok::<(), mercer::Error>(())
//! ```

mod header;
pub(super) mod print;
mod probability;
#[cfg(test)]
mod tests;
mod vectors;

use std::path::Path;

use crate::data::write_bytes;
use crate::error::{Error, Result};
use crate::model::file::Saved;
use crate::model::file::parts;
use crate::model::lines::Lines;
use crate::model::{Coefficients, Expansion, Function, Role, SvcModel, VoteRule};
use header::Kind;

pub use print::{check, print};

/// Reads a LIBSVM model file; support vectors become sparse rows of `f64`.
///
/// # Errors
/// If the file cannot be read; with line and column if it is not a whole and consistent model.
pub fn read(path: impl AsRef<Path>) -> Result<Saved> {
    let path = path.as_ref();
    let bytes = std::fs::read(path).map_err(|source| Error::io(path, source))?;
    parse_named(&bytes, path)
}

/// The model in the text of a LIBSVM model file.
///
/// # Errors
/// As [`read`].
pub fn parse(text: &[u8]) -> Result<Saved> {
    parse_named(text, Path::new("<memory>"))
}

/// Writes a LIBSVM model file: under a temporary name first, then renamed.
///
/// # Errors
/// As [`print()`], or if the file cannot be written.
pub fn write(saved: &Saved, path: impl AsRef<Path>) -> Result<()> {
    write_bytes(path.as_ref(), print(saved)?.as_bytes())
}

fn parse_named(text: &[u8], path: &Path) -> Result<Saved> {
    let mut lines = Lines::new(text, path);
    let header = header::read(&mut lines)?;
    let (points, weights) = vectors::read(lines, &header)?;
    let coefficients = match &header.kind {
        Kind::Classifier { class_sizes, .. } => parts::blocks(class_sizes, &weights),
        Kind::Regression | Kind::OneClass => Coefficients::single(weights),
    };
    let expansion = Expansion::new(header.kernel, points, coefficients, header.offsets);
    let (support, certificate) = (Vec::new(), None);
    let saved: Saved = match header.kind {
        Kind::Classifier { classes, class_sizes } => SvcModel {
            expansion,
            classes,
            class_sizes,
            support,
            certificates: Vec::new(),
            rule: VoteRule::Votes,
        }
        .into(),
        Kind::Regression => Function { expansion, role: Role::Regression, support, certificate }.into(),
        Kind::OneClass => Function { expansion, role: Role::OneClass, support, certificate }.into(),
    };
    Ok(Saved { probability: header.probability, program: "LIBSVM text".to_owned(), ..saved })
}
