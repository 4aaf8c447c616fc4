//! The HTML elements that pages may contain, with their attributes: those that GitHub allows. Everything else is
//! dropped, and its text stays.

use html5gum::StartTag;

use crate::manifest::is_language;

/// What an element may contain, and where it may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Part of a text, like emphasis.
    Phrasing,
    /// A block that contains only text.
    Text,
    /// A block that contains blocks.
    Blocks,
    /// A block that contains only the elements that name it as their parent.
    Frame,
    /// Has no content, and is part of a text.
    Void,
    /// Has no content, and is a block.
    VoidBlock,
}

/// An element that pages may contain.
#[derive(Debug)]
pub(super) struct Element {
    pub name: &'static str,
    /// The name that is written: obsolete elements are replaced.
    pub written: &'static str,
    pub kind: Kind,
    /// One of these must contain it; empty if any may.
    pub parents: &'static [&'static str],
    attributes: &'static [(&'static str, Value)],
    class: Option<&'static str>,
}

/// The valid values of an attribute.
#[derive(Debug, Clone, Copy)]
enum Value {
    /// Present or absent.
    Flag,
    /// Any text.
    Text,
    /// A whole number of at most five digits.
    Number,
    /// A number of pixels, or a percentage.
    Size,
    /// One of these.
    Word(&'static [&'static str]),
    /// A language tag.
    Language,
    /// A date, a time or a duration.
    Time,
    /// A condition of CSS without functions or addresses.
    Media,
}

/// Attributes of every element.
const EVERYWHERE: &[(&str, Value)] =
    &[("dir", Value::Word(&["ltr", "rtl", "auto"])), ("lang", Value::Language), ("title", Value::Text)];

const SIZE: &[(&str, Value)] = &[("width", Value::Size), ("height", Value::Size)];
const CELL: &[(&str, Value)] = &[
    ("colspan", Value::Number),
    ("rowspan", Value::Number),
    ("width", Value::Size),
    ("scope", Value::Word(&["row", "col", "rowgroup", "colgroup"])),
];
const TABLE: &[&str] = &["table"];
const ROWS: &[&str] = &["table", "thead", "tbody", "tfoot"];

const fn of(name: &'static str, kind: Kind) -> Element {
    Element { name, written: name, kind, parents: &[], attributes: &[], class: None }
}

impl Element {
    const fn inside(mut self, parents: &'static [&'static str]) -> Self {
        self.parents = parents;
        self
    }

    const fn with(mut self, attributes: &'static [(&'static str, Value)]) -> Self {
        self.attributes = attributes;
        self
    }

    const fn written_as(mut self, name: &'static str, class: Option<&'static str>) -> Self {
        (self.written, self.class) = (name, class);
        self
    }
}

static ELEMENTS: &[Element] = &[
    of("a", Kind::Phrasing),
    of("abbr", Kind::Phrasing),
    of("b", Kind::Phrasing),
    of("bdi", Kind::Phrasing),
    of("bdo", Kind::Phrasing),
    of("blockquote", Kind::Blocks),
    of("br", Kind::Void),
    of("caption", Kind::Text).inside(TABLE),
    of("center", Kind::Blocks).written_as("div", Some("align-center")),
    of("cite", Kind::Phrasing),
    of("code", Kind::Phrasing),
    of("dd", Kind::Blocks).inside(&["dl"]),
    of("del", Kind::Phrasing),
    of("details", Kind::Blocks).with(&[("open", Value::Flag)]),
    of("dfn", Kind::Phrasing),
    of("div", Kind::Blocks),
    of("dl", Kind::Frame),
    of("dt", Kind::Text).inside(&["dl"]),
    of("em", Kind::Phrasing),
    of("figcaption", Kind::Blocks).inside(&["figure"]),
    of("figure", Kind::Blocks),
    of("h1", Kind::Text),
    of("h2", Kind::Text),
    of("h3", Kind::Text),
    of("h4", Kind::Text),
    of("h5", Kind::Text),
    of("h6", Kind::Text),
    of("hr", Kind::VoidBlock),
    of("i", Kind::Phrasing),
    of("img", Kind::Void).with(SIZE),
    of("ins", Kind::Phrasing),
    of("kbd", Kind::Phrasing),
    of("li", Kind::Blocks).inside(&["ul", "ol"]).with(&[("value", Value::Number)]),
    of("mark", Kind::Phrasing),
    of("ol", Kind::Frame).with(&[
        ("start", Value::Number),
        ("reversed", Value::Flag),
        ("type", Value::Word(&["1", "a", "A", "i", "I"])),
    ]),
    of("p", Kind::Text),
    of("picture", Kind::Phrasing),
    of("pre", Kind::Text),
    of("q", Kind::Phrasing),
    of("rp", Kind::Phrasing).inside(&["ruby"]),
    of("rt", Kind::Phrasing).inside(&["ruby"]),
    of("ruby", Kind::Phrasing),
    of("s", Kind::Phrasing),
    of("samp", Kind::Phrasing),
    of("small", Kind::Phrasing),
    of("source", Kind::Void).inside(&["picture"]).with(&[("media", Value::Media)]),
    of("span", Kind::Phrasing),
    of("strike", Kind::Phrasing).written_as("s", None),
    of("strong", Kind::Phrasing),
    of("sub", Kind::Phrasing),
    of("summary", Kind::Text).inside(&["details"]),
    of("sup", Kind::Phrasing),
    of("table", Kind::Frame).with(SIZE),
    of("tbody", Kind::Frame).inside(TABLE),
    of("td", Kind::Blocks).inside(&["tr"]).with(CELL),
    of("tfoot", Kind::Frame).inside(TABLE),
    of("th", Kind::Blocks).inside(&["tr"]).with(CELL),
    of("thead", Kind::Frame).inside(TABLE),
    of("time", Kind::Phrasing).with(&[("datetime", Value::Time)]),
    of("tr", Kind::Frame).inside(ROWS),
    of("tt", Kind::Phrasing).written_as("code", None),
    of("u", Kind::Phrasing),
    of("ul", Kind::Frame),
    of("var", Kind::Phrasing),
    of("wbr", Kind::Void),
];

/// Elements that are dropped with everything in them.
const HIDDEN: &[&str] = &[
    "script", "style", "template", "iframe", "noembed", "noframes", "noscript", "svg", "math", "object",
    "textarea", "title", "xmp", "select",
];

/// Other elements that are part of a text: without them, the text continues without a space.
const SEAMLESS: &[&str] = &["acronym", "big", "blink", "font", "label", "nobr"];

/// The element with this name, in lower case, if pages may contain it.
pub(super) fn find(name: &[u8]) -> Option<&'static Element> {
    let at = ELEMENTS.binary_search_by(|element| element.name.as_bytes().cmp(name)).ok()?;
    ELEMENTS.get(at)
}

/// Whether the content of the element is dropped too.
pub(super) fn is_hidden(name: &[u8]) -> bool {
    HIDDEN.iter().any(|hidden| hidden.as_bytes() == name)
}

/// Whether an element that is dropped separated words.
pub(super) fn separates(name: &[u8]) -> bool {
    !SEAMLESS.iter().any(|seamless| seamless.as_bytes() == name)
}

impl Element {
    /// Its valid attributes, except for addresses and ids. The alignment becomes a class.
    pub(super) fn attributes(&self, tag: &StartTag<()>) -> Vec<(&'static str, String)> {
        let mut valid = Vec::new();
        let class = alignment(tag).or(self.class).map(str::to_owned).or_else(|| self.language(tag));
        valid.extend(class.map(|class| ("class", class)));
        for (name, value) in self.attributes.iter().chain(EVERYWHERE) {
            let valid_value = text_of(tag, name).and_then(|given| value.valid(&given));
            valid.extend(valid_value.map(|given| (*name, given)));
        }
        valid
    }

    /// The language of a code block, as in the class that Markdown writes.
    fn language(&self, tag: &StartTag<()>) -> Option<String> {
        if self.name != "code" {
            return None;
        }
        let classes = text_of(tag, "class")?;
        let name = classes.split_whitespace().find_map(|class| class.strip_prefix("language-"))?;
        Some(format!("language-{}", super::body::language(name)?))
    }
}

/// The text of an attribute.
pub(super) fn text_of(tag: &StartTag<()>, name: &str) -> Option<String> {
    let value = tag.attributes.get(name.as_bytes())?;
    Some(String::from_utf8_lossy(value).into_owned())
}

fn alignment(tag: &StartTag<()>) -> Option<&'static str> {
    match text_of(tag, "align")?.trim().to_ascii_lowercase().as_str() {
        "left" => Some("align-left"),
        "center" | "middle" => Some("align-center"),
        "right" => Some("align-right"),
        _ => None,
    }
}

impl Value {
    fn valid(self, given: &str) -> Option<String> {
        let trimmed = given.trim();
        let digits = |text: &str| (1..=5).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        let only = |allowed: &str, most| {
            (1..=most).contains(&trimmed.len())
                && trimmed.chars().all(|c| c.is_ascii_alphanumeric() || allowed.contains(c))
        };
        let value = match self {
            Self::Flag => Some(""),
            Self::Text => Some(given),
            Self::Number => Some(trimmed).filter(|value| digits(value)),
            Self::Size => {
                let number = trimmed.strip_suffix("px").unwrap_or(trimmed);
                Some(number).filter(|value| digits(value.strip_suffix('%').unwrap_or(value)))
            }
            Self::Word(words) => words.iter().copied().find(|word| *word == trimmed),
            Self::Language => Some(trimmed).filter(|value| is_language(value)),
            Self::Time => Some(trimmed).filter(|_| only("-:+. ", 40)),
            Self::Media => Some(trimmed).filter(|_| only("():-., ", 200)),
        };
        value.map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_sorted_by_name() {
        assert!(ELEMENTS.is_sorted_by_key(|element| element.name));
        assert!(find(b"details").is_some() && find(b"script").is_none() && find(b"A").is_none());
    }

    #[test]
    fn no_element_that_runs_loads_or_asks_for_anything_is_allowed() {
        for name in [
            "script", "style", "link", "meta", "base", "iframe", "frame", "object", "embed", "form", "input",
            "button", "svg", "math", "template", "video", "audio", "noscript", "slot", "dialog", "html",
            "body",
        ] {
            assert!(find(name.as_bytes()).is_none(), "{name}");
        }
    }
}
