//! Starting projects and taking pages in.

use insta::assert_snapshot;
use ubp_tests::terminal::Terminal;

use super::vault;

#[test]
fn init_in_an_empty_folder() {
    let terminal = Terminal::new().unwrap();
    assert_snapshot!(terminal.ubp("init").transcript(), @"");
    assert_snapshot!(std::fs::read_to_string(terminal.path(".gitignore")).unwrap(), @"");
    assert_snapshot!(terminal.ubp("init").transcript(), @"");
}

#[test]
fn init_over_a_vault_leaves_its_pages_alone() {
    let terminal = Terminal::new().unwrap();
    terminal.write("a.md", "[[b]]").unwrap();
    terminal.write("deep/b.md", "b").unwrap();
    assert_snapshot!(terminal.ubp("init --pages-dir .").transcript(), @"");
    terminal.ubp("add");
    assert_eq!(std::fs::read_to_string(terminal.path("a.md")).unwrap(), "[[b]]");
    assert_snapshot!(terminal.ubp("init --pages-dir docs").transcript(), @"");
}

#[test]
fn init_answers_programs_too() {
    let terminal = Terminal::new().unwrap();
    assert_snapshot!(terminal.ubp("init --json").transcript(), @"");
}

#[test]
fn add_says_what_it_did_and_only_once() {
    let terminal = vault();
    assert_snapshot!(terminal.ubp("add").transcript(), @"");
    assert_snapshot!(terminal.ubp("add").transcript(), @"");
    terminal.write("login.md", "# Login Feature\n\nnew").unwrap();
    std::fs::rename(terminal.path("tokens.md"), terminal.path("db/tokens.md")).unwrap();
    std::fs::remove_file(terminal.path("notes/tokens.md")).unwrap();
    terminal.write("new.md", "new").unwrap();
    assert_snapshot!(terminal.ubp("add -v").transcript(), @"");
}

#[test]
fn add_takes_files_as_the_shell_names_them() {
    let terminal = vault();
    terminal.write("code.rs", "fn main() {}").unwrap();
    assert_snapshot!(terminal.ubp("add ./db/../db/users.md").transcript(), @"");
    assert_snapshot!(terminal.ubp("-C db add users.md").transcript(), @"");
    assert_snapshot!(terminal.ubp("add missing.md").transcript(), @"");
    assert_snapshot!(terminal.ubp("add code.rs").transcript(), @"");
    assert_snapshot!(terminal.ubp("add ../outside.md").transcript(), @"");
}

#[test]
fn add_refuses_files_outside_of_the_pages_folder() {
    let terminal = Terminal::new().unwrap();
    terminal.ubp("init");
    terminal.write("elsewhere.md", "text").unwrap();
    assert_snapshot!(terminal.ubp("add elsewhere.md").transcript(), @"");
}

#[test]
fn add_completes_front_matter_where_it_is_managed_and_nowhere_else() {
    let terminal = Terminal::new().unwrap();
    terminal.ubp("init");
    terminal.write("pages/a.md", "---\ntitle: Kept\n---\ntext\n").unwrap();
    assert!(terminal.ubp("add").succeeded());
    let text = std::fs::read_to_string(terminal.path("pages/a.md")).unwrap();
    assert!(text.starts_with("---\ntitle: Kept\n") && text.ends_with("---\ntext\n"), "{text}");
    assert!(
        text.contains("\nid: ") && text.contains("\ncreated_at: ") && text.contains("\nupdated_at: "),
        "{text}"
    );
    assert!(terminal.ubp("add").succeeded());
    assert_eq!(std::fs::read_to_string(terminal.path("pages/a.md")).unwrap(), text);
}

#[test]
fn pages_that_links_ask_for_are_made_only_on_request() {
    let terminal = vault();
    terminal.ubp("add");
    assert!(!terminal.path("nowhere.md").exists());
    assert_snapshot!(terminal.ubp("add --create-missing").transcript(), @"");
    assert!(terminal.path("nowhere.md").exists());
}

#[test]
fn rebuild_starts_from_the_files() {
    let terminal = vault();
    terminal.ubp("add");
    assert_snapshot!(terminal.ubp("rebuild").transcript(), @"");
    assert_snapshot!(terminal.ubp("reindex -q").transcript(), @"");
}
