//! What has to be known about a page before it is written: where text is highlighted with `==`, and which elements of
//! its own HTML can be linked to.

use std::collections::HashSet;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::own_html;
use crate::page;

/// Facts about a page's text.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// Bytes of each `==` that opens or closes highlighted text, in order, and whether it opens it.
    pub highlights: Vec<(usize, bool)>,
    /// Ids and names of its elements.
    pub names: HashSet<String>,
}

/// Reads the page, if it needs to be.
pub(super) fn survey(text: &str) -> Survey {
    let mut survey = Survey::default();
    let has_names = text.contains('<') && (text.contains("id=") || text.contains("name="));
    if !has_names && !text.contains("==") {
        return survey;
    }
    // Text is highlighted inside one element: `==` in a link and outside of it are no pair.
    let mut open: Vec<Vec<usize>> = vec![Vec::new()];
    let mut verbatim = 0_usize;
    let mut block = String::new();
    for (event, range) in Parser::new_ext(text, page::markdown_options()).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                open.push(Vec::new());
                verbatim +=
                    usize::from(matches!(tag, Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::Image { .. }));
            }
            Event::End(tag) => {
                open.pop();
                if tag == TagEnd::HtmlBlock {
                    survey.names.extend(own_html::names_in(&std::mem::take(&mut block)));
                }
                let was = matches!(tag, TagEnd::CodeBlock | TagEnd::HtmlBlock | TagEnd::Image);
                verbatim -= usize::from(was && verbatim > 0);
            }
            Event::Text(found) if verbatim == 0 && text.get(range.clone()) == Some(&*found) => {
                for (at, _) in found.match_indices("==") {
                    pair(text, range.start + at, open.last_mut(), &mut survey.highlights);
                }
            }
            Event::InlineHtml(html) if has_names => survey.names.extend(own_html::names_in(&html)),
            // A tag may continue on the next line.
            Event::Html(html) if has_names => block.push_str(&html),
            _ => {}
        }
    }
    survey.highlights.sort_unstable();
    survey
}

/// Addresses of links and pictures in the HTML that a page contains, as they are written.
pub(crate) fn addresses_in_html(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut block = String::new();
    if !text.contains('<') {
        return found;
    }
    for event in Parser::new_ext(text, page::markdown_options()) {
        match event {
            Event::InlineHtml(html) => found.extend(own_html::addresses_in(&html)),
            Event::Html(html) => block.push_str(&html),
            Event::End(TagEnd::HtmlBlock) => {
                found.extend(own_html::addresses_in(&std::mem::take(&mut block)))
            }
            _ => {}
        }
    }
    found
}

/// Takes the `==` at byte `at` as the end of highlighted text, or as its possible start.
fn pair(text: &str, at: usize, open: Option<&mut Vec<usize>>, found: &mut Vec<(usize, bool)>) {
    let Some(open) = open else { return };
    let before = text.get(..at).and_then(|text| text.chars().next_back());
    let after = text.get(at + 2..).and_then(|text| text.chars().next());
    if before == Some('=') || after == Some('=') || before == Some('\\') {
        return;
    }
    match open.pop().filter(|_| before.is_some_and(|c| !c.is_whitespace())) {
        Some(start) => found.extend([(start, true), (at, false)]),
        None if after.is_some_and(|c| !c.is_whitespace()) => open.push(at),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn highlighted(text: &str) -> Vec<&str> {
        let marks = survey(text).highlights;
        marks.chunks(2).filter_map(|pair| text.get(pair.first()?.0 + 2..pair.last()?.0)).collect()
    }

    #[test]
    fn highlights_begin_and_end_at_a_word_in_one_element() {
        assert_eq!(highlighted("a ==b c== d ==e==."), ["b c", "e"]);
        assert_eq!(highlighted("==*a* b== and **==c==**"), ["*a* b", "c"]);
        for text in
            ["a == b == c", "====a====", "\\==a==", "`==a==`", "==a\n\nb==", "*==a* b==", "<p>==a==</p>"]
        {
            assert_eq!(highlighted(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn addresses_in_html_are_found() {
        let text = "a <a href='b.md'>c</a>\n\n<p>\n<img\n  src=d.png><source srcset=\"e.png 1x, f.png 2x\"></p>\n\n`<img src=g>`\n";
        assert_eq!(addresses_in_html(text), ["b.md", "d.png", "e.png", "f.png"]);
    }

    #[test]
    fn names_of_elements_are_found() {
        let names = survey("a <a name=\"x\"></a>\n\n<h2 id='y'>b</h2>\n\n`<a id=z>`").names;
        assert_eq!(names.len(), 2);
        assert!(names.contains("x") && names.contains("y"));
    }
}
