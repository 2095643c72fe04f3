//! Features with their numbers.

use std::collections::HashMap;
use std::hash::Hash;

use foldhash::fast::RandomState;

use crate::data::Sparse;
use crate::error::{ErrorKind, Result};

/// Keys in the order in which they were first seen, each with its number: exact, as two keys are one feature where they are
/// equal.
pub(in crate::kernel) struct Dictionary<K> {
    numbers: HashMap<K, u32, RandomState>,
}

impl<K> Default for Dictionary<K> {
    fn default() -> Self {
        Self { numbers: HashMap::default() }
    }
}

impl<K: Hash + Eq> Dictionary<K> {
    /// The number of a key, a new one where it was not seen before.
    ///
    /// # Errors
    /// If there are more keys than numbers.
    pub(in crate::kernel) fn number(&mut self, key: K) -> Result<u32> {
        let next = self.numbers.len();
        let number = *self.numbers.entry(key).or_insert(next as u32);
        if next >= u32::MAX as usize {
            return Err(ErrorKind::Unsupported { what: "more than 2³² different features".into() }.into());
        }
        Ok(number)
    }

    /// The number of a key that was seen.
    pub(in crate::kernel) fn known<Q>(&self, key: &Q) -> Option<u32>
    where
        K: std::borrow::Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.numbers.get(key).copied()
    }

    /// Roughly how many bytes the keys take, if they hold no memory of their own.
    pub(in crate::kernel) fn bytes(&self) -> usize {
        // A place has a byte of its own, and of 8 places 7 at most are taken.
        self.numbers.capacity() * 8 / 7 * (size_of::<(K, u32)>() + 1)
    }

    /// How many keys there are.
    pub(in crate::kernel) fn len(&self) -> usize {
        self.numbers.len()
    }
}

/// Sparse rows over `features` features from lists of (feature, value), in any order; values of one feature are added up.
pub(in crate::kernel) fn sparse(features: usize, rows: Vec<Vec<(u32, f64)>>) -> Sparse<f64> {
    let stored = rows.iter().map(Vec::len).sum();
    let (mut start, mut index, mut values) =
        (vec![0], Vec::with_capacity(stored), Vec::with_capacity(stored));
    for mut row in rows {
        row.sort_by_key(|&(feature, _)| feature);
        for same in row.chunk_by(|a, b| a.0 == b.0) {
            index.push(same[0].0);
            values.push(same.iter().map(|(_, value)| value).sum());
        }
        start.push(index.len());
    }
    Sparse::new(features, start, index, values)
}
