//! What stands between `[[` and `]]`, and what a Markdown destination leads to. The only grammar of
//! links: text and front matter both use it, and nothing else reads links its own way.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use unicode_normalization::UnicodeNormalization as _;

use super::LinkTypes;
use crate::path;

/// A wikilink, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WikiLink {
    /// Whether it begins with `!`.
    pub embed: bool,
    /// Everything before the first pipe, trimmed and NFC. Never empty.
    pub target: String,
    /// The type that its second part names.
    pub link_type: Option<String>,
    /// Display text, where it has one.
    pub text: Option<String>,
}

/// Takes `[[target|type|text]]` apart, with or without `!` in front.
///
/// The part after the first pipe is a link type if it names one exactly, otherwise display text.
/// A backslash before a pipe belongs to the pipe: tables need it. `None` if `source` is no link: an
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

/// The page or file that the destination of a Markdown link leads to: percent-decoded, without its
/// query, `#fragment` kept. `None` if it leads elsewhere: a URL, or a place in the same page.
///
/// A leading `/` stays: it counts from the top of the pages folder.
pub fn parse_destination(destination: &str) -> Option<String> {
    let destination = destination.trim();
    if has_scheme(destination) || destination.starts_with("//") || destination.starts_with("\\\\") {
        return None;
    }
    let (path, fragment) = destination.split_once('#').unwrap_or((destination, ""));
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    let mut target = percent_decoded(path);
    // What is written as a wikilink is no path, and neither is what spans lines.
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

/// Whether a target from [`parse_destination`] names a page.
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

/// Whether a wikilink's target is an address outside: `Note: something` is a page, so a colon alone
/// does not make one.
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

/// `text` with its `%xx` resolved; as it is where that gives no UTF-8.
pub(crate) fn percent_decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8().map_or_else(|_| text.to_owned(), Cow::into_owned)
}

#[cfg(test)]
#[path = "link_syntax/tests.rs"]
mod tests;
