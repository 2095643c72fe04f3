//! The file of a checkpoint: what is fitted, and the answers so far.
//!
//! It is a container as a model's is, of another format; reading it trusts nothing.

use super::container::{Flaw, Reader, Writer};
use super::{Recipe, VERSION, open_as};
use crate::solve::Start;

/// The entry `format`.
const FORMAT: &str = "mercer-checkpoint";

/// What a checkpoint is of: one of another fit is refused.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::model) struct Fit {
    /// The method and its parameters.
    pub(in crate::model) recipe: Recipe,
    /// The text of the kernel.
    pub(in crate::model) kernel: String,
    /// Hash of points, targets and weights.
    pub(in crate::model) data: String,
}

/// An answer so far.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::model) struct Kept {
    /// Which of the lists of problems that a fit solves one after the other, and which of the list.
    pub(in crate::model) place: (u32, u32),
    /// Hash of the problem: its numbers without the kernel.
    pub(in crate::model) problem: u64,
    /// The answer.
    pub(in crate::model) start: Start,
}

/// The bytes of the file.
pub(in crate::model) fn write<'k>(
    fit: &Fit,
    kept: impl Iterator<Item = &'k Kept> + Clone,
) -> Result<Vec<u8>, Flaw> {
    let mut writer = Writer::default();
    writer.entry("format", FORMAT);
    writer.entry("version", VERSION);
    writer.entry("recipe", fit.recipe.print());
    writer.entry("kernel", fit.kernel.as_str());
    writer.entry("data", fit.data.as_str());
    let count = kept.clone().count();
    writer.tensor("lists", &[count], kept.clone().map(|kept| kept.place.0));
    writer.tensor("parts", &[count], kept.clone().map(|kept| kept.place.1));
    writer.tensor("problems", &[count], kept.clone().map(|kept| kept.problem));
    writer.starts("weights-of", kept.clone().map(|kept| kept.start.weights.len()));
    writer.starts("dual-of", kept.clone().map(|kept| kept.start.dual.len()));
    let joined = |list: fn(&Start) -> &[f64]| -> Vec<f64> {
        kept.clone().flat_map(|kept| list(&kept.start).iter().copied()).collect()
    };
    writer.list("weights", &joined(|start| &start.weights));
    writer.list("dual", &joined(|start| &start.dual));
    writer.finish()
}

/// What the bytes of a file hold.
pub(in crate::model) fn read(bytes: &[u8]) -> Result<(Fit, Vec<Kept>), Flaw> {
    let mut reader = open_as(bytes, FORMAT, "checkpoint")?;
    let fit = Fit {
        recipe: Recipe::parse(&reader.entry("recipe")?)?,
        kernel: reader.entry("kernel")?,
        data: reader.entry("data")?,
    };
    let (lists, parts) = (reader.list::<u32>("lists")?, reader.list::<u32>("parts")?);
    let problems = reader.list::<u64>("problems")?;
    let (weights, dual) = (lists_of(&mut reader, "weights")?, lists_of(&mut reader, "dual")?);
    reader.finish()?;
    let count = lists.len();
    if [parts.len(), problems.len(), weights.len(), dual.len()] != [count; 4] {
        return Err("answers, their places and their problems differ in number".into());
    }
    let places = lists.into_iter().zip(parts);
    let starts = weights.into_iter().zip(dual).map(|(weights, dual)| Start { weights, dual });
    let kept = places.zip(problems).zip(starts);
    Ok((fit, kept.map(|((place, problem), start)| Kept { place, problem, start }).collect()))
}

/// Lists of finite numbers, one after the other in a tensor.
fn lists_of(reader: &mut Reader<'_>, name: &str) -> Result<Vec<Vec<f64>>, Flaw> {
    let values = reader.list::<f64>(name)?;
    if values.iter().any(|value| !value.is_finite()) {
        return Err(format!("tensor '{name}' has a value that is not finite").into());
    }
    let starts = reader.starts(&format!("{name}-of"), values.len(), "answers do not fill their tensor")?;
    Ok(starts.windows(2).map(|range| values[range[0]..range[1]].to_vec()).collect())
}
