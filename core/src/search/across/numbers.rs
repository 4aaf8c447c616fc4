//! Numbers of pages, sections and passages that are unique among several projects: the position of the project, then the
//! number in its index.

use crate::graph::LinkGraph;
use crate::index::{Close, Closest};
use crate::search::{Hit, Match, SectionScore};

/// Bits for the number within a project.
const BITS: u32 = 48;

/// The number among all projects of what has the number `own` in the project at a position.
pub(crate) fn number(member: usize, own: i64) -> i64 {
    i64::try_from(member).unwrap_or(i64::MAX >> BITS) << BITS | own
}

/// The position of the project that a number is from.
pub(crate) fn member_of(number: i64) -> usize {
    usize::try_from(number >> BITS).unwrap_or_default()
}

/// The number within that project.
pub(crate) fn within(number: i64) -> i64 {
    number & ((1 << BITS) - 1)
}

/// The graph of several projects, with the links between them.
pub(crate) fn joined(graphs: &[&LinkGraph], between: &[(i64, i64, String)]) -> LinkGraph {
    LinkGraph::joined(graphs, number, between)
}

pub(super) fn of_match(member: usize, one: Match) -> Match {
    Match {
        section: number(member, one.section),
        page: number(member, one.page),
        passage: number(member, one.passage),
        ..one
    }
}

pub(super) fn of_own(one: &Match) -> Match {
    Match { section: within(one.section), page: within(one.page), passage: within(one.passage), ..*one }
}

pub(super) fn of_closest(member: usize, closest: Closest) -> Closest {
    let renumbered =
        |one: &Close| Close { section: number(member, one.section), page: number(member, one.page), ..*one };
    Closest {
        sections: closest.sections.iter().map(renumbered).collect(),
        pages: closest.pages.renumbered(|page| number(member, page)),
        ..closest
    }
}

/// A hit with the numbers of its own project.
pub(super) fn own(hit: Hit) -> Hit {
    let of_project = |section: &SectionScore| SectionScore {
        section: within(section.section),
        passage: section.passage.map(within),
        ..*section
    };
    Hit { page: within(hit.page), sections: hit.sections.iter().map(of_project).collect(), ..hit }
}
