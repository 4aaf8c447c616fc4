//! Finds removed pages and new pages that are the same page under another path.

use std::collections::{BTreeMap, HashMap};

use super::snapshot::{PageState, Snapshot};

/// Share of the longer page's lines that both pages must have.
const ALIKE: f64 = 0.5;
/// A line on more pages than this, such as a common heading, does not identify a page.
const COMMON: usize = 20;

/// The moved pages.
#[derive(Debug, Default)]
pub(super) struct Renames {
    /// Old path to new path.
    pub moved: BTreeMap<String, String>,
    /// By old path, the share of common lines of pages that match only by them.
    pub similar: BTreeMap<String, f64>,
}

/// Finds every moved page. Pages match by the id in their front matter, the same bytes, or most of their lines.
pub(super) fn renames(before: &Snapshot, after: &Snapshot) -> Renames {
    let mut gone: BTreeMap<&str, &PageState> = only_in(before, after);
    let mut new: BTreeMap<&str, &PageState> = only_in(after, before);
    let (mut moved, mut similar) = (BTreeMap::new(), BTreeMap::new());
    take(&mut gone, &mut new, &mut moved, |page| page.own_id.clone());
    take(&mut gone, &mut new, &mut moved, |page| Some(page.hash));
    for (likeness, old, to) in alike(&gone, &new) {
        if gone.contains_key(old) && new.contains_key(to) {
            gone.remove(old);
            new.remove(to);
            moved.insert(old.to_owned(), to.to_owned());
            similar.insert(old.to_owned(), likeness);
        }
    }
    Renames { moved, similar }
}

fn only_in<'a>(here: &'a Snapshot, there: &Snapshot) -> BTreeMap<&'a str, &'a PageState> {
    let pages = here.pages.iter().filter(|(path, _)| !there.pages.contains_key(*path));
    pages.map(|(path, page)| (path.as_str(), page)).collect()
}

/// Pairs pages with the same key, in order of their paths.
fn take<K: std::hash::Hash + Eq>(
    gone: &mut BTreeMap<&str, &PageState>,
    new: &mut BTreeMap<&str, &PageState>,
    moved: &mut BTreeMap<String, String>,
    key: impl Fn(&PageState) -> Option<K>,
) {
    let mut waiting: HashMap<K, Vec<String>> = HashMap::new();
    for (path, page) in new.iter().rev() {
        if let Some(key) = key(page) {
            waiting.entry(key).or_default().push((*path).to_owned());
        }
    }
    gone.retain(|path, page| {
        let to = key(page).and_then(|key| waiting.get_mut(&key)?.pop());
        if let Some(to) = &to {
            new.remove(to.as_str());
            moved.insert((*path).to_owned(), to.clone());
        }
        to.is_none()
    });
}

/// Pairs that share most of their lines, most similar first.
fn alike<'a>(
    gone: &BTreeMap<&'a str, &PageState>,
    new: &BTreeMap<&'a str, &PageState>,
) -> Vec<(f64, &'a str, &'a str)> {
    let lines = |page: &PageState| -> Vec<u64> {
        page.sections.iter().flat_map(|section| section.lines.iter().copied()).collect()
    };
    let mut places: HashMap<u64, Vec<&'a str>> = HashMap::new();
    let mut lengths: HashMap<&'a str, usize> = HashMap::new();
    for (path, page) in new {
        let lines = lines(page);
        lengths.insert(path, lines.len());
        for line in lines {
            places.entry(line).or_default().push(path);
        }
    }
    let mut pairs = Vec::new();
    for (old, page) in gone {
        let lines = lines(page);
        let mut shared: BTreeMap<&'a str, usize> = BTreeMap::new();
        for line in &lines {
            let mut at = places.get(line).filter(|at| at.len() <= COMMON).cloned().unwrap_or_default();
            at.dedup();
            for path in at {
                *shared.entry(path).or_insert(0) += 1;
            }
        }
        for (path, count) in shared {
            let longer = lines.len().max(lengths.get(path).copied().unwrap_or(0)).max(1);
            #[expect(clippy::cast_precision_loss, reason = "numbers of lines")]
            let likeness = count as f64 / longer as f64;
            if likeness >= ALIKE {
                pairs.push((likeness, *old, path));
            }
        }
    }
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
    pairs
}
