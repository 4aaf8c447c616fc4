//! `ubp comments`: list, add, resolve and delete comments on pages.

use clap::{Args, Subcommand};
use ubp_core::ops::list_comments::WhichComments;
use ubp_core::ops::{add_comment, delete_comment, list_comments, resolve_comment};

use crate::args::Global;
use crate::args::choice::{self, one_of};
use crate::output::CommandResult;
use crate::session::Session;
use crate::terminal::{Terminal, answer};

/// `ubp comments`
#[derive(Debug, Clone, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  \
    ubp comments                             list the open comments of all pages\n  \
    ubp comments guide --state all           those on one page, also resolved ones\n  \
    ubp comments add \"Still 10?\" --page guide --quote \"10 pages\"\n  \
    ubp comments add \"Yes.\" --reply-to 3f9a01c2d4e5\n  \
    ubp comments resolve 3f9a01c2d4e5\n\n\
    Comments are in .ubp/comments.jsonl, which you can commit. Pages stay as they are."
)]
pub struct CommentsArgs {
    #[command(subcommand)]
    pub action: Option<CommentsAction>,
    /// Only comments on this page: path, id, title or alias
    #[arg(value_name = "PAGE")]
    pub page: Option<String>,
    /// Which comments to list [default: open]
    #[arg(long, value_name = "STATE", value_parser = one_of::<WhichComments>(choice::COMMENTS))]
    pub state: Option<WhichComments>,
    /// Print at most N comments, 1 to 1000 [default: 100]
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
}

/// The subcommand.
#[derive(Debug, Clone, Subcommand)]
pub enum CommentsAction {
    /// Comment on a page or on a text in it, or reply to a comment
    Add(AddArgs),
    /// Mark a comment as resolved
    Resolve(ResolveArgs),
    /// Delete your own comment or reply
    Delete(DeleteArgs),
}

/// `ubp comments add`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp comments add \"Who maintains this?\" --page guide\n  \
    ubp comments add \"Still 10?\" --page guide --quote \"10 pages\" --before \"have \"\n  \
    ubp comments add \"Yes.\" --reply-to 3f9a01c2d4e5")]
pub struct AddArgs {
    /// What to say
    #[arg(value_name = "TEXT")]
    pub text: String,
    /// The page: path, id, title or alias
    #[arg(long, value_name = "PAGE", required_unless_present = "reply_to")]
    pub page: Option<String>,
    /// The text in the page that it is about [default: the whole page]
    #[arg(long, value_name = "TEXT", conflicts_with = "reply_to")]
    pub quote: Option<String>,
    /// Text directly before it, if the page contains it several times
    #[arg(long, value_name = "TEXT", requires = "quote")]
    pub before: Option<String>,
    /// Text directly after it, if the page contains it several times
    #[arg(long, value_name = "TEXT", requires = "quote")]
    pub after: Option<String>,
    /// The comment to reply to
    #[arg(long, value_name = "COMMENT", conflicts_with = "page")]
    pub reply_to: Option<String>,
    /// Your name [default: the name in git's settings]
    #[arg(long, value_name = "NAME")]
    pub author: Option<String>,
}

/// `ubp comments resolve`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp comments resolve 3f9a01c2d4e5\n  \
    ubp comments resolve 3f9a01c2d4e5 --reopen")]
pub struct ResolveArgs {
    /// The comment
    #[arg(value_name = "COMMENT")]
    pub comment: String,
    /// Open it again instead
    #[arg(long)]
    pub reopen: bool,
    /// Your name [default: the name in git's settings]
    #[arg(long, value_name = "NAME")]
    pub author: Option<String>,
}

/// `ubp comments delete`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp comments delete 3f9a01c2d4e5\n\n\
    While others have replied to it, its place is kept without its words.")]
pub struct DeleteArgs {
    /// The comment or reply
    #[arg(value_name = "COMMENT")]
    pub comment: String,
    /// Your name [default: the name in git's settings]
    #[arg(long, value_name = "NAME")]
    pub author: Option<String>,
}

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: CommentsArgs,
) -> CommandResult {
    match args.action {
        None => {
            let params = list_comments::Params {
                page: args.page.map(|page| session.page(terminal, &page)),
                state: args.state.unwrap_or_default(),
                limit: args.limit,
                text: None,
            };
            let output = session.read(terminal, global, |context| list_comments::run(context, params))?;
            answer(terminal, &output, list_comments::show)
        }
        Some(CommentsAction::Add(args)) => {
            let AddArgs { text, page, quote, before, after, reply_to, author } = args;
            let page = page.map(|page| session.page(terminal, &page));
            let params =
                add_comment::Params { text, page, quote, before, after, position: None, reply_to, author };
            let output = session.read(terminal, global, |context| add_comment::run(context, params))?;
            answer(terminal, &output, add_comment::show)
        }
        Some(CommentsAction::Resolve(ResolveArgs { comment, reopen, author })) => {
            let params = resolve_comment::Params { comment, reopen, author };
            let output = session.write(terminal, |context| resolve_comment::run(context, params))?;
            answer(terminal, &output, resolve_comment::show)
        }
        Some(CommentsAction::Delete(DeleteArgs { comment, author })) => {
            let params = delete_comment::Params { comment, author };
            let output = session.write(terminal, |context| delete_comment::run(context, params))?;
            answer(terminal, &output, delete_comment::show)
        }
    }
}
