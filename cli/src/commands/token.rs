//! `ubp token`: named tokens for agents that reach the MCP server over HTTP.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde::Serialize;
use ubp_core::Error;
use ubp_core::manifest::{Right, check_pattern};
use ubp_core::message;
use ubp_core::ports::Clock as _;
use ubp_core::reported;
use ubp_core::show::counted;
use ubp_host::hub::HUB_MANIFEST;
use ubp_host::{Project, SystemClock};
use ubp_servers::named_tokens::{NamedToken, TokenRule, Tokens, expiry};

use super::expiring;
use crate::output::CommandResult;
use crate::terminal::{Terminal, answer_with};

/// `ubp token`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp token new ci                         as the manifest says for ci\n  \
    ubp token new ci --rights read --expires 90d\n  \
    ubp token list\n  \
    ubp token revoke ci\n\n\
    `ubp mcp-server --http` accepts the token. Its name is the author of changes, in `ubp audit` and \
    in the rights of the manifest. `ubp rights --as ci` shows what it may do. In the folder of a hub.json \
    that is no project, tokens are those of the hub.")]
pub struct TokenArgs {
    #[command(subcommand)]
    pub action: TokenAction,
}

/// The subcommand.
#[derive(Debug, Clone, Subcommand)]
pub enum TokenAction {
    /// Make a token, and print it once
    New(NewTokenArgs),
    /// List the tokens
    List,
    /// Revoke a token; requests with it are refused from then on
    Revoke(RevokeArgs),
}

/// `ubp token new`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp token new ci\n  \
    ubp token new ci --rights propose\n  \
    ubp token new ci --rights read --rights notes/=apply\n  \
    ubp token new ci --rights private/=hide --expires 2027-01-31\n\n\
    RIGHT is hide, read, propose or apply. PATH is as in the manifest's rights; of the rules that \
    match a file, the last one counts. A token never has more rights than the manifest gives to its \
    name, and the server's --write allows.")]
pub struct NewTokenArgs {
    /// The name of the agent: letters, digits and - _ . @ + : /
    #[arg(value_name = "NAME")]
    pub name: String,
    /// What it may do at most: everywhere, or at PATH (repeatable) [default: as the manifest says]
    #[arg(long, value_name = "[PATH=]RIGHT", value_parser = rule)]
    pub rights: Vec<TokenRule>,
    /// When it stops working: a span such as 30d, a date, or a time [default: never]
    #[arg(long, value_name = "WHEN")]
    pub expires: Option<String>,
}

/// `ubp token revoke`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp token revoke ci")]
pub struct RevokeArgs {
    /// The name of the token
    #[arg(value_name = "NAME")]
    pub name: String,
}

/// Parses a rule of a token.
fn rule(text: &str) -> Result<TokenRule, String> {
    let (path, word) = text.rsplit_once('=').unwrap_or(("**", text));
    let words = Right::ALL.map(Right::as_str).join(", ");
    let right = Right::parse(word).ok_or_else(|| reported!("'{word}' is not one of {words}"))?;
    check_pattern(path)?;
    Ok(TokenRule { path: path.to_owned(), right })
}

/// A token as it is listed.
#[derive(Debug, Serialize)]
struct Listed {
    name: String,
    rights: Vec<TokenRule>,
    created_at: String,
    /// Null if it never expires.
    expires_at: Option<String>,
    expired: bool,
}

impl Listed {
    fn of(token: NamedToken) -> Self {
        let expired = !token.is_valid_at(SystemClock::default().now());
        Self {
            created_at: token.created_at.to_string(),
            expires_at: token.expires_at.map(|end| end.to_string()),
            expired,
            name: token.name,
            rights: token.rights,
        }
    }

    /// What it may do at most.
    fn told(&self) -> String {
        let rules = self.rights.iter().map(|rule| match rule.path.as_str() {
            "**" => rule.right.as_str().to_owned(),
            path => format!("{path}={}", rule.right.as_str()),
        });
        rules.collect::<Vec<_>>().join(" ")
    }
}

/// The answer of `ubp token new`.
#[derive(Debug, Serialize)]
struct Made {
    #[serde(flatten)]
    token: Listed,
    /// The token itself.
    secret: String,
}

/// The answer of `ubp token list`.
#[derive(Debug, Serialize)]
struct All {
    tokens: Vec<Listed>,
}

/// Where tokens are kept.
struct Home {
    folder: PathBuf,
    is_hub: bool,
}

/// The project around `folder`, or else the folder of the hub's list.
fn home(folder: &Path) -> Result<Home, Error> {
    let unknown = match Project::find(folder) {
        Ok(project) => return Ok(Home { folder: project.root, is_hub: false }),
        Err(error) => error,
    };
    let is_hub = |folder: &&Path| folder.join(HUB_MANIFEST).is_file();
    match folder.ancestors().find(is_hub).filter(|_| matches!(unknown, Error::NoProject { .. })) {
        Some(hub) => Ok(Home { folder: hub.to_path_buf(), is_hub: true }),
        None => Err(unknown),
    }
}

pub(crate) fn run(terminal: &mut Terminal<'_>, folder: &Path, args: &TokenArgs) -> CommandResult {
    let home = home(folder)?;
    let tokens = Tokens::of(&home.folder);
    let json = terminal.json;
    match &args.action {
        TokenAction::New(args) => {
            let now = SystemClock::default().now();
            let expires = args.expires.as_deref().map(|text| expiry(text, now)).transpose()?;
            let (token, secret) = tokens.create(&args.name, args.rights.clone(), now, expires)?;
            let made = Made { token: Listed::of(token), secret };
            answer_with(terminal, json, &made, |terminal, made| {
                terminal.put(&made.secret)?;
                let name = &made.token.name;
                terminal.note(message!(
                    "this is the only time that the token is shown; clients send it as `Authorization: Bearer …`"
                ));
                if !home.is_hub {
                    terminal.note(message!("`ubp rights --as {name}` shows what it may do", name));
                }
                Ok(())
            })
        }
        TokenAction::List => {
            let all = All { tokens: tokens.all()?.into_iter().map(Listed::of).collect() };
            answer_with(terminal, json, &all, |terminal, all| {
                let rows: Vec<Vec<String>> = all.tokens.iter().map(|token| row(terminal, token)).collect();
                let columns =
                    [message!("name"), message!("at most"), message!("created"), message!("expires")];
                let count = counted(rows.len(), "token", "tokens");
                expiring::list(terminal, &columns, &rows, count)
            })
        }
        TokenAction::Revoke(args) => {
            let revoked = Listed::of(tokens.revoke(&args.name)?);
            answer_with(terminal, json, &revoked, |terminal, revoked| {
                terminal.line(message!("Revoked {name}.", name = revoked.name.as_str()))
            })
        }
    }
}

fn row(terminal: &Terminal<'_>, token: &Listed) -> Vec<String> {
    let expires = expiring::end(token.expires_at.as_deref(), token.expired);
    let rights = match token.told() {
        told if told.is_empty() => terminal.told(&message!("as the manifest says")),
        told => told,
    };
    vec![token.name.clone(), rights, expiring::day(&token.created_at), terminal.told(&expires)]
}
