//! Generates vaults from a seed: the same pages on every machine, with a natural distribution of words, with headings,
//! typed links and, optionally, Japanese pages.

use std::fs;
use std::io;
use std::path::Path;

mod permuted;
mod words;

pub use permuted::write_copies;
use words::Vocabulary;

/// A deterministic random number generator (SplitMix64).
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Starts the sequence of `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`, which must not be 0.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.number() % limit as u64).unwrap_or(0)
    }

    /// A number from 0 (inclusive) to 1 (exclusive).
    pub fn fraction(&mut self) -> f64 {
        (self.number() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The parameters of a vault.
#[derive(Debug, Clone, Copy)]
pub struct Vault {
    /// Number of pages.
    pub pages: usize,
    /// Approximate size of a page in bytes.
    pub page_bytes: usize,
    /// Different seeds give different vaults.
    pub seed: u64,
    /// Whether every other page is in Japanese.
    pub japanese: bool,
}

impl Vault {
    /// English pages of 2.8 kB.
    pub fn english(pages: usize) -> Self {
        Self { pages, page_bytes: 2_800, seed: 1, japanese: false }
    }

    /// Path and text of every page, in order of path.
    pub fn pages(self) -> impl Iterator<Item = (String, String)> {
        let english = Vocabulary::english(self.seed);
        let japanese = Vocabulary::japanese(self.seed);
        (0..self.pages).map(move |number| {
            let words = if self.japanese && number % 2 == 1 { &japanese } else { &english };
            (self.path(number), self.page(number, words))
        })
    }

    /// Writes every page below `folder` and returns the number of bytes written.
    ///
    /// # Errors
    /// If a folder or a file cannot be written.
    pub fn write_to(self, folder: &Path) -> io::Result<u64> {
        let mut written = 0;
        for (path, text) in self.pages() {
            let file = folder.join(path);
            if let Some(parent) = file.parent() {
                fs::create_dir_all(parent)?;
            }
            written += text.len() as u64;
            fs::write(file, text)?;
        }
        Ok(written)
    }

    /// `count` questions in natural language about words of this vault.
    pub fn questions(self, count: usize) -> Vec<String> {
        let words = Vocabulary::english(self.seed);
        let mut random = Random::new(self.seed ^ 0x7175_6573);
        (0..count)
            .map(|number| {
                let mut word = || words.draw(&mut random);
                let (a, b, c) = (word(), word(), word());
                match number % 4 {
                    0 => format!("how does the {a} decide that a {b} is {c}?"),
                    1 => format!("what happens to {a} when the {b} has no {c}"),
                    2 => format!("where is {a} {b} described"),
                    _ => format!("why would {a} need {b} before {c}?"),
                }
            })
            .collect()
    }

    /// `count` pairs of words of this vault, as typed into a search box.
    pub fn keywords(self, count: usize) -> Vec<String> {
        let words = Vocabulary::english(self.seed);
        let mut random = Random::new(self.seed ^ 0x6b65_7977);
        (0..count).map(|_| format!("{} {}", words.draw(&mut random), words.draw(&mut random))).collect()
    }

    /// Path of a page by its number, from 0.
    pub fn path(self, number: usize) -> String {
        format!("area-{:02}/page-{number:05}.md", number * 20 / self.pages.max(1))
    }

    fn page(self, number: usize, words: &Vocabulary) -> String {
        let mut random = Random::new(self.seed.wrapping_mul(31).wrapping_add(number as u64));
        let title = words.title(&mut random);
        let doc_type = ["spec", "design", "api", "guide"][random.below(4)];
        let tag = ["security", "storage", "interface"][random.below(3)];
        let mut text = format!(
            "---\ntitle: {title} {number}\ntype: {doc_type}\ntags: [{tag}]\n---\n# {title} {number}\n\n"
        );
        let mut sections = 0;
        while text.len() < self.page_bytes {
            if sections > 0 {
                let level = if sections % 3 == 2 { "###" } else { "##" };
                text.push_str(&format!("{level} {}\n\n", words.title(&mut random)));
            }
            sections += 1;
            for _ in 0..1 + random.below(3) {
                self.paragraph(&mut text, number, words, &mut random);
            }
        }
        text
    }

    fn paragraph(self, text: &mut String, number: usize, words: &Vocabulary, random: &mut Random) {
        for _ in 0..2 + random.below(4) {
            text.push_str(&words.sentence(random));
            if random.below(5) == 0 && self.pages > 1 {
                // Most links go to nearby pages, as in real vaults, and a few go far.
                let far = random.below(8) == 0;
                let step = if far { random.below(self.pages) } else { 1 + random.below(12) };
                let target = self.path((number + step) % self.pages);
                let target = target.trim_end_matches(".md");
                let link_type = ["", "", "|depends_on", "|implements", "|extends"][random.below(5)];
                text.push_str(&format!("See [[{target}{link_type}]]. "));
            }
        }
        text.truncate(text.trim_end().len());
        text.push_str("\n\n");
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_vault() {
        let vault = Vault { pages: 30, page_bytes: 2_000, seed: 7, japanese: true };
        let pages: Vec<_> = vault.pages().collect();
        assert_eq!(pages, vault.pages().collect::<Vec<_>>());
        assert_ne!(pages, Vault { seed: 8, ..vault }.pages().collect::<Vec<_>>());
        assert_eq!(vault.questions(9), vault.questions(9));
    }

    #[test]
    fn pages_have_the_requested_size_links_and_scripts() {
        let vault = Vault { pages: 40, page_bytes: 3_000, seed: 1, japanese: true };
        let pages: Vec<_> = vault.pages().collect();
        assert_eq!(pages.len(), 40);
        assert!(pages.iter().all(|(_, text)| (3_000..9_000).contains(&text.len())));
        let links: usize = pages.iter().map(|(_, text)| text.matches("[[").count()).sum();
        assert!((80..800).contains(&links), "{links}");
        assert!(pages[1].1.contains('の') && pages[0].1.is_ascii());
        let paths: Vec<&String> = pages.iter().map(|(path, _)| path).collect();
        assert!(paths.is_sorted());
    }
}
