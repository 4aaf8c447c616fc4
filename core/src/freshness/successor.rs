//! Which of the symbols that a change added is one that it removed, under another name or in another file.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::ports::Symbol;

/// A symbol that a change removed or added.
#[derive(Debug)]
pub struct Known {
    /// Path of its file, relative to the project.
    pub file: String,
    /// The symbol.
    pub symbol: Symbol,
    /// Hashes of its pairs of neighbouring words, sorted. Its own name is not among the words.
    pairs: Vec<u32>,
    /// Number of names and numbers in what comes before its body.
    contract_words: usize,
}

/// A file before and after a change.
pub struct FileChange<'a> {
    /// Its path, relative to the project.
    pub path: &'a str,
    /// Its bytes and symbols before; empty if there was no file.
    pub before: (&'a [u8], &'a [Symbol]),
    /// The same afterwards.
    pub after: (&'a [u8], &'a [Symbol]),
}

/// The symbols that a change removed and added.
#[derive(Debug, Default)]
pub struct Change {
    removed: Vec<Known>,
    added: Vec<Known>,
}

/// A new symbol that is one that is gone.
#[derive(Debug)]
pub struct Successor<'a> {
    /// The new symbol.
    pub symbol: &'a Known,
    /// Share of words that they have in common, 0 to 1; `None` if all of it or its body is equal.
    pub similarity: Option<f64>,
}

impl Successor<'_> {
    /// Whether its last name is that of `name`.
    pub fn has_name_of(&self, name: &str) -> bool {
        last(&self.symbol.symbol.name) == last(name)
    }
}

/// What speaks for a pair of symbols.
#[derive(Debug, Clone, Copy)]
struct Evidence {
    equality: Equality,
    relation: Relation,
    /// Share of words in common, 0 to 1.
    similarity: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Equality {
    /// The contract of a function in the same place, but hardly any words of the body.
    Contract,
    /// Some words.
    Words,
    /// The body, which is so long that this means something.
    Body,
    /// Everything except for the name.
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Relation {
    None,
    /// In the same file, in the same symbol or in none.
    Place,
    /// The same last name.
    Name,
    /// The same name with all that contains it.
    FullName,
}

/// Words from which on a contract is not equal by chance to that of another symbol in the same place.
const FEWEST_CONTRACT_WORDS: usize = 5;

/// Pairs of words from which on an equal symbol in another place is not equal by chance.
const FEWEST_PAIRS: usize = 12;

impl Relation {
    fn between(gone: &Known, new: &Known) -> Self {
        let (gone_name, new_name) = (&gone.symbol.name, &new.symbol.name);
        if gone_name == new_name {
            Self::FullName
        } else if last(gone_name) == last(new_name) {
            Self::Name
        } else if gone.file == new.file && container(gone_name) == container(new_name) {
            Self::Place
        } else {
            Self::None
        }
    }

    /// Share of words that a pair must have in common. Below it, wrong pairs were found (`tests/bench/symbol-renames`).
    const fn least_similarity(self) -> f64 {
        match self {
            Self::FullName | Self::Name => 0.45,
            Self::Place | Self::None => 0.6,
        }
    }
}

impl Change {
    /// Of these files.
    pub fn of<'a>(files: impl IntoIterator<Item = FileChange<'a>>) -> Self {
        let mut change = Self::default();
        for file in files {
            let [before, after] = [file.before.1, file.after.1]
                .map(|symbols| symbols.iter().map(|symbol| symbol.name.as_str()).collect::<HashSet<_>>());
            let known = |(bytes, symbols): (&[u8], &[Symbol]), others: &HashSet<&str>| {
                let missing = symbols.iter().filter(|symbol| !others.contains(symbol.name.as_str()));
                missing.map(|symbol| Known::new(file.path, bytes, symbol)).collect::<Vec<_>>()
            };
            change.removed.extend(known(file.before, &after));
            change.added.extend(known(file.after, &before));
        }
        change
    }

    /// The symbol that the removed symbol `name` of `file` became. `None` if there is none, or any of several could be it.
    pub fn successor(&self, file: &str, name: &str) -> Option<Successor<'_>> {
        let gone = self.removed.iter().find(|known| known.file == file && known.symbol.name == name)?;
        let mut found: Vec<(Evidence, &Known)> =
            self.added.iter().filter_map(|new| Some((evidence(gone, new)?, new))).collect();
        found.retain(|(own, new)| !self.others(gone, new).any(|other| other.is_better_than(*own)));
        let (best, _) = *found.iter().max_by(|(a, _), (b, _)| a.score().total_cmp(&b.score()))?;
        found.retain(|(evidence, _)| !best.is_better_than(*evidence));
        let symbol = match found.as_slice() {
            [(own, only)] if self.others(gone, only).all(|other| own.is_better_than(other)) => only,
            several => self.in_same_container(gone, several)?,
        };
        let similarity =
            matches!(best.equality, Equality::Words | Equality::Contract).then_some(best.similarity);
        Some(Successor { symbol, similarity })
    }

    /// What speaks for `new` being a symbol other than `gone` that was removed, too.
    fn others<'a>(&'a self, gone: &'a Known, new: &'a Known) -> impl Iterator<Item = Evidence> {
        let others = self.removed.iter().filter(move |other| !std::ptr::eq(*other, gone));
        others.filter_map(move |other| evidence(other, new))
    }

    /// Of several new symbols, the one in what the container of the old one became.
    fn in_same_container<'a>(&self, gone: &Known, several: &[(Evidence, &'a Known)]) -> Option<&'a Known> {
        let outer = container(&gone.symbol.name)?;
        let outer = self.successor(&gone.file, outer)?.symbol;
        let mut inside = several.iter().filter(|(_, new)| {
            new.file == outer.file && container(&new.symbol.name) == Some(outer.symbol.name.as_str())
        });
        inside.next().filter(|_| inside.next().is_none()).map(|(_, new)| *new)
    }
}

impl Evidence {
    fn score(self) -> f64 {
        let equality = match self.equality {
            Equality::All => 4.0,
            Equality::Body => 2.0,
            Equality::Words | Equality::Contract => 0.0,
        };
        let relation = match self.relation {
            Relation::FullName => 0.3,
            Relation::Name => 0.2,
            Relation::Place => 0.1,
            Relation::None => 0.0,
        };
        // Symbols with the same contract are not told apart by a few words.
        let similarity = if self.equality == Equality::Contract { 0.0 } else { self.similarity };
        equality + relation + similarity
    }

    /// Whether it is so much better that the other is out of the question.
    fn is_better_than(self, other: Self) -> bool {
        const MARGIN: f64 = 0.05;
        self.score() > other.score() + MARGIN
    }
}

/// What speaks for `new` being `gone`; `None` if it is too little.
fn evidence(gone: &Known, new: &Known) -> Option<Evidence> {
    let relation = Relation::between(gone, new);
    let (old, other) = (&gone.symbol, &new.symbol);
    let equal = |equality| Some(Evidence { equality, relation, similarity: 1.0 });
    if old.hashes.tokens == other.hashes.tokens {
        let is_telling = relation > Relation::None || gone.pairs.len() >= FEWEST_PAIRS;
        return if is_telling { equal(Equality::All) } else { None };
    }
    if old.body.is_some() && old.body == other.body {
        return equal(Equality::Body);
    }
    if sort(old) != sort(other) {
        return None;
    }
    let similarity = similarity(&gone.pairs, &new.pairs);
    let is_long = gone.pairs.len().min(new.pairs.len()) >= FEWEST_PAIRS;
    let is_same_contract = old.hashes.signature == other.hashes.signature
        && gone.contract_words >= FEWEST_CONTRACT_WORDS
        && sort(old) == "function"
        && relation == Relation::Place;
    let equality = match () {
        () if is_long && similarity >= relation.least_similarity() => Equality::Words,
        () if is_same_contract => Equality::Contract,
        () => return None,
    };
    Some(Evidence { equality, relation, similarity })
}

/// What a symbol is, without the difference between functions and methods.
fn sort(symbol: &Symbol) -> &'static str {
    match symbol.parts.first().map_or("", |part| part.kind) {
        "method" => "function",
        kind => kind,
    }
}

fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

fn container(name: &str) -> Option<&str> {
    name.rsplit_once('.').map(|(outer, _)| outer)
}

/// The Dice coefficient of two sorted lists.
fn similarity(one: &[u32], other: &[u32]) -> f64 {
    let (mut a, mut b, mut common) = (0, 0, 0_usize);
    while let (Some(left), Some(right)) = (one.get(a), other.get(b)) {
        common += usize::from(left == right);
        a += usize::from(left <= right);
        b += usize::from(left >= right);
    }
    2.0 * common as f64 / (one.len() + other.len()).max(1) as f64
}

impl Known {
    fn new(file: &str, bytes: &[u8], symbol: &Symbol) -> Self {
        let own: HashMap<&[u8], u8> =
            symbol.name.split('.').rev().zip(0..).map(|(name, place)| (name.as_bytes(), place)).collect();
        let mut pairs = Vec::new();
        for part in &symbol.parts {
            let mut before = 0;
            for word in words(bytes.get(part.range.clone()).unwrap_or_default()) {
                let mut hasher = DefaultHasher::new();
                match own.get(word) {
                    Some(place) => place.hash(&mut hasher),
                    None => word.hash(&mut hasher),
                }
                let word = hasher.finish();
                (before, word).hash(&mut hasher);
                pairs.push(hasher.finish() as u32);
                before = word;
            }
        }
        pairs.sort_unstable();
        let contract = symbol.parts.first().and_then(|part| bytes.get(part.signature.clone()));
        let is_name = |word: &&[u8]| word.first().is_some_and(u8::is_ascii_alphanumeric);
        let contract_words = words(contract.unwrap_or_default()).filter(is_name).count();
        Self { file: file.into(), symbol: symbol.clone(), pairs, contract_words }
    }
}

/// Names, numbers and other characters, without white space.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_in_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    text.chunk_by(move |a, b| is_in_word(*a) && is_in_word(*b)).filter(|word| !word.trim_ascii().is_empty())
}
