//! Types of links that sentences state: "X depends on [[Y]]", 「Xは[[Y]]に依存する」. A sentence is read only as far as
//! its words go: a verb next to a link, and what stands before the verb. Each proposal has the sentence that
//! it comes from.

mod vocabulary;

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::page::Lines;
use crate::text::fold_key;

pub(crate) use vocabulary::{Vocabulary, folded};

/// Sentences of more bytes say several things.
const LONGEST: usize = 600;

/// Shares of right suggestions, for sentences with a clear subject and for others: 4 of 4 and 4 of 15 that the
/// documentations of SilverBullet, Obsidian (English and Japanese), Dendron, Foam and zk contain were right when read
/// (2026-11), each with one more right and one more wrong, because so few say little.
const CLEAR: f64 = 0.83;
const UNCLEAR: f64 = 0.29;

/// A link in the text of a page that leads to another page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Anchor {
    /// Its bytes in the text.
    pub range: Range<usize>,
    /// Number of the page.
    pub target: i64,
}

/// What stands where the sentence names the page that the link should come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Subject {
    /// A name of the page.
    Named,
    /// Nothing: "Depends on [[Y]]".
    Omitted,
    /// "It", "this page".
    Pronoun,
    /// A link to another page, from which the link should come.
    Other,
    /// Other words: the sentence may be about something else.
    Unclear,
}

/// A type that a sentence states.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Relation {
    /// The page that should link, if it is not the page of the sentence.
    pub source: Option<i64>,
    pub target: i64,
    /// The type, in the project's spelling.
    pub link_type: String,
    pub subject: Subject,
    /// Without line breaks.
    pub sentence: String,
    /// Line of the link, from 1.
    pub line: usize,
}

/// How often such a sentence states the type, 0 to 1.
pub(crate) fn confidence(subject: Subject) -> f64 {
    if subject == Subject::Unclear { UNCLEAR } else { CLEAR }
}

/// The types that the sentences of a page state, in the order of the text. `names` are those of the page, `start` is
/// where its text begins, and `anchors` are in the order of the text.
pub(crate) fn relations(
    text: &str,
    start: usize,
    names: &[String],
    anchors: &[Anchor],
    vocabulary: &Vocabulary,
) -> Vec<Relation> {
    let lines = Lines::new(text);
    let names: HashSet<String> = names.iter().map(|name| fold_key(name)).collect();
    let mut found: Vec<Relation> = Vec::new();
    let mut known: HashSet<(Option<i64>, i64, String)> = HashSet::new();
    for anchor in anchors.iter().filter(|anchor| anchor.range.start >= start) {
        let near = near(anchors, anchor);
        let Some(sentence) = sentence_around(text, start, &anchor.range, near) else { continue };
        let (Some(before), Some(after)) =
            (text.get(sentence.start..anchor.range.start), text.get(anchor.range.end..sentence.end))
        else {
            continue;
        };
        let Some((link_type, subject_text)) = vocabulary.stated(&plain(before), &plain(after)) else {
            continue;
        };
        let others = near
            .iter()
            .filter(|other| other.range.start >= sentence.start && other.range.end <= anchor.range.start);
        let (subject, source) = subject(&subject_text, &names, text, others);
        if source == Some(anchor.target) {
            continue;
        }
        if known.insert((source, anchor.target, link_type.clone())) {
            found.push(Relation {
                source,
                target: anchor.target,
                link_type,
                subject,
                sentence: shown(text.get(sentence).unwrap_or_default()),
                line: lines.line_of(anchor.range.start),
            });
        }
    }
    found
}

/// What `words`, which stand before the verb, name.
fn subject<'a>(
    words: &str,
    names: &HashSet<String>,
    text: &str,
    mut links: impl Iterator<Item = &'a Anchor>,
) -> (Subject, Option<i64>) {
    static PRONOUN: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r"^(?i:it|they|this|(?:this|the) (?:page|note|document|adr|decision|proposal|module|component|service|feature|",
            r"project|plugin|plug|library|package|file|class|function|section|article|design|spec|specification)|",
            r"これ|それ|(?:この|本|当)(?:ページ|文書|ノート|モジュール|機能|決定|プロジェクト|仕様|設計|コンポーネント|サービス|プラグイン))$"
        ))
        .ok()
    });
    let words = words.trim().trim_end_matches(['は', 'が', 'も', '、', ',', ':', '：']).trim();
    if words.is_empty() {
        return (Subject::Omitted, None);
    }
    let bare = words.strip_prefix("The ").or_else(|| words.strip_prefix("the ")).unwrap_or(words);
    if names.contains(&fold_key(words)) || names.contains(&fold_key(bare)) {
        return (Subject::Named, None);
    }
    if PRONOUN.as_ref().is_some_and(|pronoun| pronoun.is_match(words)) {
        return (Subject::Pronoun, None);
    }
    // A link alone, as `plain` writes it.
    if words.starts_with('⟦') && words.ends_with('⟧') && words.matches('⟦').count() == 1 {
        let inner = words.trim_matches(['⟦', '⟧']);
        let link = links.find(|link| {
            let source = text.get(link.range.clone()).unwrap_or_default();
            plain(source).trim_matches(['⟦', '⟧']) == inner
        });
        if let Some(link) = link {
            return (Subject::Other, Some(link.target));
        }
    }
    (Subject::Unclear, None)
}

/// The links that may be in the same sentence.
fn near<'a>(anchors: &'a [Anchor], anchor: &Anchor) -> &'a [Anchor] {
    let from = anchors.partition_point(|other| other.range.start + LONGEST < anchor.range.start);
    let to = anchors.partition_point(|other| other.range.start <= anchor.range.end + LONGEST);
    anchors.get(from..to).unwrap_or_default()
}

/// The sentence around `anchor`: to the ends of sentences, of list items and of paragraphs, outside of other links.
/// `None` if it is longer than [`LONGEST`]: no more than that is read, because a page may have thousands of links and no
/// end of a sentence.
fn sentence_around(text: &str, start: usize, anchor: &Range<usize>, near: &[Anchor]) -> Option<Range<usize>> {
    let inside = |at: usize| near.iter().any(|other| other.range.start < at && at < other.range.end);
    let before = text.get(start..anchor.start)?;
    let ends = before.char_indices().map(|(at, _)| at).chain([before.len()]).rev();
    let from = ends
        .take_while(|at| before.len() - at <= LONGEST)
        .find(|at| *at == 0 || ends_before(before, *at) && !inside(start + at))?;
    let after = text.get(anchor.end..)?;
    let room = LONGEST.checked_sub(anchor.end - start - from)?;
    let ends = after.char_indices().map(|(at, _)| at).chain([after.len()]).skip(1);
    let to = ends
        .take_while(|at| *at <= room)
        .find(|at| *at == after.len() || ends_before(after, *at) && !inside(anchor.end + at));
    Some(start + from..anchor.end + if after.is_empty() { 0 } else { to? })
}

/// Whether a sentence ends right before `at`.
fn ends_before(text: &str, at: usize) -> bool {
    let (head, tail) = text.split_at_checked(at).unwrap_or((text, ""));
    if head.ends_with(['。', '！', '？']) {
        return true;
    }
    if tail.starts_with(char::is_whitespace) {
        return false;
    }
    let trimmed = head.trim_end_matches([' ', '\t']);
    let unmarked = trimmed.trim_end_matches(['*', '_', ')', '"', '”']);
    if trimmed.len() < head.len() && unmarked.ends_with(['.', '!', '?']) && !ends_with_abbreviation(unmarked)
    {
        return true;
    }
    if !trimmed.ends_with('\n') {
        return false;
    }
    let last_line = trimmed.trim_end_matches('\n').rsplit('\n').next().unwrap_or_default();
    let is_blank = trimmed.trim_end_matches('\n').len() + 1 < trimmed.len();
    let line = tail.trim_start_matches([' ', '\t']);
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let starts_block = line.starts_with(['#', '>', '|'])
        || ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark))
        || digits.len() < line.len() && digits.starts_with(". ");
    is_blank
        || starts_block
        || last_line.starts_with('#')
        || tail.starts_with('\n')
        || unmarked.trim_end().ends_with(['.', '!', '?', ':'])
}

fn ends_with_abbreviation(head: &str) -> bool {
    ["e.g.", "i.e.", "etc.", "vs.", "cf.", "approx."].iter().any(|one| head.ends_with(one))
}

/// The text without marks of lists and emphasis, on one line; a link is `⟦…⟧`.
fn plain(text: &str) -> String {
    static LINK: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"!?\[\[([^\[\]]*)\]\]|!?\[([^\[\]]*)\]\([^()]*\)").ok());
    let linked = match LINK.as_ref() {
        Some(link) => link.replace_all(text, "⟦$1$2⟧").into_owned(),
        None => text.to_owned(),
    };
    let without: String =
        linked.chars().filter(|c| !matches!(c, '*' | '_' | '`' | '"' | '“' | '”')).collect();
    let mut line = without.split_whitespace().collect::<Vec<_>>().join(" ");
    for mark in ["- ", "+ ", "> ", "[ ] ", "[x] "] {
        line = line.strip_prefix(mark).map(str::to_owned).unwrap_or(line);
    }
    // A space at the end separates the verb from the link.
    if text.ends_with(char::is_whitespace) { format!("{line} ") } else { line }
}

/// The sentence for readers: on one line, without the mark of a list.
fn shown(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.trim_start_matches(['-', '*', '+', '>', ' ']).to_owned()
}

#[cfg(test)]
mod tests;
