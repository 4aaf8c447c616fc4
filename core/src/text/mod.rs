//! Text as the index sees it: what a word is, what a query looks for, which excerpt of
//! a text to show, and how many tokens a text takes.
//!
//! Index, query and snippet share one scanner, so they agree on what a word is.
//!
//! `tests.rs` checks indexing and queries against FTS5 itself.

mod fence;
mod fold;
mod identifier;
mod index;
mod matcher;
mod overlap;
mod parse;
#[cfg(not(target_family = "wasm"))]
mod parts;
mod query;
mod scan;
mod snippet;
mod stop;
#[cfg(test)]
mod tests;
mod visible;

pub(crate) use fence::Fence;
pub(crate) use fold::{Class, class};
pub use fold::{fold_key, heading_key, loose_key};
pub(crate) use index::phrase_terms;
pub use index::{BARRIER, index_terms};
#[cfg(not(target_family = "wasm"))]
pub(crate) use matcher::same_stem;
pub(crate) use overlap::Overlap;
#[cfg(not(target_family = "wasm"))]
pub(crate) use parts::MOST_BYTES;
#[cfg(not(target_family = "wasm"))]
pub use parts::parts;
pub use query::{Alternative, MAX_QUERY_BYTES, MAX_TERMS, Phrase, Query, Term, TermClass, read_part};
pub(crate) use snippet::cells;
pub use snippet::{Snippet, snippet};
pub use visible::visible;

/// `bytes` in hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Estimated number of tokens of `text`: one for every 4 ASCII bytes, rounded up, and one
/// for every other character.
pub fn estimate_tokens(text: &str) -> usize {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    let starts = text.bytes().filter(|b| (*b as i8) >= -0x40).count();
    ascii.div_ceil(4) + (starts - ascii)
}
