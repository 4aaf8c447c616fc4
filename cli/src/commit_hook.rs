//! A git hook that checks the pages of a commit.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use ubp_core::message::Message;

use ubp_core::Error;
use ubp_core::message;
use ubp_host::{GitHistory, Hooks, atomic};

use crate::output::{Failure, printable};
use crate::questions;
use crate::terminal::Terminal;

const NAME: &str = "pre-commit";

/// Runs the check if `ubp` is installed. Only a page that must be read again stops the commit.
const CHECK: &str = r#"# Pages whose code this commit changes must be read again.
ubp=$(command -v ubp || echo node_modules/.bin/ubp)
if [ -x "$ubp" ] && git rev-parse --quiet --verify HEAD >/dev/null; then
  "$ubp" IN stale --changed-since HEAD --exit-code
  if [ $? -eq 1 ]; then
    echo "Read these pages. For each that is still accurate: ubp review --still-accurate PAGE; git add .ubp/refs.lock" >&2
    echo "To commit anyway: git commit --no-verify" >&2
    exit 1
  fi
fi
"#;

/// The hook of a repository.
pub(crate) struct Hook {
    hooks: Hooks,
    path: PathBuf,
    root: PathBuf,
    /// Whether it has the check already.
    pub has_check: bool,
}

enum Installed {
    /// It was written to this file.
    Created(String),
    /// There is a hook already; this says what to add to it.
    ToAdd(Message),
}

/// Installs the hook, and adds its path to `created`. Returns what else there is to say.
pub(crate) fn install(hook: Option<&Hook>, created: &mut Vec<String>) -> Result<Option<Message>, Failure> {
    let Some(hook) = hook else { return Ok(Some(message!("not a git repository, so no hook was created"))) };
    if hook.has_check {
        return Ok(Some(message!("{shown} has the check already", shown = hook.shown())));
    }
    Ok(match hook.install()? {
        Installed::ToAdd(lines) => Some(lines),
        Installed::Created(path) => {
            created.push(path);
            None
        }
    })
}

/// Asks whether to install the hook if there is none. Returns whether it was installed.
pub(crate) fn offer(terminal: &mut Terminal<'_>, hook: Option<&Hook>) -> Result<bool, Failure> {
    let Some(hook) = hook.filter(|hook| !hook.has_check) else { return Ok(false) };
    if !questions::hook(terminal)? {
        return Ok(false);
    }
    match hook.install()? {
        Installed::Created(path) => terminal.line(message!("  created  {path}", path))?,
        Installed::ToAdd(lines) => terminal.line(message!("  {lines}", lines))?,
    }
    Ok(true)
}

impl Hook {
    /// The hook of the project's repository; `None` outside a repository.
    pub(crate) fn of(root: &Path) -> Result<Option<Self>, Failure> {
        let Some(hooks) = GitHistory::new(root).hooks()? else { return Ok(None) };
        let path = hooks.folder.join(NAME);
        let has_check =
            path.is_file() && fs::read_to_string(&path).is_ok_and(|text| text.contains(" stale "));
        Ok(Some(Self { hooks, path, root: root.to_path_buf(), has_check }))
    }

    /// Writes the hook; one that is there is never changed.
    fn install(&self) -> Result<Installed, Failure> {
        let check = self.check();
        if let Some(folder) = &self.hooks.elsewhere {
            return Ok(Installed::ToAdd(message!(
                "git takes its hooks from {folder}; add this to {hook} there:\n{check}",
                folder = printable(folder),
                hook = NAME,
                check
            )));
        }
        let shown = self.shown();
        match atomic::create(&self.path, format!("#!/bin/sh\n{check}").as_bytes()) {
            Ok(()) => {
                make_executable(&self.path).map_err(|error| Error::io(&shown, error))?;
                Ok(Installed::Created(shown))
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                Ok(Installed::ToAdd(message!("{shown} exists; add this to it:\n{check}", shown, check)))
            }
            Err(error) => Err(Error::io(&shown, error).into()),
        }
    }

    /// Its path, relative to the project if it is inside.
    fn shown(&self) -> String {
        printable(&self.path.strip_prefix(&self.root).unwrap_or(&self.path).to_string_lossy())
    }

    /// The lines of the hook, which git runs in the top folder of the repository.
    fn check(&self) -> String {
        match self.hooks.prefix.trim_end_matches('/') {
            "" => CHECK.replace(" IN ", " "),
            project => CHECK.replace(" IN ", &format!(" -C '{}' ", project.replace('\'', "'\\''"))),
        }
    }
}

#[cfg(unix)]
fn make_executable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

/// Git for Windows runs every hook.
#[cfg(not(unix))]
fn make_executable(_path: &Path) -> std::io::Result<()> {
    Ok(())
}
