//! The pages of the project.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Context;
use super::budget::{self, Omitted};
use super::page::{IndexState, PageFields, fields};
use crate::Result;
use crate::freshness::{self, Staleness};
use crate::search::Filter;

/// What it is for.
pub const SUMMARY: &str = "List pages with their types, times, link counts and freshness.";

/// Which pages, in which order.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Only pages of this type.
    pub doc_type: Option<String>,
    /// Only pages with all of these tags.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Only pages in this folder or below.
    pub folder: Option<String>,
    /// Only pages with this freshness.
    pub staleness: Option<Staleness>,
    /// Sort key; `title` when absent.
    #[serde(alias = "sort_by")]
    pub sort: Option<SortKey>,
    /// Sort order; `asc` when absent.
    pub order: Option<SortOrder>,
    /// Most pages to return; all when absent.
    #[schemars(range(min = 1))]
    pub limit: Option<usize>,
    /// Pages to pass over first.
    #[serde(default)]
    pub offset: usize,
    /// The answer takes at most this many tokens (4 ASCII bytes or one other character each).
    #[schemars(range(min = 256))]
    pub max_tokens: Option<usize>,
}

/// What pages are sorted by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SortKey {
    /// By title.
    #[default]
    Title,
    /// By the time of the last change.
    UpdatedAt,
    /// By the time of creation.
    CreatedAt,
    /// By path.
    Filepath,
}

/// Which end comes first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SortOrder {
    /// Smallest, oldest first.
    #[default]
    Asc,
    /// Largest, newest first.
    Desc,
}

/// The pages.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The pages that were asked for.
    pub pages: Vec<ListedPage>,
    /// Pages that meet the conditions, before `limit` and `offset`.
    pub total: usize,
    /// What was left out to fit `max_tokens`.
    pub omitted: Omitted,
    /// How true the index is.
    pub index: IndexState,
}

/// A page in a list.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ListedPage {
    /// What identifies and describes the page.
    #[serde(flatten)]
    pub page: PageFields,
    /// Links to other pages, one per page and type.
    pub link_count: usize,
    /// Links from other pages, one per page and type.
    pub backlink_count: usize,
}

/// Lists the pages.
///
/// # Errors
/// [`crate::Error::InvalidParams`], [`crate::Error::Database`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let filter = Filter {
        doc_types: params.doc_type.into_iter().collect(),
        tags: params.tags,
        folder: params.folder,
        ..Filter::default()
    };
    let assessments = freshness::assess(context, None)?;
    let graph = context.index.graph()?;
    let mut pages: Vec<ListedPage> = context.index.read(|db| {
        let allowed = filter.allowed(db)?;
        let mut statement = db.prepare_cached("SELECT page FROM pages ORDER BY path")?;
        let numbers =
            statement.query_map([], |row| row.get::<_, i64>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
        numbers
            .into_iter()
            .filter(|page| allowed.as_ref().is_none_or(|allowed| allowed.contains(page)))
            .map(|page| {
                let (link_count, backlink_count) = graph.degrees(page);
                Ok(ListedPage { page: fields(db, page, assessments.get(&page))?, link_count, backlink_count })
            })
            .collect::<Result<_>>()
    })?;
    if let Some(wanted) = params.staleness {
        pages.retain(|listed| listed.page.staleness == wanted);
    }
    let key = |listed: &ListedPage| match params.sort.unwrap_or_default() {
        SortKey::Title => listed.page.title.to_lowercase(),
        SortKey::UpdatedAt => listed.page.updated_at.clone(),
        SortKey::CreatedAt => listed.page.created_at.clone(),
        SortKey::Filepath => listed.page.filepath.clone(),
    };
    pages.sort_by_cached_key(key);
    if params.order.unwrap_or_default() == SortOrder::Desc {
        pages.reverse();
    }
    let total = pages.len();
    let limit = budget::ranged("limit", params.limit, usize::MAX, 1, usize::MAX)?;
    let pages = pages.into_iter().skip(params.offset).take(limit).collect();
    let mut output = Output { pages, total, omitted: Omitted::default(), index: context.index_state()? };
    budget::fit(&mut output, params.max_tokens, |output, excess| {
        // A listed page takes some 80 tokens: long lists shrink in few steps.
        let drop = (excess / 120).clamp(1, output.pages.len().max(1));
        let keep = output.pages.len().saturating_sub(drop);
        let dropped = output.pages.len() - keep;
        output.pages.truncate(keep);
        output.omitted.pages += dropped;
        dropped > 0
    })?;
    Ok(output)
}
