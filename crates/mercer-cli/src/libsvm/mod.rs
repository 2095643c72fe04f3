//! LIBSVM's three programs: the same options, output lines and files.

mod lines;
mod options;
mod predict;
mod scale;
mod train;
mod usage;

use crate::program::Program;

pub(crate) const TRAIN: Program =
    Program { name: "svm-train", others: &[], usage: usage::TRAIN, with: train::run };
pub(crate) const PREDICT: Program =
    Program { name: "svm-predict", others: &[], usage: usage::PREDICT, with: predict::run };
pub(crate) const SCALE: Program =
    Program { name: "svm-scale", others: &[], usage: usage::SCALE, with: scale::run };
