//! Lists the comments on a page, or on all pages, with the places of the texts that they are about.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::comments::{Comment, Comments, Letters, moved, orphans_of, text_of};
use crate::hint::Next;
use crate::index::questions::pages;
use crate::message;
use crate::ops::page::{PageName, path_of};
use crate::ops::{Facts, Tool, budget};
use crate::page::plain;
use crate::show::{Page, Span, counted};
use crate::word;
use crate::{Context, Result};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::reading("List comments on pages, with the text that each is about and its replies.")
        .tool(Tool::OnRequest)
        .quoting_pages()
        .command("comments")
        .arguments(&["page"])
        .button(word!("the comments of a page"))
        .at_once();

/// Default and largest number of comments in an answer.
const LIMITS: (usize, usize) = (100, 1_000);

/// Which comments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WhichComments {
    /// Those that are not resolved.
    #[default]
    Open,
    /// Those that are resolved.
    Resolved,
    /// All.
    All,
}

/// The comments to list.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Only those on this page: path, id, title or alias.
    pub page: Option<String>,
    /// Which of them (default: `open`).
    #[serde(default)]
    pub state: WhichComments,
    /// Maximum number, 1 to 1000 (default: 100).
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<usize>,
    /// The text of the page in an editor, if it is not saved yet; places are then in this text.
    #[schemars(extend("x-for-programs" = true))]
    pub text: Option<String>,
}

/// The comments: on one page in the order of their places, otherwise by page.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The comments.
    pub comments: Vec<CommentFields>,
    /// Their number without `limit`.
    pub total: usize,
    /// Number of open comments.
    pub open_count: usize,
}

/// A comment with its replies.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CommentFields {
    /// Its id.
    pub comment: String,
    /// Path of the page, relative to the pages folder.
    pub filepath: String,
    /// Name of the author; empty if unknown.
    pub author: String,
    /// Time, RFC 3339.
    pub at: String,
    /// What it says, as plain text; empty if it was deleted.
    pub text: String,
    /// Whether its author deleted it, and replies remain.
    pub deleted: bool,
    /// Who resolved it; absent if it is open.
    pub resolved_by: Option<String>,
    /// When it was resolved, RFC 3339.
    pub resolved_at: Option<String>,
    /// The text that it is about, as it was; absent for a comment on the whole page.
    pub quote: Option<String>,
    /// Where that text is; absent if the page does not contain it any more.
    pub place: Option<Place>,
    /// Whether the text that it is about is gone.
    pub lost: bool,
    /// The replies, oldest first.
    pub replies: Vec<ReplyFields>,
}

/// Where the text of a comment is.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Place {
    /// First and last line in the file, from 1.
    pub lines: [usize; 2],
    /// Start and end in the text of the page as `read_page` returns it, in UTF-16 code units.
    pub range: [usize; 2],
    /// Its letters and digits, as a rendered page shows them.
    pub shown: String,
    /// The letters and digits before it.
    pub shown_before: String,
    /// The letters and digits after it.
    pub shown_after: String,
}

/// A reply.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReplyFields {
    /// Its id.
    pub comment: String,
    /// Name of the author; empty if unknown.
    pub author: String,
    /// Time, RFC 3339.
    pub at: String,
    /// What it says, as plain text.
    pub text: String,
}

/// The current text of a page, and what its comments are about.
struct Text {
    file: String,
    /// The text in an editor.
    edited: Option<String>,
    letters: Letters,
}

impl Text {
    fn new(file: String, edited: Option<&str>) -> Self {
        let edited = edited.map(plain).filter(|edited| *edited != file);
        let letters = Letters::of_page(edited.as_ref().unwrap_or(&file));
        Self { file, edited, letters }
    }

    fn place(&self, comment: &Comment) -> Option<Place> {
        let in_file = comment.anchor.as_ref()?.find(&self.file)?;
        let place = match &self.edited {
            Some(edited) => moved(&self.file, edited, &in_file)?,
            None => in_file,
        };
        let text = self.edited.as_ref().unwrap_or(&self.file);
        let line = |at: usize| text[..at].matches('\n').count() + 1;
        let unit = |at: usize| text[..at].encode_utf16().count();
        let Range { start, end } = place;
        let shown = self.letters.shown(&place);
        let last = if text[..end].ends_with('\n') { end - 1 } else { end };
        Some(Place {
            lines: [line(start), line(last.max(start))],
            range: [unit(start), unit(end)],
            shown: shown.quote,
            shown_before: shown.before,
            shown_after: shown.after,
        })
    }
}

/// Lists the comments.
///
/// # Errors
/// [`crate::Error::PageNotFound`], [`crate::Error::AmbiguousPage`], [`crate::Error::InvalidParams`], [`crate::Error::Io`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let limit = budget::ranged("limit", params.limit, LIMITS.0, 1, LIMITS.1)?;
    let comments = Comments::load(context.source)?;
    let all = comments.all();
    let mut listed = match &params.page {
        Some(name) => {
            let path = context
                .index
                .read(|db| path_of(db, PageName { page: Some(name), ..PageName::default() }.require(db)?))?;
            let file = text_of(&context.source.read(&path)?);
            let orphans = orphans_of(context, &comments, &path, &file)?;
            let text = Text::new(file, params.text.as_deref());
            let of_page =
                threads(&all).filter(|comment| comment.page == path || orphans.contains(&comment.id));
            let mut fields: Vec<_> =
                of_page.map(|comment| fields(comment, &path, Some(&text), &all)).collect();
            sort(&mut fields);
            fields
        }
        None => everywhere(context, &all)?,
    };
    let open_count = listed.iter().filter(|comment| comment.resolved_at.is_none()).count();
    listed.retain(|comment| match params.state {
        WhichComments::Open => comment.resolved_at.is_none(),
        WhichComments::Resolved => comment.resolved_at.is_some(),
        WhichComments::All => true,
    });
    let total = listed.len();
    listed.truncate(limit);
    Ok(Output { comments: listed, total, open_count })
}

/// All comments, by page.
fn everywhere(context: &Context<'_>, all: &[&Comment]) -> Result<Vec<CommentFields>> {
    let mut paths: Vec<&str> = threads(all).map(|comment| comment.page.as_str()).collect();
    paths.sort_unstable();
    paths.dedup();
    let mut listed = Vec::new();
    for path in paths {
        // Without the page, its comments have lost their text.
        let is_page = context.index.read(|db| pages::at(db, path))?.is_some();
        let file = is_page.then(|| context.source.read(path).ok()).flatten();
        let text = file.map(|file| Text::new(text_of(&file), None));
        let of_page = threads(all).filter(|comment| comment.page == path);
        let mut fields: Vec<_> = of_page.map(|comment| fields(comment, path, text.as_ref(), all)).collect();
        sort(&mut fields);
        listed.append(&mut fields);
    }
    Ok(listed)
}

fn threads<'a>(all: &'a [&'a Comment]) -> impl Iterator<Item = &'a Comment> {
    all.iter().copied().filter(|comment| comment.thread.is_none())
}

/// By place; those on the whole page first, those without their text last.
fn sort(comments: &mut [CommentFields]) {
    comments.sort_by(|a, b| {
        let key = |comment: &CommentFields| (comment.lost, comment.place.as_ref().map(|place| place.range));
        key(a).cmp(&key(b)).then_with(|| (&a.at, &a.comment).cmp(&(&b.at, &b.comment)))
    });
}

fn fields(comment: &Comment, path: &str, text: Option<&Text>, all: &[&Comment]) -> CommentFields {
    let place = text.and_then(|text| text.place(comment));
    let replies = all.iter().filter(|reply| reply.thread.as_ref() == Some(&comment.id));
    let mut replies: Vec<ReplyFields> = replies
        .map(|reply| ReplyFields {
            comment: reply.id.clone(),
            author: reply.author.clone(),
            at: reply.at.clone(),
            text: reply.text.clone(),
        })
        .collect();
    replies.sort_by(|a, b| (&a.at, &a.comment).cmp(&(&b.at, &b.comment)));
    CommentFields {
        comment: comment.id.clone(),
        filepath: path.to_owned(),
        author: comment.author.clone(),
        at: comment.at.clone(),
        text: comment.text.clone(),
        deleted: comment.deleted,
        resolved_by: comment.resolved.as_ref().map(|resolved| resolved.by.clone()),
        resolved_at: comment.resolved.as_ref().map(|resolved| resolved.at.clone()),
        quote: comment.anchor.as_ref().map(|anchor| anchor.quote.clone()),
        lost: place.is_none() && (comment.anchor.is_some() || text.is_none()),
        place,
        replies,
    }
}

/// Shows the comments with their replies.
pub fn show(output: &Output, page: &mut dyn Page) {
    for comment in &output.comments {
        let path = comment.filepath.as_str();
        let place =
            comment.place.as_ref().map_or(Span::Path(path), |place| Span::Place(path, place.lines[0]));
        page.item(&[place, Span::Text(" "), Span::Code(&comment.comment)]);
        if let Some(quote) = &comment.quote {
            page.quote(quote, &[]);
        }
        if comment.lost {
            page.detail(&[Span::alarm(&message!("the page does not contain this text any more"))]);
        }
        match comment.deleted {
            true => page.detail(&[Span::faint(&message!("deleted by its author"))]),
            false => said(page, &comment.author, &comment.at, &comment.text),
        }
        for reply in &comment.replies {
            said(page, &reply.author, &reply.at, &reply.text);
        }
        if let Some(by) = &comment.resolved_by {
            page.detail(&[Span::faint(&message!("resolved by {name}", name = Span::Words(by)))]);
        }
        page.gap();
    }
    let shown = output.comments.len();
    let open = counted(output.open_count, "open comment", "open comments");
    if output.total > shown {
        let total = counted(output.total, "comment", "comments");
        page.note(&[Span::said(&message!("{shown} of {total}; a higher limit shows more", shown, total))]);
    } else {
        page.note(&[Span::said(&open)]);
    }
    if let Some(first) = output.comments.iter().find(|comment| comment.resolved_at.is_none()) {
        let next = Next::call("add_comment").with("reply_to", first.comment.as_str());
        page.hint(&[Span::said(&message!("{command} replies", command = next))]);
    }
}

fn said(page: &mut dyn Page, author: &str, at: &str, text: &str) {
    let at = crate::show::to_the_second(at);
    page.detail(&[Span::Strong(author), Span::Text(" "), Span::Faint(&at)]);
    for line in text.lines() {
        page.detail(&[Span::Words(line)]);
    }
}
