//! Finds links that lead to another page because a change gives a page a new name.

use std::collections::{BTreeSet, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::links::{World, keys};
use super::{Change, Plan, Version, is_read_only};
use crate::graph::resolve::Destination;
use crate::hint::{Hint, Next};
use crate::index::questions::{links, names, pages};
use crate::page::{LinkTypes, decode, parse, sites};
use crate::{Caller, Context, Error, Result, path, text};

/// Maximum number of links and pages in a message.
const MOST_NAMED: usize = 5;

/// A link whose target changes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct MovedLink {
    /// Path of the page that contains the link.
    pub filepath: String,
    /// Line, from 1.
    pub line: usize,
    /// Target, as written.
    pub target: String,
    /// Former destination: path of a page or file.
    pub led_to: String,
}

/// Conflicts of new names with existing pages and links.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    /// Paths of other pages with one of the titles as title, alias or file name, sorted.
    #[cfg_attr(target_family = "wasm", allow(dead_code))]
    pub pages: Vec<String>,
    /// Links that would lead to the changed pages, sorted by path and line.
    pub links: Vec<MovedLink>,
}

/// A page that gains names.
struct Named {
    number: i64,
    path: String,
    title: String,
    aliases: Vec<String>,
    gained: Vec<String>,
}

/// Finds pages and links that are affected by the new names in `changes`. Returns nothing if a page moves: a rename
/// rewrites links itself.
///
/// # Errors
/// [`Error::Database`], [`Error::Io`], [`Error::Cancelled`].
pub(crate) fn taken(context: &Context<'_>, changes: &[Change]) -> Result<Taken> {
    if changes.iter().any(|change| change.moved().is_some()) {
        return Ok(Taken::default());
    }
    let types = context.link_types();
    let mut named: Vec<Named> = Vec::new();
    for change in changes {
        let Some(after) = &change.after else { continue };
        let had: HashSet<String> = change.before.iter().flat_map(|before| called(before, &types).2).collect();
        let (title, aliases, keys) = called(after, &types);
        let gained: Vec<String> = keys.into_iter().filter(|key| !had.contains(key)).collect();
        if !gained.is_empty() {
            // A new page is not in the index yet; negative numbers are unused.
            let number = -1 - named.len() as i64;
            named.push(Named { number, path: after.path.clone(), title, aliases, gained });
        }
    }
    if named.is_empty() {
        return Ok(Taken::default());
    }
    context.index.read(|db| {
        for page in &mut named {
            page.number = pages::at(db, &page.path)?.unwrap_or(page.number);
        }
        let own: HashSet<i64> = named.iter().map(|page| page.number).collect();
        let gained: Vec<String> = named.iter().flat_map(|page| page.gained.iter().cloned()).collect();
        let titles: HashSet<String> = named.iter().map(|page| text::fold_key(&page.title)).collect();
        let (mut others, mut is_new) = (BTreeSet::new(), true);
        for key in &gained {
            for page in names::pages_called(db, key)?.into_iter().filter(|page| !own.contains(page)) {
                is_new = false;
                // Many folders have a README.md, so an equal file name alone is not a conflict.
                if titles.contains(key) {
                    others.insert(pages::path(db, page)?);
                }
            }
        }
        if is_new {
            return Ok(Taken::default());
        }
        let mut before = World::load(db, context.source, context.pages_dir())?;
        let mut after = World::load(db, context.source, context.pages_dir())?;
        named.iter().for_each(|page| after.rename(page.number, &page.path, &page.title, &page.aliases));
        let edited: HashSet<&str> =
            changes.iter().filter_map(|change| Some(change.before.as_ref()?.path.as_str())).collect();
        let mut moved = Vec::new();
        for number in links::concerned(db, &gained)? {
            context.cancel.check()?;
            let Some(path) = before.path(number).map(str::to_owned) else { continue };
            if edited.contains(path.as_str()) {
                continue;
            }
            let bytes = context.source.read(&path)?;
            for site in sites(&decode(&bytes).0, &types) {
                let led_to = match before.resolve(site.kind, &site.target, number)? {
                    Destination::Page { page, .. } if !own.contains(&page) => {
                        before.path(page).map(str::to_owned)
                    }
                    Destination::Source(file) => Some(file),
                    _ => None,
                };
                let Some(led_to) = led_to else { continue };
                let leads = after.resolve(site.kind, &site.target, number)?;
                if matches!(leads, Destination::Page { page, .. } if own.contains(&page)) {
                    moved.push(MovedLink {
                        filepath: path.clone(),
                        line: site.line,
                        target: site.target,
                        led_to,
                    });
                }
            }
        }
        moved.sort();
        Ok(Taken { pages: others.into_iter().collect(), links: moved })
    })
}

/// The title of a page, its aliases, and all its names folded.
fn called(version: &Version, types: &LinkTypes) -> (String, Vec<String>, Vec<String>) {
    let (text, _) = decode(version.bytes.as_deref().unwrap_or_default());
    let page = parse(&text, types);
    let title = page.title.unwrap_or_else(|| path::page_name(&version.path).to_owned());
    let names = keys(&version.path, &title, &page.aliases);
    (title, page.aliases, names)
}

/// Refuses a plan by which an agent would change the target of links. Links to or on a read-only page never change,
/// others only if the plan allows it.
pub(super) fn permit(context: &Context<'_>, plan: &Plan) -> Result<()> {
    if context.caller != Caller::Agent || plan.undoes.is_some() {
        return Ok(());
    }
    let taken = taken(context, &plan.changes)?;
    let is_kept = |path: &str| context.source.read(path).is_ok_and(|bytes| is_read_only(&bytes));
    let kept = taken.links.iter().find(|link| is_kept(&link.led_to) || is_kept(&link.filepath));
    if let Some(link) = kept {
        let page = if is_kept(&link.led_to) { &link.led_to } else { &link.filepath };
        return Err(Error::NameTaken {
            message: format!(
                "this name would redirect {}; only people can change {page} (`agents: read-only`)",
                told(&taken.links)
            ),
            hint: Box::new("choose another name".into()),
        });
    }
    if taken.links.is_empty() || plan.takes_links {
        return Ok(());
    }
    let message = format!("this name would redirect {}", told(&taken.links));
    Err(Error::NameTaken { message, hint: Box::new("choose another name".into()) })
}

/// The links that the changes would redirect, as a message; `None` if there are none.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn redirected(context: &Context<'_>, changes: &[Change]) -> Result<Option<String>> {
    let taken = taken(context, changes)?;
    Ok((!taken.links.is_empty()).then(|| format!("its name would redirect {}", told(&taken.links))))
}

/// The error for a new page with a taken name.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn refusal(title: &str, taken: &Taken) -> Error {
    let pages: Vec<&str> = taken.pages.iter().take(MOST_NAMED).map(String::as_str).collect();
    let more = taken.pages.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let links = told(&taken.links);
    let message = match (pages.is_empty(), taken.links.is_empty()) {
        (false, true) => format!("the name '{title}' is taken by {}{more}", pages.join(", ")),
        (false, false) => {
            format!(
                "the name '{title}' is taken by {}{more}, and the new page would redirect {links}",
                pages.join(", ")
            )
        }
        (true, _) => format!("a page named '{title}' would redirect {links}"),
    };
    Error::NameTaken {
        message,
        hint: Box::new(
            Hint::from("edit that page, or choose another title; ")
                .and_ask(Next::call("create_page").with("title", title).with("allow_same_name", true))
                .text(" creates the page anyway"),
        ),
    }
}

/// The error for pages created for broken links.
pub(crate) fn moving(taken: &Taken) -> Error {
    Error::NameTaken {
        message: format!("no page was created, because the new pages would redirect {}", told(&taken.links)),
        hint: Box::new(
            Hint::from("create the pages that you want by hand: ")
                .and_ask(Next::call("create_page").with("title", "TITLE").with("allow_same_name", true)),
        ),
    }
}

/// The error for an import whose pages have names that links of existing pages use.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn moving_to_imported(moved: &[MovedLink]) -> Error {
    Error::NameTaken {
        message: format!("nothing was imported, because imported pages would redirect {}", told(moved)),
        hint: Box::new("--into DIR imports into a folder, --allow-same-name imports anyway".into()),
    }
}

/// Describes the links in a message.
fn told(links: &[MovedLink]) -> String {
    let named = links.iter().take(MOST_NAMED);
    let named: Vec<String> = named
        .map(|link| {
            format!("'{}' at {}:{} (leads to {})", link.target, link.filepath, link.line, link.led_to)
        })
        .collect();
    let more = links.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let count = if links.len() == 1 { "1 link".to_owned() } else { format!("{} links", links.len()) };
    format!("{count}: {}{more}", named.join(", "))
}
