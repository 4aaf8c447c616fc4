//! What is wrong with a page.

use super::*;

/// Codes and the text that they are about.
fn found(text: &str) -> Vec<(String, String)> {
    let project = project();
    let context = context(&project);
    let (drafts, open) = typed(&context, "New.md", text);
    let found = findings(&context, &drafts, &open, &[]).unwrap();
    found.into_iter().map(|own| (own.finding.code.clone(), open.text[own.range].to_owned())).collect()
}

fn told(codes: &[(&str, &str)]) -> Vec<(String, String)> {
    codes.iter().map(|(code, text)| ((*code).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn links_that_lead_nowhere_are_found_in_the_order_of_the_text() {
    let text = "# New\n\n[[Nobody]] [[Login#None]] é [[Login#^none]] [[src/login.rs#gone]] [[#None]] [x](no.md)\n\
                [[Login]] [[Login#^limit]] [[Users#Fields]] [[src/login.rs#check]] [[#New]]\n";
    assert_eq!(
        found(text),
        told(&[
            ("unresolved_link", "[[Nobody]]"),
            ("missing_heading", "[[Login#None]]"),
            ("missing_heading", "[[Login#^none]]"),
            ("missing_symbol", "[[src/login.rs#gone]]"),
            ("missing_heading", "[[#None]]"),
            ("unresolved_link", "[x](no.md)"),
        ])
    );
}

#[test]
fn names_of_several_pages_are_found() {
    assert_eq!(found("[[Same]] [[a/Same]]\n"), told(&[("ambiguous_link", "[[Same]]")]));
}

#[test]
fn sources_that_are_missing_are_found_at_their_entry() {
    let text = "---\nsource_refs:\n  - src/login.rs\n  - src/gone.rs\n  - src/*.rs\n  - src/login.rs#check\n  - 'src/login.rs#gone'\n---\n";
    assert_eq!(
        found(text),
        told(&[("missing_source", "src/gone.rs"), ("missing_source", "src/login.rs#gone")])
    );
    assert_eq!(found("---\nsource_refs: src/gone.rs\n---\n"), told(&[("missing_source", "src/gone.rs")]));
    assert_eq!(found("---\nsourceRefs: [src/gone.rs]\n---\n"), told(&[("missing_source", "src/gone.rs")]));
}

#[test]
fn a_page_on_the_screen_counts_for_links_to_it() {
    let project = project();
    let context = context(&project);
    let (mut drafts, _) = typed(&context, "Users.md", "# Users\n\n## Unsaved\n");
    drafts.set("New.md", "[[Users#Unsaved]] [[Users#Fields]]\n");
    let open = OpenPage::of(&context, &drafts, "New.md").unwrap();
    let found = findings(&context, &drafts, &open, &[]).unwrap();
    let about: Vec<_> = found.iter().map(|own| &open.text[own.range.clone()]).collect();
    assert_eq!(about, ["[[Users#Fields]]"]);
}

#[test]
fn any_text_has_findings_within_it() {
    for text in [
        "",
        "\0",
        "---",
        "---\n",
        "---\nsource_refs: [",
        "---\nsource_refs: {a: b}\n---\n",
        "[[",
        "\u{feff}---\nsource_refs: [é]\n---\n[[é]]",
        "\r\r[[x]]\r",
    ] {
        let project = project();
        let context = context(&project);
        let (drafts, open) = typed(&context, "New.md", text);
        for own in findings(&context, &drafts, &open, &[]).unwrap() {
            assert!(open.text.get(own.range.clone()).is_some(), "{text:?}: {own:?}");
            assert!(!plain(&own.finding.message).is_empty());
        }
        for offset in 0..=text.len() {
            candidates(&context, &drafts, &open, offset).unwrap();
            open.link_at(offset);
            open.section_at(offset);
        }
    }
}
