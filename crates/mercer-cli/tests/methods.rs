//! The table of methods by every command that reads it: what a method has is taken, shown and told, what it does not have
//! is refused by name.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is the report")]

mod common;

use common::{Place, assert_close, wave};
use serde_json::Value;

/// The methods as `mercer methods --json` lists them.
fn table(place: &Place) -> Vec<Value> {
    place.run("methods --json").ok().json()["methods"].as_array().unwrap().clone()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap()
}

fn parameters(method: &Value) -> &[Value] {
    method["parameters"].as_array().unwrap()
}

/// An option with a value of its kind.
fn typed(parameter: &Value) -> String {
    let value = match text(parameter, "kind") {
        "flag" => return text(parameter, "option").to_owned(),
        "choice" => parameter["choices"][0].as_str().unwrap().to_owned(),
        "kernel" => "linear".to_owned(),
        "weights" => "1=2".to_owned(),
        // A number or a word: the word that is there.
        "numbers" if parameter["default"].is_string() => parameter["default"].as_str().unwrap().to_owned(),
        _ if parameter["default"].is_number() => parameter["default"].to_string(),
        "number" => "0.5".to_owned(),
        _ => "20".to_owned(),
    };
    format!("{} {value}", text(parameter, "option"))
}

/// Files that every method can be fitted to, and what is typed to fit one to them.
fn data(place: &Place) -> impl Fn(&Value) -> String {
    place.run("convert @iris_scale iris.libsvm").ok();
    place.write("wave", wave(60));
    let sets: String =
        (0..30).map(|i| format!("{} 1:{} 2:{}\n", ["a", "a,b", "b,c"][i % 3], i % 3, i)).collect();
    place.write("sets", sets);
    |method| match text(method, "target") {
        target if target.contains("class") || target.starts_with("nothing") => "iris.libsvm".to_owned(),
        target if target.contains("number") => "wave".to_owned(),
        target if target.contains("labels") => "sets".to_owned(),
        _ => "--second iris.libsvm iris.libsvm".to_owned(),
    }
}

#[test]
fn an_option_that_a_method_does_not_have_is_refused_by_name() {
    let place = Place::new();
    place.write("data", "1 1:1\n2 1:2\n");
    let (methods, mut refused) = (table(&place), 0);
    for method in &methods {
        let own: Vec<&str> = parameters(method).iter().map(|parameter| text(parameter, "name")).collect();
        let others = methods.iter().flat_map(parameters);
        let mut others: Vec<&Value> = others.filter(|other| !own.contains(&text(other, "name"))).collect();
        // The seed is one of every command.
        others.retain(|other| text(other, "name") != "seed");
        others.sort_by_key(|other| text(other, "name"));
        others.dedup_by_key(|other| text(other, "name"));
        for other in others {
            let (name, option) = (text(method, "name"), text(other, "option"));
            let run = place.run(&format!("train -m {name} {} data m", typed(other)));
            let option = if text(other, "name") == "multiclass" { "--multiclass ovo" } else { option };
            let message = format!("mercer: {option}: --method {name} does not have it; ");
            assert_eq!(run.code, Some(2), "{name} {option}: {}", run.err);
            assert!(run.err.starts_with(&message), "{name} {option}: {}", run.err);
            refused += 1;
        }
        for (option, needs) in [("--targets data", "one or more"), ("--second data", "second view")] {
            if !text(method, "target").contains(needs) {
                let name = text(method, "name");
                let run = place.run(&format!("train -m {name} {option} data m")).refused(2);
                assert!(run.err.contains(&format!("--method {name} does not have it")), "{}", run.err);
            }
        }
    }
    assert!(refused > 200, "only {refused} options were tried");
    assert_eq!(place.files(), ["data"]);
}

#[test]
fn every_option_of_a_method_is_taken() {
    let place = Place::new();
    let data = data(&place);
    for method in table(&place) {
        for parameter in parameters(&method) {
            let name = text(parameter, "name");
            let more = match name {
                "c" if text(&method, "name") == "fisher" => continue,
                // A number for each row.
                "initial" => continue,
                "choose" => "--kappa 0.01,0.1",
                "rank" => "--second-kernel linear",
                _ => "",
            };
            let (name, typed) = (text(&method, "name"), typed(parameter));
            place.run(&format!("train -q -m {name} {typed} {more} {} m", data(&method))).ok();
        }
    }
}

#[test]
fn values_out_of_range_are_refused_by_the_table() {
    let place = Place::new();
    let data = data(&place);
    for method in table(&place) {
        for parameter in parameters(&method).iter().filter(|p| text(p, "kind") == "number") {
            let (name, option) = (text(&method, "name"), text(parameter, "option"));
            let run = place.run(&format!("train -m {name} {option} -1 {} m", data(&method))).refused(2);
            let about = format!("mercer: {} = -1: must", text(parameter, "name"));
            assert!(run.err.starts_with(&about), "{name}: {}", run.err);
        }
    }
}

#[test]
fn the_help_of_a_method_shows_its_options_and_no_others() {
    let place = Place::new();
    let methods = table(&place);
    let all: Vec<&Value> = methods.iter().flat_map(parameters).collect();
    for method in &methods {
        let name = text(method, "name");
        let help = place.run(&format!("train --method {name} --help")).ok().out;
        let (options, _) = help.split_once("Examples:").unwrap();
        let own: Vec<&str> = parameters(method).iter().map(|parameter| text(parameter, "name")).collect();
        for parameter in all.iter().filter(|parameter| text(parameter, "name") != "seed") {
            let long = format!("--{}", text(parameter, "option").trim_start_matches('-'));
            let shown = options
                .lines()
                .map(str::trim_start)
                .filter(|line| line.starts_with('-'))
                .any(|line| line.split([' ', ',', '[']).any(|word| word == long));
            assert_eq!(shown, own.contains(&text(parameter, "name")), "{name}: {long}\n{options}");
        }
        let meaning =
            |parameter: &Value| text(parameter, "meaning").split(' ').next().unwrap().to_lowercase();
        let lower = options.to_lowercase();
        assert!(parameters(method).iter().all(|parameter| lower.contains(&meaning(parameter))), "{name}");
    }
    let svc = place.run("train --help").ok().out;
    assert!(svc.contains("--squared") && !svc.contains("--lambda <"), "{svc}");
    assert!(svc.contains("mercer train --method NAME --help"), "{svc}");
    assert!(place.run("train --multiclass softmax --help").ok().out.contains("Price C of the loss"));
    // The default that is told is the one that is used.
    let cache = parameters(&methods[0]).iter().find(|parameter| text(parameter, "name") == "cache").unwrap();
    let told = format!("[default: {}]", cache["default"]);
    assert!(
        svc.contains("Megabytes for kernel rows") && svc.contains(&told.replace(".0]", "]")),
        "{told}: {svc}"
    );
}

#[test]
fn methods_are_listed_and_shown() {
    let place = Place::new();
    let listing = place.run("methods").ok().out;
    for method in table(&place) {
        let (name, summary) = (text(&method, "name"), text(&method, "summary"));
        assert!(listing.contains(name) && listing.contains(summary), "{name}");
        let page = place.run(&format!("methods {name}")).ok().out;
        assert!(page.starts_with(&format!("method       {name}, {summary}\n")), "{page}");
        for parameter in parameters(&method) {
            let line =
                page.lines().find(|line| line.split([' ', ',']).next() == Some(text(parameter, "option")));
            let line = line.unwrap_or_else(|| panic!("{name}: {page}"));
            let told = |key: &str| line.contains(text(parameter, key));
            assert!(told("domain") && told("meaning"), "{line}");
        }
        assert_eq!(place.run(&format!("methods --json {name}")).ok().json(), method);
    }
    assert!(place.run("methods tree").refused(2).err.contains("tree"));
    assert_eq!(place.run("train -m tree data").code, Some(2));
}

/// What an iterative method has made small or large.
fn reached(shown: &Value) -> Option<f64> {
    ["inertia", "log_evidence", "quantisation_error"].iter().find_map(|name| shown[name].as_f64())
}

#[test]
fn every_model_tells_how_good_it_is() {
    let place = Place::new();
    let data = data(&place);
    for method in table(&place) {
        let (name, files) = (text(&method, "name"), data(&method));
        // Passes without end are not its way to converge.
        let more = match name {
            "perceptron" => "--passes 1000 -k rbf(gamma=5)",
            "pegasos" => "--passes 1000 -t 0.5",
            _ => "",
        };
        let trained = place.run(&format!("train --json -m {name} {more} {files} m")).ok();
        assert!(trained.err.contains("\ncertificate  "), "{name}: {}", trained.err);
        let (trained, shown) = (trained.json(), place.run("inspect --json m").ok().json());
        assert_eq!(
            (&shown["space"], &shown["stop"]),
            (&"vectors".into(), &"converged".into()),
            "{name}: {shown}"
        );
        let certificates = shown["certificates"].as_array().unwrap();
        let residual = shown["residual"].as_f64();
        match residual.or(shown["mistakes"].as_f64()) {
            Some(residual) => assert!(residual < 1e-6 && certificates.is_empty(), "{name}: {shown}"),
            None if reached(&shown).is_some() => assert!(certificates.is_empty(), "{name}: {shown}"),
            None => assert!(
                certificates.iter().all(|c| c["gap"].is_number()) && !certificates.is_empty(),
                "{name}"
            ),
        }
        assert_eq!(trained["residual"].as_f64(), residual, "{name}");
        for key in ["kernel", "method", "support_vectors", "features", "space", "stop"] {
            assert_eq!(trained[key], shown[key], "{name}: {key}");
        }
        assert_eq!(text(&shown, "method").trim_start_matches("c-").trim_start_matches("epsilon-"), name);
        let shown = place.run("inspect m").ok().out;
        assert!(shown.contains("\ncertificate  ") && !shown.contains("certificate  none"), "{name}: {shown}");
    }
}

#[test]
fn methods_by_name_are_those_by_their_older_words() {
    let place = Place::new();
    let data = data(&place);
    for method in table(&place) {
        let name = text(&method, "name");
        let words = match name {
            "ovr" | "crammer-singer" | "weston-watkins" | "softmax" => format!("--multiclass {name}"),
            "multilabel" => "--multilabel".to_owned(),
            "local" => "--early".to_owned(),
            _ => continue,
        };
        let data = data(&method);
        place.trains_alike(&format!("-m {name} {data}"), &format!("{words} {data}"));
    }
    place.trains_alike("-m ridge --iterative wave", "-m ridge --solver cg wave");
}

#[test]
fn the_price_of_the_mean_error_is_that_of_each_times_the_rows() {
    let place = Place::new();
    let objective = |options: &str| {
        let report = place.run(&format!("train --json -q -t 1e-6 {options} @heart_scale m")).ok().json();
        report["objective"].as_f64().unwrap()
    };
    // heart_scale has 270 rows.
    assert_close(objective("--mean -c 540"), objective("-c 2"), 1e-9);
}

#[test]
fn a_path_of_c_is_told() {
    let place = Place::new();
    let train = "train --method logistic --penalty l1 -c 1";
    let path = place.run(&format!("{train} --json --path auto @heart_scale m")).ok().json();
    let points = path["path"].as_array().unwrap();
    let number = |k: usize, name: &str| points[k][name].as_f64().unwrap();
    assert_eq!((points.len(), number(0, "features_used"), number(19, "c")), (20, 0.0, 1.0));
    // scikit-learn's l1_min_c.
    assert!((number(0, "c") / 0.014_184_397_163_120_567 - 1.0).abs() < 1e-12);
    assert!((0..20).all(|k| number(k, "gap") <= 1e-4 * number(k, "objective")));
    let out = place.run(&format!("{train} --path 0.1,0.3 @heart_scale m")).ok().out;
    assert!(out.contains("path         3 values of c:\n"), "{out}");
    let single = place.run(&format!("{train} --json @heart_scale m")).ok().json();
    assert!(single.get("path").is_none());
    place.refuses(
        "train {} @heart_scale m",
        "--method linear-svc --path 0 => 2 path = 0: must be positive
         --method linear-svc --path some => 2 path
         --method linear-svc --scheme crammer-singer --path 0.1 => 2 ovr where there is a path of C
         --method svc --path 0.1 => 2 --path",
    );
}

#[test]
fn linear_methods_see_rows_through_a_map() {
    let place = Place::new();
    for method in ["linear-svc", "logistic", "pegasos"] {
        let kernel = "2*(linear @ monomials(degree=2) @ columns(1..12))";
        let asked = kernel.replace(' ', "");
        place.run(&format!("train -q --method {method} -k {asked} @heart_scale m.mercer")).ok();
        let told = place.run("inspect --json m.mercer").ok().json();
        assert_eq!((&told["kernel"], &told["features"]), (&kernel.into(), &13.into()), "{told}");
        let told = place.run("predict --json @heart_scale m.mercer out").ok().json();
        assert!(told["accuracy"].as_f64().unwrap() > 0.8, "{told}");
    }
    place.refuses(
        "train {} @heart_scale m",
        "--method linear-svc -k rbf => 5 linear @ map or a multiple of these
         --method logistic -k linear+1 => 5 linear @ map or a multiple of these
         --method logistic --stream=rows.blocks -k rbf(1) => 5 a stream with another kernel than linear",
    );
}
