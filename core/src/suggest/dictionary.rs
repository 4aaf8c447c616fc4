//! Phrases that refer to pages in running text: titles, aliases, file names, and the text of existing
//! links to them.

use super::words::{ByNumber, Numbers, number_of_pair, words};

/// Maximum number of words of a phrase; longer ones are sentences and never repeated.
pub(super) const LONGEST: usize = 24;
/// Minimum number of characters of a phrase.
const SHORTEST: usize = 2;

/// A phrase that may refer to more pages than this is ignored.
const MOST_TARGETS: usize = 100;

/// A phrase, and the pages that it may refer to.
#[derive(Debug, Default, Clone)]
pub(super) struct Phrase {
    /// The pages that it may refer to.
    pub targets: Vec<Target>,
    /// Number of words.
    pub words: usize,
    /// Number of pages whose running text contains it; an estimate if only some pages were read.
    pub pages: f64,
}

/// A page that a phrase may refer to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target {
    /// Index of the page among all pages.
    pub page: u32,
    /// Whether the phrase is a name of the page, not only the text of links to it.
    pub named: bool,
    /// Number of links to the page with this text.
    pub links: u32,
}

impl Phrase {
    /// Number of links with this text, to any page.
    pub fn links(&self) -> u32 {
        self.targets.iter().map(|target| target.links).sum()
    }

    /// Number of pages with this name.
    pub fn named(&self) -> usize {
        self.targets.iter().filter(|target| target.named).count()
    }
}

/// Phrases as a trie of words.
#[derive(Debug)]
pub(super) struct Dictionary {
    /// The next node for a node and a word.
    steps: ByNumber<u32>,
    /// By node. Nodes without targets are prefixes only.
    pub phrases: Vec<Phrase>,
    /// If set, phrases with any other word are ignored.
    words: Option<Numbers>,
}

impl Default for Dictionary {
    fn default() -> Self {
        Self { steps: ByNumber::default(), phrases: vec![Phrase::default()], words: None }
    }
}

impl Dictionary {
    /// A dictionary that ignores phrases with any other word.
    pub fn of_words(words: Numbers) -> Self {
        Self { words: Some(words), ..Self::default() }
    }

    /// Adds `name` as a name of `page`.
    pub fn add_name(&mut self, name: &str, page: u32) {
        if let Some(target) = self.target(name, page) {
            target.named = true;
        }
    }

    /// Adds a link with this text to `page`.
    pub fn add_link(&mut self, text: &str, page: u32) {
        if let Some(target) = self.target(text, page) {
            target.links += 1;
        }
    }

    fn target(&mut self, phrase: &str, page: u32) -> Option<&mut Target> {
        let mut found = Vec::new();
        let mut characters = 0;
        for word in words(phrase) {
            let number = word.number();
            if found.len() == LONGEST || self.words.as_ref().is_some_and(|words| !words.contains(&number)) {
                return None;
            }
            characters += word.text.chars().count();
            found.push(number);
        }
        if characters < SHORTEST {
            return None;
        }
        let mut node = 0;
        for &word in &found {
            let next = u32::try_from(self.phrases.len()).ok()?;
            node = *self.steps.entry(step(node, word)).or_insert_with(|| {
                self.phrases.push(Phrase::default());
                next
            });
        }
        let phrase = self.phrases.get_mut(usize::try_from(node).ok()?)?;
        if phrase.targets.len() > MOST_TARGETS {
            return None;
        }
        phrase.words = found.len();
        let at = match phrase.targets.iter().position(|target| target.page == page) {
            Some(at) => at,
            None => {
                phrase.targets.push(Target { page, named: false, links: 0 });
                phrase.targets.len() - 1
            }
        };
        phrase.targets.get_mut(at)
    }

    /// Every phrase that `words` start with, shortest first.
    pub fn matches(&self, words: impl Iterator<Item = u64>) -> impl Iterator<Item = u32> {
        let mut node = 0;
        words
            .map_while(move |word| {
                node = *self.steps.get(&step(node, word))?;
                Some(node)
            })
            .filter(|&node| (1..=MOST_TARGETS).contains(&self.phrase(node).targets.len()))
    }

    pub fn phrase(&self, node: u32) -> &Phrase {
        // All node numbers come from this dictionary, so they are in range.
        &self.phrases[node as usize]
    }
}

fn step(node: u32, word: u64) -> u64 {
    number_of_pair(u64::from(node), word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phrase_at_a_place_is_found() {
        let mut dictionary = Dictionary::default();
        dictionary.add_name("Sync", 0);
        dictionary.add_name("Sync Engine", 1);
        dictionary.add_link("sync engine", 0);
        dictionary.add_name("x", 2);
        let text: Vec<u64> = words("sync-engine x").map(|word| word.number()).collect();
        let found: Vec<usize> =
            dictionary.matches(text.iter().copied()).map(|node| dictionary.phrase(node).words).collect();
        assert_eq!(found, [1, 2]);
        let longest = dictionary.matches(text.iter().copied()).last().map(|node| dictionary.phrase(node));
        assert_eq!(longest.map(|phrase| (phrase.links(), phrase.named())), Some((1, 1)));
        // A single letter is not a phrase.
        assert_eq!(dictionary.matches(text[2..].iter().copied()).count(), 0);
    }

    #[test]
    fn phrases_with_other_words_are_ignored() {
        let text: Numbers = words("the sync engine").map(|word| word.number()).collect();
        let mut dictionary = Dictionary::of_words(text);
        for (page, name) in ["Sync Engine", "Sync Client", "Engine"].into_iter().enumerate() {
            dictionary.add_name(name, u32::try_from(page).unwrap_or_default());
        }
        let named: Vec<u32> =
            dictionary.phrases.iter().flat_map(|phrase| &phrase.targets).map(|target| target.page).collect();
        assert_eq!(named, [0, 2]);
    }
}
