//! Deletes a comment or reply of the caller.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::comments::Comments;
use crate::message;
use crate::ops::Facts;
use crate::ops::add_comment::{author, require};
use crate::show::{Page, Span};
use crate::{Caller, Context, Error, Result};

/// Facts about this operation.
pub const FACTS: Facts = Facts::destroying("Delete one's own comment or reply.")
    .command("comments delete")
    .arguments(&["comment"])
    .commenting();

/// The comment.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The id of the comment or reply.
    pub comment: String,
    /// The name of the caller (default: the name in git's settings).
    pub author: Option<String>,
}

/// What was deleted.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The id of the comment or reply.
    pub deleted: String,
}

/// Deletes the comment with what it says. While others have replied to it, its place is kept.
///
/// # Errors
/// [`Error::InvalidParams`] for an unknown comment and for one of somebody else, who may have the same name; [`Error::Io`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let caller = author(context, params.author.as_deref());
    let _held = context.source.lock()?;
    let mut comments = Comments::load(context.source)?;
    let found = require(&comments, &params.comment)?.clone();
    if found.author != caller || found.deleted {
        let author = Span::Words(&found.author);
        return Err(Error::invalid(message!("only {author} can delete this comment", author)));
    }
    if found.agent != (context.caller == Caller::Agent) {
        let author = Span::Words(&found.author);
        return Err(Error::invalid(message!("somebody else called {author} wrote this comment", author)));
    }
    let id = found.id;
    let has_replies = |comments: &Comments, id: &str| {
        comments.all().iter().any(|reply| reply.thread.as_deref() == Some(id))
    };
    if found.thread.is_none() && has_replies(&comments, &id) {
        let at = context.clock.now().to_string();
        comments.change(&id, |comment| {
            comment.text.clear();
            comment.deleted = true;
            comment.changed = Some(at.clone());
        })?;
    } else {
        comments.remove(|comment| comment.id == id);
        // The last reply to a deleted comment.
        let is_over = |thread: &String| {
            comments.get(thread).is_some_and(|comment| comment.deleted) && !has_replies(&comments, thread)
        };
        if let Some(thread) = found.thread.filter(is_over) {
            comments.remove(|comment| comment.id == thread);
        }
    }
    comments.save(context.source)?;
    Ok(Output { deleted: id })
}

/// Shows what was deleted.
pub fn show(output: &Output, page: &mut dyn Page) {
    page.line(&[Span::said(&message!("Deleted comment {id}", id = Span::Code(&output.deleted)))]);
}
