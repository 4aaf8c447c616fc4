//! Adds to a list of events in front matter, such as `verified`, who did something and when. No other byte of the page
//! changes.

use super::{prove, read, scalar};
use crate::message;
use crate::page::{Value, front_matter, lines};
use crate::{Error, Result};

/// `text` with the event `{ by, at }` in the list `key`. An event by the same name gets the new time; without one, the
/// event is added. A single event becomes a list. `path` is used in errors only.
///
/// # Errors
/// [`Error::FrontMatter`] if the value is written in a way that cannot be edited safely.
pub(crate) fn put_event(path: &str, text: &str, key: &str, by: &str, at: &str) -> Result<String> {
    let refused = || {
        let message = message!("`{key}` uses YAML syntax that cannot be edited; add the entry by hand", key);
        Error::FrontMatter { path: path.to_owned(), message }
    };
    let before = read(text);
    if !before.sound {
        return Err(refused());
    }
    let event = event(by, at);
    let old = front_matter::field(&before.front_matter.fields, key);
    let wanted = wanted(old, by, at, event.clone()).ok_or_else(refused)?;
    let inline = format!("{{ by: {}, at: {} }}", plain(by), plain(at));
    let proven = |edited: &String| prove(&before, text, edited, key, wanted.clone()).is_ok();
    candidates(text, key, old, by, at, &inline).into_iter().find(proven).ok_or_else(refused)
}

/// A name or time as people write it, without quotes if it needs none: colons within a word do not.
fn plain(text: &str) -> String {
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.ends_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_alphanumeric() || "-_.:/".contains(c));
    if is_plain { text.to_owned() } else { scalar::auto(text, true) }
}

fn event(by: &str, at: &str) -> Value {
    let text = |text: &str| Value::Text(text.to_owned());
    Value::Map(vec![("by".into(), text(by)), ("at".into(), text(at))])
}

/// The value that the key gets; `None` if its value is not a list of events.
fn wanted(old: Option<&Value>, by: &str, at: &str, event: Value) -> Option<Value> {
    let mut items = match old {
        None => Vec::new(),
        Some(Value::Text(text)) if text.is_empty() => Vec::new(),
        Some(Value::Text(_)) => return None,
        Some(one @ Value::Map(_)) => {
            let mut one = one.clone();
            if is_by(&one, by) {
                set_time(&mut one, at)?;
                return Some(one);
            }
            vec![one]
        }
        Some(Value::List(items)) => items.clone(),
    };
    match items.iter_mut().find(|item| is_by(item, by)) {
        Some(own) => set_time(own, at)?,
        None => items.push(event),
    }
    Some(Value::List(items))
}

fn is_by(event: &Value, by: &str) -> bool {
    let Value::Map(fields) = event else { return false };
    fields.iter().any(|(name, value)| name == "by" && *value == Value::Text(by.to_owned()))
}

fn set_time(event: &mut Value, at: &str) -> Option<()> {
    let Value::Map(fields) = event else { return None };
    let (_, time) = fields.iter_mut().find(|(name, _)| name == "at")?;
    *time = Value::Text(at.to_owned());
    Some(())
}

/// The time of the event by this name, as written.
fn time_of(old: Option<&Value>, by: &str) -> Option<String> {
    let items = match old? {
        Value::List(items) => items.iter().collect(),
        one => vec![one],
    };
    let Value::Map(fields) = items.into_iter().find(|item| is_by(item, by))? else { return None };
    match fields.iter().find(|(name, _)| name == "at")? {
        (_, Value::Text(time)) if !time.is_empty() => Some(time.clone()),
        _ => None,
    }
}

/// Texts of which the first that sets the value and nothing else is right.
fn candidates(text: &str, key: &str, old: Option<&Value>, by: &str, at: &str, inline: &str) -> Vec<String> {
    let eol = lines::split(text).next().map_or("\n", |(_, line)| match &line[lines::content(line).len()..] {
        "" => "\n",
        eol => eol,
    });
    let replaced = |start: usize, end: usize, insert: &str| {
        let (head, tail) = (text.get(..start)?, text.get(end..)?);
        Some([head, insert, tail].concat())
    };
    let Some(block) = front_matter::find(text).map(|block| block.yaml) else {
        let start = front_matter::text_start(text);
        let added = format!("---{eol}{key}:{eol}  - {inline}{eol}---{eol}");
        return replaced(start, start, &added).into_iter().collect();
    };
    let yaml = text.get(block.clone()).unwrap_or_default();
    let Some((first, range)) = place(yaml, key) else {
        let added = format!("{key}:{eol}  - {inline}{eol}");
        return replaced(block.end, block.end, &added).into_iter().collect();
    };
    let (start, end) = (block.start + range.start, block.start + range.end);
    let own = text.get(start..end).unwrap_or_default();
    let mut found = Vec::new();
    if let Some(time) = time_of(old, by) {
        let times = own
            .match_indices(&time)
            .filter_map(|(offset, _)| replaced(start + offset, start + offset + time.len(), at));
        found.extend(times.take(100));
        return found;
    }
    // A list between brackets.
    if let Some(bracket) = own.rfind(']') {
        let is_empty = own.get(..bracket).is_some_and(|list| list.trim_end().ends_with('['));
        let added = if is_empty { inline.to_owned() } else { format!(", {inline}") };
        let kept = own.get(..bracket).map_or(bracket, |list| list.trim_end().len());
        found.extend(replaced(start + kept, start + bracket, &added));
    }
    let content = own.trim_end();
    let line_end = if content.len() < own.len() { "" } else { eol };
    // Items below the key, or nothing.
    let item = own.lines().skip(1).find(|line| line.trim_start().starts_with('-'));
    let indent =
        item.map_or("  ", |line| line.get(..line.len() - line.trim_start().len()).unwrap_or_default());
    found.extend(replaced(
        start + content.len(),
        start + content.len(),
        &format!("{eol}{indent}- {inline}{line_end}"),
    ));
    // A single map after the key, or below it.
    let after_key = own.get(first..).unwrap_or_default();
    let map = after_key.trim();
    if map.starts_with('{') {
        let list = format!("{eol}  - {map}{eol}  - {inline}");
        found.extend(replaced(start + first, start + content.len(), &list));
    } else {
        let mut rows = after_key.lines().map(str::trim_end).filter(|line| !line.trim().is_empty());
        let indent = rows.clone().next().map_or(0, |line| line.len() - line.trim_start().len());
        let is_even = rows.all(|line| line.len() - line.trim_start().len() >= indent);
        if is_even && indent > 0 {
            let nested: Vec<String> = after_key
                .lines()
                .filter(|line| !line.trim().is_empty())
                .enumerate()
                .map(|(number, line)| {
                    let mark = if number == 0 { "- " } else { "  " };
                    format!("  {mark}{}", line.get(indent..).unwrap_or_default().trim_end())
                })
                .collect();
            let list = format!("{eol}{}{eol}  - {inline}", nested.join(eol));
            found.extend(replaced(start + first, start + content.len(), &list));
        }
    }
    found
}

/// Where the key with its value is in the YAML: the end of `key:` counted from there, and the bytes.
fn place(yaml: &str, key: &str) -> Option<(usize, std::ops::Range<usize>)> {
    let mut start = None;
    let mut end = yaml.len();
    for (at, line) in lines::split(yaml) {
        match start {
            None => {
                let rest = line.strip_prefix(key).filter(|rest| rest.trim_start().starts_with(':'));
                if let Some(rest) = rest {
                    let colon = rest.find(':').unwrap_or_default();
                    start = Some((at, key.len() + colon + 1));
                }
            }
            Some(_) => {
                let is_inside = line.starts_with([' ', '\t', '-', '\r', '\n']) || line.trim().is_empty();
                if !is_inside {
                    end = at;
                    break;
                }
            }
        }
    }
    start.map(|(at, first)| (first, at..end))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const NEW: &str = "2026-11-27T00:00:00Z";

    fn put(text: &str) -> Result<String> {
        put_event("p.md", text, "verified", "human:ada", NEW)
    }

    #[test]
    fn an_event_is_added_in_the_form_that_the_list_has() {
        let new = "{ by: human:ada, at: 2026-11-27T00:00:00Z }";
        for (before, after) in [
            ("Text.\n", format!("---\nverified:\n  - {new}\n---\nText.\n")),
            ("---\na: 1 # why\n---\nText.\n", format!("---\na: 1 # why\nverified:\n  - {new}\n---\nText.\n")),
            ("---\r\na: 1\r\n---\r\nT\r\n", format!("---\r\na: 1\r\nverified:\r\n  - {new}\r\n---\r\nT\r\n")),
            ("---\nverified:\nb: 1\n---\n", format!("---\nverified:\n  - {new}\nb: 1\n---\n")),
            ("---\nverified: []\n---\n", format!("---\nverified: [{new}]\n---\n")),
            (
                "---\nverified: [{ by: p/1, at: 2026-01-01 }]\n---\n",
                format!("---\nverified: [{{ by: p/1, at: 2026-01-01 }}, {new}]\n---\n"),
            ),
            (
                "---\nverified:\n- { by: p/1, at: 2026-01-01 } # nightly\nb: 1\n---\n",
                format!("---\nverified:\n- {{ by: p/1, at: 2026-01-01 }} # nightly\n- {new}\nb: 1\n---\n"),
            ),
            (
                "---\nverified:\n    - by: p/1\n      at: 2026-01-01\n---\n",
                format!("---\nverified:\n    - by: p/1\n      at: 2026-01-01\n    - {new}\n---\n"),
            ),
            (
                "---\nverified: { by: p/1, at: 2026-01-01 }\nb: 1\n---\n",
                format!("---\nverified:\n  - {{ by: p/1, at: 2026-01-01 }}\n  - {new}\nb: 1\n---\n"),
            ),
            (
                "---\nverified:\n  by: p/1\n  at: 2026-01-01\nb: 1\n---\n",
                format!("---\nverified:\n  - by: p/1\n    at: 2026-01-01\n  - {new}\nb: 1\n---\n"),
            ),
            ("\u{feff}---\na: 1\n---\nT\n", format!("\u{feff}---\na: 1\nverified:\n  - {new}\n---\nT\n")),
        ] {
            assert_eq!(put(before).unwrap(), after, "{before}");
        }
    }

    #[test]
    fn the_event_of_the_same_name_gets_the_new_time() {
        for before in [
            "---\nverified:\n  - { by: p/1, at: 2026-01-01 }\n  - { by: human:ada, at: 2026-01-01 } # me\nb: 2026-01-01\n---\n",
            "---\nverified: { at: 2026-01-01, by: human:ada }\n---\n2026-01-01\n",
            "---\nverified:\n  by: \"human:ada\"\n  at: '2026-01-01'\n---\n",
            "---\nverified: [{ by: human:ada, at: 2026-01-01 }]\n---\n",
        ] {
            let after = put(before).unwrap();
            let own = before.rfind("human:ada").unwrap();
            let at = match before.get(own..).unwrap().find("2026-01-01").filter(|_| !before.contains("{ at:"))
            {
                Some(offset) => own + offset,
                None => before.find("2026-01-01").unwrap(),
            };
            let expected = [&before[..at], NEW, &before[at + 10..]].concat();
            assert_eq!(after, expected, "{before}");
            assert_eq!(put(&after).unwrap(), after, "again");
        }
    }

    #[test]
    fn other_forms_are_refused() {
        for text in [
            "---\nverified: yes\n---\n",
            "---\nverified: &a [{ by: p/1, at: 1 }\n---\n",
            "---\nverified: [{ by: human:ada }]\n---\n",
            "---\n{ verified: [] , a: 1 }\n---\n",
            "---\nbroken: [\n---\n",
        ] {
            assert!(put(text).is_err(), "{text}");
        }
    }
}
