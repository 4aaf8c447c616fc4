//! Loads from the index what is needed to compare pairs of pages.

use std::collections::{HashMap, HashSet};

use rusqlite::Connection;

use super::dictionary::Dictionary;
use super::likeness::{SectionVectors, WordVectors};
use super::mentions::{self, Mention};
use super::words::Vocabulary;
use crate::Result;
use crate::index::questions::{links, names, pages, sections};
use crate::path;
use crate::progress::{Cancel, Progress, Stage};

/// A page and its place in the graph. Other pages are referred to by their index among all pages.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// Its number in the index.
    pub number: i64,
    pub path: String,
    /// Pages it links to, sorted.
    pub out: Vec<u32>,
    /// Pages that link to it, sorted.
    pub back: Vec<u32>,
    /// Both, sorted.
    pub neighbours: Vec<u32>,
    pub mentions: Vec<Mention>,
    /// Number of words of its running text.
    pub length: usize,
}

/// All pages.
#[derive(Debug, Default)]
pub(super) struct Pages {
    pub nodes: Vec<Node>,
    pub places: HashMap<i64, u32>,
    pub dictionary: Dictionary,
    pub words: WordVectors,
    pub vectors: SectionVectors,
}

impl Pages {
    pub fn load(db: &Connection, progress: &dyn Progress, cancel: &Cancel) -> Result<Self> {
        let mut pages = Self::default();
        let mut vocabulary = Vocabulary::default();
        pages.load_names(db, &mut vocabulary)?;
        pages.load_links(db, &mut vocabulary)?;
        pages.load_text(db, &mut vocabulary, progress, cancel)?;
        pages.vectors = SectionVectors::load(db, &pages.places)?;
        Ok(pages)
    }

    fn load_names(&mut self, db: &Connection, vocabulary: &mut Vocabulary) -> Result<()> {
        pages::each_title(db, |number, path, title| {
            let node = Node { number, path: path.into(), ..Node::default() };
            let place = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
            self.dictionary.add_name(vocabulary, title, place);
            self.dictionary.add_name(vocabulary, path::page_name(path), place);
            self.places.insert(number, place);
            self.nodes.push(node);
        })?;
        names::each_alias(db, |page, alias| {
            if let Some(&place) = self.places.get(&page) {
                self.dictionary.add_name(vocabulary, alias, place);
            }
        })
    }

    fn load_links(&mut self, db: &Connection, vocabulary: &mut Vocabulary) -> Result<()> {
        links::each_between(db, |source, target, text, written| {
            let (Some(&from), Some(&to)) = (self.places.get(&source), self.places.get(&target)) else {
                return;
            };
            let name = written.split('#').next().unwrap_or_default();
            self.dictionary.add_link(vocabulary, text.unwrap_or_else(|| path::file_name(name)), to);
            self.nodes[from as usize].out.push(to);
            self.nodes[to as usize].back.push(from);
        })?;
        for node in &mut self.nodes {
            for side in [&mut node.out, &mut node.back] {
                side.sort_unstable();
                side.dedup();
            }
            let both: HashSet<u32> = node.out.iter().chain(&node.back).copied().collect();
            node.neighbours = both.into_iter().collect();
            node.neighbours.sort_unstable();
        }
        Ok(())
    }

    fn load_text(
        &mut self,
        db: &Connection,
        vocabulary: &mut Vocabulary,
        progress: &dyn Progress,
        cancel: &Cancel,
    ) -> Result<()> {
        let total = self.nodes.len();
        let mut counts = Vec::with_capacity(total);
        for (place, node) in self.nodes.iter_mut().enumerate() {
            if place % 128 == 0 {
                cancel.check()?;
                progress.advance(Stage::Suggestions, place, total * 2);
            }
            let sections = sections::texts(db, node.number)?;
            let reading = mentions::read(sections.iter().map(String::as_str), &self.dictionary, vocabulary);
            for mention in &reading.mentions {
                self.dictionary.phrases[mention.phrase as usize].pages += 1;
            }
            (node.mentions, node.length) = (reading.mentions, reading.length);
            counts.push(reading.words);
        }
        self.words = WordVectors::new(counts, vocabulary.len());
        Ok(())
    }
}
