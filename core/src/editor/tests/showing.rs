//! Where links lead, and what is shown of it.

use super::*;
use crate::page::LinkKind;

fn leads(context: &Context<'_>, drafts: &Drafts, path: &str, target: &str) -> Place {
    let open = OpenPage::of(context, drafts, path).unwrap();
    let link = open.page.links.iter().find(|link| link.target == target).unwrap();
    place(context, drafts, &open, link).unwrap()
}

fn in_page(place: Place) -> (String, Option<usize>) {
    match place {
        Place::Page(place) => (place.path, place.line),
        other => (format!("{other:?}"), None),
    }
}

#[test]
fn links_lead_to_lines() {
    let project = project();
    let context = context(&project);
    let none = Drafts::default();
    for (path, target, expected) in [
        ("Login.md", "Users", ("Users.md", Some(1))),
        ("Login.md", "Users#Fields", ("Users.md", Some(5))),
        ("Users.md", "Sign in", ("Login.md", Some(1))),
        ("Users.md", "Login#^limit", ("Login.md", Some(13))),
        ("Users.md", "#Fields", ("Users.md", Some(5))),
        ("Users.md", "Login.md", ("Login.md", Some(1))),
        ("Login.md", "Nobody", ("Nowhere", None)),
    ] {
        let (found, line) = in_page(leads(&context, &none, path, target));
        assert_eq!((found.as_str(), line), expected, "{target}");
    }
    let symbol = leads(&context, &none, "Login.md", "src/login.rs#check");
    let expected =
        Place::File { path: "src/login.rs".into(), symbol: Some("check".into()), lines: Some((2, 2)) };
    assert_eq!(symbol, expected);
}

#[test]
fn headings_of_a_page_that_is_new_are_found() {
    let project = project();
    let context = context(&project);
    let (drafts, _) = typed(&context, "New.md", "# New\n\n## Part\n\n[[#Part]] [[#None]]\n");
    assert_eq!(in_page(leads(&context, &drafts, "New.md", "#Part")), ("New.md".into(), Some(3)));
    assert_eq!(in_page(leads(&context, &drafts, "New.md", "#None")), ("New.md".into(), None));
}

#[test]
fn the_closest_headings_come_first() {
    let project = project();
    let context = context(&project);
    let (_, open) = typed(&context, "New.md", "# Errors\n\n## Error codes\n\n## Users\n\n## 日本語\n");
    assert_eq!(closest_headings(&open, "Error code", 3, LinkKind::Wiki), ["Error codes", "Errors"]);
    assert_eq!(closest_headings(&open, "eror-codes", 1, LinkKind::Markdown), ["error-codes"]);
    assert_eq!(closest_headings(&open, "日本", 3, LinkKind::Embed), ["日本語"]);
    assert_eq!(closest_headings(&open, "", 3, LinkKind::Wiki), Vec::<String>::new());
}

fn preview(text: &str, anchor: Option<&str>, line: usize) -> String {
    let project = project();
    let context = context(&project);
    let (drafts, _) = typed(&context, "New.md", text);
    let place = PlaceInPage {
        path: "New.md".into(),
        anchor: anchor.map(str::to_owned),
        line: Some(line),
        ambiguous: false,
    };
    page_preview(&context, &drafts, &place, Language::ENGLISH).unwrap()
}

#[test]
fn previews_show_the_page_section_or_block() {
    let text = "---\ntitle: A*b\n---\n# A*b\n\nFirst.\n\n## One\n\nIn one.\n\n### Below\n\nDeep. ^block\n\n## Two\n\nIn two.\n";
    let page = preview(text, None, 1);
    assert!(page.starts_with("**A\\*b** `New.md`"), "{page}");
    assert!(page.contains("---\n\nFirst.") && !page.contains("title:"), "{page}");
    let section = preview(text, Some("One"), 8);
    assert!(
        section.contains("## One\n\nIn one.\n\n### Below\n\nDeep.") && !section.contains("Two"),
        "{section}"
    );
    let block = preview(text, Some("^block"), 14);
    assert!(block.ends_with("---\n\nDeep. ^block"), "{block}");
}

#[test]
fn previews_are_short() {
    for text in ["word ".repeat(1_000), "line\n".repeat(1_000), format!("# T\n\n{}", "é".repeat(10_000))] {
        let shown = preview(&text, None, 1);
        assert!(shown.chars().count() < 1_400 && shown.lines().count() < 40, "{}", shown.len());
        assert!(shown.ends_with('…'));
    }
    assert!(preview("", None, 1).starts_with("**New** `New.md`"));
}

#[test]
fn previews_of_pages_in_the_index_count_links_from_other_pages() {
    let project = project();
    let context = context(&project);
    let place = PlaceInPage { path: "Login.md".into(), anchor: None, line: Some(1), ambiguous: false };
    let shown = page_preview(&context, &Drafts::default(), &place, Language::ENGLISH).unwrap();
    assert!(shown.contains("3 links from other pages"), "{shown}");
}

#[test]
fn previews_of_code_show_the_signature_and_the_pages_about_it() {
    let project = project();
    let context = context(&project);
    let show = |symbol| source_preview(&context, "src/login.rs", symbol, Language::ENGLISH).unwrap();
    let symbol = show(Some("check"));
    assert!(symbol.starts_with("`src/login.rs#check`\n\n```rs\nfn check\n```"), "{symbol}");
    assert!(symbol.contains("Described in Login"), "{symbol}");
    assert!(!show(Some("other")).contains("Described"));
    assert!(show(None).contains("// Code\nfn check"));
    project.source.put_source("src/login.rs", b"````\nfn check\n", Timestamp::UNIX_EPOCH);
    assert!(show(None).contains("`````rs\n````\nfn check\n`````"), "{}", show(None));
}
