//! What refers to pages and code.

use super::*;

fn found(context: &Context<'_>, drafts: &Drafts, to: Referred<'_>) -> Vec<String> {
    let found = references(context, drafts, to).unwrap();
    found.iter().map(|own| format!("{}:{} {}", own.path, own.line, &own.text[own.range.clone()])).collect()
}

#[test]
fn pages_headings_blocks_and_symbols_have_references() {
    let project = project();
    let context = context(&project);
    let all = |to| found(&context, &Drafts::default(), to);
    assert_eq!(
        all(Referred::Page("Login.md")),
        ["Users.md:3 [[Sign in]]", "Users.md:3 [[Login#^limit]]", "Users.md:3 [x](Login.md)"]
    );
    assert_eq!(
        all(Referred::Anchor { path: "Users.md", anchor: "Fields" }),
        ["Login.md:9 [[Users#Fields]]", "Users.md:3 [[#Fields]]"]
    );
    assert_eq!(all(Referred::Anchor { path: "Login.md", anchor: "^limit" }), ["Users.md:3 [[Login#^limit]]"]);
    assert_eq!(all(Referred::Anchor { path: "Login.md", anchor: "None" }), Vec::<String>::new());
    let check = ["Login.md:5 src/login.rs#check", "Login.md:15 [[src/login.rs#check]]"];
    assert_eq!(all(Referred::File { path: "src/login.rs", symbol: Some("check") }), check);
    assert_eq!(all(Referred::File { path: "src/login.rs", symbol: None }), check);
    assert_eq!(all(Referred::File { path: "src/login.rs", symbol: Some("other") }), Vec::<String>::new());
    assert_eq!(all(Referred::Page("Nobody.md")), Vec::<String>::new());
}

#[test]
fn references_tell_their_type() {
    let project = project();
    let context = context(&project);
    let found = references(&context, &Drafts::default(), Referred::Page("Users.md")).unwrap();
    let types: Vec<_> = found.iter().map(|own| own.link_type.as_str()).collect();
    assert_eq!(types, ["depends_on", "references", "references"]);
    let file = Referred::File { path: "src/login.rs", symbol: None };
    assert_eq!(references(&context, &Drafts::default(), file).unwrap()[0].link_type, "source_refs");
}

#[test]
fn unsaved_links_count_and_those_that_were_deleted_do_not() {
    let project = project();
    let before = project.dump();
    let context = context(&project);
    let (mut drafts, _) = typed(&context, "Login.md", "# Login\n\nNo links.\n");
    drafts.set("New.md", "é [[Users]] [[Sign in]]\n");
    assert_eq!(
        found(&context, &drafts, Referred::Page("Users.md")),
        ["New.md:1 [[Users]]", "Users.md:3 [[#Fields]]"]
    );
    drafts.set("New.md", "---\nsource_refs: [src/login.rs]\n---\n");
    assert_eq!(
        found(&context, &drafts, Referred::File { path: "src/login.rs", symbol: None }),
        ["New.md:2 src/login.rs"]
    );
    assert_eq!(project.dump(), before, "no unsaved text is in the index");
}

#[test]
fn code_is_described_by_pages() {
    let project = project();
    let context = context(&project);
    let all = |text| {
        let found = described(&context, "src/login.rs", text).unwrap();
        found.into_iter().map(|own| (own.symbol, own.lines, own.sections)).collect::<Vec<_>>()
    };
    let found = all(None);
    assert_eq!((found[0].0.as_deref(), found[0].1), (Some("check"), Some((2, 2))));
    assert_eq!(found[0].2[0].path, "Login.md");
    assert_eq!(all(Some("\n\n\nfn check\n"))[0].1, Some((4, 4)));
    assert_eq!(all(Some("nothing"))[0].1, None);
    assert!(described(&context, "src/other.rs", None).unwrap().is_empty());
}
