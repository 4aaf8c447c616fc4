//! Creating, moving and deleting pages, and undoing it.

use ubp_tests::terminal::Terminal;

use super::vault;

fn shown(terminal: &Terminal, command: &str) -> String {
    terminal.ubp(command).transcript()
}

fn read(terminal: &Terminal, path: &str) -> String {
    std::fs::read_to_string(terminal.path(path)).unwrap()
}

/// The group of the latest change.
fn latest(terminal: &Terminal) -> String {
    terminal.ubp("audit --json").json()["entries"][0]["group"].as_str().unwrap().to_owned()
}

/// `text` without ids of changes, which differ with each run.
fn without_entries(text: &str, group: &str) -> String {
    text.replace(group, "[entry]")
}

#[test]
fn a_page_is_created_only_once() {
    let terminal = vault();
    let text = shown(&terminal, "new 'Session store' --folder db --type api --tag security --dry-run");
    insta::assert_snapshot!(text, @r"
    $ ubp new 'Session store' --folder db --type api --tag security --dry-run
    --- /dev/null
    +++ b/db/Session store.md
    @@ -0,0 +1,6 @@
    +---
    +type: api
    +tags:
    +  - security
    +---
    +# Session store
    ! dry run: nothing was written
    ");
    assert!(!terminal.path("db/Session store.md").exists());
    shown(&terminal, "new 'Session store' --folder db");
    assert_eq!(read(&terminal, "db/Session store.md"), "# Session store\n");
    let text = shown(&terminal, "new 'Session store' --folder db -q --allow-same-name");
    assert!(text.contains("Created db/Session store 2.md"), "{text}");
    let text = shown(&terminal, "new 'User Database'");
    assert!(
        text.contains("the name 'User Database' is taken by db/users.md") && text.contains("exit status 2"),
        "{text}"
    );
    assert!(
        text.contains("would redirect 1 link: 'User Database' at login.md:8 (leads to db/users.md)"),
        "{text}"
    );
    assert!(
        text.contains(
            "hint: edit that page, or choose another title; `ubp new --allow-same-name 'User Database'` creates the page anyway"
        )
    );
    let text = shown(&terminal, "new 'User Database' --dry-run");
    assert!(text.contains("! warning: db/users.md has the same name"), "{text}");
    let link = "login.md:8: the link to 'User Database' would lead to the new page, not to db/users.md";
    assert!(text.contains(link), "{text}");
    let text = shown(&terminal, "new Other --path db/users.md");
    assert!(text.contains("the page db/users.md already exists") && text.contains("exit status 2"), "{text}");
}

#[test]
fn moving_a_page_updates_its_links_and_can_be_undone() {
    let terminal = vault();
    let before = read(&terminal, "login.md");
    let text = shown(&terminal, "mv tokens.md accounts/keys.md --dry-run");
    insta::assert_snapshot!(text, @r"
    $ ubp mv tokens.md accounts/keys.md --dry-run
    rename from tokens.md
    rename to accounts/keys.md
    --- a/login.md
    +++ b/login.md
    @@ -5,7 +5,7 @@
     ---
     # Login Feature
     
    -Users sign in with a password; see [[User Database|depends_on]] and [[tokens]].
    +Users sign in with a password; see [[User Database|depends_on]] and [[keys]].
     
     ## Flow
     
    ! dry run: nothing was written
    ");
    assert_eq!(read(&terminal, "login.md"), before);
    let text = shown(&terminal, "mv tokens.md accounts/keys.md");
    let group = latest(&terminal);
    insta::assert_snapshot!(without_entries(&text, &group), @r"
    $ ubp mv tokens.md accounts/keys.md
    tokens.md -> accounts/keys.md
      links rewritten in login.md
    ! `ubp undo [entry]` undoes this
    ");
    let text = shown(&terminal, "doctor");
    assert!(!text.contains("keys"), "{text}");
    let text = shown(&terminal, &format!("undo {group}"));
    assert!(
        text.contains("accounts/keys.md -> tokens.md") && text.contains("login.md was reverted"),
        "{text}"
    );
    assert_eq!(read(&terminal, "login.md"), before);
    let text = shown(&terminal, &format!("undo {group}"));
    assert!(text.contains("was undone already"), "{text}");
    let text = shown(&terminal, "audit -n 3");
    assert!(text.contains("person  undo  ") && text.contains("[undone]"), "{text}");
    let text = shown(&terminal, "mv tokens.md 'Session tokens'");
    assert!(text.contains("tokens.md"), "{text}");
    let text = shown(&terminal, "mv nobody x.md");
    assert!(text.contains("no page is called 'nobody'"), "{text}");
}

#[test]
fn deleting_a_page_reports_the_broken_links() {
    let terminal = vault();
    let text = shown(&terminal, "rm tokens.md --dry-run");
    assert!(text.contains("+++ /dev/null") && terminal.path("tokens.md").exists(), "{text}");
    let text = shown(&terminal, "rm tokens.md");
    assert!(text.contains("tokens.md moved to .ubp/trash/"), "{text}");
    assert!(text.contains("the link to 'tokens' now leads to notes/tokens.md"), "{text}");
    assert!(!terminal.path("tokens.md").exists());
    let group = latest(&terminal);
    let text = shown(&terminal, &format!("undo {group}"));
    assert!(text.contains("tokens.md was restored"), "{text}");

    let text = shown(&terminal, "rm db/users.md");
    assert!(text.contains("the link to 'User Database' is broken now"), "{text}");

    terminal.write("tokens.md", "# Tokens\n\nEdited since.\n").unwrap();
    shown(&terminal, "mv tokens.md moved.md");
    let group = latest(&terminal);
    terminal.write("moved.md", "Edited after.\n").unwrap();
    let text = shown(&terminal, &format!("undo {group}"));
    assert!(text.contains("moved.md: changed since") && text.contains("hint:"), "{text}");
    assert_eq!(read(&terminal, "moved.md"), "Edited after.\n");
}

#[test]
fn links_to_a_deleted_page_become_plain_text() {
    let terminal = vault();
    let text = shown(&terminal, "rm db/users.md --unlink --dry-run");
    assert!(text.contains("  login.md:8: the link to 'User Database' would become plain text"), "{text}");
    assert!(text.contains("! dry run: nothing was written") && !text.contains("still name"), "{text}");
    let text = shown(&terminal, "rm db/users.md --dry-run");
    assert!(text.contains("the link to 'User Database' would be broken"), "{text}");
    assert!(text.contains("! 1 link still names the page; the option `unlink` turns"), "{text}");
    let text = shown(&terminal, "rm db/users.md --unlink");
    assert!(text.contains("  login.md:8: the link to 'User Database' is plain text now"), "{text}");
    assert!(text.contains("undoes this") && !text.contains("broken"), "{text}");
}

#[test]
fn replace_changes_all_pages_and_one_undo_restores_them() {
    let terminal = vault();
    let before = read(&terminal, "login.md");
    let text = shown(&terminal, "replace 'sign in' 'log in' --dry-run");
    assert!(text.contains("\n+Users log in with a password;"), "{text}");
    assert!(text.contains("Would replace 1 occurrence on 1 page\n  login.md: 1\n! dry run"), "{text}");
    assert_eq!(read(&terminal, "login.md"), before);
    let text = shown(&terminal, "replace 'sign in' 'log in'");
    assert!(text.contains("Replaced 1 occurrence on 1 page\n  login.md: 1\n! `ubp undo "), "{text}");
    let group = latest(&terminal);
    shown(&terminal, &format!("undo {group}"));
    assert_eq!(read(&terminal, "login.md"), before);
    let text = shown(&terminal, "replace 'sign in' 'log in' --in db");
    assert!(text.contains("Not found, nothing changed"), "{text}");
}

#[test]
fn the_log_shows_one_change_with_its_diff() {
    let terminal = vault();
    shown(&terminal, "new Keys");
    let group = latest(&terminal);
    let text = shown(&terminal, "audit");
    assert!(text.contains("  person  create_page  Keys.md\n") && !text.contains("+# Keys"), "{text}");
    let text = shown(&terminal, &format!("audit {group}"));
    assert!(text.contains("  person  create_page  Keys.md\n--- /dev/null\n+++ b/Keys.md\n"), "{text}");
    let text = shown(&terminal, &format!("undo {group}"));
    assert!(text.contains("Keys.md moved to .ubp/trash/") && text.contains("undoes this"), "{text}");
    shown(&terminal, "dismiss login.md notes/tokens.md");
    let group = latest(&terminal);
    let text = shown(&terminal, &format!("undo {group}"));
    assert!(text.contains(&format!("Undid {group}")), "{text}");
}
