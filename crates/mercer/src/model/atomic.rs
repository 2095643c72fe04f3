//! Files that appear whole or not at all.

use std::io::Write;
use std::path::Path;

use crate::error::{Error, Result};

/// Writes `bytes` under a temporary name in the folder of `path`, then renames.
///
/// # Errors
/// If the folder cannot be written to; nothing is left behind.
pub(super) fn write_atomic(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let write = || {
        let mut builder = tempfile::Builder::new();
        // Temporary files are the owner's alone by default; a model is a file like any other.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let mut file = builder.tempfile_in(folder)?;
        file.write_all(bytes)?;
        file.persist(path)?;
        Ok(())
    };
    write().map_err(|source| Error::io(path, source))
}
