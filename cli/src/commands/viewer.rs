//! `ubp viewer`: the project in a browser.

use std::path::Path;

use ubp_core::Error;
use ubp_host::Environment;
use ubp_servers::Messages;
use ubp_servers::viewer::{self, Address, Options};

use crate::ExitStatus;
use crate::args::ViewerArgs;
use crate::output::{CommandResult, Failure, printable};
use crate::session::Terminal;

pub(crate) fn run(terminal: &mut Terminal<'_>, folder: &Path, args: &ViewerArgs) -> CommandResult {
    let options = Options {
        host: args.host,
        port: args.port,
        allow_host: args.allow_host.clone(),
        token: args.token.clone(),
        write: args.write,
        web_app: args.web_app.as_ref().map(|path| folder.join(path)),
    };
    let style = terminal.message_style();
    let notices = Messages::over(&mut terminal.io.err, style).notices();
    let (environment, cancel) = (terminal.io.environment.clone(), terminal.io.cancel.clone());
    viewer::run(folder, &options, &environment, notices, &cancel, |address| {
        announce(terminal, address, args.no_open)
    })?;
    Ok(ExitStatus::Success)
}

/// Says where the viewer is, and opens it for people.
fn announce(terminal: &mut Terminal<'_>, address: Address, no_open: bool) -> Result<(), Failure> {
    if terminal.json {
        let line = serde_json::to_string(&address).map_err(|error| Error::Internal(error.to_string()))?;
        terminal.line(line)?;
        return terminal.io.flush();
    }
    terminal.line(printable(&address.url))?;
    terminal.note("The viewer runs until you press Ctrl-C. Whoever has this address can change the pages.");
    terminal.io.flush()?;
    let person = terminal.io.out_is_terminal || terminal.io.err_is_terminal;
    if person && !no_open && !open_browser(&address.url, &terminal.io.environment) {
        terminal.note("No browser could be opened here: open the address in one.");
    }
    Ok(())
}

/// Opens `url` if there is a screen to show it on; says whether it was handed over.
fn open_browser(url: &str, environment: &Environment) -> bool {
    let set = |name: &str| environment.get(name).is_some_and(|value| !value.is_empty());
    // Without a screen the system may start a browser in the terminal, which then belongs to it.
    let has_screen = cfg!(any(windows, target_os = "macos"))
        || ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"].into_iter().any(set);
    has_screen && open::that_detached(url).is_ok()
}
