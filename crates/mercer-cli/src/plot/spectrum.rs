//! The spectrum of a kernel, what it holds of the labels, and the cut between the relevant part and noise.

use mercer::solve::{Relevance, Target};

use super::contour::{Line, Point};
use super::ink::{Mark, Pen};
use super::svg::{Captions, Page};

/// Pixels of the axes.
const SIZE: [f64; 2] = [640.0, 400.0];
const COEFFICIENT: Mark = Mark::Class(0);
/// The relevant part.
const TINT: &str = "#fae6d8";
const DASH: &str = "6 4";
/// The part of the spectrum shown is so many times the relevant one, and at least so many dimensions.
const BEYOND: usize = 6;
const LEAST: usize = 40;
/// Decades below the largest that can be shown.
const DECADES: f64 = 6.0;

/// Coefficients |sᵢ| and eigenvalues, each relative to the largest, on a log scale; the levels σ̂₁ and σ̂₂ before and after
/// the cut. Of several targets the root of the mean square is shown.
pub(crate) fn spectrum(relevance: &Relevance, captions: &Captions) -> String {
    let d = relevance.dimension();
    let shown = relevance.eigenvalues.len().min((BEYOND * d).max(LEAST));
    let size = |i: usize| root_mean(relevance, |target| target.coefficients[i].powi(2));
    let sizes: Vec<f64> = (0..relevance.eigenvalues.len()).map(size).collect();
    let largest = sizes.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let share = |size: f64| (size / largest).max(f64::MIN_POSITIVE).log10();
    let level = |of: fn(&Target) -> f64| share(root_mean(relevance, of));
    let levels = [level(|target| target.relevant), level(|target| target.noise)];
    // One coefficient in twenty may fall below the picture; it is drawn at its lower edge.
    let mut order: Vec<f64> = sizes[..shown].iter().map(|&size| share(size)).collect();
    order.sort_by(f64::total_cmp);
    let low = (order[shown / 20].min(levels[1]) - 0.3).clamp(-DECADES, -1.0);
    let high = 0.25;

    let right = shown as f64 + 0.5;
    let mut page = Page::stretched(SIZE, [0.5, low], [right, high], [84.0, 66.0, 190.0, 56.0]);
    let cut = d as f64 + 0.5;
    let part = vec![[0.5, low], [cut, low], [cut, high], [0.5, high]];
    page.fill(&[Line { points: part, closed: true }], TINT, None);
    let first = relevance.eigenvalues[0].max(f64::MIN_POSITIVE);
    let height = |i: usize| (relevance.eigenvalues[i] / first).max(f64::MIN_POSITIVE).log10();
    let curve = (0..shown).map(|i| [i as f64 + 1.0, height(i)]).collect();
    page.curve(&down_to(low, curve), Pen::ink(1.6, ""));
    for (ends, level) in [([0.5, cut], levels[0]), ([cut, right], levels[1])] {
        if level >= low {
            page.curve(&[[ends[0], level], [ends[1], level]], Pen::ink(1.4, DASH));
        }
    }
    for (i, &size) in sizes[..shown].iter().enumerate() {
        page.mark([i as f64 + 1.0, share(size).max(low)], COEFFICIENT);
    }
    page.curve(&[[cut, low], [cut, high]], Pen::ink(2.2, ""));
    page.decades("i, dimension", "relative to the largest");
    page.captions(captions);
    let mut legend = page.legend();
    legend.mark(COEFFICIENT, "labels, |sᵢ|");
    legend.line(Pen::ink(1.6, ""), "eigenvalues, λᵢ");
    legend.line(Pen::ink(1.4, DASH), "levels σ₁, σ₂");
    legend.line(Pen::ink(2.2, ""), &format!("cut, d = {d}"));
    page.finish(&captions.title)
}

/// The root of the mean of a square over the targets.
fn root_mean(relevance: &Relevance, square: impl Fn(&Target) -> f64) -> f64 {
    (relevance.targets.iter().map(square).sum::<f64>() / relevance.targets.len() as f64).sqrt()
}

/// The beginning of a falling curve, down to where it leaves the picture.
fn down_to(low: f64, mut curve: Vec<Point>) -> Vec<Point> {
    if let Some(at) = curve.iter().position(|point| point[1] < low) {
        curve.truncate(at + 1);
        if let [.., before, last] = &mut curve[..] {
            let share = (before[1] - low) / (before[1] - last[1]);
            *last = [before[0] + share * (last[0] - before[0]), low];
        }
    }
    curve
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_ends_where_it_leaves_the_picture() {
        let curve = vec![[1.0, 0.0], [2.0, -1.0], [3.0, -5.0], [4.0, -9.0]];
        assert_eq!(down_to(-3.0, curve.clone()), [[1.0, 0.0], [2.0, -1.0], [2.5, -3.0]]);
        assert_eq!(down_to(-10.0, curve.clone()), curve);
    }
}
