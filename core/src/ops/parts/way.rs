//! The way from one page to another, as answers tell it.

use std::collections::HashMap;

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Result;
use crate::graph::Reached;
use crate::graph::impact::SOURCE_REFS;
use crate::ops::page;
use crate::path;
use crate::show::Span;

/// Which way a step takes a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepDirection {
    /// From the page that links to what it links to.
    Outgoing,
    /// From what is linked to, back to the page that links.
    Incoming,
}

/// One step of a way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Step {
    /// Where it begins: the path of a page, or of the file that the way starts from.
    pub from: String,
    /// The path of the page it leads to.
    pub to: String,
    /// Type of the link that is followed; `source_refs` where the front matter names the file.
    pub link_type: String,
    /// Which way the link is followed, seen from `from`.
    pub direction: StepDirection,
}

impl Step {
    /// Where it begins.
    pub(crate) fn beginning(&self) -> Span<'_> {
        let is_file = self.link_type == SOURCE_REFS || !path::is_page(&self.from);
        if is_file { Span::File(&self.from) } else { Span::Path(&self.from) }
    }

    /// Where it leads, and by which link: `-> login.md (depends_on)`.
    pub(crate) fn spans(&self) -> [Span<'_>; 5] {
        let arrow = if self.direction == StepDirection::Outgoing { "-> " } else { "<- " };
        let kind = Span::Faint(&self.link_type);
        [Span::Text(arrow), Span::Path(&self.to), Span::Faint(" ("), kind, Span::Faint(")")]
    }
}

/// What a walk found, by page.
pub(crate) type Hops<'a> = HashMap<i64, Reached<'a>>;

/// The steps to `page`, first one first.
pub(crate) fn steps(db: &Connection, hops: &Hops<'_>, page: i64) -> Result<Vec<Step>> {
    let mut steps = Vec::new();
    let mut at = page;
    while let Some(hop) = hops.get(&at) {
        steps.push(Step {
            from: page::path_of(db, hop.via)?,
            to: page::path_of(db, at)?,
            link_type: hop.link_type.to_owned(),
            direction: if hop.outgoing { StepDirection::Outgoing } else { StepDirection::Incoming },
        });
        at = hop.via;
    }
    steps.reverse();
    Ok(steps)
}
