//! Dense linear algebra in double precision, and the only place that knows `faer`.
//!
//! A symmetric matrix is one buffer ([`Square`]) or half of one ([`Lower`]). It has a factor ([`Cholesky`]) and eigenvectors
//! ([`Eigen`]); where it is not definite, it is solved by pivots ([`Saddle`]). Everything has the same bits on any number of threads: work is cut into
//! pieces of fixed size, each of which one thread does.

mod cholesky;
mod eigen;
mod lower;
mod saddle;
mod square;

pub(crate) use cholesky::{Broken, Cholesky};
pub(crate) use eigen::Eigen;
pub(crate) use lower::Lower;
pub(crate) use saddle::Saddle;
pub(crate) use square::Square;

use std::ops::ControlFlow;

/// Told the share of the work done, from 0 to 1; answers whether to go on.
pub(crate) type Tick<'a> = &'a mut dyn FnMut(f64) -> ControlFlow<()>;
