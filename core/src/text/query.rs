//! What a person typed, as FTS5 expressions. Anything is a query: operators, unbalanced quotes and
//! control characters are text, and nothing but analysed tokens in quotes reaches MATCH.

use super::parse::parse;

/// Input beyond these bytes is ignored.
pub const MAX_QUERY_BYTES: usize = 8192;
/// Distinct terms beyond these are ignored.
pub const MAX_TERMS: usize = 64;

/// What kind of term it is, for coverage and weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TermClass {
    /// An ordinary word.
    Word,
    /// A whole identifier, path, version or hyphenated word.
    Identifier,
    /// A word inside an identifier.
    IdentifierPart,
    /// Two neighbours, or a single character, of a script without spaces.
    Pair,
    /// A pair of hiragana alone; out of the search while stronger terms are in it.
    WeakPair,
    /// A function word; out of the search while stronger terms are in it.
    Stop,
}

/// One thing to look for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    pub(super) text: String,
    pub(super) joined: Option<String>,
    pub(super) class: TermClass,
}

impl Term {
    /// Its tokens in the index, lower case, a space between; never empty.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its kind.
    pub fn class(&self) -> TermClass {
        self.class
    }

    /// How much a match says about the query, before any document frequency, in 0..=1.
    pub fn weight(&self) -> f64 {
        match self.class {
            TermClass::Word | TermClass::Identifier => 1.0,
            TermClass::IdentifierPart => 0.4,
            TermClass::Pair => 0.6,
            TermClass::WeakPair => 0.1,
            TermClass::Stop => 0.05,
        }
    }

    /// An FTS5 expression that finds this term alone, with balanced parentheses where it needs any.
    pub fn expression(&self) -> String {
        match &self.joined {
            Some(joined) => format!("(\"{}\" OR \"{joined}\")", self.text),
            None if self.is_single_character() => format!("\"{}\" *", self.text),
            None => format!("\"{}\"", self.text),
        }
    }

    /// A character alone is part of every pair that begins with it.
    pub(super) fn is_single_character(&self) -> bool {
        matches!(self.class, TermClass::Pair | TermClass::WeakPair) && self.text.chars().nth(1).is_none()
    }
}

/// What stood between double quotes: its words must follow each other in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase {
    pub(super) tokens: Vec<String>,
    // Characters that begin or end the phrase alone may be part of a longer run in the text.
    pub(super) leading: Option<String>,
    pub(super) open_end: bool,
}

impl Phrase {
    /// Its tokens in the index, in order; never empty.
    pub fn tokens(&self) -> &[String] {
        &self.tokens
    }

    /// An FTS5 expression that finds this phrase alone.
    pub fn expression(&self) -> String {
        let phrase = format!("\"{}\"{}", self.tokens.join(" "), if self.open_end { " *" } else { "" });
        match &self.leading {
            Some(character) => format!("({phrase} AND \"{character}\" *)"),
            None => phrase,
        }
    }
}

/// A parsed query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    pub(super) terms: Vec<Term>,
    pub(super) phrases: Vec<Phrase>,
    pub(super) prefix: Option<String>,
}

impl Query {
    /// Parses anything. Text in double quotes, straight or curly, is a phrase; a quote without its
    /// partner is text, and so is everything else.
    pub fn parse(input: &str) -> Self {
        parse(input)
    }

    /// Whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.phrases.is_empty()
    }

    /// Every distinct term outside phrases, in order of appearance, stop words included.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// The quoted phrases, in order; all of them are required.
    pub fn phrases(&self) -> &[Phrase] {
        &self.phrases
    }

    /// The terms that take part in the search: all but stop words and weak pairs or, where that
    /// leaves nothing, all but stop words or, failing that, all.
    pub fn active_terms(&self) -> impl Iterator<Item = &Term> {
        let has = |weak| self.terms.iter().any(|t| rank(t.class) <= weak);
        let limit = if has(0) || !self.phrases.is_empty() {
            0
        } else if has(1) {
            1
        } else {
            2
        };
        self.terms.iter().filter(move |t| rank(t.class) <= limit)
    }

    /// The last word, in lower case, when it may be unfinished: at least two characters, and neither
    /// a space, punctuation nor a closing quote behind it.
    pub fn prefix(&self) -> Option<&str> {
        self.prefix.as_deref()
    }

    /// An FTS5 expression for words that begin as the last word does.
    pub fn prefix_expression(&self) -> Option<String> {
        self.prefix.as_ref().map(|prefix| format!("\"{prefix}\" *"))
    }

    /// The whole query for MATCH: every phrase, and any of the terms, or `None` when there is nothing
    /// to look for. Beside a phrase the other words only rank, so they never empty an answer.
    pub fn match_expression(&self) -> Option<String> {
        let mut any: Vec<String> = self.active_terms().map(Term::expression).collect();
        any.extend(self.prefix_expression());
        let all: Vec<String> = self.phrases.iter().map(Phrase::expression).collect();
        match (all.first(), any.is_empty()) {
            (None, true) => None,
            (None, false) => Some(any.join(" OR ")),
            (Some(_), true) => Some(all.join(" AND ")),
            (Some(first), false) => Some(format!("{} AND ({first} OR {})", all.join(" AND "), any.join(" OR "))),
        }
    }
}

fn rank(class: TermClass) -> u8 {
    match class {
        TermClass::Stop => 2,
        TermClass::WeakPair => 1,
        _ => 0,
    }
}
