//! What to do next, in the words of the caller: a command at a terminal, a tool of an MCP server, a button in the
//! viewer, a call in a program. A message names operations and their parameters; a [`Voice`] says how its reader
//! calls them.
//!
//! **Invariants**
//! - Every command line that [`Commands`] writes is valid for `ubp`, and every operation that an agent is told to
//!   call itself is a tool of its server (`tests/tests/hints.rs`).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::message;
use crate::message::{Language, Message};
use crate::ops::{self, Operation};

/// A call of an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Next {
    /// Name of the operation.
    pub operation: String,
    /// Its parameters.
    pub params: BTreeMap<String, Value>,
}

impl Next {
    /// The operation called `operation`, without parameters.
    pub fn call(operation: &str) -> Self {
        Self { operation: operation.into(), params: BTreeMap::new() }
    }

    /// Adds a parameter.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.params.insert(name.into(), value.into());
        self
    }

    /// The same call for a page with another path.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn with_page(&self, path: &dyn Fn(&str) -> String) -> Self {
        let mut next = self.clone();
        if let Some(Value::String(page)) = next.params.get_mut("page") {
            *page = path(page);
        }
        next
    }

    /// Its entry in the table of operations.
    pub fn row(&self) -> Option<&'static Operation> {
        ops::find(&self.operation)
    }

    /// Its parameters as JSON; empty if it has none.
    pub fn params_json(&self) -> String {
        match self.params.is_empty() {
            true => String::new(),
            false => serde_json::to_string(&self.params).unwrap_or_default(),
        }
    }

    /// The command line that runs it, quoted for a shell; `None` if no command does.
    pub fn command_line(&self) -> Option<String> {
        let facts = self.row().map(|row| row.facts).filter(|facts| !facts.command.is_empty())?;
        let mut line = format!("ubp {}", facts.command);
        let is_positional = |name: &str| facts.arguments.contains(&name);
        // A command reads the page and its sources itself, so it takes no hashes.
        let is_flag =
            |name: &str| !is_positional(name) && !["expected_hash", "expected_sources"].contains(&name);
        for (name, value) in self.params.iter().filter(|(name, _)| is_flag(name)) {
            let flag = name.replace('_', "-");
            match value {
                Value::Bool(true) => line.push_str(&format!(" --{flag}")),
                Value::Bool(false) | Value::Null => {}
                Value::Object(entries) => entries.iter().for_each(|(name, value)| {
                    let entry = quoted(&format!("{name}={}", value.as_str().unwrap_or_default()));
                    line.push_str(&format!(" --{} {entry}", flag.trim_end_matches('s')));
                }),
                other => line.push_str(
                    &words(other).iter().map(|word| format!(" --{flag} {word}")).collect::<String>(),
                ),
            }
        }
        let named = facts.arguments.iter().filter_map(|name| self.params.get(*name));
        let words: Vec<String> = named.flat_map(words).collect();
        if words.iter().any(|word| word.starts_with('-')) {
            line.push_str(" --");
        }
        words.iter().for_each(|word| line.push_str(&format!(" {word}")));
        Some(line)
    }
}

/// A value as arguments for a shell.
fn words(value: &Value) -> Vec<String> {
    match value {
        Value::Array(values) => values.iter().flat_map(words).collect(),
        Value::String(text) => vec![quoted(text)],
        other => vec![other.to_string()],
    }
}

/// `text` as one argument for a shell.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,@=".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

/// How a reader calls operations.
pub trait Voice {
    /// The call as a noun, as in "`ubp list` shows every page".
    fn ask(&self, next: &Next) -> String;

    /// A command that is not an operation, without `ubp`, as a noun.
    fn run(&self, command: &str) -> String;

    /// The language of the reader.
    fn language(&self) -> Language {
        Language::ENGLISH
    }
}

/// Commands at a terminal.
#[derive(Debug, Clone, Copy, Default)]
pub struct Commands;

impl Voice for Commands {
    fn ask(&self, next: &Next) -> String {
        next.command_line().map_or_else(|| Calls.ask(next), |line| format!("`{line}`"))
    }

    fn run(&self, command: &str) -> String {
        format!("`ubp {command}`")
    }
}

/// Calls in a program, such as one in Node.
#[derive(Debug, Clone, Copy, Default)]
pub struct Calls;

impl Voice for Calls {
    fn ask(&self, next: &Next) -> String {
        let params = next.params_json();
        let gap = if params.is_empty() { "" } else { ", " };
        format!("call(\"{}\"{gap}{params})", next.operation)
    }

    fn run(&self, command: &str) -> String {
        format!("`ubp {command}` in a terminal")
    }
}

/// Buttons of the viewer, in a language. What has no button is done in a terminal.
#[derive(Debug, Clone, Copy, Default)]
pub struct Buttons(pub Language);

impl Buttons {
    fn in_a_terminal(self, command: &str) -> String {
        message!("{command} in a terminal", command).in_language(self.0)
    }
}

impl Voice for Buttons {
    fn ask(&self, next: &Next) -> String {
        match next.row().map(|row| row.facts.button) {
            Some("") | None => self.in_a_terminal(&Commands.ask(next)),
            Some(button) => Message::word(button).in_language(self.0),
        }
    }

    fn run(&self, command: &str) -> String {
        self.in_a_terminal(&Commands.run(command))
    }

    fn language(&self) -> Language {
        self.0
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::message;
    use crate::message::Value as Filled;

    #[test]
    fn each_reader_gets_the_hint_in_its_own_form() {
        let next = Next::call("review_page").with("pages", vec!["a b.md"]).with("still_accurate", true);
        let hint = message!("read it; {call} records that", call = next);
        assert_eq!(hint.told(&Commands), "read it; `ubp review --still-accurate 'a b.md'` records that");
        assert_eq!(
            hint.told(&Calls),
            "read it; call(\"review_page\", {\"pages\":[\"a b.md\"],\"still_accurate\":true}) records that"
        );
        assert_eq!(hint.told(&Buttons::default()), "read it; “Mark page as reviewed” records that");
        assert_eq!(
            message!("{model}", model = Filled::Run("model".into())).told(&Buttons::default()),
            "`ubp model` in a terminal"
        );
    }

    #[test]
    fn a_command_line_is_safe_to_paste() {
        let review = |page: &str| Next::call("review_page").with("pages", vec![page]).command_line().unwrap();
        assert_eq!(review("db/users.md"), "ubp review db/users.md");
        assert_eq!(review("it's.md"), "ubp review 'it'\\''s.md'");
        assert_eq!(review("-x.md"), "ubp review -- -x.md");
        assert_eq!(review("a;rm -rf ~.md"), "ubp review 'a;rm -rf ~.md'");
        let audit = Next::call("audit").with("page", "a b.md").with("limit", 5);
        assert_eq!(audit.command_line().unwrap(), "ubp audit --limit 5 --page 'a b.md'");
        assert_eq!(Next::call("resolve_links").command_line(), None, "no command does");
    }
}
