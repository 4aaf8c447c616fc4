//! Comments stay at their text.
#![allow(clippy::unwrap_used)]

use std::ops::Range;

use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::FILE;
use super::anchor::{common_end, common_start};
use crate::index::tests::Project;
use crate::ports::Source;
use crate::{Caller, Context};

fn call(project: &Project, operation: &str, params: Value) -> Value {
    project.context().call(operation, params).unwrap()
}

fn refused(project: &Project, operation: &str, params: Value) -> String {
    project.context().call(operation, params).unwrap_err().to_string()
}

fn text(project: &Project, page: &str) -> String {
    String::from_utf8(project.source.read(page).unwrap()).unwrap()
}

fn file(project: &Project) -> String {
    String::from_utf8(project.source.read_state(FILE).unwrap().unwrap_or_default()).unwrap()
}

fn save(project: &Project, page: &str, text: &str) {
    let read = call(project, "read_page", json!({ "page": page }));
    let params = json!({ "page": page, "text": text, "expected_hash": read["content_hash"] });
    call(project, "save_page", params);
}

/// What another program does.
fn write(project: &Project, page: &str, text: &str) {
    project.source.put(page, text.as_bytes(), Timestamp::UNIX_EPOCH);
    project.update();
}

fn list(project: &Project, page: &str) -> Vec<Value> {
    let answer = call(project, "list_comments", json!({ "page": page, "state": "all" }));
    answer["comments"].as_array().unwrap().clone()
}

/// The text at the place of the first comment on a page.
fn place(project: &Project, page: &str) -> Option<String> {
    let units: Vec<u16> = text(project, page).encode_utf16().collect();
    let range = list(project, page)[0]["place"]["range"].as_array().cloned()?;
    let end = |number: usize| usize::try_from(range[number].as_u64().unwrap()).unwrap();
    Some(String::from_utf16(&units[end(0)..end(1)]).unwrap())
}

const PAGE: &str = "---\ntitle: Limits\n---\n# Limits\n\nA request may have 10 pages, see [[other]].\n\nMore **words** of this page.\n";

fn project() -> Project {
    Project::with_pages([("a.md", PAGE), ("other.md", "# Other\n\nNothing here.\n")])
}

fn add(project: &Project, quote: &str) -> String {
    let params = json!({ "page": "a.md", "quote": quote, "text": "Really?", "author": "Ada" });
    call(project, "add_comment", params)["comment"].as_str().unwrap().to_owned()
}

#[test]
fn a_comment_has_replies_is_resolved_reopened_and_deleted_by_its_author() {
    let project = project();
    let id = add(&project, "10 pages");
    let reply = call(&project, "add_comment", json!({ "reply_to": id, "text": "Yes.\n20!", "author": "Bo" }));
    assert_eq!(reply["filepath"], "a.md");
    let listed = list(&project, "a");
    assert_eq!(listed.len(), 1);
    let expected = json!({ "lines": [6, 6], "range": [51, 59], "shown": "10pages", "shown_before": "LimitsArequestmayhave", "shown_after": "seeotherMorewordsofthispage" });
    assert_eq!(listed[0]["place"], expected);
    assert_eq!(
        (&listed[0]["author"], &listed[0]["replies"][0]["text"]),
        (&json!("Ada"), &json!("Yes.\n20!"))
    );
    call(&project, "resolve_comment", json!({ "comment": reply["comment"], "author": "Cy" }));
    let open = call(&project, "list_comments", json!({ "page": "a.md" }));
    assert_eq!((&open["comments"], &open["open_count"]), (&json!([]), &json!(0)));
    assert_eq!(list(&project, "a")[0]["resolved_by"], "Cy");
    call(&project, "resolve_comment", json!({ "comment": id, "reopen": true }));
    assert_eq!(call(&project, "list_comments", json!({}))["open_count"], 1);
    let error = refused(&project, "delete_comment", json!({ "comment": id, "author": "Bo" }));
    assert!(error.contains("only Ada can delete"), "{error}");
    // While there are replies, the place stays without the words.
    call(&project, "delete_comment", json!({ "comment": id, "author": "Ada" }));
    assert!(!file(&project).contains("Really"));
    assert_eq!(
        (&list(&project, "a")[0]["deleted"], &list(&project, "a")[0]["text"]),
        (&json!(true), &json!(""))
    );
    call(&project, "delete_comment", json!({ "comment": reply["comment"], "author": "Bo" }));
    assert_eq!(file(&project), "");
}

#[test]
fn a_guest_with_the_name_of_somebody_else_cannot_delete_their_comments() {
    let project = project();
    let id = add(&project, "10 pages");
    let guest = Context { caller: Caller::Agent, agent: Some("Ada"), ..project.context() };
    let error = guest.call("delete_comment", json!({ "comment": id })).unwrap_err().to_string();
    assert!(error.contains("somebody else called Ada"), "{error}");
    let own = guest.call("add_comment", json!({ "reply_to": id, "text": "Yes." })).unwrap();
    let error = refused(&project, "delete_comment", json!({ "comment": own["comment"], "author": "Ada" }));
    assert!(error.contains("somebody else called Ada"), "{error}");
    guest.call("delete_comment", json!({ "comment": own["comment"] })).unwrap();
    call(&project, "delete_comment", json!({ "comment": id, "author": "Ada" }));
    assert_eq!(file(&project), "");
}

#[test]
fn what_is_not_in_the_page_or_in_it_several_times_is_refused() {
    let project = project();
    for (params, expected) in [
        (json!({ "page": "a", "quote": "nowhere", "text": "?" }), "does not contain"),
        (json!({ "page": "a", "quote": "page", "text": "?" }), "several times"),
        (json!({ "page": "a", "quote": " ", "text": "?" }), "1 to 2000"),
        (json!({ "page": "a", "text": " " }), "1 to 10000"),
        (json!({ "reply_to": "x", "text": "?" }), "no comment 'x'"),
        (json!({ "reply_to": "x", "page": "a", "text": "?" }), "neither"),
        (json!({ "page": "nowhere", "text": "?" }), "nowhere"),
    ] {
        let error = refused(&project, "add_comment", params);
        assert!(error.contains(expected), "{error}");
    }
    assert_eq!(file(&project), "");
    call(&project, "add_comment", json!({ "page": "a", "quote": "page", "before": "this ", "text": "?" }));
    assert_eq!(list(&project, "a")[0]["place"]["lines"], json!([8, 8]));
    // Words of the rendered page.
    call(&project, "add_comment", json!({ "page": "a", "quote": "More words of", "text": "?" }));
    assert_eq!(list(&project, "a")[0]["quote"], "More **words** of");
}

#[test]
fn comments_follow_pages_that_are_renamed_here_or_by_other_programs() {
    let project = project();
    add(&project, "10 pages");
    call(&project, "rename_page", json!({ "page": "a", "path": "x/b.md" }));
    assert_eq!(place(&project, "x/b.md").as_deref(), Some("10 pages"));
    // The links of the page change with it.
    call(&project, "rename_page", json!({ "page": "other", "path": "y/further.md", "title": "Further" }));
    assert_eq!(place(&project, "x/b.md").as_deref(), Some("10 pages"));
    let bytes = project.source.read("x/b.md").unwrap();
    project.source.discard("x/b.md", "t/b.md", crate::ports::ContentHash::of(&bytes)).unwrap();
    project.source.write("c.md", &bytes, None).unwrap();
    project.refresh();
    assert_eq!(place(&project, "c.md").as_deref(), Some("10 pages"));
    assert_eq!(list(&project, "y/further.md"), Vec::<Value>::new());
    // The next save notes the new path, so that later edits keep the place.
    save(&project, "c.md", &text(&project, "c.md").replace("10 pages", "10 large pages"));
    assert_eq!(place(&project, "c.md").as_deref(), Some("10 large pages"));
    assert!(file(&project).contains("\"page\":\"c.md\""), "{}", file(&project));
}

#[test]
fn a_comment_whose_text_is_gone_says_so_and_returns_with_it() {
    let project = project();
    add(&project, "10 pages");
    let without = PAGE.replace("10 pages", "some");
    save(&project, "a.md", &without);
    assert_eq!(
        (&list(&project, "a")[0]["lost"], &list(&project, "a")[0]["place"]),
        (&json!(true), &Value::Null)
    );
    save(&project, "a.md", PAGE);
    assert_eq!(place(&project, "a.md").as_deref(), Some("10 pages"));
    call(&project, "delete_page", json!({ "page": "a" }));
    assert_eq!(call(&project, "list_comments", json!({}))["comments"][0]["lost"], true);
}

#[test]
fn an_unsaved_text_has_the_places_of_its_own() {
    let project = project();
    add(&project, "10 pages");
    let typed = PAGE.replace("A request", "Each \u{1f600} request");
    let answer = call(&project, "list_comments", json!({ "page": "a", "text": typed }));
    assert_eq!(answer["comments"][0]["place"]["range"], json!([57, 65]));
    let typed = PAGE.replace("A request may have 10 pages, see", "See");
    let answer = call(&project, "list_comments", json!({ "page": "a", "text": typed }));
    assert_eq!(
        (&answer["comments"][0]["place"], &answer["comments"][0]["lost"]),
        (&Value::Null, &json!(true))
    );
}

#[test]
fn both_sides_of_a_merge_count_and_other_lines_stay() {
    let project = project();
    let id = add(&project, "10 pages");
    let ours = file(&project);
    let resolved = ours.replacen(
        "\"text\"",
        "\"resolved\":{\"by\":\"Bo\"},\"changed\":\"2999-01-01T00:00:00Z\",\"more\":1,\"text\"",
        1,
    );
    let other = ours.replace(&id, "ffff").replace("Really?", "Twice.");
    let merged = format!("\u{feff}<<<<<<< ours\r\n{resolved}=======\n{ours}{other}>>>>>>> theirs");
    let before = project.source.read_state(FILE).unwrap().map(|bytes| crate::ports::ContentHash::of(&bytes));
    project.source.write_state(FILE, merged.as_bytes(), before).unwrap();
    let listed = list(&project, "a");
    assert_eq!(listed.len(), 2, "{listed:?}");
    assert_eq!(listed.iter().filter(|comment| comment["resolved_by"] == "Bo").count(), 1);
    call(&project, "resolve_comment", json!({ "comment": "ffff" }));
    call(&project, "add_comment", json!({ "page": "a", "text": "On all of it." }));
    let now = file(&project);
    assert!(now.starts_with(&format!("\u{feff}<<<<<<< ours\r\n{resolved}=======\n{ours}")), "{now}");
    assert!(now.contains("\n>>>>>>> theirs\n{"), "{now}");
    assert_eq!(list(&project, "a").len(), 3);
}

#[test]
fn saving_a_page_writes_the_file_of_comments_only_where_searching_would_fail() {
    let project = project();
    add(&project, "10 pages");
    let before = file(&project);
    save(&project, "a.md", &PAGE.replace("# Limits", "# Limits\n\nAn introduction."));
    assert_eq!(file(&project), before);
    let text = text(&project, "a.md").replace("10 pages", "10 small pages");
    save(&project, "a.md", &text);
    assert_eq!(place(&project, "a.md").as_deref(), Some("10 small pages"));
    assert!(file(&project).contains("10 small pages"));
}

#[test]
fn an_agent_comments_under_its_own_name_where_it_may_propose() {
    let project = project();
    let context = Context { caller: Caller::Agent, agent: Some("claude 1.0"), ..project.context() };
    let answer =
        context.call("add_comment", json!({ "page": "a", "text": "Done.", "author": "Ada" })).unwrap();
    assert_eq!(answer["author"], "claude 1.0");
}

/// An edit: where, how much goes, and what comes.
type Edit = (prop::sample::Index, usize, String);

fn edits(count: usize) -> impl Strategy<Value = Vec<Edit>> {
    // Words that the page has too, so that places look alike; not the quote, because nothing tells an inserted one from it.
    let words = "(the |of |a page |words\n|\n\n|- |\u{65e5}\u{672c}|\u{1f600}){0,4}";
    prop::collection::vec((any::<prop::sample::Index>(), 0_usize..30, words), count)
}

/// Makes an edit that leaves `kept` alone, and returns the text with the new place of `kept`.
fn edited(text: &str, kept: &Range<usize>, (at, gone, put): &Edit) -> (String, Range<usize>) {
    let bounds: Vec<usize> = (0..=text.len())
        .filter(|&at| text.is_char_boundary(at) && (at <= kept.start || at >= kept.end))
        .collect();
    let start = bounds[at.index(bounds.len())];
    let limit = if start <= kept.start { kept.start } else { text.len() };
    let end = bounds
        .iter()
        .rev()
        .find(|&&end| end <= (start + gone).min(limit))
        .copied()
        .unwrap_or(start)
        .max(start);
    let now = [&text[..start], put, &text[end..]].concat();
    let moved =
        |at: usize| if start < kept.end && end <= kept.start { at + put.len() - (end - start) } else { at };
    (now, moved(kept.start)..moved(kept.end))
}

const LINE: &str =
    "The limit of a page is the limit of the words.\n\n- a page of the limit\n- a page of the limit\n\n";

fn start(quote: &str) -> (Project, String, Range<usize>) {
    let half = LINE.repeat(3);
    let page = format!("{half}{quote}, and more of the words.\n\n{half}");
    let project = Project::with_pages([("a.md", page.as_str())]);
    let params = json!({ "page": "a", "quote": quote, "before": &half[half.len() - 60..], "after": ", and", "text": "?" });
    call(&project, "add_comment", params);
    (project, page, half.len()..half.len() + quote.len())
}

fn range(text: &str, place: &Range<usize>) -> Value {
    let unit = |at: usize| text[..at].encode_utf16().count();
    json!([unit(place.start), unit(place.end)])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_hundred_edits_here_keep_a_comment_at_its_text(edits in edits(100), short in any::<bool>()) {
        let (project, mut page, mut kept) = start(if short { "limit" } else { "Who says that the limit is right" });
        for edit in &edits {
            let (now, place) = edited(&page, &kept, edit);
            save(&project, "a.md", &now);
            let comment = &list(&project, "a")[0];
            // Of equal words, nothing in the two texts may tell which one is gone.
            let (start, end) = (common_start(&page, &now), common_end(&page, &now));
            let is_told = kept.end <= start || kept.start >= page.len() - end;
            if comment["lost"] == true && !is_told {
                break;
            }
            prop_assert_eq!(&comment["place"]["range"], &range(&now, &place), "{:?}\n{}", comment, now);
            (page, kept) = (now, place);
        }
    }

    #[test]
    fn edits_on_disk_leave_a_comment_at_its_text_or_without_it(edits in edits(100), short in any::<bool>()) {
        let (project, mut page, mut kept) = start(if short { "limit" } else { "Who says that the limit is right" });
        for edit in &edits {
            let (now, place) = edited(&page, &kept, edit);
            write(&project, "a.md", &now);
            let comment = &list(&project, "a")[0];
            let is_right = comment["place"]["range"] == range(&now, &place);
            prop_assert!(is_right || (short && comment["lost"] == true), "{:?}\n{}", comment, now);
            (page, kept) = (now, place);
        }
        // Also when the text itself goes.
        let without = [&page[..kept.start], &page[kept.end..]].concat();
        write(&project, "a.md", &without);
        if !(short && without.contains("limit")) {
            prop_assert_eq!(&list(&project, "a")[0]["lost"], true);
        }
    }
}
