//! The kernels on texts as leaves of an expression.

use std::fmt;

use super::words::Words;
use crate::error::Result;
use crate::kernel::facts::{Facts, Stated};
use crate::kernel::field::Field;
use crate::kernel::{Bound, Call, Definiteness, Expr, Leaf, Listed, Slot, facts, features};

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

impl Stated for TextLeaf {
    const ALL: &'static [Self] = &[Self::Spectrum { p: 3 }];

    fn facts(&mut self) -> Facts<'_> {
        match self {
            Self::Spectrum { p } => Facts {
                name: "spectrum",
                aliases: &[],
                variant: None,
                formula: "Σ count(u in s) count(u in t) over words u of p characters",
                remark: "",
                definiteness: Definiteness::Psd,
                fields: vec![Field::whole("p", "p", p, 1..=MAX_WORD, "must lie in 1 to 32")],
            },
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
        facts::parse(call)
    }

    fn check(&self) -> Result<()> {
        facts::check(self)
    }

    fn definiteness(&self) -> Definiteness {
        if self.check().is_ok() { self.clone().facts().definiteness } else { Definiteness::Unknown }
    }

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Slot<'_>)) {
        facts::visit(self, visit);
    }

    fn bind(&self, columns: &Vec<String>) -> Result<Box<dyn Bound<Vec<String>>>> {
        match *self {
            Self::Spectrum { p } => features::bind(Words { length: p as usize }, columns),
        }
    }

    fn diagonal(&self, points: &Vec<String>, rows: &[usize]) -> Vec<f64> {
        match *self {
            Self::Spectrum { p } => features::squares(&Words { length: p as usize }, points, rows),
        }
    }
}
