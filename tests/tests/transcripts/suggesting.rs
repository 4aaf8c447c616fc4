//! Suggested links.

use ubp_tests::terminal::Terminal;

use super::vault;

const SETUP: &str = "# Setup\n\nFirst fill the **User Database**, then see [[tokens]].\n";

fn with_a_missing_link() -> Terminal {
    let terminal = vault();
    terminal.write("notes/setup.md", SETUP).unwrap();
    terminal
}

fn shown(terminal: &Terminal, command: &str) -> String {
    terminal.ubp(command).transcript()
}

#[test]
fn a_missing_link_is_suggested_and_made() {
    let terminal = with_a_missing_link();
    let text = shown(&terminal, "suggest-links --page Setup --threshold 0 --limit 1");
    assert!(text.contains("notes/setup.md -> db/users.md\n"), "{text}");
    assert!(text.contains("its name occurs in the text"), "{text}");
    assert!(text.contains("line 3: First fill the **User Database**, then see [[tokens]]."), "{text}");
    let text = shown(&terminal, "accept Setup UserDB --line 4");
    assert!(text.contains("changed on disk") && text.contains("exit status 2"), "{text}");
    let text = shown(&terminal, "accept notes/setup.md UserDB --line 3 --text 'User Database'");
    assert!(text.contains("notes/setup.md:3: [[users|User Database]]"), "{text}");
    let written = std::fs::read_to_string(terminal.path("notes/setup.md")).unwrap();
    assert_eq!(written, SETUP.replace("User Database", "[[users|User Database]]"));
    let decisions = std::fs::read_to_string(terminal.path(".ubp/decisions.jsonl")).unwrap();
    assert!(decisions.starts_with("{\"decision\":\"accepted\","), "{decisions}");
}

#[test]
fn a_dismissed_link_does_not_come_back() {
    let terminal = with_a_missing_link();
    let text = shown(&terminal, "dismiss Setup UserDB");
    assert!(text.contains("Not suggested again: notes/setup.md -> db/users.md"), "{text}");
    let text = shown(&terminal, "suggest-links --page Setup --threshold 0 --json");
    assert!(!text.contains("users.md"), "{text}");
    let text = shown(&terminal, "suggest-links --page Setup --threshold 0 --all --json");
    assert!(text.contains("\"status\":\"dismissed\""), "{text}");
    let text = shown(&terminal, "suggest-links --threshold 2");
    assert!(text.contains("threshold is 2; it must be from 0 to 1"), "{text}");
    let text = shown(&terminal, "dismiss Setup nobody");
    assert!(text.contains("no page is called 'nobody'"), "{text}");
}

#[test]
fn unlinked_mentions_are_listed_without_a_threshold() {
    let terminal = with_a_missing_link();
    terminal.write("rate-limits.md", "# Throttling\n\nCallers are slowed down.\n").unwrap();
    terminal.write("api.md", "# API\n\nKeys have rate-limits.\n\nRate limits are documented.\n").unwrap();
    let text = shown(&terminal, "suggest-links --page API");
    assert!(text.contains("Unlinked mentions\n"), "{text}");
    assert!(text.contains("api.md -> rate-limits.md  2 times\n"), "{text}");
    assert!(text.contains("line 3: Keys have rate-limits.\n"), "{text}");
    assert!(
        text.contains("no suggestions, 1 unlinked mention; `ubp accept PAGE TARGET` makes a link"),
        "{text}"
    );
    let text = shown(&terminal, "suggest-links --page Throttling");
    assert!(text.contains("Unlinked mentions on other pages\n"), "{text}");
    assert!(text.contains("api.md -> rate-limits.md  2 times\n"), "{text}");
    shown(&terminal, "accept API Throttling");
    let text = shown(&terminal, "suggest-links --page API --json");
    assert!(text.contains("\"mentions\":[]"), "{text}");
}
