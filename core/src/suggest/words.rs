//! Words for matching mentions: folded, and one character each in scripts without spaces, so that a name
//! is found in the middle of a run of text. Words are compared by numbers, which are computed from their
//! letters, so that most words need no allocation.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

use crate::text::{self, Class};

/// A word in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word<'a> {
    /// The word as written.
    pub text: &'a str,
    /// Its bytes in the text.
    pub range: Range<usize>,
    /// Whether it is a character of a script without spaces.
    pub unspaced: bool,
}

impl Word<'_> {
    /// The number of the folded word. Different words have different numbers, except for hash collisions.
    pub fn number(&self) -> u64 {
        let plain = self.text.is_ascii() || self.unspaced && self.text.chars().all(is_plain_unspaced);
        if plain { number(self.text) } else { number(&self.key()) }
    }

    /// The word, folded.
    pub fn key(&self) -> String {
        text::fold_key(self.text)
    }

    /// Whether it has only one character.
    pub fn is_one_character(&self) -> bool {
        self.text.chars().nth(1).is_none()
    }
}

/// The words of `text`, in order.
pub(super) fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut characters = text.char_indices().peekable();
    std::iter::from_fn(move || {
        loop {
            let (start, first) = characters.next()?;
            let unspaced = match kind(first) {
                Class::Word => false,
                Class::Unspaced => true,
                Class::Skip | Class::Separator => continue,
            };
            let mut end = start + first.len_utf8();
            while let Some((at, c)) = characters.next_if(|(_, c)| match kind(*c) {
                Class::Word => !unspaced,
                Class::Skip => true,
                Class::Unspaced | Class::Separator => false,
            }) {
                end = at + c.len_utf8();
            }
            let range = start..end;
            return Some(Word { text: text.get(range.clone())?, range, unspaced });
        }
    })
}

/// The class of a character. Common characters need no table.
pub(super) fn kind(c: char) -> Class {
    if c.is_ascii_alphanumeric() {
        Class::Word
    } else if c.is_ascii() {
        Class::Separator
    } else if is_plain_unspaced(c) {
        Class::Unspaced
    } else {
        text::class(c)
    }
}

/// Common kana, Han and Hangul. Folding does not change them.
fn is_plain_unspaced(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | 'ー' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

/// The number of a folded word, or of an ASCII word (FNV-1a).
fn number(word: &str) -> u64 {
    let sum = word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
        (sum ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0000_01b3)
    });
    mixed(sum)
}

/// The number of two consecutive words.
pub(super) fn number_of_pair(first: u64, second: u64) -> u64 {
    mixed(first.rotate_left(25) ^ second)
}

/// Spreads differences between numbers over all bits (the last step of SplitMix64).
fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// A map by numbers of words, which are hashes already.
pub(super) type ByNumber<T> = HashMap<u64, T, BuildHasherDefault<AsItIs>>;
/// A set of numbers of words.
pub(super) type Numbers = HashSet<u64, BuildHasherDefault<AsItIs>>;

/// Uses a number as its own hash.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = mixed(self.0 ^ u64::from(byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<String> {
        words(text).map(|word| word.key()).collect()
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

    #[test]
    fn the_number_of_a_word_does_not_depend_on_its_spelling() {
        let numbers = |text| words(text).map(|word| word.number()).collect::<Vec<u64>>();
        for (a, b) in
            [("Login", "lOGIN"), ("Straße", "STRASSE"), ("cafe\u{301}", "CAFÉ"), ("か\u{3099}", "が")]
        {
            assert_eq!(numbers(a), numbers(b), "{a} {b}");
        }
        let others = numbers("login logins カ か 計 設 café cafe ß");
        let different: std::collections::BTreeSet<u64> = others.iter().copied().collect();
        assert_eq!(different.len(), others.len());
        assert_ne!(number_of_pair(others[0], others[1]), number_of_pair(others[1], others[0]));
    }

    #[test]
    fn classes_without_tables_agree_with_the_tables() {
        for c in (0x80..0xffff).filter_map(char::from_u32) {
            assert_eq!(kind(c), text::class(c), "{c}");
            if is_plain_unspaced(c) {
                assert_eq!(text::fold_key(&c.to_string()), c.to_string());
            }
        }
    }
}
