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

use crate::linalg::centered;
use crate::model::prelude::*;
use crate::model::weights::fitted;
use crate::solve::cca::{canonical, combined, correlation};
use choose::Trials;
use view::{Component, View, turn};

/// How one of several κ is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Choose {
    /// By the correlations on pairs left out, five folds.
    #[default]
    CrossValidation,
    /// By how far the correlations are from those of pairs torn apart, five times.
    Permutation,
}

words!(Choose: Choose::CrossValidation = "cv", Choose::Permutation = "permutation");

/// Folds, or ways to tear the pairs apart, by which κ is chosen.
const TRIALS: usize = 5;

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
    /// Candidates for κ, of which the best takes its place; empty for κ as it is.
    pub candidates: Vec<f64>,
    /// How one of the candidates is chosen.
    pub choose: Choose,
    /// What the folds, or the ways to tear pairs apart, are drawn by.
    pub seed: u64,
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
    /// Positions in the training data of the expansion points of g, from 0.
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
            candidates: Vec::new(),
            choose: Choose::CrossValidation,
            seed: 0,
        }
    }

    /// Sets κ.
    #[must_use]
    pub fn regularizer(mut self, regularizer: f64) -> Self {
        (self.regularizer, self.candidates) = (regularizer, Vec::new());
        self
    }

    /// Sets several κ, of which `choose` takes the best when the functions are fitted.
    #[must_use]
    pub fn candidates(mut self, candidates: Vec<f64>, choose: Choose) -> Self {
        (self.candidates, self.choose) = (candidates, choose);
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
    pub fn rank(mut self, rank: impl Into<Option<usize>>) -> Self {
        self.rank = rank.into();
        self
    }

    /// Refuses parameters out of range.
    ///
    /// # Errors
    /// The first rule broken.
    pub fn check(&self) -> Result<()> {
        check_regularizer(self.regularizer)?;
        self.candidates.iter().try_for_each(|&kappa| check_regularizer(kappa))?;
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
        self.fit_views(x, y, &mut Job::new())
    }

    /// Fits pairs of functions under the circumstances of a job; the views may be of different spaces. Where there are
    /// several κ, the job's findings have the `scores` of all, in their order, and as `tried` each κ with its score.
    ///
    /// # Errors
    /// As [`Cca::fit`].
    pub fn fit_views<X: Points, Y: Points>(
        &self,
        x: &X,
        y: &Y,
        job: &mut Job<'_, X>,
    ) -> Result<CcaModel<X, K, Y, L>>
    where
        K: Kernel<X> + Clone,
        L: Kernel<Y> + Clone,
    {
        if !self.candidates.is_empty() {
            let trials = Trials { candidates: &self.candidates, count: TRIALS, seed: self.seed };
            let scores = self.scores(self.choose, &trials, x, y, job)?;
            let best = self.candidates[first_largest(&scores)];
            let tried = self.candidates.iter().zip(&scores);
            let tried =
                tried.map(|(kappa, score)| Facts::default().with("kappa", *kappa).with("score", *score));
            job.found.add("tried", tried.collect::<Vec<_>>());
            job.found.add("scores", scores);
            return self.clone().regularizer(best).fit_views(x, y, job);
        }
        let own = self.checked(x, y, job)?;
        let y = own.others(y);
        let fitted = self.fitted(&own, &y, job)?;
        let mut model = fitted.fit_pairs(&own, &y, job).map_err(|error| own.error(error))?;
        model.first_support = own.positions(model.first_support);
        model.second_support = own.positions(model.second_support);
        Ok(model)
    }

    /// Refuses what cannot be fitted to; gives the pairs of positive weight.
    fn checked<X: Points, Y: Points>(&self, x: &X, y: &Y, job: &Job<'_, X>) -> Result<Weighted<X>> {
        self.check()?;
        if !x.is_empty() && x.len() != y.len() {
            return Err(ErrorKind::Data(DataProblem::Views { first: x.len(), second: y.len() }).into());
        }
        let own = Weighted::new(x, job.weights)?;
        y.check_finite()?;
        let (n, rank) = (own.weights.len() as u64, self.limit(own.weights.len()) as u64);
        let what = "a pair of Gram matrices in factors";
        room(what, 8 * (4 * n * rank + 4 * rank * rank), job.memory, "take a smaller rank")?;
        Ok(own)
    }

    /// The analysis with the kernels fitted to their views.
    fn fitted<X: Points, Y: Points>(&self, own: &Weighted<X>, y: &Y, job: &mut Job<'_, X>) -> Result<Self>
    where
        K: Kernel<X> + Clone,
        L: Kernel<Y> + Clone,
    {
        let first = own.kernel(&self.first, job)?;
        let second = fitted(&self.second, y, &own.weights, job);
        Ok(Self { first, second: second.map_err(|error| own.error(error))?, ..self.clone() })
    }

    fn limit(&self, points: usize) -> usize {
        self.rank.unwrap_or(points).min(points)
    }

    fn fit_pairs<X: Points, Y: Points>(
        &self,
        own: &Weighted<X>,
        y: &Y,
        job: &mut Job<'_, X>,
    ) -> Result<CcaModel<X, K, Y, L>>
    where
        K: Kernel<X> + Clone,
        L: Kernel<Y> + Clone,
    {
        let stages = [("first view", 1.0), ("second view", 1.0), ("components", 4.0), ("certificate", 1.0)];
        let (x, weights) = (&own.points, own.weights.as_slice());
        let mut watch = job.stages();
        let mut plan = Plan::new(&mut watch, &stages);
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

fn check_regularizer(kappa: f64) -> Result<()> {
    check("kappa", kappa, kappa > 0.0 && kappa.is_finite(), "must be positive and finite")
}

fn expansion<X: Points, K: Kernel<X>>(kernel: K, points: X, components: &[Component]) -> Expansion<X, K> {
    let lists: Vec<&[f64]> = components.iter().map(|c| c.coefficients.as_slice()).collect();
    let coefficients = Coefficients::columns(points.len(), &lists);
    Expansion::new(kernel, points, coefficients, components.iter().map(|c| c.offset).collect())
}

impl<X: Points, K: Kernel<X>, Y: Points, L: Kernel<Y>> CcaModel<X, K, Y, L> {
    /// f of each of `points` of the first view: one row per point, one column per component. In double precision.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn transform_first(&self, points: &X) -> Result<Dense<f64>> {
        self.first.rows(points, true)
    }

    /// g of each of `points` of the second view.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn transform_second(&self, points: &Y) -> Result<Dense<f64>> {
        self.second.rows(points, true)
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

impl<X: Space> Model<X> for CcaModel<X, X::Kernel> {
    made_of!("cca" double: first, first_support);

    fn quality(&self) -> Quality {
        Quality::direct(self.residual)
    }

    fn facts(&self) -> Facts {
        Facts::default()
            .with("second_kernel", self.second.kernel().to_string())
            .with("second_features", self.second.points().width())
            .with("second_support_positions", self.second_support.as_slice())
            .with("kappa", self.regularizer)
            .with("values", self.values.as_slice())
            .with("correlations", self.correlations.as_slice())
            .with("expansion_points", vec![self.first.points().len(), self.second.points().len()])
    }

    fn words(&self) -> String {
        let (kernel, features) = (self.second.kernel(), count(self.second.points().width(), "feature"));
        format!("kappa = {}; second view: {features}, {kernel}", short(self.regularizer))
    }

    fn outputs(&self) -> (&'static str, Vec<String>) {
        ("component", (1..=self.values.len()).map(|k| k.to_string()).collect())
    }

    fn is_short(&self, _: usize, _: How) -> bool {
        false
    }

    fn predict(&self, _: &X, _: How) -> Result<Prediction> {
        without("cca", "predictions (mercer transform has its components)")
    }

    fn components(&self, points: &X) -> Result<Dense<f64>> {
        self.transform_first(points)
    }

    fn second_components(&self, points: &X) -> Result<Dense<f64>> {
        self.transform_second(points)
    }

    fn check(&self) -> Result<Dense<f64>, Flaw> {
        let components = self.values.len();
        if components == 0 {
            return Err("no components".into());
        }
        parts::same("correlations", self.correlations.len(), components)?;
        let possible = |value: &f64| (-1.0 - 1e-9..=1.0 + 1e-9).contains(value);
        if !self.values.iter().chain(&self.correlations).all(possible) {
            return Err("a correlation does not lie between -1 and 1".into());
        }
        parts::check_residual(self.regularizer, self.residual)?;
        parts::check(&self.second, components, &self.second_support)
            .map_err(|flaw| format!("second view: {flaw}"))?;
        parts::check(&self.first, components, &self.first_support)
    }

    /// The second view under the prefix `second.`: the entry `second.kernel` and what it is fitted to, tensors `second.coefficients`,
    /// `second.offsets`, `second.support` and its points. Tensors `values` and `correlations` (one for each component),
    /// `regularizer` and `residual` (one number each).
    fn write(&self, writer: &mut Writer) -> Result<(), Flaw> {
        let (second, components) = (&self.second, self.values.len());
        parts::write_kernel::<X>(second.kernel(), "second.", writer)?;
        writer.table("second.coefficients", &parts::check(second, components, &self.second_support)?);
        writer.list("second.offsets", second.offsets());
        writer.counts("second.support", &self.second_support);
        second.points().write("second.", writer);
        writer.list("values", &self.values);
        writer.list("correlations", &self.correlations);
        writer.list("regularizer", &[self.regularizer]);
        writer.list("residual", &[self.residual]);
        Ok(())
    }
}

fn read<X: Space>(reader: &mut Reader<'_>) -> Result<CcaModel<X, X::Kernel>, Flaw> {
    let values: Vec<f64> = reader.list("values")?;
    parts::no_certificates(reader)?;
    Ok(CcaModel {
        first: parts::read_full(reader, "", values.len())?,
        second: parts::read_full(reader, "second.", values.len())?,
        first_support: reader.counts("support")?,
        second_support: reader.counts("second.support")?,
        values,
        correlations: reader.list("correlations")?,
        regularizer: parts::number(reader, "regularizer")?,
        residual: parts::number(reader, "residual")?,
    })
}

/// The analysis as a method of the table: the kernel of the second view may be left open until its points are there.
#[derive(Clone)]
struct Views<K> {
    cca: Cca<K>,
    second: Option<K>,
    choose: Option<Choose>,
}

impl<X: Space> Estimator<X> for Views<X::Kernel> {
    type Target = X;
    type Model = CcaModel<X, X::Kernel>;

    fn check(&self) -> Result<()> {
        self.second.iter().try_for_each(X::check_kernel)?;
        if let (Some(choose), []) = (self.choose, self.cca.candidates.as_slice()) {
            let (value, rule) = (choose.value().to_string().into(), "given with several numbers to kappa");
            return Err(ErrorKind::Setting { name: "choose", value, rule }.into());
        }
        self.cca.check()
    }

    fn fit_in(&self, x: &X, y: &X, job: &mut Job<'_, X>) -> Result<CcaModel<X, X::Kernel>> {
        let second = self.second.clone().unwrap_or_else(|| y.usual_kernel());
        Cca { second, choose: self.choose.unwrap_or_default(), ..self.cca.clone() }.fit_views(x, y, job)
    }
}

fn parameters<X: Space>() -> Vec<Parameter<Views<X::Kernel>>> {
    let kappa = Parameter::with(
        (
            "kappa",
            None,
            "above 0; several, separated by commas: the best by choose",
            "price kappa of the squared norms beside the variances",
        ),
        Kind::Numbers,
        |views: &Views<X::Kernel>| match views.cca.candidates.as_slice() {
            [] => Value::Number(views.cca.regularizer),
            several => Value::Numbers(several.to_vec()),
        },
        |views, value| match value {
            Value::Numbers(several) => {
                views.cca.candidates.clone_from(several);
                true
            }
            other => {
                views.cca.candidates.clear();
                views.cca.regularizer.assign(other)
            }
        },
    );
    let meaning = "kernel of the second view; rbf with gamma = 1/features where left open";
    let second = Parameter::with(
        ("second-kernel", None, "a kernel", meaning),
        Kind::Kernel,
        |views: &Views<X::Kernel>| {
            views.second.as_ref().map_or(Value::Absent, |kernel| Value::Word(kernel.to_string()))
        },
        |views, value| match value {
            Value::Absent => {
                views.second = None;
                true
            }
            Value::Word(text) => text.parse().map(|kernel| views.second = Some(kernel)).is_ok(),
            _ => false,
        },
    );
    let fields = rows! { Views<X::Kernel>:
        choose, "choose", "cv or permutation, with several kappa", "rule by which one of several kappa is chosen; cv where left open";
        cca.seed, "seed", "a whole number", "seed by which the trials of choose are drawn";
        cca.components, "components", "1 or more", "number of pairs of functions";
        cca.rank, "rank", "1 or more", "largest rank of a Gram matrix: less is faster, and an approximation; its own where left open";
    };
    [kappa].into_iter().chain(fields).chain([second]).collect()
}

pub(in crate::model) fn method<X: Space>() -> Method<X> {
    let summary = "canonical correlations: functions of two views that go together";
    let new = |kernel: X::Kernel| Views { cca: Cca::new(kernel.clone(), kernel), second: None, choose: None };
    Method::new(("cca", summary, "cca", &[]), new, parameters::<X>, read)
}
