//! Linear methods: the primal objective of the weights, and a dual point of our own.
//!
//! A linear model has the weights w alone. Its certificate says D, the value of a dual point that is not in the file, and the gap P(w) − D.
//! So two things are to be shown: that P(w) is D and the gap together, and that the optimum is no lower than D. The first is a sum
//! over the rows. For the second any dual point will do whose value is as large: we begin with that which the outputs of w suggest and
//! go up from there, one row after the other, until it proves what is told. It is no matter how the point was found: that it is
//! allowed, and its value, are computed from it alone.

mod bound;
mod joint;
mod newton;
#[cfg(test)]
mod tests;

use super::data::Data;
use super::report::Report;
use crate::data::{Points, Row, Vectors};
use crate::error::Result;
use crate::memory::obtainable;
use crate::model::{Cost, LinearModel, LinearScheme, Model, Space};
use crate::solve::Certificate;
use bound::Bound;

/// Vectors as long as the features that the bound is computed with.
const VECTORS: u64 = 4;

/// Verifies a linear model; else answers that it is none.
pub(super) fn verify<X: Space>(
    model: &(dyn Model<X> + 'static),
    data: &Data<'_, X>,
    report: &mut Report,
) -> Result<bool> {
    let Some(model) = model.downcast::<LinearModel<X, X::Kernel>>() else { return Ok(false) };
    // The rows that the weights are over: of a kernel that sees points through a map, what the map makes of them.
    let rows = model.rows(&data.x)?;
    let (factors, c) = (data.factors(&model.classes), price(data, model, report));
    let Some(c) = c else { return Ok(true) };
    let constant = match (data.flag("offset"), model.cost, model.classes.is_empty()) {
        (_, Cost::Hinge, true) => 1.0,
        (Some(false), ..) => 0.0,
        // Without a word there is an offset where there is one.
        (None, ..) if model.expansion.offsets().iter().all(|b| *b == 0.0) => 0.0,
        // Without a word the offset is the weight of a feature 1.
        _ => data.recipe.and_then(|recipe| recipe.number("constant")).unwrap_or(1.0),
    };
    let free = data.flag("free-offset").unwrap_or(false) && constant > 0.0;
    let x = Rows { x: &rows, constant };
    let functions = model.expansion.offsets().len();
    obtainable(
        "to verify a linear model, for vectors as long as the features,",
        8 * (x.width() as u64).saturating_mul(functions as u64 + VECTORS),
        "give the process more address space",
    )?;
    let weights: Vec<Vec<f64>> = (0..model.expansion.offsets().len())
        .map(|output| {
            let mut w = model.weights(output);
            w.resize(x.x.width(), 0.0);
            // b is subtracted.
            w.push(if constant > 0.0 { -model.expansion.offsets()[output] / constant } else { 0.0 });
            w
        })
        .collect();
    if constant == 0.0 && model.expansion.offsets().iter().any(|b| *b != 0.0) {
        report.flaw("", "an offset, of a fit without one");
    }
    let penalty = match data.recipe.and_then(|recipe| recipe.word("penalty")) {
        _ if model.cost == Cost::Hinge && model.classes.is_empty() => Penalty::Plane,
        Some("l1") => Penalty::Sizes,
        _ => Penalty::Squares,
    };
    let free = free || penalty == Penalty::Plane;
    let common = Common { x: &x, free, penalty, cost: model.cost };
    if model.certificates.is_empty() {
        report.note("no certificate is told");
    }
    if model.scheme != LinearScheme::OneVsRest {
        let Some(class) = data.classes(&model.classes, report) else { return Ok(true) };
        let prices: Vec<f64> = (0..data.len()).map(|i| c * factors[class[i]] * data.weights[i]).collect();
        let problem = joint::Joint { common, scheme: model.scheme, class: &class, prices: &prices };
        problem.compare(&weights, model.certificates.first(), report);
        return Ok(true);
    }
    if model.classes.is_empty() {
        let one_class = model.cost == Cost::Hinge;
        let y = match one_class {
            true => vec![1.0; data.len()],
            false => match data.numbers(1, report) {
                Some(lists) => lists[0].clone(),
                None => return Ok(true),
            },
        };
        let share = data.number("nu").unwrap_or(0.5) * data.total();
        let price = |w: &f64| if one_class { w / share } else { c * w };
        let prices: Vec<f64> = data.weights.iter().map(price).collect();
        common.compare("", (&y, &prices), &weights[0], model.certificates.first(), report);
        return Ok(true);
    }
    let Some(class) = data.classes(&model.classes, report) else { return Ok(true) };
    let two = model.classes.len() == 2;
    for (function, w) in weights.iter().enumerate() {
        let y: Vec<f64> = class.iter().map(|&class| if class == function { 1.0 } else { -1.0 }).collect();
        // Factors count for the rows of the class itself, of two classes for both.
        let factor = |i: usize| if two || class[i] == function { factors[class[i]] } else { 1.0 };
        let prices: Vec<f64> = (0..data.len()).map(|i| c * factor(i) * data.weights[i]).collect();
        let of = if two { "" } else { model.classes[function].as_str() };
        common.compare(of, (&y, &prices), w, model.certificates.get(function), report);
    }
    Ok(true)
}

/// C of the fit.
fn price<X: Space>(
    data: &Data<'_, X>,
    model: &LinearModel<X, X::Kernel>,
    report: &mut Report,
) -> Option<f64> {
    if model.classes.is_empty() && model.cost == Cost::Hinge {
        if data.number("nu").is_none() {
            report.flaw("", "the file does not tell nu; name it");
            return None;
        }
        return Some(1.0);
    }
    // Pegasos may be told λ in place of C = 1/(λ Σw).
    if let Some(alpha) = data.recipe.and_then(|recipe| recipe.number("alpha")) {
        return Some(1.0 / (alpha * data.total()));
    }
    let c = data.number("c");
    if c.is_none() {
        report.flaw("", "the file does not tell C; name it");
    }
    c
}

/// Rows with a constant feature, or none where that is 0.
pub(super) struct Rows<'a> {
    pub(super) x: &'a Vectors,
    pub(super) constant: f64,
}

impl Rows<'_> {
    /// The length of w.
    pub(super) fn width(&self) -> usize {
        self.x.width() + 1
    }

    /// Whether the last weight is that of a feature.
    pub(super) fn has_constant(&self) -> bool {
        self.constant > 0.0
    }

    fn row(&self, i: usize) -> Row<'_> {
        self.x.row(i)
    }

    /// ⟨w, x⟩
    pub(super) fn output(&self, i: usize, w: &[f64]) -> f64 {
        let mut sum = 0.0;
        self.row(i).for_each(|j, value| sum += w[j] * value);
        sum + w[w.len() - 1] * self.constant
    }

    /// w += step x
    pub(super) fn add(&self, i: usize, step: f64, w: &mut [f64]) {
        let last = w.len() - 1;
        self.row(i).for_each(|j, value| w[j] += step * value);
        w[last] += step * self.constant;
    }

    /// The features of a row that are not 0, by their numbers.
    pub(super) fn entries(&self, i: usize) -> Vec<(usize, f64)> {
        let mut entries = Vec::new();
        self.row(i).for_each(|j, value| {
            if value != 0.0 {
                entries.push((j, value));
            }
        });
        if self.constant > 0.0 {
            entries.push((self.x.width(), self.constant));
        }
        entries
    }

    /// ‖x‖²
    pub(super) fn square(&self, i: usize) -> f64 {
        let mut sum = 0.0;
        self.row(i).for_each(|_, value| sum += value * value);
        sum + self.constant * self.constant
    }
}

/// What is minimised besides the losses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Penalty {
    /// ½‖w‖²
    Squares,
    /// Σ |w_j|
    Sizes,
    /// ½‖w‖² − ρ, with −ρ as the last weight.
    Plane,
}

/// What all functions of a fit have in common.
#[derive(Clone, Copy)]
pub(super) struct Common<'a> {
    pub(super) x: &'a Rows<'a>,
    /// Whether the last weight is left out of the penalty.
    pub(super) free: bool,
    pub(super) penalty: Penalty,
    pub(super) cost: Cost,
}

impl Common<'_> {
    /// What the weights cost.
    pub(super) fn penalty(&self, w: &[f64]) -> f64 {
        let counted = &w[..w.len() - usize::from(self.free)];
        match self.penalty {
            Penalty::Sizes => counted.iter().map(|w| w.abs()).sum(),
            Penalty::Squares => 0.5 * counted.iter().map(|w| w * w).sum::<f64>(),
            Penalty::Plane => 0.5 * counted.iter().map(|w| w * w).sum::<f64>() + w[w.len() - 1],
        }
    }

    /// What rounding may take from the objective of a plane, whose terms are of the size of ‖x‖² and cancel.
    fn lost(&self) -> f64 {
        if self.penalty != Penalty::Plane {
            return 0.0;
        }
        let n = self.x.x.len();
        1e-15 * (0..n).map(|i| self.x.square(i)).sum::<f64>() / n.max(1) as f64
    }

    /// Compares a function with what its certificate tells.
    fn compare(
        &self,
        of: &str,
        (y, prices): (&[f64], &[f64]),
        w: &[f64],
        certificate: Option<&Certificate>,
        report: &mut Report,
    ) {
        let bound = Bound { common: *self, y, prices };
        let primal = bound.primal(w);
        match certificate {
            Some(own) => judge(of, own, (primal, self.lost()), |wanted| bound.dual(w, wanted), report),
            None => {
                report.tell(of, "primal objective", primal);
                let near = primal - 1e-6 * primal.abs();
                report.tell(of, "gap", primal - bound.dual(w, near));
            }
        }
    }
}

/// The two things that a certificate of a linear model says; a primal objective comes with what rounding may have taken from it.
pub(super) fn judge(
    of: &str,
    own: &Certificate,
    (primal, lost): (f64, f64),
    dual: impl FnOnce(f64) -> f64,
    report: &mut Report,
) {
    let Some(gap) = own.gap else {
        report.flaw(of, "a linear model without a gap");
        return;
    };
    let rounding = 1e-9 * (primal.abs() + own.objective.abs()) + 1e-12 + lost;
    report.equal(of, "primal objective", gap - own.objective, primal, rounding);
    if gap < -rounding {
        report.flaw(of, "a gap below 0");
    }
    // The optimum is at least -objective: a dual point with that value, but for a hundredth of the gap.
    let room = 0.01 * gap.abs() + rounding;
    let found = dual(-own.objective - 0.5 * room);
    report.at_most(of, "gap", gap, primal - found, room);
}
