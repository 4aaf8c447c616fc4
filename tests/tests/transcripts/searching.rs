//! Searching.

use insta::assert_snapshot;
use ubp_tests::terminal::Terminal;

use super::vault;

#[test]
fn search_shows_places_snippets_and_scores() {
    let terminal = vault();
    assert_snapshot!(terminal.ubp("search 'session token'").transcript(), @"");
}

#[test]
fn search_can_print_paths_alone() {
    assert_snapshot!(vault().ubp("search token -l").transcript(), @"");
}

#[test]
fn search_explains_itself() {
    assert_snapshot!(vault().ubp("search password --explain --include-linked -n 2").transcript(), @"");
}

#[test]
fn search_answers_programs() {
    let ran = vault().ubp("search 認証 --json");
    assert_snapshot!(ran.transcript(), @"");
}

#[test]
fn search_without_a_result_says_so_and_is_no_failure() {
    let terminal = vault();
    assert_snapshot!(terminal.ubp("search zebra").transcript(), @"");
    assert_snapshot!(terminal.ubp("search zebra -l").transcript(), @"");
}

#[test]
fn search_needs_something_to_look_for() {
    let terminal = vault();
    assert_snapshot!(terminal.ubp("search ''").transcript(), @"");
    assert_snapshot!(terminal.ubp("search").transcript(), @"");
}

#[test]
fn signs_of_query_languages_are_only_signs() {
    let terminal = vault();
    for query in [
        "AND OR NOT",
        "\"",
        "*",
        "(",
        "NEAR(",
        "a AND (b",
        "title:x",
        "^token",
        "'\\''",
        "-",
        "token*",
        "\"\"",
    ] {
        let ran = terminal.ubp(&format!("search --fulltext -- '{query}'"));
        assert!(ran.succeeded() || ran.transcript().contains("error: query"), "{}", ran.transcript());
        assert!(!ran.err.contains("index failed"), "{}", ran.transcript());
    }
}

#[test]
fn filters_narrow_what_is_found() {
    let terminal = vault();
    let found = |arguments: &str| terminal.ubp(&format!("search -l {arguments}")).out;
    assert_eq!(found("users --type db-schema"), "db/users.md\n");
    assert_eq!(found("users --folder db"), "db/users.md\n");
    assert_eq!(found("password --tag security"), "login.md\n");
    assert_eq!(found("password --field status=approved"), "login.md\n");
    assert_eq!(found("password --field status=draft"), "");
    assert_eq!(found("token --folder notes --tag security"), "");
    assert_snapshot!(terminal.ubp("search token --field status").transcript(), @"");
}

#[test]
fn values_out_of_range_are_refused_with_the_range() {
    let terminal = vault();
    assert_snapshot!(terminal.ubp("search token -n 21").transcript(), @"");
    assert_snapshot!(terminal.ubp("search token --alpha 1.5").transcript(), @"");
    assert_snapshot!(terminal.ubp("search token --depth 0").transcript(), @"");
    assert_snapshot!(terminal.ubp("search token --max-tokens 100").transcript(), @"");
    assert_snapshot!(terminal.ubp("search token --fulltext --mode vector").transcript(), @"");
}

#[test]
fn search_keeps_within_the_tokens_it_is_given() {
    let ran = vault().ubp("search token --max-tokens 300 --json --content");
    let answer = ran.json();
    assert!(ubp_core::text::estimate_tokens(&answer.to_string()) <= 300, "{}", ran.transcript());
    assert_ne!(answer["omitted"]["pages"], 0);
}

#[test]
fn files_that_changed_are_seen_by_the_next_search() {
    let terminal = vault();
    terminal.ubp("add");
    terminal.write("login.md", "# Login Feature\n\nNow about zebras.").unwrap();
    assert_eq!(terminal.ubp("search zebras -l --no-refresh").out, "");
    assert_eq!(terminal.ubp("search zebras -l").out, "login.md\n");
    std::fs::remove_file(terminal.path("login.md")).unwrap();
    assert_eq!(terminal.ubp("search zebras -l").out, "");
}

#[test]
fn a_model_that_is_not_here_leaves_search_by_words() {
    let terminal = Terminal::vault([("a.md", "text")]).unwrap();
    assert_eq!(terminal.ubp("search text --json").json()["search_type"], "fulltext_fallback");
    assert_eq!(terminal.ubp("search text --fulltext --json").json()["search_type"], "fulltext");
}
