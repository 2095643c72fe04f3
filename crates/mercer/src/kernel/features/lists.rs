//! The columns that have a feature, for each feature.
//!
//! A row adds up the lists of its features. Where columns and row are whole numbers and no sum can be beyond 2³¹, sums are of 32-bit
//! integers: they are exact, as they would be in double precision, and take half the room.
//!
//! Memory: 2 bytes for each time that a column has a feature where most have it once; else 4 bytes for each feature of a column that is
//! a count, 16 for another; and 8 for each feature.

use super::store::Store;

/// The most entries that counts may take in lists, for each that there is: then they are half as long as entries with a value.
const MOST_PARTS: usize = 2;

/// A column is repeated in a list where there are at most so many entries for each feature of a column, over all: 5/4 entries of
/// 2 bytes take less time and memory than one of 4 bytes that has to be taken apart.
const MOST_REPEATS: (usize, usize) = (5, 4);

/// The largest sum of whole numbers.
const LARGEST: f64 = i32::MAX as f64;

/// Nanoseconds of an entry.
const ENTRY: f64 = 1.0;

/// For each feature the columns that have it, ascending, and its values there.
pub(super) struct Lists {
    /// Where the list of each feature begins, and where the last one ends.
    start: Vec<usize>,
    entries: Entries,
    /// Rows of whole numbers up to this squared norm have sums up to [`LARGEST`], as (Σ φ(x) φ(y))² ≤ Σ φ(x)² Σ φ(y)², also for a
    /// part of the features. None where columns are not whole.
    reach: Option<f64>,
}

enum Entries {
    /// A column as often as it has the feature.
    Repeated(Vec<u16>),
    /// Column and count in one number; a large count has several.
    Counts(Vec<Counted>),
    Values(Vec<(u32, f64)>),
}

/// A column, and how often it has a feature: the lower bits.
#[derive(Clone, Copy, Default)]
struct Counted(u32);

impl Lists {
    /// Lists the columns of each of `features` features for which `listed` holds.
    pub(super) fn new(columns: &Store, features: usize, listed: impl Fn(u32) -> bool) -> Self {
        let (n, stored) = (columns.len(), columns.stored());
        let reach = columns.has_counts().then(|| LARGEST * LARGEST / largest_square(columns, &listed));
        if columns.has_counts() && n <= 1 << u16::BITS {
            let parts = |f, count: f64| if listed(f) { count as usize } else { 0 };
            let start = starts(columns, features, parts);
            if MOST_REPEATS.1 * start[features] <= MOST_REPEATS.0 * stored {
                let write = |j, _, entries: &mut [u16]| entries.fill(j as u16);
                let (start, list) = filled(columns, start, parts, write);
                return Self { start, entries: Entries::Repeated(list), reach };
            }
        }
        if columns.has_counts() && n <= Counted::COLUMNS {
            let parts = |f, count| if listed(f) { Counted::parts(count) } else { 0 };
            let start = starts(columns, features, parts);
            // Of large counts an entry with a value is shorter than its parts.
            if start[features] <= MOST_PARTS * stored {
                let (start, list) = filled(columns, start, parts, Counted::write);
                return Self { start, entries: Entries::Counts(list), reach };
            }
        }
        let parts = |f, _| usize::from(listed(f));
        let write =
            |j, value, entries: &mut [(u32, f64)]| entries.iter_mut().for_each(|e| *e = (j as u32, value));
        let (start, list) = filled(columns, starts(columns, features, parts), parts, write);
        Self { start, entries: Entries::Values(list), reach: None }
    }

    /// The sums of a row with the first `width` columns, in `sums`, where they are whole numbers of 32 bits.
    pub(super) fn whole<'a>(
        &self,
        index: &[u32],
        values: &[f64],
        width: usize,
        sums: &'a mut Vec<i32>,
    ) -> Option<&'a [i32]> {
        let reach = self.reach?;
        let square: f64 = values.iter().map(|value| value * value).sum();
        if square > reach || !values.iter().all(|value| value.fract() == 0.0) {
            return None;
        }
        sums.clear();
        sums.resize(width, 0);
        for (&f, &value) in index.iter().zip(values) {
            let (value, range) = (value as i32, self.range(f));
            match &self.entries {
                Entries::Repeated(list) => {
                    for &j in &list[range] {
                        let Some(sum) = sums.get_mut(usize::from(j)) else { break };
                        *sum += value;
                    }
                }
                Entries::Counts(list) => {
                    for entry in &list[range] {
                        let Some(sum) = sums.get_mut(entry.column()) else { break };
                        *sum += value * entry.count() as i32;
                    }
                }
                Entries::Values(_) => return None,
            }
        }
        Some(sums)
    }

    /// Adds the sums of a row with the first columns, in the order of the features.
    pub(super) fn add(&self, index: &[u32], values: &[f64], sums: &mut [f64]) {
        for (&f, &value) in index.iter().zip(values) {
            let range = self.range(f);
            match &self.entries {
                Entries::Repeated(list) => {
                    for same in list[range].chunk_by(|a, b| a == b) {
                        let Some(sum) = sums.get_mut(usize::from(same[0])) else { break };
                        *sum += value * same.len() as f64;
                    }
                }
                Entries::Counts(list) => {
                    for entry in &list[range] {
                        let Some(sum) = sums.get_mut(entry.column()) else { break };
                        *sum += value * f64::from(entry.count());
                    }
                }
                Entries::Values(list) => {
                    for &(j, other) in &list[range] {
                        let Some(sum) = sums.get_mut(j as usize) else { break };
                        *sum += value * other;
                    }
                }
            }
        }
    }

    fn range(&self, feature: u32) -> std::ops::Range<usize> {
        self.start[feature as usize]..self.start[feature as usize + 1]
    }

    /// A rough cost in nanoseconds of a value with one of `columns` columns: the lists of a row are as long as those of a column on
    /// average.
    pub(super) fn cost(&self, columns: usize) -> f64 {
        let met: f64 = self.start.windows(2).map(|ends| ((ends[1] - ends[0]) as f64).powi(2)).sum();
        ENTRY * met / (columns.max(1) as f64).powi(2)
    }

    /// Bytes that the lists take.
    pub(super) fn bytes(&self) -> usize {
        let entries = match &self.entries {
            Entries::Repeated(list) => size_of_val(&list[..]),
            Entries::Counts(list) => size_of_val(&list[..]),
            Entries::Values(list) => size_of_val(&list[..]),
        };
        size_of_val(&self.start[..]) + entries
    }
}

/// Nanoseconds an entry that the lists of features take which `shares` of the columns have.
pub(super) fn entry_cost(shares: impl Iterator<Item = f64>) -> f64 {
    shares.map(|share| ENTRY * share * share).sum()
}

/// The largest Σ φ_f(c)² of a column over features for which `listed` holds, or 1.
fn largest_square(columns: &Store, listed: impl Fn(u32) -> bool) -> f64 {
    let mut largest = 1.0_f64;
    for j in 0..columns.len() {
        let mut square = 0.0;
        columns.visit(j, |f, value| square += if listed(f) { value * value } else { 0.0 });
        largest = largest.max(square);
    }
    largest
}

/// Where the list of each feature ends, and where all of them do, for lists that have `parts(feature, value)` entries for a value.
fn starts(columns: &Store, features: usize, parts: impl Fn(u32, f64) -> usize) -> Vec<usize> {
    let mut ends = vec![0; features + 1];
    (0..columns.len()).for_each(|j| columns.visit(j, |f, value| ends[f as usize] += parts(f, value)));
    let mut sum = 0;
    for end in &mut ends {
        sum += *end;
        *end = sum;
    }
    ends
}

/// The lists that end at `ends`, and where they begin: `write(column, value, entries)` writes so many entries as `parts` says.
fn filled<E: Copy + Default>(
    columns: &Store,
    ends: Vec<usize>,
    parts: impl Fn(u32, f64) -> usize,
    write: impl Fn(usize, f64, &mut [E]),
) -> (Vec<usize>, Vec<E>) {
    let (mut start, mut list) = (ends, Vec::new());
    list.resize(start.last().copied().unwrap_or(0), E::default());
    // From the last column to the first, each before those that are there: lists ascend, and ends become beginnings.
    for j in (0..columns.len()).rev() {
        columns.visit(j, |f, value| {
            let end = start[f as usize];
            start[f as usize] -= parts(f, value);
            write(j, value, &mut list[start[f as usize]..end]);
        });
    }
    (start, list)
}

impl Counted {
    /// Bits of a count.
    const BITS: u32 = 8;
    /// The largest count of an entry.
    const MOST: u32 = (1 << Self::BITS) - 1;
    /// How many columns have a number.
    const COLUMNS: usize = 1 << (32 - Self::BITS);

    /// How many entries a count takes.
    fn parts(count: f64) -> usize {
        (count as usize).div_ceil(Self::MOST as usize)
    }

    /// Writes a count of a column into so many entries.
    fn write(column: usize, count: f64, entries: &mut [Self]) {
        let mut rest = count;
        for entry in entries {
            let part = rest.min(f64::from(Self::MOST));
            *entry = Self((column as u32) << Self::BITS | part as u32);
            rest -= part;
        }
    }

    fn column(self) -> usize {
        (self.0 >> Self::BITS) as usize
    }

    fn count(self) -> u32 {
        self.0 & Self::MOST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists(count: impl Fn(u32) -> f64) -> Lists {
        let mut store = Store::default();
        (0..50).for_each(|j| store.push(&mut vec![(j, count(j)), (j + 1, 1.0)]));
        Lists::new(&store, 60, |_| true)
    }

    #[test]
    fn a_feature_that_columns_have_once_takes_two_bytes() {
        assert_eq!(lists(|_| 1.0).bytes(), 61 * size_of::<usize>() + 100 * 2);
        assert_eq!(lists(|j| f64::from(1 + j % 2)).bytes(), 61 * size_of::<usize>() + 125 * 2);
    }

    #[test]
    fn a_count_takes_four_bytes() {
        assert_eq!(lists(|_| 255.0).bytes(), 61 * size_of::<usize>() + 100 * 4);
        assert_eq!(lists(|_| 1e9).bytes(), 61 * size_of::<usize>() + 100 * 16);
    }

    // The largest product with a column is 255 of the row times 255 of the column.
    #[test]
    fn sums_beyond_31_bits_are_not_of_integers() {
        let (lists, mut sums) = (lists(|_| 255.0), Vec::new());
        let most = f64::from(i32::MAX / 256);
        assert_eq!(
            lists.whole(&[3], &[most], 5, &mut sums).expect("whole")[2..],
            [most as i32, 255 * most as i32, 0]
        );
        for value in [256.0 * most, -256.0 * most, 0.5, f64::INFINITY] {
            assert!(lists.whole(&[3], &[value], 5, &mut sums).is_none(), "{value}");
        }
    }
}
