//! Checks all claims of all pages.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::ages::Ages;
use super::exempt;
use super::extract::{Claim, What, claims};
use super::judge::{First, Judge};
use super::past::{MOST_COMMITS, Wanted};
use super::project::Project;
use super::spans::said;
use super::words::{Presence, keys, presence};
use super::{Counts, Kind, Missing};
use crate::freshness::Moves;
use crate::index::questions::links;
use crate::page::{Lines, LinkTypes, decode, parse};
use crate::ports::{Removing, Walked};
use crate::threads::on_each_core;
use crate::{Context, Result, path};

/// The answer.
#[derive(Debug, Clone, Default)]
pub struct Survey {
    /// Claims that were true, by page and line.
    pub missing: Vec<Missing>,
    /// All claims, by verdict.
    pub counts: Counts,
    /// Pages whose claims were checked.
    pub pages: usize,
    /// Pages about the past or the future, which were not.
    pub exempt_pages: usize,
    /// Commits that were read, and whether there are more.
    pub walked: Walked,
}

/// The line and target of each broken link, by page.
pub(super) type BrokenLinks = HashMap<String, HashSet<(usize, String)>>;

/// A page and what it claims.
pub(super) struct Claiming {
    /// Relative to the pages folder.
    pub page: String,
    /// Relative to the project.
    pub file: String,
    /// Its index among the files.
    pub at: Option<usize>,
    pub claims: Vec<Claim>,
}

/// Checks all claims.
///
/// # Errors
/// [`crate::Error::Io`] if files cannot be listed or version control fails, [`crate::Error::Database`],
/// [`crate::Error::Cancelled`].
pub fn survey(context: &Context<'_>) -> Result<Survey> {
    let (project, pages, exempt_pages) = said_by_pages(context, &broken_links(context)?)?;

    let found = whereabouts(context, &project, pages.iter().flat_map(|page| &page.claims))?;
    let judge =
        Judge { context, project: &project, found, moves: RefCell::new(Moves::of(context)), change: None };

    let mut survey = Survey { pages: pages.len(), exempt_pages, ..Survey::default() };
    let mut wanted = Wanted::default();
    let mut absent: Vec<(&Claiming, &Claim)> = Vec::new();
    for page in &pages {
        context.cancel.check()?;
        for claim in &page.claims {
            match judge.first(page, claim)? {
                First::Resolves => survey.counts.resolves += 1,
                First::Ambiguous => survey.counts.ambiguous += 1,
                First::Uncheckable => survey.counts.uncheckable += 1,
                First::Absent => {
                    judge.want(page, claim, &mut wanted);
                    absent.push((page, claim));
                }
            }
        }
    }
    survey.walked = wanted.look_up(context, Removing::History(MOST_COMMITS))?;
    let mut told = HashSet::new();
    let mut ages = Ages::new(context);
    for (page, claim) in absent {
        context.cancel.check()?;
        let gone = judge.gone(page, claim, &wanted)?;
        let missing = match gone {
            Some(gone) if ages.is_older(page, claim, &gone)? => gone,
            _ => {
                survey.counts.uncheckable += 1;
                continue;
            }
        };
        survey.counts.missing += 1;
        // A section says it once.
        if told.insert((&page.page, claim.section, &claim.text)) {
            survey.missing.push(Missing {
                page: page.page.clone(),
                line: claim.line,
                kind: claim.kind,
                text: claim.text.clone(),
                revision: missing.revision.clone(),
                now: judge.now(page, claim, &missing)?,
            });
        }
    }
    survey.missing.sort_by(|a, b| (&a.page, a.line, &a.text).cmp(&(&b.page, b.line, &b.text)));
    Ok(survey)
}

/// Where the names of claims are, by key.
pub(super) fn whereabouts<'c>(
    context: &Context<'_>,
    project: &Project,
    claims: impl Iterator<Item = &'c Claim>,
) -> Result<HashMap<String, Presence>> {
    let mut sought: BTreeSet<String> = BTreeSet::new();
    for claim in claims {
        match &claim.what {
            What::Names(names) => sought.extend(names.iter().cloned()),
            What::Path(named) | What::Symbol(named, _) => _ = sought.insert(keys(named)),
            _ => {}
        }
    }
    sought.remove("");
    let sought: Vec<String> = sought.into_iter().collect();
    let found = presence(context, &project.files, &sought)?;
    Ok(sought.into_iter().zip(found).collect())
}

/// The broken links of each page: line and target.
fn broken_links(context: &Context<'_>) -> Result<BrokenLinks> {
    let mut broken = BrokenLinks::new();
    for (page, line, target) in context.index.read(links::unresolved)? {
        broken.entry(page).or_default().insert((line, target));
    }
    Ok(broken)
}

/// The project, the claims of its pages, and the number of pages that are exempt. `broken` are the broken links of each page.
pub(super) fn said_by_pages(
    context: &Context<'_>,
    broken: &BrokenLinks,
) -> Result<(Project, Vec<Claiming>, usize)> {
    let listing = context.source.list()?;
    let place = |page: &str| path::join(context.pages_dir(), page).unwrap_or_default();
    let pages: Vec<(String, String)> =
        listing.pages.into_iter().map(|page| (place(&page.path), page.path)).collect();
    let project = Project::read(context, &pages.iter().map(|(file, _)| file.clone()).collect())?;
    let (pages, exempt_pages) = read(context, &project, &pages, broken)?;
    Ok((project, pages, exempt_pages))
}

/// Reads the claims of all pages, on all cores, and counts the pages that are exempt.
fn read(
    context: &Context<'_>,
    project: &Project,
    pages: &[(String, String)],
    broken: &BrokenLinks,
) -> Result<(Vec<Claiming>, usize)> {
    let types = context.link_types();
    let next = AtomicUsize::new(0);
    let work = || -> Result<(Vec<Claiming>, usize)> {
        let (mut read, mut exempt_pages) = (Vec::new(), 0);
        while let Some((file, page)) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
            context.cancel.check()?;
            if exempt::by_path(page) {
                exempt_pages += 1;
                continue;
            }
            let Ok(bytes) = context.source.read(page) else { continue };
            let (text, _) = decode(&bytes);
            match page_claims(&text, project, &types, broken.get(page)) {
                Some(claims) => {
                    let at = project.index(file);
                    read.push(Claiming { page: page.clone(), file: file.clone(), at, claims });
                }
                None => exempt_pages += 1,
            }
        }
        Ok((read, exempt_pages))
    };
    let (mut all, mut exempt_pages) = (Vec::new(), 0);
    for read in on_each_core(work) {
        let (read, exempt) = read?;
        all.extend(read);
        exempt_pages += exempt;
    }
    all.sort_by(|a, b| a.page.cmp(&b.page));
    Ok((all, exempt_pages))
}

/// The claims of a page; `None` if it is about the past or the future.
fn page_claims(
    text: &str,
    project: &Project,
    types: &LinkTypes,
    broken: Option<&HashSet<(usize, String)>>,
) -> Option<Vec<Claim>> {
    let page = parse(text, types);
    if exempt::by_front_matter(&page.front_matter) || exempt::is_plan(text) {
        return None;
    }
    let lines = Lines::new(text);
    let mut all = Vec::new();
    for said in said(text, &lines) {
        claims(&said, project, &mut all);
    }
    let section = |line: usize| {
        let section = page.sections.iter().rfind(|section| section.lines.0 <= line);
        section.map_or(1, |section| section.lines.0)
    };
    for link in &page.links {
        let is_broken = broken.is_some_and(|broken| broken.contains(&(link.line, link.target.clone())));
        // The index knows which links resolve.
        let what = if is_broken { link_claim(&link.target) } else { What::Here };
        let (text, section) = (link.target.clone(), section(link.line));
        all.push(Claim { kind: Kind::Link, text, what, line: link.line, section });
    }
    Some(all)
}

/// What a broken link needs.
fn link_claim(target: &str) -> What {
    let target = target.split('#').next().unwrap_or_default().trim_end_matches('/');
    let name = path::file_name(target);
    match target {
        "" => What::Unknown,
        _ if target.contains("://") || target.contains(['*', '<', '{']) => What::Unknown,
        _ if name.contains('.') => What::Path(target.to_owned()),
        _ => What::Path(format!("{target}.md")),
    }
}
