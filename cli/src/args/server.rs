//! Arguments of servers.

use std::net::SocketAddr;

use clap::{Args, ValueEnum};

/// `ubp mcp-server`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp mcp-server --print-config claude-code > .mcp.json   let Claude Code start the server\n  \
    ubp mcp-server                                          serve a client over standard input and output\n  \
    ubp mcp-server --write                                  and let it change pages\n  \
    ubp mcp-server --tools core                             with the six most useful tools only\n  \
    ubp mcp-server --http                                   serve clients on http://127.0.0.1:4820/mcp\n\n\
    Sets of tools: core (search, get_page, get_context, fulltext_search, list_pages, get_graph), read (what\n\
    every server has), write, all, query (SQL over front matter), memory (remember and recall). Several servers on one project are fine: one of them keeps the index.\n\
    The server ends with its client, or with Ctrl-C.")]
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
    #[arg(long, value_name = "NAME", requires = "http")]
    pub allow_host: Vec<String>,
    /// Print what to write into the settings of a client, and end
    #[arg(long, value_name = "CLIENT", conflicts_with = "http")]
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

/// An address, a port alone, or a host alone.
fn address(text: &str) -> Result<SocketAddr, String> {
    const PORT: u16 = 4820;
    if let Ok(port) = text.parse() {
        return Ok(SocketAddr::from(([127, 0, 0, 1], port)));
    }
    let text =
        text.strip_prefix("localhost").map_or_else(|| text.to_owned(), |rest| format!("127.0.0.1{rest}"));
    text.parse()
        .or_else(|_| text.parse().map(|ip| SocketAddr::new(ip, PORT)))
        .map_err(|_| "an address such as 127.0.0.1:4820, or a port, is expected".to_owned())
}
