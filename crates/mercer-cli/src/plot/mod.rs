//! Pictures as SVG: self-contained, readable without colour, drawn by hand so that nothing else is needed.

mod contour;
mod surface;
mod svg;

pub(crate) use surface::{Captions, surface};
