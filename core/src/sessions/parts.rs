//! Which parts of pages an answer has, and which it left out. Every operation names pages by `filepath` and text by a
//! few names of fields, so this reads any answer.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::text::estimate_tokens;

/// Maximum number of parts of an answer that are listed.
const MOST: usize = 300;

/// Fields with text of a page.
const TEXTS: [&str; 4] = ["content", "snippet", "summary", "chunk"];

/// Fields without parts of pages.
const NOT_PARTS: [&str; 4] = ["front_matter", "explanation", "index", "omitted_sections"];

/// How a part of a page is in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PartKind {
    /// With text.
    Text,
    /// As the other end of a link.
    Link,
    /// Only by its name.
    Name,
}

/// A part of a page in an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Part {
    /// The page, relative to the pages folder; a document, by its name.
    pub filepath: String,
    /// The heading of its section; absent for text of the whole page.
    pub heading: Option<String>,
    /// Its first and last line; absent for text of the whole page.
    pub lines: Option<[usize; 2]>,
    /// How it is in the answer.
    pub kind: PartKind,
    /// Tokens of its text in the answer.
    pub tokens: usize,
}

/// Why parts were left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// The limit in tokens, `max_tokens`.
    MaxTokens,
    /// The limit in characters, `max_size`.
    MaxSize,
}

/// A part that an answer left out or cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OmittedPart {
    /// The page.
    pub filepath: String,
    /// The heading of its section; absent for text of the whole page.
    pub heading: Option<String>,
    /// Its first and last line; absent for text of the whole page.
    pub lines: Option<[usize; 2]>,
    /// How it would be in the answer.
    pub kind: PartKind,
    /// Tokens of the text that is missing.
    pub tokens: usize,
    /// Whether only the end of its text is missing.
    pub cut: bool,
    /// The parameter whose limit the answer would exceed.
    pub reason: Limit,
}

/// Keeps what an answer had before it was shortened to fit its limit.
#[derive(Debug, Default)]
pub struct Witness(Mutex<Vec<(Vec<Part>, Limit)>>);

impl Witness {
    /// Notes an answer that will be shortened because of `limit`.
    pub fn note(&self, answer: &impl Serialize, limit: Limit) {
        let Ok(answer) = serde_json::to_value(answer) else { return };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((parts(&answer), limit));
    }

    /// The parts of the answer, and the parts that it had before.
    pub fn parts(&self, answer: &Value) -> (Vec<Part>, Vec<OmittedPart>) {
        let given = parts(answer);
        let noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut omitted = Vec::new();
        for (at, (before, limit)) in noted.iter().enumerate() {
            let after = noted.get(at + 1).map_or(&given, |(parts, _)| parts);
            missing(before, after, *limit, &mut omitted);
        }
        omitted.truncate(MOST);
        (given.into_iter().take(MOST).collect(), omitted)
    }
}

/// Adds the parts in `before` that `after` does not have, or with less text.
fn missing(before: &[Part], after: &[Part], reason: Limit, omitted: &mut Vec<OmittedPart>) {
    type Key<'a> = (&'a str, Option<&'a str>, Option<[usize; 2]>, PartKind);
    fn key(part: &Part) -> Key<'_> {
        (&part.filepath, part.heading.as_deref(), part.lines, part.kind)
    }
    let left: HashMap<Key<'_>, usize> = after.iter().map(|part| (key(part), part.tokens)).collect();
    for part in before {
        let tokens = left.get(&key(part));
        // A mark of the cut may take a token more than the text that it replaces.
        if tokens.is_some_and(|&tokens| tokens >= part.tokens) {
            continue;
        }
        omitted.push(OmittedPart {
            filepath: part.filepath.clone(),
            heading: part.heading.clone(),
            lines: part.lines,
            kind: part.kind,
            tokens: part.tokens - tokens.copied().unwrap_or_default(),
            cut: tokens.is_some(),
            reason,
        });
    }
}

/// The parts of an answer, in its order, without duplicates.
fn parts(answer: &Value) -> Vec<Part> {
    let mut found = Vec::new();
    collect(answer, None, &mut found);
    let mut seen = HashMap::new();
    let mut parts: Vec<Part> = Vec::new();
    for part in found {
        let key = (part.filepath.clone(), part.heading.clone(), part.lines, part.kind);
        match seen.get(&key) {
            Some(&at) => {
                let known: &mut Part = &mut parts[at];
                known.tokens = known.tokens.max(part.tokens);
            }
            None => {
                seen.insert(key, parts.len());
                parts.push(part);
            }
        }
    }
    parts
}

fn collect(value: &Value, page: Option<&str>, found: &mut Vec<Part>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| collect(value, page, found)),
        Value::Object(members) => {
            let own = word(members, "filepath").or_else(|| word(members, "document"));
            let page = own.or(page);
            if let Some(page) = page {
                let is_page = own.is_some();
                found.extend(part(members, page, is_page));
            }
            for (name, value) in members {
                if !NOT_PARTS.contains(&name.as_str()) {
                    collect(value, page, found);
                }
            }
        }
        _ => {}
    }
}

/// The part that an object is; `None` if only objects in it are parts.
fn part(members: &Map<String, Value>, page: &str, is_page: bool) -> Option<Part> {
    let has_sections = members.get("sections").and_then(Value::as_array).is_some_and(|list| !list.is_empty());
    let text = TEXTS.iter().filter_map(|name| word(members, name)).find(|text| !text.is_empty());
    let heading = word(members, "heading").or_else(|| word(members, "section_heading"));
    let kind = match text {
        _ if has_sections => return None,
        Some(_) => PartKind::Text,
        None if !is_page => return None,
        None if members.contains_key("link_type") => PartKind::Link,
        None => PartKind::Name,
    };
    let is_section = members.contains_key("section_id") || heading.is_some();
    let link_context = word(members, "link_context").filter(|_| kind == PartKind::Link);
    Some(Part {
        filepath: page.to_owned(),
        heading: heading.filter(|heading| !heading.is_empty()).map(str::to_owned),
        lines: lines(members).filter(|_| is_section || members.contains_key("chunk")),
        kind,
        tokens: text.or(link_context).map_or(0, estimate_tokens),
    })
}

fn word<'a>(members: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    members.get(name).and_then(Value::as_str)
}

fn lines(members: &Map<String, Value>) -> Option<[usize; 2]> {
    let number = |value: &Value| value.as_u64().and_then(|line| usize::try_from(line).ok());
    match members.get("lines").and_then(Value::as_array).map(Vec::as_slice) {
        Some([first, last]) => Some([number(first)?, number(last)?]),
        _ => number(members.get("line")?).map(|line| [line, line]),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(parts: &[Part]) -> Vec<String> {
        let lines =
            |part: &Part| part.lines.map_or(String::new(), |[first, last]| format!(":{first}-{last}"));
        let heading =
            |part: &Part| part.heading.as_deref().map_or(String::new(), |words| format!(" {words}"));
        parts
            .iter()
            .map(|part| {
                format!("{}{}{} {:?} {}", part.filepath, lines(part), heading(part), part.kind, part.tokens)
            })
            .collect()
    }

    #[test]
    fn the_parts_of_a_search_are_its_sections_and_linked_pages() {
        let answer = json!({ "results": [{
            "filepath": "a.md",
            "sections": [{ "section_id": "x", "heading": "A > X", "lines": [3, 9], "line": 4, "content": "abcd" }],
            "linked_pages": [{ "filepath": "b.md", "link_type": "references", "summary": "" }],
            "explanation": { "lifted_by": { "filepath": "c.md" } },
        }], "index": { "fresh": true } });
        assert_eq!(shown(&parts(&answer)), ["a.md:3-9 A > X Text 1", "b.md Link 0"]);
    }

    #[test]
    fn the_parts_of_a_page_are_its_sections_and_links() {
        let answer = json!({
            "filepath": "a.md",
            "content": "whole",
            "sections": [{ "section_id": "", "heading": "", "lines": [1, 2], "content": "12345678" }],
            "omitted_sections": [{ "section_id": "y", "lines": [3, 4], "tokens": 9 }],
            "outlinks": [{ "filepath": "b.md", "link_type": "references", "link_context": "see B", "lines": [1, 7] }],
            "backlinks": [{ "filepath": null, "title": "broken", "link_type": "references", "lines": [1] }],
        });
        assert_eq!(shown(&parts(&answer)), ["a.md:1-2 Text 2", "b.md Link 2"]);
    }

    #[test]
    fn the_parts_of_other_answers_are_found_by_the_same_fields() {
        let context = json!({
            "center": { "filepath": "a.md", "content": "abcd" },
            "related": [{ "filepath": "b.md", "link_type": "references", "link_context": "x", "summary": "abcde" }],
        });
        assert_eq!(shown(&parts(&context)), ["a.md Text 1", "b.md Text 2"]);
        let fulltext = json!([{ "filepath": "a.md", "section_heading": "X", "section_id": "x", "line": 7, "snippet": "abc" }]);
        assert_eq!(shown(&parts(&fulltext)), ["a.md:7-7 X Text 1"]);
        let documents = json!({ "results": [{ "document": "a.md", "chunk": "abc", "line": 2 }] });
        assert_eq!(shown(&parts(&documents)), ["a.md:2-2 Text 1"]);
        assert_eq!(
            shown(&parts(&json!({ "pages": [{ "filepath": "a.md" }, { "filepath": "a.md" }] }))),
            ["a.md Name 0"]
        );
    }

    #[test]
    fn what_was_left_out_is_named_with_its_reason() {
        let section =
            |name: &str, content: &str| json!({ "heading": name, "lines": [1, 2], "content": content });
        let witness = Witness::default();
        let page = |sections: Vec<Value>| json!({ "filepath": "a.md", "sections": sections });
        witness.note(
            &page(vec![section("A", &"x".repeat(40)), section("B", "text"), section("C", "text")]),
            Limit::MaxSize,
        );
        witness.note(&page(vec![section("A", &"x".repeat(40)), section("B", "text")]), Limit::MaxTokens);
        let (given, omitted) = witness.parts(&page(vec![section("A", "xxxx")]));
        assert_eq!(shown(&given), ["a.md:1-2 A Text 1"]);
        let told: Vec<_> = omitted
            .iter()
            .map(|part| (part.heading.as_deref().unwrap_or_default(), part.tokens, part.cut, part.reason))
            .collect();
        assert_eq!(
            told,
            [
                ("C", 1, false, Limit::MaxSize),
                ("A", 9, true, Limit::MaxTokens),
                ("B", 1, false, Limit::MaxTokens)
            ]
        );
    }

    #[test]
    fn an_answer_with_many_parts_is_listed_up_to_a_limit() {
        let many: Vec<Value> =
            (0..1000).map(|number| json!({ "filepath": format!("{number}.md") })).collect();
        assert_eq!(Witness::default().parts(&json!(many)).0.len(), MOST);
    }
}
