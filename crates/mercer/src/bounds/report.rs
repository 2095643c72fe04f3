//! What theory says about a model, as it is told.

use crate::model::Facts;
use crate::solve::Stop;

/// What a number says of the error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Says {
    /// Counted on rows that the model was not fitted to; the interval holds the error.
    Measured,
    /// Near the error, above or below it.
    Estimate,
    /// Not below the leave-one-out error.
    LeaveOneOut,
    /// Not below the error itself, but with a small probability.
    Error,
    /// Nothing: a number by which parameters are compared.
    Rule,
}

impl Says {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Estimate => "estimate",
            Self::LeaveOneOut => "leave-one-out",
            Self::Error => "error",
            Self::Rule => "rule",
        }
    }

    /// What it is above, in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Estimate => "estimate of the error",
            Self::LeaveOneOut => "above the leave-one-out error",
            Self::Error => "above the error",
            Self::Rule => "to compare parameters by",
        }
    }
}

/// A bound or an estimate of the error of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Bound {
    /// Its name.
    pub name: &'static str,
    /// What it says of the error.
    pub says: Says,
    /// Its value, a share of rows; none where it is not defined or was not asked for.
    pub value: Option<f64>,
    /// The interval of a share that was counted.
    pub interval: Option<[f64; 2]>,
    /// How it is computed.
    pub formula: &'static str,
    /// Under which conditions it holds.
    pub assumption: &'static str,
    /// What else is to be known of it here.
    pub note: String,
}

impl Bound {
    pub(super) fn new(
        name: &'static str,
        says: Says,
        value: Option<f64>,
        (formula, assumption): (&'static str, &'static str),
    ) -> Self {
        Self { name, says, value, interval: None, formula, assumption, note: String::new() }
    }

    pub(super) fn noted(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// Whether it says nothing: every classifier errs in no more than all rows.
    #[must_use]
    pub fn is_vacuous(&self) -> bool {
        self.says != Says::Rule && self.value.is_some_and(|value| value >= 1.0)
    }

    /// The bound as facts.
    #[must_use]
    pub fn facts(&self) -> Facts {
        Facts::default()
            .with("name", self.name)
            .with("says", self.says.name())
            .with("value", self.value)
            .with("interval", self.interval.map(|ends| ends.to_vec()))
            .with("vacuous", self.is_vacuous())
            .with("formula", self.formula)
            .with("assumption", self.assumption)
            .with("note", self.note.as_str())
    }
}

/// Sorts by use: what was measured, then what is near the error, the more exact first, then what is above it, the smallest first.
pub(super) fn sort(bounds: &mut [Bound]) {
    let key = |bound: &Bound| match bound.says {
        // As they come: leave-one-out before what estimates it.
        Says::Measured | Says::Estimate => 0.0,
        _ => bound.value.unwrap_or(f64::INFINITY),
    };
    bounds.sort_by(|a, b| a.says.cmp(&b.says).then(key(a).total_cmp(&key(b))));
}

/// What bounds of a pair of classes rest on, and the bounds.
#[derive(Debug, Clone, PartialEq)]
pub struct PairBounds {
    /// The names of the classes, as `first vs second`.
    pub of: String,
    /// Rows of both classes.
    pub rows: usize,
    /// Rows that the optimum misclassifies.
    pub training_errors: usize,
    /// Rows inside the margin: y f(x) < 1.
    pub margin_errors: usize,
    /// Support vectors of the optimum.
    pub support: usize,
    /// Those of them whose coefficient is inside its interval.
    pub free: usize,
    /// ‖w‖²
    pub square_norm: f64,
    /// R² of the smallest sphere around the rows in feature space: of one that holds them all.
    pub square_radius: f64,
    /// What R² of the smallest sphere is at least.
    pub square_radius_at_least: f64,
    /// N, the dimension of the feature space; none where it is not known to be finite.
    pub features: Option<f64>,
    /// min(⌊R²‖w‖²⌋, N) + 1
    pub vc_dimension: f64,
    /// Duality gap of the optimum that all this is of, in double precision.
    pub gap: f64,
    /// Why the solver stopped there: short of the optimum, unless it has converged.
    pub stop: Stop,
    /// The bounds, by use.
    pub bounds: Vec<Bound>,
}

impl PairBounds {
    /// The bound of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Bound> {
        self.bounds.iter().find(|bound| bound.name == name)
    }

    fn facts(&self) -> Facts {
        Facts::default()
            .with("of", self.of.as_str())
            .with("rows", self.rows)
            .with("training_errors", self.training_errors)
            .with("margin_errors", self.margin_errors)
            .with("support_vectors", self.support)
            .with("free_support_vectors", self.free)
            .with("square_norm", self.square_norm)
            .with("square_radius", self.square_radius)
            .with("square_radius_at_least", self.square_radius_at_least)
            .with("feature_dimension", self.features)
            .with("vc_dimension", self.vc_dimension)
            .with("gap", self.gap)
            .with("stop", self.stop.name())
            .with("bounds", self.bounds.iter().map(Bound::facts).collect::<Vec<_>>())
    }
}

/// What theory says about a pair of classes at another price of an error than that of the model.
#[derive(Debug, Clone, PartialEq)]
pub struct AtPrice {
    /// The price, in prices of the model.
    pub factor: f64,
    /// The bounds of the optimum at that price, without leave-one-out.
    pub pair: PairBounds,
}

impl AtPrice {
    fn facts(&self) -> Facts {
        self.pair.facts().with("factor", self.factor)
    }
}

/// What theory says about a classifier.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bounds {
    /// Of the classifier as a whole: what was measured, and its leave-one-out error where it has more than two classes.
    pub whole: Vec<Bound>,
    /// Of each pair of classes.
    pub pairs: Vec<PairBounds>,
    /// At other prices, pair after pair, where they were asked for.
    pub at_prices: Vec<AtPrice>,
    /// What was assumed, and what could not be looked at.
    pub notes: Vec<String>,
}

impl Bounds {
    /// Adds a bound of the classifier as a whole.
    pub fn add(&mut self, bound: Bound) {
        self.whole.push(bound);
        sort(&mut self.whole);
    }

    /// The bounds as facts: for `--json` and Python.
    #[must_use]
    pub fn facts(&self) -> Facts {
        Facts::default()
            .with("bounds", self.whole.iter().map(Bound::facts).collect::<Vec<_>>())
            .with("pairs", self.pairs.iter().map(PairBounds::facts).collect::<Vec<_>>())
            .with("at_prices", self.at_prices.iter().map(AtPrice::facts).collect::<Vec<_>>())
            .with("notes", self.notes.clone())
    }
}
