//! Texts that are changed piece by piece, and the places in them.

use super::*;
use ubp_tests::generator::Random;

const ENCODINGS: [&str; 3] = ["utf-8", "utf-16", "utf-32"];

fn units(encoding: &str, c: char) -> usize {
    match encoding {
        "utf-8" => c.len_utf8(),
        "utf-16" => c.len_utf16(),
        _ => 1,
    }
}

/// The place before the character at `index`, counted as the protocol says.
fn place(text: &[char], index: usize, encoding: &str) -> Value {
    let (mut line, mut column) = (0, 0);
    for at in 0..index {
        let ends = text[at] == '\n' || (text[at] == '\r' && text.get(at + 1) != Some(&'\n'));
        if ends {
            (line, column) = (line + 1, 0);
        } else if text[at] != '\r' {
            column += units(encoding, text[at]);
        }
    }
    json!({ "line": line, "character": column })
}

/// An index between two characters, not within a line end.
fn gap(random: &mut Random, text: &[char]) -> usize {
    let index = random.below(text.len() + 1);
    let is_within = index > 0 && text.get(index - 1) == Some(&'\r') && text.get(index) == Some(&'\n');
    if is_within { index - 1 } else { index }
}

fn greeting(encoding: &str) -> impl FnOnce(&mut Value) {
    let encoding = encoding.to_owned();
    move |params| params["capabilities"]["general"]["positionEncodings"] = json!([encoding])
}

/// All of the text, as the server has it: an offer to move it to a page of its own quotes it, without blanks around it.
fn seen(editor: &mut Editor, path: &str) -> Option<String> {
    let params = json!({
        "textDocument": { "uri": editor.uri(path) },
        "range": range((0, 0), (u32::MAX, u32::MAX)),
        "context": { "diagnostics": [], "only": ["refactor.extract"] }
    });
    let offered = editor.ask("textDocument/codeAction", &params);
    let edits = &offered[0]["edit"]["documentChanges"][1]["edits"];
    let text = edits[0]["newText"].as_str()?;
    Some(text.split_once("\n\n").unwrap().1.trim().to_owned())
}

#[test]
fn any_sequence_of_changes_leads_to_the_same_text_as_all_of_it() {
    const PIECES: [&str; 14] = [
        "word",
        "é",
        "日本語",
        "😀",
        "👩‍💻",
        " ",
        "\n",
        "\r\n",
        "\r",
        "[[Login]]",
        "\n## Zwölf\n",
        "e\u{301}",
        "#tag",
        "x\ny\rz\r\n",
    ];
    let mut compared = 0;
    for encoding in ENCODINGS {
        let mut editor = Editor::that(greeting(encoding));
        assert_eq!(editor.hello["capabilities"]["positionEncoding"], encoding);
        editor.open_with("pages/New.md", "");
        let mut version = 1;
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let mut text: Vec<char> = "Erste 😀 Zeile\r\n\r\n# Überschrift [[Login]]\rEnde".chars().collect();
            version += 1;
            editor.type_all("pages/New.md", version, &text.iter().collect::<String>());
            for _ in 0..1 + random.below(8) {
                let mut changes = Vec::new();
                for _ in 0..1 + random.below(3) {
                    let (a, b) = (gap(&mut random, &text), gap(&mut random, &text));
                    let (from, to) = (a.min(b), a.max(b).min(a.min(b) + 12));
                    let to = if text.get(to) == Some(&'\n') && to > from && text[to - 1] == '\r' {
                        to - 1
                    } else {
                        to
                    };
                    let piece = PIECES[random.below(PIECES.len())];
                    let range =
                        json!({ "start": place(&text, from, encoding), "end": place(&text, to, encoding) });
                    changes.push(json!({ "range": range, "text": piece }));
                    text.splice(from..to, piece.chars());
                }
                version += 1;
                editor.change("pages/New.md", version, &json!(changes));
            }
            let expected: String = text.iter().collect();
            let Some(found) = seen(&mut editor, "pages/New.md") else { continue };
            assert_eq!(found, expected.trim(), "seed {seed}, {encoding}");
            compared += 1;
        }
    }
    // The offer needs a word for its title.
    assert!(compared > 550, "{compared}");
}

#[test]
fn places_count_in_the_units_that_were_agreed_on() {
    let text = "# T\n\näé😀日 [[Login]]\r\n\r😀😀[[Sessions]] x\n";
    for (offered, agreed) in [
        (json!(["utf-8"]), "utf-8"),
        (json!(["utf-16"]), "utf-16"),
        (json!(["utf-32"]), "utf-32"),
        (json!(["utf-32", "utf-16", "utf-8"]), "utf-8"),
        (json!(["utf-7"]), "utf-16"),
        (json!([]), "utf-16"),
        (Value::Null, "utf-16"),
    ] {
        let mut editor =
            Editor::that(|params| params["capabilities"]["general"]["positionEncodings"] = offered);
        assert_eq!(editor.hello["capabilities"]["positionEncoding"], agreed);
        editor.open_with("pages/New.md", text);
        editor.settle();
        let chars: Vec<char> = text.chars().collect();
        let links: Vec<Value> = ["[[Login]]", "[[Sessions]]"]
            .iter()
            .map(|link| {
                let from = text[..text.find(link).unwrap()].chars().count();
                let to = from + link.chars().count();
                json!({ "start": place(&chars, from, agreed), "end": place(&chars, to, agreed) })
            })
            .collect();
        let found = editor.about("documentLink", "pages/New.md");
        let found: Vec<Value> = found.as_array().unwrap().iter().map(|link| link["range"].clone()).collect();
        assert_eq!(found, links, "{agreed}");
        for (link, target) in links.iter().zip(["Login.md:0:0", "Sessions.md:0:0"]) {
            assert_eq!(places(&editor.about_place("definition", "pages/New.md", &link["start"])), [target]);
        }
        let tokens = editor.about("semanticTokens/full", "pages/New.md");
        let columns = |at: usize| tokens["data"][at].as_u64().unwrap();
        let width = |link: &Value| {
            link["end"]["character"].as_u64().unwrap() - link["start"]["character"].as_u64().unwrap()
        };
        assert_eq!(
            (columns(0), columns(1), columns(2)),
            (2, links[0]["start"]["character"].as_u64().unwrap(), width(&links[0]))
        );
    }
}

#[test]
fn changes_outside_of_the_text_are_at_its_ends() {
    let mut editor = Editor::new();
    editor.open_with("pages/New.md", "one\r\ntwo");
    let far = u32::MAX;
    let changes = json!([
        { "range": range((far, far), (far, far)), "text": " end" },
        { "range": range((0, far), (0, far)), "text": " first" },
        { "range": range((1, 2), (1, 0)), "text": "TW" },
        { "range": range((0, 0), (0, 0)), "text": "start " }
    ]);
    editor.change("pages/New.md", 2, &changes);
    assert_eq!(seen(&mut editor, "pages/New.md").unwrap(), "start one first\r\nTWo end");
}

#[test]
fn changes_of_documents_that_are_not_open_are_ignored() {
    let mut editor = Editor::new();
    editor.change("pages/Login.md", 7, &json!([{ "text": "# Other\n" }]));
    editor.close_document("pages/Login.md");
    assert_eq!(each(&editor.about("documentSymbol", "pages/Login.md"), "name"), ["Login"]);
    // Closed without saving: the file counts again.
    editor.open_with("pages/Login.md", "# Unsaved\n");
    assert_eq!(each(&editor.about("documentSymbol", "pages/Login.md"), "name"), ["Unsaved"]);
    editor.close_document("pages/Login.md");
    assert_eq!(each(&editor.about("documentSymbol", "pages/Login.md"), "name"), ["Login"]);
    // Opened twice: the last text counts.
    editor.open_with("pages/Login.md", "# First\n");
    editor.open_with("pages/Login.md", "# Second\n");
    assert_eq!(each(&editor.about("documentSymbol", "pages/Login.md"), "name"), ["Second"]);
}

#[test]
fn a_change_with_an_older_version_does_not_confuse_what_follows() {
    let mut editor = Editor::new();
    editor.open_with("pages/New.md", "# A\n");
    editor.type_all("pages/New.md", 9, "# Nine\n");
    editor.type_all("pages/New.md", 3, "# Three\n");
    // The texts of a stream are in its order, whatever their numbers.
    assert_eq!(each(&editor.about("documentSymbol", "pages/New.md"), "name"), ["Three"]);
    editor.type_all("pages/New.md", 10, "# Ten [[Nobody]]\n");
    let found = editor.diagnostics("pages/New.md", |found| codes(found) == ["unresolved_link"]);
    assert_eq!(found[0]["range"], range((0, 6), (0, 16)));
}
