//! Merges several memories into one, without repeating what they have in common.

use std::collections::HashSet;

use super::body::{is_block, open_fence};
use super::page::Memory;
use crate::text::{Fence, fold_key};

/// `kept` with everything that only the others contain.
pub(crate) fn merged<'m>(kept: &Memory, others: impl IntoIterator<Item = &'m Memory>) -> Memory {
    let mut merged = kept.clone();
    let mut confidences = vec![kept.fields.confidence];
    for other in others {
        merged.content = without_repeating(&merged.content, &other.content);
        let (fields, more) = (&mut merged.fields, &other.fields);
        confidences.push(more.confidence);
        let topics = std::iter::once(&more.topic).chain(&more.aliases);
        let own = fold_key(&fields.topic);
        add(&mut fields.aliases, topics.filter(|topic| fold_key(topic) != own), fold_key);
        add(&mut fields.tags, &more.tags, fold_key);
        add(&mut fields.supersedes, &more.supersedes, fold_key);
        add(&mut fields.conflicts_with, &more.conflicts_with, fold_key);
        add(&mut merged.examples, &other.examples, |example| example.trim().to_owned());
        fields.source = match (fields.source.take(), &more.source) {
            (Some(one), Some(another)) if !one.split("; ").any(|part| part == another) => {
                Some(format!("{one}; {another}"))
            }
            (one, another) => one.or_else(|| another.clone()),
        };
    }
    let mean = confidences.iter().sum::<f64>() / confidences.len() as f64;
    merged.fields.confidence = (mean * 10_000.0).round() / 10_000.0;
    merged
}

/// Adds the items that are not in `list` yet; items with the same `key` are equal.
fn add<'s>(list: &mut Vec<String>, more: impl IntoIterator<Item = &'s String>, key: impl Fn(&str) -> String) {
    let mut known: HashSet<String> = list.iter().map(|item| key(item)).collect();
    for item in more {
        if known.insert(key(item)) {
            list.push(item.clone());
        }
    }
}

/// `text`, followed by what `more` adds to it: whole blocks, items of lists, lines and sentences.
pub(crate) fn without_repeating(text: &str, more: &str) -> String {
    let known_blocks: HashSet<String> = blocks(text).into_iter().map(|block| fold_key(&block)).collect();
    let known: HashSet<String> =
        blocks(text).iter().flat_map(|block| statements(block)).map(|it| it.1).collect();
    let mut added: Vec<String> = Vec::new();
    let mut headings: Vec<String> = Vec::new();
    for block in blocks(more) {
        if is_heading(&block) {
            // A heading is kept only if something below it is.
            let level = |block: &str| block.bytes().take_while(|&byte| byte == b'#').count();
            headings.retain(|above| level(above) < level(&block));
            if !known_blocks.contains(&fold_key(&block)) {
                headings.push(block);
            }
            continue;
        }
        if known_blocks.contains(&fold_key(&block)) {
            continue;
        }
        let parts = statements(&block);
        let left: Vec<&(String, String)> = parts.iter().filter(|(_, key)| !known.contains(key)).collect();
        if left.is_empty() {
            continue;
        }
        added.append(&mut headings);
        let all = left.len() == parts.len();
        added.push(if all {
            block
        } else {
            left.iter().map(|(part, _)| part.as_str()).collect::<String>().trim_end().to_owned()
        });
    }
    if added.is_empty() {
        return text.to_owned();
    }
    // Close an open code block: it would include the text that follows.
    let closing = open_fence(text).map(|fence| format!("\n{fence}")).unwrap_or_default();
    format!("{text}{closing}\n\n{}", added.join("\n\n"))
}

/// The sentences, list items and table rows of a text, without headings and code blocks.
pub(super) fn sentences(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for block in blocks(text) {
        let is_code = Fence::opening(block.lines().next().unwrap_or_default()).is_some();
        if is_heading(&block) || is_code {
            continue;
        }
        if block.lines().all(|line| line.trim_start().starts_with('|')) {
            found.extend(block.lines().map(str::to_owned));
        } else {
            found.extend(statements(&block).into_iter().map(|(said, _)| said));
        }
    }
    found
}

fn is_heading(block: &str) -> bool {
    let level = block.bytes().take_while(|&byte| byte == b'#').count();
    (1..=6).contains(&level) && !block.contains('\n') && block[level..].starts_with([' ', '\t'])
}

/// The parts of a text between blank lines; a code block is one part.
fn blocks(text: &str) -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    let mut block = String::new();
    let mut open: Option<Fence<'_>> = None;
    let end = |block: &mut String, blocks: &mut Vec<String>| {
        let done = std::mem::take(block);
        if !done.trim().is_empty() {
            blocks.push(done.trim_end().to_owned());
        }
    };
    for line in text.lines() {
        let closes = open.as_ref().is_some_and(|fence| fence.is_closed_by(line));
        let opens = open.is_none().then(|| Fence::opening(line)).flatten();
        let outside = open.is_none() && opens.is_none();
        if opens.is_some() || (outside && (line.trim().is_empty() || is_heading(line))) {
            end(&mut block, &mut blocks);
        }
        if !(outside && line.trim().is_empty()) {
            block.push_str(line);
            block.push('\n');
        }
        if closes || (outside && is_heading(line)) {
            end(&mut block, &mut blocks);
        }
        open = if closes { None } else { open.or(opens) };
    }
    end(&mut block, &mut blocks);
    blocks
}

/// The statements of a block, each with the key that it is compared by. Joined, they give the block.
fn statements(block: &str) -> Vec<(String, String)> {
    let one = || vec![(block.to_owned(), fold_key(block))];
    let is_table = block.lines().all(|line| line.trim_start().starts_with('|'));
    if is_block(block).is_some()
        || Fence::opening(block.lines().next().unwrap_or_default()).is_some()
        || is_table
    {
        return one();
    }
    if block.lines().any(is_item) {
        // An item and its continuation lines.
        let mut items: Vec<String> = Vec::new();
        for line in block.lines() {
            match items.last_mut() {
                Some(item) if !is_item(line) => item.push_str(&format!("{line}\n")),
                _ => items.push(format!("{line}\n")),
            }
        }
        return keyed(items, |item| item.trim_start().trim_start_matches(['-', '*', '+']).to_owned());
    }
    let mut sentences = Vec::new();
    let mut sentence = String::new();
    let mut letters = block.chars().peekable();
    while let Some(letter) = letters.next() {
        sentence.push(letter);
        let full_stop =
            matches!(letter, '.' | '!' | '?') && letters.peek().is_none_or(|next| next.is_whitespace());
        if full_stop || matches!(letter, '。' | '！' | '？') {
            while let Some(blank) = letters.next_if(|next| next.is_whitespace()) {
                sentence.push(blank);
            }
            sentences.push(std::mem::take(&mut sentence));
        }
    }
    if !sentence.is_empty() {
        sentences.push(sentence);
    }
    keyed(sentences, |sentence| sentence.to_owned())
}

fn keyed(parts: Vec<String>, said: impl Fn(&str) -> String) -> Vec<(String, String)> {
    let key = |part: &str| {
        fold_key(said(part).trim_end_matches(|c: char| c.is_whitespace() || ".。!！".contains(c)))
    };
    parts.into_iter().map(|part| (part.clone(), key(&part))).filter(|(_, key)| !key.is_empty()).collect()
}

fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = rest.len() < line.len() && (rest.starts_with(". ") || rest.starts_with(") "));
    numbered || ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merging_repeats_nothing_and_loses_nothing() {
        for (text, more, both) in [
            ("Use tokio.", "Use tokio.", "Use tokio."),
            ("Use tokio.", "use  TOKIO", "Use tokio."),
            ("Use tokio. Pin it.", "Use tokio. Bound channels.", "Use tokio. Pin it.\n\nBound channels."),
            ("- a\n- b", "- b\n- c\n  more of c", "- a\n- b\n\n- c\n  more of c"),
            ("A。B。", "B。C。", "A。B。\n\nC。"),
            ("# H\n\nx", "# H\n\nx\n\n## New\n\ny", "# H\n\nx\n\n## New\n\ny"),
            ("x", "## Only a heading", "x"),
            (
                "```rust\na;\n```",
                "```rust\na;\n```\n\n```rust\nb;\n```",
                "```rust\na;\n```\n\n```rust\nb;\n```",
            ),
            ("```\nopen", "text", "```\nopen\n```\n\ntext"),
            ("| a |\n|---|\n| 1 |", "| a |\n|---|\n| 2 |", "| a |\n|---|\n| 1 |\n\n| a |\n|---|\n| 2 |"),
            ("a.b is 1.5 wide. Yes", "It is 1.5 wide.", "a.b is 1.5 wide. Yes\n\nIt is 1.5 wide."),
        ] {
            assert_eq!(without_repeating(text, more), both, "{text:?} and {more:?}");
            assert_eq!(without_repeating(both, more), both, "again: {text:?} and {more:?}");
        }
    }
}
