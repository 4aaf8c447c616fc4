//! Splits text into the units of both index and queries. The index, the query and the snippet share one
//! scanner, so they agree on what a word is.

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use super::fold::{Class, base, class, is_common};

/// Longer runs of letters are data, not words, and are cut.
pub(super) const MAX_WORD: usize = 64;

/// Further marks on a letter are dropped before normalizing, which keeps the cost low.
const MAX_CLUSTER: usize = 8;

/// Maximum number of characters that one character may decompose to; a few ligatures are whole sentences.
const MAX_UNFOLDED: usize = 8;

/// A word: letters and digits between separators.
pub(super) struct Word<'a> {
    /// Compatibility-folded, without accents, in its original case. Never empty.
    pub text: &'a str,
    /// Bytes of the source.
    pub source: Range<usize>,
    /// The source position of each byte of `text`; empty if `text` equals the source.
    pub offsets: &'a [usize],
    /// The connector between the previous word and this one, as in `snake_case`; `:` for `::`,
    /// `/` for `://`.
    pub joint: Option<u8>,
    /// Whether it is a part of a run longer than [`MAX_WORD`].
    pub cut: bool,
}

impl Word<'_> {
    /// Source bytes of `text[from..to]`.
    pub fn source_of(&self, from: usize, to: usize) -> Range<usize> {
        match self.offsets.get(from) {
            None => self.source.start + from..self.source.start + to,
            Some(&start) => start..self.offsets.get(to).copied().unwrap_or(self.source.end),
        }
    }
}

/// A character of a script without spaces, and its source bytes.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    pub char: char,
    pub source: Range<usize>,
}

/// Receives the units, in the order of the text.
pub(super) trait Sink {
    fn word(&mut self, word: &Word<'_>);
    /// `C++`, `C#`, `.NET`: `text` is the indexed form, `alias` the letters alone.
    fn symbol(&mut self, text: &str, alias: &str, source: Range<usize>);
    /// Two adjacent characters of a run.
    fn pair(&mut self, first: &Cell, second: &Cell);
    /// The end of a run: its last character; `alone` if it is the only one.
    fn last(&mut self, last: &Cell, alone: bool);
}

/// Passes every unit of `text` to `sink`, in linear time.
pub(super) fn scan(text: &str, sink: &mut impl Sink) {
    let mut scanner = Scanner {
        text,
        sink,
        word: String::new(),
        offsets: Vec::new(),
        end: 0,
        run: None,
        run_len: 0,
        joint: None,
    };
    scanner.scan();
}

struct Scanner<'t, 's, S> {
    text: &'t str,
    sink: &'s mut S,
    // The open word, if it is not simply a slice of the source.
    word: String,
    offsets: Vec<usize>,
    end: usize,
    // The last character of the open run, and the number of its characters so far.
    run: Option<Cell>,
    run_len: usize,
    // The end of the last word, as long as another can be joined to it.
    joint: Option<usize>,
}

impl<S: Sink> Scanner<'_, '_, S> {
    fn scan(&mut self) {
        let bytes = self.text.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            if byte.is_ascii_alphanumeric() {
                self.close_run();
                let to = at + bytes.iter().skip(at).take_while(|b| b.is_ascii_alphanumeric()).count();
                let continues = bytes.get(to).is_some_and(|b| !b.is_ascii());
                if continues || !self.word.is_empty() {
                    for (from, &byte) in bytes.iter().enumerate().take(to).skip(at) {
                        self.push(char::from(byte), from..from + 1);
                    }
                    at = to;
                } else {
                    at = self.ascii_word(at, to);
                }
            } else if byte.is_ascii() {
                at = self.close_word(at);
                self.close_run();
                // `close_word` may have skipped a contraction.
                if bytes.get(at) == Some(&byte) {
                    at = self.dot_net(at).unwrap_or(at + 1);
                }
            } else {
                at = self.cluster(at);
            }
        }
        self.close_word(at);
        self.close_run();
    }

    /// Emits a word of ASCII; returns where to continue.
    fn ascii_word(&mut self, from: usize, to: usize) -> usize {
        if to - from == 1
            && let Some(after) = self.letter_symbol(from)
        {
            return after;
        }
        let joint = self.joint_before(from);
        let from = if self.is_version(from, to) { from + 1 } else { from };
        let cut = to - from > MAX_WORD;
        let mut start = from;
        while start < to {
            let end = to.min(start + MAX_WORD);
            let joint = if start == from { joint } else { None };
            let text = self.text.get(start..end).unwrap_or_default();
            self.sink.word(&Word { text, source: start..end, offsets: &[], joint, cut });
            start = end;
        }
        self.after_word(to)
    }

    /// Whether the word is the start of a version such as `v1.2`, which is indexed as `1.2`.
    fn is_version(&self, from: usize, to: usize) -> bool {
        let bytes = self.text.as_bytes();
        let digits = |range: Range<usize>| {
            bytes.get(range).is_some_and(|part| !part.is_empty() && part.iter().all(u8::is_ascii_digit))
        };
        matches!(bytes.get(from), Some(b'v' | b'V'))
            && digits(from + 1..to)
            && bytes.get(to) == Some(&b'.')
            && digits(to + 1..to + 2)
    }

    /// `C++` and `C#`, which would otherwise be words of one letter.
    fn letter_symbol(&mut self, at: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let letter = bytes.get(at).filter(|b| b.is_ascii_alphabetic())?.to_ascii_lowercase();
        let rest = bytes.get(at + 1..)?;
        let (name, len) = match rest {
            [b'+', b'+', next, ..] if *next == b'+' || next.is_ascii_alphabetic() => return None,
            [b'+', b'+', ..] => ("plusplus", 3),
            [b'#', next, ..] if next.is_ascii_alphanumeric() || *next == b'#' => return None,
            [b'#', ..] => ("sharp", 2),
            _ => return None,
        };
        let mut text = String::with_capacity(9);
        text.push(char::from(letter));
        text.push_str(name);
        self.sink.symbol(&text, text.get(..1).unwrap_or_default(), at..at + len);
        self.joint = None;
        Some(at + len)
    }

    fn dot_net(&mut self, at: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let name = bytes.get(at..at + 4)?;
        let before = at.checked_sub(1).and_then(|i| bytes.get(i));
        if !name.eq_ignore_ascii_case(b".net")
            || before.is_some_and(|b| b.is_ascii_alphanumeric() || !b.is_ascii())
            || bytes.get(at + 4).is_some_and(|b| b.is_ascii_alphanumeric() || !b.is_ascii())
        {
            return None;
        }
        self.sink.symbol("dotnet", "net", at..at + 4);
        self.joint = None;
        Some(at + 4)
    }

    /// Reads one character with its combining marks.
    fn cluster(&mut self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        let mut chars = rest.chars();
        let Some(first) = chars.next() else { return self.text.len() };
        let mut to = at + first.len_utf8();
        if !chars.clone().next().is_some_and(continues) && is_stable(first) {
            return self.feed(base(first), at..to);
        }
        // Marks that are not normalized are dropped: only the first ones are kept.
        let mut kept = to;
        for (n, c) in chars.enumerate() {
            if !continues(c) {
                break;
            }
            to += c.len_utf8();
            if n < MAX_CLUSTER {
                kept = to;
            }
        }
        let mut next = to;
        for c in self.text.get(at..kept).unwrap_or_default().nfkc().take(MAX_UNFOLDED) {
            next = self.feed(base(c), at..to).max(next);
        }
        next
    }

    /// Adds one folded character; returns where to continue.
    fn feed(&mut self, c: char, source: Range<usize>) -> usize {
        match class(c) {
            Class::Word => {
                self.close_run();
                let to = source.end;
                self.push(c, source);
                to
            }
            Class::Unspaced => {
                self.close_word(source.start);
                self.joint = None;
                let to = source.end;
                let cell = Cell { char: c, source };
                if let Some(before) = &self.run {
                    self.sink.pair(before, &cell);
                }
                self.run_len += 1;
                self.run = Some(cell);
                to
            }
            Class::Skip => source.end,
            Class::Separator => {
                let at = self.close_word(source.start);
                self.close_run();
                if at > source.start { at } else { source.end }
            }
        }
    }

    fn push(&mut self, c: char, source: Range<usize>) {
        if self.word.len() + c.len_utf8() > MAX_WORD {
            self.emit(true);
        }
        self.word.push(c);
        self.offsets.resize(self.word.len(), source.start);
        self.end = source.end;
    }

    fn emit(&mut self, cut: bool) {
        let start = self.offsets.first().copied().unwrap_or(self.end);
        let joint = self.joint_before(start);
        let word = Word { text: &self.word, source: start..self.end, offsets: &self.offsets, joint, cut };
        self.sink.word(&word);
        self.joint = None;
        self.word.clear();
        self.offsets.clear();
    }

    /// Ends the open word; returns where to continue, at least `at`.
    fn close_word(&mut self, at: usize) -> usize {
        if self.word.is_empty() {
            return at;
        }
        self.emit(false);
        self.after_word(self.end).max(at)
    }

    fn close_run(&mut self) {
        if let Some(cell) = self.run.take() {
            self.sink.last(&cell, self.run_len == 1);
            self.run_len = 0;
        }
    }

    /// Reads what follows a word that ends at `end`: an English contraction, which is
    /// skipped, or a connector.
    fn after_word(&mut self, end: usize) -> usize {
        self.joint = Some(end);
        let Some(rest) = self.text.as_bytes().get(end..) else { return end };
        let apostrophe = match rest {
            [b'\'', ..] => 1,
            [0xe2, 0x80, 0x99, ..] => 3,
            _ => return end,
        };
        let letters = rest.iter().skip(apostrophe).take(3).take_while(|b| b.is_ascii_alphabetic()).count();
        let suffix = rest.get(apostrophe..apostrophe + letters).unwrap_or_default();
        let ends = rest.get(apostrophe + letters).is_none_or(|b| b.is_ascii() && !b.is_ascii_alphanumeric());
        let known = [&b"s"[..], b"t", b"d", b"m", b"re", b"ve", b"ll"];
        if ends && known.iter().any(|k| k.eq_ignore_ascii_case(suffix)) {
            self.joint = None;
            return end + apostrophe + letters;
        }
        end
    }

    fn joint_before(&self, start: usize) -> Option<u8> {
        let gap = self.text.as_bytes().get(self.joint?..start)?;
        match gap {
            [c @ (b'_' | b'-' | b'.' | b'/' | b'\\' | b':' | b'@')] => Some(*c),
            b"::" => Some(b':'),
            b"://" => Some(b'/'),
            // Hyphens beyond ASCII.
            [0xe2, 0x80, 0x90 | 0x91] => Some(b'-'),
            _ => None,
        }
    }
}

/// Whether `c` may combine with the character before it.
fn continues(c: char) -> bool {
    c >= '\u{300}'
        && !is_common(c)
        && (is_combining_mark(c) || matches!(c, '\u{ff9e}' | '\u{ff9f}' | '\u{1160}'..='\u{11ff}'))
}

/// Whether `c` is its own compatibility form, which saves normalizing most text.
fn is_stable(c: char) -> bool {
    is_common(c) || is_nfkc_quick(std::iter::once(c)) == IsNormalized::Yes
}
