//! `mercer bounds`: what theory says about a model, and what is refused.

mod common;

use common::Place;
use serde_json::Value;

fn named<'a>(list: &'a Value, name: &str) -> &'a Value {
    let found = list.as_array().and_then(|list| list.iter().find(|bound| bound["name"] == name));
    found.unwrap_or_else(|| panic!("no {name} in {list}"))
}

#[test]
fn bounds_are_told_with_formula_assumption_and_verdict() {
    let place = Place::new();
    place.run("train -k rbf(gamma=0.05) -c 1 @heart_scale heart.mercer").ok();
    let told = place.run("bounds heart.mercer @heart_scale").ok().out;
    for what in [
        "leave-one-out",
        "span",
        "xi-alpha",
        "support vectors",
        "radius-margin",
        "PAC-Bayes",
        "Rademacher",
        "SRM",
        "vacuous",
        "‖w‖²",
        "#SV / n",
    ] {
        assert!(told.contains(what), "{what}: {told}");
    }
    // Whichever of the two is named first.
    let json = place.run("bounds --json -q --test @heart_scale @heart_scale heart.mercer").ok().json();
    let pair = &json["pairs"][0];
    assert_eq!((pair["rows"].as_u64(), pair["of"].as_str()), (Some(270), Some("1 vs -1")), "{json}");
    let left_out = named(&pair["bounds"], "leave-one-out")["value"].as_f64().unwrap();
    let support = named(&pair["bounds"], "support vectors")["value"].as_f64().unwrap();
    assert!(left_out > 0.1 && left_out < 0.25 && support > left_out, "{json}");
    let interval = &named(&json["bounds"], "test")["interval"];
    assert!(interval[0].as_f64() < interval[1].as_f64(), "{json}");
}

#[test]
fn classes_are_bounded_by_pairs_and_together() {
    let place = Place::new();
    place.run("train -k rbf(gamma=0.5) @iris_scale iris.mercer").ok();
    let json = place.run("bounds --json -q iris.mercer @iris_scale").ok().json();
    assert_eq!(json["pairs"].as_array().map(Vec::len), Some(3));
    let left_out = named(&json["bounds"], "leave-one-out")["value"].as_f64().unwrap();
    assert!(left_out > 0.0 && left_out < 0.1, "{json}");
    let json = place.run("bounds --no-leave-one-out --json -q iris.mercer @iris_scale").ok().json();
    assert!(named(&json["bounds"], "leave-one-out")["value"].is_null());
}

#[test]
fn what_has_no_bounds_is_refused() {
    let place = Place::new();
    place.run("train @heart_scale heart.mercer").ok();
    place.run("train -m ridge @heart_scale ridge.mercer").ok();
    place.run("train -m linear-svc @heart_scale linear.mercer").ok();
    place.run("train -k tanh(gamma=0.5,coef0=-1) @heart_scale tanh.mercer").ok();
    place.run("train --weights weights @heart_scale none.mercer").refused(4);
    place.refuses(
        "bounds {}",
        "heart.mercer @iris_scale => 1 are
         --delta 2 heart.mercer @heart_scale => 2 delta
         ridge.mercer @heart_scale => 5 svc and nu-svc
         linear.mercer @heart_scale => 5 with the kernel linear
         tanh.mercer @heart_scale => 5 positive semi-definite
         nothing.mercer @heart_scale => 4 nothing.mercer",
    );
    // Other labels.
    place.run("convert @heart_scale rows.libsvm").ok();
    let rows = place.read("rows.libsvm");
    let (first, rest) = rows.split_once('\n').unwrap();
    let (label, features) = first.split_once(' ').unwrap();
    let other = if label == "1" || label == "+1" { "-1" } else { "1" };
    place.write("rows.libsvm", format!("{other} {features}\n{rest}"));
    place
        .run("bounds heart.mercer rows.libsvm")
        .refused(1)
        .says("rows.libsvm: these are not the data that the model was fitted to");
}

#[test]
fn models_of_libsvm_have_bounds() {
    let place = Place::new();
    place.run("svm-train -q -c 10 @heart_scale heart.model").ok();
    let json = place.run("bounds --json -q -c 10 heart.model @heart_scale").ok().json();
    assert!(named(&json["pairs"][0]["bounds"], "span")["value"].as_f64() < Some(0.5), "{json}");
    place.run("bounds heart.model @heart_scale").ok().says("C is not told");
}

#[test]
fn structural_risk_is_drawn_over_c() {
    let place = Place::new();
    place.run("train -k rbf(gamma=0.05) @heart_scale heart.mercer").ok();
    place.run("bounds -q --no-leave-one-out --picture risk.svg heart.mercer @heart_scale").ok();
    let picture = place.read("risk.svg");
    assert!(picture.starts_with("<svg") && picture.contains("capacity"), "{picture}");
    assert_eq!(picture.matches("<circle").count(), 21 + 1);
    place.run("train -q -c inf -k rbf(gamma=1) @heart_scale hard.mercer").ok();
    place.refuses("bounds --picture risk.svg {}", "hard.mercer @heart_scale => 2 --picture");
}
