//! A target, executed again and again: what it answers, how long it takes, what it cannot take.

use std::collections::HashSet;
use std::fs::File;
use std::io::{Seek, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use mercer::data::SplitMix;

use crate::mutate::mutated;
use crate::targets::Target;

/// The time of work after which an input hangs.
pub const HANG: Duration = Duration::from_secs(1);
/// Inputs that are kept for their answers, at most.
const KEPT: usize = 5000;

/// What came of a run.
#[derive(Debug, Default, Clone)]
pub struct Outcome {
    /// Inputs tried.
    pub executions: u64,
    /// Different answers.
    pub answers: usize,
    /// The longest time of one.
    pub slowest: Duration,
    /// The input that panicked or took too long, with what it did; the run ends there.
    pub failure: Option<(Vec<u8>, String)>,
}

/// What is being tried, for the watch; in a file too, where there is one: it stays where the process is ended by what it tries.
#[derive(Default)]
pub struct Current {
    now: Mutex<Option<(Instant, Vec<u8>)>>,
    file: Option<File>,
    /// When the input began that took too long when last looked at, and what the process had worked by then.
    late: Mutex<Option<(Instant, Option<Duration>)>>,
}

impl Current {
    /// One that is kept in a file.
    ///
    /// # Errors
    /// If the file cannot be made.
    pub fn in_file(path: &Path) -> std::io::Result<Self> {
        Ok(Self { file: Some(File::create(path)?), ..Self::default() })
    }

    /// The input that has taken longer than [`HANG`] so far, and for which the process has worked as long again since that was first seen.
    #[must_use]
    pub fn hanging(&self) -> Option<Vec<u8>> {
        let current = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        let (started, input) = current.as_ref().filter(|(started, _)| started.elapsed() > HANG)?;
        let mut late = self.late.lock().unwrap_or_else(PoisonError::into_inner);
        match &*late {
            Some((at, before)) if at == started => spent(*before, started.elapsed() - HANG),
            _ => {
                *late = Some((*started, worked()));
                Duration::ZERO
            }
        }
        .gt(&HANG)
        .then(|| input.clone())
    }

    fn set(&self, current: Option<(Instant, Vec<u8>)>) {
        if let (Some(mut file), Some((_, input))) = (self.file.as_ref(), &current) {
            // A file that cannot be written costs the input of an end that may never come.
            let _ = file
                .rewind()
                .and_then(|()| file.write_all(input))
                .and_then(|()| file.set_len(input.len() as u64));
        }
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = current;
    }
}

/// What the process has worked, where the system tells: on a machine that is busy otherwise an input takes long without doing anything.
fn worked() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the name, which may have blanks, the twelfth and the next word: hundredths of seconds in the program and in the system.
    let words: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: u64 = words.get(11)?.parse::<u64>().ok()? + words.get(12)?.parse::<u64>().ok()?;
    Some(Duration::from_millis(10 * ticks))
}

/// What the process has worked since it had worked `before`; `otherwise` where that is not known.
fn spent(before: Option<Duration>, otherwise: Duration) -> Duration {
    before.zip(worked()).map_or(otherwise, |(before, now)| now.saturating_sub(before))
}

/// The inputs of a target's folder; one that is empty where there are none.
#[must_use]
pub fn corpus(folder: &Path) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    let mut inputs: Vec<Vec<u8>> = paths.into_iter().filter_map(|path| std::fs::read(path).ok()).collect();
    if inputs.is_empty() {
        inputs.push(Vec::new());
    }
    inputs
}

/// Tries a target on its corpus, then on what a mutator makes of it, until the time is up or it fails.
pub fn run(
    target: &Target,
    mut inputs: Vec<Vec<u8>>,
    (seed, time): (u64, Duration),
    (current, stop): (&Current, &AtomicBool),
) -> Outcome {
    let (started, mut random) = (Instant::now(), SplitMix(seed));
    let (mut outcome, mut seen) = (Outcome::default(), HashSet::new());
    let first = inputs.len();
    let mut number = 0;
    while number < first || (started.elapsed() < time && !stop.load(Ordering::Relaxed)) {
        let input =
            if number < first { inputs[number].clone() } else { mutated(&inputs, target.words, &mut random) };
        number += 1;
        let begun = Instant::now();
        current.set(Some((begun, input.clone())));
        let answer = catch_unwind(AssertUnwindSafe(|| (target.run)(&input)));
        let mut taken = begun.elapsed();
        if taken > HANG && answer.is_ok() {
            // Perhaps it was the machine that took long.
            let (before, again) = (worked(), Instant::now());
            let _ = catch_unwind(AssertUnwindSafe(|| (target.run)(&input)));
            taken = spent(before, again.elapsed());
        }
        current.set(None);
        outcome.executions += 1;
        outcome.slowest = outcome.slowest.max(taken);
        match answer {
            Ok(_) if taken > HANG => outcome.failure = Some((input, format!("took {taken:?}"))),
            Ok(answer) => {
                if seen.insert(answer) && number > first && inputs.len() < KEPT {
                    inputs.push(input);
                }
                continue;
            }
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
                outcome.failure = Some((input, text.to_owned()));
            }
        }
        break;
    }
    outcome.answers = seen.len();
    outcome
}
