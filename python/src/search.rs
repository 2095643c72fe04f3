//! Candidates scored by rows left out.

use mercer::model::AnyEstimator;
use mercer::select::{Candidate, Metric, Ranking, Search, Split, Task, Truth, Verdict, evaluate};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::raise;
use crate::fit::{Target, value};
use crate::kernel::Kernel;
use crate::points::Points;
use crate::work::Run;

/// The scores of a candidate, for each metric a number for each split; the mean seconds of a fit; why it failed; of a race the ends of the
/// interval of the exact mean, and whether it was dropped.
type Scored = Option<(Vec<Vec<f64>>, f64, Option<String>, Option<(f64, f64, bool)>)>;
/// Of a race: whether the best is proved, how many were dropped, the share of fits saved.
type Race = (bool, usize, f64);

/// Scores candidates of a method by the same splits, rows fitted to and rows left out: for each a list of scores for each metric,
/// the mean time of a fit, why it failed, and with `race` what is proved of its first score; None where the search was ended before. Then
/// what the race has come to: whether the best is proved, how many were dropped, the share of the fits saved.
#[pyfunction]
#[pyo3(signature = (run, method, candidates: "list[tuple[Kernel, dict[str, typing.Any]]]", x, target: "typing.Any", splits: "list[tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int64]]]", metrics: "list[str]", alone = false, race = false) -> "tuple[list[tuple[list[list[float]], float, str | None, tuple[float, float, bool] | None] | None], tuple[bool, int, float] | None]")]
#[expect(clippy::too_many_arguments, reason = "what a search is made of")]
pub(crate) fn search(
    py: Python<'_>,
    run: &Run,
    method: &str,
    candidates: Vec<(PyRef<'_, Kernel>, Bound<'_, PyDict>)>,
    x: &Points,
    target: Target<'_>,
    splits: Vec<(PyReadonlyArray1<'_, i64>, PyReadonlyArray1<'_, i64>)>,
    metrics: Vec<String>,
    alone: bool,
    race: bool,
) -> PyResult<(Vec<Scored>, Option<Race>)> {
    let rows = mercer::data::Points::len(&x.0) as i64;
    let list = |index: &PyReadonlyArray1<'_, i64>| -> PyResult<Vec<usize>> {
        let index = index.as_array();
        match index.iter().all(|i| (0..rows).contains(i)) {
            true => Ok(index.iter().map(|&i| i as usize).collect()),
            false => Err(PyValueError::new_err("a split names a row that is not there")),
        }
    };
    let split = |(rest, out): &(_, _)| Ok(Split { out: list(out)?, rest: list(rest)? });
    let splits: Vec<Split> = splits.iter().map(split).collect::<PyResult<_>>()?;
    let metrics: Vec<Metric> =
        metrics.iter().map(|name| Metric::parse(name)).collect::<mercer::Result<_>>().map_err(raise)?;
    let candidate = |(kernel, parameters): &(PyRef<'_, Kernel>, Bound<'_, PyDict>)| {
        let mut estimator = AnyEstimator::new(method, kernel.0.clone()).map_err(raise)?;
        for (name, given) in parameters {
            estimator.set(name.extract()?, &value(&given)?).map_err(raise)?;
        }
        Ok(Candidate { kernel: kernel.0.clone(), estimator })
    };
    let candidates: Vec<Candidate> = candidates.iter().map(candidate).collect::<PyResult<_>>()?;
    let (x, (y, _)) = (x.0.clone(), target.meant()?);
    let first = metrics.clone();
    let outcomes = run.job(py, move |shared| {
        let truth = match &y {
            mercer::model::Targets::Classes(labels) => Truth::from(labels),
            mercer::model::Targets::Numbers(lists) => Truth::Numbers(lists.clone()),
            mercer::model::Targets::Sets(sets) => Truth::Sets(sets.clone()),
            _ => return Ok(vec![None; candidates.len()]),
        };
        let task = Task { x: &x, y: &y, truth: Some(&truth), weights: &[], scale: None };
        let mut watch = shared.watch();
        let search =
            Search { alone, race, libsvm_ties: true, watcher: Some(&mut watch), ..Search::default() };
        evaluate(&candidates, &task, &splits, &metrics, search)
    })?;
    let told = |outcome: mercer::select::Outcome| {
        let proof = outcome.proof.map(|proof| (proof.low, proof.high, proof.dropped));
        (outcome.scores, outcome.fit_seconds, outcome.failure, proof)
    };
    let best = Ranking::new(&outcomes, &first, 0).map(|ranking| ranking.best);
    let verdict = best.and_then(|best| Verdict::new(&outcomes, best));
    let verdict = verdict.map(|verdict| (verdict.certified, verdict.dropped, verdict.saved));
    Ok((outcomes.into_iter().map(|outcome| outcome.map(told)).collect(), verdict))
}
