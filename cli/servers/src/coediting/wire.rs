//! The messages between a window and the server, in JSON.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::authority::Update;

/// What a window says.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Said {
    /// The first message: it shows a page for editing. With `epoch` and `version`, it goes on with a session.
    Join {
        page: String,
        /// The window, as long as the page is open in it.
        client: String,
        #[serde(default)]
        name: String,
        /// The browser's window, for as long as it exists.
        #[serde(default)]
        window: String,
        #[serde(default)]
        epoch: Option<String>,
        #[serde(default)]
        version: u64,
    },
    /// Changes for a version.
    Push { version: u64, updates: Vec<Value> },
    /// Where the cursor is, in the text of a version.
    Cursor { version: u64, anchor: u32, head: u32 },
    /// What is at the top of the window, in the text of a version.
    View { version: u64, top: u32 },
    /// Asks for the text to be saved at once.
    Save,
    /// The name that others see.
    Name { name: String },
}

/// What the server says.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Told<'a> {
    /// Nobody else is here: the window saves the page itself.
    Alone,
    /// Several windows have the page: this is its text. `saved` is the version that the file has.
    Share { epoch: &'a str, version: u64, text: &'a str, saved: u64, hash: &'a str },
    /// The session goes on after a pause. The changes since follow.
    Resumed { saved: u64, hash: &'a str },
    /// Changes, the first of which was made to `version`.
    Updates { version: u64, updates: Vec<Change<'a>> },
    /// The file has the text of this version.
    Saved { version: u64, hash: &'a str },
    /// The file cannot be written.
    Trouble { message: &'a str },
    /// Who has the page open.
    Here { you: u64, members: Vec<Member<'a>> },
    /// Where the cursor of another window is.
    Cursor { id: u64, version: u64, anchor: u32, head: u32 },
    /// What is at the top of another window.
    View { id: u64, version: u64, top: u32 },
    /// A window left the page for another one.
    Went { id: u64, page: &'a str },
    /// The last change of the file was made by an agent.
    By { name: &'a str, version: u64 },
    /// The page has another path.
    Moved { page: &'a str },
    /// The session is over: each window saves the page itself.
    Ended,
    /// A message was refused.
    Refused { code: &'a str, message: &'a str },
}

#[derive(Debug, Serialize)]
pub(super) struct Change<'a> {
    client: &'a str,
    changes: Value,
}

impl<'a> From<&'a Update> for Change<'a> {
    fn from(update: &'a Update) -> Self {
        Self { client: &update.client, changes: update.changes.json() }
    }
}

/// A window that has the page open.
#[derive(Debug, Serialize)]
pub(super) struct Member<'a> {
    pub id: u64,
    /// Empty if nobody chose one.
    pub name: &'a str,
    /// The lowest number that was free, from 1.
    pub number: usize,
    pub client: &'a str,
    pub window: &'a str,
}

impl Told<'_> {
    pub(super) fn text(&self) -> String {
        // Everything in it can be JSON.
        serde_json::to_string(self).unwrap_or_default()
    }
}
