//! Options of `ubp hub serve --http` for many clients.

use clap::{Args, ValueEnum};
use ubp_servers::mcp::hub::{Authorization, Limits, LogFormat, Settings};

/// What clients of a hub may use, and what is told about them.
#[derive(Debug, Clone, Default, Args)]
pub struct EndpointArgs {
    /// Run at most N calls at once; clients with more are told when to come back [default: 64]
    #[arg(long, value_name = "N", requires = "http", value_parser = clap::value_parser!(u16).range(1..))]
    pub max_calls: Option<u16>,
    /// Take at most N requests per minute with one token [default: 1200]
    #[arg(long, value_name = "N", requires = "http", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_requests: Option<u32>,
    /// Refuse messages of more than KB kilobytes [default: 1024]
    #[arg(long, value_name = "KB", requires = "http", value_parser = clap::value_parser!(u32).range(1..=32_768))]
    pub max_message: Option<u32>,
    /// Print a line for each call to standard error, without its text
    #[arg(long, value_name = "FORMAT", requires = "http")]
    pub log_format: Option<LogChoice>,
    /// Take the listening socket on standard input, as systemd passes it
    #[arg(long, requires = "http")]
    pub socket: bool,
    /// The address that clients use, such as that of a proxy: https://docs.example/mcp
    #[arg(long, value_name = "URL", requires = "http")]
    pub url: Option<String>,
    /// Also accept access tokens of this OAuth server for the address of --url
    #[arg(long, value_name = "URL", requires = "url", conflicts_with = "no_token")]
    pub authorization_server: Option<String>,
    /// The claim of access tokens with the name of the reader [default: sub]
    #[arg(long, value_name = "NAME", requires = "authorization_server")]
    pub reader_claim: Option<String>,
}

/// The form of lines for programs that collect logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogChoice {
    /// A level and a text
    Text,
    /// A JSON object
    Json,
}

impl EndpointArgs {
    pub(crate) fn settings(&self) -> Settings {
        let usual = Limits::default();
        let limits = Limits {
            message: self.max_message.map_or(usual.message, |kilobytes| (kilobytes as usize) << 10),
            calls: self.max_calls.map_or(usual.calls, usize::from),
            per_minute: self.max_requests.unwrap_or(usual.per_minute),
        };
        let log = self.log_format.map(|choice| match choice {
            LogChoice::Text => LogFormat::Text,
            LogChoice::Json => LogFormat::Json,
        });
        let authorization = self.authorization_server.clone().map(|server| {
            let claim = self.reader_claim.clone().unwrap_or_else(|| "sub".to_owned());
            Authorization { server, claim }
        });
        Settings { limits, log, socket: self.socket, url: self.url.clone(), authorization }
    }
}
