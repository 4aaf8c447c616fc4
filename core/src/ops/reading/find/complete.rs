//! Completing the name of a page while it is typed. One ranking for the terminal, clients of MCP and
//! the editor.

use std::cmp::Reverse;

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::Result;
use crate::index::{Name, NamedPage, PageNames};
use crate::ops::Facts;
use crate::ops::budget;
use crate::render::url;
use crate::show::{Page, Span, counted};
use crate::text::loose_key;

/// What surfaces know of it.
pub const FACTS: Facts =
    Facts::reading("Complete the name of a page: letters of its title, alias or path, in their order.")
        .at_once();

/// What was typed.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// What was typed so far; nothing for the first pages by path.
    #[serde(default)]
    pub text: String,
    /// Most pages to return, 1 to 100; 10 when absent.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<usize>,
}

/// The pages that it may become.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Pages, best first.
    pub pages: Vec<Completion>,
    /// Pages that match, before `limit`.
    pub total: usize,
}

/// A page that what was typed may become.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Completion {
    /// Its path relative to the pages folder.
    pub filepath: String,
    /// Its title.
    pub title: String,
    /// The name that matches best: the title, an alias, or the path without its ending.
    pub name: String,
    /// Where it lives on a site, relative to the site's top, percent-encoded.
    pub url: String,
}

/// How a name answers what was typed; the greater, the better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    whole: bool,
    beginning: bool,
    letters: u32,
    /// Of two names with the same letters the shorter one is nearer.
    length: Reverse<usize>,
}

/// Finds the pages.
///
/// # Errors
/// [`crate::Error::InvalidParams`] for a `limit` out of range, [`crate::Error::Database`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let limit = budget::ranged("limit", params.limit, 10, 1, 100)?;
    let names = context.index.page_names()?;
    let mut found = matching(&names, &loose_key(&params.text));
    found.sort_by(|(a, x, _), (b, y, _)| b.cmp(a).then_with(|| x.filepath.cmp(&y.filepath)));
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

/// The pages that have what was typed in a name, each with the name that fits best.
fn matching<'a>(names: &'a PageNames, typed: &str) -> Vec<(Option<Fit>, &'a NamedPage, &'a str)> {
    if typed.is_empty() {
        return names.pages.iter().map(|page| (None, &**page, page.title.as_str())).collect();
    }
    let pattern = Pattern::new(typed, CaseMatching::Respect, Normalization::Never, AtomKind::Fuzzy);
    let mut matcher = Matcher::new(Config::DEFAULT.match_paths());
    let mut characters = Vec::new();
    let mut found = Vec::new();
    for page in &names.pages {
        let mut best: Option<(Fit, &str)> = None;
        for Name { name, key, length } in &page.names {
            let Some(letters) = pattern.score(Utf32Str::new(key, &mut characters), &mut matcher) else {
                continue;
            };
            let whole = key == typed;
            let fit = Fit { whole, beginning: key.starts_with(typed), letters, length: Reverse(*length) };
            // Of equal names the first one stands: the title before the others.
            if best.as_ref().is_none_or(|(known, _)| *known < fit) {
                best = Some((fit, name));
            }
        }
        found.extend(best.map(|(fit, name)| (Some(fit), &**page, name)));
    }
    found
}

/// Tells the pages that it may become.
pub fn show(output: &Output, page: &mut dyn Page) {
    for found in &output.pages {
        let name = if found.name == found.title { String::new() } else { format!("  as {}", found.name) };
        let title = Span::Text(&found.title);
        page.line(&[Span::Path(&found.filepath), Span::Text("  "), title, Span::Faint(&name)]);
    }
    let total = counted(output.total, "page matches", "pages match");
    let shown = match output.pages.len() {
        shown if shown == output.total => String::new(),
        shown => format!("; the first {shown} are shown"),
    };
    page.note(&[Span::Text(&total), Span::Text(&shown)]);
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
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
    fn letters_in_their_order_are_enough_and_a_beginning_is_better() {
        assert_eq!(names("lo"), ["login", "logout"]);
        assert_eq!(names("usrdb"), ["UserDB"]);
        assert_eq!(names("auth/lout"), ["auth/logout"]);
        assert_eq!(names("feat"), ["Login Feature"]);
        assert_eq!(names("zzz"), [""; 0]);
    }

    #[test]
    fn case_accents_width_and_kana_make_no_difference() {
        assert_eq!(names("RESUME"), ["Résumé"]);
        assert_eq!(names("ﾃﾞｰﾀ"), ["データベース"]);
        assert_eq!(names("でーた"), ["データベース"]);
    }

    #[test]
    fn nothing_typed_gives_the_first_pages_by_path() {
        assert_eq!(names(""), ["Login Feature", "Leaving", "User Database", "Résumé"]);
    }

    #[test]
    fn a_page_comes_with_its_address() {
        let project = Project::with_pages([("x/a b.md", ""), ("x/A b.md", "")]);
        let found = run(&project.context(), Params { text: "a b".into(), limit: None }).unwrap().pages;
        let url = |path: &str| found.iter().find(|page| page.filepath == path).unwrap().url.clone();
        assert_eq!(url("x/A b.md"), "x/A%20b.html");
        assert!(url("x/a b.md").starts_with("x/a%20b~"), "{found:?}");
    }

    #[test]
    fn names_follow_the_pages() {
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
    fn the_limit_leaves_the_count_alone() {
        let project = Project::with_pages([("a.md", ""), ("ab.md", ""), ("abc.md", "")]);
        let output = run(&project.context(), Params { text: "a".into(), limit: Some(2) }).unwrap();
        assert_eq!((output.pages.len(), output.total), (2, 3));
        assert!(run(&project.context(), Params { limit: Some(101), ..Params::default() }).is_err());
    }
}
