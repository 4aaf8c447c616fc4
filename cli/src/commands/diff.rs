//! `ubp diff`: what a change did to the graph.

use ubp_core::ops::diff::{self, Params};

use crate::ExitStatus;
use crate::args::{DiffArgs, DiffFormat, FailOn, Global};
use crate::output::CommandResult;
use crate::session::{Session, Terminal, answer};

mod markdown;

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: DiffArgs,
) -> CommandResult {
    let params = Params { range: args.range, depth: args.depth, limit: args.limit };
    // Two commits do not ask what the index of the working folder says.
    let output = match params.concerns_working_folder()? {
        true => session.read(terminal, global, |context| diff::run(context, params))?,
        false => session.write(terminal, |context| diff::run(context, params))?,
    };
    terminal.json |= args.format == Some(DiffFormat::Json);
    if args.format == Some(DiffFormat::Markdown) && !terminal.json {
        let text = markdown::comment(&output, |page| terminal.path(page));
        terminal.line(text)?;
    } else {
        answer(terminal, &output, diff::show)?;
    }
    let fails = |what| args.fail_on.is_empty() || args.fail_on.contains(&what);
    let found = (fails(FailOn::Broken) && !output.broken_links.is_empty())
        || (fails(FailOn::Stale) && !output.staleness.stale.is_empty())
        || (fails(FailOn::Cycles) && !output.cycles.added.is_empty());
    Ok(if args.exit_code && found { ExitStatus::Finding } else { ExitStatus::Success })
}
