//! Whether two texts contradict each other, as far as words alone can tell: two sentences that say the same of the
//! same thing, except for a number, a negation or one word. What follows only from the meaning of different words
//! is not found, so the absence of a contradiction proves nothing (`contradiction/cases.txt` has the cases that the
//! tests measure).

mod runs;
mod words;

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;
use unicode_normalization::UnicodeNormalization;

use runs::{is_hiragana, runs};
use words::{is_cue, is_empty, is_particle, is_topic_mark, negates, opposite, plain};

use super::merge::sentences;
use crate::text::{fold_key, visible};

/// Sentences of more words are not compared: they say several things.
const LONGEST: usize = 60;

/// Statements of one text that are compared.
const STATEMENTS: usize = 200;

/// Share of their words that two sentences must have in common.
const ALIKE: f64 = 0.6;

/// The same for sentences that differ by a negation, without it.
const ALIKE_NEGATED: f64 = 0.75;

/// How two sentences differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Difference {
    /// By a negation or a word that means the opposite.
    Negation,
    /// By a number.
    Number,
    /// By another word.
    Value,
}

/// Two sentences that contradict each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Contradiction {
    pub difference: Difference,
    /// The sentence of the first text.
    pub held: String,
    /// The sentence of the second text.
    pub given: String,
}

/// A text whose sentences can be compared.
#[derive(Debug, Clone, Default)]
pub(crate) struct Statements {
    /// Folded.
    topic: String,
    list: Vec<Statement>,
}

#[derive(Debug, Clone)]
struct Statement {
    /// As written, on one line.
    said: String,
    words: Vec<Word>,
    /// The sentence without negations.
    bare: Vec<String>,
    /// Whether it denies what `bare` says.
    denied: bool,
}

#[derive(Debug, Clone, PartialEq)]
struct Word {
    text: String,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Number,
    /// A word with a meaning of its own.
    Content,
    /// A verb or sign between a thing and what is said of it.
    Cue,
    Other,
}

impl Statements {
    /// Reads a text about `topic`. Code blocks are left out.
    pub(crate) fn of(topic: &str, text: &str) -> Self {
        let parts = sentences(text).into_iter().take(STATEMENTS);
        let list = parts.filter_map(|part| Statement::of(topic, &part)).collect();
        Self { topic: fold_key(topic), list }
    }

    /// The words by which similar statements can be found.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.list.iter().flat_map(|statement| statement.words.iter()).filter_map(|word| {
            matches!(word.kind, Kind::Content | Kind::Number).then_some(word.text.as_str())
        })
    }

    /// Contradictions between the two texts, at most `most`: negations first, then numbers, then other words.
    pub(crate) fn against(&self, given: &Self, most: usize) -> Vec<Contradiction> {
        // A sentence that both texts have is not in doubt.
        let subject = if self.topic == given.topic { 1 } else { 2 };
        let said: HashSet<&[String]> = self.list.iter().map(|one| one.bare.as_slice()).collect();
        let is_held = |one: &Statement| {
            said.contains(one.bare.as_slice())
                && self.list.iter().any(|held| held.bare == one.bare && held.denied == one.denied)
        };
        let mut found = Vec::new();
        for new in given.list.iter().filter(|one| !is_held(one)) {
            let differing =
                self.list.iter().filter_map(|held| Some((held, held.differs_from(new, subject)?)));
            if let Some((held, difference)) = differing.min_by_key(|(_, difference)| *difference) {
                found.push(Contradiction { difference, held: held.said.clone(), given: new.said.clone() });
            }
        }
        found.sort_by_key(|one| one.difference);
        found.truncate(most);
        found
    }
}

impl Statement {
    fn of(topic: &str, part: &str) -> Option<Self> {
        let said = visible(part).split_whitespace().collect::<Vec<_>>().join(" ");
        let said = said.trim_start_matches(['-', '*', '+', '#', '>', ' ']);
        let after_digits = said.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_item = after_digits.len() < said.len()
            && (after_digits.starts_with(". ") || after_digits.starts_with(") "));
        let said = if is_item { after_digits.get(2..).unwrap_or_default() } else { said }.to_owned();
        let key = folded(&said);
        let mut words = words_of(&key);
        if words.is_empty() || words.len() > LONGEST {
            return None;
        }
        // "8080." says nothing without its topic.
        let is_value = words.len() == 1 || words.iter().any(|word| word.kind == Kind::Number);
        if words.len() <= 3 && is_value && !words.iter().any(|word| word.kind == Kind::Cue) {
            let mut about = words_of(&folded(topic));
            about.push(Word { text: ":".into(), kind: Kind::Cue });
            about.append(&mut words);
            words = about;
        }
        let (bare, denied) = without_negation(&key);
        Some(Self { said, words, bare, denied })
    }

    /// Whether the sentence says that it adds something to another one.
    fn adds(&self) -> bool {
        self.words
            .iter()
            .any(|word| ["also", "too", "additionally", "sometimes", "either"].contains(&word.text.as_str()))
    }

    /// How the two sentences contradict each other, if they do. `least` is the number of words with a meaning of their
    /// own that must be the same in both.
    fn differs_from(&self, other: &Self, least: usize) -> Option<Difference> {
        if self.denied != other.denied {
            let (denied, said) = if self.denied { (self, other) } else { (other, self) };
            return is_same_thing(&denied.bare, &said.bare).then_some(Difference::Negation);
        }
        let (a, b) = (&self.words, &other.words);
        let pairs = common(a, b);
        let shared = pairs.iter().filter(|(at, _)| matches!(a[*at].kind, Kind::Content)).count();
        let alike = 2.0 * pairs.len() as f64 / (a.len() + b.len()) as f64;
        if shared < least || alike < ALIKE {
            return None;
        }
        let hunks = hunks(a, b, &pairs);
        let of = |words: &[Word], kind: Kind| words.iter().filter(|word| word.kind == kind).count();
        let changed: Vec<_> = hunks
            .iter()
            .filter(|(left, right)| {
                [left, right]
                    .iter()
                    .any(|side| of(side.words, Kind::Number) + of(side.words, Kind::Content) > 0)
            })
            .collect();
        // Two differences are two things, or two versions of one: words alone cannot tell.
        let [(left, right)] = changed.as_slice() else { return None };
        if is_subject(a, left.from) || is_subject(b, right.from) {
            return None;
        }
        let numbers = (of(left.words, Kind::Number), of(right.words, Kind::Number));
        let others = (of(left.words, Kind::Content), of(right.words, Kind::Content));
        match (numbers, others) {
            ((1, 1), (more, fewer)) if more <= 1 && fewer <= 1 => Some(Difference::Number),
            _ if [self, other].iter().any(|one| one.adds()) => None,
            ((0, 0), (1..=2, 1..=2)) if has_cue(a, left.from) && !is_form_of(left.words, right.words) => {
                Some(Difference::Value)
            }
            _ => None,
        }
    }
}

/// Whether the words before `at` are what the sentence is about, not what it says of that.
fn is_subject(words: &[Word], at: usize) -> bool {
    let cue = words.iter().position(|word| word.kind == Kind::Cue);
    cue.is_some_and(|cue| at < cue)
}

fn has_cue(words: &[Word], before: usize) -> bool {
    words.iter().take(before).any(|word| word.kind == Kind::Cue)
}

/// Whether one side is another form of the other: a plural, another ending, or a part of it.
fn is_form_of(left: &[Word], right: &[Word]) -> bool {
    let joined = |words: &[Word]| words.iter().map(|word| word.text.as_str()).collect::<String>();
    let (left, right) = (joined(left), joined(right));
    let (short, long) = if left.len() < right.len() { (left, right) } else { (right, left) };
    long.starts_with(&short) || strsim::jaro_winkler(&short, &long) >= 0.92
}

/// Whether two sentences without their negations are about the same. `said`, which is not denied, may say a little more.
fn is_same_thing(denied: &[String], said: &[String]) -> bool {
    let pairs = common(denied, said);
    let alike = 2.0 * pairs.len() as f64 / (denied.len() + said.len()).max(1) as f64;
    // "Use it, never block" does not deny "Use it": the negation is about a word that the other one does not have.
    let adds = hunks(denied, said, &pairs).iter().any(|(more, _)| !more.words.is_empty());
    !adds && !pairs.is_empty() && alike >= ALIKE_NEGATED
}

/// A piece of a sentence.
struct Side<'w, T> {
    from: usize,
    words: &'w [T],
}

/// The pieces in which two sentences differ.
fn hunks<'w, T>(a: &'w [T], b: &'w [T], pairs: &[(usize, usize)]) -> Vec<(Side<'w, T>, Side<'w, T>)> {
    let mut found = Vec::new();
    let (mut left, mut right) = (0, 0);
    for &(x, y) in pairs.iter().chain([&(a.len(), b.len())]) {
        let sides = (a.get(left..x).unwrap_or_default(), b.get(right..y).unwrap_or_default());
        if !sides.0.is_empty() || !sides.1.is_empty() {
            found.push((Side { from: left, words: sides.0 }, Side { from: right, words: sides.1 }));
        }
        (left, right) = (x + 1, y + 1);
    }
    found
}

/// Positions of a longest common subsequence.
fn common<T: PartialEq>(a: &[T], b: &[T]) -> Vec<(usize, usize)> {
    let width = b.len() + 1;
    let mut best = vec![0_u16; (a.len() + 1) * width];
    for x in (0..a.len()).rev() {
        for y in (0..b.len()).rev() {
            best[x * width + y] = match a[x] == b[y] {
                true => best[(x + 1) * width + y + 1] + 1,
                false => best[(x + 1) * width + y].max(best[x * width + y + 1]),
            };
        }
    }
    let (mut x, mut y) = (0, 0);
    let mut pairs = Vec::new();
    while x < a.len() && y < b.len() {
        if a[x] == b[y] {
            pairs.push((x, y));
            (x, y) = (x + 1, y + 1);
        } else if best[(x + 1) * width + y] >= best[x * width + y + 1] {
            x += 1;
        } else {
            y += 1;
        }
    }
    pairs
}

/// The form in which sentences are compared: `８０８０` is the number 8080.
fn folded(text: &str) -> String {
    fold_key(&text.nfkc().collect::<String>())
}

/// The words of a folded sentence. A run of kanji, katakana or hiragana is a word.
fn words_of(folded: &str) -> Vec<Word> {
    let kind = |text: &str| {
        if text.starts_with(|c: char| c.is_numeric()) {
            Kind::Number
        } else if is_cue(text) {
            Kind::Cue
        } else if is_empty(text) || is_particle(text) || text.chars().all(is_hiragana) {
            Kind::Other
        } else {
            Kind::Content
        }
    };
    runs(folded).into_iter().map(|text| Word { kind: kind(&text), text }).collect()
}

/// The words of a sentence without negations, and whether they were an odd number.
fn without_negation(folded: &str) -> (Vec<String>, bool) {
    let (text, mut negations) = plain(folded);
    let mut kept = Vec::new();
    for run in runs(&text) {
        let (word, negates) = affirmed(&run);
        negations += usize::from(negates);
        kept.extend(word.map(str::to_owned));
    }
    (kept, !negations.is_multiple_of(2))
}

/// What a word is without its negation, and whether it was one; `None` for words that carry no meaning.
fn affirmed(run: &str) -> (Option<&str>, bool) {
    if negates(run) {
        return (None, true);
    }
    if let Some(word) = opposite(run) {
        return ((!word.is_empty()).then_some(word), true);
    }
    // Endings of Japanese verbs change with the negation.
    let ending = run.chars().all(is_hiragana) && !is_particle(run);
    ((!ending && !is_empty(run) && !is_topic_mark(run)).then_some(run), false)
}

#[cfg(test)]
mod tests;
