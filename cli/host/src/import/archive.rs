//! ZIP archives of notes. Notion packs large exports into several archives inside of one. Archives come from elsewhere, so
//! everything in them is checked before anything is read.

use std::cell::RefCell;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek};

use ubp_core::import::{Notice, NoticeKind};
use ubp_core::message;
use ubp_core::message::Message;
use ubp_core::progress::Cancel;
use ubp_core::{Error, Result, path as paths, word};
use zip::ZipArchive;
use zip::result::ZipError;

use super::{LARGEST, Notes, Place, is_confined};

#[cfg(test)]
mod tests;

/// Archives in archives in archives; Notion needs one level.
const DEEPEST: usize = 3;
/// Maximum size of all files of an archive, in bytes.
const MOST_BYTES: u64 = 64 << 30;
/// From this size on, in bytes, an entry must not be compressed to less than one part in [`MOST_RATIO`].
const SUSPECT: u64 = 10 << 20;
/// Text rarely shrinks to one part in 20, and the format allows one in 1032.
const MOST_RATIO: u64 = 200;

/// The open archives.
#[derive(Default)]
pub(super) struct Archives(Vec<RefCell<ZipArchive<BufReader<File>>>>);

impl fmt::Debug for Archives {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} archives", self.0.len())
    }
}

impl Archives {
    /// The content of an entry called `path` in messages.
    pub(super) fn read(&self, archive: usize, entry: usize, path: &str) -> Result<Vec<u8>> {
        let damaged =
            |error: Message| Error::invalid(message!("{path}: cannot be unpacked: {error}", path, error));
        let broken = |error: ZipError| damaged(Message::reported(error.to_string()));
        let Some(archive) = self.0.get(archive) else {
            return Err(damaged(message!("it is not in the archive")));
        };
        let mut archive = archive.borrow_mut();
        let mut file = archive.by_index(entry).map_err(broken)?;
        let size = file.size();
        let mut bytes = Vec::with_capacity(usize::try_from(size.min(LARGEST)).unwrap_or(0));
        // One byte more shows that the size in the archive is false.
        let read = (&mut file).take(size.min(LARGEST) + 1).read_to_end(&mut bytes);
        read.map_err(|error| damaged(message!("{error}", error)))?;
        if bytes.len() as u64 != size {
            return Err(damaged(message!("its size is not the one in the archive")));
        }
        Ok(bytes)
    }
}

/// Whether a name is that of an archive.
pub(super) fn is_archive(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("zip"))
}

/// Whether these are the parts of an export: archives, and nothing that notes are made of.
pub(super) fn are_parts<'p>(names: impl Iterator<Item = &'p str>) -> bool {
    let mut any = false;
    for name in names {
        let is_note =
            paths::is_page(name) || name.ends_with(".csv") || name.split('/').any(|part| part == ".obsidian");
        if is_note {
            return false;
        }
        any |= is_archive(name);
    }
    any
}

/// Adds the files of an archive called `name` to `notes`; of archives in it, if it has nothing else.
///
/// # Errors
/// [`Error::InvalidParams`] for a damaged archive or one that is refused; [`Error::Cancelled`].
pub(super) fn list(file: File, name: &str, depth: usize, notes: &mut Notes, cancel: &Cancel) -> Result<()> {
    let refused = |why: Message| Error::invalid(message!("{name}: refused: {why}", name, why));
    let damaged = |error: ZipError| {
        let error = Message::reported(error.to_string());
        Error::invalid(message!("{name}: not a valid ZIP archive: {error}", name, error))
    };
    let packed = file.metadata().map_err(|error| Error::io(name, error))?.len();
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(damaged)?;
    if archive.has_duplicate_names() {
        return Err(refused(message!("two of its entries have the same name")));
    }
    if archive.len() > super::MOST_FILES {
        return Err(refused(message!("it has more than {most} entries", most = super::MOST_FILES)));
    }
    if archive.has_overlapping_entries().map_err(damaged)? {
        return Err(refused(message!(
            "its entries overlap, as in archives that unpack to far more than their size"
        )));
    }
    let mut entries = Vec::with_capacity(archive.len());
    let mut total = 0u64;
    for at in 0..archive.len() {
        cancel.check()?;
        let entry = archive.by_index_raw(at).map_err(damaged)?;
        let path = entry_name(entry.name_raw(), &entry.name().map_err(damaged)?);
        if !is_confined(&path) {
            return Err(refused(message!("the entry '{path}' leads out of the archive", path)));
        }
        if entry.is_dir() {
            continue;
        }
        if entry.encrypted() {
            let why = message!("the entry '{path}' is encrypted; unpack the archive first", path);
            return Err(refused(why));
        }
        let (size, compressed) = (entry.size(), entry.compressed_size());
        total = total.saturating_add(size);
        if size > SUSPECT && size / compressed.max(1) > MOST_RATIO || total > MOST_BYTES {
            return Err(refused(message!(
                "the entry '{path}' would unpack from {compressed} to {size} bytes",
                path,
                compressed,
                size
            )));
        }
        if entry.is_symlink() {
            notes.notices.push(Notice::file(NoticeKind::LeftOut, path, message!("a symbolic link")));
            continue;
        }
        let path = paths::join("", &path).unwrap_or(path);
        entries.push((path, size, entry.crc32(), at));
    }
    if total > SUSPECT && total / packed.max(1) > MOST_RATIO {
        return Err(refused(message!("it would unpack from {packed} to {total} bytes", packed, total)));
    }
    if are_parts(entries.iter().map(|(path, ..)| path.as_str())) {
        if depth >= DEEPEST {
            return Err(refused(message!("too many archives inside of each other")));
        }
        for (path, size, _, at) in entries.into_iter().filter(|(path, ..)| is_archive(path)) {
            let inner = unpacked(&mut archive, at, size).map_err(|error| Error::io(path.clone(), error))?;
            list(inner, &path, depth + 1, notes, cancel)?;
        }
        return Ok(());
    }
    let number = notes.archives.0.len();
    for (path, size, crc, at) in entries {
        match notes.places.get(&path) {
            None => notes.add(path, size, Place::Entry(number, at))?,
            Some(Place::Entry(other, entry)) if is_same(notes, *other, *entry, crc, size) => {}
            Some(_) => {
                let message = message!("also in {name}, with other content; the first one is used", name);
                notes.notices.push(Notice::file(NoticeKind::LeftOut, path, message));
            }
        }
    }
    notes.archives.0.push(RefCell::new(archive));
    Ok(())
}

/// The name of an entry: UTF-8 if it is valid, whether or not the entry says so, as some systems do not; otherwise as
/// the archive says.
fn entry_name(raw: &[u8], decoded: &str) -> String {
    std::str::from_utf8(raw).unwrap_or(decoded).replace('\\', "/")
}

/// Unpacks an entry into a file without a name.
fn unpacked<R: Read + Seek>(archive: &mut ZipArchive<R>, at: usize, size: u64) -> io::Result<File> {
    let mut out = tempfile::tempfile()?;
    let entry = archive.by_index(at).map_err(io::Error::other)?;
    let copied = io::copy(&mut entry.take(size + 1), &mut out)?;
    if copied != size {
        return Err(io::Error::other(word!("its size is not the one in the archive")));
    }
    out.rewind()?;
    Ok(out)
}

/// Whether the entry of another archive has the same content.
fn is_same(notes: &Notes, archive: usize, entry: usize, crc: u32, size: u64) -> bool {
    let Some(archive) = notes.archives.0.get(archive) else { return false };
    let mut archive = archive.borrow_mut();
    archive.by_index_raw(entry).is_ok_and(|other| other.crc32() == crc && other.size() == size)
}
