//! Agents propose changes, people accept them.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::freshness::combined;
use crate::hint::Commands;
use crate::index::tests::Project;
use crate::manifest::FrontMatterMode;
use crate::ports::{Clock, ContentHash, FixedClock, Source};
use crate::proposals::{PageRead, Proposing};
use crate::{Caller, Context, Result};

mod affected;
mod editing;
mod faults;
mod reopening;
mod states;

const LOGIN: &str = "---\nsource_refs: [src/a.rs]\n---\n# Login\n\nOne, see [[users]].\n\nTwo.\n\nThree.\n";

fn project() -> Project {
    let project = Project::with_pages([
        ("login.md", LOGIN),
        ("users.md", "# Users\n\nThe login is there.\n"),
        ("links.md", "# Links\n\n[[users]] and the login.\n"),
        ("locked.md", "---\nagents: read-only\n---\nText.\n"),
    ]);
    // Newer than the page that describes it.
    let later = jiff::Timestamp::from_second(999_000).unwrap();
    project.source.put_source("src/a.rs", b"rs", later);
    project.update();
    project
}

/// The context of an agent that may only propose.
fn agent<'a, S: Source>(
    project: &'a Project<S>,
    name: &'static str,
    proposing: &'a Proposing,
) -> Context<'a> {
    Context { caller: Caller::Agent, agent: Some(name), proposing: Some(proposing), ..project.context() }
}

/// A call of an agent that may only propose.
fn propose<S: Source>(project: &Project<S>, operation: &str, params: Value) -> Result<Value> {
    let proposing = Proposing { params: params.clone(), ..Proposing::default() };
    agent(project, "claude 1.0", &proposing).call(operation, params)
}

/// A call of a person.
fn call<S: Source>(project: &Project<S>, operation: &str, params: Value) -> Result<Value> {
    project.context().call(operation, params)
}

fn text<S: Source>(project: &Project<S>, page: &str) -> String {
    String::from_utf8(project.source.read(page).unwrap()).unwrap()
}

fn hash<S: Source>(project: &Project<S>, page: &str) -> String {
    ContentHash::of(&project.source.read(page).unwrap()).to_string()
}

/// Everything that a proposal must not change.
fn everything<S: Source>(project: &Project<S>) -> Vec<(String, Vec<u8>)> {
    let pages = project.source.list().unwrap().pages.into_iter();
    let pages = pages.map(|file| (file.path.clone(), project.source.read(&file.path).unwrap()));
    let states = ["refs.lock", "decisions.jsonl", "audit.jsonl"].into_iter();
    let states =
        states.map(|name| (name.into(), project.source.read_state(name).unwrap().unwrap_or_default()));
    pages.chain(states).collect()
}

fn state<S: Source>(project: &Project<S>, id: &Value) -> String {
    let shown = call(project, "get_proposal", json!({ "proposal": id })).unwrap();
    shown["state"].as_str().unwrap().to_owned()
}

fn accept<S: Source>(project: &Project<S>, id: &Value) -> Result<Value> {
    call(project, "accept_proposal", json!({ "proposals": [id] }))
}

/// A call of every changing tool, for a project as [`project`] makes it.
fn changes(project: &Project) -> Vec<(&'static str, Value)> {
    let (login, users) = (hash(project, "login.md"), hash(project, "users.md"));
    let dry = json!({ "old": "login", "new": "sign-in", "dry_run": true });
    let replaced = call(project, "replace", dry).unwrap()["content_hash"].clone();
    let sources = BTreeMap::from([("src/a.rs".to_owned(), ContentHash::of(b"rs").into())]);
    let sources = combined(&sources).to_string();
    vec![
        ("update_page", json!({ "page": "login", "old": "Two.", "new": "Two, changed." })),
        ("update_page", json!({ "page": "login", "content": "Four.", "mode": "append" })),
        ("create_page", json!({ "title": "New", "content": "Text." })),
        ("rename_page", json!({ "page": "users", "path": "db/accounts", "expected_hash": users })),
        ("delete_page", json!({ "page": "users", "unlink": true, "confirm": true, "expected_hash": users })),
        ("replace", json!({ "old": "login", "new": "sign-in", "expected_hash": replaced })),
        ("accept", json!({ "source": "users", "target": "login", "expected_hash": users })),
        ("dismiss", json!({ "source": "users", "target": "login" })),
        (
            "review_page",
            json!({
                "page": "login", "expected_hash": login, "expected_sources": sources, "still_accurate": true
            }),
        ),
        ("remember", json!({ "type": "tech", "topic": "Rust", "content": "Use it." })),
        ("delete_document", json!({ "filename": "users.md" })),
    ]
}

#[test]
fn an_accepted_proposal_changes_what_the_call_would_have_changed() {
    for at in 0..changes(&project()).len() {
        let (direct, proposed) = (project(), project());
        let (operation, params) = changes(&direct).swap_remove(at);
        let before = everything(&proposed);
        let agent = Context { caller: Caller::Agent, agent: Some("claude 1.0"), ..direct.context() };
        let made = agent.call(operation, params.clone()).unwrap();
        assert!(made["audit_id"].is_string() && made["proposal"].is_null(), "{operation}: {made}");

        let answer = propose(&proposed, operation, params.clone()).unwrap();
        assert_eq!(everything(&proposed), before, "{operation} wrote something");
        assert!(answer["audit_id"].is_null(), "{operation}: {answer}");
        let id = &answer["proposal"];
        assert!(id.is_string(), "{operation}: {answer}");
        assert_eq!(state(&proposed, id), "pending", "{operation}");
        if !answer["diff"].is_null() {
            assert_ne!(answer["diff"], "", "{operation}");
        }
        let accepted = accept(&proposed, id).unwrap();
        assert_eq!(accepted["accepted"][0]["state"], "accepted", "{operation}: {accepted}");
        // Ids of memories are random, and so are the paths in the trash.
        if operation != "remember" {
            let pages = |project| everything(project).into_iter().filter(|(name, _)| name != "audit.jsonl");
            assert_eq!(
                pages(&proposed).collect::<Vec<_>>(),
                pages(&direct).collect::<Vec<_>>(),
                "{operation}"
            );
        }
        proposed.embed();
        assert!(proposed.dump() == proposed.rebuilt(), "{operation}");
        let entry = &call(&proposed, "audit", json!({ "limit": 1 })).unwrap()["entries"][0];
        assert_eq!((&entry["proposal"], &entry["agent"]), (id, &json!("claude 1.0")), "{operation}");
        assert_eq!((&entry["caller"], &entry["operation"]), (&json!("person"), &json!(operation)));

        let undo = json!({ "entry": accepted["accepted"][0]["audit_id"] });
        call(&proposed, "undo", undo).unwrap();
        let pages = |all: Vec<(String, Vec<u8>)>| {
            all.into_iter().filter(|(name, _)| crate::path::is_page(name)).collect::<Vec<_>>()
        };
        assert_eq!(pages(everything(&proposed)), pages(before), "undoing {operation}");
        assert_eq!(state(&proposed, id), "accepted");
    }
}

#[test]
fn an_agent_goes_on_from_the_text_that_it_proposed() {
    let project = project();
    let first =
        propose(&project, "update_page", json!({ "page": "login", "old": "Two.", "new": "Two!" })).unwrap();
    let params = json!({
        "page": "login", "old": "Two!", "new": "Two!!", "expected_hash": first["content_hash"]
    });
    let second = propose(&project, "update_page", params).unwrap();
    assert_ne!(second["proposal"], first["proposal"]);
    let listed = call(&project, "list_proposals", json!({})).unwrap();
    assert_eq!(
        (listed["total"].clone(), listed["proposals"][0]["proposal"].clone()),
        (json!(1), second["proposal"].clone())
    );
    let error = accept(&project, &first["proposal"]).unwrap_err();
    assert!(error.to_string().contains("was changed since"), "{error}");
    let hint = error.hint().unwrap().told(&Commands);
    assert!(hint.contains(&format!("ubp proposals {}", second["proposal"].as_str().unwrap())), "{hint}");
    assert_eq!(text(&project, "login.md"), LOGIN);
    accept(&project, &second["proposal"]).unwrap();
    assert!(text(&project, "login.md").contains("Two!!"));

    // In one session, the hash is not needed.
    let session = |ids: &[&Value]| Proposing {
        session: ids.iter().map(|id| id.as_str().unwrap().to_owned()).collect(),
        ..Proposing::default()
    };
    let none = session(&[]);
    let created = json!({ "title": "New page", "content": "Text." });
    let created = agent(&project, "claude 1.0", &none).call("create_page", created).unwrap();
    let one = session(&[&created["proposal"]]);
    let append = json!({ "page": "New page", "content": "More.", "mode": "append" });
    let appended = agent(&project, "claude 1.0", &one).call("update_page", append).unwrap();
    let two = session(&[&created["proposal"], &appended["proposal"]]);
    let append = json!({ "page": "New page.md", "content": "Even more.", "mode": "append" });
    let appended = agent(&project, "claude 1.0", &two).call("update_page", append).unwrap();
    assert_eq!(call(&project, "list_proposals", json!({})).unwrap()["total"], 1);
    let shown = call(&project, "get_proposal", json!({ "proposal": appended["proposal"] })).unwrap();
    assert_eq!(shown["calls"].as_array().unwrap().len(), 3);
    assert_eq!(shown["operation"], "create_page");
    accept(&project, &appended["proposal"]).unwrap();
    let new = text(&project, "New page.md");
    assert!(new.contains("Text.") && new.contains("More.") && new.contains("Even more."), "{new}");
    // A proposal that takes everything back is withdrawn.
    let there =
        propose(&project, "update_page", json!({ "page": "users", "old": "there", "new": "here" })).unwrap();
    let back =
        json!({ "page": "users", "old": "here", "new": "there", "expected_hash": there["content_hash"] });
    assert!(propose(&project, "update_page", back).unwrap()["proposal"].is_null());
    assert_eq!(state(&project, &there["proposal"]), "withdrawn");
}

#[test]
fn later_edits_at_other_lines_stay() {
    let project = project();
    let answer =
        propose(&project, "update_page", json!({ "page": "login", "old": "Three.", "new": "Three!" }))
            .unwrap();
    project.put("login.md", &LOGIN.replace("One,", "One, by a person,"));
    project.update();
    let shown = call(&project, "get_proposal", json!({ "proposal": answer["proposal"] })).unwrap();
    assert_eq!((&shown["state"], &shown["rebased"]), (&json!("pending"), &json!(true)));
    let dry = json!({ "proposals": [answer["proposal"]], "dry_run": true });
    let dry = call(&project, "accept_proposal", dry).unwrap();
    let accepted = accept(&project, &answer["proposal"]).unwrap();
    assert_eq!(accepted["accepted"][0]["rebased"], true);
    assert_eq!(accepted["accepted"][0]["diff"], dry["accepted"][0]["diff"]);
    assert_eq!(
        text(&project, "login.md"),
        LOGIN.replace("One,", "One, by a person,").replace("Three.", "Three!")
    );
}

#[test]
fn a_conflict_names_the_hunks_and_the_others_can_be_accepted() {
    let project = project();
    let content = "# Login\n\nOne, see [[users]] and [[links]].\n\nTwo.\n\nThree!\n";
    let params = json!({
        "page": "login", "content": content, "mode": "replace", "expected_hash": hash(&project, "login.md")
    });
    let answer = propose(&project, "update_page", params).unwrap();
    let id = &answer["proposal"];
    let shown = call(&project, "get_proposal", json!({ "proposal": id })).unwrap();
    let hunks = shown["changes"][0]["hunks"].as_array().unwrap();
    assert_eq!(hunks.len(), 2);
    assert_eq!(
        hunks[0]["diff"],
        "@@ -3,7 +3,7 @@\n ---\n # Login\n \n-One, see [[users]].\n+One, see [[users]] and [[links]].\n \n Two.\n \n"
    );
    assert_eq!(shown["changes"][0]["links_added"], json!(["links"]));
    assert_eq!(shown["changes"][0]["front_matter"], json!([]));
    project.put("login.md", &LOGIN.replace("Three.", "Three, by a person."));
    project.update();
    let error = accept(&project, id).unwrap_err();
    assert_eq!(error.code(), "conflict");
    assert!(
        error.to_string().contains("hunk 2: login.md: the lines at line 10 were changed since"),
        "{error}"
    );
    assert_eq!(state(&project, id), "conflict");
    let second = call(&project, "accept_proposal", json!({ "proposals": [id], "hunks": [2] }));
    assert_eq!(second.unwrap_err().code(), "conflict");
    let none = call(&project, "accept_proposal", json!({ "proposals": [id], "hunks": [3] })).unwrap_err();
    assert!(none.to_string().contains("has no hunk 3; it has 2"), "{none}");
    let first = json!({ "proposals": [id], "hunks": [1], "reviewer": "Ann", "comment": "Three stays." });
    let first = call(&project, "accept_proposal", first).unwrap();
    assert_eq!(first["accepted"][0]["state"], "partly_accepted");
    let both = LOGIN.replace("[[users]]", "[[users]] and [[links]]").replace("Three.", "Three, by a person.");
    assert_eq!(text(&project, "login.md"), both);
    let heard = propose(&project, "list_proposals", json!({})).unwrap();
    let decision = &heard["proposals"][0]["decision"];
    assert_eq!(
        (&decision["reviewer"], &decision["comment"], &decision["hunks"]),
        (&json!("Ann"), &json!("Three stays."), &json!([1]))
    );
    let again = accept(&project, id).unwrap_err();
    assert!(again.to_string().contains("was accepted already"), "{again}");
}

#[test]
fn proposals_belong_to_agents_and_decisions_to_people() {
    let project = project();
    let mine =
        propose(&project, "update_page", json!({ "page": "login", "old": "Two.", "new": "Two!" })).unwrap();
    let id = &mine["proposal"];
    let proposing = Proposing::default();
    let other = agent(&project, "codex 2.0", &proposing);
    let ids = json!({ "proposals": [id] });
    for (operation, params) in [
        ("get_proposal", json!({ "proposal": id })),
        ("withdraw_proposal", json!({ "proposal": id })),
        ("accept_proposal", ids.clone()),
        ("reject_proposal", ids.clone()),
    ] {
        assert_eq!(other.call(operation, params).unwrap_err().code(), "invalid_params", "{operation}");
    }
    assert_eq!(other.call("list_proposals", json!({})).unwrap()["open_count"], 0);
    assert_eq!(other.call("status", json!({})).unwrap()["proposal_count"], 0);
    for operation in ["accept_proposal", "reject_proposal"] {
        let error = propose(&project, operation, ids.clone()).unwrap_err();
        assert!(error.to_string().contains("only people can"), "{error}");
    }
    // A newer version of the same program is the same agent.
    let newer = agent(&project, "claude 2.0", &proposing);
    assert_eq!(newer.call("get_proposal", json!({ "proposal": id })).unwrap()["state"], "pending");
    assert_eq!(call(&project, "status", json!({})).unwrap()["proposal_count"], 1);
    let reject = json!({ "proposals": [id], "comment": "Not true.", "reviewer": "Ann" });
    assert_eq!(call(&project, "reject_proposal", reject).unwrap()["rejected"], json!([id]));
    let heard = propose(&project, "get_proposal", json!({ "proposal": id })).unwrap();
    assert_eq!((&heard["state"], &heard["decision"]["comment"]), (&json!("rejected"), &json!("Not true.")));
    assert!(propose(&project, "withdraw_proposal", json!({ "proposal": id })).is_err());
    assert!(accept(&project, id).is_err());
    assert_eq!(text(&project, "login.md"), LOGIN);
    let error =
        propose(&project, "update_page", json!({ "page": "locked", "old": "Text", "new": "x" })).unwrap_err();
    assert_eq!(error.code(), "read_only");
}

#[test]
fn filters_choose_the_proposals_to_accept() {
    let project = project();
    let added =
        propose(&project, "update_page", json!({ "page": "login", "content": "Four.", "mode": "append" }))
            .unwrap();
    let removed =
        propose(&project, "update_page", json!({ "page": "users", "old": "there", "new": "here" })).unwrap();
    let proposing = Proposing::default();
    let other = json!({ "title": "Other", "path": "notes/other", "content": "Text." });
    let other = agent(&project, "codex 2.0", &proposing).call("create_page", other).unwrap();
    let accepted = |filter: Value| {
        let mut params = json!({ "all": true, "dry_run": true });
        params.as_object_mut().unwrap().extend(filter.as_object().unwrap().clone());
        let answer = call(&project, "accept_proposal", params).unwrap();
        let ids = answer["accepted"].as_array().unwrap().iter().map(|one| one["proposal"].clone());
        assert_eq!(
            answer["accepted"].as_array().unwrap().len() + answer["left"].as_array().unwrap().len(),
            3
        );
        ids.collect::<Vec<_>>()
    };
    let ids = |all: &[&Value]| all.iter().map(|one| one["proposal"].clone()).collect::<Vec<_>>();
    assert_eq!(accepted(json!({})), ids(&[&added, &removed, &other]));
    assert_eq!(accepted(json!({ "only_additions": true })), ids(&[&added, &other]));
    assert_eq!(accepted(json!({ "under": ["notes"] })), ids(&[&other]));
    assert_eq!(accepted(json!({ "under": ["pages/notes/", "login.md"] })), ids(&[&added, &other]));
    assert_eq!(accepted(json!({ "under": [""] })), ids(&[&added, &removed, &other]));
    let unknown = |under: &str| {
        call(&project, "accept_proposal", json!({ "all": true, "under": [under] })).unwrap_err().code()
    };
    assert_eq!((unknown("note"), unknown("../src")), ("invalid_params", "outside_project"));
    assert_eq!(accepted(json!({ "agent": "codex" })), ids(&[&other]));
    assert_eq!(accepted(json!({ "agent": "claude 1.0", "only_additions": true })), ids(&[&added]));
    let by_page = call(&project, "list_proposals", json!({ "page": "users" })).unwrap();
    assert_eq!(by_page["proposals"][0]["proposal"], removed["proposal"]);
    let all = call(&project, "accept_proposal", json!({ "all": true, "only_additions": true })).unwrap();
    assert_eq!(all["left"][0]["reason"], "it removes text of users.md");
    assert_eq!(call(&project, "status", json!({})).unwrap()["proposal_count"], 1);
}

#[test]
fn the_time_of_the_last_edit_is_neither_a_hunk_nor_a_conflict() {
    let mut project = project();
    project.manifest.frontmatter = FrontMatterMode::Managed;
    call(&project, "update_page", json!({ "page": "login", "old": "Two.", "new": "Two. " })).unwrap();
    let one =
        propose(&project, "update_page", json!({ "page": "login", "content": "Four.", "mode": "append" }))
            .unwrap();
    let two =
        propose(&project, "update_page", json!({ "page": "login", "old": "One,", "new": "One!" })).unwrap();
    let shown = call(&project, "get_proposal", json!({ "proposal": one["proposal"] })).unwrap();
    assert_eq!(shown["changes"][0]["hunks"].as_array().unwrap().len(), 1, "{shown}");
    accept(&project, &one["proposal"]).unwrap();
    accept(&project, &two["proposal"]).unwrap();
    let text = text(&project, "login.md");
    assert!(text.contains("Four.") && text.contains("One!"), "{text}");
}

#[test]
fn a_rename_is_not_accepted_if_a_link_would_break() {
    let project = project();
    let params = json!({ "page": "users", "title": "Accounts", "expected_hash": hash(&project, "users.md") });
    let answer = propose(&project, "rename_page", params).unwrap();
    let id = &answer["proposal"];
    let shown = call(&project, "get_proposal", json!({ "proposal": id })).unwrap();
    assert_eq!((&shown["divisible"], &shown["changes"][0]["linking_count"]), (&json!(false), &json!(2)));
    let error = call(&project, "accept_proposal", json!({ "proposals": [id], "hunks": [1] })).unwrap_err();
    assert!(error.to_string().contains("only be accepted as a whole"), "{error}");
    project.put("later.md", "# Later\n\nSee [[users#Users]].\n");
    project.update();
    let error = accept(&project, id).unwrap_err();
    assert!(
        error.to_string().contains("later.md: the link to 'users#Users' on line 3 was written since"),
        "{error}"
    );
    project.put("later.md", "# Later\n\nSee nothing.\n");
    project.put("links.md", "# Links, new\n\n[[users]] and the login.\n");
    project.update();
    // A page that the rename edits as well.
    project.put("links.md", "# Links, see [[users]]\n\n[[users]] and the login.\n");
    project.update();
    let error = accept(&project, id).unwrap_err();
    assert!(
        error.to_string().contains("links.md: the link to 'users' on line 1 was written since"),
        "{error}"
    );
    project.put("links.md", "# Links, new\n\n[[users]] and the login.\n");
    project.update();
    accept(&project, id).unwrap();
    assert_eq!(text(&project, "links.md"), "# Links, new\n\n[[accounts]] and the login.\n");
    assert!(project.source.stat("users.md").unwrap().is_none());
}

#[test]
fn hunks_of_one_page_are_accepted_whatever_became_of_the_others() {
    for is_gone in [true, false] {
        let project = project();
        let dry = json!({ "old": "login", "new": "sign-in", "dry_run": true });
        let dry = call(&project, "replace", dry).unwrap();
        let params = json!({ "old": "login", "new": "sign-in", "expected_hash": dry["content_hash"] });
        let answer = propose(&project, "replace", params).unwrap();
        let shown = call(&project, "get_proposal", json!({ "proposal": answer["proposal"] })).unwrap();
        let changed = |at: usize| {
            (shown["changes"][at]["filepath"].clone(), shown["changes"][at]["hunks"][0]["number"].clone())
        };
        assert_eq!((changed(0), changed(1)), ((json!("links.md"), json!(1)), (json!("users.md"), json!(2))));
        match is_gone {
            true => project.source.remove("users.md"),
            false => project.put("users.md", "# Users, edited\n\nThe login is there.\n"),
        }
        project.update();
        let part = json!({ "proposals": [answer["proposal"]], "hunks": [1] });
        let part = call(&project, "accept_proposal", part).unwrap();
        let accepted = &part["accepted"][0];
        assert_eq!(
            (&accepted["state"], &accepted["rebased"]),
            (&json!("partly_accepted"), &json!(false)),
            "{part}"
        );
        assert!(text(&project, "links.md").contains("sign-in"));
    }
}

#[test]
fn proposals_of_pages_that_are_gone_or_taken_are_conflicts() {
    let project = project();
    let edit =
        propose(&project, "update_page", json!({ "page": "users", "old": "there", "new": "here" })).unwrap();
    let users = json!({ "page": "users", "confirm": true, "expected_hash": hash(&project, "users.md") });
    let delete = propose(&project, "delete_page", users).unwrap();
    let create = propose(&project, "create_page", json!({ "title": "New", "content": "Text." })).unwrap();
    let twice = propose(&project, "create_page", json!({ "title": "New", "content": "Text." })).unwrap_err();
    assert!(twice.to_string().contains("was proposed already"), "{twice}");
    accept(&project, &delete["proposal"]).unwrap();
    project.put("New.md", "By a person.\n");
    project.update();
    for proposal in [&edit, &create] {
        assert_eq!(accept(&project, &proposal["proposal"]).unwrap_err().code(), "conflict");
        assert_eq!(state(&project, &proposal["proposal"]), "conflict");
    }
    assert_eq!(text(&project, "New.md"), "By a person.\n");
}

#[test]
fn a_proposal_says_why_and_what_the_agent_had_read() {
    let project = project();
    let read = |page: &str| PageRead { filepath: page.into(), content_hash: hash(&project, page) };
    let proposing = Proposing {
        params: json!({ "page": "login" }),
        reason: Some("The code changed.".into()),
        read: vec![read("login.md"), read("users.md")],
        ..Proposing::default()
    };
    let edit = json!({ "page": "login", "old": "Two.", "new": "Two!" });
    let answer = agent(&project, "claude 1.0", &proposing).call("update_page", edit).unwrap();
    project.put("users.md", "# Users\n\nChanged.\n");
    let shown = call(&project, "get_proposal", json!({ "proposal": answer["proposal"] })).unwrap();
    assert_eq!(shown["reason"], "The code changed.");
    assert_eq!(shown["calls"], json!([{ "operation": "update_page", "params": { "page": "login" } }]));
    assert_eq!(
        (&shown["read"][0]["is_current"], &shown["read"][1]["is_current"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(shown["changes"][0]["previous_text"], LOGIN);
    assert!(shown["changes"][0]["text"].as_str().unwrap().contains("Two!"));
    let for_agents = propose(&project, "get_proposal", json!({ "proposal": answer["proposal"] })).unwrap();
    assert!(for_agents["changes"][0]["text"].is_null());
}

#[test]
fn decided_proposals_are_deleted_after_30_days() {
    let mut project = project();
    let old =
        propose(&project, "update_page", json!({ "page": "login", "old": "Two.", "new": "Two!" })).unwrap();
    let open =
        propose(&project, "update_page", json!({ "page": "users", "old": "there", "new": "here" })).unwrap();
    call(&project, "reject_proposal", json!({ "proposals": [old["proposal"]] })).unwrap();
    let later = |days: i64| {
        let clock = FixedClock::at(jiff::Timestamp::from_second(1_000_000 + days * 86_400 + 1).unwrap());
        // Its ids begin from the start.
        for _ in 0..days * 10 {
            clock.new_id();
        }
        clock
    };
    for (days, kept) in [(29, true), (31, false)] {
        project.clock = later(days);
        let title = format!("Page {days}");
        propose(&project, "create_page", json!({ "title": title, "content": "Text." })).unwrap();
        assert_eq!(
            call(&project, "get_proposal", json!({ "proposal": old["proposal"] })).is_ok(),
            kept,
            "{days}"
        );
        assert_eq!(state(&project, &open["proposal"]), "pending");
    }
}

#[test]
fn a_proposal_that_was_edited_by_hand_is_not_written() {
    let project = project();
    let answer =
        propose(&project, "update_page", json!({ "page": "login", "old": "Two.", "new": "Two!" })).unwrap();
    let name = crate::path::proposal_file(answer["proposal"].as_str().unwrap());
    let bytes = project.source.read_state(&name).unwrap().unwrap();
    let edit = |from: &str, to: &str| {
        let edited = String::from_utf8(bytes.clone()).unwrap().replace(from, to).into_bytes();
        let now = project.source.read_state(&name).unwrap().unwrap();
        project.source.write_state(&name, &edited, Some(ContentHash::of(&now))).unwrap();
    };
    let before = everything(&project);
    for (from, to) in
        [("Two!", "Evil!"), ("login.md", "../../evil.md"), ("\"path\": \"login.md\"", "\"path\": \"/etc/x\"")]
    {
        edit(from, to);
        assert!(accept(&project, &answer["proposal"]).is_err(), "{to}");
        assert_eq!(everything(&project), before);
    }
    project.source.write_state("proposals/abc.json", b"{", None).unwrap();
    edit("nothing", "nothing");
    let listed = call(&project, "list_proposals", json!({})).unwrap();
    assert_eq!((&listed["unreadable"], &listed["total"]), (&json!(["proposals/abc.json"]), &json!(1)));
}

#[test]
fn changes_are_listed_by_author_and_time() {
    let project = project();
    let proposed =
        propose(&project, "update_page", json!({ "page": "login", "old": "One", "new": "1" })).unwrap();
    accept(&project, &proposed["proposal"]).unwrap();
    let context = Context { caller: Caller::Agent, agent: Some("cursor 2.0"), ..project.context() };
    context.call("update_page", json!({ "page": "login", "old": "Two", "new": "2" })).unwrap();
    call(
        &project,
        "update_page",
        json!({ "page": "login", "old": "Three", "new": "3", "expected_hash": hash(&project, "login.md") }),
    )
    .unwrap();
    let counted = |params: Value| call(&project, "audit", params).unwrap()["total"].clone();
    assert_eq!(counted(json!({ "by": "person" })), 1);
    assert_eq!(counted(json!({ "by": "claude" })), 1, "accepted by a person, proposed by the agent");
    assert_eq!(counted(json!({ "by": "cursor 2.0" })), 1);
    assert_eq!(counted(json!({ "since": "1d" })), 3);
    assert_eq!(counted(json!({ "since": "2100-01-01" })), 0);
    let unknown = call(&project, "audit", json!({ "by": "codex" })).unwrap_err();
    assert_eq!(
        unknown.to_string(),
        "no change is by 'codex'; changes are by: claude 1.0, cursor 2.0, person"
    );
    assert!(call(&project, "audit", json!({ "since": "yesterday" })).is_err());
}

#[test]
fn proposals_are_accepted_oldest_first_whatever_the_order_of_their_ids() {
    let project = project();
    let propose = |title: &str| {
        let params = json!({ "title": title, "content": "Text." });
        propose(&project, "create_page", params).unwrap()["proposal"].clone()
    };
    let (first, second) = (propose("First"), propose("Second"));
    let accepted = call(&project, "accept_proposal", json!({ "proposals": [second, first] })).unwrap();
    let order: Vec<&Value> =
        accepted["accepted"].as_array().unwrap().iter().map(|one| &one["proposal"]).collect();
    assert_eq!(order, [&first, &second]);
}
