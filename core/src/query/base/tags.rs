//! Tags that get another name, in the filters and formulas of a base.

use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle};

use super::tokens::{Token, spanned};

/// What changes in a base.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct TagsInBase {
    /// Bytes of the base and what replaces them, in order.
    pub edits: Vec<(Range<usize>, String)>,
    /// Lines, from 1, that may name the tag and stay as they are.
    pub left: Vec<usize>,
}

/// Methods that look for a text in the list before them.
const IN_LISTS: [&str; 3] = ["contains", "containsAny", "containsAll"];

/// Renames tags in a base: `renamed` returns the new name of a tag, if it gets one.
pub(crate) fn rename_tags(text: &str, renamed: &dyn Fn(&str) -> Option<String>) -> TagsInBase {
    let mut found = TagsInBase::default();
    let start = if text.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 };
    let line_of = |at: usize| text.get(..at).unwrap_or_default().matches('\n').count() + 1;
    // The keys above a value; `None` for a list.
    let mut keys: Vec<Option<String>> = Vec::new();
    let mut is_value = false;
    for item in Parser::new_from_str(&text[start..]) {
        let Ok((event, span)) = item else { return TagsInBase::default() };
        match event {
            Event::MappingStart(..) => {
                keys.push(Some(String::new()));
                is_value = false;
            }
            Event::SequenceStart(..) => {
                keys.push(None);
                is_value = true;
            }
            Event::MappingEnd | Event::SequenceEnd => {
                keys.pop();
                is_value = matches!(keys.last(), Some(None));
            }
            Event::Scalar(value, ..) if matches!(keys.last(), Some(Some(_))) && !is_value => {
                keys.pop();
                keys.push(Some(value.into_owned()));
                is_value = true;
            }
            Event::Scalar(value, style, ..) => {
                is_value = matches!(keys.last(), Some(None));
                let is_expression =
                    keys.iter().flatten().any(|key| matches!(key.as_str(), "filters" | "formulas"));
                let Some(range) = span.byte_range().filter(|_| is_expression) else { continue };
                let range = start + range.start..start + range.end;
                let Some(changed) = expression(&value, renamed) else { continue };
                let written = text.get(range.clone()).unwrap_or_default();
                let is_quoted_or_plain = matches!(
                    style,
                    ScalarStyle::Plain | ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted
                );
                let edits = match written.find(&*value).filter(|_| is_quoted_or_plain) {
                    Some(at) => {
                        let from = range.start + at;
                        let moved =
                            |(edit, new): (Range<usize>, String)| (from + edit.start..from + edit.end, new);
                        changed.edits.into_iter().map(moved).collect()
                    }
                    // What is escaped or folded is not the same bytes.
                    None => {
                        let new = escaped(written, style, &value, &changed.edits);
                        new.map(|new| (range.clone(), new)).into_iter().collect::<Vec<_>>()
                    }
                };
                if changed.is_left || edits.is_empty() {
                    found.left.push(line_of(range.start));
                }
                found.edits.extend(edits);
            }
            Event::Alias(_) => is_value = matches!(keys.last(), Some(None)),
            _ => {}
        }
    }
    found
}

/// A value in quotes with its edits, if its quotes are escaped in the simplest way.
fn escaped(
    written: &str,
    style: ScalarStyle,
    value: &str,
    edits: &[(Range<usize>, String)],
) -> Option<String> {
    let quote = |text: &str| match style {
        ScalarStyle::SingleQuoted => Some(format!("'{}'", text.replace('\'', "''"))),
        ScalarStyle::DoubleQuoted => Some(format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))),
        _ => None,
    };
    quote(value).filter(|quoted| quoted == written)?;
    quote(&crate::writing::links::spliced(value, edits)?)
}

struct Changed {
    edits: Vec<(Range<usize>, String)>,
    /// Whether a text that may be the tag is not certain to be it.
    is_left: bool,
}

/// What changes in an expression; `None` if it does not name the tag.
fn expression(text: &str, renamed: &dyn Fn(&str) -> Option<String>) -> Option<Changed> {
    let tokens = spanned(text).ok()?;
    let mut changed = Changed { edits: Vec::new(), is_left: false };
    for (at, (token, range)) in tokens.iter().enumerate() {
        let Token::Text(value) = token else { continue };
        let tag = value.trim_start_matches('#');
        let Some(new) = renamed(tag) else { continue };
        let inner = range.start + 1..range.end - 1;
        let is_plain = text.get(inner.clone()) == Some(value.as_str());
        if is_plain && is_tag(&tokens, at) {
            changed.edits.push((inner.end - tag.len()..inner.end, new));
        } else {
            changed.is_left = true;
        }
    }
    (changed.is_left || !changed.edits.is_empty()).then_some(changed)
}

/// Whether the text at `at` is an argument of `hasTag`, or of a method that looks for it in `tags`.
fn is_tag(tokens: &[(Token, Range<usize>)], at: usize) -> bool {
    let sign =
        |at: usize, sign: &str| matches!(tokens.get(at), Some((Token::Sign(found), _)) if *found == sign);
    let name = |at: usize| match tokens.get(at) {
        Some((Token::Name(name), _)) => name.as_str(),
        _ => "",
    };
    let mut open = at;
    // Arguments before it are texts as well, or it could be nested in anything.
    while open >= 2 && sign(open - 1, ",") && matches!(tokens.get(open - 2), Some((Token::Text(_), _))) {
        open -= 2;
    }
    if open < 2 || !sign(open - 1, "(") {
        return false;
    }
    let method = open - 2;
    if name(method) == "hasTag" {
        return true;
    }
    if !IN_LISTS.contains(&name(method)) || method < 2 || !sign(method - 1, ".") || name(method - 2) != "tags"
    {
        return false;
    }
    let tags = method - 2;
    tags == 0
        || !sign(tags - 1, ".")
        || (tags >= 2 && matches!(name(tags - 2), "file" | "note") && (tags == 2 || !sign(tags - 3, ".")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::writing::links::spliced;

    #[test]
    fn tags_in_filters_and_formulas_get_their_new_name() {
        let base = r##"# file.hasTag("auth")
filters:
  and:
    - file.hasTag("auth", "#auth/tokens", "other")
    - 'tags.contains("auth")'
    - "file.hasTag(\"auth\")"
    - note.tags.containsAny('x', 'Auth')
    - title.contains("auth")
    - formula.tags.contains("auth")
formulas:
  it: if(file.hasTag("auth"), "auth", "b")
  named: '"auth" + file.name'
views:
  - type: table
    name: file.hasTag("auth")
    filters: >
      file.hasTag("auth")
"##;
        let renamed = |tag: &str| {
            let lower = tag.to_lowercase();
            let rest = lower.strip_prefix("auth")?;
            (rest.is_empty() || rest.starts_with('/')).then(|| format!("security{rest}"))
        };
        let found = rename_tags(base, &renamed);
        let expected = r##"# file.hasTag("auth")
filters:
  and:
    - file.hasTag("security", "#security/tokens", "other")
    - 'tags.contains("security")'
    - "file.hasTag(\"security\")"
    - note.tags.containsAny('x', 'security')
    - title.contains("auth")
    - formula.tags.contains("auth")
formulas:
  it: if(file.hasTag("security"), "auth", "b")
  named: '"auth" + file.name'
views:
  - type: table
    name: file.hasTag("auth")
    filters: >
      file.hasTag("auth")
"##;
        assert_eq!(spliced(base, &found.edits).as_deref(), Some(expected));
        assert_eq!(found.left, [8, 9, 11, 12, 17]);
        assert_eq!(rename_tags("filters: [", &renamed), TagsInBase::default());
    }
}
