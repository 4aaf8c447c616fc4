//! Verdicts for each reason.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::*;
use crate::Caller;
use crate::index::tests::Project;
use crate::ops::review_page::{self, Params};
use crate::ports::{MemoryHistory, Source};

const DAY: i64 = 86_400;

/// Pages written a day before `now`, which is 1,000,000 seconds after 1970.
struct Case {
    project: Project,
    history: MemoryHistory,
}

fn ago(days: i64) -> Timestamp {
    Timestamp::from_second(1_000_000 - days * DAY).unwrap()
}

impl Case {
    fn new(front_matter: &str, sources: &[&str]) -> Self {
        let page = format!("---\n{front_matter}\n---\nText\n");
        let project = Project::with_pages([
            ("a.md", page.as_str()),
            ("b.md", "[[a|depends_on]]"),
            ("c.md", "[[b|implements]]"),
        ]);
        let case = Self { project, history: MemoryHistory::default() };
        case.commit("pages/a.md", 9);
        for source in sources {
            case.write(source, "one", 9);
        }
        case
    }

    fn commit(&self, path: &str, days: i64) {
        self.history.commit(path, "c0ffee", ago(days));
    }

    fn write(&self, path: &str, text: &str, days: i64) {
        self.project.source.put_source(path, text.as_bytes(), ago(0));
        self.commit(path, days);
    }

    fn context(&self) -> Context<'_> {
        Context { history: &self.history, ..self.project.context() }
    }

    fn assess(&self) -> (Staleness, Vec<(String, StaleReason)>) {
        let assessments = assess(&self.context(), None).unwrap();
        let assessment = assessments.into_values().next().unwrap();
        let reasons = assessment.stale_refs.into_iter().map(|stale| (stale.file_path, stale.reason));
        (assessment.staleness, reasons.collect())
    }

    fn review(&self, still_accurate: bool) -> review_page::Output {
        let params = Params { page: Some("a".into()), still_accurate, ..Params::default() };
        review_page::run(&self.context(), params).unwrap()
    }

    fn lock(&self) -> String {
        let bytes = self.project.source.read_state(REVIEW_LOCK).unwrap();
        String::from_utf8(bytes.unwrap_or_default()).unwrap()
    }
}

fn with(reasons: &[(&str, StaleReason)]) -> Vec<(String, StaleReason)> {
    reasons.iter().map(|(path, reason)| ((*path).to_owned(), *reason)).collect()
}

#[test]
fn reviewed_sources_are_compared_by_content_not_by_times() {
    let case = Case::new("source_refs: src/a.rs", &["src/a.rs"]);
    assert!(case.review(false).written);
    let stamp = "@1970-01-12T13:46:40Z c0ffee person";
    assert_eq!(case.lock(), format!("a.md\tsrc/a.rs\t{}\t{stamp}\n", ContentHash::of(b"one")));
    // Committed again later with the same content.
    case.commit("src/a.rs", 2);
    assert_eq!(case.assess(), (Staleness::Fresh, vec![]));
    // Changed two days ago, then ten days ago.
    case.write("src/a.rs", "two", 2);
    assert_eq!(case.assess(), (Staleness::PossiblyStale, with(&[("src/a.rs", StaleReason::Changed)])));
    case.commit("src/a.rs", 10);
    case.commit("pages/a.md", 11);
    assert_eq!(case.assess(), (Staleness::Stale, with(&[("src/a.rs", StaleReason::Changed)])));
    // A typo was fixed.
    case.commit("pages/a.md", 1);
    let edited = with(&[("src/a.rs", StaleReason::PageEditedAfterSource)]);
    assert_eq!(case.assess(), (Staleness::Stale, edited));
    // The source has the reviewed content again.
    case.write("src/a.rs", "one", 0);
    assert_eq!(case.assess().0, Staleness::Fresh);
}

#[test]
fn a_stale_page_is_reviewed_only_if_declared_still_accurate() {
    let case = Case::new("source_refs: src/a.rs", &["src/a.rs"]);
    case.review(false);
    let before = case.lock();
    case.write("src/a.rs", "two", 3);
    let refused = case.review(false);
    assert_eq!((refused.written, refused.refused.len(), refused.reviewed.len()), (false, 1, 0));
    let settle = refused.refused[0].settle_with.command_line();
    assert_eq!(settle.as_deref(), Some("ubp review --still-accurate a.md"));
    assert_eq!(refused.refused[0].changes[0].source.file_path, "src/a.rs");
    assert_eq!(case.lock(), before);
    let reviewed = case.review(true);
    assert!(reviewed.written && reviewed.reviewed[0].changed);
    assert_eq!(case.assess(), (Staleness::Fresh, vec![]));
    assert!(!case.review(false).written, "nothing new");
}

#[test]
fn an_agent_can_execute_settle_with_as_given() {
    let case = Case::new("source_refs: src/a.rs", &["src/a.rs"]);
    case.review(false);
    case.write("src/a.rs", "two", 3);
    let agent = Context { caller: Caller::Agent, ..case.context() };
    let checked = agent.call("check_staleness", serde_json::json!({ "page": "a" })).unwrap();
    let settle = &checked["pages"][0]["settle_with"];
    let reviewed = agent.call(settle["operation"].as_str().unwrap(), settle["params"].clone()).unwrap();
    assert_eq!(reviewed["written"], true);
    case.write("src/a.rs", "three", 2);
    case.project.put("a.md", "---\nsource_refs: src/a.rs\n---\nOther text\n");
    let error = agent.call("review_page", settle["params"].clone()).unwrap_err();
    assert_eq!(error.code(), "conflict", "the page changed after it was read");
}

#[test]
fn edits_count_as_reviews_if_the_manifest_says_so() {
    let mut case = Case::new("source_refs: src/a.rs", &["src/a.rs"]);
    case.review(false);
    case.write("src/a.rs", "two", 3);
    case.commit("pages/a.md", 1);
    assert_eq!(case.assess().0, Staleness::PossiblyStale);
    case.project.manifest.freshness = FreshnessBaseline::Edit;
    assert_eq!(case.assess(), (Staleness::Fresh, vec![]));
}

#[test]
fn added_and_deleted_files_in_a_reviewed_folder_make_the_page_stale() {
    for named in ["src", "src/", "src/*.rs", "src/**"] {
        let case = Case::new(&format!("source_refs: '{named}'"), &["src/a.rs", "src/b.rs"]);
        assert_eq!(case.review(false).reviewed[0].source_count, 2, "{named}");
        case.write("src/c.rs", "new", 2);
        let added = with(&[("src/c.rs", StaleReason::Changed)]);
        assert_eq!(case.assess(), (Staleness::PossiblyStale, added), "{named}");
        case.project.source.remove_source("src/c.rs");
        assert_eq!(case.assess().0, Staleness::Fresh, "{named}");
        case.project.source.remove_source("src/b.rs");
        let gone = with(&[("src/b.rs", StaleReason::Missing)]);
        assert_eq!(case.assess(), (Staleness::Stale, gone), "{named}");
        case.review(true);
        assert_eq!(case.assess().0, Staleness::Fresh, "{named}");
        assert_eq!(case.lock().lines().count(), 1, "{named}");
    }
}

#[test]
fn a_review_does_not_settle_a_missing_source() {
    let case = Case::new("source_refs: [src/a.rs, src/gone.rs]", &["src/a.rs"]);
    let output = case.review(true);
    assert_eq!(output.reviewed[0].missing[0].file_path, "src/gone.rs");
    assert_eq!(case.assess(), (Staleness::Stale, with(&[("src/gone.rs", StaleReason::Missing)])));
}

#[test]
fn a_source_added_after_the_review_is_judged_by_times() {
    let case = Case::new("source_refs: [src/a.rs]", &["src/a.rs", "src/b.rs"]);
    case.review(false);
    case.project.put("a.md", "---\nsource_refs: [src/a.rs, src/b.rs]\n---\nText\n");
    case.project.update();
    case.write("src/b.rs", "two", 2);
    assert_eq!(case.assess().0, Staleness::PossiblyStale);
    case.commit("pages/a.md", 1);
    let assessment = assess(&case.context(), None).unwrap().into_values().next().unwrap();
    assert_eq!((assessment.staleness, assessment.reviewed), (Staleness::Fresh, false));
}

#[test]
fn commits_from_the_future_count_as_now() {
    let case = Case::new("source_refs: src/a.rs", &["src/a.rs"]);
    case.review(false);
    case.write("src/a.rs", "two", -400);
    assert_eq!(case.assess().0, Staleness::PossiblyStale);
    let assessment = assess(&case.context(), None).unwrap().into_values().next().unwrap();
    assert_eq!(assessment.stale_refs[0].last_modified.as_deref(), Some("1970-01-12T13:46:40Z"));
}

#[test]
fn a_page_in_a_shallow_clone_is_never_fresh_without_a_review() {
    let case = Case::new("source_refs: src/a.rs", &["src/a.rs"]);
    case.history.set("src/a.rs", SourceChange::BeyondHistory);
    case.history.set("pages/a.md", SourceChange::BeyondHistory);
    let unknown = with(&[("src/a.rs", StaleReason::UnknownShallowClone)]);
    assert_eq!(case.assess(), (Staleness::PossiblyStale, unknown));
    case.review(true);
    assert_eq!(case.assess(), (Staleness::Fresh, vec![]), "the content is compared without history");
    case.project.source.put_source("src/a.rs", b"two", ago(0));
    assert_eq!(case.assess(), (Staleness::PossiblyStale, with(&[("src/a.rs", StaleReason::Changed)])));
}

#[test]
fn pages_that_depend_on_a_stale_page_are_suspect() {
    let case = Case::new("source_refs: src/a.rs", &["src/a.rs"]);
    case.review(false);
    let check = || {
        let params = crate::ops::check_staleness::Params::default();
        let output = crate::ops::check_staleness::run(&case.context(), params).unwrap();
        output
            .pages
            .into_iter()
            .map(|page| (page.page.filepath, page.suspect_path))
            .collect::<BTreeMap<_, _>>()
    };
    assert!(check().is_empty());
    case.write("src/a.rs", "two", 20);
    let found = check();
    assert_eq!(found.keys().collect::<Vec<_>>(), ["a.md", "b.md", "c.md"]);
    assert!(found["a.md"].is_empty());
    assert_eq!(found["c.md"], ["c.md", "b.md", "a.md"]);
}
