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
        .says("log of another search: data is");
    place.write("log", "x\n");
    place.run(&format!("{command} --log log three")).refused(1).says("log:1:1: not a line of a search log");
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
         -c -1 => 2 c = -1: must be positive
         -k rbf(gamma=1) -c 1 --plot p.svg => 2 two parameters",
    );
}
