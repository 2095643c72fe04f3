//! Texts against the definition, word by word.

use proptest::prelude::*;

use super::*;
use crate::kernel::arbitrary::{assert_refused, grown, naive, value};
use crate::kernel::{Definiteness, Expr, Kernel, Limits, Verdict, battery, check, laws};

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

/// Few letters, so that words meet: of one, two, three and four bytes, and two spaces.
fn text() -> impl Strategy<Value = String> {
    "[abé∞𝔘 \u{2003}]{0,8}"
}

fn some_texts() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(text(), 1..12)
}

fn unit() -> impl Strategy<Value = Unit> {
    prop_oneof![3 => Just(Unit::Char), 1 => Just(Unit::Word)]
}

/// Kernels whose values are whole numbers. The alphabet of a mismatch kernel has room for the letters of two texts, or for two
/// words of up to three bytes.
fn counting_leaf() -> impl Strategy<Value = TextExpr> {
    prop_oneof![
        3 => (1..5_u32, unit()).prop_map(|(p, unit)| spectrum(p).unit(unit)),
        1 => (1..5_u32, unit()).prop_map(|(p, unit)| range(p).unit(unit)),
        1 => (2..4_u32, 0..3_u32, 7..9_u32).prop_map(|(p, m, size)| mismatch(p, m.min(p - 1), size)),
        1 => (1..3_u32).prop_map(|p| range(p).unit(Unit::Byte)),
    ]
}

fn leaf() -> impl Strategy<Value = TextExpr> {
    let lambda = || prop_oneof![0.05..1.0_f64, Just(1.0)];
    prop_oneof![
        2 => counting_leaf(),
        1 => (1..6_u32, 0..4_u32, unit()).prop_map(|(d, shift, unit)| degree(d, shift).unit(unit)),
        1 => (1..6_u32, lambda(), unit()).prop_map(|(p, lambda, unit)| subsequence(p, lambda).unit(unit)),
        1 => (1..6_u32, lambda()).prop_map(|(p, lambda)| subsequences_up_to(p, lambda)),
    ]
}

fn expression() -> impl Strategy<Value = TextExpr> {
    grown(prop_oneof![4 => leaf(), 1 => (0.0..3.0_f64).prop_map(Expr::Constant)])
}

/// Values that a test can compare: no power of a power has outgrown the numbers, or vanished among them.
fn moderate(kernel: &TextExpr, points: &Vec<String>) -> bool {
    let fine = |k: f64| k == 0.0 || (1e-30..1e12).contains(&k.abs());
    laws::gram(kernel, points).into_iter().flatten().all(fine)
}

proptest! {
    #[test]
    fn words_are_counted_exactly((k, columns, points) in (counting_leaf(), some_texts(), some_texts())) {
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
    refused("spectrum(q=2)", 10, "unknown parameter 'q' of spectrum; it has p, unit");
    refused("spectrun(2)", 1, "did you mean spectrum?");
    refused("rbf(0.5)", 1, "known: spectrum, range, mismatch, degree, subsequence, exp, normalized");
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

#[test]
fn units_are_characters_bytes_or_words() {
    let points = texts(&["to be or not to be", "é to be\u{2003}ß", ""]);
    let of = |unit| rows(&spectrum(2).unit(unit), &points, &points).0;
    // to be, be or, or not, not to, to be; é to, to be, be ß.
    assert_eq!(of(Unit::Word), [[7.0, 2.0, 0.0], [2.0, 3.0, 0.0], [0.0; 3]]);
    let (one, _) = rows(&spectrum(1).unit(Unit::Byte), &texts(&["é"]), &texts(&["è", "é"]));
    assert_eq!(one, [[1.0], [2.0]]);
    for (text, canonical) in [
        ("spectrum(p=2, unit=char)", "spectrum(p=2)"),
        ("spectrum(2, unit=word)", "spectrum(p=2, unit=word)"),
        ("range(unit=byte)", "range(p=3, unit=byte)"),
    ] {
        assert_eq!(text.parse::<TextExpr>().unwrap().to_string(), canonical);
    }
    assert_refused::<TextExpr>("spectrum(unit=letter)", 15, "char, byte, word");
}

#[test]
fn long_words_of_large_alphabets_keep_apart() {
    // 300 different units of 9 bits: in 64 bits up to 7 of them, in 128 up to 14, longer ones in slices.
    let letters: String = (0..300).map(|i| char::from_u32(0x4e00 + i).unwrap()).collect();
    let points =
        texts(&[&letters, &letters.chars().rev().collect::<String>(), &format!("{letters}{letters}")]);
    for p in [1, 7, 8, 14, 15, 32] {
        let (double, _) = rows(&spectrum(p), &points, &points);
        let n = f64::from(301 - p);
        // Written twice, the p − 1 words across the middle are new.
        assert_eq!(double[0], [n, if p == 1 { 300.0 } else { 0.0 }, 2.0 * n], "{p}");
        assert_eq!(double[2][2], 4.0 * n + f64::from(p - 1), "{p}");
    }
}

#[test]
fn mismatches_worked_out_by_hand() {
    // One place of an alphabet of four: each word is within one of all four. N(0) = N(1) = 4 for words of one letter.
    // For two letters N(0) = 1 + 2·3, N(1) = 4, N(2) = 2.
    let points = texts(&["AC", "AG", "GT", "ACA"]);
    let (double, _) = rows(&mismatch(2, 1, 4), &points, &points);
    // ACA: AC, CA.
    assert_eq!(double[0], [7.0, 4.0, 2.0, 9.0]);
    assert_eq!(double[3], [9.0, 6.0, 4.0, 18.0]);
    let (plain, _) = rows(&mismatch(2, 0, 4), &points, &points);
    assert_eq!(plain, rows(&spectrum(2), &points, &points).0);
}

#[test]
fn a_value_of_mismatches_does_not_depend_on_the_other_texts() {
    let (few, many) = (texts(&["ACGT"]), texts(&["ACGT", "TTTGGA", "NNRYSW", "CCC"]));
    let kernel = mismatch(3, 1, 20).normalized();
    let points = texts(&["ACTT", "NACG", "XYZ"]);
    let (one, _) = rows(&kernel, &few, &points);
    let (all, _) = rows(&kernel, &many, &points);
    one.iter().zip(&all).for_each(|(one, all)| assert_eq!(one[0], all[0]));
}

#[test]
fn weighted_degrees_worked_out_by_hand() {
    // β = 2/3, 1/3. ACGT and ACTT agree at places 1, 2 and 4, and in the word AC.
    let points = texts(&["ACGT", "ACTT", "AC", "CGT"]);
    let (double, _) = rows(&degree(2, 0), &points, &points);
    let expected = [4.0 * 2.0 + 3.0, 3.0 * 2.0 + 1.0, 2.0 * 2.0 + 1.0, 0.0].map(|k| k / 3.0);
    double[0].iter().zip(expected).for_each(|(k, e)| assert!((k - e).abs() <= 1e-15, "{k} {e}"));
    // CGT is ACGT one place on: all of it, at a quarter.
    let (shifted, _) = rows(&degree(2, 1), &points, &points);
    assert!((shifted[0][3] - (3.0 * 2.0 + 2.0) / 3.0 / 4.0).abs() <= 1e-15);
}

#[test]
fn car_and_cat() {
    let points = texts(&["car", "cat", "bar", "bat"]);
    for lambda in [0.1, 0.5, 1.0_f64] {
        let (plain, _) = rows(&subsequence(2, lambda), &points, &points);
        assert!((plain[0][1] - lambda.powi(4)).abs() <= 1e-15);
        assert!((plain[0][0] - 2.0 * lambda.powi(4) - lambda.powi(6)).abs() <= 1e-15);
        assert_eq!(plain[0][3], 0.0);
        let (normalized, _) = rows(&subsequence(2, lambda).normalized(), &points, &points);
        assert!((normalized[0][1] - 1.0 / (2.0 + lambda * lambda)).abs() <= 1e-15);
    }
}

#[test]
fn the_values_that_lodhi_and_others_printed() {
    let points = texts(&["science is organized knowledge", "wisdom is organized life"]);
    // The paper prints 0.580 for p = 1, a misprint: it is the value of p = 2, and p = 1 does not depend on λ. Its 0.370 for p = 6 is
    // 0.3695 rounded up.
    for (p, printed) in (1..).zip([0.849, 0.580, 0.478, 0.439, 0.406, 0.370]) {
        let (normalized, _) = rows(&subsequence(p, 0.5).normalized(), &points, &points);
        assert!((normalized[0][1] - printed).abs() <= 1e-3, "{p}: {}", normalized[0][1]);
    }
}

/// The recursion of Lodhi and others as it is printed, one pair at a time, divided by λ² for each letter.
fn recursion(s: &[char], t: &[char], p: usize, lambda: f64) -> f64 {
    let mut prime = vec![vec![1.0; t.len() + 1]; s.len() + 1];
    for _ in 1..p {
        let mut next = vec![vec![0.0; t.len() + 1]; s.len() + 1];
        for a in 1..=s.len() {
            let mut second = 0.0;
            for b in 1..=t.len() {
                second = lambda * second + if s[a - 1] == t[b - 1] { prime[a - 1][b - 1] } else { 0.0 };
                next[a][b] = lambda * next[a - 1][b] + second;
            }
        }
        prime = next;
    }
    let mut sum = 0.0;
    for a in 1..=s.len() {
        for b in 1..=t.len() {
            sum += if s[a - 1] == t[b - 1] { prime[a - 1][b - 1] } else { 0.0 };
        }
    }
    sum * lambda.powi(2 * p as i32)
}

#[test]
fn texts_of_a_thousand_letters_neither_underflow_nor_overflow() {
    let mut state = 1_u64;
    let mut letter = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b"abcdefghijklmnopqrst"[(state >> 33) as usize % 20])
    };
    let mut points: Vec<String> =
        [1000, 900, 400, 7, 30, 80, 1, 0, 2].iter().map(|&n| (0..n).map(|_| letter()).collect()).collect();
    points.push("z".repeat(1000));
    for (p, lambda) in [(4, 0.5), (4, 0.01), (7, 0.3), (12, 0.2), (3, 1.0)] {
        let kernel = subsequence(p, lambda);
        let (double, single) = rows(&kernel, &points, &points);
        let (normalized, _) = rows(&kernel.normalized(), &points, &points);
        assert!(normalized.iter().flatten().all(|k| (0.0..1.0 + 1e-12).contains(k)));
        for (i, j) in [(0, 1), (1, 0), (2, 2), (3, 4), (5, 1), (9, 9), (9, 0), (7, 7)] {
            let letters = |i: usize| points[i].chars().collect::<Vec<_>>();
            let exact = recursion(&letters(i), &letters(j), p as usize, lambda);
            assert!((double[i][j] - exact).abs() <= 1e-12 * exact, "{p} {lambda}: {} {exact}", double[i][j]);
            assert!((f64::from(single[i][j]) - exact).abs() <= 1e-6 * exact + 1e-37);
        }
    }
    // 1000 equal letters have C(1000, p)² pairs of subsequences: more than single precision holds for p = 8.
    assert!(subsequence(8, 1.0).bind(&points).is_err());
}

#[test]
fn all_lengths_are_the_sum_of_each() {
    let points = texts(&["science is organized", "wisdom is organized", "is", "", "s"]);
    for p in [1, 2, 5, 6, 8, 11] {
        let (all, _) = rows(&subsequences_up_to(p, 0.6), &points, &points);
        let each: Vec<_> = (1..=p).map(|q| rows(&subsequence(q, 0.6), &points, &points).0).collect();
        for i in 0..points.len() {
            for j in 0..points.len() {
                let sum: f64 = each.iter().map(|gram| gram[i][j]).sum();
                assert!((all[i][j] - sum).abs() <= 1e-13 * sum, "{p}: {} {sum}", all[i][j]);
            }
        }
    }
}

#[test]
fn groups_of_columns_do_not_change_bits() {
    // More columns than are sorted together, of lengths in no order.
    let columns: Vec<String> = (0..1100_usize).map(|i| "abcab".repeat(i * 7 % 5) + &"ca"[..i % 3]).collect();
    for kernel in [subsequence(3, 0.5), degree(4, 1)] {
        let (all, _) = rows(&kernel, &columns, &texts(&["abcacb", "bca"]));
        let bound = kernel.bind(&columns).unwrap();
        for width in [0, 1, 511, 513] {
            let mut part = vec![f64::NAN; width];
            bound.rows_f64(&texts(&["bca"]), &[0], &mut [&mut part]);
            assert_eq!(part, all[1][..width]);
        }
        for j in [0, 17, 600, 1099] {
            let (one, _) = rows(&kernel, &vec![columns[j].clone()], &texts(&["abcacb"]));
            assert_eq!(one[0][0], all[0][j]);
        }
    }
}

#[test]
fn text_of_the_other_kernels_is_parsed_and_refused_by_column() {
    for (text, canonical) in [
        ("range", "range(p=3)"),
        ("mismatch", "mismatch(p=5, m=1, alphabet=20)"),
        ("mismatch(p=6, alphabet=4, m=2)", "mismatch(p=6, m=2, alphabet=4)"),
        ("degree(d=20, shift=3)", "degree(d=20, shift=3)"),
        ("subsequence", "subsequence(p=4, lambda=0.5)"),
        ("subsequence(lengths=all, unit=word)", "subsequence(p=4, lambda=0.5, lengths=all, unit=word)"),
    ] {
        assert_eq!(text.parse::<TextExpr>().unwrap().to_string(), canonical);
    }
    let refused = assert_refused::<TextExpr>;
    refused("range(p=33)", 9, "must lie in 1 to 32");
    refused("mismatch(p=2, m=2)", 17, "m = 2: must be below p");
    refused("mismatch(m=3, p=30)", 12, "10,000 patterns");
    refused("mismatch(alphabet=1)", 19, "must lie in 2 to 65536");
    refused("degree(shift=1001)", 14, "must lie in 0 to 1000");
    refused("subsequence(lambda=1.5)", 20, "lambda = 1.5: must lie in (0, 1]");
    refused("subsequence(p=32, lambda=1e-5)", 26, "lambda^(2p) must not be below 1e-300");
    refused("subsequence(4)", 13, "by name: p, lambda, lengths, unit");
    assert_eq!(mismatch(2, 2, 4).definiteness(), Definiteness::Unknown);
    let paths =
        |kernel: TextExpr| kernel.parameters().into_iter().map(|p| (p.path, p.high)).collect::<Vec<_>>();
    assert_eq!(paths(subsequence(3, 0.5)), [("subsequence.lambda".to_owned(), 1.0)]);
}

#[test]
fn an_alphabet_smaller_than_that_of_the_texts_is_refused() {
    let error = mismatch(2, 1, 4).bind(&texts(&["ACGT", "ACGN"])).err().map(|error| error.to_string());
    let message = "text 2: with it there are 5 different units; alphabet = 4 must not be less";
    assert_eq!(error.as_deref(), Some(message));
    // A later text counts with the columns, and not with the texts beside it.
    for kernel in [mismatch(2, 1, 4), mismatch(2, 1, 4).normalized() + spectrum(2)] {
        let bound = kernel.bind(&texts(&["AC", "CA"])).unwrap();
        bound.admits(&texts(&["GT", "NR", "ACGT", ""])).unwrap();
        let error = bound.admits(&texts(&["GT", "ACGTN"])).unwrap_err().to_string();
        assert_eq!(error, message, "{kernel}");
    }
}

#[test]
fn values_that_vanish_in_single_precision_are_refused() {
    let points = texts(&["abcd", "", "bcd"]);
    let refusal = |kernel: TextExpr| kernel.bind(&points).err().map(|error| error.to_string());
    let tiny = subsequence(3, 1e-10);
    // λ⁶ = 1e-60 for each of bcd and abc.
    let message = refusal(tiny.clone()).unwrap();
    assert!(
        message.starts_with("the kernel of point 1 with itself is ") && message.contains("normalized"),
        "{message}"
    );
    // Zero in double precision too, but not in exact arithmetic.
    let message = refusal(subsequence(3, 1e-40).power(2)).unwrap();
    assert!(message.contains("with itself is 0e0"), "{message}");
    for kernel in
        [tiny.clone().normalized(), tiny + spectrum(1), subsequences_up_to(3, 1e-10), subsequence(5, 1e-10)]
    {
        assert_eq!(refusal(kernel.clone()), None, "{kernel}");
    }
}

#[test]
fn bytes_and_words_follow_their_definition() {
    let (short, words) =
        (texts(&["aé", "éa", "∞é", "", "aab"]), texts(&["to be or", "not to be", "be", "", "or not"]));
    let of = |unit| {
        [
            mismatch(2, 1, 9).unit(unit),
            degree(3, 1).unit(unit),
            subsequence(2, 0.6).unit(unit),
            subsequences_up_to(3, 0.6).unit(unit),
        ]
    };
    for (points, kernel) in
        of(Unit::Byte).map(|k| (&short, k)).into_iter().chain(of(Unit::Word).map(|k| (&words, k)))
    {
        let (double, _) = rows(&kernel, points, points);
        for i in 0..points.len() {
            for j in 0..points.len() {
                let exact = value(&kernel, (points, i), (points, j));
                assert!((double[i][j] - exact).abs() <= 1e-13 * exact, "{kernel}: {} {exact}", double[i][j]);
            }
        }
    }
}
