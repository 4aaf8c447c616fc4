//! Which pages a change affects: those that link to the changed page, those that link to them, and so on. A conflict
//! affects both pages.

use std::collections::{BTreeMap, HashMap};

use super::{LinkGraph, Reached};

/// The link type for files in a page's `source_refs`.
pub const SOURCE_REFS: &str = "source_refs";

/// The link type that passes a change on in both directions.
const MUTUAL: &str = "conflicts_with";

/// A page affected by a change.
#[derive(Debug, Clone, PartialEq)]
pub struct Affected<'a> {
    /// The page, and the last step of a shortest path to it.
    pub reached: Reached<'a>,
    /// Strength of the weakest link on the strongest of the shortest paths, above 0 and at most 1.
    pub strength: f64,
}

/// How strongly a link of this type passes a change on, above 0 and at most 1.
///
/// No type is weaker than half of the strongest. Since every further hop halves the score, the strongest of the
/// shortest paths is then the strongest of all paths.
pub fn strength(link_type: &str) -> f64 {
    match link_type {
        "depends_on" | SOURCE_REFS => 1.0,
        "implements" => 0.9,
        "extends" => 0.8,
        MUTUAL => 0.7,
        _ => 0.5,
    }
}

/// How likely a page is affected, 0 to 1: the weakest link on the path, halved by every hop after the first.
pub fn score(strength: f64, distance: usize) -> f64 {
    let hops = i32::try_from(distance.saturating_sub(1)).unwrap_or(i32::MAX);
    strength * 0.5_f64.powi(hops)
}

impl LinkGraph {
    /// The pages affected by a change of `starts`, within `depth` hops along links of `types` (all if empty), nearest
    /// first, then by number. Each start has the strength of the change there; the starts are not in the result.
    pub fn impact(&self, starts: &[(i64, f64)], depth: usize, types: &[String]) -> Vec<Affected<'_>> {
        let mut strengths: HashMap<i64, f64> = starts.iter().copied().collect();
        let mut layer: Vec<i64> = strengths.keys().copied().collect();
        let mut affected = Vec::new();
        for distance in 1..=depth {
            let mut next: BTreeMap<i64, Affected<'_>> = BTreeMap::new();
            for &via in &layer {
                let so_far = strengths.get(&via).copied().unwrap_or_default();
                for (page, link_type, outgoing) in self.passes(via, types) {
                    if strengths.contains_key(&page) {
                        continue;
                    }
                    let reached = Reached { page, depth: distance, via, link_type, outgoing };
                    let found = Affected { reached, strength: so_far.min(strength(link_type)) };
                    let known = next.entry(page).or_insert_with(|| found.clone());
                    if self.precedes(&found, known) {
                        *known = found;
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            strengths.extend(next.iter().map(|(&page, affected)| (page, affected.strength)));
            layer = next.keys().copied().collect();
            affected.extend(next.into_values());
        }
        affected
    }

    /// The pages one hop from `page` that its change affects, each with the link that passes it on.
    fn passes(&self, page: i64, types: &[String]) -> Vec<(i64, &str, bool)> {
        let Some(node) = self.node(page) else { return Vec::new() };
        let page_of = |node: u32| self.pages[node as usize];
        let back = self.incoming.of_node(node).iter().map(|link| (page_of(link.node), link.kind, false));
        let out = self
            .outgoing
            .of_node(node)
            .iter()
            .map(|link| (page_of(link.node), link.kind, true))
            .filter(|(_, number, _)| self.type_name(*number) == MUTUAL);
        back.chain(out)
            .filter(|(_, number, _)| self.admits(types, *number))
            .map(|(page, number, outgoing)| (page, self.type_name(number), outgoing))
            .collect()
    }

    /// Whether the first path is stronger, or as strong and earlier in order.
    fn precedes(&self, way: &Affected<'_>, other: &Affected<'_>) -> bool {
        let order = |of: &Affected<'_>| (self.place(of.reached.via), of.reached.outgoing);
        other
            .strength
            .total_cmp(&way.strength)
            .then_with(|| strength(other.reached.link_type).total_cmp(&strength(way.reached.link_type)))
            .then_with(|| order(way).cmp(&order(other)))
            .then_with(|| way.reached.link_type.cmp(other.reached.link_type))
            .is_lt()
    }
}

#[cfg(test)]
mod tests;
