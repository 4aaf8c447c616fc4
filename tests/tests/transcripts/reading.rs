//! Reading pages, lists, graphs and freshness.

use insta::assert_snapshot;
use ubp_tests::terminal::Terminal;

use super::vault;

#[test]
fn get_prints_a_page_with_its_links() {
    let terminal = vault();
    assert_snapshot!(terminal.ubp("get 'login feature'").transcript(), @"
    $ ubp get 'login feature'
    Login Feature  login.md
    spec · updated 2026-01-02T03:04:05Z
    tags: security

    # Login Feature

    Users sign in with a password; see [[User Database|depends_on]] and [[tokens]].

    ## Flow

    A session token is issued, which [[nowhere]] describes.

    Links to (3)
      db/users.md (depends_on)  Users sign in with a password; see User Database and tokens.
      tokens.md (references)  …sign in with a password; see User Database and tokens.
      nowhere (no such page) (references)  A session token is issued, which nowhere describes.
    Linked from (1)
      tokens.md (references)  認証の流れはloginにある。
    ");
    assert_snapshot!(terminal.ubp("get login.md --section login-feature/flow").transcript(), @"
    $ ubp get login.md --section login-feature/flow
    Login Feature  login.md
    spec · updated 2026-01-02T03:04:05Z
    tags: security

    ## Flow

    A session token is issued, which [[nowhere]] describes.

    Links to (1)
      nowhere (no such page) (references)  A session token is issued, which nowhere describes.
    ! 1 link leads to this page; the whole page lists them
    ");
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
fn get_suggests_similar_names() {
    let terminal = vault();
    terminal.write("more/login.md", "another").unwrap();
    terminal.write("much/login.md", "another").unwrap();
    assert_snapshot!(terminal.ubp("get Logn").transcript(), @"
    $ ubp get Logn
    ! error: no page is called 'Logn'
    ! hint: did you mean login.md, more/login.md, much/login.md?
    exit status 2
    ");
    assert_snapshot!(terminal.ubp("get old-tokenz").transcript(), @"
    $ ubp get old-tokenz
    ! error: no page is called 'old-tokenz'
    ! hint: did you mean notes/tokens.md?
    exit status 2
    ");
    assert_snapshot!(terminal.ubp("get xyzzy").transcript(), @"
    $ ubp get xyzzy
    ! error: no page is called 'xyzzy'
    ! hint: `ubp list` shows every page
    exit status 2
    ");
    assert_snapshot!(terminal.ubp("get login.md --section nope").transcript(), @"
    $ ubp get login.md --section nope
    ! error: the page has no section 'nope'; it has login-feature, login-feature/flow
    exit status 2
    ");
    terminal.write("x/same.md", "one").unwrap();
    terminal.write("y/same.md", "two").unwrap();
    assert_snapshot!(terminal.ubp("get same").transcript(), @"
    $ ubp get same
    ! error: 'same' could be any of: x/same.md, y/same.md
    ! hint: name the page by its path
    exit status 2
    ");
}

#[test]
fn context_shows_a_page_and_its_neighbours() {
    let terminal = vault();
    assert_snapshot!(terminal.ubp("context tokens.md --depth 1").transcript(), @"
    $ ubp context tokens.md --depth 1
    Tokens  tokens.md

    # Tokens

    A session token expires after an hour.

    ## 認証

    認証の流れは[[login]]にある。

    -> Login Feature  login.md (references, 1 hop)
        Users sign in with a password; see [[User Database|depends_on]] and [[tokens]]. A session token is issued, which [[nowhere]] describes.
    ");
    assert_snapshot!(terminal.ubp("context tokens.md --max-size 999").transcript(), @"
    $ ubp context tokens.md --max-size 999
    ! error: max_size is 999; it must be at least 1000
    exit status 2
    ");
}

#[test]
fn context_respects_its_token_limit() {
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
    assert_snapshot!(terminal.ubp("list").transcript(), @"
    $ ubp list
    login.md  Login Feature  spec · 2026-01-02 · 2 out, 1 in
    notes/tokens.md  Old tokens  spec · 2026-01-02 · 0 out, 0 in
    tokens.md  Tokens  spec · 2026-01-02 · 1 out, 1 in
    db/users.md  User Database  db-schema · 2026-01-02 · 0 out, 1 in
    ! 4 pages
    ");
    assert_snapshot!(terminal.ubp("list --sort filepath --order desc -n 2").transcript(), @"
    $ ubp list --sort filepath --order desc -n 2
    tokens.md  Tokens  spec · 2026-01-02 · 1 out, 1 in
    notes/tokens.md  Old tokens  spec · 2026-01-02 · 0 out, 0 in
    ! 2 of 4 pages
    ");
    assert_snapshot!(terminal.ubp("list --staleness stale").transcript(), @"
    $ ubp list --staleness stale
    ! 0 pages
    ");
    assert_snapshot!(terminal.ubp("list --sort colour").transcript(), @"
    $ ubp list --sort colour
    ! error: invalid value 'colour' for '--sort <KEY>'
    !   [possible values: title, updated_at, created_at, filepath]
    ! 
    ! For more information, try '--help'.
    exit status 2
    ");
}

#[test]
fn graph_shows_who_links_to_whom() {
    let terminal = vault();
    assert_snapshot!(terminal.ubp("graph").transcript(), @"
    $ ubp graph
    login.md -> db/users.md (depends_on), tokens.md
    tokens.md -> login.md
    db/users.md
    notes/tokens.md
    ! 4 pages, 3 links; links without a type are references
    ");
    assert_snapshot!(terminal.ubp("graph UserDB --direction incoming --depth 1").transcript(), @"
    $ ubp graph UserDB --direction incoming --depth 1
    db/users.md
    1 hop
    login.md -> db/users.md (depends_on)
    ! 2 pages, 1 link
    ");
    assert_snapshot!(terminal.ubp("graph UserDB --depth 6").transcript(), @"
    $ ubp graph UserDB --depth 6
    ! error: depth is 6; it must be from 1 to 5
    exit status 2
    ");
    assert_eq!(terminal.ubp("graph --format json").json(), terminal.ubp("graph --json").json());
}

#[test]
fn doctor_finds_problems_and_says_how_to_fix_them() {
    let terminal = vault();
    terminal.write("broken.md", "---\ntitle: [x\n---\n[[login#Nope]] [[login]]\n").unwrap();
    assert_snapshot!(terminal.ubp("doctor").transcript(), @"
    $ ubp doctor
    warning: front matter syntax (1)
      broken.md:2: this is not valid YAML: unclosed bracket '['
      hint: the page is indexed as far as it can be read; fix that line
    warning: unresolved link (1)
      login.md:12: broken link to 'nowhere'
      hint: create the page, or fix the link
    info: missing heading (1)
      broken.md:4: broken link to 'login#Nope': login.md has no heading or block 'Nope'
      hint: fix the heading after the #
    info: model missing (1)
      the model 'no-such-model' is not on this machine
      hint: until it is installed, search uses only words; `ubp model` shows how to get it
    info: orphan page (1)
      notes/tokens.md: it has no links to or from other pages
      hint: add a link to it from a related page
    Wanted pages (1)
      nowhere (1 link on 1 page)
      hint: `ubp add --create-missing` creates them; an alias on an existing page works as well
    ");
    assert_eq!(terminal.ubp("doctor --exit-code").status as u8, 1);
}

#[test]
fn status_counts() {
    assert_snapshot!(vault().ubp("status").transcript(), @"
    $ ubp status
    Pages        4 (6 sections)
    Links        3, and 1 broken
    Vectors      0 of 4 pages
    Model        no-such-model (8 dimensions, not on this machine; `ubp model` shows how to get it)
    Not indexed  0
    Freshness    0 fresh, 0 possibly stale, 0 stale, 4 untracked
    ");
}

#[test]
fn stale_pages_are_listed_with_the_changed_sources() {
    let terminal =
        Terminal::vault([("a.md", "---\nsource_refs: [src/a.rs, src/gone.rs]\n---\ntext")]).unwrap();
    std::fs::create_dir(terminal.path("src")).unwrap();
    std::fs::write(terminal.path("src/a.rs"), "fn main() {}").unwrap();
    let terminal_says = |command: &str| {
        let modified = std::fs::metadata(terminal.path("src/a.rs")).unwrap().modified().unwrap();
        let day = jiff::Timestamp::try_from(modified).unwrap().to_string()[..10].to_owned();
        terminal.ubp(command).transcript().replace(&day, "[today]")
    };
    assert_snapshot!(terminal_says("status"), @"
    $ ubp status
    Pages        1 (1 section)
    Links        0, and 0 broken
    Vectors      0 of 1 page
    Model        no-such-model (8 dimensions, not on this machine; `ubp model` shows how to get it)
    Not indexed  0
    Freshness    0 fresh, 0 possibly stale, 1 stale, 0 untracked
    [STALE] a.md — src/a.rs changed on [today], and 1 more source
    ");
    assert_snapshot!(terminal_says("list"), @"
    $ ubp list
    a.md  a  spec · 2026-01-02 · 0 out, 0 in  [STALE]
    ! 1 page
    ");
}

#[test]
fn the_list_is_printed_as_columns_or_paths() {
    let terminal = vault();
    assert_snapshot!(terminal.ubp("list --format table").transcript(), @"
    $ ubp list --format table
    title          type       updated     out  in  freshness  path
    Login Feature  spec       2026-01-02  2    1   untracked  login.md
    Old tokens     spec       2026-01-02  0    0   untracked  notes/tokens.md
    Tokens         spec       2026-01-02  1    1   untracked  tokens.md
    User Database  db-schema  2026-01-02  0    1   untracked  db/users.md
    ! 4 pages
    ");
    assert_eq!(terminal.ubp("list --format paths -n 2").out, "login.md\nnotes/tokens.md\n");
    assert_eq!(terminal.ubp("list --format json").json()["total"], 4);
    assert_eq!(terminal.ubp("list --format paths --json").json()["total"], 4);
}
