//! The language that a reader wants messages in.

use std::fmt;

/// A language: what each English template is in it.
#[derive(Clone, Copy)]
pub struct Language {
    tag: &'static str,
    translate: fn(&str) -> Option<&'static str>,
}

impl Language {
    /// The language of the code, and of programs and agents.
    pub const ENGLISH: Self = Self { tag: "en", translate: |_| None };

    /// The language `tag` (BCP 47), with its catalogue.
    pub const fn new(tag: &'static str, translate: fn(&str) -> Option<&'static str>) -> Self {
        Self { tag, translate }
    }

    /// Its name in BCP 47.
    pub fn tag(self) -> &'static str {
        self.tag
    }

    /// An English template in this language; `None` if its catalogue does not have it.
    pub fn of(self, english: &str) -> Option<&'static str> {
        (self.translate)(english)
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
