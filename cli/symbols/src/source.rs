//! A source file whose definitions are known.

use std::collections::HashMap;

use crate::code;
use crate::definition::{Contract, Definition};
use crate::fingerprint::{Fingerprint, Hash};
use crate::formats;
use crate::language::Language;
use crate::limits::{Deadline, Limits, Unreadable};
use crate::outline::Outline;
use crate::tokens::{Form, Hasher, Token};

/// A source file, read.
#[derive(Debug)]
pub struct Source<'a> {
    text: &'a [u8],
    outline: Outline,
}

impl<'a> Source<'a> {
    /// Finds the definitions in a text. Code with errors is read as far as possible, and so is text with bytes that are not
    /// UTF-8. JSON, YAML and TOML have to be valid.
    ///
    /// # Errors
    /// [`Unreadable`].
    pub fn read(language: Language, text: &'a [u8], limits: Limits) -> Result<Self, Unreadable> {
        let mut deadline = admitted(text, limits)?;
        let mut outline = match language.grammar() {
            Some(grammar) => code::outline(grammar, text, &mut deadline)?,
            None => formats::outline(language, text, &mut deadline)?,
        };
        outline.bodies.sort_unstable();
        Ok(Self { text, outline })
    }

    /// Splits a text into words, for files in languages that have no definitions.
    ///
    /// # Errors
    /// [`Unreadable`].
    pub fn words(text: &'a [u8], limits: Limits) -> Result<Self, Unreadable> {
        let mut deadline = admitted(text, limits)?;
        Ok(Self { text, outline: formats::words(text, &mut deadline)? })
    }

    /// All definitions, in the order of their start. A definition comes before those in it.
    pub fn definitions(&self) -> &[Definition] {
        &self.outline.definitions
    }

    /// The fingerprint of a symbol, which is one definition or several with the same path, such as overloads.
    pub fn fingerprint(&self, parts: &[&Definition]) -> Fingerprint {
        let names = parts.first().map_or(&[][..], |first| &first.path);
        let tokens = &self.outline.tokens;
        let mut all = Hasher::new(self.text, tokens, names);
        let mut signature = Hasher::new(self.text, tokens, names);
        let mut body = Hasher::new(self.text, tokens, names);
        let mut body_length = 0;
        for part in parts {
            let bodies = self.bodies_in(part);
            let length_before = body.length();
            for token in tokens.slice(part.tokens.clone()) {
                all.add(*token);
                if !is_in_any(&bodies, token) {
                    signature.add(*token);
                }
                let in_body = part
                    .body
                    .as_ref()
                    .is_none_or(|range| range.start <= token.start && token.end <= range.end);
                if in_body {
                    body.add(*token);
                }
            }
            body_length += body.length() - length_before;
            // Keeps a token from moving between the parts unnoticed.
            [&mut all, &mut signature, &mut body].into_iter().for_each(|hasher| hasher.add(END));
        }
        Fingerprint { tokens: all.finish(), signature: signature.finish(), body: body.finish(), body_length }
    }

    /// The definitions by symbol: those with the same path together, in the order of the first.
    pub fn symbols(&self) -> Vec<Vec<&Definition>> {
        let mut places: HashMap<&[String], usize> = HashMap::new();
        let mut symbols: Vec<Vec<&Definition>> = Vec::new();
        for one in self.definitions() {
            let place = *places.entry(&one.path).or_insert(symbols.len());
            match symbols.get_mut(place) {
                Some(parts) => parts.push(one),
                None => symbols.push(vec![one]),
            }
        }
        symbols
    }

    /// Symbols that say the same as one that had the fingerprint `gone`, under whatever name: those with the same tokens.
    /// If there are none, those with the same body, unless it is so short that this means nothing.
    ///
    /// If there is exactly one, and it did not exist before, it is the new name of the symbol.
    pub fn like(&self, gone: &Fingerprint) -> Vec<Vec<&Definition>> {
        let mut same = Vec::new();
        let mut same_body = Vec::new();
        for symbol in self.symbols() {
            let found = self.fingerprint(&symbol);
            if found.tokens == gone.tokens {
                same.push(symbol);
            } else if found.body == gone.body && gone.has_telling_body() {
                same_body.push(symbol);
            }
        }
        if same.is_empty() { same_body } else { same }
    }

    /// The hash of all tokens of the file.
    pub fn file_hash(&self) -> Hash {
        let mut hasher = Hasher::new(self.text, &self.outline.tokens, &[]);
        for token in self.outline.tokens.slice(0..self.outline.tokens.len()) {
            hasher.add(*token);
        }
        hasher.finish()
    }

    /// What is not part of the contract of a definition, in the order of the text, without overlaps.
    fn bodies_in(&self, part: &Definition) -> Vec<(usize, usize)> {
        match part.kind.contract() {
            Contract::Head => part.body.iter().map(|range| (range.start, range.end)).collect(),
            Contract::All => {
                let all = &self.outline.bodies;
                let first = all.partition_point(|body| body.0 < part.range.start);
                let inside = all.iter().skip(first).take_while(|body| body.1 <= part.range.end);
                let mut bodies: Vec<(usize, usize)> = inside.copied().collect();
                bodies.dedup_by(|inner, outer| inner.1 <= outer.1);
                bodies
            }
        }
    }
}

const END: Token = Token { start: 0, end: 0, form: Form::Dedent };

fn is_in_any(bodies: &[(usize, usize)], token: &Token) -> bool {
    let before = bodies.partition_point(|body| body.0 <= token.start);
    before.checked_sub(1).and_then(|place| bodies.get(place)).is_some_and(|body| token.end <= body.1)
}

/// How much of a file is searched for the character NUL. Git does the same.
const BINARY_PREFIX: usize = 8_000;

fn admitted(text: &[u8], limits: Limits) -> Result<Deadline, Unreadable> {
    if text.len() > limits.bytes {
        return Err(Unreadable::TooLarge { bytes: text.len(), limit: limits.bytes });
    }
    if text.iter().take(BINARY_PREFIX).any(|byte| *byte == 0) {
        return Err(Unreadable::Binary);
    }
    Ok(Deadline::after(limits.time))
}
