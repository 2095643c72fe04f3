//! `mercer train --checkpoint`.

mod common;

use common::Place;

/// Two noisy classes on a line, so that a fit takes many steps.
fn rows() -> String {
    let label = |i: u32| if (i * 7919) % 13 < 5 + i / 60 { "+1" } else { "-1" };
    (0..300).map(|i| format!("{} 1:{} 2:{}\n", label(i), f64::from(i) / 60.0, (i * 31) % 17)).collect()
}

const TRAIN: &str = "train --json -q -k rbf(gamma=1) -c 100 --working-set 2";

#[test]
fn the_same_command_goes_on_and_ends_without_the_file() {
    let place = Place::new();
    place.write("rows", rows());
    let whole = place.run(&format!("{TRAIN} rows whole")).ok().json();
    let command = format!("{TRAIN} --checkpoint kept --checkpoint-every 0");
    let early = place.run(&format!("{command} --time-limit 0.02 rows m")).ok();
    if early.json()["stop"] == "time-limit" {
        assert_eq!(place.files(), ["kept", "m", "rows", "whole"]);
        let ended = place.run(&format!("{command} rows m")).ok().says("the fit goes on from kept").json();
        assert_eq!(ended["stop"], "converged");
        let number = |json: &serde_json::Value, name: &str| json[name].as_f64().unwrap();
        let off = (number(&ended, "objective") - number(&whole, "objective")).abs();
        assert!(off <= number(&ended, "gap") + number(&whole, "gap"), "{ended} {whole}");
    }
    assert_eq!(place.files(), ["m", "rows", "whole"], "the checkpoint of a fit that has ended is removed");
    // A fit that is not ended is the same to the bit.
    place.run(&format!("{command} rows kept-model")).ok();
    assert!(std::fs::read(place.path("kept-model")).unwrap() == std::fs::read(place.path("whole")).unwrap());
}

#[test]
fn what_is_no_checkpoint_of_the_fit_is_refused() {
    let place = Place::new();
    place.write("rows", rows());
    place.write("kept", "no checkpoint");
    let refused = place.run(&format!("{TRAIN} --checkpoint kept rows m")).refused(1);
    refused.says("kept: not a mercer checkpoint, or a damaged one");
    place.run(&format!("{TRAIN} --checkpoint rows rows m")).refused(2).says("this is an input");
    place.run(&format!("{TRAIN} --checkpoint m rows m")).refused(2).says("another output");
    place.run("train --method ridge --checkpoint new rows m").refused(5).says("a checkpoint of ridge: svc, ");
    place.run(&format!("{TRAIN} --checkpoint-every 5 rows m")).refused(2).says("--checkpoint");
    assert_eq!(place.files(), ["kept", "rows"]);
    assert_eq!(place.read("kept"), "no checkpoint");
}
