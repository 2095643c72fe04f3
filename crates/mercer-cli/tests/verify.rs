//! `mercer verify`: true certificates pass, others are told with an exit code of their own.

mod common;

use common::{Place, wave};

#[test]
fn a_certificate_is_verified_from_model_and_data() {
    let place = Place::new();
    place.run("train -k rbf(gamma=0.5) -c 10 @heart_scale heart.mercer").ok();
    let told = place.run("verify heart.mercer @heart_scale").ok().says("the certificate is true").out;
    for what in
        ["dual objective", "gap", "violation", "offset", "sum of the coefficients", "primal objective"]
    {
        assert!(told.contains(what), "{what}: {told}");
    }
    // Whichever of the two is named first.
    let json = place.run("verify --json -q @heart_scale heart.mercer").ok().json();
    assert_eq!(json["true"], true);
    let checks = json["checks"].as_array().unwrap();
    assert!(checks.iter().any(|check| check["what"] == "gap" && check["holds"] == true), "{json}");
}

#[test]
fn what_is_not_true_has_an_exit_code_of_its_own() {
    let place = Place::new();
    place.run("train -c 10 @heart_scale heart.mercer").ok();
    // The same rows, one label another.
    place.run("convert @heart_scale rows.libsvm").ok();
    let rows = place.read("rows.libsvm");
    let (first, rest) = rows.split_once('\n').unwrap();
    let (label, features) = first.split_once(' ').unwrap();
    let other = if label == "1" || label == "+1" { "-1" } else { "1" };
    place.write("rows.libsvm", format!("{other} {features}\n{rest}"));
    let run = place.run("verify heart.mercer rows.libsvm").refused(6).says("NOT true");
    assert!(run.err.is_empty(), "{}", run.err);
    place.run("verify -q heart.mercer rows.libsvm").refused(6).says("not true");
    // A row more.
    place.write("rows.libsvm", format!("{}\n{}", place.read("rows.libsvm").trim_end(), first));
    place
        .run("verify heart.mercer rows.libsvm")
        .refused(6)
        .says("the model was fitted to 270 rows, the data have 271");
}

#[test]
fn scaling_weights_targets_and_views_are_those_of_the_training() {
    let place = Place::new();
    let weights: String = (0..270).map(|i| format!("{}\n", [1.0, 2.0, 0.5, 0.0][i % 4])).collect();
    place.write("weights", weights);
    place.run("train -s standard --weights weights -w 1=3 @heart_scale heart.mercer").ok();
    place.run("verify --weights weights heart.mercer @heart_scale").ok();
    place.run("verify heart.mercer @heart_scale").refused(6).says("weight of the rows");
    place.write("wave", wave(60));
    place.write("both.csv", (0..60).map(|i| format!("{},{}\n", i % 7, i * i % 11)).collect::<String>());
    place.run("train -m ridge --targets both.csv wave wave.mercer").ok();
    place.run("verify --targets both.csv wave.mercer wave").ok();
    place.run("train -m cca --second both.csv -k rbf(gamma=0.3) wave cca.mercer").ok();
    place.run("verify --second both.csv cca.mercer wave").ok();
    place.run("verify cca.mercer wave").refused(2).says("--second");
}

#[test]
fn models_of_libsvm_are_audited() {
    let place = Place::new();
    place.run("svm-train -q -c 10 @heart_scale heart.model").ok();
    place.run("verify -c 10 heart.model @heart_scale").ok().says("the certificate is true").says("gap");
    place.run("verify heart.model @heart_scale").ok().says("C is not told");
    // Trained with a larger C than was said.
    place.run("verify -c 1 heart.model @heart_scale").refused(6).says("outside of its box");
    place.run("linear-train -q @heart_scale linear.model").ok();
    place.run("verify -c 1 linear.model @heart_scale").ok().says("primal objective");
    place.run("verify linear.model @heart_scale").refused(6).says("does not tell C");
}

#[test]
fn certificates_at_large_c_and_of_mapped_points_are_true() {
    let place = Place::new();
    for (train, data) in [
        ("-c inf -k rbf(gamma=1)", "@heart_scale"),
        ("-m linear-svr -c 1000", "@heart_scale"),
        ("-m linear-svr -c 1e5", "@heart_scale"),
        ("-m logistic -c 1e6", "@heart_scale"),
        ("-m linear-svc --loss hinge -c 1000", "@vowel.scale"),
        ("-m linear-svc --loss hinge --scheme crammer-singer -c 100", "@vowel.scale"),
    ] {
        place.run(&format!("train -q {train} {data} m.mercer")).ok();
        place.run(&format!("verify m.mercer {data}")).ok().says("the certificate is true");
    }
    // A kernel with spaces in its text is one word of the command line.
    let mapped = ["-k", "linear @ gaussians(low=-1, high=1, count=5, width=0.4)"];
    let run: common::Run =
        place.command("train -q -m linear-svc @heart_scale m.mercer").args(mapped).output().unwrap().into();
    run.ok();
    place.run("verify m.mercer @heart_scale").ok().says("the certificate is true");
}
