//! A classifier with one score for each class.

use crate::model::prelude::*;
use crate::solve::together::{Loss, softmax};

/// A fitted classifier that gives each class a score, F_c(x) = Σᵢ βᵢ_c k(xᵢ, x) − b_c, and decides for the largest.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreModel<X, K> {
    /// F: one output for each class.
    pub expansion: Expansion<X, K>,
    /// Class names; numbering as in training.
    pub classes: Vec<String>,
    /// Positions of the support points in the training data, from 0.
    pub support: Vec<usize>,
    /// How good it is: one for all classes together, or one for each.
    pub certificates: Vec<Certificate>,
    /// The loss that the scores were fitted with; none where each class has a programme of its own.
    pub loss: Option<Loss>,
}

/// The outputs of a fit before they are a model: coefficients of all points.
pub(super) struct Fitted {
    /// Point after point, one per class.
    pub(super) coefficients: Vec<f64>,
    /// b, one per class.
    pub(super) offsets: Vec<f64>,
    pub(super) certificates: Vec<Certificate>,
    pub(super) loss: Option<Loss>,
}

impl<X: Points, K: Kernel<X>> ScoreModel<X, K> {
    /// The model of a fit: the points that have a coefficient which is not zero.
    pub(super) fn new(kernel: K, own: &Weighted<X>, classes: &[String], fitted: Fitted) -> Self {
        let Fitted { coefficients, offsets, certificates, loss } = fitted;
        let (expansion, support) = Expansion::over_support(kernel, own, &coefficients, offsets);
        Self { expansion, classes: classes.to_vec(), support, certificates, loss }
    }

    /// The score of every class for every point: one row per point, one column per class.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn scores(&self, points: &X) -> Result<Dense<f64>> {
        self.expansion.decisions(points)
    }

    /// The number of the class with the largest score for each point; of several the lowest.
    fn predict_as(&self, points: &X, how: How) -> Result<Vec<usize>> {
        self.expansion.map_as(points, how.double, first_largest)
    }

    /// The probability of every class for every point: the softmax of its scores.
    ///
    /// # Errors
    /// If the points do not fit the model, or it was not fitted with [`Loss::Softmax`]: the scores of a margin are not
    /// logarithms of anything.
    pub fn probabilities(&self, points: &X) -> Result<Dense<f64>> {
        self.probabilities_as(points, How::default())
    }

    fn probabilities_as(&self, points: &X, how: How) -> Result<Dense<f64>> {
        if self.loss != Some(Loss::Softmax) {
            let what = "probabilities from the scores of a margin; fit with the softmax loss".into();
            return Err(ErrorKind::Unsupported { what }.into());
        }
        let rows = self.expansion.map_as(points, how.double, |scores| {
            let mut probabilities = Vec::with_capacity(scores.len());
            softmax(scores, &mut probabilities);
            probabilities
        })?;
        Ok(Dense::new(self.classes.len(), rows.concat()))
    }
}

classifies!(ScoreModel);

impl<X: Space> Model<X> for ScoreModel<X, X::Kernel> {
    made_of!(expansion, support, classes);

    fn kind(&self) -> &'static str {
        self.loss.map_or("ovr", Loss::name)
    }

    fn quality(&self) -> Quality {
        Quality::of(&self.certificates)
    }

    fn words(&self) -> String {
        format!("{}, a function for each", count(self.classes.len(), "class"))
    }

    fn outputs(&self) -> (&'static str, Vec<String>) {
        ("class", self.classes.clone())
    }

    fn predict(&self, points: &X, how: How) -> Result<Prediction> {
        Ok(Prediction::Classes(self.predict_as(points, how)?))
    }

    fn scores(&self, points: &X, how: How) -> Result<Dense<f64>> {
        self.expansion.rows(points, how.double)
    }

    fn probabilities(&self, points: &X, how: How) -> Result<Dense<f64>> {
        self.probabilities_as(points, how)
    }

    fn calibrates(&self) -> Calibrates {
        if self.loss == Some(Loss::Softmax) { Calibrates::Own } else { Calibrates::Nothing }
    }

    fn check(&self) -> Result<Dense<f64>, Flaw> {
        let outputs = parts::check_names(&self.classes, 2)?;
        let expected = if self.loss.is_some() { 1 } else { outputs };
        parts::same_or_none("certificates", self.certificates.len(), expected)?;
        parts::check(&self.expansion, outputs, &self.support)
    }
}

/// Reads a model with a function for each class or label; `loss` is what its kind says.
pub(super) fn read<X: Space>(
    loss: Option<Loss>,
    reader: &mut Reader<'_>,
) -> Result<ScoreModel<X, X::Kernel>, Flaw> {
    let classes: Vec<String> = text::parse("classes", &reader.entry("classes")?)?;
    Ok(ScoreModel {
        expansion: parts::read_full(reader, "", classes.len())?,
        classes,
        support: reader.counts("support")?,
        certificates: text::read_certificates(&reader.entry("certificates")?)?,
        loss,
    })
}
