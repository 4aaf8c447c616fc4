//! Problems of the project, and how to fix each.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::Result;
use crate::embed::MULTILINGUAL;
use crate::hint::Next;
use crate::message;
use crate::message::{Fill as _, Message, Value};
use crate::ops::budget::{self, Omitted};
use crate::ops::page::IndexState;
use crate::ops::{Facts, Tool};
use crate::show::{Page, Span, counted};
#[cfg(not(target_family = "wasm"))]
use crate::templates::Templates;

#[cfg(not(target_family = "wasm"))]
mod bases;
mod checks;
#[cfg(not(target_family = "wasm"))]
mod claims;
#[cfg(not(target_family = "wasm"))]
mod elsewhere;
mod groups;
#[cfg(not(target_family = "wasm"))]
mod okf;
#[cfg(not(target_family = "wasm"))]
mod schema;
#[cfg(not(target_family = "wasm"))]
mod symbols;

pub(crate) use checks::{PAGE_TYPES, without_place};
#[cfg(not(target_family = "wasm"))]
pub(crate) use checks::{ambiguous_link, broken_link, finding, missing_heading};

#[cfg(not(target_family = "wasm"))]
pub(crate) use elsewhere::{broken_unless_elsewhere, count_links_to_projects};

/// Facts about this operation.
pub const FACTS: Facts = Facts::reading("Find broken links and other problems, and how to fix them.")
    .tool(Tool::Always)
    .quoting_pages()
    .command("doctor")
    .arguments(&["kind"]);

/// Selects the findings.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Only this kind, such as `unresolved_link`.
    pub kind: Option<String>,
    /// Check claims about code instead.
    #[serde(default)]
    pub claims: bool,
    /// Also whether pages follow the Open Knowledge Format 0.2.
    #[serde(default)]
    #[schemars(extend("x-for-programs" = true))]
    pub okf: bool,
    /// Maximum tokens in the answer.
    #[schemars(range(min = 256))]
    pub max_tokens: Option<usize>,
}

/// The results.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The findings, worst first, then by file and line; only of the requested kind.
    pub findings: Vec<Finding>,
    /// The requested kind; absent when all were requested.
    pub kind: Option<String>,
    /// Findings of every kind, by code.
    pub counts: BTreeMap<String, usize>,
    /// Missing pages that links name, most wanted first.
    pub wanted_pages: Vec<WantedPage>,
    /// How many claims of pages were checked; absent unless `claims` was requested.
    pub claims: Option<Claims>,
    /// Parts omitted to fit `max_tokens`.
    pub omitted: Omitted,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Something does not work.
    Error,
    /// Something probably does not work as intended.
    Warning,
    /// Worth knowing.
    Info,
}

/// A problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// Stable name of the kind of problem.
    pub code: String,
    /// The file, relative to the pages folder; absent for the whole project.
    pub filepath: Option<String>,
    /// The line, from 1.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: Message,
    /// How to fix it.
    pub hint: Option<Message>,
    /// The claim of the page that is not true any more; absent for other problems.
    pub claim: Option<BrokenClaim>,
}

/// What a page says, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BrokenClaim {
    /// The claim as written.
    pub text: String,
    /// Full hash of the commit that took the thing away; absent if that is not committed.
    pub commit: Option<String>,
    /// First line of its message.
    pub subject: Option<String>,
    /// Committer time, RFC 3339.
    pub committed_at: Option<String>,
    /// What it is now: a path or a name; absent if unknown.
    pub now: Option<String>,
}

/// How many claims of pages were checked, by verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Claims {
    /// There is such a thing.
    pub resolves: usize,
    /// There was one when the line was written, and a commit took it away.
    pub missing: usize,
    /// There are several.
    pub ambiguous: usize,
    /// It cannot be told.
    pub uncheckable: usize,
    /// Pages that were checked.
    pub pages: usize,
    /// Pages about the past or the future, which were not.
    pub exempt_pages: usize,
    /// Commits that were searched for what is gone.
    pub commits: usize,
    /// Whether the history has no other commits that were not searched.
    pub whole_history: bool,
}

/// A missing page that links name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WantedPage {
    /// The target as links write it.
    pub target: String,
    /// Links to it.
    pub links: usize,
    /// Pages with such links.
    pub pages: usize,
}

/// Runs every check.
///
/// # Errors
/// [`crate::Error::Database`], [`crate::Error::Io`]; [`crate::Error::InvalidParams`] for `claims` in a browser without a
/// server.
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    #[cfg(target_family = "wasm")]
    if params.claims {
        return Err(crate::Error::invalid(message!(
            "what pages say about code cannot be checked in a browser without a server"
        )));
    }
    #[cfg(not(target_family = "wasm"))]
    if params.claims {
        let (findings, claims) = claims::broken(context)?;
        let index = context.index_state()?;
        return answer(
            context,
            params,
            Found { findings, wanted_pages: Vec::new(), claims: Some(claims), index },
        );
    }
    let listing = context.source.list()?;
    let graph = context.index.graph()?;
    let index = context.index_state()?;
    #[cfg_attr(target_family = "wasm", allow(unused_mut))]
    let mut known_types: Vec<String> = PAGE_TYPES.map(str::to_owned).to_vec();
    // Browsers have no templates.
    #[cfg(not(target_family = "wasm"))]
    let templates = Templates::load(context)?;
    #[cfg(not(target_family = "wasm"))]
    known_types.extend(templates.usable.iter().filter_map(|template| template.doc_type.clone()));
    let (mut findings, wanted_pages) = context.index.read(|db| {
        let mut findings = Vec::new();
        checks::unreadable(&listing, &mut findings);
        checks::diagnostics(db, &mut findings)?;
        let label_first = checks::label_first_dialect(db, &mut findings)?;
        // If the links are read in the wrong order, findings about single links are noise.
        let wanted = if label_first { Vec::new() } else { checks::unresolved(context, db, &mut findings)? };
        if !label_first {
            checks::ambiguous(db, &mut findings)?;
            checks::missing_anchors(db, &mut findings)?;
        }
        checks::contested_ids(db, &mut findings)?;
        groups::cycles(db, &graph, &mut findings)?;
        groups::same_title(db, &mut findings)?;
        groups::same_text(db, &mut findings)?;
        checks::orphans(db, &graph, &mut findings)?;
        checks::page_types(db, &known_types, &mut findings)?;
        #[cfg(not(target_family = "wasm"))]
        schema::pages(context, db, &templates, &mut findings)?;
        #[cfg(not(target_family = "wasm"))]
        if params.okf {
            okf::pages(context, db, &mut findings)?;
        }
        checks::model(context, db, &mut findings)?;
        checks::unknown_settings(context, &mut findings);
        Ok((findings, wanted))
    })?;
    #[cfg(not(target_family = "wasm"))]
    {
        schema::templates(&templates, &mut findings);
        bases::files(context, &mut findings)?;
        symbols::missing(context, &mut findings)?;
    }
    checks::review_lock(context, &mut findings)?;
    checks::audit_log(context, &mut findings)?;
    answer(context, params, Found { findings, wanted_pages, claims: None, index })
}

/// What was found.
struct Found {
    findings: Vec<Finding>,
    wanted_pages: Vec<WantedPage>,
    claims: Option<Claims>,
    index: IndexState,
}

/// The part of what was found that the caller wants.
fn answer(context: &Context<'_>, params: Params, found: Found) -> Result<Output> {
    let Found { mut findings, mut wanted_pages, claims, index } = found;
    findings.sort_by(|a, b| {
        (a.severity, &a.code, &a.filepath, a.line, &a.message).cmp(&(
            b.severity,
            &b.code,
            &b.filepath,
            b.line,
            &b.message,
        ))
    });
    let mut counts = BTreeMap::new();
    for finding in &findings {
        *counts.entry(finding.code.clone()).or_insert(0) += 1;
    }
    if let Some(kind) = &params.kind {
        findings.retain(|finding| finding.code == *kind);
        if kind != "unresolved_link" {
            wanted_pages.clear();
        }
    }
    let (kind, omitted) = (params.kind, Omitted::default());
    let mut output = Output { findings, kind, counts, wanted_pages, claims, omitted, index };
    budget::fit(context, &mut output, params.max_tokens, show, |output, excess| {
        let (wanted, found) = (output.wanted_pages.len(), output.findings.len());
        // The counts stay, so the number of omitted findings is known.
        let dropped = match wanted > found {
            true => excess.shorten(&mut output.wanted_pages),
            false => excess.shorten(&mut output.findings),
        };
        output.omitted.pages += dropped;
        dropped > 0
    })?;
    Ok(output)
}

/// Findings shown of each kind if no kind is requested.
const FEW: usize = 10;

/// Shows the first findings of each kind, or all of the requested kind.
pub fn show(output: &Output, page: &mut dyn Page) {
    show_most(output, if output.kind.is_some() { usize::MAX } else { FEW }, page);
}

/// Shows all findings, by kind.
pub fn show_all(output: &Output, page: &mut dyn Page) {
    show_most(output, usize::MAX, page);
}

fn show_most(output: &Output, most: usize, page: &mut dyn Page) {
    match &output.kind {
        _ if output.counts.is_empty() => page.line(&[Span::said(&message!("No problems found."))]),
        Some(kind) if !output.counts.contains_key(kind) => {
            let there: Vec<&str> = output.counts.keys().map(String::as_str).collect();
            page.line(&[Span::said(&message!(
                "No problem of the kind {kind}; the kinds found are {there}",
                kind = Span::Code(kind),
                there = there.join(", ")
            ))]);
        }
        _ => {}
    }
    let mut kinds: BTreeMap<(Severity, &str), Vec<&Finding>> = BTreeMap::new();
    for finding in &output.findings {
        kinds.entry((finding.severity, finding.code.as_str())).or_default().push(finding);
    }
    for ((severity, code), findings) in kinds {
        let label = match severity {
            Severity::Error => Span::alarm(&message!("error")).fill(),
            Severity::Warning => Span::alarm(&message!("warning")).fill(),
            Severity::Info => Span::faint(&message!("info")).fill(),
        };
        let kind = Span::Strong(&code.replace('_', " ")).fill();
        let all = output.counts.get(code).copied().unwrap_or(findings.len());
        let shown = findings.len().min(most);
        page.heading(&[Span::said(&match shown < all {
            true => message!("{label}: {kind} ({shown} of {all})", label, kind, shown, all),
            false => message!("{label}: {kind} ({all})", label, kind, all),
        })]);
        for Finding { filepath, line, message, .. } in findings.iter().take(most).copied() {
            match (filepath, line) {
                (Some(path), Some(line)) => {
                    page.item(&[Span::Place(path, *line), Span::Text(": "), Span::Quoted(message)])
                }
                (Some(path), None) => page.item(&[Span::Path(path), Span::Text(": "), Span::Quoted(message)]),
                (None, _) => page.item(&[Span::Quoted(message)]),
            }
        }
        show_rest(all, shown, code, page);
        if let Some(hint) = findings.first().and_then(|finding| finding.hint.as_ref()) {
            let label = Span::faint(&message!("hint:")).fill();
            page.item(&[Span::said(&match code {
                "model_missing" => {
                    let model = Value::Run("model".into());
                    message!("{label} {hint}; {model} shows how to get it", label, hint, model)
                }
                "model_script" => {
                    let model = Value::Run(format!("model use {MULTILINGUAL}"));
                    message!("{label} {hint}; {model} chooses a model for most scripts", label, hint, model)
                }
                _ => message!("{label} {hint}", label, hint),
            })]);
        }
    }
    let wanted = &output.wanted_pages;
    if !wanted.is_empty() {
        page.heading(&[Span::strong(&message!("Wanted pages ({wanted})", wanted = wanted.len()))]);
        for WantedPage { target, links, pages } in wanted.iter().take(most) {
            let (links, pages) = (counted(*links, "link", "links"), counted(*pages, "page", "pages"));
            page.item(&[Span::said(&message!(
                "{target} ({links} on {pages})",
                target = Span::Words(target),
                links,
                pages
            ))]);
        }
        show_rest(wanted.len(), most, "unresolved_link", page);
        page.item(&[Span::said(&message!(
            "{label} {create} creates them; an alias on an existing page works as well",
            label = Span::faint(&message!("hint:")),
            create = Next::call("add").with("create_missing", true)
        ))]);
    }
    if let Some(claims) = &output.claims {
        show_claims(claims, page);
    }
    let rest = message!("the counts include all findings");
    output.omitted.show(|count| counted(count, "entry", "entries"), rest, page);
    output.index.show(page);
}

fn show_claims(claims: &Claims, page: &mut dyn Page) {
    let Claims { resolves, missing, ambiguous, uncheckable, pages, exempt_pages, commits, whole_history } =
        *claims;
    let all = resolves + missing + ambiguous + uncheckable;
    page.line(&[Span::said(&message!(
        "{claims} on {pages}: {resolves} resolve, {missing} missing, {ambiguous} ambiguous, {uncheckable} uncheckable",
        claims = counted(all, "claim", "claims"),
        pages = counted(pages, "page", "pages"),
        resolves,
        missing,
        ambiguous,
        uncheckable
    ))]);
    if exempt_pages > 0 {
        page.line(&[Span::faint(&message!(
            "not checked: {pages} about the past or the future, such as plans and changelogs",
            pages = counted(exempt_pages, "page", "pages")
        ))]);
    }
    if !whole_history {
        page.line(&[Span::faint(&message!(
            "searched {commits} that removed something; this clone has no earlier ones",
            commits = counted(commits, "commit", "commits")
        ))]);
    }
}

fn show_rest(all: usize, shown: usize, kind: &str, page: &mut dyn Page) {
    if all > shown {
        let more = Next::call("doctor").with("kind", kind);
        page.item(&[Span::faint(&message!(
            "and {shown} more of this kind: {more}",
            shown = all - shown,
            more
        ))]);
    }
}

#[cfg(test)]
mod tests;
