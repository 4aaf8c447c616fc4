//! The tokenizer model Unigram with all pieces in one table, for the large vocabularies of multilingual models. It gives
//! the same tokens as the tokenizers crate, which keeps a hash map for every prefix. For 130,000 pieces it needs a tenth of
//! the memory and loading time.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use ubp_core::word;

use serde::Deserialize;
use tokenizers::models::unigram::UnigramTrainer;
use tokenizers::{Model, Token};

type Outcome<T> = tokenizers::Result<T>;

/// How much lower than the lowest score of a piece the score of an unknown character is.
const UNKNOWN_PENALTY: f64 = 10.0;

/// A vocabulary of pieces, each with the logarithm of its probability.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Vocabulary")]
pub(super) struct Unigram {
    /// All pieces, concatenated.
    text: String,
    /// Where each piece begins in `text`, and where the last one ends.
    starts: Vec<u32>,
    scores: Vec<f64>,
    /// Hash table with linear probing: the number of a piece plus 1, or 0 if empty. Its length is a power of two.
    table: Vec<u32>,
    /// Length of the longest piece, in bytes.
    longest: usize,
    unknown: u32,
    unknown_score: f64,
}

/// The model in `tokenizer.json`.
#[derive(Deserialize)]
struct Vocabulary {
    vocab: Vec<(String, f64)>,
    unk_id: Option<u32>,
}

impl TryFrom<Vocabulary> for Unigram {
    type Error = String;

    fn try_from(Vocabulary { vocab, unk_id }: Vocabulary) -> Result<Self, String> {
        let unknown = unk_id.ok_or(word!("the vocabulary has no \"unk_id\""))?;
        if usize::try_from(unknown).is_ok_and(|unknown| unknown >= vocab.len()) {
            return Err(word!("\"unk_id\" is not in the vocabulary").into());
        }
        let least = vocab.iter().map(|(_, score)| *score).fold(f64::INFINITY, f64::min);
        let mut unigram = Self {
            text: String::with_capacity(vocab.iter().map(|(piece, _)| piece.len()).sum()),
            starts: vec![0],
            scores: Vec::with_capacity(vocab.len()),
            table: vec![0; (vocab.len() * 2).next_power_of_two()],
            longest: vocab.iter().map(|(piece, _)| piece.len()).max().unwrap_or(0),
            unknown,
            unknown_score: least - UNKNOWN_PENALTY,
        };
        for (number, (piece, score)) in (1..).zip(vocab) {
            unigram.text.push_str(&piece);
            unigram
                .starts
                .push(u32::try_from(unigram.text.len()).map_err(|_| word!("the vocabulary is too large"))?);
            unigram.scores.push(score);
            let place = unigram.place(piece.as_bytes(), piece.bytes().fold(BASIS, hashed));
            // If a piece occurs twice, the last one counts, as in the tokenizers crate.
            if let Some(slot) = unigram.table.get_mut(place) {
                *slot = number;
            }
        }
        Ok(unigram)
    }
}

/// FNV-1a: extending a hash by a byte costs one multiplication, so one pass looks up all pieces with the same start.
const BASIS: u64 = 0xcbf2_9ce4_8422_2325;

fn hashed(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
}

/// The last piece of the best segmentation up to a position.
#[derive(Clone, Copy)]
struct Step {
    score: f64,
    from: usize,
    piece: u32,
}

impl Unigram {
    fn piece(&self, number: u32) -> Option<&str> {
        let number = usize::try_from(number).ok()?;
        let (start, end) = (*self.starts.get(number)?, *self.starts.get(number + 1)?);
        self.text.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
    }

    /// The slot in the table of the piece with these bytes; an empty one if there is no such piece.
    fn place(&self, bytes: &[u8], hash: u64) -> usize {
        let mask = self.table.len() - 1;
        let mut place = usize::try_from((hash ^ (hash >> 32)) & u64::from(u32::MAX)).unwrap_or(0) & mask;
        while let Some(&number) = self.table.get(place)
            && number > 0
            && self.piece(number - 1).is_none_or(|piece| piece.as_bytes() != bytes)
        {
            place = (place + 1) & mask;
        }
        place
    }

    fn find(&self, bytes: &[u8], hash: u64) -> Option<u32> {
        self.table.get(self.place(bytes, hash))?.checked_sub(1)
    }

    /// The most likely segmentation of `text`, last piece first, each with its end. Characters in no piece are unknown.
    fn backwards(&self, text: &str) -> Vec<(usize, Step)> {
        let mut steps: Vec<Option<Step>> = vec![None; text.len() + 1];
        for (start, character) in text.char_indices() {
            let before = match steps.get(start) {
                Some(Some(step)) => step.score,
                _ => 0.0,
            };
            let mut reach = |end: usize, piece: u32, score: f64| {
                let step = Step { score: before + score, from: start, piece };
                if let Some(slot) = steps.get_mut(end)
                    && slot.is_none_or(|best| step.score > best.score)
                {
                    *slot = Some(step);
                }
            };
            let next = start + character.len_utf8();
            let (mut hash, mut is_known) = (BASIS, false);
            for (end, byte) in (start + 1..).zip(text.bytes().skip(start)).take(self.longest) {
                hash = hashed(hash, byte);
                if text.is_char_boundary(end)
                    && let Some(piece) =
                        text.as_bytes().get(start..end).and_then(|bytes| self.find(bytes, hash))
                    && let Some(&score) = usize::try_from(piece).ok().and_then(|piece| self.scores.get(piece))
                {
                    is_known |= end == next;
                    reach(end, piece, score);
                }
            }
            if !is_known {
                reach(next, self.unknown, self.unknown_score);
            }
        }
        let mut end = text.len();
        let mut path = Vec::new();
        while end > 0
            && let Some(Some(step)) = steps.get(end)
        {
            path.push((end, *step));
            end = step.from;
        }
        path
    }
}

impl Model for Unigram {
    type Trainer = UnigramTrainer;

    fn tokenize(&self, text: &str) -> Outcome<Vec<Token>> {
        let mut tokens: Vec<Token> = Vec::new();
        for (end, step) in self.backwards(text).into_iter().rev() {
            let value = text.get(step.from..end).unwrap_or_default();
            match tokens.last_mut() {
                // Adjacent unknown characters are one token.
                Some(last) if last.id == self.unknown && step.piece == self.unknown => {
                    last.value.push_str(value);
                    last.offsets.1 = end;
                }
                _ => tokens.push(Token::new(step.piece, value.to_owned(), (step.from, end))),
            }
        }
        Ok(tokens)
    }

    fn token_to_id(&self, token: &str) -> Option<u32> {
        self.find(token.as_bytes(), token.bytes().fold(BASIS, hashed))
    }

    fn id_to_token(&self, id: u32) -> Option<String> {
        self.piece(id).map(str::to_owned)
    }

    fn get_vocab(&self) -> HashMap<String, u32> {
        (0..).map_while(|id| Some((self.id_to_token(id)?, id))).collect()
    }

    fn get_vocab_size(&self) -> usize {
        self.scores.len()
    }

    fn save(&self, _folder: &Path, _prefix: Option<&str>) -> Outcome<Vec<PathBuf>> {
        Err(word!("the vocabulary is read-only").into())
    }

    fn get_trainer(&self) -> UnigramTrainer {
        UnigramTrainer::default()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use tokenizers::models::unigram::Unigram as Reference;

    use super::*;

    const TOKENIZER: &str = include_str!("../../models/multilingual-e5-small/tokenizer.json");

    fn model() -> String {
        serde_json::from_str::<serde_json::Value>(TOKENIZER).unwrap()["model"].to_string()
    }

    #[test]
    fn tokens_match_the_tokenizers_crate() {
        let ours: Unigram = serde_json::from_str(&model()).unwrap();
        let reference: Reference = serde_json::from_str(&model()).unwrap();
        let texts = [
            "",
            "▁",
            "▁How▁do▁I▁reset▁my▁password?",
            "▁認証フローの設計では、アクセストークンの有効期限を短くする。",
            "▁Привет,▁мир!",
            "▁ꙮ𐍈𐍈a",
            "𐍈",
            "▁supercalifragilisticexpialidociousness",
            "▁Emoji👩‍👩‍👧‍👦▁flags🇨🇭",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            include_str!("../../../docs/models.md"),
        ];
        for text in texts {
            assert_eq!(ours.tokenize(text).unwrap(), reference.tokenize(text).unwrap(), "{text:.60}");
        }
        assert_eq!(ours.get_vocab_size(), reference.get_vocab_size());
        for id in [0, 3, 4, 100, 129_999] {
            let piece = ours.id_to_token(id).unwrap();
            assert_eq!(Some(&piece), reference.id_to_token(id).as_ref());
            assert_eq!(ours.token_to_id(&piece), Some(id));
        }
        assert_eq!((ours.id_to_token(130_000), ours.token_to_id("no piece at all")), (None, None));
    }

    #[test]
    fn a_vocabulary_without_an_unknown_piece_is_an_error() {
        for json in [
            r#"{"vocab":[["a",-1.0]]}"#,
            r#"{"vocab":[],"unk_id":0}"#,
            r#"{"vocab":[["a",-1.0]],"unk_id":1}"#,
        ] {
            assert!(serde_json::from_str::<Unigram>(json).is_err(), "{json}");
        }
    }
}
