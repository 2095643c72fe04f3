//! Curves and points on axes: a regression of one feature, receiver operating characteristics, calibration, the steps of a solver, and
//! the profiles of kernels.

use super::contour::{Line, Point};
use super::ink::{DASHES, GREY, Mark, Pen, colour, tint};
use super::svg::{Anchor, Captions, Page, sheet};
use crate::output::{range, short};

/// Pixels of the axes.
const SIZE: [f64; 2] = [640.0, 400.0];
const SQUARE: [f64; 2] = [440.0, 440.0];
const MARGINS: [f64; 4] = [84.0, 66.0, 250.0, 56.0];
/// What chance would do.
const CHANCE: Pen = Pen { colour: GREY, width: 1.2, dash: "2 4" };
/// Decades of the smallest figures of a solver that are shown.
const DECADES: f64 = 12.0;

/// A regression of one feature.
pub(crate) struct Regression {
    /// The function, and what lies about it: half the width of the zone without cost, or of the band of two deviations.
    pub(crate) curve: Vec<Point>,
    pub(crate) about: Option<(String, Vec<f64>)>,
    pub(crate) points: Vec<Point>,
    /// Points of the model, ringed, and what one is called.
    pub(crate) rings: Vec<Point>,
    pub(crate) ring: &'static str,
    pub(crate) axes: [String; 2],
}

pub(crate) fn regression(shown: &Regression, captions: &Captions) -> String {
    let widths = shown.about.as_ref().map_or(&[][..], |(_, widths)| widths);
    let width = |i: usize| widths.get(i).copied().unwrap_or(0.0);
    let heights = shown.curve.iter().enumerate().flat_map(|(i, [_, y])| [y - width(i), y + width(i)]);
    let heights: Vec<f64> = heights.chain(shown.points.iter().map(|point| point[1])).collect();
    let across = range(&shown.curve.iter().map(|point| point[0]).collect::<Vec<_>>());
    let [low, high] = padded(range(&heights));
    let mut page = Page::stretched(SIZE, [across[0], low], [across[1], high], MARGINS);
    if shown.about.is_some() {
        let edge = |side: f64| {
            let at = move |(i, [x, y]): (usize, &Point)| [*x, y + side * width(i)];
            shown.curve.iter().enumerate().map(at).collect::<Vec<Point>>()
        };
        let ring = edge(1.0).into_iter().chain(edge(-1.0).into_iter().rev()).collect();
        page.fill(&[Line { points: ring, closed: true }], &tint(colour(0), 0.18), None);
    }
    shown.points.iter().for_each(|&point| page.mark(point, Mark::Class(1)));
    page.curve(&shown.curve, Pen { width: 2.4, ..Pen::of(0) });
    shown.rings.iter().for_each(|&ring| page.mark(ring, Mark::Ring));
    page.axes([&shown.axes[0], &shown.axes[1]]);
    page.captions(captions);
    let mut legend = page.legend();
    legend.line(Pen { width: 2.4, ..Pen::of(0) }, "the model");
    if let Some((name, _)) = &shown.about {
        legend.area(&tint(colour(0), 0.18), name);
    }
    legend.mark(Mark::Class(1), "rows");
    if !shown.rings.is_empty() {
        legend.mark(Mark::Ring, shown.ring);
    }
    page.finish(&captions.title)
}

/// A few hundredths more on both sides.
fn padded([low, high]: [f64; 2]) -> [f64; 2] {
    let pad = if high > low { 0.05 * (high - low) } else { 1.0 };
    [low - pad, high + pad]
}

/// A curve in the unit square, and what it is called.
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) points: Vec<Point>,
    /// Upper and lower ends of an interval about each point; empty where there are none.
    pub(crate) intervals: Vec<[f64; 2]>,
}

/// Curves in the unit square, with its diagonal; `diagonal` says what that is.
pub(crate) fn unit_square(
    series: &[Series],
    names: [&str; 2],
    diagonal: &str,
    captions: &Captions,
) -> String {
    let mut page = Page::stretched(SQUARE, [0.0, 0.0], [1.0, 1.0], MARGINS);
    page.curve(&[[0.0, 0.0], [1.0, 1.0]], CHANCE);
    for (k, one) in series.iter().enumerate() {
        for (&[x, _], &[low, high]) in one.points.iter().zip(&one.intervals) {
            page.curve(&[[x, low], [x, high]], Pen { width: 1.2, dash: "", ..Pen::of(k) });
        }
        page.curve(&one.points, Pen::of(k));
        if !one.intervals.is_empty() {
            one.points.iter().for_each(|&point| page.mark(point, Mark::Class(k)));
        }
    }
    page.axes(names);
    page.captions(captions);
    let mut legend = page.legend();
    for (k, one) in series.iter().enumerate() {
        legend.line(Pen::of(k), &one.name);
    }
    legend.line(CHANCE, diagonal);
    page.finish(&captions.title)
}

/// A step of a solver.
pub(crate) struct Step {
    pub(crate) steps: f64,
    pub(crate) objective: f64,
    pub(crate) gap: f64,
    pub(crate) violation: f64,
}

/// How far the objective is from its last value, the duality gap and the largest violation over the steps of a solver.
pub(crate) fn path(steps: &[Step], tolerance: f64, captions: &Captions) -> String {
    let last = steps.last().map_or(0.0, |step| step.objective);
    let curve = |of: &dyn Fn(&Step) -> f64| -> Vec<Point> {
        let points = steps.iter().map(|step| [step.steps, of(step)]);
        points.filter(|point| point[1] > 0.0 && point[1].is_finite()).map(|[x, y]| [x, y.log10()]).collect()
    };
    let curves = [
        ("gap: what is proved", curve(&|step| step.gap)),
        ("objective − its last value", curve(&|step| step.objective - last)),
        ("largest violation", curve(&|step| step.violation)),
    ];
    let heights: Vec<f64> = curves.iter().flat_map(|(_, curve)| curve.iter().map(|point| point[1])).collect();
    let [mut low, mut high] = range(&heights);
    if heights.is_empty() {
        (low, high) = (-1.0, 1.0);
    }
    (low, high) = ((low - 0.2).max(high - DECADES).floor(), (high + 0.2).ceil());
    let right = steps.last().map_or(1.0, |step| step.steps).max(1.0);
    let mut page = Page::stretched(SIZE, [0.0, low], [right, high], MARGINS);
    let asked = tolerance.log10();
    if asked > low && asked < high {
        page.curve(&[[0.0, asked], [right, asked]], CHANCE);
    }
    for (k, (_, curve)) in curves.iter().enumerate() {
        let inside: Vec<Point> = curve.iter().filter(|point| point[1] >= low).copied().collect();
        page.curve(&inside, Pen::of(k));
    }
    page.decades("steps", "size");
    page.captions(captions);
    let mut legend = page.legend();
    curves.iter().enumerate().for_each(|(k, (name, _))| legend.line(Pen::of(k), name));
    legend.line(CHANCE, &format!("violation asked for, {}", short(tolerance)));
    page.finish(&captions.title)
}

/// A kernel of numbers: its basis functions where it has some, and k(x, 0).
pub(crate) struct Profile {
    pub(crate) name: String,
    pub(crate) basis: Vec<Vec<Point>>,
    pub(crate) values: Vec<Point>,
}

/// Basis functions above, k(x, 0) below them, a column for each kernel.
pub(crate) fn profiles(kernels: &[Profile], captions: &Captions) -> String {
    const PANEL: [f64; 2] = [250.0, 190.0];
    let with_basis = kernels.iter().any(|kernel| !kernel.basis.is_empty());
    let mut pages = Vec::new();
    for upper in [true, false] {
        for kernel in kernels.iter().filter(|_| !upper || with_basis) {
            let curves = if upper { kernel.basis.clone() } else { vec![kernel.values.clone()] };
            let heights: Vec<f64> = curves.iter().flatten().map(|point| point[1]).collect();
            let across = range(&kernel.values.iter().map(|point| point[0]).collect::<Vec<_>>());
            let [low, high] = if heights.is_empty() { [0.0, 1.0] } else { padded(range(&heights)) };
            let mut page =
                Page::stretched(PANEL, [across[0], low], [across[1], high], [56.0, 26.0, 24.0, 56.0]);
            for (k, curve) in curves.iter().enumerate() {
                page.curve(curve, Pen { width: 1.8, dash: DASHES[k / 8 % 4], ..Pen::of(k) });
            }
            if curves.is_empty() {
                page.text(
                    [56.0 + PANEL[0] / 2.0, 26.0 + PANEL[1] / 2.0],
                    13.0,
                    Anchor::Middle,
                    "no finite basis given",
                );
            }
            page.axes(["x", ""]);
            let title = if upper { "basis functions φⱼ(x)" } else { "k(x, 0)" };
            page.text([56.0, 18.0], 13.0, Anchor::Start, title);
            if !upper || !with_basis {
                page.text([56.0, 26.0 + PANEL[1] + 52.0], 11.5, Anchor::Start, &kernel.name);
            }
            pages.push(page);
        }
    }
    sheet(pages, kernels.len(), captions)
}
