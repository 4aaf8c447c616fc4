//! Answers over MCP: equal to those of the operation table, valid against the announced schema, and within the
//! requested size.

mod proposing;
mod rights;
mod sessions;
mod writing;

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use ubp_core::ops::{Effect, Tool, find};
use ubp_core::text::estimate_tokens;
use ubp_tests::mcp::McpClient;

use crate::parity::{cases, table, vault, without_times};
use crate::process::{command, project};

/// A server on the project in `folder`, with an up-to-date index.
pub fn server(folder: &Path, arguments: &[&str]) -> McpClient {
    McpClient::start_fresh(command(folder, &[&["mcp-server"], arguments].concat()), "ubp_status", &json!({}))
        .unwrap()
}

/// The tools of a server, by name.
fn tools(client: &mut McpClient) -> HashMap<String, Value> {
    let listed = client.tools().unwrap().into_iter();
    listed.map(|tool| (tool["name"].as_str().unwrap().to_owned(), tool)).collect()
}

/// The text of a structured result.
pub fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

#[test]
fn tools_answer_like_the_operation_table_and_match_their_output_schema() {
    let terminal = vault();
    // An agent sees only its own proposals (`mcp/proposing.rs`).
    std::fs::remove_dir_all(terminal.path(".ubp/proposals")).unwrap();
    terminal.ubp("add");
    terminal.ubp("review login.md --still-accurate");
    let mut client = server(terminal.folder(), &["--tools", "all", "--write=apply"]);
    let tools = tools(&mut client);
    let mut called = 0;
    for (command, name, params) in cases() {
        let operation = find(name).unwrap();
        // Writing tools follow stricter rules for agents, see below.
        let is_offered = !matches!(operation.facts.tool, Tool::Never | Tool::Proposing);
        if !is_offered || operation.facts.effect != Effect::Read {
            continue;
        }
        called += 1;
        // `max_tokens` limits the text here, but the fields elsewhere, so results would differ.
        let mut params = params;
        params.as_object_mut().unwrap().remove("max_tokens");
        let own = (operation.input_schema)().to_value();
        // Clients do not know what is only for programs.
        params.as_object_mut().unwrap().retain(|name, _| own["properties"][name]["x-for-programs"] != true);
        let tool = &tools[operation.mcp_name];
        jsonschema::validate(&tool["inputSchema"], &params).unwrap_or_else(|e| panic!("{command}: {e}"));
        let result = client.call(operation.mcp_name, params.clone()).unwrap();
        assert_ne!(result["isError"], true, "{command}: {result}");
        let structured = &result["structuredContent"];
        jsonschema::validate(&tool["outputSchema"], structured)
            .unwrap_or_else(|e| panic!("{command}: {}: {e}", e.instance_path()));
        assert!(!text(&result).is_empty(), "{command}");
        let answered = table(&terminal, name, &params);
        assert_eq!(without_times(structured.clone()), without_times(answered), "{command}");
    }
    assert!(called > 20, "{called}");
    assert_eq!(client.close().unwrap(), Some(0));
}

#[test]
fn every_tool_respects_max_tokens() {
    let folder = project(60);
    let mut client = server(folder.path(), &[]);
    let paths: Vec<String> = client.call("ubp_list_pages", json!({})).unwrap()["structuredContent"]["pages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|page| page["filepath"].as_str().unwrap().to_owned())
        .collect();
    let mut asked = 0;
    for (name, tool) in tools(&mut client) {
        if tool["inputSchema"]["properties"].get("max_tokens").is_none() {
            continue;
        }
        for (round, max_tokens) in [256, 300, 700, 1_500, 4_000, 20_000].into_iter().enumerate() {
            let page = &paths[round * 7 % paths.len()];
            let mut arguments = Map::new();
            for (field, value) in [
                ("query", json!("session token 認証")),
                ("page", json!(page)),
                ("file", json!("src/nothing.rs")),
                ("threshold", json!(0)),
                ("limit", json!(20)),
                ("content", json!(true)),
                ("explain", json!(true)),
                ("include_linked", json!(true)),
            ] {
                // `file` and `page` are alternatives.
                let both = field == "file" && arguments.contains_key("page");
                if tool["inputSchema"]["properties"].get(field).is_some() && !both {
                    arguments.insert(field.into(), value);
                }
            }
            arguments.insert("max_tokens".into(), max_tokens.into());
            let result = client.call(&name, Value::Object(arguments.clone())).unwrap();
            assert_ne!(result["isError"], true, "{name} {arguments:?}: {result}");
            let structured = estimate_tokens(&result["structuredContent"].to_string());
            let text = estimate_tokens(text(&result));
            assert!(structured <= 2 * max_tokens, "{name} {max_tokens}: {structured} structured");
            assert!(text <= max_tokens, "{name} {max_tokens}: {text} as text");
            asked += 1;
        }
    }
    assert!(asked >= 50, "{asked}");
}

#[test]
fn answers_are_limited_by_default_and_larger_on_request() {
    let folder = project(400);
    let mut client = server(folder.path(), &[]);
    let all = client.call("ubp_list_pages", json!({})).unwrap();
    let size = estimate_tokens(&all["structuredContent"].to_string());
    assert!((12_500..=25_000).contains(&size), "{size}");
    assert!(estimate_tokens(text(&all)) <= 12_500);
    let named = |list: &str| all["structuredContent"][list].as_array().unwrap().len();
    assert!(named("more_paths") > 0 && named("pages") + named("more_paths") == 400);
    assert!(text(&all).contains("left out"), "{}", text(&all));
    let more = client.call("ubp_list_pages", json!({ "max_tokens": 200_000 })).unwrap();
    assert_eq!(more["structuredContent"]["pages"].as_array().unwrap().len(), 400);
}

#[test]
fn errors_that_an_agent_can_fix_are_results_that_say_how() {
    let terminal = vault();
    let mut client = server(terminal.folder(), &[]);
    for (tool, arguments, code, says) in [
        ("ubp_search", json!({}), "invalid_params", "query"),
        ("ubp_search", json!({ "query": "x", "colour": "red" }), "invalid_params", "colour"),
        ("ubp_search", json!({ "query": "x", "limit": 21 }), "invalid_params", "20"),
        ("ubp_search", json!({ "query": 7 }), "invalid_params", "query: expected text, not 7"),
        (
            "ubp_search",
            json!({ "query": "x", "limit": "many" }),
            "invalid_params",
            "limit: expected a whole number",
        ),
        ("ubp_get_page", json!({ "page": "logn" }), "page_not_found", "login.md"),
        ("ubp_get_page", json!({ "filepath": "../../etc/passwd" }), "page_not_found", "passwd"),
    ] {
        let result = client.call(tool, arguments.clone()).unwrap();
        assert_eq!(result["isError"], true, "{tool} {arguments}");
        assert_eq!(result["_meta"]["unified-blueprint/error"]["code"], code, "{tool} {arguments}");
        assert!(result["structuredContent"].is_null());
        assert!(text(&result).contains(code) && text(&result).contains(says), "{}", text(&result));
    }
    let unknown = client.call("ubp_nonsense", json!({})).unwrap_err().to_string();
    assert!(unknown.contains("-32602") && unknown.contains("ubp_search"), "{unknown}");
    let forbidden = client.call("ubp_rebuild", json!({})).unwrap_err().to_string();
    assert!(forbidden.contains("-32602"), "{forbidden}");
    let method = client.request("no/such", json!({})).unwrap_err().to_string();
    assert!(method.contains("-32601"), "{method}");
}

#[test]
fn a_file_that_changes_is_in_the_next_answer() {
    let terminal = vault();
    let mut client = server(terminal.folder(), &[]);
    let find = |client: &mut McpClient, word: &str| {
        let result = client.call("ubp_fulltext_search", json!({ "query": word })).unwrap();
        result["structuredContent"]["total_found"].as_u64().unwrap()
    };
    assert_eq!(find(&mut client, "zweiundvierzig"), 0);
    std::fs::write(terminal.path("new.md"), "# New\n\nzweiundvierzig\n").unwrap();
    let begun = Instant::now();
    while find(&mut client, "zweiundvierzig") == 0 {
        assert!(begun.elapsed().as_secs() < 10, "the change was never seen");
        std::thread::sleep(Duration::from_millis(20));
    }
}
