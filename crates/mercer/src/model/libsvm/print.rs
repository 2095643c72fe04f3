//! A model as LIBSVM's text.

use super::probability;
use crate::data::{Row, Vectors};
use crate::error::{ErrorKind, Result};
use crate::kernel::{Expr, VectorExpr, VectorKernel};
use crate::model::file::{Saved, parts};
use crate::model::probability::Estimate;
use crate::model::{AnyKernel, AnyModel, AnyPoints, SvcModel, VoteRule};

/// The text of a LIBSVM model file. Numbers have as many digits as bring them back exactly. The training tells whether
/// the machine is one of ν (`nu_svc`, `nu_svr`); without it, it is one of C (`c_svc`, `epsilon_svr`).
///
/// # Errors
/// [`ErrorKind::Unsupported`] if LIBSVM does not have the machine, the kernel or its probabilities, or a class name is
/// not a whole number, or the parts of the model do not fit together.
pub fn print(saved: &Saved) -> Result<String> {
    let (model, kernel) = (&saved.model, saved.model.kernel());
    let of_nu = saved.training.as_ref().is_some_and(|training| training.nu.is_some());
    let classifier = model.downcast::<SvcModel<Vectors, VectorExpr>>();
    check(
        model.kind(),
        classifier.is_some_and(|model| model.rule == VoteRule::Sum),
        &kernel,
        model.classes(),
    )?;
    let kind = match (model.kind(), of_nu) {
        ("svc", false) => "c_svc",
        ("svc", true) => "nu_svc",
        ("svr", false) => "epsilon_svr",
        ("svr", true) => "nu_svr",
        // Of the others one-class alone was not refused.
        _ => "one_class",
    };
    let weights = model.check().map_err(unsupported)?;
    let (AnyKernel::Vectors(expression), AnyPoints::Vectors(points)) = (&kernel, &model.points()) else {
        return Err(unsupported("points that are no vectors in a LIBSVM model"));
    };
    let kernel = leaf(expression)?;
    let mut text = format!("svm_type {kind}\n");
    let estimate = saved.probability.as_ref();
    estimate.map_or(Ok(()), |estimate| estimate.check(model)).map_err(unsupported)?;
    header(&mut text, kernel, model, classifier, estimate)?;
    for i in 0..weights.len() {
        for &weight in weights.row(i) {
            number(&mut text, weight);
            text.push(' ');
        }
        if *kernel == VectorKernel::Precomputed {
            serial(&mut text, points.row(i))?
        } else {
            features(&mut text, points.row(i))
        }
        text.push('\n');
    }
    Ok(text)
}

/// Refuses what LIBSVM's model text cannot say, also before time is spent on a fit: other kinds of models and rules than
/// its own, other kernels, classes that are not whole numbers.
///
/// # Errors
/// [`ErrorKind::Unsupported`].
pub fn check(kind: &str, summed: bool, kernel: &AnyKernel, classes: &[String]) -> Result<()> {
    let what = match kind {
        "svc" if summed => "pairs of classes with summed decisions (ovo-sum)".to_owned(),
        "svc" | "svr" | "one-class" => {
            let AnyKernel::Vectors(kernel) = kernel else {
                return Err(unsupported(format!("kernel {kernel} in a LIBSVM model; it has vectors")));
            };
            leaf(kernel)?;
            return labels(classes, "LIBSVM").map(|_| ());
        }
        kind => format!("a model of the kind '{kind}'"),
    };
    Err(unsupported(format!(
        "{what} in a LIBSVM model; it has classifiers by the votes of pairs, svr and one-class"
    )))
}

fn header(
    text: &mut String,
    kernel: &VectorKernel,
    model: &AnyModel,
    classifier: Option<&SvcModel<Vectors, VectorExpr>>,
    estimate: Option<&Estimate>,
) -> Result<()> {
    let (name, degree, gamma, coef0) = match *kernel {
        VectorKernel::Polynomial { degree, gamma, coef0 } => {
            ("polynomial", Some(degree), Some(gamma), Some(coef0))
        }
        VectorKernel::Rbf { gamma } => ("rbf", None, Some(gamma), None),
        VectorKernel::Tanh { gamma, coef0 } => ("sigmoid", None, Some(gamma), Some(coef0)),
        VectorKernel::Precomputed => ("precomputed", None, None, None),
        _ => ("linear", None, None, None),
    };
    let count = |text: &mut String, count: usize| text.push_str(&count.to_string());
    list(text, "kernel_type", [name], String::push_str);
    if let Some(degree) = degree {
        list(text, "degree", [degree as usize], count);
    }
    for (name, value) in [("gamma", gamma), ("coef0", coef0)] {
        if let Some(value) = value {
            list(text, name, [value], number);
        }
    }
    list(text, "nr_class", [classifier.map_or(2, |model| model.classes.len())], count);
    list(text, "total_sv", [model.support_points()], count);
    list(text, "rho", model.offsets().iter().copied(), number);
    if let Some(model) = classifier {
        list(text, "label", labels(&model.classes, "LIBSVM")?, |text, label| {
            text.push_str(&label.to_string())
        });
    }
    if let Some(estimate) = estimate {
        probability::print(text, estimate)?;
    }
    if let Some(model) = classifier {
        list(text, "nr_sv", model.class_sizes.iter().copied(), count);
    }
    text.push_str("SV\n");
    Ok(())
}

/// The leaf, where LIBSVM has it.
fn leaf(expression: &VectorExpr) -> Result<&VectorKernel> {
    match expression {
        Expr::Leaf(leaf)
            if leaf.maps.is_empty()
                && matches!(
                    leaf.kernel,
                    VectorKernel::Linear
                        | VectorKernel::Polynomial { .. }
                        | VectorKernel::Rbf { .. }
                        | VectorKernel::Tanh { .. }
                        | VectorKernel::Precomputed
                ) =>
        {
            Ok(&leaf.kernel)
        }
        other => Err(unsupported(format!(
            "kernel {other} in a LIBSVM model; it has linear, poly, rbf, tanh and precomputed"
        ))),
    }
}

/// Class names as the numbers that LIBSVM and LIBLINEAR read; `+1` and `1.0` are 1 to them.
pub(in crate::model) fn labels(classes: &[String], program: &str) -> Result<Vec<i32>> {
    let label = |name: &String| match name.trim().parse::<f64>() {
        Ok(value) if value == f64::from(value as i32) => Ok(value as i32),
        _ => Err(unsupported(format!("class '{name}' in a {program} model; its labels are whole numbers"))),
    };
    let labels = classes.iter().map(label).collect::<Result<Vec<i32>>>()?;
    match parts::twice(&labels) {
        Some(label) => Err(unsupported(format!("two classes of one number, {label}, in a {program} model"))),
        None => Ok(labels),
    }
}

fn features(text: &mut String, row: Row<'_>) {
    let dense = matches!(row, Row::Dense32(_) | Row::Dense64(_));
    row.for_each(|column, value| {
        if !dense || value != 0.0 {
            text.push_str(&(column + 1).to_string());
            text.push(':');
            number(text, value);
            text.push(' ');
        }
    });
}

fn serial(text: &mut String, row: Row<'_>) -> Result<()> {
    let serial = row.get(0);
    if serial >= 1.0 && serial == f64::from(serial as i32) {
        text.push_str(&format!("0:{serial} "));
        return Ok(());
    }
    Err(unsupported(format!(
        "serial number {serial} of a precomputed kernel; it must be a whole number from 1"
    )))
}

pub(in crate::model) fn list<T>(
    text: &mut String,
    name: &str,
    values: impl IntoIterator<Item = T>,
    put: impl Fn(&mut String, T),
) {
    text.push_str(name);
    for value in values {
        text.push(' ');
        put(text, value);
    }
    text.push('\n');
}

/// The shortest text that is read back as the same number.
pub(in crate::model) fn number(text: &mut String, value: f64) {
    let plain = value == 0.0 || (1e-5..1e16).contains(&value.abs());
    text.push_str(&if plain { format!("{value}") } else { format!("{value:e}") });
}

pub(in crate::model) fn unsupported(what: impl Into<Box<str>>) -> crate::Error {
    ErrorKind::Unsupported { what: what.into() }.into()
}
