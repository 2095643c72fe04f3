//! `svm-predict`: one label a line, and the accuracy.

use mercer::data::{Format, Points, ReadOptions, format_g, write_atomic};

use super::options::Predict;
use crate::failure::{InFile, Result};
use crate::models::Prepared;
use crate::output::answer;
use crate::paths;
use crate::predict::Predictions;
use crate::system;

/// Runs the program.
pub(super) fn run(options: &Predict) -> Result<()> {
    paths::distinct(&options.out, &[&options.data, &options.model])?;
    system::start_threads(0)?;
    let mut prepared = Prepared::load(&options.model)?;
    let text = ReadOptions { format: Some(Format::Libsvm), ..ReadOptions::default() };
    let (points, labels) = prepared.read(&options.data, text)?;
    let predictions = Predictions::of(&prepared.model, &points).in_file(&options.data)?;
    let names: Vec<String> = prepared.model.classes.iter().map(|class| printed(class)).collect();
    write_atomic(&options.out, |out| {
        predictions.classes.iter().try_for_each(|&class| writeln!(out, "{}", names[class]))
    })?;
    let (Some(labels), false) = (labels, options.quiet) else { return Ok(()) };
    let (correct, rows) = (predictions.correct(&prepared.model, &labels), points.len());
    answer(format_args!("{}\n", accuracy(correct, rows)))
}

/// A label as LIBSVM prints it, `%.17g`.
fn printed(class: &str) -> String {
    class.parse().map_or_else(|_| class.to_owned(), |number| format_g(number, 17))
}

/// LIBSVM's line.
fn accuracy(correct: usize, rows: usize) -> String {
    let percent = format_g(100.0 * correct as f64 / rows as f64, 6);
    format!("Accuracy = {percent}% ({correct}/{rows}) (classification)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accuracy_is_printed_as_libsvm_does() {
        assert_eq!(accuracy(3875, 4000), "Accuracy = 96.875% (3875/4000) (classification)");
        assert_eq!(accuracy(234, 270), "Accuracy = 86.6667% (234/270) (classification)");
    }

    #[test]
    fn labels_are_printed_with_17_digits() {
        assert_eq!(printed("-1"), "-1");
        assert_eq!(printed("0.1"), "0.10000000000000001");
        assert_eq!(printed("cat"), "cat");
    }
}
