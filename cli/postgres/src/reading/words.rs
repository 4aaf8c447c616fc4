//! Search by words: PostgreSQL finds candidates, and they are scored here, with the formula, the weights and the tokens of
//! the engine, over the statistics of all selected projects.

use std::collections::{HashMap, HashSet};

use ubp_core::Result;
use ubp_core::index::Stemmer;
use ubp_core::search::NEIGHBOURS;
use ubp_core::text::Query;

use super::{Project, Snapshot, list, number};
use crate::expression::{Expression, Phrase, bm25, rarity};
use crate::failure::OrFailure as _;
use crate::tokens::Columns;

/// How many candidates are scored for each result: the order of PostgreSQL differs a little from that of the engine.
const SPARE: usize = 2;
/// Repeating a word in a query weighs it more. A word of average weight is repeated so often.
const REPEATED: f64 = 6.0;
/// Maximum number of repetitions.
const MOST_REPEATED: usize = 60;
/// Fewest rows that a project is asked for.
const FEWEST: usize = 40;
/// Maximum number of rows that are scored here without a choice by PostgreSQL.
const MOST_SCORED: usize = 2_000;
/// Maximum number of tokens that an unfinished word may become.
const MOST_ENDINGS: i64 = 30;

/// The pages that may be found, by project; all of the projects that are absent.
pub type Within = HashMap<i32, Vec<i64>>;

/// A section whose words match.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// Number of its project.
    pub project: i32,
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

/// What ranking needs to know about all rows of the selected projects.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Statistics {
    /// Number of rows of the full text.
    pub rows: u64,
    /// Number of tokens in them.
    pub tokens: u64,
    /// For each of [`Query::active_alternatives`], the number of rows that have it.
    pub alternatives: Vec<u64>,
    /// For each of [`Query::function_words`], the number of rows that have it.
    pub function_words: Vec<u64>,
    /// Number of rows with each phrase of the query.
    phrases: HashMap<Phrase, u64>,
}

impl Statistics {
    fn average(&self) -> f64 {
        self.tokens as f64 / self.rows.max(1) as f64
    }

    fn rarities(&self, expression: &Expression) -> Vec<f64> {
        let rows = |phrase: &Phrase| self.phrases.get(phrase).copied().unwrap_or(0);
        expression.phrases.iter().map(|phrase| rarity(rows(phrase), self.rows)).collect()
    }
}

/// A query as the database is asked.
struct Asked {
    strict: Option<Expression>,
    relaxed: Option<Expression>,
    neighbours: Option<Expression>,
    alternatives: Vec<Expression>,
    function_words: Vec<Expression>,
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

    fn phrases(&self) -> HashSet<&Phrase> {
        let expressions = [&self.strict, &self.relaxed, &self.neighbours].into_iter().flatten();
        expressions.flat_map(|expression| &expression.phrases).collect()
    }
}

/// A row that may be among the best.
struct Candidate {
    project: i32,
    page: i64,
    passage: i32,
}

/// A row with its tokens.
struct Row {
    project: i32,
    page: i64,
    passage: i32,
    section: i32,
    path: String,
    length: i32,
    tokens: String,
}

impl Snapshot<'_> {
    /// What ranking needs to know about all visible rows of these projects.
    ///
    /// # Errors
    /// [`ubp_core::Error::SharedIndex`].
    pub async fn statistics(&self, projects: &[Project], query: &Query) -> Result<Statistics> {
        self.statistics_of(projects, &Asked::of(query)?).await
    }

    async fn statistics_of(&self, projects: &[Project], asked: &Asked) -> Result<Statistics> {
        let numbers: Vec<i32> = projects.iter().map(|project| project.number).collect();
        // Of projects that are visible in part, the numbers of all rows are not.
        let sql = "SELECT project, rows, tokens FROM ubp.statistics WHERE project = ANY ($1)";
        let mut whole = Vec::new();
        let mut statistics = Statistics::default();
        for row in self.whole.query(sql, &[&numbers]).await.or_failure()? {
            whole.push(row.get::<_, i32>(0));
            statistics.rows += u64::try_from(row.get::<_, i64>(1)).unwrap_or(0);
            statistics.tokens += u64::try_from(row.get::<_, i64>(2)).unwrap_or(0);
        }
        let parts: Vec<i32> = numbers.iter().copied().filter(|number| !whole.contains(number)).collect();
        if !parts.is_empty() {
            let sql = "SELECT count(*), coalesce(sum(length), 0)::bigint FROM ubp.passages WHERE project = ANY ($1)";
            let row = self.whole.query_one(sql, &[&parts]).await.or_failure()?;
            statistics.rows += u64::try_from(row.get::<_, i64>(0)).unwrap_or(0);
            statistics.tokens += u64::try_from(row.get::<_, i64>(1)).unwrap_or(0);
        }
        let phrases = asked.phrases().into_iter().map(|phrase| Expression::of(phrase.clone()));
        let phrases: Vec<Expression> = phrases.collect();
        let all: Vec<&Expression> =
            phrases.iter().chain(&asked.alternatives).chain(&asked.function_words).collect();
        let mut counts = self.counts(&whole, &parts, &all).await?.into_iter();
        for expression in phrases {
            let count = counts.next().unwrap_or(0);
            statistics.phrases.extend(expression.phrases.into_iter().map(|phrase| (phrase, count)));
        }
        statistics.alternatives = counts.by_ref().take(asked.alternatives.len()).collect();
        statistics.function_words = counts.collect();
        Ok(statistics)
    }

    /// Number of rows that match each expression: in `whole` projects, and in the visible part of others.
    async fn counts(&self, whole: &[i32], parts: &[i32], expressions: &[&Expression]) -> Result<Vec<u64>> {
        let counted: Vec<Option<String>> =
            expressions.iter().map(|expression| expression.counted()).collect();
        let terms: Vec<&String> = counted.iter().flatten().collect();
        let sql = "SELECT term, sum(rows)::bigint FROM ubp.terms WHERE project = ANY ($1) AND term = ANY ($2) GROUP BY term";
        let rows = self.whole.query(sql, &[&whole, &terms]).await.or_failure()?;
        let known: HashMap<String, u64> =
            rows.iter().map(|row| (row.get(0), u64::try_from(row.get::<_, i64>(1)).unwrap_or(0))).collect();
        let mut asked: HashMap<String, u64> = HashMap::new();
        for (expression, counted) in expressions.iter().zip(&counted) {
            let condition = expression.condition();
            let projects = if counted.is_some() { parts } else { &[whole, parts].concat() };
            if projects.is_empty() || asked.contains_key(&condition) {
                continue;
            }
            let sql = format!("SELECT count(*) FROM ubp.passages WHERE project = ANY ($1) AND {condition}");
            let count: i64 = self.whole.query_one(&sql, &[&projects]).await.or_failure()?.get(0);
            asked.insert(condition, u64::try_from(count).unwrap_or(0));
        }
        let of = |(expression, counted): (&&Expression, &Option<String>)| {
            let known = counted.as_ref().and_then(|term| known.get(term)).copied().unwrap_or(0);
            known + asked.get(&expression.condition()).copied().unwrap_or(0)
        };
        Ok(expressions.iter().zip(&counted).map(of).collect())
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
        let order: HashMap<i32, &str> =
            projects.iter().map(|project| (project.number, project.name.as_str())).collect();
        let mut found = self.find(projects, within, strict, &asked, limit, &statistics, &order).await?;
        if (1..enough).contains(&found.len())
            && let Some(relaxed) = &asked.relaxed
        {
            let known: HashSet<(i32, i64)> = found.iter().map(|one| (one.project, one.section)).collect();
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
        order: &HashMap<i32, &str>,
    ) -> Result<Vec<Match>> {
        let candidates = self.candidates(projects, within, expression, limit * SPARE, statistics).await?;
        let rows = self.rows(&candidates).await?;
        let (rarities, average) = (statistics.rarities(expression), statistics.average());
        let mut found: Vec<(Match, f64)> = Vec::new();
        for row in &rows {
            let columns = Columns::read(&row.tokens);
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
        let weights = self.weights(projects, expression, statistics).await?;
        // Most projects have few of the best rows, so all are asked for a part first.
        let part = (4 * limit).div_ceil(projects.len().max(1)).clamp(FEWEST.min(limit), limit);
        let all: Vec<i32> = projects.iter().map(|project| project.number).collect();
        let mut found = self.best(&all, within, expression, &weights, part).await?;
        let nth = |found: &[(Candidate, f64)]| found.get(limit - 1).map_or(0.0, |(_, score)| *score);
        let mut of_projects: HashMap<i32, (usize, f64)> = HashMap::new();
        for (candidate, score) in &found {
            let (count, least) = of_projects.entry(candidate.project).or_insert((0, f64::INFINITY));
            (*count, *least) = (*count + 1, least.min(*score));
        }
        let least = nth(&found);
        let may_have_more = |project: &i32| {
            of_projects.get(project).is_some_and(|(count, own)| *count >= part && *own > least)
        };
        let more: Vec<i32> = all.into_iter().filter(may_have_more).collect();
        if part < limit && !more.is_empty() {
            found.retain(|(candidate, _)| !more.contains(&candidate.project));
            found.extend(self.best(&more, within, expression, &weights, limit).await?);
            found.sort_by(|a, b| b.1.total_cmp(&a.1));
        }
        found.truncate(limit);
        Ok(found.into_iter().map(|(candidate, _)| candidate).collect())
    }

    /// The `limit` best rows of each project, as far as PostgreSQL can tell, with their scores, best first.
    async fn best(
        &self,
        projects: &[i32],
        within: &Within,
        expression: &Expression,
        weights: &HashMap<i32, String>,
        limit: usize,
    ) -> Result<Vec<(Candidate, f64)>> {
        let best = projects.iter().filter_map(|&number| {
            let text = weights.get(&number)?;
            let condition = condition(within, number, expression);
            Some(format!(
                "SELECT {number}, page, passage, -bm25_get_current_score() FROM (
                     SELECT page, passage FROM ubp.passages WHERE project = {number} AND {condition}
                     ORDER BY tokens <@> to_bm25query('{text}', 'ubp.passages_bm25') LIMIT {limit}
                 ) AS found"
            ))
        });
        let sql = best.collect::<Vec<_>>().join(" UNION ALL ");
        if sql.is_empty() {
            return Ok(Vec::new());
        }
        // Only a scan of the index in its order has scores. Beside the order in one list, PostgreSQL would compute each
        // score again, which takes forty times as long.
        self.plan_with("off").await?;
        let rows = self.whole.query(&sql, &[]).await.or_failure()?;
        self.plan_with("on").await?;
        let row = |row: &tokio_postgres::Row| {
            (Candidate { project: row.get(0), page: row.get(1), passage: row.get(2) }, row.get(3))
        };
        let mut found: Vec<(Candidate, f64)> = rows.iter().map(row).collect();
        // Rows without any of the words come too.
        found.retain(|(_, score)| *score > 0.0);
        found.sort_by(|a, b| b.1.total_cmp(&a.1));
        Ok(found)
    }

    /// All rows that match, unless they are many.
    async fn all_rows(
        &self,
        projects: &[Project],
        within: &Within,
        expression: &Expression,
        limit: usize,
    ) -> Result<Option<Vec<Candidate>>> {
        let most = MOST_SCORED.max(limit);
        let of_project = |project: &Project| {
            let number = project.number;
            format!(
                "SELECT {number}, page, passage FROM ubp.passages WHERE project = {number} AND ({}) AND {}",
                expression.condition(),
                condition(within, number, expression)
            )
        };
        let sql = projects.iter().map(of_project).collect::<Vec<_>>().join(" UNION ALL ");
        if sql.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let rows = self.whole.query(&format!("{sql} LIMIT {}", most + 1), &[]).await.or_failure()?;
        let all =
            rows.iter().map(|row| Candidate { project: row.get(0), page: row.get(1), passage: row.get(2) });
        Ok((rows.len() <= most).then(|| all.collect()))
    }

    async fn plan_with(&self, others: &str) -> Result<()> {
        let sql = format!(
            "SET LOCAL enable_seqscan = {others}; SET LOCAL enable_bitmapscan = {others}; SET LOCAL enable_sort = {others}"
        );
        self.whole.batch_execute(&sql).await.or_failure()
    }

    /// The query for each project. PostgreSQL weighs words by their rarity in the partition; words that are rarer in all
    /// projects than there are repeated.
    async fn weights(
        &self,
        projects: &[Project],
        expression: &Expression,
        statistics: &Statistics,
    ) -> Result<HashMap<i32, String>> {
        let numbers: Vec<i32> = projects.iter().map(|project| project.number).collect();
        let mut wanted: HashMap<String, f64> = HashMap::new();
        for (phrase, idf) in expression.phrases.iter().zip(statistics.rarities(expression)) {
            let Some((last, others)) = phrase.tokens.split_last() else { continue };
            let part = idf / phrase.tokens.len() as f64;
            for token in others {
                *wanted.entry(token.clone()).or_default() += part;
            }
            if phrase.is_open {
                let sql = "SELECT term FROM ubp.terms WHERE project = ANY ($1) AND term >= $2 AND term < $3 AND strpos(term, ' ') = 0
                     GROUP BY term ORDER BY sum(rows) DESC, term LIMIT $4";
                let end = format!("{last}{{");
                let rows =
                    self.whole.query(sql, &[&numbers, last, &end, &MOST_ENDINGS]).await.or_failure()?;
                rows.iter().for_each(|row| *wanted.entry(row.get(0)).or_default() += part);
            } else {
                *wanted.entry(last.clone()).or_default() += part;
            }
        }
        let tokens: Vec<&String> = wanted.keys().collect();
        let sql = "SELECT terms.project, term, terms.rows, statistics.rows FROM ubp.terms
             JOIN ubp.statistics ON statistics.project = terms.project
             WHERE terms.project = ANY ($1) AND term = ANY ($2)";
        let rows = self.whole.query(sql, &[&numbers, &tokens]).await.or_failure()?;
        let mut local: HashMap<(i32, String), f64> = HashMap::new();
        for row in &rows {
            let (with, all): (i64, i64) = (row.get(2), row.get(3));
            local.insert((row.get(0), row.get(1)), idf_there(with as f64, all as f64));
        }
        let largest = wanted.values().copied().fold(f64::MIN_POSITIVE, f64::max);
        let text = |project: i32| {
            let mut text = String::new();
            let mut words: Vec<(&String, f64)> = wanted.iter().map(|(token, idf)| (token, *idf)).collect();
            words.sort_by(|a, b| a.0.cmp(b.0));
            for (token, idf) in words {
                // Of a project that is visible in part, the rarity there is not known.
                let there = local.get(&(project, token.clone())).copied().unwrap_or(idf.max(largest / 10.0));
                let times = (REPEATED * idf / there).round() as usize;
                for _ in 0..times.clamp(1, MOST_REPEATED) {
                    text.push_str(token);
                    text.push(' ');
                }
            }
            text
        };
        Ok(numbers.into_iter().map(|project| (project, text(project))).collect())
    }

    /// The rows of candidates.
    async fn rows(&self, candidates: &[Candidate]) -> Result<Vec<Row>> {
        let mut by_project: HashMap<i32, (Vec<i64>, Vec<i32>)> = HashMap::new();
        for one in candidates {
            let (pages, passages) = by_project.entry(one.project).or_default();
            pages.push(one.page);
            passages.push(one.passage);
        }
        let of_project = |(project, (pages, passages)): (i32, (Vec<i64>, Vec<i32>))| {
            format!(
                "SELECT {project}, page, passage, section, path, length, tokens
                 FROM unnest('{}'::bigint[], '{}'::integer[]) AS wanted(page, passage)
                 JOIN ubp.passages USING (page, passage) WHERE project = {project}",
                list(&pages),
                list(&passages)
            )
        };
        let sql = by_project.into_iter().map(of_project).collect::<Vec<_>>().join(" UNION ALL ");
        if sql.is_empty() {
            return Ok(Vec::new());
        }
        let rows = self.whole.query(&sql, &[]).await.or_failure()?;
        let row = |row: &tokio_postgres::Row| Row {
            project: row.get(0),
            page: row.get(1),
            passage: row.get(2),
            section: row.get(3),
            path: row.get(4),
            length: row.get(5),
            tokens: row.get(6),
        };
        Ok(rows.iter().map(row).collect())
    }
}

/// What a row of a project has to be, if not all of its rows are asked for.
fn condition(within: &Within, project: i32, expression: &Expression) -> String {
    let mut condition = match expression.is_selective() {
        true => format!("({})", expression.condition()),
        false => "true".to_owned(),
    };
    if let Some(pages) = within.get(&project) {
        condition += &format!(" AND page = ANY ('{}'::bigint[])", list(pages));
    }
    condition
}

/// How much pg_textsearch weighs a word that `rows` of `total` rows have.
fn idf_there(rows: f64, total: f64) -> f64 {
    (1.0 + (total - rows + 0.5).max(0.0) / (rows + 0.5)).ln().max(1e-3)
}
