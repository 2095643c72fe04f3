//! k-means of dense vectors in single precision: centres of a network, not a clustering to its last digit.
//!
//! Minimise Σᵢ wᵢ minⱼ ‖xᵢ − cⱼ‖². It begins with k-means++ (Arthur and Vassilvitskii 2007): a point becomes a centre with a
//! probability in proportion to w times its squared distance to the nearest centre so far, so that no point becomes one twice.
//! Then Lloyd's iterations: each centre becomes the mean of the points that are nearest to it. A centre without points is
//! put on the point farthest from its own.
//!
//! [`Lloyd`](crate::solve::cluster) clusters points of any feature space to the last label; it holds a sum for each point and cluster, which is too
//! much for thousands of centres, and needs no means that can be written down, which a network's centres are.
//!
//! Cost: n·m·d multiplications for the start and for each iteration, by the product that also computes Gram matrices. Memory:
//! a copy of the points in single precision.

use std::ops::ControlFlow;

use rayon::prelude::*;

use crate::data::SplitMix;
use crate::linalg::{Broken, Tick};
use crate::simd::{PANEL, STRIP, dots_f32, keep_nearer, shrink_distances};

/// Panels of 64 points that a thread works on at a time, at least.
const PANELS: usize = 16;

/// Shows the values of point i that are not zero: `visit(i, put)` calls `put(feature, value)`.
pub(crate) type Visit<'v> = &'v (dyn Fn(usize, &mut dyn FnMut(usize, f64)) + Sync);

/// Points in panels of 64, feature after feature, about their mean; the last panel is filled up with zeros.
pub(crate) struct Packed<'v> {
    features: usize,
    mean: Vec<f64>,
    panels: Vec<Vec<f32>>,
    visit: Visit<'v>,
    weights: &'v [f64],
}

impl<'v> Packed<'v> {
    /// Packs points with a weight for each.
    pub(crate) fn new(features: usize, weights: &'v [f64], visit: Visit<'v>) -> Self {
        let (n, total) = (weights.len(), weights.iter().sum::<f64>());
        let mut mean = vec![0.0; features];
        (0..n).for_each(|i| visit(i, &mut |k, value| mean[k] += weights[i] * value / total));
        let panel = |first: usize| {
            let mut panel = vec![0.0_f32; PANEL * features];
            for (lane, i) in (first..n.min(first + PANEL)).enumerate() {
                mean.iter().enumerate().for_each(|(k, mean)| panel[k * PANEL + lane] = -mean as f32);
                visit(i, &mut |k, value| panel[k * PANEL + lane] = (value - mean[k]) as f32);
            }
            panel
        };
        let panels = (0..n.div_ceil(PANEL)).into_par_iter().map(|p| panel(p * PANEL)).collect();
        Self { features, mean, panels, visit, weights }
    }

    fn point(&self, i: usize) -> Vec<f32> {
        let panel = &self.panels[i / PANEL];
        (0..self.features).map(|k| panel[k * PANEL + i % PANEL]).collect()
    }

    /// At most `count` centres after at most `rounds` iterations; fewer where fewer points differ.
    ///
    /// # Errors
    /// [`Broken::Interrupted`] if `tick` breaks.
    pub(crate) fn k_means(
        &self,
        count: usize,
        rounds: usize,
        seed: u64,
        tick: Tick<'_>,
    ) -> Result<Vec<Vec<f64>>, Broken> {
        let mut centers = self.start(count, seed);
        let mut told = |done: usize| match tick(done as f64 / (rounds + 1) as f64) {
            ControlFlow::Break(()) => Err(Broken::Interrupted),
            ControlFlow::Continue(()) => Ok(()),
        };
        told(1)?;
        let (mut nearest, mut squares) = self.assign(&centers);
        for round in 0..rounds {
            self.update(&mut centers, &nearest, &squares);
            let before = std::mem::take(&mut nearest);
            (nearest, squares) = self.assign(&centers);
            told(round + 2)?;
            if nearest == before {
                break;
            }
        }
        Ok(self.means(&centers, &nearest))
    }

    /// The means of the points nearest to each centre in double precision, so that the centre of a single point is that point.
    fn means(&self, centers: &[Vec<f32>], nearest: &[u32]) -> Vec<Vec<f64>> {
        let (mut sums, mut totals) =
            (vec![vec![0.0; self.features]; centers.len()], vec![0.0; centers.len()]);
        for (i, (&c, w)) in nearest.iter().zip(self.weights).enumerate() {
            totals[c as usize] += w;
            (self.visit)(i, &mut |k, value| sums[c as usize][k] += w * value);
        }
        for ((sums, total), center) in sums.iter_mut().zip(&totals).zip(centers) {
            for ((sum, value), mean) in sums.iter_mut().zip(center).zip(&self.mean) {
                *sum = if *total > 0.0 { *sum / total } else { f64::from(*value) + mean };
            }
        }
        sums
    }

    /// The points that k-means++ draws.
    fn start(&self, count: usize, seed: u64) -> Vec<Vec<f32>> {
        let (mut random, weights) = (SplitMix(seed), self.weights);
        let mut least = vec![f32::INFINITY; self.panels.len() * PANEL];
        let mut mass: Vec<f64> = weights.chunks(PANEL).map(|weights| weights.iter().sum()).collect();
        let mut shares = weights.to_vec();
        let mut centers: Vec<Vec<f32>> = Vec::with_capacity(count);
        while centers.len() < count {
            let Some(i) = draw(&mass, &shares, random.uniform()) else { break };
            let center = self.point(i);
            self.panels
                .par_iter()
                .zip(least.par_chunks_mut(PANEL))
                .zip(shares.par_chunks_mut(PANEL))
                .zip(weights.par_chunks(PANEL))
                .zip(&mut mass)
                .with_min_len(PANELS)
                .for_each(|((((panel, least), shares), weights), mass)| {
                    shrink_distances(panel, &center, least);
                    let each = shares.iter_mut().zip(weights).zip(least);
                    *mass = each
                        .map(|((share, w), least)| {
                            *share = w * f64::from(*least);
                            *share
                        })
                        .sum();
                });
            centers.push(center);
        }
        centers
    }

    /// The nearest centre of each point, and its squared distance.
    fn assign(&self, centers: &[Vec<f32>]) -> (Vec<u32>, Vec<f32>) {
        let halves: Vec<f32> = centers.iter().map(|c| c.iter().map(|v| v * v).sum::<f32>() / 2.0).collect();
        let strip = |centers: &[Vec<f32>]| {
            let mut strip = vec![0.0_f32; STRIP * self.features];
            for (r, center) in centers.iter().enumerate() {
                center.iter().enumerate().for_each(|(k, &value)| strip[k * STRIP + r] = value);
            }
            strip
        };
        let strips: Vec<Vec<f32>> = centers.chunks(STRIP).map(strip).collect();
        let (mut nearest, mut squares) =
            (vec![0_u32; self.panels.len() * PANEL], vec![f32::INFINITY; self.panels.len() * PANEL]);
        let out = nearest.par_chunks_mut(PANEL).zip(squares.par_chunks_mut(PANEL));
        self.panels.par_iter().zip(out).for_each(|(panel, (nearest, least))| {
            let mut products = [0.0_f32; STRIP * PANEL];
            for (s, (strip, halves)) in strips.iter().zip(halves.chunks(STRIP)).enumerate() {
                dots_f32(self.features, strip, panel, &mut products);
                keep_nearer(&products, halves, (s * STRIP) as u32, least, nearest);
            }
            for lane in 0..PANEL {
                let own: f32 = panel.iter().skip(lane).step_by(PANEL).map(|v| v * v).sum();
                least[lane] = (own + 2.0 * least[lane]).max(0.0);
            }
        });
        nearest.truncate(self.weights.len());
        squares.truncate(self.weights.len());
        (nearest, squares)
    }

    /// Puts each centre on the mean of its points, one without points on the farthest point that is not taken yet.
    fn update(&self, centers: &mut [Vec<f32>], nearest: &[u32], squares: &[f32]) {
        let d = self.features;
        let (mut sums, mut totals) = (vec![0.0; centers.len() * d], vec![0.0; centers.len()]);
        for (i, (&c, w)) in nearest.iter().zip(self.weights).enumerate() {
            let (panel, lane) = (&self.panels[i / PANEL], i % PANEL);
            totals[c as usize] += w;
            let sums = &mut sums[c as usize * d..][..d];
            sums.iter_mut().enumerate().for_each(|(k, sum)| *sum += w * f64::from(panel[k * PANEL + lane]));
        }
        let empty: Vec<usize> = (0..centers.len()).filter(|&c| totals[c] == 0.0).collect();
        let mut far: Vec<usize> =
            if empty.is_empty() { Vec::new() } else { (0..self.weights.len()).collect() };
        far.sort_by(|&a, &b| squares[b].total_cmp(&squares[a]));
        for (c, center) in centers.iter_mut().enumerate().filter(|&(c, _)| totals[c] > 0.0) {
            let sums = &sums[c * d..][..d];
            center.iter_mut().zip(sums).for_each(|(value, sum)| *value = (sum / totals[c]) as f32);
        }
        empty.into_iter().zip(far).for_each(|(c, i)| centers[c] = self.point(i));
    }
}

/// A point drawn in proportion to its share, by a number from 0 to 1; `mass` are the sums of 64 shares each. None where
/// all are zero.
fn draw(mass: &[f64], shares: &[f64], uniform: f64) -> Option<usize> {
    let total: f64 = mass.iter().sum();
    let mut left = uniform * total;
    let mut found = None;
    for (p, &sum) in mass.iter().enumerate().filter(|(_, sum)| **sum > 0.0) {
        found = Some(p);
        if left < sum {
            break;
        }
        left -= sum;
    }
    let first = found? * PANEL;
    let mut last = None;
    for (i, &share) in shares.iter().enumerate().skip(first).take(PANEL).filter(|(_, share)| **share > 0.0) {
        last = Some(i);
        if left < share {
            break;
        }
        left -= share;
    }
    last
}
