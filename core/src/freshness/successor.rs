//! Which of the symbols that a change added is one that it removed, under another name or in another file.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::sites::Sites;
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
    /// Hashes of its words.
    words: HashSet<u64>,
    /// Number of names and numbers in what comes before its body.
    contract_words: usize,
    /// Hash of what stands before and after it on both sides of the change, if it is the only such symbol there that was
    /// removed or added.
    gap: Option<u64>,
}

/// A file before and after a change.
#[derive(Clone, Copy)]
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
    sites: Sites,
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
    /// The new name stands where the old one stood, such as in calls.
    is_replaced: bool,
    /// It stands between the same symbols.
    is_between_same: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Equality {
    /// The contract of a function, or where it stands or is used, but hardly any words of the body.
    Place,
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

/// Share of words in common from which on a function is like one with the same contract.
const LEAST_WITH_CONTRACT: f64 = 0.45;

/// The same for a symbol between the same ones.
const LEAST_IN_GAP: f64 = 0.3;

/// The same for one whose name stands where the old one stood.
const LEAST_IF_REPLACED: f64 = 0.15;

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
            Self::Place => 0.5,
            Self::None => 0.55,
        }
    }
}

impl Change {
    /// Of these files.
    pub fn of<'a>(files: impl IntoIterator<Item = FileChange<'a>>) -> Self {
        let files: Vec<FileChange<'_>> = files.into_iter().collect();
        let mut change = Self::default();
        for file in &files {
            let [before, after] = [file.before.1, file.after.1]
                .map(|symbols| symbols.iter().map(|symbol| symbol.name.as_str()).collect::<HashSet<_>>());
            let known = |(bytes, symbols): (&[u8], &[Symbol]), others: &HashSet<&str>| {
                let gaps = gaps(symbols, others);
                let missing = symbols.iter().filter(|symbol| !others.contains(symbol.name.as_str()));
                let known = missing.map(|symbol| {
                    let gap = gaps.get(symbol.name.as_str()).copied();
                    Known { gap, ..Known::new(file.path, bytes, symbol) }
                });
                known.collect::<Vec<_>>()
            };
            change.removed.extend(known(file.before, &after));
            change.added.extend(known(file.after, &before));
        }
        if !change.removed.is_empty() && !change.added.is_empty() {
            let all = change.removed.iter().chain(&change.added);
            change.sites = Sites::of(&files, &all.map(|known| last(&known.symbol.name)).collect());
        }
        change
    }

    /// The symbol that the removed symbol `name` of `file` became. `None` if there is none, or any of several could be it.
    pub fn successor(&self, file: &str, name: &str) -> Option<Successor<'_>> {
        let gone = self.removed.iter().find(|known| known.file == file && known.symbol.name == name)?;
        let mut found: Vec<(Evidence, &Known)> =
            self.added.iter().filter_map(|new| Some((self.evidence(gone, new)?, new))).collect();
        found.retain(|(own, new)| !self.others(gone, new).any(|other| other.is_better_than(*own)));
        let (best, _) = *found.iter().max_by(|(a, _), (b, _)| a.score().total_cmp(&b.score()))?;
        found.retain(|(evidence, _)| !best.is_better_than(*evidence));
        let symbol = match found.as_slice() {
            [(own, only)] if self.others(gone, only).all(|other| own.is_better_than(other)) => only,
            several => self.in_same_container(gone, several)?,
        };
        let similarity =
            matches!(best.equality, Equality::Words | Equality::Place).then_some(best.similarity);
        let symbol = self.caller(gone, symbol).unwrap_or(symbol);
        Some(Successor { symbol, similarity })
    }

    /// The only new function with the contract that `gone` had, if it calls `body`, which has another contract: then `gone` was
    /// split, and its users call the former.
    fn caller(&self, gone: &Known, body: &Known) -> Option<&Known> {
        let contract = &gone.symbol.hashes.signature;
        if body.symbol.hashes.signature == *contract || !gone.has_long_contract() {
            return None;
        }
        let mut hasher = DefaultHasher::new();
        last(&body.symbol.name).as_bytes().hash(&mut hasher);
        let name = hasher.finish();
        let mut callers = self.added.iter().filter(|new| {
            new.symbol.hashes.signature == *contract
                && sort(&new.symbol) == "function"
                && new.words.contains(&name)
                && Relation::between(gone, new) != Relation::None
        });
        callers.next().filter(|_| callers.next().is_none())
    }

    /// What speaks for `new` being a symbol other than `gone` that was removed, too.
    fn others<'a>(&'a self, gone: &'a Known, new: &'a Known) -> impl Iterator<Item = Evidence> {
        let others = self.removed.iter().filter(move |other| !std::ptr::eq(*other, gone));
        others.filter_map(move |other| self.evidence(other, new))
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

    /// What speaks for `new` being `gone`; `None` if it is too little.
    fn evidence(&self, gone: &Known, new: &Known) -> Option<Evidence> {
        let relation = Relation::between(gone, new);
        let (old, other) = (&gone.symbol, &new.symbol);
        let is_replaced = self.sites.is_replaced(last(&old.name), last(&other.name));
        let is_between_same = relation == Relation::Place && gone.gap.is_some() && gone.gap == new.gap;
        let of = |equality, similarity| {
            Some(Evidence { equality, relation, similarity, is_replaced, is_between_same })
        };
        if old.hashes.tokens == other.hashes.tokens {
            let is_telling = relation > Relation::None || is_replaced || gone.pairs.len() >= FEWEST_PAIRS;
            return if is_telling { of(Equality::All, 1.0) } else { None };
        }
        if old.body.is_some() && old.body == other.body {
            return of(Equality::Body, 1.0);
        }
        if sort(old) != sort(other) {
            return None;
        }
        let similarity = similarity(&gone.pairs, &new.pairs);
        let is_long = gone.pairs.len().min(new.pairs.len()) >= FEWEST_PAIRS;
        let has_same_contract = old.hashes.signature == other.hashes.signature;
        let has_long_contract = has_same_contract && gone.has_long_contract();
        let least = if has_long_contract { LEAST_WITH_CONTRACT } else { relation.least_similarity() };
        if is_long && similarity >= least {
            return of(Equality::Words, similarity);
        }
        let is_in_place = has_long_contract && relation == Relation::Place
            || is_long && is_between_same && (has_same_contract || similarity >= LEAST_IN_GAP)
            || is_replaced && (has_same_contract || is_between_same || similarity >= LEAST_IF_REPLACED);
        if is_in_place { of(Equality::Place, similarity) } else { None }
    }
}

impl Evidence {
    fn score(self) -> f64 {
        let equality = match self.equality {
            Equality::All => 4.0,
            Equality::Body => 2.0,
            Equality::Words | Equality::Place => 0.0,
        };
        let relation = match self.relation {
            Relation::FullName => 0.3,
            Relation::Name => 0.2,
            Relation::Place => 0.1,
            Relation::None => 0.0,
        };
        // Symbols with the same contract are not told apart by a few words.
        let similarity = if self.equality == Equality::Place { 0.0 } else { self.similarity };
        let replaced = if self.is_replaced { 0.5 } else { 0.0 };
        let between = if self.is_between_same { 0.15 } else { 0.0 };
        equality + relation + similarity + replaced + between
    }

    /// Whether it is so much better that the other is out of the question.
    fn is_better_than(self, other: Self) -> bool {
        const MARGIN: f64 = 0.05;
        self.score() > other.score() + MARGIN
    }
}

/// What a symbol is, without the difference between functions and methods.
pub(super) fn sort(symbol: &Symbol) -> &'static str {
    match symbol.parts.first().map_or("", |part| part.kind) {
        "method" => "function",
        kind => kind,
    }
}

/// For each symbol that is not among `others`, the other side: a hash of what it is and stands between, if it is alone there.
fn gaps<'a>(symbols: &'a [Symbol], others: &HashSet<&str>) -> HashMap<&'a str, u64> {
    let mut siblings: HashMap<Option<&str>, Vec<&Symbol>> = HashMap::new();
    for symbol in symbols {
        siblings.entry(container(&symbol.name)).or_default().push(symbol);
    }
    let mut gaps = HashMap::new();
    for (outer, mut inner) in siblings {
        inner.sort_by_key(|symbol| symbol.parts.first().map(|part| part.range.start));
        let mut gap: Vec<&Symbol> = Vec::new();
        let mut before = None;
        for next in inner.into_iter().map(Some).chain([None]) {
            if let Some(symbol) = next.filter(|symbol| !others.contains(symbol.name.as_str())) {
                gap.push(symbol);
                continue;
            }
            let next = next.map(|symbol| symbol.name.as_str());
            for symbol in &gap {
                if gap.iter().filter(|other| sort(other) == sort(symbol)).count() == 1 {
                    let mut hasher = DefaultHasher::new();
                    (outer, before, next, sort(symbol)).hash(&mut hasher);
                    gaps.insert(symbol.name.as_str(), hasher.finish());
                }
            }
            gap.clear();
            before = next;
        }
    }
    gaps
}

pub(super) fn last(name: &str) -> &str {
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
    /// Whether it is a function whose contract is not equal by chance to that of another one in the same place.
    fn has_long_contract(&self) -> bool {
        self.contract_words >= FEWEST_CONTRACT_WORDS && sort(&self.symbol) == "function"
    }

    fn new(file: &str, bytes: &[u8], symbol: &Symbol) -> Self {
        let own: HashMap<&[u8], u8> =
            symbol.name.split('.').rev().zip(0..).map(|(name, place)| (name.as_bytes(), place)).collect();
        let (mut pairs, mut all) = (Vec::new(), HashSet::new());
        for part in &symbol.parts {
            let mut before = 0;
            for word in words(bytes.get(part.range.clone()).unwrap_or_default()) {
                let mut hasher = DefaultHasher::new();
                match own.get(word) {
                    Some(place) => place.hash(&mut hasher),
                    None => word.hash(&mut hasher),
                }
                let word = hasher.finish();
                all.insert(word);
                (before, word).hash(&mut hasher);
                pairs.push(hasher.finish() as u32);
                before = word;
            }
        }
        pairs.sort_unstable();
        let contract = symbol.parts.first().and_then(|part| bytes.get(part.signature.clone()));
        let is_name = |word: &&[u8]| word.first().is_some_and(u8::is_ascii_alphanumeric);
        let contract_words = words(contract.unwrap_or_default()).filter(is_name).count();
        Self { file: file.into(), symbol: symbol.clone(), pairs, words: all, contract_words, gap: None }
    }
}

/// Names, numbers and other characters, without white space.
pub(super) fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_in_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    text.chunk_by(move |a, b| is_in_word(*a) && is_in_word(*b)).filter(|word| !word.trim_ascii().is_empty())
}
