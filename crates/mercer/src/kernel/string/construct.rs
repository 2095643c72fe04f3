//! Kernels on texts by name.

use super::{Lengths, TextExpr, TextLeaf, Unit};
use crate::kernel::Expr;

/// Σ count(u in s) · count(u in t) over the words u of `p` consecutive characters.
#[must_use]
pub fn spectrum(p: u32) -> TextExpr {
    Expr::Leaf(TextLeaf::Spectrum { p, unit: Unit::Char })
}

/// Σ count(u in s) · count(u in t) over the words u of 1 to `p` consecutive characters.
#[must_use]
pub fn range(p: u32) -> TextExpr {
    Expr::Leaf(TextLeaf::Range { p, unit: Unit::Char })
}

/// Σ near(u, s) · near(u, t) over the words u of `p` characters of an alphabet of so many, where near(u, s) counts the words of s
/// that differ from u in at most `m` places.
#[must_use]
pub fn mismatch(p: u32, m: u32, alphabet: u32) -> TextExpr {
    Expr::Leaf(TextLeaf::Mismatch { p, m, alphabet, unit: Unit::Char })
}

/// The weighted degree kernel: words of 1 to `d` characters at places at most `shift` apart.
#[must_use]
pub fn degree(d: u32, shift: u32) -> TextExpr {
    Expr::Leaf(TextLeaf::Degree { d, shift, unit: Unit::Char })
}

/// Σ λ^(span in s + span in t) over all common subsequences of `p` characters.
#[must_use]
pub fn subsequence(p: u32, lambda: f64) -> TextExpr {
    Expr::Leaf(TextLeaf::Subsequence { p, lambda, lengths: Lengths::Exact, unit: Unit::Char })
}

/// Σ λ^(span in s + span in t) over all common subsequences of 1 to `p` characters.
#[must_use]
pub fn subsequences_up_to(p: u32, lambda: f64) -> TextExpr {
    Expr::Leaf(TextLeaf::Subsequence { p, lambda, lengths: Lengths::All, unit: Unit::Char })
}

impl TextExpr {
    /// The same expression on texts as sequences of another unit.
    ///
    /// ```
    /// use mercer::kernel::{TextExpr, Unit, spectrum};
    ///
    /// let kernel: TextExpr = "normalized(spectrum(p=2, unit=word))".parse()?;
    /// assert_eq!(kernel, spectrum(2).normalized().unit(Unit::Word));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    #[must_use]
    pub fn unit(self, unit: Unit) -> Self {
        self.map_leaves(&mut |leaf| leaf.with_unit(unit))
    }
}
