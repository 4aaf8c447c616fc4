//! Completes the name of a page while it is typed. The terminal, MCP clients and the editor share one ranking.

use crate::message;
use std::cmp::Reverse;
use std::sync::Arc;

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::Result;
use crate::index::{Letters, Name, NamedPage, PageNames};
use crate::ops::Facts;
use crate::ops::budget;
use crate::render::url;
use crate::show::{Page, Span, counted};
use crate::text::loose_key;

/// Facts about this operation.
pub const FACTS: Facts = Facts::reading(
    "Complete the name of a page: the letters must occur in this order in its title, alias or path.",
)
.at_once();

/// The typed text.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The text typed so far; empty for the first pages by path.
    #[serde(default)]
    pub text: String,
    /// Maximum number of pages, 1 to 100 (default: 10).
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<usize>,
}

/// The matching pages.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Pages, best first.
    pub pages: Vec<Completion>,
    /// Matching pages before `limit`.
    pub total: usize,
}

/// A matching page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Completion {
    /// Its path relative to the pages folder.
    pub filepath: String,
    /// Its title.
    pub title: String,
    /// The name that matches best: the title, an alias, or the path without its extension.
    pub name: String,
    /// Its address on a site, relative to the site's root, percent-encoded.
    pub url: String,
}

/// How well a name matches the typed text; greater is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    whole: bool,
    beginning: bool,
    letters: u32,
    /// Of two names that match the same letters, the shorter one matches better.
    length: Reverse<usize>,
}

/// Finds the pages.
///
/// # Errors
/// [`crate::Error::InvalidParams`] for a `limit` out of range, [`crate::Error::Database`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let limit = budget::ranged("limit", params.limit, 10, 1, 100)?;
    let names = context.index.page_names()?;
    let mut found = matching(&names, &loose_key(&params.text), limit);
    // Pages that match equally well stay in the order of their paths.
    found.sort_by_key(|(fit, ..)| Reverse(*fit));
    let total = found.len();
    let pages = context.index.read(|db| {
        let shown = found.into_iter().take(limit).map(|(_, page, name)| {
            Ok(Completion {
                filepath: page.filepath.clone(),
                title: page.title.clone(),
                name: name.to_owned(),
                url: url::encoded(&url::file_of(db, &page.filepath)?),
            })
        });
        shown.collect::<Result<_>>()
    })?;
    Ok(Output { pages, total })
}

/// The pages with a matching name, each with the name that matches best. If the names of `shown` pages begin with the typed
/// text, they come before all others, which are found but not compared: that is most of the time that it takes.
fn matching<'a>(
    names: &'a PageNames,
    typed: &str,
    shown: usize,
) -> Vec<(Option<Fit>, &'a NamedPage, &'a str)> {
    if typed.is_empty() {
        return names.pages.iter().map(|page| (None, &**page, page.title.as_str())).collect();
    }
    let pattern = Pattern::new(typed, CaseMatching::Respect, Normalization::Never, AtomKind::Fuzzy);
    let mut matcher = Matcher::new(Config::DEFAULT.match_paths());
    let required = Letters::of(typed);
    let begin = |page: &&Arc<NamedPage>| page.names.iter().any(|name| name.key.starts_with(typed));
    let compares = names.pages.iter().filter(begin).take(shown).count() < shown;
    let mut characters = Vec::new();
    let mut found = Vec::new();
    for page in &names.pages {
        let mut best: Option<(Fit, &str)> = None;
        for Name { name, key, length, letters } in &page.names {
            let beginning = key.starts_with(typed);
            // Nothing else is better than a beginning.
            let is_worse =
                best.as_ref().is_some_and(|(known, _)| !beginning && (known.beginning || !compares));
            if is_worse || !required.are_in(*letters) {
                continue;
            }
            let score = if compares || beginning || !key.is_ascii() {
                pattern.score(Utf32Str::new(key, &mut characters), &mut matcher)
            } else {
                pattern.atoms.iter().all(|atom| are_in_order(atom.needle_text(), key)).then_some(0)
            };
            let Some(letters) = score else { continue };
            let whole = key == typed;
            let fit = Fit { whole, beginning, letters, length: Reverse(*length) };
            // Of equally good names, the first is kept: the title before the others.
            if best.as_ref().is_none_or(|(known, _)| *known < fit) {
                best = Some((fit, name));
            }
        }
        found.extend(best.map(|(fit, name)| (Some(fit), &**page, name)));
    }
    found
}

/// Whether these letters occur in `key` in this order, as [`Pattern`] has it for ASCII.
fn are_in_order(letters: Utf32Str<'_>, key: &str) -> bool {
    let mut rest = key.chars();
    letters.chars().all(|letter| rest.any(|other| other == letter))
}

/// Shows the matching pages.
pub fn show(output: &Output, page: &mut dyn Page) {
    for found in &output.pages {
        let (path, title) = (Span::Path(&found.filepath), Span::Text(&found.title));
        if found.name == found.title {
            page.line(&[path, Span::Text("  "), title]);
        } else {
            let name = message!("as {name}", name = found.name);
            page.line(&[path, Span::Text("  "), title, Span::Text("  "), Span::faint(&name)]);
        }
    }
    let total = counted(output.total, "page matches", "pages match");
    page.note(&[Span::said(&match output.pages.len() {
        shown if shown == output.total => total,
        shown => message!("{total}; the first {shown} are shown", total, shown),
    })]);
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::index::tests::Project;

    fn names(text: &str) -> Vec<String> {
        let project = Project::with_pages([
            ("auth/login.md", "# Login Feature\n"),
            ("auth/logout.md", "# Leaving\n"),
            ("db.md", "---\ntitle: User Database\naliases: [UserDB, データベース]\n---\n"),
            ("resume.md", "# Résumé\n"),
        ]);
        let params = Params { text: text.into(), limit: None };
        run(&project.context(), params).unwrap().pages.into_iter().map(|page| page.name).collect()
    }

    #[test]
    fn letters_match_in_order_and_prefixes_rank_first() {
        assert_eq!(names("lo"), ["login", "logout"]);
        assert_eq!(names("usrdb"), ["UserDB"]);
        assert_eq!(names("auth/lout"), ["auth/logout"]);
        assert_eq!(names("feat"), ["Login Feature"]);
        assert_eq!(names("zzz"), [""; 0]);
    }

    #[test]
    fn case_accents_width_and_kana_are_ignored() {
        assert_eq!(names("RESUME"), ["Résumé"]);
        assert_eq!(names("ﾃﾞｰﾀ"), ["データベース"]);
        assert_eq!(names("でーた"), ["データベース"]);
    }

    #[test]
    fn empty_text_returns_the_first_pages_by_path() {
        assert_eq!(names(""), ["Login Feature", "Leaving", "User Database", "Résumé"]);
    }

    #[test]
    fn completions_contain_the_address_of_the_page() {
        let project = Project::with_pages([("x/a b.md", ""), ("x/A b.md", "")]);
        let found = run(&project.context(), Params { text: "a b".into(), limit: None }).unwrap().pages;
        let url = |path: &str| found.iter().find(|page| page.filepath == path).unwrap().url.clone();
        assert_eq!(url("x/A b.md"), "x/A%20b.html");
        assert!(url("x/a b.md").starts_with("x/a%20b~"), "{found:?}");
    }

    #[test]
    fn names_are_updated_when_pages_change() {
        let project = Project::with_pages([("a.md", "# Alpha\n"), ("b.md", "---\naliases: [Beta]\n---\n")]);
        let names = |text: &str| {
            let pages = run(&project.context(), Params { text: text.into(), limit: None }).unwrap().pages;
            pages.into_iter().map(|page| page.name).collect::<Vec<_>>()
        };
        assert_eq!((names("alpha"), names("beta")), (vec!["Alpha".to_owned()], vec!["Beta".to_owned()]));
        project.put("a.md", "# Omega\n");
        project.put("b.md", "---\naliases: [Gamma]\n---\n");
        project.put("c.md", "# Alphabet\n");
        project.update();
        assert_eq!(names("alpha"), ["Alphabet"]);
        assert_eq!((names("omega"), names("gamma")), (vec!["Omega".to_owned()], vec!["Gamma".to_owned()]));
        assert!(names("beta").is_empty());
    }

    #[test]
    fn the_limit_does_not_change_the_total() {
        let project = Project::with_pages([("a.md", ""), ("ab.md", ""), ("abc.md", "")]);
        let output = run(&project.context(), Params { text: "a".into(), limit: Some(2) }).unwrap();
        assert_eq!((output.pages.len(), output.total), (2, 3));
        assert!(run(&project.context(), Params { limit: Some(101), ..Params::default() }).is_err());
    }

    proptest! {
        #[test]
        fn what_is_shown_and_counted_does_not_depend_on_the_limit(
            titles in proptest::collection::vec("[abéA か-]{1,6}( [ab]{1,2})?", 1..20),
            typed in "[abか]{1,2}( [ab])?",
        ) {
            let pages = titles.iter().enumerate().map(|(at, title)| {
                (format!("{at}.md"), format!("---\ntitle: \"{title}\"\n---\n"))
            });
            let pages: Vec<_> = pages.collect();
            let project = Project::with_pages(pages.iter().map(|(path, text)| (path.as_str(), text.as_str())));
            let asked = |limit| run(&project.context(), Params { text: typed.clone(), limit: Some(limit) }).unwrap();
            let all = asked(100);
            for limit in 1..6 {
                let some = asked(limit);
                prop_assert_eq!(some.total, all.total);
                prop_assert_eq!(&some.pages[..], &all.pages[..limit.min(all.pages.len())]);
            }
        }
    }
}
