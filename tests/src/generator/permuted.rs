//! Copies of a real vault with permuted words: as many pages as a benchmark needs, with the headings, links, languages
//! and word frequencies of real ones, and different text on each.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Random;

/// The most frequent words, which keep their places: they are function words.
const FUNCTION_WORDS: usize = 200;
/// Words are exchanged for words with about the same frequency: among this many neighbours in order of frequency.
const ALIKE: usize = 64;
/// Shorter words keep their places.
const SHORTEST: usize = 4;

/// Writes `count` pages below `folder`: the pages of the vault at `from`, then copies with permuted words, each copy in
/// a folder of its own. Returns the number of bytes written.
///
/// # Errors
/// If a file cannot be read or written, or `from` has no pages.
pub fn write_copies(from: &Path, folder: &Path, count: usize, seed: u64) -> io::Result<u64> {
    let mut pages = Vec::new();
    for path in pages_below(from)? {
        let text = String::from_utf8_lossy(&fs::read(from.join(&path))?).into_owned();
        pages.push((path, text));
    }
    if pages.is_empty() {
        return Err(io::Error::other(format!("{} has no pages", from.display())));
    }
    let ranked = ranked(pages.iter().map(|(_, text)| text.as_str()));
    let mut written = 0;
    for copy in 0..count.div_ceil(pages.len()) {
        let exchange = Exchange::new(&ranked, copy, seed);
        for (path, text) in pages.iter().take(count - copy * pages.len()) {
            let file = folder.join(format!("copy-{copy:02}")).join(path);
            if let Some(parent) = file.parent() {
                fs::create_dir_all(parent)?;
            }
            let text = exchange.apply(text);
            written += text.len() as u64;
            fs::write(file, text)?;
        }
    }
    Ok(written)
}

/// Paths of the pages below `folder`, relative to it, sorted.
fn pages_below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(inside) = folders.pop() {
        for entry in fs::read_dir(folder.join(&inside))? {
            let entry = entry?;
            let path = inside.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// A part of a text: a word that may be exchanged, or anything else.
enum Part<'a> {
    Word(&'a str),
    Other(&'a str),
}

/// Splits a text. Front matter and the targets of links are not words, so copies have the same titles and links.
fn parts(text: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = text;
    let mut front = front_matter(text);
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let kept = std::mem::take(&mut front).max(target(rest));
        let (length, is_word) = if kept > 0 {
            (kept, false)
        } else if first.is_ascii_alphabetic() {
            let length = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
            (length, length >= SHORTEST)
        } else {
            (first.len_utf8(), is_han(first))
        };
        let (part, after) = rest.split_at(length);
        rest = after;
        Some(if is_word { Part::Word(part) } else { Part::Other(part) })
    })
}

fn front_matter(text: &str) -> usize {
    let end = text.starts_with("---").then(|| text.get(3..)?.find("\n---").map(|end| end + 7));
    end.flatten().unwrap_or(0)
}

/// Length of the target of a link that `text` starts with, 0 if it does not.
fn target(text: &str) -> usize {
    [("[[", "]]"), ("](", ")")]
        .iter()
        .find_map(|(open, close)| text.strip_prefix(open)?.find(close).map(|end| end + 2))
        .unwrap_or(0)
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}')
}

/// The words of all texts, in lower case, most frequent first: those with letters, then single characters.
fn ranked<'a>(texts: impl Iterator<Item = &'a str>) -> [Vec<String>; 2] {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for part in texts.flat_map(parts) {
        if let Part::Word(word) = part {
            *counts.entry(word.to_ascii_lowercase()).or_default() += 1;
        }
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let (letters, characters): (Vec<_>, Vec<_>) =
        counts.into_iter().map(|(word, _)| word).partition(|word| word.is_ascii());
    [letters, characters]
}

/// Which word replaces which in one copy.
struct Exchange<'a>(HashMap<&'a str, &'a str>);

impl<'a> Exchange<'a> {
    /// The first copy exchanges nothing.
    fn new(ranked: &'a [Vec<String>; 2], copy: usize, seed: u64) -> Self {
        let mut random = Random::new(seed ^ copy as u64);
        let mut exchange = HashMap::new();
        for words in ranked.iter().filter(|_| copy > 0) {
            for group in words.get(FUNCTION_WORDS..).unwrap_or_default().chunks(ALIKE) {
                let mut shuffled: Vec<&str> = group.iter().map(String::as_str).collect();
                for at in (1..shuffled.len()).rev() {
                    shuffled.swap(at, random.below(at + 1));
                }
                exchange.extend(group.iter().map(String::as_str).zip(shuffled));
            }
        }
        Self(exchange)
    }

    fn apply(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for part in parts(text) {
            let (Part::Word(written) | Part::Other(written)) = part;
            let Some(other) = self.0.get(written.to_ascii_lowercase().as_str()) else {
                out.push_str(written);
                continue;
            };
            let mut letters = other.chars();
            if written.starts_with(|c: char| c.is_ascii_uppercase()) {
                out.extend(letters.next().map(|first| first.to_ascii_uppercase()));
            }
            out.extend(letters);
        }
        out
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn copies_have_other_words_and_the_same_front_matter_and_links() {
        let from = tempfile::tempdir().unwrap();
        let to = tempfile::tempdir().unwrap();
        let word = |number: usize| -> String {
            ["alpha", "gamma", "delta", "omega"][number % 4].chars().chain(letters(number)).collect()
        };
        let text: String = (0..600).map(|number| format!("{} ", word(number))).collect();
        let page = format!("---\ntitle: alphaaa\n---\nThe [[alphaaa]] and [{text}](alphaaa.md) 認証。\n");
        fs::create_dir(from.path().join("a")).unwrap();
        fs::write(from.path().join("a/one.md"), &page).unwrap();
        fs::write(from.path().join("two.md"), "two").unwrap();
        write_copies(from.path(), to.path(), 3, 1).unwrap();
        assert_eq!(fs::read_to_string(to.path().join("copy-00/a/one.md")).unwrap(), page);
        let copy = fs::read_to_string(to.path().join("copy-01/a/one.md")).unwrap();
        assert!(copy.starts_with("---\ntitle: alphaaa\n---\nThe [[alphaaa]] and ["));
        assert!(copy.ends_with("](alphaaa.md) 認証。\n"));
        assert_ne!(copy, page);
        let sorted = |text: &str| {
            let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            words.sort();
            words
        };
        assert_eq!(sorted(&copy), sorted(&page));
        assert!(!to.path().join("copy-01/two.md").exists());
    }

    fn letters(number: usize) -> impl Iterator<Item = char> {
        [number / 26, number % 26].into_iter().map(|at| char::from(b'a' + u8::try_from(at % 26).unwrap()))
    }
}
