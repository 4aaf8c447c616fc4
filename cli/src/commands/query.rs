//! `ubp query`: query pages with SQL.

use clap::Args;
use ubp_core::Context;
use ubp_core::ops::{query, query_inspect};

use crate::args::Global;
use crate::output::CommandResult;
use crate::session::Session;
use crate::terminal::{Terminal, answer};

/// `ubp query`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp query \"SELECT path, date FROM files WHERE date >= '2025-11-01'\"\n  \
    ubp query \"SELECT path FROM files WHERE tags LIKE '%review%'\" --glob 'daily/*'\n  \
    ubp query \"SELECT value, count(*) FROM files, json_each(tags) GROUP BY 1\"\n  \
    ubp query \"SELECT path FROM files\n             \
    ORDER BY array_cosine_distance(embedding, embed('feeling better'))\"\n  \
    ubp query --inspect                      list columns, types and counts\n\n\
    The table files has a row per page: path, every front-matter key (text; lists and maps as \
    JSON), content, updated_at, and embedding once vectors are complete. The SQL is SQLite's; \
    statements cannot change data.")]
pub struct QueryArgs {
    /// One SELECT on the table files
    #[arg(value_name = "SQL", required_unless_present = "inspect")]
    pub sql: Option<String>,
    /// Only pages whose path matches
    #[arg(long, value_name = "GLOB")]
    pub glob: Option<String>,
    /// List the columns instead
    #[arg(long, conflicts_with_all = ["sql", "max_rows"])]
    pub inspect: bool,
    /// Print at most N rows [default: 1000]
    #[arg(short = 'n', long, value_name = "N")]
    pub max_rows: Option<usize>,
}

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: QueryArgs,
) -> CommandResult {
    if args.inspect {
        let params = query_inspect::Params { glob: args.glob, ..Default::default() };
        let output = session.read(terminal, global, |context| query_inspect::run(context, params))?;
        return answer(terminal, &output, query_inspect::show);
    }
    let by_meaning = args.sql.as_ref().is_some_and(|sql| sql.to_ascii_lowercase().contains("embed"));
    let params = query::Params {
        sql: args.sql.unwrap_or_default(),
        glob: args.glob,
        max_rows: args.max_rows,
        ..Default::default()
    };
    let ask = |context: &Context<'_>| query::run(context, params);
    let output = match by_meaning {
        true => session.read_meaning(terminal, global, ask)?,
        false => session.read(terminal, global, ask)?,
    };
    answer(terminal, &output, query::show)
}
