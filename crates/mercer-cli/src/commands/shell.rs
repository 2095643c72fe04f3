//! Completion scripts and manual pages, made from the arguments.

use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;
use mercer::Error;

use super::Cli;
use crate::failure::{Failure, Result};
use crate::output::{answer, remark};

/// Prints a completion script.
pub(crate) fn completions(shell: Shell) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "mercer", &mut script);
    answer(String::from_utf8_lossy(&script))
}

/// Prints the manual page, or writes one for each command into a folder.
pub(crate) fn man(folder: Option<&Path>) -> Result<()> {
    let Some(folder) = folder else {
        let mut page = Vec::new();
        Man::new(Cli::command()).render(&mut page).map_err(Failure::Output)?;
        return answer(String::from_utf8_lossy(&page));
    };
    let written =
        std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(Cli::command(), folder));
    written.map_err(|source| Error::io(folder, source))?;
    remark(format_args!("manual pages in {}", folder.display()));
    Ok(())
}
