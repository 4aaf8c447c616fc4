//! Tokenization, the same for every engine: the model's own tokenizer, truncation to its window, and the position of
//! each token in the text.

use std::ops::Range;
use ubp_core::reported;

use serde::Deserialize;
use tokenizers::models::wordpiece::WordPiece;
use tokenizers::{
    DecoderWrapper, Encoding, NormalizerWrapper, PostProcessor, PostProcessorWrapper, PreTokenizerWrapper,
    TokenizerImpl, TruncationDirection,
};

use super::session::{Outcome, Tokens, guarded};
use super::unigram::Unigram;

/// Bytes of text per token of the window that are tokenized at first. If they do not fill the window, more are
/// tokenized.
const BYTES_PER_TOKEN: usize = 16;
/// Maximum number of bytes tokenized to fill the window. A text without spaces can be one token, however long it is.
const LONGEST: usize = 64 * 1024;
/// Bytes tokenized in one call: the tokenizer needs hundreds of times as much memory.
const SLICE: usize = 16 * 1024;
/// Maximum distance, in bytes, from the end of a slice to the next space.
const REACH: usize = 1024;

/// A model's tokenizer.
pub(super) struct Tokenizer {
    inner: Inner,
    /// Number of special tokens around a text.
    special: usize,
}

type Parts<M> =
    TokenizerImpl<M, NormalizerWrapper, PreTokenizerWrapper, PostProcessorWrapper, DecoderWrapper>;

enum Inner {
    Any(Box<tokenizers::Tokenizer>),
    Unigram(Box<Parts<Unigram>>),
}

/// Calls the same method of either variant.
macro_rules! on {
    ($inner:expr, $tokenizer:ident => $call:expr) => {
        match $inner {
            Inner::Any($tokenizer) => $call,
            Inner::Unigram($tokenizer) => $call,
        }
    };
}

#[derive(Deserialize)]
struct Header<'a> {
    #[serde(borrow)]
    model: ModelHeader<'a>,
}

#[derive(Deserialize)]
struct ModelHeader<'a> {
    #[serde(rename = "type", default)]
    kind: std::borrow::Cow<'a, str>,
    /// Whether unknown characters are encoded as bytes.
    #[serde(default)]
    byte_fallback: bool,
}

impl Tokenizer {
    /// Parses the content of `tokenizer.json`.
    pub fn parse(json: &[u8]) -> Outcome<Self> {
        guarded(|| {
            let mut inner = read(json)
                .map_err(|error| reported!("tokenizer.json cannot be read: {reason}", reason = error))?;
            let special = on!(&mut inner, tokenizer => {
                tokenizer
                    .with_truncation(None)
                    .map_err(|error| reported!("tokenizer.json: {reason}", reason = error))?
                    .with_padding(None);
                tokenizer.get_post_processor().map_or(0, |processor| processor.added_tokens(false))
            });
            Ok(Self { inner, special })
        })
    }

    /// The first `window` tokens of `text`, including all special tokens. Text after the first 64 KiB is ignored.
    pub fn tokens(&self, text: &str, window: usize) -> Outcome<Tokens> {
        let text = text.get(..text.floor_char_boundary(LONGEST)).unwrap_or(text);
        let room = window.saturating_sub(self.special);
        let mut looked_at = window.saturating_mul(BYTES_PER_TOKEN);
        loop {
            let part = start_of(text, looked_at);
            let mut encoding = self.encode(part)?;
            if encoding.len() < room && part.len() < text.len() {
                looked_at = looked_at.saturating_mul(2);
                continue;
            }
            encoding.truncate(room, 0, TruncationDirection::Right);
            encoding.take_overflowing();
            let encoding = guarded(|| {
                on!(&self.inner, tokenizer => tokenizer.post_process(encoding, None, true))
                    .map_err(|error| reported!("tokenizer.json: {reason}", reason = error))
            })?;
            return Ok(Tokens { ids: encoding.get_ids().to_vec(), types: encoding.get_type_ids().to_vec() });
        }
    }

    /// Byte range of every token of `text`, without special tokens, extended to whole characters.
    pub fn ranges(&self, text: &str) -> Outcome<Vec<Range<usize>>> {
        let mut ranges = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let slice = start_of(rest, SLICE);
            let before = text.len() - rest.len();
            let encoding = self.encode(slice)?;
            ranges.extend(encoding.get_offsets().iter().map(|&(start, end)| {
                let start = slice.floor_char_boundary(start.min(slice.len()));
                let end = slice.ceil_char_boundary(end.clamp(start, slice.len()));
                before + start..before + end
            }));
            rest = rest.get(slice.len()..).unwrap_or_default();
        }
        Ok(ranges)
    }

    fn encode(&self, text: &str) -> Outcome<Encoding> {
        guarded(|| {
            on!(&self.inner, tokenizer => tokenizer.encode(text, false))
                .map_err(|error| reported!("tokenizer.json: {reason}", reason = error))
        })
    }
}

/// Parses the tokenizer. The tokenizers crate parses a vocabulary of unknown type through two generic trees; with a
/// known type, processes start twice as fast.
fn read(json: &[u8]) -> Outcome<Inner> {
    let header = serde_json::from_slice::<Header>(json).map(|header| header.model);
    let known = match header.as_ref().map(|model| (model.kind.as_ref(), model.byte_fallback)) {
        Ok(("WordPiece", _)) => {
            serde_json::from_slice::<Parts<WordPiece>>(json).map(|parts| Inner::Any(Box::new(parts.into())))
        }
        Ok(("Unigram", false)) => {
            serde_json::from_slice::<Parts<Unigram>>(json).map(|parts| Inner::Unigram(Box::new(parts)))
        }
        _ => {
            return tokenizers::Tokenizer::from_bytes(json)
                .map(|tokenizer| Inner::Any(Box::new(tokenizer)))
                .map_err(|error| error.to_string());
        }
    };
    known.map_err(|error| error.to_string())
}

/// About the first `length` bytes of `text`, up to the next space, so that no token is split, or to the next character
/// if there is no space nearby. Empty only if `text` is.
fn start_of(text: &str, length: usize) -> &str {
    let from = text.ceil_char_boundary(length.max(1));
    let rest = text.get(from..).unwrap_or_default();
    let near = rest.get(..rest.floor_char_boundary(REACH)).unwrap_or(rest);
    let end = match near.find(char::is_whitespace) {
        Some(space) => from + space,
        None if near.len() == rest.len() => text.len(),
        None => from,
    };
    text.get(..end).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_of_a_text_ends_before_a_space() {
        assert_eq!(start_of("one two three", 100), "one two three");
        assert_eq!(start_of("one two three", 2), "one");
        assert_eq!(start_of("one two three", 4), "one two");
        assert_eq!(start_of("ééé é", 1), "ééé");
        assert_eq!(start_of("認証フロー", 2), "認証フロー");
        assert_eq!(start_of("", 2), "");
        let (run, word) = ("認".repeat(5_000), "a".repeat(50_000));
        assert_eq!(start_of(&run, 10).len(), 12);
        assert_eq!(start_of(&word, 10).len(), 10);
    }

    #[test]
    fn an_invalid_tokenizer_is_an_error() {
        for json in [
            "",
            "{}",
            "[]",
            "{\"model\":{\"type\":\"WordPiece\"}}",
            "{\"model\":{\"type\":\"Unigram\",\"vocab\":[],\"unk_id\":3}}",
        ] {
            assert!(
                Tokenizer::parse(json.as_bytes()).is_err_and(|message| message.contains("tokenizer.json")),
                "{json}"
            );
        }
    }
}
