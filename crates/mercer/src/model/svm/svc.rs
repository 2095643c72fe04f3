//! Support vector classification.
//!
//! Two classes: minimise ½‖w‖² + Σ cᵢ ξᵢ subject to yᵢ(w·φ(xᵢ) − b) ≥ 1 − ξᵢ, ξᵢ ≥ 0, through its dual
//! ([`Problem::c_svc`]); the decision is f(x) = Σ βᵢ k(xᵢ, x) − b. More classes: one such machine for each pair, and
//! a [vote](VoteRule). Variants: [squared slacks](Slack::Squared), [no offset](Svc::offset), an infinite C, which allows no errors.
//!
//! Cost: see [`Smo`] for each pair; pairs run side by side. Prediction: one kernel value for each point and each
//! support point of the union over all pairs, shared by all of them.
//!
//! ```
//! use mercer::data::{Labels, Vectors};
//! use mercer::kernel::rbf;
//! use mercer::model::Svc;
//!
//! let x = Vectors::dense(1, vec![-2.0, -1.0, 1.0, 2.0]);
//! let y = Labels::first_seen(["low", "low", "high", "high"]);
//! let model = Svc::new(rbf(0.5)).c(10.0).fit(&x, &y)?;
//! assert_eq!(model.predict(&Vectors::dense(1, vec![-1.5, 3.0]))?, ["low", "high"]);
//! assert!(model.certificates[0].gap.unwrap() < 0.01);
//! # Ok::<(), mercer::Error>(())
//! ```

use super::class_weights::{check_factors, check_known, factors};
use super::pairs::{Pair, Pairs, learn_by_pairs};
use super::vote::{VoteRule, pairs};
use crate::model::prelude::*;

/// What a margin error ξ costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Slack {
    /// C ξ
    #[default]
    Linear,
    /// ½ C ξ²: a hard margin with K + I/C in place of K. (LIBLINEAR's squared hinge is C ξ².)
    Squared,
}

settable! {
    Slack: Flag, |slack| Value::Flag(*slack == Self::Squared), |value| {
        value.flag().map(|squared| if squared { Self::Squared } else { Self::Linear })
    };
}

/// C-SVC, one-vs-one for more than two classes.
#[derive(Debug, Clone, PartialEq)]
pub struct Svc<K> {
    /// k
    pub kernel: K,
    /// C > 0: the price of a margin error. Infinite: no errors, and data that has no function without is refused.
    pub c: f64,
    /// Whether C is the price of the mean error: each then costs C/n, n the points of all classes.
    pub mean: bool,
    /// What a margin error costs.
    pub slack: Slack,
    /// Whether there is an offset b; without, the decision is Σ βᵢ k(xᵢ, x) alone.
    pub offset: bool,
    /// Factors on C for the classes named; a class named twice has the product.
    pub class_weights: Vec<(String, f64)>,
    /// How the decisions of the pairs become a class.
    pub rule: VoteRule,
    /// How the dual is solved.
    pub solver: Smo,
}

settings! { Svc<K>:
    c: f64, "c" 'c', "above 0; inf allows no errors", "price C of a margin error";
    class_weights: Vec<(String, f64)>, "weight" 'w', "above 0 for each class named", "factors on C for the points of some classes";
    slack: Slack, "squared", "a flag", "cost of margin errors: by their squares, C/2 each, in place of C each";
    offset: bool, "offset", "a flag", "constant of the decision";
    mean: bool, "mean", "a flag", "price C as that of the mean error: each then costs C/n";
    rule: VoteRule, "multiclass", "ovo or ovo-sum", "rule by which the decisions of all pairs become a class: votes, or sums";
    /// Fits a classifier.
    fit(Labels) -> SvcModel;
}

impl<K> Svc<K> {
    /// C = 1, no class weights, tolerance 1e-3.
    pub fn new(kernel: K) -> Self {
        Self {
            kernel,
            c: 1.0,
            mean: false,
            slack: Slack::Linear,
            offset: true,
            class_weights: Vec::new(),
            rule: VoteRule::Votes,
            solver: Smo::default(),
        }
    }

    /// The factor on C for each of `classes`; a class named twice has the product.
    #[must_use]
    pub fn factors(&self, classes: &[String]) -> Vec<f64> {
        factors(&self.class_weights, classes)
    }
}

impl<X: Points, K: Kernel<X> + Clone> Estimator<X> for Svc<K> {
    type Target = Labels;
    type Model = SvcModel<X, K>;

    fn check(&self) -> Result<()> {
        check("c", self.c, self.c > 0.0, "must be positive")?;
        let squared = self.slack == Slack::Squared;
        check("c", self.c, self.c.is_finite() || !squared, "must be finite where slacks are squared")?;
        check_factors(&self.class_weights)?;
        self.solver.check()
    }

    fn fit_in(&self, x: &X, y: &Labels, job: &mut Job<'_, X>) -> Result<SvcModel<X, K>> {
        Estimator::<X>::check(self)?;
        check_known(&self.class_weights, y)?;
        let (own, labels) = Weighted::classes(x, y, job.weights)?;
        let factors = self.factors(labels.classes());
        let price = if self.mean { self.c / own.weights.iter().sum::<f64>() } else { self.c };
        let problem = |pair: &Pair| {
            let c = |(&i, &p): (&usize, &bool)| {
                price * factors[if p { pair.first } else { pair.second }] * own.weights[i]
            };
            let c: Vec<f64> = pair.index.iter().zip(&pair.positive).map(c).collect();
            let problem = Problem::c_svc(&pair.positive, &c);
            let problem = match self.slack {
                Slack::Linear => problem,
                Slack::Squared => problem.squared(c.iter().map(|c| 1.0 / c).collect()),
            };
            if self.offset { problem } else { problem.without_offset() }
        };
        let kernel = own.kernel(&self.kernel, job)?;
        let pairs = Pairs { own: &own, labels: &labels, solver: &self.solver };
        let solved = pairs.solve(&kernel, job, problem)?;
        Ok(pairs.model(kernel, self.rule, &solved))
    }

    learn_by_pairs!();
}

/// A fitted classifier: the expansion of all pairs of classes over the union of their support points.
///
/// Output p belongs to the pair (a, b), a < b, counted (0,1), (0,2), …, (1,2), …; positive means class a. Support
/// points are sorted by class (then in the order of the training data) and `class_sizes` says how many each has.
#[derive(Debug, Clone, PartialEq)]
pub struct SvcModel<X, K> {
    /// The decision functions of all pairs.
    pub expansion: Expansion<X, K>,
    /// Class names; numbering as in training.
    pub classes: Vec<String>,
    /// Support points per class.
    pub class_sizes: Vec<usize>,
    /// Positions of the support points in the training data, from 0; empty when unknown (LIBSVM model files).
    pub support: Vec<usize>,
    /// One per pair; empty when unknown (LIBSVM model files).
    pub certificates: Vec<Certificate>,
    /// How the decisions of the pairs become a class.
    pub rule: VoteRule,
}

impl<X: Points, K: Kernel<X>> SvcModel<X, K> {
    /// The decision of every pair for every point.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn decisions(&self, points: &X) -> Result<Dense<f64>> {
        self.expansion.decisions(points)
    }

    /// The classifier with another rule for the decisions of its pairs.
    #[must_use]
    pub fn with_rule(mut self, rule: VoteRule) -> Self {
        self.rule = rule;
        self
    }

    /// The score of every class for every point, by the rule of the model: one row per point, one column per class.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn scores(&self, points: &X) -> Result<Dense<f64>> {
        self.scores_as(points, How::default())
    }

    fn scores_as(&self, points: &X, how: How) -> Result<Dense<f64>> {
        let scores = |decisions: &[f64]| self.rule.scores(decisions, self.classes.len());
        Ok(Dense::new(self.classes.len(), self.expansion.map_as(points, how.double, scores)?.concat()))
    }

    /// The number of the class with the largest of the [scores](Self::scores) for each point; of several the lowest.
    fn predict_as(&self, points: &X, how: How) -> Result<Vec<usize>> {
        let class = |decisions: &[f64]| self.rule.class_as(decisions, self.classes.len(), how.libsvm);
        self.expansion.map_as(points, how.double, class)
    }
}

classifies!(SvcModel);

impl<X: Space> Model<X> for SvcModel<X, X::Kernel> {
    made_of!("svc": expansion, support, classes);

    fn quality(&self) -> Quality {
        Quality::of(&self.certificates)
    }

    fn facts(&self) -> Facts {
        Facts::default()
            .with("rule", self.rule.name())
            .with("support_vectors_per_class", self.class_sizes.as_slice())
    }

    fn words(&self) -> String {
        let by = if self.rule == VoteRule::Sum { " by summed decisions of pairs" } else { "" };
        format!("{}{by}", count(self.classes.len(), "class"))
    }

    fn outputs(&self) -> (&'static str, Vec<String>) {
        let name = |&(a, b): &(usize, usize)| format!("{} vs {}", self.classes[a], self.classes[b]);
        ("pair", pairs(self.classes.len()).iter().map(name).collect())
    }

    fn class_of(&self, decisions: &[f64]) -> usize {
        self.rule.class(decisions, self.classes.len())
    }

    fn predict(&self, points: &X, how: How) -> Result<Prediction> {
        Ok(Prediction::Classes(self.predict_as(points, how)?))
    }

    fn scores(&self, points: &X, how: How) -> Result<Dense<f64>> {
        self.scores_as(points, how)
    }

    fn calibrates(&self) -> Calibrates {
        Calibrates::Pairs(self.expansion.coefficients().outputs)
    }

    fn check(&self) -> Result<Dense<f64>, Flaw> {
        parts::classifier(self)
    }

    fn write(&self, writer: &mut Writer) -> Result<(), Flaw> {
        writer.counts("class_sizes", &self.class_sizes);
        if self.rule != VoteRule::default() {
            writer.entry("rule", self.rule.name());
        }
        Ok(())
    }
}

pub(super) fn read<X: Space>(reader: &mut Reader<'_>) -> Result<SvcModel<X, X::Kernel>, Flaw> {
    let classes: Vec<String> = text::parse("classes", &reader.entry("classes")?)?;
    let class_sizes = reader.counts("class_sizes")?;
    if class_sizes.len() != classes.len() || classes.len() < 2 {
        return Err(format!("{} classes but {} class sizes", classes.len(), class_sizes.len()).into());
    }
    let certificates = text::read_certificates(&reader.entry("certificates")?)?;
    let rule = match reader.optional("rule") {
        None => VoteRule::default(),
        Some(name) => VoteRule::named(&name)
            .ok_or_else(|| format!("rule '{name}': this program knows votes and sum"))?,
    };
    let (points, coefficients) = parts::read_pair_parts(reader, "", &class_sizes)?;
    let kernel = parts::read_kernel(&points, reader, "")?;
    let expansion = Expansion::new(kernel, points, coefficients, reader.list("offsets")?);
    Ok(SvcModel { expansion, classes, class_sizes, support: reader.counts("support")?, certificates, rule })
}

pub(in crate::model) fn method<X: Space>() -> Method<X> {
    let title = ("svc", "C-SVC: tells classes apart", "svc", &["sigmoid", "isotonic"][..]);
    Method::new(title, Svc::new, Svc::parameters, read)
}
