//! The decision surface of a classifier of points in the plane.

use mercer::data::{Labels, Points, Vectors};
use mercer::kernel::VectorExpr;
use mercer::model::SvcModel;

use super::contour::{Grid, Point};
use super::svg::{Captions, Mark, Page};
use crate::output::range;

type Model = SvcModel<Vectors, VectorExpr>;

/// Nodes of the grid along the x axis: contours are smooth to the eye at 4 pixels a cell.
const NODES: usize = 160;
/// Pixels of the axes along x.
const WIDTH: f64 = 640.0;
/// The share of the data's extent that is left free around them.
const MARGIN: f64 = 0.06;

/// Blue and vermilion of Okabe and Ito (2008), which people with any colour vision tell apart.
const MARKS: [Mark; 2] = [Mark::Circle("#0072b2"), Mark::Square("#d55e00")];
/// Their tints, outside the margin and inside: first class, second class.
const TINTS: [[&str; 2]; 2] = [["#b3d4e8", "#dcebf5"], ["#f3c6a5", "#fae6d8"]];
const DASH: &str = "6 4";

/// The picture of a two-class model on the two features of its training points: regions, the decision boundary f = 0,
/// the margins f = ±1, points by class, support points ringed.
pub(crate) fn surface(model: &Model, x: &Vectors, y: &Labels, captions: &Captions) -> mercer::Result<String> {
    let (low, high) = extent(x);
    let grid = Grid::square(NODES, low, high);
    let grid = grid.with(model.decisions(&grid.points())?.values().to_vec());
    let mut page = Page::new(WIDTH, low, high, [74.0, 66.0, 170.0, 56.0]);
    // Painted over each other from the lowest region to the highest.
    page.background(TINTS[1][0]);
    for (level, tint) in [(-1.0, TINTS[1][1]), (0.0, TINTS[0][1]), (1.0, TINTS[0][0])] {
        page.fill(&grid.region(level), tint, None);
    }
    page.stroke(&grid.lines(-1.0), 1.2, DASH);
    page.stroke(&grid.lines(1.0), 1.2, DASH);
    page.stroke(&grid.lines(0.0), 2.2, "");
    for i in 0..x.len() {
        page.mark(point(x, i), MARKS[y.index()[i] as usize % 2]);
    }
    for &i in &model.support {
        page.mark(point(x, i), Mark::Ring);
    }
    page.axes(["x₁", "x₂"]);
    page.captions(captions);
    let mut legend = page.legend();
    for (class, mark) in model.classes.iter().zip(MARKS) {
        legend.entry(|page, place| page.mark_at(place, mark), &format!("class {class}"));
    }
    legend.entry(|page, place| page.mark_at(place, Mark::Ring), "support point");
    legend.entry(|page, place| page.sample(place, 2.2, ""), "decision, f = 0");
    legend.entry(|page, place| page.sample(place, 1.2, DASH), "margin, f = ±1");
    Ok(page.finish(&captions.title))
}

pub(super) fn point(x: &Vectors, i: usize) -> Point {
    let row = x.row(i);
    [row.get(0), row.get(1)]
}

/// The corners of the data and a margin.
pub(super) fn extent(x: &Vectors) -> (Point, Point) {
    let [across, along] = [0, 1].map(|k| range(&(0..x.len()).map(|i| x.row(i).get(k)).collect::<Vec<_>>()));
    let margin = MARGIN * (across[1] - across[0]).max(along[1] - along[0]).max(f64::MIN_POSITIVE);
    ([across[0] - margin, along[0] - margin], [across[1] + margin, along[1] + margin])
}
