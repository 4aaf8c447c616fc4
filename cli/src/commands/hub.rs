//! `ubp hub`: many projects as one, for people and agents.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};
use serde::Serialize;
use serde_json::{Map, Value, json};
use ubp_core::Error;
use ubp_core::freshness::{StaleReason, Staleness};
use ubp_core::message;
use ubp_core::ops::{named, search};
use ubp_core::progress::Silent;
use ubp_core::show::{Page, Span, counted};
use ubp_host::Environment;
use ubp_host::hub::{Answering, Fetched, Hub, HubAsker, Listed, Outcome, ProjectState, above};
use ubp_host::live::Notices;
use ubp_servers::mcp::Streams;
use ubp_servers::mcp::hub::{self, Options};

use crate::ExitStatus;
use crate::args::choice::{self, one_of};
use crate::commands::hub_endpoint::EndpointArgs;
use crate::commands::mcp_server::address;
use crate::output::{CommandResult, Failure};
use crate::page::TerminalPage;
use crate::terminal::{Terminal, answer};

#[cfg_attr(not(feature = "postgres"), path = "hub/no_index.rs")]
mod index;
mod view;

use view::HubViewArgs;

/// Number of digits of a commit at the terminal.
const SHORT_COMMIT: usize = 8;

/// `ubp hub`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp hub list                               the projects of hub.json\n  \
    ubp hub search \"how do sessions expire\"    one ranking over all of them\n  \
    ubp hub search login --projects '#backend'\n  \
    ubp hub get shop:checkout.md\n  \
    ubp hub impact shop:checkout.md            also pages of other projects\n  \
    ubp hub stale                              stale pages of all projects\n  \
    ubp hub fetch                              the tags in hub.json\n  \
    ubp hub view                               read and write in the browser\n  \
    ubp hub serve --http                       for agents, at one address\n  \
    ubp hub search login --in '~/src/*'        without hub.json\n  \
    ubp hub serve --index postgres://localhost/ubp\n\n\
    hub.json lists projects: folders and globs, relative to it, with names and tags if wanted:\n  \
    { \"projects\": [\"auth\", \"libs/*\", { \"path\": \"shop\", \"tags\": [\"backend\"] }] }\n\
    A tag of a repository is documentation too: { \"git\": \"https://…\", \"tag\": \"v1.2.3\", \"folder\": \"docs\" }.\n\
    Each project keeps its own index. A page is named project:path, in answers, in questions and in \
    links between projects: [[shop:checkout]].")]
pub struct HubArgs {
    #[command(subcommand)]
    pub action: HubAction,
    /// The list of projects [default: hub.json in this folder or one above]
    #[arg(long, global = true, value_name = "FILE")]
    pub hub: Option<PathBuf>,
    /// Take these projects instead of a list: a folder or glob (repeatable)
    #[arg(long = "in", global = true, value_name = "FOLDER", conflicts_with = "hub")]
    pub folders: Vec<String>,
    /// Take the projects that `ubp push` brought into this PostgreSQL: postgres://user@host/database (repeatable)
    #[arg(long, global = true, value_name = "ADDRESS", conflicts_with_all = ["hub", "folders"])]
    pub index: Vec<String>,
    /// With --index: read as this role of the database, which decides what is visible
    #[arg(long, global = true, value_name = "ROLE", requires = "index")]
    pub role: Option<String>,
}

/// The subcommand.
#[derive(Debug, Clone, Subcommand)]
pub enum HubAction {
    /// List the projects
    List,
    /// Find pages of all projects by meaning, words and links
    Search(HubSearchArgs),
    /// Read a page of a project
    Get(HubPageArgs),
    /// List the pages affected by a change of a page, also in other projects
    Impact(HubPageArgs),
    /// List pages that may be out of date, also because of pages of other projects
    Stale(HubStaleArgs),
    /// Fetch the tags of repositories that hub.json names
    Fetch(HubFetchArgs),
    /// Read, write and search all projects in the browser
    View(HubViewArgs),
    /// Serve AI agents over the Model Context Protocol
    Serve(HubServeArgs),
}

/// `ubp hub search`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp hub search \"how do sessions expire\"\n  \
    ubp hub search login --projects shop,auth\n  \
    ubp hub search login --projects '#backend' -n 20 --json")]
pub struct HubSearchArgs {
    /// Words, a question, or "an exact phrase"
    #[arg(value_name = "QUERY", required = true, num_args = 1..)]
    pub query: Vec<String>,
    /// Only these projects: names, globs and #tags, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub projects: Vec<String>,
    /// Search by words only
    #[arg(long)]
    pub fulltext: bool,
    /// Print at most N pages, 1 to 20 [default: 5]
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
    /// Limit the answer to N tokens, at least 256 [default: no limit]
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<usize>,
}

/// `ubp hub get`, `ubp hub impact`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp hub get shop:checkout.md\n  \
    ubp hub get checkout                       if only one project has it\n  \
    ubp hub impact shop:checkout.md --json")]
pub struct HubPageArgs {
    /// The page: project:path, or a path, title or alias that only one project has
    #[arg(value_name = "PAGE")]
    pub page: String,
}

/// `ubp hub stale`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp hub stale\n  \
    ubp hub stale --projects shop,auth\n  \
    ubp hub stale --exit-code                  status 1 if there are any\n  \
    ubp hub stale --exit-code --only stale     fail only when one is stale\n\n\
    A page that depends on a stale page is suspect, also if that is in another project.")]
pub struct HubStaleArgs {
    /// Only these projects: names, globs and #tags, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub projects: Vec<String>,
    /// Exit with status 1 if a listed page is stale or possibly stale, or a project cannot be read
    #[arg(long)]
    pub exit_code: bool,
    /// With --exit-code, fail also for symbols that changed without their contract
    #[arg(long, requires = "exit_code")]
    pub any_change: bool,
    /// Only pages with this freshness
    #[arg(long, value_name = "STATE", value_parser = one_of::<Staleness>(choice::STALENESS))]
    pub only: Option<Staleness>,
}

/// `ubp hub fetch`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp hub fetch                fetch what is missing, tell which tags moved\n  \
    ubp hub fetch --moved        replace what was fetched of tags that moved\n\n\
    A tag is checked out into the user's cache folder and read from there, without a network. Nothing is \
    fetched by any other command. Status 1 if a tag moved or could not be fetched.")]
pub struct HubFetchArgs {
    /// Replace what was fetched of tags that moved
    #[arg(long)]
    pub moved: bool,
}

/// `ubp hub serve`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp hub serve                   serve a client over standard input and output\n  \
    ubp hub serve --http            at http://127.0.0.1:4820/mcp\n\n\
    The tools are those of `ubp mcp-server` that read, each with the parameter `projects`. Projects that \
    are added to hub.json, or that its globs find, appear without a restart. To change a page, an agent \
    uses the server of its project.")]
pub struct HubServeArgs {
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
    #[arg(long, value_name = "NAME", requires = "http")]
    pub allow_host: Vec<String>,
    /// Accept HTTP requests from this machine without a token
    #[arg(long, requires = "http")]
    pub no_token: bool,
    /// The name of the agent, for its rights in each project [default: what the client calls itself]
    #[arg(long = "as", value_name = "NAME")]
    pub named: Option<String>,
    #[command(flatten)]
    pub endpoint: EndpointArgs,
}

/// The answer of `ubp hub list`.
#[derive(Debug, Serialize)]
struct Projects {
    projects: Vec<ProjectState>,
}

pub(crate) fn run(terminal: &mut Terminal<'_>, folder: &Path, args: &HubArgs) -> CommandResult {
    let place = Place::of(folder, args)?;
    if let HubAction::Serve(serving) = &args.action {
        return serve(terminal, place, serving);
    }
    if let HubAction::View(viewing) = &args.action {
        return view::run(terminal, folder, place, viewing);
    }
    if let HubAction::Fetch(args) = &args.action {
        return fetch(terminal, &place, args);
    }
    let hub = place.open(&terminal.io.environment, Arc::new(|_| {}))?;
    match &args.action {
        HubAction::List => {
            let projects = hub.states(&terminal.io.cancel)?;
            let failed = projects.iter().any(|project| project.error.is_some());
            answer(terminal, &Projects { projects }, show_projects)?;
            Ok(if failed { ExitStatus::Finding } else { ExitStatus::Success })
        }
        HubAction::Search(args) => {
            let mut params = Map::from_iter([
                ("query".to_owned(), json!(args.query.join(" "))),
                ("projects".to_owned(), json!(args.projects)),
                ("limit".to_owned(), json!(args.limit.unwrap_or(search::SHORT_LIMIT))),
            ]);
            if args.fulltext {
                params.insert("mode".into(), "fulltext".into());
            }
            params.extend(args.max_tokens.map(|most| ("max_tokens".to_owned(), json!(most))));
            ask(terminal, &*hub, "search", params)?;
            Ok(ExitStatus::Success)
        }
        HubAction::Get(args) => {
            ask(terminal, &*hub, "get_page", page(args))?;
            Ok(ExitStatus::Success)
        }
        HubAction::Impact(args) => {
            ask(terminal, &*hub, "get_impact", page(args))?;
            Ok(ExitStatus::Success)
        }
        HubAction::Stale(args) => {
            let params = Map::from_iter([
                ("projects".to_owned(), json!(args.projects)),
                ("only".to_owned(), json!(args.only)),
            ]);
            let answer = ask(terminal, &*hub, "check_staleness", params)?;
            let fails = args.exit_code && is_out_of_date(&answer, args.any_change);
            Ok(if fails { ExitStatus::Finding } else { ExitStatus::Success })
        }
        HubAction::Serve(_) | HubAction::View(_) | HubAction::Fetch(_) => Ok(ExitStatus::Success),
    }
}

fn page(args: &HubPageArgs) -> Map<String, Value> {
    Map::from_iter([("page".to_owned(), json!(args.page))])
}

/// Where the projects are.
enum Place {
    /// In files.
    Listed(Listed),
    /// In databases, read as a role; served from a folder.
    Index(Vec<String>, Option<String>, PathBuf),
}

impl Place {
    fn of(folder: &Path, args: &HubArgs) -> Result<Self, Failure> {
        let addresses: Vec<String> = args.index.iter().filter(|index| !index.is_empty()).cloned().collect();
        match addresses.is_empty() {
            true => listed(folder, args).map(Self::Listed),
            false => Ok(Self::Index(addresses, args.role.clone(), folder.to_path_buf())),
        }
    }

    /// Where the server keeps its token.
    fn home(&self) -> PathBuf {
        match self {
            Self::Listed(listed) => hub::home(listed),
            Self::Index(_, _, folder) => folder.clone(),
        }
    }

    fn open(self, environment: &Environment, notices: Notices) -> ubp_core::Result<Arc<dyn Answering>> {
        match self {
            Self::Listed(listed) => Ok(Hub::open(listed, environment, notices)?),
            Self::Index(addresses, role, _) => index::open(&addresses, role, environment),
        }
    }
}

/// Where the projects are listed.
fn listed(folder: &Path, args: &HubArgs) -> Result<Listed, Failure> {
    if !args.folders.is_empty() {
        return Ok(Listed::Here(folder.to_path_buf(), args.folders.clone()));
    }
    if let Some(file) = &args.hub {
        return Ok(Listed::In(folder.join(file)));
    }
    match above(folder) {
        Some(file) => Ok(Listed::In(file)),
        None => Err(Error::invalid_with_hint(
            message!("no hub.json in {folder} or above", folder = folder.display().to_string()),
            message!("list projects there, such as {{ \"projects\": [\"../auth\", \"libs/*\"] }}, or name them: --in '../*'"),
        )
        .into()),
    }
}

/// The answer of `ubp hub fetch`.
#[derive(Debug, Serialize)]
struct FetchedTags {
    fetched: Vec<Fetched>,
}

fn fetch(terminal: &mut Terminal<'_>, place: &Place, args: &HubFetchArgs) -> CommandResult {
    let Place::Listed(listed) = place else {
        return Err(Error::invalid(message!("tags are fetched for a hub.json, not with --index")).into());
    };
    let mut fetched = Vec::new();
    for place in listed.places(&terminal.io.environment)? {
        terminal.io.cancel.check()?;
        fetched.extend(place.pinned.map(|(pin, _)| pin.fetch(&place.name, args.moved)));
    }
    let is_finding = |one: &Fetched| matches!(one.outcome, Outcome::Moved | Outcome::Failed);
    let found = fetched.iter().any(is_finding);
    answer(terminal, &FetchedTags { fetched }, show_fetched)?;
    Ok(if found { ExitStatus::Finding } else { ExitStatus::Success })
}

fn show_fetched(output: &FetchedTags, page: &mut dyn Page) {
    for one in &output.fetched {
        let told = match one.outcome {
            Outcome::Fetched => message!("fetched"),
            Outcome::Unchanged => message!("there already"),
            Outcome::Unchecked => message!("there already; whether the tag moved is unknown"),
            Outcome::Moved => message!("the tag moved; what is there is from before"),
            Outcome::Replaced => message!("the tag moved; replaced"),
            Outcome::Failed => message!("not fetched"),
        };
        let commit = one.commit.as_deref().map(|commit| format!("  {}", commit.get(..12).unwrap_or(commit)));
        let version = format!("  {}  ", one.version);
        page.line(&[
            Span::Strong(&one.project),
            Span::Text(&version),
            match one.outcome {
                Outcome::Moved | Outcome::Failed => Span::alarm(&told),
                _ => Span::said(&told),
            },
            Span::Faint(commit.as_deref().unwrap_or_default()),
        ]);
        if let Some(error) = &one.error {
            page.detail(&[Span::Alarm(error)]);
        }
    }
    if output.fetched.is_empty() {
        page.note(&[Span::said(&message!("hub.json names no tags of repositories"))]);
    }
    if output.fetched.iter().any(|one| one.outcome == Outcome::Moved) {
        page.note(&[Span::said(&message!(
            "`ubp hub fetch --moved` replaces what was fetched of tags that moved"
        ))]);
    }
}

/// Whether an answer about freshness, of one project or of several, has a page that is not fresh, or lacks a project.
fn is_out_of_date(answer: &Value, any_change: bool) -> bool {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let is_serious = |reason: &Value| any_change || *reason != json!(StaleReason::BodyChanged);
    let is_finding = |page: &Value| {
        let is_stale =
            [Staleness::Stale, Staleness::PossiblyStale].iter().any(|one| page["staleness"] == json!(one));
        is_stale && list(&page["reasons"]).iter().any(is_serious)
    };
    let projects = answer.get("projects").map_or_else(|| vec![answer.clone()], list);
    !list(&answer["failed_projects"]).is_empty()
        || projects.iter().any(|project| list(&project["pages"]).iter().any(is_finding))
}

/// Asks, and prints the answer.
fn ask(
    terminal: &mut Terminal<'_>,
    hub: &dyn Answering,
    operation: &str,
    params: Map<String, Value>,
) -> Result<Value, Failure> {
    let operation = named(operation)?;
    let asker = HubAsker::Person;
    let cancel = terminal.io.cancel.clone();
    let params = Value::Object(params);
    if terminal.json {
        let answer = hub.call(asker, operation, params, None, &Silent, &cancel)?;
        terminal.print_json(&answer)?;
        return Ok(answer);
    }
    let mut page = TerminalPage::new(terminal);
    let answer = hub.call(asker, operation, params, Some((&mut page, None)), &Silent, &cancel)?;
    page.finish()?;
    Ok(answer)
}

fn show_projects(output: &Projects, page: &mut dyn Page) {
    for project in &output.projects {
        let tags: String = project.tags.iter().map(|tag| format!("  #{tag}")).collect();
        let pages = project.pages.map(|pages| counted(pages, "page", "pages"));
        let place = format!("  {}", project.folder);
        let version = project.version.as_ref().map(|version| format!("{}  ", short_version(version)));
        let mut line = vec![Span::Strong(&project.project), Span::Text("  ")];
        line.extend(version.as_deref().map(Span::Text));
        line.extend(pages.as_ref().map(Span::said));
        line.extend([Span::Label(&tags), Span::Faint(&place)]);
        page.line(&line);
        if let Some(error) = &project.error {
            page.detail(&[Span::Alarm(error)]);
        }
    }
    page.note(&[Span::said(&counted(output.projects.len(), "project", "projects"))]);
}

/// A tag, or the first digits of a commit.
fn short_version(version: &str) -> &str {
    let is_commit = version.len() >= 40 && version.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_commit { &version[..SHORT_COMMIT] } else { version }
}

fn serve(terminal: &mut Terminal<'_>, place: Place, args: &HubServeArgs) -> CommandResult {
    let options = Options {
        named: args.named.clone(),
        http: args.http,
        allow_host: args.allow_host.clone(),
        no_token: args.no_token,
        endpoint: args.endpoint.settings(),
    };
    if options.http.is_none() && terminal.io.in_is_terminal {
        terminal
            .note(message!("waiting for an MCP client on standard input and output; Ctrl-C ends the server"));
    }
    let (style, home) = (terminal.message_style(), place.home());
    let io = &mut *terminal.io;
    let streams = Streams { input: &mut io.input, out: &mut io.out, err: &mut io.err };
    let open = |notices| place.open(&io.environment, notices);
    hub::serve(options, open, &home, streams, style, &io.environment, &io.cancel)?;
    Ok(ExitStatus::Success)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_are_short_and_tags_are_whole() {
        let commit = "0123456789abcdef0123456789abcdef01234567";
        for (version, short) in [(commit, "01234567"), ("v1.2.3", "v1.2.3"), (&commit[..39], &commit[..39])] {
            assert_eq!(short_version(version), short);
        }
    }
}
