//! Vectors of changed pages over those that were read before, so that a change does not cost reading all vectors again.

use std::collections::BTreeSet;

use rusqlite::Connection;

use super::records::{self, Record, Records};
use crate::Result;

/// The current vectors of pages that changed after all vectors were read.
#[derive(Debug, Default)]
pub(super) struct Patch {
    /// Pages whose vectors below are outdated.
    pages: BTreeSet<i64>,
    bytes: Vec<u8>,
}

/// Maximum number of pages in a patch.
const MOST: usize = 1_000;

impl Patch {
    /// The vectors of a model on `pages`; `None` if reading all vectors is better.
    pub(super) fn read(
        db: &Connection,
        model: i64,
        dimensions: usize,
        pages: BTreeSet<i64>,
    ) -> Result<Option<Self>> {
        if pages.len() > MOST {
            return Ok(None);
        }
        let bytes = records::read_pages(db, model, dimensions, &pages)?;
        Ok(Some(Self { pages, bytes }))
    }

    pub(super) fn pages(&self) -> &BTreeSet<i64> {
        &self.pages
    }
}

/// Records of both layers, as if they were one: sorted by section.
#[derive(Clone, Copy)]
pub(super) struct Layers<'a> {
    below: Records<'a>,
    above: Records<'a>,
    replaced: &'a BTreeSet<i64>,
}

impl<'a> Layers<'a> {
    pub(super) fn new(below: &'a [u8], patch: &'a Patch, dimensions: usize) -> Self {
        Self {
            below: Records::new(below, dimensions),
            above: Records::new(&patch.bytes, dimensions),
            replaced: &patch.pages,
        }
    }

    /// The record at a place that [`Layers::iter`] returned.
    pub(super) fn get(self, at: usize) -> Option<Record<'a>> {
        match at.checked_sub(self.below.len()) {
            None => self.below.get(at),
            Some(at) => self.above.get(at),
        }
    }

    /// Every record with its place.
    pub(super) fn iter(self) -> impl Iterator<Item = (usize, Record<'a>)> {
        // The records of a page are mostly adjacent.
        let mut latest = (None, false);
        let mut below = (0..).zip(self.below.iter()).filter(move |(_, record)| {
            if latest.0 != Some(record.page) {
                latest = (Some(record.page), self.replaced.contains(&record.page));
            }
            !latest.1
        });
        let mut above = (self.below.len()..).zip(self.above.iter()).peekable();
        let mut next_below = below.next();
        std::iter::from_fn(move || match (&next_below, above.peek()) {
            (Some((_, low)), Some((_, high))) if high.section < low.section => above.next(),
            (Some(_), _) => std::mem::replace(&mut next_below, below.next()),
            (None, _) => above.next(),
        })
    }

    /// The records of one section.
    pub(super) fn of(self, section: i64) -> impl Iterator<Item = Record<'a>> {
        let below = self.below.of(section).filter(move |record| !self.replaced.contains(&record.page));
        below.chain(self.above.of(section))
    }
}
