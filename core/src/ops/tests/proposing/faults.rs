//! Whenever the process ends while a proposal is stored or accepted, the proposal and the pages agree afterwards.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::Error;
use crate::ports::{FileStat, Listing, MemorySource, WriteGuard};

/// A source that writes only so many times, like a process that is killed.
struct Dying {
    inner: MemorySource,
    left: AtomicUsize,
}

impl Dying {
    fn write<T>(&self, write: impl FnOnce(&MemorySource) -> Result<T>) -> Result<T> {
        let left = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        match left {
            Ok(_) => write(&self.inner),
            Err(_) => Err(Error::io("file", std::io::ErrorKind::Other.into())),
        }
    }
}

impl Source for Dying {
    fn list(&self) -> Result<Listing> {
        self.inner.list()
    }

    fn stat(&self, path: &str) -> Result<Option<FileStat>> {
        self.inner.stat(path)
    }

    fn read(&self, path: &str) -> Result<Vec<u8>> {
        self.inner.read(path)
    }

    fn write(&self, path: &str, bytes: &[u8], expected: Option<ContentHash>) -> Result<()> {
        Dying::write(self, |inner| inner.write(path, bytes, expected))
    }

    fn stat_source(&self, path: &str) -> Result<Option<FileStat>> {
        self.inner.stat_source(path)
    }

    fn read_source(&self, path: &str) -> Result<Vec<u8>> {
        self.inner.read_source(path)
    }

    fn match_sources(&self, globs: &[String]) -> Result<Vec<String>> {
        self.inner.match_sources(globs)
    }

    fn read_state(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.inner.read_state(name)
    }

    fn proposal_files(&self) -> Result<Vec<String>> {
        self.inner.proposal_files()
    }

    fn remove_proposal(&self, name: &str, expected: ContentHash) -> Result<()> {
        Dying::write(self, |inner| inner.remove_proposal(name, expected))
    }

    fn write_state(&self, name: &str, bytes: &[u8], expected: Option<ContentHash>) -> Result<()> {
        Dying::write(self, |inner| inner.write_state(name, bytes, expected))
    }

    fn lock(&self) -> Result<Box<dyn WriteGuard + '_>> {
        self.inner.lock()
    }

    fn rename(&self, from: &str, to: &str, expected: ContentHash) -> Result<()> {
        Dying::write(self, |inner| inner.rename(from, to, expected))
    }

    fn discard(&self, path: &str, trash: &str, expected: ContentHash) -> Result<()> {
        Dying::write(self, |inner| inner.discard(path, trash, expected))
    }

    fn restore(&self, trash: &str, path: &str, expected: ContentHash) -> Result<()> {
        Dying::write(self, |inner| inner.restore(trash, path, expected))
    }

    fn append(&self, name: &str, lines: &[u8]) -> Result<()> {
        Dying::write(self, |inner| inner.append(name, lines))
    }
}

const PAGES: [(&str, &str); 3] =
    [("a.md", "# A\n\nOne [[b]].\n"), ("b.md", "# B\n\nOne.\n"), ("c.md", "# C\n\nOne [[b]].\n")];

/// A project that may write `left` times from now on.
fn dying() -> Project<Dying> {
    let left = AtomicUsize::new(usize::MAX);
    let project = Project::over(Dying { inner: MemorySource::with_pages(PAGES), left });
    project.update();
    project
}

fn may_write(project: &Project<Dying>, left: usize) {
    project.source.left.store(left, Ordering::Relaxed);
}

/// The pages, without proposals and logs.
fn pages(project: &Project<Dying>) -> Vec<(String, Vec<u8>)> {
    everything(project).into_iter().filter(|(name, _)| path_is_page(name)).collect()
}

fn path_is_page(name: &str) -> bool {
    crate::path::is_page(name)
}

/// Ends the process after every number of writes while it accepts the proposal of this call. Returns how often the
/// process ended before it was done.
fn kill_while_accepting(
    operation: &str,
    params: &dyn Fn(&Project<Dying>) -> Value,
    is_atomic: bool,
) -> usize {
    for left in 0.. {
        let project = dying();
        let answer = propose(&project, operation, params(&project)).unwrap();
        let id = &answer["proposal"];
        let before = pages(&project);
        may_write(&project, left);
        let result = accept(&project, id);
        let exhausted = project.source.left.load(Ordering::Relaxed) == 0;
        may_write(&project, usize::MAX);
        project.update();
        let now = pages(&project);
        let state = state(&project, id);
        let open = crate::proposals::open_count(&project.context()).unwrap();
        assert_eq!(open, usize::from(state == "pending"), "{operation}, {left} writes");
        if state == "accepted" {
            assert_ne!(now, before, "{operation}, {left} writes: accepted, but nothing was written");
        } else {
            assert!(result.is_err(), "{operation}, {left} writes: {state}");
            assert_eq!(state, "pending", "{operation}, {left} writes");
            if is_atomic {
                assert_eq!(now, before, "{operation}, {left} writes: pending, but written");
            }
            accept(&project, id).unwrap();
        }
        let after = pages(&project);
        let whole = dying();
        let answer = propose(&whole, operation, params(&whole)).unwrap();
        accept(&whole, &answer["proposal"]).unwrap();
        assert_eq!(after, pages(&whole), "{operation}, {left} writes");
        if !exhausted {
            return left;
        }
    }
    unreachable!("the loop ends when everything was written")
}

#[test]
fn a_process_that_is_killed_while_it_accepts_leaves_pages_and_proposal_in_agreement() {
    let edit = |_: &Project<Dying>| json!({ "page": "b", "old": "One.", "new": "Two." });
    assert!(kill_while_accepting("update_page", &edit, true) >= 4);
    let create = |_: &Project<Dying>| json!({ "title": "New", "content": "Text." });
    assert!(kill_while_accepting("create_page", &create, true) >= 4);
    let delete = |project: &Project<Dying>| json!({ "page": "b", "confirm": true, "expected_hash": hash(project, "b.md") });
    assert!(kill_while_accepting("delete_page", &delete, true) >= 4);
    // Several pages can be written in part; accepting again completes that.
    let replace = |project: &Project<Dying>| {
        let dry = call(project, "replace", json!({ "old": "One", "new": "Two", "dry_run": true })).unwrap();
        json!({ "old": "One", "new": "Two", "expected_hash": dry["content_hash"] })
    };
    assert!(kill_while_accepting("replace", &replace, false) >= 6);
    let rename = |project: &Project<Dying>| json!({ "page": "b", "path": "x/d", "expected_hash": hash(project, "b.md") });
    assert!(kill_while_accepting("rename_page", &rename, false) >= 5);
}

#[test]
fn a_process_that_is_killed_while_it_proposes_leaves_one_proposal() {
    for left in 0..6 {
        let project = dying();
        let first =
            propose(&project, "update_page", json!({ "page": "b", "old": "One.", "new": "Two." })).unwrap();
        let params =
            json!({ "page": "b", "old": "Two.", "new": "Three.", "expected_hash": first["content_hash"] });
        may_write(&project, left);
        let second = propose(&project, "update_page", params);
        may_write(&project, usize::MAX);
        let listed = call(&project, "list_proposals", json!({})).unwrap();
        assert_eq!(listed["total"], 1, "{left}");
        let expected = second.map_or(first["proposal"].clone(), |second| second["proposal"].clone());
        assert_eq!(listed["proposals"][0]["proposal"], expected, "{left}");
        // The next proposal deletes the file of the replaced one.
        propose(&project, "create_page", json!({ "title": "New", "content": "Text." })).unwrap();
        assert_eq!(project.source.proposal_files().unwrap().len(), 2, "{left}");
    }
}

#[test]
fn what_became_of_a_proposal_outlives_the_audit_log() {
    let file = |project: &Project<Dying>, id: &Value| {
        let name = crate::path::proposal_file(id.as_str().unwrap());
        String::from_utf8(project.source.read_state(&name).unwrap().unwrap()).unwrap()
    };
    let mut unsettled = 0;
    for left in 0.. {
        let project = dying();
        let edit = json!({ "page": "b", "old": "One.", "new": "Two." });
        let id = propose(&project, "update_page", edit).unwrap()["proposal"].clone();
        may_write(&project, left);
        let _ = accept(&project, &id);
        let exhausted = project.source.left.load(Ordering::Relaxed) == 0;
        may_write(&project, usize::MAX);
        project.update();
        let was = state(&project, &id);
        unsettled += usize::from(file(&project, &id).contains("\"settled\": false"));
        propose(&project, "create_page", json!({ "title": "New", "content": "Text." })).unwrap();
        assert!(!file(&project, &id).contains("\"settled\": false"), "{left}");
        // As after the log was rotated twice.
        let log = project.source.read_state("audit.jsonl").unwrap().unwrap_or_default();
        if !log.is_empty() {
            project.source.write_state("audit.jsonl", b"", Some(ContentHash::of(&log))).unwrap();
        }
        assert_eq!(state(&project, &id), was, "{left}");
        if !exhausted {
            break;
        }
    }
    assert!(unsettled >= 2, "{unsettled}");
}
