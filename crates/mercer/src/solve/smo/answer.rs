//! Answers of another solver, taken only with a certificate of our own.

use super::state::{State, hard_gap};
use super::{Problem, Smo, Solution};
use crate::error::{DataProblem, ErrorKind, Result, check};
use crate::gram::Gram;
use crate::solve::{Certificate, Phases, Stop};

/// Points whose gradient is computed again, at most.
const SAMPLE: usize = 16;
/// The share of the sizes of coefficients by which their sum may be off: of a device that computes in single precision, and of this solver.
const SUMS: f64 = 1e-6;
const OWN_SUMS: f64 = 1e-9;

/// What a solver elsewhere (a device, a cluster) has found for a [`Problem`].
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// β, one per variable of the problem.
    pub coefficients: Vec<f64>,
    /// g = Kβ + ridge·β + linear, one per variable.
    pub gradient: Vec<f64>,
    /// Steps taken.
    pub iterations: u64,
    /// Kernel rows computed.
    pub rows: f64,
    /// Why the solver stopped.
    pub stop: Stop,
}

impl Problem {
    /// The solution that an answer amounts to, with the certificate computed here in double precision from the answer's
    /// coefficients and gradient.
    ///
    /// The gradient is what the certificate rests on, so that of up to 16 variables, spread evenly, is computed again from
    /// kernel values of `gram` in double precision.
    ///
    /// # Errors
    /// If the answer has another length than the problem, lies outside the box, does not keep its sums, or its gradient
    /// differs from the one computed here by more than a tenth of the tolerance and what single precision explains.
    pub fn certify(&self, answer: Answer, gram: &dyn Gram, solver: &Smo) -> Result<Solution> {
        let n = self.len();
        self.check(gram.len())?;
        let fits = answer.coefficients.len() == n && answer.gradient.len() == n;
        check("answer", answer.coefficients.len() as f64, fits, "must be one number per variable")?;
        let begun = Problem { start: answer.coefficients, ..self.clone() };
        begun.check(n)?;
        self.check_sums(&begun.start, SUMS)?;
        self.check_gradient(&begun.start, &answer.gradient, gram, solver.tolerance)?;
        // Without an offset one more variable, on the origin, says that slopes are compared with 0.
        let (begun, gradient) = match self.offset {
            true => (begun, answer.gradient),
            false => (begun.with_origin(), [answer.gradient, vec![0.0]].concat()),
        };
        let mut state = State::at_start(&begun, gradient);
        let extremes = state.extremes();
        let mut gap = state.gap(&extremes);
        if gap.is_infinite() && self.is_hard() {
            gap = hard_gap(&state, &begun.linear, &extremes);
        }
        let certificate = Certificate {
            objective: state.objective(&begun.linear),
            gap: solver.psd.then_some(gap),
            violation: extremes.violation(),
            iterations: answer.iterations,
            rows: answer.rows,
            stop: match answer.stop {
                Stop::Converged if extremes.violation() > solver.tolerance => Stop::Stalled,
                stop => stop,
            },
            exact: false,
        };
        let [first, second] = extremes.groups;
        state.beta.truncate(n);
        Ok(Solution {
            coefficients: state.beta,
            offset: first.offset,
            second_offset: second.offset,
            certificate,
            phases: Phases::default(),
        })
    }

    /// The problem with another start, of a solve that was ended.
    ///
    /// # Errors
    /// If it lies outside the box or does not keep the sums.
    pub(crate) fn beginning_with(self, start: Vec<f64>) -> Result<Self> {
        let begun = Self { start, resumed: true, ..self.clone() };
        begun.check(begun.len())?;
        self.check_sums(&begun.start, OWN_SUMS)?;
        Ok(begun)
    }

    /// Refuses coefficients whose sums are not those of the start, but for this share of their sizes.
    fn check_sums(&self, found: &[f64], share: f64) -> Result<()> {
        let sum = |list: &[f64], second: bool| -> (f64, f64) {
            let own = |i: &usize| self.second.get(*i).copied().unwrap_or(false) == second;
            let values = (0..self.len()).filter(own).map(|i| list[i]);
            values.fold((0.0, 0.0), |(sum, size), value| (sum + value, size + value.abs()))
        };
        for second in [false, true] {
            let ((wanted, _), (found, size)) = (sum(&self.start, second), sum(found, second));
            let kept = !self.offset || (wanted - found).abs() <= share * size.max(1.0);
            check("sum of coefficients", found, kept, "must be that of the problem's start")?;
        }
        Ok(())
    }

    fn check_gradient(&self, found: &[f64], gradient: &[f64], gram: &dyn Gram, tolerance: f64) -> Result<()> {
        let n = self.len();
        let step = n.div_ceil(SAMPLE).max(1);
        let mut row = vec![0.0; n];
        for i in (0..n).step_by(step) {
            gram.rows_f64(&[i], &mut [&mut row]);
            let ridge = self.ridge.get(i).map_or(0.0, |ridge| ridge * found[i]);
            let terms = row.iter().zip(found).map(|(k, b)| k * b);
            let (sum, size) = terms.fold((0.0, 0.0), |(sum, size), term| (sum + term, size + f64::abs(term)));
            let (computed, told) = (sum + ridge + self.linear[i], gradient[i]);
            let allowed = 0.1 * tolerance + 8.0 * f64::from(f32::EPSILON) * size;
            let off = (computed - told).abs();
            if off > allowed || off.is_nan() {
                return Err(ErrorKind::Data(DataProblem::Gradient { row: i + 1, told, computed }).into());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Vectors;
    use crate::gram::Lazy;
    use crate::kernel::linear;
    use crate::solve::unwatched;

    /// Two points ±1 and their optimum by hand: β = ±½, g = 0.
    fn answer() -> Answer {
        Answer {
            coefficients: vec![0.5, -0.5],
            gradient: vec![0.0, 0.0],
            iterations: 7,
            rows: 2.0,
            stop: Stop::Converged,
        }
    }

    fn certified(answer: Answer) -> Result<Solution> {
        let kernel = linear();
        let gram = Lazy::new(&kernel, &Vectors::dense(1, vec![1.0, -1.0])).unwrap();
        Problem::c_svc(&[true, false], &[10.0; 2]).certify(answer, &gram, &Smo::default())
    }

    #[test]
    fn a_true_answer_has_the_certificate_of_our_own_solver() {
        let (kernel, points) = (linear(), Vectors::dense(1, vec![1.0, -1.0]));
        let gram = Lazy::new(&kernel, &points).unwrap();
        let problem = Problem::c_svc(&[true, false], &[10.0; 2]);
        let own = Smo::default().solve(&problem, &gram, &mut unwatched()).unwrap();
        let found = certified(answer()).unwrap();
        assert_eq!((found.certificate.objective, found.certificate.gap), (-0.5, Some(0.0)));
        assert!((own.certificate.objective + 0.5).abs() < 1e-6);
        assert_eq!((found.offset, found.certificate.iterations), (0.0, 7));
    }

    #[test]
    fn an_untrue_answer_is_refused() {
        let with = |change: fn(&mut Answer)| {
            let mut answer = answer();
            change(&mut answer);
            certified(answer)
        };
        assert!(with(|a| a.gradient[1] = 0.01).is_err(), "another gradient");
        assert!(with(|a| a.gradient[0] = f64::NAN).is_err());
        assert!(with(|a| a.coefficients = vec![0.5, -0.4]).is_err(), "another sum");
        assert!(with(|a| a.coefficients = vec![11.0, -11.0]).is_err(), "outside the box");
        assert!(with(|a| a.coefficients.truncate(1)).is_err());
        // Not optimal, and it says so itself.
        let early = with(|a| {
            a.coefficients = vec![0.25, -0.25];
            a.gradient = vec![-0.5, 0.5];
        });
        let certificate = early.unwrap().certificate;
        assert_eq!((certificate.violation, certificate.stop), (1.0, Stop::Stalled));
    }
}
