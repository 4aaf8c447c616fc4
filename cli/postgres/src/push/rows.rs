//! Deleting and writing the rows of pages.

use std::collections::{BTreeSet, HashMap};
use std::pin::pin;

use pgvector::HalfVector;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tokio_postgres::Transaction;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{ToSql, Type};
use ubp_core::index::Stemmer;
use ubp_core::index::published::{PageState, PublishedPage};
use ubp_core::{Result, message};

use crate::expression::{first_character, pair};
use crate::failure::{OrFailure as _, failure};
use crate::tokens::{self, Columns};

/// Maximum number of terms in one statement.
const MOST_TERMS: usize = 20_000;

type Row = Vec<Box<dyn ToSql + Sync + Send>>;

/// What changes in the numbers of a project.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Totals {
    pub rows: i64,
    pub tokens: i64,
    pub vectors: i64,
}

/// The rows of one project.
pub(super) struct Writing<'a> {
    whole: &'a Transaction<'a>,
    project: i32,
    passages: &'a str,
    /// By how many rows more or fewer have each token, and each pair of adjacent ones.
    terms: HashMap<String, i64>,
    pub totals: Totals,
    pub rows: usize,
    pub vectors: usize,
}

macro_rules! row {
    ($($value:expr),+ $(,)?) => { vec![$(Box::new($value) as Box<dyn ToSql + Sync + Send>),+] };
}

fn small(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// Text that PostgreSQL can store, which cannot contain the character NUL.
fn text(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

fn texts(list: &[String]) -> Vec<String> {
    list.iter().map(|one| text(one)).collect()
}

/// JSON without NUL, which `jsonb` refuses.
fn json(value: Value) -> Value {
    match value {
        Value::String(one) => Value::String(text(&one)),
        Value::Array(list) => Value::Array(list.into_iter().map(json).collect()),
        Value::Object(fields) => {
            Value::Object(fields.into_iter().map(|(key, value)| (text(&key), json(value))).collect())
        }
        other => other,
    }
}

impl<'a> Writing<'a> {
    /// `passages` is the table for rows of the full text.
    pub fn new(whole: &'a Transaction<'a>, project: i32, passages: &'a str) -> Self {
        let (terms, totals) = (HashMap::new(), Totals::default());
        Self { whole, project, passages, terms, totals, rows: 0, vectors: 0 }
    }

    /// Deletes everything of pages.
    pub async fn remove(&mut self, pages: &[i64]) -> Result<()> {
        if pages.is_empty() {
            return Ok(());
        }
        let sql = "DELETE FROM ubp.passages WHERE project = $1 AND page = ANY ($2) RETURNING tokens, length";
        for row in self.whole.query(sql, &[&self.project, &pages]).await.or_failure()? {
            self.totals.rows -= 1;
            self.totals.tokens -= i64::from(row.get::<_, i32>(1));
            self.count(row.get(0), -1);
        }
        let sql = "DELETE FROM ubp.vectors WHERE project = $1 AND page = ANY ($2)";
        let vectors = self.whole.execute(sql, &[&self.project, &pages]).await.or_failure()?;
        self.totals.vectors -= i64::try_from(vectors).unwrap_or(i64::MAX);
        for table in ["sections", "links", "sources", "pages"] {
            let sql = format!("DELETE FROM ubp.{table} WHERE project = $1 AND page = ANY ($2)");
            self.whole.execute(&sql, &[&self.project, &pages]).await.or_failure()?;
        }
        Ok(())
    }

    /// Notes that one row more or fewer has these tokens, their first characters, and pairs of adjacent ones.
    fn count(&mut self, tokens: &str, by: i64) {
        let columns = Columns::read(tokens);
        let mut terms: BTreeSet<String> = BTreeSet::new();
        for column in &columns.0 {
            terms.extend(column.iter().map(|token| (*token).to_owned()));
            terms.extend(column.iter().filter_map(|token| first_character(token)));
            terms.extend(column.windows(2).map(|two| pair(two[0], two[1])));
        }
        for term in terms {
            *self.terms.entry(term).or_default() += by;
        }
    }

    /// Writes pages.
    pub async fn add(
        &mut self,
        pages: &[PublishedPage],
        states: &[PageState],
        next_page: &mut i64,
        stemmer: &mut Stemmer,
        dimensions: usize,
        freshness: impl Fn(&PublishedPage) -> Option<Value>,
    ) -> Result<()> {
        let project = self.project;
        let mut full_text = tokens::rows(stemmer, pages)?.into_iter();
        let [mut page_rows, mut sections, mut passages, mut vectors]: [Vec<Row>; 4] = Default::default();
        let [mut links, mut sources]: [Vec<Row>; 2] = Default::default();
        for (page, state) in pages.iter().zip(states) {
            let number = *next_page;
            *next_page += 1;
            let path = || text(&page.path);
            let front_matter = json(serde_json::from_str(&page.front_matter).unwrap_or_default());
            page_rows.push(row![
                project,
                number,
                path(),
                text(&page.doc_id),
                text(&page.title),
                texts(&page.aliases),
                text(&page.doc_type),
                texts(&page.tags),
                front_matter,
                page.created_at.clone(),
                page.updated_at.clone(),
                freshness(page),
                page.hash.to_vec(),
                state.content.to_vec(),
                state.links.to_vec(),
            ]);
            let mut passage = 0;
            for (at, section) in page.sections.iter().enumerate() {
                sections.push(row![
                    project,
                    number,
                    small(at),
                    path(),
                    text(&section.id),
                    i16::from(section.level),
                    small(section.lines.0),
                    small(section.lines.1),
                    texts(&section.heading_path),
                    text(&section.text),
                ]);
                for one in &section.passages {
                    let Some(row) = full_text.next() else { break };
                    self.count(&row.tokens, 1);
                    self.totals.rows += 1;
                    self.totals.tokens += i64::from(small(row.length));
                    passages.push(row![
                        project,
                        number,
                        passage,
                        small(at),
                        path(),
                        small(one.bytes.0),
                        small(one.bytes.1),
                        small(one.lines.0),
                        small(one.lines.1),
                        small(row.length),
                        row.tokens,
                    ]);
                    passage += 1;
                }
                let usable = section.vectors.iter().enumerate().filter(|(_, vector)| {
                    vector.numbers.len() == dimensions && vector.numbers.iter().all(|x| x.is_finite())
                });
                for (ordinal, vector) in usable {
                    vectors.push(row![
                        project,
                        number,
                        small(at),
                        small(ordinal),
                        path(),
                        small(vector.middle),
                        lot(&page.path, at, ordinal),
                        HalfVector::from_f32_slice(&vector.numbers),
                    ]);
                }
            }
            links.extend(self.links(number, page));
            sources.extend(self.sources(number, page));
        }
        self.rows += passages.len();
        self.vectors += vectors.len();
        self.totals.vectors += i64::try_from(vectors.len()).unwrap_or(i64::MAX);
        self.copy("pages", PAGE, page_rows).await?;
        self.copy("sections", SECTION, sections).await?;
        self.copy("passages", PASSAGE, passages).await?;
        self.copy("vectors", VECTOR, vectors).await?;
        self.copy("links", LINK, links).await?;
        self.copy("sources", SOURCE, sources).await
    }

    fn links(&self, number: i64, page: &PublishedPage) -> Vec<Row> {
        let project = self.project;
        let row = |(at, link): (usize, &ubp_core::index::published::PublishedLink)| {
            row![
                project,
                number,
                small(at),
                text(&page.path),
                small(link.line),
                i16::try_from(link.kind).unwrap_or(0),
                text(&link.link_type),
                text(&link.target),
                link.text.as_deref().map(text),
                text(&link.context),
                i16::try_from(link.state).unwrap_or(0),
                link.target_path.as_deref().map(text),
                link.source.as_deref().map(text),
                link.anchor.as_deref().map(text),
                link.ambiguous,
            ]
        };
        page.links.iter().enumerate().map(row).collect()
    }

    fn sources(&self, number: i64, page: &PublishedPage) -> Vec<Row> {
        let row = |(source, line): &(String, usize)| {
            row![self.project, number, text(&page.path), text(source), small(*line)]
        };
        page.sources.iter().map(row).collect()
    }

    /// Writes the links of a page again.
    pub async fn relink(&mut self, number: i64, page: &PublishedPage, state: &[u8; 32]) -> Result<()> {
        let sql = "DELETE FROM ubp.links WHERE project = $1 AND page = $2";
        self.whole.execute(sql, &[&self.project, &number]).await.or_failure()?;
        self.copy("links", LINK, self.links(number, page)).await?;
        let sql = "UPDATE ubp.pages SET links = $3 WHERE project = $1 AND page = $2";
        self.whole.execute(sql, &[&self.project, &number, &state.as_slice()]).await.or_failure()?;
        Ok(())
    }

    /// Writes the freshness of a page.
    pub async fn reassess(&mut self, number: i64, freshness: Option<&Value>) -> Result<()> {
        let sql = "UPDATE ubp.pages SET freshness = $3 WHERE project = $1 AND page = $2";
        self.whole.execute(sql, &[&self.project, &number, &freshness]).await.or_failure()?;
        Ok(())
    }

    /// Writes in how many rows the terms of the deleted and written pages are now.
    pub async fn write_terms(&mut self) -> Result<()> {
        let mut terms: Vec<(String, i64)> = self.terms.drain().filter(|(_, by)| *by != 0).collect();
        // Two pushes to different projects touch different partitions; within one, the order is always the same.
        terms.sort_unstable();
        for part in terms.chunks(MOST_TERMS) {
            let (names, by): (Vec<&str>, Vec<i64>) =
                part.iter().map(|(term, by)| (term.as_str(), *by)).unzip();
            let sql = "INSERT INTO ubp.terms(project, term, rows) SELECT $1, * FROM unnest($2::text[], $3::bigint[])
                 ON CONFLICT (project, term) DO UPDATE SET rows = terms.rows + excluded.rows";
            self.whole.execute(sql, &[&self.project, &names, &by]).await.or_failure()?;
            let sql = "DELETE FROM ubp.terms WHERE project = $1 AND term = ANY ($2) AND rows <= 0";
            self.whole.execute(sql, &[&self.project, &names]).await.or_failure()?;
        }
        Ok(())
    }

    async fn copy(&self, table: &str, columns: &[(&str, Type)], rows: Vec<Row>) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        let names = names.join(", ");
        // PostgreSQL does not copy into tables with row security.
        let sql = format!(
            "CREATE TEMPORARY TABLE IF NOT EXISTS ubp_{table} (LIKE ubp.{table}) ON COMMIT DROP;
             TRUNCATE pg_temp.ubp_{table}"
        );
        self.whole.batch_execute(&sql).await.or_failure()?;
        let sql = format!("COPY pg_temp.ubp_{table} ({names}) FROM STDIN BINARY");
        let mut types: Vec<Type> = columns.iter().map(|(_, kind)| kind.clone()).collect();
        if table == "vectors"
            && let Some(last) = types.last_mut()
        {
            *last = self.halfvec().await?;
        }
        let sink = self.whole.copy_in(&sql).await.or_failure()?;
        let mut writer = pin!(BinaryCopyInWriter::new(sink, &types));
        for row in &rows {
            let values: Vec<&(dyn ToSql + Sync)> = row.iter().map(|value| &**value as _).collect();
            writer.as_mut().write(&values).await.or_failure()?;
        }
        writer.finish().await.or_failure()?;
        let into = if table == "passages" { self.passages } else { table };
        let sql = format!("INSERT INTO ubp.{into} ({names}) SELECT {names} FROM pg_temp.ubp_{table}");
        self.whole.batch_execute(&sql).await.or_failure()
    }

    /// The type of vectors, whose number differs between databases.
    async fn halfvec(&self) -> Result<Type> {
        let statement = self.whole.prepare("SELECT NULL::halfvec").await.or_failure()?;
        let found = statement.columns().first().map(|column| column.type_().clone());
        found.ok_or_else(|| failure(message!("this PostgreSQL lacks the type halfvec")))
    }
}

/// A number that is random, but the same for the same vector, so that samples do not change without need.
fn lot(path: &str, section: usize, ordinal: usize) -> i32 {
    let hash = Sha256::new()
        .chain_update(path)
        .chain_update(section.to_le_bytes())
        .chain_update(ordinal.to_le_bytes());
    hash.finalize().first_chunk::<4>().map_or(0, |bytes| i32::from_le_bytes(*bytes))
}

const PAGE: &[(&str, Type)] = &[
    ("project", Type::INT4),
    ("page", Type::INT8),
    ("path", Type::TEXT),
    ("doc_id", Type::TEXT),
    ("title", Type::TEXT),
    ("aliases", Type::TEXT_ARRAY),
    ("doc_type", Type::TEXT),
    ("tags", Type::TEXT_ARRAY),
    ("front_matter", Type::JSONB),
    ("created_at", Type::TEXT),
    ("updated_at", Type::TEXT),
    ("freshness", Type::JSONB),
    ("hash", Type::BYTEA),
    ("content", Type::BYTEA),
    ("links", Type::BYTEA),
];
const SECTION: &[(&str, Type)] = &[
    ("project", Type::INT4),
    ("page", Type::INT8),
    ("section", Type::INT4),
    ("path", Type::TEXT),
    ("section_id", Type::TEXT),
    ("level", Type::INT2),
    ("first_line", Type::INT4),
    ("last_line", Type::INT4),
    ("heading_path", Type::TEXT_ARRAY),
    ("text", Type::TEXT),
];
const PASSAGE: &[(&str, Type)] = &[
    ("project", Type::INT4),
    ("page", Type::INT8),
    ("passage", Type::INT4),
    ("section", Type::INT4),
    ("path", Type::TEXT),
    ("first_byte", Type::INT4),
    ("last_byte", Type::INT4),
    ("first_line", Type::INT4),
    ("last_line", Type::INT4),
    ("length", Type::INT4),
    ("tokens", Type::TEXT),
];
const VECTOR: &[(&str, Type)] = &[
    ("project", Type::INT4),
    ("page", Type::INT8),
    ("section", Type::INT4),
    ("ordinal", Type::INT4),
    ("path", Type::TEXT),
    ("middle", Type::INT4),
    ("lot", Type::INT4),
    // The number of the type in this database comes in its place.
    ("embedding", Type::BYTEA),
];
const LINK: &[(&str, Type)] = &[
    ("project", Type::INT4),
    ("page", Type::INT8),
    ("link", Type::INT4),
    ("path", Type::TEXT),
    ("line", Type::INT4),
    ("kind", Type::INT2),
    ("link_type", Type::TEXT),
    ("target", Type::TEXT),
    ("text", Type::TEXT),
    ("context", Type::TEXT),
    ("state", Type::INT2),
    ("target_path", Type::TEXT),
    ("source", Type::TEXT),
    ("anchor", Type::TEXT),
    ("ambiguous", Type::BOOL),
];
const SOURCE: &[(&str, Type)] = &[
    ("project", Type::INT4),
    ("page", Type::INT8),
    ("path", Type::TEXT),
    ("source", Type::TEXT),
    ("line", Type::INT4),
];
