//! Where a repository keeps its hooks. None is ever run.

use std::fs;
use std::path::PathBuf;

use ubp_core::Result;

use super::{GitHistory, utf8};

/// The hooks of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hooks {
    /// The folder inside the repository's git folder.
    pub folder: PathBuf,
    /// Another folder with the hooks: the setting `core.hooksPath`, or the target of a link.
    pub elsewhere: Option<String>,
    /// The project's path in the repository, empty or with a final `/`.
    pub prefix: String,
}

impl GitHistory {
    /// The hooks of the project's repository; `None` outside a repository.
    ///
    /// # Errors
    /// [`ubp_core::Error::Io`] if git fails.
    pub fn hooks(&self) -> Result<Option<Hooks>> {
        if !self.may_be_in_repository() {
            return Ok(None);
        }
        let Some(repository) = self.open()? else { return Ok(None) };
        let git = &repository.git;
        let listed = git.run(&["config", "--get-all", "core.hooksPath"])?;
        let listed = utf8(&self.root, listed.success(git)?)?;
        // The last one is our own override.
        let setting = listed.lines().rev().nth(1).map(String::from);
        let folder = git.run(&["rev-parse", "--git-common-dir"])?;
        let folder = utf8(&self.root, folder.success(git)?)?;
        let folder = self.root.join(folder.strip_suffix('\n').unwrap_or(&folder)).join("hooks");
        let target = || fs::read_link(&folder).ok().map(|target| target.to_string_lossy().into_owned());
        let elsewhere = setting.or_else(target);
        Ok(Some(Hooks { folder, elsewhere, prefix: repository.prefix }))
    }
}
