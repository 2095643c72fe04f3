//! RBF networks: a hidden layer of units around centres, and outputs that are linear in them.
//!
//! f(x) = Σⱼ vⱼ hⱼ(x) + b, j = 1 … m. A unit is the kernel itself, hⱼ(x) = k(x, cⱼ), or a Gaussian of the distance that the kernel
//! gives its space, hⱼ(x) = exp(−d²(x, cⱼ)/2σⱼ²) with d²(x, c) = k(x, x) − 2k(x, c) + k(c, c): with the linear kernel the
//! Euclidean one, with a kernel on texts or graphs one on these. (A kernel that is not positive semi-definite can have d² < 0,
//! which counts as 0.)
//!
//! A support vector machine with the same kernel is a function of the same form. It takes its centres from the border between the
//! classes and as many as the data need; a network has them where the points are, of a number that is given, before it has
//! seen a target ([`Layer`]): means or medoids of clusters, all points, or points that orthogonal least squares chooses.
//! What is left is linear: least squares with a penalty λ‖v‖², whose error at points left out is known in closed form for every λ,
//! or the likelihood of the classes.
//!
//! Cost: n·m·d for the centres, n·m²/2 multiplications for the output weights (in single precision where that is accurate
//! enough), and for the choice of λ n·m² + 9m³ more. Memory: three matrices of m × m doubles; never one of n × m.
//!
//! A point of weight w counts as w copies of it.
//!
//! ```
//! use mercer::data::{Labels, Points, Vectors};
//! use mercer::kernel::rbf;
//! use mercer::model::{RbfNetwork, RbfNetworkRegression, Centers};
//!
//! let x = Vectors::dense(1, (0..60).map(|i| f64::from(i) / 10.0).collect());
//! let y: Vec<f64> = (0..60).map(|i| (f64::from(i) / 10.0).sin()).collect();
//! let model = RbfNetworkRegression::new(rbf(0.5)).units(12).fit(&x, &y)?;
//! assert!((model.values(&x)?.row(25)[0] - 2.5f64.sin()).abs() < 1e-3);
//! assert_eq!(model.network.expansion.points().len(), 12);
//!
//! // Centres that are points, chosen for what they explain.
//! let sparse = RbfNetworkRegression::new(rbf(0.5)).centers(Centers::Ols).units(8).fit(&x, &y)?;
//! assert!(sparse.network.support.len() <= 8);
//!
//! let side = Labels::first_seen((0..60).map(|i| if (20..40).contains(&i) { "in" } else { "out" }));
//! let model = RbfNetwork::new(rbf(0.5)).units(12).fit(&x, &side)?;
//! assert_eq!(model.predict(&Vectors::dense(1, vec![3.0, 5.5]))?, ["in", "out"]);
//! # Ok::<(), mercer::Error>(())
//! ```

mod classifier;
mod fit;
mod function;
mod layer;
mod regression;
mod units;

pub use classifier::{NetworkClassifier, OutputFit, RbfNetwork};
pub use function::Network;
pub use layer::{Centers, Layer, Width};
pub use regression::{NetworkRegression, RbfNetworkRegression};

use super::method::Method;
use super::space::Space;

/// The settings of the hidden layer as settings of an estimator that has one as `layer`.
macro_rules! with_layer {
    ($estimator:ident) => {
        impl<K> $estimator<K> {
            /// Sets the hidden layer.
            #[must_use]
            pub fn layer(mut self, layer: Layer) -> Self {
                self.layer = layer;
                self
            }

            /// Sets the number of units; none for ten times the root of the number of points, at most 2,000.
            #[must_use]
            pub fn units(mut self, units: impl Into<Option<usize>>) -> Self {
                self.layer.units = units.into();
                self
            }

            /// Sets how the centres are found.
            #[must_use]
            pub fn centers(mut self, centers: Centers) -> Self {
                self.layer.centers = centers;
                self
            }

            /// Sets what a unit is.
            #[must_use]
            pub fn width(mut self, width: impl Into<Width>) -> Self {
                self.layer.width = width.into();
                self
            }

            /// All parameters by name: its own and those of the layer.
            pub(in crate::model) fn parameters() -> Vec<Parameter<Self>>
            where
                K: 'static,
            {
                let layer = Layer::parameters().into_iter();
                let layer = layer.map(|row| row.of_part(|e: &Self| &e.layer, |e: &mut Self| &mut e.layer));
                Self::own_parameters().into_iter().chain(layer).collect()
            }
        }
    };
}
use with_layer;

pub(super) fn methods<X: Space>() -> Vec<Method<X>> {
    vec![classifier::method(), regression::method()]
}
