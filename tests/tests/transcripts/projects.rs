//! Starting projects and taking pages in.

use insta::assert_snapshot;
use ubp_tests::terminal::Terminal;

use super::vault;

#[test]
fn init_in_an_empty_folder() {
    let terminal = Terminal::new().unwrap();
    assert_snapshot!(terminal.ubp("init").transcript(), @"
    $ ubp init
    Started a project: [folder]
      made     pages/
      made     .ubp/
      made     .ubp/.gitignore
      made     .gitignore
      made     .ubp/manifest.json
      0 pages in pages; front matter is completed when you add pages
    Write a page in pages/, then run `ubp add`.
    ");
    assert_snapshot!(std::fs::read_to_string(terminal.path(".gitignore")).unwrap(), @r"
    .ubp/metadata.db
    .ubp-*.tmp
    ");
    assert_snapshot!(terminal.ubp("init").transcript(), @"
    $ ubp init
    Already a project: [folder]
      0 pages in pages; front matter is completed when you add pages
    Write a page in pages/, then run `ubp add`.
    ");
}

#[test]
fn init_over_a_vault_leaves_its_pages_alone() {
    let terminal = Terminal::new().unwrap();
    terminal.write("a.md", "[[b]]").unwrap();
    terminal.write("deep/b.md", "b").unwrap();
    assert_snapshot!(terminal.ubp("init --pages-dir .").transcript(), @r#"
    $ ubp init --pages-dir .
    Started a project: [folder]
      made     .ubp/
      made     .ubp/.gitignore
      made     .gitignore
      made     .ubp/manifest.json
      2 pages in .; your files are never written unless you edit them through ubp
    Next: `ubp add` computes the vectors, `ubp search "…"` asks, `ubp doctor` looks for broken links.
    "#);
    terminal.ubp("add");
    assert_eq!(std::fs::read_to_string(terminal.path("a.md")).unwrap(), "[[b]]");
    assert_snapshot!(terminal.ubp("init --pages-dir docs").transcript(), @"
    $ ubp init --pages-dir docs
    ! error: this is a UBP project already, with pages_dir '.' and not 'docs'; to change that, edit .ubp/manifest.json
    exit status 2
    ");
}

#[test]
fn init_over_a_vault_reads_links_as_the_vault_writes_them() {
    let terminal = Terminal::new().unwrap();
    let links = (1..=6).map(|n| format!("[[the words|n{n}]]\n")).collect::<String>();
    terminal.write("a.md", &links).unwrap();
    for n in 1..=6 {
        terminal.write(&format!("n{n}.md"), "[[a]]").unwrap();
    }
    assert_snapshot!(terminal.ubp("init --pages-dir .").transcript(), @r#"
    $ ubp init --pages-dir .
    Started a project: [folder]
      made     .ubp/
      made     .ubp/.gitignore
      made     .gitignore
      made     .ubp/manifest.json
      7 pages in .; your files are never written unless you edit them through ubp
      links are read label first, [[label|target]]: of 6 with a pipe, 6 lead somewhere only that way, 0 only as written
      ("links": {"order": "target_first"} in .ubp/manifest.json changes that)
    Next: `ubp add` computes the vectors, `ubp search "…"` asks, `ubp doctor` looks for broken links.
    "#);
    assert_eq!(std::fs::read_to_string(terminal.path("a.md")).unwrap(), links);
    let manifest = std::fs::read_to_string(terminal.path(".ubp/manifest.json")).unwrap();
    assert!(manifest.contains("\"order\": \"label_first\""), "{manifest}");
    let doctor = terminal.ubp("doctor --json").json();
    assert_eq!(doctor["counts"]["unresolved_link"], serde_json::Value::Null, "{doctor}");
    // What somebody chose afterwards stays.
    terminal.write(".ubp/manifest.json", manifest.replace("label_first", "target_first")).unwrap();
    assert!(terminal.ubp("init").succeeded());
    let manifest = std::fs::read_to_string(terminal.path(".ubp/manifest.json")).unwrap();
    assert!(manifest.contains("\"order\": \"target_first\""), "{manifest}");
}

#[test]
fn init_answers_programs_too() {
    let terminal = Terminal::new().unwrap();
    assert_snapshot!(terminal.ubp("init --json").transcript(), @r#"
    $ ubp init --json
    {"root":"[folder]","already":false,"pages_dir":"pages","frontmatter":"managed","link_order":"target_first","page_count":0,"notes_elsewhere":0,"created":["pages/",".ubp/",".ubp/.gitignore",".gitignore",".ubp/manifest.json"],"changed":[]}
    "#);
}

#[test]
fn add_says_what_it_did_and_only_once() {
    let terminal = vault();
    assert_snapshot!(terminal.ubp("add").transcript(), @"
    $ ubp add
    Indexed: 4 added
    ");
    assert_snapshot!(terminal.ubp("add").transcript(), @"
    $ ubp add
    Indexed: no page changed
    ");
    terminal.write("login.md", "# Login Feature\n\nnew").unwrap();
    std::fs::rename(terminal.path("tokens.md"), terminal.path("db/tokens.md")).unwrap();
    std::fs::remove_file(terminal.path("notes/tokens.md")).unwrap();
    terminal.write("new.md", "new").unwrap();
    assert_snapshot!(terminal.ubp("add -v").transcript(), @"
    $ ubp add -v
    Indexed: 1 added, 1 changed, 1 removed, 1 renamed
    ");
}

#[test]
fn add_takes_files_as_the_shell_names_them() {
    let terminal = vault();
    terminal.write("code.rs", "fn main() {}").unwrap();
    assert_snapshot!(terminal.ubp("add ./db/../db/users.md").transcript(), @"
    $ ubp add ./db/../db/users.md
    Indexed: 4 added
    ");
    assert_snapshot!(terminal.ubp("-C db add users.md").transcript(), @"
    $ ubp -C db add users.md
    Indexed: no page changed
    ");
    assert_snapshot!(terminal.ubp("add missing.md").transcript(), @"
    $ ubp add missing.md
    ! error: no page is called 'missing.md'
    ! hint: `ubp list` shows every page
    exit status 2
    ");
    assert_snapshot!(terminal.ubp("add code.rs").transcript(), @"
    $ ubp add code.rs
    ! error: code.rs: not a page of this project: pages are files that end in .md or .markdown and are not ignored
    exit status 2
    ");
    assert_snapshot!(terminal.ubp("add ../outside.md").transcript(), @"
    $ ubp add ../outside.md
    ! error: ../outside.md: outside of the pages folder
    ! hint: only files inside the pages folder can be used
    exit status 2
    ");
}

#[test]
fn add_refuses_files_outside_of_the_pages_folder() {
    let terminal = Terminal::new().unwrap();
    terminal.ubp("init");
    terminal.write("elsewhere.md", "text").unwrap();
    assert_snapshot!(terminal.ubp("add elsewhere.md").transcript(), @"
    $ ubp add elsewhere.md
    ! error: elsewhere.md: outside of the pages folder
    ! hint: only files inside the pages folder can be used
    exit status 2
    ");
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
    assert_snapshot!(terminal.ubp("add --create-missing").transcript(), @"
    $ ubp add --create-missing
    Indexed: 1 added, 1 written
    ");
    assert!(terminal.path("nowhere.md").exists());
}

#[test]
fn rebuild_starts_from_the_files() {
    let terminal = vault();
    terminal.ubp("add");
    assert_snapshot!(terminal.ubp("rebuild").transcript(), @"
    $ ubp rebuild
    Rebuilt the index: 4 added
    ");
    assert_snapshot!(terminal.ubp("reindex -q").transcript(), @"
    $ ubp reindex -q
    Rebuilt the index: 4 added
    ");
}
