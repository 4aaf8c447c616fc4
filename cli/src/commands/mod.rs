//! The commands, one file per command.

mod add;
mod audit;
mod comments;
mod completions;
mod context;
mod diff;
mod doctor;
mod eval;
mod expiring;
mod export;
mod gaps;
mod get;
mod graph;
mod hook;
pub(crate) mod hub;
pub(crate) mod hub_endpoint;
mod impact;
mod import;
pub(crate) mod init;
mod list;
pub(crate) mod lsp;
mod mcp;
pub(crate) mod mcp_server;
mod memory;
mod model;
mod overview;
mod proposals;
mod push;
mod query;
mod rebuild;
mod refs;
mod replace;
mod review;
mod rights;
mod search;
mod sessions;
mod share;
mod stale;
mod status;
mod suggest;
mod token;
mod traverse;
mod viewer;
mod write;

use clap::Subcommand;
use std::path::PathBuf;
use ubp_core::message;

use ubp_host::Project;
use ubp_host::opening::set_aside;

use crate::args::Global;
use crate::output::{CommandResult, Failure};
use crate::session::Session;
use crate::terminal::Terminal;

/// The commands.
#[derive(Debug, Clone, Subcommand)]
pub enum Command {
    /// Start a project in the current folder
    Init(init::InitArgs),
    /// Update the index, including vectors
    Add(add::AddArgs),
    /// Rebuild the index from the files
    #[command(alias = "reindex")]
    Rebuild,
    /// Create a page
    New(write::NewArgs),
    /// Move or rename pages, folders, headings or tags, and update links
    Mv(write::MvArgs),
    /// Move pages to the trash
    Rm(write::RmArgs),
    /// Find and replace text in all pages
    Replace(replace::ReplaceArgs),
    /// Find pages by meaning, words and links
    Search(search::SearchArgs),
    /// Read a page with its links and freshness
    Get(get::GetArgs),
    /// Read a page and the pages around it
    Context(context::ContextArgs),
    /// List pages
    List(list::ListArgs),
    /// Query pages with SQL: front matter, text and meaning
    Query(query::QueryArgs),
    /// Save and recall memories of agents and people
    Memory(memory::MemoryArgs),
    /// Show how pages link to each other
    Graph(graph::GraphArgs),
    /// Follow links from a page, with the path to each page found
    Traverse(traverse::TraverseArgs),
    /// List the pages affected by a change of a page, source file or folder
    Impact(impact::ImpactArgs),
    /// Compare the graph of two revisions: links, cycles, freshness, impact
    Diff(diff::DiffArgs),
    /// Turn notes of Notion, Logseq or Obsidian into pages
    Import(import::ImportArgs),
    /// Write the pages as a static site
    Export(export::ExportArgs),
    /// Push the project to an index in PostgreSQL that several share
    Push(push::PushArgs),
    /// Show counts, freshness and the state of the index
    Status,
    /// List pages whose code changed since they were reviewed
    Stale(stale::StaleArgs),
    /// Record that pages were reviewed and match their code
    Review(review::ReviewArgs),
    /// Find the pages that describe a file
    Refs(refs::RefsArgs),
    /// Find broken links and other problems
    Doctor(doctor::DoctorArgs),
    /// Measure search on questions with known answers
    Eval(eval::EvalArgs),
    /// List questions that found nothing
    Gaps(gaps::GapsArgs),
    /// Suggest missing links
    SuggestLinks(suggest::SuggestLinksArgs),
    /// Suggest links to code that pages name
    LinkCode(suggest::LinkCodeArgs),
    /// Suggest types of links that sentences state
    SuggestTypes(suggest::SuggestTypesArgs),
    /// Comment on pages, and list, resolve and delete comments
    Comments(comments::CommentsArgs),
    /// List what waits for you: proposals, suggestions, contradictory memories
    Queue(suggest::QueueArgs),
    /// Add a suggested link
    Accept(suggest::AcceptArgs),
    /// Reject a suggested link, and remember that
    Dismiss(suggest::DismissArgs),
    /// Read, write and search the pages in a browser
    Viewer(viewer::ViewerArgs),
    /// Search and serve many projects as one
    Hub(hub::HubArgs),
    /// Serve editors over the Language Server Protocol
    Lsp(lsp::LspArgs),
    /// Connect AI clients to the server
    Mcp(mcp::McpArgs),
    /// Tell agents which pages describe the files that they edit
    Hook(hook::HookArgs),
    /// Serve AI agents over the Model Context Protocol
    #[command(alias = "serve")]
    McpServer(mcp_server::McpServerArgs),
    /// Review changes that agents proposed
    Proposals(proposals::ProposalsArgs),
    /// Show what agents asked, and what they were given
    Sessions(sessions::SessionsArgs),
    /// List changes made through ubp
    Audit(audit::AuditArgs),
    /// Undo a change
    Undo(audit::UndoArgs),
    /// Show what agents may do where
    Rights(rights::RightsArgs),
    /// Make, list and revoke tokens of agents
    Token(token::TokenArgs),
    /// Make, list and revoke links for guests of the viewer
    Share(share::ShareArgs),
    /// Show, install and choose the embedding model
    Model(model::ModelArgs),
    /// Print a completion script for a shell
    Completions(completions::CompletionsArgs),
    /// The state of the project; runs without a command name
    #[command(skip)]
    Overview,
}

pub(crate) fn run(terminal: &mut Terminal<'_>, global: &Global, command: Command) -> CommandResult {
    match attempt(terminal, global, command.clone()) {
        // Damage shows only when the damaged part is read. Nothing has been printed yet.
        Err(Failure::Engine(error)) if error.is_damaged_index() => {
            let project = Project::find(&project_folder(terminal, global, &command)?)?;
            let aside = set_aside(&project.database)?;
            terminal.warn(message!(
                "the index is damaged ({error}); it was moved to {aside} and is being rebuilt",
                error,
                aside = aside.display()
            ));
            attempt(terminal, global, command)
        }
        result => result,
    }
}

/// The folder in which to look for the project of a command.
fn project_folder(terminal: &Terminal<'_>, global: &Global, command: &Command) -> Result<PathBuf, Failure> {
    let user = match command {
        Command::Memory(args) => args.user,
        Command::McpServer(args) => args.offer.user,
        _ => false,
    };
    memory::folder(terminal, terminal.folder(global), user)
}

fn attempt(terminal: &mut Terminal<'_>, global: &Global, command: Command) -> CommandResult {
    let folder = project_folder(terminal, global, &command)?;
    match &command {
        Command::Init(args) => return init::run(terminal, &folder, args),
        Command::Completions(args) => return completions::run(terminal, &folder, global, args.clone()),
        Command::Model(args) => return model::run(terminal, &folder, args),
        Command::Eval(args) => return eval::run(terminal, &folder, global, args),
        Command::Mcp(args) => return mcp::run(terminal, &folder, args),
        Command::Token(args) => return token::run(terminal, &folder, args),
        Command::Share(args) => return share::run(terminal, &folder, args),
        Command::Hook(args) => return hook::run(terminal, &folder, global, args),
        Command::McpServer(args) => return mcp_server::run(terminal, &folder, args),
        Command::Viewer(args) => return viewer::run(terminal, &folder, args),
        Command::Lsp(args) => return lsp::run(terminal, args),
        Command::Hub(args) => return hub::run(terminal, &folder, args),
        Command::Overview => return overview::run(terminal, &folder, global),
        _ => {}
    }
    let session = Session::open(terminal, &folder)?;
    match command {
        Command::Add(args) => add::run(terminal, &session, args),
        Command::Rebuild => rebuild::run(terminal, &session),
        Command::New(args) => write::new(terminal, &session, args),
        Command::Mv(args) => write::mv(terminal, &session, args),
        Command::Rm(args) => write::rm(terminal, &session, args),
        Command::Replace(args) => replace::run(terminal, &session, args),
        Command::Search(args) => search::run(terminal, &session, global, args),
        Command::Get(args) => get::run(terminal, &session, global, args),
        Command::Context(args) => context::run(terminal, &session, global, args),
        Command::List(args) => list::run(terminal, &session, global, args),
        Command::Query(args) => query::run(terminal, &session, global, args),
        Command::Memory(args) => {
            let folder = terminal.folder(global);
            memory::run(terminal, &session, &folder, global, args)
        }
        Command::Graph(args) => graph::run(terminal, &session, global, args),
        Command::Traverse(args) => traverse::run(terminal, &session, global, args),
        Command::Impact(args) => impact::run(terminal, &session, global, args),
        Command::Diff(args) => diff::run(terminal, &session, global, args),
        Command::Import(args) => import::run(terminal, session, &folder, args),
        Command::Export(args) => export::run(terminal, &session, &folder, global, args),
        Command::Push(args) => push::run(terminal, &session, global, args),
        Command::Status => status::run(terminal, &session, global),
        Command::Stale(args) => stale::run(terminal, &session, global, args),
        Command::Review(args) => review::run(terminal, &session, global, args),
        Command::Refs(args) => refs::run(terminal, &session, global, &args),
        Command::Doctor(args) => doctor::run(terminal, &session, global, &args),
        Command::Gaps(args) => gaps::run(terminal, &session, args),
        Command::SuggestLinks(args) => suggest::run(terminal, &session, global, args),
        Command::LinkCode(args) => suggest::code(terminal, &session, global, args),
        Command::SuggestTypes(args) => suggest::types(terminal, &session, global, args),
        Command::Queue(args) => suggest::queue(terminal, &session, global, args),
        Command::Accept(args) => suggest::accept(terminal, &session, args),
        Command::Comments(args) => comments::run(terminal, &session, global, args),
        Command::Proposals(args) => proposals::run(terminal, &session, global, args),
        Command::Sessions(args) => sessions::run(terminal, &session, global, args),
        Command::Audit(args) => audit::run(terminal, &session, args),
        Command::Rights(args) => rights::run(terminal, &session, &args),
        Command::Undo(args) => audit::undo(terminal, &session, args),
        Command::Dismiss(args) => suggest::dismiss(terminal, &session, args),
        Command::Init(_)
        | Command::Completions(_)
        | Command::Model(_)
        | Command::Eval(_)
        | Command::Mcp(_)
        | Command::Hook(_)
        | Command::Token(_)
        | Command::Share(_)
        | Command::McpServer(_)
        | Command::Viewer(_)
        | Command::Lsp(_)
        | Command::Hub(_)
        | Command::Overview => Ok(crate::ExitStatus::Success),
    }
}
