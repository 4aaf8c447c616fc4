//! The index on a faulty disk: affected pages are reported, and everything else is indexed.

use std::io::ErrorKind;
use std::sync::Arc;

use jiff::Timestamp;

use super::Project;
use crate::Error;
use crate::index::{Index, RefreshOptions, refresh};
use crate::page::LinkTypes;
use crate::ports::MemorySource;
use crate::progress::{Cancel, Progress, Stage};
use crate::testing::FaultySource;

fn paths(project: &Project<FaultySource<MemorySource>>) -> Vec<String> {
    project
        .index
        .read(|db| {
            let mut statement = db.prepare("SELECT path FROM pages ORDER BY path")?;
            Ok(statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
        })
        .unwrap()
}

#[test]
fn an_unreadable_page_is_reported_and_the_others_are_indexed() {
    let pages = ["a.md", "b.md", "c.md", "d.md", "e.md"].map(|path| (path, "[[a]] [[b]]"));
    let source = FaultySource::new(MemorySource::with_pages(pages));
    source.break_read("b.md", ErrorKind::PermissionDenied);
    source.break_list("d.md", ErrorKind::Other);
    let project = Project::over(source);
    let report = project.update();
    assert_eq!(report.added, ["a.md", "c.md", "e.md"]);
    let unreadable: Vec<&str> = report.unreadable.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(unreadable, ["b.md", "d.md"]);

    project.source.mend();
    assert_eq!(project.update().added, ["b.md", "d.md"]);
    assert_eq!(project.dump(), project.rebuilt());
}

#[test]
fn an_unreadable_page_keeps_its_former_content() {
    let source = FaultySource::new(MemorySource::with_pages([("a.md", "text"), ("deep/b.md", "[[a]]")]));
    let project = Project::over(source);
    project.update();
    project.source.break_list("deep/b.md", ErrorKind::PermissionDenied);
    project.source.inner().put("a.md", b"new text", Timestamp::UNIX_EPOCH);
    project.source.break_read("a.md", ErrorKind::Interrupted);
    let report = project.update();
    assert!(report.is_empty(), "{report:?}");
    assert_eq!(report.unreadable.len(), 2);
    assert_eq!(paths(&project), ["a.md", "deep/b.md"]);
    project.source.mend();
    assert_eq!(project.update().changed, ["a.md"]);
}

/// Requests cancellation once this many pages are done.
struct StopAfter(usize, Cancel);

impl Progress for StopAfter {
    fn advance(&self, stage: Stage, done: usize, _total: usize) {
        if stage == Stage::Pages && done >= self.0 {
            self.1.request();
        }
    }
}

#[test]
fn a_cancelled_run_keeps_its_work_and_the_next_run_continues() {
    let texts: Vec<(String, String)> =
        (0..1_700).map(|n| (format!("p{n}.md"), format!("# Page {n}\n\n[[p{}]]", (n + 1) % 1_700))).collect();
    let source = MemorySource::with_pages(texts.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    let project = Project::over(source);
    for stop in [1, 600] {
        let cancel = Cancel::default();
        let progress = StopAfter(stop, cancel.clone());
        let link_types = LinkTypes::default();
        let options = RefreshOptions {
            pages_dir: "pages",
            link_types: &link_types,
            from_nothing: false,
            full_text: true,
            in_order: false,
            only: None,
        };
        let stopped = refresh(&project.index, &project.source, &project.clock, &options, &progress, &cancel);
        assert!(matches!(stopped, Err(Error::Cancelled)), "{stopped:?}");
    }
    let report = project.update();
    assert!((1..1_200).contains(&report.added.len()), "{} pages were left", report.added.len());
    assert_eq!(project.dump(), project.rebuilt());
}

#[test]
fn readers_never_see_an_unfinished_rebuild() {
    let index = Arc::new(Index::in_memory().unwrap());
    let source = Arc::new(MemorySource::with_pages([("a.md", "one [[b]]"), ("b.md", "two [[a]]")]));
    std::thread::scope(|scope| {
        let (index, source) = (&index, &source);
        scope.spawn(move || {
            let project = Project::over(MemorySource::default());
            let link_types = LinkTypes::default();
            let options = RefreshOptions {
                pages_dir: "pages",
                link_types: &link_types,
                from_nothing: true,
                full_text: true,
                in_order: false,
                only: None,
            };
            for _ in 0..20 {
                let cancel = Cancel::default();
                refresh(index, &**source, &project.clock, &options, &crate::progress::Silent, &cancel)
                    .unwrap();
            }
        });
        for _ in 0..200 {
            let (pages, dangling): (i64, i64) = index
                .read(|db| {
                    Ok((
                        db.query_row("SELECT count(*) FROM pages", [], |row| row.get(0))?,
                        db.query_row(
                            "SELECT count(*) FROM links WHERE page NOT IN (SELECT page FROM pages)",
                            [],
                            |row| row.get(0),
                        )?,
                    ))
                })
                .unwrap();
            assert!(pages == 0 || pages == 2, "{pages}");
            assert_eq!(dangling, 0);
        }
    });
}
