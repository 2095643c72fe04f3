//! The terms of a text: runs of words or of characters, cut as scikit-learn's vectorizers cut them.

use super::word::{is_space, is_word};

/// What runs are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TermUnit {
    /// Words: runs of two and more letters, digits and `_`.
    Word,
    /// Characters, white space among them.
    Char,
    /// Characters of what stands between white space, with a space before and after it.
    CharWb,
}

/// Calls `see` for each term of a text, one for each time it occurs.
pub(super) fn for_each(text: &str, unit: TermUnit, (least, most): (usize, usize), see: impl FnMut(&str)) {
    match unit {
        TermUnit::Word => words(text, least, most, see),
        TermUnit::Char => {
            let text = spaced(text);
            runs(&text, least, most, see);
        }
        TermUnit::CharWb => inside(text, least, most, see),
    }
}

fn words(text: &str, least: usize, most: usize, mut see: impl FnMut(&str)) {
    // Runs of one character are no words.
    let words: Vec<&str> =
        text.split(|c: char| !is_word(c)).filter(|word| word.chars().nth(1).is_some()).collect();
    let mut joined = String::new();
    for count in least..=most {
        for run in words.windows(count) {
            match run {
                [one] => see(one),
                _ => {
                    joined.clear();
                    for (k, word) in run.iter().enumerate() {
                        joined.push_str(if k == 0 { "" } else { " " });
                        joined.push_str(word);
                    }
                    see(&joined);
                }
            }
        }
    }
}

/// Two and more characters of white space as one space; a single one stays what it is.
fn spaced(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let mut more = false;
        while is_space(c) && rest.next_if(|&next| is_space(next)).is_some() {
            more = true;
        }
        out.push(if more { ' ' } else { c });
    }
    out
}

/// All runs of `least` to `most` characters.
fn runs(text: &str, least: usize, most: usize, mut see: impl FnMut(&str)) {
    let mut starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    starts.push(text.len());
    let length = starts.len() - 1;
    for count in least..=most.min(length) {
        (0..=length - count).for_each(|first| see(&text[starts[first]..starts[first + count]]));
    }
}

fn inside(text: &str, least: usize, most: usize, mut see: impl FnMut(&str)) {
    for word in text.split(is_space).filter(|word| !word.is_empty()) {
        let padded = format!(" {word} ");
        let length = word.chars().count() + 2;
        for count in least..=most {
            // A word that is shorter than the run is a term itself, once.
            if count >= length {
                see(&padded);
                break;
            }
            runs(&padded, count, count, &mut see);
        }
    }
}
