//! Kernels on texts.
//!
//! A text is a sequence of units: characters (Unicode scalar values), bytes or words ([`Unit`]), and `Vec<String>` is the space of
//! texts. There are two families.
//!
//! Kernels that count words (`spectrum`, `range`, `mismatch`) are inner products of explicit features: each word is one feature of
//! a sparse vector, rows of a Gram are sparse products, and values are whole numbers, exact below 2⁵³ in double and below 2²⁴ in
//! single precision. The p-spectrum kernel is
//!
//! $k(s, t) = Σ_u count_u(s) · count_u(t)$ over all words u of p units.
//!
//! Kernels that compare places (`degree`, `subsequence`) go through two texts place by place, several columns at once.
//!
//! All are positive semi-definite. A text without the words that a kernel looks for, such as one shorter than p, has k = 0 with
//! all texts, and a normalised kernel is 0 there too. The algebra is that of every space: what compares texts of different lengths
//! wants `normalized(spectrum(p=3))`.
//!
//! C. Leslie, E. Eskin, W. S. Noble (2002): The spectrum kernel, a string kernel for SVM protein classification. The other kernels
//! have their references in their own files.
//!
//! ```
//! use mercer::kernel::{Kernel, TextExpr, spectrum};
//!
//! let kernel: TextExpr = "spectrum(p=2) + 0.5*spectrum(p=1)".parse()?;
//! assert_eq!(kernel, spectrum(2) + 0.5 * spectrum(1));
//! // banana: ba, an, na, an, na; ananas: an, na, an, na, as.
//! let texts: Vec<String> = ["banana", "ananas"].map(String::from).into();
//! let mut row = [0.0; 2];
//! spectrum(2).bind(&texts)?.rows_f64(&texts, &[0], &mut [&mut row]);
//! assert_eq!(row, [9.0, 8.0]);
//! # Ok::<(), mercer::Error>(())
//! ```

mod construct;
#[cfg(test)]
mod definition;
mod degree;
mod leaf;
mod mismatch;
mod pairs;
mod subsequence;
#[cfg(test)]
mod tests;
mod unit;
mod words;

pub use construct::{degree, mismatch, range, spectrum, subsequence, subsequences_up_to};
pub use leaf::{MAX_WORD, TextExpr, TextLeaf};
pub use subsequence::Lengths;
pub use unit::Unit;
