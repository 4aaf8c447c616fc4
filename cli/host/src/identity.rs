//! Identity of the file at a path, independent of its content.

use std::fs::{self, File, Metadata};
use std::path::Path;

/// Identity of a file.
pub(crate) type Identity = (u64, u64);

/// Identity of the file or folder at `path`; `None` if there is none. Writing does not change it. A replacement is sure
/// to have another identity only while the first file is open.
pub(crate) fn identity(path: &Path) -> Option<Identity> {
    fs::metadata(path).ok().map(|metadata| identity_of(&metadata))
}

/// Whether `file` is still the file at `path`, not deleted or replaced since it was opened.
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
