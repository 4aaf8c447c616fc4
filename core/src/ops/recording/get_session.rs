//! The timeline of a session: what an agent asked, and which parts of pages each answer had and left out.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::hint::Next;
use crate::message;
use crate::message::Message;
use crate::ops::{Facts, budget};
use crate::sessions::{
    AnswerFacts, AnswerFields, Limit, OmittedPart, Part, PartKind, SessionFields, find, read_one,
};
use crate::show::{Page, Span, counted, to_the_second};
use crate::{Context, Result};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::reading("Show what an agent asked in a session, and which sections it was given.")
        .quoting_pages()
        .command("sessions")
        .arguments(&["session"]);

/// Default number of answers.
const DEFAULT_LIMIT: usize = 100;

/// Parts of an answer that are shown as text.
const SHOWN_PARTS: usize = 12;

/// Characters of the parameters that are shown as text.
const SHOWN_PARAMS: usize = 120;

/// The session.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Its id, or the beginning of it.
    pub session: String,
    /// Only answers before this one, by its number.
    pub before: Option<usize>,
    /// Maximum number of answers, the latest ones (1 to 1000, default: 100).
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<usize>,
}

/// The session with its answers.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Its facts.
    #[serde(flatten)]
    pub fields: SessionFields,
    /// Its answers, in order.
    pub answers: Vec<AnswerFields>,
}

/// Shows the session.
///
/// # Errors
/// [`crate::Error::InvalidParams`] for an unknown session and a limit out of range; [`crate::Error::Io`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let limit = budget::ranged("limit", params.limit, DEFAULT_LIMIT, 1, 1000)?;
    let fields = find(context, &params.session)?.fields;
    let end = params.before.unwrap_or(usize::MAX).min(fields.answer_count + 1);
    let first = end.saturating_sub(limit);
    let mut answers = Vec::new();
    read_one(context, &fields.session, &mut |number, recorded| {
        if (first..end).contains(&number) {
            answers.push(AnswerFields { number, facts: recorded.facts });
        }
    })?;
    Ok(Output { fields, answers })
}

/// Shows the answers, each with its parts.
pub fn show(output: &Output, page: &mut dyn Page) {
    let SessionFields { session, agent, started_at, answer_count, tokens, .. } = &output.fields;
    page.heading(&[
        Span::Code(session),
        Span::Text("  "),
        Span::Label(agent.as_deref().unwrap_or_default()),
        Span::faint(&message!(
            "  since {time}, {answers}, {tokens} tokens",
            time = to_the_second(started_at),
            answers = counted(*answer_count, "answer", "answers"),
            tokens = *tokens
        )),
    ]);
    for answer in &output.answers {
        show_answer(answer, page);
    }
    if output.answers.len() < *answer_count {
        page.note(&[Span::said(&message!(
            "{shown} of {total} answers; `before` and a higher limit show more",
            shown = output.answers.len(),
            total = *answer_count
        ))]);
    }
    if let Some(last) = output.answers.last() {
        let next = Next::call("get_answer").with("session", session.as_str()).with("answer", last.number);
        page.hint(&[Span::said(&message!("{command} shows an answer as the agent got it", command = next))]);
    }
}

/// Shows one answer without its text.
pub(crate) fn show_answer(answer: &AnswerFields, page: &mut dyn Page) {
    let AnswerFields { number, facts } = answer;
    let AnswerFacts { at, tool, params, milliseconds, tokens, error, given, omitted } = facts;
    let time = to_the_second(at);
    let time = time.split_once('T').map_or(time.as_str(), |(_, time)| time.trim_end_matches('Z'));
    let (number, time) = (format!("{number}  "), format!("{time}  "));
    let took =
        message!("  {tokens} tokens, {milliseconds} ms", tokens = *tokens, milliseconds = *milliseconds);
    let failed = error.as_ref().map(|code| format!("  {code}"));
    let mut line = vec![Span::Strong(&number), Span::Faint(&time), Span::Code(tool), Span::faint(&took)];
    line.extend(failed.as_deref().map(Span::Alarm));
    page.gap();
    page.line(&line);
    let params = short(params);
    if !params.is_empty() {
        page.detail(&[Span::Words(&params)]);
    }
    show_parts(given, page);
    show_omitted(omitted, page);
}

/// Shows the parts of an answer.
pub(crate) fn show_parts(given: &[Part], page: &mut dyn Page) {
    let (texts, others): (Vec<&Part>, Vec<&Part>) =
        given.iter().partition(|part| part.kind == PartKind::Text);
    for part in texts.iter().take(SHOWN_PARTS) {
        show_part(&part.filepath, part.lines, part.heading.as_deref(), &tokens_of(part.tokens), page);
    }
    if texts.len() > SHOWN_PARTS {
        let more = counted(texts.len() - SHOWN_PARTS, "more section", "more sections");
        page.detail(&[Span::faint(&more)]);
    }
    if !others.is_empty() {
        let pages = counted(others.len(), "page", "pages");
        page.detail(&[Span::faint(&message!("{pages} only named or linked", pages))]);
    }
}

/// Shows the parts with text that an answer left out, each with the reason.
pub(crate) fn show_omitted(omitted: &[OmittedPart], page: &mut dyn Page) {
    let texts: Vec<&OmittedPart> = omitted.iter().filter(|part| part.kind == PartKind::Text).collect();
    for part in texts.iter().take(SHOWN_PARTS) {
        show_part(&part.filepath, part.lines, part.heading.as_deref(), &why(part), page);
    }
    if texts.len() > SHOWN_PARTS {
        let count = texts.len() - SHOWN_PARTS;
        let more = counted(count, "more section left out or cut", "more sections left out or cut");
        page.detail(&[Span::faint(&more)]);
    }
}

fn tokens_of(tokens: usize) -> Message {
    counted(tokens, "token", "tokens")
}

/// Why a part is missing.
fn why(part: &OmittedPart) -> Message {
    let limit = match part.reason {
        Limit::MaxTokens => "max_tokens",
        Limit::MaxSize => "max_size",
    };
    let tokens = tokens_of(part.tokens);
    match part.cut {
        true => message!("its last {tokens} cut to fit {limit}", tokens, limit),
        false => message!("left out to fit {limit}: {tokens}", tokens, limit),
    }
}

fn show_part(
    filepath: &str,
    lines: Option<[usize; 2]>,
    heading: Option<&str>,
    told: &Message,
    page: &mut dyn Page,
) {
    let place = match lines {
        Some([first, _]) => Span::Place(filepath, first),
        None => Span::Path(filepath),
    };
    let words = heading.unwrap_or_default();
    let gap = if words.is_empty() { "" } else { "  " };
    page.detail(&[place, Span::Text(gap), Span::Words(words), Span::Text("  "), Span::faint(told)]);
}

fn short(params: &Value) -> String {
    let words = match params {
        Value::Object(members) if members.is_empty() => return String::new(),
        Value::Null => return String::new(),
        other => other.to_string(),
    };
    match words.char_indices().nth(SHOWN_PARAMS) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}
