//! Whether the certificate of a model is true: recomputed from the model and the training data alone.
//!
//! A certificate is worth what somebody else can check. [`verify`] takes a model file and the data that it was fitted to, computes kernel
//! values one by one as the kernel is defined, in double precision, and from them both objectives of the problem, the gap between them,
//! the largest violation of the optimality conditions, offsets and residuals, with plain loops and with nothing of the solvers. Then it
//! compares. The derivations, and by how much rounding alone may part two numbers, are in the book (`docs/verify.md`).
//!
//! | methods | what is recomputed |
//! |---|---|
//! | machines of pairs, of classes, of labels, regressions, one class, spheres, cells | box, sums, dual and primal objective, gap, violation, offset |
//! | all classes in one programme | feasibility, both objectives, gap, violation |
//! | linear methods | the primal objective, and a dual point of our own that proves the gap |
//! | ridge, kernel PCA, Fisher, CCA | residuals, eigenvalues, norms, means, ratios |
//! | relevance vector machines | posterior and log evidence |
//! | RBF networks | the gradient of what the output weights minimise |
//! | k-means, spectral clustering, self-organising maps | nearest centres, inertia, eigenvectors, errors of the map |
//! | perceptron | every pass again |
//!
//! Cost: as many kernel values as rows times support points (for linear algebra the square of the rows), each by its definition.
//!
//! ```
//! use mercer::data::{Labels, Vectors};
//! use mercer::kernel::rbf;
//! use mercer::model::{Svc, Targets, file::Saved};
//! use mercer::verify::{Asked, verify};
//!
//! let x = Vectors::dense(1, vec![-2.0, -1.0, 1.0, 2.0]);
//! let y = Labels::first_seen(["low", "low", "high", "high"]);
//! let mut saved = Saved::from(Svc::new(rbf(0.5)).fit(&x, &y)?);
//! let (x, y, asked) = (x.into(), Targets::Classes(y), Asked { c: Some(1.0), ..Asked::default() });
//! assert!(verify(&saved, &x, &y, &[], &asked)?.is_true());
//!
//! // A model that is not what its certificate says.
//! let b: Vec<f64> = saved.model.offsets().iter().map(|b| b + 0.1).collect();
//! let coefficients = saved.model.coefficients().clone();
//! saved.model = saved.model.with_values(&coefficients, &b);
//! assert!(!verify(&saved, &x, &y, &[], &asked)?.is_true());
//! # Ok::<(), mercer::Error>(())
//! ```

mod algebra;
mod cluster;
mod data;
mod linear;
mod machines;
mod network;
mod passes;
mod programme;
mod relevance;
mod report;
mod together;
mod values;
mod views;

use crate::data::Vectors;
use crate::error::{ErrorKind, Result};
use crate::model::file::Saved;
use crate::model::{AnyModel, AnyPoints, Model, Space, Targets};
pub use data::Asked;
pub(crate) use data::Data;
pub(crate) use machines::{Pair, programmes};
pub use report::{Check, Report};

/// Recomputes what a model says of itself from the data that it was fitted to, as they were handed to the fit (scaled and encoded as the
/// model has it), with the weights of the rows (none for 1).
///
/// # Errors
/// If the data are of another space, there is not one target or weight for each row, or the kernel cannot be evaluated on them. What
/// is not true is no error but a [`Report`] that says so.
pub fn verify(
    saved: &Saved,
    x: &AnyPoints,
    y: &Targets<AnyPoints>,
    weights: &[f64],
    asked: &Asked,
) -> Result<Report> {
    let told = (saved.recipe.as_ref(), saved.training.as_ref());
    match (&saved.model, x) {
        (AnyModel::Vectors(model), AnyPoints::Vectors(x)) => {
            let y = y.try_map(vectors)?;
            report(&**model, &Data::new(x, &y, weights, told, asked)?)
        }
        (AnyModel::Vectors(_), _) => mixed(),
        (AnyModel::Other(model), x) => report(&**model, &Data::new(x, y, weights, told, asked)?),
    }
}

fn vectors(points: &AnyPoints) -> Result<Vectors> {
    if let AnyPoints::Vectors(vectors) = points { Ok(vectors.clone()) } else { mixed() }
}

fn mixed<T>() -> Result<T> {
    Err(ErrorKind::Unsupported { what: "data of another space than that of the model".into() }.into())
}

/// Hands the model to those who know its kind.
fn report<X: Space>(model: &dyn Model<X>, data: &Data<'_, X>) -> Result<Report> {
    let mut report = Report::default();
    data.check(&mut report);
    // The vectors w of a linear model may be over what maps make of the points.
    if linear::verify(model, data, &mut report)? {
        return Ok(report);
    }
    model.expansion().points().accepts(&data.x)?;
    let known = [
        machines::verify,
        together::verify,
        algebra::verify,
        views::verify,
        relevance::verify,
        network::verify,
        cluster::verify,
        passes::verify,
    ];
    for verify in known {
        if verify(model, data, &mut report)? {
            return Ok(report);
        }
    }
    let what = format!("a model of the kind '{}' to be verified", model.kind()).into();
    Err(ErrorKind::Unsupported { what }.into())
}
