//! The `Cache` port: files beside the database, mapped into memory, so that the processes of a project
//! share what they hold. A file is written under a name of its own, checked, and from then on never
//! written to again: it can only be removed, and whoever has it mapped keeps it. That is what makes mapping
//! safe, since a file that is cut short while it is mapped ends the process.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use memmap2::Mmap;
use ubp_core::ports::{Cache, CachedBytes, is_cache_name};

/// Between the database's name and the name of what is kept: `.ubp/.gitignore` has a pattern for it.
const INFIX: &str = "-cache-";
/// The end of a file that is being written.
const UNFINISHED: &str = ".tmp";
/// Behind the bytes of a file: this, their number, and their checksum. Not one of them is flushed to the
/// medium, so after a power failure anything may be there.
const MARK: &[u8; 8] = b"UBPcache";
const TRAILER: usize = 20;
/// A cache is written no more often than this: while pages change all the time, everybody's memory is
/// cheaper than everybody's disk.
const PAUSE: Duration = Duration::from_secs(10);
/// A file that is being written for longer than this is a remainder.
const ABANDONED: Duration = Duration::from_secs(600);

/// Files beside a database, one of which is current.
#[derive(Debug, Clone)]
pub struct MappedCache {
    folder: PathBuf,
    /// What the names of all its files begin with.
    prefix: OsString,
    pause: Duration,
}

impl MappedCache {
    /// Files beside `database`.
    pub fn beside(database: &Path) -> Self {
        let mut prefix = database.file_name().unwrap_or_default().to_owned();
        prefix.push(INFIX);
        Self { folder: database.parent().unwrap_or(Path::new(".")).into(), prefix, pause: PAUSE }
    }

    /// The same, written to no more often than once in `pause`.
    #[must_use]
    pub fn with_pause(self, pause: Duration) -> Self {
        Self { pause, ..self }
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        let mut file = self.prefix.clone();
        file.push(name);
        is_cache_name(name).then(|| self.folder.join(file))
    }

    /// All files, finished or not.
    fn files(&self) -> Vec<(PathBuf, Metadata)> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let ours = entries
            .filter(|entry| entry.file_name().as_encoded_bytes().starts_with(self.prefix.as_encoded_bytes()));
        ours.filter_map(|entry| Some((entry.path(), entry.metadata().ok()?))).collect()
    }

    /// Removes all files but those that somebody may be writing. Some systems do not let go of a file that
    /// is mapped: it is removed another time.
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
            // As the database: the process's mask takes away what it takes from any new file.
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
            // Another process was first: what it wrote is the same, and may be mapped by many.
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
        // What is there is no whole file.
        if fs::symlink_metadata(&path).is_ok() {
            fs::remove_file(&path).ok()?;
        }
        self.write(&path, write).ok()?;
        self.forget_others(&path);
        self.get(name)
    }
}

fn is_unfinished(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().ends_with(UNFINISHED.as_bytes())
}

/// Since when a file is as it is; `None` for a time to come.
fn age(metadata: &Metadata) -> Option<Duration> {
    metadata.modified().ok()?.elapsed().ok()
}

fn trailer(length: u64, sum: u32) -> Vec<u8> {
    [&MARK[..], &length.to_le_bytes(), &sum.to_le_bytes()].concat()
}

/// Counts and sums up what passes.
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

/// A whole file in memory.
struct Mapped {
    map: Mmap,
    length: usize,
}

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        self.map.get(..self.length).unwrap_or_default()
    }
}

/// Maps the file at `path`; `None` when it is no file, or not whole.
fn map(path: &Path) -> io::Result<Option<Mapped>> {
    // A link could lead out of the project, and opening a pipe or a device waits or acts.
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
    // The length first: it costs nothing.
    let is_whole = found.get(..16) == trailer(length as u64, 0).get(..16)
        && found == trailer(length as u64, crc32fast::hash(bytes));
    Ok(is_whole.then_some(Mapped { map, length }))
}

/// Maps a file of ours.
#[expect(
    unsafe_code,
    reason = "mapping a file is safe only if nobody changes it, which no signature can say"
)]
fn map_file(file: &File) -> io::Result<Mmap> {
    // SAFETY: files of a cache get their names when they are complete, are opened for reading alone ever
    // after, and are replaced by removal, which leaves mapped bytes as they are. Somebody who changes
    // them in place all the same changes numbers that are only ever compared, and that no index, length
    // or address is made of; who cuts them short ends the process, as with every mapped database.
    unsafe { Mmap::map(file) }
}

#[cfg(test)]
mod tests;
