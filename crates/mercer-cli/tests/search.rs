//! `mercer search`: what it takes is the best of fits one by one, killed searches end the same, and what is wrong is named.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is the report")]

mod common;

use common::Place;
use serde_json::Value;

/// Rows of three classes on two features.
fn three(place: &Place) {
    let row = |i: usize| {
        let (class, noise) = (i % 3, ((i * 37) % 17) as f64 / 6.0);
        format!("{class} 1:{} 2:{}\n", class as f64 + noise, (i % 5) as f64 - noise)
    };
    place.write("three", (0..90).map(row).collect::<String>());
    place.write(
        "numbers",
        (0..60).map(|i| format!("{} 1:{}\n", (i as f64 * 0.2).sin(), i as f64 * 0.2)).collect::<String>(),
    );
}

/// The folder of a data set of graphs.
fn mutag() -> String {
    format!("{}/../../data/MUTAG", env!("CARGO_MANIFEST_DIR"))
}

/// The score of every candidate, by its text.
fn scores(object: &Value) -> Vec<(String, Vec<f64>)> {
    let metric = |candidate: &Value| {
        let scores = candidate["metrics"]["accuracy"]["scores"].as_array().unwrap();
        (
            candidate["candidate"].as_str().unwrap().to_owned(),
            scores.iter().map(|s| s.as_f64().unwrap()).collect(),
        )
    };
    object["candidates"].as_array().unwrap().iter().map(metric).collect()
}

#[test]
fn shared_values_and_single_fits_give_the_same_scores() {
    let place = Place::new();
    three(&place);
    for arguments in [
        "-k rbf(gamma=2^-5..2^3) -c 2^-3..2^9 --tolerance 1e-6 three",
        "-k poly(degree=2..3,gamma=0.5,coef0=1) -c 1e-1..1e1 --tolerance 1e-6 --weight 1=3 three",
        "-k rbf(gamma=2^-7..2^-1) -c 2^-3..2^5 --tolerance 1e-6 --repeats 2 @heart_scale",
        "-k linear -c 1e-2..1e1 --tolerance 1e-6 --folds loo @iris_scale",
        &format!("-k wl(h=1..2) -c 1e-1..1e1 --tolerance 1e-6 --folds 3 {}", mutag()),
    ] {
        let one = place.run(&format!("search --no-refit --json {arguments}")).ok().json();
        let other = place.run(&format!("search --no-refit --alone --json {arguments}")).ok().json();
        assert_eq!(scores(&one), scores(&other), "{arguments}");
        assert_eq!(one["best"]["candidate"], other["best"]["candidate"]);
        let threaded = place.run(&format!("search --no-refit --threads 2 --json {arguments}")).ok().json();
        assert_eq!(scores(&one), scores(&threaded));
    }
}

#[test]
fn a_race_finds_what_exact_fits_find() {
    let place = Place::new();
    three(&place);
    // Of three classes with a pair each to win, a row stays open: sums of decisions break such ties, and signs do not settle these.
    for (arguments, certified) in [
        ("-k rbf(gamma=2^-5..2^3) -c 2^-3..2^9 three", false),
        ("-k rbf(gamma=2^-7..2^-1) -c 2^-3..2^5 --metric balanced-accuracy @heart_scale", true),
    ] {
        let exact = place.run(&format!("search --no-refit --json --tolerance 1e-7 {arguments}")).ok().json();
        let race = place.run(&format!("search --no-refit --json --race {arguments}")).ok().json();
        assert_eq!(race["race"]["certified"], certified);
        let best =
            |found: &Value| [&found["best"]["kernel"], &found["best"]["values"]["c"]].map(Value::to_string);
        assert!(!certified || best(&race) == best(&exact));
        assert!(race["race"]["saved"].as_f64().unwrap() > 0.0);
        let threaded =
            place.run(&format!("search --no-refit --json --race --threads 2 {arguments}")).ok().json();
        let proofs = |object: &Value| -> Vec<Value> {
            object["candidates"].as_array().unwrap().iter().map(|c| c["proof"].clone()).collect()
        };
        assert_eq!(proofs(&race), proofs(&threaded));
        let text = place.run(&format!("search --no-refit --race {arguments}")).ok();
        text.says(if certified { "the best is proved" } else { "the best is not proved" }).says("dropped");
    }
    let search = "search --no-refit --race -k rbf(gamma=2^-1..2^1) three";
    place.run(&format!("{search} --metric mcc")).refused(2).says("--race: by one metric");
    place.run(&format!("{search} --log log")).refused(2).says("cannot be used with");
    place
        .run("search --no-refit --race -k tanh(gamma=0.1..0.2) three")
        .ok()
        .says("no candidate can be raced");
}

#[test]
fn weights_of_a_sum_are_learned() {
    let place = Place::new();
    three(&place);
    let object = place
        .run("search -c 3 -k ?*rbf(gamma=0.5)+?*rbf(gamma=8)+?*linear --json three m.mercer")
        .ok()
        .json();
    let weights: Vec<f64> =
        object["weights"].as_array().unwrap().iter().map(|w| w.as_f64().unwrap()).collect();
    assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-6 && weights.iter().all(|w| *w >= 0.0));
    let number = |value: &Value| value.as_f64().unwrap();
    assert!(number(&object["objective"]) <= number(&object["uniform"]["objective"]));
    assert!(number(&object["gap"]) <= 1.01e-4 * number(&object["objective"]));
    // The model is the one that a fit with the sum makes.
    let kernel = object["kernel"].as_str().unwrap().replace(' ', "");
    place.run(&format!("train -q -c 3 -k {kernel} three own.mercer")).ok();
    assert_eq!(
        std::fs::read(place.path("m.mercer")).unwrap(),
        std::fs::read(place.path("own.mercer")).unwrap()
    );
    let two = place.run("search -c 3 --norm 2 --no-refit -k ?*rbf(gamma=0.5)+?*linear three").ok();
    two.says("equal weights").says("0.70711");
    for (arguments, words) in [
        ("-k ?*linear", "a sum of two kernels"),
        ("-k ?*rbf(gamma=1)+?*linear -c 1..3", "not a range"),
        ("-k ?*rbf(gamma=1)+?*linear -c 1 --squared", "with -c alone"),
        ("-k ?*rbf(gamma=1)+?*tanh(gamma=1) -c 1", "positive semi-definite"),
        ("-k ?*rbf(gamma=1)+?*linear -c 1 --halving", "--halving: not where"),
        ("-k ?*rbf(gamma=1)+?*linear -c 1 --norm 0.5", "must be at least 1"),
        ("-k linear -c 1 --norm 2", "--norm: of the weights"),
    ] {
        let refused = place.run(&format!("search --no-refit {arguments} three"));
        assert_ne!(refused.code, Some(0), "{arguments}");
        refused.says(words);
    }
}

#[test]
fn the_best_is_refitted_and_saved() {
    let place = Place::new();
    three(&place);
    let object = place
        .run("search -k rbf(gamma=2^-3..2^1) -c 1..3 --csv t.csv --plot p.svg --json three m.mercer")
        .ok()
        .json();
    let best = &object["best"];
    let (kernel, c) = (best["kernel"].as_str().unwrap(), best["values"]["c"].as_str().unwrap());
    place.run(&format!("train -q -k {kernel} -c {c} three own.mercer")).ok();
    assert_eq!(
        std::fs::read(place.path("m.mercer")).unwrap(),
        std::fs::read(place.path("own.mercer")).unwrap()
    );
    assert_eq!(place.read("t.csv").lines().count(), 1 + 9);
    assert!(place.read("t.csv").starts_with("rank,kernel,gamma,c,accuracy,accuracy spread,accuracy 1"));
    assert!(place.read("p.svg").contains("gamma") && place.read("p.svg").ends_with("</svg>\n"));
    // The score is that of cross-validation by hand.
    let cv = place.run(&format!("cv -k {kernel} -c {c} --json three")).ok().json();
    assert_eq!(cv["metrics"][0]["mean"], best["metrics"]["accuracy"]["mean"]);
}

#[test]
fn a_search_goes_on_from_its_log() {
    let place = Place::new();
    three(&place);
    let command = "search -k rbf(gamma=2^-5..2^3) -c 2^-3..2^5 --refine 1 --no-refit --json";
    let whole = place.run(&format!("{command} three")).ok().json();
    place.run(&format!("{command} --log log three")).ok();
    let log = place.read("log");
    let lines: Vec<&str> = log.lines().collect();
    assert!(lines.len() > 26, "{}", lines.len());
    // Killed in the middle of a line, after every few outcomes.
    for kept in [1, 2, 9, 20] {
        place.write("log", format!("{}\n{}", lines[..kept].join("\n"), &lines[kept][..20]));
        let again = place.run(&format!("{command} --log log three")).ok().json();
        assert_eq!(scores(&again), scores(&whole), "{kept}");
        assert_eq!(again["best"]["candidate"], whole["best"]["candidate"]);
    }
    place
        .run(&format!("{command} --log log --seed 5 three"))
        .refused(1)
        .says("log of another search: rows_left_out is");
    place.write("log", "x\n");
    place.run(&format!("{command} --log log three")).refused(1).says("log:1:1: not a line of a search log");
}

#[test]
fn the_log_of_another_search_is_refused_with_what_differs() {
    let place = Place::new();
    three(&place);
    let search = "search --no-refit -k rbf(gamma=0.1)";
    place.run(&format!("{search} -c 0.1 --log log three")).ok();
    // Other values of what is ranged over are other candidates of the same search.
    place.run(&format!("{search} -c 1e-1..1e1 --log log three")).ok();
    let search = format!("{search} -c 0.1");
    for (other, what) in [
        ("--squared", "settings.squared is \"false\", not \"true\""),
        ("--mean", "settings.mean is \"false\", not \"true\""),
        ("-m ovr", "method is \"svc\", not \"ovr\""),
        ("--tolerance 1e-6", "settings.tolerance is"),
        ("--alone", "alone is false, not true"),
        ("--metric mcc", "metrics is"),
        ("--repeats 2", "repeats is 1, not 2"),
        ("--scale minmax", "scale is"),
    ] {
        let (code, words) = (1, format!("the log of another search: {what}"));
        place.run(&format!("{search} {other} --log log three")).refused(code).says(&words);
    }
}

#[test]
fn rungs_keep_to_groups_and_given_folds() {
    let place = Place::new();
    three(&place);
    let lines = |of: &dyn Fn(usize) -> usize, rows: usize| {
        (0..rows).map(|i| format!("{}\n", of(i))).collect::<String>()
    };
    place.write("groups", lines(&|i| i / 9, 270));
    place.write("given", lines(&|i| i % 4, 270));
    // As many groups as folds in the whole, fewer in some of the rungs.
    place.write("few", lines(&|i| i / 90, 270));
    let ranges = "search --no-refit --halving --json -k rbf(gamma=2^-7..2^3) -c 2^-3..2^5";
    for folds in ["grouped(3) --groups groups", "given --fold-file given", "grouped(3) --groups few"] {
        let object = place.run(&format!("{ranges} --folds {folds} @heart_scale")).ok().json();
        let tried = object["candidates"].as_array().unwrap().len();
        assert!((1..30).contains(&tried), "{folds}: {tried}");
    }
}

#[test]
fn the_whole_search_is_nested() {
    let place = Place::new();
    // The range is beside the good values, which only a refinement comes to.
    let search = "search --no-refit --json --nested 3 -k rbf(gamma=1e-4..3/2) -c 1";
    let nested = |more: &str| {
        let object = place.run(&format!("{search} {more} @heart_scale")).ok().json();
        object["nested"].as_array().unwrap().iter().map(|s| s.as_f64().unwrap()).sum::<f64>() / 3.0
    };
    let (coarse, refined) = (nested(""), nested("--refine 4"));
    assert!(refined > coarse + 0.1, "{coarse} {refined}");
    place.run("search --no-refit --nested 3 --halving -k rbf(gamma=2^-7..2^3) -c 1..5 @heart_scale").ok();
}

#[test]
fn a_refinement_ends_where_numbers_do() {
    let place = Place::new();
    three(&place);
    place.run("search --no-refit --refine 4000000000 -m ridge --lambda 0.5..1/2 -k linear numbers").ok();
}

#[test]
fn a_table_that_cannot_be_written_does_not_cost_the_model() {
    let place = Place::new();
    three(&place);
    place.run("search -k rbf(gamma=1) -c 1..2 --csv no/t.csv three m.mercer").refused(4).says("no/t.csv");
    assert!(place.files().contains(&"m.mercer".to_owned()));
    let run = place.run("search --no-refit -k rbf(gamma=1) -c 1 --folds holdout(0.3) three").ok();
    assert!(run.out.contains(" over 1 fold") && !run.out.contains("NaN"), "{}", run.out);
}

#[test]
fn kernels_that_are_not_definite_share_nothing() {
    let place = Place::new();
    // Without definiteness there are many answers; which one is found depends on where a solver begins.
    let search = "search --no-refit --json -k tanh(gamma=1,coef0=-1) -c 2^-3..2^9";
    let one = place.run(&format!("{search} @heart_scale")).ok().json();
    let other = place.run(&format!("{search} --alone @heart_scale")).ok().json();
    assert_eq!(scores(&one), scores(&other));
}

#[test]
fn every_way_to_search() {
    let place = Place::new();
    three(&place);
    let candidates = |arguments: &str| {
        let object = place.run(&format!("search --no-refit --json {arguments}")).ok().json();
        object["candidates"].as_array().unwrap().len()
    };
    assert_eq!(candidates("-k {linear,rbf(gamma=2^-3..2^1)} -c 1e-1..1e1 three"), 12);
    assert_eq!(candidates("-k rbf(gamma=2^-3..2^1) -c 1e-1..1e1 --random 4 three"), 4);
    assert!((1..9).contains(&candidates("-k rbf(gamma=2^-5..2^1) -c 1e-1..1e1 --halving @heart_scale")));
    assert!(candidates("-k rbf(gamma=2^-3..2^1) -c 1e-1..1e1 --refine 2 three") > 9);
    assert_eq!(candidates("-m ridge --lambda 1e-3..1e0 -k rbf(gamma=2^-1..2^1) numbers"), 8);
    assert_eq!(candidates("-m svr -c 1e0..1e1 --epsilon {0.01,0.1} -k rbf(gamma=1) numbers"), 4);
    assert_eq!(candidates("-m nu-svc --nu 0.2..0.5/4 -k rbf(gamma=1) three"), 4);
}

#[test]
fn the_simplest_and_the_whole_search_are_judged() {
    let place = Place::new();
    three(&place);
    let run = place
        .run("search -k rbf(gamma=2^-5..2^3) -c 2^-3..2^5 --one-se --nested 3 --json three m.mercer")
        .ok();
    let object = run.json();
    assert_eq!(object["nested"].as_array().unwrap().len(), 3);
    let (best, error) = (&object["best"], object["standard_error"].as_f64().unwrap());
    let mean = |candidate: &Value| candidate["metrics"]["accuracy"]["mean"].as_f64().unwrap();
    let candidates = object["candidates"].as_array().unwrap();
    let most = candidates.iter().map(mean).fold(0.0, f64::max);
    let first = candidates.iter().find(|candidate| mean(candidate) >= most - error).unwrap();
    assert_eq!(first["candidate"], best["candidate"]);
    place
        .run("search -k rbf(gamma=1) -c 1e-5..1e-3 three m.mercer")
        .ok()
        .says("the best lies on the edge: c = 0.00001");
}

#[test]
fn what_is_wrong_is_named() {
    let place = Place::new();
    three(&place);
    place.refuses(
        "search {} three m.mercer",
        "-c 5..2 => 2 range = 5..2: must be LOW..HIGH
         -c 2^x..3 => 2 must be LOW..HIGH
         -c a => 2 -c a: 'a' is not a number
         -k rbf(gamma=2^-3..2^1 => 2 rbf(gamma=0.125
         -k tree(gamma=2^-3..2^1) => 2 tree
         -m ridge -c 1..3 => 2 -c: --method ridge does not have it
         --random 0 => 2 there must be a candidate
         --nested 3 --folds time(3) => 2 --nested: not with
         -c 1..20000 => 2 candidates
         -c 1..999999 => 2 must be LOW..HIGH
         --stop-after 0 => 2 no candidate was scored
         --stop-after nan => 2 must be a number of seconds, 0 or more
         --stop-after=-1 => 2 must be a number of seconds, 0 or more
         --log - => 2 a log is a file
         --repeats 1000000000000 => 2 take fewer folds or repetitions
         -c -1 => 2 c = -1: must be positive
         -k rbf(gamma=1) -c 1 --plot p.svg => 2 two parameters",
    );
}
