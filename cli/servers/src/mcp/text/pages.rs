//! Pages, with what is around them, and lists of pages.

use super::{Text, View, code};

pub(super) fn page(text: &mut Text, page: View<'_>) -> Option<()> {
    facts(text, page);
    if let Some(hash) = page.get("content_hash") {
        text.line(format!("content_hash: {}", hash.0.as_str().unwrap_or_default()));
    }
    for stale in page.each("stale_ref_details") {
        super::freshness::source(text, stale);
    }
    for section in page.each("sections") {
        let id = section.raw("section_id");
        let name =
            if id.is_empty() { "before the first heading".into() } else { format!("section {}", code(id)) };
        text.line(format!("\n{name}, lines {}", section.lines("lines")));
        text.quote(section.raw("content"));
    }
    for (at, section) in page.each("omitted_sections").enumerate() {
        if at == 0 {
            text.line("\nMore sections, to be asked for by `section`:");
        }
        let (id, lines) = (code(section.raw("section_id")), section.lines("lines"));
        text.line(format!("- {id}, lines {lines}, {} tokens", section.count("tokens")));
    }
    links(text, "Links to", page.each("outlinks"));
    links(text, "Linked from", page.each("backlinks"));
    Some(())
}

fn links<'a>(text: &mut Text, title: &str, links: impl Iterator<Item = View<'a>>) {
    for (at, link) in links.enumerate() {
        if at == 0 {
            text.line(format!("\n{title}:"));
        }
        let place = match (link.get("filepath"), link.get("source_path")) {
            (Some(path), _) | (None, Some(path)) => code(path.0.as_str().unwrap_or_default()),
            (None, None) => format!("{} (no such page)", code(link.raw("title"))),
        };
        text.line(format!("- {place} ({}): {}", link.text("link_type"), link.text("link_context")));
    }
}

fn facts(text: &mut Text, page: View<'_>) {
    text.line(format!("# {}", page.page()));
    text.line(format!("type {}, updated {}", page.text("doc_type"), page.text("updated_at")));
    let tags = page.strings("tags");
    if !tags.is_empty() {
        text.line(format!("tags: {}", tags.join(", ")));
    }
}

pub(super) fn context(text: &mut Text, answer: View<'_>) -> Option<()> {
    let center = answer.get("center")?;
    facts(text, center);
    text.quote(center.raw("content"));
    for (at, page) in answer.each("related").enumerate() {
        if at == 0 {
            text.line("\nRelated pages:");
        }
        let way = if page.raw("direction") == "backlink" { "links here" } else { "is linked from here" };
        text.line(format!(
            "\n## {}\n{way} ({}), {} hops away",
            page.page(),
            page.text("link_type"),
            page.count("depth")
        ));
        let summary = page.raw("summary");
        if !summary.is_empty() {
            text.quote(summary);
        }
    }
    let left = answer.count("truncated_count");
    if left > 0 {
        text.line(format!("\n{left} related pages did not fit; raise max_size, or lower depth."));
    }
    Some(())
}

pub(super) fn list(text: &mut Text, answer: View<'_>) -> Option<()> {
    let pages = answer.each("pages");
    text.line(format!("{} of {} pages.", pages.clone().count(), answer.count("total")));
    for page in pages {
        let day: String = page.text("updated_at").chars().take(10).collect();
        text.line(format!(
            "- {} ({}, {day}, {} links out, {} in)",
            page.page(),
            page.text("doc_type"),
            page.count("link_count"),
            page.count("backlink_count")
        ));
    }
    Some(())
}
