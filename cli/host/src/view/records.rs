//! The files of reviews, decisions, comments, changes and proposals without what is about hidden pages, and with it again when
//! they are written.

use std::collections::HashSet;

use serde_json::Value;
use ubp_core::freshness::line_paths;
use ubp_core::manifest::{AuthorRights, Right};
use ubp_core::path::{self, is_proposal_file};
use ubp_core::word;
use ubp_core::{Error, Result};

const REVIEWS: &str = "refs.lock";
const DECISIONS: &str = "decisions.jsonl";
const FAVORITES: &str = "favorites.json";
/// Questions of others, whose words may be about hidden pages.
const GAPS: &str = "gaps.json";
const COMMENTS: &str = "comments.jsonl";
const LOGS: [&str; 2] = ["audit.jsonl", "audit.1.jsonl"];

/// The content of a state file as the author sees it.
pub(super) fn visible(rights: &AuthorRights, name: &str, bytes: Vec<u8>) -> Option<Vec<u8>> {
    match name {
        REVIEWS | DECISIONS | COMMENTS => Some(lines_that(&bytes, |line| shows_line(rights, name, line))),
        FAVORITES => {
            let Ok(mut list) = serde_json::from_slice::<Value>(&bytes) else { return Some(bytes) };
            let before = list.clone();
            if let Some(pages) = list.get_mut("pages").and_then(Value::as_array_mut) {
                pages.retain(|page| shows(rights, &page["filepath"]));
            }
            Some(if list == before { bytes } else { pretty(&list) })
        }
        GAPS => None,
        name if LOGS.contains(&name) => Some(log(rights, &bytes)),
        name if is_proposal_file(name) => Some(bytes).filter(|bytes| shows_proposal(rights, bytes)),
        _ => Some(bytes),
    }
}

/// What to write so that the author sees `after`, and the rest of `whole` stays.
pub(super) fn merged(rights: &AuthorRights, name: &str, whole: &[u8], after: &[u8]) -> Result<Vec<u8>> {
    match name {
        REVIEWS | DECISIONS | COMMENTS => {
            Ok(merged_lines(whole, after, |line| shows_line(rights, name, line)))
        }
        FAVORITES => {
            let read = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes);
            let (Ok(whole), Ok(mut after)) = (read(whole), read(after)) else { return Ok(after.to_vec()) };
            let hidden = whole["pages"].as_array().into_iter().flatten();
            let hidden = hidden.filter(|page| !shows(rights, &page["filepath"])).cloned();
            if let Some(pages) = after.get_mut("pages").and_then(Value::as_array_mut) {
                pages.extend(hidden);
            }
            Ok(pretty(&after))
        }
        GAPS => Err(Error::io(
            ".ubp/gaps.json",
            std::io::Error::new(std::io::ErrorKind::PermissionDenied, word!("kept for people")),
        )),
        _ => Ok(after.to_vec()),
    }
}

fn pretty(value: &Value) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(value).unwrap_or_default();
    text.push(b'\n');
    text
}

fn shows(rights: &AuthorRights, page: &Value) -> bool {
    page.as_str().is_none_or(|page| rights.page(page) > Right::Hide)
}

/// Whether a line of reviews or decisions is about visible files only.
fn shows_line(rights: &AuthorRights, name: &str, line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_start_matches('\u{feff}');
    match name {
        REVIEWS => line_paths(text).is_none_or(|(page, source)| {
            let shows_source = source.is_none_or(|source| rights.file(&source) > Right::Hide);
            rights.page(&page) > Right::Hide && shows_source
        }),
        COMMENTS => match serde_json::from_str::<Value>(text) {
            Ok(comment) => comment["page"].is_string() && shows(rights, &comment["page"]),
            // What is damaged may be about any page.
            Err(_) => false,
        },
        _ => match serde_json::from_str::<Value>(text) {
            Ok(decision) => ["source", "target"].iter().all(|end| shows(rights, &decision[end])),
            Err(_) => true,
        },
    }
}

fn lines_that(bytes: &[u8], mut keep: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    bytes.split_inclusive(|&byte| byte == b'\n').filter(|line| keep(line)).flatten().copied().collect()
}

/// The lines of `after`, with the hidden lines of `whole` in their places.
fn merged_lines(whole: &[u8], after: &[u8], shows: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut merged = Vec::with_capacity(whole.len() + after.len());
    let mut push = |line: &[u8]| {
        if !merged.is_empty() && !merged.ends_with(b"\n") {
            merged.push(b'\n');
        }
        merged.extend_from_slice(line);
    };
    let lines: Vec<&[u8]> = after.split_inclusive(|&byte| byte == b'\n').collect();
    let mut left = lines.as_slice();
    for line in whole.split_inclusive(|&byte| byte == b'\n') {
        if !shows(line) {
            push(line);
        } else if let Some(at) = left.iter().position(|other| *other == line) {
            // What comes before it is new.
            let (done, rest) = left.split_at(at + 1);
            done.iter().for_each(|line| push(line));
            left = rest;
        }
    }
    left.iter().for_each(|line| push(line));
    merged
}

/// The entries of the audit log about visible pages. A group of changes is shown as a whole or not at all.
fn log(rights: &AuthorRights, bytes: &[u8]) -> Vec<u8> {
    let lines = || bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let parsed: Vec<Option<Value>> = lines().map(|line| serde_json::from_slice(line).ok()).collect();
    let group = |entry: &Value| entry["group"].as_str().map(str::to_owned);
    let is_hidden = |entry: &Value| {
        ["path", "from"].iter().any(|key| record_of(&entry[*key]).is_none() && !shows(rights, &entry[*key]))
    };
    let hidden: HashSet<String> =
        parsed.iter().flatten().filter(|entry| is_hidden(entry)).filter_map(group).collect();
    let mut seen = Vec::new();
    for (line, entry) in lines().zip(&parsed) {
        let Some(entry) = entry else { continue };
        if group(entry).is_some_and(|group| hidden.contains(&group)) {
            continue;
        }
        match record_of(&entry["path"]) {
            Some(file) => {
                let mut entry = entry.clone();
                for side in ["before", "after"] {
                    if let Some(text) = entry[side].as_str() {
                        let text = lines_that(text.as_bytes(), |line| shows_line(rights, file, line));
                        entry[side] = String::from_utf8_lossy(&text).into_owned().into();
                    }
                }
                seen.extend(serde_json::to_vec(&entry).unwrap_or_default());
            }
            None => seen.extend_from_slice(line),
        }
        seen.push(b'\n');
    }
    seen
}

/// The file of reviews or decisions that an entry of the log is about.
fn record_of(path: &Value) -> Option<&str> {
    path.as_str()?.strip_prefix(".ubp/").filter(|name| path::COMMITTED_RECORDS.contains(name))
}

/// Whether everything in a proposal is about visible files.
fn shows_proposal(rights: &AuthorRights, bytes: &[u8]) -> bool {
    let Ok(proposal) = serde_json::from_slice::<Value>(bytes) else { return false };
    let list = |name: &str| proposal[name].as_array().map(Vec::as_slice).unwrap_or_default();
    let ends = |change: &Value| ["before", "after"].iter().all(|end| shows(rights, &change[end]["path"]));
    let shows_records = |record: &Value| {
        let file = record["file"].as_str().unwrap_or_default();
        let lines = ["removed", "added"].iter().filter_map(|side| record[side].as_array()).flatten();
        lines.filter_map(Value::as_str).all(|line| shows_line(rights, file, line.as_bytes()))
    };
    list("changes").iter().all(ends)
        && list("records").iter().all(shows_records)
        && list("read").iter().all(|page| shows(rights, &page["filepath"]))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;
    use ubp_core::manifest::Manifest;

    use super::*;

    fn rights() -> AuthorRights {
        let text = r#"{"pages_dir": ".", "rights": [{"author": "*", "path": "private/", "right": "hide"}]}"#;
        AuthorRights::of(&Manifest::parse(text, "m").unwrap(), Some("a"), &[]).unwrap()
    }

    fn seen(name: &str, text: &str) -> Option<String> {
        visible(&rights(), name, text.as_bytes().to_vec()).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    const HASH: &str = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

    #[test]
    fn reviews_of_and_by_hidden_files_are_left_out_and_stay_when_others_are_written() {
        let line = |page: &str, source: &str| format!("{page}\t{source}\t{HASH}\n");
        let (open, hidden, of_hidden) =
            (line("a.md", "x.rs"), line("private/p.md", "x.rs"), line("b.md", "private/y.rs"));
        let whole = format!("# ours\n{open}{of_hidden}{hidden}");
        assert_eq!(seen("refs.lock", &whole).unwrap(), format!("# ours\n{open}"));
        let (new, last) = (line("aa.md", "x.rs"), line("z.md", "x.rs"));
        let after = format!("# ours\n{new}{last}");
        let merged = merged(&rights(), "refs.lock", whole.as_bytes(), after.as_bytes()).unwrap();
        assert_eq!(String::from_utf8(merged).unwrap(), format!("# ours\n{of_hidden}{hidden}{new}{last}"));
    }

    #[test]
    fn a_byte_order_mark_hides_no_page_from_the_rules() {
        let (hidden, open) = (format!("private/p.md\tx.rs\t{HASH}\r\n"), format!("a.md\tx.rs\t{HASH}\r\n"));
        assert_eq!(seen("refs.lock", &format!("\u{feff}{hidden}{open}")).unwrap(), open);
        let decision = r#"{"source":"a.md","target":"private/p.md"}"#;
        assert_eq!(seen("decisions.jsonl", &format!("\u{feff}{decision}\r\n")).unwrap(), "");
    }

    #[test]
    fn a_group_of_changes_with_a_hidden_page_is_left_out_as_a_whole() {
        let whole = concat!(
            r#"{"group":"1","path":"a.md"}"#,
            "\n",
            r#"{"group":"1","path":"b.md","from":"Private/b.md"}"#,
            "\n",
            r#"{"group":"1","outcome":"done"}"#,
            "\n",
            r#"{"group":"2","path":"a.md"}"#,
            "\n",
            r#"{"group":"2","path":".ubp/decisions.jsonl","after":"{\"source\":\"a.md\",\"target\":\"private/b.md\"}\n{\"source\":\"a.md\",\"target\":\"c.md\"}\n"}"#,
        );
        let seen = seen("audit.jsonl", whole).unwrap();
        assert_eq!(seen.lines().count(), 2, "{seen}");
        assert!(!seen.contains("rivate") && seen.contains("c.md"), "{seen}");
    }

    #[test]
    fn favorites_questions_and_proposals_of_hidden_pages_are_left_out() {
        let favorites = r#"{"pages":[{"filepath":"private/a.md","id":"1"},{"filepath":"a.md","id":"2"}]}"#;
        assert!(!seen("favorites.json", favorites).unwrap().contains("private"));
        assert_eq!(seen("gaps.json", "{}"), None);
        for hidden in [
            r#"{"changes":[{"before":null,"after":{"path":"private/a.md"}}]}"#,
            r#"{"changes":[],"read":[{"filepath":"PRIVATE/a.md"}]}"#,
            r#"{"changes":[],"records":[{"file":"refs.lock","removed":[],"added":["private/a.md\tedited\tunknown\tsha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]}]}"#,
        ] {
            assert_eq!(seen("proposals/1.json", hidden), None, "{hidden}");
        }
        assert!(
            seen("proposals/1.json", r#"{"changes":[{"before":{"path":"a.md"},"after":null}]}"#).is_some()
        );
        let merged = merged(&rights(), "favorites.json", favorites.as_bytes(), br#"{"pages":[]}"#).unwrap();
        assert!(String::from_utf8(merged).unwrap().contains("private/a.md"));
    }

    proptest! {
        #[test]
        fn merging_keeps_hidden_lines_and_shows_what_was_written(
            whole in prop::collection::vec("(h|v)[a-c]", 0..8),
            after in prop::collection::vec("v[a-d]", 0..8),
        ) {
            let shows = |line: &[u8]| line.starts_with(b"v");
            let joined = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
            let merged = merged_lines(joined(&whole).as_bytes(), joined(&after).as_bytes(), shows);
            prop_assert_eq!(lines_that(&merged, shows), joined(&after).into_bytes());
            let hidden: Vec<String> = whole.into_iter().filter(|line| line.starts_with('h')).collect();
            prop_assert_eq!(lines_that(&merged, |line| !shows(line)), joined(&hidden).into_bytes());
        }
    }
}
