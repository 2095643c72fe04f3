//! Lines that LIBSVM and LIBLINEAR print alike.

use std::io::{self, Write};

use mercer::data::format_g;
use mercer::model::probability::Beside;

use crate::report::{Errors, Predicted};

/// A line of names, then a label and its probabilities a line, as both packages print them, `%g`.
pub(crate) fn probabilities(
    predicted: &Predicted<'_>,
    beside: &Beside,
    out: &mut dyn Write,
) -> io::Result<()> {
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

/// A label as both packages print it, by `%g` with so many digits.
pub(crate) fn printed(label: &str, digits: usize) -> String {
    label.parse().map_or_else(|_| label.to_owned(), |number| format_g(number, digits))
}

/// A share of the rows in percent, as both packages print it.
pub(crate) fn percent(correct: usize, rows: usize) -> String {
    format_g(100.0 * correct as f64 / rows as f64, 6)
}

/// The two lines about a regression, each with what stands before and behind it.
pub(crate) fn regression(errors: &Errors, before: &str, behind: &str) -> String {
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
    fn accuracy_is_printed_by_six_digits() {
        assert_eq!([percent(3875, 4000), percent(234, 270)], ["96.875", "86.6667"]);
    }

    #[test]
    fn errors_are_printed_by_six_digits() {
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
