//! Communication between the indexing process and others: the state of the index, and requests to update it. It uses
//! separate files, because the database may be busy, and some systems cannot read locked files.

use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::stamp::{Identity, identity, identity_of};

const STATE: &str = "serve.state";
const REQUESTS: &str = "serve.ask";

/// State of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// Up to date.
    Settled,
    /// There are changes to index.
    Changed,
    /// A long refresh is running; another one would only delay it.
    Building,
    /// Unknown: no server published a state, or it has ended or cannot watch files.
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
}

/// Published state of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Said {
    pub standing: Standing,
    /// Identity of the index file. A process that has another file open, because one was deleted or moved aside, must
    /// ignore this state.
    pub index: Option<Identity>,
    /// Id of the process that assigned the numbers.
    pub speaker: u64,
    /// Number of the last noticed change.
    pub noticed: u64,
    /// Number of the last indexed change.
    pub settled: u64,
}

impl Said {
    const NOTHING: Self =
        Self { standing: Standing::Unknown, index: None, speaker: 0, noticed: 0, settled: 0 };

    /// Always of the same length, so that it overwrites the previous line completely.
    fn line(&self) -> String {
        let (device, file) = self.index.unwrap_or_default();
        let Self { standing, speaker, noticed, settled, .. } = self;
        let word = standing.word();
        format!("{word:<8} {device:016x} {file:016x} {speaker:016x} {noticed:016x} {settled:016x}\n")
    }

    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.strip_suffix('\n')?.split_ascii_whitespace();
        let word = fields.next()?;
        let known = [Standing::Settled, Standing::Changed, Standing::Building];
        let standing = known.into_iter().find(|standing| standing.word() == word)?;
        let mut number = || u64::from_str_radix(fields.next()?, 16).ok();
        let index = Some((number()?, number()?));
        let said = Self { standing, index, speaker: number()?, noticed: number()?, settled: number()? };
        (said.line() == line).then_some(said)
    }
}

/// The files with the state and the requests.
#[derive(Debug)]
pub(super) struct StandingFile {
    path: PathBuf,
    requests: PathBuf,
    speaker: u64,
    written: Mutex<Option<Written>>,
    /// Length of the requests file at the last check.
    heard: Mutex<u64>,
}

#[derive(Debug)]
struct Written {
    file: File,
    identity: Identity,
    line: String,
}

impl StandingFile {
    /// The files in the folder of the index.
    pub(super) fn new(folder: &Path) -> Self {
        Self {
            path: folder.join(STATE),
            requests: folder.join(REQUESTS),
            speaker: RandomState::new().build_hasher().finish(),
            written: Mutex::default(),
            heard: Mutex::default(),
        }
    }

    /// The last published state of this index.
    pub(super) fn read(&self, index: Option<Identity>) -> Said {
        const LONGEST: u64 = 256;
        let mut line = String::new();
        let read = File::open(&self.path).and_then(|file| file.take(LONGEST).read_to_string(&mut line));
        let said = read.ok().and_then(|_| Said::parse(&line)).filter(|said| said.index == index);
        said.unwrap_or(Said::NOTHING)
    }

    /// Publishes the state, unless it is unchanged. If that fails, others find no state or an older one, and check the
    /// files themselves.
    pub(super) fn write(&self, standing: Standing, index: Option<Identity>, noticed: u64, settled: u64) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let line = Said { standing, index, speaker: self.speaker, noticed, settled }.line();
        if written.as_ref().is_some_and(|written| written.line == line) {
            return;
        }
        if let Err(_unsaid) = self.put(&mut written, line) {
            *written = None;
            // The published state is outdated.
            let _ = fs::remove_file(&self.path);
        }
    }

    /// Requests that the indexing process index changes now, without waiting for a pause.
    pub(super) fn ask(&self) {
        // Each request appends a byte, because two files of equal length and time look the same. If it cannot be
        // written, the change is indexed later, or by this process.
        let _ = OpenOptions::new()
            .append(true)
            .create(true)
            .open(&self.requests)
            .and_then(|mut file| file.write_all(b"?"));
    }

    /// Whether there were requests since the last call.
    pub(super) fn was_asked(&self) -> bool {
        const LONGEST: u64 = 64 * 1024;
        let length = fs::metadata(&self.requests).map_or(0, |metadata| metadata.len());
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = length > *heard;
        *heard = length;
        if length > LONGEST {
            let emptied = OpenOptions::new().write(true).open(&self.requests);
            if emptied.and_then(|file| file.set_len(0)).is_ok() {
                *heard = 0;
            }
        }
        asked
    }

    /// Publishes the last state again if the file was deleted.
    pub(super) fn keep(&self) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Written { line, .. }) =
            written.take_if(|written| identity(&self.path) != Some(written.identity))
        {
            let _ = self.put(&mut written, line);
        }
    }

    /// Publishes that the state is unknown, and closes the file.
    pub(super) fn close(&self) {
        if self.written.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
            self.write(Standing::Unknown, None, 0, 0);
        }
        self.forget();
    }

    /// Closes the file without writing, because another process uses it now.
    pub(super) fn forget(&self) {
        *self.written.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn put(&self, written: &mut Option<Written>, line: String) -> io::Result<()> {
        let (mut file, identity) = match written.take() {
            Some(written) => (written.file, written.identity),
            None => {
                let file = OpenOptions::new().write(true).create(true).truncate(false).open(&self.path)?;
                let identity = identity_of(&file)?;
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
    fn a_published_state_is_read_by_another_process() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (StandingFile::new(folder.path()), StandingFile::new(folder.path()));
        assert_eq!(other.read(INDEX), Said::NOTHING);
        for (settled, standing) in
            [Standing::Building, Standing::Settled, Standing::Changed].into_iter().enumerate()
        {
            let settled = settled as u64 * 1_000_000;
            one.write(standing, INDEX, u64::MAX, settled);
            let said = Said { standing, index: INDEX, speaker: one.speaker, noticed: u64::MAX, settled };
            assert_eq!(other.read(INDEX), said);
        }
        assert_eq!(other.read(Some((1, 3))), Said::NOTHING, "the state of another index");
        fs::remove_file(folder.path().join(STATE)).unwrap();
        assert_eq!(other.read(INDEX), Said::NOTHING);
        one.keep();
        assert_eq!(other.read(INDEX).standing, Standing::Changed);
        one.write(Standing::Unknown, INDEX, 3, 3);
        assert_eq!(other.read(INDEX), Said::NOTHING);
        one.write(Standing::Settled, INDEX, 3, 3);
        one.close();
        assert_eq!(other.read(INDEX), Said::NOTHING);
        other.close();
    }

    #[test]
    fn an_incomplete_line_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let standing = StandingFile::new(folder.path());
        standing.write(Standing::Settled, INDEX, 3, 3);
        let path = folder.path().join(STATE);
        let line = fs::read_to_string(&path).unwrap();
        for length in 0..line.len() {
            fs::write(&path, &line[..length]).unwrap();
            assert_eq!(standing.read(INDEX), Said::NOTHING, "{length}");
        }
    }

    #[test]
    fn each_request_is_reported_once() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (StandingFile::new(folder.path()), StandingFile::new(folder.path()));
        assert!(!one.was_asked());
        for _ in 0..3 {
            other.ask();
            other.ask();
            assert!(one.was_asked());
            assert!(!one.was_asked());
        }
        fs::write(&one.requests, vec![b'?'; 70_000]).unwrap();
        assert!(one.was_asked());
        assert_eq!(fs::metadata(&one.requests).unwrap().len(), 0);
        other.ask();
        assert!(one.was_asked());
    }

    #[test]
    fn without_the_project_folder_the_state_is_unknown() {
        let folder = tempfile::tempdir().unwrap();
        let standing = StandingFile::new(&folder.path().join("missing"));
        standing.write(Standing::Settled, INDEX, 1, 1);
        assert_eq!(standing.read(INDEX), Said::NOTHING);
        standing.ask();
        assert!(!standing.was_asked());
    }
}
