//! Numeric features of a possible link from one page to another.

use std::collections::HashMap;

use super::load::Pages;
use crate::message::{Message, counted};
use crate::{message, path};

/// Number of features.
pub const FEATURES: usize = 15;

/// Their names, in order.
pub const NAMES: [&str; FEATURES] = [
    "link_probability",
    "commonness",
    "probability_and_commonness",
    "named",
    "mentioned",
    "mentions",
    "early",
    "rare_words",
    "words",
    "best_sections",
    "whole_pages",
    "neighbours",
    "in_degree",
    "folder",
    "backlink",
];

/// Index of the cosine of the two most similar sections.
pub(super) const BEST_SECTIONS: usize = 9;
/// Index of the cosine of the means of both pages.
pub(super) const WHOLE_PAGES: usize = 10;

/// The evidence for a link.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    /// The features, in the order of [`NAMES`].
    pub values: [f64; FEATURES],
    /// The phrase that refers to the target, as a node of the dictionary.
    pub(super) phrase: Option<u32>,
    /// Whether that phrase is a name of the target.
    pub(super) named: bool,
    /// Number of pages linked with both.
    pub(super) shared: usize,
}

/// Similarity of sections above which it is given as a reason; unrelated sections of a vault seldom reach it.
const ALIKE: f64 = 0.6;

impl Evidence {
    /// The evidence in words.
    pub fn reason(&self) -> Message {
        let mut reasons = Vec::new();
        if self.phrase.is_some() {
            reasons.push(match self.named {
                true => message!("its name occurs in the text"),
                false => message!("the text contains words that other links to it use"),
            });
        }
        if self.values[BEST_SECTIONS] > ALIKE || self.values[8] > ALIKE {
            reasons.push(message!("similar"));
        }
        if self.values[14] > 0.0 {
            reasons.push(message!("it links here"));
        }
        if self.shared > 0 {
            reasons.push(counted(self.shared, "page is linked with both", "pages are linked with both"));
        }
        if reasons.is_empty() {
            reasons.push(message!("some words in common"));
        }
        Message::joined(reasons, ", ")
    }
}

/// The best phrase on a page that refers to a target.
#[derive(Debug, Clone, Copy)]
pub(super) struct Standing {
    phrase: u32,
    named: bool,
    /// Share of the occurrences of the phrase that are links (Mihalcea and Csomai 2007).
    link_probability: f64,
    /// Share of the links with its text that lead to this target (Milne and Witten 2008).
    commonness: f64,
    rarity: f64,
    words: usize,
    count: u32,
    /// 1 at the beginning of the page, 0 at its end.
    early: f64,
    /// How well it refers to the target, compared with other phrases that do.
    pub strength: f64,
}

/// For each target, the best phrase on the page at `place` that refers to it.
pub(super) fn standings(pages: &Pages, place: usize) -> HashMap<u32, Standing> {
    let node = &pages.nodes[place];
    let total = pages.nodes.len() as f64;
    let mut standings: HashMap<u32, Standing> = HashMap::new();
    for mention in &node.mentions {
        let phrase = pages.dictionary.phrase(mention.phrase);
        let rarity = if total > 1.0 { (total / phrase.pages.max(1.0)).ln() / total.ln() } else { 0.0 };
        let all = f64::from(phrase.links()) + phrase.named() as f64;
        for target in &phrase.targets {
            let (links, named) = (f64::from(target.links), f64::from(u8::from(target.named)));
            let link_probability = (links + 0.5 * named) / (phrase.pages + links + 1.0);
            let commonness = (links + named) / all.max(1.0);
            let strength = link_probability.sqrt() * commonness * (0.3 + rarity);
            if standings.get(&target.page).is_none_or(|best| strength > best.strength) {
                let early = 1.0 - f64::from(mention.first) / node.length.max(1) as f64;
                standings.insert(
                    target.page,
                    Standing {
                        phrase: mention.phrase,
                        named: target.named,
                        link_probability,
                        commonness,
                        rarity,
                        words: phrase.words,
                        count: mention.count,
                        early,
                        strength,
                    },
                );
            }
        }
    }
    standings
}

/// The evidence for a link from the page at `from` to the one at `to`, without the vectors. `cosine` is the cosine
/// of their words.
pub(super) fn evidence(
    pages: &Pages,
    from: usize,
    to: usize,
    standing: Option<&Standing>,
    cosine: f32,
) -> Evidence {
    let (source, target) = (&pages.nodes[from], &pages.nodes[to]);
    let mut found = Evidence::default();
    if let Some(standing) = standing {
        let probability = standing.link_probability.sqrt();
        found.values[0] = probability;
        found.values[1] = standing.commonness;
        found.values[2] = probability * standing.commonness;
        found.values[3] = f64::from(u8::from(standing.named));
        found.values[4] = 1.0;
        found.values[5] = f64::from(standing.count).ln_1p();
        found.values[6] = standing.early;
        found.values[7] = standing.words.min(4) as f64 / 4.0 * standing.rarity;
        found.phrase = Some(standing.phrase);
        found.named = standing.named;
    }
    found.values[8] = f64::from(cosine).max(0.0).sqrt();
    let mut closeness = 0.0;
    for &between in shared(&source.neighbours, &target.neighbours).iter() {
        found.shared += 1;
        closeness += 1.0 / weight_divisor(pages, between);
    }
    found.values[11] = f64::ln_1p(closeness);
    found.values[12] = (target.back.len() as f64).ln_1p();
    let folder = path::folder(&source.path);
    found.values[13] = f64::from(u8::from(!folder.is_empty() && folder == path::folder(&target.path)));
    let backlink = u32::try_from(from).is_ok_and(|from| target.out.binary_search(&from).is_ok());
    found.values[14] = f64::from(u8::from(backlink));
    found
}

/// Adds the evidence of the vectors.
pub(super) fn add_vectors(found: &mut Evidence, pages: &Pages, from: usize, to: usize) {
    found.values[BEST_SECTIONS] = f64::from(pages.vectors.best_cosine(from, to));
    found.values[WHOLE_PAGES] = f64::from(pages.vectors.mean_cosine(from, to));
}

/// Divisor of the weight of a shared neighbour (Adamic and Adar 2003): a page with many neighbours says
/// little.
pub(super) fn weight_divisor(pages: &Pages, between: u32) -> f64 {
    (2.0 + pages.nodes[between as usize].neighbours.len() as f64).ln()
}

/// The common items of two sorted lists.
fn shared(a: &[u32], b: &[u32]) -> Vec<u32> {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    short.iter().copied().filter(|page| long.binary_search(page).is_ok()).collect()
}
