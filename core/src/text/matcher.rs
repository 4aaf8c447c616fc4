//! Finds a query's words in the original text, with the scanner of the index. FTS5 reports
//! which texts match, but not where in the original text.

use std::collections::VecDeque;
use std::ops::Range;

use super::fold::push_lower;
use super::identifier;
use super::query::{Phrase, Query, Term, TermClass};
use super::scan::{Cell, MAX_WORD, Sink, Word, scan};

/// A match of a part of the query in a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Match {
    pub source: Range<usize>,
    /// Number of the part, below [`Matches::kinds`].
    pub kind: usize,
    pub weight: f64,
}

/// All matches in a text.
#[derive(Debug, Default)]
pub(super) struct Matches {
    /// Sorted by start.
    pub found: Vec<Match>,
    pub kinds: usize,
}

pub(super) fn find(text: &str, query: &Query) -> Matches {
    let mut matcher = Matcher::new(query);
    Matches { found: matcher.find(text), kinds: matcher.kinds }
}

struct Sought {
    text: String,
    prefix: bool,
    kind: usize,
    weight: f64,
}

#[derive(Default)]
pub(super) struct Matcher {
    words: Vec<Sought>,
    // First bytes of `words`: a quick check that rejects most words of a text.
    initials: [bool; 32],
    pairs: Vec<((char, char), usize, f64)>,
    singles: Vec<(char, usize, f64)>,
    phrases: Vec<Sequence>,
    recent: VecDeque<usize>,
    longest: usize,
    phrase_found: bool,
    // Kinds from here on are words of phrases; they count only in texts without a whole phrase.
    quoted_from: usize,
    kinds: usize,
    found: Vec<Match>,
    lower: String,
    joined: String,
    joined_from: usize,
}

impl Matcher {
    pub(super) fn new(query: &Query) -> Self {
        let mut matcher = Self::default();
        for term in query.active_terms() {
            matcher.term(term);
        }
        if let Some(prefix) = query.prefix() {
            matcher.word(prefix.to_owned(), true, 0.5);
            matcher.kinds += 1;
        }
        for phrase in query.phrases() {
            matcher.phrase(phrase);
        }
        matcher.quoted_from = matcher.kinds;
        for term in query.quoted_terms() {
            matcher.term(term);
        }
        matcher.pairs.sort_by_key(|pair| pair.0);
        matcher.longest = matcher.phrases.iter().map(|p| p.tokens.len()).max().unwrap_or(0);
        matcher
    }

    /// The matches in `text`, sorted by start.
    pub(super) fn find(&mut self, text: &str) -> Vec<Match> {
        self.phrases.iter_mut().for_each(|phrase| phrase.matched = 0);
        self.recent.clear();
        self.joined.clear();
        self.phrase_found = false;
        scan(text, self);
        let mut found = std::mem::take(&mut self.found);
        if self.phrase_found {
            found.retain(|one| one.kind < self.quoted_from);
        }
        found.sort_by_key(|one| (one.source.start, one.source.end));
        found
    }

    fn term(&mut self, term: &Term) {
        let length = term.text().chars().count().min(12);
        let weight = term.weight() * (1.0 + length as f64 / 6.0);
        let mut chars = term.text().chars();
        match (term.class(), chars.next(), chars.next()) {
            (TermClass::Pair | TermClass::WeakPair, Some(first), Some(second)) => {
                self.pairs.push(((first, second), self.kinds, weight));
            }
            (TermClass::Pair | TermClass::WeakPair, Some(only), None) => {
                self.singles.push((only, self.kinds, weight))
            }
            _ => {
                let text = term.joined.clone().unwrap_or_else(|| term.text().to_owned());
                // The words of a path are separate terms.
                if !text.contains(' ') {
                    self.word(text, false, weight);
                }
            }
        }
        self.kinds += 1;
    }

    fn word(&mut self, text: String, prefix: bool, weight: f64) {
        if let Some(&byte) = text.as_bytes().first() {
            self.initials[usize::from(byte % 32)] = true;
        }
        self.words.push(Sought { text, prefix, kind: self.kinds, weight });
    }

    fn phrase(&mut self, phrase: &Phrase) {
        if let Some(c) = phrase.leading.as_ref().and_then(|leading| leading.chars().next()) {
            self.singles.push((c, self.kinds, 1.0));
            self.kinds += 1;
        }
        let alone = phrase.tokens.first().and_then(|token| token.chars().next());
        match alone.filter(|_| phrase.open_end && phrase.tokens.len() == 1) {
            Some(c) => self.singles.push((c, self.kinds, 1.0)),
            None => self.phrases.push(Sequence::new(phrase, self.kinds)),
        }
        self.kinds += 1;
    }

    /// Looks for one word; `source` is its range in the text.
    fn seek(&mut self, word: &str, source: Range<usize>) {
        let Some(&byte) = word.as_bytes().first() else { return };
        if !self.initials[usize::from(byte % 32)] {
            return;
        }
        for sought in &self.words {
            let alike =
                if sought.prefix { word.starts_with(&sought.text) } else { same_stem(&sought.text, word) };
            if alike {
                self.found.push(Match { source: source.clone(), kind: sought.kind, weight: sought.weight });
            }
        }
    }

    /// Passes the next token of the text to the phrases.
    fn token(&mut self, token: &str, source: Range<usize>) {
        if self.phrases.is_empty() {
            return;
        }
        self.recent.push_back(source.start);
        if self.recent.len() > self.longest {
            self.recent.pop_front();
        }
        for phrase in &mut self.phrases {
            if phrase.advance(token)
                && let Some(&start) = self.recent.get(self.recent.len() - phrase.tokens.len())
            {
                let weight = 2.0 * phrase.tokens.len() as f64;
                self.phrase_found = true;
                self.found.push(Match { source: start..source.end, kind: phrase.kind, weight });
            }
        }
    }

    fn single(&mut self, cell: &Cell) {
        for &(c, kind, weight) in &self.singles {
            if c == cell.char {
                self.found.push(Match { source: cell.source.clone(), kind, weight });
            }
        }
    }

    fn pair_token(&mut self, chars: &[char], source: Range<usize>) {
        if !self.phrases.is_empty() {
            let token: String = chars.iter().collect();
            self.token(&token, source);
        }
    }
}

impl Sink for Matcher {
    fn word(&mut self, word: &Word<'_>) {
        let mut lower = std::mem::take(&mut self.lower);
        lower.clear();
        push_lower(&mut lower, word.text);
        self.seek(&lower, word.source.clone());
        self.token(&lower, word.source.clone());
        if !word.cut {
            let mut part = String::new();
            identifier::parts(word.text, |from, to| {
                part.clear();
                push_lower(&mut part, word.text.get(from..to).unwrap_or_default());
                self.seek(&part, word.source_of(from, to));
            });
        }
        if matches!(word.joint, Some(b'_' | b'-' | b'.')) && self.joined.len() + lower.len() <= MAX_WORD {
            self.joined.push_str(&lower);
            let joined = std::mem::take(&mut self.joined);
            self.seek(&joined, self.joined_from..word.source.end);
            self.joined = joined;
        } else {
            self.joined.clear();
            self.joined.push_str(&lower);
            self.joined_from = word.source.start;
        }
        self.lower = lower;
    }

    fn symbol(&mut self, text: &str, alias: &str, source: Range<usize>) {
        self.seek(text, source.clone());
        self.seek(alias, source.clone());
        self.token(text, source);
        self.joined.clear();
    }

    fn pair(&mut self, first: &Cell, second: &Cell) {
        self.single(first);
        let source = first.source.start..second.source.end;
        if let Ok(at) = self.pairs.binary_search_by_key(&(first.char, second.char), |pair| pair.0) {
            let (_, kind, weight) = self.pairs[at];
            self.found.push(Match { source: source.clone(), kind, weight });
        }
        self.pair_token(&[first.char, second.char], source);
    }

    fn last(&mut self, last: &Cell, alone: bool) {
        self.single(last);
        if alone {
            self.pair_token(&[last.char], last.source.clone());
        }
    }
}

/// The state of matching a phrase (Knuth, Morris and Pratt).
struct Sequence {
    tokens: Vec<String>,
    // After each token, the length of the prefix of the phrase to continue from on a mismatch.
    fallback: Vec<usize>,
    open_end: bool,
    matched: usize,
    kind: usize,
}

impl Sequence {
    fn new(phrase: &Phrase, kind: usize) -> Self {
        let tokens = phrase.tokens.clone();
        let mut fallback = vec![0; tokens.len()];
        let mut length = 0;
        for at in 1..tokens.len() {
            while length > 0 && tokens[at] != tokens[length] {
                length = fallback[length - 1];
            }
            if tokens[at] == tokens[length] {
                length += 1;
            }
            fallback[at] = length;
        }
        Self { tokens, fallback, open_end: phrase.open_end, matched: 0, kind }
    }

    /// Adds the next token of the text; returns whether it completes the phrase.
    fn advance(&mut self, token: &str) -> bool {
        while self.matched > 0 && !self.fits(token) {
            self.matched = self.fallback[self.matched - 1];
        }
        if self.fits(token) {
            self.matched += 1;
        }
        let complete = self.matched == self.tokens.len();
        if complete {
            self.matched = self.fallback[self.matched - 1];
        }
        complete
    }

    fn fits(&self, token: &str) -> bool {
        let sought = &self.tokens[self.matched];
        let open = self.open_end && self.matched + 1 == self.tokens.len();
        if open { token.starts_with(sought.as_str()) } else { same_stem(sought, token) }
    }
}

/// Endings that do not change the meaning; those after the first five need a longer stem.
const ENDINGS: [&str; 25] = [
    "", "s", "es", "ed", "ing", "e", "y", "ies", "ied", "er", "ers", "ings", "ly", "ion", "ions", "ation",
    "ations", "ment", "ments", "ness", "able", "ive", "ization", "izing", "ized",
];

/// Whether two words in lower case are equal except for common English endings, which approximates the stemmer
/// of the index.
pub(crate) fn same_stem(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    let common = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    if common < 3 || !a.is_ascii() || !b.is_ascii() {
        return false;
    }
    let (a_end, b_end) = (a.get(common..).unwrap_or_default(), b.get(common..).unwrap_or_default());
    // The stem may drop its `e` or double its last letter: `cache`, `caching`; `run`, `running`.
    let last = a.as_bytes().get(common - 1).copied();
    let undoubled =
        |end: &str| end.as_bytes().first().copied().filter(|&c| Some(c) == last).map(|_| 1).unwrap_or(0);
    let ending = |end: &str| {
        let place = |end: &str| ENDINGS.iter().position(|e| *e == end);
        place(end).or_else(|| end.get(undoubled(end)..).and_then(place))
    };
    match (ending(a_end), ending(b_end)) {
        (Some(x), Some(y)) => common >= 4 || (x < 5 && y < 5),
        _ => false,
    }
}
