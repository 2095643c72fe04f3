//! `mercer train --checkpoint`: a fit that another one goes on from.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use mercer::model::{AnyEstimator, AnyKernel, AnyPoints, Checkpoint, Targets};
use mercer::solve::Stop;

use super::TrainArgs;
use crate::args::duration;
use crate::failure::{Result, usage};
use crate::output::remark;
use crate::paths;
use crate::report::Finished;
use crate::system;

#[derive(Debug, Args)]
pub(super) struct CheckpointArgs {
    /// Keep how far the fit has come in FILE, from time to time and when it is interrupted; the same command goes on from there, and
    /// removes FILE when the model is saved (support vector machines but those of all classes at once; linear-svc, logistic, linear-svr)
    #[arg(long, value_name = "FILE", conflicts_with = "stream")]
    checkpoint: Option<PathBuf>,
    /// Seconds from one copy to the next
    #[arg(long, value_name = "SECONDS", requires = "checkpoint", default_value = "60", value_parser = duration)]
    checkpoint_every: Duration,
}

impl CheckpointArgs {
    /// Whether a checkpoint was asked for.
    pub(super) fn is_wanted(&self) -> bool {
        self.checkpoint.is_some()
    }

    /// Refuses a file that is another one of the command.
    pub(super) fn check(&self, args: &TrainArgs, model: &Path) -> Result<()> {
        let Some(file) = &self.checkpoint else { return Ok(()) };
        let name = file.display();
        if file.as_os_str() == "-" {
            return Err(usage!("--checkpoint -: a checkpoint is a file"));
        }
        if file == model || args.trace.as_ref() == Some(file) {
            return Err(usage!(
                "--checkpoint {name}: this is another output; the checkpoint must go to a file of its own"
            ));
        }
        let read = [&args.row_weights, &args.asked.targets, &args.asked.second].into_iter().flatten();
        read.chain([&args.data]).try_for_each(|other| paths::distinct(file, &[other]))
    }

    /// The checkpoint, where one was asked for; says so where the fit goes on from one.
    pub(super) fn open(
        &self,
        fitted: (&AnyEstimator, &AnyKernel),
        data: (&AnyPoints, &Targets<AnyPoints>, &[f64]),
    ) -> Result<Option<Checkpoint>> {
        let Some(file) = &self.checkpoint else { return Ok(None) };
        let checkpoint = Checkpoint::open(file, self.checkpoint_every, fitted, data)?;
        if checkpoint.goes_on() {
            remark(format_args!("mercer: the fit goes on from {}", file.display()));
        }
        Ok(Some(checkpoint))
    }
}

/// Writes the answers that a fit has ended with: what follows it may take long too. A model is worth more than its checkpoint, so that a
/// file that cannot be written is no error.
pub(super) fn write(checkpoint: Option<&Checkpoint>) {
    let Some(checkpoint) = checkpoint else { return };
    if let Some(failure) = checkpoint.write().err().map(|error| error.to_string()).or(checkpoint.failure()) {
        remark(format_args!("mercer: warning: no checkpoint: {failure}"));
    }
}

/// Removes the checkpoint of a fit whose model is saved, unless the user or the time ended it.
pub(super) fn end(checkpoint: Option<&Checkpoint>, finished: &Finished<'_>) -> Result<()> {
    let stop = finished.totals().map(|totals| totals.stop);
    let early = matches!(stop, Some(Stop::Interrupted | Stop::TimeLimit)) || system::stop_wanted();
    match checkpoint {
        Some(checkpoint) if !early => Ok(checkpoint.remove()?),
        _ => Ok(()),
    }
}
