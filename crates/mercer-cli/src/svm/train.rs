//! `svm-train`: C-SVC with LIBSVM's lines.

use std::fmt::Write;

use mercer::data::{self, Folds, Format, Labels, Points, ReadOptions, Vectors, format_g};
use mercer::kernel::{VectorExpr, linear, polynomial, precomputed, rbf, tanh};
use mercer::model::file::Saved;
use mercer::model::{Svc, libsvm, pairs};
use mercer::solve::{Smo, Stop};

use super::options::Train;
use crate::failure::{Failure, InFile, Result, code};
use crate::fit::{Model, Totals, fit, training};
use crate::models::check_libsvm;
use crate::output::{answer, remark};
use crate::paths;
use crate::system;

const MEGABYTE: f64 = 1048576.0;
/// Folds are drawn by a generator with this seed: the same each time.
const SEED: u64 = 0x5eed;

/// Runs the program.
pub(super) fn run(options: &Train) -> Result<()> {
    paths::model_file(&options.model)?;
    paths::distinct(&options.model, &[&options.data])?;
    system::start_threads(0)?;
    system::listen_for_interrupt()?;
    let (x, y) = read(options)?;
    let svc = estimator(options, &x, &y)?;
    if let Some(folds) = options.folds {
        return cross_validate(options, &svc, &x, &y, folds);
    }
    let as_text = options.model.extension().is_none_or(|ending| ending != "mercer");
    if as_text {
        check_libsvm(&svc.kernel, y.classes())?;
    }
    let model = fit(&svc, &x, &y, options.quiet).in_file(&options.data)?.model;
    if as_text {
        libsvm::write(&model, &options.model)?;
    } else {
        let training = Some(training(&svc, y.classes()));
        Saved { training, ..Saved::from(model.clone()) }.save(&options.model)?;
    }
    tell(options, &svc, &model, &y)?;
    let interrupted = model.certificates.iter().any(|c| c.stop == Stop::Interrupted);
    if interrupted { Err(Failure::Answer(code::INTERRUPTED)) } else { Ok(()) }
}

fn read(options: &Train) -> Result<(Vectors, Labels)> {
    let precomputed = options.kernel == 4;
    let text = ReadOptions { format: Some(Format::Libsvm), precomputed, ..ReadOptions::default() };
    let table = data::read(&options.data, &text).in_file(&options.data)?;
    let labels = table.labels.map_or_else(|| Labels::new(vec![], vec![]), |labels| labels.labels());
    let labels = labels.libsvm_order();
    labels.check(table.points.len()).in_file(&options.data)?;
    Ok((table.points, labels))
}

fn estimator(options: &Train, x: &Vectors, y: &Labels) -> Result<Svc<VectorExpr>> {
    let gamma = options.gamma.unwrap_or(1.0 / x.width().max(1) as f64);
    let kernel = match options.kernel {
        0 => linear(),
        1 => polynomial(options.degree, gamma, options.coef0),
        2 => rbf(gamma),
        3 => tanh(gamma, options.coef0),
        _ => precomputed(),
    };
    kernel.check()?;
    if !(options.cache_megabytes > 0.0 && options.cache_megabytes < usize::MAX as f64 / MEGABYTE) {
        return Err(Failure::Usage(format!("-m {}: must be positive", options.cache_megabytes)));
    }
    let mut svc = Svc::new(kernel).c(options.c).solver(Smo {
        tolerance: options.tolerance,
        cache_bytes: (options.cache_megabytes * MEGABYTE) as usize,
        shrinking: options.shrinking,
        ..Smo::default()
    });
    for &(class, weight) in &options.weights {
        let name = class.to_string();
        if y.classes().contains(&name) {
            svc = svc.class_weight(name, weight);
        } else {
            remark(format_args!("WARNING: class label {class} specified in weight is not found"));
        }
    }
    svc.check()?;
    Ok(svc)
}

/// LIBSVM's lines about a fit, unless it is to be quiet.
fn tell(options: &Train, svc: &Svc<VectorExpr>, model: &Model, y: &Labels) -> Result<()> {
    if Totals::of(&model.certificates).is_some_and(|totals| totals.stop == Stop::IterationLimit) {
        remark("\nWARNING: reaching max number of iterations");
    }
    if options.quiet { Ok(()) } else { answer(lines(svc, model, y)) }
}

fn lines(svc: &Svc<VectorExpr>, model: &Model, y: &Labels) -> String {
    let mut sizes = vec![0_usize; y.classes().len()];
    y.index().iter().for_each(|&class| sizes[class as usize] += 1);
    let bounds: Vec<f64> = svc.factors(y.classes()).iter().map(|weight| svc.c * weight).collect();
    let mut text = String::new();
    for (p, (a, b)) in pairs(y.classes().len()).into_iter().enumerate() {
        let pair = Pair::of(model, p, [a, b], &bounds);
        let (certificate, offset) = (&model.certificates[p], model.expansion.offsets[p]);
        let _ = writeln!(text, "*\noptimization finished, #iter = {}", certificate.iterations);
        if bounds[a] == bounds[b] {
            let nu = pair.sum / (bounds[a] * (sizes[a] + sizes[b]) as f64);
            let _ = writeln!(text, "nu = {nu:.6}");
        }
        let _ = writeln!(text, "obj = {:.6}, rho = {offset:.6}", certificate.objective);
        let _ = writeln!(text, "nSV = {}, nBSV = {}", pair.support, pair.at_bound);
    }
    let _ = writeln!(text, "Total nSV = {}", model.expansion.points.len());
    text
}

/// What LIBSVM tells of the variables of a pair.
#[derive(Debug, Default, PartialEq)]
struct Pair {
    /// Σ|β|
    sum: f64,
    /// Variables that are not 0.
    support: usize,
    /// Variables at their bound.
    at_bound: usize,
}

impl Pair {
    fn of(model: &Model, output: usize, classes: [usize; 2], bounds: &[f64]) -> Self {
        let mut pair = Self::default();
        for class in classes {
            let block = &model.expansion.coefficients.blocks[class];
            let Some(column) = block.outputs.iter().position(|&o| o == output) else { continue };
            for row in block.values.chunks(block.outputs.len()) {
                let alpha = row[column].abs();
                pair.sum += alpha;
                pair.support += usize::from(alpha > 0.0);
                pair.at_bound += usize::from(alpha >= bounds[class]);
            }
        }
        pair
    }
}

/// Fits each fold's complement and predicts the fold.
fn cross_validate(
    options: &Train,
    svc: &Svc<VectorExpr>,
    x: &Vectors,
    y: &Labels,
    folds: usize,
) -> Result<()> {
    if folds > x.len() {
        remark(
            "WARNING: # folds > # data. Will use # folds = # data instead (i.e., leave-one-out cross validation)",
        );
    }
    let folds = Folds::stratified(y, folds, SEED);
    let mut correct = 0;
    for k in 0..folds.count() {
        let (out, rest) = folds.split(k);
        let labels = Labels::first_seen(rest.iter().map(|&i| y.name(i))).libsvm_order();
        let model = fit(svc, &x.select(&rest), &labels, options.quiet).in_file(&options.data)?.model;
        if system::stop_wanted() {
            return Err(Failure::Answer(code::INTERRUPTED));
        }
        tell(options, svc, &model, &labels)?;
        let predicted = model.predict(&x.select(&out)).in_file(&options.data)?;
        correct += predicted.iter().zip(&out).filter(|(found, i)| **found == y.name(**i)).count();
    }
    let percent = format_g(100.0 * correct as f64 / x.len() as f64, 6);
    answer(format_args!("Cross Validation Accuracy = {percent}%\n"))
}
