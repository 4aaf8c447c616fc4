//! Starting projects and adding pages.

use insta::assert_snapshot;
use ubp_tests::terminal::Terminal;

use super::vault;

#[test]
fn init_quietly_says_only_what_it_did() {
    let terminal = Terminal::new().unwrap();
    let shown = terminal.ubp("init --quiet").transcript();
    assert!(shown.contains("created  .ubp/manifest.json") && !shown.contains("Next"), "{shown}");
}

#[test]
fn init_in_an_empty_folder() {
    let terminal = Terminal::new().unwrap();
    assert_snapshot!(terminal.ubp("init").transcript(), @r#"
    $ ubp init
    Started a project: [folder]
      created  pages/
      created  .ubp/
      created  .ubp/.gitignore
      created  .gitignore
      created  .ubp/manifest.json
      created  .ubp/metadata.db
      0 pages in pages/; `ubp add` completes their front matter
    Next
      `ubp new "My first page"` creates a page
      `ubp viewer` opens an editor in the browser
      `ubp mcp install claude-code` connects an AI agent, such as Claude Code
      `ubp` shows the state of the project
    "#);
    let all = ["manifest.json", "metadata.db", ".gitignore"].map(|name| format!(".ubp/{name}"));
    assert!(all.iter().all(|path| terminal.path(path).exists()));
    assert_eq!(std::fs::read_dir(terminal.path(".ubp")).unwrap().count(), all.len(), "everything was named");
    assert_snapshot!(std::fs::read_to_string(terminal.path(".gitignore")).unwrap(), @r"
    .ubp/metadata.db
    .ubp-*.tmp
    ");
    assert_snapshot!(terminal.ubp("init").transcript(), @r#"
    $ ubp init
    Already a project: [folder]
      0 pages in pages/; `ubp add` completes their front matter
    Next
      `ubp new "My first page"` creates a page
      `ubp viewer` opens an editor in the browser
      `ubp` shows the state of the project
    "#);
}

#[test]
fn init_over_a_vault_leaves_its_pages_alone() {
    let terminal = Terminal::new().unwrap();
    terminal.write("a.md", "[[b]]").unwrap();
    terminal.write("deep/b.md", "b").unwrap();
    assert_snapshot!(terminal.ubp("init --pages-dir .").transcript(), @r#"
    $ ubp init --pages-dir .
    Started a project: [folder]
      created  .ubp/
      created  .ubp/.gitignore
      created  .gitignore
      created  .ubp/manifest.json
      created  .ubp/metadata.db
      2 pages in this folder; your files are never written unless you edit them through ubp
    Next
      `ubp search "a question"` finds pages; `ubp add` computes all vectors for it now
      `ubp viewer` opens the pages in the browser
      `ubp doctor` lists broken links and other problems
      `ubp mcp install claude-code` connects an AI agent, such as Claude Code
      `ubp` shows the state of the project
    "#);
    terminal.ubp("add");
    assert_eq!(std::fs::read_to_string(terminal.path("a.md")).unwrap(), "[[b]]");
}

#[test]
fn init_can_change_the_pages_folder_of_a_project() {
    let terminal = Terminal::new().unwrap();
    terminal.write("a.md", "[[b]]").unwrap();
    terminal.write("deep/b.md", "b").unwrap();
    assert!(terminal.ubp("init --pages-dir pages").succeeded());
    assert_snapshot!(terminal.ubp("init --pages-dir .").transcript(), @r#"
    $ ubp init --pages-dir .
    Changed the project: [folder]
      changed  .ubp/manifest.json
      removed  pages/ (empty)
      2 pages in this folder; your files are never written unless you edit them through ubp
    Next
      `ubp search "a question"` finds pages; `ubp add` computes all vectors for it now
      `ubp viewer` opens the pages in the browser
      `ubp doctor` lists broken links and other problems
      `ubp` shows the state of the project
    "#);
    assert_eq!(terminal.ubp("list --format paths").out, "a.md\ndeep/b.md\n");
    terminal.write("a.rs", "fn main() {}").unwrap();
    terminal.write("a.md", "---\nsource_refs: [a.rs]\n---\n[[b]]").unwrap();
    assert!(terminal.ubp("review --still-accurate a.md").succeeded());
    assert_snapshot!(terminal.ubp("init --pages-dir deep").transcript(), @"
    $ ubp init --pages-dir deep
    ! error: the pages of this project are in '.', and .ubp/refs.lock refers to them by their paths, which would no longer match; --yes changes the pages folder to 'deep' anyway
    exit status 2
    ");
    assert!(terminal.ubp("init --pages-dir deep --yes").succeeded());
    assert_eq!(terminal.ubp("list --format paths").out, "deep/b.md\n");
}

#[test]
fn init_takes_the_folder_that_holds_the_pages_and_says_how_to_choose_another() {
    let terminal = Terminal::new().unwrap();
    terminal.write("README.md", "# Shop").unwrap();
    terminal.write("docs/a.md", "# A").unwrap();
    terminal.write("docs/b.md", "# B").unwrap();
    let ran = terminal.ubp("init --yes");
    assert!(ran.out.contains("  2 pages in docs/;"), "{}", ran.out);
    assert!(
        ran.out.contains("  `ubp init --pages-dir .` uses 3 Markdown files in the whole folder instead"),
        "{}",
        ran.out
    );
    assert!(terminal.ubp("init --pages-dir .").succeeded());
    assert_eq!(terminal.ubp("list --json").json()["total"], 3);
}

/// Runs `ubp init` in a repository with documentation, with a person at the terminal who gives these answers.
fn asked(answers: &str) -> (Terminal, String) {
    let terminal = Terminal::new().unwrap().with_variable("NO_COLOR", "1").answered_with(answers);
    terminal.write("README.md", "# Shop").unwrap();
    terminal.write("docs/a.md", "# A").unwrap();
    terminal.write("notes/b.md", "# B").unwrap();
    terminal.write("docs/c.md", "# C").unwrap();
    let transcript = terminal.ubp("init").transcript();
    (terminal, transcript)
}

fn pages_dir(terminal: &Terminal) -> serde_json::Value {
    let manifest = std::fs::read(terminal.path(".ubp/manifest.json")).unwrap();
    serde_json::from_slice::<serde_json::Value>(&manifest).unwrap()["pages_dir"].clone()
}

#[test]
fn a_person_is_asked_which_folder_holds_the_pages_and_which_agent_reads_them() {
    let (terminal, transcript) = asked("9\n2\n1\n");
    assert_snapshot!(transcript, @r#"
    $ ubp init
    Started a project: [folder]
      created  .ubp/
      created  .ubp/.gitignore
      created  .gitignore
      created  .ubp/manifest.json
      created  .ubp/metadata.db
      4 pages in this folder; your files are never written unless you edit them through ubp
      created  .mcp.json; start Claude Code in this folder to let it read your pages
    Next
      `ubp search "a question"` finds pages; `ubp add` computes all vectors for it now
      `ubp viewer` opens the pages in the browser
      `ubp doctor` lists broken links and other problems
      `ubp` shows the state of the project
    ! Which folder has your pages?
    !   1  docs/       2 Markdown files
    !   2  .           this folder as a whole, 4 Markdown files
    !   3  notes/      1 Markdown file
    !   4  pages/      a new folder, for new pages
    ! A number, or another folder [1]: '9' is not one of the choices.
    ! A number, or another folder [1]: Let an AI agent read these pages?
    !   1  Claude Code  writes .mcp.json
    !   2  Cursor       writes .cursor/mcp.json
    !   3  VS Code      writes .vscode/mcp.json
    ! A number, or Enter for none: Add templates for decisions (ADR), runbooks, APIs, features and meetings? [y/N]: 
    "#);
    assert_eq!(pages_dir(&terminal), ".");
    let settings = std::fs::read(terminal.path(".mcp.json")).unwrap();
    let settings: serde_json::Value = serde_json::from_slice(&settings).unwrap();
    assert_eq!(settings["mcpServers"]["ubp"]["args"], serde_json::json!(["mcp-server"]));
}

#[test]
fn pressing_enter_accepts_the_suggestions() {
    let (terminal, _) = asked("\n\n");
    assert_eq!(pages_dir(&terminal), "docs");
    assert!(!terminal.path(".mcp.json").exists());
    let (terminal, _) = asked("");
    assert_eq!(pages_dir(&terminal), "docs", "without answers, the suggestion is used");
    let (terminal, _) = asked("handbook\n");
    assert_eq!(pages_dir(&terminal), "handbook");
}

#[test]
fn settings_of_other_servers_stay() {
    let terminal = Terminal::new().unwrap().with_variable("NO_COLOR", "1").answered_with("1\n");
    terminal.write(".mcp.json", "{\"mcpServers\": {\"other\": {\"command\": \"x\"}}}").unwrap();
    let ran = terminal.ubp("init");
    assert!(ran.out.contains("  changed  .mcp.json; start Claude Code in this folder"), "{}", ran.out);
    let settings = std::fs::read(terminal.path(".mcp.json")).unwrap();
    let settings: serde_json::Value = serde_json::from_slice(&settings).unwrap();
    assert_eq!(settings["mcpServers"]["other"]["command"], "x");
    assert_eq!(settings["mcpServers"]["ubp"]["args"], serde_json::json!(["mcp-server"]));
}

#[test]
fn ubp_without_arguments_shows_the_state_and_next_steps() {
    let terminal = vault();
    assert_snapshot!(terminal.ubp("").transcript(), @r#"
    $ ubp 
    [folder]
    Pages      4
    Links      3, and 1 broken
    Freshness  no page names the code that it describes
    Vectors    none: the model no-such-model is not on this machine

    Next
      `ubp doctor` lists broken links and other problems
      `ubp model` shows how to get the model
      `ubp search 'a question'` finds pages by meaning, words and links
      `ubp viewer` opens the pages in a browser, to read and to write
    "#);
    terminal.write("code.rs", "fn main() {}").unwrap();
    terminal.write("tokens.md", "---\nsource_refs: [code.rs, gone.rs]\n---\n# Tokens\n").unwrap();
    let ran = terminal.ubp("");
    assert!(ran.out.contains("1 stale") && ran.out.contains("`ubp stale` lists"), "{}", ran.out);
    assert_eq!(terminal.ubp("--json").json()["page_count"], 4);
}

#[test]
fn ubp_without_arguments_says_how_to_start_a_project() {
    let terminal = Terminal::new().unwrap();
    assert_snapshot!(terminal.ubp("").transcript(), @"
    $ ubp 
    No UBP project in [folder] or in any folder above.

    Next
      `ubp init` starts a project with the Markdown files in this folder
      `ubp --help` lists every command
    ");
    assert_eq!(terminal.ubp("--json").json()["error"]["code"], "no_project");
}

#[test]
fn a_project_of_a_newer_ubp_is_not_changed() {
    let terminal = vault();
    terminal.write(".ubp/manifest.json", "{\n  \"schema_version\": 2\n}\n").unwrap();
    assert_snapshot!(terminal.ubp("list").transcript(), @"
    $ ubp list
    ! error: .ubp/manifest.json:2: `schema_version` 2 needs a newer ubp; this one supports 1
    ! hint: install a newer ubp; nothing is wrong with the file, and nothing was changed
    exit status 2
    ");
}

#[test]
fn one_add_waits_for_another() {
    let terminal = vault();
    let project = ubp_host::Project::find(terminal.folder()).unwrap();
    let held = project.lock_embedding(std::time::Duration::ZERO).unwrap();
    std::thread::scope(|scope| {
        let adding = scope.spawn(|| terminal.ubp("add"));
        std::thread::sleep(std::time::Duration::from_millis(400));
        assert!(!adding.is_finished(), "it waits");
        assert!(terminal.ubp("search token").succeeded(), "a search does not wait");
        drop(held);
        let ran = adding.join().unwrap();
        assert!(ran.succeeded() && ran.err.contains("waiting for it"), "{}", ran.transcript());
    });
}

#[test]
fn init_over_a_vault_detects_its_link_style() {
    let terminal = Terminal::new().unwrap();
    let links = (1..=6).map(|n| format!("[[the words|n{n}]]\n")).collect::<String>();
    terminal.write("a.md", &links).unwrap();
    for n in 1..=6 {
        terminal.write(&format!("n{n}.md"), "[[a]]").unwrap();
    }
    assert_snapshot!(terminal.ubp("init --pages-dir .").transcript(), @r#"
    $ ubp init --pages-dir .
    Started a project: [folder]
      created  .ubp/
      created  .ubp/.gitignore
      created  .gitignore
      created  .ubp/manifest.json
      created  .ubp/metadata.db
      7 pages in this folder; your files are never written unless you edit them through ubp
      links are read label first, [[label|target]]: of 6 links with a pipe, 6 resolve only with the label first, 0 only with the target first
      ("links": {"order": "target_first"} in .ubp/manifest.json changes that)
    Next
      `ubp search "a question"` finds pages; `ubp add` computes all vectors for it now
      `ubp viewer` opens the pages in the browser
      `ubp doctor` lists broken links and other problems
      `ubp mcp install claude-code` connects an AI agent, such as Claude Code
      `ubp` shows the state of the project
    "#);
    assert_eq!(std::fs::read_to_string(terminal.path("a.md")).unwrap(), links);
    let manifest = std::fs::read_to_string(terminal.path(".ubp/manifest.json")).unwrap();
    assert!(manifest.contains("\"order\": \"label_first\""), "{manifest}");
    let doctor = terminal.ubp("doctor --json").json();
    assert_eq!(doctor["counts"]["unresolved_link"], serde_json::Value::Null, "{doctor}");
    // Later choices of the user are kept.
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
    {"root":"[folder]","already":false,"pages_dir":"pages","frontmatter":"managed","link_order":"target_first","page_count":0,"notes_elsewhere":0,"created":["pages/",".ubp/",".ubp/.gitignore",".gitignore",".ubp/manifest.json",".ubp/metadata.db"],"changed":[]}
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
fn pages_for_broken_links_are_created_only_on_request() {
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
fn rebuild_reads_all_files_again() {
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
