//! A watch for problems that are solved side by side.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::{Progress, Watch};

/// What they share: who watches, whether anybody asked to stop.
pub(crate) struct Shared<'w> {
    watch: Mutex<Watch<'w>>,
    stopped: AtomicBool,
    parts: usize,
    started: Instant,
}

impl<'w> Shared<'w> {
    pub(crate) fn new(watch: Watch<'w>, parts: usize, started: Instant) -> Self {
        Self { watch: Mutex::new(watch), stopped: AtomicBool::new(false), parts, started }
    }

    /// Whether anybody asked to stop.
    pub(crate) fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Shows the progress of one of them.
    pub(crate) fn show(&self, part: usize, progress: &Progress) -> ControlFlow<()> {
        if self.stopped() {
            return ControlFlow::Break(());
        }
        // A watch that panicked in another problem cannot be asked again.
        let Ok(mut watch) = self.watch.lock() else { return ControlFlow::Break(()) };
        let progress = Progress { part, parts: self.parts, elapsed: self.started.elapsed(), ..*progress };
        let answer = watch(&progress);
        if answer.is_break() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        answer
    }
}
