//! The rows about tools, their parameters and the fields of their answers. Rows that need vectors run on the engine
//! with an embedder that needs no model; all others run the program.

use std::fs::{self, File};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use serde_json::{Value, json};
use ubp_core::progress::{Cancel, Silent};
use ubp_core::{Caller, Engine};
use ubp_testing::HashEmbedder;
use ubp_tests::fixture;
use ubp_tests::mcp::McpClient;
use ubp_tests::tables::{self, Row};
use ubp_tests::terminal::Terminal;

use super::{Folder, TOOLS, eventually, listed};

#[test]
fn every_tool_parameter_and_field_is_as_documented() {
    tables::run(
        "documents",
        "Tools",
        &[
            ("`search`", search),
            ("`query`", query),
            ("`top_k`", top_k),
            ("`results`", results),
            ("`document`", document),
            ("`chunk`", chunk),
            ("`similarity`", similarity),
            ("`position`", position),
            ("`index_markdown`", index_markdown),
            ("`filepath`", filepath),
            ("`chunk_size`", chunk_size),
            ("`list_documents`", list_documents),
            ("`documents`", documents),
            ("`filename`", filename),
            ("`chunks`", chunks),
            ("`indexed_at`", indexed_at),
            ("`modified_at`", modified_at),
            ("`delete_document`", delete_document),
            ("`reindex_document`", reindex_document),
        ],
    );
}

/// A folder, and a server that has indexed its three documents.
fn served() -> (Folder, McpClient) {
    let folder = Folder::new();
    let mut client = folder.documents();
    listed(&mut client, 3);
    (folder, client)
}

/// A project with these pages, and an engine with all of their vectors.
fn with_vectors<'a>(pages: impl IntoIterator<Item = (&'a str, &'a str)>) -> (Terminal, Engine) {
    let terminal = Terminal::vault(pages).unwrap();
    let engine = fixture::engine(terminal.folder(), Some(Arc::new(HashEmbedder::full_size()))).unwrap();
    let cancel = Cancel::default();
    let context = engine.context(Caller::Person, true, &Silent, &cancel);
    context.refresh(false).unwrap();
    context.embed(None).unwrap();
    (terminal, engine)
}

/// The answer of an operation to an agent that may write.
fn asked(engine: &Engine, operation: &str, params: Value) -> Value {
    engine.context(Caller::Agent, true, &Silent, &Cancel::default()).call(operation, params).unwrap()
}

/// Asserts that a tool accepts `good` and rejects `bad`, and that the message contains `parameter`.
fn takes(client: &mut McpClient, tool: &str, parameter: &str, good: &[Value], bad: &[Value]) {
    for arguments in good {
        client.ask(tool, arguments.clone()).unwrap();
    }
    for arguments in bad {
        let (code, words) = client.refusal(tool, arguments.clone()).unwrap();
        assert!(code == "invalid_params" && words.contains(parameter), "{arguments}: {words}");
    }
}

fn search(_: &Row) {
    let alone = [
        ("near.md", "# Near\n\nsession tokens expire\n"),
        ("far.md", "# Far\n\nan unrelated paragraph on zebras and tokens\n"),
    ];
    let question = json!({ "query": "session tokens expire" });
    let (_terminal, engine) = with_vectors(alone);
    let found = asked(&engine, "search_documents", question.clone());
    assert_eq!(found["search_type"], "vector");
    assert_eq!(found["results"][0]["document"], "near.md", "{found}");
    // Links to a page must not raise its score.
    let linking: Vec<(String, String)> =
        (0..9).map(|n| (format!("z{n}.md"), format!("# Z{n}\n\n[[far]] [[far]]\n"))).collect();
    let linking = linking.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    let (_terminal, engine) = with_vectors(alone.into_iter().chain(linking));
    let linked = asked(&engine, "search_documents", question);
    let of = |found: &Value, name: &str| {
        let results = found["results"].as_array().unwrap().iter();
        results.clone().find(|result| result["document"] == name).map(|result| result["similarity"].clone())
    };
    assert_eq!(linked["results"][0]["document"], "near.md", "{linked}");
    assert_eq!(
        (of(&linked, "near.md"), of(&linked, "far.md")),
        (of(&found, "near.md"), of(&found, "far.md"))
    );
    let (_folder, mut client) = served();
    assert_eq!(client.tool_names().unwrap(), TOOLS);
}

fn query(_: &Row) {
    let (_folder, mut client) = served();
    let tools = client.tools().unwrap();
    assert_eq!(tools[0]["inputSchema"]["required"], json!(["query"]));
    let wrong = [json!({}), json!({ "query": " " }), json!({ "query": 7 })];
    takes(&mut client, "search", "query", &[], &wrong);
    let found = client.ask("search", json!({ "query": "認証の実装方法" })).unwrap();
    assert_eq!(found["results"][0]["document"], "project.md", "{found}");
}

fn top_k(row: &Row) {
    let (folder, mut client) = served();
    for number in 0..8 {
        folder.write(&format!("documents/more/{number}.md"), "# More\n\n認証\n");
    }
    listed(&mut client, 11);
    let mut count =
        |arguments: Value| client.ask("search", arguments).unwrap()["results"].as_array().unwrap().len();
    assert_eq!(count(json!({ "query": "認証" })), 5, "the default of the settings");
    assert_eq!(count(json!({ "query": "認証", "top_k": 3 })), 3);
    let [least, most] = row.numbers(1)[..] else { panic!("{row:?}") };
    let asking = |top_k: u64| json!({ "query": "認証", "top_k": top_k });
    let (good, bad) = ([asking(least), asking(most)], [asking(least - 1), asking(most + 1)]);
    takes(&mut client, "search", "top_k", &good, &bad);
}

fn results(_: &Row) {
    let (_terminal, engine) = with_vectors([
        ("a.md", "# A\n\nsession tokens\n\n## Second\n\nzebra\n"),
        ("b.md", "# B\n\nnothing of it\n"),
    ]);
    let found = asked(&engine, "search_documents", json!({ "query": "session tokens" }));
    let results = found["results"].as_array().unwrap();
    assert!(results.len() >= 3, "{found}");
    let similar = |result: &Value| result["similarity"].as_f64().unwrap();
    assert!(results.is_sorted_by(|a, b| similar(a) >= similar(b)), "{found}");
    let (_folder, mut client) = served();
    let found = client.ask("search", json!({ "query": "認証" })).unwrap();
    let fields: Vec<&String> = found["results"][0].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["document", "chunk", "similarity", "position", "line"]);
}

fn document(_: &Row) {
    let (folder, mut client) = served();
    let found = client.ask("search", json!({ "query": "interfaces" })).unwrap();
    let document = found["results"][0]["document"].as_str().unwrap();
    assert_eq!(document, "sub/api.md");
    assert!(folder.path("documents").join(document).exists());
}

fn chunk(_: &Row) {
    let (folder, mut client) = served();
    folder.write("documents/blank.md", "\n\n# Blank\n\n\n  auroras  \n\n\n\n");
    listed(&mut client, 4);
    let found = client.ask("search", json!({ "query": "auroras" })).unwrap();
    assert_eq!(found["results"][0]["chunk"], "# Blank\n\n\n  auroras", "{found}");
}

fn similarity(row: &Row) {
    let (_folder, mut client) = served();
    let found = client.ask("search", json!({ "query": "認証" })).unwrap();
    assert_eq!(found["search_type"], "fulltext_fallback", "the built-in model does not support this script");
    assert!(row.code(1).contains(&"null") && found["results"][0]["similarity"].is_null(), "{found}");
    let (_terminal, engine) = with_vectors([("a.md", "tokens expire\n"), ("b.md", "zebras have stripes\n")]);
    let found = asked(&engine, "search_documents", json!({ "query": "a tokens expire" }));
    let of = |at: usize| found["results"][at]["similarity"].as_f64().unwrap();
    assert_eq!(found["results"][0]["document"], "a.md");
    assert!((of(0) - 1.0).abs() < 1e-9, "the score comes from title and text only: {found}");
    assert!((0.0..of(0)).contains(&of(1)), "{found}");
    let decimals = asked(&engine, "search_documents", json!({ "query": "tokens of a zebra" }));
    let shown = decimals["results"][0]["similarity"].to_string();
    assert!(shown.split('.').nth(1).is_some_and(|decimals| decimals.len() <= 4), "{shown}");
}

fn position(_: &Row) {
    let folder = Folder::empty();
    folder.write(
        "documents/places.md",
        "---\ntitle: 場所\r\n---\r\n# Erste\r\n\r\nÜber Größe.\r\n\r\n# 二番目\r\n\r\nauroras\r\nand more\r\n",
    );
    let mut client = folder.documents();
    listed(&mut client, 1);
    let found = client.ask("search", json!({ "query": "二番目" })).unwrap();
    let best = &found["results"][0];
    let position = usize::try_from(best["position"].as_u64().unwrap()).unwrap();
    let text = folder.read("documents/places.md");
    let rest: String = text.chars().skip(position).collect();
    assert!(position > 0 && rest.starts_with(best["chunk"].as_str().unwrap()), "{found}");
    assert!(rest.starts_with("# 二番目\r\n"), "line ends are kept: {rest}");
    assert_eq!(best["line"], 8);
}

fn index_markdown(_: &Row) {
    let (folder, mut client) = served();
    folder.write("documents/new.md", "# New\n\nauroras\n");
    let indexed = client.ask("index_markdown", json!({ "filepath": "new.md" })).unwrap();
    assert_eq!((&indexed["filename"], &indexed["chunks"]), (&json!("new.md"), &json!(1)));
    let documents = client.ask("list_documents", json!({})).unwrap();
    assert_eq!(documents["documents"].as_array().unwrap().len(), 4, "at once: {documents}");
    let (terminal, engine) = with_vectors([("a.md", "# A\n\nfirst\n")]);
    terminal.write("b.md", "# B\n\nzebra stripes\n\n## C\n\nmore\n").unwrap();
    let indexed = asked(&engine, "index_markdown", json!({ "filepath": "b.md" }));
    assert_eq!((&indexed["embedded"], &indexed["chunks"]), (&json!(2), &json!(2)), "{indexed}");
    assert_eq!((&indexed["index"]["pending"], &indexed["note"]), (&json!(0), &Value::Null));
    let found = asked(&engine, "search_documents", json!({ "query": "zebra stripes" }));
    assert_eq!(found["results"][0]["document"], "b.md");
}

fn filepath(row: &Row) {
    let (folder, mut client) = served();
    let absolute = folder.path("documents/note1.md");
    let spellings = row.code(1);
    assert_eq!(spellings.len(), 3, "{row:?}");
    for spelling in spellings.into_iter().chain([absolute.to_str().unwrap()]) {
        let indexed = client.ask("index_markdown", json!({ "filepath": spelling })).unwrap();
        assert_eq!(indexed["filename"], "note1.md", "{spelling}");
    }
    let wrong = [json!({}), json!({ "filepath": 7 })];
    takes(&mut client, "index_markdown", "filepath", &[], &wrong);
    let (code, words) = client.refusal("index_markdown", json!({ "filepath": "nowhere.md" })).unwrap();
    assert!(code == "invalid_params" && words.contains("nowhere.md"), "{words}");
}

fn chunk_size(row: &Row) {
    let (folder, mut client) = served();
    let asking = |size: u64| json!({ "filepath": "note1.md", "chunk_size": size });
    let [least, most, ..] = row.numbers(1)[..] else { panic!("{row:?}") };
    let (good, bad) = ([asking(least), asking(most)], [asking(least - 1), asking(most + 1)]);
    takes(&mut client, "index_markdown", "chunk_size", &good, &bad);

    let usual = client.ask("index_markdown", json!({ "filepath": "sub/api.md" })).unwrap();
    assert_eq!(usual["chunk_size"], 500, "the default of the settings");
    let small = client.ask("index_markdown", json!({ "filepath": "sub/api.md", "chunk_size": 100 })).unwrap();
    assert_eq!(small["chunk_size"], 100);
    // 1,800 characters.
    let count = |answer: &Value| answer["chunks"].as_u64().unwrap();
    assert!((4..=8).contains(&count(&usual)) && (18..=40).contains(&count(&small)), "{usual} {small}");
    let text = folder.read("documents/sub/api.md");
    folder.write("documents/sub/api.md", &text.repeat(2));
    eventually("the longer text is split into chunks of the same size", || {
        let documents = listed(&mut client, 3);
        count(&documents[2]) >= 2 * count(&small) - 1
    });
    let again = client.ask("index_markdown", json!({ "filepath": "sub/api.md" })).unwrap();
    assert!(again["chunk_size"] == 500 && count(&again) <= 2 * count(&usual), "{again}");
}

fn list_documents(_: &Row) {
    let (_folder, mut client) = served();
    let documents = listed(&mut client, 3);
    let names: Vec<&str> = documents.iter().map(|document| document["filename"].as_str().unwrap()).collect();
    assert_eq!(names, ["note1.md", "project.md", "sub/api.md"]);
    let (code, _) = client.refusal("list_documents", json!({ "folder": "sub" })).unwrap();
    assert_eq!(code, "invalid_params", "it has no parameters");
}

fn documents(_: &Row) {
    let (_folder, mut client) = served();
    for document in listed(&mut client, 3) {
        let fields: Vec<&String> = document.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["filename", "chunks", "indexed_at", "modified_at"]);
    }
}

fn filename(_: &Row) {
    let (_folder, mut client) = served();
    for tool in ["reindex_document", "delete_document"] {
        takes(&mut client, tool, "filename", &[], &[json!({}), json!({ "filename": 7 })]);
        for document in listed(&mut client, 3) {
            let done = client.ask(tool, json!({ "filename": document["filename"] })).unwrap();
            assert_eq!(done["filename"], document["filename"], "{tool}");
        }
    }
    assert_eq!(listed(&mut client, 0).len(), 0);
}

fn chunks(_: &Row) {
    let (folder, mut client) = served();
    folder.write("documents/three.md", "# A\n\none aurora\n\n## B\n\ntwo auroras\n\n## C\n\nan aurora\n");
    let documents = listed(&mut client, 4);
    assert_eq!(documents[3]["chunks"], 3, "{documents:?}");
    let found = client.ask("search", json!({ "query": "aurora", "top_k": 100 })).unwrap();
    let results = found["results"].as_array().unwrap().iter();
    assert_eq!(results.filter(|result| result["document"] == "three.md").count(), 3, "{found}");
}

/// Parses a time of an answer.
fn time(document: &Value, field: &str) -> Timestamp {
    let text = document[field].as_str().unwrap();
    assert!(text.len() == 20 && text.ends_with('Z'), "{text}");
    text.parse().unwrap()
}

fn indexed_at(_: &Row) {
    let begun = Timestamp::from_second(Timestamp::now().as_second()).unwrap();
    let (_folder, mut client) = served();
    for document in listed(&mut client, 3) {
        assert!((begun..=Timestamp::now()).contains(&time(&document, "indexed_at")), "{document}");
    }
    std::thread::sleep(Duration::from_millis(1_100));
    let again = client.ask("index_markdown", json!({ "filepath": "note1.md" })).unwrap();
    assert!(time(&again, "indexed_at") > begun, "{again}");
    let documents = listed(&mut client, 3);
    assert!(time(&documents[0], "indexed_at") > time(&documents[1], "indexed_at"), "{documents:?}");
}

fn modified_at(_: &Row) {
    let folder = Folder::new();
    let written = "2025-10-24T12:00:00Z";
    let seconds = u64::try_from(written.parse::<Timestamp>().unwrap().as_second()).unwrap();
    let file = File::options().append(true).open(folder.path("documents/note1.md")).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
    let documents = listed(&mut folder.documents(), 3);
    assert_eq!(documents[0]["modified_at"], written);
    assert!(time(&documents[1], "modified_at") > time(&documents[0], "modified_at"));
}

fn delete_document(row: &Row) {
    let (folder, mut client) = served();
    let deleted = client.ask("delete_document", json!({ "filename": "note1.md" })).unwrap();
    assert_eq!(deleted["deleted"], true);
    let left = client.ask("list_documents", json!({})).unwrap();
    assert_eq!(left["documents"].as_array().unwrap().len(), 2, "at once: {left}");
    let found = client.ask("search", json!({ "query": "zebra" })).unwrap();
    assert!(!found["results"].to_string().contains("note1.md"), "{found}");
    let file = folder.path("documents/note1.md");
    assert!(!file.exists());
    let trash = row.code(1)[0];
    let lies = folder.path(trash).join(deleted["trash"].as_str().unwrap());
    assert!(fs::read_to_string(lies).unwrap().contains("zebra"));
    let (code, _) = client.refusal("delete_document", json!({ "filename": "note1.md" })).unwrap();
    assert_eq!(code, "invalid_params", "already deleted");
    drop(client);
    // Once the folder is a project, the deletion can be undone.
    folder.ubp(&["init", "--pages-dir", "documents"]);
    let audit = folder.ubp(&["audit"]);
    assert!(audit.contains("note1.md"), "{audit}");
    folder.ubp(&["undo", deleted["audit_id"].as_str().unwrap()]);
    assert!(fs::read_to_string(file).unwrap().contains("zebra"));
}

fn reindex_document(_: &Row) {
    let (_folder, mut client) = served();
    let small = client.ask("index_markdown", json!({ "filepath": "sub/api.md", "chunk_size": 100 })).unwrap();
    let again = client.ask("reindex_document", json!({ "filename": "sub/api.md" })).unwrap();
    assert_eq!((&again["chunk_size"], &again["chunks"]), (&json!(100), &small["chunks"]));
    assert_eq!(listed(&mut client, 3)[2]["chunks"], small["chunks"]);
    let (terminal, engine) = with_vectors([("a.md", "# A\n\nfirst\n\n## B\n\nsecond\n")]);
    let (again, reused) = (asked(&engine, "reindex_document", json!({ "filename": "a.md" })), json!(0));
    assert_eq!(
        (&again["embedded"], &again["reused"]),
        (&json!(2), &reused),
        "every vector is computed again"
    );
    // A change that no watcher reported.
    terminal.write("a.md", "# A\n\nthird\n").unwrap();
    let again = asked(&engine, "reindex_document", json!({ "filename": "a.md" }));
    assert_eq!(again["chunks"], 1, "the file is read: {again}");
}
