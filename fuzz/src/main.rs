//! `mercer-fuzz SECONDS SEED FOLDER TARGET`: one target for so many seconds; what goes wrong is saved in the folder.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use mercer_fuzz::run::{Current, corpus, run};
use mercer_fuzz::targets::TARGETS;

const USAGE: u8 = 2;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [seconds, seed, folder, name] = words.as_slice() else {
        TARGETS.iter().for_each(|target| println!("{}", target.name));
        return ExitCode::from(USAGE);
    };
    let target = TARGETS.iter().find(|target| target.name == name);
    let (Ok(seconds), Ok(seed), Some(target)) = (seconds.parse::<f64>(), seed.parse(), target) else {
        eprintln!("mercer-fuzz: SECONDS SEED FOLDER TARGET");
        return ExitCode::from(USAGE);
    };
    let folder = PathBuf::from(folder).join(name);
    if let Err(error) = std::fs::create_dir_all(&folder) {
        eprintln!("mercer-fuzz: {}: {error}", folder.display());
        return ExitCode::FAILURE;
    }
    let inputs = corpus(&Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name));
    let now = folder.join("current");
    let Ok(current) = Current::in_file(&now).map(Arc::new) else {
        eprintln!("mercer-fuzz: {}: cannot be written", now.display());
        return ExitCode::FAILURE;
    };
    let watched = Arc::clone(&current);
    let place = folder.clone();
    // What hangs is saved while it hangs: it may never end.
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_millis(200));
            if let Some(input) = watched.hanging() {
                save(&place, "hang", &input);
                std::process::exit(1);
            }
        }
    });
    let time = Duration::from_secs_f64(seconds.clamp(0.0, 1e6));
    let outcome = run(target, inputs, (seed, time), (&current, &AtomicBool::new(false)));
    // It stays where the process was ended by what it tried.
    let _ = std::fs::remove_file(&now);
    println!(
        "{name}: {} executions, {} different answers, the slowest took {:.1} ms",
        outcome.executions,
        outcome.answers,
        1e3 * outcome.slowest.as_secs_f64()
    );
    match outcome.failure {
        Some((input, what)) => {
            save(&folder, &what, &input);
            ExitCode::FAILURE
        }
        None => ExitCode::SUCCESS,
    }
}

fn save(folder: &Path, what: &str, input: &[u8]) {
    let number = std::fs::read_dir(folder).map_or(0, Iterator::count);
    let path = folder.join(format!("failed-{number}"));
    let saved =
        std::fs::write(&path, input).map_or_else(|error| error.to_string(), |()| path.display().to_string());
    println!("FAILED: {what}: {saved}");
}
