//! Numbers and counts in words, the same in every report.

/// A number with five digits, in powers of ten only where it must be.
#[must_use]
pub fn short(value: f64) -> String {
    digits(value, 5)
}

/// A number of which only the size counts: two digits.
#[must_use]
pub fn rough(value: f64) -> String {
    digits(value, 2)
}

fn digits(value: f64, digits: i32) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".into()
    } else if (0.001..1e6).contains(&size) {
        let places = (digits - 1 - size.log10().floor() as i32).clamp(0, 8) as usize;
        let text = format!("{value:.places$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
    } else {
        format!("{value:.places$e}", places = (digits as usize - 1).min(2))
    }
}

/// Seconds as a person would say them.
#[must_use]
pub fn seconds(value: f64) -> String {
    match value {
        v if v < 0.0095 => format!("{:.1} ms", v * 1e3),
        v if v < 0.95 => format!("{:.0} ms", v * 1e3),
        v if v < 59.5 => format!("{v:.1} s"),
        v => format!("{:.0} min {:02.0} s", (v / 60.0).floor(), v % 60.0),
    }
}

/// `1 row`, `2 rows`, `3 classes`, `4 axes`.
#[must_use]
pub fn count(number: usize, thing: &str) -> String {
    match (number, thing.strip_suffix("is"), thing.ends_with('s')) {
        (1, ..) => format!("1 {thing}"),
        (_, Some(stem), _) => format!("{number} {stem}es"),
        (_, None, true) => format!("{number} {thing}es"),
        (_, None, false) => format!("{number} {thing}s"),
    }
}

/// Gives the variants of an enum the words that files and reports have for them.
macro_rules! named {
    ($type:ident: $($variant:ident = $word:literal),+ $(,)?) => {
        impl $type {
            /// All of them, for parsing and tables.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The word used in files and output.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// The one of that word.
            #[must_use]
            pub fn named(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.name() == word)
            }
        }
    };
}
pub(super) use named;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (-100.877_288, "-100.88"),
            (0.424_462, "0.42446"),
            (12.0, "12"),
            (123_456.7, "123457"),
            (0.000_971, "9.71e-4"),
            (2.5e9, "2.50e9"),
        ] {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn sizes_are_shorter() {
        for (value, text) in [(0.001_601_6, "0.0016"), (5.5e-4, "5.5e-4"), (1.2994, "1.3"), (812.3, "812")] {
            assert_eq!(rough(value), text);
        }
    }

    #[test]
    fn times_and_counts_read_well() {
        assert_eq!(seconds(0.0031), "3.1 ms");
        assert_eq!(seconds(0.25), "250 ms");
        assert_eq!(seconds(4.26), "4.3 s");
        assert_eq!(seconds(125.0), "2 min 05 s");
        assert_eq!(count(1, "row"), "1 row");
        assert_eq!(count(3, "class"), "3 classes");
        assert_eq!((count(1, "axis"), count(2, "axis")), ("1 axis".into(), "2 axes".into()));
    }
}
