//! Pictures as SVG: self-contained, readable without colour, drawn by hand so that nothing else is needed.

mod components;
mod contour;
pub(crate) mod heat_map;
mod panel;
mod spectrum;
mod structural_risk;
mod surface;
mod svg;

pub(crate) use components::components;
pub(crate) use panel::{Images, panel};
pub(crate) use spectrum::spectrum;
pub(crate) use structural_risk::structural_risk;
pub(crate) use surface::surface;
pub(crate) use svg::Captions;
