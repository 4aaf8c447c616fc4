//! Search by meaning: the sections whose vectors are closest to that of the query.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use futures_util::future::try_join_all;
use pgvector::HalfVector;
use ubp_core::Result;

use super::rounds::best_of_all;
use super::words::{Within, only};
use super::{Project, Snapshot, number, parts};
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
    /// Number of its project.
    pub project: i32,
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
    pub skipped: Vec<i32>,
}

/// Vectors from all selected projects.
pub(super) struct Sample {
    /// Project and version of each, the model, and the role that sees them.
    of: (Vec<(i32, i64)>, String, Option<String>),
    /// With the project and the section of each.
    vectors: Vec<(i32, i64, Vec<f32>)>,
    /// Number of vectors that it stands for.
    all: usize,
    /// Deviation of similarities between them.
    typical: f64,
}

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
        let names: HashMap<i32, &str> =
            compared.iter().map(|project| (project.number, project.name.as_str())).collect();
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
            skipped: skipped.into_iter().map(|project| project.number).collect(),
        })
    }

    async fn near(
        &self,
        projects: &[&Project],
        within: &Within,
        query: &[f32],
        limit: usize,
    ) -> Result<Vec<Close>> {
        let numbers: Vec<i32> = projects.iter().map(|project| project.number).collect();
        let ask = async |projects: &[i32], limit: usize| self.near_in(projects, within, query, limit).await;
        let found = best_of_all(&numbers, limit, |one: &Close| one.project, ask).await?;
        Ok(found.into_iter().map(|(one, _)| one).collect())
    }

    /// The `limit` vectors of each project that are closest to `query`.
    async fn near_in(
        &self,
        projects: &[i32],
        within: &Within,
        query: &[f32],
        limit: usize,
    ) -> Result<Vec<(Close, f64)>> {
        let size = query.len();
        let of_project = |number: &i32| {
            let pages = only(within, *number);
            let distance = format!("(embedding::halfvec({size})) <#> $1::halfvec({size})");
            format!(
                "SELECT {number}, page, section, path, {distance} FROM ubp.vectors WHERE project = {number}{pages}
                 ORDER BY {distance} LIMIT {limit}"
            )
        };
        if projects.is_empty() {
            return Ok(Vec::new());
        }
        let sql = projects.iter().map(of_project).collect::<Vec<_>>().join(") UNION ALL (");
        let asked = HalfVector::from_f32_slice(query);
        let rows = self.whole.query(&format!("({sql})"), &[&asked]).await.or_failure()?;
        let close = rows.iter().map(|row| {
            let (page, similarity) = (row.get::<_, i64>(1), -row.get::<_, f64>(4));
            let section = number(page, row.get(2));
            let one =
                Close { project: row.get(0), page, section, similarity: similarity as f32, path: row.get(3) };
            (one, similarity)
        });
        Ok(close.collect())
    }

    /// Exact similarity of the closest vector of each of these sections, by project and section, and the mean similarity of
    /// all vectors of each of their pages that has several, by project and page.
    ///
    /// # Errors
    /// [`ubp_core::Error::SharedIndex`].
    pub async fn similarities(
        &self,
        sections: &[(i32, i64)],
        query: &[f32],
    ) -> Result<(HashMap<(i32, i64), f32>, HashMap<(i32, i64), f64>)> {
        let pages: HashSet<(i32, i64)> =
            sections.iter().map(|(project, section)| (*project, parts(*section).0)).collect();
        let (projects, pages): (Vec<i32>, Vec<i64>) = pages.into_iter().unzip();
        let wanted: HashSet<(i32, i64)> = sections.iter().copied().collect();
        let sql = "SELECT project, page, section, -(embedding <#> $3)
             FROM unnest($1::integer[], $2::bigint[]) AS wanted(project, page)
             JOIN ubp.vectors USING (project, page) WHERE vector_dims(embedding) = $4";
        let size = i32::try_from(query.len()).unwrap_or(i32::MAX);
        let asked = HalfVector::from_f32_slice(query);
        let rows = self.rows_of(sql, &[&projects, &pages, &asked, &size]).await?;
        let mut closest: HashMap<(i32, i64), f32> = HashMap::new();
        let mut sums: HashMap<(i32, i64), (f64, u32)> = HashMap::new();
        for row in rows {
            let (project, page, similarity) = (row.get(0), row.get::<_, i64>(1), row.get::<_, f64>(3) as f32);
            let section = (project, number(page, row.get(2)));
            if wanted.contains(&section) {
                let known = closest.entry(section).or_insert(similarity);
                *known = known.max(similarity);
            }
            let sum = sums.entry((project, page)).or_default();
            *sum = (sum.0 + f64::from(similarity), sum.1 + 1);
        }
        let means = sums.into_iter().filter(|(_, (_, count))| *count > 1);
        Ok((closest, means.map(|(page, (sum, count))| (page, sum / f64::from(count))).collect()))
    }

    async fn sample_of(&self, projects: &[&Project], identity: &str, size: usize) -> Result<Arc<Sample>> {
        let mut versions: Vec<(i32, i64)> =
            projects.iter().map(|project| (project.number, project.version)).collect();
        versions.sort_unstable();
        let of = (versions, identity.to_owned(), self.role.map(str::to_owned));
        if let Some(kept) = self.kept_sample(|kept| kept.of == of) {
            return Ok(kept);
        }
        let numbers_of: Vec<i32> = projects.iter().map(|project| project.number).collect();
        let sql = "SELECT project, vectors FROM ubp.statistics WHERE project = ANY ($1)";
        let rows = self.whole.query(sql, &[&numbers_of]).await.or_failure()?;
        let known: HashMap<i32, i64> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
        let total: i64 = known.values().sum();
        let asked = projects.iter().map(|project| async {
            let of_project = known.get(&project.number).copied();
            let share = of_project.map_or(SAMPLE / 4, |own| (SAMPLE * own).div_euclid(total.max(1)).max(FEWEST));
            let limit = if total <= SAMPLE { SAMPLE } else { share };
            let sql = format!(
                "SELECT page, section, embedding FROM ubp.vectors WHERE project = {} ORDER BY lot LIMIT {limit}",
                project.number
            );
            let rows = self.whole.query(&sql, &[]).await.or_failure()?;
            Ok::<_, ubp_core::Error>((project.number, of_project, rows))
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
fn typical(vectors: &[(i32, i64, Vec<f32>)]) -> f64 {
    fn every<T>(items: &[T], limit: usize) -> impl Iterator<Item = &T> {
        items.iter().step_by(items.len().div_ceil(limit).max(1))
    }
    let sample: Vec<_> = every(vectors, COMPARED).collect();
    let from = |probe: &&(i32, i64, Vec<f32>)| {
        let others = sample.iter().filter(|other| (other.0, other.1) != (probe.0, probe.1));
        deviation(&others.map(|other| f64::from(dot(&probe.2, &other.2))).collect::<Vec<_>>())
    };
    let deviations: Vec<f64> = every(&sample, PROBES).map(from).collect();
    deviations.iter().sum::<f64>() / deviations.len().max(1) as f64
}
