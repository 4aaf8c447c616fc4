//! `ubp viewer`: read and write pages in a browser.

use clap::Args;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use ubp_core::Error;
use ubp_core::message;
use ubp_core::message::Message;
use ubp_core::show::counted;
use ubp_core::word;
use ubp_host::{Environment, user_data};
use ubp_servers::Messages;
use ubp_servers::sharing::{Certificate, Share, SharedAt, Uri};
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
    ubp viewer --share               let guests in that have a link of `ubp share`\n\n\
    The address contains a token that is new each time. Only this machine can reach the server, \
    unless you use --share, or set --host. Connections of guests are encrypted. With --host, anyone with the token may \
    do everything, and traffic is not encrypted. \
    Agents reach the project at /mcp, with the token as `Authorization: Bearer …`. Ctrl-C stops the \
    server.")]
pub struct ViewerArgs {
    #[command(flatten)]
    pub listening: ListeningArgs,
    /// Let agents at /mcp propose changes, for `ubp proposals`, or apply them [default MODE: propose]
    #[arg(long, value_name = "MODE", num_args = 0..=1, require_equals = true, default_missing_value = "propose")]
    pub write: Option<WriteChoice>,
    #[command(flatten)]
    pub share: SharingArgs,
}

/// How guests reach a viewer.
#[derive(Debug, Clone, Args)]
pub struct SharingArgs {
    /// Let guests in that have a link of `ubp share`, over TLS [default ADDR: 0.0.0.0, port 4748]
    #[arg(long, value_name = "ADDR[:PORT]", num_args = 0..=1, require_equals = true, default_missing_value = "0.0.0.0", value_parser = place)]
    pub share: Option<Place>,
    /// The certificate for guests, in PEM, with its chain [default: a self-signed one]
    #[arg(long, value_name = "FILE", requires = "share", requires = "share_key")]
    pub share_certificate: Option<PathBuf>,
    /// The key of that certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "share_certificate")]
    pub share_key: Option<PathBuf>,
    /// The address of a proxy that guests reach and that encrypts; the viewer then does not
    #[arg(long, value_name = "URL", requires = "share", conflicts_with = "share_certificate", value_parser = proxy)]
    pub share_proxy: Option<Uri>,
}

/// Where a viewer listens for guests.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    host: IpAddr,
    port: Option<u16>,
}

/// Parses an address with or without a port.
fn place(text: &str) -> Result<Place, String> {
    match text.parse::<SocketAddr>() {
        Ok(address) => Ok(Place { host: address.ip(), port: Some(address.port()) }),
        Err(_) => match text.rsplit_once(':').filter(|(host, _)| *host == "localhost") {
            Some((name, port)) => {
                let port = port.parse().map_err(|_| word!("expected a port from 1 to 65535").to_owned())?;
                Ok(Place { host: host(name)?, port: Some(port) })
            }
            None => Ok(Place { host: host(text)?, port: None }),
        },
    }
}

fn proxy(text: &str) -> Result<Uri, String> {
    let url: Option<Uri> = text.parse().ok();
    url.filter(|url| {
        matches!(url.scheme_str(), Some("https" | "http"))
            && url.authority().is_some()
            && url.query().is_none()
    })
    .ok_or_else(|| word!("expected a URL such as https://docs.example.org").to_owned())
}

impl SharingArgs {
    /// How guests reach a viewer that is started in `folder`.
    fn share(
        &self,
        folder: &Path,
        listening: &ListeningArgs,
        environment: &Environment,
    ) -> Result<Option<Share>, Error> {
        let Some(Place { host, port }) = self.share else { return Ok(None) };
        let certificate = match (&self.share_certificate, &self.share_key, &self.share_proxy) {
            (_, _, Some(_)) => None,
            (Some(chain), Some(key), None) => {
                Some(Certificate::Own { chain: folder.join(chain), key: folder.join(key) })
            }
            _ => {
                let home = user_data::folder(environment).ok_or_else(|| {
                    Error::invalid(message!(
                        "a self-signed certificate needs a folder: set HOME, or use --share-certificate"
                    ))
                })?;
                Some(Certificate::SelfSigned { folder: home.join("share") })
            }
        };
        let proxy = self.share_proxy.clone();
        Ok(Some(Share { host, port, allow_host: listening.allow_host.clone(), certificate, proxy }))
    }
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
            share: None,
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
    let share = args.share.share(folder, &args.listening, &terminal.io.environment)?;
    let options = Options { share, ..args.listening.options(folder, args.write, &terminal.io.environment) };
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
    if let Some(shared) = &address.shared {
        terminal.note(shared_at(shared));
    }
    terminal.io.flush()?;
    let person = terminal.io.out_is_terminal || terminal.io.err_is_terminal;
    if person && !no_open && !open_browser(&address.url, &terminal.io.environment) {
        terminal.note(message!("No browser could be started: open the address in one."));
    }
    Ok(())
}

/// What guests reach, and how.
fn shared_at(shared: &SharedAt) -> Message {
    let (address, links) = (shared.address.as_str(), counted(shared.links, "link", "links"));
    match &shared.fingerprint {
        Some(fingerprint) => message!(
            "Guests with a link of `ubp share` ({links}) reach {address}. Browsers warn of its self-signed certificate, \
             whose SHA-256 is {fingerprint}",
            links,
            address,
            fingerprint
        ),
        None => message!("Guests with a link of `ubp share` ({links}) reach {address}.", links, address),
    }
}

/// Opens `url` in a browser if there is a screen; returns whether one was started.
fn open_browser(url: &str, environment: &Environment) -> bool {
    has_screen(environment) && open::that_detached(url).is_ok()
}
