//! Dense linear algebra in double precision, and the only place that knows `faer`.
//!
//! A symmetric matrix is one buffer ([`Square`]); it is factorised in place ([`Cholesky`]), decomposed ([`Eigen`]), whole or in its
//! largest eigenvalues only ([`Largest`]), or, where it is not definite, solved by pivots ([`Saddle`]). Everything has the same bits on any number of threads: work is cut into
//! pieces of fixed size, each of which one thread does.

mod cholesky;
mod eigen;
mod krylov;
mod saddle;
mod square;
mod tall;

pub(crate) use cholesky::{Broken, Cholesky};
pub(crate) use eigen::Eigen;
pub(crate) use krylov::{Deflated, Largest};
pub(crate) use saddle::Saddle;
pub(crate) use square::Square;
pub(crate) use tall::{Tall, WIDTH};

use std::ops::ControlFlow;

/// Told the share of the work done, from 0 to 1; answers whether to go on.
pub(crate) type Tick<'a> = &'a mut dyn FnMut(f64) -> ControlFlow<()>;
