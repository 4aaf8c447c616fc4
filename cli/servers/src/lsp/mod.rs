//! The language server: editors complete, follow, check and rename links with it while people type. It serves every project
//! whose files are open, over standard input and output; the viewer serves its own project over a WebSocket.
//!
//! **Invariants**
//! - Unsaved text counts, and never enters the index (`tests/tests/lsp`).
//! - After any sequence of changes, the text is the same as if all of it had been sent (`tests/tests/lsp`: random edits in
//!   each encoding).
//! - Every request is answered exactly once, also if it is cancelled, malformed, or fails (`tests/tests/lsp`).
//! - Nothing is written except by a command or a request of the client (`tests/tests/lsp`).

use std::io::{BufReader, Read, Write};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use ubp_core::message::Language;
use ubp_core::progress::Cancel;
use ubp_core::{Error, Result};
use ubp_host::Environment;
use ubp_host::live::ParentWatch;

mod actions;
mod call;
mod capabilities;
mod client;
mod code;
mod commands;
mod completion;
mod diagnostics;
mod documents;
mod edits;
mod frames;
mod hierarchy;
mod hover;
mod lenses;
mod navigation;
mod position;
mod projects;
mod renaming;
mod requests;
mod server;
mod socket;
mod structure;
mod symbols;
mod tokens;
mod uri;
mod watching;

pub(crate) use socket::connect;
pub(crate) use uri::path_of;

/// How long the end waits for messages that are not written yet.
const FAREWELL: Duration = Duration::from_secs(1);

/// Options of a language server.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Whether nothing is ever written.
    pub read_only: bool,
    /// Languages other than English that messages can have.
    pub languages: Vec<Language>,
}

/// Serves an editor until it asks the server to exit, or closes the stream. Returns whether it ended as the protocol says:
/// after `shutdown`.
///
/// # Errors
/// [`Error::Internal`] if no thread can be started.
pub fn serve(
    options: Options,
    input: Box<dyn Read + Send>,
    mut output: Box<dyn Write + Send>,
    messages: &crate::Messages,
    environment: &Environment,
    cancel: &Cancel,
) -> Result<bool> {
    let (out, outgoing) = mpsc::channel();
    let writer = std::thread::Builder::new().name("ubp-lsp-writer".into()).spawn(move || {
        for message in outgoing {
            if frames::write(&mut output, &message).is_err() {
                break;
            }
        }
    });
    let writer = writer.map_err(|error| Error::Internal(format!("cannot start a thread: {error}")))?;
    let orphaned = cancel.clone();
    let _parent = ParentWatch::start(move || orphaned.request());
    // Once the stream is closed, there is nobody to tell.
    let client = client::Client::new(Box::new(move |message| drop(out.send(message))));
    let projects = projects::Projects::new(environment.clone(), messages.notices());
    let server = server::Server::new(options, client, projects);
    let ended = server::run(&server, &server::reading(BufReader::new(input))?, cancel);
    server.stop();
    drop(server);
    // Threads that are still busy hold the stream; the process does not wait for them.
    let begun = Instant::now();
    while !writer.is_finished() && begun.elapsed() < FAREWELL {
        std::thread::sleep(Duration::from_millis(2));
    }
    ended
}
