//! Classification with all classes in one programme: Crammer–Singer, Weston–Watkins, softmax.
//!
//! One function for each class, no bias: minimise ½ Σ_c ‖w_c‖² + Σᵢ cᵢ ℓ(yᵢ, F(xᵢ)) through its dual
//! ([`solve::together`](crate::solve::together), where the losses are); the class of x is the one with the largest
//! F_c(x) = Σᵢ βᵢ_c k(xᵢ, x).
//!
//! Cost: see [`solve::together`](crate::solve::together). Prediction: one kernel value for each point and each support
//! point, and their product with n × k coefficients.
//!
//! ```
//! use mercer::data::{Labels, Vectors};
//! use mercer::kernel::rbf;
//! use mercer::model::{Loss, Together};
//!
//! let x = Vectors::dense(1, vec![-2.0, -1.8, 0.0, 0.2, 1.9, 2.0]);
//! let y = Labels::first_seen(["low", "low", "middle", "middle", "high", "high"]);
//! let new = Vectors::dense(1, vec![-3.0, 0.1, 2.1]);
//!
//! let model = Together::new(rbf(0.5)).c(10.0).fit(&x, &y)?;
//! assert_eq!(model.predict(&new)?, ["low", "middle", "high"]);
//! assert!(model.certificates[0].gap.unwrap() < 0.01);
//!
//! let model = Together::new(rbf(0.5)).loss(Loss::Softmax).c(10.0).fit(&x, &y)?;
//! let probabilities = model.probabilities(&new)?;
//! assert!(probabilities.row(1)[1] > 0.6);
//! assert!((probabilities.row(0).iter().sum::<f64>() - 1.0).abs() < 1e-12);
//! # Ok::<(), mercer::Error>(())
//! ```

use super::class_weights::{check_known, check_prices, prices};
use super::scores::{self, Fitted, ScoreModel};
use crate::kernel::Definiteness;
use crate::model::prelude::*;
use crate::solve::together::{Loss, MulticlassProblem};

/// A classifier of all classes together and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Together<K> {
    /// k
    pub kernel: K,
    /// ℓ: what a point costs.
    pub loss: Loss,
    /// C > 0: the price of the loss.
    pub c: f64,
    /// Factors on C for the classes named.
    pub class_weights: Vec<(String, f64)>,
    /// How the dual is solved. No point is ever set aside, whatever `shrinking` says. With `exact` the scores are right to
    /// rounding, whatever the order of the points and whether they are weighted or repeated, up to 4096 points (a softmax:
    /// n(k − 1) up to 4096); the certificate says whether it was reached.
    pub solver: Smo,
}

settings! { Together<K>:
    c: f64, "c" 'c', "above 0", "price C of the loss";
    class_weights: Vec<(String, f64)>, "weight" 'w', "above 0 for each class named", "factors on C for the points of some classes";
    /// Fits a classifier.
    fit(Labels) -> ScoreModel;
}

impl<K> Together<K> {
    /// Crammer and Singer's loss, C = 1, no class weights, tolerance 1e-3.
    pub fn new(kernel: K) -> Self {
        let (loss, class_weights) = (Loss::CrammerSinger, Vec::new());
        Self { kernel, loss, c: 1.0, class_weights, solver: Smo::default() }
    }

    /// Sets the loss.
    #[must_use]
    pub fn loss(mut self, loss: Loss) -> Self {
        self.loss = loss;
        self
    }

    /// The parameters that change something: the step is always of one point, and none is set aside.
    fn known_parameters() -> Vec<Parameter<Self>>
    where
        K: 'static,
    {
        let mut rows = Self::parameters();
        rows.retain(|row| !["first-order", "shrinking"].contains(&row.about.name));
        rows
    }
}

impl<X: Points, K: Kernel<X> + Clone> Estimator<X> for Together<K> {
    type Target = Labels;
    type Model = ScoreModel<X, K>;

    fn check(&self) -> Result<()> {
        check_prices(self.c, &self.class_weights)?;
        self.solver.check()
    }

    fn fit_in(&self, x: &X, y: &Labels, job: &mut Job<'_, X>) -> Result<ScoreModel<X, K>> {
        Estimator::<X>::check(self)?;
        check_known(&self.class_weights, y)?;
        let (own, y) = Weighted::classes(x, y, job.weights)?;
        let problem = MulticlassProblem {
            labels: y.index().to_vec(),
            classes: y.classes().len(),
            c: own.times(prices(self.c, &self.class_weights, &y)),
            loss: self.loss,
        };
        let kernel = own.kernel(&self.kernel, job)?;
        let psd = self.kernel.definiteness() == Definiteness::Psd;
        let solver = Smo { psd, ..self.solver.clone() };
        let gram = own.gram(&kernel, job)?;
        let solved = problem.solve(&solver, &*gram, &mut job.rounds());
        let solution = solved.map_err(|error| own.error(error))?;
        job.phases = [job.phases, solution.phases].into_iter().sum();
        let fitted = Fitted {
            coefficients: solution.coefficients,
            offsets: vec![0.0; problem.classes],
            certificates: vec![solution.certificate],
            loss: Some(self.loss),
        };
        Ok(ScoreModel::new(kernel.clone(), &own, y.classes(), fitted))
    }
}

/// The methods of the table, one for each loss.
pub(in crate::model) fn methods<X: Space>() -> [Method<X>; 3] {
    macro_rules! method {
        ($loss:ident, $name:literal, $summary:literal) => {
            Method::new(
                ($name, concat!("all classes in one programme", $summary), $name, &[]),
                |kernel| Together::new(kernel).loss(Loss::$loss),
                Together::known_parameters,
                |reader| scores::read(Some(Loss::$loss), reader),
            )
        };
    }
    [
        method!(CrammerSinger, "crammer-singer", "; only the worst of the other classes costs"),
        method!(WestonWatkins, "weston-watkins", "; each of the other classes costs"),
        method!(Softmax, "softmax", ": multinomial logistic regression with the kernel"),
    ]
}
