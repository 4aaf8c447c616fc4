//! `ubp mcp-server`: a project for agents.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::Path;

use ubp_core::Error;
use ubp_host::Project;
use ubp_servers::mcp::{self, Ended, Files, Options, Report, Setup, Streams};

use crate::ExitStatus;
use crate::args::McpServerArgs;
use crate::output::CommandResult;
use crate::session::{Terminal, answer_with};

mod client_config;

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
        config: config.clone(),
    };
    let setup = Setup::check(options, &terminal.io.environment)?;
    if !args.write && args.tools.iter().any(|name| name.trim() == "memory") {
        terminal.note("without --write clients can recall, and not remember");
    }
    if args.daemon {
        let root = root(terminal)?;
        return start(terminal, folder, &root, args);
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
        terminal.line(format!("Log: {}", terminal.project_path(&report.log)))?;
        terminal.line("`ubp mcp-server --status` shows it, `ubp mcp-server --stop` ends it.")
    })
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
