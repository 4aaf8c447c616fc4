//! Documentation of dependencies, by the tag of a repository. The repositories are folders; nothing needs a network.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};
use ubp_tests::terminal::Terminal;

/// The repository `lib` with two tags, and a hub of the project `app` and the first tag.
fn dependency() -> Terminal {
    let terminal = Terminal::new().unwrap();
    let cache = terminal.path("cache").to_string_lossy().into_owned();
    let terminal = ["XDG_CACHE_HOME", "HOME", "LOCALAPPDATA"]
        .iter()
        .fold(terminal, |terminal, name| terminal.with_variable(name, &cache));
    terminal.write("app/start.md", "# Start\n\nUses a walrus, see [[lib:guide]].\n").unwrap();
    assert!(terminal.ubp_in("app", &["init", "--pages-dir", "."]).succeeded());
    terminal.write("lib/docs/guide.md", "# Guide\n\nThe walrus takes copper.\n").unwrap();
    terminal.write("lib/notes/other.md", "# Other\n\nA walrus elsewhere.\n").unwrap();
    terminal.git("init --quiet --initial-branch=main lib");
    commit(&terminal, "tag -a -m first v1.0.0");
    terminal.write("lib/docs/guide.md", "# Guide\n\nThe walrus takes silver coins.\n").unwrap();
    commit(&terminal, "tag release/v2");
    list(&terminal, json!([{ "git": "lib", "tag": "v1.0.0", "folder": "docs", "tags": ["dependency"] }]));
    terminal
}

fn commit(terminal: &Terminal, then: &str) {
    for arguments in ["add -A", "commit --quiet -m change", then] {
        terminal.git(&format!("-C lib {arguments}"));
    }
}

fn list(terminal: &Terminal, pinned: Value) {
    let mut projects = vec![json!("app")];
    projects.extend(pinned.as_array().unwrap().iter().cloned());
    terminal.write("hub.json", json!({ "projects": projects }).to_string()).unwrap();
}

/// The projects of an answer of `ubp hub fetch`, each with what was done.
fn outcomes(answer: &Value) -> Vec<[&str; 3]> {
    let fetched = answer["fetched"].as_array().unwrap().iter();
    fetched.map(|one| ["project", "version", "outcome"].map(|field| one[field].as_str().unwrap())).collect()
}

/// The folders of what was fetched.
fn checkouts(terminal: &Terminal) -> Vec<PathBuf> {
    let mut folders = vec![terminal.path("cache")];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let is_one = entry.path().join("fetched.json").is_file();
            if is_one {
                found.push(entry.path().join("files"));
            } else if entry.path().is_dir() {
                folders.push(entry.path());
            }
        }
    }
    found.sort();
    found
}

fn found(terminal: &Terminal, query: &str) -> Vec<String> {
    let answer = terminal.ubp(&format!("hub search {query} --fulltext --json")).json();
    let results = answer["results"].as_array().unwrap().iter();
    results.map(|result| result["filepath"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_tag_is_read_without_its_repository_once_it_was_fetched() {
    let terminal = dependency();
    let listed = terminal.ubp("hub list --json");
    assert!(!listed.succeeded(), "{}", listed.transcript());
    let lib = listed.json()["projects"][1].clone();
    assert_eq!((&lib["project"], &lib["version"]), (&json!("lib"), &json!("v1.0.0")));
    let missing = lib["error"].as_str().unwrap();
    assert!(missing.ends_with("was not fetched yet: run `ubp hub fetch`"), "{missing}");
    assert_eq!(found(&terminal, "walrus"), ["app:start.md"], "the others answer");
    assert!(checkouts(&terminal).is_empty(), "nothing is fetched by itself");

    let fetched = terminal.ubp("hub fetch");
    assert!(fetched.succeeded(), "{}", fetched.transcript());
    assert!(fetched.transcript().contains("lib  v1.0.0  fetched"), "{}", fetched.transcript());
    fs::rename(terminal.path("lib"), terminal.path("away")).unwrap();
    assert_eq!(found(&terminal, "copper"), ["lib:guide.md"]);
    assert_eq!(found(&terminal, "silver"), [""; 0], "the tag is from before");
    let page = terminal.ubp("hub get lib:guide.md --json").json();
    assert_eq!(page["updated_at"], "2025-10-09T08:53:20Z", "the time of the commit");
    assert_eq!(page["backlinks"][0]["filepath"], "app:start.md");
    let listed = terminal.ubp("hub list");
    assert!(
        listed.succeeded() && listed.transcript().contains("lib  v1.0.0  1 page"),
        "{}",
        listed.transcript()
    );
    let again = terminal.ubp("hub fetch --json");
    assert_eq!(outcomes(&again.json()), [["lib", "v1.0.0", "unchecked"]]);
    assert!(again.succeeded(), "{}", again.transcript());

    fs::rename(terminal.path("away"), terminal.path("lib")).unwrap();
    assert_eq!(outcomes(&terminal.ubp("hub fetch --json").json()), [["lib", "v1.0.0", "unchanged"]]);
    let state =
        Command::new("git").current_dir(terminal.path("lib")).args(["status", "--porcelain"]).output();
    assert_eq!(String::from_utf8(state.unwrap().stdout).unwrap(), "", "the user's repository is as it was");
    assert!(checkouts(&terminal).iter().all(|files| !files.join(".git").exists()));
}

#[test]
fn a_tag_that_moved_is_told_and_replaced_on_request() {
    let terminal = dependency();
    terminal.ubp("hub fetch");
    terminal.git("-C lib tag -f v1.0.0");
    let told = terminal.ubp("hub fetch");
    assert!(!told.succeeded(), "{}", told.transcript());
    assert!(
        told.transcript().contains("the tag moved; what is there is from before"),
        "{}",
        told.transcript()
    );
    assert_eq!(found(&terminal, "copper"), ["lib:guide.md"]);
    assert_eq!(outcomes(&terminal.ubp("hub fetch --moved --json").json()), [["lib", "v1.0.0", "replaced"]]);
    assert_eq!(
        (found(&terminal, "copper"), found(&terminal, "silver")),
        (vec![], vec!["lib:guide.md".into()])
    );
    terminal.git("-C lib tag -d v1.0.0");
    assert_eq!(outcomes(&terminal.ubp("hub fetch --json").json()), [["lib", "v1.0.0", "moved"]]);
    assert_eq!(found(&terminal, "silver"), ["lib:guide.md"], "a deleted tag stays readable");
}

#[test]
fn two_tags_of_a_repository_are_two_projects() {
    let terminal = dependency();
    let one = json!({ "git": "lib", "tag": "v1.0.0", "folder": "docs", "name": "lib-1" });
    list(&terminal, json!([one, { "git": "lib", "tag": "release/v2", "folder": "docs", "name": "lib-2" }]));
    let fetched = terminal.ubp("hub fetch --json").json();
    assert_eq!(outcomes(&fetched), [["lib-1", "v1.0.0", "fetched"], ["lib-2", "release/v2", "fetched"]]);
    assert_eq!(found(&terminal, "copper"), ["lib-1:guide.md"]);
    assert_eq!(found(&terminal, "silver"), ["lib-2:guide.md"]);
}

#[test]
fn what_cannot_be_fetched_is_told_and_the_rest_is_fetched() {
    let terminal = dependency();
    list(
        &terminal,
        json!([
            { "git": "lib", "tag": "v9", "name": "a-tag" },
            { "git": "lib", "tag": "v1.0.0", "folder": "manual", "name": "b-folder" },
            { "git": "app", "tag": "v1.0.0", "name": "c-none" },
            { "git": "lib", "tag": "v1.0.0", "folder": "docs", "name": "d-lib" },
        ]),
    );
    let fetched = terminal.ubp("hub fetch --json");
    assert!(!fetched.succeeded(), "{}", fetched.transcript());
    let answer = fetched.json();
    let states: Vec<&str> = outcomes(&answer).iter().map(|one| one[2]).collect();
    assert_eq!(states, ["failed", "failed", "failed", "fetched"]);
    let error = |at: usize| answer["fetched"][at]["error"].as_str().unwrap_or_default();
    assert!(error(0).ends_with("has no tag 'v9'"), "{}", error(0));
    assert!(error(1).ends_with("has no folder 'manual'"), "{}", error(1));
    assert!(error(2).contains("app: git: ") && !error(2).contains("cache"), "{}", error(2));
    assert_eq!(found(&terminal, "copper"), ["d-lib:guide.md"]);
    for (entry, told) in [
        (json!({ "git": "lib", "tag": "--upload-pack=x" }), "'--upload-pack=x' cannot be a tag"),
        (json!({ "git": "ext::sh", "tag": "v1" }), "'ext::sh' cannot be the address of a repository"),
        (
            json!({ "git": "lib", "tag": "v1", "folder": "../app" }),
            "'../app' is not a folder in the repository",
        ),
    ] {
        list(&terminal, json!([entry]));
        let ran = terminal.ubp("hub fetch");
        assert!(ran.transcript().contains(told), "{}", ran.transcript());
    }
}

#[test]
fn settings_of_a_repository_cannot_send_its_text_anywhere() {
    let terminal = dependency();
    let settings = json!({
        "schema_version": 1, "pages_dir": "notes", "links": { "order": "label_first" },
        "embedding_model": { "name": "own", "dimensions": 8, "endpoint": { "url": "https://203.0.113.1/v1", "allow_remote": true } },
        "rights": [{ "author": "*", "path": "private/", "right": "hide" }],
    });
    terminal.write("lib/.ubp/manifest.json", settings.to_string()).unwrap();
    commit(&terminal, "tag v3");
    list(&terminal, json!([{ "git": "lib", "tag": "v3" }]));
    let fetched = terminal.ubp("hub fetch");
    assert!(fetched.succeeded(), "{}", fetched.transcript());
    assert_eq!(found(&terminal, "elsewhere"), ["lib:other.md"], "it says itself where its pages are");
    let kept = fs::read_to_string(checkouts(&terminal)[0].join(".ubp/manifest.json")).unwrap();
    assert!(!kept.contains("203.0.113.1") && !kept.contains("rights"), "{kept}");
    assert!(kept.contains("label_first"), "{kept}");
}
