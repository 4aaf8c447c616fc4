//! Names, compared as people write them: `max_depth`, `maxDepth`, `--max-depth` and `MAX_DEPTH` are the same.

use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::AhoCorasick;

use super::project::{File, Role};
use crate::threads::on_each_core;
use crate::{Context, Error, Result};

/// Between the words of a folded text.
const BREAK: char = '\n';

/// A file above this size, in bytes, may contain every word: it is not read.
pub(super) const LARGEST: u64 = 8 * 1024 * 1024;

/// A name without case, `_` and `-`.
pub(super) fn key(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// The key of a path, or of other words next to each other.
pub(super) fn keys(text: &str) -> String {
    let words: Vec<String> = words(text).map(key).filter(|key| !key.is_empty()).collect();
    words.join("\n")
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// The names in a text.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_part(c)).filter(|word| !word.is_empty())
}

/// The keys of all names of a text, one a line.
fn folded(text: &str, into: &mut String) {
    into.clear();
    into.push(BREAK);
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            into.push(c.to_ascii_lowercase());
        } else if !is_part(c) && !into.ends_with(BREAK) {
            into.push(BREAK);
        }
    }
    into.push(BREAK);
}

/// Where a key is in the project. It counts within longer names too: code builds names from parts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Presence {
    /// Whether it is a whole name in a file that is not a page.
    pub is_name: bool,
    /// Whether a file that is not a page has it.
    pub in_code: bool,
    /// The first two files that have it, as indexes.
    files: [Option<usize>; 2],
}

impl Presence {
    fn add(&mut self, file: usize) {
        match self.files {
            [Some(first), _] if first == file => {}
            [None, _] => self.files[0] = Some(file),
            [_, None] => self.files[1] = Some(file),
            _ => {}
        }
    }

    /// Whether another file has it.
    pub(super) fn is_outside(&self, file: Option<usize>) -> bool {
        self.files.iter().any(|other| other.is_some() && *other != file)
    }
}

/// Looks for keys in all files but those about the past, on all cores.
///
/// # Errors
/// [`Error::Cancelled`]; [`Error::Internal`] for more keys than can be looked for.
pub(super) fn presence(context: &Context<'_>, files: &[File], keys: &[String]) -> Result<Vec<Presence>> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let finder = AhoCorasick::new(keys).map_err(|error| Error::Internal(error.to_string()))?;
    let next = AtomicUsize::new(0);
    let work = || -> Result<Vec<Presence>> {
        let mut found = vec![Presence::default(); keys.len()];
        let mut text = String::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = files.get(at) else { return Ok(found) };
            context.cancel.check()?;
            if file.role == Role::Exempt || file.size > LARGEST {
                continue;
            }
            let Ok(bytes) = context.source.read_source(&file.path) else { continue };
            if bytes.iter().take(8_000).any(|byte| *byte == 0) {
                continue;
            }
            folded(&String::from_utf8_lossy(&bytes), &mut text);
            for hit in finder.find_overlapping_iter(&text) {
                let Some(presence) = found.get_mut(hit.pattern().as_usize()) else { continue };
                presence.add(at);
                if file.role == Role::Code {
                    presence.in_code = true;
                    let is_break = |byte: Option<&u8>| byte == Some(&(BREAK as u8));
                    let before = hit.start().checked_sub(1).and_then(|at| text.as_bytes().get(at));
                    presence.is_name |= is_break(before) && is_break(text.as_bytes().get(hit.end()));
                }
            }
        }
    };
    let mut all = vec![Presence::default(); keys.len()];
    for found in on_each_core(work) {
        for (all, found) in all.iter_mut().zip(found?) {
            all.is_name |= found.is_name;
            all.in_code |= found.in_code;
            found.files.into_iter().flatten().for_each(|file| all.add(file));
        }
    }
    Ok(all)
}
