//! Where Grams are made and quadratic programmes are solved: this machine's processor, or a device of another crate.

use std::time::Instant;

use rayon::prelude::*;

use super::job::Job;
use crate::data::Points;
use crate::error::Result;
use crate::gram::{Gram, Lazy};
use crate::kernel::{Bound, Definiteness, Kernel};
use crate::solve::{Answer, Problem, Progress, Shared, Smo, Solution, Watch};

/// Programmes that may be solved at the same time, between which the memory for kernel rows is shared out: not the number
/// of threads, so that the rows computed do not depend on it.
pub(super) const SIDE_BY_SIDE: usize = 8;

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
        Self { kernel, points, solver: Smo { psd, ..solver.clone() }, count, programme }
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
        let mut rounds = job.rounds();
        if self.count == 1 {
            return Ok(vec![self.solve_one(0, &self.solver, None, compute, &mut rounds)?]);
        }
        let shared = Shared::new(&mut rounds, self.count, started);
        let cache_bytes = self.solver.cache_bytes / self.count.clamp(1, SIDE_BY_SIDE);
        // Programmes on all points share one packed copy of them. Those on parts have one each, while they are solved:
        // there is never one of all points.
        let whole = match (self.programme)(0).points {
            None => Some(compute.gram(self.kernel, self.points)?),
            Some(_) => None,
        };
        let one = |part: usize| {
            let time_limit = self.solver.time_limit.map(|limit| limit.saturating_sub(started.elapsed()));
            let solver = Smo { cache_bytes, time_limit, ..self.solver.clone() };
            let mut watch = |progress: &Progress| shared.show(part, progress);
            self.solve_one(part, &solver, whole.as_deref(), compute, &mut watch)
        };
        (0..self.count).into_par_iter().map(one).collect()
    }

    fn solve_one(
        &self,
        part: usize,
        solver: &Smo,
        whole: Option<&dyn Gram>,
        compute: &dyn Compute<X>,
        watch: Watch<'_>,
    ) -> Result<Solution> {
        let Programme { points, problem } = (self.programme)(part);
        match (points, whole) {
            (None, Some(gram)) => solver.solve(&problem, &*gram.share(), watch),
            (None, None) => solver.solve(&problem, &*compute.gram(self.kernel, self.points)?, watch),
            (Some(index), _) => {
                let gram = compute.gram(self.kernel, &self.points.select(&index));
                let solved = gram.and_then(|gram| solver.solve(&problem, &*gram, watch));
                solved.map_err(|error| error.about(&index))
            }
        }
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
