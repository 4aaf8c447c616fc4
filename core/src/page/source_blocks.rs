//! Blocks of code that name code of the project, to show it in their place:
//!
//! ````markdown
//! ```ubp-source src/auth/login.ts#login
//! ```
//! ````

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
    let mut open: Option<(String, String)> = None;
    for (event, range) in Parser::new_ext(text, markdown_options()).into_offset_iter() {
        match (&mut open, event) {
            (None, Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info)))) if is_source(&info) => {
                line += text.get(at..range.start).map_or(0, |part| part.matches('\n').count());
                at = range.start;
                open = Some((info.into_string(), String::new()));
            }
            (Some((_, body)), Event::Text(part)) => body.push_str(&part),
            (Some(_), _) => {
                if let Some((info, body)) = open.take() {
                    let named = sources_named(&info, &body).into_iter();
                    found.extend(named.map(|named| SourceBlock { line, named: named.to_owned() }));
                }
            }
            _ => {}
        }
    }
    found
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
