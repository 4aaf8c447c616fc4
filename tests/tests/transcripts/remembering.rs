//! Memories, and tables of pages.

use insta::assert_snapshot;
use ubp_tests::terminal::Terminal;

use super::vault;

/// The output of a command, with `[entry]` and `[time]` in place of ids and times.
fn told(terminal: &Terminal, command: &str) -> String {
    let text = terminal.ubp(command).transcript();
    let audit = terminal.ubp("audit --json").json();
    let group = audit["entries"][0]["group"].as_str().unwrap_or("no change yet");
    let line = |line: &str| match line.split_once("/trash/").zip(line.split_once(group)) {
        Some(((before, _), (_, after))) => format!("{before}/trash/[time]-[entry]{after}\n"),
        None => format!("{}\n", line.replace(group, "[entry]")),
    };
    let is_day = |part: &str| part.len() == 10 && part.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    let told: String = text.lines().map(line).collect();
    told.split(" · ").map(|part| if is_day(part) { "[day]" } else { part }).collect::<Vec<_>>().join(" · ")
}

#[test]
fn memories_are_kept_found_listed_and_forgotten() {
    let terminal = vault();
    let first = "memory remember --type tech 'Rust async' 'Use tokio.' --tag rust --example 'spawn(task);'";
    assert_snapshot!(told(&terminal, first), @"
    $ ubp memory remember --type tech 'Rust async' 'Use tokio.' --tag rust --example 'spawn(task);'
    Remembered memory/tech/rust-async.md
    ");
    assert_snapshot!(told(&terminal, "memory remember --type tech 'Rust Async' 'Use tokio, never block.'"), @"
    $ ubp memory remember --type tech 'Rust Async' 'Use tokio, never block.'
    Updated memory/tech/rust-async.md
    ! `ubp undo [entry]` undoes this
    ");
    assert_snapshot!(told(&terminal, "memory remember --type domain 'Rust asynch' 'Another field.'"), @"
    $ ubp memory remember --type domain 'Rust asynch' 'Another field.'
    Remembered memory/domain/rust-asynch.md
    ! memory/tech/rust-async.md is similar: Rust async
    ");
    terminal
        .write("memory/tech/broken.md", "---\ntopic: Broken\ntype: tech\nconfidence: 7\n---\nText.\n")
        .unwrap();
    assert_snapshot!(told(&terminal, "memory recall tokio"), @"
    $ ubp memory recall tokio
    memory/tech/rust-async.md: Rust async  score 1.009
        tech · [day] · 1 reference, confidence 1.00
        #rust
        Use tokio, never block.
        example:
        spawn(task);
    ! warning: memory/tech/broken.md:1: `confidence` must be a number from 0 to 1; it is '7'; ignored
    ! 1 memory
    ");
    std::fs::remove_file(terminal.path("memory/tech/broken.md")).unwrap();
    assert_snapshot!(told(&terminal, "memory recall --limit 1"), @"
    $ ubp memory recall --limit 1
    memory/tech/rust-async.md: Rust async
        tech · [day] · 1 reference, confidence 1.00
        #rust
        Use tokio, never block.
        example:
        spawn(task);
    ! 1 memory of 2; a higher limit shows more
    ");
    assert_snapshot!(told(&terminal, "memory list"), @"
    $ ubp memory list
    memory/tech/rust-async.md: Rust async  1 reference, confidence 1.00
    memory/domain/rust-asynch.md: Rust asynch  0 references, confidence 1.00
    ! 2 memories
    ");
    assert_snapshot!(told(&terminal, "memory document --output told"), @"
    $ ubp memory document --output told
    tech.md: 1 memory
    project-tech.md: 0 memories
    domain.md: 1 memory
    ! written to told
    ! this folder is in the pages folder, so its files become pages; a line in .ubpignore leaves them out
    ");
    terminal.write("linking.md", "# Linking\n\nSee [[Rust async]].\n").unwrap();
    assert!(told(&terminal, "memory forget 'rust async' --dry-run").contains("\n-Use tokio, never block.\n"));
    assert_snapshot!(told(&terminal, "memory forget 'rust async'"), @"
    $ ubp memory forget 'rust async'
    Forgot memory/tech/rust-async.md; it is in .ubp/trash/[time]-[entry]/memory/tech/rust-async.md
    ! warning: linking.md:3: the link to 'Rust async' breaks
    ! `ubp undo [entry]` undoes this
    ");
}

#[test]
fn duplicate_memories_are_merged() {
    let terminal = vault();
    for topic in ["Rust async", "Futures", "Futures"] {
        terminal.ubp(&format!("memory remember --type tech '{topic}' 'Use tokio.'"));
    }
    assert!(told(&terminal, "memory reindex --dry-run").contains("\n+aliases: [Rust async]\n"));
    assert_snapshot!(told(&terminal, "memory reindex --verbose"), @"
    $ ubp memory reindex --verbose
    memory/tech/futures.md replaces 1 memory
      1.0000  memory/tech/rust-async.md: Rust async
      1 reference, confidence 1.00
      memory/tech/rust-async.md is in .ubp/trash/[time]-[entry]/memory/tech/rust-async.md
    ! warning: only memories with equal text were merged: this machine has no embedding model
    ! 2 memories
    ! `ubp undo [entry]` undoes this
    ");
    assert_snapshot!(told(&terminal, "memory reindex"), @"
    $ ubp memory reindex
    ! warning: only memories with equal text were merged: this machine has no embedding model
    ! 1 memory; no duplicates
    ");
}

#[test]
fn query_prints_rows_in_columns() {
    let terminal = vault();
    let rows = "query 'SELECT path, title, tags FROM files ORDER BY path' --max-rows 3";
    assert_snapshot!(told(&terminal, rows), @r#"
    $ ubp query 'SELECT path, title, tags FROM files ORDER BY path' --max-rows 3
    path             title          tags
    db/users.md      User Database
    login.md         Login Feature  ["security"]
    notes/tokens.md
    ! 3 rows; there are more, see max_rows
    "#);
    assert_snapshot!(told(&terminal, "query --inspect"), @"
    $ ubp query --inspect
    column      type    pages
    aliases     array   1
    content     string  4
    path        string  4
    status      string  1
    tags        array   1
    title       string  2
    type        string  1
    updated_at  string  4
    ! there is no column embedding: this machine has no embedding model
    ! 4 pages
    ");
}
