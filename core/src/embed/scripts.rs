//! Which writing systems a model supports. A vocabulary with kana but no kanji gives every Japanese
//! text nearly the same vector, so the model's own declaration decides.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unicode_script::{Script, UnicodeScript};

/// A set of writing systems, by their ISO 15924 long names; empty means all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Scripts(Vec<String>);

impl Scripts {
    /// Every writing system.
    pub fn all() -> Self {
        Self::default()
    }

    /// Only these, such as `["Latin"]`.
    pub fn only<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self(names.into_iter().map(Into::into).collect())
    }

    /// The first name that is not a script.
    pub fn unknown(&self) -> Option<&str> {
        self.0.iter().map(String::as_str).find(|name| Script::from_full_name(name).is_none())
    }

    /// Whether most letters of `text` are in these scripts; a text without letters is not covered.
    pub fn cover(&self, text: &str) -> bool {
        if self.0.is_empty() {
            return text.chars().any(char::is_alphanumeric);
        }
        let (inside, outside, _) = self.letters(text);
        inside > outside
    }

    /// The long name of the first other script in `text`, if these do not cover it; `None` for a text
    /// without letters.
    pub fn other_script_of(&self, text: &str) -> Option<&'static str> {
        if self.0.is_empty() {
            return None;
        }
        let (inside, outside, first) = self.letters(text);
        first.filter(|_| inside <= outside).map(|script| script.full_name())
    }

    /// How many letters of `text` are in these scripts, how many are not, and the script of the first that is not.
    fn letters(&self, text: &str) -> (usize, usize, Option<Script>) {
        let allowed: Vec<Script> = self.0.iter().filter_map(|name| Script::from_full_name(name)).collect();
        let (mut inside, mut outside, mut first) = (0_usize, 0_usize, None);
        for c in text.chars().filter(|c| c.is_alphabetic()) {
            // Most text is ASCII, and looking up a script is a binary search.
            match if c.is_ascii() { Script::Latin } else { c.script() } {
                Script::Common | Script::Inherited => {}
                script if allowed.contains(&script) => inside += 1,
                script => {
                    outside += 1;
                    first.get_or_insert(script);
                }
            }
        }
        (inside, outside, first)
    }
}
