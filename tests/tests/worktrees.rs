//! Worktrees and clones of one repository: they share vectors, begin with each other's index, and never answer for another
//! branch.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use serde_json::{Value, json};
use tempfile::TempDir;
use ubp_core::ports::Embedder;
use ubp_core::progress::{Cancel, Silent};
use ubp_core::{Caller, Engine};
use ubp_host::{Environment, Project, opening};
use ubp_testing::CountingEmbedder;
use ubp_tests::clients::at_once;
use ubp_tests::mcp::McpClient;

use super::process::command;

const PAGES: usize = 60;

/// A repository in the folder `main`, and what counts the texts that are embedded in it.
struct Repository {
    folder: TempDir,
    counting: Arc<CountingEmbedder>,
}

fn git(folder: &Path, arguments: &str) {
    let ran = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["-c", "user.name=A", "-c", "user.email=a@example.org"])
        .args(arguments.split(' '))
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(ran.status.success(), "git {arguments}: {}", String::from_utf8_lossy(&ran.stderr));
}

impl Repository {
    /// On every branch, `state.md` names the branch, and one page exists only there.
    fn new(branches: usize) -> Self {
        let repository = Self { folder: tempfile::tempdir().unwrap(), counting: Arc::default() };
        let main = repository.path("main");
        fs::create_dir_all(main.join(".ubp")).unwrap();
        let manifest = r#"{"version": "1.0", "schema_version": 1, "pages_dir": ".", "frontmatter": "preserved",
            "embedding_model": {"name": "no-such-model", "version": "1.0", "dimensions": 8}}"#;
        fs::write(main.join(".ubp/manifest.json"), manifest).unwrap();
        fs::write(main.join(".ubp/.gitignore"), "*\n!.gitignore\n!manifest.json\n").unwrap();
        for number in 0..PAGES {
            let text =
                format!("# Page {number}\n\nabout subject{number}, see [[page-{}]]\n", (number + 1) % PAGES);
            fs::write(main.join(format!("page-{number}.md")), text).unwrap();
        }
        git(&main, "init -q -b trunk");
        write_state(&main, "trunk");
        git(&main, "add -A");
        git(&main, "commit -q -m trunk");
        for branch in 0..branches {
            git(&main, &format!("switch -q -c branch-{branch} trunk"));
            write_state(&main, &format!("branch-{branch}"));
            fs::write(main.join(format!("only-{branch}.md")), format!("# Only {branch}\n\n[[state]]\n"))
                .unwrap();
            fs::remove_file(main.join(format!("page-{branch}.md"))).unwrap();
            git(&main, "add -A");
            git(&main, &format!("commit -q -m branch-{branch}"));
        }
        git(&main, "switch -q trunk");
        repository
    }

    fn path(&self, name: &str) -> PathBuf {
        fs::canonicalize(self.folder.path()).unwrap().join(name)
    }

    fn worktree(&self, name: &str, branch: &str) -> PathBuf {
        git(&self.path("main"), &format!("worktree add -q --detach ../{name} {branch}"));
        self.path(name)
    }

    /// The project in a folder. Nothing is brought up to date.
    fn open(&self, folder: &Path) -> Engine {
        let cache = self.path("cache");
        let environment = Environment::with([("UBP_VECTOR_CACHE", cache.to_str().unwrap())]);
        let counting = self.counting.clone();
        let find = move |_: &Project, _: &Environment| -> ubp_core::Result<Option<Arc<dyn Embedder>>> {
            Ok(Some(counting.clone()))
        };
        let opened = opening::open(&Project::load(folder).unwrap(), &environment, &find).unwrap();
        assert!(!opened.in_memory && opened.no_sharing.is_none());
        opened.engine
    }

    /// Texts that are embedded for all vectors of a folder.
    fn embedded_in(&self, folder: &Path) -> usize {
        let before = self.counting.texts();
        let engine = self.open(folder);
        let cancel = Cancel::default();
        let context = engine.context(Caller::Person, true, &Silent, &cancel);
        context.refresh(false).unwrap();
        let report = context.embed(None).unwrap();
        assert_eq!(report.pending, 0);
        let embedded = self.counting.texts() - before;
        assert_eq!(report.embedded, embedded, "reports say what was computed");
        embedded
    }
}

fn write_state(folder: &Path, branch: &str) {
    fs::write(folder.join("state.md"), format!("# State\n\nThis is {branch}.\n")).unwrap();
}

fn call(engine: &Engine, operation: &str, params: Value) -> Value {
    let cancel = Cancel::default();
    engine.context(Caller::Person, false, &Silent, &cancel).call(operation, params).unwrap()
}

/// What an index says about the pages, links and words.
fn answers(engine: &Engine) -> Vec<Value> {
    let mut all = vec![
        call(engine, "fulltext_search", json!({ "query": "subject7 OR subject3 OR branch", "limit": 20 })),
        call(engine, "get_graph", json!({ "center": "state", "depth": 3 })),
    ];
    let listed = call(engine, "list_pages", json!({ "limit": 1_000 }));
    let paths = listed["pages"].as_array().unwrap().iter().map(|page| page["filepath"].clone());
    all.push(paths.collect());
    all.iter_mut().for_each(without_moment);
    all
}

/// Removes what depends on the time and on how complete the vectors are.
fn without_moment(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for name in ["index", "updated_at", "created_at"] {
                fields.remove(name);
            }
            fields.values_mut().for_each(without_moment);
        }
        Value::Array(items) => items.iter_mut().for_each(without_moment),
        _ => {}
    }
}

#[test]
fn the_second_worktree_embeds_only_what_the_first_does_not_have_and_a_clone_as_little() {
    let repository = Repository::new(1);
    let first = repository.embedded_in(&repository.path("main"));
    assert!(first >= PAGES, "{first}");
    let same = repository.worktree("same", "trunk");
    assert_eq!(repository.embedded_in(&same), 0);
    let other = repository.worktree("other", "branch-0");
    assert_eq!(repository.embedded_in(&other), 2, "the state and the page of the branch");
    git(&repository.path("."), "clone -q main clone");
    assert_eq!(repository.embedded_in(&repository.path("clone")), 0);
    // Also when the first is gone, and after changes that others made before.
    git(&repository.path("clone"), "checkout -q origin/branch-0");
    fs::remove_dir_all(repository.path("other")).unwrap();
    assert_eq!(repository.embedded_in(&repository.path("clone")), 0);
}

#[test]
fn the_first_index_of_a_worktree_is_that_of_its_branch_before_anybody_asks() {
    let repository = Repository::new(3);
    repository.embedded_in(&repository.path("main"));
    // While a server has the index open, with content that is only in its log.
    let _held = repository.open(&repository.path("main"));
    for branch in 0..3 {
        let folder = repository.worktree(&format!("tree-{branch}"), &format!("branch-{branch}"));
        let copied = repository.open(&folder);
        assert!(copied.index.has_pages().unwrap(), "it begins with a copy");
        let told = answers(&copied);
        drop(copied);
        fs::remove_file(folder.join(".ubp/metadata.db")).unwrap();
        fs::rename(folder.join(".git"), folder.join(".git.kept")).unwrap();
        let built = repository.open(&folder);
        assert!(!built.index.has_pages().unwrap(), "without git, nothing is copied");
        let cancel = Cancel::default();
        built.context(Caller::Person, true, &Silent, &cancel).refresh(false).unwrap();
        assert_eq!(told, answers(&built));
        let text = call(&built, "get_page", json!({ "page": "state" })).to_string();
        assert!(text.contains(&format!("This is branch-{branch}.")), "{text}");
        let left: Vec<_> = fs::read_dir(folder.join(".ubp"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.contains("cache"))
            .collect();
        assert_eq!(left, [""; 0]);
    }
}

fn server(folder: &Path) -> Command {
    let mut server = command(folder, &["mcp-server"]);
    server.stdin(std::process::Stdio::piped());
    server
}

/// The branch of the pages that a server answers from, by the text, and by the pages that it lists.
fn branch_of(client: &mut McpClient) -> String {
    let page = client.ask("ubp_get_page", json!({ "page": "state" })).unwrap().to_string();
    let (_, rest) = page.split_once("This is ").unwrap();
    let branch = rest.split('.').next().unwrap().to_owned();
    let listed = client.ask("ubp_list_pages", json!({ "limit": 1_000 })).unwrap().to_string();
    match branch.strip_prefix("branch-") {
        Some(number) => assert!(listed.contains(&format!("only-{number}.md")), "{branch}: {listed}"),
        None => assert!(!listed.contains("only-"), "{branch}: {listed}"),
    }
    branch
}

#[test]
fn ten_servers_answer_for_their_worktrees_while_branches_change() {
    const TREES: usize = 10;
    const ROUNDS: usize = 4;
    let repository = Repository::new(TREES);
    let folders: Vec<PathBuf> = (0..TREES)
        .map(|tree| repository.worktree(&format!("tree-{tree}"), &format!("branch-{tree}")))
        .collect();
    at_once(TREES, |tree| {
        let folder = &folders[tree];
        let mut client = McpClient::start(server(folder)).unwrap();
        for round in 0..ROUNDS {
            let branch = format!("branch-{}", (tree + round * 3) % TREES);
            git(folder, &format!("checkout -q --detach {branch}"));
            for _ in 0..3 {
                assert_eq!(branch_of(&mut client), branch, "tree {tree}, round {round}");
            }
        }
        client.close().unwrap();
    });
}

#[test]
fn a_client_that_moves_to_another_worktree_takes_the_server_along() {
    let repository = Repository::new(3);
    let main = repository.path("main");
    let trees: Vec<PathBuf> =
        (0..3).map(|tree| repository.worktree(&format!("tree-{tree}"), &format!("branch-{tree}"))).collect();
    // Its settings name the main worktree, but it was started for another one.
    let mut client = McpClient::start_in(server(&main), &[trees[0].join(".ubp")]).unwrap();
    assert_eq!(branch_of(&mut client), "branch-0");
    client.move_to(&[trees[1].clone()]).unwrap();
    assert_eq!(branch_of(&mut client), "branch-1");
    let listed = client.request("resources/list", json!({})).unwrap().to_string();
    assert!(listed.contains("only-1.md") && !listed.contains("only-0.md"), "{listed}");
    assert_eq!(client.times_asked(), 2, "only when it may have moved");
    // A folder of the worktree that it serves is no move, whatever else is open.
    client.move_to(&[trees[2].clone(), trees[1].clone()]).unwrap();
    assert_eq!(branch_of(&mut client), "branch-1");
    // Outside of the repository, there is nothing to mistake.
    client.move_to(&[repository.path(".")]).unwrap();
    assert_eq!(branch_of(&mut client), "branch-1");
    // No answer is better than one of another branch.
    fs::remove_file(trees[2].join(".ubp/manifest.json")).unwrap();
    client.move_to(&[trees[2].clone()]).unwrap();
    let (code, message) = client.refusal("ubp_get_page", json!({ "page": "state" })).unwrap();
    assert_eq!(code, "no_project");
    assert!(message.contains("tree-2"), "{message}");
    client.move_to(std::slice::from_ref(&main)).unwrap();
    assert_eq!(branch_of(&mut client), "trunk");
    client.close().unwrap();
}

#[test]
fn a_client_in_a_repository_with_one_worktree_is_not_asked() {
    let repository = Repository::new(0);
    let main = repository.path("main");
    let mut client = McpClient::start_in(server(&main), &[main]).unwrap();
    assert_eq!(branch_of(&mut client), "trunk");
    assert_eq!(client.times_asked(), 0);
    client.close().unwrap();
}
