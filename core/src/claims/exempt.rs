//! Pages, sections and sentences about the past or the future, whose claims need not be true now.

use crate::page::{FrontMatter, Value};
use crate::path;

/// Types of pages that state what was, or will be.
const TYPES: [&str; 28] = [
    "adr",
    "archive",
    "brainstorm",
    "changelog",
    "daily",
    "decision",
    "decision_record",
    "diary",
    "draft",
    "history",
    "idea",
    "incident",
    "issue",
    "journal",
    "log",
    "meeting",
    "memory",
    "milestone",
    "plan",
    "postmortem",
    "proposal",
    "release",
    "release_notes",
    "report",
    "retrospective",
    "rfc",
    "roadmap",
    "task",
];

const STATUSES: [&str; 22] = [
    "abandoned",
    "accepted",
    "archived",
    "cancelled",
    "canceled",
    "closed",
    "completed",
    "deferred",
    "deprecated",
    "done",
    "draft",
    "historical",
    "implemented",
    "obsolete",
    "outdated",
    "planned",
    "proposed",
    "rejected",
    "superseded",
    "todo",
    "wip",
    "withdrawn",
];

/// Names of files and folders, also in the plural, without punctuation.
const NAMES: [&str; 35] = [
    "adr",
    "archive",
    "backlog",
    "brainstorm",
    "changes",
    "daily",
    "decision",
    "draft",
    "history",
    "idea",
    "issue",
    "journal",
    "log",
    "meeting",
    "milestone",
    "news",
    "note",
    "plan",
    "postmortem",
    "proposal",
    "release",
    "report",
    "research",
    "retro",
    "retrospective",
    "rfc",
    "roadmap",
    "sprint",
    "task",
    "todo",
    "計画",
    "変更履歴",
    "決定",
    "議事録",
    "下書き",
];

/// Beginnings of such names, and of words in headings.
const BEGINNINGS: [&str; 7] =
    ["breakingchange", "changelog", "deprecat", "migrat", "releasenote", "upgrad", "whatsnew"];

/// Words in headings, also in the plural.
const HEADINGS: [&str; 12] = [
    "archive",
    "backlog",
    "changes",
    "decision",
    "history",
    "idea",
    "news",
    "plan",
    "roadmap",
    "todo",
    "計画",
    "変更履歴",
];

/// Parts of sentences, in lower case, that say that something was, will be or could be.
const WORDS: [&str; 51] = [
    "abandoned",
    "any more",
    "anymore",
    "before version",
    "changelog",
    "deleted",
    "deprecat",
    "discontinued",
    "dropped",
    "earlier version",
    "eliminated",
    "folded into",
    "former",
    "future",
    "historic",
    "in the past",
    "instead of",
    "introduced in",
    "legacy",
    "merged into",
    "migrat",
    "no longer",
    "not yet",
    "obsolete",
    "old ",
    "older ",
    "originally",
    "planned",
    "previous",
    "propos",
    "refactor",
    "removed",
    "renamed",
    "replaced",
    "retired",
    "roadmap",
    "since version",
    "superseded",
    "todo",
    "until version",
    "used to",
    "was ",
    "were ",
    "予定",
    "以前",
    "削除され",
    "旧バージョン",
    "旧版",
    "廃止",
    "従来",
    "移行",
];

/// Whether a page is about the past or the future, by its type or status.
pub(super) fn by_front_matter(front_matter: &FrontMatter) -> bool {
    let has = |keys: &[&str], known: &[&str]| {
        let named = |key: &str| keys.iter().any(|known| key.eq_ignore_ascii_case(known));
        let values = front_matter.fields.iter().filter(|(key, _)| named(key)).map(|(_, value)| value);
        values.into_iter().any(|value| match value {
            Value::Text(text) => known.contains(&word(text).as_str()),
            _ => false,
        })
    };
    has(&["type", "doc_type", "kind", "category"], &TYPES) || has(&["status", "state"], &STATUSES)
}

fn word(text: &str) -> String {
    text.trim().to_lowercase().replace(['-', ' '], "_")
}

/// Whether a file is about the past or the future, by the names in its path.
pub(super) fn by_path(file: &str) -> bool {
    path::without_page_extension(file).split('/').any(|name| {
        // Numbers and dates at the start of a name order the files.
        let name: String = name
            .chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .skip_while(char::is_ascii_digit)
            .collect();
        is_one_of(&name, &NAMES)
    })
}

/// Whether a name is a known one, also in the plural, or begins unmistakably.
fn is_one_of(name: &str, known: &[&str]) -> bool {
    known.iter().any(|known| name.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest == "s"))
        || BEGINNINGS.iter().any(|begin| name.starts_with(begin))
        || name.ends_with("changelog")
        || name.ends_with("releasenotes")
}

/// Whether a heading starts a section about the past or the future.
pub(super) fn by_heading(heading: &str) -> bool {
    let mut words = heading.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.any(|word| is_one_of(&word.to_lowercase(), &HEADINGS)) || by_sentence(heading)
}

/// Whether a sentence says that something was, will be, or could be.
pub(super) fn by_sentence(sentence: &str) -> bool {
    let sentence = sentence.to_lowercase();
    WORDS.iter().any(|word| {
        let mut found = sentence.match_indices(word);
        // "folder " is not "older ".
        found.any(|(at, _)| {
            let before = sentence.get(..at).and_then(|before| before.chars().next_back());
            !before.is_some_and(|c| c.is_ascii_alphanumeric())
        })
    })
}

/// Whether a line or sentence is a task.
pub(super) fn is_task(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '*' | '+'));
    ["[ ]", "[x]", "[X]"].iter().any(|mark| text.starts_with(mark))
}

/// Whether a text is a list of tasks: a plan.
pub(super) fn is_plan(text: &str) -> bool {
    /// A page about something else may have a short list of steps.
    const MANY: usize = 8;
    text.lines().filter(|line| is_task(line)).take(MANY).count() == MANY
}
