//! Projects that links connect, as one graph. Their pages are called `project:path` from the start.

use std::collections::{BTreeSet, HashMap};

use super::{Hub, in_one_state_each};
use crate::graph::LinkGraph;
use crate::ops::PageFields;
use crate::ops::page::path_of;
use crate::ops::territory::Territory;
use crate::search::across::{joined, member_of, number, within};
use crate::{Context, Error, Result};

/// The projects, with the links within and between them.
pub(super) struct Whole<'a> {
    members: Vec<(&'a str, Context<'a>)>,
    /// The position of the project that is asked.
    asked: usize,
    graph: LinkGraph,
}

impl Hub<'_> {
    /// Asks about the project at a position and those that links connect with it, all in one state.
    pub(super) fn in_whole<T>(
        &self,
        at: usize,
        mut question: impl FnMut(&Context<'_>, &Whole<'_>) -> Result<T>,
    ) -> Result<T> {
        self.in_one_state(&self.connected(at), |members| {
            let graph = self.graph_of(&members)?;
            let asked =
                members.iter().position(|(name, _)| *name == self.projects[at].name).unwrap_or_default();
            let whole = Whole { members, asked, graph };
            question(&whole.members[asked].1, &whole)
        })
    }

    /// Asks about the readable ones of the projects at these positions, all in one state.
    pub(super) fn in_one_state<T>(
        &self,
        places: &[usize],
        mut question: impl FnMut(Vec<(&str, Context<'_>)>) -> Result<T>,
    ) -> Result<T> {
        let readable = |place: &usize| {
            let project = &self.projects[*place];
            Some((project.name, *project.context.as_ref().ok()?))
        };
        let (names, contexts): (Vec<&str>, Vec<Context<'_>>) = places.iter().filter_map(readable).unzip();
        in_one_state_each(&contexts, Vec::new(), &mut |contexts| {
            question(names.iter().copied().zip(contexts.iter().copied()).collect())
        })
    }

    /// The graph of these projects. Its pages have the numbers of [`number`].
    pub(super) fn graph_of(&self, members: &[(&str, Context<'_>)]) -> Result<LinkGraph> {
        let graphs = members.iter().map(|(_, context)| context.index.graph()).collect::<Result<Vec<_>>>()?;
        let graphs: Vec<&LinkGraph> = graphs.iter().map(|graph| &**graph).collect();
        let place = |at: usize| members.iter().position(|(name, _)| *name == self.projects[at].name);
        let between = self.between.among(&self.projects, |at, page| Some(number(place(at)?, page)));
        Ok(joined(&graphs, &between))
    }

    /// The positions of the readable projects that links connect with the one at a position, and its own.
    pub(super) fn connected(&self, at: usize) -> Vec<usize> {
        let position = |name: &str| {
            self.projects.iter().position(|project| project.name == name && project.context.is_ok())
        };
        let ends = |link: &super::between::Link| Some((position(&link.source.0)?, position(&link.target.0)?));
        let pairs: BTreeSet<(usize, usize)> = self.between.links().iter().filter_map(ends).collect();
        let mut found = BTreeSet::from([at]);
        loop {
            let before = found.len();
            for (one, other) in &pairs {
                if found.contains(one) || found.contains(other) {
                    found.extend([*one, *other]);
                }
            }
            if found.len() == before {
                return found.into_iter().collect();
            }
        }
    }
}

impl Territory for Whole<'_> {
    fn number(&self, own: i64) -> i64 {
        number(self.asked, own)
    }

    fn graph(&self) -> &LinkGraph {
        &self.graph
    }

    fn fields(&self, pages: &[i64]) -> Result<HashMap<i64, PageFields>> {
        let mut found = HashMap::with_capacity(pages.len());
        for (at, (name, context)) in self.members.iter().enumerate() {
            let own: Vec<i64> =
                pages.iter().filter(|page| member_of(**page) == at).map(|page| within(*page)).collect();
            found.extend(context.page_fields(&own)?.into_iter().map(|(page, fields)| {
                (number(at, page), PageFields { filepath: format!("{name}:{}", fields.filepath), ..fields })
            }));
        }
        Ok(found)
    }

    fn path(&self, page: i64) -> Result<String> {
        let (name, context) = self
            .members
            .get(member_of(page))
            .ok_or_else(|| Error::Internal(format!("page {page} is gone")))?;
        Ok(format!("{name}:{}", context.index.read(|db| path_of(db, within(page)))?))
    }

    /// Ids that come from paths are the same in several projects.
    fn id(&self, page: i64, id: String) -> String {
        match self.members.get(member_of(page)) {
            Some((name, _)) => format!("{name}:{id}"),
            None => id,
        }
    }
}
