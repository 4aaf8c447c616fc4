//! SQL over front matter as its users know it: the tools of `docs/query.md` over MCP, its commands at the terminal, and
//! many clients that never wait for one another.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use ubp_tests::mcp::McpClient;
use ubp_tests::terminal::Terminal;

use crate::mcp::text;
use crate::process::program;

const CLIENTS: usize = 8;
const ROUNDS: usize = 5;
/// Much longer than an edit takes to be heard of.
const PATIENCE: Duration = Duration::from_secs(30);

fn diary() -> Terminal {
    Terminal::vault([
        ("daily/2025-10-30.md", "---\ndate: 2025-10-30\ntags: [振り返り]\n---\n# Before\n\nOld.\n"),
        (
            "daily/2025-11-02.md",
            "---\ndate: 2025-11-02\ntags: [振り返り, 仕事]\nmood: '<% tp.mood %>'\n---\n# After\n\n体調が回復した。\n",
        ),
        ("daily/2025-11-05.md", "---\ndate: 2025-11-05\ntags: 仕事\n---\n# Later\n\nWork.\n"),
        ("notes/other.md", "---\ndate: 2025-12-01\n---\n# Other\n"),
    ])
    .unwrap()
}

/// A server that was asked for the set, once its index is there.
fn connected(folder: &Path) -> McpClient {
    let mut command = Command::new(program());
    command.arg("-C").arg(folder).args(["mcp-server", "--tools", "query"]);
    let mut client = McpClient::start(command).unwrap();
    while client.call("index_status", json!({})).unwrap()["structuredContent"]["index"]["fresh"] != true {}
    client
}

/// What the table of the page puts in place of `there`.
fn row(there: &str) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("docs/query.md");
    let page = fs::read_to_string(page).unwrap();
    let table = page.split("\n## For users of frontmatter-mcp\n").nth(1).unwrap();
    let line = table.lines().find(|line| line.contains(there)).unwrap_or_else(|| panic!("no row {there}"));
    line.trim_matches('|').split(" | ").nth(1).unwrap().trim().to_owned()
}

/// The commands in a cell of the table, without the program's name.
fn commands(cell: &str) -> Vec<&str> {
    cell.split('`').filter_map(|part| part.strip_prefix("ubp ")).collect()
}

#[test]
fn the_tools_of_the_table_answer_as_they_did_there() {
    let terminal = diary();
    let mut client = connected(terminal.folder());
    let listed = client.request("tools/list", json!({})).unwrap();
    let names: Vec<&str> =
        listed["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 4, "{names:?}");
    for name in names {
        assert!(row(&format!("tool `{name}(")).contains(&format!("tool `{name}`")), "{name}");
    }

    let sql = "SELECT path, date, tags\nFROM files\nWHERE date >= '2025-11-01'\n  AND tags LIKE '%振り返り%'\n\
               ORDER BY date DESC\nLIMIT 10";
    let found = client.call("query", json!({ "glob": "daily/*.md", "sql": sql })).unwrap();
    let found_rows = &found["structuredContent"];
    assert_eq!(found_rows["row_count"], 1, "{found}");
    let first =
        json!({ "path": "daily/2025-11-02.md", "date": "2025-11-02", "tags": "[\"振り返り\",\"仕事\"]" });
    assert_eq!(found_rows["results"][0], first);
    assert!(text(&found).contains("daily/2025-11-02.md"), "{}", text(&found));

    let inspected = client.call("query_inspect", json!({ "glob": "daily/*.md" })).unwrap();
    let inspected = &inspected["structuredContent"];
    assert_eq!(inspected["file_count"], 3);
    for column in ["path", "date", "tags", "mood", "content", "updated_at"] {
        assert!(!inspected["schema"][column].is_null(), "{column}: {inspected}");
    }
    assert!(inspected["schema"]["embedding"].is_null(), "there are no vectors: {inspected}");

    let status = client.call("index_status", json!({})).unwrap();
    let status = &status["structuredContent"];
    assert_eq!((&status["indexing"], &status["indexed_count"]), (&json!(false), &json!(0)), "{status}");
    assert!(status["model"].is_string() && status["cache_path"] == ".ubp/metadata.db", "{status}");
    let refreshed = client.call("index_refresh", json!({})).unwrap();
    let refreshed = &refreshed["structuredContent"];
    assert!(refreshed["message"].is_string() && refreshed["target_count"].is_u64(), "{refreshed}");

    let meaning = "SELECT path, 1 - array_cosine_distance(embedding, embed('体調が回復した')) as score\nFROM files\n\
                   ORDER BY score DESC\nLIMIT 10";
    let refused = client.call("query", json!({ "sql": meaning })).unwrap();
    assert_eq!(refused["isError"], true);
    assert!(text(&refused).contains("embedding") || text(&refused).contains("model"), "{}", text(&refused));
    for attack in
        ["DROP TABLE files", "SELECT 1; SELECT 2", "PRAGMA table_info(files)", "SELECT * FROM sqlite_master"]
    {
        let refused = client.call("query", json!({ "sql": attack })).unwrap();
        assert_eq!(refused["isError"], true, "{attack}: {refused}");
    }
    assert_eq!(client.close().unwrap(), Some(0));
}

#[test]
fn the_commands_of_the_table_run() {
    let terminal = diary();
    for there in ["`query_inspect(glob)`", "`index_status()`", "`index_refresh()`"] {
        let cell = row(&format!("tool {there}"));
        let found = commands(&cell);
        assert!(!found.is_empty(), "{there}: {cell}");
        for command in found {
            let ran = terminal.ubp(command);
            assert!(ran.succeeded(), "{}", ran.transcript());
        }
    }
    let ran = terminal.ubp("query 'SELECT path FROM files ORDER BY path' --glob daily/*.md --json");
    assert_eq!(ran.json()["row_count"], 3, "{}", ran.transcript());
    for (there, part) in [
        ("`--base-dir`", "`-C DIR`"),
        ("`FRONTMATTER_ENABLE_SEMANTIC`", "always on"),
        ("`FRONTMATTER_EMBEDDING_MODEL`", "`ubp model use NAME`"),
        ("`FRONTMATTER_CACHE_DIR`", "`.ubp/metadata.db`"),
    ] {
        assert!(row(there).contains(part), "{there}");
    }
}

#[test]
fn many_clients_ask_and_edit_at_once_and_none_meets_a_lock() {
    let terminal = diary();
    let folder = terminal.folder();
    thread::scope(|scope| {
        for number in 0..CLIENTS {
            scope.spawn(move || {
                let mut client = connected(folder);
                for round in 0..ROUNDS {
                    let round = round.to_string();
                    let page = folder.join(format!("notes/by {number}.md"));
                    fs::write(page, format!("---\nround: {round}\n---\n# By {number}\n")).unwrap();
                    let sql = format!("SELECT path, round FROM files WHERE path = 'notes/by {number}.md'");
                    let begun = Instant::now();
                    loop {
                        let found = client.call("query", json!({ "sql": sql })).unwrap();
                        assert_ne!(found["isError"], true, "{found}");
                        if found["structuredContent"]["results"][0]["round"] == *round {
                            break;
                        }
                        assert!(begun.elapsed() < PATIENCE, "the edit is not seen: {found}");
                    }
                }
            });
        }
    });
}
