//! LIBLINEAR's two programs: the same options, output lines and files.

mod options;
mod predict;
mod train;
mod usage;
mod validate;

use crate::program::Program;

pub(crate) const TRAIN: Program =
    Program { name: "linear-train", others: &["liblinear-train"], usage: usage::TRAIN, with: train::run };
pub(crate) const PREDICT: Program = Program {
    name: "linear-predict",
    others: &["liblinear-predict"],
    usage: usage::PREDICT,
    with: predict::run,
};
