//! Linear methods: weights for the features themselves, for text and for millions of rows.

mod classifier;
mod model;
mod occurring;
mod one_class;
mod online;
mod online_file;
mod path;
mod pegasos;
mod regression;
mod rounds;
mod stream;
mod warm;

pub use classifier::{Hinges, LinearScheme, LinearSvc, Logistic, Penalty};
pub use model::LinearModel;
pub use one_class::LinearOneClass;
pub use online::{Example, PegasosStream, Progressive};
pub use path::CPath;
pub use pegasos::{Pegasos, StepSizes, StochasticLoss};
pub use regression::{LinearSvr, Zones};
pub use rounds::{Rounds, Stats};
pub use warm::Warm;

pub use crate::solve::linear::{Algorithm, Cost};

use std::borrow::Cow;
use std::time::Duration;

use self::occurring::Features;
use super::method::Method;
use super::prelude::*;
use super::setting::{rows, words};
use super::space::Space;
use crate::data::Vectors;
use crate::error::goes;
use crate::solve::linear::{self, Answer, Columns, Design, L1, Limits, Problem, Start};
use crate::solve::{Progress, Shared, Watch};

words!(Algorithm: Algorithm::Auto = "auto", Algorithm::Newton = "newton", Algorithm::Dual = "dual");

/// Targets and prices of a function.
type Part = (Vec<f64>, Vec<f64>);

/// What the linear methods have in common: the offset, how the problem is solved and when that ends.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearSolver {
    /// Whether there is an offset: a constant feature.
    pub offset: bool,
    /// The value of the constant feature, above 0. The larger, the less its weight costs.
    pub constant: f64,
    /// Whether the weight of the constant feature is left out of ‖w‖².
    pub free_offset: bool,
    /// How the problem is solved.
    pub algorithm: Algorithm,
    /// The largest gap, as a share of the objective.
    pub tolerance: f64,
    /// The most steps (of Newton's method) or passes (of coordinate descent).
    pub iteration_limit: u64,
    /// The most time.
    pub time_limit: Option<Duration>,
    /// What the order of the points in coordinate descent is drawn by.
    pub seed: u64,
    /// The C that a fit goes through before it comes to its own.
    pub path: CPath,
}

impl Default for LinearSolver {
    /// An offset whose constant feature is 1 and whose weight costs as the others do; a gap of 1e-4.
    fn default() -> Self {
        Self {
            offset: true,
            constant: 1.0,
            free_offset: false,
            algorithm: Algorithm::Auto,
            tolerance: 1e-4,
            iteration_limit: 100_000,
            time_limit: None,
            seed: 0,
            path: CPath::None,
        }
    }
}

impl LinearSolver {
    fn check(&self) -> Result<()> {
        let (constant, tolerance) = (self.constant, self.tolerance);
        check("constant", constant, constant > 0.0 && constant.is_finite(), "must be positive and finite")?;
        check(
            "tolerance",
            tolerance,
            tolerance > 0.0 && tolerance.is_finite(),
            "must be positive and finite",
        )?;
        self.path.check()?;
        let free = self.free_offset;
        goes(
            !free || self.algorithm != Algorithm::Dual,
            "solver",
            "dual",
            "auto or newton where the offset is free: coordinate descent cannot keep the condition that it adds to the dual",
        )?;
        goes(self.offset || !self.free_offset, "free-offset", "true", "left out where there is no offset")
    }

    /// The value of the constant feature; 0 for none.
    fn constant(&self) -> f64 {
        if self.offset { self.constant } else { 0.0 }
    }

    fn limits(&self) -> Limits {
        Limits { tolerance: self.tolerance, iterations: self.iteration_limit, time: self.time_limit }
    }

    /// Solves a problem for each of the lists of targets and prices, side by side.
    fn solve<X: Points>(&self, x: &Vectors, cost: Cost, parts: &[Part], job: &mut Job<'_, X>) -> Vec<Answer> {
        let (x, free_offset) = (Design::new(x, self.constant()), self.offset && self.free_offset);
        let (limits, algorithm) = (self.limits(), self.algorithm);
        side_by_side((x.width(), parts), job, |(targets, prices), start, watch| {
            let problem = Problem { x, targets, prices, cost, free_offset, offset_price: 0.0 };
            linear::solve(&problem, (algorithm, start), &limits, self.seed, watch)
        })
    }

    /// Solves the problems with either penalty.
    fn solve_with<X: Points>(
        &self,
        penalty: Penalty,
        x: &Vectors,
        cost: Cost,
        parts: &[Part],
        job: &mut Job<'_, X>,
    ) -> Vec<Answer> {
        match penalty {
            Penalty::L2 => self.solve(x, cost, parts, job),
            Penalty::L1 => self.solve_l1(x, cost, parts, job),
        }
    }

    /// Solves a problem with a penalty on the absolute values of the weights for each of the lists of targets and prices.
    fn solve_l1<X: Points>(
        &self,
        x: &Vectors,
        cost: Cost,
        parts: &[Part],
        job: &mut Job<'_, X>,
    ) -> Vec<Answer> {
        let x = &Columns::new(&Design::new(x, self.constant()));
        let (limits, free_offset) = (self.limits(), self.offset && self.free_offset);
        side_by_side((x.width(), parts), job, |(targets, prices), start, watch| {
            L1 { x, targets, prices, cost, free_offset }.solve(start, &limits, self.seed, watch)
        })
    }
}

/// Solves a problem of so many weights for each of the lists of targets and prices, side by side; from the answers that the job has, where
/// they are of such problems.
fn side_by_side<X: Points>(
    (width, parts): (usize, &[Part]),
    job: &mut Job<'_, X>,
    solve: impl Fn((&[f64], &[f64]), Option<Start>, Watch<'_>) -> Answer + Sync,
) -> Vec<Answer> {
    use rayon::prelude::*;
    let points = parts.first().map_or(0, |(targets, _)| targets.len());
    let mut warm = job.warm.take();
    let starts = warm.as_ref().and_then(|warm| warm.starts(parts.len(), width, points));
    let mut watch = job.rounds();
    let shared = Shared::new(&mut watch, parts.len(), std::time::Instant::now());
    let one = |(part, (targets, prices)): (usize, &Part)| {
        let start = starts.map(|starts| starts[part].clone());
        solve((targets, prices), start, &mut |progress: &Progress| shared.show(part, progress))
    };
    let answers: Vec<Answer> = parts.par_iter().enumerate().map(one).collect();
    drop(watch);
    if let Some(warm) = &mut warm {
        warm.keep(&answers);
    }
    job.warm = warm;
    answers
}

/// The parameters of [`LinearSolver`].
fn solver() -> Vec<Parameter<LinearSolver>> {
    let mut rows = rows! { LinearSolver:
        offset, "offset", "a flag", "constant of the decision";
        constant, "constant", "above 0", "value of the constant feature whose weight is the offset: the larger, the less the offset costs";
        free_offset, "free-offset", "a flag", "leaving the offset out of the penalty";
    };
    let own = rows! { LinearSolver:
        algorithm, "solver", "auto, newton or dual", "Newton's method on the primal, all cores; coordinate descent on the dual, one core; auto begins with the first and gives it up where its systems are hard";
        tolerance, "tolerance" 't', "above 0", "largest gap between primal and dual, as a share of the objective";
        time_limit, "time-limit", "seconds, 0 or more", "most time, after which the best model so far is taken";
        iteration_limit, "max-iterations", "a whole number", "most steps of Newton's method or passes of coordinate descent";
    };
    rows.extend(own.into_iter().map(|row| row.in_group("Solver")));
    let path = rows! { LinearSolver: path, "path", "auto, or numbers above 0", "C to go through before the C given, each fit from the answer of the one before; auto: twenty, from where the first weight is not 0"; };
    rows.extend(path);
    let seed = rows! { LinearSolver: seed, "seed", "a whole number", "seed by which coordinate descent draws the order of the points"; };
    rows.extend(seed);
    rows
}

/// The settings of the solver, of an estimator that has one.
macro_rules! solved {
    ($($estimator:ident),+) => {$(
        impl<K> $estimator<K> {
            /// Sets the offset, how the problem is solved and when that ends.
            #[must_use]
            pub fn solver(mut self, solver: $crate::model::linear::LinearSolver) -> Self {
                self.solver = solver;
                self
            }

            /// Sets the largest gap, as a share of the objective.
            #[must_use]
            pub fn tolerance(mut self, tolerance: f64) -> Self {
                self.solver.tolerance = tolerance;
                self
            }

            /// The models for several C, each from the answer of the one before: fewer steps than so many fits, and certificates as good.
            ///
            /// # Errors
            /// If a parameter, a C, the points or what is known of them cannot be used.
            pub fn path<X: Points>(
                &self,
                x: &X,
                y: &<Self as Estimator<X>>::Target,
                prices: &[f64],
            ) -> Result<Vec<LinearModel<X, K>>>
            where
                K: Kernel<X> + Clone,
            {
                CPath::Among(prices.to_vec()).check()?;
                path::along(self, prices, (x, y), &mut Job::new())
            }

            /// All parameters by name: its own and those of the solver.
            pub(in crate::model) fn parameters() -> Vec<$crate::model::setting::Parameter<Self>>
            where
                K: 'static,
            {
                let solver = $crate::model::linear::solver().into_iter();
                let solver = solver.map(|row| row.of_part(|e: &Self| &e.solver, |e: &mut Self| &mut e.solver));
                Self::own_parameters().into_iter().chain(solver).collect()
            }
        }
    )+};
}
solved!(LinearSvc, Logistic, LinearSvr);

/// The rows that a linear method is fitted to, and which features their columns are; refused where so many functions of them are too many.
fn occurring<'x, X: Points, K: Kernel<X>>(
    kernel: &K,
    x: &'x X,
    functions: usize,
) -> Result<(Cow<'x, Vectors>, Features)> {
    let (rows, features) = Features::occurring(vectors(kernel, x)?);
    features.check_room(functions)?;
    Ok((rows, features))
}

/// Tells in the findings by how much each answer may miss the optimum of the kernel that landmarks stand for: its gap and ½(Σ |βᵢ|√rᵢ)², with
/// what the landmarks leave of each kernel value; nothing of kernels without landmarks.
fn tell_exact_gap<X: Points, K: Kernel<X>>(
    kernel: &K,
    (x, rows): (&X, &Vectors),
    answers: &[Answer],
    job: &mut Job<'_, X>,
) -> Result<()> {
    let (Some(x), Some(coordinates)) = (x.as_vectors(), kernel.coordinates()) else { return Ok(()) };
    if answers.iter().any(|answer| answer.dual.len() != rows.len()) {
        return Ok(());
    }
    let Some(residual) = coordinates.residual(x, rows)? else { return Ok(()) };
    let of = |answer: &Answer| {
        let left: f64 = answer.dual.iter().zip(&residual).map(|(beta, r)| beta.abs() * r.sqrt()).sum();
        answer.certificate.gap.map_or(f64::INFINITY, |gap| gap + 0.5 * left * left)
    };
    job.found.add(EXACT_GAP, answers.iter().map(of).collect::<Vec<f64>>());
    Ok(())
}

/// The finding that says how far answers are from those of the kernel that landmarks stand for.
const EXACT_GAP: &str = "exact_gap";

/// The rows whose inner product the kernel is.
fn vectors<'x, X: Points, K: Kernel<X>>(kernel: &K, x: &'x X) -> Result<Cow<'x, Vectors>> {
    let refused = |what: &str| Err(ErrorKind::Unsupported { what: what.into() }.into());
    match (x.as_vectors(), kernel.coordinates()) {
        (None, _) => {
            refused("linear methods on points that are not vectors; svc, svr and ridge take any kernel")
        }
        (_, None) => refused(
            "linear methods with another kernel than linear, linear @ map or a multiple of these; svc, svr and ridge take any kernel",
        ),
        (Some(vectors), Some(coordinates)) => coordinates.of(vectors),
    }
}

/// The methods, of which points that are not vectors have none.
pub(super) fn methods<X: Space>() -> Vec<Method<X>> {
    if X::NAME != Vectors::NAME {
        return Vec::new();
    }
    let none: &[&str] = &[];
    let stochastic = "linear classifier by stochastic steps: a quick answer on very many rows";
    let one_class =
        "where the data are, by a weight for each feature: a share nu of the points may lie outside";
    let (svc, logistic, svr) = (
        "linear support vector machine: weights for the features, for text and for millions of rows",
        "logistic regression: weights for the features and probabilities of classes",
        "linear support vector regression: weights for the features",
    );
    vec![
        Method::new(
            ("linear-svc", svc, "linear-svc", none),
            LinearSvc::new,
            LinearSvc::parameters,
            model::read::<X>,
        ),
        Method::new(
            ("logistic", logistic, "logistic", none),
            Logistic::new,
            Logistic::parameters,
            model::read::<X>,
        ),
        Method::new(
            ("linear-svr", svr, "linear-svr", none),
            LinearSvr::new,
            LinearSvr::parameters,
            model::read::<X>,
        ),
        Method::new(
            ("linear-one-class", one_class, "linear-one-class", none),
            LinearOneClass::new,
            LinearOneClass::own_parameters,
            model::read::<X>,
        ),
        Method::new(
            ("pegasos", stochastic, "linear-svc", none),
            Pegasos::new,
            Pegasos::own_parameters,
            model::read::<X>,
        ),
    ]
}
