//! Structural risk minimisation over C: what the training error loses the capacity term gains, and their sum is the bound.

use mercer::bounds::{AtPrice, PairBounds};

use super::contour::Point;
use super::ink::{Mark, Pen};
use super::svg::{Captions, Page};

/// Pixels of the axes.
const SIZE: [f64; 2] = [640.0, 400.0];
const SPAN: Mark = Mark::Class(0);
const BOUND: f64 = 2.6;
const ERRORS: f64 = 1.6;
const CAPACITY: &str = "7 4";
const TRAINING: &str = "2 3";
/// Where everything above is vacuous.
const VACUOUS: &str = "1 5";

/// Rows inside the margin, the capacity term and the bound that is their sum, training error and the span's estimate of the error, at
/// the prices of errors in prices of the model.
pub(crate) fn structural_risk(prices: &[AtPrice], captions: &Captions) -> String {
    let curve = |of: &dyn Fn(&PairBounds) -> f64| -> Vec<Point> {
        prices.iter().map(|at| [at.factor.log2(), of(&at.pair)]).collect()
    };
    let share = |count: usize, pair: &PairBounds| count as f64 / pair.rows as f64;
    let value = |name: &'static str| {
        move |pair: &PairBounds| pair.get(name).and_then(|bound| bound.value).unwrap_or(f64::NAN)
    };
    let bound = curve(&value("SRM, uniform"));
    let inside = curve(&|pair| share(pair.margin_errors, pair));
    let training = curve(&|pair| share(pair.training_errors, pair));
    let span = curve(&value("span"));
    let capacity: Vec<Point> = bound.iter().zip(&inside).map(|(b, e)| [b[0], b[1] - e[1]]).collect();
    let low = prices.first().map_or(-1.0, |at| at.factor.log2());
    let high = prices.last().map_or(1.0, |at| at.factor.log2());
    let top = bound.iter().map(|point| point[1]).fold(1.0, f64::max) * 1.05;

    let mut page = Page::stretched(SIZE, [low, 0.0], [high, top], [84.0, 66.0, 250.0, 56.0]);
    page.curve(&[[low, 1.0], [high, 1.0]], Pen::ink(1.0, VACUOUS));
    page.curve(&training, Pen::ink(ERRORS, TRAINING));
    page.curve(&inside, Pen::ink(ERRORS, ""));
    page.curve(&capacity, Pen::ink(ERRORS, CAPACITY));
    page.curve(&bound, Pen::ink(BOUND, ""));
    span.into_iter().for_each(|point| page.mark(point, SPAN));
    page.axes(["C, in powers of 2 of that of the model", "share"]);
    page.captions(captions);
    let mut legend = page.legend();
    legend.line(Pen::ink(BOUND, ""), "bound: sum of the two below");
    legend.line(Pen::ink(ERRORS, CAPACITY), "capacity, by d of R²‖w‖²");
    legend.line(Pen::ink(ERRORS, ""), "rows inside the margin");
    legend.line(Pen::ink(ERRORS, TRAINING), "training errors");
    legend.mark(SPAN, "span, near the error");
    legend.line(Pen::ink(1.0, VACUOUS), "above this: vacuous");
    page.finish(&captions.title)
}
