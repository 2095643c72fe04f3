//! Models that have components: which they are, and how they are shown.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use mercer::data::Vectors;
use mercer::kernel::VectorExpr;
use mercer::model::{Machine, PcaModel};

use crate::failure::{Failure, Result};
use crate::models::Kind;
use crate::output::{count, short};

/// A table of eigenvalues and what they explain, of at most so many lines.
pub(crate) fn table(model: &PcaModel<Vectors, VectorExpr>, lines: usize) -> String {
    let mut text =
        format!("{:>9}  {:>11}  {:>9}  {:>9}\n", "component", "eigenvalue", "explained", "together");
    let mut together = 0.0;
    for (c, (value, share)) in model.eigenvalues.iter().zip(model.explained()).enumerate() {
        together += share;
        if c < lines {
            let (share, together) = (percent(share), percent(together));
            let _ = writeln!(text, "{:>9}  {:>11}  {share:>9}  {together:>9}", c + 1, short(*value));
        }
    }
    if model.components() > lines {
        let _ = writeln!(text, "… and {} more, {} together", model.components() - lines, percent(together));
    }
    text
}

fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

/// The message for a machine without components.
pub(crate) fn none(model: &Path, machine: &Machine) -> Failure {
    let (file, method) = (model.display(), machine.method());
    Failure::Usage(format!("{file}: a model of --method {method} has no components; use mercer predict"))
}

/// The same machine with its first components only.
pub(crate) fn first(machine: Machine, wanted: Option<usize>) -> Result<Machine> {
    match (machine, wanted) {
        (Machine::Pca(model), Some(wanted)) => Ok(Machine::Pca(model.first(wanted)?)),
        (machine, _) => Ok(machine),
    }
}

/// Data and model, whichever of the two was named first.
pub(crate) fn data_and_model(data: &Path, model: &Path) -> Result<(PathBuf, PathBuf)> {
    let is_model = |path: &Path| path.is_file() && matches!(Kind::of(path), Ok(Some(_)));
    if is_model(data) && !is_model(model) {
        return Ok((model.to_owned(), data.to_owned()));
    }
    Ok((data.to_owned(), model.to_owned()))
}

/// `kpca, rbf(gamma=1), 8 components`
pub(crate) fn words(model: &PcaModel<Vectors, VectorExpr>) -> String {
    format!("kpca, {}, {}", model.expansion.kernel(), count(model.components(), "component"))
}
