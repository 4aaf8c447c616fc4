//! Search by meaning: the sections whose vectors are closest to that of the query.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use futures_util::future::try_join_all;
use pgvector::HalfVector;
use tokio_postgres::Row;
use ubp_core::{Error, Result};

use super::rounds::best_of_all;
use super::servers::by_server;
use super::words::{Within, only};
use super::{Project, ProjectId, Snapshot, number, parts};
use crate::failure::OrFailure as _;

/// Number of vectors from which the usual similarity is estimated; all, if there are no more. With 4,000, the mean is
/// within about 0.004 of that of all.
const SAMPLE: i64 = 4_000;
/// Fewest vectors of each project in the sample.
const FEWEST: i64 = 20;
/// Weight of 0 in the mean, as a number of vectors.
const FEW: f64 = 20.0;
/// Maximum number of vectors that are compared with each other, and how many of them with all of these.
const COMPARED: usize = 256;
const PROBES: usize = 32;
/// Several vectors may be of one section.
const SPARE: usize = 2;

/// A section close to a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Close {
    /// Its project.
    pub project: ProjectId,
    /// Number of its page.
    pub page: i64,
    /// Number of the section in the project.
    pub section: i64,
    /// Cosine similarity, -1 to 1, with the numbers of the vector rounded to 16 bits.
    pub similarity: f32,
    /// Path of the page.
    pub path: String,
}

/// The sections closest to a query, as [`ubp_core::index::Closest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Closest {
    /// Best first, without duplicates.
    pub sections: Vec<Close>,
    /// Mean cosine similarity of all vectors, shrunk towards 0 if they are few; from a sample if they are many.
    pub background: f32,
    /// Standard deviation of these similarities, divided by that of similarities between the vectors themselves.
    pub contrast: f32,
    /// Number of visible vectors; of projects that are visible in part, those in the sample.
    pub compared: usize,
    /// Projects whose vectors are of another model, or missing; they were not compared.
    pub skipped: Vec<ProjectId>,
}

/// Vectors from all selected projects.
pub(super) struct Sample {
    /// Project and version of each, the model, and the role that sees them.
    of: (Vec<(ProjectId, i64)>, String, Option<String>),
    /// With the project and the section of each.
    vectors: Vec<(ProjectId, i64, Vec<f32>)>,
    /// Number of vectors that it stands for.
    all: usize,
    /// Deviation of similarities between them.
    typical: f64,
}

/// Similarities of sections, and mean similarities of pages, by their projects and numbers.
pub type Similarities = (HashMap<(ProjectId, i64), f32>, HashMap<(ProjectId, i64), f64>);

impl Snapshot<'_> {
    /// The `limit` sections closest to `query`, a vector of the model `identity`.
    ///
    /// # Errors
    /// [`ubp_core::Error::SharedIndex`].
    pub async fn closest(
        &self,
        projects: &[Project],
        within: &Within,
        identity: &str,
        query: &[f32],
        limit: usize,
    ) -> Result<Closest> {
        let (compared, skipped): (Vec<&Project>, Vec<&Project>) =
            projects.iter().partition(|project| project.model.as_deref() == Some(identity));
        let names: HashMap<ProjectId, &str> =
            compared.iter().map(|project| (project.id, project.name.as_str())).collect();
        let mut close = self.near(&compared, within, query, limit * SPARE).await?;
        let name = |one: &Close| names.get(&one.project).copied().unwrap_or_default();
        close.sort_by(|a, b| {
            b.similarity
                .total_cmp(&a.similarity)
                .then_with(|| name(a).cmp(name(b)))
                .then_with(|| a.path.cmp(&b.path))
                .then_with(|| a.section.cmp(&b.section))
        });
        let mut seen = HashSet::new();
        close.retain(|one| seen.insert((one.project, one.section)));
        close.truncate(limit);
        let sample = self.sample_of(&compared, identity, query.len()).await?;
        let similarities: Vec<f64> =
            sample.vectors.iter().map(|(_, _, v)| f64::from(dot(query, v))).collect();
        // The sample stands for all vectors, of which there may be more.
        let sum = similarities.iter().sum::<f64>() / similarities.len().max(1) as f64 * sample.all as f64;
        let deviation = deviation(&similarities);
        Ok(Closest {
            sections: close,
            background: (sum / (sample.all as f64 + FEW)) as f32,
            contrast: if sample.typical > 0.0 { (deviation / sample.typical) as f32 } else { 0.0 },
            compared: sample.all,
            skipped: skipped.into_iter().map(|project| project.id).collect(),
        })
    }

    async fn near(
        &self,
        projects: &[&Project],
        within: &Within,
        query: &[f32],
        limit: usize,
    ) -> Result<Vec<Close>> {
        let projects: Vec<ProjectId> = projects.iter().map(|project| project.id).collect();
        let ask =
            async |projects: &[ProjectId], limit: usize| self.near_in(projects, within, query, limit).await;
        let found = best_of_all(&projects, limit, |one: &Close| one.project, ask).await?;
        Ok(found.into_iter().map(|(one, _)| one).collect())
    }

    /// The `limit` vectors of each project that are closest to `query`.
    async fn near_in(
        &self,
        projects: &[ProjectId],
        within: &Within,
        query: &[f32],
        limit: usize,
    ) -> Result<Vec<(Close, f64)>> {
        let (size, asked) = (query.len(), &HalfVector::from_f32_slice(query));
        let of_project = |project: &ProjectId| {
            let (number, pages) = (project.number, only(within, *project));
            let distance = format!("(embedding::halfvec({size})) <#> $1::halfvec({size})");
            format!(
                "SELECT {number}, page, section, path, {distance} FROM ubp.vectors WHERE project = {number}{pages}
                 ORDER BY {distance} LIMIT {limit}"
            )
        };
        let of_servers = by_server(projects, |id| **id).into_iter().map(|(server, projects)| async move {
            let sql = projects.into_iter().map(of_project).collect::<Vec<_>>().join(") UNION ALL (");
            let rows = self.server(server)?.query(&format!("({sql})"), &[asked]).await.or_failure()?;
            let close = rows.iter().map(|row| {
                let (page, similarity) = (row.get::<_, i64>(1), -row.get::<_, f64>(4));
                let one = Close {
                    project: ProjectId { server, number: row.get(0) },
                    page,
                    section: number(page, row.get(2)),
                    similarity: similarity as f32,
                    path: row.get(3),
                };
                (one, similarity)
            });
            Ok::<_, Error>(close.collect::<Vec<_>>())
        });
        Ok(try_join_all(of_servers).await?.concat())
    }

    /// Exact similarity of the closest vector of each of these sections, by project and section, and the mean similarity of
    /// all vectors of each of their pages that has several, by project and page.
    ///
    /// # Errors
    /// [`ubp_core::Error::SharedIndex`].
    pub async fn similarities(&self, sections: &[(ProjectId, i64)], query: &[f32]) -> Result<Similarities> {
        let pages: HashSet<(ProjectId, i64)> =
            sections.iter().map(|(project, section)| (*project, parts(*section).0)).collect();
        let wanted: HashSet<(ProjectId, i64)> = sections.iter().copied().collect();
        let sql = "SELECT project, page, section, -(embedding <#> $3)
             FROM unnest($1::integer[], $2::bigint[]) AS wanted(project, page)
             JOIN ubp.vectors USING (project, page) WHERE vector_dims(embedding) = $4";
        let size = i32::try_from(query.len()).unwrap_or(i32::MAX);
        let asked = HalfVector::from_f32_slice(query);
        let mut closest: HashMap<(ProjectId, i64), f32> = HashMap::new();
        let mut sums: HashMap<(ProjectId, i64), (f64, u32)> = HashMap::new();
        let of_servers =
            by_server(pages, |(project, _)| *project).into_iter().map(async |(server, pages)| {
                let (projects, pages): (Vec<i32>, Vec<i64>) =
                    pages.into_iter().map(|(project, page)| (project.number, page)).unzip();
                Ok::<_, Error>((
                    server,
                    self.rows_of(server, sql, &[&projects, &pages, &asked, &size]).await?,
                ))
            });
        for (server, rows) in try_join_all(of_servers).await? {
            for row in rows {
                let project = ProjectId { server, number: row.get(0) };
                let (page, similarity) = (row.get::<_, i64>(1), row.get::<_, f64>(3) as f32);
                let section = (project, number(page, row.get(2)));
                if wanted.contains(&section) {
                    let known = closest.entry(section).or_insert(similarity);
                    *known = known.max(similarity);
                }
                let sum = sums.entry((project, page)).or_default();
                *sum = (sum.0 + f64::from(similarity), sum.1 + 1);
            }
        }
        let means = sums.into_iter().filter(|(_, (_, count))| *count > 1);
        Ok((closest, means.map(|(page, (sum, count))| (page, sum / f64::from(count))).collect()))
    }

    async fn sample_of(&self, projects: &[&Project], identity: &str, size: usize) -> Result<Arc<Sample>> {
        let mut versions: Vec<(ProjectId, i64)> =
            projects.iter().map(|project| (project.id, project.version)).collect();
        versions.sort_unstable();
        let of = (versions, identity.to_owned(), self.role.map(str::to_owned));
        if let Some(kept) = self.kept_sample(|kept| kept.of == of) {
            return Ok(kept);
        }
        let all: Vec<ProjectId> = projects.iter().map(|project| project.id).collect();
        let sql = "SELECT project, vectors FROM ubp.statistics WHERE project = ANY ($1)";
        let rows = self.rows_on_all(&all, sql, &[]).await?;
        let own =
            |(server, row): &(usize, Row)| (ProjectId { server: *server, number: row.get(0) }, row.get(1));
        let known: HashMap<ProjectId, i64> = rows.iter().map(own).collect();
        let total: i64 = known.values().sum();
        let asked = projects.iter().map(|project| async {
            let of_project = known.get(&project.id).copied();
            let share = of_project.map_or(SAMPLE / 4, |own| (SAMPLE * own).div_euclid(total.max(1)).max(FEWEST));
            let limit = if total <= SAMPLE { SAMPLE } else { share };
            let sql = format!(
                "SELECT page, section, embedding FROM ubp.vectors WHERE project = {} ORDER BY lot LIMIT {limit}",
                project.id.number
            );
            let rows = self.server(project.id.server)?.query(&sql, &[]).await.or_failure()?;
            Ok::<_, Error>((project.id, of_project, rows))
        });
        let (mut vectors, mut all) = (Vec::new(), 0);
        for (project, of_project, rows) in try_join_all(asked).await? {
            let before = vectors.len();
            let read = rows.iter().map(|row| (project, number(row.get(0), row.get(1)), numbers(&row.get(2))));
            vectors.extend(read.filter(|(_, _, vector)| vector.len() == size));
            all += of_project.and_then(|count| usize::try_from(count).ok()).unwrap_or(vectors.len() - before);
        }
        let sample = Arc::new(Sample { of, typical: typical(&vectors), vectors, all });
        self.keep_sample(&sample);
        Ok(sample)
    }
}

fn numbers(vector: &HalfVector) -> Vec<f32> {
    vector.as_slice().iter().map(|x| x.to_f32()).collect()
}

fn dot(one: &[f32], other: &[f32]) -> f32 {
    let (left, left_rest) = one.as_chunks::<8>();
    let (right, right_rest) = other.as_chunks::<8>();
    let mut sums = [0.0_f32; 8];
    for (x, y) in left.iter().zip(right) {
        for lane in 0..8 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum::<f32>() + left_rest.iter().zip(right_rest).map(|(x, y)| x * y).sum::<f32>()
}

fn deviation(numbers: &[f64]) -> f64 {
    let count = numbers.len().max(1) as f64;
    let (sum, squares) = numbers.iter().fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
    (squares / count - (sum / count).powi(2)).max(0.0).sqrt()
}

/// The usual deviation of similarities between these vectors.
fn typical(vectors: &[(ProjectId, i64, Vec<f32>)]) -> f64 {
    fn every<T>(items: &[T], limit: usize) -> impl Iterator<Item = &T> {
        items.iter().step_by(items.len().div_ceil(limit).max(1))
    }
    let sample: Vec<_> = every(vectors, COMPARED).collect();
    let from = |probe: &&(ProjectId, i64, Vec<f32>)| {
        let others = sample.iter().filter(|other| (other.0, other.1) != (probe.0, probe.1));
        deviation(&others.map(|other| f64::from(dot(&probe.2, &other.2))).collect::<Vec<_>>())
    };
    let deviations: Vec<f64> = every(&sample, PROBES).map(from).collect();
    deviations.iter().sum::<f64>() / deviations.len().max(1) as f64
}
