//! Records that pages were read and are accurate for the current state of their sources.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::freshness::{
    self, Content, DeclaredPage, REVIEW_LOCK, ReviewLock, Sources, StaleReason, StaleRef, Staleness, Stamp,
};
use crate::hint::Next;
use crate::message;
use crate::message::Message;
use crate::ops::page::IndexState;
use crate::ops::source_diff::{Described, SourceDifference, differences, show_differences};
use crate::ops::written;
use crate::ops::{Facts, Tool, check_staleness};
use crate::show::{Page, Span, counted, what_is_wrong};
use crate::word;
use crate::writing::{Change, Plan, RecordChange, Version, carry_out, expect};
use crate::{Caller, Context, Error, Result};

mod chosen;
mod part;

use chosen::chosen;
use part::{Others, Part};

/// Facts about this operation.
pub const FACTS: Facts = Facts::writing(
    "Record that pages were reviewed against their code; a stale page only with \
     `still_accurate`.",
)
.tool(Tool::Always)
.command("review")
.arguments(&["pages"])
.button(word!("“Mark page as reviewed”"))
.idempotent()
.required_of_agents(&["expected_hash", "expected_sources"]);

/// Changes of sources are shown for at most this many pages.
const MOST_WITH_HISTORY: usize = 20;

/// The reviewed pages.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The page: path, id, title or alias; `page#heading` for one section and those below.
    pub page: Option<String>,
    /// Several pages or sections, each named like `page`.
    #[serde(default)]
    pub pages: Vec<String>,
    /// All pages with sources; only for people.
    #[serde(default)]
    pub all: bool,
    /// `content_hash` of the page as read; agents must pass it.
    pub expected_hash: Option<String>,
    /// `expected_sources` from `check_staleness`, for the state of the sources as read; agents must pass it.
    pub expected_sources: Option<String>,
    /// Also record pages whose sources changed since the last review: they were read again and are accurate.
    #[serde(default)]
    pub still_accurate: bool,
}

/// The recorded and the refused reviews.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Pages whose review was recorded, by path.
    pub reviewed: Vec<ReviewedPage>,
    /// Pages that were not recorded because their code changed, with the changes.
    pub refused: Vec<RefusedPage>,
    /// Pages and sections without sources, for which there is nothing to record.
    pub without_sources: Vec<String>,
    /// Whether `.ubp/refs.lock` was written.
    pub written: bool,
    /// Id of the change in the audit log; absent when nothing was written.
    pub audit_id: Option<String>,
    /// Id of the proposal, if the review was only proposed.
    pub proposal: Option<String>,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// A page whose review was recorded.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct ReviewedPage {
    /// Its path relative to the pages folder.
    pub filepath: String,
    /// Headings of the sections that were reviewed; empty for the whole page.
    pub sections: Vec<String>,
    /// Number of files and symbols recorded.
    pub source_count: usize,
    /// Whether the record changed.
    pub changed: bool,
    /// What reviewing does not fix: source entries that match no file or symbol, and the page itself if its `stale_after`
    /// has passed.
    pub missing: Vec<StaleRef>,
    /// Changes of the code since the last review.
    pub changes: Vec<SourceDifference>,
    /// Whether `verified` in its front matter was written, as the manifest asks for.
    pub verified: bool,
    /// Why `verified` was not written, although the manifest asks for it.
    pub not_verified: Option<Message>,
}

/// A page that must be read first.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RefusedPage {
    /// Its path relative to the pages folder.
    pub filepath: String,
    /// Headings of the sections that were to be reviewed; empty for the whole page.
    pub sections: Vec<String>,
    /// Its freshness.
    pub staleness: Staleness,
    /// Changes of the code since the last review; commits and diffs only for calls with at most 20 pages.
    pub changes: Vec<SourceDifference>,
    /// The call that records the review anyway, to make after reading the page.
    pub settle_with: Next,
}

/// Records the reviews.
///
/// # Errors
/// [`Error::InvalidParams`], [`Error::PageNotFound`], [`Error::AmbiguousPage`], [`Error::Io`], [`Error::Conflict`]
/// when another process wrote the lock meanwhile, [`Error::Database`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let mut names = params.pages;
    names.extend(params.page);
    if names.is_empty() && !params.all {
        return Err(Error::invalid(message!("`page` is missing: a path, id, title or alias")));
    }
    let chosen = chosen(context, &names, params.all)?;
    let is_single = chosen.pages == 1 && !params.all;
    if context.caller == Caller::Agent && !is_single {
        return Err(Error::invalid(message!(
            "an agent can review only one page per call: call check_staleness with `page`, read the page and its \
             sources, then make the call that check_staleness shows"
        )));
    }
    if !is_single && (params.expected_hash.is_some() || params.expected_sources.is_some()) {
        return Err(Error::invalid(message!(
            "pass `expected_hash` and `expected_sources` only with a single page"
        )));
    }
    let declared = &chosen.declared;
    let (unsourced, without_sources) = match context.manifest.okf.verified {
        true => (chosen.without_sources, Vec::new()),
        false => (Vec::new(), chosen.without_sources),
    };
    for path in declared.values().map(|page| &page.path).chain(&unsourced).filter(|_| is_single) {
        expect(context, params.expected_hash.as_deref(), &Version::read(context.source, path)?)?;
    }
    let numbers: Vec<i64> = declared.keys().copied().collect();
    let assessments = freshness::assess(context, Some(&numbers))?;
    let sources = Sources::expand(context, declared)?;
    let mut lock = ReviewLock::load(context.source, |_| true)?;
    let listed: Option<Vec<String>> = match params.all {
        true => Some(context.source.list()?.pages.into_iter().map(|file| file.path).collect()),
        false => None,
    };
    let before = lock.to_text();
    forget_missing(&mut lock, listed.as_deref());
    let stamp = Stamp::now(context)?;
    // Each difference starts several processes, and nobody reads that many.
    let with_history = if declared.len() <= MOST_WITH_HISTORY { usize::MAX } else { 0 };
    let mut output = Output {
        reviewed: Vec::new(),
        refused: Vec::new(),
        without_sources,
        written: false,
        audit_id: None,
        proposal: None,
        index: context.index_state()?,
    };
    let mut records = Vec::new();
    for (&number, page) in declared {
        context.cancel.check()?;
        let described = Described { number, page, sources: &sources };
        let contents = sources.contents(context, page)?;
        if is_single {
            expect_sources(context, params.expected_sources.as_deref(), page, &contents)?;
        }
        let state = freshness::combined(&contents);
        let mut assessment = assessments.get(&number).cloned().unwrap_or_default();
        let part = chosen.sections.get(&number).map(|ids| Part { described, ids });
        let (contents, others) = match &part {
            Some(part) => {
                assessment.stale_refs = part.stale(context, assessment.stale_refs)?;
                part.contents(context, contents, &lock)?
            }
            None => (contents, Others::default()),
        };
        let named = |others: &Others| match &part {
            Some(part) => part.names(context, others),
            None => Ok(Vec::new()),
        };
        let sections = named(&Others::default())?;
        if contents.is_empty() && assessment.stale_refs.is_empty() && part.is_some() {
            output.without_sources.extend(section_names(&page.path, &sections));
            continue;
        }
        if with_history > 0 {
            freshness::name_renames(context, [&mut assessment])?;
        }
        let changes = differences(context, &lock, described, &assessment.stale_refs, with_history)?;
        let is_fresh = assessment.staleness <= Staleness::Fresh || assessment.stale_refs.is_empty();
        if !is_fresh && !params.still_accurate {
            let names = section_names(&page.path, &named(&others)?);
            let settling = |db: &_| check_staleness::settling(db, number, names, Some(state));
            output.refused.push(RefusedPage {
                filepath: page.path.clone(),
                sections,
                staleness: assessment.staleness,
                changes,
                settle_with: context.index.read(settling)?,
            });
            continue;
        }
        others.refuse(&page.path)?;
        let is_missing = |stale: &StaleRef| {
            let is_named = || page.sources.contains(&stale.file_path);
            stale.reason == StaleReason::Expired || (stale.reason == StaleReason::Missing && is_named())
        };
        let record = Record { described, is_part: part.is_some(), contents: stamped(contents, &stamp) };
        output.reviewed.push(ReviewedPage {
            filepath: page.path.clone(),
            sections,
            source_count: record.contents.len(),
            changed: record.add_to(&mut lock),
            missing: assessment.stale_refs.iter().filter(|stale| is_missing(stale)).cloned().collect(),
            changes,
            verified: false,
            not_verified: None,
        });
        records.push(record);
    }
    let page = |filepath| ReviewedPage { filepath, ..ReviewedPage::default() };
    output.reviewed.extend(unsourced.into_iter().map(page));
    let edits = super::verified::changes(context, &mut output.reviewed, params.all)?;
    if lock.to_text() != before || !edits.is_empty() {
        let about = output.reviewed.iter().map(|page| page.filepath.clone()).collect();
        (output.audit_id, output.proposal) = save(context, &records, listed.as_deref(), edits, about)?;
        output.written = output.audit_id.is_some();
        output.index = context.index_state()?;
    }
    output.reviewed.sort_by(|a, b| a.filepath.cmp(&b.filepath));
    output.refused.sort_by(|a, b| a.filepath.cmp(&b.filepath));
    Ok(output)
}

/// The review of a page, or of some of its sections.
struct Record<'a> {
    described: Described<'a>,
    is_part: bool,
    contents: BTreeMap<String, Content>,
}

impl Record<'_> {
    /// Returns whether this changed the lock.
    fn add_to(&self, lock: &mut ReviewLock) -> bool {
        let Described { page, sources, .. } = self.described;
        match self.is_part {
            true => lock.set_some(&page.path, self.contents.clone(), |path| {
                page.sources.iter().any(|source| source == path || sources.covers(source, path))
            }),
            false => lock.set(&page.path, self.contents.clone()),
        }
    }
}

fn stamped(mut contents: BTreeMap<String, Content>, stamp: &Stamp) -> BTreeMap<String, Content> {
    contents.values_mut().for_each(|content| content.stamp = Some(stamp.clone()));
    contents
}

/// Names for these sections of a page, or for the page if there are none.
pub(crate) fn section_names(path: &str, sections: &[String]) -> Vec<String> {
    match sections {
        [] => vec![path.to_owned()],
        sections => sections.iter().map(|section| format!("{path}#{section}")).collect(),
    }
}

/// Adds the reviews to the current record, which another process may have changed meanwhile. Returns the id of
/// the change in the audit log, or that of the proposal.
fn save(
    context: &Context<'_>,
    records: &[Record<'_>],
    listed: Option<&[String]>,
    edits: Vec<Change>,
    about: Vec<String>,
) -> Result<(Option<String>, Option<String>)> {
    let _held = context.source.lock()?;
    let bytes = context.source.read_state(REVIEW_LOCK)?;
    let mut now =
        bytes.as_deref().map_or_else(ReviewLock::default, |bytes| ReviewLock::parse(bytes, |_| true));
    for record in records {
        record.add_to(&mut now);
    }
    forget_missing(&mut now, listed);
    let after = now.to_text().into_bytes();
    let mut plan = Plan::new("review_page", edits).reviewing();
    if bytes.as_deref().unwrap_or_default() != after {
        plan = plan.recording(RecordChange::replace(REVIEW_LOCK, bytes.as_deref(), after));
    }
    let plan = plan.about(about);
    let written = carry_out(context, plan, false)?;
    Ok((written.audit_id, written.proposal))
}

/// Refuses the review of a page whose sources changed since the reviewer read them.
fn expect_sources(
    context: &Context<'_>,
    given: Option<&str>,
    page: &DeclaredPage,
    contents: &BTreeMap<String, Content>,
) -> Result<()> {
    let path = &page.path;
    let next = Next::call("check_staleness").with("page", path.as_str());
    match given {
        Some(given) if !freshness::combined(contents).is(given)? => Err(Error::invalid_with_hint(
            message!(
                "the sources of {path} changed since `expected_sources` was given: read them again",
                path
            ),
            message!("{call} gives the new `expected_sources`", call = next),
        )),
        None if context.caller == Caller::Agent => Err(Error::invalid_with_hint(
            message!("`expected_sources` is missing: read the sources of {path} first", path),
            message!("{call} gives it", call = next),
        )),
        _ => Ok(()),
    }
}

/// Removes pages that no longer exist.
fn forget_missing(lock: &mut ReviewLock, listed: Option<&[String]>) {
    if let Some(listed) = listed {
        lock.retain(|page| listed.binary_search_by(|path| path.as_str().cmp(page)).is_ok());
    }
}

/// Pages without a change since their last review that are listed one by one.
const MOST_UNCHANGED: usize = 5;

/// Shows the recorded pages, and the changes that refused pages must be read against.
pub fn show(output: &Output, page: &mut dyn Page) {
    for refused in &output.refused {
        let names = section_names(&refused.filepath, &refused.sections).join(", ");
        let (path, trust) = (Span::Path(&names), Span::Trust(refused.staleness));
        page.line(&[Span::said(&message!(
            "{label} {path}{trust}",
            label = Span::alarm(&message!("not recorded:")),
            path,
            trust
        ))]);
        show_differences(&refused.filepath, &refused.changes, page);
        page.item(&[Span::said(&message!(
            "read the page against these changes; if it is still accurate, {settle} records that",
            settle = refused.settle_with
        ))]);
    }
    let is_unchanged = |reviewed: &&ReviewedPage| !reviewed.changed && !reviewed.verified;
    let unchanged = output.reviewed.iter().filter(is_unchanged).count();
    for reviewed in &output.reviewed {
        let what = match (reviewed.changed || reviewed.verified, output.proposal.is_some()) {
            (true, true) => message!("review proposed:"),
            (true, false) => message!("reviewed:"),
            (false, _) => message!("already reviewed:"),
        };
        if reviewed.changed || reviewed.verified || unchanged <= MOST_UNCHANGED {
            let names = section_names(&reviewed.filepath, &reviewed.sections).join(", ");
            page.line(&[Span::said(&message!(
                "{label} {path} ({files})",
                label = Span::strong(&what),
                path = Span::Path(&names),
                files = counted(reviewed.source_count, "source", "sources")
            ))]);
        }
        show_differences(&reviewed.filepath, &reviewed.changes, page);
        if let Some(why) = &reviewed.not_verified {
            let path = Span::Path(&reviewed.filepath);
            page.warn(&[Span::said(&message!("`verified` was not written to {path}: {why}", path, why))]);
        }
        let (expired, missing): (Vec<_>, Vec<_>) =
            reviewed.missing.iter().partition(|stale| stale.reason == StaleReason::Expired);
        for stale in expired {
            page.warn(&[Span::said(&message!(
                "{file} {wrong}; set a later date, or delete it",
                file = Span::File(&stale.file_path),
                wrong = what_is_wrong(stale)
            ))]);
        }
        for missing in missing {
            page.warn(&[Span::said(&message!(
                "{file} {wrong}; correct the source_refs of {path}",
                file = Span::File(&missing.file_path),
                wrong = what_is_wrong(missing),
                path = Span::Path(&reviewed.filepath)
            ))]);
        }
    }
    if unchanged > MOST_UNCHANGED {
        page.line(&[Span::said(&message!(
            "{label} {unchanged} pages",
            label = Span::strong(&message!("already reviewed:")),
            unchanged
        ))]);
    }
    for path in &output.without_sources {
        page.warn(&[Span::said(&message!(
            "{path} names no sources, so there is nothing to record",
            path = Span::Path(path)
        ))]);
    }
    if output.reviewed.is_empty() && output.refused.is_empty() && output.without_sources.is_empty() {
        page.note(&[Span::said(&message!(
            "no page names sources in `source_refs`, so there is nothing to review"
        ))]);
    }
    if output.written {
        page.note(&[Span::said(&message!("commit .ubp/refs.lock together with the pages"))]);
    }
    written::show_proposal(output.proposal.as_deref(), page);
    written::show_undo(output.audit_id.as_deref(), page);
    if !output.index.fresh {
        output.index.show(page);
    }
}
