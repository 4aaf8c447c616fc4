//! Searching.

use insta::assert_snapshot;
use ubp_tests::terminal::Terminal;

use super::vault;

#[test]
fn search_shows_places_snippets_and_scores() {
    let terminal = vault();
    assert_snapshot!(terminal.ubp("search 'session token'").transcript(), @"
    $ ubp search 'session token'
    Tokens  1.000  vector 0.00, words 1.00, links 1.00
    tokens.md:3: Tokens
        A session token expires after an hour.
    tokens.md:7: 認証
        認証の流れは[[login]]にある。

    Login Feature  0.866  vector 0.00, words 0.85, links 0.90, 1 hop from the best
    login.md:12: Flow
        A session token is issued, which [[nowhere]] describes.
    login.md:8: Login Feature
        Users sign in with a password; see [[User Database|depends_on]] and [[tokens]].

    Old tokens  0.000  vector 0.00, words 0.00, links 0.00
    notes/tokens.md:3: Old tokens
        Nobody links here.

    near by links:
    db/users.md: User Database  0.242  vector 0.00, words 0.00, links 0.81, 2 hops from the best, by a link
    ! 4 pages, by words alone: the embedding model is not on this machine
    ");
}

#[test]
fn a_terminal_gets_lines_that_fit_and_a_pipe_one_line_for_each_snippet() {
    let pages = [(
        "long.md",
        "---\ntitle: A rather long title of a page about signing in\n---\n# Signing in\n\nUsers sign in \
        with a password, a token or a key, and a session is made that lasts for a day unless they leave before that.\n",
    )];
    let terminal = Terminal::vault(pages).unwrap();
    let piped = terminal.ubp("search session lasts").out;
    assert!(piped.lines().any(|line| line.chars().count() > 80), "{piped}");
    let terminal = terminal.read_by_a_person().with_variable("NO_COLOR", "1").with_width(60);
    assert_snapshot!(terminal.ubp("search session lasts").transcript(), @"
    $ ubp search session lasts
    A rather long title of a page about signing in
        1.000  vector 0.00, words 1.00, links 1.00
    long.md:6: Signing in
        Users sign in with a password, a token or a key, and a
        session is made that lasts for a day unless they leave
        before that.
    ! 1 page, by words alone: the embedding model is not on this machine
    ");
    let colored = terminal.ubp("search session lasts --color always").out;
    assert!(colored.contains("\u{1b}[1m\u{1b}[31msession\u{1b}[0m"), "{colored}");
}

#[cfg(unix)]
#[test]
fn a_result_opens_in_the_editor_of_the_person() {
    use std::os::unix::fs::PermissionsExt;
    let terminal = vault();
    let said = terminal.path("said");
    let script = format!("#!/bin/sh\nfor word in \"$@\"; do echo \"$word\"; done > '{}'\n", said.display());
    terminal.write("bin/vim", script).unwrap();
    let editor = terminal.path("bin/vim");
    std::fs::set_permissions(&editor, std::fs::Permissions::from_mode(0o755)).unwrap();
    let terminal = terminal.with_variable("EDITOR", editor.to_str().unwrap());
    assert_eq!(terminal.ubp("search session token --open").out, "tokens.md:3\n");
    let page = terminal.path("tokens.md").canonicalize().unwrap();
    assert_eq!(std::fs::read_to_string(&said).unwrap(), format!("+3\n{}\n", page.display()));
    assert_eq!(terminal.ubp("search session token --open=2").out, "login.md:12\n");
    let ran = terminal.ubp("search session token --open=9");
    assert!(ran.err.contains("there is no result 9: 3 results found"), "{}", ran.err);
}

#[test]
fn search_can_print_paths_alone() {
    assert_snapshot!(vault().ubp("search token -l").transcript(), @"
    $ ubp search token -l
    notes/tokens.md
    tokens.md
    ");
}

#[test]
fn search_explains_itself() {
    assert_snapshot!(vault().ubp("search password --explain --include-linked -n 2").transcript(), @"
    $ ubp search password --explain --include-linked -n 2
    User Database  1.000  vector 0.00, words 1.00, links 1.00
    db/users.md:6: User Database
        The table of users and their passwords.
        <- login.md (depends_on)
        why:
          words             1.0000  1.00 x 1.0000: password 1.0000
          score             1.0000

    Login Feature  0.879  vector 0.00, words 0.85, links 0.95, 1 hop from the best
    login.md:8: Login Feature
        Users sign in with a password; see [[User Database|depends_on]] and [[tokens]].
        -> db/users.md (depends_on)
        -> tokens.md (references)
        why:
          words             0.8481  1.00 x 0.8481: password 0.8481
          links             0.0306  0.30 x (0.9500 from db/users.md - 0.8481 of its own)
          score             0.8787
        lifted: db/users.md <- login.md (depends_on): 0.9500 of 1.0000 arrives
    ! 2 of 3 pages, by words alone: the embedding model is not on this machine
    ");
}

#[test]
fn search_explains_the_boost_from_links() {
    assert_snapshot!(vault().ubp("search the session expires --explain -n 3").transcript(), @"
    $ ubp search the session expires --explain -n 3
    Tokens  1.000  vector 0.00, words 1.00, links 1.00
    tokens.md:3: Tokens
        A session token expires after an hour.
        why:
          words             1.0000  1.00 x 1.0000: expires 0.6885, session 0.3115
          score             1.0000
        too common to count: the

    near by links:
    login.md: Login Feature  0.329  vector 0.00, words 0.08, links 0.90, 1 hop from the best, by a link
        why:
          words             0.0825  1.00 x 0.0825: session 0.0825
          links             0.2460  0.30 x (0.9025 from tokens.md - 0.0825 of its own)
          score             0.3285
        too common to count: the
        lifted: tokens.md -> login.md (references): 0.9025 of 1.0000 arrives
    db/users.md: User Database  0.163  vector 0.00, words 0.00, links 0.54, 2 hops from the best, by two links
        why:
          links             0.1625  0.30 x (0.5415 from tokens.md - 0.0000 of its own)
          score             0.1625
        too common to count: the
        lifted: tokens.md -> login.md (references) -> db/users.md (depends_on): 0.5415 of 1.0000 arrives
    ! 3 pages, by words alone: the embedding model is not on this machine
    ");
}

#[test]
fn search_answers_programs() {
    let ran = vault().ubp("search 認証 --json");
    assert_eq!(ran.out.lines().count(), 1, "one document, on one line");
    assert_snapshot!(ran.spread_json(), @r#"
    {
      "results": [
        {
          "doc_id": "[id]",
          "filepath": "tokens.md",
          "title": "Tokens",
          "doc_type": "spec",
          "created_at": "2026-01-02T03:04:05Z",
          "updated_at": "2026-01-02T03:04:05Z",
          "staleness": "untracked",
          "score": 1.0,
          "score_breakdown": {
            "vector_similarity": 0.0,
            "fulltext": 1.0,
            "graph_proximity": 1.0
          },
          "hop_distance": 0,
          "relevance_reason": "fulltext",
          "sections": [
            {
              "section_id": "tokens/認証",
              "heading": "Tokens > 認証",
              "lines": [
                5,
                7
              ],
              "line": 7,
              "content": "認証の流れは[[login]]にある。",
              "highlights": [
                [
                  0,
                  2
                ]
              ],
              "score": 1.0
            }
          ],
          "linked_pages": [],
          "explanation": null
        }
      ],
      "nearby": [
        {
          "doc_id": "[id]",
          "filepath": "login.md",
          "title": "Login Feature",
          "doc_type": "spec",
          "created_at": "2026-01-02T03:04:05Z",
          "updated_at": "2026-01-02T03:04:05Z",
          "staleness": "untracked",
          "score": 0.2708,
          "score_breakdown": {
            "vector_similarity": 0.0,
            "fulltext": 0.0,
            "graph_proximity": 0.9025
          },
          "hop_distance": 1,
          "relevance_reason": "direct_link",
          "sections": [
            {
              "section_id": "login-feature",
              "heading": "Login Feature",
              "lines": [
                6,
                9
              ],
              "line": 8,
              "content": "Users sign in with a password; see [[User Database|depends_on]] and [[tokens]].",
              "highlights": [],
              "score": 0.0
            }
          ],
          "linked_pages": [],
          "explanation": null
        },
        {
          "doc_id": "[id]",
          "filepath": "db/users.md",
          "title": "User Database",
          "doc_type": "db-schema",
          "created_at": "2026-01-02T03:04:05Z",
          "updated_at": "2026-01-02T03:04:05Z",
          "staleness": "untracked",
          "score": 0.1625,
          "score_breakdown": {
            "vector_similarity": 0.0,
            "fulltext": 0.0,
            "graph_proximity": 0.5415
          },
          "hop_distance": 2,
          "relevance_reason": "2hop",
          "sections": [
            {
              "section_id": "_",
              "heading": "",
              "lines": [
                6,
                6
              ],
              "line": 6,
              "content": "The table of users and their passwords.",
              "highlights": [],
              "score": 0.0
            }
          ],
          "linked_pages": [],
          "explanation": null
        }
      ],
      "total_found": 3,
      "search_type": "fulltext_fallback",
      "corrected_query": null,
      "unmatched": [],
      "fallback": "model_missing",
      "omitted": {
        "pages": 0,
        "sections": 0,
        "text_cut": false
      },
      "index": {
        "fresh": true,
        "pending": 0,
        "head": null
      }
    }
    "#);
}

#[test]
fn search_without_a_result_says_so_and_is_no_failure() {
    let terminal = vault();
    assert_snapshot!(terminal.ubp("search zebra").transcript(), @"
    $ ubp search zebra
    ! nothing found; try other words, or `ubp list` to list all pages
    ");
    assert_snapshot!(terminal.ubp("search zebra -l").transcript(), @"$ ubp search zebra -l");
}

#[test]
fn unknown_filter_values_are_reported_with_the_known_ones() {
    let terminal = vault();
    assert_snapshot!(terminal.ubp("search token --type nope --tag sekurity --folder none -l").transcript(), @"
    $ ubp search token --type nope --tag sekurity --folder none -l
    ! warning: no page has the type 'nope'; the types are spec, db-schema
    ! warning: no page has the tag 'sekurity'; the most frequent tags are security
    ! warning: no page is in a folder 'none'; the folders are db, notes
    ");
    assert_snapshot!(terminal.ubp("search password --field status=aproved").transcript(), @"
    $ ubp search password --field status=aproved
    ! warning: no page has status=aproved in its front matter; its values are approved
    ! nothing found; try other words, or `ubp list` to list all pages
    ");
    assert_snapshot!(terminal.ubp("search '\"fifteen minutes\" token' -l").transcript(), @r#"
    $ ubp search '"fifteen minutes" token' -l
    ! warning: no page has the phrase "fifteen minutes"; without the quotes, pages with its words are found
    "#);
    assert_snapshot!(terminal.ubp("list --type nope").transcript(), @"
    $ ubp list --type nope
    ! warning: no page has the type 'nope'; the types are spec, db-schema
    ! 0 pages
    ");
    assert_snapshot!(terminal.ubp("graph --link-type bogus").transcript(), @"
    $ ubp graph --link-type bogus
    ! error: unknown link type 'bogus'; expected one of depends_on, implements, extends, references, conflicts_with
    exit status 2
    ");
    assert_eq!(terminal.ubp("search users --folder DB -l").out, "db/users.md\n");
}

#[test]
fn paths_with_any_characters_can_be_passed_to_other_programs() {
    let terminal = vault();
    // Windows has no names with line breaks.
    let odd = if cfg!(windows) { "two words.md" } else { "two words\nand a line.md" };
    terminal.write(odd, "zebra").unwrap();
    terminal.write("zebra.md", "zebra").unwrap();
    let out = terminal.ubp("search zebra -l -0").out;
    assert_eq!(out, format!("zebra.md\0{odd}\0"));
    let ran = terminal.ubp("search zebra --null");
    assert!(ran.err.contains("--paths"), "{}", ran.transcript());
}

#[test]
fn search_needs_a_query() {
    let terminal = vault();
    assert_snapshot!(terminal.ubp("search ''").transcript(), @r#"
    $ ubp search ''
    ! error: query is empty: give words, a question, or a "phrase"
    exit status 2
    "#);
    assert_snapshot!(terminal.ubp("search").transcript(), @"
    $ ubp search
    ! error: the following required arguments were not provided:
    !   <QUERY>...
    ! 
    ! Usage: ubp search <QUERY>...
    ! 
    ! For more information, try '--help'.
    exit status 2
    ");
}

#[test]
fn query_syntax_characters_are_searched_as_text() {
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
fn filters_narrow_the_results() {
    let terminal = vault();
    let found = |arguments: &str| terminal.ubp(&format!("search -l {arguments}")).out;
    assert_eq!(found("users --type db-schema"), "db/users.md\n");
    assert_eq!(found("users --folder db"), "db/users.md\n");
    assert_eq!(found("password --tag security"), "login.md\n");
    assert_eq!(found("password --field status=approved"), "login.md\n");
    assert_eq!(found("password --field status=draft"), "");
    assert_eq!(found("token --folder notes --tag security"), "");
    assert_snapshot!(terminal.ubp("search token --field status").transcript(), @"
    $ ubp search token --field status
    ! error: invalid value 'status' for '--field <KEY=VALUE>': expected KEY=VALUE, such as status=approved
    ! 
    ! For more information, try '--help'.
    exit status 2
    ");
}

#[test]
fn values_out_of_range_are_refused_with_the_range() {
    let terminal = vault();
    assert_snapshot!(terminal.ubp("search token -n 21").transcript(), @"
    $ ubp search token -n 21
    ! error: limit is 21; it must be from 1 to 20
    exit status 2
    ");
    assert_snapshot!(terminal.ubp("search token --alpha 1.5").transcript(), @"
    $ ubp search token --alpha 1.5
    ! error: alpha is 1.5; it must be from 0 to 1
    exit status 2
    ");
    assert_snapshot!(terminal.ubp("search token --depth 0").transcript(), @"
    $ ubp search token --depth 0
    ! error: depth is 0; it must be from 1 to 3
    exit status 2
    ");
    assert_snapshot!(terminal.ubp("search token --max-tokens 100").transcript(), @"
    $ ubp search token --max-tokens 100
    ! error: max_tokens is 100; it must be at least 256
    exit status 2
    ");
    assert_snapshot!(terminal.ubp("search token --fulltext --mode vector").transcript(), @"
    $ ubp search token --fulltext --mode vector
    ! error: the argument '--fulltext' cannot be used with '--mode <MODE>'
    ! 
    ! Usage: ubp search --fulltext <QUERY>...
    ! 
    ! For more information, try '--help'.
    exit status 2
    ");
}

#[test]
fn search_respects_its_token_limit() {
    let ran = vault().ubp("search token --max-tokens 300 --json --content");
    let answer = ran.json();
    assert!(ubp_core::text::estimate_tokens(&answer.to_string()) <= 300, "{}", ran.transcript());
    assert_ne!(answer["omitted"]["pages"], 0);
}

#[test]
fn files_that_changed_are_seen_by_the_next_search() {
    let terminal = Terminal::vault([("login.md", "about lions"), ("other.md", "about nothing")]).unwrap();
    terminal.ubp("add");
    terminal.write("login.md", "# Login Feature\n\nNow about zebras.").unwrap();
    assert_eq!(terminal.ubp("search zebras -l --no-refresh").out, "");
    assert_eq!(terminal.ubp("search zebras -l").out, "login.md\n");
    std::fs::remove_file(terminal.path("login.md")).unwrap();
    assert_eq!(terminal.ubp("search zebras -l").out, "");
}

#[test]
fn without_the_model_search_uses_full_text_only() {
    let terminal = Terminal::vault([("a.md", "text")]).unwrap();
    assert_eq!(terminal.ubp("search text --json").json()["search_type"], "fulltext_fallback");
    assert_eq!(terminal.ubp("search text --fulltext --json").json()["search_type"], "fulltext");
}
