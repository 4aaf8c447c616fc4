//! Downloads a file from a hub: checks redirects, resumes earlier attempts, and keeps the file only if its checksum is
//! right.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};
use ubp_core::message;
use ubp_core::message::Message;
use ubp_core::progress::Cancel;

use super::hex;

mod exchange;
#[cfg(test)]
mod hub_server;
#[cfg(test)]
mod tests;

use exchange::Head;
pub(crate) use exchange::{Route, is_allowed};

/// How often cancellation is polled.
const PATIENCE: Duration = Duration::from_millis(100);
/// Limit on attempts; each must make progress.
const ATTEMPTS: u32 = 4;

/// A file to download.
pub(super) struct Order<'a> {
    /// Its address.
    pub url: String,
    /// Destination. The unfinished file is beside it, with the suffix `.part`.
    pub target: &'a Path,
    /// Its checksum, if known.
    pub sha256: Option<&'a str>,
    /// Limit on its bytes.
    pub limit: u64,
}

/// Why a download failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// Cancelled; the part is kept.
    Cancelled,
    /// The hub is unreachable, or the connection broke; the part is kept.
    Connection { reason: Message, kept: u64 },
    /// The hub returned an error status.
    Status(u16),
    /// A redirect to an address that is not allowed.
    Insecure(String),
    /// The checksum is wrong; the file was removed.
    Checksum { expected: String, found: String },
    /// The file is too large; it was removed.
    TooLarge,
    /// An I/O error on this machine.
    Disk(PathBuf, io::Error),
}

/// Events of the thread that communicates with the hub.
enum Event {
    Head(Head),
    Data(Vec<u8>),
    End,
    Failed(Failure),
}

/// Downloads a file and returns its SHA-256. `progress` gets the bytes so far, and the length if known.
pub(super) fn fetch(
    order: &Order<'_>,
    route: &Route,
    cancel: &Cancel,
    progress: &dyn Fn(u64, Option<u64>),
) -> Result<String, Failure> {
    let mut attempt = 1;
    loop {
        let mut part = Part::open(order.target, cancel)?;
        let before = part.length;
        let failure = match attempt_once(order, route, cancel, progress, &mut part) {
            Ok(()) => return part.keep(order),
            Err(Failure::TooLarge) => {
                part.discard();
                return Err(Failure::TooLarge);
            }
            Err(failure) => failure,
        };
        if part.length == 0 {
            part.discard();
        }
        if !matches!(failure, Failure::Connection { .. }) {
            return Err(failure);
        }
        // Retry after a connection that made progress, not for an unreachable hub.
        if part.length <= before || attempt == ATTEMPTS {
            return Err(failure);
        }
        pause(Duration::from_millis(100) * attempt * attempt, cancel)?;
        attempt += 1;
    }
}

fn pause(time: Duration, cancel: &Cancel) -> Result<(), Failure> {
    let end = Instant::now() + time;
    while Instant::now() < end {
        if cancel.is_requested() {
            return Err(Failure::Cancelled);
        }
        std::thread::sleep(PATIENCE.min(time));
    }
    Ok(())
}

fn attempt_once(
    order: &Order<'_>,
    route: &Route,
    cancel: &Cancel,
    progress: &dyn Fn(u64, Option<u64>),
    part: &mut Part,
) -> Result<(), Failure> {
    let mut from = if part.tag.is_some() { part.length } else { 0 };
    let (head, events) = loop {
        let events = begin(order.url.clone(), from, route.clone())?;
        let Event::Head(head) = next(&events, cancel, part.length)? else {
            return Err(part.broken(message!("the hub closed the connection")));
        };
        let same = from > 0 && head.tag.is_some() && head.tag == part.tag;
        match head.status {
            206 if same && head.start == from => break (head, events),
            416 if same && head.total == Some(from) => return expected(order, &head, part),
            // The file has changed, or the range is not the requested one.
            206 | 416 if from > 0 => {
                part.restart()?;
                from = 0;
            }
            200 => {
                part.restart()?;
                break (head, events);
            }
            status => return Err(Failure::Status(status)),
        }
    };
    expected(order, &head, part)?;
    if head.total.is_some_and(|total| total > order.limit) {
        return Err(Failure::TooLarge);
    }
    part.remember(&head)?;
    loop {
        progress(part.length, head.total);
        match next(&events, cancel, part.length)? {
            Event::Data(bytes) => part.append(&bytes, order.limit)?,
            Event::End if head.total.is_none_or(|total| total == part.length) => return Ok(()),
            Event::End | Event::Head(_) => {
                return Err(part.broken(message!("the hub closed the connection too early")));
            }
            Event::Failed(failure) => return Err(failure),
        }
    }
}

/// Determines the expected checksum before the download.
fn expected(order: &Order<'_>, head: &Head, part: &mut Part) -> Result<(), Failure> {
    if let (Some(known), Some(offered)) = (order.sha256, &head.sha256)
        && known != offered
    {
        part.discard();
        return Err(Failure::Checksum { expected: known.into(), found: offered.clone() });
    }
    part.expected = order.sha256.map(Into::into).or_else(|| head.sha256.clone());
    Ok(())
}

/// Starts a thread for the request, so that an unresponsive hub does not block Ctrl-C.
fn begin(url: String, from: u64, route: Route) -> Result<Receiver<Event>, Failure> {
    let (sender, receiver) = sync_channel(4);
    std::thread::Builder::new()
        .name("download".into())
        .spawn(move || talk(&url, from, &route, &sender))
        .map_err(|error| Failure::Connection { reason: message!("{error}", error), kept: 0 })?;
    Ok(receiver)
}

fn talk(url: &str, from: u64, route: &Route, sender: &SyncSender<Event>) {
    let (head, mut body) = match exchange::get(url, from, route) {
        Ok(answer) => answer,
        Err(failure) => {
            // After cancellation there is no receiver.
            let _ = sender.send(Event::Failed(failure));
            return;
        }
    };
    if sender.send(Event::Head(head)).is_err() {
        return;
    }
    loop {
        let mut buffer = vec![0; 1 << 16];
        let event = match body.read(&mut buffer) {
            Ok(0) => Event::End,
            Ok(count) => {
                buffer.truncate(count);
                Event::Data(buffer)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Event::Failed(Failure::Connection { reason: message!("{error}", error), kept: 0 }),
        };
        let last = !matches!(event, Event::Data(_));
        if sender.send(event).is_err() || last {
            return;
        }
    }
}

fn next(events: &Receiver<Event>, cancel: &Cancel, kept: u64) -> Result<Event, Failure> {
    loop {
        if cancel.is_requested() {
            return Err(Failure::Cancelled);
        }
        match events.recv_timeout(PATIENCE) {
            Ok(Event::Failed(Failure::Connection { reason, .. })) => {
                return Err(Failure::Connection { reason, kept });
            }
            Ok(Event::Failed(failure)) => return Err(failure),
            Ok(event) => return Ok(event),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failure::Connection { reason: message!("the download ended"), kept });
            }
        }
    }
}

/// The unfinished file, and the ETag of the file on the hub.
struct Part {
    path: PathBuf,
    tag_path: PathBuf,
    file: File,
    length: u64,
    hash: Sha256,
    tag: Option<String>,
    expected: Option<String>,
}

impl Part {
    fn open(target: &Path, cancel: &Cancel) -> Result<Self, Failure> {
        let beside = |ending: &str| {
            let mut name = target.as_os_str().to_owned();
            name.push(ending);
            PathBuf::from(name)
        };
        let (path, tag_path) = (beside(".part"), beside(".part.tag"));
        let disk = |error| Failure::Disk(path.clone(), error);
        let mut options = OpenOptions::new();
        let mut file =
            options.read(true).write(true).create(true).truncate(false).open(&path).map_err(disk)?;
        let mut hash = Sha256::new();
        let mut length = 0;
        let mut buffer = vec![0; 1 << 20];
        loop {
            if cancel.is_requested() {
                return Err(Failure::Cancelled);
            }
            let count = file.read(&mut buffer).map_err(disk)?;
            if count == 0 {
                break;
            }
            hash.update(buffer.get(..count).unwrap_or_default());
            length += count as u64;
        }
        let tag = fs::read_to_string(&tag_path).ok().filter(|tag| !tag.is_empty());
        Ok(Self { path, tag_path, file, length, hash, tag, expected: None })
    }

    fn broken(&self, reason: Message) -> Failure {
        Failure::Connection { reason, kept: self.length }
    }

    fn disk(&self, error: io::Error) -> Failure {
        Failure::Disk(self.path.clone(), error)
    }

    fn restart(&mut self) -> Result<(), Failure> {
        let _ = fs::remove_file(&self.tag_path);
        self.file.set_len(0).map_err(|error| self.disk(error))?;
        self.file = OpenOptions::new().write(true).open(&self.path).map_err(|error| self.disk(error))?;
        self.length = 0;
        self.hash = Sha256::new();
        self.tag = None;
        Ok(())
    }

    fn remember(&mut self, head: &Head) -> Result<(), Failure> {
        self.tag = head.tag.clone();
        let tag = head.tag.as_deref().unwrap_or_default();
        fs::write(&self.tag_path, tag).map_err(|error| Failure::Disk(self.tag_path.clone(), error))
    }

    fn append(&mut self, bytes: &[u8], limit: u64) -> Result<(), Failure> {
        if self.length + bytes.len() as u64 > limit {
            return Err(Failure::TooLarge);
        }
        self.file.write_all(bytes).map_err(|error| self.disk(error))?;
        self.hash.update(bytes);
        self.length += bytes.len() as u64;
        Ok(())
    }

    fn discard(&self) {
        let _ = fs::remove_file(&self.path);
        let _ = fs::remove_file(&self.tag_path);
    }

    /// Renames the finished file if its checksum is right.
    fn keep(self, order: &Order<'_>) -> Result<String, Failure> {
        let sha256 = hex(&self.hash.clone().finalize());
        if let Some(expected) = self.expected.clone()
            && expected != sha256
        {
            self.discard();
            return Err(Failure::Checksum { expected, found: sha256 });
        }
        self.file.sync_all().map_err(|error| self.disk(error))?;
        let (path, tag_path) = (self.path.clone(), self.tag_path.clone());
        drop(self);
        fs::rename(&path, order.target).map_err(|error| Failure::Disk(path, error))?;
        let _ = fs::remove_file(tag_path);
        Ok(sha256)
    }
}
