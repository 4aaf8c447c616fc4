//! Detects whether a file was changed or replaced, with one file system access.

use std::fs::{self, Metadata};
use std::path::Path;

pub(super) use crate::identity::{Identity, identity, identity_in, identity_of};

/// Metadata of the file at a path; `None` if it did not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp(Option<(u64, i128, Identity)>);

impl Stamp {
    /// The stamp of the file at `path`. It changes with size, times and identity.
    pub(super) fn of(path: &Path) -> Self {
        Self(fs::metadata(path).ok().map(|metadata| {
            let modified = metadata.modified().ok().and_then(|time| jiff::Timestamp::try_from(time).ok());
            let modified = modified.map_or(0, jiff::Timestamp::as_nanosecond);
            (metadata.len(), modified.wrapping_add(change_time(&metadata)), identity_in(&metadata))
        }))
    }
}

#[cfg(unix)]
fn change_time(metadata: &Metadata) -> i128 {
    use std::os::unix::fs::MetadataExt;
    // Shifted, so that it cannot cancel out a change of the modification time.
    (i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec())) << 3
}

#[cfg(not(unix))]
fn change_time(_metadata: &Metadata) -> i128 {
    0
}
