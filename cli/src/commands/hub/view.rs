//! `ubp hub view`: all projects of a hub in the browser.

use std::path::Path;

use clap::Args;
use ubp_core::{Error, message};
use ubp_servers::Messages;
use ubp_servers::viewer;

use super::Place;
use crate::ExitStatus;
use crate::commands::viewer::{ListeningArgs, announce};
use crate::output::CommandResult;
use crate::terminal::Terminal;

/// `ubp hub view`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp hub view                     the projects of hub.json\n  \
    ubp hub view --in '../*'         without hub.json\n  \
    ubp hub view --no-open           only print the address\n\n\
    The first page lists the projects and searches all of them. Each project has the viewer of `ubp viewer`, \
    and Alt+O switches between them. Tags that were fetched can only be read. Projects come and go while it \
    runs. Ctrl-C stops the server. Agents use `ubp hub serve`.")]
pub struct HubViewArgs {
    #[command(flatten)]
    pub listening: ListeningArgs,
}

pub(super) fn run(
    terminal: &mut Terminal<'_>,
    folder: &Path,
    place: Place,
    args: &HubViewArgs,
) -> CommandResult {
    let Place::Listed(listed) = place else {
        return Err(Error::invalid_with_hint(
            message!("the viewer shows files of projects, which an index in a database does not have"),
            message!("leave out --index"),
        )
        .into());
    };
    let options = args.listening.options(folder, None, &terminal.io.environment);
    let style = terminal.message_style();
    let notices = Messages::over(&mut terminal.io.err, style).notices();
    let (environment, cancel) = (terminal.io.environment.clone(), terminal.io.cancel.clone());
    viewer::hub::run(listed, &options, &environment, notices, &cancel, |address| {
        announce(terminal, address, args.listening.no_open)
    })?;
    Ok(ExitStatus::Success)
}
