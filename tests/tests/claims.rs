//! What pages say about the code, checked against real git repositories.

use serde_json::Value;
use ubp_cli::ExitStatus;
use ubp_tests::terminal::{Ran, Terminal};

/// A repository whose commits are a day apart, so that their order does not depend on the speed of the machine.
struct Repository {
    terminal: Terminal,
    commits: std::cell::Cell<i64>,
}

impl Repository {
    /// With a program, a page about it, and a first commit.
    fn new(page: &str) -> Self {
        let terminal = Terminal::vault([("docs/guide.md", page)]).unwrap();
        let repository = Self { terminal, commits: 0.into() };
        repository.write(".gitignore", ".ubp/\ndist/\n");
        repository.write("Cargo.toml", "[package]\nname = \"tool\"\n\n[features]\nfast-path = []\n");
        repository.write("src/main.rs", "fn main() { run_everything(std::env::var(\"TOOL_CACHE_DIR\")); }\n");
        repository.write(
            "src/options.rs",
            "pub struct Options {\n    pub max_depth: u8,\n    pub color: bool,\n}\n",
        );
        repository.write("package.json", "{\n  \"scripts\": {\n    \"lint\": \"eslint .\"\n  }\n}\n");
        repository.write("Makefile", "release-all: build\n\techo done\n\nbuild:\n\techo build\n");
        repository.write("justfile", "deploy target:\n    echo {{target}}\n");
        repository.write("tools/setup.sh", "#!/bin/sh\necho 'a line to find the file by'\necho another\n");
        repository.git("init --quiet --initial-branch=main");
        repository.commit("first");
        repository
    }

    fn write(&self, path: &str, text: &str) {
        self.terminal.write(path, text).unwrap();
    }

    fn replace(&self, path: &str, from: &str, to: &str) {
        let text = std::fs::read_to_string(self.terminal.path(path)).unwrap();
        assert!(text.contains(from), "{text}");
        self.write(path, &text.replace(from, to));
    }

    fn git(&self, arguments: &str) {
        let date = format!("@{} +0000", 1_750_000_000 + self.commits.get() * 86_400);
        let output = std::process::Command::new("git")
            .current_dir(self.terminal.folder())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_COMMITTER_DATE", date)
            .args(["-c", "user.name=T", "-c", "user.email=t@example.org"])
            .args(arguments.split(' '))
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn commit(&self, subject: &str) {
        self.commits.set(self.commits.get() + 1);
        self.git("add --all");
        self.git(&format!("commit --quiet -m {subject}"));
    }

    fn doctor(&self, arguments: &str) -> Ran {
        self.terminal.ubp(&format!("doctor --claims {arguments}"))
    }

    /// The claims that a change broke, each as `<code> <line> <claim> <subject>` and, if known, what it is now.
    fn broken_by(&self, range: &str) -> Vec<String> {
        let answer = self.terminal.ubp(&format!("diff {range} --json")).json();
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let told = answer["broken_claims"].as_array().unwrap().iter().map(|broken| {
            assert_eq!(broken["filepath"], "docs/guide.md");
            let subject = text(&broken["subject"]).unwrap_or_else(|| "uncommitted".into());
            let now = text(&broken["now"]).map(|now| format!(" -> {now}")).unwrap_or_default();
            format!(
                "{} {} {} {subject}{now}",
                broken["code"].as_str().unwrap(),
                broken["line"],
                broken["text"].as_str().unwrap()
            )
        });
        told.collect()
    }

    /// Each finding as `<code> <line> <claim> <subject>` and, if known, what it is now.
    fn findings(&self) -> Vec<String> {
        let answer = self.doctor("--json").json();
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let findings = answer["findings"].as_array().unwrap().iter().map(|finding| {
            let claim = &finding["claim"];
            assert_eq!(finding["filepath"], "docs/guide.md");
            let subject = text(&claim["subject"]).unwrap_or_else(|| "uncommitted".into());
            let now = text(&claim["now"]).map(|now| format!(" -> {now}")).unwrap_or_default();
            let (code, line, said) =
                (text(&finding["code"]).unwrap(), &finding["line"], text(&claim["text"]).unwrap());
            format!("{code} {line} {said} {subject}{now}")
        });
        findings.collect()
    }
}

const GUIDE: &str = "\
# Guide

Set `--max-depth` to go deeper. The cache is in `TOOL_CACHE_DIR`.

Options are in `src/options.rs`, and `run_everything()` reads them.

```sh
npm run lint
make release-all
just deploy production
cargo build --features fast-path
./tools/setup.sh
```
";

#[test]
fn what_commits_took_away_is_reported_with_the_commit_and_the_new_name() {
    let repository = Repository::new(GUIDE);
    assert_eq!(repository.findings(), [""; 0]);
    assert_eq!(repository.doctor("--exit-code").status, ExitStatus::Success);

    repository.replace("src/options.rs", "pub max_depth: u8", "pub depth_limit: u8");
    repository.commit("limit");
    repository.replace("src/main.rs", "TOOL_CACHE_DIR", "TOOL_CACHE_PLACE");
    repository.commit("cache");
    repository.replace("src/main.rs", "run_everything", "start");
    repository.commit("start");
    repository.replace("package.json", "\"lint\"", "\"check:style\"");
    repository.replace("Makefile", "release-all: build\n\techo done\n\n", "");
    repository.replace("justfile", "deploy target", "publish target");
    repository.replace("Cargo.toml", "fast-path = []\n", "");
    repository.commit("scripts");
    repository.git("mv src/options.rs src/settings.rs");
    repository.git("mv tools/setup.sh tools/install.sh");
    repository.commit("move");

    let expected = [
        "claimed_command 8 npm run lint scripts -> check:style",
        "claimed_command 9 make release-all scripts",
        "claimed_command 10 just deploy scripts -> publish",
        "claimed_command 11 cargo build --features fast-path scripts",
        "claimed_flag 3 --max-depth limit -> depth_limit",
        "claimed_name 5 run_everything() start -> start",
        "claimed_path 5 src/options.rs move -> src/settings.rs",
        "claimed_path 12 ./tools/setup.sh move -> tools/install.sh",
        "claimed_variable 3 TOOL_CACHE_DIR cache -> TOOL_CACHE_PLACE",
    ];
    assert_eq!(repository.findings(), expected);
    assert_eq!(repository.doctor("--exit-code").status, ExitStatus::Finding);
    let told = repository.doctor("claimed_flag").transcript();
    assert!(told.contains("guide.md:3: '--max-depth' was removed in "), "{told}");
    assert!(told.contains("(limit); it is now depth_limit"), "{told}");
    assert!(told.contains("9 claims on 1 page: 0 resolve, 9 missing, 0 ambiguous, 0 uncheckable"), "{told}");
}

#[test]
fn what_is_not_committed_is_reported_too() {
    let repository = Repository::new(GUIDE);
    repository.replace("src/options.rs", "max_depth", "limit");
    std::fs::remove_file(repository.terminal.path("tools/setup.sh")).unwrap();
    let expected =
        ["claimed_flag 3 --max-depth uncommitted -> limit", "claimed_path 12 ./tools/setup.sh uncommitted"];
    assert_eq!(repository.findings(), expected);
}

#[test]
fn what_the_project_never_had_cannot_be_checked() {
    let page = "# Other programs\n\nRun `git log --oneline --max-depth`, set `OTHER_PROGRAM_HOME`, read `lib/other.rs`, \
                call `somebodyElse()`.\n\n```sh\nnpm run other\nmake other\ncargo install ripgrep\n```\n";
    let repository = Repository::new(page);
    repository.write("src/options.rs", "\n");
    repository.commit("empty");
    let answer = repository.doctor("--json").json();
    assert_eq!(answer["findings"], serde_json::json!([]));
    assert_eq!((&answer["claims"]["missing"], &answer["claims"]["uncheckable"]), (&0.into(), &7.into()));
}

#[test]
fn a_name_that_anything_else_in_the_project_still_has_is_not_missing() {
    let repository =
        Repository::new("# Guide\n\nSet `--max-depth`, read `src/options.rs`, call `run_everything()`.\n");
    repository.write("docs/other.md", "# Other\n\nmax depth: see `maxDepth`.\n");
    repository.write("tools/build.txt", "writes src/options.rs\n");
    repository.write("src/main.rs", "fn main() { run_everything_twice(); }\n");
    std::fs::remove_file(repository.terminal.path("src/options.rs")).unwrap();
    repository.commit("remove");
    assert_eq!(repository.findings(), [""; 0]);
    std::fs::remove_file(repository.terminal.path("tools/build.txt")).unwrap();
    assert_eq!(repository.findings(), ["claimed_path 3 src/options.rs remove"]);
}

#[test]
fn a_line_that_is_not_older_than_the_removal_speaks_of_the_past() {
    let repository = Repository::new("# Guide\n\nNothing yet.\n");
    repository.write("src/options.rs", "\n");
    repository.commit("empty");
    repository.write("docs/guide.md", "# Guide\n\nThere is a flag `--max-depth`.\n");
    repository.commit("write");
    assert_eq!(repository.findings(), [""; 0]);
}

#[test]
fn a_page_that_moved_after_the_removal_is_still_checked() {
    let repository = Repository::new(GUIDE);
    repository.git("mv docs/guide.md docs/old.md");
    repository.commit("rename");
    repository.write("src/options.rs", "\n");
    repository.commit("empty");
    repository.git("mv docs/old.md docs/guide.md");
    repository.commit("back");
    assert_eq!(repository.findings(), ["claimed_flag 3 --max-depth empty"]);
}

#[test]
fn pages_sections_and_sentences_about_the_past_or_the_future_are_exempt() {
    let said = "Set `--max-depth`.\n";
    for (path, text) in [
        ("docs/plans/guide.md", format!("# Guide\n\n{said}")),
        ("docs/adr/0001-guide.md", format!("# Guide\n\n{said}")),
        ("docs/CHANGELOG.md", format!("# Guide\n\n{said}")),
        ("docs/a.md", format!("---\ntype: decision\n---\n# Guide\n\n{said}")),
        ("docs/b.md", format!("---\nstatus: Draft\n---\n# Guide\n\n{said}")),
        ("docs/c.md", format!("# Guide\n\n## Migration from version 1\n\n{said}")),
        (
            "docs/d.md",
            format!("# Guide\n\nUse depth; this replaced the flag. {said}").replace(". Set", " of old: set"),
        ),
        ("docs/f.md", format!("# Guide\n\n- [ ] {said}")),
        ("docs/e.md", "# Guide\n\n~~Set `--max-depth`.~~\n".to_owned()),
    ] {
        let repository = Repository::new("# Nothing\n");
        repository.write(path, &text);
        repository.commit("page");
        repository.write("src/options.rs", "\n");
        repository.commit("empty");
        assert_eq!(repository.findings(), [""; 0], "{path}");
    }
}

#[test]
fn build_products_are_not_missing() {
    let repository = Repository::new("# Guide\n\nThe result is `dist/app.js`.\n");
    repository.write("dist/app.js", "1\n");
    repository.git("add --force dist/app.js");
    repository.commit("build");
    repository.git("rm --quiet dist/app.js");
    repository.commit("ignore");
    assert_eq!(repository.findings(), [""; 0]);
}

#[test]
fn links_to_deleted_files_and_pages_are_reported() {
    let repository =
        Repository::new("# Guide\n\nSee [options](../src/options.rs), [[Details]] and [[Nowhere]].\n");
    repository.write("docs/Details.md", "# Details\n");
    repository.commit("details");
    std::fs::remove_file(repository.terminal.path("src/options.rs")).unwrap();
    std::fs::remove_file(repository.terminal.path("docs/Details.md")).unwrap();
    repository.commit("remove");
    let expected = ["claimed_link 3 ../src/options.rs remove", "claimed_link 3 Details remove"];
    assert_eq!(repository.findings(), expected);
}

#[test]
fn a_shallow_clone_reports_less_and_says_so() {
    let repository = Repository::new(GUIDE);
    repository.replace("src/options.rs", "max_depth", "limit");
    repository.commit("limit");
    repository.write("src/other.rs", "\n");
    repository.commit("other");
    let clone = Terminal::new().unwrap();
    clone.git(&format!("clone --quiet --depth=1 file://{} .", repository.terminal.folder().display()));
    assert!(clone.ubp("init --pages-dir docs").succeeded());
    let answer = clone.ubp("doctor --claims --json").json();
    assert_eq!(
        (&answer["findings"], &answer["claims"]["whole_history"]),
        (&serde_json::json!([]), &false.into())
    );
    let told = clone.ubp("doctor --claims").transcript();
    assert!(told.contains("this clone has no earlier ones"), "{told}");
}

#[test]
fn the_new_name_of_a_target_is_told() {
    let repository = Repository::new("# Guide\n\nRun `make build`, then `just deploy`.\n");
    repository.replace("Makefile", "\nbuild:\n", "\ncompile:\n");
    repository.replace("justfile", "deploy target", "publish target");
    repository.commit("names");
    let told = repository.terminal.ubp("doctor --claims").transcript();
    assert!(told.contains("'make build' was removed in ") && told.contains("it is now compile"), "{told}");
    assert!(told.contains("it is now publish"), "{told}");
}

#[test]
fn a_change_is_told_the_claims_that_it_broke() {
    let repository = Repository::new(&format!("{GUIDE}\nSee `src/options.rs#Options`.\n"));
    repository.replace("Makefile", "release-all: build\n\techo done\n\n", "");
    repository.commit("before");
    repository.git("tag a");
    repository.replace("src/options.rs", "pub max_depth: u8", "pub depth_limit: u8");
    repository.commit("limit");
    repository.replace("src/options.rs", "struct Options", "struct Settings");
    repository.replace("src/main.rs", "TOOL_CACHE_DIR", "TOOL_CACHE_PLACE");
    repository.replace("package.json", "\"lint\"", "\"check:style\"");
    repository.commit("names");
    repository.git("mv tools/setup.sh tools/install.sh");
    repository.commit("move");
    repository.git("tag b");
    repository.write("src/other.rs", "pub struct Other { max_depth: u8 }\n");
    repository.replace("justfile", "deploy target", "publish target");
    repository.commit("after");

    let expected = [
        "claimed_flag 3 --max-depth limit -> depth_limit",
        "claimed_variable 3 TOOL_CACHE_DIR names -> TOOL_CACHE_PLACE",
        "claimed_command 8 npm run lint names -> check:style",
        "claimed_path 12 ./tools/setup.sh move -> tools/install.sh",
        "claimed_symbol 15 src/options.rs#Options names -> src/options.rs#Settings",
    ];
    // What the commit before took away is not of this change, nor what a later one did.
    assert_eq!(repository.broken_by("a..b"), expected);
    // The other file has the name of the flag.
    let mut now = expected[1..].to_vec();
    now.insert(2, "claimed_command 10 just deploy after -> publish");
    assert_eq!(repository.broken_by("a..HEAD"), now);
    assert_eq!(repository.broken_by("a"), now);
    assert_eq!(repository.broken_by("HEAD..a"), [""; 0], "nothing is gone in this direction");
    assert_eq!(repository.broken_by("b..b"), [""; 0]);

    // Not committed, on a page that moved, and on a line that is new.
    repository.replace("src/main.rs", "run_everything", "run_all");
    repository.replace("docs/guide.md", "The cache is in `TOOL_CACHE_DIR`", "Where is `TOOL_CACHE_DIR`");
    let uncommitted = repository.broken_by("HEAD");
    assert_eq!(uncommitted, ["claimed_name 5 run_everything() uncommitted -> run_all"]);
    assert!(!repository.broken_by("a").iter().any(|told| told.contains("TOOL_CACHE_DIR")));
    let status =
        |flags: &str| repository.terminal.ubp(&format!("diff HEAD --exit-code --fail-on {flags}")).status;
    assert_eq!(status("claims"), ExitStatus::Finding);
    assert_eq!(status("broken"), ExitStatus::Success);
    let told = repository.terminal.ubp("diff HEAD").transcript();
    assert!(
        told.contains(
            "untrue  docs/guide.md:5 says run_everything()  removed by this change; it is now run_all"
        ),
        "{told}"
    );
    assert!(told.contains("1 claim broke"), "{told}");
    let comment = repository.terminal.ubp("diff HEAD --format markdown").transcript();
    assert!(
        comment.contains(
            "- `docs/guide.md` line 5: `run_everything()` was removed by this change; it is now `run_all`"
        ),
        "{comment}"
    );
    // A page that says it is a draft claims nothing.
    repository.git("mv docs/guide.md docs/draft.md");
    assert_eq!(repository.broken_by("HEAD"), [""; 0]);
}
