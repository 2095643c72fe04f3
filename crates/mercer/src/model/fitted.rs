//! What every fitted model is: what it predicts, what it is made of, how good it is.

use std::any::Any;
use std::fmt::Debug;

use super::expansion::{Expansion, first_largest};
use super::facts::Facts;
use super::file::{Flaw, Writer};
use super::quality::Quality;
use super::space::Space;
use crate::data::{Dense, LabelSets};
use crate::error::{ErrorKind, Result};

/// How predictions are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct How {
    /// Kernel values and sums in double precision throughout: several times slower, for digits that are compared.
    pub double: bool,
    /// LIBSVM's ties: of classes that have won the same number of pairs the first, not the one with the larger sum; and
    /// probabilities coupled only as far as LIBSVM goes.
    pub libsvm: bool,
}

/// What a model says of each point.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Prediction {
    /// The number of a class among [`Model::classes`].
    Classes(Vec<usize>),
    /// Numbers, one column for each target.
    Values(Dense<f64>),
    /// How far inside each point is: positive inside, negative outside.
    Sides(Vec<f64>),
    /// The labels that each point has.
    Sets(LabelSets),
}

/// What the probabilities of a model are learnt from, and so which kind it can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Calibrates {
    /// Nothing: it has none.
    Nothing,
    /// Nothing: it has its own.
    Own,
    /// The decisions of so many pairs of classes.
    Pairs(usize),
    /// The errors of a regression.
    Errors,
    /// The decisions of a one-class model.
    Sides,
}

/// A fitted model over points of the space `X`, as files and doors hold it.
pub trait Model<X: Space>: Object<X> + Debug + Send + Sync {
    /// The word for it in model files. Several methods may fit the same kind of model.
    fn kind(&self) -> &'static str;

    /// The functions over support points that everything is read from: of two views those of the first, of a model of
    /// cells those that choose the cell.
    fn expansion(&self) -> &Expansion<X, X::Kernel>;

    /// Mutable access to that expansion.
    fn expansion_mut(&mut self) -> &mut Expansion<X, X::Kernel>;

    /// Replaces each of its expansions by what `change` makes of it: wider points, other coefficients.
    fn change(&mut self, change: &mut dyn FnMut(Expansion<X, X::Kernel>) -> Expansion<X, X::Kernel>) {
        self.expansion_mut().change(change);
    }

    /// Positions of the support points in the training data, from 0; empty when unknown.
    fn support(&self) -> &[usize];

    /// Features of the points that it takes; 0 where the space has none.
    fn width(&self) -> usize {
        self.expansion().points().width()
    }

    /// How many support points there are, of cells those of all.
    fn support_points(&self) -> usize {
        self.expansion().points().len()
    }

    /// The word for the points that its functions are over.
    fn point_word(&self) -> &'static str {
        "support point"
    }

    /// The names of its classes or labels; empty where it has none.
    fn classes(&self) -> &[String] {
        &[]
    }

    /// How good it is.
    fn quality(&self) -> Quality;

    /// What it has besides, by name.
    fn facts(&self) -> Facts {
        Facts::default()
    }

    /// What kind of thing it is, in a few words.
    fn words(&self) -> String;

    /// What its outputs are, and the name of each: `("pair", ["a vs b", …])`.
    fn outputs(&self) -> (&'static str, Vec<String>);

    /// Whether its kernel values and sums are in double precision: where that is asked for, or always.
    fn double(&self, how: How) -> bool {
        how.double
    }

    /// The outputs at each of `points`: one row per point, one column per output.
    ///
    /// # Errors
    /// If the points do not fit the model.
    fn decisions(&self, points: &X, how: How) -> Result<Dense<f64>> {
        self.expansion().rows(points, self.double(how))
    }

    /// The number of the class that a row of [`Model::decisions`] stands for.
    fn class_of(&self, decisions: &[f64]) -> usize {
        first_largest(decisions)
    }

    /// Whether predictions of `rows` points are so little work that the calling thread does them by itself, in a millisecond at
    /// most, and everything is packed that they need.
    fn is_short(&self, rows: usize, how: How) -> bool {
        self.expansion().is_short(rows, self.double(how))
    }

    /// What it says of each of `points`.
    ///
    /// # Errors
    /// If the points do not fit the model, or it does not predict.
    fn predict(&self, points: &X, how: How) -> Result<Prediction>;

    /// A score for each class or label: one row per point, one column per class.
    ///
    /// # Errors
    /// If the points do not fit the model, or it has no classes.
    fn scores(&self, points: &X, how: How) -> Result<Dense<f64>> {
        let _ = (points, how);
        without(self.kind(), "scores of classes")
    }

    /// Probabilities of the classes that need no estimate: one row per point, one column per class.
    ///
    /// # Errors
    /// If the points do not fit the model, or it has none.
    fn probabilities(&self, points: &X, how: How) -> Result<Dense<f64>> {
        let _ = (points, how);
        without(self.kind(), "probabilities")
    }

    /// What probabilities can be learnt for it.
    fn calibrates(&self) -> Calibrates {
        Calibrates::Nothing
    }

    /// Components of each of `points`, where the model makes some: axes of a discriminant, directions of variance, the
    /// functions of the first of two views.
    ///
    /// # Errors
    /// If the points do not fit the model, or it has none.
    fn components(&self, points: &X) -> Result<Dense<f64>> {
        let _ = points;
        without(self.kind(), "components")
    }

    /// Components of each of `points` of the second view, where there are two views.
    ///
    /// # Errors
    /// If the points do not fit the model, or it has no second view.
    fn second_components(&self, points: &X) -> Result<Dense<f64>> {
        let _ = points;
        without(self.kind(), "a second view")
    }

    /// The standard deviation of each output at each of `points`, where the model knows it.
    ///
    /// # Errors
    /// If the points do not fit the model, or it has none.
    fn deviations(&self, points: &X) -> Result<Dense<f64>> {
        let _ = points;
        without(self.kind(), "standard deviations of predictions")
    }

    /// Components of the points that the model is made of, where they are known without a kernel value: one row for each
    /// support point.
    fn own_components(&self) -> Option<Dense<f64>> {
        None
    }

    /// Refuses parts that do not fit together or numbers that are not finite; gives the coefficients as a file holds them:
    /// a row for each support point.
    ///
    /// # Errors
    /// The first flaw found.
    fn check(&self) -> Result<Dense<f64>, Flaw>;

    /// Writes what its kind has besides kernel, points, coefficients, offsets, certificates and names of classes.
    ///
    /// # Errors
    /// If a part cannot be written.
    fn write(&self, writer: &mut Writer) -> Result<(), Flaw> {
        let _ = writer;
        Ok(())
    }
}

/// The accessors of a [`Model`], which a trait cannot have as fields: the word for its kind, and the fields that hold its
/// functions, the positions of the support points and, if it has any, the names of classes. `double` after the kind says that it
/// is always evaluated in double precision.
macro_rules! made_of {
    ($($kind:literal $($double:ident)?:)? $($expansion:ident).+, $($support:ident).+ $(, $($classes:ident).+)?) => {
        $(
            fn kind(&self) -> &'static str {
                $kind
            }
            $(fn $double(&self, _: How) -> bool {
                true
            })?
        )?
        fn expansion(&self) -> &Expansion<X, X::Kernel> {
            &self.$($expansion).+
        }
        fn expansion_mut(&mut self) -> &mut Expansion<X, X::Kernel> {
            &mut self.$($expansion).+
        }
        fn support(&self) -> &[usize] {
            &self.$($support).+
        }
        $(fn classes(&self) -> &[String] {
            &self.$($classes).+
        })?
    };
}
pub(super) use made_of;

/// The class of each point, of a classifier whose `predict_as` gives the number of its class.
macro_rules! classifies {
    ($model:ident) => {
        impl<X: Points, K: Kernel<X>> $model<X, K> {
            /// The number of the class of each point.
            ///
            /// # Errors
            /// If the points do not fit the model.
            pub fn predict_index(&self, points: &X) -> Result<Vec<usize>> {
                self.predict_as(points, How::default())
            }

            /// The class of each point.
            ///
            /// # Errors
            /// If the points do not fit the model.
            pub fn predict(&self, points: &X) -> Result<Vec<&str>> {
                Ok(self
                    .predict_index(points)?
                    .into_iter()
                    .map(|class| self.classes[class].as_str())
                    .collect())
            }
        }
    };
}
pub(super) use classifies;

/// The error of a model of some kind that does not have `what`.
pub(super) fn without<T>(kind: &str, what: &str) -> Result<T> {
    Err(ErrorKind::Unsupported { what: format!("{what} of a model of the kind '{kind}'").into() }.into())
}

/// What a model can do because its type is known: be copied and compared.
pub trait Object<X: Space>: Any {
    /// A copy.
    fn copy(&self) -> Box<dyn Model<X>>;
    /// Whether the other is the same model.
    fn equals(&self, other: &dyn Model<X>) -> bool;
}

impl<X: Space, M: Model<X> + Clone + PartialEq> Object<X> for M {
    fn copy(&self) -> Box<dyn Model<X>> {
        Box::new(self.clone())
    }
    fn equals(&self, other: &dyn Model<X>) -> bool {
        other.downcast() == Some(self)
    }
}

impl<X: Space> Clone for Box<dyn Model<X>> {
    fn clone(&self) -> Self {
        (**self).copy()
    }
}

impl<X: Space> PartialEq for Box<dyn Model<X>> {
    fn eq(&self, other: &Self) -> bool {
        (**self).equals(&**other)
    }
}

impl<X: Space> dyn Model<X> {
    /// The model as one of type `M`, if it is one.
    #[must_use]
    pub fn downcast<M: 'static>(&self) -> Option<&M> {
        (self as &dyn Any).downcast_ref()
    }

    /// The model as one of type `M`, to be changed, if it is one.
    pub fn downcast_mut<M: 'static>(&mut self) -> Option<&mut M> {
        (self as &mut dyn Any).downcast_mut()
    }
}
