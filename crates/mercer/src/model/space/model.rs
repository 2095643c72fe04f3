//! A model of any space, as files and doors hold it.

use super::any::mixed;
use super::{AnyKernel, AnyPoints, SPACES, Space};
use crate::data::{Dense, Vectors};
use crate::error::Result;
use crate::model::estimator::TargetKind;
use crate::model::expansion::Coefficients;
use crate::model::facts::Facts;
use crate::model::file::{Flaw, Reader, Writer, read_model, write_model};
use crate::model::fitted::{Calibrates, How, Model, Prediction};
use crate::model::method::Method;
use crate::model::quality::Quality;

/// A model of any space. Models of vectors have their own types, which [`AnyModel::downcast`] gives; those of all other spaces
/// share the type over [`AnyPoints`], so that every method is compiled once for them.
#[derive(Debug, Clone, PartialEq)]
pub enum AnyModel {
    /// Of rows of numbers.
    Vectors(Box<dyn Model<Vectors>>),
    /// Of another space.
    Other(Box<dyn Model<AnyPoints>>),
}

impl From<Box<dyn Model<Vectors>>> for AnyModel {
    fn from(model: Box<dyn Model<Vectors>>) -> Self {
        Self::Vectors(model)
    }
}

impl From<Box<dyn Model<AnyPoints>>> for AnyModel {
    fn from(model: Box<dyn Model<AnyPoints>>) -> Self {
        Self::Other(model)
    }
}

/// The same of a model of vectors and of one of another space.
macro_rules! either {
    ($any:expr, $model:ident => $result:expr) => {
        match $any {
            AnyModel::Vectors($model) => $result,
            AnyModel::Other($model) => $result,
        }
    };
}

/// What models of any space do as those of their own do. A line is a signature without `&self`, and the answer of the model.
macro_rules! forward {
    ($model:ident: $($(#[$doc:meta])+ fn $name:ident($($given:ident: $of:ty),*) -> $result:ty = $answer:expr;)+) => {
        impl AnyModel {$(
            $(#[$doc])+
            pub fn $name(&self, $($given: $of),*) -> $result {
                either!(self, $model => $answer)
            }
        )+}
    };
}

forward! { model:
    /// The word for its space.
    fn space() -> &'static str = model.expansion().points().space();
    /// The word for its kind in model files.
    fn kind() -> &'static str = model.kind();
    /// Features of its points; 0 where the space has none.
    fn width() -> usize = model.width();
    /// The coefficients of its (first) expansion.
    fn coefficients() -> &Coefficients = model.expansion().coefficients();
    /// b of each output.
    fn offsets() -> &[f64] = model.expansion().offsets();
    /// Positions of the support points in the training data, from 0; empty when unknown.
    fn support() -> &[usize] = model.support();
    /// How many support points there are, of cells those of all.
    fn support_points() -> usize = model.support_points();
    /// The word for the points that its functions are over.
    fn point_word() -> &'static str = model.point_word();
    /// The names of its classes or labels; empty where it has none.
    fn classes() -> &[String] = model.classes();
    /// How good it is.
    fn quality() -> Quality = model.quality();
    /// What it has besides, by name.
    fn facts() -> Facts = model.facts();
    /// What kind of thing it is, in a few words.
    fn words() -> String = model.words();
    /// What its outputs are, and the name of each.
    fn outputs() -> (&'static str, Vec<String>) = model.outputs();
    /// The number of the class that a row of [`AnyModel::decisions`] stands for.
    fn class_of(decisions: &[f64]) -> usize = model.class_of(decisions);
    /// What probabilities can be learnt for it.
    fn calibrates() -> Calibrates = model.calibrates();
    /// Whether a prediction of `rows` points is work for the calling thread alone; as [`Model::is_short`].
    fn is_short(rows: usize, how: How) -> bool = model.is_short(rows, how);
    /// Components of the points that the model is made of; as [`Model::own_components`].
    fn own_components() -> Option<Dense<f64>> = model.own_components();
    /// Refuses parts that do not fit together; as [`Model::check`].
    fn check() -> Result<Dense<f64>, Flaw> = model.check();
}

/// What [`Model`]s say at points, under the same names.
macro_rules! at_points {
    ($($(#[$doc:meta])+ fn $name:ident($($how:ident: $kind:ty)?) -> $result:ty;)+) => {
        impl AnyModel {$(
            $(#[$doc])+
            ///
            /// # Errors
            #[doc = concat!("As [`Model::", stringify!($name), "`]; if the points are of another space.")]
            pub fn $name(&self, points: &AnyPoints $(, $how: $kind)?) -> Result<$result> {
                match (self, points) {
                    (Self::Vectors(model), AnyPoints::Vectors(points)) => model.$name(points $(, $how)?),
                    (Self::Vectors(_), points) => mixed(self.space(), points.space()),
                    (Self::Other(model), points) => model.$name(points $(, $how)?),
                }
            }
        )+}
    };
}
at_points! {
    /// What it says of each of `points`.
    fn predict(how: How) -> Prediction;
    /// The outputs at each of `points`.
    fn decisions(how: How) -> Dense<f64>;
    /// A score for each class or label.
    fn scores(how: How) -> Dense<f64>;
    /// Probabilities of the classes that need no estimate.
    fn probabilities(how: How) -> Dense<f64>;
    /// Components of each of `points`.
    fn components() -> Dense<f64>;
    /// The standard deviation of each output at each of `points`.
    fn deviations() -> Dense<f64>;
    /// Components of points of the second of two views.
    fn second_components() -> Dense<f64>;
}

impl AnyModel {
    /// The kernel of its (first) expansion.
    #[must_use]
    pub fn kernel(&self) -> AnyKernel {
        match self {
            Self::Vectors(model) => AnyKernel::Vectors(model.expansion().kernel().clone()),
            Self::Other(model) => model.expansion().kernel().clone(),
        }
    }

    /// The points of its (first) expansion.
    #[must_use]
    pub fn points(&self) -> AnyPoints {
        match self {
            Self::Vectors(model) => model.expansion().points().clone().into(),
            Self::Other(model) => model.expansion().points().clone(),
        }
    }

    /// The model with other coefficients and offsets, which must be of the same number.
    #[must_use]
    pub fn with_values(mut self, coefficients: &Coefficients, offsets: &[f64]) -> Self {
        either!(&mut self, model => model.expansion_mut().change(&mut |expansion| {
            expansion.with_values(coefficients.clone(), offsets.to_vec())
        }));
        self
    }

    /// Makes the points of all its expansions `width` features wide; the new features are zero.
    pub fn widen(&mut self, width: usize) {
        either!(self, model => model.change(&mut |expansion| {
            let points = expansion.points().clone().widened(width);
            expansion.with_points(points).with_reference(|points| points.widened(width))
        }));
    }

    /// What was known of each point that it was fitted to, and so what it can be compared with.
    #[must_use]
    pub fn target(&self) -> TargetKind {
        Method::<Vectors>::target(self.kind())
    }

    /// The model as one of type `M`, if it is one: `model.downcast::<PcaModel<Vectors, VectorExpr>>()`.
    #[must_use]
    pub fn downcast<M: 'static>(&self) -> Option<&M> {
        either!(self, model => model.downcast::<M>())
    }

    /// The model as one of type `M`, to be changed, if it is one.
    pub fn downcast_mut<M: 'static>(&mut self) -> Option<&mut M> {
        either!(self, model => model.downcast_mut::<M>())
    }

    /// Writes kind, kernel, points and what its kind has besides.
    pub(in crate::model) fn write(&self, writer: &mut Writer) -> Result<(), Flaw> {
        either!(self, model => write_model(&**model, writer))
    }

    /// Reads the model of a file.
    pub(in crate::model) fn read(reader: &mut Reader<'_>) -> Result<Self, Flaw> {
        let space = reader.peek("space").unwrap_or(SPACES[0]).to_owned();
        if space == Vectors::NAME {
            reader.optional("space");
            return read_model(reader).map(Self::Vectors);
        }
        if !SPACES.contains(&space.as_str()) {
            return Err(format!("space '{space}': this program reads {}", SPACES.join(", ")).into());
        }
        let model = read_model(reader).map(Self::Other);
        reader.optional("space");
        model
    }
}
