//! Documents: chunks that were found, and what became of files.

use super::{Text, View, code, one_line};

pub(super) fn found(text: &mut Text, answer: View<'_>) -> Option<()> {
    text.line(format!("{} chunks found.", answer.each("results").count()));
    note(text, answer);
    for found in answer.each("results") {
        let (document, line) = (code(found.raw("document")), found.count("line"));
        let similarity =
            found.get("similarity").map(|_| format!(", similarity {:.4}", found.number("similarity")));
        let position = found.count("position");
        let similarity = similarity.unwrap_or_default();
        text.line(format!("\n{document} line {line}, position {position}{similarity}"));
        text.quote(found.raw("chunk"));
    }
    Some(())
}

pub(super) fn list(text: &mut Text, answer: View<'_>) -> Option<()> {
    text.line(format!("{} documents.", answer.each("documents").count()));
    answer.each("documents").for_each(|document| line(text, document));
    Some(())
}

pub(super) fn indexed(text: &mut Text, answer: View<'_>) -> Option<()> {
    line(text, answer);
    let (embedded, reused) = (answer.count("embedded"), answer.count("reused"));
    text.line(format!("{embedded} vectors made, {reused} known already."));
    note(text, answer);
    Some(())
}

pub(super) fn deleted(text: &mut Text, answer: View<'_>) -> Option<()> {
    let trash = answer
        .get("trash")
        .map(|place| format!(", now .ubp/trash/{}", one_line(place.0.as_str().unwrap_or(""))));
    text.line(format!("{} is deleted{}.", code(answer.raw("filename")), trash.unwrap_or_default()));
    Some(())
}

fn line(text: &mut Text, document: View<'_>) {
    text.line(format!(
        "- {}: {} chunks, indexed {}, modified {}",
        code(document.raw("filename")),
        document.count("chunks"),
        document.text("indexed_at"),
        document.text("modified_at")
    ));
}

fn note(text: &mut Text, answer: View<'_>) {
    let note = answer.text("note");
    if !note.is_empty() {
        text.line(format!("Note: {note}."));
    }
}
