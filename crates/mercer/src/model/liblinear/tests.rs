//! What the reader refuses, and where it points; what the writer writes and refuses.

use super::*;
use crate::data::{Labels, Vectors};
use crate::kernel::{self, VectorExpr};
use crate::model::{Cost, How, LinearModel, LinearOneClass, LinearSvc, LinearSvr, Logistic, Prediction, Svc};

const TWO: &str = "\
solver_type L2R_LR
nr_class 2
label 3 -1
nr_feature 2
bias 1
w
0.5\u{20}
-0.25\u{20}
1\u{20}
";

const THREE: &str = "\
solver_type L2R_L2LOSS_SVC
nr_class 3
label 3 -1 2
nr_feature 2
bias -1
w
0.5 -1 0\u{20}
1e-7 2 -0.125\u{20}
";

const NUMBERS: &str = "\
solver_type L2R_L2LOSS_SVR
nr_class 2
nr_feature 3
bias -1
w
0.5\u{20}
0\u{20}
-2\u{20}
";

const ONE_CLASS: &str = "\
solver_type ONECLASS_SVM
nr_class 2
nr_feature 2
bias -1
rho 0.75
w
0.5\u{20}
1\u{20}
";

fn linear(saved: &Saved) -> &LinearModel<Vectors, VectorExpr> {
    saved.model.downcast().unwrap()
}

/// What reading `model` says once `from` has become `to`.
fn refusal_of(model: &str, from: &str, to: &str) -> String {
    assert!(model.contains(from), "'{from}' is not in the model");
    parse(model.replacen(from, to, 1).as_bytes()).unwrap_err().to_string().replace("<memory>:", "")
}

fn refusal(from: &str, to: &str) -> String {
    refusal_of(THREE, from, to)
}

#[test]
fn what_is_read_is_what_is_written() {
    for text in [TWO, THREE, NUMBERS, ONE_CLASS] {
        let saved = parse(text.as_bytes()).unwrap();
        assert_eq!(print(&saved).unwrap(), text);
        assert_eq!(saved.program, "LIBLINEAR text");
        saved.model.check().unwrap();
        assert_eq!(Saved::from_bytes(&saved.to_bytes().unwrap()).unwrap(), saved);
    }
}

#[test]
fn fields_come_in_any_order() {
    let mut lines: Vec<&str> = THREE.lines().collect();
    lines[..5].reverse();
    let reversed = lines.join("\n") + "\n";
    assert_eq!(parse(reversed.as_bytes()).unwrap(), parse(THREE.as_bytes()).unwrap());
    assert_eq!(parse(THREE.replace('\n', "\r\n").as_bytes()).unwrap(), parse(THREE.as_bytes()).unwrap());
}

#[test]
fn columns_are_functions_and_the_last_line_is_the_offset() {
    let saved = parse(TWO.as_bytes()).unwrap();
    let model = linear(&saved);
    assert_eq!((model.weights(0), model.expansion.offsets()), (vec![0.5, -0.25], &[-1.0][..]));
    assert_eq!(
        (model.cost, model.classes.as_slice()),
        (Cost::Logistic, &["3".to_owned(), "-1".to_owned()][..])
    );
    // f = 0.5·2 − 0.25·4 + 1 = 1.
    assert_eq!(model.values(&Vectors::dense(2, vec![2.0, 4.0])).unwrap().values(), [1.0]);
    let saved = parse(THREE.as_bytes()).unwrap();
    let model = linear(&saved);
    assert_eq!(model.weights(1), [-1.0, 2.0]);
    assert_eq!(
        model.predict(&Vectors::dense(2, vec![1.0, 0.0, 0.0, 1.0, -1.0, -1.0])).unwrap(),
        ["3", "-1", "2"]
    );
}

#[test]
fn every_solver_is_read() {
    for solver in &SOLVERS {
        let text = match solver.learnt {
            Learnt::Classes(_) => THREE.replace("L2R_L2LOSS_SVC", solver.name),
            Learnt::Numbers(_) => NUMBERS.replace("L2R_L2LOSS_SVR", solver.name),
            Learnt::Inside => ONE_CLASS.to_owned(),
        };
        let saved = parse(text.as_bytes()).unwrap();
        saved.model.check().unwrap();
        assert_eq!(print_as(&saved, &Form { solver, bias: -1.0 }).unwrap(), text);
    }
}

#[test]
fn a_one_class_model_has_rho_for_its_offset() {
    let saved = parse(ONE_CLASS.as_bytes()).unwrap();
    assert_eq!((saved.model.kind(), linear(&saved).expansion.offsets()), ("linear-one-class", &[0.75][..]));
    // f = 1.5 − 0.75, 0.75 − 0.75 and −0.75: a point on the boundary is outside.
    let points = Vectors::dense(2, vec![1.0, 1.0, 1.5, 0.0, 0.0, 0.0]).into();
    let Prediction::Sides(sides) = saved.model.predict(&points, How::default()).unwrap() else {
        panic!("sides")
    };
    assert_eq!(sides.iter().map(|&side| side > 0.0).collect::<Vec<_>>(), [true, false, false]);
    assert_eq!(refusal_of(ONE_CLASS, "rho 0.75\n", ""), "5:2: no line 'rho' before w");
    assert_eq!(refusal_of(ONE_CLASS, "bias -1", "bias 1"), "4:6: a one-class model has no bias");
    assert_eq!(
        refusal_of(ONE_CLASS, "nr_class 2", "nr_class 2\nlabel 1 -1"),
        "3:11: 'label' in a model without classes"
    );
    let form = |number| Form { solver: Solver::numbered(number).unwrap(), bias: 1.0 };
    let error = print_as(&saved, &form(21)).unwrap_err().to_string();
    assert!(error.contains("bias 1 of a one-class model, which has none"), "{error}");
    // The hinge alone does not make it a model of classes.
    let error = print_as(&saved, &form(3)).unwrap_err().to_string();
    assert!(
        error.contains("solver L2R_L1LOSS_SVC_DUAL of a model that has the loss of ONECLASS_SVM"),
        "{error}"
    );
}

#[test]
fn a_one_class_model_in_other_units_has_the_same_sides() {
    let x = Vectors::dense(2, vec![2.0, 3.0, 3.0, 2.0, 2.5, 2.5, 4.0, 4.0, 0.1, 0.2]);
    let model = LinearOneClass::new(kernel::linear()).nu(0.2).tolerance(1e-10).fit(&x).unwrap();
    let scaled = with_total(&model, 8.0).unwrap();
    let (own, other) = (model.values(&x).unwrap(), scaled.values(&x).unwrap());
    // A power of two leaves all digits.
    assert_eq!(other.values(), own.values().iter().map(|f| 8.0 * f).collect::<Vec<_>>());
    let [before, after] = [model.certificates[0], scaled.certificates[0]];
    assert_eq!((after.objective, after.gap), (64.0 * before.objective, before.gap.map(|gap| 64.0 * gap)));
    assert!(with_total(&model, 0.0).is_err() && with_total(&model, f64::INFINITY).is_err());
}

#[test]
fn crammer_and_singer_have_two_functions_for_two_classes() {
    let text = TWO
        .replace("L2R_LR", "MCSVM_CS")
        .replace("0.5 \n", "0.5 -0.5 \n")
        .replace("-0.25 \n", "-0.25 0.25 \n")
        .replace("\n1 \n", "\n1 -1 \n");
    let saved = parse(text.as_bytes()).unwrap();
    assert_eq!(linear(&saved).weights(0), [0.5, -0.25]);
    let solver = Solver::named("MCSVM_CS").unwrap();
    assert_eq!(print_as(&saved, &Form { solver, bias: 1.0 }).unwrap(), text);
}

#[test]
fn the_bias_scales_the_weight_of_its_feature() {
    let saved = parse(TWO.replace("bias 1", "bias 0.5").as_bytes()).unwrap();
    assert_eq!(linear(&saved).expansion.offsets(), [-0.5]);
    let form = Form { solver: Solver::numbered(0).unwrap(), bias: 4.0 };
    assert!(print_as(&saved, &form).unwrap().ends_with("bias 4\nw\n0.5 \n-0.25 \n0.125 \n"));
    let without = parse(TWO.replace("bias 1", "bias 0").as_bytes()).unwrap();
    assert_eq!(linear(&without).expansion.offsets(), [0.0]);
    assert!(
        print_as(&without, &Form { bias: 0.0, ..form }).unwrap().ends_with("bias 0\nw\n0.5 \n-0.25 \n0 \n")
    );
    for bias in [0.0, -1.0, f64::NAN] {
        assert!(
            print_as(&saved, &Form { bias, ..form }).unwrap_err().to_string().contains("must be above 0")
        );
    }
}

#[test]
fn headers_that_do_not_fit_are_refused() {
    assert_eq!(refusal("L2R_L2LOSS_SVC", "L3R"), "1:13: not a solver of LIBLINEAR: 'L3R'");
    assert_eq!(refusal("nr_class 3", "nr_class 1"), "2:10: nr_class = 1: at least two classes are needed");
    assert_eq!(refusal("nr_class 3", "nr_class 0"), "2:10: nr_class = 0: at least two classes are needed");
    assert_eq!(refusal("nr_class 3", "nr_class -3"), "2:10: not a whole number, or out of range: '-3'");
    assert_eq!(refusal("label 3 -1 2", "label 3 -1"), "3:11: 'label' has 2 values where 3 are expected");
    assert_eq!(refusal("label 3 -1 2", "label 3 -1 3"), "3:13: label 3 is listed twice");
    assert_eq!(refusal("label 3 -1 2", "label 3 -1 2.5"), "3:12: not a whole number, or out of range: '2.5'");
    assert_eq!(refusal("label 3 -1 2\n", ""), "5:2: no line 'label' before w");
    assert_eq!(refusal("bias -1", "bias nan"), "5:6: not finite: 'nan'; every value must be a finite number");
    assert_eq!(refusal("bias -1", "bias"), "5:5: 'bias' has no value");
    assert_eq!(refusal("bias -1", "bias -1\nbias -1"), "6:1: 'bias' for the second time");
    assert_eq!(refusal("bias -1", "bias -1\nrho 1"), "6:6: 'rho' in a model that does not have it");
    assert_eq!(refusal("nr_feature 2", "nr_feature 0"), "4:12: nr_feature = 0: must be at least 1");
    assert_eq!(refusal("nr_feature 2", "nr_feature -2"), "4:12: nr_feature = -2: must be at least 1");
    assert_eq!(refusal("bias", "width"), "5:1: not a line of a LIBLINEAR model: 'width'");
    let regression = |from, to| refusal_of(NUMBERS, from, to);
    assert_eq!(regression("nr_class 2", "nr_class 2\nlabel 1 2"), "3:10: 'label' in a model without classes");
    assert_eq!(
        regression("nr_class 2", "nr_class 3"),
        "2:10: nr_class = 3: must be 2 where there are no classes"
    );
}

#[test]
fn weights_that_do_not_fit_are_refused() {
    let end =
        "9:1: expected the end of the file: the weights of nr_feature features and of the bias were read";
    assert_eq!(refusal("0.5 -1 0 ", "0.5 -1 "), "7:7: 2 weights where 3 are expected, one for each function");
    assert_eq!(refusal("0.5 -1 0 ", "0.5 -1 0 1"), "7:10: expected the end of the line behind 3 weights");
    assert_eq!(refusal("0.5 -1 0 ", "0.5 x 0 "), "7:5: not a number: 'x'");
    assert_eq!(
        refusal("0.5 -1 0 ", "0.5 nan 0 "),
        "7:5: not finite: 'nan'; every value must be a finite number"
    );
    assert_eq!(
        refusal("0.5 -1 0 ", "0.5 1e999 0 "),
        "7:5: not finite: '1e999'; every value must be a finite number"
    );
    assert_eq!(
        refusal("nr_feature 2", "nr_feature 3"),
        "9:1: the file ends where a line of weights is expected"
    );
    assert_eq!(refusal("bias -1", "bias 1"), "9:1: the file ends where a line of weights is expected");
    assert_eq!(refusal("nr_feature 2", "nr_feature 1").replacen('8', "9", 1), end);
    assert_eq!(
        refusal_of(TWO, "bias 1\nw\n0.5 \n-0.25 \n1 ", "bias 1e300\nw\n0.5 \n-0.25 \n1e300 "),
        "9:1: bias times its weight is not finite"
    );
}

#[test]
fn numbers_that_a_file_claims_take_no_memory() {
    let missing = "9:1: the file ends where a line of weights is expected";
    assert_eq!(refusal("nr_feature 2", "nr_feature 2147483647"), missing);
    assert!(refusal("nr_feature 2", "nr_feature 2147483648").contains("out of range"));
    assert!(refusal("nr_class 3", "nr_class 2147483647").contains("where 2147483647 are expected"));
    assert!(refusal("nr_class 3", "nr_class 18446744073709551615").contains("are expected"));
}

#[test]
fn a_file_that_is_cut_is_refused_wherever_that_is() {
    for model in [TWO, THREE, NUMBERS, ONE_CLASS] {
        for length in 0..model.len() {
            assert!(parse(&model.as_bytes()[..length]).is_err(), "{length} bytes");
        }
        assert!(parse(format!("{model}\n \n").as_bytes()).is_ok());
    }
    assert_eq!(parse(b"solver_type \xff\n").unwrap_err().to_string(), "<memory>:1:13: not UTF-8 text");
}

#[test]
fn fitted_models_are_written_and_decide_the_same_when_read() {
    let x = Vectors::dense(2, vec![0.0, 1.0, 0.5, 2.0, 2.0, 0.0, 3.0, 1.0, -1.0, -1.0, -2.0, -1.5]);
    let two = Labels::first_seen(["1", "1", "2", "2", "2", "1"]);
    let three = Labels::first_seen(["1", "1", "2", "2", "3", "3"]);
    let numbers = [1.0, 2.0, 0.5, -1.0, 3.0, 0.25];
    let models: [Saved; 4] = [
        LinearSvc::new(kernel::linear()).fit(&x, &two).unwrap().into(),
        LinearSvc::new(kernel::linear()).fit(&x, &three).unwrap().into(),
        Logistic::new(kernel::linear()).fit(&x, &three).unwrap().into(),
        LinearSvr::new(kernel::linear()).fit(&x, &numbers).unwrap().into(),
    ];
    let names = ["L2R_L2LOSS_SVC", "L2R_L2LOSS_SVC", "L2R_LR", "L2R_L1LOSS_SVR_DUAL"];
    for (saved, name) in models.iter().zip(names) {
        let text = print(saved).unwrap();
        assert!(text.starts_with(&format!("solver_type {name}\n")), "{text}");
        let again = parse(text.as_bytes()).unwrap();
        assert_eq!(print(&again).unwrap(), text);
        // The weight of the constant feature 1 is the offset, to the bit.
        assert_eq!(linear(&again).values(&x).unwrap(), linear(saved).values(&x).unwrap());
    }
}

#[test]
fn what_liblinear_does_not_have_is_refused_by_name() {
    let x = Vectors::dense(1, vec![-1.0, 1.0]);
    let refusal = |saved: Saved| print(&saved).unwrap_err().to_string();
    let words = Labels::first_seen(["cat", "dog"]);
    let named = LinearSvc::new(kernel::linear()).fit(&x, &words).unwrap();
    assert!(refusal(named.into()).contains("class 'cat' in a LIBLINEAR model"));
    let svc = Svc::new(kernel::linear()).fit(&x, &Labels::first_seen(["1", "2"])).unwrap();
    assert!(refusal(svc.into()).contains("kind 'svc' in a LIBLINEAR model; it has linear models"));
    let form = Form { solver: Solver::numbered(3).unwrap(), bias: 1.0 };
    let error = print_as(&parse(TWO.as_bytes()).unwrap(), &form).unwrap_err().to_string();
    assert!(error.contains("solver L2R_L1LOSS_SVC_DUAL of a model that has the loss of L2R_LR"), "{error}");
    assert!(check(&["1".into(), "1.5".into()]).is_err());
}
