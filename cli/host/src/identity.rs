//! Identity of the file at a path, independent of its content.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

/// Identity of a file.
pub(crate) type Identity = (u64, u64);

/// Identity of the file or folder at `path`; `None` if there is none. Writing does not change it. A replacement is sure
/// to have another identity only while the first file is open.
pub(crate) fn identity(path: &Path) -> Option<Identity> {
    #[cfg(windows)]
    return winapi_util::Handle::from_path_any(path).and_then(numbers).ok();
    #[cfg(not(windows))]
    return std::fs::metadata(path).ok().map(|metadata| identity_in(&metadata));
}

/// Identity of an open file, as [`identity()`] of its path.
///
/// # Errors
/// Any I/O error.
pub(crate) fn identity_of(file: &File) -> io::Result<Identity> {
    #[cfg(windows)]
    return numbers(file);
    #[cfg(not(windows))]
    return file.metadata().map(|metadata| identity_in(&metadata));
}

/// Whether `file` is still the file at `path`, not deleted or replaced since it was opened.
pub(crate) fn is_file_at(file: &File, path: &Path) -> bool {
    identity_of(file).is_ok_and(|own| identity(path) == Some(own))
}

/// What metadata alone says about the identity.
#[cfg(unix)]
pub(crate) fn identity_in(metadata: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

/// What metadata alone says about the identity: the time of creation. Windows gives a new file that of the file that
/// had the same name seconds before.
#[cfg(not(unix))]
pub(crate) fn identity_in(metadata: &Metadata) -> Identity {
    let created = metadata.created().ok().and_then(|time| jiff::Timestamp::try_from(time).ok());
    let nanos = created.map_or(0, jiff::Timestamp::as_nanosecond);
    (u64::from(metadata.is_dir()), u64::try_from(nanos).unwrap_or(0))
}

#[cfg(windows)]
fn numbers(file: impl winapi_util::AsHandleRef) -> io::Result<Identity> {
    let information = winapi_util::file::information(file)?;
    Ok((information.volume_serial_number(), information.file_index()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn files_of_equal_age_have_different_identities() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("a"), "one").unwrap();
        fs::write(path("b"), "two").unwrap();
        #[cfg(windows)]
        for name in ["a", "b"] {
            use std::os::windows::fs::FileTimesExt;
            let times = fs::FileTimes::new().set_created(std::time::SystemTime::UNIX_EPOCH);
            File::options().write(true).open(path(name)).unwrap().set_times(times).unwrap();
        }
        assert_ne!(identity(&path("a")), identity(&path("b")));
        let first = File::open(path("a")).unwrap();
        assert!(is_file_at(&first, &path("a")));
        fs::rename(path("a"), path("c")).unwrap();
        assert!(is_file_at(&first, &path("c")));
        fs::rename(path("b"), path("a")).unwrap();
        assert!(!is_file_at(&first, &path("a")));
        assert!(identity(folder.path()).is_some());
        assert_eq!(identity(&path("none")), None);
    }
}
