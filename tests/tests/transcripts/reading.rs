//! Reading pages, lists, graphs and states.

use insta::assert_snapshot;
use ubp_tests::terminal::Terminal;

use super::vault;

#[test]
fn get_prints_a_page_with_its_links() {
    let terminal = vault();
    assert_snapshot!(terminal.ubp("get 'login feature'").transcript(), @"");
    assert_snapshot!(terminal.ubp("get login.md --section login-feature/flow").transcript(), @"");
}

#[test]
fn get_finds_pages_by_every_name() {
    let terminal = vault();
    let id = terminal.ubp("get UserDB --json").json()["doc_id"].as_str().unwrap().to_owned();
    for name in ["db/users.md", "db/users", "User Database", "userdb", "users", "USERS.md", &id] {
        let ran = terminal.ubp(&format!("get '{name}' --json"));
        assert_eq!(ran.json()["filepath"], "db/users.md", "{name}: {}", ran.transcript());
    }
}

#[test]
fn get_says_what_it_could_have_meant() {
    let terminal = vault();
    terminal.write("more/login.md", "another").unwrap();
    terminal.write("much/login.md", "another").unwrap();
    assert_snapshot!(terminal.ubp("get Logn").transcript(), @"");
    assert_snapshot!(terminal.ubp("get old-tokenz").transcript(), @"");
    assert_snapshot!(terminal.ubp("get xyzzy").transcript(), @"");
    assert_snapshot!(terminal.ubp("get login.md --section nope").transcript(), @"");
    terminal.write("x/same.md", "one").unwrap();
    terminal.write("y/same.md", "two").unwrap();
    assert_snapshot!(terminal.ubp("get same").transcript(), @"");
}

#[test]
fn context_shows_a_page_and_what_is_around_it() {
    let terminal = vault();
    assert_snapshot!(terminal.ubp("context tokens.md --depth 1").transcript(), @"");
    assert_snapshot!(terminal.ubp("context tokens.md --max-size 999").transcript(), @"");
}

#[test]
fn context_keeps_its_size() {
    let terminal = vault();
    for number in 0..40 {
        terminal
            .write(&format!("more/{number}.md"), format!("[[tokens.md]] {}", "padding ".repeat(60)))
            .unwrap();
    }
    for size in [1_000, 2_500, 10_000, 50_000] {
        let ran = terminal.ubp(&format!("context tokens.md --max-size {size} --json"));
        assert!(ran.succeeded(), "{}", ran.transcript());
        let compact = ran.json().to_string();
        assert!(compact.chars().count() <= size, "{} of {size}", compact.chars().count());
        assert_eq!(ran.json()["truncated_count"] == 0, size == 50_000);
    }
}

#[test]
fn list_shows_pages_in_the_order_asked_for() {
    let terminal = vault();
    assert_snapshot!(terminal.ubp("list").transcript(), @"");
    assert_snapshot!(terminal.ubp("list --sort filepath --order desc -n 2").transcript(), @"");
    assert_snapshot!(terminal.ubp("list --staleness stale").transcript(), @"");
    assert_snapshot!(terminal.ubp("list --sort colour").transcript(), @"");
}

#[test]
fn graph_shows_who_links_to_whom() {
    let terminal = vault();
    assert_snapshot!(terminal.ubp("graph").transcript(), @"");
    assert_snapshot!(terminal.ubp("graph UserDB --direction incoming --depth 1").transcript(), @"");
    assert_snapshot!(terminal.ubp("graph UserDB --depth 6").transcript(), @"");
    assert_eq!(terminal.ubp("graph --format json").json(), terminal.ubp("graph --json").json());
}

#[test]
fn doctor_finds_what_is_broken_and_how_to_mend_it() {
    let terminal = vault();
    terminal.write("broken.md", "---\ntitle: [x\n---\n[[login#Nope]] [[login]]\n").unwrap();
    assert_snapshot!(terminal.ubp("doctor").transcript(), @"");
    assert_eq!(terminal.ubp("doctor --exit-code").status as u8, 1);
}

#[test]
fn status_counts() {
    assert_snapshot!(vault().ubp("status").transcript(), @"");
}

#[test]
fn stale_pages_say_what_overtook_them() {
    let terminal =
        Terminal::vault([("a.md", "---\nsource_refs: [src/a.rs, src/gone.rs]\n---\ntext")]).unwrap();
    std::fs::create_dir(terminal.path("src")).unwrap();
    std::fs::write(terminal.path("src/a.rs"), "fn main() {}").unwrap();
    let terminal_says = |command: &str| {
        let modified = std::fs::metadata(terminal.path("src/a.rs")).unwrap().modified().unwrap();
        let day = jiff::Timestamp::try_from(modified).unwrap().to_string()[..10].to_owned();
        terminal.ubp(command).transcript().replace(&day, "[today]")
    };
    assert_snapshot!(terminal_says("status"), @"");
    assert_snapshot!(terminal_says("list"), @"");
}
