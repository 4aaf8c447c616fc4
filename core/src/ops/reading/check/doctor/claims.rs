//! What pages say about the code and is not true any more.

use super::checks::finding;
use super::{BrokenClaim, Claims, Finding, Severity};
use crate::claims::{self, Counts, Missing};
use crate::message;
use crate::ports::Walked;
use crate::{Context, Result};

/// Digits of a hash that people read.
const SHORT: usize = 8;

pub(super) fn broken(context: &Context<'_>) -> Result<(Vec<Finding>, Claims)> {
    let survey = claims::survey(context)?;
    let Counts { resolves, missing, ambiguous, uncheckable } = survey.counts;
    let Walked { commits, is_complete: whole_history } = survey.walked;
    let (pages, exempt_pages) = (survey.pages, survey.exempt_pages);
    let counts =
        Claims { resolves, missing, ambiguous, uncheckable, pages, exempt_pages, commits, whole_history };
    Ok((survey.missing.into_iter().map(told).collect(), counts))
}

impl BrokenClaim {
    pub(crate) fn of(Missing { text, revision, now, .. }: Missing) -> Self {
        Self {
            text,
            commit: revision.as_ref().map(|revision| revision.commit.id.clone()),
            committed_at: revision.as_ref().map(|revision| revision.commit.time.to_string()),
            subject: revision.map(|revision| revision.subject),
            now,
        }
    }
}

fn told(missing: Missing) -> Finding {
    let Missing { page, line, kind, text, revision, now } = &missing;
    let told = match revision {
        None => message!("'{text}' was removed by changes that are not committed", text),
        Some(revision) => message!(
            "'{text}' was removed in {commit} ({subject})",
            text,
            commit = revision.commit.id.get(..SHORT).unwrap_or(&revision.commit.id),
            subject = revision.subject
        ),
    };
    let told = match now {
        None => told,
        Some(now) => message!("{told}; it is now {new}", told, new = now),
    };
    let mut found = finding(Severity::Warning, kind.code(), told).at(page.clone(), *line).hint(message!(
        "correct the page; if it is about the past, say so in the sentence or set its status"
    ));
    found.claim = Some(BrokenClaim::of(missing));
    found
}
