//! What features of texts are, as a value and as text: `tfidf(ngrams=1..2)`.

use std::fmt;
use std::str::FromStr;

use super::terms::TermUnit;
use crate::error::{Error, ErrorKind, Result, check, goes};

/// The longest runs.
const MOST_NGRAMS: usize = 100;
/// The most bits of a hash.
const MOST_BITS: u32 = 30;
/// The bits of a hash where none are named, as scikit-learn's `HashingVectorizer` has them.
const BITS: u32 = 20;

/// What a feature is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weighting {
    /// How often the term occurs. Text: `counts`, as scikit-learn's `CountVectorizer`.
    Counts,
    /// Counts of terms, each times how rare the term is, in rows of length 1. Text: `tfidf`, as `TfidfVectorizer`.
    Tfidf,
    /// Counts of hashed terms in rows of length 1. Text: `hashed`, as `HashingVectorizer`.
    Hashed,
}

/// To which length rows are brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowNorm {
    /// None.
    None,
    /// Σ |v| = 1
    L1,
    /// Σ v² = 1
    L2,
}

/// Features of texts that are not fitted yet. The text form is the name of the weighting and what differs from its defaults in
/// parentheses: `tfidf(ngrams=1..2, min_df=2)`.
#[derive(Debug, Clone, PartialEq)]
pub struct TextFeatures {
    /// What a feature is made from.
    pub weighting: Weighting,
    /// What terms are made of. Text: `unit=word`, `char` or `char_wb`.
    pub unit: TermUnit,
    /// The least and the most units of a term. Text: `ngrams=1..2`.
    pub ngrams: (usize, usize),
    /// Whether letters become small ones first. Text: `lowercase=no`.
    pub lowercase: bool,
    /// Whether a term counts once however often it occurs. Text: `binary=yes`.
    pub binary: bool,
    /// Bits of the hash that is the column of a term; none for a column for each term of a vocabulary. Text: `bits=18`.
    pub bits: Option<u32>,
    /// Whether half of the hashed terms count as −1, so that terms in one column cancel. Text: `signed=no`.
    pub signed: bool,
    /// The least number of texts that a term of the vocabulary occurs in. Text: `min_df=2`.
    pub min_df: f64,
    /// The largest share of the texts that a term of the vocabulary occurs in. Text: `max_df=0.5`.
    pub max_df: f64,
    /// Whether each term occurs in one text more than there are. Text: `smooth=no`.
    pub smooth: bool,
    /// Whether a count c becomes 1 + ln c. Text: `sublinear=yes`.
    pub sublinear: bool,
    /// To which length rows are brought. Text: `norm=l2`, `l1` or `none`.
    pub norm: RowNorm,
}

impl TextFeatures {
    /// The features of that weighting with its defaults.
    #[must_use]
    pub fn new(weighting: Weighting) -> Self {
        Self {
            weighting,
            unit: TermUnit::Word,
            ngrams: (1, 1),
            lowercase: true,
            binary: false,
            bits: (weighting == Weighting::Hashed).then_some(BITS),
            signed: true,
            min_df: 1.0,
            max_df: 1.0,
            smooth: true,
            sublinear: false,
            norm: if weighting == Weighting::Counts { RowNorm::None } else { RowNorm::L2 },
        }
    }

    /// Refuses what does not go together.
    ///
    /// # Errors
    /// The first rule broken.
    pub fn check(&self) -> Result<()> {
        let (least, most) = self.ngrams;
        let ordered = least >= 1 && least <= most && most <= MOST_NGRAMS;
        goes(ordered, "ngrams", &format!("{least}..{most}"), "a range A..B of 1 to 100")?;
        let bits = self.bits.unwrap_or(BITS);
        check("bits", bits.into(), (1..=MOST_BITS).contains(&bits), "must lie in 1 to 30")?;
        goes(
            self.bits.is_some() || self.weighting != Weighting::Hashed,
            "bits",
            "none",
            "1 to 30 where terms are hashed",
        )?;
        check("min_df", self.min_df, self.min_df >= 0.0 && self.min_df.is_finite(), "must not be negative")?;
        check("max_df", self.max_df, self.max_df > 0.0 && self.max_df <= 1.0, "must lie in (0, 1]")?;
        for (name, share) in [("min_df", self.min_df), ("max_df", self.max_df)] {
            let open = share == 1.0 || self.bits.is_none();
            check(name, share, open, "chooses a vocabulary, and hashed terms have none")?;
        }
        let signed = self.bits.is_some() && self.signed;
        goes(
            !self.sublinear || !signed,
            "sublinear",
            "yes",
            "no of hashed terms unless signed=no: a logarithm needs counts",
        )
    }

    fn settings(&self) -> [(&'static str, String); 11] {
        let flag = |flag: bool| if flag { "yes" } else { "no" }.to_owned();
        let unit = match self.unit {
            TermUnit::Word => "word",
            TermUnit::Char => "char",
            TermUnit::CharWb => "char_wb",
        };
        let norm = match self.norm {
            RowNorm::None => "none",
            RowNorm::L1 => "l1",
            RowNorm::L2 => "l2",
        };
        [
            ("ngrams", format!("{}..{}", self.ngrams.0, self.ngrams.1)),
            ("unit", unit.to_owned()),
            ("lowercase", flag(self.lowercase)),
            ("binary", flag(self.binary)),
            ("bits", self.bits.map_or("none".to_owned(), |bits| bits.to_string())),
            ("signed", flag(self.signed)),
            ("min_df", self.min_df.to_string()),
            ("max_df", self.max_df.to_string()),
            ("smooth", flag(self.smooth)),
            ("sublinear", flag(self.sublinear)),
            ("norm", norm.to_owned()),
        ]
    }

    /// Sets what `key` names; false where the value is not one of its values.
    fn set(&mut self, key: &str, value: &str) -> Option<bool> {
        let flag = |place: &mut bool| match value {
            "yes" | "true" => {
                *place = true;
                true
            }
            "no" | "false" => {
                *place = false;
                true
            }
            _ => false,
        };
        fn parsed<T: FromStr>(value: &str, place: &mut T) -> bool {
            value.parse().map(|found| *place = found).is_ok()
        }
        Some(match key {
            "ngrams" => {
                let (least, most) = value.split_once("..").unwrap_or((value, value));
                parsed(least.trim(), &mut self.ngrams.0) && parsed(most.trim(), &mut self.ngrams.1)
            }
            "unit" => match value {
                "word" => self.chosen(TermUnit::Word),
                "char" => self.chosen(TermUnit::Char),
                "char_wb" => self.chosen(TermUnit::CharWb),
                _ => false,
            },
            "lowercase" => flag(&mut self.lowercase),
            "binary" => flag(&mut self.binary),
            "bits" => value.parse().map(|bits| self.bits = Some(bits)).is_ok(),
            "signed" => flag(&mut self.signed),
            "min_df" => parsed(value, &mut self.min_df),
            "max_df" => parsed(value, &mut self.max_df),
            "smooth" => flag(&mut self.smooth),
            "sublinear" => flag(&mut self.sublinear),
            "norm" => {
                let norms = [("none", RowNorm::None), ("l1", RowNorm::L1), ("l2", RowNorm::L2)];
                norms.iter().find(|(word, _)| *word == value).map(|(_, norm)| self.norm = *norm).is_some()
            }
            _ => return None,
        })
    }

    fn chosen(&mut self, unit: TermUnit) -> bool {
        self.unit = unit;
        true
    }
}

const WEIGHTINGS: [(&str, Weighting); 3] =
    [("counts", Weighting::Counts), ("tfidf", Weighting::Tfidf), ("hashed", Weighting::Hashed)];

impl fmt::Display for TextFeatures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name =
            WEIGHTINGS.iter().find(|(_, weighting)| *weighting == self.weighting).map_or("", |found| found.0);
        let defaults = Self::new(self.weighting).settings();
        let told = self.settings().into_iter().zip(defaults).filter(|(own, default)| own != default);
        let told: Vec<String> = told.map(|((key, value), _)| format!("{key}={value}")).collect();
        if told.is_empty() { f.write_str(name) } else { write!(f, "{name}({})", told.join(", ")) }
    }
}

impl FromStr for TextFeatures {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let refuse = |at: usize, expected: &str| -> Error {
            ErrorKind::FeaturesText { text: text.into(), column: at + 1, expected: expected.into() }.into()
        };
        let (name, rest) = text.split_at(text.find('(').unwrap_or(text.len()));
        let found = WEIGHTINGS.iter().find(|(word, _)| *word == name.trim());
        let mut features = Self::new(found.ok_or_else(|| refuse(0, "expected counts, tfidf or hashed"))?.1);
        if !rest.is_empty() {
            let inner = rest.trim_end().strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
            let inner = inner.ok_or_else(|| refuse(text.len(), "expected ')'"))?;
            let mut at = name.len() + 1;
            for part in inner.split(',').filter(|_| !inner.trim().is_empty()) {
                let (key, value) = part.split_once('=').ok_or_else(|| refuse(at, "expected key=value"))?;
                match features.set(key.trim(), value.trim()) {
                    Some(true) => {}
                    Some(false) => {
                        return Err(refuse(at + key.len() + 1, "not one of the values of this key"));
                    }
                    None => {
                        return Err(refuse(
                            at,
                            "expected ngrams, unit, lowercase, binary, bits, signed, min_df, max_df, smooth, sublinear or norm",
                        ));
                    }
                }
                at += part.len() + 1;
            }
        }
        features.check()?;
        Ok(features)
    }
}
