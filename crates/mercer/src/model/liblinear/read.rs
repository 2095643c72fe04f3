//! A model from LIBLINEAR's text.

use std::path::Path;

use super::solver::{Learnt, Solver};
use crate::data::Vectors;
use crate::error::{Error, Result};
use crate::kernel;
use crate::model::file::{Saved, parts};
use crate::model::lines::{Fields, Format, Lines};
use crate::model::{Cost, LinearModel, LinearScheme};

/// The header of LIBLINEAR's model text.
const FORMAT: Format = Format {
    program: "LIBLINEAR",
    names: &["solver_type", "nr_class", "label", "nr_feature", "bias", "rho"],
    end: "w",
};

/// What the header says, checked against itself.
struct Header {
    solver: &'static Solver,
    /// Class names; none where there are no classes.
    classes: Vec<String>,
    /// Lines of weights without that of the constant feature.
    features: usize,
    /// The value of the constant feature, where there is one.
    bias: Option<f64>,
    /// What is subtracted from the function of a one-class model.
    rho: f64,
    /// Numbers of a line of weights.
    columns: usize,
}

/// The weights of each function, and the offsets, which are subtracted.
struct Weights {
    functions: Vec<Vec<f64>>,
    offsets: Vec<f64>,
}

pub(super) fn parse(text: &[u8], path: &Path) -> Result<Saved> {
    let mut lines = Lines::new(text, path);
    let header = header(&Fields::read(&mut lines, &FORMAT)?)?;
    let Weights { mut functions, mut offsets } = weights(lines, &header)?;
    if header.classes.len() == 2 {
        functions.truncate(1);
        offsets.truncate(1);
    }
    let cost = match header.solver.learnt {
        Learnt::Classes(cost) | Learnt::Numbers(cost) => cost,
        Learnt::Inside => {
            offsets = vec![header.rho];
            Cost::Hinge
        }
    };
    let several = functions.len() > 1;
    let mut model = LinearModel::<Vectors, _>::of_weights(
        kernel::linear(),
        functions,
        offsets,
        header.classes,
        cost,
        Vec::new(),
    )?;
    if several && header.solver.has_function_for_each_of_two() {
        model.scheme = LinearScheme::CrammerSinger;
    }
    Ok(Saved { program: "LIBLINEAR text".to_owned(), ..Saved::from(model) })
}

fn header(fields: &Fields<'_>) -> Result<Header> {
    let name = fields.one("solver_type")?;
    let unknown = || name.other(format!("not a solver of LIBLINEAR: '{}'", name.text));
    let solver = Solver::named(name.text).ok_or_else(unknown)?;
    let classes = match solver.learnt {
        Learnt::Classes(_) => classes(fields)?,
        Learnt::Numbers(_) | Learnt::Inside => no_classes(fields)?,
    };
    let features = fields.one("nr_feature")?;
    let count = features.whole::<i32>()?;
    if count < 1 {
        return Err(features.other(format!("nr_feature = {count}: must be at least 1")));
    }
    let bias = fields.one("bias")?;
    let bias_value = Some(bias.number()?).filter(|&value| value >= 0.0);
    let rho = match (solver.learnt, fields.line("rho")) {
        (Learnt::Inside, _) if bias_value.is_some() => {
            return Err(bias.other("a one-class model has no bias"));
        }
        (Learnt::Inside, _) => fields.one("rho")?.number()?,
        (_, Ok(line)) => return Err(line.error("'rho' in a model that does not have it")),
        (_, Err(_)) => 0.0,
    };
    let columns = match classes.len() {
        0 => 1,
        2 if !solver.has_function_for_each_of_two() => 1,
        count => count,
    };
    Ok(Header { solver, classes, features: count as usize, bias: bias_value, rho, columns })
}

fn classes(fields: &Fields<'_>) -> Result<Vec<String>> {
    let count = fields.one("nr_class")?;
    let classes = count.whole::<usize>()?;
    if classes < 2 {
        return Err(count.other(format!("nr_class = {classes}: at least two classes are needed")));
    }
    let labels = fields.list("label", classes, |word| word.whole::<i32>())?;
    match parts::twice(&labels) {
        Some(label) => Err(fields.line("label")?.error(format!("label {label} is listed twice"))),
        None => Ok(labels.iter().map(i32::to_string).collect()),
    }
}

/// Checks the lines of a model without classes, which LIBLINEAR writes as one of two without their names.
fn no_classes(fields: &Fields<'_>) -> Result<Vec<String>> {
    let count = fields.one("nr_class")?;
    if count.whole::<usize>()? != 2 {
        return Err(count.other(format!("nr_class = {}: must be 2 where there are no classes", count.text)));
    }
    match fields.line("label") {
        Ok(line) => Err(line.error("'label' in a model without classes")),
        Err(_) => Ok(Vec::new()),
    }
}

/// Reads the lines below `w`. The lists grow with the lines present.
fn weights(mut lines: Lines<'_>, header: &Header) -> Result<Weights> {
    let mut functions = vec![Vec::new(); header.columns];
    for _ in 0..header.features {
        row(&mut lines, header.columns, |column, weight| {
            functions[column].push(weight);
            Some(())
        })?;
    }
    let mut offsets = vec![0.0; header.columns];
    if let Some(bias) = header.bias {
        row(&mut lines, header.columns, |column, weight| {
            offsets[column] = -bias * weight;
            offsets[column].is_finite().then_some(())
        })?;
    }
    lines.finish("the weights of nr_feature features and of the bias were read")?;
    Ok(Weights { functions, offsets })
}

/// Reads a line of weights and hands each to `put`, which refuses one that is too large by returning nothing.
fn row(lines: &mut Lines<'_>, columns: usize, mut put: impl FnMut(usize, f64) -> Option<()>) -> Result<()> {
    let line = lines.next("a line of weights")?;
    let mut words = line.words();
    for column in 0..columns {
        let missing = || -> Error {
            line.error(format!("{column} weights where {columns} are expected, one for each function"))
        };
        let word = words.next().ok_or_else(missing)?;
        put(column, word.number()?).ok_or_else(|| word.other("bias times its weight is not finite"))?;
    }
    match words.next() {
        Some(word) => Err(word.other(format!("expected the end of the line behind {columns} weights"))),
        None => Ok(()),
    }
}
