//! `ubp eval --staleness`: what would have been reported in the history of a repository.

use super::*;

const CODE: &str = "export function signIn(user: string) {\n  return check(user, 1) && allow(user, 'in', 2);\n}\n\n\
                    export function signOut(user: string) {\n  return forget(user, 'out') || allow(user, 'out', 3);\n}\n\n\
                    export function unrelated() {\n  return 1;\n}\n";

const PAGE: &str = "# Session\n\n## In\n\n`signIn()` starts a session.\n\n## Out\n\n`signOut()` ends it.\n\n## Other\n\nText.\n";

/// A repository that is not a project, with a known history: see the comments.
fn repository() -> Repository {
    let terminal = Terminal::new().unwrap();
    git(terminal.folder(), 60, &["init", "--quiet", "--initial-branch=main"]);
    let repository = Repository(terminal);
    repository
        .files(60, &[("src/session.ts", CODE), ("docs/session.md", PAGE), ("CHANGELOG.md", "# Changes\n")]);
    // The first half: four changes of code.
    for number in 0..4 {
        // Git does not see changes of the same length within a second.
        let first = "1".repeat(number + 1);
        repository.files(50, &[("src/first.ts", &format!("export const first = {first};\n"))]);
    }
    repository
}

/// The second half, in which references are proposed.
fn second_half(repository: &Repository) {
    // Layout alone.
    let layout = CODE.replace("  return", "    // Why.\n    return");
    repository.files(40, &[("src/session.ts", &layout)]);
    // Another function, code only.
    let other = layout.replace("return 1", "return 20");
    repository.files(39, &[("src/session.ts", &other)]);
    // One function with its section.
    let body = other.replace("'in', 2", "'in', 20");
    repository.files(
        38,
        &[("src/session.ts", &body), ("docs/session.md", &PAGE.replace("starts a", "starts one"))],
    );
    // A renamed function, and its section in the next commit.
    let renamed = body.replace("signOut", "leave");
    repository.files(37, &[("src/session.ts", &renamed)]);
    repository.files(
        36,
        &[("docs/session.md", &PAGE.replace("starts a", "starts one").replace("signOut", "leave"))],
    );
    // Its contract under the new name, code only.
    let contract = renamed.replace("leave(user: string)", "leave(user: string, all = true)");
    repository.files(35, &[("src/session.ts", &contract), ("CHANGELOG.md", "# Changes\n\nOne.\n")]);
}

impl Repository {
    fn files(&self, days_ago: i64, files: &[(&str, &str)]) {
        for (path, text) in files {
            self.0.write(path, text).unwrap();
        }
        self.commit(days_ago);
    }
}

#[test]
fn the_history_of_any_repository_is_replayed_without_a_project() {
    let repository = repository();
    second_half(&repository);
    let replayed = repository.0.ubp("eval --staleness --json");
    assert!(replayed.succeeded(), "{}", replayed.transcript());
    assert!(!repository.0.path(".ubp").exists(), "nothing is written");
    let proposed = &replayed.json()["replays"][2];
    assert_eq!(proposed["references"], "proposed_symbols");
    let count = |name: &str| proposed[name].as_u64().unwrap();
    assert_eq!((count("change_count"), count("code_only_count"), count("equal_tokens_count")), (5, 3, 1));
    assert_eq!((count("edited_count"), count("bound_count")), (2, 2));
    assert_eq!((count("gone_count"), count("followed_count")), (1, 1));
    let rule = |place: usize| {
        let rule = &proposed["rules"][place];
        let number = |name: &str| rule[name].as_u64().unwrap();
        let names = [
            "reported_count",
            "right_count",
            "bound_edited_count",
            "alarm_count",
            "equal_tokens_alarm_count",
        ];
        names.map(number)
    };
    assert_eq!(rule(0), [4, 2, 2, 6, 2], "both sections, for each change of the file");
    assert_eq!(rule(1), [2, 2, 2, 1, 0], "only the section of the symbol");
    assert_eq!(rule(2), [1, 1, 2, 1, 0], "not for a body");
    assert_eq!(proposed["rules"][1]["precision"], 1.0);
    assert_eq!(proposed["rules"][1]["alarms_per_code_only_change"], 0.3333);
    let told = repository.0.ubp("eval --staleness").out;
    assert!(told.contains("1 of 1 symbols that were renamed, moved or deleted were followed"), "{told}");
}

#[test]
fn references_that_pages_have_are_measured_too() {
    let terminal = Terminal::vault([]).unwrap();
    git(terminal.folder(), 60, &["init", "--quiet", "--initial-branch=main"]);
    let repository = Repository(terminal);
    let named = "---\nsource_refs: [src]\n---\n# Session\n\nText.\n\n## In\n\n[In](../src/session.ts#signIn), [[src/first.ts]].\n";
    repository
        .files(60, &[("src/session.ts", CODE), ("docs/session.md", named), ("src/first.ts", "let a = 1;\n")]);
    repository.files(50, &[("src/session.ts", &CODE.replace("'in', 2", "'in', 20"))]);
    repository.files(
        40,
        &[("src/first.ts", "let a = 20;\n"), ("docs/session.md", &named.replace("Text.", "Texts."))],
    );
    let replayed = repository.0.ubp("eval --staleness --json").json();
    let figures = |replay: usize, rule: usize| {
        let rule = &replayed["replays"][replay]["rules"][rule];
        ["reported_count", "right_count", "alarm_count"].map(|name| rule[name].as_u64().unwrap())
    };
    assert_eq!(figures(0, 0), [2, 1, 1], "the page twice, and the section that names first.ts once");
    assert_eq!(figures(1, 0), [0, 0, 1], "the file of the symbol changed in the first change");
    assert_eq!(figures(1, 1), [0, 0, 1]);
    assert_eq!(figures(1, 2), [0, 0, 0], "only its body");
    assert_eq!(replayed["replays"][1]["bound_count"], 1);
    let before = std::fs::read(repository.0.path("docs/session.md")).unwrap();
    assert_eq!(before, named.replace("Text.", "Texts.").as_bytes());
}

#[test]
fn a_history_without_changes_cannot_be_replayed() {
    let terminal = Terminal::new().unwrap();
    let ran = terminal.ubp("eval --staleness");
    assert_eq!(ran.status, ExitStatus::Error, "{}", ran.transcript());
    assert!(ran.err.contains("the project needs at least two commits"), "{}", ran.err);
    for arguments in ["eval --commits 3", "eval --staleness . --names", "eval questions --staleness"] {
        assert!(!terminal.ubp(arguments).succeeded(), "{arguments}");
    }
}

#[test]
fn a_replay_stops_when_asked_to() {
    let repository = repository();
    let cancel = ubp_core::progress::Cancel::default();
    cancel.request();
    let arguments = ["eval".to_owned(), "--staleness".to_owned()];
    let (status, err) = repository.0.run(&arguments, Box::new(std::io::sink()), cancel);
    assert_eq!((status as u8, err.as_str()), (130, "interrupted; nothing was measured\n"));
}
