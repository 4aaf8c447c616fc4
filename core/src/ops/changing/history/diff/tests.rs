//! Differences between commits.
#![allow(clippy::unwrap_used)]

use jiff::Timestamp;

use super::*;
use crate::freshness::StaleReason;
use crate::index::tests::Project;
use crate::ports::{MemoryHistory, MemorySource};

type Files<'a> = &'a [(&'a str, Option<&'a str>)];

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap()
}

/// Commits these changes in order, and compares the first commit with the last.
fn compared(commits: &[Files<'_>]) -> Output {
    let history = MemoryHistory::default();
    for (number, files) in (1_i64..).zip(commits) {
        history.record(&number.to_string(), at(number * 1_000), files);
    }
    diff(&history, &format!("1..{}", commits.len())).unwrap()
}

fn diff(history: &MemoryHistory, range: &str) -> Result<Output> {
    let project = Project::over(MemorySource::default());
    let context = Context { history, ..project.context() };
    run(&context, Params { range: Some(range.into()), ..Params::default() })
}

const MANIFEST: (&str, Option<&str>) = (".ubp/manifest.json", Some("{\"pages_dir\": \"pages\"}"));

fn paths(pages: &[ChangedPage]) -> Vec<&str> {
    pages.iter().map(|page| page.filepath.as_str()).collect()
}

#[test]
fn pages_are_added_removed_moved_and_changed() {
    let long = "---\nid: one\ntags: [a]\n---\n# Long\n\nintro\n\n## Flow\n\none\n\n## Old\n\nx\n";
    let edited = "---\nid: one\ntags: [b]\n---\n# Long\n\nintro\n\n## Flow\n\ntwo\n\n## New\n\ny\n";
    let lines = "first line\nsecond line\nthird line\nfourth line\n";
    let output = compared(&[
        &[
            MANIFEST,
            ("pages/long.md", Some(long)),
            ("pages/gone.md", Some("gone")),
            ("pages/same.md", Some("one\ntwo\n")),
            ("pages/moved.md", Some(lines)),
            ("pages/exact.md", Some("exact")),
            ("notes/outside.md", Some("no page")),
        ],
        &[
            ("pages/long.md", Some(edited)),
            ("pages/gone.md", None),
            // Line endings changed by git or an editor are not a change.
            ("pages/same.md", Some("one\r\ntwo\r\n")),
            ("pages/moved.md", None),
            ("pages/sub/moved.md", Some("first line\nsecond line\nthird line\nanother\n")),
            ("pages/exact.md", None),
            ("pages/sub/exact.md", Some("exact")),
            ("pages/new.md", Some("new")),
            ("notes/outside.md", Some("still none")),
        ],
    ]);
    let pages = &output.pages;
    assert_eq!((paths(&pages.added), paths(&pages.removed)), (vec!["new.md"], vec!["gone.md"]));
    assert_eq!(paths(&pages.renamed), ["sub/exact.md", "sub/moved.md"]);
    assert_eq!(pages.renamed[0].previous_filepath.as_deref(), Some("exact.md"));
    assert!(pages.renamed[0].sections.is_empty() && !pages.renamed[1].sections.is_empty());
    assert_eq!(paths(&pages.changed), ["long.md"]);
    assert_eq!(pages.changed[0].fields, ["tags"]);
    let sections: Vec<_> =
        pages.changed[0].sections.iter().map(|it| (it.heading_path.join("/"), it.change)).collect();
    assert_eq!(
        sections,
        [
            ("Long/Flow".into(), SectionChange::Changed),
            ("Long/New".into(), SectionChange::Added),
            ("Long/Old".into(), SectionChange::Removed)
        ]
    );
}

#[test]
fn broken_and_fixed_links_have_a_reason() {
    let output = compared(&[
        &[
            MANIFEST,
            ("pages/a.md", Some("[[gone]] [[moved]] [[Title]] [[src/x.rs]] [[later]] [[never]] [[typo]]")),
            ("pages/gone.md", Some("1")),
            ("pages/moved.md", Some("2 a page that moves")),
            ("pages/t.md", Some("---\ntitle: Title\n---\n3")),
            ("src/x.rs", Some("code")),
        ],
        &[
            ("pages/a.md", Some("[[gone]] [[moved]] [[Title]] [[src/x.rs]] [[later]] [[never]] [[nothing]]")),
            ("pages/gone.md", None),
            ("pages/moved.md", None),
            ("pages/arrived.md", Some("2 a page that moves")),
            ("pages/t.md", Some("---\ntitle: Other\n---\n3")),
            ("src/x.rs", None),
            ("pages/later.md", Some("4")),
        ],
    ]);
    let broken: Vec<_> = output
        .broken_links
        .iter()
        .map(|it| (it.target.as_str(), it.reason, it.moved_to.as_deref()))
        .collect();
    assert_eq!(
        broken,
        [
            ("Title", BrokenReason::NameChanged, None),
            ("gone", BrokenReason::TargetRemoved, None),
            ("moved", BrokenReason::TargetMoved, Some("arrived.md")),
            ("nothing", BrokenReason::NewLink, None),
            ("src/x.rs", BrokenReason::TargetRemoved, None),
        ]
    );
    let mended: Vec<_> =
        output.mended_links.iter().map(|it| (it.target.as_str(), it.leads_to.as_deref())).collect();
    assert_eq!(mended, [("later", Some("later.md")), ("typo", None)]);
    assert_eq!(output.links.added_by_type, BTreeMap::from([("references".into(), 1)]));
    assert_eq!(output.links.removed_by_type, BTreeMap::from([("references".into(), 4)]));
}

#[test]
fn links_to_headings_and_blocks_that_went_are_broken() {
    let text = "[[b#Flow]] [[b#^id]] [[b#Kept]] [[b#Never]] [b](b.md#flow) [[#Own]]\n\n# Own\n";
    let output = compared(&[
        &[
            MANIFEST,
            ("pages/a.md", Some(text)),
            ("pages/b.md", Some("# Flow\n\none ^id\n\n# Kept\n\n[[a#Late]]\n")),
        ],
        &[
            ("pages/a.md", Some(&format!("{}\n# Late\n\n[[b#Typo]]\n", text.replace("# Own", "# Mine")))),
            ("pages/b.md", None),
            ("pages/c/b.md", Some("# Way\n\none\n\n# Kept\n\n[[a#Late]]\n")),
        ],
    ]);
    let broken: Vec<_> = output
        .broken_links
        .iter()
        .map(|it| (it.line, it.target.as_str(), it.reason, it.led_to.as_deref()))
        .collect();
    let missing = BrokenReason::HeadingMissing;
    assert_eq!(
        broken,
        [
            (1, "#Own", missing, Some("a.md")),
            (1, "b#Flow", missing, Some("c/b.md")),
            (1, "b#^id", missing, Some("c/b.md")),
            (1, "b.md#flow", BrokenReason::TargetMoved, Some("b.md")),
            (7, "b#Typo", missing, Some("c/b.md")),
        ]
    );
    let mended: Vec<_> =
        output.mended_links.iter().map(|it| (it.target.as_str(), it.leads_to.as_deref())).collect();
    assert_eq!(mended, [("a#Late", Some("a.md"))]);
}

#[test]
fn moving_a_page_does_not_change_links_that_still_lead_to_it() {
    let output = compared(&[
        &[MANIFEST, ("pages/a.md", Some("[[b]]")), ("pages/b.md", Some("[[a|depends_on]] text"))],
        &[("pages/b.md", None), ("pages/sub/b.md", Some("[[a|depends_on]] text"))],
    ]);
    assert_eq!(paths(&output.pages.renamed), ["sub/b.md"]);
    assert!(output.links.added.is_empty() && output.links.removed.is_empty(), "{:?}", output.links);
    assert!(output.broken_links.is_empty() && output.orphans.added.is_empty());
    assert_eq!(output.total_affected, 0);
}

#[test]
fn cycles_and_orphans_are_added_and_removed() {
    let cyclic: Files<'_> = &[
        MANIFEST,
        ("pages/a.md", Some("[[b|depends_on]]")),
        ("pages/b.md", Some("[[a|depends_on]]")),
        ("pages/c.md", Some("[[a|depends_on]]")),
        ("pages/lonely.md", Some("nothing")),
    ];
    let grown: Files<'_> = &[("pages/b.md", Some("[[a|depends_on]] [[c|implements]]"))];
    let broken: Files<'_> = &[("pages/b.md", Some("no more")), ("pages/lonely.md", Some("[[b]]"))];
    let output = compared(&[cyclic, grown]);
    assert_eq!(output.cycles.added, [Cycle { page_count: 3, way: vec!["a.md".into(), "b.md".into()] }]);
    assert!(output.cycles.removed.is_empty());
    let output = compared(&[cyclic, broken]);
    assert_eq!(output.cycles.removed, [Cycle { page_count: 2, way: vec!["a.md".into(), "b.md".into()] }]);
    assert!(output.cycles.added.is_empty());
    assert_eq!(output.orphans.removed, ["lonely.md"]);
}

#[test]
fn code_that_changes_without_its_page_makes_it_stale_and_affects_others() {
    let page = "---\nsource_refs: [src/a.rs]\n---\ntext";
    let commits: &[Files<'_>] = &[
        &[
            MANIFEST,
            ("pages/a.md", Some(page)),
            ("pages/b.md", Some("[[a|depends_on]]")),
            ("pages/both.md", Some("---\nsource_refs: [src]\n---\ntext")),
            ("src/a.rs", Some("1")),
        ],
        &[("src/a.rs", Some("2")), ("pages/both.md", Some("---\nsource_refs: [src]\n---\nother text"))],
        &[("pages/a.md", Some("---\nsource_refs: [src/a.rs]\n---\nnew text"))],
    ];
    let output = compared(&commits[..2]);
    let stale: Vec<&str> = output.staleness.stale.iter().map(|page| page.filepath.as_str()).collect();
    assert_eq!(stale, ["a.md"]);
    assert_eq!(output.staleness.stale[0].stale_refs[0].reason, StaleReason::Changed);
    assert_eq!(output.changed_sources, ["src/a.rs"]);
    let affected: Vec<(&str, usize)> =
        output.impact.iter().map(|page| (page.filepath.as_str(), page.distance)).collect();
    assert_eq!(affected, [("a.md", 1), ("b.md", 2)]);
    assert_eq!(output.impact[1].path[0].from, "src/a.rs");

    let history = MemoryHistory::default();
    for (number, files) in (1_i64..).zip(commits) {
        history.record(&number.to_string(), at(number * 1_000), files);
    }
    let output = diff(&history, "2..3").unwrap();
    assert_eq!(output.staleness.fresh, ["a.md"]);
    assert!(output.staleness.stale.is_empty());
    assert_eq!(output.impact.len(), 1, "b.md depends on a rewritten page");
}

#[test]
fn each_side_is_indexed_with_its_own_settings() {
    let output = compared(&[
        &[
            (".ubp/manifest.json", Some("{\"pages_dir\": \"docs\"}")),
            ("docs/a.md", Some("[[Label|b]]")),
            ("docs/b.md", Some("text")),
        ],
        &[(".ubp/manifest.json", Some("{\"pages_dir\": \"docs\", \"links\": {\"order\": \"label_first\"}}"))],
    ]);
    assert_eq!(output.links.added.len(), 1);
    assert_eq!(output.mended_links.len(), 1);
    assert!(output.notes.is_empty());

    let output = compared(&[&[("pages/a.md", Some("a"))], &[(".ubp/manifest.json", Some("{ damaged"))]]);
    assert_eq!(output.notes.len(), 2, "{:?}", output.notes);
    assert!(output.pages.removed.is_empty());
}

#[test]
fn unknown_revisions_and_missing_version_control_are_reported() {
    let history = MemoryHistory::default();
    history.record("1", at(0), &[("pages/a.md", Some("a"))]);
    assert_eq!(diff(&history, "1..nonsense").unwrap_err().code(), "invalid_params");
    let project = Project::with_pages([("a.md", "a")]);
    let error = run(&project.context(), Params::default()).unwrap_err();
    assert!(error.to_string().contains("not under version control"), "{error}");
}
