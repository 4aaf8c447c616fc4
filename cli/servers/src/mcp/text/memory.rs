//! Answers about memories.

use super::{Text, View, code};

/// What became of something to remember.
pub(super) fn remembered(text: &mut Text, answer: View<'_>) -> Option<()> {
    let (path, topic) = (code(answer.raw("filepath")), answer.text("topic"));
    text.line(match answer.raw("action") {
        "updated" => format!("Updated {path} {topic}: there was a memory about this topic."),
        _ => format!("Remembered {path} {topic}."),
    });
    let count = answer.count("similar_count");
    if count > 0 {
        text.line(format!("{count} similar memories:"));
    }
    for similar in answer.each("similar") {
        text.line(format!(
            "- {} {} ({})",
            code(similar.raw("filepath")),
            similar.text("topic"),
            similar.text("type")
        ));
    }
    if let Some(entry) = answer.get("audit_id") {
        let entry = entry.0.as_str().unwrap_or_default();
        text.line(format!("Logged as {entry}; a person can undo it with `ubp undo {entry}`."));
    }
    Some(())
}

/// What was recalled.
pub(super) fn recalled(text: &mut Text, answer: View<'_>) -> Option<()> {
    let memories = answer.each("memories");
    let shown = memories.clone().count();
    text.line(match answer.count("total_count") {
        0 => "Nothing is remembered about that.".to_owned(),
        total => format!("{shown} of {total} memories."),
    });
    for memory in memories {
        let tags = memory.strings("tags");
        let tags = if tags.is_empty() { String::new() } else { format!(", tags: {}", tags.join(", ")) };
        text.line(format!("\n## {} {}", code(memory.raw("filepath")), memory.text("topic")));
        text.line(format!("type {}{tags}", memory.text("type")));
        text.quote(memory.raw("content"));
        for example in memory.each("examples").filter_map(|example| example.0.as_str()) {
            text.line("\nExample:");
            text.quote(example);
        }
    }
    for page in answer.each("skipped") {
        let (path, line) = (code(page.raw("filepath")), page.count("line"));
        text.line(format!("\nPassed over {path} line {line}: {}", page.text("reason")));
    }
    Some(())
}
