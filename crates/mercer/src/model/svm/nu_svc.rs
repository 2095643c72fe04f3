//! Classification with a share of margin errors instead of their price.
//!
//! ν-SVC (Schölkopf, Smola, Williamson and Bartlett 2000): minimise ½‖w‖² − νρ + (1/n) Σξᵢ subject to
//! yᵢ(w·φ(xᵢ) − b) ≥ ρ − ξᵢ, ξᵢ ≥ 0, ρ ≥ 0. At most a share ν of the points are margin errors, at least that share are
//! support points. The answer is scaled so that the margin is at ±1, as that of C-SVC with C = 1/ρ, and the tolerance counts
//! after that: it is relative to ρ where ρ is below 1.
//!
//! Where ν is too small there is no margin: ρ = 0 and w = 0. There, and where the margin is too small to be found in a million steps,
//! the function is that of C-SVC with a large C, and the fit finds
//! `nu_with_margin`, a ν that has a margin: Σα/(CΣw) of that C.
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
use crate::solve::Stop;

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

impl<K> NuSvc<K> {
    /// Solves every pair until its violation is within the tolerance times its margin, or it has none: an answer whose margin is
    /// too small to tell is the beginning of a programme with all weights larger, in whose units the margin is near 1. Returns the
    /// answers with the margin at ±1, and the C of each.
    fn solve_to_margin<X: Points>(
        &self,
        kernel: &K,
        all: &Pairs<'_, X>,
        job: &mut Job<'_, X>,
    ) -> Result<(Vec<Solution>, Vec<f64>)>
    where
        K: Kernel<X>,
    {
        let problem = |pair: &Pair, unit: f64| {
            let weights: Vec<f64> = pair.index.iter().map(|&i| unit * all.own.weights[i]).collect();
            let sum = |sign: bool| {
                weights.iter().zip(&pair.positive).filter(|(_, p)| **p == sign).map(|(w, _)| w).sum::<f64>()
            };
            Problem::nu_svc(&pair.positive, &weights, self.nu.min(largest(sum(true), sum(false))))
        };
        let mut solved = all.solve(kernel, job, |pair| problem(pair, 1.0))?;
        let mut units = vec![1.0; solved.len()];
        loop {
            let is_coarse =
                |&number: &usize| units[number] < MOST_C && is_coarse(&solved[number], &self.solver);
            let coarse: Vec<usize> = (0..solved.len()).filter(is_coarse).collect();
            if coarse.is_empty() {
                break;
            }
            let before = units.clone();
            let most = STEPS.1.max(STEPS.0 * all.own.points.len() as u64);
            let limit = self.solver.iteration_limit.map_or(most, |limit| limit.min(most));
            let solver = Smo { iteration_limit: Some(limit), ..self.solver.clone() };
            let bounded = Pairs { solver: &solver, ..*all };
            for &number in &coarse {
                units[number] *= (1.0 / margin(&solved[number]).max(0.0)).clamp(2.0, FINER);
            }
            let finer = bounded.solve_some(&coarse, kernel, job, |number, pair| {
                let mut problem = problem(pair, units[number]);
                let larger = units[number] / before[number];
                for (k, beta) in solved[number].coefficients.iter().enumerate() {
                    problem.start[k] = (larger * beta).clamp(problem.lower[k], problem.upper[k]);
                }
                problem
            })?;
            for (&number, mut finer) in coarse.iter().zip(finer) {
                finer.certificate.iterations += solved[number].certificate.iterations;
                finer.certificate.rows += solved[number].certificate.rows;
                solved[number] = finer;
            }
        }
        let vanishes = |&number: &usize| vanishes(&solved[number], units[number] > 1.0);
        let without: Vec<usize> = (0..solved.len()).filter(vanishes).collect();
        let scaled = |(solution, unit): (&mut Solution, f64)| unit / scale(solution, unit);
        let mut c: Vec<f64> = solved.iter_mut().zip(units).map(scaled).collect();
        if !without.is_empty() {
            Self::solve_without_margin(kernel, all, &without, job, (&mut solved, &mut c))?;
        }
        Ok((solved, c))
    }

    /// Puts C-SVC with a large C in the place of the pairs with these numbers, which have no margin, and tells a ν that has one: that
    /// of this C, rounded up to two digits.
    fn solve_without_margin<X: Points>(
        kernel: &K,
        all: &Pairs<'_, X>,
        numbers: &[usize],
        job: &mut Job<'_, X>,
        (solved, c): (&mut [Solution], &mut [f64]),
    ) -> Result<()>
    where
        K: Kernel<X>,
    {
        let diagonal = kernel.diagonal(&all.own.points)?;
        let mean = diagonal.iter().sum::<f64>() / diagonal.len() as f64;
        let large = LARGE_C / if mean > 0.0 { mean } else { 1.0 };
        let prices =
            |pair: &Pair| -> Vec<f64> { pair.index.iter().map(|&i| large * all.own.weights[i]).collect() };
        let problem = |_, pair: &Pair| Problem::c_svc(&pair.positive, &prices(pair));
        let instead = all.solve_some(numbers, kernel, job, problem)?;
        let classes = pairs(all.labels.classes().len());
        let mut nu = 0.0_f64;
        for (&number, solution) in numbers.iter().zip(instead) {
            let most: f64 = prices(&Pair::new(all.labels, classes[number])).iter().sum();
            nu = nu.max(solution.coefficients.iter().map(|beta| beta.abs()).sum::<f64>() / most);
            (solved[number], c[number]) = (solution, large);
        }
        let nu = ((nu * 100.0).ceil() / 100.0).min(largest_nu(all.labels, &all.own.weights));
        job.found.add("nu_with_margin", nu);
        Ok(())
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

    /// Fits a classifier. The job's findings have `c`: for each pair the C with which C-SVC gives the same function, 1/ρ; infinite
    /// where it was broken off before there was a margin. Where a pair has no margin they have `nu_with_margin`.
    fn fit_in(&self, x: &X, y: &Labels, job: &mut Job<'_, X>) -> Result<SvcModel<X, K>> {
        Estimator::<X>::check(self)?;
        check_known(&self.class_weights, y)?;
        let (own, labels) = Weighted::classes(x, y, job.weights)?;
        self.check_feasible(&labels, &own.weights)?;
        let kernel = own.kernel(&self.kernel, job)?;
        let all = Pairs { own: &own, labels: &labels, solver: &self.solver };
        let (mut solved, c) = self.solve_to_margin(&kernel, &all, job)?;
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
            solved = all.solve(&kernel, job, weighted)?;
        }
        job.found.add("c", c);
        Ok(all.model(kernel, self.rule, &solved))
    }

    learn_by_pairs!();
}

/// C, for a kernel with k(x, x) = 1, where ν leaves no margin.
const LARGE_C: f64 = 100.0;

/// The inverse of the smallest margin that is looked for.
const MOST_C: f64 = 1e6;

/// The most steps that are taken for a smaller margin, for each point and in all.
const STEPS: (u64, u64) = (100, 1_000_000);

/// By how much the unit of a programme grows at most before it is solved again.
const FINER: f64 = 100.0;

/// ρ: at a free positive point Σβk is the first offset, b + ρ; at a free negative one the second, b − ρ.
fn margin(solution: &Solution) -> f64 {
    0.5 * (solution.offset - solution.second_offset)
}

/// Whether an answer that was found to the tolerance has a margin below 1 that it does not tell to the tolerance.
fn is_coarse(solution: &Solution, solver: &Smo) -> bool {
    let margin = margin(solution).max(0.0);
    solution.certificate.stop == Stop::Converged
        && margin < 0.9
        && solution.certificate.violation > solver.tolerance * margin
}

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

/// Whether the violation is so near to the margin that there may be none, in an answer that was found, or looked for in a larger unit
/// as long as that is worth it. One that was broken off tells nothing.
fn vanishes(solution: &Solution, looked_for: bool) -> bool {
    let (margin, stop) = (margin(solution), solution.certificate.stop);
    let ended = stop == Stop::Converged || looked_for && matches!(stop, Stop::IterationLimit | Stop::Stalled);
    ended && margin < 0.9 && solution.certificate.violation >= 0.5 * margin
}

/// Scales an answer so that its margin is at ±1: β, b and the violation over ρ, objective and gap over ρ². One that was broken off
/// before it had a margin is left in the unit of ν. Returns ρ.
fn scale(solution: &mut Solution, unit: f64) -> f64 {
    let margin = margin(solution);
    let to = if margin > 0.0 { margin } else { unit };
    solution.offset = f64::midpoint(solution.offset, solution.second_offset) / to;
    solution.coefficients.iter_mut().for_each(|b| *b /= to);
    let certificate = &mut solution.certificate;
    certificate.violation /= to;
    certificate.objective /= to * to;
    certificate.gap = certificate.gap.map(|gap| gap / (to * to));
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
    use crate::model::Fact;

    /// A hundred points, each twice, a third of them once in either class: ν below about 1/3 leaves no margin.
    fn overlapping() -> (Vectors, Labels) {
        let place = |i: usize| [(i % 10) as f64 - 4.5, (i / 10) as f64 - 4.5];
        let class =
            |i: usize| if (place(i % 100)[0] > 0.0) == (i < 100 || !i.is_multiple_of(3)) { "a" } else { "b" };
        let x = (0..200).flat_map(|i| place(i % 100)).collect();
        (Vectors::dense(2, x), Labels::first_seen((0..200).map(class)))
    }

    #[test]
    fn a_small_margin_is_told_to_the_tolerance() {
        let (x, y) = overlapping();
        // A kernel of small values has a small margin: the function is that of the same kernel in other units.
        for (nu, factor) in [(0.7, 1e-3), (0.8, 1e-5)] {
            let fit = |kernel: VectorExpr| NuSvc::new(kernel).nu(nu).fit(&x, &y).unwrap();
            let (plain, small) = (fit(rbf(0.5)), fit(factor * rbf(0.5)));
            let decisions =
                |model: &SvcModel<Vectors, VectorExpr>| model.expansion.map_double(&x, |f| f[0]).unwrap();
            for (a, b) in decisions(&plain).iter().zip(decisions(&small)) {
                assert!((a - b).abs() < 0.02, "{nu} {factor}: {a} {b}");
            }
            assert!(small.certificates[0].violation <= 1e-3);
        }
    }

    #[test]
    fn an_answer_that_is_broken_off_is_handed_over_as_it_is() {
        let (x, y) = overlapping();
        for nu in [0.05, 0.5] {
            let solver = Smo { iteration_limit: Some(1), ..Smo::default() };
            let mut job = Job::new();
            let model = NuSvc::new(rbf(0.5)).nu(nu).solver(solver).fit_in(&x, &y, &mut job).unwrap();
            assert_eq!(model.certificates[0].stop, Stop::IterationLimit);
            assert_eq!(job.found.number("nu_with_margin"), None);
            assert!(model.expansion.map_double(&x, |f| f[0]).unwrap().iter().all(|f| f.is_finite()));
        }
    }

    #[test]
    fn a_margin_that_vanishes_is_told_with_a_nu_that_has_one() {
        let (x, y) = overlapping();
        let found = |nu: f64| {
            let mut job = Job::new();
            NuSvc::new(rbf(0.5)).nu(nu).fit_in(&x, &y, &mut job).unwrap();
            let Some(Fact::Numbers(c)) = job.found.get("c") else { panic!("a C for each pair") };
            (c[0], job.found.number("nu_with_margin"))
        };
        let (c, better) = found(0.05);
        let better = better.expect("a nu with a margin");
        assert!(c == LARGE_C && better > 0.05 && better < 1.0, "{c} {better}");
        let (c, none) = found(better);
        assert!(c < LARGE_C && none.is_none(), "{better}: {c} {none:?}");
        // The function is that of C-SVC, whatever the tolerance was.
        let svc = crate::model::Svc::new(rbf(0.5)).c(LARGE_C).fit(&x, &y).unwrap();
        let nu = NuSvc::new(rbf(0.5)).nu(0.05).fit(&x, &y).unwrap();
        assert_eq!(nu.predict(&x).unwrap(), svc.predict(&x).unwrap());
    }

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
