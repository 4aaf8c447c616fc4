//! Deletes indexes of views that nobody uses any more, such as those of former rules.

use std::fs::{self, DirEntry};
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::VIEWS;
use crate::file_lock;
use crate::project::UBP_DIR;

/// Time without use after which an index is deleted.
const UNUSED: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Deletes the views of the project in `root` that were not used for long. Errors are ignored: the next time is soon
/// enough.
pub(crate) fn forget_unused(root: &Path) {
    let folder = root.join(UBP_DIR).join(VIEWS);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_own = entry.file_name().to_str().is_some_and(is_name);
        if is_own && entry.file_type().is_ok_and(|kind| kind.is_dir()) && is_unused(&entry) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether this is the name of the folder of a view.
fn is_name(name: &str) -> bool {
    name.len() == 16 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_unused(view: &DirEntry) -> bool {
    let files = fs::read_dir(view.path()).into_iter().flatten().flatten();
    let modified = files.filter_map(|file| file.metadata().ok()?.modified().ok());
    let latest = modified.chain(view.metadata().ok().and_then(|folder| folder.modified().ok())).max();
    let is_old =
        latest.is_some_and(|latest| SystemTime::now().duration_since(latest).is_ok_and(|age| age > UNUSED));
    is_old && !file_lock::is_held(&view.path().join("serve.lock")).unwrap_or(true)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// The folder, so that its time can be set.
    fn opened(folder: &Path) -> fs::File {
        let mut options = fs::File::options();
        #[cfg(windows)]
        {
            use std::os::windows::fs::OpenOptionsExt;
            const WRITE_ATTRIBUTES: u32 = 0x100;
            const BACKUP_SEMANTICS: u32 = 0x0200_0000;
            options.access_mode(WRITE_ATTRIBUTES).custom_flags(BACKUP_SEMANTICS);
        }
        options.read(true).open(folder).unwrap()
    }

    #[test]
    fn only_views_that_were_not_used_for_long_are_deleted() {
        let root = tempfile::tempdir().unwrap();
        let views = root.path().join(UBP_DIR).join(VIEWS);
        let old = SystemTime::now() - UNUSED - Duration::from_secs(60);
        let make = |name: &str, time: Option<SystemTime>| {
            let folder = views.join(name);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("metadata.db"), "").unwrap();
            if let Some(time) = time {
                fs::File::options()
                    .append(true)
                    .open(folder.join("metadata.db"))
                    .unwrap()
                    .set_modified(time)
                    .unwrap();
                opened(&folder).set_modified(time).unwrap();
            }
            folder
        };
        let unused = make("0123456789abcdef", Some(old));
        let used = make("0123456789abcdee", None);
        let other = make("notes", Some(old));
        forget_unused(root.path());
        assert_eq!((unused.exists(), used.exists(), other.exists()), (false, true, true));
    }
}
