//! Parses code with a packed grammar and with that of its crate.

use std::fs;
use std::path::PathBuf;

use tree_sitter::{Language, Parser};

use super::crates::original;
use crate::grammar::Grammar;

/// All nodes, and whether there is an error.
fn tree(language: &Language, text: &[u8]) -> (String, bool) {
    let mut parser = Parser::new();
    parser.set_language(language).unwrap();
    let tree = parser.parse(text, None).unwrap();
    let mut out = String::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let (kind, range, field) = (node.kind(), node.byte_range(), cursor.field_name());
        let flags = [node.is_named(), node.is_extra(), node.is_missing(), node.has_error()];
        out.push_str(&format!("{} {kind} {range:?} {field:?} {flags:?}\n", node.kind_id()));
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return (out, tree.root_node().has_error());
            }
        }
    }
}

/// The cases of all languages, code that is cut off or damaged, and text that is not code at all, in every grammar.
#[test]
fn packed_grammars_parse_like_their_crates() {
    let cases = fs::read_dir(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("cases")).unwrap();
    let mut texts: Vec<Vec<u8>> = cases.map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect();
    for text in texts.clone() {
        texts.push(text[..text.len() / 2].to_vec());
        texts.push(text.iter().map(|byte| if byte % 13 == 0 { 0xFF } else { *byte }).collect());
    }
    texts.push("名前 ＝ 『値』 ñ é 𝒳 \u{0} \u{FEFF} \u{2028}\r\n\tend".into());
    assert!(texts.len() > 20, "{}", texts.len());
    for grammar in Grammar::ALL {
        compare(*grammar, &texts);
    }
}

fn compare(grammar: Grammar, texts: &[Vec<u8>]) {
    let crates = Language::new(original(grammar).0);
    let packed = grammar.language().unwrap();
    for text in texts {
        let (found, _) = tree(&packed, text);
        let (expected, has_error) = tree(&crates, text);
        // Its scanner is corrected, for code that is an error without that.
        if grammar == Grammar::Kotlin && has_error {
            continue;
        }
        let differs = found.lines().zip(expected.lines()).find(|(a, b)| a != b);
        assert!(found == expected, "{grammar:?}: {differs:?}");
    }
}
