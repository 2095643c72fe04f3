//! Histograms: margins of rows, and rows on one component.

use super::ink::{Pen, colour, tint};
use super::svg::{Captions, Page};
use crate::output::range;

/// Pixels of the axes.
const SIZE: [f64; 2] = [640.0, 360.0];
/// Bins of a histogram.
const BINS: usize = 40;

/// Numbers that are counted together, and their colour.
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) values: Vec<f64>,
}

/// A bar for each bin, the groups standing on each other; lines at the places given, with their names.
pub(crate) fn histogram(groups: &[Group], lines: &[(f64, &str)], below: &str, captions: &Captions) -> String {
    let all: Vec<f64> = groups.iter().flat_map(|group| group.values.iter().copied()).collect();
    let marks: Vec<f64> = lines.iter().map(|(at, _)| *at).chain(all).collect();
    let [low, high] = range(&marks);
    let (low, high) = if high > low { (low, high) } else { (low - 1.0, low + 1.0) };
    let wide = (high - low) / BINS as f64;
    let mut stacked = vec![vec![0.0_f64; BINS]; groups.len() + 1];
    for (k, group) in groups.iter().enumerate() {
        stacked[k + 1] = stacked[k].clone();
        for value in &group.values {
            stacked[k + 1][(((value - low) / wide) as usize).min(BINS - 1)] += 1.0;
        }
    }
    let top = stacked[groups.len()].iter().copied().fold(1.0, f64::max) * 1.08;
    let mut page = Page::stretched(SIZE, [low, 0.0], [high, top], [84.0, 66.0, 230.0, 56.0]);
    for k in 0..groups.len() {
        for bin in 0..BINS {
            let (from, to) = (stacked[k][bin], stacked[k + 1][bin]);
            if to > from {
                let left = low + wide * bin as f64;
                page.bar([left, from], [left + 0.92 * wide, to], &tint(colour(k), 0.85));
            }
        }
    }
    for (k, (at, _)) in lines.iter().enumerate() {
        page.curve(&[[*at, 0.0], [*at, top]], line(k));
    }
    page.axes([below, "rows"]);
    page.captions(captions);
    let mut legend = page.legend();
    for (k, group) in groups.iter().enumerate() {
        legend.area(&tint(colour(k), 0.85), &group.name);
    }
    lines.iter().enumerate().for_each(|(k, (_, name))| legend.line(line(k), name));
    page.finish(&captions.title)
}

fn line(number: usize) -> Pen {
    if number == 0 { Pen::ink(2.0, "") } else { Pen::ink(1.4, "6 4") }
}
