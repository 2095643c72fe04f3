//! Threads do not change the answer; limits and interruptions leave the best model so far.

mod common;

use std::time::{Duration, Instant};

use common::{Place, noisy};

#[test]
fn models_do_not_depend_on_the_number_of_threads() {
    let place = Place::new();
    for data in ["svmguide1", "vowel.scale"] {
        let train = |threads: usize| {
            place
                .run(&format!("train -q --scale minmax -c 10 --threads {threads} @{data} {threads}.mercer"))
                .ok();
            std::fs::read(place.path(&format!("{threads}.mercer"))).unwrap()
        };
        assert!(train(1) == train(2), "{data}");
    }
}

/// The library has the numbers 1, 2, 3 and 8 for every method and space (`crates/mercer/tests/threads.rs`).
#[test]
fn no_method_depends_on_the_number_of_threads_of_the_program() {
    let place = Place::new();
    let methods = place.run("methods --json").ok().json();
    let mut tried = 0;
    for method in methods["methods"].as_array().unwrap() {
        // A second view is a file of its own, which `projections.rs` has.
        if method["target"] == "a second view of the points" {
            continue;
        }
        let name = method["name"].as_str().unwrap();
        let train = |threads: usize| {
            place.run(&format!("train -q --method {name} --threads {threads} @ripley model")).ok();
            std::fs::read(place.path("model")).unwrap()
        };
        assert!(train(1) == train(3), "{name}");
        tried += 1;
    }
    assert!(tried > 20, "{tried}");
}

#[test]
fn limits_leave_a_marked_model_and_a_warning() {
    let place = Place::new();
    place.write("noisy", noisy(2000));
    let hard = "train --json -c 1e6 --kernel rbf(gamma=10) --tolerance 1e-9";
    let run = place.run(&format!("{hard} --max-iterations 1000 noisy m.mercer")).ok();
    assert_eq!(run.json()["stop"], "iteration-limit");
    assert!(run.err.contains("mercer: warning: the limit on iterations was reached"), "{}", run.err);
    let run = place.run(&format!("{hard} --time-limit 0.2 noisy m.mercer")).ok();
    assert_eq!(run.json()["stop"], "time-limit");
    assert!(run.json()["fit_seconds"].as_f64().unwrap() < 10.0);
    assert_eq!(place.run("inspect --json m.mercer").ok().json()["stop"], "time-limit");
}

#[test]
fn limits_of_other_methods_are_told_too() {
    let place = Place::new();
    let fits = [
        "rvr --kernel rbf(gamma=0.5) --max-iterations 3 @svmguide1",
        "rvc --kernel rbf(gamma=0.5) --max-iterations 2 @ripley",
        "k-means --clusters 5 --max-iterations 1 --restarts 1 @ripley",
    ];
    for fit in fits {
        let run = place.run(&format!("train -q --method {fit} m.mercer")).ok();
        let warning = "mercer: warning: the limit on iterations was reached, after ";
        assert!(run.err.contains(warning), "{fit}: {}", run.err);
        let told = place.run("inspect m.mercer").ok().out;
        assert!(told.contains("certificate  not converged: "), "{told}");
        assert_eq!(place.run("inspect --json m.mercer").ok().json()["stop"], "iteration-limit");
    }
    // The epochs of a map are a plan.
    let run = place.run("train -q --method som --epochs 2 @ripley m.mercer").ok();
    assert_eq!(run.err, "");
    let told = place.run("inspect m.mercer").ok().out;
    assert!(told.contains("quantisation error") && told.contains("topographic error"), "{told}");
}

#[test]
#[cfg(unix)]
fn an_interrupted_fit_saves_the_best_model_so_far() {
    let place = Place::new();
    place.write("noisy", noisy(6000));
    let started = Instant::now();
    let child = place
        .command("train --json -c 1e7 --kernel rbf(gamma=20) --tolerance 1e-10 noisy m.mercer")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    let run: common::Run = child.wait_with_output().unwrap().into();
    assert!(started.elapsed() < Duration::from_secs(60), "it went on");
    assert_eq!(run.code, Some(130), "{}", run.err);
    assert!(run.err.contains("warning: interrupted"), "{}", run.err);
    assert_eq!(run.json()["stop"], "interrupted");
    assert_eq!(place.files(), ["m.mercer", "noisy"]);
    assert_eq!(place.run("inspect --json m.mercer").ok().json()["stop"], "interrupted");
    place.run("predict noisy m.mercer out").ok();
}

/// A limit of the address space is an error that says so, with an exit code, whatever the method.
#[test]
#[cfg(target_os = "linux")]
fn a_limit_of_memory_is_an_error() {
    let place = Place::new();
    let row = |i: usize| {
        let features = (1..=20).map(|j| format!(" {j}:{}", (i * j * 7919 % 1009) as f64 / 1009.0));
        format!("{}{}\n", i % 3, features.collect::<String>())
    };
    place.write("rows", (0..8000).map(row).collect::<String>());
    let limited = |arguments: &str| -> common::Run {
        let program = common::program().display();
        let script = format!("ulimit -v 110000; exec {program} {arguments}");
        let mut shell = std::process::Command::new("sh");
        shell.current_dir(place.path("")).args(["-c", &script]).output().unwrap().into()
    };
    for arguments in [
        "train -q --threads 1 -m kpca rows m.mercer",
        "train -q --threads 1 -m fisher rows m.mercer",
        "train -q --threads 1 -m rvc rows m.mercer",
        "train -q --threads 1 -m spectral rows m.mercer",
        "cv -q --threads 1 -m rvc rows",
        "search -q --no-refit --threads 1 -m rvc -k rbf(gamma=1) rows",
    ] {
        let run = limited(&arguments.replace('(', "\\(").replace(')', "\\)"));
        assert_eq!(run.code, Some(2), "{arguments}: {}", run.err);
        assert!(run.err.contains("MB"), "{arguments}: {}", run.err);
    }
    assert_eq!(place.files(), ["rows"]);
}

/// A signal that ends a command takes the file with it that is being written.
#[test]
#[cfg(unix)]
fn a_signal_during_a_save_leaves_no_partial_file() {
    let place = Place::new();
    let row = |i: usize| {
        let features = (1..=30).map(|j| format!(" {j}:{}", (i * j * 7919 % 1009) as f64 / 1009.0));
        format!("{}{}\n", i % 3, features.collect::<String>())
    };
    place.write("rows", (0..40_000).map(row).collect::<String>());
    let mut met = 0;
    for _ in 0..3 {
        let mut child = place.command("convert rows out.csv.gz").spawn().unwrap();
        let partial = || place.files().iter().any(|name| name.ends_with(".part"));
        while !partial() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let kill = std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
        kill.unwrap();
        met += usize::from(child.wait().unwrap().code() == Some(130));
        assert!(!partial(), "{:?}", place.files());
    }
    assert!(met > 0, "no signal met a save");
}
