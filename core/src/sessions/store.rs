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
    #[serde(default)]
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
    let now = context.clock.now();
    let days = i64::from(context.manifest.sessions.keep_days);
    let oldest = now.checked_sub(Span::new().hours(24 * days)).unwrap_or(Timestamp::MIN);
    let mut sessions = Vec::new();
    for name in context.source.session_files()? {
        let Some(id) = session_of_file(&name) else { continue };
        let kept = read_counted(context, &name, id)?;
        sessions.extend(
            kept.filter(|kept| kept.fields.last_at.parse::<Timestamp>().is_ok_and(|last| last >= oldest)),
        );
    }
    sessions.sort_by(|a, b| {
        let key =
            |kept: &Kept| (kept.fields.started_at.parse::<Timestamp>().ok(), kept.fields.session.clone());
        key(b).cmp(&key(a))
    });
    Ok(sessions)
}

/// `None` if the file has no first line.
fn read_counted(context: &Context<'_>, name: &str, id: &str) -> Result<Option<Kept>> {
    let mut kept: Option<Kept> = None;
    context.source.state_lines(name, &mut |line| match serde_json::from_slice(line) {
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
    let name = name.trim().to_ascii_lowercase();
    let mut found = read_all(context)?;
    found.retain(|kept| !name.is_empty() && kept.fields.session.starts_with(&name));
    match (found.pop(), found.len()) {
        (Some(kept), 0) => Ok(kept),
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
