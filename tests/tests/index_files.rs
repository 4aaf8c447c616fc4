//! An unusable index file is moved aside and rebuilt. Nothing else in the project is lost.

use std::fs;

use insta::assert_snapshot;
use ubp_tests::terminal::Terminal;

fn vault() -> Terminal {
    let terminal = Terminal::vault([("a.md", "zebra [[missing]]"), ("b.md", "lion")]).unwrap();
    assert!(terminal.ubp("add").succeeded());
    terminal
}

fn without_companions(terminal: &Terminal) {
    for name in ["metadata.db-wal", "metadata.db-shm"] {
        let _ = fs::remove_file(terminal.path(&format!(".ubp/{name}")));
    }
}

fn sql(terminal: &Terminal, statements: &str) {
    let path = terminal.path(".ubp/metadata.db");
    rusqlite::Connection::open(path).unwrap().execute_batch(statements).unwrap();
}

#[test]
fn a_file_that_is_not_a_database_is_moved_aside() {
    let terminal = vault();
    without_companions(&terminal);
    fs::write(terminal.path(".ubp/metadata.db"), "not a database, but long enough to look at".repeat(50))
        .unwrap();
    assert_snapshot!(terminal.ubp("search zebra -l").transcript(), @"
    $ ubp search zebra -l
    a.md
    ! warning: the index could not be used (file is not a database); it was moved to [folder]/.ubp/metadata.db.damaged-1 and is being rebuilt
    ");
    assert!(fs::read_to_string(terminal.path(".ubp/metadata.db.damaged-1")).unwrap().starts_with("not a"));
    assert_snapshot!(terminal.ubp("search zebra -l").transcript(), @"
    $ ubp search zebra -l
    a.md
    ");
}

#[test]
fn a_truncated_database_is_moved_aside() {
    let terminal = vault();
    sql(&terminal, "PRAGMA wal_checkpoint(TRUNCATE)");
    without_companions(&terminal);
    let path = terminal.path(".ubp/metadata.db");
    let bytes = fs::read(&path).unwrap();
    for keep in [0, 1, 17, 100, 4_096, bytes.len() / 2] {
        without_companions(&terminal);
        fs::write(&path, &bytes[..keep]).unwrap();
        let ran = terminal.ubp("search zebra -l");
        assert_eq!(ran.out, "a.md\n", "{keep} bytes: {}", ran.transcript());
    }
}

#[test]
fn a_corrupt_database_is_rebuilt_without_losing_pages() {
    let terminal = vault();
    sql(&terminal, "PRAGMA wal_checkpoint(TRUNCATE)");
    let path = terminal.path(".ubp/metadata.db");
    let bytes = fs::read(&path).unwrap();
    for at in (4_096..bytes.len()).step_by(bytes.len() / 24) {
        without_companions(&terminal);
        let mut damaged = bytes.clone();
        let end = (at + 600).min(damaged.len());
        damaged[at..end].fill(0xa5);
        fs::write(&path, &damaged).unwrap();
        for command in ["search zebra -l", "list", "doctor", "get a.md", "rebuild"] {
            let ran = terminal.ubp(command);
            assert!(ran.succeeded(), "damage at {at}: {}", ran.transcript());
        }
        assert_eq!(terminal.ubp("search zebra -l").out, "a.md\n", "damage at {at}");
    }
}

#[test]
fn a_database_of_another_program_is_moved_aside_unchanged() {
    let terminal = vault();
    without_companions(&terminal);
    fs::remove_file(terminal.path(".ubp/metadata.db")).unwrap();
    sql(&terminal, "CREATE TABLE theirs(x); INSERT INTO theirs VALUES (7);");
    assert_snapshot!(terminal.ubp("search zebra -l").transcript(), @"
    $ ubp search zebra -l
    a.md
    ! warning: the index could not be used (it is another program's database); it was moved to [folder]/.ubp/metadata.db.damaged-1 and is being rebuilt
    ");
    let aside = rusqlite::Connection::open(terminal.path(".ubp/metadata.db.damaged-1")).unwrap();
    let kept: i64 = aside.query_row("SELECT x FROM theirs", [], |row| row.get(0)).unwrap();
    assert_eq!(kept, 7);
}

#[test]
fn a_database_with_another_schema_is_moved_aside() {
    let terminal = vault();
    sql(&terminal, "PRAGMA user_version = 4711");
    let ran = terminal.ubp("search zebra -l");
    assert_eq!(ran.out, "a.md\n");
    assert!(ran.err.contains("4711"), "{}", ran.transcript());
    assert!(!terminal.ubp("search zebra -l").err.contains("4711"));
}

#[test]
fn an_index_of_an_earlier_version_is_rebuilt_without_a_word() {
    let terminal = vault();
    sql(&terminal, "PRAGMA user_version = 1");
    for _ in 0..2 {
        let ran = terminal.ubp("search zebra -l");
        assert_eq!((&*ran.out, &*ran.err), ("a.md\n", ""), "{}", ran.transcript());
    }
    let version: i32 = rusqlite::Connection::open(terminal.path(".ubp/metadata.db"))
        .unwrap()
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap();
    assert!(version > 1);
    assert!(!terminal.path(".ubp/metadata.db.damaged-1").exists());
}

#[test]
fn deleting_the_index_loses_nothing() {
    let terminal = vault();
    let before = terminal.ubp("list --json").json();
    for name in ["metadata.db", "metadata.db-wal", "metadata.db-shm"] {
        let _ = fs::remove_file(terminal.path(&format!(".ubp/{name}")));
    }
    assert!(terminal.ubp("rebuild").succeeded());
    assert_eq!(terminal.ubp("list --json").json(), before);
}

#[test]
fn while_another_process_rebuilds_the_index_the_old_one_answers() {
    let terminal = vault();
    let mut other = rusqlite::Connection::open(terminal.path(".ubp/metadata.db")).unwrap();
    let rebuilding = other.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).unwrap();
    rebuilding.execute("DELETE FROM pages", []).unwrap();
    fs::write(terminal.path("b.md"), "tiger").unwrap();
    for (command, answer) in [("search lion -l", "b.md\n"), ("list -q", "a.md  a"), ("get b.md", "lion")] {
        let ran = terminal.ubp(command);
        assert!(ran.succeeded() && ran.out.contains(answer), "{}", ran.transcript());
    }
    let told: serde_json::Value = serde_json::from_str(&terminal.ubp("status --json").out).unwrap();
    assert_eq!(told["index"]["fresh"], false);
    drop(rebuilding);
    assert_eq!(terminal.ubp("search tiger -l").out, "b.md\n", "after the rebuild, changes are noticed again");
}
