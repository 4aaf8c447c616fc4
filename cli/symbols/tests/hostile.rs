//! Texts that are made to break a reader: they cost at most their limits.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::time::Duration;

use proptest::prelude::*;
use ubp_symbols::{Language, Limits, Source, Target, Unreadable, find};

const ALL: [&str; 20] = [
    "sh", "c", "cs", "cpp", "go", "java", "js", "json", "kt", "md", "php", "py", "rb", "rs", "sql", "swift",
    "toml", "tsx", "ts", "yaml",
];

fn language(extension: &str) -> Language {
    Language::of(&format!("a.{extension}")).unwrap()
}

/// Uses everything of the interface on a text.
fn use_all(language: Language, text: &[u8], limits: Limits) -> Result<usize, Unreadable> {
    let source = Source::read(language, text, limits)?;
    for symbol in source.symbols().iter().take(50) {
        let fingerprint = source.fingerprint(symbol);
        assert!(matches!(
            find(source.definitions(), &symbol[0].qualified()),
            Target::Found(_) | Target::Ambiguous(_)
        ));
        assert_eq!(source.fingerprint(symbol).change_since(&fingerprint), ubp_symbols::Change::None);
    }
    for one in source.definitions() {
        assert!(!one.name().is_empty());
        assert!(one.range.start <= one.signature.start && one.signature.end <= one.range.end, "{one:?}");
        assert!(one.range.end <= text.len() && one.lines.0 <= one.lines.1, "{one:?}");
        let in_range = |range: &std::ops::Range<usize>| range.start <= range.end && range.end <= text.len();
        assert!(one.body.as_ref().is_none_or(in_range) && one.doc.as_ref().is_none_or(in_range), "{one:?}");
    }
    source.file_hash();
    Ok(source.definitions().len())
}

#[test]
fn a_large_file_is_refused_before_it_is_read() {
    let text = vec![b'a'; 50_000_000];
    for extension in ALL {
        let found = Source::read(language(extension), &text, Limits::default()).err();
        assert_eq!(found, Some(Unreadable::TooLarge { bytes: 50_000_000, limit: 2_000_000 }), "{extension}");
    }
    assert!(Source::words(&text, Limits::default()).is_err());
}

#[test]
fn the_time_limit_ends_reading() {
    let text = format!("<?php {}", "a(b, [c, {d}]) + \"e\" ; ".repeat(1_000_000));
    let limits = Limits { bytes: usize::MAX, time: Duration::from_millis(50) };
    for extension in
        ["rs", "ts", "py", "go", "java", "kt", "cpp", "cs", "rb", "php", "swift", "sh", "sql", "md"]
    {
        let found = Source::read(language(extension), text.as_bytes(), limits).err();
        assert_eq!(found, Some(Unreadable::TookTooLong { limit: limits.time }), "{extension}");
    }
}

#[test]
fn nesting_does_not_overflow_the_stack() {
    let limits = Limits { time: Duration::from_millis(60), ..Limits::default() };
    let openings = [
        "(",
        "[",
        "{",
        "<",
        "((a",
        "a(",
        "{\"a\":",
        "[[",
        "fn a() {",
        "function a() {",
        "class A {",
        "class A:\n ",
        "if (a) ",
        "- ",
        "a: {",
        "> ",
        "<a>",
        "`${",
        "\"#{",
        "begin ",
        "module A\n",
        "a.b(",
        "*",
        "&&",
        "!",
        "-",
        "= a => ",
        "# a\n",
        "namespace a {",
        "BEGIN ",
        "/*",
        "let [",
        "Vec<",
        "impl A for ",
        "a = ",
    ];
    for extension in ALL {
        for opening in openings {
            let text = opening.repeat(50_000);
            match use_all(language(extension), text.as_bytes(), limits) {
                Ok(_)
                | Err(
                    Unreadable::TookTooLong { .. } | Unreadable::Invalid { .. } | Unreadable::TooMany { .. },
                ) => {}
                Err(other) => panic!("{extension} {opening:?}: {other}"),
            }
        }
    }
}

#[test]
fn text_that_is_not_utf8_is_read_and_binary_files_are_not() {
    let text = b"fn a() { \"\xFF\xFE\" }\nfn \xC3\x28() {}\nfn b() {}";
    assert!(use_all(Language::Rust, text, Limits::default()).unwrap() >= 2);
    assert_eq!(use_all(Language::Rust, b"fn a() {}\0", Limits::default()), Err(Unreadable::Binary));
    assert_eq!(
        use_all(Language::Json, b"{\"a\":\n\"\xFF\"}", Limits::default()),
        Err(Unreadable::Invalid { line: 2 })
    );
    assert!(use_all(Language::Yaml, b"a: 1\nb: [", Limits::default()).is_err());
    assert_eq!(use_all(Language::Json, "\u{FEFF}{\"a\": 1}".as_bytes(), Limits::default()), Ok(1));
    for extension in ALL {
        assert_eq!(use_all(language(extension), b"", Limits::default()), Ok(0), "{extension}");
    }
}

#[test]
fn a_file_with_too_many_definitions_is_refused() {
    let text = "a=1\n".repeat(150_000);
    assert_eq!(
        use_all(
            Language::Python,
            text.as_bytes(),
            Limits { time: Duration::from_secs(60), ..Limits::default() }
        ),
        Err(Unreadable::TooMany { limit: 100_000 })
    );
}

fn case(extension: &str) -> String {
    let name = match extension {
        "sh" => "bash",
        "cs" => "csharp",
        "js" => "javascript",
        "kt" => "kotlin",
        "md" => "markdown",
        "py" => "python",
        "rb" => "ruby",
        "rs" => "rust",
        "ts" => "typescript",
        other => other,
    };
    std::fs::read_to_string(format!("cases/{name}.md")).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn damaged_code_does_not_panic(
        place in 0_usize..ALL.len(),
        from in 0.0..1.0_f64,
        length in 1_usize..3_000,
        edits in prop::collection::vec((0.0..1.0_f64, any::<u8>()), 0..20),
    ) {
        let text = case(ALL[place]).into_bytes();
        let start = (from * text.len() as f64) as usize;
        let mut text = text[start..(start + length).min(text.len())].to_vec();
        for (at, byte) in edits {
            let at = (at * text.len() as f64) as usize;
            if let Some(one) = text.get_mut(at) {
                *one = byte;
            }
        }
        let _ = use_all(language(ALL[place]), &text, Limits::default());
    }

    #[test]
    fn white_space_between_words_is_layout(spaces in prop::collection::vec("[ \n\t]{1,5}", 6)) {
        let [a, b, c, d, e, f] = <[String; 6]>::try_from(spaces).unwrap();
        let changed = format!("fn{a}login(user:{b}u8){c}->{d}u8{e}{{{f}user + 1 }}");
        let hash = |text: &str| {
            let source = Source::read(Language::Rust, text.as_bytes(), Limits::default()).unwrap();
            source.fingerprint(&source.symbols()[0])
        };
        prop_assert_eq!(hash(&changed), hash("fn login(user: u8) -> u8 { user + 1 }"));
    }
}
