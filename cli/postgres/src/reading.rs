//! Answering from the database: projects, pages, and the candidates of a search with their exact scores.

mod counts;
mod meaning;
mod pages;
mod rounds;
mod vocabulary;
mod words;

use std::sync::{Arc, Mutex, PoisonError};

use deadpool_postgres::{ClientWrapper, Transaction};
use serde::Serialize;
use tokio::runtime::Handle;
use tokio_postgres::IsolationLevel;
use tokio_postgres::types::ToSql;
use ubp_core::index::received::{section_number, section_of};
use ubp_core::{Result, message};

pub use counts::Statistics;
pub use meaning::{Close, Closest};
pub use pages::States;
pub use words::{Match, Within};

use crate::database::Database;
use crate::failure::{OrFailure as _, failure_with};
use crate::push::check_name;
use meaning::Sample;

/// Maximum number of samples of vectors in memory, which are of different models and selections of projects.
const MOST_SAMPLES: usize = 8;

/// A project in the database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Project {
    /// Its number.
    pub number: i32,
    /// Its name.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// The commit that was pushed.
    pub commit: String,
    /// When, in seconds since 1970.
    pub pushed_at: i64,
    /// Identity of the model of its vectors.
    pub model: Option<String>,
    /// How often it was pushed.
    pub version: i64,
}

/// Reads the index that several projects share.
#[derive(Clone)]
pub struct Shared {
    database: Database,
    samples: Arc<Mutex<Vec<Arc<Sample>>>>,
}

/// One unchanging state of the database, as one role sees it.
pub struct Snapshot<'a> {
    whole: Transaction<'a>,
    role: Option<&'a str>,
    samples: &'a Mutex<Vec<Arc<Sample>>>,
}

impl Shared {
    /// Reads from `database`.
    pub fn new(database: Database) -> Self {
        Self { database, samples: Arc::default() }
    }

    /// Runs `work` on one state of the database. `role` limits what it sees; the role of the connection has to be a member
    /// of it.
    ///
    /// # Errors
    /// What `work` returns, and [`ubp_core::Error::SharedIndex`].
    pub async fn read<T>(
        &self,
        role: Option<&str>,
        work: impl AsyncFnOnce(&Snapshot<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut client = self.database.client().await?;
        let snapshot = self.begin(&mut client, role).await?;
        let answer = work(&snapshot).await?;
        snapshot.whole.commit().await.or_failure()?;
        Ok(answer)
    }
}

impl Shared {
    /// The same for work that waits itself, on `runtime`, which also drives all connections.
    ///
    /// # Errors
    /// As [`Shared::read`].
    pub(crate) fn hold<T>(
        &self,
        runtime: &Handle,
        role: Option<&str>,
        work: impl FnOnce(&Snapshot<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut client = runtime.block_on(self.database.client())?;
        let snapshot = runtime.block_on(self.begin(&mut client, role))?;
        let answer = work(&snapshot)?;
        runtime.block_on(snapshot.whole.commit()).or_failure()?;
        Ok(answer)
    }

    async fn begin<'a>(
        &'a self,
        client: &'a mut ClientWrapper,
        role: Option<&'a str>,
    ) -> Result<Snapshot<'a>> {
        let whole =
            client.build_transaction().read_only(true).isolation_level(IsolationLevel::RepeatableRead);
        let whole = whole.start().await.or_failure()?;
        // Candidates of partitions are merged, so they have to come in order.
        // Single rows are looked up in many partitions: whatever reads whole tables is wrong.
        let mut settings = String::from(
            "SET LOCAL hnsw.iterative_scan = strict_order; SET LOCAL hnsw.ef_search = 40;
             SET LOCAL plan_cache_mode = force_generic_plan;
             SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off;",
        );
        if let Some(role) = role {
            settings.push_str(&format!(" SET LOCAL ROLE \"{}\";", role.replace('"', "\"\"")));
        }
        whole.batch_execute(&settings).await.or_failure()?;
        Ok(Snapshot { whole, role, samples: &self.samples })
    }
}

impl Snapshot<'_> {
    /// The projects with at least one visible page, by name.
    ///
    /// # Errors
    /// [`ubp_core::Error::SharedIndex`].
    pub async fn projects(&self) -> Result<Vec<Project>> {
        let sql = "SELECT project, name, title, tags, commit_id, extract(epoch FROM pushed_at)::bigint, model, version
             FROM ubp.projects WHERE commit_id IS NOT NULL ORDER BY name COLLATE \"C\"";
        let rows = self.whole.query(sql, &[]).await.or_failure()?;
        let projects = rows.iter().map(|row| Project {
            number: row.get(0),
            name: row.get(1),
            title: row.get(2),
            tags: row.get(3),
            commit: row.get(4),
            pushed_at: row.get(5),
            model: row.get(6),
            version: row.get(7),
        });
        Ok(projects.collect())
    }

    /// The project called `name`.
    ///
    /// # Errors
    /// [`ubp_core::Error::SharedIndex`] if it is not there, or not visible.
    pub async fn project(&self, name: &str) -> Result<Project> {
        check_name(name)?;
        let found = self.projects().await?.into_iter().find(|project| project.name == name);
        found.ok_or_else(|| {
            failure_with(
                message!("no project in the shared index is called '{name}'", name),
                message!("`ubp push` adds one"),
            )
        })
    }

    /// The rows of a statement whose plan the connection keeps: over many partitions, a plan takes longer than its work.
    async fn rows_of(&self, sql: &str, params: &[&(dyn ToSql + Sync)]) -> Result<Vec<tokio_postgres::Row>> {
        let statement = self.whole.prepare_cached(sql).await.or_failure()?;
        self.whole.query(&statement, params).await.or_failure()
    }

    fn kept_sample(&self, fits: impl Fn(&Sample) -> bool) -> Option<Arc<Sample>> {
        let kept = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|kept| fits(kept)).cloned()
    }

    /// Keeps a sample instead of the one that was kept first, if there are many.
    fn keep_sample(&self, sample: &Arc<Sample>) {
        let mut kept = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST_SAMPLES {
            kept.remove(0);
        }
        kept.push(sample.clone());
    }
}

/// The number of a section or a row of the full text, which is unique in its project: of the page, and of the part in it.
pub(crate) fn number(page: i64, part: i32) -> i64 {
    section_number(page, i64::from(part))
}

/// Numbers as PostgreSQL writes an array.
pub(crate) fn list<T: ToString>(numbers: &[T]) -> String {
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    format!("{{{}}}", numbers.join(","))
}

/// The page and the part of a number.
pub(crate) fn parts(number: i64) -> (i64, i32) {
    let (page, part) = section_of(number);
    (page, i32::try_from(part).unwrap_or(i32::MAX))
}
