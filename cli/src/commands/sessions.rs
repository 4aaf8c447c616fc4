//! `ubp sessions`: what agents asked, and what they were given.

use clap::{Args, Subcommand};
use ubp_core::ops::{delete_sessions, get_answer, get_session, list_sessions};

use crate::args::Global;
use crate::output::CommandResult;
use crate::session::Session;
use crate::terminal::{Terminal, answer};

/// `ubp sessions`
#[derive(Debug, Clone, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  \
    ubp sessions                             list the sessions of agents\n  \
    ubp sessions --since 1d --page login.md  which of them read this page?\n  \
    ubp sessions 3f9a01c2d4e5                what one asked and was given\n  \
    ubp sessions 3f9a --answer 4             an answer as the agent got it\n  \
    ubp sessions delete --before 7d\n\n\
    `ubp mcp-server` and `ubp viewer` record the sessions of their clients in .ubp/sessions/, \
    on this machine alone. \"sessions\": {\"record\": false} in the manifest turns that off."
)]
pub struct SessionsArgs {
    #[command(subcommand)]
    pub action: Option<SessionsAction>,
    /// Show the answers that an agent got, by the id of its session or the beginning of it
    #[arg(value_name = "SESSION")]
    pub session: Option<String>,
    /// Show the answer with this number, and its text
    #[arg(long, value_name = "ANSWER", requires = "session")]
    pub answer: Option<usize>,
    /// Show only answers before the one with this number
    #[arg(long, value_name = "ANSWER", requires = "session", conflicts_with = "answer")]
    pub before: Option<usize>,
    /// Only sessions with an answer since then: a date, a time, or a span such as 7d
    #[arg(long, value_name = "WHEN", conflicts_with = "session")]
    pub since: Option<String>,
    /// Only those of this client
    #[arg(long, value_name = "NAME", conflicts_with = "session")]
    pub agent: Option<String>,
    /// Only those that got text of this page: path, id, title or alias
    #[arg(long, value_name = "PAGE", conflicts_with = "session")]
    pub page: Option<String>,
    /// Print at most N sessions [default: 20] or answers [default: 100]
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
}

/// The subcommand.
#[derive(Debug, Clone, Subcommand)]
pub enum SessionsAction {
    /// Delete sessions
    Delete(DeleteArgs),
}

/// `ubp sessions delete`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp sessions delete 3f9a01c2d4e5\n  \
    ubp sessions delete --before 2026-01-31\n  \
    ubp sessions delete --all")]
pub struct DeleteArgs {
    /// Ids of the sessions, or the beginnings of them
    #[arg(value_name = "SESSION", required_unless_present_any = ["before", "all"])]
    pub sessions: Vec<String>,
    /// Those without an answer since then: a date, a time, or a span such as 7d
    #[arg(long, value_name = "WHEN", conflicts_with_all = ["sessions", "all"])]
    pub before: Option<String>,
    /// All sessions
    #[arg(long, conflicts_with = "sessions")]
    pub all: bool,
}

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: SessionsArgs,
) -> CommandResult {
    match (args.action, args.session, args.answer) {
        (Some(SessionsAction::Delete(args)), _, _) => {
            let DeleteArgs { sessions, before, all } = args;
            let params = delete_sessions::Params { sessions, before, all };
            let output = session.write(terminal, |context| delete_sessions::run(context, params))?;
            answer(terminal, &output, delete_sessions::show)
        }
        (None, Some(name), Some(number)) => {
            let params = get_answer::Params { session: name, answer: number };
            let output = session.read(terminal, global, |context| get_answer::run(context, params))?;
            answer(terminal, &output, get_answer::show)
        }
        (None, Some(name), None) => {
            let params = get_session::Params { session: name, before: args.before, limit: args.limit };
            let output = session.read(terminal, global, |context| get_session::run(context, params))?;
            answer(terminal, &output, get_session::show)
        }
        (None, None, _) => {
            let params = list_sessions::Params {
                since: args.since,
                agent: args.agent,
                page: args.page.map(|page| session.page(terminal, &page)),
                limit: args.limit,
            };
            let output = session.read(terminal, global, |context| list_sessions::run(context, params))?;
            answer(terminal, &output, list_sessions::show)
        }
    }
}
