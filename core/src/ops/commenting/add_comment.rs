//! Adds a comment on a page, on a text in it, or a reply.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use crate::comments::FILE;
use crate::comments::{Anchor, Comment, Comments, Letters, lasting_id, orphans_of, text_of};
use crate::index::questions::pages::{self, PageRow};
use crate::message;
use crate::ops::page::PageName;
use crate::ops::{Facts, Tool};
use crate::page::plain;
use crate::show::{Page, Span};
use crate::writing::rights;
use crate::{Caller, Context, Error, Result};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::writing("Comment on a page or on a text in it, or reply to a comment; pages stay unchanged.")
        .tool(Tool::OnRequest)
        .command("comments add")
        .arguments(&["text"])
        .commenting();

/// Limit on the characters of a comment.
const LONGEST: usize = 10_000;
/// Limit on the characters of the text that it is about.
const LONGEST_QUOTE: usize = 2_000;
/// Limit on the characters of a name.
const LONGEST_NAME: usize = 80;
/// Limit on the size of the file, in bytes.
const MOST_BYTES: usize = 16 << 20;

/// The comment.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// What it says, as plain text.
    pub text: String,
    /// The page: path, id, title or alias. Not for a reply.
    pub page: Option<String>,
    /// The text in the page that it is about (default: the whole page).
    pub quote: Option<String>,
    /// Text directly before `quote`, if the page contains it several times.
    pub before: Option<String>,
    /// Text directly after `quote`, if the page contains it several times.
    pub after: Option<String>,
    /// Characters before `quote` in the page, if the same text surrounds it elsewhere.
    #[schemars(extend("x-for-programs" = true))]
    pub position: Option<usize>,
    /// The comment to reply to.
    pub reply_to: Option<String>,
    /// The name of the author (default: the name in git's settings).
    #[schemars(extend("x-for-programs" = true))]
    pub author: Option<String>,
}

/// The new comment.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Its id.
    pub comment: String,
    /// Path of the page, relative to the pages folder.
    pub filepath: String,
    /// The name of its author.
    pub author: String,
}

/// Adds the comment.
///
/// # Errors
/// [`Error::InvalidParams`] if the page does not contain the text, or contains it several times, for an unknown comment to
/// reply to, and for a text that is empty or too long; [`Error::PageNotFound`], [`Error::AmbiguousPage`];
/// [`Error::Forbidden`] for an agent that may only read the page; [`Error::Io`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let text = plain(params.text.trim()).replace('\0', "");
    if text.is_empty() || text.chars().count() > LONGEST {
        return Err(Error::invalid(message!("a comment has 1 to {most} characters", most = LONGEST)));
    }
    let author = author(context, params.author.as_deref());
    let _held = context.source.lock()?;
    let mut comments = Comments::load(context.source)?;
    let mut comment = Comment {
        id: context.new_short_id(),
        author,
        agent: context.caller == Caller::Agent,
        at: context.clock.now().to_string(),
        text,
        ..Comment::default()
    };
    if let Some(id) = &params.reply_to {
        if params.page.is_some() || params.quote.is_some() {
            return Err(Error::invalid(message!("a reply takes neither `page` nor `quote`")));
        }
        let to = require(&comments, id)?;
        (comment.page, comment.page_id) = (to.page.clone(), to.page_id.clone());
        comment.thread = Some(to.thread.clone().unwrap_or_else(|| to.id.clone()));
    } else {
        let PageRow { path, doc_id, .. } = context.index.read(|db| {
            let page = PageName { page: params.page.as_deref(), ..PageName::default() }.require(db)?;
            pages::row(db, page)
        })?;
        let text = text_of(&context.source.read(&path)?);
        comment.anchor = params.quote.as_ref().map(|quote| anchor(&text, quote, &params)).transpose()?;
        for orphan in orphans_of(context, &comments, &path, &text)? {
            comments.change(&orphan, |comment| comment.page.clone_from(&path))?;
        }
        comment.page_id = lasting_id(&path, &doc_id);
        comment.page = path;
    }
    rights::require_commenting(context, &comment.page)?;
    if comments.size() > MOST_BYTES {
        return Err(Error::invalid(message!(".ubp/{file} is full; delete comments", file = FILE)));
    }
    let output = Output {
        comment: comment.id.clone(),
        filepath: comment.page.clone(),
        author: comment.author.clone(),
    };
    comments.add(comment)?;
    comments.save(context.source)?;
    Ok(output)
}

/// The name under which the caller comments.
pub(crate) fn author(context: &Context<'_>, given: Option<&str>) -> String {
    let name = match context.caller {
        Caller::Agent => context.agent.map(str::to_owned),
        Caller::Person => given
            .map(str::to_owned)
            .filter(|name| !name.trim().is_empty())
            .or_else(|| context.history.author()),
    };
    let name = name.unwrap_or_default();
    let name: String = name.chars().filter(|character| !character.is_control()).take(LONGEST_NAME).collect();
    name.trim().to_owned()
}

/// The comment or reply with this id.
///
/// # Errors
/// [`Error::InvalidParams`] if there is none.
pub(crate) fn require<'c>(comments: &'c Comments, id: &str) -> Result<&'c Comment> {
    comments.get(id.trim()).ok_or_else(|| Error::invalid(message!("there is no comment '{id}'", id)))
}

fn anchor(text: &str, quote: &str, params: &Params) -> Result<Anchor> {
    let quote = plain(quote);
    if quote.trim().is_empty() || quote.chars().count() > LONGEST_QUOTE {
        let message = message!("the text of a comment has 1 to {most} characters", most = LONGEST_QUOTE);
        return Err(Error::invalid(message));
    }
    let side = |side: &Option<String>| side.as_deref().map(plain).unwrap_or_default();
    let (before, after) = (side(&params.before), side(&params.after));
    // Programs that show the rendered page pass what it shows.
    let as_shown = || Letters::of_page(text).find(&quote, &before, &after);
    let wanted = Anchor {
        quote: quote.clone(),
        before: before.clone(),
        after: after.clone(),
        position: params.position.unwrap_or(usize::MAX),
    };
    let place = wanted.find_as_is(text).or_else(as_shown).ok_or_else(|| {
        let count = text.matches(&*quote).count();
        Error::invalid(match count {
            0 => message!("the page does not contain this text"),
            _ => message!("the page contains this text several times; pass what is before and after it"),
        })
    })?;
    Ok(Anchor::of(text, &place))
}

/// Shows the id of the comment.
pub fn show(output: &Output, page: &mut dyn Page) {
    page.line(&[Span::said(&message!(
        "Commented on {path}: {id}",
        path = Span::Path(&output.filepath),
        id = Span::Code(&output.comment)
    ))]);
}
