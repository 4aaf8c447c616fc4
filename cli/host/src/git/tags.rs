//! Tags of other repositories: looked up and checked out as files. Nothing of the repository is run, nobody is asked for a
//! password, and submodules stay empty.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use jiff::Timestamp;
use ubp_core::message;
use ubp_core::{Error, Result};

use super::command::{Answer, Git};

/// Settings of the user or the system that would ask somebody, run something or change files.
const SETTINGS: [&str; 9] = [
    "core.askPass=",
    "credential.interactive=never",
    "core.autocrlf=false",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "fetch.fsckObjects=true",
    "gc.auto=0",
    "maintenance.auto=false",
    "advice.detachedHead=false",
];

/// A tag as it was checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CheckedOut {
    /// Hash of what the tag names: a commit, or an object with a message.
    pub object: String,
    /// Full hash of the commit.
    pub commit: String,
    /// Committer time.
    pub time: Timestamp,
}

/// What the tag names in the repository at `address` now; `None` if there is no such tag.
///
/// # Errors
/// [`Error::Io`] with git's message if the repository cannot be reached.
pub(crate) fn object_of(address: &str, tag: &str, folder: &Path) -> Result<Option<String>> {
    let git = git(folder)?;
    let name = format!("refs/tags/{tag}");
    let answer = run(&git, &["ls-remote", "--quiet", "--", address, &name])?;
    let listed = String::from_utf8_lossy(answer.success(&git)?).into_owned();
    let mut lines = listed.lines().filter_map(|line| line.split_once('\t'));
    Ok(lines.find(|(_, found)| *found == name).map(|(object, _)| object.to_owned()))
}

/// Checks out the tag into `folder`, which is empty, without its history.
///
/// # Errors
/// [`Error::InvalidParams`] without such a tag; otherwise as [`object_of`].
pub(crate) fn check_out(address: &str, tag: &str, folder: &Path) -> Result<CheckedOut> {
    if object_of(address, tag, folder)?.is_none() {
        return Err(Error::invalid(message!("the repository {address} has no tag '{tag}'", address, tag)));
    }
    let git = git(folder)?;
    let name = format!("refs/tags/{tag}");
    let both = format!("+{name}:{name}");
    run(&git, &["init", "--quiet", "--template="])?.success(&git)?;
    run(
        &git,
        &["fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--", address, &both],
    )?
    .success(&git)?;
    run(&git, &["checkout", "--quiet", "--detach", &name])?.success(&git)?;
    let told = |arguments: &[&str]| -> Result<String> {
        Ok(String::from_utf8_lossy(run(&git, arguments)?.success(&git)?).trim().to_owned())
    };
    let object = told(&["rev-parse", "--verify", &name])?;
    let shown = told(&["log", "-1", "--no-show-signature", "--format=%H %ct", "HEAD"])?;
    let (commit, seconds) = shown.split_once(' ').unwrap_or((&shown, "0"));
    let time =
        seconds.parse().ok().and_then(|seconds| Timestamp::from_second(seconds).ok()).unwrap_or_default();
    let repository = folder.join(".git");
    fs::remove_dir_all(&repository).map_err(|error| Error::io(repository.to_string_lossy(), error))?;
    Ok(CheckedOut { object, commit: commit.to_owned(), time })
}

fn git(folder: &Path) -> Result<Git> {
    Git::without_filters(folder).ok_or_else(|| {
        Error::io(folder.to_string_lossy(), std::io::Error::from(std::io::ErrorKind::NotFound))
    })
}

fn run(git: &Git, arguments: &[&str]) -> Result<Answer> {
    let mut given: Vec<&str> = Vec::new();
    for setting in SETTINGS {
        given.extend(["-c", setting]);
    }
    given.extend(arguments);
    let answer = Answer::of(git, reaching(git.command(&given)))?;
    match answer.is_missing() {
        true => Err(Error::invalid(message!("git is not installed"))),
        false => Ok(answer),
    }
}

fn reaching(mut command: Command) -> Command {
    command
        .env("GIT_ALLOW_PROTOCOL", "file:git:http:https:ssh")
        // Nobody may be there to answer.
        .env("GIT_SSH_COMMAND", ssh())
        .env("GCM_INTERACTIVE", "never")
        .env("GIT_LFS_SKIP_SMUDGE", "1")
        .env_remove("SSH_ASKPASS");
    command
}

/// The user's own command stays if it is set, because it may choose the key.
fn ssh() -> OsString {
    std::env::var_os("GIT_SSH_COMMAND").unwrap_or_else(|| "ssh -oBatchMode=yes".into())
}
