//! A model as LIBSVM's text.

use std::fmt::{self, Write};

use crate::data::{Points, Row, Vectors};
use crate::error::{ErrorKind, Result};
use crate::kernel::{Expr, VectorExpr, VectorKernel};
use crate::model::{SvcModel, layout};

/// The text of a LIBSVM model file (`svm_type c_svc`). Numbers have as many digits as bring them back exactly.
///
/// # Errors
/// [`ErrorKind::Unsupported`] if LIBSVM does not have the kernel, or a class name is not a whole number, or the
/// parts of the model do not fit together.
pub fn print(model: &SvcModel<Vectors, VectorExpr>) -> Result<String> {
    let weights = layout::check(model).map_err(unsupported)?;
    let kernel = kernel(&model.expansion.kernel)?;
    let labels = labels(&model.classes)?;
    let mut text = String::from("svm_type c_svc\n");
    header(&mut text, kernel, model, &labels).map_err(|error| unsupported(error.to_string()))?;
    let columns = model.classes.len() - 1;
    for i in 0..model.expansion.points.len() {
        for &weight in &weights[i * columns..(i + 1) * columns] {
            number(&mut text, weight);
            text.push(' ');
        }
        let row = model.expansion.points.row(i);
        if *kernel == VectorKernel::Precomputed {
            serial(&mut text, row)?
        } else {
            features(&mut text, row)
        }
        text.push('\n');
    }
    Ok(text)
}

fn header(
    text: &mut String,
    kernel: &VectorKernel,
    model: &SvcModel<Vectors, VectorExpr>,
    labels: &[i32],
) -> fmt::Result {
    let (name, degree, gamma, coef0) = match *kernel {
        VectorKernel::Polynomial { degree, gamma, coef0 } => {
            ("polynomial", Some(degree), Some(gamma), Some(coef0))
        }
        VectorKernel::Rbf { gamma } => ("rbf", None, Some(gamma), None),
        VectorKernel::Tanh { gamma, coef0 } => ("sigmoid", None, Some(gamma), Some(coef0)),
        VectorKernel::Precomputed => ("precomputed", None, None, None),
        _ => ("linear", None, None, None),
    };
    writeln!(text, "kernel_type {name}")?;
    if let Some(degree) = degree {
        writeln!(text, "degree {degree}")?;
    }
    for (name, value) in [("gamma", gamma), ("coef0", coef0)] {
        if let Some(value) = value {
            list(text, name, [value], number);
        }
    }
    writeln!(text, "nr_class {}\ntotal_sv {}", model.classes.len(), model.expansion.points.len())?;
    list(text, "rho", model.expansion.offsets.iter().copied(), number);
    list(text, "label", labels, |text, label| text.push_str(&label.to_string()));
    list(text, "nr_sv", &model.class_sizes, |text, size| text.push_str(&size.to_string()));
    text.push_str("SV\n");
    Ok(())
}

/// The leaf, where LIBSVM has it.
fn kernel(expression: &VectorExpr) -> Result<&VectorKernel> {
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

/// Class names as the numbers that LIBSVM reads; `+1` and `1.0` are 1 to it.
fn labels(classes: &[String]) -> Result<Vec<i32>> {
    let label = |name: &String| match name.trim().parse::<f64>() {
        Ok(value) if value == f64::from(value as i32) => Ok(value as i32),
        _ => Err(unsupported(format!("class '{name}' in a LIBSVM model; its labels are whole numbers"))),
    };
    let labels = classes.iter().map(label).collect::<Result<Vec<i32>>>()?;
    let mut sorted = labels.clone();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(twice) => {
            Err(unsupported(format!("two classes of one number, {}, in a LIBSVM model", twice[0])))
        }
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

fn list<T>(text: &mut String, name: &str, values: impl IntoIterator<Item = T>, put: impl Fn(&mut String, T)) {
    text.push_str(name);
    for value in values {
        text.push(' ');
        put(text, value);
    }
    text.push('\n');
}

/// The shortest text that is read back as the same number.
fn number(text: &mut String, value: f64) {
    let plain = value == 0.0 || (1e-5..1e16).contains(&value.abs());
    text.push_str(&if plain { format!("{value}") } else { format!("{value:e}") });
}

fn unsupported(what: impl Into<Box<str>>) -> crate::Error {
    ErrorKind::Unsupported { what: what.into() }.into()
}
