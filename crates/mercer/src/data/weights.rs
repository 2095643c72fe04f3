//! A file with a weight for each row of a data file, one a line.

use std::io::Read;
use std::path::Path;

use super::input::Input;
use super::number;
use crate::error::{Error, ParseProblem, Result};

/// Reads a weight for each of `rows` rows: one number a line, blank lines ignored, the format of LIBSVM's version with
/// weights (`svm-train -W`). The file may be compressed.
///
/// # Errors
/// If a line is not a number or a number below 0, with line and column; if there are more or fewer weights than `rows`; if
/// all weights are 0; if reading fails.
pub fn read_weights(path: &Path, rows: usize) -> Result<Vec<f64>> {
    let mut input = Input::open(path)?;
    let mut text = Vec::new();
    if let Err(source) = input.read_to_end(&mut text) {
        return Err(input.failure(source));
    }
    parse(path, &text, rows)
}

fn parse(path: &Path, text: &[u8], rows: usize) -> Result<Vec<f64>> {
    let other = |words: String| ParseProblem::Other(words.into());
    let mut weights = Vec::new();
    let mut lines = 0;
    for line in text.split(|&byte| byte == b'\n') {
        lines += 1;
        let word = line.trim_ascii();
        if word.is_empty() {
            continue;
        }
        let column = (line.len() - line.trim_ascii_start().len()) as u64 + 1;
        let flaw = |problem| Error::parse(path, lines, column, problem);
        let weight = number::whole(word).map_err(flaw)?;
        if weight < 0.0 {
            return Err(flaw(other(format!("weight {weight}; none may be below 0"))));
        }
        if weights.len() == rows {
            return Err(flaw(other(format!("a weight beyond the last of {rows} rows"))));
        }
        weights.push(weight);
    }
    let whole = |line, words| Err(Error::parse(path, line, 1, other(words)));
    if weights.len() < rows {
        return whole(lines, format!("the file ends after {} weights for {rows} rows", weights.len()));
    }
    if weights.iter().all(|&weight| weight == 0.0) {
        return whole(1, "every weight is 0: no row is left".into());
    }
    Ok(weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flaws_are_named_with_their_place() {
        let read = |text: &str| parse(Path::new("w"), text.as_bytes(), 3);
        assert_eq!(read("1\n0.5\r\n\n 2e0").unwrap(), [1.0, 0.5, 2.0]);
        let refusal = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(refusal("1\n  x\n1\n"), "w:2:3: not a number: 'x'");
        assert_eq!(refusal("1 2\n3\n"), "w:1:1: not a number: '1 2'");
        assert_eq!(refusal("1\n-0.5\n1\n"), "w:2:1: weight -0.5; none may be below 0");
        assert!(refusal("1\n1\nnan\n").starts_with("w:3:1: not finite: 'nan'"));
        assert!(refusal("1\ninf\n1\n").starts_with("w:2:1: not finite: 'inf'"));
        assert_eq!(refusal("1\n1\n1\n1\n"), "w:4:1: a weight beyond the last of 3 rows");
        assert_eq!(refusal("1\n1\n"), "w:3:1: the file ends after 2 weights for 3 rows");
        assert_eq!(refusal(""), "w:1:1: the file ends after 0 weights for 3 rows");
        assert_eq!(refusal("0\n0\n-0\n"), "w:1:1: every weight is 0: no row is left");
    }
}
