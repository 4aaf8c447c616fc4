//! An import is one change: it can be undone, and one that was interrupted can be continued.

use std::io::ErrorKind;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::{empty, files, from, import, pages, prepared};
use crate::Context;
use crate::import::{Kind, State};
use crate::index::tests::Project;
use crate::ports::{MemorySource, Source};
use crate::progress::{Cancel, Progress, Stage};
use crate::testing::{FaultySource, exports};

fn undo<S: Source>(project: &Project<S>, id: &str) -> Value {
    project.context().call("undo", json!({"entry": id})).unwrap()
}

#[test]
fn an_import_is_undone_and_redone_with_its_attachments() {
    let project = empty();
    let (vault, expected) = exports::notion();
    let output = import(&project, &vault, &from(Kind::Notion)).unwrap();
    let before = pages(&project);
    let id = output.audit_id.unwrap();
    let undone = undo(&project, &id);
    assert_eq!(undone["changed"].as_array().unwrap().len(), expected.pages + expected.attachments);
    assert!(pages(&project).is_empty());
    let file = format!("pages/{}", output.attachments[0].filepath);
    assert_eq!(project.source.stat_source(&file).unwrap(), None);
    undo(&project, undone["audit_id"].as_str().unwrap());
    assert_eq!(pages(&project), before);
    assert!(project.source.stat_source(&file).unwrap().is_some());
}

/// Asks to stop after some files.
struct StopAfter<'a>(usize, &'a Cancel, AtomicUsize);

impl Progress for StopAfter<'_> {
    fn advance(&self, stage: Stage, done: usize, _total: usize) {
        if stage == Stage::Files {
            self.2.store(done, Ordering::Relaxed);
            if done >= self.0 {
                self.1.request();
            }
        }
    }
}

#[test]
fn an_interrupted_import_leaves_whole_files_and_is_continued() {
    let (vault, expected) = exports::logseq();
    let whole = {
        let project = empty();
        import(&project, &vault, &from(Kind::Logseq)).unwrap();
        pages(&project)
    };
    let project = empty();
    let cancel = Cancel::default();
    let stop = StopAfter(5, &cancel, AtomicUsize::new(0));
    let interrupted = prepared(&project, &vault, &from(Kind::Logseq), |prepared| {
        let context = Context { progress: &stop, cancel: &cancel, ..project.context() };
        prepared.unwrap().write(&context).unwrap_err()
    });
    assert_eq!(interrupted.code(), "cancelled");
    let some = pages(&project);
    assert!((5..=7).contains(&some.len()), "{}", some.len());
    assert!(some.iter().all(|(path, text)| whole[path] == *text));

    let output = import(&project, &vault, &from(Kind::Logseq)).unwrap();
    assert_eq!(pages(&project), whole);
    let new = output.pages.iter().filter(|page| page.state == State::New).count();
    assert_eq!(new, expected.pages - some.len());

    // Both parts can be undone.
    undo(&project, &output.audit_id.unwrap());
    let log = project.context().call("audit", json!({"limit": 1000})).unwrap();
    let first = log["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["group"].as_str().unwrap().to_owned())
        .next_back();
    undo(&project, &first.unwrap());
    assert!(pages(&project).is_empty());
}

#[test]
fn a_failing_disk_leaves_nothing_behind() {
    let (vault, _) = exports::obsidian();
    let project = Project::over(FaultySource::new(MemorySource::default().in_folder("pages")));
    project.source.break_write("notes/Note 7.md", ErrorKind::StorageFull);
    let failed = import(&project, &vault, &from(Kind::Obsidian)).unwrap_err();
    assert!(failed.is_full_disk());
    assert!(project.source.list().unwrap().pages.is_empty());
}

#[test]
fn front_matter_that_was_added_later_does_not_make_a_page_another_one() {
    let project = empty();
    let graph = files([("pages/A.md", "rating:: 5\n\n- text\n")]);
    import(&project, &graph, &from(Kind::Logseq)).unwrap();
    let text = pages(&project)["A.md"].replace("rating: 5\n", "rating: 5\nid: x\n");
    project.put("A.md", &text);
    project.update();
    let again = import(&project, &graph, &from(Kind::Logseq)).unwrap();
    assert_eq!(again.pages[0].state, State::Unchanged);
}
