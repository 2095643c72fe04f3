//! The bar on the terminal during long fits.

use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mercer::model::Event;
use mercer::solve::Progress;

use crate::output::{rough, save};
use crate::system;

/// A fit that ends before this shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);
/// The bar is redrawn this often at most.
const BETWEEN: Duration = Duration::from_millis(100);
const LENGTH: u64 = 1000;
/// The first line of the table of all rounds.
const HEADER: &str = "part,round,steps,active,working_set,violation,objective,gap,seconds,first,second\n";

/// Shows how a fit goes and passes on the user's wish to stop.
pub(crate) struct Watcher<'a> {
    /// The table of all rounds and its file, where one is wanted.
    trace: Option<(&'a Path, String)>,
    bar: ProgressBar,
    /// The violation at which rounds end.
    tolerance: f64,
    shown: Duration,
    /// The largest violation seen, where the bar begins.
    worst: f64,
    /// How far the bar has come: it never goes back, though the violation does.
    position: u64,
    started_parts: usize,
}

impl<'a> Watcher<'a> {
    /// A quiet watcher shows nothing, and neither does one whose standard error is no terminal; `trace` is the file of a table
    /// of all rounds.
    pub(crate) fn new(tolerance: f64, quiet: bool, trace: Option<&'a Path>) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(LENGTH), target);
        let style = ProgressStyle::with_template("fitting {bar:30} {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("━╸─"));
        let trace = trace.map(|path| (path, HEADER.to_owned()));
        Self { trace, bar, tolerance, shown: Duration::ZERO, worst: 0.0, position: 0, started_parts: 0 }
    }

    /// Looks at an event; breaks if the user wants to stop.
    pub(crate) fn look(&mut self, event: Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Round(progress) => self.round(progress),
            Event::Stage(stage) if self.is_due(stage.elapsed) => {
                let left = |left: Duration| format!(", about {:.0} s left", left.as_secs_f64());
                let left = stage.left().map_or(String::new(), left);
                self.bar.set_position((stage.done * LENGTH as f64) as u64);
                self.bar.set_message(format!("{}, {:.0} s{left}", stage.name, stage.elapsed.as_secs_f64()));
            }
            _ => {}
        }
        if system::stop_wanted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Writes the table of all rounds, where one was wanted.
    pub(crate) fn finish(mut self) -> mercer::Result<()> {
        self.trace.take().map_or(Ok(()), |(path, table)| save(path, &table))
    }

    fn is_due(&mut self, elapsed: Duration) -> bool {
        let due = elapsed >= PATIENCE && elapsed >= self.shown + BETWEEN;
        if due {
            self.shown = elapsed;
        }
        due
    }

    fn round(&mut self, progress: &Progress) {
        self.worst = self.worst.max(progress.violation);
        self.started_parts = self.started_parts.max(progress.part + 1);
        if let Some((_, trace)) = &mut self.trace {
            let Progress { part, rounds, iterations, active, working_set, .. } = progress;
            let Progress { violation, objective, gap, elapsed, .. } = progress;
            let seconds = elapsed.as_secs_f64();
            let counts = format_args!("{},{rounds},{iterations},{active},{working_set}", part + 1);
            let pair = progress.pair.map_or(",".into(), |(i, j)| format!("{},{}", i + 1, j + 1));
            let _ = writeln!(trace, "{counts},{violation},{objective},{gap},{seconds:.6},{pair}");
        }
        if self.is_due(progress.elapsed) {
            self.show_round(progress);
        }
    }

    fn show_round(&mut self, progress: &Progress) {
        // SMO divides the violation by about the same factor in equal times.
        let share = (self.worst / progress.violation).ln() / (self.worst / self.tolerance).ln();
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        let whole = ((self.started_parts - 1) as f64 + share) / progress.parts as f64;
        self.position = self.position.max((whole * LENGTH as f64) as u64);
        self.bar.set_position(self.position);
        let parts = match progress.parts {
            1 => String::new(),
            parts => format!("part {} of {parts}, ", self.started_parts),
        };
        let [gap, violation, asked] = [progress.gap, progress.violation, self.tolerance].map(rough);
        let (rounds, seconds) = (progress.rounds, progress.elapsed.as_secs_f64());
        self.bar.set_message(format!(
            "{parts}gap {gap}, violation {violation} of {asked}, round {rounds}, {seconds:.0} s"
        ));
    }
}

impl Drop for Watcher<'_> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
