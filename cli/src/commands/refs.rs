//! `ubp refs`: which pages describe a file.

use clap::Args;
use std::path::{Component, Path, PathBuf};

use ubp_core::ops::refs::{self, Params};

use crate::args::Global;
use crate::output::CommandResult;
use crate::session::{Session, Terminal, answer};

/// `ubp refs`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp refs src/auth/login.ts\n  \
    ubp refs src/auth/login.ts --json")]
pub struct RefsArgs {
    /// A file of the project
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    folder: &Path,
    global: &Global,
    args: &RefsArgs,
) -> CommandResult {
    let params = Params { file: source_path(session, folder, &args.file), max_tokens: None };
    let output = session.read(terminal, global, |context| refs::run(context, params))?;
    answer(terminal, &output, refs::show)
}

/// A file or folder as a path below the project, as seen from the current folder; what lies elsewhere stays
/// as it was typed.
pub(super) fn source_path(session: &Session, folder: &Path, file: &Path) -> String {
    let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
    let mut normal = PathBuf::new();
    for part in folder.join(file).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    match normal.strip_prefix(&session.project.root) {
        Ok(below) => {
            let parts: Vec<_> = below.components().map(|part| part.as_os_str().to_string_lossy()).collect();
            parts.join("/")
        }
        Err(_) => file.to_string_lossy().into_owned(),
    }
}
