//! What machines with a function for each class or label say of rows, and how good it is.

use std::io::{self, Write};

use mercer::data::{Agreement, Dense, LabelColumn, LabelSets, Vectors};
use mercer::model::{FisherModel, Machine, MultiLabelModel, ScoreModel, SvcModel};
use serde::Serialize;

use mercer::kernel::VectorExpr;

use crate::output::short;

/// What is said of each row and, where they were asked for, the scores it comes from.
pub(crate) enum Predicted<'a> {
    /// The class with the largest score.
    Classes { names: &'a [String], index: Vec<usize>, scores: Option<Dense<f64>> },
    /// The labels with a positive score.
    Sets { found: LabelSets, scores: Option<Dense<f64>> },
}

impl<'a> Predicted<'a> {
    /// The classes of a machine with a function for each.
    pub(crate) fn classes(
        model: &'a ScoreModel<Vectors, VectorExpr>,
        points: &Vectors,
        scores: bool,
    ) -> mercer::Result<Self> {
        let names = &model.classes;
        if scores {
            return Ok(Self::largest(names, model.scores(points)?));
        }
        Ok(Self::Classes { names, index: model.predict_index(points)?, scores: None })
    }

    /// The classes of pairs, with the scores that their decisions add up to.
    pub(crate) fn pairs(model: &'a SvcModel<Vectors, VectorExpr>, points: &Vectors) -> mercer::Result<Self> {
        Ok(Self::largest(&model.classes, model.scores(points)?))
    }

    /// The classes of a machine whose scores are logarithms of probabilities, with those.
    pub(crate) fn probable(
        model: &'a ScoreModel<Vectors, VectorExpr>,
        points: &Vectors,
    ) -> mercer::Result<Self> {
        Ok(Self::largest(&model.classes, model.probabilities(points)?))
    }

    /// The classes of a discriminant; the scores of two are how far beyond the threshold a row lies, and its opposite.
    pub(crate) fn fisher(
        model: &'a FisherModel<Vectors, VectorExpr>,
        points: &Vectors,
        scores: bool,
    ) -> mercer::Result<Self> {
        let names = &model.classes;
        if !scores {
            return Ok(Self::Classes { names, index: model.predict_index(points)?, scores: None });
        }
        let decisions = model.decisions(points)?;
        if decisions.columns() > 1 {
            return Ok(Self::largest(names, decisions));
        }
        let both = decisions.values().iter().flat_map(|d| [*d, -d]).collect();
        Ok(Self::largest(names, Dense::new(2, both)))
    }

    /// The label sets.
    pub(crate) fn sets(
        model: &MultiLabelModel<Vectors, VectorExpr>,
        points: &Vectors,
        scores: bool,
    ) -> mercer::Result<Self> {
        if !scores {
            return Ok(Self::Sets { found: model.predict(points)?, scores: None });
        }
        let scores = model.decisions(points)?;
        let set = |i: usize| (0..).zip(scores.row(i)).filter(|(_, s)| **s > 0.0).map(|(label, _)| label);
        let sets = (0..scores.len()).map(|i| set(i).collect()).collect();
        Ok(Self::Sets { found: LabelSets::new(model.scores.classes.clone(), sets), scores: Some(scores) })
    }

    /// With the scores of classes or labels; nothing for a machine that has none.
    pub(crate) fn scored(machine: &'a Machine, points: &Vectors) -> mercer::Result<Option<Self>> {
        Ok(match machine {
            Machine::Classifier(model) => Some(Self::pairs(model, points)?),
            Machine::Scores(model) => Some(Self::classes(model, points, true)?),
            Machine::MultiLabel(model) => Some(Self::sets(model, points, true)?),
            Machine::Fisher(model) => Some(Self::fisher(model, points, true)?),
            Machine::Regression(_)
            | Machine::OneClass(_)
            | Machine::Sphere(_)
            | Machine::Ridge(_)
            | Machine::Cca(_)
            | Machine::Pca(_)
            | Machine::Local(_) => None,
        })
    }

    fn largest(names: &'a [String], scores: Dense<f64>) -> Self {
        let first = |row: &[f64]| (1..row.len()).fold(0, |best, c| if row[c] > row[best] { c } else { best });
        let index = (0..scores.len()).map(|i| first(scores.row(i))).collect();
        Self::Classes { names, index, scores: Some(scores) }
    }

    fn names(&self) -> &[String] {
        match self {
            Self::Classes { names, .. } => names,
            Self::Sets { found, .. } => found.names(),
        }
    }

    fn rows(&self) -> usize {
        match self {
            Self::Classes { index, .. } => index.len(),
            Self::Sets { found, .. } => found.len(),
        }
    }

    /// Whether all sets of labels are empty.
    pub(crate) fn is_nothing(&self) -> bool {
        match self {
            Self::Classes { .. } => false,
            Self::Sets { found, .. } => !found.is_empty() && found.sets().iter().all(Vec::is_empty),
        }
    }

    fn label(&self, i: usize) -> String {
        match self {
            Self::Classes { names, index, .. } => names[index[i]].clone(),
            Self::Sets { found, .. } => found.text(i),
        }
    }

    /// One a line; the empty set is an empty line.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        (0..self.rows()).try_for_each(|i| writeln!(out, "{}", self.label(i)))
    }

    /// Labels and scores, separated by tabs, under a line of names.
    pub(crate) fn write_scores(&self, out: &mut dyn Write) -> io::Result<()> {
        let (Self::Classes { scores, .. } | Self::Sets { scores, .. }) = self;
        write!(out, "label")?;
        self.names().iter().try_for_each(|name| write!(out, "\t{name}"))?;
        writeln!(out)?;
        for i in 0..self.rows() {
            write!(out, "{}", self.label(i))?;
            let scores = scores.as_ref().map_or(&[][..], |scores| scores.row(i));
            scores.iter().try_for_each(|value| write!(out, "\t{value}"))?;
            writeln!(out)?;
        }
        Ok(())
    }
}

/// Compares sets with those of the rows. A label of the rows that the machine does not know is one that it misses.
pub(crate) fn judge_sets(found: &LabelSets, labels: &LabelColumn) -> Agreed {
    let truth = LabelSets::of(&labels.labels());
    let mut names = found.names().to_vec();
    names.extend(truth.names().iter().filter(|name| !found.names().contains(name)).cloned());
    Agreement::new(&truth.over(&names), &found.over(&names)).into()
}

/// How far sets agree, as it is printed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Agreed {
    pub(crate) hamming_loss: f64,
    pub(crate) subset_accuracy: f64,
    pub(crate) micro_f1: f64,
    pub(crate) macro_f1: f64,
}

impl From<Agreement> for Agreed {
    fn from(found: Agreement) -> Self {
        let Agreement { hamming_loss, subset_accuracy, micro_f1, macro_f1 } = found;
        Self { hamming_loss, subset_accuracy, micro_f1, macro_f1 }
    }
}

impl Agreed {
    /// The lines of the summary.
    pub(crate) fn summary(&self) -> String {
        format!(
            "labels    Hamming loss {}, subset accuracy {} %\n\
             F1        micro {}, macro {}\n",
            short(self.hamming_loss),
            short(100.0 * self.subset_accuracy),
            short(self.micro_f1),
            short(self.macro_f1),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_that_the_machine_does_not_know_is_missed() {
        let found = LabelSets::split(["1", "1,2"]);
        let texts = vec!["1,7".to_owned(), "1,2".to_owned()];
        let agreed = judge_sets(&found, &LabelColumn::Texts { texts, codes: vec![0, 1] });
        // Names 1, 2, 7: six decisions, of which that on 7 for the first row is wrong.
        assert_eq!((agreed.hamming_loss, agreed.subset_accuracy), (1.0 / 6.0, 0.5));
        assert_eq!(agreed.micro_f1, 6.0 / 7.0);
    }
}
