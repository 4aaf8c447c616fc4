//! What pages are called in running text: their titles, aliases and file names, and the words that
//! existing links lead to them from.

use super::words::{ByNumber, Numbers, number_of_pair, words};

/// Most words of a phrase; longer ones are sentences, and are repeated nowhere.
pub(super) const LONGEST: usize = 24;
/// Fewest characters of a phrase.
const SHORTEST: usize = 2;

/// A phrase that may stand for more pages than this stands for none of them.
const MOST_TARGETS: usize = 100;

/// A phrase, and where it may lead.
#[derive(Debug, Default, Clone)]
pub(super) struct Phrase {
    /// The pages it may stand for.
    pub targets: Vec<Target>,
    /// Its number of words.
    pub words: usize,
    /// Pages with it in their running text.
    pub pages: f64,
}

/// A page that a phrase may stand for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target {
    /// Place of the page among all.
    pub page: u32,
    /// Whether it is a name of the page, not only the text of links to it.
    pub named: bool,
    /// Links with this text that lead there.
    pub links: u32,
}

impl Phrase {
    /// Links with this text, wherever they lead.
    pub fn links(&self) -> u32 {
        self.targets.iter().map(|target| target.links).sum()
    }

    /// Pages that go by this name.
    pub fn named(&self) -> usize {
        self.targets.iter().filter(|target| target.named).count()
    }
}

/// Phrases as a tree of words.
#[derive(Debug)]
pub(super) struct Dictionary {
    /// From a node and a word to the next node.
    steps: ByNumber<u32>,
    /// By node; those without targets are only on the way to others.
    pub phrases: Vec<Phrase>,
    /// Phrases with any other word are left out.
    words: Option<Numbers>,
}

impl Default for Dictionary {
    fn default() -> Self {
        Self { steps: ByNumber::default(), phrases: vec![Phrase::default()], words: None }
    }
}

impl Dictionary {
    /// One that takes phrases of these words only.
    pub fn of_words(words: Numbers) -> Self {
        Self { words: Some(words), ..Self::default() }
    }

    /// `page` goes by `name`.
    pub fn add_name(&mut self, name: &str, page: u32) {
        if let Some(target) = self.target(name, page) {
            target.named = true;
        }
    }

    /// A link with this text leads to `page`.
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

    /// Every phrase with which `words` begins, shortest first.
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
        // Nodes come from this dictionary only.
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
        // One letter is no phrase.
        assert_eq!(dictionary.matches(text[2..].iter().copied()).count(), 0);
    }
    #[test]
    fn phrases_of_other_words_are_left_out() {
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
