//! Evaluations of small sets whose results are easy to verify.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::{Measures, Query, QueryDifference, compare, runs, setting};
use crate::Error;
use crate::index::tests::Project;
use crate::progress::Cancel;
use crate::search::SearchMode;

mod measures;
mod significance;

fn project() -> Project {
    Project::with_pages([
        ("login.md", "---\ntitle: Login Feature\naliases: [Sign in]\n---\nUsers enter a password.\n"),
        ("db/users.md", "# Users\n\nThe table of people. [[login]]\n"),
        ("notes/users.md", "# Old users\n\nA zebra crossing.\n"),
        ("認証.md", "# 認証\n\n認証の流れ\n"),
    ])
}

fn evaluate(project: &Project, params: Value) -> Result<Value, Error> {
    project.context().call("evaluate", params)
}

fn query(id: &str, text: &str) -> Value {
    json!({ "id": id, "text": text })
}

fn judgement(query: &str, page: &str, grade: i64) -> Value {
    json!({ "query": query, "page": page, "grade": grade })
}

#[test]
fn judgements_name_pages_by_path_title_or_alias() {
    let project = project();
    for name in ["login.md", "login", "Login Feature", "Sign in", "sign IN", "./login.md"] {
        let params = json!({ "queries": [query("q", "password")], "judgements": [judgement("q", name, 1)] });
        let output = evaluate(&project, params).unwrap();
        assert_eq!(output["unresolved_judgements"]["count"], 0, "{name}");
        assert_eq!(output["modes"]["hybrid"]["hit_at_1"], 1.0, "{name}");
    }
}

#[test]
fn names_are_questions_of_their_own() {
    let project = Project::with_pages([
        ("login.md", "# Login Feature\n\n## Forgotten passwords\n\nSee [[users|the table of people]].\n"),
        (
            "users.md",
            "---\naliases: [Accounts]\n---\n# Users\n\nEach [[login|log in]] and [[login|logs]] out.\n",
        ),
        ("limit.md", "# Limit\n\nText.\n"),
        ("limits.md", "# Limits\n\nText.\n"),
    ]);
    let output = evaluate(&project, json!({ "names": true, "mode": "fulltext" })).unwrap();
    let names: Vec<(&str, u64, f64)> = output["names"]
        .as_array()
        .unwrap()
        .iter()
        .map(|of| {
            let (kind, count) = (of["kind"].as_str().unwrap(), of["query_count"].as_u64().unwrap());
            (kind, count, of["hit_at_1"].as_f64().unwrap())
        })
        .collect();
    // `login`, `users` and `accounts` are names, and `limit` and `limits` are forms of one word.
    let expected =
        [("title", 4, 1.0), ("alias", 1, 1.0), ("heading", 1, 1.0), ("link_text", 3, 0.0), ("word", 1, 1.0)];
    assert_eq!(names.len(), expected.len(), "{names:?}");
    for (name, expected) in names.iter().zip(expected) {
        assert_eq!((name.0, name.1), (expected.0, expected.1));
        assert!(name.2 >= expected.2, "{name:?}");
    }
    let both = evaluate(&project, json!({ "names": true, "queries": [query("q", "x")] })).unwrap_err();
    assert!(both.to_string().contains("`names` makes its own queries"), "{both}");
}

#[test]
fn judgements_without_a_page_are_reported_and_do_not_count() {
    let judgements = json!([
        judgement("q", "login", 2),
        judgement("q", "nowhere", 3),
        judgement("q", "users", 1),
        judgement("q", "db/users", 0),
        judgement("r", "nowhere", 1),
        judgement("unknown", "login", 1)
    ]);
    let queries = json!([query("q", "password"), query("r", "zebra"), query("s", "table")]);
    let output = evaluate(&project(), json!({ "queries": queries, "judgements": judgements })).unwrap();
    assert_eq!(output["query_count"], 1);
    assert_eq!(output["skipped_query_count"], 2);
    assert_eq!(output["unknown_query_judgement_count"], 1);
    assert_eq!(
        output["unresolved_judgements"],
        json!({ "count": 3, "examples": [
            { "query": "q", "page": "nowhere", "candidates": [] },
            { "query": "q", "page": "users", "candidates": ["db/users.md", "notes/users.md"] },
            { "query": "r", "page": "nowhere", "candidates": [] },
        ] })
    );
    assert_eq!(output["modes"]["hybrid"]["recall_at_10"], 1.0, "the valid judgement counts");
}

#[test]
fn a_comparison_contains_each_mode_and_setting_once() {
    let params = json!({
        "queries": [query("q", "password")], "judgements": [judgement("q", "login", 1)], "compare": true,
    });
    let output = evaluate(&project(), params.clone()).unwrap();
    let modes: Vec<&String> = output["modes"].as_object().unwrap().keys().collect();
    assert_eq!(modes, ["fulltext", "hybrid", "vector"]);
    let alphas: Vec<f64> =
        output["settings"].as_array().unwrap().iter().map(|run| run["alpha"].as_f64().unwrap()).collect();
    assert_eq!(alphas, [0.3, 0.5, 0.7, 0.9, 1.0]);
    assert_eq!(output["baseline"], json!({ "mode": "hybrid", "alpha": 0.7, "depth": 2 }));
    // Two other modes, and four alphas other than the project's.
    assert_eq!(output["comparisons"].as_array().unwrap().len(), 6);
    assert_eq!(output["modes"]["fulltext"]["alpha"], Value::Null);
    assert_eq!(evaluate(&project(), params.clone()).unwrap(), output, "a repeated run gives the same output");

    let mut params = params;
    params["depths"] = json!([1, 2, 1]);
    let settings = evaluate(&project(), params).unwrap()["settings"].clone();
    let depths: Vec<&Value> = settings.as_array().unwrap().iter().map(|run| &run["depth"]).collect();
    assert_eq!(depths, [1, 2]);
}

#[test]
fn wins_and_losses_contain_their_queries() {
    let measured = |scores: [f64; 6]| runs::Measured {
        queries: scores.map(|ndcg_at_10| Measures { ndcg_at_10, ..Measures::default() }).to_vec(),
        ..runs::Measured::default()
    };
    let baseline = measured([0.5, 1.0, 0.2, 0.2, 0.3, 0.0]);
    let run = measured([1.0, 0.4, 0.2, 0.7, 0.2, 0.1]);
    let queries: Vec<Query> =
        ["a", "b", "c", "d", "e", "f"].map(|id| Query { id: id.into(), text: id.repeat(3) }).into();
    let queries: Vec<&Query> = queries.iter().collect();
    let setting = setting(SearchMode::Vector, 0.5, 1);
    let compare =
        |most| compare::compare(setting, &queries, &baseline, &run, most, &Cancel::default()).unwrap();
    let found = compare(2);
    assert_eq!((found.wins, found.losses, found.ties), (3, 2, 1));
    let ids = |list: &[QueryDifference]| list.iter().map(|query| query.id.clone()).collect::<String>();
    assert_eq!((ids(&found.largest_wins), ids(&found.largest_losses)), ("ad".into(), "be".into()));
    assert_eq!(
        found.largest_losses[0],
        QueryDifference { id: "b".into(), text: "bbb".into(), baseline: 1.0, score: 0.4 }
    );
    // 0.4 over six queries.
    assert_eq!(found.difference, 0.0667);
    assert!(found.interval[0] < 0.0667 && found.interval[1] > 0.0667);
    assert!(compare(0).largest_wins.is_empty());
    assert_eq!(ids(&compare(100).largest_wins), "adf");
    let weakest = compare::weakest(&queries, &baseline, 3);
    assert_eq!(weakest.iter().map(|query| query.id.as_str()).collect::<Vec<_>>(), ["f", "c", "d"]);
    assert_eq!(compare::weakest(&queries, &baseline, 100).len(), 5, "a perfect score is not weak");
}

#[test]
fn documents_are_searched_instead_of_pages() {
    let documents = json!([
        { "id": "/", "title": "Home \"quoted\": [x]\nhere", "text": "---\nzebra: [\n" },
        { "id": "a/b", "title": "", "text": "table" },
        { "id": "A/B", "title": null, "text": "chair" },
        { "id": "x|y#z", "title": "Odd", "text": "lamp [[a/b]]" },
        { "id": "../up", "title": null, "text": "stairs" },
        { "id": ".hidden", "title": null, "text": "cellar" },
        { "id": "node_modules/x", "title": null, "text": "attic" },
    ]);
    let words = ["zebra", "table", "chair", "lamp", "stairs", "cellar", "attic"];
    let ids = ["/", "a/b", "A/B", "x|y#z", "../up", ".hidden", "node_modules/x"];
    let queries: Vec<Value> = words.iter().map(|word| query(word, word)).collect();
    let judgements: Vec<Value> = words.iter().zip(ids).map(|(word, id)| judgement(word, id, 1)).collect();
    let params = json!({ "documents": documents, "queries": queries, "judgements": judgements,
                         "mode": "fulltext" });
    let output = evaluate(&project(), params).unwrap();
    assert_eq!(output["query_count"], 7);
    assert_eq!(output["page_count"], 7);
    assert_eq!(output["link_count"], 1, "a link in the text of a document");
    assert_eq!(output["modes"]["fulltext"]["hit_at_1"], 1.0, "{output:#}");
    assert_eq!(output["unresolved_judgements"]["count"], 0);
}

#[test]
fn links_between_documents_raise_relevance_without_changing_text() {
    let documents = json!([
        { "id": "h1", "title": "Zebra", "text": "It has stripes." },
        { "id": "h2", "title": "Savannah", "text": "Grass." },
        { "id": "h3", "title": "Ocean", "text": "Water." },
    ]);
    let params = |links: Value| {
        json!({ "documents": documents, "links": links, "queries": [query("q", "zebra")],
                "judgements": [judgement("q", "h1", 1), judgement("q", "h2", 1)], "mode": "fulltext" })
    };
    let run = |links: Value, mode: &str| {
        let mut params = params(links);
        params["mode"] = mode.into();
        // By words only, so the second page can be found only through its link.
        let project = Project::with_pages([]);
        let context = crate::Context { embedder: None, ..project.context() };
        context.call("evaluate", params).unwrap()
    };
    let link = |to: &str, link_type: Value| json!({ "from": "h1", "to": to, "link_type": link_type });
    assert_eq!(run(json!([]), "hybrid")["modes"]["hybrid"]["all_at_10"], 0.0);
    let linked = run(json!([link("h2", "part of".into()), link("gone", Value::Null)]), "hybrid");
    assert_eq!(linked["modes"]["hybrid"]["all_at_10"], 1.0, "{linked:#}");
    assert_eq!((&linked["link_count"], &linked["unresolved_link_count"]), (&json!(1), &json!(1)));
    assert_eq!(linked["modes"]["hybrid"]["fallbacks"], 1);
    // By words only, nothing differs, because the link is not text.
    let by_words = |links| run(links, "fulltext")["modes"].clone();
    assert_eq!(by_words(json!([link("h2", Value::Null)])), by_words(json!([])));
}

#[test]
fn queries_that_cannot_be_compared_by_meaning_are_counted() {
    let mut project = project();
    project.embedder = crate::testing::HashEmbedder::for_scripts(crate::embed::Scripts::only(["Latin"]));
    project.update();
    let params = json!({
        "queries": [query("q", "password"), query("r", "認証")],
        "judgements": [judgement("q", "login", 1), judgement("r", "認証", 1)], "compare": true,
    });
    let modes = evaluate(&project, params).unwrap()["modes"].clone();
    assert_eq!(modes["hybrid"]["fallbacks"], 1);
    assert_eq!(modes["vector"]["fallbacks"], 1);
    assert_eq!(modes["fulltext"]["fallbacks"], 0);
    assert_eq!(modes["vector"]["hit_at_1"], 1.0);
}

#[test]
fn sets_without_measurable_queries_and_invalid_parameters_are_refused() {
    let good = json!({ "queries": [query("q", "password")], "judgements": [judgement("q", "login", 1)] });
    for (field, value, expected) in [
        ("queries", json!([]), "there are no queries"),
        ("queries", json!([query("q", "a"), query("q", "b")]), "duplicate query"),
        ("queries", json!([query("", "a")]), "id is empty"),
        ("queries", json!([query("q", " ")]), "'q' is empty"),
        ("judgements", json!([]), "none of the queries"),
        ("judgements", json!([judgement("q", "login", 0)]), "none of the queries"),
        ("judgements", json!([judgement("q", "nowhere", 1)]), "nowhere"),
        ("judgements", json!([{ "query": "q", "page": "login", "grade": 1e30 }]), "1e+30"),
        ("alphas", json!([1.5]), "alpha is 1.5"),
        ("alphas", json!([0.1, 0.2]), "several"),
        ("depths", json!([0]), "depth is 0"),
        ("depths", json!([1, 2]), "several"),
        ("examples", json!(101), "examples is 101"),
        ("links", json!([{ "from": "a", "to": "b", "link_type": null }]), "links are for documents"),
        ("documents", json!([{ "id": " ", "title": null, "text": "" }]), "id is empty"),
        (
            "documents",
            json!([{ "id": "a", "title": null, "text": "" }, { "id": "a", "title": null, "text": "" }]),
            "duplicate document",
        ),
    ] {
        let mut params = good.clone();
        params[field] = value;
        let error = evaluate(&project(), params.clone()).unwrap_err();
        assert_eq!(error.code(), "invalid_params", "{params}");
        assert!(error.to_string().contains(expected), "{params}: {error}");
    }
    let mut both = good;
    both["compare"] = true.into();
    both["mode"] = "vector".into();
    assert!(evaluate(&project(), both).unwrap_err().to_string().contains("every mode"));
}

#[test]
fn a_huge_grade_does_not_overflow() {
    let params = json!({
        "queries": [query("q", "password")],
        "judgements": [judgement("q", "login", i64::MAX), judgement("q", "db/users", i64::MIN)],
    });
    assert_eq!(evaluate(&project(), params).unwrap()["modes"]["hybrid"]["ndcg_at_10"], 1.0);
}

#[test]
fn cancelling_stops_it() {
    let project = project();
    let cancel = Cancel::default();
    cancel.request();
    let context = crate::Context { cancel: &cancel, ..project.context() };
    let params = json!({ "queries": [query("q", "password")], "judgements": [judgement("q", "login", 1)] });
    assert!(matches!(context.call("evaluate", params), Err(Error::Cancelled)));
}
