//! Completing the name of a page while it is typed. One ranking for the terminal, clients of MCP and
//! the editor.

use std::cmp::Reverse;
use std::collections::HashMap;

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use rusqlite::Connection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Context;
use super::budget;
use crate::render::url;
use crate::text::loose_key;
use crate::{Result, path};

/// What it is for.
pub const SUMMARY: &str = "Complete the name of a page: letters of its title, alias or path, in their order.";

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
    let mut pages = context.index.read(|db| matching(db, &loose_key(&params.text)))?;
    pages.sort_by(|(a, x), (b, y)| b.cmp(a).then_with(|| x.filepath.cmp(&y.filepath)));
    let total = pages.len();
    pages.truncate(limit);
    let mut pages: Vec<Completion> = pages.into_iter().map(|(_, page)| page).collect();
    context.index.read(|db| {
        for page in &mut pages {
            page.url = url::encoded(&url::file_of(db, &page.filepath)?);
        }
        Ok(())
    })?;
    Ok(Output { pages, total })
}

fn matching(db: &Connection, typed: &str) -> Result<Vec<(Option<Fit>, Completion)>> {
    let mut aliases = HashMap::<i64, Vec<String>>::new();
    let mut statement = db.prepare_cached("SELECT page, alias FROM aliases ORDER BY page, alias")?;
    for row in statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))? {
        let (page, alias) = row?;
        aliases.entry(page).or_default().push(alias);
    }
    let pattern = Pattern::new(typed, CaseMatching::Respect, Normalization::Never, AtomKind::Fuzzy);
    let mut matcher = Matcher::new(Config::DEFAULT.match_paths());
    let mut characters = Vec::new();
    let mut fit = |name: &str| {
        let key = loose_key(name);
        let letters = pattern.score(Utf32Str::new(&key, &mut characters), &mut matcher)?;
        let length = Reverse(key.chars().count());
        Some(Fit { whole: key == typed, beginning: key.starts_with(typed), letters, length })
    };
    let mut found = Vec::new();
    let mut statement = db.prepare_cached("SELECT page, path, title FROM pages")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (page, filepath, title): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        if typed.is_empty() {
            let name = title.clone();
            found.push((None, Completion { filepath, title, name, url: String::new() }));
            continue;
        }
        let whole_path = path::without_page_extension(&filepath);
        let names = std::iter::once(title.as_str())
            .chain(aliases.get(&page).into_iter().flatten().map(String::as_str))
            .chain([path::page_name(&filepath), whole_path]);
        // Of equal names the first one stands: the title before the others.
        let best = names.filter_map(|name| Some((fit(name)?, name))).fold(
            None,
            |best: Option<(Fit, &str)>, this| match best {
                Some(best) if best.0 >= this.0 => Some(best),
                _ => Some(this),
            },
        );
        if let Some((fit, name)) = best {
            let name = name.to_owned();
            found.push((Some(fit), Completion { filepath, title, name, url: String::new() }));
        }
    }
    Ok(found)
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
    fn the_limit_leaves_the_count_alone() {
        let project = Project::with_pages([("a.md", ""), ("ab.md", ""), ("abc.md", "")]);
        let output = run(&project.context(), Params { text: "a".into(), limit: Some(2) }).unwrap();
        assert_eq!((output.pages.len(), output.total), (2, 3));
        assert!(run(&project.context(), Params { limit: Some(101), ..Params::default() }).is_err());
    }
}
