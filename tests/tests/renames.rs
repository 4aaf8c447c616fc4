//! Renames on a disk, with git and symbols: of folders, headings, blocks, tags and aliases, by commands and by programs that
//! move files themselves. `core/src/writing/renaming/tests` has the rules, and random projects.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use ubp_core::Caller;
use ubp_core::drafts::Drafts;
use ubp_core::progress::{Cancel, Silent};
use ubp_core::writing::renaming::{
    Move, PageEdits, Renamed, plan_moves, plan_rename, settle_moves, settle_rename,
};
use ubp_tests::fixture::engine;
use ubp_tests::terminal::Terminal;

/// Pages of which one describes headings and files of the others.
const FILES: [(&str, &str); 8] = [
    (
        "pages/index.md",
        "\u{feff}# Index\r\n\r\n[[guides/setup]] [s](guides/setup.md#steps) ![[pic.png]] [all](guides/)\r\n",
    ),
    (
        "pages/guides/setup.md",
        "---\ntags: [auth/tokens]\naliases: [Installing]\n---\n# Setup\n\n![](pic.png) [[index]] [[src/a.ts#f]]\n\n## Steps\n\nOne. ^one\n\n## Errors\n\nNone. #auth\n",
    ),
    ("pages/guides/deep/more.md", "[s](../setup.md#steps) [[setup#^one]] [[Installing]] #auth/x\n"),
    ("pages/guides/pic.png", "png"),
    (
        "pages/spec.md",
        "---\nsource_refs:\n  - pages/guides/setup.md#Errors\n  - 'pages/guides/setup.md#Setup.Steps'\n  - pages/guides/deep\n---\n# Spec\n",
    ),
    ("pages/notes/setup.md", "[[guides/setup|depends_on]] and [[setup]]\n"),
    ("src/a.ts", "export function f() { return 1 }\n"),
    ("pages/other.md", "nothing\n"),
];

fn project() -> Terminal {
    let project = Terminal::project(FILES).unwrap();
    project.git("init");
    project.git("add .");
    project.git("commit -m first");
    assert!(project.ubp("add").succeeded());
    assert!(project.ubp("review spec.md --still-accurate").succeeded());
    project.git("add .");
    project.git("commit -m reviewed");
    project
}

/// Every file with its bytes, and the reviews.
fn everything(project: &Terminal) -> BTreeMap<String, Vec<u8>> {
    fn walk(folder: &Path, root: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, root, found);
            } else {
                let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(&project.path("pages"), project.folder(), &mut found);
    walk(&project.path("src"), project.folder(), &mut found);
    found.insert("refs.lock".into(), fs::read(project.path(".ubp/refs.lock")).unwrap());
    found
}

fn text(project: &Terminal, path: &str) -> String {
    fs::read_to_string(project.path(path)).unwrap()
}

/// Asserts that no link is broken, and that the page about the others keeps its review.
fn sound(project: &Terminal) {
    let links = project.ubp("doctor --json").json();
    let broken: Vec<_> = links["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| {
            ["broken_link", "missing_heading", "missing_source"].contains(&finding["code"].as_str().unwrap())
        })
        .collect();
    assert_eq!(broken, [] as [&serde_json::Value; 0]);
    let page = project.ubp("get spec.md --json").json();
    let reasons: Vec<&str> = page["stale_ref_details"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|one| one["reason"].as_str())
        .collect();
    // The file of a page whose links were rewritten differs, but no heading that the page names.
    assert!(!reasons.contains(&"missing"), "{reasons:?}");
    assert_eq!(page["staleness"], "fresh", "{page}");
}

/// Runs a command, checks the project, undoes the command, and checks that every byte is as before.
fn there_and_back(command: &str, check: impl Fn(&Terminal)) {
    let project = project();
    let before = everything(&project);
    let dry = project.ubp(&format!("{command} --dry-run"));
    assert!(dry.succeeded(), "{}", dry.transcript());
    assert_eq!(everything(&project), before, "a dry run writes nothing");
    let ran = project.ubp(&format!("{command} --json"));
    assert!(ran.succeeded(), "{}", ran.transcript());
    check(&project);
    let undone = project.ubp(&format!("undo {}", ran.json()["audit_id"].as_str().unwrap()));
    assert!(undone.succeeded(), "{}", undone.transcript());
    assert_eq!(everything(&project), before);
}

#[test]
fn a_folder_moves_with_its_pictures_and_reviews() {
    there_and_back("mv guides/ handbook/new/", |project| {
        assert!(!project.path("pages/guides/setup.md").exists());
        assert_eq!(fs::read(project.path("pages/handbook/new/pic.png")).unwrap(), b"png");
        assert_eq!(
            text(project, "pages/index.md"),
            "\u{feff}# Index\r\n\r\n[[new/setup]] [s](handbook/new/setup.md#steps) ![[pic.png]] [all](handbook/new/)\r\n"
        );
        assert_eq!(
            text(project, "pages/spec.md"),
            "---\nsource_refs:\n  - pages/handbook/new/setup.md#Errors\n  - 'pages/handbook/new/setup.md#Setup.Steps'\n  \
             - pages/handbook/new/deep\n---\n# Spec\n"
        );
        assert_eq!(text(project, "pages/notes/setup.md"), "[[new/setup|depends_on]] and [[setup]]\n");
        sound(project);
    });
}

#[test]
fn several_pages_move_to_a_folder() {
    there_and_back("mv notes/setup.md other.md guides/deep/", |project| {
        assert_eq!(
            text(project, "pages/guides/deep/setup.md"),
            "[[guides/setup|depends_on]] and [[setup]]\n"
        );
        assert_eq!(text(project, "pages/guides/deep/other.md"), "nothing\n");
    });
}

#[test]
fn a_heading_that_pages_describe_keeps_its_review() {
    there_and_back("mv guides/setup.md#Errors Failures", |project| {
        assert!(text(project, "pages/spec.md").contains("  - pages/guides/setup.md#Failures\n"));
        assert!(text(project, ".ubp/refs.lock").contains("\tpages/guides/setup.md#Failures\t"));
        sound(project);
    });
    there_and_back("mv guides/setup.md#Setup Install", |project| {
        assert!(text(project, "pages/spec.md").contains("  - 'pages/guides/setup.md#Install.Steps'\n"));
        sound(project);
    });
    there_and_back("mv guides/setup.md#Steps 'First steps'", |project| {
        assert!(text(project, "pages/index.md").contains("[s](guides/setup.md#first-steps)"));
        assert!(text(project, "pages/guides/deep/more.md").contains("[s](../setup.md#first-steps)"));
        assert!(text(project, "pages/spec.md").contains("'pages/guides/setup.md#Setup.First steps'"));
    });
}

#[test]
fn blocks_tags_and_aliases_are_renamed() {
    there_and_back("mv guides/setup.md#^one ^first", |project| {
        assert!(text(project, "pages/guides/setup.md").contains("One. ^first\n"));
        assert!(text(project, "pages/guides/deep/more.md").contains("[[setup#^first]]"));
    });
    there_and_back("mv #auth #security", |project| {
        assert!(text(project, "pages/guides/setup.md").contains("tags: [security/tokens]\n"));
        assert!(text(project, "pages/guides/setup.md").contains("None. #security\n"));
        assert!(text(project, "pages/guides/deep/more.md").ends_with("#security/x\n"));
    });
    there_and_back("mv guides/setup.md --alias Installing 'How to install'", |project| {
        assert!(text(project, "pages/guides/setup.md").contains("aliases: [How to install]\n"));
        assert!(text(project, "pages/guides/deep/more.md").contains("[[How to install]]"));
    });
}

#[test]
fn what_cannot_be_renamed_is_refused_and_nothing_changes() {
    let project = project();
    let before = everything(&project);
    for (command, message) in [
        ("mv guides/ notes.md/x.md/../../../../x/", "outside"),
        ("mv notes/ guides/deep/../../notes/inner/", "cannot be moved into itself"),
        ("mv nowhere/ x/", "nothing to move"),
        ("mv index.md other.md nosuch", "is not one; end it with a /"),
        ("mv guides/setup.md#Nothing X", "has no heading 'Nothing'"),
        ("mv guides/setup.md#^none X", "has no block ^none"),
        ("mv #none #some", "no page has the tag 'none'"),
        ("mv guides/setup.md --alias None Some", "has no alias 'None'"),
        ("mv guides/setup.md#Steps", "expected what to move"),
        ("mv guides/setup.md#Steps A B", "one new name"),
    ] {
        let ran = project.ubp(command);
        assert!(!ran.succeeded() && ran.transcript().contains(message), "{}", ran.transcript());
    }
    assert_eq!(everything(&project), before);
}

fn apply(project: &Terminal, planned: &[PageEdits]) {
    for page in planned {
        let path = project.path(&format!("pages/{}", page.path));
        let mut text = fs::read_to_string(&path).unwrap();
        for (range, insert) in page.edits.iter().rev() {
            text.replace_range(range.clone(), insert);
        }
        fs::write(path, text).unwrap();
    }
}

#[test]
fn a_program_that_moves_files_itself_keeps_links_and_reviews() {
    let project = project();
    let cancel = Cancel::default();
    let drafts = Drafts::default();
    {
        let engine = engine(project.folder(), None).unwrap();
        let context = engine.context(Caller::Person, false, &Silent, &cancel);
        context.refresh(false).unwrap();
        let moves = [
            Move { from: "pages/guides".into(), to: "pages/handbook".into() },
            Move { from: "src/a.ts".into(), to: "src/b.ts".into() },
        ];
        let planned = plan_moves(&context, &moves, &drafts).unwrap();
        apply(&project, &planned);
        fs::rename(project.path("pages/guides"), project.path("pages/handbook")).unwrap();
        fs::rename(project.path("src/a.ts"), project.path("src/b.ts")).unwrap();
        settle_moves(&context, &moves).unwrap();
        context.refresh(false).unwrap();
        assert!(text(&project, "pages/handbook/setup.md").contains("[[src/b.ts#f]]"));
        sound(&project);
        let renamed = Renamed::Heading { path: "handbook/setup.md".into(), line: 13, new: "Failures".into() };
        let planned = plan_rename(&context, &renamed, &drafts).unwrap();
        settle_rename(&context, &renamed, &drafts).unwrap();
        apply(&project, &planned);
    }
    assert!(text(&project, "pages/spec.md").contains("pages/handbook/setup.md#Failures"));
    sound(&project);
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_is_not_moved() {
    let project = project();
    std::os::unix::fs::symlink(project.path("pages/other.md"), project.path("pages/guides/linked.md"))
        .unwrap();
    let before = everything(&project);
    let ran = project.ubp("mv guides/ handbook/");
    assert!(!ran.succeeded() && ran.transcript().contains("is a symbolic link"), "{}", ran.transcript());
    assert_eq!(everything(&project), before);
}

/// Files that git or UBP leave out, next to listed ones.
fn add_unlisted(project: &Terminal) {
    for (path, text) in [
        (".gitignore", "build/\n*.log\n"),
        ("pages/guides/build/deep/out.png", "png"),
        ("pages/guides/.hidden/a.md", "# Hidden\n"),
        ("pages/guides/.DS_Store", "x"),
        ("pages/guides/deep/run.log", "log"),
        ("pages/guides/node_modules/x/index.js", "js"),
    ] {
        fs::create_dir_all(project.path(path).parent().unwrap()).unwrap();
        fs::write(project.path(path), text).unwrap();
    }
    fs::create_dir_all(project.path("pages/guides/empty/er")).unwrap();
    fs::write(project.path("pages/other.md"), "![](guides/build/deep/out.png) [[setup]]\n").unwrap();
}

/// The folders below the pages folder.
fn folders(project: &Terminal) -> Vec<String> {
    let ran = std::process::Command::new("find").arg(project.path("pages")).args(["-type", "d"]).output();
    let text = String::from_utf8(ran.unwrap().stdout).unwrap();
    let mut found: Vec<String> = text
        .lines()
        .map(|line| Path::new(line).strip_prefix(project.folder()).unwrap().to_string_lossy().into_owned())
        .collect();
    found.sort();
    found
}

#[test]
fn a_folder_moves_with_hidden_and_ignored_files_and_empty_folders() {
    let project = project();
    add_unlisted(&project);
    let (before, folders_before) = (everything(&project), folders(&project));
    let dry = project.ubp("mv guides/ handbook/new/ --dry-run");
    assert!(dry.transcript().contains("rename from guides/.DS_Store"), "{}", dry.transcript());
    assert_eq!((everything(&project), folders(&project)), (before.clone(), folders_before.clone()));
    let ran = project.ubp("mv guides/ handbook/new/ --json");
    assert!(ran.succeeded(), "{}", ran.transcript());
    let unlisted: Vec<String> = ran.json()["unlisted"]
        .as_array()
        .unwrap()
        .iter()
        .map(|moved| format!("{} {}", moved["from"].as_str().unwrap(), moved["to"].as_str().unwrap()))
        .collect();
    assert_eq!(
        unlisted,
        [
            "guides/.DS_Store handbook/new/.DS_Store",
            "guides/.hidden handbook/new/.hidden",
            "guides/build handbook/new/build",
            "guides/deep/run.log handbook/new/deep/run.log",
            "guides/empty handbook/new/empty",
            "guides/node_modules handbook/new/node_modules",
        ]
    );
    let moved: BTreeMap<String, Vec<u8>> = before
        .iter()
        .filter(|(path, _)| path.starts_with("pages/guides/"))
        .map(|(path, bytes)| (path.replacen("guides", "handbook/new", 1), bytes.clone()))
        .collect();
    let after = everything(&project);
    for (path, bytes) in &moved {
        assert!(path.ends_with(".md") || after.get(path) == Some(bytes), "{path}");
    }
    assert_eq!(after.len(), before.len());
    assert!(!project.path("pages/guides").exists());
    assert!(project.path("pages/handbook/new/empty/er").is_dir());
    assert_eq!(text(&project, "pages/other.md"), "![](handbook/new/build/deep/out.png) [[new/setup]]\n");
    let undone = project.ubp(&format!("undo {}", ran.json()["audit_id"].as_str().unwrap()));
    assert!(undone.succeeded(), "{}", undone.transcript());
    assert_eq!((everything(&project), folders(&project)), (before, folders_before));
    let redone = project.ubp(&format!("undo {}", ran.json()["audit_id"].as_str().unwrap()));
    assert!(!redone.succeeded(), "{}", redone.transcript());
}

#[test]
fn a_folder_with_ignored_files_alone_moves_and_one_that_was_deleted_since_does_not_block_the_undo() {
    let project = project();
    add_unlisted(&project);
    fs::create_dir_all(project.path("pages/media/build")).unwrap();
    fs::write(project.path("pages/media/build/a.png"), "a").unwrap();
    let ran = project.ubp("mv media/ notes/ --json");
    assert!(ran.succeeded(), "{}", ran.transcript());
    assert!(project.path("pages/notes/media/build/a.png").exists() && !project.path("pages/media").exists());
    let ran = project.ubp("mv guides/ handbook/ --json");
    assert!(ran.succeeded(), "{}", ran.transcript());
    fs::remove_dir_all(project.path("pages/handbook/build")).unwrap();
    fs::write(project.path("pages/handbook/.mine"), "kept").unwrap();
    let undone = project.ubp(&format!("undo {}", ran.json()["audit_id"].as_str().unwrap()));
    assert!(undone.succeeded(), "{}", undone.transcript());
    assert!(project.path("pages/guides/.DS_Store").exists() && !project.path("pages/guides/build").exists());
    assert_eq!(text(&project, "pages/handbook/.mine"), "kept");
}

#[test]
fn what_is_at_the_target_stays_and_a_refused_move_leaves_no_folder() {
    let project = project();
    add_unlisted(&project);
    for (path, text) in [
        ("pages/notes/guides/.DS_Store", "theirs"),
        ("pages/other/guides/build/mine.png", "mine"),
        ("pages/clone/.git", "gitdir: ../../.git/modules/clone\n"),
        ("pages/clone/a.md", "# A\n"),
    ] {
        fs::create_dir_all(project.path(path).parent().unwrap()).unwrap();
        fs::write(project.path(path), text).unwrap();
    }
    let (before, folders_before) = (everything(&project), folders(&project));
    for (command, message) in [
        ("mv guides/ notes/", "notes/guides/.DS_Store' already exists"),
        ("mv clone/ elsewhere/", "with `git mv` if it is a submodule"),
    ] {
        let ran = project.ubp(command);
        assert!(!ran.succeeded() && ran.transcript().contains(message), "{}", ran.transcript());
        assert_eq!((everything(&project), folders(&project)), (before.clone(), folders_before.clone()));
    }
    // Folders of the same name become one.
    let ran = project.ubp("mv guides/ other/ --json");
    assert!(ran.succeeded(), "{}", ran.transcript());
    assert_eq!(text(&project, "pages/other/guides/build/mine.png"), "mine");
    assert!(project.path("pages/other/guides/build/deep/out.png").exists());
    assert!(!project.path("pages/guides").exists());
    let undone = project.ubp(&format!("undo {}", ran.json()["audit_id"].as_str().unwrap()));
    assert!(undone.succeeded(), "{}", undone.transcript());
    assert_eq!((everything(&project), folders(&project)), (before, folders_before));
}

#[test]
fn the_folder_of_templates_is_not_moved_away_from_its_setting() {
    let project = project();
    fs::create_dir_all(project.path("pages/meta/forms")).unwrap();
    fs::write(project.path("pages/meta/forms/note.md"), "# {{title}}\n").unwrap();
    fs::write(project.path("pages/meta/a.md"), "# A\n").unwrap();
    let manifest = project.path(".ubp/manifest.json");
    let mut settings: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&manifest).unwrap()).unwrap();
    settings["templates_dir"] = "pages/meta/forms".into();
    fs::write(&manifest, settings.to_string()).unwrap();
    let ran = project.ubp("mv meta/ about/");
    assert!(!ran.succeeded() && ran.transcript().contains("set `templates_dir`"), "{}", ran.transcript());
    assert!(project.path("pages/meta/a.md").exists());
}

#[test]
fn queries_and_bases_follow_a_tag_where_they_are_certain_to_mean_it() {
    let project = project();
    let query = "> - A list\n>\n>   ```ubp list\r\n>   tags: != \"#auth\"\r\n>   # tags: auth\n>   title: auth\n>   ```\n";
    let sql = "```ubp\nSELECT path FROM files\nWHERE tags LIKE '%auth%'\n```\n";
    let base = "filters:\n  and:\n    - file.hasTag(\"auth\", 'auth/x')\n    - name != \"auth\"\n";
    let page = |base: &str| format!("{query}\n~~~base\n{base}~~~\n\n{sql}\n```\ntags: auth\n```\n");
    fs::write(project.path("pages/queries.md"), page(base)).unwrap();
    fs::write(project.path("pages/notes/All.base"), format!("\u{feff}{base}")).unwrap();
    fs::create_dir_all(project.path("forms")).unwrap();
    fs::write(project.path("forms/note.md"), "---\ntags: [auth]\n---\n# {{title}}\n").unwrap();
    let manifest = project.path(".ubp/manifest.json");
    let mut settings: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&manifest).unwrap()).unwrap();
    settings["templates_dir"] = "forms".into();
    fs::write(&manifest, settings.to_string()).unwrap();
    let before = everything(&project);
    let ran = project.ubp("mv #auth #security --json");
    assert!(ran.succeeded(), "{}", ran.transcript());
    let new_base = base.replace("\"auth\", 'auth/x'", "\"security\", 'security/x'");
    assert_eq!(text(&project, "pages/queries.md"), page(&new_base).replace("\"#auth\"", "\"#security\""));
    assert_eq!(text(&project, "pages/notes/All.base"), format!("\u{feff}{new_base}"));
    let left: Vec<String> = ran.json()["left"]
        .as_array()
        .unwrap()
        .iter()
        .map(|left| format!("{}:{}", left["file"].as_str().unwrap(), left["line"]))
        .collect();
    assert_eq!(
        left,
        ["pages/queries.md:13", "pages/queries.md:18", "pages/notes/All.base:4", "forms/note.md:2"]
    );
    assert!(!text(&project, ".ubp/refs.lock").contains("All.base"));
    let undone = project.ubp(&format!("undo {}", ran.json()["audit_id"].as_str().unwrap()));
    assert!(undone.succeeded(), "{}", undone.transcript());
    assert_eq!(everything(&project), before);
    // A query alone does not make a tag.
    let none = project.ubp("mv #auth/none #some");
    assert!(none.transcript().contains("no page has the tag"), "{}", none.transcript());
    let shown = project.ubp("mv #auth #security --dry-run");
    assert!(shown.transcript().contains("forms/note.md:2 may name the tag"), "{}", shown.transcript());
}
