//! Classification with a share of margin errors instead of their price.
//!
//! ν-SVC (Schölkopf, Smola, Williamson and Bartlett 2000): minimise ½‖w‖² − νρ + (1/n) Σξᵢ subject to
//! yᵢ(w·φ(xᵢ) − b) ≥ ρ − ξᵢ, ξᵢ ≥ 0, ρ ≥ 0. At most a share ν of the points are margin errors, at least that share are
//! support points. The answer is scaled so that the margin is at ±1, as that of C-SVC with C = 1/ρ.
//!
//! ```
//! use mercer::data::{Labels, Vectors};
//! use mercer::kernel::rbf;
//! use mercer::model::NuSvc;
//!
//! let x = Vectors::dense(1, vec![-2.0, -1.0, 1.0, 2.0]);
//! let y = Labels::first_seen(["low", "low", "high", "high"]);
//! let model = NuSvc::new(rbf(0.5)).nu(0.5).fit(&x, &y)?;
//! assert_eq!(model.predict(&Vectors::dense(1, vec![-1.5, 3.0]))?, ["low", "high"]);
//! # Ok::<(), mercer::Error>(())
//! ```

use super::class_weights::{check_factors, check_known, factors};
use super::function::check_nu;
use super::multiclass::pairs;
use super::pairwise::Pairwise;
use super::svc::SvcModel;
use super::weights::{Present, class_sums};
use crate::data::{Labels, Points};
use crate::error::{DataProblem, ErrorKind, Result};
use crate::kernel::Kernel;
use crate::solve::{Phases, Problem, Smo, Solution, Watch, unwatched};

/// ν-SVC, one-vs-one for more than two classes.
#[derive(Debug, Clone, PartialEq)]
pub struct NuSvc<K> {
    /// k
    pub kernel: K,
    /// ν in (0, 1], at most twice the share of the smaller class in every pair.
    pub nu: f64,
    /// A weight for each point; empty for 1. A whole number is the same as so many copies of the point, 0 as none.
    pub weights: Vec<f64>,
    /// Factors on the C that ν stands for, 1/ρ of each pair, for the classes named: with any of them each pair is then
    /// fitted as C-SVC. (ν itself has no price that a class could multiply.)
    pub class_weights: Vec<(String, f64)>,
    /// Whether a pair of classes too unequal for ν takes the largest that it has. If not, such a ν is refused.
    pub adapt: bool,
    /// How the dual is solved.
    pub solver: Smo,
}

/// A fitted ν-SVC and what it found.
#[derive(Debug, Clone, PartialEq)]
pub struct NuSvcFit<X, K> {
    /// The classifier.
    pub model: SvcModel<X, K>,
    /// For each pair the C with which C-SVC gives the same function, 1/ρ; infinite where there is no margin.
    pub c: Vec<f64>,
    /// Where the time went, summed over the pairs (which run side by side).
    pub phases: Phases,
}

impl<K> NuSvc<K> {
    /// ν = 0.5, tolerance 1e-3.
    pub fn new(kernel: K) -> Self {
        Self {
            kernel,
            nu: 0.5,
            weights: Vec::new(),
            class_weights: Vec::new(),
            adapt: false,
            solver: Smo::default(),
        }
    }

    /// Sets a weight for each point.
    #[must_use]
    pub fn weights(mut self, weights: Vec<f64>) -> Self {
        self.weights = weights;
        self
    }

    /// Sets ν.
    #[must_use]
    pub fn nu(mut self, nu: f64) -> Self {
        self.nu = nu;
        self
    }

    /// Multiplies the C that ν stands for by `weight` for the points of `class`.
    #[must_use]
    pub fn class_weight(mut self, class: impl Into<String>, weight: f64) -> Self {
        self.class_weights.push((class.into(), weight));
        self
    }

    /// Sets whether a pair of classes too unequal for ν takes the largest that it has.
    #[must_use]
    pub fn adapt(mut self, adapt: bool) -> Self {
        self.adapt = adapt;
        self
    }

    /// Sets how the dual is solved.
    #[must_use]
    pub fn solver(mut self, solver: Smo) -> Self {
        self.solver = solver;
        self
    }

    /// Fits a classifier.
    ///
    /// # Errors
    /// If ν, the labels or the points cannot be used; a ν that is too large is refused with the largest there is.
    pub fn fit<X: Points>(&self, x: &X, y: &Labels) -> Result<SvcModel<X, K>>
    where
        K: Kernel<X> + Clone,
    {
        self.fit_watched(x, y, &mut unwatched())
    }

    /// The same under a watch, which sees every round and can end the fit.
    ///
    /// # Errors
    /// As [`NuSvc::fit`].
    pub fn fit_watched<X: Points>(&self, x: &X, y: &Labels, watch: Watch<'_>) -> Result<SvcModel<X, K>>
    where
        K: Kernel<X> + Clone,
    {
        Ok(self.fit_timed(x, y, watch)?.model)
    }

    /// Refuses parameters out of range.
    ///
    /// # Errors
    /// The first rule broken.
    pub fn check(&self) -> Result<()> {
        check_nu(self.nu)?;
        check_factors(&self.class_weights)?;
        self.solver.check()
    }

    /// The same, with the C of each pair and where the time went.
    ///
    /// # Errors
    /// As [`NuSvc::fit`].
    pub fn fit_timed<X: Points>(&self, x: &X, y: &Labels, watch: Watch<'_>) -> Result<NuSvcFit<X, K>>
    where
        K: Kernel<X> + Clone,
    {
        self.check()?;
        y.check(x.len())?;
        x.check_finite()?;
        check_known(&self.class_weights, y)?;
        let present = Present::new(&self.weights, x.len())?;
        let (x, y) = (&present.points(x), &present.labels(y));
        y.check(x.len())?;
        self.check_feasible(y, &present.weights)?;
        let machine = Pairwise { kernel: &self.kernel, solver: &self.solver };
        let problem = |index: &[usize], positive: &[bool], _: (usize, usize)| {
            let weights: Vec<f64> = index.iter().map(|&i| present.weights[i]).collect();
            let sum = |sign: bool| {
                weights.iter().zip(positive).filter(|(_, p)| **p == sign).map(|(w, _)| w).sum::<f64>()
            };
            Problem::nu_svc(positive, &weights, self.nu.min(largest(sum(true), sum(false))))
        };
        let mut solved = machine.solve(x, y, watch, problem).map_err(|error| present.error(error))?;
        let c: Vec<f64> = solved.iter_mut().map(|pair| 1.0 / scale(&mut pair.solution)).collect();
        if !self.class_weights.is_empty() {
            let (factors, pairs) = (factors(&self.class_weights, y.classes()), pairs(y.classes().len()));
            let weighted = |index: &[usize], positive: &[bool], pair: (usize, usize)| {
                let c =
                    pairs.iter().zip(&c).find(|(own, _)| **own == pair).map_or(1.0, |(_, &c)| c.min(MOST_C));
                let own = |(&i, &p): (&usize, &bool)| {
                    c * factors[if p { pair.0 } else { pair.1 }] * present.weights[i]
                };
                Problem::c_svc(positive, &index.iter().zip(positive).map(own).collect::<Vec<f64>>())
            };
            solved = machine.solve(x, y, watch, weighted).map_err(|error| present.error(error))?;
        }
        let mut model = machine.assemble(x, y, &solved);
        present.positions(&mut model.support);
        Ok(NuSvcFit { model, c, phases: solved.iter().map(|pair| pair.solution.phases).sum() })
    }

    /// Refuses a ν for which there is no solution.
    pub(super) fn check_feasible(&self, y: &Labels, weights: &[f64]) -> Result<()> {
        let largest = largest_nu(y, weights);
        if self.adapt || self.nu <= largest {
            return Ok(());
        }
        Err(ErrorKind::Data(DataProblem::NuTooLarge { nu: self.nu, largest }).into())
    }
}

/// C where ν leaves no margin and 1/ρ is no number to multiply.
const MOST_C: f64 = 1e9;

/// ν of a pair can be no more than twice the share of its smaller class.
pub(super) fn largest_nu(y: &Labels, weights: &[f64]) -> f64 {
    let sums = class_sums(y, weights);
    let (least, most) = sums.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), &s| (a.min(s), b.max(s)));
    largest(least, most)
}

/// The same of two classes of these sizes.
fn largest(a: f64, b: f64) -> f64 {
    2.0 * a.min(b) / (a + b)
}

/// Scales an answer so that its margin is at ±1: β and b over ρ, the objective over ρ². One without margin stays as it is.
/// Returns ρ.
fn scale(solution: &mut Solution) -> f64 {
    // At a free positive point Σβk is the first offset, b + ρ; at a free negative one the second, b − ρ.
    let margin = 0.5 * (solution.offset - solution.second_offset);
    solution.offset = f64::midpoint(solution.offset, solution.second_offset);
    if margin > 0.0 {
        solution.coefficients.iter_mut().for_each(|b| *b /= margin);
        solution.offset /= margin;
        let certificate = &mut solution.certificate;
        certificate.objective /= margin * margin;
        certificate.gap = certificate.gap.map(|gap| gap / (margin * margin));
    }
    margin.max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Vectors;
    use crate::kernel::{VectorExpr, rbf};

    fn data() -> (Vectors, Labels) {
        let value = |i: i32| (f64::from(i) * 0.7).sin() + f64::from(i % 3) * 0.4;
        let x = Vectors::dense(1, (0..60).map(value).collect());
        (x, Labels::first_seen((0..60).map(|i| if i % 3 == 0 { "a" } else { "b" })))
    }

    fn decisions(svc: NuSvc<VectorExpr>) -> Vec<f64> {
        let (x, y) = data();
        let exact = Smo { exact: true, tolerance: 1e-6, ..Smo::default() };
        svc.solver(exact).fit(&x, &y).unwrap().expansion.map_double(&x, |f| f[0]).unwrap()
    }

    #[test]
    fn a_class_weight_is_a_factor_on_the_c_that_nu_stands_for() {
        let plain = decisions(NuSvc::new(rbf(1.0)).nu(0.5));
        let one = decisions(NuSvc::new(rbf(1.0)).nu(0.5).class_weight("a", 1.0));
        assert!(plain.iter().zip(&one).all(|(a, b)| (a - b).abs() < 1e-5), "{plain:?}\n{one:?}");
        let positive = |f: &[f64]| f.iter().filter(|f| **f > 0.0).count();
        let more = decisions(NuSvc::new(rbf(1.0)).nu(0.5).class_weight("a", 5.0));
        assert!(positive(&more) > positive(&plain));
        let (x, y) = data();
        assert!(NuSvc::new(rbf(1.0)).class_weight("c", 1.0).fit(&x, &y).is_err());
    }

    #[test]
    fn a_pair_too_unequal_takes_the_largest_nu() {
        let (x, y) = data();
        assert!(NuSvc::new(rbf(1.0)).nu(0.9).fit(&x, &y).is_err());
        let adapted = decisions(NuSvc::new(rbf(1.0)).nu(0.9).adapt(true));
        assert_eq!(adapted, decisions(NuSvc::new(rbf(1.0)).nu(2.0 * 20.0 / 60.0)));
    }
}
