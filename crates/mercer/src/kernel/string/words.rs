//! Kernels that count words: the spectrum, bounded range and mismatch kernels as inner products of explicit features.
//!
//! A [`Shape`] is a window of consecutive places of which some are kept, the others are blanks. The features of a text are what
//! stands at the kept places of its windows, and their values are how often each occurs,
//!
//! $k(s, t) = Σ_shapes w Σ_u count_u(s) · count_u(t)$.
//!
//! The spectrum kernel has one shape, p places all kept; the bounded range one for each length; those of the mismatch kernel
//! are in [`mismatch`](super::mismatch).
//!
//! A feature is its codes, blanks being 0, one after the other in the bits of one number where they have room in 64 or 128 bits,
//! else in a slice: different features never share a number. Codes begin at 1, so that words of different lengths differ too.
//!
//! Cost: for each shape the windows of a text are sorted, O(l log l) for l units.

use std::hash::Hash;

use rayon::prelude::*;

use super::Unit;
use super::unit::Alphabet;
use crate::error::{DataProblem, ErrorKind, Result};
use crate::kernel::features::{Dictionary, Features, Learnt, Rows, Store, sparse};

/// Texts whose features are found at once: more are numbered before the next ones are found, as they take 24 bytes each until then.
const BATCH: usize = 64;

/// A window of a text, as features see it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Shape {
    /// Places of the window, at most 32.
    pub(super) length: usize,
    /// The places that are kept, one bit each.
    pub(super) kept: u32,
    /// The factor of the products of its counts.
    pub(super) weight: f64,
}

impl Shape {
    /// All of `length` places.
    pub(super) fn whole(length: usize) -> Self {
        Self { length, kept: u32::MAX >> (32 - length), weight: 1.0 }
    }

    fn keeps(&self, place: usize) -> bool {
        self.kept >> place & 1 == 1
    }
}

/// The words of a text of some shapes, each a feature whose value is how often it occurs.
pub(super) struct Words {
    pub(super) unit: Unit,
    pub(super) shapes: Vec<Shape>,
    /// The most different units that columns may have.
    pub(super) alphabet: Option<u32>,
}

/// Threads that find features.
#[derive(Clone, Copy)]
enum Threads {
    One,
    All,
}

/// The units and features of the columns.
pub(super) struct Known {
    alphabet: Alphabet,
    keys: Keys,
}

/// Features with their numbers, in the narrowest form that they fit in.
enum Keys {
    Narrow(Dictionary<u64>),
    Wide(Dictionary<u128>),
    Long(Dictionary<Box<[u32]>>),
}

/// A feature: the codes of a window, 0 at blanks.
trait Key: Hash + Ord + Send + Sync {
    /// The key of codes that take at most `bits` bits each.
    fn of(codes: impl Iterator<Item = u32>, bits: u32) -> Self;
    /// Bytes that the key of `length` codes holds elsewhere.
    fn heap_bytes(length: usize) -> usize {
        let _ = length;
        0
    }
}

impl Key for u64 {
    fn of(codes: impl Iterator<Item = u32>, bits: u32) -> Self {
        codes.fold(0, |key, code| key << bits | Self::from(code))
    }
}

impl Key for u128 {
    fn of(codes: impl Iterator<Item = u32>, bits: u32) -> Self {
        codes.fold(0, |key, code| key << bits | Self::from(code))
    }
}

impl Key for Box<[u32]> {
    fn of(codes: impl Iterator<Item = u32>, _bits: u32) -> Self {
        codes.collect()
    }

    fn heap_bytes(length: usize) -> usize {
        length * size_of::<u32>()
    }
}

/// A feature of a text: its key, how often it occurs, and the weight of its shape.
type Count<K> = (K, f64, f64);

impl Words {
    /// The features of a text whose kept codes are all among the first `units`.
    fn counts<K: Key>(&self, codes: &[u32], units: usize) -> Vec<Count<K>> {
        let bits = bits(units);
        let mut found = Vec::new();
        for shape in &self.shapes {
            let place = |(place, &code): (usize, &u32)| if shape.keeps(place) { code } else { 0 };
            let known = |window: &&[u32]| window.iter().enumerate().all(|pair| place(pair) as usize <= units);
            let windows = codes.windows(shape.length).filter(known);
            let mut keys: Vec<K> =
                windows.map(|window| K::of(window.iter().enumerate().map(place), bits)).collect();
            keys.sort_unstable();
            let mut keys = keys.into_iter().peekable();
            while let Some(key) = keys.next() {
                let mut count = 1.0;
                while keys.next_if_eq(&key).is_some() {
                    count += 1.0;
                }
                found.push((key, count, shape.weight));
            }
        }
        found
    }

    /// Places of the longest window.
    fn longest(&self) -> usize {
        self.shapes.iter().map(|shape| shape.length).max().unwrap_or(0)
    }

    /// Numbers the features of the columns.
    fn number<K: Key>(
        &self,
        codes: &[Vec<u32>],
        units: usize,
        threads: Threads,
    ) -> Result<(Dictionary<K>, Learnt)> {
        let (mut known, mut weights) = (Dictionary::default(), Vec::new());
        let has_weights = self.shapes.iter().any(|shape| shape.weight != 1.0);
        let (mut rows, mut row, mut squares) =
            (Store::default(), Vec::new(), Vec::with_capacity(codes.len()));
        for some in codes.chunks(BATCH) {
            let counts = |codes: &Vec<u32>| self.counts(codes, units);
            let found: Vec<Vec<Count<K>>> = match threads {
                Threads::All => some.par_iter().map(counts).collect(),
                Threads::One => some.iter().map(counts).collect(),
            };
            for features in found {
                squares.push(square(&features));
                row.clear();
                for (key, count, weight) in features {
                    let number = known.number(key)?;
                    if has_weights && number as usize == weights.len() {
                        weights.push(weight);
                    }
                    row.push((number, count));
                }
                rows.push(&mut row);
            }
        }
        let (features, known_bytes) =
            (known.len(), known.bytes() + known.len() * K::heap_bytes(self.longest()));
        let weights = has_weights.then_some(weights);
        Ok((known, Learnt { rows, features, squares, weights, known_bytes }))
    }

    fn learn_all(&self, columns: &[String], threads: Threads) -> Result<(Known, Learnt)> {
        let (alphabet, codes) = Alphabet::learn(self.unit, columns)?;
        let units = alphabet.len();
        let (keys, rows) = match self.longest() as u32 * bits(units) {
            0..=64 => {
                let (known, rows) = self.number(&codes, units, threads)?;
                (Keys::Narrow(known), rows)
            }
            65..=128 => {
                let (known, rows) = self.number(&codes, units, threads)?;
                (Keys::Wide(known), rows)
            }
            _ => {
                let (known, rows) = self.number(&codes, units, threads)?;
                (Keys::Long(known), rows)
            }
        };
        Ok((Known { alphabet, keys }, rows))
    }

    /// Points as rows of the features that have a number.
    fn find<K: Key>(&self, known: &Dictionary<K>, alphabet: &Alphabet, points: &[&String]) -> Rows {
        let found = points.par_iter().map(|text| {
            let codes = alphabet.codes(text);
            let features: Vec<Count<K>> = self.counts(&codes, alphabet.len());
            // Units of its own are in none of the features found.
            let square = match codes.iter().all(|&code| code as usize <= alphabet.len()) {
                true => square(&features),
                false => self.alone(text),
            };
            let numbered = |(key, count, _): &Count<K>| known.known(key).map(|number| (number, *count));
            (features.iter().filter_map(numbered).collect(), square)
        });
        let (rows, squares) = found.unzip();
        Rows { known: sparse(known.len(), rows), squares }
    }

    /// k(s, s) of a text by itself.
    fn alone(&self, text: &String) -> f64 {
        self.learn_all(std::slice::from_ref(text), Threads::One)
            .map_or(f64::NAN, |(_, learnt)| learnt.squares[0])
    }
}

/// Refuses texts in codes with more different units than the alphabet has.
///
/// # Errors
/// The first text with a code above the alphabet.
fn check_alphabet(alphabet: u32, texts: impl IntoIterator<Item = Vec<u32>>) -> Result<()> {
    for (text, codes) in texts.into_iter().enumerate() {
        if let Some(&found) = codes.iter().max().filter(|&&code| code > alphabet) {
            let problem = DataProblem::Alphabet { row: text + 1, found: found as usize, alphabet };
            return Err(ErrorKind::Data(problem).into());
        }
    }
    Ok(())
}

/// Bits of a code of so many units, or of 0.
fn bits(units: usize) -> u32 {
    usize::BITS - units.leading_zeros()
}

fn square<K>(features: &[Count<K>]) -> f64 {
    features.iter().map(|(_, count, weight)| weight * count * count).sum()
}

impl Features for Words {
    type Point = String;
    type Known = Known;

    fn learn(&self, columns: &[String]) -> Result<(Known, Learnt)> {
        if let Some(alphabet) = self.alphabet {
            let (_, codes) = Alphabet::learn(self.unit, columns)?;
            check_alphabet(alphabet, codes)?;
        }
        self.learn_all(columns, Threads::All)
    }

    fn admits<'a>(&self, known: impl FnOnce() -> &'a Known, points: &[String]) -> Result<()> {
        let Some(alphabet) = self.alphabet else { return Ok(()) };
        let known = &known().alphabet;
        // Codes of units that are new count on from those of the columns, anew in each text.
        check_alphabet(alphabet, points.iter().map(|text| known.codes(text)))
    }

    fn learn_again(&self, columns: &[String]) -> Result<Known> {
        Ok(self.learn_all(columns, Threads::One)?.0)
    }

    fn rows(&self, known: &Known, points: &[&String]) -> Rows {
        match &known.keys {
            Keys::Narrow(keys) => self.find(keys, &known.alphabet, points),
            Keys::Wide(keys) => self.find(keys, &known.alphabet, points),
            Keys::Long(keys) => self.find(keys, &known.alphabet, points),
        }
    }
}
