//! The log of a search: JSON lines, from which one that was ended goes on.
//!
//! The first line says what is searched: data, splits, metrics. Each other line is an outcome with the text of its candidate. Where
//! the first lines are the same, outcomes are taken from the log, to the bit, and only the others are computed. A last line that is
//! incomplete, as a killed program leaves it, is written over.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::Outcome;
use crate::error::{Error, ErrorKind, ParseProblem, Result};

/// A log that is open.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: File,
    known: HashMap<String, Outcome>,
}

impl Log {
    /// Opens a log, which is made where it is not there. `head` is an object that says what is searched.
    ///
    /// # Errors
    /// If the file is of another search, a line but the last is none of a log, or it cannot be read or written.
    pub fn open(path: &Path, head: &Value) -> Result<Self> {
        let io = |source| Error::io(path, source);
        let text = match std::fs::read_to_string(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            read => read.map_err(io)?,
        };
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut known = HashMap::new();
        for (line, words) in (1..).zip(text[..whole].lines()) {
            let refused = |words: &str| -> Error {
                let (path, problem) = (path.to_owned(), ParseProblem::Other(words.into()));
                ErrorKind::Parse { path, line, column: 1, problem }.into()
            };
            let object: Value =
                serde_json::from_str(words).map_err(|_| refused("not a line of a search log"))?;
            if line == 1 {
                if object != *head {
                    let told = differing(&object, head);
                    return Err(refused(&format!("the log of another search: {told}; name another file")));
                }
                continue;
            }
            let (name, outcome) = parse(&object).ok_or_else(|| refused("not an outcome of a search"))?;
            known.insert(name, outcome);
        }
        // Not truncated: what is there is kept.
        let options = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let mut file = options.map_err(io)?;
        file.set_len(whole as u64).map_err(io)?;
        file.seek(SeekFrom::End(0)).map_err(io)?;
        let mut log = Self { path: path.to_owned(), file, known };
        if whole == 0 {
            log.line(head)?;
        }
        Ok(log)
    }

    /// The outcome of a candidate, by its text.
    #[must_use]
    pub fn outcome(&self, candidate: &str) -> Option<&Outcome> {
        self.known.get(candidate)
    }

    /// How many outcomes it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether it has no outcome.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Writes an outcome down.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&mut self, candidate: &str, outcome: &Outcome) -> Result<()> {
        // What is no number has no form in JSON: null.
        self.line(&json!({
            "candidate": candidate,
            "scores": outcome.scores,
            "fit_seconds": outcome.fit_seconds,
            "support_points": outcome.support_points,
            "failure": outcome.failure,
        }))?;
        self.known.insert(candidate.to_owned(), outcome.clone());
        Ok(())
    }

    fn line(&mut self, object: &Value) -> Result<()> {
        // One write, so that lines are whole or not there.
        let written = self.file.write_all(format!("{object}\n").as_bytes()).and_then(|()| self.file.flush());
        written.map_err(|source| Error::io(&self.path, source))
    }
}

/// The first name by which two objects differ, with both values; of objects in them `settings.c`.
fn differing(found: &Value, expected: &Value) -> String {
    let names = [found, expected].into_iter().filter_map(Value::as_object).flat_map(Map::keys);
    let differs = |name: &&String| found[name.as_str()] != expected[name.as_str()];
    let Some(name) = names.min_by_key(|name| (!differs(name), *name)).filter(differs) else {
        return "it has no such first line".to_owned();
    };
    match (&found[name.as_str()], &expected[name.as_str()]) {
        (Value::Object(found), Value::Object(expected)) => {
            let inside = differing(&Value::Object(found.clone()), &Value::Object(expected.clone()));
            format!("{name}.{inside}")
        }
        (found, expected) => format!("{name} is {found}, not {expected}"),
    }
}

fn parse(object: &Value) -> Option<(String, Outcome)> {
    let number = |value: &Value| if value.is_null() { Some(f64::NAN) } else { value.as_f64() };
    let list = |value: &Value| value.as_array()?.iter().map(number).collect::<Option<Vec<f64>>>();
    let outcome = Outcome {
        scores: object["scores"].as_array()?.iter().map(list).collect::<Option<_>>()?,
        fit_seconds: number(&object["fit_seconds"])?,
        support_points: number(&object["support_points"])?,
        failure: object["failure"].as_str().map(str::to_owned),
        proof: None,
    };
    Some((object["candidate"].as_str()?.to_owned(), outcome))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_come_back_to_the_bit_and_half_a_line_is_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (path, head) = (folder.path().join("log"), json!({ "rows": 3 }));
        let outcome = Outcome {
            scores: vec![vec![0.1 + 0.2, 1.0 / 3.0], vec![1e-300, -0.0]],
            fit_seconds: 0.125,
            support_points: 7.5,
            failure: Some("none".into()),
            proof: None,
        };
        let mut log = Log::open(&path, &head).unwrap();
        log.write("c=1", &outcome).unwrap();
        log.write("c=2", &Outcome { scores: vec![vec![f64::NAN]], ..Outcome::default() }).unwrap();
        let whole = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{whole}{{\"candidate\": \"c=3\", \"sco")).unwrap();
        let mut log = Log::open(&path, &head).unwrap();
        assert_eq!((log.len(), log.outcome("c=1")), (2, Some(&outcome)));
        assert!(log.outcome("c=2").unwrap().scores[0][0].is_nan() && log.outcome("c=3").is_none());
        log.write("c=3", &outcome).unwrap();
        assert_eq!(Log::open(&path, &head).unwrap().len(), 3);
        let error = Log::open(&path, &json!({ "rows": 4 })).unwrap_err().to_string();
        assert!(error.contains("log:1:1: the log of another search: rows is 3, not 4"), "{error}");
        std::fs::write(&path, format!("{head}\nx\n")).unwrap();
        assert!(Log::open(&path, &head).unwrap_err().to_string().contains("log:2:1"));
    }
}
