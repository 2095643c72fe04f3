//! The components of a kernel PCA of points in the plane, one small picture each.

use mercer::data::Vectors;
use mercer::kernel::VectorExpr;
use mercer::model::PcaModel;

use super::contour::Grid;
use super::surface::{extent, points};
use super::svg::{Anchor, Captions, Page, sheet};
use crate::output::{count, short};

/// Components that are drawn at most, and how many stand in a row.
const MOST: usize = 16;
const COLUMNS: usize = 4;
/// Nodes of a grid along the x axis.
const NODES: usize = 64;
/// Pixels of a picture along x.
const WIDTH: f64 = 210.0;
/// Lines of constant value, evenly between the smallest and the largest.
const LEVELS: usize = 9;

/// Blue where a component is negative, orange where it is positive, white between: from low to high.
const TINTS: [&str; LEVELS + 1] = [
    "#7fb2d3", "#98c1dc", "#b1d0e5", "#cadfed", "#e6f0f7", "#fbeee4", "#f7dcc8", "#f3caac", "#efb890",
    "#eba674",
];

/// Lines along which each component is constant, over the points; its eigenvalue above.
pub(crate) fn contours(model: &PcaModel<Vectors, VectorExpr>, x: &Vectors) -> mercer::Result<String> {
    let places = points(x);
    let (low, high) = extent(&places);
    let nodes = Grid::square(NODES, low, high);
    let values = model.transform(&nodes.points())?;
    let shown = model.components().min(MOST);
    let mut pages = Vec::new();
    for c in 0..shown {
        let column: Vec<f64> = (0..values.len()).map(|i| values.row(i)[c]).collect();
        let size = column.iter().fold(0.0, |size: f64, value| size.max(value.abs()));
        let grid = nodes.with(column);
        // Even about 0, so that colours tell the sign.
        let level = |k: usize| size * (2.0 * (k as f64 + 1.0) / (LEVELS as f64 + 1.0) - 1.0);
        let mut page = Page::new(WIDTH, low, high, [0.0, 26.0, 16.0, 14.0]);
        page.background(TINTS[0]);
        for k in 0..LEVELS {
            let width = if 2 * k + 1 == LEVELS { 1.6 } else { 0.6 };
            page.fill(&grid.region(level(k)), TINTS[k + 1], Some(width));
        }
        places.iter().for_each(|&place| page.dot(place, "#111111"));
        page.frame();
        page.text(
            [0.0, 18.0],
            13.0,
            Anchor::Start,
            &format!("{}: eigenvalue {}", c + 1, short(model.eigenvalues[c])),
        );
        pages.push(page);
    }
    let captions = Captions {
        title: format!("{} of {}", count(shown, "component"), model.expansion.kernel()),
        subtitle:
            "Along each line a component is constant; the strong line is 0, blue below, orange above it"
                .into(),
    };
    Ok(sheet(pages, COLUMNS, &captions))
}
