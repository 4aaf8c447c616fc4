//! An updated index equals a rebuilt one, whatever happened to the files.

use std::sync::Mutex;

use crate::index::questions::pages;
use crate::progress::{Progress, Stage};
use jiff::Timestamp;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

use rusqlite::Connection;

use super::Project;
use crate::Context;
use crate::graph::LinkGraph;
use crate::index::changes::{GENERATION, since};
use crate::index::connection::counter;
use crate::index::snapshot::differences;
use crate::index::{Index, PageNames, Renamed, Snapshot};
use crate::ports::Embedder;

/// Names that conflict: the same in several folders, in different case, decomposed, with a `#`, in Japanese.
const PATHS: [&str; 14] = [
    "login.md",
    "auth/login.md",
    "auth/Login.md",
    "auth/tokens.md",
    "db/users.md",
    "db/caf\u{e9}.md",
    "deep/er/cafe\u{301}.md",
    "deep/er/tokens.markdown",
    "認証.md",
    "deep/認証.md",
    "C#.md",
    "overview.md",
    "deep/overview.md",
    "z.md",
];

const SOURCES: [&str; 3] = ["src/auth/login.ts", "src/db.rs", "pages/auth/notes.txt"];

/// Blocks of which the pages are composed.
const BLOCKS: [&str; 26] = [
    "# Login Feature\n\nThe session token expires.\n",
    "## Overview\n\nSee [[auth/login]] and [[tokens|depends_on]].\n",
    "## Overview\n\nAn overview again, of the login flow.\n",
    "### Flow\n\n[[Login Feature]] then [[C#]] then [[C#Flow]].\n",
    "Plain text about [[nowhere]] and [[users|the users]].\n",
    "![[cafe\u{301}#Overview]] and [[caf\u{e9}]]\n",
    "[Markdown](../db/users.md#overview) and [here](tokens.md)\n",
    "[[src/auth/login.ts]] and [[src/db.rs|implements]] and [text](notes.txt)\n",
    "認証の流れ。[[認証]]と[[認証|extends|別名]]を参照。\n",
    "A block. ^block-1\n\n[[#^block-1]] [[z#^block-1]]\n",
    "#security #Sécurité/deep\n",
    "```\n[[not-a-link]]\n```\n",
    "| a | b |\n|---|---|\n| [[users\\|x]] | [[z]] |\n",
    "> [!note] [[overview]]\n> quoted [[deep/overview]]\n",
    "[[UserDB]] [[user db]] [[Tokens]]\n",
    "Setext [[z]]\n===\n\nbelow\n",
    "- item [[tokens.markdown]]\n- [ ] task [[login.md]]\n",
    "word word word session session how does it decide\n",
    "## 認証\n\n公開鍵 and a token\n",
    "[[picture.png]] ![[picture.png]]\n",
    "%%comment [[z]]%%\n\n$[[z]]$\n",
    "# Second title\n\ntext\n",
    "## Overview\n",
    "line one  \r\nline two [[users]]\r\n",
    "[[login|conflicts_with]] [[login|conflicts_with]] [[auth/Login]]\n",
    "\u{feff}odd\u{0}bytes [[z]]\n",
];

const FRONT_MATTER: [&str; 10] = [
    "",
    "",
    "---\ntitle: Login Feature\n---\n",
    "---\ntitle: Users\naliases: [UserDB, tokens]\ntags: [security, db]\n---\n",
    "---\nid: 0198c1d2-0000-7000-8000-000000000001\n---\n",
    "---\nid: 0198c1d2-0000-7000-8000-000000000001\ntype: api\n---\n",
    "---\ndepends_on: \"[[users]]\"\nimplements: [\"[[z]]\", \"[[nowhere]]\"]\n---\n",
    "---\nsource_refs: [src/auth/login.ts, 'src/**/*.rs']\ncreated_at: 2025-01-02\n---\n",
    "---\ntitle: [broken\n---\n",
    "---\ntitle: \u{8a8d}\u{8a3c}\naliases: Caf\u{e9}\n---\n",
];

#[derive(Debug, Clone)]
enum Step {
    Put(usize, String),
    /// Copies the text of a page to another path.
    Copy(usize, usize),
    Move(usize, usize),
    Remove(usize),
    Touch(usize),
    PutSource(usize),
    RemoveSource(usize),
    Refresh,
    /// Refreshes only the pages that are known to have changed.
    RefreshPages,
    Embed,
}

fn text() -> impl Strategy<Value = String> {
    let blocks = prop::collection::vec(prop::sample::select(BLOCKS.to_vec()), 0..6);
    let long = prop_oneof![3 => Just(None), 1 => (0..300_usize).prop_map(Some)];
    (prop::sample::select(FRONT_MATTER.to_vec()), blocks, long).prop_map(|(front, blocks, long)| {
        let long = long.map(many_passages).unwrap_or_default();
        front.to_owned() + &blocks.concat() + &long
    })
}

/// A section that has several passages if there are many sentences.
fn many_passages(sentences: usize) -> String {
    let text: String = (0..sentences).map(|n| format!("Token {n} expires; 認証 {n}.\n")).collect();
    format!("## Overview\n\n{text}")
}

fn step() -> impl Strategy<Value = Step> {
    let path = || 0..PATHS.len();
    prop_oneof![
        6 => (path(), text()).prop_map(|(path, text)| Step::Put(path, text)),
        1 => (path(), path()).prop_map(|(from, to)| Step::Copy(from, to)),
        3 => (path(), path()).prop_map(|(from, to)| Step::Move(from, to)),
        2 => path().prop_map(Step::Remove),
        1 => path().prop_map(Step::Touch),
        1 => (0..SOURCES.len()).prop_map(Step::PutSource),
        1 => (0..SOURCES.len()).prop_map(Step::RemoveSource),
        2 => Just(Step::Refresh),
        5 => Just(Step::RefreshPages),
        2 => Just(Step::Embed),
    ]
}

/// Executes a step; `changed` collects the pages that may have changed since the last refresh.
fn take(project: &Project, changed: &mut Vec<String>, step: &Step) {
    use crate::ports::Source;
    match step {
        Step::Put(path, _) | Step::Copy(_, path) | Step::Remove(path) | Step::Touch(path) => {
            changed.push(PATHS[*path].into());
        }
        Step::Move(from, to) => changed.extend([PATHS[*from].into(), PATHS[*to].into()]),
        Step::Refresh => changed.clear(),
        _ => {}
    }
    let read = |path: usize| project.source.read(PATHS[path]).ok();
    let put = |path: usize, bytes: &[u8]| project.source.put(PATHS[path], bytes, Timestamp::UNIX_EPOCH);
    match step {
        Step::Put(path, text) => put(*path, text.as_bytes()),
        Step::Copy(from, to) => {
            if let Some(bytes) = read(*from) {
                put(*to, &bytes);
            }
        }
        Step::Move(from, to) => {
            if let Some(bytes) = read(*from) {
                project.source.remove(PATHS[*from]);
                put(*to, &bytes);
            }
        }
        Step::Remove(path) => project.source.remove(PATHS[*path]),
        Step::Touch(path) => {
            if let Some(bytes) = read(*path) {
                put(*path, &bytes);
            }
        }
        Step::PutSource(path) => project.source.put_source(SOURCES[*path], b"code", Timestamp::UNIX_EPOCH),
        Step::RemoveSource(path) => project.source.remove_source(SOURCES[*path]),
        Step::Refresh => drop(project.refresh()),
        Step::RefreshPages => drop(project.refresh_pages(&std::mem::take(changed))),
        Step::Embed => drop(project.embed()),
    }
}

/// What a process derived from the index and keeps in memory.
struct Kept {
    snapshot: Snapshot,
    generation: i64,
    /// How often it was updated, not loaded again.
    updates: usize,
}

impl Kept {
    fn of(project: &Project) -> Self {
        Self { snapshot: Snapshot::of(&project.index).unwrap(), generation: 0, updates: 0 }
    }

    /// Updates everything, and compares it with what is loaded anew.
    #[track_caller]
    fn require_as_loaded(&mut self, project: &Project) {
        let view = project.index.view();
        let (graph, names) = (view.graph().unwrap(), view.page_names().unwrap());
        let (loaded, names_loaded) =
            view.read(|db| Ok((LinkGraph::load(db)?, PageNames::load(db)?))).unwrap();
        assert_eq!(*graph, loaded);
        assert_eq!(*names, names_loaded);
        let before = self.snapshot.by_path();
        let told = self.snapshot.update(&project.index).unwrap();
        let now = Snapshot::of(&project.index).unwrap();
        assert_eq!(self.snapshot.by_path(), now.by_path());
        assert_eq!(told, differences(&before, &now.by_path()));
        let vectors = view.vectors(&project.embedder.model().identity).unwrap();
        assert!(view.read(|db| vectors.is_as_loaded(db)).unwrap());
        let generation = view.read(|db| counter(db, GENERATION)).unwrap();
        let is_known = view.read(|db| since(db, GENERATION, self.generation)).unwrap().is_some();
        self.updates += usize::from(is_known && generation > self.generation);
        self.generation = generation;
    }
}

#[track_caller]
fn equal(incremental: &[String], rebuilt: &[String]) {
    let only = |these: &[String], those: &[String]| -> Vec<String> {
        these.iter().filter(|line| those.binary_search(line).is_err()).cloned().collect()
    };
    let (more, less) = (only(incremental, rebuilt), only(rebuilt, incremental));
    assert!(more.is_empty() && less.is_empty(), "only incremental: {more:#?}\nonly rebuilt: {less:#?}");
    assert_eq!(incremental.len(), rebuilt.len());
}

proptest! {
    #![proptest_config(Config {
        cases: 8,
        rng_seed: RngSeed::Fixed(20_261_105),
        failure_persistence: None,
        max_shrink_iters: 400,
        ..Config::default()
    })]

    #[test]
    fn after_200_changes_the_index_equals_a_rebuilt_one(
        steps in prop::collection::vec(step(), 200)
    ) {
        let project = Project::with_pages([]);
        let mut changed = Vec::new();
        let mut kept = Kept::of(&project);
        for part in steps.chunks(25) {
            for step in part {
                take(&project, &mut changed, step);
                if matches!(step, Step::Refresh | Step::RefreshPages | Step::Embed) {
                    kept.require_as_loaded(&project);
                }
            }
            take(&project, &mut changed, &Step::RefreshPages);
            project.embed();
            equal(&project.dump(), &project.rebuilt());
            kept.require_as_loaded(&project);
        }
        // Otherwise this would compare loading with loading.
        prop_assert!(kept.updates > 8, "{}", kept.updates);
        prop_assert!(project.update().is_empty(), "a second refresh finds no changes");
        prop_assert_eq!(project.embed().embedded, 0);
    }
}

#[test]
fn a_moved_page_keeps_its_vectors_and_links_to_it_are_resolved_again() {
    let project = Project::with_pages([
        ("old.md", "# A page\n\nsession tokens"),
        ("other.md", "[[old]] and [[new place]]"),
    ]);
    project.source.remove("old.md");
    project.put("new place.md", "# A page\n\nsession tokens");
    let report = project.refresh();
    assert_eq!(report.renamed, [Renamed { from: "old.md".into(), to: "new place.md".into() }]);
    assert!(report.added.is_empty() && report.removed.is_empty());
    assert_eq!(project.embed().embedded, 0, "the same text is not embedded twice");
    equal(&project.dump(), &project.rebuilt());
}

#[test]
fn a_refresh_limited_to_some_pages_ignores_changes_in_others() {
    let project = Project::with_pages([("a.md", "# A"), ("b.md", "# B")]);
    project.put("a.md", "# A2");
    project.put("b.md", "# B2");
    project.put("c.md", "# C");
    assert_eq!(project.refresh_pages(&["a.md".into()]).changed, ["a.md"]);
    let report = project.refresh_pages(&["c.md".into(), "none.md".into(), "c.md".into()]);
    assert_eq!((report.added, report.changed), (vec!["c.md".into()], Vec::<String>::new()));
    assert_eq!(project.refresh().changed, ["b.md"]);
}

#[test]
fn all_pages_are_compared_if_one_may_have_moved() {
    for named in ["old.md", "new place.md"] {
        let project =
            Project::with_pages([("old.md", "# A page\n\nsession tokens"), ("other.md", "[[old]]")]);
        project.source.remove("old.md");
        project.put("new place.md", "# A page\n\nsession tokens");
        let report = project.refresh_pages(&[named.into()]);
        assert_eq!(report.renamed, [Renamed { from: "old.md".into(), to: "new place.md".into() }], "{named}");
        assert_eq!(project.embed().embedded, 0);
        equal(&project.dump(), &project.rebuilt());
    }
}

#[test]
fn two_paths_of_one_file_are_updated_together() {
    let project = Project::with_pages([("file.md", "# One"), ("link.md", "# One"), ("other.md", "# Other")]);
    for name in ["file.md", "link.md"] {
        project.put(name, "# Two");
    }
    assert_eq!(project.refresh_pages(&["file.md".into()]).changed, ["file.md", "link.md"]);
    project.embed();
    equal(&project.dump(), &project.rebuilt());
}

#[test]
fn hundreds_of_pages_at_once_give_the_same_index_as_a_rebuild() {
    let text =
        |n: usize| format!("---\ntitle: Page {n}\n---\n[[p{}]] [[Page {}|extends]]\n", n * 7 % 900, n + 1);
    let project = Project::with_pages([]);
    for n in 0..900 {
        project.put(&format!("p{n}.md"), &text(n));
        if n < 3 {
            project.refresh();
        }
    }
    project.update();
    equal(&project.dump(), &project.rebuilt());
    for n in (0..900).step_by(2) {
        project.source.remove(&format!("p{n}.md"));
    }
    assert_eq!(project.update().removed.len(), 450);
    equal(&project.dump(), &project.rebuilt());
}

#[test]
fn changed_text_keeps_its_old_vectors_until_new_ones_are_computed() {
    let project = Project::with_pages([("a.md", "# A\n\nsession tokens\n\n## B\n\nnothing else")]);
    let vectors =
        |project: &Project| project.dump().iter().filter(|line| line.starts_with("vector ")).count();
    assert_eq!(vectors(&project), 2);
    project.put("a.md", "# A\n\nsession tokens expire\n\n## B\n\nnothing else");
    project.refresh();
    assert_eq!(vectors(&project), 2);
    let report = project.embed();
    assert_eq!((report.embedded, report.pending), (1, 0));
}

/// What a reader sees of `a.md` after a refresh has written the pages and before it resolves the links.
struct Between<'a>(&'a Index, Mutex<Option<String>>);

impl Progress for Between<'_> {
    fn advance(&self, stage: Stage, done: usize, _total: usize) {
        if stage == Stage::Links && done == 0 {
            let read = |db: &Connection| {
                pages::at(db, "a.md")?.map(|page| Ok(pages::row(db, page)?.doc_id)).transpose()
            };
            *self.1.lock().unwrap() = self.0.read(read).unwrap();
        }
    }
}

fn id_between(project: &Project) -> Option<String> {
    let between = Between(&project.index, Mutex::default());
    Context { progress: &between, ..project.context() }.refresh(false).unwrap();
    between.1.into_inner().unwrap()
}

#[test]
fn pages_of_a_large_refresh_have_their_own_ids_from_the_start() {
    let project = Project::with_pages([("b.md", "# B\n")]);
    project.put("a.md", "---\nid: its-own\n---\nsee [[b]]\n");
    (0..500).for_each(|n| project.put(&format!("p{n}.md"), "see [[a]]\n"));
    assert_eq!(id_between(&project).as_deref(), Some("its-own"));
}

#[test]
fn many_files_with_new_times_and_the_same_text_change_nothing() {
    let name = |number: usize| format!("{number}.md");
    let project = Project::with_pages([("a.md", "[[1]]")]);
    let touch = |second: i64| {
        let at = Timestamp::from_second(second).unwrap();
        (0..600).for_each(|number| project.source.put(&name(number), b"# Text", at));
        project.update();
        project.index.view().read(|db| counter(db, GENERATION)).unwrap()
    };
    let before = touch(1_000);
    assert_eq!(touch(2_000), before);
}
