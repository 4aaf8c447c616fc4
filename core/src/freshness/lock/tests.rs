//! What lines mean, and how they are written.

use super::*;

const A: &str = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const B: &str = "sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

fn read(text: &str) -> ReviewLock {
    ReviewLock::parse(text.as_bytes(), |_| true)
}

fn hash(c: u8) -> ContentHash {
    ContentHash([c; 32])
}

fn content(c: u8) -> Content {
    hash(c).into()
}

#[test]
fn a_written_lock_is_read_back_unchanged() {
    let mut lock = ReviewLock::default();
    let odd = ["#page.md", "a\tb.md", "b\\n.md", "日本.md", "a b.md"];
    for page in odd {
        assert!(lock.set(
            page,
            BTreeMap::from([("src/b\n.rs".into(), content(0xbb)), ("src/a.rs".into(), content(0xaa))])
        ));
    }
    let text = lock.to_text();
    assert_eq!(text.lines().count(), 10);
    assert!(text.contains(&format!("日本.md\tsrc/a.rs\t{A}\n")));
    let again = read(&text);
    assert!(again.problems.is_empty(), "{:?}", again.problems);
    assert_eq!(again.to_text(), text);
    for page in odd {
        assert_eq!(again.page(page), lock.page(page), "{page}");
    }
    let mut again = again;
    assert!(!again.set(
        "a b.md",
        BTreeMap::from([("src/b\n.rs".into(), content(0xbb)), ("src/a.rs".into(), content(0xaa))])
    ));
}

#[test]
fn damaged_lines_are_reported_and_the_others_are_used() {
    let text = format!(
        "\u{feff}# ours\na.md\tx.rs\t{A}\nrubbish\n\n<<<<<<< HEAD\nb.md\ty.rs\t{A}\n||||||| base\nb.md\ty.rs\tsha256:{}\n=======\nb.md\ty.rs\t{B}\n>>>>>>> theirs\nc.md\tz.rs\tsha256:12\nd.md\tw.rs\t{B}",
        "c".repeat(64)
    );
    let lock = read(&text);
    let lines: Vec<usize> = lock.problems.iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [3, 5, 10, 12], "{:?}", lock.problems);
    assert_eq!(lock.page("b.md").unwrap()["y.rs"], [content(0xaa), content(0xbb)]);
    assert!(lock.page("c.md").is_none());
    assert_eq!(
        lock.to_text(),
        format!(
            "# ours\nrubbish\nc.md\tz.rs\tsha256:12\na.md\tx.rs\t{A}\nb.md\ty.rs\t{A}\nb.md\ty.rs\t{B}\nd.md\tw.rs\t{B}\n"
        )
    );
}

#[test]
fn an_edit_counts_while_the_page_has_the_recorded_hash() {
    let text = format!(
        "a.md\tedited\t2026-09-01T00:00:00Z\t{A}\na.md\tx.rs\t{A}\nb.md\tedited\tunknown\t{B}\nc.md\tedited\t{A}\n"
    );
    let mut lock = read(&text);
    assert!(lock.problems.is_empty(), "{:?}", lock.problems);
    assert_eq!(lock.to_text(), text);
    let edited = LastEdit::At("2026-09-01T00:00:00Z".parse().unwrap());
    assert_eq!(lock.last_edit("a.md", hash(0xaa)), Some(edited));
    assert_eq!(lock.last_edit("a.md", hash(0xbb)), None, "UBP did not write that");
    assert_eq!(lock.last_edit("b.md", hash(0xbb)), Some(LastEdit::Unknown));
    assert!(lock.page("c.md").unwrap().contains_key("edited"), "a source with that name");
    lock.note_edit("a.md", edited, hash(0xbb), Some(hash(0xaa)));
    lock.note_edit("a.md", edited, hash(0xcc), Some(hash(0xbb)));
    assert_eq!(lock.last_edit("a.md", hash(0xaa)), None, "only the content before the write is kept");
    assert_eq!(lock.last_edit("a.md", hash(0xbb)), Some(edited));
    assert_eq!(lock.last_edit("a.md", hash(0xcc)), Some(edited));
    lock.set("a.md", BTreeMap::from([("x.rs".into(), content(0xaa))]));
    assert_eq!(lock.last_edit("a.md", hash(0xcc)), None, "a review replaces it");
}

#[test]
fn the_paths_of_a_line_are_known_even_if_it_is_damaged() {
    let named = |page: &str, source: Option<&str>| Some((page.to_owned(), source.map(str::to_owned)));
    assert_eq!(line_paths(&format!("\\#a.md\tx\\t.rs\t{A}\r\n")), named("#a.md", Some("x\t.rs")));
    assert_eq!(line_paths(&format!("a.md\tedited\tunknown\t{A}")), named("a.md", None));
    assert_eq!(line_paths("a.md\tx.rs\tsha256:12"), named("a.md", Some("x.rs")));
    assert_eq!(line_paths("# a.md\tx.rs"), None);
    assert_eq!(line_paths("<<<<<<< HEAD"), None);
}

#[test]
fn hashes_of_symbols_are_read_back() {
    let (tokens, signature) = ("1f".repeat(16), "2e".repeat(16));
    let text = format!(
        "a.md\tsrc/a.rs\t{A}\na.md\tsrc/a.rs#login\t{A}\t{tokens}\t{signature}\nb.md\tx.rs#y\t{A}\t-\t-\n"
    );
    let lock = read(&text);
    assert!(lock.problems.is_empty(), "{:?}", lock.problems);
    assert_eq!(lock.to_text(), text);
    let symbol = |content: &Content| content.symbol.clone().unwrap();
    let reviewed = &lock.page("a.md").unwrap()["src/a.rs#login"][0];
    assert_eq!(symbol(reviewed), SymbolHashes { tokens: tokens.clone(), signature });
    assert!(!symbol(&lock.page("b.md").unwrap()["x.rs#y"][0]).are_known());
    let windows = text.replace('\n', "\r\n");
    assert_eq!(read(&windows).to_text(), windows);
    for damaged in [
        format!("a.md\tx.rs#y\t{A}\t{tokens}\n"),
        format!("a.md\tx.rs#y\t{A}\t{tokens}\tx\n"),
        format!("a.md\tx.rs#y\t{A}\t{tokens}\t{tokens}\t{tokens}\n"),
    ] {
        let lock = read(&damaged);
        assert_eq!(lock.problems.len(), 1, "{damaged}");
        assert!(lock.page("a.md").is_none());
        assert_eq!(lock.to_text(), damaged, "kept for a version that knows it");
    }
}

#[test]
fn reviews_say_who_when_and_against_which_commit() {
    let symbol = "1f".repeat(16);
    let text = format!(
        "a.md\tx.rs\t{A}\t@2026-11-01T00:00:00Z 1a2b3c4d5e6f person Ada Lovelace\n\
         a.md\tx.rs#y\t{A}\t{symbol}\t{symbol}\t@2026-11-01T00:00:00Z - agent claude 2.1\n\
         b.md\tx.rs\t{A}\t@2026-11-01T00:00:00Z 1a2b3c4d5e6f person\n"
    );
    let mut lock = read(&text);
    assert!(lock.problems.is_empty(), "{:?}", lock.problems);
    assert_eq!(lock.to_text(), text);
    let stamp = |lock: &ReviewLock| lock.page("a.md").unwrap()["x.rs"][0].stamp.clone().unwrap();
    let first = stamp(&lock);
    assert_eq!(
        (first.name.as_deref(), first.commit.as_deref()),
        (Some("Ada Lovelace"), Some("1a2b3c4d5e6f"))
    );
    let later = Stamp { name: Some("Grace".into()), ..first.clone() };
    let known = Content { stamp: Some(later.clone()), ..content(0xaa) };
    let named = |path: &str| path.starts_with("x.rs");
    assert!(!lock.set_some("a.md", BTreeMap::from([("x.rs".into(), known)]), named));
    assert_eq!(stamp(&lock), first, "nothing was compared again");
    let changed = Content { stamp: Some(later.clone()), ..content(0xbb) };
    assert!(lock.set_some("a.md", BTreeMap::from([("x.rs".into(), changed)]), named));
    assert_eq!(stamp(&lock), later);
    assert_eq!(lock.page("a.md").unwrap().len(), 2, "the symbol keeps its entry");
    assert!(lock.set_some("a.md", BTreeMap::new(), |path| path == "x.rs"), "of a link that is gone");
    assert_eq!(lock.page("a.md").unwrap().len(), 1);
    let conflict = format!("{text}a.md\tx.rs\t{A}\t@2026-11-02T00:00:00Z - person Grace\n");
    assert!(read(&conflict).problems.is_empty(), "both reviewed the same");
    for damaged in
        ["@", "@yesterday - person", "@2026-11-01T00:00:00Z x person", "@2026-11-01T00:00:00Z - cat"]
    {
        let lock = read(&format!("a.md\tx.rs\t{A}\t{damaged}\n"));
        assert_eq!(lock.problems.len(), 1, "{damaged}");
    }
}

#[test]
fn windows_line_endings_are_kept() {
    let text = format!("a.md\tx.rs\t{A}\r\nb.md\tx.rs\t{B}\r\n");
    let lock = read(&text);
    assert!(lock.problems.is_empty());
    assert_eq!(lock.to_text(), text);
}

#[test]
fn invalid_bytes_do_not_cause_a_panic() {
    for bytes in [&b"\xff\xfe\x00\t\t\t"[..], b"", b"\t\tsha256:", b"a\\\tb\tsha256:", b"<<<<<<<"] {
        let lock = ReviewLock::parse(bytes, |_| true);
        assert!(lock.pages.is_empty());
    }
}
