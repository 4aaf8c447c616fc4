//! The commands, one file each.

mod add;
mod audit;
mod completions;
mod context;
mod diff;
mod doctor;
mod eval;
mod export;
mod get;
mod graph;
mod impact;
mod init;
mod list;
mod mcp_server;
mod memory;
mod model;
mod query;
mod rebuild;
mod refs;
mod review;
mod search;
mod stale;
mod status;
mod suggest;
mod traverse;
mod viewer;
mod write;

use std::path::PathBuf;

use ubp_host::Project;
use ubp_host::opening::set_aside;

use crate::args::{Command, Global};
use crate::output::{CommandResult, Failure};
use crate::session::{Session, Terminal};

pub(crate) fn run(terminal: &mut Terminal<'_>, global: &Global, command: Command) -> CommandResult {
    match attempt(terminal, global, command.clone()) {
        // Damage inside the file shows only when that part is read. Nothing was printed by then.
        Err(Failure::Engine(error)) if error.is_damaged_index() => {
            let project = Project::find(&project_folder(terminal, global, &command)?)?;
            let aside = set_aside(&project.database)?;
            terminal.warn(format!(
                "the index is damaged ({error}); it was moved to {} and is made anew",
                aside.display()
            ));
            attempt(terminal, global, command)
        }
        result => result,
    }
}

/// Where the project of a command is looked for.
fn project_folder(terminal: &Terminal<'_>, global: &Global, command: &Command) -> Result<PathBuf, Failure> {
    let user = match command {
        Command::Memory(args) => args.user,
        Command::McpServer(args) => args.user,
        _ => false,
    };
    memory::folder(terminal, terminal.folder(global), user)
}

fn attempt(terminal: &mut Terminal<'_>, global: &Global, command: Command) -> CommandResult {
    let folder = project_folder(terminal, global, &command)?;
    match &command {
        Command::Init(args) => return init::run(terminal, &folder, args),
        Command::Completions(args) => return completions::run(terminal, args),
        Command::Model(args) => return model::run(terminal, &folder, args),
        Command::Eval(args) => return eval::run(terminal, &folder, global, args),
        Command::McpServer(args) => return mcp_server::run(terminal, &folder, args),
        Command::Viewer(args) => return viewer::run(terminal, &folder, args),
        _ => {}
    }
    let session = Session::open(terminal, &folder)?;
    match command {
        Command::Add(args) => add::run(terminal, &session, &folder, args),
        Command::Rebuild => rebuild::run(terminal, &session),
        Command::New(args) => write::new(terminal, &session, args),
        Command::Mv(args) => write::mv(terminal, &session, args),
        Command::Rm(args) => write::rm(terminal, &session, args),
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
        Command::Impact(args) => impact::run(terminal, &session, &folder, global, args),
        Command::Diff(args) => diff::run(terminal, &session, global, args),
        Command::Export(args) => export::run(terminal, &session, &folder, global, args),
        Command::Status => status::run(terminal, &session, global),
        Command::Stale(args) => stale::run(terminal, &session, global, args),
        Command::Review(args) => review::run(terminal, &session, global, args),
        Command::Refs(args) => refs::run(terminal, &session, &folder, global, &args),
        Command::Doctor(args) => doctor::run(terminal, &session, global, &args),
        Command::SuggestLinks(args) => suggest::run(terminal, &session, global, args),
        Command::Accept(args) => suggest::accept(terminal, &session, args),
        Command::Audit(args) => audit::run(terminal, &session, args),
        Command::Undo(args) => audit::undo(terminal, &session, args),
        Command::Dismiss(args) => suggest::dismiss(terminal, &session, args),
        Command::Init(_)
        | Command::Completions(_)
        | Command::Model(_)
        | Command::Eval(_)
        | Command::McpServer(_)
        | Command::Viewer(_) => Ok(crate::ExitStatus::Success),
    }
}
