//! Which pages differ between an index and the database.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;
use ubp_core::index::published::PageState;

/// A page in the database.
pub(super) struct KnownPage {
    pub number: i64,
    pub content: Vec<u8>,
    pub links: Vec<u8>,
    pub freshness: Option<Value>,
}

/// A project in the database.
pub(super) struct Known {
    pub commit: Option<String>,
    pub commit_time: i64,
    pub format: Option<i32>,
    pub model: Option<String>,
    pub next_page: i64,
    /// By path.
    pub pages: BTreeMap<String, KnownPage>,
}

/// A page with the same content whose links lead elsewhere.
pub(super) struct Relinked {
    pub number: i64,
    pub state: PageState,
}

/// What a push has to change.
#[derive(Default)]
pub(super) struct Delta {
    pub added: Vec<PageState>,
    /// With the number in the database.
    pub changed: Vec<(i64, PageState)>,
    pub relinked: Vec<Relinked>,
    /// Number in the database, and path.
    pub reassessed: Vec<(i64, String)>,
    pub removed: Vec<i64>,
    pub unchanged: usize,
}

impl Delta {
    /// If the database has another `kind` of content, such as vectors of another model, all pages change.
    pub fn between(
        states: &BTreeMap<String, PageState>,
        known: &BTreeMap<String, KnownPage>,
        freshness: &HashMap<String, Value>,
        is_same_kind: bool,
    ) -> Self {
        let mut delta = Self::default();
        for (path, state) in states {
            match known.get(path) {
                None => delta.added.push(state.clone()),
                Some(page) if !is_same_kind || page.content != state.content => {
                    delta.changed.push((page.number, state.clone()));
                }
                Some(page) if page.links != state.links => {
                    delta.relinked.push(Relinked { number: page.number, state: state.clone() });
                    delta.reassess(path, page, freshness);
                }
                Some(page) if page.freshness.as_ref() != freshness.get(path) => {
                    delta.reassess(path, page, freshness);
                }
                Some(_) => delta.unchanged += 1,
            }
        }
        let gone = known.iter().filter(|(path, _)| !states.contains_key(*path));
        delta.removed = gone.map(|(_, page)| page.number).collect();
        delta
    }

    fn reassess(&mut self, path: &str, page: &KnownPage, freshness: &HashMap<String, Value>) {
        if page.freshness.as_ref() != freshness.get(path) {
            self.reassessed.push((page.number, path.to_owned()));
        }
    }

    /// Numbers of the pages whose rows are deleted: removed ones, and changed ones, which are written again.
    pub fn gone(&self) -> Vec<i64> {
        self.removed.iter().copied().chain(self.changed.iter().map(|(number, _)| *number)).collect()
    }

    /// The pages that are written.
    pub fn written(&self) -> Vec<PageState> {
        self.changed.iter().map(|(_, state)| state).chain(&self.added).cloned().collect()
    }
}
