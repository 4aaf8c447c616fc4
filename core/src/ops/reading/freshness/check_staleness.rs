//! Pages whose code changed after their last review, and pages that depend on them.

use std::collections::{BTreeSet, HashMap};

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[cfg(not(target_family = "wasm"))]
use crate::freshness::Binding;
use crate::freshness::{
    self, Assessment, DeclaredPage, LockProblem, ReviewLock, Sources, StaleReason, StaleRef, Staleness,
    Suspect,
};
use crate::hint::Next;
use crate::index::questions::pages;
#[cfg(not(target_family = "wasm"))]
use crate::index::questions::sections;
use crate::message;
use crate::message::{Fill as _, Message};
use crate::ops::budget::{self, Omitted, more_room};
use crate::ops::page::{IndexState, PageFields, PageName, fields, path_of};
use crate::ops::status::FreshnessCounts;
use crate::ops::{Facts, Tool};
use crate::ports::ContentHash;
use crate::show::{Page, Span, counted, what_is_wrong};
use crate::{Caller, Context};
use crate::{Result, path};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::reading("List pages whose code changed since their review, and those that depend on them.")
        .tool(Tool::Always)
        .command("stale");

/// Selects the pages.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Only this page.
    pub page: Option<String>,
    /// Only this page, by its path.
    #[schemars(extend("deprecated" = true))]
    pub filepath: Option<String>,
    /// Only this page, by its title.
    #[schemars(extend("deprecated" = true))]
    pub title: Option<String>,
    /// Only this page, by its id.
    #[schemars(extend("deprecated" = true))]
    pub id: Option<String>,
    /// Only this freshness.
    pub only: Option<Staleness>,
    /// Only if it or a source changed since this revision.
    pub changed_since: Option<String>,
    /// Maximum tokens in the answer.
    #[schemars(range(min = 256))]
    pub max_tokens: Option<usize>,
}

/// The results.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Pages that are not fresh, or suspect, worst first; a requested page is always included.
    pub pages: Vec<CheckedPage>,
    /// All pages of the project by freshness.
    pub counts: FreshnessCounts,
    /// Pages with sources that are judged by commit or file times because nobody reviewed them.
    pub unreviewed_page_count: usize,
    /// Number of missing sources whose new place was not looked for, because others were.
    pub not_looked_for: usize,
    /// Lines of `.ubp/refs.lock` that are invalid.
    pub lock_problems: Vec<LockProblem>,
    /// Parts omitted to fit `max_tokens`.
    pub omitted: Omitted,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// A page, and why it may be out of date.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CheckedPage {
    /// The page's metadata.
    #[serde(flatten)]
    pub page: PageFields,
    /// The reasons, without duplicates.
    pub reasons: Vec<StaleReason>,
    /// Sources that are missing, or that changed since the page was reviewed.
    pub stale_refs: Vec<String>,
    /// The same sources with times and reasons.
    pub stale_ref_details: Vec<StaleRef>,
    /// For each of `stale_refs`, the headings of the sections whose links name the symbol; empty for what concerns the
    /// whole page.
    pub sections: Vec<String>,
    /// For a suspect page, the path to the page that is not fresh, starting with itself; otherwise empty.
    pub suspect_path: Vec<String>,
    /// Whether all of its sources were reviewed, so none is judged by time.
    pub reviewed: bool,
    /// The call that marks it as reviewed, to make after reading it; absent if nothing is needed. For agents it names
    /// the state of the page and of its sources.
    pub settle_with: Option<Next>,
}

/// Checks the pages.
///
/// # Errors
/// [`crate::Error::InvalidParams`], [`crate::Error::PageNotFound`], [`crate::Error::Database`],
/// [`crate::Error::Io`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let assessments = freshness::assess(context, None)?;
    let suspects = freshness::suspects(&*context.index.graph()?, &assessments);
    run_among(context, params, assessments, Suspects { suspects, path: &path_of })
}

/// Pages that depend on pages that are not fresh.
pub(crate) struct Suspects<'a> {
    pub suspects: Vec<Suspect>,
    /// The path of a page on the way. A page of another project has a number that no page here has.
    pub path: &'a dyn Fn(&Connection, i64) -> Result<String>,
}

/// Lists the pages with these assessments.
pub(crate) fn run_among(
    context: &Context<'_>,
    params: Params,
    mut assessments: HashMap<i64, Assessment>,
    Suspects { suspects, path }: Suspects<'_>,
) -> Result<Output> {
    let name = PageName::of(&params.page, &params.filepath, &params.title, &params.id);
    let asked = context.index.read(|db| name.find(db))?;
    let touched = match &params.changed_since {
        Some(revision) => Some(touched(context, &context.history.changed_since(revision)?)?),
        None => None,
    };
    let suspects: HashMap<i64, Suspect> =
        suspects.into_iter().map(|suspect| (suspect.page, suspect)).collect();
    let mut wanted: BTreeSet<i64> = match asked {
        Some(page) => BTreeSet::from([page]),
        None => assessments
            .iter()
            .filter(|(_, assessment)| assessment.staleness > Staleness::Fresh)
            .map(|(&page, _)| page)
            .chain(suspects.keys().copied())
            .collect(),
    };
    let status = |page: &i64| assessments.get(page).map(|a| a.staleness).unwrap_or_default();
    wanted.retain(|page| params.only.is_none_or(|only| status(page) == only));
    if let Some(touched) = &touched {
        // A suspect page is included if the page that it depends on is.
        let cause = |page: &i64| suspects.get(page).and_then(|suspect| suspect.path.last().copied());
        wanted.retain(|page| touched.contains(&cause(page).unwrap_or(*page)));
    }
    let counts = counts(context, &assessments)?;
    let unreviewed_page_count = assessments.values().filter(|assessment| !assessment.reviewed).count();
    let listed = assessments.iter_mut().filter(|(page, _)| wanted.contains(page));
    let not_looked_for = freshness::name_renames(context, listed.map(|(_, assessment)| assessment))?;
    let numbers: Vec<i64> = wanted.iter().copied().collect();
    let declared = context.index.read(|db| freshness::declared(db, Some(&numbers)))?;
    let sources = Sources::expand(context, &declared)?;
    let mut pages = Vec::new();
    for &number in &wanted {
        let mut page = context
            .index
            .read(|db| checked(db, number, assessments.get(&number), suspects.get(&number), path))?;
        let is_judged_by_times = assessments.contains_key(&number) && !page.reviewed;
        if let Some(described) = declared.get(&number)
            && (!page.stale_refs.is_empty() || (asked.is_some() && is_judged_by_times))
        {
            #[cfg_attr(target_family = "wasm", allow(unused_mut))]
            let mut names = vec![page.page.filepath.clone()];
            #[cfg(not(target_family = "wasm"))]
            context.index.read(|db| bind(db, number, described, &sources, &mut page, &mut names))?;
            let state = source_hash(context, described, &sources);
            page.settle_with = Some(context.index.read(|db| settling(db, number, names, state))?);
        }
        pages.push(page);
    }
    pages.sort_by(|a, b| {
        b.page.staleness.cmp(&a.page.staleness).then_with(|| a.page.filepath.cmp(&b.page.filepath))
    });
    let lock_problems = ReviewLock::load(context.source, |_| true)?.problems;
    let mut output = Output {
        pages,
        counts,
        unreviewed_page_count,
        not_looked_for,
        lock_problems,
        omitted: Omitted::default(),
        index: context.index_state()?,
    };
    budget::fit(context, &mut output, params.max_tokens, show, |output, excess| {
        if excess.shorten(&mut output.lock_problems) > 0 {
            return true;
        }
        let dropped = excess.shorten(&mut output.pages);
        output.omitted.pages += dropped;
        dropped > 0
    })?;
    Ok(output)
}

fn checked(
    db: &Connection,
    page: i64,
    assessment: Option<&Assessment>,
    suspect: Option<&Suspect>,
    path: &dyn Fn(&Connection, i64) -> Result<String>,
) -> Result<CheckedPage> {
    let fields = fields(db, page, assessment)?;
    let details = assessment.map(|assessment| assessment.stale_refs.clone()).unwrap_or_default();
    let mut reasons: Vec<StaleReason> = Vec::new();
    let own = details.iter().map(|stale| stale.reason);
    for reason in own.chain(suspect.map(|_| StaleReason::Suspect)) {
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    let route = suspect.map(|suspect| suspect.path.as_slice()).unwrap_or_default();
    Ok(CheckedPage {
        reasons,
        stale_refs: details.iter().map(|stale| stale.file_path.clone()).collect(),
        sections: vec![String::new(); details.len()],
        stale_ref_details: details,
        suspect_path: route.iter().map(|&page| path(db, page)).collect::<Result<_>>()?,
        reviewed: assessment.is_some_and(|assessment| assessment.reviewed),
        settle_with: None,
        page: fields,
    })
}

/// The call that records that a stale page, or some of its sections, were read and are still accurate.
pub(crate) fn settling(
    db: &Connection,
    page: i64,
    names: Vec<String>,
    sources: Option<ContentHash>,
) -> Result<Next> {
    let hash = ContentHash(pages::hash(db, page)?).abbreviated();
    let mut review = Next::call("review_page").with("pages", names).with("expected_hash", hash);
    if let Some(sources) = sources {
        review = review.with("expected_sources", sources.abbreviated());
    }
    Ok(review.with("still_accurate", true))
}

/// Tells which sections the changed sources concern, and names only these if nothing else of the page has to be reviewed.
#[cfg(not(target_family = "wasm"))]
fn bind(
    db: &Connection,
    number: i64,
    described: &DeclaredPage,
    sources: &Sources,
    page: &mut CheckedPage,
    names: &mut Vec<String>,
) -> Result<()> {
    let mut ids = BTreeSet::new();
    let mut is_whole = !page.reviewed;
    for (changed, told) in page.stale_refs.iter().zip(&mut page.sections) {
        match freshness::binding(db, number, described, sources, changed)? {
            Binding::Page => is_whole = true,
            Binding::Sections(sections) => {
                let headings = sections.iter().map(|section| section.heading_path.last());
                *told = headings.flatten().cloned().collect::<Vec<_>>().join(", ");
                // The text before the first heading has no name.
                is_whole |= sections.iter().any(|section| section.level == 0);
                ids.extend(sections.into_iter().map(|section| section.section_id));
            }
        }
    }
    if !is_whole {
        let sections = freshness::section_names(&sections::outline(db, number)?, &ids);
        *names = sections.into_iter().map(|name| format!("{}#{name}", described.path)).collect();
    }
    Ok(())
}

/// One hash of the page's sources, for agents, who must name the state that they read; `None` if a source cannot be read.
fn source_hash(context: &Context<'_>, page: &DeclaredPage, sources: &Sources) -> Option<ContentHash> {
    if context.caller != Caller::Agent {
        return None;
    }
    sources.contents(context, page).ok().map(|contents| freshness::combined(&contents))
}

fn counts(context: &Context<'_>, assessments: &HashMap<i64, Assessment>) -> Result<FreshnessCounts> {
    let pages = context.index.read(pages::count)?;
    let count = |status| assessments.values().filter(|assessment| assessment.staleness == status).count();
    Ok(FreshnessCounts {
        fresh: count(Staleness::Fresh),
        possibly_stale: count(Staleness::PossiblyStale),
        stale: count(Staleness::Stale),
        untracked: pages.saturating_sub(assessments.len()),
    })
}

/// Pages in `changed`, and pages with a source in `changed`.
fn touched(context: &Context<'_>, changed: &BTreeSet<String>) -> Result<BTreeSet<i64>> {
    let declared = context.index.read(|db| freshness::declared(db, None))?;
    let sources = Sources::expand(context, &declared)?;
    let concerned = |source: &String| {
        sources.of(source).iter().any(|file| changed.contains(file))
            || changed.iter().any(|file| sources.covers(source, file))
    };
    let touched = declared.iter().filter(|(_, page)| {
        path::join(context.pages_dir(), &page.path).is_some_and(|file| changed.contains(&file))
            || page.sources.iter().any(concerned)
    });
    Ok(touched.map(|(&page, _)| page).collect())
}

/// Shows which pages may be out of date, and why.
pub fn show(output: &Output, page: &mut dyn Page) {
    for checked in &output.pages {
        let fields = &checked.page;
        let label = match fields.staleness {
            Staleness::Stale => Span::alarm(&message!("[STALE]")).fill(),
            Staleness::PossiblyStale => Span::alarm(&message!("[POSSIBLY STALE]")).fill(),
            _ if checked.suspect_path.is_empty() => Span::faint(&message!("[FRESH]")).fill(),
            _ => Span::faint(&message!("[SUSPECT]")).fill(),
        };
        let path = Span::Path(&fields.filepath);
        #[cfg_attr(target_family = "wasm", allow(unused_variables))]
        for (at, stale) in checked.stale_ref_details.iter().enumerate() {
            let (file, wrong) = (Span::File(&stale.file_path), what_is_wrong(stale));
            let told = message!("{label} {path} — {file} {wrong}", label, path, file, wrong);
            #[cfg(not(target_family = "wasm"))]
            let told = match checked.sections.get(at).map(String::as_str) {
                None | Some("") => told,
                Some(sections) => message!("{told} (in: {sections})", told, sections),
            };
            page.line(&[Span::said(&told)]);
        }
        if let [_, first, further @ ..] = checked.suspect_path.as_slice() {
            let first = Span::Path(first);
            let mut line = vec![message!("{label} {path} — depends on {first}", label, path, first)];
            line.extend(
                further.iter().map(|below| message!(", which depends on {below}", below = Span::Path(below))),
            );
            page.line(&[Span::said(&Message::joined(line, ""))]);
        }
    }
    if output.not_looked_for > 0 {
        let count = counted(output.not_looked_for, "more missing source", "more missing sources");
        page.note(&[Span::said(&message!("the new places of {count} were not looked for", count))]);
    }
    for problem in &output.lock_problems {
        page.warn(&[Span::said(&message!(
            "{file}:{line}: {problem}",
            file = ".ubp/refs.lock",
            line = problem.line,
            problem = problem.message
        ))]);
    }
    let counts = output.counts;
    let tracked = counts.fresh + counts.possibly_stale + counts.stale;
    let told = message!(
        "{tracked} with sources: {fresh} fresh, {possibly_stale} possibly stale, {stale} stale",
        tracked = counted(tracked, "page", "pages"),
        fresh = counts.fresh,
        possibly_stale = counts.possibly_stale,
        stale = counts.stale
    );
    page.note(&[Span::said(&match output.unreviewed_page_count {
        0 => told,
        count => message!("{told}; {count} never reviewed, judged by times", told, count),
    })]);
    if let Some(settle) = output.pages.iter().find_map(|checked| checked.settle_with.as_ref()) {
        let settle = page.voice().ask(settle);
        page.hint(&[Span::said(&message!(
            "read and correct the page, then record the review with {settle}",
            settle
        ))]);
    }
    output.omitted.show(|count| counted(count, "page", "pages"), more_room(), page);
}
