//! Runs git so that a repository's configuration cannot run commands.
//!
//! A repository that was unpacked, not cloned, has its own `.git/config`, and many settings there are commands.
//! Settings that could apply when reading history are overridden. Filters have arbitrary names, so the configuration is
//! listed first and every filter of the repository is disabled. Filters of the user (such as Git LFS) stay.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use ubp_core::reported;
use ubp_core::{Error, Result};

/// Overrides for settings that are commands, start processes or change the output.
const OVERRIDES: [&str; 9] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "diff.external=",
    "gpg.program=false",
    "log.showSignature=false",
    "log.follow=false",
    "log.mailmap=false",
    "safe.bareRepository=explicit",
];

/// Variables that select the user's configuration. All other `GIT_…` variables are removed, because git sets them for
/// hooks, where they refer to another repository.
const KEPT: [&str; 6] = [
    "GIT_CEILING_DIRECTORIES",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_EXEC_PATH",
];

/// The `git` command for a folder.
#[derive(Debug)]
pub(super) struct Git {
    folder: PathBuf,
    overrides: Vec<String>,
    is_partial: bool,
}

/// Output of a git process.
#[derive(Debug)]
pub(super) struct Answer(Option<Output>);

impl Git {
    /// Git without overrides for the repository's filters: only for commands that read no files.
    pub(super) fn without_filters(folder: &Path) -> Option<Self> {
        let overrides = OVERRIDES.map(String::from).to_vec();
        folder.is_dir().then(|| Self { folder: folder.to_path_buf(), overrides, is_partial: false })
    }

    /// Git for `folder`; `None` without git.
    ///
    /// # Errors
    /// [`Error::Io`] if the configuration cannot be read, or a filter cannot be disabled.
    pub(super) fn in_folder(folder: &Path) -> Result<Option<Self>> {
        let Some(mut git) = Self::without_filters(folder) else { return Ok(None) };
        let answer = git.run(&["config", "--list", "-z", "--show-scope", "--name-only", "--includes"])?;
        if answer.is_missing() {
            return Ok(None);
        }
        let listed = String::from_utf8_lossy(answer.success(&git)?).into_owned();
        let mut fields = listed.split('\0');
        while let (Some(scope), Some(name)) = (fields.next(), fields.next()) {
            if !matches!(scope, "local" | "worktree") {
                continue;
            }
            let lower = name.to_ascii_lowercase();
            git.is_partial |= lower == "extensions.partialclone"
                || (lower.starts_with("remote.") && lower.ends_with(".promisor"));
            let Some(driver) = name.get(.."filter.".len()).filter(|_| lower.starts_with("filter.")) else {
                continue;
            };
            let rest = name.get(driver.len()..).unwrap_or_default();
            let Some((filter, _)) = rest.rsplit_once('.') else { continue };
            // With `-c`, a name ends at its first '='.
            if filter.contains('=') {
                let words = reported!("its .git/config has the filter '{filter}', which cannot be disabled");
                return Err(git.failure(io::Error::new(io::ErrorKind::PermissionDenied, words)));
            }
            for emptied in ["clean=", "smudge=", "process=", "required=false"] {
                git.overrides.push(format!("filter.{filter}.{emptied}"));
            }
        }
        Ok(Some(git))
    }

    /// Whether this is a partial clone, in which objects may be missing.
    pub(super) fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// A git command without standard input.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.current_dir(plain(&self.folder)).stdin(Stdio::null());
        for (name, _) in std::env::vars_os() {
            if is_taken_away(&name) {
                command.env_remove(name);
            }
        }
        command
            .env("LC_ALL", "C")
            // Do not refresh the index, which would write and could run a hook.
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_LITERAL_PATHSPECS", "1")
            // Do not fetch missing objects, which could run commands from the configuration.
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_ALLOW_PROTOCOL", "none")
            .arg("--no-pager");
        for setting in &self.overrides {
            command.arg("-c").arg(setting);
        }
        command.args(arguments);
        command
    }

    /// Runs a command and waits for it.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be started, except if git is not installed.
    pub(super) fn run(&self, arguments: &[&str]) -> Result<Answer> {
        Answer::of(self, self.command(arguments))
    }

    /// The error for a failure of git in this folder.
    pub(super) fn failure(&self, error: io::Error) -> Error {
        let words = io::Error::new(error.kind(), reported!("git: {reason}", reason = error));
        Error::io(self.folder.to_string_lossy(), words)
    }
}

impl Answer {
    /// Runs this command of `git`, and waits for it.
    ///
    /// # Errors
    /// As [`Git::run`].
    pub(super) fn of(git: &Git, mut command: Command) -> Result<Self> {
        match command.output() {
            Ok(output) => Ok(Self(Some(output))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self(None)),
            Err(error) => Err(git.failure(error)),
        }
    }

    /// Whether git is not installed.
    pub(super) fn is_missing(&self) -> bool {
        self.0.is_none()
    }

    /// The exit status; `None` if it was killed by a signal.
    pub(super) fn code(&self) -> Option<i32> {
        self.0.as_ref().and_then(|output| output.status.code())
    }

    /// Whether the folder is not in a repository.
    pub(super) fn is_no_repository(&self) -> bool {
        let said = |output: &Output| {
            let words = String::from_utf8_lossy(&output.stderr);
            // The second is for a folder that only looks like a bare repository.
            ["not a git repository", "cannot use bare repository", "must be run in a work tree"]
                .iter()
                .any(|reason| words.contains(reason))
        };
        self.0.as_ref().is_some_and(|output| !output.status.success() && said(output))
    }

    /// Standard output.
    ///
    /// # Errors
    /// [`Error::Io`] with git's message if it failed.
    pub(super) fn success(&self, git: &Git) -> Result<&[u8]> {
        match &self.0 {
            Some(output) if output.status.success() => Ok(&output.stdout),
            Some(output) => {
                let words = String::from_utf8_lossy(&output.stderr).trim().to_string();
                Err(git.failure(io::Error::other(words)))
            }
            None => Err(git.failure(io::ErrorKind::NotFound.into())),
        }
    }
}

/// The folder in the form that other programs support: on Windows, without the verbatim prefix.
fn plain(folder: &Path) -> PathBuf {
    let shown = folder.to_string_lossy();
    match shown.strip_prefix(r"\\?\").filter(|rest| cfg!(windows) && rest.get(1..2) == Some(":")) {
        Some(rest) => PathBuf::from(rest),
        None => folder.to_path_buf(),
    }
}

fn is_taken_away(name: &OsString) -> bool {
    let name = name.to_string_lossy();
    // Settings of the user in environment variables. The overrides take precedence.
    let is_setting = name == "GIT_CONFIG_COUNT"
        || name.starts_with("GIT_CONFIG_KEY_")
        || name.starts_with("GIT_CONFIG_VALUE_");
    name.starts_with("GIT_") && !is_setting && !KEPT.contains(&name.as_ref())
}
