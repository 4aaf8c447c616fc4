//! Reads grammars from their crates: the tables from memory, the lexers from the C sources.
#![allow(unsafe_code)]

use std::collections::HashMap;
use std::ffi::{CStr, c_char};
use std::path::PathBuf;
use std::slice;

use cargo_metadata::MetadataCommand;
use tree_sitter_language::LanguageFn;

use super::automaton;
use crate::grammar::native::{FieldEntry, Layout};
use crate::grammar::packed::{Entry, Tables};
use crate::grammar::{Grammar, Parts};

/// The grammar as its crate provides it, and its source in the folder of the crate.
pub fn original(grammar: Grammar) -> (LanguageFn, &'static str, &'static str) {
    match grammar {
        Grammar::Bash => (tree_sitter_bash::LANGUAGE, "tree-sitter-bash", "src"),
        Grammar::C => (tree_sitter_c::LANGUAGE, "tree-sitter-c", "src"),
        Grammar::CSharp => (tree_sitter_c_sharp::LANGUAGE, "tree-sitter-c-sharp", "src"),
        Grammar::Cpp => (tree_sitter_cpp::LANGUAGE, "tree-sitter-cpp", "src"),
        Grammar::Go => (tree_sitter_go::LANGUAGE, "tree-sitter-go", "src"),
        Grammar::Java => (tree_sitter_java::LANGUAGE, "tree-sitter-java", "src"),
        Grammar::JavaScript => (tree_sitter_javascript::LANGUAGE, "tree-sitter-javascript", "src"),
        Grammar::Kotlin => (tree_sitter_kotlin_ng::LANGUAGE, "tree-sitter-kotlin-ng", "src"),
        Grammar::Php => (tree_sitter_php::LANGUAGE_PHP, "tree-sitter-php", "php/src"),
        Grammar::Python => (tree_sitter_python::LANGUAGE, "tree-sitter-python", "src"),
        Grammar::Ruby => (tree_sitter_ruby::LANGUAGE, "tree-sitter-ruby", "src"),
        Grammar::Rust => (tree_sitter_rust::LANGUAGE, "tree-sitter-rust", "src"),
        Grammar::Swift => (tree_sitter_swift::LANGUAGE, "tree-sitter-swift", "src"),
        Grammar::Tsx => (tree_sitter_typescript::LANGUAGE_TSX, "tree-sitter-typescript", "tsx/src"),
        Grammar::TypeScript => {
            (tree_sitter_typescript::LANGUAGE_TYPESCRIPT, "tree-sitter-typescript", "typescript/src")
        }
    }
}

/// Where Cargo keeps the source of each package.
pub fn sources() -> HashMap<String, PathBuf> {
    let manifest = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let metadata =
        MetadataCommand::new().manifest_path(manifest).other_options(["--locked".to_owned()]).exec().unwrap();
    let folder = |path: &cargo_metadata::camino::Utf8Path| path.parent().unwrap().as_std_path().to_owned();
    metadata.packages.iter().map(|one| (one.name.to_string(), folder(&one.manifest_path))).collect()
}

pub fn parts(grammar: Grammar, sources: &HashMap<String, PathBuf>) -> Parts {
    let (function, package, folder) = original(grammar);
    let source = std::fs::read_to_string(sources[package].join(folder).join("parser.c")).unwrap();
    let (lexer, keywords) = automaton::lexers(&source);
    // SAFETY: the function returns a pointer to a grammar that the C compiler laid out as `parser.h` says. Before ABI 15
    // the last fields are missing, and `tables` does not read them.
    let tables = unsafe { tables(function.into_raw()().cast::<Layout>()) };
    Parts { tables, lexer, keywords }
}

/// # Safety
///
/// `layout` points to a complete grammar.
unsafe fn tables(layout: *const Layout) -> Tables {
    // SAFETY: by the contract of this function. The lengths are those that tree-sitter assumes when it reads the tables.
    unsafe {
        let short = |number: u32| u16::try_from(number).unwrap();
        let abi = short((*layout).abi_version);
        let mut tables = Tables {
            abi,
            symbols: short((*layout).symbol_count),
            aliases: short((*layout).alias_count),
            tokens: short((*layout).token_count),
            external_tokens: short((*layout).external_token_count),
            states: short((*layout).state_count),
            large_states: short((*layout).large_state_count),
            productions: short((*layout).production_id_count),
            fields: short((*layout).field_count),
            longest_alias_sequence: (*layout).max_alias_sequence_length,
            keyword_token: (*layout).keyword_capture_token,
            ..Tables::default()
        };
        let (symbols, states) = (usize::from(tables.symbols), usize::from(tables.states));
        let (large, productions) = (usize::from(tables.large_states), usize::from(tables.productions));
        tables.symbol_names = texts((*layout).symbol_names, symbols + usize::from(tables.aliases));
        tables.field_names = texts((*layout).field_names.add(1), usize::from(tables.fields));
        tables.large_table = list((*layout).parse_table, large * symbols);
        let map = list((*layout).small_parse_table_map, states - large);
        for at in map {
            let row = small_row((*layout).small_parse_table.add(at as usize));
            tables.small_map.push(u32::try_from(tables.small_table.len()).unwrap());
            tables.small_table.extend(row);
        }
        tables.actions = actions(&tables, (*layout).parse_actions);
        tables.symbol_metadata = list((*layout).symbol_metadata, symbols + usize::from(tables.aliases));
        tables.public_symbols = list((*layout).public_symbol_map, symbols + usize::from(tables.aliases));
        tables.alias_map = alias_map((*layout).alias_map);
        let longest = usize::from(tables.longest_alias_sequence);
        tables.alias_sequences = list((*layout).alias_sequences, productions * longest);
        if tables.fields > 0 {
            tables.field_slices = list((*layout).field_map_slices, productions);
            let count =
                tables.field_slices.iter().map(|[at, length]| usize::from(at + length)).max().unwrap();
            let entries: Vec<FieldEntry> = list((*layout).field_map_entries, count);
            let pair = |one: &FieldEntry| [one.field, u16::from_le_bytes([one.child, one.inherited])];
            tables.field_entries = entries.iter().map(pair).collect();
        }
        let width = if abi < 15 { 2 } else { 3 };
        tables.lex_modes = list((*layout).lex_modes, states * width);
        let largest = |column: usize| tables.lex_modes.iter().skip(column).step_by(width).max().copied();
        if tables.external_tokens > 0 {
            let count = usize::from(tables.external_tokens);
            let external = usize::from(largest(1).unwrap()) + 1;
            tables.external_states = list((*layout).external_states, external * count);
            tables.external_symbols = list((*layout).external_symbol_map, count);
        }
        tables.primary_states = list((*layout).primary_state_ids, states);
        if abi >= 15 {
            tables.name = text((*layout).name);
            tables.version = (*layout).metadata;
            tables.largest_reserved_set = (*layout).max_reserved_word_set_size;
            let sets = usize::from(largest(2).unwrap()) + 1;
            let length = usize::from(tables.largest_reserved_set) * sets;
            tables.reserved_words = list((*layout).reserved_words, length);
            supertypes(&mut tables, layout);
        }
        tables
    }
}

unsafe fn supertypes(tables: &mut Tables, layout: *const Layout) {
    // SAFETY: as in `tables`, for a grammar of ABI 15.
    unsafe {
        tables.supertypes = list((*layout).supertype_symbols, (*layout).supertype_count as usize);
        if let Some(last) = tables.supertypes.iter().max() {
            tables.supertype_slices = list((*layout).supertype_map_slices, usize::from(*last) + 1);
            let end =
                tables.supertype_slices.iter().map(|[at, length]| usize::from(at + length)).max().unwrap();
            tables.supertype_entries = list((*layout).supertype_map_entries, end);
        }
    }
}

unsafe fn small_row(row: *const u16) -> Vec<u16> {
    // SAFETY: as in `tables`.
    unsafe {
        let mut length = 1;
        for _ in 0..*row {
            length += 2 + usize::from(*row.add(length + 1));
        }
        list(row, length)
    }
}

/// The entries up to the last one that a row of the parse table refers to.
unsafe fn actions(tables: &Tables, entries: *const Entry) -> Vec<Entry> {
    let tokens = usize::from(tables.tokens);
    let large = tables.large_table.chunks_exact(usize::from(tables.symbols)).flat_map(|row| &row[..tokens]);
    let mut last = usize::from(*large.max().unwrap_or(&0));
    for start in &tables.small_map {
        let mut at = *start as usize + 1;
        for _ in 0..tables.small_table[at - 1] {
            let (value, length) = (tables.small_table[at], usize::from(tables.small_table[at + 1]));
            let symbols = &tables.small_table[at + 2..at + 2 + length];
            if symbols.iter().any(|symbol| usize::from(*symbol) < tokens) {
                last = last.max(value.into());
            }
            at += 2 + length;
        }
    }
    let mut found = Vec::new();
    while found.len() <= last {
        // SAFETY: as in `tables`: there is an entry at `last`, and after each header as many as it counts.
        unsafe {
            let Entry([count, reusable, ..]) = *entries.add(found.len());
            found.push(Entry::header(count, reusable == 1));
            for _ in 0..count {
                found.push(cleaned(*entries.add(found.len())));
            }
        }
    }
    found
}

/// The entry without what the compiler left between its fields.
fn cleaned(Entry(bytes): Entry) -> Entry {
    let pair = |at: usize| u16::from_ne_bytes([bytes[at], bytes[at + 1]]);
    match bytes[0] {
        0 => Entry::shift(pair(2), bytes[4] == 1, bytes[5] == 1),
        1 => Entry::reduce(bytes[1], pair(2), pair(4), pair(6)),
        other => Entry::other(other),
    }
}

/// Symbols, each with a count of others, up to a 0.
unsafe fn alias_map(map: *const u16) -> Vec<u16> {
    // SAFETY: as in `tables`.
    unsafe {
        let mut length = 0;
        while *map.add(length) != 0 {
            length += 2 + usize::from(*map.add(length + 1));
        }
        list(map, length + 1)
    }
}

unsafe fn list<T: Copy>(first: *const T, length: usize) -> Vec<T> {
    if length == 0 {
        return Vec::new();
    }
    // SAFETY: as in `tables`.
    unsafe { slice::from_raw_parts(first, length) }.to_vec()
}

unsafe fn texts(first: *const *const c_char, length: usize) -> Vec<String> {
    // SAFETY: as in `tables`.
    unsafe { list(first, length).into_iter().map(|one| text(one)).collect() }
}

unsafe fn text(text: *const c_char) -> String {
    // SAFETY: as in `tables`.
    unsafe { CStr::from_ptr(text) }.to_str().unwrap().to_owned()
}
