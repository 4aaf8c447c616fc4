//! Adds an item to a list in front matter, in the form that the list has. No other byte of the page changes.

use super::{prove, read, scalar, set_fields};
use crate::message;
use crate::page::{Value, front_matter, lines};
use crate::{Error, Result};

/// `text` with `item` added to the list `key`. A missing key gets the item as its value; a single value becomes a list.
/// `path` is used in errors only.
///
/// # Errors
/// [`Error::FrontMatter`] if the value is written in a way that cannot be edited safely.
pub(crate) fn add_to_list(path: &str, text: &str, key: &str, item: &str) -> Result<String> {
    let before = read(text);
    let mut items = match front_matter::field(&before.front_matter.fields, key) {
        Some(Value::List(items)) => items.clone(),
        Some(Value::Text(value)) if !value.is_empty() => vec![Value::Text(value.clone())],
        Some(Value::Map(_)) => return Err(refused(path, key)),
        Some(Value::Text(_)) | None => return set_fields(path, text, &[(key, item)]),
    };
    items.push(Value::Text(item.to_owned()));
    let edit = || {
        let block = front_matter::find(text)?.yaml;
        let yaml = with_item(text.get(block.clone())?, key, &scalar::auto(item, true))?;
        let edited = [text.get(..block.start)?, &yaml, text.get(block.end..)?].concat();
        prove(&before, text, &edited, key, Value::List(items)).ok().map(|()| edited)
    };
    edit().ok_or_else(|| refused(path, key))
}

fn refused(path: &str, key: &str) -> Error {
    let message = message!("`{key}` uses YAML syntax that cannot be edited; add the item by hand", key);
    Error::FrontMatter { path: path.to_owned(), message }
}

/// The block with the item, which is a YAML scalar; `None` if the list has another form than the usual ones.
fn with_item(yaml: &str, key: &str, item: &str) -> Option<String> {
    let all: Vec<&str> = lines::split(yaml).map(|(_, line)| line).collect();
    let names = |line: &&str| line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(':'));
    let at = all.iter().position(names)?;
    let line = lines::content(all.get(at)?);
    let eol = all.get(at)?.get(line.len()..)?;
    let (name, value) = line.split_once(':')?;
    let value = value.trim();
    let mut edited: Vec<String> = all.iter().map(|line| (*line).to_owned()).collect();
    if value.is_empty() {
        // Items below the key.
        let items: Vec<&&str> =
            all.iter().skip(at + 1).take_while(|line| line.trim_start().starts_with('-')).collect();
        let last = items.last()?;
        let indent = last.get(..last.len() - last.trim_start().len())?;
        edited.insert(at + 1 + items.len(), format!("{indent}- {item}{eol}"));
    } else if let Some(inner) = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let inner = inner.trim();
        let comma = if inner.is_empty() { "" } else { ", " };
        edited[at] = format!("{name}: [{inner}{comma}{item}]{eol}");
    } else {
        edited[at] = format!("{name}: [{value}, {item}]{eol}");
    }
    Some(edited.concat())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_added_in_the_form_of_the_list() {
        for (before, after) in [
            ("Text.\n", "---\nk: \"[[X]]\"\n---\nText.\n"),
            ("---\na: 1\n---\nText.\n", "---\na: 1\nk: \"[[X]]\"\n---\nText.\n"),
            ("---\nk: \"[[A]]\"\na: 1\n---\n", "---\nk: [\"[[A]]\", \"[[X]]\"]\na: 1\n---\n"),
            ("---\nk: [\"[[A]]\"]\n---\n", "---\nk: [\"[[A]]\", \"[[X]]\"]\n---\n"),
            ("---\nk: []\n---\n", "---\nk: [\"[[X]]\"]\n---\n"),
            (
                "---\nk:\n  - \"[[A]]\"\n  - b\na: 1\n---\n",
                "---\nk:\n  - \"[[A]]\"\n  - b\n  - \"[[X]]\"\na: 1\n---\n",
            ),
            ("---\r\nk:\r\n- b\r\n---\r\nT\r\n", "---\r\nk:\r\n- b\r\n- \"[[X]]\"\r\n---\r\nT\r\n"),
            ("---\nk:\n---\n", "---\nk: \"[[X]]\"\n---\n"),
            ("\u{feff}---\nk: [a]\n---\nT\n", "\u{feff}---\nk: [a, \"[[X]]\"]\n---\nT\n"),
        ] {
            assert_eq!(add_to_list("p.md", before, "k", "[[X]]").unwrap(), after, "{before}");
        }
    }

    #[test]
    fn other_forms_are_refused() {
        for text in [
            "---\nk: {a: 1}\n---\n",
            "---\nk:\n  - a: 1\n    b: 2\n---\n",
            "---\nk: [a,\n  b]\n---\n",
            "---\nk: a # why\n---\n",
            "---\nk: |\n  a\n---\n",
        ] {
            assert!(add_to_list("p.md", text, "k", "[[X]]").is_err(), "{text}");
        }
    }
}
