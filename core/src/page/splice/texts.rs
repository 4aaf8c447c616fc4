//! Finds the texts in front matter with their bytes, so that one of them can be replaced and the others stay as they are.

use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, StructureStyle};

use super::scalar;
use crate::page::Lines;
use crate::page::front_matter::{self, limits};

/// A value in front matter that is a text, at any depth.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FrontText {
    /// The key at the top level that it belongs to.
    pub key: String,
    /// The nearest key above it.
    pub nearest: String,
    /// The text.
    pub value: String,
    /// Its bytes in the page, with quotes.
    pub range: Range<usize>,
    /// Line on which it starts, from 1.
    pub line: usize,
    style: ScalarStyle,
    flow: bool,
}

impl FrontText {
    /// What stands in place of its bytes if it becomes `value`.
    pub(crate) fn written(&self, value: &str) -> String {
        // What tells a number from a text stays as it is.
        scalar::like(value, self.style, self.flow)
    }
}

/// The texts in the front matter of a page, in order; none if it is not valid YAML.
pub(crate) fn front_texts(text: &str) -> Vec<FrontText> {
    let Some(block) = front_matter::find(text) else { return Vec::new() };
    let Some(yaml) = text.get(block.yaml.clone()) else { return Vec::new() };
    let lines = Lines::new(text);
    let mut frames: Vec<Frame> = Vec::new();
    let mut found = Vec::new();
    for item in Parser::new_from_str_with_options(yaml, limits()) {
        let Ok((event, span)) = item else { return Vec::new() };
        match event {
            Event::MappingStart(style, ..) => {
                frames.push(Frame { is_map: true, flow: style == StructureStyle::Flow, key: None });
            }
            Event::SequenceStart(style, ..) => {
                frames.push(Frame { is_map: false, flow: style == StructureStyle::Flow, key: None });
            }
            Event::MappingEnd | Event::SequenceEnd => {
                frames.pop();
                value_done(&mut frames);
            }
            Event::Alias(_) => value_done(&mut frames),
            Event::Scalar(value, style, ..) => {
                if let Some(Frame { is_map: true, key: key @ None, .. }) = frames.last_mut() {
                    *key = Some(value.into_owned());
                    continue;
                }
                let keys = || frames.iter().filter_map(|frame| frame.key.clone());
                if let Some(range) = span.byte_range().filter(|range| !range.is_empty()) {
                    let start = block.yaml.start + range.start;
                    found.push(FrontText {
                        key: keys().next().unwrap_or_default(),
                        nearest: keys().next_back().unwrap_or_default(),
                        value: value.into_owned(),
                        line: lines.line_of(start),
                        range: start..block.yaml.start + range.end,
                        style,
                        flow: frames.last().is_some_and(|frame| frame.flow),
                    });
                }
                value_done(&mut frames);
            }
            _ => {}
        }
    }
    found
}

struct Frame {
    is_map: bool,
    flow: bool,
    /// The key whose value comes next.
    key: Option<String>,
}

fn value_done(frames: &mut [Frame]) {
    if let Some(frame) = frames.last_mut() {
        frame.key = None;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_their_keys_and_bytes() {
        let text = "\u{feff}---\r\ntitle: é\r\nsources:\r\n  - { id: x, resource: 'a''b' }\r\n  - \"c\"\r\n\
                    tags: [d, e]\r\nempty:\r\n---\r\n";
        let found: Vec<_> = front_texts(text)
            .into_iter()
            .map(|found| {
                let written = text[found.range.clone()].to_owned();
                (found.key, found.nearest, found.value, written, found.line)
            })
            .collect();
        let expected = [
            ("title", "title", "é", "é", 2),
            ("sources", "id", "x", "x", 4),
            ("sources", "resource", "a'b", "'a''b'", 4),
            ("sources", "sources", "c", "\"c\"", 5),
            ("tags", "tags", "d", "d", 6),
            ("tags", "tags", "e", "e", 6),
        ];
        let expected = expected.map(|(key, nearest, value, written, line)| {
            (key.to_owned(), nearest.to_owned(), value.to_owned(), written.to_owned(), line)
        });
        assert_eq!(found, expected);
        assert_eq!(front_texts("---\na: [\n---\n"), []);
        assert_eq!(front_texts("no front matter"), []);
    }
}
