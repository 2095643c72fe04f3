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
//! assert!(model.certificate.residual < 1e-12);
//!
//! let path = Ridge::new(rbf(1.0)).path(&x, &[y], &[1e-6, 1e-3, 1.0])?;
//! assert_eq!(path.best().lambda, 1e-6);
//! # Ok::<(), mercer::Error>(())
//! ```

use super::function::check_points;
use super::values;
use super::weights::Present;
use super::{CoefficientBlock, Coefficients, Expansion};
use crate::data::{Dense, Points};
use crate::error::{DataProblem, ErrorKind, Result, check};
use crate::gram::{Gram, Lazy};
use crate::kernel::Kernel;
use crate::linalg::Lower;
use crate::solve::conjugate::{self, Limits};
use crate::solve::ridge::{self, Path, Solved};
use crate::solve::{Follow, Plan, room, unfollowed};

/// Columns of the preconditioner at most: beyond, it costs more than the iterations it saves.
const MOST_RANK: usize = 500;

/// Kernel values cost about this many multiplications for each feature of a point, and as many again for the exponential.
const VALUE_COST: f64 = 2.0;

/// How the system is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RidgeMethod {
    /// Directly where the matrix fits into memory, else iteratively.
    #[default]
    Auto,
    /// By a Cholesky factor in place of the Gram matrix.
    Direct,
    /// By conjugate gradients, which never hold the Gram matrix.
    Iterative,
}

/// Kernel ridge regression and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Ridge<K> {
    /// k
    pub kernel: K,
    /// λ ≥ 0: the price of ‖w‖².
    pub lambda: f64,
    /// Whether there is an offset b, which costs nothing.
    pub offset: bool,
    /// w, a weight for each point; empty for 1. A whole number is the same as so many copies of the point, 0 as none.
    pub weights: Vec<f64>,
    /// How the system is solved.
    pub method: RidgeMethod,
    /// Bytes that the fit may take; none for what the machine has.
    pub memory: Option<usize>,
    /// The relative residual at which conjugate gradients stop.
    pub tolerance: f64,
    /// Iterations of conjugate gradients at most.
    pub iteration_limit: usize,
}

/// How good a fit is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RidgeCertificate {
    /// The largest ‖(K + λW⁻¹)α + b − y‖/‖y‖ of all targets.
    pub residual: f64,
    /// Iterations of conjugate gradients; none where the system was solved directly.
    pub iterations: Option<u64>,
    /// Whether the residual is what was asked for.
    pub converged: bool,
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
    /// How good they are.
    pub certificate: RidgeCertificate,
}

impl<X: Points, K: Kernel<X>> RidgeModel<X, K> {
    /// f at each of `points`, one column for each target, in double precision.
    ///
    /// # Errors
    /// If the points do not fit the functions.
    pub fn values(&self, points: &X) -> Result<Dense<f64>> {
        let rows = self.expansion.map_double(points, <[f64]>::to_vec)?;
        Ok(Dense::new(self.expansion.coefficients.outputs, rows.concat()))
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

impl<K> Ridge<K> {
    /// λ = 1, an offset, solved directly where that fits into memory, else to a relative residual of 1e-10.
    pub fn new(kernel: K) -> Self {
        Self {
            kernel,
            lambda: 1.0,
            offset: true,
            weights: Vec::new(),
            method: RidgeMethod::Auto,
            memory: None,
            tolerance: 1e-10,
            iteration_limit: 1000,
        }
    }

    /// Sets λ.
    #[must_use]
    pub fn lambda(mut self, lambda: f64) -> Self {
        self.lambda = lambda;
        self
    }

    /// Sets whether there is an offset.
    #[must_use]
    pub fn offset(mut self, offset: bool) -> Self {
        self.offset = offset;
        self
    }

    /// Sets a weight for each point.
    #[must_use]
    pub fn weights(mut self, weights: Vec<f64>) -> Self {
        self.weights = weights;
        self
    }

    /// Sets how the system is solved.
    #[must_use]
    pub fn method(mut self, method: RidgeMethod) -> Self {
        self.method = method;
        self
    }

    /// Sets how many bytes the fit may take.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// Refuses parameters out of range.
    ///
    /// # Errors
    /// The first rule broken.
    pub fn check(&self) -> Result<()> {
        let rule = "must be finite and not negative";
        check("lambda", self.lambda, self.lambda >= 0.0 && self.lambda.is_finite(), rule)?;
        let rule = "must lie between 0 and 1";
        check("tolerance", self.tolerance, self.tolerance > 0.0 && self.tolerance < 1.0, rule)?;
        let iterative = self.method == RidgeMethod::Iterative;
        let rule = "must be positive for conjugate gradients";
        check("lambda", self.lambda, !iterative || self.lambda > 0.0, rule)
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
        self.fit_many(x, &[y.to_vec()], &mut unfollowed())
    }

    /// Fits several targets, each with a value for every point, by one factorisation.
    ///
    /// # Errors
    /// As [`Ridge::fit`], and if `follow` breaks.
    pub fn fit_many<X: Points>(
        &self,
        x: &X,
        targets: &[Vec<f64>],
        follow: Follow<'_>,
    ) -> Result<RidgeModel<X, K>>
    where
        K: Kernel<X> + Clone,
    {
        let ready = self.prepare(x, targets)?;
        let gram = Lazy::new(&self.kernel, &ready.points).map_err(|error| ready.present.error(error))?;
        if self.is_direct(&ready)? {
            let solved = self.direct(&gram, &ready, false, follow)?;
            return Ok(self.model(ready, solved, None));
        }
        let system = self.system(&ready.present.weights);
        let right = system.right_sides(&ready.targets);
        let limits =
            Limits { tolerance: self.tolerance, iterations: self.iteration_limit, rank: self.rank(&ready) };
        let mut plan = Plan::new(follow, &[("conjugate gradients", 1.0)]);
        let reached = conjugate::solve(&gram, &system.diagonal(), &right, limits, &mut plan.stage(0));
        let reached = match reached {
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted) => return Err(error),
            Ok(reached) if reached.over.iter().flatten().all(|value| value.is_finite()) => reached,
            failed => {
                values::all(&gram).map_err(|error| ready.present.error(error))?;
                failed?;
                return Err(ErrorKind::Data(DataProblem::NotDefinite { row: ready.points.len() }).into());
            }
        };
        let solved = system.combine(&ready.targets, reached.solved, reached.over);
        Ok(self.model(ready, solved, Some(reached.iterations as u64)))
    }

    /// Fits the targets and leaves every point out in turn: the model, and for each of its points and each target what the
    /// prediction of the others misses, y − f₋ᵢ(xᵢ). In closed form, by the diagonal of the inverse.
    ///
    /// # Errors
    /// As [`Ridge::fit_many`]; it is always direct.
    pub fn left_out<X: Points>(
        &self,
        x: &X,
        targets: &[Vec<f64>],
        follow: Follow<'_>,
    ) -> Result<(RidgeModel<X, K>, Dense<f64>)>
    where
        K: Kernel<X> + Clone,
    {
        let direct = Ridge { method: RidgeMethod::Direct, ..self.without_kernel() };
        let ready = direct.prepare(x, targets)?;
        direct.is_direct(&ready)?;
        let gram = Lazy::new(&self.kernel, &ready.points).map_err(|error| ready.present.error(error))?;
        let mut solved = self.direct(&gram, &ready, true, follow)?;
        let missed = solved.left_out.take().unwrap_or_default();
        let rows = (0..ready.points.len()).flat_map(|i| missed.iter().map(move |missed| missed[i]));
        let missed = Dense::new(targets.len(), rows.collect());
        Ok((self.model(ready, solved, None), missed))
    }

    /// The error of leaving points out for each λ, all from one eigendecomposition of K.
    ///
    /// # Errors
    /// As [`Ridge::fit`], and if there are no λ.
    pub fn path<X: Points>(&self, x: &X, targets: &[Vec<f64>], lambdas: &[f64]) -> Result<RidgePath>
    where
        K: Kernel<X> + Clone,
    {
        self.path_followed(x, targets, lambdas, &mut unfollowed())
    }

    /// The same, followed.
    ///
    /// # Errors
    /// As [`Ridge::path`], and if `follow` breaks.
    pub fn path_followed<X: Points>(
        &self,
        x: &X,
        targets: &[Vec<f64>],
        lambdas: &[f64],
        follow: Follow<'_>,
    ) -> Result<RidgePath>
    where
        K: Kernel<X> + Clone,
    {
        check("lambdas", lambdas.len() as f64, !lambdas.is_empty(), "must be one or more")?;
        for &lambda in lambdas {
            self.without_kernel().lambda(lambda).check()?;
        }
        let ready = self.prepare(x, targets)?;
        let n = ready.points.len() as f64;
        let needed = (2.0 * n * n * 8.0) as u64;
        room(
            "the eigenvectors of the Gram matrix",
            needed,
            self.memory,
            "take fewer rows or a single lambda",
        )?;
        let gram = Lazy::new(&self.kernel, &ready.points).map_err(|error| ready.present.error(error))?;
        let costs = [
            ("kernel values", VALUE_COST * n * n * ready.points.width() as f64),
            ("eigenvectors", 9.0 * n * n * n),
            ("path", 2.0 * n * n * (lambdas.len() * (targets.len() + 2)) as f64),
        ];
        let mut plan = Plan::new(follow, &costs);
        let k = values::square(&gram, &mut plan.stage(0)).map_err(|error| ready.present.error(error))?;
        let weights = &ready.present.weights;
        let path = Path::new(k, weights, self.offset, &ready.targets)?;
        let (total, mut points) = (weights.iter().sum::<f64>(), Vec::new());
        for (at, &lambda) in lambdas.iter().enumerate() {
            let solved = path.at(lambda)?;
            let missed = solved.left_out.unwrap_or_default();
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

    /// The settings without a kernel, to check or change them.
    fn without_kernel(&self) -> Ridge<()> {
        let Self { lambda, offset, method, memory, tolerance, iteration_limit, .. } = *self;
        let weights = self.weights.clone();
        Ridge { kernel: (), lambda, offset, weights, method, memory, tolerance, iteration_limit }
    }

    fn system<'a>(&self, weights: &'a [f64]) -> ridge::Ridge<'a> {
        ridge::Ridge { lambda: self.lambda, weights, offset: self.offset }
    }

    /// Checks settings, points and targets, and leaves out points without weight.
    fn prepare<X: Points>(&self, x: &X, targets: &[Vec<f64>]) -> Result<Ready<X>> {
        self.check()?;
        check("targets", targets.len() as f64, !targets.is_empty(), "must be one or more")?;
        for target in targets {
            check_points(x, target.len(), "targets")?;
            for &value in target {
                check("target", value, value.is_finite(), "must be finite")?;
            }
        }
        let present = Present::new(&self.weights, x.len())?;
        let targets = targets.iter().map(|target| present.numbers(target)).collect();
        Ok(Ready { points: present.points(x), targets, present })
    }

    /// Whether the Gram matrix is held.
    fn is_direct<X: Points>(&self, ready: &Ready<X>) -> Result<bool> {
        let (n, sides) = (ready.points.len() as u64, ready.sides(self.offset) as u64);
        // Half of the matrix and its factor, packed panels of it, and the right sides.
        let needed = 2 * Lower::<f64>::bytes(ready.points.len()) + 8 * n * (2 * 384 + 6 * sides);
        let what = "the Gram matrix";
        let instead = "give more memory, take fewer rows, or let conjugate gradients solve it";
        match self.method {
            RidgeMethod::Direct => room(what, needed, self.memory, instead).map(|()| true),
            RidgeMethod::Auto if self.lambda == 0.0 => {
                room(what, needed, self.memory, instead).map(|()| true)
            }
            RidgeMethod::Auto if room(what, needed, self.memory, instead).is_ok() => Ok(true),
            RidgeMethod::Auto | RidgeMethod::Iterative => {
                let needed = conjugate::bytes(ready.points.len(), self.rank(ready), sides as usize);
                let instead = "give more memory or take fewer rows";
                room("solving by conjugate gradients", needed, self.memory, instead).map(|()| false)
            }
        }
    }

    /// Columns of the preconditioner: at most a quarter of the memory.
    fn rank<X: Points>(&self, ready: &Ready<X>) -> usize {
        let n = ready.points.len();
        let room = self.memory.map_or(usize::MAX, |bytes| bytes / 4 / 8 / n.max(1));
        MOST_RANK.min(room).min(n)
    }

    fn direct<X: Points>(
        &self,
        gram: &Lazy<'_, X, K>,
        ready: &Ready<X>,
        left_out: bool,
        follow: Follow<'_>,
    ) -> Result<Solved>
    where
        K: Kernel<X>,
    {
        let n = gram.len() as f64;
        let costs = [
            ("kernel values", VALUE_COST * n * n * ready.points.width() as f64),
            ("factorisation", n * n * n / 3.0),
            ("leaving out", if left_out { n * n * n / 3.0 } else { 0.0 }),
        ];
        let mut plan = Plan::new(follow, &costs);
        let k = values::lower(gram, &mut plan.stage(0)).map_err(|error| ready.present.error(error))?;
        // The packed points are not needed any more.
        gram.release_scratch();
        self.system(&ready.present.weights).direct(k, &ready.targets, left_out, &mut plan, 1)
    }

    fn model<X: Points>(&self, ready: Ready<X>, solved: Solved, iterations: Option<u64>) -> RidgeModel<X, K>
    where
        K: Clone,
    {
        let (n, outputs) = (ready.points.len(), solved.coefficients.len());
        let values = (0..n).flat_map(|i| solved.coefficients.iter().map(move |alpha| alpha[i])).collect();
        let block = CoefficientBlock { points: 0..n, outputs: (0..outputs).collect(), values };
        let mut support: Vec<usize> = (0..n).collect();
        ready.present.positions(&mut support);
        let converged = iterations.is_none() || solved.residual <= 2.0 * self.tolerance;
        RidgeModel {
            expansion: Expansion {
                kernel: self.kernel.clone(),
                points: ready.points,
                coefficients: Coefficients { blocks: vec![block], outputs },
                offsets: solved.offsets.iter().map(|b| -b).collect(),
            },
            support,
            lambda: self.lambda,
            certificate: RidgeCertificate { residual: solved.residual, iterations, converged },
        }
    }
}

/// What is fitted: the points with a weight and their targets.
struct Ready<X> {
    points: X,
    targets: Vec<Vec<f64>>,
    present: Present,
}

impl<X> Ready<X> {
    /// Right sides of the system.
    fn sides(&self, offset: bool) -> usize {
        self.targets.len() + usize::from(offset)
    }
}
