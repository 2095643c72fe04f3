//! Files that are being written, under temporary names, until they are complete.
//!
//! Whatever ends the process takes them with it, as far as it can: an error removes its own file, a program that ends on a signal calls
//! [`discard_partial_files`], and what a killed process or a machine without power has left is removed by the next file that is
//! written into the folder.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const PREFIX: &str = ".mercer-";
const SUFFIX: &str = ".part";

/// The age from which a file that no process has locked is taken to be left behind: between being made and being locked a moment passes.
const STALE: Duration = Duration::from_secs(60);

/// The files that this process is writing.
static OPEN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn open_files() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the files that this process has begun to write, and keeps it from beginning others: to be called right before the process
/// ends from another thread than those that write.
pub fn discard_partial_files() {
    let open = open_files();
    for path in &*open {
        // It may have been completed, or removed, just now.
        let _ = std::fs::remove_file(path);
    }
    // Never unlocked.
    std::mem::forget(open);
}

/// Fills a file under a temporary name in a folder; then it gets its own name, `path`.
pub(super) fn complete(
    folder: &Path,
    path: &Path,
    fill: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    sweep(folder);
    // Not opened by `tempfile`: so the file has the permissions of any new file, and an error does not name the temporary
    // file.
    let open = |path: &Path| {
        let mut open = open_files();
        let file = File::options().write(true).create_new(true).open(path)?;
        open.insert(path.to_owned());
        // Where files cannot be locked, nothing is ever taken to be left behind.
        let _ = file.try_lock();
        Ok(file)
    };
    let mut file = tempfile::Builder::new().prefix(PREFIX).suffix(SUFFIX).make_in(folder, open)?;
    let partial = file.path().to_owned();
    let outcome = fill(file.as_file_mut()).and_then(|()| {
        // A file that exists keeps its permissions, as if it were overwritten.
        if let Ok(metadata) = std::fs::metadata(path) {
            file.as_file().set_permissions(metadata.permissions())?;
        }
        file.persist(path).map(|_: File| ()).map_err(|error| error.error)
    });
    open_files().remove(&partial);
    outcome
}

/// Removes what killed processes have left in a folder: old temporary files that no process has locked.
fn sweep(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let partial = |name: &str| name.starts_with(PREFIX) && name.ends_with(SUFFIX);
    for entry in entries.flatten().filter(|entry| entry.file_name().to_str().is_some_and(partial)) {
        let age = entry.metadata().and_then(|data| data.modified()).ok().and_then(|time| time.elapsed().ok());
        if age.is_none_or(|age| age < STALE) {
            continue;
        }
        let left = File::options().write(true).open(entry.path()).is_ok_and(|file| file.try_lock().is_ok());
        if left {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn what_a_killed_process_has_left_goes_with_the_next_file() {
        let folder = tempfile::tempdir().unwrap();
        let make = |name: &str, age: u64| {
            let file = File::create(folder.path().join(name)).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
            file
        };
        drop(make(".mercer-left.part", 3600));
        drop(make(".mercer-fresh.part", 1));
        drop(make("mercer-other.part", 3600));
        let busy = make(".mercer-busy.part", 3600);
        busy.try_lock().unwrap();
        complete(folder.path(), &folder.path().join("a"), |_| Ok(())).unwrap();
        let mut names: Vec<String> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, [".mercer-busy.part", ".mercer-fresh.part", "a", "mercer-other.part"]);
    }

    #[test]
    fn a_file_that_cannot_be_filled_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let refuse = |_: &mut File| Err(io::Error::other("no"));
        assert!(complete(folder.path(), &folder.path().join("a"), refuse).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
