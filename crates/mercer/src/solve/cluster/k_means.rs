//! Lloyd's iteration in feature space.
//!
//! With sᶜ the weight of cluster c, Mᶜ = Σ_{j∈c} wⱼφⱼ and its centre mᶜ = Mᶜ/sᶜ,
//!
//! ‖φᵢ − mᶜ‖² = ‖φᵢ‖² − 2⟨φᵢ, Mᶜ⟩/sᶜ + ‖Mᶜ‖²/sᶜ²  and  inertia = Σ wᵢ‖φᵢ‖² − Σ_c ‖Mᶜ‖²/sᶜ.
//!
//! The sums ⟨φᵢ, Mᶜ⟩ of all points and clusters are held, and only the rows of points that change their cluster are added to
//! them: the first sums cost n² additions, an iteration n for each point that moves, and nk comparisons.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rayon::prelude::*;

use super::geometry::{Change, Geometry, Sums};
use super::seeding::{Nearest, Seeding, order};
use crate::data::SplitMix;

/// Iterations without a fall of the objective after which points only move to and fro between centres that are equally near but
/// for rounding.
const PATIENCE: usize = 3;

/// A fall of the inertia by less than this share of Σ w‖φ‖² is rounding.
const ROUNDING: f64 = 1e-14;

/// Inertias that differ by less than this share of Σ w‖φ‖² are those of the same clusters, in another order.
const SAME: f64 = 1e-12;
/// Runs that are done, and held in memory, at the same time.
const SIDE_BY_SIDE: usize = 32;

/// Told the share of the work that is done; answers whether to go on.
pub(crate) type Watch<'a> = &'a mut (dyn FnMut(f64) -> ControlFlow<()> + Send);

/// How k-means is run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Lloyd {
    /// Most clusters.
    pub(crate) clusters: usize,
    /// Runs from different starts, of which the best is taken.
    pub(crate) restarts: usize,
    pub(crate) start: Seeding,
    /// Most iterations of a run.
    pub(crate) iterations: usize,
    pub(crate) seed: u64,
    /// Whether no inner product matrix of the points has a negative eigenvalue. Where it may have one, a run ends as soon as
    /// the inertia does not fall.
    pub(crate) definite: bool,
}

/// Clusters and their centres.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Clustering {
    /// The cluster of each point.
    pub(crate) labels: Vec<usize>,
    /// Each centre as a sum of points: their numbers and coefficients, which sum to 1.
    pub(crate) centres: Vec<Vec<(usize, f64)>>,
    /// ‖mᶜ‖²
    pub(crate) squares: Vec<f64>,
    /// The weight of each cluster.
    pub(crate) sizes: Vec<f64>,
    /// Σ wᵢ ‖φᵢ − m‖²
    pub(crate) inertia: f64,
    /// The mean of (b − a)/max(a, b) over the points, a and b being the distances from the nearest centre and the next.
    pub(crate) separation: f64,
    pub(crate) iterations: u64,
    pub(crate) converged: bool,
}

impl Lloyd {
    /// The best of several runs; the first of those that are equally good. Where the watch ends the work, the best of what
    /// there is.
    pub(crate) fn run(&self, geometry: &dyn Geometry, weights: &[f64], watch: Watch<'_>) -> Clustering {
        let shared = Shared {
            watch: Mutex::new(watch),
            done: AtomicUsize::new(0),
            all: self.restarts,
            stop: AtomicBool::new(false),
        };
        let mut master = SplitMix(self.seed);
        let order = order(geometry, weights);
        let run = |&seed: &u64| {
            let how = (self.clusters, self.start);
            let drawn = Nearest::draw(geometry, weights, &order, how, &mut SplitMix(seed));
            let run = Run::new(geometry, weights, drawn.count, drawn.labels).iterate(self, &shared);
            shared.done.fetch_add(1, Ordering::Relaxed);
            run
        };
        let better = |run: &Run<'_>, best: &Run<'_>| run.inertia < best.inertia - SAME * best.total.abs();
        let (mut best, mut begun): (Option<Run<'_>>, usize) = (None, 0);
        // A fixed number side by side: more of them would take memory, and the order in which they are compared is always the same.
        while begun < self.restarts.max(1) && !shared.stop.load(Ordering::Relaxed) {
            let some = SIDE_BY_SIDE.min(self.restarts.max(1) - begun);
            let seeds: Vec<u64> = (0..some).map(|_| master.next()).collect();
            let runs: Vec<Run<'_>> = seeds.par_iter().map(run).collect();
            best =
                best.into_iter().chain(runs).reduce(|best, run| if better(&run, &best) { run } else { best });
            begun += some;
        }
        best.unwrap_or_else(|| Run::new(geometry, weights, 1, vec![0; geometry.len()])).finish()
    }

    /// A run from the clusters given.
    pub(crate) fn run_from(
        &self,
        geometry: &dyn Geometry,
        weights: &[f64],
        labels: Vec<usize>,
        watch: Watch<'_>,
    ) -> Clustering {
        let shared = Shared {
            watch: Mutex::new(watch),
            done: AtomicUsize::new(0),
            all: 1,
            stop: AtomicBool::new(false),
        };
        Run::new(geometry, weights, self.clusters, labels).iterate(self, &shared).finish()
    }

    /// A run from the points given as centres.
    pub(crate) fn run_from_points(
        &self,
        geometry: &dyn Geometry,
        weights: &[f64],
        centres: &[usize],
        watch: Watch<'_>,
    ) -> Clustering {
        self.run_from(geometry, weights, Nearest::of(geometry, centres).labels, watch)
    }
}

/// The caller's callback, shared by runs side by side.
struct Shared<'a> {
    watch: Mutex<Watch<'a>>,
    done: AtomicUsize,
    all: usize,
    stop: AtomicBool,
}

impl Shared<'_> {
    /// Whether to go on, after so many of at most `most` iterations of a run.
    fn goes_on(&self, iterations: usize, most: usize) -> bool {
        // Iterations fall off: half of the work of a run is done after a few.
        let own = (iterations as f64 / most.max(1) as f64).sqrt();
        let share = (self.done.load(Ordering::Relaxed) as f64 + own) / self.all.max(1) as f64;
        if let Ok(mut watch) = self.watch.lock()
            && watch(share.min(1.0)).is_break()
        {
            self.stop.store(true, Ordering::Relaxed);
        }
        !self.stop.load(Ordering::Relaxed)
    }
}

/// One run.
struct Run<'a> {
    geometry: &'a dyn Geometry,
    weights: &'a [f64],
    labels: Vec<usize>,
    /// ⟨φᵢ, Mᶜ⟩
    sums: Sums,
    /// sᶜ
    sizes: Vec<f64>,
    /// ‖Mᶜ‖²
    squares: Vec<f64>,
    /// Σ wᵢ‖φᵢ‖²
    total: f64,
    inertia: f64,
    iterations: usize,
    converged: bool,
}

impl<'a> Run<'a> {
    fn new(geometry: &'a dyn Geometry, weights: &'a [f64], clusters: usize, labels: Vec<usize>) -> Self {
        let n = labels.len();
        let mut changes: Vec<Change> =
            (0..n).map(|i| Change { point: i, cluster: labels[i], weight: weights[i] }).collect();
        changes.sort_by_key(|change| change.cluster);
        let mut sums = Sums::zeros(n, clusters);
        geometry.add(&changes, &mut sums);
        let mut run = Self {
            geometry,
            weights,
            labels,
            sums,
            sizes: vec![0.0; clusters],
            squares: vec![0.0; clusters],
            total: weights.iter().zip(geometry.squares()).map(|(w, k)| w * k).sum(),
            inertia: 0.0,
            iterations: 0,
            converged: false,
        };
        run.update();
        run
    }

    fn iterate(mut self, settings: &Lloyd, shared: &Shared<'_>) -> Self {
        let mut waited = 0;
        while self.iterations < settings.iterations {
            if !shared.goes_on(self.iterations, settings.iterations) {
                return self;
            }
            self.iterations += 1;
            let (mut labels, mut distances) = self.nearest();
            self.fill_empty(&mut labels, &mut distances);
            if labels == self.labels {
                self.converged = true;
                return self;
            }
            let (before, inertia) = (self.change(labels), self.inertia);
            self.update();
            if self.inertia < inertia - ROUNDING * self.total.abs() {
                waited = 0;
                continue;
            }
            waited += 1;
            if !settings.definite || waited == PATIENCE {
                if self.inertia > inertia {
                    self.change(before);
                    self.update();
                }
                self.converged = true;
                return self;
            }
        }
        self
    }

    /// The nearest centre of each point, of several the first, and the squared distance from it.
    fn nearest(&self) -> (Vec<usize>, Vec<f64>) {
        let blocks = self.sums.map_blocks(|first, rows| {
            let mut best = vec![f64::INFINITY; rows.first().map_or(0, |row| row.len())];
            let mut labels = vec![0_usize; best.len()];
            for (c, row) in rows.iter().enumerate().filter(|&(c, _)| self.sizes[c] > 0.0) {
                let (factor, square) = (-2.0 / self.sizes[c], self.squares[c] / self.sizes[c].powi(2));
                for ((best, label), sum) in best.iter_mut().zip(&mut labels).zip(*row) {
                    let value = factor * sum + square;
                    if value < *best {
                        (*best, *label) = (value, c);
                    }
                }
            }
            best.iter_mut().zip(&self.geometry.squares()[first..]).for_each(|(best, own)| *best += own);
            (labels, best)
        });
        let (labels, distances): (Vec<_>, Vec<_>) = blocks.into_iter().unzip();
        (labels.concat(), distances.concat())
    }

    /// Gives each cluster that has lost all its points the point farthest from its centre, of those that are not alone.
    fn fill_empty(&self, labels: &mut [usize], distances: &mut [f64]) {
        let mut counts = vec![0_usize; self.sizes.len()];
        labels.iter().for_each(|&c| counts[c] += 1);
        for c in 0..counts.len() {
            if counts[c] > 0 {
                continue;
            }
            let mut farthest = None;
            for i in 0..labels.len() {
                let least = farthest
                    .map_or(self.geometry.rounding() * self.geometry.squares()[i].abs(), |f: usize| {
                        distances[f]
                    });
                if counts[labels[i]] > 1 && distances[i] > least {
                    farthest = Some(i);
                }
            }
            // Where there is none, fewer points are different than there are clusters, and this one stays empty.
            let Some(i) = farthest else { return };
            counts[labels[i]] -= 1;
            (labels[i], distances[i], counts[c]) = (c, 0.0, 1);
        }
    }

    /// Moves points to other clusters; gives those they were in.
    fn change(&mut self, labels: Vec<usize>) -> Vec<usize> {
        let moved = (0..labels.len()).filter(|&i| labels[i] != self.labels[i]);
        let mut changes: Vec<Change> = moved
            .flat_map(|i| {
                let leaves = Change { point: i, cluster: self.labels[i], weight: -self.weights[i] };
                [leaves, Change { point: i, cluster: labels[i], weight: self.weights[i] }]
            })
            .collect();
        changes.sort_by_key(|change| change.cluster);
        self.geometry.add(&changes, &mut self.sums);
        std::mem::replace(&mut self.labels, labels)
    }

    /// Sizes, lengths and the inertia of the clusters as they are.
    fn update(&mut self) {
        self.sizes.fill(0.0);
        self.squares.fill(0.0);
        for (i, (&c, w)) in self.labels.iter().zip(self.weights).enumerate() {
            self.sizes[c] += w;
            self.squares[c] += w * self.sums.at(i, c);
        }
        let full = self.squares.iter().zip(&self.sizes).filter(|(_, size)| **size > 0.0);
        let inertia = self.total - full.map(|(square, size)| square / size).sum::<f64>();
        // Below 0 by rounding, or in a space whose inner product is not definite.
        self.inertia = inertia;
    }

    /// The clusters that have points, numbered anew.
    fn finish(self) -> Clustering {
        let kept: Vec<usize> = (0..self.sizes.len()).filter(|&c| self.sizes[c] > 0.0).collect();
        let mut number = vec![0; self.sizes.len()];
        kept.iter().enumerate().for_each(|(new, &old)| number[old] = new);
        let separation = self.separation(&kept);
        let labels: Vec<usize> = self.labels.iter().map(|&c| number[c]).collect();
        let sizes: Vec<f64> = kept.iter().map(|&c| self.sizes[c]).collect();
        let mut centres = vec![Vec::new(); kept.len()];
        for (i, (&c, w)) in labels.iter().zip(self.weights).enumerate() {
            centres[c].push((i, w / sizes[c]));
        }
        // A difference of large sums: where points are their own centres it can fall below 0 by rounding.
        let is_rounding = (-self.geometry.rounding() * self.total.abs()..0.0).contains(&self.inertia);
        Clustering {
            labels,
            centres,
            squares: kept.iter().map(|&c| self.squares[c] / self.sizes[c].powi(2)).collect(),
            sizes,
            inertia: if is_rounding { 0.0 } else { self.inertia },
            separation,
            iterations: self.iterations as u64,
            converged: self.converged,
        }
    }

    fn separation(&self, kept: &[usize]) -> f64 {
        let square = |i: usize, c: usize| {
            self.squares[c] / self.sizes[c].powi(2) - 2.0 * self.sums.at(i, c) / self.sizes[c]
        };
        let all: f64 = self.weights.iter().sum();
        let own = |i: usize| {
            let distances = kept.iter().map(|&c| (self.geometry.squares()[i] + square(i, c)).max(0.0));
            self.weights[i] / all * separated(distances)
        };
        (0..self.labels.len()).map(own).sum()
    }
}

/// (b − a)/max(a, b) of the smallest and the second smallest of squared distances; 0 where there is only one.
pub(super) fn separated(squares: impl Iterator<Item = f64>) -> f64 {
    let (mut first, mut second) = (f64::INFINITY, f64::INFINITY);
    for square in squares {
        if square < first {
            (first, second) = (square, first);
        } else {
            second = second.min(square);
        }
    }
    if second > 0.0 && second < f64::INFINITY { 1.0 - (first / second).sqrt() } else { 0.0 }
}
