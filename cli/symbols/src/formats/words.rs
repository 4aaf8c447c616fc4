//! Words of any text.

use crate::limits::{Deadline, Unreadable};
use crate::outline::Outline;
use crate::tokens::Form;

/// Each word is a token, and each other character that is not white space.
///
/// # Errors
/// [`Unreadable::TookTooLong`].
pub fn words(text: &[u8], deadline: &mut Deadline) -> Result<Outline, Unreadable> {
    let mut out = Outline::default();
    // Bytes after ASCII are parts of words in most scripts.
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let mut at = 0;
    while let Some(first) = text.get(at) {
        deadline.step()?;
        let rest = text.get(at..).unwrap_or_default();
        let length = if is_word(*first) { rest.iter().take_while(|byte| is_word(**byte)).count() } else { 1 };
        if !first.is_ascii_whitespace() {
            out.tokens.push(at..at + length, Form::Plain);
        }
        at += length;
    }
    Ok(out)
}
