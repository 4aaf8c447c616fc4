//! Storing a plan as a proposal, and changing a proposal that was not decided yet.

use super::store::{MOST_OPEN, Stored, prune, read_all, write};
use super::{
    Call, PageRead, Proposal, ProposedChange, ProposedFile, ProposedRecord, Proposing, Verdict, decide, look,
};
use crate::message;
use crate::ops::page::{Found, look_up, path_of};
use crate::page::{LinkTypes, decode, parse};
use crate::path::proposal_file;
use crate::ports::ContentHash;
use crate::writing::{Change, Plan, Version, is_read_only};
use crate::{Context, Error, Result, path, text};

/// Maximum number of calls, pages read and replaced proposals that a proposal names.
const MOST_NAMED: usize = 50;

/// Maximum characters of a reason.
const LONGEST_REASON: usize = 2_000;

/// Maximum size of the recorded parameters in bytes. The changes have the texts.
const LONGEST_PARAMS: usize = 20_000;

/// Stores the plan. Returns the id of the proposal; `None` if the change takes back what was proposed before.
///
/// # Errors
/// [`Error::Conflict`] if a file is neither in the planned state nor the proposed one; [`Error::ReadOnly`];
/// [`Error::InvalidParams`] if too many proposals are open, a proposed page has the path of another one, or a file is not
/// text; the error of [`crate::ports::Source::check_writable`] for a page that could not be written; [`Error::Io`]. On error,
/// nothing is stored.
pub(crate) fn propose(context: &Context<'_>, proposing: &Proposing, plan: &Plan) -> Result<Option<String>> {
    let _held = context.source.lock()?;
    let mut everything = read_all(context)?;
    prune(context, &mut everything);
    let all = everything.of_caller(context);
    let open: Vec<&Stored> =
        all.proposals.iter().filter(|stored| stored.proposal.state().is_open()).collect();
    let mut amended: Option<&Stored> = None;
    let mut changes: Vec<ProposedChange> = Vec::new();
    for change in &plan.changes {
        if let Some(after) = change.after.as_ref().filter(|after| path::is_page(&after.path)) {
            context.source.check_writable(&after.path)?;
        }
        let proposed = ProposedChange::of(change)?;
        if is_as_planned(context, change)? {
            refuse_twice(&open, change)?;
            changes.push(proposed);
            continue;
        }
        // Only `update_page` goes on from a proposed text, and it changes one page.
        let is_alone = plan.changes.len() == 1;
        let earlier = open.iter().rev().find(|stored| is_alone && continues(&stored.proposal, &proposed));
        amended = Some(earlier.ok_or_else(|| moved(context, change))?);
        changes.push(proposed);
    }
    let call = Call { operation: plan.operation.to_owned(), params: shortened(&proposing.params) };
    let mut proposal = Proposal {
        id: context.new_short_id(),
        at: context.clock.now().to_string(),
        agent: context.agent.map(str::to_owned),
        calls: vec![call],
        reason: proposing.reason.as_deref().map(|reason| reason.chars().take(LONGEST_REASON).collect()),
        read: proposing.read.clone(),
        undoes: plan.undoes.clone(),
        takes_links: plan.takes_links(),
        changes,
        records: plan.records.iter().map(ProposedRecord::of).collect(),
        ..Proposal::default()
    };
    if let Some(stored) = amended {
        amend(&mut proposal, &stored.proposal);
    }
    proposal.changes.retain(|change| change.before != change.after);
    let read_only = proposal
        .changes
        .iter()
        .filter_map(|change| change.before.as_ref())
        .find(|before| context.source.read(&before.path).is_ok_and(|bytes| is_read_only(&bytes)));
    if let Some(before) = read_only {
        return Err(Error::ReadOnly { path: before.path.clone() });
    }
    if proposal.changes.is_empty() && proposal.records.is_empty() {
        if let Some(stored) = amended {
            decide(context, stored.clone(), Verdict::Withdrawn, None, None)?;
        }
        return Ok(None);
    }
    if amended.is_none() && open.len() >= MOST_OPEN {
        return Err(Error::invalid(message!(
            "{MOST_OPEN} proposals of this agent wait for review; ask the person to review them first",
            MOST_OPEN
        )));
    }
    write(context.source, &proposal, None)?;
    if let Some(stored) = amended {
        // If this fails, the new proposal still says that it replaces the old one.
        let _ = context.source.remove_proposal(&proposal_file(&stored.proposal.id), stored.hash);
    }
    Ok(Some(proposal.id))
}

/// Whether the files are in the planned state.
fn is_as_planned(context: &Context<'_>, change: &Change) -> Result<bool> {
    let expected = change.before.as_ref().map(|before| before.hash);
    let path = change.before.as_ref().or(change.after.as_ref()).map_or("", |version| &version.path);
    let there = Version::find(context.source, context.pages_dir(), path)?;
    Ok(there.map(|version| version.hash) == expected)
}

/// Whether the change begins with a text of the proposal.
fn continues(proposal: &Proposal, change: &ProposedChange) -> bool {
    let Some(before) = &change.before else { return false };
    proposal.changes.iter().any(|earlier| is_same(earlier.after.as_ref(), before))
}

fn is_same(file: Option<&ProposedFile>, other: &ProposedFile) -> bool {
    file.is_some_and(|file| file.path == other.path && file.hash == other.hash)
}

/// Refuses to propose a second page at the same path.
fn refuse_twice(open: &[&Stored], change: &Change) -> Result<()> {
    let (None, Some(after)) = (&change.before, &change.after) else { return Ok(()) };
    let key = text::fold_key(&after.path);
    let creates = |change: &ProposedChange| {
        change.before.is_none() && change.after.as_ref().is_some_and(|file| text::fold_key(&file.path) == key)
    };
    let twice = open.iter().find(|stored| stored.proposal.changes.iter().any(creates));
    twice.map_or(Ok(()), |stored| {
        let id = &stored.proposal.id;
        let told = message!("{path} was proposed already, in {id}: edit that page", path = after.path, id);
        Err(Error::invalid_with_hint(told, look(id)))
    })
}

fn moved(context: &Context<'_>, change: &Change) -> Error {
    let place = change.before.as_ref().or(change.after.as_ref());
    let path = place.map_or("", |version| &version.path);
    let found = Version::find(context.source, context.pages_dir(), path).ok().flatten();
    Error::conflict(path, change.before.as_ref().map(|before| before.hash), found.map(|version| version.hash))
}

/// Makes the proposal, whose one change goes on from a text of an earlier proposal, a new version of that.
fn amend(proposal: &mut Proposal, earlier: &Proposal) {
    let own = std::mem::replace(&mut proposal.changes, earlier.changes.clone());
    for change in own {
        let goes_on = |earlier: &&mut ProposedChange| {
            change.before.as_ref().is_some_and(|before| is_same(earlier.after.as_ref(), before))
        };
        if let Some(earlier) = proposal.changes.iter_mut().find(goes_on) {
            earlier.after = change.after;
        }
    }
    proposal.calls.splice(0..0, earlier.calls.iter().cloned());
    let extra = proposal.calls.len().saturating_sub(MOST_NAMED);
    proposal.calls.drain(1..1 + extra);
    proposal.records.splice(0..0, earlier.records.iter().cloned());
    proposal.undoes.clone_from(&earlier.undoes);
    proposal.takes_links |= earlier.takes_links;
    if proposal.reason.is_none() {
        proposal.reason.clone_from(&earlier.reason);
    }
    let mut read: Vec<PageRead> = earlier.read.clone();
    read.retain(|page| !proposal.read.contains(page));
    read.append(&mut proposal.read);
    let extra = read.len().saturating_sub(MOST_NAMED);
    proposal.read = read.split_off(extra);
    let mut replaced = earlier.replaces.clone();
    replaced.push(earlier.id.clone());
    let extra = replaced.len().saturating_sub(MOST_NAMED);
    proposal.replaces = replaced.split_off(extra);
}

/// The parameters, if they are short.
fn shortened(params: &serde_json::Value) -> serde_json::Value {
    let mut params = params.clone();
    if params.to_string().len() > LONGEST_PARAMS
        && let Some(fields) = params.as_object_mut()
    {
        fields.retain(|_, value| value.to_string().len() <= LONGEST_PARAMS / 10);
    }
    params
}

/// The text that the agent has proposed for the page called `name`, if an edit of it continues that: if `expected_hash`
/// is that of the proposed text, or without it, if the text was proposed in the same session or the page does not exist
/// yet.
///
/// # Errors
/// [`Error::InvalidParams`] for an invalid hash; [`Error::Database`], [`Error::Io`].
pub(crate) fn proposed_text(
    context: &Context<'_>,
    name: &str,
    expected_hash: Option<&str>,
) -> Result<Option<Version>> {
    let Some(proposing) = context.proposing else { return Ok(None) };
    let found = context.index.read(|db| match look_up(db, name)? {
        Found::Page(page) => path_of(db, page).map(|path| Some(Some(path))),
        Found::Nothing => Ok(Some(None)),
        Found::Several(_) => Ok(None),
    })?;
    let Some(place) = found else { return Ok(None) };
    let is_of_page = match (&place, expected_hash) {
        (Some(path), Some(given)) => match context.source.read(path) {
            Ok(bytes) => ContentHash::of(&bytes).is(given)?,
            Err(_) => false,
        },
        (Some(_), None) => proposing.session.is_empty(),
        (None, _) => false,
    };
    // Most edits go on from the page.
    if is_of_page {
        return Ok(None);
    }
    let all = read_all(context)?.of_caller(context);
    for stored in all.proposals.iter().rev().filter(|stored| stored.proposal.state().is_open()) {
        for change in &stored.proposal.changes {
            let Some(after) = &change.after else { continue };
            let is_named = place.as_ref().map_or_else(|| is_called(after, name), |path| after.path == *path);
            if !is_named || after.text.is_none() {
                continue;
            }
            let version = after.version()?;
            let continues = match expected_hash {
                Some(given) => version.hash.is(given)?,
                None => place.is_none() || proposing.session.contains(&stored.proposal.id),
            };
            if continues {
                return Ok(Some(version));
            }
        }
    }
    Ok(None)
}

/// Whether a proposed page has this path or title.
fn is_called(file: &ProposedFile, name: &str) -> bool {
    let (text, _) = decode(file.text.as_deref().unwrap_or_default().as_bytes());
    let page = parse(&text, &LinkTypes::default());
    let title = page.title.unwrap_or_else(|| path::page_name(&file.path).to_owned());
    let key = text::fold_key(name.trim());
    [file.path.as_str(), path::without_page_extension(&file.path), &title]
        .iter()
        .any(|own| text::fold_key(own) == key)
}
