//! Private Python environments under the target folder.

use std::path::PathBuf;
use std::process::Command;

use crate::place::Place;
use crate::step::{self, Failure, announced, visible};

/// The oldest Python that the package is for, and that has all the packages we ask for.
const OLDEST: (u32, u32) = (3, 11);

/// Makes the environment `folder` of the target folder where it is not there yet, and returns its interpreter.
///
/// A file with the list of packages is written last, so that a set-up that was interrupted, or one made for another
/// list, is done again.
///
/// # Errors
/// A `python3` that is missing or too old; an installation that failed.
pub(crate) fn environment(place: &Place, folder: &str, packages: &[&str]) -> Result<PathBuf, Failure> {
    let title = format!("set up the Python environment in target/{folder}");
    let folder = place.target.join(folder);
    let (python, stamp) = (folder.join("bin").join("python"), folder.join("packages.txt"));
    let wanted = packages.join("\n");
    if std::fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(python);
    }
    announced(&title, || {
        let asked = "import sys; print(*sys.version_info[:2])";
        recent_enough(&step::output(Command::new("python3").args(["-c", asked]))?)?;
        visible(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
        visible(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(packages))?;
        std::fs::write(&stamp, &wanted).map_err(|e| Failure::new(format!("{}: {e}", stamp.display())))
    })?;
    Ok(python)
}

/// Refuses a Python (`"3 9\n"`) older than [`OLDEST`].
fn recent_enough(version: &str) -> Result<(), Failure> {
    let mut numbers = version.split_whitespace().map(str::parse::<u32>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) if (major, minor) >= OLDEST => Ok(()),
        _ => {
            let (major, minor) = OLDEST;
            let found = version.trim().replace(' ', ".");
            Err(Failure::new(format!("python3 is Python {found}: must be {major}.{minor} or newer")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::recent_enough;

    #[test]
    fn old_python_is_refused_by_its_version() {
        assert!(recent_enough("3 11\n").is_ok());
        assert!(recent_enough("4 0\n").is_ok());
        let message = recent_enough("3 9\n").expect_err("older than 3.11").to_string();
        assert_eq!(message, "python3 is Python 3.9: must be 3.11 or newer");
    }
}
