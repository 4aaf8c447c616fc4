//! Which file lies at a path, whatever it holds.

use std::fs::{self, File, Metadata};
use std::path::Path;

/// Which file it is.
pub(crate) type Identity = (u64, u64);

/// Which file or folder lies at `path`, `None` when there is none. Stays the same while the file is
/// written to; differs for another file in its place, for as long as the first one is held open.
pub(crate) fn identity(path: &Path) -> Option<Identity> {
    fs::metadata(path).ok().map(|metadata| identity_of(&metadata))
}

/// Whether `file` is what lies at `path`: it may have been deleted or replaced since it was opened.
pub(crate) fn is_file_at(file: &File, path: &Path) -> bool {
    file.metadata().is_ok_and(|metadata| identity(path) == Some(identity_of(&metadata)))
}

#[cfg(unix)]
pub(crate) fn identity_of(metadata: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
pub(crate) fn identity_of(metadata: &Metadata) -> Identity {
    let created = metadata.created().ok().and_then(|time| jiff::Timestamp::try_from(time).ok());
    let nanos = created.map_or(0, jiff::Timestamp::as_nanosecond);
    (u64::from(metadata.is_dir()), u64::try_from(nanos).unwrap_or(0))
}
