//! Model files of either kind, and how data are made to fit them.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use mercer::data::{LabelColumn, Points, ReadOptions, Table};
use mercer::error::{DataProblem, ErrorKind};
use mercer::model::file::Saved;
use mercer::model::{AnyEstimator, AnyKernel, AnyPoints, TargetKind, Targets, Value, libsvm};

use crate::args::ModelArgs;
use crate::failure::{Failure, InFile, Result};
use crate::input::scaled;
use crate::paths;

/// What LIBSVM's model text begins with.
const LIBSVM: &[u8] = b"svm_type";
/// The header of a mercer model: its length in 8 bytes, then an object.
const BRACE: usize = 8;

/// The kinds of model file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Mercer,
    Libsvm,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Mercer => "mercer model",
            Self::Libsvm => "LIBSVM model text",
        }
    }

    /// By the first bytes of a file; nothing if it is no model.
    pub(crate) fn of(path: &Path) -> Result<Option<Self>> {
        let mut head = Vec::new();
        let read = File::open(path).and_then(|file| file.take(BRACE as u64 + 1).read_to_end(&mut head));
        read.map_err(|source| mercer::Error::io(path, source))?;
        Ok(match head.starts_with(LIBSVM) {
            true => Some(Self::Libsvm),
            false => {
                (head.get(BRACE) == Some(&b'{') && head[..BRACE].ends_with(&[0, 0])).then_some(Self::Mercer)
            }
        })
    }

    pub(crate) fn save(self, saved: &Saved, path: &Path) -> mercer::Result<()> {
        match self {
            Self::Mercer => saved.save(path),
            Self::Libsvm => libsvm::write(saved, path),
        }
    }
}

/// Loads a model file of either kind; one that is neither is refused as a mercer model.
pub(crate) fn load(path: &Path) -> Result<(Kind, Saved)> {
    Ok(match Kind::of(path)? {
        Some(Kind::Libsvm) => (Kind::Libsvm, libsvm::read(path)?),
        _ => (Kind::Mercer, Saved::load(path)?),
    })
}

/// Data and model, whichever of the two was named first. Refuses outputs that would overwrite these or `others`.
pub(crate) fn data_and_model<'a>(
    args: &'a ModelArgs,
    picture: &Option<PathBuf>,
    others: &[&'a Option<PathBuf>],
) -> Result<[&'a Path; 2]> {
    let is_model = |path: &Path| path.is_file() && matches!(Kind::of(path), Ok(Some(_)));
    let mut files: [&Path; 2] = [&args.data, &args.model];
    if is_model(files[0]) && !is_model(files[1]) {
        files.reverse();
    }
    paths::model_file(files[1])?;
    let others = others.iter().filter_map(|path| path.as_deref());
    let inputs: Vec<&Path> = files.into_iter().chain(others).collect();
    args.out.iter().chain(picture).try_for_each(|output| paths::distinct(output, &inputs))?;
    Ok(files)
}

/// Reads data as the training data of a model were read and makes both equally wide: a sparse file does not say how wide
/// it is, and a feature that one of the two does not mention is zero there.
pub(crate) fn read(
    saved: &mut Saved,
    path: &Path,
    options: ReadOptions,
) -> Result<(AnyPoints, Option<LabelColumn>)> {
    let (target, outputs) = (saved.model.target(), saved.model.offsets().len());
    let options = ReadOptions {
        targets: target == TargetKind::Number || target == TargetKind::Numbers && outputs == 1,
        sets: target == TargetKind::Sets,
        encoding: saved.encoding.clone(),
        ..options
    };
    let table = AnyPoints::read(Some(&saved.model.kernel()), path, &options).in_file(path)?;
    let Table { points, labels, .. } = table;
    let AnyPoints::Vectors(vectors) = &points else { return Ok((points, labels)) };
    let (found, expected) = (points.width(), saved.model.width());
    if !vectors.is_sparse() && found != expected {
        let problem = DataProblem::Width { found, expected };
        return Err(ErrorKind::Data(problem).into()).in_file(path);
    }
    let points = scaled(saved.scaler.as_ref(), points);
    let width = points.width().max(expected);
    if width > expected {
        saved.model.widen(width);
    }
    match points {
        AnyPoints::Vectors(vectors) => Ok((vectors.with_width(width).compact().into(), labels)),
        other => Ok((other, labels)),
    }
}

/// Refuses what LIBSVM's model text cannot say, before time is spent on a fit.
pub(crate) fn check_libsvm(
    estimator: &AnyEstimator,
    kernel: &AnyKernel,
    y: &Targets<AnyPoints>,
) -> mercer::Result<()> {
    let classes = if let Targets::Classes(labels) = y { labels.classes() } else { &[] };
    let summed = estimator.get("multiclass").is_some_and(|rule| rule == Value::Word("ovo-sum".into()));
    libsvm::check(estimator.card().kind, summed, kernel, classes)
}

/// The failure of a model without probabilities; `remedy` says how it would have some.
pub(crate) fn no_probabilities(model: &Path, remedy: &str) -> Failure {
    let problem = format!("the model does not support probability estimates; {remedy}").into();
    mercer::Error::from(ErrorKind::ModelFile { path: model.to_owned(), problem }).into()
}
