//! Linear classifiers: support vector machines and logistic regression.
//!
//! Minimise ½‖w‖² + Σ Cᵢ cost(yᵢ⟨w, xᵢ⟩) with the hinge max(0, 1 − m), its square, or log(1 + e^(−m)). Two classes have one vector
//! w, which is positive for the first; more have one for each class, fitted to tell it from all others (the factors on C for some
//! classes then count for the points of the class itself, as in LIBLINEAR). The offset is the weight of a constant feature and
//! costs as the others do, unless it is left free. Crammer and Singer's scheme has all classes in one problem, and a function for
//! each of two classes too: a point costs by how much another class, plus 1, is above its own.
//!
//! With the penalty `l1`, ‖w‖₁ = Σ |w_j| stands in place of ½‖w‖²: most weights are then 0.
//!
//! ```
//! use mercer::data::{Labels, Vectors};
//! use mercer::kernel::linear;
//! use mercer::model::LinearSvc;
//!
//! let x = Vectors::dense(2, vec![0.0, 1.0, 0.5, 2.0, 2.0, 0.0, 3.0, 1.0]);
//! let y = Labels::first_seen(["up", "up", "right", "right"]);
//! let model = LinearSvc::new(linear()).fit(&x, &y)?;
//! assert_eq!(model.predict(&Vectors::dense(2, vec![0.0, 3.0, 3.0, 0.0]))?, ["up", "right"]);
//! assert!(model.certificates[0].gap.unwrap() < 1e-3);
//! # Ok::<(), mercer::Error>(())
//! ```

use super::{Algorithm, Cost, LinearModel, LinearSolver, vectors};
use crate::data::Vectors;
use crate::model::prelude::*;
use crate::model::svm::class_weights::{check_known, check_prices, factors, priced_by_class, prices};
use crate::model::words::named;
use crate::solve::linear::{Answer, CrammerSinger, Design, Together};

/// What a margin error costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hinges {
    /// max(0, 1 − m)
    Hinge,
    /// max(0, 1 − m)²
    Squared,
}
words!(Hinges: Hinges::Hinge = "hinge", Hinges::Squared = "squared-hinge");

/// What weights cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Penalty {
    /// ½‖w‖²
    L2,
    /// Σ |w_j|: most weights are 0.
    L1,
}
words!(Penalty: Penalty::L2 = "l2", Penalty::L1 = "l1");

/// How several classes are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinearScheme {
    /// Each class from all others, a problem for each.
    OneVsRest,
    /// All classes in one problem: max over c of ⟨w_c − w_y, x⟩ + [c ≠ y], after Crammer and Singer.
    CrammerSinger,
}
named!(LinearScheme: OneVsRest = "ovr", CrammerSinger = "crammer-singer");
words!(LinearScheme: LinearScheme::OneVsRest = "ovr", LinearScheme::CrammerSinger = "crammer-singer");

/// A linear support vector machine and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearSvc<K> {
    /// k, which must be the inner product.
    pub kernel: K,
    /// C > 0: the price of a margin error.
    pub c: f64,
    /// What a margin error costs; of all classes in one problem always its size.
    pub loss: Hinges,
    /// What weights cost.
    pub penalty: Penalty,
    /// How several classes are told apart.
    pub scheme: LinearScheme,
    /// Factors on C for the points of some classes.
    pub class_weights: Vec<(String, f64)>,
    /// The offset, how the problem is solved and when that ends.
    pub solver: LinearSolver,
}

settings! { LinearSvc<K>:
    c: f64, "c" 'c', "above 0", "price C of a margin error";
    loss: Hinges, "loss", "hinge or squared-hinge", "cost of a margin error: its size, or its square";
    penalty: Penalty, "penalty", "l2 or l1", "cost of the weights: half their squares, or their absolute values, of which most are then 0 (with squared-hinge)";
    scheme: LinearScheme, "scheme", "ovr or crammer-singer", "how classes are told apart: each from all others, or all in one problem (whose loss is the hinge)";
    class_weights: Vec<(String, f64)>, "weight" 'w', "above 0 for each class named", "factors on C for the points of some classes";
    /// Fits a classifier.
    fit(Labels) -> LinearModel;
}

/// Logistic regression and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Logistic<K> {
    /// k, which must be the inner product.
    pub kernel: K,
    /// C > 0: the price of an error.
    pub c: f64,
    /// What weights cost.
    pub penalty: Penalty,
    /// Factors on C for the points of some classes.
    pub class_weights: Vec<(String, f64)>,
    /// The offset, how the problem is solved and when that ends.
    pub solver: LinearSolver,
}

settings! { Logistic<K>:
    c: f64, "c" 'c', "above 0", "price C of an error";
    penalty: Penalty, "penalty", "l2 or l1", "cost of the weights: half their squares, or their absolute values, of which most are then 0";
    class_weights: Vec<(String, f64)>, "weight" 'w', "above 0 for each class named", "factors on C for the points of some classes";
    /// Fits a classifier with probabilities.
    fit(Labels) -> LinearModel;
}

priced_by_class!(LinearSvc, Logistic);

impl<K> LinearSvc<K> {
    /// C = 1, squared hinge, an offset, a gap of 1e-4.
    pub fn new(kernel: K) -> Self {
        Self {
            kernel,
            c: 1.0,
            loss: Hinges::Squared,
            penalty: Penalty::L2,
            scheme: LinearScheme::OneVsRest,
            class_weights: Vec::new(),
            solver: LinearSolver::default(),
        }
    }
}

impl<K> Logistic<K> {
    /// C = 1, an offset, a gap of 1e-4.
    pub fn new(kernel: K) -> Self {
        Self {
            kernel,
            c: 1.0,
            penalty: Penalty::L2,
            class_weights: Vec::new(),
            solver: LinearSolver::default(),
        }
    }
}

impl<X: Points, K: Kernel<X> + Clone> Estimator<X> for LinearSvc<K> {
    type Target = Labels;
    type Model = LinearModel<X, K>;
    const KERNEL: Option<&'static str> = Some("linear");

    fn check(&self) -> Result<()> {
        check_prices(self.c, &self.class_weights)?;
        let l1 = self.penalty == Penalty::L1;
        check(
            "penalty",
            1.0,
            !l1 || (self.loss == Hinges::Squared && self.scheme == LinearScheme::OneVsRest),
            "l1 goes with the loss squared-hinge and the scheme ovr",
        )?;
        check(
            "solver",
            1.0,
            !l1 || self.solver.algorithm != Algorithm::Dual,
            "must be auto or newton for l1",
        )?;
        let free = self.solver.offset && self.solver.free_offset;
        check(
            "free-offset",
            1.0,
            !free || self.scheme == LinearScheme::OneVsRest,
            "goes with the scheme ovr: the dual has a condition more, which coordinate descent cannot keep",
        )?;
        self.solver.check()
    }

    fn fit_in(&self, x: &X, y: &Labels, job: &mut Job<'_, X>) -> Result<LinearModel<X, K>> {
        Estimator::<X>::check(self)?;
        if self.scheme == LinearScheme::CrammerSinger {
            return self.fit_together(x, y, job);
        }
        let cost = match self.loss {
            Hinges::Hinge => Cost::Hinge,
            Hinges::Squared => Cost::SquaredHinge,
        };
        let (prices, solver) = ((self.c, &self.class_weights[..]), &self.solver);
        fit(&self.kernel, prices, (solver, cost), (x, y), job, |x, parts, job| {
            solver.solve_with(self.penalty, x, cost, parts, job)
        })
    }
}

impl<K> LinearSvc<K> {
    /// Fits all classes in one problem.
    fn fit_together<X: Points>(&self, x: &X, y: &Labels, job: &mut Job<'_, X>) -> Result<LinearModel<X, K>>
    where
        K: Kernel<X> + Clone,
    {
        check_known(&self.class_weights, y)?;
        let (own, y) = Weighted::classes(x, y, job.weights)?;
        let points = vectors(&self.kernel, &own.points)?;
        let prices = own.times(prices(self.c, &self.class_weights, &y));
        let x = Design::new(points, self.solver.constant());
        let problem = CrammerSinger { x, classes: y.index(), count: y.classes().len(), prices: &prices };
        let Together { weights, certificate, .. } =
            problem.solve(&self.solver.limits(), self.solver.seed, &mut job.rounds());
        let (width, classes) = (points.width(), y.classes().to_vec());
        let mut model =
            LinearModel::of_rows(&self.kernel, &self.solver, Cost::Hinge, width, weights, classes)?;
        (model.scheme, model.certificates) = (LinearScheme::CrammerSinger, vec![certificate]);
        Ok(model)
    }
}

impl<X: Points, K: Kernel<X> + Clone> Estimator<X> for Logistic<K> {
    type Target = Labels;
    type Model = LinearModel<X, K>;
    const KERNEL: Option<&'static str> = Some("linear");

    fn check(&self) -> Result<()> {
        check_prices(self.c, &self.class_weights)?;
        check(
            "solver",
            1.0,
            self.solver.algorithm != Algorithm::Dual,
            "must be auto or newton: coordinate descent is for hinges and insensitive zones",
        )?;
        self.solver.check()
    }

    fn fit_in(&self, x: &X, y: &Labels, job: &mut Job<'_, X>) -> Result<LinearModel<X, K>> {
        Estimator::<X>::check(self)?;
        let (prices, solver, cost) = ((self.c, &self.class_weights[..]), &self.solver, Cost::Logistic);
        fit(&self.kernel, prices, (solver, cost), (x, y), job, |x, parts, job| {
            solver.solve_with(self.penalty, x, cost, parts, job)
        })
    }
}

/// Fits a function for each class, or one for two, by `solve`, which is given the points, their targets and prices for each function.
pub(super) fn fit<X: Points, K: Kernel<X> + Clone>(
    kernel: &K,
    (c, class_weights): (f64, &[(String, f64)]),
    (solver, cost): (&LinearSolver, Cost),
    (x, y): (&X, &Labels),
    job: &mut Job<'_, X>,
    solve: impl FnOnce(&Vectors, &[(Vec<f64>, Vec<f64>)], &mut Job<'_, X>) -> Vec<Answer>,
) -> Result<LinearModel<X, K>> {
    check_known(class_weights, y)?;
    let (own, y) = Weighted::classes(x, y, job.weights)?;
    let points = vectors(kernel, &own.points)?;
    let (classes, factors) = (y.classes().len(), factors(class_weights, y.classes()));
    let of_class = |class: usize| {
        let target = |&of: &u32| if of as usize == class { 1.0 } else { -1.0 };
        let price = |&of: &u32| {
            let factor = if classes == 2 || of as usize == class { factors[of as usize] } else { 1.0 };
            c * factor
        };
        (y.index().iter().map(target).collect(), own.times(y.index().iter().map(price)))
    };
    let parts: Vec<(Vec<f64>, Vec<f64>)> =
        (0..if classes == 2 { 1 } else { classes }).map(of_class).collect();
    let answers = solve(points, &parts, job);
    LinearModel::new(kernel, solver, cost, points.width(), answers, y.classes().to_vec())
}
