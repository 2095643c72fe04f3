//! The kernels on texts as leaves of an expression.

use std::fmt;

use super::counts;
use super::words::square;
use crate::error::{Result, check};
use crate::kernel::{Bound, Call, Definiteness, Expr, Leaf, Slot};

/// The longest word of a spectrum kernel, in characters. The words of a text take up to this many times its bytes.
pub const MAX_WORD: u32 = 32;

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

/// The kernels on texts. The text given with each shows its parameters with their defaults.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TextLeaf {
    /// Σ count(u in s) · count(u in t) over the words u of p consecutive characters. Text: `spectrum(p=3)`, also
    /// `spectrum(3)`.
    Spectrum {
        /// p, from 1 to [`MAX_WORD`]
        p: u32,
    },
}

/// Σ count(u in s) · count(u in t) over the words u of `p` consecutive characters.
#[must_use]
pub fn spectrum(p: u32) -> TextExpr {
    Expr::Leaf(TextLeaf::Spectrum { p })
}

impl fmt::Display for TextLeaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spectrum { p } => write!(f, "spectrum(p={p})"),
        }
    }
}

impl Leaf for TextLeaf {
    type Points = Vec<String>;

    const KERNELS: &'static [&'static str] = &["spectrum"];

    fn parse(call: &Call<'_>) -> Option<Result<Self>> {
        let spectrum = || {
            call.accept(&["p"], Some("p"))?;
            let leaf = Self::Spectrum { p: call.whole("p", Some("p"), 3)? };
            leaf.check().map(|()| leaf).map_err(|error| call.locate(error))
        };
        match call.name {
            "spectrum" => Some(spectrum()),
            _ => None,
        }
    }

    fn check(&self) -> Result<()> {
        match *self {
            Self::Spectrum { p } => check("p", p.into(), (1..=MAX_WORD).contains(&p), "must lie in 1 to 32"),
        }
    }

    fn definiteness(&self) -> Definiteness {
        if self.check().is_ok() { Definiteness::Psd } else { Definiteness::Unknown }
    }

    /// Shows nothing: the length of a word is a whole number.
    fn visit_parameters(&mut self, _: &mut dyn FnMut(Slot<'_>)) {}

    fn bind(&self, columns: &Vec<String>) -> Result<Box<dyn Bound<Vec<String>>>> {
        match *self {
            Self::Spectrum { p } => counts::bind(p as usize, columns),
        }
    }

    fn diagonal(&self, points: &Vec<String>, rows: &[usize]) -> Vec<f64> {
        match *self {
            Self::Spectrum { p } => rows.iter().map(|&i| square(&points[i], p as usize)).collect(),
        }
    }
}
