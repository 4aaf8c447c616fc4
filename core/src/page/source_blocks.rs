//! Blocks of code that name code of the project, to show it in their place:
//!
//! ````markdown
//! ```ubp-source src/auth/login.ts#login
//! ```
//! ````

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};

use super::markdown_options;

/// Language of such a block.
const LANGUAGE: &str = "ubp-source";

/// Code that a block names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SourceBlock {
    /// Line of the fence, from 1.
    pub line: usize,
    /// Path relative to the project, which `#` and a symbol or lines may follow. As written, without spaces around it.
    pub named: String,
    /// Its bytes; `None` if it is written with escapes.
    #[cfg(not(target_family = "wasm"))]
    pub range: Option<Range<usize>>,
}

/// Whether a block of code with this info string names code of the project.
pub(crate) fn is_source(info: &str) -> bool {
    info.split_whitespace().next().is_some_and(|word| word.eq_ignore_ascii_case(LANGUAGE))
}

/// The code that such a block names: what follows its language, or without that each of its lines.
pub(crate) fn sources_named<'t>(info: &'t str, text: &'t str) -> Vec<&'t str> {
    let named = info.trim_start().split_once(char::is_whitespace).map(|(_, named)| named.trim());
    match named.filter(|named| !named.is_empty()) {
        Some(named) => vec![named],
        None => text.lines().map(str::trim).filter(|line| !line.is_empty()).collect(),
    }
}

/// The code that the blocks of a text name, in order. The text has no front matter.
pub(crate) fn source_blocks(text: &str) -> Vec<SourceBlock> {
    let mut found = Vec::new();
    if !text.as_bytes().windows(LANGUAGE.len()).any(|word| word.eq_ignore_ascii_case(LANGUAGE.as_bytes())) {
        return found;
    }
    let (mut at, mut line) = (0, 1);
    let mut open: Option<Open> = None;
    for (event, range) in Parser::new_ext(text, markdown_options()).into_offset_iter() {
        match (&mut open, event) {
            (None, Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info)))) if is_source(&info) => {
                line += text.get(at..range.start).map_or(0, |part| part.matches('\n').count());
                at = range.start;
                open = Some(Open {
                    start: at,
                    info: info.into_string(),
                    body: String::new(),
                    parts: Vec::new(),
                });
            }
            (Some(open), Event::Text(part)) => {
                open.parts.push((open.body.len(), range));
                open.body.push_str(&part);
            }
            (Some(_), _) => {
                if let Some(open) = open.take() {
                    let named = sources_named(&open.info, &open.body).into_iter();
                    found.extend(named.map(|named| SourceBlock {
                        line,
                        named: named.to_owned(),
                        #[cfg(not(target_family = "wasm"))]
                        range: open.range_of(text, named),
                    }));
                }
            }
            _ => {}
        }
    }
    found
}

/// A block that is being read.
struct Open {
    /// Where its fence is in the text.
    #[cfg_attr(target_family = "wasm", allow(dead_code))]
    start: usize,
    info: String,
    body: String,
    /// Where the parts of its body start, and their bytes in the text.
    #[cfg_attr(target_family = "wasm", allow(dead_code))]
    parts: Vec<(usize, Range<usize>)>,
}

#[cfg(not(target_family = "wasm"))]
impl Open {
    /// The bytes of `named`, a part of the info string or of the body, in the text of the page.
    fn range_of(&self, text: &str, named: &str) -> Option<Range<usize>> {
        let within = |whole: &str| (named.as_ptr() as usize).checked_sub(whole.as_ptr() as usize);
        let start = match within(&self.body).filter(|offset| *offset < self.body.len()) {
            Some(offset) => {
                let (part, range) = self.parts.iter().rev().find(|(part, _)| *part <= offset)?;
                range.start + offset - part
            }
            None => {
                let fence = text.get(self.start..)?.lines().next()?;
                self.start + fence.rfind(named)?
            }
        };
        let range = start..start + named.len();
        (text.get(range.clone()) == Some(named)).then_some(range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Vec<(usize, String)> {
        source_blocks(text).into_iter().map(|block| (block.line, block.named)).collect()
    }

    #[test]
    fn a_block_names_code_after_its_language_or_in_its_lines() {
        let text = "# A\n\n```ubp-source src/a b.ts#f\nignored\n```\n\n- item\n\n  ~~~ UBP-Source\n  src/b.rs\n\n  src/c.rs#L1-L2\n  ~~~\n";
        let expected = [(3, "src/a b.ts#f"), (9, "src/b.rs"), (9, "src/c.rs#L1-L2")];
        assert_eq!(named(text), expected.map(|(line, named)| (line, named.to_owned())));
    }

    #[test]
    fn other_blocks_name_nothing() {
        for text in [
            "ubp-source src/a.ts",
            "```\nubp-source src/a.ts\n```",
            "```ubp-sources src/a.ts\n```",
            "    ```ubp-source src/a.ts\n    ```",
            "```text\n```ubp-source src/a.ts\n```",
            "`ubp-source src/a.ts`",
            "```ubp-source\n```",
        ] {
            assert_eq!(named(text), [], "{text}");
        }
    }

    #[test]
    fn a_block_that_never_ends_names_code_too() {
        assert_eq!(named("x\n```ubp-source src/a.ts"), [(2, "src/a.ts".to_owned())]);
    }
}
