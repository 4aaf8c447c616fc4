//! Creating a page with a taken name is refused, with the links that would lead to the new page, unless that is
//! allowed.

use super::*;
use crate::hint::Commands;

/// `auth/sessions.md` with two links to it, and a read-only page with a link to its alias.
fn vault() -> Project {
    Project::with_pages([
        ("auth/sessions.md", "---\naliases: [Session Store]\n---\n# User sessions\n"),
        ("login.md", "See [[sessions]]\nand [[auth/sessions|them]].\n"),
        ("rules.md", "---\nagents: read-only\naliases: [Locked]\n---\n# Rules\n"),
        ("third.md", "[[Locked]]\n"),
    ])
}

fn leads(project: &Project, page: &str) -> Vec<String> {
    let page = call(project, "get_page", json!({ "page": page })).unwrap();
    let links = page["outlinks"].as_array().unwrap().iter();
    links.map(|link| link["filepath"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_taken_name_is_refused_with_the_links_that_would_change() {
    let project = vault();
    let before = everything(&project);
    // A file name, a title and an alias of another page.
    for title in ["Sessions", "user SESSIONS", "session store"] {
        let error = call(&project, "create_page", json!({ "title": title })).unwrap_err();
        assert_eq!(error.code(), "name_taken");
        let message = error.to_string();
        assert!(
            message.starts_with(&format!("the name '{title}' is taken by auth/sessions.md")),
            "{message}"
        );
        assert_eq!(
            message.contains("1 link: 'sessions' at login.md:1 (leads to auth/sessions.md)"),
            title == "Sessions"
        );
        assert!(error.hint().unwrap().told(&Commands).contains("--allow-same-name"));
    }
    assert_eq!(everything(&project), before);

    let dry = json!({ "title": "Sessions", "dry_run": true });
    let dry = call(&project, "create_page", dry).unwrap();
    let link =
        json!({ "filepath": "login.md", "line": 1, "target": "sessions", "led_to": "auth/sessions.md" });
    assert_eq!((&dry["same_name"], &dry["moved_links"]), (&json!(["auth/sessions.md"]), &json!([link])));
    assert_eq!(everything(&project), before);

    let made =
        call(&project, "create_page", json!({ "title": "Sessions", "allow_same_name": true })).unwrap();
    assert_eq!(made["moved_links"], dry["moved_links"]);
    assert_eq!(leads(&project, "login.md"), ["Sessions.md", "auth/sessions.md"], "as in the dry run");
}

#[test]
fn pages_may_share_a_file_name_if_no_link_changes() {
    let project = Project::with_pages([("a/readme.md", "# A\n"), ("b/text.md", "[[readme]]\n")]);
    let made = call(&project, "create_page", json!({ "title": "C", "path": "c/readme.md" })).unwrap();
    assert_eq!((&made["same_name"], &made["moved_links"]), (&json!([]), &json!([])));
    let error = call(&project, "create_page", json!({ "title": "B", "path": "b/readme.md" })).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a page named 'B' would redirect 1 link: 'readme' at b/text.md:1 (leads to a/readme.md)"
    );
    let made = call(&project, "create_page", json!({ "title": "D", "folder": "b" })).unwrap();
    assert_eq!(made["filepath"], "b/D.md");
}

#[test]
fn an_agent_cannot_take_links_from_a_read_only_page() {
    let project = vault();
    let context = agent(&project);
    let before = everything(&project);
    let error = context.call("create_page", json!({ "title": "Locked" })).unwrap_err();
    assert_eq!(error.code(), "name_taken");
    let ways = [
        ("create_page", json!({ "title": "Locked", "allow_same_name": true })),
        ("create_page", json!({ "title": "Locked", "path": "x/other.md", "allow_same_name": true })),
        ("create_page", json!({ "title": "Locked", "dry_run": true })),
        ("update_page", json!({ "page": "auth/sessions.md", "old": "# User sessions", "new": "# Locked" })),
    ];
    for (name, params) in ways {
        let error = context.call(name, params.clone()).unwrap_err();
        assert_eq!(error.code(), "name_taken", "{params}: {error}");
        assert!(error.to_string().contains("only people can change rules.md"), "{error}");
    }
    assert_eq!(everything(&project), before);
    // Links between other pages may change if that is allowed.
    let made = context.call("create_page", json!({ "title": "Sessions", "allow_same_name": true })).unwrap();
    assert_eq!(made["moved_links"].as_array().unwrap().len(), 1);
}

#[test]
fn create_missing_refuses_pages_that_would_take_links() {
    let project = Project::with_pages([
        ("a/setup.md", "# Setup\n"),
        ("guides/a.md", "[[setup]] and [[guides/setup]]\n"),
        ("b.md", "[[elsewhere/c]]\n"),
    ]);
    let add = |pages: Value| call(&project, "add", json!({ "pages": pages, "create_missing": true }));
    let error = add(json!([])).unwrap_err();
    assert_eq!(error.code(), "name_taken", "{error}");
    assert!(error.to_string().contains("'setup' at guides/a.md:1 (leads to a/setup.md)"), "{error}");
    assert!(project.source.stat("elsewhere/c.md").unwrap().is_none(), "neither page is created");
    add(json!(["b.md"])).unwrap();
    assert!(project.source.stat("elsewhere/c.md").unwrap().is_some());
}

#[test]
fn an_agent_may_name_a_new_page_from_the_root_of_the_project() {
    let project = vault();
    let context = Context { caller: Caller::Agent, ..project.context() };
    let made = |params: Value| context.call("create_page", params).unwrap()["filepath"].clone();
    let first = context.call("create_page", json!({ "title": "A", "path": "pages/new/a.md" })).unwrap();
    assert_eq!(first["filepath"], "new/a.md");
    assert_eq!(made(json!({ "title": "B", "folder": "pages/new" })), "new/B.md");
    assert_eq!(made(json!({ "title": "C", "folder": "pages" })), "C.md");
    assert_eq!(made(json!({ "title": "D", "path": "pages-old/d.md" })), "pages-old/d.md");
    let moved = json!({ "page": "new/a.md", "path": "pages/a.md", "expected_hash": first["content_hash"] });
    assert_eq!(context.call("rename_page", moved).unwrap()["filepath"], "a.md");
    // A person has already said which folder is meant, by standing in it.
    let params = json!({ "title": "E", "path": "pages/e.md" });
    assert_eq!(call(&project, "create_page", params).unwrap()["filepath"], "pages/e.md");
    assert_eq!(
        made(json!({ "title": "F", "path": "pages/f.md" })),
        "pages/f.md",
        "there is such a folder now"
    );
}
