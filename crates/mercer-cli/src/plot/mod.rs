//! Pictures as SVG: self-contained, readable without colour, drawn by hand so that nothing else is needed.

mod contour;
mod spectrum;
mod surface;
mod svg;

pub(crate) use spectrum::spectrum;
pub(crate) use surface::{Captions, surface};
