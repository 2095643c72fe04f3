//! Where things are: the workspace, its target folder, the data sets.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::step::{self, Failure};

/// The folders of a checkout, and what cargo says about it.
#[derive(Debug)]
pub(crate) struct Place {
    /// The workspace's root.
    pub(crate) root: PathBuf,
    /// Where cargo builds.
    pub(crate) target: PathBuf,
    /// The full data sets, where there are any.
    pub(crate) data: Option<PathBuf>,
    /// `cargo metadata` of the workspace.
    pub(crate) metadata: Value,
}

impl Place {
    /// Asks cargo.
    pub(crate) fn find() -> Result<Self, Failure> {
        let manifest_dir = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root =
            manifest_dir.ancestors().nth(2).expect("xtask lies in crates/ of the workspace").to_owned();
        let text = step::output(step::cargo(&root).args(["metadata", "--format-version", "1"]))?;
        let metadata: Value =
            serde_json::from_str(&text).map_err(|e| Failure::new(format!("cargo metadata: {e}")))?;
        let target = metadata["target_directory"].as_str().map(PathBuf::from);
        let target = target.ok_or_else(|| Failure::new("cargo metadata names no target directory".into()))?;
        let data = std::env::var_os("MERCER_DATA").map_or_else(|| root.join("../shared/data"), PathBuf::from);
        let data = data.canonicalize().ok().filter(|folder| folder.is_dir());
        Ok(Self { root, target, data, metadata })
    }

    /// One line on whether the full data sets were found.
    pub(crate) fn data_line(&self) -> String {
        match &self.data {
            Some(folder) => format!("data: full data sets found in {}", folder.display()),
            None => {
                "data: full data sets not found (set MERCER_DATA); the tests that need them name themselves, \
                     say that they did not run, and are counted"
                    .into()
            }
        }
    }
}
