//! What the labels of a data file and the options about them tell a method.

use mercer::data::{LabelColumn, Labels};
use mercer::model::{AnyPoints, TargetKind, Targets};

use crate::output::remark;

/// Folds are drawn by a generator with this seed: the same each time.
pub(crate) const FOLD_SEED: u64 = 0x5eed;

/// What the labels tell a method.
pub(crate) fn targets(kind: TargetKind, labels: &LabelColumn) -> mercer::Result<Targets<AnyPoints>> {
    Ok(match kind {
        TargetKind::Classes => Targets::Classes(labels.labels().libsvm_order()),
        TargetKind::None => Targets::None,
        _ => Targets::Numbers(vec![labels.numbers()?]),
    })
}

/// Weights for the classes that are there; of the others LIBSVM and LIBLINEAR only warn.
pub(crate) fn class_weights(weights: &[(i32, f64)], y: &Labels) -> Vec<(String, f64)> {
    let (known, unknown): (Vec<_>, Vec<_>) = weights
        .iter()
        .map(|&(class, weight)| (class.to_string(), weight))
        .partition(|(class, _)| y.classes().contains(class));
    for (class, _) in unknown {
        remark(format_args!("WARNING: class label {class} specified in weight is not found"));
    }
    known
}
