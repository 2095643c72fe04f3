//! All bounds of one pair of classes.

use super::capacity::{dimension, structural, uniform};
use super::left_out::{Known, LeftOut};
use super::margin::{pac_bayes, rademacher};
use super::optimum::{Optimum, TOLERANCE};
use super::report::{Bound, PairBounds, Says, sort};
use super::separation::Separation;
use super::span::Spans;
use super::sphere::Sphere;
use super::table::Table;
use super::words;
use crate::error::Result;
use crate::gram::Gram;
use crate::model::words::{count, short};
use crate::solve::standing::Cost;

/// By how much a margin may be below 1 and not count as below it: the tolerance of the optimum, twice.
const INSIDE: f64 = 2.0 * TOLERANCE;
/// What rounding may take of a sum that is compared with 1: a row at the threshold counts as an error.
const ROUNDING: f64 = 1e-9;

/// What all bounds of a pair are computed from.
pub(super) struct Ground<'a> {
    pub(super) separation: &'a Separation,
    pub(super) table: &'a Table,
    pub(super) optimum: &'a Optimum,
    pub(super) spans: &'a Spans<'a>,
    /// Leave-one-out decisions, where they were asked for.
    pub(super) left_out: Option<&'a LeftOut>,
    /// The smallest sphere around the rows.
    pub(super) sphere: Sphere,
    /// N, the dimension of the feature space.
    pub(super) features: Option<f64>,
    /// δ, the probability with which a bound on the error may fail.
    pub(super) delta: f64,
}

impl Ground<'_> {
    /// All bounds, by use.
    ///
    /// # Errors
    /// Those of the solver of the sphere.
    pub(super) fn bounds(&self) -> Result<PairBounds> {
        let (separation, optimum) = (self.separation, self.optimum);
        let (n, sphere) = (separation.len(), self.sphere);
        let square_norm = optimum.square();
        let vc_dimension = dimension(sphere.square_radius, square_norm, self.features);
        let below = |most: f64| (0..n).filter(|&i| optimum.margin(separation, i) < most).count();
        let margin_errors = below(1.0 - INSIDE);
        let mut bounds = vec![self.leave_one_out(), self.span(), self.xi_alpha(), self.support_vectors()];
        bounds.extend(self.radius_margin()?);
        bounds.extend([self.pac_bayes(), self.rademacher(square_norm)]);
        bounds.extend(self.structural(margin_errors, vc_dimension));
        sort(&mut bounds);
        Ok(PairBounds {
            of: separation.of.clone(),
            rows: n,
            training_errors: below(0.0),
            margin_errors,
            support: optimum.support(),
            free: optimum.free.len(),
            square_norm,
            square_radius: sphere.square_radius,
            square_radius_at_least: sphere.at_least,
            features: self.features,
            vc_dimension,
            gap: optimum.standing.gap,
            stop: optimum.stop,
            bounds,
        })
    }

    fn n(&self) -> f64 {
        self.separation.len() as f64
    }

    /// ξᵢ of the programme: 0 where slacks are squared, which are then a part of φ.
    fn slack(&self, i: usize) -> f64 {
        match self.separation.cost {
            Cost::Linear => (1.0 - self.optimum.margin(self.separation, i)).max(0.0),
            Cost::Squared | Cost::Infinite => 0.0,
        }
    }

    /// The share of rows that satisfy a condition.
    fn share(&self, condition: impl Fn(usize) -> bool) -> f64 {
        (0..self.separation.len()).filter(|&i| condition(i)).count() as f64 / self.n()
    }

    /// Why what needs a free support vector does not hold here.
    fn unstable(&self) -> String {
        let stable = !self.separation.offset || !self.optimum.free.is_empty();
        if stable { String::new() } else { "does not hold here: no support vector is free".into() }
    }

    fn leave_one_out(&self) -> Bound {
        let bound = |value| Bound::new("leave-one-out", Says::Estimate, value, words::LEAVE_ONE_OUT);
        let Some(left_out) = self.left_out else { return bound(None).noted("not asked for") };
        let errors = left_out.errors(self.separation);
        let fits = left_out.count(Known::Solved) + left_out.count(Known::Value);
        let mut note = format!("{} of {}", count(errors, "error"), count(self.separation.len(), "row"));
        note += &format!("; {} took a fit", count(fits, "row"));
        match left_out.count(Known::Value) {
            0 => {}
            open => note += &format!(", {open} without a proof of the sign"),
        }
        bound(Some(errors as f64 / self.n())).noted(note)
    }

    fn span(&self) -> Bound {
        let spans: Vec<Option<f64>> = (0..self.separation.len())
            .map(|p| match self.optimum.beta[p] {
                0.0 => Some(0.0),
                beta => self.spans.of(p).map(|span| beta.abs() * span.square),
            })
            .collect();
        // In the space in which squared slacks are a part of φ every support vector lies on the margin.
        let margin = |p: usize| match self.separation.cost {
            Cost::Linear => self.optimum.margin(self.separation, p),
            _ => 1.0,
        };
        let is_error = |p: usize| {
            let falls = spans[p].unwrap_or(f64::INFINITY);
            self.optimum.beta[p] != 0.0 && falls >= margin(p) - ROUNDING
        };
        let bound = Bound::new("span", Says::Estimate, Some(self.share(is_error)), words::SPAN);
        let without = spans.iter().filter(|span| span.is_none()).count();
        let note = || format!("{} without a span, counted as errors", count(without, "support vector"));
        if without == 0 { bound } else { bound.noted(note()) }
    }

    fn xi_alpha(&self) -> Bound {
        let (low, high) = self.table.range();
        let ridge = self.separation.ridge();
        let own = |i: usize| self.table.diagonal()[i] + ridge[i];
        let most = (0..self.separation.len()).map(own).fold(high, f64::max);
        let is_error = |i: usize| {
            let alpha = self.optimum.beta[i].abs();
            let falls = if self.separation.offset { 2.0 * alpha * (most - low) } else { alpha * own(i) };
            alpha > 0.0 && falls + self.slack(i) >= 1.0 - ROUNDING
        };
        let words = if self.separation.offset { words::XI_ALPHA } else { words::XI_ALPHA_WITHOUT_OFFSET };
        let bound = Bound::new("xi-alpha", Says::LeaveOneOut, Some(self.share(is_error)), words);
        bound.noted(match (self.unstable(), self.separation.offset) {
            (why, true) if why.is_empty() => format!("RΔ² = {}", short(most - low)),
            (why, _) => why,
        })
    }

    fn support_vectors(&self) -> Bound {
        let value = self.optimum.support() as f64 / self.n();
        Bound::new("support vectors", Says::LeaveOneOut, Some(value), words::SUPPORT_VECTORS)
    }

    /// The bound by the radius and the margin, and the number that parameters are chosen by.
    fn radius_margin(&self) -> Result<[Bound; 2]> {
        let separation = self.separation;
        let ridge = separation.ridge();
        let sphere = match separation.cost {
            Cost::Squared => Sphere::new(self.table, &ridge)?,
            _ => self.sphere,
        };
        let alpha: f64 = self.optimum.beta.iter().map(|b| b.abs()).sum();
        let slacks: f64 = (0..separation.len()).map(|i| self.slack(i)).sum();
        let own = self.table.diagonal().iter().zip(&ridge).map(|(k, r)| k + r);
        let largest = own.fold(0.0, f64::max);
        let (factor, words) = match separation.offset {
            true => (4.0 * sphere.square_radius, words::RADIUS_MARGIN),
            false => (largest, words::RADIUS_MARGIN_WITHOUT_OFFSET),
        };
        let value = (factor * alpha + slacks) / self.n();
        let bound = Bound::new("radius-margin", Says::LeaveOneOut, Some(value), words).noted(self.unstable());
        let chosen = sphere.square_radius * alpha / self.n();
        let rule = Bound::new("radius-margin rule", Says::Rule, Some(chosen), words::RADIUS_MARGIN_RULE);
        Ok([bound, rule])
    }

    fn pac_bayes(&self) -> Bound {
        let constant = if self.separation.offset { 1.0 } else { 0.0 };
        let norm = (self.optimum.square() + constant * self.optimum.offset.powi(2)).sqrt();
        let cosine = |i: usize| {
            let size = norm * (self.table.diagonal()[i] + constant).sqrt();
            if size > 0.0 { self.optimum.margin(self.separation, i) / size } else { 0.0 }
        };
        let cosines: Vec<f64> = (0..self.separation.len()).map(cosine).collect();
        let (value, mu) = pac_bayes(&cosines, self.delta);
        let bound = Bound::new("PAC-Bayes", Says::Error, Some(value), words::PAC_BAYES);
        bound.noted(format!("μ = {}", short(mu)))
    }

    fn rademacher(&self, square_norm: f64) -> Bound {
        let ramp = |i: usize| (1.0 - self.optimum.margin(self.separation, i)).clamp(0.0, 1.0);
        let slack = (0..self.separation.len()).map(ramp).sum::<f64>() / self.n();
        let trace: f64 = self.table.diagonal().iter().sum();
        let (norm, b) = (square_norm.max(0.0).sqrt(), self.optimum.offset);
        let value = rademacher(slack, norm, b, trace, self.n(), self.delta);
        Bound::new("Rademacher", Says::Error, Some(value), words::RADEMACHER)
    }

    fn structural(&self, margin_errors: usize, d: f64) -> [Bound; 2] {
        let errors = margin_errors as f64 / self.n();
        let first = structural(errors, d, self.n(), self.delta);
        let second = uniform(errors, d, self.n(), self.delta);
        let note = format!("R_emp = {}, d = {}", short(errors), short(d));
        [
            Bound::new("SRM", Says::Error, Some(first), words::STRUCTURAL).noted(note.clone()),
            Bound::new("SRM, uniform", Says::Error, Some(second), words::UNIFORM).noted(note),
        ]
    }
}
