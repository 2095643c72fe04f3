//! `svm-predict`: one prediction a line, and how good they are.

use std::io::{self, Write};

use mercer::data::{Format, Points, ReadOptions, format_g, write_atomic};

use mercer::model::probability::Estimate;

use super::lines;
use super::options::Predict;
use crate::failure::{InFile, Result};
use crate::measures::Errors;
use crate::models::Prepared;
use crate::output::answer;
use crate::paths;
use crate::predict::{Columns, Judgement, Like, Predictions, predict_probabilities, required, side};
use crate::system;

/// Runs the program.
pub(super) fn run(options: &Predict) -> Result<()> {
    paths::distinct(&options.out, &[&options.data, &options.model])?;
    system::start_threads(0)?;
    let mut prepared = Prepared::load(&options.model)?;
    if options.probability {
        required(prepared.probability.as_ref(), &options.model, "train it with -b 1")?;
    } else if prepared.probability.is_some() && !options.quiet {
        answer("Model supports probability estimates, but disabled in prediction.\n")?;
    }
    let text = ReadOptions { format: Some(Format::Libsvm), ..ReadOptions::default() };
    let (points, labels) = prepared.read(&options.data, text)?;
    let (machine, estimate) =
        (&prepared.machine, prepared.probability.as_ref().filter(|_| options.probability));
    if let (Some(Estimate::Noise(noise)), false) = (estimate, options.quiet) {
        answer(lines::noise(noise.sigma, "sigma="))?;
    }
    let (predictions, columns) = match estimate {
        None => (Predictions::libsvm(machine, &points).in_file(&options.data)?, None),
        Some(estimate) => {
            let found = predict_probabilities(machine, estimate, &points, Like::Libsvm);
            let (predictions, columns) = found.in_file(&options.data)?;
            (predictions, Some(columns))
        }
    };
    write_atomic(&options.out, |out| match (&predictions, &columns) {
        (Predictions::Classes { .. } | Predictions::Scores(_), Some(columns)) => {
            probabilities(&predictions, columns, out)
        }
        _ => labels_alone(&predictions, out),
    })?;
    let (Some(labels), false) = (labels, options.quiet) else { return Ok(()) };
    answer(match predictions.judge(&labels).in_file(&options.data)? {
        Some(Judgement::Correct(correct)) => accuracy(correct, points.len()),
        Some(Judgement::Errors(errors)) => regression(&errors),
        Some(Judgement::Sets(sets)) => sets.summary(),
        None => String::new(),
    })
}

/// One prediction a line.
fn labels_alone(predictions: &Predictions<'_>, out: &mut dyn Write) -> io::Result<()> {
    match predictions {
        Predictions::Classes { model, index, .. } => {
            let names: Vec<String> = model.classes.iter().map(|class| printed(class)).collect();
            index.iter().try_for_each(|&class| writeln!(out, "{}", names[class]))
        }
        Predictions::Values(values) => {
            values.iter().try_for_each(|&value| writeln!(out, "{}", format_g(value, 17)))
        }
        Predictions::Scores(scores) => scores.iter().try_for_each(|&score| writeln!(out, "{}", side(score))),
        Predictions::Many(predicted) => predicted.write(out),
        Predictions::Columns(_) => predictions.write(out),
    }
}

/// A line of names, then a label and its probabilities a line, as LIBSVM prints them, `%g`.
fn probabilities(predictions: &Predictions<'_>, columns: &Columns, out: &mut dyn Write) -> io::Result<()> {
    let short = |class: &String| class.parse().map_or_else(|_| class.clone(), |number| format_g(number, 6));
    let names: Vec<String> = columns.names.iter().map(short).collect();
    let first = if matches!(predictions, Predictions::Scores(_)) { "label" } else { "labels" };
    writeln!(out, "{first} {}", names.join(" "))?;
    for i in 0..columns.rows.len() {
        match predictions {
            Predictions::Classes { index, .. } => write!(out, "{}", names[index[i]])?,
            Predictions::Scores(scores) => write!(out, "{}", side(scores[i]))?,
            Predictions::Values(values) => write!(out, "{}", format_g(values[i], 6))?,
            Predictions::Many(_) | Predictions::Columns(_) => {}
        }
        columns.rows.row(i).iter().try_for_each(|&value| write!(out, " {}", format_g(value, 6)))?;
        writeln!(out)?;
    }
    Ok(())
}

/// A label as LIBSVM prints it, `%.17g`.
fn printed(class: &str) -> String {
    class.parse().map_or_else(|_| class.to_owned(), |number| format_g(number, 17))
}

/// LIBSVM's line.
fn accuracy(correct: usize, rows: usize) -> String {
    let percent = format_g(100.0 * correct as f64 / rows as f64, 6);
    format!("Accuracy = {percent}% ({correct}/{rows}) (classification)\n")
}

/// LIBSVM's two lines.
fn regression(errors: &Errors) -> String {
    format!(
        "Mean squared error = {} (regression)\nSquared correlation coefficient = {} (regression)\n",
        format_g(errors.mean_square, 6),
        format_g(errors.square_correlation, 6),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accuracy_is_printed_as_libsvm_does() {
        assert_eq!(accuracy(3875, 4000), "Accuracy = 96.875% (3875/4000) (classification)\n");
        assert_eq!(accuracy(234, 270), "Accuracy = 86.6667% (234/270) (classification)\n");
    }

    #[test]
    fn errors_are_printed_as_libsvm_does() {
        let errors = Errors::of(&[1.0, 2.0, 4.0], &[1.0, 3.0, 5.0]);
        let lines = "Mean squared error = 0.666667 (regression)\n\
                     Squared correlation coefficient = 0.964286 (regression)\n";
        assert_eq!(regression(&errors), lines);
    }

    #[test]
    fn labels_are_printed_with_17_digits() {
        assert_eq!(printed("-1"), "-1");
        assert_eq!(printed("0.1"), "0.10000000000000001");
        assert_eq!(printed("cat"), "cat");
    }
}
