//! Compares the packed grammars with those of their crates. UBP_UPDATE=1 packs them again.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod automaton;
mod crates;
mod packing;
mod same_trees;

use std::fs;
use std::path::PathBuf;

use super::{Grammar, packed, unpacked};

fn place(grammar: Grammar) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("grammars").join(format!("{}.lzma", grammar.file()))
}

/// What the program contains must be what the pinned versions of the crates contain.
#[test]
fn packed_grammars_have_the_tables_and_lexers_of_their_crates() {
    let update = std::env::var_os("UBP_UPDATE").is_some_and(|value| value == "1");
    let sources = crates::sources();
    for grammar in Grammar::ALL {
        let parts = crates::parts(*grammar, &sources);
        let numbers = packing::written(&parts);
        assert!(
            packed::read(&numbers).unwrap() == parts,
            "{grammar:?}: reading is not the inverse of writing"
        );
        if update {
            fs::write(place(*grammar), packing::deflated(&numbers)).unwrap();
        } else {
            let same = unpacked(*grammar).is_some_and(|found| found == parts);
            assert!(same, "{grammar:?}: run UBP_UPDATE=1 cargo test -p ubp-symbols packed_grammars_have");
        }
    }
}

/// A damaged file is an error, not a panic or an endless loop.
#[test]
fn truncated_grammars_are_refused() {
    let numbers = packed::inflated(&fs::read(place(Grammar::Go)).unwrap()).unwrap();
    for length in (0..numbers.len()).step_by(97) {
        assert!(packed::read(&numbers[..length]).is_none(), "{length}");
    }
    assert!(packed::read(&numbers).is_some());
}
