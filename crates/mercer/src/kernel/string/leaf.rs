//! The kernels on texts as leaves of an expression.

use std::fmt;

use super::degree::Degree;
use super::subsequence::{LEAST, LENGTHS, Subsequence};
use super::unit::UNITS;
use super::words::{Shape, Words};
use super::{Lengths, Unit, mismatch, pairs};
use crate::error::{Result, check};
use crate::kernel::facts::{Facts, Stated};
use crate::kernel::field::Field;
use crate::kernel::{Bound, Call, Definiteness, Expr, Leaf, Listed, Slot, facts, features};

/// The longest word or subsequence of a kernel on texts, in units. The words of a text take up to this many times its codes.
pub const MAX_WORD: u32 = crate::simd::MAX_SUBSEQUENCE as u32;

/// A kernel expression on texts. Its text has the grammar of every expression, described at
/// [`VectorExpr`](super::super::VectorExpr), without feature maps; the kernels are listed at [`TextLeaf`].
///
/// ```
/// use mercer::kernel::{TextExpr, spectrum};
///
/// let kernel: TextExpr = "normalized(spectrum(p=4))".parse()?;
/// assert_eq!(kernel, spectrum(4).normalized());
/// # Ok::<(), mercer::Error>(())
/// ```
pub type TextExpr = Expr<TextLeaf>;

/// The kernels on texts. The text given with each shows its parameters with their defaults; each also takes `unit=char`, `byte` or
/// `word`, which says what a text is a sequence of and is left out of the text where it is `char`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TextLeaf {
    /// Σ count(u in s) · count(u in t) over the words u of p consecutive units. Text: `spectrum(p=3)`, also
    /// `spectrum(3)`.
    Spectrum {
        /// p, from 1 to [`MAX_WORD`]
        p: u32,
        /// What a text is a sequence of.
        unit: Unit,
    },
    /// Σ count(u in s) · count(u in t) over the words u of 1 to p consecutive units. Text: `range(p=3)`, also `range(3)`.
    Range {
        /// p, from 1 to [`MAX_WORD`]
        p: u32,
        /// What a text is a sequence of.
        unit: Unit,
    },
    /// Σ near(u, s) · near(u, t) over the words u of p units of an alphabet, where near(u, s) counts the words of s that differ
    /// from u in at most m places. Text: `mismatch(p=5, m=1, alphabet=20)`.
    Mismatch {
        /// p, from 1 to [`MAX_WORD`]
        p: u32,
        /// m, from 0 to 3 and below p; a word has at most 10,000 patterns with up to 2m blanks.
        m: u32,
        /// How many units the alphabet has, from 2 to 65,536 and not less than the texts have: 4 for DNA, 20 for proteins.
        alphabet: u32,
        /// What a text is a sequence of.
        unit: Unit,
    },
    /// Σ_{k ≤ d} 2(d−k+1)/(d(d+1)) times the number of places at which both texts have the same k units; those that have them at
    /// places h ≤ shift apart count 1/(2(h+1)). Text: `degree(d=5, shift=0)`.
    Degree {
        /// d, from 1 to [`MAX_WORD`]
        d: u32,
        /// From 0 to 1,000.
        shift: u32,
        /// What a text is a sequence of.
        unit: Unit,
    },
    /// Σ λ^(span in s + span in t) over all common subsequences of p units. Text: `subsequence(p=4, lambda=0.5)`, with
    /// `lengths=all` over those of 1 to p units.
    Subsequence {
        /// p, from 1 to [`MAX_WORD`]
        p: u32,
        /// λ, in (0, 1]; λ^(2p) must not be below 10⁻³⁰⁰.
        lambda: f64,
        /// Which lengths count.
        lengths: Lengths,
        /// What a text is a sequence of.
        unit: Unit,
    },
}

fn length<'a>(name: &'static str, value: &'a mut u32) -> Field<'a> {
    Field::whole(name, name, value, 1..=MAX_WORD, "must lie in 1 to 32")
}

fn of_units(unit: &mut Unit) -> Field<'_> {
    Field::choice("unit", "", unit, UNITS, PartialEq::eq).quiet()
}

impl Stated for TextLeaf {
    const ALL: &'static [Self] = &[
        Self::Spectrum { p: 3, unit: Unit::Char },
        Self::Range { p: 3, unit: Unit::Char },
        Self::Mismatch { p: 5, m: 1, alphabet: 20, unit: Unit::Char },
        Self::Degree { d: 5, shift: 0, unit: Unit::Char },
        Self::Subsequence { p: 4, lambda: 0.5, lengths: Lengths::Exact, unit: Unit::Char },
    ];

    fn facts(&mut self) -> Facts<'_> {
        let (name, formula, remark, fields) = match self {
            Self::Spectrum { p, unit } => (
                "spectrum",
                "Σ count(u in s) count(u in t) over words u of p units",
                "",
                vec![length("p", p), of_units(unit)],
            ),
            Self::Range { p, unit } => (
                "range",
                "Σ count(u in s) count(u in t) over words u of 1 to p units",
                "",
                vec![length("p", p), of_units(unit)],
            ),
            Self::Mismatch { p, m, alphabet, unit } => (
                "mismatch",
                "Σ near(u, s) near(u, t) over words u of p units, near(u, s) the words of s that differ from u in at most m",
                "alphabet is the number of different units: 4 for DNA, 20 for proteins",
                vec![
                    length("p", p),
                    Field::whole("m", "m", m, 0..=3, "must lie in 0 to 3"),
                    Field::whole("alphabet", "alphabet", alphabet, 2..=65_536, "must lie in 2 to 65536"),
                    of_units(unit),
                ],
            ),
            Self::Degree { d, shift, unit } => (
                "degree",
                "Σ 2(d−k+1)/(d(d+1)) [s[l+h:l+h+k] = t[l:l+k]] over l, k ≤ d and |h| ≤ shift, 1/(2(|h|+1)) of it for h ≠ 0",
                "for texts whose places correspond",
                vec![
                    length("d", d),
                    Field::whole("shift", "shift", shift, 0..=1000, "must lie in 0 to 1000"),
                    of_units(unit),
                ],
            ),
            Self::Subsequence { p, lambda, lengths, unit } => (
                "subsequence",
                "Σ λ^(span in s + span in t) over common subsequences of p units",
                "lengths=all: of 1 to p units",
                vec![
                    length("p", p),
                    Field::share("lambda", "λ", lambda),
                    Field::choice("lengths", "", lengths, LENGTHS, PartialEq::eq).quiet(),
                    of_units(unit),
                ],
            ),
        };
        Facts { name, aliases: &[], variant: None, formula, remark, definiteness: Definiteness::Psd, fields }
    }
}

/// A kernel on texts in the form in which it is computed.
enum Computed {
    Words(Words),
    Degree(Degree, Unit),
    Subsequence(Subsequence, Unit),
}

impl TextLeaf {
    /// The same kernel on texts as sequences of another unit.
    #[must_use]
    pub fn with_unit(mut self, new: Unit) -> Self {
        match &mut self {
            Self::Spectrum { unit, .. }
            | Self::Range { unit, .. }
            | Self::Mismatch { unit, .. }
            | Self::Degree { unit, .. }
            | Self::Subsequence { unit, .. } => *unit = new,
        }
        self
    }

    /// Checks what no parameter can be checked for by itself.
    fn check_together(&self) -> Result<()> {
        match *self {
            Self::Mismatch { p, m, .. } => {
                check("m", m.into(), m < p, "must be below p")?;
                let few = mismatch::patterns(p, m) <= mismatch::MAX_PATTERNS;
                check("m", m.into(), few, "a word has more than 10,000 patterns: take a smaller p or m")
            }
            Self::Subsequence { p, lambda, .. } => {
                let holds = lambda.powi(2 * p as i32) >= LEAST;
                check("lambda", lambda, holds, "lambda^(2p) must not be below 1e-300")
            }
            _ => Ok(()),
        }
    }

    fn computed(&self) -> Computed {
        let words = |unit, shapes, alphabet| Computed::Words(Words { unit, shapes, alphabet });
        match *self {
            Self::Spectrum { p, unit } => words(unit, vec![Shape::whole(p as usize)], None),
            Self::Range { p, unit } => words(unit, (1..=p as usize).map(Shape::whole).collect(), None),
            Self::Mismatch { p, m, alphabet, unit } => {
                words(unit, mismatch::shapes(p, m, alphabet), Some(alphabet))
            }
            Self::Degree { d, shift, unit } => Computed::Degree(Degree { longest: d, shift }, unit),
            Self::Subsequence { p, lambda, lengths, unit } => {
                Computed::Subsequence(Subsequence::new(p, lambda, lengths), unit)
            }
        }
    }
}

impl fmt::Display for TextLeaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        facts::write(self, f)
    }
}

impl Leaf for TextLeaf {
    type Points = Vec<String>;

    fn list() -> Vec<Listed> {
        facts::list::<Self>()
    }

    fn parse(call: &Call<'_>) -> Option<Result<Self>> {
        let checked = |leaf: Self| match leaf.check_together() {
            Ok(()) => Ok(leaf),
            Err(error) => Err(call.locate(error)),
        };
        facts::parse(call).map(|leaf: Result<Self>| leaf.and_then(checked))
    }

    fn check(&self) -> Result<()> {
        facts::check(self)?;
        self.check_together()
    }

    fn definiteness(&self) -> Definiteness {
        if self.check().is_ok() { self.clone().facts().definiteness } else { Definiteness::Unknown }
    }

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Slot<'_>)) {
        facts::visit(self, visit);
    }

    fn bind(&self, columns: &Vec<String>) -> Result<Box<dyn Bound<Vec<String>>>> {
        match self.computed() {
            Computed::Words(words) => features::bind(words, columns),
            Computed::Degree(kernel, unit) => pairs::bind(kernel, unit, columns),
            Computed::Subsequence(kernel, unit) => pairs::bind(kernel, unit, columns),
        }
    }

    fn diagonal(&self, points: &Vec<String>, rows: &[usize]) -> Vec<f64> {
        match self.computed() {
            Computed::Words(words) => features::squares(&words, points, rows),
            Computed::Degree(kernel, unit) => pairs::squares(&kernel, unit, points, rows),
            Computed::Subsequence(kernel, unit) => pairs::squares(&kernel, unit, points, rows),
        }
    }
}
