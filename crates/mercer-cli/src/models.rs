//! Model files of either kind, and how data is made to fit them.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use mercer::data::{self, Encoding, LabelColumn, Points, ReadOptions, Scaler, Table, Vectors};
use mercer::error::{DataProblem, ErrorKind};
use mercer::kernel::{VectorExpr, VectorKernel};
use mercer::model::file::{Saved, Training};
use mercer::model::probability::Estimate;
use mercer::model::{Machine, libsvm};

use crate::failure::{InFile, Result};
use crate::output::short;
use crate::scaling;

/// What LIBSVM's model text begins with.
const LIBSVM: &[u8] = b"svm_type";
/// The header of a mercer model: its length in 8 bytes, then an object.
const BRACE: usize = 8;

/// The kinds of model file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Ours.
    Mercer,
    /// LIBSVM's text.
    Libsvm,
}

impl Kind {
    /// The other one.
    pub(crate) fn other(self) -> Self {
        match self {
            Self::Mercer => Self::Libsvm,
            Self::Libsvm => Self::Mercer,
        }
    }

    /// In words.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Mercer => "mercer model",
            Self::Libsvm => "LIBSVM model text",
        }
    }

    /// By the first bytes of a file; nothing if it is no model.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn of(path: &Path) -> Result<Option<Self>> {
        let mut head = Vec::new();
        let read = File::open(path).and_then(|file| file.take(BRACE as u64 + 1).read_to_end(&mut head));
        read.map_err(|source| mercer::Error::io(path, source))?;
        Ok(if head.starts_with(LIBSVM) {
            Some(Self::Libsvm)
        } else if head.get(BRACE) == Some(&b'{') && head[..BRACE].ends_with(&[0, 0]) {
            Some(Self::Mercer)
        } else {
            None
        })
    }
}

/// Loads a model file of either kind; one that is neither is refused as a mercer model.
pub(crate) fn load(path: &Path) -> Result<(Kind, Saved)> {
    Ok(match Kind::of(path)? {
        Some(Kind::Libsvm) => (Kind::Libsvm, libsvm::read(path)?),
        _ => (Kind::Mercer, Saved::load(path)?),
    })
}

/// Whether the kernel's values are the data.
pub(crate) fn is_precomputed(kernel: &VectorExpr) -> bool {
    kernel.leaves().iter().any(|leaf| leaf.kernel == VectorKernel::Precomputed)
}

/// The name of a machine, as exactly as the file knows it.
pub(crate) fn method_name(machine: &Machine, training: Option<&Training>) -> &'static str {
    let nu = training.and_then(|training| training.nu);
    match machine {
        Machine::Classifier(_) if nu.is_some() => "nu-svc",
        Machine::Classifier(_) => "c-svc",
        Machine::Regression(_) if nu.is_some() => "nu-svr",
        Machine::Regression(_) if training.is_some() => "epsilon-svr",
        Machine::Regression(_) => "svr",
        Machine::OneClass(_) => "one-class",
        Machine::Sphere(_) => "svdd",
        Machine::Scores(_)
        | Machine::MultiLabel(_)
        | Machine::Ridge(_)
        | Machine::Fisher(_)
        | Machine::Cca(_)
        | Machine::Pca(_)
        | Machine::Local(_) => machine.method(),
    }
}

/// The parameters of training on one line.
pub(crate) fn parameters(training: &Training) -> String {
    let found = if training.nu.is_some() { " (found)" } else { "" };
    let parts = [("C", training.c, ""), ("nu", training.nu, ""), ("epsilon", training.epsilon, found)];
    let known = parts.into_iter().filter_map(|(name, value, remark)| {
        let value = value.map(|value| if remark.is_empty() { value.to_string() } else { short(value) })?;
        Some(format!("{name} = {value}{remark}"))
    });
    known.chain([format!("tolerance {}", training.tolerance)]).collect::<Vec<_>>().join(", ")
}

/// A model ready to predict other data: the machine and how its data were prepared.
pub(crate) struct Prepared {
    /// The machine.
    pub(crate) machine: Machine,
    /// What its decisions are worth, where that was learnt.
    pub(crate) probability: Option<Estimate>,
    /// How features were scaled before training.
    pub(crate) scaler: Option<Scaler>,
    encoding: Option<Encoding>,
    /// Feature names; empty where the training data had none.
    pub(crate) names: Vec<String>,
}

impl Prepared {
    /// Loads a model with its scaler and encoding.
    pub(crate) fn load(path: &Path) -> Result<Self> {
        let (_, saved) = load(path)?;
        let Saved { model: machine, probability, scaler, encoding, names, .. } = saved;
        Ok(Self { machine, probability, scaler, encoding, names })
    }

    /// Reads data as the training data were read and makes both equally wide: a sparse file does not say how wide
    /// it is, and a feature that one of the two does not mention is zero there.
    ///
    /// # Errors
    /// If the data cannot be read, or are dense and of another width, or have labels that are no numbers where a
    /// regression is to be compared with them.
    pub(crate) fn read(
        &mut self,
        path: &Path,
        options: ReadOptions,
    ) -> Result<(Vectors, Option<LabelColumn>)> {
        let precomputed = is_precomputed(self.machine.expansion().kernel());
        let targets = match &self.machine {
            Machine::Regression(_) => true,
            Machine::Ridge(model) => model.expansion.coefficients().outputs == 1,
            _ => false,
        };
        let sets = matches!(self.machine, Machine::MultiLabel(_));
        let options = ReadOptions { precomputed, targets, sets, encoding: self.encoding.clone(), ..options };
        let Table { points, labels, .. } = data::read(path, &options).in_file(path)?;
        let (found, expected) = (points.width(), self.machine.expansion().points().width());
        if !points.is_sparse() && found != expected {
            let problem = DataProblem::Width { found, expected };
            return Err(ErrorKind::Data(problem).into()).in_file(path);
        }
        let points = scaling::apply(self.scaler.as_ref(), points);
        let width = points.width().max(expected);
        if let Machine::Local(model) = &mut self.machine {
            model.widen(width);
        }
        let own = self.machine.expansion_mut();
        let support = own.replace_points(Vectors::dense::<f32>(1, vec![]));
        own.replace_points(support.with_width(width));
        Ok((points.with_width(width).compact(), labels))
    }
}
