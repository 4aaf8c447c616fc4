//! Pages that depend on pages that are not fresh.

use std::collections::{BTreeSet, HashMap, VecDeque};

use super::{Assessment, Staleness};
use crate::graph::LinkGraph;

/// Link types that make the linking page suspect if the linked page is not fresh.
const TYPES: [&str; 2] = ["depends_on", "implements"];

/// A page that is suspect only because of another page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suspect {
    /// The page.
    pub page: i64,
    /// The path from it to the nearest page that is not fresh, including both.
    pub path: Vec<i64>,
}

/// The pages that depend on, or implement, a page that is not fresh, directly or indirectly, sorted. Pages that are not
/// fresh themselves are not included.
pub fn suspects(graph: &LinkGraph, assessments: &HashMap<i64, Assessment>) -> Vec<Suspect> {
    let doubtful: BTreeSet<i64> = assessments
        .iter()
        .filter(|(_, assessment)| assessment.staleness > Staleness::Fresh)
        .map(|(&page, _)| page)
        .collect();
    if doubtful.is_empty() {
        return Vec::new();
    }
    let mut dependants: HashMap<i64, Vec<i64>> = HashMap::new();
    for edge in graph.edges() {
        if TYPES.contains(&edge.link_type) {
            dependants.entry(edge.target).or_default().push(edge.source);
        }
    }
    let mut next: HashMap<i64, i64> = HashMap::new();
    let mut queue: VecDeque<i64> = doubtful.iter().copied().collect();
    while let Some(page) = queue.pop_front() {
        for &dependant in dependants.get(&page).into_iter().flatten() {
            if !doubtful.contains(&dependant) && !next.contains_key(&dependant) {
                next.insert(dependant, page);
                queue.push_back(dependant);
            }
        }
    }
    let mut suspects: Vec<Suspect> = next
        .keys()
        .map(|&page| {
            let mut path = vec![page];
            let mut at = page;
            while let Some(&to) = next.get(&at) {
                path.push(to);
                at = to;
            }
            Suspect { page, path }
        })
        .collect();
    suspects.sort_by_key(|suspect| suspect.page);
    suspects
}
