//! The expressions of FTS5 that the engine makes of a query, and what they find in rows of tokens.

use ubp_core::index::Stemmer;
use ubp_core::{Error, Result};

use crate::tokens::{CHARACTER, Column, Places, WEIGHTS, written};

/// FTS5's constants of BM25.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// Tokens that follow each other.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Phrase {
    /// As PostgreSQL has them; without any, nothing matches.
    pub tokens: Vec<String>,
    /// Whether the last one is the beginning of a token.
    pub is_open: bool,
}

/// Two adjacent tokens as `ubp.terms` has them: before all single ones, so that those that begin alike are neighbours.
pub(crate) fn pair(first: &str, second: &str) -> String {
    format!(" {first} {second}")
}

/// The first character of a token as `ubp.terms` has it, if it is not one of the letters `a` to `y`: queries for one such
/// character find all tokens that begin with it.
pub(crate) fn first_character(token: &str) -> Option<String> {
    let character = token.get(..CHARACTER).filter(|first| first.starts_with('z'))?;
    Some(format!("*{character}"))
}

/// An expression. Phrases are numbers in [`Expression::phrases`].
#[derive(Debug, Clone, PartialEq, Eq)]
enum Node {
    Phrase(usize),
    All(Vec<Node>),
    Any(Vec<Node>),
    Without(Box<Node>, Box<Node>),
}

/// A parsed expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Expression {
    root: Node,
    pub phrases: Vec<Phrase>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Sign {
    Text(String),
    Star,
    Open,
    Close,
    Word(String),
}

fn signs(text: &str) -> Vec<Sign> {
    let mut signs = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' => signs.push(Sign::Text(chars.by_ref().take_while(|c| *c != '"').collect())),
            '*' => signs.push(Sign::Star),
            '(' => signs.push(Sign::Open),
            ')' => signs.push(Sign::Close),
            c if c.is_whitespace() => {}
            c => {
                let mut word = String::from(c);
                while let Some(next) = chars.next_if(|next| next.is_alphanumeric()) {
                    word.push(next);
                }
                signs.push(Sign::Word(word));
            }
        }
    }
    signs
}

struct Parser<'a> {
    signs: std::iter::Peekable<std::vec::IntoIter<Sign>>,
    stemmer: &'a mut Stemmer,
    phrases: Vec<Phrase>,
}

impl Parser<'_> {
    fn any(&mut self) -> Result<Node> {
        let mut parts = vec![self.all()?];
        while self.skip("OR") {
            parts.push(self.all()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Node::Any(parts) })
    }

    fn all(&mut self) -> Result<Node> {
        let mut parts = vec![self.without()?];
        while self.skip("AND") {
            parts.push(self.without()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Node::All(parts) })
    }

    fn without(&mut self) -> Result<Node> {
        let mut node = self.one()?;
        while self.skip("NOT") {
            node = Node::Without(Box::new(node), Box::new(self.one()?));
        }
        Ok(node)
    }

    fn one(&mut self) -> Result<Node> {
        match self.signs.next() {
            Some(Sign::Open) => {
                let node = self.any()?;
                match self.signs.next() {
                    Some(Sign::Close) => Ok(node),
                    _ => Err(unreadable()),
                }
            }
            Some(Sign::Text(text)) => {
                let is_open = self.signs.next_if_eq(&Sign::Star).is_some();
                let tokens = self.stemmer.tokens(&[text.as_str()])?.concat();
                let tokens = tokens.iter().map(|token| written(token)).collect();
                self.phrases.push(Phrase { tokens, is_open });
                Ok(Node::Phrase(self.phrases.len() - 1))
            }
            _ => Err(unreadable()),
        }
    }

    fn skip(&mut self, word: &str) -> bool {
        self.signs.next_if(|sign| matches!(sign, Sign::Word(found) if found == word)).is_some()
    }
}

fn unreadable() -> Error {
    Error::Internal("an expression of the full text cannot be read".into())
}

impl Expression {
    /// Reads an expression: quoted texts, `*` after them, AND, OR, NOT and parentheses.
    ///
    /// # Errors
    /// [`Error::Internal`] for anything else, [`Error::Database`].
    pub fn read(text: &str, stemmer: &mut Stemmer) -> Result<Self> {
        let mut parser = Parser { signs: signs(text).into_iter().peekable(), stemmer, phrases: Vec::new() };
        let root = parser.any()?;
        match parser.signs.next() {
            None => Ok(Self { root, phrases: parser.phrases }),
            Some(_) => Err(unreadable()),
        }
    }

    /// The token that is all of the expression.
    pub fn token(&self) -> Option<&str> {
        match self.phrases.as_slice() {
            [phrase] => phrase.token(),
            _ => None,
        }
    }

    /// The phrases, if a row has to have any one of them, and nothing else.
    pub fn any_of(&self) -> Option<Vec<&Phrase>> {
        match &self.root {
            Node::Phrase(_) => Some(self.phrases.iter().collect()),
            Node::Any(parts) if parts.iter().all(|part| matches!(part, Node::Phrase(_))) => {
                Some(self.phrases.iter().collect())
            }
            _ => None,
        }
    }

    /// Whether a row must have more than any of the phrases.
    pub fn is_selective(&self) -> bool {
        match &self.root {
            Node::Phrase(_) => self.token().is_none(),
            Node::Any(parts) => !parts.iter().all(|part| matches!(part, Node::Phrase(_) | Node::Any(_))),
            _ => true,
        }
    }

    /// A condition in SQL that is true for the rows that match. The index finds all rows with the right tokens; that these
    /// follow each other is seen in the text, without dividing it into tokens again.
    pub fn condition(&self) -> String {
        let Some(tokens) = self.tokens_of(&self.root) else { return "false".into() };
        let has = format!("to_tsvector('simple', tokens) @@ '{tokens}'::tsquery");
        if self.is_told_by_tokens(&self.root) {
            has
        } else {
            format!("{has} AND {}", self.text_of(&self.root))
        }
    }

    /// What tokens a row that matches has, as a `tsquery`; `None` if no row matches.
    fn tokens_of(&self, node: &Node) -> Option<String> {
        match node {
            Node::Phrase(phrase) => self.phrases.get(*phrase)?.tsquery(),
            Node::All(parts) => {
                let parts: Vec<String> =
                    parts.iter().map(|part| self.tokens_of(part)).collect::<Option<_>>()?;
                Some(format!("({})", parts.join(" & ")))
            }
            Node::Any(parts) => {
                let parts: Vec<String> = parts.iter().filter_map(|part| self.tokens_of(part)).collect();
                (!parts.is_empty()).then(|| format!("({})", parts.join(" | ")))
            }
            Node::Without(one, _) => self.tokens_of(one),
        }
    }

    /// What every row that matches has: tokens as a `tsquery`, and patterns for LIKE. `None` if no row matches.
    pub fn required(&self) -> Option<(String, Vec<String>)> {
        let mut patterns = Vec::new();
        self.add_required(&self.root, &mut patterns);
        Some((self.tokens_of(&self.root)?, patterns))
    }

    fn add_required(&self, node: &Node, patterns: &mut Vec<String>) {
        match node {
            Node::Phrase(phrase) => {
                let phrase = self.phrases.get(*phrase).filter(|phrase| phrase.tokens.len() > 1);
                patterns.extend(phrase.and_then(Phrase::pattern));
            }
            Node::All(parts) => parts.iter().for_each(|part| self.add_required(part, patterns)),
            Node::Without(one, _) => self.add_required(one, patterns),
            Node::Any(_) => {}
        }
    }

    fn is_told_by_tokens(&self, node: &Node) -> bool {
        match node {
            Node::Phrase(phrase) => self.phrases.get(*phrase).is_some_and(|phrase| phrase.tokens.len() == 1),
            Node::All(parts) | Node::Any(parts) => parts.iter().all(|part| self.is_told_by_tokens(part)),
            Node::Without(..) => false,
        }
    }

    fn text_of(&self, node: &Node) -> String {
        let join = |parts: &[Node], word: &str| {
            let parts: Vec<String> = parts.iter().map(|part| self.text_of(part)).collect();
            format!("({})", parts.join(word))
        };
        match node {
            Node::Phrase(phrase) => match self.phrases.get(*phrase).and_then(Phrase::pattern) {
                Some(pattern) => format!("tokens LIKE '{pattern}'"),
                None => "false".into(),
            },
            Node::All(parts) => join(parts, " AND "),
            Node::Any(parts) => join(parts, " OR "),
            Node::Without(one, other) => format!("({} AND NOT {})", self.text_of(one), self.text_of(other)),
        }
    }

    /// Whether the row matches, and how often it has each phrase, weighed by column.
    pub fn frequencies(&self, row: &Places<'_>) -> Option<Vec<f64>> {
        let found: Vec<f64> = self.phrases.iter().map(|phrase| phrase.frequency(row)).collect();
        self.is_match(&self.root, &found).then_some(found)
    }

    fn is_match(&self, node: &Node, found: &[f64]) -> bool {
        match node {
            Node::Phrase(phrase) => found.get(*phrase).is_some_and(|found| *found > 0.0),
            Node::All(parts) => parts.iter().all(|part| self.is_match(part, found)),
            Node::Any(parts) => parts.iter().any(|part| self.is_match(part, found)),
            Node::Without(one, other) => self.is_match(one, found) && !self.is_match(other, found),
        }
    }
}

impl Phrase {
    fn token(&self) -> Option<&str> {
        match self.tokens.as_slice() {
            [token] if !self.is_open => Some(token),
            _ => None,
        }
    }

    /// The tokens as a `tsquery`; `None` without any. They are letters and digits, so that nothing has to be escaped.
    pub fn tsquery(&self) -> Option<String> {
        let tokens = self.tokens.join(" & ");
        (!tokens.is_empty()).then(|| if self.is_open { tokens + ":*" } else { tokens })
    }

    /// A pattern for LIKE that matches the rows with the tokens next to each other; `None` without any.
    pub fn pattern(&self) -> Option<String> {
        let end = if self.is_open { "" } else { " " };
        (!self.tokens.is_empty()).then(|| format!("% {}{end}%", self.tokens.join(" ")))
    }

    /// What of it is counted in `ubp.terms`: the token, the first character of tokens, or each pair of adjacent tokens. The
    /// last token is not if it is open.
    pub fn terms(&self) -> Vec<String> {
        let closed = self.tokens.len() - usize::from(self.is_open).min(self.tokens.len());
        match (&self.tokens[..closed], self.tokens.as_slice()) {
            ([], [token]) => {
                first_character(token).filter(|_| token.len() == CHARACTER).into_iter().collect()
            }
            ([token], _) => vec![token.clone()],
            (tokens, _) => tokens.windows(2).map(|two| pair(&two[0], &two[1])).collect(),
        }
    }

    /// Whether [`Phrase::terms`] tell how many rows have it.
    pub fn is_counted(&self) -> bool {
        let most = if self.is_open { 1 } else { 2 };
        self.tokens.len() <= most && self.terms().len() == 1
    }

    fn frequency(&self, row: &Places<'_>) -> f64 {
        let counts = row.columns().map(|column| self.count(column));
        counts.zip(WEIGHTS).map(|(count, weight)| (count * weight) as f64).sum()
    }

    fn count(&self, column: &Column<'_>) -> usize {
        let Some((last, others)) = self.tokens.split_last() else { return 0 };
        match others.first() {
            None if self.is_open => {
                column.tokens.iter().filter(|token| token.starts_with(last.as_str())).count()
            }
            None => column.places(last).len(),
            Some(first) => {
                let is_here = |place: &&usize| {
                    let words = column.tokens.get(**place..).unwrap_or_default();
                    let end = words.get(others.len()).copied().unwrap_or_default();
                    let ends = if self.is_open { end.starts_with(last.as_str()) } else { end == last };
                    ends && words.iter().zip(others).all(|(one, other)| one == other)
                };
                column.places(first).iter().filter(is_here).count()
            }
        }
    }
}

/// How much a phrase counts that `rows` of `total` rows have, as FTS5 computes it.
pub(crate) fn rarity(rows: u64, total: u64) -> f64 {
    let (rows, total) = (rows.min(total) as f64, total as f64);
    let idf = ((total - rows + 0.5) / (rows + 0.5)).ln();
    if idf <= 0.0 { 1e-6 } else { idf }
}

/// FTS5's `bm25()` of a row, positive, from the weighed frequency and the rarity of each phrase.
pub(crate) fn bm25(frequencies: &[f64], rarities: &[f64], length: f64, average: f64) -> f64 {
    let long = if average > 0.0 { length / average } else { 1.0 };
    let each = frequencies.iter().zip(rarities);
    each.map(|(f, idf)| idf * (f * (K1 + 1.0)) / (f + K1 * (1.0 - B + B * long))).sum()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use ubp_core::text::Query;

    fn read(text: &str) -> Expression {
        Expression::read(text, &mut Stemmer::new().unwrap()).unwrap()
    }

    fn is_match(expression: &str, row: &str) -> bool {
        read(expression).frequencies(&Places::read(row)).is_some()
    }

    #[test]
    fn the_engine_s_expressions_can_be_read() {
        for query in [
            "snake_case",
            "\"in quotes\" and more",
            "公開鍵",
            "京",
            "node.js e-mail C++ a*",
            "\"京都\" 鍵",
            "log in to the server",
            "\"\" ' OR AND (",
        ] {
            let query = Query::parse(query);
            let expressions = query.match_expression().into_iter().chain(query.relaxed_expression());
            let neighbours = query.neighbours().map(str::to_owned);
            for text in expressions.chain(neighbours).chain(query.function_words()) {
                Expression::read(&text, &mut Stemmer::new().unwrap()).expect(&text);
            }
        }
    }

    #[test]
    fn rows_match_as_in_fts5() {
        let row = " cat | cat | cat | cat | | | a quick brown fox a ";
        assert!(is_match("\"quick brown\"", row));
        assert!(!is_match("\"brown quick\"", row));
        assert!(!is_match("\"cat a\"", row), "columns are apart");
        assert!(is_match("\"bro\" *", row));
        assert!(!is_match("\"bro\"", row));
        assert!(is_match("\"fox\" AND (\"cat\" OR \"dog\")", row));
        assert!(!is_match("\"fox\" NOT \"cat\"", row));
        let found = read("\"cat\" OR \"a\"").frequencies(&Places::read(row)).unwrap();
        assert_eq!(found, [4.0, 2.0]);
    }

    #[test]
    fn conditions_need_all_tokens_and_their_order() {
        let token = read("\"fox\"");
        assert_eq!(token.condition(), "to_tsvector('simple', tokens) @@ 'fox'::tsquery");
        assert!(!token.is_selective() && token.token() == Some("fox"));
        let phrase = read("\"brown fox\" * OR \"cat\"");
        assert_eq!(
            phrase.condition(),
            "to_tsvector('simple', tokens) @@ '(brown & fox:* | cat)'::tsquery \
             AND (tokens LIKE '% brown fox%' OR tokens LIKE '% cat %')"
        );
        assert_eq!(
            read("\"a\" NOT \"b\"").condition(),
            "to_tsvector('simple', tokens) @@ 'a'::tsquery AND (tokens LIKE '% a %' AND NOT tokens LIKE '% b %')"
        );
        assert_eq!(read("\"\"").condition(), "false");
        let required = read("\"brown fox\" AND (\"a b\" OR \"c\") NOT \"d e\"").required();
        assert_eq!(required, Some(("(brown & fox & (a & b | c))".into(), vec!["% brown fox %".into()])));
        assert!(!read("\"a\" OR (\"b\" OR \"c\" *)").is_selective());
        assert!(read("\"a\" AND \"b\"").is_selective());
    }

    #[test]
    fn tokens_pairs_and_first_characters_are_counted() {
        let terms = |text: &str| read(text).phrases[0].terms();
        assert_eq!(terms("\"fox\""), ["fox"]);
        assert_eq!(terms("\"fox\" *"), [""; 0]);
        assert_eq!(terms("\"quick brown fox\""), [" quick brown", " brown fox"]);
        assert_eq!(terms("\"quick brown fox\" *"), [" quick brown"]);
        assert_eq!(terms("\"京\" *"), [format!("*{}", written("京"))]);
        assert_eq!(terms("\"京都\" *"), [""; 0]);
    }
}
