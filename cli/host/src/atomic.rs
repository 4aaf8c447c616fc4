//! Replaces files atomically: after a crash, a full disk or a concurrent write, a file has either its old or its new
//! content.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::{NamedTempFile, TempPath};
use ubp_core::word;
use ubp_core::{Error, Result};

use crate::identity::is_file_at;

/// Prefix and suffix of the names of temporary files.
const TEMPORARY: (&str, &str) = (".ubp-", ".tmp");

/// Older temporary files were abandoned: no write takes this long.
const ABANDONED: Duration = Duration::from_secs(10 * 60);

/// Whether this is the name of a temporary file.
pub fn is_temporary(name: &str) -> bool {
    name.starts_with(TEMPORARY.0) && name.ends_with(TEMPORARY.1)
}

/// Deletes an abandoned temporary file; ignores failure.
pub fn sweep(path: &Path) {
    let age = |metadata: Metadata| metadata.modified().ok()?.elapsed().ok();
    let metadata = fs::symlink_metadata(path).ok().filter(Metadata::is_file);
    if metadata.and_then(age).is_some_and(|age| age >= ABANDONED) {
        let _ = fs::remove_file(path);
    }
}

/// Writes `bytes` to `path`, replacing any existing file. The file keeps its mode and, as far as the system allows, its
/// owner. `name` is the path in errors.
///
/// # Errors
/// [`Error::Io`]; the old file is then unchanged, and no temporary file is left.
pub fn write(path: &Path, bytes: &[u8], name: &str) -> Result<()> {
    replace(path, bytes, name, || Ok(()))
}

/// As [`write()`], if `still_valid` succeeds immediately before the rename.
///
/// # Errors
/// As [`write()`], and the errors of `still_valid`.
pub fn replace(
    path: &Path,
    bytes: &[u8],
    name: &str,
    still_valid: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let failed = |error| Error::io(name, error);
    let old = unmarked(path).map_err(failed)?;
    let temporary = prepare(path, bytes, old.as_ref()).map_err(failed)?;
    still_valid()?;
    persist(temporary, path).map_err(failed)?;
    sync_folder(path);
    Ok(())
}

/// Refuses a read-only file.
///
/// # Errors
/// [`Error::Io`] with `name` as the path.
pub fn check_unmarked(path: &Path, name: &str) -> Result<()> {
    unmarked(path).map(drop).map_err(|error| Error::io(name, error))
}

/// Metadata of the file at `path`; an error if it is read-only, which a rename would ignore.
fn unmarked(path: &Path) -> io::Result<Option<Metadata>> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.permissions().readonly() => {
            Err(io::Error::new(io::ErrorKind::PermissionDenied, word!("the file is marked read-only")))
        }
        Ok(metadata) => Ok(Some(metadata)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes `bytes` to a new file at `path`.
///
/// # Errors
/// `AlreadyExists` if `path` exists, and any other I/O error. Then nothing is left except created folders.
pub fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = prepare(path, bytes, None)?;
    match temporary.persist_noclobber(path) {
        Ok(_) => {}
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => return Err(error.error),
        // Some file systems support neither renaming without replacing nor hard links.
        Err(error) => match fs::symlink_metadata(path) {
            Err(missing) if missing.kind() == io::ErrorKind::NotFound => persist(error.file, path)?,
            _ => return Err(error.error),
        },
    }
    sync_folder(path);
    Ok(())
}

/// Moves a file to a new path, which may be on another file system.
///
/// # Errors
/// `AlreadyExists` if `to` exists, and any other I/O error. The file is then still at `from`.
pub fn relocate(from: &Path, to: &Path) -> io::Result<()> {
    create_folders(to.parent().unwrap_or(Path::new(".")))?;
    let mut file = TempPath::try_from_path(from)?;
    // This is the user's file: it must not be deleted on drop.
    file.disable_cleanup(true);
    match file.persist_noclobber(to) {
        Ok(()) => {}
        Err(error) if error.error.kind() == io::ErrorKind::CrossesDevices => {
            create(to, &fs::read(from)?)?;
            fs::remove_file(from)?;
        }
        Err(error) => return Err(error.error),
    }
    sync_folder(to);
    sync_folder(from);
    Ok(())
}

/// Moves a file, a symbolic link or a folder with everything in it to `to`, unless something is there.
///
/// # Errors
/// As [`relocate`], also if `to` is on another device.
pub fn relocate_whole(from: &Path, to: &Path) -> io::Result<()> {
    create_folders(to.parent().unwrap_or(Path::new(".")))?;
    let mut moved = TempPath::try_from_path(from)?;
    // It is the user's, and must not be deleted on drop.
    moved.disable_cleanup(true);
    if let Err(error) = moved.persist_noclobber(to) {
        let is_free = fs::symlink_metadata(to).is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        // File systems that cannot keep a target also cannot move a folder without replacing it.
        if error.error.kind() == io::ErrorKind::AlreadyExists || !is_free {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        fs::rename(from, to)?;
    }
    sync_folder(to);
    sync_folder(from);
    Ok(())
}

/// Who may read a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// As other new files.
    Usual,
    /// Only its owner, on systems with file modes.
    Owner,
}

/// Appends `lines` to a file durably, in one write, starting on a new line.
///
/// # Errors
/// Any I/O error; a part of `lines` may then be in the file, without its line break.
pub fn append(path: &Path, lines: &[u8], readers: Readers) -> io::Result<()> {
    let is_new = !path.exists();
    create_folders(path.parent().unwrap_or(Path::new(".")))?;
    add(path, lines, readers)?.sync_data()?;
    if is_new {
        sync_folder(path);
    }
    Ok(())
}

/// As [`append()`], but not synced to disk, and in a folder that exists. Returns the file.
///
/// # Errors
/// As [`append()`].
pub fn add(path: &Path, lines: &[u8], readers: Readers) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    if readers == Readers::Owner {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    let mut file = options.open(path)?;
    if readers == Readers::Owner {
        keep_from_others(&file)?;
    }
    let mut last = [b'\n'];
    if file.seek(SeekFrom::End(0))? > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    let torn = if last == [b'\n'] { &b""[..] } else { b"\n" };
    file.write_all(&[torn, lines].concat())?;
    Ok(file)
}

/// Removes permissions of others, which an older version gave.
#[cfg(unix)]
fn keep_from_others(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    if file.metadata()?.permissions().mode() & 0o077 == 0 {
        return Ok(());
    }
    // Another user may still append to the file.
    match file.set_permissions(fs::Permissions::from_mode(0o600)) {
        Err(error) if error.kind() != io::ErrorKind::PermissionDenied => Err(error),
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
fn keep_from_others(_file: &File) -> io::Result<()> {
    Ok(())
}

/// As [`append()`], but not synced to disk. If the file is replaced concurrently, the lines are written again, so that
/// they may be there twice.
///
/// # Errors
/// As [`append()`].
pub fn note(path: &Path, lines: &[u8]) -> io::Result<()> {
    /// A file is replaced once in hundreds of notes, so more attempts would not help.
    const ATTEMPTS: usize = 3;
    for _ in 0..ATTEMPTS {
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        let mut last = [b'\n'];
        if file.seek(SeekFrom::End(0))? > 0 {
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut last)?;
        }
        let torn = if last == [b'\n'] { &b""[..] } else { b"\n" };
        file.write_all(&[torn, lines].concat())?;
        if is_file_at(&file, path) {
            break;
        }
    }
    Ok(())
}

/// A complete, synced temporary file beside `path`. It is hidden, so that it is not listed as a page, and deleted on
/// drop.
fn prepare(path: &Path, bytes: &[u8], old: Option<&Metadata>) -> io::Result<NamedTempFile> {
    let folder = path.parent().unwrap_or(Path::new("."));
    create_folders(folder)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY.0).suffix(TEMPORARY.1);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The umask applies as for any new file.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    if let Some(old) = old {
        keep_attributes(file.as_file(), old)?;
    }
    file.as_file().sync_all()?;
    Ok(file)
}

#[cfg(unix)]
fn keep_attributes(file: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        // Only root may change the owner; others may change the group to one of their own.
        let given = std::os::unix::fs::fchown(file, Some(old.uid()), Some(old.gid()));
        if given.is_err() {
            let _ = std::os::unix::fs::fchown(file, None, Some(old.gid()));
        }
    }
    file.set_permissions(old.permissions())
}

#[cfg(not(unix))]
fn keep_attributes(_file: &File, _old: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Creates the folder and its parents, each durably.
fn create_folders(folder: &Path) -> io::Result<()> {
    let missing: Vec<PathBuf> = folder
        .ancestors()
        .take_while(|ancestor| !ancestor.as_os_str().is_empty() && !ancestor.exists())
        .map(Path::to_path_buf)
        .collect();
    fs::create_dir_all(folder)?;
    missing.iter().for_each(|made| sync_folder(made));
    Ok(())
}

#[cfg(not(windows))]
fn persist(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.persist(path).map(drop).map_err(|error| error.error)
}

/// Retries, because virus scanners and indexers open files briefly, which makes the rename fail.
#[cfg(windows)]
fn persist(mut file: NamedTempFile, path: &Path) -> io::Result<()> {
    const ATTEMPTS: u32 = 6;
    for attempt in 0..ATTEMPTS {
        match file.persist(path) {
            Ok(_) => return Ok(()),
            Err(error)
                if attempt + 1 < ATTEMPTS && matches!(error.error.raw_os_error(), Some(5 | 32 | 33)) =>
            {
                file = error.file;
                std::thread::sleep(Duration::from_millis(10 << attempt));
            }
            Err(error) => return Err(error.error),
        }
    }
    Ok(())
}

/// Syncs the folder entry of `path`, where the system supports that. Errors are ignored: the rename has succeeded.
fn sync_folder(path: &Path) {
    if let Some(folder) = path.parent().filter(|_| cfg!(unix)) {
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_refused_replacement_keeps_the_old_file_and_leaves_no_temporary_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.md");
        fs::write(&path, "old").unwrap();
        let refused = replace(&path, b"new", "a.md", || {
            assert_eq!(names(dir.path()).len(), 2, "the temporary file is complete");
            Err(Error::Cancelled)
        });
        assert_eq!(refused.unwrap_err().code(), "cancelled");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(dir.path()), ["a.md"]);
    }

    #[test]
    fn a_failed_replacement_leaves_no_temporary_file() {
        let dir = tempfile::tempdir().unwrap();
        // A folder cannot be replaced by a file.
        fs::create_dir(dir.path().join("a.md")).unwrap();
        fs::write(dir.path().join("a.md/inside"), "old").unwrap();
        let error = write(&dir.path().join("a.md"), b"new", "a.md").unwrap_err();
        assert_eq!(error.code(), "io");
        assert!(error.to_string().starts_with("a.md: "), "{error}");
        assert_eq!(names(dir.path()), ["a.md"]);
        assert_eq!(fs::read(dir.path().join("a.md/inside")).unwrap(), b"old");
        // A file cannot contain a file.
        fs::write(dir.path().join("file"), "old").unwrap();
        assert_eq!(write(&dir.path().join("file/b.md"), b"new", "b.md").unwrap_err().code(), "io");
        assert_eq!(fs::read(dir.path().join("file")).unwrap(), b"old");
    }

    #[test]
    fn create_never_overwrites() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/er/a.md");
        create(&path, b"first").unwrap();
        assert_eq!(create(&path, b"second").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(names(path.parent().unwrap()), ["a.md"]);
    }

    #[cfg(unix)]
    #[test]
    fn replacing_keeps_the_mode_and_refuses_read_only_files() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.md");
        let plain = dir.path().join("plain");
        fs::write(&path, "old").unwrap();
        fs::write(&plain, "x").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;

        create(&dir.path().join("new.md"), b"new").unwrap();
        assert_eq!(mode(&dir.path().join("new.md")), mode(&plain), "same as any new file");
        for kept in [0o640, 0o755, 0o666] {
            fs::set_permissions(&path, fs::Permissions::from_mode(kept)).unwrap();
            write(&path, b"new", "a.md").unwrap();
            assert_eq!(mode(&path), kept);
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        assert!(write(&path, b"newer", "a.md").unwrap_err().to_string().contains("read-only"));
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }
}
