//! The text to store in the full-text index.

use std::ops::Range;

use super::fold::push_lower;
use super::identifier;
use super::scan::{Cell, MAX_WORD, Sink, Word, scan};

/// A token that no query contains (private use is a letter to FTS5 and a separator to the scanner), so no
/// phrase matches across it.
pub const BARRIER: &str = "\u{e000}";

/// Appends the tokens of `text`, each after a space, for an FTS5 column with the tokenizer
/// `porter unicode61 remove_diacritics 2`.
///
/// The words come first, in the order of the text, so that phrases match:
/// lower case, compatibility-folded, without accents on Latin letters, without contractions (`user's`
/// is `user`), connected words separated (`snake_case` is `snake case`). Runs of scripts without spaces
/// become overlapping pairs (`公開鍵` is `公開 開鍵`). `C++`, `C#`, `.NET` become `cplusplus`, `csharp`, `dotnet`;
/// `v1.2` becomes `1.2`.
/// Emoji are separators, as they are to FTS5.
///
/// After a barrier come further search terms that are not part of phrases: the words inside
/// an identifier (`user db` of `UserDB`), connected words as one (`userdb` of `user_db`), and the
/// last character of each run.
pub fn index_terms(text: &str, out: &mut String) {
    out.reserve(text.len() + text.len() / 8);
    let mut sink = IndexSink { out, extra: String::new(), lasts: String::new(), joined: None };
    scan(text, &mut sink);
    sink.finish();
}

/// The words of `text` in order, as [`index_terms`] writes them. In quotes, they are a phrase that matches the text.
pub(crate) fn phrase_terms(text: &str) -> String {
    let mut terms = String::new();
    index_terms(text, &mut terms);
    terms.split(BARRIER).next().unwrap_or_default().trim().to_owned()
}

fn push(terms: &mut String, token: &str) {
    terms.push(' ');
    terms.push_str(token);
}

struct IndexSink<'o> {
    out: &'o mut String,
    extra: String,
    lasts: String,
    joined: Option<Joined>,
}

/// Connected words: their range in the output, the start of the last one, and the connector.
struct Joined {
    range: Range<usize>,
    last: usize,
    connector: u8,
    words: usize,
}

impl IndexSink<'_> {
    fn finish(mut self) {
        self.close_joined();
        self.out.push_str(&self.extra);
        if !self.lasts.is_empty() {
            push(self.out, BARRIER);
            self.out.push_str(&self.lasts);
        }
    }

    /// Adds the word at `range` of the output to the open name, or starts a new one. `_` and
    /// `-` bind tighter than `.`; `/` and `::` do not bind.
    fn join(&mut self, range: Range<usize>, joint: Option<u8>) {
        let connector = joint.filter(|c| matches!(c, b'_' | b'-' | b'.')).unwrap_or(0);
        let (to, last) = (range.end, range.start);
        match &mut self.joined {
            Some(open) if connector != 0 && (open.words == 1 || open.connector == connector) => {
                *open = Joined { range: open.range.start..to, last, connector, words: open.words + 1 };
            }
            Some(open) if connector != 0 && open.connector == b'.' => {
                let from = open.last;
                self.close_joined();
                self.joined = Some(Joined { range: from..to, last, connector, words: 2 });
            }
            _ => {
                self.close_joined();
                self.joined = Some(Joined { range, last, connector: 0, words: 1 });
            }
        }
    }

    fn close_joined(&mut self) {
        let Some(joined) = self.joined.take().filter(|j| j.words > 1) else { return };
        let Some(words) = self.out.get(joined.range) else { return };
        if joins(words, joined.connector, joined.words) {
            push(&mut self.extra, BARRIER);
            self.extra.push(' ');
            self.extra.extend(words.split(' '));
        }
    }
}

/// Whether words connected by `connector` are also indexed as one: `e-mail`, `user_db`, `node.js`, but
/// not numbers, paths and very long names.
pub(super) fn joins(words: &str, connector: u8, count: usize) -> bool {
    words.len() <= MAX_WORD
        && match connector {
            b'_' | b'-' => words.contains(char::is_alphabetic),
            b'.' => count <= 3 && !words.contains(char::is_numeric),
            _ => false,
        }
}

impl Sink for IndexSink<'_> {
    fn word(&mut self, word: &Word<'_>) {
        self.out.push(' ');
        let from = self.out.len();
        push_lower(self.out, word.text);
        let to = self.out.len();
        self.join(from..to, word.joint);
        if !word.cut {
            let extra = &mut self.extra;
            identifier::parts(word.text, |from, to| {
                if from == 0 {
                    push(extra, BARRIER);
                }
                extra.push(' ');
                push_lower(extra, word.text.get(from..to).unwrap_or_default());
            });
        }
    }

    fn symbol(&mut self, text: &str, alias: &str, _: Range<usize>) {
        self.close_joined();
        self.out.push(' ');
        self.out.push_str(text);
        push(&mut self.extra, BARRIER);
        push(&mut self.extra, alias);
    }

    fn pair(&mut self, first: &Cell, second: &Cell) {
        self.close_joined();
        self.out.push(' ');
        self.out.push(first.char);
        self.out.push(second.char);
    }

    fn last(&mut self, last: &Cell, alone: bool) {
        let out = if alone { &mut *self.out } else { &mut self.lasts };
        out.push(' ');
        out.push(last.char);
        self.close_joined();
    }
}

#[cfg(test)]
mod tests;
