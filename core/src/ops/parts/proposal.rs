//! Proposals in answers.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::message;
use crate::message::Message;
use crate::ops::page::{Found, PageName, look_up, path_of, readings};
use crate::page::{LinkTypes, Page as ParsedPage, decode, parse};
use crate::proposals::{Clash, Decision, Proposal, ProposedChange, State};
use crate::show::{Page, Span};
use crate::{Context, Result};

/// A proposal without its texts.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ProposalFields {
    /// Its id.
    pub proposal: String,
    /// Its state.
    pub state: State,
    /// When it was made, RFC 3339.
    pub created_at: String,
    /// The agent that made it, as it named itself.
    pub agent: Option<String>,
    /// The operation that made it; a change of the proposal may have added others.
    pub operation: String,
    /// Why, as the agent says.
    pub reason: Option<String>,
    /// The pages that it changes.
    pub pages: Vec<ProposedPage>,
    /// Later changes that keep it from being accepted as a whole.
    pub conflicts: Vec<Message>,
    /// Whether it removes no line and no page, as `only_additions` demands.
    pub only_adds: bool,
    /// What became of it; absent while it is open.
    pub decision: Option<Decision>,
    /// Decisions that were taken back, the first one first.
    pub earlier: Vec<Decision>,
}

/// What a proposal does to a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProposedPage {
    /// Path relative to the pages folder, after the change; `.ubp/` and a name for a file of reviews or decisions.
    pub filepath: String,
    /// Former path of a page that moves.
    pub moved_from: Option<String>,
    /// What happens to it.
    pub change: Kind,
}

/// What happens to a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// It is created.
    Created,
    /// Its text changes.
    Edited,
    /// It moves.
    Moved,
    /// It moves to the trash.
    Deleted,
    /// Reviews or decisions are recorded.
    Recorded,
}

impl Kind {
    pub(crate) fn of(change: &ProposedChange) -> Self {
        match (&change.before, &change.after) {
            (None, _) => Self::Created,
            (_, None) => Self::Deleted,
            _ if change.moved_from().is_some() => Self::Moved,
            _ => Self::Edited,
        }
    }
}

impl ProposedPage {
    pub(crate) fn told(&self) -> Message {
        let page = Span::Path(&self.filepath);
        match (self.change, self.moved_from.as_deref().map(Span::Path)) {
            (_, Some(from)) => message!("move {from} -> {page}", from, page),
            (Kind::Created, None) => message!("create {page}", page),
            (Kind::Edited | Kind::Moved, None) => message!("edit {page}", page),
            (Kind::Deleted, None) => message!("delete {page}", page),
            (Kind::Recorded, None) => message!("record in {page}", page),
        }
    }
}

impl State {
    fn told(self) -> Message {
        match self {
            Self::Pending => message!("waits for review"),
            Self::Conflict => message!("conflicts with later changes"),
            Self::Accepted => message!("accepted"),
            Self::PartlyAccepted => message!("partly accepted"),
            Self::Rejected => message!("rejected"),
            Self::Withdrawn => message!("withdrawn"),
        }
    }
}

impl ProposalFields {
    /// The proposal, with what keeps it from being accepted.
    pub(crate) fn of(proposal: &Proposal, clashes: &[Clash]) -> Self {
        let conflicts: Vec<Message> = clashes.iter().map(Clash::told).collect();
        let pages = proposal.changes.iter().map(|change| ProposedPage {
            filepath: change.path().to_owned(),
            moved_from: change.moved_from().map(str::to_owned),
            change: Kind::of(change),
        });
        let records = proposal.records.iter().map(|record| ProposedPage {
            filepath: record.planned().path(),
            moved_from: None,
            change: Kind::Recorded,
        });
        Self {
            proposal: proposal.id.clone(),
            state: if conflicts.is_empty() { proposal.state() } else { State::Conflict },
            created_at: crate::show::to_the_second(&proposal.at),
            agent: proposal.agent.clone(),
            operation: proposal.operation().to_owned(),
            reason: proposal.reason.clone(),
            pages: pages.chain(records).collect(),
            conflicts,
            only_adds: proposal.removes().is_none(),
            decision: proposal.decision.clone(),
            earlier: proposal.earlier.clone(),
        }
    }

    /// Shows it on a line, with details below.
    pub(crate) fn show(&self, page: &mut dyn Page) {
        let time = self.created_at.get(..16).unwrap_or(&self.created_at).replace('T', " ");
        let (gap, time) = (Span::Text("  "), Span::Text(&time));
        let nameless = message!("agent");
        let agent = self.agent.as_deref().map_or(Span::said(&nameless), Span::Text);
        let state = self.state.told();
        let state = if self.state == State::Conflict { Span::alarm(&state) } else { Span::strong(&state) };
        page.line(&[Span::Code(&self.proposal), gap, time, gap, agent, gap, state]);
        for proposed in &self.pages {
            page.item(&[Span::said(&proposed.told())]);
        }
        if let Some(reason) = &self.reason {
            page.detail(&[Span::said(&message!("reason: {reason}", reason = Span::Words(reason)))]);
        }
        for conflict in &self.conflicts {
            page.warn(&[Span::said(conflict)]);
        }
        for earlier in &self.earlier {
            let before = message!("reopened; before: {decision}", decision = told(earlier.state(), earlier));
            show_decision(&before, earlier, page);
        }
        if let Some(decision) = &self.decision {
            show_decision(&told(self.state, decision), decision, page);
        }
    }
}

fn show_decision(told: &Message, decision: &Decision, page: &mut dyn Page) {
    page.detail(&[Span::said(told)]);
    if let Some(comment) = &decision.comment {
        page.detail(&[Span::said(&message!("comment: {comment}", comment = Span::Words(comment)))]);
    }
}

/// What became of a proposal.
fn told(state: State, decision: &Decision) -> Message {
    let (state, at) = (state.told(), &decision.at);
    let numbers: Vec<String> = decision.hunks.iter().map(ToString::to_string).collect();
    let state = match numbers.len() {
        0 => state,
        1 => message!("{state}, hunk {number}", state, number = numbers.concat()),
        _ => message!("{state}, hunks {numbers}", state, numbers = numbers.join(", ")),
    };
    let state = match decision.edited.is_empty() {
        true => state,
        false => message!("{state}, after editing {pages}", state, pages = decision.edited.join(", ")),
    };
    match &decision.reviewer {
        Some(reviewer) => message!("{state} by {reviewer} at {at}", state, reviewer, at),
        None => message!("{state} at {at}", state, at),
    }
}

/// The paths that `name` can mean: of a page, or of a page that does not exist yet or no longer.
///
/// # Errors
/// [`crate::Error::AmbiguousPage`], [`crate::Error::Database`].
pub(crate) fn paths_of(context: &Context<'_>, name: &str) -> Result<Vec<String>> {
    let found = context.index.read(|db| match look_up(db, name)? {
        Found::Page(page) => path_of(db, page).map(Some),
        Found::Several(_) => PageName { page: Some(name), ..PageName::default() }
            .require(db)
            .and_then(|page| path_of(db, page))
            .map(Some),
        Found::Nothing => Ok(None),
    })?;
    Ok(found.map_or_else(|| readings(context.pages_dir(), name.trim()), |path| vec![path]))
}

/// Differences between two texts that a reviewer should see named.
pub(crate) struct Named {
    pub links_added: Vec<String>,
    pub links_removed: Vec<String>,
    pub front_matter: Vec<String>,
}

/// The link targets and front-matter keys that differ.
pub(crate) fn named(before: &str, after: &str, types: &LinkTypes) -> Named {
    let [old, new] = [before, after].map(|text| parse(&decode(text.as_bytes()).0, types));
    let targets = |page: &ParsedPage| -> BTreeSet<String> {
        page.links.iter().map(|link| link.target.clone()).collect()
    };
    let (was, is) = (targets(&old), targets(&new));
    let keys = |page: &ParsedPage| -> BTreeSet<String> {
        page.front_matter.fields.iter().map(|(key, _)| key.clone()).collect()
    };
    let all: BTreeSet<String> = keys(&old).union(&keys(&new)).cloned().collect();
    let differs = |key: &String| old.front_matter.get(key) != new.front_matter.get(key);
    Named {
        links_added: is.difference(&was).cloned().collect(),
        links_removed: was.difference(&is).cloned().collect(),
        front_matter: all.into_iter().filter(differs).collect(),
    }
}
