//! Pages that name symbols get the same verdict in every kind of clone as in a full one, or it says that it cannot tell.

use super::*;

const SESSION: &str = "\
export class Session {
  /** Signs in again. */
  refresh(user: string, retries = 3): boolean {
    for (let attempt = 0; attempt < retries; attempt++) {
      if (check(user, attempt)) return true;
    }
    return false;
  }

  end(): void {
    check('', 0);
  }
}
";

const PAGE: &str = "---\nsource_refs: ['src/session.ts#Session.refresh']\n---\n# Session\n";

/// Why a page is stale, and where the symbol went.
type Verdict = (&'static str, Option<&'static str>);

/// What happens to the code after the review, and the verdict in a full clone.
fn changes() -> Vec<(&'static str, String, Verdict)> {
    let at = |text: &str| SESSION.find(text).unwrap();
    vec![
        ("nothing", SESSION.to_owned(), ("fresh", None)),
        (
            "comment",
            SESSION.replace("Signs in again.", "Signs in again, three times at most."),
            ("fresh", None),
        ),
        ("body", SESSION.replace("attempt = 0", "attempt = 10"), ("body_changed", None)),
        ("contract", SESSION.replace("retries = 3", "retries = 40"), ("contract_changed", None)),
        (
            "rename",
            SESSION.replace("refresh(", "signInAgain("),
            ("missing", Some("src/session.ts#Session.signInAgain")),
        ),
        ("deletion", SESSION.replace(&SESSION[at("  /** Signs")..at("  end")], ""), ("missing", None)),
    ]
}

/// Reason and new name of what is reported about the symbol.
fn verdict(terminal: &Terminal, folder: &str) -> (String, Option<String>) {
    let ran = terminal.ubp(&format!("-C {folder} stale --json"));
    let pages = ran.json()["pages"].as_array().unwrap().clone();
    let Some(page) = pages.first() else { return ("fresh".into(), None) };
    let detail = &page["stale_ref_details"][0];
    (detail["reason"].as_str().unwrap().into(), detail["renamed_to"].as_str().map(str::to_owned))
}

fn reviewed(files: &[(&str, &str)]) -> Repository {
    let terminal = Terminal::vault([("page.md", PAGE)]).unwrap();
    for (path, text) in files {
        terminal.write(path, text).unwrap();
    }
    let repository = Repository::reviewed(terminal);
    git(repository.0.folder(), 60, &["config", "uploadpack.allowFilter", "true"]);
    repository
}

#[test]
fn verdicts_on_symbols_are_the_same_in_every_clone() {
    for (change, text, expected) in changes() {
        let repository = reviewed(&[("src/session.ts", SESSION)]);
        let project = &repository.0;
        repository.0.write("src/session.ts", &text).unwrap();
        repository.commit(30);
        repository.0.write("src/other.ts", "export const other = 1;\n").unwrap();
        repository.commit(20);
        let expected = (expected.0.to_owned(), expected.1.map(str::to_owned));
        assert_eq!(verdict(project, "."), expected, "{change}");

        let name = project.folder().file_name().unwrap().to_string_lossy().into_owned();
        for (kind, flags) in [
            ("full", &[][..]),
            ("depth-3", &["--depth=3"]),
            ("depth-1", &["--depth=1"]),
            ("partial", &["--filter=blob:none"]),
            ("autocrlf", &["--config", "core.autocrlf=true"]),
        ] {
            let clone = repository.clone(&format!("{name}-{kind}"), flags);
            let found = verdict(project, &clone);
            assert_eq!(found.0, expected.0, "{change}, {kind}");
            let may_be_unknown = !matches!(kind, "full" | "autocrlf");
            assert!(
                found.1 == expected.1 || (may_be_unknown && found.1.is_none()),
                "{change}, {kind}: {found:?}"
            );
            if kind == "autocrlf" {
                assert!(
                    std::fs::read_to_string(Path::new(&clone).join("src/session.ts"))
                        .unwrap()
                        .contains("\r\n")
                );
            }
            let _ = std::fs::remove_dir_all(clone);
        }

        let tree = format!("{}-tree", project.folder().display());
        git(project.folder(), 0, &["worktree", "add", "--quiet", "--detach", &tree]);
        assert_eq!(verdict(project, &tree), expected, "{change}, worktree");
        git(project.folder(), 0, &["worktree", "remove", "--force", &tree]);
    }
}

#[test]
fn symbols_in_a_submodule_are_followed_in_its_own_history() {
    for (change, text, expected) in changes() {
        let library = Terminal::new().unwrap();
        library.write("src/session.ts", SESSION).unwrap();
        git(library.folder(), 90, &["init", "--quiet", "--initial-branch=main"]);
        let library = Repository(library);
        library.commit(90);
        let page = PAGE.replace("src/", "vendor/lib/src/");
        let project = Terminal::vault([("page.md", page.as_str())]).unwrap();
        project.write(".gitignore", ".ubp/metadata.db*\n").unwrap();
        git(project.folder(), 60, &["init", "--quiet", "--initial-branch=main"]);
        let url = library.0.folder().display().to_string();
        git(project.folder(), 60, &["submodule", "--quiet", "add", &url, "vendor/lib"]);
        assert!(project.ubp("review --all").succeeded());
        let project = Repository(project);
        project.commit(60);
        library.0.write("src/session.ts", &text).unwrap();
        library.commit(30);
        git(&project.0.path("vendor/lib"), 0, &["pull", "--quiet"]);
        let in_submodule = |name: &str| format!("vendor/lib/{name}");
        let expected = (expected.0.to_owned(), expected.1.map(in_submodule));
        assert_eq!(verdict(&project.0, "."), expected, "{change}, before the commit of the project");
        project.commit(20);
        assert_eq!(verdict(&project.0, "."), expected, "{change}");
    }
}

#[test]
fn a_pointer_of_git_lfs_stands_for_its_content() {
    let pointer = |text: &str| {
        let hash = ubp_core::ports::ContentHash::of(text.as_bytes());
        format!("version https://git-lfs.github.com/spec/v1\noid {hash}\nsize {}\n", text.len())
    };
    let repository = reviewed(&[("src/session.ts", SESSION)]);
    let project = &repository.0;
    project.write("src/session.ts", pointer(SESSION)).unwrap();
    assert_eq!(verdict(project, "."), ("fresh".into(), None), "as where it was fetched");
    let told = project.ubp("doctor untold_symbol").out;
    assert!(
        told.contains("the symbols of src/session.ts cannot be told: Git LFS has not fetched it"),
        "{told}"
    );
    let changed = SESSION.replace("attempt = 0", "attempt = 10");
    project.write("src/session.ts", pointer(&changed)).unwrap();
    assert_eq!(verdict(project, "."), ("changed".into(), None), "what changed cannot be told");
    // What was reviewed without the content is the same where it is.
    assert!(project.ubp("review page.md --still-accurate").succeeded());
    assert_eq!(verdict(project, "."), ("fresh".into(), None));
    project.write("src/session.ts", &changed).unwrap();
    assert_eq!(verdict(project, "."), ("fresh".into(), None));
}
