//! What the programs of LIBSVM and LIBLINEAR have in common: how they are started, their syntax, and lines of output.

mod lines;
mod task;
mod words;

pub(crate) use lines::{percent, printed, probabilities, regression};
pub(crate) use task::{FOLD_SEED, class_weights, targets};
pub(crate) use words::{Predict, Words, model_name, unknown};

use crate::failure::{Failure, Result, code};
use crate::output::{answer, remark};

/// A program of another package.
#[derive(Clone, Copy)]
pub(crate) struct Program {
    /// Its name, and what its messages begin with.
    pub(crate) name: &'static str,
    /// Other names by which it may be started.
    pub(crate) others: &'static [&'static str],
    pub(crate) usage: &'static str,
    pub(crate) with: fn(&[String]) -> Result<()>,
}

impl Program {
    /// Whether this is a name of it.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        self.name == name || self.others.contains(&name)
    }

    /// Runs it with its own arguments; without any it explains them.
    pub(crate) fn run(self, words: &[String]) -> Result<()> {
        if words == ["--help"] {
            return answer(self.usage);
        }
        match (self.with)(words) {
            Err(Failure::Usage(text)) if text.is_empty() => {
                remark(self.usage.trim_end());
                Err(Failure::Answer(code::USAGE))
            }
            result => result,
        }
    }
}
