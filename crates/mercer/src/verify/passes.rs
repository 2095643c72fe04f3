//! The kernel perceptron: all passes again, in double precision.

use super::algebra::outputs;
use super::data::Data;
use super::report::Report;
use super::values::{DOUBLE, SINGLE, Values, lists};
use crate::data::SplitMix;
use crate::error::Result;
use crate::model::{Model, PerceptronModel, Space, Value};

/// Verifies a perceptron; else answers that the model is none.
pub(super) fn verify<X: Space>(
    model: &(dyn Model<X> + 'static),
    data: &Data<'_, X>,
    report: &mut Report,
) -> Result<bool> {
    let Some(model) = model.downcast::<PerceptronModel<X, X::Kernel>>() else { return Ok(false) };
    let Some(class) = data.classes(&model.classes, report) else { return Ok(true) };
    let expansion = &model.expansion;
    let Some((rows, sums)) = outputs(expansion, &model.support, data, DOUBLE, report)? else {
        return Ok(true);
    };
    let (n, classes) = (data.len(), model.classes.len());
    let mut beta = vec![vec![0.0; classes]; n];
    for (c, list) in lists(expansion.coefficients()).iter().enumerate() {
        list.iter().for_each(|&(k, b)| beta[rows[k]][c] = b);
    }
    let mut wrong = 0.0;
    for i in 0..n {
        let score = |c: usize| sums[c][i].value - expansion.offsets()[c];
        let best = (0..classes).filter(|&c| c != class[i]).map(score).fold(f64::NEG_INFINITY, f64::max);
        wrong += if best >= score(class[i]) { data.weights[i] } else { 0.0 };
    }
    report.tell("", "share of mistakes of the model", wrong / data.total());
    let Some(recipe) = data.recipe else {
        report.note("the file does not tell how the passes were made: they are not made again");
        return Ok(true);
    };
    let flag = |name: &str, usual: bool| recipe.flag(name).unwrap_or(usual);
    let whole = |name: &str| recipe.get(name).and_then(Value::whole);
    let passes = Passes {
        passes: whole("passes").unwrap_or(10) as usize,
        average: flag("average", true),
        budget: whole("budget").map_or(usize::MAX, |budget| budget as usize),
        constant: if flag("offset", true) { 1.0 } else { 0.0 },
        seed: whole("seed"),
    };
    let (values, _) = Values::new(expansion.kernel(), &data.x, &data.x)?;
    let found = passes.run(&values, &class, classes, &data.weights);
    if found.near {
        report.note(
            "a score that is nearly that of another class: another rounding might have corrected another row",
        );
    }
    let share = found.mistakes.iter().map(|wrong| (wrong / data.total()).min(1.0)).collect::<Vec<f64>>();
    if found.near && share != model.mistakes {
        report.note("the passes came out otherwise, after a score that rounding decides: they prove nothing");
        return Ok(true);
    }
    report.same("", "share of mistakes in a pass", (&model.mistakes, &share), |_| 1e-12);
    report.equal("", "corrections", model.updates as f64, found.updates as f64, 0.0);
    let size = beta.iter().flatten().fold(0.0_f64, |most, b| most.max(b.abs()));
    report.same("", "coefficient", (&beta.concat(), &found.beta.concat()), |_| 1e-9 * size);
    let sum = |c: usize| found.beta.iter().map(|row| row[c]).sum::<f64>();
    let offsets: Vec<f64> = (0..classes).map(|c| -passes.constant * sum(c)).collect();
    report.same("", "offset", (expansion.offsets(), &offsets), |_| 1e-9 * size * n as f64);
    Ok(true)
}

/// How passes are made.
struct Passes {
    passes: usize,
    average: bool,
    budget: usize,
    constant: f64,
    seed: Option<u64>,
}

/// What passes come to.
struct Ended {
    mistakes: Vec<f64>,
    updates: u64,
    /// β, or its mean over all presentations.
    beta: Vec<Vec<f64>>,
    /// Whether rounding may have decided whether a row was a mistake.
    near: bool,
}

impl Passes {
    fn run<X: Space>(
        &self,
        values: &Values<'_, X>,
        class: &[usize],
        classes: usize,
        weights: &[f64],
    ) -> Ended {
        let n = class.len();
        let (mut beta, mut past) = (vec![vec![0.0; classes]; n], vec![vec![0.0; classes]; n]);
        let (mut scores, mut sizes) = (vec![vec![0.0_f64; classes]; n], vec![0.0_f64; n]);
        let (mut support, mut presented, mut updates): (Vec<usize>, f64, u64) = (Vec::new(), 0.0, 0);
        let (mut mistakes, mut near) = (Vec::new(), false);
        let mut random = self.seed.map(SplitMix);
        let mut order: Vec<usize> = (0..n).collect();
        for _ in 0..self.passes {
            if let Some(random) = &mut random {
                random.shuffle(&mut order);
            }
            let mut wrong = 0.0;
            for &i in &order {
                let mut left = weights[i];
                while left > 0.0 {
                    let others = (0..classes).filter(|&c| c != class[i]);
                    let best = others.reduce(|a, b| if scores[i][b] > scores[i][a] { b } else { a });
                    let Some(best) = best else { break };
                    let margin: f64 = scores[i][class[i]] - scores[i][best];
                    near |= margin != 0.0 && margin.abs() <= 4.0 * SINGLE * sizes[i];
                    if margin > 0.0 {
                        break;
                    }
                    let step = left.min(1.0);
                    if !support.contains(&i) {
                        if support.len() >= self.budget {
                            let place = self.worst(values, &support, &scores, &beta, class);
                            let gone = support.remove(place);
                            let changes: Vec<(usize, f64)> =
                                (0..classes).map(|c| (c, -beta[gone][c])).collect();
                            self.change(values, gone, &changes, (&mut scores, &mut sizes));
                            beta[gone] = vec![0.0; classes];
                            past[gone] = vec![0.0; classes];
                        }
                        support.push(i);
                    }
                    updates += 1;
                    let changes = [(class[i], step), (best, -step)];
                    for (c, change) in changes {
                        beta[i][c] += change;
                        past[i][c] += presented * change;
                    }
                    self.change(values, i, &changes, (&mut scores, &mut sizes));
                    (left, wrong, presented) = (left - step, wrong + step, presented + step);
                }
                presented += left.max(0.0);
            }
            mistakes.push(wrong);
            if wrong == 0.0 {
                break;
            }
        }
        if self.average && presented > 0.0 {
            for (beta, past) in beta.iter_mut().zip(&past) {
                beta.iter_mut().zip(past).for_each(|(b, past)| *b -= past / presented);
            }
        }
        Ended { mistakes, updates, beta, near }
    }

    /// Adds changes of the coefficients of a row to the scores of all.
    fn change<X: Space>(
        &self,
        values: &Values<'_, X>,
        i: usize,
        changes: &[(usize, f64)],
        (scores, sizes): (&mut [Vec<f64>], &mut [f64]),
    ) {
        let row = values.row(i);
        for (j, k) in row.into_iter().enumerate() {
            for &(c, change) in changes {
                scores[j][c] += change * (k + self.constant);
                sizes[j] += (change * (k.abs() + self.constant)).abs();
            }
        }
    }

    /// The support point that the others classify best without it; of several the oldest.
    fn worst<X: Space>(
        &self,
        values: &Values<'_, X>,
        support: &[usize],
        scores: &[Vec<f64>],
        beta: &[Vec<f64>],
        class: &[usize],
    ) -> usize {
        let margin = |&i: &usize| {
            let own = values.row(i)[i] + self.constant;
            let score = |c: usize| scores[i][c] - beta[i][c] * own;
            let others = (0..scores[i].len()).filter(|&c| c != class[i]).map(score);
            score(class[i]) - others.fold(f64::NEG_INFINITY, f64::max)
        };
        let margins: Vec<f64> = support.iter().map(margin).collect();
        (1..margins.len()).fold(0, |best, k| if margins[k] > margins[best] { k } else { best })
    }
}
