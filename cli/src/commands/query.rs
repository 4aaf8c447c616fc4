//! `ubp query`: pages by SQL.

use clap::Args;
use ubp_core::ops::{query, query_inspect};

use crate::args::Global;
use crate::output::CommandResult;
use crate::session::{Session, Terminal, answer};

/// `ubp query`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp query \"SELECT path, date FROM files WHERE date >= '2025-11-01' ORDER BY date DESC\"\n  \
    ubp query \"SELECT path, tags FROM files WHERE tags LIKE '%review%'\" --glob 'daily/**/*.md'\n  \
    ubp query \"SELECT value AS tag, count(*) FROM files, json_each(files.tags) GROUP BY 1\"\n  \
    ubp query \"SELECT path, 1 - array_cosine_distance(embedding, embed('feeling better')) AS score\n             \
               FROM files ORDER BY score DESC LIMIT 10\"\n  \
    ubp query --inspect                      the columns, with types and counts\n\n\
    The table files has a row for each page: path, every front-matter key (text; lists and maps as JSON), content,\n\
    updated_at, and embedding once vectors are complete. Statements are SQLite's SQL; nothing can be changed.")]
pub struct QueryArgs {
    /// One SELECT over the table files
    #[arg(value_name = "SQL", required_unless_present = "inspect")]
    pub sql: Option<String>,
    /// Only pages whose path this matches
    #[arg(long, value_name = "GLOB")]
    pub glob: Option<String>,
    /// List the columns instead
    #[arg(long, conflicts_with_all = ["sql", "max_rows"])]
    pub inspect: bool,
    /// Most rows to print (default 1000)
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
    let params = query::Params {
        sql: args.sql.unwrap_or_default(),
        glob: args.glob,
        max_rows: args.max_rows,
        ..Default::default()
    };
    let output = session.read(terminal, global, |context| query::run(context, params))?;
    answer(terminal, &output, query::show)
}
