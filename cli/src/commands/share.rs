//! `ubp share`: links with which others reach `ubp viewer --share`.

use std::path::Path;

use clap::{Args, Subcommand};
use serde::Serialize;
use ubp_core::manifest::check_pattern;
use ubp_core::message;
use ubp_core::ports::Clock as _;
use ubp_core::reported;
use ubp_core::show::counted;
use ubp_host::{Project, SystemClock};
use ubp_servers::named_tokens::expiry;
use ubp_servers::sharing::{GuestLink, GuestLinks, GuestRight, link_at, usual_address};

use super::expiring;
use crate::output::CommandResult;
use crate::terminal::{Terminal, answer_with};

/// `ubp share`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp viewer --share        let guests in, over TLS\n  \
    ubp share new mina        a link to read all pages, for 7 days\n  \
    ubp share new ken --right write --pages guides/ --expires 30d\n  \
    ubp share list\n  \
    ubp share revoke mina\n\n\
    A link works while `ubp viewer --share` runs, until it expires or you revoke it. The running server needs no \
    restart: the windows of a guest are closed within a second.")]
pub struct ShareArgs {
    #[command(subcommand)]
    pub action: ShareAction,
}

/// The subcommand.
#[derive(Debug, Clone, Subcommand)]
pub enum ShareAction {
    /// Make a link for a guest, and print it once
    New(NewLinkArgs),
    /// List the links
    List,
    /// Revoke a link
    Revoke(RevokeLinkArgs),
}

/// `ubp share new`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp share new mina\n  \
    ubp share new mina --right propose\n  \
    ubp share new ken --right write --pages guides/ --pages faq.md\n  \
    ubp share new ken --expires 2027-01-31\n  \
    ubp share new ken --expires never\n\n\
    RIGHT is read, comment, propose or write; each includes those before it. Guests see pages and what pages show, and \
    never code. GLOB is as in the manifest's rights, whose rules for everybody count, too.")]
pub struct NewLinkArgs {
    /// The name of the guest, which others see: letters, digits and - _ . @ + : /
    #[arg(value_name = "NAME")]
    pub name: String,
    /// What the guest may do
    #[arg(long, value_name = "RIGHT", default_value = "read", value_parser = right)]
    pub right: GuestRight,
    /// Only these pages: a glob relative to the pages folder (repeatable) [default: all pages]
    #[arg(long, value_name = "GLOB", value_parser = pattern)]
    pub pages: Vec<String>,
    /// When it stops working: a span such as 30d, a date, a time, or never
    #[arg(long, value_name = "WHEN", default_value = "7d")]
    pub expires: String,
}

/// `ubp share revoke`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp share revoke mina")]
pub struct RevokeLinkArgs {
    /// The name of the guest
    #[arg(value_name = "NAME")]
    pub name: String,
}

fn right(word: &str) -> Result<GuestRight, String> {
    let words = GuestRight::ALL.map(GuestRight::as_str).join(", ");
    GuestRight::parse(word).ok_or_else(|| reported!("'{word}' is not one of {words}"))
}

fn pattern(text: &str) -> Result<String, String> {
    check_pattern(text).map(|()| text.to_owned())
}

/// A link as it is listed.
#[derive(Debug, Serialize)]
struct Listed {
    name: String,
    right: GuestRight,
    /// Empty for all pages.
    pages: Vec<String>,
    created_at: String,
    /// Null if it never expires.
    expires_at: Option<String>,
    expired: bool,
}

impl Listed {
    fn of(link: GuestLink) -> Self {
        Self {
            expired: !link.is_valid_at(SystemClock::default().now()),
            created_at: link.created_at.to_string(),
            expires_at: link.expires_at.map(|end| end.to_string()),
            name: link.name,
            right: link.right,
            pages: link.pages,
        }
    }
}

/// The answer of `ubp share new`.
#[derive(Debug, Serialize)]
struct Made {
    #[serde(flatten)]
    link: Listed,
    /// The link itself.
    url: String,
}

/// The answer of `ubp share list`.
#[derive(Debug, Serialize)]
struct All {
    links: Vec<Listed>,
}

pub(crate) fn run(terminal: &mut Terminal<'_>, folder: &Path, args: &ShareArgs) -> CommandResult {
    let links = GuestLinks::of(&Project::find(folder)?.root);
    let json = terminal.json;
    match &args.action {
        ShareAction::New(NewLinkArgs { name, right, pages, expires }) => {
            let now = SystemClock::default().now();
            let expires = (expires != "never").then(|| expiry(expires, now)).transpose()?;
            let (link, secret) = links.create(name, *right, pages.clone(), now, expires)?;
            let known = links.address()?;
            let was_shared = known.is_some();
            let url = link_at(&known.unwrap_or_else(usual_address), &secret);
            let made = Made { link: Listed::of(link), url };
            answer_with(terminal, json, &made, |terminal, made| {
                terminal.put(&made.url)?;
                terminal.note(message!(
                    "this is the only time that the link is shown; who has it is {name}",
                    name = made.link.name.as_str()
                ));
                if !was_shared {
                    terminal.note(message!("`ubp viewer --share` lets guests in, and prints its address"));
                }
                Ok(())
            })
        }
        ShareAction::List => {
            let all = All { links: links.all()?.into_iter().map(Listed::of).collect() };
            answer_with(terminal, json, &all, |terminal, all| {
                let rows: Vec<Vec<String>> = all.links.iter().map(|link| row(terminal, link)).collect();
                let columns = [
                    message!("name"),
                    message!("right"),
                    message!("pages"),
                    message!("created"),
                    message!("expires"),
                ];
                let count = counted(rows.len(), "link", "links");
                expiring::list(terminal, &columns, &rows, count)
            })
        }
        ShareAction::Revoke(args) => {
            let revoked = Listed::of(links.revoke(&args.name)?);
            answer_with(terminal, json, &revoked, |terminal, revoked| {
                terminal.line(message!("Revoked {name}.", name = revoked.name.as_str()))
            })
        }
    }
}

fn row(terminal: &Terminal<'_>, link: &Listed) -> Vec<String> {
    let expires = expiring::end(link.expires_at.as_deref(), link.expired);
    let pages = match link.pages.join(" ") {
        pages if pages.is_empty() => terminal.told(&message!("all")),
        pages => pages,
    };
    let right = link.right.as_str().to_owned();
    vec![link.name.clone(), right, pages, expiring::day(&link.created_at), terminal.told(&expires)]
}
