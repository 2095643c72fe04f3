//! What is fitted to what: a data file, its labels or targets, a second view.

use std::path::Path;

use mercer::data::{self, ColumnRef, Encoding, LabelSets, Points, ReadOptions, Table};
use mercer::model::{AnyKernel, AnyPoints, TargetKind, Targets};

use crate::args::{DataArgs, Scaling};
use crate::failure::{InFile, Result, unsupported, usage};
use crate::input::Input;
use crate::method::{Choice, MethodArgs};
use crate::output::remark;

/// The files that say what is fitted to what, and how they are read.
pub(crate) struct Source<'a> {
    pub(crate) asked: &'a MethodArgs,
    pub(crate) data: &'a Path,
    pub(crate) data_options: &'a DataArgs,
    pub(crate) scale: Scaling,
    pub(crate) quiet: bool,
}

impl Source<'_> {
    /// How the data are read.
    pub(crate) fn options(&self, choice: &Choice) -> ReadOptions {
        let target = choice.card.target;
        ReadOptions {
            targets: matches!(target, TargetKind::Number | TargetKind::Numbers)
                && self.asked.targets.is_none(),
            sets: target == TargetKind::Sets,
            ..self.data_options.options()
        }
    }

    /// What the method must know of the points.
    pub(crate) fn targets(&self, choice: &Choice, input: &mut Input) -> Result<Targets<AnyPoints>> {
        Ok(match choice.card.target {
            TargetKind::Classes => {
                let labels = input.labels(self.data)?.labels().libsvm_order();
                labels.check(input.x.len()).in_file(self.data)?;
                if !self.quiet {
                    remark_on_sets(labels.classes());
                }
                Targets::Classes(labels)
            }
            TargetKind::Number | TargetKind::Numbers => Targets::Numbers(match &self.asked.targets {
                Some(file) => columns(file, input.x.len())?,
                None => vec![input.labels(self.data)?.numbers().in_file(self.data)?],
            }),
            TargetKind::Sets => {
                let sets = LabelSets::of(&input.labels(self.data)?.labels());
                if sets.names().is_empty() {
                    return Err(usage!("--multilabel: no row of {} has a label", self.data.display()));
                }
                Targets::Sets(sets)
            }
            TargetKind::View => Targets::View(self.second(choice)?),
            _ => Targets::None,
        })
    }

    /// The points of the second view, as they are in their file.
    fn second(&self, choice: &Choice) -> Result<AnyPoints> {
        let method = choice.card.name;
        let missing = || usage!("--method {method}: name the file of the second view by --second");
        let file = self.asked.second.as_ref().ok_or_else(missing)?;
        if self.scale != Scaling::None {
            return Err(usage!("--scale: not for two views; scale each file by mercer scale --save first"));
        }
        let own =
            choice.given("second-kernel").map(|text| text.to_string().parse::<AnyKernel>()).transpose()?;
        let kernel = own.or_else(|| self.asked.kernel.clone().filter(|kernel| !kernel.is_precomputed()));
        let options = ReadOptions { labels_path: None, ..self.data_options.options() };
        let Table { points, encoding, .. } =
            AnyPoints::read(kernel.as_ref(), file, &options).in_file(file)?;
        let words = |encoding: &Encoding| encoding.columns.iter().any(|column| column.categories.is_some());
        if encoding.as_ref().is_some_and(words) {
            return Err(unsupported!("{}: columns of words in the second view", file.display()));
        }
        Ok(points)
    }
}

/// Says so where labels look like sets and are taken as names of classes.
pub(super) fn remark_on_sets(classes: &[String]) {
    let is_set =
        |name: &&String| name.contains(',') && name.split(',').all(|part| part.trim().parse::<f64>().is_ok());
    if let Some(name) = classes.iter().find(is_set) {
        remark(format_args!(
            "mercer: note: '{name}' is taken as the name of a class; --multilabel reads it as several labels"
        ));
    }
}

/// The columns of a file of targets.
pub(super) fn columns(file: &Path, rows: usize) -> Result<Vec<Vec<f64>>> {
    let options = ReadOptions { label: Some(ColumnRef::Absent), ..ReadOptions::default() };
    let table = data::read(file, &options).in_file(file)?.points;
    if table.len() != rows {
        let (file, found) = (file.display(), table.len());
        return Err(usage!("--targets: {file} has {found} rows, the data {rows}"));
    }
    Ok((0..table.width()).map(|j| (0..rows).map(|i| table.row(i).get(j)).collect()).collect())
}
