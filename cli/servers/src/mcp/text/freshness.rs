//! Freshness: what code overtook, what describes code, and the state of the project.

use super::{Text, View, code};

/// A source that is not as it was.
pub(super) fn source(text: &mut Text, stale: View<'_>) {
    let path = code(stale.raw("file_path"));
    let day: String = stale.text("last_modified").chars().take(10).collect();
    let what = match stale.raw("reason") {
        "missing" => match stale.get("renamed_to") {
            Some(new) => format!("is gone; it was moved to {}", code(new.0.as_str().unwrap_or_default())),
            None => "is gone".into(),
        },
        "unknown_shallow_clone" => "may have changed: the clone is too shallow to tell".into(),
        "page_edited_after_source" => {
            format!("changed on {day}; the page was edited later, but not reviewed against it")
        }
        "suspect" => "is not fresh itself".into(),
        _ if day.is_empty() => "changed".into(),
        _ => format!("changed on {day}"),
    };
    text.line(format!("  source {path} {what}"));
}

pub(super) fn stale(text: &mut Text, answer: View<'_>) -> Option<()> {
    let counts = answer.get("counts")?;
    text.line(format!(
        "{} stale, {} possibly stale, {} fresh, {} untracked.",
        counts.count("stale"),
        counts.count("possibly_stale"),
        counts.count("fresh"),
        counts.count("untracked")
    ));
    for page in answer.each("pages") {
        text.line(format!("- {}", page.page()));
        page.each("stale_ref_details").for_each(|stale| source(text, stale));
        let suspect: Vec<String> = page.strings("suspect_path").iter().map(|path| code(path)).collect();
        if !suspect.is_empty() {
            text.line(format!("  depends on a page that is not fresh: {}", suspect.join(" -> ")));
        }
        if let Some(command) = page.get("settle_with") {
            text.line(format!("  settled by {}", code(command.0.as_str().unwrap_or_default())));
        }
    }
    for problem in answer.each("lock_problems") {
        text.line(format!("`.ubp/refs.lock` line {}: {}", problem.count("line"), problem.text("message")));
    }
    Some(())
}

pub(super) fn reviewed(text: &mut Text, answer: View<'_>) -> Option<()> {
    for page in answer.each("reviewed") {
        let (path, count) = (code(page.raw("filepath")), page.count("source_count"));
        text.line(format!("Recorded: {path}, with {count} sources."));
        page.each("missing").for_each(|missing| source(text, missing));
    }
    for page in answer.each("refused") {
        let (path, command) = (code(page.raw("filepath")), code(page.raw("settle_with")));
        text.line(format!("Not recorded, since its code changed: {path}; settled by {command}"));
        for change in page.each("changes") {
            text.line(format!("  source {}", code(change.raw("file_path"))));
            let diff = change.raw("diff");
            if !diff.is_empty() {
                text.quote(diff);
            }
        }
    }
    for path in answer.strings("without_sources") {
        text.line(format!("{} names no sources: there is nothing to record.", code(&path)));
    }
    Some(())
}

pub(super) fn refs(text: &mut Text, answer: View<'_>) -> Option<()> {
    let (file, pages) = (code(answer.raw("file")), answer.each("pages"));
    let exists = if answer.flag("exists") { "" } else { " (there is no such file now)" };
    if pages.clone().next().is_none() {
        text.line(format!("No page describes {file}{exists}."));
        return Some(());
    }
    text.line(format!("{} pages describe {file}{exists}:", pages.clone().count()));
    for page in pages {
        let named: Vec<String> = page.strings("named_as").iter().map(|name| code(name)).collect();
        text.line(format!("- {}, named as {}", page.page(), named.join(", ")));
    }
    Some(())
}

pub(super) fn status(text: &mut Text, answer: View<'_>) -> Option<()> {
    let (freshness, model) = (answer.get("freshness")?, answer.get("model")?);
    text.line(format!(
        "{} pages, {} links, {} that lead nowhere.",
        answer.count("page_count"),
        answer.count("link_count"),
        answer.count("unresolved_link_count")
    ));
    text.line(format!(
        "{} stale, {} possibly stale, {} fresh, {} untracked.",
        freshness.count("stale"),
        freshness.count("possibly_stale"),
        freshness.count("fresh"),
        freshness.count("untracked")
    ));
    let there = if model.flag("available") { "" } else { ", which this machine lacks" };
    text.line(format!(
        "{} pages have their vectors, of model {}{there}; {} files are not indexed.",
        answer.count("vectorized_page_count"),
        model.text("name"),
        answer.count("unindexed_page_count")
    ));
    for page in answer.each("stale_pages") {
        text.line(format!("- {} {}", code(page.raw("filepath")), page.text("staleness").replace('_', " ")));
        page.each("stale_refs").for_each(|stale| source(text, stale));
    }
    Some(())
}
