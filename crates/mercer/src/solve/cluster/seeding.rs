//! Where k-means begins: points drawn as the first centres, and each point with the nearest of them.

use super::geometry::{Change, Geometry, Sums};
use crate::data::SplitMix;

/// How the first centres are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Seeding {
    /// Each next centre with a probability that grows with the squared distance from those before (Arthur and Vassilvitskii
    /// 2007), the best of 2 + ln k such points.
    #[default]
    PlusPlus,
    /// Different points, by weight alone.
    Random,
}

/// The points by their distance from the mean of all: an order that does not depend on that of the data, and in which copies of
/// a point stand side by side. So centres that are drawn in it do not depend on the order of the data either.
pub(super) fn order(geometry: &dyn Geometry, weights: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..geometry.len()).collect();
    if geometry.is_cheap() {
        let mut sums = Sums::zeros(geometry.len(), 1);
        let change = |&point: &usize| Change { point, cluster: 0, weight: weights[point] };
        geometry.add(&order.iter().map(change).collect::<Vec<_>>(), &mut sums);
        let total: f64 = weights.iter().sum();
        let square = |i: usize| geometry.squares()[i] - 2.0 * sums.at(i, 0) / total;
        order.sort_by(|&a, &b| square(a).total_cmp(&square(b)));
    }
    order
}

/// The nearest centre of each point while centres are drawn.
pub(super) struct Nearest {
    /// The number of the nearest centre; of several the first.
    pub(super) labels: Vec<usize>,
    /// The squared distance from it.
    squares: Vec<f64>,
    /// How many centres there are.
    pub(super) count: usize,
}

impl Nearest {
    /// Draws up to `clusters` points: fewer where the kernel tells fewer apart. Points stand in `order` to be drawn from.
    pub(super) fn draw(
        geometry: &dyn Geometry,
        weights: &[f64],
        order: &[usize],
        (clusters, start): (usize, Seeding),
        random: &mut SplitMix,
    ) -> Self {
        let trials = if start == Seeding::PlusPlus { 2 + (clusters as f64).ln() as usize } else { 1 };
        let mut nearest = Self::empty(geometry.len());
        while nearest.count < clusters {
            let square = |i: usize| nearest.squares[i];
            let weight = |i: usize| match start {
                _ if nearest.count == 0 => weights[i],
                Seeding::PlusPlus => weights[i] * square(i),
                Seeding::Random if square(i) > 0.0 => weights[i],
                Seeding::Random => 0.0,
            };
            let drawn = Self::cumulative(order, weight);
            let Some(&total) = drawn.last().filter(|&&total| total > 0.0) else { break };
            let trials = if nearest.count == 0 { 1 } else { trials };
            let candidate = |_| {
                let goal = random.uniform() * total;
                let place = drawn.partition_point(|&sum| sum < goal).min(drawn.len() - 1);
                let squares = Self::distances(geometry, order[place]);
                (nearest.potential(weights, &squares), squares)
            };
            let best =
                (0..trials).map(candidate).reduce(|best, other| if other.0 < best.0 { other } else { best });
            let Some((_, squares)) = best else { break };
            nearest.add(&squares);
        }
        nearest
    }

    /// The points given as centres, in that order.
    pub(super) fn of(geometry: &dyn Geometry, centres: &[usize]) -> Self {
        let mut nearest = Self::empty(geometry.len());
        centres.iter().for_each(|&point| nearest.add(&Self::distances(geometry, point)));
        nearest
    }

    fn empty(points: usize) -> Self {
        Self { labels: vec![0; points], squares: vec![f64::INFINITY; points], count: 0 }
    }

    fn cumulative(order: &[usize], weight: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut sum = 0.0;
        let add = |&i: &usize| {
            sum += weight(i);
            sum
        };
        order.iter().map(add).collect()
    }

    /// Squared distances of all points from one of them; 0 where they are no more than rounding.
    fn distances(geometry: &dyn Geometry, point: usize) -> Vec<f64> {
        let (squares, mut out) = (geometry.squares(), vec![0.0; geometry.len()]);
        geometry.products(point, &mut out);
        for (value, own) in out.iter_mut().zip(squares) {
            let lengths = own + squares[point];
            let square = lengths - 2.0 * *value;
            *value = if square > geometry.rounding() * lengths.abs() { square } else { 0.0 };
        }
        out[point] = 0.0;
        out
    }

    /// Σ w d² with one centre more.
    fn potential(&self, weights: &[f64], squares: &[f64]) -> f64 {
        weights.iter().zip(&self.squares).zip(squares).map(|((w, old), new)| w * old.min(*new)).sum()
    }

    fn add(&mut self, squares: &[f64]) {
        for (i, &square) in squares.iter().enumerate() {
            if square < self.squares[i] {
                (self.squares[i], self.labels[i]) = (square, self.count);
            }
        }
        self.count += 1;
    }
}
