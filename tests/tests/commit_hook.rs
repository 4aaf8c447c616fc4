//! `ubp init --hook`: git checks the pages of each commit.

use std::path::Path;
use std::process::{Command, Output};

use insta::assert_snapshot;
use ubp_tests::terminal::Terminal;

use crate::process::program;

const PAGE: (&str, &str) = ("login.md", "---\nsource_refs: [login.ts]\n---\n# Login\n");

/// A project in `folder` of a new repository, with a page about `login.ts`.
fn repository(folder: &str) -> Terminal {
    let terminal = Terminal::new().unwrap();
    terminal.git("init --quiet --initial-branch=main");
    for (path, text) in [PAGE, ("login.ts", "export const login = 1\n")] {
        terminal.write(&format!("{folder}{path}"), text).unwrap();
    }
    terminal
}

/// Commits everything. The only program called `ubp` is the one under test; with `has_ubp` false there is none.
fn commit(terminal: &Terminal, has_ubp: bool, arguments: &[&str]) -> Output {
    let git = |arguments: &[&str]| {
        let programs = if has_ubp { only_ubp(terminal.folder()) } else { String::new() };
        Command::new("git")
            .current_dir(terminal.folder())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("PATH", format!("{programs}/usr/bin:/bin"))
            .args(["-c", "user.name=T", "-c", "user.email=t@example.org"])
            .args(arguments)
            .output()
            .unwrap()
    };
    assert!(git(&["add", "--all", "--", ":!programs"]).status.success());
    git(&[&["commit", "--quiet", "-m", "change"], arguments].concat())
}

/// A folder for `PATH`, with a colon behind it.
fn only_ubp(folder: &Path) -> String {
    let programs = folder.join("programs");
    std::fs::create_dir_all(&programs).unwrap();
    let _ = std::os::unix::fs::symlink(program(), programs.join("ubp"));
    format!("{}:", programs.display())
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&*output.stdout, &*output.stderr].concat()).into_owned()
}

#[test]
fn a_commit_stops_if_it_makes_a_page_stale() {
    for folder in ["", "it's here/"] {
        let terminal = repository(folder);
        let ran = terminal.ubp_in(folder, &["init", "--yes", "--hook"]);
        assert!(ran.out.contains("/.git/hooks/pre-commit\n") || ran.out.contains(" .git/hooks/pre-commit\n"));
        let first = commit(&terminal, true, &[]);
        assert!(first.status.success() && said(&first).is_empty(), "the first commit: {}", said(&first));
        let review = terminal.ubp_in(folder, &["review", "login.md"]);
        assert!(review.out.starts_with("reviewed: login.md"), "{}", review.transcript());
        let reviewed = commit(&terminal, true, &[]);
        assert!(reviewed.status.success(), "{}", said(&reviewed));

        // Git may not see a change that keeps size and time.
        terminal.write(&format!("{folder}login.ts"), "export const login = 22\n").unwrap();
        let stopped = commit(&terminal, true, &[]);
        assert!(!stopped.status.success());
        let words = said(&stopped);
        assert!(words.contains("login.md") && words.contains("ubp review --still-accurate"), "{words}");
        terminal.ubp_in(folder, &["review", "--still-accurate", "login.md"]);
        let reviewed = commit(&terminal, true, &[]);
        assert!(reviewed.status.success(), "{}", said(&reviewed));

        terminal.write(&format!("{folder}login.ts"), "export const login = 333\n").unwrap();
        let anyway = commit(&terminal, true, &["--no-verify"]);
        assert!(anyway.status.success(), "{}", said(&anyway));
        terminal.write(&format!("{folder}login.ts"), "export const login = 4444\n").unwrap();
        let without_ubp = commit(&terminal, false, &[]);
        assert!(without_ubp.status.success(), "{}", said(&without_ubp));
    }
}

#[test]
fn only_a_page_that_must_be_read_stops_a_commit() {
    let terminal = repository("");
    assert!(terminal.ubp("init --yes --hook").succeeded());
    assert!(commit(&terminal, true, &[]).status.success());
    terminal.write(".ubp/manifest.json", "{ broken").unwrap();
    let committed = commit(&terminal, true, &[]);
    assert!(committed.status.success() && said(&committed).contains("manifest.json"), "{}", said(&committed));
}

#[test]
fn a_hook_that_is_there_is_left_alone() {
    let terminal = repository("");
    terminal.write(".git/hooks/pre-commit", "#!/bin/sh\nmake lint\n").unwrap();
    let ran = terminal.ubp("init --yes --hook");
    assert!(
        ran.out.contains("  .git/hooks/pre-commit exists; add this to it:\n# Pages whose"),
        "{}",
        ran.out
    );
    let hook = || std::fs::read_to_string(terminal.path(".git/hooks/pre-commit")).unwrap();
    assert_eq!(hook(), "#!/bin/sh\nmake lint\n");
    std::fs::remove_file(terminal.path(".git/hooks/pre-commit")).unwrap();
    terminal.ubp("init --hook");
    let written = hook();
    assert!(terminal.ubp("init --hook").out.contains(".git/hooks/pre-commit has the check already"));
    assert_eq!(hook(), written);
}

#[test]
fn hooks_in_another_folder_are_left_alone() {
    let terminal = repository("");
    terminal.git("config core.hooksPath .husky");
    let ran = terminal.ubp("init --yes --hook");
    assert!(
        ran.out.contains("git takes its hooks from .husky; add this to pre-commit there:"),
        "{}",
        ran.out
    );
    assert!(!terminal.path(".husky").exists() && !terminal.path(".git/hooks/pre-commit").exists());
    terminal.git("config --unset core.hooksPath");
    std::fs::rename(terminal.path(".git/hooks"), terminal.path("shared")).unwrap();
    std::os::unix::fs::symlink("../shared", terminal.path(".git/hooks")).unwrap();
    assert!(terminal.ubp("init --yes --hook").out.contains("git takes its hooks from ../shared; add this"));
    assert!(!terminal.path("shared/pre-commit").exists());
}

#[test]
fn outside_of_git_no_hook_is_offered() {
    let terminal = Terminal::new().unwrap();
    terminal.write(PAGE.0, PAGE.1).unwrap();
    let ran = terminal.ubp("init --yes --hook --json");
    assert!(ran.succeeded());
    assert_eq!(ran.err, "not a git repository, so no hook was created\n");
    assert!(!terminal.ubp("init").out.contains("--hook"));
}

#[test]
fn a_person_in_a_repository_is_asked_about_the_hook() {
    let terminal = repository("").with_variable("NO_COLOR", "1").answered_with("\n\ny\n");
    assert_snapshot!(terminal.ubp("init").transcript(), @r#"
    $ ubp init
    Started a project: [folder]
      created  .ubp/
      created  .ubp/.gitignore
      created  .gitignore
      created  .ubp/manifest.json
      created  .ubp/metadata.db
      1 page in this folder; your files are never written unless you edit them through ubp
      created  .git/hooks/pre-commit
    Next
      `ubp search "a question"` finds pages; `ubp add` computes all vectors for it now
      `ubp viewer` opens the pages in the browser
      `ubp doctor` lists broken links and other problems
      `ubp mcp install claude-code` connects an AI agent, such as Claude Code
      `ubp` shows the state of the project
    ! Which folder has your pages?
    !   1  .           this folder as a whole, 1 Markdown file
    !   2  pages/      a new folder, for new pages
    ! A number, or another folder [1]: Let an AI agent read these pages?
    !   1  Claude Code  writes .mcp.json
    !   2  Cursor       writes .cursor/mcp.json
    !   3  VS Code      writes .vscode/mcp.json
    ! A number, or Enter for none: Check before every commit that pages still match their code? [y/N]: Add templates for decisions (ADR), runbooks, APIs, features and meetings? [y/N]: 
    "#);
    let terminal = repository("").with_variable("NO_COLOR", "1").answered_with("\n\n\n");
    assert!(terminal.ubp("init").out.contains("`ubp init --hook` lets git check pages before every commit"));
    assert!(!terminal.path(".git/hooks/pre-commit").exists());
}
