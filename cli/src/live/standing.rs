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
    fn word(self) -> &'static str {
        match self {
            Self::Settled => "settled",
            Self::Changed => "changed",
            Self::Building => "building",
            Self::Unknown => "unknown",
        }
    }

    /// What is written, always of one length, so that it replaces the whole of what was there. Whoever
    /// has another index open, because this one was deleted or put aside, must not take it for theirs.
    fn line(self, index: Option<Identity>) -> String {
        let (device, file) = index.unwrap_or_default();
        format!("{:<8} {device:016x}{file:016x}\n", self.word())
    }
}

/// Where it stands.
#[derive(Debug)]
pub(super) struct StandingFile {
    path: PathBuf,
    written: Mutex<Option<Written>>,
}

#[derive(Debug)]
struct Written {
    file: File,
    identity: Identity,
    line: String,
}

impl StandingFile {
    pub(super) fn new(root: &Path) -> Self {
        Self { path: root.join(UBP_DIR).join(STATE), written: Mutex::new(None) }
    }

    /// What the process that indexes said last of this index.
    pub(super) fn read(&self, index: Option<Identity>) -> Standing {
        const LONGEST: u64 = 64;
        let mut line = String::new();
        let read = File::open(&self.path).and_then(|file| file.take(LONGEST).read_to_string(&mut line));
        let known = [Standing::Settled, Standing::Changed, Standing::Building];
        let said = known.into_iter().find(|standing| standing.line(index) == line);
        said.filter(|_| read.is_ok()).unwrap_or(Standing::Unknown)
    }

    /// Says it of this index, unless it was said already. When it cannot be said, the others find
    /// nothing or less than the truth, and look at the files themselves.
    pub(super) fn write(&self, standing: Standing, index: Option<Identity>) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let line = standing.line(index);
        if written.as_ref().is_some_and(|written| written.line == line) {
            return;
        }
        if let Err(_unsaid) = self.put(&mut written, line) {
            *written = None;
            // What stands there is no longer true.
            let _ = std::fs::remove_file(&self.path);
        }
    }

    /// Says again what was said, when somebody deleted the file.
    pub(super) fn keep(&self) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Written { line, .. }) =
            written.take_if(|written| identity(&self.path) != Some(written.identity))
        {
            let _ = self.put(&mut written, line);
        }
    }

    /// Leaves the file to others.
    pub(super) fn close(&self) {
        if self.written.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
            self.write(Standing::Unknown, None);
        }
        self.forget();
    }

    /// Lets go of the file without a word: it is another process's now.
    pub(super) fn forget(&self) {
        *self.written.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn put(&self, written: &mut Option<Written>, line: String) -> io::Result<()> {
        let (mut file, identity) = match written.take() {
            Some(written) => (written.file, written.identity),
            None => {
                let file = OpenOptions::new().write(true).create(true).truncate(false).open(&self.path)?;
                let identity = identity_of(&file.metadata()?);
                (file, identity)
            }
        };
        file.rewind()?;
        file.write_all(line.as_bytes())?;
        *written = Some(Written { file, identity, line });
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const INDEX: Option<Identity> = Some((1, 2));

    #[test]
    fn what_one_says_the_other_reads() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(UBP_DIR)).unwrap();
        let (one, other) = (StandingFile::new(folder.path()), StandingFile::new(folder.path()));
        assert_eq!(other.read(INDEX), Standing::Unknown);
        for standing in [Standing::Building, Standing::Settled, Standing::Changed, Standing::Settled] {
            one.write(standing, INDEX);
            assert_eq!(other.read(INDEX), standing);
        }
        assert_eq!(other.read(Some((1, 3))), Standing::Unknown, "of another index");
        std::fs::remove_file(folder.path().join(UBP_DIR).join(STATE)).unwrap();
        assert_eq!(other.read(INDEX), Standing::Unknown);
        one.keep();
        assert_eq!(other.read(INDEX), Standing::Settled);
        one.close();
        assert_eq!(other.read(INDEX), Standing::Unknown);
        other.close();
    }

    #[test]
    fn without_the_folder_nothing_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let standing = StandingFile::new(folder.path());
        standing.write(Standing::Settled, INDEX);
        assert_eq!(standing.read(INDEX), Standing::Unknown);
    }
}
