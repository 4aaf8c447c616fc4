//! Finds the phrases of the dictionary in a page's running text, and counts its words.

use std::collections::HashMap;

use super::dictionary::Dictionary;
use super::words::{ByNumber, Numbers, number_of_pair, words};
use crate::page::prose;

/// A phrase in a page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mention {
    /// Its node in the dictionary.
    pub phrase: u32,
    /// How often it occurs.
    pub count: u32,
    /// Index of the word at which it first occurs.
    pub first: u32,
}

/// What a page's running text contains.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// Each phrase once.
    pub mentions: Vec<Mention>,
    /// Number of words.
    pub length: usize,
    /// Each word of two or more characters, and each pair of characters of scripts without spaces,
    /// with the number of occurrences.
    pub counts: ByNumber<u32>,
}

/// The words of a page's running text.
#[derive(Debug, Default)]
pub(super) struct Text {
    /// The number of each word, and the block that contains it.
    words: Vec<(u64, usize)>,
    counts: ByNumber<u32>,
}

impl Text {
    /// Reads the sections of a page.
    pub fn of<'a>(sections: impl Iterator<Item = &'a str>) -> Self {
        let mut text = Self::default();
        let mut block = 0;
        for section in sections {
            let first_block = block + 1;
            let mut before: Option<(u64, usize)> = None;
            for stretch in prose(section, 0) {
                block = first_block + stretch.block;
                let start = stretch.range.start;
                for word in words(section.get(stretch.range).unwrap_or_default()) {
                    let number = word.number();
                    text.words.push((number, block));
                    if word.unspaced {
                        if let Some((previous, _)) =
                            before.filter(|(_, end)| *end == start + word.range.start)
                        {
                            *text.counts.entry(number_of_pair(previous, number)).or_default() += 1;
                        }
                        before = Some((number, start + word.range.end));
                    } else {
                        before = None;
                        if !word.is_one_character() {
                            *text.counts.entry(number).or_default() += 1;
                        }
                    }
                }
            }
        }
        text
    }

    /// The numbers of its words.
    pub fn numbers(&self) -> Numbers {
        self.words.iter().map(|word| word.0).collect()
    }

    /// Finds the phrases of `dictionary`.
    pub fn read(self, dictionary: &Dictionary) -> Reading {
        let mut mentions: HashMap<u32, Mention> = HashMap::new();
        for (at, &(_, block)) in self.words.iter().enumerate() {
            let rest = self.words.iter().skip(at).take_while(|word| word.1 == block).map(|word| word.0);
            for phrase in dictionary.matches(rest) {
                let first = u32::try_from(at).unwrap_or(u32::MAX);
                mentions.entry(phrase).or_insert(Mention { phrase, count: 0, first }).count += 1;
            }
        }
        let mut mentions: Vec<Mention> = mentions.into_values().collect();
        mentions.sort_unstable_by_key(|mention| mention.phrase);
        Reading { mentions, length: self.words.len(), counts: self.counts }
    }
}

/// The words and pairs of characters of a page whose numbers are in `wanted`, folded, by number.
pub(super) fn spelled<'a>(sections: impl Iterator<Item = &'a str>, wanted: &Numbers) -> ByNumber<String> {
    let mut spelled = ByNumber::default();
    for section in sections {
        let mut before: Option<(u64, String, usize)> = None;
        for word in words(section) {
            let number = word.number();
            if word.unspaced {
                let key = word.key();
                if let Some((previous, first, _)) = before.filter(|(_, _, end)| *end == word.range.start) {
                    let pair = number_of_pair(previous, number);
                    if wanted.contains(&pair) {
                        spelled.entry(pair).or_insert_with(|| format!("{first}{key}"));
                    }
                }
                before = Some((number, key, word.range.end));
            } else {
                before = None;
                if wanted.contains(&number) {
                    spelled.entry(number).or_insert_with(|| word.key());
                }
            }
        }
    }
    spelled
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mentioned(name: &str, text: &str) -> Option<(u32, u32)> {
        let mut dictionary = Dictionary::default();
        dictionary.add_name(name, 0);
        let reading = Text::of(std::iter::once(text)).read(&dictionary);
        reading.mentions.first().map(|mention| (mention.count, mention.first))
    }

    #[test]
    fn names_are_found_only_in_running_text() {
        assert_eq!(mentioned("Login Feature", "the *login*\nfeature, and Login  feature"), Some((2, 1)));
        assert_eq!(
            mentioned("Login", "`login` [[login]] [login](a.md) https://login/login\n\n    login"),
            None
        );
        assert_eq!(mentioned("Login Feature", "login\n\nfeature"), None);
        assert_eq!(mentioned("Login Feature", "login `x` feature"), None);
        assert_eq!(mentioned("ビュー", "このビューと、ビュー。"), Some((2, 2)));
    }

    #[test]
    fn words_and_pairs_are_spelled_by_their_numbers() {
        let text = "See the 認証設計 of Login, a b";
        let counts = Text::of(std::iter::once(text)).counts;
        let spelled = spelled(std::iter::once(text), &counts.keys().copied().collect());
        let mut words: Vec<&str> = spelled.values().map(String::as_str).collect();
        words.sort_unstable();
        assert_eq!(words, ["login", "of", "see", "the", "設計", "証設", "認証"]);
        assert_eq!(spelled.len(), counts.len());
    }
}
