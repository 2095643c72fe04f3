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

use super::path::{self, Priced, least_c};
use super::{Algorithm, CPath, Cost, LinearModel, LinearSolver, Part, occurring, stream, tell_exact_gap};
use crate::data::{Stream, Vectors};
use crate::error::goes;
use crate::model::prelude::*;
use crate::model::svm::class_weights::{check_known, check_prices, factors, priced_by_class, prices};
use crate::model::words::named;
use crate::solve::linear::{Answer, Design, Joint, JointCost, Together};

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
    /// All classes in one problem: the sum over c ≠ y of max(0, 1 + ⟨w_c − w_y, x⟩), after Weston and Watkins.
    WestonWatkins,
    /// All classes in one problem: minus the logarithm of the share of exp⟨w_y, x⟩ in those of all classes.
    Softmax,
}
named!(LinearScheme: OneVsRest = "ovr", CrammerSinger = "crammer-singer", WestonWatkins = "weston-watkins", Softmax = "softmax");
words!(LinearScheme: LinearScheme::OneVsRest = "ovr", LinearScheme::CrammerSinger = "crammer-singer",
    LinearScheme::WestonWatkins = "weston-watkins", LinearScheme::Softmax = "softmax");

impl LinearScheme {
    /// What errors cost where all classes are in one problem.
    fn joint(self) -> Option<JointCost> {
        match self {
            Self::OneVsRest => None,
            Self::CrammerSinger => Some(JointCost::CrammerSinger),
            Self::WestonWatkins => Some(JointCost::WestonWatkins),
            Self::Softmax => Some(JointCost::Softmax),
        }
    }
}

/// A linear support vector machine and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearSvc<K> {
    /// k, which must be the inner product.
    pub kernel: K,
    /// C > 0: the price of a margin error.
    pub c: f64,
    /// What a margin error costs; where it is left open its square, of all classes in one problem its size.
    pub loss: Option<Hinges>,
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
    loss: Option<Hinges> | into, "loss", "hinge or squared-hinge", "cost of a margin error: its size, or its square; where left open the square, and of all classes in one problem the size";
    penalty: Penalty, "penalty", "l2 or l1", "cost of the weights: half their squares, or their absolute values, of which most are then 0 (with squared-hinge)";
    scheme: LinearScheme, "scheme", "ovr, crammer-singer or weston-watkins", "how classes are told apart: each from all others, or all in one problem, whose loss is the hinge";
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
    /// How several classes are told apart.
    pub scheme: LinearScheme,
    /// Factors on C for the points of some classes.
    pub class_weights: Vec<(String, f64)>,
    /// The offset, how the problem is solved and when that ends.
    pub solver: LinearSolver,
}

settings! { Logistic<K>:
    c: f64, "c" 'c', "above 0", "price C of an error";
    penalty: Penalty, "penalty", "l2 or l1", "cost of the weights: half their squares, or their absolute values, of which most are then 0";
    scheme: LinearScheme, "scheme", "ovr or softmax", "how more than two classes are told apart: each from all others, or all in one problem";
    class_weights: Vec<(String, f64)>, "weight" 'w', "above 0 for each class named", "factors on C for the points of some classes";
    /// Fits a classifier with probabilities.
    fit(Labels) -> LinearModel;
}

priced_by_class!(LinearSvc, Logistic);

impl<K> LinearSvc<K> {
    /// What errors cost.
    fn cost(&self) -> Cost {
        match self.loss {
            Some(Hinges::Hinge) => Cost::Hinge,
            Some(Hinges::Squared) | None => Cost::SquaredHinge,
        }
    }

    /// C = 1, squared hinge, an offset, a gap of 1e-4.
    pub fn new(kernel: K) -> Self {
        Self {
            kernel,
            c: 1.0,
            loss: None,
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
            scheme: LinearScheme::OneVsRest,
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
        let (l1, ovr) = (self.penalty == Penalty::L1, self.scheme == LinearScheme::OneVsRest);
        let hinge = self.loss == Some(Hinges::Hinge);
        goes(
            ovr || self.loss != Some(Hinges::Squared),
            "loss",
            "squared-hinge",
            "hinge where all classes are in one problem",
        )?;
        goes(
            self.scheme != LinearScheme::Softmax,
            "scheme",
            "softmax",
            "one of the hinges'; softmax is logistic's",
        )?;
        goes(
            !l1 || (!hinge && ovr),
            "penalty",
            "l1",
            "l2, but for the loss squared-hinge with the scheme ovr",
        )?;
        let dual = self.solver.algorithm == Algorithm::Dual;
        goes(!l1 || !dual, "solver", "dual", "auto or newton for the penalty l1")?;
        let watkins = self.scheme == LinearScheme::WestonWatkins;
        let free = self.solver.offset && self.solver.free_offset;
        goes(!watkins || !free, "free-offset", "true", "left out with the scheme weston-watkins")?;
        goes(
            ovr || self.solver.path == CPath::None,
            "scheme",
            self.scheme.name(),
            "ovr where there is a path of C: other schemes begin each fit anew",
        )?;
        self.solver.check()
    }

    fn fit_in(&self, x: &X, y: &Labels, job: &mut Job<'_, X>) -> Result<LinearModel<X, K>> {
        Estimator::<X>::check(self)?;
        path::fit(self, x, y, job)
    }

    fn fit_path(&self, x: &X, y: &Labels, job: &mut Job<'_, X>) -> Result<Vec<(f64, LinearModel<X, K>)>> {
        Estimator::<X>::check(self)?;
        path::models(self, x, y, job)
    }

    fn fit_stream(&self, x: &Stream, y: &Labels, job: &mut Job<'_, X>) -> Result<LinearModel<X, K>> {
        Estimator::<X>::check(self)?;
        stream::check(&self.solver, self.penalty, self.scheme)?;
        let cost = self.cost();
        stream::fit_classes(&self.kernel, (self.c, &self.class_weights), (&self.solver, cost), (x, y), job)
    }
}

impl<X: Points, K: Kernel<X> + Clone> Priced<X, K> for LinearSvc<K> {
    fn price(&self) -> f64 {
        self.c
    }

    fn priced(&self, c: f64) -> Self {
        Self { c, ..self.clone() }
    }

    fn solver(&self) -> &LinearSolver {
        &self.solver
    }

    fn fit_one(&self, x: &X, y: &Labels, job: &mut Job<'_, X>) -> Result<LinearModel<X, K>> {
        let prices = (self.c, &self.class_weights[..]);
        if let Some(cost) = self.scheme.joint() {
            return fit_together((&self.kernel, &self.solver), prices, (self.scheme, cost), (x, y), job);
        }
        let cost = self.cost();
        let solver = &self.solver;
        fit(&self.kernel, prices, (solver, cost, self.penalty), (x, y), job, |x, parts, job| {
            solver.solve_with(self.penalty, x, cost, parts, job)
        })
    }

    fn least(&self, x: &X, y: &Labels, job: &mut Job<'_, X>) -> Result<Option<f64>> {
        let (own, _, parts) = parts((1.0, &self.class_weights), (x, y), job)?;
        let kernel = own.kernel(&self.kernel, job)?;
        let (points, _) = occurring(&kernel, &own.points, parts.len())?;
        Ok(least_c(&self.solver, (self.penalty, self.cost()), &points, &parts))
    }
}

/// Fits all classes in one problem.
fn fit_together<X: Points, K: Kernel<X> + Clone>(
    (kernel, solver): (&K, &LinearSolver),
    (c, class_weights): (f64, &[(String, f64)]),
    (scheme, cost): (LinearScheme, JointCost),
    (x, y): (&X, &Labels),
    job: &mut Job<'_, X>,
) -> Result<LinearModel<X, K>> {
    check_known(class_weights, y)?;
    let (own, y) = Weighted::classes(x, y, job.weights)?;
    let kernel = &own.kernel(kernel, job)?;
    let (points, features) = occurring(kernel, &own.points, y.classes().len())?;
    let problem = Joint {
        x: Design::new(&points, solver.constant()),
        classes: y.index(),
        count: y.classes().len(),
        prices: &own.times(prices(c, class_weights, &y)),
        cost,
        free_offset: solver.offset && solver.free_offset,
    };
    let Together { weights, certificate, .. } =
        problem.solve(solver.algorithm, &solver.limits(), solver.seed, &mut job.rounds());
    let one = if scheme == LinearScheme::Softmax { Cost::Logistic } else { Cost::Hinge };
    let answers = (weights, vec![certificate]);
    let mut model = LinearModel::of_rows(kernel, solver, one, &features, answers, y.classes().to_vec())?;
    model.scheme = scheme;
    Ok(model.of_inputs(own.points.width()))
}

impl<X: Points, K: Kernel<X> + Clone> Estimator<X> for Logistic<K> {
    type Target = Labels;
    type Model = LinearModel<X, K>;
    const KERNEL: Option<&'static str> = Some("linear");

    fn check(&self) -> Result<()> {
        check_prices(self.c, &self.class_weights)?;
        let dual = self.solver.algorithm == Algorithm::Dual;
        let single = self.penalty == Penalty::L2 && self.scheme == LinearScheme::OneVsRest;
        goes(single || !dual, "solver", "dual", "auto or newton for the penalty l1 and the scheme softmax")?;
        let known = matches!(self.scheme, LinearScheme::OneVsRest | LinearScheme::Softmax);
        goes(known, "scheme", self.scheme.name(), "ovr or softmax")?;
        let both = self.penalty == Penalty::L1 && self.scheme == LinearScheme::Softmax;
        goes(!both, "penalty", "l1", "l2, but for the scheme ovr")?;
        goes(
            self.scheme == LinearScheme::OneVsRest || self.solver.path == CPath::None,
            "scheme",
            self.scheme.name(),
            "ovr where there is a path of C: other schemes begin each fit anew",
        )?;
        self.solver.check()
    }

    fn fit_in(&self, x: &X, y: &Labels, job: &mut Job<'_, X>) -> Result<LinearModel<X, K>> {
        Estimator::<X>::check(self)?;
        path::fit(self, x, y, job)
    }

    fn fit_path(&self, x: &X, y: &Labels, job: &mut Job<'_, X>) -> Result<Vec<(f64, LinearModel<X, K>)>> {
        Estimator::<X>::check(self)?;
        path::models(self, x, y, job)
    }

    fn fit_stream(&self, x: &Stream, y: &Labels, job: &mut Job<'_, X>) -> Result<LinearModel<X, K>> {
        Estimator::<X>::check(self)?;
        let two = y.classes().len() == 2;
        let scheme = if two { LinearScheme::OneVsRest } else { self.scheme };
        stream::check(&self.solver, self.penalty, scheme)?;
        let (prices, cost) = ((self.c, &self.class_weights[..]), Cost::Logistic);
        stream::fit_classes(&self.kernel, prices, (&self.solver, cost), (x, y), job)
    }
}

impl<X: Points, K: Kernel<X> + Clone> Priced<X, K> for Logistic<K> {
    fn price(&self) -> f64 {
        self.c
    }

    fn priced(&self, c: f64) -> Self {
        Self { c, ..self.clone() }
    }

    fn solver(&self) -> &LinearSolver {
        &self.solver
    }

    fn fit_one(&self, x: &X, y: &Labels, job: &mut Job<'_, X>) -> Result<LinearModel<X, K>> {
        let (prices, solver, cost) = ((self.c, &self.class_weights[..]), &self.solver, Cost::Logistic);
        // Of two classes both are the same problem up to the penalty; one function says as much as two.
        if let (Some(joint), true) = (self.scheme.joint(), y.classes().len() > 2) {
            return fit_together((&self.kernel, solver), prices, (self.scheme, joint), (x, y), job);
        }
        fit(&self.kernel, prices, (solver, cost, self.penalty), (x, y), job, |x, parts, job| {
            solver.solve_with(self.penalty, x, cost, parts, job)
        })
    }

    fn least(&self, x: &X, y: &Labels, job: &mut Job<'_, X>) -> Result<Option<f64>> {
        let (own, _, parts) = parts((1.0, &self.class_weights), (x, y), job)?;
        let kernel = own.kernel(&self.kernel, job)?;
        let (points, _) = occurring(&kernel, &own.points, parts.len())?;
        Ok(least_c(&self.solver, (self.penalty, Cost::Logistic), &points, &parts))
    }
}

/// Fits a function for each class, or one for two, by `solve`, which is given the points, their targets and prices for each function.
pub(super) fn fit<X: Points, K: Kernel<X> + Clone>(
    kernel: &K,
    (c, class_weights): (f64, &[(String, f64)]),
    (solver, cost, penalty): (&LinearSolver, Cost, Penalty),
    (x, y): (&X, &Labels),
    job: &mut Job<'_, X>,
    solve: impl FnOnce(&Vectors, &[Part], &mut Job<'_, X>) -> Vec<Answer>,
) -> Result<LinearModel<X, K>> {
    let (own, y, parts) = parts((c, class_weights), (x, y), job)?;
    let kernel = &own.kernel(kernel, job)?;
    let (points, features) = occurring(kernel, &own.points, parts.len())?;
    let answers = solve(&points, &parts, job);
    if penalty == Penalty::L2 {
        tell_exact_gap(kernel, (&own.points, &points), &answers, job)?;
    }
    let model = LinearModel::new(kernel, solver, cost, &features, answers, y.classes().to_vec())?;
    Ok(model.of_inputs(own.points.width()))
}

/// The points with a weight, their classes, and targets and prices of each function.
fn parts<X: Points>(
    (c, class_weights): (f64, &[(String, f64)]),
    (x, y): (&X, &Labels),
    job: &Job<'_, X>,
) -> Result<(Weighted<X>, Labels, Vec<Part>)> {
    check_known(class_weights, y)?;
    let (own, y) = Weighted::classes(x, y, job.weights)?;
    let (classes, factors) = (y.classes().len(), factors(class_weights, y.classes()));
    let of_class = |class: usize| (targets_of(&y, class), own.times(prices_of(&y, class, c, &factors)));
    let parts = (0..if classes == 2 { 1 } else { classes }).map(of_class).collect();
    Ok((own, y, parts))
}

/// 1 for the points of a class, −1 for all others.
pub(super) fn targets_of(y: &Labels, class: usize) -> Vec<f64> {
    y.index().iter().map(|&of| if of as usize == class { 1.0 } else { -1.0 }).collect()
}

/// The price of each point in the function of a class; of two classes in the one function.
pub(super) fn prices_of(y: &Labels, class: usize, c: f64, factors: &[f64]) -> impl Iterator<Item = f64> {
    let classes = y.classes().len();
    y.index().iter().map(move |&of| {
        let factor = if classes == 2 || of as usize == class { factors[of as usize] } else { 1.0 };
        c * factor
    })
}
