//! Decodes the bytes of a file to text. Any bytes give a text to index; guesses are reported as
//! diagnostics.

use std::borrow::Cow;

use super::model::Diagnostic;
use crate::{reported, word};

/// The text of a file, and problems with its encoding.
///
/// UTF-8 is returned borrowed. A byte order mark stays in the text as U+FEFF, which
/// [`parse`](super::parse) and [`set_fields`](super::set_fields) skip: so offsets into the text
/// are offsets into the file, and writing the text back gives the same file. UTF-16 with a byte order mark is
/// converted, without its mark. Invalid sequences become U+FFFD; NUL is kept.
pub fn decode(bytes: &[u8]) -> (Cow<'_, str>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let text = match bytes {
        [0xFF, 0xFE, rest @ ..] => from_utf16(rest, u16::from_le_bytes, &mut diagnostics),
        [0xFE, 0xFF, rest @ ..] => from_utf16(rest, u16::from_be_bytes, &mut diagnostics),
        _ => from_utf8(bytes, &mut diagnostics),
    };
    if let Some(at) = text.find('\0') {
        let message = word!("the file contains a NUL byte; is it a text file?");
        diagnostics.push(Diagnostic::new(line_at(&text, at), "nul_byte", message));
    }
    (text, diagnostics)
}

fn from_utf8<'a>(bytes: &'a [u8], diagnostics: &mut Vec<Diagnostic>) -> Cow<'a, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(error) => {
            let text = String::from_utf8_lossy(bytes).into_owned();
            diagnostics.push(invalid(line_at(&text, error.valid_up_to()), "UTF-8"));
            Cow::Owned(text)
        }
    }
}

fn from_utf16(
    bytes: &[u8],
    unit: fn([u8; 2]) -> u16,
    diagnostics: &mut Vec<Diagnostic>,
) -> Cow<'static, str> {
    let message = word!("the file is UTF-16; save it as UTF-8 so that every tool can read it");
    diagnostics.push(Diagnostic::new(1, "encoding_utf16", message));
    let (pairs, odd) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(bytes.len());
    let mut broken = None;
    for character in char::decode_utf16(pairs.iter().map(|&pair| unit(pair))) {
        if character.is_err() {
            broken.get_or_insert(text.len());
        }
        text.push(character.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    if !odd.is_empty() {
        broken.get_or_insert(text.len());
        text.push(char::REPLACEMENT_CHARACTER);
    }
    if let Some(at) = broken {
        diagnostics.push(invalid(line_at(&text, at), "UTF-16"));
    }
    Cow::Owned(text)
}

fn invalid(line: usize, encoding: &str) -> Diagnostic {
    let message =
        reported!("the file is not valid {encoding} from here on; invalid bytes are shown as \u{FFFD}");
    Diagnostic::new(line, "encoding_invalid", message)
}

fn line_at(text: &str, offset: usize) -> usize {
    super::lines::Lines::new(text.get(..offset).unwrap_or(text)).line_of(offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(diagnostics: &[Diagnostic]) -> Vec<(usize, &str)> {
        diagnostics.iter().map(|found| (found.line, found.code.as_str())).collect()
    }

    #[test]
    fn utf8_is_borrowed_and_keeps_its_mark() {
        let (text, diagnostics) = decode("\u{FEFF}# é\n".as_bytes());
        assert!(matches!(text, Cow::Borrowed("\u{FEFF}# é\n")));
        assert!(diagnostics.is_empty());
    }

    #[test]
    fn utf16_of_both_orders_is_converted() {
        for unit in [u16::to_le_bytes as fn(u16) -> [u8; 2], u16::to_be_bytes] {
            let bytes: Vec<u8> = "\u{FEFF}# 認証 😀\n".encode_utf16().flat_map(unit).collect();
            let (text, diagnostics) = decode(&bytes);
            assert_eq!(text, "# 認証 😀\n");
            assert_eq!(codes(&diagnostics), [(1, "encoding_utf16")]);
        }
        let (text, diagnostics) = decode(&[0xFF, 0xFE, b'a', 0, b'\n', 0, 0x00, 0xD8, b'b', 0, b'c']);
        assert_eq!(text, "a\n\u{FFFD}b\u{FFFD}");
        assert_eq!(codes(&diagnostics), [(1, "encoding_utf16"), (2, "encoding_invalid")]);
    }

    #[test]
    fn invalid_utf8_is_reported_with_its_line() {
        let (text, diagnostics) = decode(b"a\r\nb\xFFc\n\0");
        assert_eq!(text, "a\r\nb\u{FFFD}c\n\0");
        assert_eq!(codes(&diagnostics), [(2, "encoding_invalid"), (3, "nul_byte")]);
    }
}
