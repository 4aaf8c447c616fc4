//! Rewriting links for a rename: finds the links that would lead elsewhere after pages, files or headings get other names,
//! and rewrites them to keep their destinations. Every rewritten page is parsed and resolved again before anything is
//! written.

use std::ops::Range;

use crate::{path, text};

#[cfg(not(target_family = "wasm"))]
mod entries;
mod follow;
mod moves;
mod spell;
mod world;

pub(crate) use follow::{Follower, Places, Renaming};
pub(crate) use moves::{MovedSource, Moves};
#[cfg(not(target_family = "wasm"))]
pub(crate) use spell::encoded;
#[cfg(test)]
pub(crate) use spell::plain as tests_plain;
pub(crate) use world::World;

/// Texts that replace ranges of bytes, in order and without overlaps.
pub(crate) type Edits = Vec<(Range<usize>, String)>;

/// `text` with the ranges replaced; they must be in order and not overlap.
pub(crate) fn spliced(text: &str, splices: &[(Range<usize>, String)]) -> Option<String> {
    let mut edited = String::with_capacity(text.len() + 64);
    let mut from = 0;
    for (range, insert) in splices {
        edited.push_str(text.get(from..range.start)?);
        edited.push_str(insert);
        from = range.end;
    }
    edited.push_str(text.get(from..)?);
    Some(edited)
}

/// All folded names of a page with this path, title and aliases.
pub(crate) fn keys(path: &str, title: &str, aliases: &[String]) -> Vec<String> {
    let names = [path::page_name(path), title].into_iter().chain(aliases.iter().map(String::as_str));
    names.map(text::fold_key).collect()
}
