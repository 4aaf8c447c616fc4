//! Search by words: PostgreSQL finds candidates, and they are scored here, with the formula, the weights and the tokens of
//! the engine, over the statistics of all selected projects.

use std::collections::{HashMap, HashSet};

use futures_util::future::try_join_all;
use ubp_core::index::Stemmer;
use ubp_core::search::NEIGHBOURS;
use ubp_core::text::Query;
use ubp_core::{Error, Result};

use super::rounds::best_of_all;
use super::servers::by_server;
use super::{Project, ProjectId, Snapshot, Statistics, list, number};
use crate::expression::{Expression, Phrase, bm25};
use crate::failure::{OrFailure as _, words_lost};
use crate::tokens::Places;

/// How many candidates are scored for each result: the order of PostgreSQL differs a little from that of the engine.
const SPARE: usize = 2;
/// Repeating a word in a query weighs it more. A word of average weight is repeated so often.
const REPEATED: f64 = 6.0;
/// Maximum number of repetitions.
const MOST_REPEATED: usize = 60;
/// Maximum number of rows that are scored here without a choice by PostgreSQL.
const MOST_SCORED: usize = 2_000;

/// The pages that may be found, by project; all of the projects that are absent.
pub type Within = HashMap<ProjectId, Vec<i64>>;

/// A section whose words match.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// Its project.
    pub project: ProjectId,
    /// Number of its page.
    pub page: i64,
    /// Number of the section in the project.
    pub section: i64,
    /// Number of its best passage in the project.
    pub passage: i64,
    /// BM25 of that passage, positive; larger is better, and comparable only within one query.
    pub bm25: f64,
    /// Which of [`Query::active_alternatives`] the passage has.
    pub has: Vec<bool>,
    /// Path of the page.
    pub path: String,
}

/// A query as the database is asked.
pub(super) struct Asked {
    pub strict: Option<Expression>,
    pub relaxed: Option<Expression>,
    pub neighbours: Option<Expression>,
    pub alternatives: Vec<Expression>,
    pub function_words: Vec<Expression>,
}

impl Asked {
    fn of(query: &Query) -> Result<Self> {
        let mut stemmer = Stemmer::new()?;
        let mut read = |text: &str| Expression::read(text, &mut stemmer);
        let strict = query.match_expression();
        let relaxed = query.relaxed_expression().filter(|_| !query.phrases().is_empty());
        let neighbours: Vec<&str> = query.neighbours().collect();
        let neighbours = (!neighbours.is_empty()).then(|| neighbours.join(" OR "));
        let alternatives = query.active_alternatives();
        Ok(Self {
            strict: strict.as_deref().map(&mut read).transpose()?,
            relaxed: relaxed.as_deref().map(&mut read).transpose()?,
            neighbours: neighbours.as_deref().map(&mut read).transpose()?,
            alternatives: alternatives.iter().map(|one| read(&one.expression())).collect::<Result<_>>()?,
            function_words: query.function_words().map(|one| read(&one)).collect::<Result<_>>()?,
        })
    }

    /// The phrases that rows are scored by.
    pub fn phrases(&self) -> HashSet<&Phrase> {
        let expressions = [&self.strict, &self.relaxed, &self.neighbours].into_iter().flatten();
        expressions.flat_map(|expression| &expression.phrases).collect()
    }
}

/// A row that may be among the best.
#[derive(Clone)]
struct Candidate {
    project: ProjectId,
    page: i64,
    passage: i32,
}

impl Candidate {
    fn read(server: usize, row: &tokio_postgres::Row) -> Self {
        Self { project: ProjectId { server, number: row.get(0) }, page: row.get(1), passage: row.get(2) }
    }
}

/// A row with its tokens.
struct Row {
    project: ProjectId,
    page: i64,
    passage: i32,
    section: i32,
    path: String,
    length: i32,
    tokens: String,
}

impl Row {
    fn read(server: usize, row: &tokio_postgres::Row) -> Self {
        Self {
            project: ProjectId { server, number: row.get(0) },
            page: row.get(1),
            passage: row.get(2),
            section: row.get(3),
            path: row.get(4),
            length: row.get(5),
            tokens: row.get(6),
        }
    }
}

impl Snapshot<'_> {
    /// What ranking needs to know about all visible rows of these projects.
    ///
    /// # Errors
    /// [`ubp_core::Error::SharedIndex`].
    pub async fn statistics(&self, projects: &[Project], query: &Query) -> Result<Statistics> {
        self.statistics_of(projects, &Asked::of(query)?).await
    }

    /// The `limit` best matching sections of these projects, best first, and the statistics that their scores come from.
    /// Quoted phrases are required, as in [`ubp_core::search::matches`]: if fewer than `enough` sections have them, sections
    /// with only some of the words follow.
    ///
    /// # Errors
    /// [`ubp_core::Error::SharedIndex`].
    pub async fn matches(
        &self,
        projects: &[Project],
        query: &Query,
        within: &Within,
        limit: usize,
        enough: usize,
    ) -> Result<(Vec<Match>, Statistics)> {
        let asked = Asked::of(query)?;
        let statistics = self.statistics_of(projects, &asked).await?;
        let Some(strict) = &asked.strict else { return Ok((Vec::new(), statistics)) };
        let order: HashMap<ProjectId, &str> =
            projects.iter().map(|project| (project.id, project.name.as_str())).collect();
        let mut found = self.find(projects, within, strict, &asked, limit, &statistics, &order).await?;
        if (1..enough).contains(&found.len())
            && let Some(relaxed) = &asked.relaxed
        {
            let known: HashSet<(ProjectId, i64)> =
                found.iter().map(|one| (one.project, one.section)).collect();
            let least = found.last().map_or(f64::INFINITY, |one| one.bm25);
            let plain = Asked { neighbours: None, ..Asked::of(query)? };
            let others = self.find(projects, within, relaxed, &plain, limit, &statistics, &order).await?;
            found.extend(
                others
                    .into_iter()
                    .filter(|other| !known.contains(&(other.project, other.section)))
                    .map(|other| Match { bm25: other.bm25.min(least), ..other }),
            );
            found.truncate(limit);
        }
        Ok((found, statistics))
    }

    #[allow(clippy::too_many_arguments)]
    async fn find(
        &self,
        projects: &[Project],
        within: &Within,
        expression: &Expression,
        asked: &Asked,
        limit: usize,
        statistics: &Statistics,
        order: &HashMap<ProjectId, &str>,
    ) -> Result<Vec<Match>> {
        let candidates = self.candidates(projects, within, expression, limit * SPARE, statistics).await?;
        let rows = self.rows(&candidates).await?;
        let (rarities, average) = (statistics.rarities(expression), statistics.average());
        let mut found: Vec<(Match, f64)> = Vec::new();
        for row in &rows {
            let columns = Places::read(&row.tokens);
            let Some(frequencies) = expression.frequencies(&columns) else { continue };
            let length = f64::from(row.length);
            let score = bm25(&frequencies, &rarities, length, average);
            let beside = asked.neighbours.as_ref().and_then(|neighbours| {
                let frequencies = neighbours.frequencies(&columns)?;
                Some(NEIGHBOURS * bm25(&frequencies, &statistics.rarities(neighbours), length, average))
            });
            let one = Match {
                project: row.project,
                page: row.page,
                section: number(row.page, row.section),
                passage: number(row.page, row.passage),
                // As in one index: sums in a different order differ in their last digits.
                bm25: (score * 1e9).round() / 1e9,
                has: asked.alternatives.iter().map(|one| one.frequencies(&columns).is_some()).collect(),
                path: row.path.clone(),
            };
            found.push((one, beside.unwrap_or(0.0)));
        }
        let name = |one: &Match| order.get(&one.project).copied().unwrap_or_default();
        let by_score = |(a, _): &(Match, f64), (b, _): &(Match, f64)| {
            let place = |one: &Match| (one.section, one.passage);
            b.bm25
                .total_cmp(&a.bm25)
                .then_with(|| name(a).cmp(name(b)))
                .then_with(|| a.path.cmp(&b.path))
                .then_with(|| place(a).cmp(&place(b)))
        };
        found.sort_by(by_score);
        found.truncate(limit);
        // Only the best passage of a section counts.
        let mut seen = HashSet::new();
        found.retain(|(one, _)| seen.insert((one.project, one.section)));
        for (one, beside) in &mut found {
            one.bm25 += *beside;
        }
        found.sort_by(by_score);
        Ok(found.into_iter().map(|(one, _)| one).collect())
    }

    /// The `limit` best rows of all projects or more, as far as PostgreSQL can tell.
    async fn candidates(
        &self,
        projects: &[Project],
        within: &Within,
        expression: &Expression,
        limit: usize,
        statistics: &Statistics,
    ) -> Result<Vec<Candidate>> {
        let limited = expression.is_selective() || !within.is_empty();
        if limited && let Some(all) = self.all_rows(projects, within, expression, limit).await? {
            return Ok(all);
        }
        let weights = Self::weights(projects, expression, statistics);
        let all: Vec<ProjectId> = projects.iter().map(|project| project.id).collect();
        let of = |candidate: &Candidate| candidate.project;
        let ask = async |projects: &[ProjectId], limit: usize| {
            let found = self.best(projects, within, expression, &weights, limit).await?;
            if !limited {
                check_words_are_found(projects, &weights, statistics, &found)?;
            }
            Ok(found)
        };
        let found = best_of_all(&all, limit, of, ask).await?;
        Ok(found.into_iter().map(|(candidate, _)| candidate).collect())
    }

    /// The `limit` best rows of each project, as far as PostgreSQL can tell, with their scores.
    async fn best(
        &self,
        projects: &[ProjectId],
        within: &Within,
        expression: &Expression,
        weights: &HashMap<ProjectId, String>,
        limit: usize,
    ) -> Result<Vec<(Candidate, f64)>> {
        let condition = if expression.is_selective() { expression.condition() } else { "true".into() };
        let of_project = |project: &ProjectId| {
            let text = weights.get(project)?;
            let (number, pages) = (project.number, only(within, *project));
            Some(format!(
                "SELECT {number}, page, passage, -bm25_get_current_score() FROM (
                     SELECT page, passage FROM ubp.passages WHERE project = {number} AND ({condition}){pages}
                     ORDER BY tokens <@> to_bm25query('{text}', 'ubp.passages_bm25') LIMIT {limit}
                 ) AS found"
            ))
        };
        let asked = by_server(projects, |id| **id).into_iter().map(|(server, projects)| async move {
            let sql: Vec<String> = projects.into_iter().filter_map(of_project).collect();
            match sql.is_empty() {
                true => Ok(Vec::new()),
                false => self.best_on(server, &sql.join(" UNION ALL ")).await,
            }
        });
        Ok(try_join_all(asked).await?.concat())
    }

    /// Candidates that a statement finds on a server, with their scores.
    async fn best_on(&self, server: usize, sql: &str) -> Result<Vec<(Candidate, f64)>> {
        let whole = self.server(server)?;
        let plan_with = async |others: &str| {
            let sql = format!(
                "SET LOCAL enable_seqscan = {others}; SET LOCAL enable_bitmapscan = {others}; SET LOCAL enable_sort = {others}"
            );
            whole.batch_execute(&sql).await.or_failure()
        };
        // Only a scan of the index in its order has scores. Beside the order in one list, PostgreSQL would compute each
        // score again, which takes forty times as long.
        plan_with("off").await?;
        let rows = whole.query(sql, &[]).await.or_failure()?;
        plan_with("on").await?;
        // Rows without any of the words come too.
        let scored = rows.iter().map(|row| (Candidate::read(server, row), row.get::<_, f64>(3)));
        Ok(scored.filter(|(_, score)| *score > 0.0).collect())
    }

    /// All rows that match, and maybe others, unless they are many.
    async fn all_rows(
        &self,
        projects: &[Project],
        within: &Within,
        expression: &Expression,
        limit: usize,
    ) -> Result<Option<Vec<Candidate>>> {
        let most = MOST_SCORED.max(limit);
        let Some((tokens, patterns)) = expression.required().filter(|_| !projects.is_empty()) else {
            return Ok(Some(Vec::new()));
        };
        let projects: Vec<ProjectId> = projects.iter().map(|project| project.id).collect();
        let rows = if within.is_empty() {
            let sql = "SELECT project, page, passage FROM ubp.passages WHERE project = ANY ($1)
                 AND to_tsvector('simple', tokens) @@ $2::text::tsquery AND tokens LIKE ALL ($3::text[]) LIMIT $4";
            let limit = i64::try_from(most + 1).unwrap_or(i64::MAX);
            self.rows_on_all(&projects, sql, &[&tokens, &patterns, &limit]).await?
        } else {
            let of_project = |project: &ProjectId| {
                let number = project.number;
                format!(
                    "SELECT {number}, page, passage FROM ubp.passages WHERE project = {number} AND ({}){}",
                    expression.condition(),
                    only(within, *project)
                )
            };
            let asked = by_server(&projects, |id| **id).into_iter().map(|(server, projects)| async move {
                let sql = projects.into_iter().map(of_project).collect::<Vec<_>>().join(" UNION ALL ");
                let rows = self.server(server)?.query(&format!("{sql} LIMIT {}", most + 1), &[]).await;
                Ok::<_, Error>(rows.or_failure()?.into_iter().map(|row| (server, row)).collect::<Vec<_>>())
            });
            try_join_all(asked).await?.into_iter().flatten().collect()
        };
        let all = rows.iter().map(|(server, row)| Candidate::read(*server, row));
        Ok((rows.len() <= most).then(|| all.collect()))
    }

    /// The query for each project. PostgreSQL weighs words by their rarity in the partition; words that are rarer in all
    /// projects than there are repeated.
    fn weights(
        projects: &[Project],
        expression: &Expression,
        statistics: &Statistics,
    ) -> HashMap<ProjectId, String> {
        let mut wanted: HashMap<String, f64> = HashMap::new();
        for (phrase, idf) in expression.phrases.iter().zip(statistics.rarities(expression)) {
            let Some((last, others)) = phrase.tokens.split_last() else { continue };
            let part = idf / phrase.tokens.len() as f64;
            for token in others {
                *wanted.entry(token.clone()).or_default() += part;
            }
            if phrase.is_open {
                for token in statistics.endings(last) {
                    *wanted.entry(token.clone()).or_default() += part;
                }
            } else {
                *wanted.entry(last.clone()).or_default() += part;
            }
        }
        let largest = wanted.values().copied().fold(f64::MIN_POSITIVE, f64::max);
        let text = |project: ProjectId| {
            let mut text = String::new();
            let mut words: Vec<(&String, f64)> = wanted.iter().map(|(token, idf)| (token, *idf)).collect();
            words.sort_by(|a, b| a.0.cmp(b.0));
            for (token, idf) in words {
                // Of a project that is visible in part, the rarity there is not known.
                let there = statistics.rarity_there(project, token).unwrap_or(idf.max(largest / 10.0));
                let times = (REPEATED * idf / there).round() as usize;
                for _ in 0..times.clamp(1, MOST_REPEATED) {
                    text.push_str(token);
                    text.push(' ');
                }
            }
            text
        };
        projects.iter().map(|project| (project.id, text(project.id))).collect()
    }

    /// The rows of candidates.
    async fn rows(&self, candidates: &[Candidate]) -> Result<Vec<Row>> {
        let sql = "SELECT project, page, passage, section, path, length, tokens
             FROM unnest($1::integer[], $2::bigint[], $3::integer[]) AS wanted(project, page, passage)
             JOIN ubp.passages USING (project, page, passage)";
        let asked = by_server(candidates, |one| one.project).into_iter().map(|(server, own)| async move {
            let projects: Vec<i32> = own.iter().map(|one| one.project.number).collect();
            let pages: Vec<i64> = own.iter().map(|one| one.page).collect();
            let passages: Vec<i32> = own.iter().map(|one| one.passage).collect();
            let rows = self.rows_of(server, sql, &[&projects, &pages, &passages]).await?;
            Ok::<_, Error>(rows.iter().map(|row| Row::read(server, row)).collect::<Vec<_>>())
        });
        Ok(try_join_all(asked).await?.into_iter().flatten().collect())
    }
}

/// Refuses an answer of an index that lost its rows: it finds nothing, although the words are known to be there.
fn check_words_are_found(
    projects: &[ProjectId],
    weights: &HashMap<ProjectId, String>,
    statistics: &Statistics,
    found: &[(Candidate, f64)],
) -> Result<()> {
    let with_rows: HashSet<ProjectId> = found.iter().map(|(candidate, _)| candidate.project).collect();
    let has_words = |project: ProjectId| {
        let words = weights.get(&project).map_or("", String::as_str);
        words.split(' ').any(|token| statistics.rarity_there(project, token).is_some())
    };
    match projects.iter().any(|project| !with_rows.contains(project) && has_words(*project)) {
        true => Err(words_lost()),
        false => Ok(()),
    }
}

/// The condition that a row is of a page that may be found.
pub(super) fn only(within: &Within, project: ProjectId) -> String {
    let of_pages = |pages: &Vec<i64>| format!(" AND page = ANY ('{}'::bigint[])", list(pages));
    within.get(&project).map_or_else(String::new, of_pages)
}
