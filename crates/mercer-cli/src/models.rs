//! Model files of each kind, and how data are made to fit them.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use mercer::data::{LabelColumn, Points, ReadOptions, Table};
use mercer::error::{DataProblem, ErrorKind};
use mercer::kernel::{Pyramid, SetLeaf, Weights};
use mercer::model::file::Saved;
use mercer::model::{
    AnyEstimator, AnyKernel, AnyPoints, Space, TargetKind, Targets, Value, liblinear, libsvm,
};

use crate::args::ModelArgs;
use crate::failure::{Failure, InFile, Result, usage};
use crate::input::scaled;
use crate::paths;

/// What LIBSVM's model text begins with.
const LIBSVM: &[u8] = b"svm_type";
/// What LIBLINEAR's model text begins with; the longest of the beginnings.
const LIBLINEAR: &[u8] = b"solver_type";
/// The kinds of models that LIBLINEAR's text is for.
const LINEAR: [&str; 4] = ["linear-svc", "logistic", "linear-svr", "linear-one-class"];

/// The header of a mercer model: its length in 8 bytes, then an object.
const BRACE: usize = 8;

/// The kinds of model file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Mercer,
    Libsvm,
    Liblinear,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Mercer => "mercer model",
            Self::Libsvm => "LIBSVM model text",
            Self::Liblinear => "LIBLINEAR model text",
        }
    }

    /// By the first bytes of a file; nothing if it is no model.
    pub(crate) fn of(path: &Path) -> Result<Option<Self>> {
        let mut head = Vec::new();
        let read = File::open(path).and_then(|file| file.take(LIBLINEAR.len() as u64).read_to_end(&mut head));
        read.map_err(|source| mercer::Error::io(path, source))?;
        let mercer = || head.get(BRACE) == Some(&b'{') && head[..BRACE].ends_with(&[0, 0]);
        Ok(match head.as_slice() {
            head if head.starts_with(LIBSVM) => Some(Self::Libsvm),
            head if head.starts_with(LIBLINEAR) => Some(Self::Liblinear),
            _ => mercer().then_some(Self::Mercer),
        })
    }

    /// The kind of text that another package reads such a model from.
    pub(crate) fn text_of(saved: &Saved) -> Self {
        if LINEAR.contains(&saved.model.kind()) { Self::Liblinear } else { Self::Libsvm }
    }

    pub(crate) fn save(self, saved: &Saved, path: &Path) -> mercer::Result<()> {
        match self {
            Self::Mercer => saved.save(path),
            Self::Libsvm => libsvm::write(saved, path),
            Self::Liblinear => liblinear::write(saved, path),
        }
    }
}

/// Loads a model file of any kind; one of none is refused as a mercer model.
pub(crate) fn load(path: &Path) -> Result<(Kind, Saved)> {
    Ok(match Kind::of(path)? {
        Some(Kind::Libsvm) => (Kind::Libsvm, libsvm::read(path)?),
        Some(Kind::Liblinear) => (Kind::Liblinear, liblinear::read(path)?),
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
/// it is, and a feature that one of the two does not mention is zero there. A linear model does not look at features that it has no
/// weight for: they are left out of the data.
pub(crate) fn read(
    saved: &mut Saved,
    path: &Path,
    options: ReadOptions,
) -> Result<(AnyPoints, Option<LabelColumn>)> {
    let options = as_trained(saved, options);
    let (points, labels) = match &saved.features {
        Some(map) => {
            let Table { points, labels, .. } = mercer::data::read_texts(path, &options).in_file(path)?;
            (map.apply(&points).into(), labels)
        }
        None => {
            let table = AnyPoints::read(Some(&saved.model.kernel()), path, &options).in_file(path)?;
            if let AnyPoints::Sets(_) = table.points {
                return sets_as_wide(saved, table).in_file(path);
            }
            (table.points, table.labels)
        }
    };
    let AnyPoints::Vectors(vectors) = &points else { return Ok((points, labels)) };
    let (found, expected) = (points.width(), saved.model.width());
    if !vectors.is_sparse() && found != expected {
        let problem = DataProblem::Width { found, expected };
        return Err(ErrorKind::Data(problem).into()).in_file(path);
    }
    let points = scaled(saved.scaler.as_ref(), points);
    let linear = LINEAR.contains(&saved.model.kind());
    let width = if linear { expected } else { points.width().max(expected) };
    if width > expected {
        saved.model.widen(width);
    }
    match points {
        AnyPoints::Vectors(vectors) => Ok((vectors.with_width(width).compact().into(), labels)),
        other => Ok((other, labels)),
    }
}

/// Sets, made as wide as those of the model, or the model as wide as they are, where the file does not say how wide it is.
fn sets_as_wide(
    saved: &mut Saved,
    table: Table<AnyPoints>,
) -> mercer::Result<(AnyPoints, Option<LabelColumn>)> {
    let (found, expected) = (table.points.width(), saved.model.width());
    if found == expected {
        return Ok((table.points, table.labels));
    }
    // A kernel that is divided by the number of features would be another one with more of them.
    let counts =
        |leaf: &&SetLeaf| matches!(leaf, SetLeaf::Pyramid(Pyramid { weights: Weights::Dimension, .. }));
    let is_fixed =
        matches!(saved.model.kernel(), AnyKernel::Sets(kernel) if kernel.leaves().iter().any(counts));
    if !is_open_ended(&table) || found > expected && is_fixed {
        return Err(ErrorKind::Data(DataProblem::Width { found, expected }).into());
    }
    if found > expected {
        saved.model.widen(found);
    }
    Ok((table.points.widened(found.max(expected)), table.labels))
}

/// Whether a file does not say how many features there are, so that one that it does not mention is zero.
pub(crate) fn is_open_ended(table: &Table<AnyPoints>) -> bool {
    match &table.points {
        AnyPoints::Vectors(vectors) => vectors.is_sparse(),
        AnyPoints::Sets(_) => table.encoding.is_none(),
        _ => false,
    }
}

/// Reads data as the training data of a model were read.
fn as_trained(saved: &Saved, options: ReadOptions) -> ReadOptions {
    let (target, outputs) = (saved.model.target(), saved.model.offsets().len());
    ReadOptions {
        targets: target == TargetKind::Number || target == TargetKind::Numbers && outputs == 1,
        sets: target == TargetKind::Sets,
        encoding: saved.encoding.clone(),
        ..options
    }
}

/// Visits data piece by piece as a linear model wants them; gives the labels.
pub(crate) fn read_pieces(
    saved: &Saved,
    path: &Path,
    options: ReadOptions,
    mut visit: impl FnMut(&AnyPoints) -> mercer::Result<()> + Send,
) -> Result<Option<LabelColumn>> {
    if !LINEAR.contains(&saved.model.kind()) {
        return Err(usage!("--stream: of linear models; this one is of the kind {}", saved.model.kind()));
    }
    if saved.features.is_some() {
        return Err(usage!("--stream: of rows of numbers; this model takes texts"));
    }
    let options = as_trained(saved, options);
    let read = mercer::data::read_pieces(path, &options, saved.model.width(), |points| {
        visit(&scaled(saved.scaler.as_ref(), points.clone().into()))
    });
    read.in_file(path)
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
