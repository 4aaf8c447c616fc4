//! Answers of the searches.

use super::{Text, View, code};

pub(super) fn search(text: &mut Text, answer: View<'_>) -> Option<()> {
    let results = answer.each("results");
    let total = answer.count("total_found");
    if results.clone().next().is_none() {
        text.line(if answer.get("index").is_some_and(|index| index.flag("fresh")) {
            "Nothing was found. Try other words, or ubp_list_pages to see what there is."
        } else {
            "Nothing was found yet: the index is still being brought up to date. Ask again in a moment."
        });
        return Some(());
    }
    let evidence = match answer.raw("search_type") {
        "fulltext_fallback" => ", by words alone: the embedding model is not there",
        "fulltext" => ", by words alone",
        "vector" => ", by meaning alone",
        _ => "",
    };
    text.line(format!("{} of {total} pages found{evidence}.", results.clone().count()));
    for result in results {
        let reason = result.text("relevance_reason").replace('_', " ");
        text.line(format!("\n## {}", result.page()));
        text.line(format!("score {:.2} ({reason})", result.number("score")));
        for section in result.each("sections") {
            text.line(format!(
                "\nlines {}, section {}, score {:.2}",
                section.lines("lines"),
                code(section.raw("section_id")),
                section.number("score")
            ));
            text.quote(section.raw("content"));
        }
        let mut linked = result.each("linked_pages").peekable();
        if linked.peek().is_some() {
            text.line("\nLinked with it:");
        }
        for page in linked {
            text.line(format!("- {} ({}): {}", page.page(), page.text("link_type"), page.text("summary")));
        }
    }
    Some(())
}

pub(super) fn fulltext(text: &mut Text, answer: View<'_>) -> Option<()> {
    let results = answer.each("results");
    if results.clone().next().is_none() {
        text.line("No page has these words.");
        return Some(());
    }
    text.line(format!("{} of {} sections found.", results.clone().count(), answer.count("total_found")));
    for result in results {
        text.line(format!(
            "\n## {}\nline {}, section {}, score {:.2}",
            result.page(),
            result.count("line"),
            code(result.raw("section_id")),
            result.number("rank")
        ));
        text.quote(result.raw("snippet"));
    }
    Some(())
}
