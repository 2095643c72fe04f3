//! The lines above `SV`.

use super::probability;
use crate::error::{ErrorKind, Result};
use crate::kernel::{self, VectorExpr};
use crate::model::file::parts;
use crate::model::lines::{Fields, Format, Lines};
use crate::model::probability::Estimate;

/// What the header says, checked against itself.
pub(super) struct Header {
    pub(super) kind: Kind,
    pub(super) kernel: VectorExpr,
    pub(super) offsets: Vec<f64>,
    /// Support vectors that must follow.
    pub(super) total: usize,
    /// Coefficients of each.
    pub(super) columns: usize,
    pub(super) precomputed: bool,
    pub(super) probability: Option<Estimate>,
}

/// What the machine is, with what only it has.
pub(super) enum Kind {
    Classifier { classes: Vec<String>, class_sizes: Vec<usize> },
    Regression,
    OneClass,
}

/// The header of LIBSVM's model text.
const FORMAT: Format = Format {
    program: "LIBSVM",
    names: &[
        "svm_type",
        "kernel_type",
        "degree",
        "gamma",
        "coef0",
        "nr_class",
        "total_sv",
        "rho",
        "label",
        "nr_sv",
        "probA",
        "probB",
        "prob_density_marks",
    ],
    end: "SV",
};

/// Reads up to and including the line `SV`.
pub(super) fn read(lines: &mut Lines<'_>) -> Result<Header> {
    let fields = Fields::read(lines, &FORMAT)?;
    let kind = fields.one("svm_type")?;
    match kind.text {
        "c_svc" | "nu_svc" => classifier(&fields),
        "epsilon_svr" | "nu_svr" => function(&fields, Kind::Regression),
        "one_class" => function(&fields, Kind::OneClass),
        other => Err(kind.other(format!("not a machine of LIBSVM: '{other}'"))),
    }
}

fn classifier(fields: &Fields<'_>) -> Result<Header> {
    let kernel = kernel(fields)?;
    let count = fields.one("nr_class")?;
    let classes = count.whole::<usize>()?;
    let Some(pairs) = parts::pairs(classes).filter(|_| classes >= 2) else {
        return Err(count.other(format!("nr_class = {}: at least two classes are needed", count.text)));
    };
    let labels = fields.list("label", classes, |word| word.whole::<i32>())?;
    if let Some(label) = parts::twice(&labels) {
        return Err(fields.line("label")?.error(format!("label {label} is listed twice")));
    }
    let class_sizes = fields.list("nr_sv", classes, |word| word.whole::<usize>())?;
    let total = fields.one("total_sv")?;
    let sum = class_sizes.iter().try_fold(0_usize, |sum, &size| sum.checked_add(size));
    if sum != Some(total.whole()?) {
        return Err(total.other(format!("total_sv = {}: must be the sum of nr_sv", total.text)));
    }
    let kind = Kind::Classifier { classes: labels.iter().map(i32::to_string).collect(), class_sizes };
    header(fields, kernel, kind, pairs, classes - 1)
}

fn header(
    fields: &Fields<'_>,
    kernel: VectorExpr,
    kind: Kind,
    outputs: usize,
    columns: usize,
) -> Result<Header> {
    Ok(Header {
        precomputed: kernel == kernel::precomputed(),
        kernel,
        offsets: fields.list("rho", outputs, |word| word.number())?,
        total: fields.one("total_sv")?.whole()?,
        columns,
        probability: probability::read(fields, &kind, outputs)?,
        kind,
    })
}

/// A machine with one function, which LIBSVM writes as one of two classes without their names.
fn function(fields: &Fields<'_>, kind: Kind) -> Result<Header> {
    let kernel = kernel(fields)?;
    let count = fields.one("nr_class")?;
    if count.whole::<usize>()? != 2 {
        return Err(count.other(format!("nr_class = {}: must be 2 where there are no classes", count.text)));
    }
    for name in ["label", "nr_sv"] {
        if let Ok(line) = fields.line(name) {
            return Err(line.error(format!("'{name}' in a model without classes")));
        }
    }
    header(fields, kernel, kind, 1, 1)
}

fn kernel(fields: &Fields<'_>) -> Result<VectorExpr> {
    let kind = fields.one("kernel_type")?;
    let number = |name| fields.one(name)?.number();
    let expression = match kind.text {
        "linear" => kernel::linear(),
        "polynomial" => {
            kernel::polynomial(fields.one("degree")?.whole()?, number("gamma")?, number("coef0")?)
        }
        "rbf" => kernel::rbf(number("gamma")?),
        "sigmoid" => kernel::tanh(number("gamma")?, number("coef0")?),
        "precomputed" => kernel::precomputed(),
        other => return Err(kind.other(format!("not a kernel of LIBSVM: '{other}'"))),
    };
    expression.check().map_err(|error| match *error.kind() {
        // The parameters have the names of their lines.
        ErrorKind::Parameter { name, .. } => match fields.one(name) {
            Ok(word) => word.other(error.to_string()),
            Err(missing) => missing,
        },
        _ => error,
    })?;
    Ok(expression)
}
