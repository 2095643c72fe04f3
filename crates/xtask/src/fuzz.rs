//! `cargo xtask fuzz`: every reader, and what follows it, on inputs that a mutator makes.

use std::collections::VecDeque;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::place::Place;
use crate::step::{self, Failure, announced, visible};

/// Options, as they are told where they are wrong.
const USAGE: &str = "fuzz --minutes N [TARGET…]";
/// Kilobytes of address space of one target: more is a failure, since inputs have at most four kilobytes.
const MEMORY: u64 = 4 << 20;

/// Runs the targets named, or all, as many at a time as there are cores, for so many minutes in all.
pub(crate) fn run(place: &Place, arguments: &[String]) -> Result<(), Failure> {
    let [option, minutes, names @ ..] = arguments else { return Err(Failure::usage(USAGE.into())) };
    let minutes: f64 = match minutes.parse() {
        Ok(minutes) if option == "--minutes" && minutes > 0.0 => minutes,
        _ => return Err(Failure::usage(USAGE.into())),
    };
    // Overflows are looked for too.
    let build = |command: &mut Command| {
        visible(
            command
                .args(["build", "--release", "--package", "mercer-fuzz", "--bin", "mercer-fuzz"])
                .env("CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS", "true")
                .env("CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS", "true")
                .env("CARGO_PROFILE_RELEASE_LTO", "off")
                .env("CARGO_TARGET_DIR", place.target.join("fuzz-build")),
        )
    };
    announced("build of the targets", || build(&mut step::cargo(&place.root)))?;
    let program = place.target.join("fuzz-build/release/mercer-fuzz");
    let known = Command::new(&program).output().map_err(|error| Failure::new(error.to_string()))?;
    let known = String::from_utf8_lossy(&known.stdout).lines().map(str::to_owned).collect::<Vec<_>>();
    if let Some(name) = names.iter().find(|name| !known.contains(name)) {
        return Err(Failure::usage(format!("no target '{name}'; there are {}", known.join(", "))));
    }
    let wanted: VecDeque<String> = if names.is_empty() { known.into() } else { names.to_vec().into() };
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(wanted.len());
    let seconds = 60.0 * minutes * cores as f64 / wanted.len() as f64;
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    println!("seed {seed}, {seconds:.0} s each, {cores} side by side");
    let (wanted, failed) = (Mutex::new(wanted), Mutex::new(Vec::new()));
    let next = || wanted.lock().ok().and_then(|mut wanted| wanted.pop_front());
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(name) = next() {
                    if let (Err(failure), Ok(mut failed)) =
                        (one(&program, &place.target, (seconds, seed), &name), failed.lock())
                    {
                        failed.push(format!("{name}: {failure}"));
                    }
                }
            });
        }
    });
    match failed.into_inner() {
        Ok(failed) if failed.is_empty() => Ok(()),
        Ok(failed) => Err(Failure::new(failed.join("; "))),
        Err(_) => Err(Failure::new("a thread has panicked".into())),
    }
}

/// Runs one target under a limit of memory, where there is a shell that knows one.
fn one(program: &Path, target: &Path, (seconds, seed): (f64, u64), name: &str) -> Result<(), Failure> {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -v {MEMORY} 2> /dev/null; exec \"$0\" \"$@\"")]).arg(program);
    // One thread: inputs are small, and other targets run beside it.
    command.env("RAYON_NUM_THREADS", "1").args([seconds.to_string(), seed.to_string()]);
    let folder = target.join("fuzz");
    visible(command.arg(&folder).arg(name)).map_err(|failure| match folder.join(name).join("current") {
        current if current.exists() => Failure::new(format!("{failure}, by {}", current.display())),
        _ => failure,
    })
}
