//! `ubp review`: record that pages are true of their code.

use ubp_core::ops::review_page::{self, Params};

use crate::ExitStatus;
use crate::args::{Global, ReviewArgs};
use crate::output::CommandResult;
use crate::session::{Session, Terminal, answer};

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: ReviewArgs,
) -> CommandResult {
    let params = Params { page: None, pages: args.pages, all: args.all, still_accurate: args.still_accurate };
    let output = session.read(terminal, global, |context| review_page::run(context, params))?;
    answer(terminal, &output, review_page::show)?;
    Ok(if output.refused.is_empty() { ExitStatus::Success } else { ExitStatus::Finding })
}
