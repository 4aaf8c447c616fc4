//! Interprets front-matter values: lists of names, tags, and links.

use std::ops::Range;

use super::Findings;
use crate::page::link_syntax::parse_link;
use crate::page::{Link, LinkKind, Value, context, link_types};

/// The strings of a value, without blank ones: the items of a list, or a single scalar.
pub(in crate::page) fn strings(value: &Value) -> Vec<String> {
    let texts = match value {
        Value::Text(text) => vec![text.trim()],
        Value::List(items) => items.iter().filter_map(text).collect(),
        Value::Map(_) => Vec::new(),
    };
    texts.into_iter().filter(|text| !text.is_empty()).map(str::to_owned).collect()
}

/// The words of a value: the items of a list, or a scalar split at commas and spaces.
pub(in crate::page) fn words(value: &Value) -> Vec<String> {
    match value {
        Value::Text(text) => text
            .split(|c: char| c == ',' || c.is_whitespace())
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect(),
        other => strings(other),
    }
}

fn text(value: &Value) -> Option<&str> {
    match value {
        Value::Text(text) => Some(text.trim()),
        _ => None,
    }
}

/// Collects the links of one scalar. `text` is its value, `slice` its source, at `offset` in the
/// page. If a link contains escapes, its range is the whole scalar.
pub(super) fn links(
    text: &str,
    slice: &str,
    offset: usize,
    key_type: Option<&str>,
    findings: &mut Findings<'_>,
) {
    let mut searched = Some(0);
    for found in occurrences(text) {
        let Some(parsed) = text.get(found.clone()).and_then(|source| parse_link(source, findings.types))
        else {
            continue;
        };
        // After a link that is not found verbatim, no later one is searched for: that would take quadratic time.
        let place = searched.and_then(|from| {
            let at = from + slice.get(from..)?.find(&text[found.clone()])?;
            Some(at..at + found.len())
        });
        searched = place.as_ref().map(|place| place.end);
        let place = place.unwrap_or(0..slice.len());
        let link_type = parsed.link_type.or_else(|| key_type.map(str::to_owned));
        findings.links.push(Link {
            kind: LinkKind::FrontMatter,
            target: parsed.target,
            link_type: link_type.unwrap_or_else(|| link_types::DEFAULT.to_owned()),
            text: parsed.text,
            line: findings.lines.line_of(offset + place.start),
            range: offset + place.start..offset + place.end,
            context: context::around(text, found),
        });
    }
}

/// Every innermost `[[…]]` on one line.
fn occurrences(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut open = None;
    std::iter::from_fn(move || {
        while let Some(&byte) = bytes.get(at) {
            let doubled = bytes.get(at + 1) == Some(&byte);
            match byte {
                b'[' if doubled => open = Some(at),
                b'\n' | b'\r' => open = None,
                b']' if doubled => {
                    if let Some(start) = open.take() {
                        at += 2;
                        return Some(start..at);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_pair_is_the_link() {
        let cut = |text: &'static str| occurrences(text).map(|range| &text[range]).collect::<Vec<_>>();
        assert_eq!(cut("[[a]] and [[b|c]]"), ["[[a]]", "[[b|c]]"]);
        assert_eq!(cut("[[[a]]]"), ["[[a]]"]);
        assert_eq!(cut("[[a [[b]] c]]"), ["[[b]]"]);
        assert_eq!(cut("[[a\nb]] ]] [["), [""; 0]);
    }

    #[test]
    fn words_are_split_at_commas_and_spaces() {
        let text = |text: &str| Value::Text(text.to_owned());
        assert_eq!(words(&text("a, b  c,")), ["a", "b", "c"]);
        assert_eq!(words(&Value::List(vec![text(" a b "), text(""), Value::Map(Vec::new())])), ["a b"]);
        assert_eq!(strings(&text("a, b")), ["a, b"]);
    }
}
