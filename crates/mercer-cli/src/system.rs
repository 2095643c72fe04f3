//! What the operating system tells and is told: memory used, threads, and the wish to stop.

use std::sync::atomic::{AtomicBool, Ordering};

use mercer::MAX_THREADS;

use crate::failure::{Result, code, usage};

/// Set while there is a fit that can hand over what it has.
static FITTING: AtomicBool = AtomicBool::new(false);
/// Set when the user wants the fit to end.
static STOP: AtomicBool = AtomicBool::new(false);

/// The largest amount of memory that this process has had, where the system tells.
pub(crate) fn peak_bytes() -> Option<u64> {
    status_bytes("VmHWM:")
}

/// The memory that this process has now, where the system tells.
pub(crate) fn resident_bytes() -> Option<u64> {
    status_bytes("VmRSS:")
}

/// A line `VmHWM:     1234 kB` of Linux's account of this process.
fn status_bytes(name: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// Starts the pool of threads; 0 means one per core. Returns how many there are.
///
/// This thread is one of them: what it begins in parallel it works on itself. A thread outside of the pool hands each of the many small pieces of
/// a fit over and sleeps until it is done, which took half of the time of a fit to 250 points.
pub(crate) fn start_threads(threads: usize) -> Result<usize> {
    if threads > MAX_THREADS {
        return Err(usage!("--threads {threads}: at most {MAX_THREADS}"));
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).use_current_thread().build_global();
    pool.map_err(|error| usage!("--threads {threads}: {error}"))?;
    Ok(rayon::current_num_threads())
}

/// From now on Ctrl-C (or a request to terminate) ends a fit with the best model so far; the second time, or
/// while there is no fit, it ends the program, and takes away the file that is being written.
pub(crate) fn listen_for_interrupt() -> Result<()> {
    let answer = || {
        if !FITTING.load(Ordering::SeqCst) || STOP.swap(true, Ordering::SeqCst) {
            mercer::data::discard_partial_files();
            std::process::exit(i32::from(code::INTERRUPTED));
        }
    };
    ctrlc::set_handler(answer).map_err(|error| usage!("cannot listen for Ctrl-C: {error}"))
}

/// Whether the user wants the fit to end.
pub(crate) fn stop_wanted() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// Runs a fit that looks at [`stop_wanted`].
pub(crate) fn fitting<T>(fit: impl FnOnce() -> T) -> T {
    FITTING.store(true, Ordering::SeqCst);
    let result = fit();
    FITTING.store(false, Ordering::SeqCst);
    result
}
