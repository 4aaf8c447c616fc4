//! The templates in Rust source: the texts of `message!`, `word!` and `counted`.

use std::collections::BTreeSet;

/// All templates in `source`, without those of its unit tests.
pub(super) fn of(source: &str) -> BTreeSet<String> {
    let source = without_tests(source);
    let mut found = BTreeSet::new();
    let mut at = 0;
    while let Some(c) = source[at..].chars().next() {
        let rest = &source[at..];
        let is_name = at > 0 && source[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if let Some(after) = ["message!(", "word!("].iter().find_map(|call| rest.strip_prefix(call))
            && !is_name
        {
            if let Some((text, _)) = literal(after.trim_start()) {
                found.insert(text);
            }
            // Values may be messages.
            at += rest.len() - after.len();
            let blanks = after.len() - after.trim_start().len();
            at += blanks + literal(after.trim_start()).map_or(0, |(_, length)| length);
        } else if let Some(after) = rest.strip_prefix("counted(").filter(|_| !is_name) {
            found.extend(noun(after).map(|noun| format!("{{number}} {noun}")));
            at += rest.len() - after.len();
        } else if let Some(length) = raw(rest).filter(|_| !is_name) {
            at += length;
        } else if let Some((_, length)) = literal(rest) {
            at += length;
        } else if let Some(length) = character(rest) {
            at += length;
        } else {
            at += c.len_utf8();
        }
    }
    found
}

fn without_tests(source: &str) -> &str {
    let end = source.match_indices("#[cfg(test)]").find(|(at, _)| {
        let attributes = source[*at..].lines().skip(1).find(|line| !line.trim().starts_with("#["));
        attributes.is_some_and(|line| line.trim().starts_with("mod ") && line.trim().ends_with('{'))
    });
    end.map_or(source, |(at, _)| &source[..at])
}

/// The string literal that `source` begins with, and its length.
fn literal(source: &str) -> Option<(String, usize)> {
    let mut chars = source.strip_prefix('"')?.char_indices();
    let mut text = String::new();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((text, at + 2)),
            '\\' => match chars.next()?.1 {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                'u' => {
                    let digits: String =
                        chars.by_ref().map(|(_, c)| c).skip(1).take_while(|c| *c != '}').collect();
                    text.extend(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32));
                }
                '\n' => {
                    let rest = chars.as_str();
                    let blanks = rest.len() - rest.trim_start().len();
                    if blanks > 0 {
                        chars.nth(rest[..blanks].chars().count() - 1);
                    }
                }
                other => text.push(other),
            },
            c => text.push(c),
        }
    }
    None
}

/// The length of the raw string that `source` begins with.
fn raw(source: &str) -> Option<usize> {
    let rest = source.strip_prefix('r')?;
    let inner = rest.trim_start_matches('#');
    let end = format!("\"{}", "#".repeat(rest.len() - inner.len()));
    let text = inner.strip_prefix('"')?;
    Some(source.len() - text.len() + text.find(&end)? + end.len())
}

/// The length of a character literal, so that `'"'` begins no string.
fn character(source: &str) -> Option<usize> {
    let inner = source.strip_prefix('\'')?;
    let c = inner.chars().next()?;
    let length = if c == '\\' { inner[1..].find('\'')? + 2 } else { c.len_utf8() + 1 };
    inner.get(..length).filter(|text| text.ends_with('\'') && text.len() > 1).map(|text| text.len() + 1)
}

/// The second argument of `counted`, if it is a literal.
fn noun(arguments: &str) -> Option<String> {
    let mut depth = 0;
    for (at, c) in arguments.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return None,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => return literal(arguments[at + 1..].trim_start()).map(|(text, _)| text),
            _ => {}
        }
    }
    None
}
