//! Exports with every construct are imported as a whole: nothing is missing, and a second import changes nothing.

use super::{Files, empty, from, import, pages};
use crate::import::{Counts, Kind, NoticeKind, Options, Output, State, detect};
use crate::testing::exports::{self, Expected};

fn check(kind: Kind, (files, expected): (Files, Expected), into: &str) -> Output {
    assert_eq!(detect(files.keys().map(String::as_str)).map(|found| found.0), Some(kind));
    let project = empty();
    let options = Options { into: into.into(), ..Options::default() };
    let output = import(&project, &files, &options).unwrap();
    let same = |number| Counts { before: number, after: number };
    assert_eq!(output.links, same(expected.links), "{:#?}", output.notices);
    assert_eq!(output.attachment_links, same(expected.attachment_links), "{:#?}", output.notices);
    assert_eq!((output.pages.len(), output.attachments.len()), (expected.pages, expected.attachments));
    assert_eq!(output.made_of.iter().map(|(_, number)| number).sum::<usize>(), expected.pages);
    let severe = [NoticeKind::LostLink, NoticeKind::NotWritten, NoticeKind::Broken];
    assert!(!output.notices.iter().any(|notice| severe.contains(&notice.kind)), "{:#?}", output.notices);

    let before = pages(&project);
    assert_eq!(before.len(), expected.pages);
    assert!(before.keys().all(|path| path.starts_with(into)));
    let again = import(&project, &files, &options).unwrap();
    assert_eq!(again.audit_id, None);
    assert!(again.pages.iter().chain(&again.attachments).all(|file| file.state == State::Unchanged));
    assert_eq!(pages(&project), before);
    output
}

#[test]
fn a_notion_export_is_imported_as_a_whole() {
    let output = check(Kind::Notion, exports::notion(), "");
    assert_eq!(output.link_types, ["owner", "blocked_by"]);
    check(Kind::Notion, exports::notion(), "from/notion");
}

#[test]
fn a_logseq_graph_is_imported_as_a_whole() {
    check(Kind::Logseq, exports::logseq(), "");
    check(Kind::Logseq, exports::logseq(), "graph");
}

#[test]
fn a_vault_is_copied_as_a_whole() {
    check(Kind::Obsidian, exports::obsidian(), "");
    check(Kind::Obsidian, exports::obsidian(), "vault");
}

#[test]
fn a_vault_in_the_pages_folder_is_copied_byte_for_byte() {
    let (files, _) = exports::obsidian();
    let project = empty();
    import(&project, &files, &from(Kind::Obsidian)).unwrap();
    for (path, text) in pages(&project) {
        assert_eq!(text.as_bytes(), files[&path], "{path}");
    }
}
