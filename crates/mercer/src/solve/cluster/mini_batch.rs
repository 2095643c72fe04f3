//! K-means that looks at a few points at a time, for many points.
//!
//! The centres begin as those of a sample. Each step draws a batch of b points by weight, gives each to its nearest centre,
//! and moves the centre to (1 − η)m + ημ, where μ is the mean of its β new points and η = √(β/b) (Schwartzman 2023): a step
//! needs no count of what went before, and a centre forgets old batches geometrically. Batches whose share of a centre has
//! fallen below a thousandth are dropped, so that a centre is a sum of some twenty batches. The inner products of the batch
//! means of a centre are held, so that its length stays exact.
//!
//! Cost: in a step b times the points of the centres kernel values, at the end n times those.

use super::geometry::{Change, Geometry, Kernelised, Sums};
use super::k_means::{Clustering, Lloyd, Watch, separated};
use crate::data::SplitMix;
use crate::gram::Gram;

/// Share of a centre below which a batch is dropped from it.
const FORGOTTEN: f64 = 1e-3;

/// Steps without a smaller mean distance after which it ends, and the weight of a step in that mean.
const PATIENCE: usize = 10;
const SMOOTHING: f64 = 0.1;

/// Points of the sample that the centres begin with, as a multiple of the batch.
const SAMPLE: usize = 3;

/// The mean of some points.
struct Part {
    points: Vec<usize>,
    /// The share of each point.
    shares: Vec<f64>,
    /// The part's share of the centre.
    share: f64,
}

/// A centre: a mean of parts, and their inner products.
struct Centre {
    parts: Vec<Part>,
    inner: Vec<Vec<f64>>,
}

impl Centre {
    fn square(&self) -> f64 {
        let row = |(part, row): (&Part, &Vec<f64>)| {
            part.share * self.parts.iter().zip(row).map(|(other, k)| other.share * k).sum::<f64>()
        };
        self.parts.iter().zip(&self.inner).map(row).sum()
    }

    /// Takes in a new part with its inner products with the parts there are, and with itself.
    fn take(&mut self, part: Part, with: &[f64], own: f64) {
        self.parts.iter_mut().for_each(|old| old.share *= 1.0 - part.share);
        self.inner.iter_mut().zip(with).for_each(|(row, &k)| row.push(k));
        self.inner.push(with.iter().copied().chain([own]).collect());
        self.parts.push(part);
        while self.parts[0].share < FORGOTTEN {
            self.parts.remove(0);
            self.inner.remove(0);
            for row in &mut self.inner {
                row.remove(0);
            }
        }
        let sum: f64 = self.parts.iter().map(|part| part.share).sum();
        self.parts.iter_mut().for_each(|part| part.share /= sum);
    }

    fn coefficients(&self) -> Vec<(usize, f64)> {
        let mut all: Vec<(usize, f64)> = Vec::new();
        for part in &self.parts {
            all.extend(part.points.iter().zip(&part.shares).map(|(&i, share)| (i, part.share * share)));
        }
        all.sort_by_key(|&(i, _)| i);
        let merged = all.chunk_by(|a, b| a.0 == b.0);
        merged.map(|same| (same[0].0, same.iter().map(|(_, weight)| weight).sum())).collect()
    }
}

/// Clusters from batches of `batch` points.
pub(crate) fn mini_batch(
    settings: &Lloyd,
    gram: &dyn Gram,
    weights: &[f64],
    batch: usize,
    watch: Watch<'_>,
) -> Clustering {
    let n = gram.len();
    let mut random = SplitMix(settings.seed);
    let mut centres = first(settings, gram, weights, batch, &mut random);
    let (mut smooth, mut least, mut waited): (f64, f64, usize) = (f64::NAN, f64::INFINITY, 0);
    let (mut iterations, mut converged) = (0, false);
    let draw = Draw::new(weights);
    while iterations < settings.iterations && !converged {
        if watch(0.8 * iterations as f64 / settings.iterations as f64).is_break() {
            break;
        }
        iterations += 1;
        let points: Vec<usize> = (0..batch).map(|_| draw.next(&mut random)).collect();
        let mean = step(&mut centres, gram, &points);
        smooth = if smooth.is_nan() { mean } else { smooth + SMOOTHING * (mean - smooth) };
        waited = if smooth < least { 0 } else { waited + 1 };
        least = least.min(smooth);
        converged = waited >= PATIENCE;
    }
    let centres: Vec<Vec<(usize, f64)>> = centres.iter().map(Centre::coefficients).collect();
    assigned(gram, weights, centres, n, (iterations as u64, converged))
}

/// Draws points by weight.
struct Draw(Vec<f64>);

impl Draw {
    fn new(weights: &[f64]) -> Self {
        let mut sum = 0.0;
        let add = |w: &f64| {
            sum += w;
            sum
        };
        Self(weights.iter().map(add).collect())
    }

    fn next(&self, random: &mut SplitMix) -> usize {
        let goal = random.uniform() * self.0.last().copied().unwrap_or(0.0);
        self.0.partition_point(|&sum| sum < goal).min(self.0.len().saturating_sub(1))
    }
}

/// The centres of a sample, by the exact iteration.
fn first(
    settings: &Lloyd,
    gram: &dyn Gram,
    weights: &[f64],
    batch: usize,
    random: &mut SplitMix,
) -> Vec<Centre> {
    let n = gram.len();
    let mut order: Vec<usize> = (0..n).collect();
    random.shuffle(&mut order);
    let mut sample = order[..n.min((SAMPLE * batch).max(settings.clusters))].to_vec();
    sample.sort_unstable();
    let part = gram.restrict(&sample);
    let geometry = Kernelised::computed(&*part);
    let own: Vec<f64> = sample.iter().map(|&i| weights[i]).collect();
    let found = settings.run(&geometry, &own, &mut |_| std::ops::ControlFlow::Continue(()));
    let centre = |(members, &square): (&Vec<(usize, f64)>, &f64)| {
        let points = members.iter().map(|&(i, _)| sample[i]).collect();
        let shares = members.iter().map(|&(_, share)| share).collect();
        Centre { parts: vec![Part { points, shares, share: 1.0 }], inner: vec![vec![square]] }
    };
    found.centres.iter().zip(&found.squares).map(centre).collect()
}

/// Moves the centres by a batch; gives the mean squared distance of its points from the nearest centre before.
fn step(centres: &mut [Centre], gram: &dyn Gram, batch: &[usize]) -> f64 {
    // The points of the centres and of the batch, and where each is among them.
    let parts = || centres.iter().flat_map(|centre| &centre.parts);
    let mut own: Vec<usize> = parts().flat_map(|part| &part.points).chain(batch).copied().collect();
    own.sort_unstable();
    own.dedup();
    let place = |i: usize| own.binary_search(&i).unwrap_or(0);
    let part = gram.restrict(&own);
    // ⟨φᵢ, μ⟩ of the points of the batch with each part: the sums of a part as of a cluster.
    let count = parts().count();
    let mut changes = Vec::new();
    for (t, part) in parts().enumerate() {
        changes.extend(part.points.iter().zip(&part.shares).map(|(&i, &weight)| (place(i), t, weight)));
    }
    let rows: Vec<usize> = batch.iter().map(|&i| place(i)).collect();
    let values = rows_of(&*part, &rows);
    let mut sums = vec![vec![0.0; count]; batch.len()];
    for (sums, row) in sums.iter_mut().zip(&values) {
        changes.iter().for_each(|&(at, t, weight)| sums[t] += weight * f64::from(row[at]));
    }
    // The nearest centre of each.
    let ends: Vec<usize> = centres
        .iter()
        .scan(0, |end, c| {
            *end += c.parts.len();
            Some(*end)
        })
        .collect();
    let starts: Vec<usize> = centres.iter().zip(&ends).map(|(c, end)| end - c.parts.len()).collect();
    let squares: Vec<f64> = centres.iter().map(Centre::square).collect();
    let mut members = vec![Vec::new(); centres.len()];
    let mut total = 0.0;
    for (b, sums) in sums.iter().enumerate() {
        let product =
            |c: usize| centres[c].parts.iter().zip(&sums[starts[c]..]).map(|(p, s)| p.share * s).sum::<f64>();
        let distances: Vec<f64> = (0..centres.len()).map(|c| squares[c] - 2.0 * product(c)).collect();
        let nearest =
            (1..distances.len()).fold(0, |best, c| if distances[c] < distances[best] { c } else { best });
        members[nearest].push(b);
        total += (distances[nearest] + part.diagonal()[rows[b]]).max(0.0);
    }
    for (c, members) in members.iter().enumerate().filter(|(_, members)| !members.is_empty()) {
        let share = 1.0 / members.len() as f64;
        let mean = |t: usize| members.iter().map(|&b| share * sums[b][t]).sum::<f64>();
        let with: Vec<f64> = (starts[c]..ends[c]).map(mean).collect();
        let of_row = |&b: &usize| members.iter().map(|&o| f64::from(values[b][rows[o]])).sum::<f64>();
        let inner = members.iter().map(of_row).sum::<f64>() * share * share;
        let new = Part {
            points: members.iter().map(|&b| batch[b]).collect(),
            shares: vec![share; members.len()],
            share: (members.len() as f64 / batch.len() as f64).sqrt(),
        };
        centres[c].take(new, &with, inner);
    }
    total / batch.len() as f64
}

/// Rows of a Gram in single precision.
fn rows_of(gram: &dyn Gram, rows: &[usize]) -> Vec<Vec<f32>> {
    let mut values = vec![vec![0.0; gram.len()]; rows.len()];
    gram.rows(rows, &mut values.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
    values
}

/// The nearest of the centres for each point, and what comes of it. Centres that are nearest to no point are dropped.
fn assigned(
    gram: &dyn Gram,
    weights: &[f64],
    mut centres: Vec<Vec<(usize, f64)>>,
    n: usize,
    (iterations, converged): (u64, bool),
) -> Clustering {
    let geometry = Kernelised::computed(gram);
    let mut sums = Sums::zeros(n, centres.len());
    let changes = |(cluster, members): (usize, &Vec<(usize, f64)>)| {
        members.iter().map(move |&(point, weight)| Change { point, cluster, weight }).collect::<Vec<_>>()
    };
    geometry.add(&centres.iter().enumerate().flat_map(changes).collect::<Vec<_>>(), &mut sums);
    let square =
        |(c, members): (usize, &Vec<(usize, f64)>)| members.iter().map(|&(i, w)| w * sums.at(i, c)).sum();
    let mut squares: Vec<f64> = centres.iter().enumerate().map(square).collect();
    let (mut labels, mut sizes) = (vec![0; n], vec![0.0; centres.len()]);
    let (mut inertia, mut separation) = (0.0, 0.0);
    let all: f64 = weights.iter().sum();
    for i in 0..n {
        let distance = |c: usize| (geometry.squares()[i] - 2.0 * sums.at(i, c) + squares[c]).max(0.0);
        let best = (1..squares.len()).fold(0, |best, c| if distance(c) < distance(best) { c } else { best });
        labels[i] = best;
        sizes[best] += weights[i];
        inertia += weights[i] * distance(best);
        separation += weights[i] / all * separated((0..squares.len()).map(distance));
    }
    let kept: Vec<usize> = (0..sizes.len()).filter(|&c| sizes[c] > 0.0).collect();
    let mut number = vec![0; sizes.len()];
    kept.iter().enumerate().for_each(|(new, &old)| number[old] = new);
    labels.iter_mut().for_each(|c| *c = number[*c]);
    centres = kept.iter().map(|&c| std::mem::take(&mut centres[c])).collect();
    (squares, sizes) = (kept.iter().map(|&c| squares[c]).collect(), kept.iter().map(|&c| sizes[c]).collect());
    Clustering { labels, centres, squares, sizes, inertia, separation, iterations, converged }
}
