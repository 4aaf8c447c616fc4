//! A memory as a page: front matter for its fields, text for its content. The text of a page is parsed before it is
//! written, so that recalling returns exactly what was remembered.

use crate::message::Message;
use jiff::Timestamp;

use super::body;
use super::fields::Fields;
use crate::message;
use crate::page::{LinkTypes, body_start, parse, plain_scalar, set_fields, with_body};
use crate::{Error, Result};

/// The content of a page.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Memory {
    pub fields: Fields,
    pub content: String,
    /// Each a piece of code, or a code block with its language.
    pub examples: Vec<String>,
}

/// Reads a page: `None` if it is not a memory; line and reason if it is not a valid one.
pub(crate) fn read(text: &str) -> Option<std::result::Result<Memory, (usize, Message)>> {
    let page = parse(text, &LinkTypes::default());
    if let Some(found) = page.diagnostics.iter().find(|found| found.code == "front_matter_syntax") {
        return Some(Err((found.line, found.message.clone())));
    }
    let fields = match Fields::of(&page.front_matter.fields)? {
        Ok(fields) => fields,
        Err(reason) => return Some(Err((1, reason))),
    };
    let rest = text.get(body_start(text)..).unwrap_or_default();
    let (content, examples) = match &fields.examples {
        None => body::read(rest, &fields.topic),
        Some(examples) => (body::read_all(rest, &fields.topic), examples.clone()),
    };
    Some(Ok(Memory { fields, content, examples }))
}

/// The text of a new page.
///
/// # Errors
/// [`Error::InvalidParams`] for a text that would not be read back unchanged.
pub(crate) fn new_page(memory: &Memory, id: &str, now: Timestamp) -> Result<String> {
    let time = seconds(now);
    let fields = &memory.fields;
    let mut front = format!("id: {id}\ntype: {}\n", fields.memory_type.as_str());
    let mut line = |key: &str, value: &str| front.push_str(&format!("{key}: {value}\n"));
    line("topic", &plain_scalar(&fields.topic, false));
    if body::heading(&fields.topic).is_none() {
        line("title", &plain_scalar(&fields.topic, false));
    }
    if !fields.tags.is_empty() {
        line("tags", &list(&fields.tags));
    }
    line("confidence", &number(fields.confidence));
    line("created_at", &time);
    line("updated_at", &time);
    if let Some(source) = &fields.source {
        line("source", &plain_scalar(source, false));
    }
    for (key, names) in [("supersedes", &fields.supersedes), ("conflicts_with", &fields.conflicts_with)] {
        if !names.is_empty() {
            line(key, &list(names));
        }
    }
    if let Some(end) = &fields.valid_until {
        line("valid_until", &plain_scalar(end, false));
    }
    let in_text = body::write(&fields.topic, &memory.content, &memory.examples);
    let page = format!("---\n{front}---\n\n{in_text}");
    if holds(&page, memory) {
        return Ok(page);
    }
    let alone = body::write(&fields.topic, &memory.content, &[]);
    let page = format!("---\n{front}examples: {}\n---\n\n{alone}", list(&memory.examples));
    if holds(&page, memory) { Ok(page) } else { Err(unfit(&fields.topic)) }
}

/// `text`, the page of `old`, edited to be the page of `new`; what both have in common is not rewritten.
/// `path` is used in errors only.
///
/// # Errors
/// [`Error::FrontMatter`] if that cannot be edited safely; [`Error::InvalidParams`] for a text that would
/// not be read back unchanged.
pub(crate) fn edited(path: &str, text: &str, old: &Memory, new: &Memory, now: Timestamp) -> Result<String> {
    if old == new {
        return Ok(text.to_owned());
    }
    let (was, is) = (&old.fields, &new.fields);
    let mut page = text.to_owned();
    let lists = [
        ("tags", &was.tags, &is.tags),
        ("aliases", &was.aliases, &is.aliases),
        ("merged", &was.merged, &is.merged),
        ("supersedes", &was.supersedes, &is.supersedes),
        ("conflicts_with", &was.conflicts_with, &is.conflicts_with),
    ];
    for (key, before, after) in lists {
        if before != after {
            page = with_line(path, &page, key, (!after.is_empty()).then(|| list(after)))?;
        }
    }
    if was.confidence.total_cmp(&is.confidence).is_ne() {
        page = with_line(path, &page, "confidence", Some(number(is.confidence)))?;
    }
    if was.source != is.source {
        page = match &is.source {
            Some(source) => set_fields(path, &page, &[("source", source)])?,
            None => with_line(path, &page, "source", None)?,
        };
    }
    if was.valid_until != is.valid_until {
        let end = is.valid_until.as_deref().map(|end| plain_scalar(end, false));
        page = with_line(path, &page, "valid_until", end)?;
    }
    page = set_fields(path, &page, &[("updated_at", &seconds(now))])?;
    if old.content == new.content && old.examples == new.examples {
        return proven(path, page, new);
    }
    let in_text = body::write(&is.topic, &new.content, &new.examples);
    let without = with_line(path, &with_body(&page, &in_text), "examples", None)?;
    if holds(&without, new) {
        return Ok(without);
    }
    let alone = body::write(&is.topic, &new.content, &[]);
    let beside = with_line(path, &with_body(&page, &alone), "examples", Some(list(&new.examples)))?;
    proven(path, beside, new)
}

fn proven(path: &str, page: String, memory: &Memory) -> Result<String> {
    if holds(&page, memory) {
        return Ok(page);
    }
    let message = message!("the memory would not be read back unchanged");
    Err(Error::FrontMatter { path: path.to_owned(), message })
}

fn unfit(topic: &str) -> Error {
    Error::invalid(message!("'{topic}' cannot be stored: its text would not be read back unchanged", topic))
}

/// Whether reading the page gives exactly `memory`.
fn holds(page: &str, memory: &Memory) -> bool {
    let Some(Ok(read)) = read(page) else { return false };
    let (found, wanted) = (&read.fields, &memory.fields);
    read.content == memory.content
        && read.examples == memory.examples
        && found.topic == wanted.topic
        && found.memory_type == wanted.memory_type
        && found.tags == wanted.tags
        && found.aliases == wanted.aliases
        && found.merged == wanted.merged
        && found.source == wanted.source
        && found.supersedes == wanted.supersedes
        && found.conflicts_with == wanted.conflicts_with
        && found.valid_until == wanted.valid_until
        && (found.confidence - wanted.confidence).abs() < 1e-9
}

/// The page with one line of front matter set or removed, for values that [`set_fields`] does not write.
fn with_line(path: &str, text: &str, key: &str, value: Option<String>) -> Result<String> {
    let refuse = |message: Message| Error::FrontMatter { path: path.to_owned(), message };
    let before = parse(text, &LinkTypes::default());
    let there = before.front_matter.get(key).is_some();
    if !there && value.is_none() {
        return Ok(text.to_owned());
    }
    let block = before.front_matter.range.clone();
    let source = text.get(block.clone()).unwrap_or_default();
    let lines: Vec<&str> = source.split_inclusive('\n').collect();
    let eol = if source.contains("\r\n") { "\r\n" } else { "\n" };
    let names = |line: &&str| line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(':'));
    let last = lines.len().saturating_sub(1);
    let (from, to) = match lines.iter().position(names) {
        Some(from) => {
            let goes_on = |line: &&&str| line.starts_with([' ', '\t', '-']) || line.trim().is_empty();
            let more = lines.iter().take(last).skip(from + 1).take_while(goes_on).count();
            (from, from + 1 + more)
        }
        None if there => return Err(refuse(message!("`{key}` uses YAML syntax that cannot be edited", key))),
        None => (last, last),
    };
    let line = value.map(|value| format!("{key}: {value}{eol}")).unwrap_or_default();
    let (head, tail) = (lines.get(..from).unwrap_or_default(), lines.get(to..).unwrap_or_default());
    let (start, end) =
        (text.get(..block.start).unwrap_or_default(), text.get(block.end..).unwrap_or_default());
    let edited = [start, &head.concat(), &line, &tail.concat(), end].concat();
    // Everything else has to be unchanged.
    let after = parse(&edited, &LinkTypes::default());
    let others = |page: &crate::page::Page| -> Vec<_> {
        page.front_matter.fields.iter().filter(|(name, _)| name != key).cloned().collect()
    };
    let rest = edited.get(after.front_matter.range.end..);
    let sound = !after.diagnostics.iter().any(|found| found.code == "front_matter_syntax");
    if !sound || others(&before) != others(&after) || rest != Some(end) {
        return Err(refuse(message!("setting `{key}` would change more than `{key}`", key)));
    }
    Ok(edited)
}

/// A list on one line.
fn list(items: &[String]) -> String {
    let items: Vec<String> = items.iter().map(|item| plain_scalar(item, true)).collect();
    format!("[{}]", items.join(", "))
}

fn number(number: f64) -> String {
    format!("{number:?}")
}

fn seconds(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
