//! What a code span, a line of commands or a word claims.

use super::Kind;
use super::commands;
use super::project::{Project, Tool};
use super::spans::{Place, Said};
use super::words::key;

/// What has to be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum What {
    /// A file or folder.
    Path(String),
    /// A symbol of a file.
    Symbol(String, String),
    /// Something that a build file defines.
    Defined(Tool, String),
    /// Names, by their keys.
    Names(Vec<String>),
    /// What the index already found.
    Here,
    /// Nothing that could be checked.
    Unknown,
}

/// A claim of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Claim {
    pub kind: Kind,
    /// As written.
    pub text: String,
    pub what: What,
    /// Line, from 1.
    pub line: usize,
    /// The line on which its section starts.
    pub section: usize,
}

/// Endings of file names without a folder; other names with a dot are members of something.
const ENDINGS: [&str; 62] = [
    "bash", "c", "cc", "cfg", "cjs", "conf", "cpp", "cs", "css", "csv", "dart", "env", "ex", "exs", "fish",
    "go", "gradle", "graphql", "h", "hpp", "html", "ini", "ipynb", "java", "jinja", "js", "json", "json5",
    "jsonc", "jsonl", "jsx", "kt", "lock", "lua", "md", "mdx", "mjs", "mts", "php", "plist", "po", "proto",
    "ps1", "py", "rb", "rs", "scala", "scm", "scss", "sh", "sql", "svelte", "svg", "swift", "tf", "toml",
    "ts", "tsx", "txt", "vue", "yaml", "yml",
];

/// Words that stand for others.
const PLACEHOLDERS: [&str; 12] = [
    "foo",
    "bar",
    "baz",
    "example",
    "sample",
    "dummy",
    "placeholder",
    "your",
    "myapp",
    "myproject",
    "pathto",
    "xxx",
];

/// Names shorter than this are in any text by accident.
const SHORTEST: usize = 6;
/// The same for flags and called functions.
const SHORTEST_MARKED: usize = 4;

/// Adds the claims of what a page says.
pub(super) fn claims(said: &Said, project: &Project, claims: &mut Vec<Claim>) {
    let mut add = |kind, text: &str, what| {
        claims.push(Claim { kind, text: text.to_owned(), what, line: said.line, section: said.section });
    };
    let text = said.text.as_str();
    match said.place {
        Place::Text => {
            if let Some(what) = path_claim(text).filter(|_| has_ending(text)) {
                add(Kind::Path, text, what);
            }
        }
        Place::Shell | Place::Block => {
            let is_prompt = text.starts_with("$ ");
            let is_output = said.place == Place::Block && !is_prompt && !starts_with_program(text, project);
            if is_output {
                return;
            }
            match commands::parts(text, &project.programs) {
                Some(parts) => parts.into_iter().for_each(|part| add(part.kind, &part.text, part.what)),
                None if is_prompt || said.place == Place::Shell => add(Kind::Command, text, What::Unknown),
                None => {}
            }
        }
        Place::Span if text.contains(char::is_whitespace) => match commands::parts(text, &project.programs) {
            Some(parts) if !parts.is_empty() => {
                parts.into_iter().for_each(|part| add(part.kind, &part.text, part.what));
            }
            _ => match spaced_flag(text) {
                Some(key) => add(Kind::Flag, text, What::Names(vec![key])),
                None => add(Kind::Name, text, What::Unknown),
            },
        },
        Place::Span => {
            let (kind, what) = word(text);
            add(kind, text, what);
        }
    }
}

fn starts_with_program(text: &str, project: &Project) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    matches!(first, "cargo" | "npm" | "pnpm" | "yarn") || project.programs.contains(first)
}

/// `--depth N` and `--depth <N>`.
fn spaced_flag(text: &str) -> Option<String> {
    let (first, rest) = text.split_once(' ')?;
    (rest.split_whitespace().count() == 1).then(|| flag(first))?
}

/// What a code span of one word claims.
fn word(text: &str) -> (Kind, What) {
    if is_placeholder(text) {
        return (Kind::Name, What::Unknown);
    }
    if text.starts_with('-') {
        let what = flag(text).map_or(What::Unknown, |key| What::Names(vec![key]));
        return (Kind::Flag, what);
    }
    if let Some(what) = variable(text.split('=').next().unwrap_or_default()) {
        return (Kind::Variable, what);
    }
    if let Some(what) = path_claim(text) {
        let kind = if matches!(what, What::Symbol(..)) { Kind::Symbol } else { Kind::Path };
        return (kind, what);
    }
    (Kind::Name, names(text).map_or(What::Unknown, What::Names))
}

/// Whether a text stands for others: `<name>`, `my-app`, `*.md`.
fn is_placeholder(text: &str) -> bool {
    let key = key(text);
    text.contains(['<', '>', '*', '?', '…', '|', '\\', ' '])
        || text.contains("...")
        || text.contains("://")
        || PLACEHOLDERS.iter().any(|word| key.contains(word))
        || text.starts_with("my-")
        || text.starts_with("my_")
}

/// The key of a long flag.
pub(super) fn flag(text: &str) -> Option<String> {
    let name = text.strip_prefix("--")?.split(['=', '[']).next()?;
    let is_flag = name.len() >= SHORTEST_MARKED
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    (is_flag && !is_placeholder(name)).then(|| key(name))
}

/// `LOG_LEVEL`, `$LOG_LEVEL`, `${LOG_LEVEL}`.
pub(super) fn variable(text: &str) -> Option<What> {
    let name = text.trim_start_matches(['$', '{', '%']).trim_end_matches(['}', '%']);
    let is_variable = name.len() >= SHORTEST
        && name.contains('_')
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && !name.ends_with('_')
        && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    (is_variable && !is_placeholder(name)).then(|| What::Names(vec![key(name)]))
}

/// A word of a command that is a path of the project.
pub(super) fn script_claim(word: &str) -> Option<What> {
    path_claim(word).filter(|what| matches!(what, What::Path(_)) && !is_placeholder(word))
}

/// A path, or a symbol of a file.
fn path_claim(text: &str) -> Option<What> {
    // A path from the root of the machine or from home, a package of npm, an address of mail.
    if text.starts_with(['/', '~', '@', '$', '#'])
        || text.contains(['@', '(', '"', '\'', ',', '=', '{', '[', '`'])
    {
        return None;
    }
    let (path, name) = match text.split_once('#') {
        Some((path, name)) => (path, Some(name)),
        None => (text, None),
    };
    // `file.rs:12:3`
    let mut path = path;
    while let Some((before, after)) = path.rsplit_once(':') {
        if after.is_empty() || !after.chars().all(|c| c.is_ascii_digit() || c == '-') {
            return None;
        }
        path = before;
    }
    while let Some(rest) = path.strip_prefix("./") {
        path = rest;
    }
    let path = path.trim_end_matches('/');
    let is_path = match path.rsplit_once('/') {
        Some((folder, name)) => !folder.is_empty() && !name.is_empty() && !path.contains("//"),
        None => has_ending(path) && path.len() >= SHORTEST,
    };
    if !is_path || is_placeholder(path) {
        return None;
    }
    Some(match name {
        Some(name) if !crate::path::is_lines(name) && has_ending(path) => {
            What::Symbol(path.to_owned(), name.to_owned())
        }
        _ => What::Path(path.to_owned()),
    })
}

fn has_ending(path: &str) -> bool {
    let name = crate::path::file_name(path);
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    !stem.is_empty() && ENDINGS.contains(&ending)
}

/// The names in a code span that can only be names from code: `max_depth`, `Session.refreshToken`, `login()`.
fn names(text: &str) -> Option<Vec<String>> {
    let (text, is_called) = match text.split_once('(') {
        Some((name, rest)) if rest.ends_with(')') => (name, true),
        Some(_) => return None,
        None => (text, false),
    };
    let parts: Vec<&str> = text.split(['.', ':', '#']).filter(|part| !part.is_empty()).collect();
    let is_part = |part: &&str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
    };
    if parts.is_empty() || !parts.iter().all(is_part) {
        return None;
    }
    let last = parts.len() - 1;
    let keys: Vec<String> = parts
        .iter()
        .enumerate()
        .filter(|(at, part)| match is_called && *at == last {
            true => part.len() >= SHORTEST_MARKED,
            false => is_composed(part),
        })
        .map(|(_, part)| key(part))
        .collect();
    (!keys.is_empty()).then_some(keys)
}

/// Whether a name has several words, which prose does not write like this.
fn is_composed(name: &str) -> bool {
    let letters: Vec<char> = name.trim_matches(['_', '-']).chars().collect();
    let is_joint = |pair: &[char]| match pair {
        [a, b] => matches!(b, '_' | '-') || (a.is_ascii_lowercase() && b.is_ascii_uppercase()),
        _ => false,
    };
    key(name).len() >= SHORTEST && letters.windows(2).any(is_joint)
}
