//! Divide and conquer: a start for a large problem from the solutions of its cells.
//!
//! Points are divided into cells by kernel k-means, each cell is solved to a loose tolerance as a problem of its own, and
//! the answers together are the start of the whole problem, which has then only to account for kernel values between
//! cells. The kernel rows of a cell are short and a working set is a large part of it, so that the many rounds in which
//! the support points are found cost little.
//!
//! Hsieh, Si and Dhillon (2014), with one level. The clusters are found on a sample, then every point is assigned to the
//! nearest centre: s·n kernel values for a sample of s points.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use rayon::prelude::*;

use super::{Problem, Smo};
use crate::error::Result;
use crate::gram::Gram;
use crate::solve::{Iterate, Progress, Shared, Solution, Start, Watch};

/// The least number of variables of a problem that is divided.
const LEAST: usize = 15_000;
/// Up to `FEW` points there are `CELLS` cells, beyond that one for each `CELL` points, at most `MOST_CELLS`. Measured: with
/// smaller cells the whole problem takes more rounds, with larger ones the cells take more time.
const FEW: usize = 40_000;
const CELLS: usize = 8;
const CELL: usize = 10_000;
const MOST_CELLS: usize = 32;
/// Points of the sample on which the clusters are found.
pub(crate) const SAMPLE: usize = 512;
/// The most passes of k-means over the sample.
const PASSES: usize = 10;
/// The least share of support points for which dividing pays. With fewer, they are soon found without it.
const LEAST_SHARE: f64 = 0.3;
/// Points on which the share of support points is estimated.
const PROBE: usize = 1024;
/// Number of cells among which the budget for rows is divided. It is not the number of threads, because the last bits of
/// the gradient depend on which rows are kept.
const SIDE_BY_SIDE: usize = 8;
/// The tolerance of a cell, in tolerances of the whole problem: the other cells will change its answer anyway.
const LOOSER: f64 = 100.0;

/// What the cells of a problem have found.
#[derive(Default)]
pub(super) struct Begun {
    /// A start for the whole problem; `None` if it was not divided.
    pub(super) start: Option<Vec<f64>>,
    /// Steps taken in all cells.
    pub(super) iterations: u64,
    /// Whether the caller's callback asked to stop.
    pub(super) interrupted: bool,
}

/// A start from the cells of the problem. The problem is not divided if that does not pay, if its start is not zero, or if
/// a cell cannot be solved: the error of the whole problem then names the points by their numbers.
pub(super) fn start(settings: &Smo, problem: &Problem, gram: &dyn Gram, watch: Watch<'_>) -> Begun {
    let n = problem.len();
    if n < LEAST || problem.start.iter().any(|&b| b != 0.0) {
        return Begun::default();
    }
    let started = Instant::now();
    let shared = Shared::new(watch, 1, started);
    // β is put into `found` as cells tell of theirs, so that it is a start at any time: each cell keeps its own sums.
    let solve = |points: &Vec<usize>, found: &Mutex<Vec<f64>>| -> Result<Solution> {
        let put = |own: &[f64]| {
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            points.iter().zip(own).for_each(|(&i, &b)| found[i] = b);
            found
        };
        let loose = Smo {
            tolerance: settings.tolerance * LOOSER,
            cache_bytes: settings.cache_bytes / SIDE_BY_SIDE,
            time_limit: settings.time_limit.map(|limit| limit.saturating_sub(started.elapsed())),
            ..settings.clone()
        };
        let mut watch = |progress: &Progress| {
            let iterate = || Start::of_dual(put(&progress.iterate.start().unwrap_or_default().dual).clone());
            shared.show(0, &Progress { iterate: Iterate::of(&iterate), ..*progress })
        };
        let solution = loose.solve_as_it_is(&problem.part(points), &*gram.restrict(points), &mut watch)?;
        drop(put(&solution.coefficients));
        Ok(solution)
    };
    let probe = spread(n, PROBE);
    let support = solve(&probe, &Mutex::new(problem.start.clone()))
        .map(|s| s.coefficients.iter().filter(|&&b| b != 0.0).count());
    let worth = support.is_ok_and(|support| support as f64 >= LEAST_SHARE * probe.len() as f64);
    if !worth || shared.stopped() {
        return Begun { interrupted: shared.stopped(), ..Begun::default() };
    }
    let cells = cells(gram, if n <= FEW { CELLS } else { (n / CELL).min(MOST_CELLS) });
    gram.release_scratch();
    let found = Mutex::new(problem.start.clone());
    let solved = cells.par_iter().map(|cell| solve(cell, &found)).collect::<Result<Vec<_>>>();
    let Ok(solved) = solved else { return Begun::default() };
    let iterations = solved.iter().map(|solution| solution.certificate.iterations).sum();
    let start = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    Begun { start: Some(start), iterations, interrupted: shared.stopped() }
}

/// The points, of n, on which the clusters are found.
pub(crate) fn sample(n: usize) -> Vec<usize> {
    spread(n, SAMPLE)
}

/// `count` of n points, evenly spaced.
fn spread(n: usize, count: usize) -> Vec<usize> {
    let count = count.min(n);
    (0..count).map(|s| s * n / count).collect()
}

/// Divides the points into at most `count` cells by kernel k-means. The points of a cell ascend, and no cell is empty.
pub(super) fn cells(gram: &dyn Gram, count: usize) -> Vec<Vec<usize>> {
    let n = gram.len();
    let sample = sample(n);
    let (mut nearest, mut cell) = (vec![f64::INFINITY; n], vec![0u32; n]);
    for (number, cluster) in clusters(&*gram.restrict(&sample), count).iter().enumerate() {
        let members: Vec<usize> = cluster.members.iter().map(|&s| sample[s]).collect();
        let mut products = vec![0.0; n];
        gram.accumulate(&members, &vec![1.0 / members.len() as f64; members.len()], &mut products);
        for i in 0..n {
            let distance = cluster.square - 2.0 * products[i];
            if distance < nearest[i] {
                (nearest[i], cell[i]) = (distance, number as u32);
            }
        }
    }
    let mut cells = vec![Vec::new(); count];
    cell.iter().enumerate().for_each(|(i, &c)| cells[c as usize].push(i));
    cells.retain(|cell| !cell.is_empty());
    cells
}

/// Points whose mean in feature space is the centre of a cluster, and the squared norm of that mean.
pub(crate) struct Cluster {
    pub(crate) members: Vec<usize>,
    pub(crate) square: f64,
}

/// Kernel k-means by Lloyd's algorithm; no cluster is empty. The first centres are drawn with probabilities proportional to
/// the squared distance from the centres drawn before (Arthur and Vassilvitskii 2007), with a fixed seed.
pub(crate) fn clusters(gram: &dyn Gram, count: usize) -> Vec<Cluster> {
    let n = gram.len();
    let mut values = vec![0.0; n * n];
    let mut rows: Vec<&mut [f32]> = values.chunks_mut(n.max(1)).collect();
    gram.rows(&(0..n).collect::<Vec<_>>(), &mut rows);
    let value = |i: usize, j: usize| f64::from(values[i * n + j]);
    let centre = |i: usize| Cluster { members: vec![i], square: value(i, i) };
    let mut clusters = vec![centre(0)];
    let (mut seed, mut far) = (1u64, vec![f64::INFINITY; n]);
    while clusters.len() < count.min(n) {
        let last = clusters[clusters.len() - 1].members[0];
        let distance = |i: usize| (value(i, i) + value(last, last) - 2.0 * value(i, last)).max(0.0);
        far.iter_mut().enumerate().for_each(|(i, d)| *d = d.min(distance(i)));
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut left = (seed >> 11) as f64 / (1u64 << 53) as f64 * far.iter().sum::<f64>();
        let drawn = far.iter().position(|d| {
            left -= d;
            left < 0.0
        });
        // There are fewer different points than clusters asked for.
        let Some(drawn) = drawn else { break };
        clusters.push(centre(drawn));
    }
    let mut cell = vec![usize::MAX; n];
    for _ in 0..PASSES {
        let nearest = |i: usize| {
            let distance = |c: &Cluster| {
                let sum: f64 = c.members.iter().map(|&j| value(i, j)).sum();
                c.square - 2.0 * sum / c.members.len() as f64
            };
            let distances = clusters.iter().map(distance).enumerate();
            distances.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(c, _)| c)
        };
        let next: Vec<usize> = (0..n).into_par_iter().map(nearest).collect();
        if next == cell {
            break;
        }
        cell = next;
        clusters = (0..clusters.len())
            .map(|c| (0..n).filter(|&i| cell[i] == c).collect::<Vec<_>>())
            .filter(|members| !members.is_empty())
            .map(|members| {
                let pairs = members.iter().flat_map(|&i| members.iter().map(move |&j| (i, j)));
                let sum: f64 = pairs.map(|(i, j)| value(i, j)).sum();
                Cluster { square: sum / (members.len() * members.len()) as f64, members }
            })
            .collect();
    }
    clusters
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::time::Duration;

    use super::*;
    use crate::data::Vectors;
    use crate::gram::Lazy;
    use crate::kernel::rbf;
    use crate::solve::{Span, Stop, unwatched};

    fn noise(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 40) as f64 / 16_777_216.0
    }

    #[test]
    fn cells_are_the_clusters_and_hold_every_point_once() {
        // Three clouds in turn, far apart.
        let mut seed = 1;
        let values = (0..3000).flat_map(|i| [f64::from(i % 3) * 10.0, noise(&mut seed)]).collect();
        let (kernel, points) = (rbf(0.5), Vectors::dense(2, values));
        let cells = cells(&Lazy::new(&kernel, &points).expect("binds"), 3);
        assert_eq!(cells.len(), 3);
        for cell in &cells {
            assert_eq!(cell.len(), 1000);
            assert!(cell.iter().all(|i| i % 3 == cell[0] % 3) && cell.is_sorted());
        }
    }

    #[test]
    fn a_divided_problem_ends_at_the_optimum_of_the_whole() {
        // A third of the labels are wrong, so that there are support points everywhere.
        let (n, mut seed) = (LEAST, 7);
        let values: Vec<f64> = (0..2 * n).map(|_| 4.0 * noise(&mut seed)).collect();
        let positive: Vec<bool> = (0..n)
            .map(|i| (values[2 * i] > 2.0) == (values[2 * i + 1] > 2.0) || noise(&mut seed) < 0.3)
            .collect();
        let (kernel, points) = (rbf(1.0), Vectors::dense(2, values));
        let gram = Lazy::new(&kernel, &points).expect("binds");
        let problem = Problem::c_svc(&positive, &vec![1.0; n]);
        let smo = Smo::default();
        let begun = start(&smo, &problem, &gram, &mut unwatched());
        assert!(begun.iterations > 0 && begun.start.expect("divides").iter().sum::<f64>().abs() < 1e-9);
        let whole = smo.solve(&problem, &gram, &mut unwatched()).expect("solves");
        // The bits do not depend on the number of threads.
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread");
        let again = alone.install(|| smo.solve(&problem, &gram, &mut unwatched())).expect("solves");
        assert_eq!(whole.coefficients, again.coefficients);
        // A callback that asks to stop once, while cells are solved, ends the solve; so does the time limit.
        let mut calls = 0;
        let mut once = |_: &Progress| {
            calls += 1;
            if calls == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let stopped = smo.solve(&problem, &gram, &mut once).expect("solves");
        assert_eq!(stopped.certificate.stop, Stop::Interrupted);
        let brief = Smo { time_limit: Some(Duration::ZERO), ..Smo::default() };
        let stopped = brief.solve(&problem, &gram, &mut unwatched()).expect("solves");
        assert_eq!(stopped.certificate.stop, Stop::TimeLimit);
        // A problem whose start is not zero, however small, is not divided.
        let mut started = problem.clone();
        let (up, down) = (positive.iter().position(|p| *p), positive.iter().position(|p| !*p));
        started.start[up.expect("positive")] = 1e-3;
        started.start[down.expect("negative")] = -1e-3;
        let piece = smo.solve(&started, &gram, &mut unwatched()).expect("solves");
        assert_eq!((whole.certificate.stop, piece.certificate.stop), (Stop::Converged, Stop::Converged));
        let (a, b) = (whole.certificate.objective, piece.certificate.objective);
        assert!((a - b).abs() < 1e-5 * b.abs(), "{a} {b}");
        assert_eq!(piece.phases.dividing, Span::default());
        assert!(whole.phases.dividing > Span::default());
    }
}
