//! `ubp proposals`: review changes that agents proposed.

use std::path::Path;

use clap::{Args, Subcommand};
use ubp_core::ops::accept_proposal::EditedText;
use ubp_core::ops::list_proposals::Which;
use ubp_core::ops::{accept_proposal, get_proposal, list_proposals, reject_proposal, reopen_proposal};
use ubp_core::{Error, message, path};

use crate::ExitStatus;
use crate::args::Global;
use crate::args::choice::{self, one_of};
use crate::editor::Editor;
use crate::output::{CommandResult, Failure};
use crate::session::Session;
use crate::terminal::{Terminal, answer};

/// `ubp proposals`
#[derive(Debug, Clone, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  \
    ubp proposals                            list the proposals that wait\n  \
    ubp proposals 3f9a01c2d4e5               show one, by hunks\n  \
    ubp proposals accept 3f9a01c2d4e5\n  \
    ubp proposals accept 3f9a01c2d4e5 --hunk 2\n  \
    ubp proposals accept --all --only-additions --under notes\n  \
    ubp proposals reject 3f9a01c2d4e5 --comment \"The limit is 10.\"\n\n\
    An agent proposes changes if its server was started with `ubp mcp-server --write`. `ubp undo` \
    takes back what was accepted."
)]
pub struct ProposalsArgs {
    #[command(subcommand)]
    pub action: Option<ProposalsAction>,
    /// Show this proposal
    #[arg(value_name = "PROPOSAL")]
    pub proposal: Option<String>,
    /// Which proposals to list [default: open]
    #[arg(long, value_name = "STATE", value_parser = one_of::<Which>(choice::PROPOSALS))]
    pub state: Option<Which>,
    /// Only those of this agent
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Only those that change this page: path, id, title or alias
    #[arg(long, value_name = "PAGE")]
    pub page: Option<String>,
    /// Print at most N proposals, 1 to 1000 [default: 50]
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
}

/// The subcommand.
#[derive(Debug, Clone, Subcommand)]
pub enum ProposalsAction {
    /// Write the changes of proposals; edits made since at other lines stay
    Accept(AcceptArgs),
    /// Reject proposals
    Reject(RejectArgs),
    /// Let rejected proposals wait again, and accepted ones after `ubp undo`
    Reopen(ReopenArgs),
}

/// `ubp proposals accept`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp proposals accept 3f9a01c2d4e5 --dry-run\n  \
    ubp proposals accept 3f9a01c2d4e5 --hunk 1 --hunk 3\n  \
    EDITOR=\"code --wait\" ubp proposals accept 3f9a01c2d4e5 --edit\n  \
    ubp proposals accept --all --agent claude-code --under notes\n\n\
    Each proposal is a change of its own, which `ubp undo` takes back. Exits with status 1 if a proposal \
    conflicts with later changes.")]
pub struct AcceptArgs {
    /// The proposals
    #[arg(value_name = "PROPOSAL", required_unless_present = "all")]
    pub proposals: Vec<String>,
    /// Every proposal that waits for review
    #[arg(long, conflicts_with = "proposals")]
    pub all: bool,
    /// Only this hunk of the proposal, by its number (repeatable) [default: all]
    #[arg(long = "hunk", value_name = "N", conflicts_with = "all")]
    pub hunks: Vec<usize>,
    /// Edit the text of its pages in the editor of VISUAL or EDITOR first; an empty text accepts nothing
    #[arg(long, conflicts_with_all = ["all", "hunks"])]
    pub edit: bool,
    /// Only proposals that remove no line and no page
    #[arg(long)]
    pub only_additions: bool,
    /// Only proposals that change nothing but pages at or below PATH (repeatable)
    #[arg(long, value_name = "PATH")]
    pub under: Vec<String>,
    /// Only proposals of this agent
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Your name [default: the name in git's settings]
    #[arg(long, value_name = "NAME")]
    pub reviewer: Option<String>,
    /// Words for the agent
    #[arg(long, value_name = "TEXT")]
    pub comment: Option<String>,
    /// Show what would change without changing it
    #[arg(long)]
    pub dry_run: bool,
}

/// `ubp proposals reject`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp proposals reject 3f9a01c2d4e5 --comment \"The limit is 10.\"\n\n\
    The agent is told the comment when it asks for its proposals.")]
pub struct RejectArgs {
    /// The proposals
    #[arg(value_name = "PROPOSAL", required = true)]
    pub proposals: Vec<String>,
    /// Words for the agent: why
    #[arg(long, value_name = "TEXT")]
    pub comment: Option<String>,
    /// Your name [default: the name in git's settings]
    #[arg(long, value_name = "NAME")]
    pub reviewer: Option<String>,
}

/// `ubp proposals reopen`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp proposals --state decided\n  \
    ubp proposals reopen 3f9a01c2d4e5\n\n\
    The agent is told both decisions when it asks for its proposals. What the agent withdrew stays \
    withdrawn.")]
pub struct ReopenArgs {
    /// The proposals
    #[arg(value_name = "PROPOSAL", required = true)]
    pub proposals: Vec<String>,
}

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: ProposalsArgs,
) -> CommandResult {
    match (args.action, args.proposal) {
        (Some(ProposalsAction::Accept(args)), _) => accept(terminal, session, global, args),
        (Some(ProposalsAction::Reject(args)), _) => {
            let RejectArgs { proposals, comment, reviewer } = args;
            let params = reject_proposal::Params { proposals, comment, reviewer };
            let output = session.write(terminal, |context| reject_proposal::run(context, params))?;
            answer(terminal, &output, reject_proposal::show)
        }
        (Some(ProposalsAction::Reopen(ReopenArgs { proposals })), _) => {
            let params = reopen_proposal::Params { proposals };
            let output = session.write(terminal, |context| reopen_proposal::run(context, params))?;
            answer(terminal, &output, reopen_proposal::show)
        }
        (None, Some(proposal)) => {
            let params = get_proposal::Params { proposal };
            let output = session.read(terminal, global, |context| get_proposal::run(context, params))?;
            answer(terminal, &output, get_proposal::show)
        }
        (None, None) => {
            let params = list_proposals::Params {
                state: args.state,
                agent: args.agent,
                page: args.page.map(|page| session.page(terminal, &page)),
                limit: args.limit,
            };
            let output = session.read(terminal, global, |context| list_proposals::run(context, params))?;
            answer(terminal, &output, list_proposals::show)
        }
    }
}

fn accept(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: AcceptArgs,
) -> CommandResult {
    if !args.edit {
        return write(terminal, session, args, Vec::new());
    }
    let dry_run = args.dry_run;
    let folder =
        tempfile::tempdir().map_err(|error| Error::io(std::env::temp_dir().to_string_lossy(), error))?;
    let done = edited(terminal, session, global, &args.proposals, folder.path())
        .and_then(|texts| write(terminal, session, args, texts));
    let is_written = matches!(done, Ok(ExitStatus::Success)) && !dry_run;
    let has_texts = folder.path().read_dir().is_ok_and(|mut files| files.next().is_some());
    if !is_written && has_texts {
        let folder = folder.keep().display().to_string();
        terminal.note(message!("your text is kept in {folder}", folder));
    }
    done
}

fn write(
    terminal: &mut Terminal<'_>,
    session: &Session,
    args: AcceptArgs,
    texts: Vec<EditedText>,
) -> CommandResult {
    let under = args.under.iter().map(|typed| session.page_or_folder(terminal, typed)).collect();
    let params = accept_proposal::Params {
        proposals: args.proposals,
        all: args.all,
        hunks: args.hunks,
        texts,
        only_additions: args.only_additions,
        under,
        agent: args.agent,
        reviewer: args.reviewer,
        comment: args.comment,
        dry_run: args.dry_run,
    };
    let output = session.write(terminal, |context| accept_proposal::run(context, params))?;
    answer(terminal, &output, accept_proposal::show)?;
    let failed = output.left.iter().any(|left| !left.excluded);
    Ok(if failed { ExitStatus::Finding } else { ExitStatus::Success })
}

/// The texts of a proposal after its reader edited them in `folder`.
fn edited(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    proposals: &[String],
    folder: &Path,
) -> Result<Vec<EditedText>, Failure> {
    let [proposal] = proposals else {
        return Err(Error::invalid(message!("`--edit` needs exactly one proposal")).into());
    };
    let editor = Editor::of(&terminal.io.environment);
    if !matches!(editor, Editor::Chosen(_)) {
        let message = message!("no editor is chosen");
        let hint =
            message!("set EDITOR to an editor that ends when the file is closed, such as `code --wait`");
        return Err(Error::invalid_with_hint(message, hint).into());
    }
    let params = get_proposal::Params { proposal: proposal.clone() };
    let output = session.read(terminal, global, |context| get_proposal::run(context, params))?;
    let mut texts = Vec::new();
    for (number, change) in output.changes.into_iter().enumerate() {
        let (Some(proposed), filepath) = (change.text, change.filepath) else { continue };
        // Pages in different folders can have the same name.
        let file = folder.join(format!("{}-{}", number + 1, path::file_name(&filepath)));
        let failed = |error| Error::io(file.to_string_lossy(), error);
        std::fs::write(&file, proposed).map_err(failed)?;
        editor.open(&file, change.hunks.first().map_or(1, |hunk| hunk.line))?;
        let text = std::fs::read_to_string(&file).map_err(failed)?;
        if text.trim().is_empty() {
            std::fs::remove_file(&file).map_err(failed)?;
            let message = message!("the text of {filepath} is empty: nothing was accepted", filepath);
            return Err(Error::invalid(message).into());
        }
        texts.push(EditedText { filepath, text });
    }
    if texts.is_empty() {
        return Err(Error::invalid(message!("the proposal {proposal} writes no text", proposal)).into());
    }
    Ok(texts)
}
