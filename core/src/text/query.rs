//! Converts what a person typed to FTS5 expressions. Any input is valid: operators, unbalanced quotes and
//! control characters are text, and only analysed tokens in quotes are passed to MATCH.

use super::parse::parse;

/// Maximum length of a query in bytes; the rest is ignored.
pub const MAX_QUERY_BYTES: usize = 8192;
/// Maximum number of distinct terms of a query; the rest is ignored.
pub const MAX_TERMS: usize = 64;

/// With more terms than this, the last word is not searched for as a prefix: that costs more than it finds.
const MAX_TERMS_BESIDE_PREFIX: usize = 3;

/// The kind of a term, for coverage and weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TermClass {
    /// An ordinary word.
    Word,
    /// A whole identifier, path or version.
    Identifier,
    /// A whole hyphenated word; not searched for together with ordinary words, because the words inside
    /// it would count twice.
    Hyphenated,
    /// A word inside an identifier or a hyphenated word.
    IdentifierPart,
    /// Two adjacent characters, or a single one, of a script without spaces.
    Pair,
    /// A pair of hiragana; not searched for together with stronger terms.
    WeakPair,
    /// A function word; not searched for together with stronger terms.
    Stop,
}

/// A term to search for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    pub(super) text: String,
    pub(super) joined: Option<String>,
    pub(super) class: TermClass,
}

impl Term {
    /// Its tokens in the index, lower case, separated by spaces; never empty.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its kind.
    pub fn class(&self) -> TermClass {
        self.class
    }

    /// How important a match is, 0 to 1, regardless of document frequency.
    pub fn weight(&self) -> f64 {
        match self.class {
            TermClass::Word | TermClass::Identifier => 1.0,
            TermClass::IdentifierPart | TermClass::Hyphenated => 0.5,
            TermClass::Pair => 0.6,
            TermClass::WeakPair => 0.1,
            TermClass::Stop => 0.05,
        }
    }

    /// An FTS5 expression for this term alone, in parentheses if necessary.
    pub fn expression(&self) -> String {
        self.alternative().expression()
    }

    fn alternative(&self) -> Alternative {
        let star = if self.joined.is_none() && self.is_single_character() { " *" } else { "" };
        let mut phrases = vec![format!("\"{}\"{star}", self.text)];
        phrases.extend(self.joined.as_ref().map(|joined| format!("\"{joined}\"")));
        Alternative { phrases }
    }

    /// Whether it is a single character, which is part of every pair that starts with it.
    pub(super) fn is_single_character(&self) -> bool {
        matches!(self.class, TermClass::Pair | TermClass::WeakPair) && self.text.chars().nth(1).is_none()
    }
}

/// A quoted phrase: its words must be adjacent in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase {
    pub(super) text: String,
    pub(super) tokens: Vec<String>,
    // Single characters at the start or end of the phrase may be part of a longer run in the text.
    pub(super) leading: Option<String>,
    pub(super) open_end: bool,
}

impl Phrase {
    /// Its words as typed, on one line.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its tokens in the index, in order; never empty.
    pub fn tokens(&self) -> &[String] {
        &self.tokens
    }

    /// An FTS5 expression for this phrase alone.
    pub fn expression(&self) -> String {
        match self.parts().as_slice() {
            [phrase] => phrase.clone(),
            parts => format!("({})", parts.join(" AND ")),
        }
    }

    /// The FTS5 phrases of its expression, all of which a text must have.
    fn parts(&self) -> Vec<String> {
        let phrase = format!("\"{}\"{}", self.tokens.join(" "), if self.open_end { " *" } else { "" });
        let leading = self.leading.iter().map(|character| format!("\"{character}\" *"));
        std::iter::once(phrase).chain(leading).collect()
    }
}

/// Alternative FTS5 phrases; a text should contain any of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alternative {
    phrases: Vec<String>,
}

impl Alternative {
    /// The phrases, each an FTS5 expression that BM25 weighs by its rarity; never empty.
    pub fn phrases(&self) -> &[String] {
        &self.phrases
    }

    /// An FTS5 expression for any of the phrases, in parentheses if necessary.
    pub fn expression(&self) -> String {
        match self.phrases.as_slice() {
            [phrase] => phrase.clone(),
            phrases => format!("({})", phrases.join(" OR ")),
        }
    }
}

/// A parsed query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    pub(super) terms: Vec<Term>,
    pub(super) quoted: Vec<Term>,
    pub(super) phrases: Vec<Phrase>,
    pub(super) pairs: Vec<String>,
    pub(super) text: String,
    pub(super) name: String,
    pub(super) key: String,
    pub(super) prefix: Option<String>,
}

/// The part of `input` that is parsed: its first [`MAX_QUERY_BYTES`].
pub fn read_part(input: &str) -> &str {
    input.get(..input.floor_char_boundary(MAX_QUERY_BYTES)).unwrap_or(input)
}

impl Query {
    /// Parses any text. Text in double quotes, straight or curly, is a phrase; an unpaired quote
    /// is text. A `*` after the last word makes it the beginning of a word: what somebody has typed so far. Everything
    /// else is text.
    pub fn parse(input: &str) -> Self {
        parse(input)
    }

    /// Whether there is nothing to search for.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.phrases.is_empty()
    }

    /// Every distinct term outside phrases, in order of appearance, stop words included.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// The terms of the phrases that do not also occur outside of phrases.
    pub fn quoted_terms(&self) -> &[Term] {
        &self.quoted
    }

    /// The quoted phrases, in order; all are required.
    pub fn phrases(&self) -> &[Phrase] {
        &self.phrases
    }

    /// The terms to search for: all except stop words and weak pairs. If there are no others, weak pairs are
    /// included; if there are none either, stop words are.
    pub fn active_terms(&self) -> impl Iterator<Item = &Term> {
        let limit = if self.phrases.is_empty() { strongest(&self.terms) } else { 0 };
        active(&self.terms, limit)
    }

    /// The last word, in lower case, if it is unfinished: followed by `*`.
    pub fn prefix(&self) -> Option<&str> {
        self.prefix.as_deref()
    }

    fn prefix_alternative(&self) -> Option<Alternative> {
        let prefix = self.prefix.as_deref()?;
        let beginnings = std::iter::once(prefix).chain(stem_of_unfinished(prefix));
        Some(Alternative { phrases: beginnings.map(|word| format!("\"{word}\" *")).collect() })
    }

    /// What each of the active terms is searched for as, in the same order: the last one, if it is unfinished and the
    /// query short, as the beginning of a word too.
    pub fn active_alternatives(&self) -> Vec<Alternative> {
        self.any_of(self.active_terms().collect())
    }

    /// The parts of [`Query::match_expression`], of which the text must contain any. `None` if it must
    /// contain phrases.
    pub fn alternatives(&self) -> Option<Vec<Alternative>> {
        self.phrases.is_empty().then(|| self.active_alternatives())
    }

    /// The whole query for MATCH: every phrase, and any of the terms; `None` if there
    /// is nothing to search for. If there is a phrase, the other words only affect the ranking.
    /// The prefix is included in queries of a few words.
    pub fn match_expression(&self) -> Option<String> {
        let any = self.active_alternatives();
        let any: Vec<String> = any.iter().map(Alternative::expression).collect();
        let all: Vec<String> = self.phrases.iter().map(Phrase::expression).collect();
        match (all.first(), any.is_empty()) {
            (None, true) => None,
            (None, false) => Some(any.join(" OR ")),
            (Some(_), true) => Some(all.join(" AND ")),
            (Some(first), false) => {
                Some(format!("{} AND ({first} OR {})", all.join(" AND "), any.join(" OR ")))
            }
        }
    }

    /// The query with optional phrases, for when too few texts contain them: any phrase, any of their
    /// words, any of the terms. The same as [`Query::match_expression`] without a phrase.
    pub fn relaxed_expression(&self) -> Option<String> {
        if self.phrases.is_empty() {
            return self.match_expression();
        }
        let any = self.relaxed_alternatives();
        let mut any: Vec<String> = any.iter().map(Alternative::expression).collect();
        any.extend(self.phrases.iter().filter(|phrase| phrase.tokens.len() > 1).map(Phrase::expression));
        Some(any.join(" OR ")).filter(|any| !any.is_empty()).or_else(|| self.match_expression())
    }

    fn relaxed_alternatives(&self) -> Vec<Alternative> {
        let limit = strongest(&self.terms).min(strongest(&self.quoted));
        self.any_of(active(&self.terms, limit).chain(active(&self.quoted, limit)).collect())
    }

    /// The phrases of [`Query::match_expression`], as often as they are in it: BM25 adds up what each of them scores.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn scored_phrases(&self) -> Vec<String> {
        let first = self.phrases.first().map(Phrase::parts).unwrap_or_default();
        // With phrases, the expression names the first of them again.
        let again = if self.active_terms().next().is_none() { Vec::new() } else { first };
        let any = self.active_alternatives().into_iter().flat_map(|alternative| alternative.phrases);
        self.phrases.iter().flat_map(Phrase::parts).chain(again).chain(any).collect()
    }

    /// The same for [`Query::relaxed_expression`].
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn relaxed_phrases(&self) -> Vec<String> {
        let several = self.phrases.iter().filter(|phrase| phrase.tokens.len() > 1).flat_map(Phrase::parts);
        let any = self.relaxed_alternatives().into_iter().flat_map(|alternative| alternative.phrases);
        let all: Vec<String> = any.chain(several).collect();
        if self.phrases.is_empty() || all.is_empty() { self.scored_phrases() } else { all }
    }

    /// Whether it is a single word, apart from function words.
    pub fn is_one_word(&self) -> bool {
        !self.name.contains(char::is_whitespace) || self.active_terms().nth(1).is_none()
    }

    /// The query as typed, without a `*` at its end.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The whole query as a name, without the quotes around it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The key of a page or heading with that name, see [`super::fold_key`].
    pub fn key(&self) -> &str {
        &self.key
    }

    /// FTS5 expressions for its function words and pairs of hiragana outside of phrases, which tell its language.
    pub fn function_words(&self) -> impl Iterator<Item = String> {
        let terms = self.terms.iter();
        terms.filter(|term| matches!(term.class, TermClass::Stop | TermClass::WeakPair)).map(Term::expression)
    }

    /// Share of identifiers, paths and versions in the query, 0 to 1.
    pub fn identifier_share(&self) -> f64 {
        let (mut identifiers, mut all) = (0, 0);
        for term in self.active_terms() {
            let whole = matches!(term.class, TermClass::Identifier);
            identifiers += usize::from(whole);
            all += usize::from(whole || !matches!(term.class, TermClass::IdentifierPart | TermClass::Stop));
        }
        if all == 0 { 0.0 } else { f64::from(identifiers as u32) / all as f64 }
    }

    /// FTS5 expressions for ordinary words that are adjacent in the query, to find texts in which they are
    /// adjacent too. The terms alone match all of these texts.
    pub fn neighbours(&self) -> impl Iterator<Item = &str> {
        self.pairs.iter().map(String::as_str)
    }

    fn any_of(&self, terms: Vec<&Term>) -> Vec<Alternative> {
        let unfinished = self.prefix_alternative().filter(|_| terms.len() <= MAX_TERMS_BESIDE_PREFIX);
        let is_last = |term: &Term| self.prefix() == Some(term.text());
        terms
            .into_iter()
            .map(|term| {
                let mut alternative = term.alternative();
                if let Some(unfinished) = unfinished.as_ref().filter(|_| is_last(term)) {
                    alternative.phrases.extend_from_slice(&unfinished.phrases);
                }
                alternative
            })
            .collect()
    }
}

/// The stem of a half-typed word as the index has it. The index stores `connection` without its ending,
/// so no indexed word starts with `connecti`.
fn stem_of_unfinished(word: &str) -> Option<&str> {
    const ENDINGS: [&str; 9] =
        ["ing", "ion", "ation", "ization", "ication", "ivity", "ability", "ement", "iveness"];
    if !word.is_ascii() {
        return None;
    }
    (4..word.len()).find_map(|at| {
        let (stem, begun) = word.split_at_checked(at)?;
        ENDINGS.iter().any(|ending| ending.starts_with(begun)).then_some(stem)
    })
}

fn strongest(terms: &[Term]) -> u8 {
    terms.iter().map(|t| weakness(t.class)).min().unwrap_or(u8::MAX)
}

fn active(terms: &[Term], limit: u8) -> impl Iterator<Item = &Term> {
    let prose = terms.iter().any(|t| t.class == TermClass::Word);
    terms.iter().filter(move |t| weakness(t.class) <= limit && !(prose && t.class == TermClass::Hyphenated))
}

/// Terms with a higher value are left out first.
fn weakness(class: TermClass) -> u8 {
    match class {
        TermClass::Stop => 2,
        TermClass::WeakPair => 1,
        _ => 0,
    }
}
