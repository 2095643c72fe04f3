//! Numbers as C's `printf` writes them, for files that other programs compare byte by byte.

/// The text of C's `%.{digits}g`: at most `digits` significant digits, correctly rounded, no trailing zeros, with
/// an exponent if the value is below 10⁻⁴ or has more than `digits` digits before the decimal point.
///
/// ```
/// use mercer::data::format_g;
/// assert_eq!(format_g(0.1, 6), "0.1");
/// assert_eq!(format_g(0.1, 17), "0.10000000000000001");
/// assert_eq!(format_g(1234567.0, 6), "1.23457e+06");
/// ```
#[must_use]
pub fn format_g(value: f64, digits: usize) -> String {
    if value.is_nan() {
        return if value.is_sign_negative() { "-nan".into() } else { "nan".into() };
    }
    if value.is_infinite() {
        return if value < 0.0 { "-inf".into() } else { "inf".into() };
    }
    // C reads a precision of 0 as 1.
    let digits = digits.max(1);
    let rounded = format!("{:.*e}", digits - 1, value.abs());
    let (mantissa, exponent) = rounded.split_once('e').unwrap_or((&rounded, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let figures: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let figures = match figures.trim_end_matches('0') {
        "" => "0",
        kept => kept,
    };
    let mut text = String::with_capacity(figures.len() + 8);
    if value.is_sign_negative() {
        text.push('-');
    }
    if exponent < -4 || exponent >= digits as i32 {
        push_point(&mut text, figures, 1);
        let sign = if exponent < 0 { '-' } else { '+' };
        text.push_str(&format!("e{sign}{:02}", exponent.abs()));
    } else if exponent < 0 {
        text.push_str("0.");
        text.extend(std::iter::repeat_n('0', (-exponent - 1) as usize));
        text.push_str(figures);
    } else {
        push_point(&mut text, figures, exponent as usize + 1);
    }
    text
}

/// Appends figures with the decimal point after `whole` of them.
fn push_point(text: &mut String, figures: &str, whole: usize) {
    if figures.len() <= whole {
        text.push_str(figures);
        text.extend(std::iter::repeat_n('0', whole - figures.len()));
    } else {
        text.push_str(&figures[..whole]);
        text.push('.');
        text.push_str(&figures[whole..]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_values_are_written_as_by_printf() {
        // Printed by glibc's printf.
        for (value, digits, text) in include!("format_table.rs") {
            assert_eq!(format_g(value, digits), text, "{value:e} with {digits}");
        }
    }

    proptest! {
        #[test]
        fn seventeen_digits_come_back(bits: u64) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            prop_assert_eq!(format_g(value, 17).parse::<f64>().unwrap().to_bits(), bits);
        }
    }
}
