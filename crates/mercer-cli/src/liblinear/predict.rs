//! `linear-predict`: one prediction a line, and how good they are.

use mercer::data::{Format, ReadOptions, write_atomic};
use mercer::model::file::Saved;
use mercer::model::probability::Columns;
use mercer::model::{AnyPoints, Calibrates, How};

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
    if probability && saved.probability.is_none() && saved.model.calibrates() != Calibrates::Own {
        return Err(no_probabilities(&model, "probability output is only supported for logistic regression"));
    }
    let text = ReadOptions { format: Some(Format::Libsvm), ..ReadOptions::default() };
    let (points, labels) = read(&mut saved, &data, text)?;
    let predicted = predict(&saved, &points, probability).in_file(&data)?;
    write_atomic(&out, |out| match &predicted.beside {
        Some(beside) if predicted.values().is_none() => probabilities(&predicted, beside, out),
        _ => (0..predicted.len()).try_for_each(|i| writeln!(out, "{}", printed(&predicted.label(i), 17))),
    })?;
    let (Some(labels), false) = (labels, quiet) else { return Ok(()) };
    answer(match predicted.judge(&labels).in_file(&data)? {
        Some(Judgement::Correct(correct)) => {
            let (rows, percent) = (predicted.len(), percent(correct, predicted.len()));
            format!("Accuracy = {percent}% ({correct}/{rows})\n")
        }
        Some(Judgement::Errors(errors)) => regression(&errors, "", " (regression)"),
        Some(Judgement::Sets(sets)) => agreement_words(&sets),
        None => String::new(),
    })
}

fn predict<'m>(saved: &'m Saved, points: &AnyPoints, probability: bool) -> mercer::Result<Predicted<'m>> {
    let (model, how) = (&saved.model, How { double: true, libsvm: true });
    let (prediction, beside) = match (probability, &saved.probability) {
        (false, _) => (model.predict(points, how)?, None),
        (true, Some(estimate)) => {
            let (prediction, beside) = estimate.predict(model, points, how)?;
            (prediction, Some(beside))
        }
        (true, None) => {
            let (prediction, beside) = model.predict_beside(points, Columns::Probabilities, how)?;
            (prediction, Some(beside))
        }
    };
    Ok(Predicted::new(model, prediction, beside))
}
