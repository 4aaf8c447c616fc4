//! `ubp link-code`: which names are suggested, and what accepting and dismissing writes.

use std::fs;

use insta::assert_snapshot;
use ubp_cli::ExitStatus;
use ubp_tests::terminal::Terminal;

const GUIDE: &str = "# Guide\r\n\r\n## `SessionStore`\r\n\r\nCall `signInAgain()`, then `SessionStore.refresh`; see `src/auth/session.ts`.\r\n\
    `refresh`, `twiceDefined` and `greet` are not clear. Again `signInAgain(user)`.\r\n";

const SESSION: &str = "\
export class SessionStore {
  refresh(user: string): string { return user.trim(); }
}
export function signInAgain(user: string): string { return user.trim(); }
export function greet(): void {}
export function twiceDefined(): void {}
";

fn project() -> Terminal {
    let terminal = Terminal::vault([
        ("docs/guide.md", GUIDE),
        ("docs/bound.md", "---\nsource_refs: [src/auth]\n---\nCall `signInAgain()`.\n"),
        ("docs/table.md", "# T\n\n| a |\n|---|\n| `SessionStore` |\n"),
        ("CHANGELOG.md", "# Changes\n\n- `signInAgain` is new\n"),
    ])
    .unwrap();
    terminal.write("src/auth/session.ts", SESSION).unwrap();
    terminal
        .write(
            "src/other.ts",
            "export function twiceDefined(): void {}\nexport class Users { refresh(): void {} }\n",
        )
        .unwrap();
    terminal.write("tests/session.ts", "function signInAgain(): void {}\n").unwrap();
    terminal
}

/// Page and target of every suggestion.
fn suggested(terminal: &Terminal, flags: &str) -> Vec<String> {
    let answer = terminal.ubp(&format!("link-code --threshold 0 --json {flags}")).json();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let all = answer["suggestions"].as_array().unwrap();
    let mut all: Vec<String> =
        all.iter().map(|one| text(&one["source"]) + " " + &text(&one["target"])).collect();
    all.sort();
    all
}

fn undo(terminal: &Terminal, made: &serde_json::Value) {
    let ran = terminal.ubp(&format!("undo {}", made["audit_id"].as_str().unwrap()));
    assert!(ran.succeeded(), "{}", ran.transcript());
}

#[test]
fn names_with_one_meaning_are_suggested_until_the_page_binds_them() {
    let terminal = project();
    assert_snapshot!(terminal.ubp("link-code --threshold 0").transcript());
    let all = [
        "docs/guide.md src/auth/session.ts",
        "docs/guide.md src/auth/session.ts#SessionStore",
        "docs/guide.md src/auth/session.ts#SessionStore.refresh",
        "docs/guide.md src/auth/session.ts#signInAgain",
        "docs/table.md src/auth/session.ts#SessionStore",
    ];
    assert_eq!(suggested(&terminal, ""), all);
    assert_eq!(suggested(&terminal, "--page docs/table.md"), all[4..]);
    assert_eq!(suggested(&terminal, "--page CHANGELOG.md"), ["CHANGELOG.md src/auth/session.ts#signInAgain"]);
    assert_eq!(terminal.ubp("link-code --threshold 2").status, ExitStatus::Error);

    // Only the brackets are added.
    let made = terminal.ubp("accept docs/guide.md 'src/auth/session.ts#signInAgain'");
    assert!(made.succeeded(), "{}", made.transcript());
    let linked =
        GUIDE.replacen("`signInAgain()`", "[`signInAgain()`](../src/auth/session.ts#signInAgain)", 1);
    let text = || fs::read_to_string(terminal.path("docs/guide.md")).unwrap();
    assert_eq!(text(), linked);
    // It binds the section.
    let refs = terminal.ubp("refs 'src/auth/session.ts#signInAgain' --json").json();
    let named: Vec<&str> =
        refs["pages"].as_array().unwrap().iter().map(|page| page["filepath"].as_str().unwrap()).collect();
    assert_eq!(named, ["docs/bound.md", "docs/guide.md"]);
    // A part of the name is enough, and a line chooses among several.
    assert!(terminal.ubp("accept docs/guide.md 'src/auth/session.ts#refresh' --line 5").succeeded());
    assert!(
        text().contains("[`SessionStore.refresh`](../src/auth/session.ts#SessionStore.refresh)"),
        "{}",
        text()
    );
    let made = terminal.ubp("accept docs/table.md 'src/auth/session.ts#SessionStore' --json").json();
    let table = fs::read_to_string(terminal.path("docs/table.md")).unwrap();
    assert_eq!(table, "# T\n\n| a |\n|---|\n| [`SessionStore`](../src/auth/session.ts#SessionStore) |\n");
    assert_eq!(terminal.ubp("doctor --exit-code").status, ExitStatus::Success);
    // What is bound is not suggested, nor what contains it or is in it.
    assert_eq!(suggested(&terminal, ""), [""; 0]);
    undo(&terminal, &made);
    assert_eq!(suggested(&terminal, ""), all[4..]);
}

#[test]
fn front_matter_binds_what_only_headings_name() {
    let terminal = project();
    let refused = terminal.ubp("accept docs/guide.md 'src/auth/session.ts#SessionStore'");
    assert_eq!(refused.status, ExitStatus::Error);
    assert_eq!(fs::read_to_string(terminal.path("docs/guide.md")).unwrap(), GUIDE);
    let answer = terminal.ubp("link-code --threshold 0 --page docs/guide.md --json").json();
    let all = answer["suggestions"].as_array().unwrap();
    let heading = all.iter().find(|one| one["place"].is_null()).unwrap();
    assert_eq!(heading["accept"]["params"]["type"], "source_refs");
    assert!(
        terminal
            .ubp("accept docs/guide.md 'src/auth/session.ts#SessionStore' --type source_refs")
            .succeeded()
    );
    let text = fs::read_to_string(terminal.path("docs/guide.md")).unwrap();
    assert_eq!(text, format!("---\r\nsource_refs: src/auth/session.ts#SessionStore\r\n---\r\n{GUIDE}"));
}

#[test]
fn dismissed_names_are_not_suggested_again() {
    let terminal = project();
    let before = suggested(&terminal, "").len();
    let made = terminal.ubp("dismiss docs/guide.md 'src/auth/session.ts#signInAgain' --json").json();
    assert_eq!(suggested(&terminal, "").len(), before - 1);
    assert_eq!(suggested(&terminal, "--all").len(), before);
    let answer = terminal.ubp("link-code --threshold 0 --all").transcript();
    assert!(answer.contains("src/auth/session.ts#signInAgain  [DISMISSED]"), "{answer}");
    undo(&terminal, &made);
    assert_eq!(suggested(&terminal, "").len(), before);
}

#[test]
fn a_target_that_is_no_code_is_refused() {
    let terminal = project();
    for target in [
        "src/auth/session.ts#nothing",
        "src/nothing.ts",
        "src/nothing.ts#x",
        "../../etc/passwd",
        "src/other.ts",
    ] {
        let ran = terminal.ubp(&format!("accept docs/guide.md '{target}'"));
        assert_eq!(ran.status, ExitStatus::Error, "{target}: {}", ran.transcript());
    }
    assert_eq!(
        terminal.ubp("accept docs/guide.md src/auth/session.ts --type depends_on").status,
        ExitStatus::Error
    );
    assert_eq!(fs::read_to_string(terminal.path("docs/guide.md")).unwrap(), GUIDE);
    // A path is relative to the current folder.
    let ran = terminal.ubp_in("src", &["accept", "../docs/guide.md", "auth/session.ts"]);
    assert!(ran.succeeded(), "{}", ran.transcript());
    assert!(
        fs::read_to_string(terminal.path("docs/guide.md"))
            .unwrap()
            .contains("[`src/auth/session.ts`](../src/auth/session.ts)")
    );
}

#[test]
fn the_queue_lists_names_of_code_if_they_are_asked_for() {
    let terminal = project();
    let of = |flags: &str| terminal.ubp(&format!("queue --from 0 --json {flags}")).json();
    assert!(!of("")["counts"].to_string().contains("code"), "they take longer than all else");
    let answer = of("--kind code");
    let item = answer["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(|item| item["target"] == "src/auth/session.ts#signInAgain");
    let item = item.unwrap();
    assert_eq!((&item["kind"], &item["source"]), (&"code".into(), &"docs/guide.md".into()));
    assert_eq!(item["place"], serde_json::json!({ "filepath": "docs/guide.md", "line": 5 }));
    assert!(item["summary"].as_str().unwrap().contains("Call `signInAgain()`"), "{item}");
    let count = answer["counts"][0]["count"].as_u64().unwrap();
    let told = terminal.ubp("queue --from 0 --kind code").transcript();
    assert!(told.contains("code  docs/guide.md -> src/auth/session.ts#signInAgain"), "{told}");
    assert!(told.contains(&format!("{count} links to code")), "{told}");
    // Both decisions take it off the list, and undo brings it back.
    for operation in ["accept", "dismiss"] {
        let call = &item[operation];
        assert_eq!(call["operation"], operation);
        let text = |name: &str| call["params"][name].as_str().unwrap().to_owned();
        let done = terminal.ubp(&format!("{operation} {} {} --json", text("source"), text("target"))).json();
        let is_listed = || of("--kind code")["items"].as_array().unwrap().contains(item);
        assert!(!is_listed(), "{operation}");
        undo(&terminal, &done);
        assert!(is_listed(), "{operation}");
    }
}
