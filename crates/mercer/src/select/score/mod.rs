//! Scores: how good predictions are.
//!
//! A [`Metric`] is a number made of what was [`Said`] of points and the [`Truth`] of them. Some are better when larger, some when
//! smaller ([`Metric::is_loss`]). Cost: O(n), of orders O(n log n). Definitions are those of scikit-learn, whose names are known
//! too: `balanced_accuracy` is `balanced-accuracy`, `neg_mean_squared_error` is `mse`.
//!
//! ```
//! use mercer::select::{Metric, Said, Truth};
//!
//! let names = ["ham", "spam"].map(str::to_owned).to_vec();
//! let truth = Truth::Classes { names, index: vec![0, 0, 0, 1] };
//! let said = Said::classes(vec![0, 0, 1, 1]);
//! assert_eq!(Metric::named("accuracy").unwrap().of(&truth, &said)?, 0.75);
//! assert_eq!(Metric::named("f1").unwrap().of(&truth, &said)?, 2.0 / 3.0);
//! # Ok::<(), mercer::Error>(())
//! ```

mod classes;
mod numbers;
mod ranking;

pub use classes::Average;

use self::classes::{Confusion, adjusted_rand};
use crate::data::{Agreement, Dense, LabelSets, Labels};
use crate::error::{ErrorKind, Result};
use crate::model::{Card, TargetKind};

/// A number that says how good predictions are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Metric {
    /// The share of points whose class is right.
    Accuracy,
    /// The mean over the classes of the share that is right.
    BalancedAccuracy,
    /// 2PR/(P + R) of precision P and recall R.
    F1(Average),
    /// Of the points said to be of a class, the share that is.
    Precision(Average),
    /// Of the points of a class, the share that is said to be.
    Recall(Average),
    /// Matthews' correlation of true and predicted classes.
    Matthews,
    /// Cohen's kappa: agreement beyond that of chance.
    Kappa,
    /// The area under the ROC curve; of several classes the mean of each against the others.
    Auc,
    /// The mean precision over the recall; of several classes the mean of each against the others.
    AveragePrecision,
    /// −mean log of the probability of the true class.
    LogLoss,
    /// The mean of squared errors.
    MeanSquare,
    /// The root of the mean of squared errors.
    RootMeanSquare,
    /// The mean size of the errors.
    MeanAbsolute,
    /// The median size of the errors.
    MedianAbsolute,
    /// The largest size of an error.
    MaxError,
    /// The share of the variance that is explained: 1 − Σ(y − f)²/Σ(y − ȳ)².
    RSquared,
    /// 1 − var(y − f)/var y: as R², for errors about their mean.
    ExplainedVariance,
    /// The share of decisions on labels that are wrong; of classes the share of points.
    Hamming,
    /// The share of points whose whole set of labels is right.
    SubsetAccuracy,
    /// The agreement of clusters with classes, beyond that of chance (adjusted Rand index).
    AdjustedRand,
}

use Average::{Binary, Macro, Micro, Weighted};
use Metric::*;

/// Metrics with their names, scikit-learn's names, and whether less is better.
const ALL: [(Metric, &str, &str, bool); 29] = [
    (Accuracy, "accuracy", "accuracy", false),
    (BalancedAccuracy, "balanced-accuracy", "balanced_accuracy", false),
    (F1(Binary), "f1", "f1", false),
    (F1(Macro), "f1-macro", "f1_macro", false),
    (F1(Micro), "f1-micro", "f1_micro", false),
    (F1(Weighted), "f1-weighted", "f1_weighted", false),
    (Precision(Binary), "precision", "precision", false),
    (Precision(Macro), "precision-macro", "precision_macro", false),
    (Precision(Micro), "precision-micro", "precision_micro", false),
    (Precision(Weighted), "precision-weighted", "precision_weighted", false),
    (Recall(Binary), "recall", "recall", false),
    (Recall(Macro), "recall-macro", "recall_macro", false),
    (Recall(Micro), "recall-micro", "recall_micro", false),
    (Recall(Weighted), "recall-weighted", "recall_weighted", false),
    (Matthews, "mcc", "matthews_corrcoef", false),
    (Kappa, "kappa", "cohen_kappa", false),
    (Auc, "auc", "roc_auc", false),
    (AveragePrecision, "average-precision", "average_precision", false),
    (LogLoss, "log-loss", "neg_log_loss", true),
    (MeanSquare, "mse", "neg_mean_squared_error", true),
    (RootMeanSquare, "rmse", "neg_root_mean_squared_error", true),
    (MeanAbsolute, "mae", "neg_mean_absolute_error", true),
    (MedianAbsolute, "median-ae", "neg_median_absolute_error", true),
    (MaxError, "max-error", "neg_max_error", true),
    (RSquared, "r2", "r2", false),
    (ExplainedVariance, "explained-variance", "explained_variance", false),
    (Hamming, "hamming", "neg_hamming_loss", true),
    (SubsetAccuracy, "subset-accuracy", "subset_accuracy", false),
    (AdjustedRand, "ari", "adjusted_rand_score", false),
];

/// What is true of points.
#[derive(Debug, Clone, PartialEq)]
pub enum Truth {
    /// A class for each, by its number among the names.
    Classes {
        /// The names of the classes.
        names: Vec<String>,
        /// For each point the number of its class.
        index: Vec<u32>,
    },
    /// Numbers: a list for each target.
    Numbers(Vec<Vec<f64>>),
    /// A set of labels for each.
    Sets(LabelSets),
}

/// What a model said of points that it was not fitted to.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// A class for each, by its number among the names of the truth.
    Classes {
        /// For each point the number of its class.
        found: Vec<u32>,
        /// A score for each class, a row for each point; none where they were not asked for.
        scores: Option<Dense<f64>>,
        /// A probability for each class, a row for each point; none where they were not asked for.
        probabilities: Option<Dense<f64>>,
    },
    /// Numbers: a list for each target.
    Numbers(Vec<Vec<f64>>),
    /// A set of labels for each, over the names of the truth.
    Sets(LabelSets),
    /// The number of a cluster for each.
    Clusters(Vec<u32>),
}

/// What a metric looks at besides the predictions themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Nothing.
    Nothing,
    /// A score for each class.
    Scores,
    /// A probability for each class.
    Probabilities,
}

impl Truth {
    /// The truth about some of the points.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        match self {
            Self::Classes { names, index } => {
                let index = rows.iter().map(|&i| index[i]).collect();
                Self::Classes { names: names.clone(), index }
            }
            Self::Numbers(lists) => Self::Numbers(lists.iter().map(|list| pick(list, rows)).collect()),
            Self::Sets(sets) => Self::Sets(sets.select(rows)),
        }
    }

    /// How many points there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Classes { index, .. } => index.len(),
            Self::Numbers(lists) => lists.first().map_or(0, Vec::len),
            Self::Sets(sets) => sets.len(),
        }
    }

    /// Whether there are no points.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What is true of point `i`, as text.
    #[must_use]
    pub fn text(&self, i: usize) -> String {
        match self {
            Self::Classes { names, index } => names[index[i] as usize].clone(),
            Self::Numbers(lists) => {
                lists.iter().map(|list| list[i].to_string()).collect::<Vec<_>>().join(" ")
            }
            Self::Sets(sets) => sets.text(i),
        }
    }
}

impl From<&Labels> for Truth {
    fn from(labels: &Labels) -> Self {
        Self::Classes { names: labels.classes().to_vec(), index: labels.index().to_vec() }
    }
}

impl Said {
    /// Classes without scores.
    #[must_use]
    pub fn classes(found: Vec<u32>) -> Self {
        Self::Classes { found, scores: None, probabilities: None }
    }

    /// What was said of some of the points.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let dense = |list: &Option<Dense<f64>>| list.as_ref().map(|list| list.select(rows));
        match self {
            Self::Classes { found, scores, probabilities } => Self::Classes {
                found: pick(found, rows),
                scores: dense(scores),
                probabilities: dense(probabilities),
            },
            Self::Numbers(lists) => Self::Numbers(lists.iter().map(|list| pick(list, rows)).collect()),
            Self::Sets(sets) => Self::Sets(sets.select(rows)),
            Self::Clusters(found) => Self::Clusters(pick(found, rows)),
        }
    }

    /// This followed by what was said of other points; none where that is of another kind.
    #[must_use]
    pub fn followed_by(self, other: &Self) -> Option<Self> {
        let dense = |first: Option<Dense<f64>>, second: &Option<Dense<f64>>| {
            let (first, second) = (first?, second.as_ref()?);
            Some(Dense::new(first.columns(), [first.values(), second.values()].concat()))
        };
        Some(match (self, other) {
            (
                Self::Classes { found, scores, probabilities },
                Self::Classes { found: more, scores: other_scores, probabilities: other_probabilities },
            ) => Self::Classes {
                found: [found.as_slice(), more].concat(),
                scores: dense(scores, other_scores),
                probabilities: dense(probabilities, other_probabilities),
            },
            (Self::Numbers(lists), Self::Numbers(more)) if lists.len() == more.len() => {
                Self::Numbers(lists.into_iter().zip(more).map(|(a, b)| [a.as_slice(), b].concat()).collect())
            }
            (Self::Sets(sets), Self::Sets(more)) if sets.names() == more.names() => {
                Self::Sets(LabelSets::new(sets.names().to_vec(), [sets.sets(), more.sets()].concat()))
            }
            (Self::Clusters(found), Self::Clusters(more)) => {
                Self::Clusters([found.as_slice(), more].concat())
            }
            _ => return None,
        })
    }
}

fn pick<T: Copy>(list: &[T], rows: &[usize]) -> Vec<T> {
    rows.iter().map(|&i| list[i]).collect()
}

impl Metric {
    /// All metrics.
    pub fn all() -> impl Iterator<Item = Self> {
        ALL.iter().map(|(metric, ..)| *metric)
    }

    fn row(self) -> &'static (Self, &'static str, &'static str, bool) {
        ALL.iter().find(|(metric, ..)| *metric == self).unwrap_or(&ALL[0])
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// Whether less is better.
    #[must_use]
    pub fn is_loss(self) -> bool {
        self.row().3
    }

    /// Its value on a scale on which more is better.
    #[must_use]
    pub fn merit(self, value: f64) -> f64 {
        if self.is_loss() { -value } else { value }
    }

    /// The metric of that name, ours or scikit-learn's.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        ALL.iter().find(|(_, own, other, _)| *own == name || *other == name).map(|(metric, ..)| *metric)
    }

    /// The metric of that name.
    ///
    /// # Errors
    /// If there is none.
    pub fn parse(name: &str) -> Result<Self> {
        Self::named(name).ok_or_else(|| {
            let names: Vec<&str> = ALL.iter().map(|(_, own, ..)| *own).collect();
            let what = format!("the metric '{name}'; there are {}", names.join(", "));
            ErrorKind::Unsupported { what: what.into() }.into()
        })
    }

    /// The metrics that are shown of a method where none is asked for; a search goes by the first.
    #[must_use]
    pub fn usual(method: &Card) -> &'static [Self] {
        match method.target {
            TargetKind::Classes => &[Accuracy, BalancedAccuracy],
            TargetKind::Number | TargetKind::Numbers => &[MeanSquare, RSquared],
            TargetKind::Sets => &[Hamming, SubsetAccuracy, F1(Micro), F1(Macro)],
            // Models of where points are tell inside from outside; others without targets find clusters.
            TargetKind::None if method.kind.ends_with("one-class") || method.kind == "svdd" => {
                &[Accuracy, BalancedAccuracy]
            }
            TargetKind::None => &[AdjustedRand],
            TargetKind::View => &[],
        }
    }

    /// What it looks at besides the predictions.
    #[must_use]
    pub fn needs(self) -> Needs {
        match self {
            Auc | AveragePrecision => Needs::Scores,
            LogLoss => Needs::Probabilities,
            _ => Needs::Nothing,
        }
    }

    /// Its value; not a number where it is not defined for these points.
    ///
    /// # Errors
    /// If it is no metric of such predictions.
    ///
    /// # Panics
    /// If something else was said of these points than what is true of them: another number of points.
    pub fn of(self, truth: &Truth, said: &Said) -> Result<f64> {
        match (truth, said) {
            (Truth::Classes { names, index }, Said::Classes { found, scores, probabilities }) => {
                assert_eq!(index.len(), found.len(), "an answer for each point");
                self.of_classes(names, index, found, [scores.as_ref(), probabilities.as_ref()])
            }
            (Truth::Numbers(truth), Said::Numbers(found)) => self.of_numbers(truth, found),
            (Truth::Sets(truth), Said::Sets(found)) => self.of_sets(&Agreement::new(truth, found)),
            (Truth::Classes { index, .. }, Said::Clusters(found)) if self == AdjustedRand => {
                Ok(adjusted_rand(index, found))
            }
            (_, Said::Clusters(_)) => self.refused("clusters: they are compared with labels by ari"),
            _ => self.refused("such predictions with what is known of the points"),
        }
    }

    fn refused(self, of: &str) -> Result<f64> {
        Err(ErrorKind::Unsupported { what: format!("the metric {} of {of}", self.name()).into() }.into())
    }

    fn of_classes(
        self,
        names: &[String],
        truth: &[u32],
        found: &[u32],
        [scores, probabilities]: [Option<&Dense<f64>>; 2],
    ) -> Result<f64> {
        // A one-class model may say that points are outside where no point is.
        let classes = found.iter().fold(names.len(), |count, &class| count.max(class as usize + 1));
        let (confusion, positive) = (Confusion::new(truth, found, classes), positive(names));
        let binary = matches!(self, F1(Binary) | Precision(Binary) | Recall(Binary));
        if binary && names.len() > 2 {
            let name = self.name();
            return self.refused(&format!("more than two classes: {name}-macro, -micro or -weighted"));
        }
        Ok(match self {
            Accuracy | SubsetAccuracy => confusion.accuracy(),
            BalancedAccuracy => confusion.balanced(),
            F1(average) => confusion.f(1.0, average, positive),
            Precision(average) => confusion.f(0.0, average, positive),
            Recall(average) => confusion.f(f64::INFINITY, average, positive),
            Matthews => confusion.matthews(),
            Kappa => confusion.kappa(),
            Hamming => 1.0 - confusion.accuracy(),
            AdjustedRand => adjusted_rand(truth, found),
            Auc | AveragePrecision => {
                let Some(scores) = scores else { return self.refused("classes without scores") };
                let measure = if self == Auc { ranking::area } else { ranking::average_precision };
                let of = |class: usize| {
                    let own: Vec<f64> = (0..truth.len()).map(|i| score(scores.row(i), class)).collect();
                    let is: Vec<bool> = truth.iter().map(|&t| t as usize == class).collect();
                    measure(&own, &is)
                };
                match names.len() {
                    2 => of(positive),
                    k => (0..k).map(of).sum::<f64>() / k as f64,
                }
            }
            LogLoss => {
                let Some(rows) = probabilities else { return self.refused("classes without probabilities") };
                let own: Vec<f64> = (0..truth.len()).map(|i| rows.row(i)[truth[i] as usize]).collect();
                ranking::log_loss(&own)
            }
            _ => return self.refused("classes"),
        })
    }

    fn of_numbers(self, truth: &[Vec<f64>], found: &[Vec<f64>]) -> Result<f64> {
        let measure: fn(&[f64], &[f64]) -> f64 = match self {
            MeanSquare => numbers::mean_square,
            RootMeanSquare => |t, f| numbers::mean_square(t, f).sqrt(),
            MeanAbsolute => numbers::mean_absolute,
            MedianAbsolute => numbers::median_absolute,
            MaxError => numbers::largest,
            RSquared => numbers::r_squared,
            ExplainedVariance => numbers::explained_variance,
            _ => return self.refused("numbers"),
        };
        // Of several targets the mean over them.
        let values: Vec<f64> = truth.iter().zip(found).map(|(t, f)| measure(t, f)).collect();
        Ok(values.iter().sum::<f64>() / values.len() as f64)
    }

    fn of_sets(self, agreed: &Agreement) -> Result<f64> {
        Ok(match self {
            Hamming => agreed.hamming_loss,
            SubsetAccuracy | Accuracy => agreed.subset_accuracy,
            F1(Micro) => agreed.micro_f1,
            F1(Macro) => agreed.macro_f1,
            _ => return self.refused("sets of labels"),
        })
    }
}

/// The score by which points are put in order for a class: of two classes the difference, else its own.
fn score(row: &[f64], class: usize) -> f64 {
    if let [first, second] = row {
        if class == 0 { first - second } else { second - first }
    } else {
        row[class]
    }
}

/// The positive class: that of the largest name, as a number where all are numbers.
fn positive(names: &[String]) -> usize {
    let numbers: Option<Vec<f64>> = names.iter().map(|name| name.parse().ok()).collect();
    let largest = match numbers {
        Some(numbers) => (0..names.len()).max_by(|&i, &j| numbers[i].total_cmp(&numbers[j])),
        None => (0..names.len()).max_by_key(|&i| &names[i]),
    };
    largest.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn names_are_found_both_ways() {
        for metric in Metric::all() {
            assert_eq!(Metric::parse(metric.name()).unwrap(), metric);
            assert_eq!(Metric::named(metric.row().2), Some(metric));
            assert_eq!(metric.row().2.starts_with("neg_"), metric.is_loss());
        }
        assert!(Metric::parse("acuracy").unwrap_err().to_string().contains("there are accuracy"));
    }

    #[test]
    fn the_positive_class_has_the_largest_name() {
        assert_eq!(positive(&names(&["1", "-1"])), 0);
        assert_eq!(positive(&names(&["9", "10"])), 1);
        assert_eq!(positive(&names(&["spam", "ham"])), 0);
    }

    #[test]
    fn areas_by_hand() {
        let truth = Truth::Classes { names: names(&["0", "1"]), index: vec![0, 0, 1, 1] };
        let said = |scores: [f64; 4]| Said::Classes {
            found: vec![0; 4],
            scores: Some(Dense::new(2, scores.iter().flat_map(|s| [0.0, *s]).collect())),
            probabilities: None,
        };
        // Of four pairs, three are in order; with a tie three and a half.
        assert_eq!(Auc.of(&truth, &said([0.1, 0.4, 0.35, 0.8])).unwrap(), 0.75);
        assert_eq!(Auc.of(&truth, &said([0.1, 0.4, 0.4, 0.8])).unwrap(), 0.875);
        let one = truth.select(&[0, 1]);
        assert!(Auc.of(&one, &said([0.1, 0.2, 0.0, 0.0]).select(&[0, 1])).unwrap().is_nan());
    }

    #[test]
    fn a_metric_of_something_else_is_refused() {
        let truth = Truth::Numbers(vec![vec![1.0]]);
        assert!(Accuracy.of(&truth, &Said::Numbers(vec![vec![1.0]])).is_err());
        let three = Truth::Classes { names: names(&["a", "b", "c"]), index: vec![0] };
        assert!(F1(Binary).of(&three, &Said::classes(vec![0])).is_err());
        assert!(Auc.of(&three, &Said::classes(vec![0])).is_err());
        assert!(LogLoss.of(&three, &Said::classes(vec![0])).is_err());
        assert!(Accuracy.of(&three, &Said::Clusters(vec![0])).is_err());
        assert_eq!(AdjustedRand.of(&three, &Said::Clusters(vec![5])).unwrap(), 1.0);
    }
}
