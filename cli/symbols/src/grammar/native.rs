//! Grammars with the memory layout that the C library of tree-sitter reads. This is the only `unsafe` code of the crate.
//!
//! # Invariants
//!
//! - [`Layout`] has the fields of `TSLanguage` in `parser.h`, up to ABI 15. `load` refuses other versions.
//! - Everything that a [`Layout`] points to is leaked, so that it is valid as long as the process runs. Each grammar is
//!   loaded once.
//! - Trees are the same as those of the grammar's own crate, which the test `packed_grammars_parse_like_their_crates`
//!   checks.
#![allow(unsafe_code)]

use std::ffi::{CString, c_char, c_uint, c_void};
use std::ptr;
use std::sync::OnceLock;

use tree_sitter::Language;
use tree_sitter::ffi::TSLanguage;

use super::lexer::{ASCII, Lexer};
use super::packed::{Entry, Tables};
use super::{COUNT, Grammar, Parts};

/// Versions of the layout that this file knows.
const ABIS: std::ops::RangeInclusive<u16> = 14..=15;

/// `TSLexer`: the text, at a position.
#[repr(C)]
pub struct Input {
    lookahead: i32,
    result_symbol: u16,
    advance: unsafe extern "C" fn(*mut Self, bool),
    mark_end: unsafe extern "C" fn(*mut Self),
    get_column: unsafe extern "C" fn(*mut Self) -> u32,
    is_at_included_range_start: unsafe extern "C" fn(*const Self) -> bool,
    eof: unsafe extern "C" fn(*const Self) -> bool,
    log: *const c_void,
}

/// The instances of a function for all grammars.
macro_rules! functions {
    ($function:ident) => {
        functions!($function 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14)
    };
    ($function:ident $($number:literal)*) => {
        [$($function::<$number>),*]
    };
}

type Lex = unsafe extern "C" fn(*mut Input, u16) -> bool;

/// The functions of a scanner: code that finds the tokens which an automaton cannot find. All are null if a grammar has none.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Scanner {
    create: Option<unsafe extern "C" fn() -> *mut c_void>,
    destroy: Option<unsafe extern "C" fn(*mut c_void)>,
    scan: Option<unsafe extern "C" fn(*mut c_void, *mut Input, *const bool) -> bool>,
    serialize: Option<unsafe extern "C" fn(*mut c_void, *mut c_char) -> c_uint>,
    deserialize: Option<unsafe extern "C" fn(*mut c_void, *const c_char, c_uint)>,
}

/// `TSFieldMapEntry`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct FieldEntry {
    pub field: u16,
    pub child: u8,
    pub inherited: u8,
}

/// `TSLanguage`.
#[repr(C)]
pub struct Layout {
    pub abi_version: u32,
    pub symbol_count: u32,
    pub alias_count: u32,
    pub token_count: u32,
    pub external_token_count: u32,
    pub state_count: u32,
    pub large_state_count: u32,
    pub production_id_count: u32,
    pub field_count: u32,
    pub max_alias_sequence_length: u16,
    pub parse_table: *const u16,
    pub small_parse_table: *const u16,
    pub small_parse_table_map: *const u32,
    pub parse_actions: *const Entry,
    pub symbol_names: *const *const c_char,
    pub field_names: *const *const c_char,
    pub field_map_slices: *const [u16; 2],
    pub field_map_entries: *const FieldEntry,
    pub symbol_metadata: *const [u8; 3],
    pub public_symbol_map: *const u16,
    pub alias_map: *const u16,
    pub alias_sequences: *const u16,
    pub lex_modes: *const u16,
    pub lex_fn: Option<Lex>,
    pub keyword_lex_fn: Option<Lex>,
    pub keyword_capture_token: u16,
    pub external_states: *const u8,
    pub external_symbol_map: *const u16,
    pub scanner: Scanner,
    pub primary_state_ids: *const u16,
    pub name: *const c_char,
    pub reserved_words: *const u16,
    pub max_reserved_word_set_size: u16,
    pub supertype_count: u32,
    pub supertype_symbols: *const u16,
    pub supertype_map_slices: *const [u16; 2],
    pub supertype_map_entries: *const u16,
    pub metadata: [u8; 3],
}

/// Makes a grammar that tree-sitter can use, and keeps it in memory.
pub fn load(grammar: Grammar, parts: Parts) -> Option<Language> {
    ABIS.contains(&parts.tables.abi).then_some(())?;
    let lex = LEX[grammar as usize];
    let keywords = parts.keywords.is_some().then_some(LEX_KEYWORDS[grammar as usize]);
    let lexers = &LEXERS[grammar as usize];
    lexers.set((parts.lexer, parts.keywords)).ok()?;
    let layout = layout(parts.tables, lex, keywords, scanner(grammar))?;
    // SAFETY: the layout is complete, by the invariants of this module, and is never freed.
    Some(unsafe { Language::from_raw(ptr::from_ref(Box::leak(Box::new(layout))).cast::<TSLanguage>()) })
}

fn layout(tables: Tables, lex: Lex, keywords: Option<Lex>, scanner: Scanner) -> Option<Layout> {
    let field_entries: Vec<FieldEntry> = tables
        .field_entries
        .iter()
        .map(|[field, rest]| {
            let [child, inherited] = rest.to_le_bytes();
            FieldEntry { field: *field, child, inherited }
        })
        .collect();
    let mut field_names = texts(tables.field_names)?;
    field_names.insert(0, ptr::null());
    Some(Layout {
        abi_version: tables.abi.into(),
        symbol_count: tables.symbols.into(),
        alias_count: tables.aliases.into(),
        token_count: tables.tokens.into(),
        external_token_count: tables.external_tokens.into(),
        state_count: tables.states.into(),
        large_state_count: tables.large_states.into(),
        production_id_count: tables.productions.into(),
        field_count: tables.fields.into(),
        max_alias_sequence_length: tables.longest_alias_sequence,
        parse_table: kept(tables.large_table),
        small_parse_table: kept(tables.small_table),
        small_parse_table_map: kept(tables.small_map),
        parse_actions: kept(tables.actions),
        symbol_names: kept(texts(tables.symbol_names)?),
        field_names: kept(field_names),
        field_map_slices: kept(tables.field_slices),
        field_map_entries: kept(field_entries),
        symbol_metadata: kept(tables.symbol_metadata),
        public_symbol_map: kept(tables.public_symbols),
        alias_map: kept(tables.alias_map),
        alias_sequences: kept(tables.alias_sequences),
        lex_modes: kept(tables.lex_modes),
        lex_fn: Some(lex),
        keyword_lex_fn: keywords,
        keyword_capture_token: tables.keyword_token,
        external_states: kept(tables.external_states),
        external_symbol_map: kept(tables.external_symbols),
        scanner,
        primary_state_ids: kept(tables.primary_states),
        name: CString::new(tables.name).ok()?.into_raw(),
        reserved_words: kept(tables.reserved_words),
        max_reserved_word_set_size: tables.largest_reserved_set,
        supertype_count: u32::try_from(tables.supertypes.len()).ok()?,
        supertype_symbols: kept(tables.supertypes),
        supertype_map_slices: kept(tables.supertype_slices),
        supertype_map_entries: kept(tables.supertype_entries),
        metadata: tables.version,
    })
}

/// A list that stays in memory, null if it is empty.
fn kept<T>(list: Vec<T>) -> *const T {
    if list.is_empty() { ptr::null() } else { list.leak().as_ptr() }
}

fn texts(texts: Vec<String>) -> Option<Vec<*const c_char>> {
    texts.into_iter().map(|text| Some(CString::new(text).ok()?.into_raw().cast_const())).collect()
}

/// The lexer of each loaded grammar, and the one for its keywords.
static LEXERS: [OnceLock<(Lexer, Option<Lexer>)>; COUNT] = [const { OnceLock::new() }; COUNT];

/// A function for each grammar, because tree-sitter does not tell a lexer to which grammar it belongs.
const LEX: [Lex; COUNT] = functions!(lex);
const LEX_KEYWORDS: [Lex; COUNT] = functions!(lex_keywords);

unsafe extern "C" fn lex<const GRAMMAR: usize>(input: *mut Input, state: u16) -> bool {
    let Some((lexer, _)) = LEXERS[GRAMMAR].get() else { return false };
    // SAFETY: tree-sitter calls this function with a valid lexer.
    unsafe { run(lexer, input, state) }
}

unsafe extern "C" fn lex_keywords<const GRAMMAR: usize>(input: *mut Input, state: u16) -> bool {
    let Some((_, Some(lexer))) = LEXERS[GRAMMAR].get() else { return false };
    // SAFETY: tree-sitter calls this function with a valid lexer.
    unsafe { run(lexer, input, state) }
}

/// Does what the macros `START_LEXER`, `ADVANCE`, `SKIP`, `ACCEPT_TOKEN` and `END_STATE` of `parser.h` do.
///
/// # Safety
///
/// `input` points to the lexer of a running parser, which no other thread uses.
unsafe fn run(lexer: &Lexer, input: *mut Input, mut number: u16) -> bool {
    let mut found = false;
    loop {
        let Some(state) = lexer.state(number) else { return false };
        if state.accepts != 0 {
            found = true;
            // SAFETY: by the contract of this function.
            unsafe {
                (*input).result_symbol = state.accepts - 1;
                ((*input).mark_end)(input);
            }
        }
        // SAFETY: by the contract of this function. `eof` and `advance` are functions of the lexer.
        let character = unsafe { (*input).lookahead };
        let step = match usize::try_from(character) {
            // The end of the text looks like the character 0.
            // SAFETY: as above.
            Ok(0) if unsafe { ((*input).eof)(input) } => state.at_end,
            Ok(place) if place < ASCII => state.ascii[place],
            Ok(_) => lexer.beyond_ascii(state, character.unsigned_abs()),
            Err(_) => state.at_invalid,
        };
        if step == 0 {
            return found;
        }
        number = (step - 1) >> 1;
        // SAFETY: as above.
        unsafe { ((*input).advance)(input, (step - 1) & 1 == 1) };
    }
}

macro_rules! scanners {
    ($($grammar:ident $module:ident from $krate:ident,)*) => {
        $(
            mod $module {
                use std::ffi::{c_char, c_uint, c_void};
                use super::Input;
                use $krate as _;

                unsafe extern "C" {
                    #[link_name = concat!("tree_sitter_", stringify!($module), "_external_scanner_create")]
                    pub fn create() -> *mut c_void;
                    #[link_name = concat!("tree_sitter_", stringify!($module), "_external_scanner_destroy")]
                    pub fn destroy(scanner: *mut c_void);
                    #[link_name = concat!("tree_sitter_", stringify!($module), "_external_scanner_scan")]
                    pub fn scan(scanner: *mut c_void, input: *mut Input, expected: *const bool) -> bool;
                    #[link_name = concat!("tree_sitter_", stringify!($module), "_external_scanner_serialize")]
                    pub fn serialize(scanner: *mut c_void, buffer: *mut c_char) -> c_uint;
                    #[link_name = concat!("tree_sitter_", stringify!($module), "_external_scanner_deserialize")]
                    pub fn deserialize(scanner: *mut c_void, buffer: *const c_char, length: c_uint);
                }
            }
        )*

        fn scanner(grammar: Grammar) -> Scanner {
            match grammar {
                Grammar::Kotlin => Scanner { scan: Some(scan_kotlin), ..own_scanner(grammar) },
                _ => own_scanner(grammar),
            }
        }

        fn own_scanner(grammar: Grammar) -> Scanner {
            match grammar {
                $(Grammar::$grammar => Scanner {
                    create: Some($module::create),
                    destroy: Some($module::destroy),
                    scan: Some($module::scan),
                    serialize: Some($module::serialize),
                    deserialize: Some($module::deserialize),
                },)*
                Grammar::C | Grammar::Go | Grammar::Java => Scanner::default(),
            }
        }
    };
}

/// Places in the list of tokens that Kotlin's scanner may find.
const KOTLIN_SEMICOLON: usize = 0;
const KOTLIN_MEMBER_SEMICOLON: usize = 1;
const KOTLIN_STRING_CONTENT: usize = 6;
const KOTLIN_TOKENS: usize = 11;

/// Kotlin's scanner, with two corrections. In it, the last member of a class has to end with a line break or a semicolon, so
/// that `object A { fun b() {} }` is an error. And after an error, it takes the rest of the file for a string.
unsafe extern "C" fn scan_kotlin(scanner: *mut c_void, input: *mut Input, expected: *const bool) -> bool {
    // SAFETY: tree-sitter passes as many values as the grammar has external tokens.
    let mut tokens = unsafe { *expected.cast::<[bool; KOTLIN_TOKENS]>() };
    let is_after_error = tokens.iter().all(|expected| *expected);
    if is_after_error {
        tokens[KOTLIN_STRING_CONTENT] = false;
    } else if tokens[KOTLIN_MEMBER_SEMICOLON] && !tokens[KOTLIN_SEMICOLON] && !tokens[KOTLIN_STRING_CONTENT] {
        // SAFETY: tree-sitter calls this function with a valid lexer, which has these functions.
        unsafe {
            ((*input).mark_end)(input);
            let mut next = (*input).lookahead;
            while matches!(next, 0x20 | 0x09) {
                ((*input).advance)(input, true);
                next = (*input).lookahead;
            }
            if next == i32::from(b'}') {
                (*input).result_symbol = KOTLIN_MEMBER_SEMICOLON as u16;
                return true;
            }
        }
    }
    // SAFETY: as above.
    unsafe { kotlin::scan(scanner, input, tokens.as_ptr()) }
}

scanners! {
    Bash bash from tree_sitter_bash,
    CSharp c_sharp from tree_sitter_c_sharp,
    Cpp cpp from tree_sitter_cpp,
    JavaScript javascript from tree_sitter_javascript,
    Kotlin kotlin from tree_sitter_kotlin_ng,
    Php php from tree_sitter_php,
    Python python from tree_sitter_python,
    Ruby ruby from tree_sitter_ruby,
    Rust rust from tree_sitter_rust,
    Swift swift from tree_sitter_swift,
    Tsx tsx from tree_sitter_typescript,
    TypeScript typescript from tree_sitter_typescript,
}
