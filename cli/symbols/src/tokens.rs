//! The tokens of a file: what it says without comments and layout.

use std::borrow::Cow;
use std::ops::Range;

use sha2::{Digest as _, Sha256};

use crate::fingerprint::Hash;

/// A part of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    pub start: usize,
    pub end: usize,
    pub form: Form,
}

/// How the text of a token is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As it is. It may be the name of a definition.
    Plain,
    /// A literal in quotes: as it is, except for the kind of line breaks.
    Literal,
    /// A literal in a language where `'` and `"` mean the same.
    Quoted,
    /// Without regard to case, such as the keywords of SQL.
    Caseless,
    /// Text for readers: all white space is equal.
    Prose,
    /// A comma, which is left out before a closing bracket.
    Comma,
    /// The start of an indented block, where indentation has a meaning. It has no text.
    Indent,
    /// Its end.
    Dedent,
    /// A value that can be written in several ways, as it is after reading it: its place in the decoded texts.
    Decoded(usize),
}

/// The tokens of a file in their order.
#[derive(Debug, Default)]
pub struct Tokens {
    list: Vec<Token>,
    decoded: Vec<String>,
}

impl Tokens {
    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn push(&mut self, range: Range<usize>, form: Form) {
        self.list.push(Token { start: range.start, end: range.end, form });
    }

    /// Adds a closing bracket. A comma before it is layout.
    pub fn close(&mut self, range: Range<usize>) {
        if self.list.last().is_some_and(|last| last.form == Form::Comma) {
            self.list.pop();
        }
        self.push(range, Form::Plain);
    }

    pub fn push_decoded(&mut self, range: Range<usize>, text: String) {
        self.push(range, Form::Decoded(self.decoded.len()));
        self.decoded.push(text);
    }

    pub fn slice(&self, range: Range<usize>) -> &[Token] {
        self.list.get(range).unwrap_or_default()
    }
}

/// Hashes tokens so that equal hashes mean equal tokens.
pub struct Hasher<'a> {
    text: &'a [u8],
    tokens: &'a Tokens,
    /// Names that are replaced by their place, so that a definition with another name has the same hash.
    names: &'a [String],
    state: Sha256,
    /// How many tokens and words were added.
    length: usize,
}

impl<'a> Hasher<'a> {
    pub fn new(text: &'a [u8], tokens: &'a Tokens, names: &'a [String]) -> Self {
        Self { text, tokens, names, state: Sha256::new(), length: 0 }
    }

    pub fn add(&mut self, token: Token) {
        let text = self.text.get(token.start..token.end).unwrap_or_default();
        match token.form {
            Form::Plain | Form::Comma => self.name_or(text, |name| name == text),
            Form::Caseless => {
                self.name_or(&text.to_ascii_lowercase(), |name| name.eq_ignore_ascii_case(text))
            }
            Form::Decoded(place) => {
                let text = self.tokens.decoded.get(place).map_or(&[][..], String::as_bytes);
                self.name_or(text, |name| name == text);
            }
            Form::Literal => self.write(b't', &one_line_break(text)),
            Form::Quoted => self.write(b't', &one_quote(&one_line_break(text))),
            Form::Prose => {
                text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).for_each(|word| {
                    self.write(b't', word);
                })
            }
            Form::Indent => self.write(b'i', b""),
            Form::Dedent => self.write(b'd', b""),
        }
    }

    /// Adds a text, or the place of the name that it is. The place counts from the end, so that it is the same if the
    /// definition moves into another one.
    fn name_or(&mut self, text: &[u8], is_name: impl Fn(&[u8]) -> bool) {
        match self.names.iter().rposition(|name| is_name(name.as_bytes())) {
            Some(place) => self.write(b'n', &[(self.names.len() - place).min(255) as u8]),
            None => self.write(b't', text),
        }
    }

    /// How many tokens were added. In text for readers, words count: how it is divided into tokens depends on its line breaks.
    pub const fn length(&self) -> usize {
        self.length
    }

    fn write(&mut self, sort: u8, text: &[u8]) {
        self.length += 1;
        self.state.update([sort]);
        self.state.update((text.len() as u64).to_le_bytes());
        self.state.update(text);
    }

    pub fn finish(self) -> Hash {
        let digest = self.state.finalize();
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest[..16]);
        Hash(bytes)
    }
}

/// A checkout may have converted line breaks.
fn one_line_break(text: &[u8]) -> Cow<'_, [u8]> {
    if !text.contains(&b'\r') {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len());
    for (place, byte) in text.iter().enumerate() {
        if *byte != b'\r' || text.get(place + 1) != Some(&b'\n') {
            out.push(*byte);
        }
    }
    Cow::Owned(out)
}

/// Formatters change `'text'` to `"text"` where that needs no escape.
fn one_quote<'a>(text: &'a Cow<'a, [u8]>) -> Cow<'a, [u8]> {
    // Letters before the quote are those of `r'text'`.
    let first = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    if text.get(first) != Some(&b'\'') {
        return Cow::Borrowed(text);
    }
    let quotes = if text[first..].starts_with(b"'''") { 3 } else { 1 };
    let inner = text.get(first + quotes..text.len().saturating_sub(quotes)).unwrap_or_default();
    if inner.iter().any(|byte| matches!(byte, b'\'' | b'"' | b'\\')) {
        return Cow::Borrowed(text);
    }
    let quote = |byte: &u8| if *byte == b'\'' { b'"' } else { *byte };
    Cow::Owned(text.iter().map(quote).collect())
}
