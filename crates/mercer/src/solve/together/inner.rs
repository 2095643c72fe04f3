//! Steps of single points inside a working set.
//!
//! In several sweeps, each point of the set is made optimal with the others fixed; the scores of the set are kept up to
//! date by the block of kernel values between its points.

use std::marker::PhantomData;

use rayon::prelude::*;

use super::{Point, PointProblem};
use crate::simd::accumulate_one;

/// The most sweeps.
const SWEEPS: usize = 10;

/// A point is skipped if its violation is below this share of the target for the whole set.
const QUIET: f64 = 0.2;

/// Added to the distance in memory between the scores of two classes: a distance that is a power of two would put them into
/// the few places of one cache set.
const APART: usize = 8;

/// A point as the working set sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member {
    pub(super) point: Point,
    /// k(x, x)
    pub(super) curvature: f64,
}

/// The programme restricted to a working set.
pub(super) struct Inner<P> {
    members: Vec<Member>,
    classes: usize,
    /// q rows of q kernel values.
    kernel: Vec<f32>,
    /// β, point after point.
    pub(super) beta: Vec<f64>,
    /// F, class after class; the scores of a class begin `stride` after those of the class before.
    scores: Vec<f64>,
    stride: usize,
    problem: PhantomData<P>,
}

/// When to leave a working set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Enough {
    /// The violation to be reached.
    pub(super) target: f64,
    /// The most steps.
    pub(super) steps: u64,
}

impl<P: PointProblem> Inner<P> {
    /// Without a working set.
    pub(super) fn new(classes: usize) -> Self {
        Self {
            members: Vec::new(),
            classes,
            kernel: Vec::new(),
            beta: Vec::new(),
            scores: Vec::new(),
            stride: 0,
            problem: PhantomData,
        }
    }

    /// Loads a working set: its points, their kernel rows, coefficients and scores, both point after point.
    pub(super) fn load(
        &mut self,
        points: &[usize],
        members: Vec<Member>,
        rows: &[&[f32]],
        (beta, scores): (Vec<f64>, &[f64]),
    ) {
        let q = points.len();
        self.members = members;
        self.beta = beta;
        self.kernel.resize(q * q, 0.0);
        self.kernel.par_chunks_mut(q.max(1)).zip(rows).for_each(|(target, row)| {
            target.iter_mut().zip(points).for_each(|(value, &j)| *value = row[j]);
        });
        self.stride = q + APART;
        self.scores.resize(self.classes * self.stride, 0.0);
        for (a, row) in scores.chunks_exact(self.classes).enumerate() {
            row.iter().enumerate().for_each(|(c, f)| self.scores[c * self.stride + a] = *f);
        }
    }

    /// Sweeps until `enough` is reached. Returns the number of steps.
    pub(super) fn solve(&mut self, enough: Enough) -> u64 {
        let mut steps = 0;
        for _ in 0..SWEEPS {
            let (taken, worst) = self.sweep(Enough { steps: enough.steps - steps, ..enough });
            steps += taken;
            // A violation that is NaN ends the sweeps too; the caller finds out why.
            let more = worst > enough.target;
            if !more || taken == 0 || steps >= enough.steps {
                break;
            }
        }
        steps
    }

    /// Goes once through all points. Returns the number of steps and the largest violation before a step.
    fn sweep(&mut self, enough: Enough) -> (u64, f64) {
        let Self { members, classes, kernel, beta, scores, stride, .. } = self;
        let q = members.len();
        let (mut taken, mut worst) = (0, 0.0f64);
        let (mut row, mut before, mut scratch): (Vec<f64>, Vec<f64>, Vec<f64>) = Default::default();
        for (a, member) in members.iter().enumerate() {
            row.clear();
            row.extend(scores[a..].iter().step_by(*stride).take(*classes));
            let beta = &mut beta[a * *classes..(a + 1) * *classes];
            let violation = P::violation(member.point, beta, &row, &mut scratch);
            worst = worst.max(violation);
            if violation <= QUIET * enough.target || taken >= enough.steps {
                continue;
            }
            before.clear();
            before.extend_from_slice(beta);
            P::step(member.point, member.curvature, &row, beta, &mut scratch);
            taken += 1;
            for (c, (new, old)) in beta.iter().zip(&before).enumerate() {
                if new != old {
                    let scores = &mut scores[c * *stride..][..q];
                    accumulate_one(scores, &kernel[a * q..(a + 1) * q], new - old);
                }
            }
        }
        (taken, worst)
    }
}
