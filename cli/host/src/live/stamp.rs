//! Telling a file that was changed or replaced from the one that was known, by one look at the disk.

use std::fs::{self, Metadata};
use std::path::Path;

pub(super) use crate::identity::{Identity, identity, identity_of};

/// What a file at a path looked like; `None` when there was none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp(Option<(u64, i128, Identity)>);

impl Stamp {
    /// What lies at `path`. Changes with the file's content, as far as size and times show it.
    pub(super) fn of(path: &Path) -> Self {
        Self(fs::metadata(path).ok().map(|metadata| {
            let modified = metadata.modified().ok().and_then(|time| jiff::Timestamp::try_from(time).ok());
            let modified = modified.map_or(0, jiff::Timestamp::as_nanosecond);
            (metadata.len(), modified.wrapping_add(change_time(&metadata)), identity_of(&metadata))
        }))
    }
}

#[cfg(unix)]
fn change_time(metadata: &Metadata) -> i128 {
    use std::os::unix::fs::MetadataExt;
    // Multiplied, so that it cannot cancel out a change of the modification time.
    (i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec())) << 3
}

#[cfg(not(unix))]
fn change_time(_metadata: &Metadata) -> i128 {
    0
}
