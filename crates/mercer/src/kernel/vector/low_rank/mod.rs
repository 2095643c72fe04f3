//! Maps whose inner product comes near to another kernel: Nyström's, by landmarks, and random Fourier features.
//!
//! With k̃(x, y) = ⟨φ(x), φ(y)⟩ and a map of m features, what costs n² for n points costs n·m: `linear @ nystrom(rbf(gamma=1), 2000)`
//! is a kernel like any other, and linear methods solve for the m weights of the features.

mod choice;
mod fourier;
mod nystrom;

pub use choice::LandmarkChoice;
pub use fourier::Fourier;
pub use nystrom::Nystrom;

use super::VectorExpr;
use crate::error::Result;
use crate::kernel::call::{Argument, Call};

/// The text of a kernel as the first argument of a map, and the call with the arguments after it.
///
/// # Errors
/// If there is none, it cannot be parsed, or it has a map of this kind itself.
fn kernel<'a>(call: &Call<'a>) -> Result<(VectorExpr, Call<'a>)> {
    let [first, rest @ ..] = &call.arguments[..] else {
        return Err(call.fail(call.at, format!("{} needs a kernel on vectors", call.name)));
    };
    let Argument { at, value, .. } = *first;
    // Refused before it is parsed, so that no text nests deeper than the parser's own limit.
    if OVER.iter().any(|name| value.contains(name)) {
        return Err(
            call.fail(at, format!("{} of a kernel without a map of landmarks or frequencies", call.name))
        );
    }
    let kernel: VectorExpr = value.parse().map_err(|error: crate::Error| match error.kind() {
        crate::ErrorKind::KernelText { column, expected, .. } => call.fail(at + column - 1, expected.clone()),
        _ => error,
    })?;
    if kernel.leaves().is_empty() {
        return Err(call.fail(at, format!("{} needs a kernel on vectors before its numbers", call.name)));
    }
    Ok((kernel, Call { arguments: rest.to_vec(), ..call.clone() }))
}

/// The names of the maps whose first argument is a kernel.
pub(in crate::kernel) const OVER: &[&str] = &["nystrom", "fourier"];
