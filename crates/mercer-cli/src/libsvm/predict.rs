//! `svm-predict`: one prediction a line, and how good they are.

use std::io::{self, Write};

use mercer::data::{Format, ReadOptions, format_g, write_atomic};
use mercer::model::probability::{Beside, Estimate};
use mercer::model::{AnyModel, AnyPoints, How};

use super::lines;
use super::options::Predict;
use crate::failure::{InFile, Result};
use crate::models::{load, no_probabilities, read};
use crate::output::answer;
use crate::report::{Errors, Judgement, Predicted, agreement_words};
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

/// A line of names, then a label and its probabilities a line, as LIBSVM prints them, `%g`.
fn probabilities(predicted: &Predicted<'_>, beside: &Beside, out: &mut dyn Write) -> io::Result<()> {
    let names: Vec<String> = beside.names.iter().map(|name| printed(name, 6)).collect();
    let first = if predicted.inside().is_some() { "label" } else { "labels" };
    writeln!(out, "{first} {}", names.join(" "))?;
    for i in 0..predicted.len() {
        write!(out, "{}", printed(&predicted.label(i), 6))?;
        beside.rows.row(i).iter().try_for_each(|&value| write!(out, " {}", format_g(value, 6)))?;
        writeln!(out)?;
    }
    Ok(())
}

/// A label as LIBSVM prints it, by `%g` with so many digits.
fn printed(label: &str, digits: usize) -> String {
    label.parse().map_or_else(|_| label.to_owned(), |number| format_g(number, digits))
}

/// A share of the rows as LIBSVM prints it.
pub(super) fn percent(correct: usize, rows: usize) -> String {
    format_g(100.0 * correct as f64 / rows as f64, 6)
}

/// LIBSVM's two lines, each with what stands before and behind it.
pub(super) fn regression(errors: &Errors, before: &str, behind: &str) -> String {
    let [error, correlation] =
        [errors.mean_square, errors.square_correlation].map(|value| format_g(value, 6));
    format!(
        "{before}Mean squared error = {error}{behind}\n\
         {before}Squared correlation coefficient = {correlation}{behind}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accuracy_is_printed_as_libsvm_does() {
        assert_eq!([percent(3875, 4000), percent(234, 270)], ["96.875", "86.6667"]);
    }

    #[test]
    fn errors_are_printed_as_libsvm_does() {
        let errors = Errors::of(&[1.0, 2.0, 4.0], &[1.0, 3.0, 5.0]);
        let lines = "Mean squared error = 0.666667 (regression)\n\
                     Squared correlation coefficient = 0.964286 (regression)\n";
        assert_eq!(regression(&errors, "", " (regression)"), lines);
    }

    #[test]
    fn labels_are_printed_with_17_digits() {
        assert_eq!(printed("-1", 17), "-1");
        assert_eq!(printed("0.1", 17), "0.10000000000000001");
        assert_eq!(printed("cat", 17), "cat");
    }
}
