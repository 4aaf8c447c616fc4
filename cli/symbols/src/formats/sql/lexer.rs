//! Tokens of SQL, in any dialect.

use std::ops::Range;

/// A token of SQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lexeme {
    pub range: Range<usize>,
    /// Without the quotes around a name.
    pub inner: Range<usize>,
    pub sort: Sort,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// A keyword or a name.
    Word,
    /// A name in quotes.
    Quoted,
    /// A text in `'`, or a number.
    Literal,
    /// The start or the end of a text such as `$$ … $$`, which contains tokens.
    Dollar,
    /// Any other character.
    Mark,
    /// A comment, which is no token.
    Comment,
}

/// The token at `at`, which is not white space.
pub fn lexeme(text: &[u8], at: usize) -> Lexeme {
    let rest = text.get(at..).unwrap_or_default();
    let (length, sort) = match rest {
        [b'-', b'-', ..] => (line(rest), Sort::Comment),
        [b'#', ..] if starts_line(text, at) => (line(rest), Sort::Comment),
        [b'/', b'*', ..] => (block_comment(rest), Sort::Comment),
        [b'\'', ..] => (quoted(rest, b'\''), Sort::Literal),
        [quote @ (b'"' | b'`'), ..] => (quoted(rest, *quote), Sort::Quoted),
        [b'[', next, ..] if next.is_ascii_alphabetic() => match rest.iter().position(|byte| *byte == b']') {
            Some(end) => (end + 1, Sort::Quoted),
            None => (1, Sort::Mark),
        },
        [b'$', ..] => dollar(rest).map_or((1, Sort::Mark), |length| (length, Sort::Dollar)),
        [first, ..] if first.is_ascii_digit() => (word(rest), Sort::Literal),
        [first, ..] if is_word(*first) => (word(rest), Sort::Word),
        _ => (1, Sort::Mark),
    };
    let range = at..(at + length.max(1)).min(text.len());
    let quotes = usize::from(sort == Sort::Quoted && range.len() > 2);
    Lexeme { inner: range.start + quotes..range.end - quotes, range, sort }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn word(rest: &[u8]) -> usize {
    rest.iter().take_while(|byte| is_word(**byte) || **byte == b'$').count()
}

fn line(rest: &[u8]) -> usize {
    rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
}

fn starts_line(text: &[u8], at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    before.iter().rev().find(|byte| !matches!(byte, b' ' | b'\t')).is_none_or(|byte| *byte == b'\n')
}

/// Comments can be nested.
fn block_comment(rest: &[u8]) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    loop {
        match rest.get(at..) {
            Some([b'/', b'*', ..]) => {
                depth += 1;
                at += 2;
            }
            Some([b'*', b'/', ..]) => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            Some([_, ..]) => at += 1,
            _ => return rest.len(),
        }
    }
}

/// Two quotes are a quote in the text. A backslash is an escape in MySQL only, so it is one if a quote follows that would
/// leave the rest of the line open.
fn quoted(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while let Some(byte) = rest.get(at) {
        match (byte, rest.get(at + 1)) {
            (b'\\', Some(next))
                if *next == quote && rest.get(at + 2).is_some_and(u8::is_ascii_alphanumeric) =>
            {
                at += 2
            }
            (byte, Some(next)) if *byte == quote && *next == quote => at += 2,
            (byte, _) if *byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// `$$` or `$name$`.
fn dollar(rest: &[u8]) -> Option<usize> {
    let name = rest.get(1..)?.iter().take_while(|byte| is_word(**byte)).count();
    (rest.get(name + 1) == Some(&b'$')).then_some(name + 2)
}
