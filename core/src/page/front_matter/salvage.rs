//! Reads front matter that is not valid YAML: each top-level key on its own, as YAML
//! if valid, as plain text if not (an unquoted colon, a template's `{{…}}` or `<% %>`).

use std::collections::HashSet;

use super::{Findings, duplicate, values, yaml};
use crate::page::{Value, lines};

/// The fields of a block that is not valid YAML as a whole.
pub(super) fn mapping(source: &str, base: usize, findings: &mut Findings<'_>) -> Vec<(String, Value)> {
    let mut fields: Vec<(String, Value)> = Vec::new();
    let mut names = HashSet::new();
    for (at, chunk) in chunks(source) {
        let before = findings.mark();
        let read = yaml::mapping(chunk, base + at, findings)
            .unwrap_or_else(|_| lenient(chunk, base + at, findings).into_iter().collect());
        for (name, value) in read {
            if names.insert(name.clone()) {
                fields.push((name, value));
            } else {
                findings.back_to(&before);
                findings.diagnose(base + at, "front_matter_duplicate_key", duplicate(&name));
            }
        }
    }
    fields
}

/// Splits the block before each line that may start with a key.
fn chunks(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_start = |line: &str| {
        let item = line.strip_prefix('-').is_some_and(|rest| rest.starts_with(char::is_whitespace));
        !item && line.starts_with(|c: char| !c.is_whitespace() && !"#]}".contains(c))
    };
    let mut starts: Vec<usize> =
        lines::split(source).filter(|(_, line)| is_start(line)).map(|(at, _)| at).collect();
    starts.push(source.len());
    let mut from = 0;
    starts.into_iter().filter_map(move |to| {
        let chunk = source.get(from..to).filter(|chunk| !chunk.is_empty());
        let start = std::mem::replace(&mut from, to);
        chunk.map(|chunk| (start, chunk))
    })
}

/// One key and the text after it.
fn lenient(chunk: &str, base: usize, findings: &mut Findings<'_>) -> Option<(String, Value)> {
    let (_, first) = lines::split(chunk).next()?;
    let head = lines::content(first);
    let colon = head
        .match_indices(':')
        .map(|(at, _)| at)
        .find(|&at| head[at + 1..].is_empty() || head[at + 1..].starts_with([' ', '\t']))?;
    let name = unquoted(&head[..colon]);
    if name.is_empty() {
        return None;
    }
    let mut reader =
        Reader { chunk, base, key_type: findings.types.for_key(name).map(str::to_owned), findings };
    let inline = head[colon + 1..].trim();
    let value = if inline.is_empty() { reader.following(first.len()) } else { reader.inline(inline) };
    Some((name.to_owned(), value))
}

struct Reader<'c, 'f, 'l> {
    chunk: &'c str,
    base: usize,
    key_type: Option<String>,
    findings: &'f mut Findings<'l>,
}

impl<'c> Reader<'c, '_, '_> {
    /// A value on the line of its key.
    fn inline(&mut self, written: &'c str) -> Value {
        match written.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(inner) if !written.starts_with("[[") && !inner.contains(['[', ']']) => Value::List(
                inner
                    .split(',')
                    .map(str::trim)
                    .filter(|part| !part.is_empty())
                    .map(|part| self.text(part))
                    .collect(),
            ),
            _ => self.text(written),
        }
    }

    /// A value on the lines after its key: a list if any line has a dash, otherwise one text.
    fn following(&mut self, from: usize) -> Value {
        let rest = self.chunk.get(from..).unwrap_or("");
        let items: Vec<&str> = lines::split(rest)
            .filter_map(|(_, line)| lines::content(line).trim().strip_prefix('-'))
            .map(str::trim)
            .filter(|item| !item.is_empty())
            .collect();
        if items.is_empty() {
            return self.text(rest.trim());
        }
        Value::List(items.into_iter().map(|item| self.text(item)).collect())
    }

    fn text(&mut self, written: &'c str) -> Value {
        let text = unquoted(written);
        if text.contains("[[") {
            // `text` is a slice of `chunk`, so the difference of addresses is its offset.
            let at = text.as_ptr() as usize - self.chunk.as_ptr() as usize;
            values::links(text, text, self.base + at, self.key_type.as_deref(), self.findings);
        }
        Value::Text(text.to_owned())
    }
}

fn unquoted(written: &str) -> &str {
    let written = written.trim();
    ['"', '\'']
        .into_iter()
        .find_map(|quote| written.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(written)
}
