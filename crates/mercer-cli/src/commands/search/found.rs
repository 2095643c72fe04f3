//! What a search has found, in words, as an object, as a table and as a picture.

use std::fmt::Write;
use std::path::PathBuf;

use mercer::select::{Grid, Metric, Outcome, Ranking, Verdict, mean_and_spread};
use serde_json::{Value, json};

use super::{SearchArgs, Tried, words_of};
use crate::failure::{Result, usage};
use crate::output::{count, remark, seconds, short, table};
use crate::plot::heat_map;
use crate::report::line;
use crate::system;

/// Candidates of the table on the terminal.
const SHOWN: usize = 10;
/// What a search has found.
pub(super) struct Found<'a> {
    pub(super) args: &'a SearchArgs,
    pub(super) grid: &'a Grid,
    pub(super) metrics: &'a [Metric],
    pub(super) whole: Vec<&'a Tried>,
    pub(super) ranking: Ranking,
    pub(super) taken: usize,
    pub(super) nested: Option<Vec<f64>>,
    pub(super) splits: usize,
    pub(super) threads: usize,
}

/// A mean with the spread about it, which a single fold does not have.
fn with_spread((mean, spread): (f64, f64)) -> String {
    match (mean.is_finite(), spread.is_finite()) {
        (false, _) => "-".to_owned(),
        (true, false) => short(mean),
        (true, true) => format!("{} ± {}", short(mean), short(spread)),
    }
}

impl Found<'_> {
    pub(super) fn warn(&self) {
        for (axis, last) in self.grid.edges(&self.whole[self.ranking.best].point) {
            let (end, side) =
                if last { (axis.values.last(), "above") } else { (axis.values.first(), "below") };
            let end = end.map_or("", String::as_str);
            let name = &axis.name;
            remark(format_args!(
                "mercer: warning: the best lies on the edge: {name} = {end}; there may be a better one {side} it"
            ));
        }
        if self.args.race && self.verdict().is_none() {
            remark(format_args!(
                "mercer: warning: --race: no candidate can be raced; only those of svc that share kernel values can, which --scale, and kernels that are not definite by construction, exclude"
            ));
        }
        let failed = self.whole.iter().filter_map(|tried| tried.outcome.failure.as_ref()).count();
        if failed > 0 {
            let first = self.whole.iter().find_map(|tried| tried.outcome.failure.clone()).unwrap_or_default();
            remark(format_args!(
                "mercer: warning: {} without a score; the first: {first}",
                count(failed, "candidate")
            ));
        }
    }

    /// What a race has come to.
    fn verdict(&self) -> Option<Verdict> {
        let outcomes: Vec<Option<Outcome>> =
            self.whole.iter().map(|tried| Some(tried.outcome.clone())).collect();
        Verdict::new(&outcomes, self.ranking.best)
    }

    /// Candidates by rank.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.whole.len()).collect();
        order.sort_by_key(|&i| self.ranking.ranks[i].unwrap_or(usize::MAX));
        // Those that were dropped by what they could have reached.
        let most = |i: &usize| self.whole[*i].outcome.proof.map_or(f64::INFINITY, |proof| -proof.high);
        let ranked = order.iter().take_while(|&&i| self.ranking.ranks[i].is_some()).count();
        order[ranked..].sort_by(|i, j| most(i).total_cmp(&most(j)));
        order
    }

    fn mean_words(&self, tried: &Tried) -> String {
        match tried.outcome.proof.filter(|proof| proof.dropped) {
            Some(proof) => format!("at most {}", short(proof.high)),
            None => with_spread(tried.outcome.mean(0)),
        }
    }

    pub(super) fn text(&self, model: Option<&PathBuf>, elapsed: f64) -> String {
        let (taken, metric) = (self.whole[self.taken], self.metrics[0].name());
        let by = if self.taken == self.ranking.best { "best" } else { "within one standard error" };
        let mut text = line(by.split(' ').next().unwrap_or(by), words_of(self.grid, &taken.point));
        text += &line(metric, format!("{} over {}", self.mean_words(taken), count(self.splits, "fold")));
        if let Some(scores) = &self.nested {
            let (score, folds) = (with_spread(mean_and_spread(scores)), count(scores.len(), "fold"));
            text += &line("nested", format!("{score} over {folds} left out of the whole search"));
        }
        if let Some(verdict) = self.verdict() {
            let known = if verdict.certified { "the best is proved" } else { "the best is not proved" };
            let (dropped, saved) = (count(verdict.dropped, "candidate"), 100.0 * verdict.saved);
            text += &line("race", format!("{known}; {dropped} dropped, {saved:.0} % of the fits saved"));
        }
        let tried = count(self.whole.len(), "candidate");
        text += &line("work", format!("{tried} in {}, threads {}", seconds(elapsed), self.threads));
        if let Some(model) = model {
            text += &line("model", model.display());
        }
        let head = ["rank", metric, "support points", "candidate"].map(str::to_owned);
        let row = |i: usize| {
            let rank = self.ranking.ranks[i].map_or_else(|| "-".to_owned(), |rank| rank.to_string());
            let support = format!("{:.0}", self.whole[i].outcome.support_points);
            [rank, self.mean_words(self.whole[i]), support, words_of(self.grid, &self.whole[i].point)]
        };
        let rows: Vec<_> = [head].into_iter().chain(self.order().into_iter().take(SHOWN).map(row)).collect();
        let _ = write!(text, "\n{}", table(&rows));
        text
    }

    pub(super) fn object(&self, model: Option<&PathBuf>, elapsed: f64) -> Value {
        let candidate = |i: usize| {
            let Tried { point, outcome, .. } = self.whole[i];
            let values: serde_json::Map<String, Value> = self
                .grid
                .axes()
                .iter()
                .zip(&point.values)
                .filter_map(|(axis, value)| Some((axis.name.clone(), json!(value.as_ref()?))))
                .collect();
            let metrics: serde_json::Map<String, Value> = self
                .metrics
                .iter()
                .enumerate()
                .map(|(m, metric)| {
                    let (mean, spread) = outcome.mean(m);
                    (
                        metric.name().to_owned(),
                        json!({ "mean": mean, "spread": spread, "scores": outcome.scores[m] }),
                    )
                })
                .collect();
            json!({
                "candidate": words_of(self.grid, point),
                "kernel": self.grid.kernel(point),
                "values": values,
                "metrics": metrics,
                "rank": self.ranking.ranks[i],
                "fit_seconds": outcome.fit_seconds,
                "support_points": outcome.support_points,
                "failure": outcome.failure,
                "proof": outcome.proof.map(|proof| {
                    let (low, high) = (proof.low, proof.high);
                    json!({ "low": low, "high": high, "folds": proof.fitted, "dropped": proof.dropped })
                }),
            })
        };
        json!({
            "best": candidate(self.taken),
            "standard_error": self.ranking.standard_error,
            "nested": self.nested,
            "race": self.verdict().map(|verdict| {
                let Verdict { certified, dropped, saved } = verdict;
                json!({ "certified": certified, "dropped": dropped, "saved": saved })
            }),
            "candidates": (0..self.whole.len()).map(candidate).collect::<Vec<_>>(),
            "model": model,
            "folds": self.args.held_out.scheme.to_string(),
            "seed": self.args.common.seed,
            "interrupted": system::stop_wanted(),
            "threads": self.threads,
            "seconds": elapsed,
        })
    }

    /// A row for each candidate, in the order of the grid.
    pub(super) fn csv(&self) -> String {
        let quoted = |text: &str| {
            if text.contains([',', '"']) {
                format!("\"{}\"", text.replace('"', "\"\""))
            } else {
                text.to_owned()
            }
        };
        let mut text = "rank,kernel".to_owned();
        self.grid.axes().iter().for_each(|axis| text += &format!(",{}", axis.name));
        for metric in self.metrics {
            let name = metric.name();
            let _ = write!(text, ",{name},{name} spread");
            (0..self.splits).for_each(|split| text += &format!(",{name} {}", split + 1));
        }
        text += ",support points\n";
        for (i, Tried { point, outcome, .. }) in self.whole.iter().enumerate() {
            let rank = self.ranking.ranks[i].map_or_else(String::new, |rank| rank.to_string());
            let _ = write!(text, "{rank},{}", quoted(&self.grid.kernel(point).unwrap_or_default()));
            point
                .values
                .iter()
                .for_each(|value| text += &format!(",{}", quoted(value.as_deref().unwrap_or(""))));
            for (m, scores) in outcome.scores.iter().enumerate() {
                let (mean, spread) = outcome.mean(m);
                let _ = write!(text, ",{mean},{spread}");
                scores.iter().for_each(|score| text += &format!(",{score}"));
            }
            let _ = writeln!(text, ",{}", outcome.support_points);
        }
        text
    }

    /// The means of the first metric over the first two parameters that have several values; of others the best.
    pub(super) fn plot(&self) -> Result<String> {
        let axes = self.grid.axes();
        let mut several = (0..axes.len()).filter(|&axis| axes[axis].values.len() > 1);
        let (Some(across), Some(up)) = (several.next(), several.next()) else {
            return Err(usage!("--plot: there must be two parameters with several values"));
        };
        let number = |text: &String| text.parse::<f64>().unwrap_or(f64::NAN);
        // Values of the refinement stand among those of the grid.
        let values = |axis: usize| {
            let mut all: Vec<String> =
                self.whole.iter().filter_map(|tried| tried.point.values[axis].clone()).collect();
            all.sort_by(|a, b| number(a).total_cmp(&number(b)).then_with(|| a.cmp(b)));
            all.dedup();
            all
        };
        let (columns, rows) = (values(across), values(up));
        let mut cells = vec![None; columns.len() * rows.len()];
        let metric = self.metrics[0];
        for tried in &self.whole {
            let place = |axis: usize, all: &[String]| {
                let value = tried.point.values[axis].as_ref()?;
                all.iter().position(|other| other == value)
            };
            let mean = tried.outcome.mean(0).0;
            if let (Some(column), Some(row)) = (place(across, &columns), place(up, &rows))
                && mean.is_finite()
            {
                let cell: &mut Option<f64> = &mut cells[row * columns.len() + column];
                let better = cell.is_none_or(|old| metric.merit(mean) > metric.merit(old));
                if better {
                    *cell = Some(mean);
                }
            }
        }
        let taken = &self.whole[self.taken].point;
        let at = |axis: usize, all: &[String]| {
            taken.values[axis].as_ref().and_then(|value| all.iter().position(|other| other == value))
        };
        let marked = at(across, &columns).zip(at(up, &rows));
        Ok(heat_map::draw(&heat_map::Map {
            title: format!("{} by rows left out", metric.name()),
            names: [axes[across].name.clone(), axes[up].name.clone()],
            columns,
            rows,
            cells,
            less_is_better: metric.is_loss(),
            marked,
        }))
    }
}
