//! Folding: which spellings are equal. Names are folded lightly, because two pages may differ by an
//! accent. Words of the index are folded heavily, because queries are often typed without accents.

use unicode_normalization::char::{decompose_canonical, is_combining_mark};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// The key by which page names, titles and aliases are compared: NFC, case-folded (`ß` is `ss`,
/// `İ` is `i`, `ς` is `σ`), white space collapsed and trimmed. Accents, width
/// and kana stay distinct. Idempotent.
pub fn fold_key(text: &str) -> String {
    if text.is_ascii() {
        return collapsed(text.chars().map(|c| c.to_ascii_lowercase()), text.len());
    }
    let folded: String = match is_nfc_quick(text.chars()) {
        IsNormalized::Yes => folded(text.chars()).collect(),
        _ => folded(text.nfc()).collect(),
    };
    collapsed(folded.nfc(), folded.len())
}

/// The key by which links to headings are compared: letters and digits only, folded, because links cannot contain
/// all other characters.
pub fn heading_key(heading: &str) -> String {
    fold_key(heading).chars().filter(|c| c.is_alphanumeric()).collect()
}

/// A looser key, for completion: like [`fold_key`], but also ignores width (`ＡＰＩ`, `ﾃﾞｰﾀ`),
/// accents on Latin letters, and the difference between hiragana and katakana.
pub fn loose_key(text: &str) -> String {
    if text.is_ascii() {
        return fold_key(text);
    }
    let kana = |c| match c {
        'ァ'..='ヶ' => char::from_u32(u32::from(c) - 0x60).unwrap_or(c),
        _ => c,
    };
    let stripped: String =
        folded(text.nfkc()).flat_map(|c| folded(std::iter::once(base(c)))).map(kana).collect();
    collapsed(stripped.nfkc().filter(|&c| !is_dropped_accent(c)), stripped.len())
}

fn is_dropped_accent(c: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&c)
}

fn collapsed(chars: impl Iterator<Item = char>, capacity: usize) -> String {
    let mut out = String::with_capacity(capacity);
    let mut gap = false;
    for c in chars {
        if c.is_whitespace() {
            gap = !out.is_empty();
        } else {
            if std::mem::take(&mut gap) {
                out.push(' ');
            }
            out.push(c);
        }
    }
    out
}

fn folded(chars: impl Iterator<Item = char>) -> impl Iterator<Item = char> {
    chars.flat_map(|c| {
        let (first, second) = match c {
            'ß' | 'ẞ' => ('s', Some('s')),
            'İ' => ('i', None),
            'ς' => ('σ', None),
            'ſ' => ('s', None),
            _ => {
                let mut lower = c.to_lowercase();
                (lower.next().unwrap_or(c), lower.next())
            }
        };
        std::iter::once(first).chain(second)
    })
}

/// Appends `word` in lower case, folded as in [`fold_key`].
pub(super) fn push_lower(out: &mut String, word: &str) {
    if word.is_ascii() {
        let from = out.len();
        out.push_str(word);
        if let Some(tail) = out.get_mut(from..) {
            tail.make_ascii_lowercase();
        }
    } else {
        out.extend(folded(word.chars()).filter(|&c| is_common_letter(c) || !is_combining_mark(c)));
    }
}

/// A Latin letter without its accents. Other characters are unchanged: in other scripts (`й`, `が`) the
/// mark makes a different letter.
pub(super) fn base(c: char) -> char {
    if !matches!(c, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}') {
        return c;
    }
    let mut first = None;
    decompose_canonical(c, |part| first = first.or(Some(part)));
    first.unwrap_or(c)
}

/// Character classes of the scanner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Part of a word delimited by spaces.
    Word,
    /// A character of a script without spaces, indexed in pairs.
    Unspaced,
    /// Ignored inside a word: combining marks, joiners, soft hyphens.
    Skip,
    /// Everything else, including emoji and private use.
    Separator,
}

/// The most frequent characters beyond ASCII: letters without a compatibility form, and two full
/// stops. Avoids table lookups.
pub(super) fn is_common(c: char) -> bool {
    is_common_letter(c)
        || matches!(c, '\u{3001}'..='\u{3002}' | '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | 'ー'
            | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

/// Greek, Cyrillic, Hebrew and Arabic.
fn is_common_letter(c: char) -> bool {
    matches!(c, '\u{3ac}'..='\u{3ce}' | '\u{410}'..='\u{45f}' | '\u{5d0}'..='\u{5ea}' | '\u{621}'..='\u{64a}')
}

pub(crate) fn class(c: char) -> Class {
    if is_common_letter(c) {
        return Class::Word;
    }
    if is_unspaced(c) {
        if is_combining_mark(c) { Class::Skip } else { Class::Unspaced }
    } else if is_combining_mark(c)
        || matches!(c, '\u{ad}' | '\u{200c}' | '\u{200d}' | '\u{2060}' | '\u{feff}')
    {
        Class::Skip
    } else if c.is_alphanumeric() {
        Class::Word
    } else {
        Class::Separator
    }
}

/// Han, kana, Hangul, Bopomofo, and the scripts of South-East Asia without spaces between words.
fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{e01}'..='\u{e4e}' | '\u{e81}'..='\u{ece}' | '\u{1000}'..='\u{103f}' | '\u{1050}'..='\u{108f}'
        | '\u{1100}'..='\u{11ff}' | '\u{1780}'..='\u{17d3}' | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}'
        | '\u{3031}'..='\u{3035}' | '\u{303b}'..='\u{303c}' | '\u{3041}'..='\u{3096}' | '\u{309d}'..='\u{309f}'
        | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' | '\u{3105}'..='\u{312f}' | '\u{3131}'..='\u{318e}'
        | '\u{31a0}'..='\u{31bf}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{a960}'..='\u{a97c}' | '\u{ac00}'..='\u{d7a3}' | '\u{d7b0}'..='\u{d7fb}' | '\u{f900}'..='\u{faff}'
        | '\u{1b000}'..='\u{1b167}' | '\u{20000}'..='\u{3ffff}')
        && c.is_alphanumeric()
}

pub(super) fn is_hiragana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{309f}' | 'ー')
}

/// Whether `c` must not be separated from the character before it.
pub(super) fn extends_previous(c: char) -> bool {
    is_combining_mark(c)
        || matches!(c, '\u{200d}' | '\u{ff9e}' | '\u{ff9f}' | '\u{1160}'..='\u{11ff}' | '\u{1f3fb}'..='\u{1f3ff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_that_differ_by_form_case_or_space_are_equal() {
        for (a, b) in [
            ("Caf\u{e9}", "cafe\u{301}"),
            ("STRASSE", "Straße"),
            ("İstanbul", "istanbul"),
            ("ΟΔΟΣ", "οδος"),
            ("  Login \t\n Page ", "login page"),
            ("設計\u{3000}書", "設計 書"),
            ("か\u{3099}", "が"),
            ("한글", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}"),
        ] {
            assert_eq!(fold_key(a), fold_key(b), "{a} {b}");
        }
    }

    #[test]
    fn names_that_readers_tell_apart_stay_distinct() {
        for (a, b) in [("résumé", "resume"), ("ＡＰＩ", "API"), ("カ", "か"), ("が", "か"), ("ab", "a b")]
        {
            assert_ne!(fold_key(a), fold_key(b), "{a} {b}");
        }
    }

    #[test]
    fn the_loose_key_ignores_accents_width_and_kana() {
        for (a, b) in [("Résumé", "resume"), ("ＡＰＩ", "api"), ("ﾃﾞｰﾀ", "でーた"), ("カタカナ", "かたかな")]
        {
            assert_eq!(loose_key(a), loose_key(b), "{a} {b}");
        }
        assert_ne!(loose_key("が"), loose_key("か"));
        assert_eq!(loose_key("  Plain  Text "), "plain text");
    }

    proptest! {
        #[test]
        fn folding_twice_changes_nothing(text in "\\PC*") {
            let once = fold_key(&text);
            prop_assert_eq!(&fold_key(&once), &once);
            prop_assert_eq!(fold_key(&text.nfd().collect::<String>()), once);
        }
    }
}
