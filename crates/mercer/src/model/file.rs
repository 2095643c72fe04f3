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
//! use mercer::data::{Labels, Vectors};
//! use mercer::kernel::linear;
//! use mercer::model::Svc;
//! use mercer::model::file::Saved;
//!
//! let x = Vectors::dense(2, vec![1.0_f32, 0.0, 0.0, 1.0]);
//! let model = Svc::new(linear()).fit(&x, &Labels::first_seen(["cat", "dog"]))?;
//! let saved = Saved::from(model);
//! assert_eq!(Saved::from_bytes(&saved.to_bytes()?)?, saved);
//! # Ok::<(), mercer::Error>(())
//! ```

#[cfg(test)]
mod cca_tests;
pub(super) mod checkpoint;
mod container;
mod features;
#[cfg(test)]
mod fisher_tests;
mod graphs;
#[cfg(test)]
mod local_tests;
pub(super) mod parts;
#[cfg(test)]
mod pca_tests;
mod points;
mod probability;
mod recipe;
mod records;
#[cfg(test)]
mod reference_tests;
#[cfg(test)]
mod ridge_tests;
#[cfg(test)]
mod scores_tests;
#[cfg(test)]
mod som_tests;
#[cfg(test)]
mod tests;
pub(super) mod text;

use std::path::Path;

use serde::de::DeserializeOwned;

use super::facts::Facts;
use super::fitted::Model;
use super::method::Method;
use super::probability::Estimate;
use super::quality::Quality;
use super::setting::Value;
use super::space::{AnyEstimator, AnyModel, SPACES, Space};
use super::svm::class_weights::factors;
use super::words::named;
use crate::data::{Encoding, Scaler, TextMap, Vectors, write_bytes};
use crate::error::{Error, ErrorKind, Result};

pub use container::{Element, Flaw, Reader, Writer};
pub(super) use graphs::{read_graphs, write_graphs};
pub(super) use points::{read_sets, read_texts, read_vectors, write_sets, write_texts, write_vectors};
pub use recipe::Recipe;
pub(super) use records::{read_records, write_records};

/// The entry `format` of every file of this library.
pub(super) const FORMAT: &str = "mercer";
/// The entry `version`.
pub(super) const VERSION: &str = "1";

/// A model and what belongs to it: how the data was prepared and how the model was trained.
#[derive(Debug, Clone, PartialEq)]
pub struct Saved {
    /// The model.
    pub model: AnyModel,
    /// What its decisions are worth, where that was learnt.
    pub probability: Option<Estimate>,
    /// How features were scaled before training.
    pub scaler: Option<Scaler>,
    /// How the columns of a table became features.
    pub encoding: Option<Encoding>,
    /// How texts became features.
    pub features: Option<TextMap>,
    /// Feature names; empty where the data had none.
    pub names: Vec<String>,
    /// What the names of classes were before they were names, where that is known.
    pub labels: Option<LabelKind>,
    /// The parameters of training, where known.
    pub training: Option<Training>,
    /// How the model was fitted, where known: what a verification needs besides the data.
    pub recipe: Option<Recipe>,
    /// The program that trained the model, with its version.
    pub program: String,
}

/// What class labels are besides their names: "01" and "1" are two texts, but one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LabelKind {
    /// Texts.
    Text,
    /// Whole numbers.
    Integer,
    /// Numbers.
    Float,
    /// True and false.
    Boolean,
}

named!(LabelKind: Text = "text", Integer = "integer", Float = "float", Boolean = "boolean");

/// The parameters a model was trained with, those that it has.
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

impl Training {
    /// The parameters of an estimator whose fit found `found` and gave a model of `classes`. None for a method that has
    /// neither a price C nor a share ν, or no tolerance.
    #[must_use]
    pub fn of(estimator: &AnyEstimator, found: &Facts, classes: &[String]) -> Option<Self> {
        let number = |name: &str| estimator.get(name).and_then(|value| value.number());
        // C may be what the fit made of another price.
        let c = found.number("c").or_else(|| number("c"));
        let (nu, tolerance) = (number("nu"), number("tolerance")?);
        c.or(nu)?;
        let mut class_weights = match estimator.get("weight") {
            Some(Value::Weights(weights)) => factors(&weights, classes),
            _ => Vec::new(),
        };
        if class_weights.iter().all(|&factor| factor == 1.0) {
            class_weights.clear();
        }
        Some(Self { c, nu, epsilon: found.number("epsilon"), class_weights, tolerance })
    }
}

impl<M: Model<Vectors> + 'static> From<M> for Saved {
    /// The model alone, trained by this version of the library.
    fn from(model: M) -> Self {
        let model: Box<dyn Model<Vectors>> = Box::new(model);
        Self::new(model)
    }
}

impl Saved {
    /// A model of any space alone, trained by this version of the library.
    pub fn new(model: impl Into<AnyModel>) -> Self {
        let program = concat!("mercer ", env!("CARGO_PKG_VERSION")).to_owned();
        Self {
            model: model.into(),
            probability: None,
            scaler: None,
            encoding: None,
            features: None,
            names: Vec::new(),
            labels: None,
            training: None,
            recipe: None,
            program,
        }
    }

    /// The name of the method, as exactly as the file knows it: methods of C and of ν fit models of one kind, and so do methods that solve
    /// one problem in different ways.
    #[must_use]
    pub fn method(&self) -> &'static str {
        let of_nu = self.training.as_ref().is_some_and(|training| training.nu.is_some());
        let stochastic = self.recipe.as_ref().is_some_and(|recipe| recipe.method == "pegasos");
        match self.model.kind() {
            "svc" if of_nu => "nu-svc",
            "svc" => "c-svc",
            "svr" if of_nu => "nu-svr",
            "svr" if self.training.is_some() => "epsilon-svr",
            "linear-svc" | "logistic" if stochastic => "pegasos",
            kind => kind,
        }
    }

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
        self.model.write(&mut writer)?;
        self.check()?;
        if let Some(estimate) = &self.probability {
            probability::write(estimate, &mut writer)?;
        }
        if !self.names.is_empty() {
            writer.entry("names", text::print(&self.names)?);
        }
        if let Some(labels) = self.labels {
            writer.entry("labels", labels.name());
        }
        if let Some(training) = &self.training {
            writer.entry("training", text::training(training)?);
        }
        if let Some(recipe) = &self.recipe {
            writer.entry("recipe", recipe.print());
        }
        if let Some(scaler) = &self.scaler {
            writer.entry("scaler", text::print(scaler)?);
        }
        if let Some(encoding) = &self.encoding {
            writer.entry("encoding", text::print(encoding)?);
        }
        if let Some(map) = &self.features {
            features::write(map, &mut writer);
        }
        writer.finish()
    }

    fn read(bytes: &[u8]) -> Result<Self, Flaw> {
        let mut reader = open(bytes)?;
        let saved = Self {
            model: AnyModel::read(&mut reader)?,
            probability: probability::read(&mut reader)?,
            scaler: optional(&mut reader, "scaler")?,
            encoding: optional(&mut reader, "encoding")?,
            features: features::read(&mut reader)?,
            names: optional(&mut reader, "names")?.unwrap_or_default(),
            labels: reader.optional("labels").map(|word| label_kind(&word)).transpose()?,
            training: reader.optional("training").map(|json| text::read_training(&json)).transpose()?,
            recipe: reader.optional("recipe").map(|json| Recipe::parse(&json)).transpose()?,
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
        let (names, width) = (self.names.len(), self.model.width());
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
        let texts = self.features.as_ref().map(TextMap::width);
        if let Some(found) = texts.filter(|&found| found != width || self.model.space() != SPACES[0]) {
            return Err(format!("texts of {found} features for a model of {width}").into());
        }
        Ok(())
    }
}

/// Writes what every model has, and what its kind has besides.
pub(super) fn write_model<X: Space>(model: &dyn Model<X>, writer: &mut Writer) -> Result<(), Flaw> {
    let (weights, expansion) = (model.check()?, model.expansion());
    let quality = model.quality();
    let certificates = match &quality {
        Quality::Programmes(certificates) => certificates.as_slice(),
        _ => &[],
    };
    let space = expansion.points().space();
    if space != SPACES[0] {
        writer.entry("space", space);
    }
    writer.entry("method", model.kind());
    parts::write_kernel::<X>(expansion.kernel(), "", writer)?;
    writer.entry("certificates", text::certificates(certificates)?);
    if !model.classes().is_empty() {
        writer.entry("classes", text::print(&model.classes())?);
    }
    model.write(writer)?;
    writer.table("coefficients", &weights);
    writer.list("offsets", expansion.offsets());
    writer.counts("support", model.support());
    expansion.points().write("", writer);
    Ok(())
}

/// Reads a model of points of the space `X`, whose parts must fit together.
pub(super) fn read_model<X: Space>(reader: &mut Reader<'_>) -> Result<Box<dyn Model<X>>, Flaw> {
    let kind = reader.entry("method")?;
    let model = Method::<X>::read(&kind, reader)?;
    model.check()?;
    Ok(model)
}

fn label_kind(word: &str) -> Result<LabelKind, Flaw> {
    LabelKind::named(word)
        .ok_or_else(|| format!("labels '{word}': this program knows text, integer, float and boolean").into())
}

/// An entry that is JSON and need not be there.
fn optional<T: DeserializeOwned>(reader: &mut Reader<'_>, key: &str) -> Result<Option<T>, Flaw> {
    reader.optional(key).map(|json| text::parse(key, &json)).transpose()
}

/// A container of the right format and version, with a correct checksum.
pub(super) fn open(bytes: &[u8]) -> Result<Reader<'_>, Flaw> {
    open_as(bytes, FORMAT, "model")
}

/// [`open`] for a container of another format, which is called `what`.
fn open_as<'b>(bytes: &'b [u8], format: &str, what: &str) -> Result<Reader<'b>, Flaw> {
    let mut reader =
        Reader::open(bytes).map_err(|flaw| format!("not a mercer {what}, or a damaged one: {flaw}"))?;
    if reader.peek("format") != Some(format) {
        return Err(format!("not a mercer {what}").into());
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

pub(super) fn file_error(path: &Path, problem: Flaw) -> Error {
    ErrorKind::ModelFile { path: path.to_owned(), problem }.into()
}
