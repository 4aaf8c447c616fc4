//! One process for all windows: a second start hands its arguments to the first one and ends.
//!
//! The first process holds a lock, and listens on a port of this machine that only it knows. A file that only the user can read
//! has the port and a secret; whoever connects has to send it.
//!
//! **Invariants**, tested below
//! - Without the secret, nothing that is sent has an effect.
//! - A first process that was killed holds nobody up.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use ubp_host::file_lock::FileLock;

/// How long a second start waits for the first one.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long the first process waits for a message that somebody began.
const SLOWEST: Duration = Duration::from_secs(5);

/// Limit on the bytes of a message.
const LONGEST: u64 = 256 * 1024;

/// What a start was asked to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// Folders, files and links.
    pub arguments: Vec<String>,
    /// The folder that relative paths are relative to.
    pub here: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Message {
    secret: String,
    start: Start,
}

/// Where the first process listens.
#[derive(Serialize, Deserialize)]
struct Place {
    port: u16,
    secret: String,
}

/// What a start turns out to be.
pub enum Role {
    /// The first one, which listens for others.
    First(Listening),
    /// Another process has taken the arguments.
    HandedOver,
    /// The folder has no locks, or the first process does not answer: this one works alone.
    Alone,
}

/// The first process.
pub struct Listening {
    listener: TcpListener,
    secret: String,
    place: PathBuf,
    _lock: FileLock,
}

/// Finds out whether another process is there, and gives it `start`.
pub fn begin(folder: &Path, start: &Start) -> Role {
    let place = folder.join("desktop.place");
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        let _ = fs::create_dir_all(folder);
        match FileLock::take(&folder.join("desktop.lock"), Duration::ZERO) {
            Ok(Some(lock)) => return listen(place, lock).map_or(Role::Alone, Role::First),
            // Between its lock and its file, the first process is not yet listening.
            Ok(None) if hand_over(&place, start).is_ok() => return Role::HandedOver,
            Ok(None) => std::thread::sleep(Duration::from_millis(50)),
            Err(_) => return Role::Alone,
        }
    }
    Role::Alone
}

fn listen(place: PathBuf, lock: FileLock) -> io::Result<Listening> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    let secret: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let text = serde_json::to_vec(&Place { port: listener.local_addr()?.port(), secret: secret.clone() })?;
    // A new file, because an old one may have other rights.
    let _ = fs::remove_file(&place);
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(&place)?.write_all(&text)?;
    Ok(Listening { listener, secret, place, _lock: lock })
}

fn hand_over(place: &Path, start: &Start) -> io::Result<()> {
    let Place { port, secret } = serde_json::from_slice(&fs::read(place)?)?;
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_read_timeout(Some(SLOWEST))?;
    let mut line = serde_json::to_vec(&Message { secret, start: start.clone() })?;
    line.push(b'\n');
    stream.write_all(&line)?;
    let mut answer = [0; 2];
    stream.read_exact(&mut answer)?;
    if &answer == b"ok" { Ok(()) } else { Err(io::ErrorKind::InvalidData.into()) }
}

impl Listening {
    /// Calls `act` for every later start, on a thread of its own.
    pub fn serve(self, act: impl Fn(Start) + Send + 'static) {
        std::thread::spawn(move || {
            for stream in self.listener.incoming().flatten() {
                if let Some(start) = self.heard(&stream) {
                    let _ = (&stream).write_all(b"ok");
                    act(start);
                }
            }
        });
    }

    fn heard(&self, stream: &TcpStream) -> Option<Start> {
        stream.set_read_timeout(Some(SLOWEST)).ok()?;
        let mut line = Vec::new();
        BufReader::new(stream.take(LONGEST)).read_until(b'\n', &mut line).ok()?;
        let Message { secret, start } = serde_json::from_slice(&line).ok()?;
        is_same(&secret, &self.secret).then_some(start)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.place);
    }
}

/// Takes the same time wherever the texts differ.
fn is_same(one: &str, other: &str) -> bool {
    let differ = one.bytes().zip(other.bytes()).fold(0, |differ, (a, b)| differ | (a ^ b));
    one.len() == other.len() && differ == 0
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    fn start(argument: &str) -> Start {
        Start { arguments: vec![argument.into()], here: "/".into() }
    }

    #[test]
    fn a_second_start_hands_its_arguments_over() {
        let folder = tempfile::tempdir().unwrap();
        let Role::First(first) = begin(folder.path(), &start("a")) else { panic!() };
        let (sender, receiver) = mpsc::channel();
        first.serve(move |start| sender.send(start).unwrap());
        assert!(matches!(begin(folder.path(), &start("日本 b.md")), Role::HandedOver));
        assert_eq!(receiver.recv_timeout(PATIENCE).unwrap(), start("日本 b.md"));
    }

    #[cfg(unix)]
    #[test]
    fn only_the_user_can_read_the_secret() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("desktop.place");
        fs::write(&place, "left by a process that was killed").unwrap();
        let Role::First(_first) = begin(folder.path(), &start("a")) else { panic!() };
        assert_eq!(fs::metadata(place).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn what_comes_without_the_secret_has_no_effect() {
        let folder = tempfile::tempdir().unwrap();
        let Role::First(first) = begin(folder.path(), &start("a")) else { panic!() };
        let port = first.listener.local_addr().unwrap().port();
        let (sender, receiver) = mpsc::channel();
        first.serve(move |start| sender.send(start).unwrap());
        let forged = Message { secret: "0".repeat(64), start: start("b") };
        for line in [
            serde_json::to_string(&forged).unwrap(),
            "GET / HTTP/1.1\r\nHost: a\r\n\r".into(),
            "\0".repeat(9000),
            String::new(),
        ] {
            let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
            stream.write_all(format!("{line}\n").as_bytes()).unwrap();
            let mut answer = Vec::new();
            let _ = stream.read_to_end(&mut answer);
            assert!(answer.is_empty());
        }
        assert!(receiver.try_recv().is_err());
        assert!(matches!(begin(folder.path(), &start("c")), Role::HandedOver), "it still listens");
    }

    #[test]
    fn a_place_that_nobody_listens_at_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("desktop.place"), r#"{"port": 1, "secret": "x"}"#).unwrap();
        fs::write(folder.path().join("desktop.lock"), "").unwrap();
        assert!(matches!(begin(folder.path(), &start("a")), Role::First(_)));
    }
}
