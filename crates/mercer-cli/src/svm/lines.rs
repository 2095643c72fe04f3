//! What LIBSVM prints about a fit.

use std::fmt::Write;

use mercer::data::{Labels, Points, Vectors, format_g};
use mercer::kernel::VectorExpr;
use mercer::model::{Function, Machine, Svc, Svr, Zone, pairs};

use crate::fit::Model;

/// The lines of a classifier: a block for each pair, then all support vectors.
pub(super) fn classifier(svc: &Svc<VectorExpr>, model: &Model, y: &Labels) -> String {
    let mut sizes = vec![0_usize; y.classes().len()];
    y.index().iter().for_each(|&class| sizes[class as usize] += 1);
    let bounds: Vec<f64> = svc.factors(y.classes()).iter().map(|weight| svc.c * weight).collect();
    let mut text = String::new();
    for (p, (a, b)) in pairs(y.classes().len()).into_iter().enumerate() {
        let variables = of_pair(model, p, [a, b], &bounds);
        let nu = variables.sum / (bounds[a] * (sizes[a] + sizes[b]) as f64);
        let found = (bounds[a] == bounds[b]).then_some(("nu", nu));
        let certificate = &model.certificates[p];
        let values = [certificate.objective, model.expansion.offsets()[p]];
        block(&mut text, certificate.iterations, found, values, &variables);
    }
    let _ = writeln!(text, "Total nSV = {}", model.expansion.points().len());
    text
}

/// The lines of a ν-SVC: the same with the C that belongs to ν.
pub(super) fn nu_classifier(model: &Model, y: &Labels, c: &[f64]) -> String {
    let mut text = String::new();
    for (p, (a, b)) in pairs(y.classes().len()).into_iter().enumerate() {
        // Where there is no margin nothing was scaled, and the bound is 1.
        let bound = if c[p].is_finite() { c[p] } else { 1.0 };
        let variables = of_pair(model, p, [a, b], &vec![bound * (1.0 - 1e-12); y.classes().len()]);
        let certificate = &model.certificates[p];
        let values = [certificate.objective, model.expansion.offsets()[p]];
        block(&mut text, certificate.iterations, Some(("C", c[p])), values, &variables);
    }
    let _ = writeln!(text, "Total nSV = {}", model.expansion.points().len());
    text
}

/// The lines of a regression fitted to `rows` rows: ν where ε was given, ε where ν was.
pub(super) fn regression(
    svr: &Svr<VectorExpr>,
    function: &Function<Vectors, VectorExpr>,
    epsilon: f64,
    rows: usize,
) -> String {
    let variables = of_function(function, svr.c);
    let found = match svr.zone {
        Zone::Epsilon(_) => ("nu", variables.sum / (svr.c * rows as f64)),
        Zone::Nu(_) => ("epsilon", epsilon),
    };
    single(function, Some(found), &variables)
}

/// The lines of a one-class machine.
pub(super) fn one_class(function: &Function<Vectors, VectorExpr>) -> String {
    single(function, None, &of_function(function, 1.0))
}

/// The lines of any machine fitted with weights of points: what counts points of weight 1 is left out.
pub(super) fn weighted(machine: &Machine) -> String {
    let mut text = String::new();
    for (certificate, offset) in machine.certificates().iter().zip(machine.expansion().offsets()) {
        let _ = writeln!(text, "*\noptimization finished, #iter = {}", certificate.iterations);
        let _ = writeln!(text, "obj = {:.6}, rho = {offset:.6}", certificate.objective);
    }
    let _ = writeln!(text, "Total nSV = {}", machine.expansion().points().len());
    text
}

/// The lines about the noise of a regression; LIBSVM's two programs write the value differently.
pub(super) fn noise(sigma: f64, name: &str) -> String {
    format!(
        "Prob. model for test data: target value = predicted value + z,\n\
         z: Laplace distribution e^(-|z|/sigma)/(2sigma),{name}{}\n",
        format_g(sigma, 6),
    )
}

fn single(
    function: &Function<Vectors, VectorExpr>,
    found: Option<(&str, f64)>,
    variables: &Variables,
) -> String {
    let mut text = String::new();
    if let Some(certificate) = function.certificate {
        let values = [certificate.objective, function.expansion.offsets()[0]];
        block(&mut text, certificate.iterations, found, values, variables);
    }
    text
}

fn block(
    text: &mut String,
    iterations: u64,
    found: Option<(&str, f64)>,
    [objective, offset]: [f64; 2],
    variables: &Variables,
) {
    let _ = writeln!(text, "*\noptimization finished, #iter = {iterations}");
    if let Some((name, value)) = found {
        let _ = writeln!(text, "{name} = {value:.6}");
    }
    let _ = writeln!(text, "obj = {objective:.6}, rho = {offset:.6}");
    let _ = writeln!(text, "nSV = {}, nBSV = {}", variables.support, variables.at_bound);
}

/// What LIBSVM tells of the variables of a problem.
#[derive(Debug, Default, PartialEq)]
struct Variables {
    /// Σ|β|
    sum: f64,
    /// Variables that are not 0.
    support: usize,
    /// Variables at their bound.
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

fn of_pair(model: &Model, output: usize, classes: [usize; 2], bounds: &[f64]) -> Variables {
    let mut variables = Variables::default();
    for class in classes {
        let block = &model.expansion.coefficients().blocks[class];
        let Some(column) = block.outputs.iter().position(|&o| o == output) else { continue };
        let rows = block.values.chunks(block.outputs.len());
        rows.for_each(|row| variables.add(row[column], bounds[class]));
    }
    variables
}

fn of_function(function: &Function<Vectors, VectorExpr>, bound: f64) -> Variables {
    let mut variables = Variables::default();
    function.coefficients().iter().for_each(|&beta| variables.add(beta, bound));
    variables
}
