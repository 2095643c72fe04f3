//! Problems of linear algebra on a Gram matrix, in double precision: linear systems and eigenvectors.

pub(crate) mod cca;
pub(crate) mod conjugate;
pub(crate) mod fisher;
pub(crate) mod rde;
pub(crate) mod ridge;
