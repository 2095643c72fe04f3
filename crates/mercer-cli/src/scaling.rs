//! Scaling of features before training and, alike, before predicting.

use mercer::data::{Scaler, Vectors};

use crate::args::ScaleArg;
use crate::failure::Result;

/// Fits the scaling asked for.
pub(crate) fn fit(method: ScaleArg, points: &Vectors) -> Result<Option<Scaler>> {
    Ok(match method {
        ScaleArg::None => None,
        ScaleArg::Minmax => Some(Scaler::min_max(points, -1.0, 1.0)?),
        ScaleArg::Standard => Some(Scaler::standard(points)?),
    })
}

/// Applies a scaling if there is one.
pub(crate) fn apply(scaler: Option<&Scaler>, points: Vectors) -> Vectors {
    scaler.map_or(points.clone(), |scaler| scaler.apply(&points))
}

/// What is wrong with a scaling that came from a file, if anything.
pub(crate) fn flaw(scaler: &Scaler, width: usize) -> Option<String> {
    let (parts, numbers) = match scaler {
        Scaler::MinMax { min, max, .. } => ([min.len(), max.len()], [min, max]),
        Scaler::Standard { mean, deviation } => ([mean.len(), deviation.len()], [mean, deviation]),
    };
    if parts != [width, width] {
        Some(format!("scales {} and {} features where the model has {width}", parts[0], parts[1]))
    } else if numbers.into_iter().flatten().any(|value| !value.is_finite()) {
        Some("holds a number that is not finite".into())
    } else {
        None
    }
}
