//! Pages are found by title, alias, path and heading.

use serde_json::{Value, json};

use crate::index::tests::Project;
use crate::ops::search::{self, Params};
use crate::search::SearchMode;

const NOISE: &str = "sync sync sync of everything, a sync that syncs, sync";

fn project() -> Project {
    Project::with_pages([
        ("a.md", NOISE),
        ("b.md", NOISE),
        ("guides/engine.md", "---\ntitle: Sync\naliases: [Replication]\n---\nHow devices agree.\n"),
        ("guides/setup.md", "# Setup\n\nBefore the first start.\n\n## Sync settings\n\nWhere they are.\n"),
        ("c.md", "sync settings, sync settings and once more the settings of the sync"),
    ])
}

fn first(project: &Project, query: &str, mode: SearchMode) -> (String, String) {
    let params = Params { query: query.into(), mode: Some(mode), ..Default::default() };
    let found = search::run(&project.context(), params).unwrap();
    let best = &found.results[0];
    let section = best.sections.first().map(|section| section.section_id.clone());
    (best.page.filepath.clone(), section.unwrap_or_default())
}

#[test]
fn search_finds_a_page_by_title_alias_or_path() {
    let project = project();
    for query in
        ["Sync", "sync", "\"Sync\"", " SYNC ", "replication", "engine", "guides/engine.md", "guides/engine"]
    {
        for mode in [SearchMode::Hybrid, SearchMode::Fulltext] {
            assert_eq!(first(&project, query, mode).0, "guides/engine.md", "{query} {mode:?}");
        }
    }
}

#[test]
fn search_finds_a_section_by_its_heading() {
    let (page, section) = first(&project(), "sync settings", SearchMode::Hybrid);
    assert_eq!((page.as_str(), section.as_str()), ("guides/setup.md", "setup/sync-settings"));
}

#[test]
fn a_page_about_a_word_ranks_above_a_section_called_so() {
    let project = Project::with_pages([
        ("glossary.md", "# Glossary\n\n## Graph\n\nThe graph shows the graph of all links.\n"),
        ("views/graph-view.md", "# Graph view\n\nDots and lines.\n"),
        ("views/table.md", "# Table\n\nRows of a graph.\n"),
    ]);
    for query in ["graph", "graphs", "what is a graph?"] {
        assert_eq!(first(&project, query, SearchMode::Hybrid).0, "views/graph-view.md", "{query}");
    }
}

#[test]
fn a_page_without_text_is_found_by_a_word_of_its_name() {
    let project = Project::with_pages([
        ("a.md", "One two three."),
        ("ideas/garden.md", "---\ntitle: Winter garden\n---\n"),
        ("b.md", "Four five six."),
    ]);
    for query in ["winter", "a garden in winter", "wint*"] {
        assert_eq!(first(&project, query, SearchMode::Hybrid).0, "ideas/garden.md", "{query}");
    }
}

#[test]
fn a_path_finds_the_pages_that_describe_the_file() {
    let project = Project::with_pages([
        ("noise.md", "See src/auth/login.ts, src/auth/login.ts and src/auth/login.ts."),
        ("login.md", "---\nsource_refs: [src/auth/login.ts]\n---\nHow people sign in.\n"),
        ("auth.md", "---\nsource_refs: [src/auth]\n---\nWho may do what.\n"),
    ]);
    for query in ["src/auth/login.ts", "./src/auth/login.ts", "auth/login.ts", "login.ts"] {
        assert_eq!(first(&project, query, SearchMode::Hybrid).0, "login.md", "{query}");
    }
    assert_eq!(first(&project, "src/auth/tokens.ts", SearchMode::Hybrid).0, "auth.md");
}

#[test]
fn text_with_every_word_ranks_above_text_with_one_rare_word() {
    let project = Project::with_pages([
        ("a.md", "Jump, jump and jump. The jump of jumps."),
        ("b.md", "Jump to a file by its name."),
        ("c.md", "A file has a name."),
        ("d.md", "Every file and every name."),
    ]);
    assert_eq!(first(&project, "jump file name", SearchMode::Fulltext).0, "b.md");
}

#[test]
fn a_matching_name_does_not_bypass_filters() {
    let project = project();
    let params = Params { query: "Sync".into(), folder: Some("elsewhere".into()), ..Default::default() };
    assert!(search::run(&project.context(), params).unwrap().results.is_empty());
}

/// The path of the page called `name`, or the error code.
fn named(project: &Project, name: &str) -> String {
    match project.context().call("get_page", json!({ "page": name })) {
        Ok(page) => page["filepath"].as_str().unwrap_or_default().to_owned(),
        Err(error) => error.code().to_owned(),
    }
}

#[test]
fn a_path_can_be_relative_to_the_project_and_end_with_a_line() {
    let project = Project::with_pages([
        ("login.md", "# Login\n"),
        ("deep/pages/login.md", "# Another\n"),
        ("own.md", "# Own\n"),
        ("pages/own.md", "# Own, too\n"),
        ("notes.md", "---\ntitle: 'Ratio 4:3'\n---\n"),
    ]);
    for written in
        ["login.md", "./login.md", "pages/login.md", "./pages/login.md", "login.md:3", "pages/login.md:12"]
    {
        assert_eq!(named(&project, written), "login.md", "{written}");
    }
    assert_eq!(named(&project, "deep/pages/login.md"), "deep/pages/login.md");
    assert_eq!(named(&project, "pages/deep/pages/login.md:1"), "deep/pages/login.md");
    assert_eq!(named(&project, "pages/own.md"), "pages/own.md", "an exact path has priority");
    assert_eq!(named(&project, "pages/pages/own.md"), "pages/own.md");
    assert_eq!(named(&project, "Ratio 4:3"), "notes.md");
    for nowhere in ["pages/none.md", "pages/", "pages", "login.md:", "login.md:x", "elsewhere/login.md"] {
        assert_eq!(named(&project, nowhere), "page_not_found", "{nowhere}");
    }
}

#[test]
fn every_operation_accepts_a_path_relative_to_the_project() {
    let project =
        Project::with_pages([("login.md", "# Login\n\nSee [[other]].\n"), ("other.md", "# Other\n")]);
    let call = |name: &str, params| project.context().call(name, params).unwrap();
    assert_eq!(
        call("get_impact", json!({ "page": "pages/login.md" }))["changed_page"]["filepath"],
        "login.md"
    );
    assert_eq!(
        call("review_page", json!({ "pages": ["pages/login.md:2"] }))["without_sources"][0],
        "login.md"
    );
    assert_eq!(call("add", json!({ "pages": ["pages/login.md", "Other"] }))["index"]["fresh"], true);
    let refused = project.context().call("add", json!({ "pages": ["pages/none.md"] })).unwrap_err();
    assert_eq!(refused.code(), "page_not_found");
}

#[test]
fn conditions_and_phrases_without_matches_are_reported() {
    let project = Project::with_pages([
        (
            "Guides/a.md",
            "---\ntype: api\ntags: [security]\nstatus: approved\n---\n# A\n\nFifteen long minutes.\n",
        ),
        ("b.md", "# B\n"),
    ]);
    let unmatched =
        |name: &str, params: Value| project.context().call(name, params).unwrap()["unmatched"].take();
    let asked = json!({
        "query": "\"fifteen minutes\" \"long minutes\"", "doc_types": ["nope", "api"], "tags": ["sekurity"],
        "folder": "none", "fields": { "status": "aproved" },
    });
    assert_eq!(
        unmatched("search", asked),
        json!([
            "no page has the type 'nope'; the types are api, spec",
            "no page has the tag 'sekurity'; the most frequent tags are security",
            "no page is in a folder 'none'; the folders are Guides",
            "no page has status=aproved in its front matter; its values are approved",
            "no page has the phrase \"fifteen minutes\"; without the quotes, pages with its words are found",
        ])
    );
    let asked = json!({ "query": "\"fifteen minutes\"", "doc_type": "nope" });
    assert_eq!(unmatched("fulltext_search", asked).as_array().unwrap().len(), 2);
    assert_eq!(unmatched("list_pages", json!({ "tags": ["nope"] })).as_array().unwrap().len(), 1);
    let fine =
        json!({ "query": "\"long minutes\"", "doc_types": ["api"], "fields": { "status": "approved" } });
    assert_eq!(unmatched("search", fine), json!([]));
}

#[test]
fn folders_ignore_case_and_can_be_relative_to_the_project() {
    let project =
        Project::with_pages([("Guides/a.md", "# A\n"), ("Guides/sub/b.md", "# B\n"), ("c.md", "# C\n")]);
    let listed = |folder: &str| {
        let listed = project.context().call("list_pages", json!({ "folder": folder })).unwrap();
        listed["pages"].as_array().unwrap().len()
    };
    for (folder, count) in [
        ("Guides", 2),
        ("guides/", 2),
        ("./GUIDES/SUB", 1),
        ("pages/guides", 2),
        ("pages", 3),
        (".", 3),
        ("Guide", 0),
        ("..", 0),
    ] {
        assert_eq!(listed(folder), count, "{folder}");
    }
}

#[test]
fn an_unknown_link_type_is_refused_with_the_known_ones() {
    let project = Project::with_pages([("a.md", "# A\n")]);
    for (name, params) in [
        ("search", json!({ "query": "a" })),
        ("get_context", json!({ "page": "a" })),
        ("get_graph", json!({})),
        ("graph_traverse", json!({ "page": "a" })),
        ("get_impact", json!({ "page": "a" })),
    ] {
        let mut params = params;
        params["link_types"] = json!(["depends_on", "bogus"]);
        let error = project.context().call(name, params.clone()).unwrap_err();
        assert!(
            error.to_string().contains("'bogus'") && error.to_string().contains("implements"),
            "{name}: {error}"
        );
        params["link_types"] = json!(["depends_on"]);
        assert!(project.context().call(name, params).is_ok(), "{name}");
    }
}
