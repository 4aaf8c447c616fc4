//! A stale page becomes fresh only by a person's edit or by a review.

use jiff::Timestamp;

use super::*;
use crate::ports::{MemoryHistory, SourceChange};

/// `login.md` is older than the code that it describes. It links to `users.md` and mentions `people.md`.
struct Case {
    project: Project,
    history: MemoryHistory,
}

const DAY: i64 = 86_400;

fn ago(days: i64) -> Timestamp {
    Timestamp::from_second(1_000_000 - days * DAY).unwrap()
}

impl Case {
    fn new() -> Self {
        let page = "---\nsource_refs: [src/a.rs]\n---\n# Login\n\n[[users]] and the people.\n";
        let mut project =
            Project::with_pages([("login.md", page), ("users.md", "Table.\n"), ("people.md", "# People\n")]);
        project.manifest.frontmatter = FrontMatterMode::Preserved;
        project.source.put_source("src/a.rs", b"rs", ago(0));
        project.update();
        let case = Self { project, history: MemoryHistory::default() };
        case.history.commit("src/a.rs", "c1", ago(2));
        case.committed("login.md", 9);
        assert_eq!(case.staleness(), "possibly_stale");
        case
    }

    fn committed(&self, page: &str, days: i64) {
        self.history.commit(&format!("pages/{page}"), "c2", ago(days));
    }

    fn context(&self, caller: Caller) -> Context<'_> {
        Context { caller, history: &self.history, ..self.project.context() }
    }

    fn ask(&self, caller: Caller, name: &str, params: Value) -> Value {
        let answer = self.context(caller).call(name, params).unwrap();
        // The file differs from the commit now.
        for page in ["login.md", "in/login.md"] {
            self.history.set(&format!("pages/{page}"), SourceChange::Uncommitted);
        }
        answer
    }

    fn staleness(&self) -> String {
        let page = self.context(Caller::Person).call("get_page", json!({ "page": "login" })).unwrap();
        page["staleness"].as_str().unwrap().to_owned()
    }

    /// Checks the page before and after a commit.
    fn stays_stale(&self, what: &str) {
        assert_eq!(self.staleness(), "possibly_stale", "{what}");
        for page in ["login.md", "in/login.md"] {
            self.committed(page, 0);
        }
        assert_eq!(self.staleness(), "possibly_stale", "{what}, committed");
    }
}

#[test]
fn a_stale_page_stays_stale_after_every_write_but_a_persons_edit() {
    let person = [
        ("rename_page", json!({ "page": "users", "path": "accounts" })),
        ("rename_page", json!({ "page": "login", "path": "in/" })),
        ("accept", json!({ "source": "login", "target": "people" })),
        ("delete_page", json!({ "page": "users", "unlink": true })),
        ("replace", json!({ "old": "the people", "new": "all people" })),
    ];
    for (name, params) in person {
        let case = Case::new();
        let what = format!("{name} {params}");
        let done = case.ask(Caller::Person, name, params);
        case.stays_stale(&what);
        case.ask(Caller::Person, "undo", json!({ "entry": done["audit_id"] }));
        case.stays_stale(&format!("undo of {what}"));
    }
    let case = Case::new();
    case.ask(Caller::Agent, "update_page", json!({ "page": "login", "mode": "append", "content": "More." }));
    case.stays_stale("an agent's edit");
    case.ask(Caller::Person, "rename_page", json!({ "page": "users", "path": "accounts" }));
    case.stays_stale("a rename after an agent's edit");
}

#[test]
fn a_stale_page_stays_stale_after_add_completes_its_front_matter() {
    let mut case = Case::new();
    case.project.manifest.frontmatter = FrontMatterMode::Managed;
    let added = case.ask(Caller::Person, "add", json!({}));
    assert!(added["written"].as_array().unwrap().contains(&json!("login.md")), "{added}");
    case.stays_stale("add");
    let now = text(&case.project, "login.md");
    assert!(now.contains(&format!("updated_at: {}\n", crate::ops::page::to_the_second(ago(9)))), "{now}");
    // A later edit by a person counts.
    case.project.put("login.md", &now.replace("# Login", "# Log in"));
    assert_eq!(case.staleness(), "fresh");
}

#[test]
fn a_persons_edit_or_a_review_makes_a_page_fresh() {
    let case = Case::new();
    let edit =
        case.ask(Caller::Person, "update_page", json!({ "page": "login", "old": "people", "new": "men" }));
    assert_eq!(case.staleness(), "fresh");
    // Undoing the edit restores the age of the page too.
    case.ask(Caller::Person, "undo", json!({ "entry": edit["audit_id"] }));
    case.stays_stale("an edit that was undone");
    case.ask(Caller::Person, "review_page", json!({ "page": "login", "still_accurate": true }));
    assert_eq!(case.staleness(), "fresh");
    let lock = String::from_utf8(case.project.source.read_state("refs.lock").unwrap().unwrap()).unwrap();
    assert_eq!(lock.lines().count(), 1, "{lock}");
}

#[test]
fn a_page_in_a_shallow_clone_stays_possibly_stale() {
    let case = Case::new();
    for path in ["src/a.rs", "pages/login.md"] {
        case.history.set(path, SourceChange::BeyondHistory);
    }
    case.ask(Caller::Person, "rename_page", json!({ "page": "users", "path": "accounts" }));
    case.stays_stale("a shallow clone");
}

#[test]
fn a_page_with_uncommitted_edits_stays_fresh() {
    let case = Case::new();
    case.history.set("pages/login.md", SourceChange::Uncommitted);
    assert_eq!(case.staleness(), "fresh");
    case.ask(Caller::Person, "rename_page", json!({ "page": "users", "path": "accounts" }));
    assert_eq!(case.staleness(), "fresh");
    assert!(case.project.source.read_state("refs.lock").unwrap().is_none(), "there is nothing to record");
}

#[test]
fn a_failed_write_leaves_refs_lock_unchanged() {
    let project = Project::over(FaultySource::new(MemorySource::with_pages([
        ("login.md", "---\nsource_refs: [src/a.rs]\n---\n[[users]]\n"),
        ("users.md", "x\n"),
    ])));
    project.source.inner().put_source("src/a.rs", b"rs", ago(0));
    project.update();
    project.source.break_write("login.md", ErrorKind::StorageFull);
    let params = json!({ "page": "users", "path": "accounts" });
    assert_eq!(call(&project, "rename_page", params).unwrap_err().code(), "io");
    let lock = project.source.read_state("refs.lock").unwrap();
    assert!(lock.is_none_or(|lock| lock.is_empty()));
}

#[test]
fn an_agent_reviews_one_page_per_call_in_the_state_that_it_read() {
    let case = Case::new();
    let context = case.context(Caller::Agent);
    let ask = |params: Value| context.call("review_page", params);
    let message = |params: Value| ask(params).unwrap_err().to_string();
    for params in [json!({ "all": true, "still_accurate": true }), json!({ "pages": ["login", "users"] })] {
        assert!(message(params).starts_with("an agent can review only one page per call"));
    }
    let review = json!({ "page": "login", "still_accurate": true });
    assert!(message(review.clone()).starts_with("`expected_hash` is missing: read login.md first"));
    let mut review = review;
    review["expected_hash"] = hash(&case.project, "users.md").into();
    assert_eq!(ask(review.clone()).unwrap_err().code(), "conflict");
    assert_eq!(case.staleness(), "possibly_stale");
    review["expected_hash"] = hash(&case.project, "login.md").into();
    assert!(
        message(review.clone()).starts_with("`expected_sources` is missing: read the sources of login.md")
    );
    let given = || {
        let stale = context.call("check_staleness", json!({ "page": "login" })).unwrap();
        stale["pages"][0]["settle_with"]["params"]["expected_sources"].clone()
    };
    review["expected_sources"] = given();
    case.project.source.put_source("src/a.rs", b"changed once more", ago(0));
    assert!(message(review.clone()).starts_with("the sources of login.md changed since"));
    assert_eq!(case.staleness(), "possibly_stale");
    review["expected_sources"] = given();
    ask(review).unwrap();
    assert_eq!(case.staleness(), "fresh");
}

#[test]
fn a_page_that_an_agent_corrected_is_reviewed_against_the_sources_that_it_read() {
    let case = Case::new();
    let context = case.context(Caller::Agent);
    let stale = context.call("check_staleness", json!({})).unwrap();
    let mut review = stale["pages"][0]["settle_with"]["params"].clone();
    let edit = json!({ "page": "login", "mode": "append", "content": "Corrected." });
    context.call("update_page", edit).unwrap();
    assert_eq!(context.call("review_page", review.clone()).unwrap_err().code(), "conflict");
    review["expected_hash"] = hash(&case.project, "login.md").into();
    context.call("review_page", review).unwrap();
    assert_eq!(case.staleness(), "fresh");
}

#[test]
fn a_page_without_a_review_can_be_reviewed_while_it_is_fresh() {
    let project = Project::with_pages([("login.md", "---\nsource_refs: [src/a.rs]\n---\nText.\n")]);
    project.source.put_source("src/a.rs", b"rs", Timestamp::UNIX_EPOCH);
    project.update();
    let settling = || {
        let checked = agent(&project).call("check_staleness", json!({ "page": "login" })).unwrap();
        checked["pages"][0]["settle_with"]["params"].clone()
    };
    agent(&project).call("review_page", settling()).unwrap();
    assert_eq!(settling(), Value::Null);
}
