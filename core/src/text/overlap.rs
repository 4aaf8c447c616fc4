//! What a query and a name have in common.

use std::collections::BTreeSet;

use super::matcher::Matcher;
use super::query::Query;

/// Compares names with a query.
pub(crate) struct Overlap {
    matcher: Matcher,
    terms: usize,
    /// The number of the term that is unfinished. The matcher numbers its longer forms after all terms.
    unfinished: Option<usize>,
}

impl Overlap {
    /// Prepares to compare names with `query`.
    pub fn new(query: &Query) -> Self {
        let unfinished = query.active_terms().position(|term| query.prefix() == Some(term.text()));
        Self { matcher: Matcher::new(query), terms: query.active_terms().count(), unfinished }
    }

    /// The numbers of the query's active terms that are in `name`, and the share of the letters and digits of `name`
    /// that belong to them, 0 to 1.
    pub fn with(&mut self, name: &str) -> (BTreeSet<usize>, f64) {
        let found = self.matcher.find(name);
        let mut terms = BTreeSet::new();
        let (mut covered, mut end) = (0, 0);
        let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
        for one in found {
            let longer = self.unfinished.filter(|_| one.kind == self.terms);
            let Some(term) = longer.or(Some(one.kind).filter(|kind| *kind < self.terms)) else { continue };
            terms.insert(term);
            let from = one.source.start.max(end);
            covered += name.get(from..one.source.end).map_or(0, letters);
            end = end.max(one.source.end);
        }
        (terms, covered as f64 / letters(name).max(1) as f64)
    }
}
