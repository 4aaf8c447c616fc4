//! Adds an item to a list in front matter, in the form that the list has. No other byte of the page changes.

use super::{LinkTypes, Value, parse, plain_scalar, set_fields};
use crate::message;
use crate::{Error, Result};

/// `text` with `item` added to the list `key`. A missing key gets the item as its value; a single value becomes a list.
/// `path` is used in errors only.
///
/// # Errors
/// [`Error::FrontMatter`] if the value is written in a way that cannot be edited safely.
pub(crate) fn add_to_list(path: &str, text: &str, key: &str, item: &str) -> Result<String> {
    let types = LinkTypes::default();
    let before = parse(text, &types);
    let old = match before.front_matter.get(key) {
        None => return set_fields(path, text, &[(key, item)]),
        Some(Value::Text(value)) if value.is_empty() => return set_fields(path, text, &[(key, item)]),
        Some(Value::Text(value)) => vec![Value::Text(value.clone())],
        Some(Value::List(items)) => items.clone(),
        Some(Value::Map(_)) => return Err(refused(path, key)),
    };
    let block = before.front_matter.range.clone();
    let source = text.get(block.clone()).unwrap_or_default();
    let edited = with_item(source, key, &plain_scalar(item, true)).ok_or_else(|| refused(path, key))?;
    let edited = [text.get(..block.start), Some(&edited), text.get(block.end..)]
        .into_iter()
        .flatten()
        .collect::<String>();
    let after = parse(&edited, &types);
    let mut wanted = before.front_matter.fields.clone();
    for (name, value) in &mut wanted {
        if name == key {
            *value = Value::List(old.iter().cloned().chain([Value::Text(item.to_owned())]).collect());
        }
    }
    let is_sound = !after.diagnostics.iter().any(|found| found.code == "front_matter_syntax")
        && after.front_matter.fields == wanted
        && edited.get(after.front_matter.range.end..) == text.get(block.end..);
    if is_sound { Ok(edited) } else { Err(refused(path, key)) }
}

fn refused(path: &str, key: &str) -> Error {
    let message = message!("`{key}` uses YAML syntax that cannot be edited; add the item by hand", key);
    Error::FrontMatter { path: path.to_owned(), message }
}

/// The block with the item, which is a YAML scalar; `None` if the list has another form than the usual ones.
fn with_item(block: &str, key: &str, item: &str) -> Option<String> {
    let lines: Vec<&str> = block.split_inclusive('\n').collect();
    let names = |line: &&str| line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(':'));
    let at = lines.iter().position(names)?;
    let (line, eol) = split_eol(lines.get(at)?);
    let (name, value) = line.split_once(':')?;
    let value = value.trim();
    let mut edited: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    if value.is_empty() {
        // Items below the key.
        let is_item = |line: &&&str| line.trim_start().starts_with('-') && !line.starts_with("---");
        let items: Vec<&&str> = lines.iter().skip(at + 1).take_while(is_item).collect();
        let last = items.last()?;
        let indent = last.len() - last.trim_start().len();
        edited.insert(at + 1 + items.len(), format!("{}- {item}{eol}", last.get(..indent)?));
    } else if let Some(inner) = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let inner = inner.trim();
        let comma = if inner.is_empty() { "" } else { ", " };
        edited[at] = format!("{name}: [{inner}{comma}{item}]{eol}");
    } else {
        edited[at] = format!("{name}: [{value}, {item}]{eol}");
    }
    Some(edited.concat())
}

fn split_eol(line: &str) -> (&str, &str) {
    let bare = line.trim_end_matches(['\r', '\n']);
    (bare, line.get(bare.len()..).unwrap_or_default())
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
