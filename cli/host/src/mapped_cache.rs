//! The `Cache` port: files beside the database, mapped into memory and shared by the processes of a project. A file is
//! written under a temporary name, checked, and never changed again. It can only be removed, which does not affect
//! processes that have it mapped. That makes mapping safe: truncating a mapped file would crash the process.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use memmap2::Mmap;
use ubp_core::ports::{Cache, CachedBytes, is_cache_name};

/// Separates the database's name from the cache's name in file names. `.ubp/.gitignore` has a pattern for it.
const INFIX: &str = "-cache-";
/// Suffix of unfinished files.
const UNFINISHED: &str = ".tmp";
/// Starts the trailer of a file, followed by its length and checksum. Files are not synced, so after a power failure
/// they may contain anything.
const MARK: &[u8; 8] = b"UBPcache";
const TRAILER: usize = 20;
/// Minimum interval between writes of a cache: while pages change constantly, separate copies in memory are cheaper
/// than writing.
const PAUSE: Duration = Duration::from_secs(10);
/// Older unfinished files were abandoned.
const ABANDONED: Duration = Duration::from_secs(600);

/// Cache files beside a database, one of which is current.
#[derive(Debug, Clone)]
pub struct MappedCache {
    folder: PathBuf,
    /// Prefix of the names of all files.
    prefix: OsString,
    pause: Duration,
}

impl MappedCache {
    /// The cache beside `database`.
    pub fn beside(database: &Path) -> Self {
        let mut prefix = database.file_name().unwrap_or_default().to_owned();
        prefix.push(INFIX);
        Self { folder: database.parent().unwrap_or(Path::new(".")).into(), prefix, pause: PAUSE }
    }

    /// The same with another minimum interval between writes.
    #[must_use]
    pub fn with_pause(self, pause: Duration) -> Self {
        Self { pause, ..self }
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        let mut file = self.prefix.clone();
        file.push(name);
        is_cache_name(name).then(|| self.folder.join(file))
    }

    /// All files, including unfinished ones.
    fn files(&self) -> Vec<(PathBuf, Metadata)> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let ours = entries
            .filter(|entry| entry.file_name().as_encoded_bytes().starts_with(self.prefix.as_encoded_bytes()));
        ours.filter_map(|entry| Some((entry.path(), entry.metadata().ok()?))).collect()
    }

    /// Removes all files except `kept` and those that a process may be writing. Some systems cannot remove mapped
    /// files; those are removed later.
    fn forget_others(&self, kept: &Path) {
        for (path, metadata) in self.files() {
            let is_busy = is_unfinished(&path) && age(&metadata).is_some_and(|age| age < ABANDONED);
            if path != kept && !is_busy {
                let _ = fs::remove_file(path);
            }
        }
    }

    fn write(&self, path: &Path, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(&self.prefix).suffix(UNFINISHED);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As for the database, the umask applies.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(&self.folder)?;
        let mut out =
            Summed { out: BufWriter::with_capacity(1 << 16, file), length: 0, sum: Default::default() };
        write(&mut out)?;
        let trailer = trailer(out.length, out.sum.finalize());
        out.out.write_all(&trailer)?;
        let file = out.out.into_inner().map_err(io::IntoInnerError::into_error)?;
        match file.persist_noclobber(path) {
            Ok(_) => Ok(()),
            // Another process wrote the same content first, and other processes may have mapped it.
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(error.error),
        }
    }
}

impl Cache for MappedCache {
    fn get(&self, name: &str) -> Option<CachedBytes> {
        let path = self.path(name)?;
        let mapped = map(&path).ok()??;
        Some(Arc::new(mapped))
    }

    fn put(
        &self,
        name: &str,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Option<CachedBytes> {
        let path = self.path(name)?;
        if let Some(found) = self.get(name) {
            return Some(found);
        }
        let ages = self.files().into_iter().filter_map(|(_, metadata)| age(&metadata));
        if ages.min().is_some_and(|age| age < self.pause) {
            return None;
        }
        // The existing file is damaged.
        if fs::symlink_metadata(&path).is_ok() {
            fs::remove_file(&path).ok()?;
        }
        self.write(&path, write).ok()?;
        self.forget_others(&path);
        self.get(name)
    }
}

/// Begin and end of the names of unfinished files beside `database`, and of folders.
pub(crate) fn unfinished(database: &Path) -> (OsString, &'static str) {
    (MappedCache::beside(database).prefix, UNFINISHED)
}

/// Whether nobody writes an unfinished file any more.
pub(crate) fn is_abandoned(metadata: &Metadata) -> bool {
    age(metadata).is_some_and(|age| age >= ABANDONED)
}

fn is_unfinished(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().ends_with(UNFINISHED.as_bytes())
}

/// Time since the last modification; `None` if that is in the future.
fn age(metadata: &Metadata) -> Option<Duration> {
    metadata.modified().ok()?.elapsed().ok()
}

fn trailer(length: u64, sum: u32) -> Vec<u8> {
    [&MARK[..], &length.to_le_bytes(), &sum.to_le_bytes()].concat()
}

/// Computes length and checksum of the written bytes.
struct Summed<W> {
    out: W,
    length: u64,
    sum: crc32fast::Hasher,
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.sum.update(&bytes[..written]);
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A mapped, complete file.
struct Mapped {
    map: Mmap,
    length: usize,
}

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        self.map.get(..self.length).unwrap_or_default()
    }
}

/// Maps the file at `path`; `None` if it is not a regular file or damaged.
fn map(path: &Path) -> io::Result<Option<Mapped>> {
    // A symbolic link could lead out of the project, and opening a pipe or device could block or have effects.
    if !fs::symlink_metadata(path)?.is_file() {
        return Ok(None);
    }
    let file = File::open(path)?;
    if !file.metadata()?.is_file() || file.metadata()?.len() < TRAILER as u64 {
        return Ok(None);
    }
    let map = map_file(&file)?;
    let length = map.len().saturating_sub(TRAILER);
    let (bytes, found) = map.split_at(length);
    // Check the length first, which is cheap.
    let is_whole = found.get(..16) == trailer(length as u64, 0).get(..16)
        && found == trailer(length as u64, crc32fast::hash(bytes));
    Ok(is_whole.then_some(Mapped { map, length }))
}

/// Maps a file of the cache.
#[expect(
    unsafe_code,
    reason = "mapping a file is safe only if no process changes it, which types cannot express"
)]
fn map_file(file: &File) -> io::Result<Mmap> {
    // SAFETY: cache files are complete when they get their names, are later opened only for reading, and are
    // replaced by removal, which does not affect mapped bytes. If another program changes one in place, only
    // numbers change that are compared, and never used as index, length or address. Truncating one crashes the
    // process, as with every mapped database.
    unsafe { Mmap::map(file) }
}

#[cfg(test)]
mod tests;
