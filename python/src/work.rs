//! Work beside the interpreter: on threads of our own, with the interpreter free, watched for signals.
//!
//! A job owns what it needs and runs in a pool. The thread that asked for it waits without the interpreter's lock, looks
//! every [`TICK`] whether a signal has come (Ctrl-C) and shows the latest state to the caller's callback. Once a signal or
//! an exception has come the job is asked to stop; one that is in the middle of something that cannot be broken off
//! is left to end by itself. Work that takes less than the way to a pool and back is done by the thread that asked for it.

use std::any::Any;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use mercer::MAX_THREADS;
use mercer::model::Event;
use mercer::solve::{Progress, Stage};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::errors::raise;

/// How often signals and the callback are looked after.
const TICK: Duration = Duration::from_millis(50);
/// How long a job that was asked to stop is waited for.
const GRACE: Duration = Duration::from_millis(600);

/// How work is run: on how many threads, and shown to whom.
#[pyclass(frozen, module = "mercer._mercer")]
#[derive(Default)]
pub(crate) struct Run {
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
}

#[pymethods]
impl Run {
    /// Work on `threads` threads, None for the default, shown to `progress(state)`, a dictionary, several times a second.
    #[new]
    #[pyo3(signature = (threads=None, progress: "collections.abc.Callable[[dict[str, typing.Any]], object] | None" = None))]
    fn new(threads: Option<usize>, progress: Option<Py<PyAny>>) -> PyResult<Self> {
        match threads {
            Some(threads @ 1..=MAX_THREADS) => Ok(Self { threads: Some(threads), progress }),
            None => Ok(Self { threads, progress }),
            Some(threads) => {
                Err(PyValueError::new_err(format!("{threads} threads: there may be 1 to {MAX_THREADS}")))
            }
        }
    }
}

/// The latest state of a job.
#[derive(Clone, Copy)]
enum State {
    Solving(Progress<'static>),
    Working(Stage),
}

impl State {
    fn to_python<'py>(self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        match self {
            Self::Solving(progress) => {
                dict.set_item("part", progress.part)?;
                dict.set_item("parts", progress.parts)?;
                dict.set_item("iterations", progress.iterations)?;
                dict.set_item("active", progress.active)?;
                dict.set_item("violation", progress.violation)?;
                dict.set_item("gap", progress.gap)?;
                dict.set_item("objective", progress.objective)?;
                dict.set_item("elapsed", progress.elapsed.as_secs_f64())?;
            }
            Self::Working(stage) => {
                dict.set_item("stage", stage.name)?;
                dict.set_item("done", stage.done)?;
                dict.set_item("elapsed", stage.elapsed.as_secs_f64())?;
            }
        }
        Ok(dict)
    }
}

/// What a job and the thread that waits for it share.
#[derive(Default)]
pub(crate) struct Shared {
    stop: AtomicBool,
    state: Mutex<Option<State>>,
}

impl Shared {
    /// The callback of a fit.
    pub(crate) fn watch(&self) -> impl FnMut(Event<'_>) -> ControlFlow<()> + Send {
        |event| {
            *lock(&self.state) = match event {
                Event::Round(progress) => Some(State::Solving(progress.told())),
                Event::Stage(stage) => Some(State::Working(*stage)),
                _ => None,
            };
            if self.stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }
}

impl Run {
    /// Runs a job to its end.
    ///
    /// # Errors
    /// Of the job; of the callback; KeyboardInterrupt.
    pub(crate) fn job<T, J>(&self, py: Python<'_>, job: J) -> PyResult<T>
    where
        T: Send + 'static,
        J: FnOnce(&Shared) -> mercer::Result<T> + Send + 'static,
    {
        let pool = pool(self.threads, Purpose::Job)?;
        let shared = Arc::new(Shared::default());
        let (sender, receiver) = sync_channel(1);
        let theirs = Arc::clone(&shared);
        pool.spawn(move || {
            let result = catch_unwind(AssertUnwindSafe(|| job(&theirs)));
            // The thread that asked may have stopped waiting.
            let _ = sender.send(result);
        });
        // The receiver goes into the closure that waits, which may be sent.
        let receiver = Mutex::new(receiver);
        let wait = |time: Duration| py.detach(|| lock(&receiver).recv_timeout(time));
        loop {
            match wait(TICK) {
                Ok(Ok(result)) => {
                    py.check_signals()?;
                    return result.map_err(raise);
                }
                Ok(Err(payload)) => return Err(unwound(payload)),
                Err(RecvTimeoutError::Disconnected) => return Err(defect()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Err(error) = self.look(py, &shared) {
                shared.stop.store(true, Ordering::Relaxed);
                let asked = Instant::now();
                while asked.elapsed() < GRACE && matches!(wait(TICK), Err(RecvTimeoutError::Timeout)) {}
                return Err(error);
            }
        }
    }

    /// Runs work of less than a [`TICK`] that needs no pool on this thread, with the interpreter free.
    ///
    /// # Errors
    /// Of the work; KeyboardInterrupt.
    pub(crate) fn here<T: Send>(
        py: Python<'_>,
        work: impl FnOnce() -> mercer::Result<T> + Send,
    ) -> PyResult<T> {
        let result = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
        py.check_signals()?;
        result.map_err(unwound)?.map_err(raise)
    }

    /// Signals, and the callback.
    fn look(&self, py: Python<'_>, shared: &Shared) -> PyResult<()> {
        py.check_signals()?;
        let state = lock(&shared.state).take();
        if let (Some(progress), Some(state)) = (&self.progress, state) {
            progress.call1(py, (state.to_python(py)?,))?;
        }
        Ok(())
    }
}

/// Runs work that goes over all data once, on as many threads as work takes by default, with the interpreter free. Not in rayon's
/// own pool, whose threads a forked process does not have, nor behind jobs that take long.
///
/// # Errors
/// If there are no threads.
pub(crate) fn on_threads<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let pool = pool(None, Purpose::Data)?;
    py.detach(|| catch_unwind(AssertUnwindSafe(|| pool.install(work)))).map_err(unwound)
}

/// The error of work that unwound: one of the library for want of memory, else a defect.
fn unwound(payload: Box<dyn Any + Send>) -> PyErr {
    payload.downcast::<mercer::Error>().map_or_else(|_| defect(), |error| raise(*error))
}

fn defect() -> PyErr {
    PyRuntimeError::new_err("a defect in mercer ended the work; please report it")
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The most threads that work takes; 0 where no limit is set.
static LIMIT: AtomicUsize = AtomicUsize::new(0);

/// Threads that work takes where it does not say: the limit set, else `MERCER_NUM_THREADS`, else `OMP_NUM_THREADS` (which
/// joblib sets in its workers), else the processors that this process may use.
#[pyfunction]
pub(crate) fn num_threads() -> usize {
    let told = |name: &str| {
        std::env::var(name).ok().and_then(|text| text.trim().parse::<usize>().ok()).filter(|&n| n > 0)
    };
    match LIMIT.load(Ordering::Relaxed) {
        0 => told("MERCER_NUM_THREADS")
            .or_else(|| told("OMP_NUM_THREADS"))
            .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)),
        limit => limit,
    }
    .min(MAX_THREADS)
}

/// Limits the threads of all work that begins from now on; 0 takes the limit away.
#[pyfunction]
pub(crate) fn set_num_threads(threads: usize) {
    LIMIT.store(threads, Ordering::Relaxed);
}

/// Gives memory that was freed back to the system.
#[pyfunction]
pub(crate) fn return_freed_memory() {
    mercer::return_freed_memory();
}

/// What the threads of a pool do.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Purpose {
    /// Fits and predictions.
    Job,
    /// Passes over data on their way to a job.
    Data,
}

/// The pools, each shared by all work of its purpose on so many threads, so that jobs side by side do not add threads.
struct Pools {
    /// The process that they were made in.
    process: u32,
    /// The pool that work of a purpose took last.
    latest: HashMap<Purpose, Arc<ThreadPool>>,
    /// All that still have work; a pool that is not the latest ends with its last job.
    all: HashMap<(usize, Purpose), Weak<ThreadPool>>,
}

/// It is locked only by threads that hold the interpreter's lock, as a thread that forks does: no forked process finds it locked.
static POOLS: Mutex<Option<Pools>> = Mutex::new(None);

fn pool(threads: Option<usize>, purpose: Purpose) -> PyResult<Arc<ThreadPool>> {
    let limit = LIMIT.load(Ordering::Relaxed);
    let threads = match threads {
        Some(threads) if limit > 0 => threads.min(limit),
        Some(threads) => threads,
        None => num_threads(),
    };
    let (mut pools, process) = (lock(&POOLS), std::process::id());
    if pools.as_ref().is_some_and(|pools| pools.process != process) {
        // A forked process has none of its parent's threads; to drop their pools would wait for them.
        std::mem::forget(pools.take());
    }
    let Pools { latest, all, .. } =
        pools.get_or_insert_with(|| Pools { process, latest: HashMap::new(), all: HashMap::new() });
    let pool = match all.get(&(threads, purpose)).and_then(Weak::upgrade) {
        Some(pool) => pool,
        None => {
            let builder =
                ThreadPoolBuilder::new().num_threads(threads).thread_name(|i| format!("mercer-{i}"));
            let none = |error| PyRuntimeError::new_err(format!("no {threads} threads to work on: {error}"));
            Arc::new(builder.build().map_err(none)?)
        }
    };
    all.retain(|_, pool| pool.strong_count() > 0);
    all.insert((threads, purpose), Arc::downgrade(&pool));
    latest.insert(purpose, Arc::clone(&pool));
    Ok(pool)
}
