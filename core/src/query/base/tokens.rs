//! The tokens of expressions.

use std::ops::Range;

use crate::message;
use crate::message::Message;

/// A token.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Number(f64),
    Text(String),
    Name(String),
    Sign(&'static str),
}

/// Signs, the longer ones first.
const SIGNS: [&str; 21] = [
    "||", "&&", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "!", "(", ")", "[", "]", ".", ",",
    "?",
];

/// Maximum length of an expression in bytes.
const LONGEST: usize = 8 << 10;

/// Maximum number of tokens, which bounds the depth of the tree.
const MOST: usize = 500;

impl Token {
    /// As it is named in messages.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => format!("\"{text}\""),
            Self::Name(name) => name.clone(),
            Self::Sign(sign) => (*sign).into(),
        }
    }
}

pub(super) fn tokens(text: &str) -> Result<Vec<Token>, Message> {
    Ok(spanned(text)?.into_iter().map(|(token, _)| token).collect())
}

/// The tokens, each with its bytes.
pub(super) fn spanned(text: &str) -> Result<Vec<(Token, Range<usize>)>, Message> {
    if text.len() > LONGEST {
        return Err(message!("the expression is longer than {LONGEST} bytes", LONGEST));
    }
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        if tokens.len() >= MOST {
            return Err(message!("the expression has more than {MOST} words and signs", MOST));
        }
        let (token, length) = if first.is_ascii_digit() {
            let length = number(rest);
            let digits = &rest[..length];
            let number = digits.parse().map_err(|_| message!("`{digits}` is not a number", digits))?;
            (Token::Number(number), length)
        } else if first == '"' || first == '\'' {
            let (quoted, length) =
                quoted(rest, first).ok_or_else(|| message!("a quote is missing: {rest}", rest))?;
            (Token::Text(quoted), length)
        } else if is_in_name(first) {
            let length = rest.find(|c| !is_in_name(c)).unwrap_or(rest.len());
            (Token::Name(rest[..length].into()), length)
        } else if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            (Token::Sign(sign), sign.len())
        } else {
            return Err(message!("`{token}` is not expected in `{text}`", token = first, text = text.trim()));
        };
        let start = text.len() - rest.len();
        tokens.push((token, start..start + length));
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

fn is_in_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Bytes of the number at the start: digits, and a fraction.
fn number(text: &str) -> usize {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(text);
    match text[whole..].strip_prefix('.').map(digits) {
        Some(fraction) if fraction > 0 => whole + 1 + fraction,
        _ => whole,
    }
}

/// The text in quotes at the start, and the bytes that it takes.
fn quoted(text: &str, quote: char) -> Option<(String, usize)> {
    let mut out = String::new();
    let mut rest = text.char_indices().skip(1);
    while let Some((at, c)) = rest.next() {
        match c {
            '\\' => out.push(match rest.next()?.1 {
                'n' => '\n',
                't' => '\t',
                other => other,
            }),
            _ if c == quote => return Some((out, at + c.len_utf8())),
            _ => out.push(c),
        }
    }
    None
}
