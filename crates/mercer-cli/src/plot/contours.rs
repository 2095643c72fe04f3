//! The components of a kernel PCA of points in the plane, one small picture each.

use mercer::data::{Points, Vectors};
use mercer::kernel::VectorExpr;
use mercer::model::PcaModel;

use super::contour::Grid;
use super::surface::{extent, point};
use super::svg::{Anchor, Page, document};
use crate::output::short;

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
pub(crate) fn components(model: &PcaModel<Vectors, VectorExpr>, x: &Vectors) -> mercer::Result<String> {
    let (low, high) = extent(x);
    let nodes = Grid::square(NODES, low, high);
    let values = model.transform(&nodes.points())?;
    let count = model.components().min(MOST);
    let mut body = String::new();
    let mut height = 0.0;
    for c in 0..count {
        let column: Vec<f64> = (0..values.len()).map(|i| values.row(i)[c]).collect();
        let size = column.iter().fold(0.0, |size: f64, value| size.max(value.abs()));
        let grid = nodes.with(column);
        // Even about 0, so that colours tell the sign.
        let level = |k: usize| size * (2.0 * (k as f64 + 1.0) / (LEVELS as f64 + 1.0) - 1.0);
        let mut page = Page::new(WIDTH, low, high, [0.0, 26.0, 0.0, 0.0]);
        page.background(TINTS[0]);
        for k in 0..LEVELS {
            let width = if 2 * k + 1 == LEVELS { 1.6 } else { 0.6 };
            page.fill(&grid.region(level(k)), TINTS[k + 1], Some(width));
        }
        (0..x.len()).for_each(|i| page.dot(point(x, i), "#111111"));
        page.frame();
        let title = format!("{}: eigenvalue {}", c + 1, short(model.eigenvalues[c]));
        page.text([0.0, 18.0], 13.0, Anchor::Start, &title);
        let [_, top, width, tall] = page.area();
        height = top + tall + 14.0;
        let place = [20.0 + (c % COLUMNS) as f64 * (width + 16.0), 14.0 + (c / COLUMNS) as f64 * height];
        body += &page.fragment(place);
    }
    let columns = count.min(COLUMNS) as f64;
    let size = [24.0 + columns * (WIDTH + 16.0), 20.0 + count.div_ceil(COLUMNS) as f64 * height];
    Ok(document(size, &format!("Components of {}", model.expansion.kernel()), &body))
}
