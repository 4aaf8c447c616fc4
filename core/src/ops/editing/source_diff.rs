//! Changes of the code that a page describes since its last review.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::freshness::{
    self, Anchor, Binding, Content, DeclaredPage, ReviewLock, Sources, StaleReason, StaleRef, Staleness,
    Stamp,
};
use crate::index::questions::sections::SectionRow;
use crate::message;
use crate::message::Message;
use crate::ops::Facts;
use crate::ops::page::{IndexState, PageName, path_of};
use crate::ports::{ContentHash, Revision};
use crate::show::{Page, Span, counted, what_is_wrong};
use crate::{Caller, Context, Result, path};

mod symbol;

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::reading("Show what changed in a page's code since its review: commits and differences.");

/// Maximum commits searched for the reviewed content.
const MOST_REVISIONS: usize = 50;

/// Maximum lines of a file's diff.
const MOST_LINES: usize = 200;

/// Maximum lines of a section.
const MOST_SECTION_LINES: usize = 60;

/// Maximum bytes of a file's diff, for files without line breaks.
const MOST_BYTES: usize = 64 * 1024;

/// Maximum sources whose history is read; each starts several processes.
const MOST_SOURCES: usize = 20;

/// The page.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The page: path, id, title or alias.
    pub page: String,
}

/// The changes.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The page's path relative to the pages folder.
    pub filepath: String,
    /// Its freshness.
    pub staleness: Staleness,
    /// Its sources that changed or were deleted, by path; commits and diffs of the first 20.
    pub changes: Vec<SourceDifference>,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// Changes of a source since the last review.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SourceDifference {
    /// The source, and why it makes the page stale.
    #[serde(flatten)]
    pub source: StaleRef,
    /// The sections that link to it, with their texts; empty if it concerns the whole page.
    pub described_in: Vec<SectionText>,
    /// The last review of the source, if it is known.
    pub last_review: Option<Stamp>,
    /// Commits that changed the file or symbol since, newest first; only the last one if the reviewed content is not found
    /// in history.
    pub commits: Vec<SourceCommit>,
    /// Unified diff of the file or symbol from the reviewed content to the current content, at most 200 lines; absent if
    /// the reviewed content is not found.
    pub diff: Option<String>,
}

impl SourceDifference {
    /// Of a page that is stale by its own word.
    fn without_history(source: StaleRef) -> Self {
        Self { source, described_in: Vec::new(), last_review: None, commits: Vec::new(), diff: None }
    }
}

/// A section that describes a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SectionText {
    /// Its id on the page.
    pub section_id: String,
    /// Its heading; empty for the text before the first heading.
    pub heading: String,
    /// First and last line of the file, from 1.
    pub lines: (usize, usize),
    /// Its text, at most 60 lines.
    pub text: String,
}

impl From<SectionRow> for SectionText {
    fn from(mut row: SectionRow) -> Self {
        Self {
            section_id: row.section_id,
            heading: row.heading_path.pop().unwrap_or_default(),
            lines: row.lines,
            text: first_lines(row.text.trim_end(), MOST_SECTION_LINES),
        }
    }
}

/// A commit that changed a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SourceCommit {
    /// Full hexadecimal hash.
    pub id: String,
    /// Committer time, RFC 3339.
    pub time: String,
    /// First line of its message.
    pub subject: String,
}

/// Finds the changes.
///
/// # Errors
/// [`crate::Error::PageNotFound`], [`crate::Error::AmbiguousPage`], [`crate::Error::Io`] when version control or the
/// lock fails, [`crate::Error::Cancelled`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let (number, filepath, declared) = context.index.read(|db| {
        let page = PageName { page: Some(&params.page), ..PageName::default() }.require(db)?;
        Ok((page, path_of(db, page)?, freshness::declared(db, Some(&[page]))?))
    })?;
    let mut assessment = freshness::assess(context, Some(&[number]))?.remove(&number).unwrap_or_default();
    freshness::name_renames(context, [&mut assessment])?;
    let changes = match declared.get(&number) {
        Some(page) => {
            let lock = ReviewLock::load(context.source, |known| known == page.path)?;
            let described = Described { number, page, sources: &Sources::expand(context, &declared)? };
            differences(context, &lock, described, &assessment.stale_refs, MOST_SOURCES)?
        }
        None => Vec::new(),
    };
    Ok(Output { filepath, staleness: assessment.staleness, changes, index: context.index_state()? })
}

/// A page with its sources.
#[derive(Clone, Copy)]
pub(crate) struct Described<'a> {
    pub number: i64,
    pub page: &'a DeclaredPage,
    pub sources: &'a Sources,
}

/// The changes of these sources of the page; commits and diffs only of the first `most`.
pub(crate) fn differences(
    context: &Context<'_>,
    lock: &ReviewLock,
    described: Described<'_>,
    stale_refs: &[StaleRef],
    most: usize,
) -> Result<Vec<SourceDifference>> {
    let Described { number, page, sources } = described;
    let mut differences = Vec::new();
    for (at, stale) in stale_refs.iter().enumerate() {
        context.cancel.check()?;
        if stale.reason == StaleReason::Expired {
            differences.push(SourceDifference::without_history(stale.clone()));
            continue;
        }
        let binding =
            context.index.read(|db| freshness::binding(db, number, page, sources, &stale.file_path))?;
        let described_in = match binding {
            Binding::Page => Vec::new(),
            Binding::Sections(sections) => sections.into_iter().map(SectionText::from).collect(),
        };
        let contents = lock.page(&page.path).and_then(|reviewed| reviewed.get(&stale.file_path));
        let stamps = contents.into_iter().flatten().filter_map(|content| content.stamp.clone());
        let last_review = stamps.max_by_key(|stamp| stamp.at);
        let (commits, diff) = match at < most {
            true => history(context, page, stale, contents.map(Vec::as_slice))?,
            false => (Vec::new(), None),
        };
        let source = stale.clone();
        differences.push(SourceDifference { source, described_in, last_review, commits, diff });
    }
    Ok(differences)
}

/// What happened to a source since its review: the commits, and the difference.
fn history(
    context: &Context<'_>,
    page: &DeclaredPage,
    stale: &StaleRef,
    contents: Option<&[Content]>,
) -> Result<(Vec<SourceCommit>, Option<String>)> {
    let named = &stale.file_path;
    let anchor = Anchor::of(context.source, named)?.or_else(|| Anchor::of_deleted(named));
    let file = freshness::file_of(context.source, named)?;
    let revisions = context.history.revisions(file, MOST_REVISIONS)?;
    if let Some(anchor) = anchor.filter(|anchor| anchor.file == file && context.symbols.knows(file)) {
        let by_page = match contents {
            Some(_) => None,
            None => by_page(context, page, &revisions)?,
        };
        let basis = symbol::Basis { contents: contents.unwrap_or_default(), by_page };
        if let Some(found) = symbol::history(context, anchor, &revisions, &basis, stale)? {
            let diff = found.diff.filter(|diff| !diff.is_empty()).map(|diff| first_lines(&diff, MOST_LINES));
            return Ok((found.revisions.into_iter().map(commit).collect(), diff));
        }
    }
    let base = match contents {
        Some(contents) => position(&revisions, |revision| {
            let bytes = context.history.read_at(&revision.commit.id, file)?;
            let hash = bytes.map(|bytes| ContentHash::of(&bytes));
            Ok(contents.iter().any(|content| Some(content.file) == hash))
        })?,
        None => by_page(context, page, &revisions)?,
    };
    let since = base.unwrap_or(1).min(revisions.len());
    let commits = revisions.iter().take(since).map(commit).collect();
    let diff = match base.and_then(|at| revisions.get(at)) {
        Some(base) => context.history.diff_since(&base.commit.id, file)?,
        None => None,
    };
    let diff = diff.filter(|diff| !diff.is_empty()).map(|diff| first_lines(&diff, MOST_LINES));
    Ok((commits, diff))
}

/// The newest revision of a source that is not newer than the page.
fn by_page(context: &Context<'_>, page: &DeclaredPage, revisions: &[Revision]) -> Result<Option<usize>> {
    let file = path::join(context.pages_dir(), &page.path).unwrap_or_default();
    let last = context.history.revisions(&file, 1)?;
    let Some(last) = last.first() else { return Ok(None) };
    Ok(revisions.iter().position(|revision| revision.commit.time <= last.commit.time))
}

fn position(
    revisions: &[Revision],
    mut is_it: impl FnMut(&Revision) -> Result<bool>,
) -> Result<Option<usize>> {
    for (at, revision) in revisions.iter().enumerate() {
        if is_it(revision)? {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

fn commit(revision: &Revision) -> SourceCommit {
    SourceCommit {
        id: revision.commit.id.clone(),
        time: revision.commit.time.to_string(),
        subject: revision.subject.clone(),
    }
}

/// The first lines of a diff, at most `most` and 64 KiB, and the number of lines left out.
pub(crate) fn first_lines(diff: &str, most: usize) -> String {
    let mut lines: Vec<&str> = diff.lines().collect();
    let left_out = lines.len().saturating_sub(most);
    lines.truncate(most);
    let mut text = lines.join("\n");
    text.truncate(text.floor_char_boundary(MOST_BYTES));
    text.push('\n');
    if left_out > 0 {
        let more = counted(left_out, "more line", "more lines");
        text.push_str(&message!("… and {more}", more).told_to_reader());
        text.push('\n');
    }
    text
}

/// Shows the changes of the page's code.
pub fn show(output: &Output, page: &mut dyn Page) {
    page.line(&[Span::Path(&output.filepath), Span::Trust(output.staleness)]);
    show_differences(&output.filepath, &output.changes, page);
    if output.changes.is_empty() {
        page.note(&[Span::said(&message!("no source changed since the last review"))]);
    }
    output.index.show(page);
}

/// Shows both sides of every change: the sections of the page at `filepath`, and what happened to the source. A section is
/// shown with the first source that it describes.
pub(crate) fn show_differences(filepath: &str, changes: &[SourceDifference], page: &mut dyn Page) {
    let mut shown: Vec<&str> = Vec::new();
    for change in changes {
        page.item(&[Span::said(&message!(
            "{file} {wrong}",
            file = Span::File(&change.source.file_path),
            wrong = what_is_wrong(&change.source)
        ))]);
        if let Some(review) = &change.last_review {
            page.detail(&[Span::said(&told(review))]);
        }
        for section in &change.described_in {
            let place = format!("{filepath}:{}-{}", section.lines.0, section.lines.1);
            let told = match section.heading.as_str() {
                "" => message!("described at the beginning of the page, {place}", place),
                heading => message!("described in “{heading}”, {place}", heading, place),
            };
            page.detail(&[Span::said(&told)]);
            if !shown.contains(&section.section_id.as_str()) {
                shown.push(&section.section_id);
                page.quote(&section.text, &[]);
            }
        }
        for commit in &change.commits {
            let id = commit.id.get(..10).unwrap_or(&commit.id);
            let day = commit.time.get(..10).unwrap_or(&commit.time);
            page.detail(&[Span::Faint(&format!("{id} {day} {}", commit.subject))]);
        }
        if let Some(diff) = &change.diff {
            page.diff(&without_git_headers(diff));
        }
    }
}

fn told(review: &Stamp) -> Message {
    let day = review.at.strftime("%Y-%m-%d").to_string();
    let who = match (&review.name, review.caller) {
        (Some(name), Caller::Person) => message!("{name}", name),
        (Some(name), Caller::Agent) => message!("the agent {name}", name),
        (None, Caller::Person) => message!("a person"),
        (None, Caller::Agent) => message!("an agent"),
    };
    match &review.commit {
        Some(commit) => message!("last reviewed on {day} by {who}, at commit {commit}", day, who, commit),
        None => message!("last reviewed on {day} by {who}", day, who),
    }
}

/// The diff without the lines of git that repeat the names of its files, and without blob ids.
fn without_git_headers(diff: &str) -> String {
    let count = |start: &str| diff.lines().filter(|line| line.starts_with(start)).count();
    let is_named = count("diff --git ") == count("+++ ");
    let is_header = |line: &str| line.starts_with("index ") || (is_named && line.starts_with("diff --git "));
    diff.split_inclusive('\n').filter(|line| !is_header(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::without_git_headers;

    #[test]
    fn a_shown_diff_names_each_file_once() {
        let hunk = "--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-index 1\n+diff --git 2\n";
        assert_eq!(
            without_git_headers(&format!("diff --git a/x.rs b/x.rs\nindex 12..34 100644\n{hunk}")),
            hunk
        );
        let renamed = "diff --git a/x.rs b/y.rs\nsimilarity index 100%\nrename from x.rs\nrename to y.rs\n";
        assert_eq!(without_git_headers(renamed), renamed, "nothing else names the files");
    }
}
