//! Memories of one type as one Markdown document, for tools that read a file instead of asking. Its last line
//! contains a hash of the text, so that a file that a person wrote or edited is never overwritten.

use super::body::{fenced, is_block, open_fence};
use super::page::Memory;
use super::{Count, MemoryType};
use crate::ports::ContentHash;

/// Start of the last line.
const MARK: &str = "<!-- written by ubp memory document, ";

/// Tags that name the language of an example.
const LANGUAGES: [&str; 40] = [
    "bash",
    "c",
    "clojure",
    "cpp",
    "csharp",
    "css",
    "dart",
    "dockerfile",
    "elixir",
    "erlang",
    "fish",
    "go",
    "graphql",
    "haskell",
    "html",
    "java",
    "javascript",
    "json",
    "jsx",
    "julia",
    "kotlin",
    "lua",
    "nix",
    "perl",
    "php",
    "powershell",
    "python",
    "r",
    "ruby",
    "rust",
    "scala",
    "scss",
    "sh",
    "sql",
    "swift",
    "toml",
    "tsx",
    "typescript",
    "yaml",
    "zig",
];

/// The title of a document about `memory_type`.
fn title(memory_type: MemoryType) -> &'static str {
    match memory_type {
        MemoryType::Tech => "Technical Knowledge",
        MemoryType::ProjectTech => "Project Technical Standards",
        MemoryType::Domain => "Domain Knowledge",
    }
}

/// The document: highest confidence first, then most used.
pub(crate) fn text(memory_type: MemoryType, mut memories: Vec<(Memory, Count)>) -> String {
    memories.sort_by(|(a, of_a), (b, of_b)| {
        b.fields
            .confidence
            .total_cmp(&a.fields.confidence)
            .then_with(|| of_b.references.cmp(&of_a.references))
            .then_with(|| a.fields.topic.cmp(&b.fields.topic))
    });
    let mut text = format!("# {}\n", title(memory_type));
    for (memory, count) in &memories {
        let fields = &memory.fields;
        text.push_str(&format!("\n## {}\n", fields.topic));
        if !fields.tags.is_empty() {
            text.push_str(&format!("*Tags: {}*\n", fields.tags.join(", ")));
        }
        text.push_str(&format!(
            "*References: {}, Confidence: {:.2}*\n\n",
            count.references, fields.confidence
        ));
        text.push_str(&memory.content);
        // A code block left open must not include the memories below it.
        if let Some(fence) = open_fence(&memory.content) {
            text.push_str(&format!("\n{fence}"));
        }
        text.push('\n');
        if !memory.examples.is_empty() {
            text.push_str("\n### Examples:\n");
            let language = language(&fields.tags);
            let blocks: Vec<String> =
                memory
                    .examples
                    .iter()
                    .map(|example| {
                        if is_block(example).is_some() { example.clone() } else { fenced(example, language) }
                    })
                    .collect();
            text.push_str(&blocks.join("\n\n"));
            text.push('\n');
        }
        text.push_str("\n---\n");
    }
    let digest = ContentHash::of(text.as_bytes());
    format!("{text}\n{MARK}{digest} -->\n")
}

/// The first tag that names a language.
fn language(tags: &[String]) -> &'static str {
    let named = |tag: &String| LANGUAGES.into_iter().find(|language| tag.eq_ignore_ascii_case(language));
    tags.iter().find_map(named).unwrap_or_default()
}

/// The hash in the last line of a document, and the text that it covers.
fn digest_of(document: &str) -> Option<(&str, &str)> {
    let (text, mark) = document.trim_end().rsplit_once("\n\n")?;
    let end = text.len() + 1;
    Some((mark.strip_prefix(MARK)?.strip_suffix(" -->")?, document.get(..end)?))
}

/// Whether a file is a document that was not edited since it was written, apart from its kind of line breaks.
pub fn is_own(document: &str) -> bool {
    let document = document.replace("\r\n", "\n");
    digest_of(&document).is_some_and(|(digest, text)| ContentHash::of(text.as_bytes()).to_string() == digest)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::memory::Fields;

    fn memory(topic: &str, content: &str, examples: &[&str], tags: &[&str], confidence: f64) -> Memory {
        let owned = |list: &[&str]| list.iter().map(|item| (*item).to_owned()).collect();
        let fields = Fields {
            memory_type: MemoryType::Tech,
            topic: topic.into(),
            aliases: Vec::new(),
            tags: owned(tags),
            confidence,
            created_at: None,
            supersedes: Vec::new(),
            conflicts_with: Vec::new(),
            valid_until: None,
            source: None,
            merged: Vec::new(),
            examples: None,
        };
        Memory { fields, content: content.into(), examples: owned(examples) }
    }

    fn count(references: u64) -> Count {
        Count { references, recalls: 0, accessed: None }
    }

    #[test]
    fn a_document_has_the_expected_layout() {
        let hooks = memory(
            "React Hooksのベストプラクティス",
            "Call them at the top.",
            &[],
            &["react", "hooks"],
            0.88,
        );
        let tokio = memory(
            "Rustの非同期プログラミング",
            "`tokio` が最も一般的です。",
            &["#[tokio::main]\nasync fn main() {}", "````js\n```\n````", "a ``` b"],
            &["rust", "async", "tokio"],
            0.95,
        );
        let bare = memory("Bare", "```\nopen", &[], &[], 0.88);
        let text = text(MemoryType::Tech, vec![(hooks, count(8)), (bare, count(0)), (tokio, count(15))]);
        let expected = "# Technical Knowledge\n\n\
            ## Rustの非同期プログラミング\n*Tags: rust, async, tokio*\n*References: 15, Confidence: 0.95*\n\n\
            `tokio` が最も一般的です。\n\n### Examples:\n\
            ```rust\n#[tokio::main]\nasync fn main() {}\n```\n\n````js\n```\n````\n\n````rust\na ``` b\n````\n\n---\n\n\
            ## React Hooksのベストプラクティス\n*Tags: react, hooks*\n*References: 8, Confidence: 0.88*\n\n\
            Call them at the top.\n\n---\n\n\
            ## Bare\n*References: 0, Confidence: 0.88*\n\n```\nopen\n```\n\n---\n";
        assert!(text.starts_with(expected), "{text}");
        assert_eq!(text.lines().count(), expected.lines().count() + 2);
    }

    #[test]
    fn only_an_unedited_document_is_recognized() {
        let text = text(MemoryType::Domain, vec![(memory("T", "C", &[], &[], 1.0), count(0))]);
        assert!(is_own(&text) && is_own(&text.replace('\n', "\r\n")));
        assert!(!is_own(&text.replace("## T", "## U")));
        assert!(!is_own(&format!("{text}\nmine\n")));
        assert!(!is_own("# Technical Knowledge\n") && !is_own(""));
    }
}
