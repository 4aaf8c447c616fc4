//! `ubp rights`: what agents may do where, and which rule says so.

use std::collections::BTreeMap;
use std::path::Path;

use clap::Args;
use serde::Serialize;
use ubp_core::manifest::settings::line_of;
use ubp_core::manifest::{AuthorRights, EVERYBODY, Ground, MANIFEST_PATH, Right, RuleId};
use ubp_core::message::Message;
use ubp_core::ports::Clock as _;
use ubp_core::show::{Page, Span, counted};
use ubp_core::{Error, message, path};
use ubp_host::SystemClock;
use ubp_servers::named_tokens::{NamedToken, Tokens};

use crate::output::{CommandResult, Failure};
use crate::page::TerminalPage;
use crate::session::Session;
use crate::terminal::{Terminal, answer_with};

/// `ubp rights`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp rights                               agents without rules of their own\n  \
    ubp rights --as claude-code\n  \
    ubp rights --as ci private/plan.md src/main.rs\n  \
    ubp rights --as ci notes                 each page in a folder\n\n\
    The rules are in \"rights\" of .ubp/manifest.json: the name of a client, of a token or of \
    `ubp mcp-server --as`, a path, and hide, read, propose or apply. Of the rules that match, the last \
    one counts. People are not restricted.")]
pub struct RightsArgs {
    /// Name of the agent: of its client, of its token, or given with `ubp mcp-server --as`
    #[arg(long = "as", value_name = "NAME")]
    pub author: Option<String>,
    /// Pages, other files or folders
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    pub paths: Vec<String>,
}

/// The answer.
#[derive(Debug, Serialize)]
struct Output {
    /// The agent; null for one without rules of its own.
    author: Option<String>,
    /// Whether there is a valid token of that name, whose rules count too.
    has_token: bool,
    /// The rules for the agent, in order: those of the manifest, then those of its token.
    rules: Vec<Rule>,
    /// Number of pages with each right.
    pages: BTreeMap<&'static str, usize>,
    /// The rights to the paths that were asked for.
    paths: Vec<PathRight>,
}

#[derive(Debug, Serialize)]
struct Rule {
    /// `manifest` or `token`.
    source: &'static str,
    /// Its line in the manifest; null for a rule of the token.
    line: Option<usize>,
    author: String,
    path: String,
    right: Right,
    /// Number of pages for which it decides.
    pages: usize,
}

#[derive(Debug, Serialize)]
struct PathRight {
    /// Relative to the project.
    path: String,
    right: Right,
    /// Index into `rules` of the rule that decides; null if none matches.
    rule: Option<usize>,
}

pub(crate) fn run(terminal: &mut Terminal<'_>, session: &Session, args: &RightsArgs) -> CommandResult {
    let output = output(session, args)?;
    let json = terminal.json;
    answer_with(terminal, json, &output, show)
}

fn output(session: &Session, args: &RightsArgs) -> Result<Output, Failure> {
    let manifest = &session.project.manifest;
    let author = args.author.as_deref();
    let now = SystemClock::default().now();
    let tokens = Tokens::of(&session.project.root).all()?;
    let is_meant = |token: &&NamedToken| author.is_some_and(|author| token.is_called(author));
    let token = tokens.iter().find(|token| is_meant(token) && token.is_valid_at(now));
    let given = token.map(NamedToken::rules).unwrap_or_default();
    let rights = AuthorRights::of(manifest, author, &given)?;
    let text = std::fs::read_to_string(&session.project.manifest_path)
        .map_err(|error| Error::io(MANIFEST_PATH, error))?;
    let mut ids = Vec::new();
    let mut rules = Vec::new();
    for id in rights.rules() {
        ids.push(id);
        rules.push(match id {
            RuleId::Manifest(at) => {
                let Some(rule) = manifest.rights.get(at) else { continue };
                Rule {
                    source: "manifest",
                    line: Some(line_of(&text, &["rights".into(), format!("[{at}]")])),
                    author: rule.author.clone(),
                    path: rule.path.clone(),
                    right: rule.right,
                    pages: 0,
                }
            }
            RuleId::Token(at) => {
                let Some((path, right)) = given.get(at).cloned() else { continue };
                let author = author.unwrap_or(EVERYBODY).to_owned();
                Rule { source: "token", line: None, author, path, right, pages: 0 }
            }
        });
    }
    let index = |ground: Ground| ids.iter().position(|id| Some(*id) == ground.rule);
    let listed = session.engine.source.list()?.pages;
    let mut pages: BTreeMap<&'static str, usize> = Right::ALL.map(|right| (right.as_str(), 0)).into();
    for page in &listed {
        let ground = rights.page_ground(&page.path);
        *pages.entry(ground.right.as_str()).or_default() += 1;
        if let Some(rule) = index(ground).and_then(|at| rules.get_mut(at)) {
            rule.pages += 1;
        }
    }
    let files: Vec<String> =
        listed.iter().filter_map(|page| path::join(manifest.pages_folder(), &page.path)).collect();
    let mut paths = Vec::new();
    for typed in &args.paths {
        for file in named(session, typed, &files) {
            let ground = rights.file_ground(&file);
            paths.push(PathRight { path: file, right: ground.right, rule: index(ground) });
        }
    }
    Ok(Output { author: args.author.clone(), has_token: token.is_some(), rules, pages, paths })
}

/// The files that a typed path names, relative to the project: itself, or the pages in it.
fn named(session: &Session, typed: &str, files: &[String]) -> Vec<String> {
    let as_page = path::join(session.project.manifest.pages_folder(), &session.place_of_page(typed));
    let file = match as_page {
        Some(page) if files.contains(&page) => page,
        _ => session.source(Path::new(typed)),
    };
    let folder = file.trim_end_matches('/');
    let folder = if folder == "." { "" } else { folder };
    let inside: Vec<String> =
        files.iter().filter(|page| *page != folder && path::is_below(page, folder)).cloned().collect();
    if inside.is_empty() { vec![file] } else { inside }
}

fn show(terminal: &mut Terminal<'_>, output: &Output) -> Result<(), Failure> {
    let places: Vec<String> = output.rules.iter().map(|rule| place(terminal, rule)).collect();
    let widest = output.paths.iter().map(|path| path.right.as_str().len()).max().unwrap_or(0);
    let mut page = TerminalPage::new(terminal);
    for found in &output.paths {
        let right = format!("{:<widest$}  ", found.right.as_str());
        let rule = found.rule.and_then(|at| Some((output.rules.get(at)?, places.get(at)?)));
        let why = match rule {
            Some((rule, place)) => message!(
                "  {place}: {author} {path}",
                place = place.as_str(),
                author = rule.author.as_str(),
                path = rule.path.as_str()
            ),
            None => message!("  no rule"),
        };
        page.line(&[Span::Strong(&right), Span::File(&found.path), Span::faint(&why)]);
    }
    if output.paths.is_empty() {
        let rows: Vec<Vec<String>> = output
            .rules
            .iter()
            .zip(&places)
            .map(|(rule, place)| {
                let right = rule.right.as_str().to_owned();
                vec![right, rule.path.clone(), rule.author.clone(), rule.pages.to_string(), place.clone()]
            })
            .collect();
        if !rows.is_empty() {
            let columns = [
                message!("right"),
                message!("path"),
                message!("author"),
                message!("pages"),
                message!("rule"),
            ];
            page.columns(&columns, &rows, 60);
            page.gap();
        }
        let counts = Right::ALL.iter().filter_map(|right| {
            let count = output.pages.get(right.as_str()).copied().filter(|count| *count > 0)?;
            Some(format!("{count} {}", right.as_str()))
        });
        let total = counted(output.pages.values().sum(), "page", "pages");
        let counts = counts.collect::<Vec<_>>().join(", ");
        page.line(&[Span::said(&message!("{total}: {counts}", total, counts))]);
    }
    page.finish()?;
    for note in notes(output) {
        terminal.note(note);
    }
    Ok(())
}

fn notes(output: &Output) -> Vec<Message> {
    let mut notes = Vec::new();
    if output.author.is_none() {
        notes.push(message!("these are the rights of agents without rules of their own; --as names one"));
    }
    if output.rules.is_empty() {
        notes.push(message!(
            "there are no rules: the flag --write of `ubp mcp-server` alone says what the agent may do"
        ));
    } else if output.pages.get(Right::Apply.as_str()).is_some_and(|count| *count > 0) {
        notes.push(message!("apply means what the flag --write of `ubp mcp-server` allows"));
    }
    notes
}

/// Where a rule is.
fn place(terminal: &Terminal<'_>, rule: &Rule) -> String {
    match rule.line {
        Some(line) => format!("{}:{line}", terminal.project_path(MANIFEST_PATH)),
        None => terminal.told(&message!("its token")),
    }
}
