//! Pictures as SVG: self-contained, readable without colour, on their own white ground, drawn by hand so that nothing else is needed.

mod bars;
mod contour;
mod contours;
mod curves;
pub(crate) mod heat_map;
mod ink;
mod matrix;
mod panel;
mod raster;
mod spectrum;
mod structural_risk;
mod surface;
mod svg;
mod thin;

pub(crate) use bars::{Group, histogram};
pub(crate) use contours::contours;
pub(crate) use curves::{Profile, Regression, Series, Step, path, profiles, regression, unit_square};
pub(crate) use matrix::{Heat, Units, heat, maps, scatter};
pub(crate) use panel::{Images, panel};
pub(crate) use spectrum::spectrum;
pub(crate) use structural_risk::structural_risk;
pub(crate) use surface::{Field, Known, Surface, plane, points};
pub(crate) use svg::{Captions, sheet};
