//! Accepting a proposal: its plan, based on the current files, is carried out.

use super::edited::{EditedText, edited};
use super::merge::{blocks, merge};
use super::store::{Stored, write};
use super::{Decision, Proposal, ProposedChange, ProposedFile, Verdict, require_open};
use crate::graph::resolve::Destination;
use crate::index::questions::{names as page_names, pages};
use crate::message;
use crate::message::Message;
use crate::ops::page::to_the_second;
use crate::page::{decode, parse};
use crate::path::COMMITTED_RECORDS;
use crate::ports::ContentHash;
use crate::writing::audit::AuditLog;
use crate::writing::links::{World, keys};
use crate::writing::{Change, Plan, Standing, Version, Written, carry_out, names};
use crate::{Context, Error, Result, path};

/// What becomes of a proposal if it is accepted now.
pub(crate) struct Rebased {
    plan: Plan,
    /// Whether a page was edited since, at other lines.
    pub is_moved: bool,
    /// Later changes at the same lines: the numbers of hunks, if the change is an edit, and what clashes.
    pub clashes: Vec<Clash>,
}

/// A part of a proposal that touches later changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Clash {
    /// Number of the hunk; `None` for a whole file.
    pub hunk: Option<usize>,
    pub path: String,
    pub message: Message,
}

/// An accepted proposal.
pub(crate) struct Accepted {
    pub proposal: Proposal,
    pub written: Written,
    pub is_moved: bool,
}

/// What keeps an open proposal from being accepted as a whole.
///
/// # Errors
/// [`Error::Io`], [`Error::Database`].
pub(crate) fn clashes(context: &Context<'_>, proposal: &Proposal) -> Result<Vec<Clash>> {
    match proposal.state().is_open() {
        true => Ok(rebased(context, proposal, &[])?.clashes),
        false => Ok(Vec::new()),
    }
}

/// The plan of the proposal with the current files, of these hunks or of all.
///
/// # Errors
/// [`Error::InvalidParams`] for an unknown hunk, or if the proposal cannot be divided; [`Error::Io`],
/// [`Error::Database`].
pub(crate) fn rebased(context: &Context<'_>, proposal: &Proposal, hunks: &[usize]) -> Result<Rebased> {
    if !hunks.is_empty() && !proposal.is_divisible() {
        return Err(Error::invalid(message!(
            "the proposal {id} can only be accepted as a whole: its parts depend on each other",
            id = proposal.id
        )));
    }
    // The plan is named after the operation in the audit log, which has static names.
    let operation = crate::ops::find(proposal.operation()).map_or("accept_proposal", |row| row.name);
    let mut plan = Plan::new(operation, Vec::new()).taking_links(true);
    plan.undoes.clone_from(&proposal.undoes);
    let mut rebasing = Rebasing { context, hunks, number: 0, is_moved: false, clashes: Vec::new() };
    for change in &proposal.changes {
        plan.changes.extend(rebasing.rebase(change)?);
    }
    let (number, is_moved, mut clashes) = (rebasing.number, rebasing.is_moved, rebasing.clashes);
    if let Some(unknown) = hunks.iter().find(|hunk| !(1..=number).contains(*hunk)) {
        return Err(Error::invalid(message!(
            "the proposal {id} has no hunk {unknown}; it has {number}",
            id = proposal.id,
            unknown,
            number
        )));
    }
    for record in &proposal.records {
        if !COMMITTED_RECORDS.contains(&record.file.as_str()) {
            return Err(Error::invalid(message!(
                "{file}: the stored proposal was changed by hand",
                file = record.file
            )));
        }
        let record = record.planned();
        match record.standing(context.source)? {
            Standing::Before => plan.records.push(record),
            Standing::After => {}
            Standing::Other => clashes.push(Clash {
                hunk: None,
                path: record.path(),
                message: message!("its lines were changed since"),
            }),
        }
    }
    if let Some(undone) = &proposal.undoes {
        let log = AuditLog::read(context.source)?;
        if log.group(undone).first().is_some_and(|entry| log.undone_by(entry).is_some()) {
            let message = message!("{undone} was undone since", undone);
            clashes.push(Clash { hunk: None, path: String::new(), message });
        }
    } else if clashes.is_empty() {
        clashes.extend(lost_links(context, &plan)?);
        if !proposal.takes_links
            && let Some(message) = names::redirected(context, &plan.changes)?
        {
            clashes.push(Clash { hunk: None, path: String::new(), message });
        }
    }
    Ok(Rebased { plan, is_moved, clashes })
}

struct Rebasing<'a> {
    context: &'a Context<'a>,
    /// Numbers of the chosen hunks; empty for all.
    hunks: &'a [usize],
    /// Number of hunks so far.
    number: usize,
    is_moved: bool,
    clashes: Vec<Clash>,
}

impl Rebasing<'_> {
    /// The change with the current file; `None` if nothing remains to be done.
    fn rebase(&mut self, proposed: &ProposedChange) -> Result<Option<Change>> {
        let planned = proposed.planned()?;
        let first = self.number;
        self.number += hunk_count(proposed);
        let is_chosen = |at: usize| self.hunks.is_empty() || self.hunks.contains(&(first + at + 1));
        let own = first + 1..=self.number;
        if !self.hunks.is_empty() && !self.hunks.iter().any(|hunk| own.contains(hunk)) {
            return Ok(None);
        }
        let current =
            |file: &ProposedFile| Version::find(self.context.source, self.context.pages_dir(), &file.path);
        match (&proposed.before, &proposed.after) {
            (None, Some(after)) => match current(after)? {
                None => Ok(Some(planned)),
                there if after.is(there.as_ref()) => Ok(None),
                Some(_) => self.clash(&after.path, message!("a page has this path now")),
            },
            (Some(before), None) => match current(before)? {
                None => Ok(None),
                there if before.is(there.as_ref()) => Ok(Some(Change { before: there, ..planned })),
                Some(_) => self.clash(&before.path, message!("it was edited since, and would be deleted")),
            },
            (Some(before), Some(after)) => {
                let is_moving = before.path != after.path;
                let target = if is_moving { current(after)? } else { None };
                let Some(there) = current(before)? else {
                    if is_moving && after.is(target.as_ref()) {
                        return Ok(None);
                    }
                    return self.clash(&before.path, message!("the page was moved or deleted since"));
                };
                if target.is_some()
                    && !crate::text::fold_key(&before.path).eq(&crate::text::fold_key(&after.path))
                {
                    return self.clash(&after.path, message!("a page has this path now"));
                }
                let is_unmoved = before.is(Some(&there));
                self.is_moved |= !is_unmoved && !after.is(Some(&there));
                if is_unmoved && self.hunks.is_empty() {
                    return Ok(Some(Change { before: Some(there), ..planned }));
                }
                let bytes = if before.hash == after.hash {
                    there.bytes.clone()
                } else {
                    let texts = there.text().zip(before.text.as_deref()).zip(after.text.as_deref());
                    let Some(((now, base), new)) = texts else {
                        return self.clash(&before.path, message!("it was changed since, and is not text"));
                    };
                    let merged = merge(&before.path, base, now, new, &is_chosen);
                    if !merged.clashes.is_empty() {
                        let own = blocks(&before.path, base, new);
                        for at in merged.clashes {
                            let line = own.get(at).map_or(1, |block| block.line);
                            let message = message!("the lines at line {line} were changed since", line);
                            let (hunk, path) = (Some(first + at + 1), before.path.clone());
                            self.clashes.push(Clash { hunk, path, message });
                        }
                        return Ok(None);
                    }
                    Some(merged.text.into_bytes())
                };
                let hash = bytes.as_deref().map_or(there.hash, ContentHash::of);
                let after = Version { path: after.path.clone(), hash, bytes };
                Ok(Some(Change { before: Some(there), after: Some(after), ..planned }))
            }
            (None, None) => Ok(None),
        }
    }

    fn clash(&mut self, path: &str, message: Message) -> Result<Option<Change>> {
        self.clashes.push(Clash { hunk: None, path: path.into(), message });
        Ok(None)
    }
}

/// Number of hunks of a change; one if it cannot be divided.
pub(super) fn hunk_count(change: &ProposedChange) -> usize {
    match (&change.before, &change.after, change.texts()) {
        (Some(before), Some(_), Some((old, new))) => blocks(&before.path, old, new).len(),
        _ => 1,
    }
}

/// Links written since the proposal that would no longer lead to a page that moves.
fn lost_links(context: &Context<'_>, plan: &Plan) -> Result<Vec<Clash>> {
    let moves = plan.changes.iter().filter_map(|change| {
        let (before, after) = (change.before.as_ref()?, change.after.as_ref()?);
        (before.path != after.path).then_some((before, after))
    });
    let moves: Vec<(&Version, &Version)> = moves.collect();
    if moves.is_empty() {
        return Ok(Vec::new());
    }
    // What the plan writes to a page that it edits: the page may have been edited since as well.
    let read = |path: &str| -> Result<Option<Vec<u8>>> {
        let is_of = |change: &&Change| change.before.as_ref().is_some_and(|before| before.path == path);
        match plan.changes.iter().find(is_of) {
            Some(change) => Ok(change.after.as_ref().and_then(|after| after.bytes.clone())),
            None => context.source.read(path).map(Some),
        }
    };
    let types = context.link_types();
    context.index.read(|db| {
        let mut before = World::load(db, context.source, context.pages_dir())?;
        let mut after = World::load(db, context.source, context.pages_dir())?;
        let mut gone = Vec::new();
        for (old, new) in &moves {
            let Some(number) = pages::at(db, &old.path)? else { continue };
            let (text, _) = decode(new.bytes.as_deref().unwrap_or_default());
            let page = parse(&text, &types);
            let title = page.title.unwrap_or_else(|| path::page_name(&new.path).to_owned());
            let was = pages::row(db, number)?.title;
            let mut named = keys(&old.path, &was, &page_names::aliases(db, number)?);
            named.extend(keys(&new.path, &title, &page.aliases));
            after.rename(number, &new.path, &title, &page.aliases);
            gone.push((number, named));
        }
        let mut found = Vec::new();
        for (number, named) in gone {
            let leads = |to: &Destination| matches!(to, Destination::Page { page, .. } if *page == number);
            for link in names::diverted(context, db, (&mut before, &mut after), &named, &read)? {
                if leads(&link.before) && !leads(&link.after) {
                    let message = message!(
                        "the link to '{target}' on line {line} was written since",
                        target = link.target,
                        line = link.line
                    );
                    found.push(Clash { hunk: None, path: link.filepath, message });
                }
            }
        }
        Ok(found)
    })
}

/// What a reviewer accepts.
#[derive(Default)]
pub(crate) struct Acceptance<'a> {
    /// Numbers of hunks; empty for all.
    pub hunks: &'a [usize],
    /// Texts in place of the proposed ones.
    pub texts: &'a [EditedText],
    pub reviewer: Option<String>,
    pub comment: Option<String>,
    pub dry_run: bool,
}

/// Accepts the proposal: makes its change, or a part of it, or the change that the reviewer made of it. The caller holds
/// the write lock, except for a dry run.
///
/// # Errors
/// [`Error::InvalidParams`] if it was decided already, or for an unknown hunk or page; [`Error::ProposalConflict`] if
/// later changes touch it; those of [`carry_out`]. On error, no page is changed.
pub(crate) fn accept(context: &Context<'_>, stored: Stored, acceptance: Acceptance<'_>) -> Result<Accepted> {
    let Stored { mut proposal, hash } = stored;
    let Acceptance { hunks, texts, reviewer, comment, dry_run } = acceptance;
    require_open(&proposal)?;
    let (wanted, edited) = edited(&proposal, texts)?;
    let Rebased { mut plan, is_moved, clashes } = rebased(context, &wanted, hunks)?;
    if !clashes.is_empty() {
        return Err(conflict(&proposal, &clashes));
    }
    if dry_run {
        let written = carry_out(context, plan, true)?;
        return Ok(Accepted { proposal, written, is_moved });
    }
    let mut hunks = hunks.to_vec();
    hunks.sort_unstable();
    hunks.dedup();
    let all: usize = proposal.changes.iter().map(hunk_count).sum();
    if hunks.len() == all {
        hunks.clear();
    }
    let group = context.new_short_id();
    plan.group = Some(group.clone());
    plan.proposal = Some((proposal.id.clone(), proposal.agent.clone()));
    proposal.decision = Some(Decision {
        verdict: Verdict::Accepted,
        at: to_the_second(context.clock.now()),
        reviewer,
        comment,
        hunks,
        edited,
        audit_id: Some(group),
        settled: false,
    });
    // Recorded first: if the process ends now, the audit log says whether the change was made.
    let hash = write(context.source, &proposal, Some(hash))?;
    let written = match carry_out(context, plan, false) {
        Ok(written) => written,
        Err(error) => {
            proposal.decision = None;
            // Without this, the next reader finds in the audit log that nothing was made.
            let _ = write(context.source, &proposal, Some(hash));
            return Err(error);
        }
    };
    if let Some(decision) = &mut proposal.decision {
        decision.settled = true;
        decision.audit_id.clone_from(&written.audit_id);
    }
    // The audit log says that the change was made, but not if there was nothing left to change.
    if let Err(error) = write(context.source, &proposal, Some(hash))
        && written.audit_id.is_none()
    {
        return Err(error);
    }
    Ok(Accepted { proposal, written, is_moved })
}

fn conflict(proposal: &Proposal, clashes: &[Clash]) -> Error {
    let clashes = Message::joined(clashes.iter().map(Clash::told).collect(), "; ");
    Error::ProposalConflict { proposal: proposal.id.clone(), clashes }
}

impl Clash {
    /// What clashes, in one sentence.
    pub(crate) fn told(&self) -> Message {
        let (path, problem) = (&self.path, &self.message);
        match self.hunk {
            Some(hunk) => message!("hunk {hunk}: {path}: {problem}", hunk, path, problem),
            None if path.is_empty() => problem.clone(),
            None => message!("{path}: {problem}", path, problem),
        }
    }
}
