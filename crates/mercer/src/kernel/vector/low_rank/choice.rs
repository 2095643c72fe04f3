//! How landmarks are chosen.
//!
//! | choice | landmarks | cost for n points, m landmarks |
//! |---|---|---|
//! | `uniform` | points drawn without regard to what they are | none |
//! | `kmeans` | centres of clusters of at most 50m points drawn, after ten rounds of Lloyd | 500m²d |
//! | `leverage` | points drawn by their ridge leverage, found from m others | n·m kernel values, n·m² |
//! | `pivot` | pivots of a randomly pivoted Cholesky factor of at most 10m points drawn | 10m² kernel values, 10m³ |
//!
//! The ridge leverage of a point is lᵢ = (K(K + μI)⁻¹)ᵢᵢ, with μ = Σ kᵢᵢ/m, so that Σ lᵢ ≤ m; it is estimated from a uniform sample J of m
//! points, l̂ᵢ = (kᵢᵢ − k_iJ(K_JJ + μmI/n)⁻¹k_Ji)/μ. Pivots are drawn in proportion to what the landmarks before leave of each kᵢᵢ (Chen,
//! Epperly, Tropp and Webber, *Randomly pivoted Cholesky*, 2023).

use super::nystrom::{DEPENDENT, kernel_values};
use crate::data::{Points, SplitMix, Vectors};
use crate::error::{DataProblem, ErrorKind, Result};
use crate::kernel::{Kernel, VectorExpr, engine};
use crate::linalg::{Cholesky, dot};
use crate::memory::room;

/// How landmarks are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LandmarkChoice {
    /// Points drawn, each as likely as any other. Text: `uniform`.
    #[default]
    Uniform,
    /// Centres of clusters. Text: `kmeans`.
    KMeans,
    /// Points drawn by their ridge leverage. Text: `leverage`.
    Leverage,
    /// Pivots of a randomly pivoted Cholesky factor. Text: `pivot`.
    Pivot,
}

impl LandmarkChoice {
    /// Each with its name.
    pub(super) const ALL: [(&'static str, Self); 4] = [
        ("uniform", Self::Uniform),
        ("kmeans", Self::KMeans),
        ("leverage", Self::Leverage),
        ("pivot", Self::Pivot),
    ];

    /// Its name in a text.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, choice)| *choice == self).map_or("", |(name, _)| name)
    }

    /// `count` landmarks for points; all points where there are no more than that.
    pub(super) fn of(
        self,
        kernel: &VectorExpr,
        points: &Vectors,
        count: usize,
        seed: u64,
    ) -> Result<Vectors> {
        let n = points.len();
        if count >= n {
            return Ok(points.clone());
        }
        let mut random = SplitMix(seed);
        Ok(match self {
            Self::Uniform => points.select(&draw(n, count, &mut random)),
            Self::KMeans => {
                let some = draw(n, count.saturating_mul(SAMPLE), &mut random);
                k_means(&points.select(&some), count)?
            }
            Self::Leverage => points.select(&by_leverage(kernel, points, count, &mut random)?),
            Self::Pivot => {
                let some = draw(n, count.saturating_mul(CANDIDATES), &mut random);
                let points = points.select(&some);
                points.select(&pivots(kernel, &points, count, &mut random)?)
            }
        })
    }
}

/// Points for each cluster.
const SAMPLE: usize = 50;
/// Candidates for each pivot.
const CANDIDATES: usize = 10;
/// Rounds of Lloyd: the centres need not have settled to be good landmarks.
const ROUNDS: usize = 10;
/// Rows of kernel values held at once.
const BLOCK: usize = 512;

/// `count` different numbers below n, in the order in which they are drawn; all in their order where there are no more.
fn draw(n: usize, count: usize, random: &mut SplitMix) -> Vec<usize> {
    let mut all: Vec<usize> = (0..n).collect();
    if count < n {
        random.shuffle(&mut all);
        all.truncate(count);
    }
    all
}

/// Centres of clusters: Lloyd's rounds from the first points, which are drawn already.
fn k_means(points: &Vectors, count: usize) -> Result<Vectors> {
    let (n, d) = (points.len(), points.width());
    let bytes = 16_u64.saturating_mul(count as u64).saturating_mul(d as u64);
    room("centres of clusters as landmarks", bytes, None, "take choose=uniform, which keeps points sparse")?;
    let mut centers = vec![0.0; count * d];
    let put = |center: &mut [f64], i: usize| points.row(i).for_each(|k, value| center[k] = value);
    centers.chunks_mut(d.max(1)).enumerate().for_each(|(c, center)| put(center, c));
    for _ in 0..ROUNDS {
        let bound = engine::inner_products(&Vectors::dense(d, centers.clone()))?;
        let squares: Vec<f64> = centers.chunks(d.max(1)).map(|c| dot(c, c)).collect();
        let (mut sums, mut sizes) = (vec![0.0; count * d], vec![0.0; count]);
        let all: Vec<usize> = (0..n).collect();
        for rows in all.chunks(BLOCK) {
            let mut products = vec![0.0; rows.len() * count];
            bound.rows_f64(points, rows, &mut products.chunks_mut(count).collect::<Vec<_>>());
            for (&i, products) in rows.iter().zip(products.chunks(count)) {
                let distance = |c: &usize| squares[*c] - 2.0 * products[*c];
                // Of equals the first.
                let nearest =
                    (0..count).rev().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0);
                sizes[nearest] += 1.0;
                let sum = &mut sums[nearest * d..(nearest + 1) * d];
                points.row(i).for_each(|k, value| sum[k] += value);
            }
        }
        for ((center, sum), size) in centers.chunks_mut(d.max(1)).zip(sums.chunks(d.max(1))).zip(sizes) {
            // A cluster without points keeps its centre.
            if size > 0.0 {
                center.iter_mut().zip(sum).for_each(|(center, sum)| *center = sum / size);
            }
        }
    }
    Ok(Vectors::dense(d, centers))
}

/// Points drawn by estimates of their ridge leverage.
fn by_leverage(
    kernel: &VectorExpr,
    points: &Vectors,
    count: usize,
    random: &mut SplitMix,
) -> Result<Vec<usize>> {
    let n = points.len();
    let sample = points.select(&draw(n, count, random));
    let own = kernel.diagonal(points)?;
    let total: f64 = own.iter().sum();
    let mu = total / count as f64;
    if !(mu > 0.0 && mu.is_finite()) {
        return Ok(draw(n, count, random));
    }
    let bound = kernel.bind(&sample)?;
    let mut values = kernel_values(&*bound, &sample)?;
    values.add_diagonal(|_| mu * count as f64 / n as f64);
    let refused = |_| ErrorKind::Data(DataProblem::FitNotFinite);
    let factor = Cholesky::new(values, &mut |_| std::ops::ControlFlow::Continue(())).map_err(refused)?;
    let (all, mut keys) = ((0..n).collect::<Vec<_>>(), Vec::with_capacity(n));
    for rows in all.chunks(BLOCK) {
        let mut block = vec![vec![0.0; count]; rows.len()];
        bound.rows_f64(points, rows, &mut block.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
        factor.solve_lower(&mut block);
        for (&i, row) in rows.iter().zip(&block) {
            let leverage = ((own[i] - dot(row, row)) / mu).max(f64::MIN_POSITIVE);
            // The points with the largest ln(u)/l are a draw in proportion to l without replacement (Efraimidis and Spirakis).
            keys.push((random.uniform().ln() / leverage, i));
        }
    }
    keys.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    Ok(keys[..count].iter().map(|key| key.1).collect())
}

/// Pivots of a Cholesky factor, each drawn in proportion to what those before leave of the diagonal; fewer where nothing is left.
fn pivots(kernel: &VectorExpr, points: &Vectors, count: usize, random: &mut SplitMix) -> Result<Vec<usize>> {
    use rayon::prelude::*;
    let n = points.len();
    let bytes = 8_u64.saturating_mul(n as u64).saturating_mul(count as u64);
    room("the factor whose pivots are landmarks", bytes, None, "take choose=uniform or fewer landmarks")?;
    let bound = kernel.bind(points)?;
    let own = bound.diagonal();
    let mut left = own.clone();
    // Row i of the factor.
    let mut factor = vec![Vec::<f64>::with_capacity(count); n];
    let mut chosen = Vec::with_capacity(count);
    let mut column = vec![0.0; n];
    while chosen.len() < count {
        let total: f64 = left.iter().sum();
        let mark = random.uniform() * total;
        let mut sum = 0.0;
        let passed = |value: &f64| {
            sum += value;
            *value > 0.0 && sum >= mark
        };
        let Some(pivot) = left.iter().position(passed) else { break };
        bound.rows_f64(points, &[pivot], &mut [&mut column]);
        let (row, root) = (factor[pivot].clone(), left[pivot].sqrt());
        factor.par_iter_mut().zip(&mut left).zip(&column).zip(&own).for_each(
            |(((before, left), value), own)| {
                let entry = (value - dot(before, &row)) / root;
                before.push(entry);
                // Where rounding is all that is left nothing is.
                let rest = *left - entry * entry;
                *left = if rest > DEPENDENT * own { rest } else { 0.0 };
            },
        );
        left[pivot] = 0.0;
        chosen.push(pivot);
    }
    Ok(chosen)
}
