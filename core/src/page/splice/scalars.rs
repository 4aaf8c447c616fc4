//! Replaces texts in a YAML block, in keys and values at any depth, so that any new text stays one text.

use granit_parser::{Event, Parser, ScalarStyle, StructureStyle};

use super::scalar::{auto, like};
use crate::page::Lines;
use crate::page::front_matter::limits;
use crate::reported;

/// What replaces a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Replacement {
    /// A text, quoted if it has to be.
    Text(String),
    /// A number or a truth value, never quoted unless the old text was.
    Verbatim(String),
    /// A list of texts, on one line.
    List(Vec<String>),
}

/// `yaml` with the texts for which `fill` returns a replacement.
///
/// # Errors
/// If `yaml` is invalid: the line in it, from 1, and what is wrong.
pub(crate) fn fill_scalars(
    yaml: &str,
    fill: &dyn Fn(&str) -> Option<Replacement>,
) -> Result<String, (usize, String)> {
    let lines = Lines::new(yaml);
    let mut flows: Vec<bool> = Vec::new();
    let mut filled = String::with_capacity(yaml.len());
    let mut done = 0;
    for item in Parser::new_from_str_with_options(yaml, limits()) {
        let (event, span) = item.map_err(|error| {
            let line = lines.line_of(error.marker().byte_offset().unwrap_or(0));
            (line, reported!("this is not valid YAML: {reason}", reason = error.info()))
        })?;
        let (text, style) = match event {
            Event::MappingStart(style, ..) | Event::SequenceStart(style, ..) => {
                flows.push(style == StructureStyle::Flow);
                continue;
            }
            Event::MappingEnd | Event::SequenceEnd => {
                flows.pop();
                continue;
            }
            Event::Scalar(text, style, ..) => (text, style),
            _ => continue,
        };
        let Some(range) = span.byte_range().filter(|range| range.start >= done) else { continue };
        let raw = yaml.get(range.clone()).unwrap_or_default();
        let is_block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
        let is_plain = style == ScalarStyle::Plain;
        let flow = flows.last().copied().unwrap_or(false);
        let (mut start, written) = match fill(if is_block { raw } else { &text }) {
            None => continue,
            Some(Replacement::Text(text)) if is_block || (text.is_empty() && is_plain) => (range.start, text),
            Some(Replacement::Verbatim(text)) if is_block || is_plain => (range.start, text),
            Some(Replacement::Text(text) | Replacement::Verbatim(text)) => {
                (range.start, like(&text, style, flow))
            }
            Some(Replacement::List(items)) => {
                let items: Vec<String> = items.iter().map(|item| auto(item, true)).collect();
                (range.start, format!("[{}]", items.join(", ")))
            }
        };
        if written.is_empty() {
            let before = yaml.get(done..start).unwrap_or_default();
            start -= before.len() - before.trim_end_matches(' ').len();
        }
        filled.push_str(yaml.get(done..start).unwrap_or_default());
        filled.push_str(&written);
        done = range.end;
    }
    filled.push_str(yaml.get(done..).unwrap_or_default());
    Ok(filled)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn filled(yaml: &str, value: &str) -> String {
        fill_scalars(yaml, &|text| text.contains('¤').then(|| Replacement::Text(text.replace('¤', value))))
            .unwrap()
    }

    #[test]
    fn any_text_stays_one_value_in_every_style() {
        let yaml = "a: ¤\nb: \"x ¤\"\nc: 'it''s ¤'\nd: [y, ¤]\ne:\n  - ¤\nf: {g: ¤}\n";
        assert_eq!(
            filled(yaml, "p: \"q\" # [r], it's"),
            "a: \"p: \\\"q\\\" # [r], it's\"\nb: \"x p: \\\"q\\\" # [r], it's\"\n\
             c: 'it''s p: \"q\" # [r], it''s'\nd: [y, \"p: \\\"q\\\" # [r], it's\"]\n\
             e:\n  - \"p: \\\"q\\\" # [r], it's\"\nf: {g: \"p: \\\"q\\\" # [r], it's\"}\n"
        );
        assert_eq!(filled("a: ¤ # why\n", "plain"), "a: plain # why\n");
        assert_eq!(filled("a: ¤\nb: \"¤\"\n", ""), "a:\nb: \"\"\n");
        assert_eq!(filled("é: 1\na: ¤\n", "ü"), "é: 1\na: ü\n");
    }

    #[test]
    fn lists_numbers_and_truth_values_replace_a_text() {
        let filled =
            |by: Replacement| fill_scalars("a: ¤\n", &|text| (text == "¤").then(|| by.clone())).unwrap();
        let list = |items: &[&str]| Replacement::List(items.iter().map(|item| (*item).to_owned()).collect());
        assert_eq!(filled(list(&["x", "y, z"])), "a: [x, \"y, z\"]\n");
        assert_eq!(filled(list(&[])), "a: []\n");
        assert_eq!(filled(Replacement::Verbatim("true".into())), "a: true\n");
        assert_eq!(filled(Replacement::Text("true".into())), "a: \"true\"\n");
    }

    #[test]
    fn errors_have_the_line() {
        let (line, message) = fill_scalars("a: 1\nb: [\n", &|_| None).unwrap_err();
        assert!(line >= 2 && message.contains("not valid YAML"), "{line} {message}");
    }
}
