//! Input for a new or updated memory in its stored form. Invalid input is rejected here, before
//! anything is looked up or written.

use super::body::{from_first_line, plain_breaks, without_heading};
use super::ends_at;
use crate::message;
use crate::message::Fill;
use crate::{Error, Result};

/// Maximum length of a topic in characters.
const TOPIC: usize = 200;
/// Maximum size of content and examples together, in bytes.
const TEXT: usize = 1 << 20;
/// Maximum number of tags, and of examples.
const ITEMS: usize = 100;
/// Maximum length of a tag in characters.
const TAG: usize = 100;
/// Maximum length of a source in characters.
const SOURCE: usize = 2_000;

/// What to remember. `None` leaves the value of an existing memory unchanged.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Given {
    pub topic: String,
    pub content: String,
    pub tags: Option<Vec<String>>,
    pub examples: Option<Vec<String>>,
    pub source: Option<String>,
    /// Memories that this one replaces, as the caller names them.
    pub supersedes: Vec<String>,
    /// Memories that may be true instead of this one, as the caller names them.
    pub conflicts_with: Vec<String>,
    /// Empty: for ever.
    pub valid_until: Option<String>,
}

impl Given {
    /// Validates and normalizes the input.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] naming what is invalid, and why.
    pub(crate) fn new(
        topic: &str,
        content: &str,
        tags: Option<Vec<String>>,
        examples: Option<Vec<String>>,
        source: Option<&str>,
    ) -> Result<Self> {
        let topic = one_line("topic", topic, TOPIC)?;
        let size = content.len() + examples.iter().flatten().map(String::len).sum::<usize>();
        if size > TEXT {
            return Err(Error::invalid(message!(
                "content and examples have {size} bytes; a memory takes at most {text}: shorten it, or create a page",
                size,
                text = TEXT
            )));
        }
        let content = tidied("content", content)?;
        let mut content = from_first_line(&content);
        // The page has the topic as its heading already.
        loop {
            let without = without_heading(content, &topic);
            if without == content {
                break;
            }
            content = without;
        }
        let content = content.trim_end().to_owned();
        if content.is_empty() {
            return Err(Error::invalid(message!("content is empty: write what to remember")));
        }
        let examples = examples.map(kept_examples).transpose()?;
        let tags = tags.map(|tags| kept_tags(&tags)).transpose()?;
        let source = source.map(str::trim).filter(|source| !source.is_empty());
        let source = source.map(|source| one_line("source", source, SOURCE)).transpose()?;
        let (supersedes, conflicts_with, valid_until) = (Vec::new(), Vec::new(), None);
        Ok(Self { topic, content, tags, examples, source, supersedes, conflicts_with, valid_until })
    }

    /// Whether it has nothing but a text, so that another memory with this text says all of it.
    pub(crate) fn adds_nothing(&self) -> bool {
        let is_empty = |list: &Option<Vec<String>>| list.as_ref().is_none_or(Vec::is_empty);
        is_empty(&self.examples)
            && self.supersedes.is_empty()
            && self.conflicts_with.is_empty()
            && self.valid_until.as_ref().is_none_or(String::is_empty)
    }

    /// The same memory, with what it replaces, what it conflicts with, and how long it holds.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] for too many names, or for a text that is not a day or a time.
    pub(crate) fn standing(
        self,
        supersedes: Vec<String>,
        conflicts_with: Vec<String>,
        valid_until: Option<&str>,
    ) -> Result<Self> {
        many("supersedes", supersedes.len())?;
        many("conflicts_with", conflicts_with.len())?;
        let valid_until = valid_until.map(str::trim);
        if let Some(text) = valid_until.filter(|text| !text.is_empty() && ends_at(text).is_none()) {
            return Err(Error::invalid(message!(
                "valid_until must be a day such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z; it is '{text}'",
                text
            )));
        }
        Ok(Self { supersedes, conflicts_with, valid_until: valid_until.map(str::to_owned), ..self })
    }
}

fn one_line(name: &str, text: &str, longest: usize) -> Result<String> {
    let text = text.trim();
    if text.is_empty() || text.chars().any(char::is_control) || text.chars().count() > longest {
        return Err(Error::invalid(message!(
            "{name} must be one line of 1 to {longest} characters",
            name,
            longest
        )));
    }
    Ok(text.to_owned())
}

fn tidied(name: impl Fill, text: &str) -> Result<String> {
    if text.contains('\0') {
        return Err(Error::invalid(message!("{name} has a NUL character; a memory is text", name)));
    }
    Ok(plain_breaks(text.trim_start_matches('\u{feff}')))
}

fn kept_examples(examples: Vec<String>) -> Result<Vec<String>> {
    let mut kept = Vec::new();
    for example in examples {
        let example = tidied(message!("an example"), &example)?;
        let example = example.trim_end();
        if !example.is_empty() {
            kept.push(example.to_owned());
        }
    }
    many("examples", kept.len())?;
    Ok(kept)
}

/// Tags without `#`, without duplicates, spaces replaced by `-`; a comma separates two tags.
fn kept_tags(tags: &[String]) -> Result<Vec<String>> {
    let mut kept: Vec<String> = Vec::new();
    for tag in tags.iter().flat_map(|tag| tag.split(',')) {
        let words: Vec<&str> = tag.trim().trim_start_matches('#').split_whitespace().collect();
        let tag = words.join("-");
        if tag.chars().any(char::is_control) || tag.chars().count() > TAG {
            return Err(Error::invalid(message!(
                "a tag must be one line of 1 to {tag} characters",
                tag = TAG
            )));
        }
        if !tag.is_empty() && !kept.contains(&tag) {
            kept.push(tag);
        }
    }
    many("tags", kept.len())?;
    Ok(kept)
}

fn many(name: &str, count: usize) -> Result<()> {
    let few = count <= ITEMS;
    few.then_some(()).ok_or_else(|| {
        Error::invalid(message!("too many {name}: {count}, at most {items}", name, count, items = ITEMS))
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn refused(topic: &str, content: &str) -> String {
        Given::new(topic, content, None, None, None).unwrap_err().to_string()
    }

    #[test]
    fn invalid_input_is_rejected_with_the_reason() {
        for (topic, content, reason) in [
            ("", "x", "topic must be one line"),
            ("a\0b", "x", "topic must be one line"),
            ("a\nb: c", "x", "topic must be one line"),
            (&"t".repeat(201), "x", "topic must be one line"),
            (&"t".repeat(1 << 20), "x", "topic must be one line"),
            ("a", " \n\t", "content is empty"),
            ("a", "# A\n", "content is empty"),
            ("a", "b\0c", "NUL"),
            ("a", &"x".repeat(TEXT + 1), "bytes"),
        ] {
            let said = refused(topic, content);
            assert!(said.contains(reason), "{said}");
        }
        let tag = Some(vec!["a\u{7}b".to_owned()]);
        assert!(Given::new("a", "x", tag, None, None).is_err());
        assert!(Given::new("a", "x", None, None, Some("u\nv: w")).is_err());
    }

    #[test]
    fn valid_input_is_normalized() {
        let tags = ["#Rust", "async await", "a, b", "Rust", " "].map(str::to_owned).to_vec();
        let examples = ["let x;\r\n", "", "  y  "].map(str::to_owned).to_vec();
        let given = Given::new(
            " T ",
            "\u{feff}\r\n# t\r\n\r\n# T\n  code\r\nend \n\n",
            Some(tags),
            Some(examples),
            Some(" "),
        );
        let given = given.unwrap();
        assert_eq!((given.topic.as_str(), given.content.as_str()), ("T", "  code\nend"));
        assert_eq!(given.tags.unwrap(), ["Rust", "async-await", "a", "b"]);
        assert_eq!(given.examples.unwrap(), ["let x;", "  y"]);
        assert_eq!(given.source, None);
    }
}
