//! Kernel ridge regression.
//!
//! Minimise Σ wᵢ(yᵢ − f(xᵢ))² + λ‖w‖² over f(x) = ⟨w, φ(x)⟩ + b: f(x) = Σ αᵢ k(xᵢ, x) + b with (K + λW⁻¹)α = y − b and, where
//! there is an offset b, Σα = 0. All targets share one factorisation. The answer comes with its relative residual
//! ‖(K + λW⁻¹)α + b − y‖/‖y‖.
//!
//! Cost: n²/2 kernel values, n³/3 multiplications and one n × n matrix of doubles, factorised in place; leaving every point
//! out in turn costs another n³/3 ([`Ridge::left_out`]), a whole path of λ one eigendecomposition ([`Ridge::path`]). Where the
//! matrix does not fit into memory, conjugate gradients compute it anew in every iteration.
//!
//! ```
//! use mercer::data::Vectors;
//! use mercer::kernel::rbf;
//! use mercer::model::Ridge;
//!
//! let x = Vectors::dense(1, (0..40).map(|i| f64::from(i) / 10.0).collect());
//! let y: Vec<f64> = (0..40).map(|i| (f64::from(i) / 10.0).sin()).collect();
//! let model = Ridge::new(rbf(1.0)).lambda(1e-3).fit(&x, &y)?;
//! assert!((model.values(&x)?.row(7)[0] - 0.7f64.sin()).abs() < 1e-3);
//! assert!(model.quality.residual().unwrap() < 1e-12);
//!
//! // λ by the error of leaving points out.
//! let chosen = Ridge::new(rbf(1.0)).lambda(vec![1e-6, 1e-3, 1.0]).fit(&x, &y)?;
//! assert_eq!(chosen.lambda, 1e-6);
//! let path = Ridge::new(rbf(1.0)).path(&x, &[y], &[1e-6, 1e-3, 1.0])?;
//! assert_eq!(path.best().lambda, 1e-6);
//! # Ok::<(), mercer::Error>(())
//! ```

use super::values;
use crate::gram::Gram;
use crate::linalg::Lower;
use crate::model::prelude::*;
use crate::solve::conjugate::{self, Limits};
use crate::solve::ridge::{self, Path, Solved};

/// Columns of the preconditioner at most: beyond, it costs more than the iterations it saves.
const MOST_RANK: usize = 500;

/// Kernel values cost about this many multiplications for each feature of a point, and as many again for the exponential.
const VALUE_COST: f64 = 2.0;

/// λ of `auto`, as powers of ten of the mean of the kernel's diagonal: from, to, and how many to each power.
const GRID: (i32, i32, i32) = (-8, 3, 4);

/// Points whose diagonal values `auto` looks at, at most.
const GRID_POINTS: usize = 1000;

/// λ, or how it is found.
#[derive(Debug, Clone, PartialEq)]
pub enum Lambda {
    /// λ ≥ 0.
    Value(f64),
    /// The one of these with the smallest error at points left out of the fit.
    Among(Vec<f64>),
    /// The best of 45 from 10⁻⁸ to 10³ times the mean of k(x, x), by the error at points left out.
    Auto,
}

impl From<f64> for Lambda {
    fn from(lambda: f64) -> Self {
        Self::Value(lambda)
    }
}

impl From<Vec<f64>> for Lambda {
    fn from(lambdas: Vec<f64>) -> Self {
        Self::Among(lambdas)
    }
}

impl Setting for Lambda {
    const KIND: Kind = Kind::Numbers;
    fn value(&self) -> Value {
        match self {
            Self::Value(lambda) => Value::Number(*lambda),
            Self::Among(lambdas) => Value::Numbers(lambdas.clone()),
            Self::Auto => Value::Word("auto".to_owned()),
        }
    }
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Numbers(lambdas) => Some(Self::Among(lambdas.clone())),
            Value::Word(word) if word == "auto" => Some(Self::Auto),
            other => other.number().map(Self::Value),
        }
    }
}

/// How the system is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RidgeSolver {
    /// Directly where the matrix fits into memory, else iteratively.
    #[default]
    Auto,
    /// By a Cholesky factor in place of the Gram matrix.
    Direct,
    /// By conjugate gradients, which never hold the Gram matrix.
    Iterative,
}

words!(RidgeSolver: RidgeSolver::Auto = "auto", RidgeSolver::Direct = "cholesky", RidgeSolver::Iterative = "cg");

/// Kernel ridge regression and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Ridge<K> {
    /// k
    pub kernel: K,
    /// The price of ‖w‖², or how it is found.
    pub lambda: Lambda,
    /// Whether there is an offset b, which costs nothing.
    pub offset: bool,
    /// Whether every point is left out in turn: the job's findings then have the errors.
    pub leave_one_out: bool,
    /// How the system is solved.
    pub solver: RidgeSolver,
    /// The relative residual at which conjugate gradients stop.
    pub tolerance: f64,
    /// Iterations of conjugate gradients at most.
    pub iteration_limit: usize,
}

settings! { Ridge<K>:
    lambda: Lambda | into, "lambda", "0 or more; several, separated by commas, or auto: the best at points left out", "price of the squared norm";
    offset: bool, "offset", "a flag", "constant of the function, which costs nothing";
    leave_one_out: bool, "loo", "a flag", "error at points left out of the fit, each in turn, in closed form";
    solver: RidgeSolver, "solver", "auto, cholesky or cg", "way to solve the equations: by a Cholesky factor, or by conjugate gradients, which never hold the Gram matrix (auto: where memory is too small for it)";
    tolerance: f64, "tolerance" 't', "between 0 and 1", "relative residual at which conjugate gradients stop";
    iteration_limit: usize, "max-iterations", "a whole number", "most iterations of conjugate gradients";
}

impl<K> Ridge<K> {
    /// λ = 1, an offset, solved directly where that fits into memory, else to a relative residual of 1e-10.
    pub fn new(kernel: K) -> Self {
        Self {
            kernel,
            lambda: Lambda::Value(1.0),
            offset: true,
            leave_one_out: false,
            solver: RidgeSolver::Auto,
            tolerance: 1e-10,
            iteration_limit: 1000,
        }
    }

    /// Fits one target.
    ///
    /// # Errors
    /// If a parameter, the points or the targets cannot be used, the matrix does not fit into memory, or K + λW⁻¹ is not
    /// positive definite.
    pub fn fit<X: Points>(&self, x: &X, y: &[f64]) -> Result<RidgeModel<X, K>>
    where
        K: Kernel<X> + Clone,
    {
        self.fit_in(x, &[y.to_vec()], &mut Job::new())
    }

    /// Fits the targets and leaves every point out in turn: the model, and for each of its points and each target what the
    /// prediction of the others misses, y − f₋ᵢ(xᵢ). In closed form, by the diagonal of the inverse.
    ///
    /// # Errors
    /// As [`Ridge::fit`]; it is always direct, and λ must be one number.
    pub fn left_out<X: Points>(
        &self,
        x: &X,
        targets: &[Vec<f64>],
        job: &mut Job<'_, X>,
    ) -> Result<(RidgeModel<X, K>, Dense<f64>)>
    where
        K: Kernel<X> + Clone,
    {
        let fit = Fit::new(self, x, targets, job)?;
        let Lambda::Value(lambda) = self.lambda else {
            return Err(ErrorKind::Unsupported { what: "leaving out with several lambda".into() }.into());
        };
        fit.left_out(lambda, job)
    }

    /// The error of leaving points out for each λ, all from one eigendecomposition of K.
    ///
    /// # Errors
    /// As [`Ridge::fit`], and if there are no λ.
    pub fn path<X: Points>(&self, x: &X, targets: &[Vec<f64>], lambdas: &[f64]) -> Result<RidgePath>
    where
        K: Kernel<X> + Clone,
    {
        self.path_in(x, targets, lambdas, &mut Job::new())
    }

    /// The error of leaving points out for each λ, under the circumstances of a job.
    ///
    /// # Errors
    /// As [`Ridge::path`].
    pub fn path_in<X: Points>(
        &self,
        x: &X,
        targets: &[Vec<f64>],
        lambdas: &[f64],
        job: &mut Job<'_, X>,
    ) -> Result<RidgePath>
    where
        K: Kernel<X> + Clone,
    {
        Fit::new(self, x, targets, job)?.path(lambdas, job)
    }

    fn check_settings(&self) -> Result<()> {
        let lambdas = match &self.lambda {
            Lambda::Value(lambda) => std::slice::from_ref(lambda),
            Lambda::Among(lambdas) => lambdas,
            Lambda::Auto => &[],
        };
        let several = !lambdas.is_empty() || self.lambda == Lambda::Auto;
        check("lambdas", lambdas.len() as f64, several, "must be one or more")?;
        let rule = "must lie between 0 and 1";
        check("tolerance", self.tolerance, self.tolerance > 0.0 && self.tolerance < 1.0, rule)?;
        let iterative = self.solver == RidgeSolver::Iterative;
        lambdas.iter().try_for_each(|&lambda| {
            check_lambda(lambda)?;
            let rule = "must be positive for conjugate gradients";
            check("lambda", lambda, !iterative || lambda > 0.0, rule)
        })
    }
}

/// What is fitted: the points with a weight and their targets.
struct Fit<'r, X, K> {
    ridge: &'r Ridge<K>,
    kernel: K,
    own: Weighted<X>,
    targets: Vec<Vec<f64>>,
}

impl<'r, X: Points, K: Kernel<X> + Clone> Fit<'r, X, K> {
    /// Checks settings, points and targets, and leaves out points without weight.
    fn new(ridge: &'r Ridge<K>, x: &X, targets: &[Vec<f64>], job: &mut Job<'_, X>) -> Result<Self> {
        ridge.check_settings()?;
        check("targets", targets.len() as f64, !targets.is_empty(), "must be one or more")?;
        let one = |target: &Vec<f64>| Weighted::numbers(x, target, job.weights);
        let (mut own, targets): (Vec<_>, Vec<_>) =
            targets.iter().map(one).collect::<Result<Vec<_>>>()?.into_iter().unzip();
        let own = own.swap_remove(0);
        Ok(Self { kernel: own.kernel(&ridge.kernel, job)?, ridge, own, targets })
    }

    fn path(&self, lambdas: &[f64], job: &mut Job<'_, X>) -> Result<RidgePath> {
        check("lambdas", lambdas.len() as f64, !lambdas.is_empty(), "must be one or more")?;
        lambdas.iter().try_for_each(|&lambda| check_lambda(lambda))?;
        let n = self.own.points.len() as f64;
        let needed = (2.0 * n * n * 8.0) as u64;
        let instead = "take fewer rows or a single lambda";
        room("the eigenvectors of the Gram matrix", needed, job.memory, instead)?;
        let gram = self.own.gram(&self.kernel, job)?;
        let costs = [
            ("kernel values", VALUE_COST * n * n * self.own.points.width() as f64),
            ("eigenvectors", 9.0 * n * n * n),
            ("path", 2.0 * n * n * (lambdas.len() * (self.targets.len() + 2)) as f64),
        ];
        let mut stages = job.stages();
        let mut plan = Plan::new(&mut stages, &costs);
        let k = values::square(&*gram, &mut plan.stage(0)).map_err(|error| self.own.error(error))?;
        let weights = &self.own.weights;
        let path = Path::new(k, weights, self.ridge.offset, &self.targets)?;
        let (total, mut points) = (weights.iter().sum::<f64>(), Vec::new());
        for (at, &lambda) in lambdas.iter().enumerate() {
            let missed = path.at(lambda)?.left_out.unwrap_or_default();
            let error = |missed: &Vec<f64>| {
                missed.iter().zip(weights).map(|(miss, w)| w * miss * miss).sum::<f64>() / total
            };
            let degrees = path.eigenvalues().iter().map(|value| value / (value + lambda)).sum();
            points.push(RidgePoint { lambda, errors: missed.iter().map(error).collect(), degrees });
            let share = (at + 1) as f64 / lambdas.len() as f64;
            if plan.stage(2)(share).is_break() {
                return Err(ErrorKind::Interrupted.into());
            }
        }
        Ok(RidgePath { points, eigenvalues: path.eigenvalues().iter().rev().copied().collect() })
    }

    /// λ as given, or the best of several, whose errors go into the job's findings.
    fn chosen(&self, job: &mut Job<'_, X>) -> Result<f64> {
        let lambdas = match &self.ridge.lambda {
            Lambda::Value(lambda) => return Ok(*lambda),
            Lambda::Among(lambdas) => lambdas.clone(),
            Lambda::Auto => {
                let few: Vec<usize> = (0..self.own.points.len().min(GRID_POINTS)).collect();
                let diagonal = self.kernel.diagonal(&self.own.points.select(&few))?;
                let mean = diagonal.iter().sum::<f64>() / diagonal.len().max(1) as f64;
                let (from, to, steps) = GRID;
                let power = |step: i32| 10_f64.powf(f64::from(step) / f64::from(steps));
                (from * steps..=to * steps).map(|step| power(step) * mean.max(f64::MIN_POSITIVE)).collect()
            }
        };
        let path = self.path(&lambdas, job)?;
        let point = |point: &RidgePoint| {
            Facts::default()
                .with("lambda", point.lambda)
                .with("left_out_mean_square", point.errors.as_slice())
                .with("degrees", point.degrees)
        };
        job.found.add("left_out_mean_square", path.best().error());
        job.found.add("path", path.points.iter().map(point).collect::<Vec<_>>());
        Ok(path.best().lambda)
    }

    fn system(&self, lambda: f64) -> ridge::Ridge<'_> {
        ridge::Ridge { lambda, weights: &self.own.weights, offset: self.ridge.offset }
    }

    /// Whether the Gram matrix is held.
    fn is_direct(&self, solver: RidgeSolver, lambda: f64, memory: Option<usize>) -> Result<bool> {
        let n = self.own.points.len();
        let sides = self.targets.len() + usize::from(self.ridge.offset);
        // Half of the matrix and its factor, packed panels of it, and the right sides.
        let needed = 2 * Lower::<f64>::bytes(n) + 8 * n as u64 * (2 * 384 + 6 * sides as u64);
        let instead = "give more memory, take fewer rows, or let conjugate gradients solve it";
        let held = room("the Gram matrix", needed, memory, instead);
        match solver {
            RidgeSolver::Direct => held.map(|()| true),
            RidgeSolver::Auto if lambda == 0.0 => held.map(|()| true),
            RidgeSolver::Auto if held.is_ok() => Ok(true),
            RidgeSolver::Auto | RidgeSolver::Iterative => {
                let needed = conjugate::bytes(n, rank(n, memory), sides);
                let instead = "give more memory or take fewer rows";
                room("solving by conjugate gradients", needed, memory, instead).map(|()| false)
            }
        }
    }

    fn direct(&self, gram: &dyn Gram, lambda: f64, left_out: bool, job: &mut Job<'_, X>) -> Result<Solved> {
        let n = gram.len() as f64;
        let costs = [
            ("kernel values", VALUE_COST * n * n * self.own.points.width() as f64),
            ("factorisation", n * n * n / 3.0),
            ("leaving out", if left_out { n * n * n / 3.0 } else { 0.0 }),
        ];
        let mut stages = job.stages();
        let mut plan = Plan::new(&mut stages, &costs);
        let k = values::lower(gram, &mut plan.stage(0)).map_err(|error| self.own.error(error))?;
        // The packed points are not needed any more.
        gram.release_scratch();
        self.system(lambda).direct(k, &self.targets, left_out, &mut plan, 1)
    }

    fn iterative(&self, gram: &dyn Gram, lambda: f64, job: &mut Job<'_, X>) -> Result<(Solved, u64)> {
        let system = self.system(lambda);
        let right = system.right_sides(&self.targets);
        let (tolerance, iterations) = (self.ridge.tolerance, self.ridge.iteration_limit);
        let limits = Limits { tolerance, iterations, rank: rank(gram.len(), job.memory) };
        let mut stages = job.stages();
        let mut plan = Plan::new(&mut stages, &[("conjugate gradients", 1.0)]);
        let reached = conjugate::solve(gram, &system.diagonal(), &right, limits, &mut plan.stage(0));
        let reached = match reached {
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted) => return Err(error),
            Ok(reached) if reached.over.iter().flatten().all(|value| value.is_finite()) => reached,
            failed => {
                values::all(gram).map_err(|error| self.own.error(error))?;
                failed?;
                return Err(ErrorKind::Data(DataProblem::NotDefinite { row: gram.len() }).into());
            }
        };
        let solved = system.combine(&self.targets, reached.solved, reached.over);
        Ok((solved, reached.iterations as u64))
    }
}

impl<X: Points, K: Kernel<X> + Clone> Fit<'_, X, K> {
    /// The model, and for each point and each target what the prediction of the others misses.
    fn left_out(self, lambda: f64, job: &mut Job<'_, X>) -> Result<(RidgeModel<X, K>, Dense<f64>)> {
        self.is_direct(RidgeSolver::Direct, lambda, job.memory)?;
        let mut solved = self.direct(&*self.own.gram(&self.kernel, job)?, lambda, true, job)?;
        let missed = solved.left_out.take().unwrap_or_default();
        let missed = Dense::new(missed.len(), interleaved(self.own.points.len(), &missed));
        Ok((self.model(lambda, solved, None), missed))
    }

    fn model(self, lambda: f64, solved: Solved, iterations: Option<u64>) -> RidgeModel<X, K> {
        let n = self.own.points.len();
        let converged = iterations.is_none() || solved.residual <= 2.0 * self.ridge.tolerance;
        RidgeModel {
            support: self.own.all_positions(),
            expansion: Expansion::new(
                self.kernel,
                self.own.points,
                Coefficients::columns(n, &solved.coefficients),
                solved.offsets.iter().map(|b| -b).collect(),
            ),
            lambda,
            quality: Quality::Residual { residual: solved.residual, iterations, converged },
        }
    }
}

fn check_lambda(lambda: f64) -> Result<()> {
    check("lambda", lambda, lambda >= 0.0 && lambda.is_finite(), "must be finite and not negative")
}

/// Columns of the preconditioner: at most a quarter of the memory.
fn rank(n: usize, memory: Option<usize>) -> usize {
    let room = memory.map_or(usize::MAX, |bytes| bytes / 4 / 8 / n.max(1));
    MOST_RANK.min(room).min(n)
}

impl<X: Points, K: Kernel<X> + Clone> Estimator<X> for Ridge<K> {
    type Target = [Vec<f64>];
    type Model = RidgeModel<X, K>;

    fn check(&self) -> Result<()> {
        self.check_settings()
    }

    /// Fits several targets, each with a value for every point, by one factorisation. With several λ the job's findings have
    /// the `path` of errors, with [leaving out](Ridge::leave_one_out) `left_out` (one row per point, one column per target)
    /// and in both cases `left_out_mean_square`.
    fn fit_in(&self, x: &X, targets: &[Vec<f64>], job: &mut Job<'_, X>) -> Result<RidgeModel<X, K>> {
        let fit = Fit::new(self, x, targets, job)?;
        let lambda = fit.chosen(job)?;
        if self.leave_one_out {
            let weights = fit.own.weights.clone();
            let (model, missed) = fit.left_out(lambda, job)?;
            let square =
                |(i, w): (usize, &f64)| w * missed.row(i).iter().map(|miss| miss * miss).sum::<f64>();
            let sum = weights.iter().enumerate().map(square).sum::<f64>();
            let error = sum / weights.iter().sum::<f64>() / targets.len() as f64;
            job.found.add("left_out_mean_square", error);
            job.found.add("left_out", missed);
            return Ok(model);
        }
        let direct = fit.is_direct(self.solver, lambda, job.memory)?;
        let kernel = fit.kernel.clone();
        let gram = fit.own.gram(&kernel, job)?;
        let (solved, iterations) = match direct {
            true => (fit.direct(&*gram, lambda, false, job)?, None),
            false => {
                let (solved, iterations) = fit.iterative(&*gram, lambda, job)?;
                (solved, Some(iterations))
            }
        };
        Ok(fit.model(lambda, solved, iterations))
    }
}

/// Fitted functions, one for each target.
#[derive(Debug, Clone, PartialEq)]
pub struct RidgeModel<X, K> {
    /// f, one output for each target.
    pub expansion: Expansion<X, K>,
    /// Positions of its points in the training data, from 0: all that had a weight.
    pub support: Vec<usize>,
    /// λ
    pub lambda: f64,
    /// How good they are: the largest ‖(K + λW⁻¹)α + b − y‖/‖y‖ of all targets.
    pub quality: Quality,
}

impl<X: Points, K: Kernel<X>> RidgeModel<X, K> {
    /// f at each of `points`, one column for each target, in double precision.
    ///
    /// # Errors
    /// If the points do not fit the functions.
    pub fn values(&self, points: &X) -> Result<Dense<f64>> {
        self.expansion.rows(points, true)
    }
}

/// The errors of a path of λ.
#[derive(Debug, Clone, PartialEq)]
pub struct RidgePath {
    /// One for each λ, as they were given.
    pub points: Vec<RidgePoint>,
    /// The eigenvalues of K (of W^½KW^½ with weights), descending.
    pub eigenvalues: Vec<f64>,
}

/// What is known of one λ.
#[derive(Debug, Clone, PartialEq)]
pub struct RidgePoint {
    /// λ
    pub lambda: f64,
    /// The mean squared error at points that are left out of the fit, one for each target.
    pub errors: Vec<f64>,
    /// How many parameters the fit is worth: the trace of K(K + λW⁻¹)⁻¹.
    pub degrees: f64,
}

impl RidgePoint {
    /// The mean of the errors of all targets.
    #[must_use]
    pub fn error(&self) -> f64 {
        self.errors.iter().sum::<f64>() / self.errors.len().max(1) as f64
    }
}

impl RidgePath {
    /// The λ with the smallest error; of equal ones the largest λ.
    ///
    /// # Panics
    /// If the path has no points, which [`Ridge::path`] does not make.
    #[must_use]
    pub fn best(&self) -> &RidgePoint {
        let order = |a: &&RidgePoint, b: &&RidgePoint| {
            a.error().total_cmp(&b.error()).then(b.lambda.total_cmp(&a.lambda))
        };
        self.points.iter().min_by(order).expect("a path has points")
    }
}

/// The entry `ridge` of a model file.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    lambda: f64,
    residual: f64,
    iterations: Option<u64>,
    converged: bool,
}

impl<X: Space> Model<X> for RidgeModel<X, X::Kernel> {
    made_of!("ridge" double: expansion, support);

    fn quality(&self) -> Quality {
        self.quality.clone()
    }

    fn facts(&self) -> Facts {
        Facts::default().with("lambda", self.lambda).with("targets", self.expansion.coefficients().outputs)
    }

    fn words(&self) -> String {
        let targets = count(self.expansion.coefficients().outputs, "target");
        format!("{targets}, lambda = {}", short(self.lambda))
    }

    fn outputs(&self) -> (&'static str, Vec<String>) {
        ("target", (1..=self.expansion.coefficients().outputs).map(|target| target.to_string()).collect())
    }

    fn predict(&self, points: &X, _: How) -> Result<Prediction> {
        Ok(Prediction::Values(self.values(points)?))
    }

    fn check(&self) -> Result<Dense<f64>, Flaw> {
        let outputs = self.expansion.coefficients().outputs;
        let weights = parts::check(&self.expansion, outputs, &self.support)?;
        if outputs == 0 {
            return Err("no targets".into());
        }
        let usable = |value: f64| value.is_finite() && value >= 0.0;
        match usable(self.lambda) && self.quality.residual().is_some_and(usable) {
            true => Ok(weights),
            false => Err("lambda and the residual must be finite and not negative".into()),
        }
    }

    fn write(&self, writer: &mut Writer) -> Result<(), Flaw> {
        let Quality::Residual { residual, iterations, converged } = self.quality else {
            return Err("a ridge regression without a residual".into());
        };
        writer.entry("ridge", text::print(&Entry { lambda: self.lambda, residual, iterations, converged })?);
        Ok(())
    }
}

fn read<X: Space>(reader: &mut Reader<'_>) -> Result<RidgeModel<X, X::Kernel>, Flaw> {
    let Entry { lambda, residual, iterations, converged } = text::parse("ridge", &reader.entry("ridge")?)?;
    let outputs = reader.columns("coefficients");
    parts::no_certificates(reader)?;
    Ok(RidgeModel {
        expansion: parts::read_full(reader, "", outputs)?,
        support: reader.counts("support")?,
        lambda,
        quality: Quality::Residual { residual, iterations, converged },
    })
}

pub(in crate::model) fn method<X: Space>() -> Method<X> {
    let summary = "kernel ridge: regression by least squares, of one target or many";
    let rows = || -> Vec<Parameter<Ridge<X::Kernel>>> { Ridge::own_parameters() };
    Method::new(("ridge", summary, "ridge", &[]), Ridge::new, rows, read)
}
