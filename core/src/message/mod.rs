//! Messages to people. A message is an English template and the values of its placeholders, so that it can be told
//! in another language: the template is the key of the language's catalogue, and a translation orders the
//! placeholders as its grammar needs. Programs and agents get English; a person's view asks for its words with
//! [`told_to`].
//!
//! **Invariants**
//! - The names in a template are those of its values: the compiler checks it, for [`message!`](crate::message!).
//! - Every template of the code is in every catalogue, with the same placeholders (`tests/tests/languages.rs`).

mod fill;
mod language;
mod reader;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::freshness::Staleness;
use crate::hint::{Commands, Next, Voice};
use crate::show::Span;

pub use fill::Fill;
pub use language::Language;
pub use reader::told_to;

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message(Box<Parts>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Parts {
    text: Text,
    values: Vec<(&'static str, Value)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Text {
    /// A template.
    Template(&'static str),
    /// A number with its noun, for one and for many.
    Counted(usize, &'static str, &'static str),
    /// Words that have no translation, such as those of a page.
    Verbatim(String),
    /// English words of a library, or read back from the index.
    Reported(String),
    /// Words of the system, and what they mean.
    Foreign(String, Message),
    /// Several, with this between them.
    Joined(Vec<Message>, &'static str),
}

/// How a message looks within its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Plain.
    Plain,
    /// De-emphasized.
    Faint,
    /// Emphasized.
    Strong,
    /// Needs attention.
    Alarm,
}

/// What fills a placeholder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Text, as it is.
    Text(String),
    /// Another message.
    Message(Style, Message),
    /// A page, by its path relative to the pages folder.
    Path(String),
    /// A line of a page, from 1.
    Place(String, usize),
    /// A file or folder of the project, relative to it.
    File(String),
    /// A name that can be used in a later question.
    Code(String),
    /// The title of a page.
    Title(String),
    /// Words of a page.
    Words(String),
    /// A page's type or tag.
    Label(String),
    /// How far a page can be trusted; begins with a space.
    Trust(Staleness),
    /// A call, in the words of the reader.
    Ask(Next),
    /// A command that is not an operation, without `ubp`.
    Run(String),
}

/// A [`Message`] from a template and its values: `message!("{count} of {total}", count, total = all.len())`.
#[macro_export]
macro_rules! message {
    (@value $name:ident) => { $crate::message::Fill::fill(&$name) };
    (@value $name:ident $value:expr) => { $crate::message::Fill::fill(&$value) };
    ($template:literal $(, $name:ident $(= $value:expr)?)* $(,)?) => {{
        // The compiler compares the placeholders with the names.
        let _ = ::core::format_args!($template, $($name = ""),*);
        $crate::message::Message::new(
            $template,
            ::std::vec![$((stringify!($name), $crate::message!(@value $name $($value)?))),*],
        )
    }};
}

/// Marks a word of a table, for [`Message::word`]: the word itself.
#[macro_export]
macro_rules! word {
    ($word:literal) => {
        $word
    };
}

/// A text that is told later, by [`Message::reported`]: a `format!` with a template that catalogues have.
#[macro_export]
macro_rules! reported {
    ($template:literal $(, $name:ident = $value:expr)* $(,)?) => {
        ::std::format!($template $(, $name = $value)*)
    };
}

/// `number` with the noun `one` or `many`.
pub fn counted(number: usize, one: &'static str, many: &'static str) -> Message {
    Message::of(Text::Counted(number, one, many), Vec::new())
}

impl Message {
    fn of(text: Text, values: Vec<(&'static str, Value)>) -> Self {
        Self(Box::new(Parts { text, values }))
    }

    /// A message for [`message!`](crate::message!), which checks the names.
    #[doc(hidden)]
    pub fn new(template: &'static str, values: Vec<(&'static str, Value)>) -> Self {
        Self::of(Text::Template(template), values)
    }

    /// Words of the system, which a reader of English gets as they are, and what they mean.
    fn foreign(words: String, meaning: Self) -> Self {
        Self::of(Text::Foreign(words, meaning), Vec::new())
    }

    /// Words that have no translation, such as those of a page.
    pub fn verbatim(words: impl Into<String>) -> Self {
        Self::of(Text::Verbatim(words.into()), Vec::new())
    }

    /// English words of a library, or of a [`reported!`](crate::reported!) text, which may have been stored since. A
    /// language recognises those that it knows.
    pub fn reported(words: impl Into<String>) -> Self {
        Self::of(Text::Reported(words.into()), Vec::new())
    }

    /// The message in the words of a reader.
    pub fn told(&self, voice: &dyn Voice) -> String {
        let mut told = String::new();
        self.each_part(voice, Style::Plain, &mut |part| match part {
            Part::Text(_, text) => told.push_str(text),
            Part::Value(value) => told.push_str(&value.plain()),
        });
        told
    }

    /// The message for the reader of the answer that is being made: see [`told_to`].
    pub(crate) fn told_to_reader(&self) -> String {
        reader::reader().map_or_else(|| self.to_string(), |voice| self.told(&*voice))
    }

    /// A word marked by [`word!`](crate::word!).
    pub fn word(word: &'static str) -> Self {
        Self::new(word, Vec::new())
    }

    /// Several messages, with `between` between them.
    pub fn joined(messages: Vec<Self>, between: &'static str) -> Self {
        Self::of(Text::Joined(messages, between), Vec::new())
    }

    /// The message with other paths of pages and files.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn with_paths(&self, path: &dyn Fn(&str) -> String) -> Self {
        let text = match &self.0.text {
            Text::Joined(messages, between) => {
                Text::Joined(messages.iter().map(|message| message.with_paths(path)).collect(), between)
            }
            text => text.clone(),
        };
        let value = |value: &Value| match value {
            Value::Path(own) => Value::Path(path(own)),
            Value::Place(own, line) => Value::Place(path(own), *line),
            Value::File(own) => Value::File(path(own)),
            Value::Message(style, message) => Value::Message(*style, message.with_paths(path)),
            Value::Ask(next) => Value::Ask(next.with_page(path)),
            value => value.clone(),
        };
        let values = self.0.values.iter().map(|(name, own)| (*name, value(own)));
        Self::of(text, values.collect())
    }

    /// The message in `language`, with commands as the next calls.
    pub fn in_language(&self, language: Language) -> String {
        self.told(&CommandsIn(language))
    }

    fn is_known(&self, language: Language) -> bool {
        matches!(self.0.text, Text::Template(english) if language.of(english).is_some())
    }

    fn each_part(&self, voice: &dyn Voice, style: Style, put: &mut dyn FnMut(Part<'_>)) {
        let template = match &self.0.text {
            Text::Joined(messages, between) => {
                for (at, message) in messages.iter().enumerate() {
                    if at > 0 {
                        put(Part::Text(style, between));
                    }
                    message.each_part(voice, style, put);
                }
                return;
            }
            Text::Verbatim(words) => return put(Part::Text(style, words)),
            Text::Reported(words) => {
                let retold = voice.language().retold(words);
                return put(Part::Text(style, retold.as_deref().unwrap_or(words)));
            }
            Text::Foreign(words, meaning) => match meaning.is_known(voice.language()) {
                true => return meaning.each_part(voice, style, put),
                false => return put(Part::Text(style, words)),
            },
            Text::Template(english) => voice.language().of(english).unwrap_or(Cow::Borrowed(english)),
            Text::Counted(number, one, many) => {
                let counted = match voice.language().of(&format!("{{number}} {one}")) {
                    Some(translated) => translated.replace("{number}", &number.to_string()),
                    None => format!("{number} {}", if *number == 1 { one } else { many }),
                };
                return put(Part::Text(style, &counted));
            }
        };
        let mut rest = &*template;
        while let Some(at) = rest.find(['{', '}']) {
            let (before, from) = rest.split_at(at);
            put(Part::Text(style, before));
            let end = from.find('}').filter(|_| from.starts_with('{') && !from.starts_with("{{"));
            let Some(end) = end else {
                put(Part::Text(style, &from[..1]));
                rest = from.get(2..).unwrap_or_default();
                continue;
            };
            let (name, after) = (&from[1..end], &from[end + 1..]);
            match self.0.values.iter().find(|(known, _)| *known == name).map(|(_, value)| value) {
                Some(Value::Message(Style::Plain, message)) => message.each_part(voice, style, put),
                Some(Value::Message(own, message)) => message.each_part(voice, *own, put),
                Some(Value::Text(text)) => put(Part::Text(style, text)),
                Some(Value::Ask(next)) => put(Part::Text(style, &voice.ask(next))),
                Some(Value::Run(command)) => put(Part::Text(style, &voice.run(command))),
                Some(value) => put(Part::Value(value)),
                // A catalogue with an unknown name.
                None => put(Part::Text(style, &from[..=end])),
            }
            rest = after;
        }
        put(Part::Text(style, rest));
    }
}

/// Commands at a terminal, in a language.
#[derive(Debug, Clone, Copy)]
pub struct CommandsIn(pub Language);

impl Voice for CommandsIn {
    fn ask(&self, next: &Next) -> String {
        Commands.ask(next)
    }

    fn run(&self, command: &str) -> String {
        Commands.run(command)
    }

    fn language(&self) -> Language {
        self.0
    }
}

enum Part<'a> {
    Text(Style, &'a str),
    Value(&'a Value),
}

impl Value {
    fn plain(&self) -> String {
        match self {
            Self::Place(path, line) => format!("{path}:{line}"),
            Self::Text(text)
            | Self::Path(text)
            | Self::File(text)
            | Self::Code(text)
            | Self::Title(text)
            | Self::Words(text)
            | Self::Label(text)
            | Self::Run(text) => text.clone(),
            Self::Trust(Staleness::Stale) => " [STALE]".into(),
            Self::Trust(Staleness::PossiblyStale) => " [POSSIBLY STALE]".into(),
            Self::Trust(Staleness::Fresh | Staleness::Untracked) => String::new(),
            Self::Ask(next) => Commands.ask(next),
            Self::Message(_, message) => message.to_string(),
        }
    }

    fn span(&self) -> Option<Span<'_>> {
        Some(match self {
            Self::Path(path) => Span::Path(path),
            Self::Place(path, line) => Span::Place(path, *line),
            Self::File(path) => Span::File(path),
            Self::Code(name) => Span::Code(name),
            Self::Title(title) => Span::Title(title),
            Self::Words(words) => Span::Words(words),
            Self::Label(label) => Span::Label(label),
            Self::Trust(staleness) => Span::Trust(*staleness),
            Self::Text(_) | Self::Message(..) | Self::Ask(_) | Self::Run(_) => return None,
        })
    }
}

/// Calls `put` with each span of `line`, its messages told to `voice`.
pub fn each_span(line: &[Span<'_>], voice: &dyn Voice, put: &mut dyn FnMut(Span<'_>)) {
    for span in line {
        let (style, message) = match span {
            Span::Said(style, message) => (style, message),
            Span::Quoted(message) => {
                put(Span::Words(&message.told(voice)));
                continue;
            }
            _ => {
                put(*span);
                continue;
            }
        };
        // Text between two values is one span, whatever it is made of.
        let mut run = (Style::Plain, String::new());
        message.each_part(voice, *style, &mut |part| match part {
            Part::Text(part, text) if part == run.0 => run.1.push_str(text),
            Part::Text(part, text) => {
                flush(&mut run, put);
                run = (part, text.to_owned());
            }
            Part::Value(value) => {
                flush(&mut run, put);
                if let Some(span) = value.span() {
                    put(span);
                }
            }
        });
        flush(&mut run, put);
    }
}

fn flush(run: &mut (Style, String), put: &mut dyn FnMut(Span<'_>)) {
    let text = std::mem::take(&mut run.1);
    if !text.is_empty() {
        put(match run.0 {
            Style::Plain => Span::Text(&text),
            Style::Faint => Span::Faint(&text),
            Style::Strong => Span::Strong(&text),
            Style::Alarm => Span::Alarm(&text),
        });
    }
}

/// English, for programs and agents.
impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.told(&Commands))
    }
}

impl PartialOrd for Message {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The order of the English texts.
impl Ord for Message {
    fn cmp(&self, other: &Self) -> Ordering {
        self.to_string().cmp(&other.to_string())
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.told_to_reader())
    }
}

/// A message that was stored in English.
impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::reported)
    }
}

impl JsonSchema for Message {
    fn schema_name() -> Cow<'static, str> {
        String::schema_name()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    struct Reversed;

    impl Voice for Reversed {
        fn ask(&self, next: &Next) -> String {
            Commands.ask(next)
        }

        fn run(&self, command: &str) -> String {
            Commands.run(command)
        }

        fn language(&self) -> Language {
            let translate = |english: &str| match english {
                "{part} of {whole}" => Some("<{whole}> {{の}} {part}".into()),
                "{number} page" => Some("頁 {number}".into()),
                _ => None,
            };
            let retell =
                |english: &str| english.strip_prefix("no such ").map(|what| format!("{what} がない"));
            Language::new("x-test", translate, retell)
        }
    }

    #[test]
    fn a_translation_orders_the_values_itself() {
        let message = message!("{part} of {whole}", part = counted(1, "page", "pages"), whole = 12);
        assert_eq!(message.to_string(), "1 page of 12");
        assert_eq!(message.told(&Reversed), "<12> {の} 頁 1");
        assert_eq!(counted(2, "page", "pages").to_string(), "2 pages");
        assert_eq!(message!("not in the catalogue").told(&Reversed), "not in the catalogue");
    }

    #[test]
    fn stored_words_are_told_in_the_language_of_the_reader() {
        let words = reported!("no such {what}", what = "table");
        let message = message!("{count}: {reason}", count = 2, reason = Message::reported(words));
        assert_eq!(message.to_string(), "2: no such table");
        assert_eq!(message.told(&Reversed), "2: table がない");
        let stored = serde_json::to_string(&message).unwrap();
        assert_eq!(serde_json::from_str::<Message>(&stored).unwrap(), Message::reported("2: no such table"));
    }

    #[test]
    fn values_keep_their_kind_and_text_between_them_is_one_span() {
        let label = Value::Message(Style::Strong, message!("new:"));
        let list = Next::call("list_pages");
        let path = Value::Path("a.md".into());
        let message = message!("{label} {path} in {count}, {list}", label, path, count = 3, list);
        let mut spans = Vec::new();
        each_span(&[Span::Said(Style::Plain, &message), Span::Code("x")], &Commands, &mut |span| {
            spans.push(format!("{span:?}"));
        });
        let expected = [
            "Strong(\"new:\")",
            "Text(\" \")",
            "Path(\"a.md\")",
            "Text(\" in 3, `ubp list`\")",
            "Code(\"x\")",
        ];
        assert_eq!(spans, expected);
        assert_eq!(message.to_string(), "new: a.md in 3, `ubp list`");
    }

    #[test]
    fn braces_are_doubled_as_in_format() {
        assert_eq!(message!("{{\"a\": {a}}}", a = 1).to_string(), "{\"a\": 1}");
    }
}
