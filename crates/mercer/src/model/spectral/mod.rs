//! Methods that are linear algebra on a Gram matrix: ridge regression, the Fisher discriminant, canonical correlations,
//! principal components and their pre-images, relevant dimensions.

mod cca;
mod fisher;
mod pca;
#[cfg(test)]
mod pca_tests;
mod preimage;
mod rde;
mod ridge;
mod values;

pub use cca::{Cca, CcaModel, Choose};
pub use fisher::{Fisher, FisherModel, Threshold};
pub use pca::{Pca, PcaModel};
pub use preimage::{Convergence, PreImages, Start, Way};
pub use rde::{Denoised, Noise, Rde, RdeFit, Trial};
pub use ridge::{Lambda, Ridge, RidgeModel, RidgePath, RidgePoint, RidgeSolver};

use super::method::Method;
use super::space::Space;

pub(super) fn methods<X: Space>() -> Vec<Method<X>> {
    vec![ridge::method(), fisher::method(), cca::method(), pca::method()]
}
