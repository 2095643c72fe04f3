//! A coordinate system on a page, and what is drawn on it.

use std::fmt::Write;

use super::contour::{Line, Point};
use super::ink::{GREY, INK, Mark, Pen, colour};
use super::raster;
use super::thin::thinned;

const FONT: &str = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif";

/// What is written over a picture.
pub(crate) struct Captions {
    pub(crate) title: String,
    pub(crate) subtitle: String,
}

/// The end of a text that hangs on its point.
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// A page with one pair of axes.
pub(crate) struct Page {
    body: String,
    size: [f64; 2],
    /// Left, top, width, height of the axes on the page.
    area: [f64; 4],
    low: Point,
    high: Point,
}

/// Entries one below the other, each with what is drawn before its text.
pub(crate) struct Legend<'a> {
    page: &'a mut Page,
    place: Point,
}

impl Legend<'_> {
    pub(crate) fn entry(&mut self, draw: impl FnOnce(&mut Page, Point), text: &str) {
        let [x, y] = self.place;
        draw(self.page, [x, y]);
        self.page.text([x + 20.0, y + 4.5], 13.0, Anchor::Start, text);
        self.place = [x, y + 24.0];
    }

    /// An entry for a line.
    pub(crate) fn line(&mut self, pen: Pen, text: &str) {
        self.entry(|page, [x, y]| page.drawn(&[[x - 11.0, y], [x + 11.0, y]], pen), text);
    }

    /// An entry for a mark.
    pub(crate) fn mark(&mut self, mark: Mark, text: &str) {
        self.entry(|page, place| page.mark_at(place, mark), text);
    }

    /// An entry for an area of this colour.
    pub(crate) fn area(&mut self, colour: &str, text: &str) {
        self.entry(|page, [x, y]| page.block([x - 9.0, y - 7.0, 18.0, 14.0], colour), text);
    }
}

impl Page {
    /// A page around axes of `width`, as high as the same scale both ways makes them; `margins` are left, top, right,
    /// bottom.
    pub(crate) fn new(width: f64, low: Point, high: Point, margins: [f64; 4]) -> Self {
        let height = width * (high[1] - low[1]) / (high[0] - low[0]);
        Self::stretched([width, height], low, high, margins)
    }

    /// A page around axes of this width and height, each with its own scale.
    pub(crate) fn stretched([width, height]: [f64; 2], low: Point, high: Point, margins: [f64; 4]) -> Self {
        let [left, top, right, bottom] = margins;
        let size = [left + width + right, top + height + bottom];
        Self { body: String::new(), size, area: [left, top, width, height], low, high }
    }

    /// Left, top, width, height of the axes.
    pub(crate) fn area(&self) -> [f64; 4] {
        self.area
    }

    /// A legend to the right of the axes.
    pub(crate) fn legend(&mut self) -> Legend<'_> {
        let [left, top, width, _] = self.area;
        Legend { page: self, place: [left + width + 30.0, top + 12.0] }
    }

    /// Where a point of the data lies on the page.
    fn place(&self, [x, y]: Point) -> Point {
        let [left, top, width, height] = self.area;
        let share = [
            (x - self.low[0]) / (self.high[0] - self.low[0]),
            (y - self.low[1]) / (self.high[1] - self.low[1]),
        ];
        [left + width * share[0], top + height * (1.0 - share[1])]
    }

    fn path(&self, lines: &[Line]) -> String {
        let mut path = String::new();
        for line in lines {
            let points: Vec<Point> = line.points.iter().map(|&point| self.place(point)).collect();
            for (k, [x, y]) in thinned(&points).into_iter().enumerate() {
                let _ = write!(path, "{}{x:.1} {y:.1}", if k == 0 { 'M' } else { 'L' });
            }
            if line.closed {
                path.push('Z');
            }
        }
        path
    }

    /// Fills the inside of rings, and draws the rings where a width is given.
    pub(crate) fn fill(&mut self, rings: &[Line], colour: &str, width: Option<f64>) {
        let (path, line) = (self.path(rings), width.map_or(String::new(), pen));
        let _ = writeln!(self.body, r#"<path d="{path}" fill="{colour}" fill-rule="evenodd"{line}/>"#);
    }

    /// Draws level lines.
    pub(crate) fn level(&mut self, lines: &[Line], Pen { colour, width, dash }: Pen) {
        let path = self.path(lines);
        let line = format!(r#"stroke="{colour}" stroke-width="{width}" stroke-linejoin="round""#);
        let _ = writeln!(self.body, r#"<path d="{path}" fill="none" {line}{}/>"#, dashes(dash));
    }

    /// Small marks at points of the data, all of one look: discs, or squares for every other class.
    pub(crate) fn dots(
        &mut self,
        points: impl Iterator<Item = Point>,
        class: usize,
        size: f64,
        colour: &str,
    ) {
        let mut path = String::new();
        for [x, y] in points.map(|point| self.place(point)) {
            let _ = write!(path, "M{x:.1} {y:.1}h0");
        }
        // A line without length is drawn as its ends are.
        let end = if class.is_multiple_of(2) { "round" } else { "square" };
        let look = format!(r#"stroke="{colour}" stroke-width="{size}" stroke-linecap="{end}""#);
        let _ = writeln!(self.body, r#"<path d="{path}" {look}/>"#);
    }

    /// A disc in a white ring at a point of the data.
    pub(crate) fn disc(&mut self, point: Point, colour: &str) {
        let [x, y] = self.place(point);
        let look = format!(r##"r="4" fill="{colour}" stroke="#ffffff" stroke-width="1.2""##);
        let _ = writeln!(self.body, r#"<circle cx="{x:.1}" cy="{y:.1}" {look}/>"#);
    }

    /// Draws a line through points of the data.
    pub(crate) fn curve(&mut self, points: &[Point], pen: Pen) {
        let is_finite = |point: &&Point| point.iter().all(|value| value.is_finite());
        let points: Vec<Point> = points.iter().filter(is_finite).map(|&point| self.place(point)).collect();
        self.drawn(&points, pen);
    }

    /// Draws a line through places of the page.
    fn drawn(&mut self, points: &[Point], Pen { colour, width, dash }: Pen) {
        let mut path = String::new();
        for (k, [x, y]) in thinned(points).into_iter().enumerate() {
            let _ = write!(path, "{}{x:.1} {y:.1}", if k == 0 { 'M' } else { 'L' });
        }
        let line = format!(r#"stroke="{colour}" stroke-width="{width}" stroke-linejoin="round""#);
        let _ = writeln!(self.body, r#"<path d="{path}" fill="none" {line}{}/>"#, dashes(dash));
    }

    /// Fills the rectangle between two points of the data.
    pub(crate) fn bar(&mut self, from: Point, to: Point, colour: &str) {
        let ([a, b], [c, d]) = (self.place(from), self.place(to));
        self.block([a.min(c), b.min(d), (a - c).abs(), (b - d).abs()], colour);
    }

    /// Fills a rectangle of the page: left, top, width, height.
    fn block(&mut self, [left, top, width, height]: [f64; 4], colour: &str) {
        let place = format!(r#"x="{left:.1}" y="{top:.1}" width="{width:.1}" height="{height:.1}""#);
        let _ = writeln!(self.body, r#"<rect {place} fill="{colour}"/>"#);
    }

    /// Fills the axes with a matrix of shares of the colour map, row after row from the top.
    pub(crate) fn matrix(&mut self, columns: usize, shares: &[f64]) {
        let [left, top, width, height] = self.area;
        let place = format!(r#"x="{left:.1}" y="{top:.1}" width="{width:.1}" height="{height:.1}""#);
        let look = r#"preserveAspectRatio="none" style="image-rendering:pixelated""#;
        let _ = writeln!(self.body, r#"<image {place} {look} href="{}"/>"#, raster::image(columns, shares));
    }

    /// Fills a polygon of the page's data.
    pub(crate) fn polygon(&mut self, corners: &[Point], colour: &str) {
        let corners: Vec<String> =
            corners.iter().map(|&corner| self.place(corner)).map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            self.body,
            r##"<polygon points="{}" fill="{colour}" stroke="#ffffff" stroke-width="1"/>"##,
            corners.join(" ")
        );
    }

    /// A text at a point of the data.
    pub(crate) fn text_at(&mut self, point: Point, size: f64, text: &str, light: bool) {
        let [x, y] = self.place(point);
        let fill = if light { "#ffffff" } else { INK };
        let look = format!(r#"font-size="{size}" text-anchor="middle" fill="{fill}""#);
        let _ = writeln!(
            self.body,
            r#"<text x="{x:.1}" y="{:.1}" {look}>{}</text>"#,
            y + size / 3.0,
            escaped(text)
        );
    }

    /// Fills the axes.
    pub(crate) fn background(&mut self, colour: &str) {
        self.rectangle(&format!(r#"fill="{colour}""#));
    }

    /// A line around the axes.
    pub(crate) fn frame(&mut self) {
        self.rectangle(&format!(r#"fill="none" stroke="{GREY}" stroke-width="1""#));
    }

    fn rectangle(&mut self, look: &str) {
        let [left, top, width, height] = self.area;
        let place = format!(r#"x="{left:.1}" y="{top:.1}" width="{width:.1}" height="{height:.1}""#);
        let _ = writeln!(self.body, "<rect {place} {look}/>");
    }

    /// A mark at a point of the data.
    pub(crate) fn mark(&mut self, point: Point, mark: Mark) {
        if !point.iter().all(|value| value.is_finite()) {
            return;
        }
        let place = self.place(point);
        self.mark_at(place, mark);
    }

    /// A mark at a place of the page.
    pub(crate) fn mark_at(&mut self, [x, y]: Point, mark: Mark) {
        let circle = |radius: f64| format!(r#"circle cx="{x:.1}" cy="{y:.1}" r="{radius}""#);
        let around = |corners: &[Point]| {
            let corners: Vec<String> =
                corners.iter().map(|[a, b]| format!("{:.1},{:.1}", x + a, y + b)).collect();
            format!(r#"polygon points="{}""#, corners.join(" "))
        };
        let shape = |class: usize| match (class + class / 8) % 5 {
            0 => circle(3.6),
            1 => format!(r#"rect x="{:.1}" y="{:.1}" width="6.4" height="6.4""#, x - 3.2, y - 3.2),
            2 => around(&[[0.0, -4.4], [4.0, 3.0], [-4.0, 3.0]]),
            3 => around(&[[0.0, -4.6], [4.6, 0.0], [0.0, 4.6], [-4.6, 0.0]]),
            _ => around(&[[0.0, 4.4], [4.0, -3.0], [-4.0, -3.0]]),
        };
        let (shape, fill, line, width) = match mark {
            Mark::Class(class) => (shape(class), colour(class), "#ffffff", 0.7),
            Mark::Dot(colour) => (circle(3.6), colour, "#ffffff", 0.7),
            Mark::Ring => (circle(6.2), "none", INK, 1.1),
        };
        let _ = writeln!(self.body, r#"<{shape} fill="{fill}" stroke="{line}" stroke-width="{width}"/>"#);
    }

    /// A text at a place of the page.
    pub(crate) fn text(&mut self, [x, y]: Point, size: f64, anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let weight = if size > 15.0 { r#" font-weight="600""# } else { "" };
        let fill = if size > 12.0 { INK } else { GREY };
        let attributes = format!(r#"font-size="{size}" text-anchor="{anchor}" fill="{fill}"{weight}"#);
        let _ = writeln!(self.body, r#"<text x="{x:.1}" y="{y:.1}" {attributes}>{}</text>"#, escaped(text));
    }

    /// Two lines over the axes.
    pub(crate) fn captions(&mut self, captions: &Captions) {
        self.text([self.area[0], 28.0], 18.0, Anchor::Start, &captions.title);
        self.text([self.area[0], 50.0], 13.0, Anchor::Start, &captions.subtitle);
    }

    /// Frame, ticks and names of the axes.
    pub(crate) fn axes(&mut self, names: [&str; 2]) {
        let marks = ticks(self.low[1], self.high[1]).into_iter().map(|value| (value, number(value)));
        self.scales(marks.collect(), names[0]);
        self.beside(names[1]);
    }

    /// The name of y: a short one as it is, a longer one along its axis.
    fn beside(&mut self, name: &str) {
        let [left, top, _, height] = self.area;
        let (x, y) = (left - 48.0, top + height / 2.0);
        if name.chars().count() <= 3 {
            self.text([x, y + 4.0], 13.0, Anchor::Middle, name);
            return;
        }
        let _ = writeln!(self.body, r#"<g transform="rotate(-90 {x:.1} {y:.1})">"#);
        self.text([x, y], 13.0, Anchor::Middle, name);
        self.body.push_str("</g>\n");
    }

    /// Frame, ticks and names of axes of which y is the logarithm to the base 10: ticks at whole powers, the name of y
    /// along its axis.
    pub(crate) fn decades(&mut self, below: &str, beside: &str) {
        let powers = self.low[1].ceil() as i64..=self.high[1].floor() as i64;
        self.scales(powers.map(|power| (power as f64, power_of_ten(power))).collect(), below);
        self.beside(beside);
    }

    /// Frame, ticks, those of y as given, and the name of x.
    fn scales(&mut self, beside: Vec<(f64, String)>, below: &str) {
        let [left, top, width, height] = self.area;
        let (right, bottom) = (left + width, top + height);
        let mut path = format!("M{left:.1} {top:.1}H{right:.1}V{bottom:.1}H{left:.1}Z");
        for value in ticks(self.low[0], self.high[0]) {
            let [x, _] = self.place([value, self.low[1]]);
            let _ = write!(path, "M{x:.1} {bottom:.1}v5");
            self.text([x, bottom + 19.0], 12.0, Anchor::Middle, &number(value));
        }
        for (value, text) in beside {
            let [_, y] = self.place([self.low[0], value]);
            let _ = write!(path, "M{left:.1} {y:.1}h-5");
            self.text([left - 9.0, y + 4.0], 12.0, Anchor::End, &text);
        }
        let _ = writeln!(self.body, r#"<path d="{path}" fill="none" stroke="{GREY}" stroke-width="1"/>"#);
        self.text([left + width / 2.0, bottom + 40.0], 13.0, Anchor::Middle, below);
    }

    /// The file.
    pub(crate) fn finish(self, title: &str) -> String {
        document(self.size, title, &self.body)
    }

    /// What was drawn, moved, for a part of a larger picture.
    pub(crate) fn fragment(self, [x, y]: Point) -> String {
        format!("<g transform=\"translate({x:.1} {y:.1})\">\n{}</g>\n", self.body)
    }

    /// Marks as small as they are in small pictures.
    pub(crate) fn dot(&mut self, point: Point, colour: &str) {
        let [x, y] = self.place(point);
        let _ = writeln!(self.body, r#"<circle cx="{x:.1}" cy="{y:.1}" r="1.6" fill="{colour}"/>"#);
    }
}

/// A picture of this size with what was drawn.
pub(super) fn document([width, height]: [f64; 2], title: &str, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" font-family=\"{FONT}\" role=\"img\">\n<title>{}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{body}</svg>\n",
        escaped(title),
    )
}

/// Pages beside each other and below each other, `columns` in a row, with two lines over them.
pub(crate) fn sheet(pages: Vec<Page>, columns: usize, captions: &Captions) -> String {
    const EDGE: f64 = 16.0;
    let columns = columns.min(pages.len()).max(1);
    let wide = pages.iter().map(|page| page.size[0]).fold(0.0, f64::max);
    let tall = pages.iter().map(|page| page.size[1]).fold(0.0, f64::max);
    let rows = pages.len().div_ceil(columns);
    let size = [2.0 * EDGE + columns as f64 * wide, 66.0 + rows as f64 * tall + EDGE];
    let mut head = Page::stretched([1.0, 1.0], [0.0; 2], [1.0; 2], [EDGE + 4.0, 0.0, 0.0, 0.0]);
    head.captions(captions);
    let mut body = head.body;
    for (k, page) in pages.into_iter().enumerate() {
        body += &page.fragment([EDGE + (k % columns) as f64 * wide, 66.0 + (k / columns) as f64 * tall]);
    }
    document(size, &captions.title, &body)
}

fn pen(width: f64) -> String {
    format!(r#" stroke="{INK}" stroke-width="{width}" stroke-linejoin="round""#)
}

fn dashes(pattern: &str) -> String {
    if pattern.is_empty() { String::new() } else { format!(r#" stroke-dasharray="{pattern}""#) }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Round numbers in a range, about five.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / 5.0;
    if !(rough > 0.0 && rough.is_finite()) {
        return vec![low];
    }
    let power = 10_f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].map(|k| k * power).into_iter().find(|&step| step >= rough).unwrap_or(power);
    let first = (low / step).ceil() as i64;
    let last = (high / step).floor() as i64;
    (first..=last).map(|k| k as f64 * step).collect()
}

/// A tick's number, without the noise of binary fractions.
fn number(value: f64) -> String {
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.replace('-', "−") }
}

/// `10⁻³`, and 1 for 10⁰.
fn power_of_ten(power: i64) -> String {
    if power == 0 {
        return "1".into();
    }
    let raised = |digit: char| match digit.to_digit(10) {
        Some(digit) => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][digit as usize],
        None => '⁻',
    };
    std::iter::once("10".to_owned()).chain([power.to_string().chars().map(raised).collect()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let texts = |low, high| ticks(low, high).into_iter().map(number).collect::<Vec<_>>();
        assert_eq!(texts(-1.3, 1.0), ["−1", "−0.5", "0", "0.5", "1"]);
        assert_eq!(texts(0.0, 100.0), ["0", "20", "40", "60", "80", "100"]);
        assert_eq!(texts(-0.25, 1.2), ["0", "0.5", "1"]);
    }

    #[test]
    fn powers_are_raised() {
        assert_eq!([0, 1, -3, -12].map(power_of_ten), ["1", "10¹", "10⁻³", "10⁻¹²"]);
    }

    #[test]
    fn texts_cannot_break_out() {
        let mut page = Page::new(100.0, [0.0, 0.0], [1.0, 1.0], [10.0; 4]);
        page.text([0.0, 0.0], 12.0, Anchor::Start, "a<b & c>d");
        assert!(page.finish("<t>").contains("a&lt;b &amp; c&gt;d"));
    }
}
