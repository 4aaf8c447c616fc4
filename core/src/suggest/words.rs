//! Words for matching mentions: folded, and one character each in scripts without spaces, so that a name
//! is found in the middle of a run of text.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use crate::text::{self, Class};

/// A word in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word<'a> {
    /// The word, folded.
    pub key: Cow<'a, str>,
    /// Its bytes in the text.
    pub range: Range<usize>,
    /// Whether it is a character of a script without spaces.
    pub unspaced: bool,
}

/// The words of `text`, in order.
pub(super) fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = text.get(at..)?;
            let first = rest.chars().next()?;
            let kind = kind(first);
            if !matches!(kind, Class::Word | Class::Unspaced) {
                at += first.len_utf8();
                continue;
            }
            let unspaced = kind == Class::Unspaced;
            let length = rest
                .char_indices()
                .skip(1)
                .find(|(_, c)| match self::kind(*c) {
                    Class::Word => unspaced,
                    Class::Skip => false,
                    Class::Unspaced | Class::Separator => true,
                })
                .map_or(rest.len(), |(end, _)| end);
            let range = at..at + length;
            at = range.end;
            return Some(Word { key: folded(&rest[..length]), range, unspaced });
        }
    })
}

fn kind(c: char) -> Class {
    if c.is_ascii() {
        if c.is_ascii_alphanumeric() { Class::Word } else { Class::Separator }
    } else {
        text::class(c)
    }
}

fn folded(word: &str) -> Cow<'_, str> {
    if word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(text::fold_key(word))
    }
}

/// Assigns numbers to words.
#[derive(Debug, Default)]
pub(super) struct Vocabulary(HashMap<String, u32>);

impl Vocabulary {
    /// The number of `word`, which is added if it is new.
    pub fn number(&mut self, word: &str) -> u32 {
        if let Some(&number) = self.0.get(word) {
            return number;
        }
        let number = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        self.0.insert(word.to_owned(), number);
        number
    }

    /// Number of words.
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<String> {
        words(text).map(|word| word.key.into_owned()).collect()
    }

    #[test]
    fn words_are_folded_and_unspaced_scripts_are_split_into_characters() {
        assert_eq!(keys("Login-Feature, Straße_2"), ["login", "feature", "strasse", "2"]);
        assert_eq!(keys("ログインAPIを"), ["ロ", "グ", "イ", "ン", "api", "を"]);
        assert_eq!(keys("cafe\u{301} Über"), ["café", "über"]);
        assert_eq!(keys("— \u{feff} ·"), Vec::<String>::new());
    }

    #[test]
    fn ranges_refer_to_the_original_text() {
        let text = "«Ünder» 設計!";
        let found: Vec<&str> = words(text).map(|word| &text[word.range]).collect();
        assert_eq!(found, ["Ünder", "設", "計"]);
    }
}
