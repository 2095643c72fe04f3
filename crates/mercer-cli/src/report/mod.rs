//! What is said of models, fits and predictions, as text and as objects: whatever the method, from what its model tells.

mod facts;
mod fit;
mod prediction;
mod probability;

pub(crate) use facts::{features, line, listed, numbers};
pub(crate) use fit::{Cost, Finished, ORIGIN_INSIDE, Shape, origin_inside, parameters, training_facts};
pub(crate) use prediction::{Errors, Judgement, Predicted, agreement_words, summary};
pub(crate) use probability::{object as probability_object, words as probability_words};
