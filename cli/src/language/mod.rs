//! The language of the terminal: chosen by the environment, as gettext chooses it. Its words are in catalogues in
//! gettext's format, one folder per language.

mod catalogue;
mod help;
mod retelling;
mod usage;

use ubp_core::message::Language;
use ubp_host::Environment;

pub use catalogue::{Entry, JAPANESE, entries};
pub use help::texts;
pub(crate) use help::translated;
pub use retelling::{LIBRARIES, STORED};
pub(crate) use usage::explained;

/// The language for messages: the first one in `LANGUAGE` that there is a catalogue for, or else the one of
/// `LC_ALL`, `LC_MESSAGES` or `LANG`. `LANGUAGE` counts only in a locale, as in gettext.
pub fn of(environment: &Environment) -> Language {
    let set = |name: &str| environment.get(name).filter(|value| !value.is_empty());
    let Some(locale) = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(set) else {
        return Language::ENGLISH;
    };
    // Messages are written in UTF-8, which a terminal in another encoding cannot show.
    let encoding = locale.split_once('.').map_or("UTF-8", |(_, rest)| rest.split('@').next().unwrap_or(rest));
    if !["UTF-8", "UTF8"].contains(&encoding.to_uppercase().as_str()) || ["C", "POSIX"].contains(&locale) {
        return Language::ENGLISH;
    }
    let wanted = set("LANGUAGE").map(|list| list.split(':').collect()).unwrap_or_default();
    let wanted: Vec<&str> = if locale.starts_with("C.") { Vec::new() } else { wanted };
    wanted.into_iter().chain([locale]).find_map(known).unwrap_or(Language::ENGLISH)
}

fn known(locale: &str) -> Option<Language> {
    match locale.split(['_', '.', '@', '-']).next()? {
        "ja" => Some(JAPANESE),
        "en" => Some(Language::ENGLISH),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen<const N: usize>(variables: [(&str, &str); N]) -> &'static str {
        of(&Environment::with(variables)).tag()
    }

    #[test]
    fn variables_count_in_the_order_of_posix() {
        assert_eq!(chosen([]), "en");
        assert_eq!(chosen([("LANG", "ja_JP.UTF-8")]), "ja");
        assert_eq!(chosen([("LANG", "ja")]), "ja");
        assert_eq!(chosen([("LANG", "ja_JP.utf8"), ("LC_MESSAGES", "en_US.UTF-8")]), "en");
        assert_eq!(chosen([("LANG", "en_US.UTF-8"), ("LC_MESSAGES", "ja_JP.UTF-8")]), "ja");
        assert_eq!(chosen([("LC_MESSAGES", "ja_JP.UTF-8"), ("LC_ALL", "C")]), "en");
        assert_eq!(chosen([("LANG", "ja_JP.UTF-8"), ("LC_ALL", "")]), "ja");
        assert_eq!(chosen([("LANG", "de_DE.UTF-8")]), "en");
    }

    #[test]
    fn a_list_of_languages_counts_in_a_locale() {
        assert_eq!(chosen([("LANGUAGE", "ja")]), "en");
        assert_eq!(chosen([("LANGUAGE", "ja"), ("LANG", "C")]), "en");
        assert_eq!(chosen([("LANGUAGE", "ja"), ("LANG", "C.UTF-8")]), "en");
        assert_eq!(chosen([("LANGUAGE", "fr:ja:en"), ("LANG", "en_US.UTF-8")]), "ja");
        assert_eq!(chosen([("LANGUAGE", "en:ja"), ("LANG", "ja_JP.UTF-8")]), "en");
        assert_eq!(chosen([("LANGUAGE", "fr"), ("LANG", "ja_JP.UTF-8")]), "ja");
    }

    #[test]
    fn a_terminal_in_another_encoding_gets_english() {
        assert_eq!(chosen([("LANG", "ja_JP.eucJP")]), "en");
        assert_eq!(chosen([("LANG", "ja_JP.SJIS")]), "en");
    }
}
