//! The model file: everything needed to predict again, to the bit, and nothing that could run.
//!
//! A file is a safetensors container (`docs/model-file.md` describes it field by field). Support points keep the
//! precision and the storage they were trained in, coefficients and offsets are `f64`, the kernel is the text of
//! its expression. Reading trusts nothing: every count is checked against the bytes present before it is used, a
//! checksum covers every byte, and a file that is cut, damaged, hostile or of another kind is an error.
//!
//! Reading and writing take time and memory proportional to the size of the file.
//!
//! ```
//! use mercer::data::Vectors;
//! use mercer::kernel::linear;
//! use mercer::model::file::Saved;
//! use mercer::model::{CoefficientBlock, Coefficients, Expansion, SvcModel, VoteRule};
//!
//! let block = |points, value| CoefficientBlock { points, outputs: vec![0], values: vec![value] };
//! let model = SvcModel {
//!     expansion: Expansion::new(
//!         linear(),
//!         Vectors::dense(2, vec![1.0_f32, 0.0, 0.0, 1.0]),
//!         Coefficients { blocks: vec![block(0..1, 1.0), block(1..2, -1.0)], outputs: 1 },
//!         vec![0.25],
//!     ),
//!     classes: vec!["cat".into(), "dog".into()],
//!     class_sizes: vec![1, 1],
//!     support: vec![0, 1],
//!     certificates: vec![],
//!     rule: VoteRule::Votes,
//! };
//! let saved = Saved::from(model);
//! assert_eq!(Saved::from_bytes(&saved.to_bytes()?)?, saved);
//! # Ok::<(), mercer::Error>(())
//! ```

mod cca;
#[cfg(test)]
mod cca_tests;
mod container;
mod fisher;
#[cfg(test)]
mod fisher_tests;
mod local;
#[cfg(test)]
mod local_tests;
mod machine;
mod parts;
mod pca;
#[cfg(test)]
mod pca_tests;
mod points;
mod probability;
mod ridge;
mod scores;
#[cfg(test)]
mod scores_tests;
#[cfg(test)]
mod tests;
mod text;

use std::path::Path;

use serde::de::DeserializeOwned;

use crate::data::{Encoding, Points, Scaler, Vectors, write_bytes};
use crate::error::{Error, ErrorKind, Result};
use crate::kernel::VectorExpr;
use crate::model::layout::Flaw;
use crate::model::probability::Estimate;
use crate::model::{Machine, SvcModel};
use container::{Reader, Writer};

const FORMAT: &str = "mercer";
const VERSION: &str = "1";

/// A machine and what belongs to it: how the data was prepared and how the model was trained.
#[derive(Debug, Clone, PartialEq)]
pub struct Saved {
    /// The machine.
    pub model: Machine,
    /// What its decisions are worth, where that was learnt.
    pub probability: Option<Estimate>,
    /// How features were scaled before training.
    pub scaler: Option<Scaler>,
    /// How the columns of a table became features.
    pub encoding: Option<Encoding>,
    /// Feature names; empty where the data had none.
    pub names: Vec<String>,
    /// The parameters of training, where known.
    pub training: Option<Training>,
    /// The program that trained the model, with its version.
    pub program: String,
}

/// The parameters a machine was trained with, those that it has.
#[derive(Debug, Clone, PartialEq)]
pub struct Training {
    /// C
    pub c: Option<f64>,
    /// ν
    pub nu: Option<f64>,
    /// ε: as given, or as found for ν.
    pub epsilon: Option<f64>,
    /// What C is multiplied by for each class; empty when every class has 1.
    pub class_weights: Vec<f64>,
    /// The tolerance on the optimality conditions.
    pub tolerance: f64,
}

impl From<SvcModel<Vectors, VectorExpr>> for Saved {
    /// The classifier alone, trained by this version of the library.
    fn from(model: SvcModel<Vectors, VectorExpr>) -> Self {
        Machine::from(model).into()
    }
}

impl From<Machine> for Saved {
    /// The machine alone, trained by this version of the library.
    fn from(model: Machine) -> Self {
        let program = concat!("mercer ", env!("CARGO_PKG_VERSION")).to_owned();
        Self {
            model,
            probability: None,
            scaler: None,
            encoding: None,
            names: Vec::new(),
            training: None,
            program,
        }
    }
}

impl Saved {
    /// Writes the model under a temporary name in the same folder and renames it: `path` holds the old content or
    /// the whole new one, and nothing is left behind on failure. The file is not compressed, whatever its name.
    ///
    /// # Errors
    /// If the parts of the model do not fit together, or the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let bytes = self.write().map_err(|flaw| file_error(path, flaw))?;
        write_bytes(path, &bytes)
    }

    /// Reads a model file.
    ///
    /// # Errors
    /// If the file cannot be read, or [`Saved::from_bytes`] refuses its content.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|source| Error::io(path, source))?;
        Self::read(&bytes).map_err(|flaw| file_error(path, flaw))
    }

    /// The bytes of the model file; the same for the same model.
    ///
    /// # Errors
    /// If the parts of the model do not fit together.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.write().map_err(|flaw| file_error(Path::new("<memory>"), flaw))
    }

    /// The model in the bytes of a model file.
    ///
    /// # Errors
    /// [`ErrorKind::ModelFile`] if the bytes are not a whole, undamaged model of a known version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::read(bytes).map_err(|flaw| file_error(Path::new("<memory>"), flaw))
    }

    fn write(&self) -> Result<Vec<u8>, Flaw> {
        let mut writer = Writer::default();
        writer.entry("format", FORMAT);
        writer.entry("version", VERSION);
        writer.entry("program", self.program.as_str());
        machine::write(&self.model, &mut writer)?;
        self.check()?;
        if let Some(estimate) = &self.probability {
            probability::write(estimate, &mut writer)?;
        }
        if !self.names.is_empty() {
            writer.entry("names", text::print(&self.names)?);
        }
        if let Some(training) = &self.training {
            writer.entry("training", text::training(training)?);
        }
        if let Some(scaler) = &self.scaler {
            writer.entry("scaler", text::print(scaler)?);
        }
        if let Some(encoding) = &self.encoding {
            writer.entry("encoding", text::print(encoding)?);
        }
        writer.finish()
    }

    fn read(bytes: &[u8]) -> Result<Self, Flaw> {
        let mut reader = open(bytes)?;
        let saved = Self {
            model: machine::read(&mut reader)?,
            probability: probability::read(&mut reader)?,
            scaler: optional(&mut reader, "scaler")?,
            encoding: optional(&mut reader, "encoding")?,
            names: optional(&mut reader, "names")?.unwrap_or_default(),
            training: reader.optional("training").map(|json| text::read_training(&json)).transpose()?,
            program: reader.entry("program")?,
        };
        saved.check()?;
        reader.finish()?;
        Ok(saved)
    }

    /// Refuses what stands around a model and does not fit it, or cannot be used.
    fn check(&self) -> Result<(), Flaw> {
        if let Some(estimate) = &self.probability {
            estimate.check(&self.model)?;
        }
        let (names, width) = (self.names.len(), self.model.expansion().points().width());
        if names != 0 && names != width {
            return Err(format!("{names} names for {width} features").into());
        }
        let finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
        let holds = match &self.scaler {
            None => true,
            Some(Scaler::MinMax { lower, upper, min, max }) => {
                min.len() == max.len() && finite(min) && finite(max) && finite(&[*lower, *upper])
            }
            Some(Scaler::Standard { mean, deviation }) => {
                mean.len() == deviation.len()
                    && finite(mean)
                    && finite(deviation)
                    && !deviation.contains(&0.0)
            }
        };
        if !holds {
            return Err("the scaler does not have two usable numbers for each feature".into());
        }
        if let Some(scaled) = self.scaler.as_ref().map(Scaler::width).filter(|&scaled| scaled != width) {
            return Err(format!("a scaler of {scaled} features for a model of {width}").into());
        }
        let encoded = self.encoding.as_ref().map(Encoding::width);
        if let Some(encoded) = encoded.filter(|&encoded| encoded != width) {
            return Err(format!("an encoding of {encoded} features for a model of {width}").into());
        }
        Ok(())
    }
}

/// An entry that is JSON and need not be there.
fn optional<T: DeserializeOwned>(reader: &mut Reader<'_>, key: &str) -> Result<Option<T>, Flaw> {
    reader.optional(key).map(|json| text::parse(key, &json)).transpose()
}

/// A container of the right format and version, with a correct checksum.
fn open(bytes: &[u8]) -> Result<Reader<'_>, Flaw> {
    let mut reader =
        Reader::open(bytes).map_err(|flaw| format!("not a mercer model, or a damaged one: {flaw}"))?;
    if reader.peek("format") != Some(FORMAT) {
        return Err("not a mercer model".into());
    }
    // Another version may have another header and another checksum, so it is asked for first.
    match reader.peek("version") {
        Some(VERSION) => {}
        Some(version) => {
            return Err(format!("version {version}: this program reads version {VERSION}").into());
        }
        None => return Err("no version".into()),
    }
    reader.verify()?;
    reader.optional("format");
    reader.optional("version");
    Ok(reader)
}

fn file_error(path: &Path, problem: Flaw) -> Error {
    ErrorKind::ModelFile { path: path.to_owned(), problem }.into()
}
