//! What is trained can be saved, shown, converted and used.

mod common;

use common::{Place, assert_close};

#[test]
fn train_predict_inspect_and_convert_agree() {
    let place = Place::new();
    let trained = place.run("train --json -c 2 @heart_scale heart.mercer").ok().json();
    let predicted = place.run("predict --json @heart_scale heart.mercer a.txt").ok().json();
    assert_eq!(predicted["rows"], 270);
    let shown = place.run("inspect --json heart.mercer").ok().json();
    for key in ["kernel", "support_vectors", "stop", "features"] {
        assert_eq!(shown[key], trained[key], "{key}");
    }
    assert_eq!(shown["training"]["c"], 2.0);
    assert_eq!(shown["certificates"][0]["objective"], trained["objective"]);

    place.run("convert heart.mercer heart.model").ok();
    assert!(place.read("heart.model").starts_with("svm_type c_svc\nkernel_type rbf\n"));
    place.run("convert heart.model back.mercer").ok();
    for model in ["heart.model", "back.mercer"] {
        let again = place.run(&format!("predict --json @heart_scale {model} b.txt")).ok().json();
        assert_eq!(again["correct"], predicted["correct"]);
        assert_eq!(place.read("b.txt"), place.read("a.txt"));
    }
    let text = place.run("inspect back.mercer").ok().out;
    assert!(text.contains("certificate  none") && text.contains("1 vs -1"), "{text}");
}

#[test]
fn json_has_the_promised_keys() {
    let place = Place::new();
    let run = place.run("train --json @iris_scale m.mercer").ok();
    assert_eq!(run.out.lines().count(), 1, "the summary goes to standard error: {}", run.out);
    assert!(run.err.contains("support points"), "{}", run.err);
    let report = run.json();
    for key in [
        "method",
        "kernel",
        "rows",
        "features",
        "classes",
        "support_vectors",
        "objective",
        "gap",
        "violation",
        "iterations",
        "kernel_rows",
        "stop",
        "read_seconds",
        "fit_seconds",
        "save_seconds",
        "phases",
        "peak_bytes",
        "model",
        "threads",
        "tolerance",
        "c",
    ] {
        assert!(
            !report[key].is_null() || (key == "peak_bytes" && !cfg!(target_os = "linux")),
            "{key}: {report}"
        );
    }
    assert_eq!(
        (&report["rows"], &report["features"], &report["classes"]),
        (&150.into(), &4.into(), &3.into())
    );
    assert_eq!(report["stop"], "converged");
    // The default kernel is rbf with gamma = 1/features.
    assert_eq!(report["kernel"], "rbf(gamma=0.25)");
    let report = place.run("predict --json @iris_scale m.mercer out").ok().json();
    for key in ["rows", "accuracy", "correct", "read_seconds", "predict_seconds", "rows_per_second"] {
        assert!(report[key].is_number(), "{key}: {report}");
    }
    assert_close(report["accuracy"].as_f64().unwrap(), report["correct"].as_f64().unwrap() / 150.0, 1e-12);
}

#[test]
fn an_indefinite_kernel_has_no_gap() {
    let place = Place::new();
    let report = place.run("train --json --kernel tanh(gamma=0.01) @heart_scale m.mercer").ok().json();
    assert!(report["gap"].is_null());
}

#[test]
fn scaling_and_columns_are_stored_and_applied() {
    let place = Place::new();
    let mut table = String::from("colour,size,class\n");
    for i in 0..40 {
        let (colour, class) = if i % 2 == 0 { ("red", "apple") } else { ("blue", "plum") };
        table.push_str(&format!("{colour},{},{class}\n", 1000 + 7 * i));
    }
    place.write("fruit.csv", &table);
    place.run("train -q --scale standard fruit.csv").ok();
    assert_eq!(place.files(), ["fruit.csv", "fruit.csv.mercer"]);
    // Columns are found by name, and a category that was not there in training is no category at all.
    place.write("new.csv", "size,colour\n1005,red\n1010,blue\n1010,green\n");
    let run = place.run("predict --label none new.csv fruit.csv.mercer").ok();
    let labels: Vec<&str> = run.out.lines().collect();
    assert_eq!(labels[..2], ["apple", "plum"]);
    assert_eq!(labels.len(), 3);
    let text = place.run("inspect fruit.csv.mercer").ok().out;
    assert!(text.contains("2 columns of a table, 1 one-hot; every feature scaled to mean 0"), "{text}");
}

#[test]
fn sparse_data_may_be_narrower_or_wider_than_the_model() {
    let place = Place::new();
    place.run("train -q @heart_scale m.mercer").ok();
    place.write("narrow", "1 1:0.5\n-1 2:-1\n");
    place.write("wide", "1 1:0.5 900:0\n-1 2:-1\n");
    let narrow = place.run("predict --decisions narrow m.mercer").ok().out;
    let wide = place.run("predict --decisions wide m.mercer").ok().out;
    assert_eq!(narrow, wide);
    assert!(narrow.starts_with("label\t1 vs -1\n"), "{narrow}");
}

#[test]
fn data_formats_convert_into_each_other() {
    let place = Place::new();
    place.run("convert @iris_scale iris.csv").ok();
    assert!(place.read("iris.csv").starts_with("x1,x2,x3,x4,label\n"));
    place.run("convert iris.csv iris.libsvm").ok();
    place.run("convert iris.libsvm again.csv").ok();
    assert_eq!(place.read("iris.csv"), place.read("again.csv"));
    let report = |file: &str| place.run(&format!("train --json {file} m.mercer")).ok().json();
    let (text, table) = (report("iris.libsvm"), report("iris.csv"));
    let objective = |report: &serde_json::Value| report["objective"].as_f64().unwrap();
    assert_close(objective(&text), objective(&table), 1e-3);
    assert_eq!(place.run("convert iris.csv iris.npy").code, Some(5));
    assert_eq!(place.run("convert iris.csv iris").code, Some(2));
}

#[test]
fn scaling_is_saved_and_restored() {
    let place = Place::new();
    place.run("scale --lower 0 --save range @svmguide1 a.libsvm").ok();
    place.run("scale --restore range @svmguide1 b.libsvm").ok();
    assert_eq!(place.read("a.libsvm"), place.read("b.libsvm"));
    assert!(place.read("range").starts_with("x\n0 1\n1 "), "LIBSVM's range file");
    place.run("scale --method standard --save deviations @svmguide1 a.csv").ok();
    place.run("scale --restore deviations @svmguide1 b.csv").ok();
    assert_eq!(place.read("a.csv"), place.read("b.csv"));
    place.write("bad", "{\"Standard\":{\"mean\":[1],\"deviation\":[]}}");
    assert_eq!(place.run("scale --restore bad @svmguide1").code, Some(1));
}
