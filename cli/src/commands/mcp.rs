//! `ubp mcp`: connect AI clients to the server of a project.

use std::path::Path;

use clap::{Args, Subcommand};
use ubp_core::message;
use ubp_host::Project;

use super::mcp_server::Offer;
use crate::ExitStatus;
use crate::agents::servers::ServerEntry;
use crate::agents::{ClientChoice, Consent, Launch};
use crate::output::CommandResult;
use crate::terminal::Terminal;

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
    #[command(flatten)]
    pub offer: Offer,
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

pub(crate) fn run(terminal: &mut Terminal<'_>, folder: &Path, args: &McpArgs) -> CommandResult {
    let (client, consent, offer, remove) = match &args.action {
        McpAction::Install(args) => (args.client, &args.consent, args.offer.clone(), false),
        McpAction::Remove(args) => (args.client, &args.consent, Offer::default(), true),
    };
    let root = if offer.user { folder.to_path_buf() } else { Project::find(folder)?.root };
    let entry = ServerEntry::of(client, &root, Launch::of(terminal.io), &offer);
    let plan = entry.plan(&root, &terminal.io.environment, remove)?;
    if consent.settle(terminal, &plan)? && !remove {
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
