//! The catalogues, read when a language is first used.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use polib::po_file::parse_from_reader;
use ubp_core::message::Language;
use ubp_core::word;

use super::retelling::Retelling;

/// Japanese.
pub const JAPANESE: Language = Language::new(
    "ja",
    |english| WORDS.get(english).map(|translated| Cow::Borrowed(translated.as_str())),
    |english| Some(RETELLING.told(english, &WORDS)),
);

/// The Japanese texts, by the English ones.
static WORDS: LazyLock<HashMap<String, String>> =
    LazyLock::new(|| entries("ja").into_iter().map(|entry| (entry.english, entry.translated)).collect());

static RETELLING: LazyLock<Retelling> = LazyLock::new(|| {
    let text = |english: &str| WORDS.get(english).map_or(english, String::as_str).to_owned();
    Retelling::new(&entries("ja"), text(word!("{translated} ({words})")), text(word!("“{words}”")))
});

/// A deflated file, with its name.
type Packed = (&'static str, &'static [u8]);

/// The files of each language.
const FILES: &[(&str, &[Packed])] = include!(concat!(env!("OUT_DIR"), "/catalogues.rs"));

/// An entry of a catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name of its file, without the extension.
    pub domain: &'static str,
    /// The English template.
    pub english: String,
    /// What it is in the language.
    pub translated: String,
}

/// All entries of a language. Numbers with a noun are under their singular: Japanese has one form for all numbers.
pub fn entries(tag: &str) -> Vec<Entry> {
    let files = FILES.iter().find(|(known, _)| *known == tag).map(|(_, files)| *files).unwrap_or_default();
    // The files are part of the program, and a test reads them.
    let catalogues = files.iter().filter_map(|(domain, packed)| {
        let file = miniz_oxide::inflate::decompress_to_vec(packed).ok()?;
        Some((*domain, parse_from_reader(file.as_slice()).ok()?))
    });
    let mut all = Vec::new();
    for (domain, catalogue) in catalogues {
        for message in catalogue.messages().filter(|message| message.is_translated()) {
            let forms = message.is_plural().then(|| message.msgstr_plural().ok()).flatten();
            let form = forms.and_then(|forms| forms.first().cloned());
            let translated = form.or_else(|| message.msgstr().ok().map(str::to_owned)).unwrap_or_default();
            all.push(Entry { domain, english: message.msgid().to_owned(), translated });
        }
    }
    all
}
