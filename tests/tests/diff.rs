//! Comparing revisions of git repositories.

use std::fs;

use insta::assert_snapshot;
use ubp_cli::ExitStatus;
use ubp_tests::terminal::Terminal;

/// A project with two commits. The snapshots below show what the second one changes.
fn repository() -> Terminal {
    let terminal = Terminal::vault([
        ("login.md", "---\ntitle: Login\nsource_refs: [src/login.ts]\n---\n# Login\n\n[[tokens|depends_on]], [[Old]]\n"),
        ("tokens.md", "# Tokens\n\n[[login]]\n"),
        ("old.md", "# Old\n\nwords of an old page\n"),
        ("guide.md", "# Guide\n\n[[login|implements]]\n"),
    ])
    .unwrap();
    terminal.write("src/login.ts", "1\n").unwrap();
    assert!(terminal.ubp("review --all").succeeded());
    terminal.git("init --quiet --initial-branch=main");
    terminal.git("add --all");
    terminal.git("commit --quiet -m one");
    terminal.git("tag one");
    fs::remove_file(terminal.path("old.md")).unwrap();
    let tokens =
        "# Tokens\n\n[[login|depends_on]]\n\n## `Odd` </details> @someone ![x](http://x)\n\n[[ghost]]\n";
    terminal.write("tokens.md", tokens).unwrap();
    // The size must differ: git does not read files whose size and times are unchanged.
    terminal.write("src/login.ts", "2 and more\n").unwrap();
    terminal.git("add --all");
    terminal.git("commit --quiet -m two");
    terminal
}

/// Replaces the commit ids in `text`, which differ with each run.
fn without_commits(text: &str) -> String {
    let mut parts = text.split('(');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_commit = part.find(')') == Some(10) && part[..10].bytes().all(|b| b.is_ascii_hexdigit());
        plain.push('(');
        plain.push_str(if is_commit { "COMMIT" } else { &part[..part.len().min(10)] });
        plain.push_str(part.get(10..).unwrap_or_default());
    }
    plain
}

#[test]
fn diff_reports_changes_and_their_consequences() {
    let terminal = repository();
    assert_snapshot!(without_commits(&terminal.ubp("diff one..HEAD").transcript()), @"
    $ ubp diff one..HEAD
    one (COMMIT) -> HEAD (COMMIT)
    removed  old.md  Old
    changed  tokens.md  Tokens
        ~ Tokens
        + Tokens > Odd @someone x
    link +  tokens.md -> login.md  depends_on
    link -  login.md -> old.md  references
    link -  tokens.md -> login.md  references
    broken  login.md:7 -> Old  old.md was removed
    broken  tokens.md:7 -> ghost  no page has this name
    new cycle  login.md -> tokens.md -> login.md
    stale  login.md — src/login.ts changed on 2025-10-09
    read again  login.md — src/login.ts changed
    affected  1.00  login.md  Login
        tokens.md <- login.md (depends_on)
    affected  0.45  guide.md  Guide
        tokens.md <- login.md (depends_on) <- guide.md (implements)
    ! 1 page removed, 1 page changed, 1 link added, 2 links removed, 2 links broke, 1 new dependency cycle, 1 page became stale, 1 page to read again, 2 pages affected
    ");
    assert_snapshot!(without_commits(&terminal.ubp("diff one..HEAD --format markdown").transcript()), @"
    $ ubp diff one..HEAD --format markdown
    <!-- ubp diff -->
    ### What this change does to the pages

    1 page removed, 1 page changed, 1 link added, 2 links removed, 2 links broke, 1 new dependency cycle, 1 page became stale, 1 page to read again, 2 pages affected

    `one (COMMIT)` → `HEAD (COMMIT)`

    #### ❌ New broken links

    - `login.md` line 7 → `Old`: `old.md` was removed
    - `tokens.md` line 7 → `ghost`: no page has this name

    #### ❌ New dependency cycles

    - `login.md` → `tokens.md` → `login.md`

    #### ⚠️ Read again: they describe what changed

    - `login.md`: `src/login.ts` changed

    <details><summary>Pages (2)</summary>

    - changed `tokens.md`: ~ `Tokens`, + `Tokens > Odd @someone x`
    - removed `old.md`

    </details>

    <details><summary>Links (3)</summary>

    - added `tokens.md` → `login.md` (`depends_on`)
    - removed `login.md` → `old.md` (`references`)
    - removed `tokens.md` → `login.md` (`references`)

    </details>

    <details><summary>Affected pages: they depend on what changed (2)</summary>

    - 1.00 `login.md`: `tokens.md` ← `login.md` (`depends_on`)
    - 0.45 `guide.md`: `tokens.md` ← `login.md` (`depends_on`) ← `guide.md` (`implements`)

    </details>

    <!-- attention: 4 -->
    ");
    let back = terminal.ubp("diff HEAD..one --json").json();
    assert_eq!(back["staleness"]["fresh"][0], "login.md");
    assert_eq!(back["mended_links"].as_array().unwrap().len(), 2);
}

#[test]
fn the_working_folder_can_be_compared() {
    let terminal = repository();
    let same = terminal.ubp("diff");
    assert!(same.transcript().contains("the graph is the same"), "{}", same.transcript());
    assert_eq!(terminal.ubp("diff --exit-code").status, ExitStatus::Success);
    terminal.write("new.md", "[[nothing]]\n").unwrap();
    fs::rename(terminal.path("guide.md"), terminal.path("handbook.md")).unwrap();
    let ran = terminal.ubp("diff --json").json();
    assert_eq!(ran["pages"]["added"][0]["filepath"], "new.md");
    assert_eq!(ran["pages"]["renamed"][0]["previous_filepath"], "guide.md");
    assert_eq!(ran["broken_links"][0]["target"], "nothing");
    assert_eq!(ran["to"]["commit"], serde_json::Value::Null);
    // Against an older revision, the comparison includes what was committed since.
    let ran = terminal.ubp("diff one --json").json();
    assert_eq!(ran["broken_links"].as_array().unwrap().len(), 3);
    assert_eq!(ran["staleness"]["stale"][0]["filepath"], "login.md");
}

#[test]
fn exit_code_depends_on_fail_on() {
    let terminal = repository();
    let status = |flags: &str| terminal.ubp(&format!("diff one..HEAD {flags}")).status;
    assert_eq!(status(""), ExitStatus::Success);
    for flags in ["", "--fail-on broken", "--fail-on stale", "--fail-on cycles,stale"] {
        assert_eq!(status(&format!("--exit-code {flags}")), ExitStatus::Finding, "{flags}");
    }
    let back = |flags: &str| terminal.ubp(&format!("diff HEAD..one --exit-code {flags}")).status;
    assert_eq!(back(""), ExitStatus::Success);
    for odd in ["nonsense", "one...nonsense", "--output=x", "a..b..c", "HEAD:login.md"] {
        let ran = terminal.ubp(&format!("diff -- {odd}"));
        assert_eq!(ran.status, ExitStatus::Error, "{}", ran.transcript());
    }
}

#[test]
fn a_shallow_clone_reports_missing_commits_and_reports_no_false_changes() {
    let terminal = repository();
    let clone = format!("{}-shallow", terminal.folder().display());
    terminal.git(&format!("clone --quiet --depth=1 file://{} {clone}", terminal.folder().display()));
    let ran = terminal.ubp(&format!("-C {clone} diff HEAD~1..HEAD"));
    assert_eq!(ran.status, ExitStatus::Error);
    assert!(ran.err.contains("git fetch --unshallow"), "{}", ran.err);
    terminal.git(&format!("-C {clone} fetch --quiet --depth=1 origin tag one"));
    let ran = terminal.ubp(&format!("-C {clone} diff one..HEAD --json")).json();
    assert_eq!(ran["staleness"]["stale"].as_array().unwrap().len(), 1);
    let ran = terminal.ubp(&format!("-C {clone} diff one...HEAD"));
    assert!(ran.err.contains("no commit in common"), "{}", ran.err);
    let _ = fs::remove_dir_all(clone);
}

#[test]
fn without_version_control_diff_is_an_error() {
    let terminal = Terminal::vault([("a.md", "a")]).unwrap();
    let ran = terminal.ubp("diff");
    assert_eq!(ran.status, ExitStatus::Error);
    assert!(ran.err.contains("not under version control"), "{}", ran.err);
}
