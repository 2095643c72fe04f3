//! What LIBSVM prints about a fit.

use mercer::data::{Labels, format_g};
use mercer::model::{AnyEstimator, AnyModel, AnyPoints, Fact, Facts, Targets, Value, pairs};
use mercer::solve::Certificate;

/// The lines of a fit: a block for each programme, and of a classifier all support vectors.
pub(super) fn of_fit(
    estimator: &AnyEstimator,
    model: &AnyModel,
    found: &Facts,
    y: &Targets<AnyPoints>,
) -> String {
    match y {
        Targets::Classes(labels) => classifier(estimator, model, found, labels),
        Targets::Numbers(lists) => {
            let c = number(estimator, "c");
            let variables = of_function(model, c);
            // ν where ε was given, ε where ν was.
            let found = match estimator.get("nu") {
                None => ("nu", variables.sum / (c * lists.first().map_or(0, Vec::len) as f64)),
                Some(_) => ("epsilon", found.number("epsilon").unwrap_or(0.0)),
            };
            single(model, Some(found), &variables)
        }
        _ => single(model, None, &of_function(model, 1.0)),
    }
}

fn single(model: &AnyModel, found: Option<(&str, f64)>, variables: &Variables) -> String {
    let quality = model.quality();
    let block = |certificate| block(certificate, model.offsets()[0], found, Some(variables));
    quality.certificates().first().map_or(String::new(), block)
}

/// The lines of a classifier by pairs; of ν-SVC with the C that belongs to ν.
fn classifier(estimator: &AnyEstimator, model: &AnyModel, found: &Facts, y: &Labels) -> String {
    let mut sizes = vec![0_usize; y.classes().len()];
    y.index().iter().for_each(|&class| sizes[class as usize] += 1);
    let bounds = bounds(estimator, y.classes());
    let of_nu = match (estimator.get("nu"), found.get("c")) {
        (Some(_), Some(Fact::Numbers(c))) => Some(c),
        _ => None,
    };
    let quality = model.quality();
    let mut text = String::new();
    for (p, (a, b)) in pairs(y.classes().len()).into_iter().enumerate() {
        let (variables, found) = match of_nu {
            None => {
                let variables = of_pair(model, p, [a, b], &bounds);
                let nu = variables.sum / (bounds[a] * (sizes[a] + sizes[b]) as f64);
                (variables, (bounds[a] == bounds[b]).then_some(("nu", nu)))
            }
            Some(c) => {
                // Where there is no margin yet nothing was scaled, and the bound is 1.
                let bound = if c[p].is_finite() { c[p] } else { 1.0 };
                let bounds = vec![bound * (1.0 - 1e-12); y.classes().len()];
                (of_pair(model, p, [a, b], &bounds), Some(("C", c[p])))
            }
        };
        text += &block(&quality.certificates()[p], model.offsets()[p], found, Some(&variables));
    }
    text + &total(model)
}

/// C of each class: C times its factor.
fn bounds(estimator: &AnyEstimator, classes: &[String]) -> Vec<f64> {
    let Some(Value::Weights(weights)) = estimator.get("weight") else { return vec![1.0; classes.len()] };
    let factor = |class: &String| {
        weights.iter().filter(|(name, _)| name == class).map(|(_, weight)| weight).product::<f64>()
    };
    classes.iter().map(|class| number(estimator, "c") * factor(class)).collect()
}

fn number(estimator: &AnyEstimator, name: &str) -> f64 {
    estimator.get(name).and_then(|value| value.number()).unwrap_or(1.0)
}

fn total(model: &AnyModel) -> String {
    format!("Total nSV = {}\n", model.support_points())
}

/// The lines of any fit with weights of points: what counts points of weight 1 is left out.
pub(super) fn weighted(model: &AnyModel) -> String {
    let quality = model.quality();
    let solved = quality.certificates().iter().zip(model.offsets());
    solved.map(|(certificate, offset)| block(certificate, *offset, None, None)).collect::<String>()
        + &total(model)
}

/// The lines about the noise of a regression; LIBSVM's two programs write the value differently.
pub(super) fn noise(sigma: f64, name: &str) -> String {
    format!(
        "Prob. model for test data: target value = predicted value + z,\n\
         z: Laplace distribution e^(-|z|/sigma)/(2sigma),{name}{}\n",
        format_g(sigma, 6),
    )
}

fn block(
    certificate: &Certificate,
    offset: f64,
    found: Option<(&str, f64)>,
    variables: Option<&Variables>,
) -> String {
    let found = found.map_or(String::new(), |(name, value)| format!("{name} = {value:.6}\n"));
    let counts = variables.map_or(String::new(), |variables| {
        format!("nSV = {}, nBSV = {}\n", variables.support, variables.at_bound)
    });
    let Certificate { iterations, objective, .. } = certificate;
    format!(
        "*\noptimization finished, #iter = {iterations}\n{found}obj = {objective:.6}, rho = {offset:.6}\n{counts}"
    )
}

/// What LIBSVM tells of the variables of a problem: Σ|β|, how many are not 0, and how many are at their bound.
#[derive(Default)]
struct Variables {
    sum: f64,
    support: usize,
    at_bound: usize,
}

impl Variables {
    fn add(&mut self, coefficient: f64, bound: f64) {
        let alpha = coefficient.abs();
        self.sum += alpha;
        self.support += usize::from(alpha > 0.0);
        self.at_bound += usize::from(alpha >= bound);
    }
}

fn of_pair(model: &AnyModel, output: usize, classes: [usize; 2], bounds: &[f64]) -> Variables {
    let mut variables = Variables::default();
    for class in classes {
        let block = &model.coefficients().blocks[class];
        let Some(column) = block.outputs.iter().position(|&o| o == output) else { continue };
        let rows = block.values.chunks(block.outputs.len());
        rows.for_each(|row| variables.add(row[column], bounds[class]));
    }
    variables
}

fn of_function(model: &AnyModel, bound: f64) -> Variables {
    let mut variables = Variables::default();
    model.coefficients().first_block().iter().for_each(|&beta| variables.add(beta, bound));
    variables
}
