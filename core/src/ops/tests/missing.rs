//! What search answers when words are mistyped, when nothing fits, and when a page is only linked.

use serde_json::{Value, json};

use crate::index::tests::Project;

fn project() -> Project {
    Project::with_pages([
        ("login.md", "# Login\n\nA user signs in with a password. See [[Tokens]].\n"),
        ("memory.md", "# Memory\n\nHow much memory the translators of a histogram need.\n"),
        ("tokens.md", "# Tokens\n\nThey expire after an hour, which causes work.\n"),
    ])
}

fn search(project: &Project, query: &str) -> Value {
    project.context().call("search", json!({ "query": query, "mode": "fulltext" })).unwrap()
}

fn paths(answer: &Value, group: &str) -> Vec<String> {
    let pages = answer[group].as_array().unwrap().iter();
    pages.map(|page| page["filepath"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn mistyped_words_are_corrected() {
    let project = project();
    for (query, corrected, page) in [
        ("pasword", "password", "login.md"),
        ("passwrod", "password", "login.md"),
        ("How long is a Pasword?", "How long is a password?", "login.md"),
        ("meemory", "memory", "memory.md"),
        ("pasword*", "password", "login.md"),
        ("tarnslatros", "translators", "memory.md"),
        ("pasword for the histogarm", "password for the histogram", "login.md"),
    ] {
        let answer = search(&project, query);
        assert_eq!(answer["corrected_query"], json!(corrected), "{query}");
        assert_eq!(paths(&answer, "results")[0], page, "{query}");
    }
}

#[test]
fn other_words_stay_as_they_were_typed() {
    let project = project();
    for query in [
        "password",
        "passwords",             // the index knows its stem
        "\"pasword\"",           // quoted
        "passw*",                // half typed
        "pasword zebracrossing", // about something else
        "logn",                  // too short
        "wassword",              // the first letter is wrong
        "pasword1",
    ] {
        assert_eq!(search(&project, query)["corrected_query"], Value::Null, "{query}");
    }
}

#[test]
fn what_only_links_lead_to_is_a_group_of_its_own() {
    let project = project();
    let answer = project.context().call("search", json!({ "query": "signs in with a password" })).unwrap();
    assert_eq!(paths(&answer, "results")[0], "login.md");
    let (results, nearby) = (paths(&answer, "results"), paths(&answer, "nearby"));
    assert!(results.iter().all(|page| !nearby.contains(page)), "{answer:#}");
    for page in answer["nearby"].as_array().unwrap() {
        assert_eq!(page["relevance_reason"], json!("direct_link"));
    }
    assert_eq!(answer["total_found"], json!(results.len() + nearby.len()));
}
