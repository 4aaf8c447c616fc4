//! `ubp add`: take pages into the index, vectors included.

use clap::Args;
use std::path::{Component, Path, PathBuf};

use ubp_core::Error;
use ubp_core::ops::add::{self, Params};

use crate::output::CommandResult;
use crate::session::{Session, Terminal, answer};

/// `ubp add`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp add                         every page\n  \
    ubp add pages/login.md          this page (and whatever else changed)\n  \
    ubp add --create-missing        also create pages that links ask for")]
pub struct AddArgs {
    /// Page files; every page when none is named
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Create an empty page for every link on these pages that leads nowhere
    #[arg(long)]
    pub create_missing: bool,
}

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    folder: &Path,
    args: AddArgs,
) -> CommandResult {
    let pages = args.files.iter().map(|file| page_path(session, folder, file)).collect::<Result<_, _>>()?;
    let params = Params { pages, create_missing: args.create_missing };
    let output = session.write_vectors(terminal, |context| add::run(context, params))?;
    answer(terminal, &output, add::show)
}

/// A file named on the command line as a path below the pages folder.
fn page_path(session: &Session, folder: &Path, file: &Path) -> Result<String, Error> {
    let shown = file.display().to_string();
    let outside = || Error::OutsideProject { path: shown.clone(), folder: "pages".into() };
    let absolute = normal(&folder.join(file));
    if std::fs::symlink_metadata(&absolute).is_err() {
        let missing = std::io::Error::new(std::io::ErrorKind::NotFound, "no such file");
        return Err(Error::io(shown.clone(), missing));
    }
    // The folder may be reached through a link; the file itself must lie below the pages folder.
    let parent = absolute.parent().unwrap_or(&absolute);
    let real = std::fs::canonicalize(parent).map_err(|error| Error::io(shown.clone(), error))?;
    let real = real.join(absolute.file_name().unwrap_or_default());
    let below = real
        .strip_prefix(&session.project.pages_dir)
        .or_else(|_| absolute.strip_prefix(&session.project.pages_dir))
        .map_err(|_| outside())?;
    let parts: Option<Vec<&str>> = below.components().map(|part| part.as_os_str().to_str()).collect();
    Ok(parts.ok_or_else(outside)?.join("/"))
}

/// The path with `.` and `..` taken out.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}
