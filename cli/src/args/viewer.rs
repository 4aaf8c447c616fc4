//! Arguments of `ubp viewer`.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::Args;

/// `ubp viewer`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp viewer                       open the project of this folder in the browser\n  \
    ubp viewer --no-open             only print the address\n  \
    ubp viewer --port 8080           on this port and no other\n  \
    ubp viewer --host 0.0.0.0 --allow-host box.lan --token \"$SECRET\"\n                                   \
    let others in who know the token\n\n\
    The address holds a token that is new each time. Only this machine can reach the server unless --host\n\
    says otherwise; what is sent is not encrypted, so let others in on networks that you trust only.\n\
    Agents reach the same project at /mcp, with the token as `Authorization: Bearer …`. Ctrl-C ends it.")]
pub struct ViewerArgs {
    /// Listen on this port; else on 4747, or on any that is free if that is taken
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub port: Option<u16>,
    /// Open no browser
    #[arg(long)]
    pub no_open: bool,
    /// Listen at this address; anything but this machine's own needs --token
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1", value_parser = host)]
    pub host: IpAddr,
    /// A further host name under which browsers reach the server
    #[arg(long, value_name = "NAME")]
    pub allow_host: Vec<String>,
    /// The token that is needed, of 16 characters or more; made anew each time when absent
    #[arg(long, value_name = "TOKEN", env = "UBP_VIEWER_TOKEN", hide_env_values = true)]
    pub token: Option<String>,
    /// Let agents at /mcp change pages; every change is logged and can be undone
    #[arg(long)]
    pub write: bool,
    /// Use the web app that was built in this folder
    #[arg(long, value_name = "DIR", hide = true)]
    pub web_app: Option<PathBuf>,
}

fn host(text: &str) -> Result<IpAddr, String> {
    let text = if text == "localhost" { "127.0.0.1" } else { text };
    text.trim_matches(['[', ']'])
        .parse()
        .map_err(|_| "an address such as 127.0.0.1, ::1 or 0.0.0.0 is expected".to_owned())
}
