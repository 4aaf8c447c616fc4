//! The first index of a worktree: that of another worktree of the repository, copied and brought up to date before anybody
//! sees it. File systems that share blocks among copies store only what differs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ubp_core::Result;
use ubp_core::index::{Index, copy_at_rest};

use crate::mapped_cache::{self, is_abandoned};
use crate::worktrees::Worktree;
use crate::{DATABASE, Project, UBP_DIR};

/// Maximum number of indexes that are tried.
const MOST: usize = 3;

/// Creates the index of `project` from that of another worktree, if it has none and another has one. `update` has to bring
/// the copy up to date with the files of `project`. Without success, nothing has changed.
pub(crate) fn from_another_worktree(project: &Project, update: impl Fn(Index) -> Result<()>) {
    let own = project.root.join(UBP_DIR).join(DATABASE);
    if project.database != own || fs::symlink_metadata(&own).is_ok() {
        return;
    }
    // Otherwise it is built from the files.
    let _ = candidates(&project.root).iter().take(MOST).any(|other| copy(other, &own, &update).is_ok());
}

/// The indexes of the same project in other worktrees: that of the main one, from which most branches begin, then the latest.
fn candidates(root: &Path) -> Vec<PathBuf> {
    let Some(worktree) = Worktree::of(root) else { return Vec::new() };
    let Ok(inside) = root.strip_prefix(&worktree.top) else { return Vec::new() };
    let mut found: Vec<(bool, SystemTime, PathBuf)> = worktree
        .others()
        .into_iter()
        .filter_map(|other| {
            let folder = other.top.join(inside).join(UBP_DIR);
            // A link could lead out of the repository.
            if !fs::symlink_metadata(&folder).ok()?.is_dir() {
                return None;
            }
            let file = folder.join(DATABASE);
            let metadata = fs::symlink_metadata(&file).ok().filter(fs::Metadata::is_file)?;
            let is_main = other.common.parent() == Some(other.top.as_path());
            Some((is_main, metadata.modified().ok()?, file))
        })
        .collect();
    found.sort_unstable_by(|a, b| b.cmp(a));
    found.into_iter().map(|(_, _, file)| file).collect()
}

fn copy(other: &Path, own: &Path, update: &impl Fn(Index) -> Result<()>) -> Result<()> {
    let failed = |error: io::Error| ubp_core::Error::io(own.to_string_lossy(), error);
    let folder = own.parent().unwrap_or(Path::new("."));
    forget_abandoned(folder);
    let (prefix, suffix) = mapped_cache::unfinished(own);
    let aside = tempfile::Builder::new().prefix(&prefix).suffix(suffix).tempdir_in(folder).map_err(failed)?;
    let copy = aside.path().join(DATABASE);
    copy_at_rest(other, || copy_file(other, &copy))?;
    let (index, _) = Index::open(&copy)?;
    index.trust_no_file()?;
    update(index)?;
    tempfile::TempPath::try_from_path(&copy)
        .and_then(|copy| copy.persist_noclobber(own).map_err(|error| error.error))
        .map_err(failed)
}

/// Copies a database file that this process may have open, sharing its blocks if the file system can. Closing any handle of a
/// file ends all POSIX locks that its process has on it, so SQLite would lose those of this database.
#[cfg(target_os = "macos")]
fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    // The locks of another process are its own.
    let copied = std::process::Command::new("/bin/cp").arg("-c").arg(from).arg(to).output()?;
    if copied.status.success() { Ok(()) } else { Err(io::ErrorKind::Unsupported.into()) }
}

#[cfg(all(unix, not(target_os = "macos")))]
fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    // Stays open until the process ends: once for every worktree that it is the first to open.
    let mut source = std::mem::ManuallyDrop::new(fs::File::open(from)?);
    io::copy(&mut *source, &mut fs::File::create_new(to)?).map(drop)
}

#[cfg(not(unix))]
fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to).map(drop)
}

/// Removes what killed processes left here.
fn forget_abandoned(folder: &Path) {
    let (prefix, suffix) = mapped_cache::unfinished(Path::new(DATABASE));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        let is_ours = name.starts_with(prefix.as_encoded_bytes()) && name.ends_with(suffix.as_bytes());
        if is_ours && entry.metadata().is_ok_and(|metadata| metadata.is_dir() && is_abandoned(&metadata)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
