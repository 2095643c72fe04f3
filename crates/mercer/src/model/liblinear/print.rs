//! A model as LIBLINEAR's text.

use super::solver::{Learnt, SOLVERS, Solver};
use crate::data::{Points, Vectors};
use crate::error::Result;
use crate::kernel::{self, VectorExpr};
use crate::memory::obtainable;
use crate::model::file::Saved;
use crate::model::libsvm::print::{labels, list, number, unsupported};
use crate::model::{Cost, LinearModel, LinearScheme};

/// What the text says of how a model was trained.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Form {
    /// The solver, whose loss must be the model's.
    pub solver: &'static Solver,
    /// The value of the constant feature; below 0 for none.
    pub bias: f64,
}

impl Form {
    /// The first solver of the primal problem that has the model's loss, else of the dual; a constant feature of 1 where there is
    /// an offset.
    fn of(model: &LinearModel<Vectors, VectorExpr>) -> Self {
        let together = model.scheme != LinearScheme::OneVsRest;
        let schemes = |solver: &&Solver| solver.has_function_for_each_of_two() == together;
        let mut fitting = SOLVERS.iter().filter(schemes).filter(|solver| has_loss_of(solver, model));
        let dual = fitting.clone().next();
        let solver = fitting.find(|solver| !solver.dual).or(dual).unwrap_or(&SOLVERS[0]);
        let offset = !is_one_class(model) && model.expansion.offsets().iter().any(|&offset| offset != 0.0);
        Self { solver, bias: if offset { 1.0 } else { -1.0 } }
    }
}

/// Whether the models of a solver have the loss of this model. ε is not compared: the text does not have it.
fn has_loss_of(solver: &Solver, model: &LinearModel<Vectors, VectorExpr>) -> bool {
    match (solver.learnt, model.cost) {
        (Learnt::Numbers(Cost::Insensitive(_)), Cost::Insensitive(_))
        | (Learnt::Numbers(Cost::SquaredInsensitive(_)), Cost::SquaredInsensitive(_)) => true,
        (Learnt::Classes(cost), own) => cost == own && !is_one_class(model),
        (Learnt::Inside, _) => is_one_class(model),
        _ => false,
    }
}

/// Whether a model tells inside from outside: its offset is ρ.
fn is_one_class(model: &LinearModel<Vectors, VectorExpr>) -> bool {
    model.classes.is_empty() && model.cost == Cost::Hinge
}

/// The text of a LIBLINEAR model file.
///
/// # Errors
/// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if it is not a linear model, or a class name is not a whole number, or
/// the parts of the model do not fit together.
pub fn print(saved: &Saved) -> Result<String> {
    print_as(saved, &Form::of(linear(saved)?))
}

/// The text of a LIBLINEAR model file with the solver and the bias of `form`.
///
/// # Errors
/// As [`print()`], or if the solver's loss is not the model's, or there is an offset and a bias that is not above 0, or a bias of a
/// one-class model.
pub fn print_as(saved: &Saved, form: &Form) -> Result<String> {
    let model = linear(saved)?;
    saved.model.check().map_err(unsupported)?;
    if model.scheme == LinearScheme::Softmax {
        return Err(unsupported("the scheme softmax in a LIBLINEAR model, whose probabilities are others"));
    }
    let Form { solver, bias } = *form;
    if !has_loss_of(solver, model) {
        let (name, own) = (solver.name, Form::of(model).solver.name);
        return Err(unsupported(format!("solver {name} of a model that has the loss of {own}")));
    }
    let offsets = model.expansion.offsets();
    if (offsets.len(), model.classes.len()) == (2, 2) && !solver.has_function_for_each_of_two() {
        let name = solver.name;
        return Err(unsupported(format!("solver {name} of a model with a function for each of two classes")));
    }
    if is_one_class(model) {
        return one_class(model, form);
    }
    // The weight of the constant feature: the offset is subtracted.
    let constant = |&offset: &f64| if offset == 0.0 { 0.0 } else { -offset / bias };
    let last: Vec<f64> = offsets.iter().map(constant).collect();
    if !bias.is_finite() || offsets.iter().any(|&offset| offset != 0.0 && bias <= 0.0) {
        return Err(unsupported(format!(
            "bias {bias} of a LIBLINEAR model with an offset; it must be above 0"
        )));
    }
    if last.iter().any(|weight| !weight.is_finite()) {
        return Err(unsupported(format!("an offset beyond the largest number at bias {bias}")));
    }
    let mut text = header(model, form)?;
    rows(&mut text, model, solver)?;
    if bias >= 0.0 {
        row(&mut text, last.into_iter(), solver);
    }
    Ok(text)
}

/// The text of a one-class model: its offset is the line `rho`.
fn one_class(model: &LinearModel<Vectors, VectorExpr>, form: &Form) -> Result<String> {
    if form.bias.is_nan() || form.bias >= 0.0 {
        return Err(unsupported(format!("bias {} of a one-class model, which has none", form.bias)));
    }
    let mut text = header(model, form)?;
    rows(&mut text, model, form.solver)?;
    Ok(text)
}

/// A line of weights for each feature.
fn rows(text: &mut String, model: &LinearModel<Vectors, VectorExpr>, solver: &Solver) -> Result<()> {
    let (width, functions) = (model.expansion.points().width(), 0..model.expansion.offsets().len());
    // A vector for each function, and in the text two bytes or more for each weight and the end of each line.
    let needed = (width as u64).saturating_mul(1 + 10 * functions.len() as u64);
    obtainable(
        "LIBLINEAR's model text, which has a line for each feature,",
        needed,
        "write a mercer model, which has the weights that are not 0",
    )?;
    let functions: Vec<Vec<f64>> = functions.map(|function| model.weights(function)).collect();
    for feature in 0..width {
        row(text, functions.iter().map(|weights| weights[feature]), solver);
    }
    Ok(())
}

/// Refuses class names that are not whole numbers, before time is spent on a fit.
///
/// # Errors
/// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported).
pub fn check(classes: &[String]) -> Result<()> {
    labels(classes, "LIBLINEAR").map(|_| ())
}

/// The model, which must be a linear one.
fn linear(saved: &Saved) -> Result<&LinearModel<Vectors, VectorExpr>> {
    let kind = saved.model.kind();
    let other =
        || unsupported(format!("a model of the kind '{kind}' in a LIBLINEAR model; it has linear models"));
    let model = saved.model.downcast::<LinearModel<Vectors, VectorExpr>>().ok_or_else(other)?;
    let kernel = model.expansion.kernel();
    if *kernel != kernel::linear() {
        return Err(unsupported(format!("kernel {kernel} in a LIBLINEAR model; it has linear")));
    }
    Ok(model)
}

/// The lines up to `w`.
fn header(model: &LinearModel<Vectors, VectorExpr>, form: &Form) -> Result<String> {
    let mut own = String::new();
    let text = &mut own;
    let count = |text: &mut String, count: usize| text.push_str(&count.to_string());
    list(text, "solver_type", [form.solver.name], String::push_str);
    list(text, "nr_class", [if model.classes.is_empty() { 2 } else { model.classes.len() }], count);
    if !model.classes.is_empty() {
        let labels = labels(&model.classes, "LIBLINEAR")?;
        list(text, "label", labels, |text, label| text.push_str(&label.to_string()));
    }
    list(text, "nr_feature", [model.expansion.points().width()], count);
    list(text, "bias", [form.bias], number);
    if is_one_class(model) {
        list(text, "rho", model.expansion.offsets().iter().copied(), number);
    }
    text.push_str("w\n");
    Ok(own)
}

/// A line of weights, with the negative of one beside it where the solver has a function for each of two classes.
fn row(text: &mut String, weights: impl ExactSizeIterator<Item = f64>, solver: &Solver) {
    let single = weights.len() == 1 && solver.has_function_for_each_of_two();
    for weight in weights {
        number(text, weight);
        text.push(' ');
        if single {
            number(text, -weight);
            text.push(' ');
        }
    }
    text.push('\n');
}
