//! Loads from the index what is needed to compare pairs of pages.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;

use super::dictionary::Dictionary;
use super::likeness::{SectionVectors, WordCounts, WordVectors};
use super::mentions::{Mention, Reading, Text};
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
        let mut pages = Self::named(db, Dictionary::default())?;
        let mut read = pages.read_all(db, progress, cancel)?;
        read.sort_unstable_by_key(|(page, _)| *page);
        pages.take(read.into_iter().map(|(page, reading)| (page, 1.0, reading)));
        pages.vectors = SectionVectors::load(db, &pages.places)?;
        Ok(pages)
    }

    /// Loads pages and links, and adds their names to `dictionary`.
    pub fn named(db: &Connection, dictionary: Dictionary) -> Result<Self> {
        let mut pages = Self { dictionary, ..Self::default() };
        pages::each_path(db, |number, path| {
            let place = u32::try_from(pages.nodes.len()).unwrap_or(u32::MAX);
            pages.places.insert(number, place);
            pages.nodes.push(Node { number, path: path.into(), ..Node::default() });
        })?;
        names::each_key(db, |name, page| {
            if let Some(&place) = pages.places.get(&page) {
                pages.dictionary.add_name(name, place);
            }
        })?;
        pages.load_links(db)?;
        Ok(pages)
    }

    fn load_links(&mut self, db: &Connection) -> Result<()> {
        links::each_between(db, |source, target, text, written| {
            let (Some(&from), Some(&to)) = (self.places.get(&source), self.places.get(&target)) else {
                return;
            };
            let name = written.split('#').next().unwrap_or_default();
            self.dictionary.add_link(text.unwrap_or_else(|| path::file_name(name)), to);
            self.nodes[from as usize].out.push(to);
            self.nodes[to as usize].back.push(from);
        })?;
        for node in &mut self.nodes {
            node.neighbours = [node.out.as_slice(), &node.back].concat();
            for side in [&mut node.out, &mut node.back, &mut node.neighbours] {
                side.sort_unstable();
                side.dedup();
            }
        }
        Ok(())
    }

    /// Adds the texts of pages that were read: the index of each page, the number of pages that it represents, and its
    /// text, in the order of the indexes.
    pub fn take(&mut self, read: impl Iterator<Item = (u32, f32, Reading)>) {
        let mut counts = Vec::new();
        for (page, stands_for, reading) in read {
            for mention in &reading.mentions {
                self.dictionary.phrases[mention.phrase as usize].pages += f64::from(stands_for);
            }
            let node = &mut self.nodes[page as usize];
            (node.mentions, node.length) = (reading.mentions, reading.length);
            counts.push(WordCounts { page, stands_for, counts: reading.counts });
        }
        self.words = WordVectors::new(self.nodes.len(), counts);
    }

    /// Reads the text of every page, on all cores.
    fn read_all(
        &self,
        db: &Connection,
        progress: &dyn Progress,
        cancel: &Cancel,
    ) -> Result<Vec<(u32, Reading)>> {
        let total = self.nodes.len();
        let texts = (0_u32..).zip(&self.nodes).map(|(page, node)| {
            if page % 128 == 0 {
                cancel.check()?;
                progress.advance(Stage::Suggestions, page as usize, total * 2);
            }
            Ok((page, sections::texts(db, node.number)?))
        });
        let read = |(page, texts): PageText| {
            (page, Text::of(texts.iter().map(String::as_str)).read(&self.dictionary))
        };
        // There are no threads in browsers.
        if cfg!(target_family = "wasm") {
            return texts.map(|text| Ok(read(text?))).collect();
        }
        std::thread::scope(|scope| {
            let (sender, receiver) = sync_channel(1_024);
            let receiver = Arc::new(Mutex::new(receiver));
            let workers = std::thread::available_parallelism().map_or(1, usize::from);
            let workers: Vec<_> = (0..workers)
                .map(|_| {
                    let (receiver, read) = (receiver.clone(), &read);
                    scope.spawn(move || std::iter::from_fn(|| next(&receiver)).map(read).collect::<Vec<_>>())
                })
                .collect();
            // If all workers panic, sending fails instead of blocking.
            drop(receiver);
            let mut result = Ok(());
            for text in texts {
                match text.map(|text| sender.send(text)) {
                    Ok(Ok(())) => continue,
                    Ok(Err(_)) => {}
                    Err(error) => result = Err(error),
                }
                break;
            }
            drop(sender);
            let mut all = Vec::with_capacity(total);
            for worker in workers {
                all.extend(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            result.map(|()| all)
        })
    }
}

/// The index of a page among all pages, and the texts of its sections.
type PageText = (u32, Vec<String>);

fn next(texts: &Mutex<Receiver<PageText>>) -> Option<PageText> {
    texts.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}
