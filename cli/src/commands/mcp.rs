//! `ubp mcp`: connect AI clients to the server of a project.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use ubp_core::message;
use ubp_host::Project;

use super::mcp_server::{McpServerArgs, WriteChoice};
use crate::agents::servers::ServerEntry;
use crate::agents::{ClientChoice, Launch, SettingsFile};
use crate::output::{CommandResult, Failure};
use crate::page::TerminalPage;
use crate::session::Terminal;
use crate::{ExitStatus, questions};
use ubp_core::show::Page as _;

/// `ubp mcp`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp mcp install claude-code\n  \
    ubp mcp remove cursor\n\n\
    `ubp mcp-server` is the server itself, which clients start.")]
pub struct McpArgs {
    #[command(subcommand)]
    pub action: McpAction,
}

/// The subcommand.
#[derive(Debug, Clone, Subcommand)]
pub enum McpAction {
    /// Let a client start the server, by its settings
    Install(InstallArgs),
    /// Remove the server from the settings of a client
    Remove(RemoveArgs),
}

/// `ubp mcp install`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp mcp install claude-code            the agent can read the pages\n  \
    ubp mcp install claude-code --write    and propose changes to them\n  \
    ubp mcp install codex --dry-run        show the change only\n\n\
    The change is shown before it is written. Everything else in the file stays. Settings of \
    Claude Code, Cursor and VS Code are in the project, so that a commit shares them; those of \
    Claude Desktop and Codex are in your home folder.")]
pub struct InstallArgs {
    /// The client
    #[arg(value_name = "CLIENT")]
    pub client: ClientChoice,
    /// Let the client propose changes, for `ubp proposals`, or apply them [default MODE: propose]
    #[arg(long, value_name = "MODE", num_args = 0..=1, require_equals = true, default_missing_value = "propose")]
    pub write: Option<WriteChoice>,
    /// Serve your own memories, from your data folder, instead of the project
    #[arg(long)]
    pub user: bool,
    /// Offer only these tools: sets or names, separated by commas
    #[arg(long, value_name = "TOOLS", value_delimiter = ',')]
    pub tools: Vec<String>,
    #[command(flatten)]
    pub consent: Consent,
}

/// `ubp mcp remove`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp mcp remove cursor")]
pub struct RemoveArgs {
    /// The client
    #[arg(value_name = "CLIENT")]
    pub client: ClientChoice,
    #[command(flatten)]
    pub consent: Consent,
}

/// How a change of settings is agreed to.
#[derive(Debug, Clone, Default, Args)]
pub struct Consent {
    /// Show the change, but write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Write without asking
    #[arg(short, long)]
    pub yes: bool,
}

pub(crate) fn run(terminal: &mut Terminal<'_>, folder: &Path, args: &McpArgs) -> CommandResult {
    let (client, consent, server, remove) = match &args.action {
        McpAction::Install(args) => {
            let server = McpServerArgs {
                write: args.write,
                user: args.user,
                tools: args.tools.clone(),
                ..McpServerArgs::default()
            };
            (args.client, &args.consent, server, false)
        }
        McpAction::Remove(args) => (args.client, &args.consent, McpServerArgs::default(), true),
    };
    let root = match server.user {
        true => folder.to_path_buf(),
        false => Project::find(folder)?.root,
    };
    let entry = ServerEntry::of(client, &root, Launch::of(terminal.io), &server);
    let plan = entry.plan(&root, &terminal.io.environment, remove)?;
    let is_written = settle(terminal, &plan, consent)?;
    if is_written && !remove {
        let name = client.name();
        terminal.note(match client {
            ClientChoice::ClaudeDesktop | ClientChoice::Codex => {
                message!("restart {name}, and ask it a question about your pages", name)
            }
            _ => message!("start {name} in this folder, and ask it a question about your pages", name),
        });
    }
    Ok(ExitStatus::Success)
}

/// Shows a change of settings, and writes it unless a person says no. Returns whether it was written.
pub(crate) fn settle(
    terminal: &mut Terminal<'_>,
    plan: &SettingsFile,
    consent: &Consent,
) -> Result<bool, Failure> {
    let is_done = plan.is_done();
    let diff = if is_done { String::new() } else { plan.diff() };
    if !terminal.json {
        let file = &plan.shown;
        if is_done {
            terminal.line(message!("{file} is as it should be", file))?;
            return Ok(false);
        }
        let mut page = TerminalPage::new(terminal);
        page.diff(&diff);
        page.finish()?;
    }
    let asks = !is_done && !consent.dry_run && !consent.yes && terminal.can_ask();
    let writes = !is_done && !consent.dry_run && (!asks || questions::write(terminal, &plan.shown)?);
    if writes {
        plan.write()?;
    }
    if terminal.json {
        let shown = serde_json::json!({ "file": plan.shown, "diff": diff, "written": writes });
        terminal.print_json(&shown)?;
    } else if writes {
        let path = &plan.shown;
        terminal.line(match plan.is_new() {
            true => message!("  created  {path}", path),
            false => message!("  changed  {path}", path),
        })?;
    } else {
        terminal.note(message!("nothing was written"));
    }
    Ok(writes)
}

/// The folder in which clients are started: the repository's, or the project's if it is in none.
pub(crate) fn workplace(project: &Project) -> Result<PathBuf, Failure> {
    let hooks = ubp_host::GitHistory::new(&project.root).hooks()?;
    let depth = hooks.map_or(0, |hooks| hooks.prefix.split('/').filter(|part| !part.is_empty()).count());
    Ok(project.root.ancestors().nth(depth).unwrap_or(&project.root).to_path_buf())
}
