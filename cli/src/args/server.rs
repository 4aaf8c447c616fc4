//! Arguments of servers.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `ubp mcp-server`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp mcp-server --print-config claude-code > .mcp.json   let Claude Code start the server\n  \
    ubp mcp-server                                          serve a client over standard input and output\n  \
    ubp mcp-server --write                                  and let it change pages\n  \
    ubp mcp-server --tools core                             with the six most useful tools only\n  \
    ubp mcp-server --http                                   serve clients on http://127.0.0.1:4820/mcp\n  \
    ubp mcp-server --http 4821 --daemon                     the same in the background, on another port\n  \
    ubp mcp-server --tools documents --config config.json   a folder of Markdown files that is no project\n  \
    ubp mcp-server --status                                 say whether one runs in the background, and where\n  \
    ubp mcp-server --stop                                   end it\n\n\
    Sets of tools: core (search, get_page, get_context, fulltext_search, list_pages, get_graph), read (what\n\
    every server has), write, all, query (SQL over front matter), memory (remember and recall),\n\
    documents (search, index_markdown, list_documents, delete_document, reindex_document). Several servers on one project are fine: one of them keeps the index.\n\
    The server ends with its client, or with Ctrl-C; one in the background with --stop. What it has to say is in\n\
    .ubp/mcp-server.log.")]
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
