//! The state of a file, by which changes are noticed without reading it.

use std::fs::Metadata;

use jiff::Timestamp;
use ubp_core::ports::FileStat;

pub(crate) fn file_stat(metadata: &Metadata) -> FileStat {
    let modified = metadata.modified().ok().and_then(|time| Timestamp::try_from(time).ok());
    FileStat {
        size: metadata.len(),
        modified: modified.unwrap_or(Timestamp::UNIX_EPOCH),
        fingerprint: fingerprint(metadata),
    }
}

/// Inode and change time in one number. Without the device, which may differ after each mount.
#[cfg(unix)]
fn fingerprint(metadata: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    [metadata.ino(), metadata.ctime().cast_unsigned(), metadata.ctime_nsec().cast_unsigned()]
        .into_iter()
        .fold(0, |mixed: u64, value| (mixed ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29))
}

#[cfg(not(unix))]
fn fingerprint(_metadata: &Metadata) -> u64 {
    0
}
