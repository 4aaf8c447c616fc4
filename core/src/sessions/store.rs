//! Reading the files of sessions.

use std::collections::BTreeSet;

use jiff::{Span, Timestamp};
use serde::Deserialize;

use super::{Beginning, Line, Part, PartKind, Recorded, SessionFields};
use crate::hint::Next;
use crate::message;
use crate::path::{session_file, session_of_file};
use crate::{Context, Error, Result};

/// An answer without what only its own page shows, to read many fast.
#[derive(Deserialize)]
struct Counted {
    at: String,
    tokens: usize,
    error: Option<String>,
    given: Vec<Part>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum CountedLine {
    Session(Beginning),
    Answer(Counted),
}

/// A session, with the pages of which it got text.
pub(crate) struct Kept {
    pub fields: SessionFields,
    pub pages: BTreeSet<String>,
}

impl Kept {
    fn begin(id: &str, beginning: Beginning) -> Self {
        let Beginning { agent, started_at } = beginning;
        let fields = SessionFields {
            session: id.to_owned(),
            agent,
            last_at: started_at.clone(),
            started_at,
            answer_count: 0,
            error_count: 0,
            tokens: 0,
            page_count: 0,
        };
        Self { fields, pages: BTreeSet::new() }
    }

    fn add(&mut self, answer: Counted) {
        self.fields.last_at = answer.at;
        self.fields.answer_count += 1;
        self.fields.error_count += usize::from(answer.error.is_some());
        self.fields.tokens = self.fields.tokens.saturating_add(answer.tokens);
        let texts = answer.given.into_iter().filter(|part| part.kind == PartKind::Text);
        self.pages.extend(texts.map(|part| part.filepath));
        self.fields.page_count = self.pages.len();
    }
}

/// The sessions that are not older than the project keeps them, latest first.
///
/// # Errors
/// [`Error::Io`].
pub(crate) fn read_all(context: &Context<'_>) -> Result<Vec<Kept>> {
    let mut sessions = read_beginning_with(context, "")?;
    drop_expired(context, &mut sessions);
    sessions.sort_by(|a, b| {
        let key =
            |kept: &Kept| (kept.fields.started_at.parse::<Timestamp>().ok(), kept.fields.session.clone());
        key(b).cmp(&key(a))
    });
    Ok(sessions)
}

/// The sessions whose ids begin with `name`, also those that are older than the project keeps them. A file that cannot
/// be read hides no other.
///
/// # Errors
/// [`Error::Io`].
pub(crate) fn read_beginning_with(context: &Context<'_>, name: &str) -> Result<Vec<Kept>> {
    let read = |id: &String| read_counted(context, id).ok().flatten();
    Ok(ids_beginning_with(context, name)?.iter().filter_map(read).collect())
}

/// The ids of the files of sessions that begin with `name`.
fn ids_beginning_with(context: &Context<'_>, name: &str) -> Result<Vec<String>> {
    let names = context.source.session_files()?;
    let ids = names.iter().filter_map(|file| session_of_file(file));
    Ok(ids.filter(|id| id.starts_with(name)).map(str::to_owned).collect())
}

/// Removes the sessions that are older than the project keeps them.
fn drop_expired(context: &Context<'_>, sessions: &mut Vec<Kept>) {
    let days = i64::from(context.manifest.sessions.keep_days);
    let oldest = context.clock.now().checked_sub(Span::new().hours(24 * days)).unwrap_or(Timestamp::MIN);
    sessions.retain(|kept| kept.fields.last_at.parse::<Timestamp>().is_ok_and(|last| last >= oldest));
}

/// `None` if the file has no first line.
fn read_counted(context: &Context<'_>, id: &str) -> Result<Option<Kept>> {
    let mut kept: Option<Kept> = None;
    context.source.state_lines(&session_file(id), &mut |line| match serde_json::from_slice(line) {
        Ok(CountedLine::Session(beginning)) if kept.is_none() => kept = Some(Kept::begin(id, beginning)),
        Ok(CountedLine::Answer(answer)) => {
            if let Some(kept) = &mut kept {
                kept.add(answer);
            }
        }
        // Also the beginning of a line whose writer was killed.
        _ => {}
    })?;
    Ok(kept)
}

/// The session whose id begins with `name`.
///
/// # Errors
/// [`Error::InvalidParams`] if there is none or more than one; [`Error::Io`].
pub(crate) fn find(context: &Context<'_>, name: &str) -> Result<Kept> {
    let mut found = read_beginning_with(context, &beginning(name))?;
    drop_expired(context, &mut found);
    the_only(found, name)
}

/// The id of the session whose id begins with `name`, whatever is in its file.
///
/// # Errors
/// As [`find`].
pub(crate) fn find_id(context: &Context<'_>, name: &str) -> Result<String> {
    the_only(ids_beginning_with(context, &beginning(name))?, name)
}

fn beginning(name: &str) -> String {
    name.trim().to_ascii_lowercase()
}

fn the_only<T>(mut found: Vec<T>, name: &str) -> Result<T> {
    let name = beginning(name);
    match (found.pop().filter(|_| !name.is_empty()), found.len()) {
        (Some(one), 0) => Ok(one),
        (Some(_), others) => Err(Error::invalid(message!(
            "{count} sessions begin with '{name}'; give more of the id",
            count = others + 1,
            name
        ))),
        (None, _) => Err(Error::invalid_with_hint(
            message!("unknown session '{name}'", name),
            message!("{command} lists them", command = Next::call("list_sessions")),
        )),
    }
}

/// Calls `look` with the number and record of each answer of a session.
///
/// # Errors
/// [`Error::Io`].
pub(crate) fn read_one(context: &Context<'_>, id: &str, look: &mut dyn FnMut(usize, Recorded)) -> Result<()> {
    let mut number = 0;
    context.source.state_lines(&session_file(id), &mut |line| {
        if let Ok(Line::Answer(recorded)) = serde_json::from_slice(line) {
            number += 1;
            look(number, *recorded);
        }
    })?;
    Ok(())
}
