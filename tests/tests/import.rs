//! `ubp import` as a person uses it: from folders and archives on disk, with counts before and after.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;

use serde_json::Value;
use ubp_testing::exports::{self, Expected, Files};
use ubp_tests::terminal::Terminal;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

fn packed<'f>(files: impl IntoIterator<Item = (&'f str, &'f [u8])>) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, bytes) in files {
        writer.start_file(path, SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// Every file below `folder` except those of UBP, by path.
fn everything(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.extend((!path.ends_with(".ubp")).then_some(path));
            } else {
                let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}

fn project() -> Terminal {
    let terminal = Terminal::project([("pages/Existing.md", "# Existing\n")]).unwrap();
    assert!(terminal.ubp("add").succeeded());
    terminal
}

/// Imports what is at `path`, twice, and undoes it.
fn round(terminal: &Terminal, path: &str, expected: Expected) {
    let pages = terminal.path("pages");
    let untouched = everything(&pages);
    let dry = terminal.ubp(&format!("import {path} --dry-run --json")).json();
    assert_eq!(everything(&pages), untouched);
    let output = terminal.ubp(&format!("import {path} --json")).json();
    let number = |value: &Value| value.as_u64().unwrap() as usize;
    for answer in [&dry, &output] {
        assert_eq!(answer["pages"].as_array().unwrap().len(), expected.pages, "{answer:#}");
        assert_eq!(answer["attachments"].as_array().unwrap().len(), expected.attachments);
        for side in ["before", "after"] {
            assert_eq!(number(&answer["links"][side]), expected.links, "{:#}", answer["notices"]);
            assert_eq!(number(&answer["attachment_links"][side]), expected.attachment_links);
        }
    }
    let status = terminal.ubp("status --json").json();
    assert_eq!(number(&status["page_count"]), expected.pages + untouched.len());
    assert_eq!(number(&status["unresolved_link_count"]), 0, "{status:#}");

    let imported = everything(&pages);
    assert_eq!(imported.len(), expected.pages + expected.attachments + untouched.len());
    let again = terminal.ubp(&format!("import {path} --json"));
    assert!(again.succeeded() && again.json()["audit_id"].is_null(), "{}", again.transcript());
    assert_eq!(everything(&pages), imported);

    let undone = terminal.ubp(&format!("undo {}", output["audit_id"].as_str().unwrap()));
    assert!(undone.succeeded(), "{}", undone.transcript());
    assert_eq!(everything(&pages), untouched);
}

fn as_folder(terminal: &Terminal, files: &Files) {
    for (path, bytes) in files {
        terminal.write(&format!("export/{path}"), bytes).unwrap();
    }
}

#[test]
fn a_notion_export_of_several_archives_is_imported_whole() {
    let (files, expected) = exports::notion();
    let terminal = project();
    let named = |(path, bytes): &(&String, &Vec<u8>)| (path.to_string(), bytes.to_vec());
    let all: Vec<(String, Vec<u8>)> = files.iter().map(|file| named(&file)).collect();
    let (one, two) = all.split_at(all.len() / 2);
    let part = |files: &[(String, Vec<u8>)]| {
        packed(files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())))
    };
    let (one, two) = (part(one), part(two));
    let outer = packed([("Export-1-Part-1.zip", one.as_slice()), ("Export-1-Part-2.zip", two.as_slice())]);
    terminal.write("export.zip", outer).unwrap();
    round(&terminal, "export.zip", expected);
    let manifest = fs::read_to_string(terminal.path(".ubp/manifest.json")).unwrap();
    assert!(manifest.contains("blocked_by"), "{manifest}");
}

#[test]
fn a_logseq_graph_is_imported_whole() {
    let (files, expected) = exports::logseq();
    let terminal = project();
    as_folder(&terminal, &files);
    round(&terminal, "export", expected);
}

#[test]
fn an_obsidian_vault_is_copied_whole() {
    let (files, expected) = exports::obsidian();
    let terminal = project();
    as_folder(&terminal, &files);
    round(&terminal, "export", expected);
}

#[test]
fn relations_of_imported_rows_are_typed_links() {
    let (files, _) = exports::notion();
    let terminal = project();
    as_folder(&terminal, &files);
    assert!(terminal.ubp("import export").succeeded());
    let page = terminal.ubp("get 'Task 3' --json").json();
    let types: Vec<&str> =
        page["outlinks"].as_array().unwrap().iter().filter_map(|link| link["link_type"].as_str()).collect();
    assert!(types.contains(&"owner") && types.contains(&"blocked_by"), "{page:#}");
}

#[test]
fn init_in_an_export_points_at_import() {
    for (files, name) in [(exports::notion().0, "a Notion export"), (exports::logseq().0, "a Logseq graph")] {
        let terminal = Terminal::new().unwrap();
        for (path, bytes) in &files {
            terminal.write(path, bytes).unwrap();
        }
        let said = terminal.ubp("init --yes --pages-dir .");
        assert!(
            said.succeeded() && said.err.contains(name) && said.err.contains("`ubp import`"),
            "{}",
            said.transcript()
        );
    }
    let terminal = Terminal::new().unwrap();
    exports::obsidian().0.iter().for_each(|(path, bytes)| terminal.write(path, bytes).unwrap());
    let said = terminal.ubp("init --yes");
    assert!(said.succeeded() && !said.err.contains("ubp import"), "{}", said.transcript());
}

#[test]
fn the_project_itself_and_hostile_archives_are_refused() {
    let terminal = project();
    for path in [".", "pages"] {
        let refused = terminal.ubp(&format!("import {path}"));
        assert!(refused.err.contains("pages already"), "{}", refused.transcript());
    }
    let mut slip = packed([("xx/evil.md", b"x".as_slice())]);
    let places: Vec<usize> = (0..slip.len() - 2).filter(|at| slip[*at..].starts_with(b"xx/")).collect();
    for at in places {
        slip[at..at + 2].copy_from_slice(b"..");
    }
    terminal.write("slip.zip", slip).unwrap();
    let refused = terminal.ubp("import slip.zip --from obsidian");
    assert!(
        !refused.succeeded() && refused.err.contains("leads out of the archive"),
        "{}",
        refused.transcript()
    );
    let missing = terminal.ubp("import nowhere.zip");
    assert!(!missing.succeeded() && missing.err.contains("nowhere.zip"), "{}", missing.transcript());
}

/// What a person sees before an import.
#[test]
fn a_dry_run_counts_and_lists_what_is_lost() {
    let terminal = project();
    terminal.write("graph/logseq/config.edn", "{}").unwrap();
    terminal
        .write("graph/pages/A.md", "- [[B]] ((66000000-0000-4000-8000-000000000001))\n- {{query x}}\n")
        .unwrap();
    terminal.write("graph/pages/B.md", "- ![p](../assets/p.png)\n").unwrap();
    terminal.write("graph/assets/p.png", "p").unwrap();
    let said = terminal.ubp("import graph --dry-run");
    assert!(said.succeeded(), "{}", said.transcript());
    for words in [
        "a Logseq graph: 2 pages",
        "logseq/config.edn: settings and backups of Logseq",
        "pages/A.md:1: no block has the id 66000000-0000-4000-8000-000000000001",
        "pages/A.md:2: the macro {{query}}",
    ] {
        assert!(said.out.contains(words), "{words}: {}", said.transcript());
    }
    assert!(said.err.contains("nothing was written"), "{}", said.transcript());
    assert!(!terminal.path("pages/A.md").exists());
}
