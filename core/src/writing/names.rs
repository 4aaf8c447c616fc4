//! Finds links that lead to another page because a change gives a page a new name.

use crate::message::Message;
use std::collections::{BTreeSet, HashSet};

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::Serialize;

use super::links::{World, keys};
use super::{Change, Plan, Version, is_read_only};
use crate::graph::resolve::Destination;
use crate::hint::Next;
use crate::index::questions::{links, names, pages};
use crate::message;
use crate::message::counted;
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
        let read = |path: &str| match edited.contains(path) {
            true => Ok(None),
            false => context.source.read(path).map(Some),
        };
        let mut moved = Vec::new();
        for link in diverted(context, db, (&mut before, &mut after), &gained, &read)? {
            let led_to = match link.before {
                Destination::Page { page, .. } if !own.contains(&page) => {
                    before.path(page).map(str::to_owned)
                }
                Destination::Source(file) => Some(file),
                _ => None,
            };
            let Some(led_to) = led_to else { continue };
            if matches!(link.after, Destination::Page { page, .. } if own.contains(&page)) {
                let Diverted { filepath, line, target, .. } = link;
                moved.push(MovedLink { filepath, line, target, led_to });
            }
        }
        moved.sort();
        Ok(Taken { pages: others.into_iter().collect(), links: moved })
    })
}

/// A link that leads elsewhere after a change.
pub(crate) struct Diverted {
    /// Path of the page that contains the link, before the change.
    pub filepath: String,
    /// Line, from 1.
    pub line: usize,
    /// Target, as written.
    pub target: String,
    pub before: Destination,
    pub after: Destination,
}

/// The links with one of these names that lead elsewhere after a change. `read` returns the file of a page; pages
/// without one are skipped.
///
/// # Errors
/// [`Error::Database`], [`Error::Cancelled`], those of `read`.
pub(crate) fn diverted(
    context: &Context<'_>,
    db: &Connection,
    (before, after): (&mut World<'_>, &mut World<'_>),
    named: &[String],
    read: &dyn Fn(&str) -> Result<Option<Vec<u8>>>,
) -> Result<Vec<Diverted>> {
    let types = context.link_types();
    let mut found = Vec::new();
    for page in links::concerned(db, named)? {
        context.cancel.check()?;
        let Some(filepath) = before.path(page).map(str::to_owned) else { continue };
        let Some(bytes) = read(&filepath)? else { continue };
        for site in sites(&decode(&bytes).0, &types) {
            let led_to = before.resolve(site.kind, &site.target, page)?;
            let leads_to = after.resolve(site.kind, &site.target, page)?;
            if led_to != leads_to {
                found.push(Diverted {
                    filepath: filepath.clone(),
                    line: site.line,
                    target: site.target,
                    before: led_to,
                    after: leads_to,
                });
            }
        }
    }
    Ok(found)
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
            message: message!(
                "this name would redirect {links}; only people can change {page} (`agents: read-only`)",
                links = told(&taken.links),
                page
            ),
            hint: Box::new(message!("choose another name")),
        });
    }
    if taken.links.is_empty() || plan.takes_links {
        return Ok(());
    }
    let message = message!("this name would redirect {links}", links = told(&taken.links));
    Err(Error::NameTaken { message, hint: Box::new(message!("choose another name")) })
}

/// The links that the changes would redirect, as a message; `None` if there are none.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn redirected(context: &Context<'_>, changes: &[Change]) -> Result<Option<Message>> {
    let taken = taken(context, changes)?;
    let redirects = || message!("its name would redirect {links}", links = told(&taken.links));
    Ok((!taken.links.is_empty()).then(redirects))
}

/// The error for a new page with a taken name.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn refusal(title: &str, taken: &Taken) -> Error {
    let pages: Vec<&str> = taken.pages.iter().take(MOST_NAMED).map(String::as_str).collect();
    let more = taken.pages.len().saturating_sub(MOST_NAMED);
    let pages = Message::verbatim(pages.join(", "));
    let pages = if more > 0 { message!("{pages} and {more} more", pages, more) } else { pages };
    let links = told(&taken.links);
    let message = match (taken.pages.is_empty(), taken.links.is_empty()) {
        (false, true) => message!("the name '{title}' is taken by {pages}", title, pages),
        (false, false) => {
            message!(
                "the name '{title}' is taken by {pages}, and the new page would redirect {links}",
                title,
                pages,
                links
            )
        }
        (true, _) => message!("a page named '{title}' would redirect {links}", title, links),
    };
    Error::NameTaken {
        message,
        hint: Box::new(message!(
            "edit that page, or choose another title; {create_page} creates the page anyway",
            create_page = Next::call("create_page").with("title", title).with("allow_same_name", true)
        )),
    }
}

/// The error for pages created for broken links.
pub(crate) fn moving(taken: &Taken) -> Error {
    Error::NameTaken {
        message: message!(
            "no page was created, because the new pages would redirect {links}",
            links = told(&taken.links)
        ),
        hint: Box::new(message!(
            "create the pages that you want by hand: {create_page}",
            create_page = Next::call("create_page").with("title", "TITLE").with("allow_same_name", true)
        )),
    }
}

/// The error for an import whose pages have names that links of existing pages use.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn moving_to_imported(moved: &[MovedLink]) -> Error {
    Error::NameTaken {
        message: message!(
            "nothing was imported, because imported pages would redirect {moved}",
            moved = told(moved)
        ),
        hint: Box::new(message!("--into DIR imports into a folder, --allow-same-name imports anyway")),
    }
}

/// Describes the links in a message.
fn told(links: &[MovedLink]) -> Message {
    let named = links.iter().take(MOST_NAMED);
    let named: Vec<Message> = named
        .map(|link| {
            message!(
                "'{target}' at {filepath}:{line} (leads to {led_to})",
                target = link.target,
                filepath = link.filepath,
                line = link.line,
                led_to = link.led_to
            )
        })
        .collect();
    let more = links.len().saturating_sub(MOST_NAMED);
    let count = counted(links.len(), "link", "links");
    let named = Message::joined(named, ", ");
    match more {
        0 => message!("{count}: {named}", count, named),
        more => message!("{count}: {named} and {more} more", count, named, more),
    }
}
