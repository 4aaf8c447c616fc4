//! `ubp viewer`: read and write pages in a browser.

use clap::Args;
use std::net::IpAddr;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use ubp_core::Error;
use ubp_core::message;
use ubp_core::word;
use ubp_host::Environment;
use ubp_servers::Messages;
use ubp_servers::viewer::{self, Address, Options};

use super::mcp_server::WriteChoice;
use crate::ExitStatus;
use crate::editor::{ThisDesktop, has_screen};
use crate::language::JAPANESE;
use crate::output::{CommandResult, Failure, printable};
use crate::terminal::Terminal;

/// `ubp viewer`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp viewer                       open this project in the browser\n  \
    ubp viewer --no-open             only print the address\n  \
    ubp viewer --port 8080           fail if this port is taken\n  \
    ubp viewer --host 0.0.0.0 --allow-host box.lan --token \"$SECRET\"\n                                   \
    let others in with a token\n\n\
    The address contains a token that is new each time. Only this machine can reach the server, \
    unless you set --host. Traffic is not encrypted, so let others in only on networks that you trust. \
    Agents reach the project at /mcp, with the token as `Authorization: Bearer …`. Ctrl-C stops the \
    server.")]
pub struct ViewerArgs {
    #[command(flatten)]
    pub listening: ListeningArgs,
    /// Let agents at /mcp propose changes, for `ubp proposals`, or apply them [default MODE: propose]
    #[arg(long, value_name = "MODE", num_args = 0..=1, require_equals = true, default_missing_value = "propose")]
    pub write: Option<WriteChoice>,
}

/// Where a viewer listens, and what it shows.
#[derive(Debug, Clone, Args)]
pub struct ListeningArgs {
    /// Port [default: 4747, or a free one if that is taken]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub port: Option<u16>,
    /// Do not open a browser
    #[arg(long)]
    pub no_open: bool,
    /// Address to listen on; addresses that other machines can reach need --token
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1", value_parser = host)]
    pub host: IpAddr,
    /// An additional host name of the server (repeatable)
    #[arg(long, value_name = "NAME")]
    pub allow_host: Vec<String>,
    /// The token, at least 16 characters [default: a new one each time]
    #[arg(long, value_name = "TOKEN", env = "UBP_VIEWER_TOKEN", hide_env_values = true)]
    pub token: Option<String>,
    /// Use the web app in this folder instead of the built-in one, such as web-viewer/dist of a clone
    #[arg(long, value_name = "DIR")]
    pub web_app: Option<PathBuf>,
}

impl ListeningArgs {
    /// The options of a viewer that is started in `folder`.
    pub(super) fn options(
        &self,
        folder: &Path,
        write: Option<WriteChoice>,
        environment: &Environment,
    ) -> Options {
        Options {
            host: self.host,
            port: self.port,
            allow_host: self.allow_host.clone(),
            token: self.token.clone(),
            write: WriteChoice::write(write),
            web_app: self.web_app.as_ref().map(|path| folder.join(path)),
            languages: vec![JAPANESE],
            desktop: Some(Arc::new(ThisDesktop(environment.clone()))),
        }
    }
}

fn host(text: &str) -> Result<IpAddr, String> {
    let text = if text == "localhost" { "127.0.0.1" } else { text };
    text.trim_matches(['[', ']'])
        .parse()
        .map_err(|_| word!("expected an address such as 127.0.0.1, ::1 or 0.0.0.0").to_owned())
}

pub(crate) fn run(terminal: &mut Terminal<'_>, folder: &Path, args: &ViewerArgs) -> CommandResult {
    let options = args.listening.options(folder, args.write, &terminal.io.environment);
    let style = terminal.message_style();
    let notices = Messages::over(&mut terminal.io.err, style).notices();
    let (environment, cancel) = (terminal.io.environment.clone(), terminal.io.cancel.clone());
    viewer::run(folder, &options, &environment, notices, &cancel, |address| {
        announce(terminal, address, args.listening.no_open)
    })?;
    Ok(ExitStatus::Success)
}

/// Prints the address of the viewer, and opens a browser for people.
pub(super) fn announce(terminal: &mut Terminal<'_>, address: Address, no_open: bool) -> Result<(), Failure> {
    if terminal.json {
        let line = serde_json::to_string(&address).map_err(|error| Error::Internal(error.to_string()))?;
        terminal.put(line)?;
        return terminal.io.flush();
    }
    terminal.put(printable(&address.url))?;
    terminal.note(message!(
        "The viewer runs until you press Ctrl-C. Anyone with this address can change the pages."
    ));
    terminal.io.flush()?;
    let person = terminal.io.out_is_terminal || terminal.io.err_is_terminal;
    if person && !no_open && !open_browser(&address.url, &terminal.io.environment) {
        terminal.note(message!("No browser could be started: open the address in one."));
    }
    Ok(())
}

/// Opens `url` in a browser if there is a screen; returns whether one was started.
fn open_browser(url: &str, environment: &Environment) -> bool {
    has_screen(environment) && open::that_detached(url).is_ok()
}
