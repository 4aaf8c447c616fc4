//! Publishing a vault with secrets.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::collections::BTreeMap;
use std::fs;

use jiff::Timestamp;

use super::{Publication, SiteSettings, TABLES, Template};
use crate::Context;
use crate::freshness::Staleness;
use crate::index::Index;
use crate::index::tests::Project;
use crate::message::Language;
use crate::ports::{Clock as _, Embedder, MemoryHistory, Source};
use crate::render::url;

const TEMPLATE: &str = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>x</title>\
    <script type=\"module\" src=\"./assets/app.js\"></script><!--ubp:head--></head>\
    <body><div id=\"app\"><main id=\"content\"><!--ubp:content--></main></div></body></html>";

const JAPANESE: Language =
    Language::new("ja", |english| (english == "Nothing found.").then(|| "該当なし".into()), |_| None);

fn published(context: &Context<'_>, embedder: Option<&dyn Embedder>) -> BTreeMap<String, Vec<u8>> {
    let publication = Publication::new(context, &[]).unwrap();
    let (index, _) = publication.index(embedder, "1.2.3").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("vault.db");
    publication.write_database(&index, &database).unwrap();
    let mut files = BTreeMap::from([("data/vault.db".to_owned(), fs::read(&database).unwrap())]);
    let settings = SiteSettings {
        base_url: Some("https://x.example/docs".into()),
        version: "1.2.3".into(),
        database: Some(("data/vault.db".into(), 1)),
        languages: vec![JAPANESE],
        ..SiteSettings::default()
    };
    let template = Template::new(TEMPLATE.into()).unwrap();
    publication
        .write_pages(&index, &template, &settings, |file| {
            files.insert(file.path, file.bytes);
            Ok(())
        })
        .unwrap();
    files
}

#[test]
fn the_index_of_a_site_contains_nothing_of_unpublished_pages() {
    let project = Project::with_pages([
        (
            "Open.md",
            "# Open\n\n[[Hushed]] [[Zephyr]] [[hidden/Quixotic]] ![[Hushed]] [t](hidden/Quixotic.md)\n",
        ),
        (
            "hidden/Quixotic.md",
            "---\npublish: No\naliases: [Zephyr]\ntags: [obsidianite]\n---\n# Hushed\n\nxylophone\n",
        ),
        ("Other.md", "---\ndepends_on: \"[[Zephyr]]\"\n---\nSee [[Open]].\n"),
    ]);
    let context = project.context();
    let publication = Publication::new(&context, &[]).unwrap();
    assert_eq!(publication.unpublished, ["hidden/Quixotic.md"]);
    assert_eq!((publication.page_count(), publication.left_out.len()), (2, 0));
    for (path, bytes) in published(&context, Some(&project.embedder)) {
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        for secret in ["hushed", "zephyr", "zephyr", "quixot", "obsidianit", "xylophon"] {
            assert!(!text.contains(secret), "{secret} in {path}");
        }
    }
}

#[test]
fn what_ubp_writes_into_a_page_is_in_the_language_of_the_page() {
    let text = "# A\n\n[[Secret]]\n\n```ubp\nSELECT path FROM files WHERE 1 = 0\n```\n";
    let project = Project::with_pages([
        ("en.md", text),
        ("ja.md", &format!("---\nlang: ja-JP\n---\n{text}")),
        ("Secret.md", "---\npublish: false\n---\n"),
    ]);
    let files = published(&project.context(), None);
    for (file, told) in
        [("en.html", ["unpublished page", "Nothing found."]), ("ja.html", ["非公開のページ", "該当なし"])]
    {
        let page = String::from_utf8_lossy(&files[file]);
        assert!(told.iter().all(|text| page.contains(text)), "{page}");
    }
}

#[test]
fn the_database_has_exactly_the_listed_tables() {
    let project = Project::with_pages([("a.md", "# A\n")]);
    let context = project.context();
    let publication = Publication::new(&context, &[]).unwrap();
    let (index, _) = publication.index(None, "1").unwrap();
    let found: Vec<String> = index
        .read(|db| {
            let mut statement =
                db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")?;
            Ok(statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
        })
        .unwrap();
    assert_eq!(found, TABLES);
}

#[test]
fn the_same_pages_give_the_same_bytes() {
    let pages: Vec<(String, String)> = (0..300)
        .map(|n| {
            (format!("{}/p{n}.md", n % 7), format!("# P{n}\n\n[[p{}]] words of {n}\n\n## B\n\nmore\n", n / 2))
        })
        .collect();
    let make = || Project::with_pages(pages.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    let (one, two) = (make(), make());
    // The state of the project's own index makes no difference.
    two.put("later.md", "x");
    two.update();
    two.source.remove("later.md");
    two.update();
    let first = published(&one.context(), Some(&one.embedder));
    let second = published(&two.context(), Some(&two.embedder));
    for (path, bytes) in &first {
        assert!(second.get(path) == Some(bytes), "{path} differs");
    }
    assert_eq!(first.len(), second.len());
}

#[test]
fn the_database_is_one_file_with_the_same_answers_as_the_project() {
    let project = Project::with_pages([
        (
            "Login.md",
            "---\nsource_refs: [src/a.rs]\n---\n# Login\n\nUsers sign in. [[Tokens|depends_on]] ![[p.png]]\n",
        ),
        ("Tokens.md", "# Tokens\n\nA token expires.\n"),
    ]);
    project.source.put_source("pages/p.png", b"12345", Timestamp::UNIX_EPOCH);
    project.source.put_source("src/a.rs", b"x", project.clock.now());
    project.update();
    let history = MemoryHistory::default();
    history.commit("pages/Login.md", "c0ffee", Timestamp::from_second(1_000).unwrap());
    history.commit("src/a.rs", "c0ffee", Timestamp::from_second(100_000).unwrap());
    let context = Context { history: &history, ..project.context() };
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("vault.db");
    {
        let publication = Publication::new(&context, &[]).unwrap();
        let (index, report) = publication.index(Some(&project.embedder), "1").unwrap();
        assert_eq!(report.attachments, BTreeMap::from([("pages/p.png".to_owned(), "p.png".to_owned())]));
        assert_eq!((report.computed, report.vectors), (0, 2));
        publication.write_database(&index, &database).unwrap();
    }
    let bytes = fs::read(&database).unwrap();
    assert_eq!(bytes[18..20], [1, 1], "no write-ahead log is asked for");
    let (index, aside) = Index::open(&database).unwrap();
    assert_eq!(aside, None);
    let source = index.read(super::PublicSource::of_site).unwrap();
    assert_eq!(source.list().unwrap().pages.len(), 2);
    assert_eq!(source.stat_source("pages/p.png").unwrap().unwrap().size, 5);
    assert!(source.write("x.md", b"", None).is_err());
    let site = Context { index: index.view(), source: &source, ..project.context() };
    assert!(site.refresh(false).unwrap().is_empty(), "texts and index agree");
    for (operation, params) in [
        ("search", serde_json::json!({"query": "token expires", "explain": true})),
        ("render_page", serde_json::json!({"page": "Login"})),
        ("get_graph", serde_json::json!({"center": "Login"})),
    ] {
        let mut answers = [context.call(operation, params.clone()), site.call(operation, params)]
            .map(|answer| answer.unwrap());
        for answer in &mut answers {
            *answer = without_times(answer.take());
        }
        assert_eq!(answers[0], answers[1], "{operation}");
    }
    let page = site.call("get_page", serde_json::json!({"page": "Login"})).unwrap();
    assert_eq!(page["staleness"], serde_json::to_value(Staleness::Stale).unwrap());
    assert_eq!(page["stale_refs"], serde_json::json!(["src/a.rs"]));
    assert_eq!(page["stale_ref_details"][0]["last_modified"], "1970-01-02T00:00:00Z");
}

/// Removes times, which are rounded to the day, and durations, which differ each time.
fn without_times(mut answer: serde_json::Value) -> serde_json::Value {
    match &mut answer {
        serde_json::Value::Object(fields) => {
            for name in ["latency_ms", "created_at", "updated_at", "head"] {
                fields.remove(name);
            }
            fields.values_mut().for_each(|value| *value = without_times(value.take()));
        }
        serde_json::Value::Array(values) => {
            values.iter_mut().for_each(|value| *value = without_times(value.take()));
        }
        _ => {}
    }
    answer
}

#[test]
fn sources_found_by_a_pattern_are_published_as_the_pattern() {
    let project = Project::with_pages([("a.md", "---\nsource_refs: [\"src/**\", lib/]\n---\n# A\n")]);
    for file in ["src/secret_name.rs", "src/other.rs", "lib/hidden.rs"] {
        project.source.put_source(file, b"x", project.clock.now());
    }
    let context = project.context();
    let publication = Publication::new(&context, &[]).unwrap();
    let refs: Vec<&str> =
        publication.verdicts["a.md"].stale_refs.iter().map(|stale| stale.file_path.as_str()).collect();
    assert_eq!(refs, ["lib/", "src/**"]);
}

#[test]
fn unknown_settings_are_not_published() {
    let mut project = Project::with_pages([("a.md", "[[b|my_type]]")]);
    project.manifest = crate::manifest::Manifest::parse(
        r#"{"pages_dir":"pages","created_at":"2026-01-02T03:04:05Z","links":{"types":["my_type"]},"token":"s3cr3t",
            "search":{"private":"s3cr3t"},"export":{"title":"Site"}}"#,
        "m",
    )
    .unwrap();
    let json = project.manifest.published().to_json();
    assert!(!json.contains("s3cr3t") && !json.contains("created_at"), "{json}");
    assert!(json.contains("my_type") && json.contains("\"title\": \"Site\""), "{json}");
}

#[test]
fn every_page_has_navigation_and_metadata() {
    let project = Project::with_pages([
        ("index.md", "# Welcome\n\n[[Guide/First Steps]]\n"),
        ("Guide/First Steps.md", "---\nlang: ja\n---\n# はじめに\n\n本文 </script>\n\n## A & B\n\n## C\n"),
        ("404.md", "# Lost\n"),
    ]);
    let files = published(&project.context(), None);
    let text = |path: &str| String::from_utf8(files[path].clone()).unwrap();
    let page = text("Guide/First Steps.html");
    for part in [
        "<html lang=\"ja\">",
        "<title>はじめに – Welcome</title>",
        "src=\"../assets/app.js\"",
        "<a href=\"../index.html\">ホーム</a>",
        "<article class=\"page\" data-page=\"Guide/First Steps.md\"><header class=\"page-header\"><nav class=\"way\"",
        "aria-label=\"フォルダー\"><a href=\"../all-pages.html#folder/Guide\">Guide</a></nav>\n<h1>はじめに</h1>",
        "<li class=\"level-2\"><a href=\"#%E3%81%AF%E3%81%98%E3%82%81%E3%81%AB/a-b\">A &amp; B</a></li>",
        "<h2>このページへのリンク</h2>",
        "<a class=\"link\" data-page=\"index.md\" href=\"../index.html\">Welcome</a>",
        "<link rel=\"canonical\" href=\"https://x.example/docs/Guide/First%20Steps.html\">",
        "\"page\":\"Guide/First Steps.md\",\"home\":\"index.md\"",
        "\"root\":\"../\"",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    assert_eq!(page.matches("</script>").count(), 3, "{page}");
    assert!(text("index.html").contains("<link rel=\"canonical\" href=\"https://x.example/docs/\">"));
    assert!(text("404.html").contains("https://x.example/docs/all-pages.html"));
    assert!(text(&url::page_file("404.md", &[])).contains("Lost"));
    assert!(text("all-pages.html").contains("<h2 id=\"folder/Guide\">Guide</h2>"));
    assert_eq!(text("sitemap.xml").matches("<loc>").count(), 3);
    assert!(!files.contains_key("robots.txt"));
}

#[test]
fn without_a_first_page_the_site_opens_with_the_list() {
    let project =
        Project::with_pages([("x/z.md", ""), ("x/deep/y.md", ""), ("b.md", "# B\n"), ("a.md", "# A\n")]);
    let files = published(&project.context(), None);
    let index = String::from_utf8(files["index.html"].clone()).unwrap();
    let folders: Vec<&str> =
        index.split("<h2 id=\"").skip(1).filter_map(|part| part.split('"').next()).collect();
    assert_eq!(folders, ["folder/x", "folder/x/deep"], "a folder is listed once, before its subfolders");
    assert!(index.contains("<a class=\"link\" data-page=\"a.md\" href=\"a.html\">A</a>"), "{index}");
    assert!(index.contains("\"page\":null,\"home\":null"));
}

#[test]
fn every_folder_above_a_page_has_its_place_in_the_list() {
    let project = Project::with_pages([
        ("a/1.md", ""),
        ("a b/c & d/e/2.md", ""),
        ("a-b/3.md", ""),
        ("a/x/4.md", ""),
        ("100%20/5.md", ""),
    ]);
    let files = published(&project.context(), None);
    let list = String::from_utf8(files["all-pages.html"].clone()).unwrap();
    let ids: Vec<&str> =
        list.split(" id=\"folder/").skip(1).filter_map(|part| part.split('"').next()).collect();
    assert_eq!(
        ids,
        ["100%2520", "a", "a/x", "a%20b", "a%20b/c%20&amp;%20d", "a%20b/c%20&amp;%20d/e", "a-b"],
        "each once, also without pages of its own"
    );
    let page = String::from_utf8(files["a b/c & d/e/2.html"].clone()).unwrap();
    assert!(
        page.contains("href=\"../../../all-pages.html#folder/a%2520b/c%2520%26%2520d\">c &amp; d</a>"),
        "{page}"
    );
}

#[test]
fn pages_lead_to_their_neighbours_in_the_order_of_the_site() {
    let project = Project::with_pages([
        ("a.md", "# A\n"),
        ("guide/c.md", "---\norder: 10\n---\n# C\n"),
        ("guide/b.md", "# B\n"),
        ("guide/first.md", "---\norder: \"1.5\"\n---\n# First & best\n"),
        ("readme.md", "# Start\n"),
    ]);
    let files = published(&project.context(), None);
    let neighbours = |path: &str| -> Vec<String> {
        let page = String::from_utf8(files[path].clone()).unwrap();
        let ways = page.split("<nav class=\"neighbours\"").nth(1).unwrap_or_default();
        let ways = ways.split("</nav>").next().unwrap_or_default();
        ways.split("href=\"")
            .skip(1)
            .map(|link| link.split("</a>").next().unwrap_or_default().to_owned())
            .collect()
    };
    assert_eq!(neighbours("readme.html"), ["a.html\">A"]);
    assert_eq!(neighbours("index.html"), ["a.html\">A"]);
    assert_eq!(neighbours("a.html"), ["readme.html\">Start", "guide/first.html\">First &amp; best"]);
    assert_eq!(neighbours("guide/c.html"), ["first.html\">First &amp; best", "b.html\">B"]);
    assert_eq!(neighbours("guide/b.html"), ["c.html\">C"]);
    let list = String::from_utf8(files["all-pages.html"].clone()).unwrap();
    let at = |name: &str| list.find(&format!("data-page=\"{name}\"")).unwrap();
    assert!(at("readme.md") < at("a.md") && at("guide/first.md") < at("guide/b.md"), "{list}");
}

#[test]
fn pages_say_where_to_edit_them_if_the_project_does() {
    let mut project = Project::with_pages([("a b.md", "# A\n")]);
    assert!(
        !String::from_utf8_lossy(&published(&project.context(), None)["a b.html"]).contains("class=\"edit\"")
    );
    let settings = r#"{"pages_dir": "pages", "export": {"edit_url": "https://x.example/edit/{path}?a&b"}}"#;
    project.manifest = crate::manifest::Manifest::parse(settings, "m").unwrap();
    let page = String::from_utf8(published(&project.context(), None)["a b.html"].clone()).unwrap();
    assert!(
        page.contains("href=\"https://x.example/edit/pages/a%20b.md?a&amp;b\">Edit this page</a>"),
        "{page}"
    );
}

#[test]
fn pages_and_their_list_can_be_shown_without_the_database() {
    let project = Project::with_pages([
        ("index.md", "# Home\n\n[[Deep/Other|depends_on]] and a secret of <b>text</b>\n"),
        ("Deep/Other.md", "---\ntags: [x]\ntype: guide\n---\n# Other\n"),
    ]);
    let context = project.context();
    let files = published(&context, None);
    let (path, list) = files.iter().find(|(path, _)| path.starts_with("data/pages.")).unwrap();
    let list: serde_json::Value = serde_json::from_slice(list).unwrap();
    let page = String::from_utf8(files["Deep/Other.html"].clone()).unwrap();
    assert!(page.contains(&format!("\"list\":\"{path}\"")), "{page}");
    let facts =
        page.split("id=\"ubp-page\">").nth(1).and_then(|rest| rest.split("</script>").next()).unwrap();
    let facts: serde_json::Value = serde_json::from_str(facts).unwrap();

    let publication = Publication::new(&context, &[]).unwrap();
    let (index, _) = publication.index(None, "1.2.3").unwrap();
    let site = publication.context(&index);
    assert_eq!(list, site.call("list_pages", serde_json::json!({})).unwrap());
    let mut whole = site.call("get_page", serde_json::json!({"page": "Deep/Other.md"})).unwrap();
    whole["content"] = "".into();
    for name in ["sections", "answers"] {
        whole[name] = serde_json::json!([]);
    }
    assert_eq!(facts, whole);
    assert_eq!(facts["backlinks"][0]["filepath"], "index.md");
}
