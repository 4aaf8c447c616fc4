//! Runs `cases/*.md`. A fence of five backticks is marked `input`, or there are two marked `before` and `after`; the first
//! word of its mark is the extension of a file in its language. The `expected` fence after it contains the result: for an
//! `input` its definitions, each with lines, kind, path and signature; for `before` and `after` what became of each symbol.
//! Several `after` fences are several files.
//!
//! `UBP_BLESS=1 cargo test -p ubp-symbols cases` rewrites the expected fences. Review the diff before committing it.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::fmt::Write as _;
use std::path::PathBuf;

use ubp_symbols::{Change, Language, Limits, Source, Target, find};

const FENCE: &str = "`````";

#[test]
fn every_case_has_the_expected_result() {
    let bless = std::env::var_os("UBP_BLESS").is_some_and(|value| value == "1");
    let mut count = 0;
    let mut wrong = String::new();
    for entry in std::fs::read_dir(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("cases")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
        let found = rewritten(&text, &mut count);
        if found != text && bless {
            std::fs::write(&path, found).unwrap();
        } else if found != text {
            let pairs = found.lines().zip(text.lines()).enumerate();
            let first = pairs.into_iter().find(|(_, (is, should))| is != should);
            writeln!(wrong, "{}: {first:?}", path.display()).unwrap();
        }
    }
    assert!(wrong.is_empty(), "the first lines that differ, counted from 0, found and expected:\n{wrong}");
    assert!(count > 80, "only {count} cases were found");
}

struct File {
    language: Language,
    text: String,
}

/// The file with the actual results in place of the expected.
fn rewritten(text: &str, count: &mut usize) -> String {
    let mut out = String::new();
    let mut inputs: Vec<(String, File)> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        writeln!(out, "{line}").unwrap();
        let Some(info) = line.strip_prefix(FENCE) else { continue };
        let mut body = String::new();
        for line in lines.by_ref().take_while(|line| *line != FENCE) {
            writeln!(body, "{line}").unwrap();
        }
        let (language, role) = info.split_once(' ').unwrap();
        if role == "expected" {
            out.push_str(&result(&std::mem::take(&mut inputs)));
            *count += 1;
        } else {
            let language = Language::of(&format!("case.{language}")).unwrap();
            out.push_str(&body);
            inputs.push((role.to_owned(), File { language, text: body }));
        }
        writeln!(out, "{FENCE}").unwrap();
    }
    out
}

fn read(file: &File) -> Source<'_> {
    Source::read(file.language, file.text.as_bytes(), Limits::default()).unwrap()
}

fn result(inputs: &[(String, File)]) -> String {
    let files =
        |wanted: &str| inputs.iter().filter(|(role, _)| role == wanted).map(|(_, file)| file).collect();
    let (input, before, after): (Vec<&File>, Vec<&File>, Vec<&File>) =
        (files("input"), files("before"), files("after"));
    match (input.as_slice(), before.as_slice(), after.as_slice()) {
        ([input], [], []) => definitions(input),
        ([], [before], [_, ..]) => changes(before, &after),
        _ => "an input, or before and after, are missing\n".to_owned(),
    }
}

fn definitions(file: &File) -> String {
    let mut out = String::new();
    for one in read(file).definitions() {
        let signature = words(&file.text[one.signature.clone()]);
        let (first, last) = one.lines;
        write!(out, "{first}-{last} {} {}: {signature}", one.kind, one.qualified()).unwrap();
        if let Some(doc) = &one.doc {
            write!(out, " ({})", words(&file.text[doc.clone()])).unwrap();
        }
        out.push('\n');
    }
    out
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn changes(before: &File, after: &[&File]) -> String {
    let old = read(before);
    let new: Vec<Source<'_>> = after.iter().map(|file| read(file)).collect();
    let mut out = String::new();
    for symbol in old.symbols() {
        let path = symbol[0].qualified();
        let was = old.fingerprint(&symbol);
        let what = if let Target::Found(now) = find(new[0].definitions(), &path) {
            match new[0].fingerprint(&now).change_since(&was) {
                Change::None => "same".to_owned(),
                Change::Body => "body changed".to_owned(),
                Change::Signature => "signature changed".to_owned(),
            }
        } else {
            let like = new.iter().enumerate().flat_map(|(place, source)| {
                source.like(&was).into_iter().map(move |symbol| (place, symbol[0].qualified()))
            });
            match like.collect::<Vec<_>>().as_slice() {
                [(0, name)] => format!("renamed to {name}"),
                [(place, name)] => format!("moved to file {}, {name}", place + 1),
                [] => "gone".to_owned(),
                several => format!("gone, {} candidates", several.len()),
            }
        };
        writeln!(out, "{path}: {what}").unwrap();
    }
    out
}

/// Git converts line breaks in some checkouts.
#[test]
fn line_breaks_of_windows_change_nothing() {
    let mut count = 0;
    for entry in std::fs::read_dir(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("cases")).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap().replace("\r\n", "\n");
        for part in text.split(FENCE).skip(1).step_by(2) {
            let (info, body) = part.split_once('\n').unwrap();
            let Some(language) = Language::of(&format!("case.{}", info.split(' ').next().unwrap())) else {
                continue;
            };
            let windows = File { language, text: body.replace('\n', "\r\n") };
            let (unix, windows) = (File { language, text: body.to_owned() }, windows);
            let (unix, windows) = (read(&unix), read(&windows));
            for (a, b) in unix.symbols().iter().zip(windows.symbols()) {
                assert_eq!(a[0].path, b[0].path);
                assert_eq!(unix.fingerprint(a), windows.fingerprint(&b), "{info} {:?}\n{body}", a[0].path);
                count += 1;
            }
            assert_eq!(unix.symbols().len(), windows.symbols().len(), "{body}");
        }
    }
    assert!(count > 300, "{count}");
}

#[test]
fn anchors_lead_to_the_symbol_that_they_name() {
    let text = "
        class Session { refresh() {} close() {} }
        class Client { refresh() {} }
        function login(a: string): void;
        function login(a: any) {}";
    let source = Source::read(Language::TypeScript, text.as_bytes(), Limits::default()).unwrap();
    let found = |anchor: &str| match find(source.definitions(), anchor) {
        Target::Found(parts) => format!("{} {}", parts.len(), parts[0].qualified()),
        Target::Ambiguous(paths) => format!("ambiguous: {}", paths.join(", ")),
        Target::Missing(similar) => format!("missing: {}", similar.join(", ")),
    };
    assert_eq!(found("Session.refresh"), "1 Session.refresh");
    assert_eq!(found("#Session::refresh()"), "1 Session.refresh");
    assert_eq!(found("Session#close"), "1 Session.close");
    assert_eq!(found("close"), "1 Session.close");
    assert_eq!(found("login"), "2 login");
    assert_eq!(found("refresh"), "ambiguous: Client.refresh, Session.refresh");
    assert_eq!(found("Session.refersh"), "missing: Session.refresh, Client.refresh, Session.close");
    assert_eq!(found("Logn"), "missing: login");
    assert_eq!(found("wholly_other"), "missing: ");
    assert_eq!(found(""), "missing: ");
}

#[test]
fn parts_of_a_path_can_be_left_out() {
    let text = "impl Display for A { fn fmt() {} } impl Debug for A { fn fmt() {} } impl Iterator for A { fn next() {} }";
    let source = Source::read(Language::Rust, text.as_bytes(), Limits::default()).unwrap();
    let found = |anchor: &str| match find(source.definitions(), anchor) {
        Target::Found(parts) => parts[0].qualified(),
        Target::Ambiguous(paths) => paths.join(", "),
        Target::Missing(_) => "missing".to_owned(),
    };
    assert_eq!(found("A.next"), "A.Iterator.next");
    assert_eq!(found("A.Debug.fmt"), "A.Debug.fmt");
    assert_eq!(found("A.fmt"), "A.Debug.fmt, A.Display.fmt");
    assert_eq!(found("A.Iterator"), "A.Iterator");
    assert_eq!(found("B.next"), "missing");
}

#[test]
fn headings_keys_and_columns_are_found_by_all_their_names() {
    let find_in = |language, text: &str, anchor: &str| {
        let source = Source::read(language, text.as_bytes(), Limits::default()).unwrap();
        match find(source.definitions(), anchor) {
            Target::Found(parts) => parts[0].qualified(),
            other => format!("{other:?}"),
        }
    };
    let markdown = "# Guide\n\n## Sign in, and out\n\ntext\n";
    assert_eq!(find_in(Language::Markdown, markdown, "sign-in-and-out"), "Guide.Sign in, and out");
    assert_eq!(find_in(Language::Markdown, markdown, "Sign in, and out"), "Guide.Sign in, and out");
    assert_eq!(find_in(Language::Yaml, "server:\n  port: 1\n", "server.port"), "server.port");
    assert_eq!(find_in(Language::Json, r#"{"a.b": {"c": 1}}"#, "a.b.c"), "a.b.c");
    assert_eq!(find_in(Language::Toml, "[a.\"b.c\"]\nd = 1\n", "a.b.c.d"), "a.b.c.d");
    assert_eq!(find_in(Language::Sql, "CREATE TABLE public.Users (ID int);", "users.id"), "public.Users.ID");
}
