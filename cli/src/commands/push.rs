//! `ubp push`: bring the project into an index in PostgreSQL that several projects share.

use clap::Args;
#[cfg(not(feature = "postgres"))]
use ubp_core::{Error, message};

use crate::args::Global;
use crate::output::CommandResult;
use crate::session::Session;
use crate::terminal::Terminal;

#[cfg(feature = "postgres")]
mod database;

/// `ubp push`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp push --to postgres://ubp@db.example.com/ubp?sslmode=verify-full\n  \
    UBP_POSTGRES=postgres://ubp:secret@localhost/ubp ubp push\n  \
    ubp push --project web --tags team-a,frontend\n  \
    ubp push --dry-run                       what would change?\n  \
    ubp push --remove                        delete the project there\n\n\
    Only pages that differ are written, in one transaction. Parts that the address\n\
    lacks come from PGHOST, PGUSER, PGPASSWORD and the other variables of libpq.")]
pub struct PushArgs {
    /// The address of the database: postgres://user@host/database
    #[arg(long, value_name = "ADDRESS", env = "UBP_POSTGRES", hide_env_values = true)]
    pub to: Option<String>,
    /// Name of the project in the database [default: name of its folder]
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,
    /// Tags of the project, in place of those it has there
    #[arg(long, value_name = "TAG,…", value_delimiter = ',')]
    pub tags: Option<Vec<String>>,
    /// Print what would change, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Push pages with changes that are not committed
    #[arg(long)]
    pub allow_dirty: bool,
    /// Push this commit even if the database has a newer one
    #[arg(long)]
    pub force: bool,
    /// Delete the project from the database, with everything in it
    #[arg(long, conflicts_with_all = ["tags", "dry_run", "allow_dirty", "force"])]
    pub remove: bool,
}

#[cfg(feature = "postgres")]
pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: PushArgs,
) -> CommandResult {
    database::run(terminal, session, global, args)
}

#[cfg(not(feature = "postgres"))]
pub(crate) fn run(_: &mut Terminal<'_>, _: &Session, _: &Global, _: PushArgs) -> CommandResult {
    Err(without_postgres().into())
}

#[cfg(not(feature = "postgres"))]
pub(crate) fn without_postgres() -> Error {
    Error::SharedIndex {
        message: message!("this ubp was built without PostgreSQL"),
        hint: Some(Box::new(message!("build it with `--features postgres`: docs/postgres.md says how"))),
    }
}
