//! What the server answers about pages and code.

use super::*;

/// An editor with a page in which `before` has just been typed, and the labels and texts that complete it.
fn completed(before: &str) -> Vec<(String, String)> {
    let mut editor = Editor::new();
    editor.settle();
    completed_by(&mut editor, before)
}

fn completed_by(editor: &mut Editor, before: &str) -> Vec<(String, String)> {
    let text = format!("{before}\n\nafter\n");
    editor.open_with("pages/New.md", &text);
    let line = u32::try_from(before.matches('\n').count()).unwrap();
    let column = before.rsplit('\n').next().unwrap().encode_utf16().count();
    let position = at(line, u32::try_from(column).unwrap());
    let found = editor.about_place("completion", "pages/New.md", &position);
    let Some(items) = found["items"].as_array() else { return Vec::new() };
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    items.iter().map(|item| (text(&item["label"]), text(&item["textEdit"]["newText"]))).collect()
}

#[test]
fn what_is_typed_is_completed_by_its_context() {
    let mut editor = Editor::new();
    editor.settle();
    for (typed, label, inserted) in [
        ("See [[sess", "Sessions", "Sessions]]"),
        ("See [[Signing", "Signing in", "Signing in]]"),
        ("[[Login#err", "Errors", "Errors]]"),
        ("[[Login#^", "^limits", "^limits]]"),
        ("[[Login|dep", "depends_on", "depends_on]]"),
        ("[[src/ses", "src/session.ts", "src/session.ts]]"),
        ("[[src/session.ts#ch", "Session.check", "Session.check]]"),
        ("![[Gui", "Guide", "Guide]]"),
        ("# T\n\n## Part\n\n[[#Pa", "Part", "Part]]"),
        ("a #au", "auth", "auth"),
        ("[x](Gui", "Guide", "guides/Guide.md"),
        ("---\ntags: [au", "auth", "auth"),
        ("---\ntags:\n  - au", "auth", "auth"),
        ("---\nsource_refs:\n  - src/se", "src/session.ts", "src/session.ts"),
        ("---\nsource_refs: [src/session.ts#ch", "Session.check", "Session.check"),
        ("---\nali", "aliases", "aliases: "),
        ("---\ntype: gui", "guide", "guide"),
        ("---\ndepends_on: \"[[Log", "Login", "Login]]"),
        ("😀 [[Log", "Login", "Login]]"),
    ] {
        let found = completed_by(&mut editor, typed);
        let is_there = found.iter().any(|(own, text)| own == label && text == inserted);
        assert!(is_there, "{typed:?}: no {label:?} as {inserted:?} in {found:?}");
    }
    for typed in ["words", "# ", "```\n#au", "[[Nowhere#x", "", "[[Login]] and"] {
        assert_eq!(completed_by(&mut editor, typed), [], "{typed:?}");
    }
}

#[test]
fn brackets_that_are_there_already_are_not_added() {
    let mut editor = Editor::new();
    editor.settle();
    for (text, column, expected) in
        [("[[Gui]] x", 5, "Guide"), ("[[Gui and [[Login]]", 5, "Guide]]"), ("[[Gui", 5, "Guide]]")]
    {
        editor.open_with("pages/New.md", text);
        let found = editor.about_place("completion", "pages/New.md", &at(0, column));
        assert_eq!(found["items"][0]["textEdit"]["newText"], expected, "{text}");
        assert_eq!(found["items"][0]["textEdit"]["range"], range((0, 2), (0, 5)), "{text}");
    }
}

#[test]
fn a_candidate_shows_its_page_or_symbol_when_it_is_chosen() {
    let mut editor = Editor::new();
    editor.settle();
    for (typed, shown) in
        [("[[Guid", "Read [[Login#Errors]] first"), ("[[src/session.ts#che", "/** Checks. */")]
    {
        editor.open_with("pages/New.md", typed);
        let position = at(0, u32::try_from(typed.len()).unwrap());
        let found = editor.about_place("completion", "pages/New.md", &position);
        let item = editor.ask("completionItem/resolve", &found["items"][0]);
        let documentation = item["documentation"]["value"].as_str().unwrap();
        assert!(documentation.contains(shown), "{documentation}");
        assert_eq!(item["label"], found["items"][0]["label"]);
    }
    // Items of another server, or of before a page was deleted.
    for data in [json!(null), json!(3), json!({ "uri": "untitled:x", "path": "a" })] {
        let item = json!({ "label": "x", "data": data });
        assert_eq!(editor.ask("completionItem/resolve", &item)["label"], "x", "{data}");
    }
}

#[test]
fn hovering_over_a_link_shows_where_it_leads() {
    let mut editor = Editor::new();
    let text = editor.open("pages/Login.md");
    editor.settle();
    for (word, shown) in [
        ("Sessions|", vec!["**Sessions**", "Made by [[Login]]", "2 links from other pages"]),
        ("Sessions#", vec!["## Storage", "In memory"]),
        ("Nowhere", vec!["broken link to 'Nowhere'"]),
        (
            "src/session.ts#Session.check]]",
            vec!["check(user: string): boolean", "/** Checks. */", "Described in Login"],
        ),
    ] {
        let hover = editor.about_place("hover", "pages/Login.md", &position_of(&text, word));
        let value = hover["contents"]["value"].as_str().unwrap();
        for shown in shown {
            assert!(value.contains(shown), "{word}: no {shown} in {value}");
        }
        assert_eq!(hover["contents"]["kind"], "markdown");
    }
    let block = editor.open("pages/Sessions.md");
    let hover = editor.about_place("hover", "pages/Sessions.md", &position_of(&block, "Login#^"));
    assert!(
        hover["contents"]["value"].as_str().unwrap().ends_with("After five errors it waits. ^limits"),
        "{hover}"
    );
    let nothing = editor.about_place("hover", "pages/Login.md", &position_of(&text, "After"));
    assert!(nothing.is_null());
}

#[test]
fn links_lead_to_pages_headings_blocks_and_symbols() {
    let mut editor = Editor::new();
    let login = editor.open("pages/Login.md");
    let guide = editor.open("pages/guides/Guide.md");
    let sessions = editor.open("pages/Sessions.md");
    editor.settle();
    for (path, text, word, place) in [
        ("pages/Login.md", &login, "Sessions|", vec!["Sessions.md:0:0"]),
        ("pages/Login.md", &login, "Sessions#", vec!["Sessions.md:4:0"]),
        ("pages/Login.md", &login, "src/session.ts#Session.check]]", vec!["session.ts:2:0"]),
        ("pages/guides/Guide.md", &guide, "Errors", vec!["Login.md:11:0"]),
        ("pages/guides/Guide.md", &guide, "the login page", vec!["Login.md:0:0"]),
        ("pages/Sessions.md", &sessions, "Login#^", vec!["Login.md:13:0"]),
    ] {
        let found = editor.about_place("definition", path, &position_of(text, word));
        assert_eq!(places(&found), place, "{word}");
    }
    assert!(editor.about_place("definition", "pages/Login.md", &position_of(&login, "Nowhere")).is_null());
    let links = editor.about("documentLink", "pages/Login.md");
    let targets: Vec<_> =
        each(&links, "target").iter().map(|target| target.rsplit('/').next().unwrap()).collect();
    assert_eq!(targets, ["Sessions.md", "Sessions.md#L5", "session.ts#L3"]);
}

#[test]
fn references_are_all_links_to_a_page_heading_block_or_symbol() {
    let mut editor = Editor::new();
    let login = editor.open("pages/Login.md");
    editor.settle();
    for (word, expected) in [
        ("# Login", vec!["Sessions.md:2:8", "Sessions.md:2:26", "Guide.md:2:5", "Guide.md:2:32"]),
        ("## Errors", vec!["Guide.md:2:5"]),
        ("^limits", vec!["Sessions.md:2:26"]),
        ("Sessions|", vec!["Login.md:9:6", "Login.md:9:35"]),
        ("Sessions#Storage", vec!["Login.md:9:35"]),
        ("src/session.ts#Session.check]]", vec!["Login.md:5:4", "Login.md:17:9"]),
    ] {
        let found = editor.about_place("references", "pages/Login.md", &position_of(&login, word));
        assert_eq!(places(&found), expected, "{word}");
    }
}

#[test]
fn the_structure_of_a_page_is_its_headings() {
    let mut editor = Editor::new();
    editor.open("pages/Login.md");
    let symbols = editor.about("documentSymbol", "pages/Login.md");
    assert_eq!(each(&symbols, "name"), ["Login"]);
    assert_eq!(each(&symbols[0]["children"], "name"), ["Errors", "Code"]);
    assert_eq!(symbols[0]["selectionRange"], range((7, 0), (7, 7)));
    assert_eq!(symbols[0]["children"][0]["range"], range((11, 0), (13, 35)));
    let folds = editor.about("foldingRange", "pages/Login.md");
    let folds: Vec<_> = folds
        .as_array()
        .unwrap()
        .iter()
        .map(|fold| (fold["startLine"].as_u64().unwrap(), fold["endLine"].as_u64().unwrap()))
        .collect();
    assert_eq!(folds, [(0, 6), (7, 17), (11, 13), (15, 17)]);
    let text = "# A\r\n\r\n````md\r\n```\r\n# not a heading\r\n```\r\n````\r\n\r\n## B\rtext\r";
    editor.open_with("pages/New.md", text);
    let folds = editor.about("foldingRange", "pages/New.md");
    let folds: Vec<_> = folds
        .as_array()
        .unwrap()
        .iter()
        .map(|fold| (fold["startLine"].as_u64().unwrap(), fold["endLine"].as_u64().unwrap()))
        .collect();
    assert_eq!(folds, [(0, 9), (8, 9), (2, 6)]);
}

#[test]
fn pages_of_the_workspace_are_found_by_name_and_by_their_words() {
    let mut editor = Editor::new();
    let found = editor.ask("workspace/symbol", &json!({ "query": "sess" }));
    assert_eq!(each(&found, "name")[0], "Sessions");
    let found = editor.ask("workspace/symbol", &json!({ "query": "five errors it waits" }));
    assert_eq!(each(&found, "name"), ["Login > Errors"]);
    assert_eq!(places(&found[0]["location"]), ["Login.md:13:0"]);
    for query in ["", "\u{0}", "\" OR *", "日", &"x".repeat(10_000)] {
        editor.ask("workspace/symbol", &json!({ "query": query }));
    }
}

#[test]
fn tokens_tell_what_a_link_leads_to() {
    let mut editor = Editor::new();
    editor.open("pages/Login.md");
    editor.settle();
    let legend = editor.hello["capabilities"]["semanticTokensProvider"]["legend"].clone();
    let kinds = |editor: &mut Editor, path: &str| {
        let tokens = editor.about("semanticTokens/full", path);
        let data: Vec<u64> =
            tokens["data"].as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect();
        let name =
            |number: u64| legend["tokenTypes"][usize::try_from(number).unwrap()].as_str().unwrap().to_owned();
        data.chunks(5)
            .map(|token| format!("{}{}", name(token[3]), if token[4] == 1 { " embed" } else { "" }))
            .collect::<Vec<_>>()
    };
    let expected = ["pageLink", "linkType", "pageLink", "pageLink", "brokenLink", "codeLink"];
    assert_eq!(kinds(&mut editor, "pages/Login.md"), expected);
    editor.open("pages/Sessions.md");
    assert_eq!(kinds(&mut editor, "pages/Sessions.md"), ["pageLink", "pageLink", "pageLink embed"]);
    let part =
        json!({ "textDocument": { "uri": editor.uri("pages/Login.md") }, "range": range((12, 0), (20, 0)) });
    let tokens = editor.ask("textDocument/semanticTokens/range", &part);
    assert_eq!(tokens["data"], json!([17, 9, 32, 1, 0]));
}

#[test]
fn lenses_count_references_and_hints_tell_types() {
    let mut editor = Editor::new();
    editor.open("pages/Login.md");
    editor.settle();
    let lenses = editor.about("codeLens", "pages/Login.md");
    assert_eq!(lenses[0]["command"]["title"], "4 references");
    assert_eq!(lenses[0]["range"], range((7, 0), (7, 7)));
    assert_eq!(lenses[0]["command"]["command"], "ubp.showReferences");
    assert_eq!(lenses[0]["command"]["arguments"][2].as_array().unwrap().len(), 4);
    let typed = "---\ndepends_on: \"[[Login]]\"\n---\n# New\n\n[[Sessions|depends_on]] [[Guide]]\n";
    editor.open_with("pages/New.md", typed);
    let hints = |editor: &mut Editor| {
        let params =
            json!({ "textDocument": { "uri": editor.uri("pages/New.md") }, "range": range((0, 0), (9, 0)) });
        editor.ask("textDocument/inlayHint", &params)
    };
    let shown = hints(&mut editor);
    assert_eq!(each(&shown, "label"), ["depends_on"]);
    assert_eq!(shown[0]["position"]["line"], 1);
    // Without the command of the client a lens only tells, and hints are off.
    let mut plain = Editor::that(|params| params["initializationOptions"] = Value::Null);
    plain.open("pages/Login.md");
    plain.settle();
    assert_eq!(plain.about("codeLens", "pages/Login.md")[0]["command"]["command"], "");
    plain.open_with("pages/New.md", typed);
    assert!(hints(&mut plain).is_null());
}

#[test]
fn calls_are_dependencies() {
    let mut editor = Editor::new();
    let login = editor.open("pages/Login.md");
    editor.settle();
    let here = editor.about_place("prepareCallHierarchy", "pages/Login.md", &at(7, 0));
    assert_eq!(each(&here, "name"), ["Login"]);
    let outgoing = editor.ask("callHierarchy/outgoingCalls", &json!({ "item": here[0] }));
    assert_eq!(outgoing[0]["to"]["name"], "Sessions");
    assert_eq!(outgoing[0]["fromRanges"], json!([range((9, 6), (9, 29))]));
    assert_eq!(outgoing.as_array().unwrap().len(), 1);
    let there =
        editor.about_place("prepareCallHierarchy", "pages/Login.md", &position_of(&login, "Sessions|"));
    assert_eq!(each(&there, "name"), ["Sessions"]);
    let incoming = editor.ask("callHierarchy/incomingCalls", &json!({ "item": there[0] }));
    assert_eq!(incoming[0]["from"]["name"], "Login");
    assert_eq!(incoming.as_array().unwrap().len(), 1);
}

#[test]
fn code_tells_which_pages_describe_it() {
    let mut editor = Editor::new();
    editor.open("src/session.ts");
    editor.settle();
    let lenses = editor.about("codeLens", "src/session.ts");
    assert_eq!(lenses[0]["command"]["title"], "Described in Login");
    assert_eq!(lenses[0]["range"]["start"]["line"], 2);
    let hover = editor.about_place("hover", "src/session.ts", &at(2, 5));
    assert!(hover["contents"]["value"].as_str().unwrap().contains("[Login]("), "{hover}");
    assert!(editor.about_place("hover", "src/session.ts", &at(0, 3)).is_null());
    let references = editor.about_place("references", "src/session.ts", &at(2, 5));
    assert_eq!(places(&references), ["Login.md:5:4", "Login.md:17:9"]);
    let described =
        editor.ask("ubp/described", &json!({ "textDocument": { "uri": editor.uri("src/session.ts") } }));
    assert_eq!(described[0]["symbol"], "Session.check");
    // The front matter names it: the whole page describes it.
    assert_eq!(places(&described[0]["sections"][0]["location"]), ["Login.md:0:0"]);
    // Lines are those of the text on the screen.
    editor.type_all("src/session.ts", 2, &format!("// one\n// two\n{CODE}"));
    assert_eq!(editor.about("codeLens", "src/session.ts")[0]["range"]["start"]["line"], 4);
    // Of pages, and of files that no page describes, there is nothing to tell.
    for path in ["pages/Login.md", "src/other.ts"] {
        let params = json!({ "textDocument": { "uri": editor.uri(path) } });
        assert_eq!(editor.ask("ubp/described", &params), json!([]));
    }
    editor.open_with("src/other.ts", "export const x = 1;\n");
    assert_eq!(editor.about("codeLens", "src/other.ts"), json!([]));
}

#[test]
fn answers_about_a_new_page_do_not_wait_for_the_index() {
    assert!(completed("[[Log").iter().any(|(label, _)| label == "Login"));
}
