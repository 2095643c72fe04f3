//! Training data: points, labels, and how both came to be.

use std::path::Path;

use mercer::data::{self, Encoding, LabelColumn, ReadOptions, Scaler, Table, TextFeatures, TextMap, Vectors};
use mercer::model::file::Saved;
use mercer::model::{AnyKernel, AnyModel, AnyPoints};

use crate::args::Scaling;
use crate::failure::{InFile, Result, unsupported, usage};

/// What a fit gets.
pub(crate) struct Input {
    pub(crate) x: AnyPoints,
    labels: Option<LabelColumn>,
    encoding: Option<Encoding>,
    scaler: Option<Scaler>,
    features: Option<TextMap>,
    names: Vec<String>,
}

impl Input {
    /// Reads a data file of points that the kernel, where it is known, is for.
    pub(crate) fn read(
        path: &Path,
        kernel: Option<&AnyKernel>,
        options: &ReadOptions,
        scale: Scaling,
    ) -> Result<Self> {
        if kernel.is_some_and(AnyKernel::is_precomputed) && scale != Scaling::None {
            return Err(usage!("--scale: the columns of a precomputed kernel are not features"));
        }
        let Table { points, labels, encoding, names } =
            AnyPoints::read(kernel, path, options).in_file(path)?;
        let scaler = match (scale, &points) {
            (_, AnyPoints::Vectors(points)) => scale.of(points, [-1.0, 1.0])?,
            (Scaling::None, _) => None,
            (_, points) => return Err(usage!("--scale: only vectors are scaled, not {}", points.space())),
        };
        let x = match scaled(scaler.as_ref(), points) {
            AnyPoints::Vectors(points) => points.compact().into(),
            other => other,
        };
        Ok(Self { x, labels, encoding, scaler, features: None, names })
    }

    /// Reads texts and makes features of them; `weights` is the file of the weights of rows, where there is one.
    pub(crate) fn of_texts(
        path: &Path,
        features: &TextFeatures,
        options: &ReadOptions,
        weights: Option<&Path>,
    ) -> Result<Self> {
        let Table { points, labels, .. } = data::read_texts(path, options).in_file(path)?;
        let weights = weights.map(|file| data::read_weights(file, points.len())).transpose()?;
        let map = features.fit(&points, &weights.unwrap_or_default()).in_file(path)?;
        let x = map.apply(&points).compact().into();
        Ok(Self { x, labels, encoding: None, scaler: None, features: Some(map), names: Vec::new() })
    }

    /// Hands over the labels, which must be there.
    pub(crate) fn labels(&mut self, path: &Path) -> Result<LabelColumn> {
        let file = path.display();
        let missing = || usage!("{file}: no labels; name their column by --label or their file by --labels");
        self.labels.take().ok_or_else(missing)
    }

    /// The model with how its data came to be.
    pub(crate) fn saved(&self, model: AnyModel) -> Saved {
        let Self { scaler, encoding, features, names, .. } = self;
        let (scaler, encoding, features) = (scaler.clone(), encoding.clone(), features.clone());
        Saved { scaler, encoding, features, names: names.clone(), ..Saved::new(model) }
    }
}

/// Points after a scaling, if there is one.
pub(crate) fn scaled(scaler: Option<&Scaler>, points: AnyPoints) -> AnyPoints {
    match (scaler, points) {
        (Some(scaler), AnyPoints::Vectors(points)) => scaler.apply(&points).into(),
        (_, points) => points,
    }
}

/// Points of a command that is for vectors alone.
pub(crate) fn vectors(points: AnyPoints, command: &str) -> Result<Vectors> {
    match points {
        AnyPoints::Vectors(points) => Ok(points),
        other => Err(unsupported!("{command} of {}", other.space())),
    }
}
