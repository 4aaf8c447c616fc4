//! The catalogues, read when a language is first used.

use std::collections::HashMap;
use std::sync::LazyLock;

use polib::po_file::parse_from_reader;
use ubp_core::message::Language;

/// Japanese.
pub const JAPANESE: Language = Language::new("ja", |english| {
    static WORDS: LazyLock<HashMap<String, String>> =
        LazyLock::new(|| entries("ja").into_iter().map(|entry| (entry.english, entry.translated)).collect());
    WORDS.get(english).map(String::as_str)
});

/// The deflated files of each language.
const FILES: &[(&str, &[&[u8]])] = include!(concat!(env!("OUT_DIR"), "/catalogues.rs"));

/// An entry of a catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The English template.
    pub english: String,
    /// What it is in the language.
    pub translated: String,
}

/// All entries of a language. Numbers with a noun are under their singular: Japanese has one form for all numbers.
pub fn entries(tag: &str) -> Vec<Entry> {
    let files = FILES.iter().find(|(known, _)| *known == tag).map(|(_, files)| *files).unwrap_or_default();
    // The files are part of the program, and a test reads them.
    let catalogues = files.iter().filter_map(|packed| {
        let file = miniz_oxide::inflate::decompress_to_vec(packed).ok()?;
        parse_from_reader(file.as_slice()).ok()
    });
    let mut all = Vec::new();
    for catalogue in catalogues {
        for message in catalogue.messages().filter(|message| message.is_translated()) {
            let forms = message.is_plural().then(|| message.msgstr_plural().ok()).flatten();
            let form = forms.and_then(|forms| forms.first().cloned());
            let translated = form.or_else(|| message.msgstr().ok().map(str::to_owned)).unwrap_or_default();
            all.push(Entry { english: message.msgid().to_owned(), translated });
        }
    }
    all
}
