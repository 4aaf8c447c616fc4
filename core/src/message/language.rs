//! The language that a reader wants messages in.

use std::borrow::Cow;
use std::fmt;

/// A language: what each English template is in it, and how it tells English words that are no template.
#[derive(Clone, Copy)]
pub struct Language {
    tag: &'static str,
    translate: fn(&str) -> Option<Cow<'static, str>>,
    retell: fn(&str) -> Option<String>,
}

impl Language {
    /// The language of the code, and of programs and agents.
    pub const ENGLISH: Self = Self { tag: "en", translate: |_| None, retell: |_| None };

    /// The language `tag` (BCP 47): its catalogue of templates, and its version of words from
    /// [`Message::reported`](super::Message::reported).
    pub const fn new(
        tag: &'static str,
        translate: fn(&str) -> Option<Cow<'static, str>>,
        retell: fn(&str) -> Option<String>,
    ) -> Self {
        Self { tag, translate, retell }
    }

    /// Its name in BCP 47.
    pub fn tag(self) -> &'static str {
        self.tag
    }

    /// An English template in this language; `None` if its catalogue does not have it.
    pub fn of(self, english: &str) -> Option<Cow<'static, str>> {
        (self.translate)(english)
    }

    /// English words of a library, or words read back from the index, in this language; `None` if they stay as they
    /// are.
    pub fn retold(self, english: &str) -> Option<String> {
        (self.retell)(english)
    }
}

impl Default for Language {
    fn default() -> Self {
        Self::ENGLISH
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.tag)
    }
}
