//! `ubp search`: find pages by meaning, words and links.

use crate::args::choice::{self, one_of};
use clap::{Args, ValueEnum};
use ubp_core::Error;
use ubp_core::message;
use ubp_core::ops::search::{self, Output, Params};
use ubp_core::search::SearchMode;
use ubp_core::word;

use crate::ExitStatus;
use crate::args::Global;
use crate::editor::Editor;
use crate::output::{CommandResult, counted};
use crate::page::TerminalPage;
use crate::session::Session;
use crate::terminal::{Terminal, answer};

/// `ubp search`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp search \"how do sessions expire\"\n  \
    ubp search --fulltext src/auth/login.ts\n  \
    ubp search '\"refresh token\"' --type api --tag security\n  \
    ubp search 認証 --field status=approved --explain\n  \
    ubp search login -l -0 | xargs -0 $EDITOR\n  \
    ubp search \"how do sessions expire\" --open    the best result in your editor\n\n\
    The score is alpha * relevance + (1 - alpha) * graph proximity. Relevance\n\
    combines meaning (vectors) and words; graph proximity is relevance gained from\n\
    linked results. --open starts $VISUAL or $EDITOR, at the line if possible.")]
pub struct SearchArgs {
    /// Words, a question, or "an exact phrase"
    #[arg(value_name = "QUERY", required = true, num_args = 1..)]
    pub query: Vec<String>,
    /// Search by words only; same as --mode fulltext
    #[arg(long, conflicts_with = "mode")]
    pub fulltext: bool,
    /// How to rank [default: hybrid]
    #[arg(long, value_name = "MODE", value_parser = one_of::<SearchMode>(choice::MODE))]
    pub mode: Option<SearchMode>,
    /// Print at most N pages, 1 to 20 [default: 5, or search.limit of the project]
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
    /// Weight of relevance against links, 0.0 to 1.0 [default: 0.7, or search.alpha of the project]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub alpha: Option<f64>,
    /// Hops over which links add relevance, 1 to 3 [default: 2, or search.depth of the project]
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    /// Follow links of this type only (repeatable)
    #[arg(long = "link-type", value_name = "TYPE")]
    pub link_types: Vec<String>,
    /// Only pages of this type (repeatable)
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub doc_types: Vec<String>,
    /// Only pages with this tag (repeatable: all of them)
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// Only pages in this folder of the pages folder
    #[arg(long, value_name = "DIR")]
    pub folder: Option<String>,
    /// Only pages whose front matter has this value (repeatable)
    #[arg(long = "field", value_name = "KEY=VALUE", value_parser = key_value)]
    pub fields: Vec<(String, String)>,
    /// Print whole sections instead of snippets
    #[arg(long)]
    pub content: bool,
    /// Also print the pages linked with each result
    #[arg(long)]
    pub include_linked: bool,
    /// Explain each score
    #[arg(long)]
    pub explain: bool,
    /// Print paths only
    #[arg(short = 'l', long = "paths")]
    pub paths: bool,
    /// End each path with a NUL byte, for `xargs -0`
    #[arg(short = '0', long, requires = "paths")]
    pub null: bool,
    /// Open result N, the first by default, in $VISUAL or $EDITOR
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1", require_equals = true)]
    pub open: Option<usize>,
    /// Limit the answer to N tokens, at least 256 [default: no limit]
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<usize>,
    /// Output format [default: text]
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<Format>,
}

/// Output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.into(), value.into())),
        _ => Err(word!("expected KEY=VALUE, such as status=approved").into()),
    }
}

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
        folder: args.folder.map(|folder| session.folder(&folder)),
        fields: args.fields.into_iter().collect(),
        content: args.content,
        include_linked: args.include_linked,
        explain: args.explain,
        max_tokens: args.max_tokens,
    };
    let output = session.read_meaning(terminal, global, |context| search::run(context, params))?;
    if let Some(number) = args.open.filter(|_| !output.results.is_empty()) {
        return open(terminal, session, &output, number);
    }
    terminal.json |= args.format == Some(Format::Json);
    if args.paths && !terminal.json {
        let mut page = TerminalPage::new(terminal);
        search::show_unmatched(&output, &mut page);
        page.finish()?;
        for result in &output.results {
            if args.null {
                let path = terminal.opened_by(&result.page.filepath);
                write!(terminal.io.out, "{path}\0")?;
            } else {
                terminal.put(terminal.path(&result.page.filepath))?;
            }
        }
        return Ok(ExitStatus::Success);
    }
    answer(terminal, &output, search::show)
}

/// Opens a result at its best section, and prints which one.
fn open(terminal: &mut Terminal<'_>, session: &Session, output: &Output, number: usize) -> CommandResult {
    let Some(result) = number.checked_sub(1).and_then(|at| output.results.get(at)) else {
        let found = counted(output.results.len(), "result", "results");
        return Err(
            Error::invalid(message!("there is no result {number}: {found} found", number, found)).into()
        );
    };
    let filepath = &result.page.filepath;
    let line = result.sections.first().map_or(1, |section| section.line);
    terminal.put(format!("{}:{line}", terminal.path(filepath)))?;
    terminal.io.flush()?;
    let file = session.project.pages_dir.join(filepath);
    Editor::of(&terminal.io.environment).open(&file, line)?;
    Ok(ExitStatus::Success)
}
