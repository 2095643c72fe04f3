//! Kernels on texts by their definitions, part by part, for tests.

use super::*;
use crate::kernel::arbitrary::Definition;

/// The units of a text, as words.
fn units(text: &str, unit: Unit) -> Vec<String> {
    match unit {
        Unit::Char => text.chars().map(String::from).collect(),
        Unit::Byte => text.bytes().map(|byte| byte.to_string()).collect(),
        Unit::Word => text.split(char::is_whitespace).filter(|w| !w.is_empty()).map(String::from).collect(),
    }
}

/// All words of `p` units, by place.
fn words(units: &[String], p: usize) -> Vec<&[String]> {
    (0..units.len()).filter_map(|at| units.get(at..at + p)).collect()
}

fn same_words(s: &[String], t: &[String], p: u32) -> f64 {
    let (s, t) = (words(s, p as usize), words(t, p as usize));
    s.iter().map(|u| t.iter().filter(|v| u == *v).count() as f64).sum()
}

/// Counts the words over an alphabet of `size` units, as numbers, that are within `m` of a word of `s` and one of `t`.
fn near_words(s: &[String], t: &[String], p: u32, m: u32, size: u32) -> f64 {
    let mut alphabet: Vec<&String> = s.iter().chain(t).collect();
    alphabet.sort();
    alphabet.dedup();
    assert!(alphabet.len() <= size as usize);
    let code = |unit: &String| alphabet.iter().position(|other| *other == unit).unwrap() as u32;
    let coded = |x: &[String]| -> Vec<Vec<u32>> {
        words(x, p as usize).iter().map(|word| word.iter().map(code).collect()).collect()
    };
    let (s, t) = (coded(s), coded(t));
    let near = |word: &[u32], u: &[u32]| word.iter().zip(u).filter(|(a, b)| a != b).count() <= m as usize;
    let mut sum = 0.0;
    for number in 0..size.pow(p) {
        let u: Vec<u32> = (0..p).map(|place| number / size.pow(place) % size).collect();
        let count = |words: &[Vec<u32>]| words.iter().filter(|word| near(word, &u)).count() as f64;
        sum += count(&s) * count(&t);
    }
    sum
}

fn common_at_places(s: &[String], t: &[String], d: u32, shift: u32) -> f64 {
    let mut sum = 0.0;
    for k in 1..=d {
        let beta = 2.0 * f64::from(d - k + 1) / f64::from(d * (d + 1));
        for (i, u) in words(s, k as usize).iter().enumerate() {
            for (j, v) in words(t, k as usize).iter().enumerate() {
                let apart = i.abs_diff(j);
                if u == v && apart <= shift as usize {
                    sum += beta * if apart == 0 { 1.0 } else { 0.5 / (apart as f64 + 1.0) };
                }
            }
        }
    }
    sum
}

/// Every subsequence of `p` units with λ to the power of its span.
fn spans(s: &[String], p: u32, lambda: f64) -> Vec<(Vec<&String>, f64)> {
    let mut found = Vec::new();
    for set in 0..1_u32 << s.len() {
        if set.count_ones() == p {
            let places: Vec<usize> = (0..s.len()).filter(|place| set >> place & 1 == 1).collect();
            let span = places[places.len() - 1] - places[0] + 1;
            found.push((places.iter().map(|&place| &s[place]).collect(), lambda.powi(span as i32)));
        }
    }
    found
}

fn common_spans(s: &[String], t: &[String], p: u32, lambda: f64) -> f64 {
    let (s, t) = (spans(s, p, lambda), spans(t, p, lambda));
    let product =
        |(u, a): &(Vec<&String>, f64)| -> f64 { t.iter().filter(|(v, _)| u == v).map(|(_, b)| a * b).sum() };
    s.iter().map(product).sum()
}

impl Definition for TextLeaf {
    fn value(&self, x: &Vec<String>, i: usize, y: &Vec<String>, j: usize) -> f64 {
        let both = |unit| (units(&x[i], unit), units(&y[j], unit));
        match *self {
            Self::Spectrum { p, unit } => {
                let (s, t) = both(unit);
                same_words(&s, &t, p)
            }
            Self::Range { p, unit } => {
                let (s, t) = both(unit);
                (1..=p).map(|q| same_words(&s, &t, q)).sum()
            }
            Self::Mismatch { p, m, alphabet, unit } => {
                let (s, t) = both(unit);
                near_words(&s, &t, p, m, alphabet)
            }
            Self::Degree { d, shift, unit } => {
                let (s, t) = both(unit);
                common_at_places(&s, &t, d, shift)
            }
            Self::Subsequence { p, lambda, lengths, unit } => {
                let (s, t) = both(unit);
                let shortest = if lengths == Lengths::All { 1 } else { p };
                (shortest..=p).map(|q| common_spans(&s, &t, q, lambda)).sum()
            }
        }
    }
}
