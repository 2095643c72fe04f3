//! Checkpoints: how far a fit has come, in a file from which another fit goes on.
//!
//! A [`Checkpoint`] is given to a fit by its [`Job`](super::Job). From time to time the iterate of each problem that is being solved is copied, and
//! with the answers of those that are solved already it is written, under a temporary name that is then renamed. A fit of the
//! same method with the same settings to the same data begins from what the file has.
//!
//! **What is promised.** A fit that goes on ends at an answer with a certificate of its own, computed from that answer alone, to the
//! tolerance asked for: the optimum is that of a fit that was never ended. It is not the same answer to the last bit, since the rows in the
//! cache and the variables set aside are not kept. A fit that is not ended is the same to the bit with a checkpoint and without: the clock
//! decides when the iterate is copied, never what the solver does. Iterations are counted from where a fit goes on.
//!
//! The methods whose fits take long have them: those that are quadratic programmes, solved one for each pair of classes, class or label, and
//! linear methods with a problem for each class. All others are refused by name.
//!
//! Memory: 8 bytes for each variable of each programme, 8 for each weight of a linear function. The file is as large.
//!
//! ```
//! use std::ops::ControlFlow;
//! use std::time::Duration;
//!
//! use mercer::data::{Labels, Vectors};
//! use mercer::model::{AnyEstimator, AnyPoints, Checkpoint, Job, Space, Targets};
//!
//! let x = AnyPoints::from(Vectors::dense(1, (0..40).map(f64::from).collect::<Vec<_>>()));
//! let y = Targets::Classes(Labels::first_seen((0..40).map(|i| if i % 8 < 3 { "a" } else { "b" })));
//! let kernel = x.usual_kernel();
//! let estimator = AnyEstimator::new("svc", kernel.clone())?;
//! let folder = tempfile::tempdir()?;
//! let file = folder.path().join("fit");
//! let open = || Checkpoint::open(&file, Duration::from_secs(60), (&estimator, &kernel), (&x, &y, &[]));
//!
//! let first = open()?;
//! let mut interrupt = |_: mercer::model::Event<'_>| ControlFlow::Break(());
//! estimator.fit(&x, &y, &mut Job::new().watched(&mut interrupt).checkpoint(&first))?;
//! first.write()?;
//!
//! let second = open()?;
//! assert!(second.goes_on());
//! let model = estimator.fit(&x, &y, &mut Job::new().checkpoint(&second))?;
//! assert!(model.quality().totals().unwrap().gap.unwrap() < 0.1);
//! second.remove()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::estimator::Targets;
use super::facts::Facts;
use super::file::checkpoint::{self as file, Fit, Kept};
use super::file::{Recipe, file_error};
use super::setting::Value;
use super::space::{AnyEstimator, AnyKernel, AnyPoints};
use crate::data::{Points, write_bytes};
use crate::error::{Error, ErrorKind, Result};
use crate::solve::{Problem, Progress, Start};

/// The methods whose fits can go on.
pub const CHECKPOINTED: &[&str] = &[
    "svc",
    "nu-svc",
    "svr",
    "nu-svr",
    "one-class",
    "svdd",
    "ovr",
    "multilabel",
    "linear-svc",
    "logistic",
    "linear-svr",
];

/// The answers so far of a fit, and the file that they are kept in.
pub struct Checkpoint {
    path: PathBuf,
    every: Duration,
    fit: Fit,
    state: Mutex<State>,
    goes_on: bool,
}

struct State {
    kept: BTreeMap<(u32, u32), Kept>,
    /// Lists of problems that the fit has begun.
    lists: u32,
    /// When the file was last written.
    written: Instant,
    failure: Option<Error>,
}

impl Checkpoint {
    /// A checkpoint of a fit, in a file that is written every so often; what the file has of the fit already is where the fit goes on.
    ///
    /// # Errors
    /// If the method has no checkpoints; if the file is there and cannot be read, is damaged or no checkpoint, or is one of another fit.
    pub fn open(
        path: &Path,
        every: Duration,
        (estimator, kernel): (&AnyEstimator, &AnyKernel),
        (x, y, weights): (&AnyPoints, &Targets<AnyPoints>, &[f64]),
    ) -> Result<Self> {
        check_method(estimator)?;
        let fit = Fit {
            recipe: Recipe::of(estimator, &Facts::default(), x.len(), weights),
            kernel: kernel.to_string(),
            data: format!("{:016x}", key_of_data(x, y, weights)),
        };
        let refused = |flaw: String| file_error(path, flaw.into());
        let bytes = match std::fs::metadata(path) {
            Ok(there) if !there.is_file() => return Err(refused("a checkpoint is a file".into())),
            Ok(_) => Some(std::fs::read(path).map_err(|source| Error::io(path, source))?),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(source) => return Err(Error::io(path, source)),
        };
        let mut kept = BTreeMap::new();
        if let Some(bytes) = &bytes {
            let (found, answers) = file::read(bytes).map_err(|flaw| file_error(path, flaw))?;
            if let Some(difference) = difference(&found, &fit) {
                return Err(refused(format!("a checkpoint of another fit: {difference}")));
            }
            kept = answers.into_iter().map(|answer| (answer.place, answer)).collect();
        }
        let state = State { kept, lists: 0, written: Instant::now(), failure: None };
        Ok(Self { path: path.to_owned(), every, fit, state: Mutex::new(state), goes_on: bytes.is_some() })
    }

    /// Whether the file had answers of the fit.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        self.goes_on
    }

    /// Writes the answers so far.
    ///
    /// # Errors
    /// If the file cannot be written; it then has what it had before.
    pub fn write(&self) -> Result<()> {
        self.write_state(&mut self.state())
    }

    /// Removes the file, of a fit that is at its end and whose model is saved.
    ///
    /// # Errors
    /// If the file is there and cannot be removed.
    pub fn remove(&self) -> Result<()> {
        match std::fs::remove_file(&self.path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(&self.path, error)),
            _ => Ok(()),
        }
    }

    /// Why the file could not be written at some time during the fit, which went on all the same.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        self.state().failure.as_ref().map(Error::to_string)
    }

    /// The next list of problems of the fit.
    pub(super) fn list(&self) -> List<'_> {
        let mut state = self.state();
        state.lists += 1;
        List { checkpoint: self, number: state.lists }
    }

    /// A thread that panicked while it held the state has left it whole: it is changed by one insertion at a time.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_state(&self, state: &mut State) -> Result<()> {
        state.written = Instant::now();
        let bytes =
            file::write(&self.fit, state.kept.values()).map_err(|flaw| file_error(&self.path, flaw))?;
        write_bytes(&self.path, &bytes)
    }

    /// Keeps an answer, and writes the file where the last time is long enough ago or `now` is set.
    fn keep(&self, kept: Kept, now: bool) {
        let state = &mut *self.state();
        state.kept.insert(kept.place, kept);
        if now || state.written.elapsed() >= self.every {
            let outcome = self.write_state(state);
            state.failure = outcome.err().or(state.failure.take());
        }
    }
}

/// Problems that a fit solves side by side.
#[derive(Clone, Copy)]
pub(super) struct List<'c> {
    checkpoint: &'c Checkpoint,
    number: u32,
}

impl<'c> List<'c> {
    /// A programme of the list, with the start that is kept of it.
    pub(super) fn programme(self, part: usize, problem: Problem) -> Result<(Problem, Place<'c>)> {
        let Problem { linear, lower, upper, start, ridge, .. } = &problem;
        let second: Vec<f64> = problem.second.iter().map(|&second| f64::from(u8::from(second))).collect();
        let single = [problem.kink, f64::from(u8::from(problem.offset))];
        let key = key_of_lists(&[linear, lower, upper, start, ridge, &second, &single]);
        let (place, kept) = self.place(part, key, (0, problem.len()));
        let Some(kept) = kept else { return Ok((problem, place)) };
        let begun = problem.beginning_with(kept.dual);
        let refused =
            |error| file_error(&self.checkpoint.path, format!("problem {}: {error}", part + 1).into());
        Ok((begun.map_err(refused)?, place))
    }

    /// The problem with that key, and what is kept of it: nothing where the file has another one in its place, or another length.
    pub(super) fn place(
        self,
        part: usize,
        key: u64,
        (weights, points): (usize, usize),
    ) -> (Place<'c>, Option<Start>) {
        let Self { checkpoint, number } = self;
        let number = (number, u32::try_from(part).unwrap_or(u32::MAX));
        let place = Place { checkpoint, place: number, problem: key, weights, points, seen: Instant::now() };
        let state = checkpoint.state();
        let kept = state.kept.get(&number).filter(|kept| kept.problem == key);
        let start = kept.map(|kept| &kept.start).filter(|start| start.fits(weights, points));
        (place, start.cloned())
    }
}

/// One problem of a fit, and what is kept of it.
pub(super) struct Place<'c> {
    checkpoint: &'c Checkpoint,
    place: (u32, u32),
    problem: u64,
    weights: usize,
    points: usize,
    /// When its iterate was last copied.
    seen: Instant,
}

impl Place<'_> {
    /// Copies the iterate and writes the file, where it is time. What is no iterate of the whole problem is not looked at: of a sample of the
    /// points, for instance.
    pub(super) fn see(&mut self, progress: &Progress) {
        if self.seen.elapsed() < self.checkpoint.every {
            return;
        }
        let iterate = progress.iterate.start();
        if let Some(start) = iterate.filter(|start| start.fits(self.weights, self.points)) {
            self.seen = Instant::now();
            self.keep(start, true);
        }
    }

    /// Keeps the answer at which the solver has ended.
    pub(super) fn solved(&self, start: Start) {
        self.keep(start, false);
    }

    fn keep(&self, start: Start, now: bool) {
        let finite = start.weights.iter().chain(&start.dual).all(|value| value.is_finite());
        if finite && start.fits(self.weights, self.points) {
            self.checkpoint.keep(Kept { place: self.place, problem: self.problem, start }, now);
        }
    }
}

/// Refuses methods, and schemes of methods, whose fits cannot go on.
fn check_method(estimator: &AnyEstimator) -> Result<()> {
    let method = estimator.card().name;
    let joint = match estimator.get("scheme") {
        Some(Value::Word(scheme)) if method.starts_with("lin") || method == "logistic" => {
            Some(scheme).filter(|scheme| scheme != "ovr")
        }
        _ => None,
    };
    let what = match joint {
        Some(scheme) => format!("a checkpoint of {method} with the scheme {scheme}: ovr has one"),
        None if CHECKPOINTED.contains(&method) => return Ok(()),
        None => format!("a checkpoint of {method}: {} have one", CHECKPOINTED.join(", ")),
    };
    Err(ErrorKind::Unsupported { what: what.into() }.into())
}

/// In what a checkpoint differs from what is to be fitted, in words.
fn difference(found: &Fit, wanted: &Fit) -> Option<String> {
    let (there, here) = (&found.recipe, &wanted.recipe);
    if there.method != here.method {
        return Some(format!("of {}, not of {}", there.method, here.method));
    }
    if found.kernel != wanted.kernel {
        return Some(format!("with the kernel {}, not {}", found.kernel, wanted.kernel));
    }
    let names = here.parameters.iter().chain(&there.parameters).map(|(name, _)| name);
    let told = |value: Option<&Value>| value.map_or("left open".to_owned(), Value::to_string);
    for name in names {
        let (there, here) = (there.get(name), here.get(name));
        if there != here {
            return Some(format!("with {name} {}, not {}", told(there), told(here)));
        }
    }
    (found.data != wanted.data || there != here).then(|| "to other data".to_owned())
}

/// Hash of some lists of numbers.
pub(super) fn key_of_lists(lists: &[&[f64]]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for list in lists {
        list.len().hash(&mut hasher);
        list.iter().for_each(|value| value.to_bits().hash(&mut hasher));
    }
    hasher.finish()
}

/// Hash of what a model is fitted to.
fn key_of_data(x: &AnyPoints, y: &Targets<AnyPoints>, weights: &[f64]) -> u64 {
    /// Takes in the text that is written to it.
    struct Text<'h>(&'h mut DefaultHasher);
    impl fmt::Write for Text<'_> {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            text.hash(self.0);
            Ok(())
        }
    }
    let mut hasher = DefaultHasher::new();
    x.width().hash(&mut hasher);
    (0..x.len()).for_each(|i| x.key(i).hash(&mut hasher));
    // Writing to a hasher does not fail.
    let _ = fmt::write(&mut Text(&mut hasher), format_args!("{y:?}"));
    key_of_lists(&[weights]).hash(&mut hasher);
    hasher.finish()
}
