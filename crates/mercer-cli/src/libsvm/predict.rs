//! `svm-predict`: one prediction a line, and how good they are.

use mercer::data::{Format, ReadOptions, write_atomic};
use mercer::model::probability::Estimate;
use mercer::model::{AnyModel, AnyPoints, How};

use super::lines;
use crate::failure::{InFile, Result};
use crate::models::{load, no_probabilities, read};
use crate::output::answer;
use crate::program::{Predict, percent, printed, probabilities, regression};
use crate::report::{Judgement, Predicted, agreement_words};
use crate::{paths, system};

pub(super) fn run(words: &[String]) -> Result<()> {
    let Predict { probability, quiet, files: [data, model, out] } = Predict::parse(words)?;
    paths::distinct(&out, &[&data, &model])?;
    system::start_threads(0)?;
    let (_, mut saved) = load(&model)?;
    match (probability, &saved.probability) {
        (true, None) => return Err(no_probabilities(&model, "train it with -b 1")),
        (false, Some(_)) if !quiet => {
            answer("Model supports probability estimates, but disabled in prediction.\n")?;
        }
        _ => {}
    }
    let text = ReadOptions { format: Some(Format::Libsvm), ..ReadOptions::default() };
    let (points, labels) = read(&mut saved, &data, text)?;
    let estimate = saved.probability.as_ref().filter(|_| probability);
    if let (Some(Estimate::Noise(noise)), false) = (estimate, quiet) {
        answer(lines::noise(noise.sigma, "sigma="))?;
    }
    let predicted = predict(&saved.model, estimate, &points).in_file(&data)?;
    write_atomic(&out, |out| match &predicted.beside {
        Some(beside) if predicted.values().is_none() => probabilities(&predicted, beside, out),
        _ => (0..predicted.len()).try_for_each(|i| writeln!(out, "{}", printed(&predicted.label(i), 17))),
    })?;
    let (Some(labels), false) = (labels, quiet) else { return Ok(()) };
    answer(match predicted.judge(&labels).in_file(&data)? {
        Some(Judgement::Correct(correct)) => {
            let (rows, percent) = (predicted.len(), percent(correct, predicted.len()));
            format!("Accuracy = {percent}% ({correct}/{rows}) (classification)\n")
        }
        Some(Judgement::Errors(errors)) => regression(&errors, "", " (regression)"),
        Some(Judgement::Sets(sets)) => agreement_words(&sets),
        None => String::new(),
    })
}

/// What a model says, with LIBSVM's ties; with probabilities from kernel values in double precision, so that the digits it
/// prints are the same.
pub(super) fn predict<'m>(
    model: &'m AnyModel,
    estimate: Option<&Estimate>,
    points: &AnyPoints,
) -> mercer::Result<Predicted<'m>> {
    let how = How { double: false, libsvm: true };
    let (prediction, beside) = match estimate {
        None => (model.predict(points, how)?, None),
        Some(estimate) => {
            let (prediction, beside) = estimate.predict(model, points, How { double: true, ..how })?;
            (prediction, Some(beside))
        }
    };
    Ok(Predicted::new(model, prediction, beside))
}
