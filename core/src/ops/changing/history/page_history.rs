//! The former texts of a page, so that a person can look at one and restore it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::message;
use crate::ops::Facts;
use crate::ops::page::{PageName, path_of};
use crate::ports::ContentHash;
use crate::show::{Page, Span};
use crate::{Caller, Context, Error, Result};

mod past;

pub(crate) use past::Past;
pub use past::{Moment, PageVersion};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::reading("List former versions of a page: commits, and texts that changes through UBP replaced.")
        .quoting_pages();

/// Default number of versions.
const DEFAULT_LIMIT: usize = 50;

/// Maximum number of versions in an answer.
const MOST: usize = 200;

/// Maximum number of versions to skip.
pub(crate) const DEEPEST: usize = 10_000;

/// The page.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The page: path, id, title or alias.
    pub page: String,
    /// Maximum number of versions (1 to 200, default: 50).
    #[schemars(range(min = 1, max = 200))]
    pub limit: Option<usize>,
    /// Number of newer versions to skip (at most 10000, default: 0).
    #[schemars(range(max = 10000))]
    pub skip: Option<usize>,
}

/// What version control knows about the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Committed {
    /// The page was committed.
    Yes,
    /// The page was never committed.
    No,
    /// The project is not under version control, or has no commits.
    Unknown,
}

/// The versions.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The page's path relative to the pages folder.
    pub filepath: String,
    /// Its former versions, newest first. A page keeps its versions when it is renamed inside the project.
    pub versions: Vec<PageVersion>,
    /// Whether there are older versions.
    pub more: bool,
    /// Whether version control has the page.
    pub committed: Committed,
}

/// Lists the versions.
///
/// # Errors
/// [`Error::InvalidParams`] for a number out of range, [`Error::PageNotFound`], [`Error::AmbiguousPage`],
/// [`Error::Io`] when version control fails, [`Error::Cancelled`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let (limit, skip) = (params.limit.unwrap_or(DEFAULT_LIMIT), params.skip.unwrap_or(0));
    if !(1..=MOST).contains(&limit) {
        return Err(Error::invalid(message!(
            "limit is {limit}; it must be from 1 to {most}",
            limit,
            most = MOST
        )));
    }
    if skip > DEEPEST {
        return Err(Error::invalid(message!(
            "skip is {skip}; it must be at most {deepest}",
            skip,
            deepest = DEEPEST
        )));
    }
    let (filepath, now) = current(context, &params.page)?;
    // One more than is shown tells whether there are more.
    let past = Past::of(context, &filepath, ContentHash::of(&now), skip + limit + 1)?;
    let committed = if past.is_committed() {
        Committed::Yes
    } else if context.history.head()?.is_some() {
        Committed::No
    } else {
        Committed::Unknown
    };
    let mut versions: Vec<PageVersion> = past.versions().into_iter().skip(skip).collect();
    let more = versions.len() > limit;
    versions.truncate(limit);
    Ok(Output { filepath, versions, more, committed })
}

/// The path of the page, and the content of its file.
pub(crate) fn current(context: &Context<'_>, page: &str) -> Result<(String, Vec<u8>)> {
    let path = context.index.read(|db| {
        let page = PageName { page: Some(page), ..PageName::default() }.require(db)?;
        path_of(db, page)
    })?;
    let bytes = context.source.read(&path)?;
    Ok((path, bytes))
}

/// Lists the versions, one a line.
pub fn show(output: &Output, page: &mut dyn Page) {
    page.line(&[Span::Path(&output.filepath)]);
    for version in &output.versions {
        let line = describe(version);
        let mut spans = vec![Span::Code(&version.id), Span::Text("  "), Span::Words(&line)];
        if let Some(path) = &version.former_path {
            spans.extend([Span::Text("  as "), Span::File(path)]);
        }
        page.item(&spans);
    }
    match output.committed {
        Committed::Yes => {}
        Committed::No => page.note(&[Span::said(&message!("this page was never committed"))]),
        Committed::Unknown => page.note(&[Span::said(&message!("the project is not under version control"))]),
    }
    if output.more {
        page.note(&[Span::said(&message!("there are older versions; skip more to list them"))]);
    }
}

/// One line about a version.
pub(crate) fn describe(version: &PageVersion) -> String {
    let time = version.time.get(..19).unwrap_or(&version.time).replace('T', " ");
    let who = version.author.as_deref().unwrap_or(match version.caller {
        Some(Caller::Agent) => "agent",
        _ => "person",
    });
    let what = match version.moment {
        Moment::Commit => "",
        Moment::Before => "before ",
        Moment::After => "after ",
    };
    format!("{time}  {who}  {what}{}", version.subject)
}

#[cfg(test)]
mod tests;
