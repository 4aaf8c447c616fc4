//! `ubp get`: read a page.

use ubp_core::ops::get_page::{self, Params};

use crate::args::{GetArgs, Global};
use crate::output::CommandResult;
use crate::session::{Session, Terminal, answer};

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: GetArgs,
) -> CommandResult {
    let params = Params {
        page: Some(args.page),
        section: args.section,
        max_tokens: args.max_tokens,
        ..Params::default()
    };
    let output = session.read(terminal, global, |context| get_page::run(context, params))?;
    answer(terminal, &output, get_page::show)
}
