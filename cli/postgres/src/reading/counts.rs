//! How many rows have what: the frequencies that scores come from, over all selected projects.
//!
//! Those of tokens, of pairs of tokens and of first characters are kept by `ubp push`. Rows are counted only for longer phrases
//! and beginnings of words, in the projects that can have them. All are exact but one: that connected words are in every row
//! with the same as one word is taken from the barrier before it, which the first part of an identifier has too.

use std::collections::{BTreeSet, HashMap, HashSet};

use futures_util::future::try_join_all;
use tokio_postgres::Row;
use ubp_core::Result;
use ubp_core::text::BARRIER;

use super::words::Asked;
use super::{Project, ProjectId, Snapshot};
use crate::expression::{Expression, Phrase, pair, rarity};
use crate::tokens::written;

/// Maximum number of tokens that an unfinished word may become.
const MOST_ENDINGS: usize = 30;
/// Maximum number of alternatives whose common rows are counted one by one.
const MOST_ALTERNATIVES: usize = 4;

/// What ranking needs to know about all rows of the selected projects.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Statistics {
    /// Number of rows of the full text.
    pub rows: u64,
    /// Number of tokens in them.
    pub tokens: u64,
    /// For each of [`ubp_core::text::Query::active_alternatives`], the number of rows that have it.
    pub alternatives: Vec<u64>,
    /// For each of [`ubp_core::text::Query::function_words`], the number of rows that have it.
    pub function_words: Vec<u64>,
    /// Number of rows with each phrase of the query.
    phrases: HashMap<Phrase, u64>,
    /// Number of rows of each project that is visible as a whole.
    of_projects: HashMap<ProjectId, u64>,
    /// In how many of them each term is.
    terms: Terms,
    /// The most frequent tokens that begin like an unfinished word.
    endings: HashMap<String, Vec<String>>,
}

/// In how many rows of each project a token, or a pair of adjacent ones, is.
type Terms = HashMap<String, HashMap<ProjectId, u64>>;

impl Statistics {
    /// Mean number of tokens in a row.
    pub(super) fn average(&self) -> f64 {
        self.tokens as f64 / self.rows.max(1) as f64
    }

    pub(super) fn rarities(&self, expression: &Expression) -> Vec<f64> {
        let rows = |phrase: &Phrase| self.phrases.get(phrase).copied().unwrap_or(0);
        expression.phrases.iter().map(|phrase| rarity(rows(phrase), self.rows)).collect()
    }

    /// The most frequent tokens that begin with `start`.
    pub(super) fn endings(&self, start: &str) -> &[String] {
        self.endings.get(start).map_or(&[], Vec::as_slice)
    }

    /// How much pg_textsearch weighs a token in a project; `None` if it is not known there.
    pub(super) fn rarity_there(&self, project: ProjectId, token: &str) -> Option<f64> {
        let with = *self.terms.get(token)?.get(&project)? as f64;
        let all = *self.of_projects.get(&project)? as f64;
        Some((1.0 + (all - with + 0.5).max(0.0) / (with + 0.5)).ln().max(1e-3))
    }

    /// The number of rows with a phrase in the projects that are visible as a whole, or the projects whose rows have to be
    /// counted.
    fn of_phrase(&self, phrase: &Phrase) -> std::result::Result<u64, Vec<ProjectId>> {
        let terms = phrase.terms();
        let rows = |term: &String| self.terms.get(term);
        match terms.as_slice() {
            _ if phrase.tokens.is_empty() => Ok(0),
            [term] if phrase.is_counted() => Ok(rows(term).map_or(0, |rows| rows.values().sum())),
            _ => {
                let has_all = |project: &ProjectId| {
                    terms.iter().all(|term| rows(term).is_some_and(|of| of.contains_key(project)))
                };
                let mut projects: Vec<ProjectId> = self.of_projects.keys().copied().filter(has_all).collect();
                projects.sort_unstable();
                if projects.is_empty() { Ok(0) } else { Err(projects) }
            }
        }
    }
}

impl Snapshot<'_> {
    pub(super) async fn statistics_of(&self, projects: &[Project], asked: &Asked) -> Result<Statistics> {
        let projects: Vec<ProjectId> = projects.iter().map(|project| project.id).collect();
        // Of projects that are visible in part, the numbers of all rows are not.
        let sql = "SELECT project, rows, tokens FROM ubp.statistics WHERE project = ANY ($1)";
        let mut statistics = Statistics::default();
        for (server, row) in self.rows_on_all(&projects, sql, &[]).await? {
            let rows = size(row.get(1));
            statistics.of_projects.insert(ProjectId { server, number: row.get(0) }, rows);
            statistics.rows += rows;
            statistics.tokens += size(row.get(2));
        }
        let is_part = |project: &ProjectId| !statistics.of_projects.contains_key(project);
        let parts: Vec<ProjectId> = projects.iter().copied().filter(is_part).collect();
        let sql =
            "SELECT count(*), coalesce(sum(length), 0)::bigint FROM ubp.passages WHERE project = ANY ($1)";
        for (_, row) in self.rows_on_all(&parts, sql, &[]).await? {
            statistics.rows += size(row.get(0));
            statistics.tokens += size(row.get(1));
        }
        let expressions: Vec<&Expression> = asked.alternatives.iter().chain(&asked.function_words).collect();
        let mut phrases = asked.phrases();
        phrases.extend(expressions.iter().flat_map(|expression| &expression.phrases));
        let of_alternatives = asked.alternatives.iter().filter_map(Expression::any_of);
        let joined = of_alternatives.filter(|phrases| phrases.len() > 1).flatten();
        let joined = joined.filter(|phrase| phrase.tokens.len() == 1).map(|phrase| behind(&phrase.tokens[0]));
        self.read_terms(&mut statistics, &phrases, joined.collect()).await?;
        let counted = try_join_all(phrases.into_iter().map(|phrase| async {
            Ok::<_, ubp_core::Error>((phrase.clone(), self.with_phrase(&statistics, &parts, phrase).await?))
        }));
        statistics.phrases = counted.await?.into_iter().collect();
        let counts = expressions.iter().map(|expression| self.with_any(&statistics, &projects, expression));
        let mut counts = try_join_all(counts).await?.into_iter();
        statistics.alternatives = counts.by_ref().take(asked.alternatives.len()).collect();
        statistics.function_words = counts.collect();
        Ok(statistics)
    }

    /// Reads how frequent `terms` are, the tokens of these phrases, and pairs of them.
    async fn read_terms(
        &self,
        statistics: &mut Statistics,
        phrases: &HashSet<&Phrase>,
        mut terms: BTreeSet<String>,
    ) -> Result<()> {
        let whole: Vec<ProjectId> = statistics.of_projects.keys().copied().collect();
        for phrase in phrases {
            terms.extend(phrase.terms());
            terms.extend(phrase.tokens.iter().cloned());
            let Some(start) = phrase.tokens.last().filter(|_| phrase.is_open) else { continue };
            let endings = self.endings_of(&whole, start).await?;
            terms.extend(endings.iter().cloned());
            statistics.endings.insert(start.clone(), endings);
        }
        let terms: Vec<String> = terms.into_iter().collect();
        let sql = "SELECT project, term, rows FROM ubp.terms WHERE project = ANY ($1) AND term = ANY ($2)";
        for (server, row) in self.rows_on_all(&whole, sql, &[&terms]).await? {
            let project = ProjectId { server, number: row.get(0) };
            statistics.terms.entry(row.get(1)).or_default().insert(project, size(row.get(2)));
        }
        Ok(())
    }

    /// The most frequent tokens that begin with `start`.
    async fn endings_of(&self, projects: &[ProjectId], start: &str) -> Result<Vec<String>> {
        let sql = "SELECT term, sum(rows)::bigint FROM ubp.terms WHERE project = ANY ($1) AND term >= $2 AND term < $3
             GROUP BY term ORDER BY sum(rows) DESC, term LIMIT $4";
        let limit = i64::try_from(MOST_ENDINGS).unwrap_or(i64::MAX);
        let mut rows: HashMap<String, u64> = HashMap::new();
        for (_, row) in self.rows_on_all(projects, sql, &[&start, &format!("{start}{{"), &limit]).await? {
            *rows.entry(row.get(0)).or_default() += size(row.get(1));
        }
        let mut endings: Vec<(String, u64)> = rows.into_iter().collect();
        endings.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        Ok(endings.into_iter().take(MOST_ENDINGS).map(|(term, _)| term).collect())
    }

    /// Number of rows with a phrase.
    async fn with_phrase(
        &self,
        statistics: &Statistics,
        parts: &[ProjectId],
        phrase: &Phrase,
    ) -> Result<u64> {
        let (known, mut projects) = match statistics.of_phrase(phrase) {
            Ok(known) => (known, Vec::new()),
            Err(projects) => (0, projects),
        };
        projects.extend(parts);
        Ok(known + self.with_all(&projects, &[phrase]).await?)
    }

    /// Number of rows that match, which are mostly those with any of a few phrases.
    async fn with_any(
        &self,
        statistics: &Statistics,
        all: &[ProjectId],
        expression: &Expression,
    ) -> Result<u64> {
        let rows = |phrase: &Phrase| statistics.phrases.get(phrase).copied().unwrap_or(0);
        let found: Option<Vec<&Phrase>> = expression
            .any_of()
            .map(|phrases| phrases.into_iter().filter(|phrase| rows(phrase) > 0).collect());
        let Some(found) = found.filter(|found| found.len() <= MOST_ALTERNATIVES) else {
            let condition = expression.condition();
            let sql = format!("SELECT count(*) FROM ubp.passages WHERE project = ANY ($1) AND {condition}");
            return Ok(count_in(&self.rows_on_all(all, &sql, &[]).await?));
        };
        // The principle of inclusion and exclusion: rows with two of them were counted twice, and so on.
        let mut count = found.iter().map(|phrase| signed(rows(phrase))).sum::<i64>();
        for several in 3_usize..1 << found.len() {
            let chosen: Vec<&Phrase> =
                (0..found.len()).filter(|at| several & (1 << at) != 0).map(|at| found[at]).collect();
            let common = match chosen.as_slice() {
                [] | [_] => continue,
                [words, joined] => self.with_joined(statistics, all, words, joined).await?,
                several => self.with_all(all, several).await?,
            };
            count += if chosen.len().is_multiple_of(2) { -signed(common) } else { signed(common) };
        }
        Ok(size(count))
    }

    /// Number of rows with both of two alternatives, which are mostly connected words and the same as one. A row with the
    /// latter behind a barrier has the words too: see [`ubp_core::text::index_terms`].
    async fn with_joined(
        &self,
        statistics: &Statistics,
        all: &[ProjectId],
        words: &Phrase,
        joined: &Phrase,
    ) -> Result<u64> {
        let known = |term: &str, project: &ProjectId| Some(*statistics.terms.get(term)?.get(project)?);
        let (mut both, mut others) = (0, Vec::new());
        let token = joined.tokens.first().filter(|_| joined.tokens.len() == 1 && !joined.is_open);
        let is_joined = token.filter(|_| words.tokens.len() > 1);
        for project in all {
            let is_whole = statistics.of_projects.contains_key(project);
            let rows = is_joined.filter(|_| is_whole).map(|token| {
                (known(token, project).unwrap_or(0), known(&behind(token), project).unwrap_or(0))
            });
            match rows {
                Some((rows, joined)) if rows == joined => both += rows,
                _ => others.push(*project),
            }
        }
        Ok(both + self.with_all(&others, &[words, joined]).await?)
    }

    /// Number of rows with all of these phrases.
    async fn with_all(&self, projects: &[ProjectId], phrases: &[&Phrase]) -> Result<u64> {
        let tokens: Option<Vec<String>> = phrases.iter().map(|phrase| phrase.tsquery()).collect();
        let Some(tokens) = tokens.filter(|_| !projects.is_empty()) else { return Ok(0) };
        let of_several = phrases.iter().filter(|phrase| phrase.tokens.len() > 1);
        let patterns: Vec<String> = of_several.filter_map(|phrase| phrase.pattern()).collect();
        let tokens = tokens.join(" & ");
        let sql = "SELECT count(*) FROM ubp.passages WHERE project = ANY ($1)
             AND to_tsvector('simple', tokens) @@ $2::text::tsquery AND tokens LIKE ALL ($3::text[])";
        Ok(count_in(&self.rows_on_all(projects, sql, &[&tokens, &patterns]).await?))
    }
}

/// The sum of what each server has counted.
fn count_in(rows: &[(usize, Row)]) -> u64 {
    rows.iter().map(|(_, row)| size(row.get(0))).sum()
}

/// The term for a token that follows a barrier.
fn behind(token: &str) -> String {
    pair(&written(BARRIER), token)
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn size(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}
