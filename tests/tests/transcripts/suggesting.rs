//! Links that are missing.

use insta::assert_snapshot;
use ubp_tests::terminal::Terminal;

use super::vault;

fn with_a_missing_link() -> Terminal {
    let terminal = vault();
    terminal
        .write("notes/setup.md", "# Setup\n\nFirst fill the **User Database**, then see [[tokens]].\n")
        .unwrap();
    terminal
}

#[test]
fn a_missing_link_is_suggested_and_made() {
    let terminal = with_a_missing_link();
    assert_snapshot!(terminal.ubp("suggest-links --page Setup --threshold 0 --limit 1").transcript(), @"");
    assert_snapshot!(terminal.ubp("accept Setup UserDB --line 4").transcript(), @"");
    assert_snapshot!(terminal.ubp("accept notes/setup.md UserDB --line 3 --text 'User Database'").transcript(), @"");
    let text = std::fs::read_to_string(terminal.path("notes/setup.md")).unwrap();
    assert_eq!(text, "# Setup\n\nFirst fill the **[[users|User Database]]**, then see [[tokens]].\n");
    assert_snapshot!(terminal.ubp("suggest-links").transcript(), @"");
}

#[test]
fn a_dismissed_link_does_not_come_back() {
    let terminal = with_a_missing_link();
    assert_snapshot!(terminal.ubp("dismiss Setup UserDB").transcript(), @"");
    let answer = terminal.ubp("suggest-links --page Setup --threshold 0 --json").transcript();
    assert!(!answer.contains("users.md"), "{answer}");
    let answer = terminal.ubp("suggest-links --page Setup --threshold 0 --all --json").transcript();
    assert!(answer.contains("\"status\":\"dismissed\""), "{answer}");
    assert_snapshot!(terminal.ubp("suggest-links --threshold 2").transcript(), @"");
    assert_snapshot!(terminal.ubp("dismiss Setup nobody").transcript(), @"");
}
