//! Cross-validation: points are divided into folds, each of which is left out once.
//!
//! Points are shuffled by a generator with a seed (class by class if there are classes) and given to the folds in turn,
//! so that the sizes of the folds differ by one point at most. The folds depend on the seed alone, not on the computer or
//! the number of threads. Cost: O(n).
//!
//! ```
//! use mercer::data::{Folds, Labels};
//!
//! let labels = Labels::first_seen(["a", "b", "a", "b", "b", "b"]);
//! let folds = Folds::stratified(&labels, 2, 7);
//! let (out, rest) = folds.split(0);
//! assert_eq!((out.len(), rest.len()), (3, 3));
//! // One of the two points of class a.
//! assert_eq!(out.iter().filter(|&&i| labels.name(i) == "a").count(), 1);
//! ```

use super::Labels;

/// The fold of each point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folds {
    of: Vec<usize>,
    count: usize,
}

impl Folds {
    /// `folds` folds, each with its share of every class; at most as many as there are points, and at least one.
    #[must_use]
    pub fn stratified(labels: &Labels, folds: usize, seed: u64) -> Self {
        let mut members = vec![Vec::new(); labels.classes().len()];
        labels.index().iter().enumerate().for_each(|(i, &class)| members[class as usize].push(i));
        Self::deal(members, folds, seed)
    }

    /// `folds` folds of `points` points that have no classes; at most as many as there are points, and at least one.
    #[must_use]
    pub fn plain(points: usize, folds: usize, seed: u64) -> Self {
        Self::deal(vec![(0..points).collect()], folds, seed)
    }

    fn deal(mut groups: Vec<Vec<usize>>, folds: usize, seed: u64) -> Self {
        let points = groups.iter().map(Vec::len).sum();
        let count = folds.min(points).max(1);
        let mut random = SplitMix(seed);
        groups.iter_mut().for_each(|group| random.shuffle(group));
        let mut of = vec![0; points];
        // A class continues with the fold after the last one of the class before, so that sizes differ by one at most.
        groups.iter().flatten().enumerate().for_each(|(dealt, &i)| of[i] = dealt % count);
        Self { of, count }
    }

    /// How many folds there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The points of fold `fold`, which are left out, and all other points, both ascending.
    #[must_use]
    pub fn split(&self, fold: usize) -> (Vec<usize>, Vec<usize>) {
        (0..self.of.len()).partition(|&i| self.of[i] == fold)
    }
}

/// The pseudo-random generator SplitMix64 (Steele, Lea and Flood, 2014): small, with the same numbers on every computer.
#[derive(Debug, Clone)]
pub struct SplitMix(
    /// The seed.
    pub u64,
);

impl SplitMix {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number above 0 and below 1, uniform.
    pub fn uniform(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// Shuffles a list (Fisher and Yates).
    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            // The upper half of the product is uniform below `last + 1` to one part in 2⁶⁴/n.
            let other = (u128::from(self.next()) * (last as u128 + 1)) >> 64;
            list.swap(last, other as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fold_has_its_share_of_every_class() {
        let labels = Labels::first_seen((0..100).map(|i| if i % 4 == 0 { "a" } else { "b" }));
        let folds = Folds::stratified(&labels, 5, 0x5eed);
        for k in 0..5 {
            let (out, rest) = folds.split(k);
            assert_eq!((out.len(), rest.len()), (20, 80));
            assert_eq!(out.iter().filter(|&&i| i % 4 == 0).count(), 5);
        }
        assert_eq!(folds, Folds::stratified(&labels, 5, 0x5eed));
        assert_ne!(folds, Folds::stratified(&labels, 5, 0x5eee));
    }

    #[test]
    fn every_point_is_left_out_once() {
        let folds = Folds::plain(23, 4, 1);
        let mut out: Vec<usize> = (0..4).flat_map(|k| folds.split(k).0).collect();
        let sizes: Vec<usize> = (0..4).map(|k| folds.split(k).0.len()).collect();
        assert_eq!(sizes, [6, 6, 6, 5]);
        out.sort_unstable();
        assert!(out.iter().copied().eq(0..23));
    }

    #[test]
    fn there_are_no_more_folds_than_points() {
        assert_eq!(Folds::plain(3, 5, 1).count(), 3);
        assert_eq!(Folds::plain(0, 5, 1).count(), 1);
        assert_eq!(Folds::plain(7, 0, 1).count(), 1);
    }

    #[test]
    fn the_generator_is_the_published_one() {
        // The first outputs from seed 1234567 of the reference implementation.
        let mut random = SplitMix(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
    }
}
