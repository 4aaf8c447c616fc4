//! What the process that indexes lets the others know: whether the index is true to the files as far
//! as it has heard. It stands in a file of its own, because the database may be busy just then, and a
//! locked file cannot be read on every system.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::stamp::{Identity, identity, identity_of};
use crate::host::UBP_DIR;

const STATE: &str = "serve.state";

/// How true the index is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It is true to the files.
    Settled,
    /// Something changed and is yet to be taken in.
    Changed,
    /// Much changed, and taking it in is under way: to do it once more would only delay it.
    Building,
    /// Nobody knows: no server wrote it, or that one ended.
    Unknown,
}

impl Standing {
    /// All of one length, so that a write replaces the whole of what was there.
    fn bytes(self) -> &'static [u8; 9] {
        match self {
            Self::Settled => b"settled \n",
            Self::Changed => b"changed \n",
            Self::Building => b"building\n",
            Self::Unknown => b"unknown \n",
        }
    }
}

/// Where it stands.
#[derive(Debug)]
pub(super) struct StandingFile {
    path: PathBuf,
    written: Mutex<Option<(File, Identity, Standing)>>,
}

impl StandingFile {
    pub(super) fn new(root: &Path) -> Self {
        Self { path: root.join(UBP_DIR).join(STATE), written: Mutex::new(None) }
    }

    /// What the process that indexes said last.
    pub(super) fn read(&self) -> Standing {
        let mut bytes = Vec::new();
        let read = File::open(&self.path).and_then(|file| file.take(16).read_to_end(&mut bytes));
        let known = [Standing::Settled, Standing::Changed, Standing::Building];
        let said = known.into_iter().find(|standing| standing.bytes() == bytes.as_slice());
        said.filter(|_| read.is_ok()).unwrap_or(Standing::Unknown)
    }

    /// Says it, unless it was said already. When it cannot be said, the others find nothing or less
    /// than the truth, and look at the files themselves.
    pub(super) fn write(&self, standing: Standing) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if written.as_ref().is_some_and(|(_, _, said)| *said == standing) {
            return;
        }
        if let Err(_unsaid) = self.put(&mut written, standing) {
            *written = None;
            // What stands there is no longer true.
            let _ = std::fs::remove_file(&self.path);
        }
    }

    /// Says again what was said, when somebody deleted the file.
    pub(super) fn keep(&self) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((_, held, standing)) = &*written else { return };
        if identity(&self.path) != Some(*held) {
            let standing = *standing;
            *written = None;
            let _ = self.put(&mut written, standing);
        }
    }

    /// Leaves the file to others.
    pub(super) fn close(&self) {
        if self.written.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
            self.write(Standing::Unknown);
        }
        self.forget();
    }

    /// Lets go of the file without a word: it is another process's now.
    pub(super) fn forget(&self) {
        *self.written.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn put(&self, written: &mut Option<(File, Identity, Standing)>, standing: Standing) -> io::Result<()> {
        let (mut file, identity) = match written.take() {
            Some((file, identity, _)) => (file, identity),
            None => {
                let file = OpenOptions::new().write(true).create(true).truncate(false).open(&self.path)?;
                let identity = identity_of(&file.metadata()?);
                (file, identity)
            }
        };
        file.rewind()?;
        file.write_all(standing.bytes())?;
        *written = Some((file, identity, standing));
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_one_says_the_other_reads() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(UBP_DIR)).unwrap();
        let (one, other) = (StandingFile::new(folder.path()), StandingFile::new(folder.path()));
        assert_eq!(other.read(), Standing::Unknown);
        for standing in [Standing::Building, Standing::Settled, Standing::Changed, Standing::Settled] {
            one.write(standing);
            assert_eq!(other.read(), standing);
        }
        std::fs::remove_file(folder.path().join(UBP_DIR).join(STATE)).unwrap();
        assert_eq!(other.read(), Standing::Unknown);
        one.keep();
        assert_eq!(other.read(), Standing::Settled);
        one.close();
        assert_eq!(other.read(), Standing::Unknown);
        other.close();
    }

    #[test]
    fn without_the_folder_nothing_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let standing = StandingFile::new(folder.path());
        standing.write(Standing::Settled);
        assert_eq!(standing.read(), Standing::Unknown);
    }
}
