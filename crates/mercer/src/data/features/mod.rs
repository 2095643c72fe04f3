//! Texts as sparse vectors: counts of terms, tf-idf, hashed terms.
//!
//! A term is a run of words or of characters. A text becomes a row with a number for each term that occurs in it: its count c, or 1 + ln c,
//! or 1; times idf = ln((1 + n)/(1 + d)) + 1 of a term that occurs in d of n texts (`smooth=no`: ln(n/d) + 1); brought to length 1. The column
//! of a term is its place in the sorted vocabulary of the texts that the features were fitted to, or its hash. Names and definitions are those
//! of scikit-learn's `CountVectorizer`, `TfidfVectorizer` and `HashingVectorizer`, and so are the columns.
//!
//! Cost: a pass over the texts to find the vocabulary, one to make the rows, both on all threads; memory for the vocabulary and the rows. Hashed
//! terms need no vocabulary.
//!
//! ```
//! use mercer::data::{Points, TextFeatures};
//!
//! let texts: Vec<String> = ["the cat sat", "the dog"].map(String::from).into();
//! let map = "tfidf(ngrams=1..2)".parse::<TextFeatures>()?.fit(&texts, &[])?;
//! assert_eq!(map.vocabulary(), ["cat", "cat sat", "dog", "sat", "the", "the cat", "the dog"]);
//! assert_eq!(map.apply(&texts).width(), 7);
//! # Ok::<(), mercer::Error>(())
//! ```

mod murmur;
mod spec;
mod terms;
mod word;

use std::collections::HashMap;

use rayon::prelude::*;

use super::{Sparse, Vectors};
use crate::error::{DataProblem, ErrorKind, Result};
use crate::memory::room;

pub use spec::{RowNorm, TextFeatures, Weighting};
pub use terms::TermUnit;

/// Texts that one thread works on at a time.
const TEXTS: usize = 256;

/// Features of texts as they were fitted to some: a vocabulary or a hash, and how rare terms are.
#[derive(Debug, Clone, PartialEq)]
pub struct TextMap {
    features: TextFeatures,
    /// The terms in ascending order; none where they are hashed.
    vocabulary: Vec<String>,
    /// A factor for each column; none where there are no factors.
    idf: Vec<f64>,
}

impl TextFeatures {
    /// Finds the vocabulary of texts, and how rare its terms are. A text with a weight counts as so many; with none, as one.
    ///
    /// # Errors
    /// If the settings do not go together; if there are no texts, or no terms in them.
    pub fn fit(&self, texts: &[String], weights: &[f64]) -> Result<TextMap> {
        self.check()?;
        if texts.is_empty() {
            return Err(ErrorKind::Data(DataProblem::Empty).into());
        }
        let weight = |i: usize| weights.get(i).copied().unwrap_or(1.0);
        let whole: f64 = (0..texts.len()).map(weight).sum();
        let idf = |frequency: f64| {
            let more = if self.smooth { 1.0 } else { 0.0 };
            ((whole + more) / (frequency + more)).ln() + 1.0
        };
        let mut map = TextMap { features: self.clone(), vocabulary: Vec::new(), idf: Vec::new() };
        if let Some(bits) = self.bits {
            if self.weighting == Weighting::Tfidf {
                room("the number of texts of each column", 16 << bits, None, "take fewer bits")?;
                let mut frequency = vec![0.0; 1 << bits];
                for (i, row) in map.counted(texts, &HashMap::new()).into_iter().enumerate() {
                    row.iter().for_each(|&(column, _)| frequency[column as usize] += weight(i));
                }
                // Of a column without a text nothing is known, and no row that is fitted has it.
                map.idf = frequency
                    .into_iter()
                    .map(|d| if d > 0.0 || self.smooth { idf(d) } else { 0.0 })
                    .collect();
            }
            return Ok(map);
        }
        let mut found: Vec<(String, f64)> = self.frequencies(texts, weight).into_iter().collect();
        found.retain(|(_, frequency)| {
            *frequency >= self.min_df && *frequency <= self.max_df * whole && *frequency > 0.0
        });
        if found.is_empty() {
            let what = "features of texts that have no terms, or none that min_df and max_df leave".into();
            return Err(ErrorKind::Unsupported { what }.into());
        }
        found.par_sort_unstable_by(|a, b| a.0.cmp(&b.0));
        if self.weighting == Weighting::Tfidf {
            map.idf = found.iter().map(|(_, frequency)| idf(*frequency)).collect();
        }
        map.vocabulary = found.into_iter().map(|(term, _)| term).collect();
        Ok(map)
    }

    /// The summed weight of the texts that each term occurs in.
    fn frequencies(&self, texts: &[String], weight: impl Fn(usize) -> f64 + Sync) -> HashMap<String, f64> {
        let piece = |(piece, texts): (usize, &[String])| {
            let mut found: HashMap<String, (f64, usize)> = HashMap::new();
            for (k, text) in texts.iter().enumerate() {
                let i = piece * TEXTS + k;
                self.for_each(text, |term| match found.get_mut(term) {
                    Some((_, last)) if *last == i => {}
                    Some((sum, last)) => (*sum, *last) = (*sum + weight(i), i),
                    None => {
                        found.insert(term.to_owned(), (weight(i), i));
                    }
                });
            }
            found
        };
        let pieces: Vec<_> = texts.par_chunks(TEXTS).enumerate().map(piece).collect();
        let mut all: HashMap<String, f64> = HashMap::new();
        for (term, (frequency, _)) in pieces.into_iter().flatten() {
            *all.entry(term).or_insert(0.0) += frequency;
        }
        all
    }

    fn for_each(&self, text: &str, see: impl FnMut(&str)) {
        match self.lowercase {
            true => terms::for_each(&text.to_lowercase(), self.unit, self.ngrams, see),
            false => terms::for_each(text, self.unit, self.ngrams, see),
        }
    }
}

impl TextMap {
    /// Features with their vocabulary and their factors, as a file has them.
    ///
    /// # Errors
    /// What does not fit together, in words.
    pub(crate) fn from_parts(
        features: TextFeatures,
        vocabulary: Vec<String>,
        idf: Vec<f64>,
    ) -> std::result::Result<Self, Box<str>> {
        let map = Self { features, vocabulary, idf };
        let weighted = map.features.weighting == Weighting::Tfidf;
        if !map.vocabulary.is_sorted_by(|a, b| a < b)
            || map.vocabulary.is_empty() != map.features.bits.is_some()
        {
            return Err("the vocabulary of the features must be sorted, or there must be a hash".into());
        }
        if map.idf.len() != if weighted { map.width() } else { 0 } || !map.idf.iter().all(|f| f.is_finite()) {
            return Err("the features do not have one number for each column".into());
        }
        Ok(map)
    }

    /// What was fitted.
    #[must_use]
    pub fn features(&self) -> &TextFeatures {
        &self.features
    }

    /// The terms in the order of their columns; none where they are hashed.
    #[must_use]
    pub fn vocabulary(&self) -> &[String] {
        &self.vocabulary
    }

    /// The factor of each column; none where there are no factors.
    #[must_use]
    pub fn idf(&self) -> &[f64] {
        &self.idf
    }

    /// The number of columns.
    #[must_use]
    pub fn width(&self) -> usize {
        self.features.bits.map_or(self.vocabulary.len(), |bits| 1 << bits)
    }

    /// The rows of texts. Terms that are not in the vocabulary are left out.
    #[must_use]
    pub fn apply(&self, texts: &[String]) -> Vectors {
        let places: HashMap<&str, u32> =
            self.vocabulary.iter().zip(0..).map(|(term, k)| (term.as_str(), k)).collect();
        let rows = self.counted(texts, &places);
        let rows: Vec<Vec<(u32, f64)>> =
            rows.into_par_iter().with_min_len(TEXTS).map(|row| self.weighted(row)).collect();
        let entries = rows.iter().map(Vec::len).sum();
        let (mut start, mut index, mut values) =
            (vec![0], Vec::with_capacity(entries), Vec::with_capacity(entries));
        for row in rows {
            index.extend(row.iter().map(|entry| entry.0));
            values.extend(row.iter().map(|entry| entry.1));
            start.push(index.len());
        }
        Sparse::new(self.width(), start, index, values).into()
    }

    /// For each text the columns of its terms in ascending order, and their counts; terms that cancel have 0.
    fn counted(&self, texts: &[String], places: &HashMap<&str, u32>) -> Vec<Vec<(u32, f64)>> {
        let TextFeatures { bits, signed, .. } = self.features;
        let one = |text: &String| {
            let mut row: Vec<(u32, f64)> = Vec::new();
            self.features.for_each(text, |term| match bits {
                Some(bits) => {
                    let hash = murmur::hash(term.as_bytes()) as i32;
                    let sign = if signed && hash < 0 { -1.0 } else { 1.0 };
                    row.push((hash.unsigned_abs() & ((1 << bits) - 1), sign));
                }
                None => row.extend(places.get(term).map(|&column| (column, 1.0))),
            });
            row.sort_unstable_by_key(|entry| entry.0);
            row.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                kept.1 += if same { next.1 } else { 0.0 };
                same
            });
            row
        };
        texts.par_iter().with_min_len(TEXTS / 8).map(one).collect()
    }

    /// Counts as the numbers of features.
    fn weighted(&self, mut row: Vec<(u32, f64)>) -> Vec<(u32, f64)> {
        let TextFeatures { binary, sublinear, norm, .. } = self.features;
        for (column, value) in &mut row {
            *value = if binary { 1.0 } else { *value };
            *value = if sublinear { 1.0 + value.ln() } else { *value };
            *value *= self.idf.get(*column as usize).copied().unwrap_or(1.0);
        }
        row.retain(|(_, value)| *value != 0.0);
        let length = match norm {
            RowNorm::None => 1.0,
            RowNorm::L1 => row.iter().map(|(_, value)| value.abs()).sum(),
            RowNorm::L2 => row.iter().map(|(_, value)| value * value).sum::<f64>().sqrt(),
        };
        row.iter_mut().for_each(|(_, value)| *value /= length);
        row
    }
}
