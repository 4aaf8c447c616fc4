//! The pages of the project.

use crate::message::Message;
use std::collections::HashMap;

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::Result;
use crate::freshness::{self, Assessment, Staleness};
use crate::graph::LinkGraph;
use crate::index::questions::{names, pages};
use crate::message;
use crate::ops::bounds;
use crate::ops::budget::{self, Excess, Omitted};
use crate::ops::page::{IndexState, PageFields, all_fields, fields};
use crate::ops::{Facts, Tool, unmatched};
use crate::search::Filter;
use crate::show::{Page, Span, counted};
use crate::word;

/// Facts about this operation.
pub const FACTS: Facts = Facts::reading("List pages with their types, times, link counts and freshness.")
    .tool(Tool::Core)
    .quoting_pages()
    .command("list")
    .button(word!("the list of pages"));

/// Conditions and order.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Only pages of this type.
    pub doc_type: Option<String>,
    /// Only pages with all of these tags.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Only pages below this folder.
    pub folder: Option<String>,
    /// Only pages with this freshness.
    pub staleness: Option<Staleness>,
    /// The sort key.
    #[serde(alias = "sort_by")]
    #[schemars(extend("default" = "title"))]
    pub sort: Option<SortKey>,
    /// The sort order.
    #[schemars(extend("default" = "asc"))]
    pub order: Option<SortOrder>,
    /// Maximum number of pages (default: all).
    #[schemars(range(min = 1))]
    pub limit: Option<usize>,
    /// Number of pages to skip first.
    #[serde(default)]
    pub offset: usize,
    /// Maximum tokens in the answer.
    #[schemars(range(min = 256))]
    pub max_tokens: Option<usize>,
}

/// A sort key.
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

/// A sort order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SortOrder {
    /// Smallest or oldest first.
    #[default]
    Asc,
    /// Largest or newest first.
    Desc,
}

/// The pages.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The requested pages.
    pub pages: Vec<ListedPage>,
    /// Paths of the next pages, if `max_tokens` has room only for paths.
    pub more_paths: Vec<String>,
    /// Matching pages, before `limit` and `offset`.
    pub total: usize,
    /// Number of pages skipped before the first one.
    pub offset: usize,
    /// Conditions that match no page, a sentence each.
    pub unmatched: Vec<Message>,
    /// Parts omitted to fit `max_tokens`.
    pub omitted: Omitted,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// A page in a list.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ListedPage {
    /// The page's metadata.
    #[serde(flatten)]
    pub page: PageFields,
    /// Links to other pages, one per page and type.
    pub link_count: usize,
    /// Links from others, one per page and type.
    pub backlink_count: usize,
    /// Its tags.
    pub tags: Vec<String>,
}

/// Up to this many pages are looked up one by one; more are read in one pass.
const FEW: usize = 200;

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
    let sort = params.sort.unwrap_or_default();
    let limit = budget::ranged("limit", params.limit, usize::MAX, 1, usize::MAX)?;
    let (pages, total, unmatched) = context.index.read(|db| {
        let allowed = filter.allowed(db)?;
        let is_wanted = |page: i64| {
            allowed.as_ref().is_none_or(|allowed| allowed.contains(&page))
                && params.staleness.is_none_or(|wanted| {
                    wanted == assessments.get(&page).map(|a| a.staleness).unwrap_or_default()
                })
        };
        // All pages are sorted, but only the sort key is read of each.
        let mut sorted: Vec<(String, i64)> = Vec::new();
        let mut sort_in = |page, key: &str| {
            if is_wanted(page) {
                sorted.push((if sort == SortKey::Title { key.to_lowercase() } else { key.into() }, page));
            }
        };
        match sort {
            SortKey::Title => pages::each_title(db, |page, _, title| sort_in(page, title)),
            SortKey::UpdatedAt => pages::each_change(db, sort_in),
            SortKey::CreatedAt => pages::each_creation(db, sort_in),
            SortKey::Filepath => pages::each_path(db, sort_in),
        }?;
        sorted.sort_by(|a, b| a.0.cmp(&b.0));
        if params.order.unwrap_or_default() == SortOrder::Desc {
            sorted.reverse();
        }
        let shown = sorted.iter().skip(params.offset).take(limit).map(|&(_, page)| page);
        let pages = read(db, &shown.collect::<Vec<i64>>(), &assessments, &graph)?;
        Ok((pages, sorted.len(), unmatched::of(db, &filter, None)?))
    })?;
    let mut output = Output {
        pages,
        more_paths: Vec::new(),
        total,
        offset: params.offset,
        unmatched,
        omitted: Omitted::default(),
        index: context.index_state()?,
    };
    budget::fit(context, &mut output, params.max_tokens, show, shrink)?;
    Ok(output)
}

/// Pages with details are worth more than the paths of further pages, up to this number.
const DETAILED: usize = 40;

/// Reduces the last pages to their paths, then removes the last paths, and pages last.
fn shrink(output: &mut Output, excess: Excess) -> bool {
    let mut cut = false;
    for listed in &mut output.pages {
        cut |= bounds::few_tags(&mut listed.tags);
    }
    output.omitted.text_cut |= cut;
    if cut {
        return true;
    }
    if output.pages.len() > DETAILED {
        let keep = (output.pages.len() - excess.share(output.pages.len())).max(DETAILED);
        let last = output.pages.split_off(keep);
        output.omitted.pages += last.len();
        let paths = last.into_iter().map(|listed| listed.page.filepath);
        output.more_paths = paths.chain(std::mem::take(&mut output.more_paths)).collect();
        return true;
    }
    if !output.more_paths.is_empty() {
        excess.shorten(&mut output.more_paths);
        return true;
    }
    let dropped = excess.shorten(&mut output.pages);
    output.omitted.pages += dropped;
    dropped > 0
}

/// The entries for these pages, in the same order.
fn read(
    db: &Connection,
    numbers: &[i64],
    assessments: &HashMap<i64, Assessment>,
    graph: &LinkGraph,
) -> Result<Vec<ListedPage>> {
    let listed = |page: i64, fields: PageFields, tags: Vec<String>| {
        let (link_count, backlink_count) = graph.degrees(page);
        ListedPage { page: fields, link_count, backlink_count, tags }
    };
    if numbers.len() <= FEW {
        let one =
            |&page: &i64| Ok(listed(page, fields(db, page, assessments.get(&page))?, names::tags(db, page)?));
        return numbers.iter().map(one).collect();
    }
    let mut fields = all_fields(db, assessments)?;
    let mut tags = HashMap::<i64, Vec<String>>::new();
    names::each_tag(db, |page, tag| tags.entry(page).or_default().push(tag))?;
    let known = |page: &i64| Some(listed(*page, fields.remove(page)?, tags.remove(page).unwrap_or_default()));
    Ok(numbers.iter().filter_map(known).collect())
}

/// Shows the pages, one per line.
pub fn show(output: &Output, page: &mut dyn Page) {
    for listed in &output.pages {
        let PageFields { filepath, title, doc_type, updated_at, staleness, .. } = &listed.page;
        let day = updated_at.get(..10).unwrap_or(updated_at);
        let (out, back) = (listed.link_count, listed.backlink_count);
        page.line(&[Span::said(&message!(
            "{path}  {title}{value}{kind}{label}{trust}",
            path = Span::Path(filepath),
            title = Span::Words(title),
            value = Span::Faint("  "),
            kind = Span::Label(doc_type),
            label = Span::faint(&message!(" · {day} · {out} out, {back} in", day, out, back)),
            trust = Span::Trust(*staleness)
        ))]);
    }
    if !output.more_paths.is_empty() {
        page.heading(&[Span::strong(&message!(
            "{more_paths} more, by path",
            more_paths = output.more_paths.len()
        ))]);
        let mut line: Vec<Span<'_>> = Vec::new();
        for path in &output.more_paths {
            if !line.is_empty() {
                line.push(Span::Text(", "));
            }
            line.push(Span::Path(path));
        }
        page.line(&line);
    }
    show_count(output, page);
}

/// Shows how many pages there are, and whether the index is up to date.
pub fn show_count(output: &Output, page: &mut dyn Page) {
    let count = match output.pages.len() + output.more_paths.len() {
        shown if shown == output.total => counted(shown, "page", "pages"),
        shown => message!("{shown} of {total} pages", shown, total = output.total),
    };
    unmatched::show(&output.unmatched, page);
    page.note(&[Span::said(&count)]);
    let end = output.offset + output.pages.len();
    let rest = message!("offset {end} lists the next pages with all details", end);
    output.omitted.show(|count| counted(count, "page", "pages"), rest, page);
    output.index.show(page);
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::index::tests::Project;

    #[test]
    fn pages_are_listed_with_their_own_tags_sorted() {
        let project = Project::with_pages([
            ("a.md", "---\ntags: [zebra, 設計]\n---\n#apple in the text\n"),
            ("b.md", "# No tags\n"),
        ]);
        let listed = run(&project.context(), Params::default()).unwrap().pages;
        let tags: Vec<_> = listed.iter().map(|page| (page.page.filepath.as_str(), &page.tags[..])).collect();
        assert_eq!(tags.len(), 2);
        assert!(tags.contains(&("a.md", &["apple".into(), "zebra".into(), "設計".into()][..])));
        assert!(tags.contains(&("b.md", &[][..])));
    }

    #[test]
    fn long_and_short_lists_have_the_same_details() {
        let names: Vec<String> = (0..300).map(|number| format!("{}/p{number}.md", number % 7)).collect();
        let text = "---\ntags: [b, a]\n---\n[[p1]] [[p2]]\n";
        let project = Project::with_pages(names.iter().map(|name| (name.as_str(), text)));
        let all = run(&project.context(), Params::default()).unwrap();
        let mut one_by_one = Vec::new();
        for offset in 0..300 {
            let params = Params { offset, limit: Some(1), ..Params::default() };
            one_by_one.extend(run(&project.context(), params).unwrap().pages);
        }
        assert_eq!(serde_json::to_value(&all.pages).unwrap(), serde_json::to_value(one_by_one).unwrap());
    }
}
