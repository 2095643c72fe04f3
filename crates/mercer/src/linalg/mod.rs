//! Dense linear algebra in double precision, and the only place that knows `faer`.
//!
//! A symmetric matrix is one buffer ([`Square`]) or half of one ([`Lower`]). It has a factor ([`Cholesky`]) and eigenvectors
//! ([`Eigen`]), of which the largest are found faster ([`Largest`]); where it is not definite, it is solved by pivots ([`Saddle`]).
//! [`Features`] are a matrix of low rank, [`Svd`] is for what is not symmetric, [`Tall`] matrices have few columns, [`inner`]
//! multiplies lists of vectors. Everything has the same bits on any number of threads: work is cut into
//! pieces of fixed size, each of which one thread does.

mod cholesky;
mod eigen;
mod features;
mod inner;
mod krylov;
mod lower;
mod saddle;
mod square;
mod svd;
mod tall;

pub(crate) use cholesky::{Broken, Cholesky};
pub(crate) use eigen::Eigen;
pub(crate) use features::{Features, centered};
pub(crate) use inner::inner;
pub(crate) use krylov::{Deflated, Largest};
pub(crate) use lower::Lower;
pub(crate) use saddle::Saddle;
pub(crate) use square::{Square, dot, mirror};
pub(crate) use svd::Svd;
pub(crate) use tall::{Tall, WIDTH};

use std::ops::ControlFlow;

/// Told the share of the work done, from 0 to 1; answers whether to go on.
pub(crate) type Tick<'a> = &'a mut dyn FnMut(f64) -> ControlFlow<()>;
