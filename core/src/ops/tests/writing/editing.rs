//! Edits that change only a part: one section without its subsections, one passage, one appended line.

use super::*;

const PAGE: &str = "---\ntitle: Guide\ntags: [a, b]\n---\n# Guide\n\nIntro.\n\n## Setup\n\nOne.\n\n### Linux\n\nApt.\n\n### Mac\n\nBrew.\n\n## Use\n\nOne.\n";

fn vault() -> Project {
    Project::with_pages([("guide.md", PAGE)])
}

fn update<S: Source>(project: &Project<S>, params: Value) -> Result<Value> {
    let mut params = params;
    params["page"] = "guide.md".into();
    call(project, "update_page", params)
}

#[test]
fn replacing_a_section_keeps_its_subsections() {
    let project = vault();
    let edited = update(&project, json!({ "section": "guide/setup", "content": "Two." })).unwrap();
    assert_eq!(text(&project, "guide.md"), PAGE.replacen("One.", "Two.", 1));
    assert_eq!(edited["kept_sections"], json!(["guide/setup/linux", "guide/setup/mac"]));
    // The heading is part of their ids.
    let edited =
        update(&project, json!({ "section": "guide/setup", "content": "## Install\n\nTwo." })).unwrap();
    assert_eq!(edited["kept_sections"], json!(["guide/install/linux", "guide/install/mac"]));
    assert!(text(&project, "guide.md").contains("## Install\n\nTwo.\n\n### Linux\n\nApt.\n"));
}

#[test]
fn subsections_are_replaced_if_the_content_has_headings_or_on_request() {
    let project = vault();
    let content = "## Setup\n\nTwo.\n\n### Linux\n\nDnf.";
    let edited = update(&project, json!({ "section": "guide/setup", "content": content })).unwrap();
    let now = text(&project, "guide.md");
    assert!(now.contains("### Linux\n\nDnf.\n\n## Use\n") && !now.contains("Brew"), "{now}");
    assert_eq!(edited["removed_sections"], json!(["guide/setup/mac"]), "the answer names what is gone");
    let project = vault();
    let params = json!({ "section": "guide/setup", "content": "Two.", "replace_subsections": true });
    let edited = update(&project, params).unwrap();
    assert!(text(&project, "guide.md").contains("## Setup\n\nTwo.\n\n## Use\n"));
    assert_eq!(edited["removed_sections"], json!(["guide/setup/linux", "guide/setup/mac"]));
    assert_eq!(edited["kept_sections"], json!([]));
}

#[test]
fn old_is_replaced_by_new_if_it_occurs_once() {
    let project = vault();
    let edited = update(&project, json!({ "old": "Apt.", "new": "Apt or snap." })).unwrap();
    assert_eq!(text(&project, "guide.md"), PAGE.replace("Apt.", "Apt or snap."));
    assert_eq!(edited["replaced_count"], 1);
    // Front matter can be edited too, and so can a part of the page.
    update(&project, json!({ "old": "[a, b]", "new": "[a]" })).unwrap();
    update(&project, json!({ "old": "One.", "new": "Last.", "section": "guide/use" })).unwrap();
    let now = text(&project, "guide.md");
    assert!(
        now.contains("tags: [a]\n") && now.ends_with("## Use\n\nLast.\n") && now.contains("## Setup\n\nOne.")
    );
    let same = update(&project, json!({ "old": "Last.", "new": "Last." })).unwrap();
    assert_eq!(same["audit_id"], Value::Null);
}

#[test]
fn all_replaces_every_occurrence_of_old() {
    let project = vault();
    let error = update(&project, json!({ "old": "One.", "new": "Two." })).unwrap_err();
    assert_eq!(
        error.to_string(),
        "guide.md: `old` occurs 2 times, on lines 11, 23; pass a longer passage that occurs once, or `all: true`"
    );
    let edited = update(&project, json!({ "old": "One.", "new": "Two.", "all": true })).unwrap();
    assert_eq!(
        (&edited["replaced_count"], text(&project, "guide.md")),
        (&json!(2), PAGE.replace("One.", "Two."))
    );
}

#[test]
fn the_error_for_a_missing_passage_names_the_closest_line() {
    let project = vault();
    let message = |params: Value| update(&project, params).unwrap_err().to_string();
    assert_eq!(
        message(json!({ "old": "### Linux\nApt.", "new": "" })),
        "guide.md: `old` was not found; the closest match is line 14: found '', expected 'Apt.'"
    );
    assert_eq!(
        message(json!({ "old": "Windows", "new": "" })),
        "guide.md: `old` was not found, and no line is similar"
    );
    assert_eq!(
        message(json!({ "old": "Brew.", "new": "", "section": "guide/use" })),
        "guide.md: `old` was not found in this section; it occurs on line 19"
    );
    for params in [
        json!({ "old": "", "new": "x" }),
        json!({ "old": "Apt." }),
        json!({ "new": "Apt." }),
        json!({ "old": "Apt.", "new": "x", "content": "x" }),
        json!({ "old": "Apt.", "new": "x", "mode": "append" }),
        json!({}),
    ] {
        assert_eq!(update(&project, params.clone()).unwrap_err().code(), "invalid_params", "{params}");
    }
    let error = update(&project, json!({ "old": "[a, b]", "new": "[a, b" })).unwrap_err();
    assert_eq!(error.code(), "front_matter", "{error}");
    assert_eq!(text(&project, "guide.md"), PAGE);
}

#[test]
fn an_agent_appends_and_replaces_a_passage_without_a_hash() {
    let project = vault();
    let context = agent(&project);
    let ask = |params: Value| context.call("update_page", params);
    ask(json!({ "page": "guide.md", "mode": "append", "content": "End." })).unwrap();
    ask(json!({ "page": "guide.md", "mode": "append", "section": "guide/setup", "content": "More." }))
        .unwrap();
    ask(json!({ "page": "guide.md", "old": "Intro.", "new": "Begin." })).unwrap();
    let now = text(&project, "guide.md");
    assert!(now.contains("Brew.\n\nMore.\n\n## Use") && now.ends_with("One.\n\nEnd.\n"), "{now}");
    for params in [
        json!({ "page": "guide.md", "section": "guide/use", "content": "x" }),
        json!({ "page": "guide.md", "mode": "replace", "content": "x" }),
    ] {
        let error = ask(params).unwrap_err();
        assert!(error.to_string().starts_with("`expected_hash` is missing"), "{error}");
    }
    let old = ContentHash::of(PAGE.as_bytes()).to_string();
    let error =
        ask(json!({ "page": "guide.md", "old": "Begin.", "new": "x", "expected_hash": old })).unwrap_err();
    assert_eq!(error.code(), "conflict", "a hash that is given must match");
}

/// Makes every write to the index fail, as on a full disk.
fn fill_disk<S: Source>(project: &Project<S>) {
    let fail = "BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END;";
    let triggers = ["INSERT", "UPDATE", "DELETE"]
        .map(|event| format!("CREATE TRIGGER full_{event} BEFORE {event} ON pages {fail}"))
        .concat();
    project.index.write(|db| Ok(db.execute_batch(&triggers)?)).unwrap();
}

#[test]
fn a_written_change_succeeds_even_if_the_index_cannot_be_updated() {
    let edit = json!({ "page": "guide.md", "old": "Apt.", "new": "Dnf." });
    for (name, params) in [
        ("create_page", json!({ "title": "New" })),
        ("update_page", edit.clone()),
        ("rename_page", json!({ "page": "guide.md", "path": "manual.md" })),
        ("delete_page", json!({ "page": "guide.md" })),
        ("replace", json!({ "old": "One.", "new": "Two." })),
    ] {
        let project = vault();
        fill_disk(&project);
        let done = call(&project, name, params).unwrap();
        assert!(done["index_error"].as_str().unwrap().contains("disk is full"), "{name}: {done}");
        assert_eq!(done["index"]["fresh"], false, "{name}");
        let log = call(&project, "audit", json!({ "entry": done["audit_id"] })).unwrap();
        assert_eq!(log["entries"][0]["outcome"], "done", "{name}");
    }
    let project = vault();
    let edited = call(&project, "update_page", edit).unwrap();
    assert_eq!(edited["index_error"], Value::Null);
    fill_disk(&project);
    let undone = call(&project, "undo", json!({ "entry": edited["audit_id"] })).unwrap();
    assert!(undone["index_error"].is_string() && text(&project, "guide.md") == PAGE, "{undone}");
}
