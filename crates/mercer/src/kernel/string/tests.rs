//! Texts against the definition, word by word.

use proptest::prelude::*;

use super::*;
use crate::kernel::arbitrary::{Definition, assert_refused, grown, naive, value};
use crate::kernel::{Definiteness, Expr, Kernel, Limits, Verdict, battery, check, laws};

impl Definition for TextLeaf {
    /// Counts the pairs of places where the same word begins.
    fn value(&self, x: &Vec<String>, i: usize, y: &Vec<String>, j: usize) -> f64 {
        let Self::Spectrum { p, .. } = *self else { panic!() };
        let (s, t): (Vec<char>, Vec<char>) = (x[i].chars().collect(), y[j].chars().collect());
        let p = p as usize;
        let mut pairs = 0.0;
        for a in 0..(s.len() + 1).saturating_sub(p) {
            for b in 0..(t.len() + 1).saturating_sub(p) {
                pairs += f64::from(u8::from((0..p).all(|k| s[a + k] == t[b + k])));
            }
        }
        pairs
    }
}

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(ToString::to_string).collect()
}

fn rows(kernel: &TextExpr, columns: &Vec<String>, points: &Vec<String>) -> (Vec<Vec<f64>>, Vec<Vec<f32>>) {
    let bound = kernel.bind(columns).unwrap_or_else(|error| panic!("{kernel}: {error}"));
    let all: Vec<usize> = (0..points.len()).collect();
    let mut double = vec![vec![f64::NAN; columns.len()]; points.len()];
    let mut single = vec![vec![f32::NAN; columns.len()]; points.len()];
    bound.rows_f64(points, &all, &mut double.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
    bound.rows(points, &all, &mut single.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
    (double, single)
}

/// Few letters, so that words meet: of one, two, three and four bytes.
fn text() -> impl Strategy<Value = String> {
    "[abé∞𝔘]{0,12}"
}

fn some_texts() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(text(), 1..12)
}

fn leaf() -> impl Strategy<Value = TextExpr> {
    (1..5_u32).prop_map(spectrum)
}

fn expression() -> impl Strategy<Value = TextExpr> {
    grown(prop_oneof![4 => leaf(), 1 => (0.0..3.0_f64).prop_map(Expr::Constant)])
}

/// Values that a test can compare: no power of a power has outgrown the numbers.
fn moderate(kernel: &TextExpr, points: &Vec<String>) -> bool {
    laws::gram(kernel, points).into_iter().flatten().all(|k| k.is_finite() && k.abs() < 1e12)
}

proptest! {
    #[test]
    fn spectra_are_counted_exactly((k, columns, points) in (leaf(), some_texts(), some_texts())) {
        let (double, single) = rows(&k, &columns, &points);
        for i in 0..points.len() {
            for j in 0..columns.len() {
                let exact = value(&k, (&points, i), (&columns, j));
                prop_assert_eq!(double[i][j], exact);
                prop_assert_eq!(f64::from(single[i][j]), exact);
            }
        }
    }

    #[test]
    fn expressions_follow_their_definition(
        (k, columns, points) in (expression(), some_texts(), some_texts())
    ) {
        prop_assume!(moderate(&k, &columns) && moderate(&k, &points));
        let (double, single) = rows(&k, &columns, &points);
        for i in 0..points.len() {
            for j in 0..columns.len() {
                let exact = value(&k, (&points, i), (&columns, j));
                let scale = exact.abs().max(1.0);
                prop_assert!((double[i][j] - exact).abs() <= 1e-11 * scale, "{}: {} {}", k, double[i][j], exact);
                prop_assert!((f64::from(single[i][j]) - exact).abs() <= 1e-6 * scale, "{}", k);
            }
        }
    }

    #[test]
    fn expressions_pass_the_battery((k, x) in (expression(), some_texts())) {
        prop_assume!(moderate(&k, &x));
        prop_assert_eq!(battery(&k, &x), Ok(()), "{}", k);
        prop_assert_eq!(battery(&naive(k), &x), Ok(()));
    }

    #[test]
    fn the_laws_of_the_algebra_hold(
        (a, b, c, s, x) in (leaf(), leaf(), leaf(), 0.0..3.0_f64, some_texts())
    ) {
        laws::rules(&a, &b, s, &x)?;
        laws::arithmetic((&a, &b, &c), s, &x)?;
        laws::symmetry(&(a.clone() + s * b.normalized()), &x)?;
        laws::unit_diagonal(&a, &x)?;
    }

    #[test]
    fn parsing_what_was_printed_gives_it_back(kernel in expression()) {
        prop_assert_eq!(kernel.to_string().parse::<TextExpr>().unwrap(), kernel);
    }
}

#[test]
fn values_worked_out_by_hand() {
    // aba: ab, ba; abab: ab, ba, ab.
    let points = texts(&["aba", "abab", "a", "", "ba"]);
    let (double, _) = rows(&spectrum(2), &points, &points);
    let expected =
        [[2.0, 3.0, 0.0, 0.0, 1.0], [3.0, 5.0, 0.0, 0.0, 1.0], [0.0; 5], [0.0; 5], [1.0, 1.0, 0.0, 0.0, 1.0]];
    assert_eq!(double, expected);
    let (normalized, _) = rows(&spectrum(2).normalized(), &points, &points);
    assert!((normalized[0][1] - 3.0 / 10_f64.sqrt()).abs() <= 1e-15);
    assert_eq!((normalized[3][3], normalized[2][0]), (0.0, 0.0));
}

#[test]
fn a_character_is_a_scalar_value_not_a_byte() {
    // é as one scalar value, and as e with a combining accent.
    let points = texts(&["éé", "e\u{301}", "日本日本"]);
    let (one, _) = rows(&spectrum(1), &points, &points);
    assert_eq!(one[0], [4.0, 0.0, 0.0]);
    assert_eq!(one[1], [0.0, 2.0, 0.0]);
    let (two, _) = rows(&spectrum(2), &points, &points);
    assert_eq!((two[0][0], two[1][1], two[2][2]), (1.0, 1.0, 5.0));
}

#[test]
fn words_that_no_column_has_count_in_the_norm_only() {
    let columns = texts(&["aab"]);
    // aa, ab, bx, xy: two of four words are known.
    let points = texts(&["aabxy", "xyz", "aab"]);
    let (plain, _) = rows(&spectrum(2), &columns, &points);
    assert_eq!(plain, [[2.0], [0.0], [2.0]]);
    let (normalized, _) = rows(&spectrum(2).normalized(), &columns, &points);
    for (row, expected) in normalized.iter().zip([2.0 / 8_f64.sqrt(), 0.0, 1.0]) {
        assert!((row[0] - expected).abs() <= 1e-15, "{} {expected}", row[0]);
    }
}

#[test]
fn columns_without_a_word_have_rows_of_zeros() {
    for columns in [texts(&["ab", ""]), texts(&[])] {
        let bound = spectrum(3).bind(&columns).unwrap();
        assert_eq!(bound.diagonal(), vec![0.0; columns.len()]);
        let (double, single) = rows(&spectrum(3), &columns, &texts(&["abcabc", ""]));
        assert!(double.iter().flatten().all(|&k| k == 0.0) && single.iter().flatten().all(|&k| k == 0.0));
        let (sum, _) = rows(&(spectrum(3) + 2.0), &columns, &texts(&["abcabc"]));
        assert!(sum.iter().flatten().all(|&k| k == 2.0));
    }
}

#[test]
fn whole_numbers_beyond_single_precision_are_exact_in_double() {
    // 5000² > 2²⁴, and odd numbers beyond it are no numbers of single precision.
    let columns = texts(&[&"a".repeat(5001), &"ab".repeat(4), "a"]);
    let points = texts(&[&"a".repeat(4999), "b", &"a".repeat((1 << 24) + 1)]);
    let (double, single) = rows(&spectrum(1), &columns, &points);
    assert_eq!(double[0], [4999.0 * 5001.0, 4.0 * 4999.0, 4999.0]);
    assert_eq!(double[1], [0.0, 4.0, 0.0]);
    let long = f64::from((1 << 24) + 1);
    assert_eq!(double[2], [long * 5001.0, long * 4.0, long]);
    assert_eq!(single[0], [(4999.0_f64 * 5001.0) as f32, 4.0 * 4999.0, 4999.0]);
    assert_eq!(single[2][2], long as f32);
}

#[test]
fn text_of_kernels_is_parsed_and_refused_by_column() {
    for (text, canonical) in [
        ("spectrum", "spectrum(p=3)"),
        ("spectrum(5)", "spectrum(p=5)"),
        ("0.5*spectrum(p=2) + spectrum", "0.5*spectrum(p=2) + spectrum(p=3)"),
        ("exp(normalized(spectrum(p=4)))^2", "exp(normalized(spectrum(p=4)))^2"),
    ] {
        assert_eq!(text.parse::<TextExpr>().unwrap().to_string(), canonical);
    }
    let refused = assert_refused::<TextExpr>;
    refused("spectrum(p=0)", 12, "p = 0: must lie in 1 to 32");
    refused("1 + spectrum(33)", 14, "must lie in 1 to 32");
    refused("spectrum(p=2.5)", 12, "not a whole number");
    refused("spectrum(q=2)", 10, "unknown parameter 'q' of spectrum; it has p");
    refused("spectrun(2)", 1, "did you mean spectrum?");
    refused("rbf(0.5)", 1, "known: spectrum, exp, normalized");
    refused("spectrum @ columns(1)", 10, "no feature maps");
    assert_eq!(MAX_WORD, 32);
    assert_eq!(spectrum(0).definiteness(), Definiteness::Unknown);
    assert!(spectrum(0).bind(&texts(&["a"])).is_err());
    assert!((spectrum(2) + 1.0).parameters().iter().map(|p| p.path.as_str()).eq(["1.constant"]));
}

#[test]
fn a_diagonal_that_overflows_is_refused_by_text() {
    let points = texts(&["a", &"a".repeat(100)]);
    let error = spectrum(1).exp().bind(&points).err().map(|error| error.to_string());
    assert!(error.is_some_and(|message| message.contains("between points 2 and 2")));
}

#[test]
fn the_check_on_data_works_on_texts() {
    let points = texts(&["to be", "or not", "to be", "that is", "the question"]);
    let validity = check(&spectrum(2).normalized(), &points, Limits::default()).unwrap();
    assert_eq!(validity.verdict, Verdict::PositiveSemidefinite);
    assert_eq!(validity.spectrum.eigenfunctions(&texts(&["question"])).len(), validity.spectrum.len());
}
