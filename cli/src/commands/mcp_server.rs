//! `ubp mcp-server`: a project for agents.

use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::Path;
use std::path::PathBuf;

use ubp_core::Error;
use ubp_host::Project;
use ubp_servers::mcp::{self, Ended, Files, Options, Report, Setup, Streams};

use crate::ExitStatus;
use crate::output::{CommandResult, Failure};
use crate::session::{Terminal, answer_with};

/// `ubp mcp-server`
#[derive(Debug, Clone, Default, Args)]
#[command(after_help = "Examples:\n  \
    ubp mcp-server --print-config claude-code > .mcp.json\n                                          \
    let Claude Code start the server\n  \
    ubp mcp-server                          serve a client over standard input\n  \
    ubp mcp-server --write                  and let it change pages\n  \
    ubp mcp-server --tools core             with the six most useful tools only\n  \
    ubp mcp-server --http                   at http://127.0.0.1:4820/mcp\n  \
    ubp mcp-server --http 4821 --daemon     in the background, on another port\n  \
    ubp mcp-server --tools documents --config config.json\n                                          \
    a folder that is no project\n  \
    ubp mcp-server --status                 whether one runs in the background\n  \
    ubp mcp-server --stop                   end it\n\n\
    Sets of tools: core (search, get_page, get_context, fulltext_search, list_pages, get_graph), read \
    (what every server has), write, all, query (SQL over front matter), memory (remember and recall), \
    documents (search, index_markdown, list_documents, delete_document, reindex_document). Several \
    servers on one project are fine: one of them keeps the index. The server ends with its client, or \
    with Ctrl-C; one in the background with --stop. What it has to say is in .ubp/mcp-server.log.")]
#[command(group = clap::ArgGroup::new("over_http").args(["http", "daemon"]).multiple(true))]
pub struct McpServerArgs {
    /// Let clients change pages; every change is logged and can be undone
    #[arg(long)]
    pub write: bool,
    /// Serve your own memories, in your data folder, in place of the project
    #[arg(long)]
    pub user: bool,
    /// Only these tools: sets or names, separated by commas
    #[arg(long, value_name = "TOOLS", value_delimiter = ',')]
    pub tools: Vec<String>,
    /// Serve over HTTP instead of standard input and output
    #[arg(
        long,
        value_name = "ADDR",
        num_args = 0..=1,
        default_missing_value = "127.0.0.1:4820",
        value_parser = address
    )]
    pub http: Option<SocketAddr>,
    /// A further host name under which clients reach the HTTP server
    #[arg(long, value_name = "NAME", requires = "over_http")]
    pub allow_host: Vec<String>,
    /// Let every program on this machine in over HTTP, without the token in .ubp/mcp-server.token
    #[arg(long, requires = "over_http")]
    pub no_token: bool,
    /// Serve over HTTP in the background, and end here as soon as it listens
    #[arg(long)]
    pub daemon: bool,
    /// Say whether a server runs in the background; ends with status 1 when none does
    #[arg(long, conflicts_with_all = ["daemon", "stop", "http"])]
    pub status: bool,
    /// End the server in the background
    #[arg(long, conflicts_with_all = ["daemon", "http"])]
    pub stop: bool,
    /// Serve documents as this file says; config.json when it is not named
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "config.json")]
    pub config: Option<PathBuf>,
    /// How --daemon starts this program again
    #[arg(long, hide = true, requires = "http")]
    pub in_background: bool,
    /// Print what to write into the settings of a client, and end
    #[arg(long, value_name = "CLIENT", conflicts_with_all = ["http", "daemon", "status", "stop"])]
    pub print_config: Option<ClientChoice>,
}

/// A client whose settings are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ClientChoice {
    /// Claude Code
    ClaudeCode,
    /// Claude Desktop
    ClaudeDesktop,
    /// Cursor
    Cursor,
    /// Visual Studio Code
    Vscode,
    /// Codex
    Codex,
}

impl McpServerArgs {
    /// Where the server is to listen, if it is to.
    pub fn address(&self) -> Option<SocketAddr> {
        let usual = self.daemon.then(|| SocketAddr::from(([127, 0, 0, 1], PORT)));
        self.http.or(usual)
    }
}

/// The port unless another one is named.
const PORT: u16 = 4820;

/// An address, a port alone, or a host alone.
fn address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(port) = text.parse() {
        return Ok(SocketAddr::from(([127, 0, 0, 1], port)));
    }
    let text =
        text.strip_prefix("localhost").map_or_else(|| text.to_owned(), |rest| format!("127.0.0.1{rest}"));
    text.parse()
        .or_else(|_| text.parse().map(|ip| SocketAddr::new(ip, PORT)))
        .map_err(|_| "an address such as 127.0.0.1:4820, or a port, is expected".to_owned())
}

pub(crate) mod client_config;

pub(crate) fn run(terminal: &mut Terminal<'_>, folder: &Path, args: &McpServerArgs) -> CommandResult {
    if let Some(client) = args.print_config {
        let project = Project::find(folder)?;
        let snippet = client_config::of(client, &project.root, &terminal.io.environment, args);
        terminal.line(snippet.text)?;
        terminal.note(format!("this belongs into {}", snippet.place));
        return Ok(ExitStatus::Success);
    }
    let config = args.config.as_ref().map(|path| folder.join(path));
    let root = |terminal: &Terminal<'_>| mcp::root(folder, config.as_deref(), &terminal.io.environment);
    if args.status || args.stop {
        let files = Files::of(&root(terminal)?);
        return if args.stop { stop(terminal, &files) } else { status(terminal, &files) };
    }
    let options = Options {
        write: args.write,
        tools: args.tools.clone(),
        http: args.address(),
        allow_host: args.allow_host.clone(),
        no_token: args.no_token,
        config: config.clone(),
    };
    let over_streams = options.http.is_none();
    let setup = Setup::check(options, &terminal.io.environment)?;
    if !args.write && args.tools.iter().any(|name| name.trim() == "memory") {
        terminal.note("without --write clients can recall, and not remember");
    }
    if args.daemon {
        let root = root(terminal)?;
        return start(terminal, folder, &root, args);
    }
    if over_streams && terminal.io.in_is_terminal {
        terminal.note(
            "ubp serves an MCP client on standard input and output, and waits for one; Ctrl-C ends it. A client starts \
             it by itself: `ubp mcp-server --print-config claude-code` prints what its settings need.",
        );
    }
    let style = terminal.message_style();
    let io = &mut *terminal.io;
    let streams = Streams { input: &mut io.input, out: &mut io.out, err: &mut io.err };
    match setup.serve(folder, args.in_background, streams, style, &io.environment, &io.cancel)? {
        Ended::Done => Ok(ExitStatus::Success),
        Ended::Failed => Ok(ExitStatus::Error),
    }
}

const NONE: &str = "No server of this project runs in the background.";

/// Ends with status 1 when no server runs.
fn status(terminal: &mut Terminal<'_>, files: &Files) -> CommandResult {
    let report = files.status()?;
    let json = terminal.json;
    answer_with(terminal, json, &report, |terminal, report| {
        let Some(pid) = report.pid else { return terminal.line(NONE) };
        let since = report.started_at.as_deref().unwrap_or_default();
        terminal.line(format!("Serving {} (process {pid}, since {since})", url(report)))?;
        show_token(terminal, report)?;
        terminal.line(format!("Log: {}", terminal.project_path(&report.log)))
    })?;
    Ok(if report.running { ExitStatus::Success } else { ExitStatus::Finding })
}

fn stop(terminal: &mut Terminal<'_>, files: &Files) -> CommandResult {
    let report = files.stop()?;
    let json = terminal.json;
    answer_with(terminal, json, &report, |terminal, report| match report.pid {
        None => terminal.line(NONE),
        Some(pid) => terminal.line(format!("Ended the server at {} (process {pid}).", url(report))),
    })
}

fn start(terminal: &mut Terminal<'_>, folder: &Path, root: &Path, args: &McpServerArgs) -> CommandResult {
    let address = args.address().ok_or_else(|| Error::Internal("no address to listen at".into()))?;
    let arguments = arguments(terminal, folder, args, address);
    let report = mcp::start(root, address, &terminal.io.program, &arguments, &terminal.io.cancel)?;
    let json = terminal.json;
    answer_with(terminal, json, &report, |terminal, report| {
        let pid = report.pid.unwrap_or(0);
        terminal.line(format!("Serving {} in the background (process {pid}).", url(report)))?;
        show_token(terminal, report)?;
        terminal.line(format!("Log: {}", terminal.project_path(&report.log)))?;
        terminal.line("`ubp mcp-server --status` shows it, `ubp mcp-server --stop` ends it.")
    })
}

fn show_token(terminal: &mut Terminal<'_>, report: &Report) -> Result<(), Failure> {
    let Some(file) = &report.token_file else { return Ok(()) };
    terminal.line(format!(
        "Clients send the token in {} as `Authorization: Bearer …`.",
        terminal.project_path(file)
    ))
}

fn url(report: &Report) -> &str {
    report.url.as_deref().unwrap_or_default()
}

/// What the new process is asked to do.
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
    // Errors come back as JSON.
    add("--json", None);
    if args.write {
        add("--write", None);
    }
    if !args.tools.is_empty() {
        add("--tools", Some(args.tools.join(",").into()));
    }
    if let Some(config) = &args.config {
        add("--config", Some(folder.join(config).into()));
    }
    if args.no_token {
        add("--no-token", None);
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
