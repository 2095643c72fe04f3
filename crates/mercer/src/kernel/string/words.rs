//! The words of a text and how often each occurs.

use std::collections::HashMap;

use rayon::prelude::*;

use crate::data::Sparse;
use crate::error::{ErrorKind, Result};

/// The words of `length` consecutive characters of `text`, ascending, each with how often it occurs.
pub(super) fn words(text: &str, length: usize) -> Vec<(&str, f64)> {
    let mut starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    starts.push(text.len());
    let mut all: Vec<&str> =
        starts.windows(length + 1).map(|window| &text[window[0]..window[length]]).collect();
    all.sort_unstable();
    all.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as f64)).collect()
}

/// Σ count² over the words of `text`: its spectrum kernel with itself.
pub(super) fn square(text: &str, length: usize) -> f64 {
    words(text, length).iter().map(|(_, count)| count * count).sum()
}

/// The words that occur in some texts, each with the number of its feature.
pub(super) struct Dictionary {
    length: usize,
    features: HashMap<Box<str>, u32>,
}

impl Dictionary {
    /// The words of `length` characters that occur in `texts`, numbered in the order in which they occur.
    ///
    /// # Errors
    /// If there are more words than a feature number can tell apart.
    pub(super) fn new(texts: &[String], length: usize) -> Result<Self> {
        let found: Vec<_> = texts.par_iter().map(|text| words(text, length)).collect();
        let mut features: HashMap<Box<str>, u32> = HashMap::new();
        for (word, _) in found.into_iter().flatten() {
            if !features.contains_key(word) {
                let feature = u32::try_from(features.len()).ok().filter(|&feature| feature < u32::MAX);
                let many =
                    || ErrorKind::Unsupported { what: "texts with more than 2³² different words".into() };
                features.insert(word.into(), feature.ok_or_else(many)?);
            }
        }
        Ok(Self { length, features })
    }

    /// Each text as the counts of its words. Words that are not in the dictionary are left out.
    pub(super) fn counts(&self, texts: &[&str]) -> Sparse<f64> {
        let row = |text: &&str| {
            let known = |(word, count)| self.features.get(word).map(|&feature| (feature, count));
            let mut row: Vec<(u32, f64)> = words(text, self.length).into_iter().filter_map(known).collect();
            row.sort_unstable_by_key(|&(feature, _)| feature);
            row
        };
        let rows: Vec<Vec<(u32, f64)>> = texts.par_iter().map(row).collect();
        let mut start = Vec::with_capacity(rows.len() + 1);
        start.push(0);
        start.extend(rows.iter().scan(0, |end, row| {
            *end += row.len();
            Some(*end)
        }));
        let (index, values) = rows.into_iter().flatten().unzip();
        Sparse::new(self.features.len(), start, index, values)
    }
}
