//! What is read as a claim, and what is exempt.
#![allow(clippy::unwrap_used)]

use jiff::Timestamp;

use super::exempt;
use super::extract::{What, claims};
use super::past::{MOST_COMMITS, Wanted};
use super::project::{Project, Tool, defined_by_line};
use super::spans::said;
use super::survey::survey;
use super::words::{key, keys};
use crate::Context;
use crate::index::tests::Project as Vault;
use crate::page::Lines;
use crate::ports::{MemoryHistory, MemorySource, Removing};

/// The claims of a text in a project that builds the program `tool`, as `<code> <claim>: <what has to be there>`.
fn read(text: &str) -> Vec<String> {
    let source = MemorySource::with_pages([("a.md", text)]);
    source.put_source("tool/Cargo.toml", b"[package]\nname = \"tool\"\n", Timestamp::UNIX_EPOCH);
    let vault = Vault::over(source);
    let project = Project::read(&vault.context(), &["pages/a.md".to_owned()].into()).unwrap();
    let mut found = Vec::new();
    for said in said(text, &Lines::new(text)) {
        claims(&said, &project, &mut found);
    }
    let told = found.into_iter().map(|claim| {
        let what = match claim.what {
            What::Path(path) => format!("path {path}"),
            What::Symbol(file, name) => format!("{name} in {file}"),
            What::Defined(tool, name) => format!("{tool:?} {name}"),
            What::Names(names) => names.join(" and "),
            What::Here => "here".into(),
            What::Unknown => "?".into(),
        };
        format!("{} {}: {what}", claim.kind.code().trim_start_matches("claimed_"), claim.text)
    });
    told.collect()
}

#[test]
fn code_spans_are_read_by_their_form() {
    for (span, expected) in [
        ("src/a.rs", "path src/a.rs: path src/a.rs"),
        ("./src/a.rs:10:2", "path ./src/a.rs:10:2: path src/a.rs"),
        ("src/auth/", "path src/auth/: path src/auth"),
        ("config.toml", "path config.toml: path config.toml"),
        ("src/a.rs#Session.refresh", "symbol src/a.rs#Session.refresh: Session.refresh in src/a.rs"),
        ("src/a.rs#L10-L20", "path src/a.rs#L10-L20: path src/a.rs"),
        ("--max-depth=N", "flag --max-depth=N: maxdepth"),
        ("--max-depth N", "flag --max-depth N: maxdepth"),
        ("$LOG_LEVEL", "variable $LOG_LEVEL: loglevel"),
        ("LOG_LEVEL=debug", "variable LOG_LEVEL=debug: loglevel"),
        ("max_depth", "name max_depth: maxdepth"),
        ("Session.refreshToken", "name Session.refreshToken: refreshtoken"),
        ("auth::login()", "name auth::login(): login"),
        ("login", "name login: ?"),
        ("true", "name true: ?"),
        ("-x", "flag -x: ?"),
        ("https://example.org/a/b.rs", "name https://example.org/a/b.rs: ?"),
        ("src/<name>.rs", "name src/<name>.rs: ?"),
        ("path/to/file.rs", "name path/to/file.rs: ?"),
        ("/usr/lib/a.so", "name /usr/lib/a.so: ?"),
        ("@scope/package", "name @scope/package: ?"),
        ("fooBarBaz", "name fooBarBaz: ?"),
        ("a sentence of words", "name a sentence of words: ?"),
        ("git log --oneline", "name git log --oneline: ?"),
    ] {
        assert_eq!(read(&format!("Say `{span}` here.\n")), [expected], "{span}");
    }
}

#[test]
fn commands_are_read_by_what_they_need() {
    for (line, expected) in [
        ("npm run check:style", &["command npm run check:style: Npm check:style"][..]),
        ("$ yarn lint # all files", &["command yarn lint: Npm lint"]),
        ("npm install left-pad", &[]),
        ("make -j4 all VERBOSE=1", &["command make all: Make all"]),
        ("make -C other all", &["command make -C other all: ?"]),
        ("just deploy production", &["command just deploy: Just deploy"]),
        (
            "cargo run -p tool --features fast,slow -- --other-flag",
            &[
                "command cargo run -p tool --features fast,slow -- --other-flag: CargoTarget tool",
                "command cargo run -p tool --features fast,slow -- --other-flag: CargoFeature fast",
                "command cargo run -p tool --features fast,slow -- --other-flag: CargoFeature slow",
            ],
        ),
        ("cargo xtask release", &["command cargo xtask release: CargoAlias xtask"]),
        (
            "./tools/a.sh && bash tools/b.sh",
            &["path ./tools/a.sh: path tools/a.sh", "path tools/b.sh: path tools/b.sh"],
        ),
        (
            "LOG_LEVEL=debug tool serve --port-number 80 -- --not-ours",
            &["command tool serve: serve", "flag --port-number: portnumber", "variable LOG_LEVEL: loglevel"],
        ),
        ("git push --force-with-lease", &["command git push --force-with-lease: ?"]),
    ] {
        assert_eq!(read(&format!("```sh\n{line}\n```\n")), expected, "{line}");
    }
}

#[test]
fn output_other_languages_and_links_are_not_read() {
    let text = "```rust\nlet max_depth = src/a.rs;\n```\n\n```\n$ tool serve\nmax_depth src/a.rs\n```\n\n[a `src/b.rs`](x.md) and text.\n";
    assert_eq!(read(text), ["command tool serve: serve", "path src/b.rs: path src/b.rs"]);
    assert_eq!(read("See src/a.rs, and/or either.\n"), ["path src/a.rs: path src/a.rs"]);
}

#[test]
fn pages_are_exempt_by_the_names_in_their_path() {
    for path in [
        "plans/a.md",
        "docs/adr/0001-a.md",
        "0003-plan.md",
        "CHANGELOG.md",
        "release-notes/v2.md",
        "2024-01-02-journal.md",
        "migrating-to-v2.md",
        "RFCs/12.md",
    ] {
        assert!(exempt::by_path(path), "{path}");
    }
    for path in ["planet.md", "login.md", "catalog.md", "newsroom.md", "guide/plants.md", "logging.md"] {
        assert!(!exempt::by_path(path), "{path}");
    }
}

#[test]
fn sentences_and_headings_about_the_past_are_told_by_whole_words() {
    for sentence in ["It was renamed.", "Planned: `--x`.", "The older form.", "この機能は廃止されました。"]
    {
        assert!(exempt::by_sentence(sentence), "{sentence}");
    }
    for sentence in ["Every folder has one.", "Above the threshold of 5.", "Who performed this wash?"] {
        assert!(!exempt::by_sentence(sentence), "{sentence}");
    }
    assert!(exempt::by_heading("Upgrading to 2.0") && exempt::by_heading("Design decisions"));
    assert!(!exempt::by_heading("Log levels") && !exempt::by_heading("Release a version"));
}

#[test]
fn names_are_compared_without_case_and_joints() {
    for name in ["max_depth", "maxDepth", "--max-depth", "MAX_DEPTH", "MaxDepth"] {
        assert_eq!(key(name), "maxdepth");
    }
    assert_eq!(keys("src/max-depth.rs"), "src\nmaxdepth\nrs");
}

#[test]
fn build_files_define_what_commands_name() {
    let define =
        |file: &str, line: &str| defined_by_line(file, line).map(|found| (found.tool, found.name.to_owned()));
    for (file, line, expected) in [
        ("web/package.json", "    \"check:style\": \"eslint .\",", Some((Tool::Npm, "check:style"))),
        ("package.json", "  \"scripts\": {", None),
        ("Makefile", "all: a b", Some((Tool::Make, "all"))),
        ("Makefile", "NAME := value", None),
        ("Makefile", "\techo a: b", None),
        ("justfile", "@deploy target='x': build", Some((Tool::Just, "deploy"))),
        ("justfile", "alias d := deploy", Some((Tool::Just, "d"))),
        ("core/Cargo.toml", "name = \"tool\"", Some((Tool::CargoTarget, "tool"))),
        ("Cargo.toml", "fast = [\"dep:x\"]", Some((Tool::CargoFeature, "fast"))),
        ("Cargo.toml", "version = \"1\"", None),
        (".cargo/config.toml", "xtask = \"run -p xtask --\"", Some((Tool::CargoAlias, "xtask"))),
        ("src/a.rs", "name: \"tool\"", None),
    ] {
        let expected = expected.map(|(tool, name)| (tool, name.to_owned()));
        assert_eq!(define(file, line), expected, "{file} {line}");
    }
}

#[test]
fn the_newest_removal_counts() {
    let at = |second| Timestamp::from_second(second).unwrap();
    let history = MemoryHistory::default();
    history.record("c0", at(0), &[("a.rs", Some("max_depth\n")), ("b.rs", Some("let max_depth = 1;\n"))]);
    history.record("c1", at(1), &[("a.rs", None)]);
    history.record("c2", at(2), &[("b.rs", Some("let limit = 1;\n"))]);
    let vault = Vault::with_pages([("a.md", "")]);
    let context = Context { history: &history, ..vault.context() };
    let mut wanted = Wanted::default();
    wanted.name("maxdepth");
    wanted.path("a.rs");
    let walked = wanted.look_up(&context, Removing::History(MOST_COMMITS)).unwrap();
    assert!(walked.is_complete);
    let name = wanted.gone_name("maxdepth").unwrap();
    assert_eq!(name.revision.as_ref().unwrap().commit.id, "c2");
    assert_eq!(name.instead.iter().collect::<Vec<_>>(), [(&"limit".to_owned(), &1)]);
    assert_eq!(wanted.gone_path("a.rs").unwrap().revision.as_ref().unwrap().commit.id, "c1");
}

#[test]
fn without_version_control_nothing_is_missing() {
    let vault = Vault::with_pages([("a.md", "Set `--max-depth`, see `src/a.rs`.\n")]);
    let found = survey(&vault.context()).unwrap();
    assert_eq!((found.missing.len(), found.counts.uncheckable, found.walked.is_complete), (0, 2, false));
}

proptest::proptest! {
    #[test]
    fn any_text_can_be_read(text in "([`#$|. /\n-]|src|a\\.rs|--flag|npm run|日本|```|~~|:1){0,60}") {
        let _ = read(&text);
    }
}
