//! `ubp query`: pages by SQL.

use ubp_core::ops::{query, query_inspect};

use crate::args::{Global, QueryArgs};
use crate::output::CommandResult;
use crate::session::{Session, Terminal, answer};

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
