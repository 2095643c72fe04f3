//! Paths of C: fits for several C, each from the answer of the one before.
//!
//! Where C changes little, so do the weights, and the answer for one C is a good start for the next: a path costs a few passes for each C.
//! With the penalty `l1` it begins where the first weight becomes different from 0. At w = 0, with βᵢ = −cost′(0) for C = 1 (the offset,
//! where it is free, at its best), no weight moves as long as C |Σ βᵢxᵢj| ≤ 1 for all j, so that this is at
//!
//!   C = 1 / maxⱼ |Σᵢ βᵢxᵢj|.

use super::{Cost, LinearModel, LinearSolver, Part, Penalty};
use crate::data::Vectors;
use crate::model::prelude::*;
use crate::model::setting::{Kind, Setting};
use crate::solve::Stop;
use crate::solve::linear::{Design, least_price};

/// How many C a path has that is found from the data.
const POINTS: usize = 20;
/// The first C of a path where no weight is ever 0, as a share of the last.
const FIRST: f64 = 1e-3;

/// The C that a fit goes through before it comes to its own, each fit from the answer of the one before.
///
/// ```
/// use mercer::data::{Labels, Vectors};
/// use mercer::kernel::linear;
/// use mercer::model::{CPath, Estimator, Job, LinearSolver, LinearSvc, Penalty};
///
/// let x = Vectors::dense(2, vec![0.0, 1.0, 0.5, 2.0, 2.0, 0.0, 3.0, 1.0]);
/// let y = Labels::first_seen(["up", "up", "right", "right"]);
/// let solver = LinearSolver { path: CPath::Auto, ..LinearSolver::default() };
/// let svc = LinearSvc::new(linear()).penalty(Penalty::L1).solver(solver);
/// let path = svc.fit_path(&x, &y, &mut Job::new())?;
/// let used: Vec<usize> = path.iter().map(|(_, model)| model.features_used()).collect();
/// assert_eq!((used.len(), used[0]), (20, 0));
/// assert!(used[19] > 0 && path[19].0 == 1.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub enum CPath {
    /// None: one fit.
    #[default]
    None,
    /// Twenty in equal ratios, from where the first weight becomes different from 0 (with the penalty `l2`: from a thousandth of C).
    Auto,
    /// These, in this order.
    Among(Vec<f64>),
}

impl Setting for CPath {
    const KIND: Kind = Kind::Numbers;
    fn value(&self) -> Value {
        match self {
            Self::None => Value::Absent,
            Self::Auto => Value::Word("auto".to_owned()),
            Self::Among(prices) => Value::Numbers(prices.clone()),
        }
    }
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Absent => Some(Self::None),
            Value::Numbers(prices) => Some(Self::Among(prices.clone())),
            Value::Word(word) if word == "auto" => Some(Self::Auto),
            other => other.number().map(|price| Self::Among(vec![price])),
        }
    }
}

impl CPath {
    pub(super) fn check(&self) -> Result<()> {
        let prices = if let Self::Among(prices) = self { &prices[..] } else { &[] };
        let rule = "must be positive and finite";
        prices.iter().try_for_each(|&c| check("path", c, c > 0.0 && c.is_finite(), rule))
    }
}

/// A linear method with a price C.
pub(super) trait Priced<X: Points, K>: Estimator<X, Model = LinearModel<X, K>> + Clone {
    /// C
    fn price(&self) -> f64;
    /// The method with another C.
    fn priced(&self, c: f64) -> Self;
    /// How it is solved.
    fn solver(&self) -> &LinearSolver;
    /// Fits a model for its own C alone.
    fn fit_one(&self, x: &X, y: &Self::Target, job: &mut Job<'_, X>) -> Result<LinearModel<X, K>>;
    /// The C up to which all weights are 0; none where no weight is ever 0.
    fn least(&self, x: &X, y: &Self::Target, job: &mut Job<'_, X>) -> Result<Option<f64>>;
}

/// Fits a model along the path of the settings, and tells in the job's findings of each C what its model was.
pub(super) fn fit<X: Points, K: Kernel<X>, E: Priced<X, K>>(
    estimator: &E,
    x: &X,
    y: &E::Target,
    job: &mut Job<'_, X>,
) -> Result<LinearModel<X, K>> {
    if estimator.solver().path == CPath::None {
        return estimator.fit_one(x, y, job);
    }
    let mut path = models(estimator, x, y, job)?;
    job.found.add("path", path.iter().map(|(c, model)| point(*c, model)).collect::<Vec<_>>());
    Ok(path.pop().expect("the path ends with its own C").1)
}

/// The models along the path of the settings, which ends with the C of the settings.
pub(super) fn models<X: Points, K, E: Priced<X, K>>(
    estimator: &E,
    x: &X,
    y: &E::Target,
    job: &mut Job<'_, X>,
) -> Result<Vec<(f64, LinearModel<X, K>)>> {
    let c = estimator.price();
    let mut prices = match &estimator.solver().path {
        CPath::None => Vec::new(),
        CPath::Among(prices) => prices.clone(),
        CPath::Auto => {
            let first = estimator.least(x, y, job)?.unwrap_or(FIRST * c);
            let ratio = (c / first).powf(1.0 / (POINTS - 1) as f64);
            let at = |k| first * ratio.powi(k as i32);
            if first < c { (0..POINTS - 1).map(at).collect() } else { Vec::new() }
        }
    };
    if prices.last() != Some(&c) {
        prices.push(c);
    }
    let models = along(estimator, &prices, (x, y), job)?;
    Ok(prices.into_iter().zip(models).collect())
}

/// The models for several C, each from the answer of the one before.
pub(super) fn along<X: Points, K, E: Priced<X, K>>(
    estimator: &E,
    prices: &[f64],
    (x, y): (&X, &E::Target),
    job: &mut Job<'_, X>,
) -> Result<Vec<LinearModel<X, K>>> {
    let kept = job.warm.is_some();
    job.warm.get_or_insert_default();
    let mut models = Vec::with_capacity(prices.len());
    for (at, &c) in prices.iter().enumerate() {
        let model = estimator.priced(c).fit_one(x, y, job)?;
        let interrupted = model.certificates.iter().any(|of| of.stop == Stop::Interrupted);
        // An answer for another C than the one asked for is none.
        if interrupted && at + 1 < prices.len() {
            return Err(ErrorKind::Interrupted.into());
        }
        models.push(model);
    }
    job.warm = job.warm.take().filter(|_| kept);
    Ok(models)
}

/// What is told of a point of a path: C, features with a weight, objective and gap of all functions, and the steps they took.
fn point<X: Points, K: Kernel<X>>(c: f64, model: &LinearModel<X, K>) -> Facts {
    let sum = |of: &dyn Fn(&Certificate) -> f64| model.certificates.iter().map(of).sum::<f64>();
    let gap = |certificate: &Certificate| certificate.gap.unwrap_or(0.0);
    let steps: u64 = model.certificates.iter().map(|certificate| certificate.iterations).sum();
    Facts::default()
        .with("c", c)
        .with("features_used", model.features_used())
        .with("objective", sum(&|certificate| gap(certificate) - certificate.objective))
        .with("gap", sum(&gap))
        .with("steps", steps)
}

/// The C up to which all weights are 0, for targets and prices at C = 1 of several functions.
pub(super) fn least_c(
    solver: &LinearSolver,
    (penalty, cost): (Penalty, Cost),
    x: &Vectors,
    parts: &[Part],
) -> Option<f64> {
    let (design, free) = (Design::new(x, solver.constant()), solver.offset && solver.free_offset);
    let least = |(targets, prices): &Part| least_price(&design, (targets, prices), cost, free);
    (penalty == Penalty::L1).then(|| parts.iter().map(least).fold(f64::INFINITY, f64::min))
}
