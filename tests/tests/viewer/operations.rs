//! `POST /api/<operation>`: the table, and errors that programs understand.

use serde_json::{Value, json};
use ubp_core::ops::OPERATIONS;

use super::Viewer;
use crate::parity::{table, without_times};

#[test]
fn answers_are_those_of_the_table() {
    let viewer = Viewer::of([("a.md", "# A\n\nOf [[b]].\n"), ("b.md", "# B\n")]);
    for (name, params) in [
        ("list_pages", json!({})),
        ("get_page", json!({ "page": "a" })),
        ("read_page", json!({ "page": "a" })),
        ("render_page", json!({ "page": "a" })),
        ("complete", json!({ "text": "b" })),
        ("get_graph", json!({ "page": "a" })),
    ] {
        let answered = viewer.call(name, &params);
        assert_eq!(without_times(answered), without_times(table(&viewer.terminal, name, &params)), "{name}");
    }
}

#[test]
fn every_operation_for_programs_is_there_and_refuses_what_it_does_not_know() {
    let viewer = Viewer::of([("a.md", "# A\n")]);
    for operation in OPERATIONS {
        let answer = viewer.post(operation.name, &json!({ "colour": "red" }));
        let expected = if operation.surfaces.api { 400 } else { 404 };
        assert_eq!(answer.status, expected, "{}: {}", operation.name, answer.text());
        assert_eq!(answer.json()["code"], "invalid_params", "{}", operation.name);
    }
}

#[test]
fn errors_have_a_code_a_message_a_hint_and_a_fitting_status() {
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
    assert_eq!(viewer.send("POST", "/api/status", &headers, b"").status, 200, "no parameters are none");
}

#[test]
fn saving_carries_the_hash_and_a_conflict_tells_the_one_on_disk() {
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
