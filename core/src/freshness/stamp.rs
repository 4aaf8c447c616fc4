//! Who recorded a review, when, and against which commit.

use std::fmt;

use jiff::{Timestamp, Unit};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Caller, Context, Result};

/// The author of a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Stamp {
    /// When it was recorded, RFC 3339.
    #[schemars(with = "String")]
    pub at: Timestamp,
    /// The commit that was checked out, its first 12 hexadecimal digits; absent without version control.
    pub commit: Option<String>,
    /// Whether a person or an agent recorded it.
    pub caller: Caller,
    /// The name of the person in version control, or the agent's name for itself.
    pub name: Option<String>,
}

/// Digits of a commit that are recorded.
const DIGITS: usize = 12;

/// Stands for a commit that is not known.
const NONE: &str = "-";

impl Stamp {
    /// Of a review that is recorded now.
    ///
    /// # Errors
    /// [`crate::Error::Io`] when version control fails.
    pub(crate) fn now(context: &Context<'_>) -> Result<Self> {
        let now = context.clock.now();
        let name = match context.caller {
            Caller::Person => context.history.author(),
            Caller::Agent => context.agent.map(str::to_owned),
        };
        Ok(Self {
            at: now.round(Unit::Second).unwrap_or(now),
            commit: context.history.head()?.map(|id| id.chars().take(DIGITS).collect()),
            caller: context.caller,
            // A line of the lock holds no other white space, and ends without any.
            name: name
                .map(|name| name.split_whitespace().collect::<Vec<_>>().join(" "))
                .filter(|name| !name.is_empty()),
        })
    }

    /// Parses the output of [`fmt::Display`].
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(4, ' ');
        let at = parts.next()?.parse().ok()?;
        let commit = parts.next()?;
        let is_hash = !commit.is_empty() && commit.bytes().all(|digit| digit.is_ascii_hexdigit());
        let caller = match parts.next()? {
            "person" => Caller::Person,
            "agent" => Caller::Agent,
            _ => return None,
        };
        (commit == NONE || is_hash).then(|| Self {
            at,
            commit: is_hash.then(|| commit.to_owned()),
            caller,
            name: parts.next().map(str::to_owned),
        })
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let caller = match self.caller {
            Caller::Person => "person",
            Caller::Agent => "agent",
        };
        write!(f, "{} {} {caller}", self.at, self.commit.as_deref().unwrap_or(NONE))?;
        self.name.iter().try_for_each(|name| write!(f, " {name}"))
    }
}
