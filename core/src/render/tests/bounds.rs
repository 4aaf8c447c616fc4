//! Limits on the cost of rendering a page.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use super::safety::fault;
use super::{project, rendered};
use crate::index::tests::Project;

#[test]
fn a_page_that_embeds_itself_does_not_recurse_forever() {
    let page = "# Page\n\n![[Page]]\n\n## A\n\n![[#A]]\n\n![[Other#Part]]\n";
    let html = rendered(&project(page), "Folder/Page.md").html;
    assert_eq!(fault(&html), None, "{html}");
    assert!(html.len() < 20_000, "{}", html.len());
    assert!(html.contains("Part of it."));
}

#[test]
fn ten_thousand_embeds_stay_small() {
    let large = format!("# Large\n\n{}", "Words and words. ".repeat(1000));
    let pages = [
        ("self.md", "![[self]]\n\n".repeat(10_000)),
        ("part.md", format!("# A\n\n{}", "![[#A]]\n\n".repeat(10_000))),
        ("others.md", "![[large]]\n\n".repeat(10_000)),
        ("each.md", "![[self]] ![[part]] ![[others]] ![[each]]\n\n".repeat(2_500)),
        ("large.md", large),
    ];
    let project = Project::with_pages(pages.iter().map(|(path, text)| (*path, text.as_str())));
    for (path, text) in &pages {
        let html = rendered(&project, path).html;
        assert_eq!(fault(&html), None, "{path}");
        assert!(html.len() < 12 * text.len() + 1_000_000, "{path}: {}", html.len());
        assert!(html.matches("<section class=\"embed\"").count() <= crate::render::EMBEDS);
    }
}

#[test]
fn short_rows_of_wide_tables_are_not_padded() {
    let page = format!("{}|\n{}|\n{}", "|a".repeat(500), "|-".repeat(500), "|a\n".repeat(2_000));
    let html = rendered(&project(&page), "Folder/Page.md").html;
    assert_eq!(fault(&html), None);
    assert!(html.len() < 80_000, "{}", html.len());
}

#[test]
fn deep_nesting_is_rendered() {
    for page in [
        ">".repeat(2_000),
        "- ".repeat(2_000),
        "*a ".repeat(20_000),
        "[a](".repeat(20_000),
        "![[a|".repeat(20_000),
    ] {
        assert_eq!(fault(&rendered(&project(&page), "Folder/Page.md").html), None);
    }
}

#[test]
fn the_attachments_and_headings_of_a_page_are_listed() {
    let found = rendered(
        &project("# Page\n\n![[far.png]] [a](../a%20b.pdf) ![[none.png]]\n\n## B\n\n![[Other]]\n"),
        "Folder/Page.md",
    );
    assert_eq!(found.file, "Folder/Page.html");
    assert_eq!(found.attachments.iter().collect::<Vec<_>>(), ["pages/a b.pdf", "pages/attachments/far.PNG"]);
    let headings: Vec<_> = found.headings.iter().map(|h| (h.level, h.slug.as_str(), h.line)).collect();
    assert_eq!(headings, [(1, "page", 1), (2, "page/b", 5)]);
}
