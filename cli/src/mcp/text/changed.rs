//! Changes: what was written, or would be.

use super::{Text, View, code};

/// Any answer that names what it changed; nothing where it names nothing.
pub(super) fn any(text: &mut Text, answer: View<'_>) -> Option<()> {
    let before = text.0.len();
    let dry = answer.flag("dry_run");
    if dry {
        text.line("Nothing was written: this is what would change.");
    }
    if let Some(path) = answer.get("filepath") {
        let hash = answer.text("content_hash");
        let hash = if hash.is_empty() { String::new() } else { format!(" is now {hash}") };
        text.line(format!("{}{hash}", code(path.0.as_str().unwrap_or_default())));
    }
    if let Some(link) = answer.get("link") {
        let (source, place) = (code(answer.raw("source")), answer.get("place")?);
        let link = code(link.0.as_str().unwrap_or_default());
        text.line(format!("{source} line {} links now: {link}", place.count("line")));
    }
    for file in answer.each("changed") {
        let hash = file.text("content_hash");
        text.line(format!("- {} {hash}", code(file.raw("path"))));
    }
    let diff = answer.raw("diff");
    if !diff.is_empty() {
        text.quote(diff);
    }
    for warning in answer.strings("warnings") {
        text.line(format!("Note: {warning}"));
    }
    if let Some(entry) = answer.get("audit_id") {
        text.line(format!("Logged as {}.", entry.0.as_str().unwrap_or_default()));
    }
    (text.0.len() > before).then_some(())
}
