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
use super::pairs::{Pair, Pairs, learn_by_pairs};
use super::svc::{self, SvcModel};
use super::vote::{VoteRule, pairs};
use crate::model::prelude::*;

/// ν-SVC, one-vs-one for more than two classes.
#[derive(Debug, Clone, PartialEq)]
pub struct NuSvc<K> {
    /// k
    pub kernel: K,
    /// ν in (0, 1], at most twice the share of the smaller class in every pair.
    pub nu: f64,
    /// Factors on the C that ν stands for, 1/ρ of each pair, for the classes named: with any of them each pair is then
    /// fitted as C-SVC. (ν itself has no price that a class could multiply.)
    pub class_weights: Vec<(String, f64)>,
    /// Whether a pair of classes too unequal for ν takes the largest that it has. If not, such a ν is refused.
    pub adapt: bool,
    /// How the decisions of the pairs become a class.
    pub rule: VoteRule,
    /// How the dual is solved.
    pub solver: Smo,
}

settings! { NuSvc<K>:
    nu: f64, "nu" 'n', "above 0 and at most 1", "share of the points that may be margin errors";
    class_weights: Vec<(String, f64)>, "weight" 'w', "above 0 for each class named", "factors on the C that nu stands for, for the points of some classes";
    adapt: bool, "adapt", "a flag", "largest nu there is for pairs of classes too unequal for the one given";
    rule: VoteRule, "multiclass", "ovo or ovo-sum", "rule by which the decisions of all pairs become a class: votes, or sums";
    /// Fits a classifier. A ν that is too large is refused with the largest there is.
    fit(Labels) -> SvcModel;
}

impl<K> NuSvc<K> {
    /// ν = 0.5, tolerance 1e-3.
    pub fn new(kernel: K) -> Self {
        let (class_weights, rule, solver) = (Vec::new(), VoteRule::Votes, Smo::default());
        Self { kernel, nu: 0.5, class_weights, adapt: false, rule, solver }
    }

    /// Refuses a ν for which there is no solution.
    pub(in crate::model) fn check_feasible(&self, y: &Labels, weights: &[f64]) -> Result<()> {
        let largest = largest_nu(y, weights);
        if self.adapt || self.nu <= largest {
            return Ok(());
        }
        Err(ErrorKind::Data(DataProblem::NuTooLarge { nu: self.nu, largest }).into())
    }
}

impl<X: Points, K: Kernel<X> + Clone> Estimator<X> for NuSvc<K> {
    type Target = Labels;
    type Model = SvcModel<X, K>;

    fn check(&self) -> Result<()> {
        check_nu(self.nu)?;
        check_factors(&self.class_weights)?;
        self.solver.check()
    }

    /// Fits a classifier. The job's findings have `c`: for each pair the C with which C-SVC gives the same function, 1/ρ;
    /// infinite where there is no margin.
    fn fit_in(&self, x: &X, y: &Labels, job: &mut Job<'_, X>) -> Result<SvcModel<X, K>> {
        Estimator::<X>::check(self)?;
        check_known(&self.class_weights, y)?;
        let (own, labels) = Weighted::classes(x, y, job.weights)?;
        self.check_feasible(&labels, &own.weights)?;
        let problem = |pair: &Pair| {
            let weights: Vec<f64> = pair.index.iter().map(|&i| own.weights[i]).collect();
            let sum = |sign: bool| {
                weights.iter().zip(&pair.positive).filter(|(_, p)| **p == sign).map(|(w, _)| w).sum::<f64>()
            };
            Problem::nu_svc(&pair.positive, &weights, self.nu.min(largest(sum(true), sum(false))))
        };
        let all = Pairs { own: &own, labels: &labels, solver: &self.solver };
        let mut solved = all.solve(&self.kernel, job, problem)?;
        let c: Vec<f64> = solved.iter_mut().map(|solution| 1.0 / scale(solution)).collect();
        if !self.class_weights.is_empty() {
            let factors = factors(&self.class_weights, labels.classes());
            let numbers = pairs(labels.classes().len());
            let weighted = |pair: &Pair| {
                let number = numbers.iter().position(|&classes| classes == (pair.first, pair.second));
                let c = number.map_or(1.0, |number| c[number].min(MOST_C));
                let price = |(&i, &p): (&usize, &bool)| {
                    c * factors[if p { pair.first } else { pair.second }] * own.weights[i]
                };
                let prices: Vec<f64> = pair.index.iter().zip(&pair.positive).map(price).collect();
                Problem::c_svc(&pair.positive, &prices)
            };
            solved = all.solve(&self.kernel, job, weighted)?;
        }
        job.found.add("c", c);
        Ok(all.model(self.kernel.clone(), self.rule, &solved))
    }

    learn_by_pairs!();
}

/// C where ν leaves no margin and 1/ρ is no number to multiply.
const MOST_C: f64 = 1e9;

/// The largest ν of all pairs: that of a pair is twice the share of its smaller class.
pub(in crate::model) fn largest_nu(y: &Labels, weights: &[f64]) -> f64 {
    let sums = class_sums(y, weights);
    let (least, most) = sums.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), &s| (a.min(s), b.max(s)));
    largest(least, most)
}

/// The largest ν of two classes of these sizes.
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

pub(in crate::model) fn method<X: Space>() -> Method<X> {
    let summary = "nu-SVC: tells classes apart; a share nu of the points may be margin errors";
    Method::new(
        ("nu-svc", summary, "svc", &["sigmoid", "isotonic"]),
        NuSvc::new,
        NuSvc::parameters,
        svc::read,
    )
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
