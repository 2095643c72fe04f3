//! The training data as a verification looks at them, and how support points are found among them.

use super::report::Report;
use super::values::{Values, diagonal};
use crate::error::{DataProblem, ErrorKind, Result};
use crate::model::file::{Recipe, Training};
use crate::model::{Space, Targets};
use std::collections::HashMap;

/// A feature of a support point in LIBSVM's text has eight digits: it may differ by this share from that of the data.
const PRINTED: f64 = 1e-7;

/// What is known of a fit besides the file, where the file does not tell it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Asked {
    /// C
    pub c: Option<f64>,
    /// ν
    pub nu: Option<f64>,
    /// ε of a regression.
    pub epsilon: Option<f64>,
    /// The largest violation of the conditions that an answer without a certificate of its own may have.
    pub tolerance: Option<f64>,
}

/// Rows of positive weight, what is known of each, and how the model was fitted.
pub(crate) struct Data<'a, X: Space> {
    pub(crate) x: X,
    pub(crate) y: Targets<X>,
    /// The weight of each.
    pub(crate) weights: Vec<f64>,
    /// For each row of the data its number among these.
    place: Vec<Option<usize>>,
    pub(super) recipe: Option<&'a Recipe>,
    pub(super) training: Option<&'a Training>,
    pub(super) asked: &'a Asked,
}

impl<'a, X: Space> Data<'a, X> {
    pub(crate) fn new(
        x: &X,
        y: &Targets<X>,
        weights: &[f64],
        (recipe, training): (Option<&'a Recipe>, Option<&'a Training>),
        asked: &'a Asked,
    ) -> Result<Self> {
        let n = x.len();
        if n == 0 {
            return Err(ErrorKind::Data(DataProblem::Empty).into());
        }
        let known = match y {
            Targets::Classes(labels) => labels.len(),
            Targets::Numbers(lists) => lists.first().map_or(n, Vec::len),
            Targets::Sets(sets) => sets.len(),
            Targets::View(view) => view.len(),
            _ => n,
        };
        if known != n {
            return Err(ErrorKind::Data(DataProblem::Lengths { points: n, labels: known }).into());
        }
        if !weights.is_empty() && (weights.len() != n || !weights.iter().all(|w| *w >= 0.0 && w.is_finite()))
        {
            let rule = "there must be one for each row, none negative or infinite";
            return Err(ErrorKind::Data(DataProblem::Weights { rule }).into());
        }
        x.check_finite()?;
        let all = if weights.is_empty() { vec![1.0; n] } else { weights.to_vec() };
        let rows: Vec<usize> = (0..n).filter(|&i| all[i] > 0.0).collect();
        let mut place = vec![None; n];
        rows.iter().enumerate().for_each(|(own, &i)| place[i] = Some(own));
        let whole = rows.len() == n;
        Ok(Self {
            x: if whole { x.clone() } else { x.select(&rows) },
            y: if whole { y.clone() } else { y.select(&rows) },
            weights: rows.iter().map(|&i| all[i]).collect(),
            place,
            recipe,
            training,
            asked,
        })
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.weights.len()
    }

    /// The sum of the weights.
    pub(super) fn total(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// Says so where the file knows of other data.
    pub(super) fn check(&self, report: &mut Report) {
        let Some(recipe) = self.recipe else { return };
        let rows = self.place.len();
        if recipe.rows != rows {
            report
                .flaw("", format_args!("the model was fitted to {} rows, the data have {rows}", recipe.rows));
        }
        report.equal("", "weight of the rows", recipe.weight, self.total(), 1e-9 * recipe.weight.abs());
    }

    /// A number that the file tells, or that was asked for.
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        let asked = match name {
            "c" => self.asked.c,
            "nu" => self.asked.nu,
            "epsilon" => self.asked.epsilon,
            _ => None,
        };
        let trained = |training: &Training| match name {
            "c" => training.c,
            "nu" => training.nu,
            "epsilon" => training.epsilon,
            _ => None,
        };
        let recipe = || self.recipe.and_then(|recipe| recipe.number(name));
        asked.or_else(recipe).or_else(|| self.training.and_then(trained))
    }

    /// A flag of the method.
    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        self.recipe.and_then(|recipe| recipe.flag(name))
    }

    /// The factor on C of each of `classes`.
    pub(super) fn factors(&self, classes: &[String]) -> Vec<f64> {
        use crate::model::Value;
        if let Some(Value::Weights(weights)) = self.recipe.and_then(|recipe| recipe.get("weight")) {
            let factor = |class: &String| {
                weights.iter().filter(|(name, _)| name == class).map(|(_, weight)| weight).product()
            };
            return classes.iter().map(factor).collect();
        }
        match self.training {
            Some(training) if training.class_weights.len() == classes.len() => training.class_weights.clone(),
            _ => vec![1.0; classes.len()],
        }
    }

    /// The class of each row, by its number among `classes`; a flaw where a row is of none of these.
    pub(super) fn classes(&self, classes: &[String], report: &mut Report) -> Option<Vec<usize>> {
        let all: Vec<usize> = (0..self.len()).collect();
        Some(self.classes_of(classes, &all, report)?.into_iter().flatten().collect())
    }

    /// The class of each of some rows, by its number among `classes`, and of no other; a flaw where a row is of none of these.
    pub(super) fn classes_of(
        &self,
        classes: &[String],
        rows: &[usize],
        report: &mut Report,
    ) -> Option<Vec<Option<usize>>> {
        let Targets::Classes(labels) = &self.y else {
            report.flaw("", "the data have no classes");
            return None;
        };
        let mut found = vec![None; self.len()];
        for &i in rows {
            found[i] = classes.iter().position(|class| class == labels.name(i));
            if found[i].is_none() {
                let name = labels.name(i);
                report.flaw(
                    "",
                    format_args!("the model does not know the class '{name}' of row {}", self.name(i)),
                );
                return None;
            }
        }
        Some(found)
    }

    /// The targets; a flaw where there are not `count` of them.
    pub(super) fn numbers(&self, count: usize, report: &mut Report) -> Option<&[Vec<f64>]> {
        match &self.y {
            Targets::Numbers(lists) if lists.len() == count => Some(lists),
            _ => {
                report.flaw("", format_args!("the data do not have the {count} target(s) of the model"));
                None
            }
        }
    }

    /// Kernel values of all rows against some, with a note of how they are computed.
    pub(super) fn values<'v>(
        &'v self,
        kernel: &'v X::Kernel,
        columns: &'v X,
        report: &mut Report,
    ) -> Result<Values<'v, X>> {
        let (values, note) = Values::new(kernel, &self.x, columns)?;
        if let Some((note, true)) = note {
            report.note(note);
        } else if let Some((note, false)) = note {
            report.flaw("", note);
        }
        Ok(values)
    }

    /// k(x, x) of all rows.
    pub(super) fn diagonal(&self, kernel: &X::Kernel) -> Result<Vec<f64>> {
        diagonal(kernel, &self.x)
    }

    /// The row that each support point is: that at its position, where the model has positions, else an equal one, of the class that
    /// `wanted` says (none for any). Flaws tell of points that are none of the rows.
    pub(super) fn rows_of(
        &self,
        kernel: &X::Kernel,
        points: &X,
        support: &[usize],
        wanted: &dyn Fn(usize, usize) -> bool,
        report: &mut Report,
    ) -> Option<Vec<usize>> {
        let rows = self.rows_again(kernel, points, support, wanted, report)?;
        let mut taken = vec![false; self.len()];
        let twice = rows.iter().find(|&&row| std::mem::replace(&mut taken[row], true));
        if let Some(&row) = twice {
            report.flaw("", format_args!("two support points are the row {}", self.name(row)));
        }
        twice.is_none().then_some(rows)
    }

    /// The same of points that may be one row several times: those of centres.
    pub(super) fn rows_again(
        &self,
        kernel: &X::Kernel,
        points: &X,
        support: &[usize],
        wanted: &dyn Fn(usize, usize) -> bool,
        report: &mut Report,
    ) -> Option<Vec<usize>> {
        let before = report.flaws.len();
        let rows = if support.is_empty() && !points.is_empty() {
            self.found(points, wanted, report)
        } else {
            self.at(kernel, points, support, report)
        };
        (report.flaws.len() == before).then_some(rows)
    }

    /// The rows at the positions.
    fn at(&self, kernel: &X::Kernel, points: &X, support: &[usize], report: &mut Report) -> Vec<usize> {
        // Of a table of kernel values a model may keep no more than the numbers of its rows.
        let tabled = X::is_precomputed(kernel);
        let mut rows = Vec::with_capacity(support.len());
        for (k, &position) in support.iter().enumerate() {
            let Some(row) = self.place.get(position).copied().flatten() else {
                report.flaw(
                    "",
                    format_args!(
                        "support point {} is row {}, which the data do not have",
                        k + 1,
                        position + 1
                    ),
                );
                continue;
            };
            if !tabled && points.key(k) != self.x.key(row) {
                report.flaw(
                    "",
                    format_args!("support point {} is not row {} of the data", k + 1, position + 1),
                );
            }
            rows.push(row);
        }
        rows
    }

    /// Rows that are equal to the points, each taken once.
    fn found(&self, points: &X, wanted: &dyn Fn(usize, usize) -> bool, report: &mut Report) -> Vec<usize> {
        let mut equal: HashMap<u128, Vec<usize>> = HashMap::new();
        for row in (0..self.len()).rev() {
            if let Some(key) = self.x.key(row) {
                equal.entry(key).or_default().push(row);
            }
        }
        let mut taken = vec![false; self.len()];
        let mut rows = Vec::with_capacity(points.len());
        for k in 0..points.len() {
            let fits = |row: &usize| !taken[*row] && wanted(k, *row);
            let exact = points.key(k).and_then(|key| equal.get(&key));
            let row = exact.and_then(|rows| rows.iter().rev().copied().find(fits));
            let row = row.or_else(|| (0..self.len()).find(|row| fits(row) && self.nearly(points, k, *row)));
            match row {
                Some(row) => {
                    taken[row] = true;
                    rows.push(row);
                }
                None => report
                    .flaw("", format_args!("support point {} is no row of the data of its class", k + 1)),
            }
        }
        rows
    }

    /// Whether a point is a row that was printed with eight digits.
    fn nearly(&self, points: &X, k: usize, row: usize) -> bool {
        let (Some(points), Some(rows)) = (points.as_vectors(), self.x.as_vectors()) else { return false };
        let (a, b) = (points.row(k), rows.row(row));
        let mut near = true;
        a.for_each(|j, value| {
            near &= (value - b.get(j)).abs() <= PRINTED * value.abs().max(f64::MIN_POSITIVE)
        });
        b.for_each(|j, value| {
            near &= (value - a.get(j)).abs() <= PRINTED * value.abs().max(f64::MIN_POSITIVE)
        });
        near
    }

    /// The numbers of rows among those of positive weight, from their positions in the data; one that has none is kept, as none of them.
    pub(super) fn positions(&self, rows: &[usize]) -> Vec<usize> {
        rows.iter().map(|&row| self.place.get(row).copied().flatten().unwrap_or(usize::MAX)).collect()
    }

    /// The number of a row in the data, from 1.
    pub(crate) fn name(&self, row: usize) -> usize {
        self.place.iter().position(|place| *place == Some(row)).map_or(0, |i| i + 1)
    }
}
