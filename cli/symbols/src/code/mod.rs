//! Code in languages that have a grammar.

mod languages;
mod rules;
mod walk;

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::thread;

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use crate::grammar::Grammar;
use crate::limits::{Deadline, Unreadable};
use crate::outline::Outline;
use rules::Syntax;

/// # Errors
/// [`Unreadable`], but never [`Unreadable::Invalid`]: code with errors is read as far as possible.
pub fn outline(grammar: Grammar, text: &[u8], deadline: &mut Deadline) -> Result<Outline, Unreadable> {
    let Some(syntax) = Syntax::of(grammar) else { return Ok(Outline::default()) };
    let text = with_one_line_break(text);
    let tree = parsed(syntax, &text, deadline)?;
    walk::outline(syntax, &tree, &text, deadline)
}

/// The text with blanks instead of carriage returns before line breaks, so that offsets stay the same. Not every grammar
/// knows these line breaks. A backslash stays next to the line break.
fn with_one_line_break(text: &[u8]) -> Cow<'_, [u8]> {
    if !text.windows(2).any(|pair| pair == b"\r\n") {
        return Cow::Borrowed(text);
    }
    let mut out = text.to_vec();
    for at in 0..out.len().saturating_sub(1) {
        if out[at] == b'\r' && out[at + 1] == b'\n' {
            out[at] = b' ';
            if at > 0 && out[at - 1] == b'\\' {
                out.swap(at - 1, at);
            }
        }
    }
    Cow::Owned(out)
}

/// Bytes of stack per byte of text. When tree-sitter gives up a text that can be read in many ways, it releases what it has
/// with a recursion that is as deep as the text has tokens.
const STACK_PER_BYTE: usize = 160;
/// What parsing needs in any case.
const LEAST_STACK: usize = 1 << 20;
/// A text of this size fits on the stack of any thread.
const SMALL: usize = 4_000;

fn parsed(syntax: &Syntax, text: &[u8], deadline: &Deadline) -> Result<Tree, Unreadable> {
    if text.len() <= SMALL {
        return parsed_here(syntax, text, deadline);
    }
    // Memory is used only as far as the stack grows.
    let size = LEAST_STACK + text.len().saturating_mul(STACK_PER_BYTE);
    thread::scope(|scope| {
        let parser = thread::Builder::new().stack_size(size);
        let parser = parser.spawn_scoped(scope, || parsed_here(syntax, text, deadline));
        let tree = parser.ok().and_then(|parser| parser.join().ok());
        tree.unwrap_or(Err(Unreadable::TooLarge { bytes: text.len(), limit: SMALL }))
    })
}

fn parsed_here(syntax: &Syntax, text: &[u8], deadline: &Deadline) -> Result<Tree, Unreadable> {
    let mut parser = Parser::new();
    // It only fails for versions of grammars that the library does not know, which the tests rule out.
    let known = parser.set_language(&syntax.language).is_ok();
    let mut progress = |_: &ParseState| match deadline.check() {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |offset: usize, _| text.get(offset..).unwrap_or_default();
    let tree = known.then(|| parser.parse_with_options(&mut read, None, Some(options))).flatten();
    tree.ok_or(Unreadable::TookTooLong { limit: deadline.limit() })
}

#[cfg(test)]
mod tests {
    use super::rules::unknown_names;
    use crate::grammar::Grammar;

    /// A name that a new version of a grammar no longer has would silently find nothing.
    #[test]
    fn every_name_in_a_profile_is_a_node_of_the_grammar() {
        for grammar in Grammar::ALL {
            assert_eq!(unknown_names(*grammar), Vec::<&str>::new(), "{grammar:?}");
        }
    }
}
