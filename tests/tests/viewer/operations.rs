//! `POST /api/<operation>`: the operation table, and errors for programs.

use std::sync::Arc;

use serde_json::{Value, json};
use ubp_core::ops::OPERATIONS;

use super::{Viewer, vault};
#[test]
fn every_operation_exists_and_rejects_unknown_parameters() {
    let viewer = Viewer::of([("a.md", "# A\n")]);
    for operation in OPERATIONS {
        let answer = viewer.post(operation.name, &json!({ "colour": "red" }));
        assert_eq!(answer.status, 400, "{}: {}", operation.name, answer.text());
        assert_eq!(answer.json()["code"], "invalid_params", "{}", operation.name);
    }
}

#[test]
fn errors_have_a_code_a_message_a_hint_and_an_http_status() {
    let viewer = Viewer::of([("a.md", "# A\n"), ("x/b.md", "# Same\n"), ("y/b.md", "# Same\n")]);
    for (name, params, status, code) in [
        ("get_page", json!({ "page": "nowhere" }), 404, "page_not_found"),
        ("get_page", json!({ "page": "Same" }), 400, "ambiguous_page"),
        ("get_page", json!({}), 400, "invalid_params"),
        ("create_page", json!({ "title": "T", "path": "../out" }), 403, "outside_project"),
        ("nonsense", json!({}), 404, "invalid_params"),
    ] {
        let answer = viewer.post(name, &params);
        let error = answer.json();
        assert_eq!((answer.status, error["code"].as_str()), (status, Some(code)), "{name}: {error}");
        assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{error}");
        assert!(error.get("hint").is_some(), "{error}");
    }
    let headers = [("Cookie", viewer.cookie.as_str()), ("Content-Type", "application/json")];
    assert_eq!(viewer.send("POST", "/api/status", &headers, b"{").status, 400);
    assert_eq!(viewer.send("POST", "/api/status", &headers, b"").status, 200, "no body, no parameters");
}

#[test]
fn messages_are_in_the_language_of_the_request_and_hints_name_buttons() {
    let viewer =
        Viewer::of([("a.md", "# A\n\n[[nowhere]]\n\n```ubp\nselect\n```\n\n```base\nviews: 3\n```\n")]);
    let ask = |languages: &str, name: &str, params: &Value| {
        let headers = [
            ("Cookie", viewer.cookie.as_str()),
            ("Content-Type", "application/json"),
            ("Accept-Language", languages),
        ];
        viewer.send("POST", &format!("/api/{name}"), &headers, params.to_string().as_bytes()).json()
    };
    let japanese =
        |text: &Value| text.as_str().unwrap().contains(|c: char| ('\u{3040}'..'\u{30ff}').contains(&c));
    for (languages, is_japanese) in [("en-GB,en;q=0.9,ja;q=0.8", false), ("ja", true)] {
        let refused = ask(languages, "get_page", &json!({ "page": "nowhere" }));
        assert_eq!(
            (refused["code"].as_str(), japanese(&refused["message"])),
            (Some("page_not_found"), is_japanese)
        );
        assert_eq!(japanese(&refused["hint"]), is_japanese, "{refused}");
        let checked = ask(languages, "doctor", &json!({}));
        let findings = checked["findings"].as_array().unwrap_or_else(|| panic!("{checked}"));
        let broken = findings.iter().find(|finding| finding["code"] == "unresolved_link");
        let broken = broken.unwrap_or_else(|| panic!("{checked}"));
        assert_eq!(japanese(&broken["message"]), is_japanese, "{broken}");
        let html = &ask(languages, "render_page", &json!({ "page": "a.md" }))["html"];
        assert_eq!(html.as_str().unwrap().matches("query-problem").count(), 2, "{html}");
        assert_eq!(japanese(html), is_japanese, "{html}");
        // A program's answer has no language.
        let page = ask(languages, "get_page", &json!({ "page": "a.md" }));
        assert_eq!(page["title"], "A");
    }
}

#[test]
fn saving_needs_the_hash_and_a_conflict_returns_the_one_on_disk() {
    let viewer = Viewer::of([("a.md", "\u{feff}# A\r\n")]);
    let page = viewer.call("read_page", &json!({ "page": "a.md" }));
    assert_eq!(page["text"], "# A\n");
    let save = |text: &str, hash: &Value| {
        viewer.post("save_page", &json!({ "page": "a.md", "text": text, "expected_hash": hash }))
    };
    let saved = save("# A\nmore\n", &page["content_hash"]);
    assert_eq!(saved.status, 200, "{}", saved.text());
    assert_eq!(std::fs::read(viewer.terminal.path("a.md")).unwrap(), b"\xef\xbb\xbf# A\r\nmore\r\n");
    let refused = save("# lost\n", &page["content_hash"]);
    assert_eq!(refused.status, 409);
    assert_eq!(refused.json()["content_hash"], saved.json()["content_hash"]);
    assert_eq!(refused.json()["code"], "conflict");
}

#[test]
fn only_an_attachment_may_make_a_request_larger_than_a_page() {
    let viewer = Viewer::of([("a.md", "# A\n")]);
    // In base64, zeros.
    let attached = |megabytes: usize| {
        let base64 = "AAAA".repeat(megabytes * 1024 * 1024 / 3);
        viewer.post("add_attachment", &json!({ "page": "a.md", "name": "zeros.zip", "base64": base64 }))
    };
    let stored = attached(18);
    assert_eq!((stored.status, stored.json()["link"].as_str()), (200, Some("[[zeros.zip]]")));
    let size = std::fs::metadata(viewer.terminal.path("attachments/zeros.zip")).unwrap().len();
    assert_eq!(size, 18 * 1024 * 1024);
    assert_eq!(attached(21).status, 413);
    let params = json!({ "page": "a.md", "text": "x".repeat(17 * 1024 * 1024), "expected_hash": "" });
    assert_eq!(viewer.post("save_page", &params).status, 413);
    assert_eq!(std::fs::read(viewer.terminal.path("a.md")).unwrap(), b"# A\n");
}

#[test]
fn a_new_page_can_be_read_and_saved_at_once() {
    let viewer = Viewer::of([("a.md", "# A\n")]);
    viewer.call("status", &json!({}));
    for number in 0..10 {
        let path = format!("new {number}.md");
        viewer.terminal.write(&path, "# New\n").unwrap();
        let page = viewer.call("read_page", &json!({ "page": path }));
        let params = json!({ "page": path, "text": "# Newer\n", "expected_hash": page["content_hash"] });
        viewer.call("save_page", &params);
        // The next answer includes the change, even before the file watcher reports it.
        let told = viewer.call("get_page", &json!({ "page": path }));
        assert_eq!((&told["title"], &told["index"]["fresh"]), (&json!("Newer"), &json!(true)));
    }
}

#[test]
fn changes_in_the_sources_of_a_page_are_returned_as_a_diff() {
    let terminal = vault([
        ("login.md", "---\nsource_refs: [src/login.rs, src/gone.rs]\n---\n# Login\n"),
        ("plain.md", "# Plain\n"),
        ("src/login.rs", "fn one() {}\n"),
    ]);
    terminal.git("init --quiet");
    terminal.git("add .");
    terminal.git("commit --quiet -m first");
    assert!(terminal.ubp("review login.md --still-accurate").succeeded());
    terminal.write("src/login.rs", "fn two() {}\n\n").unwrap();
    terminal.git("commit --quiet -am second");
    terminal.write("src/login.rs", "fn two() {}\nfn three() {}\n").unwrap();
    let viewer = Viewer::on(Arc::new(terminal), "");
    let told = viewer.call("source_diff", &json!({ "page": "Login" }));
    assert_eq!(told["filepath"], "login.md");
    let changes = told["changes"].as_array().unwrap();
    let of = |file: &str| changes.iter().find(|change| change["file_path"] == file).unwrap();
    let login = of("src/login.rs");
    let diff = login["diff"].as_str().unwrap();
    assert!(
        diff.contains("-fn one() {}") && diff.contains("+fn two() {}") && diff.contains("+fn three() {}"),
        "{diff}"
    );
    assert_eq!(login["commits"][0]["subject"], "second");
    assert_eq!(of("src/gone.rs")["reason"], "missing");
    let told = viewer.call("source_diff", &json!({ "page": "plain.md" }));
    assert_eq!((&told["staleness"], &told["changes"]), (&json!("untracked"), &json!([])));
}
