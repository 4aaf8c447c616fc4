//! Writes grammars in the form that `packed` reads.

use std::collections::HashMap;
use std::io::Write as _;

use lzma_rust2::{LzmaOptions, LzmaWriter};

use crate::grammar::Parts;
use crate::grammar::lexer::{ASCII, Lexer};
use crate::grammar::packed::{Entry, Tables};

pub fn deflated(numbers: &[u16]) -> Vec<u8> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let mut options = LzmaOptions::with_preset(9);
    (options.lc, options.lp, options.pb) = (0, 1, 1);
    options.nice_len = 273;
    options.dict_size = u32::try_from(bytes.len()).unwrap().max(1 << 12);
    let mut writer = LzmaWriter::new_use_header(Vec::new(), &options, Some(bytes.len() as u64)).unwrap();
    writer.write_all(&bytes).unwrap();
    writer.finish().unwrap()
}

pub fn written(parts: &Parts) -> Vec<u16> {
    let mut out = Out::default();
    let tables = &parts.tables;
    let [major, minor, patch] = tables.version.map(u16::from);
    out.0.extend([
        tables.abi,
        major,
        minor,
        patch,
        tables.symbols,
        tables.aliases,
        tables.tokens,
        tables.external_tokens,
        tables.states,
        tables.large_states,
        tables.productions,
        tables.fields,
        tables.longest_alias_sequence,
        tables.keyword_token,
        tables.largest_reserved_set,
    ]);
    out.text(&tables.name);
    out.texts(&tables.symbol_names);
    out.texts(&tables.field_names);
    rows(tables, &mut out);
    actions(&tables.actions, &mut out);
    out.pairs(&tables.field_slices);
    out.pairs(&tables.field_entries);
    let metadata: Vec<u16> =
        tables.symbol_metadata.iter().map(|[a, b, c]| u16::from(*a | b << 1 | c << 2)).collect();
    out.list(&metadata);
    out.list(&steps(&tables.public_symbols));
    out.list(&tables.alias_map);
    out.list(&tables.alias_sequences);
    out.list(&tables.lex_modes);
    let states: Vec<u16> = tables.external_states.iter().map(|state| u16::from(*state)).collect();
    out.list(&states);
    out.list(&tables.external_symbols);
    out.list(&steps(&tables.primary_states));
    out.list(&tables.reserved_words);
    out.list(&tables.supertypes);
    out.pairs(&tables.supertype_slices);
    out.list(&tables.supertype_entries);
    lexer(&parts.lexer, &mut out);
    out.0.push(u16::from(parts.keywords.is_some()));
    if let Some(keywords) = &parts.keywords {
        lexer(keywords, &mut out);
    }
    out.0
}

/// The groups of symbols with an equal value in a row that is indexed by symbol, in the order of their first symbols.
fn groups_of(row: &[u16]) -> Vec<(u16, Vec<u16>)> {
    let mut places = HashMap::new();
    let mut groups: Vec<(u16, Vec<u16>)> = Vec::new();
    for (symbol, value) in (0_u16..).zip(row).filter(|(_, value)| **value != 0) {
        let place = *places.entry(*value).or_insert(groups.len());
        if place == groups.len() {
            groups.push((*value, Vec::new()));
        }
        groups[place].1.push(symbol);
    }
    groups
}

fn small_row(table: &[u16]) -> Vec<(u16, Vec<u16>)> {
    let mut at = 1;
    let mut groups = Vec::new();
    for _ in 0..table[0] {
        let length = usize::from(table[at + 1]);
        groups.push((table[at], table[at + 2..at + 2 + length].to_vec()));
        at += 2 + length;
    }
    groups
}

fn rows(tables: &Tables, out: &mut Out) {
    let large = tables.large_table.chunks_exact(usize::from(tables.symbols)).map(groups_of);
    let small = tables.small_map.iter().map(|at| small_row(&tables.small_table[*at as usize..]));
    let rows: Vec<Vec<(u16, Vec<u16>)>> = large.chain(small).collect();
    let mut places = HashMap::new();
    let mut distinct = Vec::new();
    for (_, group) in rows.iter().flatten() {
        places.entry(group.clone()).or_insert_with(|| {
            distinct.push(group.clone());
            u16::try_from(distinct.len() - 1).unwrap()
        });
    }
    out.0.push(u16::try_from(distinct.len()).unwrap());
    for group in &distinct {
        out.list(&differences(group));
    }
    for row in &rows {
        out.0.push(u16::try_from(row.len()).unwrap());
        for (value, group) in row {
            out.0.extend([places[group], *value]);
        }
    }
}

fn actions(entries: &[Entry], out: &mut Out) {
    let mut headers = 0_u16;
    let mut numbers = Vec::new();
    let mut entries = entries.iter();
    while let Some(Entry([count, reusable, ..])) = entries.next() {
        headers += 1;
        numbers.push(u16::from_le_bytes([*count, *reusable]));
        for _ in 0..*count {
            let Entry(bytes) = entries.next().unwrap();
            let pair = |at: usize| u16::from_ne_bytes([bytes[at], bytes[at + 1]]);
            numbers.push(bytes[0].into());
            match bytes[0] {
                0 => numbers.extend([pair(2), u16::from(bytes[4] | bytes[5] << 1)]),
                1 => numbers.extend([bytes[1].into(), pair(2), pair(4), pair(6)]),
                _ => {}
            }
        }
    }
    out.0.push(headers);
    out.0.extend(numbers);
}

fn lexer(lexer: &Lexer, out: &mut Out) {
    let (states, divisions) = lexer.parts();
    out.0.push(u16::try_from(divisions.len()).unwrap());
    for runs in divisions {
        out.0.push(u16::try_from(runs.len()).unwrap());
        for (first, class) in runs {
            out.long(*first);
            out.0.push(*class);
        }
    }
    out.0.push(u16::try_from(states.len()).unwrap());
    for state in states {
        out.0.extend([state.accepts, state.at_end, state.at_invalid]);
        let starts = (0..ASCII).filter(|at| *at == 0 || state.ascii[*at] != state.ascii[*at - 1]);
        let runs: Vec<u16> = starts.flat_map(|at| [u16::try_from(at).unwrap(), state.ascii[at]]).collect();
        out.0.push(u16::try_from(runs.len() / 2).unwrap());
        out.0.extend(runs);
        out.0.push(state.division);
        out.list(&state.classes);
    }
}

fn steps(numbers: &[u16]) -> Vec<u16> {
    numbers.iter().enumerate().map(|(place, number)| number.wrapping_sub(place as u16)).collect()
}

fn differences(numbers: &[u16]) -> Vec<u16> {
    let mut last = 0_u16;
    numbers.iter().map(|number| number.wrapping_sub(std::mem::replace(&mut last, *number))).collect()
}

#[derive(Default)]
struct Out(Vec<u16>);

impl Out {
    fn long(&mut self, number: u32) {
        self.0.extend([(number >> 16) as u16, number as u16]);
    }

    fn list(&mut self, list: &[u16]) {
        self.long(u32::try_from(list.len()).unwrap());
        self.0.extend(list);
    }

    fn pairs(&mut self, pairs: &[[u16; 2]]) {
        self.list(pairs.as_flattened());
    }

    fn text(&mut self, text: &str) {
        self.list(&text.bytes().map(u16::from).collect::<Vec<_>>());
    }

    fn texts(&mut self, texts: &[String]) {
        self.0.push(u16::try_from(texts.len()).unwrap());
        for text in texts {
            self.text(text);
        }
    }
}
