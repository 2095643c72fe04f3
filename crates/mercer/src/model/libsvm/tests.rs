//! What the reader refuses, and where it points; what the writer refuses.

use super::*;
use crate::data::{Dense, Sparse, Vectors};
use crate::error::ErrorKind;
use crate::kernel::{self, VectorExpr};
use crate::model::file::Training;
use crate::model::{How, MultiLabel, OneVsAll, Svc, SvddModel};

const MODEL: &str = "\
svm_type c_svc
kernel_type rbf
gamma 0.5
nr_class 3
total_sv 3
rho 0.25 -1 0
label 3 -1 2
nr_sv 1 0 2
SV
1 0.5 1:0.5 3:1\u{20}
-1 -0.25 2:2\u{20}
0 -0.25 2:1e-7 2147483647:1\u{20}
";

const FUNCTION: &str = "\
svm_type epsilon_svr
kernel_type rbf
gamma 0.5
nr_class 2
total_sv 2
rho 0.5
SV
1 1:0.5 3:1\u{20}
-0.25 2:2\u{20}
";

/// What reading `MODEL` says once `from` has become `to`.
fn refusal(from: &str, to: &str) -> String {
    assert!(MODEL.contains(from), "'{from}' is not in the model");
    parse(MODEL.replacen(from, to, 1).as_bytes()).unwrap_err().to_string().replace("<memory>:", "")
}

#[test]
fn fields_come_in_any_order() {
    let mut lines: Vec<&str> = MODEL.lines().collect();
    lines[..8].reverse();
    let reversed = lines.join("\n") + "\n";
    assert_eq!(parse(reversed.as_bytes()).unwrap(), parse(MODEL.as_bytes()).unwrap());
    assert_eq!(parse(MODEL.replace('\n', "\r\n").as_bytes()).unwrap(), parse(MODEL.as_bytes()).unwrap());
}

#[test]
fn what_is_read_is_what_is_written() {
    for text in [MODEL, FUNCTION, &FUNCTION.replace("epsilon_svr", "one_class")] {
        assert_eq!(print(&parse(text.as_bytes()).unwrap()).unwrap(), text);
    }
}

#[test]
fn machines_of_nu_are_written_where_the_training_had_one() {
    let training =
        Training { c: None, nu: Some(0.5), epsilon: None, class_weights: Vec::new(), tolerance: 1e-3 };
    for (text, from, to) in [(MODEL, "c_svc", "nu_svc"), (FUNCTION, "epsilon_svr", "nu_svr")] {
        let saved = parse(text.as_bytes()).unwrap();
        let of_nu = text.replace(from, to);
        assert_eq!(parse(of_nu.as_bytes()).unwrap(), saved);
        let saved = Saved { training: Some(training.clone()), ..saved };
        assert_eq!(print(&saved).unwrap(), of_nu);
    }
}

#[test]
fn other_types_are_refused_by_name() {
    assert_eq!(refusal("c_svc", "svdd"), "1:10: not a machine of LIBSVM: 'svdd'");
}

#[test]
fn functions_have_one_coefficient_and_no_classes() {
    let model = parse(FUNCTION.as_bytes()).unwrap().model;
    let function = model.downcast::<Function<Vectors, VectorExpr>>().unwrap();
    assert_eq!(function.role, Role::Regression);
    assert_eq!(function.coefficients(), [1.0, -0.25]);
    assert_eq!((function.expansion.offsets(), function.certificate), (&[0.5][..], None));
    let one_class = parse(FUNCTION.replace("epsilon_svr", "one_class").as_bytes()).unwrap().model;
    let expected = Function { role: Role::OneClass, ..function.clone() };
    assert_eq!(one_class.downcast::<Function<Vectors, VectorExpr>>(), Some(&expected));

    let refusal = |from: &str, to: &str| {
        assert!(FUNCTION.contains(from), "'{from}' is not in the model");
        parse(FUNCTION.replacen(from, to, 1).as_bytes()).unwrap_err().to_string().replace("<memory>:", "")
    };
    assert_eq!(
        refusal("nr_class 2", "nr_class 3"),
        "4:10: nr_class = 3: must be 2 where there are no classes"
    );
    assert_eq!(refusal("rho 0.5", "rho 0.5 1"), "6:10: 'rho' has 2 values where 1 are expected");
    assert_eq!(refusal("SV\n", "label 1 2\nSV\n"), "7:10: 'label' in a model without classes");
    assert_eq!(refusal("SV\n", "nr_sv 1 1\nSV\n"), "7:10: 'nr_sv' in a model without classes");
    assert_eq!(refusal("-0.25 2:2 \n", "\n"), "9:1: a coefficient is expected");
    assert_eq!(refusal("-0.25 2:2", "-0.25 1 2:2"), "9:7: expected index:value, found '1'");
    assert_eq!(refusal("-0.25 2:2 \n", ""), "9:1: the file ends where a support vector is expected");
    let huge = "9:1: expected the end of the file: total_sv support vectors were read";
    assert_eq!(refusal("total_sv 2", "total_sv 1"), huge);
    assert_eq!(
        refusal("total_sv 2", "total_sv 99999999999999999999"),
        "5:10: not a whole number, or out of range: '99999999999999999999'"
    );
    for length in 0..FUNCTION.len() {
        assert!(parse(&FUNCTION.as_bytes()[..length]).is_err(), "{length} bytes");
    }
}

#[test]
fn a_sphere_has_no_place_in_the_text() {
    let model = parse(FUNCTION.as_bytes()).unwrap().model;
    let function = model.downcast::<Function<Vectors, VectorExpr>>().unwrap().clone();
    let sphere = SvddModel { function, square_radius: 1.0, square_center: 2.0 };
    let error = print(&sphere.into()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }));
    assert!(error.to_string().contains("kind 'svdd' in a LIBSVM model"), "{error}");
}

#[test]
fn counts_that_do_not_match_are_refused() {
    assert_eq!(refusal("total_sv 3", "total_sv 4"), "5:10: total_sv = 4: must be the sum of nr_sv");
    assert_eq!(refusal("total_sv 3", "total_sv -1"), "5:10: not a whole number, or out of range: '-1'");
    assert_eq!(refusal("nr_sv 1 0 2", "nr_sv 1 2"), "8:10: 'nr_sv' has 2 values where 3 are expected");
    assert_eq!(
        refusal("nr_sv 1 0 2", "nr_sv 18446744073709551615 4 0"),
        "5:10: total_sv = 3: must be the sum of nr_sv"
    );
    assert_eq!(refusal("nr_sv 1 0 2", "nr_sv -1 4 0"), "8:7: not a whole number, or out of range: '-1'");
    assert_eq!(refusal("rho 0.25 -1 0", "rho 0.25 -1"), "6:12: 'rho' has 2 values where 3 are expected");
    assert_eq!(refusal("label 3 -1 2", "label 3 -1 2 4"), "7:15: 'label' has 4 values where 3 are expected");
    assert_eq!(refusal("label 3 -1 2", "label 3 -1 3"), "7:13: label 3 is listed twice");
    assert_eq!(refusal("label 3 -1 2", "label 3 -1 2.5"), "7:12: not a whole number, or out of range: '2.5'");
}

#[test]
fn class_counts_that_cannot_be_are_refused() {
    for count in ["0", "1", "18446744073709551615"] {
        let expected = format!("4:10: nr_class = {count}: at least two classes are needed");
        assert_eq!(refusal("nr_class 3", &format!("nr_class {count}")), expected);
    }
    // More than memory holds: the words present decide, nothing is set aside.
    assert!(refusal("nr_class 3", "nr_class 2147483647").contains("where 2147483647 are expected"));
    assert!(refusal("total_sv 3\n", "total_sv 1000000000000\n").contains("must be the sum"));
    let huge = MODEL
        .replace("total_sv 3", "total_sv 1000000000001")
        .replace("nr_sv 1 0 2", "nr_sv 1 0 1000000000000");
    let error = parse(huge.as_bytes()).unwrap_err().to_string();
    assert_eq!(error, "<memory>:13:1: the file ends where a support vector is expected");
}

#[test]
fn a_header_without_a_field_is_refused() {
    for name in ["svm_type", "kernel_type", "gamma", "nr_class", "total_sv", "rho", "label", "nr_sv"] {
        let without: String =
            MODEL.split_inclusive('\n').filter(|line| !line.starts_with(&format!("{name} "))).collect();
        let error = parse(without.as_bytes()).unwrap_err().to_string();
        assert_eq!(error, format!("<memory>:8:3: no line '{name}' before SV"));
    }
    assert_eq!(refusal("nr_class 3", "nr_class"), "4:9: 'nr_class' has no value");
    assert_eq!(refusal("nr_class 3", "nr_class 3 4"), "4:12: 'nr_class' has one value");
    assert_eq!(refusal("gamma 0.5", "gamma 0.5\ngamma 0.5"), "4:1: 'gamma' for the second time");
    assert_eq!(refusal("gamma 0.5", "gamma 0.5\n"), "4:1: an empty line in the header");
    assert_eq!(refusal("gamma", "shape"), "3:1: not a line of a LIBSVM model: 'shape'");
    assert_eq!(refusal("SV\n", "SW\n"), "9:1: not a line of a LIBSVM model: 'SW'");
}

#[test]
fn kernel_parameters_are_checked() {
    assert_eq!(refusal("gamma 0.5", "gamma 0"), "3:7: gamma = 0: must be positive and finite");
    assert_eq!(
        refusal("gamma 0.5", "gamma nan"),
        "3:7: not finite: 'nan'; every value must be a finite number"
    );
    assert_eq!(refusal("rbf", "rbg"), "2:13: not a kernel of LIBSVM: 'rbg'");
    assert_eq!(refusal("rbf", "sigmoid"), "9:3: no line 'coef0' before SV");
    assert_eq!(refusal("rbf", "polynomial\ndegree 0\ncoef0 1"), "3:8: degree = 0: must lie in 1 to 100");
}

#[test]
fn support_vectors_are_checked() {
    assert_eq!(refusal("1 0.5 1:0.5", "1"), "10:3: not a number: '3:1'");
    assert_eq!(refusal("-1 -0.25 2:2 \n", "-1\n"), "11:3: a coefficient for each other class is expected");
    assert_eq!(refusal("-1 -0.25 2:2 \n", "\n"), "11:1: a coefficient for each other class is expected");
    assert_eq!(
        refusal("1 0.5 1", "inf 0.5 1"),
        "10:1: not finite: 'inf'; every value must be a finite number"
    );
    assert_eq!(refusal("3:1", "3:x"), "10:15: not a number: 'x'");
    assert_eq!(refusal("3:1", "3:"), "10:15: not a number: ''");
    assert_eq!(refusal("3:1", "3:1e999"), "10:15: not finite: '1e999'; every value must be a finite number");
    assert_eq!(refusal("3:1", "1:1"), "10:13: feature index 1 after 1; indices must ascend");
    assert_eq!(refusal("1:0.5", "0:0.5"), "10:7: feature index 0; indices count from 1");
    assert_eq!(refusal("1:0.5", "-1:0.5"), "10:7: not a feature index: '-1'");
    assert_eq!(refusal("1:0.5", "1:0.5 2"), "10:13: expected index:value, found '2'");
    let beyond = "12:16: feature index 2147483648; the largest allowed is 2147483647";
    assert_eq!(refusal("2147483647:1", "2147483648:1"), beyond);
    assert!(refusal("2147483647:1", "99999999999999999999:1").contains("the largest allowed"));
}

#[test]
fn the_file_ends_where_it_must() {
    let missing = "12:1: the file ends where a support vector is expected";
    assert_eq!(refusal("0 -0.25 2:1e-7 2147483647:1 \n", ""), missing);
    assert_eq!(
        refusal("2:2 \n0", "2:2 \n0 0 5:1 \n0"),
        "13:1: expected the end of the file: total_sv support vectors were read"
    );
    let cut = MODEL.trim_end();
    let error = parse(cut.as_bytes()).unwrap_err().to_string();
    assert_eq!(error, "<memory>:12:28: the file ends inside a line");
    assert!(parse(format!("{MODEL}\n \n").as_bytes()).is_ok());
    assert_eq!(parse(b"svm_type \xff\n").unwrap_err().to_string(), "<memory>:1:10: not UTF-8 text");
}

#[test]
fn precomputed_vectors_are_serial_numbers() {
    let text = "svm_type c_svc\nkernel_type precomputed\nnr_class 2\ntotal_sv 2\nrho 0\nlabel 1 2\nnr_sv 1 1\n\
                SV\n1 0:7 \n-1 0:5 \n";
    let model = parse(text.as_bytes()).unwrap();
    assert_eq!(print(&model).unwrap(), text);
    let refusal = |from, to| parse(text.replacen(from, to, 1).as_bytes()).unwrap_err().to_string();
    assert!(refusal("0:7", "").contains(":9:2: a precomputed kernel needs 0:serial"));
    assert!(refusal("0:7", "1:7").contains(":9:3: a precomputed kernel needs 0:serial"));
    assert!(refusal("0:7", "0:7.5").contains(":9:5: not a feature index: '7.5'"));
    assert!(refusal("0:7", "0:0").contains(":9:5: feature index 0"));
    assert!(refusal("0:7", "0:7 1:1").contains(":9:7: expected the end of the line"));
    // A number far beyond the data claims no memory; one beyond any matrix of kernel values is refused.
    let far = parse(text.replace("0:7", "0:16777216").as_bytes()).unwrap();
    let row: Vectors = Sparse::new(16_777_217, vec![0, 2], vec![0, 5], vec![1.0, 2.5]).into();
    assert_eq!(far.model.decisions(&row.into(), How::default()).unwrap().values(), [-2.5]);
    assert!(refusal("0:7", "0:2147483647").contains(":9:5: the number of a training point"));
}

fn written(kernel: VectorExpr, classes: [&str; 2]) -> Result<String> {
    let model = SvcModel {
        expansion: Expansion::new(
            kernel,
            Dense::new(2, vec![0.1_f32, 0.0, 0.0, 1e20]).into(),
            parts::blocks(&[1, 1], &[1.0, -1.0]),
            vec![0.0],
        ),
        classes: classes.map(str::to_owned).to_vec(),
        class_sizes: vec![1, 1],
        support: vec![],
        certificates: vec![],
        rule: VoteRule::Votes,
    };
    print(&model.into())
}

#[test]
fn numbers_are_written_with_the_digits_they_need() {
    let text = written(kernel::linear(), ["+1", "-1.0"]).unwrap();
    // The single-precision 0.1 and 1e20 are these numbers exactly.
    assert!(
        text.ends_with("label 1 -1\nnr_sv 1 1\nSV\n1 1:0.10000000149011612 \n-1 2:1.0000000200408773e20 \n")
    );
}

#[test]
fn what_libsvm_does_not_have_is_refused_by_name() {
    let refusal = |kernel, classes| written(kernel, classes).unwrap_err().to_string();
    assert!(refusal(kernel::linear(), ["cat", "dog"]).contains("class 'cat'"));
    assert!(refusal(kernel::linear(), ["1.5", "2"]).contains("class '1.5'"));
    assert!(refusal(kernel::linear(), ["1", "4294967296"]).contains("class '4294967296'"));
    assert!(refusal(kernel::linear(), ["1", "NaN"]).contains("class 'NaN'"));
    assert!(refusal(kernel::linear(), ["1", "+1"]).contains("two classes of one number, 1"));
    assert!(refusal(kernel::cosine(), ["1", "2"]).contains("kernel cosine"));
    assert!(refusal(kernel::linear() + kernel::cosine(), ["1", "2"]).contains("kernel linear + cosine"));
    assert!(refusal(kernel::precomputed(), ["1", "2"]).contains("serial number"));

    let x = Vectors::dense(1, vec![-1.0, 0.0, 1.0]);
    let y = crate::data::Labels::first_seen(["1", "2", "3"]);
    let refusal = |saved: Saved| print(&saved).unwrap_err().to_string();
    let sum = Svc::new(kernel::rbf(1.0)).fit(&x, &y).unwrap().with_rule(VoteRule::Sum);
    assert!(refusal(sum.into()).contains("summed decisions (ovo-sum) in a LIBSVM model"));
    let ovr = OneVsAll::new(kernel::rbf(1.0)).fit(&x, &y).unwrap();
    assert!(refusal(ovr.into()).contains("kind 'ovr' in a LIBSVM model"));
    let sets = MultiLabel::new(kernel::rbf(1.0)).fit(&x, &crate::data::LabelSets::of(&y)).unwrap();
    assert!(refusal(sets.into()).contains("kind 'multilabel' in a LIBSVM model"));
}
