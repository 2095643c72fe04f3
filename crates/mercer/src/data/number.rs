//! Decimal numbers from text, correctly rounded.
//!
//! A decimal $m · 10^e$ with $m < 2^{53}$ and $|e| ≤ 22$ has both parts exact in `f64`, so that one
//! multiplication or division rounds once, which is correct rounding (Clinger 1990). Nearly all numbers in files are of
//! this form; all others are parsed by the standard library, which rounds correctly too.

use crate::error::ParseProblem;

/// $10^0 … 10^{22}$: the powers of ten that `f64` holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// Most digits that fit the `u64` in which the digits are collected.
const DIGITS: usize = 19;

/// White space within a line.
#[inline]
pub(crate) fn is_space(byte: u8) -> bool {
    byte == b' ' || (b'\t'..=b'\r').contains(&byte)
}

/// The number at the start of `text` up to white space, `#` or the end, and its length. `None` if it is not of the form
/// above; it may still be a number.
#[inline]
pub(crate) fn prefix(text: &[u8]) -> Option<(f64, usize)> {
    // Most values in sparse files have one digit.
    match *text {
        [digit @ b'0'..=b'9'] | [digit @ b'0'..=b'9', b' ', ..] => Some((f64::from(digit - b'0'), 1)),
        _ => decimal(text),
    }
}

fn decimal(text: &[u8]) -> Option<(f64, usize)> {
    let byte = |at: usize| text.get(at).copied().unwrap_or(b' ');
    let ends = |at: usize| is_space(byte(at)) || byte(at) == b'#';
    let negative = byte(0) == b'-';
    let mut at = usize::from(negative || byte(0) == b'+');
    let mut mantissa = 0_u64;
    let first = at;
    let mut digits = |at: &mut usize| {
        let start = *at;
        loop {
            let digit = byte(*at).wrapping_sub(b'0');
            if digit > 9 {
                return *at - start;
            }
            mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
            *at += 1;
        }
    };
    let mut count = digits(&mut at);
    let mut exponent = 0_i64;
    if byte(at) == b'.' {
        at += 1;
        let fraction = digits(&mut at);
        count += fraction;
        exponent = -(fraction as i64);
    }
    if count == 0 || count > DIGITS || at == first {
        return None;
    }
    if byte(at) | 0x20 == b'e' {
        let (power, length) = exponent_at(&text[at + 1..])?;
        exponent += power;
        at += 1 + length;
    }
    if !ends(at) || mantissa >= 1 << 53 || exponent.unsigned_abs() > 22 {
        return None;
    }
    let power = POWERS[exponent.unsigned_abs() as usize];
    let value = if exponent < 0 { mantissa as f64 / power } else { mantissa as f64 * power };
    Some((if negative { -value } else { value }, at))
}

/// The exponent after an `e`, of at most three digits, and its length.
fn exponent_at(text: &[u8]) -> Option<(i64, usize)> {
    let sign = matches!(text.first(), Some(b'+' | b'-'));
    let digits = text[usize::from(sign)..].iter().take_while(|byte| byte.is_ascii_digit()).take(4);
    let (mut power, mut length) = (0, 0);
    for digit in digits {
        power = power * 10 + i64::from(digit - b'0');
        length += 1;
    }
    let negative = text.first() == Some(&b'-');
    (1..=3).contains(&length).then_some((if negative { -power } else { power }, length + usize::from(sign)))
}

/// Parses the whole of `token` as a finite number.
///
/// # Errors
/// If it is not a number, NaN or infinite (also by overflow).
pub(crate) fn whole(token: &[u8]) -> Result<f64, ParseProblem> {
    if let Some((value, length)) = prefix(token)
        && length == token.len()
    {
        return Ok(value);
    }
    let value = std::str::from_utf8(token).ok().and_then(|text| text.parse::<f64>().ok());
    match value {
        Some(value) if value.is_finite() => Ok(value),
        Some(_) => Err(ParseProblem::NotFinite(lossy(token))),
        None => Err(ParseProblem::BadNumber(lossy(token))),
    }
}

/// A token as text for a message, shortened if it is long.
pub(crate) fn lossy(token: &[u8]) -> Box<str> {
    const SHOWN: usize = 40;
    let mut text = String::from_utf8_lossy(&token[..token.len().min(SHOWN)]).into_owned();
    if token.len() > SHOWN {
        text.push('…');
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn agrees(text: &str) {
        match (whole(text.as_bytes()), text.parse::<f64>()) {
            (Ok(ours), Ok(theirs)) => assert_eq!(ours.to_bits(), theirs.to_bits(), "{text}"),
            (Err(ParseProblem::NotFinite(_)), Ok(theirs)) => assert!(!theirs.is_finite(), "{text}"),
            (Err(ParseProblem::BadNumber(_)), Err(_)) => {}
            (ours, theirs) => panic!("{text}: {ours:?} but {theirs:?}"),
        }
    }

    #[test]
    fn known_texts_agree_with_the_standard_library() {
        for text in [
            "0",
            "-0",
            "+1",
            "1.",
            ".5",
            "-.5e1",
            "1e",
            "1e+",
            "e5",
            ".",
            "",
            "+",
            "-",
            "+-1",
            "1e22",
            "1e23",
            "9007199254740991",
            "9007199254740992",
            "9007199254740993",
            "0.1",
            "123456789012345678901",
            "00000000000000000000001",
            "1e400",
            "1e-400",
            "nan",
            "inf",
            "-Infinity",
            "1_0",
            "0x10",
            "1e0005",
            "2.617300e+01",
            "1E5",
            "1e-22",
            "1e5.0",
            "1.2.3",
            "4.9e-324",
            "1.7976931348623157e308",
            "٣",
        ] {
            agrees(text);
        }
    }

    #[test]
    fn a_number_ends_at_space_or_comment() {
        assert_eq!(prefix(b"1.5e1 2"), Some((15.0, 5)));
        assert_eq!(prefix(b"-2#x"), Some((-2.0, 2)));
        assert_eq!(prefix(b"7\r"), Some((7.0, 1)));
        assert_eq!(prefix(b"7:1"), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn decimals_agree_with_the_standard_library(text in "[+-]?[0-9]{0,20}(\\.[0-9]{0,20})?([eE][+-]?[0-9]{0,4})?") {
            agrees(&text);
        }

        #[test]
        fn short_decimals_agree_with_the_standard_library(text in "-?[0-9]{1,4}\\.[0-9]{1,8}(e-?[0-9]{1,2})?") {
            agrees(&text);
        }

        #[test]
        fn printed_floats_come_back(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            agrees(&format!("{value}"));
            agrees(&format!("{value:e}"));
            agrees(&format!("{value:.5e}"));
        }

        #[test]
        fn any_bytes_are_a_number_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..12)) {
            let _ = prefix(&bytes);
            let _ = whole(&bytes);
        }
    }
}
