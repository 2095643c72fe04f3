//! Cross-validation, and the search for C and p by it.

use mercer::data::{Folds, Points, format_g};
use mercer::model::{AnyPoints, How, Targets, Warm};

use super::train::Task;
use crate::failure::{InFile, Result};
use crate::fit::ended;
use crate::output::{answer, remark};
use crate::program::{FOLD_SEED, percent, regression};
use crate::report::{Errors, Judgement, Predicted};

/// The largest C of the search for classes.
const MAX_C: f64 = 1024.0;
/// The largest C of the search for numbers.
const MAX_C_OF_NUMBERS: f64 = 1_048_576.0;
/// How C grows from one trial to the next.
const RATIO: f64 = 2.0;
/// The search for p divides the largest |y| into so many parts.
const P_STEPS: usize = 20;
/// The search ends where so many C in a row have left all weights as they were.
const UNCHANGED: usize = 5;
/// At the smallest C of a regression the fit may explain about this share of the targets; LIBLINEAR's value.
const EXPLAINED: f64 = 0.1;

/// How good the predictions of all folds are.
enum Score {
    /// Rows whose class is right.
    Correct(usize),
    Errors(Errors),
}

/// Fits each fold's complement, predicts the fold, and says how good that is.
pub(super) fn cross_validate(task: &Task<'_>, folds: usize) -> Result<()> {
    let folds = draw(task, folds);
    let (score, _) = score(task, &folds, &mut vec![Warm::default(); folds.count()])?;
    answer(match score {
        Score::Errors(errors) => regression(&errors, "Cross Validation ", ""),
        Score::Correct(correct) => {
            format!("Cross Validation Accuracy = {}%\n", percent(correct, task.labels.len()))
        }
    })
}

/// Cross-validates for C = 2ᵏ, of a regression for each of several p, and names the best.
pub(super) fn search(mut task: Task<'_>, folds: usize) -> Result<()> {
    let folds = draw(&task, folds);
    let largest = match &task.y {
        Targets::Numbers(lists) => Some(lists[0].iter().fold(0.0_f64, |largest, y| largest.max(y.abs()))),
        _ => None,
    };
    task.quiet = true;
    answer(format_args!("Doing parameter search with {}-fold cross validation.\n", folds.count()))?;
    match largest {
        None => {
            let (wrong, c) = best_c(&mut task, &folds, MAX_C)?;
            let rows = task.labels.len();
            let (c, rate) = (format_g(c, 6), percent(rows - wrong as usize, rows));
            answer(format_args!("Best C = {c}  CV accuracy = {rate}%\n"))
        }
        Some(largest) => {
            let (error, c, p) = best_c_and_p(&mut task, &folds, largest / P_STEPS as f64)?;
            let [error, c, p] = [error, c, p].map(|value| format_g(value, 6));
            answer(format_args!("Best C = {c} Best p = {p}  CV MSE = {error}\n"))
        }
    }
}

/// The least mean squared error, and the C and the p of it. p falls from 19 steps, or from what is given, to 0.
fn best_c_and_p(task: &mut Task<'_>, folds: &Folds, step: f64) -> Result<(f64, f64, f64)> {
    let first = match task.options.p {
        Some(p) if p > 0.0 && step > 0.0 => ((p / step) as usize).min(P_STEPS - 1),
        _ => P_STEPS - 1,
    };
    let mut best = (f64::INFINITY, task.c, -1.0);
    for k in (0..=first).rev() {
        task.p = k as f64 * step;
        let (error, c) = best_c(task, folds, MAX_C_OF_NUMBERS)?;
        if error < best.0 {
            best = (error, c, task.p);
        }
    }
    Ok(best)
}

/// The fewest wrong rows or the least mean squared error, and the C of it.
fn best_c(task: &mut Task<'_>, folds: &Folds, most: f64) -> Result<(f64, f64)> {
    let (rows, start) = (task.labels.len(), task.options.c.unwrap_or_else(|| smallest_c(task)).min(most));
    let mut best = (f64::INFINITY, start);
    // Each C begins with the answers of the last one.
    let (mut warm, mut unchanged) = (vec![Warm::default(); folds.count()], 0);
    task.c = start;
    while task.c <= most {
        let (log, p) = (task.c.log2(), task.p);
        let (score, moved) = score(task, folds, &mut warm)?;
        unchanged = if moved && task.c > start { 0 } else { unchanged + 1 };
        let (loss, line) = match score {
            Score::Correct(correct) => {
                let rate = percent(correct, rows);
                ((rows - correct) as f64, format!("log2c={log:7.2}\trate={rate}\n"))
            }
            Score::Errors(Errors { mean_square, .. }) => {
                let error = format_g(mean_square, 6);
                (mean_square, format!("log2c={log:7.2}\tp={p:7.2}\tMean squared error={error}\n"))
            }
        };
        if !task.options.quiet {
            answer(line)?;
        }
        if loss < best.0 {
            best = (loss, task.c);
        }
        if unchanged == UNCHANGED {
            return Ok(best);
        }
        task.c *= RATIO;
    }
    if !task.options.quiet {
        answer("WARNING: maximum C reached.\n")?;
    }
    Ok(best)
}

/// The C that the search begins with: a power of two at which w is known to be small, as LIBLINEAR has it.
fn smallest_c(task: &Task<'_>) -> f64 {
    let AnyPoints::Vectors(x) = &task.x else { return 1.0 };
    let square = |i: usize| {
        let mut sum = task.options.bias.max(0.0).powi(2);
        x.row(i).for_each(|_, value| sum += value * value);
        sum
    };
    let largest = (0..x.len()).map(square).fold(0.0, f64::max);
    let least = match &task.y {
        Targets::Numbers(lists) => {
            let sum: f64 = lists[0].iter().map(|y| y.abs()).sum();
            let loss: f64 = lists[0].iter().map(|y| (y.abs() - task.p).max(0.0).powi(2)).sum();
            if loss > 0.0 { EXPLAINED.powi(2) * loss / (8.0 * sum * sum * largest) } else { f64::INFINITY }
        }
        _ => {
            let factor = if task.options.solver.number == 0 { 1.0 } else { 2.0 };
            1.0 / (factor * x.len() as f64 * largest)
        }
    };
    // Where all features are 0, any C is as good; the caller bounds it.
    least.log2().floor().exp2()
}

fn draw(task: &Task<'_>, folds: usize) -> Folds {
    let rows = task.labels.len();
    if folds > rows {
        remark(
            "WARNING: # folds > # data. Will use # folds = # data instead (i.e., leave-one-out cross validation)",
        );
    }
    match &task.y {
        Targets::Classes(y) => Folds::stratified(y, folds, FOLD_SEED),
        _ => Folds::plain(rows, folds, FOLD_SEED),
    }
}

/// How good the predictions of all folds are, whose fits begin with the answers in `warm`, and whether one of these fits took a step.
fn score(task: &Task<'_>, folds: &Folds, warm: &mut [Warm]) -> Result<(Score, bool)> {
    let file = &task.options.data;
    let (mut correct, mut values, mut moved) = (0, vec![0.0; task.labels.len()], false);
    for (k, warm) in warm.iter_mut().enumerate() {
        let (out, rest) = folds.split(k);
        let model = task.part(&rest)?.fit_from(warm)?.model;
        moved |= model.quality().certificates().iter().any(|certificate| certificate.iterations > 0);
        ended(None)?;
        let prediction = model.predict(&task.x.select(&out), How::default()).in_file(file)?;
        let found = Predicted::new(&model, prediction, None);
        if let Some(found) = found.values() {
            out.iter().zip(found).for_each(|(&i, &value)| values[i] = value);
        } else if let Some(Judgement::Correct(right)) =
            found.judge(&task.labels.select(&out)).in_file(file)?
        {
            correct += right;
        }
    }
    let score = match &task.y {
        Targets::Numbers(lists) => Score::Errors(Errors::of(&values, &lists[0])),
        _ => Score::Correct(correct),
    };
    Ok((score, moved))
}
