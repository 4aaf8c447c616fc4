//! Conformance suite for sources.

use ubp_core::Error;
use ubp_core::ports::{ContentHash, Source};

/// An empty project, for tests to fill.
pub trait SourceFixture {
    /// The source under test.
    fn source(&self) -> &dyn Source;
    /// Writes a page, bypassing the source.
    fn put_page(&self, path: &str, bytes: &[u8]);
    /// Writes a project file, bypassing the source.
    fn put_source(&self, path: &str, bytes: &[u8]);
    /// Deletes a page, bypassing the source.
    fn remove_page(&self, path: &str);
}

/// Paths that lead out of every folder.
const OUTSIDE: [&str; 10] = [
    "",
    "..",
    "../a.md",
    "a/../../b.md",
    "a/..",
    "/etc/passwd.md",
    "\\\\host\\a.md",
    "..\\a.md",
    "C:\\a.md",
    "a\0.md",
];

/// Reads return what was written, changes are visible in the state, writes never lose an edit, and no path leads out of
/// the project.
pub fn source<F: SourceFixture>(make: impl Fn() -> F) {
    listing(&make());
    reading(&make());
    writing(&make());
    confinement(&make());
    code(&make());
    state(&make());
    proposals(&make());
    sessions(&make());
    moving(&make());
    trash(&make());
    attachments(&make());
    records(&make());
    turns(&make());
}

fn listing(fixture: &dyn SourceFixture) {
    let source = fixture.source();
    assert!(source.list().unwrap().pages.is_empty());
    let mut paths = [
        "b.md",
        "a/z.md",
        "a-b.md",
        "A.MARKDOWN",
        "日本/設計.md",
        "a/b/c d.md",
        "caf\u{e9}.md",
        "cafe\u{301}.md",
    ];
    for path in paths {
        fixture.put_page(path, path.as_bytes());
    }
    let listing = source.list().unwrap();
    assert!(listing.unreadable.is_empty(), "{listing:?}");
    let found: Vec<&str> = listing.pages.iter().map(|page| page.path.as_str()).collect();
    paths.sort_unstable();
    assert_eq!(found, paths, "pages are sorted by the bytes of their paths");
    for page in &listing.pages {
        assert_eq!(source.stat(&page.path).unwrap(), Some(page.stat), "{}", page.path);
        assert_eq!(page.stat.size, page.path.len() as u64);
    }
    fixture.remove_page("b.md");
    assert_eq!(source.list().unwrap().pages.len(), paths.len() - 1);
}

fn reading(fixture: &dyn SourceFixture) {
    let source = fixture.source();
    assert_eq!(source.stat("none.md").unwrap(), None);
    assert_eq!(source.stat("no/folder/none.md").unwrap(), None);
    assert!(matches!(source.read("none.md"), Err(Error::Io { .. })));

    let bytes = b"\xff\x00 not text\r\n";
    fixture.put_page("a.md", bytes);
    assert_eq!(source.read("a.md").unwrap(), bytes);
    let before = source.stat("a.md").unwrap().unwrap();
    assert_eq!(source.stat("a.md").unwrap(), Some(before), "reading does not change the state");
    for same_page in ["./a.md", "a.md/", "x/../a.md", "/a.md"] {
        assert!(!matches!(source.stat(same_page), Ok(Some(_))), "{same_page} is not a normalized path");
        assert!(source.read(same_page).is_err(), "{same_page}");
    }
    fixture.put_page("a.md", b"other text, longer than before");
    assert_ne!(source.stat("a.md").unwrap(), Some(before), "a change must be visible");
    fixture.remove_page("a.md");
    assert_eq!(source.stat("a.md").unwrap(), None);
}

fn writing(fixture: &dyn SourceFixture) {
    let source = fixture.source();
    source.write("new/folder/a.md", b"one\r\n", None).unwrap();
    assert_eq!(source.read("new/folder/a.md").unwrap(), b"one\r\n");
    assert_eq!(source.list().unwrap().pages.len(), 1, "no other files are left");
    let before = source.stat("new/folder/a.md").unwrap();

    let hash = ContentHash::of(b"one\r\n");
    source.write("new/folder/a.md", b"two\r\n", Some(hash)).unwrap();
    assert_eq!(source.read("new/folder/a.md").unwrap(), b"two\r\n");
    assert_ne!(source.stat("new/folder/a.md").unwrap(), before, "a write must be visible");

    let now = ContentHash::of(b"two\r\n");
    let conflict = |path: &str, expected: Option<ContentHash>, on_disk: Option<ContentHash>| {
        let error = source.write(path, b"lost", expected).unwrap_err();
        assert_eq!(error.to_string(), Error::conflict(path, expected, on_disk).to_string());
    };
    conflict("new/folder/a.md", Some(hash), Some(now));
    conflict("new/folder/a.md", None, Some(now));
    conflict("gone.md", Some(hash), None);
    assert_eq!(source.read("new/folder/a.md").unwrap(), b"two\r\n");
    assert_eq!(source.stat("gone.md").unwrap(), None);

    source.write("new/folder/a.md", b"", Some(now)).unwrap();
    assert_eq!(source.read("new/folder/a.md").unwrap(), b"");
    for path in [
        "a.txt",
        ".git/hooks/pre-commit",
        ".git/a.md",
        ".ubp/a.md",
        ".hidden.md",
        "node_modules/x/readme.md",
        "a//b.md",
        "./b.md",
        "b.md/",
        "md",
        ".md",
    ] {
        let error = source.write(path, b"x", None).unwrap_err();
        assert_eq!(error.code(), "invalid_params", "{path}: {error}");
    }
    assert_eq!(source.list().unwrap().pages.len(), 1);
}

fn confinement(fixture: &dyn SourceFixture) {
    let source = fixture.source();
    for path in OUTSIDE {
        let codes = [
            source.stat(path).unwrap_err().code(),
            source.read(path).unwrap_err().code(),
            source.write(path, b"x", None).unwrap_err().code(),
            source.stat_source(path).unwrap_err().code(),
            source.read_source(path).unwrap_err().code(),
        ];
        assert_eq!(codes, ["outside_project"; 5], "{path:?}");
    }
}

fn code(fixture: &dyn SourceFixture) {
    let source = fixture.source();
    for path in ["src/auth/login.ts", "src/main.rs", "Makefile", "src/認証.rs", ".github/ci.yml"] {
        fixture.put_source(path, path.as_bytes());
        assert_eq!(source.read_source(path).unwrap(), path.as_bytes());
        assert_eq!(source.stat_source(path).unwrap().unwrap().size, path.len() as u64);
    }
    assert_eq!(source.stat_source("src/none.rs").unwrap(), None);
    assert_eq!(source.stat_source("src").unwrap(), None, "a folder is not a file");
    assert_eq!(source.stat_source("Makefile/x").unwrap(), None);
    assert!(matches!(source.read_source("src/none.rs"), Err(Error::Io { .. })));

    let found = |globs: &[&str]| {
        let globs: Vec<String> = globs.iter().map(ToString::to_string).collect();
        source.match_sources(&globs).unwrap()
    };
    assert_eq!(found(&["src/**"]), ["src/auth/login.ts", "src/main.rs", "src/認証.rs"]);
    assert_eq!(found(&["src/*"]), ["src/main.rs", "src/認証.rs"], "* does not cross folders");
    assert_eq!(found(&["**/*.{ts,yml}", "Makefile"]), [".github/ci.yml", "Makefile", "src/auth/login.ts"]);
    assert!(found(&["nowhere/*", "../*"]).is_empty());
    assert!(found(&[]).is_empty());
    let sized = source.sized_sources(&["src/m*".into(), "Makefile".into()]).unwrap();
    assert_eq!(sized, [("Makefile".to_owned(), 8), ("src/main.rs".to_owned(), 11)]);
    assert_eq!(source.real_source("src/main.rs").unwrap().as_deref(), Some("src/main.rs"));
    assert_eq!(source.real_source("src").unwrap(), None);
    assert_eq!(source.real_source("src/none.rs").unwrap(), None);
    let malformed = source.match_sources(&["src/[".to_string()]).unwrap_err();
    assert_eq!(malformed.code(), "invalid_params");
}

fn state(fixture: &dyn SourceFixture) {
    let source = fixture.source();
    let name = "refs.lock";
    assert_eq!(source.read_state(name).unwrap(), None);
    source.write_state(name, b"one\n", None).unwrap();
    assert_eq!(source.read_state(name).unwrap().as_deref(), Some(&b"one\n"[..]));
    let hash = ContentHash::of(b"one\n");
    for wrong in [None, Some(ContentHash::of(b"other"))] {
        assert_eq!(source.write_state(name, b"lost", wrong).unwrap_err().code(), "conflict");
    }
    assert_eq!(source.write_state("decisions.jsonl", b"x", Some(hash)).unwrap_err().code(), "conflict");
    source.write_state(name, b"two", Some(hash)).unwrap();
    assert_eq!(source.read_state(name).unwrap().as_deref(), Some(&b"two"[..]));
    assert!(source.list().unwrap().pages.is_empty());
    assert!(source.match_sources(&["**".into()]).unwrap().is_empty(), "a state file is not a source file");
    let proposals =
        ["proposals/1", "proposals/a.JSON", "proposals/../a.json", "proposals/a/b.json", "proposals/.json"];
    for other in ["", "manifest.json", "metadata.db", "../refs.lock", "a/refs.lock", "REFS.LOCK"]
        .into_iter()
        .chain(proposals)
    {
        assert_eq!(source.read_state(other).unwrap_err().code(), "invalid_params", "{other}");
        assert_eq!(source.write_state(other, b"x", None).unwrap_err().code(), "invalid_params", "{other}");
    }
}

fn proposals(fixture: &dyn SourceFixture) {
    let source = fixture.source();
    assert!(source.proposal_files().unwrap().is_empty());
    let [first, second] = ["proposals/0b.json", "proposals/0a1.json"];
    source.write_state(first, b"{}", None).unwrap();
    source.write_state(second, b"{}", None).unwrap();
    assert_eq!(source.write_state(first, b"[]", None).unwrap_err().code(), "conflict");
    assert_eq!(source.proposal_files().unwrap(), [second, first]);
    assert_eq!(source.read_state(first).unwrap().as_deref(), Some(&b"{}"[..]));
    let hash = ContentHash::of(b"{}");
    assert_eq!(source.remove_proposal(first, ContentHash::of(b"")).unwrap_err().code(), "conflict");
    assert_eq!(source.remove_proposal("refs.lock", hash).unwrap_err().code(), "invalid_params");
    source.remove_proposal(first, hash).unwrap();
    assert_eq!(source.remove_proposal(first, hash).unwrap_err().code(), "conflict");
    assert_eq!(source.read_state(first).unwrap(), None);
    assert_eq!(source.proposal_files().unwrap(), [second]);
    assert!(source.match_sources(&["**".into()]).unwrap().is_empty(), "a proposal is not a source file");
}

fn sessions(fixture: &dyn SourceFixture) {
    let source = fixture.source();
    assert!(source.session_files().unwrap().is_empty());
    let [first, second] = ["sessions/0b.jsonl", "sessions/0a1.jsonl"];
    source.write_state(first, b"{}\n", None).unwrap();
    source.write_state(second, b"{}\n{}\n", None).unwrap();
    assert_eq!(source.session_files().unwrap(), [second, first]);
    assert!(source.proposal_files().unwrap().is_empty());
    let mut lines = 0;
    assert_eq!(source.state_lines(second, &mut |line| lines += usize::from(line == b"{}")).unwrap(), 6);
    assert_eq!(lines, 2);
    source.remove_session(first).unwrap();
    source.remove_session(first).unwrap();
    assert_eq!(source.session_files().unwrap(), [second]);
    for other in
        ["refs.lock", "proposals/0b.json", "sessions/../0b.jsonl", "sessions/X.jsonl", "sessions/0b.json"]
    {
        assert_eq!(source.remove_session(other).unwrap_err().code(), "invalid_params", "{other}");
    }
    assert!(source.match_sources(&["**".into()]).unwrap().is_empty(), "a session is not a source file");
}

fn moving(fixture: &dyn SourceFixture) {
    let source = fixture.source();
    fixture.put_page("a.md", b"one\r\n");
    fixture.put_page("b.md", b"two");
    let (one, two) = (ContentHash::of(b"one\r\n"), ContentHash::of(b"two"));
    let codes = [
        source.rename("a.md", "b.md", one).unwrap_err().code(),
        source.rename("a.md", "c.md", two).unwrap_err().code(),
        source.rename("none.md", "c.md", one).unwrap_err().code(),
    ];
    assert_eq!(codes, ["conflict"; 3]);
    for to in ["c.txt", ".hidden.md", "./c.md", "x/.y/c.md"] {
        assert_eq!(source.rename("a.md", to, one).unwrap_err().code(), "invalid_params", "{to}");
    }
    for path in OUTSIDE {
        assert_eq!(source.rename("a.md", path, one).unwrap_err().code(), "outside_project", "{path:?}");
        assert_eq!(source.rename(path, "c.md", one).unwrap_err().code(), "outside_project", "{path:?}");
    }
    assert_eq!(source.read("a.md").unwrap(), b"one\r\n");
    assert_eq!(source.read("b.md").unwrap(), b"two");

    source.rename("a.md", "new/folder/c.md", one).unwrap();
    assert_eq!(source.read("new/folder/c.md").unwrap(), b"one\r\n");
    assert_eq!(source.stat("a.md").unwrap(), None);
    source.rename("new/folder/c.md", "new/folder/C.md", one).unwrap();
    let paths: Vec<String> = source.list().unwrap().pages.into_iter().map(|page| page.path).collect();
    assert_eq!(paths, ["b.md", "new/folder/C.md"], "names that differ only in case are different");
}

fn trash(fixture: &dyn SourceFixture) {
    let source = fixture.source();
    fixture.put_page("deep/a.md", b"one");
    let one = ContentHash::of(b"one");
    for wrong in ["", "..", "../a.md", "/a.md", "a//b.md", "a/./b.md"] {
        let error = source.discard("deep/a.md", wrong, one).unwrap_err();
        assert_eq!(error.code(), "invalid_params", "{wrong}");
    }
    let other = ContentHash::of(b"other");
    assert_eq!(source.discard("deep/a.md", "1/deep/a.md", other).unwrap_err().code(), "conflict");
    source.discard("deep/a.md", "1/deep/a.md", one).unwrap();
    assert!(source.list().unwrap().pages.is_empty(), "a file in the trash is not a page");
    assert!(source.match_sources(&["**".into()]).unwrap().is_empty());

    fixture.put_page("deep/a.md", b"one");
    assert_eq!(source.discard("deep/a.md", "1/deep/a.md", one).unwrap_err().code(), "conflict");
    assert_eq!(source.restore("1/deep/a.md", "deep/a.md", one).unwrap_err().code(), "conflict");
    source.discard("deep/a.md", "2/deep/a.md", one).unwrap();
    assert_eq!(source.restore("1/deep/a.md", "deep/a.md", other).unwrap_err().code(), "conflict");
    assert_eq!(source.restore("1/deep/a.md", "../a.md", one).unwrap_err().code(), "outside_project");
    source.restore("1/deep/a.md", "deep/a.md", one).unwrap();
    assert_eq!(source.read("deep/a.md").unwrap(), b"one");
    assert_eq!(source.restore("1/deep/a.md", "b.md", one).unwrap_err().code(), "io");
}

fn attachments(fixture: &dyn SourceFixture) {
    let source = fixture.source();
    let found = || source.match_sources(&["**/p.png".into()]).unwrap();
    source.create_attachment("files/p.png", b"one").unwrap();
    assert_eq!(source.read_source(&found()[0]).unwrap(), b"one");
    assert!(source.list().unwrap().pages.is_empty(), "an attachment is not a page");
    assert_eq!(source.create_attachment("files/p.png", b"two").unwrap_err().code(), "conflict");
    for wrong in ["a.md", ".p.png", "a/.b/p.png", "node_modules/p.png", "a//p.png"] {
        assert_eq!(source.create_attachment(wrong, b"x").unwrap_err().code(), "invalid_params", "{wrong}");
    }
    for outside in ["../p.png", "/p.png", "a/../../p.png", ""] {
        assert_eq!(
            source.create_attachment(outside, b"x").unwrap_err().code(),
            "outside_project",
            "{outside}"
        );
    }
    let (one, two) = (ContentHash::of(b"one"), ContentHash::of(b"two"));
    assert_eq!(source.discard("files/p.png", "1/files/p.png", two).unwrap_err().code(), "conflict");
    source.discard("files/p.png", "1/files/p.png", one).unwrap();
    assert!(found().is_empty());
    source.restore("1/files/p.png", "files/p.png", one).unwrap();
    assert_eq!(source.read_source(&found()[0]).unwrap(), b"one");
}

fn records(fixture: &dyn SourceFixture) {
    let source = fixture.source();
    source.append("audit.jsonl", b"{}\n").unwrap();
    source.append("audit.jsonl", b"{}\n{}\n").unwrap();
    assert_eq!(source.read_state("audit.jsonl").unwrap().as_deref(), Some(&b"{}\n{}\n{}\n"[..]));
    let mut lines = Vec::new();
    let bytes = source.state_lines("audit.jsonl", &mut |line| lines.push(line.len())).unwrap();
    assert_eq!((bytes, lines.iter().filter(|&&length| length == 2).count()), (9, 3));
    source.write_state("decisions.jsonl", b"torn", None).unwrap();
    source.append("decisions.jsonl", b"whole\n").unwrap();
    assert_eq!(source.read_state("decisions.jsonl").unwrap().as_deref(), Some(&b"torn\nwhole\n"[..]));
    for other in ["refs.lock", "manifest.json", "", "../audit.jsonl"] {
        assert_eq!(source.append(other, b"x\n").unwrap_err().code(), "invalid_params", "{other}");
    }
    source.note("memory.jsonl", b"{}\n").unwrap();
    source.append("memory.jsonl", b"{}\n").unwrap();
    source.note("memory.jsonl", b"{}\n").unwrap();
    assert_eq!(source.read_state("memory.jsonl").unwrap().as_deref(), Some(&b"{}\n{}\n{}\n"[..]));
    for other in ["audit.jsonl", "decisions.jsonl", "refs.lock", "../memory.jsonl"] {
        assert_eq!(source.note(other, b"x\n").unwrap_err().code(), "invalid_params", "{other}");
    }
}

/// If several threads edit the same version of a page, one succeeds, and no appended line is lost.
fn turns(fixture: &dyn SourceFixture) {
    const THREADS: usize = 4;
    const EDITS: usize = 25;
    let source = fixture.source();
    source.write("count.md", b"", None).unwrap();
    let accepted: usize = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS)
            .map(|_| {
                scope.spawn(move || {
                    let mut accepted = 0;
                    for _ in 0..EDITS {
                        let bytes = source.read("count.md").unwrap();
                        let more = [&bytes[..], b"x"].concat();
                        match source.write("count.md", &more, Some(ContentHash::of(&bytes))) {
                            Ok(()) => accepted += 1,
                            Err(error) => assert_eq!(error.code(), "conflict", "{error}"),
                        }
                        source.append("audit.jsonl", b"line\n").unwrap();
                    }
                    accepted
                })
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).sum()
    });
    assert!(accepted > 0);
    assert_eq!(source.read("count.md").unwrap().len(), accepted, "an accepted edit was lost");
    let record = source.read_state("audit.jsonl").unwrap().unwrap();
    assert_eq!(record, b"line\n".repeat(THREADS * EDITS));

    let held = source.lock().unwrap();
    source.write("alone.md", b"1", None).unwrap();
    let again = source.lock().unwrap();
    drop(held);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| source.write("alone.md", b"3", Some(ContentHash::of(b"2"))));
        source.write("alone.md", b"2", Some(ContentHash::of(b"1"))).unwrap();
        drop(again);
        other.join().unwrap().unwrap();
    });
    assert_eq!(source.read("alone.md").unwrap(), b"3");
}
