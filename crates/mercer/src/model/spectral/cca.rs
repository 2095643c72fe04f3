//! Kernel canonical correlation analysis.
//!
//! [`Cca`] (Hardoon, Szedmak and Shawe-Taylor 2004) takes two views of the same things, xᵢ and yᵢ, and looks for functions f of the
//! one and g of the other that go together: it maximises cov(f(x), g(y)) subject to
//!
//!   var f(x) + κ‖f‖² = 1, var g(y) + κ‖g‖² = 1,
//!
//! then the next pair uncorrelated with the first, and so on. κ is over n: Hardoon's is nκ. Without it every kernel of full rank
//! finds functions that are perfectly correlated, on the training data only; so report correlations
//! on other data ([`CcaModel::correlations_on`]), and choose κ by [`Cca::cross_validate`] or [`Cca::permute`]. With linear
//! kernels and small κ this is Hotelling's analysis.
//!
//! Each Gram matrix enters by its pivoted Cholesky factor, down to 10⁻¹² of its diagonal: exact to rounding, and
//! cheap where a kernel is smooth. Cost for ranks r: n·r kernel values to find the factors and n² for the certificate, n·r²
//! multiplications, a singular value decomposition of r × r; about 4·n·r numbers for each view. The functions are expanded
//! over the r pivots only.
//!
//! ```
//! use mercer::data::Vectors;
//! use mercer::kernel::{linear, rbf};
//! use mercer::model::Cca;
//!
//! // The second view is the square of the first: no line sees it, a Gaussian does.
//! let x: Vec<f64> = (0..40).map(|i| f64::from(i) / 10.0 - 1.95).collect();
//! let y: Vec<f64> = x.iter().map(|x| x * x).collect();
//! let (x, y) = (Vectors::dense(1, x), Vectors::dense(1, y));
//! let model = Cca::new(rbf(0.5), linear()).regularizer(1e-3).components(1).fit(&x, &y)?;
//! assert!(model.correlations[0] > 0.99);
//! let line = Cca::new(linear(), linear()).regularizer(1e-3).components(1).fit(&x, &y)?;
//! assert!(line.correlations[0] < 1e-6);
//! # Ok::<(), mercer::Error>(())
//! ```

mod choose;
mod view;

use super::expansion::{Coefficients, Expansion};
use super::weights::Present;
use crate::data::{Dense, Points};
use crate::error::{DataProblem, ErrorKind, Result, check};
use crate::kernel::Kernel;
use crate::linalg::centered;
use crate::solve::cca::{canonical, combined, correlation};
use crate::solve::{Follow, Plan, room, unfollowed};
use view::{Component, View, turn};

/// Kernel canonical correlation analysis and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Cca<K, L = K> {
    /// k of the first view.
    pub first: K,
    /// k of the second view.
    pub second: L,
    /// κ > 0: the price of ‖f‖² beside the variance of f, in both views.
    pub regularizer: f64,
    /// How many pairs of functions; fewer where a view has a smaller rank.
    pub components: usize,
    /// The largest rank of a Gram matrix; none for its own.
    pub rank: Option<usize>,
    /// A weight for each pair; empty for 1. A whole number is the same as so many copies of the pair, 0 as none.
    pub weights: Vec<f64>,
    /// Bytes that the matrices may take; none for what the machine has.
    pub memory: Option<usize>,
}

/// Fitted pairs of functions.
#[derive(Debug, Clone, PartialEq)]
pub struct CcaModel<X, K, Y = X, L = K> {
    /// f: one output for each component, zero at the mean of the training data.
    pub first: Expansion<X, K>,
    /// g
    pub second: Expansion<Y, L>,
    /// Positions in the training data of the expansion points of f, from 0.
    pub first_support: Vec<usize>,
    /// The same of g.
    pub second_support: Vec<usize>,
    /// ρ = cov(f, g) of each component under the constraint, descending: what was maximised.
    pub values: Vec<f64>,
    /// The correlation of f and g on the training data, of each component.
    pub correlations: Vec<f64>,
    /// κ
    pub regularizer: f64,
    /// The certificate: the largest relative residual of K_x K_y β = ρ(K_x² + nκK_x)α and of its twin, about the means.
    pub residual: f64,
}

impl<K, L> Cca<K, L> {
    /// κ = 0.02, two components.
    pub fn new(first: K, second: L) -> Self {
        Self {
            first,
            second,
            regularizer: 0.02,
            components: 2,
            rank: None,
            weights: Vec::new(),
            memory: None,
        }
    }

    /// Sets κ.
    #[must_use]
    pub fn regularizer(mut self, regularizer: f64) -> Self {
        self.regularizer = regularizer;
        self
    }

    /// Sets how many pairs of functions there are.
    #[must_use]
    pub fn components(mut self, components: usize) -> Self {
        self.components = components;
        self
    }

    /// Sets the largest rank of a Gram matrix: less memory, and an approximation where its own is larger.
    #[must_use]
    pub fn rank(mut self, rank: usize) -> Self {
        self.rank = Some(rank);
        self
    }

    /// Sets a weight for each pair.
    #[must_use]
    pub fn weights(mut self, weights: Vec<f64>) -> Self {
        self.weights = weights;
        self
    }

    /// Sets the bytes that the matrices may take.
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
        check_regularizer(self.regularizer)?;
        check("components", self.components as f64, self.components > 0, "must be at least 1")?;
        self.rank.map_or(Ok(()), |rank| check("rank", rank as f64, rank > 0, "must be at least 1"))
    }

    /// Fits pairs of functions to pairs of points.
    ///
    /// # Errors
    /// If a parameter or the points cannot be used, or the matrices do not fit into memory.
    pub fn fit<X: Points, Y: Points>(&self, x: &X, y: &Y) -> Result<CcaModel<X, K, Y, L>>
    where
        K: Kernel<X> + Clone,
        L: Kernel<Y> + Clone,
    {
        self.fit_followed(x, y, &mut unfollowed())
    }

    /// The same, followed by a callback that sees each step and can end the fit.
    ///
    /// # Errors
    /// As [`Cca::fit`]; [`ErrorKind::Interrupted`] if the callback ends it.
    pub fn fit_followed<X: Points, Y: Points>(
        &self,
        x: &X,
        y: &Y,
        follow: Follow<'_>,
    ) -> Result<CcaModel<X, K, Y, L>>
    where
        K: Kernel<X> + Clone,
        L: Kernel<Y> + Clone,
    {
        let present = self.checked(x, y)?;
        let (x, y) = (&present.points(x), &present.points(y));
        let fitted = self.fit_present(x, y, &present.weights, follow);
        let mut model = fitted.map_err(|error| present.error(error))?;
        present.positions(&mut model.first_support);
        present.positions(&mut model.second_support);
        Ok(model)
    }

    /// Refuses what cannot be fitted to; gives the pairs that are there.
    fn checked<X: Points, Y: Points>(&self, x: &X, y: &Y) -> Result<Present> {
        self.check()?;
        if x.is_empty() {
            return Err(ErrorKind::Data(DataProblem::Empty).into());
        }
        if x.len() != y.len() {
            return Err(ErrorKind::Data(DataProblem::Views { first: x.len(), second: y.len() }).into());
        }
        x.check_finite()?;
        y.check_finite()?;
        let present = Present::new(&self.weights, x.len())?;
        let (n, rank) = (present.weights.len() as u64, self.limit(present.weights.len()) as u64);
        let what = "a pair of Gram matrices in factors";
        room(what, 8 * (4 * n * rank + 4 * rank * rank), self.memory, "take a smaller rank")?;
        Ok(present)
    }

    fn limit(&self, points: usize) -> usize {
        self.rank.unwrap_or(points).min(points)
    }

    fn fit_present<X: Points, Y: Points>(
        &self,
        x: &X,
        y: &Y,
        weights: &[f64],
        follow: Follow<'_>,
    ) -> Result<CcaModel<X, K, Y, L>>
    where
        K: Kernel<X> + Clone,
        L: Kernel<Y> + Clone,
    {
        let stages = [("first view", 1.0), ("second view", 1.0), ("components", 4.0), ("certificate", 1.0)];
        let mut plan = Plan::new(follow, &stages);
        let first = View::new(&self.first, x, self.limit(x.len()), &mut plan.stage(0))?;
        let second = View::new(&self.second, y, self.limit(y.len()), &mut plan.stage(1))?;
        let (total, kappa) = (weights.iter().sum::<f64>(), self.regularizer);
        let (zx, zy) =
            (centered(&first.features.columns, weights), centered(&second.features.columns, weights));
        let found = canonical((&zx, &zy), total, kappa, self.components, &mut plan.stage(2))?;
        let (mut f, mut g) =
            (first.functions(&found.first, weights), second.functions(&found.second, weights));
        turn(&mut f, &mut g);
        let values: Vec<f64> = found.spectrum[..f.len()].to_vec();
        let pairs = f.iter().zip(&g);
        let correlations = pairs.map(|(f, g)| correlation(&f.values, &g.values, weights)).collect();
        let penalty = total * kappa;
        let residuals = [
            first.residual(&f, &g, &values, weights, penalty)?,
            second.residual(&g, &f, &values, weights, penalty)?,
        ];
        plan.stage(3)(1.0).is_continue().then_some(()).ok_or(ErrorKind::Interrupted)?;
        Ok(CcaModel {
            first: expansion(self.first.clone(), x.select(&first.features.pivots), &f),
            second: expansion(self.second.clone(), y.select(&second.features.pivots), &g),
            first_support: first.features.pivots,
            second_support: second.features.pivots,
            values,
            correlations,
            regularizer: kappa,
            residual: residuals[0].max(residuals[1]),
        })
    }
}

/// Refuses κ that is not positive.
fn check_regularizer(kappa: f64) -> Result<()> {
    check("kappa", kappa, kappa > 0.0 && kappa.is_finite(), "must be positive and finite")
}

fn expansion<X: Points, K: Kernel<X>>(kernel: K, points: X, components: &[Component]) -> Expansion<X, K> {
    let (count, outputs) = (points.len(), components.len());
    let values = (0..count).flat_map(|i| components.iter().map(move |c| c.coefficients[i])).collect();
    let coefficients = Coefficients::full(count, outputs, values);
    Expansion::new(kernel, points, coefficients, components.iter().map(|c| c.offset).collect())
}

impl<X: Points, K: Kernel<X>, Y: Points, L: Kernel<Y>> CcaModel<X, K, Y, L> {
    /// f of each of `points` of the first view: one row per point, one column per component. In double precision.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn transform_first(&self, points: &X) -> Result<Dense<f64>> {
        let rows = self.first.map_double(points, <[f64]>::to_vec)?;
        Ok(Dense::new(self.values.len(), rows.concat()))
    }

    /// g of each of `points` of the second view.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn transform_second(&self, points: &Y) -> Result<Dense<f64>> {
        let rows = self.second.map_double(points, <[f64]>::to_vec)?;
        Ok(Dense::new(self.values.len(), rows.concat()))
    }

    /// The correlation of f(x) and g(y) over pairs that need not be those of the training, of each component; 0 where
    /// one of them does not vary.
    ///
    /// # Errors
    /// If the points do not fit the model or each other.
    pub fn correlations_on(&self, x: &X, y: &Y) -> Result<Vec<f64>> {
        if x.len() != y.len() {
            return Err(ErrorKind::Data(DataProblem::Views { first: x.len(), second: y.len() }).into());
        }
        let (f, g) = (self.transform_first(x)?, self.transform_second(y)?);
        let column =
            |rows: &Dense<f64>, k: usize| (0..rows.len()).map(|i| rows.row(i)[k]).collect::<Vec<_>>();
        let weights = vec![1.0; x.len()];
        Ok((0..self.values.len()).map(|k| correlation(&column(&f, k), &column(&g, k), &weights)).collect())
    }
}
