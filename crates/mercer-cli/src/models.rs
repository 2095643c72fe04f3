//! Model files of either kind, and how data is made to fit them.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use mercer::data::{self, Encoding, Labels, Points, ReadOptions, Scaler, Table, Vectors};
use mercer::error::{DataProblem, ErrorKind};
use mercer::kernel::{VectorExpr, VectorKernel};
use mercer::model::file::Saved;
use mercer::model::{Coefficients, Expansion, libsvm, pairs};

use crate::failure::{InFile, Result};
use crate::fit::Model;
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
        Some(Kind::Libsvm) => {
            let program = "LIBSVM text".to_owned();
            (Kind::Libsvm, Saved { program, ..Saved::from(libsvm::read(path)?) })
        }
        _ => (Kind::Mercer, Saved::load(path)?),
    })
}

/// Whether the kernel's values are the data.
pub(crate) fn is_precomputed(kernel: &VectorExpr) -> bool {
    kernel.leaves().iter().any(|leaf| leaf.kernel == VectorKernel::Precomputed)
}

/// A model ready to predict other data: the classifier and how its data were prepared.
pub(crate) struct Prepared {
    /// The classifier.
    pub(crate) model: Model,
    scaler: Option<Scaler>,
    encoding: Option<Encoding>,
}

impl Prepared {
    /// Loads a model with its scaler and encoding.
    pub(crate) fn load(path: &Path) -> Result<Self> {
        let (_, saved) = load(path)?;
        Ok(Self { model: saved.model, scaler: saved.scaler, encoding: saved.encoding })
    }

    /// Reads data as the training data were read and makes both equally wide: a sparse file does not say how wide
    /// it is, and a feature that one of the two does not mention is zero there.
    ///
    /// # Errors
    /// If the data cannot be read, or are dense and of another width.
    pub(crate) fn read(&mut self, path: &Path, options: ReadOptions) -> Result<(Vectors, Option<Labels>)> {
        let precomputed = is_precomputed(&self.model.expansion.kernel);
        let options = ReadOptions { precomputed, encoding: self.encoding.clone(), ..options };
        let Table { points, labels, .. } = data::read(path, &options).in_file(path)?;
        let labels = labels.map(|labels| labels.labels());
        let (found, expected) = (points.width(), self.model.expansion.points.width());
        if !points.is_sparse() && found != expected {
            let problem = DataProblem::Width { found, expected };
            return Err(ErrorKind::Data(problem).into()).in_file(path);
        }
        let points = scaling::apply(self.scaler.as_ref(), points);
        let width = points.width().max(expected);
        let support = std::mem::replace(&mut self.model.expansion.points, Vectors::dense::<f32>(1, vec![]));
        self.model.expansion.points = support.with_width(width);
        Ok((points.with_width(width), labels))
    }
}

/// Refuses what LIBSVM's model text cannot say, before time is spent on a fit: other kernels than its own,
/// classes that are not whole numbers.
pub(crate) fn check_libsvm(kernel: &VectorExpr, classes: &[String]) -> Result<()> {
    let outputs = pairs(classes.len()).len();
    let empty = Model {
        expansion: Expansion {
            kernel: kernel.clone(),
            points: Vectors::dense::<f32>(1, vec![]),
            coefficients: Coefficients { blocks: vec![], outputs },
            offsets: vec![0.0; outputs],
        },
        classes: classes.to_vec(),
        class_sizes: vec![0; classes.len()],
        support: vec![],
        certificates: vec![],
    };
    libsvm::print(&empty)?;
    Ok(())
}
