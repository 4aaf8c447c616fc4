//! Graphs, ways, impact, and links that are missing.

use std::collections::HashMap;

use super::{Text, View, code};

pub(super) fn graph(text: &mut Text, answer: View<'_>) -> Option<()> {
    let nodes = answer.each("nodes");
    text.line(format!("{} of {} pages.", nodes.clone().count(), answer.count("total_nodes")));
    let paths: HashMap<&str, &str> =
        nodes.clone().map(|node| (node.raw("id"), node.raw("filepath"))).collect();
    let path = |id: &str| code(paths.get(id).copied().unwrap_or_default());
    for node in nodes {
        text.line(format!("- {}", node.page()));
    }
    for (at, edge) in answer.each("edges").enumerate() {
        if at == 0 {
            text.line("\nLinks:");
        }
        let (from, to) = (path(edge.raw("source")), path(edge.raw("target")));
        text.line(format!("- {from} -> {to} ({})", edge.text("type")));
    }
    Some(())
}

pub(super) fn traverse(text: &mut Text, answer: View<'_>) -> Option<()> {
    let (start, pages) = (answer.get("start")?, answer.each("pages"));
    let total = answer.count("total_pages");
    text.line(format!("From {}: {} of {total} pages.", start.page(), pages.clone().count()));
    for page in pages {
        text.line(format!("- {} hops: {}; {}", page.count("depth"), page.page(), way(page)));
    }
    Some(())
}

pub(super) fn impact(text: &mut Text, answer: View<'_>) -> Option<()> {
    let changed = match (answer.get("changed_page"), answer.get("changed_file")) {
        (Some(page), _) => page.page(),
        (None, file) => code(file?.0.as_str().unwrap_or_default()),
    };
    let affected = answer.each("affected");
    let total = answer.count("total_affected");
    text.line(format!("A change of {changed} affects {total} pages; {} shown.", affected.clone().count()));
    for page in affected {
        text.line(format!("- {:.2} {}; {}", page.number("score"), page.page(), way(page)));
    }
    Some(())
}

/// The links that lead to a page.
fn way(page: View<'_>) -> String {
    let mut steps = page.each("path").peekable();
    let mut way = steps.peek().map(|step| code(step.raw("from"))).unwrap_or_default();
    for step in steps {
        let arrow = if step.raw("direction") == "incoming" { "<-" } else { "->" };
        way.push_str(&format!(" {arrow} ({}) {}", step.text("link_type"), code(step.raw("to"))));
    }
    way
}

pub(super) fn suggestions(text: &mut Text, answer: View<'_>) -> Option<()> {
    let suggestions = answer.each("suggestions");
    if suggestions.clone().next().is_none() {
        text.line("No link is suggested at this threshold.");
    }
    for suggestion in suggestions {
        let (source, target) = (suggestion.get("source")?, suggestion.get("target")?);
        text.line(format!(
            "- {:.2} {} should link to {}: {}",
            suggestion.number("score"),
            source.page(),
            target.page(),
            suggestion.text("reason")
        ));
        if let Some(place) = suggestion.get("place") {
            let (line, words) = (place.count("line"), code(place.raw("text")));
            text.line(format!("  line {line}, the words {words}: {}", code(place.raw("context"))));
        }
    }
    Some(())
}
