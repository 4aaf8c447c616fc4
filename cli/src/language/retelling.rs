//! English words that are no template: those of libraries, and texts that were stored before they are told. A catalogue
//! recognises them by its templates, and the values in them stay.

use std::collections::HashMap;

use regex::Regex;

use super::catalogue::Entry;

/// The file of the catalogue with texts that are stored before they are told.
pub const STORED: &str = "stored";

/// The file of the catalogue with words of libraries.
pub const LIBRARIES: &str = "libraries";

/// Placeholders whose values are such words again.
const WORDS: [&str; 2] = ["reason", "expected"];

/// The templates of a language by which such words are recognised.
pub(super) struct Retelling {
    /// Those with the most text first: the most specific one counts.
    templates: Vec<Template>,
    quoting: String,
    unknown: String,
}

struct Template {
    pattern: Regex,
    translated: String,
    is_foreign: bool,
}

impl Retelling {
    /// `quoting` is a `{translated}` text with the `{words}` of a library, and `unknown` is for other `{words}`.
    pub(super) fn new(entries: &[Entry], quoting: String, unknown: String) -> Self {
        let mut templates: Vec<(usize, Template)> = entries
            .iter()
            .filter(|entry| [STORED, LIBRARIES].contains(&entry.domain))
            .filter_map(|entry| {
                let (pattern, length) = pattern(&entry.english);
                let translated = entry.translated.clone();
                let is_foreign = entry.domain == LIBRARIES;
                Some((length, Template { pattern: Regex::new(&pattern).ok()?, translated, is_foreign }))
            })
            .collect();
        templates.sort_by_key(|(length, _)| std::cmp::Reverse(*length));
        Self { templates: templates.into_iter().map(|(_, template)| template).collect(), quoting, unknown }
    }

    /// `english` in the language, with the words of a library, or quoted if it is not known. `known` are texts without
    /// values.
    pub(super) fn told(&self, english: &str, known: &HashMap<String, String>) -> String {
        match self.translated(english, known) {
            (translated, true) => {
                self.quoting.replace("{translated}", &translated).replace("{words}", english)
            }
            (translated, false) => translated,
        }
    }

    /// `english` in the language, and whether these are words of a library.
    fn translated(&self, english: &str, known: &HashMap<String, String>) -> (String, bool) {
        let found = self
            .templates
            .iter()
            .find_map(|template| template.pattern.captures(english).map(|values| (template, values)));
        if let Some((template, values)) = found {
            let translated = filled(&template.translated, |name| {
                let value = values.name(name).map_or("", |value| value.as_str());
                match (WORDS.contains(&name), template.is_foreign) {
                    (false, _) => value.to_owned(),
                    (true, false) => self.told(value, known),
                    // The whole will be quoted.
                    (true, true) => self.translated(value, known).0,
                }
            });
            return (translated, template.is_foreign);
        }
        let translated = match known.get(english) {
            Some(translated) => translated.clone(),
            // A single word is a name, such as that of a file.
            None if !english.contains(char::is_whitespace) => english.to_owned(),
            None => self.unknown.replace("{words}", english),
        };
        (translated, false)
    }
}

/// A regular expression for the texts of a template, and the length of the template without its placeholders.
fn pattern(template: &str) -> (String, usize) {
    let mut pattern = String::from("^");
    let (mut names, mut length) = (Vec::new(), 0);
    each_part(template, |part| match part {
        Part::Text(text) => {
            pattern.push_str(&regex::escape(text));
            length += text.len();
        }
        Part::Name(name) if names.contains(&name) => pattern.push_str("(?s:.+?)"),
        Part::Name(name) => {
            pattern.push_str(&format!("(?s:(?<{name}>.+?))"));
            names.push(name);
        }
    });
    (pattern + "$", length)
}

/// `template` with a value for each name.
fn filled(template: &str, value: impl Fn(&str) -> String) -> String {
    let mut filled = String::new();
    each_part(template, |part| match part {
        Part::Text(text) => filled.push_str(text),
        Part::Name(name) => filled.push_str(&value(name)),
    });
    filled
}

enum Part<'t> {
    Text(&'t str),
    Name(&'t str),
}

/// Calls `take` with the parts of a template, in order. Doubled braces are text.
fn each_part<'t>(template: &'t str, mut take: impl FnMut(Part<'t>)) {
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(at);
        take(Part::Text(before));
        let name = from
            .strip_prefix('{')
            .filter(|after| !after.starts_with('{'))
            .and_then(|after| after.split_once('}'));
        match name {
            Some((name, after)) => {
                take(Part::Name(name));
                rest = after;
            }
            None => {
                take(Part::Text(&from[..1]));
                rest = from.get(2..).unwrap_or_default();
            }
        }
    }
    take(Part::Text(rest));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(words: &str) -> String {
        let entry = |domain, english: &str, translated: &str| Entry {
            domain,
            english: english.into(),
            translated: translated.into(),
        };
        let entries = [
            entry(STORED, "not YAML: {reason}", "YAML でない: {reason}"),
            entry(STORED, "`{key}` would change {{{key}}}", "{{{key}}} が変わる"),
            entry(LIBRARIES, "no such column: {name}", "列 {name} がない"),
            entry(LIBRARIES, "no such {thing}", "{thing} がない"),
            entry(LIBRARIES, "{reason} at line {line}", "{line} 行目: {reason}"),
            entry("answers", "{anything} of {all}", "{all} の {anything}"),
        ];
        let known = HashMap::from([("it is empty".to_owned(), "空".to_owned())]);
        Retelling::new(&entries, "{translated} <{words}>".into(), "「{words}」".into()).told(words, &known)
    }

    #[test]
    fn values_stay_and_reasons_are_told_too() {
        assert_eq!(told("not YAML: it is empty"), "YAML でない: 空");
        assert_eq!(told("not YAML: no such column: a b"), "YAML でない: 列 a b がない <no such column: a b>");
        assert_eq!(told("`x\ny` would change {x\ny}"), "{x\ny} が変わる");
    }

    #[test]
    fn the_most_specific_template_counts() {
        assert_eq!(told("no such column: x"), "列 x がない <no such column: x>");
        assert_eq!(told("no such table"), "table がない <no such table>");
    }

    #[test]
    fn the_words_of_a_library_are_quoted_once() {
        assert_eq!(told("no such table at line 2"), "2 行目: table がない <no such table at line 2>");
    }

    #[test]
    fn unknown_words_are_quoted() {
        assert_eq!(
            told("found character that cannot start any token"),
            "「found character that cannot start any token」"
        );
        assert_eq!(told("3 of 4"), "「3 of 4」", "a template of another file is not for such words");
        assert_eq!(told("sha256:abc"), "sha256:abc");
        assert_eq!(told(""), "");
    }
}
