//! LIBSVM's three programs: the same options, output lines and files.

mod lines;
mod options;
mod predict;
mod scale;
mod train;
mod usage;

use crate::failure::{Failure, Result, code};
use crate::output::{answer, remark};

/// One of the three.
#[derive(Clone, Copy)]
pub(crate) struct Program {
    pub(crate) name: &'static str,
    usage: &'static str,
    with: fn(&[String]) -> Result<()>,
}

impl Program {
    pub(crate) const TRAIN: Self = Self { name: "svm-train", usage: usage::TRAIN, with: train::run };
    pub(crate) const PREDICT: Self = Self { name: "svm-predict", usage: usage::PREDICT, with: predict::run };
    pub(crate) const SCALE: Self = Self { name: "svm-scale", usage: usage::SCALE, with: scale::run };

    /// By the name that the program was started by.
    pub(crate) fn named(name: &str) -> Option<Self> {
        [Self::TRAIN, Self::PREDICT, Self::SCALE].into_iter().find(|program| program.name == name)
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
