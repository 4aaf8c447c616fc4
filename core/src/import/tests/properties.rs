//! Properties of the import of any files.

use proptest::prelude::*;

use super::{Files, empty, from, import};
use crate::import::{Kind, NoticeKind};

/// Paths as in exports of every kind.
fn path() -> impl Strategy<Value = String> {
    let parts = [
        "a",
        "A",
        "b c",
        "Note 00000000000000000000000000000001",
        "Note 00000000000000000000000000000002",
        "Note",
        "e\u{301}",
        "é",
        "日本",
        ".hidden",
        "con",
        "x:y?",
        "a___b",
        "2024_03_02",
        "pages",
        "journals",
        "assets",
        "logseq",
        "100%",
        "#1",
    ];
    let endings = [".md", ".md", ".md", ".csv", "_all.csv", ".png", ".pdf", ".base", ".org", "", ".markdown"];
    let folder = prop::collection::vec(prop::sample::select(parts.to_vec()), 0..3);
    (folder, prop::sample::select(parts.to_vec()), prop::sample::select(endings.to_vec())).prop_map(
        |(folder, name, ending)| folder.into_iter().chain([name]).collect::<Vec<_>>().join("/") + ending,
    )
}

/// Texts of the syntax of every program.
fn text() -> impl Strategy<Value = String> {
    let pieces = [
        "# Title\n",
        "Status: Open\n",
        "Name,Status,Rel\n",
        "\"a, b\",Yes,\"x (a.md)\"\n",
        "\n",
        "\n\n",
        "\r\n",
        "- ",
        "\t- ",
        "  ",
        "[x](a.md)",
        "[x](Note%2000000000000000000000000000000001.md)",
        "![](../a.png)",
        "[[a]]",
        "[[Note#h|t]]",
        "![[a.png]]",
        "((11111111-0000-4000-8000-000000000001))",
        "  id:: 11111111-0000-4000-8000-000000000001\n",
        "key:: [[a]]\n",
        "{{embed [[a]]}}",
        "{{embed ((11111111-0000-4000-8000-000000000001))}}",
        "{{query x}}",
        "#a",
        "#[[b c]]",
        "TODO ",
        "<aside>\n",
        "</aside>\n",
        "<aside>",
        "</aside>",
        "<details>\n",
        "<summary>s</summary>\n",
        "</details>\n",
        "```\n",
        "`",
        "|",
        "<img src=\"a.png\" width=\"4px\">",
        "https://www.notion.so/Note-00000000000000000000000000000001",
        "](",
        "(",
        ")",
        "[",
        "]]",
        "---\n",
        "title: x\n",
        "filters: file.inFolder(\"a\")\n",
        "views:\n  - type: map\n",
        "#+BEGIN_QUOTE\n",
        "#+END_QUOTE\n",
        "#+BEGIN_SRC x\n",
        "#+END_SRC\n",
        "## ",
        ":PROPERTIES:\n",
        ":id: 11111111-0000-4000-8000-000000000001\n",
        "logseq.order-list-type:: number\n",
        "DONE ",
        "[[x](https://b.c) d](a.md)",
        ":LOGBOOK:\n",
        ":END:\n",
        "SCHEDULED: <2024-01-01>\n",
        "^^",
        "\u{feff}",
        "é",
        "日本",
        "\\",
        "\"",
        "%",
        "$",
        "<!--",
        "-->",
        "> ",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..24).prop_map(|pieces| pieces.concat())
}

fn export() -> impl Strategy<Value = Files> {
    let texts = prop::collection::btree_map(path(), text().prop_map(String::into_bytes), 1..10);
    // A file cannot be a folder.
    texts.prop_map(|files: Files| {
        let is_folder = |path: &str| {
            files.keys().any(|other| other.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')))
        };
        files
            .iter()
            .filter(|(path, _)| !is_folder(path))
            .map(|(path, text)| (path.clone(), text.clone()))
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Nothing panics, no link is lost in silence, every file is accounted for, and a second import changes nothing.
    #[test]
    fn any_export_is_imported_or_accounted_for(files in export(), kind in prop::sample::select(Kind::ALL.to_vec())) {
        let project = empty();
        let output = import(&project, &files, &from(kind)).unwrap();
        let lost = output.notices.iter().filter(|notice| notice.kind == NoticeKind::LostLink).count();
        let before = output.links.before + output.attachment_links.before;
        prop_assert_eq!(before, output.links.after + output.attachment_links.after + lost);
        for file in files.keys() {
            let is_placed = output.pages.iter().chain(&output.attachments).any(|placed| placed.from == *file);
            let top = file.split('/').next().unwrap_or_default();
            let is_told = output.notices.iter().any(|notice| notice.file == *file || notice.file == format!("{top}/"));
            let is_table = kind == Kind::Notion && file.ends_with(".csv") && file.contains("0000");
            prop_assert!(is_placed || is_told || is_table, "{file}: {output:#?}");
        }
        let written = super::pages(&project);
        let again = import(&project, &files, &from(kind)).unwrap();
        prop_assert_eq!(again.audit_id, None);
        prop_assert_eq!(super::pages(&project), written);
    }
}
