//! Colours, marks and lines: told apart without colour too, on paper and on a dark page, since each picture brings its white ground.

/// The colours of Okabe and Ito (2008), which people with any colour vision tell apart, the darkest first.
pub(crate) const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d1f", "#555555"];
/// Patterns of lines beside each other, for those who do not see their colours.
pub(crate) const DASHES: [&str; 4] = ["", "7 4", "2 3", "9 3 2 3"];
/// Texts, and lines that are not of a class.
pub(crate) const INK: &str = "#222222";
/// Texts and lines that matter less.
pub(crate) const GREY: &str = "#666666";

/// The map `cividis` (Nuñez, Anderton and Renslow 2018) at five places: its lightness rises evenly, also for those who do not see
/// all colours, and in grey.
const CIVIDIS: [[f64; 3]; 5] = [
    [0.0, 32.0, 77.0],
    [66.0, 78.0, 108.0],
    [124.0, 123.0, 120.0],
    [187.0, 173.0, 108.0],
    [255.0, 234.0, 70.0],
];

/// The shape of a mark of a class; classes that share a colour have different shapes.
#[derive(Clone, Copy)]
pub(crate) enum Mark {
    /// A point of the class of this number.
    Class(usize),
    /// A point of no class, in this colour.
    Dot(&'static str),
    /// A ring around another mark.
    Ring,
}

/// A line's colour, width in pixels, and pattern.
#[derive(Clone, Copy)]
pub(crate) struct Pen {
    pub(crate) colour: &'static str,
    pub(crate) width: f64,
    pub(crate) dash: &'static str,
}

impl Pen {
    pub(crate) const fn ink(width: f64, dash: &'static str) -> Self {
        Self { colour: INK, width, dash }
    }

    /// The line of the series of this number.
    pub(crate) fn of(series: usize) -> Self {
        Self {
            colour: colour(series),
            width: 2.0,
            dash: DASHES[(series + series / COLOURS.len()) % DASHES.len()],
        }
    }
}

/// The colour of a class or series.
pub(crate) fn colour(number: usize) -> &'static str {
    COLOURS[number % COLOURS.len()]
}

/// A colour mixed with white: 0 is white, 1 the colour itself.
pub(crate) fn tint(colour: &str, share: f64) -> String {
    let part = |k: usize| u8::from_str_radix(&colour[2 * k + 1..2 * k + 3], 16).unwrap_or(0);
    let mixed = |k: usize| (255.0 - share * (255.0 - f64::from(part(k)))).round() as u8;
    hex([0, 1, 2].map(mixed))
}

/// The colour of `cividis` at a share of its length.
pub(crate) fn cividis(share: f64) -> [u8; 3] {
    let at = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 } * (CIVIDIS.len() - 1) as f64;
    let below = (at as usize).min(CIVIDIS.len() - 2);
    let part = at - below as f64;
    [0, 1, 2].map(|k| (CIVIDIS[below][k] * (1.0 - part) + CIVIDIS[below + 1][k] * part).round() as u8)
}

pub(crate) fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tints_end_at_white_and_at_the_colour() {
        assert_eq!((tint("#0072b2", 0.0), tint("#0072b2", 1.0)), ("#ffffff".into(), "#0072b2".into()));
        assert_eq!(tint("#000000", 0.5), "#808080");
    }

    #[test]
    fn the_map_rises_in_lightness() {
        assert_eq!((hex(cividis(0.0)), hex(cividis(1.0))), ("#00204d".into(), "#ffea46".into()));
        let light = |share: f64| {
            let [r, g, b] = cividis(share).map(f64::from);
            0.299 * r + 0.587 * g + 0.114 * b
        };
        assert!((0..40).all(|k| light(f64::from(k) / 40.0) < light(f64::from(k + 1) / 40.0)));
    }
}
