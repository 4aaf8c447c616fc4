//! How names are written in links.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::page::{LinkKind, Site, Syntax, slug};
use crate::{path, text};

/// Whether a name, with or without extension, is the path of the page at `path`.
pub(super) fn same_page(name: &str, path: &str) -> bool {
    let fold = |path: &str| text::fold_key(path::without_page_extension(path));
    fold(name) == fold(path)
}

/// Whether `path` ends with the complete path components of `name`.
pub(super) fn ends_with(path: &str, name: &str) -> bool {
    let (path, name) = (
        text::fold_key(path::without_page_extension(path)),
        text::fold_key(path::without_page_extension(name)),
    );
    path.strip_suffix(&name).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// Splits the text of a link into the name and the rest: the heading with its `#`, or a query.
pub(super) fn split<'w>(
    written: &'w str,
    target: &str,
    name: &str,
    syntax: Syntax,
) -> Option<(&'w str, &'w str)> {
    let cut = match syntax {
        Syntax::Destination { .. } => written.find(['#', '?']).unwrap_or(written.len()),
        Syntax::Wiki => {
            // Names may contain `#`, so the heading is counted from the end.
            let marks =
                target.matches('#').count() - name.matches('#').count().min(target.matches('#').count());
            match marks {
                0 => written.len(),
                marks => written.rmatch_indices('#').nth(marks - 1).map(|(at, _)| at)?,
            }
        }
    };
    let (raw, rest) = written.split_at_checked(cut)?;
    let end = raw.trim_end().len();
    Some((raw.get(..end)?, written.get(end..).unwrap_or(rest)))
}

/// A heading without the characters that would end it, or the link.
pub(crate) fn plain(heading: &str) -> String {
    let kept: String = heading.chars().map(|c| if "#|^[]".contains(c) { ' ' } else { c }).collect();
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Replaces the heading `old` by `new` in the anchor of a link.
pub(super) fn anchor(written: &str, old: &str, new: &str, wiki: bool) -> String {
    let key = text::heading_key(old);
    let parts: Vec<String> = written
        .split('#')
        .map(|part| {
            if !wiki && !part.is_empty() && part == slug(old) {
                slug(new)
            } else if !part.trim().is_empty() && text::heading_key(part) == key {
                plain(new)
            } else {
                part.to_owned()
            }
        })
        .collect();
    parts.join("#")
}

/// The text after the name in a Markdown destination, with another heading.
pub(super) fn with_fragment(written: &str, fragment: &str) -> String {
    let query = written.split('#').next().unwrap_or_default();
    format!("{query}#{}", encoded(fragment, false, false))
}

/// The spellings of `name` in place of `raw`, plainest first.
pub(super) fn spellings(name: &str, raw: &str, site: &Site) -> Vec<String> {
    match site.syntax {
        Syntax::Destination { angle } => {
            let every = raw.contains('%') && raw.is_ascii();
            vec![encoded(name, angle, every)]
        }
        Syntax::Wiki if name.contains(['|', '\n', '\r']) => Vec::new(),
        Syntax::Wiki => {
            let mut ways = vec![name.to_owned()];
            if name.contains(['[', ']']) {
                ways.push(name.replace('[', "\\[").replace(']', "\\]"));
            }
            if site.kind == LinkKind::FrontMatter && name.contains(['\'', '"', '\\']) {
                ways.push(name.replace('\'', "''"));
                ways.push(name.replace('\\', "\\\\").replace('"', "\\\""));
            }
            ways
        }
    }
}

/// `name` as a Markdown destination: between `<` and `>` with `angle`; with `every`, in ASCII.
pub(crate) fn encoded(name: &str, angle: bool, every: bool) -> String {
    let mut encoded = String::with_capacity(name.len());
    for character in name.chars() {
        let plain = match character {
            '%' | '#' | '?' | '<' | '>' | '\\' | ':' | '&' => false,
            ' ' | '(' | ')' | '"' | '\'' | '[' | ']' | '*' | '`' | '|' => angle && character != '|',
            other if other.is_ascii() => !other.is_ascii_control(),
            other => !every && !other.is_control() && !other.is_whitespace(),
        };
        if plain {
            encoded.push(character);
        } else {
            encoded.extend(utf8_percent_encode(character.encode_utf8(&mut [0; 4]), NON_ALPHANUMERIC));
        }
    }
    encoded
}
