//! What a model says over the plane, with the points on it.

use std::ops::RangeInclusive;

use mercer::data::{Points, Vectors};

use super::contour::{Grid, Point};
use super::ink::{INK, Mark, Pen, cividis, colour, hex, tint};
use super::svg::{Anchor, Captions, Page};
use crate::output::{range, short};

/// Nodes of the grid along the x axis: contours are smooth to the eye at 4 pixels a cell.
const NODES: usize = 160;
/// Pixels of the axes along x, and their height where each axis has its own scale.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 480.0;
/// The share of the data's extent that is left free around them.
const MARGIN: f64 = 0.06;
/// How much of a class's colour is in its region, outside the margin and inside.
const OUTSIDE: f64 = 0.30;
const INSIDE: f64 = 0.14;
/// And in that of a class without a margin.
const WHOLE: f64 = 0.22;
/// Widths over heights of the data between which both axes have one scale.
const ALIKE: RangeInclusive<f64> = 0.5..=2.0;
/// Steps of the colours of a function of values.
const STEPS: usize = 9;

const MARGINS: Pen = Pen::ink(1.2, "6 4");
const BORDER: Pen = Pen::ink(2.2, "");

/// What a model says at each node of a grid.
pub(crate) enum Field {
    /// f of two classes, and whether its lines f = ±1 are the margins of a support vector machine.
    Decision(Vec<f64>, bool),
    /// For each class how far its score lies above the best of the others: its region is where that is positive.
    Regions(Vec<Vec<f64>>),
    /// Positive inside, negative outside.
    Inside(Vec<f64>),
    /// The value of a regression.
    Values(Vec<f64>),
}

/// What the points on the plane are.
pub(crate) enum Known {
    Nothing,
    /// The number of the class of each.
    Classes(Vec<usize>),
    Values(Vec<f64>),
}

/// The plane, what a model says over it, and points.
pub(crate) struct Surface {
    pub(crate) grid: Grid,
    pub(crate) low: Point,
    pub(crate) high: Point,
    pub(crate) field: Field,
    pub(crate) points: Vec<Point>,
    pub(crate) known: Known,
    pub(crate) classes: Vec<String>,
    /// Points of the model, ringed, and what one is called.
    pub(crate) rings: Vec<Point>,
    pub(crate) ring: &'static str,
    pub(crate) axes: [String; 2],
}

/// The grid at whose nodes a model is asked, and its corners, for these points; no more than `most` nodes.
pub(crate) fn plane(points: &[Point], most: usize) -> (Grid, Point, Point) {
    let (low, high) = extent(points);
    let side = NODES.min((most as f64).sqrt() as usize).max(2);
    let grid =
        if is_alike(low, high) { Grid::square(side, low, high) } else { Grid::stretched(side, low, high) };
    (grid, low, high)
}

fn is_alike(low: Point, high: Point) -> bool {
    let shape = (high[0] - low[0]) / (high[1] - low[1]);
    ALIKE.contains(&shape)
}

impl Surface {
    /// The picture with a legend.
    pub(crate) fn draw(&self, captions: &Captions) -> String {
        let mut page = self.page(WIDTH, [74.0, 66.0, 190.0, 56.0]);
        page.axes([&self.axes[0], &self.axes[1]]);
        page.captions(captions);
        let mut legend = page.legend();
        if let Known::Classes(_) = self.known {
            for (class, name) in self.classes.iter().enumerate() {
                legend.mark(Mark::Class(class), &format!("class {name}"));
            }
        }
        if !self.rings.is_empty() {
            legend.mark(Mark::Ring, self.ring);
        }
        match &self.field {
            Field::Decision(_, margins) => {
                legend.line(BORDER, "decision, f = 0");
                if *margins {
                    legend.line(MARGINS, "margin, f = ±1");
                }
            }
            Field::Inside(_) => legend.line(BORDER, "border, f = 0"),
            Field::Values(values) => {
                let [low, high] = self.scale(values);
                for step in (0..STEPS).rev() {
                    let from = low + (high - low) * step as f64 / STEPS as f64;
                    let fill = hex(cividis(step as f64 / (STEPS - 1) as f64));
                    legend.area(&fill, &format!("from {}", short(from)));
                }
            }
            Field::Regions(_) => {}
        }
        page.finish(&captions.title)
    }

    /// A small picture without axes, a text over it, for a sheet of many: support points are dark below their marks.
    pub(crate) fn panel(&self, width: f64, title: &str) -> Page {
        let mut page = self.bare(width, [0.0, 24.0, 16.0, 12.0]);
        self.ground(&mut page);
        page.dots(self.rings.iter().copied(), 0, 6.4, INK);
        if let Known::Classes(class) = &self.known {
            for k in 0..self.classes.len() {
                let own =
                    self.points.iter().zip(class).filter(|(_, class)| **class == k).map(|(point, _)| *point);
                page.dots(own, k, 3.6, colour(k));
            }
        }
        page.frame();
        page.text([0.0, 17.0], 13.0, Anchor::Start, title);
        page
    }

    /// The axes, nothing drawn on them.
    fn bare(&self, width: f64, margins: [f64; 4]) -> Page {
        let (low, high) = (self.low, self.high);
        if is_alike(low, high) {
            Page::new(width, low, high, margins)
        } else {
            Page::stretched([width, width * HEIGHT / WIDTH], low, high, margins)
        }
    }

    fn page(&self, width: f64, margins: [f64; 4]) -> Page {
        let mut page = self.bare(width, margins);
        self.ground(&mut page);
        for (i, &point) in self.points.iter().enumerate() {
            match &self.known {
                Known::Nothing => page.mark(point, Mark::Dot(colour(0))),
                Known::Classes(class) => page.mark(point, Mark::Class(class[i])),
                Known::Values(values) => self.valued(&mut page, point, values[i]),
            }
        }
        self.rings.iter().for_each(|&ring| page.mark(ring, Mark::Ring));
        page
    }

    /// The regions, painted over each other from the lowest to the highest, and their borders.
    fn ground(&self, page: &mut Page) {
        match &self.field {
            Field::Decision(values, margins) => {
                let grid = self.grid.with(values.clone());
                if *margins {
                    page.background(&tint(colour(1), OUTSIDE));
                    let inside = [(-1.0, tint(colour(1), INSIDE)), (0.0, tint(colour(0), INSIDE))];
                    inside.iter().for_each(|(level, fill)| page.fill(&grid.region(*level), fill, None));
                    page.fill(&grid.region(1.0), &tint(colour(0), OUTSIDE), None);
                    page.level(&grid.lines(-1.0), MARGINS);
                    page.level(&grid.lines(1.0), MARGINS);
                } else {
                    page.background(&tint(colour(1), WHOLE));
                    page.fill(&grid.region(0.0), &tint(colour(0), WHOLE), None);
                }
                page.level(&grid.lines(0.0), BORDER);
            }
            Field::Regions(leads) => {
                page.background("#ffffff");
                for (class, lead) in leads.iter().enumerate() {
                    let region = self.grid.with(lead.clone()).region(0.0);
                    page.fill(&region, &tint(colour(class), WHOLE), Some(0.8));
                }
            }
            Field::Inside(values) => {
                let grid = self.grid.with(values.clone());
                page.background("#eeeeee");
                page.fill(&grid.region(0.0), &tint(colour(0), OUTSIDE), None);
                page.level(&grid.lines(0.0), BORDER);
            }
            Field::Values(values) => {
                let [low, high] = self.scale(values);
                let grid = self.grid.with(values.clone());
                page.background(&hex(cividis(0.0)));
                for step in 1..STEPS {
                    let level = low + (high - low) * step as f64 / STEPS as f64;
                    page.fill(&grid.region(level), &hex(cividis(step as f64 / (STEPS - 1) as f64)), None);
                }
            }
        }
    }

    /// The smallest and the largest of the values of nodes and points.
    fn scale(&self, values: &[f64]) -> [f64; 2] {
        let [mut low, mut high] = range(values);
        if let Known::Values(own) = &self.known {
            let [least, most] = range(own);
            (low, high) = (low.min(least), high.max(most));
        }
        [low, if high > low { high } else { low + 1.0 }]
    }

    /// A point with the colour of its own value.
    fn valued(&self, page: &mut Page, point: Point, value: f64) {
        let Field::Values(values) = &self.field else { return };
        let [low, high] = self.scale(values);
        page.disc(point, &hex(cividis((value - low) / (high - low))));
    }
}

/// The first two features of a point.
pub(super) fn point(x: &Vectors, i: usize) -> Point {
    let row = x.row(i);
    [row.get(0), row.get(1)]
}

/// The first two features of all points.
pub(crate) fn points(x: &Vectors) -> Vec<Point> {
    (0..x.len()).map(|i| point(x, i)).collect()
}

/// The corners of points and a margin.
pub(super) fn extent(points: &[Point]) -> (Point, Point) {
    let ends = [0, 1].map(|k| range(&points.iter().map(|point| point[k]).collect::<Vec<_>>()));
    let size = ends.map(|[low, high]| high - low);
    let margin = if is_alike([0.0, 0.0], size) {
        [MARGIN * size[0].max(size[1]); 2]
    } else {
        size.map(|size| MARGIN * size)
    };
    let corner = |k: usize| {
        let [low, high] = ends[k];
        let margin = if high > low { margin[k] } else { 1.0 };
        [low - margin, high + margin]
    };
    let [across, along] = [corner(0), corner(1)];
    ([across[0], along[0]], [across[1], along[1]])
}
