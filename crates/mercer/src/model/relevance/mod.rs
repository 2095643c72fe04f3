//! Relevance vector machines: functions whose few kernels the evidence has chosen.

mod columns;
mod features;
mod machine;
mod model;
mod width;

pub use machine::{Likelihood, Rvc, Rvr};
pub use model::RelevanceModel;
pub use width::WidthChoice;

use super::method::Method;
use super::space::Space;

pub(super) fn methods<X: Space>() -> Vec<Method<X>> {
    let probabilities: &[&str] = &[];
    vec![
        Method::new(
            (
                "rvc",
                "relevance vector machine: tells classes apart, with probabilities",
                "rvc",
                probabilities,
            ),
            Rvc::new,
            Rvc::own_parameters,
            model::read::<X>,
        ),
        Method::new(
            (
                "rvr",
                "relevance vector machine: regression with a deviation for each prediction",
                "rvr",
                probabilities,
            ),
            Rvr::new,
            Rvr::own_parameters,
            model::read::<X>,
        ),
    ]
}
