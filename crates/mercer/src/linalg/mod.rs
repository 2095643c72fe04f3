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
//! | all inner products of two lists of vectors | [`inner()`] |
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
pub(crate) use inner::{add_inner, inner};
pub(crate) use krylov::{Deflated, Largest};
pub(crate) use lower::{Entry, Lower};
pub(crate) use reflections::Reflections;
pub(crate) use saddle::Saddle;
pub(crate) use sparse::Sparse;
pub(crate) use square::{Square, dot, mirror};
pub(crate) use svd::Svd;
pub(crate) use tall::{Tall, WIDTH};

use std::ops::ControlFlow;

use crate::memory::ask_for;

/// A callback that is told the share of the work done, from 0 to 1, and answers whether to go on.
pub(crate) type Tick<'a> = &'a mut dyn FnMut(f64) -> ControlFlow<()>;

/// Bytes that products of `faer`'s matrices pack their blocks in, once for each thread.
const PACKED: usize = 64 << 20;

/// Bytes of matrices below which the system is not asked: it takes longer than their products, which need no more room than they.
const SMALL: usize = 1 << 20;

/// Asks for the memory of some matrices of `faer`, whose allocations cannot fail, and of what products of them need.
fn ask_for_matrices(count: usize, rows: usize, columns: usize) {
    let matrices = count.saturating_mul(rows).saturating_mul(columns).saturating_mul(size_of::<f64>());
    if matrices >= SMALL {
        ask_for(matrices.saturating_add(PACKED));
    }
}
