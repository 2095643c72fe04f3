//! Linear classifiers: support vector machines and logistic regression.
//!
//! Minimise ½‖w‖² + Σ Cᵢ cost(yᵢ⟨w, xᵢ⟩) with the hinge max(0, 1 − m), its square, or log(1 + e^(−m)). Two classes have one vector
//! w, which is positive for the first; more have one for each class, fitted to tell it from all others (the factors on C for some
//! classes then count for the points of the class itself, as in LIBLINEAR). The offset is the weight of a constant feature and
//! costs as the others do, unless it is left free.
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

use super::{Cost, LinearModel, LinearSolver, vectors};
use crate::model::prelude::*;
use crate::model::svm::class_weights::{check_known, check_prices, factors, priced_by_class};

/// What a margin error costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hinges {
    /// max(0, 1 − m)
    Hinge,
    /// max(0, 1 − m)²
    Squared,
}
words!(Hinges: Hinges::Hinge = "hinge", Hinges::Squared = "squared-hinge");

/// A linear support vector machine and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearSvc<K> {
    /// k, which must be the inner product.
    pub kernel: K,
    /// C > 0: the price of a margin error.
    pub c: f64,
    /// What a margin error costs.
    pub loss: Hinges,
    /// Factors on C for the points of some classes.
    pub class_weights: Vec<(String, f64)>,
    /// The offset, how the problem is solved and when that ends.
    pub solver: LinearSolver,
}

settings! { LinearSvc<K>:
    c: f64, "c" 'c', "above 0", "price C of a margin error";
    loss: Hinges, "loss", "hinge or squared-hinge", "cost of a margin error: its size, or its square";
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
    /// Factors on C for the points of some classes.
    pub class_weights: Vec<(String, f64)>,
    /// The offset, how the problem is solved and when that ends.
    pub solver: LinearSolver,
}

settings! { Logistic<K>:
    c: f64, "c" 'c', "above 0", "price C of an error";
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
            class_weights: Vec::new(),
            solver: LinearSolver::default(),
        }
    }
}

impl<K> Logistic<K> {
    /// C = 1, an offset, a gap of 1e-4.
    pub fn new(kernel: K) -> Self {
        Self { kernel, c: 1.0, class_weights: Vec::new(), solver: LinearSolver::default() }
    }
}

impl<X: Points, K: Kernel<X> + Clone> Estimator<X> for LinearSvc<K> {
    type Target = Labels;
    type Model = LinearModel<X, K>;
    const KERNEL: Option<&'static str> = Some("linear");

    fn check(&self) -> Result<()> {
        check_prices(self.c, &self.class_weights)?;
        self.solver.check()
    }

    fn fit_in(&self, x: &X, y: &Labels, job: &mut Job<'_, X>) -> Result<LinearModel<X, K>> {
        Estimator::<X>::check(self)?;
        let cost = match self.loss {
            Hinges::Hinge => Cost::Hinge,
            Hinges::Squared => Cost::SquaredHinge,
        };
        fit(&self.kernel, cost, (self.c, &self.class_weights), &self.solver, (x, y), job)
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
            self.solver.algorithm != super::Algorithm::Dual,
            "must be auto or newton: coordinate descent is for hinges and insensitive zones",
        )?;
        self.solver.check()
    }

    fn fit_in(&self, x: &X, y: &Labels, job: &mut Job<'_, X>) -> Result<LinearModel<X, K>> {
        Estimator::<X>::check(self)?;
        fit(&self.kernel, Cost::Logistic, (self.c, &self.class_weights), &self.solver, (x, y), job)
    }
}

fn fit<X: Points, K: Kernel<X> + Clone>(
    kernel: &K,
    cost: Cost,
    (c, class_weights): (f64, &[(String, f64)]),
    solver: &LinearSolver,
    (x, y): (&X, &Labels),
    job: &mut Job<'_, X>,
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
    let answers = solver.solve(points, cost, &parts, job);
    LinearModel::new(kernel, solver, cost, points.width(), answers, y.classes().to_vec())
}
