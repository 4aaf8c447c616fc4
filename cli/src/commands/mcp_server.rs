//! `ubp mcp-server`: serve a project to AI agents.

use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::Path;
use std::path::PathBuf;

use ubp_core::Error;
use ubp_core::message;
use ubp_core::word;
use ubp_host::Project;
use ubp_servers::mcp::{self, Ended, Files, Options, Report, Setup, Streams, Writing};

use crate::ExitStatus;
use crate::agents::servers::ServerEntry;
use crate::agents::{ClientChoice, Launch};
use crate::output::{CommandResult, Failure};
use crate::terminal::{Terminal, answer_with};

/// `ubp mcp-server`
#[derive(Debug, Clone, Default, Args)]
#[command(after_help = "Examples:\n  \
    ubp mcp install claude-code             let Claude Code start the server\n  \
    ubp mcp-server                          serve a client over standard input\n  \
    ubp mcp-server --write                  let the client propose changes\n  \
    ubp mcp-server --write=apply            let the client change pages\n  \
    ubp mcp-server --as reviewer            with the rights of that name\n  \
    ubp mcp-server --tools core             the six most useful tools only\n  \
    ubp mcp-server --http                   at http://127.0.0.1:4820/mcp\n  \
    ubp mcp-server --http 4821 --daemon     in the background, on another port\n  \
    ubp mcp-server --tools documents --config config.json\n                                          \
    a folder without a project\n  \
    ubp mcp-server --status                 show whether one is running\n  \
    ubp mcp-server --stop                   stop it\n\n\
    Sets of tools: core (search, get_page, get_context, fulltext_search, list_pages, get_graph), read \
    (the tools of every server), write, all, query (SQL over front matter), memory (remember and \
    recall), documents (search, index_markdown, list_documents, delete_document, reindex_document). \
    Several servers can share a project: one of them updates the index. The server ends with its \
    client or on Ctrl-C. In the background it ends on --stop, and logs to .ubp/mcp-server.log.")]
#[command(group = clap::ArgGroup::new("over_http").args(["http", "daemon"]).multiple(true))]
pub struct McpServerArgs {
    #[command(flatten)]
    pub offer: Offer,
    /// Serve over HTTP instead of standard input and output
    #[arg(
        long,
        value_name = "ADDR",
        num_args = 0..=1,
        default_missing_value = "127.0.0.1:4820",
        value_parser = address
    )]
    pub http: Option<SocketAddr>,
    /// An additional host name of the HTTP server (repeatable)
    #[arg(long, value_name = "NAME", requires = "over_http")]
    pub allow_host: Vec<String>,
    /// Accept HTTP requests from this machine without the token in .ubp/mcp-server.token
    #[arg(long, requires = "over_http")]
    pub no_token: bool,
    /// Record nothing for `ubp sessions`
    #[arg(long)]
    pub no_sessions: bool,
    /// Start an HTTP server in the background, and return once it listens
    #[arg(long)]
    pub daemon: bool,
    /// Show whether a server runs in the background; exit with status 1 if not
    #[arg(long, conflicts_with_all = ["daemon", "stop", "http"])]
    pub status: bool,
    /// Stop the server in the background
    #[arg(long, conflicts_with_all = ["daemon", "http"])]
    pub stop: bool,
    /// Serve documents with the settings in FILE, or in config.json without FILE
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "config.json")]
    pub config: Option<PathBuf>,
    /// Set by --daemon for the process that it starts
    #[arg(long, hide = true, requires = "http")]
    pub in_background: bool,
    /// Print the settings that a client needs, and exit
    #[arg(long, value_name = "CLIENT", conflicts_with_all = ["http", "daemon", "status", "stop"])]
    pub print_config: Option<ClientChoice>,
}

/// What a server offers to clients.
#[derive(Debug, Clone, Default, Args)]
pub struct Offer {
    /// Let clients propose changes, for `ubp proposals`, or apply them [default MODE: propose]
    #[arg(long, value_name = "MODE", num_args = 0..=1, require_equals = true, default_missing_value = "propose")]
    pub write: Option<WriteChoice>,
    /// The name of the agent, for `ubp audit` and its rights [default: what the client calls itself]
    #[arg(long = "as", value_name = "NAME")]
    pub named: Option<String>,
    /// Serve your own memories, from your data folder, instead of the project
    #[arg(long)]
    pub user: bool,
    /// Offer only these tools: sets or names, separated by commas
    #[arg(long, value_name = "TOOLS", value_delimiter = ',')]
    pub tools: Vec<String>,
}

/// What clients may do to pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WriteChoice {
    /// Propose changes, which people accept or reject
    Propose,
    /// Change pages; every change is logged and can be undone
    Apply,
}

impl WriteChoice {
    /// What the flag means to a server.
    pub(crate) fn write(given: Option<Self>) -> Writing {
        match given {
            None => Writing::No,
            Some(Self::Propose) => Writing::Propose,
            Some(Self::Apply) => Writing::Apply,
        }
    }

    /// The flag.
    pub(crate) fn flag(self) -> &'static str {
        match self {
            Self::Propose => "--write",
            Self::Apply => "--write=apply",
        }
    }
}

impl McpServerArgs {
    /// The address to listen on; `None` without HTTP.
    pub fn address(&self) -> Option<SocketAddr> {
        let usual = self.daemon.then(|| SocketAddr::from(([127, 0, 0, 1], PORT)));
        self.http.or(usual)
    }
}

/// The default port.
const PORT: u16 = 4820;

/// Parses an address, a port or a host.
pub(crate) fn address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(port) = text.parse() {
        return Ok(SocketAddr::from(([127, 0, 0, 1], port)));
    }
    let text =
        text.strip_prefix("localhost").map_or_else(|| text.to_owned(), |rest| format!("127.0.0.1{rest}"));
    text.parse()
        .or_else(|_| text.parse().map(|ip| SocketAddr::new(ip, PORT)))
        .map_err(|_| word!("expected an address such as 127.0.0.1:4820, or a port").to_owned())
}

pub(crate) fn run(terminal: &mut Terminal<'_>, folder: &Path, args: &McpServerArgs) -> CommandResult {
    if let Some(client) = args.print_config {
        let project = Project::find(folder)?;
        let entry = ServerEntry::of(client, &project.root, Launch::of(terminal.io), &args.offer);
        terminal.put(entry.snippet().map_err(Error::invalid)?)?;
        terminal.note(message!("add this to {place}", place = entry.place.described()));
        return Ok(ExitStatus::Success);
    }
    let config = args.config.as_ref().map(|path| folder.join(path));
    let root = |terminal: &Terminal<'_>| mcp::root(folder, config.as_deref(), &terminal.io.environment);
    if args.status || args.stop {
        let files = Files::of(&root(terminal)?);
        return if args.stop { stop(terminal, &files) } else { status(terminal, &files) };
    }
    let options = Options {
        write: WriteChoice::write(args.offer.write),
        named: args.offer.named.clone(),
        tools: args.offer.tools.clone(),
        http: args.address(),
        allow_host: args.allow_host.clone(),
        no_token: args.no_token,
        no_sessions: args.no_sessions,
        config: config.clone(),
    };
    let over_streams = options.http.is_none();
    let setup = Setup::check(options, &terminal.io.environment)?;
    if args.offer.write.is_none() && args.offer.tools.iter().any(|name| name.trim() == "memory") {
        terminal.note(message!("without --write, clients can recall but not remember"));
    }
    if args.daemon {
        let root = root(terminal)?;
        return start(terminal, folder, &root, args);
    }
    if over_streams && terminal.io.in_is_terminal {
        terminal.note(message!("waiting for an MCP client on standard input and output; Ctrl-C ends the server. Clients start it \
            themselves: `ubp mcp install claude-code` writes the settings for that."));
    }
    let style = terminal.message_style();
    let io = &mut *terminal.io;
    let streams = Streams { input: &mut io.input, out: &mut io.out, err: &mut io.err };
    match setup.serve(folder, args.in_background, streams, style, &io.environment, &io.cancel)? {
        Ended::Done => Ok(ExitStatus::Success),
        Ended::Failed => Ok(ExitStatus::Error),
    }
}

/// Exits with status 1 if no server is running.
fn status(terminal: &mut Terminal<'_>, files: &Files) -> CommandResult {
    let report = files.status()?;
    let json = terminal.json;
    answer_with(terminal, json, &report, |terminal, report| {
        let Some(pid) = report.pid else {
            return terminal.line(message!("No server of this project is running in the background."));
        };
        let since = report.started_at.as_deref().unwrap_or_default();
        terminal.line(message!(
            "Serving {report} (process {pid}, since {since})",
            report = url(report),
            pid,
            since
        ))?;
        show_token(terminal, report)?;
        terminal.line(message!("Log: {log}", log = terminal.project_path(&report.log)))
    })?;
    Ok(if report.running { ExitStatus::Success } else { ExitStatus::Finding })
}

fn stop(terminal: &mut Terminal<'_>, files: &Files) -> CommandResult {
    let report = files.stop()?;
    let json = terminal.json;
    answer_with(terminal, json, &report, |terminal, report| match report.pid {
        None => terminal.line(message!("No server of this project is running in the background.")),
        Some(pid) => terminal.line(message!(
            "Stopped the server at {report} (process {pid}).",
            report = url(report),
            pid
        )),
    })
}

fn start(terminal: &mut Terminal<'_>, folder: &Path, root: &Path, args: &McpServerArgs) -> CommandResult {
    let address = args.address().ok_or_else(|| Error::Internal("no address to listen on".into()))?;
    let arguments = arguments(terminal, folder, args, address);
    let report = mcp::start(root, address, &terminal.io.program, &arguments, &terminal.io.cancel)?;
    let json = terminal.json;
    answer_with(terminal, json, &report, |terminal, report| {
        let pid = report.pid.unwrap_or(0);
        terminal.line(message!(
            "Serving {report} in the background (process {pid}).",
            report = url(report),
            pid
        ))?;
        show_token(terminal, report)?;
        terminal.line(message!("Log: {log}", log = terminal.project_path(&report.log)))?;
        terminal.line(message!("`ubp mcp-server --status` shows it, `ubp mcp-server --stop` stops it."))
    })
}

fn show_token(terminal: &mut Terminal<'_>, report: &Report) -> Result<(), Failure> {
    let Some(file) = &report.token_file else { return Ok(()) };
    terminal.line(message!(
        "Clients send the token in {file} as `Authorization: Bearer …`.",
        file = terminal.project_path(file)
    ))
}

fn url(report: &Report) -> &str {
    report.url.as_deref().unwrap_or_default()
}

/// Arguments for the new process.
fn arguments(
    terminal: &Terminal<'_>,
    folder: &Path,
    args: &McpServerArgs,
    address: SocketAddr,
) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = vec!["-C".into(), folder.into(), "mcp-server".into()];
    let mut add = |flag: &str, value: Option<OsString>| {
        arguments.push(flag.into());
        arguments.extend(value);
    };
    add("--http", Some(address.to_string().into()));
    add("--in-background", None);
    // This process parses the errors.
    add("--json", None);
    if let Some(write) = args.offer.write {
        add(write.flag(), None);
    }
    if let Some(named) = &args.offer.named {
        add("--as", Some(named.into()));
    }
    if !args.offer.tools.is_empty() {
        add("--tools", Some(args.offer.tools.join(",").into()));
    }
    if let Some(config) = &args.config {
        add("--config", Some(folder.join(config).into()));
    }
    if args.no_token {
        add("--no-token", None);
    }
    if args.no_sessions {
        add("--no-sessions", None);
    }
    for host in &args.allow_host {
        add("--allow-host", Some(host.into()));
    }
    if terminal.quiet {
        add("--quiet", None);
    } else if terminal.verbose {
        add("--verbose", None);
    }
    arguments
}
