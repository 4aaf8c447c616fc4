//! The form in which grammars are stored: numbers of 16 bits, compressed by LZMA.
//!
//! Rows of the parse table repeat themselves. In a grammar for C, tree-sitter stores the rows of states with many symbols
//! as arrays indexed by symbol, and the others as groups of symbols with an equal value. Here, all rows are groups, and each
//! distinct group of symbols is stored once, which LZMA compresses to half of what it needs for the arrays.

use std::io::Read;

use lzma_rust2::LzmaReader;

use super::Parts;
use super::lexer::Lexer;

/// An entry of the table of actions, with the layout of `TSParseActionEntry`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(2))]
pub struct Entry(pub [u8; 8]);

/// Shift, reduce, accept and recover are the types of actions. The first two have values.
const SHIFT: u16 = 0;
const REDUCE: u16 = 1;

/// The tables of a grammar. They have the contents that tree-sitter's `parser.h` describes under the same names.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tables {
    pub abi: u16,
    pub version: [u8; 3],
    pub symbols: u16,
    pub aliases: u16,
    pub tokens: u16,
    pub external_tokens: u16,
    pub states: u16,
    pub large_states: u16,
    pub productions: u16,
    pub fields: u16,
    pub longest_alias_sequence: u16,
    pub keyword_token: u16,
    pub largest_reserved_set: u16,
    pub name: String,
    pub symbol_names: Vec<String>,
    pub field_names: Vec<String>,
    pub large_table: Vec<u16>,
    pub small_table: Vec<u16>,
    pub small_map: Vec<u32>,
    pub actions: Vec<Entry>,
    pub field_slices: Vec<[u16; 2]>,
    pub field_entries: Vec<[u16; 2]>,
    pub symbol_metadata: Vec<[u8; 3]>,
    pub public_symbols: Vec<u16>,
    pub alias_map: Vec<u16>,
    pub alias_sequences: Vec<u16>,
    /// Two numbers per state until ABI 14, then three.
    pub lex_modes: Vec<u16>,
    pub external_states: Vec<u8>,
    pub external_symbols: Vec<u16>,
    pub primary_states: Vec<u16>,
    pub reserved_words: Vec<u16>,
    pub supertypes: Vec<u16>,
    pub supertype_slices: Vec<[u16; 2]>,
    pub supertype_entries: Vec<u16>,
}

impl Entry {
    /// The entry before the actions of a state and a symbol: how many follow, and whether a node may be reused.
    pub const fn header(count: u8, reusable: bool) -> Self {
        Self([count, reusable as u8, 0, 0, 0, 0, 0, 0])
    }

    pub const fn shift(state: u16, extra: bool, repetition: bool) -> Self {
        let [a, b] = state.to_ne_bytes();
        Self([SHIFT as u8, 0, a, b, extra as u8, repetition as u8, 0, 0])
    }

    pub const fn reduce(children: u8, symbol: u16, precedence: u16, production: u16) -> Self {
        let ([a, b], [c, d], [e, f]) =
            (symbol.to_ne_bytes(), precedence.to_ne_bytes(), production.to_ne_bytes());
        Self([REDUCE as u8, children, a, b, c, d, e, f])
    }

    pub const fn other(kind: u8) -> Self {
        Self([kind, 0, 0, 0, 0, 0, 0, 0])
    }
}

/// The numbers in a file of `grammars/`.
pub fn inflated(file: &[u8]) -> Option<Vec<u16>> {
    let mut bytes = Vec::new();
    LzmaReader::new_mem_limit(file, u32::MAX, None).ok()?.read_to_end(&mut bytes).ok()?;
    Some(bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect())
}

/// `None` if `numbers` is not a grammar.
pub fn read(numbers: &[u16]) -> Option<Parts> {
    let mut from = Numbers(numbers);
    let mut tables = counts(&mut from)?;
    tables.name = from.text()?;
    tables.symbol_names = from.texts()?;
    tables.field_names = from.texts()?;
    rows(&mut from, &mut tables)?;
    tables.actions = actions(&mut from)?;
    tables.field_slices = from.pairs()?;
    tables.field_entries = from.pairs()?;
    tables.symbol_metadata = from.list()?.iter().map(|bits| [*bits, bits >> 1, bits >> 2].map(bit)).collect();
    tables.public_symbols = undo_steps(from.list()?);
    tables.alias_map = from.list()?;
    tables.alias_sequences = from.list()?;
    tables.lex_modes = from.list()?;
    tables.external_states = from.list()?.into_iter().map(bit).collect();
    tables.external_symbols = from.list()?;
    tables.primary_states = undo_steps(from.list()?);
    tables.reserved_words = from.list()?;
    tables.supertypes = from.list()?;
    tables.supertype_slices = from.pairs()?;
    tables.supertype_entries = from.list()?;
    let lexer = Lexer::read(&mut from)?;
    let keywords = if from.next()? == 1 { Some(Lexer::read(&mut from)?) } else { None };
    from.0.is_empty().then_some(Parts { tables, lexer, keywords })
}

fn bit(value: u16) -> u8 {
    u8::from(value & 1 == 1)
}

fn counts(from: &mut Numbers<'_>) -> Option<Tables> {
    Some(Tables {
        abi: from.next()?,
        version: [from.byte()?, from.byte()?, from.byte()?],
        symbols: from.next()?,
        aliases: from.next()?,
        tokens: from.next()?,
        external_tokens: from.next()?,
        states: from.next()?,
        large_states: from.next()?,
        productions: from.next()?,
        fields: from.next()?,
        longest_alias_sequence: from.next()?,
        keyword_token: from.next()?,
        largest_reserved_set: from.next()?,
        ..Tables::default()
    })
}

/// The distinct groups of symbols, then for each state its groups, each with its value.
fn rows(from: &mut Numbers<'_>, tables: &mut Tables) -> Option<()> {
    let mut groups = Vec::new();
    for _ in 0..from.next()? {
        groups.push(undo_differences(from.list()?));
    }
    let width = usize::from(tables.symbols);
    tables.large_table = vec![0; width * usize::from(tables.large_states)];
    for state in 0..tables.states {
        let count = from.next()?;
        let large = usize::from(state) * width;
        if state >= tables.large_states {
            tables.small_map.push(u32::try_from(tables.small_table.len()).ok()?);
            tables.small_table.push(count);
        }
        for _ in 0..count {
            let group: &Vec<u16> = groups.get(usize::from(from.next()?))?;
            let value = from.next()?;
            if state < tables.large_states {
                for symbol in group {
                    *tables.large_table.get_mut(large + usize::from(*symbol))? = value;
                }
            } else {
                tables.small_table.extend([value, u16::try_from(group.len()).ok()?]);
                tables.small_table.extend(group);
            }
        }
    }
    Some(())
}

fn actions(from: &mut Numbers<'_>) -> Option<Vec<Entry>> {
    let mut entries = Vec::new();
    for _ in 0..from.next()? {
        let header = from.next()?;
        let [count, reusable] = header.to_le_bytes();
        entries.push(Entry::header(count, reusable == 1));
        for _ in 0..count {
            entries.push(match from.next()? {
                SHIFT => {
                    let state = from.next()?;
                    let flags = from.next()?;
                    Entry::shift(state, flags & 1 == 1, flags & 2 == 2)
                }
                REDUCE => Entry::reduce(from.byte()?, from.next()?, from.next()?, from.next()?),
                kind => Entry::other(u8::try_from(kind).ok()?),
            });
        }
    }
    Some(entries)
}

/// Numbers that were stored as differences to their place.
fn undo_steps(mut numbers: Vec<u16>) -> Vec<u16> {
    for (place, number) in numbers.iter_mut().enumerate() {
        *number = number.wrapping_add(place as u16);
    }
    numbers
}

/// Numbers that were stored as differences to the number before.
fn undo_differences(mut numbers: Vec<u16>) -> Vec<u16> {
    let mut last = 0_u16;
    for number in &mut numbers {
        last = last.wrapping_add(*number);
        *number = last;
    }
    numbers
}

/// What is left to read.
pub struct Numbers<'a>(pub &'a [u16]);

impl Numbers<'_> {
    pub fn next(&mut self) -> Option<u16> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn byte(&mut self) -> Option<u8> {
        u8::try_from(self.next()?).ok()
    }

    /// A number of 32 bits.
    pub fn long(&mut self) -> Option<u32> {
        Some(u32::from(self.next()?) << 16 | u32::from(self.next()?))
    }

    /// A list after its length.
    pub fn list(&mut self) -> Option<Vec<u16>> {
        let length = usize::try_from(self.long()?).ok()?;
        let (list, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(list.to_vec())
    }

    fn pairs(&mut self) -> Option<Vec<[u16; 2]>> {
        Some(self.list()?.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect())
    }

    fn text(&mut self) -> Option<String> {
        let bytes: Option<Vec<u8>> = self.list()?.into_iter().map(|byte| u8::try_from(byte).ok()).collect();
        String::from_utf8(bytes?).ok()
    }

    fn texts(&mut self) -> Option<Vec<String>> {
        (0..self.next()?).map(|_| self.text()).collect()
    }
}
