//! Paths as the engine uses them: relative, `/`-separated, never outside of their folder.

use crate::message;
use crate::{Error, Result};

/// File extensions of pages, in lower case.
pub const PAGE_EXTENSIONS: [&str; 2] = ["md", "markdown"];

/// Files beside the manifest that record decisions, changes and comments; the first two and the last are committed.
pub const STATE_FILES: [&str; 8] = [
    "refs.lock",
    "decisions.jsonl",
    "audit.jsonl",
    "audit.1.jsonl",
    "favorites.json",
    "gaps.json",
    "memory.jsonl",
    "comments.jsonl",
];

/// The folder of proposals, beside the state files: each proposal is a state file in it.
pub const PROPOSALS: &str = "proposals";

/// The folder of recorded sessions of agents, beside the state files: each session is a state file in it.
pub const SESSIONS: &str = "sessions";

/// State files that record reviews and decisions; changes of pages may change them too.
pub const COMMITTED_RECORDS: [&str; 2] = ["refs.lock", "decisions.jsonl"];

/// Append-only state files, one record per line.
pub const RECORD_FILES: [&str; 3] = ["decisions.jsonl", "audit.jsonl", "memory.jsonl"];

/// A record file, the size in bytes at which hosts rotate it, and its name after rotation. An earlier file with that
/// name is deleted.
pub const ROTATED: (&str, u64, &str) = ("audit.jsonl", 32 << 20, "audit.1.jsonl");

/// State files in which a line may be duplicated, or lost in a power failure, so that appending takes no lock.
pub const NOTE_FILES: [&str; 1] = ["memory.jsonl"];

/// The name of the state file of a proposal.
pub fn proposal_file(id: &str) -> String {
    format!("{PROPOSALS}/{id}.json")
}

/// The name of the state file of a session.
pub fn session_file(id: &str) -> String {
    format!("{SESSIONS}/{id}.jsonl")
}

/// Whether `name` is that of the state file of a proposal.
pub fn is_proposal_file(name: &str) -> bool {
    id_in(name, PROPOSALS, ".json").is_some()
}

/// The id of a session in the name of its state file.
pub fn session_of_file(name: &str) -> Option<&str> {
    id_in(name, SESSIONS, ".jsonl")
}

fn id_in<'a>(name: &'a str, folder: &str, extension: &str) -> Option<&'a str> {
    let id = name.strip_prefix(folder)?.strip_prefix('/')?.strip_suffix(extension)?;
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    ((1..=32).contains(&id.len()) && id.bytes().all(is_digit)).then_some(id)
}

/// Rejects every name that is neither in [`STATE_FILES`] nor that of a proposal or session.
///
/// # Errors
/// [`Error::InvalidParams`] naming it.
pub fn require_state_file(name: &str) -> Result<()> {
    let known = STATE_FILES.contains(&name) || is_proposal_file(name);
    #[cfg(not(target_family = "wasm"))]
    let known = known || session_of_file(name).is_some();
    known.then_some(()).ok_or_else(|| Error::invalid(message!("'{name}' is not a state file", name)))
}

/// Rejects every name that is not that of a proposal.
///
/// # Errors
/// [`Error::InvalidParams`] naming it.
pub fn require_proposal_file(name: &str) -> Result<()> {
    let known = is_proposal_file(name);
    known.then_some(()).ok_or_else(|| Error::invalid(message!("'{name}' is not a proposal", name)))
}

/// Rejects every name that is not that of a session.
///
/// # Errors
/// [`Error::InvalidParams`] naming it.
pub fn require_session_file(name: &str) -> Result<()> {
    let known = session_of_file(name).is_some();
    known.then_some(()).ok_or_else(|| Error::invalid(message!("'{name}' is not a session", name)))
}

/// Rejects every name that is not in [`RECORD_FILES`].
///
/// # Errors
/// [`Error::InvalidParams`] naming it.
pub fn require_record_file(name: &str) -> Result<()> {
    let known = RECORD_FILES.contains(&name);
    known.then_some(()).ok_or_else(|| Error::invalid(message!("'{name}' is not a record file", name)))
}

/// Rejects every name that is not in [`NOTE_FILES`].
///
/// # Errors
/// [`Error::InvalidParams`] naming it.
pub fn require_note_file(name: &str) -> Result<()> {
    let known = NOTE_FILES.contains(&name);
    known.then_some(()).ok_or_else(|| Error::invalid(message!("'{name}' is not a file of notes", name)))
}

/// Rejects every path that is not valid in the trash.
///
/// # Errors
/// [`Error::InvalidParams`] naming it.
pub fn require_in_trash(path: &str) -> Result<()> {
    let fits = is_inside(path) && is_normal(path) && !path.contains('\\');
    fits.then_some(()).ok_or_else(|| Error::invalid(message!("'{path}' is not a path in the trash", path)))
}

/// Whether `path` is relative and stays inside the folder it is relative to.
pub fn is_inside(path: &str) -> bool {
    !path.is_empty()
        && !path.contains('\0')
        && !path.starts_with(['/', '\\'])
        && path.as_bytes().get(1).is_none_or(|&b| b != b':')
        && path.split(['/', '\\']).all(|part| part != "..")
}

/// Whether `path` is in normal form, as in listings: no empty and no `.` components.
pub fn is_normal(path: &str) -> bool {
    path.split('/').all(|part| !matches!(part, "" | "."))
}

/// Whether `path` can be that of a page: inside, in normal form, with a page's extension, and neither
/// hidden nor in a hidden folder or `node_modules`.
pub fn can_be_page(path: &str) -> bool {
    is_inside(path)
        && is_normal(path)
        && is_page(path)
        && path.split('/').all(|part| !part.starts_with('.') && part != "node_modules")
}

/// Whether `path` can be that of an attachment: as a page, but with another extension.
pub fn can_be_attachment(path: &str) -> bool {
    is_inside(path)
        && is_normal(path)
        && !is_page(path)
        && !path.contains('\\')
        && path.split('/').all(|part| !part.starts_with('.') && part != "node_modules")
}

/// Whether `path` is `folder`, or inside it. The empty folder contains everything.
pub fn is_below(path: &str, folder: &str) -> bool {
    matches!(folder, "" | ".")
        || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether `path` is inside a folder of git or UBP, in any letter case.
pub fn is_private(path: &str) -> bool {
    path.split(['/', '\\']).any(|part| [".git", ".ubp"].iter().any(|own| part.eq_ignore_ascii_case(own)))
}

/// Whether listings of a project's sources include `path`.
pub fn is_listed_source(path: &str) -> bool {
    !is_private(path) && path.split('/').all(|part| part != "node_modules")
}

/// Whether the file, or a folder that contains it, has a name that starts with a dot.
pub fn is_hidden(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with('.'))
}

/// Whether what follows `#` after the path of a file names nothing in it, or lines: `L10`, `10-20`, `L10C1-L20C5`.
pub fn is_lines(name: &str) -> bool {
    let rest = name.strip_prefix('L').unwrap_or(name);
    let is_part = |byte: u8| byte.is_ascii_digit() || b"LC-".contains(&byte);
    name.is_empty() || (rest.starts_with(|c: char| c.is_ascii_digit()) && rest.bytes().all(is_part))
}

/// An entry of `source_refs` without what does not matter: spaces around it and `./` before it.
pub fn source_entry(written: &str) -> &str {
    let entry = written.trim();
    entry.strip_prefix("./").unwrap_or(entry)
}

/// Whether the file name has a page's extension.
pub fn is_page(path: &str) -> bool {
    extension(path).is_some_and(|ext| PAGE_EXTENSIONS.iter().any(|page| ext.eq_ignore_ascii_case(page)))
}

/// Whether the file is a base of Obsidian, by its name.
pub fn is_base(path: &str) -> bool {
    extension(path).is_some_and(|ext| ext.eq_ignore_ascii_case("base"))
}

/// The last component.
pub fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The last component without a page's extension.
pub fn page_name(path: &str) -> &str {
    let name = file_name(path);
    if is_page(name) { name.rsplit_once('.').map_or(name, |(stem, _)| stem) } else { name }
}

/// The path without a page's extension.
pub fn without_page_extension(path: &str) -> &str {
    if is_page(path) { path.rsplit_once('.').map_or(path, |(stem, _)| stem) } else { path }
}

/// The folder of a path, empty at the top.
pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A file name, without extension, for a page called `title`. Characters that are forbidden on any system
/// become `-`; names that are reserved on any system get a `-` appended.
pub fn file_name_for(title: &str) -> String {
    const RESERVED: [&str; 4] = ["con", "prn", "aux", "nul"];
    let replaced: String = title
        .chars()
        .map(|c| if c.is_control() || r#"<>:"/\|?*#^[]"#.contains(c) { '-' } else { c })
        .collect();
    let trimmed = replaced.trim().trim_matches('.').trim();
    let lower = trimmed.to_lowercase();
    let numbered = |prefix: &str| {
        lower.strip_prefix(prefix).is_some_and(|n| n.len() == 1 && n.as_bytes()[0].is_ascii_digit())
    };
    let mut name = match trimmed {
        "" => "untitled".to_owned(),
        name if RESERVED.contains(&lower.as_str()) || numbered("com") || numbered("lpt") => {
            format!("{name}-")
        }
        name => name.to_owned(),
    };
    // Most file systems allow 255 bytes, including the extension and a number.
    while name.len() > 240 {
        name.pop();
    }
    name
}

fn extension(path: &str) -> Option<&str> {
    let name = file_name(path);
    name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ext)| ext)
}

/// `target` relative to `folder`, with `.` and `..` resolved; `None` if it is outside.
pub fn join(folder: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// The relative path from `folder` to `path`, which share the same root.
pub fn relative(folder: &str, path: &str) -> String {
    let from: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let to: Vec<&str> = path.split('/').collect();
    let above = to.len().saturating_sub(1);
    let shared = from.iter().zip(to.iter().take(above)).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", from.len() - shared);
    up.chain(to.into_iter().skip(shared)).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::is_lines;

    #[test]
    fn lines_are_told_from_names() {
        for lines in ["", "L10", "10", "10-20", "L10-L20", "L10C1-L20C5"] {
            assert!(is_lines(lines), "{lines}");
        }
        for name in ["L", "LCL", "login", "L10x", "-10", "Läufer", "level-10"] {
            assert!(!is_lines(name), "{name}");
        }
    }
}
