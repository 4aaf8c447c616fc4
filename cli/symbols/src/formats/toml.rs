//! TOML. Each key is a definition, and each table.

use std::ops::Range;

use toml_edit::{Document, Item, Table, Value};

use super::{Keys, invalid};
use crate::limits::Unreadable;
use crate::outline::Outline;
use crate::tokens::Form;

/// # Errors
/// [`Unreadable::Invalid`] and [`Unreadable::TooMany`].
pub fn outline(text: &[u8], toml: &str) -> Result<Outline, Unreadable> {
    let failed = |error: toml_edit::TomlError| invalid(text, error.span().map_or(0, |span| span.start));
    let document = Document::parse(toml).map_err(failed)?;
    let mut keys = Keys::new(text);
    table(document.as_table(), &mut keys)?;
    Ok(keys.out)
}

/// The depth of the recursion is limited by the parser. Returns where the table ends.
fn table(one: &Table, keys: &mut Keys<'_>) -> Result<usize, Unreadable> {
    let mut last = one.span().map_or(0, |span| span.end);
    for (name, item) in one {
        let key = one.key(name).and_then(toml_edit::Key::span);
        // The key of a table is in its header, where the definition starts at the bracket.
        let first = item.as_array_of_tables().and_then(|tables| tables.get(0));
        let header = item.as_table().or(first).and_then(Table::span);
        let start = header.or_else(|| key.clone()).map_or(last, |span| span.start);
        let named = key.unwrap_or(start..start);
        let open = keys.open(name, start.min(named.start)..named.end, true)?;
        let end = content(item, keys)?.max(named.end);
        keys.close(&open, end);
        last = last.max(end);
    }
    Ok(last)
}

fn content(item: &Item, keys: &mut Keys<'_>) -> Result<usize, Unreadable> {
    match item {
        Item::None => Ok(0),
        Item::Value(one) => value(one, keys),
        Item::Table(one) => within(keys, 0, |keys| table(one, keys)),
        Item::ArrayOfTables(tables) => {
            let mut last = 0;
            for (place, one) in tables.iter().enumerate() {
                let start = one.span().map_or(last, |span| span.start);
                let key = keys.open(&place.to_string(), start..start, false)?;
                let end = within(keys, start, |keys| table(one, keys))?.max(start);
                keys.close(&key, end);
                last = last.max(end);
            }
            Ok(last)
        }
    }
}

/// Puts the tokens of a table or an array between marks.
fn within<'a>(
    keys: &mut Keys<'a>,
    start: usize,
    inner: impl FnOnce(&mut Keys<'a>) -> Result<usize, Unreadable>,
) -> Result<usize, Unreadable> {
    keys.out.tokens.push(start..start, Form::Indent);
    let end = inner(keys)?;
    keys.out.tokens.push(end..end, Form::Dedent);
    Ok(end)
}

fn value(one: &Value, keys: &mut Keys<'_>) -> Result<usize, Unreadable> {
    let range: Range<usize> = one.span().unwrap_or(0..0);
    match one {
        // The quote tells it from a number.
        Value::String(string) => keys.out.tokens.push_decoded(range.clone(), format!("\"{}", string.value())),
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => {
            keys.out.tokens.push(range.clone(), Form::Literal);
        }
        Value::Array(array) => {
            within(keys, range.start, |keys| {
                array.iter().try_for_each(|element| value(element, keys).map(|_| ()))?;
                Ok(range.end)
            })?;
        }
        Value::InlineTable(inline) => {
            within(keys, range.start, |keys| {
                for (name, element) in inline {
                    let named = inline.key(name).and_then(toml_edit::Key::span).unwrap_or(range.clone());
                    let key = keys.open(name, named.clone(), true)?;
                    let end = value(element, keys)?.max(named.end);
                    keys.close(&key, end);
                }
                Ok(range.end)
            })?;
        }
    }
    Ok(range.end)
}
