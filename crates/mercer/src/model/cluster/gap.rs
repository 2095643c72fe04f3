//! How many clusters: the gap statistic in feature space (Tibshirani, Walther and Hastie 2001).
//!
//! The inertia W of k clusters falls with k whether there are clusters or not. It is compared with what it is for points
//! without clusters: gap(k) = E ln W*(k) − ln W(k), the mean over reference sets, with s(k) = √(1 + 1/B) times the standard
//! deviation of ln W* over B sets. The number chosen is the least k with gap(k) ≥ gap(k + 1) − s(k + 1).
//!
//! A reference is uniform over a box about the points along their principal axes, as the authors propose. A feature space may
//! have infinitely many axes, over which nothing is uniform, so both the points and the references are taken along the
//! leading kernel principal components alone: those of nine tenths of the variance, 32 at most. Their inertia is that of
//! feature space but for the rest of the variance, which is no part of the comparison.
//!
//! Cost: kernel PCA, and then k-means on rows of at most 32 numbers.

use std::ops::RangeInclusive;

use rayon::prelude::*;

use super::KMeans;
use crate::data::SplitMix;
use crate::model::Pca;
use crate::model::prelude::*;
use crate::solve::cluster::Rows;

/// Most kernel principal components that points are compared by.
const COMPONENTS: usize = 32;
/// The most sets of points without clusters: a number of each is kept.
pub(super) const MOST_REFERENCES: usize = 1_000_000;

/// The share of the variance that they are to have.
const SHARE: f64 = 0.9;

/// One number of clusters on a gap curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gap {
    /// k
    pub clusters: usize,
    /// ln W(k) of the points.
    pub dispersion: f64,
    /// The mean of ln W*(k) over the references.
    pub reference: f64,
    /// s(k)
    pub spread: f64,
}

impl Gap {
    /// gap(k) = E ln W*(k) − ln W(k)
    #[must_use]
    pub fn gap(&self) -> f64 {
        self.reference - self.dispersion
    }
}

/// The gap of each number of clusters that was tried.
#[derive(Debug, Clone, PartialEq)]
pub struct GapCurve {
    /// The numbers of clusters, ascending.
    pub gaps: Vec<Gap>,
    /// The kernel principal components that points were compared by.
    pub components: usize,
}

impl GapCurve {
    /// The least k with gap(k) ≥ gap(k + 1) − s(k + 1); where there is none, that of the largest gap.
    #[must_use]
    pub fn chosen(&self) -> usize {
        let holds = |pair: &&[Gap]| pair[0].gap() >= pair[1].gap() - pair[1].spread;
        let first = self.gaps.windows(2).find(holds).map(|pair| pair[0].clusters);
        let largest =
            || self.gaps.iter().max_by(|a, b| a.gap().total_cmp(&b.gap())).map_or(1, |gap| gap.clusters);
        first.unwrap_or_else(largest)
    }

    /// A row for each number of clusters: k, ln W, E ln W*, gap, s.
    #[must_use]
    pub fn table(&self) -> Dense<f64> {
        let row = |gap: &Gap| [gap.clusters as f64, gap.dispersion, gap.reference, gap.gap(), gap.spread];
        Dense::new(5, self.gaps.iter().flat_map(row).collect())
    }

    /// The numbers of each number of clusters by name.
    pub(super) fn facts(&self) -> Vec<Facts> {
        let facts = |gap: &Gap| {
            Facts::default()
                .with("clusters", gap.clusters)
                .with("dispersion", gap.dispersion)
                .with("reference", gap.reference)
                .with("gap", gap.gap())
                .with("spread", gap.spread)
        };
        self.gaps.iter().map(facts).collect()
    }
}

impl<K> KMeans<K> {
    /// The gap curve of some numbers of clusters, with so many reference sets; starts and seed are those of the settings.
    ///
    /// ```
    /// use mercer::data::Vectors;
    /// use mercer::kernel::linear;
    /// use mercer::model::KMeans;
    ///
    /// // Three heaps.
    /// let heap = |i: i32| [[0.0, 0.0], [9.0, 1.0], [1.0, 8.0]][i as usize % 3];
    /// let point = |i: i32| [heap(i)[0] + f64::from(i).sin(), heap(i)[1] + f64::from(3 * i).cos()];
    /// let x = Vectors::dense(2, (0..60).flat_map(point).collect());
    /// assert_eq!(KMeans::new(linear()).gap(&x, 1..=6, 10)?.chosen(), 3);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a number of clusters is 0 or more than there are points, there are no references, or the points cannot be used.
    pub fn gap<X: Points>(
        &self,
        x: &X,
        clusters: RangeInclusive<usize>,
        references: usize,
    ) -> Result<GapCurve>
    where
        K: Kernel<X> + Clone,
    {
        self.gap_in(x, clusters, references, &mut Job::new())
    }

    /// [`KMeans::gap`] under the circumstances of a job.
    ///
    /// # Errors
    /// As [`KMeans::gap`], and if the job's watch ends the work.
    pub fn gap_in<X: Points>(
        &self,
        x: &X,
        clusters: RangeInclusive<usize>,
        references: usize,
        job: &mut Job<'_, X>,
    ) -> Result<GapCurve>
    where
        K: Kernel<X> + Clone,
    {
        Estimator::<X>::check(self)?;
        let sound = (1..=MOST_REFERENCES).contains(&references);
        check("references", references as f64, sound, "must be from 1 to 1000000")?;
        let (least, most) = clusters.into_inner();
        check(
            "clusters",
            least as f64,
            least > 0 && least <= most,
            "must be at least 1, and the first no more than the last",
        )?;
        let pca = Pca::new(self.kernel.clone()).components(COMPONENTS).fit_in(x, &(), job)?;
        super::check_clusters(most, pca.weights.len())?;
        let scores = leading(&pca.scores(), &pca.explained());
        let copies = References::points(&pca.weights);
        let needed = copies * 8.0 * (scores.columns() + 2) as f64 * rayon::current_num_threads() as f64;
        let instead = "take smaller weights: a whole weight stands for as many copies of its point";
        room("a gap curve", needed as u64, job.memory, instead)?;
        let sets = References::new(&scores, &pca.weights, self.seed);
        let components = scores.columns();
        let own = Rows::new(components, scores.values().to_vec(), &pca.weights);
        let gap = |clusters: usize| {
            let lloyd = self.lloyd(clusters, true);
            let of = |rows: &Rows, weights: &[f64]| {
                let found = lloyd.run(rows, weights, &mut |_| std::ops::ControlFlow::Continue(()));
                found.inertia.max(f64::MIN_POSITIVE).ln()
            };
            let drawn = |set: usize| of(&Rows::new(components, sets.draw(set), &sets.weights), &sets.weights);
            let drawn: Vec<f64> = (0..references).into_par_iter().map(drawn).collect();
            let mean = drawn.iter().sum::<f64>() / references as f64;
            let variance = drawn.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / references as f64;
            let spread = ((1.0 + 1.0 / references as f64) * variance).sqrt();
            Gap { clusters, dispersion: of(&own, &pca.weights), reference: mean, spread }
        };
        let mut stages = job.stages();
        let mut plan = Plan::new(&mut stages, &[("gap curve", 1.0)]);
        let mut told = plan.stage(0);
        let mut gaps = Vec::with_capacity(most - least + 1);
        for clusters in least..=most {
            gaps.push(gap(clusters));
            // The work of k clusters grows with k.
            let (done, all) = ((least..=clusters).sum::<usize>(), (least..=most).sum::<usize>());
            if told(done as f64 / all as f64).is_break() {
                return Err(ErrorKind::Interrupted.into());
            }
        }
        Ok(GapCurve { gaps, components })
    }
}

/// The first columns that have nine tenths of the variance together.
fn leading(scores: &Dense<f64>, explained: &[f64]) -> Dense<f64> {
    let mut sum = 0.0;
    let before = explained.iter().take_while(|share| {
        let before = sum;
        sum += **share;
        before < SHARE
    });
    let count = before.count().max(1);
    Dense::new(count, (0..scores.len()).flat_map(|i| scores.row(i)[..count].to_vec()).collect())
}

/// Reference sets: points that are uniform over a box.
struct References {
    /// The least and the greatest number of each column.
    sides: Vec<(f64, f64)>,
    /// The weights of the points of a set.
    weights: Vec<f64>,
    seed: u64,
}

impl References {
    /// How many points a set has.
    fn points(weights: &[f64]) -> f64 {
        if weights.iter().all(|w| w.fract() == 0.0) { weights.iter().sum() } else { weights.len() as f64 }
    }

    /// Of whole weights a set has as many points as there are copies; else as many as there are points.
    fn new(scores: &Dense<f64>, weights: &[f64], seed: u64) -> Self {
        let side = |c: usize| {
            let column = (0..scores.len()).map(|i| scores.row(i)[c]);
            column.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            })
        };
        let (total, count) = (weights.iter().sum::<f64>(), Self::points(weights));
        let weights = vec![total / count; count as usize];
        Self { sides: (0..scores.columns()).map(side).collect(), weights, seed }
    }

    /// The numbers of a set, point after point.
    fn draw(&self, set: usize) -> Vec<f64> {
        let mut random = SplitMix(SplitMix(self.seed.wrapping_add(set as u64)).next());
        let all = std::iter::repeat_n(&self.sides, self.weights.len()).flatten();
        all.map(|(low, high)| low + (high - low) * random.uniform()).collect()
    }
}
