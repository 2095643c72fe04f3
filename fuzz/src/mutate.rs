//! Changes of an input: of its bytes, tokens, numbers and lines, and by parts of other inputs.

use mercer::data::SplitMix;

/// The longest input.
pub const LONGEST: usize = 4096;
/// Changes of one input, at most.
const CHANGES: usize = 6;

/// Numbers at which readers go wrong.
const NUMBERS: [&str; 20] = [
    "0",
    "-0",
    "1",
    "-1",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551616",
    "1e308",
    "1e309",
    "-1e-320",
    "0.1",
    "nan",
    "inf",
    "-inf",
    "1e",
    "00",
    "+1",
];

/// A number below `n`, which is not 0.
fn below(random: &mut SplitMix, n: usize) -> usize {
    (random.uniform() * n as f64) as usize % n
}

/// An input made from one of `inputs`, which are not empty, with the words of a target.
pub fn mutated(inputs: &[Vec<u8>], words: &[&str], random: &mut SplitMix) -> Vec<u8> {
    let mut input = inputs[below(random, inputs.len())].clone();
    for _ in 0..1 + below(random, CHANGES) {
        change(&mut input, inputs, words, random);
    }
    input.truncate(LONGEST);
    input
}

fn change(input: &mut Vec<u8>, inputs: &[Vec<u8>], words: &[&str], random: &mut SplitMix) {
    let at = below(random, input.len() + 1);
    let (start, end) = {
        let other = (at + below(random, 16)).min(input.len());
        (at.min(other), at.max(other))
    };
    match below(random, 11) {
        0 if at < input.len() => input[at] ^= 1 << below(random, 8),
        1 if at < input.len() => input[at] = below(random, 256) as u8,
        2 => insert(input, at, &[below(random, 256) as u8]),
        3 => drop(input.drain(start..end)),
        4 => {
            let part = input[start..end].to_vec();
            input.splice(start..start, part);
        }
        5 if !words.is_empty() => insert(input, at, words[below(random, words.len())].as_bytes()),
        6 => number(input, at, random),
        7 => {
            let other = &inputs[below(random, inputs.len())];
            let from = below(random, other.len() + 1);
            let to = (from + below(random, 64)).min(other.len());
            insert(input, at, &other[from..to]);
        }
        8 => lines(input, random),
        9 => input.truncate(at),
        _ => insert(input, at, NUMBERS[below(random, NUMBERS.len())].as_bytes()),
    }
}

fn insert(input: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    input.splice(at..at, bytes.iter().copied());
}

/// Puts another number in the place of the one after `at`.
fn number(input: &mut Vec<u8>, at: usize, random: &mut SplitMix) {
    let Some(start) = (at..input.len()).find(|&i| input[i].is_ascii_digit()) else { return };
    let end = (start..input.len()).find(|&i| !input[i].is_ascii_digit()).unwrap_or(input.len());
    input.splice(start..end, NUMBERS[below(random, NUMBERS.len())].bytes());
}

/// Repeats, leaves out or moves a line.
fn lines(input: &mut Vec<u8>, random: &mut SplitMix) {
    let mut all: Vec<Vec<u8>> = input.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    if all.is_empty() {
        return;
    }
    let line = all.remove(below(random, all.len()));
    for _ in 0..below(random, 4) {
        all.insert(below(random, all.len() + 1), line.clone());
    }
    *input = all.concat();
}
