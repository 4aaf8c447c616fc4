//! Runs `cases/*.md`. In each file, fences of five backticks marked `file` contain a file of an export, whose path
//! follows. The `expected` fence after them contains the pages and notices. A line `===` separates pages.
//!
//! `UBP_BLESS=1 cargo test -p ubp-core import` rewrites the expected fences. Review the diff before committing it.
#![allow(clippy::disallowed_methods)]

use std::fmt::Write as _;

use super::{Files, empty, from, import, pages};
use crate::import::{Kind, NoticeKind};
use crate::ports::Source as _;

const FENCE: &str = "`````";

#[test]
fn every_case_has_the_expected_pages() {
    let bless = std::env::var_os("UBP_BLESS").is_some_and(|value| value == "1");
    let mut count = 0;
    let mut wrong = String::new();
    for kind in Kind::ALL {
        let path = format!("src/import/cases/{}.md", kind.name());
        let text = std::fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
        let found = rewritten(kind, &text, &mut count);
        if found != text && bless {
            std::fs::write(&path, found).unwrap();
        } else if found != text {
            let first = found.lines().zip(text.lines()).enumerate().find(|(_, (is, should))| is != should);
            writeln!(wrong, "{path}: {first:?}").unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(count > 10, "only {count} cases were found");
}

/// The file with the actual results in place of the expected.
fn rewritten(kind: Kind, text: &str, count: &mut usize) -> String {
    let mut out = String::new();
    let mut files = Files::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        writeln!(out, "{line}").unwrap();
        let Some(info) = line.strip_prefix(FENCE) else { continue };
        let body: Vec<&str> = lines.by_ref().take_while(|line| *line != FENCE).collect();
        if let Some(path) = info.strip_prefix("file ") {
            files.insert(
                path.to_owned(),
                body.iter().flat_map(|line| [line, "\n"]).collect::<String>().into_bytes(),
            );
            body.iter().for_each(|line| writeln!(out, "{line}").unwrap());
        } else {
            out.push_str(&imported(kind, &std::mem::take(&mut files)));
            *count += 1;
        }
        writeln!(out, "{FENCE}").unwrap();
    }
    out
}

fn imported(kind: Kind, files: &Files) -> String {
    let project = empty();
    let output = import(&project, files, &from(kind)).unwrap();
    let mut out = String::new();
    for (path, text) in pages(&project) {
        writeln!(out, "=== {path}\n{}", text.trim_end()).unwrap();
    }
    for file in &output.attachments {
        let place = format!("pages/{}", file.filepath);
        assert_eq!(project.source.read_source(&place).unwrap(), files[&file.from]);
        writeln!(out, "=== {}", file.filepath).unwrap();
    }
    for notice in &output.notices {
        let line = notice.line.map(|line| format!(":{line}")).unwrap_or_default();
        writeln!(out, "!!! {:?} {}{line}: {}", notice.kind, notice.file, notice.message).unwrap();
    }
    let lost = output.notices.iter().filter(|notice| notice.kind == NoticeKind::LostLink).count();
    assert_eq!(
        output.links.before + output.attachment_links.before,
        output.links.after + output.attachment_links.after + lost
    );
    if !output.link_types.is_empty() {
        writeln!(out, "types: {}", output.link_types.join(", ")).unwrap();
    }
    writeln!(out, "links: {}, to files: {}", output.links.after, output.attachment_links.after).unwrap();
    out
}
