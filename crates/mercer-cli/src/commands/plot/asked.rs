//! A model and rows to draw it over, both in the units of the data file.

use std::path::Path;

use mercer::data::{Dense, LabelColumn, Points, Vectors};
use mercer::model::file::Saved;
use mercer::model::{AnyPoints, TargetKind};

use super::PlotArgs;
pub(super) use crate::commands::denoise::undone;
use crate::failure::{Result, unsupported, usage};
use crate::input::{scaled, vectors};
use crate::models::{Kind, load, read};
use crate::paths;
use crate::plot::Captions;

/// A model, and the rows of a data file as it takes them.
pub(super) struct Shown {
    pub(super) saved: Saved,
    pub(super) points: AnyPoints,
    pub(super) labels: Option<LabelColumn>,
    pub(super) file: String,
}

impl Shown {
    /// Reads model and data, whichever of the two was named first.
    pub(super) fn read(args: &PlotArgs) -> Result<Self> {
        let [model, data] = files(args)?;
        let (_, mut saved) = load(model)?;
        let (points, labels) = read(&mut saved, data, args.data_options.options())?;
        if points.is_empty() {
            return Err(usage!("{}: no rows to draw", data.display()));
        }
        let file = data.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { saved, points, labels, file })
    }

    /// The rows of numbers.
    pub(super) fn vectors(&self) -> Result<&Vectors> {
        match &self.points {
            AnyPoints::Vectors(points) => Ok(points),
            other => Err(unsupported!("this figure of {}", other.space())),
        }
    }

    /// The number of the class of each row among those of the model, and the names of all: those of the model, then those that it does not
    /// know. Nothing where the data have no labels.
    pub(super) fn classes(&self) -> Option<(Vec<usize>, Vec<String>)> {
        let labels = self.labels.as_ref()?.labels();
        let mut names = self.saved.model.classes().to_vec();
        let place = |name: &String, names: &mut Vec<String>| {
            names.iter().position(|known| known == name).unwrap_or_else(|| {
                names.push(name.clone());
                names.len() - 1
            })
        };
        let of: Vec<usize> = labels.classes().iter().map(|name| place(name, &mut names)).collect();
        Some((labels.index().iter().map(|&class| of[class as usize]).collect(), names))
    }

    /// As [`Shown::classes`]; a file without labels is refused, and so are classes that the model does not know.
    pub(super) fn known_classes(&self) -> Result<(Vec<usize>, Vec<String>)> {
        if self.saved.model.target() != TargetKind::Classes || self.saved.model.classes().len() < 2 {
            return Err(usage!("a model of the kind {} has no classes to compare", self.saved.model.kind()));
        }
        let missing =
            || usage!("{}: no labels; name their column by --label or their file by --labels", self.file);
        let (class, names) = self.classes().ok_or_else(missing)?;
        match names.get(self.saved.model.classes().len()) {
            Some(name) => Err(usage!("{}: the model knows no class '{name}'", self.file)),
            None => Ok((class, names)),
        }
    }

    /// What stands over a picture: `title`, and below it the data and the model.
    pub(super) fn captions(&self, title: String) -> Captions {
        let kernel = self.saved.model.kernel();
        Captions { title, subtitle: format!("{}, {} by {kernel}", self.file, self.saved.method()) }
    }
}

/// Model and data, whichever of the two was named first.
pub(super) fn files(args: &PlotArgs) -> Result<[&Path; 2]> {
    let is_model = |path: &Path| path.is_file() && matches!(Kind::of(path), Ok(Some(_)));
    let (mut model, mut data) = (args.what[0].as_path(), args.what[1].as_path());
    if is_model(data) && !is_model(model) {
        (model, data) = (data, model);
    }
    paths::model_file(model)?;
    Ok([model, data])
}

/// Rows as the model takes them.
pub(super) fn redone(saved: &Saved, rows: Dense<f64>) -> Result<AnyPoints> {
    Ok(vectors(scaled(saved.scaler.as_ref(), Vectors::from(rows).into()), "a picture")?.into())
}

/// The positions of two features that were named or numbered, from 0.
pub(super) fn two_features(args: &PlotArgs, names: &[String], width: usize) -> Result<[usize; 2]> {
    let place = |text: &String| -> Result<usize> {
        let by_name = names.iter().position(|name| name == text);
        let by_number = || text.parse::<usize>().ok().filter(|&k| k >= 1 && k <= width).map(|k| k - 1);
        by_name
            .or_else(by_number)
            .ok_or_else(|| usage!("--features {text}: there are {width}, counted from 1"))
    };
    match &args.features[..] {
        [] if width >= 2 => Ok([0, 1]),
        [] => Err(usage!("a plane needs two features; there is {width}")),
        [a, b] if a != b => Ok([place(a)?, place(b)?]),
        _ => Err(usage!("--features: two different ones, such as 1,2")),
    }
}

/// What a feature is called on an axis.
pub(super) fn axis(names: &[String], k: usize) -> String {
    let below = |digit: char| char::from_u32(0x2080 + digit.to_digit(10).unwrap_or(0)).unwrap_or(digit);
    names
        .get(k)
        .cloned()
        .unwrap_or_else(|| format!("x{}", (k + 1).to_string().chars().map(below).collect::<String>()))
}
