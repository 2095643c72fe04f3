//! Matrices of numbers as colours: kernel values, and the units of a map.

use super::contour::Point;
use super::ink::{Mark, Pen, cividis, hex};
use super::svg::{Anchor, Captions, Page, sheet};
use crate::output::{range, short};

/// Pixels of the matrix.
const SIDE: f64 = 480.0;
/// Steps of the legend's colours.
const STEPS: usize = 6;
const EDGE: Pen = Pen { colour: "#ffffff", width: 1.4, dash: "" };

/// Kernel values of rows that are ordered by group.
pub(crate) struct Heat {
    /// Row after row.
    pub(crate) values: Vec<f64>,
    pub(crate) rows: usize,
    /// The name of each group and how many rows it has, in order.
    pub(crate) groups: Vec<(String, usize)>,
}

/// The values as colours, lines between groups.
pub(crate) fn heat(heat: &Heat, captions: &Captions) -> String {
    let [low, high] = range(&heat.values);
    let size = if high > low { high - low } else { 1.0 };
    let n = heat.rows as f64;
    // Rows from the top as in a matrix: y is measured from below.
    let mut page = Page::stretched([SIDE, SIDE], [0.0, 0.0], [n, n], [110.0, 66.0, 150.0, 40.0]);
    let shares: Vec<f64> = heat.values.iter().map(|value| (value - low) / size).collect();
    page.matrix(heat.rows, &shares);
    let mut begin = 0.0;
    for (k, (name, count)) in heat.groups.iter().enumerate() {
        let end = begin + *count as f64;
        if k > 0 {
            page.curve(&[[begin, 0.0], [begin, n]], EDGE);
            page.curve(&[[0.0, n - begin], [n, n - begin]], EDGE);
        }
        let [left, top, _, tall] = page.area();
        let middle = top + tall * (begin + end) / 2.0 / n;
        page.text([left - 10.0, middle + 4.0], 12.5, Anchor::End, name);
        begin = end;
    }
    page.frame();
    page.captions(captions);
    let mut legend = page.legend();
    for step in (0..=STEPS).rev() {
        let share = step as f64 / STEPS as f64;
        legend.area(&hex(cividis(share)), &short(low + share * size));
    }
    page.finish(&captions.title)
}

/// The units of a self-organising map.
pub(crate) struct Units<'a> {
    pub(crate) title: &'a str,
    /// The middle of each unit, x to the right and y down, in distances of neighbours.
    pub(crate) places: &'a [Point],
    pub(crate) hexagonal: bool,
    pub(crate) values: &'a [f64],
    /// What is written into each; empty for nothing.
    pub(crate) texts: &'a [String],
}

/// Maps beside each other: a cell for each unit, coloured by its value.
pub(crate) fn maps(maps: &[Units<'_>], captions: &Captions) -> String {
    let pages = maps.iter().map(|map| {
        let reach: f64 = if map.hexagonal { 1.0 / 3.0_f64.sqrt() } else { 0.5 };
        let [right, down] = [0, 1].map(|k| map.places.iter().map(|place| place[k]).fold(0.0, f64::max));
        // y points up on a page.
        let (low, high) = ([-0.6, -down - reach - 0.05], [right + 0.6, reach + 0.05]);
        let mut page = Page::new(360.0, low, high, [8.0, 30.0, 120.0, 12.0]);
        let [least, most] = range(map.values);
        let size = if most > least { most - least } else { 1.0 };
        for (unit, &[x, y]) in map.places.iter().enumerate() {
            let share = (map.values[unit] - least) / size;
            let corner = |k: usize, count: f64, turn: f64| {
                let angle = std::f64::consts::TAU * (k as f64 + turn) / count;
                let radius = if map.hexagonal { reach } else { 0.5_f64.hypot(0.5) };
                [x + radius * angle.sin(), -y + radius * angle.cos()]
            };
            let corners: Vec<Point> = match map.hexagonal {
                true => (0..6).map(|k| corner(k, 6.0, 0.0)).collect(),
                false => (0..4).map(|k| corner(k, 4.0, 0.5)).collect(),
            };
            page.polygon(&corners, &hex(cividis(share)));
            if let Some(text) = map.texts.get(unit) {
                page.text_at([x, -y], 11.0, text, share < 0.45);
            }
        }
        page.text([10.0, 20.0], 14.0, Anchor::Start, map.title);
        let mut legend = page.legend();
        for step in (0..=STEPS).rev() {
            let share = step as f64 / STEPS as f64;
            legend.area(&hex(cividis(share)), &short(least + share * size));
        }
        page
    });
    sheet(pages.collect(), maps.len(), captions)
}

/// Points on two axes, by class.
pub(crate) fn scatter(
    points: &[Point],
    class: &[usize],
    classes: &[String],
    names: [&str; 2],
    captions: &Captions,
) -> String {
    let (low, high) = super::surface::extent(points);
    let mut page = Page::stretched([560.0, 420.0], low, high, [84.0, 66.0, 170.0, 56.0]);
    for (i, &point) in points.iter().enumerate() {
        page.mark(point, Mark::Class(class.get(i).copied().unwrap_or(0)));
    }
    page.axes(names);
    page.captions(captions);
    let mut legend = page.legend();
    classes.iter().enumerate().for_each(|(k, name)| legend.mark(Mark::Class(k), &format!("class {name}")));
    page.finish(&captions.title)
}
