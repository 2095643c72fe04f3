//! Where Grams are made and quadratic programmes are solved: this machine's processor, or a device of another crate.

use std::time::Instant;

use rayon::prelude::*;

use super::checkpoint::{Checkpoint, List};
use super::job::Job;
use crate::data::Points;
use crate::error::Result;
use crate::gram::{Gram, Held, Lazy};
use crate::kernel::{Bound, Definiteness, Kernel};
use crate::memory::room;
use crate::solve::{Answer, Problem, Progress, Shared, Smo, Solution, Start, WHOLE, Watch};

/// Programmes that may be solved at the same time, between which the memory for kernel rows is shared out: not the number
/// of threads, so that the rows computed do not depend on it.
pub(super) const SIDE_BY_SIDE: usize = 8;

/// Nanoseconds that a value takes beside computing it where all values are held: fresh memory, the copy in the other half, and
/// reading it from far away. On the scale of [`Gram::cost`].
const HOLDING: f64 = 1.5;

/// A place to compute: makes Grams, binds kernels for prediction, and may take over all programmes of a fit.
///
/// A device that answers row by row is slower than the processor, so [`Compute::solve`] is handed all programmes at once.
/// Whatever it answers is certified here, in double precision, before it becomes a model.
pub trait Compute<X: Points>: Sync {
    /// The Gram of `points`.
    ///
    /// # Errors
    /// If the kernel cannot be evaluated on them.
    fn gram<'k>(&self, kernel: &'k dyn Kernel<X>, points: &X) -> Result<Box<dyn Gram + 'k>>;

    /// The kernel bound to the points of a fitted function, for predictions.
    ///
    /// # Errors
    /// If the kernel cannot be evaluated on them.
    fn bind(&self, kernel: &dyn Kernel<X>, points: &X) -> Result<Box<dyn Bound<X>>> {
        kernel.bind(points)
    }

    /// Solves all programmes of a fit and hands back an answer for each, in order; none where it does not want to, and the
    /// processor solves them on the [Gram](Compute::gram) of this place.
    ///
    /// # Errors
    /// Of the place; the fit then ends with it.
    fn solve(&self, programmes: &Programmes<'_, X>, watch: Watch<'_>) -> Result<Option<Vec<Answer>>> {
        let _ = (programmes, watch);
        Ok(None)
    }
}

/// This machine's processor, all cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Processor;

impl<X: Points> Compute<X> for Processor {
    fn gram<'k>(&self, kernel: &'k dyn Kernel<X>, points: &X) -> Result<Box<dyn Gram + 'k>> {
        Ok(Box::new(Lazy::new(kernel, points)?))
    }
}

/// All quadratic programmes of a fit: one for each pair of classes, for each class, or a single one.
pub struct Programmes<'a, X: Points> {
    /// k
    pub kernel: &'a dyn Kernel<X>,
    /// The points of the fit.
    pub points: &'a X,
    /// How each is solved.
    pub solver: Smo,
    /// How many there are.
    pub count: usize,
    /// Makes one of them, by its number from 0.
    pub programme: &'a (dyn Fn(usize) -> Programme + Sync),
    /// The class of each point where every programme is on the points of two classes; else empty.
    classes: &'a [u32],
}

/// The Gram that several programmes share.
struct Common<'k> {
    gram: Box<dyn Gram + 'k>,
    /// For each point of the fit, its number in the Gram; empty where it is the same.
    place: Vec<usize>,
    /// What its values take, and how many were computed for them.
    bytes: usize,
    values: u64,
}

impl<'k> Common<'k> {
    /// One packed copy of the points, whose values are computed when they are asked for.
    fn packed(gram: Box<dyn Gram + 'k>) -> Self {
        Self { gram, place: Vec::new(), bytes: 0, values: 0 }
    }

    /// All values of a Gram.
    fn held(gram: Box<dyn Gram + 'k>, double: bool, place: Vec<usize>) -> Self {
        let bytes = Held::bytes(gram.len(), double);
        let held = Held::new(gram, double);
        Self { values: held.computed(), gram: Box::new(held), place, bytes }
    }

    /// The Gram of these points of the fit.
    fn of(&self, index: &[usize]) -> Box<dyn Gram + '_> {
        let place = |&i: &usize| self.place.get(i).copied().unwrap_or(i);
        self.gram.restrict(&index.iter().map(place).collect::<Vec<_>>())
    }
}

/// A quadratic programme on some of the points.
#[derive(Debug, Clone, PartialEq)]
pub struct Programme {
    /// The points of its variables, in order; none for all points. A point may occur more than once.
    pub points: Option<Vec<usize>>,
    /// The programme.
    pub problem: Problem,
}

impl<'a, X: Points> Programmes<'a, X> {
    /// Programmes with a kernel on points; the solver is told whether the kernel is definite.
    pub(super) fn new<K: Kernel<X>>(
        kernel: &'a K,
        points: &'a X,
        solver: &Smo,
        count: usize,
        programme: &'a (dyn Fn(usize) -> Programme + Sync),
    ) -> Self {
        let psd = kernel.definiteness() == Definiteness::Psd;
        Self { kernel, points, solver: Smo { psd, ..solver.clone() }, count, programme, classes: &[] }
    }

    /// Says that every programme is on the points of two of these classes.
    pub(super) fn of_pairs(self, classes: &'a [u32]) -> Self {
        Self { classes, ..self }
    }

    /// Solves all of them, side by side, where the job computes. Errors name points of the fit.
    pub(super) fn solve(&self, job: &mut Job<'_, X>) -> Result<Vec<Solution>> {
        let compute = job.compute;
        let answers = compute.solve(self, &mut job.rounds())?;
        let solved = match answers {
            Some(answers) => self.certified(answers)?,
            None => self.solve_here(job)?,
        };
        job.phases = [job.phases].into_iter().chain(solved.iter().map(|solution| solution.phases)).sum();
        Ok(solved)
    }

    fn solve_here(&self, job: &mut Job<'_, X>) -> Result<Vec<Solution>> {
        let (started, compute) = (Instant::now(), job.compute);
        let kept = job.checkpoint.map(Checkpoint::list);
        let mut rounds = job.rounds();
        if self.count == 1 {
            return Ok(vec![self.solve_one((0, kept), &self.solver, None, compute, &mut rounds)?]);
        }
        let shared = Shared::new(&mut rounds, self.count, started);
        let one = |part: usize, common: Option<&Common<'_>>| -> Result<Solution> {
            let budget = self.solver.cache_bytes - common.map_or(0, |common| common.bytes);
            let solver = Smo {
                cache_bytes: budget / self.count.clamp(1, SIDE_BY_SIDE),
                time_limit: self.solver.time_limit.map(|limit| limit.saturating_sub(started.elapsed())),
                ..self.solver.clone()
            };
            let mut watch = |progress: &Progress| shared.show(part, progress);
            let mut solution = self.solve_one((part, kept), &solver, common, compute, &mut watch)?;
            self.bear(&mut solution, common);
            Ok(solution)
        };
        // Programmes on all points share one packed copy of them. Those on parts have one each, while they are solved: there
        // is never one of all points.
        let on_parts = (self.programme)(0).points.is_some();
        let mut common =
            if on_parts { None } else { Some(Common::packed(compute.gram(self.kernel, self.points)?)) };
        let mut solved = Vec::with_capacity(self.count);
        if let Some(mean) = self.holdable(on_parts) {
            // Small programmes compute all their values, each after a set-up of its own. Of larger ones the first shows how many.
            let mut values = f64::INFINITY;
            if mean > WHOLE as f64 {
                let first = one(0, common.as_ref())?;
                let share = first.certificate.rows / first.coefficients.len().max(1) as f64;
                values = (self.count - 1) as f64 * share * mean * mean;
                solved.push(first);
            }
            common = self.held(common, values, compute)?;
        }
        let others = (solved.len()..self.count).into_par_iter().map(|part| one(part, common.as_ref()));
        solved.append(&mut others.collect::<Result<Vec<_>>>()?);
        Ok(solved)
    }

    /// Adds to the cost of a programme its share of the values that were computed for all.
    fn bear(&self, solution: &mut Solution, common: Option<&Common<'_>>) {
        let values = common.map_or(0.0, |common| common.values as f64);
        solution.certificate.rows += values / (self.count * solution.coefficients.len().max(1)) as f64;
    }

    /// The mean number of points of a programme, if all values of the Gram fit into half of the budget; none where they do not, or
    /// where the programmes are on so few of the points that they cannot need half of the values.
    fn holdable(&self, on_parts: bool) -> Option<f64> {
        let n = self.points.len();
        let classes = self.classes.iter().max().map_or(0, |&class| class as usize + 1);
        // A pair has two of k classes, and its whole Gram 4/k² of the values.
        let mean = if on_parts { 2.0 * n as f64 / classes.max(2) as f64 } else { n as f64 };
        let needed = self.count as f64 * mean * mean;
        let bytes = Held::bytes(n, self.solver.exact);
        let fits = room("all values", bytes as u64, Some(self.solver.cache_bytes / 2), "").is_ok();
        (fits && (!on_parts || classes > 2) && needed > 0.5 * (n * n) as f64).then_some(mean)
    }

    /// All values of the Gram, where that costs less than the `values` that the programmes would compute each for itself;
    /// else `common` as it is.
    fn held(
        &self,
        common: Option<Common<'a>>,
        values: f64,
        compute: &dyn Compute<X>,
    ) -> Result<Option<Common<'a>>> {
        let (gram, place) = match common {
            Some(common) => (common.gram, common.place),
            None => {
                // Class after class, so that a programme reads values that lie side by side.
                let mut order: Vec<usize> = (0..self.points.len()).collect();
                order.sort_by_key(|&i| self.classes[i]);
                let mut place = vec![0; order.len()];
                order.iter().enumerate().for_each(|(new, &i)| place[i] = new);
                let gram = compute.gram(self.kernel, &self.points.select(&order));
                (gram.map_err(|error| error.about(&order))?, place)
            }
        };
        // Where the cost is not known it is high, and the number of values decides.
        if values <= (gram.len() as f64).powi(2) * (0.5 + HOLDING / gram.cost()) {
            return Ok(place.is_empty().then(|| Common::packed(gram)));
        }
        Ok(Some(Common::held(gram, self.solver.exact, place)))
    }

    fn solve_one(
        &self,
        (part, kept): (usize, Option<List<'_>>),
        solver: &Smo,
        common: Option<&Common<'_>>,
        compute: &dyn Compute<X>,
        watch: Watch<'_>,
    ) -> Result<Solution> {
        let Programme { points, mut problem } = (self.programme)(part);
        let mut place = None;
        if let Some(kept) = kept {
            let (begun, own) = kept.programme(part, problem)?;
            (problem, place) = (begun, Some(own));
        }
        let watch: Watch<'_> = &mut |progress: &Progress| {
            if let Some(place) = &mut place {
                place.see(progress);
            }
            watch(progress)
        };
        let solved = match (points, common) {
            (None, Some(common)) => solver.solve(&problem, &*common.gram.share(), watch),
            (None, None) => solver.solve(&problem, &*compute.gram(self.kernel, self.points)?, watch),
            (Some(index), Some(common)) => {
                let solved = solver.solve(&problem, &*common.of(&index), watch);
                solved.map_err(|error| error.about(&index))
            }
            (Some(index), None) => {
                let gram = compute.gram(self.kernel, &self.points.select(&index));
                let solved = gram.and_then(|gram| solver.solve(&problem, &*gram, watch));
                solved.map_err(|error| error.about(&index))
            }
        }?;
        if let Some(place) = place {
            place.solved(Start::of_dual(solved.coefficients.clone()));
        }
        Ok(solved)
    }

    /// Solutions of another place's answers, with certificates of our own.
    fn certified(&self, answers: Vec<Answer>) -> Result<Vec<Solution>> {
        crate::error::check(
            "answers",
            answers.len() as f64,
            answers.len() == self.count,
            "must be one for each programme",
        )?;
        let one = |(part, answer): (usize, Answer)| {
            let Programme { points, problem } = (self.programme)(part);
            let own = points.as_ref().map_or_else(|| self.points.clone(), |index| self.points.select(index));
            let certified =
                Lazy::new(self.kernel, &own).and_then(|gram| problem.certify(answer, &gram, &self.solver));
            certified.map_err(|error| match &points {
                Some(index) => error.about(index),
                None => error,
            })
        };
        answers.into_par_iter().enumerate().map(one).collect()
    }
}
