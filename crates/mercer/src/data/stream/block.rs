//! Blocks of rows as bytes: columns as differences, values by the shortest form that is exact for all of a block.
//!
//! A block is
//!
//! ```text
//! rows, entries (variable length), form (1 byte), scale (1 byte),
//! the number of entries of each row (variable length),
//! the columns (variable length; each less the one before and 1), unless every row has the columns 0, 1, 2, …,
//! the values.
//! ```
//!
//! Values are all 1 (no bytes), whole numbers m of 1, 2 or 4 bytes that stand for m/10^scale, or numbers of single or double precision.
//! A decimal such as 0.320755 is 320755/10⁶: the quotient of two whole numbers below 2⁵³ is rounded once, as the parser rounds the
//! text, and so is the same number to the bit.
//!
//! Every entry takes a byte at least, so that what a damaged block claims is bounded by the bytes that are there.

use crate::data::{Sparse, Vectors};

/// Powers of ten that decimals are divided by.
const POWERS: [f64; 10] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
/// Bytes of a whole number of variable length: seven bits each.
const LONGEST: usize = 9;

/// The forms of values.
const ONES: u8 = 0;
const BYTES: u8 = 1;
const SHORTS: u8 = 2;
const WORDS: u8 = 3;
const SINGLE: u8 = 4;
const DOUBLE: u8 = 5;
/// Set where every row has the columns 0, 1, 2, ….
const DENSE: u8 = 16;

/// What is wrong with a block.
pub(crate) type Flaw = &'static str;

const SHORT: Flaw = "the block ends early";
const COUNTS: Flaw = "the block does not have the rows and entries that it claims";

/// Rows: compressed sparse rows, or dense ones, whose columns are not listed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Rows {
    /// Where each row begins among the entries, and where the last one ends.
    pub(crate) start: Vec<usize>,
    /// The column of each entry; none where `dense`.
    pub(crate) index: Vec<u32>,
    /// The value of each entry.
    pub(crate) values: Vec<f64>,
    /// Whether every row has a value for every column.
    pub(crate) dense: bool,
}

impl Rows {
    /// Makes room for so many rows with so many entries in all; false where there is no memory for them.
    pub(super) fn can_hold(&mut self, rows: usize, entries: usize) -> bool {
        self.clear();
        self.start.try_reserve(rows + 1).is_ok()
            && self.index.try_reserve(entries).is_ok()
            && self.values.try_reserve(entries).is_ok()
    }
}

impl Default for Rows {
    fn default() -> Self {
        Self { start: vec![0], index: Vec::new(), values: Vec::new(), dense: false }
    }
}

impl Rows {
    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// Removes all rows and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.start.truncate(1);
        self.index.clear();
        self.values.clear();
        self.dense = false;
    }

    /// Appends a sparse row.
    pub(crate) fn push(&mut self, index: &[u32], values: &[f64]) {
        self.index.extend_from_slice(index);
        self.values.extend_from_slice(values);
        self.start.push(self.values.len());
    }

    /// Appends row `i` of other rows, which are dense if these are.
    pub(crate) fn copy(&mut self, from: &Self, i: usize) {
        let entries = from.start[i]..from.start[i + 1];
        if !from.dense {
            self.index.extend_from_slice(&from.index[entries.clone()]);
        } else if !self.dense {
            self.index.extend(0..entries.len() as u32);
        }
        self.values.extend_from_slice(&from.values[entries]);
        self.start.push(self.values.len());
    }

    /// Lists the columns of dense rows, all of them so wide.
    pub(crate) fn list(&mut self, width: usize) {
        self.index = (0..self.len()).flat_map(|_| 0..width as u32).collect();
        self.dense = false;
    }

    /// Takes memory for more rows with so many entries in all.
    pub(crate) fn reserve(&mut self, rows: usize, entries: usize) {
        self.start.reserve_exact(rows);
        self.index.reserve_exact(entries);
        self.values.reserve_exact(entries);
    }

    /// The rows as vectors of so many features.
    pub(crate) fn to_vectors(&self, width: usize) -> Vectors {
        if self.dense && self.values.len() == self.len() * width {
            return Vectors::dense(width, self.values.clone());
        }
        let index = match self.dense {
            true => self.start.windows(2).flat_map(|ends| 0..(ends[1] - ends[0]) as u32).collect(),
            false => self.index.clone(),
        };
        Sparse::new(width, self.start.clone(), index, self.values.clone()).into()
    }

    /// Gives back the memory that is not used.
    pub(crate) fn shrink(&mut self) {
        self.start.shrink_to_fit();
        self.index.shrink_to_fit();
        self.values.shrink_to_fit();
    }
}

/// Appends a whole number of variable length: seven bits a byte, the lowest first, the highest bit set but in the last byte.
pub(super) fn put(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Takes a whole number of variable length.
#[inline(always)]
fn take(bytes: &mut &[u8]) -> Result<u64, Flaw> {
    let (&first, rest) = bytes.split_first().ok_or(SHORT)?;
    *bytes = rest;
    if first < 0x80 {
        return Ok(u64::from(first));
    }
    let mut value = u64::from(first & 0x7f);
    for k in 1..LONGEST {
        let (&byte, rest) = bytes.split_first().ok_or(SHORT)?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << (7 * k);
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err("a whole number of the block is too long")
}

/// Appends the bytes of sparse rows.
pub(crate) fn encode(rows: &Rows, out: &mut Vec<u8>) {
    let dense = |bounds: &[usize]| {
        let columns = &rows.index[bounds[0]..bounds[1]];
        columns.iter().enumerate().all(|(k, &column)| k == column as usize)
    };
    let dense = rows.start.windows(2).all(dense);
    put(rows.len() as u64, out);
    put(rows.index.len() as u64, out);
    let form = Form::of(&rows.values, !dense);
    out.push(form.kind | if dense { DENSE } else { 0 });
    out.push(form.scale);
    rows.start.windows(2).for_each(|bounds| put((bounds[1] - bounds[0]) as u64, out));
    if !dense {
        for bounds in rows.start.windows(2) {
            let mut least = 0;
            for &column in &rows.index[bounds[0]..bounds[1]] {
                put(u64::from(column) - least, out);
                least = u64::from(column) + 1;
            }
        }
    }
    form.encode(&rows.values, out);
}

/// Makes the rows of a block of a file with so many columns.
pub(crate) fn decode(mut bytes: &[u8], width: usize, rows: &mut Rows) -> Result<(), Flaw> {
    rows.clear();
    let (count, entries) = (take(&mut bytes)?, take(&mut bytes)?);
    let [kind, scale, rest @ ..] = bytes else { return Err(SHORT) };
    bytes = rest;
    let dense = kind & DENSE != 0;
    let form = Form { kind: kind & !DENSE, scale: *scale };
    // Rows take a byte each and entries too: nothing is reserved for more than there are.
    let most = bytes.len() as u64;
    if count > most || entries > most || (dense && form.kind == ONES) {
        return Err(COUNTS);
    }
    let mut end = 0;
    let mut whole = true;
    for _ in 0..count {
        let length = take(&mut bytes)?;
        whole &= length == width as u64;
        end += length;
        if end > entries || length > width as u64 {
            return Err(COUNTS);
        }
        rows.start.push(end as usize);
    }
    if end != entries {
        return Err(COUNTS);
    }
    if dense {
        rows.dense = whole && width > 0;
        if !rows.dense {
            let length = |bounds: &[usize]| 0..(bounds[1] - bounds[0]) as u32;
            rows.index.extend(rows.start.windows(2).flat_map(length));
        }
    } else {
        columns(&mut bytes, width as u64, rows)?;
    }
    form.decode(bytes, entries as usize, &mut rows.values)
}

/// Takes the columns of all rows.
fn columns(bytes: &mut &[u8], width: u64, rows: &mut Rows) -> Result<(), Flaw> {
    rows.index.reserve(rows.start[rows.start.len() - 1]);
    for bounds in rows.start.windows(2) {
        let mut least = 0;
        for _ in bounds[0]..bounds[1] {
            // Numbers have 63 bits at most: the sum of two does not overflow.
            let column = least + take(bytes)?;
            if column >= width {
                return Err("a column of the block lies beyond the width of the file");
            }
            rows.index.push(column as u32);
            least = column + 1;
        }
    }
    Ok(())
}

/// How the values of a block are written.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Form {
    kind: u8,
    scale: u8,
}

impl Form {
    /// The shortest form that is exact for all values.
    fn of(values: &[f64], ones: bool) -> Self {
        let plain = |kind| Self { kind, scale: 0 };
        if ones && values.iter().all(|&value| value == 1.0) {
            return plain(ONES);
        }
        let decimal = decimal(values);
        if let Some((scale, low, high)) = decimal {
            if low >= 0 && high <= i32::from(u8::MAX) {
                return Self { kind: BYTES, scale };
            }
            if low >= i32::from(i16::MIN) && high <= i32::from(i16::MAX) {
                return Self { kind: SHORTS, scale };
            }
        }
        if values.iter().all(|&value| f64::from(value as f32).to_bits() == value.to_bits()) {
            return plain(SINGLE);
        }
        decimal.map_or(plain(DOUBLE), |(scale, ..)| Self { kind: WORDS, scale })
    }

    fn encode(self, values: &[f64], out: &mut Vec<u8>) {
        let power = POWERS[usize::from(self.scale)];
        let numerators = values.iter().map(|&value| numerator(value, power));
        match self.kind {
            ONES => {}
            BYTES => out.extend(numerators.map(|m| m as u8)),
            SHORTS => out.extend(numerators.flat_map(|m| (m as i16).to_le_bytes())),
            WORDS => out.extend(numerators.flat_map(i32::to_le_bytes)),
            SINGLE => out.extend(values.iter().flat_map(|&value| (value as f32).to_le_bytes())),
            _ => out.extend(values.iter().flat_map(|value| value.to_le_bytes())),
        }
    }

    /// Makes so many values of all the bytes that are left.
    fn decode(self, bytes: &[u8], count: usize, values: &mut Vec<f64>) -> Result<(), Flaw> {
        let power = *POWERS.get(usize::from(self.scale)).ok_or("the scale of the block is not known")?;
        let size = match self.kind {
            ONES => 0,
            BYTES => 1,
            SHORTS => 2,
            WORDS | SINGLE => 4,
            DOUBLE => 8,
            _ => return Err("the form of the block is not known"),
        };
        if count.checked_mul(size) != Some(bytes.len()) {
            return Err(COUNTS);
        }
        match self.kind {
            ONES => values.resize(count, 1.0),
            BYTES => values.extend(bytes.iter().map(|&m| f64::from(m) / power)),
            SHORTS => values.extend(words(bytes).map(|raw| f64::from(i16::from_le_bytes(raw)) / power)),
            WORDS => values.extend(words(bytes).map(|raw| f64::from(i32::from_le_bytes(raw)) / power)),
            SINGLE => values.extend(words(bytes).map(|raw| f64::from(f32::from_le_bytes(raw)))),
            _ => values.extend(words(bytes).map(f64::from_le_bytes)),
        }
        match self.kind >= SINGLE && !values.iter().all(|value| value.is_finite()) {
            true => Err("a value of the block is not finite"),
            false => Ok(()),
        }
    }
}

/// The bytes in pieces of N.
fn words<const N: usize>(bytes: &[u8]) -> impl Iterator<Item = [u8; N]> + '_ {
    let (pieces, _) = bytes.as_chunks::<N>();
    pieces.iter().copied()
}

/// Appends the bytes of numbers by themselves: their count, their form and the numbers, a byte each at least.
pub(super) fn encode_numbers(values: &[f64], out: &mut Vec<u8>) {
    let form = Form::of(values, false);
    put(values.len() as u64, out);
    out.extend([form.kind, form.scale]);
    form.encode(values, out);
}

/// Appends the numbers of such bytes to `values`.
pub(super) fn decode_numbers(mut bytes: &[u8], values: &mut Vec<f64>) -> Result<(), Flaw> {
    let count = take(&mut bytes)?;
    let [kind, scale, rest @ ..] = bytes else { return Err(SHORT) };
    if count > rest.len() as u64 || *kind == ONES {
        return Err(COUNTS);
    }
    Form { kind: *kind, scale: *scale }.decode(rest, count as usize, values)
}

/// The whole number nearest to value · power.
#[inline(always)]
fn numerator(value: f64, power: f64) -> i32 {
    (value * power + 0.5_f64.copysign(value)) as i32
}

/// The least scale with which all values are m/10^scale for whole numbers m of 32 bits, and the smallest and the largest m.
fn decimal(values: &[f64]) -> Option<(u8, i32, i32)> {
    let exact = |value: f64, scale: usize| {
        let m = numerator(value, POWERS[scale]);
        ((f64::from(m) / POWERS[scale]).to_bits() == value.to_bits()).then_some(m)
    };
    let mut scale = 0;
    for &value in values {
        while exact(value, scale).is_none() {
            scale += 1;
            if scale == POWERS.len() {
                return None;
            }
        }
    }
    // A value that was exact with a smaller scale is so with this one, unless its m is too large now.
    let (mut low, mut high) = (0, 0);
    for &value in values {
        let m = exact(value, scale)?;
        (low, high) = (m.min(low), m.max(high));
    }
    Some((scale as u8, low, high))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn back(rows: &Rows, width: usize) -> (Rows, usize) {
        let (mut bytes, mut found) = (Vec::new(), Rows::default());
        encode(rows, &mut bytes);
        decode(&bytes, width, &mut found).unwrap();
        (found, bytes.len())
    }

    fn rows(lists: &[(&[u32], &[f64])]) -> Rows {
        let mut rows = Rows::default();
        lists.iter().for_each(|(index, values)| rows.push(index, values));
        rows
    }

    #[test]
    fn values_take_the_fewest_bytes_that_are_exact() {
        // A header of 4 bytes, a length, three columns of 1, 1 and 3 bytes, and the values.
        for (values, bytes) in [
            ([1.0, 1.0, 1.0], 0),
            ([255.0, 0.0, 7.0], 3),
            ([0.01, 2.55, 1.0], 3),
            ([-1.0, 0.5, 0.25], 6),
            ([0.320755, -0.962264, 1.0], 12),
            ([0.1_f32 as f64, 1e30, -0.0], 24),
            ([f64::from(0.1_f32), 0.5, 0.25], 12),
            ([0.1 + 0.2, 1.0, 1.0], 24),
        ] {
            let given = rows(&[(&[0, 5, 70_000], &values)]);
            let (found, size) = back(&given, 70_001);
            assert_eq!(size - 10, bytes, "{values:?}");
            assert!(found.values.iter().zip(&values).all(|(a, b)| a.to_bits() == b.to_bits()));
            assert_eq!(found.index, given.index);
        }
    }

    #[test]
    fn dense_rows_list_no_columns() {
        let given = rows(&[(&[0, 1, 2], &[0.5, 1.5, 2.5]), (&[0, 1, 2], &[3.5, 4.5, 5.5])]);
        let (found, size) = back(&given, 3);
        assert!(found.dense && found.index.is_empty() && size == 4 + 2 + 6);
        let (found, _) = back(&given, 4);
        assert!(!found.dense && found.index == [0, 1, 2, 0, 1, 2]);
    }

    #[test]
    fn what_a_block_claims_is_bounded_by_its_bytes() {
        let mut huge = Vec::new();
        put(1 << 60, &mut huge);
        put(1 << 60, &mut huge);
        huge.extend([DENSE | BYTES, 0]);
        assert_eq!(decode(&huge, 8, &mut Rows::default()), Err(COUNTS));
        // Dense rows of ones would have entries without a byte.
        let mut ones = Vec::new();
        put(1, &mut ones);
        put(1 << 40, &mut ones);
        ones.extend([DENSE | ONES, 0]);
        put(1 << 40, &mut ones);
        assert_eq!(decode(&ones, 1 << 41, &mut Rows::default()), Err(COUNTS));
    }

    fn any_rows() -> impl Strategy<Value = Rows> {
        let value = prop_oneof![
            Just(1.0),
            (-300_i32..300).prop_map(f64::from),
            (-3_000_000_i32..3_000_000, 0_usize..10).prop_map(|(m, k)| f64::from(m) / POWERS[k]),
            any::<f32>().prop_map(f64::from),
            any::<f64>(),
        ];
        let finite = value.prop_filter("finite", |value: &f64| value.is_finite());
        let row = prop::collection::btree_map(0_u32..100_000, finite, 0..12);
        prop::collection::vec(row, 0..12).prop_map(|list| {
            let mut rows = Rows::default();
            for row in list {
                let (index, values): (Vec<u32>, Vec<f64>) = row.into_iter().unzip();
                rows.push(&index, &values);
            }
            rows
        })
    }

    proptest! {
        #[test]
        fn rows_come_back_to_the_bit(given in any_rows()) {
            let (found, _) = back(&given, 100_000);
            prop_assert_eq!(&found.start, &given.start);
            prop_assert_eq!(&found.index, &given.index);
            let bits = |rows: &Rows| rows.values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(&found), bits(&given));
        }

        #[test]
        fn damaged_bytes_are_no_panic(given in any_rows(), at: prop::sample::Index, byte: u8, cut: prop::sample::Index) {
            let mut bytes = Vec::new();
            encode(&given, &mut bytes);
            let place = at.index(bytes.len());
            bytes[place] = byte;
            let _ = decode(&bytes, 100_000, &mut Rows::default());
            bytes.truncate(cut.index(bytes.len()));
            let _ = decode(&bytes, 100_000, &mut Rows::default());
        }

        #[test]
        fn numbers_come_back_to_the_bit(given in prop::collection::vec(-1e6_f64..1e6, 0..40)) {
            let (mut bytes, mut found) = (Vec::new(), Vec::new());
            encode_numbers(&given, &mut bytes);
            decode_numbers(&bytes, &mut found).unwrap();
            prop_assert_eq!(found, given);
        }
    }
}
