//! Which pages and sections describe what a change touches.

use std::fs;

use super::*;

const SESSION: &str = "\
/** Signs in. */
export function login(user: string, retries = 3): boolean {
  for (let attempt = 0; attempt < retries; attempt++) {
    if (user.length > attempt * 7) return true;
  }
  return false;
}

export function logout(user: string): string {
  const told = user.trim().toLowerCase();
  return told === '' ? 'nobody' : told + ' left';
}
";

/// Pages about symbols, a file and a folder, not reviewed, and committed as `one`.
fn repository() -> Repository {
    let terminal = Terminal::vault([
        (
            "docs/guide.md",
            "# Guide\n\n## Signing in\n\nSee [[src/session.ts#login]].\n\n## Signing out\n\nSee [[src/session.ts#logout]].\n",
        ),
        ("docs/login.md", "---\ntitle: Login\nsource_refs:\n  - src/session.ts#login\n---\n# Login\n"),
        ("docs/all.md", "---\nsource_refs: [src]\n---\n# All\n"),
        ("docs/notes.md", "# Notes\n\n[[docs/guide]]\n\n## Files\n\n[[src/notes.txt]]\n"),
    ])
    .unwrap();
    terminal.write("src/session.ts", SESSION).unwrap();
    terminal.write("src/notes.txt", "one\n").unwrap();
    let repository = Repository::committed(terminal);
    git(repository.0.folder(), 60, &["tag", "one"]);
    repository
}

impl Repository {
    /// Page, source, change and headings of everything that the range touches.
    fn touched(&self, range: &str) -> Vec<String> {
        let answer = self.0.ubp(&format!("refs --json --diff {range}")).json();
        let mut told = Vec::new();
        for page in answer["change"]["pages"].as_array().unwrap() {
            for source in page["sources"].as_array().unwrap() {
                let heading =
                    |section: &Value| section["heading_path"].as_array().unwrap().last().unwrap().clone();
                let sections: Vec<Value> =
                    source["sections"].as_array().unwrap().iter().map(heading).collect();
                let text = |name: &str| source[name].as_str().unwrap_or_default().to_owned();
                let mut line =
                    format!("{} {} {}", page["filepath"].as_str().unwrap(), text("source"), text("change"));
                for section in sections {
                    line += &format!(" §{}", section.as_str().unwrap());
                }
                if !text("moved_to").is_empty() {
                    line += &format!(" -> {}", text("moved_to"));
                }
                told.push(line);
            }
        }
        told.sort();
        told
    }

    fn silent(&self, range: &str) -> Value {
        self.0.ubp(&format!("refs --json --diff {range}")).json()["change"]["silent"].clone()
    }
}

#[test]
fn each_change_of_a_symbol_names_its_sections_and_its_kind() {
    let repository = repository();
    assert_eq!(repository.touched(""), [""; 0]);

    repository.edit("src/session.ts", "Signs in.", "Signs in, up to three times.");
    assert_eq!(repository.touched(""), ["docs/all.md src changed"]);
    assert_eq!(repository.silent(""), serde_json::json!(["src/session.ts#login"]));

    repository.edit("src/session.ts", "attempt * 7", "attempt * 9 + 1");
    assert_eq!(
        repository.touched(""),
        [
            "docs/all.md src changed",
            "docs/guide.md src/session.ts#login body_changed §Signing in",
            "docs/login.md src/session.ts#login body_changed",
        ]
    );
    repository.commit(30);
    assert_eq!(repository.touched(""), [""; 0]);

    repository.edit("src/session.ts", "retries = 3", "retries = 50");
    repository.commit(20);
    let contract = [
        "docs/all.md src changed",
        "docs/guide.md src/session.ts#login contract_changed §Signing in",
        "docs/login.md src/session.ts#login contract_changed",
    ];
    for range in ["HEAD~1..HEAD", "HEAD~1...HEAD", "HEAD~1", "one..", "one"] {
        assert_eq!(repository.touched(range), contract, "{range}");
    }
}

#[test]
fn symbols_and_files_that_moved_are_followed() {
    let repository = repository();
    let text = fs::read_to_string(repository.0.path("src/session.ts")).unwrap();
    let (login, logout) = text.split_at(text.find("export function logout").unwrap());
    repository.0.write("src/session.ts", login.replace("function login", "function signIn")).unwrap();
    repository.0.write("src/leaving.ts", logout).unwrap();
    fs::rename(repository.0.path("src/notes.txt"), repository.0.path("src/words.txt")).unwrap();
    let moved = [
        "docs/all.md src changed",
        "docs/guide.md src/session.ts#login gone §Signing in -> src/session.ts#signIn",
        "docs/guide.md src/session.ts#logout gone §Signing out -> src/leaving.ts#logout",
        "docs/login.md src/session.ts#login gone -> src/session.ts#signIn",
        "docs/notes.md src/notes.txt gone §Files -> src/words.txt",
    ];
    assert_eq!(repository.touched(""), moved);
    repository.commit(20);
    assert_eq!(repository.touched("one..HEAD"), moved);
    // The whole file, with all symbols in it.
    fs::rename(repository.0.path("src/leaving.ts"), repository.0.path("src/gone.ts")).unwrap();
    repository.edit("docs/guide.md", "src/session.ts#logout", "src/leaving.ts#logout");
    assert_eq!(
        repository.touched(""),
        [
            "docs/all.md src changed",
            "docs/guide.md src/leaving.ts#logout gone §Signing out -> src/gone.ts#logout",
        ]
    );
}

#[test]
fn a_page_that_was_changed_or_reviewed_need_not_be_read_again() {
    let repository = repository();
    let status = |flags: &str| repository.0.ubp(&format!("refs --diff one --exit-code {flags}")).status;
    assert!(repository.0.ubp("review --all").succeeded());
    repository.commit(50);
    assert_eq!(status("--any-change"), ExitStatus::Success);
    repository.edit("src/session.ts", "attempt * 7", "attempt * 9 + 1");
    repository.edit("docs/all.md", "# All", "# All of it");
    assert_eq!((status(""), status("--any-change")), (ExitStatus::Success, ExitStatus::Finding));
    repository.edit("src/session.ts", "user: string, retries = 3", "user: string, retries = 5");
    assert_eq!(status(""), ExitStatus::Finding);
    assert!(repository.0.ubp("review --still-accurate docs/login.md docs/guide.md").succeeded());
    assert_eq!(status("--any-change"), ExitStatus::Success);
    // Its last line has the hash of a commit.
    let transcript = repository.0.ubp("refs --diff one").transcript();
    let (pages, _) = transcript.rsplit_once("! 3 pages describe what changed: one (").unwrap();
    insta::assert_snapshot!(pages);
}

#[test]
fn a_merge_base_leaves_out_what_the_other_branch_changed() {
    let repository = repository();
    let folder = repository.0.folder().to_path_buf();
    git(&folder, 50, &["switch", "--quiet", "--create", "topic"]);
    repository.edit("src/session.ts", "'nobody'", "'nobody at all'");
    repository.commit(50);
    git(&folder, 50, &["switch", "--quiet", "main"]);
    repository.edit("src/session.ts", "retries = 3", "retries = 40");
    repository.commit(40);
    assert_eq!(
        repository.touched("main...topic"),
        ["docs/all.md src changed", "docs/guide.md src/session.ts#logout body_changed §Signing out"]
    );
    assert_eq!(repository.touched("main..topic").len(), 4);
}

#[test]
fn diff_reports_what_has_to_be_read_again() {
    let repository = repository();
    repository.edit("src/session.ts", "retries = 3", "retries = 50");
    repository.commit(20);
    let answer = repository.0.ubp("diff one..HEAD --json").json();
    assert_eq!(answer["touched"].as_array().unwrap().len(), 3);
    let markdown = repository.0.ubp("diff one..HEAD --format markdown").transcript();
    assert!(
        markdown.contains("- `docs/guide.md` § `Signing in`: `src/session.ts#login` has another contract\n"),
        "{markdown}"
    );
}

#[test]
fn unusable_ranges_and_combinations_are_refused() {
    let repository = repository();
    for odd in [
        "--diff nonsense",
        "--diff a..b..c",
        "--diff=--output=x",
        "",
        "--exit-code",
        "docs/all.md --diff one",
    ] {
        let ran = repository.0.ubp(&format!("refs {odd}"));
        assert_eq!(ran.status, ExitStatus::Error, "{odd}: {}", ran.transcript());
    }
}
