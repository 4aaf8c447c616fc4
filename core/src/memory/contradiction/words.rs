//! The words by which contradictions are recognised, in English and Japanese.

use super::runs::is_hiragana;

/// Words between a thing and what is said of it. Something else after one of them is another value.
const CUES: [&str; 50] = [
    ":", "=", "always", "are", "be", "called", "contains", "default", "defaults", "equals", "expire",
    "expires", "has", "have", "in", "is", "keep", "keeps", "live", "lives", "lasts", "listens", "means",
    "must", "named", "needs", "on", "owns", "prefer", "prefers", "requires", "run", "runs", "should",
    "start", "starts", "stored", "takes", "to", "use", "uses", "was", "were", "with", "written", "は",
    "には", "では", "とは", "のは",
];

/// Words that a sentence has or lacks without meaning anything else.
const EMPTY: [&str; 45] = [
    "a", "also", "always", "an", "and", "any", "anymore", "are", "be", "been", "being", "can", "could",
    "did", "do", "does", "ever", "for", "is", "it", "its", "just", "may", "might", "must", "now", "of",
    "our", "ought", "please", "shall", "should", "so", "still", "that", "the", "this", "to", "was", "we",
    "were", "will", "with", "would", "you",
];

/// Negations in English; contractions in `n't` are recognised by their ending.
const NEGATIONS: [&str; 10] =
    ["not", "never", "no", "cannot", "without", "nor", "neither", "none", "nobody", "nothing"];

/// Words and what they deny. Empty: the word only denies.
const OPPOSITES: [(&str, &str); 42] = [
    ("avoid", "use"),
    ("avoids", "uses"),
    ("avoided", "used"),
    ("deprecated", "supported"),
    ("denied", "allowed"),
    ("deny", "allow"),
    ("disable", "enable"),
    ("disabled", "enabled"),
    ("disables", "enables"),
    ("disallow", "allow"),
    ("disallowed", "allowed"),
    ("disallows", "allows"),
    ("exclude", "include"),
    ("excluded", "included"),
    ("excludes", "includes"),
    ("fails", "works"),
    ("false", "true"),
    ("forbid", "allow"),
    ("forbidden", "allowed"),
    ("forbids", "allows"),
    ("immutable", "mutable"),
    ("impossible", "possible"),
    ("incompatible", "compatible"),
    ("insecure", "secure"),
    ("invalid", "valid"),
    ("off", "on"),
    ("optional", "required"),
    ("prohibited", "allowed"),
    ("private", "public"),
    ("refuses", "accepts"),
    ("rejects", "accepts"),
    ("synchronous", "asynchronous"),
    ("unavailable", "available"),
    ("unnecessary", "necessary"),
    ("unsafe", "safe"),
    ("unsorted", "sorted"),
    ("unsupported", "supported"),
    ("unused", "used"),
    ("refuse", "accept"),
    ("reject", "accept"),
    ("rarely", "often"),
    ("seldom", "often"),
];

/// Phrases that are replaced before a sentence is split, and whether they deny. Longer phrases come first.
const PHRASES: [(&str, &str, bool); 35] = [
    ("no longer", "", true),
    ("必ず", "", false),
    ("なければならない", "", false),
    ("なければなりません", "", false),
    ("なければいけない", "", false),
    ("なければいけません", "", false),
    ("なくてはならない", "", false),
    ("なくてはなりません", "", false),
    ("だけでなく", "と", false),
    ("とは限らない", "", true),
    ("なくてもよい", "", true),
    ("なくてもいい", "", true),
    ("てはならない", "", true),
    ("てはなりません", "", true),
    ("てはいけない", "", true),
    ("てはいけません", "", true),
    ("非推奨", "推奨", true),
    ("非対応", "対応", true),
    ("未対応", "対応", true),
    ("非公開", "公開", true),
    ("非同期", "同期", true),
    ("不要", "必要", true),
    ("不可能", "可能", true),
    ("不可", "可能", true),
    ("不変", "可変", true),
    ("無効", "有効", true),
    ("任意", "必須", true),
    ("使用禁止", "使", true),
    ("使用", "使", false),
    ("利用", "使", false),
    ("禁止", "許可", true),
    ("避け", "使", true),
    ("ではない", "", true),
    ("ではありません", "", true),
    ("じゃない", "", true),
];

const PARTICLES: [&str; 18] = [
    "は", "が", "を", "に", "で", "と", "の", "も", "へ", "から", "まで", "より", "には", "では", "とは",
    "のは", "や", "か",
];

/// Particles that change with the emphasis, not with what is said.
pub(super) fn is_topic_mark(word: &str) -> bool {
    ["は", "が", "も", "を"].contains(&word)
}

pub(super) fn is_cue(word: &str) -> bool {
    // An adverb in hiragana follows without a gap.
    CUES.contains(&word) || word.starts_with('は')
}

pub(super) fn is_empty(word: &str) -> bool {
    EMPTY.contains(&word)
}

pub(super) fn is_particle(word: &str) -> bool {
    PARTICLES.contains(&word)
}

/// Whether the word denies what the sentence says.
pub(super) fn negates(word: &str) -> bool {
    let japanese = || {
        let is_ending = word.chars().all(is_hiragana);
        is_ending
            && (word.contains("ない")
                || word.contains("ません")
                || word.contains("なくな")
                || word.ends_with('ず')
                || word.contains("ずに"))
    };
    NEGATIONS.contains(&word) || word.ends_with("n't") || japanese()
}

/// The word that this one denies.
pub(super) fn opposite(word: &str) -> Option<&'static str> {
    OPPOSITES.iter().find(|(one, _)| *one == word).map(|(_, other)| *other)
}

/// The sentence with its phrases replaced, and how many of them deny.
pub(super) fn plain(folded: &str) -> (String, usize) {
    let mut text = folded.to_owned();
    let mut denials = 0;
    for (phrase, instead, denies) in PHRASES {
        let times = text.matches(phrase).count();
        if times > 0 {
            text = text.replace(phrase, instead);
            denials += if denies { times } else { 0 };
        }
    }
    (text, denials)
}
