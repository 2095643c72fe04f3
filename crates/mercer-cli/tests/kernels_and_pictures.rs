//! `mercer kernel`, `mercer demo`, completions and manual pages.

mod common;

use common::Place;

#[test]
fn a_kernel_passes_its_check_and_an_indefinite_function_fails() {
    let place = Place::new();
    let run = place.run("kernel check --spectrum 5 rbf(gamma=0.5) @heart_scale").ok();
    assert!(run.out.contains("positive semi-definite on 270 rows"), "{}", run.out);
    assert!(run.out.contains("… 265 more"), "{}", run.out);
    let run = place.run("kernel check --json tanh(gamma=1,coef0=-1) @heart_scale");
    assert_eq!(run.code, Some(3));
    let report = run.json();
    assert_eq!(report["valid"], false);
    assert!(report["witness"].as_f64().unwrap() < 0.0, "{report}");
    assert!(report["smallest"].as_f64().unwrap() < 0.0);
    let run = place.run("kernel check --rows 50 linear @heart_scale").ok();
    assert!(run.out.contains("50 of 270 rows"), "{}", run.out);
}

#[test]
fn kernels_are_shown_in_canonical_form() {
    let place = Place::new();
    place.run("kernel show rbf(0.5)+linear*2").ok().says("rbf(gamma=0.5) + 2*linear").says("0.rbf.gamma");
    place.run("kernel list").ok().says("matern(nu=1.5, length=1)");
}

#[test]
fn the_demo_draws_a_picture_and_says_where() {
    let place = Place::new();
    let out = place.run("demo").ok().out;
    assert!(out.contains("held-out accuracy 90.") && out.contains("mercer-demo.svg"), "{out}");
    let picture = place.read("mercer-demo.svg");
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    assert!(picture.contains("Held-out accuracy 90.") && picture.contains("support point"));
    place.run("demo --kernel poly(degree=5,coef0=1) -c 0.5 --out other.svg").ok();
    assert_eq!(place.files(), ["mercer-demo.svg", "other.svg"]);
}

#[test]
fn help_names_every_exit_code() {
    let place = Place::new();
    let out = place.run("--help").ok().out;
    for code in ["  0 ", "  1 ", "  2 ", "  3 ", "  4 ", "  5 ", "  130 "] {
        assert!(out.contains(code), "{code}");
    }
    assert!(place.run("--version").ok().out.starts_with("mercer "));
}

#[test]
fn completions_and_manual_pages_are_made() {
    let place = Place::new();
    assert!(place.run("completions bash").ok().out.contains("_mercer"));
    assert!(place.run("man").ok().out.contains(".TH mercer"));
    place.run("man pages").ok();
    assert!(place.read("pages/mercer-train.1").contains("tolerance"));
}
