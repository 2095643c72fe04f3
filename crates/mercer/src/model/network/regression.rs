//! Regression by a network, of one target or many.

use super::fit::{Goal, Task, check_lambda};
use super::function::{self, Network};
use super::layer::{Centers, Layer, Width};
use crate::model::prelude::*;
use crate::model::spectral::Lambda;

/// Regression by an RBF network, and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct RbfNetworkRegression<K> {
    /// k
    pub kernel: K,
    /// The price of ‖v‖², or how it is found.
    pub lambda: Lambda,
    /// The hidden layer.
    pub layer: Layer,
}

settings! { RbfNetworkRegression<K>:
    lambda: Lambda | into, "lambda", "0 or more; several, separated by commas, or auto: the best at points left out", "price of the squared output weights";
}

impl<K> RbfNetworkRegression<K> {
    /// Centres by k-means, the kernel as the unit, the λ that is best at points left out.
    pub fn new(kernel: K) -> Self {
        Self { kernel, lambda: Lambda::Auto, layer: Layer::default() }
    }

    /// Fits one target.
    ///
    /// # Errors
    /// If a parameter, the points or the targets cannot be used.
    pub fn fit<X: Points>(&self, x: &X, y: &[f64]) -> Result<NetworkRegression<X, K>>
    where
        K: Kernel<X> + Clone,
    {
        self.fit_in(x, &[y.to_vec()], &mut Job::new())
    }
}
super::with_layer!(RbfNetworkRegression);

impl<X: Points, K: Kernel<X> + Clone> Estimator<X> for RbfNetworkRegression<K> {
    type Target = [Vec<f64>];
    type Model = NetworkRegression<X, K>;

    fn check(&self) -> Result<()> {
        self.layer.check()?;
        check_lambda(&self.lambda, false)
    }

    /// Fits several targets with one layer and one λ. With several λ the job's findings have the `path` of errors at points
    /// left out.
    fn fit_in(&self, x: &X, targets: &[Vec<f64>], job: &mut Job<'_, X>) -> Result<NetworkRegression<X, K>> {
        Estimator::<X>::check(self)?;
        check("targets", targets.len() as f64, !targets.is_empty(), "must be one or more")?;
        let one = |target: &Vec<f64>| Weighted::numbers(x, target, job.weights);
        let (mut own, targets): (Vec<_>, Vec<_>) =
            targets.iter().map(one).collect::<Result<Vec<_>>>()?.into_iter().unzip();
        targets.iter().try_for_each(|target| check_targets(target))?;
        let task = Task { kernel: &self.kernel, layer: &self.layer, lambda: &self.lambda };
        let goal = Goal { targets, classes: None, logistic: false };
        Ok(NetworkRegression { network: task.fit(own.swap_remove(0), &goal, job)? })
    }
}

/// Fitted functions, one for each target.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkRegression<X, K> {
    /// The functions.
    pub network: Network<X, K>,
}

impl<X: Points, K: Kernel<X>> NetworkRegression<X, K> {
    /// f at each of `points`, one column for each target, in double precision.
    ///
    /// # Errors
    /// If the points do not fit the functions.
    pub fn values(&self, points: &X) -> Result<Dense<f64>> {
        self.network.rows(points, true)
    }
}

impl<X: Space> Model<X> for NetworkRegression<X, X::Kernel> {
    made_of!("rbf-network-regression" double: network.expansion, network.support);

    fn quality(&self) -> Quality {
        self.network.quality.clone()
    }

    fn facts(&self) -> Facts {
        self.network.facts().with("targets", self.network.expansion.offsets().len())
    }

    fn words(&self) -> String {
        format!("{}, {}", count(self.network.expansion.offsets().len(), "target"), self.network.words())
    }

    fn outputs(&self) -> (&'static str, Vec<String>) {
        ("target", (1..=self.network.expansion.offsets().len()).map(|target| target.to_string()).collect())
    }

    fn decisions(&self, points: &X, _: How) -> Result<Dense<f64>> {
        self.values(points)
    }

    fn is_short(&self, rows: usize, _: How) -> bool {
        self.network.widths.is_empty() && self.network.expansion.is_short(rows, true)
    }

    fn predict(&self, points: &X, _: How) -> Result<Prediction> {
        Ok(Prediction::Values(self.values(points)?))
    }

    fn check(&self) -> Result<Dense<f64>, Flaw> {
        match self.network.expansion.offsets().len() {
            0 => Err("no targets".into()),
            outputs => self.network.check(outputs),
        }
    }

    fn write(&self, writer: &mut Writer) -> Result<(), Flaw> {
        self.network.write(writer)
    }
}

fn read<X: Space>(reader: &mut Reader<'_>) -> Result<NetworkRegression<X, X::Kernel>, Flaw> {
    let outputs = reader.columns("coefficients");
    Ok(NetworkRegression { network: function::read(reader, outputs)? })
}

pub(in crate::model) fn method<X: Space>() -> Method<X> {
    let summary = "RBF network: a layer of units around centres and regression on it by least squares, of one target or many";
    let title = ("rbf-network-regression", summary, "rbf-network-regression", &[] as &[&str]);
    Method::new(title, RbfNetworkRegression::new, RbfNetworkRegression::parameters, read)
}
