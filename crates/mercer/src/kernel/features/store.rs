//! Rows of features in little memory.
//!
//! Where all values are counts, a feature is the gap to the feature before it and, where it is not 1, its count, both as numbers of
//! as many bytes as they need: one or two bytes for most features of a point that has many. Other values are kept as they are.
//!
//! Memory: 1 to 3 bytes for a feature that is counted, 12 for another.

use crate::data::Sparse;

/// The largest count that is written as such.
const MOST: f64 = u32::MAX as f64;

/// Bits of a number that one byte holds; its highest bit says that another byte follows.
const BITS: u32 = 7;

/// Points as rows of features, appended one by one.
pub(in crate::kernel) struct Store {
    /// Where each row begins among the entries, and where the last one ends.
    start: Vec<usize>,
    entries: Entries,
    stored: usize,
}

enum Entries {
    Counts(Vec<u8>),
    Values(Vec<(u32, f64)>),
}

impl Default for Store {
    fn default() -> Self {
        Self { start: vec![0], entries: Entries::Counts(Vec::new()), stored: 0 }
    }
}

impl Store {
    /// Appends a row. Features come in any order; values of one feature are added up.
    pub(in crate::kernel) fn push(&mut self, row: &mut Vec<(u32, f64)>) {
        row.sort_by_key(|&(feature, _)| feature);
        row.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        if matches!(self.entries, Entries::Counts(_)) && !row.iter().all(|&(_, value)| is_count(value)) {
            self.keep_values();
        }
        self.stored += row.len();
        match &mut self.entries {
            Entries::Counts(bytes) => {
                append_counts(bytes, row);
                self.start.push(bytes.len());
            }
            Entries::Values(values) => {
                values.extend_from_slice(row);
                self.start.push(values.len());
            }
        }
    }

    /// Writes the rows out that were counts so far.
    fn keep_values(&mut self) {
        let (mut start, mut values) = (vec![0], Vec::with_capacity(self.stored));
        for i in 0..self.len() {
            self.visit(i, |feature, value| values.push((feature, value)));
            start.push(values.len());
        }
        (self.start, self.entries) = (start, Entries::Values(values));
    }

    /// The number of rows.
    pub(in crate::kernel) fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// The number of features of all rows together.
    pub(super) fn stored(&self) -> usize {
        self.stored
    }

    /// Bytes that the rows take.
    pub(super) fn bytes(&self) -> usize {
        let entries = match &self.entries {
            Entries::Counts(bytes) => bytes.len(),
            Entries::Values(values) => size_of_val(&values[..]),
        };
        size_of_val(&self.start[..]) + entries
    }

    /// Gives back memory that is kept for further rows.
    pub(super) fn shrunk(mut self) -> Self {
        match &mut self.entries {
            Entries::Counts(bytes) => bytes.shrink_to_fit(),
            Entries::Values(values) => values.shrink_to_fit(),
        }
        self
    }

    /// Whether all values are counts: whole numbers from 1 to 2³² − 1.
    pub(super) fn has_counts(&self) -> bool {
        matches!(self.entries, Entries::Counts(_))
    }

    /// Calls `visit(feature, value)` for the features of row `i`, ascending.
    pub(super) fn visit(&self, i: usize, mut visit: impl FnMut(u32, f64)) {
        let range = self.start[i]..self.start[i + 1];
        match &self.entries {
            Entries::Values(values) => {
                values[range].iter().for_each(|&(feature, value)| visit(feature, value));
            }
            Entries::Counts(bytes) => {
                let mut bytes = bytes[range].iter();
                let mut next = 0;
                while let Some(word) = number(&mut bytes) {
                    let feature = next + (word >> 1);
                    let count = if word & 1 == 0 { Some(1) } else { number(&mut bytes) };
                    visit(feature as u32, count.expect("a count follows a feature that says so") as f64);
                    next = feature + 1;
                }
            }
        }
    }

    /// The rows at `rows`, in that order, over `features` features.
    pub(super) fn select(&self, rows: &[usize], features: usize) -> Sparse<f64> {
        let (mut start, mut index, mut values) = (vec![0], Vec::new(), Vec::new());
        for &i in rows {
            self.visit(i, |feature, value| {
                index.push(feature);
                values.push(value);
            });
            start.push(index.len());
        }
        Sparse::new(features, start, index, values)
    }
}

fn is_count(value: f64) -> bool {
    (1.0..=MOST).contains(&value) && value.fract() == 0.0
}

/// Appends the features of a row, ascending. The lowest bit of a gap says whether a count follows.
fn append_counts(bytes: &mut Vec<u8>, row: &[(u32, f64)]) {
    let mut next = 0;
    for &(feature, count) in row {
        let gap = u64::from(feature) - next;
        append(bytes, gap << 1 | u64::from(count != 1.0));
        if count != 1.0 {
            append(bytes, count as u64);
        }
        next = u64::from(feature) + 1;
    }
}

/// Appends a number, the lowest bits first.
fn append(bytes: &mut Vec<u8>, mut number: u64) {
    while number >> BITS != 0 {
        bytes.push(number as u8 | 1 << BITS);
        number >>= BITS;
    }
    bytes.push(number as u8);
}

/// The next number, none at the end.
fn number(bytes: &mut std::slice::Iter<'_, u8>) -> Option<u64> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let byte = *bytes.next()?;
        number |= u64::from(byte & !(1 << BITS)) << shift;
        if byte >> BITS == 0 {
            return Some(number);
        }
        shift += BITS;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Row = Vec<(u32, f64)>;

    fn stored(rows: &[Row]) -> Store {
        let mut store = Store::default();
        rows.iter().for_each(|row| store.push(&mut row.clone()));
        store
    }

    fn read(store: &Store, i: usize) -> Row {
        let mut row = Vec::new();
        store.visit(i, |feature, value| row.push((feature, value)));
        row
    }

    fn rows(value: impl Strategy<Value = f64> + Clone) -> impl Strategy<Value = Vec<Row>> {
        let feature = prop_oneof![0..20_u32, 0..40_000_u32, Just(u32::MAX - 1), Just(u32::MAX)];
        proptest::collection::vec(proptest::collection::vec((feature, value), 0..30), 0..6)
    }

    /// Each feature once, ascending, with the sum of its values.
    fn merged(row: &Row) -> Row {
        let mut sums = std::collections::BTreeMap::new();
        row.iter().for_each(|&(feature, value)| *sums.entry(feature).or_insert(0.0) += value);
        sums.into_iter().collect()
    }

    proptest! {
        #[test]
        fn counts_come_back(rows in rows(prop_oneof![Just(1.0), (1..300_u32).prop_map(f64::from), Just(2e9)])) {
            let store = stored(&rows);
            prop_assert_eq!(store.len(), rows.len());
            prop_assert!(rows.iter().any(|row| merged(row).iter().any(|entry| entry.1 > MOST)) || store.has_counts());
            rows.iter().enumerate().try_for_each(|(i, row)| {
                prop_assert_eq!(read(&store, i), merged(row));
                Ok(())
            })?;
        }

        #[test]
        fn other_values_come_back(rows in rows(prop_oneof![Just(1.0), Just(0.25), Just(-3.0), Just(1e300)])) {
            let store = stored(&rows);
            for (i, row) in rows.iter().enumerate() {
                prop_assert_eq!(read(&store, i), merged(row));
            }
        }
    }

    #[test]
    fn a_feature_of_many_takes_a_byte() {
        let mut row: Row = (0..5000).map(|k| (60 * k, if k % 10 == 0 { 2.0 } else { 1.0 })).collect();
        let mut store = Store::default();
        store.push(&mut row);
        // A gap of 59 takes one byte, and a tenth of the features has another one for the count.
        assert_eq!(store.start, [0, 5500]);
    }

    #[test]
    fn selected_rows_are_those_asked_for() {
        let store = stored(&[vec![(3, 1.0)], vec![], vec![(1, 2.0), (0, 1.0), (1, 5.0)]]);
        let rows = store.select(&[2, 0, 1], 4);
        assert_eq!(rows.row(0), (&[0, 1][..], &[1.0, 7.0][..]));
        assert_eq!(rows.row(1), (&[3][..], &[1.0][..]));
        assert_eq!(rows.row(2), (&[][..], &[][..]));
    }
}
