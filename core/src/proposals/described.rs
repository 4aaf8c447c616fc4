//! The code that pages describe before and after a proposed change.

use std::collections::{BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::Serialize;

use super::{Proposal, ProposedFile};
use crate::freshness::{Declared, DeclaredPage, Sources, StaleReason, assess};
use crate::graph::resolve::Destination;
use crate::index::questions::pages;
use crate::index::source_refs;
use crate::page::{Page, decode, parse};
use crate::writing::links::World;
use crate::{Context, Result, path};

/// Code that a page describes, before or after a proposed change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DescribedSource {
    /// A file, a folder or a glob, relative to the project, as the page names it.
    pub source: String,
    /// Whether the page still names it after the change.
    pub change: SourceNaming,
    /// Whether there is such a file.
    pub exists: bool,
    /// Why it makes the page stale now; absent if it does not.
    pub reason: Option<StaleReason>,
}

/// What a change does to the naming of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SourceNaming {
    /// The page names it before and after.
    Kept,
    /// It is new on the page.
    Added,
    /// The page no longer names it.
    Removed,
}

/// The code that the page of each change describes, by path.
///
/// # Errors
/// [`crate::Error::Database`], [`crate::Error::Io`].
pub(crate) fn described(context: &Context<'_>, proposal: &Proposal) -> Result<Vec<Vec<DescribedSource>>> {
    let (mut before, mut after, numbers) = context.index.read(|db| {
        let number = |file: &Option<ProposedFile>| match file {
            Some(file) => pages::at(db, &file.path),
            None => Ok(None),
        };
        let numbers = proposal.changes.iter().map(|change| number(&change.before));
        let numbers: Vec<Option<i64>> = numbers.collect::<Result<_>>()?;
        let load = || World::load(db, context.source, context.pages_dir());
        Ok((load()?, load()?, numbers))
    })?;
    let mut versions: Vec<(i64, Option<Version>, Option<Version>)> = Vec::new();
    for ((change, known), place) in proposal.changes.iter().zip(&numbers).zip(1_i64..) {
        // Pages of the index have positive numbers.
        let number = known.unwrap_or(-place);
        let [old, new] = [&change.before, &change.after].map(|file| Version::of(context, file));
        if let (None, Some(old)) = (known, &old) {
            before.add(number, &old.path, &old.title(), &old.page.aliases);
        }
        match (&new, known) {
            (Some(new), Some(_)) => after.rename(number, &new.path, &new.title(), &new.page.aliases),
            (Some(new), None) => after.add(number, &new.path, &new.title(), &new.page.aliases),
            (None, _) => after.remove(number),
        }
        versions.push((number, old, new));
    }
    let mut named = Vec::new();
    let mut declared = Declared::new();
    for (number, old, new) in &versions {
        let of = |version: &Option<Version>, world: &mut World<'_>| match version {
            Some(version) => version.sources(world, *number),
            None => Ok(BTreeSet::new()),
        };
        let (was, is) = (of(old, &mut before)?, of(new, &mut after)?);
        let path = old.as_ref().or(new.as_ref()).map(|version| version.path.clone()).unwrap_or_default();
        let sources = was.union(&is).cloned().collect();
        declared.insert(*number, DeclaredPage { path, sources });
        named.push((*number, was, is));
    }
    let expanded = Sources::expand(context, &declared)?;
    let there: Vec<i64> = numbers.into_iter().flatten().collect();
    let assessments = if there.is_empty() { HashMap::new() } else { assess(context, Some(&there))? };
    let of_page = |(number, was, is): (i64, BTreeSet<String>, BTreeSet<String>)| {
        let stale = assessments.get(&number).map(|one| one.stale_refs.as_slice()).unwrap_or_default();
        let described = was.union(&is).map(|source| {
            let change = match (was.contains(source), is.contains(source)) {
                (true, true) => SourceNaming::Kept,
                (false, _) => SourceNaming::Added,
                (true, false) => SourceNaming::Removed,
            };
            let reason = stale.iter().find(|stale| expanded.covers(source, &stale.file_path));
            DescribedSource {
                source: source.clone(),
                change,
                exists: !expanded.of(source).is_empty(),
                reason: reason.map(|stale| stale.reason),
            }
        });
        described.collect()
    };
    Ok(named.into_iter().map(of_page).collect())
}

/// A version of a page.
struct Version {
    path: String,
    text: String,
    page: Page,
}

impl Version {
    fn of(context: &Context<'_>, file: &Option<ProposedFile>) -> Option<Self> {
        let file = file.as_ref()?;
        let text = decode(file.text.as_deref()?.as_bytes()).0.into_owned();
        let page = parse(&text, &context.link_types());
        Some(Self { path: file.path.clone(), text, page })
    }

    fn title(&self) -> String {
        self.page.title.clone().unwrap_or_else(|| path::page_name(&self.path).to_owned())
    }

    /// The files, folders and globs that it names in front matter, and the files that it links to.
    fn sources(&self, world: &mut World<'_>, number: i64) -> Result<BTreeSet<String>> {
        let mut named: BTreeSet<String> =
            source_refs(&self.page.front_matter, &self.text, &mut Vec::new()).into_iter().collect();
        for link in &self.page.links {
            if let Destination::Source(file) = world.resolve(link.kind, &link.target, number)? {
                named.insert(file);
            }
        }
        Ok(named)
    }
}
