//! Sets front-matter fields without rewriting the page: only the bytes of a value are replaced,
//! or a line is added, and the result is parsed again to verify that nothing else changed.

#[cfg(not(target_family = "wasm"))]
mod event;
#[cfg(not(target_family = "wasm"))]
mod list;
mod scalar;
#[cfg(not(target_family = "wasm"))]
mod scalars;
mod site;
#[cfg(not(target_family = "wasm"))]
mod texts;

#[cfg(not(target_family = "wasm"))]
pub(crate) use event::put_event;
#[cfg(not(target_family = "wasm"))]
pub(crate) use list::add_to_list;
#[cfg(not(target_family = "wasm"))]
pub(crate) use scalars::{Replacement, fill_scalars};
#[cfg(not(target_family = "wasm"))]
pub(crate) use texts::{FrontText, front_texts};

use super::front_matter::{self, Block, Reading};
use super::lines::{self, Lines};
use super::{LinkTypes, Value};
use crate::message::Message;
use crate::{Error, Result, reported, word};
use site::Site;

/// Sets these front-matter fields of `text`, in this order. `path` is used in errors only.
///
/// The value of an existing key is replaced in place. A missing key is
/// added as the last line of the block, and a missing block at the top, with the file's
/// line breaks. Setting a field to its current value changes nothing.
///
/// # Errors
/// [`Error::FrontMatter`] if the block is not valid YAML, if a value to replace is a list or a
/// map, or if any other field would change.
pub fn set_fields(path: &str, text: &str, fields: &[(&str, &str)]) -> Result<String> {
    let refuse =
        |reason: String| Error::FrontMatter { path: path.to_owned(), message: Message::reported(reason) };
    let mut edited = text.to_owned();
    for (key, value) in fields {
        if let Some(next) = set(&edited, key, value).map_err(refuse)? {
            edited = next;
        }
    }
    Ok(edited)
}

/// `text` as a YAML value on one line; `flow` for a value in a list on one line.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn plain_scalar(text: &str, flow: bool) -> String {
    scalar::auto(text, flow)
}

/// Replaces the bytes between `start` and `end` by `insert`.
struct Splice {
    start: usize,
    end: usize,
    insert: String,
}

/// The text with one field set, `None` if it has that value already, or why it cannot be set.
fn set(text: &str, key: &str, value: &str) -> std::result::Result<Option<String>, String> {
    let before = read(text);
    if let Some(problem) = before.diagnostics.first().filter(|_| !before.sound) {
        return Err(reported!("line {line}: {reason}", line = problem.line, reason = problem.message));
    }
    let fields = &before.front_matter.fields;
    if matches!(front_matter::field(fields, key), Some(Value::Text(current)) if current == value)
        && !value.is_empty()
    {
        return Ok(None);
    }
    let splice = plan(text, key, value)?;
    let (head, tail) = match (text.get(..splice.start), text.get(splice.end..)) {
        (Some(head), Some(tail)) => (head, tail),
        _ => return Err(word!("the position of the value is unknown").into()),
    };
    let edited = [head, &splice.insert, tail].concat();
    prove(&before, text, &edited, key, Value::Text(value.to_owned()))?;
    Ok(Some(edited))
}

fn read(text: &str) -> Reading {
    front_matter::read(text, &Lines::new(text), &LinkTypes::default())
}

fn plan(text: &str, key: &str, value: &str) -> std::result::Result<Splice, String> {
    let eol = lines::split(text).next().map_or("\n", |(_, line)| match &line[lines::content(line).len()..] {
        "" => "\n",
        eol => eol,
    });
    let Some(Block { yaml, .. }) = front_matter::find(text) else {
        let start = front_matter::text_start(text);
        let insert =
            format!("---{eol}{}: {}{eol}---{eol}", scalar::auto(key, false), scalar::auto(value, false));
        return Ok(Splice { start, end: start, insert });
    };
    let base = yaml.start;
    let source = text.get(yaml.clone()).unwrap_or("");
    let at = |start: usize, end: usize, insert| Splice { start: base + start, end: base + end, insert };
    Ok(match site::find(source, key)? {
        Site::Value { range, style, flow } => at(range.start, range.end, scalar::like(value, style, flow)),
        Site::Empty { after_colon, flow } => {
            at(after_colon, after_colon, format!(" {}", scalar::auto(value, flow)))
        }
        Site::MissingInFlow { before_brace, comma } => {
            let separator = if comma { ", " } else { "" };
            let field = format!("{separator}{}: {}", scalar::auto(key, true), scalar::auto(value, true));
            at(before_brace, before_brace, field)
        }
        Site::Missing { indent } => {
            let field = format!("{indent}{}: {}{eol}", scalar::auto(key, false), scalar::auto(value, false));
            at(source.len(), source.len(), field)
        }
    })
}

/// Checks that `edited` is `text` with only that one field changed.
fn prove(
    before: &Reading,
    text: &str,
    edited: &str,
    key: &str,
    new: Value,
) -> std::result::Result<(), String> {
    let after = read(edited);
    let mut expected = before.front_matter.fields.clone();
    match expected.iter_mut().find(|(name, _)| name == key) {
        Some((_, old)) => *old = new,
        None => expected.push((key.to_owned(), new)),
    }
    if !after.sound || after.front_matter.fields != expected {
        return Err(reported!("setting `{key}` would change more than `{key}`"));
    }
    if rest(text, before) != rest(edited, &after) {
        return Err(reported!("setting `{key}` would change the text of the page"));
    }
    Ok(())
}

/// The text after the front matter.
fn rest<'a>(text: &'a str, reading: &Reading) -> Option<&'a str> {
    match reading.front_matter.range.end {
        0 => text.get(front_matter::text_start(text)..),
        end => text.get(end..),
    }
}

#[cfg(test)]
mod tests;
