//! Numbers for what graphs are made of: labels, signatures of nodes, pairs of labels at a distance.
//!
//! A key is a list of words of 32 bits. All keys lie one after the other in one buffer, and a table of open addressing finds the
//! number of a key by its hash: no key is allocated by itself, and two keys have one number only where they are equal. Numbers
//! count in the order in which keys are first seen, so that they do not depend on the hash.
//!
//! Cost: one hash and, on average, less than two comparisons a key; 4 bytes a word and 16 a key.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;

use crate::error::{ErrorKind, Result};
use crate::kernel::features::Dictionary;

/// Numbers from here on begin keys of a kind of their own and are never given to a key.
const KINDS: u32 = u32::MAX - 15;
/// Begins the key of a node with a label: the label.
pub(super) const NODE: u32 = u32::MAX;
/// Begins the key of an edge: the labels of its ends, ascending, and its own.
pub(super) const EDGE: u32 = u32::MAX - 1;
/// Begins the key of a shortest path: the labels of its ends, ascending, and its length.
pub(super) const PATH: u32 = u32::MAX - 2;
/// Begins the key of a graphlet: how many nodes, and the edges of its canonical form.
pub(super) const GRAPHLET: u32 = u32::MAX - 3;
/// Begins the key of a node by its label and a cell of the space of attributes.
pub(super) const CELL: u32 = u32::MAX - 4;

/// Marks a slot of the table that holds no key.
const FREE: u32 = u32::MAX;

/// The number of a node or edge that has no label, which an empty one is; labels count from 1.
const NO_LABEL: u32 = 0;

/// Gives numbers to labels and keys.
pub(super) trait Numbers {
    /// The number of a label.
    fn label(&mut self, label: &str) -> u32;
    /// The number of a key.
    fn number(&mut self, key: &[u32]) -> u32;

    /// The number of the label of each entry of a list of `length`; the same one for all where there are no labels.
    fn labels(&mut self, codes: Option<&crate::data::LabelCodes>, length: usize) -> Vec<u32> {
        let Some(codes) = codes else { return vec![NO_LABEL; length] };
        let names = codes.names.iter();
        let numbers: Vec<u32> =
            names.map(|name| if name.is_empty() { NO_LABEL } else { self.label(name) }).collect();
        codes.codes.iter().map(|&code| numbers[code as usize]).collect()
    }
}

/// The labels and keys seen so far.
pub(super) struct Vocabulary {
    labels: Dictionary<Box<str>>,
    hasher: Hasher,
    words: Vec<u32>,
    /// Where each key begins in `words`, and where the last one ends.
    start: Vec<usize>,
    /// The upper half of the hash of each key.
    tags: Vec<u32>,
    /// Numbers of keys at the places that their hashes say, or the next free ones. A power of two long, at most half full.
    table: Vec<u32>,
    full: bool,
}

/// Hashes that differ from process to process, so that no data set can be made to have equal ones.
type Hasher = RandomState;

impl Default for Vocabulary {
    fn default() -> Self {
        Self {
            labels: Dictionary::default(),
            hasher: Hasher::default(),
            words: Vec::new(),
            start: vec![0],
            tags: Vec::new(),
            table: vec![FREE; 64],
            full: false,
        }
    }
}

impl Vocabulary {
    /// How many keys have a number.
    pub(super) fn len(&self) -> usize {
        self.tags.len()
    }

    /// Bytes that the keys take.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.words[..])
            + size_of_val(&self.start[..])
            + size_of_val(&self.tags[..])
            + size_of_val(&self.table[..])
    }

    /// Refuses a vocabulary in which keys were left without a number of their own.
    ///
    /// # Errors
    /// If there were more keys than numbers.
    pub(super) fn checked(self) -> Result<Self> {
        match self.full {
            true => Err(ErrorKind::Unsupported { what: "more than 2³² different features".into() }.into()),
            false => Ok(self),
        }
    }

    /// The number of a key, or the free place where it belongs, and its tag.
    fn find(&self, key: &[u32]) -> Result<u32, (usize, u32)> {
        let hash = self.hasher.hash_one(key);
        let (tag, mask) = ((hash >> 32) as u32, self.table.len() - 1);
        let mut place = hash as usize & mask;
        loop {
            let number = self.table[place];
            if number == FREE {
                return Err((place, tag));
            }
            let at = number as usize;
            if self.tags[at] == tag && self.words[self.start[at]..self.start[at + 1]] == *key {
                return Ok(number);
            }
            place = (place + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let mask = 4 * self.table.len() - 1;
        let mut table = vec![FREE; mask + 1];
        for number in 0..self.len() {
            let hash = self.hasher.hash_one(&self.words[self.start[number]..self.start[number + 1]]);
            let mut place = hash as usize & mask;
            while table[place] != FREE {
                place = (place + 1) & mask;
            }
            table[place] = number as u32;
        }
        self.table = table;
    }
}

impl Numbers for Vocabulary {
    fn label(&mut self, label: &str) -> u32 {
        if let Some(number) = self.labels.known(label) {
            return number + 1;
        }
        let number = self.labels.number(label.into());
        self.full |= number.is_err();
        number.map_or(NO_LABEL, |number| number + 1)
    }

    fn number(&mut self, key: &[u32]) -> u32 {
        let (place, tag) = match self.find(key) {
            Ok(number) => return number,
            Err(free) => free,
        };
        let number = self.len() as u32;
        if number >= KINDS {
            self.full = true;
            return 0;
        }
        self.table[place] = number;
        self.tags.push(tag);
        self.words.extend_from_slice(key);
        self.start.push(self.words.len());
        if 2 * self.tags.len() >= self.table.len() {
            self.grow();
        }
        number
    }
}

/// A vocabulary that stays as it is, and what one more graph has besides: keys and labels that the vocabulary does not have get
/// numbers after it.
pub(super) struct Beyond<'a> {
    known: &'a Vocabulary,
    labels: u32,
    fresh: Vocabulary,
}

impl<'a> Beyond<'a> {
    pub(super) fn new(known: &'a Vocabulary) -> Self {
        Self { known, labels: known.labels.len() as u32, fresh: Vocabulary::default() }
    }
}

impl Numbers for Beyond<'_> {
    fn label(&mut self, label: &str) -> u32 {
        match self.known.labels.known(label) {
            Some(number) => number + 1,
            None => self.labels + self.fresh.label(label),
        }
    }

    fn number(&mut self, key: &[u32]) -> u32 {
        self.known.find(key).unwrap_or_else(|_| self.known.len() as u32 + self.fresh.number(key))
    }
}
