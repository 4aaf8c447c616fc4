//! Finds the symbol that an anchor names.

use std::collections::{BTreeMap, BTreeSet};

use strsim::normalized_damerau_levenshtein;

use crate::definition::{Definition, Kind};

/// What an anchor such as `Session.refresh` leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target<'a> {
    /// One symbol: a definition, or several with the same path, such as overloads.
    Found(Vec<&'a Definition>),
    /// Symbols with different paths. The anchor needs more of the path.
    Ambiguous(Vec<String>),
    /// Nothing. The names are similar, the most similar first.
    Missing(Vec<String>),
}

/// Maximum number of similar names.
const MOST_SIMILAR: usize = 3;
/// Maximum size in bytes of a name for which similar ones are looked for. The time grows with its square.
const LONGEST: usize = 300;
/// How similar a name must be, from 0 to 1.
const SIMILAR: f64 = 0.6;

/// Finds the symbol with the name that follows `#`. The name is a path, or the end of one: `refresh` finds
/// `Session.refresh` if there is only one. Names in between may be left out: `Session.fmt` finds `Session.Display.fmt`.
/// Headings are found by their text, and by the fragment that links to them have.
pub fn find<'a>(definitions: &'a [Definition], anchor: &str) -> Target<'a> {
    let as_written: Vec<&Definition> = definitions.iter().filter(|one| one.qualified() == anchor).collect();
    if !as_written.is_empty() && as_written.iter().all(|one| one.path == as_written[0].path) {
        return Target::Found(as_written);
    }
    let wanted = normalized(anchor);
    for fits in [is_path, is_end, is_part, is_path_in_any_case, is_fragment] {
        let found: Vec<&Definition> = definitions.iter().filter(|one| fits(one, &wanted)).collect();
        let paths: BTreeSet<&[String]> = found.iter().map(|one| one.path.as_slice()).collect();
        match paths.len() {
            0 => {}
            1 => return Target::Found(found),
            _ => return Target::Ambiguous(unique(found.iter().map(|one| one.qualified()))),
        }
    }
    Target::Missing(similar(definitions, &wanted))
}

/// The anchor as it is usually written: `Session::refresh()` is `Session.refresh`.
fn normalized(anchor: &str) -> String {
    let anchor = anchor.trim().trim_start_matches('#');
    let anchor =
        anchor.split_once('(').map_or(anchor, |(name, _)| if name.is_empty() { anchor } else { name });
    anchor.replace("::", ".").replace('#', ".").trim().to_owned()
}

/// Names may contain dots, so paths are compared as text.
fn is_path(one: &Definition, wanted: &str) -> bool {
    one.qualified() == wanted
}

fn is_end(one: &Definition, wanted: &str) -> bool {
    one.qualified().strip_suffix(wanted).is_some_and(|rest| rest.ends_with('.'))
}

/// Whether the wanted names are some of those in the path, in the same order, and the last is the last.
fn is_part(one: &Definition, wanted: &str) -> bool {
    let wanted: Vec<&str> = wanted.split('.').collect();
    let mut path = one.path.iter();
    wanted.last().is_some_and(|last| *last == one.name())
        && wanted.iter().all(|name| path.any(|own| own == name))
}

/// Names in SQL are the same in upper and lower case.
fn is_path_in_any_case(one: &Definition, wanted: &str) -> bool {
    let ignores_case = matches!(
        one.kind,
        Kind::Table | Kind::Column | Kind::View | Kind::Index | Kind::Trigger | Kind::Heading
    );
    let (path, wanted) = (one.qualified().to_lowercase(), wanted.to_lowercase());
    ignores_case && (path == wanted || path.strip_suffix(&wanted).is_some_and(|rest| rest.ends_with('.')))
}

fn is_fragment(one: &Definition, wanted: &str) -> bool {
    one.kind == Kind::Heading && fragment(one.name()) == wanted.to_lowercase()
}

/// The fragment of links to a heading, as most programs make it.
fn fragment(heading: &str) -> String {
    let kept = heading.to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn unique(names: impl Iterator<Item = String>) -> Vec<String> {
    names.collect::<BTreeSet<String>>().into_iter().collect()
}

/// Paths whose last name, or whole path, is close to what was wanted.
fn similar(definitions: &[Definition], wanted: &str) -> Vec<String> {
    if wanted.len() > LONGEST {
        return Vec::new();
    }
    let wanted = wanted.to_lowercase();
    let name = wanted.rsplit('.').next().unwrap_or(&wanted);
    let mut scores: BTreeMap<String, f64> = BTreeMap::new();
    for one in definitions {
        let path = one.qualified();
        let by_name = normalized_damerau_levenshtein(&one.name().to_lowercase(), name);
        let by_path = normalized_damerau_levenshtein(&path.to_lowercase(), &wanted);
        // The same name elsewhere is a better guess than a similar one.
        let score = f64::max(by_name, by_path);
        if score >= SIMILAR {
            scores.insert(path, score + by_path / 10.0);
        }
    }
    let mut scores: Vec<(String, f64)> = scores.into_iter().collect();
    scores.sort_by(|a, b| b.1.total_cmp(&a.1));
    scores.into_iter().take(MOST_SIMILAR).map(|(path, _)| path).collect()
}
