//! A coordinate system on a page, and what is drawn on it.

use std::fmt::Write;

use super::contour::{Line, Point};

const FONT: &str = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif";
const INK: &str = "#222222";
const GREY: &str = "#666666";

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
        self.place = [x, y + 26.0];
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
            for (k, &point) in line.points.iter().enumerate() {
                let [x, y] = self.place(point);
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

    /// Draws lines; `dash` is a pattern or empty.
    pub(crate) fn stroke(&mut self, lines: &[Line], width: f64, dash: &str) {
        let (path, line, dash) = (self.path(lines), pen(width), dashes(dash));
        let _ = writeln!(self.body, r#"<path d="{path}" fill="none"{line}{dash}/>"#);
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
        let place = self.place(point);
        self.mark_at(place, mark);
    }

    /// A mark at a place of the page.
    pub(crate) fn mark_at(&mut self, [x, y]: Point, mark: Mark) {
        let circle = |radius: f64| format!(r#"circle cx="{x:.1}" cy="{y:.1}" r="{radius}""#);
        let square = || format!(r#"rect x="{:.1}" y="{:.1}" width="6.4" height="6.4""#, x - 3.2, y - 3.2);
        let (shape, fill, line, width) = match mark {
            Mark::Circle(colour) => (circle(3.6), colour, "#ffffff", 0.7),
            Mark::Square(colour) => (square(), colour, "#ffffff", 0.7),
            Mark::Ring => (circle(6.2), "none", INK, 1.1),
        };
        let _ = writeln!(self.body, r#"<{shape} fill="{fill}" stroke="{line}" stroke-width="{width}"/>"#);
    }

    /// A short horizontal line at a place of the page.
    pub(crate) fn sample(&mut self, [x, y]: Point, width: f64, dash: &str) {
        let dash = dashes(dash);
        let ends = format!(r#"x1="{:.1}" y1="{y:.1}" x2="{:.1}" y2="{y:.1}""#, x - 11.0, x + 11.0);
        let _ = writeln!(self.body, r#"<line {ends} stroke="{INK}" stroke-width="{width}"{dash}/>"#);
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
        let [left, top, _, height] = self.area;
        self.text([left - 44.0, top + height / 2.0 + 4.0], 13.0, Anchor::Middle, names[1]);
    }

    /// Frame, ticks and names of axes of which y is the logarithm to the base 10: ticks at whole powers, the name of y
    /// along its axis.
    pub(crate) fn decades(&mut self, below: &str, beside: &str) {
        let powers = self.low[1].ceil() as i64..=self.high[1].floor() as i64;
        self.scales(powers.map(|power| (power as f64, power_of_ten(power))).collect(), below);
        let [left, top, _, height] = self.area;
        let (x, y) = (left - 56.0, top + height / 2.0);
        let _ = writeln!(self.body, r#"<g transform="rotate(-90 {x:.1} {y:.1})">"#);
        self.text([x, y], 13.0, Anchor::Middle, beside);
        self.body.push_str("</g>\n");
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

/// Marks of points: discs and squares told apart by shape and by colour, and rings around another mark.
#[derive(Clone, Copy)]
pub(crate) enum Mark {
    Circle(&'static str),
    Square(&'static str),
    Ring,
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
