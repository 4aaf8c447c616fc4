//! Finds the phrases of the dictionary in a page's running text, and counts its words.

use std::collections::HashMap;

use super::dictionary::Dictionary;
use super::words::{Vocabulary, words};
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
    /// with the number of occurrences, sorted by number.
    pub words: Vec<(u32, u32)>,
}

/// Reads the sections of a page.
pub(super) fn read<'a>(
    sections: impl Iterator<Item = &'a str>,
    dictionary: &Dictionary,
    vocabulary: &mut Vocabulary,
) -> Reading {
    // The number of each word, and the block that contains it.
    let mut text: Vec<(u32, usize)> = Vec::new();
    let mut counts: HashMap<u32, u32> = HashMap::new();
    let (mut block, mut pair) = (0, String::new());
    for section in sections {
        let first_block = block + 1;
        let mut before: Option<(String, usize)> = None;
        for stretch in prose(section, 0) {
            block = first_block + stretch.block;
            let start = stretch.range.start;
            for word in words(section.get(stretch.range).unwrap_or_default()) {
                let number = vocabulary.number(&word.key);
                text.push((number, block));
                if word.unspaced {
                    if let Some((previous, _)) = before.filter(|(_, end)| *end == start + word.range.start) {
                        pair.clear();
                        pair.push_str(&previous);
                        pair.push_str(&word.key);
                        *counts.entry(vocabulary.number(&pair)).or_default() += 1;
                    }
                    before = Some((word.key.into_owned(), start + word.range.end));
                } else {
                    before = None;
                    if word.key.chars().nth(1).is_some() {
                        *counts.entry(number).or_default() += 1;
                    }
                }
            }
        }
    }
    let mut mentions: HashMap<u32, Mention> = HashMap::new();
    for at in 0..text.len() {
        let block = text[at].1;
        let rest = text[at..].iter().take_while(|word| word.1 == block).map(|word| word.0);
        for phrase in dictionary.matches(rest) {
            let first = u32::try_from(at).unwrap_or(u32::MAX);
            mentions.entry(phrase).or_insert(Mention { phrase, count: 0, first }).count += 1;
        }
    }
    let mut mentions: Vec<Mention> = mentions.into_values().collect();
    mentions.sort_unstable_by_key(|mention| mention.phrase);
    let mut words: Vec<(u32, u32)> = counts.into_iter().collect();
    words.sort_unstable();
    Reading { mentions, length: text.len(), words }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mentioned(name: &str, text: &str) -> Option<(u32, u32)> {
        let (mut vocabulary, mut dictionary) = (Vocabulary::default(), Dictionary::default());
        dictionary.add_name(&mut vocabulary, name, 0);
        let reading = read(std::iter::once(text), &dictionary, &mut vocabulary);
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
}
