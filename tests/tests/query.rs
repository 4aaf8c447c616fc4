//! SQL over front matter: runs every row of the tables in `docs/query.md` over MCP, at the terminal, and with vectors;
//! many clients at once do not block each other.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use ubp_core::progress::{Cancel, Silent};
use ubp_core::{Caller, Engine};
use ubp_testing::HashEmbedder;
use ubp_tests::clients::at_once;
use ubp_tests::fixture;
use ubp_tests::mcp::McpClient;
use ubp_tests::tables::{self, Row};
use ubp_tests::terminal::{Ran, Terminal};

use crate::mcp::text;
use crate::process::{self, command};

const CLIENTS: usize = 8;
const ROUNDS: usize = 5;
/// Much longer than a server takes to notice an edit.
const PATIENCE: Duration = Duration::from_secs(30);

fn diary() -> Terminal {
    Terminal::vault([
        ("daily/2025-10-30.md", "---\ndate: 2025-10-30\ntags: [振り返り]\n---\n# Before\n\nOld.\n"),
        (
            "daily/2025-11-02.md",
            "---\ndate: 2025-11-02\ntags: [振り返り, 仕事]\nmood: '<% tp.mood %>'\n---\n# After\n\n体調が回復した。\n",
        ),
        ("daily/2025-11-05.md", "---\ndate: 2025-11-05\ntags: 仕事\n---\n# Later\n\nモチベーション低下。\n"),
        ("notes/other.md", "---\ndate: 2025-12-01\n---\n# Other\n"),
    ])
    .unwrap()
}

/// A server with these arguments, once its index is ready.
fn server(folder: &Path, arguments: &[&str]) -> McpClient {
    McpClient::start_fresh(command(folder, arguments), "index_status", &json!({})).unwrap()
}

/// A server with the set `query`.
fn connected(folder: &Path) -> McpClient {
    server(folder, &["mcp-server", "--tools", "query"])
}

/// The project with an embedder that needs no model, and with all vectors.
fn with_vectors(terminal: &Terminal, embedder: HashEmbedder) -> Engine {
    let engine = fixture::engine(terminal.folder(), Some(Arc::new(embedder))).unwrap();
    let cancel = Cancel::default();
    let context = engine.context(Caller::Person, true, &Silent, &cancel);
    context.refresh(false).unwrap();
    context.embed(None).unwrap();
    engine
}

/// The answer of an operation to an agent.
fn asked(engine: &Engine, operation: &str, params: Value) -> Value {
    engine.context(Caller::Agent, false, &Silent, &Cancel::default()).call(operation, params).unwrap()
}

/// The values of one column of an answer.
fn column<'a>(answer: &'a Value, name: &str) -> Vec<&'a Value> {
    answer["results"].as_array().unwrap().iter().map(|row| &row[name]).collect()
}

/// The JSON of a command that must succeed.
fn ran(terminal: &Terminal, arguments: &str) -> Ran {
    let ran = terminal.ubp(arguments);
    assert!(ran.succeeded(), "{}", ran.transcript());
    ran
}

/// Asserts that the answer has the fields that the row lists after the tool.
fn has_fields(answer: &Value, row: &Row) {
    let [_, fields @ ..] = &row.code(1)[..] else { panic!("{row:?}") };
    for field in fields.iter().take_while(|field| !field.starts_with("ubp ") && **field != "embedding") {
        assert!(!answer[field].is_null(), "{field}: {answer}");
    }
}

#[test]
fn every_table_has_tests() {
    assert_eq!(tables::headings("query"), ["The table", "For users of frontmatter-mcp"]);
}

#[test]
fn every_column_has_the_documented_content() {
    tables::run(
        "query",
        "The table",
        &[
            ("`path`", path),
            ("every key of front matter", keys),
            ("`content`", content),
            ("`updated_at`", updated_at),
            ("`embedding`", embedding),
        ],
    );
}

#[test]
fn every_frontmatter_mcp_feature_exists_or_has_a_replacement() {
    tables::run(
        "query",
        "For users of frontmatter-mcp",
        &[
            ("`uvx --with sentence-transformers frontmatter-mcp --base-dir DIR`", start),
            ("tool `query(glob, sql)`", query),
            (BY_MEANING, by_meaning),
            (SINCE_NOVEMBER, since_november),
            (REVIEWS, reviews),
            ("tool `query_inspect(glob)`", query_inspect),
            ("tool `index_status()`", index_status),
            ("tool `index_refresh()`", index_refresh),
            ("`--base-dir`, `FRONTMATTER_BASE_DIR`", base_dir),
            ("`FRONTMATTER_ENABLE_SEMANTIC`", enable_semantic),
            ("`FRONTMATTER_EMBEDDING_MODEL`", embedding_model),
            ("`FRONTMATTER_CACHE_DIR`", cache_dir),
            ("`DuckDB` file with vectors, dropped when the model changes", model_changes),
            (
                "`INSTALL vss`, `LOAD vss`, `SET hnsw_enable_experimental_persistence = true`, \
                 `PRAGMA hnsw_compact_index()`",
                needless,
            ),
        ],
    );
}

const BY_MEANING: &str = "`SELECT path, 1 - array_cosine_distance(embedding, embed('体調が回復した')) as score \
                          FROM files ORDER BY score DESC LIMIT 10`";

const SINCE_NOVEMBER: &str = "`SELECT path, date, 1 - array_cosine_distance(embedding, embed('体調が回復した')) \
                              as score FROM files WHERE date >= '2025-11-01' ORDER BY score DESC LIMIT 10`, with \
                              `daily/*.md`";

const REVIEWS: &str = "`SELECT path, date, tags, 1 - array_cosine_distance(embedding, embed('モチベーション低下')) \
                       as score FROM files WHERE date >= '2025-11-01' AND tags LIKE '%振り返り%' ORDER BY score \
                       DESC LIMIT 10`";

fn path(_: &Row) {
    let found = ran(&diary(), "query 'SELECT path FROM files ORDER BY path' --json").json();
    let paths = ["daily/2025-10-30.md", "daily/2025-11-02.md", "daily/2025-11-05.md", "notes/other.md"];
    assert_eq!(column(&found, "path"), paths);
}

fn keys(_: &Row) {
    let sql = "query 'SELECT date, tags, mood FROM files WHERE mood IS NOT NULL' --json";
    let found = ran(&diary(), sql).json();
    let written = json!({ "date": "2025-11-02", "tags": "[\"振り返り\",\"仕事\"]", "mood": "<% tp.mood %>" });
    assert_eq!(found["results"], json!([written]));
}

fn content(_: &Row) {
    let sql = "query 'SELECT content FROM files ORDER BY path LIMIT 1' --json";
    assert_eq!(column(&ran(&diary(), sql).json(), "content"), ["# Before\n\nOld.\n"]);
}

fn updated_at(_: &Row) {
    let found = ran(&diary(), "query 'SELECT DISTINCT updated_at FROM files' --json").json();
    assert_eq!(column(&found, "updated_at"), ["2026-01-02T03:04:05Z"], "when the files were written");
}

fn embedding(_: &Row) {
    let terminal = diary();
    let sql = "SELECT path FROM files WHERE embedding IS NOT NULL";
    let refused = terminal.ubp(&format!("query '{sql}'"));
    assert!(!refused.succeeded() && refused.err.contains("embedding"), "{}", refused.transcript());
    let engine = with_vectors(&terminal, HashEmbedder::full_size());
    assert_eq!(asked(&engine, "query", json!({ "sql": sql }))["row_count"], 4);
}

fn start(row: &Row) {
    let terminal = diary();
    let command: Vec<&str> = row.commands(1)[0].split(' ').collect();
    let [_, _, arguments @ ..] = &command[..] else { panic!("{row:?}") };
    assert_eq!(command[..2], ["-C", "DIR"]);
    let mut client = server(terminal.folder(), arguments);
    assert_eq!(client.tool_names().unwrap().len(), 4);
    assert_eq!(client.close().unwrap(), Some(0));
}

fn query(row: &Row) {
    let terminal = diary();
    let mut client = connected(terminal.folder());
    let sql = "SELECT path, date, tags\nFROM files\nWHERE date >= '2025-11-01'\n  AND tags LIKE '%振り返り%'\n\
               ORDER BY date DESC\nLIMIT 10";
    let result = client.call(row.code(1)[0], json!({ "glob": "daily/*.md", "sql": sql })).unwrap();
    let found = &result["structuredContent"];
    let first =
        json!({ "path": "daily/2025-11-02.md", "date": "2025-11-02", "tags": "[\"振り返り\",\"仕事\"]" });
    assert_eq!((&found["row_count"], &found["results"][0]), (&json!(1), &first), "{result}");
    assert!(text(&result).contains("daily/2025-11-02.md"), "{}", text(&result));
    let functions = "SELECT CAST(substr(date, 1, 4) AS INTEGER) AS year, value AS tag \
                     FROM files, json_each(files.tags) WHERE files.path LIKE '%11-02%'";
    let found = client.ask("query", json!({ "sql": functions })).unwrap();
    assert_eq!(
        (column(&found, "year"), column(&found, "tag")),
        (vec![&json!(2025); 2], vec![&json!("振り返り"), &json!("仕事")])
    );
    for attack in
        ["DROP TABLE files", "SELECT 1; SELECT 2", "PRAGMA table_info(files)", "SELECT * FROM sqlite_master"]
    {
        assert_eq!(
            client.refusal("query", json!({ "sql": attack })).unwrap().0,
            "invalid_params",
            "{attack}"
        );
    }
    let found = ran(&terminal, "query 'SELECT path FROM files ORDER BY path' --glob daily/*.md --json");
    assert_eq!(found.json()["row_count"], 3, "{}", found.transcript());
}

const WITH_ITS_MODEL: &str = "the same, with a model that understands Japanese";

/// The rows that the statement finds with vectors. Without vectors, the program must reject it and say why.
fn found_by_meaning(row: &Row) -> Value {
    let terminal = diary();
    let [sql, glob @ ..] = &row.code(0)[..] else { panic!("{row:?}") };
    assert_eq!(row.cell(1), WITH_ITS_MODEL);
    let params = json!({ "sql": sql, "glob": glob.first() });
    let mut client = connected(terminal.folder());
    let (code, words) = client.refusal("query", params.clone()).unwrap();
    assert!(code == "invalid_params" && words.contains("embed"), "{words}");
    let engine = with_vectors(&terminal, HashEmbedder::full_size());
    let found = asked(&engine, "query", params);
    let scores: Vec<f64> = column(&found, "score").into_iter().map(|score| score.as_f64().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b) && scores[0] > 0.0, "{found}");
    found
}

fn by_meaning(row: &Row) {
    let found = found_by_meaning(row);
    assert_eq!(found["row_count"], 4);
    assert_eq!(found["results"][0]["path"], "daily/2025-11-02.md", "{found}");
}

fn since_november(row: &Row) {
    let found = found_by_meaning(row);
    assert_eq!(column(&found, "date"), ["2025-11-02", "2025-11-05"]);
}

fn reviews(row: &Row) {
    let engine = with_vectors(&diary(), HashEmbedder::full_size());
    let found = asked(&engine, "query", json!({ "sql": row.code(0)[0] }));
    assert_eq!(column(&found, "path"), ["daily/2025-11-02.md"]);
    assert!(found["results"][0]["score"].is_number() && row.cell(1) == WITH_ITS_MODEL, "{found}");
}

fn query_inspect(row: &Row) {
    let terminal = diary();
    let mut client = connected(terminal.folder());
    let inspected = client.ask(row.code(1)[0], json!({ "glob": "daily/*.md" })).unwrap();
    has_fields(&inspected, row);
    assert_eq!(inspected["file_count"], 3);
    for column in ["path", "date", "tags", "mood", "content", "updated_at"] {
        assert!(inspected["schema"][column]["type"].is_string(), "{column}: {inspected}");
    }
    assert!(inspected["schema"]["embedding"].is_null(), "there are no vectors: {inspected}");
    let said = ran(&terminal, row.commands(1)[0]);
    assert!(said.out.contains("mood"), "{}", said.transcript());
    let engine = with_vectors(&terminal, HashEmbedder::full_size());
    let inspected = asked(&engine, "query_inspect", json!({}));
    assert!(row.code(1).contains(&inspected["schema"]["embedding"]["type"].as_str().unwrap()), "{inspected}");
}

fn index_status(row: &Row) {
    let terminal = diary();
    let mut client = connected(terminal.folder());
    let status = client.ask(row.code(1)[0], json!({})).unwrap();
    has_fields(&status, row);
    assert_eq!((&status["indexing"], &status["indexed_count"]), (&json!(false), &json!(0)), "{status}");
    ran(&terminal, row.commands(1)[0]);
    let engine = with_vectors(&terminal, HashEmbedder::full_size());
    let status = asked(&engine, "index_status", json!({}));
    assert_eq!((&status["indexing"], &status["indexed_count"]), (&json!(false), &json!(4)), "{status}");
    terminal.write("notes/new.md", "# New\n\nIt has no vector yet.\n").unwrap();
    let begun = asked(&engine, "index_refresh", json!({}));
    assert_eq!((&begun["message"], &begun["target_count"]), (&json!("Indexing started"), &json!(1)));
    assert_eq!(asked(&engine, "index_refresh", json!({}))["message"], "Indexing already in progress");
    let status = asked(&engine, "index_status", json!({}));
    assert_eq!((&status["indexing"], &status["indexed_count"]), (&json!(true), &json!(4)), "{status}");
}

fn index_refresh(row: &Row) {
    let terminal = diary();
    let mut client = connected(terminal.folder());
    let refreshed = client.ask(row.code(1)[0], json!({})).unwrap();
    has_fields(&refreshed, row);
    assert!(refreshed["message"].is_string() && refreshed["target_count"].is_u64(), "{refreshed}");
    ran(&terminal, row.commands(1)[0]);
}

fn base_dir(row: &Row) {
    let terminal = diary();
    let [flag, manifest] = row.code(1)[..] else { panic!("{row:?}") };
    assert_eq!(flag, "-C DIR");
    let path = terminal.path(manifest);
    let mut settings: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    settings["pages_dir"] = "daily".into();
    fs::write(path, settings.to_string()).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let found = command(terminal.folder(), &["query", "SELECT path FROM files", "--json"])
        .current_dir(elsewhere.path())
        .output()
        .unwrap();
    let found: Value = serde_json::from_slice(&found.stdout).unwrap();
    assert_eq!((&found["row_count"], &found["results"][0]["path"]), (&json!(3), &json!("2025-10-30.md")));
}

fn enable_semantic(row: &Row) {
    let terminal = diary();
    let variable = row.code(0)[0];
    assert_eq!(row.cell(1), "always on");
    let said = |value: &str| {
        let output = command(terminal.folder(), &["query", "SELECT embedding FROM files"])
            .env(variable, value)
            .output()
            .unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(said("false"), said("true"), "the setting has no effect");
    let engine = with_vectors(&terminal, HashEmbedder::full_size());
    assert_eq!(asked(&engine, "index_status", json!({}))["enabled"], true);
}

fn embedding_model(row: &Row) {
    let terminal = diary();
    let model = |name: &str| {
        process::ubp(
            terminal.folder(),
            &[&row.commands(1)[0].replace(" NAME", "").split(' ').collect::<Vec<_>>()[..], &[name]].concat(),
        )
    };
    let chosen = model("all-MiniLM-L6-v2");
    assert!(chosen.status.success(), "{chosen:?}");
    let status = connected(terminal.folder()).ask("index_status", json!({})).unwrap();
    assert_eq!(status["model"], "all-MiniLM-L6-v2");
    let unknown = model("nobody-knows-it");
    let words = String::from_utf8(unknown.stderr).unwrap();
    assert!(unknown.status.code() == Some(2) && words.contains("nobody-knows-it"), "{words}");
}

fn cache_dir(row: &Row) {
    let terminal = diary();
    let status = connected(terminal.folder()).ask("index_status", json!({})).unwrap();
    assert_eq!(status["cache_path"], row.code(1)[0]);
    assert!(terminal.path(row.code(1)[0]).exists());
}

fn model_changes(_: &Row) {
    let terminal = diary();
    drop(with_vectors(&terminal, HashEmbedder::named("first")));
    drop(with_vectors(&terminal, HashEmbedder::named("second")));
    let engine = fixture::engine(terminal.folder(), Some(Arc::new(HashEmbedder::named("third")))).unwrap();
    assert_eq!(asked(&engine, "index_status", json!({}))["indexed_count"], 0);
    let engine = fixture::engine(terminal.folder(), Some(Arc::new(HashEmbedder::named("first")))).unwrap();
    let report = engine.context(Caller::Person, true, &Silent, &Cancel::default()).embed(None).unwrap();
    assert_eq!(report.embedded, 0, "nothing is embedded again: {report:?}");
    assert_eq!(asked(&engine, "index_status", json!({}))["indexed_count"], 4);
}

fn needless(row: &Row) {
    let terminal = diary();
    let mut client = connected(terminal.folder());
    for statement in row.code(0) {
        let (code, words) = client.refusal("query", json!({ "sql": statement })).unwrap();
        assert_eq!(code, "invalid_params", "{statement}: {words}");
    }
}

#[test]
fn concurrent_queries_and_edits_never_hit_a_lock() {
    let terminal = diary();
    // The column must exist from the start, whichever edit is noticed first.
    terminal.write("notes/first.md", "---\nround: none\n---\n# First\n").unwrap();
    at_once(CLIENTS, |number| {
        let mut client = connected(terminal.folder());
        for round in 0..ROUNDS {
            let round = round.to_string();
            let page = terminal.path(&format!("notes/by {number}.md"));
            fs::write(page, format!("---\nround: {round}\n---\n# By {number}\n")).unwrap();
            let sql = format!("SELECT path, round FROM files WHERE path = 'notes/by {number}.md'");
            let begun = Instant::now();
            loop {
                let found = client.ask("query", json!({ "sql": sql })).unwrap();
                if found["results"][0]["round"] == *round {
                    break;
                }
                assert!(begun.elapsed() < PATIENCE, "the edit is not seen: {found}");
            }
        }
    });
}
