//! Any of the machines, as model files hold them.

use super::{
    CcaModel, Expansion, FisherModel, Function, LocalModel, MultiLabelModel, PcaModel, RidgeModel,
    ScoreModel, SvcModel, SvddModel,
};
use crate::data::{Dense, Vectors};
use crate::error::{ErrorKind, Result};
use crate::kernel::VectorExpr;
use crate::solve::Certificate;
use crate::solve::together::Loss;

/// A fitted machine over vectors.
#[derive(Debug, Clone, PartialEq)]
pub enum Machine {
    /// A vote of decision functions, one for each pair of classes.
    Classifier(SvcModel<Vectors, VectorExpr>),
    /// A function that predicts numbers.
    Regression(Function<Vectors, VectorExpr>),
    /// A function that is positive where the data are.
    OneClass(Function<Vectors, VectorExpr>),
    /// A sphere around the data.
    Sphere(SvddModel<Vectors, VectorExpr>),
    /// A function for each class, of which the largest decides.
    Scores(ScoreModel<Vectors, VectorExpr>),
    /// A function for each label, positive where a point has it.
    MultiLabel(MultiLabelModel<Vectors, VectorExpr>),
    /// Functions that predict numbers, one for each target, by kernel ridge regression.
    Ridge(RidgeModel<Vectors, VectorExpr>),
    /// Axes on which classes lie apart.
    Fisher(FisherModel<Vectors, VectorExpr>),
    /// Functions of two views that go together.
    Cca(CcaModel<Vectors, VectorExpr>),
    /// Directions of largest variance in feature space.
    Pca(PcaModel<Vectors, VectorExpr>),
    /// A classifier for each cell, an approximation.
    Local(LocalModel<Vectors, VectorExpr>),
}

impl Machine {
    /// The words of [`Machine::method`].
    pub const METHODS: [&str; 14] = [
        "svc",
        "svr",
        "one-class",
        "svdd",
        "ovr",
        "crammer-singer",
        "weston-watkins",
        "softmax",
        "multilabel",
        "ridge",
        "fisher",
        "cca",
        "kpca",
        "local",
    ];

    /// The word for it in model files.
    #[must_use]
    pub fn method(&self) -> &'static str {
        let at = match self {
            Self::Classifier(_) => 0,
            Self::Regression(_) => 1,
            Self::OneClass(_) => 2,
            Self::Sphere(_) => 3,
            Self::Scores(model) => return model.loss.map_or("ovr", Loss::name),
            Self::MultiLabel(_) => 8,
            Self::Ridge(_) => 9,
            Self::Fisher(_) => 10,
            Self::Cca(_) => 11,
            Self::Pca(_) => 12,
            Self::Local(_) => 13,
        };
        Self::METHODS[at]
    }

    /// Its functions over the support points; of two views those of the first, of a machine of cells those that choose the cell.
    #[must_use]
    pub fn expansion(&self) -> &Expansion<Vectors, VectorExpr> {
        match self {
            Self::Classifier(model) => &model.expansion,
            Self::Regression(function) | Self::OneClass(function) => &function.expansion,
            Self::Sphere(sphere) => &sphere.function.expansion,
            Self::Scores(scores) | Self::MultiLabel(MultiLabelModel { scores }) => &scores.expansion,
            Self::Ridge(model) => &model.expansion,
            Self::Fisher(model) => &model.expansion,
            Self::Cca(model) => &model.first,
            Self::Pca(model) => &model.expansion,
            Self::Local(model) => &model.gate,
        }
    }

    /// The same, to be changed.
    pub fn expansion_mut(&mut self) -> &mut Expansion<Vectors, VectorExpr> {
        match self {
            Self::Classifier(model) => &mut model.expansion,
            Self::Regression(function) | Self::OneClass(function) => &mut function.expansion,
            Self::Sphere(sphere) => &mut sphere.function.expansion,
            Self::Scores(scores) | Self::MultiLabel(MultiLabelModel { scores }) => &mut scores.expansion,
            Self::Ridge(model) => &mut model.expansion,
            Self::Fisher(model) => &mut model.expansion,
            Self::Cca(model) => &mut model.first,
            Self::Pca(model) => &mut model.expansion,
            Self::Local(model) => &mut model.gate,
        }
    }

    /// Positions of the support points in the training data, from 0; empty when unknown.
    #[must_use]
    pub fn support(&self) -> &[usize] {
        match self {
            Self::Classifier(model) => &model.support,
            Self::Regression(function) | Self::OneClass(function) => &function.support,
            Self::Sphere(sphere) => &sphere.function.support,
            Self::Scores(scores) | Self::MultiLabel(MultiLabelModel { scores }) => &scores.support,
            Self::Ridge(model) => &model.support,
            Self::Fisher(model) => &model.support,
            Self::Cca(model) => &model.first_support,
            Self::Pca(model) => &model.support,
            Self::Local(model) => &model.support,
        }
    }

    /// One per function, or per problem where one problem gives several functions; empty when unknown, and for machines
    /// that are no quadratic programme. A machine of cells has those of its [cells](LocalModel::certificates), none here.
    #[must_use]
    pub fn certificates(&self) -> &[Certificate] {
        match self {
            Self::Classifier(model) => &model.certificates,
            Self::Regression(function) | Self::OneClass(function) => function.certificate.as_slice(),
            Self::Sphere(sphere) => sphere.function.certificate.as_slice(),
            Self::Scores(scores) | Self::MultiLabel(MultiLabelModel { scores }) => &scores.certificates,
            Self::Ridge(_) | Self::Fisher(_) | Self::Cca(_) | Self::Pca(_) | Self::Local(_) => &[],
        }
    }

    /// The names of its classes or labels, if it has any.
    #[must_use]
    pub fn classes(&self) -> Option<&[String]> {
        match self {
            Self::Classifier(model) => Some(&model.classes),
            Self::Scores(scores) | Self::MultiLabel(MultiLabelModel { scores }) => Some(&scores.classes),
            Self::Fisher(model) => Some(&model.classes),
            Self::Local(model) => Some(&model.classes),
            Self::Regression(_)
            | Self::OneClass(_)
            | Self::Sphere(_)
            | Self::Ridge(_)
            | Self::Cca(_)
            | Self::Pca(_) => None,
        }
    }

    /// Components of points, where the machine makes some: the axes of a discriminant, directions of variance, the functions of the first of two
    /// views. One row per point.
    ///
    /// # Errors
    /// If the points do not fit the machine, or it is one for predictions.
    pub fn transform(&self, points: &Vectors) -> Result<Dense<f64>> {
        match self {
            Self::Fisher(model) => model.transform(points),
            Self::Cca(model) => model.transform_first(points),
            Self::Pca(model) => model.transform(points),
            _ => {
                let what = format!("components of a machine of the kind '{}'", self.method()).into();
                Err(ErrorKind::Unsupported { what }.into())
            }
        }
    }

    /// The classifier by pairs, if it is one.
    #[must_use]
    pub fn classifier(&self) -> Option<&SvcModel<Vectors, VectorExpr>> {
        match self {
            Self::Classifier(model) => Some(model),
            _ => None,
        }
    }
}

impl From<SvcModel<Vectors, VectorExpr>> for Machine {
    fn from(model: SvcModel<Vectors, VectorExpr>) -> Self {
        Self::Classifier(model)
    }
}

impl From<SvddModel<Vectors, VectorExpr>> for Machine {
    fn from(sphere: SvddModel<Vectors, VectorExpr>) -> Self {
        Self::Sphere(sphere)
    }
}

impl From<ScoreModel<Vectors, VectorExpr>> for Machine {
    fn from(scores: ScoreModel<Vectors, VectorExpr>) -> Self {
        Self::Scores(scores)
    }
}

impl From<MultiLabelModel<Vectors, VectorExpr>> for Machine {
    fn from(model: MultiLabelModel<Vectors, VectorExpr>) -> Self {
        Self::MultiLabel(model)
    }
}

impl From<RidgeModel<Vectors, VectorExpr>> for Machine {
    fn from(model: RidgeModel<Vectors, VectorExpr>) -> Self {
        Self::Ridge(model)
    }
}

impl From<FisherModel<Vectors, VectorExpr>> for Machine {
    fn from(model: FisherModel<Vectors, VectorExpr>) -> Self {
        Self::Fisher(model)
    }
}

impl From<CcaModel<Vectors, VectorExpr>> for Machine {
    fn from(model: CcaModel<Vectors, VectorExpr>) -> Self {
        Self::Cca(model)
    }
}

impl From<PcaModel<Vectors, VectorExpr>> for Machine {
    fn from(model: PcaModel<Vectors, VectorExpr>) -> Self {
        Self::Pca(model)
    }
}

impl From<LocalModel<Vectors, VectorExpr>> for Machine {
    fn from(model: LocalModel<Vectors, VectorExpr>) -> Self {
        Self::Local(model)
    }
}
