//! Parses a query into terms and phrases.

use std::collections::HashSet;
use std::ops::Range;

use super::fold::{fold_key, push_lower};
use super::identifier;
use super::index::joins;
use super::query::{MAX_TERMS, Phrase, Query, Term, TermClass, read_part};
use super::scan::{Cell, Sink, Word, scan};
use super::stop::{is_stop_word, is_weak_pair};

/// With more bytes than this outside of quotes, quotes emphasise: the text was pasted, and nobody looks for its phrases.
const LONG: usize = 200;

pub(super) fn parse(input: &str) -> Query {
    let (input, open) = match unfinished(read_part(input)) {
        Some(input) => (input, true),
        None => (read_part(input), false),
    };
    let mut builder = Builder::default();
    let mut rest = input;
    let has_phrases = !is_long(input);
    while has_phrases && let Some((before, quoted, after)) = next_quoted(rest) {
        builder.words(before);
        builder.phrase(quoted);
        rest = after;
    }
    let last = builder.words(rest);
    if open {
        builder.prefix(last);
    }
    let name = input.trim().trim_matches(is_quote).trim();
    Query { text: input.to_owned(), name: name.to_owned(), key: fold_key(name), ..builder.quoted() }
}

/// The text before a `*` that stands right after the last word.
fn unfinished(text: &str) -> Option<&str> {
    let words = text.trim_end().strip_suffix('*')?;
    let mut last = words.chars().rev().take_while(|c| c.is_alphanumeric());
    last.nth(1).map(|_| words)
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' | '\u{ff02}')
}

/// Whether the text outside of quotes is long.
fn is_long(text: &str) -> bool {
    let mut outside = 0;
    let mut rest = text;
    while let Some((before, _, after)) = next_quoted(rest) {
        outside += before.len();
        rest = after;
    }
    outside + rest.len() > LONG
}

/// The text before, inside and after the first pair of quotes.
fn next_quoted(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once(is_quote)?;
    let (quoted, after) = rest.split_once(is_quote)?;
    Some((before, quoted, after))
}

/// A unit of the scanner, owned.
enum Unit {
    Word { text: String, parts: Vec<String>, joint: Option<u8> },
    Symbol(String),
    Pair(char, char),
    Single(char),
}

#[derive(Default)]
struct Units(Vec<Unit>);

impl Sink for Units {
    fn word(&mut self, word: &Word<'_>) {
        let mut parts = Vec::new();
        if !word.cut {
            identifier::parts(word.text, |from, to| {
                parts.push(lower(word.text.get(from..to).unwrap_or_default()))
            });
        }
        self.0.push(Unit::Word { text: lower(word.text), parts, joint: word.joint });
    }

    fn symbol(&mut self, text: &str, _: &str, _: Range<usize>) {
        self.0.push(Unit::Symbol(text.to_owned()));
    }

    fn pair(&mut self, first: &Cell, second: &Cell) {
        self.0.push(Unit::Pair(first.char, second.char));
    }

    fn last(&mut self, last: &Cell, alone: bool) {
        if alone {
            self.0.push(Unit::Single(last.char));
        }
    }
}

fn lower(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    push_lower(&mut out, word);
    out
}

fn units(text: &str) -> Vec<Unit> {
    let mut units = Units::default();
    scan(text, &mut units);
    units.0
}

#[derive(Default)]
struct Builder<'t> {
    query: Query,
    quoted: Vec<&'t str>,
    seen: HashSet<String>,
    /// The ordinary word just before, if there was one.
    before: Option<String>,
}

impl<'t> Builder<'t> {
    /// Adds the terms of `text`; returns its last word, if it ends with one.
    fn words(&mut self, text: &str) -> Option<String> {
        let mut last = None;
        self.before = None;
        let mut compound: Vec<(String, Vec<String>)> = Vec::new();
        let mut connectors = Vec::new();
        for unit in units(text) {
            last = None;
            if let Unit::Word { text, parts, joint } = unit {
                match joint {
                    Some(connector) => connectors.push(connector),
                    None => self.compound(std::mem::take(&mut compound), std::mem::take(&mut connectors)),
                }
                last = Some(text.clone());
                compound.push((text, parts));
                continue;
            }
            self.compound(std::mem::take(&mut compound), std::mem::take(&mut connectors));
            self.before = None;
            match unit {
                Unit::Symbol(text) => self.term(text, None, TermClass::Identifier),
                Unit::Pair(first, second) => {
                    let class =
                        if is_weak_pair(first, second) { TermClass::WeakPair } else { TermClass::Pair };
                    self.term([first, second].iter().collect(), None, class);
                }
                Unit::Single(c) => {
                    let class = if is_weak_pair(c, c) { TermClass::WeakPair } else { TermClass::Pair };
                    self.term(c.to_string(), None, class);
                }
                Unit::Word { .. } => {}
            }
        }
        self.compound(compound, connectors);
        last
    }

    /// Adds words without a space between them: the whole, then its parts.
    fn compound(&mut self, words: Vec<(String, Vec<String>)>, connectors: Vec<u8>) {
        let connected = words.len() > 1;
        if let [(word, parts)] = words.as_slice() {
            self.neighbour(word, parts);
        }
        if connected {
            self.before = None;
            let whole = words.iter().map(|(word, _)| word.as_str()).collect::<Vec<_>>().join(" ");
            let same = connectors.first().copied().filter(|c| connectors.iter().all(|other| other == c));
            let joined = same.filter(|&c| joins(&whole, c, words.len())).map(|_| whole.replace(' ', ""));
            let prose = words.iter().all(|(word, _)| is_prose(word));
            let class = match same {
                _ if matches!(whole.as_str(), "e g" | "i e") => TermClass::Stop,
                Some(b'-') if prose => TermClass::Hyphenated,
                _ => TermClass::Identifier,
            };
            match joined {
                // The parts are terms too, so one more form is enough: with both, `x-ray` would count twice.
                Some(joined) if class == TermClass::Identifier && same == Some(b'-') => {
                    self.term(joined, None, class)
                }
                joined => self.term(whole, joined, class),
            }
        }
        for (word, parts) in words {
            let class = match (connected, parts.is_empty()) {
                _ if is_stop_word(&word) => TermClass::Stop,
                // The `x` of `x-ray` means nothing without `ray`, nor does a single number of a version.
                (true, _) if is_fragment(&word) => TermClass::Stop,
                (true, _) => TermClass::IdentifierPart,
                (false, false) => TermClass::Identifier,
                (false, true) => TermClass::Word,
            };
            self.term(word, None, class);
            for part in parts {
                let class = if is_stop_word(&part) { TermClass::Stop } else { TermClass::IdentifierPart };
                self.term(part, None, class);
            }
        }
    }

    /// Pairs an ordinary word with the one before it.
    fn neighbour(&mut self, word: &str, parts: &[String]) {
        let ordinary = parts.is_empty() && !is_stop_word(word);
        let before = std::mem::replace(&mut self.before, ordinary.then(|| word.to_owned()));
        if let Some(before) = before.filter(|_| ordinary)
            && self.query.pairs.len() < MAX_TERMS
        {
            let pair = format!("\"{before} {word}\"");
            if !self.query.pairs.contains(&pair) {
                self.query.pairs.push(pair);
            }
        }
    }

    fn term(&mut self, text: String, joined: Option<String>, class: TermClass) {
        if self.query.terms.len() < MAX_TERMS && !text.is_empty() && self.seen.insert(text.clone()) {
            self.query.terms.push(Term { text, joined, class });
        }
    }

    /// The query, with the words of its phrases for a search without the phrases.
    fn quoted(mut self) -> Query {
        let terms = std::mem::take(&mut self.query.terms);
        let pairs = std::mem::take(&mut self.query.pairs);
        for text in std::mem::take(&mut self.quoted) {
            self.words(text);
        }
        self.query.quoted = std::mem::replace(&mut self.query.terms, terms);
        self.query.pairs = pairs;
        self.query
    }

    fn phrase(&mut self, text: &'t str) {
        self.quoted.push(text);
        let units = units(text);
        let single_end = matches!(units.last(), Some(Unit::Single(_)));
        let single_start = matches!(units.first(), Some(Unit::Single(_)));
        let mut tokens: Vec<String> = units
            .into_iter()
            .map(|unit| match unit {
                Unit::Word { text, .. } | Unit::Symbol(text) => text,
                Unit::Pair(first, second) => [first, second].iter().collect(),
                Unit::Single(c) => c.to_string(),
            })
            .filter(|token| !token.is_empty())
            .collect();
        let leading = (single_start && tokens.len() > 1).then(|| tokens.remove(0));
        if !tokens.is_empty() && self.query.phrases.len() < MAX_TERMS {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            self.query.phrases.push(Phrase { text, tokens, leading, open_end: single_end });
        }
    }

    /// Sets the last word as a prefix, unless it is a stop word.
    fn prefix(&mut self, last: Option<String>) {
        self.query.prefix = last.filter(|word| word.chars().nth(1).is_some() && !is_stop_word(word));
    }
}

/// Whether a part of a hyphenated word is an ordinary word: letters, and at least two.
fn is_prose(word: &str) -> bool {
    word.chars().all(char::is_alphabetic) && word.chars().nth(1).is_some()
}

fn is_fragment(word: &str) -> bool {
    word.chars().nth(1).is_none() || (word.len() <= 3 && word.bytes().all(|b| b.is_ascii_digit()))
}
