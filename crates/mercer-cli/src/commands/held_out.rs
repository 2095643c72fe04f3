//! Which rows are left out, and by what predictions of them are judged: options of `cv` and `search`.

use std::path::{Path, PathBuf};

use clap::Args;
use mercer::data::LabelColumn;
use mercer::model::{AnyPoints, Card, TargetKind, Targets};
use mercer::select::{Layout, Metric, Said, Scale, Scheme, Splits, Truth};

use crate::args::Scaling;
use crate::failure::{Result, usage};
use crate::input::Input;

/// Which rows are left out, and what is asked of the predictions.
#[derive(Debug, Args)]
#[command(next_help_heading = "Rows left out")]
pub(crate) struct HeldOutArgs {
    /// Rows left out: a number of folds, or plain(K), grouped(K), loo, holdout(SHARE), time(K), given
    #[arg(id = "left-out", long = "folds", value_name = "SCHEME", default_value = "5")]
    pub(crate) scheme: Scheme,
    /// How often the folds are drawn anew
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) repeats: usize,
    /// File with the group of each row, a word a line, for grouped(K)
    #[arg(long, value_name = "FILE")]
    groups: Option<PathBuf>,
    /// File with the fold of each row, a word a line, for given
    #[arg(long, value_name = "FILE")]
    fold_file: Option<PathBuf>,
    /// Metrics, separated by commas [default: of classes accuracy,balanced-accuracy, of numbers mse,r2, of sets
    /// hamming,subset-accuracy,f1-micro,f1-macro]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = Metric::parse)]
    metric: Vec<Metric>,
}

/// How rows are divided: the scheme, and what the files say of each row.
#[derive(Debug, Clone)]
pub(crate) struct Division {
    scheme: Scheme,
    repeats: usize,
    groups: Vec<usize>,
    folds: Vec<usize>,
}

impl Division {
    /// The division of some of the rows.
    pub(crate) fn select(&self, rows: &[usize]) -> Self {
        let of = |list: &[usize]| rows.iter().filter_map(|&i| list.get(i).copied()).collect();
        Self { groups: of(&self.groups), folds: of(&self.folds), ..*self }
    }

    /// The splits of the rows, whose targets these are.
    pub(crate) fn splits(&self, points: usize, y: &Targets<AnyPoints>, seed: u64) -> mercer::Result<Splits> {
        let labels = if let Targets::Classes(labels) = y { Some(labels) } else { None };
        let layout = Layout { points, labels, groups: &self.groups, folds: &self.folds };
        self.scheme.splits(&layout, self.repeats, seed)
    }
}

impl HeldOutArgs {
    /// How so many rows are divided.
    pub(crate) fn division(&self, points: usize) -> Result<Division> {
        let list = |option: &str, file: &Option<PathBuf>, wanted: bool| match (file, wanted) {
            (Some(file), true) => numbered(option, file, points),
            (Some(_), false) => Err(usage!("{option}: --folds {} does not look at it", self.scheme)),
            (None, true) => Err(usage!("--folds {}: name the file by {option}", self.scheme)),
            (None, false) => Ok(Vec::new()),
        };
        let groups = list("--groups", &self.groups, self.scheme.is_grouped())?;
        let folds = list("--fold-file", &self.fold_file, self.scheme == Scheme::Given)?;
        Ok(Division { scheme: self.scheme, repeats: self.repeats, groups, folds })
    }

    /// The metric that candidates are raced by: the one asked for, else the first of the usual ones.
    pub(crate) fn raced_by(&self, metrics: &mut Vec<Metric>) -> Result<()> {
        if self.metric.is_empty() {
            metrics.truncate(1);
        }
        match metrics.as_slice() {
            [metric] if metric.is_raced_by() => Ok(()),
            _ => Err(usage!("--race: by one metric, accuracy or balanced-accuracy")),
        }
    }

    /// The metrics asked for, else those usual for the method.
    pub(crate) fn metrics(&self, card: &Card, truth: Option<&Truth>) -> Result<Vec<Metric>> {
        if !self.metric.is_empty() {
            return match truth {
                Some(_) => Ok(self.metric.clone()),
                None => Err(usage!("--metric: there are no labels to compare with")),
            };
        }
        Ok(truth.map_or_else(Vec::new, |_| Metric::usual(card).to_vec()))
    }
}

/// For each row of a file of words, one a line, the number of its word.
fn numbered(option: &str, file: &Path, rows: usize) -> Result<Vec<usize>> {
    let text = std::fs::read_to_string(file).map_err(|source| mercer::Error::io(file, source))?;
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    if lines.len() != rows {
        let (file, found) = (file.display(), lines.len());
        return Err(usage!("{option}: {file} has {found} lines, the data {rows} rows"));
    }
    let mut words = lines.clone();
    words.sort_unstable();
    words.dedup();
    Ok(lines.iter().map(|line| words.partition_point(|other| other < line)).collect())
}

/// What predictions are compared with; none where there are no labels.
pub(crate) fn truth(
    y: &Targets<AnyPoints>,
    card: &Card,
    input: &mut Input,
    data: &Path,
) -> Result<Option<Truth>> {
    Ok(match y {
        Targets::Classes(labels) => Some(Truth::from(labels)),
        Targets::Numbers(lists) => Some(Truth::Numbers(lists.clone())),
        Targets::Sets(sets) => Some(Truth::Sets(sets.clone())),
        _ => input.labels(data).ok().map(|labels| of_labels(&labels, card)),
    })
}

/// The classes of points whose method does not look at them.
fn of_labels(labels: &LabelColumn, card: &Card) -> Truth {
    let labels = labels.labels();
    let sides = labels.classes().iter().all(|name| name == "1" || name == "-1");
    if card.target != TargetKind::None || !sides {
        return Truth::from(&labels);
    }
    // Both sides are there, also where all points are of one.
    let names = vec!["1".to_owned(), "-1".to_owned()];
    let index = (0..labels.len()).map(|i| u32::from(labels.name(i) == "-1")).collect();
    Truth::Classes { names, index }
}

/// The scaling that is done for each fit.
pub(crate) fn scale(scaling: Scaling, x: &AnyPoints) -> Result<Option<Scale>> {
    let scale = match scaling {
        Scaling::None => return Ok(None),
        Scaling::MinMax => Scale::MinMax,
        Scaling::Standard => Scale::Standard,
    };
    match x {
        AnyPoints::Vectors(_) => Ok(Some(scale)),
        other => Err(usage!("--scale: only vectors are scaled, not {}", other.space())),
    }
}

/// What is known of row `i` and what is said of it, in the words of the data.
pub(crate) fn word(said: &Said, names: &[String], i: usize) -> String {
    match said {
        Said::Classes { found, .. } => names.get(found[i] as usize).cloned().unwrap_or_default(),
        Said::Numbers(lists) => lists.iter().map(|list| list[i].to_string()).collect::<Vec<_>>().join(" "),
        Said::Sets(sets) => sets.text(i),
        Said::Clusters(found) => found[i].to_string(),
    }
}
