//! Manifests are parsed strictly and rewritten without loss.
#![allow(clippy::unwrap_used)]

use jiff::civil::date;
use proptest::prelude::*;

use super::*;

const SPEC: &str = r#"{
  "version": "1.0.0",
  "schema_version": 1,
  "embedding_model": {
    "name": "all-MiniLM-L6-v2",
    "version": "1.0",
    "dimensions": 384
  },
  "pages_dir": "pages",
  "created_at": "2026-02-07T00:00:00Z"
}
"#;

fn parse(text: &str) -> Manifest {
    Manifest::parse(text, MANIFEST_PATH).unwrap()
}

/// Line and message of the error for `text`.
fn error(text: &str) -> (usize, String) {
    match Manifest::parse(text, MANIFEST_PATH) {
        Err(Error::Manifest { path, line, message }) => {
            assert_eq!(path, MANIFEST_PATH);
            (line, message.to_string())
        }
        other => unreachable!("{text} gave {other:?}"),
    }
}

#[test]
fn the_manifest_of_the_specification_is_rewritten_unchanged() {
    let manifest = parse(SPEC);
    assert_eq!(manifest.embedding_model, EmbeddingModel::default());
    assert_eq!(manifest.pages_dir, "pages");
    assert_eq!(manifest.created_at.unwrap().to_string(), "2026-02-07T00:00:00Z");
    assert_eq!(manifest.frontmatter, FrontMatterMode::Preserved);
    assert_eq!(manifest.to_json(), SPEC);
}

#[test]
fn a_new_manifest_contains_the_main_settings() {
    let now = "2026-11-21T10:00:00.123456789Z".parse().unwrap();
    let manifest = Manifest::default_for("./docs//design/", FrontMatterMode::Managed, now).unwrap();
    let text = manifest.to_json();
    assert!(text.contains("\"pages_dir\": \"docs/design\""), "{text}");
    assert!(text.contains("\"created_at\": \"2026-11-21T10:00:00Z\""), "{text}");
    assert!(text.contains("\"frontmatter\": \"managed\""), "{text}");
    let again = parse(&text);
    assert_eq!(again, manifest);
    assert_eq!(again.to_json(), text);
}

#[test]
fn an_empty_object_has_all_defaults() {
    let manifest = parse("{}");
    assert_eq!(manifest.search, SearchDefaults { limit: None, alpha: 0.7, depth: 2, record_gaps: true });
    assert_eq!(manifest.suggest, SuggestDefaults { threshold: 0.8, limit: 10 });
    assert_eq!(manifest.agents.writes_per_minute, 60);
    assert_eq!(manifest.staleness.threshold_days, 7);
    assert_eq!(manifest.freshness, FreshnessBaseline::Review);
    assert_eq!(manifest.schema_version, 1);
    assert_eq!(manifest.to_json(), "{}\n");
}

#[test]
fn every_setting_is_read() {
    let manifest = parse(
        r#"{"frontmatter": "managed", "search": {"limit": 20, "alpha": 1, "depth": 3},
            "staleness": {"threshold_days": 0}, "links": {"types": ["replaces", " replaces ", "owns"]},
            "suggest": {"threshold": 0.5, "limit": 3}, "freshness": "edit", "pages_dir": ".",
            "agents": {"writes_per_minute": 5}, "okf": {"verified": true}}"#,
    );
    assert_eq!(manifest.frontmatter, FrontMatterMode::Managed);
    assert_eq!(manifest.search, SearchDefaults { limit: Some(20), alpha: 1.0, depth: 3, record_gaps: true });
    assert_eq!(manifest.staleness.threshold_days, 0);
    assert_eq!(manifest.links.types, ["replaces", "owns"]);
    assert_eq!(manifest.suggest, SuggestDefaults { threshold: 0.5, limit: 3 });
    assert_eq!(manifest.agents.writes_per_minute, 5);
    assert_eq!(manifest.freshness, FreshnessBaseline::Edit);
    assert_eq!(manifest.pages_dir, ".");
    assert!(manifest.okf.verified && !Manifest::default().okf.verified);
}

#[test]
fn the_folder_of_attachments_is_in_the_pages_folder_or_beside_the_page() {
    let folder = |value: &str| {
        let manifest = parse(&format!(r#"{{"attachments_dir": "{value}"}}"#));
        manifest.attachments_folder("guides/sign in.md", date(2026, 2, 7))
    };
    for (value, expected) in [
        ("attachments", "attachments"),
        (" files/new/ ", "files/new"),
        (".", ""),
        ("./", "guides"),
        ("./assets", "guides/assets"),
        ("files/{year}-{month}/{day}", "files/2026-02/07"),
        ("./{page}", "guides/sign in"),
    ] {
        assert_eq!(folder(value), expected, "{value}");
    }
    assert_eq!(parse("{}").attachments_folder("a.md", date(2026, 2, 7)), "attachments");
    for (value, message) in [
        ("\"../up\"", "must be a folder inside the project"),
        ("\"/tmp\"", "must be a folder inside the project"),
        ("\".ubp/files\"", "cannot be inside .ubp or .git"),
        ("\"a/.hidden\"", "cannot contain attachments"),
        ("\" \"", "expected a folder such as"),
        ("\"files/{title}\"", "unknown placeholder 'title'"),
        ("3", "expected a string"),
    ] {
        let found = error(&format!("{{\"attachments_dir\": {value}}}")).1;
        assert!(found.contains(message), "{value}: {found}");
    }
}

#[test]
fn changing_the_model_keeps_everything_else() {
    let text = "{\r\n\t\"team\": {\"lead\": \"Ann\"},\r\n\t\"embedding_model\": {\r\n\t\t\"note\": \"x\",\r\n\t\t\
                \"name\": \"all-MiniLM-L6-v2\"\r\n\t},\r\n\t\"search\": {\"boost\": 1.50}\r\n}\r\n";
    let mut manifest = parse(text);
    manifest.embedding_model =
        EmbeddingModel { name: "ruri-v3-30m".into(), version: "2".into(), dimensions: 256, endpoint: None };
    manifest.search.depth = 3;
    let written = manifest.to_json();
    assert_eq!(
        written,
        "{\r\n\t\"team\": {\r\n\t\t\"lead\": \"Ann\"\r\n\t},\r\n\t\"embedding_model\": {\r\n\t\t\"note\": \"x\",\r\n\t\t\
         \"name\": \"ruri-v3-30m\",\r\n\t\t\"version\": \"2\",\r\n\t\t\"dimensions\": 256\r\n\t},\r\n\t\"search\": {\r\n\t\t\
         \"boost\": 1.5,\r\n\t\t\"depth\": 3\r\n\t}\r\n}\r\n"
    );
    assert_eq!(parse(&written).embedding_model, manifest.embedding_model);
}

#[test]
fn a_byte_order_mark_is_ignored() {
    assert_eq!(parse(&format!("\u{feff}{SPEC}")).pages_dir, "pages");
}

#[test]
fn damaged_json_is_reported_with_its_line() {
    let (line, message) = error("{\n  \"version\": \"1.0.0\",\n  \"pages_dir\": pages\n}");
    assert_eq!(line, 3);
    assert!(message.contains("expected value") && !message.contains("line"), "{message}");
    assert_eq!(error("").0, 1);
    assert_eq!(error("\n\n[1]").0, 1);
    assert!(error("[1]").1.contains("object"));
}

#[test]
fn wrong_values_are_reported_with_their_line() {
    for (member, words) in [
        (r#""version": 1"#, "`version`: expected a string, found a number"),
        (r#""schema_version": 0"#, "whole number from 1"),
        (r#""schema_version": "1""#, "expected a number"),
        (r#""embedding_model": "MiniLM""#, "expected an object, found a string"),
        (r#""embedding_model": {"name": " "}"#, "name of a model"),
        (r#""embedding_model": {"name": "mine"}"#, "`embedding_model.dimensions` of the model 'mine'"),
        (r#""embedding_model": {"dimensions": 0}"#, "from 1 to 65536"),
        (r#""created_at": "yesterday""#, "expected a time"),
        (r#""frontmatter": "auto""#, "expected `managed` or `preserved`"),
        (r#""frontmatter": {"managed": null}"#, "expected a string"),
        (r#""freshness": "reviews""#, "expected `review` or `edit`"),
        (r#""freshness": true"#, "expected a string, found true or false"),
        (r#""search": []"#, "expected an object, found a list"),
        (r#""search": {"limit": 21}"#, "`search.limit`: expected a whole number from 1 to 20, found 21"),
        (r#""search": {"limit": 5.5}"#, "from 1 to 20"),
        (r#""search": {"alpha": 1.01}"#, "number from 0 to 1"),
        (r#""search": {"depth": -1}"#, "from 1 to 3"),
        (r#""staleness": {"threshold_days": "7"}"#, "expected a number, found a string"),
        (r#""staleness": {"threshold_days": 36501}"#, "from 0 to 36500"),
        (r#""links": {"types": "owns"}"#, "expected a list"),
        (r#""links": {"types": [1]}"#, "list of names"),
        (r#""links": {"order": "both"}"#, "expected `target_first` or `label_first`"),
        (r#""export": {"title": 1}"#, "expected a string"),
        (r#""export": {"language": "e"}"#, "a language tag"),
        (r#""export": {"edit_url": "javascript:{path}"}"#, "an address such as"),
        (r#""export": {"edit_url": "https://example.com/edit"}"#, "an address such as"),
        (r#""export": {"default": "public"}"#, "expected `publish` or `private`"),
        (r#""documents": {"chunk_size": 49}"#, "from 50 to 100000"),
        (r#""documents": {"top_k": 101}"#, "from 1 to 100"),
        (r#""links": {"types": ["a|b"]}"#, "cannot be the name"),
        (r#""suggest": {"threshold": null, "limit": 0}"#, "from 1 to 100"),
        (r#""agents": {"writes_per_minute": 0}"#, "from 1 to 10000"),
        (r#""rights": {}"#, "expected a list, found an object"),
        (r#""rights": [{"author": "*", "path": "a/"}]"#, "`rights[0]`: missing field `right`"),
        (
            r#""rights": [{"author": "", "path": "a/", "right": "read"}]"#,
            "`rights[0].author`: expected the name",
        ),
        (r#""rights": [{"author": "*", "path": "a\\b", "right": "read"}]"#, "separate folders with /"),
        (
            r#""rights": [{"author": "*", "path": "a/", "right": "write"}]"#,
            "`rights[0].right`: unknown variant",
        ),
        (r#""rights": [{"author": "*", "path": "a/", "right": "read", "x": 1}]"#, "unknown field `x`"),
    ] {
        let (line, message) = error(&format!("{{\n  \"search \": {{\"limit\": 1}},\n\n  {member}\n}}"));
        assert_eq!(line, 4, "{member}");
        assert!(message.contains(words), "{member}: {message}");
    }
}

#[test]
fn the_number_of_link_types_is_limited() {
    let types = |count: usize, name: fn(usize) -> String| {
        format!(r#"{{"links": {{"types": {:?}}}}}"#, (0..count).map(name).collect::<Vec<_>>())
    };
    assert_eq!(parse(&types(100, |n| format!("t{n}"))).links.types.len(), 100);
    assert_eq!(parse(&types(200_000, |_| "same".into())).links.types, ["same"]);
    let (_, message) = error(&types(100_000, |n| format!("t{n}")));
    assert!(message.contains("at most 100 link types"), "{message}");
}

#[test]
fn an_error_in_a_nested_object_has_the_line_of_the_inner_key() {
    let text = "{\n \"x\": {\"search\": 1, \"y\": \"}{\\\"\"},\n \"search\": {\n  \"depth\": 2,\n  \"al\\u0070ha\": 7\n }\n}";
    assert_eq!(error(text).0, 5);
}

#[test]
fn an_error_in_a_list_has_the_line_of_the_item() {
    let text = "{\n \"rights\": [\n  {\"author\": \"*\", \"path\": \"a/\", \"right\": \"read\"},\n  {\n   \"author\": \"*\",\n   \"path\": \"../b\",\n   \"right\": \"hide\"\n  }\n ]\n}";
    let (line, message) = error(text);
    assert_eq!(line, 6);
    assert!(message.starts_with("`rights[1].path`: '../b' must be a path or glob"), "{message}");
}

#[test]
fn lines_are_found_behind_a_byte_order_mark_and_with_windows_line_endings() {
    let text = "\u{feff}{\r\n \"rights\": [\r\n  {},\r\n  {}\r\n ]\r\n}";
    assert_eq!(settings::line_of(text, &["rights".into(), "[1]".into()]), 4);
}

#[test]
fn unknown_settings_are_reported_with_their_lines() {
    let manifest =
        parse("{\n  \"serch\": {\"depth\": 9},\n  \"search\": {\n    \"dept\": 3,\n    \"depth\": 3\n  }\n}");
    let said: Vec<_> =
        manifest.unknown.iter().map(|unknown| (unknown.told().to_string(), unknown.line)).collect();
    assert_eq!(
        said,
        [
            ("unknown setting `serch`, ignored".to_owned(), 2),
            ("unknown setting `search.dept`, ignored".to_owned(), 4)
        ]
    );
    assert_eq!(manifest.search.depth, 3);
}

#[test]
fn dimensions_are_written_for_another_model_even_if_they_equal_the_default() {
    let mut manifest = parse("{}");
    manifest.embedding_model.name = "mine".into();
    assert_eq!(parse(&manifest.to_json()).embedding_model, manifest.embedding_model);
}

#[test]
fn the_error_for_a_newer_layout_says_what_to_do() {
    let error = Manifest::parse("{\n\"schema_version\": 2,\n\"search\": \"new meaning\"}", "m").unwrap_err();
    assert_eq!(error.to_string(), "m:2: `schema_version` 2 needs a newer ubp; this one supports 1");
    let hint = error.hint().unwrap().told(&crate::hint::Commands);
    assert!(hint.contains("newer ubp") && !hint.contains("delete"), "{hint}");
}

#[test]
fn the_pages_folder_must_be_inside_the_project() {
    for dir in ["", "..", "/etc", "a/../../b", "C:/pages", "\\\\host\\x", ".ubp", "a/.GIT/b", "a\u{0}b"] {
        let text = serde_json::json!({ "pages_dir": dir }).to_string();
        assert!(error(&text).1.contains("pages_dir"), "{dir}");
        let now = Timestamp::UNIX_EPOCH;
        assert!(Manifest::default_for(dir, FrontMatterMode::Managed, now).is_err(), "{dir}");
    }
    for (dir, clean) in [("./", "."), (".", "."), ("docs\\pages", "docs/pages"), ("設計/", "設計")] {
        let text = serde_json::json!({ "pages_dir": dir }).to_string();
        assert_eq!(parse(&text).pages_dir, clean);
    }
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "\\PC{0,6}".prop_map(Value::from),
    ];
    let key = prop_oneof![Just("search".to_string()), Just("limit".to_string()), "\\PC{0,4}"];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_text_gives_a_manifest_or_an_error_with_a_line(text in "\\PC{0,40}") {
        if let Err(Error::Manifest { line, .. }) = Manifest::parse(&text, "m") {
            prop_assert!(line >= 1);
        }
    }

    #[test]
    fn unknown_members_are_kept_in_order(members in prop::collection::vec(("x-[a-z]{1,4}", json()), 0..6)) {
        let object: Map<String, Value> = members.into_iter().collect();
        let text = serde_json::to_string_pretty(&object).unwrap() + "\n";
        let mut manifest = parse(&text);
        prop_assert_eq!(manifest.to_json().replace("\r\n", "\n"), text.replace("\r\n", "\n"));
        manifest.freshness = FreshnessBaseline::Edit;
        let written: Map<String, Value> = serde_json::from_str(&manifest.to_json()).unwrap();
        let expected: Vec<_> = object.iter().collect();
        let found: Vec<_> = written.iter().filter(|(key, _)| *key != "freshness").collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn lines_are_found_in_any_layout(before in json(), after in json()) {
        let mut object = Map::new();
        object.insert("first".into(), before);
        object.insert("wanted".into(), serde_json::json!({ "a": after, "key": "here" }));
        let text = serde_json::to_string_pretty(&object).unwrap();
        let line = settings::line_of(&text, &["wanted".into(), "key".into()]);
        prop_assert!(text.lines().nth(line - 1).unwrap().contains("\"key\": \"here\""));
    }
}
