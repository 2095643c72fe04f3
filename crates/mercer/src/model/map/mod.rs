//! Self-organising maps: prototypes on a grid, neighbours on which are alike.

mod model;
mod som;

pub use model::SomModel;
pub(super) use som::method;
pub use som::{MapStart, Som, Training};
