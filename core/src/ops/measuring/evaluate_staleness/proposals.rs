//! References that a person would write: from sections to the symbols that they name in code spans.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Files;
use super::bindings::{Bindings, Named, Place};
use super::contents::{Contents, is_code, is_page};
use crate::{Context, Result};

/// A symbol that more sections name is not what they are about.
const MOST_SECTIONS: usize = 4;

/// Shorter names are often something else.
const SHORTEST: usize = 3;

/// Binds each section to the symbols that it names in code spans, if the name has exactly one definition in the code and at
/// most [`MOST_SECTIONS`] sections name it.
pub(super) fn propose(context: &Context<'_>, contents: &mut Contents<'_>, files: &Files) -> Result<Bindings> {
    contents.read_code(files)?;
    let mut defined: HashMap<String, BTreeSet<(&str, String)>> = HashMap::new();
    for (file, id) in files.iter().filter(|(file, _)| is_code(context, file)) {
        let Some(code) = contents.code(file, id) else { continue };
        for symbol in &code.symbols {
            // Keys of data are often words of other meanings.
            if symbol.parts.first().is_some_and(|part| part.kind != "key") {
                let last = symbol.name.rsplit('.').next().unwrap_or(&symbol.name);
                defined.entry(last.to_owned()).or_default().insert((file, symbol.name.clone()));
            }
        }
    }
    let mut named: BTreeMap<Named, BTreeSet<Place>> = BTreeMap::new();
    for (file, id) in files.iter().filter(|(file, _)| is_page(context, file)) {
        let Some(page) = contents.page(id) else { continue };
        for section in &page.sections {
            for name in section.spans.iter().filter_map(|span| name(span)) {
                if let Some((file_of, name)) = only_definition(&defined, &name) {
                    let place = Place { page: file.clone(), section: Some(section.id.clone()) };
                    named.entry(Named::Symbol(file_of, name)).or_default().insert(place);
                }
            }
        }
    }
    let mut bound = Bindings::default();
    for (symbol, places) in named {
        if places.len() <= MOST_SECTIONS {
            places.into_iter().for_each(|place| bound.add(place, symbol.clone()));
        }
    }
    Ok(bound)
}

fn only_definition(
    defined: &HashMap<String, BTreeSet<(&str, String)>>,
    name: &str,
) -> Option<(String, String)> {
    let with_name = defined.get(name.rsplit('.').next()?)?;
    let is_meant =
        |full: &str| full == name || full.strip_suffix(name).is_some_and(|rest| rest.ends_with('.'));
    let mut meant = with_name.iter().filter(|(_, full)| is_meant(full));
    let (file, full) = meant.next()?;
    meant.next().is_none().then(|| ((*file).to_owned(), full.clone()))
}

/// The name in a code span, such as `Session.refresh` of `Session::refresh(user)`. Plain words in lower case are names only
/// if brackets follow.
fn name(span: &str) -> Option<String> {
    let (name, is_called) = match span.trim().split_once('(') {
        Some((name, _)) => (name, true),
        None => (span.trim(), false),
    };
    let name = name.replace("::", ".").replace('#', ".");
    let is_word = |part: &str| {
        !part.is_empty()
            && !part.starts_with(|c: char| c.is_ascii_digit())
            && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
    };
    let is_name = name.len() >= SHORTEST && name.split('.').all(is_word);
    let is_plain = !name.contains(['.', '_']) && !name.chars().any(char::is_uppercase);
    (is_name && (is_called || !is_plain)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_looks_like_a_name_is_a_name() {
        for (span, expected) in [
            ("Session::refresh(user)", Some("Session.refresh")),
            ("Session#refresh", Some("Session.refresh")),
            ("MAX_AGE", Some("MAX_AGE")),
            ("login()", Some("login")),
            ("login", None),
            ("a.b", Some("a.b")),
            ("id()", None),
            ("src/login.ts", None),
            ("ubp stale", None),
            ("--flag", None),
            ("3.14", None),
        ] {
            assert_eq!(name(span).as_deref(), expected, "{span}");
        }
    }
}
