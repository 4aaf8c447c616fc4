//! Resolves a comment, or opens it again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::comments::{Comments, Resolved};
use crate::message;
use crate::ops::Facts;
use crate::ops::add_comment::{author, require};
use crate::show::{Page, Span};
use crate::writing::rights;
use crate::{Context, Result};

/// Facts about this operation.
pub const FACTS: Facts = Facts::writing("Mark a comment as resolved, or as open again.")
    .idempotent()
    .command("comments resolve")
    .arguments(&["comment"])
    .commenting();

/// The comment.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Its id, or that of a reply.
    pub comment: String,
    /// Whether to open it again instead (default: false).
    #[serde(default)]
    pub reopen: bool,
    /// The name of the caller (default: the name in git's settings).
    pub author: Option<String>,
}

/// The comment.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Its id.
    pub comment: String,
    /// Whether it is resolved now.
    pub resolved: bool,
}

/// Resolves or reopens the comment.
///
/// # Errors
/// [`crate::Error::InvalidParams`] for an unknown comment, [`crate::Error::Forbidden`] for an agent that may only read the
/// page; [`crate::Error::Io`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let by = author(context, params.author.as_deref());
    let _held = context.source.lock()?;
    let mut comments = Comments::load(context.source)?;
    let found = require(&comments, &params.comment)?;
    rights::require_commenting(context, &found.page)?;
    let id = found.thread.clone().unwrap_or_else(|| found.id.clone());
    let at = context.clock.now().to_string();
    comments.change(&id, |comment| {
        if comment.resolved.is_some() != params.reopen {
            return;
        }
        comment.resolved = (!params.reopen).then(|| Resolved { by: by.clone(), at: at.clone() });
        comment.changed = Some(at.clone());
    })?;
    comments.save(context.source)?;
    Ok(Output { comment: id, resolved: !params.reopen })
}

/// Shows the state of the comment.
pub fn show(output: &Output, page: &mut dyn Page) {
    let id = Span::Code(&output.comment);
    page.line(&[Span::said(&match output.resolved {
        true => message!("Resolved comment {id}", id),
        false => message!("Reopened comment {id}", id),
    })]);
}
