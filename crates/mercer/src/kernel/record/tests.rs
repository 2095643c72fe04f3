//! Rows of tables against the kernels of their columns.

use proptest::prelude::*;

use super::*;
use crate::data::{Cells, Points, Records};
use crate::kernel::arbitrary::{assert_refused, definite_expression, points as vectors};
use crate::kernel::{Definiteness, Kernel, TextExpr, battery, spectrum};

/// A table of texts beside three columns of numbers.
fn table() -> impl Strategy<Value = (Records, Vec<String>, crate::data::Vectors)> {
    vectors().prop_flat_map(|x| {
        proptest::collection::vec("[ab é]{0,9}", x.len()).prop_map(move |texts| {
            let column = |k: usize| Cells::Numbers((0..x.len()).map(|i| x.row(i).get(k)).collect());
            let columns = vec![
                ("a".to_owned(), column(0)),
                ("the text".to_owned(), Cells::Texts(texts.clone())),
                ("b".to_owned(), column(1)),
                ("c".to_owned(), column(2)),
            ];
            (Records::new(columns).unwrap(), texts, x.clone())
        })
    })
}

fn rows<K: Kernel<X>, X: Points>(kernel: &K, x: &X) -> Option<Vec<Vec<f64>>> {
    let bound = kernel.bind(x).ok()?;
    let all: Vec<usize> = (0..x.len()).collect();
    let mut values = vec![vec![f64::NAN; x.len()]; x.len()];
    bound.rows_f64(x, &all, &mut values.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
    Some(values)
}

proptest! {
    #[test]
    fn a_sum_over_columns_is_the_sum_of_its_kernels((k, (records, texts, x)) in (definite_expression(), table())) {
        let kernel: RecordExpr = format!("2*(spectrum(p=2)@\"the text\") + ({k})@[a, b, c]").parse().unwrap();
        prop_assert_eq!(&kernel.to_string().parse::<RecordExpr>().unwrap(), &kernel);
        let (Some(found), Some(vector)) = (rows(&kernel, &records), rows(&k, &x)) else { return Ok(()) };
        let text = rows::<TextExpr, _>(&spectrum(2), &texts).unwrap();
        for i in 0..x.len() {
            for j in 0..x.len() {
                let exact = 2.0 * text[i][j] + vector[i][j];
                // An expression on vectors and the tree of its leaves may add up in another order.
                prop_assert!(!exact.is_finite() || (found[i][j] - exact).abs() <= 1e-9 * exact.abs().max(1e3), "{}: {} {}", k, found[i][j], exact);
            }
        }
    }

    #[test]
    fn expressions_pass_the_battery((records, _, _) in table()) {
        for text in [
            "spectrum(p=1) @ \"the text\"",
            "normalized(rbf(gamma=0.5)@[a, c]) * (normalized(spectrum(p=2))@\"the text\" + 1)",
            "linear @ columns(2) @ [a, b] + range(p=2) @ \"the text\"",
        ] {
            let kernel: RecordExpr = text.parse().unwrap();
            prop_assert_eq!(battery(&kernel, &records), Ok(()), "{}", text);
        }
    }
}

#[test]
fn text_of_kernels_is_parsed_and_refused_by_column() {
    for (text, canonical) in [
        ("spectrum(3)@name", "spectrum(p=3) @ name"),
        ("(wl + vertices)@g", "wl(h=5, base=subtree) @ g + vertices @ g"),
        ("set(rbf(2))@bag^2", "(set(rbf(gamma=2)) @ bag)^2"),
        ("rbf(1) @ monomials(2) @ [x, \"y z\"]", "rbf(gamma=1) @ monomials(degree=2) @ [x, \"y z\"]"),
    ] {
        assert_eq!(text.parse::<RecordExpr>().unwrap().to_string(), canonical);
    }
    let refused = assert_refused::<RecordExpr>;
    refused("spectrum(3)@[a", 13, "a '[' without its ']'");
    refused("spectrum(3)@[a b]", 16, "expected ',' or ']'");
    refused("spectrum(3)@", 13, "expected the name of a column");
    refused("spectrum(3)@\"a", 13, "a quote without its end");
    refused("spectrum(3)@a@b", 14, "has its columns already");
    refused("spectrum(3)@columns(1)", 13, "feature maps are of kernels on vectors");
    refused("linear@a@columns(1)", 10, "a feature map comes before the columns");
    refused("spectrum(3)@[a, b]", 1, "a kernel on texts takes one column");
    refused("linear@a + spectrum(2)", 1, "without its column");
    let kernel: RecordExpr = "linear@[a, b] + rbf(1)@b + spectrum@t".parse().unwrap();
    let names: Vec<_> =
        kernel.columns().unwrap().into_iter().map(|(name, cells)| (name, cells.kind())).collect();
    assert_eq!(names, [("a".into(), "numbers"), ("b".into(), "numbers"), ("t".to_owned(), "texts")]);
    assert!("linear@a + spectrum@a".parse::<RecordExpr>().unwrap().columns().is_err());
    assert_eq!(kernel.definiteness(), Definiteness::Psd);
    let paths: Vec<_> = kernel.parameters().into_iter().map(|p| p.path).collect();
    assert_eq!(paths, ["1.rbf.gamma"]);
}

#[test]
fn columns_that_are_not_there_are_refused() {
    let records = Records::new(vec![("t".into(), Cells::Texts(vec!["a".into(), "b".into()]))]).unwrap();
    for (text, part) in [("linear@x", "no column 'x'"), ("linear@t", "column 't', which has texts")] {
        let error = text.parse::<RecordExpr>().unwrap().bind(&records).err().map(|error| error.to_string());
        assert!(error.as_ref().is_some_and(|error| error.contains(part)), "{error:?}");
    }
}

#[test]
fn other_rows_are_compared_as_the_rows_bound() {
    let text = |texts: &[&str]| Cells::Texts(texts.iter().map(ToString::to_string).collect());
    let number = |values: &[f64]| Cells::Numbers(values.to_vec());
    let bound =
        Records::new(vec![("t".into(), text(&["ab", "b"])), ("x".into(), number(&[1.0, 2.0]))]).unwrap();
    // Columns in another order, and one more.
    let other = Records::new(vec![
        ("u".into(), number(&[9.0])),
        ("x".into(), number(&[3.0])),
        ("t".into(), text(&["abb"])),
    ]);
    let kernel: RecordExpr = "spectrum(1)@t + linear@x".parse().unwrap();
    let mut row = [0.0; 2];
    kernel.bind(&bound).unwrap().rows_f64(&other.unwrap(), &[0], &mut [&mut row]);
    assert_eq!(row, [1.0 + 2.0 + 3.0, 2.0 + 6.0]);
}
