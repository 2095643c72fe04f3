//! Methods that learn from one point after the other.

mod perceptron;

pub(super) use perceptron::method;
pub use perceptron::{Perceptron, PerceptronModel};
