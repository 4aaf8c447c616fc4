//! Writes what agents saw to `.ubp/sessions/`, which git ignores. A thread of its own writes, so that no answer waits for
//! the disk, and keeps the folder within its limits.

use std::fs::{self, DirEntry, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use sha2::{Digest, Sha256};
use ubp_core::manifest::SessionSettings;
use ubp_core::path::{SESSIONS, session_of_file};
use ubp_core::sessions::{Beginning, Line, Recorded};
use ubp_core::{Error, Result};
use uuid::Uuid;

use crate::UBP_DIR;
use crate::atomic::{self, Readers};

/// Bytes of a session up to which texts of answers are kept. Then only the other facts are, up to [`MOST_FACTS`].
const MOST_TEXTS: u64 = 8 << 20;
const MOST_FACTS: u64 = 10 << 20;
/// Bytes of all sessions; the oldest are deleted.
const MOST_BYTES: u64 = 64 << 20;
/// Answers that wait to be written; of more, none is recorded until there is room, so that a slow disk costs no memory.
const WAITING: usize = 64;
/// Digits of an id.
const ID: usize = 12;
/// Time to write what waits when a server ends.
const FAREWELL: Duration = Duration::from_secs(2);

/// Creates the folder, which git ignores.
pub(crate) fn prepare(root: &Path) -> Result<()> {
    let folder = root.join(UBP_DIR);
    let failed = |error| Error::io(format!("{UBP_DIR}/{SESSIONS}"), error);
    let own = folder.join(SESSIONS);
    let is_link = |path: &Path| fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
    if is_link(&folder) || is_link(&own) {
        return Err(Error::OutsideProject {
            path: format!("{UBP_DIR}/{SESSIONS}"),
            folder: "project".into(),
        });
    }
    #[cfg_attr(not(unix), allow(unused_mut))]
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(&own) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(failed(error)),
        // The process that created the folder may have ended before it wrote the file.
        _ => ignored_by_git(&own).map_err(failed),
    }
}

/// Lets git ignore all files in a folder: not every project has a `.gitignore` in `.ubp`, or one with this folder.
fn ignored_by_git(folder: &Path) -> io::Result<()> {
    let path = folder.join(".gitignore");
    match OpenOptions::new().write(true).create_new(true).open(&path) {
        Ok(mut file) => file.write_all(b"*\n").inspect_err(|_| {
            // An empty one would not be written again.
            let _ = fs::remove_file(&path);
        }),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// A session that is being recorded.
#[derive(Debug)]
pub struct Session {
    id: String,
    beginning: Beginning,
}

impl Session {
    /// A session of the client `agent` that begins at `started_at`. Its file is created with the first answer.
    pub fn begin(agent: Option<String>, started_at: String) -> Arc<Self> {
        let id = Uuid::now_v7().simple().to_string();
        let id = id.get(id.len().saturating_sub(ID)..).unwrap_or(&id).to_owned();
        Arc::new(Self { id, beginning: Beginning { agent, started_at } })
    }

    /// The session that the client `agent` calls `name`, for processes that answer once: they write to one file.
    pub fn called(agent: &str, name: &str, started_at: String) -> Self {
        let mut id = ubp_core::text::hex(&Sha256::digest(format!("{agent}\n{name}")));
        id.truncate(ID);
        Self { id, beginning: Beginning { agent: Some(agent.to_owned()), started_at } }
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.id
    }
}

type Answer = (Arc<Session>, Box<Recorded>);

/// Records sessions of a project.
pub struct Recorder {
    sender: Mutex<Option<SyncSender<Answer>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Recorder {
    /// Starts the thread.
    ///
    /// # Errors
    /// [`Error::Internal`] if no thread can be started.
    pub fn start(root: &Path) -> Result<Arc<Self>> {
        let (sender, receiver) = sync_channel(WAITING);
        let root = root.to_owned();
        let thread =
            std::thread::Builder::new().name("ubp-sessions".into()).spawn(move || write(&root, &receiver));
        let thread = thread.map_err(|error| Error::Internal(format!("cannot start a thread: {error}")))?;
        Ok(Arc::new(Self { sender: Mutex::new(Some(sender)), thread: Mutex::new(Some(thread)) }))
    }

    /// Records an answer. Returns at once, also if it cannot be recorded.
    pub fn record(&self, session: &Arc<Session>, recorded: Recorded) {
        let sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = &*sender {
            // A full channel means that the disk is slower than the answers.
            let _ = sender.try_send((session.clone(), Box::new(recorded)));
        }
    }

    /// Writes what waits, for at most two seconds, and ends.
    pub fn stop(&self) {
        drop(self.sender.lock().unwrap_or_else(PoisonError::into_inner).take());
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(thread) = thread else { return };
        let begun = Instant::now();
        while !thread.is_finished() && begun.elapsed() < FAREWELL {
            std::thread::sleep(Duration::from_millis(1));
        }
        if thread.is_finished() {
            let _ = thread.join();
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The work of the thread. Errors have nobody to report to: an answer counts more than its record.
fn write(root: &Path, answers: &Receiver<Answer>) {
    // The first answer makes room for the others.
    let mut since_room = u64::MAX;
    while let Ok((session, recorded)) = answers.recv() {
        since_room = since_room.saturating_add(append(root, &session, *recorded).unwrap_or_default());
        if since_room > MOST_BYTES / 64 {
            since_room = 0;
            let _ = make_room(root, MOST_BYTES);
        }
    }
}

/// Records an answer before it returns, for a process that ends then. The first answer of a session deletes old ones.
///
/// # Errors
/// As [`delete_old`].
pub fn record_now(
    root: &Path,
    settings: SessionSettings,
    session: &Session,
    recorded: Recorded,
) -> Result<()> {
    if !root.join(UBP_DIR).join(ubp_core::path::session_file(&session.id)).exists() {
        delete_old(root, settings)?;
    }
    append(root, session, recorded).map(drop)
}

/// Appends an answer to the file of its session. Returns how many bytes were written.
fn append(root: &Path, session: &Session, mut recorded: Recorded) -> Result<u64> {
    prepare(root)?;
    let name = format!("{UBP_DIR}/{}", ubp_core::path::session_file(&session.id));
    let file = root.join(&name);
    let failed = |error| Error::io(name.clone(), error);
    let mut lines = Vec::new();
    match fs::symlink_metadata(&file) {
        Ok(metadata) if !metadata.is_file() => {
            return Err(Error::OutsideProject { path: name, folder: "project".into() });
        }
        Ok(metadata) if metadata.len() > MOST_FACTS => return Ok(0),
        Ok(metadata) if metadata.len() > MOST_TEXTS => recorded.text = None,
        Ok(_) => {}
        // New, or deleted by a person meanwhile.
        Err(_) => lines = Line::Session(session.beginning.clone()).written(),
    }
    lines.extend(Line::Answer(Box::new(recorded)).written());
    atomic::add(&file, &lines, Readers::Owner).map_err(failed)?;
    Ok(lines.len() as u64)
}

/// Deletes sessions without an answer for longer than `settings` say, and the oldest ones beyond the limit of bytes.
///
/// # Errors
/// [`Error::Io`], [`Error::OutsideProject`] if a link leads out of the project.
pub fn delete_old(root: &Path, settings: SessionSettings) -> Result<()> {
    let keep = Duration::from_secs(u64::from(settings.keep_days) * 24 * 60 * 60);
    let now = SystemTime::now();
    for file in files(root)? {
        if now.duration_since(file.modified).is_ok_and(|age| age > keep) {
            remove(&file.path)?;
        }
    }
    make_room(root, MOST_BYTES)
}

/// Deletes the oldest sessions until all take at most `most` bytes.
fn make_room(root: &Path, most: u64) -> Result<()> {
    let mut files = files(root)?;
    files.sort_by_key(|file| file.modified);
    let mut bytes: u64 = files.iter().map(|file| file.bytes).sum();
    // The latest one stays.
    files.pop();
    for file in files {
        if bytes <= most {
            break;
        }
        remove(&file.path)?;
        bytes -= file.bytes;
    }
    Ok(())
}

struct File {
    path: PathBuf,
    bytes: u64,
    modified: SystemTime,
}

fn files(root: &Path) -> Result<Vec<File>> {
    let (own, shown) = (root.join(UBP_DIR).join(SESSIONS), format!("{UBP_DIR}/{SESSIONS}"));
    let is_link = |path: &Path| fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
    if is_link(&own) || is_link(&root.join(UBP_DIR)) {
        return Err(Error::OutsideProject { path: shown, folder: "project".into() });
    }
    let entries = match fs::read_dir(own) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|error| Error::io(shown, error))?,
    };
    // A file may be deleted meanwhile.
    let file = |entry: DirEntry| {
        session_of_file(&format!("{SESSIONS}/{}", entry.file_name().to_str()?))?;
        let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        Some(File { path: entry.path(), bytes: metadata.len(), modified: metadata.modified().ok()? })
    };
    Ok(entries.flatten().filter_map(file).collect())
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io(path.to_string_lossy(), error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;
    use ubp_core::sessions::{KeptParams, Outcome, Witness};

    use super::*;

    fn recorded(text: &str) -> Recorded {
        let at = "2026-01-01T00:00:00Z".to_owned();
        let (params, answer) = (KeptParams::default(), json!({}));
        Recorded::new(at, 1, "ubp_search", params, &Outcome::Answer(&answer), text, &Witness::default())
    }

    fn session() -> Arc<Session> {
        Session::begin(Some("agent 1.0".into()), "2026-01-01T00:00:00Z".into())
    }

    fn project() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(".ubp")).unwrap();
        folder
    }

    fn file(root: &Path, session: &Session) -> PathBuf {
        root.join(".ubp").join(ubp_core::path::session_file(session.id()))
    }

    #[test]
    fn answers_are_lines_of_a_file_that_git_ignores() {
        let (project, session) = (project(), session());
        let recorder = Recorder::start(project.path()).unwrap();
        recorder.record(&session, recorded("one"));
        recorder.record(&session, recorded("two\nlines"));
        recorder.stop();
        let text = fs::read_to_string(file(project.path(), &session)).unwrap();
        let lines: Vec<Line> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(
            matches!(&lines[0], Line::Session(beginning) if beginning.agent.as_deref() == Some("agent 1.0"))
        );
        assert!(matches!(&lines[2], Line::Answer(answer) if answer.text.as_deref() == Some("two\nlines")));
        assert_eq!(lines.len(), 3);
        let ignored = project.path().join(".ubp/sessions/.gitignore");
        assert_eq!(fs::read_to_string(&ignored).unwrap(), "*\n");
        // As if the process had ended before it wrote that.
        fs::remove_file(&ignored).unwrap();
        append(project.path(), &session, recorded("three")).unwrap();
        assert_eq!(fs::read_to_string(&ignored).unwrap(), "*\n");
    }

    #[cfg(unix)]
    #[test]
    fn only_their_owner_can_read_sessions() {
        use std::os::unix::fs::PermissionsExt;
        let (project, session) = (project(), session());
        append(project.path(), &session, recorded("x")).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&file(project.path(), &session)), 0o600);
        assert_eq!(mode(&project.path().join(".ubp/sessions")), 0o700);
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_written_or_deleted_through_links() {
        let (project, outside) = (project(), tempfile::tempdir().unwrap());
        fs::write(outside.path().join("0a.jsonl"), "theirs").unwrap();
        std::os::unix::fs::symlink(outside.path(), project.path().join(".ubp/sessions")).unwrap();
        assert_eq!(append(project.path(), &session(), recorded("x")).unwrap_err().code(), "outside_project");
        assert_eq!(make_room(project.path(), 0).unwrap_err().code(), "outside_project");
        let own = project.path().join(".ubp/sessions");
        fs::remove_file(&own).unwrap();
        fs::create_dir(&own).unwrap();
        let session = session();
        for (name, target) in [(".gitignore", "new"), (&*format!("{}.jsonl", session.id()), "0a.jsonl")] {
            std::os::unix::fs::symlink(outside.path().join(target), own.join(name)).unwrap();
        }
        assert_eq!(append(project.path(), &session, recorded("x")).unwrap_err().code(), "outside_project");
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
        assert_eq!(fs::read_to_string(outside.path().join("0a.jsonl")).unwrap(), "theirs");
    }

    #[test]
    fn a_session_deleted_meanwhile_begins_again() {
        let (project, session) = (project(), session());
        append(project.path(), &session, recorded("x")).unwrap();
        fs::remove_file(file(project.path(), &session)).unwrap();
        append(project.path(), &session, recorded("y")).unwrap();
        let text = fs::read_to_string(file(project.path(), &session)).unwrap();
        assert!(text.starts_with(r#"{"session":"#) && text.contains(r#""y""#), "{text}");
    }

    #[test]
    fn a_long_session_keeps_facts_without_texts_and_then_ends() {
        let (project, session) = (project(), session());
        let text = "x".repeat(ubp_core::sessions::MOST_TEXT);
        let mut answer = recorded(&text);
        answer.facts.params = json!({ "edits": "y".repeat(50_000) });
        for _ in 0..1000 {
            if append(project.path(), &session, answer.clone()).unwrap() == 0 {
                break;
            }
        }
        let path = file(project.path(), &session);
        let size = fs::metadata(&path).unwrap().len();
        assert!((MOST_FACTS..MOST_FACTS + 60_000).contains(&size), "{size}");
        let text = fs::read_to_string(path).unwrap();
        let last: Line = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        assert!(
            matches!(last, Line::Answer(answer) if answer.text.is_none() && answer.facts.tokens == 50_000)
        );
    }

    #[test]
    fn the_oldest_sessions_are_deleted_first() {
        let project = project();
        let sessions: Vec<_> = (0..4).map(|_| session()).collect();
        for (number, session) in sessions.iter().enumerate() {
            append(project.path(), session, recorded(&"x".repeat(1000))).unwrap();
            let age = Duration::from_secs(60 * 60 * 24 * (40 - 10 * number as u64));
            let file = fs::File::options().append(true).open(file(project.path(), session)).unwrap();
            file.set_modified(SystemTime::now() - age).unwrap();
        }
        fs::write(project.path().join(".ubp/sessions/notes.txt"), "x".repeat(5000)).unwrap();
        let left = |expected: &[usize]| {
            let is_left = |session: &Session| file(project.path(), session).exists();
            let left: Vec<usize> = (0..4).filter(|&number| is_left(&sessions[number])).collect();
            assert_eq!(left, expected);
        };
        left(&[0, 1, 2, 3]);
        delete_old(project.path(), SessionSettings { record: true, keep_days: 35 }).unwrap();
        left(&[1, 2, 3]);
        make_room(project.path(), 2800).unwrap();
        left(&[2, 3]);
        make_room(project.path(), 0).unwrap();
        left(&[3]);
        assert!(project.path().join(".ubp/sessions/notes.txt").exists());
    }
}
