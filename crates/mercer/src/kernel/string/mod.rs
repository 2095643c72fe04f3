//! Kernels on texts.
//!
//! A text is a string of characters (Unicode scalar values, not bytes), and `Vec<String>` is the space of texts. The
//! p-spectrum kernel compares two texts by the words of p consecutive characters that occur in both,
//!
//! $k(s, t) = Σ_u count_u(s) · count_u(t)$ over all words u of p characters,
//!
//! an inner product of counts, and so positive semi-definite. A text shorter than p has no word, and k = 0 with all texts.
//! Each word is one feature of a sparse vector, so that rows of a Gram are sparse products. Values are whole
//! numbers, exact below 2⁵³ in double and below 2²⁴ in single precision. The algebra is that of every space: what compares
//! texts of different lengths wants `normalized(spectrum(p=3))`.
//!
//! C. Leslie, E. Eskin, W. S. Noble (2002): The spectrum kernel, a string kernel for SVM protein classification.
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

mod leaf;
#[cfg(test)]
mod tests;
mod words;

pub use leaf::{MAX_WORD, TextExpr, TextLeaf, spectrum};
