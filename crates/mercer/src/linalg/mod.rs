//! Dense linear algebra in double precision, and the only place that knows `faer`.
//!
//! | what | type |
//! |---|---|
//! | a symmetric matrix, whole or its lower half | [`Square`], [`Lower`] |
//! | its factor, if it is positive definite | [`Cholesky`] |
//! | its factor with pivots, if it need not be | [`Saddle`] |
//! | all its eigenvectors, or those of the largest eigenvalues | [`Eigen`], [`Largest`] |
//! | a symmetric matrix of few entries, and its largest eigenvalues | [`Sparse`] |
//! | its approximation of low rank | [`Features`] |
//! | singular vectors of a matrix that is not symmetric | [`Svd`] |
//! | a matrix of few columns | [`Tall`] |
//! | all inner products of two lists of vectors, and combinations of one | [`inner()`], [`combined()`] |
//!
//! The bits of all results are the same on any number of threads: work is cut into pieces of fixed size, each done by one
//! thread.

mod cholesky;
mod eigen;
mod features;
mod inner;
mod krylov;
mod lower;
mod reflections;
mod saddle;
mod sparse;
mod square;
mod svd;
mod tall;

pub(crate) use cholesky::{Broken, Cholesky};
pub(crate) use eigen::Eigen;
pub(crate) use features::{Features, centered};
pub(crate) use inner::{add_inner, combined, inner};
pub(crate) use krylov::{Deflated, Largest};
pub(crate) use lower::{Entry, Lower};
pub(crate) use reflections::Reflections;
pub(crate) use saddle::Saddle;
pub(crate) use sparse::Sparse;
pub(crate) use square::{Square, dot, mirror};
pub(crate) use svd::Svd;
pub(crate) use tall::{Tall, WIDTH};

use std::ops::ControlFlow;

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};

use crate::memory::ask_for;

/// A callback that is told the share of the work done, from 0 to 1, and answers whether to go on.
pub(crate) type Tick<'a> = &'a mut dyn FnMut(f64) -> ControlFlow<()>;

/// Bytes at most that the first product of `faer`'s matrices on a thread takes for packed blocks, and later ones use again.
const PACKED: usize = 64 << 20;

/// Asks for the memory of some matrices of `faer`, whose allocations cannot fail, and of what products of them need.
fn ask_for_matrices(count: usize, rows: usize, columns: usize) {
    thread_local! {
        static PACKING: () = take_packing_memory();
    }
    ask_for(count.saturating_mul(rows).saturating_mul(columns).saturating_mul(size_of::<f64>()));
    PACKING.with(|()| ());
}

/// Makes `faer` take the memory in which this thread packs blocks, by a product that needs it. Asking for it before every factorisation
/// would take longer than small ones do.
fn take_packing_memory() {
    ask_for(PACKED);
    let factor = Mat::<f64>::zeros(PACKING_PRODUCT, PACKING_PRODUCT);
    let mut product = factor.clone();
    matmul(product.as_mut(), Accum::Replace, factor.as_ref(), factor.as_ref(), 1.0, Par::Seq);
    std::hint::black_box(&product);
}

/// Rows of a product that `faer` computes from packed blocks; it has other ways for a few rows.
const PACKING_PRODUCT: usize = 64;
