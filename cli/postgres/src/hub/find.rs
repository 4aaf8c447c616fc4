//! What words and meaning find in the database, for the ranking of the engine.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::runtime::Handle;
use ubp_core::hub::{ModelEvidence, SharedEvidence, SharedTexts, Sought, WordMatch};
use ubp_core::index::Close;
use ubp_core::index::published::PublishedSection;
use ubp_core::index::received::passage_number;
use ubp_core::ops::search::Fallback;
use ubp_core::ports::{Embedder, TextKind};
use ubp_core::search::{Match, SearchMode};
use ubp_core::{Error, Result};

use crate::reading::{self, Project, ProjectId, Snapshot, Statistics, Within, parts};

/// A model, if it is on this machine.
type Found = Result<Option<Arc<dyn Embedder>>>;

/// The texts and vectors of the projects in one state of the database.
pub(super) struct Texts<'a> {
    pub runtime: &'a Handle,
    pub snapshot: &'a Snapshot<'a>,
    pub projects: &'a [&'a Project],
    /// The model with an identity, if it is on this machine.
    pub model: &'a (dyn Fn(&str) -> Found + Sync),
    /// Counts the pages whose sections are read.
    pub brought: &'a AtomicUsize,
}

impl SharedTexts for Texts<'_> {
    fn find(&self, sought: &Sought<'_>) -> Result<SharedEvidence> {
        let mut projects = Vec::with_capacity(sought.projects.len());
        let mut within = Within::new();
        for (name, pages) in &sought.projects {
            let project = self.project(name)?;
            if let Some(pages) = pages {
                within.insert(project.id, pages.iter().copied().collect());
            }
            projects.push(project.clone());
        }
        let vectors = match sought.mode {
            SearchMode::Fulltext => Err(None),
            _ => self.vectors(sought, &projects)?.map_err(Some),
        };
        self.runtime.block_on(self.evidence(sought, &projects, &within, vectors))
    }

    fn sections(&self, project: &str, pages: &[i64]) -> Result<HashMap<i64, Vec<PublishedSection>>> {
        let project = self.project(project)?;
        self.brought.fetch_add(pages.len(), Ordering::Relaxed);
        self.runtime.block_on(self.snapshot.sections_of(project, pages))
    }

    fn stems(&self, projects: &[&str], initial: char) -> Result<Vec<(String, i64)>> {
        self.runtime.block_on(self.snapshot.stems(&self.ids(projects)?, initial))
    }

    fn texts_with(&self, projects: &[&str], stem: &str, most: usize) -> Result<Vec<Vec<String>>> {
        self.runtime.block_on(self.snapshot.texts_with(&self.ids(projects)?, stem, most))
    }
}

/// The query by each model, with its identity.
type Vectors = Vec<(String, Vec<f32>)>;

impl Texts<'_> {
    fn project(&self, name: &str) -> Result<&Project> {
        let found = self.projects.iter().find(|project| project.name == name);
        found.copied().ok_or_else(|| Error::Internal(format!("project {name} is gone")))
    }

    fn ids(&self, names: &[&str]) -> Result<Vec<ProjectId>> {
        names.iter().map(|name| Ok(self.project(name)?.id)).collect()
    }

    fn vectors(
        &self,
        sought: &Sought<'_>,
        projects: &[Project],
    ) -> Result<std::result::Result<Vectors, Fallback>> {
        let identities: BTreeSet<&String> =
            projects.iter().filter_map(|project| project.model.as_ref()).collect();
        let (mut vectors, mut why) = (Vec::new(), Fallback::VectorsPending);
        for identity in identities {
            let Some(embedder) = (self.model)(identity)? else {
                why = Fallback::ModelMissing;
                continue;
            };
            if !embedder.model().scripts.cover(sought.query.text()) {
                why = Fallback::UnknownScript;
                continue;
            }
            match embedder.embed(TextKind::Query, &[sought.query.text()]) {
                Ok(embedded) => vectors.extend(embedded.into_iter().map(|one| (identity.clone(), one))),
                Err(Error::ModelUnavailable { .. }) => why = Fallback::ModelUnreachable,
                Err(error) => return Err(error),
            }
        }
        Ok(if vectors.is_empty() { Err(why) } else { Ok(vectors) })
    }

    async fn evidence(
        &self,
        sought: &Sought<'_>,
        projects: &[Project],
        within: &Within,
        // Nobody wants them, or why there are none.
        vectors: std::result::Result<Vectors, Option<Fallback>>,
    ) -> Result<SharedEvidence> {
        let Sought { query, mode, limit, .. } = *sought;
        let snapshot = self.snapshot;
        let place: HashMap<ProjectId, usize> =
            projects.iter().enumerate().map(|(at, project)| (project.id, at)).collect();
        let mut evidence = SharedEvidence::default();
        let words = if mode == SearchMode::Vector && vectors.is_ok() {
            (Vec::new(), snapshot.statistics(projects, query).await?)
        } else {
            let enough = if vectors.is_ok() { sought.enough } else { 1 };
            snapshot.matches(projects, query, within, limit, enough).await?
        };
        let (words, statistics) = words;
        (evidence.rows, evidence.rows_with) = counts(&statistics, query);
        let matched: Vec<(ProjectId, i64)> = words.iter().map(|one| (one.project, one.section)).collect();
        let mut headings = snapshot.headings(&matched).await?;
        match vectors {
            Ok(vectors) => {
                for (identity, vector) in &vectors {
                    let model = Model { identity, vector };
                    let found = self.close(model, projects, (within, &place), &words, limit).await?;
                    evidence.models.push(found);
                }
            }
            Err(fallback) => evidence.fallback = fallback,
        }
        for one in words {
            let reading::Match { project, page, section, passage, bm25, has, .. } = one;
            let passage = passage_number(page, i64::from(parts(passage).1));
            let heading = headings.remove(&(project, section)).unwrap_or_default();
            let Some(&project) = place.get(&project) else { continue };
            evidence.words.push(WordMatch {
                project,
                found: Match { section, page, passage, bm25 },
                heading,
                has,
            });
        }
        Ok(evidence)
    }

    /// What the vectors of one model say.
    async fn close(
        &self,
        Model { identity, vector }: Model<'_>,
        projects: &[Project],
        (within, place): (&Within, &HashMap<ProjectId, usize>),
        words: &[reading::Match],
        limit: usize,
    ) -> Result<ModelEvidence> {
        let snapshot = self.snapshot;
        let closest = snapshot.closest(projects, within, identity, vector, limit).await?;
        let mut sections: Vec<(ProjectId, i64)> =
            closest.sections.iter().map(|one| (one.project, one.section)).collect();
        let close: HashSet<(ProjectId, i64)> = sections.iter().copied().collect();
        let others = words.iter().filter(|one| !closest.skipped.contains(&one.project));
        let others = others.map(|one| (one.project, one.section)).filter(|one| !close.contains(one));
        let others: Vec<(ProjectId, i64)> = others.collect();
        sections.extend(&others);
        let (similarities, means) = snapshot.similarities(&sections, vector).await?;
        let known = closest.sections.iter().map(|one| (one.project, one.section, one.similarity));
        let added = others.iter().filter_map(|&(project, section)| {
            Some((project, section, *similarities.get(&(project, section))?))
        });
        let close = known.chain(added).filter_map(|(project, section, similarity)| {
            Some((*place.get(&project)?, Close { section, page: parts(section).0, similarity }))
        });
        let mean =
            |((project, page), mean): ((ProjectId, i64), f64)| Some(((*place.get(&project)?, page), mean));
        Ok(ModelEvidence {
            close: close.collect(),
            background: closest.background,
            contrast: closest.contrast,
            compared: closest.compared,
            pages: means.into_iter().filter_map(mean).collect(),
        })
    }
}

/// A query by one model.
#[derive(Clone, Copy)]
struct Model<'a> {
    identity: &'a str,
    vector: &'a [f32],
}

/// The number of rows, and in how many the words of the query are.
fn counts(statistics: &Statistics, query: &ubp_core::text::Query) -> (usize, HashMap<String, usize>) {
    let size = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let mut rows_with: HashMap<String, usize> = HashMap::new();
    for (word, &count) in query.function_words().zip(&statistics.function_words) {
        rows_with.insert(word, size(count));
    }
    for (word, &count) in query.active_alternatives().iter().zip(&statistics.alternatives) {
        rows_with.insert(word.expression(), size(count));
    }
    (size(statistics.rows), rows_with)
}
