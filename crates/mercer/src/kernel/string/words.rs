//! The words of a text and how often each occurs.

use rayon::prelude::*;

use crate::error::Result;
use crate::kernel::features::{Dictionary, Features, Rows, sparse};

/// The words of `length` consecutive characters, each a feature whose value is how often it occurs.
pub(super) struct Words {
    pub(super) length: usize,
}

impl Words {
    /// The words of `text`, ascending, each with how often it occurs.
    fn of<'a>(&self, text: &'a str) -> Vec<(&'a str, f64)> {
        let mut starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        starts.push(text.len());
        let mut all: Vec<&str> =
            starts.windows(self.length + 1).map(|window| &text[window[0]..window[self.length]]).collect();
        all.sort_unstable();
        all.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as f64)).collect()
    }
}

fn square(words: &[(&str, f64)]) -> f64 {
    words.iter().map(|(_, count)| count * count).sum()
}

impl Features for Words {
    type Point = String;
    type Known = Dictionary<Box<str>>;

    fn learn(&self, columns: &[String]) -> Result<(Self::Known, Rows)> {
        let found: Vec<_> = columns.par_iter().map(|text| self.of(text)).collect();
        let mut known = Dictionary::default();
        let mut rows = Vec::with_capacity(found.len());
        for words in &found {
            let numbered = words.iter().map(|&(word, count)| Ok((known.number(Box::from(word))?, count)));
            rows.push(numbered.collect::<Result<Vec<_>>>()?);
        }
        let squares = found.iter().map(|words| square(words)).collect();
        let rows = sparse(known.len(), rows);
        Ok((known, Rows { known: rows, squares }))
    }

    fn rows(&self, known: &Self::Known, points: &[&String]) -> Rows {
        let found = points.par_iter().map(|text| {
            let words = self.of(text);
            let numbered = |&(word, count): &(&str, f64)| known.known(word).map(|feature| (feature, count));
            (words.iter().filter_map(numbered).collect(), square(&words))
        });
        let (rows, squares) = found.unzip();
        Rows { known: sparse(known.len(), rows), squares }
    }
}
