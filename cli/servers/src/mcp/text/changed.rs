//! Changes: what was written, or would be.

use super::{Text, View, code};

/// A page that was created, edited, renamed or deleted, or a link that was made.
pub(super) fn page(text: &mut Text, answer: View<'_>) -> Option<()> {
    if answer.flag("dry_run") {
        text.line("Nothing was written: this is what would change.");
    }
    if let Some(link) = answer.get("link") {
        let (source, line) = (code(answer.raw("source")), answer.get("place")?.count("line"));
        let link = code(link.0.as_str().unwrap_or_default());
        text.line(format!("{source} line {line} links to {}: {link}", code(answer.raw("target"))));
    } else {
        text.line(answer.page());
    }
    let hash = answer.raw("content_hash");
    if !hash.is_empty() {
        text.line(format!("content_hash: {hash}"));
    }
    for file in answer.each("changed") {
        let moved = file.get("moved_from").map(|from| code(from.0.as_str().unwrap_or_default()));
        let moved = moved.map(|from| format!(", was {from}")).unwrap_or_default();
        let gone = file.get("trash").map(|place| {
            format!(", now .ubp/trash/{}", super::one_line(place.0.as_str().unwrap_or_default()))
        });
        let hash = file.get("content_hash").map(|hash| format!(", {}", hash.0.as_str().unwrap_or_default()));
        let what = [moved, gone.unwrap_or_default(), hash.unwrap_or_default()].concat();
        text.line(format!("- {}{what}", code(file.raw("filepath"))));
    }
    for link in answer.each("links") {
        let now = match link.get("leads_to") {
            Some(path) => format!("leads to {}", code(path.0.as_str().unwrap_or_default())),
            None => "leads nowhere".into(),
        };
        let (path, line) = (code(link.raw("filepath")), link.count("line"));
        text.line(format!("- {path} line {line}: {} {now}", code(link.raw("target"))));
    }
    for (field, says) in [("same_name", "has the same name"), ("similar", "has a similar name")] {
        for path in answer.strings(field) {
            text.line(format!("Note: {} {says}.", code(&path)));
        }
    }
    let diff = answer.raw("diff");
    if !diff.is_empty() {
        text.quote(diff);
    }
    if let Some(entry) = answer.get("audit_id") {
        let entry = entry.0.as_str().unwrap_or_default();
        text.line(format!("Logged as {entry}; a person can undo it with `ubp undo {entry}`."));
    }
    Some(())
}

/// A suggestion that was dismissed.
pub(super) fn dismissed(text: &mut Text, answer: View<'_>) -> Option<()> {
    let (source, target) = (code(answer.raw("source")), code(answer.raw("target")));
    text.line(format!("A link from {source} to {target} is not suggested any more."));
    Some(())
}
