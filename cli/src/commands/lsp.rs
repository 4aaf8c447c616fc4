//! `ubp lsp`: serve editors over the Language Server Protocol.

use std::path::PathBuf;

use clap::Args;
use ubp_core::Error;
use ubp_core::message;
use ubp_servers::Messages;
use ubp_servers::lsp::{self, Options};

use crate::ExitStatus;
use crate::language::JAPANESE;
use crate::output::CommandResult;
use crate::terminal::Terminal;

/// `ubp lsp`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp lsp                    serve an editor over standard input and output\n  \
    ubp lsp --log ubp.log      write what goes wrong to a file\n  \
    ubp lsp --read-only        never write, whatever the editor asks for\n\n\
    Editors start the server themselves; docs/editors.md has the settings for VS Code, Neovim, Helix, \
    Zed and Emacs. It completes, follows, checks and renames links in pages, also in text that is not \
    saved, and shows in code which pages describe it. Every project whose files are open is served. The \
    server ends with the editor.")]
pub struct LspArgs {
    /// Append messages to this file instead of printing them
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Only read, and offer no commands that write
    #[arg(long)]
    pub read_only: bool,
    /// Accepted because editors pass it: standard input and output are the only transport
    #[arg(long, hide = true)]
    pub stdio: bool,
}

/// Exits with status 1 if the editor left without asking the server to shut down, as the protocol demands.
pub(crate) fn run(terminal: &mut Terminal<'_>, args: &LspArgs) -> CommandResult {
    if terminal.io.in_is_terminal {
        terminal.note(message!(
            "waiting for an editor on standard input and output; Ctrl-C ends the server. Editors start it \
             themselves: docs/editors.md has the settings for that."
        ));
    }
    let mut log: Option<Box<dyn std::io::Write + Send>> = match &args.log {
        Some(path) => {
            let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
            Some(Box::new(file.map_err(|error| Error::io(path.to_string_lossy(), error))?))
        }
        None => None,
    };
    let style = terminal.message_style();
    let io = &mut *terminal.io;
    let messages = match &mut log {
        Some(log) => Messages::over(log, style),
        None => Messages::over(&mut io.err, style),
    };
    let input = std::mem::replace(&mut io.input, Box::new(std::io::empty()));
    let output = std::mem::replace(&mut io.out, Box::new(std::io::sink()));
    let options = Options { read_only: args.read_only, languages: vec![JAPANESE] };
    let ended = lsp::serve(options, input, output, &messages, &io.environment, &io.cancel)?;
    Ok(if ended { ExitStatus::Success } else { ExitStatus::Finding })
}
