//! Replaces and adds text of a page with the page's line breaks, without changing any other byte.

use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::{LinkTypes, Section, body, front_matter, lines, parse};

/// The first line break of a text, `\n` if it has none.
pub(super) fn line_break(text: &str) -> &'static str {
    lines::split(text).next().map_or("\n", |(_, line)| match line.get(lines::content(line).len()..) {
        Some("\r\n") => "\r\n",
        Some("\r") => "\r",
        _ => "\n",
    })
}

/// `content` with the line breaks of `text`, without a byte order mark.
pub(crate) fn in_kind(content: &str, text: &str) -> String {
    let plain = content.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace('\r', "\n");
    match line_break(text) {
        "\n" => plain,
        other => plain.replace('\n', other),
    }
}

/// Where the text of a page starts, after its byte order mark and front matter.
pub(crate) fn body_start(text: &str) -> usize {
    front_matter::find(text).map_or_else(|| front_matter::text_start(text), |block| block.whole.end)
}

/// The YAML between the fences of the front matter; `None` if there is none.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn yaml_range(text: &str) -> Option<Range<usize>> {
    front_matter::find(text).map(|block| block.yaml)
}

/// Whether `content` starts with front matter.
pub(crate) fn has_front_matter(content: &str) -> bool {
    front_matter::find(content).is_some()
}

/// `text` with everything after its front matter replaced, or also the front matter if `content` has its own.
pub(crate) fn with_body(text: &str, content: &str) -> String {
    let content = ended(in_kind(content, text), text);
    let keep = if has_front_matter(&content) { front_matter::text_start(text) } else { body_start(text) };
    // The blank line between front matter and text is part of neither.
    let rest = text.get(keep..).unwrap_or("");
    let blank = rest.len() - rest.trim_start_matches(['\n', '\r']).len();
    let blank =
        if content.starts_with(['\n', '\r']) || keep == front_matter::text_start(text) { 0 } else { blank };
    let blank = if rest.len() == blank { 0 } else { blank };
    format!("{}{content}", text.get(..keep + blank).unwrap_or(text))
}

/// `content` with a line break at its end, unless `text` ends without one.
fn ended(mut content: String, text: &str) -> String {
    let bare = !text.is_empty() && !text.ends_with(['\n', '\r']);
    if !content.is_empty() && !content.ends_with(['\n', '\r']) && !bare {
        content.push_str(line_break(text));
    }
    content
}

/// `text` with `content` added at its end, or at the end of a section, separated by a blank line.
pub(crate) fn with_appended(text: &str, at: Option<Range<usize>>, content: &str) -> Option<String> {
    let content = in_kind(content, text);
    let content = content.trim_matches(['\n', '\r']);
    let eol = line_break(text);
    let end = at.map_or(text.len(), |range| range.end);
    let (before, after) = text.split_at_checked(end)?;
    let kept = before.trim_end_matches(['\n', '\r', ' ', '\t']);
    let tail = before.get(kept.len()..)?;
    let start = body_start(text);
    let gap = if kept.len() <= start {
        // There is nothing but front matter before.
        return Some(format!("{before}{}{content}{eol}{after}", if ends_line(before) { "" } else { eol }));
    } else if continues(kept, content) {
        eol.to_owned()
    } else {
        format!("{eol}{eol}")
    };
    let tail = if tail.is_empty() && !after.is_empty() { eol } else { tail };
    let tail = if tail.is_empty() { eol } else { tail };
    Some(format!("{kept}{gap}{content}{tail}{after}"))
}

fn ends_line(text: &str) -> bool {
    text.is_empty() || text == "\u{feff}" || text.ends_with(['\n', '\r'])
}

/// Whether the last line before and the first added line are both list items, or both table rows.
fn continues(before: &str, content: &str) -> bool {
    let last = before.rsplit(['\n', '\r']).next().unwrap_or("").trim_start();
    let first = content.split(['\n', '\r']).next().unwrap_or("").trim_start();
    let is_item = |line: &str| {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let numbered = rest.len() < line.len() && (rest.starts_with(". ") || rest.starts_with(") "));
        numbered || ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark))
    };
    (is_item(last) && is_item(first)) || (last.starts_with('|') && first.starts_with('|'))
}

/// Bytes of a section without its subsections.
pub(crate) fn section_range(sections: &[Section], id: &str) -> Option<Range<usize>> {
    sections.iter().find(|section| section.id == id).map(|section| section.range.clone())
}

/// Bytes of a section and its subsections.
pub(crate) fn branch(sections: &[Section], id: &str) -> Option<Range<usize>> {
    let at = sections.iter().position(|section| section.id == id)?;
    let first = sections.get(at)?;
    let below =
        sections.iter().skip(at + 1).take_while(|section| first.level > 0 && section.level > first.level);
    let end = below.last().map_or(first.range.end, |last| last.range.end);
    Some(first.range.start..end)
}

/// `text` with the content of `range` replaced, which is a section with or without subsections. The heading is kept
/// if `content` has none. `None` if the text around would change its meaning.
pub(crate) fn with_section(text: &str, range: Range<usize>, content: &str) -> Option<String> {
    let source = text.get(range.clone())?;
    let content = in_kind(content, text);
    let content = content.trim_start_matches(['\n', '\r']).trim_end();
    let tail = source.get(source.trim_end().len()..)?;
    let heading = heading_end(source);
    let begins_with_heading = heading_end(content) > 0;
    let eol = line_break(text);
    let new = if heading > 0 && !begins_with_heading {
        let head = source.get(..heading)?.trim_end();
        let rest = source.get(head.len()..)?;
        // Keep the blank lines after the heading; one if the section had no text.
        let gap = rest.get(..rest.len() - rest.trim_start().len()).filter(|_| !rest.trim().is_empty());
        let gap = gap.map_or_else(|| format!("{eol}{eol}"), str::to_owned);
        if content.is_empty() { head.to_owned() } else { format!("{head}{gap}{content}") }
    } else {
        content.to_owned()
    };
    let edited = [text.get(..range.start)?, &new, tail, text.get(range.end..)?].concat();
    let (old, now) = (parse(text, &LinkTypes::default()), parse(&edited, &LinkTypes::default()));
    let shown = |text: &str, section: &Section| text.get(section.range.clone()).map(str::to_owned);
    let before = |section: &&Section| section.range.start < range.start;
    let head_old: Vec<_> = old.sections.iter().filter(before).map(|section| shown(text, section)).collect();
    let head_new: Vec<_> =
        now.sections.iter().take(head_old.len()).map(|section| shown(&edited, section)).collect();
    let tail_old: Vec<_> = old
        .sections
        .iter()
        .filter(|s| s.range.start >= range.end)
        .map(|section| shown(text, section))
        .collect();
    let last = now.sections.iter().rev().take(tail_old.len()).rev();
    let tail_new: Vec<_> = last.map(|section| shown(&edited, section)).collect();
    let same = head_old == head_new && tail_old == tail_new && old.front_matter == now.front_matter;
    same.then_some(edited)
}

/// End of the heading at the start of `text`, 0 if there is none.
fn heading_end(text: &str) -> usize {
    let mut events = Parser::new_ext(text, body::options()).into_offset_iter();
    let begins = matches!(events.next(), Some((Event::Start(Tag::Heading { .. }), range)) if text.get(..range.start).is_some_and(|before| before.trim().is_empty()));
    if !begins {
        return 0;
    }
    events
        .find_map(|(event, range)| matches!(event, Event::End(TagEnd::Heading(_))).then_some(range.end))
        .unwrap_or(0)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const PAGE: &str = "\u{feff}---\r\ntitle: T\r\n---\r\n\r\n# T\r\n\r\nIntro.\r\n\r\n## A\r\nOne.\r\n\r\n### A1\r\n\r\nDeep.\r\n\r\n## B\r\n\r\nTwo.";

    fn section(id: &str) -> Range<usize> {
        branch(&parse(PAGE, &LinkTypes::default()).sections, id).unwrap()
    }

    #[test]
    fn replacing_the_body_keeps_the_rest() {
        assert_eq!(
            with_body(PAGE, "# New\n\nText."),
            "\u{feff}---\r\ntitle: T\r\n---\r\n\r\n# New\r\n\r\nText."
        );
        assert_eq!(with_body("old\n", "new"), "new\n");
        assert_eq!(with_body("---\na: b\n---\nold\n", "---\nc: d\n---\nnew\n"), "---\nc: d\n---\nnew\n");
    }

    #[test]
    fn a_section_is_replaced_with_its_subsections() {
        let edited = with_section(PAGE, section("t/a"), "New.\n\nText.\n\n").unwrap();
        assert_eq!(edited, PAGE.replace("One.\r\n\r\n### A1\r\n\r\nDeep.", "New.\r\n\r\nText."));
        let edited = with_section(PAGE, section("t/a"), "## Z\nNew.").unwrap();
        assert_eq!(edited, PAGE.replace("## A\r\nOne.\r\n\r\n### A1\r\n\r\nDeep.", "## Z\r\nNew."));
        let edited = with_section(PAGE, section("t/b"), "Three.").unwrap();
        assert_eq!(edited, PAGE.replace("Two.", "Three."));
        assert_eq!(with_section(PAGE, section("t/a"), "```\nopen"), None, "it would swallow what follows");
    }

    #[test]
    fn a_section_is_replaced_without_its_subsections() {
        let alone = section_range(&parse(PAGE, &LinkTypes::default()).sections, "t/a").unwrap();
        let edited = with_section(PAGE, alone.clone(), "New.").unwrap();
        assert_eq!(edited, PAGE.replace("One.", "New."));
        assert_eq!(with_section(PAGE, alone, "<!-- open"), None, "the comment would hide the subsections");
    }

    #[test]
    fn added_text_is_separated_by_a_blank_line() {
        assert_eq!(with_appended("a\n", None, "b").unwrap(), "a\n\nb\n");
        assert_eq!(with_appended("a", None, "b\n").unwrap(), "a\n\nb\n");
        assert_eq!(with_appended("- a\n", None, "- b").unwrap(), "- a\n- b\n");
        assert_eq!(with_appended("", None, "b").unwrap(), "b\n");
        assert_eq!(with_appended("---\nx: y\n---\n", None, "b").unwrap(), "---\nx: y\n---\nb\n");
        assert_eq!(
            with_appended(PAGE, Some(section("t/a")), "End.").unwrap(),
            PAGE.replace("Deep.\r\n", "Deep.\r\n\r\nEnd.\r\n")
        );
    }
}
