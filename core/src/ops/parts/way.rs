//! The path from one page to another through links, as answers return it.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::Result;
use crate::graph::Reached;
use crate::graph::impact::SOURCE_REFS;
use crate::path;
use crate::show::Span;

/// The direction in which a step follows a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepDirection {
    /// From the linking page to the linked page.
    Outgoing,
    /// From the linked page to the linking page.
    Incoming,
}

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Step {
    /// The start of the step: the path of a page, or of the file where the path starts.
    pub from: String,
    /// The path of the page at its end.
    pub to: String,
    /// Type of the link; `source_refs` if the front matter names the file.
    pub link_type: String,
    /// Direction of the link, seen from `from`.
    pub direction: StepDirection,
}

impl Step {
    /// The start of the step.
    pub(crate) fn beginning(&self) -> Span<'_> {
        let is_file = self.link_type == SOURCE_REFS || !path::is_page(&self.from);
        if is_file { Span::File(&self.from) } else { Span::Path(&self.from) }
    }

    /// The end of the step and its link: `-> login.md (depends_on)`.
    pub(crate) fn spans(&self) -> [Span<'_>; 5] {
        let arrow = if self.direction == StepDirection::Outgoing { "-> " } else { "<- " };
        let kind = Span::Faint(&self.link_type);
        [Span::Text(arrow), Span::Path(&self.to), Span::Faint(" ("), kind, Span::Faint(")")]
    }
}

/// The pages that a traversal reached, by page number.
pub(crate) type Hops<'a> = HashMap<i64, Reached<'a>>;

/// The steps to `page`, in order.
pub(crate) fn steps(
    path_of: impl Fn(i64) -> Result<String>,
    hops: &Hops<'_>,
    page: i64,
) -> Result<Vec<Step>> {
    let mut steps = Vec::new();
    let mut at = page;
    while let Some(hop) = hops.get(&at) {
        steps.push(Step {
            from: path_of(hop.via)?,
            to: path_of(at)?,
            link_type: hop.link_type.to_owned(),
            direction: if hop.outgoing { StepDirection::Outgoing } else { StepDirection::Incoming },
        });
        at = hop.via;
    }
    steps.reverse();
    Ok(steps)
}
