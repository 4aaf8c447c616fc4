//! `ubp search`: find pages.

use ubp_core::ops::search::{self, Params};
use ubp_core::search::SearchMode;

use crate::ExitStatus;
use crate::args::{Format, Global, SearchArgs};
use crate::output::CommandResult;
use crate::session::{Session, Terminal, answer};

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: SearchArgs,
) -> CommandResult {
    let configured = session.project.manifest.search.limit;
    let params = Params {
        query: args.query.join(" "),
        limit: Some(args.limit.or(configured).unwrap_or(search::SHORT_LIMIT)),
        mode: match (args.fulltext, args.mode) {
            (true, _) => Some(SearchMode::Fulltext),
            (false, mode) => mode,
        },
        alpha: args.alpha,
        depth: args.depth,
        link_types: args.link_types,
        doc_types: args.doc_types,
        tags: args.tags,
        folder: args.folder,
        fields: args.fields.into_iter().collect(),
        content: args.content,
        include_linked: args.include_linked,
        explain: args.explain,
        max_tokens: args.max_tokens,
    };
    let output = session.read(terminal, global, |context| search::run(context, params))?;
    terminal.json |= args.format == Some(Format::Json);
    if args.paths && !terminal.json {
        for result in &output.results {
            terminal.line(terminal.path(&result.page.filepath))?;
        }
        return Ok(ExitStatus::Success);
    }
    answer(terminal, &output, search::show)
}
