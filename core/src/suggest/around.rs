//! Loads what is needed to suggest links from one page of a large project, without reading all pages. Candidates
//! are found through the full text, the vectors and the graph, and only these are read. A sample, spread evenly
//! over the project, shows how rare words and names are. Each page of the sample represents its share of all others.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use rusqlite::Connection;

use super::dictionary::Dictionary;
use super::features;
use super::likeness::{COMMON_WORD_PAGES, SectionVectors, Sums, TELLING_WORDS, best, pages_of};
use super::load::Pages;
use super::mentions::{Reading, Text, spelled};
use super::words::{ByNumber, Numbers};
use super::{CANDIDATES, close_by_links};
use crate::Result;
use crate::index::questions::{fulltext, sections, vectors};
use crate::progress::Cancel;

/// Maximum number of pages in the sample. In a project with at most this many pages, all pages are read.
pub const SAMPLE: usize = 400;
/// After this many bytes, no more pages of the sample are read.
const SAMPLE_BYTES: usize = 1 << 20;
/// Maximum number of bytes that are read of a page other than the source of the links.
const MOST_BYTES: usize = 1 << 16;
/// Maximum number of candidates that the text names, best first, and of candidates that link to the page.
const CLOSELY: usize = 150;
/// Number of words from which the characteristic words of a page are selected.
const MAYBE_TELLING: usize = 4 * TELLING_WORDS;
/// Number of rows of the full text from which candidates are taken.
const ROWS: usize = 3 * CANDIDATES;

/// A page and the candidates for a link from it, by their indexes among all pages.
#[derive(Debug, Default)]
pub(super) struct Around {
    pub page: usize,
    pub likely: BTreeSet<u32>,
}

/// The texts that were read, by the index of the page.
type Read = BTreeMap<u32, Reading>;

/// Reads the page with this number and the candidates for a link from it. `close` are numbers of pages with similar
/// vectors. `None` if there is no such page.
pub(super) fn load(
    db: &Connection,
    number: i64,
    close: &[i64],
    cancel: &Cancel,
) -> Result<Option<(Pages, Around)>> {
    let own = sections::texts(db, number)?;
    let text = Text::of(own.iter().map(String::as_str));
    let mut pages = Pages::named(db, Dictionary::of_words(text.numbers()))?;
    let Some(&page) = pages.places.get(&number) else { return Ok(None) };
    let place = page as usize;
    let mut read = Read::from([(page, text.read(&pages.dictionary))]);
    read_sample(db, &pages, &mut read, cancel)?;

    let total = pages.nodes.len();
    let stands_for = (total - 1) as f32 / (read.len() - 1).max(1) as f32;
    let weight = |other: u32| if other == page { 1.0 } else { stands_for };
    for (other, reading) in &read {
        for mention in &reading.mentions {
            pages.dictionary.phrases[mention.phrase as usize].pages += f64::from(weight(*other));
        }
    }
    let telling = telling_words(page, &read, total, weight);
    pages.nodes[place].mentions.clone_from(&read[&page].mentions);
    let mentioned = features::standings(&pages, place);
    let mentioned = mentioned.into_iter().map(|(other, standing)| (other, standing.strength as f32));
    let mut likely: BTreeSet<u32> = pages_of(best(mentioned.collect(), CLOSELY)).into_iter().collect();
    likely.extend(pages.nodes[place].back.iter().take(CLOSELY));
    likely.extend(close_by_links(&pages, &mut Sums::of(total), place));
    likely.extend(close.iter().filter_map(|other| pages.places.get(other)));
    likely.extend(near_by_words(db, &pages, &own, &telling)?);
    likely.retain(|other| *other != page && pages.nodes[place].out.binary_search(other).is_err());

    for &other in &likely {
        if let Entry::Vacant(unread) = read.entry(other) {
            cancel.check()?;
            let texts = beginning(sections::texts(db, pages.nodes[other as usize].number)?);
            let text = Text::of(texts.iter().map(String::as_str));
            unread.insert(text.read(&pages.dictionary));
        }
    }
    // The page and the candidates were selected, not sampled, so each represents only itself.
    let known = likely.len() + 1;
    let stands_for = (total - known) as f32 / (read.len() - known).max(1) as f32;
    pages.dictionary.phrases.iter_mut().for_each(|phrase| phrase.pages = 0.0);
    let weight = |other: u32| if other == page || likely.contains(&other) { 1.0 } else { stands_for };
    pages.take(read.into_iter().map(|(other, reading)| (other, weight(other), reading)));
    if let Some((model, _)) = vectors::model_of(db, number)? {
        let compared = likely.iter().chain([&page]).map(|&at| (pages.nodes[at as usize].number, at));
        pages.vectors = SectionVectors::of_some(db, model, total, &compared.collect::<Vec<_>>())?;
    }
    Ok(Some((pages, Around { page: place, likely })))
}

/// Reads the sample, which is the same each time.
fn read_sample(db: &Connection, pages: &Pages, read: &mut Read, cancel: &Cancel) -> Result<()> {
    let total = pages.nodes.len();
    let mut bytes = 0;
    for place in evenly(total).take(SAMPLE) {
        let Ok(page) = u32::try_from(place) else { continue };
        if bytes > SAMPLE_BYTES {
            break;
        }
        cancel.check()?;
        let texts = beginning(sections::texts(db, pages.nodes[place].number)?);
        bytes += texts.iter().map(String::len).sum::<usize>();
        read.entry(page)
            .or_insert_with(|| Text::of(texts.iter().map(String::as_str)).read(&pages.dictionary));
    }
    Ok(())
}

/// All numbers below `total`, in an order in which the first n are spread evenly, for every n.
fn evenly(total: usize) -> impl Iterator<Item = usize> {
    // Multiples of the golden ratio, modulo 1, are never close to each other.
    let step = (1..=total).rev().find(|step| *step as f64 <= total as f64 * 0.618 && gcd(*step, total) == 1);
    let step = step.unwrap_or(1);
    (0..total).map(move |n| n * step % total)
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The first [`MOST_BYTES`] of the sections.
fn beginning(mut texts: Vec<String>) -> Vec<String> {
    let mut room = MOST_BYTES;
    for text in &mut texts {
        text.truncate(text.floor_char_boundary(room));
        room -= text.len();
    }
    texts
}

/// The most characteristic words of the page, best first.
fn telling_words(page: u32, read: &Read, total: usize, weight: impl Fn(u32) -> f32) -> Vec<u64> {
    let mut frequency: ByNumber<f32> = ByNumber::default();
    let own = &read[&page].counts;
    for (other, reading) in read {
        for word in reading.counts.keys().filter(|word| own.contains_key(word)) {
            *frequency.entry(*word).or_default() += weight(*other);
        }
    }
    let mut words: Vec<(u64, f32)> = own
        .iter()
        .filter_map(|(word, count)| {
            let pages = frequency.get(word).filter(|pages| **pages <= COMMON_WORD_PAGES)?;
            Some((*word, (1.0 + (*count as f32).ln()) * (total as f32 / pages).ln()))
        })
        .collect();
    words.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    words.truncate(MAYBE_TELLING);
    words.into_iter().map(|(word, _)| word).collect()
}

/// Pages that share the most characteristic words.
fn near_by_words(db: &Connection, pages: &Pages, own: &[String], telling: &[u64]) -> Result<Vec<u32>> {
    let wanted: Numbers = telling.iter().copied().collect();
    let spelled = spelled(own.iter().map(String::as_str), &wanted);
    let mut terms = Vec::new();
    for term in telling.iter().filter_map(|word| spelled.get(word)) {
        let term = format!("\"{term}\"");
        let found = fulltext::count_matches(db, &term)?;
        if found > 1 && found as f32 <= COMMON_WORD_PAGES {
            terms.push(term);
        }
        if terms.len() == TELLING_WORDS {
            break;
        }
    }
    if terms.is_empty() {
        return Ok(Vec::new());
    }
    let mut rows: Vec<(i64, f64)> = Vec::new();
    fulltext::each_match(db, &terms.join(" OR "), None, |row, score| rows.push((row, score)))?;
    rows.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    // Rows as good as the last one are taken too: their order depends on when they were indexed.
    let last = rows.get(ROWS - 1).map_or(f64::NEG_INFINITY, |(_, score)| *score);
    let mut found = Vec::new();
    for (row, _) in rows.into_iter().take_while(|(_, score)| *score >= last).take(2 * ROWS) {
        let (_, number) = fulltext::place(db, row)?;
        found.extend(pages.places.get(&number).copied());
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_is_spread_evenly() {
        for total in [1, 2, 7, 400, 1_017, 10_000, 26_000] {
            let all: BTreeSet<usize> = evenly(total).collect();
            assert_eq!(all.len(), total);
            let some: Vec<usize> = evenly(total).take(100).collect();
            let in_first_half = some.iter().filter(|place| **place < total / 2).count();
            assert!(total < 200 || (45..=55).contains(&in_first_half), "{total} {in_first_half}");
        }
        assert_eq!(evenly(0).count(), 0);
    }

    #[test]
    fn long_pages_are_read_from_their_beginning() {
        let texts = beginning(vec!["é".repeat(MOST_BYTES / 2 - 1), "日本".into(), "more".into()]);
        assert_eq!(texts.iter().map(String::len).collect::<Vec<_>>(), [MOST_BYTES - 2, 0, 2]);
    }
}
