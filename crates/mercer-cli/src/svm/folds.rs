//! Rows cut into folds, by chance or so that each has its share of every class.

use mercer::data::Labels;

/// Folds are drawn by a generator with this seed: the same each time.
const SEED: u64 = 0x5eed;

/// For each row, the number of its fold.
pub(super) fn stratified(labels: &Labels, folds: usize) -> Vec<usize> {
    let mut members = vec![Vec::new(); labels.classes().len()];
    labels.index().iter().enumerate().for_each(|(i, &class)| members[class as usize].push(i));
    let mut random = SplitMix(SEED);
    let mut fold = vec![0; labels.len()];
    let mut next = 0;
    for members in &mut members {
        random.shuffle(members);
        // One class goes on where the last one ended, so that the folds differ by one row at most.
        for &i in members.iter() {
            fold[i] = next % folds;
            next += 1;
        }
    }
    fold
}

/// The same of rows that have no classes.
pub(super) fn shuffled(rows: usize, folds: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows).collect();
    SplitMix(SEED).shuffle(&mut order);
    let mut fold = vec![0; rows];
    order.iter().enumerate().for_each(|(place, &i)| fold[i] = place % folds);
    fold
}

/// SplitMix64 (Steele, Lea and Flood, 2014): small, and the same on every machine.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Fisher and Yates.
    fn shuffle<T>(&mut self, list: &mut [T]) {
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
        let fold = stratified(&labels, 5);
        for k in 0..5 {
            let members: Vec<usize> = (0..100).filter(|&i| fold[i] == k).collect();
            assert_eq!(members.len(), 20);
            assert_eq!(members.iter().filter(|&&i| i % 4 == 0).count(), 5);
        }
        assert_eq!(fold, stratified(&labels, 5));
    }

    #[test]
    fn folds_by_chance_are_equally_large() {
        let fold = shuffled(103, 5);
        for k in 0..5 {
            let members = fold.iter().filter(|&&f| f == k).count();
            assert!((20..=21).contains(&members), "{members}");
        }
        assert_ne!(fold, (0..103).map(|i| i % 5).collect::<Vec<_>>());
        assert_eq!(fold, shuffled(103, 5));
    }
}
