//! Reading and saving a page changes only what was typed.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::index::tests::Project;
use crate::manifest::{FrontMatterMode, Manifest};
use crate::ports::Source;
use crate::writing::audit;
use crate::{Caller, Context};

fn put(project: &Project, path: &str, bytes: &[u8]) {
    project.source.put(path, bytes, Timestamp::UNIX_EPOCH);
    project.update();
}

fn read(project: &Project, page: &str) -> Value {
    project.context().call("read_page", json!({ "page": page })).unwrap()
}

fn save(project: &Project, page: &Value, text: &str) -> crate::Result<Value> {
    let params = json!({ "page": page["filepath"], "text": text, "expected_hash": page["content_hash"] });
    project.context().call("save_page", params)
}

fn bytes(project: &Project, page: &str) -> Vec<u8> {
    project.source.read(page).unwrap()
}

#[test]
fn saving_an_unedited_page_changes_no_byte() {
    let project = Project::with_pages([]);
    let pages: [&[u8]; 9] = [
        b"",
        b"plain\n",
        b"no end",
        b"\xef\xbb\xbf---\r\ntitle: T\r\n---\r\n\r\n# T\r\n\r\nText.\r\n",
        b"mixed\r\nlines\nand\rothers",
        b"---\ntitle: open\n# T\n",
        b"---\nid: 1\n---\n\n\n\n",
        b"\xef\xbb\xbf",
        b"\n\n\r\n",
    ];
    for original in pages {
        put(&project, "a.md", original);
        let page = read(&project, "a.md");
        let text = page["text"].as_str().unwrap();
        assert!(!text.contains(['\r', '\u{feff}']), "{text:?}");
        assert_eq!(page["editable"], true);
        let saved = save(&project, &page, text).unwrap();
        assert_eq!(bytes(&project, "a.md"), original);
        assert_eq!((&saved["content_hash"], &saved["text"]), (&page["content_hash"], &Value::Null));
        save(&project, &page, &format!("{text}\nmore")).unwrap();
        let now = read(&project, "a.md");
        assert_eq!(now["text"], format!("{text}\nmore"));
        assert_eq!(
            (&now["line_break"], &now["byte_order_mark"]),
            (&page["line_break"], &page["byte_order_mark"])
        );
    }
}

#[test]
fn front_matter_can_be_removed_broken_and_written_again() {
    let mut project = Project::with_pages([("a.md", "---\ntitle: A\nid: x\n---\n# A\n")]);
    project.manifest =
        Manifest::default_for("pages", FrontMatterMode::Managed, Timestamp::UNIX_EPOCH).unwrap();
    for text in ["---\ntitle: A\nid: x\n--\n# A\n", "# A\n", "", "---\n", "---\ntitle: A\n---\n# A\n"] {
        let saved = save(&project, &read(&project, "a.md"), text).unwrap();
        assert_eq!(saved["text"], Value::Null);
        assert_eq!(String::from_utf8(bytes(&project, "a.md")).unwrap(), text);
    }
}

#[test]
fn the_time_in_front_matter_is_updated_once_for_consecutive_edits() {
    let page = |time: &str, text: &str| format!("---\nupdated_at: {time}\n---\n{text}\n");
    let project = Project::with_pages([("a.md", page("1970-01-01", "One.").as_str())]);
    let saved = save(&project, &read(&project, "a.md"), &page("1970-01-01", "Two.")).unwrap();
    let now = "1970-01-12T13:46:40Z";
    assert_eq!(saved["text"], page(now, "Two."));
    assert_eq!(read(&project, "a.md")["content_hash"], saved["content_hash"]);
    let saved = save(&project, &read(&project, "a.md"), &page(now, "Three.")).unwrap();
    assert_eq!(saved["text"], Value::Null, "it was just updated");
    // A time typed by the user stays, and so does the page if only front matter changes.
    let saved = save(&project, &read(&project, "a.md"), &page("1970-01-02", "Four.")).unwrap();
    assert_eq!(saved["text"], Value::Null);
    let text = page("1970-01-02", "Four.").replace("---\nFour", "tags: [x]\n---\nFour");
    assert_eq!(save(&project, &read(&project, "a.md"), &text).unwrap()["text"], Value::Null);
    assert_eq!(read(&project, "a.md")["text"], text);
}

#[test]
fn an_edit_of_another_version_is_a_conflict_and_changes_nothing() {
    let project = Project::with_pages([("a.md", "one\n")]);
    let page = read(&project, "a.md");
    put(&project, "a.md", b"two\n");
    let error = save(&project, &page, "three\n").unwrap_err();
    assert_eq!(error.code(), "conflict");
    let crate::Error::Conflict { found, .. } = error else { panic!("{error}") };
    assert_eq!(found, read(&project, "a.md")["content_hash"]);
    assert_eq!(bytes(&project, "a.md"), b"two\n");
}

#[test]
fn pages_that_are_not_utf8_are_shown_but_not_saved() {
    let project = Project::with_pages([]);
    for original in [&b"\xff\xfea\0\r\0\n\0"[..], b"caf\xe9\n"] {
        put(&project, "a.md", original);
        let page = read(&project, "a.md");
        assert_eq!(page["editable"], false);
        assert!(page["reason"].as_str().unwrap().contains("UTF-8"), "{page}");
        assert_eq!(save(&project, &page, "x").unwrap_err().code(), "invalid_params");
        assert_eq!(bytes(&project, "a.md"), original);
    }
}

#[test]
fn saves_by_agents_are_logged_and_saves_by_people_are_not() {
    let project = Project::with_pages([("a.md", "one\n"), ("b.md", "---\nagents: read-only\n---\n")]);
    let mut page = read(&project, "a.md");
    for round in 0..50 {
        page = save(&project, &page, &format!("{round}\n")).unwrap();
    }
    assert!(audit::AuditLog::read(&project.source).unwrap().entries.is_empty());
    let save_as_agent = |page: &Value| {
        let agent = Context { caller: Caller::Agent, ..project.context() };
        let params =
            json!({ "page": page["filepath"], "text": "agent\n", "expected_hash": page["content_hash"] });
        agent.call("save_page", params)
    };
    save_as_agent(&page).unwrap();
    assert_eq!(audit::AuditLog::read(&project.source).unwrap().entries.len(), 1);
    let locked = read(&project, "b.md");
    assert_eq!(save_as_agent(&locked).unwrap_err().code(), "read_only");
    save(&project, &locked, "---\nagents: read-only\n---\nA person may.\n").unwrap();
}

/// What guests saved, as the host collects it.
#[derive(Default)]
struct Typed(std::sync::Mutex<Vec<Saved>>);

/// A path, and the file before and after.
type Saved = (String, Vec<u8>, Vec<u8>);

impl crate::writing::typing::Typing for Typed {
    fn saved(&self, path: &str, before: &[u8], after: &[u8]) {
        self.0.lock().unwrap().push((path.to_owned(), before.to_vec(), after.to_vec()));
    }
}

#[test]
fn saves_by_guests_are_collected_and_recorded_as_one_change_that_can_be_undone() {
    let project = Project::with_pages([("a.md", "one\n"), ("b.md", "---\nagents: read-only\n---\n")]);
    let typed = Typed::default();
    let guest =
        Context { caller: Caller::Agent, agent: Some("mina"), typing: Some(&typed), ..project.context() };
    let save_as_guest = |page: &Value, text: &str| {
        let params = json!({ "page": page["filepath"], "text": text, "expected_hash": page["content_hash"] });
        guest.call("save_page", params)
    };
    let mut page = read(&project, "a.md");
    for text in ["two\n", "two\n", "three\n"] {
        page = save_as_guest(&page, text).unwrap();
        assert_eq!(page["proposal"], Value::Null);
    }
    assert!(audit::AuditLog::read(&project.source).unwrap().entries.is_empty());
    assert_eq!(save_as_guest(&read(&project, "b.md"), "x").unwrap_err().code(), "read_only");
    let saved = typed.0.into_inner().unwrap();
    assert_eq!(saved.len(), 2, "a save that changes nothing is none");
    let (first, last) = (&saved[0], &saved[1]);
    assert_eq!(
        (first.0.as_str(), first.1.as_slice(), last.2.as_slice()),
        ("a.md", &b"one\n"[..], &b"three\n"[..])
    );
    let context = project.context();
    let record = |before: &[u8], after: &[u8]| {
        crate::writing::typing::record(&context, "mina", "a.md", before.to_vec(), after.to_vec())
    };
    assert!(record(b"same", b"same").is_err());
    record(&first.1, &last.2).unwrap();
    let log = audit::AuditLog::read(&project.source).unwrap();
    let [entry] = log.entries.as_slice() else { panic!("one entry") };
    assert_eq!((entry.agent.as_deref(), entry.operation.as_str()), (Some("mina"), "save_page"));
    context.call("undo", json!({ "entry": entry.group })).unwrap();
    assert_eq!(bytes(&project, "a.md"), b"one\n");
}
