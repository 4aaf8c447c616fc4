//! What a session needs to survive the end of its server: every step of its [`Authority`], written before a window hears that
//! its letters are safe. A line is a step in JSON; the first one is the state before. Steps are not synced to disk: they
//! survive the end of the process, and after a power failure every window still has its letters.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ubp_host::file_lock::FileLock;
use ubp_host::{UBP_DIR, atomic, keep_out_of_git};

use super::authority::{Authority, Update};
use super::changes::Changes;

/// The folder of the journals, in [`UBP_DIR`].
const FOLDER: &str = "coediting";
/// The size in bytes from which a journal starts anew, in addition to that of the text.
const LONG: usize = 1024 * 1024;
/// Changes that a new journal repeats, for windows that were away.
const REPEATED: usize = 400;

/// The state before the first step.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    epoch: String,
    page: String,
    version: u64,
    file: String,
    pending: Value,
    updates: Vec<(String, Value)>,
}

/// A step of a session.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Step<'a> {
    /// A change, with its author.
    Update(std::borrow::Cow<'a, str>, Value),
    /// The text is being written to the file.
    Write,
    Written,
    NotWritten,
    /// The text that the file has.
    Found(std::borrow::Cow<'a, str>),
    /// The page has another path.
    Moved(std::borrow::Cow<'a, str>),
}

/// The journal of a session.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    size: usize,
    /// Held as long as the session is open, so that no other server takes it up.
    _lock: FileLock,
}

/// A session from a journal.
pub(super) struct Found {
    pub epoch: String,
    pub page: String,
    pub authority: Authority,
    pub journal: Journal,
}

impl Journal {
    /// Starts the journal of a session.
    pub(super) fn start(root: &Path, epoch: &str, page: &str, authority: &Authority) -> io::Result<Self> {
        let own = root.join(UBP_DIR);
        let folder = own.join(FOLDER);
        if !folder.is_dir() {
            std::fs::create_dir(&folder)?;
            keep_out_of_git(&own, "coediting/");
        }
        let path = folder.join(format!("{epoch}.jsonl"));
        let lock =
            FileLock::take(&path.with_extension("lock"), Duration::ZERO)?.ok_or(io::ErrorKind::WouldBlock)?;
        Self::begin(path, lock, &head(epoch, page, authority))
    }

    fn begin(path: PathBuf, lock: FileLock, head: &Head) -> io::Result<Self> {
        let mut line = serde_json::to_vec(head)?;
        line.push(b'\n');
        atomic::write(&path, &line, FOLDER).map_err(io::Error::other)?;
        let file = File::options().append(true).open(&path)?;
        Ok(Self { path, file, size: line.len(), _lock: lock })
    }

    fn step(&mut self, step: &Step<'_>) -> io::Result<()> {
        let mut line = serde_json::to_vec(step)?;
        line.push(b'\n');
        self.size += line.len();
        self.file.write_all(&line)
    }

    pub(super) fn updates(&mut self, updates: &[Update]) -> io::Result<()> {
        updates.iter().try_for_each(|Update { client, changes }| {
            self.step(&Step::Update(client.into(), changes.json()))
        })
    }

    pub(super) fn write(&mut self) -> io::Result<()> {
        self.step(&Step::Write)
    }

    pub(super) fn written(&mut self, is_written: bool) -> io::Result<()> {
        self.step(if is_written { &Step::Written } else { &Step::NotWritten })
    }

    pub(super) fn found(&mut self, file: &str) -> io::Result<()> {
        self.step(&Step::Found(file.into()))
    }

    pub(super) fn moved(&mut self, page: &str) -> io::Result<()> {
        self.step(&Step::Moved(page.into()))
    }

    /// Starts anew if it has become long. Nothing is being written to the file of the page.
    pub(super) fn shorten(&mut self, epoch: &str, page: &str, authority: &Authority) -> io::Result<()> {
        if self.size < LONG + 4 * authority.file().len() {
            return Ok(());
        }
        let mut line = serde_json::to_vec(&head(epoch, page, authority))?;
        line.push(b'\n');
        atomic::write(&self.path, &line, FOLDER).map_err(io::Error::other)?;
        self.file = File::options().append(true).open(&self.path)?;
        self.size = line.len();
        Ok(())
    }

    /// Deletes it: the session is over.
    pub(super) fn end(self) {
        let _ = std::fs::remove_file(&self.path);
        let _ = std::fs::remove_file(self.path.with_extension("lock"));
    }
}

fn head(epoch: &str, page: &str, authority: &Authority) -> Head {
    let updates = authority.recent(REPEATED).map(|update| (update.client.clone(), update.changes.json()));
    Head {
        epoch: epoch.to_owned(),
        page: page.to_owned(),
        version: authority.version(),
        file: authority.file().to_owned(),
        pending: authority.pending().json(),
        updates: updates.collect(),
    }
}

/// The sessions of servers that ended. Those of servers that run are theirs.
pub(super) fn left(root: &Path) -> Vec<Found> {
    let Ok(entries) = std::fs::read_dir(root.join(UBP_DIR).join(FOLDER)) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let journals = paths.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    journals.filter_map(take_up).collect()
}

fn take_up(path: PathBuf) -> Option<Found> {
    let lock = FileLock::take(&path.with_extension("lock"), Duration::ZERO).ok()??;
    let bytes = std::fs::read(&path).ok()?;
    let (epoch, page, authority) = replay(&bytes)?;
    // The last step may be incomplete, and another one must not follow it on its line.
    let mut file = File::options().append(true).open(&path).ok()?;
    let torn = if bytes.ends_with(b"\n") { 0 } else { file.write(b"\n").ok()? };
    let journal = Journal { path, file, size: bytes.len() + torn, _lock: lock };
    Some(Found { epoch, page, authority, journal })
}

/// The session after all steps that are complete.
fn replay(bytes: &[u8]) -> Option<(String, String, Authority)> {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    let Head { epoch, mut page, version, file, pending, updates } =
        serde_json::from_slice(lines.next()?).ok()?;
    let updates = updates
        .into_iter()
        .map(|(client, changes)| Some(Update { client, changes: Changes::read(&changes)? }));
    let mut authority =
        Authority::restored(file, version, Changes::read(&pending)?, updates.collect::<Option<_>>()?).ok()?;
    for line in lines {
        let Ok(step) = serde_json::from_slice::<Step<'_>>(line) else { continue };
        match step {
            Step::Update(client, changes) => {
                authority
                    .take(Update { client: client.into_owned(), changes: Changes::read(&changes)? })
                    .ok()?;
            }
            Step::Write => drop(authority.write()),
            Step::Written => authority.written(),
            Step::NotWritten => authority.not_written(),
            Step::Found(file) => drop(authority.found(file.into_owned()).ok()?),
            Step::Moved(to) => page = to.into_owned(),
        }
    }
    Some((epoch, page, authority))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn change(json: &str) -> Changes {
        Changes::read(&serde_json::from_str(json).unwrap()).unwrap()
    }

    #[test]
    fn a_session_is_restored_with_every_step_and_belongs_to_one_server() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join(UBP_DIR)).unwrap();
        let mut authority = Authority::new("one\n".into(), 0);
        let mut journal = Journal::start(dir.path(), "e1", "A.md", &authority).unwrap();
        let made = authority.push(0, "a", vec![change("[3,[0,\" \u{1f600}\"],1]")]).unwrap();
        journal.updates(&made).unwrap();
        authority.write();
        journal.write().unwrap();
        let made = authority.push(1, "b", vec![change("[[0,\"x\",\"\"],7]")]).unwrap();
        journal.updates(&made).unwrap();
        authority.written();
        journal.written(true).unwrap();
        authority.found("one \u{1f600}\ntwo\n".into()).unwrap();
        journal.found("one \u{1f600}\ntwo\n").unwrap();
        journal.moved("B.md").unwrap();
        assert!(left(dir.path()).is_empty(), "its server runs");
        let path = journal.path.clone();
        journal.file.write_all(b"{\"update\":[\"a\",[").unwrap();
        drop(journal);

        let mut found = left(dir.path());
        assert_eq!(found.len(), 1);
        let mut session = found.remove(0);
        assert_eq!((session.epoch.as_str(), session.page.as_str()), ("e1", "B.md"));
        assert_eq!(session.authority.text(), "x\none \u{1f600}\ntwo\n");
        assert_eq!(session.authority.version(), authority.version());
        assert_eq!(session.authority.file(), authority.file());
        assert_eq!(session.authority.pending(), authority.pending());
        assert_eq!(session.authority.since(1).unwrap().count(), 2);
        let made = session.authority.push(3, "c", vec![change("[[0,\"y\"],13]")]).unwrap();
        session.journal.updates(&made).unwrap();
        let again = replay(&std::fs::read(&path).unwrap()).unwrap().2;
        assert_eq!(again.text(), "yx\none \u{1f600}\ntwo\n");
        session.journal.end();
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 0);
    }

    #[test]
    fn a_crash_between_writing_and_noting_it_doubles_no_letter() {
        for (file, text) in [
            ("one typed\n", "one typed\n"),
            // The engine has added a time.
            ("one typed\n2026\n", "one typed\n2026\n"),
            // It was not written.
            ("one\n", "one typed\n"),
            ("one\ntwo\n", "one typed\ntwo\n"),
        ] {
            let mut authority = Authority::new("one\n".into(), 0);
            authority.push(0, "a", vec![change("[3,[0,\" typed\"],1]")]).unwrap();
            authority.write();
            authority.found(file.into()).unwrap();
            assert_eq!(authority.text(), text, "{file}");
        }
    }

    #[test]
    fn a_long_journal_starts_anew() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join(UBP_DIR)).unwrap();
        let mut authority = Authority::new(String::new(), 0);
        let mut journal = Journal::start(dir.path(), "e", "A.md", &authority).unwrap();
        let text = "x".repeat(LONG / 10);
        for round in 0..30 {
            let length = round * text.len();
            let made = authority
                .push(authority.version(), "a", vec![change(&format!("[[0,{text:?}],{length}]"))])
                .unwrap();
            journal.updates(&made).unwrap();
            authority.write();
            journal.write().unwrap();
            authority.written();
            journal.written(true).unwrap();
            journal.shorten("e", "A.md", &authority).unwrap();
        }
        let bytes = std::fs::read(&journal.path).unwrap();
        let (_, _, again) = replay(&bytes).unwrap();
        assert_eq!((again.text(), again.version()), (authority.text(), 30));
        assert!(bytes.len() < 10 * text.len() * 30, "{}", bytes.len());
        assert_eq!(again.since(0).unwrap().count(), 30);
    }
}
