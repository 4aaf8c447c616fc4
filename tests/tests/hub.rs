//! Many projects as one, for people and agents.

mod pinned;

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use ubp_tests::mcp::McpClient;
use ubp_tests::terminal::Terminal;

use crate::mcp::text;
use crate::process::command;

/// A folder with three projects and their list.
fn hub() -> Terminal {
    let terminal = Terminal::new().unwrap();
    for (path, page) in [
        ("auth/login.md", "# Login\n\nUsers sign in with a token, see [[tokens]].\n"),
        ("auth/tokens.md", "# Tokens\n\nA token lasts an hour. [[shop:checkout|depends_on]]\n"),
        ("front/login.md", "# Login of the shop\n\nCustomers sign in by mail.\n"),
        ("shop/checkout.md", "# Checkout\n\nPay with copper coins.\n"),
    ] {
        terminal.write(path, page).unwrap();
    }
    for project in ["auth", "front", "shop"] {
        assert!(terminal.ubp_in(project, &["init", "--pages-dir", "."]).succeeded());
    }
    let list = r#"{ "projects": ["auth", "fr*", { "path": "shop", "tags": ["backend"] }] }"#;
    terminal.write("hub.json", list).unwrap();
    terminal
}

fn paths(answer: &Value) -> Vec<&str> {
    let results = answer["results"].as_array().unwrap().iter().chain(answer["nearby"].as_array().unwrap());
    results.map(|result| result["filepath"].as_str().unwrap()).collect()
}

#[test]
fn people_search_and_read_all_projects() {
    let terminal = hub();
    let listed = terminal.ubp("hub list --json").json();
    let of = |at: usize, field: &str| listed["projects"][at][field].clone();
    assert_eq!([of(0, "project"), of(1, "project"), of(2, "project")], ["auth", "front", "shop"]);
    assert_eq!((of(0, "pages"), of(2, "tags"), of(1, "error")), (json!(2), json!(["backend"]), Value::Null));

    let found = terminal.ubp("hub search 'sign in' --fulltext --json").json();
    assert_eq!(paths(&found), ["auth:login.md", "front:login.md"]);
    let found = terminal.ubp("hub search sign copper --fulltext --projects '#backend,front' --json").json();
    assert_eq!(paths(&found), ["shop:checkout.md", "front:login.md"]);
    let shown = terminal.ubp("hub search copper --fulltext");
    assert!(shown.transcript().contains("shop:checkout.md:3: Checkout"), "{}", shown.transcript());

    let page = terminal.ubp("hub get shop:checkout.md --json").json();
    assert_eq!((&page["project"], &page["filepath"]), (&json!("shop"), &json!("shop:checkout.md")));
    let affected = terminal.ubp("hub impact shop:checkout.md --json").json();
    assert_eq!(affected["in_other_projects"][0]["filepath"], "auth:tokens.md");
    let told = terminal.ubp("hub impact shop:checkout.md").transcript();
    assert!(told.contains("auth:tokens.md (depends_on) Tokens"), "{told}");
    assert!(told.contains("2 pages of other projects affected"), "{told}");
    assert!(!told.contains("no other page"), "{told}");
    let told = terminal.ubp("hub impact front:login.md").transcript();
    assert!(told.contains("no other page is affected"), "{told}");

    let ambiguous = terminal.ubp("hub get login");
    assert!(!ambiguous.succeeded());
    let told = ambiguous.transcript();
    assert!(told.contains("'login' could be any of: auth:login.md, front:login.md"), "{told}");
}

#[test]
fn stale_pages_are_listed_with_those_of_other_projects_that_depend_on_them() {
    let terminal = hub();
    let fresh = terminal.ubp("hub stale --exit-code");
    assert!(fresh.succeeded(), "{}", fresh.transcript());
    terminal.write("shop/checkout.md", "---\nstale_after: 2001-01-01\n---\n# Checkout\n").unwrap();
    let told = terminal.ubp("hub stale").transcript();
    assert!(told.contains("[STALE] shop:checkout.md"), "{told}");
    assert!(told.contains("[SUSPECT] auth:tokens.md — depends on shop:checkout.md"), "{told}");
    let of_one = terminal.ubp("hub stale --projects auth --json").json();
    assert_eq!(of_one["pages"][0]["suspect_path"], json!(["auth:tokens.md", "shop:checkout.md"]));
    let listed = terminal.ubp("hub stale --json --only stale").json();
    let counts: Vec<usize> = listed["projects"]
        .as_array()
        .unwrap()
        .iter()
        .map(|project| project["pages"].as_array().unwrap().len())
        .collect();
    assert_eq!(counts, [0, 0, 1]);
    for (arguments, succeeds) in [("", true), ("--exit-code", false), ("--exit-code --projects auth", true)] {
        let ended = terminal.ubp(&format!("hub stale {arguments}"));
        assert_eq!(ended.succeeded(), succeeds, "{}", ended.transcript());
    }
    terminal.write("front/.ubp/manifest.json", "{ broken").unwrap();
    let ended = terminal.ubp("hub stale --exit-code --projects auth,front");
    assert!(!ended.succeeded(), "what cannot be read is not taken for fresh: {}", ended.transcript());
}

/// The number of broken links of a project.
fn broken_links(terminal: &Terminal, project: &str) -> Value {
    terminal.ubp_in(project, &["status", "--json"]).json()["unresolved_link_count"].clone()
}

/// The findings about links of a project, each with its kind and message.
fn link_findings(terminal: &Terminal, project: &str) -> Vec<(String, String)> {
    let found = terminal.ubp_in(project, &["doctor", "--json"]).json();
    let links = ["unresolved_link", "link_to_project"];
    let findings = found["findings"].as_array().unwrap().iter();
    findings
        .map(|finding| ["code", "message"].map(|field| finding[field].as_str().unwrap().to_owned()))
        .filter(|[code, _]| links.contains(&code.as_str()))
        .map(|[code, message]| (code, message))
        .collect()
}

#[test]
fn a_project_knows_the_others_of_its_list() {
    let terminal = hub();
    let told = |code: &str, message: &str| (code.to_owned(), message.to_owned());
    for file in ["metadata.db", "metadata.db-wal", "metadata.db-shm"] {
        let _ = fs::remove_file(terminal.path("shop/.ubp").join(file));
    }
    let unknown = "link to another project: 'shop:checkout', whose pages are not known here";
    assert_eq!(link_findings(&terminal, "auth"), [told("link_to_project", unknown)]);
    assert_eq!(broken_links(&terminal, "auth"), 0);
    // Builds the indexes.
    terminal.ubp("hub list");
    assert_eq!(
        link_findings(&terminal, "auth"),
        [told("link_to_project", "link to another project: 'shop:checkout'")]
    );
    terminal.write("auth/alone.md", "# Alone\n\n[[shop:checkout]]\n").unwrap();
    let orphans = terminal.ubp_in("auth", &["doctor", "orphan_page", "--json"]).json();
    assert_eq!(orphans["findings"], json!([]), "a link to another project counts");
    fs::remove_file(terminal.path("auth/alone.md")).unwrap();
    let doctor = terminal.ubp_in("auth", &["doctor", "--exit-code"]);
    assert!(doctor.succeeded(), "{}", doctor.transcript());
    let index = fs::read(terminal.path("shop/.ubp/metadata.db")).unwrap();
    terminal.write("auth/login.md", "# Login\n\n[[shop:basket]] [[bank:account]] [[auth:tokens]]\n").unwrap();
    assert_eq!(
        link_findings(&terminal, "auth"),
        [
            told("unresolved_link", "broken link to 'auth:tokens'"),
            told("unresolved_link", "broken link to 'bank:account'"),
            told("unresolved_link", "broken link to 'shop:basket': the project shop has no such page"),
            told("link_to_project", "link to another project: 'shop:checkout'"),
        ]
    );
    assert!(index == fs::read(terminal.path("shop/.ubp/metadata.db")).unwrap(), "it is only read");
    assert_eq!(broken_links(&terminal, "auth"), 3);
    let wanted = terminal.ubp_in("auth", &["doctor", "--json"]).json()["wanted_pages"].to_string();
    assert!(!wanted.contains("shop:"), "{wanted}");
    // A list that leaves one of both out says nothing.
    terminal.write("hub.json", r#"{ "projects": ["shop"] }"#).unwrap();
    assert!(link_findings(&terminal, "auth").iter().all(|(code, _)| code == "unresolved_link"));
    assert_eq!(broken_links(&terminal, "auth"), 4);
}

#[test]
fn an_agent_is_not_told_what_another_project_has() {
    let terminal = hub();
    terminal.ubp("hub list");
    terminal.write("auth/login.md", "# Login\n\n[[shop:basket]]\n").unwrap();
    let arguments = ["mcp-server"];
    let mut client = McpClient::start(command(&terminal.path("auth"), &arguments)).unwrap();
    let found = client.call("ubp_doctor", json!({})).unwrap();
    let findings = found["structuredContent"]["findings"].as_array().unwrap().iter();
    let told: Vec<&str> = findings
        .filter(|finding| finding["code"] == "link_to_project")
        .map(|finding| finding["message"].as_str().unwrap())
        .collect();
    assert_eq!(
        told,
        [
            "link to another project: 'shop:basket', whose pages are not known here",
            "link to another project: 'shop:checkout', whose pages are not known here",
        ]
    );
}

#[test]
fn a_hub_without_a_list_says_how_to_start_one() {
    let terminal = Terminal::new().unwrap();
    terminal.write("notes/a.md", "# A\n").unwrap();
    let told = terminal.ubp("hub list").transcript();
    assert!(told.contains("no hub.json in ") && told.contains("--in '../*'"), "{told}");
    let told = terminal.ubp("hub list --in '*'").transcript();
    assert!(told.contains("no project found"), "{told}");
    let told = terminal.ubp("hub list --in notes").transcript();
    assert!(told.contains("ubp init"), "{told}");
    terminal.write("hub.json", "{ \"projects\": [\n1 ] }").unwrap();
    let told = terminal.ubp("hub list").transcript();
    assert!(told.contains("hub.json, line 2: "), "{told}");
}

#[test]
fn a_project_that_cannot_be_read_does_not_hold_the_others() {
    let terminal = hub();
    terminal.write("front/.ubp/manifest.json", "{ broken").unwrap();
    let listed = terminal.ubp("hub list --json");
    assert!(!listed.succeeded(), "{}", listed.transcript());
    assert!(listed.json()["projects"][1]["error"].as_str().unwrap().contains("manifest.json"));
    let found = terminal.ubp("hub search 'sign in' --fulltext --json").json();
    assert_eq!(paths(&found), ["auth:login.md"]);
    assert_eq!(found["failed_projects"][0]["project"], "front");
    let shown = terminal.ubp("hub search 'sign in' --fulltext");
    assert!(shown.transcript().contains("project 'front' cannot be read: "), "{}", shown.transcript());
}

fn serve(terminal: &Terminal) -> McpClient {
    let mut client = McpClient::start(command(terminal.folder(), &["hub", "serve", "--as", "bot"])).unwrap();
    until(&mut client, "sign", |paths| !paths.is_empty());
    client
}

#[test]
fn agents_ask_all_projects_at_one_address() {
    let terminal = hub();
    let mut client = serve(&terminal);
    let tools = client.tools().unwrap();
    assert!(tools.iter().all(|tool| tool["inputSchema"]["properties"]["projects"]["type"] == "array"));
    assert!(tools.iter().all(|tool| tool["annotations"]["readOnlyHint"] == true));

    let found = client.call("ubp_search", json!({ "query": "sign in", "mode": "fulltext" })).unwrap();
    assert_eq!(paths(&found["structuredContent"]), ["auth:login.md", "front:login.md"]);
    assert!(text(&found).contains("`auth:login.md:3`"), "{}", text(&found));
    let page = client.call("ubp_get_page", json!({ "page": "auth:tokens.md" })).unwrap();
    assert!(
        text(&page).contains("`auth:tokens.md`") && text(&page).contains("lasts an hour"),
        "{}",
        text(&page)
    );
    let affected = client.call("ubp_get_impact", json!({ "page": "shop:checkout.md" })).unwrap();
    assert!(text(&affected).contains("`auth:tokens.md`"), "{}", text(&affected));
    let listed = client.call("ubp_list_pages", json!({ "projects": ["auth", "shop"] })).unwrap();
    assert_eq!(listed["structuredContent"]["projects"].as_array().unwrap().len(), 2);
    let refused = client.call("ubp_search", json!({ "query": "x", "projects": ["nothing"] })).unwrap();
    assert!(text(&refused).contains("no project is called 'nothing'; the projects are auth, front, shop"));
}

/// All resources, and the number of parts that they came in.
fn resources(client: &mut McpClient) -> (Vec<String>, usize) {
    let (mut found, mut cursor, mut parts) = (Vec::new(), Value::Null, 0);
    loop {
        let params = if cursor.is_null() { json!({}) } else { json!({ "cursor": cursor }) };
        let answer = client.request("resources/list", params).unwrap();
        found.extend(
            answer["resources"]
                .as_array()
                .unwrap()
                .iter()
                .map(|page| page["uri"].as_str().unwrap().to_owned()),
        );
        parts += 1;
        cursor = answer["nextCursor"].clone();
        if cursor.is_null() {
            return (found, parts);
        }
    }
}

#[test]
fn pages_of_all_projects_are_resources() {
    let terminal = hub();
    terminal.write("broken/.ubp/manifest.json", "{ broken").unwrap();
    terminal.write("empty/.gitkeep", "").unwrap();
    assert!(terminal.ubp_in("empty", &["init", "--pages-dir", "."]).succeeded());
    for page in 0..203 {
        terminal.write(&format!("many/p{page:03}.md"), "# Page\n").unwrap();
    }
    assert!(terminal.ubp_in("many", &["init", "--pages-dir", "."]).succeeded());
    let list = r#"{ "projects": ["auth", "broken", "empty", "many", "shop"] }"#;
    terminal.write("hub.json", list).unwrap();
    let mut client = serve(&terminal);
    let begun = Instant::now();
    let (found, parts) = loop {
        let (found, parts) = resources(&mut client);
        if found.len() == 206 {
            break (found, parts);
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{}", found.len());
        std::thread::sleep(Duration::from_millis(100));
    };
    assert_eq!(parts, 4, "one for each of auth and shop, two for many, none for empty");
    assert_eq!(
        found[..3],
        ["ubp://page/auth%3Alogin.md", "ubp://page/auth%3Atokens.md", "ubp://page/many%3Ap000.md"]
    );
    assert_eq!(found[205], "ubp://page/shop%3Acheckout.md");
    let read = |client: &mut McpClient, uri: &str| client.request("resources/read", json!({ "uri": uri }));
    for uri in ["ubp://page/shop%3Acheckout.md", "ubp://page/shop:checkout.md"] {
        let page = read(&mut client, uri).unwrap();
        assert_eq!(page["contents"][0]["text"], "# Checkout\n\nPay with copper coins.\n");
        assert_eq!(page["contents"][0]["uri"], uri);
    }
    for uri in [
        "ubp://page/shop:checkout",
        "ubp://page/checkout.md",
        "ubp://page/front:login.md",
        "ubp://page/broken:x.md",
        "ubp://page/shop:..%2Fauth%2Flogin.md",
        "ubp://page/shop:.ubp%2Fmanifest.json",
        "file:///etc/passwd",
    ] {
        assert!(read(&mut client, uri).is_err(), "{uri}");
    }
    for cursor in ["", "x", "x:shop"] {
        assert!(client.request("resources/list", json!({ "cursor": cursor })).is_err(), "{cursor}");
    }
    let past = client.request("resources/list", json!({ "cursor": "7:gone" })).unwrap();
    assert_eq!(past["resources"][0]["uri"], "ubp://page/many%3Ap000.md", "it goes on with the next project");
    let templates = client.request("resources/templates/list", json!({})).unwrap();
    assert_eq!(templates["resourceTemplates"][0]["uriTemplate"], "ubp://page/{+path}");
}

#[test]
fn a_hub_has_prompts_and_completes_names_of_pages() {
    let terminal = hub();
    let mut client = serve(&terminal);
    let prompts = client.request("prompts/list", json!({})).unwrap();
    let names: Vec<&str> = prompts["prompts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|prompt| prompt["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["review_stale_pages", "write_page_from_code", "explain_area"]);
    let params = json!({ "name": "explain_area", "arguments": { "area": "shop:checkout.md" } });
    let prompt = client.request("prompts/get", params).unwrap();
    assert!(
        prompt["messages"][0]["content"]["text"].as_str().unwrap().contains("shop:checkout.md"),
        "{prompt}"
    );
    assert!(client.request("prompts/get", json!({ "name": "nonsense" })).is_err());
    let completed = client
        .request(
            "completion/complete",
            json!({ "ref": { "type": "ref/prompt", "name": "explain_area" }, "argument": { "name": "area", "value": "login" } }),
        )
        .unwrap();
    assert_eq!(completed["completion"]["values"], json!(["auth:login.md", "front:login.md"]));
    assert_eq!(completed["completion"]["total"], 2);
}

/// Asks until an answer is as expected.
fn until(client: &mut McpClient, query: &str, is_as_expected: impl Fn(&[&str]) -> bool) {
    let begun = Instant::now();
    loop {
        let found = client.call("ubp_search", json!({ "query": query, "mode": "fulltext" })).unwrap();
        let answer = &found["structuredContent"];
        if is_as_expected(&paths(answer)) {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{answer}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn projects_and_pages_come_and_go_while_a_hub_is_served() {
    let terminal = hub();
    let mut client = serve(&terminal);
    until(&mut client, "walrus", |paths| paths.is_empty());
    terminal.write("shop/walrus.md", "# Walrus\n\nA walrus sells copper.\n").unwrap();
    until(&mut client, "walrus", |paths| paths == ["shop:walrus.md"]);

    terminal.write("fresh/new.md", "# New\n\nAnother walrus.\n").unwrap();
    assert!(terminal.ubp_in("fresh", &["init", "--pages-dir", "."]).succeeded());
    until(&mut client, "walrus", |paths| paths.len() == 2 && paths.contains(&"fresh:new.md"));
    // A mistake in the list leaves the projects as they were.
    terminal.write("hub.json", "{ \"projects\": [").unwrap();
    std::thread::sleep(Duration::from_millis(2_100));
    until(&mut client, "walrus", |paths| paths.len() == 2);
    terminal.write("hub.json", "{ \"projects\": [\"fr*\"] }").unwrap();
    until(&mut client, "walrus", |paths| paths == ["fresh:new.md"]);
    fs::remove_dir_all(terminal.path("fresh")).unwrap();
    until(&mut client, "walrus", |paths| paths.is_empty());
}

#[test]
fn what_a_project_hides_from_an_agent_a_hub_hides_too() {
    let terminal = hub();
    let manifest = terminal.path("auth/.ubp/manifest.json");
    let mut settings: Value = serde_json::from_slice(&fs::read(&manifest).unwrap()).unwrap();
    settings["rights"] = json!([{ "author": "bot", "path": "tokens.md", "right": "hide" }]);
    fs::write(&manifest, settings.to_string()).unwrap();
    let mut client = serve(&terminal);
    // The index without the hidden page is built with the first question.
    until(&mut client, "token hour", |paths| paths == ["auth:login.md"]);
    let page = client.call("ubp_get_page", json!({ "page": "auth:tokens.md" })).unwrap();
    assert!(page["isError"] == true, "{page}");
    let (listed, _) = resources(&mut client);
    assert!(!listed.contains(&"ubp://page/auth%3Atokens.md".to_owned()), "{listed:?}");
    assert!(client.request("resources/read", json!({ "uri": "ubp://page/auth:tokens.md" })).is_err());
    let affected = client.call("ubp_get_impact", json!({ "page": "shop:checkout.md" })).unwrap();
    assert_eq!(affected["structuredContent"]["in_other_projects"], json!([]));
    // People see everything.
    let found = terminal.ubp("hub search 'token hour' --fulltext --json").json();
    assert_eq!(paths(&found), ["auth:tokens.md", "auth:login.md"]);
}
