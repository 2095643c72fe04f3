//! The decision surface of a classifier of points in the plane.

use mercer::data::{Labels, Points, Vectors};
use mercer::kernel::VectorExpr;
use mercer::model::SvcModel;

use super::contour::{Grid, Point};
use super::svg::{Anchor, Mark, Page};

/// Classifiers of vectors.
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
/// The dashes of the margins.
const DASH: &str = "6 4";

/// What is written around the picture.
#[derive(Debug, Clone)]
pub(crate) struct Captions {
    /// The first line.
    pub(crate) title: String,
    /// The second line.
    pub(crate) subtitle: String,
}

/// The picture of a two-class model on the two features of its training points: regions, the decision boundary f = 0,
/// the margins f = ±1, points by class, support points ringed.
///
/// # Errors
/// If the model cannot be evaluated in the plane.
pub(crate) fn surface(model: &Model, x: &Vectors, y: &Labels, captions: &Captions) -> mercer::Result<String> {
    let (low, high) = extent(x);
    let grid = sample(model, low, high)?;
    let mut page = Page::new(WIDTH, low, high, [74.0, 66.0, 170.0, 56.0]);
    // Painted over each other from the lowest region to the highest.
    page.background(TINTS[1][0]);
    for (level, tint) in [(-1.0, TINTS[1][1]), (0.0, TINTS[0][1]), (1.0, TINTS[0][0])] {
        page.fill(&grid.region(level), tint);
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
    page.text([74.0, 28.0], 18.0, Anchor::Start, &captions.title);
    page.text([74.0, 50.0], 13.0, Anchor::Start, &captions.subtitle);
    legend(&mut page, &model.classes);
    Ok(page.finish(&captions.title))
}

pub(super) fn point(x: &Vectors, i: usize) -> Point {
    let row = x.row(i);
    [row.get(0), row.get(1)]
}

/// The corners of the data and a margin.
pub(super) fn extent(x: &Vectors) -> (Point, Point) {
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for i in 0..x.len() {
        let point = point(x, i);
        for k in 0..2 {
            low[k] = low[k].min(point[k]);
            high[k] = high[k].max(point[k]);
        }
    }
    let margin = MARGIN * (high[0] - low[0]).max(high[1] - low[1]).max(f64::MIN_POSITIVE);
    ([low[0] - margin, low[1] - margin], [high[0] + margin, high[1] + margin])
}

/// The decision function on a grid with square cells.
fn sample(model: &Model, low: Point, high: Point) -> mercer::Result<Grid> {
    let cell = (high[0] - low[0]) / (NODES - 1) as f64;
    let rows = ((high[1] - low[1]) / cell).ceil() as usize + 1;
    let nodes = Grid::new(NODES, low, high, rows, Vec::new());
    let places = (0..rows).flat_map(|j| (0..NODES).flat_map(move |i| [i, j]).collect::<Vec<_>>());
    let places: Vec<usize> = places.collect();
    let points: Vec<f64> = places.chunks(2).flat_map(|place| nodes.node(place[0], place[1])).collect();
    let decisions = model.decisions(&Vectors::dense(2, points))?;
    Ok(Grid::new(NODES, low, high, rows, decisions.values().to_vec()))
}

fn legend(page: &mut Page, classes: &[String]) {
    let mut legend = page.legend();
    for (class, mark) in classes.iter().zip(MARKS) {
        legend.entry(|page, place| page.mark_at(place, mark), &format!("class {class}"));
    }
    legend.entry(|page, place| page.mark_at(place, Mark::Ring), "support point");
    legend.entry(|page, place| page.sample(place, 2.2, ""), "decision, f = 0");
    legend.entry(|page, place| page.sample(place, 1.2, DASH), "margin, f = ±1");
}
