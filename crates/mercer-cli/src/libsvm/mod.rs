//! LIBSVM's three programs: the same options, output lines and files.

mod lines;
mod options;
mod predict;
mod scale;
mod train;
mod usage;

use crate::failure::{Failure, Result, code};
use crate::output::{answer, remark};

/// Which of the three.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Program {
    /// `svm-train`
    Train,
    /// `svm-predict`
    Predict,
    /// `svm-scale`
    Scale,
}

impl Program {
    const ALL: [Self; 3] = [Self::Train, Self::Predict, Self::Scale];

    /// By the name that the program was started by.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|program| program.name() == name)
    }

    /// The name LIBSVM gave it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Train => "svm-train",
            Self::Predict => "svm-predict",
            Self::Scale => "svm-scale",
        }
    }

    /// Runs it with its own arguments; without any it explains them.
    pub(crate) fn run(self, words: &[String]) -> Result<()> {
        let usage = match self {
            Self::Train => usage::TRAIN,
            Self::Predict => usage::PREDICT,
            Self::Scale => usage::SCALE,
        };
        if words == ["--help"] {
            return answer(usage);
        }
        let result = match self {
            Self::Train => options::Train::parse(words).and_then(|options| train::run(&options)),
            Self::Predict => options::Predict::parse(words).and_then(|options| predict::run(&options)),
            Self::Scale => options::Scale::parse(words).and_then(|options| scale::run(&options)),
        };
        match result {
            Err(Failure::Usage(text)) if text.is_empty() => {
                remark(usage.trim_end());
                Err(Failure::Answer(code::USAGE))
            }
            result => result,
        }
    }
}
