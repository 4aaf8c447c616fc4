//! Shows a proposal: what it changes, why, what the agent had read, and what it affects.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::freshness::Staleness;
use crate::hint::Next;
use crate::index::questions::pages;
use crate::message;
use crate::message::Message;
use crate::ops::get_impact::{self, AffectedPage};
use crate::ops::proposal::{Kind, Named, ProposalFields, named};
use crate::ops::{Facts, Tool, backlinks};
use crate::ports::ContentHash;
use crate::proposals::{
    Block, Call, Clash, DescribedSource, PageRead, Proposal, ProposedChange, SourceNaming, State, blocks,
    described, read_all, rebased,
};
use crate::show::{Page, Span, counted};
use crate::writing::shorten;
use crate::{Caller, Context, Result};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::reading("Show a proposed change by hunks, why it was proposed, and what became of it.")
        .tool(Tool::Proposing)
        .quoting_pages()
        .command("proposals")
        .arguments(&["proposal"]);

/// Maximum number of linking pages, of sources and of affected pages that are named.
const MOST: usize = 20;

/// The proposal to show.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Its id.
    pub proposal: String,
}

/// The proposal.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Its facts.
    #[serde(flatten)]
    pub fields: ProposalFields,
    /// Its changes, in order.
    pub changes: Vec<ChangeFields>,
    /// Whether pages were edited since at other lines, which are kept if it is accepted.
    pub rebased: bool,
    /// Whether the caller can accept or reject it.
    pub may_decide: bool,
    /// Whether hunks can be accepted without the others.
    pub divisible: bool,
    /// The calls that made it, the first one first.
    pub calls: Vec<Call>,
    /// Pages that the agent had read, latest last.
    pub read: Vec<ReadFields>,
    /// Lines that are removed and added in files of reviews and decisions, as a diff.
    pub records: String,
    /// Pages that depend on the changed pages or link to them, highest score first, at most 20; as by `get_impact`.
    pub affected: Vec<AffectedPage>,
    /// Number of these pages, before the limit.
    pub affected_count: usize,
}

/// A change of a page.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ChangeFields {
    /// Path after the change; for a deleted page, the former path.
    pub filepath: String,
    /// Former path of a page that moves.
    pub moved_from: Option<String>,
    /// What happens to the page.
    pub change: Kind,
    /// SHA-256 of the file that the agent changed; absent for a new page.
    pub previous_hash: Option<String>,
    /// SHA-256 of the proposed file; absent for a deleted page.
    pub content_hash: Option<String>,
    /// The changed blocks of its text. A page that is created or deleted is one hunk.
    pub hunks: Vec<Hunk>,
    /// Targets of links that are new on the page.
    pub links_added: Vec<String>,
    /// Targets of links that are no longer on the page.
    pub links_removed: Vec<String>,
    /// Keys of the front matter whose values change.
    pub front_matter: Vec<String>,
    /// Freshness of the page now; absent for a new page.
    pub staleness: Option<Staleness>,
    /// Number of files, folders and globs of code that the page describes before or after the change.
    pub source_count: usize,
    /// The code, at most 20 of them, by path.
    pub sources: Vec<DescribedSource>,
    /// Number of pages that link to the page now.
    pub linking_count: usize,
    /// Paths of these pages, at most 20.
    pub linking: Vec<String>,
    /// The text that the agent changed; for people only, and absent for a new page.
    pub previous_text: Option<String>,
    /// The proposed text; for people only, and absent for a deleted page.
    pub text: Option<String>,
}

/// Changed lines of a Markdown block.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Hunk {
    /// Its number in the proposal, to accept it alone.
    pub number: usize,
    /// Its first line in the text before, from 1.
    pub line: usize,
    /// Unified diff with the lines around it.
    pub diff: String,
    /// Whether it only adds lines.
    pub only_adds: bool,
    /// Whether the same lines were changed since.
    pub conflicts: bool,
}

/// A page that the agent had read.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReadFields {
    /// The page, as read.
    #[serde(flatten)]
    pub page: PageRead,
    /// Whether the page is still as the agent read it.
    pub is_current: bool,
}

/// Shows the proposal.
///
/// # Errors
/// [`crate::Error::InvalidParams`] for an unknown or replaced proposal; [`crate::Error::Io`],
/// [`crate::Error::Database`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let all = read_all(context)?.of_caller(context);
    let proposal = &all.find(context, &params.proposal)?.proposal;
    let (is_moved, clashes) = match proposal.state().is_open() {
        true => {
            let rebased = rebased(context, proposal, &[])?;
            (rebased.is_moved, rebased.clashes)
        }
        false => (false, Vec::new()),
    };
    let fields = ProposalFields::of(proposal, &clashes);
    let mut number = 0;
    let described = described(context, proposal)?.into_iter();
    let changes = proposal
        .changes
        .iter()
        .zip(described)
        .map(|(change, sources)| fields_of(context, change, sources, &mut number, &clashes));
    let changes = changes.collect::<Result<Vec<_>>>()?;
    let changed = proposal.changes.iter().filter_map(|change| change.before.as_ref());
    let changed = context.index.read(|db| {
        changed.filter_map(|file| pages::at(db, &file.path).transpose()).collect::<Result<Vec<i64>>>()
    })?;
    let (affected, affected_count) = get_impact::of_pages(context, changed, MOST)?;
    let mut records: String = proposal.records.iter().map(|record| record.planned().diff()).collect();
    if context.caller == Caller::Agent {
        shorten(&mut records);
    }
    Ok(Output {
        changes,
        rebased: is_moved && clashes.is_empty(),
        may_decide: context.caller == Caller::Person && fields.state.is_open(),
        divisible: proposal.is_divisible(),
        read: read(context, proposal),
        calls: if context.caller == Caller::Agent { Vec::new() } else { proposal.calls.clone() },
        records,
        affected,
        affected_count,
        fields,
    })
}

fn fields_of(
    context: &Context<'_>,
    change: &ProposedChange,
    mut sources: Vec<DescribedSource>,
    number: &mut usize,
    clashes: &[Clash],
) -> Result<ChangeFields> {
    let types = context.link_types();
    let texts = change.texts();
    let kind = Kind::of(change);
    let path = change.moved_from().unwrap_or_else(|| change.path());
    let blocks = match (kind, texts) {
        (Kind::Edited | Kind::Moved, Some((old, new))) => blocks(path, old, new),
        (_, texts) => vec![Block::whole(texts.unwrap_or_default())],
    };
    let hunks = blocks.into_iter().map(|block| {
        *number += 1;
        let conflicts = clashes.iter().any(|clash| clash.hunk == Some(*number));
        Hunk { number: *number, line: block.line, diff: block.diff, only_adds: block.only_adds, conflicts }
    });
    let mut hunks: Vec<Hunk> = hunks.collect();
    let is_agent = context.caller == Caller::Agent;
    if is_agent {
        hunks.iter_mut().for_each(|hunk| shorten(&mut hunk.diff));
    }
    let Named { links_added, links_removed, front_matter } = match texts {
        Some((old, new)) => named(old, new, &types),
        None => named("", "", &types),
    };
    let there = context.index.read(|db| match pages::at(db, path)? {
        Some(page) => Ok(Some((page, backlinks(db, page)?))),
        None => Ok(None),
    })?;
    let (staleness, mut linking) = match there {
        Some((page, links)) => {
            let fields = context.page_fields(&[page])?.remove(&page);
            let paths: Vec<String> = links.into_iter().filter_map(|link| link.filepath).collect();
            (fields.map(|fields| fields.staleness), paths)
        }
        None => (None, Vec::new()),
    };
    linking.sort();
    linking.dedup();
    let linking_count = linking.len();
    linking.truncate(MOST);
    let source_count = sources.len();
    sources.truncate(MOST);
    let text = |file: &Option<crate::proposals::ProposedFile>| {
        file.as_ref().filter(|_| !is_agent).and_then(|file| file.text.clone())
    };
    Ok(ChangeFields {
        filepath: change.path().to_owned(),
        moved_from: change.moved_from().map(str::to_owned),
        change: kind,
        previous_hash: change.before.as_ref().map(|file| file.hash.clone()),
        content_hash: change.after.as_ref().map(|file| file.hash.clone()),
        hunks,
        links_added,
        links_removed,
        front_matter,
        staleness,
        source_count,
        sources,
        linking_count,
        linking,
        previous_text: text(&change.before),
        text: text(&change.after),
    })
}

/// The pages that the agent had read, compared with those of now.
fn read(context: &Context<'_>, proposal: &Proposal) -> Vec<ReadFields> {
    let fields = proposal.read.iter().map(|page| {
        let now = context.source.read(&page.filepath).ok().map(|bytes| ContentHash::of(&bytes).to_string());
        ReadFields { page: page.clone(), is_current: now.as_ref() == Some(&page.content_hash) }
    });
    fields.collect()
}

/// Shows the facts, then each change by hunks, then what the agent had read and what to do next.
pub fn show(output: &Output, page: &mut dyn Page) {
    output.fields.show(page);
    for change in &output.changes {
        page.gap();
        let mut title = vec![Span::Path(&change.filepath)];
        if let Some(from) = &change.moved_from {
            title.splice(0..0, [Span::Path(from), Span::Text(" -> ")]);
        }
        page.heading(&title);
        for hunk in &change.hunks {
            let number = hunk.number;
            let told = match hunk.only_adds {
                true => message!("hunk {number}, only adds lines", number),
                false => message!("hunk {number}", number),
            };
            let conflict = message!(" [conflict]");
            let mut spans = vec![Span::faint(&told)];
            if hunk.conflicts {
                spans.push(Span::alarm(&conflict));
            }
            page.line(&spans);
            page.diff(&hunk.diff);
        }
        for (names, what) in [
            (&change.links_added, message!("links added:")),
            (&change.links_removed, message!("links removed:")),
            (&change.front_matter, message!("front matter changed:")),
        ] {
            if !names.is_empty() {
                page.note(&[Span::said(&what), Span::Text(" "), Span::Label(&names.join(", "))]);
            }
        }
        if let Some(code) = told_code(change) {
            page.note(&[Span::said(&code)]);
        }
        if change.change != Kind::Created && change.linking_count > 0 {
            let count = counted(change.linking_count, "page links here", "pages link here");
            let more = if change.linking_count > change.linking.len() { ", …" } else { "" };
            let names = change.linking.join(", ") + more;
            page.note(&[Span::said(&count), Span::Text(": "), Span::Text(&names)]);
        }
    }
    if !output.records.is_empty() {
        page.gap();
        page.diff(&output.records);
    }
    if let Some(affected) = told_affected(output) {
        page.gap();
        page.note(&[Span::said(&affected)]);
    }
    if !output.read.is_empty() {
        page.gap();
        let names = Message::joined(output.read.iter().map(ReadFields::told).collect(), ", ");
        page.note(&[Span::said(&message!("the agent had read {names}", names))]);
    }
    if output.rebased {
        page.note(&[Span::said(&message!("pages were edited since, at other lines: these edits stay"))]);
    }
    if output.may_decide {
        let id = output.fields.proposal.as_str();
        let ids = vec![id];
        let accept = Next::call("accept_proposal").with("proposals", ids.clone());
        let reject = Next::call("reject_proposal").with("proposals", ids);
        page.hint(&[Span::said(&match (output.fields.state, output.divisible) {
            (State::Conflict, false) => message!("{reject} rejects it", reject),
            (State::Conflict, true) => {
                message!(
                    "{accept} accepts the other hunks with `--hunk N`, {reject} rejects it",
                    accept,
                    reject
                )
            }
            (_, true) => message!(
                "{accept} accepts it (`--hunk N` only some hunks), {reject} rejects it",
                accept,
                reject
            ),
            (_, false) => message!("{accept} accepts it, {reject} rejects it", accept, reject),
        })]);
    }
}

/// Shows what a person needs in order to decide at once: who wants to change what, why, and the diff, shortened.
pub fn show_question(output: &Output, page: &mut dyn Page) {
    let fields = &output.fields;
    page.line(&[Span::said(&match fields.agent.as_deref().map(Span::Words) {
        Some(agent) => message!("{agent} wants to:", agent),
        None => message!("An agent wants to:"),
    })]);
    for proposed in &fields.pages {
        page.item(&[Span::said(&proposed.told())]);
    }
    if let Some(reason) = &fields.reason {
        page.note(&[Span::said(&message!("Its reason:"))]);
        page.quote(reason, &[]);
    }
    let mut diff = String::new();
    for change in output.changes.iter().filter(|change| !change.hunks.is_empty()) {
        let (old, new) = match change.change {
            Kind::Created => ("/dev/null", change.filepath.as_str()),
            Kind::Deleted => (change.filepath.as_str(), "/dev/null"),
            _ => (change.moved_from.as_deref().unwrap_or(&change.filepath), change.filepath.as_str()),
        };
        diff.push_str(&format!("--- {old}\n+++ {new}\n"));
        change.hunks.iter().for_each(|hunk| diff.push_str(&hunk.diff));
    }
    diff.push_str(&output.records);
    let whole = diff.len();
    shorten(&mut diff);
    if !diff.is_empty() {
        page.gap();
        page.diff(&diff);
    }
    if diff.len() != whole {
        let show = Next::call("get_proposal").with("proposal", fields.proposal.as_str());
        page.note(&[Span::said(&message!("This diff is shortened; {show} shows all of it", show))]);
    }
    for told in output.changes.iter().filter_map(told_code).chain(told_affected(output)) {
        page.note(&[Span::said(&told)]);
    }
    for conflict in &fields.conflicts {
        page.warn(&[Span::said(conflict)]);
    }
}

/// Which code a page describes; `None` if it describes none.
fn told_code(change: &ChangeFields) -> Option<Message> {
    let mut sources: Vec<Message> = change.sources.iter().map(told_source).collect();
    if change.source_count > sources.len() {
        sources.push(Message::verbatim("…"));
    }
    let page = Span::Path(&change.filepath);
    let code = Message::joined(sources, ", ");
    (change.source_count > 0).then(|| message!("{page} describes {code}", page, code))
}

fn told_source(described: &DescribedSource) -> Message {
    let source = Span::File(&described.source);
    match (described.change, described.exists, described.reason) {
        (SourceNaming::Removed, ..) => message!("{source} (no longer named)", source),
        (_, false, _) => message!("{source} (missing)", source),
        (SourceNaming::Added, ..) => message!("{source} (newly named)", source),
        (SourceNaming::Kept, true, Some(_)) => message!("{source} (may not match the page)", source),
        (SourceNaming::Kept, true, None) => message!("{source}", source),
    }
}

/// Which pages the changes affect; `None` if they affect none.
fn told_affected(output: &Output) -> Option<Message> {
    let told = |affected: &AffectedPage| {
        let (path, score) = (Span::Path(&affected.page.filepath), format!("{:.2}", affected.score));
        message!("{path} {score}", path, score)
    };
    let mut pages: Vec<Message> = output.affected.iter().map(told).collect();
    if output.affected_count > pages.len() {
        pages.push(Message::verbatim("…"));
    }
    let (pages, count) = (
        Message::joined(pages, ", "),
        counted(output.affected_count, "page may be affected", "pages may be affected"),
    );
    (output.affected_count > 0).then(|| message!("{count}: {pages}", count, pages))
}

impl ReadFields {
    fn told(&self) -> Message {
        let path = Span::Path(&self.page.filepath);
        match self.is_current {
            true => message!("{path}", path),
            false => message!("{path} (changed since)", path),
        }
    }
}
