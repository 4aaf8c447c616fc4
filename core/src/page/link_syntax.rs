//! Parses the text between `[[` and `]]`, and the destination of a Markdown link. This is the only parser of
//! links: text and front matter both use it.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use unicode_normalization::UnicodeNormalization as _;

use super::LinkTypes;
use crate::path;

/// A parsed wikilink.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WikiLink {
    /// Whether it starts with `!`.
    pub embed: bool,
    /// Everything before the first pipe, trimmed and NFC. Never empty.
    pub target: String,
    /// Its link type, if its second part is one.
    pub link_type: Option<String>,
    /// Display text, if it has one.
    pub text: Option<String>,
}

/// Parses `[[target|type|text]]`, with or without `!` in front.
///
/// The part after the first pipe is a link type if it is exactly the name of one, otherwise display text.
/// A pipe may be escaped with a backslash, as in tables. `None` if `source` is not a link: an
/// empty target, a line break inside, or a URL.
pub fn parse_link(source: &str, types: &LinkTypes) -> Option<WikiLink> {
    let (embed, rest) = source.strip_prefix('!').map_or((false, source), |rest| (true, rest));
    let inner = rest.strip_prefix("[[")?.strip_suffix("]]")?;
    if inner.contains(['\n', '\r']) {
        return None;
    }
    let (target, rest) = match inner.split_once('|') {
        Some((label, target)) if types.is_label_first() => (target, Some(without_escape(label))),
        Some((target, rest)) => (without_escape(target), Some(rest)),
        None => (inner, None),
    };
    let target = normalised(&unescape_brackets(target.trim()));
    if target.is_empty() || is_url(&target) {
        return None;
    }
    let (link_type, text) = rest.map_or((None, None), |rest| {
        let (first, others) = match rest.split_once('|') {
            Some((first, others)) => (without_escape(first), Some(others)),
            None => (rest, None),
        };
        match types.exact(first.trim()) {
            Some(name) => (Some(name.to_owned()), others.and_then(display)),
            None if first.trim().is_empty() => (None, others.and_then(display)),
            None => (None, display(rest)),
        }
    });
    Some(WikiLink { embed, target, link_type, text })
}

/// The page or file that is the destination of a Markdown link: percent-decoded, without its
/// query, with its `#fragment`. `None` for other destinations: a URL, or a place in the same page.
///
/// A leading `/` is kept: it means the top of the pages folder.
pub fn parse_destination(destination: &str) -> Option<String> {
    let destination = destination.trim();
    if has_scheme(destination) || destination.starts_with("//") || destination.starts_with("\\\\") {
        return None;
    }
    let (path, fragment) = destination.split_once('#').unwrap_or((destination, ""));
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    let mut target = percent_decoded(path);
    // A wikilink is not a path, nor is text of several lines.
    if target.trim().is_empty() || target.contains("[[") || target.contains(['\n', '\r']) {
        return None;
    }
    let fragment = percent_decoded(fragment);
    if !fragment.is_empty() && !fragment.contains(['\n', '\r']) {
        target.push('#');
        target.push_str(&fragment);
    }
    Some(normalised(target.trim()))
}

/// Whether a target from [`parse_destination`] is a page.
pub(super) fn leads_to_page(target: &str) -> bool {
    path::is_page(target) || target.split_once('#').is_some_and(|(path, _)| path::is_page(path))
}

fn without_escape(part: &str) -> &str {
    part.strip_suffix('\\').unwrap_or(part)
}

fn display(text: &str) -> Option<String> {
    let text = text.replace("\\|", "|");
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn unescape_brackets(text: &str) -> String {
    if text.contains('\\') { text.replace("\\[", "[").replace("\\]", "]") } else { text.to_owned() }
}

fn normalised(text: &str) -> String {
    if text.is_ascii() { text.to_owned() } else { text.nfc().collect() }
}

/// Whether a wikilink's target is a URL. `Note: something` is a page, so a colon alone is not
/// enough.
fn is_url(target: &str) -> bool {
    if target.starts_with("//") {
        return true;
    }
    let Some((scheme, rest)) = target.split_once(':') else { return false };
    has_scheme(target)
        && (rest.starts_with("//")
            || ["mailto", "tel", "data", "javascript"].iter().any(|known| scheme.eq_ignore_ascii_case(known)))
}

fn has_scheme(destination: &str) -> bool {
    destination.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    })
}

/// `text` with `%xx` decoded; unchanged if the result is not UTF-8.
pub(crate) fn percent_decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8().map_or_else(|_| text.to_owned(), Cow::into_owned)
}

#[cfg(test)]
#[path = "link_syntax/tests.rs"]
mod tests;
