//! `svm-predict`: one prediction a line, and how good they are.

use mercer::data::{Format, Points, ReadOptions, format_g, write_atomic};

use super::options::Predict;
use crate::failure::{InFile, Result};
use crate::measures::Errors;
use crate::models::Prepared;
use crate::output::answer;
use crate::paths;
use crate::predict::{Judgement, Predictions, side};
use crate::system;

/// Runs the program.
pub(super) fn run(options: &Predict) -> Result<()> {
    paths::distinct(&options.out, &[&options.data, &options.model])?;
    system::start_threads(0)?;
    let mut prepared = Prepared::load(&options.model)?;
    let text = ReadOptions { format: Some(Format::Libsvm), ..ReadOptions::default() };
    let (points, labels) = prepared.read(&options.data, text)?;
    let predictions = Predictions::libsvm(&prepared.machine, &points).in_file(&options.data)?;
    write_atomic(&options.out, |out| match &predictions {
        Predictions::Classes { model, index, .. } => {
            let names: Vec<String> = model.classes.iter().map(|class| printed(class)).collect();
            index.iter().try_for_each(|&class| writeln!(out, "{}", names[class]))
        }
        Predictions::Values(values) => {
            values.iter().try_for_each(|&value| writeln!(out, "{}", format_g(value, 17)))
        }
        Predictions::Scores(scores) => scores.iter().try_for_each(|&score| writeln!(out, "{}", side(score))),
        Predictions::Many(predicted) => predicted.write(out),
    })?;
    let (Some(labels), false) = (labels, options.quiet) else { return Ok(()) };
    answer(match predictions.judge(&labels).in_file(&options.data)? {
        Judgement::Correct(correct) => accuracy(correct, points.len()),
        Judgement::Errors(errors) => regression(&errors),
        Judgement::Sets(sets) => sets.summary(),
    })
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
