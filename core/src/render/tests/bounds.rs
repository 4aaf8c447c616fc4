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

#[test]
fn an_answer_that_contains_itself_ends() {
    let list = "views:\n  - type: list\n    order: [formula.again, again]\n";
    let formula = "formulas:\n  again: '\"![[Loop.base]] ![[Page]] !![[Other]]\"'\n";
    let unknown = "\"a`![[Loop.base]]`b\": 1\n";
    let block = |text: &str| format!("```base\n{text}```\n");
    let front = "---\nagain: \"![[Page]] ![[Loop.base]] ![[Answers]]\"\n---\n";
    let pages = [
        ("Page.md", format!("{front}# Page\n\n![[Loop.base]]\n")),
        ("Answers.md", format!("{front}{}\n![[Page]]\n", block(&format!("{formula}{unknown}{list}")))),
        ("Query.md", "```ubp list\nagain: *\nshow: again\n```\n".into()),
        ("Other.md", "Other.\n".into()),
    ];
    let project = Project::with_pages(pages.iter().map(|(path, text)| (*path, text.as_str())));
    let base = format!("{formula}{unknown}{list}");
    project.source.put_source("pages/Loop.base", base.as_bytes(), jiff::Timestamp::UNIX_EPOCH);
    project.refresh();
    for (path, _) in &pages[..3] {
        let html = rendered(&project, path).html;
        // The check knows sections of pages only.
        let checked = html.replace("<section class=\"embed\" data-file=\"pages/Loop.base\">", "<section>");
        assert_eq!(fault(&checked), None, "{path}");
        assert!(html.len() < 20_000, "{path}: {}", html.len());
        let answers: Vec<&str> = html.split("<div class=\"query").skip(1).collect();
        assert!(!answers.is_empty(), "{path}: {html}");
        for answer in answers {
            let end = answer.find("</div>").unwrap();
            assert!(!answer[..end].contains("<section class=\"embed\""), "{path}: {answer}");
        }
        assert!(html.contains("data-page=\"Page.md\""), "{path}: {html}");
    }
}

#[test]
fn links_of_an_answer_on_an_embedded_page_are_relative_to_the_whole() {
    let project = Project::with_pages([
        ("deep/er/query.md", "```ubp list\ntype: person\nshow: file\n```\n"),
        ("people/ann.md", "---\ntype: person\nfile: \"[[cv.pdf]]\"\n---\n# Ann\n"),
        ("home.md", "![[query]]\n"),
    ]);
    project.source.put_source("pages/people/cv.pdf", b"x", jiff::Timestamp::UNIX_EPOCH);
    project.refresh();
    let found = rendered(&project, "home.md");
    assert!(found.html.contains("href=\"people/ann.html\""), "{}", found.html);
    assert_eq!(found.attachments.iter().collect::<Vec<_>>(), ["pages/people/cv.pdf"]);
}
