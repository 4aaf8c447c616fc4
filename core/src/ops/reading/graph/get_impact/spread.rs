//! How far a change of several pages and source files at once spreads; each page is reached by its strongest path.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rusqlite::Connection;

use crate::Result;
use crate::globs::Globs;
use crate::graph::LinkGraph;
use crate::graph::impact::{self, SOURCE_REFS, strength};
use crate::index::questions::sources;
use crate::ops::page::path_of;
use crate::ops::way::{self, Hops, Step, StepDirection};

/// Pages and files that change together.
#[derive(Debug, Default)]
pub(in crate::ops) struct Changes {
    /// Pages, by their numbers.
    pub pages: Vec<i64>,
    /// Pages that name a changed file.
    pub naming: BTreeMap<i64, Naming>,
}

/// How a page names a changed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::ops) struct Naming {
    /// The file, relative to the project; the first if there are several.
    pub file: String,
    /// The strongest link type that names such a file.
    pub link_type: String,
}

/// A reachable page.
#[derive(Debug, Clone)]
pub(in crate::ops) struct Found {
    /// Its number.
    pub page: i64,
    /// Type of the last link on the path.
    pub link_type: String,
    /// Hops from the change.
    pub distance: usize,
    /// Likelihood of being affected.
    pub score: f64,
    from_file: bool,
}

/// Everything a change reaches.
pub(in crate::ops) struct Spread<'a> {
    /// The reached pages, each once, without the changed ones; unordered.
    pub found: Vec<Found>,
    changes: &'a Changes,
    from_pages: Hops<'a>,
    from_files: Hops<'a>,
}

impl<'a> Spread<'a> {
    /// What `changes` reach within `depth` hops along links of `types` (all when empty). The step from a file to a
    /// page that names it is the first hop, and is always followed.
    pub(in crate::ops) fn of(
        graph: &'a LinkGraph,
        changes: &'a Changes,
        depth: usize,
        types: &[String],
    ) -> Self {
        let starts: Vec<(i64, f64)> = changes.pages.iter().map(|&page| (page, 1.0)).collect();
        let naming: Vec<(i64, f64)> =
            changes.naming.iter().map(|(&page, named)| (page, strength(&named.link_type))).collect();
        let by_pages = graph.impact(&starts, depth, types);
        let by_files = graph.impact(&naming, depth.saturating_sub(1), types);
        let mut best: HashMap<i64, Found> = HashMap::new();
        let mut offer = |found: Found| {
            let known = best.entry(found.page).or_insert_with(|| found.clone());
            if (found.score, known.distance) > (known.score, found.distance) {
                *known = found;
            }
        };
        for affected in &by_pages {
            let distance = affected.reached.depth;
            offer(Found {
                page: affected.reached.page,
                link_type: affected.reached.link_type.to_owned(),
                distance,
                score: impact::score(affected.strength, distance),
                from_file: false,
            });
        }
        for (&page, named) in &changes.naming {
            let score = impact::score(strength(&named.link_type), 1);
            offer(Found { page, link_type: named.link_type.clone(), distance: 1, score, from_file: true });
        }
        for affected in &by_files {
            let distance = affected.reached.depth + 1;
            offer(Found {
                page: affected.reached.page,
                link_type: affected.reached.link_type.to_owned(),
                distance,
                score: impact::score(affected.strength, distance),
                from_file: true,
            });
        }
        let changed: BTreeSet<i64> = changes.pages.iter().copied().collect();
        let hops = |found: Vec<impact::Affected<'a>>| -> Hops<'a> {
            found.into_iter().map(|affected| (affected.reached.page, affected.reached)).collect()
        };
        Self {
            found: best.into_values().filter(|found| !changed.contains(&found.page)).collect(),
            changes,
            from_pages: hops(by_pages),
            from_files: hops(by_files),
        }
    }

    /// The path from the change to a page in [`Spread::found`].
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub(in crate::ops) fn way(&self, db: &Connection, found: &Found) -> Result<Vec<Step>> {
        if !found.from_file {
            return way::steps(|page| path_of(db, page), &self.from_pages, found.page);
        }
        let mut steps = way::steps(|page| path_of(db, page), &self.from_files, found.page)?;
        let mut first = found.page;
        while let Some(hop) = self.from_files.get(&first) {
            first = hop.via;
        }
        if let Some(named) = self.changes.naming.get(&first) {
            let to = steps.first().map_or_else(|| path_of(db, first), |step| Ok(step.from.clone()))?;
            let (from, link_type) = (named.file.clone(), named.link_type.clone());
            steps.insert(0, Step { from, to, link_type, direction: StepDirection::Incoming });
        }
        Ok(steps)
    }
}

/// The pages whose `source_refs` or links name any of `files`, a folder that contains one or a glob that matches
/// one, whether or not the files exist; and the named files among `files`.
pub(in crate::ops) fn naming(
    db: &Connection,
    files: &BTreeSet<String>,
) -> Result<(BTreeMap<i64, Naming>, BTreeSet<String>)> {
    let mut naming: BTreeMap<i64, Naming> = BTreeMap::new();
    let mut known: HashMap<String, Vec<String>> = HashMap::new();
    for (page, source, link_type) in sources::named(db, SOURCE_REFS)? {
        let meant = known.entry(source).or_insert_with_key(|source| Meaning::of(source).among(files));
        let Some(file) = meant.first() else { continue };
        let found = Naming { file: file.clone(), link_type };
        let known = naming.entry(page).or_insert_with(|| found.clone());
        if strength(&found.link_type) > strength(&known.link_type) {
            *known = found;
        }
    }
    let named = known.into_values().flatten().collect();
    Ok((naming, named))
}

/// What a source entry of a page refers to.
struct Meaning<'a> {
    plain: &'a str,
    glob: Option<Globs>,
}

impl<'a> Meaning<'a> {
    fn of(source: &'a str) -> Self {
        let is_glob = source.contains(['*', '?', '[', '{']);
        let glob = is_glob.then(|| Globs::new(&[source]).ok()).flatten();
        Self { plain: source.trim_end_matches('/'), glob }
    }

    /// The members of `files` that it names, contains or matches.
    fn among(&self, files: &BTreeSet<String>) -> Vec<String> {
        let file = files.get(self.plain).or_else(|| files.get(self.plain.split('#').next()?));
        let mut found: BTreeSet<&String> = file.into_iter().collect();
        if !self.plain.is_empty() {
            let folder = format!("{}/", self.plain);
            found.extend(files.range(folder.clone()..).take_while(|file| file.starts_with(&folder)));
        }
        if let Some(glob) = &self.glob {
            found.extend(files.iter().filter(|file| glob.is_match(file)));
        }
        found.into_iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_can_be_a_file_a_folder_or_a_glob() {
        for (source, file, expected) in [
            ("src/a.rs", "src/a.rs", true),
            ("src/a.rs", "src/a.rs.bak", false),
            ("src", "src/deep/a.rs", true),
            ("src/", "src/a.rs", true),
            ("src", "srcs/a.rs", false),
            ("src/*.rs", "src/a.rs", true),
            ("src/*.rs", "src/deep/a.rs", false),
            ("src/**/*.rs", "src/deep/a.rs", true),
            ("src/[a-", "src/a", false),
            ("app/[id]", "app/[id]/page.ts", true),
            ("", "a.rs", false),
        ] {
            let files = BTreeSet::from([file.to_owned()]);
            assert_eq!(!Meaning::of(source).among(&files).is_empty(), expected, "{source} {file}");
        }
    }
}
