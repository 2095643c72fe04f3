//! What makes probabilities of decisions: the entry `probability` with its kind, and the tensors of that kind.
//!
//! A file without the entry has no probabilities, as all had before there were any.

use super::container::{Flaw, Reader, Writer};
use crate::model::probability::{Calibration, Density, Estimate, Isotonic, Noise, Probability, Sigmoid};

const KIND: &str = "probability";
const SIGMOIDS: &str = "probability.sigmoids";
const START: &str = "probability.start";
const THRESHOLDS: &str = "probability.thresholds";
const VALUES: &str = "probability.values";
const SIGMA: &str = "probability.sigma";
const MARKS: &str = "probability.marks";

pub(super) fn write(estimate: &Estimate, writer: &mut Writer) -> Result<(), Flaw> {
    writer.entry(KIND, estimate.method());
    match estimate {
        Estimate::Classes(probability) => write_pairs(&probability.pairs, writer),
        Estimate::Noise(noise) => {
            writer.list(SIGMA, &[noise.sigma]);
            Ok(())
        }
        Estimate::Density(density) => {
            writer.tensor(MARKS, &[density.marks.len()], density.marks);
            Ok(())
        }
    }
}

fn write_pairs(pairs: &[Calibration], writer: &mut Writer) -> Result<(), Flaw> {
    let (mut sigmoids, mut isotonics) = (Vec::new(), Vec::new());
    for pair in pairs {
        match pair {
            Calibration::Sigmoid(sigmoid) => sigmoids.extend([sigmoid.a, sigmoid.b]),
            Calibration::Isotonic(isotonic) => isotonics.push(isotonic),
        }
    }
    if isotonics.is_empty() {
        writer.tensor(SIGMOIDS, &[pairs.len(), 2], sigmoids);
        return Ok(());
    }
    if !sigmoids.is_empty() {
        return Err("some pairs of classes have a sigmoid and some an isotonic function".into());
    }
    writer.starts(START, isotonics.iter().map(|isotonic| isotonic.thresholds.len()));
    let all = |list: fn(&Isotonic) -> &[f64]| -> Vec<f64> {
        isotonics.iter().flat_map(|isotonic| list(isotonic)).copied().collect()
    };
    let (thresholds, values) = (all(|isotonic| &isotonic.thresholds), all(|isotonic| &isotonic.values));
    writer.list(THRESHOLDS, &thresholds);
    writer.list(VALUES, &values);
    Ok(())
}

pub(super) fn read(reader: &mut Reader<'_>) -> Result<Option<Estimate>, Flaw> {
    let Some(kind) = reader.optional(KIND) else { return Ok(None) };
    Ok(Some(match kind.as_str() {
        "sigmoid" => Estimate::Classes(Probability { pairs: sigmoids(reader)? }),
        "isotonic" => Estimate::Classes(Probability { pairs: isotonics(reader)? }),
        "noise" => match reader.list::<f64>(SIGMA)?[..] {
            [sigma] => Estimate::Noise(Noise { sigma }),
            _ => return Err(format!("tensor '{SIGMA}' must have one number").into()),
        },
        "density" => match <[f64; 10]>::try_from(reader.list::<f64>(MARKS)?) {
            Ok(marks) => Estimate::Density(Density { marks }),
            Err(_) => return Err(format!("tensor '{MARKS}' must have ten numbers").into()),
        },
        _ => {
            let known = Estimate::METHODS.join(", ");
            return Err(format!("entry '{KIND}': '{kind}': this program reads {known}").into());
        }
    }))
}

fn sigmoids(reader: &mut Reader<'_>) -> Result<Vec<Calibration>, Flaw> {
    let (shape, numbers) = reader.tensor::<f64>(SIGMOIDS, 2)?;
    if shape[1] != 2 {
        return Err(format!("tensor '{SIGMOIDS}' must have two columns").into());
    }
    Ok(numbers.chunks_exact(2).map(|pair| Calibration::Sigmoid(Sigmoid { a: pair[0], b: pair[1] })).collect())
}

fn isotonics(reader: &mut Reader<'_>) -> Result<Vec<Calibration>, Flaw> {
    let (thresholds, values) = (reader.list::<f64>(THRESHOLDS)?, reader.list::<f64>(VALUES)?);
    let flaw = format!("tensor '{START}' does not cut '{THRESHOLDS}' and '{VALUES}' into pairs");
    let start = reader.starts(START, thresholds.len(), &flaw)?;
    if thresholds.len() != values.len() {
        return Err(flaw.into());
    }
    let part = |ends: &[usize]| {
        let own = ends[0]..ends[1];
        Calibration::Isotonic(Isotonic {
            thresholds: thresholds[own.clone()].to_vec(),
            values: values[own].to_vec(),
        })
    };
    Ok(start.windows(2).map(part).collect())
}

#[cfg(test)]
mod tests;
