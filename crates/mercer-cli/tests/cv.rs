//! `mercer cv`: every method and every space, what is refused, and that the answer is that of fits and predictions by hand.

mod common;

use common::Place;

/// Rows of three classes on two features, with a group each.
fn three(place: &Place) {
    let row = |i: usize| {
        let (class, noise) = (i % 3, ((i * 37) % 17) as f64 / 10.0);
        format!("{class} 1:{} 2:{}\n", class as f64 + noise, (i % 5) as f64 - noise)
    };
    place.write("three", (0..60).map(row).collect::<String>());
    place.write("groups", (0..60).map(|i| format!("g{}\n", i / 4)).collect::<String>());
    place.write("short", "a\n");
}

#[test]
fn folds_are_those_of_fits_and_predictions() {
    let place = Place::new();
    three(&place);
    place.write("folds", (0..60).map(|i| format!("{}\n", (i * 7 / 3) % 4)).collect::<String>());
    let run = place.run("cv --folds given --fold-file folds -c 3 --out said.tsv --json three").ok();
    let found = run.json();
    let (text, said) = (place.read("three"), place.read("said.tsv"));
    let lines: Vec<&str> = text.lines().collect();
    let said: Vec<Vec<&str>> = said.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    assert_eq!(said.len(), 60);
    for fold in 0..4 {
        let part = |out: bool| -> String {
            (0..60)
                .filter(|i| (((i * 7 / 3) % 4) == fold) == out)
                .map(|i| format!("{}\n", lines[i]))
                .collect()
        };
        place.write("rest", part(false));
        place.write("out", part(true));
        place.run("train -q -c 3 rest m.mercer").ok();
        let object = place.run("predict --json out m.mercer labels").ok().json();
        let trial = &found["trials"][fold];
        assert_eq!(trial["scores"]["accuracy"], object["accuracy"], "fold {fold}");
        let labels = place.read("labels");
        let own = said.iter().filter(|row| row[1] == (fold + 1).to_string()).map(|row| row[3]);
        assert!(labels.lines().eq(own), "fold {fold}");
    }
    for row in said {
        assert_eq!(row[2], lines[row[0].parse::<usize>().unwrap() - 1].split(' ').next().unwrap());
    }
}

#[test]
fn every_way_to_leave_rows_out() {
    let place = Place::new();
    three(&place);
    for (arguments, fits) in [
        ("", 5),
        ("--folds 3 --repeats 4", 12),
        ("--folds plain(3)", 3),
        ("--folds grouped(5) --groups groups", 5),
        ("--folds loo", 60),
        ("--folds holdout(0.25)", 1),
        ("--folds time(4)", 4),
    ] {
        let object = place.run(&format!("cv --json {arguments} three")).ok().json();
        assert_eq!(object["trials"].as_array().unwrap().len(), fits, "{arguments}");
        let share = object["metrics"][0]["all_rows"].as_f64().unwrap();
        let interval = &object["metrics"][0]["interval"];
        assert!(interval["low"].as_f64().unwrap() <= share && share <= interval["high"].as_f64().unwrap());
    }
    let first = place.run("cv --seed 3 --json three").ok().json();
    assert_eq!(first["trials"][0]["rows"], 12);
    let [one, two] = ["1", "2"].map(|threads| {
        place.run(&format!("cv --seed 3 --metric auc,f1-macro --threads {threads} --json three")).ok().json()
            ["metrics"]
            .clone()
    });
    assert_eq!(one, two);
}

#[test]
fn every_method_that_predicts() {
    let place = Place::new();
    three(&place);
    place.write(
        "two",
        (0..40).map(|i| format!("{} 1:{}\n", i % 2 * 2 - 1, i % 7 + i % 2 * 4)).collect::<String>(),
    );
    let number = |i: usize| format!("{} 1:{} 2:{}\n", (i as f64 * 0.3).sin(), i as f64 * 0.3, i % 3);
    place.write("numbers", (0..40).map(number).collect::<String>());
    place.write(
        "sets",
        (0..40).map(|i| format!("{} 1:{}\n", ["1", "1,2", "2"][i % 3], i % 3)).collect::<String>(),
    );
    let methods = place.run("methods --json").ok().json();
    let mut seen = 0;
    for card in methods["methods"].as_array().unwrap() {
        let name = card["name"].as_str().unwrap();
        let file = match card["target"].as_str().unwrap() {
            "a class for each point" => "three",
            "a number for each point" | "one or more numbers for each point" => "numbers",
            "a set of labels for each point" => "sets",
            _ => "two",
        };
        let run = match name {
            "cca" => place.run("cv -m cca --kappa 0.1 --second three --label none three"),
            "pegasos" => place.run("cv -m pegasos two"),
            "svdd" => place.run("cv -m svdd -c 0.1 two"),
            "fisher" => place.run("cv -m fisher --mu 0.1 three"),
            _ => place.run(&format!("cv -m {name} {file}")),
        };
        match name {
            "cca" | "kpca" => {
                assert_eq!(run.code, Some(5), "{name}: {}{}", run.out, run.err);
            }
            _ => {
                let run = run.ok();
                assert!(run.out.contains("95 % interval"), "{name}: {}", run.out);
                seen += 1;
            }
        }
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn every_space_and_a_scaling_that_sees_no_row_left_out() {
    let place = Place::new();
    place.write(
        "texts.tsv",
        (0..30)
            .map(|i| format!("{}\t{}\n", i % 2, ["abab", "bcbc", "abb", "ccb"][i % 4]))
            .collect::<String>(),
    );
    place.run("cv -k spectrum(p=2) texts.tsv").ok().says("spectrum(p=2)");
    let mutag = format!("{}/../../data/MUTAG", env!("CARGO_MANIFEST_DIR"));
    place.run(&format!("cv -k wl --folds 3 {mutag}")).ok().says("accuracy");
    let object =
        place.run("cv -s standard --metric accuracy,auc,log-loss,mcc --json @heart_scale").ok().json();
    assert!(object["metrics"][0]["mean"].as_f64().unwrap() > 0.8);
    assert!(object["metrics"][1]["mean"].as_f64().unwrap() > 0.85);
}

#[test]
fn what_is_wrong_is_named() {
    let place = Place::new();
    three(&place);
    place.refuses(
        "cv {} three",
        "--folds 61 => 2 folds = 61: must be no more
         --folds 1 => 2 must be at least 2
         --folds tree => 2 holdout(SHARE)
         --folds grouped(3) => 2 name the file by --groups
         --folds grouped(3) --groups short => 2 short has 1 lines, the data 60 rows
         --groups groups => 2 does not look at it
         --folds loo --repeats 2 => 2 must be 1 where nothing is drawn
         --metric acc => 2 there are accuracy
         --metric mse => 5 the metric mse of classes
         --metric f1 => 5 f1-macro
         -m tree => 2 possible values
         --epsilon 1 => 2 --method svc does not have it",
    );
}
