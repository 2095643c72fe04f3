//! What a model says of rows, and how good it is.

use std::io::{self, Write};

use mercer::data::{Agreement, LabelColumn, LabelSets, Labels};
use mercer::model::probability::Beside;
use mercer::model::{AnyModel, Facts, Prediction, TargetKind};

use crate::output::{seconds, short};

/// The labels of points inside and outside.
const SIDES: [&str; 2] = ["1", "-1"];

/// What is said of each row and, where it was asked for, what stands beside it.
pub(crate) struct Predicted<'a> {
    classes: &'a [String],
    prediction: Prediction,
    /// Whether the classes are those of labels, and not clusters that the method has found.
    labelled: bool,
    pub(crate) beside: Option<Beside>,
}

/// How predictions compare with labels.
pub(crate) enum Judgement {
    Correct(usize),
    /// How far off they are.
    Errors(Errors),
    /// How far sets of labels agree.
    Sets(Agreement),
}

impl<'a> Predicted<'a> {
    pub(crate) fn new(model: &'a AnyModel, prediction: Prediction, beside: Option<Beside>) -> Self {
        let labelled = model.target() != TargetKind::None;
        Self { classes: model.classes(), prediction, labelled, beside }
    }

    pub(crate) fn len(&self) -> usize {
        match &self.prediction {
            Prediction::Classes(index) => index.len(),
            Prediction::Values(values) => values.len(),
            Prediction::Sides(sides) => sides.len(),
            Prediction::Sets(sets) => sets.len(),
            _ => 0,
        }
    }

    /// What is said of row i: a class, a value (or several, separated by tabs), a side, a set of labels.
    pub(crate) fn label(&self, i: usize) -> String {
        match &self.prediction {
            Prediction::Classes(index) => self.classes[index[i]].clone(),
            Prediction::Values(values) => {
                values.row(i).iter().map(f64::to_string).collect::<Vec<_>>().join("\t")
            }
            Prediction::Sides(sides) => SIDES[place(sides[i])].to_owned(),
            Prediction::Sets(sets) => sets.text(i),
            _ => String::new(),
        }
    }

    pub(crate) fn values(&self) -> Option<&[f64]> {
        match &self.prediction {
            Prediction::Values(values) => Some(values.values()),
            _ => None,
        }
    }

    /// Whether all sets of labels are empty.
    pub(crate) fn is_nothing(&self) -> bool {
        let is_nothing = |sets: &LabelSets| !sets.is_empty() && sets.sets().iter().all(Vec::is_empty);
        matches!(&self.prediction, Prediction::Sets(sets) if is_nothing(sets))
    }

    /// Rows inside, of models that tell inside from outside.
    pub(crate) fn inside(&self) -> Option<usize> {
        match &self.prediction {
            Prediction::Sides(sides) => Some(sides.iter().filter(|&&side| side > 0.0).count()),
            _ => None,
        }
    }

    /// Compares with the labels of the rows; nothing where there are several targets.
    pub(crate) fn judge(&self, labels: &LabelColumn) -> mercer::Result<Option<Judgement>> {
        Ok(Some(match &self.prediction {
            Prediction::Classes(index) => {
                let names: Vec<&str> = self.classes.iter().map(String::as_str).collect();
                Judgement::Correct(matches(index, &names, &labels.labels()))
            }
            Prediction::Sides(sides) => {
                let sides: Vec<usize> = sides.iter().map(|&side| place(side)).collect();
                Judgement::Correct(matches(&sides, &SIDES, &labels.labels()))
            }
            Prediction::Values(values) if values.columns() == 1 => {
                Judgement::Errors(Errors::of(values.values(), &labels.numbers()?))
            }
            Prediction::Sets(sets) => Judgement::Sets(judge_sets(sets, labels)),
            _ => return Ok(None),
        }))
    }

    /// Whether labels can be compared with predictions: those of points inside and outside are 1 and −1, and the classes
    /// of a file that was made for something else say nothing of them; nor do they of clusters, whose names are numbers.
    pub(crate) fn is_comparable(&self, labels: &LabelColumn) -> bool {
        match &self.prediction {
            Prediction::Sides(_) => {
                labels.labels().classes().iter().all(|class| SIDES.contains(&class.as_str()))
            }
            Prediction::Classes(_) => self.labelled,
            _ => true,
        }
    }

    /// One prediction a line; what stands beside it behind tabs, under a line of names.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let Some(beside) = &self.beside else {
            return (0..self.len()).try_for_each(|i| writeln!(out, "{}", self.label(i)));
        };
        let first = if self.values().is_some() { "value" } else { "label" };
        writeln!(out, "{first}\t{}", beside.names.join("\t"))?;
        for i in 0..self.len() {
            write!(out, "{}", self.label(i))?;
            beside.rows.row(i).iter().try_for_each(|value| write!(out, "\t{value}"))?;
            writeln!(out)?;
        }
        Ok(())
    }
}

/// The measures of a regression.
pub(crate) struct Errors {
    /// Mean of (f − y)².
    pub(crate) mean_square: f64,
    /// The square of the correlation of f and y, as LIBSVM has it; not a number where one of them does not vary.
    pub(crate) square_correlation: f64,
    /// The share of the variance of y that f explains, 1 − Σ(f − y)²/Σ(y − ȳ)²; not a number where y does not vary.
    pub(crate) r_squared: f64,
}

impl Errors {
    pub(crate) fn of(found: &[f64], targets: &[f64]) -> Self {
        let n = targets.len() as f64;
        // The sums and their order are LIBSVM's, so that the digits it prints are the same.
        let (mut error, mut f, mut y, mut ff, mut yy, mut fy) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
        for (&value, &target) in found.iter().zip(targets) {
            error += (value - target) * (value - target);
            f += value;
            y += target;
            ff += value * value;
            yy += target * target;
            fy += value * target;
        }
        let covariance = n * fy - f * y;
        let square_correlation = (covariance * covariance) / ((n * ff - f * f) * (n * yy - y * y));
        let spread: f64 = targets.iter().map(|target| (target - y / n).powi(2)).sum();
        let r_squared = if spread > 0.0 { 1.0 - error / spread } else { f64::NAN };
        Self { mean_square: error / n, square_correlation, r_squared }
    }
}

/// How many rows have the label they should have, when row i is said to have `names[found[i]]`.
fn matches(found: &[usize], names: &[&str], labels: &Labels) -> usize {
    let number = |name: &String| names.iter().position(|other| other == name);
    let expected: Vec<Option<usize>> = labels.classes().iter().map(number).collect();
    let pairs = found.iter().zip(labels.index());
    pairs.filter(|(found, label)| expected[**label as usize] == Some(**found)).count()
}

/// The place of a side among [`SIDES`]: inside, or outside and on the boundary, as LIBSVM has it.
fn place(side: f64) -> usize {
    if side > 0.0 { 0 } else { 1 }
}

/// Compares sets with those of the rows. A label of the rows that the model does not know is one that it misses.
fn judge_sets(found: &LabelSets, labels: &LabelColumn) -> Agreement {
    let truth = LabelSets::of(&labels.labels());
    let mut names = found.names().to_vec();
    names.extend(truth.names().iter().filter(|name| !found.names().contains(name)).cloned());
    Agreement::new(&truth.over(&names), &found.over(&names))
}

/// The lines about how far sets agree.
pub(crate) fn agreement_words(agreed: &Agreement) -> String {
    let Agreement { hamming_loss, subset_accuracy, micro_f1, macro_f1 } = *agreed;
    let [loss, accuracy] = [hamming_loss, 100.0 * subset_accuracy].map(short);
    let [micro_f1, macro_f1] = [micro_f1, macro_f1].map(short);
    format!(
        "labels    Hamming loss {loss}, subset accuracy {accuracy} %\n\
         F1        micro {micro_f1}, macro {macro_f1}\n"
    )
}

/// What is said of predictions as a whole, in words and as the object of `--json`; `cost` is what they took.
pub(crate) fn summary(
    predicted: &Predicted<'_>,
    judgement: Option<Judgement>,
    cost: Facts,
) -> (String, Facts) {
    let rows = predicted.len();
    let share = |count: usize| format!("{} % ({count} of {rows})", short(100.0 * count as f64 / rows as f64));
    let mut text = String::new();
    let mut facts =
        Facts::default().with("rows", rows).with("accuracy", None::<f64>).with("correct", None::<usize>);
    match &judgement {
        Some(Judgement::Correct(correct)) => {
            facts.add("accuracy", *correct as f64 / rows as f64);
            facts.add("correct", *correct);
            text += &format!("accuracy  {}\n", share(*correct));
        }
        Some(Judgement::Errors(Errors { mean_square, r_squared, .. })) => {
            facts.add("mean_squared_error", *mean_square);
            facts.add("r_squared", *r_squared);
            let explained = r_squared.is_finite().then(|| format!(", R² {}", short(*r_squared)));
            text +=
                &format!("error     mean square {}{}\n", short(*mean_square), explained.unwrap_or_default());
        }
        Some(Judgement::Sets(sets)) => {
            facts.add("hamming_loss", sets.hamming_loss);
            facts.add("subset_accuracy", sets.subset_accuracy);
            facts.add("micro_f1", sets.micro_f1);
            facts.add("macro_f1", sets.macro_f1);
            text += &agreement_words(sets);
        }
        None => {}
    }
    if let Some(inside) = predicted.inside() {
        facts.add("inside", inside);
        text += &format!("inside    {}\n", share(inside));
    }
    let took = cost.number("predict_seconds").unwrap_or(0.0);
    let speed = rows as f64 / took.max(f64::MIN_POSITIVE);
    facts.extend(cost);
    facts.add("rows_per_second", speed);
    (text + &format!("work      {rows} rows in {}, {speed:.0} rows/s\n", seconds(took)), facts)
}

#[cfg(test)]
mod tests {
    use mercer::data::Dense;

    use super::*;

    fn column(labels: &[f64]) -> LabelColumn {
        LabelColumn::Numbers(labels.to_vec())
    }

    fn predicted(prediction: Prediction) -> Predicted<'static> {
        Predicted { classes: &[], prediction, labelled: true, beside: None }
    }

    #[test]
    fn sides_are_judged_by_their_sign() {
        let predicted = predicted(Prediction::Sides(vec![0.5, -0.5, 0.0, 2.0]));
        let Ok(Some(Judgement::Correct(correct))) = predicted.judge(&column(&[1.0, -1.0, -1.0, -1.0])) else {
            panic!("sides are right or wrong")
        };
        assert_eq!((correct, predicted.inside()), (3, Some(2)));
        assert!(predicted.is_comparable(&column(&[1.0, 1.0])));
        assert!(!predicted.is_comparable(&column(&[1.0, 2.0])));
    }

    #[test]
    fn values_are_judged_by_their_errors() {
        let predicted = predicted(Prediction::Values(Dense::new(1, vec![1.0, 2.0])));
        let Ok(Some(Judgement::Errors(errors))) = predicted.judge(&column(&[1.0, 3.0])) else {
            panic!("values have errors")
        };
        assert_eq!(errors.mean_square, 0.5);
        assert!(predicted.is_comparable(&column(&[7.0])));
    }

    #[test]
    fn a_label_that_the_model_does_not_know_is_missed() {
        let found = LabelSets::split(["1", "1,2"]);
        let texts = vec!["1,7".to_owned(), "1,2".to_owned()];
        let agreed = judge_sets(&found, &LabelColumn::Texts { texts, codes: vec![0, 1] });
        // Names 1, 2, 7: six decisions, of which that on 7 for the first row is wrong.
        assert_eq!((agreed.hamming_loss, agreed.subset_accuracy), (1.0 / 6.0, 0.5));
        assert_eq!(agreed.micro_f1, 6.0 / 7.0);
    }

    #[test]
    fn errors_are_those_of_the_definitions() {
        let errors = Errors::of(&[1.0, 2.0, 4.0], &[1.0, 3.0, 5.0]);
        assert!((errors.mean_square - 2.0 / 3.0).abs() < 1e-15);
        // Means 7/3 and 3; sums of products about them: 6, 14/3, 8.
        assert!((errors.square_correlation - 36.0 / (14.0 / 3.0 * 8.0)).abs() < 1e-12);
        assert!((errors.r_squared - 0.75).abs() < 1e-15);
    }

    #[test]
    fn targets_that_do_not_vary_have_nothing_to_explain() {
        let errors = Errors::of(&[1.0, 2.0], &[3.0, 3.0]);
        assert!(errors.r_squared.is_nan() && errors.square_correlation.is_nan());
        assert!((errors.mean_square - 2.5).abs() < 1e-15);
    }
}
