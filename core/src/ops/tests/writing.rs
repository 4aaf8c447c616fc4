//! Changes are exact to the byte, and links, reviews and decisions are updated.

use std::io::ErrorKind;

use serde_json::{Value, json};

use crate::hint::Commands;
use crate::index::tests::Project;
use crate::manifest::{FrontMatterMode, LinkOrder};
use crate::ports::{ContentHash, MemorySource, Source};
use crate::testing::FaultySource;
use crate::{Caller, Context};
use crate::{Error, Result};

mod editing;
mod freshness;
mod names;
mod own_changes;
mod properties;
mod replacing;

fn pages() -> [(&'static str, &'static str); 6] {
    [
        ("login.md", "---\ntitle: Login\r\n---\n# Login\n\nSee [[users#Table|the table]] and ![[users]].\n"),
        (
            "db/users.md",
            "---\ntitle: User Database\naliases: [UserDB]\nimage: x\n---\n# User Database\n\n\
             [[#Table]] [[User Database#User Database]] [up](../login.md#login) ![i](img/a%20b.png) [code](../../src/a.rs)\n\n## Table\n\n^row\n",
        ),
        (
            "links.md",
            "---\ndepends_on: \"[[User Database]]\"\n---\n[[users]] [[db/users.md]] ![[users#^row]] [[UserDB]]\n\
             [[users|depends_on|Shown]] [t](db/users.md#table \"t\") [r][d] <https://x.y> `[[users]]`\n\n\
             | a |\n|---|\n| [[users\\|cell]] |\n\n[d]: <db/users.md>\n",
        ),
        ("locked.md", "---\nagents: read-only\n---\n[[users]]\n"),
        ("people.md", "nothing\n"),
        ("crlf.md", "\u{feff}# Crlf\r\n\r\nOne.\r\n\r\n## Two\r\n\r\nText.\r\n"),
    ]
}

fn project() -> Project {
    let project = Project::with_pages(pages());
    project.source.put_source("pages/db/img/a b.png", b"png", jiff::Timestamp::UNIX_EPOCH);
    project.source.put_source("src/a.rs", b"rs", jiff::Timestamp::UNIX_EPOCH);
    project.update();
    project
}

fn agent<S: Source>(project: &Project<S>) -> Context<'_> {
    Context { caller: Caller::Agent, agent: Some("test"), ..project.context() }
}

fn call<S: Source>(project: &Project<S>, name: &str, params: Value) -> Result<Value> {
    project.context().call(name, params)
}

fn text<S: Source>(project: &Project<S>, page: &str) -> String {
    String::from_utf8(project.source.read(page).unwrap()).unwrap()
}

/// All files with their bytes, and the trash.
fn everything<S: Source>(project: &Project<S>) -> Vec<(String, Vec<u8>)> {
    let paths = project.source.list().unwrap().pages;
    paths.into_iter().map(|file| (file.path.clone(), project.source.read(&file.path).unwrap())).collect()
}

fn hash<S: Source>(project: &Project<S>, page: &str) -> String {
    ContentHash::of(&project.source.read(page).unwrap()).to_string()
}

#[test]
fn moving_a_page_updates_every_link() {
    let project = project();
    let before = everything(&project);
    let dry =
        call(&project, "rename_page", json!({ "page": "users", "path": "people/accounts", "dry_run": true }));
    let dry = dry.unwrap();
    assert_eq!(everything(&project), before);
    let moved = call(&project, "rename_page", json!({ "page": "users", "path": "people/accounts" })).unwrap();
    assert_eq!(moved["diff"], dry["diff"]);
    assert_eq!(moved["filepath"], "people/accounts.md");
    assert_eq!(moved["title"], "User Database");
    assert_eq!(
        text(&project, "login.md"),
        "---\ntitle: Login\r\n---\n# Login\n\nSee [[accounts#Table|the table]] and ![[accounts]].\n"
    );
    assert_eq!(
        text(&project, "links.md"),
        "---\ndepends_on: \"[[User Database]]\"\n---\n[[accounts]] [[people/accounts.md]] ![[accounts#^row]] [[UserDB]]\n\
         [[accounts|depends_on|Shown]] [t](people/accounts.md#table \"t\") [r][d] <https://x.y> `[[users]]`\n\n\
         | a |\n|---|\n| [[accounts\\|cell]] |\n\n[d]: <people/accounts.md>\n"
    );
    let own = text(&project, "people/accounts.md");
    assert!(
        own.contains("[up](../login.md#login) ![i](../db/img/a%20b.png) [code](../../src/a.rs)"),
        "{own}"
    );
    project.embed();
    assert!(project.dump() == project.rebuilt());

    let back = call(&project, "undo", json!({ "entry": moved["audit_id"] })).unwrap();
    assert_eq!(everything(&project), before);
    call(&project, "undo", json!({ "entry": back["audit_id"] })).unwrap();
    assert_eq!(text(&project, "people/accounts.md"), own);
    call(&project, "undo", json!({ "entry": moved["audit_id"] })).unwrap();
    assert_eq!(everything(&project), before);
}

#[test]
fn a_new_title_changes_front_matter_heading_and_file_name() {
    let project = project();
    let renamed =
        call(&project, "rename_page", json!({ "page": "users", "title": "Bob's Accounts" })).unwrap();
    assert_eq!(renamed["filepath"], "db/users.md", "the file name was not made from the title");
    let own = text(&project, "db/users.md");
    assert!(own.contains("# Bob's Accounts\n\n[[#Table]] [[Bob's Accounts#Bob's Accounts]]"), "{own}");
    assert!(text(&project, "links.md").starts_with("---\ndepends_on: \"[[Bob's Accounts]]\"\n"));
    assert_eq!(text(&project, "login.md"), pages()[0].1, "these links still lead to the page");

    let renamed = call(&project, "rename_page", json!({ "page": "login", "title": "Sign in" })).unwrap();
    assert_eq!(renamed["filepath"], "sign-in.md", "a file name made from the title changes");
    assert!(text(&project, "sign-in.md").starts_with("---\ntitle: Sign in\r\n---\n# Sign in\n"));
    assert!(text(&project, "db/users.md").contains("[up](../sign-in.md#sign-in)"));
    let renamed = call(&project, "rename_page", json!({ "page": "people.md", "title": "A: b?" })).unwrap();
    assert_eq!(renamed["filepath"], "A- b-.md");
}

#[test]
fn links_to_other_pages_with_the_same_name_are_not_changed() {
    let project =
        Project::with_pages([("x/a.md", "1\n"), ("y/b.md", "2\n"), ("links.md", "[[a]] [[b]] [[c]]\n")]);
    call(&project, "rename_page", json!({ "page": "b", "path": "a.md" })).unwrap();
    assert_eq!(text(&project, "links.md"), "[[x/a]] [[a]] [[c]]\n");
    call(&project, "rename_page", json!({ "page": "a.md", "path": "A.md" })).unwrap();
    assert_eq!(text(&project, "links.md"), "[[x/a]] [[a]] [[c]]\n", "links ignore case");
    assert_eq!(project.source.list().unwrap().pages[0].path, "A.md");
    for (path, code) in [
        ("links.md", "invalid_params"),
        ("LINKS", "invalid_params"),
        ("../x", "outside_project"),
        (".x/y", "invalid_params"),
    ] {
        let error = call(&project, "rename_page", json!({ "page": "A.md", "path": path })).unwrap_err();
        assert_eq!(error.code(), code, "{path}: {error}");
    }
}

#[test]
fn label_first_links_are_updated() {
    let mut project = Project::with_pages([("a.md", "x\n"), ("b.md", "[[label|a]] [[a]]\n")]);
    project.manifest.links.order = LinkOrder::LabelFirst;
    call(&project, "rename_page", json!({ "page": "a.md", "path": "c.md" })).unwrap();
    assert_eq!(text(&project, "b.md"), "[[label|c]] [[c]]\n");
}

#[test]
fn moving_a_page_updates_reviews_and_decisions() {
    let project = project();
    project.put("login.md", "---\nsource_refs: [src/a.rs]\n---\n# Login\n");
    call(&project, "rebuild", json!({})).unwrap();
    call(&project, "review_page", json!({ "page": "login.md", "still_accurate": true })).unwrap();
    call(&project, "dismiss", json!({ "source": "login.md", "target": "people.md" })).unwrap();
    let moved = call(&project, "rename_page", json!({ "page": "login.md", "path": "in/" })).unwrap();
    let lock = String::from_utf8(project.source.read_state("refs.lock").unwrap().unwrap()).unwrap();
    assert!(lock.contains("in/login.md\tsrc/a.rs\t"), "{lock}");
    assert_eq!(moved["staleness"], "fresh");
    let decisions = crate::suggest::decisions::Decisions::read(&project.source).unwrap();
    let people = call(&project, "get_page", json!({ "page": "people.md" })).unwrap();
    let ids = (moved["doc_id"].as_str().unwrap(), people["doc_id"].as_str().unwrap());
    assert!(decisions.verdict(ids.0, ids.1).is_some());
    call(&project, "undo", json!({ "entry": moved["audit_id"] })).unwrap();
    let lock = String::from_utf8(project.source.read_state("refs.lock").unwrap().unwrap()).unwrap();
    assert!(lock.lines().any(|line| line.starts_with("login.md\tsrc/a.rs\t")), "{lock}");
}

#[test]
fn reviews_and_decisions_of_agents_are_logged_and_can_be_undone() {
    let project = Project::with_pages([
        ("login.md", "---\nsource_refs: [src/a.rs]\n---\nThe people.\n"),
        ("people.md", "People.\n"),
    ]);
    project.source.put_source("src/a.rs", b"rs", jiff::Timestamp::UNIX_EPOCH);
    project.update();
    let records = || {
        let of =
            |name| String::from_utf8(project.source.read_state(name).unwrap().unwrap_or_default()).unwrap();
        [of("refs.lock"), of("decisions.jsonl")]
    };
    let ask = |name: &str, params: Value| {
        let answer = agent(&project).call(name, params).unwrap();
        answer["audit_id"].as_str().unwrap().to_owned()
    };
    let pair = json!({ "source": "login.md", "target": "people.md" });
    let checked = agent(&project).call("check_staleness", json!({ "page": "login" })).unwrap();
    let reviewed = ask("review_page", checked["pages"][0]["settle_with"]["params"].clone());
    let dismissed = ask("dismiss", pair);
    let later = call(&project, "dismiss", json!({ "source": "people.md", "target": "login.md" })).unwrap();
    let accepted = ask(
        "accept",
        json!({ "source": "login.md", "target": "people.md", "expected_hash": hash(&project, "login.md") }),
    );
    let log = call(&project, "audit", json!({})).unwrap();
    let of = |group: &str| {
        let entries = log["entries"].as_array().unwrap().iter().filter(|entry| entry["group"] == group);
        entries.map(|entry| entry["filepath"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(of(&reviewed), [".ubp/refs.lock"]);
    assert_eq!(of(&dismissed), [".ubp/decisions.jsonl"]);
    assert_eq!(of(&accepted), [".ubp/decisions.jsonl", "login.md"]);
    let entry = log["entries"].as_array().unwrap().iter().find(|entry| entry["group"] == *dismissed).unwrap();
    assert_eq!((&entry["caller"], &entry["agent"]), (&json!("agent"), &json!("test")));
    assert!(entry["diff"].as_str().unwrap().contains("\n+{\"decision\":\"dismissed\""), "{entry}");

    // Each can be undone independently of later ones.
    for group in [&reviewed, &dismissed, &accepted] {
        call(&project, "undo", json!({ "entry": group })).unwrap();
    }
    assert_eq!(text(&project, "login.md"), "---\nsource_refs: [src/a.rs]\n---\nThe people.\n");
    let [lock, decisions] = records();
    assert_eq!((lock.as_str(), decisions.lines().count()), ("", 1), "{decisions}");
    call(&project, "undo", json!({ "entry": later["audit_id"] })).unwrap();
    assert_eq!(records(), ["", ""]);
    let error = call(&project, "undo", json!({ "entry": reviewed })).unwrap_err();
    assert_eq!(error.code(), "invalid_params", "{error}");
}

#[test]
fn edits_change_only_the_requested_part() {
    let project = project();
    let old = text(&project, "crlf.md");
    let update = |params| call(&project, "update_page", params);
    update(json!({ "page": "crlf.md", "section": "crlf/two", "content": "New\ntext." })).unwrap();
    assert_eq!(text(&project, "crlf.md"), old.replace("Text.", "New\r\ntext."));
    update(json!({ "page": "crlf.md", "mode": "append", "content": "End" })).unwrap();
    assert_eq!(text(&project, "crlf.md"), old.replace("Text.", "New\r\ntext.\r\n\r\nEnd"));
    update(json!({ "page": "crlf.md", "mode": "replace", "content": "# Crlf\n" })).unwrap();
    assert_eq!(text(&project, "crlf.md"), "\u{feff}# Crlf\r\n");
    let error = update(json!({ "page": "crlf.md", "section": "nope", "content": "" })).unwrap_err();
    assert_eq!(error.to_string(), "crlf.md has no section 'nope'; it has crlf");
    let same = update(json!({ "page": "crlf.md", "mode": "replace", "content": "# Crlf" })).unwrap();
    assert_eq!((&same["diff"], &same["audit_id"]), (&json!(""), &Value::Null));
    let error = update(json!({ "page": "crlf.md", "content": "x" })).unwrap_err();
    assert!(error.to_string().contains("replace, append or replace_section"), "{error}");
}

#[test]
fn managed_pages_keep_their_id_and_update_their_time() {
    let mut project = project();
    project.manifest.frontmatter = FrontMatterMode::Managed;
    let made =
        call(&project, "create_page", json!({ "title": "New: page", "tags": ["a-b"], "doc_type": "api" }));
    let made = made.unwrap();
    assert_eq!(made["filepath"], "New- page.md");
    let id = made["doc_id"].as_str().unwrap();
    let created = text(&project, "New- page.md");
    assert!(created.contains("tags:\n  - a-b\n---\n# New: page\n"), "{created}");
    project
        .put("New- page.md", &created.replace("updated_at: 1970-01-12T13:46:40Z", "updated_at: 2000-01-01"));
    let params =
        json!({ "page": "New- page.md", "mode": "replace", "content": "---\ntitle: Other\n---\nx\n" });
    call(&project, "update_page", params).unwrap();
    let now = text(&project, "New- page.md");
    assert!(now.contains(&format!("id: {id}\n")) && now.contains("title: Other\n"), "{now}");
    assert!(now.contains("created_at: ") && now.contains("updated_at: 1970-01-12T13:46:40Z\n"), "{now}");
}

#[test]
fn creating_a_page_never_overwrites_another() {
    let project = project();
    let params = json!({ "title": "Login", "content": "Text.", "allow_same_name": true });
    let made = call(&project, "create_page", params).unwrap();
    assert_eq!(made["filepath"], "Login 2.md");
    assert_eq!(made["same_name"], json!(["login.md"]));
    assert_eq!(text(&project, "Login 2.md"), "# Login\n\nText.\n");
    let made = call(&project, "create_page", json!({ "title": "User Databases", "dry_run": true })).unwrap();
    assert_eq!(made["similar"][0], "db/users.md");
    assert!(project.source.stat("User Databases.md").unwrap().is_none());
    let made =
        call(&project, "create_page", json!({ "title": "T", "content": "# Other\n", "folder": "deep/er" }));
    assert_eq!(made.unwrap()["title"], "T");
    for params in [
        json!({ "title": " " }),
        json!({ "title": "a\nb" }),
        json!({ "title": "x", "path": "login.md" }),
        json!({ "title": "x", "path": "a", "folder": "b" }),
        json!({ "title": "x", "tags": ["a b"] }),
    ] {
        assert_eq!(
            call(&project, "create_page", params.clone()).unwrap_err().code(),
            "invalid_params",
            "{params}"
        );
    }
    for title in [".", "..", ". ."] {
        let error = call(&project, "create_page", json!({ "title": title })).unwrap_err();
        assert_eq!(error.to_string(), format!("a page cannot be called '{title}'"));
    }
    let error = call(&project, "create_page", json!({ "title": "x", "folder": "../out" })).unwrap_err();
    assert_eq!(error.code(), "outside_project");
}

#[test]
fn a_deleted_page_is_in_the_trash_and_can_be_restored() {
    let project = project();
    let before = everything(&project);
    let gone = call(&project, "delete_page", json!({ "page": "users" })).unwrap();
    assert_eq!(project.source.trash(), [gone["trash"].as_str().unwrap()]);
    let lines: Vec<String> = gone["links"]
        .as_array()
        .unwrap()
        .iter()
        .map(|link| {
            format!(
                "{}:{} {}",
                link["filepath"].as_str().unwrap(),
                link["line"],
                link["target"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(lines.len(), 12, "{lines:?}");
    call(&project, "undo", json!({ "entry": gone["audit_id"] })).unwrap();
    assert_eq!(everything(&project), before);
    assert!(project.source.trash().is_empty());

    project.put("links.md", "[[users]] [[users#Table|a *b*]] [x `y`](db/users.md) ![[users]] [[login]]\n");
    let gone = call(&project, "delete_page", json!({ "page": "users", "unlink": true })).unwrap();
    assert_eq!(text(&project, "links.md"), "users a *b* x `y` users [[login]]\n");
    project.embed();
    assert!(project.dump() == project.rebuilt());
    // If the trash was emptied, the text comes from the log.
    project
        .source
        .restore(gone["trash"].as_str().unwrap(), "elsewhere.md", ContentHash::of(&before[1].1))
        .unwrap();
    project.source.remove("elsewhere.md");
    call(&project, "undo", json!({ "entry": gone["audit_id"] })).unwrap();
    assert_eq!(project.source.read("db/users.md").unwrap(), before[1].1);
}

#[test]
fn files_with_changed_links_are_sorted_by_path() {
    let project = Project::with_pages([("users.md", "# Users\n")]);
    for path in ["z.md", "a.md", "m.md"] {
        project.put(path, "see [[users]]\n");
        project.update();
    }
    let params = json!({ "page": "users", "unlink": true, "dry_run": true });
    let diff = call(&project, "delete_page", params).unwrap()["diff"].as_str().unwrap().to_owned();
    let files: Vec<&str> = diff.lines().filter_map(|line| line.strip_prefix("--- a/")).collect();
    assert_eq!(files, ["a.md", "m.md", "z.md", "users.md"]);
}

#[test]
fn agents_must_pass_hashes_and_cannot_change_read_only_pages() {
    let project = project();
    let context = agent(&project);
    let ask = |name: &str, params: Value| context.call(name, params);
    let code = |result: Result<Value>| result.unwrap_err().code();
    let users = hash(&project, "db/users.md");
    for (name, params) in [
        ("update_page", json!({ "page": "users", "mode": "replace", "content": "x" })),
        ("update_page", json!({ "page": "users", "section": "user-database", "content": "x" })),
        ("rename_page", json!({ "page": "users", "path": "x" })),
        ("delete_page", json!({ "page": "users", "confirm": true })),
        ("delete_page", json!({ "page": "users", "expected_hash": users })),
        ("undo", json!({ "entry": "x" })),
        ("update_page", json!({ "page": "users", "mode": "append", "content": "x", "expected_hash": "abc" })),
    ] {
        assert_eq!(code(ask(name, params)), "invalid_params", "{name}");
    }
    let stale = hash(&project, "login.md");
    let params = json!({ "page": "users", "mode": "append", "content": "x", "expected_hash": stale });
    let error = ask("update_page", params).unwrap_err();
    assert_eq!(error.code(), "conflict");
    assert!(error.to_string().contains(&stale) && error.to_string().contains(&users), "{error}");

    let locked = hash(&project, "locked.md");
    let params = json!({ "page": "locked.md", "mode": "append", "content": "x", "expected_hash": locked });
    assert_eq!(code(ask("update_page", params)), "read_only");
    let before = everything(&project);
    let params = json!({ "page": "users", "path": "x", "expected_hash": users });
    let error = ask("rename_page", params).unwrap_err();
    assert!(matches!(&error, Error::ReadOnly { path } if path == "locked.md"), "{error}");
    assert_eq!(everything(&project), before);

    let page = call(&project, "get_page", json!({ "page": "people.md" })).unwrap();
    let params = json!({ "page": "people.md", "mode": "append", "content": "More.", "expected_hash": page["content_hash"] });
    let made = ask("update_page", params).unwrap();
    assert_eq!(made["content_hash"], hash(&project, "people.md").as_str());
    let log = call(&project, "audit", json!({ "page": "people.md" })).unwrap();
    let entry = &log["entries"][0];
    assert_eq!(
        (&entry["caller"], &entry["agent"], &entry["outcome"]),
        (&json!("agent"), &json!("test"), &json!("done"))
    );
    assert_eq!(log["total"], 1);
    assert!(entry["diff"].as_str().unwrap().contains("+More."), "{entry}");
}

#[test]
fn changes_to_files_that_changed_since_cannot_be_undone() {
    let project = project();
    let made =
        call(&project, "update_page", json!({ "page": "people.md", "mode": "append", "content": "a" }));
    let id = made.unwrap()["audit_id"].clone();
    project.put("people.md", "edited elsewhere\n");
    let error = call(&project, "undo", json!({ "entry": id })).unwrap_err();
    assert_eq!(error.code(), "conflict");
    assert!(error.hint().unwrap().told(&Commands).contains("ubp audit --page people.md"));
    assert_eq!(text(&project, "people.md"), "edited elsewhere\n");
    assert!(
        call(&project, "undo", json!({ "entry": "nope" }))
            .unwrap_err()
            .to_string()
            .contains("unknown change")
    );
}

#[test]
fn a_failed_change_leaves_every_file_unchanged() {
    for broken in
        ["login.md", "links.md", "people/accounts.md", "refs.lock", "decisions.jsonl", "audit.jsonl"]
    {
        let project = Project::over(FaultySource::new(MemorySource::with_pages(pages())));
        project.update();
        project.source.inner().put_source("src/a.rs", b"rs", jiff::Timestamp::UNIX_EPOCH);
        project
            .source
            .write_state(
                "refs.lock",
                format!("db/users.md\tsrc/a.rs\t{}\n", ContentHash::of(b"")).as_bytes(),
                None,
            )
            .unwrap();
        call(&project, "dismiss", json!({ "source": "users", "target": "people.md" })).unwrap();
        let before = everything(&project);
        let lock = project.source.read_state("refs.lock").unwrap();
        project.source.break_write(broken, ErrorKind::StorageFull);
        let error =
            call(&project, "rename_page", json!({ "page": "users", "path": "people/accounts" })).unwrap_err();
        assert_eq!(error.code(), "io", "{broken}: {error}");
        assert_eq!(everything(&project), before, "{broken}");
        assert_eq!(project.source.read_state("refs.lock").unwrap(), lock, "{broken}");
        project.source.mend();
        project.update();
        project.embed();
        assert!(project.dump() == project.rebuilt());
        let log = call(&project, "audit", json!({})).unwrap();
        if broken != "audit.jsonl" {
            assert_eq!(log["entries"][0]["outcome"], "failed", "{broken}");
            let error = call(&project, "undo", json!({ "entry": log["entries"][0]["group"] })).unwrap_err();
            assert!(error.to_string().contains("nothing to undo"), "{error}");
        }
    }
}

#[test]
fn a_folder_that_cannot_move_completely_stays() {
    for broken in ["db/users.md", "db/pic.png", "db/.b", "moved/.b", "refs.lock"] {
        let project = Project::over(FaultySource::new(MemorySource::with_pages(pages())));
        project.update();
        let files = ["db/pic.png", "db/.a/x", "db/.b", "src/a.rs"];
        let source = project.source.inner();
        files.iter().for_each(|file| source.put_source(file, b"x", jiff::Timestamp::UNIX_EPOCH));
        let lock = format!("db/users.md\tsrc/a.rs\t{}\n", ContentHash::of(b""));
        project.source.write_state("refs.lock", lock.as_bytes(), None).unwrap();
        let before = everything(&project);
        project.source.break_write(broken, ErrorKind::StorageFull);
        let moves = json!({ "moves": [{ "from": "db", "to": "moved" }] });
        let error = call(&project, "move_files", moves.clone()).unwrap_err();
        assert_eq!(error.code(), "io", "{broken}: {error}");
        assert_eq!(everything(&project), before, "{broken}");
        let there = |files: &[&str]| files.iter().all(|file| source.read_source(file).is_ok());
        assert!(there(&files), "{broken}");
        project.source.mend();
        let moved = call(&project, "move_files", moves).unwrap();
        assert!(there(&["moved/pic.png", "moved/.a/x", "moved/.b"]), "{broken}: {moved}");
    }
}

#[test]
fn a_change_interrupted_by_a_crash_is_rolled_back() {
    let project = project();
    let before = everything(&project);
    let moved = call(&project, "rename_page", json!({ "page": "users", "path": "accounts" })).unwrap();
    // As if the process ended before the last file and the outcome were written.
    let log = String::from_utf8(project.source.read_state("audit.jsonl").unwrap().unwrap()).unwrap();
    let torn = log.trim_end().rsplit_once('\n').unwrap().0;
    let torn = format!("{torn}\n{{\"group\":\"torn");
    project
        .source
        .write_state("audit.jsonl", torn.as_bytes(), Some(ContentHash::of(log.as_bytes())))
        .unwrap();
    let last = moved["changed"].as_array().unwrap().last().unwrap()["filepath"].as_str().unwrap().to_owned();
    let old = before.iter().find(|(path, _)| *path == last).unwrap();
    project.put(&last, std::str::from_utf8(&old.1).unwrap());
    let listed = call(&project, "audit", json!({})).unwrap();
    assert_eq!(listed["entries"][0]["outcome"], "unfinished");
    call(&project, "undo", json!({ "entry": moved["audit_id"] })).unwrap();
    assert_eq!(everything(&project), before);
}

#[test]
fn changes_in_a_rotated_log_can_still_be_undone() {
    let project = project();
    let before = everything(&project);
    let moved = call(&project, "rename_page", json!({ "page": "users", "path": "accounts" })).unwrap();
    let log = project.source.read_state("audit.jsonl").unwrap().unwrap();
    // Rotate as a host does: the outcome of the last change is the first line of the new file.
    let outcome = log.trim_ascii_end().iter().rposition(|&byte| byte == b'\n').unwrap() + 1;
    project.source.write_state("audit.1.jsonl", &log[..outcome], None).unwrap();
    let expected = Some(ContentHash::of(&log));
    project.source.write_state("audit.jsonl", &log[outcome..], expected).unwrap();
    assert_eq!(call(&project, "audit", json!({})).unwrap()["entries"][0]["outcome"], "done");
    call(&project, "undo", json!({ "entry": moved["audit_id"] })).unwrap();
    assert_eq!(everything(&project), before);
}

#[test]
fn a_log_that_is_too_large_is_reported_with_its_size() {
    let project = project();
    let large = |project: &Project| {
        let found = call(project, "doctor", json!({})).unwrap();
        let findings = found["findings"].as_array().unwrap().clone();
        findings.into_iter().find(|finding| finding["code"] == "large_audit_log")
    };
    assert_eq!(large(&project), None);
    project.source.write_state("audit.1.jsonl", &vec![b'\n'; 100 << 20], None).unwrap();
    let message = large(&project).unwrap()["message"].as_str().unwrap().to_owned();
    assert!(message.starts_with("the audit log takes 100 MB"), "{message}");
}
