//! The text of a memory: its content under a heading, and its examples as code blocks at the end. Written texts
//! are read back unchanged; if that is not possible in the text, examples are stored in front matter.

use crate::page::{LinkTypes, parse};
use crate::text::{Fence, fold_key};

/// The heading above the examples.
const HEADING: &str = "## Examples";

/// The text of a page: heading, content, examples. No blank lines at the start or the end; ends with a line break.
pub(super) fn write(topic: &str, content: &str, examples: &[String]) -> String {
    let mut text = heading(topic).map(|heading| format!("{heading}\n\n")).unwrap_or_default();
    text.push_str(content);
    if !examples.is_empty() {
        text.push_str("\n\n");
        text.push_str(HEADING);
        for example in examples {
            text.push_str("\n\n");
            text.push_str(&fenced(example, ""));
        }
    }
    text.push('\n');
    text
}

/// The first heading of a page about `topic`; `None` if no heading can express it.
pub(super) fn heading(topic: &str) -> Option<String> {
    let escape = |c: char| if c.is_ascii_punctuation() { format!("\\{c}") } else { c.to_string() };
    let escaped: String = topic.chars().map(escape).collect();
    let says_topic = |line: &String| {
        let page = parse(&format!("{line}\n"), &LinkTypes::default());
        let only = page.sections.first().filter(|section| section.level == 1 && page.sections.len() == 1);
        // A topic is a name: it must contain no link and no tag.
        page.links.is_empty()
            && page.tags.is_empty()
            && page.blocks.is_empty()
            && only.is_some_and(|section| section.heading == on_one_line(topic))
    };
    [format!("# {topic}"), format!("# {escaped}")].into_iter().find(says_topic)
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Content and examples of a page's text, with or without its heading.
pub(super) fn read(body: &str, topic: &str) -> (String, Vec<String>) {
    let body = plain_breaks(body);
    let text = without_heading(from_first_line(&body), topic);
    match with_examples(text) {
        Some((content, examples)) => (content.trim_end().to_owned(), examples),
        None => (text.trim_end().to_owned(), Vec::new()),
    }
}

/// A page's text without its heading, for a page whose examples are stored elsewhere.
pub(super) fn read_all(body: &str, topic: &str) -> String {
    let body = plain_breaks(body);
    without_heading(from_first_line(&body), topic).trim_end().to_owned()
}

/// Normalizes line breaks to `\n`.
pub(super) fn plain_breaks(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// `text` from its first line that is not blank.
pub(super) fn from_first_line(text: &str) -> &str {
    let mut rest = text;
    while let Some((line, after)) = rest.split_once('\n') {
        if !line.trim().is_empty() {
            return rest;
        }
        rest = after;
    }
    if rest.trim().is_empty() { "" } else { rest }
}

/// `text` without a first heading that repeats the topic.
pub(super) fn without_heading<'t>(text: &'t str, topic: &str) -> &'t str {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    if !first.starts_with("# ") {
        return text;
    }
    let page = parse(&format!("{first}\n"), &LinkTypes::default());
    let says = page.sections.first().is_some_and(|section| {
        section.level == 1 && page.sections.len() == 1 && fold_key(&section.heading) == fold_key(topic)
    });
    if says { from_first_line(rest) } else { text }
}

/// The text before the heading of examples, and the examples, if the text ends with that heading and code blocks.
fn with_examples(text: &str) -> Option<(&str, Vec<String>)> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_end() == HEADING
            && let (Some(before), Some(after)) = (text.get(..at), text.get(at + line.len()..))
            && let Some(examples) = only_blocks(after)
        {
            return Some((before, examples));
        }
        at += line.len();
    }
    None
}

/// The code blocks of a text that contains nothing else.
fn only_blocks(text: &str) -> Option<Vec<String>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut examples = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        if line.trim().is_empty() {
            at += 1;
            continue;
        }
        let fence = Fence::opening(line)?;
        let end = lines.iter().skip(at + 1).position(|line| fence.is_closed_by(line))? + at + 1;
        let block = if fence.info.is_empty() { lines.get(at + 1..end)? } else { lines.get(at..=end)? };
        let example = block.join("\n");
        if !example.trim().is_empty() {
            examples.push(example);
        }
        at = end + 1;
    }
    (!examples.is_empty()).then_some(examples)
}

/// An example as a code block. An example that is already a code block with a language is left unchanged.
pub(super) fn fenced(example: &str, language: &str) -> String {
    if is_block(example).is_some_and(|has_language| has_language) {
        return example.to_owned();
    }
    let longest = example.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{example}\n{fence}")
}

/// For a text that is a single code block, whether it names a language; `None` for any other text.
pub(super) fn is_block(text: &str) -> Option<bool> {
    let lines: Vec<&str> = text.lines().collect();
    let (first, inner, last) = match lines.as_slice() {
        [first, inner @ .., last] => (first, inner, last),
        _ => return None,
    };
    let fence = Fence::opening(first)?;
    let whole = fence.is_closed_by(last) && !inner.iter().any(|line| fence.is_closed_by(line));
    // Nothing else is read back: no text before or after the block.
    (whole && !text.ends_with('\n')).then_some(!fence.info.is_empty())
}

/// The closing fence of the code block that a text leaves open, if any.
pub(super) fn open_fence(text: &str) -> Option<String> {
    let mut open: Option<Fence<'_>> = None;
    for line in text.lines() {
        // A fence may be indented by up to three spaces.
        let unindented = line.trim_start_matches(' ');
        let line = if line.len() - unindented.len() <= 3 { unindented } else { line };
        open = match open {
            Some(fence) if fence.is_closed_by(line) => None,
            Some(fence) => Some(fence),
            None => Fence::opening(line),
        };
    }
    open.map(|fence| fence.closing())
}
