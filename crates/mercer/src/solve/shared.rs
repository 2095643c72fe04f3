//! One callback for several problems that are solved at once.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::{Progress, Watch};

/// The caller's callback, shared by several problems that are solved at once. When it asks one of them to stop, all stop.
pub(crate) struct Shared<'w> {
    watch: Mutex<Watch<'w>>,
    stopped: AtomicBool,
    parts: usize,
    started: Instant,
}

impl<'w> Shared<'w> {
    /// A callback for `parts` problems that were begun at `started`.
    pub(crate) fn new(watch: Watch<'w>, parts: usize, started: Instant) -> Self {
        Self { watch: Mutex::new(watch), stopped: AtomicBool::new(false), parts, started }
    }

    /// Whether the callback has asked to stop.
    pub(crate) fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Shows the progress of the problem number `part` to the callback, and returns its answer.
    pub(crate) fn show(&self, part: usize, progress: &Progress) -> ControlFlow<()> {
        if self.stopped() {
            return ControlFlow::Break(());
        }
        // A callback that panicked in another problem cannot be called again.
        let Ok(mut watch) = self.watch.lock() else { return ControlFlow::Break(()) };
        let progress = Progress { part, parts: self.parts, elapsed: self.started.elapsed(), ..*progress };
        let answer = watch(&progress);
        if answer.is_break() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        answer
    }
}
